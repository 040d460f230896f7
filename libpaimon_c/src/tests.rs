// SPDX-License-Identifier: Apache-2.0

//! The library as a C caller meets it: the tests go through the exported functions. This file is what they share.

// Each call here keeps what the function asks of its caller, or breaks it on purpose.
#![allow(clippy::undocumented_unsafe_blocks)]

use std::cell::RefCell;
use std::ffi::{c_char, CString};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use arrow_array::cast::AsArray;
use arrow_array::ffi::{from_ffi_and_data_type, FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::types::Int32Type;
use arrow_array::{Array, RecordBatch, StructArray};
use arrow_schema::DataType;

use crate::alter::*;
use crate::arrow::*;
use crate::blob::*;
use crate::cancel::*;
use crate::catalog::*;
use crate::error::*;
use crate::predicate::{paimon_predicate, paimon_predicate_free};
use crate::read::*;
use crate::reader::*;
use crate::resource::*;
use crate::table::*;
use crate::tag::*;
use crate::types::*;
use crate::write::*;

mod arrow;
mod catalog;
mod error;
mod input;
mod predicate;
mod process;
mod read;
mod source;
mod write;

use source::{int, text, Source};

/// Most tests run side by side; those that look at the whole process wait until they are alone.
static TURN: RwLock<()> = RwLock::new(());

fn turn() -> RwLockReadGuard<'static, ()> {
    TURN.read().unwrap_or_else(PoisonError::into_inner)
}

fn alone() -> RwLockWriteGuard<'static, ()> {
    TURN.write().unwrap_or_else(PoisonError::into_inner)
}

/// An object that a test owns, and frees at the end of its scope.
struct Own<T: Freed>(*mut T);

trait Freed: Sized {
    const FREE: unsafe extern "C" fn(*mut Self);
}

macro_rules! freed {
    ($($object:ident $free:ident)*) => {
        $(impl Freed for $object {
            const FREE: unsafe extern "C" fn(*mut Self) = $free;
        })*
    };
}

freed! {
    paimon_catalog paimon_catalog_free
    paimon_identifier paimon_identifier_free
    paimon_table paimon_table_free
    paimon_read_builder paimon_read_builder_free
    paimon_table_scan paimon_table_scan_free
    paimon_plan paimon_plan_free
    paimon_table_read paimon_table_read_free
    paimon_record_batch_reader paimon_record_batch_reader_free
    paimon_predicate paimon_predicate_free
    paimon_write_builder paimon_write_builder_free
    paimon_table_write paimon_table_write_free
    paimon_commit_messages paimon_commit_messages_free
    paimon_table_commit paimon_table_commit_free
    paimon_resource_context paimon_resource_context_free
    paimon_blob_reader paimon_blob_reader_free
    paimon_blob_stream paimon_blob_stream_free
    paimon_cancel_token paimon_cancel_token_free
}

impl<T: Freed> Drop for Own<T> {
    fn drop(&mut self) {
        unsafe { T::FREE(self.0) }
    }
}

/// A paimon_error, copied out and freed.
#[derive(Debug)]
struct Refusal {
    code: i32,
    message: String,
}

impl Refusal {
    fn take(error: *mut paimon_error) -> Option<Refusal> {
        let given = unsafe { error.as_ref() }?;
        let bytes = unsafe { slice(given.message.data.cast_const(), given.message.len, "message") }.unwrap();
        let message = String::from_utf8(bytes.to_vec()).expect("a message in UTF-8");
        assert!(!message.is_empty(), "an empty message");
        let code = given.code;
        unsafe { paimon_error_free(error) };
        Some(Refusal { code, message })
    }
}

/// What any function returns, checked to be one of value and error.
trait Outcome {
    type Value;
    fn settle(self) -> std::result::Result<Self::Value, Refusal>;
}

impl Outcome for *mut paimon_error {
    type Value = ();
    fn settle(self) -> std::result::Result<(), Refusal> {
        Refusal::take(self).map_or(Ok(()), Err)
    }
}

impl<T: Freed> Outcome for paimon_result<T> {
    type Value = Own<T>;
    fn settle(self) -> std::result::Result<Own<T>, Refusal> {
        assert_ne!(self.value.is_null(), self.error.is_null(), "exactly one of value and error");
        Refusal::take(self.error).map_or(Ok(Own(self.value)), Err)
    }
}

impl Outcome for paimon_result_bytes {
    type Value = String;
    fn settle(self) -> std::result::Result<String, Refusal> {
        if let Some(refusal) = Refusal::take(self.error) {
            assert!(self.value.data.is_null() && self.value.len == 0, "bytes beside an error");
            return Err(refusal);
        }
        assert_eq!(self.value.data.is_null(), self.value.len == 0, "empty is {{NULL, 0}}");
        let bytes = unsafe { slice(self.value.data.cast_const(), self.value.len, "bytes") }
            .unwrap()
            .to_vec();
        unsafe { paimon_bytes_free(self.value) };
        // Split bytes are no text; one character per byte keeps them.
        Ok(String::from_utf8(bytes).unwrap_or_else(|error| error.into_bytes().into_iter().map(char::from).collect()))
    }
}

impl Outcome for paimon_result_size {
    type Value = usize;
    fn settle(self) -> std::result::Result<usize, Refusal> {
        Refusal::take(self.error).map_or(Ok(self.value), Err)
    }
}

thread_local! {
    static IMPORTED: RefCell<Option<DataType>> = const { RefCell::new(None) };
}

/// A batch that a test owns.
struct Batch(paimon_arrow_batch);

impl Drop for Batch {
    fn drop(&mut self) {
        let paimon_arrow_batch { array, schema } = self.0;
        unsafe { paimon_arrow_batch_free(paimon_arrow_batch { array, schema }) }
    }
}

impl Batch {
    /// Moves the contents out, as a receiver may. A batch without a schema has that of the batch that was imported before.
    fn import(&self) -> RecordBatch {
        let array = unsafe { FFI_ArrowArray::from_raw(self.0.array.cast()) };
        if !self.0.schema.is_null() {
            let schema = unsafe { FFI_ArrowSchema::from_raw(self.0.schema.cast()) };
            IMPORTED.set(Some(DataType::try_from(&schema).unwrap()));
        }
        let of = IMPORTED.with_borrow(|imported| imported.clone().expect("a schema came before"));
        RecordBatch::from(StructArray::from(unsafe { from_ffi_and_data_type(array, of) }.unwrap()))
    }
}

impl Outcome for paimon_result_batch {
    type Value = Option<Batch>;
    fn settle(self) -> std::result::Result<Option<Batch>, Refusal> {
        assert!(
            !self.value.array.is_null() || self.value.schema.is_null(),
            "a schema without a batch"
        );
        if let Some(refusal) = Refusal::take(self.error) {
            assert!(self.value.array.is_null(), "a batch beside an error");
            return Err(refusal);
        }
        Ok((!self.value.array.is_null()).then_some(Batch(self.value)))
    }
}

#[track_caller]
fn ok<O: Outcome>(outcome: O) -> O::Value {
    match outcome.settle() {
        Ok(value) => value,
        Err(Refusal { code, message }) => panic!("error {code}: {message}"),
    }
}

/// Checks that a call failed with a code and a message that contains `says`, which may be empty.
#[track_caller]
fn refused<O: Outcome>(outcome: O, code: i32, says: &str) -> String {
    match outcome.settle() {
        Ok(_) => panic!("succeeded, want error {code}: {says}"),
        Err(refusal) => {
            assert!(
                refusal.code == code && refusal.message.contains(says),
                "{refusal:?}, want {code}: {says}"
            );
            refusal.message
        }
    }
}

fn c(text: &str) -> CString {
    CString::new(text).unwrap()
}

/// Options as C has them. The strings live as long as this.
struct Options {
    list: Vec<paimon_option>,
    _strings: Vec<CString>,
}

fn options(pairs: &[(&str, &str)]) -> Options {
    let strings: Vec<CString> = pairs.iter().flat_map(|(key, value)| [c(key), c(value)]).collect();
    let list = strings
        .chunks(2)
        .map(|pair| paimon_option {
            key: pair[0].as_ptr(),
            value: pair[1].as_ptr(),
        })
        .collect();
    Options { list, _strings: strings }
}

/// A folder that is removed at the end of the scope.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("paimon_c-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A catalog in a folder of its own, with the database `db`.
struct Warehouse {
    catalog: Own<paimon_catalog>,
    folder: Folder,
    _turn: Option<RwLockReadGuard<'static, ()>>,
}

fn open_catalog(folder: &Path) -> Own<paimon_catalog> {
    let options = options(&[("warehouse", folder.to_str().unwrap())]);
    ok(unsafe { paimon_catalog_create(options.list.as_ptr(), options.list.len()) })
}

fn identifier(database: &str, object: &str) -> Own<paimon_identifier> {
    ok(unsafe { paimon_identifier_new(c(database).as_ptr(), c(object).as_ptr()) })
}

impl Warehouse {
    fn new() -> Warehouse {
        let turn = turn();
        Warehouse {
            _turn: Some(turn),
            ..Warehouse::within_turn()
        }
    }

    /// For a test that has its turn already.
    fn within_turn() -> Warehouse {
        let folder = Folder::new();
        let catalog = open_catalog(&folder.0);
        ok(unsafe { paimon_catalog_create_database(catalog.0, c("db").as_ptr(), std::ptr::null(), 0, false) });
        Warehouse {
            catalog,
            folder,
            _turn: None,
        }
    }

    /// Creates the table db.`name` and opens it.
    fn table(&self, name: &str, schema: &CString) -> Own<paimon_table> {
        let identifier = identifier("db", name);
        ok(unsafe { paimon_catalog_create_table(self.catalog.0, identifier.0, schema.as_ptr(), false) });
        self.open(name)
    }

    fn open(&self, name: &str) -> Own<paimon_table> {
        ok(unsafe { paimon_catalog_get_table(self.catalog.0, identifier("db", name).0) })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.0.join("db.db").join(name)
    }

    /// The data files of a table, sorted.
    fn data_files(&self, name: &str) -> Vec<PathBuf> {
        let mut files = Vec::new();
        let mut folders = vec![self.path(name)];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "parquet") {
                    files.push(path);
                }
            }
        }
        files.sort();
        files
    }
}

/// A schema in Paimon's JSON.
fn schema(columns: &[(&str, &str)], primary_keys: &[&str], options: &[(&str, &str)]) -> CString {
    let fields: Vec<_> = columns
        .iter()
        .enumerate()
        .map(|(id, (name, kind))| serde_json::json!({"id": id, "name": name, "type": kind}))
        .collect();
    let options: std::collections::BTreeMap<_, _> = options.iter().copied().collect();
    c(&serde_json::json!({
        "fields": fields, "partitionKeys": [], "primaryKeys": primary_keys, "options": options, "comment": null,
    })
    .to_string())
}

/// An append table of id and name.
fn people() -> CString {
    schema(&[("id", "INT NOT NULL"), ("name", "STRING")], &[], &[])
}

/// The same with a primary key.
fn keyed_people() -> CString {
    schema(&[("id", "INT NOT NULL"), ("name", "STRING")], &["id"], &[("bucket", "1")])
}

/// A builder, and the write and the commit that come from it.
struct Writer {
    builder: Own<paimon_write_builder>,
    write: Own<paimon_table_write>,
    commit: Own<paimon_table_commit>,
}

impl Writer {
    fn new(table: &Own<paimon_table>) -> Writer {
        Writer::from(ok(unsafe { paimon_table_new_write_builder(table.0) }))
    }

    fn named(table: &Own<paimon_table>, user: &str) -> Writer {
        Writer::from(ok(unsafe {
            paimon_table_new_write_builder_with_commit_user(table.0, c(user).as_ptr())
        }))
    }

    fn overwriting(table: &Own<paimon_table>, user: &str) -> Writer {
        let builder = ok(unsafe { paimon_table_new_write_builder_with_commit_user(table.0, c(user).as_ptr()) });
        ok(unsafe { paimon_write_builder_with_overwrite(builder.0) });
        Writer::from(builder)
    }

    fn from(builder: Own<paimon_write_builder>) -> Writer {
        let (write, commit) = unsafe {
            (
                ok(paimon_write_builder_new_write(builder.0)),
                ok(paimon_write_builder_new_commit(builder.0)),
            )
        };
        Writer { builder, write, commit }
    }

    fn send(&self, source: &mut Source) -> *mut paimon_error {
        unsafe { paimon_table_write_write_arrow_batch(self.write.0, source.array().cast(), source.schema().cast()) }
    }

    fn rows(&self, rows: &[(i32, &str)]) {
        let ids: Vec<i32> = rows.iter().map(|(id, _)| *id).collect();
        let names: Vec<&str> = rows.iter().map(|(_, name)| *name).collect();
        ok(self.send(&mut Source::new(rows.len(), vec![int("id", &ids), text("name", &names)])));
    }

    fn prepare(&self) -> Own<paimon_commit_messages> {
        ok(unsafe { paimon_table_write_prepare_commit(self.write.0) })
    }

    fn prepared(&self, rows: &[(i32, &str)]) -> Own<paimon_commit_messages> {
        self.rows(rows);
        self.prepare()
    }

    fn commit(&self, messages: &Own<paimon_commit_messages>) -> *mut paimon_error {
        unsafe { paimon_table_commit_commit(self.commit.0, messages.0) }
    }

    fn abort(&self, messages: &Own<paimon_commit_messages>) -> *mut paimon_error {
        unsafe { paimon_table_commit_abort(self.commit.0, messages.0) }
    }
}

/// Plans and reads a table, to the end.
struct Reading {
    builder: Own<paimon_read_builder>,
    plan: Own<paimon_plan>,
    read: Own<paimon_table_read>,
}

impl Reading {
    fn of(table: &Own<paimon_table>) -> Reading {
        unsafe {
            let builder = ok(paimon_table_new_read_builder(table.0));
            let scan = ok(paimon_read_builder_new_scan(builder.0));
            let plan = ok(paimon_table_scan_plan(scan.0));
            let read = ok(paimon_read_builder_new_read(builder.0));
            Reading { builder, plan, read }
        }
    }

    fn splits(&self) -> usize {
        ok(unsafe { paimon_plan_num_splits(self.plan.0) })
    }

    fn reader(&self) -> Own<paimon_record_batch_reader> {
        ok(unsafe { paimon_table_read_to_arrow(self.read.0, self.plan.0, 0, self.splits()) })
    }
}

fn drain(reader: &Own<paimon_record_batch_reader>) -> Vec<RecordBatch> {
    let mut batches = Vec::new();
    while let Some(batch) = ok(unsafe { paimon_record_batch_reader_next(reader.0) }) {
        batches.push(batch.import());
    }
    batches
}

fn batches(table: &Own<paimon_table>) -> Vec<RecordBatch> {
    let reading = Reading::of(table);
    if reading.splits() == 0 {
        return Vec::new();
    }
    drain(&reading.reader())
}

/// The rows of a table of people, sorted.
fn rows(table: &Own<paimon_table>) -> Vec<(i32, String)> {
    let mut rows = people_in(&batches(table));
    rows.sort();
    rows
}

fn people_in(batches: &[RecordBatch]) -> Vec<(i32, String)> {
    batches
        .iter()
        .flat_map(|batch| {
            let (ids, names) = (
                batch.column(0).as_primitive::<Int32Type>(),
                batch.column(1).as_string::<i32>(),
            );
            (0..batch.num_rows()).map(|row| {
                let name = if names.is_null(row) { "NULL" } else { names.value(row) };
                (ids.value(row), name.to_string())
            })
        })
        .collect()
}

fn named(rows: &[(i32, &str)]) -> Vec<(i32, String)> {
    rows.iter().map(|(id, name)| (*id, name.to_string())).collect()
}

fn latest_snapshot(table: &Own<paimon_table>) -> Option<serde_json::Value> {
    let text = ok(unsafe { paimon_table_latest_snapshot(table.0) });
    (!text.is_empty()).then(|| serde_json::from_str(&text).unwrap())
}

fn latest_id(table: &Own<paimon_table>) -> i64 {
    latest_snapshot(table).map_or(0, |snapshot| snapshot["id"].as_i64().unwrap())
}

/// A NUL-terminated string that is not UTF-8.
const BAD_TEXT: *const c_char = c"\xff".as_ptr();
