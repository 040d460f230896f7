// SPDX-License-Identifier: Apache-2.0

//! What the engine cannot write, or not so that it can be read: refused before there is a file. docs/types.md has the whole table.

use paimon::spec::{CoreOptions, DataField, DataType as Type, Schema, TableSchema};

use crate::error::{Failure, Result, PAIMON_CODE_UNSUPPORTED};

fn unsupported(message: String) -> Failure {
    Failure::new(PAIMON_CODE_UNSUPPORTED, message)
}

/// A type as people write it.
pub fn sql(data_type: &Type) -> String {
    data_type.to_string().replace("VARBINARY(2147483647)", "BYTES")
}

/// Refuses a table that cannot be written in its file format, or in that of its changelog.
pub fn check_format(schema: &TableSchema) -> Result<()> {
    check_one(schema, &CoreOptions::new(schema.options()).file_format())?;
    // The engine has no formats per level, but one for the changelog.
    let options = schema.options();
    let producer = options.get("changelog-producer").map_or("none", String::as_str);
    match options.get("changelog-file.format") {
        Some(format) if !producer.eq_ignore_ascii_case("none") => {
            check_one(schema, &format.to_ascii_lowercase()).map_err(|failure| {
                Failure::new(
                    failure.code,
                    format!("option changelog-file.format is {format}: {}", failure.message),
                )
            })
        }
        _ => Ok(()),
    }
}

fn check_one(schema: &TableSchema, format: &str) -> Result<()> {
    let options = CoreOptions::new(schema.options());
    let parquet = "alter the table to 'file.format' = 'parquet'";
    let refusal: fn(&Type) -> Option<&'static str> = match format {
        "parquet" => {
            |data_type| fine_timestamp(data_type).then_some("Paimon Java would misread it; use a precision of 6 at most")
        }
        "avro" => |data_type| match data_type {
            _ if fine_timestamp(data_type) => Some("use a precision of 6 at most"),
            Type::Time(time) if time.precision() > 3 => Some("use TIME(3), which keeps as much"),
            Type::Variant(_) => Some("alter the table to 'file.format' = 'parquet'"),
            _ => None,
        },
        "orc"
            if !matches!(
                options.file_compression().to_ascii_lowercase().as_str(),
                "" | "none" | "uncompressed"
            ) =>
        {
            return Err(unsupported(format!(
                "ORC files cannot be written with the compression '{}': alter the table to 'file.compression' = 'none', or {parquet}",
                options.file_compression()
            )));
        }
        "orc" => |data_type| match data_type {
            Type::Boolean(_) | Type::TinyInt(_) | Type::SmallInt(_) | Type::Int(_) | Type::BigInt(_) => None,
            Type::Float(_) | Type::Double(_) | Type::Char(_) | Type::VarChar(_) => None,
            Type::Binary(_) | Type::VarBinary(_) | Type::Blob(_) => None,
            _ => Some("alter the table to 'file.format' = 'parquet'"),
        },
        "row" if !schema.primary_keys().is_empty() => {
            return Err(unsupported(format!(
                "tables with a primary key cannot be written in the format 'row': {parquet}"
            )));
        }
        "row" => |data_type| match data_type {
            Type::Vector(vector) if vector.element_type().is_nullable() => Some("make its elements NOT NULL"),
            _ => None,
        },
        "mosaic" => |data_type| match data_type {
            Type::Row(_) | Type::Multiset(_) | Type::Variant(_) | Type::Blob(_) | Type::Vector(_) => {
                Some("alter the table to 'file.format' = 'parquet'")
            }
            _ => None,
        },
        _ => {
            return Err(unsupported(format!(
                "tables cannot be written in the format '{format}': {parquet}"
            )));
        }
    };
    if format == "orc" {
        let keys = schema.primary_keys();
        let is_char =
            |field: &&DataField| keys.iter().any(|key| key == field.name()) && matches!(field.data_type(), Type::Char(_));
        if let Some(field) = schema.fields().iter().find(is_char) {
            return Err(unsupported(format!(
                "column '{}' is {} and in the primary key, which Paimon Java fills up with blanks in ORC files, so that its rows would not be \
                 replaced; {parquet}",
                field.name(),
                sql(field.data_type())
            )));
        }
    }
    check_fields("", schema.fields(), format, refusal)
}

fn check_fields(path: &str, fields: &[DataField], format: &str, refusal: fn(&Type) -> Option<&'static str>) -> Result<()> {
    for field in fields {
        let path = format!("{path}{}", field.name());
        let plain =
            |(index, byte): (usize, u8)| byte == b'_' || byte.is_ascii_alphabetic() || (index > 0 && byte.is_ascii_digit());
        if format == "avro" && !field.name().bytes().enumerate().all(plain) {
            return Err(unsupported(format!(
                "column '{path}' cannot be written to avro files, where names have no other characters than letters, digits and _; \
                 alter the table to 'file.format' = 'parquet'"
            )));
        }
        check_type(&path, field.data_type(), format, refusal)?;
    }
    Ok(())
}

fn fine_timestamp(data_type: &Type) -> bool {
    match data_type {
        Type::Timestamp(timestamp) => timestamp.precision() > 6,
        Type::LocalZonedTimestamp(timestamp) => timestamp.precision() > 6,
        _ => false,
    }
}

fn check_type(path: &str, data_type: &Type, format: &str, refusal: fn(&Type) -> Option<&'static str>) -> Result<()> {
    if let Some(why) = refusal(data_type) {
        return Err(unsupported(format!(
            "column '{path}' is {}, which cannot be written to {format} files: {why}",
            sql(data_type)
        )));
    }
    let below = |name: &str, data_type: &Type| check_type(&format!("{path}.{name}"), data_type, format, refusal);
    match data_type {
        Type::Array(list) => below("element", list.element_type()),
        Type::Vector(vector) => below("element", vector.element_type()),
        Type::Multiset(set) => below("element", set.element_type()),
        Type::Map(map) => {
            below("key", map.key_type())?;
            below("value", map.value_type())
        }
        Type::Row(row) => check_fields(&format!("{path}."), row.fields(), format, refusal),
        _ => Ok(()),
    }
}

/// Refuses a new table that nobody could write, in ways that the engine finds at the first write only, or says in its own terms.
pub fn check_new(schema: &Schema) -> Result<()> {
    let options = CoreOptions::new(schema.options());
    for field in schema.fields() {
        let (name, data_type) = (field.name(), field.data_type());
        let no_folder = matches!(
            data_type,
            Type::Float(_) | Type::Double(_) | Type::Binary(_) | Type::VarBinary(_)
        );
        if no_folder && schema.partition_keys().iter().any(|key| key == name) {
            return Err(unsupported(format!(
                "column '{name}' is {}, which cannot be a partition key; partition by a text, an integer or a date",
                sql(data_type)
            )));
        }
        if let Some(path) = deep_blob(name, data_type, 0) {
            return Err(unsupported(format!(
                "column '{path}' is BLOB, which can be a column, or the elements or values of an ARRAY or MAP that is one"
            )));
        }
        if data_type.to_string().contains("BLOB") && schema.primary_keys().is_empty() && !options.data_evolution_enabled() {
            return Err(Failure::invalid(format!(
                "column '{name}' is {}: a table without a primary key needs the options 'row-tracking.enabled' = 'true' and \
                 'data-evolution.enabled' = 'true' for it",
                sql(data_type)
            )));
        }
    }
    Ok(())
}

/// Refuses a primary key that fixed buckets do not keep unique: each partition has its own.
pub fn check_key(primary_keys: &[String], partition_keys: &[String], bucket: i32) -> Result<()> {
    let missing = partition_keys.iter().find(|key| !primary_keys.contains(key));
    match missing.filter(|_| bucket >= 1 && !primary_keys.is_empty()) {
        Some(column) => Err(Failure::invalid(format!(
            "primary key [{}] lacks the partition column {column}: with a fixed bucket a key is unique only within its partition; add \
             {column} to the key, or leave \"bucket\" unset",
            primary_keys.join(", ")
        ))),
        None => Ok(()),
    }
}

/// The path to a BLOB that lies where the engine has none.
fn deep_blob(path: &str, data_type: &Type, depth: usize) -> Option<String> {
    let below = |name: &str, data_type: &Type, depth| deep_blob(&format!("{path}.{name}"), data_type, depth);
    match data_type {
        Type::Blob(_) => (depth > 1).then(|| path.to_string()),
        Type::Array(list) => below("element", list.element_type(), depth + 1),
        Type::Vector(vector) => below("element", vector.element_type(), 2),
        Type::Multiset(set) => below("element", set.element_type(), 2),
        Type::Map(map) => below("key", map.key_type(), 2).or_else(|| below("value", map.value_type(), depth + 1)),
        Type::Row(row) => row
            .fields()
            .iter()
            .find_map(|field| below(field.name(), field.data_type(), 2)),
        _ => None,
    }
}
