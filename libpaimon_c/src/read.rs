// SPDX-License-Identifier: Apache-2.0

//! The read path: builder, scan, plan, read, and the stream of record batches.

use std::ffi::c_char;
use std::sync::{Arc, Mutex};

use futures::StreamExt;
use paimon::table::ArrowRecordBatchStream;
use paimon::{DataSplit, ReadBuilder};

use crate::arrow;
use crate::avro_rows;
use crate::error::{
    borrow, guard, guard_void, paimon_error, slice, text, Failure, Result, PAIMON_CODE_INVALID_INPUT, PAIMON_CODE_UNSUPPORTED,
};
use crate::handle;
use crate::runtime::Hold;
use crate::table::Shared;
use crate::types::{
    paimon_arrow_batch, paimon_bytes, paimon_result, paimon_result_batch, paimon_result_bytes, paimon_result_size,
};

/// What a read shall return. Safe for concurrent use; a call that fails leaves the builder as it was.
pub struct paimon_read_builder {
    shared: Arc<Shared>,
    wish: Mutex<Wish>,
}

/// The settings of a read. The engine's own builder borrows its table, so it is made from these when it is needed.
#[derive(Clone, Default)]
struct Wish {
    projection: Option<Vec<String>>,
    case_insensitive: bool,
    limit: Option<usize>,
}

impl Wish {
    fn builder<'a>(&self, shared: &'a Shared) -> Result<ReadBuilder<'a>> {
        let mut builder = shared.table.new_read_builder();
        if let Some(columns) = &self.projection {
            let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
            builder.with_projection(&columns)?;
        }
        builder.with_case_sensitive(!self.case_insensitive);
        if let Some(limit) = self.limit {
            builder.with_limit(limit);
        }
        Ok(builder)
    }
}

/// Finds the splits of a read. Safe for concurrent use.
pub struct paimon_table_scan {
    shared: Arc<Shared>,
    wish: Wish,
}

/// The splits of one snapshot. Immutable, safe for concurrent use.
pub struct paimon_plan {
    splits: Vec<DataSplit>,
}

/// Turns splits into record batches. Safe for concurrent use.
pub struct paimon_table_read {
    shared: Arc<Shared>,
    wish: Wish,
}

/// A stream of record batches. Safe for concurrent use; calls wait for each other.
pub struct paimon_record_batch_reader {
    stream: Mutex<Option<ArrowRecordBatchStream>>,
    hold: Hold,
}

impl paimon_read_builder {
    pub fn new(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            wish: Mutex::default(),
        }
    }

    fn wish(&self) -> Result<Wish> {
        Ok(self.wish.lock().map_err(|_| poisoned("read builder"))?.clone())
    }

    /// Applies a change to the settings, and keeps it only if the engine's builder takes them.
    fn change(&self, change: impl FnOnce(&mut Wish)) -> Result<()> {
        let mut wish = self.wish.lock().map_err(|_| poisoned("read builder"))?;
        let mut next = wish.clone();
        change(&mut next);
        next.builder(&self.shared)?;
        *wish = next;
        Ok(())
    }
}

/// What a call gets that comes after one that panicked half-way.
pub fn poisoned(what: &str) -> Failure {
    Failure::unexpected(format!(
        "an earlier call on this {what} failed inside; free it and make a new one"
    ))
}

/// Frees a read builder; scans and reads made from it stay valid. NULL is ignored.
///
/// # Safety
/// `builder` is NULL or a live builder that no other call uses any more.
#[no_mangle]
pub unsafe extern "C" fn paimon_read_builder_free(builder: *mut paimon_read_builder) {
    // SAFETY: as the caller promises.
    unsafe { handle::release(builder) }
}

/// Reads only these columns, in this order; none at all gives batches without columns. A name that no column has, even ignoring
/// case, is PAIMON_CODE_COLUMN_NOT_EXIST here; one that differs in case, or stands twice, fails at `paimon_read_builder_new_read`.
///
/// # Safety
/// `builder` is NULL or live, `columns` NULL or `len` NUL-terminated strings.
#[no_mangle]
pub unsafe extern "C" fn paimon_read_builder_with_projection(
    builder: *const paimon_read_builder,
    columns: *const *const c_char,
    len: usize,
) -> *mut paimon_error {
    guard_void(|| {
        // SAFETY: as the caller promises.
        let (builder, columns) = unsafe { (borrow(builder, "the read builder")?, slice(columns, len, "columns")?) };
        let mut names = Vec::with_capacity(columns.len());
        for column in columns {
            // SAFETY: as the caller promises.
            names.push(unsafe { text(*column, "a column name")? }.to_string());
        }
        builder.change(|wish| wish.projection = Some(names))
    })
}

/// Whether the projection's names must match in case, which is the default. It may be set before or after the projection.
///
/// # Safety
/// `builder` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_read_builder_with_case_sensitive(
    builder: *const paimon_read_builder,
    case_sensitive: bool,
) -> *mut paimon_error {
    guard_void(|| {
        // SAFETY: as the caller promises.
        let builder = unsafe { borrow(builder, "the read builder")? };
        builder.change(|wish| wish.case_insensitive = !case_sensitive)
    })
}

/// Says how many rows are wanted. It is a hint that lets the plan leave out files: a read may return more rows, never fewer
/// than there are.
///
/// # Safety
/// `builder` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_read_builder_with_limit(builder: *const paimon_read_builder, limit: usize) -> *mut paimon_error {
    guard_void(|| {
        // SAFETY: as the caller promises.
        let builder = unsafe { borrow(builder, "the read builder")? };
        builder.change(|wish| wish.limit = Some(limit))
    })
}

/// Makes a scan with the builder's settings. The caller owns it and gives it to `paimon_table_scan_free`.
///
/// # Safety
/// `builder` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_read_builder_new_scan(builder: *const paimon_read_builder) -> paimon_result<paimon_table_scan> {
    paimon_result::from(guard(|| {
        // SAFETY: as the caller promises.
        let builder = unsafe { borrow(builder, "the read builder")? };
        Ok(paimon_table_scan {
            shared: builder.shared.clone(),
            wish: builder.wish()?,
        })
    }))
}

/// Makes a read with the builder's settings. The caller owns it and gives it to `paimon_table_read_free`.
///
/// # Safety
/// `builder` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_read_builder_new_read(builder: *const paimon_read_builder) -> paimon_result<paimon_table_read> {
    paimon_result::from(guard(|| {
        // SAFETY: as the caller promises.
        let builder = unsafe { borrow(builder, "the read builder")? };
        let wish = builder.wish()?;
        wish.builder(&builder.shared)?.new_read()?;
        Ok(paimon_table_read {
            shared: builder.shared.clone(),
            wish,
        })
    }))
}

/// Frees a scan; plans made by it stay valid. NULL is ignored.
///
/// # Safety
/// `scan` is NULL or a live scan that no other call uses any more.
#[no_mangle]
pub unsafe extern "C" fn paimon_table_scan_free(scan: *mut paimon_table_scan) {
    // SAFETY: as the caller promises.
    unsafe { handle::release(scan) }
}

/// Plans a read of the snapshot that is the latest now. The caller owns the plan and gives it to `paimon_plan_free`.
///
/// # Safety
/// `scan` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_table_scan_plan(scan: *const paimon_table_scan) -> paimon_result<paimon_plan> {
    paimon_result::from(guard(|| {
        // SAFETY: as the caller promises.
        let scan = unsafe { borrow(scan, "the scan")? };
        let engine = scan.wish.builder(&scan.shared)?.new_scan();
        let plan = scan.shared.hold.run(engine.plan())?;
        Ok(paimon_plan {
            splits: plan.into_splits(),
        })
    }))
}

/// Frees a plan; readers made from it stay valid. NULL is ignored.
///
/// # Safety
/// `plan` is NULL or a live plan that no other call uses any more.
#[no_mangle]
pub unsafe extern "C" fn paimon_plan_free(plan: *mut paimon_plan) {
    // SAFETY: as the caller promises.
    unsafe { handle::release(plan) }
}

/// How many splits the plan has.
///
/// # Safety
/// `plan` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_plan_num_splits(plan: *const paimon_plan) -> paimon_result_size {
    // SAFETY: as the caller promises.
    match guard(|| Ok(unsafe { borrow(plan, "the plan")? }.splits.len())) {
        Ok(value) => paimon_result_size {
            value,
            error: std::ptr::null_mut(),
        },
        Err(failure) => paimon_result_size {
            value: 0,
            error: failure.give(),
        },
    }
}

/// One split of the plan, `index` from 0, in the bytes that Java's SplitSerializer writes (version 1, DataSplit version 9).
///
/// # Safety
/// `plan` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_plan_split_bytes(plan: *const paimon_plan, index: usize) -> paimon_result_bytes {
    paimon_result_bytes::from(guard(|| {
        // SAFETY: as the caller promises.
        let plan = unsafe { borrow(plan, "the plan")? };
        let split = plan
            .splits
            .get(index)
            .ok_or_else(|| Failure::invalid(format!("split {index} of a plan with {} splits", plan.splits.len())))?;
        Ok(split.serialize_split_v1()?)
    }))
}

/// Makes a plan of splits in the bytes that `paimon_plan_split_bytes` gives, in this order. The caller owns it and gives it to
/// `paimon_plan_free`. Bytes that are not such a split are PAIMON_CODE_INVALID_INPUT or PAIMON_CODE_UNSUPPORTED.
///
/// # Safety
/// `splits` is NULL or points to `len` byte runs; all are borrowed.
#[no_mangle]
pub unsafe extern "C" fn paimon_plan_from_split_bytes(splits: *const paimon_bytes, len: usize) -> paimon_result<paimon_plan> {
    paimon_result::from(guard(|| {
        // SAFETY: as the caller promises.
        let splits = unsafe { slice(splits, len, "splits")? };
        let mut decoded = Vec::with_capacity(splits.len());
        for (index, split) in splits.iter().enumerate() {
            // SAFETY: as the caller promises.
            let bytes = unsafe { slice(split.data.cast_const(), split.len, "a split")? };
            decoded.push(DataSplit::deserialize_split_v1(bytes).map_err(|error| {
                let failure = Failure::from(error);
                // Some of what the engine does not expect of a split it calls unexpected.
                let code = match failure.code {
                    PAIMON_CODE_UNSUPPORTED => PAIMON_CODE_UNSUPPORTED,
                    _ => PAIMON_CODE_INVALID_INPUT,
                };
                Failure::new(code, format!("split {index}: {}", failure.message))
            })?);
        }
        Ok(paimon_plan { splits: decoded })
    }))
}

/// Frees a read; readers made by it stay valid. NULL is ignored.
///
/// # Safety
/// `read` is NULL or a live read that no other call uses any more.
#[no_mangle]
pub unsafe extern "C" fn paimon_table_read_free(read: *mut paimon_table_read) {
    // SAFETY: as the caller promises.
    unsafe { handle::release(read) }
}

/// Reads `length` splits of the plan, from `offset` on, one after the other. The caller owns the reader, which stays valid after
/// plan, read and table are freed, and gives it to `paimon_record_batch_reader_free`. A range that does not lie within the plan,
/// or is empty, is PAIMON_CODE_INVALID_INPUT.
///
/// # Safety
/// `read` and `plan` are NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_table_read_to_arrow(
    read: *const paimon_table_read,
    plan: *const paimon_plan,
    offset: usize,
    length: usize,
) -> paimon_result<paimon_record_batch_reader> {
    paimon_result::from(guard(|| {
        // SAFETY: as the caller promises.
        let (read, plan) = unsafe { (borrow(read, "the read")?, borrow(plan, "the plan")?) };
        let count = plan.splits.len();
        let splits = offset
            .checked_add(length)
            .filter(|_| length > 0)
            .and_then(|end| plan.splits.get(offset..end))
            .ok_or_else(|| Failure::invalid(format!("{length} splits from {offset} on, of a plan with {count}")))?;
        avro_rows::refuse_unions(&read.shared, splits)?;
        let row_by_row = avro_rows::row_by_row(&read.shared, splits);
        let shared = row_by_row.as_ref().unwrap_or(&read.shared);
        let engine = read.wish.builder(shared)?.new_read()?;
        let mut stream = shared.hold.within(|| engine.to_arrow(splits))?;
        if row_by_row.is_some() {
            stream = avro_rows::gather(stream);
        }
        Ok(paimon_record_batch_reader {
            stream: Mutex::new(Some(stream)),
            hold: shared.hold.clone(),
        })
    }))
}

/// Frees a reader; batches it gave stay valid. NULL is ignored.
///
/// # Safety
/// `reader` is NULL or a live reader that no other call uses any more.
#[no_mangle]
pub unsafe extern "C" fn paimon_record_batch_reader_free(reader: *mut paimon_record_batch_reader) {
    // SAFETY: as the caller promises.
    unsafe { handle::release(reader) }
}

/// The next batch. The caller owns it, independent of the reader and everything else, and gives it to `paimon_arrow_batch_free`.
/// At the end, and after an error, there is no batch and no error, however often it is called.
///
/// # Safety
/// `reader` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_record_batch_reader_next(reader: *const paimon_record_batch_reader) -> paimon_result_batch {
    let outcome = guard(|| {
        // SAFETY: as the caller promises.
        let reader = unsafe { borrow(reader, "the reader")? };
        let mut slot = reader.stream.lock().map_err(|_| poisoned("reader"))?;
        let Some(stream) = slot.as_mut() else {
            return Ok(paimon_arrow_batch::NONE);
        };
        match reader.hold.run(stream.next()) {
            Some(Ok(batch)) => arrow::export(batch),
            ended => {
                // The stream is not polled again, and what it holds is let go.
                let stream = slot.take();
                reader.hold.within(|| drop(stream));
                ended.transpose()?;
                Ok(paimon_arrow_batch::NONE)
            }
        }
    });
    match outcome {
        Ok(value) => paimon_result_batch {
            value,
            error: std::ptr::null_mut(),
        },
        Err(failure) => paimon_result_batch {
            value: paimon_arrow_batch::NONE,
            error: failure.of_batch().give(),
        },
    }
}
