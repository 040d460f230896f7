// SPDX-License-Identifier: Apache-2.0

//! The one tokio runtime of the process. It lives as long as some object that does I/O holds it: when the last is freed its
//! threads are joined, and the next object starts it again. Every wait of a caller is here, and can be called off; and whatever could
//! start a thread runs with signals blocked.

use std::future::Future;
use std::path::Path;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};
use std::time::Duration;

use futures::future::{select, Either};
use tokio::runtime::{Builder, Runtime};

use crate::cancel;
use crate::error::{Failure, Result, PAIMON_CODE_OUTCOME_UNKNOWN, PAIMON_CODE_RESOURCE_EXHAUSTED};
use crate::signals;

/// The name of the worker threads.
pub const WORKER: &str = "paimon";

/// How long a change that was called off may go on, to come to an end whose outcome is known.
pub const GRACE: Duration = Duration::from_millis(500);

/// How long the last free waits for what cannot be called off, such as a system call that hangs.
const LAST_WAIT: Duration = Duration::from_secs(1);

static SHARED: Mutex<Weak<Shared>> = Mutex::new(Weak::new());

struct Shared(Option<Runtime>);

impl Shared {
    fn runtime(&self) -> &Runtime {
        self.0.as_ref().expect("there is one until drop")
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_timeout(LAST_WAIT);
        }
    }
}

/// Starts so many threads at once, and ends them. The runtime's builder panics where it cannot start one, and waits for ever for
/// those that it did start.
fn try_threads(count: usize) -> std::io::Result<()> {
    let gate = Arc::new(RwLock::new(()));
    let closed = gate.write();
    let mut threads = Vec::with_capacity(count);
    let mut outcome = Ok(());
    while threads.len() < count && outcome.is_ok() {
        let gate = gate.clone();
        let wait = move || {
            drop(gate.read());
            own_task()
        };
        match std::thread::Builder::new().name(WORKER.into()).spawn(wait) {
            Ok(thread) => threads.push(thread),
            Err(error) => outcome = Err(error),
        }
    }
    drop(closed);
    for thread in threads {
        let task = thread.join().unwrap_or_default();
        // The system counts a thread for a moment after it was joined.
        let mut tries = 0;
        while tries < 100 && !task.is_empty() && Path::new(&task).exists() {
            tries += 1;
            std::thread::sleep(Duration::from_micros(100));
        }
    }
    outcome
}

/// Where the system shows the calling thread, if it does.
fn own_task() -> String {
    #[cfg(target_os = "linux")]
    // SAFETY: gettid has no arguments and cannot fail.
    return format!("/proc/self/task/{}", unsafe { libc::gettid() });
    #[cfg(not(target_os = "linux"))]
    String::new()
}

/// A hold on the runtime.
#[derive(Clone)]
pub struct Hold(Arc<Shared>);

impl Hold {
    pub fn acquire() -> Result<Hold> {
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(runtime) = shared.upgrade() {
            return Ok(Hold(runtime));
        }
        // As many workers as processors that this process may use: available_parallelism knows cgroup quotas and affinity. Two at least:
        // while the only one decodes or sorts nobody would see that time has run out.
        let workers = std::thread::available_parallelism().map_or(2, usize::from).max(2);
        let mut builder = Builder::new_multi_thread();
        builder
            .worker_threads(workers)
            .max_blocking_threads(4 * workers.max(4))
            .thread_keep_alive(Duration::from_secs(2))
            .thread_name(WORKER)
            .enable_all();
        let runtime = signals::blocked(|| {
            // One more, since files are read and written by others than the workers.
            try_threads(workers + 1).and_then(|()| builder.build())
        })
        .map_err(|error| {
            Failure::new(
                PAIMON_CODE_RESOURCE_EXHAUSTED,
                format!(
                    "cannot start {workers} worker threads: {error}; the user's limit of processes (ulimit -u) or that of the container \
                     (pids.max) may be too low"
                ),
            )
        })?;
        let runtime = Arc::new(Shared(Some(runtime)));
        *shared = Arc::downgrade(&runtime);
        Ok(Hold(runtime))
    }

    /// Runs a future to its end on the calling thread, which must not be one of the runtime's own, unless the call is called off: then
    /// the future is dropped, and with it what it does.
    pub fn run<F: Future>(&self, future: F) -> Result<F::Output> {
        let Some(token) = cancel::current() else {
            return Ok(self.finish(future));
        };
        self.finish(async { token.run_until_cancelled(future).await })
            .ok_or_else(cancel::failure)
    }

    /// Runs a future that changes what is stored. If the call is called off before it began nothing happens; else the future has a
    /// moment to end, and if it does not, it is dropped and nobody knows what became of the change.
    pub fn change<F: Future>(&self, future: F) -> Result<F::Output> {
        let Some(token) = cancel::current() else {
            return Ok(self.finish(future));
        };
        if token.is_cancelled() {
            return Err(cancel::failure());
        }
        self.finish(async {
            let called_off = pin!(async {
                token.cancelled().await;
                tokio::time::sleep(GRACE).await;
            });
            match select(pin!(future), called_off).await {
                Either::Left((output, _)) => Ok(output),
                Either::Right(_) => Err(Failure::new(
                    PAIMON_CODE_OUTCOME_UNKNOWN,
                    "the call was called off before the storage or the server had answered, so the change may have been made, or be made yet",
                )),
            }
        })
    }

    /// Runs a future that is not to be called off to its end.
    pub fn finish<F: Future>(&self, future: F) -> F::Output {
        signals::blocked(|| self.0.runtime().block_on(future))
    }

    /// Runs what clears up, but no longer than `limit`.
    pub fn clean_up<F: Future>(&self, limit: Duration, future: F) {
        let _ = self.finish(async { tokio::time::timeout(limit, future).await });
    }

    /// Runs `body` where destructors that reach for the runtime find it.
    pub fn within<T>(&self, body: impl FnOnce() -> T) -> T {
        let _context = self.0.runtime().enter();
        signals::blocked(body)
    }
}
