// SPDX-License-Identifier: Apache-2.0

//! A C caller's record batch, wrong in any way that the contract leaves a caller: lengths, offsets and counts, and what stands in the
//! buffers; but the buffers are as long as the array's length and offset, and its last offset, say. Each ends where no memory is, so
//! that one read too far ends the process.

use std::cell::RefCell;
use std::ffi::{c_char, c_void, CString};
use std::sync::OnceLock;

use paimon_c::arrow::{paimon_borrowed_array_release, paimon_borrowed_schema_release, paimon_loan};

use crate::{Choices, COLUMNS};

const SLOT: usize = 1 << 16;
const PAGE: usize = 1 << 12;
const SLOTS: usize = 256;

fn pool() -> usize {
    static POOL: OnceLock<usize> = OnceLock::new();
    *POOL.get_or_init(|| {
        // SAFETY: fresh memory; every slot is followed by a page that cannot be touched.
        unsafe {
            let size = SLOTS * (SLOT + PAGE);
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let at = libc::mmap(std::ptr::null_mut(), size, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
            assert_ne!(at, libc::MAP_FAILED);
            for slot in 0..SLOTS {
                let guard = at.cast::<u8>().add(slot * (SLOT + PAGE) + SLOT);
                assert_eq!(libc::mprotect(guard.cast(), PAGE, libc::PROT_NONE), 0);
            }
            at as usize
        }
    })
}

#[repr(C)]
struct CArray {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *const *const u8,
    children: *const *const CArray,
    dictionary: *const CArray,
    release: Option<unsafe extern "C" fn(*mut arrow_array::ffi::FFI_ArrowArray)>,
    private_data: *mut c_void,
}

#[repr(C)]
struct CSchema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *const *const CSchema,
    dictionary: *const CSchema,
    release: Option<unsafe extern "C" fn(*mut arrow_array::ffi::FFI_ArrowSchema)>,
    private_data: *mut c_void,
}

/// The structs of one batch and all that they point to.
#[derive(Default)]
pub struct Batch {
    arrays: Vec<Box<CArray>>,
    schemas: Vec<Box<CSchema>>,
    strings: Vec<CString>,
    pointers: Vec<Box<[*const u8]>>,
    used: RefCell<Vec<(usize, usize)>>,
}

const FORMATS: &[&str] = &[
    "n",
    "b",
    "c",
    "C",
    "s",
    "S",
    "i",
    "I",
    "l",
    "L",
    "e",
    "f",
    "g",
    "z",
    "Z",
    "u",
    "U",
    "vz",
    "vu",
    "d:10,2",
    "d:38,38",
    "d:5,2,32",
    "d:40,3,256",
    "d:0,0",
    "w:4",
    "w:0",
    "w:-1",
    "w:99999999999",
    "tdD",
    "tdm",
    "tts",
    "ttm",
    "ttu",
    "ttn",
    "tss:",
    "tsm:",
    "tsu:UTC",
    "tsn:",
    "tsu:nowhere",
    "tDs",
    "tiM",
    "tiD",
    "tin",
    "+l",
    "+L",
    "+vl",
    "+vL",
    "+w:2",
    "+w:0",
    "+w:-3",
    "+w:2147483647",
    "+s",
    "+m",
    "+ud:0,1",
    "+us:0",
    "+r",
    "",
    "x",
    "+",
    "d:",
    "w:",
    "ts",
    "+w:",
    "+l+l",
];

impl Batch {
    pub fn array(&self) -> *mut c_void {
        std::ptr::from_ref(self.arrays.last().unwrap().as_ref()).cast_mut().cast()
    }

    pub fn schema(&self) -> *mut c_void {
        std::ptr::from_ref(self.schemas.last().unwrap().as_ref()).cast_mut().cast()
    }

    /// Lends the batch for longer than a call.
    pub fn lend(&mut self, loan: &paimon_loan) {
        self.arrays.last_mut().unwrap().private_data = std::ptr::from_ref(loan).cast_mut().cast();
    }

    /// What a caller may do once the batch is not used any more.
    pub fn spoil(&self) {
        for (at, len) in self.used.borrow().iter() {
            // SAFETY: memory of the pool.
            unsafe { std::ptr::write_bytes(*at as *mut u8, 0xee, *len) };
        }
    }

    fn buffer(&self, bytes: &[u8], aligned: bool) -> *const u8 {
        let mut used = self.used.borrow_mut();
        if used.len() == SLOTS || bytes.len() > SLOT {
            return std::ptr::null();
        }
        let end = pool() + used.len() * (SLOT + PAGE) + SLOT;
        let at = end - bytes.len();
        let at = if aligned { at & !63 } else { at };
        // SAFETY: within a slot of the pool.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), at as *mut u8, bytes.len()) };
        used.push((at, bytes.len()));
        at as *const u8
    }

    fn list(&mut self, mut pointers: Vec<*const u8>) -> *const *const u8 {
        pointers.push(std::ptr::null()); // never an address out of nowhere
        self.pointers.push(pointers.into());
        self.pointers.last().unwrap().as_ptr()
    }

    /// A batch, of the columns of a table where it has their names.
    pub fn new(choices: &mut Choices) -> Batch {
        let mut batch = Batch::default();
        let rows = choices.below(12) as i64;
        let columns = choices.below(8) + usize::from(choices.byte() < 230);
        let mut children = Vec::new();
        for _ in 0..columns {
            let (name, _, format) = COLUMNS[choices.below(COLUMNS.len())];
            let format = if choices.byte() < 160 {
                format
            } else {
                FORMATS[choices.below(FORMATS.len())]
            };
            children.push(batch.column(choices, name, format, rows, 0));
        }
        batch.parent(choices, "", "+s", rows, 0, children);
        batch
    }

    /// Adds an array and its schema, children before them; gives their places.
    fn column(&mut self, choices: &mut Choices, name: &str, format: &str, rows: i64, depth: usize) -> (usize, usize) {
        if depth > 60 {
            return self.parent(choices, name, "n", rows, 0, Vec::new());
        }
        let inner = |choices: &mut Choices| match choices.byte() {
            0..=149 => "i",
            150..=199 => "u",
            _ => FORMATS[choices.below(FORMATS.len())],
        };
        let count = |choices: &mut Choices, usual: i64| {
            if choices.byte() < 200 {
                usual
            } else {
                choices.below(20) as i64
            }
        };
        let offset = if choices.byte() < 60 { choices.below(9) as i64 } else { 0 };
        let end = rows.max(0) + offset;
        let mut children = Vec::new();
        match format {
            "+l" | "+L" | "+vl" | "+vL" => {
                let (format, count) = (inner(choices), count(choices, 8));
                children.push(self.column(choices, "element", format, count, depth + 1));
            }
            "+m" => {
                let values = inner(choices);
                let (keys, count) = (if choices.byte() < 200 { "u" } else { inner(choices) }, count(choices, 8));
                let key = self.column(choices, "key", keys, count, depth + 2);
                let value = self.column(choices, "value", values, count, depth + 2);
                children.push(self.parent(choices, "entries", "+s", count, 0, vec![key, value]));
            }
            "+r" => {
                let runs = count(choices, 4);
                let ends = if choices.byte() < 200 {
                    ["s", "i", "l"][choices.below(3)]
                } else {
                    inner(choices)
                };
                children.push(self.column(choices, "run_ends", ends, runs, depth + 1));
                let values = inner(choices);
                children.push(self.column(choices, "values", values, runs, depth + 1));
            }
            "+s" => {
                for name in ["a", "b"] {
                    let (format, count) = (inner(choices), count(choices, end));
                    children.push(self.column(choices, name, format, count, depth + 1));
                }
            }
            _ if format.starts_with("+w:") => {
                let size: i64 = format[3..].parse().unwrap_or(1);
                let (format, count) = (inner(choices), count(choices, end.saturating_mul(size).clamp(0, 100)));
                children.push(self.column(choices, "element", format, count, depth + 1));
            }
            _ if format.starts_with("+u") => {
                let count = count(choices, end);
                children.push(self.column(choices, "a", "i", count, depth + 1));
            }
            _ => {}
        }
        // A long chain of one type.
        if choices.byte() == 255 && depth == 0 {
            for _ in 0..choices.below(60) {
                children = vec![self.parent(choices, "element", "+w:1", rows, 0, children)];
            }
        }
        self.parent(choices, name, format, rows, offset, children)
    }

    fn parent(
        &mut self,
        choices: &mut Choices,
        name: &str,
        format: &str,
        rows: i64,
        offset: i64,
        children: Vec<(usize, usize)>,
    ) -> (usize, usize) {
        let end = (rows.max(0) + offset) as usize;
        let aligned = choices.byte() < 128;
        let bits = end.div_ceil(8);
        // How long each buffer has to be.
        let width = |format: &str| match format {
            "c" | "C" => 1,
            "s" | "S" | "e" => 2,
            "i" | "I" | "f" | "tdD" | "tts" | "ttm" | "tiM" => 4,
            "n" => 0,
            "tin" => 16,
            "d:5,2,32" => 4,
            "d:40,3,256" => 32,
            _ if format.starts_with("d:") => 16,
            _ if format.starts_with("w:") => format[2..].parse().unwrap_or(0).clamp(0, 4),
            _ => 8,
        };
        // Values that are mostly sensible offsets, with others among them; the last says how long the next buffer is.
        let offsets = |choices: &mut Choices, size: usize| {
            let (mut at, mut bytes) = (0i64, Vec::new());
            for index in 0..=end {
                let step = choices.byte();
                at = match step {
                    0..=239 => at.wrapping_add(i64::from(step % 4)),
                    _ => choices.number(),
                };
                if index == end && !(-8..=4096).contains(&at) {
                    at %= 4096;
                }
                bytes.extend_from_slice(&at.to_le_bytes()[..size]);
            }
            let last = match size {
                4 => i64::from(at as i32),
                _ => at,
            };
            (bytes, last.max(0) as usize)
        };
        let filled = |choices: &mut Choices, len: usize| {
            let mut bytes = vec![0; len];
            let pattern = choices.run();
            for (index, byte) in bytes.iter_mut().enumerate() {
                *byte = pattern.get(index % pattern.len().max(1)).copied().unwrap_or(0);
            }
            bytes
        };
        let mut buffers: Vec<Vec<u8>> = Vec::new();
        match format {
            "n" | "+r" => {}
            "b" => buffers = vec![filled(choices, bits), filled(choices, bits)],
            "u" | "z" | "U" | "Z" => {
                let (ends, last) = offsets(choices, if matches!(format, "u" | "z") { 4 } else { 8 });
                buffers = vec![filled(choices, bits), ends, filled(choices, last)];
            }
            "+l" | "+m" => buffers = vec![filled(choices, bits), offsets(choices, 4).0],
            "+L" => buffers = vec![filled(choices, bits), offsets(choices, 8).0],
            "+vl" => buffers = vec![filled(choices, bits), filled(choices, 4 * end), filled(choices, 4 * end)],
            "+vL" => buffers = vec![filled(choices, bits), filled(choices, 8 * end), filled(choices, 8 * end)],
            "vu" | "vz" => {
                let mut views = Vec::new();
                for _ in 0..end {
                    let (length, text) = (choices.number() as i32, choices.run());
                    views.extend_from_slice(&length.to_le_bytes());
                    views.extend((0..12).map(|index| text.get(index).copied().unwrap_or(0)));
                }
                buffers = vec![filled(choices, bits), views];
                let (mut sizes, more) = (Vec::new(), choices.below(4));
                for _ in 0..more {
                    let size = choices.byte() as usize;
                    buffers.push(filled(choices, size));
                    let says = if choices.byte() < 230 {
                        size as i64
                    } else {
                        -choices.number().saturating_abs()
                    };
                    sizes.extend_from_slice(&says.to_le_bytes());
                }
                buffers.push(sizes);
            }
            _ if format.starts_with("+s") || format.starts_with("+w:") => buffers = vec![filled(choices, bits)],
            _ => buffers = vec![filled(choices, bits), filled(choices, width(format) * end)],
        }
        let mut pointers: Vec<*const u8> = Vec::new();
        for (index, buffer) in buffers.iter().enumerate() {
            let null = if index == 0 {
                choices.byte() < 128
            } else {
                choices.byte() > 250
            };
            pointers.push(if null {
                std::ptr::null()
            } else {
                self.buffer(buffer, aligned)
            });
        }
        let mut n_buffers = pointers.len() as i64;
        if choices.byte() > 250 {
            // Fewer than there are, or one more than the format has.
            n_buffers = [choices.number().min(n_buffers), n_buffers + 1][choices.below(2)];
        }
        let mut n_children = children.len() as i64;
        if choices.byte() > 250 {
            n_children = choices.number().min(n_children);
        }
        let (mut length, mut offset) = (rows, offset);
        if choices.byte() > 250 {
            length = [-1, i64::MIN, i64::MAX, i64::MAX / 2][choices.below(4)];
        }
        if choices.byte() > 250 {
            offset = [-1, i64::MIN, i64::MAX, i64::MAX - length.max(0)][choices.below(4)];
        }
        let dictionary =
            (matches!(format, "c" | "C" | "s" | "S" | "i" | "I" | "l" | "L" | "f") && choices.byte() > 220).then(|| {
                let (inner, rows) = (FORMATS[choices.below(FORMATS.len())], choices.below(9) as i64);
                self.column(choices, "dictionary", inner, rows, 30)
            });
        let child_arrays = children
            .iter()
            .map(|(array, _)| std::ptr::from_ref(self.arrays[*array].as_ref()).cast())
            .collect();
        let child_schemas = children
            .iter()
            .map(|(_, schema)| std::ptr::from_ref(self.schemas[*schema].as_ref()).cast())
            .collect();
        let array = CArray {
            length,
            null_count: if choices.byte() < 200 { -1 } else { choices.number() },
            offset,
            n_buffers,
            n_children,
            buffers: if choices.byte() > 252 {
                std::ptr::null()
            } else {
                self.list(pointers)
            },
            children: if choices.byte() > 252 {
                std::ptr::null()
            } else {
                self.list(child_arrays).cast()
            },
            dictionary: dictionary.map_or(std::ptr::null(), |(array, _)| &*self.arrays[array]),
            release: Some(paimon_borrowed_array_release),
            private_data: std::ptr::null_mut(),
        };
        let mut text = |this: &mut Self, usual: &str| {
            let text = match choices.byte() {
                0..=250 => CString::new(usual).unwrap(),
                _ => choices.text(),
            };
            this.strings.push(text);
            this.strings.last().unwrap().as_ptr()
        };
        // An array of another type than its buffers were made for may be read too far: only names are arbitrary here.
        let name = text(self, name);
        let format = {
            self.strings.push(CString::new(format).unwrap());
            self.strings.last().unwrap().as_ptr()
        };
        let schema = CSchema {
            format: if choices.byte() > 253 { std::ptr::null() } else { format },
            name: if choices.byte() > 250 { std::ptr::null() } else { name },
            metadata: std::ptr::null(),
            flags: if choices.byte() < 240 { 2 } else { choices.number() },
            n_children: if choices.byte() < 250 {
                children.len() as i64
            } else {
                n_children
            },
            children: if choices.byte() > 252 {
                std::ptr::null()
            } else {
                self.list(child_schemas).cast()
            },
            dictionary: match dictionary {
                Some((_, schema)) if choices.byte() < 250 => &*self.schemas[schema],
                _ => std::ptr::null(),
            },
            release: Some(paimon_borrowed_schema_release),
            private_data: std::ptr::null_mut(),
        };
        self.arrays.push(Box::new(array));
        self.schemas.push(Box::new(schema));
        (self.arrays.len() - 1, self.schemas.len() - 1)
    }
}
