// SPDX-License-Identifier: Apache-2.0

//! From records as callers have them to the exact Arrow schema of a table, when nothing is lost on the way. What would be lost, or
//! does not fit, is refused by column and row before the engine sees any of it.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal128Type, Decimal256Type, Decimal32Type, Decimal64Type, DecimalType, Int64Type};
use arrow_array::{
    make_array, new_null_array, Array, ArrayRef, FixedSizeListArray, ListArray, MapArray, RecordBatch, RecordBatchOptions,
    StructArray, UInt64Array,
};
use arrow_buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_cast::display::array_value_to_string;
use arrow_cast::{cast_with_options, CastOptions};
use arrow_ord::cmp::distinct;
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef, TimeUnit};
use arrow_select::take::take;
use paimon::arrow::build_target_arrow_schema;
use paimon::spec::{CoreOptions, DataType as Type, TableSchema};

use crate::arrow::MAX_ROWS;
use crate::error::{Failure, Result};
use crate::supported::{check_format, sql};

/// The column by which a record of a table with a primary key says what each row is.
pub(crate) const VALUE_KIND: &str = "_VALUE_KIND";

const DAY_SECONDS: i64 = 24 * 60 * 60;

/// What the records of a table are made to be.
pub struct Target {
    schema: SchemaRef,
    types: Vec<Type>,
    /// Why there can be no column of row kinds; None if there can.
    no_kinds: Option<&'static str>,
    /// Why there can be no row that takes one back; None if there can.
    no_deletes: Option<String>,
    /// The column in which the table has the kinds of its rows, in words.
    kinds: Option<String>,
}

impl Target {
    /// Fails for a table that cannot be written.
    pub fn new(schema: &TableSchema) -> Result<Self> {
        check_format(schema)?;
        let keys = schema.primary_keys();
        let fields: Vec<FieldRef> = build_target_arrow_schema(schema.fields())?
            .fields()
            .iter()
            .map(|field| match keys.contains(field.name()) {
                true => Arc::new(field.as_ref().clone().with_nullable(false)),
                false => field.clone(),
            })
            .collect();
        let options = CoreOptions::new(schema.options());
        let no_kinds = if keys.is_empty() {
            Some("the table has no primary key")
        } else if options.rowkind_field().is_some() {
            Some("the table takes the kinds from its option rowkind.field")
        } else if options.bucket() == -1 && schema.partition_keys().iter().any(|key| !keys.contains(key)) {
            Some("the table's primary key does not contain its partition keys, so rows may move between partitions")
        } else {
            None
        };
        Ok(Self {
            schema: Arc::new(Schema::new(fields)),
            types: schema.fields().iter().map(|field| field.data_type().clone()).collect(),
            no_kinds,
            no_deletes: no_deletes(schema),
            kinds: options.rowkind_field().map(str::to_string),
        })
    }

    /// Gives the batch the table's columns, in the table's order and types, and its row kinds, if it has them, behind them.
    pub fn conform(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let schema = batch.schema_ref();
        let mut given = HashMap::with_capacity(schema.fields().len());
        for (index, field) in schema.fields().iter().enumerate() {
            if given.insert(field.name().as_str(), index).is_some() {
                return Err(Failure::invalid(format!("the record has two columns '{}'", field.name())));
            }
        }
        let mut fields = Vec::with_capacity(given.len());
        let mut columns = Vec::with_capacity(given.len());
        for (field, data_type) in self.schema.fields().iter().zip(&self.types) {
            let Some(index) = given.remove(field.name().as_str()) else {
                return Err(Failure::invalid(format!(
                    "the record has no column '{}', which is {} in the table; give all columns, with nulls where there are no values",
                    field.name(),
                    sql(data_type)
                )));
            };
            let place = Place {
                path: field.name().clone(),
                row: &|row| row,
            };
            columns.push(conform(batch.column(index), field, Some(data_type), None, &place)?);
            fields.push(field.clone());
        }
        if let Some(index) = given.remove(VALUE_KIND) {
            if let Some(why) = self.no_kinds {
                return Err(Failure::invalid(format!("the record has a column '{VALUE_KIND}', but {why}")));
            }
            let kinds = check_kinds(batch.column(index))?;
            if let Some(why) = &self.no_deletes {
                let values = kinds.as_primitive::<arrow_array::types::Int8Type>();
                if let Some(row) = (0..kinds.len()).find(|row| matches!(values.value(*row), 1 | 3)) {
                    return Err(Failure::invalid(format!("column '{VALUE_KIND}', row {row}: {why}")));
                }
            }
            columns.push(kinds);
            fields.push(Arc::new(Field::new(VALUE_KIND, DataType::Int8, false)));
        }
        let words = self.kinds.as_ref().and_then(|name| self.schema.index_of(name).ok());
        if let (Some(index), Some(why)) = (words, &self.no_deletes) {
            if let Some(values) = columns[index].as_string_opt::<i32>() {
                let takes_back = |row: &usize| {
                    let kind = values.value(*row);
                    values.is_valid(*row) && (kind.eq_ignore_ascii_case("-U") || kind.eq_ignore_ascii_case("-D"))
                };
                if let Some(row) = (0..values.len()).find(takes_back) {
                    let name = self.schema.field(index).name();
                    return Err(Failure::invalid(format!("column '{name}', row {row}: {why}")));
                }
            }
        }
        if let Some(extra) = given.keys().min() {
            let names: Vec<String> = self
                .schema
                .fields()
                .iter()
                .map(|field| format!("'{}'", field.name()))
                .collect();
            return Err(Failure::invalid(format!(
                "the record has a column '{extra}', which the table does not have; its columns are {}",
                names.join(", ")
            )));
        }
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &options)
            .map_err(|error| Failure::unexpected(format!("the record cannot be given the table's schema: {error}")))
    }
}

/// Why the rows of a table cannot be taken back. The engine finds out when it merges them, which it does for each read from then on.
fn no_deletes(schema: &TableSchema) -> Option<String> {
    let options = schema.options();
    let is = |key: &str| options.get(key).is_some_and(|set| set.eq_ignore_ascii_case("true"));
    let engine = options
        .get("merge-engine")
        .map_or("deduplicate", String::as_str)
        .to_ascii_lowercase();
    if is("ignore-delete") || is(&format!("{engine}.ignore-delete")) || is(&format!("{engine}.remove-record-on-delete")) {
        return None;
    }
    let partial = engine == "partial-update";
    if partial && !options.keys().any(|key| key.ends_with(".sequence-group")) {
        return Some(
            "a table with merge-engine partial-update takes back no rows, unless its option partial-update.remove-record-on-delete \
             is true, or, in a new table, ignore-delete"
                .to_string(),
        );
    }
    if !partial && engine != "aggregation" {
        return None;
    }
    let fixed = |function: &str| {
        !matches!(
            function,
            "sum" | "product" | "last_value" | "last_non_null_value" | "collect" | "merge_map" | "nested_update"
        )
    };
    let field = schema.fields().iter().find(|field| {
        let set = options
            .get(&format!("fields.{}.aggregate-function", field.name()))
            .or_else(|| options.get("fields.default-aggregate-function"));
        !schema.primary_keys().contains(&field.name().to_string())
            && !is(&format!("fields.{}.ignore-retract", field.name()))
            && set.is_some_and(|function| fixed(function))
    })?;
    Some(format!(
        "a table that aggregates column '{}' so takes back no rows, unless its option fields.{}.ignore-retract or \
         {engine}.remove-record-on-delete is true, or, in a new table, ignore-delete",
        field.name(),
        field.name()
    ))
}

/// Refuses kinds that there are not: the engine finds them when it prepares a commit, and gives up the whole write then.
fn check_kinds(column: &ArrayRef) -> Result<ArrayRef> {
    let kinds = match column.data_type().is_integer() {
        true => cast(column, &DataType::Int8)?,
        false => {
            return Err(Failure::invalid(format!(
                "column '{VALUE_KIND}' is of type {}, want Int8",
                column.data_type()
            )))
        }
    };
    let values = kinds.as_primitive::<arrow_array::types::Int8Type>();
    match (0..kinds.len()).find(|row| kinds.is_null(*row) || !(0..=3).contains(&values.value(*row))) {
        None => Ok(kinds),
        Some(row) => Err(Failure::invalid(format!(
            "column '{VALUE_KIND}' has {} in row {row}, want 0 to 3",
            shown(column, row)
        ))),
    }
}

/// Where values are: the path of names that leads to them, and the row of the record in which the value at an index lies.
struct Place<'a> {
    path: String,
    row: &'a dyn Fn(usize) -> usize,
}

impl Place<'_> {
    fn wrong(&self, what: impl std::fmt::Display) -> Failure {
        Failure::invalid(format!("column '{}' {what}", self.path))
    }

    fn wrong_at(&self, index: usize, what: impl std::fmt::Display) -> Failure {
        Failure::invalid(format!("column '{}', row {}: {what}", self.path, (self.row)(index)))
    }
}

/// Makes an array of the field's type. `data_type` has what Arrow does not express, a longest length say; `parents` are the nulls
/// around the array, under which anything may lie and nothing counts.
fn conform(
    array: &ArrayRef,
    field: &Field,
    data_type: Option<&Type>,
    parents: Option<&NullBuffer>,
    place: &Place,
) -> Result<ArrayRef> {
    let array = match (array.data_type(), parents) {
        (DataType::Null, _) if array.len() > MAX_ROWS => return Err(too_large(place)),
        (DataType::Null, _) if array.is_empty() || field.is_nullable() => new_null_array(field.data_type(), array.len()),
        (DataType::Null, Some(parents)) if parents.null_count() == array.len() => new_null_array(field.data_type(), array.len()),
        (DataType::Null, parents) => {
            let seen = (0..array.len()).find(|index| parents.is_none_or(|parents| parents.is_valid(*index)));
            return Err(null_at(place, seen.unwrap_or(0), field));
        }
        (_, Some(parents)) if parents.null_count() > 0 => {
            let data = array.to_data();
            let nulls = NullBuffer::union(data.nulls(), Some(parents));
            make_array(data.into_builder().nulls(nulls).build().map_err(internal)?)
        }
        _ => array.clone(),
    };
    if array.data_type().is_nested() && array.data_type() == field.data_type() && !data_type.is_some_and(checked) {
        // The import has seen to it that the array keeps what its own type promises.
        if field.is_nullable() || array.null_count() == 0 {
            return Ok(array);
        }
    }
    if !field.is_nullable() && array.null_count() > 0 {
        let hidden = |index| parents.is_some_and(|parents| parents.is_null(index));
        if let Some(index) = (0..array.len()).find(|index| array.is_null(*index) && !hidden(*index)) {
            return Err(null_at(place, index, field));
        }
    }
    let refuse = |advice: String| {
        let want = data_type.map_or_else(|| field.data_type().to_string(), sql);
        Err(place.wrong(format!(
            "is {want} in the table, and Arrow type {} in the record; {advice}",
            array.data_type()
        )))
    };
    match (array.data_type(), field.data_type()) {
        (DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(_, _), DataType::List(element)) => {
            let (offsets, values, nulls) = lists(&array, place)?;
            let below = Place {
                path: format!("{}.element", place.path),
                row: &|index| (place.row)(list_of(&offsets, index)),
            };
            let element_type = match data_type {
                Some(Type::Array(list)) => Some(list.element_type()),
                _ => None,
            };
            let values = conform(&values, element, element_type, None, &below)?;
            Ok(Arc::new(
                ListArray::try_new(element.clone(), offsets.clone(), values, nulls).map_err(internal)?,
            ))
        }
        (DataType::Map(_, _), DataType::Map(entries, sorted)) => {
            let map = array.as_map();
            let (offsets, values, nulls) = visible(
                map.offsets().iter().map(|offset| i64::from(*offset)).collect(),
                &(Arc::new(map.entries().clone()) as ArrayRef),
                map.nulls(),
                place,
            )?;
            let pairs = values.as_struct();
            let row = |index| (place.row)(list_of(&offsets, index));
            if let Some(index) = (0..pairs.len()).find(|index| pairs.is_null(*index)) {
                return Err(place.wrong_at(list_of(&offsets, index), "an entry of the map is null"));
            }
            let (key_type, value_type) = match data_type {
                Some(Type::Map(map)) => (Some(map.key_type()), Some(map.value_type())),
                Some(Type::Multiset(set)) => (Some(set.element_type()), None),
                _ => (None, None),
            };
            let DataType::Struct(fields) = entries.data_type() else {
                return Err(internal("a map without entries"));
            };
            let mut columns = Vec::with_capacity(2);
            for (index, (name, data_type)) in [("key", key_type), ("value", value_type)].into_iter().enumerate() {
                let below = Place {
                    path: format!("{}.{name}", place.path),
                    row: &row,
                };
                columns.push(conform(pairs.column(index), &fields[index], data_type, None, &below)?);
            }
            let pairs = StructArray::try_new(fields.clone(), columns, None).map_err(internal)?;
            let map = MapArray::try_new(entries.clone(), offsets.clone(), pairs, nulls, *sorted).map_err(internal)?;
            Ok(Arc::new(map))
        }
        (DataType::FixedSizeList(_, has), DataType::FixedSizeList(element, size)) if has == size => {
            let list = array.as_fixed_size_list();
            let step = (*size).max(1) as usize;
            let below = Place {
                path: format!("{}.element", place.path),
                row: &|index| (place.row)(index / step),
            };
            let element_type = match data_type {
                Some(Type::Vector(vector)) => Some(vector.element_type()),
                _ => None,
            };
            let parents = list.nulls().map(|nulls| nulls.expand(step));
            let values = conform(list.values(), element, element_type, parents.as_ref(), &below)?;
            let list = FixedSizeListArray::try_new(element.clone(), *size, values, list.nulls().cloned()).map_err(internal)?;
            Ok(Arc::new(list))
        }
        (DataType::FixedSizeList(_, has), DataType::FixedSizeList(_, size)) => {
            refuse(format!("lists of {has} values are no vectors of {size}"))
        }
        (DataType::Struct(has), DataType::Struct(fields)) => {
            let row = array.as_struct();
            let mut columns = Vec::with_capacity(fields.len());
            for (index, field) in fields.iter().enumerate() {
                let mut found = (0..has.len()).filter(|index| has[*index].name() == field.name());
                let (Some(position), None) = (found.next(), found.next()) else {
                    return refuse(format!("it needs one field '{}'", field.name()));
                };
                let field_type = match data_type {
                    Some(Type::Row(row)) => row.fields().get(index).map(|field| field.data_type()),
                    _ => None,
                };
                let below = Place {
                    path: format!("{}.{}", place.path, field.name()),
                    row: place.row,
                };
                columns.push(conform(row.column(position), field, field_type, row.nulls(), &below)?);
            }
            if let Some(extra) = has.iter().find(|field| fields.find(field.name()).is_none()) {
                return refuse(format!("it has a field '{}' too many", extra.name()));
            }
            let rows = StructArray::try_new_with_length(fields.clone(), columns, row.nulls().cloned(), row.len());
            Ok(Arc::new(rows.map_err(internal)?))
        }
        (from, to) => {
            let values = if from == to {
                array.clone()
            } else {
                match convert(&array, to, place)? {
                    Ok(values) => values,
                    Err(advice) => return refuse(advice),
                }
            };
            if let Some(data_type) = data_type {
                check(&values, data_type, place)?;
            }
            Ok(values)
        }
    }
}

fn null_at(place: &Place, index: usize, field: &Field) -> Failure {
    place.wrong_at(index, format!("a null, and '{}' is NOT NULL in the table", field.name()))
}

fn internal(error: impl std::fmt::Display) -> Failure {
    Failure::unexpected(format!("cannot convert the record: {error}"))
}

type Lists = (OffsetBuffer<i32>, ArrayRef, Option<NullBuffer>);

/// Takes lists of any kind apart into offsets, the values in lists that are not null, and nulls.
fn lists(array: &ArrayRef, place: &Place) -> Result<Lists> {
    let (offsets, values) = match array.data_type() {
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            (
                list.offsets().iter().map(|offset| i64::from(*offset)).collect(),
                list.values(),
            )
        }
        DataType::LargeList(_) => {
            let list = array.as_list::<i64>();
            (list.offsets().to_vec(), list.values())
        }
        _ => {
            let list = array.as_fixed_size_list();
            let size = i64::from(list.value_length());
            ((0..=array.len() as i64).map(|index| index * size).collect(), list.values())
        }
    };
    visible(offsets, values, array.nulls(), place)
}

/// Drops the values that no list, or only one that is null, holds.
fn visible(offsets: Vec<i64>, values: &ArrayRef, nulls: Option<&NullBuffer>, place: &Place) -> Result<Lists> {
    let hidden = |row: usize| nulls.is_some_and(|nulls| nulls.is_null(row));
    let gaps = offsets
        .windows(2)
        .enumerate()
        .any(|(row, pair)| pair[0] != pair[1] && hidden(row));
    let (offsets, values) = if gaps {
        let mut kept = Vec::new();
        let mut rebased = vec![0];
        for (row, pair) in offsets.windows(2).enumerate() {
            if !hidden(row) {
                kept.extend(pair[0] as u64..pair[1] as u64);
            }
            rebased.push(kept.len() as i64);
        }
        (rebased, take(values, &UInt64Array::from(kept), None).map_err(internal)?)
    } else {
        let (first, last) = (offsets[0], offsets[offsets.len() - 1]);
        let values = values.slice(first as usize, (last - first) as usize);
        (offsets.into_iter().map(|offset| offset - first).collect(), values)
    };
    let offsets = offsets
        .into_iter()
        .map(i32::try_from)
        .collect::<std::result::Result<Vec<_>, _>>();
    match offsets {
        Ok(offsets) => Ok((OffsetBuffer::new(ScalarBuffer::from(offsets)), values, nulls.cloned())),
        Err(_) => Err(too_large(place)),
    }
}

fn too_large(place: &Place) -> Failure {
    place.wrong("holds more than 2 GiB in one record; write smaller records")
}

/// The list in which the value at an index lies.
fn list_of(offsets: &OffsetBuffer<i32>, index: usize) -> usize {
    offsets.partition_point(|offset| *offset as usize <= index) - 1
}

/// A cast that makes a null of what does not fit.
fn cast(array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    cast_with_options(array, to, &CastOptions::default()).map_err(internal)
}

/// Converts values to another type if that keeps what they say. What fails with a row is a value that does not fit, what gives
/// advice is a type that does not.
fn convert(array: &ArrayRef, to: &DataType, place: &Place) -> Result<std::result::Result<ArrayRef, String>> {
    use DataType::*;
    let from = array.data_type();
    let converted = match (from, to) {
        (Timestamp(unit, from_zone), Timestamp(to_unit, zone)) => match (from_zone, zone) {
            (Some(_), None) => {
                return Ok(Err(
                    "a moment has a date and time in a time zone only: cast it to a timestamp without zone".into(),
                ))
            }
            (None, Some(_)) => {
                return Ok(Err(
                    "a date and time is a moment in a time zone only: cast it to a timestamp with zone".into(),
                ))
            }
            _ => rescale(array, per_second(unit), per_second(to_unit), to)?,
        },
        (Time32(unit) | Time64(unit), Time32(to_unit)) => {
            let ticks = per_second(unit) * DAY_SECONDS;
            let values = cast(array, &Int64)?;
            let values = values.as_primitive::<Int64Type>();
            if let Some(index) = (0..array.len()).find(|row| array.is_valid(*row) && !(0..ticks).contains(&values.value(*row))) {
                return Err(place.wrong_at(index, format!("{} {unit} is no time of day", values.value(index))));
            }
            rescale(array, per_second(unit), per_second(to_unit), to)?
        }
        (Date64, Date32) => {
            // A Date64 counts milliseconds, and has to be whole days.
            let days = rescale(array, 1000 * DAY_SECONDS, 1, &Int64)?;
            cast(&cast(&days, &Int32)?, to)?
        }
        (
            Decimal32(_, from_scale) | Decimal64(_, from_scale) | Decimal128(_, from_scale) | Decimal256(_, from_scale),
            Decimal128(_, scale),
        ) => {
            // The cast believes the precision.
            if let Some(index) = beyond_precision(array) {
                return Err(lost(array, index, to, place));
            }
            let values = cast(array, to)?;
            if scale < from_scale {
                // Digits that go are rounded away: those that are missed when the values come back.
                let back = cast(&values, from)?;
                let missed = distinct(array, &back).map_err(internal)?;
                if let Some(index) = (0..array.len()).find(|index| missed.value(*index)) {
                    return Err(lost(array, index, to, place));
                }
            }
            values
        }
        _ if from.is_integer() && to.is_integer() => cast(array, to)?,
        (Float16, Float32 | Float64) | (Float32, Float64) => cast(array, to)?,
        (LargeUtf8, Utf8) | (LargeBinary | FixedSizeBinary(_), Binary) => {
            return cast_with_options(array, to, &CastOptions::default())
                .map(Ok)
                .map_err(|_| too_large(place))
        }
        (Binary | FixedSizeBinary(_), LargeBinary) => cast(array, to)?,
        _ => return Ok(Err(format!("cast it to {to}"))),
    };
    if converted.null_count() > array.null_count() {
        if let Some(index) = (0..array.len()).find(|index| array.is_valid(*index) && converted.is_null(*index)) {
            return Err(lost(array, index, to, place));
        }
    }
    Ok(Ok(converted))
}

/// The first value that has more digits than its own type.
fn beyond_precision(array: &ArrayRef) -> Option<usize> {
    fn first<T: DecimalType>(array: &ArrayRef, precision: u8) -> Option<usize> {
        let values = array.as_primitive::<T>();
        (0..array.len()).find(|index| array.is_valid(*index) && !T::is_valid_decimal_precision(values.value(*index), precision))
    }
    match array.data_type() {
        DataType::Decimal32(precision, _) => first::<Decimal32Type>(array, *precision),
        DataType::Decimal64(precision, _) => first::<Decimal64Type>(array, *precision),
        DataType::Decimal128(precision, _) => first::<Decimal128Type>(array, *precision),
        DataType::Decimal256(precision, _) => first::<Decimal256Type>(array, *precision),
        _ => None,
    }
}

fn lost(array: &ArrayRef, index: usize, to: &DataType, place: &Place) -> Failure {
    place.wrong_at(
        index,
        format!(
            "{} of Arrow type {} does not fit {to}; round or cast it first",
            shown(array, index),
            array.data_type()
        ),
    )
}

fn per_second(unit: &TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}

/// Counts in other units; what does not come out even, or overflows, becomes null.
fn rescale(array: &ArrayRef, from: i64, into: i64, to: &DataType) -> Result<ArrayRef> {
    let ticks = cast(array, &DataType::Int64)?;
    let ticks = ticks.as_primitive::<Int64Type>();
    let scaled = if from > into {
        let per = from / into;
        ticks.unary_opt::<_, Int64Type>(|tick| (tick % per == 0).then_some(tick / per))
    } else {
        ticks.unary_opt::<_, Int64Type>(|tick| tick.checked_mul(into / from))
    };
    match to {
        DataType::Time32(_) => cast(&cast(&(Arc::new(scaled) as ArrayRef), &DataType::Int32)?, to),
        DataType::Timestamp(_, _) => {
            let data = scaled.into_data().into_builder().data_type(to.clone());
            Ok(make_array(data.build().map_err(internal)?))
        }
        _ => Ok(Arc::new(scaled)),
    }
}

/// Whether [`check`] has anything to look at in values of a type.
fn checked(data_type: &Type) -> bool {
    match data_type {
        Type::Array(list) => checked(list.element_type()),
        Type::Vector(vector) => checked(vector.element_type()),
        Type::Map(map) => checked(map.key_type()) || checked(map.value_type()),
        Type::Multiset(set) => checked(set.element_type()),
        Type::Row(row) => row.fields().iter().any(|field| checked(field.data_type())),
        Type::VarChar(text) => text.length() < i32::MAX as u32,
        Type::VarBinary(binary) => binary.length() < i32::MAX as u32,
        Type::Char(_) | Type::Binary(_) | Type::Time(_) | Type::Decimal(_) => true,
        Type::Timestamp(timestamp) => timestamp.precision() == 0,
        Type::LocalZonedTimestamp(timestamp) => timestamp.precision() == 0,
        _ => false,
    }
}

/// Refuses values of the right Arrow type that the table's type does not have.
fn check(array: &ArrayRef, data_type: &Type, place: &Place) -> Result<()> {
    let find = |wrong: &dyn Fn(usize) -> bool| (0..array.len()).find(|index| array.is_valid(*index) && wrong(*index));
    let characters = |limit: usize| -> Result<()> {
        let texts = array.as_string::<i32>();
        // A text has at most as many characters as bytes.
        match find(&|index| texts.value_length(index) as usize > limit && texts.value(index).chars().count() > limit) {
            None => Ok(()),
            Some(index) => Err(place.wrong_at(
                index,
                format!(
                    "a text of {} characters is too long for {data_type}",
                    texts.value(index).chars().count()
                ),
            )),
        }
    };
    let bytes = |limit: usize| -> Result<()> {
        let values = array.as_binary::<i32>();
        match find(&|index| values.value_length(index) as usize > limit) {
            None => Ok(()),
            Some(index) => Err(place.wrong_at(
                index,
                format!("{} bytes are too many for {data_type}", values.value_length(index)),
            )),
        }
    };
    match data_type {
        Type::Char(text) => characters(text.length()),
        Type::VarChar(text) if text.length() < i32::MAX as u32 => characters(text.length() as usize),
        Type::Binary(binary) => bytes(binary.length()),
        Type::VarBinary(binary) if binary.length() < i32::MAX as u32 => bytes(binary.length() as usize),
        Type::Time(_) => {
            let times = array.as_primitive::<arrow_array::types::Time32MillisecondType>();
            match find(&|index| !(0..DAY_SECONDS as i32 * 1000).contains(&times.value(index))) {
                None => Ok(()),
                Some(index) => Err(place.wrong_at(index, format!("{} ms is no time of day", times.value(index)))),
            }
        }
        Type::Decimal(decimal) => {
            let values = array.as_primitive::<Decimal128Type>();
            let limit = 10_i128.pow(decimal.precision());
            match find(&|index| values.value(index).unsigned_abs() >= limit.unsigned_abs()) {
                None => Ok(()),
                Some(index) => Err(place.wrong_at(index, format!("{} has too many digits for {data_type}", shown(array, index)))),
            }
        }
        // Written in milliseconds.
        Type::Timestamp(_) | Type::LocalZonedTimestamp(_)
            if matches!(array.data_type(), DataType::Timestamp(TimeUnit::Second, _)) =>
        {
            let seconds = cast(array, &DataType::Int64)?;
            let seconds = seconds.as_primitive::<Int64Type>();
            match find(&|index| seconds.value(index).checked_mul(1000).is_none()) {
                None => Ok(()),
                Some(index) => Err(place.wrong_at(index, format!("timestamp {} s is out of range", seconds.value(index)))),
            }
        }
        _ => Ok(()),
    }
}

/// A value as text, for errors.
fn shown(array: &ArrayRef, index: usize) -> String {
    let plain = match array.data_type() {
        _ if array.is_null(index) => return "null".into(),
        // Not every zone that callers name is one that Arrow can format in.
        DataType::Timestamp(unit, Some(_)) => rescale(array, 1, 1, &DataType::Timestamp(*unit, None)),
        _ => Ok(array.clone()),
    };
    plain
        .ok()
        .and_then(|array| array_value_to_string(&array, index).ok())
        .unwrap_or_else(|| "a value".into())
}
