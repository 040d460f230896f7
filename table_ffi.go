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
	// paimon_result_read_builder paimon_table_new_read_builder(const paimon_table*);
	ffiTableNewReadBuilder = bind1[result[cReadBuilder], *cTable]("paimon_table_new_read_builder")
	// paimon_result_write_builder paimon_table_new_write_builder(const paimon_table*);
	ffiTableNewWriteBuilder = bind1[result[cWriteBuilder], *cTable]("paimon_table_new_write_builder")
	// paimon_result_write_builder paimon_table_new_write_builder_with_commit_user(const paimon_table*, const char* commit_user);
	ffiTableNewWriteBuilderWithCommitUser = bind2[result[cWriteBuilder], *cTable, *byte]("paimon_table_new_write_builder_with_commit_user")
)
