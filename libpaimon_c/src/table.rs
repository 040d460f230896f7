// SPDX-License-Identifier: Apache-2.0

//! Table: where reads and writes of one table start.

use std::ffi::c_char;
use std::sync::Arc;

use paimon::Table;

use crate::error::{borrow, guard, text};
use crate::handle;
use crate::read::paimon_read_builder;
use crate::runtime::Hold;
use crate::types::{json, paimon_result, paimon_result_bytes};
use crate::write::paimon_write_builder;

/// An open table, with the schema it had when it was opened. Safe for concurrent use.
pub struct paimon_table {
    pub(crate) shared: Arc<Shared>,
}

/// What a table and everything made from it share. The table goes before the hold on the runtime that its storage uses.
pub struct Shared {
    pub table: Table,
    pub hold: Hold,
}

impl paimon_table {
    pub fn new(table: Table, hold: Hold) -> Self {
        Self {
            shared: Arc::new(Shared { table, hold }),
        }
    }
}

/// Frees a table; builders, scans, reads, writes and commits made from it stay valid. NULL is ignored.
///
/// # Safety
/// `table` is NULL or a live table that no other call uses any more.
#[no_mangle]
pub unsafe extern "C" fn paimon_table_free(table: *mut paimon_table) {
    // SAFETY: as the caller promises.
    unsafe { handle::release(table) }
}

/// The table's schema as of its opening, in the JSON of Paimon's schema files.
///
/// # Safety
/// `table` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_table_schema(table: *const paimon_table) -> paimon_result_bytes {
    paimon_result_bytes::from(guard(|| {
        // SAFETY: as the caller promises.
        let table = unsafe { borrow(table, "the table")? };
        json(table.shared.table.schema())
    }))
}

/// The path or URL of the table's folder.
///
/// # Safety
/// `table` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_table_location(table: *const paimon_table) -> paimon_result_bytes {
    paimon_result_bytes::from(guard(|| {
        // SAFETY: as the caller promises.
        let table = unsafe { borrow(table, "the table")? };
        Ok(table.shared.table.location().as_bytes().to_vec())
    }))
}

/// The table's newest snapshot now, in the JSON of Paimon's snapshot files; `{NULL, 0}` when it has none.
///
/// # Safety
/// `table` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_table_latest_snapshot(table: *const paimon_table) -> paimon_result_bytes {
    paimon_result_bytes::from(guard(|| {
        // SAFETY: as the caller promises.
        let table = unsafe { borrow(table, "the table")? };
        let shared = &table.shared;
        match shared.hold.run(shared.table.snapshot_manager().get_latest_snapshot())? {
            Some(snapshot) => json(&snapshot),
            None => Ok(Vec::new()),
        }
    }))
}

/// Starts a read of the table. The caller owns the builder and gives it to `paimon_read_builder_free`.
///
/// # Safety
/// `table` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_table_new_read_builder(table: *const paimon_table) -> paimon_result<paimon_read_builder> {
    paimon_result::from(guard(|| {
        // SAFETY: as the caller promises.
        let table = unsafe { borrow(table, "the table")? };
        Ok(paimon_read_builder::new(table.shared.clone()))
    }))
}

/// Starts a write to the table under a commit user of its own (a random UUID). The caller owns the builder and gives it to
/// `paimon_write_builder_free`.
///
/// # Safety
/// `table` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_table_new_write_builder(table: *const paimon_table) -> paimon_result<paimon_write_builder> {
    paimon_result::from(guard(|| {
        // SAFETY: as the caller promises.
        let table = unsafe { borrow(table, "the table")? };
        paimon_write_builder::new(table.shared.clone(), None)
    }))
}

/// Starts a write to the table under a given commit user: a name that stays the same when a job is retried, so that its commit
/// identifiers are recognised. It becomes part of file names: no path separators, no control characters, not empty.
///
/// # Safety
/// `table` is NULL or live, `commit_user` NULL or NUL-terminated.
#[no_mangle]
pub unsafe extern "C" fn paimon_table_new_write_builder_with_commit_user(
    table: *const paimon_table,
    commit_user: *const c_char,
) -> paimon_result<paimon_write_builder> {
    paimon_result::from(guard(|| {
        // SAFETY: as the caller promises.
        let (table, user) = unsafe { (borrow(table, "the table")?, text(commit_user, "the commit user")?) };
        paimon_write_builder::new(table.shared.clone(), Some(user.to_string()))
    }))
}

/// Starts a write to fixed buckets of a table with `bucket = -2`, whose rows are visible as soon as they are committed, under a commit
/// user of its own (a random UUID). It has to be told the number of buckets (`paimon_write_builder_with_bucket_plan`) unless the table
/// says it (`postpone.default-bucket-num`), and its writes can be prepared once. The caller owns the builder and gives it to
/// `paimon_write_builder_free`.
///
/// # Safety
/// `table` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_table_new_postpone_fixed_bucket_write_builder(
    table: *const paimon_table,
) -> paimon_result<paimon_write_builder> {
    paimon_result::from(guard(|| {
        // SAFETY: as the caller promises.
        let table = unsafe { borrow(table, "the table")? };
        paimon_write_builder::postpone(table.shared.clone(), None)
    }))
}

/// As `paimon_table_new_postpone_fixed_bucket_write_builder`, under a given commit user.
///
/// # Safety
/// `table` is NULL or live, `commit_user` NULL or NUL-terminated.
#[no_mangle]
pub unsafe extern "C" fn paimon_table_new_postpone_fixed_bucket_write_builder_with_commit_user(
    table: *const paimon_table,
    commit_user: *const c_char,
) -> paimon_result<paimon_write_builder> {
    paimon_result::from(guard(|| {
        // SAFETY: as the caller promises.
        let (table, user) = unsafe { (borrow(table, "the table")?, text(commit_user, "the commit user")?) };
        paimon_write_builder::postpone(table.shared.clone(), Some(user.to_string()))
    }))
}
