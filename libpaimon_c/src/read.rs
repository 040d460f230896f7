// SPDX-License-Identifier: Apache-2.0

//! The read path: builder, scan, plan, read, and the stream of record batches.

use std::collections::HashSet;
use std::ffi::c_char;
use std::sync::{Arc, Mutex};

use paimon::arrow::build_target_arrow_schema;
use paimon::resource::ResourceContext;
use paimon::spec::{DataField, IndexManifest, Manifest, ManifestList, Predicate};
use paimon::{DataSplit, Error, Plan, ReadBuilder, Table};

use crate::arrow;
use crate::error::{
    borrow, guard, guard_void, paimon_error, slice, text, Failure, Result, PAIMON_CODE_INVALID_INPUT, PAIMON_CODE_IO_ERROR,
    PAIMON_CODE_UNSUPPORTED,
};
use crate::handle;
use crate::predicate::{paimon_predicate, Node, Pushdown};
use crate::reader::paimon_record_batch_reader;
use crate::resource::paimon_resource_context;
use crate::table::{check_there, latest, paimon_table, Shared};
use crate::types::{json, paimon_bytes, paimon_result, paimon_result_batch, paimon_result_bytes, paimon_result_size};

/// What a read shall return. Safe for concurrent use; a call that fails leaves the builder as it was.
pub struct paimon_read_builder {
    shared: Arc<Shared>,
    wish: Mutex<Wish>,
}

/// The settings of a read. The engine's own builder borrows its table, so it is made from these when it is needed.
#[derive(Clone, Default)]
pub struct Wish {
    projection: Option<Vec<String>>,
    case_insensitive: bool,
    pub limit: Option<usize>,
    resources: Option<ResourceContext>,
    pub filter: Option<Arc<Node>>,
    no_pushdown: bool,
    pub parallelism: Option<usize>,
    pub ahead_bytes: Option<usize>,
}

impl Wish {
    pub fn builder<'a>(&self, table: &'a Table) -> paimon::Result<ReadBuilder<'a>> {
        let mut builder = table.new_read_builder();
        if let Some(columns) = &self.projection {
            let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
            builder.with_projection(&columns)?;
        }
        builder.with_case_sensitive(!self.case_insensitive);
        // With a filter nobody knows how many rows of a split will be left.
        if let (Some(limit), None) = (self.limit, &self.filter) {
            builder.with_limit(limit);
        }
        if let Some(resources) = &self.resources {
            builder.with_resources(resources.clone());
        }
        Ok(builder)
    }

    /// The columns that have to be read: those that the caller wants, and behind them what only the filter needs.
    pub fn fields(&self, table: &Table) -> Result<(Vec<DataField>, usize)> {
        let mut fields = self.builder(table)?.new_read()?.read_type().to_vec();
        let columns = fields.len();
        if let Some(filter) = &self.filter {
            let mut needed = HashSet::new();
            filter.columns(&mut needed);
            for field in table.schema().fields() {
                if needed.contains(field.name()) && !fields.iter().any(|read| read.name() == field.name()) {
                    fields.push(field.clone());
                }
            }
        }
        Ok((fields, columns))
    }

    /// Finds the splits of `table`, which is that of `shared` or a copy of it that is pinned to a snapshot.
    fn plan(&self, shared: &Shared, table: &Table) -> Result<paimon::Result<Plan>> {
        // Of a table with column groups the engine would plan only the files that hold a column of the projection: what the filter
        // needs, or another read of these splits, would be missing.
        let all = Wish {
            projection: None,
            ..self.clone()
        };
        let mut builder = all.builder(table)?;
        if self.filter.is_some() && !self.no_pushdown {
            if let Ok(schemas) = shared.hold.run(shared.table.schema_manager().list_all_ids())? {
                if let Some(filter) = self.pushed(shared, false, schemas)? {
                    builder.with_filter(filter);
                }
            }
        }
        shared.hold.run(builder.new_scan().plan())
    }

    /// The part of the filter by which the engine may leave out rows, as far as it can be trusted to. The files that it may look at were
    /// written with one of `schemas`.
    pub fn pushed(&self, shared: &Shared, of_read: bool, schemas: impl IntoIterator<Item = i64>) -> Result<Option<Predicate>> {
        let Some(filter) = self.filter.as_ref().filter(|_| !self.no_pushdown) else {
            return Ok(None);
        };
        let Some(stable) = stable_columns(shared, schemas)? else {
            return Ok(None);
        };
        let fields = shared.table.schema().fields();
        let mut pushdown = match of_read {
            true => Pushdown::of_read(fields, &stable),
            false => Pushdown::of_plan(fields, &stable),
        };
        Ok(Some(pushdown.of(filter, false)))
    }
}

/// The columns that have the type of the table's schema in these schemas too, or are missing there. None if that cannot be told.
fn stable_columns(shared: &Shared, schemas: impl IntoIterator<Item = i64>) -> Result<Option<HashSet<String>>> {
    let schema = shared.table.schema();
    let mut stable: Vec<&DataField> = schema.fields().iter().collect();
    for id in schemas.into_iter().filter(|id| *id != schema.id()).collect::<HashSet<_>>() {
        let Ok(other) = shared.hold.run(shared.table.schema_manager().schema(id))? else {
            return Ok(None);
        };
        stable.retain(|field| {
            let counterpart = other.fields().iter().find(|candidate| candidate.id() == field.id());
            counterpart.is_none_or(|counterpart| counterpart.data_type().equals_ignore_nullable(field.data_type()))
        });
    }
    Ok(Some(stable.into_iter().map(|field| field.name().to_string()).collect()))
}

/// Finds the splits of a read. Safe for concurrent use.
pub struct paimon_table_scan {
    shared: Arc<Shared>,
    wish: Wish,
}

/// The splits of one snapshot. Immutable, safe for concurrent use.
pub struct paimon_plan {
    splits: Vec<DataSplit>,
    /// Of the table; none when the plan was made of bytes.
    partition_keys: Vec<String>,
}

/// Turns splits into record batches. Safe for concurrent use.
pub struct paimon_table_read {
    shared: Arc<Shared>,
    wish: Wish,
}

impl paimon_read_builder {
    pub fn new(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            wish: Mutex::default(),
        }
    }

    fn wish(&self) -> Result<Wish> {
        Ok(self.wish.lock().map_err(|_| poisoned("read builder"))?.clone())
    }

    /// Applies a change to the settings, and keeps it only if the engine's builder takes them.
    fn change(&self, change: impl FnOnce(&mut Wish)) -> Result<()> {
        let mut wish = self.wish.lock().map_err(|_| poisoned("read builder"))?;
        let mut next = wish.clone();
        change(&mut next);
        next.builder(&self.shared.table)?;
        *wish = next;
        Ok(())
    }
}

/// What a call gets that comes after one that panicked half-way.
pub fn poisoned(what: &str) -> Failure {
    Failure::unexpected(format!(
        "an earlier call on this {what} failed inside; free it and make a new one"
    ))
}

/// Frees a read builder; scans and reads made from it stay valid. NULL is ignored.
///
/// # Safety
/// `builder` is NULL or a live builder that no other call uses any more.
#[no_mangle]
pub unsafe extern "C" fn paimon_read_builder_free(builder: *mut paimon_read_builder) {
    // SAFETY: as the caller promises.
    unsafe { handle::release(builder) }
}

/// Reads only these columns, in this order; none at all gives batches without columns. A name that no column has, even ignoring
/// case, is PAIMON_CODE_COLUMN_NOT_EXIST here; one that differs in case, or stands twice, fails at `paimon_read_builder_new_read`.
///
/// # Safety
/// `builder` is NULL or live, `columns` NULL or `len` NUL-terminated strings.
#[no_mangle]
pub unsafe extern "C" fn paimon_read_builder_with_projection(
    builder: *const paimon_read_builder,
    columns: *const *const c_char,
    len: usize,
) -> *mut paimon_error {
    guard_void(|| {
        // SAFETY: as the caller promises.
        let (builder, columns) = unsafe { (borrow(builder, "the read builder")?, slice(columns, len, "columns")?) };
        let mut names = Vec::with_capacity(columns.len());
        for column in columns {
            // SAFETY: as the caller promises.
            names.push(unsafe { text(*column, "a column name")? }.to_string());
        }
        builder.change(|wish| wish.projection = Some(names))
    })
}

/// Whether the projection's names must match in case, which is the default. It may be set before or after the projection.
///
/// # Safety
/// `builder` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_read_builder_with_case_sensitive(
    builder: *const paimon_read_builder,
    case_sensitive: bool,
) -> *mut paimon_error {
    guard_void(|| {
        // SAFETY: as the caller promises.
        let builder = unsafe { borrow(builder, "the read builder")? };
        builder.change(|wish| wish.case_insensitive = !case_sensitive)
    })
}

/// How many splits, or files of splits, a reader reads at the same time; 1 if this is never called. With more than one their batches come
/// as they are ready, those of one split or file in its order. 0 is PAIMON_CODE_INVALID_INPUT.
///
/// # Safety
/// `builder` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_read_builder_with_parallelism(
    builder: *const paimon_read_builder,
    parallelism: usize,
) -> *mut paimon_error {
    guard_void(|| {
        // SAFETY: as the caller promises.
        let builder = unsafe { borrow(builder, "the read builder")? };
        if parallelism == 0 {
            return Err(Failure::invalid("a parallelism of 0; want 1 or more"));
        }
        builder.change(|wish| wish.parallelism = Some(parallelism))
    })
}

/// How many bytes of batches a reader may have read before they are asked for; 64 MiB if this is never called. One batch is read
/// ahead however large it is, and 4 at most. Beside them each split that is being read has one in work.
///
/// # Safety
/// `builder` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_read_builder_with_read_ahead(
    builder: *const paimon_read_builder,
    limit_bytes: usize,
) -> *mut paimon_error {
    guard_void(|| {
        // SAFETY: as the caller promises.
        let builder = unsafe { borrow(builder, "the read builder")? };
        builder.change(|wish| wish.ahead_bytes = Some(limit_bytes))
    })
}

/// Says how many rows are wanted. The plan may leave out files that are not needed for so many, and no reader gives more rows: several
/// readers of one plan count each for itself.
///
/// # Safety
/// `builder` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_read_builder_with_limit(builder: *const paimon_read_builder, limit: usize) -> *mut paimon_error {
    guard_void(|| {
        // SAFETY: as the caller promises.
        let builder = unsafe { borrow(builder, "the read builder")? };
        builder.change(|wish| wish.limit = Some(limit))
    })
}

/// Makes the reads that come from this builder from now on stay within a memory budget, which lives on as long as they do: a batch
/// that would exceed it is PAIMON_CODE_RESOURCE_EXHAUSTED, and ends its reader.
///
/// # Safety
/// `builder` and `context` are NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_read_builder_with_resources(
    builder: *const paimon_read_builder,
    context: *const paimon_resource_context,
) -> *mut paimon_error {
    guard_void(|| {
        // SAFETY: as the caller promises.
        let (builder, resources) = unsafe { (borrow(builder, "the read builder")?, borrow(context, "the resource context")?) };
        builder.change(|wish| wish.resources = Some(resources.context.clone()))
    })
}

/// Reads only the rows for which the predicate is true: neither false nor NULL. It replaces an earlier filter. The predicate is borrowed for
/// the call. It may come from another table handle: its columns are looked up by name in the table that the builder reads, and one that is not
/// there, or has a type that the literal does not fit, is an error.
///
/// # Safety
/// `builder` and `predicate` are NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_read_builder_with_filter(
    builder: *const paimon_read_builder,
    predicate: *const paimon_predicate,
) -> *mut paimon_error {
    guard_void(|| {
        // SAFETY: as the caller promises.
        let (builder, predicate) = unsafe { (borrow(builder, "the read builder")?, borrow(predicate, "the predicate")?) };
        predicate.node.check(builder.shared.table.schema().fields())?;
        builder.change(|wish| wish.filter = Some(predicate.node.clone()))
    })
}

/// Whether files and row groups may be left out that the filter rules out, which is the default. The rows are the same either way; this is
/// to find out what is wrong when they are not.
///
/// # Safety
/// `builder` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_read_builder_with_filter_pushdown(
    builder: *const paimon_read_builder,
    enabled: bool,
) -> *mut paimon_error {
    guard_void(|| {
        // SAFETY: as the caller promises.
        let builder = unsafe { borrow(builder, "the read builder")? };
        builder.change(|wish| wish.no_pushdown = !enabled)
    })
}

/// The table that the builder reads, with the schema that its rows will have. The caller owns it and gives it to `paimon_table_free`.
///
/// # Safety
/// `builder` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_read_builder_table(builder: *const paimon_read_builder) -> paimon_result<paimon_table> {
    paimon_result::from(guard(|| {
        // SAFETY: as the caller promises.
        let builder = unsafe { borrow(builder, "the read builder")? };
        Ok(paimon_table::of(builder.shared.clone()))
    }))
}

/// Makes a scan with the builder's settings. The caller owns it and gives it to `paimon_table_scan_free`.
///
/// # Safety
/// `builder` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_read_builder_new_scan(builder: *const paimon_read_builder) -> paimon_result<paimon_table_scan> {
    paimon_result::from(guard(|| {
        // SAFETY: as the caller promises.
        let builder = unsafe { borrow(builder, "the read builder")? };
        Ok(paimon_table_scan {
            shared: builder.shared.clone(),
            wish: builder.wish()?,
        })
    }))
}

/// Makes a read with the builder's settings. The caller owns it and gives it to `paimon_table_read_free`.
///
/// # Safety
/// `builder` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_read_builder_new_read(builder: *const paimon_read_builder) -> paimon_result<paimon_table_read> {
    paimon_result::from(guard(|| {
        // SAFETY: as the caller promises.
        let builder = unsafe { borrow(builder, "the read builder")? };
        let wish = builder.wish()?;
        wish.builder(&builder.shared.table)?.new_read()?;
        Ok(paimon_table_read {
            shared: builder.shared.clone(),
            wish,
        })
    }))
}

/// Frees a scan; plans made by it stay valid. NULL is ignored.
///
/// # Safety
/// `scan` is NULL or a live scan that no other call uses any more.
#[no_mangle]
pub unsafe extern "C" fn paimon_table_scan_free(scan: *mut paimon_table_scan) {
    // SAFETY: as the caller promises.
    unsafe { handle::release(scan) }
}

/// Plans a read of the snapshot that is the latest now, or of the one that the read's options named. The caller owns the plan and gives it to `paimon_plan_free`.
///
/// # Safety
/// `scan` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_table_scan_plan(scan: *const paimon_table_scan) -> paimon_result<paimon_plan> {
    paimon_result::from(guard(|| {
        // SAFETY: as the caller promises.
        let scan = unsafe { borrow(scan, "the scan")? };
        let shared = &scan.shared;
        let plan = match scan.wish.plan(shared, &shared.table)? {
            // The hint file names a snapshot that is not there; what is there can be read.
            Err(Error::SnapshotNotExist { .. }) if !shared.table.is_time_traveled() => {
                match shared.hold.run(latest(&shared.table))?? {
                    Some(snapshot) => scan.wish.plan(shared, &shared.table.copy_with_pinned_snapshot(&snapshot))?,
                    None => Ok(Plan::new(Vec::new())), // the hint is gone by now
                }
            }
            other => other,
        };
        let plan = plan.map_err(|error| {
            let failure = shared.hold.run(unplanned(&shared.table, error));
            failure.unwrap_or_else(|called_off| called_off)
        })?;
        if plan.snapshot_id().is_none() {
            shared.hold.run(check_there(&shared.table))??;
        }
        Ok(paimon_plan {
            splits: plan.into_splits(),
            partition_keys: scan.shared.table.schema().partition_keys().to_vec(),
        })
    }))
}

/// The failure of planning, with the place of it.
pub async fn unplanned(table: &Table, error: Error) -> Failure {
    let failure = Failure::stored(error);
    if failure.code != PAIMON_CODE_IO_ERROR {
        return failure;
    }
    let format = table.schema().options().get("manifest.format");
    if let Some(format) = format.filter(|format| *format != "avro") {
        return Failure::new(
            PAIMON_CODE_UNSUPPORTED,
            format!("the table's manifests are of the format {format}, want avro"),
        );
    }
    let place = broken_manifest(table).await;
    let place = place.unwrap_or_else(|| format!("the manifests of {}", table.location()));
    if failure.message.contains(&place) {
        return failure;
    }
    Failure::new(failure.code, format!("cannot read {place}: {}", failure.message))
}

/// Looks for the manifest that made a plan fail, which the engine does not name.
async fn broken_manifest(table: &Table) -> Option<String> {
    let snapshot = match table.travel_snapshot() {
        Some(snapshot) => snapshot.clone(),
        None => latest(table).await.ok()??,
    };
    let (storage, manager) = (table.file_io(), table.snapshot_manager());
    for list in [snapshot.base_manifest_list(), snapshot.delta_manifest_list()] {
        let path = manager.manifest_path(list);
        let Ok(manifests) = ManifestList::read(storage, &path).await else {
            return Some(path);
        };
        for manifest in manifests {
            let path = manager.manifest_path(manifest.file_name());
            if Manifest::read(storage, &path).await.is_err() {
                return Some(path);
            }
        }
    }
    let path = manager.manifest_path(snapshot.index_manifest()?);
    IndexManifest::read(storage, &path).await.is_err().then_some(path)
}

/// Frees a plan; readers made from it stay valid. NULL is ignored.
///
/// # Safety
/// `plan` is NULL or a live plan that no other call uses any more.
#[no_mangle]
pub unsafe extern "C" fn paimon_plan_free(plan: *mut paimon_plan) {
    // SAFETY: as the caller promises.
    unsafe { handle::release(plan) }
}

/// How many splits the plan has.
///
/// # Safety
/// `plan` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_plan_num_splits(plan: *const paimon_plan) -> paimon_result_size {
    // SAFETY: as the caller promises.
    paimon_result_size::from(guard(|| Ok(unsafe { borrow(plan, "the plan")? }.splits.len())))
}

/// One split of the plan, `index` from 0, in the bytes that Java's SplitSerializer writes (version 1, DataSplit version 9).
///
/// # Safety
/// `plan` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_plan_split_bytes(plan: *const paimon_plan, index: usize) -> paimon_result_bytes {
    paimon_result_bytes::from(guard(|| {
        // SAFETY: as the caller promises.
        let plan = unsafe { borrow(plan, "the plan")? };
        let split = plan
            .splits
            .get(index)
            .ok_or_else(|| Failure::invalid(format!("split {index} of a plan with {} splits", plan.splits.len())))?;
        Ok(split.serialize_split_v1()?)
    }))
}

/// What there is to say about the plan's splits, in their order, as a JSON array of objects: `rowCount`, the rows of a split's files
/// before deletes and merging, so far as it is known; `bucket`; and `partition`, an array of pairs of a partition key and its value as
/// folder names have it, which is null when they do not say.
///
/// # Safety
/// `plan` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_plan_describe_splits(plan: *const paimon_plan) -> paimon_result_bytes {
    paimon_result_bytes::from(guard(|| {
        // SAFETY: as the caller promises.
        let plan = unsafe { borrow(plan, "the plan")? };
        let describe = |split: &DataSplit| {
            serde_json::json!({
                "rowCount": split.row_count(),
                "bucket": split.bucket(),
                "partition": partition_of(split.bucket_path(), &plan.partition_keys),
            })
        };
        json(&plan.splits.iter().map(describe).collect::<Vec<_>>())
    }))
}

/// Reads a partition off the path of one of its buckets, `.../k1=v1/k2=v2/bucket-0`.
fn partition_of(bucket_path: &str, keys: &[String]) -> Option<Vec<(String, String)>> {
    let mut folders = bucket_path.trim_end_matches('/').rsplit('/').skip(1);
    let mut partition = Vec::with_capacity(keys.len());
    for key in keys.iter().rev() {
        let (name, value) = folders.next()?.split_once('=')?;
        let (name, value) = (unescape(name)?, unescape(value)?);
        if name != *key {
            return None;
        }
        partition.push((name, value));
    }
    partition.reverse();
    Some(partition)
}

/// Undoes the escaping of folder names: %XX is a byte.
pub fn unescape(name: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let byte = match tail.get(..2).and_then(|hex| std::str::from_utf8(hex).ok()) {
            Some(hex) if *first == b'%' && !hex.starts_with('+') => u8::from_str_radix(hex, 16).ok(),
            _ => None,
        };
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8(bytes).ok()
}

/// Makes a plan of splits in the bytes that `paimon_plan_split_bytes` gives, in this order. The caller owns it and gives it to
/// `paimon_plan_free`. Bytes that are not such a split are PAIMON_CODE_INVALID_INPUT or PAIMON_CODE_UNSUPPORTED.
///
/// # Safety
/// `splits` is NULL or points to `len` byte runs; all are borrowed.
#[no_mangle]
pub unsafe extern "C" fn paimon_plan_from_split_bytes(splits: *const paimon_bytes, len: usize) -> paimon_result<paimon_plan> {
    paimon_result::from(guard(|| {
        // SAFETY: as the caller promises.
        let splits = unsafe { slice(splits, len, "splits")? };
        let mut decoded = Vec::with_capacity(splits.len());
        for (index, split) in splits.iter().enumerate() {
            // SAFETY: as the caller promises.
            let bytes = unsafe { slice(split.data.cast_const(), split.len, "a split")? };
            decoded.push(DataSplit::deserialize_split_v1(bytes).map_err(|error| {
                let failure = Failure::from(error);
                // Some of what the engine does not expect of a split it calls unexpected.
                let code = match failure.code {
                    PAIMON_CODE_UNSUPPORTED => PAIMON_CODE_UNSUPPORTED,
                    _ => PAIMON_CODE_INVALID_INPUT,
                };
                Failure::new(code, format!("split {index}: {}", failure.message))
            })?);
        }
        Ok(paimon_plan {
            splits: decoded,
            partition_keys: Vec::new(),
        })
    }))
}

/// Frees a read; readers made by it stay valid. NULL is ignored.
///
/// # Safety
/// `read` is NULL or a live read that no other call uses any more.
#[no_mangle]
pub unsafe extern "C" fn paimon_table_read_free(read: *mut paimon_table_read) {
    // SAFETY: as the caller promises.
    unsafe { handle::release(read) }
}

/// The schema of the batches that the read gives, whatever there is to read: a batch of which there is the schema alone, `array` being
/// NULL. The caller owns it and gives it to `paimon_arrow_batch_free`.
///
/// # Safety
/// `read` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_table_read_schema(read: *const paimon_table_read) -> paimon_result_batch {
    paimon_result_batch::from(guard(|| {
        // SAFETY: as the caller promises.
        let read = unsafe { borrow(read, "the read")? };
        let engine = read.wish.builder(&read.shared.table)?.new_read()?;
        arrow::export_schema(&*build_target_arrow_schema(engine.read_type())?)
    }))
}

/// Reads `length` splits of the plan, from `offset` on, one after the other. The caller owns the reader, which stays valid after
/// plan, read and table are freed, and gives it to `paimon_record_batch_reader_free`. A range that does not lie within the plan,
/// or is empty, is PAIMON_CODE_INVALID_INPUT.
///
/// # Safety
/// `read` and `plan` are NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_table_read_to_arrow(
    read: *const paimon_table_read,
    plan: *const paimon_plan,
    offset: usize,
    length: usize,
) -> paimon_result<paimon_record_batch_reader> {
    paimon_result::from(guard(|| {
        // SAFETY: as the caller promises.
        let (read, plan) = unsafe { (borrow(read, "the read")?, borrow(plan, "the plan")?) };
        let count = plan.splits.len();
        let splits = offset
            .checked_add(length)
            .filter(|_| length > 0)
            .and_then(|end| plan.splits.get(offset..end))
            .ok_or_else(|| Failure::invalid(format!("{length} splits from {offset} on, of a plan with {count}")))?;
        paimon_record_batch_reader::new(&read.shared, &read.wish, splits)
    }))
}
