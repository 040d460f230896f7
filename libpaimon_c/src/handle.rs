// SPDX-License-Identifier: Apache-2.0

//! Objects across the boundary: given as a pointer, counted while out, taken back once.

use std::sync::atomic::{AtomicI64, Ordering};

static LIVE: AtomicI64 = AtomicI64::new(0);

/// Moves a value to the heap and hands its pointer out.
pub fn give<T>(value: T) -> *mut T {
    LIVE.fetch_add(1, Ordering::Relaxed);
    Box::into_raw(Box::new(value))
}

/// Takes a value back; NULL gives None.
///
/// # Safety
/// `pointer` is NULL or comes from [`give`] and is taken once.
pub unsafe fn take<T>(pointer: *mut T) -> Option<Box<T>> {
    if pointer.is_null() {
        return None;
    }
    LIVE.fetch_sub(1, Ordering::Relaxed);
    // SAFETY: give() made the pointer from a box, and it comes back once.
    Some(unsafe { Box::from_raw(pointer) })
}

/// Drops a value that was given out. NULL is ignored, and a destructor that panics is contained.
///
/// # Safety
/// As for [`take`].
pub unsafe fn release<T>(pointer: *mut T) {
    // SAFETY: as the caller promises.
    crate::error::guard_free(|| drop(unsafe { take(pointer) }));
}

/// How many objects of this library (handles, errors; not bytes or batches) its callers hold.
#[no_mangle]
pub extern "C" fn paimon_live_handles() -> i64 {
    LIVE.load(Ordering::Relaxed)
}
