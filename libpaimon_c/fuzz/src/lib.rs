// SPDX-License-Identifier: Apache-2.0

//! What the fuzz targets share: the bytes as a source of choices, the outcome of calls, and a warehouse.

pub mod arrow;

use std::ffi::CString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use paimon_c::arrow::paimon_arrow_batch_free;
use paimon_c::catalog::*;
use paimon_c::error::{paimon_bytes_free, paimon_error, paimon_error_free, PAIMON_CODE_UNEXPECTED};
use paimon_c::read::*;
use paimon_c::reader::*;
use paimon_c::table::paimon_table;
use paimon_c::types::*;

/// The fuzzer's bytes as a source of choices; zeros when they are used up.
pub struct Choices<'a>(pub &'a [u8]);

impl Choices<'_> {
    pub fn byte(&mut self) -> u8 {
        self.bytes(1).first().copied().unwrap_or(0)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.byte() as usize % n
    }

    pub fn number(&mut self) -> i64 {
        match self.byte() {
            small @ 0..=199 => i64::from(small % 40),
            200..=219 => i64::from(self.byte() as i8),
            220 => i64::MAX,
            221 => i64::MIN,
            222 => i64::from(i32::MAX),
            223 => i64::from(i32::MIN),
            224 => 1 << 32,
            _ => {
                let mut bytes = [0; 8];
                let taken = self.bytes(8);
                bytes[..taken.len()].copy_from_slice(taken);
                i64::from_le_bytes(bytes)
            }
        }
    }

    pub fn bytes(&mut self, n: usize) -> &[u8] {
        let (taken, rest) = self.0.split_at(n.min(self.0.len()));
        self.0 = rest;
        taken
    }

    /// Up to 255 bytes, as many as the next one says.
    pub fn run(&mut self) -> Vec<u8> {
        let n = self.byte() as usize;
        self.bytes(n).to_vec()
    }

    pub fn text(&mut self) -> CString {
        let mut run = self.run();
        run.retain(|byte| *byte != 0);
        CString::new(run).unwrap()
    }

    pub fn left(&self) -> bool {
        !self.0.is_empty()
    }
}

/// Set where the engine may panic, over damaged files: that is caught, and an error.
pub static LENIENT: AtomicBool = AtomicBool::new(false);

/// Takes an error and gives its text. What was caught inside is a finding.
pub fn settle(error: *mut paimon_error) -> Result<(), String> {
    let lenient = LENIENT.load(Ordering::Relaxed);
    // SAFETY: a live error, or none.
    let Some(given) = (unsafe { error.as_ref() }) else {
        return Ok(());
    };
    // SAFETY: the message of a live error.
    let bytes = unsafe { std::slice::from_raw_parts(given.message.data, given.message.len) };
    let text = String::from_utf8(bytes.to_vec()).expect("a message in UTF-8");
    let unexpected = given.code == PAIMON_CODE_UNEXPECTED;
    // SAFETY: given once.
    unsafe { paimon_error_free(error) };
    assert!(!text.is_empty());
    for inside in ["internal error", "panicked", "failed inside", "poisoned"] {
        assert!(lenient || !unexpected || !text.contains(inside), "{text}");
    }
    Err(text)
}

/// The same of a call inside a guard.
pub fn checked<T>(result: paimon_c::error::Result<T>) -> Option<T> {
    result.map_err(|failure| settle(failure.give())).ok()
}

pub fn object<T>(result: paimon_result<T>) -> Option<*mut T> {
    assert_ne!(result.value.is_null(), result.error.is_null());
    settle(result.error).ok().map(|()| result.value)
}

pub fn bytes(result: paimon_result_bytes) -> Option<Vec<u8>> {
    settle(result.error).ok()?;
    if result.value.data.is_null() {
        return Some(Vec::new());
    }
    // SAFETY: bytes that the library gave.
    let bytes = unsafe { std::slice::from_raw_parts(result.value.data, result.value.len).to_vec() };
    // SAFETY: given once.
    unsafe { paimon_bytes_free(result.value) };
    Some(bytes)
}

/// A warehouse in a folder, with the database `db`, for the whole run.
pub struct Warehouse {
    pub folder: PathBuf,
    pub catalog: *mut paimon_catalog,
}

// SAFETY: a catalog is safe for concurrent use.
unsafe impl Sync for Warehouse {}
// SAFETY: as above.
unsafe impl Send for Warehouse {}

impl Warehouse {
    pub fn new() -> Warehouse {
        let base = std::env::var_os("PAIMON_FUZZ_DIR").map_or_else(std::env::temp_dir, PathBuf::from);
        let folder = base.join(format!("paimon-fuzz-{}", std::process::id()));
        let folder = folder.join("warehouse");
        std::fs::create_dir_all(&folder).unwrap();
        let catalog = std::ptr::null_mut();
        let mut warehouse = Warehouse { folder, catalog };
        warehouse.catalog = warehouse.reopen();
        // SAFETY: a live catalog.
        settle(unsafe { paimon_catalog_create_database(warehouse.catalog, c"db".as_ptr(), std::ptr::null(), 0, true) }).unwrap();
        warehouse
    }

    /// Another catalog on the same folder, which the caller frees.
    pub fn reopen(&self) -> *mut paimon_catalog {
        let path = CString::new(self.folder.to_str().unwrap()).unwrap();
        let option = paimon_option {
            key: c"warehouse".as_ptr(),
            value: path.as_ptr(),
        };
        // SAFETY: one option, and live strings.
        object(unsafe { paimon_catalog_create(&option, 1) }).unwrap()
    }

    pub fn name(&self, table: &str) -> *mut paimon_identifier {
        let table = CString::new(table).unwrap();
        // SAFETY: live strings.
        object(unsafe { paimon_identifier_new(c"db".as_ptr(), table.as_ptr()) }).unwrap()
    }

    pub fn create(&self, table: &str, schema: &str) {
        let name = self.name(table);
        let schema = CString::new(schema).unwrap();
        // SAFETY: live objects.
        unsafe {
            settle(paimon_catalog_create_table(self.catalog, name, schema.as_ptr(), false)).unwrap();
            paimon_identifier_free(name);
        }
    }

    pub fn open(&self, table: &str) -> Option<*mut paimon_table> {
        let name = self.name(table);
        // SAFETY: live objects.
        unsafe {
            let table = object(paimon_catalog_get_table(self.catalog, name));
            paimon_identifier_free(name);
            table
        }
    }

    pub fn drop_table(&self, table: &str) {
        let name = self.name(table);
        // SAFETY: live objects.
        unsafe {
            settle(paimon_catalog_drop_table(self.catalog, name, true)).unwrap();
            paimon_identifier_free(name);
        }
    }

    pub fn path(&self, table: &str) -> PathBuf {
        self.folder.join("db.db").join(table)
    }
}

/// The tables that other engines wrote, copied to the database `default` of a warehouse.
pub struct Golden {
    pub warehouse: Warehouse,
    pub tables: Vec<String>,
    /// Each file and what it holds.
    pub files: Vec<(PathBuf, Vec<u8>)>,
}

impl Golden {
    pub fn new() -> Golden {
        let warehouse = Warehouse::new();
        let data = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/testdata");
        let (mut files, mut tables) = (Vec::new(), Vec::new());
        for source in ["warehouse", "types"] {
            let source = data.join(source).join("default.db");
            for table in std::fs::read_dir(&source).expect("golden tables") {
                tables.push(table.unwrap().file_name().into_string().unwrap());
            }
            let mut folders = vec![source.clone()];
            while let Some(folder) = folders.pop() {
                for entry in std::fs::read_dir(folder).unwrap() {
                    let path = entry.unwrap().path();
                    if path.is_dir() {
                        folders.push(path);
                        continue;
                    }
                    let copy = warehouse.folder.join("db.db").join(path.strip_prefix(&source).unwrap());
                    let content = std::fs::read(&path).unwrap();
                    std::fs::create_dir_all(copy.parent().unwrap()).unwrap();
                    std::fs::write(&copy, &content).unwrap();
                    files.push((copy, content));
                }
            }
        }
        tables.sort();
        files.sort();
        Golden {
            warehouse,
            tables,
            files,
        }
    }

    /// The table that a file belongs to.
    pub fn table_of(&self, file: usize) -> String {
        let path = self.files[file].0.strip_prefix(self.warehouse.folder.join("db.db")).unwrap();
        path.iter().next().unwrap().to_str().unwrap().to_string()
    }
}

/// Reads all of a table through a builder that may have a filter, or what the splits say; at most `batches`.
///
/// # Safety
/// Live objects, or NULL for `plan`, which is then made.
pub unsafe fn read(builder: *mut paimon_read_builder, plan: *mut paimon_plan, batches: usize) {
    // SAFETY: as the caller promises.
    unsafe {
        let mut made = std::ptr::null_mut();
        let mut plan = plan;
        if plan.is_null() {
            let Some(scan) = object(paimon_read_builder_new_scan(builder)) else {
                return;
            };
            made = object(paimon_table_scan_plan(scan)).unwrap_or(std::ptr::null_mut());
            plan = made;
            paimon_table_scan_free(scan);
        }
        if !plan.is_null() {
            let count = paimon_plan_num_splits(plan);
            settle(count.error).unwrap();
            if let Some(read) = object(paimon_read_builder_new_read(builder)) {
                if let Some(reader) = object(paimon_table_read_to_arrow(read, plan, 0, count.value)) {
                    for _ in 0..batches {
                        let next = paimon_record_batch_reader_next(reader);
                        let failed = settle(next.error).is_err();
                        let ended = next.value.array.is_null();
                        paimon_arrow_batch_free(next.value);
                        if failed || ended {
                            break;
                        }
                    }
                    paimon_record_batch_reader_free(reader);
                }
                paimon_table_read_free(read);
            }
        }
        paimon_plan_free(made);
    }
}

/// Changes bytes as the fuzzer says: few of its own make another file.
pub fn edit(content: &mut Vec<u8>, choices: &mut Choices) {
    while choices.left() {
        let what = choices.byte();
        let position = usize::from(choices.byte()) | usize::from(choices.byte()) << 8;
        // From the end too, where Parquet, ORC and indexes have their directories.
        let position = position % (content.len() + 1);
        let position = if what & 128 != 0 { content.len() - position } else { position };
        let rest = content.len() - position;
        match what % 8 {
            0 | 1 if rest > 0 => content[position] = choices.byte(),
            2 if rest > 0 => content[position] ^= 1 << choices.below(8),
            3 => content.truncate(position),
            4 => {
                let run = choices.run();
                content.splice(position..position, run);
            }
            5 => {
                let gone = choices.byte() as usize;
                content.drain(position..position + gone.min(rest));
            }
            6 => {
                let number = choices.number().to_le_bytes();
                let width = [1, 2, 4, 8][choices.below(4)].min(rest);
                content[position..position + width].copy_from_slice(&number[..width]);
            }
            _ => {
                let copied = choices.byte() as usize;
                let part = content[position..position + copied.min(rest)].to_vec();
                content.extend(part);
            }
        }
    }
}

/// Every type that a table can be written with, by the name of its column.
pub const COLUMNS: &[(&str, &str, &str)] = &[
    ("id", r#""INT NOT NULL""#, "i"),
    ("bool", r#""BOOLEAN""#, "b"),
    ("i8", r#""TINYINT""#, "c"),
    ("i16", r#""SMALLINT""#, "s"),
    ("i64", r#""BIGINT""#, "l"),
    ("f32", r#""FLOAT""#, "f"),
    ("f64", r#""DOUBLE""#, "g"),
    ("dec", r#""DECIMAL(10, 2)""#, "d:10,2"),
    ("text", r#""STRING""#, "u"),
    ("char", r#""CHAR(3)""#, "u"),
    ("bytes", r#""BYTES""#, "z"),
    ("bin", r#""BINARY(4)""#, "w:4"),
    ("date", r#""DATE""#, "tdD"),
    ("time", r#""TIME(3)""#, "ttm"),
    ("ts", r#""TIMESTAMP(3)""#, "tsm:"),
    ("ltz", r#""TIMESTAMP(6) WITH LOCAL TIME ZONE""#, "tsu:UTC"),
    ("list", r#"{"type": "ARRAY", "element": "INT"}"#, "+l"),
    ("map", r#"{"type": "MAP", "key": "STRING NOT NULL", "value": "INT"}"#, "+m"),
    (
        "row",
        r#"{"type": "ROW", "fields": [{"id": 100, "name": "a", "type": "INT"}, {"id": 101, "name": "b", "type": "STRING"}]}"#,
        "+s",
    ),
];

/// A schema of all of them.
pub fn wide(key: bool) -> String {
    let columns = COLUMNS.iter().enumerate();
    let fields: Vec<String> = columns
        .map(|(id, (name, data_type, _))| format!(r#"{{"id": {id}, "name": "{name}", "type": {data_type}}}"#))
        .collect();
    let (keys, options) = match key {
        true => (r#""id""#, r#""bucket": "1""#),
        false => ("", ""),
    };
    format!(
        r#"{{"fields": [{}], "partitionKeys": [], "primaryKeys": [{keys}], "options": {{{options}}}}}"#,
        fields.join(", ")
    )
}
