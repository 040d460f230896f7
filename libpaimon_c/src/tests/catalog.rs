// SPDX-License-Identifier: Apache-2.0

//! The life of databases and tables.

use std::ptr::null;

use super::*;

#[test]
fn databases_come_and_go() {
    let warehouse = Warehouse::new();
    let catalog = warehouse.catalog.0;
    unsafe {
        let properties = options(&[("owner", "me")]);
        ok(paimon_catalog_create_database(
            catalog,
            c("b").as_ptr(),
            properties.list.as_ptr(),
            properties.list.len(),
            false,
        ));
        ok(paimon_catalog_create_database(
            catalog,
            c("a").as_ptr(),
            std::ptr::null(),
            0,
            false,
        ));
        assert_eq!(ok(paimon_catalog_list_databases(catalog)), r#"["a","b","db"]"#);

        let again = paimon_catalog_create_database(catalog, c("a").as_ptr(), std::ptr::null(), 0, false);
        refused(again, PAIMON_CODE_DATABASE_ALREADY_EXIST, "a");
        ok(paimon_catalog_create_database(
            catalog,
            c("a").as_ptr(),
            std::ptr::null(),
            0,
            true,
        ));

        ok(paimon_catalog_drop_database(catalog, c("a").as_ptr(), false, false));
        refused(
            paimon_catalog_drop_database(catalog, c("a").as_ptr(), false, false),
            PAIMON_CODE_DATABASE_NOT_EXIST,
            "a",
        );
        ok(paimon_catalog_drop_database(catalog, c("a").as_ptr(), true, false));
        assert_eq!(ok(paimon_catalog_list_databases(catalog)), r#"["b","db"]"#);
    }
}

#[test]
fn tables_come_and_go() {
    let warehouse = Warehouse::new();
    let catalog = warehouse.catalog.0;
    let name = identifier("db", "t");
    unsafe {
        assert_eq!(ok(paimon_catalog_list_tables(catalog, c("db").as_ptr())), "[]");
        ok(paimon_catalog_create_table(catalog, name.0, people().as_ptr(), false));
        ok(paimon_catalog_create_table(
            catalog,
            identifier("db", "s").0,
            people().as_ptr(),
            false,
        ));
        assert_eq!(ok(paimon_catalog_list_tables(catalog, c("db").as_ptr())), r#"["s","t"]"#);

        let again = paimon_catalog_create_table(catalog, name.0, people().as_ptr(), false);
        refused(again, PAIMON_CODE_TABLE_ALREADY_EXIST, "db.t");
        ok(paimon_catalog_create_table(catalog, name.0, people().as_ptr(), true));

        let table = ok(paimon_catalog_get_table(catalog, name.0));
        let schema: serde_json::Value = serde_json::from_str(&ok(paimon_table_schema(table.0))).unwrap();
        assert_eq!(schema["fields"][0]["name"], "id");
        assert_eq!(schema["fields"][0]["type"], "INT NOT NULL");
        assert_eq!(schema["fields"][1]["type"], "STRING");
        let location = ok(paimon_table_location(table.0));
        assert!(location.ends_with("db.db/t"), "{location}");
        assert_eq!(latest_snapshot(&table), None);

        refused(
            paimon_catalog_drop_database(catalog, c("db").as_ptr(), false, false),
            PAIMON_CODE_DATABASE_NOT_EMPTY,
            "db",
        );
        ok(paimon_catalog_drop_table(catalog, name.0, false));
        refused(
            paimon_catalog_drop_table(catalog, name.0, false),
            PAIMON_CODE_TABLE_NOT_EXIST,
            "db.t",
        );
        ok(paimon_catalog_drop_table(catalog, name.0, true));
        ok(paimon_catalog_drop_database(catalog, c("db").as_ptr(), false, true));
        assert!(!warehouse.path("s").exists());
    }
}

#[test]
fn what_is_missing_is_named() {
    let warehouse = Warehouse::new();
    let catalog = warehouse.catalog.0;
    unsafe {
        refused(
            paimon_catalog_get_table(catalog, identifier("db", "none").0),
            PAIMON_CODE_TABLE_NOT_EXIST,
            "db.none",
        );
        let (nowhere, create) = (identifier("nowhere", "t"), people());
        refused(
            paimon_catalog_get_table(catalog, nowhere.0),
            PAIMON_CODE_DATABASE_NOT_EXIST,
            "nowhere",
        );
        refused(
            paimon_catalog_create_table(catalog, nowhere.0, create.as_ptr(), false),
            PAIMON_CODE_DATABASE_NOT_EXIST,
            "nowhere",
        );
        refused(
            paimon_catalog_list_tables(catalog, c("nowhere").as_ptr()),
            PAIMON_CODE_DATABASE_NOT_EXIST,
            "nowhere",
        );
    }
}

#[test]
fn schemas_are_checked() {
    let warehouse = Warehouse::new();
    let deep = (0..500).fold(
        serde_json::json!("INT"),
        |kind, _| serde_json::json!({"type": "ARRAY", "element": kind}),
    );
    let deep = serde_json::json!({"fields": [{"id": 0, "name": "a", "type": deep}], "partitionKeys": [], "primaryKeys": [], "options": {}});
    for (schema, says) in [
        (c("{"), "JSON"),
        (c("[]"), "JSON"),
        (schema(&[], &[], &[]), "no fields"),
        (schema(&[("a", "NUMBER")], &[], &[]), "NUMBER"),
        (schema(&[("a", "INT"), ("a", "INT")], &[], &[]), "a"),
        (schema(&[("a", "INT")], &["b"], &[]), "b"),
        (c(&deep.to_string()), ""),
    ] {
        let made = unsafe { paimon_catalog_create_table(warehouse.catalog.0, identifier("db", "t").0, schema.as_ptr(), false) };
        refused(made, PAIMON_CODE_INVALID_INPUT, says);
    }
    assert!(!warehouse.path("t").exists());
}

#[test]
fn a_warehouse_that_cannot_be() {
    let _turn = turn();
    unsafe {
        refused(
            paimon_catalog_create(std::ptr::null(), 0),
            PAIMON_CODE_INVALID_INPUT,
            "warehouse",
        );
        let strange = options(&[("warehouse", "/tmp/w"), ("metastore", "nothing")]);
        let created = paimon_catalog_create(strange.list.as_ptr(), strange.list.len());
        let Err(refusal) = created.settle() else {
            panic!("a catalog of kind nothing")
        };
        assert!(
            [PAIMON_CODE_INVALID_INPUT, PAIMON_CODE_UNSUPPORTED].contains(&refusal.code),
            "{refusal:?}"
        );
        assert!(refusal.message.contains("nothing"), "{refusal:?}");

        // A file where the warehouse's folder should be.
        let folder = Folder::new();
        let file = folder.0.join("file");
        std::fs::write(&file, "").unwrap();
        let catalog = open_catalog(&file.join("warehouse"));
        let created = paimon_catalog_create_database(catalog.0, c("db").as_ptr(), std::ptr::null(), 0, false);
        refused(created, PAIMON_CODE_IO_ERROR, file.to_str().unwrap());
    }
}

#[test]
fn tables_are_altered_tagged_and_branched() {
    let warehouse = Warehouse::new();
    let catalog = warehouse.catalog.0;
    let table = warehouse.table("t", &people());
    let name = identifier("db", "t");
    let writer = Writer::new(&table);
    ok(writer.commit(&writer.prepared(&[(1, "a")])));
    unsafe {
        let changes = c(
            r#"[{"action":"renameColumn","fieldNames":["name"],"newName":"who"},{"action":"setOption","key":"a","value":"b"}]"#,
        );
        ok(paimon_catalog_alter_table(catalog, name.0, changes.as_ptr(), false));
        refused(
            paimon_catalog_alter_table(catalog, name.0, changes.as_ptr(), false),
            PAIMON_CODE_COLUMN_NOT_EXIST,
            "name",
        );
        let altered = ok(paimon_catalog_get_table(catalog, name.0));
        let schema: serde_json::Value = serde_json::from_str(&ok(paimon_table_schema(altered.0))).unwrap();
        assert_eq!(schema["fields"][1]["name"], "who");
        assert_eq!(schema["options"]["a"], "b");

        let tag = c("tag");
        ok(paimon_catalog_create_tag(
            catalog,
            name.0,
            tag.as_ptr(),
            &1,
            c("90s").as_ptr(),
            false,
        ));
        let made: serde_json::Value = serde_json::from_str(&ok(paimon_catalog_get_tag(catalog, name.0, tag.as_ptr()))).unwrap();
        assert_eq!((&made["tagName"], &made["snapshot"]["id"]), (&"tag".into(), &1.into()));
        assert_eq!(made["tagTimeRetained"], "PT1M30S");
        refused(
            paimon_catalog_create_tag(catalog, name.0, c("x").as_ptr(), null(), c("soon").as_ptr(), false),
            PAIMON_CODE_INVALID_INPUT,
            "soon",
        );

        ok(paimon_catalog_create_branch(catalog, name.0, c("b").as_ptr(), tag.as_ptr()));
        let branch = ok(paimon_catalog_get_table(catalog, identifier("db", "t$branch_b").0));
        assert_eq!(latest_snapshot(&branch).unwrap()["id"], 1);
        let tags = ok(paimon_catalog_list_tags(catalog, identifier("db", "t$branch_b").0));
        assert!(tags.contains("\"PT1M30S\""), "{tags}");
        ok(paimon_catalog_drop_branch(catalog, name.0, c("b").as_ptr(), false));
        assert_eq!(ok(paimon_catalog_list_branches(catalog, name.0)), "[]");
        ok(paimon_catalog_delete_tag(catalog, name.0, tag.as_ptr(), false));
        assert_eq!(ok(paimon_catalog_list_tags(catalog, name.0)), "[]");

        let new = identifier("db", "new");
        ok(paimon_catalog_rename_table(catalog, name.0, new.0, false));
        assert_eq!(ok(paimon_catalog_list_tables(catalog, c("db").as_ptr())), r#"["new"]"#);
        let system = ok(paimon_catalog_get_table(catalog, identifier("db", "new$snapshots").0));
        let snapshots: serde_json::Value = serde_json::from_str(&ok(paimon_table_list_snapshots(system.0))).unwrap();
        assert_eq!(snapshots[0]["id"], 1);
        refused(
            paimon_table_new_write_builder(system.0),
            PAIMON_CODE_UNSUPPORTED,
            "$snapshots",
        );
    }
}
