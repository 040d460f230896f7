// SPDX-License-Identifier: Apache-2.0

//! The bytes of splits: taken apart, described, and read.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use paimon_c::read::*;
use paimon_c::table::paimon_table_new_read_builder;
use paimon_c::types::paimon_bytes;
use paimon_c_fuzz::{bytes, edit, object, read, Choices, Golden};

struct Splits {
    /// For each table a builder, and its splits.
    tables: Vec<(*mut paimon_read_builder, Vec<Vec<u8>>)>,
}
// SAFETY: builders are safe for concurrent use.
unsafe impl Sync for Splits {}
// SAFETY: as above.
unsafe impl Send for Splits {}

static SPLITS: LazyLock<Splits> = LazyLock::new(|| {
    let golden = Golden::new();
    let tables = golden.tables.iter().map(|name| {
        let table = golden.warehouse.open(name).unwrap();
        // SAFETY: live objects.
        unsafe {
            let builder = object(paimon_table_new_read_builder(table)).unwrap();
            let scan = object(paimon_read_builder_new_scan(builder)).unwrap();
            let plan = object(paimon_table_scan_plan(scan)).unwrap();
            let count = paimon_plan_num_splits(plan).value;
            let splits = (0..count).map(|index| bytes(paimon_plan_split_bytes(plan, index)).unwrap());
            (builder, splits.collect())
        }
    });
    Splits {
        tables: tables.collect(),
    }
});

fuzz_target!(|data: &[u8]| {
    let mut choices = Choices(data);
    let (builder, splits) = &SPLITS.tables[choices.below(SPLITS.tables.len())];
    let mut split = match choices.below(splits.len() + 1) {
        0 => Vec::new(),
        index => splits[index - 1].clone(),
    };
    edit(&mut split, &mut choices);
    let given = paimon_bytes {
        data: split.as_mut_ptr(),
        len: split.len(),
    };
    // SAFETY: live objects and bytes.
    unsafe {
        if let Some(plan) = object(paimon_plan_from_split_bytes(&given, 1)) {
            let _ = bytes(paimon_plan_describe_splits(plan));
            let _ = bytes(paimon_plan_split_bytes(plan, 0));
            read(*builder, plan, 10);
            paimon_plan_free(plan);
        }
    }
});
