// SPDX-License-Identifier: Apache-2.0

//! Record batches across the Arrow C Data Interface, in both directions.

use std::ffi::{c_char, c_void};

use arrow_array::cast::AsArray;
use arrow_array::ffi::{from_ffi, FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::types::{Decimal128Type, Decimal256Type, TimestampSecondType};
use arrow_array::{make_array, Array, ArrayRef, RecordBatch, StructArray};
use arrow_buffer::{ArrowNativeType, BooleanBufferBuilder, Buffer, NullBuffer, ScalarBuffer};
use arrow_data::transform::MutableArrayData;
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType, Schema, TimeUnit};

use crate::error::{guard_free, text, Failure, Result};
use crate::types::paimon_arrow_batch;

/// How deep types may nest. Files of deeper ones cannot be read back, and much deeper ones would overflow the stack.
pub const MAX_NESTING: usize = 32;

impl paimon_arrow_batch {
    pub const NONE: paimon_arrow_batch = paimon_arrow_batch {
        array: std::ptr::null_mut(),
        schema: std::ptr::null_mut(),
    };
}

fn arrow_failure(error: ArrowError) -> Failure {
    Failure::invalid(format!("invalid Arrow data: {error}"))
}

/// Takes over a batch that a caller exported as a struct array, and copies it, so that nothing of the caller's memory is used
/// after this returns. Once both pointers are known not to be NULL the structs are moved out and released, whatever happens then.
///
/// # Safety
/// `array` and `schema` are NULL or point to initialised structs of the Arrow C Data Interface whose buffers are as long as
/// their lengths and offsets say.
pub unsafe fn import(array: *mut c_void, schema: *mut c_void) -> Result<RecordBatch> {
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
    let length = check_shape(&array, &schema, 0)?;
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
    if length == 0 {
        // Empty arrays come with odd buffers (none, or offsets that start anywhere): nothing in them is worth a look.
        return Ok(RecordBatch::new_empty(layout.into()));
    }
    // SAFETY: the caller vouches for the buffers, and check_shape has looked at what the import takes on trust.
    let mut data = unsafe { from_ffi(array, &schema) }.map_err(arrow_failure)?;
    if data.nulls().is_some_and(|nulls| nulls.null_count() > 0) {
        return Err(Failure::invalid("the Arrow struct array of a record batch has null rows"));
    }
    data.align_buffers();
    // Offsets that run backwards, text that is not UTF-8, dictionary keys out of range: the arrays below trust all of these.
    data.validate_full().map_err(arrow_failure)?;
    let batch = RecordBatch::from(StructArray::from(copy(&data, 0, data.len())));
    for (field, column) in layout.fields().iter().zip(batch.columns()) {
        check_values(field.name(), column)?;
    }
    batch.with_schema(layout.into()).map_err(arrow_failure)
}

/// Checks what [`from_ffi`] would believe, abort over or recurse into: lengths, counts, the ends of offsets, and depth. Gives the
/// array's length.
fn check_shape(array: &FFI_ArrowArray, schema: &FFI_ArrowSchema, depth: usize) -> Result<usize> {
    if depth > MAX_NESTING {
        return Err(Failure::invalid(format!("types are nested deeper than {MAX_NESTING} levels")));
    }
    // SAFETY: the caller vouches for strings that end in NUL.
    let (format, name) = unsafe {
        (
            text(schema.format, "an Arrow format")?,
            text_or_empty(schema.name, "a column's name")?,
        )
    };
    let wrong = |what: String| Failure::invalid(format!("invalid Arrow data: field '{name}': {what}"));
    let (length, offset) = (array.len(), array.offset());
    let end = length.checked_add(offset).filter(|end| *end < i64::MAX as usize);
    let Some(end) = end else {
        return Err(wrong(format!("an array of length {length} at offset {offset}")));
    };
    let children = schema.n_children.max(0) as usize;
    if array.num_children() != children {
        return Err(wrong(format!(
            "an array with {} children and a type with {children}",
            array.num_children()
        )));
    }
    // The widths of the offsets, for the types that have any.
    let width = match format {
        "u" | "z" | "+l" | "+m" => 4,
        "U" | "Z" | "+L" => 8,
        _ => 0,
    };
    if width > 0 && end > 0 {
        let offsets = if array.num_buffers() > 1 {
            array.buffer(1)
        } else {
            std::ptr::null()
        };
        if offsets.is_null() {
            return Err(wrong("an array without its offsets".into()));
        }
        if !(offsets as usize).is_multiple_of(width) {
            return Err(wrong("offsets that are not aligned".into()));
        }
        // SAFETY: the caller vouches for a buffer of one offset more than there are values, and it is aligned.
        let (first, last) = unsafe {
            if width == 4 {
                let offsets = offsets.cast::<i32>();
                (i64::from(*offsets.add(offset)), i64::from(*offsets.add(end)))
            } else {
                let offsets = offsets.cast::<i64>();
                (*offsets.add(offset), *offsets.add(end))
            }
        };
        if first < 0 || last < first {
            return Err(wrong(format!("offsets from {first} to {last}")));
        }
    }
    for index in 0..children {
        check_shape(array.child(index), schema.child(index), depth + 1)?;
    }
    Ok(length)
}

/// Borrows a string that may be missing.
///
/// # Safety
/// As for [`text`].
unsafe fn text_or_empty<'a>(pointer: *const c_char, what: &str) -> Result<&'a str> {
    if pointer.is_null() {
        return Ok("");
    }
    // SAFETY: as the caller promises.
    unsafe { text(pointer, what) }
}

/// Copies `length` rows from `start` on, and nothing around them, into memory of its own.
///
/// [`MutableArrayData`] copies values, and forgets the offset of a struct, so what holds other arrays is taken apart here.
fn copy(data: &ArrayData, start: usize, length: usize) -> ArrayData {
    let start = data.offset() + start;
    let builder = ArrayData::builder(data.data_type().clone()).len(length);
    let builder = match data.data_type() {
        DataType::Struct(_) => builder.child_data(data.child_data().iter().map(|child| copy(child, start, length)).collect()),
        DataType::FixedSizeList(_, size) => {
            let size = *size as usize;
            builder.add_child_data(copy(&data.child_data()[0], start * size, length * size))
        }
        DataType::List(_) | DataType::Map(_, _) => {
            let (offsets, from, count) = copy_offsets::<i32>(data, start, length);
            builder
                .add_buffer(offsets)
                .add_child_data(copy(&data.child_data()[0], from, count))
        }
        DataType::LargeList(_) => {
            let (offsets, from, count) = copy_offsets::<i64>(data, start, length);
            builder
                .add_buffer(offsets)
                .add_child_data(copy(&data.child_data()[0], from, count))
        }
        _ => {
            let mut values = MutableArrayData::new(vec![data], false, length);
            values.extend(0, start - data.offset(), start - data.offset() + length);
            return values.freeze();
        }
    };
    let nulls = data.nulls().map(|nulls| {
        let mut bits = BooleanBufferBuilder::new(length);
        bits.append_buffer(nulls.slice(start - data.offset(), length).inner());
        NullBuffer::new(bits.finish())
    });
    // SAFETY: the parts are copies of parts that were validated, cut to the same rows.
    unsafe { builder.nulls(nulls).build_unchecked() }
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

/// Refuses values that the engine would change on their way into a file.
fn check_values(name: &str, array: &ArrayRef) -> Result<()> {
    let wrong = |error: ArrowError| Failure::invalid(format!("column '{name}': {error}"));
    match array.data_type() {
        DataType::Decimal128(precision, _) => array
            .as_primitive::<Decimal128Type>()
            .validate_decimal_precision(*precision)
            .map_err(wrong),
        DataType::Decimal256(precision, _) => array
            .as_primitive::<Decimal256Type>()
            .validate_decimal_precision(*precision)
            .map_err(wrong),
        DataType::Timestamp(TimeUnit::Second, _) => {
            let seconds = array.as_primitive::<TimestampSecondType>();
            match seconds.iter().flatten().find(|value| value.checked_mul(1000).is_none()) {
                Some(value) => Err(Failure::invalid(format!(
                    "column '{name}': timestamp {value} s is out of range"
                ))),
                None => Ok(()),
            }
        }
        _ => {
            for child in array.to_data().child_data() {
                check_values(name, &make_array(child.clone()))?;
            }
            Ok(())
        }
    }
}

/// Whether [`copy`] copies all of an array of this type: views, run ends and dictionaries would go on sharing buffers with their
/// source.
fn copyable(data_type: &DataType) -> bool {
    match data_type {
        DataType::Utf8View
        | DataType::BinaryView
        | DataType::ListView(_)
        | DataType::LargeListView(_)
        | DataType::RunEndEncoded(_, _)
        | DataType::Union(_, _)
        | DataType::Dictionary(_, _) => false,
        DataType::List(field) | DataType::LargeList(field) | DataType::FixedSizeList(field, _) | DataType::Map(field, _) => {
            copyable(field.data_type())
        }
        DataType::Struct(fields) => fields.iter().all(|field| copyable(field.data_type())),
        _ => true,
    }
}

/// Releases an array whose memory is its exporter's and outlives the call it is passed to: it only marks the array released.
/// For the `release` member of an ArrowArray. NULL is ignored.
///
/// # Safety
/// `array` is NULL or points to an initialised ArrowArray.
#[no_mangle]
pub unsafe extern "C" fn paimon_borrowed_array_release(array: *mut FFI_ArrowArray) {
    // SAFETY: as the caller promises. An empty array has no release callback, so overwriting the struct drops nothing.
    guard_free(|| unsafe {
        if !array.is_null() {
            array.write(FFI_ArrowArray::empty());
        }
    });
}

/// Releases a schema whose memory is its exporter's, as `paimon_borrowed_array_release` does an array.
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

/// Hands a batch out. The caller owns it until `paimon_arrow_batch_free`.
pub fn export(batch: RecordBatch) -> Result<paimon_arrow_batch> {
    let schema = FFI_ArrowSchema::try_from(batch.schema().as_ref()).map_err(arrow_failure)?;
    let array = FFI_ArrowArray::new(&StructArray::from(batch).to_data());
    Ok(paimon_arrow_batch {
        array: Box::into_raw(Box::new(array)).cast(),
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
