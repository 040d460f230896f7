// SPDX-License-Identifier: Apache-2.0

//! What the engine cannot write, or not so that it can be read: refused before there is a file. docs/types.md has the whole table.

use paimon::spec::{CoreOptions, DataField, DataType as Type, TableSchema};

use crate::error::{Failure, Result, PAIMON_CODE_UNSUPPORTED};

fn unsupported(message: String) -> Failure {
    Failure::new(PAIMON_CODE_UNSUPPORTED, message)
}

/// A type as people write it.
pub fn sql(data_type: &Type) -> String {
    data_type.to_string().replace("VARBINARY(2147483647)", "BYTES")
}

/// Refuses a table that cannot be written in its file format.
pub fn check_format(schema: &TableSchema) -> Result<()> {
    let options = CoreOptions::new(schema.options());
    let format = options.file_format();
    let parquet = "alter the table to 'file.format' = 'parquet'";
    let refusal: fn(&Type) -> Option<&'static str> = match format.as_str() {
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
    check_fields("", schema.fields(), &format, refusal)
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

/// Refuses partition keys of types that the engine makes no folders of, which it finds at the first write only.
pub fn check_partition_keys(fields: &[DataField], keys: &[String]) -> Result<()> {
    for field in fields.iter().filter(|field| keys.iter().any(|key| key == field.name())) {
        if matches!(
            field.data_type(),
            Type::Float(_) | Type::Double(_) | Type::Binary(_) | Type::VarBinary(_)
        ) {
            return Err(unsupported(format!(
                "column '{}' is {}, which cannot be a partition key; partition by a text, an integer or a date",
                field.name(),
                sql(field.data_type())
            )));
        }
    }
    Ok(())
}
