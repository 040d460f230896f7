// SPDX-License-Identifier: Apache-2.0

//! Tags and branches: names for snapshots, and lines of snapshots beside the main one.

use std::ffi::c_char;

use chrono::{Local, TimeZone};
use paimon::api::GetTagResponse;
use paimon::catalog::Identifier;
use paimon::spec::Snapshot;
use paimon::table::BranchManager;
use paimon::{Error, Table};

use crate::catalog::{check_name, paimon_catalog, paimon_identifier};
use crate::error::{
    borrow, guard, guard_void, paimon_error, text, Failure, Result, PAIMON_CODE_BRANCH_ALREADY_EXIST,
    PAIMON_CODE_BRANCH_NOT_EXIST, PAIMON_CODE_SNAPSHOT_NOT_EXIST, PAIMON_CODE_TAG_NOT_EXIST, PAIMON_CODE_UNSUPPORTED,
};
use crate::table::latest;
use crate::types::{json, paimon_result_bytes};

/// Names a snapshot: `*snapshot_id`, or the latest where that is NULL. A name that is taken is PAIMON_CODE_TAG_ALREADY_EXIST, or, if
/// `ignore_if_exists`, nothing happens. A table without that snapshot is PAIMON_CODE_SNAPSHOT_NOT_EXIST. `time_retained`, such as
/// "36h", is how long Paimon's maintenance keeps the tag; NULL is for ever.
///
/// # Safety
/// `catalog` and `identifier` are NULL or live, `tag` and `time_retained` are NULL or NUL-terminated, `snapshot_id` is NULL or points
/// to a number.
#[no_mangle]
pub unsafe extern "C" fn paimon_catalog_create_tag(
    catalog: *const paimon_catalog,
    identifier: *const paimon_identifier,
    tag: *const c_char,
    snapshot_id: *const i64,
    time_retained: *const c_char,
    ignore_if_exists: bool,
) -> *mut paimon_error {
    guard_void(|| {
        // SAFETY: as the caller promises.
        let (place, tag, snapshot_id) = unsafe {
            (
                place(catalog, identifier)?,
                text(tag, "the tag")?,
                snapshot_id.as_ref().copied(),
            )
        };
        check_name("the tag", tag)?;
        let retained = match time_retained.is_null() {
            true => None,
            // SAFETY: as the caller promises.
            false => Some(unsafe { text(time_retained, "the retention")? }),
        };
        let _turn = place.catalog.turn()?;
        place.catalog.hold.change(async {
            let table = place.catalog.open(place.name).await?;
            let id = match snapshot_id {
                Some(id) => id,
                None => latest(&table).await?.map(|snapshot| snapshot.id()).ok_or_else(|| {
                    Failure::new(
                        PAIMON_CODE_SNAPSHOT_NOT_EXIST,
                        "the table has no snapshot yet; commit something to it first",
                    )
                })?,
            };
            if !place.on_branch || table.rest_env().is_some() {
                let made = place
                    .catalog
                    .catalog
                    .create_tag_with_retention(place.name, tag, Some(id), retained, ignore_if_exists);
                return Ok(made.await?);
            }
            let manager = table.tag_manager();
            if manager.tag_exists(tag).await? {
                return if ignore_if_exists {
                    Ok(())
                } else {
                    Err(Error::TagAlreadyExist { tag_name: tag.into() }.into())
                };
            }
            let snapshot = table.snapshot_manager().get_snapshot(id).await?;
            Ok(manager.create_with_retention(tag, &snapshot, retained).await?)
        })?
    })
}

/// The tag and its snapshot, as JSON: `tagName`, `snapshot` as in Paimon's snapshot files, `tagCreateTime` in milliseconds since the
/// epoch, `tagTimeRetained` as an ISO 8601 duration; the last two are null when they are not known. A missing tag is
/// PAIMON_CODE_TAG_NOT_EXIST.
///
/// # Safety
/// `catalog` and `identifier` are NULL or live, `tag` is NULL or NUL-terminated.
#[no_mangle]
pub unsafe extern "C" fn paimon_catalog_get_tag(
    catalog: *const paimon_catalog,
    identifier: *const paimon_identifier,
    tag: *const c_char,
) -> paimon_result_bytes {
    paimon_result_bytes::from(guard(|| {
        // SAFETY: as the caller promises.
        let (place, tag) = unsafe { (place(catalog, identifier)?, text(tag, "the tag")?) };
        check_name("the tag", tag)?;
        place.catalog.hold.run(async {
            let table = place.catalog.open(place.name).await?;
            json(&get_tag(place.catalog, place.name, &table, tag).await?)
        })?
    }))
}

/// Deletes a tag. A missing one is PAIMON_CODE_TAG_NOT_EXIST unless `ignore_if_not_exists`. One whose snapshot has expired keeps data
/// files alive that only Paimon's maintenance can delete: PAIMON_CODE_UNSUPPORTED on a filesystem catalog.
///
/// # Safety
/// `catalog` and `identifier` are NULL or live, `tag` is NULL or NUL-terminated.
#[no_mangle]
pub unsafe extern "C" fn paimon_catalog_delete_tag(
    catalog: *const paimon_catalog,
    identifier: *const paimon_identifier,
    tag: *const c_char,
    ignore_if_not_exists: bool,
) -> *mut paimon_error {
    guard_void(|| {
        // SAFETY: as the caller promises.
        let (place, tag) = unsafe { (place(catalog, identifier)?, text(tag, "the tag")?) };
        check_name("the tag", tag)?;
        let _turn = place.catalog.turn()?;
        place.catalog.hold.change(async {
            let table = place.catalog.open(place.name).await?;
            if !place.on_branch || table.rest_env().is_some() {
                let deleted = place.catalog.catalog.delete_tag(place.name, tag, ignore_if_not_exists);
                return Ok(deleted.await?);
            }
            let manager = table.tag_manager();
            match manager.get(tag).await? {
                Some(snapshot) => {
                    // Only while its snapshot is there does nothing hang on the tag.
                    table.snapshot_manager().get_snapshot(snapshot.id()).await.map_err(|error| match error {
                        Error::SnapshotNotExist { snapshot_id } => Failure::new(
                            PAIMON_CODE_UNSUPPORTED,
                            format!("snapshot {snapshot_id} of the tag has expired; delete the tag with Paimon's maintenance, which deletes its files"),
                        ),
                        other => other.into(),
                    })?;
                    Ok(manager.delete(tag).await?)
                }
                None if ignore_if_not_exists => Ok(()),
                None => Err(Error::TagNotExist { tag_name: tag.into() }.into()),
            }
        })?
    })
}

/// All tags, sorted by name, as a JSON array of what `paimon_catalog_get_tag` gives.
///
/// # Safety
/// `catalog` and `identifier` are NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_catalog_list_tags(
    catalog: *const paimon_catalog,
    identifier: *const paimon_identifier,
) -> paimon_result_bytes {
    paimon_result_bytes::from(guard(|| {
        // SAFETY: as the caller promises.
        let place = unsafe { place(catalog, identifier)? };
        place.catalog.hold.run(async {
            let table = place.catalog.open(place.name).await?;
            json(&tags(place.catalog, place.name, &table).await?)
        })?
    }))
}

/// Makes a branch of the table: from a tag, whose snapshot it starts with, or, where `tag` is NULL, empty with the table's schema. A
/// name that is taken is PAIMON_CODE_BRANCH_ALREADY_EXIST, a missing tag PAIMON_CODE_TAG_NOT_EXIST. A REST catalog's branches
/// are its server's: PAIMON_CODE_UNSUPPORTED.
///
/// # Safety
/// `catalog` and `identifier` are NULL or live, `branch` and `tag` are NULL or NUL-terminated.
#[no_mangle]
pub unsafe extern "C" fn paimon_catalog_create_branch(
    catalog: *const paimon_catalog,
    identifier: *const paimon_identifier,
    branch: *const c_char,
    tag: *const c_char,
) -> *mut paimon_error {
    guard_void(|| {
        // SAFETY: as the caller promises.
        let (place, branch) = unsafe { (place(catalog, identifier)?, text(branch, "the branch")?) };
        let tag = match tag.is_null() {
            true => None,
            // SAFETY: as the caller promises.
            false => Some(unsafe { text(tag, "the tag")? }),
        };
        let _turn = place.catalog.turn()?;
        place.catalog.hold.change(async {
            let table = place.main_table().await?;
            let manager = branches(&table)?;
            check_branch_name(place.name, branch)?;
            if manager.0.branch_exists(branch).await? {
                return Err(Failure::new(
                    PAIMON_CODE_BRANCH_ALREADY_EXIST,
                    format!("branch '{branch}' exists already"),
                ));
            }
            let made = match tag {
                None => manager.0.create_branch(branch).await,
                Some(tag) => {
                    let Some(snapshot) = table.tag_manager().get(tag).await? else {
                        return Err(Error::TagNotExist { tag_name: tag.into() }.into());
                    };
                    // A branch starts with the snapshot's own file.
                    let there = table.snapshot_manager().get_snapshot(snapshot.id()).await;
                    there.map_err(|error| match error {
                        Error::SnapshotNotExist { snapshot_id } => Failure::new(
                            PAIMON_CODE_SNAPSHOT_NOT_EXIST,
                            format!("snapshot {snapshot_id} of tag '{tag}' has expired; make the branch from another tag"),
                        ),
                        other => other.into(),
                    })?;
                    manager.0.create_branch_from_tag(branch, tag).await
                }
            };
            match made {
                Ok(()) => Ok(()),
                // Another process was faster, and what is there is its own.
                Err(Error::DataInvalid { message, .. }) if message.ends_with("already exists.") => {
                    Err(Failure::new(PAIMON_CODE_BRANCH_ALREADY_EXIST, message))
                }
                Err(error) => {
                    let _ = manager.0.drop_branch(branch).await; // half a branch is none
                    Err(error.into())
                }
            }
        })?
    })
}

/// Drops a branch and all that was written to it alone. A missing one is PAIMON_CODE_BRANCH_NOT_EXIST unless `ignore_if_not_exists`.
///
/// # Safety
/// `catalog` and `identifier` are NULL or live, `branch` is NULL or NUL-terminated.
#[no_mangle]
pub unsafe extern "C" fn paimon_catalog_drop_branch(
    catalog: *const paimon_catalog,
    identifier: *const paimon_identifier,
    branch: *const c_char,
    ignore_if_not_exists: bool,
) -> *mut paimon_error {
    guard_void(|| {
        // SAFETY: as the caller promises.
        let (place, branch) = unsafe { (place(catalog, identifier)?, text(branch, "the branch")?) };
        let _turn = place.catalog.turn()?;
        place.catalog.hold.change(async {
            let table = place.main_table().await?;
            let manager = branches(&table)?;
            check_branch_name(place.name, branch)?;
            if ignore_if_not_exists && !manager.0.branch_exists(branch).await? {
                return Ok(());
            }
            manager.require(branch).await?;
            Ok(manager.0.drop_branch(branch).await?)
        })?
    })
}

/// The names of all branches but the main one, sorted, as a JSON array of objects: `name`, `schemaId` of its latest schema, and
/// `snapshot`, its latest, or null.
///
/// # Safety
/// `catalog` and `identifier` are NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_catalog_list_branches(
    catalog: *const paimon_catalog,
    identifier: *const paimon_identifier,
) -> paimon_result_bytes {
    paimon_result_bytes::from(guard(|| {
        // SAFETY: as the caller promises.
        let place = unsafe { place(catalog, identifier)? };
        let _turn = place.catalog.turn()?;
        place.catalog.hold.run(async {
            let table = place.main_table().await?;
            let mut list = Vec::new();
            let manager = branches(&table)?;
            for name in manager.names().await? {
                // A branch that was dropped meanwhile, or was never made in full, has no schema.
                let schemas = table.schema_manager().with_branch(&name);
                if schemas.list_all_ids().await?.is_empty() {
                    continue;
                }
                match branch_of(&table, name).await {
                    Err(_) if schemas.list_all_ids().await?.is_empty() => {}
                    other => list.push(other?),
                }
            }
            json(&list)
        })?
    }))
}

#[derive(serde::Serialize)]
#[serde(rename_all = "camelCase")]
struct Branch {
    name: String,
    schema_id: i64,
    snapshot: Option<Snapshot>,
}

async fn branch_of(table: &Table, name: String) -> Result<Branch> {
    let branch = table.copy_with_branch(&name).await?;
    Ok(Branch {
        name,
        schema_id: branch.schema().id(),
        snapshot: latest(&branch).await?,
    })
}

/// Where tags and branches belong to: a table, or a branch of one.
struct Place<'a> {
    catalog: &'a paimon_catalog,
    name: &'a Identifier,
    on_branch: bool,
}

unsafe fn place<'a>(catalog: *const paimon_catalog, identifier: *const paimon_identifier) -> Result<Place<'a>> {
    // SAFETY: the caller passes on its own caller's promise.
    let (catalog, identifier) = unsafe { (borrow(catalog, "the catalog")?, borrow(identifier, "the identifier")?) };
    let name = &identifier.identifier;
    let parsed = name.parsed_object_name()?;
    if parsed.system_table().is_some() {
        return Err(Failure::new(
            PAIMON_CODE_UNSUPPORTED,
            format!("'{}' is a system table, which has no tags or branches", name.full_name()),
        ));
    }
    Ok(Place {
        catalog,
        name,
        on_branch: parsed.branch().is_some(),
    })
}

impl Place<'_> {
    async fn main_table(&self) -> Result<Table> {
        if self.on_branch {
            return Err(Failure::new(
                PAIMON_CODE_UNSUPPORTED,
                format!(
                    "'{}' is a branch, which has no branches; name the table",
                    self.name.full_name()
                ),
            ));
        }
        self.catalog.open(self.name).await
    }
}

/// A branch's name becomes a folder's.
fn check_branch_name(table: &Identifier, branch: &str) -> Result<()> {
    check_name("the branch", branch)?;
    if branch.contains('$') {
        return Err(Failure::invalid(format!("the branch name '{branch}' contains '$'")));
    }
    let name = Identifier::new(table.database(), format!("{}$branch_{branch}", table.object()));
    name.parsed_object_name()?;
    Ok(())
}

pub struct Branches(BranchManager);

/// The branches of a table, unless they are a REST server's.
pub fn branches(table: &Table) -> Result<Branches> {
    if table.rest_env().is_some() {
        return Err(Failure::new(
            PAIMON_CODE_UNSUPPORTED,
            "the branches of a REST catalog's tables are its server's to make, drop and list",
        ));
    }
    Ok(Branches(BranchManager::new(
        table.file_io().clone(),
        table.location().to_string(),
    )))
}

impl Branches {
    pub async fn require(&self, branch: &str) -> Result<()> {
        if self.0.branch_exists(branch).await? {
            return Ok(());
        }
        Err(Failure::new(
            PAIMON_CODE_BRANCH_NOT_EXIST,
            format!("branch '{branch}' does not exist"),
        ))
    }

    pub async fn names(&self) -> Result<Vec<String>> {
        Ok(self.0.list_all().await?)
    }
}

/// All tags of a table or branch, sorted by name.
pub async fn tags(catalog: &paimon_catalog, name: &Identifier, table: &Table) -> Result<Vec<GetTagResponse>> {
    let mut list = Vec::new();
    for tag in table.tag_manager().list_all_names().await? {
        match get_tag(catalog, name, table, &tag).await {
            Err(failure) if failure.code == PAIMON_CODE_TAG_NOT_EXIST => {} // deleted meanwhile
            other => list.push(other?),
        }
    }
    Ok(list)
}

async fn get_tag(catalog: &paimon_catalog, name: &Identifier, table: &Table, tag: &str) -> Result<GetTagResponse> {
    let parsed = name.parsed_object_name()?;
    let corrupt = |error| match error {
        Error::DataInvalid { .. } => Failure::reading(error, table.tag_manager().tag_path(tag)),
        other => other.into(),
    };
    if parsed.branch().is_none() || table.rest_env().is_some() {
        let base = match parsed.system_table() {
            None => name.clone(),
            Some(_) => match parsed.branch() {
                None => Identifier::new(name.database(), parsed.table()),
                Some(branch) => Identifier::new(name.database(), format!("{}$branch_{branch}", parsed.table())),
            },
        };
        return catalog.catalog.get_tag(&base, tag).await.map_err(corrupt);
    }
    // The engine's catalog takes a branch for a table.
    let Some((snapshot, created, retained)) = table.tag_manager().get_with_metadata(tag).await.map_err(corrupt)? else {
        return Err(Error::TagNotExist { tag_name: tag.into() }.into());
    };
    // The file has a local time without its zone, which the engine hands out as if it were UTC.
    let created = created
        .and_then(chrono::DateTime::from_timestamp_millis)
        .and_then(|time| Local.from_local_datetime(&time.naive_utc()).earliest());
    Ok(GetTagResponse {
        tag_name: tag.to_string(),
        snapshot,
        tag_create_time: created.map(|time| time.timestamp_millis()),
        tag_time_retained: retained.map(duration),
    })
}

/// Seconds as an ISO 8601 duration, as Java prints one.
fn duration(seconds: f64) -> String {
    let whole = seconds as u64;
    let (hours, minutes) = (whole / 3600, whole % 3600 / 60);
    let rest = seconds - (hours * 3600 + minutes * 60) as f64;
    let mut text = String::from("PT");
    if hours > 0 {
        text += &format!("{hours}H");
    }
    if minutes > 0 {
        text += &format!("{minutes}M");
    }
    if rest > 0.0 || text == "PT" {
        text += &format!("{rest}S");
    }
    text
}
