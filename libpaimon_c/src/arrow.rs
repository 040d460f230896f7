// SPDX-License-Identifier: Apache-2.0

//! Record batches across the Arrow C Data Interface, in both directions.

use std::ffi::c_void;

use arrow_array::ffi::{from_ffi, FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::{Array, RecordBatch, StructArray};
use arrow_data::transform::MutableArrayData;
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType, Schema};

use crate::error::{guard_free, Failure, Result};
use crate::types::paimon_arrow_batch;

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
    if array.is_empty() {
        // Empty arrays come with odd buffers (none, or offsets that start anywhere): nothing in them is worth a look.
        return Ok(RecordBatch::new_empty(layout.into()));
    }
    // SAFETY: the caller vouches for the buffers.
    let data = unsafe { from_ffi(array, &schema) }.map_err(arrow_failure)?;
    if data.nulls().is_some_and(|nulls| nulls.null_count() > 0) {
        return Err(Failure::invalid("the Arrow struct array of a record batch has null rows"));
    }
    // Offsets that run backwards, text that is not UTF-8, dictionary keys out of range: the arrays below trust all of these.
    data.validate_full().map_err(arrow_failure)?;
    // Through a typed array and back: that applies an offset of a struct to its children, which the copy would forget.
    let data = StructArray::from(data).into_data();
    let batch = RecordBatch::from(StructArray::from(copy(&data)));
    batch.with_schema(layout.into()).map_err(arrow_failure)
}

/// Copies the rows of an array, and nothing around them, into memory of its own.
fn copy(data: &ArrayData) -> ArrayData {
    let mut copy = MutableArrayData::new(vec![data], false, data.len());
    copy.extend(0, 0, data.len());
    copy.freeze()
}

/// Whether [`copy`] copies all of an array of this type: views and run ends would go on sharing buffers with their source.
fn copyable(data_type: &DataType) -> bool {
    match data_type {
        DataType::Utf8View
        | DataType::BinaryView
        | DataType::ListView(_)
        | DataType::LargeListView(_)
        | DataType::RunEndEncoded(_, _)
        | DataType::Union(_, _) => false,
        DataType::List(field) | DataType::LargeList(field) | DataType::FixedSizeList(field, _) | DataType::Map(field, _) => {
            copyable(field.data_type())
        }
        DataType::Struct(fields) => fields.iter().all(|field| copyable(field.data_type())),
        // A dictionary's values are shared as well.
        DataType::Dictionary(_, _) => false,
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
