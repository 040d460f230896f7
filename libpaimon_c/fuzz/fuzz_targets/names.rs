// SPDX-License-Identifier: Apache-2.0

//! Names of databases, tables, tags and branches, and options. Whatever they are, nothing appears beside the warehouse.

#![no_main]

use std::ffi::CString;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use paimon_c::catalog::*;
use paimon_c::read::*;
use paimon_c::table::*;
use paimon_c::tag::*;
use paimon_c::types::paimon_option;
use paimon_c_fuzz::{bytes, object, read, settle, Choices, Warehouse};

static WAREHOUSE: LazyLock<Warehouse> = LazyLock::new(Warehouse::new);

const SCHEMA: &str =
    r#"{"fields": [{"id": 0, "name": "a", "type": "INT"}], "partitionKeys": [], "primaryKeys": [], "options": {}}"#;

fn name(choices: &mut Choices) -> CString {
    let tricks = [
        "..",
        ".",
        "../x",
        "/x",
        "%2e%2e",
        "..\\x",
        "db",
        "db.db",
        "t",
        "t$branch_b",
        "\u{2024}\u{2024}",
        "t$snapshots",
        " ",
        "~",
        "",
    ];
    match choices.byte() {
        0..=63 => CString::new(tricks[choices.below(tricks.len())]).unwrap(),
        _ => choices.text(),
    }
}

fuzz_target!(|data: &[u8]| {
    let mut choices = Choices(data);
    // Above all, for what the fuzzer does: nothing here deletes what it did not make.
    let schema = CString::new(SCHEMA).unwrap();
    // SAFETY: live objects and strings.
    unsafe {
        let mut pairs: Vec<(CString, CString)> = (0..choices.below(5)).map(|_| (choices.text(), choices.text())).collect();
        // No other places, and no servers.
        let named = |pair: &(CString, CString)| {
            let key = pair.0.to_string_lossy().to_ascii_lowercase();
            ["warehouse", "metastore", "uri", "path", "dir", "endpoint"]
                .iter()
                .any(|word| key.contains(word))
        };
        pairs.retain(|pair| !named(pair));
        pairs.push((c"warehouse".into(), CString::new(WAREHOUSE.folder.to_str().unwrap()).unwrap()));
        let options: Vec<_> = pairs
            .iter()
            .map(|(key, value)| paimon_option {
                key: key.as_ptr(),
                value: value.as_ptr(),
            })
            .collect();
        let Some(catalog) = object(paimon_catalog_create(options.as_ptr(), options.len())) else {
            return;
        };
        let (database, table, other) = (name(&mut choices), name(&mut choices), name(&mut choices));
        let (tag, branch) = (name(&mut choices), name(&mut choices));
        let _ = settle(paimon_catalog_create_database(
            catalog,
            database.as_ptr(),
            options.as_ptr(),
            options.len() - 1,
            true,
        ));
        let id = object(paimon_identifier_new(database.as_ptr(), table.as_ptr()));
        let new = object(paimon_identifier_new(database.as_ptr(), other.as_ptr()));
        if let (Some(id), Some(new)) = (id, new) {
            let _ = settle(paimon_catalog_create_table(catalog, id, schema.as_ptr(), false));
            let _ = settle(paimon_catalog_create_tag(
                catalog,
                id,
                tag.as_ptr(),
                std::ptr::null(),
                std::ptr::null(),
                true,
            ));
            let _ = bytes(paimon_catalog_get_tag(catalog, id, tag.as_ptr()));
            let _ = settle(paimon_catalog_create_branch(catalog, id, branch.as_ptr(), std::ptr::null()));
            let _ = bytes(paimon_catalog_list_branches(catalog, id));
            if let Some(table) = object(paimon_catalog_get_table(catalog, id)) {
                if let Some(builder) = object(paimon_table_new_read_builder_with_options(
                    table,
                    options.as_ptr(),
                    options.len() - 1,
                )) {
                    read(builder, std::ptr::null_mut(), 10);
                    paimon_read_builder_free(builder);
                }
                paimon_table_free(table);
            }
            let _ = settle(paimon_catalog_rename_table(catalog, id, new, true));
            let _ = settle(paimon_catalog_drop_branch(catalog, new, branch.as_ptr(), true));
        }
        let _ = bytes(paimon_catalog_list_tables(catalog, database.as_ptr()));
        for id in [id, new].into_iter().flatten() {
            paimon_identifier_free(id);
        }
        paimon_catalog_free(catalog);
    }
    let beside = std::fs::read_dir(WAREHOUSE.folder.parent().unwrap()).unwrap().count();
    assert_eq!(beside, 1, "something beside the warehouse");
    for entry in std::fs::read_dir(&WAREHOUSE.folder).unwrap() {
        let entry = entry.unwrap();
        assert!(
            entry.file_name().to_string_lossy().ends_with(".db"),
            "{entry:?} in the warehouse"
        );
        if entry.file_name() != "db.db" {
            std::fs::remove_dir_all(entry.path()).unwrap();
        }
    }
    for entry in std::fs::read_dir(WAREHOUSE.folder.join("db.db")).unwrap() {
        std::fs::remove_dir_all(entry.unwrap().path()).unwrap();
    }
});
