// SPDX-License-Identifier: Apache-2.0

//! The write path, and what may become of commit messages.

use super::*;

#[test]
fn rows_come_back() {
    let warehouse = Warehouse::new();
    for (name, schema) in [("append", people()), ("keyed", keyed_people())] {
        let table = warehouse.table(name, &schema);
        let writer = Writer::new(&table);
        writer.rows(&[(1, "alice"), (2, "bob")]);
        writer.rows(&[(3, "")]);
        assert_eq!(rows(&table), [], "rows before the commit");
        ok(writer.commit(&writer.prepare()));
        assert_eq!(rows(&table), named(&[(1, "alice"), (2, "bob"), (3, "")]));
        let snapshot = latest_snapshot(&table).unwrap();
        assert_eq!(
            (snapshot["id"].as_i64(), snapshot["commitKind"].as_str()),
            (Some(1), Some("APPEND"))
        );
        assert_eq!(snapshot["totalRecordCount"], 3);

        // The writer goes on, and so does the table.
        ok(writer.commit(&writer.prepared(&[(2, "bert")])));
        let want: &[(i32, &str)] = if name == "keyed" {
            &[(1, "alice"), (2, "bert"), (3, "")]
        } else {
            &[(1, "alice"), (2, "bert"), (2, "bob"), (3, "")]
        };
        assert_eq!(rows(&table), named(want));
    }
}

#[test]
fn nothing_written_commits_nothing() {
    let warehouse = Warehouse::new();
    let table = warehouse.table("t", &people());
    let writer = Writer::new(&table);
    let empty = writer.prepare();
    ok(writer.commit(&empty));
    ok(writer.commit(&empty));
    ok(writer.abort(&empty));
    assert_eq!(latest_id(&table), 0);
    writer.rows(&[]);
    ok(writer.commit(&writer.prepare()));
    assert_eq!(latest_id(&table), 0);
}

#[test]
fn a_freed_write_leaves_no_files() {
    let warehouse = Warehouse::new();
    let table = warehouse.table("t", &people());
    let writer = Writer::new(&table);
    writer.rows(&[(1, "a")]);
    drop(writer);
    assert_eq!(warehouse.data_files("t"), Vec::<PathBuf>::new());

    // What was prepared stays, though its write, builder and table are gone.
    let writer = Writer::new(&table);
    let messages = writer.prepared(&[(1, "a")]);
    let Writer { builder, write, commit } = writer;
    drop((builder, write, table));
    assert_eq!(warehouse.data_files("t").len(), 1);
    ok(unsafe { paimon_table_commit_commit(commit.0, messages.0) });
    assert_eq!(rows(&warehouse.open("t")), named(&[(1, "a")]));
}

#[test]
fn merge_wants_one_origin() {
    let warehouse = Warehouse::new();
    let table = warehouse.table("t", &people());
    let merge = |target: &Own<_>, source: &Own<_>| unsafe { paimon_commit_messages_merge(target.0, source.0) };
    let writer = Writer::named(&table, "me");
    let target = writer.prepared(&[(1, "a")]);

    refused(
        merge(&target, &target),
        PAIMON_CODE_INVALID_INPUT,
        "source of a merge is its target",
    );
    let other = Writer::named(&table, "you").prepared(&[(9, "x")]);
    refused(merge(&target, &other), PAIMON_CODE_INVALID_INPUT, "you");
    let other = Writer::overwriting(&table, "me").prepared(&[(9, "x")]);
    refused(merge(&target, &other), PAIMON_CODE_INVALID_INPUT, "overwrite");
    let other = Writer::named(&warehouse.table("u", &people()), "me").prepared(&[(9, "x")]);
    refused(merge(&target, &other), PAIMON_CODE_INVALID_INPUT, "db.u");
    let elsewhere = Warehouse::within_turn();
    let other = Writer::named(&elsewhere.table("t", &people()), "me").prepared(&[(9, "x")]);
    refused(merge(&target, &other), PAIMON_CODE_INVALID_INPUT, "db.t");

    // The same name in another handle, builder and write is the same origin. Both stay valid.
    let source = Writer::named(&warehouse.open("t"), "me").prepared(&[(2, "b")]);
    ok(merge(&target, &source));
    ok(writer.commit(&target));
    assert_eq!(rows(&table), named(&[(1, "a"), (2, "b")]));
    assert_eq!(latest_id(&table), 1);
    // What is there already cannot be merged again.
    let target = writer.prepare();
    let source = writer.prepared(&[(3, "c")]);
    ok(merge(&target, &source));
    refused(merge(&target, &source), PAIMON_CODE_INVALID_INPUT, "in the target already");
    ok(writer.commit(&target));
    assert_eq!(rows(&table).len(), 3);
    // The source's files are committed now, whatever handle names them.
    refused(writer.commit(&source), PAIMON_CODE_INVALID_INPUT, "committed before");
    refused(writer.abort(&source), PAIMON_CODE_INVALID_INPUT, "kept");
    assert_eq!(rows(&table), named(&[(1, "a"), (2, "b"), (3, "c")]));
}

#[test]
fn opposite_merges_do_not_wait_for_each_other() {
    let warehouse = Warehouse::new();
    let writer = Writer::new(&warehouse.table("t", &people()));
    let (a, b) = (writer.prepare(), writer.prepare());
    let (a, b) = (a.0 as usize, b.0 as usize);
    std::thread::scope(|scope| {
        for (target, source) in [(a, b), (b, a)] {
            scope.spawn(move || {
                for _ in 0..1000 {
                    ok(unsafe { paimon_commit_messages_merge(target as *const _, source as *const _) });
                }
            });
        }
    });
}

#[test]
fn commits_want_their_own_messages() {
    let warehouse = Warehouse::new();
    let table = warehouse.table("t", &people());
    let (me, you) = (Writer::named(&table, "me"), Writer::named(&table, "you"));
    let other_table = Writer::named(&warehouse.table("u", &people()), "me");
    let over = Writer::overwriting(&table, "me");
    let messages = me.prepared(&[(1, "a")]);
    for (commit, says) in [(&you, "you"), (&other_table, "db.u"), (&over, "overwrite")] {
        let (commit, messages) = (commit.commit.0, messages.0);
        unsafe {
            refused(paimon_table_commit_commit(commit, messages), PAIMON_CODE_INVALID_INPUT, says);
            refused(
                paimon_table_commit_overwrite(commit, messages),
                PAIMON_CODE_INVALID_INPUT,
                says,
            );
            refused(paimon_table_commit_abort(commit, messages), PAIMON_CODE_INVALID_INPUT, says);
        }
    }
    // The right commit, asked for the wrong thing.
    unsafe {
        let overwrite = paimon_table_commit_overwrite(me.commit.0, messages.0);
        refused(overwrite, PAIMON_CODE_INVALID_INPUT, "made to append");
        let append = paimon_table_commit_commit(over.commit.0, over.prepared(&[(2, "b")]).0);
        refused(append, PAIMON_CODE_INVALID_INPUT, "made to overwrite");
    }
    assert_eq!(latest_id(&table), 0);
    // No refusal counts as an attempt: the messages can still be given up, or committed.
    ok(me.abort(&messages));
}

#[test]
fn messages_are_committed_once() {
    let warehouse = Warehouse::new();
    let table = warehouse.table("t", &people());
    let writer = Writer::new(&table);
    let messages = writer.prepared(&[(1, "a")]);
    let (commit, messages) = (writer.commit.0, messages.0);
    unsafe {
        ok(paimon_table_commit_commit(commit, messages));
        refused(
            paimon_table_commit_commit(commit, messages),
            PAIMON_CODE_INVALID_INPUT,
            "committed before",
        );
        refused(
            paimon_table_commit_commit_with_identifier(commit, messages, 7),
            PAIMON_CODE_INVALID_INPUT,
            "committed before",
        );
    }
    assert_eq!(rows(&table), named(&[(1, "a")]));
    assert_eq!(latest_id(&table), 1);
}

#[test]
fn identifiers_are_filtered() {
    let warehouse = Warehouse::new();
    let table = warehouse.table("t", &people());
    let writer = Writer::named(&table, "me");
    let filtered = |writer: &Writer, messages: &Own<_>, identifier| unsafe {
        paimon_table_commit_filter_and_commit_with_identifier(writer.commit.0, messages.0, identifier)
    };
    let first = writer.prepared(&[(1, "a")]);
    ok(filtered(&writer, &first, 5));
    ok(filtered(&writer, &first, 5));
    // Another process would come with other handles, and files of its own.
    let retry = Writer::named(&warehouse.open("t"), "me");
    ok(filtered(&retry, &retry.prepared(&[(1, "a")]), 5));
    ok(filtered(&retry, &retry.prepared(&[(0, "old")]), 4));
    assert_eq!((rows(&table), latest_id(&table)), (named(&[(1, "a")]), 1));
    // The identifiers of another user are others.
    let you = Writer::named(&table, "you");
    ok(filtered(&you, &you.prepared(&[(2, "b")]), 5));
    ok(filtered(&writer, &writer.prepared(&[(3, "c")]), 6));
    assert_eq!((rows(&table), latest_id(&table)), (named(&[(1, "a"), (2, "b"), (3, "c")]), 3));
    assert_eq!(latest_snapshot(&table).unwrap()["commitIdentifier"], 6);
    // Committed messages do not slip in again under a fresh identifier.
    refused(
        filtered(&writer, &first, 7),
        PAIMON_CODE_INVALID_INPUT,
        "not under identifier 7",
    );
    assert_eq!(latest_id(&table), 3);

    // Without a filter, an identifier is only written down.
    unsafe {
        let messages = writer.prepared(&[(4, "d")]);
        ok(paimon_table_commit_commit_with_identifier(writer.commit.0, messages.0, 6));
    }
    assert_eq!(latest_id(&table), 4);
}

#[test]
fn overwrite_replaces() {
    let warehouse = Warehouse::new();
    let table = warehouse.table("t", &people());
    let append = Writer::new(&table);
    ok(append.commit(&append.prepared(&[(1, "a"), (2, "b")])));
    let writer = Writer::overwriting(&table, "me");
    let messages = writer.prepared(&[(3, "c")]);
    ok(unsafe { paimon_table_commit_overwrite(writer.commit.0, messages.0) });
    assert_eq!(rows(&table), named(&[(3, "c")]));
    assert_eq!(latest_snapshot(&table).unwrap()["commitKind"], "OVERWRITE");
    refused(
        unsafe { paimon_table_commit_overwrite(writer.commit.0, messages.0) },
        PAIMON_CODE_INVALID_INPUT,
        "committed before",
    );
}

#[test]
fn overwrite_retries_do_not_destroy_what_came_after() {
    let warehouse = Warehouse::new();
    let table = warehouse.table("t", &people());
    let writer = Writer::overwriting(&table, "me");
    let overwrite = |writer: &Writer, messages: &Own<_>, identifier| unsafe {
        paimon_table_commit_overwrite_with_identifier(writer.commit.0, messages.0, identifier)
    };
    let messages = writer.prepared(&[(1, "a")]);
    ok(overwrite(&writer, &messages, 1));
    let append = Writer::new(&table);
    ok(append.commit(&append.prepared(&[(2, "b")])));
    ok(overwrite(&writer, &messages, 1));
    let retry = Writer::overwriting(&warehouse.open("t"), "me");
    ok(overwrite(&retry, &retry.prepared(&[(1, "a")]), 1));
    assert_eq!((rows(&table), latest_id(&table)), (named(&[(1, "a"), (2, "b")]), 2));
    ok(overwrite(&writer, &writer.prepared(&[(3, "c")]), 2));
    assert_eq!(rows(&table), named(&[(3, "c")]));
    // Files that an overwrite threw out do not come back under a fresh identifier.
    refused(
        overwrite(&writer, &messages, 3),
        PAIMON_CODE_INVALID_INPUT,
        "not under identifier 3",
    );
    assert_eq!((rows(&table), latest_id(&table)), (named(&[(3, "c")]), 3));
}

#[test]
fn messages_are_committed_once_by_many_threads() {
    let warehouse = Warehouse::new();
    let table = warehouse.table("t", &people());
    let writer = Writer::named(&table, "me");
    for round in 0..10 {
        let messages = writer.prepared(&[(round, "a")]);
        let copy = writer.prepare();
        ok(unsafe { paimon_commit_messages_merge(copy.0, messages.0) });
        let calls = [messages.0 as usize, copy.0 as usize, messages.0 as usize, copy.0 as usize];
        let commit = writer.commit.0 as usize;
        let successes: usize = std::thread::scope(|scope| {
            let threads = calls.map(|messages| {
                scope.spawn(move || {
                    let commit = unsafe { paimon_table_commit_commit(commit as *const _, messages as *const _) };
                    usize::from(commit.settle().is_ok())
                })
            });
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!(
            (successes, latest_id(&table), rows(&table).len() as i32),
            (1, round as i64 + 1, round + 1)
        );
    }
}

#[test]
fn truncate_empties() {
    let warehouse = Warehouse::new();
    let table = warehouse.table("t", &people());
    let writer = Writer::named(&table, "me");
    ok(writer.commit(&writer.prepared(&[(1, "a")])));
    unsafe {
        ok(paimon_table_commit_truncate_table(writer.commit.0));
        assert_eq!(rows(&table), []);
        let again = Writer::named(&table, "again");
        ok(paimon_table_commit_truncate_table_with_identifier(again.commit.0, 1));
        ok(writer.commit(&writer.prepared(&[(2, "b")])));
        ok(paimon_table_commit_truncate_table_with_identifier(again.commit.0, 1));
    }
    assert_eq!(rows(&table), named(&[(2, "b")]));
}

#[test]
fn abort_deletes_only_what_was_never_submitted() {
    let warehouse = Warehouse::new();
    let table = warehouse.table("t", &people());
    let writer = Writer::new(&table);

    let given_up = writer.prepared(&[(1, "a")]);
    assert_eq!(warehouse.data_files("t").len(), 1);
    ok(writer.abort(&given_up));
    assert_eq!(warehouse.data_files("t"), Vec::<PathBuf>::new());
    ok(writer.abort(&given_up));
    refused(writer.commit(&given_up), PAIMON_CODE_INVALID_INPUT, "aborted");
    refused(
        unsafe { paimon_table_commit_filter_and_commit_with_identifier(writer.commit.0, given_up.0, 1) },
        PAIMON_CODE_INVALID_INPUT,
        "aborted",
    );
    assert_eq!(latest_id(&table), 0);

    let committed = writer.prepared(&[(2, "b")]);
    ok(writer.commit(&committed));
    let files = warehouse.data_files("t");
    refused(writer.abort(&committed), PAIMON_CODE_INVALID_INPUT, "kept");
    assert_eq!(warehouse.data_files("t"), files);
    assert_eq!(rows(&table), named(&[(2, "b")]));

    // A merge that holds committed messages is not given up, not even in part.
    let fresh = writer.prepared(&[(3, "c")]);
    ok(unsafe { paimon_commit_messages_merge(fresh.0, committed.0) });
    refused(writer.abort(&fresh), PAIMON_CODE_INVALID_INPUT, "kept");
    assert_eq!(warehouse.data_files("t").len(), 2);
}

#[test]
fn a_failed_commit_keeps_its_files() {
    let warehouse = Warehouse::new();
    let table = warehouse.table("t", &people());
    let writer = Writer::new(&table);
    let messages = writer.prepared(&[(1, "a")]);
    // No snapshot can be written where a file stands in the folder's place.
    let snapshots = warehouse.path("t").join("snapshot");
    std::fs::write(&snapshots, "").unwrap();
    let Err(refusal) = writer.commit(&messages).settle() else {
        panic!("a commit without a place for its snapshot")
    };
    assert!(refusal.message.contains("snapshot"), "{refusal:?}");
    refused(writer.abort(&messages), PAIMON_CODE_INVALID_INPUT, "kept");
    assert_eq!(warehouse.data_files("t").len(), 1);
    std::fs::remove_file(&snapshots).unwrap();
    ok(writer.commit(&messages));
    assert_eq!(rows(&table), named(&[(1, "a")]));
}
