// SPDX-License-Identifier: Apache-2.0

//! The plain structs that cross the boundary. Go mirrors them in types.go; `paimon_abi_layout` lets its tests compare.

use std::ffi::{c_char, c_void};

use crate::error::{paimon_error, Failure, Result};
use crate::handle;

/// One key and value of a catalog's or a database's options. Both strings are borrowed for the call.
#[repr(C)]
pub struct paimon_option {
    pub key: *const c_char,
    pub value: *const c_char,
}

/// A run of bytes, not NUL-terminated. Where a function returns one, the caller owns it and gives it back to
/// `paimon_bytes_free`; where a function takes one, it is borrowed for the call. Empty is `{NULL, 0}`.
#[repr(C)]
pub struct paimon_bytes {
    pub data: *mut u8,
    pub len: usize,
}

impl paimon_bytes {
    pub const EMPTY: paimon_bytes = paimon_bytes {
        data: std::ptr::null_mut(),
        len: 0,
    };

    pub fn from_vec(bytes: Vec<u8>) -> Self {
        if bytes.is_empty() {
            return Self::EMPTY;
        }
        let boxed = bytes.into_boxed_slice();
        let len = boxed.len();
        Self {
            data: Box::into_raw(boxed).cast(),
            len,
        }
    }

    /// Takes the memory back.
    ///
    /// # Safety
    /// `self` must come from [`paimon_bytes::from_vec`] and be reclaimed once.
    pub unsafe fn reclaim(self) {
        if !self.data.is_null() {
            // SAFETY: from_vec made data and len from one boxed slice, and the caller gives it back once.
            drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(self.data, self.len)) });
        }
    }
}

/// A literal of a predicate, by value. `tag` says which members count: 0 bool, 1 tinyint, 2 smallint, 3 int, 4 bigint
/// (`int_val`); 5 float, 6 double (`double_val`); 7 string (`str_data`, `str_len`, UTF-8); 8 date in days since the epoch,
/// 9 time in milliseconds of the day (`int_val`); 10 timestamp, 11 timestamp with local time zone (`int_val` milliseconds
/// since the epoch, `int_val2` nanoseconds within that millisecond); 12 decimal (`int_val` the low and `int_val2` the high 64
/// bits of the unscaled value, `uint_val` its precision, `uint_val2` its scale); 13 bytes (`str_data`, `str_len`).
#[repr(C)]
pub struct paimon_datum {
    pub tag: i32,
    pub int_val: i64,
    pub double_val: f64,
    pub str_data: *const u8,
    pub str_len: usize,
    pub int_val2: i64,
    pub uint_val: u32,
    pub uint_val2: u32,
}

/// One record batch as a pair of heap-allocated `struct ArrowArray` and `struct ArrowSchema` of the Arrow C Data Interface.
/// The receiver may move both structs out (setting `release` to NULL in place, as the interface says) or leave them; either
/// way it hands the pair to `paimon_arrow_batch_free`, which frees the two structs and releases what was not moved out.
#[repr(C)]
pub struct paimon_arrow_batch {
    pub array: *mut c_void,
    pub schema: *mut c_void,
}

/// What a function that makes an object returns: exactly one of the two members is not NULL. The caller owns whichever it is.
#[repr(C)]
pub struct paimon_result<T> {
    pub value: *mut T,
    pub error: *mut paimon_error,
}

impl<T> paimon_result<T> {
    /// Hands a new object, or the failure, to the caller.
    pub fn from(outcome: Result<T>) -> Self {
        match outcome {
            Ok(value) => Self {
                value: handle::give(value),
                error: std::ptr::null_mut(),
            },
            Err(failure) => Self {
                value: std::ptr::null_mut(),
                error: failure.give(),
            },
        }
    }
}

/// What a function that returns text or bytes gives: `error` is NULL on success, else `value` is `{NULL, 0}`. The caller owns
/// whichever it is.
#[repr(C)]
pub struct paimon_result_bytes {
    pub value: paimon_bytes,
    pub error: *mut paimon_error,
}

impl paimon_result_bytes {
    pub fn from(outcome: Result<Vec<u8>>) -> Self {
        match outcome {
            Ok(bytes) => Self {
                value: paimon_bytes::from_vec(bytes),
                error: std::ptr::null_mut(),
            },
            Err(failure) => Self {
                value: paimon_bytes::EMPTY,
                error: failure.give(),
            },
        }
    }
}

/// What a reader's next step gives: a batch, or an error, or, at the end of the data, neither (all members NULL).
#[repr(C)]
pub struct paimon_result_batch {
    pub value: paimon_arrow_batch,
    pub error: *mut paimon_error,
}

impl paimon_result_batch {
    pub fn from(outcome: Result<paimon_arrow_batch>) -> Self {
        match outcome {
            Ok(value) => Self {
                value,
                error: std::ptr::null_mut(),
            },
            Err(failure) => Self {
                value: paimon_arrow_batch::NONE,
                error: failure.give(),
            },
        }
    }
}

/// What a function that counts gives: `error` is NULL on success, else `value` is 0.
#[repr(C)]
pub struct paimon_result_size {
    pub value: usize,
    pub error: *mut paimon_error,
}

impl paimon_result_size {
    pub fn from(outcome: Result<usize>) -> Self {
        match outcome {
            Ok(value) => Self {
                value,
                error: std::ptr::null_mut(),
            },
            Err(failure) => Self {
                value: 0,
                error: failure.give(),
            },
        }
    }
}

/// Encodes metadata for the way out.
pub fn json<T: serde::Serialize>(value: &T) -> Result<Vec<u8>> {
    serde_json::to_vec(value).map_err(|error| Failure::unexpected(format!("cannot encode as JSON: {error}")))
}
