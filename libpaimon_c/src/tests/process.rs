// SPDX-License-Identifier: Apache-2.0

//! What only the whole process shows: objects and bytes that are out, threads, panics.

use std::time::{Duration, Instant};

use super::*;
use crate::abi::paimon_selftest_panic;
use crate::alloc::paimon_live_bytes;
use crate::handle::paimon_live_handles;

fn workers() -> usize {
    std::fs::read_dir("/proc/self/task")
        .unwrap()
        .filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok())
        .filter(|name| name.trim() == "paimon")
        .count()
}

/// A joined thread may stay in /proc for a moment.
#[cfg(target_os = "linux")]
fn assert_no_workers() {
    let start = Instant::now();
    while workers() > 0 {
        assert!(start.elapsed() < Duration::from_secs(5), "{} threads are left", workers());
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn every_object_is_counted() {
    let _alone = alone();
    assert_eq!(paimon_live_handles(), 0);
    {
        let warehouse = Warehouse::within_turn();
        assert_eq!(paimon_live_handles(), 1);
        let table = warehouse.table("t", &people());
        assert_eq!(paimon_live_handles(), 2);
        let writer = Writer::new(&table);
        assert_eq!(paimon_live_handles(), 5);
        let messages = writer.prepared(&[(1, "a")]);
        assert_eq!(paimon_live_handles(), 6);
        ok(writer.commit(&messages));
        let reading = Reading::of(&table);
        assert_eq!(paimon_live_handles(), 9);
        let reader = reading.reader();
        assert_eq!(paimon_live_handles(), 10);
        drain(&reader);
        // Errors count as well.
        let error = writer.commit(&messages);
        assert_eq!(paimon_live_handles(), 11);
        unsafe { paimon_error_free(error) };
        assert_eq!(paimon_live_handles(), 10);
    }
    assert_eq!(paimon_live_handles(), 0);
}

/// A write to a closed socket raises SIGPIPE in the thread that wrote, which ends a Go program unless the thread blocks it.
#[test]
#[cfg(target_os = "linux")]
fn native_threads_block_signals() {
    let _alone = alone();
    let warehouse = Warehouse::within_turn();
    let table = warehouse.table("t", &people());
    let writer = Writer::new(&table);
    ok(writer.commit(&writer.prepared(&[(1, "a")])));
    let masks = blocked_signals();
    assert!(!masks.is_empty());
    for mask in masks {
        let blocked = |signal: i32| mask & 1 << (signal - 1) != 0;
        assert!(blocked(libc::SIGPIPE) && blocked(libc::SIGUSR1), "{mask:x}");
        assert!(
            !blocked(libc::SIGSEGV) && !blocked(libc::SIGPROF) && !blocked(libc::SIGINT),
            "{mask:x}"
        );
    }
    // The caller's own threads keep what they had.
    let own = std::fs::read_to_string("/proc/thread-self/status").unwrap();
    assert_eq!(blocked_in(&own), 0);
}

#[cfg(target_os = "linux")]
fn blocked_signals() -> Vec<u64> {
    std::fs::read_dir("/proc/self/task")
        .unwrap()
        .filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("status")).ok())
        .filter(|status| status.starts_with("Name:\tpaimon\n"))
        .map(|status| blocked_in(&status))
        .collect()
}

#[cfg(target_os = "linux")]
fn blocked_in(status: &str) -> u64 {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigBlk:")).unwrap();
    u64::from_str_radix(mask.trim(), 16).unwrap()
}

#[test]
fn a_call_is_called_off() {
    let warehouse = Warehouse::new();
    let catalog = warehouse.catalog.0;
    unsafe {
        let token = ok(paimon_cancel_token_new());
        paimon_cancel_token_enter(token.0);
        ok(paimon_cancel_token_cancel(token.0));
        drop(token);
        refused(paimon_catalog_list_databases(catalog), PAIMON_CODE_CANCELLED, "called off");
        let more = c("more");
        let made = paimon_catalog_create_database(catalog, more.as_ptr(), std::ptr::null(), 0, false);
        refused(made, PAIMON_CODE_CANCELLED, "called off");

        paimon_cancel_token_enter(std::ptr::null());
        assert!(!ok(paimon_catalog_list_databases(catalog)).contains("more"));
        refused(
            paimon_cancel_token_cancel(std::ptr::null()),
            PAIMON_CODE_INVALID_INPUT,
            "NULL",
        );
        paimon_cancel_token_free(std::ptr::null_mut());
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_process_at_rest_has_no_threads_of_ours() {
    let _alone = alone();
    assert_no_workers();
    for _ in 0..3 {
        let warehouse = Warehouse::within_turn();
        let table = warehouse.table("t", &people());
        let writer = Writer::new(&table);
        ok(writer.commit(&writer.prepared(&[(1, "a")])));
        assert!(workers() > 0);
        let reading = Reading::of(&table);
        let reader = reading.reader();
        // The reader alone keeps them; a batch does not.
        let Warehouse { catalog, folder, .. } = warehouse;
        drop((reading, writer, table, catalog));
        assert!(workers() > 0);
        let batch = ok(unsafe { paimon_record_batch_reader_next(reader.0) }).unwrap();
        drop((reader, folder));
        assert_no_workers();
        assert_eq!(people_in(&[batch.import()]), named(&[(1, "a")]));
    }
}

#[test]
fn open_and_close_leaves_nothing() {
    let _alone = alone();
    let folder = Folder::new();
    let name = identifier("db", "t");
    let catalog = open_catalog(&folder.0);
    ok(unsafe { paimon_catalog_create_database(catalog.0, c("db").as_ptr(), std::ptr::null(), 0, false) });
    ok(unsafe { paimon_catalog_create_table(catalog.0, name.0, people().as_ptr(), false) });
    let once = || {
        let catalog = open_catalog(&folder.0);
        let table = ok(unsafe { paimon_catalog_get_table(catalog.0, name.0) });
        let writer = Writer::new(&table);
        let messages = writer.prepared(&[(1, "a")]);
        ok(writer.abort(&messages));
        refused(writer.commit(&messages), PAIMON_CODE_INVALID_INPUT, "aborted");
    };
    // The runtime lives through the first loops, and starts anew in each of the last.
    let mut before = 0;
    for round in 0..1100 {
        if round == 100 {
            before = paimon_live_bytes();
        }
        once();
    }
    let grown = paimon_live_bytes() - before;
    assert!(grown.abs() < 64 << 10, "1,000 loops grew by {grown} bytes");
    drop(catalog);
    for round in 0..110 {
        if round == 10 {
            before = paimon_live_bytes();
        }
        once();
    }
    let grown = paimon_live_bytes() - before;
    assert!(grown.abs() < 64 << 10, "100 starts of the runtime grew by {grown} bytes");
}

#[test]
fn reading_leaves_nothing() {
    let _alone = alone();
    let warehouse = Warehouse::within_turn();
    let table = warehouse.table("t", &people());
    let writer = Writer::new(&table);
    ok(writer.commit(&writer.prepared(&[(1, "a"), (2, "b")])));
    let mut before = 0;
    for round in 0..550 {
        if round == 50 {
            before = paimon_live_bytes();
        }
        let reading = Reading::of(&table);
        let reader = reading.reader();
        match round % 3 {
            // Never asked, asked once and left, read to the end.
            0 => {}
            1 => drop(ok(unsafe { paimon_record_batch_reader_next(reader.0) })),
            _ => drop(drain(&reader)),
        }
    }
    let grown = paimon_live_bytes() - before;
    assert!(grown.abs() < 64 << 10, "500 reads grew by {grown} bytes");
}

#[test]
fn a_panic_becomes_an_error() {
    let warehouse = Warehouse::new();
    for _ in 0..3 {
        let message = refused(
            unsafe { paimon_selftest_panic(c("boom and bust").as_ptr()) },
            PAIMON_CODE_UNEXPECTED,
            "boom and bust",
        );
        assert!(message.contains("src/abi.rs:"), "no place in: {message}");
        assert_eq!(ok(unsafe { paimon_catalog_list_databases(warehouse.catalog.0) }), r#"["db"]"#);
    }
    // On any thread.
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                refused(
                    unsafe { paimon_selftest_panic(c("here").as_ptr()) },
                    PAIMON_CODE_UNEXPECTED,
                    "here",
                )
            });
        }
    });
}

#[test]
fn many_threads_use_one_object() {
    let warehouse = Warehouse::new();
    let table = warehouse.table("t", &people());
    let writer = Writer::new(&table);
    let write = writer.write.0 as usize;
    std::thread::scope(|scope| {
        for worker in 0..8 {
            scope.spawn(move || {
                for row in 0..25 {
                    let id = worker * 100 + row;
                    let mut source = Source::new(1, vec![int("id", &[id]), text("name", &["x"])]);
                    let write = write as *const paimon_table_write;
                    ok(unsafe { paimon_table_write_write_arrow_batch(write, source.array().cast(), source.schema().cast()) });
                    source.spoil();
                }
            });
        }
    });
    ok(writer.commit(&writer.prepare()));
    let want: Vec<i32> = (0..8).flat_map(|worker| (0..25).map(move |row| worker * 100 + row)).collect();
    assert_eq!(rows(&table).into_iter().map(|(id, _)| id).collect::<Vec<_>>(), want);

    // One reader for all: every row comes to exactly one of them.
    let reading = Reading::of(&table);
    let reader = reading.reader();
    let at = reader.0 as usize;
    let mut got: Vec<i32> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(move || {
                    let mut ids = Vec::new();
                    while let Some(batch) = ok(unsafe { paimon_record_batch_reader_next(at as *const _) }) {
                        ids.extend(people_in(&[batch.import()]).into_iter().map(|(id, _)| id));
                    }
                    ids
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    got.sort();
    assert_eq!(got, want);
}
