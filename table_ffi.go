// SPDX-License-Identifier: Apache-2.0

package paimon

var (
	// void paimon_table_free(paimon_table* table);
	ffiTableFree = bind1[void, *cTable]("paimon_table_free")
	// paimon_result_bytes paimon_table_schema(const paimon_table*);
	ffiTableSchema = bind1[resultBytes, *cTable]("paimon_table_schema")
	// paimon_result_bytes paimon_table_location(const paimon_table*);
	ffiTableLocation = bind1[resultBytes, *cTable]("paimon_table_location")
	// paimon_result_bytes paimon_table_latest_snapshot(const paimon_table*);
	ffiTableLatestSnapshot = bind1[resultBytes, *cTable]("paimon_table_latest_snapshot")
	// paimon_result_bytes paimon_table_snapshot(const paimon_table*, int64_t snapshot_id);
	ffiTableSnapshot = bind2[resultBytes, *cTable, int64]("paimon_table_snapshot")
	// paimon_result_bytes paimon_table_list_snapshots(const paimon_table*);
	ffiTableListSnapshots = bind1[resultBytes, *cTable]("paimon_table_list_snapshots")
	// paimon_result_read_builder paimon_table_new_read_builder_with_options(const paimon_table*, const paimon_option*, size_t len);
	ffiTableNewReadBuilderWithOptions = bind3[result[cReadBuilder], *cTable, *cOption, uintptr]("paimon_table_new_read_builder_with_options")
	// paimon_result_read_builder paimon_table_new_read_builder(const paimon_table*);
	ffiTableNewReadBuilder = bind1[result[cReadBuilder], *cTable]("paimon_table_new_read_builder")
	// paimon_result_write_builder paimon_table_new_write_builder(const paimon_table*);
	ffiTableNewWriteBuilder = bind1[result[cWriteBuilder], *cTable]("paimon_table_new_write_builder")
	// paimon_result_write_builder paimon_table_new_write_builder_with_commit_user(const paimon_table*, const char* commit_user);
	ffiTableNewWriteBuilderWithCommitUser = bind2[result[cWriteBuilder], *cTable, *byte]("paimon_table_new_write_builder_with_commit_user")
)
