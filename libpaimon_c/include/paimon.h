/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from libpaimon_c/src by make lib; do not edit. */

/*
 * Apache Paimon tables from C: the ABI of libpaimon_c.
 *
 * OBJECTS. Catalogs, tables and so on are opaque and known by pointer. A function that makes one returns it in a result whose
 * caller owns it from then on and gives it back, once, to the paimon_NOUN_free of its type. A free ignores NULL. Every object
 * stands on its own: what it was made from may be freed before it, in any order.
 *
 * THREADS. Any object may be used by many threads at once. Calls on one paimon_table_write wait for each other, as do those on
 * one paimon_record_batch_reader, on one paimon_blob_stream, on the settings of one builder, and commits and aborts of the same
 * messages; calls on anything else run side by side. The one rule for callers: a free must not overlap with another call on the same object, nor
 * be followed by one. A call blocks until it is done; what it does in the background runs on the worker threads of this
 * library, one for each processor that the process may use, which start with the first object that does I/O and are joined when
 * the last one is freed. A thread of the caller may be any thread but those. After fork() without exec() only the parent may go
 * on calling.
 *
 * ERRORS. A function returns either what it makes, or a paimon_error, never both; one that makes nothing returns a paimon_error
 * or NULL. An error belongs to the caller, who gives it to paimon_error_free. After an error nothing was made, nothing passed
 * to the call has changed hands (but see ARROW), and every object can be used on, unless its function says otherwise. Codes
 * below 100 are classes; a code of 100 or more is a kind within a class: class = code < 100 ? code : code / 100. Codes are
 * appended, never renumbered, so treat one that you do not know by its class. Messages are for people; do not match them.
 *
 * PANICS. A failure inside this library that would otherwise end the process is caught at the function's edge and returned as
 * PAIMON_CODE_UNEXPECTED. An object in the middle of whose change that happened refuses further calls with the same code.
 *
 * STRINGS AND ARRAYS are borrowed for the length of the call and copied where they are kept. Strings are UTF-8 and end in NUL.
 * An array may be NULL when its length is 0. NULL where an object or a string is wanted, text that is not UTF-8, and a length
 * that no array can have are PAIMON_CODE_INVALID_INPUT. Text that this library returns is a paimon_bytes, which does not end
 * in NUL, and belongs to the caller, who gives it to paimon_bytes_free. Metadata (names, schemas, snapshots) is UTF-8 JSON in
 * the form of Paimon's own files.
 *
 * ARROW. Record batches cross as the structs of the Arrow C Data Interface, a batch being a struct array of its columns. Going
 * in, the contents of both structs pass to the call once no pointer of it is NULL, on failure too. A record that is kept is not copied,
 * so it may be released after the call, on any thread. Coming out, a batch belongs to the caller, is independent of everything
 * else, and goes to paimon_arrow_batch_free.
 *
 * VERSIONS. paimon_abi_version says which PAIMON_ABI_VERSION a library was built with: check it first. New functions and new
 * codes do not change it; a changed signature, struct or meaning does.
 */


#ifndef PAIMON_H
#define PAIMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of the Arrow C Data Interface: https://arrow.apache.org/docs/format/CDataInterface.html */
struct ArrowArray;
struct ArrowSchema;


/**
 * The version of this ABI. It grows whenever a function or struct changes in a way that an older caller cannot use.
 */
#define PAIMON_ABI_VERSION 2

/**
 * A failure that fits no other class, a caught panic among them.
 */
#define PAIMON_CODE_UNEXPECTED 0

/**
 * The engine or this library cannot do what was asked.
 */
#define PAIMON_CODE_UNSUPPORTED 1

/**
 * The named object does not exist.
 */
#define PAIMON_CODE_NOT_FOUND 2

/**
 * The named object exists already.
 */
#define PAIMON_CODE_ALREADY_EXIST 3

/**
 * An argument, an option or the data given is wrong.
 */
#define PAIMON_CODE_INVALID_INPUT 4

/**
 * Storage failed.
 */
#define PAIMON_CODE_IO_ERROR 5

/**
 * A memory budget was used up, or the threads that the process may have.
 */
#define PAIMON_CODE_RESOURCE_EXHAUSTED 6

/**
 * Another writer committed first, and nothing of this commit is visible. Commit the same messages again; if what they rest on is
 * gone, which fails in the same way, write the data again.
 */
#define PAIMON_CODE_COMMIT_CONFLICT 7

/**
 * The call was called off, and changed nothing.
 */
#define PAIMON_CODE_CANCELLED 8

/**
 * A change was called off when it was under way: it may have been made or not.
 */
#define PAIMON_CODE_OUTCOME_UNKNOWN 9

/**
 * A kind of PAIMON_CODE_IO_ERROR: the storage does not allow it.
 */
#define PAIMON_CODE_PERMISSION_DENIED 501

/**
 * A kind of PAIMON_CODE_NOT_FOUND: the database.
 */
#define PAIMON_CODE_DATABASE_NOT_EXIST 201

/**
 * A kind of PAIMON_CODE_NOT_FOUND: the table.
 */
#define PAIMON_CODE_TABLE_NOT_EXIST 202

/**
 * A kind of PAIMON_CODE_NOT_FOUND: the column.
 */
#define PAIMON_CODE_COLUMN_NOT_EXIST 203

/**
 * A kind of PAIMON_CODE_NOT_FOUND: the snapshot.
 */
#define PAIMON_CODE_SNAPSHOT_NOT_EXIST 204

/**
 * A kind of PAIMON_CODE_NOT_FOUND: the tag.
 */
#define PAIMON_CODE_TAG_NOT_EXIST 205

/**
 * A kind of PAIMON_CODE_NOT_FOUND: the branch.
 */
#define PAIMON_CODE_BRANCH_NOT_EXIST 206

/**
 * A kind of PAIMON_CODE_ALREADY_EXIST: the database.
 */
#define PAIMON_CODE_DATABASE_ALREADY_EXIST 301

/**
 * A kind of PAIMON_CODE_ALREADY_EXIST: the table.
 */
#define PAIMON_CODE_TABLE_ALREADY_EXIST 302

/**
 * A kind of PAIMON_CODE_ALREADY_EXIST: the column.
 */
#define PAIMON_CODE_COLUMN_ALREADY_EXIST 303

/**
 * A kind of PAIMON_CODE_ALREADY_EXIST: the tag.
 */
#define PAIMON_CODE_TAG_ALREADY_EXIST 305

/**
 * A kind of PAIMON_CODE_ALREADY_EXIST: the branch.
 */
#define PAIMON_CODE_BRANCH_ALREADY_EXIST 306

/**
 * A kind of PAIMON_CODE_INVALID_INPUT: the database still holds tables.
 */
#define PAIMON_CODE_DATABASE_NOT_EMPTY 401

/**
 * A kind of PAIMON_CODE_INVALID_INPUT: the snapshot that a read was to travel to does not exist.
 */
#define PAIMON_CODE_TRAVEL_SNAPSHOT_NOT_EXIST 404

/**
 * A kind of PAIMON_CODE_INVALID_INPUT: the tag that a read was to travel to does not exist.
 */
#define PAIMON_CODE_TRAVEL_TAG_NOT_EXIST 405

/**
 * Reads what blob descriptors name. Safe for concurrent use.
 */
typedef struct paimon_blob_reader paimon_blob_reader;

/**
 * One blob as a stream with a position. Safe for concurrent use; calls wait for each other.
 */
typedef struct paimon_blob_stream paimon_blob_stream;

/**
 * What calls are called off with. Safe for concurrent use.
 */
typedef struct paimon_cancel_token paimon_cancel_token;

/**
 * An open catalog. Safe for concurrent use.
 */
typedef struct paimon_catalog paimon_catalog;

/**
 * What was written and waits to be committed. Safe for concurrent use.
 */
typedef struct paimon_commit_messages paimon_commit_messages;

/**
 * The name of a table: a database and an object in it. Immutable, safe for concurrent use.
 */
typedef struct paimon_identifier paimon_identifier;

/**
 * The splits of one snapshot. Immutable, safe for concurrent use.
 */
typedef struct paimon_plan paimon_plan;

/**
 * A condition on the rows of a table, under SQL's three-valued logic. Immutable, safe for concurrent use.
 */
typedef struct paimon_predicate paimon_predicate;

/**
 * What a read shall return. Safe for concurrent use; a call that fails leaves the builder as it was.
 */
typedef struct paimon_read_builder paimon_read_builder;

/**
 * A stream of record batches. Safe for concurrent use; calls wait for each other.
 */
typedef struct paimon_record_batch_reader paimon_record_batch_reader;

/**
 * A memory budget. Safe for concurrent use.
 */
typedef struct paimon_resource_context paimon_resource_context;

/**
 * An open table, with the schema it had when it was opened. Safe for concurrent use.
 */
typedef struct paimon_table paimon_table;

/**
 * Makes prepared messages visible as a snapshot. Safe for concurrent use.
 */
typedef struct paimon_table_commit paimon_table_commit;

/**
 * Turns splits into record batches. Safe for concurrent use.
 */
typedef struct paimon_table_read paimon_table_read;

/**
 * Finds the splits of a read. Safe for concurrent use.
 */
typedef struct paimon_table_scan paimon_table_scan;

/**
 * Buffers batches and writes their data files. Safe for concurrent use; calls wait for each other.
 */
typedef struct paimon_table_write paimon_table_write;

/**
 * How a table is written: by whom, and whether as an append or an overwrite. Safe for concurrent use.
 */
typedef struct paimon_write_builder paimon_write_builder;

/**
 * One member of one struct, `name` being `struct.member`, a NUL-terminated string that lives for ever. The entry of a whole
 * struct has the struct's name alone, its size, and offset 0.
 */
typedef struct {
  const char *name;
  size_t size;
  size_t offset;
} paimon_layout;

/**
 * A run of bytes, not NUL-terminated. Where a function returns one, the caller owns it and gives it back to
 * `paimon_bytes_free`; where a function takes one, it is borrowed for the call. Empty is `{NULL, 0}`.
 */
typedef struct {
  uint8_t *data;
  size_t len;
} paimon_bytes;

/**
 * An error. `code` is one of PAIMON_CODE_*; `message` is UTF-8 text for people and never empty. The caller owns it and gives
 * it to `paimon_error_free`.
 */
typedef struct {
  int32_t code;
  paimon_bytes message;
} paimon_error;

/**
 * One record batch as a pair of heap-allocated `struct ArrowArray` and `struct ArrowSchema` of the Arrow C Data Interface.
 * The receiver may move both structs out (setting `release` to NULL in place, as the interface says) or leave them; either
 * way it hands the pair to `paimon_arrow_batch_free`, which frees the two structs and releases what was not moved out.
 */
typedef struct {
  void *array;
  void *schema;
} paimon_arrow_batch;

/**
 * What a function that makes an object returns: exactly one of the two members is not NULL. The caller owns whichever it is.
 */
typedef struct {
  paimon_blob_reader *value;
  paimon_error *error;
} paimon_result_blob_reader;

/**
 * One key and value of a catalog's or a database's options. Both strings are borrowed for the call.
 */
typedef struct {
  const char *key;
  const char *value;
} paimon_option;

/**
 * What a function that makes an object returns: exactly one of the two members is not NULL. The caller owns whichever it is.
 */
typedef struct {
  paimon_blob_stream *value;
  paimon_error *error;
} paimon_result_blob_stream;

/**
 * What a function that counts gives: `error` is NULL on success, else `value` is 0.
 */
typedef struct {
  size_t value;
  paimon_error *error;
} paimon_result_size;

/**
 * What a function that makes an object returns: exactly one of the two members is not NULL. The caller owns whichever it is.
 */
typedef struct {
  paimon_cancel_token *value;
  paimon_error *error;
} paimon_result_cancel_token;

/**
 * What a function that makes an object returns: exactly one of the two members is not NULL. The caller owns whichever it is.
 */
typedef struct {
  paimon_catalog *value;
  paimon_error *error;
} paimon_result_catalog;

/**
 * What a function that makes an object returns: exactly one of the two members is not NULL. The caller owns whichever it is.
 */
typedef struct {
  paimon_identifier *value;
  paimon_error *error;
} paimon_result_identifier;

/**
 * What a function that returns text or bytes gives: `error` is NULL on success, else `value` is `{NULL, 0}`. The caller owns
 * whichever it is.
 */
typedef struct {
  paimon_bytes value;
  paimon_error *error;
} paimon_result_bytes;

/**
 * What a function that makes an object returns: exactly one of the two members is not NULL. The caller owns whichever it is.
 */
typedef struct {
  paimon_table *value;
  paimon_error *error;
} paimon_result_table;

/**
 * What a function that makes an object returns: exactly one of the two members is not NULL. The caller owns whichever it is.
 */
typedef struct {
  paimon_predicate *value;
  paimon_error *error;
} paimon_result_predicate;

/**
 * A literal of a predicate, by value. `tag` says which members count: 0 bool, 1 tinyint, 2 smallint, 3 int, 4 bigint
 * (`int_val`); 5 float, 6 double (`double_val`); 7 string (`str_data`, `str_len`, UTF-8); 8 date in days since the epoch,
 * 9 time in milliseconds of the day (`int_val`); 10 timestamp, 11 timestamp with local time zone (`int_val` milliseconds
 * since the epoch, `int_val2` nanoseconds within that millisecond); 12 decimal (`int_val` the low and `int_val2` the high 64
 * bits of the unscaled value, `uint_val` its precision, `uint_val2` its scale); 13 bytes (`str_data`, `str_len`).
 */
typedef struct {
  int32_t tag;
  int64_t int_val;
  double double_val;
  const uint8_t *str_data;
  size_t str_len;
  int64_t int_val2;
  uint32_t uint_val;
  uint32_t uint_val2;
} paimon_datum;

/**
 * What a function that makes an object returns: exactly one of the two members is not NULL. The caller owns whichever it is.
 */
typedef struct {
  paimon_table_scan *value;
  paimon_error *error;
} paimon_result_table_scan;

/**
 * What a function that makes an object returns: exactly one of the two members is not NULL. The caller owns whichever it is.
 */
typedef struct {
  paimon_table_read *value;
  paimon_error *error;
} paimon_result_table_read;

/**
 * What a function that makes an object returns: exactly one of the two members is not NULL. The caller owns whichever it is.
 */
typedef struct {
  paimon_plan *value;
  paimon_error *error;
} paimon_result_plan;

/**
 * What a reader's next step gives: a batch, or an error, or, at the end of the data, neither (all members NULL).
 */
typedef struct {
  paimon_arrow_batch value;
  paimon_error *error;
} paimon_result_batch;

/**
 * What a function that makes an object returns: exactly one of the two members is not NULL. The caller owns whichever it is.
 */
typedef struct {
  paimon_record_batch_reader *value;
  paimon_error *error;
} paimon_result_record_batch_reader;

/**
 * What a function that makes an object returns: exactly one of the two members is not NULL. The caller owns whichever it is.
 */
typedef struct {
  paimon_resource_context *value;
  paimon_error *error;
} paimon_result_resource_context;

/**
 * What a budget's users have reserved now, and the most they ever had.
 */
typedef struct {
  size_t reserved_memory_bytes;
  size_t peak_reserved_memory_bytes;
} paimon_resource_metrics;

/**
 * What `paimon_resource_context_metrics` gives: `error` is NULL on success, else `value` is all 0.
 */
typedef struct {
  paimon_resource_metrics value;
  paimon_error *error;
} paimon_result_resource_metrics;

/**
 * What a function that makes an object returns: exactly one of the two members is not NULL. The caller owns whichever it is.
 */
typedef struct {
  paimon_read_builder *value;
  paimon_error *error;
} paimon_result_read_builder;

/**
 * What a function that makes an object returns: exactly one of the two members is not NULL. The caller owns whichever it is.
 */
typedef struct {
  paimon_write_builder *value;
  paimon_error *error;
} paimon_result_write_builder;

/**
 * What a function that makes an object returns: exactly one of the two members is not NULL. The caller owns whichever it is.
 */
typedef struct {
  paimon_table_write *value;
  paimon_error *error;
} paimon_result_table_write;

/**
 * What a function that makes an object returns: exactly one of the two members is not NULL. The caller owns whichever it is.
 */
typedef struct {
  paimon_table_commit *value;
  paimon_error *error;
} paimon_result_table_commit;

/**
 * What a function that makes an object returns: exactly one of the two members is not NULL. The caller owns whichever it is.
 */
typedef struct {
  paimon_commit_messages *value;
  paimon_error *error;
} paimon_result_commit_messages;

/**
 * What a lender knows of a record that it lends with `paimon_borrowed_array_release`, whose `private_data` points here.
 */
typedef struct {
  /**
   * How many bytes the lender has to keep for the record: more than it consists of, if it is a part of a larger one.
   */
  int64_t bytes;
  /**
   * 0, and 1 (stored with release ordering, perhaps by another thread) once the library does not use the memory any more.
   */
  int32_t returned;
} paimon_loan;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The version of the ABI that this library has: its PAIMON_ABI_VERSION.
 */
uint32_t paimon_abi_version(void);

/**
 * How many entries `paimon_abi_layout` has.
 */
size_t paimon_abi_layout_len(void);

/**
 * The layout of the structs that cross by value, for a caller's tests. The array lives for ever.
 */
const paimon_layout *paimon_abi_layout(void);

/**
 * Panics inside, so that a caller's tests can see that a panic arrives as PAIMON_CODE_UNEXPECTED and does no harm.
 *
 * `message` is NULL or NUL-terminated.
 */
paimon_error *paimon_selftest_panic(const char *message);

/**
 * How many bytes this library's Rust code has allocated and not freed, caches and batches that callers hold among them. What
 * the C libraries inside allocate (OpenSSL, zstd) is not counted.
 */
int64_t paimon_live_bytes(void);

/**
 * Changes a table's schema: `changes` is a JSON array of Java's SchemaChange objects (`{"action": "setOption", "key": ...}`), applied
 * in order, all or none. A missing table is PAIMON_CODE_TABLE_NOT_EXIST unless `ignore_if_not_exists`; a missing column is
 * PAIMON_CODE_COLUMN_NOT_EXIST, one that is there already PAIMON_CODE_COLUMN_ALREADY_EXIST, a change that the engine does not make, or
 * after which it would read other values than Java, PAIMON_CODE_UNSUPPORTED or PAIMON_CODE_INVALID_INPUT. Tables that are open keep the schema they were opened with.
 *
 * `catalog` and `identifier` are NULL or live, `changes` is NULL or NUL-terminated.
 */
paimon_error *paimon_catalog_alter_table(const paimon_catalog *catalog,
                                         const paimon_identifier *identifier,
                                         const char *changes,
                                         bool ignore_if_not_exists);

/**
 * Releases an array whose memory is its lender's, in the struct itself only. For the `release` member of an ArrowArray whose
 * `private_data` is NULL, or a `paimon_loan`: NULL says that the memory is there for the length of the call that the array is passed to,
 * and a loan that it stays, as it is, until the loan says that it is returned. The loan is the record's, and the memory of the
 * structs of its columns, which have NULL, is part of it. NULL is ignored.
 *
 * `array` is NULL or points to an initialised ArrowArray, its `private_data` being NULL or a live `paimon_loan`.
 */
void paimon_borrowed_array_release(struct ArrowArray *array);

/**
 * Releases a schema whose memory is its lender's and outlives the call that it is passed to.
 *
 * `schema` is NULL or points to an initialised ArrowSchema.
 */
void paimon_borrowed_schema_release(struct ArrowSchema *schema);

/**
 * Frees the two structs of a batch and releases what is still in them. NULL members are ignored.
 *
 * `batch` comes from this library and was not freed before.
 */
void paimon_arrow_batch_free(paimon_arrow_batch batch);

/**
 * Makes a reader that opens the storage of each descriptor with these options: those of a catalog, without the catalog's own.
 * Nothing is opened yet. The caller owns the reader and gives it to `paimon_blob_reader_free`.
 *
 * `options` is NULL or points to `len` options whose strings are NUL-terminated.
 */
paimon_result_blob_reader paimon_blob_reader_new(const paimon_option *options,
                                                        size_t len);

/**
 * Makes a reader over the storage of the table, with its credentials. The caller owns it and gives it to
 * `paimon_blob_reader_free`.
 *
 * `table` is NULL or live.
 */
paimon_result_blob_reader paimon_table_new_blob_reader(const paimon_table *table);

/**
 * Frees a reader; streams it opened stay valid. NULL is ignored.
 *
 * `reader` is NULL or a live reader that no other call uses any more.
 */
void paimon_blob_reader_free(paimon_blob_reader *reader);

/**
 * Reads the blobs of `len` descriptors into `values`, in their order. On success the caller owns each of the `len` values and gives
 * it to `paimon_bytes_free`; an empty blob is `{NULL, 0}`. On failure `values` is left as it was, and the message says which
 * descriptors, counted from 0, it is about.
 *
 * `reader` is NULL or live; `descriptors` and `values` are NULL or have `len` entries. Descriptors are borrowed.
 */
paimon_error *paimon_blob_reader_read_blobs(const paimon_blob_reader *reader,
                                            const paimon_bytes *descriptors,
                                            size_t len,
                                            paimon_bytes *values);

/**
 * Opens the blob of a descriptor as a stream at position 0. Its storage is touched when it is first read, or seeked from its end.
 * The caller owns the stream and gives it to `paimon_blob_stream_free`.
 *
 * `reader` is NULL or live, `descriptor` NULL or `len` bytes, which are borrowed.
 */
paimon_result_blob_stream paimon_blob_reader_open_blob(const paimon_blob_reader *reader,
                                                              const uint8_t *descriptor,
                                                              size_t len);

/**
 * Frees a stream. NULL is ignored.
 *
 * `stream` is NULL or a live stream that no other call uses any more.
 */
void paimon_blob_stream_free(paimon_blob_stream *stream);

/**
 * Reads at most `len` bytes into `buffer` and moves on by as many as it says, which may be fewer; 0 is the end.
 *
 * `stream` is NULL or live, `buffer` NULL or `len` bytes that are the caller's.
 */
paimon_result_size paimon_blob_stream_read(const paimon_blob_stream *stream, uint8_t *buffer, size_t len);

/**
 * Moves to `offset`, counted from the start of the blob (`whence` 0), from the position (1) or from its end (2), and gives the new
 * position. It may lie beyond the end, where reads find nothing; before the start is PAIMON_CODE_INVALID_INPUT.
 *
 * `stream` is NULL or live.
 */
paimon_result_size paimon_blob_stream_seek(const paimon_blob_stream *stream,
                                           int64_t offset,
                                           int32_t whence);

/**
 * Makes a token. The caller owns it and gives it to `paimon_cancel_token_free`.
 */
paimon_result_cancel_token paimon_cancel_token_new(void);

/**
 * From now on the calls of this thread that wait for storage or a server end early once the token is cancelled, until the thread enters
 * another token, or NULL, which stands for none. The token may be freed meanwhile.
 *
 * A call that reads, or one that changes something and has not begun, then is PAIMON_CODE_CANCELLED. A reader or a write is then
 * over, as after any error. A call that changes what is stored is given a moment to end, and gives its result if it does, else it is
 * PAIMON_CODE_OUTCOME_UNKNOWN. Calls that free wait for storage whatever was entered, but not long. When a call has returned nothing of
 * it uses the caller's memory any more.
 *
 * `token` is NULL or live.
 */
void paimon_cancel_token_enter(const paimon_cancel_token *token);

/**
 * Ends the calls of all threads that have entered the token, now and later. It does not wait for them.
 *
 * `token` is NULL or live.
 */
paimon_error *paimon_cancel_token_cancel(const paimon_cancel_token *token);

/**
 * Frees a token, which threads may have entered. NULL is ignored.
 *
 * `token` is NULL or a live token that no other call uses any more.
 */
void paimon_cancel_token_free(paimon_cancel_token *token);

/**
 * Opens a catalog. The options are Paimon's: `warehouse`, `metastore` (`filesystem` or `rest`), `uri`, `s3.*`, ... Nothing is
 * created, and a filesystem catalog is not contacted before the first call that needs it, save that a local warehouse that is there and is
 * no folder is PAIMON_CODE_INVALID_INPUT.
 *
 * `options` and its strings are borrowed. On success the caller owns the catalog and gives it to `paimon_catalog_free`.
 *
 * `options` is NULL or points to `len` options whose strings are NUL-terminated.
 */
paimon_result_catalog paimon_catalog_create(const paimon_option *options,
                                                   size_t len);

/**
 * Frees a catalog; tables opened from it stay valid. NULL is ignored.
 *
 * `catalog` is NULL or a live catalog that no other call uses any more.
 */
void paimon_catalog_free(paimon_catalog *catalog);

/**
 * Names a table: a database, and an object in it. A name that cannot be a folder's is PAIMON_CODE_INVALID_INPUT.
 *
 * Both strings are borrowed. The caller owns the identifier and gives it to `paimon_identifier_free`.
 *
 * `database` and `object` are NULL or NUL-terminated.
 */
paimon_result_identifier paimon_identifier_new(const char *database, const char *object);

/**
 * Frees an identifier. NULL is ignored.
 *
 * `identifier` is NULL or a live identifier that no other call uses any more.
 */
void paimon_identifier_free(paimon_identifier *identifier);

/**
 * Lists the databases as a JSON array of strings, sorted.
 *
 * `catalog` is NULL or live.
 */
paimon_result_bytes paimon_catalog_list_databases(const paimon_catalog *catalog);

/**
 * Creates a database. When it exists, this is PAIMON_CODE_DATABASE_ALREADY_EXIST or, if `ignore_if_exists`, nothing happens.
 *
 * `catalog` is NULL or live, `name` NULL or NUL-terminated, `properties` NULL or `len` options with NUL-terminated strings.
 */
paimon_error *paimon_catalog_create_database(const paimon_catalog *catalog,
                                             const char *name,
                                             const paimon_option *properties,
                                             size_t len,
                                             bool ignore_if_exists);

/**
 * Drops a database. One that holds tables is PAIMON_CODE_DATABASE_NOT_EMPTY unless `cascade`, which drops them and their data
 * too; a missing one is PAIMON_CODE_DATABASE_NOT_EXIST unless `ignore_if_not_exists`.
 *
 * `catalog` is NULL or live, `name` NULL or NUL-terminated.
 */
paimon_error *paimon_catalog_drop_database(const paimon_catalog *catalog,
                                           const char *name,
                                           bool ignore_if_not_exists,
                                           bool cascade);

/**
 * Lists the tables of a database as a JSON array of strings, sorted. System tables are not among them.
 *
 * `catalog` is NULL or live, `database` NULL or NUL-terminated.
 */
paimon_result_bytes paimon_catalog_list_tables(const paimon_catalog *catalog, const char *database);

/**
 * Creates a table from a schema in Paimon's JSON (`fields`, `partitionKeys`, `primaryKeys`, `options`, `comment`). The
 * ids of the fields are kept, so they must differ. When the table exists, this is PAIMON_CODE_TABLE_ALREADY_EXIST or, if
 * `ignore_if_exists`, nothing happens.
 *
 * `catalog` and `identifier` are NULL or live, `schema` is NULL or NUL-terminated.
 */
paimon_error *paimon_catalog_create_table(const paimon_catalog *catalog,
                                          const paimon_identifier *identifier,
                                          const char *schema,
                                          bool ignore_if_exists);

/**
 * Drops a table and its data. A missing one is PAIMON_CODE_TABLE_NOT_EXIST unless `ignore_if_not_exists`.
 *
 * `catalog` and `identifier` are NULL or live.
 */
paimon_error *paimon_catalog_drop_table(const paimon_catalog *catalog,
                                        const paimon_identifier *identifier,
                                        bool ignore_if_not_exists);

/**
 * Opens a table, one of its branches (`t$branch_b`), or one of its system tables (`t$snapshots`, `t$branch_b$tags`). A missing one is
 * PAIMON_CODE_TABLE_NOT_EXIST, PAIMON_CODE_DATABASE_NOT_EXIST when its database is missing, or PAIMON_CODE_BRANCH_NOT_EXIST; a
 * system table that this library does not have is PAIMON_CODE_UNSUPPORTED.
 *
 * The rows of a system table are those of the moment at which its read builder is made, so take scan and read from one builder.
 *
 * On success the caller owns the table, which stays valid after the catalog is freed, and gives it to `paimon_table_free`.
 *
 * `catalog` and `identifier` are NULL or live.
 */
paimon_result_table paimon_catalog_get_table(const paimon_catalog *catalog,
                                                    const paimon_identifier *identifier);

/**
 * Renames a table, within its database or into another. A missing one is PAIMON_CODE_TABLE_NOT_EXIST unless
 * `ignore_if_not_exists`; a name that is taken is PAIMON_CODE_TABLE_ALREADY_EXIST, a missing database PAIMON_CODE_DATABASE_NOT_EXIST.
 * Tables that are open under the old name lose their files.
 *
 * `catalog`, `from` and `to` are NULL or live.
 */
paimon_error *paimon_catalog_rename_table(const paimon_catalog *catalog,
                                          const paimon_identifier *from,
                                          const paimon_identifier *to,
                                          bool ignore_if_not_exists);

/**
 * Frees an error. NULL is ignored.
 *
 * `error` is NULL or an error from this library that was not freed before.
 */
void paimon_error_free(paimon_error *error);

/**
 * Frees bytes that this library returned. `{NULL, 0}` is ignored.
 *
 * `bytes` comes from this library and was not freed before.
 */
void paimon_bytes_free(paimon_bytes bytes);

/**
 * How many objects of this library (handles, errors; not bytes or batches) its callers hold.
 */
int64_t paimon_live_handles(void);

/**
 * `column = literal`. NaN equals NaN, and 0.0 equals -0.0.
 * NULL where the column is. See `paimon_predicate_free` for what all predicates have in common.
 *
 * `table` is NULL or live, `column` NULL or NUL-terminated, and the literal's bytes live for the call.
 */
paimon_result_predicate paimon_predicate_equal(const paimon_table *table,
                                                      const char *column,
                                                      paimon_datum literal);

/**
 * `column <> literal`.
 * NULL where the column is. See `paimon_predicate_free` for what all predicates have in common.
 *
 * `table` is NULL or live, `column` NULL or NUL-terminated, and the literal's bytes live for the call.
 */
paimon_result_predicate paimon_predicate_not_equal(const paimon_table *table,
                                                          const char *column,
                                                          paimon_datum literal);

/**
 * `column < literal`. NaN is larger than every other number; text and bytes compare byte by byte, unsigned.
 * NULL where the column is. See `paimon_predicate_free` for what all predicates have in common.
 *
 * `table` is NULL or live, `column` NULL or NUL-terminated, and the literal's bytes live for the call.
 */
paimon_result_predicate paimon_predicate_less_than(const paimon_table *table,
                                                          const char *column,
                                                          paimon_datum literal);

/**
 * `column <= literal`.
 * NULL where the column is. See `paimon_predicate_free` for what all predicates have in common.
 *
 * `table` is NULL or live, `column` NULL or NUL-terminated, and the literal's bytes live for the call.
 */
paimon_result_predicate paimon_predicate_less_or_equal(const paimon_table *table,
                                                              const char *column,
                                                              paimon_datum literal);

/**
 * `column > literal`.
 * NULL where the column is. See `paimon_predicate_free` for what all predicates have in common.
 *
 * `table` is NULL or live, `column` NULL or NUL-terminated, and the literal's bytes live for the call.
 */
paimon_result_predicate paimon_predicate_greater_than(const paimon_table *table,
                                                             const char *column,
                                                             paimon_datum literal);

/**
 * `column >= literal`.
 * NULL where the column is. See `paimon_predicate_free` for what all predicates have in common.
 *
 * `table` is NULL or live, `column` NULL or NUL-terminated, and the literal's bytes live for the call.
 */
paimon_result_predicate paimon_predicate_greater_or_equal(const paimon_table *table,
                                                                 const char *column,
                                                                 paimon_datum literal);

/**
 * Text that begins with the literal.
 * NULL where the column is. See `paimon_predicate_free` for what all predicates have in common.
 *
 * `table` is NULL or live, `column` NULL or NUL-terminated, and the literal's bytes live for the call.
 */
paimon_result_predicate paimon_predicate_starts_with(const paimon_table *table,
                                                            const char *column,
                                                            paimon_datum literal);

/**
 * Text that ends with the literal.
 * NULL where the column is. See `paimon_predicate_free` for what all predicates have in common.
 *
 * `table` is NULL or live, `column` NULL or NUL-terminated, and the literal's bytes live for the call.
 */
paimon_result_predicate paimon_predicate_ends_with(const paimon_table *table,
                                                          const char *column,
                                                          paimon_datum literal);

/**
 * Text that contains the literal.
 * NULL where the column is. See `paimon_predicate_free` for what all predicates have in common.
 *
 * `table` is NULL or live, `column` NULL or NUL-terminated, and the literal's bytes live for the call.
 */
paimon_result_predicate paimon_predicate_contains(const paimon_table *table,
                                                         const char *column,
                                                         paimon_datum literal);

/**
 * `column LIKE literal`: `%` stands for any text, `_` for one character, and a backslash takes the special meaning from the
 * character after it.
 * NULL where the column is. See `paimon_predicate_free` for what all predicates have in common.
 *
 * `table` is NULL or live, `column` NULL or NUL-terminated, and the literal's bytes live for the call.
 */
paimon_result_predicate paimon_predicate_like(const paimon_table *table,
                                                     const char *column,
                                                     paimon_datum literal);

/**
 * `column IS NULL`, for columns of every type. Never NULL itself.
 *
 * `table` is NULL or live, `column` NULL or NUL-terminated.
 */
paimon_result_predicate paimon_predicate_is_null(const paimon_table *table, const char *column);

/**
 * `column IS NOT NULL`, for columns of every type. Never NULL itself.
 *
 * `table` is NULL or live, `column` NULL or NUL-terminated.
 */
paimon_result_predicate paimon_predicate_is_not_null(const paimon_table *table, const char *column);

/**
 * `column IN (literals)`: NULL where the column is, but false for every row when there are no literals.
 *
 * `table` is NULL or live, `column` NULL or NUL-terminated, `literals` NULL or `len` literals whose bytes live for the call.
 */
paimon_result_predicate paimon_predicate_is_in(const paimon_table *table,
                                                      const char *column,
                                                      const paimon_datum *literals,
                                                      size_t len);

/**
 * `column NOT IN (literals)`: NULL where the column is, but true for every row when there are no literals.
 *
 * `table` is NULL or live, `column` NULL or NUL-terminated, `literals` NULL or `len` literals whose bytes live for the call.
 */
paimon_result_predicate paimon_predicate_is_not_in(const paimon_table *table,
                                                          const char *column,
                                                          const paimon_datum *literals,
                                                          size_t len);

/**
 * `low <= column AND column <= high`. NULL where the column is.
 *
 * `table` is NULL or live, `column` NULL or NUL-terminated, and the literals' bytes live for the call.
 */
paimon_result_predicate paimon_predicate_between(const paimon_table *table,
                                                        const char *column,
                                                        paimon_datum low,
                                                        paimon_datum high);

/**
 * `column < low OR column > high`. NULL where the column is.
 *
 * `table` is NULL or live, `column` NULL or NUL-terminated, and the literals' bytes live for the call.
 */
paimon_result_predicate paimon_predicate_not_between(const paimon_table *table,
                                                            const char *column,
                                                            paimon_datum low,
                                                            paimon_datum high);

/**
 * True where all of `len` predicates are, one or more of them; NULL counts as unknown. They are borrowed, stay the caller's, and can be
 * freed or used again. One that nests too deep is PAIMON_CODE_INVALID_INPUT.
 *
 * `predicates` is NULL or points to `len` predicates, each NULL or live.
 */
paimon_result_predicate paimon_predicate_and(const paimon_predicate *const *predicates,
                                                    size_t len);

/**
 * True where one of `len` predicates is, one or more of them; NULL counts as unknown. They are borrowed, stay the caller's, and can be
 * freed or used again. One that nests too deep is PAIMON_CODE_INVALID_INPUT.
 *
 * `predicates` is NULL or points to `len` predicates, each NULL or live.
 */
paimon_result_predicate paimon_predicate_or(const paimon_predicate *const *predicates,
                                                   size_t len);

/**
 * True where the predicate is false, false where it is true, and NULL where it is NULL. The operand is borrowed and stays the caller's.
 *
 * `predicate` is NULL or live.
 */
paimon_result_predicate paimon_predicate_not(const paimon_predicate *predicate);

/**
 * Frees a predicate; what was made from it stays valid. NULL is ignored.
 *
 * The functions that make a condition on one column look at the table for the column and its type: a column that is not there is
 * PAIMON_CODE_COLUMN_NOT_EXIST, a literal that the column cannot be compared with PAIMON_CODE_INVALID_INPUT. Literals are borrowed
 * for the call. The caller owns the predicate, which does not hold the table.
 *
 * `predicate` is NULL or a live predicate that no other call uses any more.
 */
void paimon_predicate_free(paimon_predicate *predicate);

/**
 * Frees a read builder; scans and reads made from it stay valid. NULL is ignored.
 *
 * `builder` is NULL or a live builder that no other call uses any more.
 */
void paimon_read_builder_free(paimon_read_builder *builder);

/**
 * Reads only these columns, in this order; none at all gives batches without columns. A name that no column has, even ignoring
 * case, is PAIMON_CODE_COLUMN_NOT_EXIST here; one that differs in case, or stands twice, fails at `paimon_read_builder_new_read`.
 *
 * `builder` is NULL or live, `columns` NULL or `len` NUL-terminated strings.
 */
paimon_error *paimon_read_builder_with_projection(const paimon_read_builder *builder,
                                                  const char *const *columns,
                                                  size_t len);

/**
 * Whether the projection's names must match in case, which is the default. It may be set before or after the projection.
 *
 * `builder` is NULL or live.
 */
paimon_error *paimon_read_builder_with_case_sensitive(const paimon_read_builder *builder,
                                                      bool case_sensitive);

/**
 * How many splits, or files of splits, a reader reads at the same time; 1 if this is never called. With more than one their batches come
 * as they are ready, those of one split or file in its order. 0 is PAIMON_CODE_INVALID_INPUT.
 *
 * `builder` is NULL or live.
 */
paimon_error *paimon_read_builder_with_parallelism(const paimon_read_builder *builder,
                                                   size_t parallelism);

/**
 * How many bytes of batches a reader may have read before they are asked for; 64 MiB if this is never called. One batch is read
 * ahead however large it is, and 4 at most. Beside them each split that is being read has one in work.
 *
 * `builder` is NULL or live.
 */
paimon_error *paimon_read_builder_with_read_ahead(const paimon_read_builder *builder,
                                                  size_t limit_bytes);

/**
 * Says how many rows are wanted. The plan may leave out files that are not needed for so many, and no reader gives more rows: several
 * readers of one plan count each for itself.
 *
 * `builder` is NULL or live.
 */
paimon_error *paimon_read_builder_with_limit(const paimon_read_builder *builder,
                                             size_t limit);

/**
 * Makes the reads that come from this builder from now on stay within a memory budget, which lives on as long as they do: a batch
 * that would exceed it is PAIMON_CODE_RESOURCE_EXHAUSTED, and ends its reader.
 *
 * `builder` and `context` are NULL or live.
 */
paimon_error *paimon_read_builder_with_resources(const paimon_read_builder *builder,
                                                 const paimon_resource_context *context);

/**
 * Reads only the rows for which the predicate is true: neither false nor NULL. It replaces an earlier filter. The predicate is borrowed for
 * the call. It may come from another table handle: its columns are looked up by name in the table that the builder reads, and one that is not
 * there, or has a type that the literal does not fit, is an error.
 *
 * `builder` and `predicate` are NULL or live.
 */
paimon_error *paimon_read_builder_with_filter(const paimon_read_builder *builder,
                                              const paimon_predicate *predicate);

/**
 * Whether files and row groups may be left out that the filter rules out, which is the default. The rows are the same either way; this is
 * to find out what is wrong when they are not.
 *
 * `builder` is NULL or live.
 */
paimon_error *paimon_read_builder_with_filter_pushdown(const paimon_read_builder *builder,
                                                       bool enabled);

/**
 * The table that the builder reads, with the schema that its rows will have. The caller owns it and gives it to `paimon_table_free`.
 *
 * `builder` is NULL or live.
 */
paimon_result_table paimon_read_builder_table(const paimon_read_builder *builder);

/**
 * Makes a scan with the builder's settings. The caller owns it and gives it to `paimon_table_scan_free`.
 *
 * `builder` is NULL or live.
 */
paimon_result_table_scan paimon_read_builder_new_scan(const paimon_read_builder *builder);

/**
 * Makes a read with the builder's settings. The caller owns it and gives it to `paimon_table_read_free`.
 *
 * `builder` is NULL or live.
 */
paimon_result_table_read paimon_read_builder_new_read(const paimon_read_builder *builder);

/**
 * Frees a scan; plans made by it stay valid. NULL is ignored.
 *
 * `scan` is NULL or a live scan that no other call uses any more.
 */
void paimon_table_scan_free(paimon_table_scan *scan);

/**
 * Plans a read of the snapshot that is the latest now, or of the one that the read's options named. The caller owns the plan and gives it to `paimon_plan_free`.
 *
 * `scan` is NULL or live.
 */
paimon_result_plan paimon_table_scan_plan(const paimon_table_scan *scan);

/**
 * Frees a plan; readers made from it stay valid. NULL is ignored.
 *
 * `plan` is NULL or a live plan that no other call uses any more.
 */
void paimon_plan_free(paimon_plan *plan);

/**
 * How many splits the plan has.
 *
 * `plan` is NULL or live.
 */
paimon_result_size paimon_plan_num_splits(const paimon_plan *plan);

/**
 * One split of the plan, `index` from 0, in the bytes that Java's SplitSerializer writes (version 1, DataSplit version 9).
 *
 * `plan` is NULL or live.
 */
paimon_result_bytes paimon_plan_split_bytes(const paimon_plan *plan,
                                            size_t index);

/**
 * What there is to say about the plan's splits, in their order, as a JSON array of objects: `rowCount`, the rows of a split's files
 * before deletes and merging, so far as it is known; `bucket`; and `partition`, an array of pairs of a partition key and its value as
 * folder names have it, which is null when they do not say.
 *
 * `plan` is NULL or live.
 */
paimon_result_bytes paimon_plan_describe_splits(const paimon_plan *plan);

/**
 * Makes a plan of splits in the bytes that `paimon_plan_split_bytes` gives, in this order. The caller owns it and gives it to
 * `paimon_plan_free`. Bytes that are not such a split are PAIMON_CODE_INVALID_INPUT or PAIMON_CODE_UNSUPPORTED.
 *
 * `splits` is NULL or points to `len` byte runs; all are borrowed.
 */
paimon_result_plan paimon_plan_from_split_bytes(const paimon_bytes *splits,
                                                       size_t len);

/**
 * Frees a read; readers made by it stay valid. NULL is ignored.
 *
 * `read` is NULL or a live read that no other call uses any more.
 */
void paimon_table_read_free(paimon_table_read *read);

/**
 * The schema of the batches that the read gives, whatever there is to read: a batch of which there is the schema alone, `array` being
 * NULL. The caller owns it and gives it to `paimon_arrow_batch_free`.
 *
 * `read` is NULL or live.
 */
paimon_result_batch paimon_table_read_schema(const paimon_table_read *read);

/**
 * Reads `length` splits of the plan, from `offset` on, one after the other. The caller owns the reader, which stays valid after
 * plan, read and table are freed, and gives it to `paimon_record_batch_reader_free`. A range that does not lie within the plan,
 * or is empty, is PAIMON_CODE_INVALID_INPUT.
 *
 * `read` and `plan` are NULL or live.
 */
paimon_result_record_batch_reader paimon_table_read_to_arrow(const paimon_table_read *read,
                                                                    const paimon_plan *plan,
                                                                    size_t offset,
                                                                    size_t length);

/**
 * Frees a reader; batches it gave stay valid. What it reads ahead is stopped; what is being decoded may take a moment more. NULL is ignored.
 *
 * `reader` is NULL or a live reader that no other call uses any more.
 */
void paimon_record_batch_reader_free(paimon_record_batch_reader *reader);

/**
 * The next batch. The caller owns it, independent of the reader and everything else, and gives it to `paimon_arrow_batch_free`.
 * Its `schema` is NULL when it is that of the batch before: only the first, and one whose schema differs, come with theirs.
 * At the end, and after an error, there is no batch and no error, however often it is called.
 *
 * The first call begins to read, and from then on batches are read ahead: see `paimon_read_builder_with_read_ahead`.
 *
 * `reader` is NULL or live.
 */
paimon_result_batch paimon_record_batch_reader_next(const paimon_record_batch_reader *reader);

/**
 * Makes a budget of so many bytes; of 0 nothing can be reserved. The caller owns it and gives it to `paimon_resource_context_free`.
 */
paimon_result_resource_context paimon_resource_context_new(size_t memory_limit_bytes);

/**
 * Frees a budget. What took it goes on to stay within it. NULL is ignored.
 *
 * `context` is NULL or a live budget that no other call uses any more.
 */
void paimon_resource_context_free(paimon_resource_context *context);

/**
 * What is reserved of the budget.
 *
 * `context` is NULL or live.
 */
paimon_result_resource_metrics paimon_resource_context_metrics(const paimon_resource_context *context);

/**
 * Frees a table; builders, scans, reads, writes and commits made from it stay valid. NULL is ignored.
 *
 * `table` is NULL or a live table that no other call uses any more.
 */
void paimon_table_free(paimon_table *table);

/**
 * The table's schema as of its opening, in the JSON of Paimon's schema files.
 *
 * `table` is NULL or live.
 */
paimon_result_bytes paimon_table_schema(const paimon_table *table);

/**
 * The path or URL of the table's folder.
 *
 * `table` is NULL or live.
 */
paimon_result_bytes paimon_table_location(const paimon_table *table);

/**
 * The table's newest snapshot now, in the JSON of Paimon's snapshot files; `{NULL, 0}` when it has none.
 *
 * `table` is NULL or live.
 */
paimon_result_bytes paimon_table_latest_snapshot(const paimon_table *table);

/**
 * One snapshot of the table, in the JSON of Paimon's snapshot files. A missing one, expired or not there yet, is
 * PAIMON_CODE_SNAPSHOT_NOT_EXIST.
 *
 * `table` is NULL or live.
 */
paimon_result_bytes paimon_table_snapshot(const paimon_table *table, int64_t snapshot_id);

/**
 * All snapshots of the table that have not expired, oldest first, as a JSON array of Paimon's snapshot files.
 *
 * `table` is NULL or live.
 */
paimon_result_bytes paimon_table_list_snapshots(const paimon_table *table);

/**
 * Starts a read of the table. The caller owns the builder and gives it to `paimon_read_builder_free`.
 *
 * `table` is NULL or live.
 */
paimon_result_read_builder paimon_table_new_read_builder(const paimon_table *table);

/**
 * Starts a read of the table with options of this read alone, such as `read.batch-size`, or one of `scan.timestamp-millis`,
 * `scan.timestamp`, `scan.watermark`, `scan.version`, `scan.snapshot-id` and `scan.tag-name`, which travel to an earlier snapshot and
 * its schema. More than one of these, or one that leads to no snapshot, is PAIMON_CODE_INVALID_INPUT; of the latter
 * PAIMON_CODE_TRAVEL_SNAPSHOT_NOT_EXIST and PAIMON_CODE_TRAVEL_TAG_NOT_EXIST are kinds. The caller owns the builder and gives it to
 * `paimon_read_builder_free`.
 *
 * `table` is NULL or live, `options` NULL or `len` options with NUL-terminated strings.
 */
paimon_result_read_builder paimon_table_new_read_builder_with_options(const paimon_table *table,
                                                                             const paimon_option *options,
                                                                             size_t len);

/**
 * Starts a write to the table under a commit user of its own (a random UUID). The caller owns the builder and gives it to
 * `paimon_write_builder_free`.
 *
 * `table` is NULL or live.
 */
paimon_result_write_builder paimon_table_new_write_builder(const paimon_table *table);

/**
 * Starts a write to the table under a given commit user: a name that stays the same when a job is retried, so that its commit
 * identifiers are recognised. It becomes part of file names: no path separators, no control characters, not empty.
 *
 * `table` is NULL or live, `commit_user` NULL or NUL-terminated.
 */
paimon_result_write_builder paimon_table_new_write_builder_with_commit_user(const paimon_table *table,
                                                                                   const char *commit_user);

/**
 * Starts a write to fixed buckets of a table with `bucket = -2`, whose rows are visible as soon as they are committed, under a commit
 * user of its own (a random UUID). It has to be told the number of buckets (`paimon_write_builder_with_bucket_plan`) unless the table
 * says it (`postpone.default-bucket-num`), and its writes can be prepared once. The caller owns the builder and gives it to
 * `paimon_write_builder_free`.
 *
 * `table` is NULL or live.
 */
paimon_result_write_builder paimon_table_new_postpone_fixed_bucket_write_builder(const paimon_table *table);

/**
 * As `paimon_table_new_postpone_fixed_bucket_write_builder`, under a given commit user.
 *
 * `table` is NULL or live, `commit_user` NULL or NUL-terminated.
 */
paimon_result_write_builder paimon_table_new_postpone_fixed_bucket_write_builder_with_commit_user(const paimon_table *table,
                                                                                                         const char *commit_user);

/**
 * Names a snapshot: `*snapshot_id`, or the latest where that is NULL. A name that is taken is PAIMON_CODE_TAG_ALREADY_EXIST, or, if
 * `ignore_if_exists`, nothing happens. A table without that snapshot is PAIMON_CODE_SNAPSHOT_NOT_EXIST. `time_retained`, such as
 * "36h", is how long Paimon's maintenance keeps the tag; NULL is for ever.
 *
 * `catalog` and `identifier` are NULL or live, `tag` and `time_retained` are NULL or NUL-terminated, `snapshot_id` is NULL or points
 * to a number.
 */
paimon_error *paimon_catalog_create_tag(const paimon_catalog *catalog,
                                        const paimon_identifier *identifier,
                                        const char *tag,
                                        const int64_t *snapshot_id,
                                        const char *time_retained,
                                        bool ignore_if_exists);

/**
 * The tag and its snapshot, as JSON: `tagName`, `snapshot` as in Paimon's snapshot files, `tagCreateTime` in milliseconds since the
 * epoch, `tagTimeRetained` as an ISO 8601 duration; the last two are null when they are not known. A missing tag is
 * PAIMON_CODE_TAG_NOT_EXIST.
 *
 * `catalog` and `identifier` are NULL or live, `tag` is NULL or NUL-terminated.
 */
paimon_result_bytes paimon_catalog_get_tag(const paimon_catalog *catalog,
                                           const paimon_identifier *identifier,
                                           const char *tag);

/**
 * Deletes a tag. A missing one is PAIMON_CODE_TAG_NOT_EXIST unless `ignore_if_not_exists`. One whose snapshot has expired keeps data
 * files alive that only Paimon's maintenance can delete: PAIMON_CODE_UNSUPPORTED on a filesystem catalog.
 *
 * `catalog` and `identifier` are NULL or live, `tag` is NULL or NUL-terminated.
 */
paimon_error *paimon_catalog_delete_tag(const paimon_catalog *catalog,
                                        const paimon_identifier *identifier,
                                        const char *tag,
                                        bool ignore_if_not_exists);

/**
 * All tags, sorted by name, as a JSON array of what `paimon_catalog_get_tag` gives.
 *
 * `catalog` and `identifier` are NULL or live.
 */
paimon_result_bytes paimon_catalog_list_tags(const paimon_catalog *catalog, const paimon_identifier *identifier);

/**
 * Makes a branch of the table: from a tag, whose snapshot it starts with, or, where `tag` is NULL, empty with the table's schema. A
 * name that is taken is PAIMON_CODE_BRANCH_ALREADY_EXIST, a missing tag PAIMON_CODE_TAG_NOT_EXIST. A REST catalog's branches
 * are its server's: PAIMON_CODE_UNSUPPORTED.
 *
 * `catalog` and `identifier` are NULL or live, `branch` and `tag` are NULL or NUL-terminated.
 */
paimon_error *paimon_catalog_create_branch(const paimon_catalog *catalog,
                                           const paimon_identifier *identifier,
                                           const char *branch,
                                           const char *tag);

/**
 * Drops a branch and all that was written to it alone. A missing one is PAIMON_CODE_BRANCH_NOT_EXIST unless `ignore_if_not_exists`.
 *
 * `catalog` and `identifier` are NULL or live, `branch` is NULL or NUL-terminated.
 */
paimon_error *paimon_catalog_drop_branch(const paimon_catalog *catalog,
                                         const paimon_identifier *identifier,
                                         const char *branch,
                                         bool ignore_if_not_exists);

/**
 * The names of all branches but the main one, sorted, as a JSON array of objects: `name`, `schemaId` of its latest schema, and
 * `snapshot`, its latest, or null.
 *
 * `catalog` and `identifier` are NULL or live.
 */
paimon_result_bytes paimon_catalog_list_branches(const paimon_catalog *catalog,
                                                 const paimon_identifier *identifier);

/**
 * Frees a write builder; writes and commits made from it stay valid. NULL is ignored.
 *
 * `builder` is NULL or a live builder that no other call uses any more.
 */
void paimon_write_builder_free(paimon_write_builder *builder);

/**
 * Makes the writes and commits that come from this builder from now on overwrites.
 *
 * `builder` is NULL or live.
 */
paimon_error *paimon_write_builder_with_overwrite(const paimon_write_builder *builder);

/**
 * Makes the writes that come from this builder from now on stay within a memory budget, which lives on as long as they do: a call
 * that would exceed it is PAIMON_CODE_RESOURCE_EXHAUSTED.
 *
 * `builder` and `context` are NULL or live.
 */
paimon_error *paimon_write_builder_with_resources(const paimon_write_builder *builder,
                                                  const paimon_resource_context *context);

/**
 * Says, for the writes that come from this builder from now on, how many buckets each partition has: a batch of the partition columns
 * and a last column `total_buckets` of type Int32, one row for each partition, as a struct array. The contents of `array` and `schema`
 * pass to this call as they do to `paimon_table_write_write_arrow_batch`, but are copied and released before it returns. Only builders of fixed-bucket writes take one.
 *
 * `builder` is NULL or live; `array` and `schema` are NULL or point to initialised structs whose buffers are as long as they say.
 */
paimon_error *paimon_write_builder_with_bucket_plan(const paimon_write_builder *builder,
                                                    void *array,
                                                    void *schema);

/**
 * Says that another job compacts the table. Tables with a primary key and deletion vectors, or the merge engine first-row, show
 * rows only once they are compacted, and this library does not compact: writes to them are refused otherwise.
 *
 * `builder` is NULL or live.
 */
paimon_error *paimon_write_builder_with_write_only(const paimon_write_builder *builder);

/**
 * Makes a write. One whose rows would stay invisible is PAIMON_CODE_UNSUPPORTED: see `paimon_write_builder_with_write_only`. The
 * caller owns it and gives it to `paimon_table_write_free`.
 *
 * `builder` is NULL or live.
 */
paimon_result_table_write paimon_write_builder_new_write(const paimon_write_builder *builder);

/**
 * Makes a commit, whose mode is the builder's now. The caller owns it and gives it to `paimon_table_commit_free`.
 *
 * `builder` is NULL or live.
 */
paimon_result_table_commit paimon_write_builder_new_commit(const paimon_write_builder *builder);

/**
 * Frees a write. What was not prepared is dropped and its files are deleted, as far as the storage lets it within ten seconds; messages
 * it gave stay valid. NULL is ignored.
 *
 * `write` is NULL or a live write that no other call uses any more.
 */
void paimon_table_write_free(paimon_table_write *write);

/**
 * Writes a record batch, given as a struct array of the Arrow C Data Interface whose fields are the table's columns, in any
 * order. Values of other types are converted if nothing is lost. A batch that does not fit the table is
 * PAIMON_CODE_INVALID_INPUT before anything of it is written, and the write can go on.
 *
 * When `write`, `array` and `schema` are not NULL the contents of both structs pass to this call, on failure too, and they are left
 * released (`release` is NULL) when it returns. The structs themselves stay the caller's. The record is not copied: the array's
 * release callback runs, on any thread, when its memory is not used any more, which may be after this call, but is not after the write was
 * freed, or after a commit was prepared, unless a call of this write was called off. Until then the memory must not change. A
 * caller that lends its memory for the length of the call alone uses `paimon_borrowed_array_release` without a loan.
 *
 * `write` is NULL or live; `array` and `schema` are NULL or point to initialised structs whose buffers are as long as they say.
 */
paimon_error *paimon_table_write_write_arrow_batch(const paimon_table_write *write,
                                                   void *array,
                                                   void *schema);

/**
 * Finishes the files of all that was written since the last time and returns their messages. The write can be used again, but not one
 * to fixed buckets of a postpone table.
 * The caller owns the messages and gives them to `paimon_commit_messages_free`.
 *
 * `write` is NULL or live.
 */
paimon_result_commit_messages paimon_table_write_prepare_commit(const paimon_table_write *write);

/**
 * Frees messages. Their files stay: commit or abort them before. NULL is ignored.
 *
 * `messages` is NULL or live messages that no other call uses any more.
 */
void paimon_commit_messages_free(paimon_commit_messages *messages);

/**
 * Appends a copy of `source`'s messages to `target`; both stay valid. They must be of one table, commit user and mode, and two
 * different objects, else PAIMON_CODE_INVALID_INPUT.
 *
 * `target` and `source` are NULL or live.
 */
paimon_error *paimon_commit_messages_merge(const paimon_commit_messages *target,
                                           const paimon_commit_messages *source);

/**
 * Frees a commit. NULL is ignored.
 *
 * `commit` is NULL or a live commit that no other call uses any more.
 */
void paimon_table_commit_free(paimon_table_commit *commit);

/**
 * Commits the messages as an append, once: it takes the largest commit identifier. The messages stay the caller's and may be
 * committed again after a failure; after a success that is PAIMON_CODE_INVALID_INPUT.
 *
 * `commit` and `messages` are NULL or live.
 */
paimon_error *paimon_table_commit_commit(const paimon_table_commit *commit,
                                         const paimon_commit_messages *messages);

/**
 * Commits the messages as an append under an identifier, which must grow from commit to commit of one user. It is not checked
 * whether that identifier was committed before (only these very messages cannot be committed twice);
 * `paimon_table_commit_filter_and_commit_with_identifier` does.
 *
 * `commit` and `messages` are NULL or live.
 */
paimon_error *paimon_table_commit_commit_with_identifier(const paimon_table_commit *commit,
                                                         const paimon_commit_messages *messages,
                                                         int64_t identifier);

/**
 * Commits the messages as an append under an identifier unless this user committed that identifier or a later one before: then
 * nothing happens. This is how a commit whose outcome is unknown is tried again.
 *
 * `commit` and `messages` are NULL or live.
 */
paimon_error *paimon_table_commit_filter_and_commit_with_identifier(const paimon_table_commit *commit,
                                                                    const paimon_commit_messages *messages,
                                                                    int64_t identifier);

/**
 * Commits the messages as an overwrite: they replace the partitions they touch, or all of an unpartitioned table.
 *
 * `commit` and `messages` are NULL or live.
 */
paimon_error *paimon_table_commit_overwrite(const paimon_table_commit *commit, const paimon_commit_messages *messages);

/**
 * As `paimon_table_commit_overwrite`, under an identifier, unless this user committed that identifier before: then nothing
 * happens, so that a retry cannot destroy what came after.
 *
 * `commit` and `messages` are NULL or live.
 */
paimon_error *paimon_table_commit_overwrite_with_identifier(const paimon_table_commit *commit,
                                                            const paimon_commit_messages *messages,
                                                            int64_t identifier);

/**
 * Removes all rows of the table in a new snapshot.
 *
 * `commit` is NULL or live.
 */
paimon_error *paimon_table_commit_truncate_table(const paimon_table_commit *commit);

/**
 * As `paimon_table_commit_truncate_table`, under an identifier, unless this user committed that identifier before: then nothing
 * happens.
 *
 * `commit` is NULL or live.
 */
paimon_error *paimon_table_commit_truncate_table_with_identifier(const paimon_table_commit *commit,
                                                                 int64_t identifier);

/**
 * Gives the messages up and deletes their files. Messages of which a commit was ever begun are refused with
 * PAIMON_CODE_INVALID_INPUT, whatever became of it: their files may belong to a snapshot. Aborting again does nothing.
 *
 * `commit` and `messages` are NULL or live.
 */
paimon_error *paimon_table_commit_abort(const paimon_table_commit *commit, const paimon_commit_messages *messages);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* PAIMON_H */
