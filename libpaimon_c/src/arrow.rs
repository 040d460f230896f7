// SPDX-License-Identifier: Apache-2.0

//! Record batches across the Arrow C Data Interface, in both directions.

use std::ffi::{c_char, c_void};
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::types::{Int16Type, Int32Type, Int64Type, RunEndIndexType};
use arrow_array::{make_array, Array, ArrayRef, ArrowNativeTypeOp, RecordBatch, StructArray};
use arrow_buffer::{ArrowNativeType, BooleanBuffer, BooleanBufferBuilder, Buffer, NullBuffer, ScalarBuffer};
use arrow_cast::cast;
use arrow_data::transform::MutableArrayData;
use arrow_data::{layout, ArrayData, BufferSpec};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Schema};
use arrow_select::take::take;

use crate::error::{borrow, guard_free, text, Failure, Result};
use crate::types::paimon_arrow_batch;

/// How deep types may nest. Files of deeper ones cannot be read back, and much deeper ones would overflow the stack.
const MAX_NESTING: usize = 32;

/// How many rows a record may have. Nulls and repeated values take no memory before they are spelled out, and what then does not fit
/// would end the process.
pub(crate) const MAX_ROWS: usize = 1 << 28;

/// Where no array ends, since no process has so much memory: a length that is made up.
const MAX_END: usize = 1 << 47;

impl paimon_arrow_batch {
    pub const NONE: paimon_arrow_batch = paimon_arrow_batch {
        array: std::ptr::null_mut(),
        schema: std::ptr::null_mut(),
    };
}

fn arrow_failure(error: ArrowError) -> Failure {
    broken(error.to_string())
}

fn broken(what: String) -> Failure {
    Failure::invalid(format!("invalid Arrow data: {what}"))
}

/// What becomes of a record's memory when it was taken over.
#[derive(Clone, Copy, PartialEq)]
pub enum Stay {
    /// The record is copied, and the memory let go of.
    Copied,
    /// It is read where it is, and let go of soon.
    Brief,
    /// It may be kept for long where it is, so it has to be worth that: as much memory as can be, and little that is not the record's.
    Long,
}

/// From how many bytes on a record is kept where it is. To keep track of one takes some 3 KiB, which no buffer size and no budget counts.
const WORTH_KEEPING: usize = 16 << 10;

/// What a lender knows of a record that it lends with `paimon_borrowed_array_release`, whose `private_data` points here.
#[repr(C)]
pub struct paimon_loan {
    /// How many bytes the lender has to keep for the record: more than it consists of, if it is a part of a larger one.
    pub bytes: i64,
    /// 0, and 1 (stored with release ordering, perhaps by another thread) once the library does not use the memory any more.
    pub returned: AtomicI32,
}

/// Takes over a batch that a caller exported as a struct array. Its memory is used where it is, as far as `stay` lets it, in plain
/// layouts only: dictionaries and run ends are spelled out, views become large strings, binaries and lists. The exporter's release
/// callback runs once, when the last of its memory is dropped. Once both pointers are known not to be NULL the structs are moved out,
/// whatever happens then.
///
/// # Safety
/// `array` and `schema` are NULL or point to initialised structs of the Arrow C Data Interface whose buffers are as long as
/// their lengths and offsets say, and stay as they are until the release callback runs.
pub unsafe fn import(array: *mut c_void, schema: *mut c_void, stay: Stay) -> Result<RecordBatch> {
    if array.is_null() || schema.is_null() {
        let what = if array.is_null() { "array" } else { "schema" };
        return Err(Failure::invalid(format!("the Arrow {what} is NULL")));
    }
    // SAFETY: both point to initialised structs; from_raw moves them out and leaves released ones behind.
    let (array, schema) = unsafe {
        (
            FFI_ArrowArray::from_raw(array.cast()),
            FFI_ArrowSchema::from_raw(schema.cast()),
        )
    };
    if array.is_released() || schema.release.is_none() {
        return Err(Failure::invalid("the Arrow array or schema is already released"));
    }
    // SAFETY: the schema is initialised and not released.
    unsafe { check_schema((&raw const schema).cast(), 0)? };
    let layout = Schema::try_from(&schema).map_err(arrow_failure)?;
    for field in layout.fields() {
        if !copyable(field.data_type()) {
            return Err(Failure::invalid(format!(
                "column '{}' is of Arrow type {}, which cannot be written; cast it to the table's type",
                field.name(),
                field.data_type()
            )));
        }
    }
    let owner = Arc::new(array);
    let root = Arc::as_ptr(&owner).cast();
    // SAFETY: the array is initialised and not released, and the caller vouches for its buffers.
    let data = unsafe { view(root, &Field::new_struct("", layout.fields().clone(), false), &owner, None)? };
    if data.nulls().is_some() {
        return Err(Failure::invalid("the Arrow struct array of a record batch has null rows"));
    }
    if data.len() > MAX_ROWS {
        return Err(Failure::invalid(format!(
            "a record of {} rows is too large; write smaller records",
            data.len()
        )));
    }
    // SAFETY: the array is initialised, and the loan is there until it is released.
    let stays = unsafe { stays(&*root, data.child_data(), stay) };
    let columns: std::result::Result<Vec<ArrayData>, ArrowError> = data
        .child_data()
        .iter()
        .map(|column| match stays && plain(column.data_type()) {
            true => Ok(column.clone()),
            false => copy(column, 0, column.len()),
        })
        .collect();
    let columns = columns
        .map_err(|error| Failure::invalid(format!("the record cannot be copied ({error}); write it in smaller records")))?;
    let fields = layout
        .fields()
        .iter()
        .zip(&columns)
        .map(|(field, column)| retyped(field, column));
    let record = ArrayData::builder(DataType::Struct(fields.collect()))
        .len(data.len())
        .child_data(columns);
    // SAFETY: as many rows of each column, all of which were validated.
    Ok(RecordBatch::from(StructArray::from(unsafe { record.build_unchecked() })))
}

/// Whether the columns of a record are used where they are.
///
/// # Safety
/// If the array's memory is lent, its private data is NULL or a live loan.
unsafe fn stays(array: &RawArray, columns: &[ArrayData], stay: Stay) -> bool {
    let borrowed = paimon_borrowed_array_release as unsafe extern "C" fn(*mut FFI_ArrowArray);
    let lent = array.release.is_some_and(|release| std::ptr::fn_addr_eq(release, borrowed));
    // SAFETY: as the caller promises.
    let loan = unsafe { array.private_data.as_ref().filter(|_| lent) };
    if stay == Stay::Copied || (lent && loan.is_none()) {
        return false; // without a loan the lender could not learn when its memory is free
    }
    let used: usize = columns
        .iter()
        .filter(|column| plain(column.data_type()))
        .map(ArrayData::get_buffer_memory_size)
        .sum();
    let kept = loan.map_or(0, |loan| usize::try_from(loan.bytes).unwrap_or(0));
    stay == Stay::Brief || (used >= WORTH_KEEPING && used >= kept / 2)
}

/// Whether the engine writes arrays of this type as they are.
fn plain(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, _)
        | DataType::RunEndEncoded(_, _)
        | DataType::Utf8View
        | DataType::BinaryView
        | DataType::ListView(_)
        | DataType::LargeListView(_) => false,
        DataType::List(field) | DataType::LargeList(field) | DataType::FixedSizeList(field, _) | DataType::Map(field, _) => {
            plain(field.data_type())
        }
        DataType::Struct(fields) => fields.iter().all(|field| plain(field.data_type())),
        _ => true,
    }
}

/// A field for what a column has become.
fn retyped(field: &FieldRef, column: &ArrayData) -> FieldRef {
    Arc::new(field.as_ref().clone().with_data_type(column.data_type().clone()))
}

/// `struct ArrowSchema`, whose members arrow-rs keeps to itself.
#[repr(C)]
struct RawSchema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *const *const RawSchema,
    dictionary: *const RawSchema,
}

/// Checks what arrow-rs asserts of a schema, or recurses into.
///
/// # Safety
/// `schema` is NULL or points to an initialised ArrowSchema.
unsafe fn check_schema(schema: *const RawSchema, depth: usize) -> Result<()> {
    if depth > MAX_NESTING {
        return Err(Failure::invalid(format!("types are nested deeper than {MAX_NESTING} levels")));
    }
    // SAFETY: as the caller promises, and its strings are NUL-terminated.
    let (schema, format) = unsafe {
        let schema = borrow(schema, "an Arrow schema")?;
        if !schema.name.is_null() {
            text(schema.name, "a column's name")?;
        }
        (schema, text(schema.format, "an Arrow format")?)
    };
    let want = match format {
        "+l" | "+L" | "+m" | "+vl" | "+vL" => 1,
        "+r" => 2,
        _ if format.starts_with("+w:") => 1,
        _ => schema.n_children.max(0),
    };
    if schema.n_children != want || (want > 0 && schema.children.is_null()) {
        return Err(broken(format!("a schema of format '{format}' without its children")));
    }
    for index in 0..want as usize {
        // SAFETY: there are as many children as the schema says.
        unsafe { check_schema(schema.children.add(index).read_unaligned(), depth + 1)? };
    }
    if !schema.dictionary.is_null() {
        // SAFETY: it is initialised as well.
        unsafe { check_schema(schema.dictionary, depth + 1)? };
    }
    Ok(())
}

/// `struct ArrowArray`, whose members arrow-rs keeps to itself.
#[repr(C)]
struct RawArray {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *const *const u8,
    children: *const *const RawArray,
    dictionary: *const RawArray,
    release: Option<unsafe extern "C" fn(*mut FFI_ArrowArray)>,
    private_data: *const paimon_loan,
}

/// Views a caller's array, or `part` of its values, as one of arrow-rs, once all of it is known to hold together: counts of buffers and
/// children, lengths, offsets that run forwards within their values, text that is UTF-8, no nulls where the type has none. Unlike
/// arrow-rs's own import it asserts nothing, does not trust the last offset or the count of nulls, and takes buffers that are not aligned
/// and empty arrays without any. It holds, in plain layouts, just the memory of these values: what is copied are the offsets of a part
/// that does not begin at 0, and what is not aligned.
///
/// # Safety
/// `array` is NULL or points to an initialised ArrowArray whose buffers are as long as its length and offset say; `owner` keeps
/// them. The field's type is [`copyable`], and not too deep.
unsafe fn view(
    array: *const RawArray,
    field: &Field,
    owner: &Arc<FFI_ArrowArray>,
    part: Option<Range<usize>>,
) -> Result<ArrayData> {
    let data_type = field.data_type();
    let wrong = |what: String| broken(format!("field '{}': {what}", field.name()));
    // SAFETY: as the caller promises.
    let array = unsafe { array.as_ref() }.ok_or_else(|| wrong("the array is NULL".into()))?;
    let bounds = || wrong(format!("an array of length {} at offset {}", array.length, array.offset));
    let length = usize::try_from(array.length).map_err(|_| bounds())?;
    let start = usize::try_from(array.offset).map_err(|_| bounds())?;
    let end = start.checked_add(length).filter(|end| *end <= MAX_END).ok_or_else(bounds)?;
    if end > MAX_ROWS && least(data_type) == 0 {
        return Err(wrong(format!(
            "{end} values of {data_type} are too many; write smaller records"
        )));
    }
    let part = part.unwrap_or(0..length);
    if part.end > length {
        return Err(wrong(format!("{length} values, too few")));
    }
    let after = length - part.end;
    let (start, end, rows) = (start + part.start, start + part.end, part.len());
    if rows == 0 {
        // Empty arrays come with odd buffers (none, or offsets that start anywhere): nothing in them is worth a look.
        return Ok(ArrayData::new_empty(data_type));
    }
    let children: Vec<&FieldRef> = match data_type {
        DataType::List(child)
        | DataType::LargeList(child)
        | DataType::ListView(child)
        | DataType::LargeListView(child)
        | DataType::FixedSizeList(child, _)
        | DataType::Map(child, _) => vec![child],
        DataType::RunEndEncoded(ends, values) => vec![ends, values],
        DataType::Struct(children) => children.iter().collect(),
        _ => Vec::new(),
    };
    let layout = layout(data_type);
    let masks = usize::from(layout.can_contain_null_mask);
    let fixed = masks + layout.buffers.len();
    // Behind the views of a view array come the buffers that they point into, and the sizes of those.
    let pointed = if layout.variadic {
        usize::try_from(array.n_buffers)
            .ok()
            .and_then(|n| n.checked_sub(fixed + 1))
            .ok_or_else(|| wrong(format!("an array with {} buffers, too few for {data_type}", array.n_buffers)))?
    } else {
        0
    };
    for (what, has, want, list_is_null) in [
        (
            "buffers",
            array.n_buffers,
            fixed + pointed + usize::from(layout.variadic),
            array.buffers.is_null(),
        ),
        ("children", array.n_children, children.len(), array.children.is_null()),
    ] {
        if has != want as i64 || (want > 0 && list_is_null) {
            return Err(wrong(format!("an array with {has} {what}, and {data_type} has {want}")));
        }
    }
    if !array.dictionary.is_null() && !matches!(data_type, DataType::Dictionary(_, _)) {
        return Err(wrong(format!("a dictionary, and {data_type} has none")));
    }

    // SAFETY: there are as many buffers as the array says.
    let buffer = |index: usize| NonNull::new(unsafe { array.buffers.add(index).read_unaligned() }.cast_mut());
    // SAFETY: the caller vouches for the length, and the owner keeps the memory.
    let wrap = |at, len| unsafe { Buffer::from_custom_allocation(at, len, owner.clone()) };
    // SAFETY: the bits are within the buffer.
    let bits = |at: NonNull<u8>| wrap(unsafe { at.add(start / 8) }, (start % 8 + rows).div_ceil(8));
    let mut data = ArrayData::builder(data_type.clone()).len(rows).offset(match data_type {
        DataType::Boolean => start % 8,
        DataType::RunEndEncoded(_, _) => start, // all of it is in its children
        _ => 0,
    });
    if masks == 1 {
        data = data.nulls(buffer(0).map(|at| NullBuffer::new(BooleanBuffer::new(bits(at), start % 8, rows))));
    }
    let has_offsets = matches!(
        data_type,
        DataType::Utf8
            | DataType::LargeUtf8
            | DataType::Binary
            | DataType::LargeBinary
            | DataType::List(_)
            | DataType::LargeList(_)
            | DataType::Map(_, _)
    );
    let mut span = 0..0; // of what the offsets, which come before it, divide
    for (index, spec) in layout.buffers.iter().enumerate() {
        let index = masks + index;
        let (from, to) = match spec {
            BufferSpec::FixedWidth { byte_width, .. } => {
                let to = (end + usize::from(has_offsets)).checked_mul(*byte_width);
                (start.saturating_mul(*byte_width), to.ok_or_else(bounds)?)
            }
            BufferSpec::VariableWidth => (span.start, span.end),
            BufferSpec::BitMap => (start / 8, end.div_ceil(8)),
            BufferSpec::AlwaysNull => (0, 0),
        };
        if to > isize::MAX as usize {
            return Err(bounds());
        }
        let Some(at) = buffer(index).filter(|_| from < to) else {
            if from < to {
                return Err(wrong(format!("buffer {index} is NULL")));
            }
            data = data.add_buffer(Buffer::default());
            continue;
        };
        // SAFETY: the caller vouches for the buffer up to there.
        let at = unsafe { at.add(from) };
        data = data.add_buffer(match spec {
            BufferSpec::FixedWidth { byte_width, .. } if has_offsets => {
                // SAFETY: there is one offset more than there are values.
                let (offsets, divided) = unsafe {
                    match byte_width {
                        4 => divide::<i32>(at.cast(), rows, after),
                        _ => divide::<i64>(at.cast(), rows, after),
                    }
                }
                .map_err(wrong)?;
                span = divided;
                offsets.unwrap_or_else(|| wrap(at, to - from))
            }
            _ => wrap(at, to - from),
        });
    }
    for index in 0..pointed {
        let sizes = buffer(fixed + pointed).ok_or_else(|| wrong("the sizes of its buffers are NULL".into()))?;
        // SAFETY: there is one size for each of these buffers.
        let size = unsafe { sizes.cast::<i64>().add(index).read_unaligned() };
        let size = usize::try_from(size).ok().filter(|size| *size <= isize::MAX as usize);
        let size = size.ok_or_else(|| wrong(format!("buffer {} has an impossible size", fixed + index)))?;
        data = data.add_buffer(match buffer(fixed + index) {
            Some(at) if size > 0 => wrap(at, size),
            None if size > 0 => return Err(wrong(format!("buffer {} is NULL", fixed + index))),
            _ => Buffer::default(),
        });
    }
    if let DataType::Dictionary(_, values) = data_type {
        let values = Field::new(field.name(), values.as_ref().clone(), true);
        // SAFETY: the caller vouches for the dictionary too.
        data = data.add_child_data(unsafe { view(array.dictionary, &values, owner, None)? });
    }
    for (index, child) in children.iter().enumerate() {
        let part = match data_type {
            DataType::Struct(_) => Some(start..end),
            DataType::FixedSizeList(_, size) => {
                let size = *size as usize;
                Some(start.saturating_mul(size)..end.checked_mul(size).ok_or_else(bounds)?)
            }
            _ if has_offsets => Some(span.clone()),
            _ => None,
        };
        // SAFETY: there are as many children as the array says, and the caller vouches for them too.
        data = data.add_child_data(unsafe { view(array.children.add(index).read_unaligned(), child, owner, part)? });
    }
    data.align_buffers(true).build().map_err(|error| wrong(error.to_string()))
}

/// Which span of values offsets divide, and, if it does not begin at 0, a copy of the offsets that does. There are as many values as the
/// last of all offsets says, which comes `after` as many more. What is wrong with those in between shows when they are validated.
///
/// # Safety
/// There are `rows + after + 1` offsets, which need not be aligned.
unsafe fn divide<O: ArrowNativeTypeOp + TryInto<usize>>(
    offsets: NonNull<O>,
    rows: usize,
    after: usize,
) -> std::result::Result<(Option<Buffer>, Range<usize>), String> {
    // SAFETY: as the caller promises.
    let offset = |row: usize| unsafe { offsets.add(row).read_unaligned() };
    let index = |what, offset: O| offset.try_into().map_err(|_| format!("the {what} offset is {offset:?}"));
    let (first, last) = (index("first", offset(0))?, index("last", offset(rows))?);
    let all = index("last", offset(rows + after))?;
    if first > last || last > all {
        return Err(format!("offsets from {first} to {last}, of {all}"));
    }
    let below = O::ZERO.sub_wrapping(O::ONE); // is never valid
    let rebased = (first > 0).then(|| {
        let offsets = (0..=rows).map(|row| offset(row).sub_checked(offset(0)).unwrap_or(below));
        offsets.collect::<Vec<O>>().into()
    });
    Ok((rebased, first..last))
}

/// Copies `length` rows from `start` on, and nothing around them, into memory of its own and in a plain layout.
///
/// [`MutableArrayData`] copies values, and forgets the offset of a struct, so what holds other arrays is taken apart here.
fn copy(data: &ArrayData, start: usize, length: usize) -> std::result::Result<ArrayData, ArrowError> {
    if let Some(unpacked) = unpack(data, start, length)? {
        return copy(&unpacked, 0, length); // what was unpacked may still share memory, or hold what is packed
    }
    let start = data.offset() + start;
    let child = |index: usize, from, count| copy(&data.child_data()[index], from, count);
    let (offsets, children) = match data.data_type() {
        DataType::Struct(fields) => (
            None,
            (0..fields.len())
                .map(|index| child(index, start, length))
                .collect::<std::result::Result<Vec<_>, _>>()?,
        ),
        DataType::FixedSizeList(_, size) => {
            let size = *size as usize;
            (None, vec![child(0, start * size, length * size)?])
        }
        DataType::List(_) | DataType::Map(_, _) => {
            let (offsets, from, count) = copy_offsets::<i32>(data, start, length);
            (Some(offsets), vec![child(0, from, count)?])
        }
        DataType::LargeList(_) => {
            let (offsets, from, count) = copy_offsets::<i64>(data, start, length);
            (Some(offsets), vec![child(0, from, count)?])
        }
        _ => {
            let mut values = MutableArrayData::new(vec![data], data.nulls().is_some(), length);
            values.extend(0, start - data.offset(), start - data.offset() + length);
            return Ok(values.freeze());
        }
    };
    let data_type = match data.data_type() {
        DataType::Struct(fields) => DataType::Struct(
            fields
                .iter()
                .zip(&children)
                .map(|(field, child)| retyped(field, child))
                .collect(),
        ),
        DataType::FixedSizeList(field, size) => DataType::FixedSizeList(retyped(field, &children[0]), *size),
        DataType::Map(field, sorted) => DataType::Map(retyped(field, &children[0]), *sorted),
        DataType::LargeList(field) => DataType::LargeList(retyped(field, &children[0])),
        DataType::List(field) => DataType::List(retyped(field, &children[0])),
        other => other.clone(),
    };
    let builder = ArrayData::builder(data_type)
        .len(length)
        .buffers(offsets.into_iter().collect())
        .child_data(children);
    let nulls = data.nulls().map(|nulls| {
        let mut bits = BooleanBufferBuilder::new(length);
        bits.append_buffer(nulls.slice(start - data.offset(), length).inner());
        NullBuffer::new(bits.finish())
    });
    // SAFETY: the parts are copies of parts that were validated, cut to the same rows.
    Ok(unsafe { builder.nulls(nulls).build_unchecked() })
}

/// Spells out what is packed in a layout that the engine does not write; None if the rows are plain at this level.
fn unpack(data: &ArrayData, start: usize, length: usize) -> std::result::Result<Option<ArrayData>, ArrowError> {
    let plain = match data.data_type() {
        DataType::Dictionary(_, values) => values.as_ref().clone(),
        DataType::RunEndEncoded(_, values) => values.data_type().clone(),
        DataType::Utf8View => DataType::LargeUtf8,
        DataType::BinaryView => DataType::LargeBinary,
        DataType::ListView(field) => DataType::List(field.clone()),
        DataType::LargeListView(field) => DataType::LargeList(field.clone()),
        _ => return Ok(None),
    };
    if length == 0 {
        return Ok(Some(ArrayData::new_empty(&plain)));
    }
    if length > MAX_ROWS {
        return Err(ArrowError::InvalidArgumentError(format!("{length} values in lists")));
    }
    let rows = make_array(data.slice(start, length));
    // How many elements arrow-rs makes room for: those of an average value, for each row.
    let elements = |values: &ArrayData| {
        let all = values.child_data().first().map_or(0, ArrayData::len);
        length.saturating_mul(all / values.len().max(1) + 1)
    };
    let room = match data.data_type() {
        DataType::ListView(_) | DataType::LargeListView(_) => length.saturating_add(data.child_data()[0].len()),
        _ => data.child_data().last().map_or(length, elements),
    };
    if weight(&rows) > MAX_BYTES || room_for(&plain, room) > 2 * MAX_BYTES {
        return Err(ArrowError::InvalidArgumentError(
            "more than 2 GiB in one column; write smaller records".to_string(),
        ));
    }
    let unpacked = match rows.as_any_dictionary_opt() {
        Some(dictionary) => take(dictionary.values(), dictionary.keys(), None)?,
        None => cast(&rows, &plain)?,
    };
    Ok(Some(unpacked.to_data()))
}

/// No column of a batch holds more text or bytes.
const MAX_BYTES: usize = i32::MAX as usize;

/// How many bytes a value takes at least, NULL or not.
fn least(data_type: &DataType) -> usize {
    match data_type {
        DataType::Null => 0,
        DataType::FixedSizeBinary(width) => *width as usize,
        // Elements are counted, even those that are nothing.
        DataType::FixedSizeList(field, size) => least(field.data_type()).max(1).saturating_mul(*size as usize),
        DataType::Struct(fields) => fields
            .iter()
            .fold(0, |sum: usize, field| sum.saturating_add(least(field.data_type()))),
        other => other.primitive_width().unwrap_or(1),
    }
}

/// How many bytes arrow-rs asks for to make room for values, before it knows them.
fn room_for(data_type: &DataType, values: usize) -> usize {
    match data_type {
        DataType::FixedSizeList(field, size) => room_for(field.data_type(), values.saturating_mul(*size as usize)),
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::ListView(field)
        | DataType::LargeListView(field)
        | DataType::Map(field, _) => room_for(field.data_type(), values).saturating_add(values.saturating_mul(8)),
        DataType::Struct(fields) => fields
            .iter()
            .fold(0, |sum: usize, field| sum.saturating_add(room_for(field.data_type(), values))),
        other => values.saturating_mul(least(other).max(1)),
    }
}

/// How many bytes values come to when each is written out: a dictionary may have one large value that stands in every row.
fn weight(array: &dyn Array) -> usize {
    fn span<O: ArrowNativeType>(offsets: &[O]) -> (usize, usize) {
        let (first, last) = (offsets[0].as_usize(), offsets[offsets.len() - 1].as_usize());
        (first, last - first)
    }
    fn views(views: &[u128]) -> usize {
        views.iter().map(|view| *view as u32 as usize).fold(0, usize::saturating_add)
    }
    fn list(values: &ArrayRef, (first, count): (usize, usize)) -> usize {
        weight(&values.slice(first, count))
    }
    fn list_views<O: ArrowNativeType>(values: &ArrayRef, offsets: &[O], sizes: &[O]) -> usize {
        let pairs = offsets
            .iter()
            .zip(sizes)
            .map(|(offset, size)| (offset.as_usize(), size.as_usize()));
        match values.data_type().primitive_width() {
            Some(width) => pairs.fold(0, |sum, (_, size)| sum.saturating_add(size.saturating_mul(width))),
            None => pairs.fold(0, |sum, span| sum.saturating_add(list(values, span))),
        }
    }
    fn each(values: &ArrayRef) -> Vec<usize> {
        (0..values.len()).map(|index| weight(&values.slice(index, 1))).collect()
    }
    fn runs<R: RunEndIndexType>(array: &dyn Array) -> usize {
        let run = array.as_run::<R>();
        let weights = each(run.values());
        (0..run.len()).fold(0, |sum: usize, row| sum.saturating_add(weights[run.get_physical_index(row)]))
    }
    match array.data_type() {
        _ if array.is_empty() => 0,
        DataType::Utf8 => span(array.as_string::<i32>().value_offsets()).1,
        DataType::Binary => span(array.as_binary::<i32>().value_offsets()).1,
        DataType::LargeUtf8 => span(array.as_string::<i64>().value_offsets()).1,
        DataType::LargeBinary => span(array.as_binary::<i64>().value_offsets()).1,
        DataType::Utf8View => views(array.as_string_view().views()),
        DataType::BinaryView => views(array.as_binary_view().views()),
        DataType::FixedSizeBinary(width) => array.len().saturating_mul(*width as usize),
        DataType::List(_) => list(array.as_list::<i32>().values(), span(array.as_list::<i32>().value_offsets())),
        DataType::LargeList(_) => list(array.as_list::<i64>().values(), span(array.as_list::<i64>().value_offsets())),
        DataType::Map(_, _) => {
            let map = array.as_map();
            let (first, count) = span(map.value_offsets());
            list(map.keys(), (first, count)).saturating_add(list(map.values(), (first, count)))
        }
        DataType::FixedSizeList(_, _) => weight(array.as_fixed_size_list().values()),
        DataType::Struct(_) => {
            let columns = array.as_struct().columns().iter();
            columns.fold(0, |sum, column| sum.saturating_add(weight(column)))
        }
        DataType::ListView(_) => {
            let lists = array.as_list_view::<i32>();
            list_views(lists.values(), lists.offsets(), lists.sizes())
        }
        DataType::LargeListView(_) => {
            let lists = array.as_list_view::<i64>();
            list_views(lists.values(), lists.offsets(), lists.sizes())
        }
        DataType::Dictionary(_, _) => {
            let dictionary = array.as_any_dictionary();
            let nulls = dictionary
                .keys()
                .null_count()
                .saturating_mul(least(dictionary.values().data_type()));
            if dictionary.values().is_empty() {
                return nulls;
            }
            let (weights, keys) = (each(dictionary.values()), dictionary.normalized_keys());
            let valid = (0..array.len()).filter(|row| array.is_valid(*row));
            valid.fold(nulls, |sum: usize, row| sum.saturating_add(weights[keys[row]]))
        }
        DataType::RunEndEncoded(ends, _) => match ends.data_type() {
            DataType::Int16 => runs::<Int16Type>(array),
            DataType::Int32 => runs::<Int32Type>(array),
            _ => runs::<Int64Type>(array),
        },
        other => array.len().saturating_mul(other.primitive_width().unwrap_or(1)),
    }
}

/// Copies the offsets of a list so that they start at 0, and says which of its values they span.
fn copy_offsets<O: ArrowNativeType + std::ops::Sub<Output = O>>(
    data: &ArrayData,
    start: usize,
    length: usize,
) -> (Buffer, usize, usize) {
    let offsets = ScalarBuffer::<O>::new(data.buffers()[0].clone(), start, length + 1);
    let first = offsets[0];
    let rebased: Vec<O> = offsets.iter().map(|offset| *offset - first).collect();
    (
        Buffer::from_vec(rebased),
        first.as_usize(),
        (offsets[length] - first).as_usize(),
    )
}

/// Whether [`view`] reads and [`copy`] copies an array of this type.
fn copyable(data_type: &DataType) -> bool {
    match data_type {
        DataType::Union(_, _) => false,
        DataType::FixedSizeBinary(width) => *width >= 0,
        DataType::FixedSizeList(field, size) => *size >= 0 && copyable(field.data_type()),
        DataType::Map(entries, _) => {
            matches!(entries.data_type(), DataType::Struct(fields) if fields.len() == 2) && copyable(entries.data_type())
        }
        DataType::List(field) | DataType::LargeList(field) | DataType::ListView(field) | DataType::LargeListView(field) => {
            copyable(field.data_type())
        }
        DataType::Struct(fields) => fields.iter().all(|field| copyable(field.data_type())),
        DataType::Dictionary(keys, values) => keys.is_integer() && copyable(values),
        // Of run ends within run ends arrow-rs has no reading.
        DataType::RunEndEncoded(ends, values) => {
            matches!(ends.data_type(), DataType::Int16 | DataType::Int32 | DataType::Int64)
                && !matches!(values.data_type(), DataType::RunEndEncoded(_, _))
                && copyable(values.data_type())
        }
        _ => true,
    }
}

/// Releases an array whose memory is its lender's, in the struct itself only. For the `release` member of an ArrowArray whose
/// `private_data` is NULL, or a `paimon_loan`: NULL says that the memory is there for the length of the call that the array is passed to,
/// and a loan that it stays, as it is, until the loan says that it is returned. The loan is the record's, and the memory of the
/// structs of its columns, which have NULL, is part of it. NULL is ignored.
///
/// # Safety
/// `array` is NULL or points to an initialised ArrowArray, its `private_data` being NULL or a live `paimon_loan`.
#[no_mangle]
pub unsafe extern "C" fn paimon_borrowed_array_release(array: *mut FFI_ArrowArray) {
    // SAFETY: as the caller promises. An empty array has no release callback, so overwriting the struct drops nothing.
    guard_free(|| unsafe {
        if let Some(lent) = array.cast::<RawArray>().as_ref() {
            let loan = lent.private_data;
            array.write(FFI_ArrowArray::empty());
            if let Some(loan) = loan.as_ref() {
                loan.returned.store(1, Ordering::Release);
            }
        }
    });
}

/// Releases a schema whose memory is its lender's and outlives the call that it is passed to.
///
/// # Safety
/// `schema` is NULL or points to an initialised ArrowSchema.
#[no_mangle]
pub unsafe extern "C" fn paimon_borrowed_schema_release(schema: *mut FFI_ArrowSchema) {
    // SAFETY: as the caller promises.
    guard_free(|| unsafe {
        if !schema.is_null() {
            schema.write(FFI_ArrowSchema::empty());
        }
    });
}

/// Hands a batch out, with its schema or without. The caller owns it until `paimon_arrow_batch_free`.
pub fn export(batch: RecordBatch, with_schema: bool) -> Result<paimon_arrow_batch> {
    let schema = match with_schema {
        true => export_schema(batch.schema_ref())?.schema,
        false => std::ptr::null_mut(),
    };
    let array = FFI_ArrowArray::new(&StructArray::from(batch).to_data());
    Ok(paimon_arrow_batch {
        array: Box::into_raw(Box::new(array)).cast(),
        schema,
    })
}

/// Hands a schema out, as a batch without an array.
pub fn export_schema(schema: &Schema) -> Result<paimon_arrow_batch> {
    let schema = FFI_ArrowSchema::try_from(schema).map_err(arrow_failure)?;
    Ok(paimon_arrow_batch {
        array: std::ptr::null_mut(),
        schema: Box::into_raw(Box::new(schema)).cast(),
    })
}

/// Frees the two structs of a batch and releases what is still in them. NULL members are ignored.
///
/// # Safety
/// `batch` comes from this library and was not freed before.
#[no_mangle]
pub unsafe extern "C" fn paimon_arrow_batch_free(batch: paimon_arrow_batch) {
    guard_free(|| {
        // SAFETY: export() boxed both; a struct that was moved out has no release callback left, so dropping it does nothing.
        unsafe {
            if !batch.array.is_null() {
                drop(Box::from_raw(batch.array.cast::<FFI_ArrowArray>()));
            }
            if !batch.schema.is_null() {
                drop(Box::from_raw(batch.schema.cast::<FFI_ArrowSchema>()));
            }
        }
    });
}
