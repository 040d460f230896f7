// SPDX-License-Identifier: Apache-2.0

//! The system allocator, with a count of the bytes that are out: the leak checks of the callers stand on it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

/// The count is spread over slots, one cache line each, so that threads do not fight over one.
const SLOTS: usize = 32;

#[repr(align(64))]
struct Slot(AtomicI64);

static BYTES: [Slot; SLOTS] = [const { Slot(AtomicI64::new(0)) }; SLOTS];
static NEXT: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static MINE: Cell<usize> = const { Cell::new(usize::MAX) };
}

fn count(delta: i64) {
    // A thread that is being torn down has lost its slot; any slot is right, since only the sum is read.
    let slot = MINE
        .try_with(|mine| {
            if mine.get() == usize::MAX {
                mine.set(NEXT.fetch_add(1, Ordering::Relaxed) % SLOTS);
            }
            mine.get()
        })
        .unwrap_or(0);
    BYTES[slot].0.fetch_add(delta, Ordering::Relaxed);
}

struct Counting;

// SAFETY: every call goes to System unchanged; counting neither allocates nor panics.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is passed on.
        let pointer = unsafe { System.alloc(layout) };
        if !pointer.is_null() {
            count(layout.size() as i64);
        }
        pointer
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is passed on.
        let pointer = unsafe { System.alloc_zeroed(layout) };
        if !pointer.is_null() {
            count(layout.size() as i64);
        }
        pointer
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as i64));
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) };
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise is passed on.
        let moved = unsafe { System.realloc(pointer, layout, size) };
        if !moved.is_null() {
            count(size as i64 - layout.size() as i64);
        }
        moved
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How many bytes this library's Rust code has allocated and not freed, caches and batches that callers hold among them. What
/// the C libraries inside allocate (OpenSSL, zstd) is not counted.
#[no_mangle]
pub extern "C" fn paimon_live_bytes() -> i64 {
    BYTES.iter().map(|slot| slot.0.load(Ordering::Relaxed)).sum()
}
