// SPDX-License-Identifier: Apache-2.0

//! The read path: settings, splits, and the stream of batches.

use super::*;

/// A table of people whose two commits are two files.
fn two_files(warehouse: &Warehouse, name: &str) -> Own<paimon_table> {
    let table = warehouse.table(name, &people());
    let writer = Writer::new(&table);
    ok(writer.commit(&writer.prepared(&[(1, "a"), (2, "b")])));
    ok(writer.commit(&writer.prepared(&[(3, "c")])));
    table
}

fn project(builder: &Own<paimon_read_builder>, columns: &[&str]) -> *mut paimon_error {
    let strings: Vec<CString> = columns.iter().map(|column| c(column)).collect();
    let pointers: Vec<*const c_char> = strings.iter().map(|string| string.as_ptr()).collect();
    unsafe { paimon_read_builder_with_projection(builder.0, pointers.as_ptr(), pointers.len()) }
}

#[test]
fn projections() {
    let warehouse = Warehouse::new();
    let table = two_files(&warehouse, "t");
    let Reading { builder, plan, .. } = Reading::of(&table);
    let read = || unsafe { paimon_read_builder_new_read(builder.0) };
    let columns = || {
        let read = ok(read());
        let reader = ok(unsafe { paimon_table_read_to_arrow(read.0, plan.0, 0, 1) });
        let batch = drain(&reader).remove(0);
        let names: Vec<String> = batch.schema().fields().iter().map(|field| field.name().clone()).collect();
        (names.join(" "), batch.num_rows())
    };
    let all = columns().1;
    assert_eq!(columns().0, "id name");
    ok(project(&builder, &["name", "id"]));
    assert_eq!(columns(), ("name id".into(), all));

    let message = refused(project(&builder, &["id", "none"]), PAIMON_CODE_COLUMN_NOT_EXIST, "none");
    assert!(message.contains("db.t"), "{message}");
    assert_eq!(columns().0, "name id", "a projection that failed counts");

    ok(project(&builder, &["id", "id"]));
    refused(read(), PAIMON_CODE_INVALID_INPUT, "id");
    ok(project(&builder, &["NAME"]));
    assert!(read().settle().is_err(), "the wrong case by default");
    ok(unsafe { paimon_read_builder_with_case_sensitive(builder.0, false) });
    assert_eq!(columns().0, "name");
    ok(project(&builder, &[]));
    assert_eq!(columns(), ("".into(), all));
}

#[test]
fn a_limit_holds_for_each_reader() {
    let warehouse = Warehouse::new();
    let table = two_files(&warehouse, "t");
    for limit in [0, 1, 2, 3, usize::MAX] {
        unsafe {
            let builder = ok(paimon_table_new_read_builder(table.0));
            ok(paimon_read_builder_with_limit(builder.0, limit));
            let plan = ok(paimon_table_scan_plan(ok(paimon_read_builder_new_scan(builder.0)).0));
            let read = ok(paimon_read_builder_new_read(builder.0));
            let splits = ok(paimon_plan_num_splits(plan.0));
            let mut count = 0;
            if splits > 0 {
                count = people_in(&drain(&ok(paimon_table_read_to_arrow(read.0, plan.0, 0, splits)))).len();
            }
            assert_eq!(count, limit.min(3), "limit {limit}");
        }
    }
}

#[test]
fn a_plan_is_of_its_time() {
    let warehouse = Warehouse::new();
    let table = two_files(&warehouse, "t");
    let reading = Reading::of(&table);
    let writer = Writer::new(&table);
    ok(writer.commit(&writer.prepared(&[(4, "d")])));
    let mut before = people_in(&drain(&reading.reader()));
    before.sort();
    assert_eq!(before, named(&[(1, "a"), (2, "b"), (3, "c")]));
    assert_eq!(rows(&table).len(), 4);
}

#[test]
fn everything_outlives_what_it_came_from() {
    let warehouse = Warehouse::new();
    let table = two_files(&warehouse, "t");
    let reading = Reading::of(&table);
    let reader = reading.reader();
    let Warehouse {
        catalog,
        folder,
        _turn: turn,
    } = warehouse;
    drop((reading, table, catalog));
    let batch = ok(unsafe { paimon_record_batch_reader_next(reader.0) }).unwrap();
    let rest = {
        let mut rest = Vec::new();
        while let Some(batch) = ok(unsafe { paimon_record_batch_reader_next(reader.0) }) {
            rest.push(batch);
        }
        rest
    };
    drop((reader, folder));
    let mut all = people_in(&[batch.import()]);
    for batch in &rest {
        all.extend(people_in(&[batch.import()]));
    }
    all.sort();
    assert_eq!(all, named(&[(1, "a"), (2, "b"), (3, "c")]));
    drop((batch, rest, turn));
}

#[test]
fn splits_travel_as_bytes() {
    let warehouse = Warehouse::new();
    for (name, schema) in [("append", people()), ("keyed", keyed_people())] {
        let table = warehouse.table(name, &schema);
        let writer = Writer::new(&table);
        ok(writer.commit(&writer.prepared(&[(1, "a"), (2, "b")])));
        let reading = Reading::of(&table);
        assert_eq!(reading.splits(), 1);
        let split = ok_bytes(&reading, 0);
        // Written and read again, also by another handle, it is the same bytes and the same rows.
        let plan = ok(from_bytes(&[&split]));
        let other = Reading {
            plan,
            ..Reading::of(&warehouse.open(name))
        };
        assert_eq!(ok_bytes(&other, 0), split);
        assert_eq!(people_in(&drain(&other.reader())), named(&[(1, "a"), (2, "b")]));

        for cut in 0..split.len() {
            let Err(refusal) = from_bytes(&[&split[..cut]]).settle() else {
                panic!("{name}: a split of {cut} of {} bytes", split.len())
            };
            assert_eq!(refusal.code, PAIMON_CODE_INVALID_INPUT, "{cut} bytes: {refusal:?}");
            assert!(refusal.message.starts_with("split 0: "), "{refusal:?}");
        }
        let longer = [&split[..], &[0]].concat();
        refused(from_bytes(&[&split, &longer]), PAIMON_CODE_INVALID_INPUT, "split 1: ");
        refused(from_bytes(&[b"not a split at all"]), PAIMON_CODE_INVALID_INPUT, "split 0: ");
        // Byte 11 is the last of the serializer's version.
        let mut newer = split.clone();
        newer[11] = 99;
        refused(from_bytes(&[&newer]), PAIMON_CODE_UNSUPPORTED, "99");
        // Any other byte gives a split or a refusal; a panic would be PAIMON_CODE_UNEXPECTED.
        for at in 0..split.len() {
            for flip in [0x01, 0x80, 0xff] {
                let mut changed = split.clone();
                changed[at] ^= flip;
                match from_bytes(&[&changed]).settle() {
                    Ok(_) => {}
                    Err(refusal) => assert!(
                        [PAIMON_CODE_INVALID_INPUT, PAIMON_CODE_UNSUPPORTED].contains(&refusal.code),
                        "byte {at} ^ {flip}: {refusal:?}"
                    ),
                }
            }
        }
    }
}

fn ok_bytes(reading: &Reading, index: usize) -> Vec<u8> {
    let given = unsafe { paimon_plan_split_bytes(reading.plan.0, index) };
    assert!(given.error.is_null());
    let bytes = unsafe { slice(given.value.data.cast_const(), given.value.len, "split") }
        .unwrap()
        .to_vec();
    unsafe { paimon_bytes_free(given.value) };
    bytes
}

fn from_bytes(splits: &[&[u8]]) -> paimon_result<paimon_plan> {
    let runs: Vec<paimon_bytes> = splits
        .iter()
        .map(|split| paimon_bytes {
            data: split.as_ptr().cast_mut(),
            len: split.len(),
        })
        .collect();
    unsafe { paimon_plan_from_split_bytes(runs.as_ptr(), runs.len()) }
}

#[test]
fn an_error_is_followed_by_the_end() {
    let warehouse = Warehouse::new();
    let table = two_files(&warehouse, "t");
    let files = warehouse.data_files("t");
    let reading = Reading::of(&table);
    std::fs::remove_file(&files[0]).unwrap();
    let reader = reading.reader();
    let next = || unsafe { paimon_record_batch_reader_next(reader.0) };
    let refusal = loop {
        match next().settle() {
            Ok(Some(_)) => {}
            Ok(None) => panic!("the end, without an error"),
            Err(refusal) => break refusal,
        }
    };
    let file = files[0].file_name().unwrap().to_str().unwrap();
    assert!(refusal.message.contains(file), "{refusal:?}");
    assert_eq!(refusal.code, PAIMON_CODE_NOT_FOUND, "{refusal:?}");
    for _ in 0..3 {
        assert!(ok(next()).is_none());
    }
    // Another reader of the same handles finds the same, and what is whole can still be read.
    assert!(read_all(&table).is_err());
    assert_eq!(rows(&two_files(&warehouse, "u")).len(), 3);
}

#[test]
fn the_end_stays_the_end() {
    let warehouse = Warehouse::new();
    let table = two_files(&warehouse, "t");
    let reader = Reading::of(&table).reader();
    assert_eq!(people_in(&drain(&reader)).len(), 3);
    for _ in 0..3 {
        assert!(ok(unsafe { paimon_record_batch_reader_next(reader.0) }).is_none());
    }
}

#[test]
fn corrupt_files_are_errors() {
    let warehouse = Warehouse::new();
    type Breaker = fn(&[u8]) -> Vec<u8>;
    let damages: [(&str, Breaker); 3] = [
        ("empty", |_| Vec::new()),
        ("cut", |bytes| bytes[..bytes.len() / 2].to_vec()),
        ("garbage", |bytes| vec![0x5a; bytes.len()]),
    ];
    for kind in ["snapshot", "manifest", "bucket-0", "schema"] {
        for (damage, spoil) in damages {
            let name = format!("{}_{damage}", kind.replace('-', "_"));
            let table = two_files(&warehouse, &name);
            for entry in std::fs::read_dir(warehouse.path(&name).join(kind)).unwrap() {
                let path = entry.unwrap().path();
                let bytes = std::fs::read(&path).unwrap();
                std::fs::write(&path, spoil(&bytes)).unwrap();
            }
            let outcome = if kind == "schema" {
                let opened = unsafe { paimon_catalog_get_table(warehouse.catalog.0, identifier("db", &name).0) };
                opened.settle().map(|_| ())
            } else {
                read_all(&table)
            };
            let Err(refusal) = outcome else {
                panic!("{name} is read as if nothing were")
            };
            assert!(!refusal.message.contains("internal error"), "{name}: {refusal:?}");
            eprintln!("{name}: {} {}", refusal.code, refusal.message);
        }
    }
    // The process and its catalog live on.
    assert_eq!(rows(&two_files(&warehouse, "whole")).len(), 3);
}

fn read_all(table: &Own<paimon_table>) -> std::result::Result<(), Refusal> {
    unsafe {
        let builder = paimon_table_new_read_builder(table.0).settle()?;
        let scan = paimon_read_builder_new_scan(builder.0).settle()?;
        let plan = paimon_table_scan_plan(scan.0).settle()?;
        let read = paimon_read_builder_new_read(builder.0).settle()?;
        let splits = paimon_plan_num_splits(plan.0).settle()?;
        if splits == 0 {
            return Ok(());
        }
        let reader = paimon_table_read_to_arrow(read.0, plan.0, 0, splits).settle()?;
        while paimon_record_batch_reader_next(reader.0).settle()?.is_some() {}
        Ok(())
    }
}
