// SPDX-License-Identifier: Apache-2.0

//! Around two faults of the engine in reading Avro files, which make nulls of values.
//!
//! It looks up where the fields of a ROW are in the first of the ROWs that it decodes together, and takes all fields of all of them for
//! null when that first one is null. One row of the table at a time, a ROW is alone, and right; the ROWs in one list or map are still
//! together, so there the fault is looked for, and is an error.
//!
//! Where the schema of a file is a union of null and a record, as Paimon Java makes it for tables with BLOBs, it finds no column at all.
//! Such files are refused.

use std::collections::HashMap;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use arrow_select::concat::concat_batches;
use futures::{StreamExt, TryStreamExt};
use paimon::io::FileRead;
use paimon::spec::{CoreOptions, DataType as Type};
use paimon::table::ArrowRecordBatchStream;
use paimon::{DataSplit, Error, Table};

use crate::error::{Failure, PAIMON_CODE_UNSUPPORTED};
use crate::table::Shared;

/// How many rows are put together again.
const ROWS: usize = 1024;

fn holds_rows(data_type: &Type) -> bool {
    match data_type {
        Type::Row(_) => true,
        Type::Array(list) => holds_rows(list.element_type()),
        Type::Map(map) => holds_rows(map.key_type()) || holds_rows(map.value_type()),
        Type::Multiset(set) => holds_rows(set.element_type()),
        _ => false,
    }
}

/// The table to read these splits from: one that reads row by row if the fault may be met, and None if not.
pub fn row_by_row(shared: &Shared, splits: &[DataSplit]) -> Option<Table> {
    let fields = shared.table.schema().fields();
    let mut files = splits.iter().flat_map(DataSplit::data_files);
    if !fields.iter().any(|field| holds_rows(field.data_type())) || !files.any(|file| file.file_name.ends_with(".avro")) {
        return None;
    }
    let single = HashMap::from([("read.batch-size".into(), "1".into())]);
    Some(shared.table.copy_with_options(single))
}

/// Refuses files whose rows are unions. Only tables that can have BLOBs have such files.
pub fn refuse_unions(shared: &Shared, splits: &[DataSplit]) -> Result<(), Failure> {
    if !CoreOptions::new(shared.table.schema().options()).data_evolution_enabled() {
        return Ok(());
    }
    for split in splits {
        for file in split.data_files().iter().filter(|file| file.file_name.ends_with(".avro")) {
            let path = split.data_file_path(file);
            let head = shared.hold.run(async {
                let input = shared.table.file_io().new_input(&path)?;
                let end = HEAD.min(u64::try_from(file.file_size).unwrap_or_default());
                input.reader().await?.read(0..end).await
            })??;
            // The schema is JSON, behind its name and its length.
            let schema = head.windows(SCHEMA.len()).position(|bytes| bytes == SCHEMA);
            let first = schema.and_then(|at| {
                // The last byte of the length has no high bit.
                let mut rest = head[at + SCHEMA.len()..].iter().skip_while(|byte| **byte >= 0x80);
                rest.next();
                rest.next()
            });
            if first == Some(&b'[') {
                return Err(Failure::new(
                    PAIMON_CODE_UNSUPPORTED,
                    format!("the engine does not read Avro files of tables with BLOBs that another engine wrote: {path}; rewrite the table in Parquet"),
                ));
            }
        }
    }
    Ok(())
}

const SCHEMA: &[u8] = b"avro.schema";
const HEAD: u64 = 4096;

/// Puts single rows together, and fails where the fault shows.
pub fn gather(stream: ArrowRecordBatchStream) -> ArrowRecordBatchStream {
    stream
        .try_chunks(ROWS)
        .map(|chunk| {
            let batches = chunk.map_err(|error| error.1)?;
            let batch = concat_batches(&batches[0].schema(), &batches).map_err(|error| Error::DataInvalid {
                message: error.to_string(),
                source: None,
            })?;
            check(&batch).map_err(|message| Error::Unsupported { message })?;
            Ok(batch)
        })
        .boxed()
}

fn check(batch: &RecordBatch) -> Result<(), String> {
    for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
        if field.data_type().is_nested() && (0..column.len()).any(|row| emptied(&column.slice(row, 1))) {
            return Err(format!(
                "column '{}': of an array or map in an Avro file whose first ROW is null, the engine reads no ROW; read the other columns, \
                 or rewrite the table in Parquet",
                field.name()
            ));
        }
    }
    Ok(())
}

/// Whether all that the ROWs of one row of the table hold is null, after one that is null itself.
fn emptied(values: &ArrayRef) -> bool {
    match values.data_type() {
        DataType::List(_) => {
            let list = values.as_list::<i32>();
            let (from, to) = (list.value_offsets()[0], list.value_offsets()[list.len()]);
            emptied(&list.values().slice(from as usize, (to - from) as usize))
        }
        DataType::Map(_, _) => {
            let map = values.as_map();
            let (from, to) = (map.value_offsets()[0], map.value_offsets()[map.len()]);
            let (from, count) = (from as usize, (to - from) as usize);
            emptied(&map.keys().slice(from, count)) || emptied(&map.values().slice(from, count))
        }
        DataType::Struct(_) => {
            let rows = values.as_struct();
            let nothing = |column: &ArrayRef| column.null_count() == column.len();
            let later = rows.len() > 1 && rows.is_null(0) && rows.null_count() < rows.len();
            (later && rows.columns().iter().all(nothing)) || rows.columns().iter().any(emptied)
        }
        _ => false,
    }
}
