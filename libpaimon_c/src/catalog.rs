// SPDX-License-Identifier: Apache-2.0

//! Catalog and identifier: databases and tables by name.

use std::collections::HashMap;
use std::ffi::c_char;
use std::sync::Arc;

use paimon::catalog::Identifier;
use paimon::spec::Schema;
use paimon::{Catalog, CatalogFactory, Error, Options};

use crate::error::{borrow, guard, guard_void, paimon_error, slice, text, Failure, Result};
use crate::handle;
use crate::runtime::Hold;
use crate::supported::check_new;
use crate::table::paimon_table;
use crate::types::{json, paimon_option, paimon_result, paimon_result_bytes};

/// An open catalog. Safe for concurrent use.
pub struct paimon_catalog {
    catalog: Arc<dyn Catalog>,
    hold: Hold,
}

/// The name of a table: a database and an object in it. Immutable, safe for concurrent use.
pub struct paimon_identifier {
    pub(crate) identifier: Identifier,
}

unsafe fn options_of(options: *const paimon_option, len: usize) -> Result<HashMap<String, String>> {
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
/// created, and a filesystem catalog is not contacted before the first call that needs it.
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
        let catalog = hold.run(CatalogFactory::create(Options::from_map(options)))?;
        Ok(paimon_catalog { catalog, hold })
    }))
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

/// Names a table: a database, and an object in it. The names are checked where they are used.
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
        let mut names = catalog.hold.run(catalog.catalog.list_databases())?;
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
        Ok(catalog
            .hold
            .run(catalog.catalog.create_database(name, ignore_if_exists, properties))?)
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
        Ok(catalog
            .hold
            .run(catalog.catalog.drop_database(name, ignore_if_not_exists, cascade))?)
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
        let mut names = catalog.hold.run(catalog.catalog.list_tables(database))?;
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
        Ok(catalog
            .hold
            .run(catalog.catalog.create_table(&identifier.identifier, schema, ignore_if_exists))?)
    })
}

/// The engine checks a schema when it builds one, not when it decodes one: a copy is built, and so checked.
fn validated(schema: &str) -> Result<Schema> {
    let schema: Schema =
        serde_json::from_str(schema).map_err(|error| Failure::invalid(format!("the schema is not Paimon's JSON: {error}")))?;
    if schema.fields().is_empty() {
        return Err(Failure::invalid("the schema has no fields"));
    }
    check_new(&schema)?;
    Ok(schema.copy(schema.row_type())?)
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
        Ok(catalog
            .hold
            .run(catalog.catalog.drop_table(&identifier.identifier, ignore_if_not_exists))?)
    })
}

/// Opens a table. A missing one is PAIMON_CODE_TABLE_NOT_EXIST, or PAIMON_CODE_DATABASE_NOT_EXIST when its database is missing.
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
        let name = &identifier.identifier;
        let table = catalog.hold.run(async {
            match catalog.catalog.get_table(name).await {
                // The engine does not look whether the database is there; the way out differs, so find out.
                Err(Error::TableNotExist { full_name }) => match catalog.catalog.get_database(name.database()).await {
                    Err(missing @ Error::DatabaseNotExist { .. }) => Err(missing),
                    _ => Err(Error::TableNotExist { full_name }),
                },
                other => other,
            }
        })?;
        Ok(paimon_table::new(table, catalog.hold.clone()))
    }))
}
