// SPDX-License-Identifier: Apache-2.0

//! Calling calls off: a token that one thread enters, and another cancels.

use std::cell::RefCell;

use tokio_util::sync::CancellationToken;

use crate::error::{borrow, guard, guard_free, guard_void, paimon_error, Failure, PAIMON_CODE_CANCELLED};
use crate::handle;
use crate::types::paimon_result;

/// What calls are called off with. Safe for concurrent use.
pub struct paimon_cancel_token {
    token: CancellationToken,
}

thread_local! {
    static CURRENT: RefCell<Option<CancellationToken>> = const { RefCell::new(None) };
}

/// The token that this thread has entered.
pub fn current() -> Option<CancellationToken> {
    CURRENT.with_borrow(Option::clone)
}

pub fn failure() -> Failure {
    Failure::new(PAIMON_CODE_CANCELLED, "the call was called off")
}

/// Makes a token. The caller owns it and gives it to `paimon_cancel_token_free`.
#[no_mangle]
pub extern "C" fn paimon_cancel_token_new() -> paimon_result<paimon_cancel_token> {
    paimon_result::from(guard(|| {
        Ok(paimon_cancel_token {
            token: CancellationToken::new(),
        })
    }))
}

/// From now on the calls of this thread that wait for storage or a server end early once the token is cancelled, until the thread enters
/// another token, or NULL, which stands for none. The token may be freed meanwhile.
///
/// A call that reads, or one that changes something and has not begun, then is PAIMON_CODE_CANCELLED. A reader or a write is then
/// over, as after any error. A call that changes what is stored is given a moment to end, and gives its result if it does, else it is
/// PAIMON_CODE_OUTCOME_UNKNOWN. Calls that free wait for storage whatever was entered, but not long. When a call has returned nothing of
/// it uses the caller's memory any more.
///
/// # Safety
/// `token` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_cancel_token_enter(token: *const paimon_cancel_token) {
    guard_free(|| {
        // SAFETY: as the caller promises.
        let token = unsafe { token.as_ref() };
        CURRENT.set(token.map(|token| token.token.clone()));
    });
}

/// Ends the calls of all threads that have entered the token, now and later. It does not wait for them.
///
/// # Safety
/// `token` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_cancel_token_cancel(token: *const paimon_cancel_token) -> *mut paimon_error {
    guard_void(|| {
        // SAFETY: as the caller promises.
        unsafe { borrow(token, "the token")? }.token.cancel();
        Ok(())
    })
}

/// Frees a token, which threads may have entered. NULL is ignored.
///
/// # Safety
/// `token` is NULL or a live token that no other call uses any more.
#[no_mangle]
pub unsafe extern "C" fn paimon_cancel_token_free(token: *mut paimon_cancel_token) {
    // SAFETY: as the caller promises.
    unsafe { handle::release(token) }
}
