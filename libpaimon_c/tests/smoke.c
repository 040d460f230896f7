/* SPDX-License-Identifier: Apache-2.0 */
/* A C program over paimon.h alone: makes a table, writes two rows, reads them back, and leaves nothing behind. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paimon.h"

/* As https://arrow.apache.org/docs/format/CDataInterface.html has them. */
struct ArrowSchema {
  const char *format, *name, *metadata;
  int64_t flags, n_children;
  struct ArrowSchema **children, *dictionary;
  void (*release)(struct ArrowSchema *);
  void *private_data;
};

struct ArrowArray {
  int64_t length, null_count, offset, n_buffers, n_children;
  const void **buffers;
  struct ArrowArray **children, *dictionary;
  void (*release)(struct ArrowArray *);
  void *private_data;
};

static void require(int holds, const char *what) {
  if (!holds) {
    fprintf(stderr, "smoke: %s\n", what);
    exit(1);
  }
}

/* Ends the program if there is an error. */
static void ok(paimon_error *error, const char *what) {
  if (error != NULL) {
    fprintf(stderr, "smoke: %s: error %" PRId32 ": %.*s\n", what, error->code, (int)error->message.len,
            (const char *)error->message.data);
    exit(1);
  }
}

static void write_rows(paimon_table_write *write) {
  int32_t ids[] = {1, 2};
  int32_t offsets[] = {0, 5, 8};
  char names[] = "alicebob";
  const void *id_buffers[] = {NULL, ids};
  const void *name_buffers[] = {NULL, offsets, names};
  const void *no_buffers[] = {NULL};
  struct ArrowArray id = {2, 0, 0, 2, 0, id_buffers, NULL, NULL, paimon_borrowed_array_release, NULL};
  struct ArrowArray name = {2, 0, 0, 3, 0, name_buffers, NULL, NULL, paimon_borrowed_array_release, NULL};
  struct ArrowArray *columns[] = {&id, &name};
  struct ArrowArray batch = {2, 0, 0, 1, 2, no_buffers, columns, NULL, paimon_borrowed_array_release, NULL};
  struct ArrowSchema id_type = {"i", "id", NULL, 0, 0, NULL, NULL, paimon_borrowed_schema_release, NULL};
  struct ArrowSchema name_type = {"u", "name", NULL, 2, 0, NULL, NULL, paimon_borrowed_schema_release, NULL};
  struct ArrowSchema *fields[] = {&id_type, &name_type};
  struct ArrowSchema type = {"+s", "", NULL, 0, 2, fields, NULL, paimon_borrowed_schema_release, NULL};

  ok(paimon_table_write_write_arrow_batch(write, &batch, &type), "write");
  require(batch.release == NULL && type.release == NULL, "the batch was not released");
  memset(ids, 0x5a, sizeof ids);
  memset(names, 0x5a, sizeof names);
}

static int64_t read_rows(paimon_record_batch_reader *reader) {
  int64_t rows = 0;
  for (;;) {
    paimon_result_batch next = paimon_record_batch_reader_next(reader);
    ok(next.error, "next");
    if (next.value.array == NULL) {
      return rows;
    }
    const struct ArrowArray *batch = next.value.array;
    const int32_t *ids = batch->children[0]->buffers[1];
    const int32_t *offsets = batch->children[1]->buffers[1];
    const char *names = batch->children[1]->buffers[2];
    for (int64_t row = 0; row < batch->length; row++) {
      int64_t id = row + batch->children[0]->offset, name = row + batch->children[1]->offset;
      printf("%" PRId32 " %.*s\n", ids[id], (int)(offsets[name + 1] - offsets[name]), names + offsets[name]);
    }
    rows += batch->length;
    paimon_arrow_batch_free(next.value);
  }
}

int main(int argc, char **argv) {
  require(argc == 2, "give me a folder");
  require(paimon_abi_version() == PAIMON_ABI_VERSION, "the library has another ABI");

  paimon_option options[] = {{"warehouse", argv[1]}};
  paimon_result_catalog catalog = paimon_catalog_create(options, 1);
  ok(catalog.error, "catalog");
  ok(paimon_catalog_create_database(catalog.value, "db", NULL, 0, false), "database");
  paimon_result_identifier identifier = paimon_identifier_new("db", "t");
  ok(identifier.error, "identifier");

  paimon_result_table table = paimon_catalog_get_table(catalog.value, identifier.value);
  require(table.value == NULL && table.error->code == PAIMON_CODE_TABLE_NOT_EXIST, "a table that nobody made");
  paimon_error_free(table.error);

  ok(paimon_catalog_create_table(catalog.value, identifier.value,
                                 "{\"fields\": [{\"id\": 0, \"name\": \"id\", \"type\": \"INT NOT NULL\"},"
                                 " {\"id\": 1, \"name\": \"name\", \"type\": \"STRING\"}],"
                                 " \"partitionKeys\": [], \"primaryKeys\": [], \"options\": {}}",
                                 false),
     "table");
  table = paimon_catalog_get_table(catalog.value, identifier.value);
  ok(table.error, "get table");
  paimon_identifier_free(identifier.value);
  paimon_catalog_free(catalog.value);

  paimon_result_write_builder writing = paimon_table_new_write_builder(table.value);
  ok(writing.error, "write builder");
  paimon_result_table_write write = paimon_write_builder_new_write(writing.value);
  ok(write.error, "new write");
  write_rows(write.value);
  paimon_result_commit_messages messages = paimon_table_write_prepare_commit(write.value);
  ok(messages.error, "prepare");
  paimon_result_table_commit commit = paimon_write_builder_new_commit(writing.value);
  ok(commit.error, "new commit");
  ok(paimon_table_commit_commit(commit.value, messages.value), "commit");
  paimon_table_commit_free(commit.value);
  paimon_commit_messages_free(messages.value);
  paimon_table_write_free(write.value);
  paimon_write_builder_free(writing.value);

  paimon_result_read_builder reading = paimon_table_new_read_builder(table.value);
  ok(reading.error, "read builder");
  paimon_result_table_scan scan = paimon_read_builder_new_scan(reading.value);
  ok(scan.error, "new scan");
  paimon_result_plan plan = paimon_table_scan_plan(scan.value);
  ok(plan.error, "plan");
  paimon_result_size splits = paimon_plan_num_splits(plan.value);
  ok(splits.error, "num splits");
  paimon_result_table_read read = paimon_read_builder_new_read(reading.value);
  ok(read.error, "new read");
  paimon_result_record_batch_reader reader = paimon_table_read_to_arrow(read.value, plan.value, 0, splits.value);
  ok(reader.error, "to arrow");
  require(read_rows(reader.value) == 2, "not two rows");
  paimon_record_batch_reader_free(reader.value);
  paimon_table_read_free(read.value);
  paimon_plan_free(plan.value);
  paimon_table_scan_free(scan.value);
  paimon_read_builder_free(reading.value);
  paimon_table_free(table.value);

  require(paimon_live_handles() == 0, "something was not freed");
  return 0;
}
