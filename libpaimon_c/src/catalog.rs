// SPDX-License-Identifier: Apache-2.0

//! Catalog and identifier: databases and tables by name.

use std::collections::HashMap;
use std::ffi::c_char;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::Duration;

use paimon::catalog::{Identifier, DEFAULT_MAIN_BRANCH};
use paimon::spec::{CoreOptions, Schema};
use paimon::{Catalog, CatalogFactory, Error, Options, Table};
use tokio::sync::{Mutex, MutexGuard};

use crate::alter::check_option;
use crate::error::{
    borrow, guard, guard_void, paimon_error, slice, text, Failure, Result, PAIMON_CODE_BRANCH_NOT_EXIST,
    PAIMON_CODE_DATABASE_NOT_EXIST, PAIMON_CODE_UNSUPPORTED,
};
use crate::handle;
use crate::runtime::Hold;
use crate::supported::{check_key, check_new};
use crate::system::System;
use crate::table::paimon_table;
use crate::tag::branches;
use crate::tls::check_bundle;
use crate::types::{json, paimon_option, paimon_result, paimon_result_bytes};

/// An open catalog. Safe for concurrent use.
pub struct paimon_catalog {
    pub(crate) catalog: Arc<dyn Catalog>,
    pub(crate) hold: Hold,
    pub(crate) warehouse: String,
    /// Whether a server decides who is first.
    pub(crate) served: bool,
    /// A number of its own where tables are kept in memory, which catalogs do not share; else 0.
    pub(crate) memory: u64,
}

static CHANGING: Mutex<()> = Mutex::const_new(());

static MEMORIES: AtomicU64 = AtomicU64::new(1);

/// The name of a table: a database and an object in it. Immutable, safe for concurrent use.
pub struct paimon_identifier {
    pub(crate) identifier: Identifier,
}

/// # Safety
/// `options` is NULL or points to `len` options whose strings are NUL-terminated.
pub unsafe fn options_of(options: *const paimon_option, len: usize) -> Result<HashMap<String, String>> {
    let mut map = HashMap::with_capacity(len.min(1024));
    // SAFETY: the caller passes on its own caller's promise about the array and the strings in it.
    for option in unsafe { slice(options, len, "options")? } {
        // SAFETY: as above.
        let (key, value) = unsafe { (text(option.key, "an option's key")?, text(option.value, "an option's value")?) };
        map.insert(key.to_string(), value.to_string());
    }
    Ok(map)
}

/// Opens a catalog. The options are Paimon's: `warehouse`, `metastore` (`filesystem` or `rest`), `uri`, `s3.*`, ... Nothing is
/// created, and a filesystem catalog is not contacted before the first call that needs it, save that a local warehouse that is there and is
/// no folder is PAIMON_CODE_INVALID_INPUT.
///
/// `options` and its strings are borrowed. On success the caller owns the catalog and gives it to `paimon_catalog_free`.
///
/// # Safety
/// `options` is NULL or points to `len` options whose strings are NUL-terminated.
#[no_mangle]
pub unsafe extern "C" fn paimon_catalog_create(options: *const paimon_option, len: usize) -> paimon_result<paimon_catalog> {
    paimon_result::from(guard(|| {
        // SAFETY: as the caller promises.
        let options = unsafe { options_of(options, len)? };
        let hold = Hold::acquire()?;
        let warehouse = options.get("warehouse").cloned().unwrap_or_default();
        check_bundle(&warehouse)?;
        let served = options.get("metastore").is_some_and(|kind| kind.eq_ignore_ascii_case("rest"));
        if !served {
            check_folder(&hold, &warehouse)?;
        }
        let catalog = hold.run(CatalogFactory::create(Options::from_map(options)))??;
        let memory = if warehouse.starts_with("memory:") {
            MEMORIES.fetch_add(1, Ordering::Relaxed)
        } else {
            0
        };
        Ok(paimon_catalog {
            catalog,
            hold,
            memory,
            warehouse,
            served,
        })
    }))
}

/// Refuses a local warehouse that is there and is no folder: the engine would list it as empty.
fn check_folder(hold: &Hold, warehouse: &str) -> Result<()> {
    let path = match warehouse.split_once(':') {
        None => warehouse.to_string(),
        Some((scheme, path)) if scheme.eq_ignore_ascii_case("file") && path.starts_with('/') => {
            format!("/{}", path.trim_start_matches('/'))
        }
        Some(_) => return Ok(()),
    };
    // A call that can be called off, since a folder of another machine may hang.
    let is_other = hold.run(async {
        let look = tokio::task::spawn_blocking(move || std::fs::metadata(path).is_ok_and(|found| !found.is_dir()));
        look.await.unwrap_or(false)
    })?;
    if is_other {
        return Err(Failure::invalid(format!("the warehouse {warehouse} is not a folder")));
    }
    Ok(())
}

/// Frees a catalog; tables opened from it stay valid. NULL is ignored.
///
/// # Safety
/// `catalog` is NULL or a live catalog that no other call uses any more.
#[no_mangle]
pub unsafe extern "C" fn paimon_catalog_free(catalog: *mut paimon_catalog) {
    // SAFETY: as the caller promises.
    unsafe { handle::release(catalog) }
}

/// Names a table: a database, and an object in it. A name that cannot be a folder's is PAIMON_CODE_INVALID_INPUT.
///
/// Both strings are borrowed. The caller owns the identifier and gives it to `paimon_identifier_free`.
///
/// # Safety
/// `database` and `object` are NULL or NUL-terminated.
#[no_mangle]
pub unsafe extern "C" fn paimon_identifier_new(
    database: *const c_char,
    object: *const c_char,
) -> paimon_result<paimon_identifier> {
    paimon_result::from(guard(|| {
        // SAFETY: as the caller promises.
        let (database, object) = unsafe { (text(database, "the database name")?, text(object, "the object name")?) };
        check_name("the database name", database)?;
        for part in object.split('$') {
            check_name("the object name", part)?;
        }
        Ok(paimon_identifier {
            identifier: Identifier::new(database, object),
        })
    }))
}

/// Frees an identifier. NULL is ignored.
///
/// # Safety
/// `identifier` is NULL or a live identifier that no other call uses any more.
#[no_mangle]
pub unsafe extern "C" fn paimon_identifier_free(identifier: *mut paimon_identifier) {
    // SAFETY: as the caller promises.
    unsafe { handle::release(identifier) }
}

/// Lists the databases as a JSON array of strings, sorted.
///
/// # Safety
/// `catalog` is NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_catalog_list_databases(catalog: *const paimon_catalog) -> paimon_result_bytes {
    paimon_result_bytes::from(guard(|| {
        // SAFETY: as the caller promises.
        let catalog = unsafe { borrow(catalog, "the catalog")? };
        let mut names = catalog.hold.run(catalog.catalog.list_databases())??;
        names.sort();
        json(&names)
    }))
}

/// Creates a database. When it exists, this is PAIMON_CODE_DATABASE_ALREADY_EXIST or, if `ignore_if_exists`, nothing happens.
///
/// # Safety
/// `catalog` is NULL or live, `name` NULL or NUL-terminated, `properties` NULL or `len` options with NUL-terminated strings.
#[no_mangle]
pub unsafe extern "C" fn paimon_catalog_create_database(
    catalog: *const paimon_catalog,
    name: *const c_char,
    properties: *const paimon_option,
    len: usize,
    ignore_if_exists: bool,
) -> *mut paimon_error {
    guard_void(|| {
        // SAFETY: as the caller promises.
        let (catalog, name, properties) = unsafe {
            (
                borrow(catalog, "the catalog")?,
                text(name, "the database name")?,
                options_of(properties, len)?,
            )
        };
        check_name("the database name", name)?;
        let _turn = catalog.turn()?;
        Ok(catalog
            .hold
            .change(catalog.catalog.create_database(name, ignore_if_exists, properties))??)
    })
}

/// Drops a database. One that holds tables is PAIMON_CODE_DATABASE_NOT_EMPTY unless `cascade`, which drops them and their data
/// too; a missing one is PAIMON_CODE_DATABASE_NOT_EXIST unless `ignore_if_not_exists`.
///
/// # Safety
/// `catalog` is NULL or live, `name` NULL or NUL-terminated.
#[no_mangle]
pub unsafe extern "C" fn paimon_catalog_drop_database(
    catalog: *const paimon_catalog,
    name: *const c_char,
    ignore_if_not_exists: bool,
    cascade: bool,
) -> *mut paimon_error {
    guard_void(|| {
        // SAFETY: as the caller promises.
        let (catalog, name) = unsafe { (borrow(catalog, "the catalog")?, text(name, "the database name")?) };
        check_name("the database name", name)?;
        let _turn = catalog.turn()?;
        Ok(catalog
            .hold
            .change(catalog.catalog.drop_database(name, ignore_if_not_exists, cascade))??)
    })
}

/// Lists the tables of a database as a JSON array of strings, sorted. System tables are not among them.
///
/// # Safety
/// `catalog` is NULL or live, `database` NULL or NUL-terminated.
#[no_mangle]
pub unsafe extern "C" fn paimon_catalog_list_tables(
    catalog: *const paimon_catalog,
    database: *const c_char,
) -> paimon_result_bytes {
    paimon_result_bytes::from(guard(|| {
        // SAFETY: as the caller promises.
        let (catalog, database) = unsafe { (borrow(catalog, "the catalog")?, text(database, "the database name")?) };
        check_name("the database name", database)?;
        let mut names = catalog.hold.run(catalog.catalog.list_tables(database))??;
        names.sort();
        json(&names)
    }))
}

/// Creates a table from a schema in Paimon's JSON (`fields`, `partitionKeys`, `primaryKeys`, `options`, `comment`). The
/// ids of the fields are kept, so they must differ. When the table exists, this is PAIMON_CODE_TABLE_ALREADY_EXIST or, if
/// `ignore_if_exists`, nothing happens.
///
/// # Safety
/// `catalog` and `identifier` are NULL or live, `schema` is NULL or NUL-terminated.
#[no_mangle]
pub unsafe extern "C" fn paimon_catalog_create_table(
    catalog: *const paimon_catalog,
    identifier: *const paimon_identifier,
    schema: *const c_char,
    ignore_if_exists: bool,
) -> *mut paimon_error {
    guard_void(|| {
        // SAFETY: as the caller promises.
        let (catalog, identifier, schema) = unsafe {
            (
                borrow(catalog, "the catalog")?,
                borrow(identifier, "the identifier")?,
                text(schema, "the schema")?,
            )
        };
        let parsed = identifier.identifier.parsed_object_name()?;
        if parsed.branch().is_some() || parsed.system_table().is_some() {
            return Err(Failure::invalid(
                "a table's name cannot contain '$', which sets off branches and system tables",
            ));
        }
        let schema = validated(schema)?;
        if let Some(path) = schema.options().get("path").filter(|_| !catalog.served) {
            return Err(Failure::new(
                PAIMON_CODE_UNSUPPORTED,
                format!("option path = {path}: a table of this catalog lies in the folder of its database"),
            ));
        }
        let _turn = catalog.turn()?;
        catalog.hold.change(async {
            let created = catalog.catalog.create_table(&identifier.identifier, schema, ignore_if_exists);
            match created.await {
                Err(error @ Error::TableNotExist { .. }) => Err(catalog.missing(&identifier.identifier, error).await),
                other => Ok(other?),
            }
        })?
    })
}

/// The engine checks a schema when it builds one, not when it decodes one: a copy is built, and so checked.
fn validated(schema: &str) -> Result<Schema> {
    let schema: Schema =
        serde_json::from_str(schema).map_err(|error| Failure::invalid(format!("the schema is not Paimon's JSON: {error}")))?;
    if schema.fields().is_empty() {
        return Err(Failure::invalid("the schema has no fields"));
    }
    for (key, value) in schema.options() {
        check_option(key, value)?;
    }
    check_new(&schema)?;
    let schema = schema.copy(schema.row_type())?;
    let bucket = CoreOptions::new(schema.options()).bucket();
    check_key(schema.primary_keys(), schema.partition_keys(), bucket)?;
    Ok(schema)
}

/// Drops a table and its data. A missing one is PAIMON_CODE_TABLE_NOT_EXIST unless `ignore_if_not_exists`.
///
/// # Safety
/// `catalog` and `identifier` are NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_catalog_drop_table(
    catalog: *const paimon_catalog,
    identifier: *const paimon_identifier,
    ignore_if_not_exists: bool,
) -> *mut paimon_error {
    guard_void(|| {
        // SAFETY: as the caller promises.
        let (catalog, identifier) = unsafe { (borrow(catalog, "the catalog")?, borrow(identifier, "the identifier")?) };
        plain(&identifier.identifier)?;
        let _turn = catalog.turn()?;
        catalog.hold.change(async {
            let dropped = catalog.catalog.drop_table(&identifier.identifier, ignore_if_not_exists);
            match dropped.await {
                Err(error @ Error::TableNotExist { .. }) => Err(catalog.missing(&identifier.identifier, error).await),
                other => Ok(other?),
            }
        })?
    })
}

/// Opens a table, one of its branches (`t$branch_b`), or one of its system tables (`t$snapshots`, `t$branch_b$tags`). A missing one is
/// PAIMON_CODE_TABLE_NOT_EXIST, PAIMON_CODE_DATABASE_NOT_EXIST when its database is missing, or PAIMON_CODE_BRANCH_NOT_EXIST; a
/// system table that this library does not have is PAIMON_CODE_UNSUPPORTED.
///
/// The rows of a system table are those of the moment at which its read builder is made, so take scan and read from one builder.
///
/// On success the caller owns the table, which stays valid after the catalog is freed, and gives it to `paimon_table_free`.
///
/// # Safety
/// `catalog` and `identifier` are NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_catalog_get_table(
    catalog: *const paimon_catalog,
    identifier: *const paimon_identifier,
) -> paimon_result<paimon_table> {
    paimon_result::from(guard(|| {
        // SAFETY: as the caller promises.
        let (catalog, identifier) = unsafe { (borrow(catalog, "the catalog")?, borrow(identifier, "the identifier")?) };
        let parsed = identifier.identifier.parsed_object_name()?;
        catalog.hold.run(async {
            let table = catalog.open(&identifier.identifier).await?;
            match parsed.system_table() {
                None => Ok(paimon_table::new(table, catalog.hold.clone(), catalog.memory)),
                Some(name) => {
                    let system = System::new(catalog, &identifier.identifier, table, name)?;
                    paimon_table::of_system(system, catalog.hold.clone()).await
                }
            }
        })?
    }))
}

/// Renames a table, within its database or into another. A missing one is PAIMON_CODE_TABLE_NOT_EXIST unless
/// `ignore_if_not_exists`; a name that is taken is PAIMON_CODE_TABLE_ALREADY_EXIST, a missing database PAIMON_CODE_DATABASE_NOT_EXIST.
/// Tables that are open under the old name lose their files.
///
/// # Safety
/// `catalog`, `from` and `to` are NULL or live.
#[no_mangle]
pub unsafe extern "C" fn paimon_catalog_rename_table(
    catalog: *const paimon_catalog,
    from: *const paimon_identifier,
    to: *const paimon_identifier,
    ignore_if_not_exists: bool,
) -> *mut paimon_error {
    guard_void(|| {
        // SAFETY: as the caller promises.
        let (catalog, from, to) = unsafe {
            (
                borrow(catalog, "the catalog")?,
                borrow(from, "the identifier")?,
                borrow(to, "the new identifier")?,
            )
        };
        plain(&from.identifier)?;
        plain(&to.identifier)?;
        let _turn = catalog.turn()?;
        catalog.hold.change(async {
            catalog.catalog.get_database(to.identifier.database()).await?;
            let renamed = catalog
                .catalog
                .rename_table(&from.identifier, &to.identifier, ignore_if_not_exists);
            Ok(renamed.await?)
        })?
    })
}

/// Checks a name that becomes a folder's, or a part of the address at which a server is asked. The engine's catalogs differ in what they
/// let pass: behind a REST server ".." would be another object's address.
pub fn check_name(what: &str, name: &str) -> Result<()> {
    let why = if name.trim().is_empty() {
        "is empty"
    } else if matches!(name, "." | "..") {
        "is a step in a path"
    } else if name.contains(['/', '\\']) {
        "contains a path separator"
    } else if name.chars().any(char::is_control) {
        "contains a control character"
    } else {
        return Ok(());
    };
    Err(Failure::invalid(format!("{what} {name:?} {why}")))
}

/// Refuses a name with a branch or a system table in it, for what can be done to tables only.
pub fn plain(identifier: &Identifier) -> Result<()> {
    let parsed = identifier.parsed_object_name()?;
    if parsed.branch().is_some() || parsed.system_table().is_some() {
        return Err(Failure::new(
            PAIMON_CODE_UNSUPPORTED,
            format!(
                "'{}' is a branch or a system table; name the table itself",
                identifier.full_name()
            ),
        ));
    }
    Ok(())
}

impl paimon_catalog {
    /// Waits until no other change of databases, tables, tags and branches is under way in this process: on a filesystem the engine
    /// looks whether something is there and then writes, over what came meanwhile.
    pub fn turn(&self) -> Result<Option<MutexGuard<'static, ()>>> {
        if self.served {
            return Ok(None);
        }
        self.hold.run(CHANGING.lock()).map(Some)
    }

    /// Opens the table of a name, or its branch, leaving a system table in it aside.
    pub async fn open(&self, identifier: &Identifier) -> Result<Table> {
        let parsed = identifier.parsed_object_name()?;
        let name = Identifier::new(identifier.database(), parsed.table());
        let mut tries = 0;
        let table = loop {
            match self.catalog.get_table(&name).await {
                Err(error @ Error::TableNotExist { .. }) => return Err(self.missing(&name, error).await),
                // The engine writes schema files in place: another process may be at it.
                Err(Error::DataInvalid { message, .. }) if message.contains("EOF while parsing") && tries < 10 => {
                    tries += 1;
                    tokio::time::sleep(Duration::from_millis(10 * tries)).await;
                }
                Err(error @ Error::DataInvalid { .. }) => {
                    return Err(Failure::reading(error, format!("the schema of {}", name.full_name())))
                }
                other => break other?,
            }
        };
        check_bundle(table.location())?;
        let Some(branch) = parsed.branch() else {
            if let Some(branch) = table
                .schema()
                .options()
                .get("branch")
                .filter(|branch| *branch != DEFAULT_MAIN_BRANCH)
            {
                return Err(Failure::new(
                    PAIMON_CODE_UNSUPPORTED,
                    format!(
                        "the table's option branch is {branch}, which is not looked at here; open it as {}$branch_{branch}",
                        name.full_name()
                    ),
                ));
            }
            return Ok(table);
        };
        // A REST catalog knows its branches; elsewhere they are folders.
        if table.rest_env().is_none() && branch != DEFAULT_MAIN_BRANCH {
            branches(&table)?.require(branch).await?;
        }
        table.copy_with_branch(branch).await.map_err(|error| match error {
            // A folder without a schema, half made or half dropped, is no branch.
            Error::DataInvalid { message, .. } if message.ends_with("does not exist.") => {
                Failure::new(PAIMON_CODE_BRANCH_NOT_EXIST, message)
            }
            other => other.into(),
        })
    }

    /// Says what is missing, the table or its database: the engine does not look, and the way out differs.
    pub async fn missing(&self, name: &Identifier, error: Error) -> Failure {
        let database = self.catalog.get_database(name.database()).await;
        let mut failure = match database {
            Err(missing @ Error::DatabaseNotExist { .. }) => Failure::from(missing),
            _ => Failure::from(error),
        };
        failure.message = if failure.code == PAIMON_CODE_DATABASE_NOT_EXIST {
            format!(
                "there is no database '{}' in the warehouse {}",
                name.database(),
                self.warehouse
            )
        } else {
            format!("{} is not in the warehouse {}", name.full_name(), self.warehouse)
        };
        failure
    }
}
