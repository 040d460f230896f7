// SPDX-License-Identifier: Apache-2.0

//! Which signals reach the threads of the runtime.

/// Keeps signals away from the calling thread, one of the runtime's own, so that the threads of the process that expect them get
/// them. It matters most for SIGPIPE, which a write to a closed socket raises in the thread that wrote: where the host's
/// handler does not know the thread, as Go's does not, the process ends. Blocked, the write fails with EPIPE and nothing else happens.
///
/// Open stay the signals that stand for a fault of the thread itself, which cannot be put off, and the one that profilers send.
pub fn block() {
    #[cfg(unix)]
    {
        use std::mem::MaybeUninit;
        use std::ptr;

        let mut set = MaybeUninit::<libc::sigset_t>::uninit();
        // SAFETY: sigfillset initializes the set, which is our own. The C library leaves out what it needs itself.
        unsafe {
            libc::sigfillset(set.as_mut_ptr());
            for open in OPEN {
                libc::sigdelset(set.as_mut_ptr(), open);
            }
            libc::pthread_sigmask(libc::SIG_BLOCK, set.as_ptr(), ptr::null_mut());
        }
    }
}

#[cfg(unix)]
const OPEN: [libc::c_int; 8] = [
    libc::SIGABRT,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGILL,
    libc::SIGPROF,
    libc::SIGSEGV,
    libc::SIGSYS,
    libc::SIGTRAP,
];
