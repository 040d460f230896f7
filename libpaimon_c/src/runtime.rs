// SPDX-License-Identifier: Apache-2.0

//! The one tokio runtime of the process. It lives as long as some object that does I/O holds it: when the last is freed its
//! threads are joined, and the next object starts it again.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

use crate::error::{Failure, Result};

static SHARED: Mutex<Weak<Runtime>> = Mutex::new(Weak::new());

/// A hold on the runtime.
#[derive(Clone)]
pub struct Hold(Arc<Runtime>);

impl Hold {
    pub fn acquire() -> Result<Hold> {
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(runtime) = shared.upgrade() {
            return Ok(Hold(runtime));
        }
        // As many workers as processors that this process may use: available_parallelism knows cgroup quotas and affinity.
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        let runtime = Builder::new_multi_thread()
            .worker_threads(workers)
            .max_blocking_threads(4 * workers.max(4))
            .thread_keep_alive(Duration::from_secs(2))
            .thread_name("paimon")
            .enable_all()
            .build()
            .map_err(|error| Failure::unexpected(format!("cannot start worker threads: {error}")))?;
        let runtime = Arc::new(runtime);
        *shared = Arc::downgrade(&runtime);
        Ok(Hold(runtime))
    }

    /// Runs a future to its end on the calling thread, which must not be one of the runtime's own.
    pub fn run<F: Future>(&self, future: F) -> F::Output {
        self.0.block_on(future)
    }

    /// Runs `body` where destructors that reach for the runtime find it.
    pub fn within<T>(&self, body: impl FnOnce() -> T) -> T {
        let _context = self.0.enter();
        body()
    }
}
