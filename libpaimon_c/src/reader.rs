// SPDX-License-Identifier: Apache-2.0

//! Readers. Tasks of the runtime read the splits, and stay ahead of the caller by a bounded number of batches and bytes.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arrow_array::cast::AsArray;
use arrow_array::{RecordBatch, RecordBatchOptions, StringArray};
use arrow_schema::SchemaRef;
use arrow_select::concat::concat_batches;
use futures::StreamExt;
use paimon::spec::{CoreOptions, DataField, DataFileMeta, DataType, Predicate};
use paimon::table::ArrowRecordBatchStream;
use paimon::{DataSplit, Table};
use tokio::sync::mpsc::{channel, Receiver, Sender};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;

use crate::arrow;
use crate::avro_rows;
use crate::error::{
    borrow, guard, guard_future, Failure, Result, NO_MEMORY, NO_MEMORY_SEEN, PAIMON_CODE_IO_ERROR, PAIMON_CODE_NOT_FOUND,
    PAIMON_CODE_RESOURCE_EXHAUSTED, PAIMON_CODE_UNEXPECTED, PAIMON_CODE_UNSUPPORTED,
};
use crate::filter::Filter;
use crate::handle;
use crate::read::{poisoned, Wish};
use crate::runtime::Hold;
use crate::table::Shared;
use crate::types::{paimon_arrow_batch, paimon_result_batch};

/// How many batches wait for the caller at most. With more, memory comes back from the caller too late to be in the caches still: 16 were
/// measured a tenth slower.
const AHEAD: usize = 4;

/// How many bytes they have at most, unless the caller says otherwise. One may wait however large it is.
const AHEAD_BYTES: usize = 64 << 20;

/// What the bytes are counted in.
const UNIT: usize = 1 << 10;

/// How long a caller who is faster than the tasks is made to wait for a second batch, and a third, once there is one: to wake it for each
/// costs its process more than to pass the batch on.
const PAUSE: Duration = Duration::from_micros(400);

/// How long a free waits for the tasks, which end as soon as they wait for something.
const STOP_WAIT: Duration = Duration::from_secs(1);

/// How many rows a batch has, unless the table says otherwise: so many that what each batch costs does not count, and the columns of
/// narrow tables stay in the processor's caches. Where rows are large in the files it has fewer, to be of so many bytes there.
const ROWS: usize = 8192;
const ROWS_LEAST: usize = 1024;
const BATCH_SIZE: &str = "read.batch-size";
const BATCH_BYTES: usize = 1 << 20;

/// A stream of record batches. Safe for concurrent use; calls wait for each other.
pub struct paimon_record_batch_reader {
    state: Mutex<State>,
    hold: Hold,
}

enum State {
    /// No batch was asked for yet, and nothing is read.
    New(Box<Job>),
    Reading(Feed),
    Over,
}

/// What there is to read, which the tasks share.
struct Job {
    /// The splits that no task has begun.
    splits: Mutex<VecDeque<DataSplit>>,
    parallelism: usize,
    table: Table,
    wish: Wish,
    /// How many rows a batch may have.
    rows: usize,
    /// The columns that are read: those that the caller wants, and behind them what only the filter needs.
    fields: Vec<DataField>,
    columns: usize,
    /// Which of them are of type CHAR.
    chars: Vec<usize>,
    pushed: Option<Predicate>,
    /// Whether the engine reads row by row, so that batches have to be put together.
    single: bool,
}

/// A batch, with the room that it takes up, or what went wrong.
type Item = (Result<RecordBatch>, Option<OwnedSemaphorePermit>);
type Out = Sender<Item>;

/// What the tasks have read.
struct Feed {
    batches: Receiver<Item>,
    tasks: JoinSet<()>,
    /// How many rows the caller wants, if not all.
    left: Option<usize>,
    /// The schema that the caller was given last.
    told: Option<SchemaRef>,
}

impl paimon_record_batch_reader {
    pub fn new(shared: &Arc<Shared>, wish: &Wish, splits: &[DataSplit]) -> Result<Self> {
        avro_rows::refuse_unions(shared, splits)?;
        let files = splits.iter().flat_map(DataSplit::data_files);
        let pushed = wish.pushed(shared, true, files.map(|file| file.schema_id))?;
        let single = avro_rows::row_by_row(shared, splits);
        let rows = batch_rows(&shared.table, splits)?;
        let sized = HashMap::from([(BATCH_SIZE.into(), rows.to_string())]);
        let table = single.clone().unwrap_or_else(|| shared.table.copy_with_options(sized));
        let (fields, columns) = wish.fields(&table)?;
        let of_char = |(_, field): &(usize, &DataField)| matches!(field.data_type(), DataType::Char(_));
        let parallelism = wish.parallelism.unwrap_or(1);
        let splits = if splits.len() < parallelism {
            splits.iter().flat_map(|split| parts(split, &table)).collect()
        } else {
            splits.to_vec()
        };
        let job = Job {
            parallelism: parallelism.min(splits.len()),
            splits: Mutex::new(splits.into()),
            chars: fields.iter().enumerate().filter(of_char).map(|(index, _)| index).collect(),
            single: single.is_some(),
            wish: wish.clone(),
            rows,
            table,
            fields,
            columns,
            pushed,
        };
        Ok(Self {
            state: Mutex::new(State::New(Box::new(job))),
            hold: shared.hold.clone(),
        })
    }
}

impl Drop for paimon_record_batch_reader {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(state, State::Over).end(&self.hold);
    }
}

impl State {
    /// Stops what reads and lets go of what was read. The tasks are over afterwards, so that none of them holds anything on.
    fn end(self, hold: &Hold) {
        match self {
            State::Reading(Feed { batches, mut tasks, .. }) => {
                drop(batches);
                hold.clean_up(STOP_WAIT, tasks.shutdown());
            }
            other => hold.within(|| drop(other)),
        }
    }
}

/// How many rows a batch may have: what the table says, or what suits these splits.
fn batch_rows(table: &Table, splits: &[DataSplit]) -> Result<usize> {
    if table.schema().options().contains_key(BATCH_SIZE) {
        return Ok(CoreOptions::new(table.schema().options()).read_batch_size()?);
    }
    let files = || splits.iter().flat_map(DataSplit::data_files);
    let bytes: i64 = files().map(|file| file.file_size.max(0)).sum();
    let rows: i64 = files().map(|file| file.row_count.max(0)).sum();
    let row = usize::try_from(bytes / rows.max(1)).unwrap_or(usize::MAX).max(1);
    Ok((BATCH_BYTES / row).clamp(ROWS_LEAST, ROWS))
}

/// The files of a split as splits of their own, where their rows have nothing to do with each other.
fn parts(split: &DataSplit, table: &Table) -> Vec<DataSplit> {
    let options = CoreOptions::new(table.schema().options());
    let compacted = |file: &DataFileMeta| file.level != 0 && file.delete_row_count == Some(0);
    let apart = (table.schema().primary_keys().is_empty() || split.data_files().iter().all(compacted))
        && split.raw_convertible()
        && split.row_ranges().is_none()
        && !split.is_streaming()
        && !options.data_evolution_enabled()
        && !options.query_auth_enabled();
    let part = |(index, file): (usize, &DataFileMeta)| {
        let part = DataSplit::builder()
            .with_snapshot(split.snapshot_id())
            .with_partition(split.partition().clone())
            .with_bucket(split.bucket())
            .with_bucket_path(split.bucket_path().to_string())
            .with_total_buckets(split.total_buckets())
            .with_data_files(vec![file.clone()])
            .with_raw_convertible(true);
        match split.data_deletion_files() {
            Some(deletions) => part.with_data_deletion_files(vec![deletions.get(index).cloned().flatten()]),
            None => part,
        }
        .build()
    };
    let parts: paimon::Result<Vec<DataSplit>> = split.data_files().iter().enumerate().map(part).collect();
    match parts {
        Ok(parts) if apart => parts,
        _ => vec![split.clone()],
    }
}

impl Job {
    /// Lets tasks begin to read.
    fn start(self, hold: &Hold) -> Feed {
        let bytes = self.wish.ahead_bytes.unwrap_or(AHEAD_BYTES);
        let units = (bytes / UNIT).clamp(1, u32::MAX as usize >> 1);
        let room = Room {
            free: Arc::new(Semaphore::new(units)),
            units,
        };
        let (out, batches) = channel(AHEAD);
        let left = self.wish.limit;
        let job = Arc::new(self);
        let mut tasks = JoinSet::new();
        for _ in 0..job.parallelism {
            let (job, out, room) = (job.clone(), out.clone(), room.clone());
            hold.within(|| {
                tasks.spawn(async move {
                    if let Err(failure) = guard_future(job.read(&out, &room)).await {
                        let _ = out.send((Err(failure), None)).await;
                    }
                })
            });
        }
        Feed {
            batches,
            tasks,
            left,
            told: None,
        }
    }

    fn take(&self) -> Option<DataSplit> {
        self.splits.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }

    /// Reads split after split, until none is left, or nobody wants more.
    async fn read(&self, out: &Out, room: &Room) -> Result<()> {
        let mut filter = self.wish.filter.clone().map(Filter::new);
        let mut small = Small::new(self.rows);
        while let Some(split) = self.take() {
            let trims = !self.chars.is_empty() && split.data_files().iter().any(|file| file.file_name.ends_with(".orc"));
            let mut stream = self.begin(&split)?;
            // A damaged file may make a decoder panic.
            while let Some(batch) = guard_future(async { Ok(stream.next().await) })
                .await
                .map_err(|failure| located(&split, failure))?
            {
                let mut batch = batch.map_err(|error| located(&split, Failure::stored(error)))?;
                if trims {
                    batch = trim(batch, &self.chars)?;
                }
                if let Some(filter) = &mut filter {
                    batch = filter.apply(batch)?;
                    if batch.num_rows() == 0 {
                        continue;
                    }
                    if self.columns < batch.num_columns() {
                        let wanted: Vec<usize> = (0..self.columns).collect();
                        batch = batch
                            .project(&wanted)
                            .map_err(|error| Failure::unexpected(format!("cannot drop the filter's columns: {error}")))?;
                    }
                }
                if let Some(batch) = small.add(batch)? {
                    if !self.give(batch, out, room).await {
                        return Ok(());
                    }
                }
            }
            if let Some(batch) = small.take()? {
                if !self.give(batch, out, room).await {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Hands rows to the caller, or says that nobody wants more.
    async fn give(&self, batch: RecordBatch, out: &Out, room: &Room) -> bool {
        for start in (0..batch.num_rows()).step_by(self.rows) {
            let part = batch.slice(start, self.rows.min(batch.num_rows() - start));
            let place = room.of(&part).await;
            if out.send((Ok(part), place)).await.is_err() {
                return false;
            }
        }
        true
    }

    /// Begins with a split. One at a time: a plan may have many, and an error shall say where it happened.
    fn begin(&self, split: &DataSplit) -> paimon::Result<ArrowRecordBatchStream> {
        let mut builder = self.wish.builder(&self.table)?;
        if self.columns < self.fields.len() {
            builder.with_read_type(self.fields.clone());
        }
        if let Some(filter) = &self.pushed {
            builder.with_filter(filter.clone());
        }
        let stream = builder.new_read()?.to_arrow(std::slice::from_ref(split))?;
        Ok(if self.single { avro_rows::gather(stream) } else { stream })
    }
}

/// Puts batches together that are smaller than they may be, as merging and filters leave them. The first goes out as it is.
struct Small {
    rows: usize,
    first: bool,
    held: Vec<RecordBatch>,
    held_rows: usize,
    held_bytes: usize,
}

impl Small {
    fn new(rows: usize) -> Self {
        Self {
            rows,
            first: true,
            held: Vec::new(),
            held_rows: 0,
            held_bytes: 0,
        }
    }

    /// Takes a batch up, and gives one that is to go out, if any. Rows keep their order.
    fn add(&mut self, batch: RecordBatch) -> Result<Option<RecordBatch>> {
        let (rows, bytes) = (batch.num_rows(), batch.get_array_memory_size());
        let large = std::mem::take(&mut self.first) || rows > self.rows / 2 || bytes > BATCH_BYTES;
        if large && self.held.is_empty() {
            return Ok(Some(batch));
        }
        let full = large || self.held_rows + rows > self.rows || self.held_bytes + bytes > BATCH_BYTES;
        let out = if full { self.take()? } else { None };
        self.held.push(batch);
        self.held_rows += rows;
        self.held_bytes += bytes;
        Ok(out)
    }

    /// What is left.
    fn take(&mut self) -> Result<Option<RecordBatch>> {
        let held = std::mem::take(&mut self.held);
        (self.held_rows, self.held_bytes) = (0, 0);
        let Some(first) = held.first() else {
            return Ok(None);
        };
        let batch = concat_batches(&first.schema(), &held);
        batch
            .map(Some)
            .map_err(|error| Failure::unexpected(format!("cannot put batches together: {error}")))
    }
}

/// The bytes that may wait for the caller.
#[derive(Clone)]
struct Room {
    free: Arc<Semaphore>,
    units: usize,
}

impl Room {
    /// Waits until there is room for a batch; for one that is larger than all of it, until nothing else is there.
    async fn of(&self, batch: &RecordBatch) -> Option<OwnedSemaphorePermit> {
        let units = batch.get_array_memory_size().div_ceil(UNIT).clamp(1, self.units);
        self.free.clone().acquire_many_owned(units as u32).await.ok()
    }
}

impl Feed {
    /// The next batch that has rows the caller wants.
    fn next(&mut self, hold: &Hold) -> Result<Option<RecordBatch>> {
        if self.left == Some(0) {
            return Ok(None);
        }
        let next = match self.batches.try_recv() {
            Ok(next) => Some(next),
            Err(_) => {
                let next = hold.run(self.batches.recv())?;
                if self.told.is_some() && next.is_some() && self.batches.is_empty() && !self.batches.is_closed() {
                    std::thread::sleep(PAUSE);
                }
                next
            }
        };
        let Some((batch, _room)) = next else {
            // All tasks are over. One that could not even say what went wrong is no end of the data.
            while let Some(ended) = hold.run(self.tasks.join_next())? {
                ended.map_err(|error| Failure::unexpected(error.to_string()))?;
            }
            return Ok(None);
        };
        let mut batch = batch?;
        if let Some(left) = &mut self.left {
            batch = batch.slice(0, batch.num_rows().min(*left));
            *left -= batch.num_rows();
        }
        Ok(Some(batch))
    }

    /// Whether the caller knows the schema of this batch from the one before.
    fn knows(&mut self, batch: &RecordBatch) -> bool {
        let schema = batch.schema_ref();
        if self
            .told
            .as_ref()
            .is_some_and(|told| Arc::ptr_eq(told, schema) || told == schema)
        {
            return true;
        }
        self.told = Some(schema.clone());
        false
    }
}

/// Says of a failure where it happened, unless it says so itself, and of a file that is gone what helps.
fn located(split: &DataSplit, mut failure: Failure) -> Failure {
    if failure.message.contains("stopped early") && NO_MEMORY_SEEN.swap(false, Ordering::SeqCst) {
        failure = Failure::new(
            PAIMON_CODE_RESOURCE_EXHAUSTED,
            format!("{NO_MEMORY} what a row group asks for: {}", failure.message),
        );
    }
    let files = split.data_files();
    if !matches!(
        failure.code,
        PAIMON_CODE_IO_ERROR | PAIMON_CODE_UNEXPECTED | PAIMON_CODE_NOT_FOUND | PAIMON_CODE_UNSUPPORTED
    ) && !failure.message.starts_with(NO_MEMORY)
    {
        return failure;
    }
    if failure.code == PAIMON_CODE_NOT_FOUND {
        failure.message += "; the plan may be older than a drop or an expiry of what it reads: plan again";
    }
    if files.iter().any(|file| failure.message.contains(&file.file_name)) {
        return failure;
    }
    let mut place = format!("{}/", split.bucket_path().trim_end_matches('/'));
    match files {
        [only] => place += &only.file_name,
        [first, rest @ ..] => place += &format!("{} or one of {} more files there", first.file_name, rest.len()),
        [] => {}
    }
    Failure::new(failure.code, format!("cannot read {place}: {}", failure.message))
}

/// Takes the blanks off the values of CHAR columns, with which Paimon Java fills them up in ORC files and does not give them out.
fn trim(batch: RecordBatch, chars: &[usize]) -> Result<RecordBatch> {
    let mut columns = batch.columns().to_vec();
    for index in chars {
        if let Some(column) = columns[*index].as_string_opt::<i32>() {
            let values = column.iter().map(|value| value.map(|text| text.trim_end_matches(' ')));
            columns[*index] = Arc::new(values.collect::<StringArray>());
        }
    }
    let rows = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(batch.schema(), columns, &rows)
        .map_err(|error| Failure::unexpected(format!("cannot trim CHAR columns: {error}")))
}

/// Frees a reader; batches it gave stay valid. What it reads ahead is stopped; what is being decoded may take a moment more. NULL is ignored.
///
/// # Safety
/// `reader` is NULL or a live reader that no other call uses any more.
#[no_mangle]
pub unsafe extern "C" fn paimon_record_batch_reader_free(reader: *mut paimon_record_batch_reader) {
    // SAFETY: as the caller promises.
    unsafe { handle::release(reader) }
}

/// The next batch. The caller owns it, independent of the reader and everything else, and gives it to `paimon_arrow_batch_free`.
/// Its `schema` is NULL when it is that of the batch before: only the first, and one whose schema differs, come with theirs.
/// At the end, and after an error, there is no batch and no error, however often it is called.
///
/// The first call begins to read, and from then on batches are read ahead: see `paimon_read_builder_with_read_ahead`.
///
/// # Safety
/// `reader` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_record_batch_reader_next(reader: *const paimon_record_batch_reader) -> paimon_result_batch {
    paimon_result_batch::from(guard(|| {
        // SAFETY: as the caller promises.
        let reader = unsafe { borrow(reader, "the reader")? };
        let mut state = reader.state.lock().map_err(|_| poisoned("reader"))?;
        if let State::New(_) = *state {
            if let State::New(job) = std::mem::replace(&mut *state, State::Over) {
                *state = State::Reading(job.start(&reader.hold));
            }
        }
        let State::Reading(feed) = &mut *state else {
            return Ok(paimon_arrow_batch::NONE);
        };
        let next = feed.next(&reader.hold).map_err(Failure::of_batch).and_then(|next| {
            next.map(|batch| {
                let known = feed.knows(&batch);
                arrow::export(batch, !known)
            })
            .transpose()
        });
        match next {
            Ok(Some(batch)) => Ok(batch),
            ended => {
                std::mem::replace(&mut *state, State::Over).end(&reader.hold);
                ended?;
                Ok(paimon_arrow_batch::NONE)
            }
        }
    }))
}
