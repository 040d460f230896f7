// SPDX-License-Identifier: Apache-2.0

//! Arrow arrays and schemas that a C caller made: taken over, and written to a table.

#![no_main]

use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use paimon_c::arrow::{import, paimon_loan, Stay};
use paimon_c::error::guard;
use paimon_c::table::paimon_table_new_write_builder;
use paimon_c::write::*;
use paimon_c_fuzz::arrow::Batch;
use paimon_c_fuzz::{checked, object, settle, wide, Choices, Warehouse};

struct Tables(Vec<*mut paimon_write_builder>);
// SAFETY: builders are safe for concurrent use.
unsafe impl Sync for Tables {}
// SAFETY: as above.
unsafe impl Send for Tables {}

fn tables() -> &'static Tables {
    static TABLES: OnceLock<Tables> = OnceLock::new();
    TABLES.get_or_init(|| {
        let warehouse = Warehouse::new();
        warehouse.create("log", &wide(false));
        warehouse.create("key", &wide(true));
        let builders = ["log", "key"].map(|name| {
            let table = warehouse.open(name).unwrap();
            // SAFETY: a live table.
            object(unsafe { paimon_table_new_write_builder(table) }).unwrap()
        });
        Tables(builders.into())
    })
}

fuzz_target!(|data: &[u8]| {
    let mut choices = Choices(data);
    let what = choices.byte();
    let mut batch = Batch::new(&mut choices);
    let (bytes, returned) = (i64::from(what & 4) << 10, AtomicI32::new(0));
    let loan = paimon_loan { bytes, returned };
    let lent = what & 8 != 0;
    if lent {
        batch.lend(&loan);
    }
    let is_free = || !lent || loan.returned.load(Ordering::Acquire) == 1;
    // SAFETY: the batch keeps its promise, and the objects are live.
    unsafe {
        if what < 128 {
            let taken = guard(|| import(batch.array(), batch.schema(), Stay::Brief));
            if let Some(record) = checked(taken) {
                if is_free() {
                    batch.spoil();
                }
                for column in record.columns() {
                    column.to_data().validate_full().expect("what was taken over is valid");
                }
            }
            assert!(is_free());
            return;
        }
        let builder = tables().0[usize::from(what & 1)];
        let write = object(paimon_write_builder_new_write(builder)).unwrap();
        let written = settle(paimon_table_write_write_arrow_batch(write, batch.array(), batch.schema()));
        assert!(is_free() || what & 1 != 0);
        if is_free() {
            batch.spoil();
        }
        if written.is_ok() && what & 2 != 0 {
            if let Some(messages) = object(paimon_table_write_prepare_commit(write)) {
                let commit = object(paimon_write_builder_new_commit(builder)).unwrap();
                settle(paimon_table_commit_abort(commit, messages)).unwrap();
                paimon_commit_messages_free(messages);
                paimon_table_commit_free(commit);
            }
        }
        paimon_table_write_free(write);
        assert!(is_free());
    }
});
