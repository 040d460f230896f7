// SPDX-License-Identifier: Apache-2.0

//! A C caller's record batch: structs of the Arrow C Data Interface made by hand, so that they can be wrong in any way, over
//! memory that is the caller's and is spoilt as soon as the caller may.

use std::ffi::{c_char, c_void, CString};
use std::sync::atomic::{AtomicI32, Ordering};

use crate::arrow::{paimon_borrowed_array_release, paimon_borrowed_schema_release, paimon_loan};

#[repr(C)]
pub struct CArray {
    pub length: i64,
    pub null_count: i64,
    pub offset: i64,
    pub n_buffers: i64,
    pub n_children: i64,
    pub buffers: *mut *const c_void,
    pub children: *mut *mut CArray,
    pub dictionary: *mut CArray,
    pub release: *const c_void,
    pub private_data: *mut c_void,
}

#[repr(C)]
pub struct CSchema {
    pub format: *const c_char,
    pub name: *const c_char,
    pub metadata: *const c_char,
    pub flags: i64,
    pub n_children: i64,
    pub children: *mut *mut CSchema,
    pub dictionary: *mut CSchema,
    pub release: *const c_void,
    pub private_data: *mut c_void,
}

const NULLABLE: i64 = 2;

/// One array and its type, to be changed at will before it goes into a [`Source`].
#[derive(Clone)]
pub struct Column {
    pub name: String,
    pub format: String,
    pub flags: i64,
    pub length: i64,
    pub null_count: i64,
    pub offset: i64,
    pub buffers: Vec<Option<Vec<u8>>>,
    pub children: Vec<Column>,
    pub dictionary: Option<Box<Column>>,
}

fn column(name: &str, format: &str, length: usize, buffers: Vec<Option<Vec<u8>>>, children: Vec<Column>) -> Column {
    Column {
        name: name.into(),
        format: format.into(),
        flags: NULLABLE,
        length: length as i64,
        null_count: -1,
        offset: 0,
        buffers,
        children,
        dictionary: None,
    }
}

fn bytes_of<const N: usize>(values: impl IntoIterator<Item = [u8; N]>) -> Option<Vec<u8>> {
    Some(values.into_iter().flatten().collect())
}

fn offsets(values: &[i32]) -> Option<Vec<u8>> {
    bytes_of(values.iter().map(|value| value.to_ne_bytes()))
}

/// INT NOT NULL, for the type says so.
pub fn int(name: &str, values: &[i32]) -> Column {
    Column {
        flags: 0,
        ..fixed(name, "i", values.iter().map(|value| value.to_ne_bytes()))
    }
}

/// Any type of fixed width.
pub fn fixed<const N: usize>(name: &str, format: &str, values: impl IntoIterator<Item = [u8; N]>) -> Column {
    let bytes = bytes_of(values);
    let length = bytes.as_ref().map_or(0, |bytes| bytes.len() / N);
    column(name, format, length, vec![None, bytes], Vec::new())
}

pub fn text(name: &str, values: &[&str]) -> Column {
    let mut ends = vec![0];
    for value in values {
        ends.push(ends[ends.len() - 1] + value.len() as i32);
    }
    raw_text(name, &ends, values.concat().as_bytes())
}

/// Text whose offsets and bytes are what they are.
pub fn raw_text(name: &str, ends: &[i32], bytes: &[u8]) -> Column {
    let buffers = vec![None, offsets(ends), Some(bytes.to_vec())];
    column(name, "u", ends.len() - 1, buffers, Vec::new())
}

pub fn list(name: &str, ends: &[i32], mut values: Column) -> Column {
    values.name = "element".into();
    column(name, "+l", ends.len() - 1, vec![None, offsets(ends)], vec![values])
}

pub fn map(name: &str, ends: &[i32], mut keys: Column, mut values: Column) -> Column {
    (keys.name, keys.flags, values.name) = ("key".into(), 0, "value".into());
    let entries = Column {
        flags: 0,
        ..row("entries", keys.length as usize, vec![keys, values])
    };
    column(name, "+m", ends.len() - 1, vec![None, offsets(ends)], vec![entries])
}

pub fn row(name: &str, length: usize, fields: Vec<Column>) -> Column {
    column(name, "+s", length, vec![None], fields)
}

impl Column {
    /// Gives the rows where `valid` is false the value NULL.
    pub fn with_nulls(mut self, valid: &[bool]) -> Column {
        let mut bits = vec![0; valid.len().div_ceil(8)];
        for (row, valid) in valid.iter().enumerate() {
            bits[row / 8] |= u8::from(*valid) << (row % 8);
        }
        self.buffers[0] = Some(bits);
        self
    }

    /// A part of the rows, as slicing makes it: an offset, and the same buffers.
    pub fn sliced(mut self, offset: i64, length: i64) -> Column {
        (self.offset, self.length) = (offset, length);
        self
    }
}

/// A batch ready to be written. The structs' release callbacks are the library's own for memory that the caller keeps, until the loan is
/// returned.
pub struct Source {
    pub array: Box<CArray>,
    pub schema: Box<CSchema>,
    pub loan: Box<paimon_loan>,
    store: Store,
}

/// What the structs point to.
#[derive(Default)]
#[allow(clippy::vec_box)] // their addresses are given out
struct Store {
    arrays: Vec<Box<CArray>>,
    schemas: Vec<Box<CSchema>>,
    strings: Vec<CString>,
    buffers: Vec<Box<[u128]>>,
    buffer_lists: Vec<Box<[*const c_void]>>,
    array_lists: Vec<Box<[*mut CArray]>>,
    schema_lists: Vec<Box<[*mut CSchema]>>,
}

impl Store {
    fn array(&mut self, column: &Column) -> CArray {
        let mut buffers = Vec::new();
        for buffer in &column.buffers {
            buffers.push(match buffer {
                None => std::ptr::null(),
                Some(bytes) => {
                    // As aligned as any type wants, and never NULL.
                    let mut memory = vec![0u128; bytes.len() / 16 + 1].into_boxed_slice();
                    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), memory.as_mut_ptr().cast(), bytes.len()) };
                    let at = memory.as_ptr().cast();
                    self.buffers.push(memory);
                    at
                }
            });
        }
        let children: Vec<*mut CArray> = column.children.iter().map(|child| self.boxed_array(child)).collect();
        let dictionary = match &column.dictionary {
            Some(dictionary) => self.boxed_array(dictionary),
            None => std::ptr::null_mut(),
        };
        self.buffer_lists.push(buffers.into());
        self.array_lists.push(children.into());
        CArray {
            length: column.length,
            null_count: column.null_count,
            offset: column.offset,
            n_buffers: column.buffers.len() as i64,
            n_children: column.children.len() as i64,
            buffers: self.buffer_lists.last_mut().unwrap().as_mut_ptr(),
            children: self.array_lists.last_mut().unwrap().as_mut_ptr(),
            dictionary,
            release: paimon_borrowed_array_release as *const c_void,
            private_data: std::ptr::null_mut(),
        }
    }

    fn boxed_array(&mut self, column: &Column) -> *mut CArray {
        let array = self.array(column);
        self.arrays.push(Box::new(array));
        &raw mut **self.arrays.last_mut().unwrap()
    }

    fn schema(&mut self, column: &Column) -> CSchema {
        let children: Vec<*mut CSchema> = column.children.iter().map(|child| self.boxed_schema(child)).collect();
        let dictionary = match &column.dictionary {
            Some(dictionary) => self.boxed_schema(dictionary),
            None => std::ptr::null_mut(),
        };
        self.schema_lists.push(children.into());
        let mut string = |text: &str| {
            self.strings.push(CString::new(text).unwrap());
            self.strings.last().unwrap().as_ptr()
        };
        CSchema {
            format: string(&column.format),
            name: string(&column.name),
            metadata: std::ptr::null(),
            flags: column.flags,
            n_children: column.children.len() as i64,
            children: self.schema_lists.last_mut().unwrap().as_mut_ptr(),
            dictionary,
            release: paimon_borrowed_schema_release as *const c_void,
            private_data: std::ptr::null_mut(),
        }
    }

    fn boxed_schema(&mut self, column: &Column) -> *mut CSchema {
        let schema = self.schema(column);
        self.schemas.push(Box::new(schema));
        &raw mut **self.schemas.last_mut().unwrap()
    }
}

impl Source {
    pub fn new(length: usize, columns: Vec<Column>) -> Source {
        Source::of(&Column {
            flags: 0,
            ..row("", length, columns)
        })
    }

    pub fn of(root: &Column) -> Source {
        let mut store = Store::default();
        let mut source = Source {
            array: Box::new(store.array(root)),
            schema: Box::new(store.schema(root)),
            loan: Box::new(paimon_loan {
                bytes: store.buffers.iter().map(|buffer| 16 * buffer.len() as i64).sum(),
                returned: AtomicI32::new(0),
            }),
            store,
        };
        source.array.private_data = (&raw mut *source.loan).cast();
        source
    }

    pub fn array(&mut self) -> *mut CArray {
        &raw mut *self.array
    }

    pub fn schema(&mut self) -> *mut CSchema {
        &raw mut *self.schema
    }

    pub fn child(&mut self, index: usize) -> &mut CArray {
        unsafe { &mut **self.array.children.add(index) }
    }

    pub fn schema_child(&mut self, index: usize) -> &mut CSchema {
        unsafe { &mut **self.schema.children.add(index) }
    }

    pub fn is_released(&self) -> (bool, bool) {
        (self.array.release.is_null(), self.schema.release.is_null())
    }

    pub fn is_returned(&self) -> bool {
        self.loan.returned.load(Ordering::Acquire) == 1
    }

    /// Overwrites all that the batch consists of: whoever still reads it reads nonsense.
    pub fn spoil(mut self) {
        assert!(self.is_returned(), "the batch is in use");
        self.spoil_anyway();
    }

    pub fn spoil_anyway(&mut self) {
        for buffer in &mut self.store.buffers {
            buffer.fill(u128::from_ne_bytes([0xa5; 16]));
        }
        for list in &mut self.store.buffer_lists {
            list.fill(std::ptr::dangling());
        }
    }
}
