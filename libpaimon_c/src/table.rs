// SPDX-License-Identifier: Apache-2.0

//! Table: where reads and writes of one table start.

use std::ffi::c_char;
use std::sync::Arc;

use paimon::spec::{CoreOptions, Snapshot, TableSchema};
use paimon::{Error, Table};

use crate::alter::check_option;
use crate::catalog::options_of;
use crate::error::{
    borrow, guard, text, Failure, Result, PAIMON_CODE_BRANCH_NOT_EXIST, PAIMON_CODE_INVALID_INPUT, PAIMON_CODE_IO_ERROR,
    PAIMON_CODE_SNAPSHOT_NOT_EXIST, PAIMON_CODE_TABLE_NOT_EXIST, PAIMON_CODE_TRAVEL_SNAPSHOT_NOT_EXIST,
    PAIMON_CODE_TRAVEL_TAG_NOT_EXIST, PAIMON_CODE_UNSUPPORTED,
};
use crate::handle;
use crate::read::paimon_read_builder;
use crate::runtime::Hold;
use crate::system::System;
use crate::types::{json, paimon_option, paimon_result, paimon_result_bytes};
use crate::write::paimon_write_builder;

/// An open table, with the schema it had when it was opened. Safe for concurrent use.
pub struct paimon_table {
    /// The table; for a system table, one without rows that has its schema.
    pub(crate) shared: Arc<Shared>,
    system: Option<System>,
}

/// What a table and everything made from it share. The table goes before the hold on the runtime that its storage uses.
pub struct Shared {
    pub table: Table,
    pub hold: Hold,
    /// In the memory of which catalog the table is; 0 for one that is stored elsewhere.
    pub memory: u64,
}

impl paimon_table {
    pub fn new(table: Table, hold: Hold, memory: u64) -> Self {
        Self::of(Arc::new(Shared { table, hold, memory }))
    }

    pub fn of(shared: Arc<Shared>) -> Self {
        Self { shared, system: None }
    }

    pub async fn of_system(system: System, hold: Hold) -> Result<Self> {
        let table = system.empty().await?;
        Ok(Self {
            shared: Arc::new(Shared { table, hold, memory: 0 }),
            system: Some(system),
        })
    }

    /// The table in which snapshots, files and so on are.
    pub(crate) fn stored(&self) -> &Table {
        self.system.as_ref().map_or(&self.shared.table, |system| &system.base)
    }

    /// What a read looks into: the table itself, or what a system table has to say now.
    fn source(&self) -> Result<Arc<Shared>> {
        let Some(system) = &self.system else {
            return Ok(self.shared.clone());
        };
        let hold = self.shared.hold.clone();
        let table = hold.run(system.rows())??;
        Ok(Arc::new(Shared { table, hold, memory: 0 }))
    }

    fn writable(&self) -> Result<()> {
        match &self.system {
            None => Ok(()),
            Some(system) => Err(Failure::new(
                PAIMON_CODE_UNSUPPORTED,
                format!("${} is a system table, which can be read only", system.name),
            )),
        }
    }
}

/// The newest snapshot there is, or None.
///
/// A hint file says which that is. Where it names one that does not exist (left behind by a rollback or a copy that lacks
/// something) the folder decides: its snapshots are counted instead.
pub async fn latest(table: &Table) -> Result<Option<Snapshot>> {
    let manager = table.snapshot_manager();
    let found = match manager.get_latest_snapshot().await {
        Err(Error::SnapshotNotExist { snapshot_id }) => match manager.list_all_ids().await?.last() {
            Some(id) => manager.get_snapshot(*id).await.map(Some),
            None => return Err(stale_hint(&manager.snapshot_dir(), snapshot_id)),
        },
        other => other,
    };
    let found = found.map_err(|error| Failure::reading(error, format!("the snapshots in {}", manager.snapshot_dir())))?;
    if found.is_none() {
        check_there(table).await?;
    }
    Ok(found)
}

/// Fails when the table of a handle is not there any more: dropped, renamed, or made anew. The engine would not
/// notice, read nothing, and commit into a folder that no catalog knows.
pub async fn check_there(table: &Table) -> Result<()> {
    if table.rest_env().is_some() {
        return Ok(()); // its server knows
    }
    let Some(what) = replaced(table, table.schema()).await? else {
        return Ok(());
    };
    if !table.is_main_branch() {
        return Err(Failure::new(
            PAIMON_CODE_BRANCH_NOT_EXIST,
            format!(
                "branch '{}' of the table at {} was {what} since it was opened; open it again",
                table.branch(),
                table.location()
            ),
        ));
    }
    Err(Failure::new(
        PAIMON_CODE_TABLE_NOT_EXIST,
        format!(
            "the table at {} was {what} since it was opened; open it again",
            table.location()
        ),
    ))
}

/// What became of the table that had this schema, if it is not the one that is there.
async fn replaced(table: &Table, schema: &TableSchema) -> Result<Option<&'static str>> {
    let path = table.schema_manager().schema_path(schema.id());
    match table.file_io().new_input(&path)?.read().await {
        Err(Error::IoUnexpected { source, .. }) if source.kind() == opendal::ErrorKind::NotFound => {
            Ok(Some("dropped or renamed"))
        }
        raw => {
            let stored: TableSchema = serde_json::from_slice(&raw?)
                .map_err(|error| Failure::new(PAIMON_CODE_IO_ERROR, format!("cannot read {path}: {error}")))?;
            // No change of a table touches a schema file that is there.
            Ok((!same(&stored, schema)).then_some("made anew"))
        }
    }
}

fn same(one: &TableSchema, other: &TableSchema) -> bool {
    one.id() == other.id() && one.time_millis() == other.time_millis() && one.fields() == other.fields()
}

/// Fails when what was written to one table is to be committed to another that has its name now, where its files are not.
pub async fn check_same(target: &Shared, source: &Shared) -> Result<()> {
    let differ = match (target.table.rest_env(), source.table.rest_env()) {
        (Some(target), Some(source)) => target.uuid() != source.uuid(),
        _ if target.memory != source.memory => true,
        _ if same(target.table.schema(), source.table.schema()) => false,
        _ => replaced(&target.table, source.table.schema()).await?.is_some(),
    };
    if differ {
        return Err(Failure::invalid(
            "these messages, or some of them, are of a table of the same name that was dropped since, or is another catalog's; write \
             the data again",
        ));
    }
    Ok(())
}

/// All snapshots that there are, oldest first.
pub async fn snapshots(table: &Table) -> Result<Vec<Snapshot>> {
    let manager = table.snapshot_manager();
    let mut list = Vec::new();
    for id in manager.list_all_ids().await? {
        match manager.get_snapshot(id).await {
            Err(Error::SnapshotNotExist { .. }) => {} // it has expired meanwhile
            other => list.push(other.map_err(|error| Failure::reading(error, manager.snapshot_path(id)))?),
        }
    }
    if list.is_empty() {
        check_there(table).await?;
    }
    Ok(list)
}

/// What to say of a hint that names a snapshot that is not there.
pub fn stale_hint(folder: &str, snapshot_id: i64) -> Failure {
    Failure::new(
        PAIMON_CODE_SNAPSHOT_NOT_EXIST,
        format!(
            "{folder}/LATEST names snapshot {snapshot_id}, which does not exist; if that file is wrong and no snapshot is lost, delete it: \
             it is only a hint"
        ),
    )
}

/// Frees a table; builders, scans, reads, writes and commits made from it stay valid. NULL is ignored.
///
/// # Safety
/// `table` is NULL or a live table that no other call uses any more.
#[no_mangle]
pub unsafe extern "C" fn paimon_table_free(table: *mut paimon_table) {
    // SAFETY: as the caller promises.
    unsafe { handle::release(table) }
}

/// The table's schema as of its opening, in the JSON of Paimon's schema files.
///
/// # Safety
/// `table` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_table_schema(table: *const paimon_table) -> paimon_result_bytes {
    paimon_result_bytes::from(guard(|| {
        // SAFETY: as the caller promises.
        let table = unsafe { borrow(table, "the table")? };
        json(table.shared.table.schema())
    }))
}

/// The path or URL of the table's folder.
///
/// # Safety
/// `table` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_table_location(table: *const paimon_table) -> paimon_result_bytes {
    paimon_result_bytes::from(guard(|| {
        // SAFETY: as the caller promises.
        let table = unsafe { borrow(table, "the table")? };
        Ok(table.stored().location().as_bytes().to_vec())
    }))
}

/// The table's newest snapshot now, in the JSON of Paimon's snapshot files; `{NULL, 0}` when it has none.
///
/// # Safety
/// `table` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_table_latest_snapshot(table: *const paimon_table) -> paimon_result_bytes {
    paimon_result_bytes::from(guard(|| {
        // SAFETY: as the caller promises.
        let table = unsafe { borrow(table, "the table")? };
        match table.shared.hold.run(latest(table.stored()))?? {
            Some(snapshot) => json(&snapshot),
            None => Ok(Vec::new()),
        }
    }))
}

/// One snapshot of the table, in the JSON of Paimon's snapshot files. A missing one, expired or not there yet, is
/// PAIMON_CODE_SNAPSHOT_NOT_EXIST.
///
/// # Safety
/// `table` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_table_snapshot(table: *const paimon_table, snapshot_id: i64) -> paimon_result_bytes {
    paimon_result_bytes::from(guard(|| {
        // SAFETY: as the caller promises.
        let table = unsafe { borrow(table, "the table")? };
        table.shared.hold.run(async {
            match table.stored().snapshot_manager().get_snapshot(snapshot_id).await {
                Err(error @ Error::SnapshotNotExist { .. }) => Err(Failure::new(
                    PAIMON_CODE_SNAPSHOT_NOT_EXIST,
                    format!("{} {}", error, available(table.stored()).await?),
                )),
                other => json(&other.map_err(|error| {
                    let path = table.stored().snapshot_manager().snapshot_path(snapshot_id);
                    Failure::reading(error, path)
                })?),
            }
        })?
    }))
}

/// All snapshots of the table that have not expired, oldest first, as a JSON array of Paimon's snapshot files.
///
/// # Safety
/// `table` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_table_list_snapshots(table: *const paimon_table) -> paimon_result_bytes {
    paimon_result_bytes::from(guard(|| {
        // SAFETY: as the caller promises.
        let table = unsafe { borrow(table, "the table")? };
        json(&table.shared.hold.run(snapshots(table.stored()))??)
    }))
}

/// Says which snapshots there are.
async fn available(table: &Table) -> Result<String> {
    let ids = table.snapshot_manager().list_all_ids().await?;
    Ok(match (ids.first(), ids.last()) {
        (Some(first), Some(last)) => format!("The table has snapshots {first} to {last}."),
        _ => "The table has no snapshots.".to_string(),
    })
}

/// Starts a read of the table. The caller owns the builder and gives it to `paimon_read_builder_free`.
///
/// # Safety
/// `table` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_table_new_read_builder(table: *const paimon_table) -> paimon_result<paimon_read_builder> {
    paimon_result::from(guard(|| {
        // SAFETY: as the caller promises.
        let table = unsafe { borrow(table, "the table")? };
        Ok(paimon_read_builder::new(table.source()?))
    }))
}

/// Starts a read of the table with options of this read alone, such as `read.batch-size`, or one of `scan.timestamp-millis`,
/// `scan.timestamp`, `scan.watermark`, `scan.version`, `scan.snapshot-id` and `scan.tag-name`, which travel to an earlier snapshot and
/// its schema. More than one of these, or one that leads to no snapshot, is PAIMON_CODE_INVALID_INPUT; of the latter
/// PAIMON_CODE_TRAVEL_SNAPSHOT_NOT_EXIST and PAIMON_CODE_TRAVEL_TAG_NOT_EXIST are kinds. The caller owns the builder and gives it to
/// `paimon_read_builder_free`.
///
/// # Safety
/// `table` is NULL or live, `options` NULL or `len` options with NUL-terminated strings.
#[no_mangle]
pub unsafe extern "C" fn paimon_table_new_read_builder_with_options(
    table: *const paimon_table,
    options: *const paimon_option,
    len: usize,
) -> paimon_result<paimon_read_builder> {
    paimon_result::from(guard(|| {
        // SAFETY: as the caller promises.
        let (table, options) = unsafe { (borrow(table, "the table")?, options_of(options, len)?) };
        if let Some(size) = options.get("read.batch-size") {
            // The engine takes its default for what it cannot read.
            if !size.parse::<i32>().is_ok_and(|rows| rows > 0) {
                return Err(Failure::invalid(format!(
                    "read.batch-size is '{size}', want a number of rows from 1"
                )));
            }
        }
        // These the engine would overlook.
        for (key, value) in &options {
            if key != "branch" || value != table.shared.table.branch() {
                check_option(key, value)?;
            }
        }
        let latest = |mode: &String| ["default", "latest", "latest-full", "full"].contains(&mode.to_ascii_lowercase().as_str());
        if !options.get("scan.mode").is_some_and(latest) || SELECTORS.iter().any(|key| options.contains_key(*key)) {
            CoreOptions::new(&options).validate_scan_options()?;
        }
        let known = |key: &str| {
            !key.to_ascii_lowercase().starts_with("scan.")
                || matches!(key, "scan.mode" | "scan.manifest.parallelism")
                || SELECTORS.contains(&key)
        };
        if let Some(key) = options.keys().find(|key| *key == "consumer-id" || !known(key)) {
            return Err(Failure::new(
                PAIMON_CODE_UNSUPPORTED,
                format!(
                    "a read cannot be asked for {key}; it knows {} and scan.mode",
                    SELECTORS.join(", ")
                ),
            ));
        }
        let mut selectors: Vec<&str> = SELECTORS.into_iter().filter(|key| options.contains_key(*key)).collect();
        if selectors.len() > 1 {
            selectors.sort();
            return Err(Failure::invalid(format!(
                "{} cannot be set together; choose one",
                selectors.join(", ")
            )));
        }
        let Some(selector) = selectors.pop() else {
            let source = table.source()?;
            return Ok(paimon_read_builder::new(Arc::new(Shared {
                table: source.table.copy_with_options(options),
                hold: source.hold.clone(),
                memory: source.memory,
            })));
        };
        if table.system.is_some() {
            return Err(Failure::new(
                PAIMON_CODE_UNSUPPORTED,
                format!("a system table has no past to read with {selector}"),
            ));
        }
        let shared = &table.shared;
        let value = options[selector].clone();
        shared.hold.run(async {
            let there = match shared.table.copy_with_time_travel_strict(options).await {
                Ok(there) => there,
                Err(error) => {
                    let tags = shared.table.tag_manager();
                    if matches!(selector, "scan.tag-name" | "scan.version")
                        && matches!(error, Error::DataInvalid { .. })
                        && tags.tag_exists(&value).await.unwrap_or(false)
                    {
                        return Err(Failure::reading(error, tags.tag_path(&value)));
                    }
                    let failure = Failure::from(error);
                    let code = match (selector, failure.code) {
                        (_, PAIMON_CODE_SNAPSHOT_NOT_EXIST) => PAIMON_CODE_TRAVEL_SNAPSHOT_NOT_EXIST,
                        ("scan.tag-name", PAIMON_CODE_INVALID_INPUT) if !tags.tag_exists(&value).await.unwrap_or(true) => {
                            PAIMON_CODE_TRAVEL_TAG_NOT_EXIST
                        }
                        (_, code) => code,
                    };
                    let range = available(&shared.table).await?;
                    return Err(Failure::new(
                        code,
                        format!("{selector} is '{value}': {}. {range}", failure.message.trim_end_matches('.')),
                    ));
                }
            };
            if !there.has_resolved_travel_snapshot() {
                return Err(Failure::invalid(format!(
                    "{selector} is '{value}', which leads to no snapshot"
                )));
            }
            Ok(paimon_read_builder::new(Arc::new(Shared {
                table: there,
                hold: shared.hold.clone(),
                memory: shared.memory,
            })))
        })?
    }))
}

/// The options of which a read may have one.
const SELECTORS: [&str; 6] = [
    "scan.timestamp-millis",
    "scan.timestamp",
    "scan.watermark",
    "scan.version",
    "scan.snapshot-id",
    "scan.tag-name",
];

/// Starts a write to the table under a commit user of its own (a random UUID). The caller owns the builder and gives it to
/// `paimon_write_builder_free`.
///
/// # Safety
/// `table` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_table_new_write_builder(table: *const paimon_table) -> paimon_result<paimon_write_builder> {
    paimon_result::from(guard(|| {
        // SAFETY: as the caller promises.
        let table = unsafe { borrow(table, "the table")? };
        table.writable()?;
        paimon_write_builder::new(table.shared.clone(), None)
    }))
}

/// Starts a write to the table under a given commit user: a name that stays the same when a job is retried, so that its commit
/// identifiers are recognised. It becomes part of file names: no path separators, no control characters, not empty.
///
/// # Safety
/// `table` is NULL or live, `commit_user` NULL or NUL-terminated.
#[no_mangle]
pub unsafe extern "C" fn paimon_table_new_write_builder_with_commit_user(
    table: *const paimon_table,
    commit_user: *const c_char,
) -> paimon_result<paimon_write_builder> {
    paimon_result::from(guard(|| {
        // SAFETY: as the caller promises.
        let (table, user) = unsafe { (borrow(table, "the table")?, text(commit_user, "the commit user")?) };
        table.writable()?;
        paimon_write_builder::new(table.shared.clone(), Some(user.to_string()))
    }))
}

/// Starts a write to fixed buckets of a table with `bucket = -2`, whose rows are visible as soon as they are committed, under a commit
/// user of its own (a random UUID). It has to be told the number of buckets (`paimon_write_builder_with_bucket_plan`) unless the table
/// says it (`postpone.default-bucket-num`), and its writes can be prepared once. The caller owns the builder and gives it to
/// `paimon_write_builder_free`.
///
/// # Safety
/// `table` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_table_new_postpone_fixed_bucket_write_builder(
    table: *const paimon_table,
) -> paimon_result<paimon_write_builder> {
    paimon_result::from(guard(|| {
        // SAFETY: as the caller promises.
        let table = unsafe { borrow(table, "the table")? };
        table.writable()?;
        paimon_write_builder::postpone(table.shared.clone(), None)
    }))
}

/// As `paimon_table_new_postpone_fixed_bucket_write_builder`, under a given commit user.
///
/// # Safety
/// `table` is NULL or live, `commit_user` NULL or NUL-terminated.
#[no_mangle]
pub unsafe extern "C" fn paimon_table_new_postpone_fixed_bucket_write_builder_with_commit_user(
    table: *const paimon_table,
    commit_user: *const c_char,
) -> paimon_result<paimon_write_builder> {
    paimon_result::from(guard(|| {
        // SAFETY: as the caller promises.
        let (table, user) = unsafe { (borrow(table, "the table")?, text(commit_user, "the commit user")?) };
        table.writable()?;
        paimon_write_builder::postpone(table.shared.clone(), Some(user.to_string()))
    }))
}
