// SPDX-License-Identifier: Apache-2.0

//! What the benchmarks of ../bench compare the Go package with: the `paimon` crate alone, used as a Rust program would, from within the
//! same process and on the same compiled code. Only the feature `bench` has it; no library that is embedded does.

use std::ffi::{c_char, CStr, CString};
use std::mem::MaybeUninit;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use futures::StreamExt;
use paimon::catalog::Identifier;
use paimon::spec::{Datum, PredicateBuilder};
use paimon::{Catalog, CatalogFactory, Options};
use serde_json::{json, Value};

use crate::runtime::Hold;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Runs a task, as bench/task.go describes it in JSON, and gives its result in JSON. The caller gives that to `paimon_bench_free`.
///
/// # Safety
/// `task` is NUL-terminated.
#[no_mangle]
pub unsafe extern "C" fn paimon_bench_run(task: *const c_char) -> *mut c_char {
    // SAFETY: as the caller promises.
    let text = unsafe { CStr::from_ptr(task) };
    let outcome = std::panic::catch_unwind(|| run(text.to_bytes()).map_err(|error| error.to_string()));
    let result = match outcome.unwrap_or_else(|_| Err("panic".to_string())) {
        Ok(result) => result,
        Err(error) => json!({ "error": error }),
    };
    CString::new(result.to_string()).expect("JSON has no NUL").into_raw()
}

/// Frees a result.
///
/// # Safety
/// `result` comes from `paimon_bench_run` and was not freed before.
#[no_mangle]
pub unsafe extern "C" fn paimon_bench_free(result: *mut c_char) {
    // SAFETY: as the caller promises.
    drop(unsafe { CString::from_raw(result) });
}

fn run(task: &[u8]) -> Outcome<Value> {
    let task: Value = serde_json::from_slice(task)?;
    let op = text(&task, "op")?;
    if op == "generate" {
        batches(&task)?;
        return Ok(json!({}));
    }
    let hold = Hold::acquire().map_err(|failure| failure.message)?;
    let watch = Watch::start();
    let options = Options::from_map([("warehouse".to_string(), text(&task, "warehouse")?.to_string())].into());
    let catalog = hold.finish(CatalogFactory::create(options))?;
    match op {
        "read" => read(&hold, catalog, &task, watch),
        "write" => write(&hold, catalog, &task, &*batches(&task)?, watch),
        op => Err(format!("there is no op {op}").into()),
    }
}

fn text<'a>(task: &'a Value, key: &str) -> Outcome<&'a str> {
    task[key].as_str().ok_or_else(|| format!("the task has no {key}").into())
}

fn number(task: &Value, key: &str) -> i64 {
    task[key].as_i64().unwrap_or(0)
}

fn read(hold: &Hold, catalog: Arc<dyn Catalog>, task: &Value, watch: Watch) -> Outcome<Value> {
    let (mut rows, mut batches, mut first) = (0, 0, None);
    hold.finish(async {
        let mut table = catalog.get_table(&Identifier::new("bench", text(task, "table")?)).await?;
        let size = number(task, "batch");
        if size > 0 {
            table = table.copy_with_options([("read.batch-size".to_string(), size.to_string())].into());
        }
        let mut builder = table.new_read_builder();
        let columns: Vec<&str> = task["columns"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        if !columns.is_empty() {
            builder.with_projection(&columns)?;
        }
        let below = number(task, "below");
        if below > 0 {
            builder.with_filter(PredicateBuilder::new(table.schema().fields()).less_than("id", Datum::Long(below))?);
        }
        let limit = number(task, "limit");
        if limit > 0 {
            builder.with_limit(limit as usize);
        }
        let plan = builder.new_scan().plan().await?;
        let mut stream = builder.new_read()?.to_arrow(plan.splits())?;
        while let Some(batch) = stream.next().await {
            rows += batch?.num_rows();
            batches += 1;
            first.get_or_insert_with(|| watch.wall());
            if limit > 0 && rows >= limit as usize {
                break; // to the engine it is but a hint
            }
        }
        Outcome::Ok(())
    })?;
    Ok(watch.stop(rows, batches, first))
}

fn write(hold: &Hold, catalog: Arc<dyn Catalog>, task: &Value, batches: &[RecordBatch], watch: Watch) -> Outcome<Value> {
    let per_commit = batches.len().div_ceil(number(task, "commits").max(1) as usize);
    hold.finish(async {
        let table = catalog.get_table(&Identifier::new("bench", text(task, "table")?)).await?;
        let builder = table.new_write_builder();
        let mut write = builder.new_write()?;
        let commit = builder.try_new_commit()?;
        for (number, batches) in batches.chunks(per_commit).enumerate() {
            for batch in batches {
                write.write_arrow_batch(batch).await?;
            }
            let messages = write.prepare_commit().await?;
            commit.commit_with_identifier(messages, number as i64 + 1).await?;
        }
        write.close().await;
        Outcome::Ok(())
    })?;
    Ok(watch.stop(batches.iter().map(RecordBatch::num_rows).sum(), batches.len(), None))
}

/// The batches that a task writes, made by the first that asks for them. Their rows are those of bench/data.go.
fn batches(task: &Value) -> Outcome<Arc<Vec<RecordBatch>>> {
    type Made = (i64, i64, i64, Arc<Vec<RecordBatch>>);
    static MADE: Mutex<Vec<Made>> = Mutex::new(Vec::new());
    let (from, rows, size) = (number(task, "from"), number(task, "rows"), number(task, "batch_rows"));
    let mut all = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(made) = all.iter().find(|made| (made.0, made.1, made.2) == (from, rows, size)) {
        return Ok(made.3.clone());
    }
    let mut batches = Vec::new();
    for start in (from..from + rows).step_by(size as usize) {
        let ids = start..(start + size).min(from + rows);
        let columns: [(&str, ArrayRef); 3] = [
            ("id", Arc::new(Int64Array::from_iter_values(ids.clone()))),
            (
                "v",
                Arc::new(Float64Array::from_iter_values(
                    ids.clone().map(|id| (mix(id) >> 11) as f64 / (1u64 << 53) as f64),
                )),
            ),
            (
                "s",
                Arc::new(StringArray::from_iter_values(
                    ids.map(|id| format!("r{:09}", mix(id) % 1_000_000_000)),
                )),
            ),
        ];
        batches.push(RecordBatch::try_from_iter_with_nullable(
            columns.into_iter().map(|(name, array)| (name, array, name != "id")),
        )?);
    }
    let batches = Arc::new(batches);
    all.push((from, rows, size, batches.clone()));
    Ok(batches)
}

/// The finalizer of splitmix64: numbers that look random, the same in every language.
fn mix(id: i64) -> u64 {
    let mut z = (id as u64).wrapping_mul(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d049bb133111eb);
    z ^ (z >> 31)
}

/// Wall time, and the processor time of the whole process.
struct Watch {
    wall: Instant,
    cpu: Duration,
}

impl Watch {
    fn start() -> Watch {
        Watch {
            cpu: cpu(),
            wall: Instant::now(),
        }
    }

    fn wall(&self) -> u64 {
        self.wall.elapsed().as_nanos() as u64
    }

    fn stop(&self, rows: usize, batches: usize, first: Option<u64>) -> Value {
        let wall = self.wall();
        let cpu = (cpu() - self.cpu).as_nanos() as u64;
        json!({ "rows": rows, "batches": batches, "wall": wall, "cpu": cpu, "first": first.unwrap_or(0) })
    }
}

fn cpu() -> Duration {
    let mut usage = MaybeUninit::<libc::rusage>::uninit();
    // SAFETY: getrusage fills the struct that it is given, and cannot fail with these arguments.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr());
        usage.assume_init()
    };
    let time = |t: libc::timeval| Duration::new(t.tv_sec as u64, t.tv_usec as u32 * 1000);
    time(usage.ru_utime) + time(usage.ru_stime)
}
