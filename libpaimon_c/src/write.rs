// SPDX-License-Identifier: Apache-2.0

//! The write path: builder, write, commit messages, commit.

use std::ffi::c_void;
use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use arrow_array::RecordBatch;
use futures::future::{select, BoxFuture, Either};
use paimon::resource::ResourceContext;
use paimon::spec::DataType;
use paimon::table::{PostponeBucketPlan, PostponeFixedBucketTableWrite};
use paimon::{CommitMessage, Error, TableCommit, TableWrite, WriteBuilder};
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

use crate::alter::check_option;
use crate::arrow::{self, Stay};
use crate::blob::check_descriptors;
use crate::cancel;
use crate::conform::{Target, VALUE_KIND};
use crate::error::{
    borrow, guard, guard_future, guard_void, paimon_error, Failure, Result, PAIMON_CODE_CANCELLED, PAIMON_CODE_OUTCOME_UNKNOWN,
    PAIMON_CODE_UNSUPPORTED,
};
use crate::handle;
use crate::read::poisoned;
use crate::resource::paimon_resource_context;
use crate::runtime::{Hold, GRACE};
use crate::table::{check_same, check_there, stale_hint, Shared};
use crate::types::paimon_result;

/// How a table is written: by whom, and whether as an append or an overwrite. Safe for concurrent use.
pub struct paimon_write_builder {
    shared: Arc<Shared>,
    commit_user: String,
    overwrite: AtomicBool,
    resources: Mutex<Option<ResourceContext>>,
    /// What a builder of fixed-bucket writes to a postpone table has beside: a plan, once it was given one.
    postpone: Option<Mutex<Option<PostponeBucketPlan>>>,
    write_only: AtomicBool,
}

/// Buffers batches and writes their data files. Safe for concurrent use; calls wait for each other.
pub struct paimon_table_write {
    // Dropped by the destructor, before the table and the runtime it stands on.
    write: Mutex<Option<Engine>>,
    /// Whether the batches since the last prepare came with a column of row kinds; None before the first.
    kinds: Mutex<Option<bool>>,
    target: Target,
    origin: Origin,
    shared: Arc<Shared>,
}

/// The engine's writers.
enum Engine {
    Plain(Box<TableWrite>),
    Postpone(Box<PostponeFixedBucketTableWrite>),
}

impl Engine {
    async fn write_arrow_batch(&mut self, batch: &RecordBatch) -> paimon::Result<()> {
        match self {
            Engine::Plain(write) => write.write_arrow_batch(batch).await,
            Engine::Postpone(write) => write.write_arrow_batch(batch).await,
        }
    }

    async fn prepare_commit(&mut self) -> paimon::Result<Vec<CommitMessage>> {
        match self {
            Engine::Plain(write) => write.prepare_commit().await,
            Engine::Postpone(write) => write.prepare_commit().await,
        }
    }

    async fn close(&mut self) {
        match self {
            Engine::Plain(write) => write.close().await,
            Engine::Postpone(write) => write.close().await,
        }
    }
}

/// What was written and waits to be committed. Safe for concurrent use.
pub struct paimon_commit_messages {
    origin: Origin,
    prepared: Mutex<Prepared>,
}

/// Makes prepared messages visible as a snapshot. Safe for concurrent use.
pub struct paimon_table_commit {
    commit: TableCommit,
    origin: Origin,
    shared: Arc<Shared>,
}

/// Where messages come from: they can be merged with and committed by what has the same origin only.
#[derive(Clone, PartialEq)]
struct Origin {
    table: String,
    location: String,
    branch: String,
    snapshots: String,
    commit_user: String,
    overwrite: bool,
}

impl Origin {
    fn check(&self, other: &Origin, what: &str) -> Result<()> {
        let differs = |name: &str, mine: &str, theirs: &str| {
            Err(Failure::invalid(format!(
                "the {what} is of {name} {theirs}, want {name} {mine}"
            )))
        };
        let mode = |overwrite| if overwrite { "overwrite" } else { "append" };
        if self.table != other.table || self.location != other.location || self.branch != other.branch {
            differs("table", &self.table, &other.table)
        } else if self.commit_user != other.commit_user {
            differs("commit user", &self.commit_user, &other.commit_user)
        } else if self.overwrite != other.overwrite {
            differs("mode", mode(self.overwrite), mode(other.overwrite))
        } else {
            Ok(())
        }
    }
}

/// Messages, and the fate of each prepare that they come from. Copies made by a merge share the fate.
#[derive(Clone)]
struct Prepared {
    messages: Vec<CommitMessage>,
    fates: Vec<Arc<Mutex<Fate>>>,
    /// The tables as they were opened to write them: only in the same ones are their files.
    tables: Vec<Arc<Shared>>,
}

/// What became of the files of one prepare.
#[derive(Clone, Copy, PartialEq)]
enum Fate {
    /// Nothing was done with them yet.
    Open,
    /// A commit was begun: they may belong to a snapshot and are never deleted.
    Submitted,
    /// A commit under this identifier succeeded: they belong to a snapshot, or did until it expired or was overwritten, and
    /// cannot be added once more.
    Committed(i64),
    /// They were given up and cannot be committed any more.
    Aborted,
}

impl Prepared {
    /// Runs `body` over the fates of these messages. Who wants to decide over one of them too waits until it is done.
    fn decide(&self, body: impl FnOnce(&mut [MutexGuard<Fate>]) -> Result<()>) -> Result<()> {
        // Each is locked once, and all callers lock in one order, so that they cannot wait for each other.
        let mut fates: Vec<&Arc<Mutex<Fate>>> = self.fates.iter().collect();
        fates.sort_by_key(|fate| Arc::as_ptr(fate));
        fates.dedup_by(|a, b| Arc::ptr_eq(a, b));
        let mut fates: Vec<MutexGuard<Fate>> = fates
            .into_iter()
            .map(|fate| fate.lock().unwrap_or_else(PoisonError::into_inner))
            .collect();
        body(&mut fates)
    }
}

fn set(fates: &mut [MutexGuard<Fate>], fate: Fate) {
    fates.iter_mut().for_each(|slot| **slot = fate);
}

impl paimon_write_builder {
    pub fn new(shared: Arc<Shared>, commit_user: Option<String>) -> Result<Self> {
        let engine = shared.table.new_write_builder();
        let engine = match commit_user {
            Some(user) => engine.with_commit_user(user)?,
            None => engine,
        };
        let commit_user = engine.commit_user().to_string();
        Ok(Self {
            shared,
            commit_user,
            overwrite: AtomicBool::new(false),
            resources: Mutex::new(None),
            postpone: None,
            write_only: AtomicBool::new(false),
        })
    }

    /// A builder of writes that go to fixed buckets of a postpone table at once. Its commits are those of any other builder.
    pub fn postpone(shared: Arc<Shared>, commit_user: Option<String>) -> Result<Self> {
        shared.table.new_postpone_fixed_bucket_write_builder()?;
        Ok(Self {
            postpone: Some(Mutex::new(None)),
            ..Self::new(shared, commit_user)?
        })
    }

    fn engine(&self, overwrite: bool) -> Result<WriteBuilder<'_>> {
        let engine = self
            .shared
            .table
            .new_write_builder()
            .with_commit_user(self.commit_user.clone())?;
        Ok(if overwrite { engine.with_overwrite() } else { engine })
    }

    fn new_write(&self, overwrite: bool) -> Result<Engine> {
        let resources = self.resources.lock().map_err(|_| poisoned("write builder"))?.clone();
        let Some(plan) = &self.postpone else {
            let mut engine = self.engine(overwrite)?;
            if let Some(resources) = resources {
                engine = engine.with_resources(resources);
            }
            return Ok(Engine::Plain(Box::new(engine.new_write()?)));
        };
        let mut engine = self
            .shared
            .table
            .new_postpone_fixed_bucket_write_builder()?
            .with_commit_user(self.commit_user.clone())?;
        if overwrite {
            engine = engine.with_overwrite();
        }
        if let Some(resources) = resources {
            engine = engine.with_resources(resources);
        }
        if let Some(plan) = plan.lock().map_err(|_| poisoned("write builder"))?.clone() {
            engine = engine.with_bucket_plan(plan);
        }
        Ok(Engine::Postpone(Box::new(engine.new_write()?)))
    }

    /// Refuses to write to a table whose options the engine would overlook.
    fn check_options(&self) -> Result<()> {
        let options = self.shared.table.schema().options();
        options
            .get("manifest.format")
            .map_or(Ok(()), |format| check_option("manifest.format", format))
    }

    /// Refuses to write rows that nobody would see, unless the caller says that somebody compacts them. Reads of these tables leave
    /// out what was not compacted, and the engine does not compact.
    fn check_visible(&self) -> Result<()> {
        let schema = self.shared.table.schema();
        let is = |key: &str, value: &str| schema.options().get(key).is_some_and(|set| set.eq_ignore_ascii_case(value));
        let hides = if schema.primary_keys().is_empty() || self.write_only.load(Ordering::SeqCst) || is("write-only", "true") {
            None
        } else if is("deletion-vectors.enabled", "true") {
            Some("deletion-vectors.enabled")
        } else if is("merge-engine", "first-row") {
            Some("merge-engine = first-row")
        } else {
            None
        };
        hides.map_or(Ok(()), |option| {
            Err(Failure::new(
                PAIMON_CODE_UNSUPPORTED,
                format!(
                    "the table has {option}: its rows are invisible until a compaction, which this library does not do; \
                     declare the write as write-only if another job (Flink, Spark, Java) compacts the table"
                ),
            ))
        })
    }

    fn origin(&self) -> Origin {
        let table = &self.shared.table;
        let mut name = table.identifier().full_name();
        if !table.is_main_branch() && table.identifier().branch_name().ok().flatten().is_none() {
            name = format!("{name}$branch_{}", table.branch());
        }
        Origin {
            table: name,
            location: table.location().to_string(),
            branch: table.branch().to_string(),
            snapshots: table.snapshot_manager().snapshot_dir(),
            commit_user: self.commit_user.clone(),
            overwrite: self.overwrite.load(Ordering::SeqCst),
        }
    }
}

/// How long a free lets the engine delete files, in a storage that may not answer any more.
const CLOSE_WAIT: Duration = Duration::from_secs(10);

/// Lets the engine delete the files that were not handed out in messages.
fn discard(slot: &mut Option<Engine>, hold: &Hold, limit: Duration) {
    if let Some(mut engine) = slot.take() {
        hold.clean_up(limit, async {
            engine.close().await;
            drop(engine);
        });
    }
}

impl Drop for paimon_table_write {
    fn drop(&mut self) {
        // Files that were not handed out in messages are deleted. A poisoned lock means that a call panicked: the files stay,
        // since what state they are in is unknown.
        if let Ok(slot) = self.write.get_mut() {
            discard(slot, &self.shared.hold, CLOSE_WAIT);
        }
    }
}

/// Frees a write builder; writes and commits made from it stay valid. NULL is ignored.
///
/// # Safety
/// `builder` is NULL or a live builder that no other call uses any more.
#[no_mangle]
pub unsafe extern "C" fn paimon_write_builder_free(builder: *mut paimon_write_builder) {
    // SAFETY: as the caller promises.
    unsafe { handle::release(builder) }
}

/// Makes the writes and commits that come from this builder from now on overwrites.
///
/// # Safety
/// `builder` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_write_builder_with_overwrite(builder: *const paimon_write_builder) -> *mut paimon_error {
    guard_void(|| {
        // SAFETY: as the caller promises.
        let builder = unsafe { borrow(builder, "the write builder")? };
        builder.overwrite.store(true, Ordering::SeqCst);
        Ok(())
    })
}

/// Makes the writes that come from this builder from now on stay within a memory budget, which lives on as long as they do: a call
/// that would exceed it is PAIMON_CODE_RESOURCE_EXHAUSTED.
///
/// # Safety
/// `builder` and `context` are NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_write_builder_with_resources(
    builder: *const paimon_write_builder,
    context: *const paimon_resource_context,
) -> *mut paimon_error {
    guard_void(|| {
        // SAFETY: as the caller promises.
        let (builder, resources) = unsafe {
            (
                borrow(builder, "the write builder")?,
                borrow(context, "the resource context")?,
            )
        };
        *builder.resources.lock().map_err(|_| poisoned("write builder"))? = Some(resources.context.clone());
        Ok(())
    })
}

/// Says, for the writes that come from this builder from now on, how many buckets each partition has: a batch of the partition columns
/// and a last column `total_buckets` of type Int32, one row for each partition, as a struct array. The contents of `array` and `schema`
/// pass to this call as they do to `paimon_table_write_write_arrow_batch`, but are copied and released before it returns. Only builders of fixed-bucket writes take one.
///
/// # Safety
/// `builder` is NULL or live; `array` and `schema` are NULL or point to initialised structs whose buffers are as long as they say.
#[no_mangle]
pub unsafe extern "C" fn paimon_write_builder_with_bucket_plan(
    builder: *const paimon_write_builder,
    array: *mut c_void,
    schema: *mut c_void,
) -> *mut paimon_error {
    guard_void(|| {
        // SAFETY: as the caller promises.
        let builder = unsafe { borrow(builder, "the write builder")? };
        // SAFETY: as the caller promises.
        let batch = unsafe { arrow::import(array, schema, Stay::Copied)? };
        let Some(slot) = &builder.postpone else {
            return Err(Failure::invalid("only a builder of fixed-bucket writes takes a bucket plan"));
        };
        let plan = PostponeBucketPlan::from_arrow(&builder.shared.table, &batch)?;
        *slot.lock().map_err(|_| poisoned("write builder"))? = Some(plan);
        Ok(())
    })
}

/// Says that another job compacts the table. Tables with a primary key and deletion vectors, or the merge engine first-row, show
/// rows only once they are compacted, and this library does not compact: writes to them are refused otherwise.
///
/// # Safety
/// `builder` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_write_builder_with_write_only(builder: *const paimon_write_builder) -> *mut paimon_error {
    guard_void(|| {
        // SAFETY: as the caller promises.
        let builder = unsafe { borrow(builder, "the write builder")? };
        builder.write_only.store(true, Ordering::SeqCst);
        Ok(())
    })
}

/// Makes a write. One whose rows would stay invisible is PAIMON_CODE_UNSUPPORTED: see `paimon_write_builder_with_write_only`. The
/// caller owns it and gives it to `paimon_table_write_free`.
///
/// # Safety
/// `builder` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_write_builder_new_write(
    builder: *const paimon_write_builder,
) -> paimon_result<paimon_table_write> {
    paimon_result::from(guard(|| {
        // SAFETY: as the caller promises.
        let builder = unsafe { borrow(builder, "the write builder")? };
        builder.check_options()?;
        builder.check_visible()?;
        let origin = builder.origin();
        let shared = &builder.shared;
        let target = Target::new(shared.table.schema())?;
        let write = shared.hold.within(|| builder.new_write(origin.overwrite))?;
        Ok(paimon_table_write {
            write: Mutex::new(Some(write)),
            kinds: Mutex::new(None),
            target,
            origin,
            shared: shared.clone(),
        })
    }))
}

/// Makes a commit, whose mode is the builder's now. The caller owns it and gives it to `paimon_table_commit_free`.
///
/// # Safety
/// `builder` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_write_builder_new_commit(
    builder: *const paimon_write_builder,
) -> paimon_result<paimon_table_commit> {
    paimon_result::from(guard(|| {
        // SAFETY: as the caller promises.
        let builder = unsafe { borrow(builder, "the write builder")? };
        builder.check_options()?;
        let origin = builder.origin();
        let commit = builder.engine(origin.overwrite)?.try_new_commit()?;
        Ok(paimon_table_commit {
            commit,
            origin,
            shared: builder.shared.clone(),
        })
    }))
}

/// Frees a write. What was not prepared is dropped and its files are deleted, as far as the storage lets it within ten seconds; messages
/// it gave stay valid. NULL is ignored.
///
/// # Safety
/// `write` is NULL or a live write that no other call uses any more.
#[no_mangle]
pub unsafe extern "C" fn paimon_table_write_free(write: *mut paimon_table_write) {
    // SAFETY: as the caller promises.
    unsafe { handle::release(write) }
}

/// Writes a record batch, given as a struct array of the Arrow C Data Interface whose fields are the table's columns, in any
/// order. Values of other types are converted if nothing is lost. A batch that does not fit the table is
/// PAIMON_CODE_INVALID_INPUT before anything of it is written, and the write can go on.
///
/// When `write`, `array` and `schema` are not NULL the contents of both structs pass to this call, on failure too, and they are left
/// released (`release` is NULL) when it returns. The structs themselves stay the caller's. The record is not copied: the array's
/// release callback runs, on any thread, when its memory is not used any more, which may be after this call, but is not after the write was
/// freed, or after a commit was prepared, unless a call of this write was called off. Until then the memory must not change. A
/// caller that lends its memory for the length of the call alone uses `paimon_borrowed_array_release` without a loan.
///
/// # Safety
/// `write` is NULL or live; `array` and `schema` are NULL or point to initialised structs whose buffers are as long as they say.
#[no_mangle]
pub unsafe extern "C" fn paimon_table_write_write_arrow_batch(
    write: *const paimon_table_write,
    array: *mut c_void,
    schema: *mut c_void,
) -> *mut paimon_error {
    guard_void(|| {
        // SAFETY: as the caller promises.
        let write = unsafe { borrow(write, "the write")? };
        // SAFETY: as the caller promises.
        let batch = write
            .target
            .conform(&unsafe { arrow::import(array, schema, write.stay())? })?;
        let has_kinds = batch.schema_ref().column_with_name(VALUE_KIND).is_some();
        check_descriptors(write.shared.table.schema(), &batch)?;
        let mut kinds = write.kinds.lock().map_err(|_| poisoned("write"))?;
        let rows = batch.num_rows();
        if rows > 0 && kinds.is_some_and(|before| before != has_kinds) {
            // The engine would take the kinds of the first batch that it buffers for those of all.
            return Err(Failure::invalid(format!(
                "records with and without {VALUE_KIND} are mixed in one write; give all of them the column, or prepare a commit between them"
            )));
        }
        write.with(
            move |engine| Box::pin(async move { engine.write_arrow_batch(&batch).await }),
            |()| async {},
        )?;
        if rows > 0 {
            *kinds = Some(has_kinds);
        }
        Ok(())
    })
}

/// Finishes the files of all that was written since the last time and returns their messages. The write can be used again, but not one
/// to fixed buckets of a postpone table.
/// The caller owns the messages and gives them to `paimon_commit_messages_free`.
///
/// # Safety
/// `write` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_table_write_prepare_commit(
    write: *const paimon_table_write,
) -> paimon_result<paimon_commit_messages> {
    paimon_result::from(guard(|| {
        // SAFETY: as the caller promises.
        let write = unsafe { borrow(write, "the write")? };
        let mut kinds = write.kinds.lock().map_err(|_| poisoned("write"))?;
        let commit = write.shared.table.new_write_builder().try_new_commit()?;
        let abort = move |messages: Vec<CommitMessage>| async move { drop(commit.abort(&messages).await) };
        let messages = write.with(|engine| Box::pin(engine.prepare_commit()), abort)?;
        *kinds = None;
        let fates = if messages.is_empty() {
            Vec::new()
        } else {
            vec![Arc::new(Mutex::new(Fate::Open))]
        };
        Ok(paimon_commit_messages {
            origin: write.origin.clone(),
            prepared: Mutex::new(Prepared {
                messages,
                fates,
                tables: vec![write.shared.clone()],
            }),
        })
    }))
}

fn holds_variants(data_type: &DataType) -> bool {
    match data_type {
        DataType::Variant(_) => true,
        DataType::Row(row) => row.fields().iter().any(|field| holds_variants(field.data_type())),
        DataType::Array(list) => holds_variants(list.element_type()),
        DataType::Map(map) => holds_variants(map.key_type()) || holds_variants(map.value_type()),
        DataType::Multiset(set) => holds_variants(set.element_type()),
        _ => false,
    }
}

impl paimon_table_write {
    /// What becomes of a record: where there is a key to sort by it may be kept until a commit is prepared, else it is encoded. Of VARIANTs
    /// the engine may keep rows to find out how they are made, if the table's options say so.
    fn stay(&self) -> Stay {
        let schema = self.shared.table.schema();
        match schema.primary_keys().is_empty() {
            _ if schema.fields().iter().any(|field| holds_variants(field.data_type())) => Stay::Copied,
            true => Stay::Brief,
            false => Stay::Long,
        }
    }

    /// Runs a call of the engine. One that was called off may have written the half of something: the write is over. Where it can be
    /// called off it runs on a worker, since nothing can interrupt it while it sorts or encodes; the caller does not wait for that. If it
    /// succeeds when the caller has left, `undo` takes back what the caller does not get to know.
    fn with<T, F, U>(&self, call: F, undo: impl FnOnce(T) -> U + Send + 'static) -> Result<T>
    where
        T: Send + 'static,
        F: for<'a> FnOnce(&'a mut Engine) -> BoxFuture<'a, paimon::Result<T>> + Send + 'static,
        U: Future<Output = ()> + Send,
    {
        let mut slot = self.write.lock().map_err(|_| poisoned("write"))?;
        let mut engine = slot.take().ok_or_else(|| {
            Failure::invalid("an earlier call failed inside or was called off, which ended this write; make a new one")
        })?;
        let hold = &self.shared.hold;
        let Some(token) = cancel::current() else {
            let outcome = hold.finish(call(&mut engine));
            *slot = Some(engine);
            return Ok(outcome?);
        };
        let off = token.clone();
        let (tell, told) = oneshot::channel();
        hold.within(|| {
            tokio::spawn(async move {
                let ended = guard_future(async { Ok(off.run_until_cancelled(call(&mut engine)).await) }).await;
                let outcome = match ended {
                    Ok(Some(outcome)) => match tell.send(Ok((engine, outcome))) {
                        Err(Ok(left)) => left,
                        _ => return,
                    },
                    Ok(None) => {
                        let _ = timeout(GRACE, engine.close()).await;
                        let _ = tell.send(Err(cancel::failure()));
                        return;
                    }
                    Err(failure) => {
                        let _ = tell.send(Err(failure));
                        return;
                    }
                };
                let (mut engine, outcome) = outcome;
                if let Ok(value) = outcome {
                    undo(value).await;
                }
                engine.close().await;
            })
        });
        let ended = hold.finish(async {
            let called_off = pin!(async {
                token.cancelled().await;
                sleep(GRACE).await;
            });
            match select(told, called_off).await {
                Either::Left((ended, _)) => ended.unwrap_or_else(|_| Err(Failure::unexpected("a worker ended early"))),
                Either::Right(_) => Err(cancel::failure()),
            }
        });
        let (engine, outcome) = ended?;
        *slot = Some(engine);
        Ok(outcome?)
    }
}

/// Frees messages. Their files stay: commit or abort them before. NULL is ignored.
///
/// # Safety
/// `messages` is NULL or live messages that no other call uses any more.
#[no_mangle]
pub unsafe extern "C" fn paimon_commit_messages_free(messages: *mut paimon_commit_messages) {
    // SAFETY: as the caller promises.
    unsafe { handle::release(messages) }
}

/// Appends a copy of `source`'s messages to `target`; both stay valid. They must be of one table, commit user and mode, and two
/// different objects, else PAIMON_CODE_INVALID_INPUT.
///
/// # Safety
/// `target` and `source` are NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_commit_messages_merge(
    target: *const paimon_commit_messages,
    source: *const paimon_commit_messages,
) -> *mut paimon_error {
    guard_void(|| {
        // SAFETY: as the caller promises.
        let (target, source) = unsafe { (borrow(target, "the target")?, borrow(source, "the source")?) };
        if std::ptr::eq(target, source) {
            return Err(Failure::invalid("the source of a merge is its target"));
        }
        target.origin.check(&source.origin, "source")?;
        // One lock at a time, so that two merges in opposite directions cannot wait for each other.
        let copy = source.prepared.lock().map_err(|_| poisoned("source"))?.clone();
        let mut prepared = target.prepared.lock().map_err(|_| poisoned("target"))?;
        if prepared
            .fates
            .iter()
            .any(|fate| copy.fates.iter().any(|other| Arc::ptr_eq(fate, other)))
        {
            return Err(Failure::invalid("the source, or a part of it, is in the target already"));
        }
        prepared.messages.extend(copy.messages);
        prepared.fates.extend(copy.fates);
        for table in copy.tables {
            if !prepared.tables.iter().any(|known| Arc::ptr_eq(known, &table)) {
                prepared.tables.push(table);
            }
        }
        Ok(())
    })
}

/// Frees a commit. NULL is ignored.
///
/// # Safety
/// `commit` is NULL or a live commit that no other call uses any more.
#[no_mangle]
pub unsafe extern "C" fn paimon_table_commit_free(commit: *mut paimon_table_commit) {
    // SAFETY: as the caller promises.
    unsafe { handle::release(commit) }
}

/// The identifier of the engine's commits without one.
const ONE_SHOT: i64 = i64::MAX;

/// Says how to find out what became of a commit.
fn filter_to_know(mut failure: Failure) -> Failure {
    if failure.code == PAIMON_CODE_OUTCOME_UNKNOWN {
        failure.message += "; commit the same messages under the same identifier with a call that filters by it, which does nothing if they are there";
    }
    failure
}

impl paimon_table_commit {
    /// Says of a hint that led the engine astray which it is.
    fn explain(&self, error: Error) -> Failure {
        match error {
            Error::SnapshotNotExist { snapshot_id } => stale_hint(&self.origin.snapshots, snapshot_id),
            other => other.into(),
        }
    }

    /// Runs one of the engine's commit calls over messages of the same origin. Messages are committed once: the engine would add
    /// their files a second time, and readers would see their rows twice, or, where an overwrite came between, not at all.
    /// A call that `filters` does nothing when its user committed that identifier before.
    fn submit<'a, F>(
        &'a self,
        messages: &paimon_commit_messages,
        overwrite: bool,
        identifier: i64,
        filters: bool,
        call: impl FnOnce(&'a TableCommit, Vec<CommitMessage>) -> F,
    ) -> Result<()>
    where
        F: Future<Output = paimon::Result<()>>,
    {
        self.origin.check(&messages.origin, "commit message")?;
        if self.origin.overwrite != overwrite {
            let (made, asked) = if overwrite {
                ("append", "overwrite")
            } else {
                ("overwrite", "append")
            };
            return Err(Failure::invalid(format!(
                "the commit was made to {made} and is asked to {asked}"
            )));
        }
        let prepared = messages.prepared.lock().map_err(|_| poisoned("commit messages"))?.clone();
        prepared.decide(|fates| {
            if fates.iter().any(|fate| **fate == Fate::Aborted) {
                return Err(Failure::invalid(
                    "these messages were aborted, so their files are gone; write the data again",
                ));
            }
            if fates.iter().any(|fate| matches!(**fate, Fate::Committed(_))) {
                return if !filters {
                    Err(Failure::invalid(
                        "these messages were committed before; to try a commit again, give it an identifier and filter by it",
                    ))
                } else if fates.iter().any(|fate| **fate != Fate::Committed(identifier)) {
                    Err(Failure::invalid(format!(
                        "these messages, or some of them, were committed before, and not under identifier {identifier}"
                    )))
                } else {
                    Ok(())
                };
            }
            let hold = &self.shared.hold;
            hold.run(async {
                check_there(&self.shared.table).await?;
                for table in &prepared.tables {
                    check_same(&self.shared, table).await?;
                }
                Ok::<_, Failure>(())
            })??;
            let before: Vec<Fate> = fates.iter().map(|fate| **fate).collect();
            set(fates, Fate::Submitted);
            let outcome = hold.change(call(&self.commit, prepared.messages.clone()));
            if matches!(&outcome, Err(called_off) if called_off.code == PAIMON_CODE_CANCELLED) {
                // It was not begun.
                fates.iter_mut().zip(before).for_each(|(slot, fate)| **slot = fate);
            }
            outcome.map_err(filter_to_know)?.map_err(|error| self.explain(error))?;
            set(fates, Fate::Committed(identifier));
            Ok(())
        })
    }
}

/// Commits the messages as an append, once: it takes the largest commit identifier. The messages stay the caller's and may be
/// committed again after a failure; after a success that is PAIMON_CODE_INVALID_INPUT.
///
/// # Safety
/// `commit` and `messages` are NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_table_commit_commit(
    commit: *const paimon_table_commit,
    messages: *const paimon_commit_messages,
) -> *mut paimon_error {
    guard_void(|| {
        // SAFETY: as the caller promises.
        let (commit, messages) = unsafe { (borrow(commit, "the commit")?, borrow(messages, "the messages")?) };
        commit.submit(messages, false, ONE_SHOT, false, TableCommit::commit)
    })
}

/// Commits the messages as an append under an identifier, which must grow from commit to commit of one user. It is not checked
/// whether that identifier was committed before (only these very messages cannot be committed twice);
/// `paimon_table_commit_filter_and_commit_with_identifier` does.
///
/// # Safety
/// `commit` and `messages` are NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_table_commit_commit_with_identifier(
    commit: *const paimon_table_commit,
    messages: *const paimon_commit_messages,
    identifier: i64,
) -> *mut paimon_error {
    guard_void(|| {
        // SAFETY: as the caller promises.
        let (commit, messages) = unsafe { (borrow(commit, "the commit")?, borrow(messages, "the messages")?) };
        commit.submit(messages, false, identifier, false, |engine, list| {
            engine.commit_with_identifier(list, identifier)
        })
    })
}

/// Commits the messages as an append under an identifier unless this user committed that identifier or a later one before: then
/// nothing happens. This is how a commit whose outcome is unknown is tried again.
///
/// # Safety
/// `commit` and `messages` are NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_table_commit_filter_and_commit_with_identifier(
    commit: *const paimon_table_commit,
    messages: *const paimon_commit_messages,
    identifier: i64,
) -> *mut paimon_error {
    guard_void(|| {
        // SAFETY: as the caller promises.
        let (commit, messages) = unsafe { (borrow(commit, "the commit")?, borrow(messages, "the messages")?) };
        commit.submit(messages, false, identifier, true, |engine, list| {
            engine.filter_and_commit_with_identifier(list, identifier)
        })
    })
}

/// Commits the messages as an overwrite: they replace the partitions they touch, or all of an unpartitioned table.
///
/// # Safety
/// `commit` and `messages` are NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_table_commit_overwrite(
    commit: *const paimon_table_commit,
    messages: *const paimon_commit_messages,
) -> *mut paimon_error {
    guard_void(|| {
        // SAFETY: as the caller promises.
        let (commit, messages) = unsafe { (borrow(commit, "the commit")?, borrow(messages, "the messages")?) };
        commit.submit(messages, true, ONE_SHOT, false, |engine, list| engine.overwrite(list, None))
    })
}

/// As `paimon_table_commit_overwrite`, under an identifier, unless this user committed that identifier before: then nothing
/// happens, so that a retry cannot destroy what came after.
///
/// # Safety
/// `commit` and `messages` are NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_table_commit_overwrite_with_identifier(
    commit: *const paimon_table_commit,
    messages: *const paimon_commit_messages,
    identifier: i64,
) -> *mut paimon_error {
    guard_void(|| {
        // SAFETY: as the caller promises.
        let (commit, messages) = unsafe { (borrow(commit, "the commit")?, borrow(messages, "the messages")?) };
        commit.submit(messages, true, identifier, true, |engine, list| {
            engine.overwrite_with_identifier(list, None, identifier)
        })
    })
}

/// Removes all rows of the table in a new snapshot.
///
/// # Safety
/// `commit` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_table_commit_truncate_table(commit: *const paimon_table_commit) -> *mut paimon_error {
    guard_void(|| {
        // SAFETY: as the caller promises.
        let commit = unsafe { borrow(commit, "the commit")? };
        commit.shared.hold.run(check_there(&commit.shared.table))??;
        let truncated = commit.shared.hold.change(commit.commit.truncate_table())?;
        truncated.map_err(|error| commit.explain(error))
    })
}

/// As `paimon_table_commit_truncate_table`, under an identifier, unless this user committed that identifier before: then nothing
/// happens.
///
/// # Safety
/// `commit` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_table_commit_truncate_table_with_identifier(
    commit: *const paimon_table_commit,
    identifier: i64,
) -> *mut paimon_error {
    guard_void(|| {
        // SAFETY: as the caller promises.
        let commit = unsafe { borrow(commit, "the commit")? };
        commit.shared.hold.run(check_there(&commit.shared.table))??;
        let truncated = commit
            .shared
            .hold
            .change(commit.commit.truncate_table_with_identifier(identifier))?;
        truncated.map_err(|error| commit.explain(error))
    })
}

/// Gives the messages up and deletes their files. Messages of which a commit was ever begun are refused with
/// PAIMON_CODE_INVALID_INPUT, whatever became of it: their files may belong to a snapshot. Aborting again does nothing.
///
/// # Safety
/// `commit` and `messages` are NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_table_commit_abort(
    commit: *const paimon_table_commit,
    messages: *const paimon_commit_messages,
) -> *mut paimon_error {
    guard_void(|| {
        // SAFETY: as the caller promises.
        let (commit, messages) = unsafe { (borrow(commit, "the commit")?, borrow(messages, "the messages")?) };
        commit.origin.check(&messages.origin, "commit message")?;
        let prepared = messages.prepared.lock().map_err(|_| poisoned("commit messages"))?.clone();
        prepared.decide(|fates| {
            if fates
                .iter()
                .any(|fate| matches!(**fate, Fate::Submitted | Fate::Committed(_)))
            {
                return Err(Failure::invalid(
                    "a commit of these messages was begun, so their files may belong to a snapshot and are kept",
                ));
            }
            set(fates, Fate::Aborted);
            Ok(commit.shared.hold.run(commit.commit.abort(&prepared.messages))??)
        })
    })
}
