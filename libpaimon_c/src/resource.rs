// SPDX-License-Identifier: Apache-2.0

//! Memory budgets that reads and writes share.

use paimon::resource::ResourceContext;

use crate::error::{borrow, guard, paimon_error, Result};
use crate::handle;
use crate::types::paimon_result;

/// A memory budget. Safe for concurrent use.
pub struct paimon_resource_context {
    pub(crate) context: ResourceContext,
}

/// What a budget's users have reserved now, and the most they ever had.
#[repr(C)]
pub struct paimon_resource_metrics {
    pub reserved_memory_bytes: usize,
    pub peak_reserved_memory_bytes: usize,
}

/// What `paimon_resource_context_metrics` gives: `error` is NULL on success, else `value` is all 0.
#[repr(C)]
pub struct paimon_result_resource_metrics {
    pub value: paimon_resource_metrics,
    pub error: *mut paimon_error,
}

/// Makes a budget of so many bytes; of 0 nothing can be reserved. The caller owns it and gives it to `paimon_resource_context_free`.
#[no_mangle]
pub extern "C" fn paimon_resource_context_new(memory_limit_bytes: usize) -> paimon_result<paimon_resource_context> {
    paimon_result::from(guard(|| {
        let context = ResourceContext::builder().memory_limit(memory_limit_bytes).build()?;
        Ok(paimon_resource_context { context })
    }))
}

/// Frees a budget. What took it goes on to stay within it. NULL is ignored.
///
/// # Safety
/// `context` is NULL or a live budget that no other call uses any more.
#[no_mangle]
pub unsafe extern "C" fn paimon_resource_context_free(context: *mut paimon_resource_context) {
    // SAFETY: as the caller promises.
    unsafe { handle::release(context) }
}

/// What is reserved of the budget.
///
/// # Safety
/// `context` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_resource_context_metrics(
    context: *const paimon_resource_context,
) -> paimon_result_resource_metrics {
    let outcome: Result<_> = guard(|| {
        // SAFETY: as the caller promises.
        Ok(unsafe { borrow(context, "the resource context")? }.context.metrics())
    });
    let (metrics, error) = match outcome {
        Ok(metrics) => (metrics, std::ptr::null_mut()),
        Err(failure) => (Default::default(), failure.give()),
    };
    paimon_result_resource_metrics {
        value: paimon_resource_metrics {
            reserved_memory_bytes: metrics.reserved_memory_bytes,
            peak_reserved_memory_bytes: metrics.peak_reserved_memory_bytes,
        },
        error,
    }
}
