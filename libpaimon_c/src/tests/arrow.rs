// SPDX-License-Identifier: Apache-2.0

//! Record batches of all kinds on their way in, right and wrong.

use std::ffi::c_void;
use std::sync::Arc;

use arrow_array::{Int32Array, StringArray};

use super::source::*;
use super::*;

const COLUMNS: &[(&str, &str)] = &[("id", "INT NOT NULL"), ("name", "STRING")];

fn all_kinds() -> CString {
    let row = serde_json::json!({"type": "ROW", "fields": [
        {"id": 10, "name": "x", "type": "INT"}, {"id": 11, "name": "y", "type": "STRING"}]});
    let fields: Vec<_> = [
        ("id", serde_json::json!("INT NOT NULL")),
        ("name", serde_json::json!("STRING")),
        ("price", serde_json::json!("DECIMAL(20, 2)")),
        ("tags", serde_json::json!({"type": "ARRAY", "element": "STRING"})),
        (
            "marks",
            serde_json::json!({"type": "MAP", "key": "STRING NOT NULL", "value": "INT"}),
        ),
        ("spot", row),
    ]
    .into_iter()
    .enumerate()
    .map(|(id, (name, kind))| serde_json::json!({"id": id, "name": name, "type": kind}))
    .collect();
    c(
        &serde_json::json!({"fields": fields, "partitionKeys": [], "primaryKeys": [], "options": {}, "comment": null})
            .to_string(),
    )
}

/// Four rows of all kinds, the third with a NULL wherever it may be one.
fn four_rows() -> Vec<Column> {
    let valid = [true, true, false, true];
    let decimals = [100i128, -250, 0, 12345].map(i128::to_ne_bytes);
    let numbers = Column {
        flags: 2,
        ..int("x", &[5, 6, 7, 8])
    };
    vec![
        int("id", &[1, 2, 3, 4]),
        text("name", &["a", "bb", "", "dddd"]).with_nulls(&valid),
        fixed("price", "d:20,2", decimals).with_nulls(&valid),
        list("tags", &[0, 2, 2, 2, 3], text("", &["t1", "t2", "t3"])).with_nulls(&valid),
        map(
            "marks",
            &[0, 1, 1, 1, 3],
            text("", &["k1", "k2", "k3"]),
            Column {
                flags: 2,
                ..int("", &[1, 2, 3])
            },
        )
        .with_nulls(&valid),
        row("spot", 4, vec![numbers, text("y", &["p", "q", "r", "s"])]).with_nulls(&valid),
    ]
}

/// The rows of a table as text, sorted.
fn shown(table: &Own<paimon_table>) -> Vec<String> {
    let mut lines = Vec::new();
    for batch in batches(table) {
        for index in 0..batch.num_rows() {
            let cells: Vec<String> = batch
                .columns()
                .iter()
                .map(|column| format!("{:?}", column.slice(index, 1)).split_whitespace().collect::<String>())
                .collect();
            lines.push(cells.join(" | "));
        }
    }
    lines.sort();
    lines
}

#[test]
fn nothing_is_read_after_the_call() {
    let warehouse = Warehouse::new();
    let kept = warehouse.table("kept", &all_kinds());
    let spoilt = warehouse.table("spoilt", &all_kinds());
    for (table, spoil) in [(&kept, false), (&spoilt, true)] {
        let writer = Writer::new(table);
        let mut sources = Vec::new();
        for _ in 0..3 {
            let mut source = Source::new(4, four_rows());
            ok(writer.send(&mut source));
            assert_eq!(source.is_released(), (true, true));
            if spoil {
                source.spoil();
            } else {
                sources.push(source);
            }
        }
        ok(writer.commit(&writer.prepare()));
    }
    let rows = shown(&kept);
    assert_eq!(rows.len(), 12);
    assert!(
        rows[0].contains("\"a\"") && rows[0].contains("[100,]") && rows[0].contains("t2"),
        "{}",
        rows[0]
    );
    assert_eq!(shown(&spoilt), rows);
}

#[test]
fn slices_are_only_their_rows() {
    let warehouse = Warehouse::new();
    let whole = warehouse.table("whole", &all_kinds());
    let writer = Writer::new(&whole);
    ok(writer.send(&mut Source::new(4, four_rows())));
    ok(writer.commit(&writer.prepare()));
    let want = shown(&whole);

    // The columns sliced, the struct around them sliced, and both.
    let columns =
        |offset, length| -> Vec<Column> { four_rows().into_iter().map(|column| column.sliced(offset, length)).collect() };
    let sources = [
        Source::new(3, columns(1, 3)),
        Source::of(&row("", 4, four_rows()).sliced(1, 3)),
        Source::of(&row("", 4, columns(0, 4)).sliced(1, 3)),
        Source::of(&row("", 4, columns(1, 3)).sliced(0, 3)),
    ];
    for (index, mut source) in sources.into_iter().enumerate() {
        let table = warehouse.table(&format!("t{index}"), &all_kinds());
        let writer = Writer::new(&table);
        ok(writer.send(&mut source));
        source.spoil();
        ok(writer.commit(&writer.prepare()));
        assert_eq!(shown(&table), want[1..], "source {index}");
    }
}

/// Makes an array one of no rows and no buffers, and its children as well.
fn hollow(column: &mut Column) {
    column.length = 0;
    column.buffers.fill(None);
    column.children.iter_mut().for_each(hollow);
}

#[test]
fn empty_batches_are_no_rows() {
    let warehouse = Warehouse::new();
    let table = warehouse.table("t", &all_kinds());
    let writer = Writer::new(&table);
    let bare = |columns: Vec<Column>| -> Vec<Column> {
        // Empty arrays may come without any buffer.
        columns
            .into_iter()
            .map(|mut column| {
                hollow(&mut column);
                column
            })
            .collect()
    };
    let sliced = |offset| four_rows().into_iter().map(|column| column.sliced(offset, 0)).collect();
    for columns in [bare(four_rows()), sliced(0), sliced(2), sliced(4)] {
        ok(writer.send(&mut Source::new(0, columns)));
    }
    ok(writer.commit(&writer.prepare()));
    assert_eq!(latest_id(&table), 0, "a snapshot of no rows");

    // The write goes on, and lists that are all empty may have children without buffers.
    let mut columns = four_rows();
    for column in &mut columns[3..5] {
        column.buffers[1] = Some(vec![0; 20]);
        hollow(&mut column.children[0]);
    }
    ok(writer.send(&mut Source::new(4, columns)));
    ok(writer.commit(&writer.prepare()));
    assert_eq!(shown(&table).len(), 4);
}

#[test]
fn buffers_need_not_be_aligned() {
    let warehouse = Warehouse::new();
    let schema = schema(&[("id", "INT NOT NULL"), ("price", "DECIMAL(20, 2)")], &[], &[]);
    let table = warehouse.table("t", &schema);
    // 16 bytes wide values, 8 bytes off.
    let values: Vec<[u8; 8]> = [0i64, 100, 0, 250, 0].map(i64::to_ne_bytes).to_vec();
    let mut price = fixed("price", "d:20,2", values);
    price.length = 2;
    let mut source = Source::new(2, vec![int("id", &[1, 2]), price]);
    unsafe {
        let buffer = source.child(1).buffers.add(1);
        *buffer = (*buffer).byte_add(8);
    }
    let writer = Writer::new(&table);
    ok(writer.send(&mut source));
    source.spoil();
    ok(writer.commit(&writer.prepare()));
    let rows = shown(&table);
    assert!(rows[0].contains("[100,]") && rows[1].contains("[250,]"), "{rows:?}");
}

#[test]
fn null_counts_are_not_trusted() {
    let warehouse = Warehouse::new();
    let table = warehouse.table("t", &people());
    let writer = Writer::new(&table);
    for count in [-1, 1] {
        let mut name = text("name", &["a", "b"]).with_nulls(&[true, false]);
        name.null_count = count;
        ok(writer.send(&mut Source::new(2, vec![int("id", &[1, 2]), name])));
    }
    ok(writer.commit(&writer.prepare()));
    assert_eq!(rows(&table), named(&[(1, "a"), (1, "a"), (2, "NULL"), (2, "NULL")]));
}

/// Sends a batch that must be refused, and spoils its memory.
#[track_caller]
fn assert_refused(writer: &Writer, mut source: Source, says: &str) {
    let message = refused(writer.send(&mut source), PAIMON_CODE_INVALID_INPUT, says);
    assert_eq!(source.is_released(), (true, true), "{message}");
    source.spoil();
}

#[test]
fn malformed_batches_are_refused() {
    let warehouse = Warehouse::new();
    let table = warehouse.table("t", &people());
    let writer = Writer::new(&table);
    let ids = || int("id", &[1, 2, 3]);
    let names = || text("name", &["a", "b", "c"]);
    let named_by = |name: Column| Source::new(3, vec![ids(), name]);
    let good = || Source::new(3, vec![ids(), names()]);

    // What the values say.
    for (name, says) in [
        (raw_text("name", &[0, 2, 1, 3], b"abc"), "offset"),
        (raw_text("name", &[2, 1, 1, 0], b"abc"), "offset"),
        (raw_text("name", &[-1, 1, 2, 3], b"abc"), "offset"),
        (raw_text("name", &[0, 1, 2, -3], b"abc"), "offset"),
        (raw_text("name", &[0, 7, 2, 3], b"abc"), "offset"),
        (raw_text("name", &[0, 1, 2, 3], b"a\xffc"), ""),
        (raw_text("name", &[0, 1, 3, 4], "abé".as_bytes()), ""),
        (raw_text("name", &[0, 1, 3, 4], "aéc".as_bytes()), "ok"),
        (raw_text("name", &[0, 2, 3, 4], "aéc".as_bytes()), ""),
    ] {
        if says == "ok" {
            ok(writer.send(&mut named_by(name)));
        } else {
            assert_refused(&writer, named_by(name), says);
        }
    }

    // What the structs say.
    type Change = fn(&mut Source);
    let changes: [(&str, Change); 22] = [
        ("negative length", |source| source.array.length = -1),
        ("negative offset", |source| source.array.offset = -1),
        ("length past the children's", |source| source.array.length = 4),
        ("offset past the children's", |source| source.array.offset = 1),
        ("length over all", |source| source.array.length = i64::MAX),
        ("length and offset over all", |source| {
            (source.array.length, source.array.offset) = (1, i64::MAX);
        }),
        ("a child's negative length", |source| source.child(0).length = -3),
        ("a child's negative offset", |source| source.child(1).offset = -1),
        ("a child that is too short", |source| source.child(0).length = 2),
        ("no buffers", |source| source.child(1).n_buffers = 0),
        ("too few buffers", |source| source.child(1).n_buffers = 2),
        ("too many buffers", |source| source.child(0).n_buffers = 3),
        ("a negative number of buffers", |source| source.child(0).n_buffers = -1),
        ("no list of buffers", |source| source.child(0).buffers = std::ptr::null_mut()),
        ("a NULL buffer", |source| unsafe {
            *source.child(0).buffers.add(1) = std::ptr::null()
        }),
        ("NULL offsets", |source| unsafe {
            *source.child(1).buffers.add(1) = std::ptr::null()
        }),
        ("NULL text", |source| unsafe {
            *source.child(1).buffers.add(2) = std::ptr::null()
        }),
        ("too few children", |source| source.array.n_children = 1),
        ("a negative number of children", |source| source.array.n_children = -1),
        ("no list of children", |source| source.array.children = std::ptr::null_mut()),
        ("a NULL child", |source| unsafe {
            *source.array.children = std::ptr::null_mut()
        }),
        ("a dictionary without a dictionary's type", |source| {
            source.child(0).dictionary = unsafe { *source.array.children };
        }),
    ];
    for (what, change) in changes {
        let mut source = good();
        change(&mut source);
        let Err(refusal) = writer.send(&mut source).settle() else {
            panic!("{what} is taken")
        };
        assert_eq!(refusal.code, PAIMON_CODE_INVALID_INPUT, "{what}: {}", refusal.message);
        assert_eq!(source.is_released(), (true, true), "{what}");
    }

    // What the types say.
    let changes: [(&str, Change); 10] = [
        ("no format", |source| source.schema.format = std::ptr::null()),
        ("a child without a format", |source| {
            source.schema_child(0).format = std::ptr::null()
        }),
        ("a format that is not UTF-8", |source| {
            source.schema_child(0).format = BAD_TEXT
        }),
        ("a name that is not UTF-8", |source| source.schema_child(0).name = BAD_TEXT),
        ("an unknown format", |source| source.schema_child(0).format = c"?".as_ptr()),
        ("a list without an element", |source| {
            source.schema_child(0).format = c"+l".as_ptr()
        }),
        ("a negative width", |source| source.schema_child(0).format = c"w:-1".as_ptr()),
        ("no list of children", |source| source.schema.children = std::ptr::null_mut()),
        ("a NULL child", |source| unsafe {
            *source.schema.children = std::ptr::null_mut()
        }),
        ("a batch that is no struct", |source| source.schema.format = c"i".as_ptr()),
    ];
    for (what, change) in changes {
        let mut source = good();
        change(&mut source);
        let Err(refusal) = writer.send(&mut source).settle() else {
            panic!("{what} is taken")
        };
        assert_eq!(refusal.code, PAIMON_CODE_INVALID_INPUT, "{what}: {}", refusal.message);
        assert_eq!(source.is_released(), (true, true), "{what}");
    }

    // A map whose entries are no pairs.
    let mut entries = map("name", &[0, 1, 2, 3], names(), names());
    entries.children[0].children.truncate(1);
    assert_refused(&writer, named_by(entries), "");
    let mut entries = map("name", &[0, 1, 2, 3], names(), names());
    entries.children[0] = names();
    assert_refused(&writer, named_by(entries), "");

    // Types nested without end.
    let deep = (0..1000).fold(int("", &[]), |inside, _| list("name", &[0, 0, 0, 0], inside));
    assert_refused(&writer, named_by(deep), "nested");

    // After all that the write is as good as new.
    writer.rows(&[(9, "z")]);
    ok(writer.commit(&writer.prepare()));
    let rows = rows(&table);
    assert_eq!((rows.len(), rows[3].clone()), (4, (9, "z".to_string())));
}

#[test]
fn null_rows_are_refused() {
    let warehouse = Warehouse::new();
    let table = warehouse.table("t", &people());
    let writer = Writer::new(&table);
    let columns = || vec![int("id", &[1, 2]), text("name", &["a", "b"])];
    let root = row("", 2, columns()).with_nulls(&[true, false]);
    assert_refused(&writer, Source::of(&root), "null rows");
    // A bitmap in which nothing is null is fine.
    let root = row("", 2, columns()).with_nulls(&[true, true]);
    ok(writer.send(&mut Source::of(&root)));

    // A NULL where the table has NOT NULL, whatever the batch's type says.
    for flags in [0, 2] {
        let ids = Column {
            flags,
            ..int("id", &[1, 2]).with_nulls(&[true, false])
        };
        assert_refused(&writer, Source::new(2, vec![ids, text("name", &["a", "b"])]), "");
    }
}

#[test]
fn released_structs_are_refused() {
    let warehouse = Warehouse::new();
    let table = warehouse.table("t", &people());
    let writer = Writer::new(&table);
    let mut source = Source::new(1, vec![int("id", &[1]), text("name", &["a"])]);
    ok(writer.send(&mut source));
    refused(writer.send(&mut source), PAIMON_CODE_INVALID_INPUT, "released");
    let mut half = Source::new(1, vec![int("id", &[1]), text("name", &["a"])]);
    half.schema.release = std::ptr::null();
    assert_refused(&writer, half, "released");
    let mut half = Source::new(1, vec![int("id", &[1]), text("name", &["a"])]);
    half.array.release = std::ptr::null();
    half.loan.returned = 1.into();
    assert_refused(&writer, half, "released");
}

/// A view of `length` bytes of a text: within itself, or, if it is long, at an offset of a buffer.
fn view(text: &str, buffer: i32, offset: i32) -> Vec<u8> {
    let mut view = (text.len() as i32).to_ne_bytes().to_vec();
    view.extend(&text.as_bytes()[..text.len().min(if text.len() > 12 { 4 } else { 12 })]);
    if text.len() > 12 {
        view.extend(buffer.to_ne_bytes());
        view.extend(offset.to_ne_bytes());
    }
    view.resize(16, 0);
    view
}

#[test]
fn packed_layouts_are_copied_plain() {
    let warehouse = Warehouse::new();
    let table = warehouse.table("t", &people());
    let writer = Writer::new(&table);
    let long = "longer than twelve bytes";
    let named_by = |change: &dyn Fn(&mut Column)| {
        let mut name = text("name", &["a", "b"]);
        change(&mut name);
        Source::new(2, vec![int("id", &[1, 2]), name])
    };
    let views = |buffer: i32, offset: i32, size: i64| {
        move |name: &mut Column| {
            name.format = "vu".into();
            let views = [view("short", 0, 0), view(long, buffer, offset)].concat();
            let pointed = format!("12{long}").into_bytes();
            name.buffers = vec![None, Some(views), Some(pointed), Some(size.to_ne_bytes().to_vec())];
        }
    };
    let keyed = |keys: [i32; 2]| {
        move |name: &mut Column| {
            name.format = "i".into();
            name.buffers = vec![None, Some(keys.iter().flat_map(|key| key.to_ne_bytes()).collect())];
            name.dictionary = Some(Box::new(text("", &["x", "y"])));
        }
    };
    for change in [&views(0, 2, 26) as &dyn Fn(&mut Column), &keyed([1, 0])] {
        let mut source = named_by(change);
        ok(writer.send(&mut source));
        source.spoil();
    }
    for broken in [
        &views(1, 2, 26) as &dyn Fn(&mut Column),
        &views(0, 3, 26),
        &views(0, 2, 25),
        &views(0, 2, -1),
        &views(0, -1, 26),
        &keyed([2, 0]),
        &keyed([0, -1]),
    ] {
        assert_refused(&writer, named_by(broken), "'name'");
    }
    let no_buffers: fn(&mut Column) = |name| {
        name.format = "vz".into();
        name.buffers = vec![None, Some(vec![0; 32])];
    };
    assert_refused(&writer, named_by(&no_buffers), "2 buffers");
    ok(writer.commit(&writer.prepare()));
    assert_eq!(rows(&table), named(&[(1, "short"), (1, "y"), (2, long), (2, "x")]));
}

#[test]
fn batches_that_do_not_fit_the_table_are_refused() {
    let warehouse = Warehouse::new();
    let table = warehouse.table("t", &schema(COLUMNS, &[], &[]));
    let writer = Writer::new(&table);
    for (columns, says) in [
        (vec![], ""),
        (vec![int("id", &[1])], ""),
        (vec![int("ID", &[1]), text("name", &["a"])], "'id'"),
        (
            vec![fixed("id", "l", [(1i64 << 40).to_ne_bytes()]), text("name", &["a"])],
            "id",
        ),
        (vec![int("id", &[1]), text("name", &["a"]), int("more", &[1])], "more"),
    ] {
        assert_refused(&writer, Source::new(1, columns), says);
    }
    writer.rows(&[(1, "a")]);
    ok(writer.commit(&writer.prepare()));
    assert_eq!(rows(&table), named(&[(1, "a")]));
}

#[test]
fn batches_of_other_exporters_are_taken_and_released() {
    let warehouse = Warehouse::new();
    let table = warehouse.table("t", &people());
    let writer = Writer::new(&table);
    let ids = Arc::new(Int32Array::from(vec![1, 2]));
    let names = Arc::new(StringArray::from(vec![Some("a"), None]));
    let batch = RecordBatch::try_from_iter_with_nullable([
        ("id", ids.clone() as arrow_array::ArrayRef, false),
        ("name", names.clone() as _, true),
    ])
    .unwrap();
    let mut schema = FFI_ArrowSchema::try_from(batch.schema().as_ref()).unwrap();
    let mut array = FFI_ArrowArray::new(&StructArray::from(batch).into_data());
    assert_eq!(Arc::strong_count(&ids), 2 - 1, "the data is shared, the array is not");
    ok(unsafe { paimon_table_write_write_arrow_batch(writer.write.0, (&raw mut array).cast(), (&raw mut schema).cast()) });
    assert!(array.is_released() && schema.release.is_none());
    // Nobody else holds the buffer any more.
    let ids = Arc::into_inner(ids).unwrap();
    assert!(
        ids.into_parts().1.into_inner().into_mutable().is_ok(),
        "the source's memory is still held"
    );
    ok(writer.commit(&writer.prepare()));
    assert_eq!(rows(&table), named(&[(1, "a"), (2, "NULL")]));
}

/// As many rows as are worth keeping where they are.
fn many(first: i32) -> Source {
    let ids: Vec<i32> = (first..first + 4096).collect();
    let names: Vec<String> = ids.iter().map(|id| format!("{id:08}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Source::new(ids.len(), vec![int("id", &ids), text("name", &names)])
}

#[test]
fn what_is_lent_is_returned_when_it_is_free() {
    let warehouse = Warehouse::new();
    let log = Writer::new(&warehouse.table("log", &people()));
    let keyed = warehouse.table("keyed", &keyed_people());
    let key = Writer::new(&keyed);

    // What is encoded at once, and what waits to be sorted.
    let mut source = many(0);
    ok(log.send(&mut source));
    source.spoil();
    let mut source = many(0);
    ok(key.send(&mut source));
    assert!(source.is_released() == (true, true) && !source.is_returned());
    // What is not worth keeping, or does not say when it would be free, is copied.
    let mut small = Source::new(1, vec![int("id", &[-1]), text("name", &["-0000001"])]);
    ok(key.send(&mut small));
    small.spoil();
    let mut part = many(4096);
    part.loan.bytes *= 3;
    ok(key.send(&mut part));
    part.spoil();
    let mut silent = many(8192);
    silent.array.private_data = std::ptr::null_mut();
    ok(key.send(&mut silent));
    silent.spoil_anyway();
    let mut wrong = many(0);
    wrong.child(0).length = 4095;
    assert_refused(&key, wrong, "too few");
    assert!(!source.is_returned());
    let messages = key.prepare();
    source.spoil();
    ok(key.commit(&messages));
    let want: Vec<(i32, String)> = (-1..3 * 4096).map(|id| (id, format!("{id:08}"))).collect();
    assert!(rows(&keyed) == want, "not the rows that were written");

    // The end of a write, whatever it has.
    let mut source = many(0);
    ok(key.send(&mut source));
    drop(key);
    source.spoil();
}

/// Of values that a list spans only a part of, no more is read than the last of all their offsets says.
#[test]
fn parts_end_where_their_values_do() {
    let warehouse = Warehouse::new();
    let writer = Writer::new(&warehouse.table("t", &all_kinds()));
    let mut columns = four_rows();
    columns[3] = list("tags", &[0, 1, 1, 1, 1], raw_text("", &[0, 1 << 30, 2], b"ab"));
    assert_refused(&writer, Source::new(4, columns), "offsets from 0 to 1073741824, of 2");
}

#[test]
fn release_callbacks_run_once() {
    unsafe extern "C" fn release(array: *mut CArray) {
        unsafe {
            (*array).release = std::ptr::null();
            (*(*array).private_data.cast::<AtomicUsize>()).fetch_add(1, Ordering::SeqCst);
        }
    }
    let warehouse = Warehouse::new();
    for (name, schema) in [("log", people()), ("key", keyed_people())] {
        let writer = Writer::new(&warehouse.table(name, &schema));
        for damage in [false, true] {
            let runs = AtomicUsize::new(0);
            let mut source = many(0);
            source.array.release = release as *const c_void;
            source.array.private_data = (&raw const runs).cast_mut().cast();
            if damage {
                source.child(1).n_buffers = 2;
                refused(writer.send(&mut source), PAIMON_CODE_INVALID_INPUT, "2 buffers");
                assert_eq!(runs.load(Ordering::SeqCst), 1, "{name}");
            } else {
                ok(writer.send(&mut source));
                assert_eq!(runs.load(Ordering::SeqCst), usize::from(name == "log"));
            }
            assert_eq!(source.is_released(), (true, true));
            writer.prepare();
            assert_eq!(runs.load(Ordering::SeqCst), 1, "{name}");
        }
    }
}

/// A view list: where each list begins among the values, and how long it is.
fn list_view(name: &str, begins: &[i32], sizes: &[i32], mut values: Column) -> Column {
    let bytes = |numbers: &[i32]| Some(numbers.iter().flat_map(|number| number.to_ne_bytes()).collect());
    values.name = "element".into();
    Column {
        format: "+vl".into(),
        length: begins.len() as i64,
        buffers: vec![None, bytes(begins), bytes(sizes)],
        children: vec![values],
        ..int(name, &[])
    }
}

#[test]
fn rows_within_rows_keep_their_offset() {
    let warehouse = Warehouse::new();
    let kind = serde_json::json!({"type": "ARRAY", "element": {"type": "ROW", "fields": [{"id": 10, "name": "out", "type": {
        "type": "ROW", "fields": [{"id": 11, "name": "in", "type": "INT"}]}}]}});
    let fields = serde_json::json!([{"id": 0, "name": "list", "type": kind}]);
    let schema = serde_json::json!({"fields": fields, "partitionKeys": [], "primaryKeys": [], "options": {}, "comment": null});
    let table = warehouse.table("t", &c(&schema.to_string()));
    let writer = Writer::new(&table);
    let numbers = Column {
        flags: 2,
        ..int("in", &[0, 1, 2, 3, 4, 5])
    };
    let numbers = numbers.with_nulls(&[false, true, true, true, true, true]);
    // Three of the six rows, two of which are in the list, and no NULL among them.
    let inner = Column {
        flags: 2,
        ..row("out", 6, vec![numbers])
    };
    let outer = Column {
        flags: 2,
        ..row("element", 6, vec![inner])
    };
    let mut source = Source::new(1, vec![list_view("list", &[1], &[2], outer.sliced(2, 3))]);
    ok(writer.send(&mut source));
    source.spoil();
    ok(writer.commit(&writer.prepare()));
    let shown = shown(&table).join("");
    assert!(shown.contains("[3,4,]"), "{shown}");
}

/// What takes no memory until it is written out would end the process then.
#[test]
fn values_that_are_too_many_are_refused() {
    let warehouse = Warehouse::new();
    let table = warehouse.table("t", &all_kinds());
    let writer = Writer::new(&table);
    let nothing = |length: i64| Column {
        format: "n".into(),
        flags: 2,
        length,
        buffers: Vec::new(),
        ..int("element", &[])
    };
    let tags_of = |tags: Column| {
        let mut columns = four_rows();
        columns.iter_mut().for_each(|column| column.length = tags.length);
        let rows = tags.length as usize;
        columns[3] = Column {
            name: "tags".into(),
            ..tags
        };
        Source::new(rows, columns)
    };
    // A NULL of a type whose values are large.
    let number = Column {
        flags: 2,
        ..int("element", &[])
    };
    for element in [number, nothing(0)] {
        let large = Column {
            format: "+w:2147483647".into(),
            length: 0,
            buffers: vec![None],
            children: vec![element],
            ..int("", &[])
        };
        let keyed = Column {
            flags: 2,
            dictionary: Some(Box::new(large)),
            ..int("tags", &[0, 0, 0])
        };
        assert_refused(&writer, tags_of(keyed.with_nulls(&[false; 3])), "2 GiB");
    }
    // Lists of such values, of which there are none, are made room for.
    let none = Column {
        format: "+w:2147483647".into(),
        length: 0,
        buffers: vec![None],
        children: vec![Column {
            name: "element".into(),
            flags: 2,
            ..int("element", &[])
        }],
        ..int("element", &[])
    };
    let lists = list("", &[0, 1], list("element", &[0, 0], none));
    let keyed = Column {
        flags: 2,
        dictionary: Some(Box::new(lists)),
        ..int("tags", &[0, 0, 0])
    };
    assert_refused(&writer, tags_of(keyed), "2 GiB");
    // Very many of a type whose values are nothing.
    let long = Column {
        format: "+L".into(),
        length: 1,
        buffers: vec![None, Some([0i64, 1 << 40].iter().flat_map(|end| end.to_ne_bytes()).collect())],
        children: vec![nothing(1 << 40)],
        ..int("", &[])
    };
    assert_refused(&writer, tags_of(long), "are too many");
    let wide = Column {
        format: "+w:2147483647".into(),
        length: 1,
        buffers: vec![None],
        children: vec![nothing(1 << 40)],
        ..int("", &[])
    };
    assert_refused(&writer, tags_of(wide), "are too many");
    // A length that no memory has.
    let endless = Column {
        length: i64::MAX / 2,
        ..int("element", &[1])
    };
    assert_refused(&writer, tags_of(list("", &[0, 1], endless)), "length");
}
