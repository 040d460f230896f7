// SPDX-License-Identifier: Apache-2.0

//! What a careless caller passes: every function refuses it, and none crashes.

use std::ptr::{dangling, null, null_mut};

use super::*;
use crate::abi::*;
use crate::alloc::paimon_live_bytes;
use crate::handle::paimon_live_handles;

/// Checks that each of the calls is PAIMON_CODE_INVALID_INPUT.
macro_rules! invalid {
    ($($call:expr),* $(,)?) => {
        $(match $call.settle() {
            Ok(_) => panic!("{} succeeded", stringify!($call)),
            Err(refusal) => assert_eq!(refusal.code, PAIMON_CODE_INVALID_INPUT, "{}: {}", stringify!($call), refusal.message),
        })*
    };
}

/// No array is so long, wherever it starts.
const TOO_LONG: usize = usize::MAX;

#[test]
fn catalogs() {
    let warehouse = Warehouse::new();
    let (catalog, name) = (warehouse.catalog.0, identifier("db", "t"));
    let (text, json) = (c("x"), people());
    let text = text.as_ptr();
    let changes = c(r#"[{"action":"setOption","key":"a","value":"b"}]"#);
    let option = |key, value| [paimon_option { key, value }];
    let good = option(text, text);
    let bad_options = [
        option(null(), text),
        option(text, null()),
        option(BAD_TEXT, text),
        option(text, BAD_TEXT),
    ];
    unsafe {
        invalid!(
            paimon_catalog_create(null(), 1),
            paimon_catalog_create(null(), TOO_LONG),
            paimon_catalog_create(good.as_ptr(), TOO_LONG),
            paimon_identifier_new(null(), text),
            paimon_identifier_new(text, null()),
            paimon_identifier_new(BAD_TEXT, text),
            paimon_identifier_new(text, BAD_TEXT),
            paimon_catalog_list_databases(null()),
            paimon_catalog_create_database(null(), text, null(), 0, false),
            paimon_catalog_create_database(catalog, null(), null(), 0, false),
            paimon_catalog_create_database(catalog, BAD_TEXT, null(), 0, false),
            paimon_catalog_create_database(catalog, text, null(), 1, false),
            paimon_catalog_create_database(catalog, text, good.as_ptr(), TOO_LONG, false),
            paimon_catalog_drop_database(null(), text, false, false),
            paimon_catalog_drop_database(catalog, null(), false, false),
            paimon_catalog_drop_database(catalog, BAD_TEXT, false, false),
            paimon_catalog_list_tables(null(), text),
            paimon_catalog_list_tables(catalog, null()),
            paimon_catalog_list_tables(catalog, BAD_TEXT),
            paimon_catalog_create_table(null(), name.0, json.as_ptr(), false),
            paimon_catalog_create_table(catalog, null(), json.as_ptr(), false),
            paimon_catalog_create_table(catalog, name.0, null(), false),
            paimon_catalog_create_table(catalog, name.0, BAD_TEXT, false),
            paimon_catalog_drop_table(null(), name.0, false),
            paimon_catalog_drop_table(catalog, null(), false),
            paimon_catalog_get_table(null(), name.0),
            paimon_catalog_get_table(catalog, null()),
            paimon_catalog_rename_table(null(), name.0, name.0, false),
            paimon_catalog_rename_table(catalog, null(), name.0, false),
            paimon_catalog_rename_table(catalog, name.0, null(), false),
            paimon_catalog_alter_table(null(), name.0, changes.as_ptr(), false),
            paimon_catalog_alter_table(catalog, null(), changes.as_ptr(), false),
            paimon_catalog_alter_table(catalog, name.0, null(), false),
            paimon_catalog_alter_table(catalog, name.0, BAD_TEXT, false),
            paimon_catalog_alter_table(catalog, name.0, text, false),
            paimon_catalog_alter_table(catalog, name.0, c(r#"[{"action":"nonsense"}]"#).as_ptr(), false),
            paimon_catalog_create_tag(null(), name.0, text, null(), null(), false),
            paimon_catalog_create_tag(catalog, null(), text, null(), null(), false),
            paimon_catalog_create_tag(catalog, name.0, null(), null(), null(), false),
            paimon_catalog_create_tag(catalog, name.0, BAD_TEXT, null(), null(), false),
            paimon_catalog_create_tag(catalog, name.0, text, null(), BAD_TEXT, false),
            paimon_catalog_get_tag(null(), name.0, text),
            paimon_catalog_get_tag(catalog, null(), text),
            paimon_catalog_get_tag(catalog, name.0, null()),
            paimon_catalog_delete_tag(null(), name.0, text, false),
            paimon_catalog_delete_tag(catalog, null(), text, false),
            paimon_catalog_delete_tag(catalog, name.0, null(), false),
            paimon_catalog_list_tags(null(), name.0),
            paimon_catalog_list_tags(catalog, null()),
            paimon_catalog_create_branch(null(), name.0, text, null()),
            paimon_catalog_create_branch(catalog, null(), text, null()),
            paimon_catalog_create_branch(catalog, name.0, null(), null()),
            paimon_catalog_create_branch(catalog, name.0, text, BAD_TEXT),
            paimon_catalog_drop_branch(null(), name.0, text, false),
            paimon_catalog_drop_branch(catalog, null(), text, false),
            paimon_catalog_drop_branch(catalog, name.0, null(), false),
            paimon_catalog_list_branches(null(), name.0),
            paimon_catalog_list_branches(catalog, null()),
        );
        for bad in &bad_options {
            invalid!(
                paimon_catalog_create(bad.as_ptr(), 1),
                paimon_catalog_create_database(catalog, text, bad.as_ptr(), 1, false),
            );
        }
        assert_eq!(ok(paimon_catalog_list_databases(catalog)), r#"["db"]"#);
    }
}

#[test]
fn tables_and_reads() {
    let warehouse = Warehouse::new();
    let table = warehouse.table("t", &people());
    let writer = Writer::new(&table);
    ok(writer.commit(&writer.prepared(&[(1, "a")])));
    let Reading { builder, plan, read } = Reading::of(&table);
    let id = c("id");
    let columns = [id.as_ptr()];
    let byte = 0u8;
    let run = |data: *const u8, len| {
        [paimon_bytes {
            data: data.cast_mut(),
            len,
        }]
    };
    let good = run(&byte, 1);
    unsafe {
        invalid!(
            paimon_table_schema(null()),
            paimon_table_location(null()),
            paimon_table_latest_snapshot(null()),
            paimon_table_snapshot(null(), 1),
            paimon_table_list_snapshots(null()),
            paimon_table_new_read_builder(null()),
            paimon_table_new_read_builder_with_options(null(), null(), 0),
            paimon_table_new_read_builder_with_options(table.0, null(), 1),
            paimon_table_new_read_builder_with_options(table.0, null(), TOO_LONG),
            paimon_table_new_write_builder(null()),
            paimon_table_new_write_builder_with_commit_user(null(), id.as_ptr()),
            paimon_table_new_write_builder_with_commit_user(table.0, null()),
            paimon_table_new_write_builder_with_commit_user(table.0, BAD_TEXT),
            paimon_table_new_write_builder_with_commit_user(table.0, c("").as_ptr()),
            paimon_table_new_write_builder_with_commit_user(table.0, c("a/b").as_ptr()),
            paimon_read_builder_with_projection(null(), columns.as_ptr(), 1),
            paimon_read_builder_with_projection(builder.0, null(), 1),
            paimon_read_builder_with_projection(builder.0, columns.as_ptr(), TOO_LONG),
            paimon_read_builder_with_projection(builder.0, [null()].as_ptr(), 1),
            paimon_read_builder_with_projection(builder.0, [BAD_TEXT].as_ptr(), 1),
            paimon_read_builder_with_case_sensitive(null(), true),
            paimon_read_builder_with_limit(null(), 1),
            paimon_read_builder_with_parallelism(null(), 1),
            paimon_read_builder_with_read_ahead(null(), 1),
            paimon_read_builder_new_scan(null()),
            paimon_read_builder_new_read(null()),
            paimon_table_scan_plan(null()),
            paimon_plan_num_splits(null()),
            paimon_plan_split_bytes(null(), 0),
            paimon_plan_split_bytes(plan.0, 1),
            paimon_plan_split_bytes(plan.0, TOO_LONG),
            paimon_plan_from_split_bytes(null(), 1),
            paimon_plan_from_split_bytes(good.as_ptr(), TOO_LONG),
            paimon_plan_from_split_bytes(run(null(), 5).as_ptr(), 1),
            paimon_plan_from_split_bytes(run(&byte, TOO_LONG).as_ptr(), 1),
            paimon_table_read_to_arrow(null(), plan.0, 0, 1),
            paimon_table_read_to_arrow(read.0, null(), 0, 1),
            paimon_table_read_to_arrow(read.0, plan.0, 0, 0),
            paimon_table_read_to_arrow(read.0, plan.0, 0, 2),
            paimon_table_read_to_arrow(read.0, plan.0, 1, 1),
            paimon_table_read_to_arrow(read.0, plan.0, TOO_LONG, 1),
            paimon_table_read_to_arrow(read.0, plan.0, 1, TOO_LONG),
            paimon_record_batch_reader_next(null()),
        );
    }
    assert_eq!(rows(&table), named(&[(1, "a")]));
}

#[test]
fn writes() {
    let warehouse = Warehouse::new();
    let table = warehouse.table("t", &people());
    let writer = Writer::new(&table);
    let messages = writer.prepared(&[(1, "a")]);
    let (commit, messages) = (writer.commit.0, messages.0);
    let mut source = Source::new(1, vec![int("id", &[1]), text("name", &["a"])]);
    unsafe {
        invalid!(
            paimon_write_builder_with_overwrite(null()),
            paimon_write_builder_with_write_only(null()),
            paimon_write_builder_new_write(null()),
            paimon_write_builder_new_commit(null()),
            paimon_table_write_write_arrow_batch(null(), source.array().cast(), source.schema().cast()),
            paimon_table_write_write_arrow_batch(writer.write.0, null_mut(), source.schema().cast()),
            paimon_table_write_write_arrow_batch(writer.write.0, source.array().cast(), null_mut()),
            paimon_table_write_prepare_commit(null()),
            paimon_commit_messages_merge(null(), messages),
            paimon_commit_messages_merge(messages, null()),
            paimon_table_commit_commit(null(), messages),
            paimon_table_commit_commit(commit, null()),
            paimon_table_commit_commit_with_identifier(null(), messages, 1),
            paimon_table_commit_commit_with_identifier(commit, null(), 1),
            paimon_table_commit_filter_and_commit_with_identifier(null(), messages, 1),
            paimon_table_commit_filter_and_commit_with_identifier(commit, null(), 1),
            paimon_table_commit_overwrite(null(), messages),
            paimon_table_commit_overwrite(commit, null()),
            paimon_table_commit_overwrite_with_identifier(null(), messages, 1),
            paimon_table_commit_overwrite_with_identifier(commit, null(), 1),
            paimon_table_commit_truncate_table(null()),
            paimon_table_commit_truncate_table_with_identifier(null(), 1),
            paimon_table_commit_abort(null(), messages),
            paimon_table_commit_abort(commit, null()),
        );
        // A NULL check that did not pass leaves the batch to its owner.
        assert_eq!(source.is_released(), (false, false));
        refused(paimon_selftest_panic(null()), PAIMON_CODE_INVALID_INPUT, "NULL");
        refused(paimon_selftest_panic(BAD_TEXT), PAIMON_CODE_INVALID_INPUT, "UTF-8");
        ok(paimon_table_commit_commit(commit, messages));
    }
}

#[test]
fn blobs_budgets_and_bucket_plans() {
    let warehouse = Warehouse::new();
    let table = warehouse.table("t", &people());
    let postponed = warehouse.table("p", &schema(&[("id", "INT NOT NULL")], &["id"], &[("bucket", "-2")]));
    let user = c("user");
    let Reading { builder, read, .. } = Reading::of(&table);
    let writer = Writer::new(&table);
    let mut plan = Source::new(1, vec![int("total_buckets", &[1])]);
    let byte = 0u8;
    let descriptor = [paimon_bytes {
        data: (&raw const byte).cast_mut(),
        len: 1,
    }];
    let mut values = [paimon_bytes::EMPTY];
    let mut buffer = 0u8;
    let mut file = vec![1u8, 8, 0, 0, 0]; // a descriptor of version 1: the length of the URI, the URI, offset and length
    file.extend_from_slice(b"memory:/");
    file.extend_from_slice(&[0; 16]);
    unsafe {
        let budget = ok(paimon_resource_context_new(10));
        let fixed = ok(paimon_table_new_postpone_fixed_bucket_write_builder(postponed.0));
        let blobs = ok(paimon_table_new_blob_reader(table.0));
        let stream = ok(paimon_blob_reader_open_blob(blobs.0, file.as_ptr(), file.len()));
        let none = [paimon_bytes {
            data: null_mut(),
            len: 5,
        }];
        invalid!(
            paimon_read_builder_with_resources(null(), budget.0),
            paimon_read_builder_with_resources(builder.0, null()),
            paimon_write_builder_with_resources(null(), budget.0),
            paimon_write_builder_with_resources(writer.builder.0, null()),
            paimon_table_read_schema(null()),
            paimon_plan_describe_splits(null()),
            paimon_table_new_postpone_fixed_bucket_write_builder(null()),
            paimon_table_new_postpone_fixed_bucket_write_builder_with_commit_user(null(), user.as_ptr()),
            paimon_table_new_postpone_fixed_bucket_write_builder_with_commit_user(postponed.0, null()),
            paimon_table_new_postpone_fixed_bucket_write_builder_with_commit_user(postponed.0, BAD_TEXT),
            paimon_table_new_postpone_fixed_bucket_write_builder_with_commit_user(postponed.0, c("").as_ptr()),
            paimon_write_builder_with_bucket_plan(null(), plan.array().cast(), plan.schema().cast()),
            paimon_write_builder_with_bucket_plan(fixed.0, null_mut(), plan.schema().cast()),
            paimon_write_builder_with_bucket_plan(fixed.0, plan.array().cast(), null_mut()),
            paimon_table_new_blob_reader(null()),
            paimon_blob_reader_new(null(), 1),
            paimon_blob_reader_read_blobs(null(), descriptor.as_ptr(), 1, values.as_mut_ptr()),
            paimon_blob_reader_read_blobs(blobs.0, null(), 1, values.as_mut_ptr()),
            paimon_blob_reader_read_blobs(blobs.0, descriptor.as_ptr(), 1, null_mut()),
            paimon_blob_reader_read_blobs(blobs.0, descriptor.as_ptr(), TOO_LONG, values.as_mut_ptr()),
            paimon_blob_reader_read_blobs(blobs.0, none.as_ptr(), 1, values.as_mut_ptr()),
            paimon_blob_reader_open_blob(null(), &byte, 1),
            paimon_blob_reader_open_blob(blobs.0, null(), 1),
            paimon_blob_reader_open_blob(blobs.0, &byte, TOO_LONG),
            paimon_blob_reader_open_blob(blobs.0, &byte, 1),
            paimon_blob_stream_read(null(), &mut buffer, 1),
            paimon_blob_stream_read(stream.0, null_mut(), 1),
            paimon_blob_stream_seek(null(), 0, 0),
            paimon_blob_stream_seek(stream.0, 0, 3),
            paimon_blob_stream_seek(stream.0, -1, 0),
            paimon_blob_stream_seek(stream.0, i64::MIN, 2),
        );
        let metrics = paimon_resource_context_metrics(null());
        refused(metrics.error, PAIMON_CODE_INVALID_INPUT, "NULL");
        assert_eq!(plan.is_released(), (false, false));
        // A builder of ordinary writes has no use for a plan, but takes the batch over.
        refused(
            paimon_write_builder_with_bucket_plan(writer.builder.0, plan.array().cast(), plan.schema().cast()),
            PAIMON_CODE_INVALID_INPUT,
            "only a builder of fixed-bucket writes",
        );
        assert_eq!(plan.is_released(), (true, true));
        // The schema of a read comes without an array.
        let schema = paimon_table_read_schema(read.0);
        assert!(schema.error.is_null() && schema.value.array.is_null() && !schema.value.schema.is_null());
        paimon_arrow_batch_free(schema.value);
        assert_eq!(ok(paimon_blob_stream_seek(stream.0, 3, 0)), 3);
        ok(paimon_blob_reader_read_blobs(blobs.0, null(), 0, null_mut()));
    }
}

#[test]
fn frees_ignore_null() {
    unsafe {
        paimon_resource_context_free(null_mut());
        paimon_blob_reader_free(null_mut());
        paimon_blob_stream_free(null_mut());
        paimon_catalog_free(null_mut());
        paimon_identifier_free(null_mut());
        paimon_table_free(null_mut());
        paimon_read_builder_free(null_mut());
        paimon_table_scan_free(null_mut());
        paimon_plan_free(null_mut());
        paimon_table_read_free(null_mut());
        paimon_record_batch_reader_free(null_mut());
        paimon_write_builder_free(null_mut());
        paimon_table_write_free(null_mut());
        paimon_commit_messages_free(null_mut());
        paimon_table_commit_free(null_mut());
        paimon_error_free(null_mut());
        paimon_bytes_free(paimon_bytes::EMPTY);
        paimon_arrow_batch_free(paimon_arrow_batch::NONE);
        paimon_borrowed_array_release(null_mut());
        paimon_borrowed_schema_release(null_mut());
    }
}

#[test]
fn the_layout_describes_the_structs() {
    assert_eq!(paimon_abi_version(), PAIMON_ABI_VERSION);
    let layout = unsafe { slice(paimon_abi_layout(), paimon_abi_layout_len(), "layout") }.unwrap();
    let find = |name: &str| {
        let entry = layout
            .iter()
            .find(|entry| unsafe { crate::error::text(entry.name, "name") }.unwrap() == name);
        let entry = entry.unwrap_or_else(|| panic!("no {name}"));
        (entry.size, entry.offset)
    };
    assert_eq!(find("paimon_datum"), (56, 0));
    assert_eq!(find("paimon_datum.tag"), (4, 0));
    assert_eq!(find("paimon_datum.uint_val2"), (4, 52));
    assert_eq!(find("paimon_error.message"), (16, 8));
    assert_eq!(find("paimon_result_batch.error"), (8, 16));
}

#[test]
fn predicates_of_null_are_refused() {
    use crate::predicate::*;
    let literal = || paimon_datum {
        tag: 3,
        int_val: 1,
        double_val: 0.0,
        str_data: null(),
        str_len: 0,
        int_val2: 0,
        uint_val: 0,
        uint_val2: 0,
    };
    let id = c("id");
    let code = PAIMON_CODE_INVALID_INPUT;
    let comparisons = [
        paimon_predicate_equal,
        paimon_predicate_not_equal,
        paimon_predicate_less_than,
        paimon_predicate_less_or_equal,
        paimon_predicate_greater_than,
        paimon_predicate_greater_or_equal,
        paimon_predicate_starts_with,
        paimon_predicate_ends_with,
        paimon_predicate_contains,
        paimon_predicate_like,
    ];
    unsafe {
        for comparison in comparisons {
            refused(comparison(null(), id.as_ptr(), literal()), code, "the table is NULL");
        }
        for test in [paimon_predicate_is_null, paimon_predicate_is_not_null] {
            refused(test(null(), id.as_ptr()), code, "the table is NULL");
        }
        for list in [paimon_predicate_is_in, paimon_predicate_is_not_in] {
            refused(list(null(), id.as_ptr(), null(), 0), code, "the table is NULL");
            refused(list(null(), id.as_ptr(), null(), 1), code, "the list of literals is NULL");
        }
        for range in [paimon_predicate_between, paimon_predicate_not_between] {
            refused(range(null(), id.as_ptr(), literal(), literal()), code, "the table is NULL");
        }
        for join in [paimon_predicate_and, paimon_predicate_or] {
            refused(join(null(), 1), code, "NULL");
            refused(join(null(), 0), code, "no predicates");
        }
        refused(paimon_predicate_not(null()), code, "NULL");
        refused(paimon_read_builder_with_filter(null(), null()), code, "NULL");
        refused(paimon_read_builder_with_filter_pushdown(null(), true), code, "NULL");
        refused(paimon_read_builder_table(null()), code, "NULL");
        paimon_predicate_free(null_mut());
    }
}

#[test]
fn every_function_is_tested() {
    let sources = [
        include_str!("../abi.rs"),
        include_str!("../alloc.rs"),
        include_str!("../alter.rs"),
        include_str!("../arrow.rs"),
        include_str!("../blob.rs"),
        include_str!("../catalog.rs"),
        include_str!("../error.rs"),
        include_str!("../handle.rs"),
        include_str!("../predicate.rs"),
        include_str!("../read.rs"),
        include_str!("../resource.rs"),
        include_str!("../table.rs"),
        include_str!("../tag.rs"),
        include_str!("../write.rs"),
    ];
    // This file names them all, the functions that cannot fail among them.
    let _cannot_fail = (paimon_live_bytes, paimon_live_handles);
    let mut count = 0;
    for source in sources {
        for part in source.split("extern \"C\" fn ").skip(1) {
            let name: String = part
                .chars()
                .take_while(|char| char.is_alphanumeric() || *char == '_')
                .collect();
            assert!(include_str!("input.rs").contains(&name), "{name} is not tested here");
            count += 1;
        }
    }
    assert!(count > 50, "{count} functions found");
}

#[test]
fn empty_arrays_may_be_anywhere() {
    let warehouse = Warehouse::new();
    let table = warehouse.table("t", &people());
    let builder = Reading::of(&table).builder;
    unsafe {
        ok(paimon_catalog_create_database(
            warehouse.catalog.0,
            c("e").as_ptr(),
            dangling(),
            0,
            false,
        ));
        ok(paimon_read_builder_with_projection(builder.0, dangling(), 0));
        ok(paimon_read_builder_with_projection(builder.0, null(), 0));
        assert_eq!(ok(paimon_plan_num_splits(ok(paimon_plan_from_split_bytes(null(), 0)).0)), 0);
    }
}
