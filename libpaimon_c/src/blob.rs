// SPDX-License-Identifier: Apache-2.0

//! Blobs: the bytes that a descriptor names, read whole or as a stream.

use std::io::SeekFrom;
use std::sync::Mutex;

use arrow_array::cast::AsArray;
use arrow_array::RecordBatch;
use paimon::spec::{BlobDescriptor, DataType, TableSchema};
use paimon::{BlobReader, BlobStream, Error};

use crate::catalog::options_of;
use crate::error::{
    borrow, guard, guard_void, paimon_error, slice, Failure, Result, PAIMON_CODE_INVALID_INPUT, PAIMON_CODE_IO_ERROR,
    PAIMON_CODE_NOT_FOUND, PAIMON_CODE_UNEXPECTED, PAIMON_CODE_UNSUPPORTED,
};
use crate::handle;
use crate::read::poisoned;
use crate::runtime::Hold;
use crate::table::paimon_table;
use crate::tls::check_bundle;
use crate::types::{paimon_bytes, paimon_option, paimon_result, paimon_result_size};

/// Reads what blob descriptors name. Safe for concurrent use.
pub struct paimon_blob_reader {
    // Dropped in this order: the storage before the runtime that it uses.
    reader: BlobReader,
    hold: Hold,
}

/// One blob as a stream with a position. Safe for concurrent use; calls wait for each other.
pub struct paimon_blob_stream {
    stream: Mutex<Stream>,
    hold: Hold,
}

struct Stream {
    engine: BlobStream,
    position: i64,
}

/// The most that one read of a stream gives, since the engine reads all that it is asked for into memory of its own.
const MOST_AT_ONCE: usize = 8 << 20;

/// The engine reports what went wrong with a blob as invalid data or as unexpected, in a text that names the place of the descriptor
/// and its URI (less the password and query in it), and never an option. What storage said is part of that text, with details on
/// further lines that nobody asked for.
fn failure(error: Error) -> Failure {
    let Failure { code, message } = error.into();
    let message = message.lines().next().unwrap_or_default();
    let code = match code {
        PAIMON_CODE_UNEXPECTED if message.ends_with("object not found") || message.contains("NotFound (") => {
            PAIMON_CODE_NOT_FOUND
        }
        PAIMON_CODE_UNEXPECTED if message.contains("RangeNotSatisfied (") || message.contains("short read") => {
            PAIMON_CODE_INVALID_INPUT
        }
        PAIMON_CODE_UNEXPECTED => PAIMON_CODE_IO_ERROR,
        code => code,
    };
    Failure::new(
        code,
        message.replacen("BlobDescriptor input indices", "descriptor", 1).replacen(
            "Paimon hitting unexpected error IO operation failed on underlying storage: ",
            "",
            1,
        ),
    )
}

/// Makes a reader that opens the storage of each descriptor with these options: those of a catalog, without the catalog's own.
/// Nothing is opened yet. The caller owns the reader and gives it to `paimon_blob_reader_free`.
///
/// # Safety
/// `options` is NULL or points to `len` options whose strings are NUL-terminated.
#[no_mangle]
pub unsafe extern "C" fn paimon_blob_reader_new(options: *const paimon_option, len: usize) -> paimon_result<paimon_blob_reader> {
    paimon_result::from(guard(|| {
        // SAFETY: as the caller promises.
        let options = unsafe { options_of(options, len)? };
        Ok(paimon_blob_reader {
            reader: BlobReader::new(options),
            hold: Hold::acquire()?,
        })
    }))
}

/// Makes a reader over the storage of the table, with its credentials. The caller owns it and gives it to
/// `paimon_blob_reader_free`.
///
/// # Safety
/// `table` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_table_new_blob_reader(table: *const paimon_table) -> paimon_result<paimon_blob_reader> {
    paimon_result::from(guard(|| {
        // SAFETY: as the caller promises.
        let table = unsafe { borrow(table, "the table")? };
        Ok(paimon_blob_reader {
            reader: BlobReader::from_file_io(table.stored().file_io().clone()),
            hold: table.shared.hold.clone(),
        })
    }))
}

/// Frees a reader; streams it opened stay valid. NULL is ignored.
///
/// # Safety
/// `reader` is NULL or a live reader that no other call uses any more.
#[no_mangle]
pub unsafe extern "C" fn paimon_blob_reader_free(reader: *mut paimon_blob_reader) {
    // SAFETY: as the caller promises.
    unsafe { handle::release(reader) }
}

/// Reads the blobs of `len` descriptors into `values`, in their order. On success the caller owns each of the `len` values and gives
/// it to `paimon_bytes_free`; an empty blob is `{NULL, 0}`. On failure `values` is left as it was, and the message says which
/// descriptors, counted from 0, it is about.
///
/// # Safety
/// `reader` is NULL or live; `descriptors` and `values` are NULL or have `len` entries. Descriptors are borrowed.
#[no_mangle]
pub unsafe extern "C" fn paimon_blob_reader_read_blobs(
    reader: *const paimon_blob_reader,
    descriptors: *const paimon_bytes,
    len: usize,
    values: *mut paimon_bytes,
) -> *mut paimon_error {
    guard_void(|| {
        // SAFETY: as the caller promises.
        let (reader, runs) = unsafe { (borrow(reader, "the blob reader")?, slice(descriptors, len, "descriptors")?) };
        if values.is_null() && len > 0 {
            return Err(Failure::invalid("values is NULL"));
        }
        let mut list = Vec::with_capacity(runs.len());
        for run in runs {
            // SAFETY: as the caller promises.
            let descriptor = unsafe { slice(run.data.cast_const(), run.len, "a descriptor")? };
            check_storage(descriptor)?;
            list.push(descriptor.to_vec());
        }
        let blobs = reader.hold.run(reader.reader.read_blobs(&list))?.map_err(failure)?;
        if blobs.len() != len {
            return Err(Failure::unexpected(format!("{} blobs for {len} descriptors", blobs.len())));
        }
        for (index, blob) in blobs.into_iter().enumerate() {
            // SAFETY: values has as many entries as there are descriptors; what they hold is overwritten, not dropped.
            unsafe { values.add(index).write(paimon_bytes::from_vec(blob)) };
        }
        Ok(())
    })
}

/// Opens the blob of a descriptor as a stream at position 0. Its storage is touched when it is first read, or seeked from its end.
/// The caller owns the stream and gives it to `paimon_blob_stream_free`.
///
/// # Safety
/// `reader` is NULL or live, `descriptor` NULL or `len` bytes, which are borrowed.
#[no_mangle]
pub unsafe extern "C" fn paimon_blob_reader_open_blob(
    reader: *const paimon_blob_reader,
    descriptor: *const u8,
    len: usize,
) -> paimon_result<paimon_blob_stream> {
    paimon_result::from(guard(|| {
        // SAFETY: as the caller promises.
        let (reader, descriptor) = unsafe { (borrow(reader, "the blob reader")?, slice(descriptor, len, "the descriptor")?) };
        check_storage(descriptor)?;
        let engine = reader.hold.within(|| reader.reader.open_blob(descriptor)).map_err(failure)?;
        // The engine would look for a file of that name.
        if is_web_address(descriptor) {
            let message = "a blob at an http or https address cannot be read as a stream; read it whole";
            return Err(Failure::new(PAIMON_CODE_UNSUPPORTED, message));
        }
        Ok(paimon_blob_stream {
            stream: Mutex::new(Stream { engine, position: 0 }),
            hold: reader.hold.clone(),
        })
    }))
}

fn is_web_address(descriptor: &[u8]) -> bool {
    BlobDescriptor::deserialize(descriptor).is_ok_and(|descriptor| is_web(descriptor.uri()))
}

fn is_web(uri: &str) -> bool {
    let scheme = uri.split(':').next().unwrap_or_default();
    scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
}

/// Refuses a descriptor whose storage would not start; what is wrong with it otherwise is the engine's to say.
fn check_storage(descriptor: &[u8]) -> Result<()> {
    match BlobDescriptor::deserialize(descriptor) {
        Ok(descriptor) if !is_web(descriptor.uri()) => check_bundle(descriptor.uri()),
        _ => Ok(()),
    }
}

/// Refuses values in the form of a descriptor, for which the engine would store what they name: who chooses the bytes would choose
/// which file or address the program reads. Only a table that says so takes descriptors, and then one that is broken is refused
/// before the engine gives up the write for it.
pub fn check_descriptors(schema: &TableSchema, batch: &RecordBatch) -> Result<()> {
    let options = schema.options();
    let all = options
        .get("blob-as-descriptor")
        .is_some_and(|set| set.eq_ignore_ascii_case("true"));
    let listed = |name: &str| {
        let lists = ["blob-descriptor-field", "blob.stored-descriptor-fields"];
        lists
            .iter()
            .filter_map(|key| options.get(*key))
            .any(|list| list.split(',').any(|field| field.trim() == name))
    };
    for field in schema.fields() {
        let holds_blobs = match field.data_type() {
            DataType::Array(list) => matches!(list.element_type(), DataType::Blob(_)),
            DataType::Map(map) => matches!(map.value_type(), DataType::Blob(_)),
            data_type => matches!(data_type, DataType::Blob(_)),
        };
        if !holds_blobs {
            continue;
        }
        let Some(column) = batch.column_by_name(field.name()) else {
            continue;
        };
        let blobs = match column.data_type() {
            arrow_schema::DataType::List(_) => column.as_list::<i32>().values(),
            arrow_schema::DataType::Map(_, _) => column.as_map().values(),
            _ => column,
        };
        for blob in blobs.as_binary_opt::<i64>().iter().flat_map(|blobs| blobs.iter()).flatten() {
            if BlobDescriptor::is_blob_descriptor(blob) {
                if !all && !listed(field.name()) {
                    return Err(Failure::invalid(format!(
                        "column '{}': a blob has the form of a descriptor, which names a file; set the table's option blob-as-descriptor \
                         to true if its content is to be stored",
                        field.name()
                    )));
                }
                BlobDescriptor::deserialize(blob)
                    .and_then(|descriptor| descriptor.validate())
                    .map_err(|error| {
                        let Failure { code, message } = error.into();
                        Failure::new(
                            code,
                            format!("column '{}': a blob that is no valid descriptor: {message}", field.name()),
                        )
                    })?;
            }
        }
    }
    Ok(())
}

/// Frees a stream. NULL is ignored.
///
/// # Safety
/// `stream` is NULL or a live stream that no other call uses any more.
#[no_mangle]
pub unsafe extern "C" fn paimon_blob_stream_free(stream: *mut paimon_blob_stream) {
    // SAFETY: as the caller promises.
    unsafe { handle::release(stream) }
}

/// Reads at most `len` bytes into `buffer` and moves on by as many as it says, which may be fewer; 0 is the end.
///
/// # Safety
/// `stream` is NULL or live, `buffer` NULL or `len` bytes that are the caller's.
#[no_mangle]
pub unsafe extern "C" fn paimon_blob_stream_read(
    stream: *const paimon_blob_stream,
    buffer: *mut u8,
    len: usize,
) -> paimon_result_size {
    paimon_result_size::from(guard(|| {
        // SAFETY: as the caller promises.
        let stream = unsafe { borrow(stream, "the blob stream")? };
        if buffer.is_null() && len > 0 {
            return Err(Failure::invalid("the buffer is NULL"));
        }
        let mut state = stream.stream.lock().map_err(|_| poisoned("blob stream"))?;
        let bytes = stream.hold.run(state.engine.read(len.min(MOST_AT_ONCE)))?.map_err(failure)?;
        // SAFETY: the engine gives no more than it is asked for, and the two do not overlap.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), buffer, bytes.len().min(len)) };
        state.position += bytes.len() as i64;
        Ok(bytes.len())
    }))
}

/// Moves to `offset`, counted from the start of the blob (`whence` 0), from the position (1) or from its end (2), and gives the new
/// position. It may lie beyond the end, where reads find nothing; before the start is PAIMON_CODE_INVALID_INPUT.
///
/// # Safety
/// `stream` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_blob_stream_seek(
    stream: *const paimon_blob_stream,
    offset: i64,
    whence: i32,
) -> paimon_result_size {
    paimon_result_size::from(guard(|| {
        // SAFETY: as the caller promises.
        let stream = unsafe { borrow(stream, "the blob stream")? };
        let mut state = stream.stream.lock().map_err(|_| poisoned("blob stream"))?;
        let base = match whence {
            0 => 0,
            1 => state.position,
            2 => {
                let length = stream.hold.run(state.engine.seek(SeekFrom::End(0)))?.map_err(failure)?;
                i64::try_from(length).map_err(|_| Failure::new(PAIMON_CODE_INVALID_INPUT, "the blob is too long to seek in"))?
            }
            _ => return Err(Failure::invalid(format!("whence is {whence}, want 0, 1 or 2"))),
        };
        let target = base.checked_add(offset).filter(|target| *target >= 0);
        let position = target.unwrap_or(state.position);
        stream
            .hold
            .run(state.engine.seek(SeekFrom::Start(position as u64)))?
            .map_err(failure)?;
        state.position = position;
        match target {
            Some(target) => Ok(target as usize),
            None => Err(Failure::invalid(format!(
                "cannot seek by {offset} from {base}: the position would be before the start or too large"
            ))),
        }
    }))
}
