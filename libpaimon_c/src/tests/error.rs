// SPDX-License-Identifier: Apache-2.0

//! Codes and texts of engine errors, provoked where that can be done, since only their wording tells some of them.

use std::sync::{Arc, Barrier};

use arrow_array::{ArrayRef, Int32Array, StringArray};
use arrow_schema::{DataType, Field, Schema};
use paimon::api::rest_error::RestError;
use paimon::{CommitMessage, Error, Table};

use super::*;

#[test]
fn each_engine_error_has_its_code() {
    let name = || "db.t".to_string();
    let rest = |source| Error::RestApi { source };
    let io = |kind| Error::IoUnexpected {
        message: "reading".into(),
        source: Box::new(opendal::Error::new(kind, "storage says")),
    };
    let cases = [
        (Error::ResourceExhausted { message: name() }, PAIMON_CODE_RESOURCE_EXHAUSTED),
        (Error::Unsupported { message: name() }, PAIMON_CODE_UNSUPPORTED),
        (Error::IoUnsupported { message: name() }, PAIMON_CODE_UNSUPPORTED),
        (Error::ProcessForkUnsupported { message: name() }, PAIMON_CODE_UNSUPPORTED),
        (Error::DataTypeInvalid { message: name() }, PAIMON_CODE_INVALID_INPUT),
        (Error::ConfigInvalid { message: name() }, PAIMON_CODE_INVALID_INPUT),
        (Error::IdentifierInvalid { message: name() }, PAIMON_CODE_INVALID_INPUT),
        (Error::DatabaseNotExist { database: name() }, PAIMON_CODE_DATABASE_NOT_EXIST),
        (
            Error::DatabaseAlreadyExist { database: name() },
            PAIMON_CODE_DATABASE_ALREADY_EXIST,
        ),
        (Error::DatabaseNotEmpty { database: name() }, PAIMON_CODE_DATABASE_NOT_EMPTY),
        (Error::TableNotExist { full_name: name() }, PAIMON_CODE_TABLE_NOT_EXIST),
        (
            Error::TableAlreadyExist { full_name: name() },
            PAIMON_CODE_TABLE_ALREADY_EXIST,
        ),
        (
            Error::ColumnNotExist {
                full_name: name(),
                column: "c".into(),
            },
            PAIMON_CODE_COLUMN_NOT_EXIST,
        ),
        (
            Error::ColumnAlreadyExist {
                full_name: name(),
                column: "c".into(),
            },
            PAIMON_CODE_COLUMN_ALREADY_EXIST,
        ),
        (Error::SnapshotNotExist { snapshot_id: 7 }, PAIMON_CODE_SNAPSHOT_NOT_EXIST),
        (Error::TagNotExist { tag_name: name() }, PAIMON_CODE_TAG_NOT_EXIST),
        (Error::TagAlreadyExist { tag_name: name() }, PAIMON_CODE_TAG_ALREADY_EXIST),
        (Error::ViewNotExist { full_name: name() }, PAIMON_CODE_NOT_FOUND),
        (Error::FunctionAlreadyExist { full_name: name() }, PAIMON_CODE_ALREADY_EXIST),
        (io(opendal::ErrorKind::NotFound), PAIMON_CODE_NOT_FOUND),
        (io(opendal::ErrorKind::PermissionDenied), PAIMON_CODE_PERMISSION_DENIED),
        (io(opendal::ErrorKind::ConfigInvalid), PAIMON_CODE_INVALID_INPUT),
        (io(opendal::ErrorKind::Unsupported), PAIMON_CODE_UNSUPPORTED),
        (rest(RestError::BadRequest { message: name() }), PAIMON_CODE_INVALID_INPUT),
        (rest(RestError::Forbidden { message: name() }), PAIMON_CODE_IO_ERROR),
    ];
    for (error, code) in cases {
        let text = error.to_string();
        let failure = Failure::from(error);
        assert_eq!(failure.code, code, "{text}");
        assert!(
            !failure.message.contains("Paimon"),
            "the engine's prefix: {}",
            failure.message
        );
    }
}

#[test]
fn what_storage_failed_at_inside_a_file_writer_is_no_invalid_input() {
    for (kind, code) in [
        (opendal::ErrorKind::Unexpected, PAIMON_CODE_IO_ERROR), // a full disk among them
        (opendal::ErrorKind::RateLimited, PAIMON_CODE_IO_ERROR),
        (opendal::ErrorKind::PermissionDenied, PAIMON_CODE_PERMISSION_DENIED),
        (opendal::ErrorKind::NotFound, PAIMON_CODE_NOT_FOUND),
    ] {
        for said in [
            opendal::Error::new(kind, "no storage space"),
            opendal::Error::new(kind, "no storage space").set_temporary(),
            opendal::Error::new(kind, "no storage space").set_temporary().set_persistent(),
        ] {
            let said = said
                .with_operation("write")
                .with_context("service", "fs")
                .with_context("path", "p");
            let error = Error::DataInvalid {
                message: format!("Failed to close parquet writer: External: {}", std::io::Error::other(said)),
                source: None,
            };
            let failure = Failure::from(error);
            assert_eq!(failure.code, code, "{}", failure.message);
        }
    }
}

#[test]
fn a_wrapped_error_keeps_its_causes() {
    let wrap = |message: &str, source| Error::UnexpectedError {
        message: message.into(),
        source: Some(Box::new(source)),
    };
    let inner = Error::TableNotExist {
        full_name: "db.t".into(),
    };
    let failure = Failure::from(wrap("outer", wrap("middle", inner)));
    assert_eq!(failure.code, PAIMON_CODE_TABLE_NOT_EXIST);
    assert_eq!(failure.message, "outer: middle: Table db.t does not exist.");

    let io = std::io::Error::new(std::io::ErrorKind::StorageFull, "no space left");
    let storage = opendal::Error::new(opendal::ErrorKind::Unexpected, "write failed").set_source(io);
    let failure = Failure::from(Error::DataInvalid {
        message: "cannot write a manifest".into(),
        source: Some(Box::new(Error::IoUnexpected {
            message: "IO failed".into(),
            source: Box::new(storage),
        })),
    });
    for cause in ["cannot write a manifest", "IO failed", "write failed", "no space left"] {
        assert!(failure.message.contains(cause), "no '{cause}' in: {}", failure.message);
    }

    // A conflict that may not be one: the engine does not know the outcome.
    let conflict = Error::DataInvalid {
        message: "there may exist commit conflicts between multiple jobs.".into(),
        source: None,
    };
    let failure = Failure::from(wrap("Commit outcome may be unknown", conflict));
    assert_eq!(failure.code, PAIMON_CODE_UNEXPECTED);
    assert!(failure.message.contains("may exist"), "{}", failure.message);

    assert_eq!(Failure::new(0, "").message, "no details");
}

/// Many writers, no second try: sooner or later one finds its snapshot taken.
#[test]
fn a_lost_race_is_a_conflict() {
    let warehouse = Warehouse::new();
    let schema = schema(
        &[("id", "INT NOT NULL"), ("name", "STRING")],
        &[],
        &[("commit.max-retries", "0")],
    );
    let table = warehouse.table("t", &schema);
    let mut conflicts = 0;
    for round in 0..50 {
        let barrier = Arc::new(Barrier::new(4));
        let refusals: Vec<Refusal> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|worker| {
                    let (barrier, table) = (barrier.clone(), &table);
                    let writer = SendIt(Writer::new(table));
                    scope.spawn(move || {
                        let SendIt(writer) = { writer };
                        let messages = writer.prepared(&[(round * 10 + worker, "x")]);
                        barrier.wait();
                        let refusal = writer.commit(&messages).settle().err()?;
                        // Nothing is lost: the same messages make it in the end.
                        while writer.commit(&messages).settle().is_err() {}
                        Some(refusal)
                    })
                })
                .collect();
            threads.into_iter().filter_map(|thread| thread.join().unwrap()).collect()
        });
        for refusal in &refusals {
            assert_eq!(refusal.code, PAIMON_CODE_COMMIT_CONFLICT, "{refusal:?}");
        }
        conflicts += refusals.len();
        if conflicts > 0 {
            return;
        }
    }
    panic!("no conflict in 50 races");
}

/// Handles may go from thread to thread; Rust cannot know.
struct SendIt(Writer);
unsafe impl Send for SendIt {}
unsafe impl Sync for Own<paimon_table> {}

fn engine(table: &Own<paimon_table>) -> (&Table, crate::runtime::Hold) {
    let shared = unsafe { &(*table.0).shared };
    (&shared.table, shared.hold.clone())
}

/// Messages of the engine's own, which a test can bend.
fn messages_of(table: &Own<paimon_table>, id: i32) -> Vec<CommitMessage> {
    let (table, hold) = engine(table);
    let schema = Schema::new(vec![
        Field::new("id", DataType::Int32, false),
        Field::new("name", DataType::Utf8, true),
    ]);
    let columns: Vec<ArrayRef> = vec![Arc::new(Int32Array::from(vec![id])), Arc::new(StringArray::from(vec!["x"]))];
    let batch = RecordBatch::try_new(schema.into(), columns).unwrap();
    hold.finish(async {
        let mut write = table.new_write_builder().new_write().unwrap();
        write.write_arrow_batch(&batch).await.unwrap();
        write.prepare_commit().await.unwrap()
    })
}

fn commit_as_engine(table: &Own<paimon_table>, messages: Vec<CommitMessage>) -> std::result::Result<(), Failure> {
    let (table, hold) = engine(table);
    let commit = table.new_write_builder().try_new_commit()?;
    Ok(hold.run(commit.commit(messages))??)
}

#[track_caller]
fn assert_conflict(outcome: std::result::Result<(), Failure>, says: &str) {
    let failure = outcome.expect_err(says);
    assert_eq!(failure.code, PAIMON_CODE_COMMIT_CONFLICT, "{}", failure.message);
    assert!(failure.message.contains(says), "{}", failure.message);
}

#[test]
fn files_that_are_gone_are_a_conflict() {
    let warehouse = Warehouse::new();
    let table = warehouse.table("t", &people());
    let stale = |id| {
        let mut messages = messages_of(&table, id);
        messages[0].deleted_files = messages_of(&table, 99)[0].new_files.clone();
        messages
    };
    assert_conflict(commit_as_engine(&table, stale(1)), "Delete conflict:");
    commit_as_engine(&table, messages_of(&table, 2)).unwrap();
    assert_conflict(commit_as_engine(&table, stale(3)), "Delete conflict:");
    assert_eq!(rows(&table), named(&[(2, "x")]));
}

#[test]
fn rows_that_moved_are_a_conflict() {
    let warehouse = Warehouse::new();
    for (name, evolution, says) in [
        ("t", "false", "Row ID conflict:"),
        ("e", "true", "Row ID existence conflict:"),
    ] {
        let tracked = schema(
            &[("id", "INT NOT NULL"), ("name", "STRING")],
            &[],
            &[("row-tracking.enabled", "true"), ("data-evolution.enabled", evolution)],
        );
        let table = warehouse.table(name, &tracked);
        let stale = || {
            let mut messages = messages_of(&table, 1);
            messages[0].new_files[0].first_row_id = Some(0);
            messages[0].new_files[0].row_count = 7;
            messages[0].check_from_snapshot = (evolution == "true").then_some(0);
            messages
        };
        commit_as_engine(&table, messages_of(&table, 1)).unwrap();
        assert_conflict(commit_as_engine(&table, stale()), says);
    }
}

#[test]
fn buckets_that_another_wrote_are_a_conflict() {
    let warehouse = Warehouse::new();
    let postponed = schema(&[("id", "INT NOT NULL"), ("name", "STRING")], &["id"], &[("bucket", "-2")]);
    let table = warehouse.table("t", &postponed);
    let of_fixed_bucket = |id| {
        let mut messages = messages_of(&table, id);
        (messages[0].bucket, messages[0].total_buckets) = (0, Some(1));
        messages[0].check_from_snapshot = Some(0);
        messages
    };
    commit_as_engine(&table, of_fixed_bucket(1)).unwrap();
    assert_conflict(commit_as_engine(&table, of_fixed_bucket(2)), "writer ownership conflict");

    let mut messages = of_fixed_bucket(3);
    messages[0].mark_fixed_bucket_overwrite();
    let (engine, hold) = engine(&table);
    let commit = engine.new_write_builder().with_overwrite().try_new_commit().unwrap();
    let outcome = hold.finish(commit.overwrite(messages, None)).map_err(Failure::from);
    assert_conflict(outcome, "Postpone fixed-bucket overwrite conflict:");
}

#[test]
fn other_invalid_data_is_no_conflict() {
    let warehouse = Warehouse::new();
    let table = warehouse.table("t", &people());
    let twice = [messages_of(&table, 1), messages_of(&table, 1)].concat();
    let doubled = [twice.clone(), twice].concat();
    let failure = commit_as_engine(&table, doubled).unwrap_err();
    assert_eq!(failure.code, PAIMON_CODE_INVALID_INPUT, "{}", failure.message);
}

#[test]
fn a_batch_that_is_too_large_names_the_option() {
    for said in [
        "Failed to read a Parquet file: Parquet error: index overflow decoding byte array",
        "internal error at generic_bytes_builder.rs:94:57: byte array offset overflow",
    ] {
        let failure = Failure::unexpected(said).of_batch();
        assert_eq!(failure.code, PAIMON_CODE_RESOURCE_EXHAUSTED);
        assert!(failure.message.contains("read.batch-size"), "{}", failure.message);
    }
    assert_eq!(Failure::unexpected("another").of_batch().message, "another");
}

#[test]
fn queries_of_addresses_are_left_out() {
    for (said, want) in [
        ("no address? none", "no address? none"),
        (
            "{ url: https://a.b/c/d?sv=1&sig=abc%2F=, called: x } for url (http://h/?t=s): failed?",
            "{ url: https://a.b/c/d, called: x } for url (http://h/): failed?",
        ),
        ("at https://h/p?\n", "at https://h/p\n"),
        ("'s3://b/w?a'\n?", "'s3://b/w'\n?"),
    ] {
        assert_eq!(Failure::unexpected(said).message, want);
    }
}

#[test]
fn a_client_of_rest_catalogs_that_reaches_nobody_is_io() {
    let error = paimon::Error::UnexpectedError {
        message: "http get failed".into(),
        source: Some("client error (Connect)".into()),
    };
    let failure = Failure::from(error);
    assert_eq!(failure.code, PAIMON_CODE_IO_ERROR);
    assert!(failure.message.contains("'uri'"), "{}", failure.message);
}

#[test]
fn memory_that_is_not_there_is_an_error() {
    let Err(failure) = crate::error::guard(|| Ok(Vec::<u8>::with_capacity(1 << 46))) else {
        panic!("64 TiB of memory");
    };
    assert_eq!(failure.code, PAIMON_CODE_RESOURCE_EXHAUSTED);
    assert!(failure.message.contains("70368744177664 bytes"), "{}", failure.message);
}
