// SPDX-License-Identifier: Apache-2.0

//! The evaluation of predicates on record batches: exact, and on the rows as a reader returns them.

use std::sync::Arc;

use arrow_arith::boolean;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Float32Type, Float64Type, Int16Type, Int32Type, Int64Type, Int8Type,
    Time32MillisecondType, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
};
use arrow_array::{Array, BooleanArray, RecordBatch, Scalar, StringArray};
use arrow_buffer::BooleanBuffer;
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef, TimeUnit};
use arrow_select::filter::filter_record_batch;
use arrow_string::like;
use paimon::spec::{Datum, PredicateOperator as Op};

use crate::error::{Failure, Result};
use crate::predicate::{Kind, Leaf, Node};

/// A predicate applied to the batches of one reader.
pub struct Filter {
    predicate: Arc<Node>,
    compiled: Option<(SchemaRef, Test)>,
}

impl Filter {
    pub fn new(predicate: Arc<Node>) -> Self {
        Self {
            predicate,
            compiled: None,
        }
    }

    /// The rows for which the predicate is true: neither false nor NULL.
    pub fn apply(&mut self, batch: RecordBatch) -> Result<RecordBatch> {
        let schema = batch.schema();
        if self.compiled.as_ref().is_none_or(|(known, _)| *known != schema) {
            self.compiled = Some((schema.clone(), compile(&self.predicate, &schema)?));
        }
        let Some((_, test)) = &self.compiled else {
            return Err(Failure::unexpected("a filter without a test"));
        };
        let mask = test.run(&batch).map_err(broken)?;
        if mask.true_count() == batch.num_rows() {
            return Ok(batch);
        }
        filter_record_batch(&batch, &mask).map_err(broken)
    }
}

fn broken(error: ArrowError) -> Failure {
    Failure::unexpected(format!("cannot apply the filter: {error}"))
}

/// A predicate for batches of one schema. Every column that is not text or bytes is compared as a whole number of the units it is stored in.
enum Test {
    Always(bool),
    Null(usize),
    NotNull(usize),
    Number(usize, Compare<i128>),
    Bytes(usize, Compare<Vec<u8>>),
    Part(usize, Part, Vec<u8>),
    Text(usize, TextTest, StringArray),
    And(Vec<Test>),
    Or(Vec<Test>),
    Not(Box<Test>),
}

enum Compare<T> {
    Equal(T),
    Less(T),
    LessOrEqual(T),
    /// One of these, which are sorted.
    In(Vec<T>),
}

enum Part {
    Prefix,
    Suffix,
}

type TextTest = fn(&dyn arrow_array::Datum, &dyn arrow_array::Datum) -> std::result::Result<BooleanArray, ArrowError>;

fn compile(node: &Node, schema: &Schema) -> Result<Test> {
    let all = |children: &[Arc<Node>]| {
        children
            .iter()
            .map(|child| compile(child, schema))
            .collect::<Result<Vec<_>>>()
    };
    Ok(match &node.kind {
        Kind::And(children) => Test::And(all(children)?),
        Kind::Or(children) => Test::Or(all(children)?),
        Kind::Not(child) => not(compile(child, schema)?),
        Kind::Leaf(leaf) => compile_leaf(leaf, schema)?,
    })
}

fn not(test: Test) -> Test {
    Test::Not(Box::new(test))
}

fn compile_leaf(leaf: &Leaf, schema: &Schema) -> Result<Test> {
    let column = schema
        .index_of(&leaf.column)
        .map_err(|_| Failure::unexpected(format!("the filter's column {:?} is missing in the batch", leaf.column)))?;
    let data_type = schema.field(column).data_type();
    let compare = |op: Op, literal: Option<&Datum>| compare(column, data_type, op, literal, leaf);
    let text = || match leaf.literals.first() {
        Some(Datum::String(text)) => Ok(text),
        _ => Err(mismatch(leaf, data_type)),
    };
    let part = |part: Part| Ok::<_, Failure>(Test::Part(column, part, text()?.as_bytes().to_vec()));
    let (first, second) = (leaf.literals.first(), leaf.literals.get(1));
    Ok(match leaf.op {
        Op::IsNull => Test::Null(column),
        Op::IsNotNull => Test::NotNull(column),
        Op::In => any_of(column, data_type, leaf)?,
        Op::NotIn => not(any_of(column, data_type, leaf)?),
        Op::Between => Test::And(vec![compare(Op::GtEq, first)?, compare(Op::LtEq, second)?]),
        Op::NotBetween => Test::Or(vec![compare(Op::Lt, first)?, compare(Op::Gt, second)?]),
        Op::StartsWith => part(Part::Prefix)?,
        Op::EndsWith => part(Part::Suffix)?,
        Op::Contains => Test::Text(column, like::contains, StringArray::from(vec![text()?.as_str()])),
        Op::Like => Test::Text(column, like::like, StringArray::from(vec![text()?.as_str()])),
        op => compare(op, first)?,
    })
}

fn mismatch(leaf: &Leaf, data_type: &DataType) -> Failure {
    Failure::unexpected(format!(
        "the filter cannot compare column {:?}, here {data_type}, with its literal",
        leaf.column
    ))
}

/// A comparison with one literal, reduced to "equal", "less" and "less or equal".
fn compare(column: usize, data_type: &DataType, op: Op, literal: Option<&Datum>, leaf: &Leaf) -> Result<Test> {
    let literal = literal.ok_or_else(|| mismatch(leaf, data_type))?;
    match op {
        Op::NotEq => return Ok(not(compare(column, data_type, Op::Eq, Some(literal), leaf)?)),
        Op::Gt => return Ok(not(compare(column, data_type, Op::LtEq, Some(literal), leaf)?)),
        Op::GtEq => return Ok(not(compare(column, data_type, Op::Lt, Some(literal), leaf)?)),
        _ => {}
    }
    if let Some(bytes) = bytes_of(literal, data_type) {
        let bytes = bytes.to_vec();
        return Ok(Test::Bytes(
            column,
            match op {
                Op::Eq => Compare::Equal(bytes),
                Op::Lt => Compare::Less(bytes),
                _ => Compare::LessOrEqual(bytes),
            },
        ));
    }
    let (floor, exact) = number_of(literal, data_type).ok_or_else(|| mismatch(leaf, data_type))?;
    Ok(Test::Number(
        column,
        match op {
            // No value of the column lies between the literal and the whole number below it.
            Op::Eq if !exact => Compare::In(Vec::new()),
            Op::Eq => Compare::Equal(floor),
            Op::Lt if exact => Compare::Less(floor),
            _ => Compare::LessOrEqual(floor),
        },
    ))
}

fn any_of(column: usize, data_type: &DataType, leaf: &Leaf) -> Result<Test> {
    let Some(first) = leaf.literals.first() else {
        return Ok(Test::Always(false));
    };
    if bytes_of(first, data_type).is_some() {
        let mut list = Vec::with_capacity(leaf.literals.len());
        for literal in &leaf.literals {
            list.push(
                bytes_of(literal, data_type)
                    .ok_or_else(|| mismatch(leaf, data_type))?
                    .to_vec(),
            );
        }
        list.sort_unstable();
        return Ok(Test::Bytes(column, Compare::In(list)));
    }
    let mut list = Vec::with_capacity(leaf.literals.len());
    for literal in &leaf.literals {
        let (floor, exact) = number_of(literal, data_type).ok_or_else(|| mismatch(leaf, data_type))?;
        if exact {
            list.push(floor);
        }
    }
    list.sort_unstable();
    Ok(Test::Number(column, Compare::In(list)))
}

fn bytes_of<'a>(literal: &'a Datum, data_type: &DataType) -> Option<&'a [u8]> {
    match (literal, data_type) {
        (Datum::String(text), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View) => Some(text.as_bytes()),
        (Datum::Bytes(bytes), DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_)) => {
            Some(bytes)
        }
        _ => None,
    }
}

/// The largest whole number of the column's units that is not above the literal, and whether it is the literal itself.
fn number_of(literal: &Datum, data_type: &DataType) -> Option<(i128, bool)> {
    let whole = |value: i128| Some((value, true));
    match (literal, data_type) {
        (Datum::Bool(value), DataType::Boolean) => whole(i128::from(*value)),
        (Datum::TinyInt(value), integer) if integer.is_integer() => whole(i128::from(*value)),
        (Datum::SmallInt(value), integer) if integer.is_integer() => whole(i128::from(*value)),
        (Datum::Int(value), integer) if integer.is_integer() => whole(i128::from(*value)),
        (Datum::Long(value), integer) if integer.is_integer() => whole(i128::from(*value)),
        (Datum::Float(value), DataType::Float32 | DataType::Float64) => whole(rank(f64::from(*value))),
        (Datum::Double(value), DataType::Float32 | DataType::Float64) => whole(rank(*value)),
        (Datum::Date(value), DataType::Date32) => whole(i128::from(*value)),
        (Datum::Time(value), DataType::Time32(TimeUnit::Millisecond)) => whole(i128::from(*value)),
        (Datum::Timestamp { millis, nanos }, DataType::Timestamp(unit, None))
        | (Datum::LocalZonedTimestamp { millis, nanos }, DataType::Timestamp(unit, Some(_))) => {
            let unit = match unit {
                TimeUnit::Second => 1_000_000_000,
                TimeUnit::Millisecond => 1_000_000,
                TimeUnit::Microsecond => 1_000,
                TimeUnit::Nanosecond => 1,
            };
            let total = i128::from(*millis) * 1_000_000 + i128::from(*nanos);
            Some((total.div_euclid(unit), total.rem_euclid(unit) == 0))
        }
        (Datum::Decimal { unscaled, scale, .. }, DataType::Decimal128(_, column_scale)) => {
            let column_scale = u32::try_from(*column_scale).ok()?;
            if column_scale >= *scale {
                let factor = 10i128.checked_pow(column_scale - scale)?;
                // What does not fit is beyond every value of the column.
                Some(match unscaled.checked_mul(factor) {
                    Some(value) => (value, true),
                    None if *unscaled > 0 => (i128::MAX, false),
                    None => (i128::MIN, false),
                })
            } else {
                let factor = 10i128.checked_pow(scale - column_scale)?;
                Some((unscaled.div_euclid(factor), unscaled.rem_euclid(factor) == 0))
            }
        }
        _ => None,
    }
}

/// A number that orders as the float does, with 0.0 equal to -0.0, and all NaN equal and above everything else.
fn rank(value: f64) -> i128 {
    let value = if value.is_nan() {
        f64::NAN.abs()
    } else if value == 0.0 {
        0.0
    } else {
        value
    };
    let bits = value.to_bits() as i64;
    i128::from(bits ^ ((((bits >> 63) as u64) >> 1) as i64))
}

impl Test {
    fn run(&self, batch: &RecordBatch) -> std::result::Result<BooleanArray, ArrowError> {
        Ok(match self {
            Test::Always(value) => constant(batch, *value),
            Test::Null(column) => boolean::is_null(batch.column(*column))?,
            Test::NotNull(column) => boolean::is_not_null(batch.column(*column))?,
            Test::Number(column, test) => {
                let array = batch.column(*column).as_ref();
                match test {
                    Compare::Equal(literal) => numbers(array, |value| value == *literal),
                    Compare::Less(literal) => numbers(array, |value| value < *literal),
                    Compare::LessOrEqual(literal) => numbers(array, |value| value <= *literal),
                    Compare::In(list) => numbers(array, |value| list.binary_search(&value).is_ok()),
                }?
            }
            Test::Bytes(column, test) => {
                let array = batch.column(*column).as_ref();
                match test {
                    Compare::Equal(literal) => bytes(array, |value| value == literal.as_slice()),
                    Compare::Less(literal) => bytes(array, |value| value < literal.as_slice()),
                    Compare::LessOrEqual(literal) => bytes(array, |value| value <= literal.as_slice()),
                    Compare::In(list) => bytes(array, |value| {
                        list.binary_search_by(|item| item.as_slice().cmp(value)).is_ok()
                    }),
                }?
            }
            Test::Part(column, part, needle) => {
                let array = batch.column(*column).as_ref();
                match part {
                    Part::Prefix => bytes(array, |value| value.starts_with(needle)),
                    Part::Suffix => bytes(array, |value| value.ends_with(needle)),
                }?
            }
            Test::Text(column, test, text) => {
                let array = arrow_cast::cast(batch.column(*column), &DataType::Utf8)?;
                test(&array.as_string::<i32>(), &Scalar::new(text))?
            }
            Test::And(tests) => {
                let mut mask = constant(batch, true);
                for test in tests {
                    if mask.false_count() == mask.len() {
                        break;
                    }
                    mask = boolean::and_kleene(&mask, &test.run(batch)?)?;
                }
                mask
            }
            Test::Or(tests) => {
                let mut mask = constant(batch, false);
                for test in tests {
                    if mask.true_count() == mask.len() {
                        break;
                    }
                    mask = boolean::or_kleene(&mask, &test.run(batch)?)?;
                }
                mask
            }
            Test::Not(test) => boolean::not(&test.run(batch)?)?,
        })
    }
}

fn constant(batch: &RecordBatch, value: bool) -> BooleanArray {
    let values = if value {
        BooleanBuffer::new_set(batch.num_rows())
    } else {
        BooleanBuffer::new_unset(batch.num_rows())
    };
    BooleanArray::new(values, None)
}

fn numbers(array: &dyn Array, test: impl Fn(i128) -> bool) -> std::result::Result<BooleanArray, ArrowError> {
    fn each<T: ArrowPrimitiveType>(array: &dyn Array, test: impl Fn(T::Native) -> bool) -> BooleanBuffer {
        let values = array.as_primitive::<T>().values();
        BooleanBuffer::collect_bool(values.len(), |row| test(values[row]))
    }
    let values = match array.data_type() {
        DataType::Boolean => {
            let values = array.as_boolean().values();
            BooleanBuffer::collect_bool(values.len(), |row| test(i128::from(values.value(row))))
        }
        DataType::Int8 => each::<Int8Type>(array, |value| test(value.into())),
        DataType::Int16 => each::<Int16Type>(array, |value| test(value.into())),
        DataType::Int32 => each::<Int32Type>(array, |value| test(value.into())),
        DataType::Int64 => each::<Int64Type>(array, |value| test(value.into())),
        DataType::Float32 => each::<Float32Type>(array, |value| test(rank(value.into()))),
        DataType::Float64 => each::<Float64Type>(array, |value| test(rank(value))),
        DataType::Date32 => each::<Date32Type>(array, |value| test(value.into())),
        DataType::Time32(TimeUnit::Millisecond) => each::<Time32MillisecondType>(array, |value| test(value.into())),
        DataType::Timestamp(TimeUnit::Second, _) => each::<TimestampSecondType>(array, |value| test(value.into())),
        DataType::Timestamp(TimeUnit::Millisecond, _) => each::<TimestampMillisecondType>(array, |value| test(value.into())),
        DataType::Timestamp(TimeUnit::Microsecond, _) => each::<TimestampMicrosecondType>(array, |value| test(value.into())),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => each::<TimestampNanosecondType>(array, |value| test(value.into())),
        DataType::Decimal128(..) => each::<Decimal128Type>(array, test),
        other => return Err(ArrowError::ComputeError(format!("no numbers in {other}"))),
    };
    Ok(BooleanArray::new(values, array.nulls().cloned()))
}

fn bytes(array: &dyn Array, test: impl Fn(&[u8]) -> bool) -> std::result::Result<BooleanArray, ArrowError> {
    // What lies under a NULL is not looked at: a view may lead anywhere.
    let each = |value: &dyn Fn(usize) -> bool| BooleanBuffer::collect_bool(array.len(), |row| array.is_valid(row) && value(row));
    let values = match array.data_type() {
        DataType::Utf8 => {
            let array = array.as_string::<i32>();
            each(&|row| test(array.value(row).as_bytes()))
        }
        DataType::LargeUtf8 => {
            let array = array.as_string::<i64>();
            each(&|row| test(array.value(row).as_bytes()))
        }
        DataType::Utf8View => {
            let array = array.as_string_view();
            each(&|row| test(array.value(row).as_bytes()))
        }
        DataType::Binary => {
            let array = array.as_binary::<i32>();
            each(&|row| test(array.value(row)))
        }
        DataType::LargeBinary => {
            let array = array.as_binary::<i64>();
            each(&|row| test(array.value(row)))
        }
        DataType::BinaryView => {
            let array = array.as_binary_view();
            each(&|row| test(array.value(row)))
        }
        DataType::FixedSizeBinary(_) => {
            let array = array.as_fixed_size_binary();
            each(&|row| test(array.value(row)))
        }
        other => return Err(ArrowError::ComputeError(format!("no bytes in {other}"))),
    };
    Ok(BooleanArray::new(values, array.nulls().cloned()))
}
