// SPDX-License-Identifier: Apache-2.0

//! Changes of a table's schema.

use std::ffi::c_char;

use paimon::catalog::Identifier;
use paimon::spec::{DataType, SchemaChange};
use paimon::Error;

use crate::catalog::{paimon_catalog, paimon_identifier, plain};
use crate::error::{
    borrow, guard_void, paimon_error, text, Failure, Result, PAIMON_CODE_DATABASE_NOT_EXIST, PAIMON_CODE_TABLE_NOT_EXIST,
    PAIMON_CODE_UNSUPPORTED,
};
use crate::supported::check_key;
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
        let _turn = catalog.turn()?;
        catalog.hold.change(async {
            check(catalog, &identifier.identifier, &changes).await?;
            let altered = catalog
                .catalog
                .alter_table(&identifier.identifier, changes, ignore_if_not_exists);
            match altered.await {
                Err(error @ Error::TableNotExist { .. }) => Err(catalog.missing(&identifier.identifier, error).await),
                other => Ok(other?),
            }
        })?
    })
}

/// Refuses options that the engine would overlook, in a table that is made or written.
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
        "scan.fallback-branch" | "scan.file-creation-time-millis" => refused("reads here do not look at it"),
        _ if key.starts_with("incremental-between") => refused("reads here do not look at it"),
        "data-file.path-directory" if !is_within(value) => Err(Failure::invalid(format!(
            "option {key} = {value}: it is a folder within the table's; for files elsewhere there is data-file.external-paths"
        ))),
        "data-file.prefix" | "changelog-file.prefix" if value.contains(['/', '\\']) => Err(Failure::invalid(format!(
            "option {key} = {value}: it is the beginning of a file's name, which has no path separators"
        ))),
        "branch" => refused("it is not looked at here; open the table under the name table$branch_name"),
        _ => Ok(()),
    }
}

/// Whether a path stays in the folder that it starts from.
fn is_within(path: &str) -> bool {
    !path.starts_with('/') && !path.contains([':', '\\']) && path.split('/').all(|step| step != "..")
}

/// The options that say where the rows of a table are and how they are merged, with what holds where they are not set: rows that are
/// there follow the old ones.
const SETTLED: [(&str, &str); 13] = [
    ("bucket", "-1"),
    ("bucket-function.type", "default"),
    ("bucket-key", ""),
    ("data-evolution.enabled", "false"),
    ("deletion-vectors.enabled", "false"),
    ("ignore-delete", "false"),
    ("merge-engine", "deduplicate"),
    ("partition", ""),
    ("primary-key", ""),
    ("row-tracking.enabled", "false"),
    ("rowkind.field", ""),
    ("sequence.field", ""),
    ("sequence.field.sort-order", "ascending"),
];

/// Refuses changes after which rows that are there would be read otherwise here than by Paimon Java, or wrongly.
async fn check(catalog: &paimon_catalog, identifier: &Identifier, changes: &[SchemaChange]) -> Result<()> {
    // That it is missing, and what is wrong with other changes, is the engine's to say.
    let table = match catalog.open(identifier).await {
        Err(failure) if matches!(failure.code, PAIMON_CODE_TABLE_NOT_EXIST | PAIMON_CODE_DATABASE_NOT_EXIST) => return Ok(()),
        other => other?,
    };
    for change in changes {
        let (key, new) = match change {
            SchemaChange::SetOption { key, value } => {
                check_option(key, value)?;
                if let ("bucket", Ok(bucket)) = (key.as_str(), value.parse()) {
                    check_key(table.schema().primary_keys(), table.schema().partition_keys(), bucket)?;
                }
                (key, Some(value))
            }
            SchemaChange::RemoveOption { key } => (key, None),
            _ => continue,
        };
        let settled = SETTLED.iter().find(|(settled, _)| settled == key);
        let field = key.strip_prefix("fields.").unwrap_or_default();
        let of = field
            .strip_suffix(".aggregate-function")
            .or_else(|| field.strip_suffix(".sequence-group"));
        let added = |column: &str| {
            changes.iter().any(|change| {
                matches!(change, SchemaChange::AddColumn { field_names, .. } if field_names.len() == 1 && field_names[0] == column)
            })
        };
        // A column that comes with the same call has no old values.
        let merging = of.is_some_and(|columns| !columns.split(',').all(|column| added(column.trim())))
            || field == "default-aggregate-function";
        let unless_set = settled.map_or("", |(_, value)| *value);
        let old = table.schema().options().get(key).map_or(unless_set, String::as_str);
        let changes = old != new.map_or(unless_set, String::as_str);
        if (settled.is_some() || merging) && changes && latest(&table).await?.is_some() {
            return Err(Failure::new(
                PAIMON_CODE_UNSUPPORTED,
                format!(
                    "option {key} cannot change once the table has rows, which follow the old one, save for a column that the same \
                     call adds; make a new table with it, and write the rows there"
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
            if let Some(field) = field.filter(|field| !agrees(field.data_type(), new_data_type)) {
                return Err(Failure::new(
                    PAIMON_CODE_UNSUPPORTED,
                    format!(
                        "column '{}' cannot change from {} to {new_data_type}: old values would be read otherwise here than by other \
                         engines; add a column of the new type instead",
                        field.name(),
                        field.data_type(),
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

/// Whether old values are read under the new type as Paimon Java reads them. What is not listed here is not: numbers that do not fit
/// become NULL where Java wraps them around, text is not cut, moments are counted and written out otherwise.
fn agrees(old: &DataType, new: &DataType) -> bool {
    use DataType::*;
    // How many bytes, and how many digits at most.
    let integer = |data_type: &DataType| match data_type {
        TinyInt(_) => Some((1, 3)),
        SmallInt(_) => Some((2, 5)),
        Int(_) => Some((4, 10)),
        BigInt(_) => Some((8, 19)),
        _ => None,
    };
    let precision = |data_type: &DataType| match data_type {
        Timestamp(of) => of.precision(),
        LocalZonedTimestamp(of) => of.precision(),
        _ => 0,
    };
    let length = |data_type: &DataType| match data_type {
        Char(of) => of.length(),
        VarChar(of) => of.length() as usize,
        Binary(of) => of.length(),
        VarBinary(of) => of.length() as usize,
        _ => 0,
    };
    let whole = |data_type: &DataType| length(data_type) == i32::MAX as usize;
    let inside = |old: &DataType, new: &DataType| agrees(old, new) && (!old.is_nullable() || new.is_nullable());
    match (old, new) {
        // The fields of a ROW are known by numbers, which a type that is written down does not have.
        (Row(_), Row(_)) => false,
        (Array(from), Array(to)) => inside(from.element_type(), to.element_type()),
        (Map(from), Map(to)) => inside(from.key_type(), to.key_type()) && inside(from.value_type(), to.value_type()),
        _ if old.equals_ignore_nullable(new) => true,
        (TinyInt(_) | SmallInt(_) | Int(_) | BigInt(_), TinyInt(_) | SmallInt(_) | Int(_) | BigInt(_)) => {
            integer(old) < integer(new)
        }
        (TinyInt(_) | SmallInt(_) | Int(_) | BigInt(_), Float(_) | Double(_) | Boolean(_)) => true,
        (TinyInt(_) | SmallInt(_) | Int(_) | BigInt(_), Decimal(to)) => {
            integer(old).is_some_and(|(_, digits)| to.precision() >= to.scale() + digits)
        }
        (Boolean(_), TinyInt(_) | SmallInt(_) | Int(_) | BigInt(_) | Float(_) | Double(_)) => true,
        (Float(_), Double(_) | Decimal(_)) | (Double(_), Float(_) | Decimal(_)) => true,
        (Decimal(_), Decimal(_) | Float(_) | Double(_)) => true,
        (Decimal(from), TinyInt(_) | SmallInt(_) | Int(_) | BigInt(_)) => {
            integer(new).is_some_and(|(_, digits)| from.precision() - from.scale() < digits)
        }
        (Char(_) | VarChar(_), VarChar(_)) | (Binary(_) | VarBinary(_), VarBinary(_)) => length(old) <= length(new),
        (Char(_) | VarChar(_), VarBinary(_)) => whole(new),
        (Date(_), Timestamp(_)) => precision(new) <= 6,
        (Timestamp(_), Date(_)) => true,
        (Timestamp(_), Timestamp(_)) | (LocalZonedTimestamp(_), LocalZonedTimestamp(_)) => {
            precision(old) <= precision(new) && precision(new) <= 6
        }
        (TinyInt(_) | SmallInt(_) | Int(_) | BigInt(_) | Boolean(_) | Decimal(_) | Date(_), VarChar(_)) => whole(new),
        (Array(from), VarChar(_)) => whole(new) && agrees(from.element_type(), new),
        _ => false,
    }
}
