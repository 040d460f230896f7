// SPDX-License-Identifier: Apache-2.0

//! What a caller checks before it trusts the rest: the version of the ABI and the layout of its structs.

use std::ffi::c_char;
use std::mem::{offset_of, size_of};

use crate::arrow::paimon_loan;
use crate::error::{guard_void, paimon_error, text};
use crate::resource::{paimon_resource_metrics, paimon_result_resource_metrics};
use crate::types::{
    paimon_arrow_batch, paimon_bytes, paimon_datum, paimon_option, paimon_result, paimon_result_batch, paimon_result_bytes,
    paimon_result_size,
};

/// The version of this ABI. It grows whenever a function or struct changes in a way that an older caller cannot use.
pub const PAIMON_ABI_VERSION: u32 = 2;

/// One member of one struct, `name` being `struct.member`, a NUL-terminated string that lives for ever. The entry of a whole
/// struct has the struct's name alone, its size, and offset 0.
#[repr(C)]
pub struct paimon_layout {
    pub name: *const c_char,
    pub size: usize,
    pub offset: usize,
}

// SAFETY: the pointers lead to string constants.
unsafe impl Sync for paimon_layout {}

macro_rules! layout {
    ($($name:literal: $struct:ty { $($member:ident: $type:ty),* })*) => {
        &[$(
            paimon_layout { name: concat!($name, "\0").as_ptr().cast(), size: size_of::<$struct>(), offset: 0 },
            $(paimon_layout {
                name: concat!($name, ".", stringify!($member), "\0").as_ptr().cast(),
                size: size_of::<$type>(),
                offset: offset_of!($struct, $member),
            },)*
        )*]
    };
}

static LAYOUT: &[paimon_layout] = layout! {
    "paimon_option": paimon_option { key: *const c_char, value: *const c_char }
    "paimon_bytes": paimon_bytes { data: *mut u8, len: usize }
    "paimon_error": paimon_error { code: i32, message: paimon_bytes }
    "paimon_datum": paimon_datum {
        tag: i32, int_val: i64, double_val: f64, str_data: *const u8, str_len: usize, int_val2: i64, uint_val: u32, uint_val2: u32
    }
    "paimon_arrow_batch": paimon_arrow_batch { array: *mut u8, schema: *mut u8 }
    "paimon_loan": paimon_loan { bytes: i64, returned: i32 }
    "paimon_result": paimon_result<u8> { value: *mut u8, error: *mut paimon_error }
    "paimon_result_bytes": paimon_result_bytes { value: paimon_bytes, error: *mut paimon_error }
    "paimon_result_batch": paimon_result_batch { value: paimon_arrow_batch, error: *mut paimon_error }
    "paimon_result_size": paimon_result_size { value: usize, error: *mut paimon_error }
    "paimon_resource_metrics": paimon_resource_metrics { reserved_memory_bytes: usize, peak_reserved_memory_bytes: usize }
    "paimon_result_resource_metrics": paimon_result_resource_metrics { value: paimon_resource_metrics, error: *mut paimon_error }
};

/// The version of the ABI that this library has: its PAIMON_ABI_VERSION.
#[no_mangle]
pub extern "C" fn paimon_abi_version() -> u32 {
    PAIMON_ABI_VERSION
}

/// How many entries `paimon_abi_layout` has.
#[no_mangle]
pub extern "C" fn paimon_abi_layout_len() -> usize {
    LAYOUT.len()
}

/// The layout of the structs that cross by value, for a caller's tests. The array lives for ever.
#[no_mangle]
pub extern "C" fn paimon_abi_layout() -> *const paimon_layout {
    LAYOUT.as_ptr()
}

/// Panics inside, so that a caller's tests can see that a panic arrives as PAIMON_CODE_UNEXPECTED and does no harm.
///
/// # Safety
/// `message` is NULL or NUL-terminated.
#[no_mangle]
pub unsafe extern "C" fn paimon_selftest_panic(message: *const c_char) -> *mut paimon_error {
    guard_void(|| {
        // SAFETY: as the caller promises.
        let message = unsafe { text(message, "the message")? };
        panic!("{message}")
    })
}
