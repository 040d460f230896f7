// SPDX-License-Identifier: Apache-2.0

//! Damaged files of tables. What the engine makes of them is its own; the process lives.

#![no_main]

use std::sync::atomic::Ordering;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use paimon_c::catalog::*;
use paimon_c::read::*;
use paimon_c::table::*;
use paimon_c_fuzz::{bytes, edit, object, read, Choices, Golden, LENIENT};

static GOLDEN: LazyLock<Golden> = LazyLock::new(|| {
    LENIENT.store(true, Ordering::Relaxed);
    Golden::new()
});

fuzz_target!(|data: &[u8]| {
    let mut choices = Choices(data);
    let file = (choices.below(256) | choices.below(256) << 8) % GOLDEN.files.len();
    let system = choices.byte();
    let (path, content) = &GOLDEN.files[file];
    let mut changed = content.clone();
    edit(&mut changed, &mut choices);
    std::fs::write(path, changed).unwrap();
    let table = match system {
        0..=99 => GOLDEN.table_of(file),
        _ => {
            let systems = [
                "snapshots",
                "schemas",
                "files",
                "options",
                "tags",
                "branches",
                "partitions",
                "buckets",
            ];
            format!("{}${}", GOLDEN.table_of(file), systems[system as usize % systems.len()])
        }
    };
    // SAFETY: live objects.
    unsafe {
        // A catalog of its own, since the engine keeps what it has seen.
        let catalog = GOLDEN.warehouse.reopen();
        let name = GOLDEN.warehouse.name(&table);
        if let Some(table) = object(paimon_catalog_get_table(catalog, name)) {
            let _ = bytes(paimon_table_schema(table));
            let _ = bytes(paimon_table_list_snapshots(table));
            if let Some(builder) = object(paimon_table_new_read_builder(table)) {
                read(builder, std::ptr::null_mut(), 10);
                paimon_read_builder_free(builder);
            }
            paimon_table_free(table);
        }
        paimon_identifier_free(name);
        paimon_catalog_free(catalog);
    }
    std::fs::write(path, content).unwrap();
});
