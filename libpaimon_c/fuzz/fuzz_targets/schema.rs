// SPDX-License-Identifier: Apache-2.0

//! Schemas in JSON, of which tables are made, and changes of a schema.

#![no_main]

use std::ffi::CString;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use paimon_c::alter::paimon_catalog_alter_table;
use paimon_c::catalog::*;
use paimon_c::read::*;
use paimon_c::table::*;
use paimon_c::write::*;
use paimon_c_fuzz::{bytes, object, read, settle, Warehouse};

static WAREHOUSE: LazyLock<Warehouse> = LazyLock::new(Warehouse::new);

const START: &str = r#"{"fields": [{"id": 0, "name": "a", "type": "INT NOT NULL"}, {"id": 1, "name": "b", "type": "STRING"},
    {"id": 2, "name": "c", "type": "DECIMAL(10, 2)"}, {"id": 3, "name": "d", "type": {"type": "ROW", "fields": [{"id": 4, "name": "e", "type":
    {"type": "ARRAY", "element": "INT"}}]}}], "partitionKeys": [], "primaryKeys": ["a"], "options": {"bucket": "1"}, "comment": ""}"#;

fuzz_target!(|data: &[u8]| {
    let Some((first, text)) = data.split_first() else {
        return;
    };
    let Ok(text) = CString::new(text) else {
        return;
    };
    let name = WAREHOUSE.name("t");
    // SAFETY: live objects and strings.
    unsafe {
        // An array is a list of changes.
        if *first == b'[' {
            WAREHOUSE.create("t", START);
            let text = CString::new([b"[", text.as_bytes()].concat()).unwrap();
            let _ = settle(paimon_catalog_alter_table(WAREHOUSE.catalog, name, text.as_ptr(), false));
        } else {
            let text = CString::new([&[*first], text.as_bytes()].concat()).unwrap_or_default();
            let _ = settle(paimon_catalog_create_table(WAREHOUSE.catalog, name, text.as_ptr(), false));
        }
        if let Some(table) = object(paimon_catalog_get_table(WAREHOUSE.catalog, name)) {
            bytes(paimon_table_schema(table)).unwrap();
            if let Some(builder) = object(paimon_table_new_read_builder(table)) {
                read(builder, std::ptr::null_mut(), 10);
                paimon_read_builder_free(builder);
            }
            if let Some(builder) = object(paimon_table_new_write_builder(table)) {
                if let Some(write) = object(paimon_write_builder_new_write(builder)) {
                    paimon_table_write_free(write);
                }
                paimon_write_builder_free(builder);
            }
            paimon_table_free(table);
        }
        // It may be a table that cannot be opened.
        let _ = std::fs::remove_dir_all(WAREHOUSE.path("t"));
        paimon_identifier_free(name);
    }
});
