// SPDX-License-Identifier: Apache-2.0

//! Changes of a table's schema.

use std::ffi::c_char;
use std::sync::{Mutex, PoisonError};

use paimon::catalog::Identifier;
use paimon::spec::{DataType, SchemaChange};
use paimon::Error;

use crate::catalog::{paimon_catalog, paimon_identifier, plain};
use crate::error::{borrow, guard_void, paimon_error, text, Failure, Result, PAIMON_CODE_UNSUPPORTED};
use crate::table::latest;

/// Changes a table's schema: `changes` is a JSON array of Java's SchemaChange objects (`{"action": "setOption", "key": ...}`), applied
/// in order, all or none. A missing table is PAIMON_CODE_TABLE_NOT_EXIST unless `ignore_if_not_exists`; a missing column is
/// PAIMON_CODE_COLUMN_NOT_EXIST, one that is there already PAIMON_CODE_COLUMN_ALREADY_EXIST, a change that the engine does not make, or
/// after which it would read other values than Java, PAIMON_CODE_UNSUPPORTED or PAIMON_CODE_INVALID_INPUT. Tables that are open keep the schema they were opened with.
///
/// # Safety
/// `catalog` and `identifier` are NULL or live, `changes` is NULL or NUL-terminated.
#[no_mangle]
pub unsafe extern "C" fn paimon_catalog_alter_table(
    catalog: *const paimon_catalog,
    identifier: *const paimon_identifier,
    changes: *const c_char,
    ignore_if_not_exists: bool,
) -> *mut paimon_error {
    guard_void(|| {
        // SAFETY: as the caller promises.
        let (catalog, identifier, changes) = unsafe {
            (
                borrow(catalog, "the catalog")?,
                borrow(identifier, "the identifier")?,
                text(changes, "the changes")?,
            )
        };
        plain(&identifier.identifier)?;
        let changes: Vec<SchemaChange> = serde_json::from_str(changes)
            .map_err(|error| Failure::invalid(format!("the changes are not an array of Paimon's schema changes: {error}")))?;
        // The engine writes the next schema file over whatever another change wrote meanwhile: let those of this process queue.
        let _turn = ALTERING.lock().unwrap_or_else(PoisonError::into_inner);
        catalog.hold.run(async {
            check(catalog, &identifier.identifier, &changes).await?;
            let altered = catalog
                .catalog
                .alter_table(&identifier.identifier, changes, ignore_if_not_exists);
            match altered.await {
                Err(error @ Error::TableNotExist { .. }) => Err(catalog.missing(&identifier.identifier, error).await),
                other => Ok(other?),
            }
        })
    })
}

static ALTERING: Mutex<()> = Mutex::new(());

/// Refuses options that the engine would overlook.
pub fn check_option(key: &str, value: &str) -> Result<()> {
    let refused = |why: &str| {
        Err(Failure::new(
            PAIMON_CODE_UNSUPPORTED,
            format!("option {key} = {value}: {why}"),
        ))
    };
    match key {
        "manifest.format" if !value.eq_ignore_ascii_case("avro") => {
            refused("manifests are written as avro whatever it says, and other engines could not read the table")
        }
        "branch" => refused("it is not looked at here; open the table under the name table$branch_name"),
        _ => Ok(()),
    }
}

/// The options that say where the rows of a table are, and how they are merged: rows that are there follow the old ones.
const SETTLED: [&str; 11] = [
    "bucket",
    "bucket-key",
    "bucket-function.type",
    "data-evolution.enabled",
    "deletion-vectors.enabled",
    "merge-engine",
    "partition",
    "primary-key",
    "row-tracking.enabled",
    "rowkind.field",
    "sequence.field",
];

/// Refuses changes after which rows that are there would be read otherwise here than by Paimon Java, or wrongly.
async fn check(catalog: &paimon_catalog, identifier: &Identifier, changes: &[SchemaChange]) -> Result<()> {
    // What is wrong with the table or with other changes is the engine's to say.
    let Ok(table) = catalog.catalog.get_table(identifier).await else {
        return Ok(());
    };
    for change in changes {
        let (key, new) = match change {
            SchemaChange::SetOption { key, value } => {
                check_option(key, value)?;
                (key, Some(value))
            }
            SchemaChange::RemoveOption { key } => (key, None),
            _ => continue,
        };
        if SETTLED.contains(&key.as_str()) && table.schema().options().get(key) != new && latest(&table).await?.is_some() {
            return Err(Failure::new(
                PAIMON_CODE_UNSUPPORTED,
                format!(
                    "option {key} cannot change once the table has rows, which follow the old one; make a new table with it, and \
                     write the rows there"
                ),
            ));
        }
    }
    if !changes
        .iter()
        .any(|change| matches!(change, SchemaChange::UpdateColumnType { .. }))
    {
        return Ok(());
    }
    let mut schema = table.schema().clone();
    for change in changes {
        if let SchemaChange::UpdateColumnType {
            field_names,
            new_data_type,
            ..
        } = change
        {
            let field = schema
                .fields()
                .iter()
                .find(|field| field_names.len() == 1 && field.name() == field_names[0]);
            if let Some((field, why)) = field.and_then(|field| Some((field, differs(field.data_type(), new_data_type)?))) {
                return Err(Failure::new(
                    PAIMON_CODE_UNSUPPORTED,
                    format!(
                        "column '{}' cannot change from {} to {}: {why}; add a column of the new type instead",
                        field.name(),
                        field.data_type(),
                        new_data_type
                    ),
                ));
            }
        }
        match schema.apply_changes(vec![change.clone()]) {
            Ok(next) => schema = next,
            Err(_) => return Ok(()),
        }
    }
    Ok(())
}

/// Why old values would be read otherwise under the new type than Java reads them, if they would.
fn differs(old: &DataType, new: &DataType) -> Option<&'static str> {
    use DataType::*;
    let whole = |data_type: &DataType| match data_type {
        TinyInt(_) => Some(1),
        SmallInt(_) => Some(2),
        Int(_) => Some(4),
        BigInt(_) => Some(8),
        _ => None,
    };
    let length = |data_type: &DataType| match data_type {
        Char(of) => Some(of.length()),
        VarChar(of) => Some(of.length() as usize),
        Binary(of) => Some(of.length()),
        VarBinary(of) => Some(of.length() as usize),
        _ => None,
    };
    let precision = |data_type: &DataType| match data_type {
        Timestamp(of) => Some(of.precision()),
        LocalZonedTimestamp(of) => Some(of.precision()),
        _ => None,
    };
    let text = matches!(new, Char(_) | VarChar(_));
    match old {
        Timestamp(_) | LocalZonedTimestamp(_) if precision(new) < precision(old) && precision(new).is_some() => {
            Some("times before 1970 would be rounded otherwise than by other engines")
        }
        Timestamp(_) | LocalZonedTimestamp(_) | Time(_) | Float(_) | Double(_) if text => {
            Some("its values would be written out otherwise than by other engines")
        }
        Float(_) | Double(_) if whole(new).is_some() => {
            Some("values out of range would become NULL here and numbers in other engines")
        }
        _ if whole(new).is_some_and(|width| whole(old).is_some_and(|before| width < before)) => {
            Some("values out of range would become NULL here and other numbers in other engines")
        }
        _ if length(new).is_some_and(|limit| length(old).is_some_and(|before| limit < before)) => {
            Some("longer values would be cut in other engines and not here")
        }
        _ => None,
    }
}
