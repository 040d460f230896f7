// SPDX-License-Identifier: Apache-2.0

//! Signals are kept away from native threads, so that the threads of the process that expect them get them. A handler may not know
//! a thread that the host did not start: Go's ends the process then, by any signal that nobody asked to be notified of. That is
//! worst for SIGPIPE, which a write to a closed socket raises in the thread that wrote. Blocked, the write fails with EPIPE.
//!
//! Open stay the signals that stand for a fault of the thread itself, which cannot be put off, the one that profilers send, and those
//! by which users end a program: in a C program the thread in a call may be the only one that can take them.

#[cfg(unix)]
mod mask {
    use std::mem::MaybeUninit;
    use std::ptr;

    const OPEN: [libc::c_int; 11] = [
        libc::SIGABRT,
        libc::SIGBUS,
        libc::SIGFPE,
        libc::SIGHUP,
        libc::SIGILL,
        libc::SIGINT,
        libc::SIGPROF,
        libc::SIGSEGV,
        libc::SIGSYS,
        libc::SIGTERM,
        libc::SIGTRAP,
    ];

    /// The mask that a thread had before.
    pub struct Mask(libc::sigset_t);

    impl Mask {
        pub fn block() -> Mask {
            let mut set = MaybeUninit::<libc::sigset_t>::uninit();
            let mut before = MaybeUninit::<libc::sigset_t>::uninit();
            // SAFETY: the sets are our own; sigfillset initializes the one, pthread_sigmask the other. It cannot fail, since SIG_BLOCK
            // is known, and it leaves out what the C library needs itself.
            unsafe {
                libc::sigfillset(set.as_mut_ptr());
                for open in OPEN {
                    libc::sigdelset(set.as_mut_ptr(), open);
                }
                libc::pthread_sigmask(libc::SIG_BLOCK, set.as_ptr(), before.as_mut_ptr());
                Mask(before.assume_init())
            }
        }

        pub fn restore(&self) {
            // SAFETY: the set is the one that the thread had.
            unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &self.0, ptr::null_mut()) };
        }
    }
}

#[cfg(not(unix))]
mod mask {
    pub struct Mask;

    impl Mask {
        pub fn block() -> Mask {
            Mask
        }

        pub fn restore(&self) {}
    }
}

/// Runs `body` with signals blocked in the calling thread. Threads that are started in it, the runtime's and those that the engine
/// starts on its own, have them blocked from their first moment.
pub fn blocked<T>(body: impl FnOnce() -> T) -> T {
    struct Restore(mask::Mask);
    impl Drop for Restore {
        fn drop(&mut self) {
            self.0.restore();
        }
    }
    let _restore = Restore(mask::Mask::block());
    body()
}
