// SPDX-License-Identifier: Apache-2.0

//! System tables: what a table knows of itself (`t$snapshots`, `t$files`, ...), as tables.
//!
//! The engine has none. Their rows are few, so each read builder gets a table of its own in memory, written by the engine and read as
//! any other: projection, filters and splits need nothing special. Names and types of the columns are Java's; a column that this
//! library cannot fill is left out. Times are UTC, where Java takes the zone of its process.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int32Array, Int64Array, RecordBatch, StringArray, TimestampMillisecondArray};
use arrow_schema::{Field, Schema as ArrowSchema};
use paimon::catalog::{list_partitions_from_file_system, Identifier};
use paimon::spec::{DataType, Schema};
use paimon::{Catalog, CatalogFactory, Options, Table};
use serde_json::Value;

use crate::catalog::paimon_catalog;
use crate::error::{Failure, Result, PAIMON_CODE_UNSUPPORTED};
use crate::read::{unescape, unplanned};
use crate::table::{latest, snapshots};
use crate::tag::{branches, tags};

/// A system table of an open table.
pub struct System {
    /// The table, or branch, that it speaks of.
    pub base: Table,
    pub name: &'static str,
    catalog: paimon_catalog,
    identifier: Identifier,
}

/// The system tables that there are.
const NAMES: [&str; 8] = [
    "branches",
    "buckets",
    "files",
    "options",
    "partitions",
    "schemas",
    "snapshots",
    "tags",
];

impl System {
    pub fn new(catalog: &paimon_catalog, identifier: &Identifier, base: Table, name: &str) -> Result<System> {
        let known = NAMES.into_iter().find(|known| name.eq_ignore_ascii_case(known));
        Ok(System {
            base,
            name: known.ok_or_else(|| {
                Failure::new(
                    PAIMON_CODE_UNSUPPORTED,
                    format!("there is no system table '{name}' here; there are {}", NAMES.join(", ")),
                )
            })?,
            catalog: paimon_catalog {
                catalog: catalog.catalog.clone(),
                hold: catalog.hold.clone(),
                warehouse: catalog.warehouse.clone(),
                served: catalog.served,
                memory: catalog.memory,
            },
            identifier: identifier.clone(),
        })
    }

    /// The system table without its rows.
    pub async fn empty(&self) -> Result<Table> {
        Ok(self.store(&self.columns(&Facts::default())).await?.1)
    }

    /// The system table with the rows of this moment.
    pub async fn rows(&self) -> Result<Table> {
        let columns = self.columns(&self.facts().await?);
        let (_catalog, table) = self.store(&columns).await?;
        let fields: Vec<Field> = columns.iter().map(Column::field).collect();
        let arrays = columns.iter().map(|column| column.cells.array()).collect();
        let batch = RecordBatch::try_new(Arc::new(ArrowSchema::new(fields)), arrays)
            .map_err(|error| Failure::unexpected(format!("the rows of ${}: {error}", self.name)))?;
        if batch.num_rows() > 0 {
            let builder = table.new_write_builder();
            let mut write = builder.new_write()?;
            write.write_arrow_batch(&batch).await?;
            let messages = write.prepare_commit().await?;
            builder.new_commit().commit(messages).await?;
        }
        Ok(table)
    }

    /// Makes the table in memory of its own.
    async fn store(&self, columns: &[Column]) -> Result<(Arc<dyn Catalog>, Table)> {
        let options = HashMap::from([("warehouse".to_string(), "memory:/system".to_string())]);
        let catalog = CatalogFactory::create(Options::from_map(options)).await?;
        catalog.create_database("system", true, HashMap::new()).await?;
        let mut schema = Schema::builder();
        for column in columns {
            let sql = format!("\"{}{}\"", column.cells.sql(), if column.nullable { "" } else { " NOT NULL" });
            let data_type: DataType =
                serde_json::from_str(&sql).map_err(|error| Failure::unexpected(format!("the type {sql}: {error}")))?;
            schema = schema.column(column.name, data_type);
        }
        let name = Identifier::new("system", self.name);
        catalog.create_table(&name, schema.build()?, false).await?;
        let table = catalog.get_table(&name).await?;
        Ok((catalog, table))
    }

    async fn facts(&self) -> Result<Facts> {
        let mut facts = Facts::default();
        let table = &self.base;
        match self.name {
            "snapshots" => facts.values = values(&snapshots(table).await?)?,
            "schemas" => {
                for schema in table.schema_manager().list_all().await? {
                    facts.values.push(value(schema.as_ref())?);
                }
                facts.values.sort_by_key(|schema| schema["id"].as_i64());
            }
            "options" => facts.values.push(value(table.schema())?),
            "tags" => facts.values = values(&tags(&self.catalog, &self.identifier, table).await?)?,
            "branches" => {
                let list = branches(table)?;
                let folders = match list.names().await?.is_empty() {
                    true => Vec::new(),
                    false => table.file_io().list_status(&format!("{}/branch", table.location())).await?,
                };
                for name in list.names().await? {
                    let folder = folders
                        .iter()
                        .find(|folder| folder.path.trim_end_matches('/').ends_with(&format!("/branch-{name}")));
                    let made = folder
                        .and_then(|folder| folder.last_modified)
                        .map(|time| time.timestamp_millis());
                    facts.values.push(serde_json::json!({ "name": name, "made": made }));
                }
            }
            "partitions" => {
                if let Some(snapshot) = latest(table).await? {
                    let pinned = table.copy_with_pinned_snapshot(&snapshot);
                    match list_partitions_from_file_system(&pinned).await {
                        Ok(partitions) => facts.values = values(&partitions)?,
                        Err(error) => return Err(unplanned(&pinned, error).await),
                    }
                }
            }
            _ => facts.files = self.files().await?,
        }
        Ok(facts)
    }

    /// The data files of the latest snapshot.
    async fn files(&self) -> Result<Vec<File>> {
        let table = &self.base;
        let Some(snapshot) = latest(table).await? else {
            return Ok(Vec::new());
        };
        let pinned = table.copy_with_pinned_snapshot(&snapshot);
        let mut files = Vec::new();
        let plan = match pinned.new_read_builder().new_scan().with_scan_all_files().plan().await {
            Ok(plan) => plan,
            Err(error) => return Err(unplanned(&pinned, error).await),
        };
        for split in plan.splits() {
            let partition = partition_values(table, split.bucket_path());
            for file in split.data_files() {
                files.push(File {
                    partition: partition.clone(),
                    bucket: split.bucket(),
                    path: file.data_file_path(split.bucket_path()),
                    format: file.file_name.rsplit('.').next().unwrap_or_default().to_string(),
                    schema_id: file.schema_id,
                    level: file.level,
                    rows: file.row_count,
                    bytes: file.file_size,
                    min_sequence: file.min_sequence_number,
                    max_sequence: file.max_sequence_number,
                    made: file.creation_time.map(|time| time.timestamp_millis()),
                    deletes: file.delete_row_count,
                    source: file.file_source,
                    first_row_id: file.first_row_id,
                });
            }
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(files)
    }
}

/// What the rows are made of.
#[derive(Default)]
struct Facts {
    values: Vec<Value>,
    files: Vec<File>,
}

struct File {
    partition: String,
    bucket: i32,
    path: String,
    format: String,
    schema_id: i64,
    level: i32,
    rows: i64,
    bytes: i64,
    min_sequence: i64,
    max_sequence: i64,
    made: Option<i64>,
    deletes: Option<i64>,
    source: Option<i32>,
    first_row_id: Option<i64>,
}

/// What the files of a bucket come to.
#[derive(Default)]
struct Sum {
    rows: i64,
    bytes: i64,
    files: i64,
    made: Option<i64>,
}

/// The values of a partition as Java prints them: "{a, b}".
fn partition_values(table: &Table, bucket_path: &str) -> String {
    let keys = table.schema().partition_keys().len();
    let default = table.schema().core_options().partition_default_name().to_string();
    let mut folders: Vec<&str> = bucket_path.trim_end_matches('/').rsplit('/').skip(1).take(keys).collect();
    folders.reverse();
    let values = folders.into_iter().map(|folder| {
        let value = folder.split_once('=').map_or(folder, |(_, value)| value);
        let value = unescape(value).unwrap_or_else(|| value.to_string());
        if value == default {
            "null".to_string()
        } else {
            value
        }
    });
    format!("{{{}}}", values.collect::<Vec<_>>().join(", "))
}

struct Column {
    name: &'static str,
    nullable: bool,
    cells: Cells,
}

enum Cells {
    Text(Vec<Option<String>>),
    Int(Vec<Option<i32>>),
    Long(Vec<Option<i64>>),
    Time(Vec<Option<i64>>),
}

impl Cells {
    fn sql(&self) -> &'static str {
        match self {
            Cells::Text(_) => "STRING",
            Cells::Int(_) => "INT",
            Cells::Long(_) => "BIGINT",
            Cells::Time(_) => "TIMESTAMP(3)",
        }
    }

    fn array(&self) -> ArrayRef {
        match self {
            Cells::Text(cells) => Arc::new(StringArray::from(cells.clone())),
            Cells::Int(cells) => Arc::new(Int32Array::from(cells.clone())),
            Cells::Long(cells) => Arc::new(Int64Array::from(cells.clone())),
            Cells::Time(cells) => Arc::new(TimestampMillisecondArray::from(cells.clone())),
        }
    }
}

impl Column {
    fn required(mut self) -> Self {
        self.nullable = false;
        self
    }

    fn field(&self) -> Field {
        Field::new(self.name, self.cells.array().data_type().clone(), self.nullable)
    }
}

fn column(name: &'static str, cells: Cells) -> Column {
    Column {
        name,
        nullable: true,
        cells,
    }
}

fn value<T: serde::Serialize>(of: &T) -> Result<Value> {
    serde_json::to_value(of).map_err(|error| Failure::unexpected(format!("cannot encode as JSON: {error}")))
}

fn values<T: serde::Serialize>(of: &[T]) -> Result<Vec<Value>> {
    of.iter().map(value).collect()
}

impl System {
    fn columns(&self, facts: &Facts) -> Vec<Column> {
        let from = |path: &str| -> Vec<&Value> {
            facts
                .values
                .iter()
                .map(|value| value.pointer(path).unwrap_or(&Value::Null))
                .collect()
        };
        let text = |name, path: &str| {
            let plain = |value: &Value| value.as_str().map(str::to_string);
            column(name, Cells::Text(from(path).into_iter().map(plain).collect()))
        };
        let nested = |name, path: &str| {
            column(
                name,
                Cells::Text(from(path).into_iter().map(|value| Some(value.to_string())).collect()),
            )
        };
        let long = |name, path: &str| column(name, Cells::Long(from(path).into_iter().map(Value::as_i64).collect()));
        let time = |name, path: &str| column(name, Cells::Time(from(path).into_iter().map(Value::as_i64).collect()));
        let files = &facts.files;
        match self.name {
            "snapshots" => vec![
                long("snapshot_id", "/id").required(),
                long("schema_id", "/schemaId").required(),
                text("commit_user", "/commitUser").required(),
                long("commit_identifier", "/commitIdentifier").required(),
                text("commit_kind", "/commitKind").required(),
                time("commit_time", "/timeMillis").required(),
                text("base_manifest_list", "/baseManifestList").required(),
                text("delta_manifest_list", "/deltaManifestList").required(),
                text("changelog_manifest_list", "/changelogManifestList"),
                long("total_record_count", "/totalRecordCount"),
                long("delta_record_count", "/deltaRecordCount"),
                long("changelog_record_count", "/changelogRecordCount"),
                long("watermark", "/watermark"),
                long("next_row_id", "/nextRowId"),
            ],
            "schemas" => vec![
                long("schema_id", "/id").required(),
                nested("fields", "/fields").required(),
                nested("partition_keys", "/partitionKeys").required(),
                nested("primary_keys", "/primaryKeys").required(),
                nested("options", "/options").required(),
                text("comment", "/comment"),
                time("update_time", "/timeMillis").required(),
            ],
            "options" => {
                let mut options: Vec<(String, Option<String>)> = Vec::new();
                for (key, value) in facts
                    .values
                    .iter()
                    .filter_map(|schema| schema["options"].as_object())
                    .flatten()
                {
                    options.push((key.clone(), value.as_str().map(str::to_string)));
                }
                options.sort();
                let (keys, settings) = options.into_iter().map(|(key, value)| (Some(key), value)).unzip();
                vec![
                    column("key", Cells::Text(keys)).required(),
                    column("value", Cells::Text(settings)).required(),
                ]
            }
            "tags" => vec![
                text("tag_name", "/tagName").required(),
                long("snapshot_id", "/snapshot/id").required(),
                long("schema_id", "/snapshot/schemaId").required(),
                time("commit_time", "/snapshot/timeMillis").required(),
                long("record_count", "/snapshot/totalRecordCount"),
                time("create_time", "/tagCreateTime"),
                text("time_retained", "/tagTimeRetained"),
            ],
            "branches" => vec![text("branch_name", "/name").required(), time("create_time", "/made")],
            "partitions" => {
                let keys = self.base.schema().partition_keys();
                let name = |partition: &Value| {
                    let pairs = keys
                        .iter()
                        .map(|key| format!("{key}={}", partition["spec"][key].as_str().unwrap_or_default()));
                    Some(pairs.collect::<Vec<_>>().join("/"))
                };
                vec![
                    column("partition", Cells::Text(facts.values.iter().map(name).collect())),
                    long("record_count", "/recordCount").required(),
                    long("file_size_in_bytes", "/fileSizeInBytes").required(),
                    long("file_count", "/fileCount").required(),
                    time("last_update_time", "/lastFileCreationTime"),
                ]
            }
            "buckets" => {
                let mut buckets: BTreeMap<(&str, i32), Sum> = BTreeMap::new();
                for file in files {
                    let sum = buckets.entry((&file.partition, file.bucket)).or_default();
                    sum.rows += file.rows;
                    sum.bytes += file.bytes;
                    sum.files += 1;
                    sum.made = sum.made.max(file.made);
                }
                let sum = |pick: fn(&Sum) -> Option<i64>| buckets.values().map(pick).collect();
                vec![
                    column(
                        "partition",
                        Cells::Text(buckets.keys().map(|key| Some(key.0.to_string())).collect()),
                    ),
                    column("bucket", Cells::Int(buckets.keys().map(|key| Some(key.1)).collect())).required(),
                    column("record_count", Cells::Long(sum(|sum| Some(sum.rows)))).required(),
                    column("file_size_in_bytes", Cells::Long(sum(|sum| Some(sum.bytes)))).required(),
                    column("file_count", Cells::Long(sum(|sum| Some(sum.files)))).required(),
                    column("last_update_time", Cells::Time(sum(|sum| sum.made))),
                ]
            }
            _ => {
                let text = |pick: fn(&File) -> Option<String>| Cells::Text(files.iter().map(pick).collect());
                let int = |pick: fn(&File) -> i32| Cells::Int(files.iter().map(|file| Some(pick(file))).collect());
                let long = |pick: fn(&File) -> Option<i64>| Cells::Long(files.iter().map(pick).collect());
                vec![
                    column("partition", text(|file| Some(file.partition.clone()))),
                    column("bucket", int(|file| file.bucket)).required(),
                    column("file_path", text(|file| Some(file.path.clone()))).required(),
                    column("file_format", text(|file| Some(file.format.clone()))).required(),
                    column("schema_id", long(|file| Some(file.schema_id))).required(),
                    column("level", int(|file| file.level)).required(),
                    column("record_count", long(|file| Some(file.rows))).required(),
                    column("file_size_in_bytes", long(|file| Some(file.bytes))).required(),
                    column("min_sequence_number", long(|file| Some(file.min_sequence))),
                    column("max_sequence_number", long(|file| Some(file.max_sequence))),
                    column("creation_time", Cells::Time(files.iter().map(|file| file.made).collect())),
                    column("deleteRowCount", long(|file| file.deletes)),
                    column(
                        "file_source",
                        text(|file| {
                            file.source
                                .map(|source| if source == 0 { "APPEND" } else { "COMPACT" }.to_string())
                        }),
                    ),
                    column("first_row_id", long(|file| file.first_row_id)),
                ]
            }
        }
    }
}
