// SPDX-License-Identifier: Apache-2.0

package paimon_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	paimon "github.com/apache/paimon-rust/bindings/go"
	"github.com/apache/paimon-rust/bindings/go/predicate"
)

// README.md and docs/guide.md show the parts between "// [name]" and "// [/name]"; TestGuide compares them.

// [must]
// check ends the program on an error.
func check(err error) {
	if err != nil {
		panic(err)
	}
}

// must gives a result, or ends the program on an error.
func must[T any](value T, err error) T {
	check(err)
	return value
}

// [/must]

func Example() {
	warehouse := must(os.MkdirTemp("", "paimon-example-"))
	defer os.RemoveAll(warehouse)

	// [readme]
	// [open]
	catalog := must(paimon.NewCatalog(map[string]string{"warehouse": warehouse}))
	defer catalog.Close()
	// [/open]
	// [create]
	check(catalog.CreateDatabase("shop", nil, true))
	id := paimon.NewIdentifier("shop", "products")
	check(catalog.CreateTable(id, &paimon.Schema{Fields: []paimon.DataField{
		{Name: "id", Type: paimon.BigIntType().NotNull()},
		{Name: "name", Type: paimon.StringType()},
	}}, true))
	table := must(catalog.GetTable(id))
	defer table.Close()
	// [/create]

	// [append]
	columns := must(table.ArrowSchema())
	record, _, err := array.RecordFromJSON(memory.DefaultAllocator, columns,
		strings.NewReader(`[{"id": 1, "name": "apple"}, {"id": 2, "name": "bread"}]`))
	check(err)
	defer record.Release()

	writes := must(table.NewWriteBuilder())
	defer writes.Close()
	write := must(writes.NewWrite())
	defer write.Close()
	check(write.WriteArrowBatch(record))
	messages := must(write.PrepareCommit())
	defer messages.Close()
	commit := must(writes.NewCommit())
	defer commit.Close()
	check(commit.Commit(messages))
	// [/append]

	// [read]
	reads := must(table.NewReadBuilder())
	defer reads.Close()
	scan := must(reads.NewScan())
	defer scan.Close()
	plan := must(scan.Plan())
	defer plan.Close()
	if plan.NumSplits() == 0 {
		return // there is nothing to read, and a reader of nothing is an error
	}
	read := must(reads.NewRead())
	defer read.Close()
	reader := must(read.NewRecordBatchReader(plan.Splits()))
	defer reader.Close()
	for batch, err := range reader.All() {
		check(err)
		ids, names := batch.Column(0).(*array.Int64), batch.Column(1).(*array.String)
		for i := range ids.Len() {
			fmt.Println(ids.Value(i), names.Value(i))
		}
		batch.Release()
	}
	// [/read]
	// [/readme]

	// Output:
	// 1 apple
	// 2 bread
}

func ExampleCatalog() {
	warehouse := must(os.MkdirTemp("", "paimon-example-"))
	defer os.RemoveAll(warehouse)

	catalog := must(paimon.NewCatalog(map[string]string{"warehouse": warehouse}))
	defer catalog.Close()
	// [catalog]
	check(catalog.CreateDatabase("shop", nil, false))
	schema := must(paimon.SchemaFromArrow(arrow.NewSchema([]arrow.Field{
		{Name: "day", Type: arrow.FixedWidthTypes.Date32},
		{Name: "id", Type: arrow.PrimitiveTypes.Int64},
		{Name: "price", Type: &arrow.Decimal128Type{Precision: 10, Scale: 2}, Nullable: true},
	}, nil)))
	schema.PartitionKeys = []string{"day"}
	schema.PrimaryKeys = []string{"day", "id"}
	schema.Options = map[string]string{"bucket": "1"}
	check(catalog.CreateTable(paimon.NewIdentifier("shop", "sales"), schema, false))

	fmt.Println(must(catalog.ListDatabases()), must(catalog.ListTables("shop")))
	for _, field := range schema.Fields {
		fmt.Println(field.Name, field.Type)
	}

	check(catalog.DropTable(paimon.NewIdentifier("shop", "sales"), false))
	check(catalog.DropDatabase("shop", false, false))
	// [/catalog]

	// Output:
	// [shop] [sales]
	// day DATE NOT NULL
	// id BIGINT NOT NULL
	// price DECIMAL(10, 2)
}

func ExampleTableWrite_WriteArrowBatch() {
	// [primary-key]
	table, done := newTable(&paimon.Schema{
		Fields: []paimon.DataField{
			{Name: "id", Type: paimon.BigIntType().NotNull()},
			{Name: "name", Type: paimon.StringType()},
		},
		PrimaryKeys: []string{"id"},
		Options:     map[string]string{"bucket": "1"},
	})
	defer done()
	columns := must(table.ArrowSchema())
	write(table, record(columns, `[{"id": 1, "name": "apple"}, {"id": 2, "name": "bread"}]`))
	write(table, record(columns, `[{"id": 2, "name": "baguette"}, {"id": 3, "name": "cheese"}]`))
	printRows(table)
	// [/primary-key]

	// [delete]
	kind := arrow.Field{Name: "_VALUE_KIND", Type: arrow.PrimitiveTypes.Int8}
	withKind := arrow.NewSchema(append(columns.Fields(), kind), nil)
	write(table, record(withKind, `[{"id": 1, "name": "apple", "_VALUE_KIND": 3}]`))
	// [/delete]
	printRows(table)

	// Output:
	// {"id":1,"name":"apple"}
	// {"id":2,"name":"baguette"}
	// {"id":3,"name":"cheese"}
	//
	// {"id":2,"name":"baguette"}
	// {"id":3,"name":"cheese"}
}

func ExampleWriteBuilder_WithOverwrite() {
	table, done := newTable(&paimon.Schema{
		Fields: []paimon.DataField{
			{Name: "day", Type: paimon.StringType()},
			{Name: "amount", Type: paimon.IntType()},
		},
		PartitionKeys: []string{"day"},
	})
	defer done()
	columns := must(table.ArrowSchema())
	write(table, record(columns, `[{"day": "mon", "amount": 1}, {"day": "mon", "amount": 2}, {"day": "tue", "amount": 3}]`))

	// [overwrite]
	builder := must(table.NewWriteBuilder())
	defer builder.Close()
	check(builder.WithOverwrite())
	messages := prepare(builder, record(columns, `[{"day": "mon", "amount": 10}]`))
	defer messages.Close()
	commit := must(builder.NewCommit())
	defer commit.Close()
	check(commit.Commit(messages))
	printRows(table)
	// [/overwrite]

	// Unordered output:
	// {"amount":10,"day":"mon"}
	// {"amount":3,"day":"tue"}
}

func ExampleTableCommit_FilterAndCommitWithIdentifier() {
	table, done := newTable(products())
	defer done()
	columns := must(table.ArrowSchema())

	// [identifier]
	builder := must(table.NewWriteBuilderWithCommitUser("nightly-import"))
	defer builder.Close()
	messages := prepare(builder, record(columns, `[{"id": 1, "name": "apple"}]`))
	defer messages.Close()
	commit := must(builder.NewCommit())
	defer commit.Close()

	const run = 20240501 // grows from one commit of this user to the next
	check(commit.FilterAndCommitWithIdentifier(messages, run))
	check(commit.FilterAndCommitWithIdentifier(messages, run)) // a retry: run is committed, so nothing happens
	printRows(table)
	snapshot := must(table.LatestSnapshot())
	fmt.Println("snapshot", snapshot.ID, "by", snapshot.CommitUser)
	// [/identifier]

	// Output:
	// {"id":1,"name":"apple"}
	//
	// snapshot 1 by nightly-import
}

func ExampleTableCommit_CommitWithIdentifierContext() {
	table, done := newTable(products())
	defer done()
	columns := must(table.ArrowSchema())
	builder := must(table.NewWriteBuilderWithCommitUser("nightly-import"))
	defer builder.Close()
	const run = 20240501

	// [cancel]
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	messages := prepare(builder, record(columns, `[{"id": 1, "name": "apple"}]`))
	defer messages.Close()
	commit := must(builder.NewCommit())
	defer commit.Close()

	err := commit.CommitWithIdentifierContext(ctx, messages, run)
	if errors.Is(err, paimon.ErrOutcomeUnknown) {
		// Perhaps it is there. To filter and commit finds out: it does nothing if it is, and commits if not.
		err = commit.FilterAndCommitWithIdentifierContext(context.Background(), messages, run)
	}
	check(err)
	printRows(table)
	// [/cancel]

	// Output:
	// {"id":1,"name":"apple"}
}

func ExampleTableCommit_Abort() {
	table, done := newTable(products())
	defer done()
	columns := must(table.ArrowSchema())

	// [abort]
	builder := must(table.NewWriteBuilder())
	defer builder.Close()
	messages := prepare(builder, record(columns, `[{"id": 1, "name": "not wanted"}]`))
	defer messages.Close()
	commit := must(builder.NewCommit())
	defer commit.Close()
	check(commit.Abort(messages))
	fmt.Println(errors.Is(commit.Commit(messages), paimon.CodeInvalidInput))
	// [/abort]

	// Output:
	// true
}

func ExampleCommitMessages_Merge() {
	table, done := newTable(products())
	defer done()
	columns := must(table.ArrowSchema())

	// [merge]
	builder := must(table.NewWriteBuilder())
	defer builder.Close()
	all := prepare(builder, record(columns, `[{"id": 1, "name": "apple"}]`))
	defer all.Close()
	more := prepare(builder, record(columns, `[{"id": 2, "name": "bread"}]`))
	defer more.Close()
	check(all.Merge(more))

	commit := must(builder.NewCommit())
	defer commit.Close()
	check(commit.Commit(all))
	printRows(table)
	fmt.Println("snapshots:", must(table.LatestSnapshot()).ID)
	// [/merge]

	// Unordered output:
	// {"id":1,"name":"apple"}
	// {"id":2,"name":"bread"}
	//
	// snapshots: 1
}

func ExampleTable_NewReadBuilder() {
	table, done := newTable(products())
	defer done()
	write(table, record(must(table.ArrowSchema()), `[{"id": 1, "name": "apple"}, {"id": 2, "name": "bread"}]`))

	// [projection]
	builder := must(table.NewReadBuilder())
	defer builder.Close()
	check(builder.WithProjection([]string{"name"}))
	scan := must(builder.NewScan())
	defer scan.Close()
	plan := must(scan.Plan())
	defer plan.Close()
	read := must(builder.NewRead())
	defer read.Close()
	for _, split := range plan.Splits() { // splits may also go to goroutines of their own
		reader := must(read.NewRecordBatchReader([]paimon.DataSplit{split}))
		for batch, err := range reader.All() {
			check(err)
			fmt.Println(batch.ColumnName(0), batch.Column(0))
			batch.Release()
		}
		reader.Close()
	}
	// [/projection]

	// Output:
	// name ["apple" "bread"]
}

func ExampleReadBuilder_WithParallelism() {
	table, done := newTable(products())
	defer done()
	columns := must(table.ArrowSchema())
	write(table, record(columns, `[{"id": 1, "name": "apple"}, {"id": 2, "name": "bread"}]`))
	write(table, record(columns, `[{"id": 3, "name": "cheese"}]`))

	// [parallelism]
	builder := must(table.NewReadBuilder())
	defer builder.Close()
	check(builder.WithParallelism(4))      // so many splits at the same time, in no order
	check(builder.WithReadAhead(16 << 20)) // bytes of the batches that wait to be asked for
	fmt.Println(readAll(builder))          // which sorts the rows
	// [/parallelism]

	// Output:
	// [1 apple, 2 bread, 3 cheese]
}

func ExampleReadBuilder_WithFilter() {
	table, done := newTable(products())
	defer done()
	write(table, record(must(table.ArrowSchema()), `[{"id": 1, "name": "apple"}, {"id": 2, "name": "bread"}, {"id": 3}]`))

	// [filter]
	where := table.PredicateBuilder()
	cheap := must(where.Lt("id", 3))
	wanted := must(where.In("name", "apple", "cherry"))
	filter := must(cheap.And(must(wanted.Not()))) // id < 3 AND NOT (name IN ('apple', 'cherry'))

	builder := must(table.NewReadBuilder())
	defer builder.Close()
	check(builder.WithFilter(filter))
	// [/filter]
	check(builder.WithProjection([]string{"name"}))
	check(builder.WithLimit(10))
	printRead(builder)

	// Output:
	// {"name":"bread"}
}

func ExamplePredicateBuilder() {
	table, done := newTable(&paimon.Schema{Fields: []paimon.DataField{
		{Name: "name", Type: paimon.StringType()},
		{Name: "price", Type: paimon.DecimalType(8, 2)},
		{Name: "sold", Type: paimon.LocalZonedTimestampType(3)},
		{Name: "weight", Type: paimon.FloatType()},
	}})
	defer done()

	// [predicates]
	where := table.PredicateBuilder()
	fmt.Println(must(where.Between("price", paimon.NewDecimal(150, 3, 2), 20)))
	fmt.Println(must(where.Ge("sold", time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC))))
	fmt.Println(must(where.Like("name", "%bread%")))
	fmt.Println(must(predicate.Or(
		must(where.IsNull("weight")),
		must(where.Gt("weight", float32(0.1))),
		must(where.StartsWith("name", "a")),
	)))

	_, err := where.Gt("weight", 0.1) // a float64 that no float32 is equal to
	fmt.Println(err)
	_, err = where.Eq("prise", 1)
	fmt.Println(errors.Is(err, paimon.ErrColumnNotExist), err)
	// [/predicates]

	// Output:
	// price BETWEEN 1.50 AND 20
	// sold >= TIMESTAMP_LTZ '2024-02-29 12:00:00Z'
	// name LIKE '%bread%'
	// weight IS NULL OR weight > 0.1 OR name STARTS WITH 'a'
	// paimon: greater than db.t: invalid input: column "weight" is FLOAT: 0.1 (Go type float64) is not a value that it can hold; use a float32, or a number that a float32 holds exactly
	// true paimon: equal db.t: column does not exist: "prise"; did you mean "price"?
}

func ExampleRecordBatchReader_RecordReader() {
	table, done := newTable(products())
	defer done()
	write(table, record(must(table.ArrowSchema()), `[{"id": 1, "name": "apple"}, {"id": 2, "name": "bread"}]`))
	builder := must(table.NewReadBuilder())
	defer builder.Close()
	scan := must(builder.NewScan())
	defer scan.Close()
	plan := must(scan.Plan())
	defer plan.Close()
	read := must(builder.NewRead())
	defer read.Close()

	// [record-reader]
	source := must(read.NewRecordBatchReader(plan.Splits())).RecordReader()
	defer source.Release() // closes the reader as well
	var records []arrow.RecordBatch
	for source.Next() {
		record := source.RecordBatch() // until the next Next, so keep it
		record.Retain()
		defer record.Release()
		records = append(records, record)
	}
	check(source.Err())
	all := array.NewTableFromRecords(source.Schema(), records)
	defer all.Release()
	fmt.Println(all.NumRows(), "rows of", all.NumCols(), "columns")
	// [/record-reader]

	// Output:
	// 2 rows of 2 columns
}

func ExampleDataSplit() {
	table, done := newTable(&paimon.Schema{
		Fields:        []paimon.DataField{{Name: "day", Type: paimon.StringType()}, {Name: "amount", Type: paimon.IntType()}},
		PartitionKeys: []string{"day"},
	})
	defer done()
	write(table, record(must(table.ArrowSchema()), `[{"day": "mon", "amount": 1}, {"day": "mon", "amount": 2}, {"day": "tue", "amount": 3}]`))
	builder := must(table.NewReadBuilder())
	defer builder.Close()
	scan := must(builder.NewScan())
	defer scan.Close()
	plan := must(scan.Plan())
	defer plan.Close()

	// [split]
	for _, split := range plan.Splits() {
		fmt.Println(split.Partition()["day"], split.Bucket(), split.RowCount())
	}
	// [/split]

	// Unordered output:
	// mon 0 2
	// tue 0 1
}

func ExampleResourceContext() {
	table, done := newTable(products())
	defer done()
	columns := must(table.ArrowSchema())

	// [resources]
	resources := must(paimon.NewResourceContext(64 << 20))
	defer resources.Close()
	writes := must(table.NewWriteBuilder())
	defer writes.Close()
	check(writes.WithResources(resources))
	reads := must(table.NewReadBuilder())
	defer reads.Close()
	check(reads.WithResources(resources))

	messages := prepare(writes, record(columns, `[{"id": 1, "name": "apple"}]`))
	defer messages.Close()
	metrics := must(resources.Metrics())
	fmt.Println(metrics.ReservedMemoryBytes, metrics.PeakReservedMemoryBytes > 0)
	// [/resources]

	// [exhausted]
	tiny := must(paimon.NewResourceContext(10))
	defer tiny.Close()
	check(writes.WithResources(tiny)) // for the writes that are made from now on
	write := must(writes.NewWrite())
	defer write.Close()
	batch := record(columns, `[{"id": 2, "name": "bread"}]`)
	defer batch.Release()
	fmt.Println(errors.Is(write.WriteArrowBatch(batch), paimon.CodeResourceExhausted))
	// [/exhausted]

	// Output:
	// 0 true
	// true
}

func ExampleBlobReader() {
	// [blob-table]
	table, done := newTable(&paimon.Schema{
		Fields: []paimon.DataField{
			{Name: "id", Type: paimon.IntType()},
			{Name: "picture", Type: paimon.BlobType()},
		},
		Options: map[string]string{
			"row-tracking.enabled": "true", "data-evolution.enabled": "true", // what BLOB columns need
			"blob-as-descriptor": "true", // reads return where a picture is, not the picture
		},
	})
	defer done()
	// In JSON the picture is base64.
	write(table, record(must(table.ArrowSchema()), `[{"id": 1, "picture": "SGVsbG8sIHdvcmxkIQ=="}]`))
	// [/blob-table]
	var descriptor []byte
	builder := must(table.NewReadBuilder())
	defer builder.Close()
	scan := must(builder.NewScan())
	defer scan.Close()
	plan := must(scan.Plan())
	defer plan.Close()
	read := must(builder.NewRead())
	defer read.Close()
	reader := must(read.NewRecordBatchReader(plan.Splits()))
	defer reader.Close()
	// [blob]
	for batch, err := range reader.All() {
		check(err)
		descriptor = bytes.Clone(batch.Column(1).(*array.LargeBinary).Value(0))
		batch.Release()
	}

	blobs := must(table.NewBlobReader())
	defer blobs.Close()
	fmt.Printf("%s\n", must(blobs.ReadBlob(descriptor)))

	stream := must(blobs.OpenBlob(descriptor)) // for what is too large for memory
	defer func() { check(stream.Close()) }()
	must(stream.Seek(-6, io.SeekEnd))
	fmt.Printf("%s\n", must(io.ReadAll(stream)))
	// [/blob]

	// Output:
	// Hello, world!
	// world!
}

func ExampleTable_NewPostponeFixedBucketWriteBuilder() {
	// [postpone]
	table, done := newTable(&paimon.Schema{
		Fields: []paimon.DataField{
			{Name: "id", Type: paimon.BigIntType().NotNull()},
			{Name: "name", Type: paimon.StringType()},
		},
		PrimaryKeys: []string{"id"},
		Options:     map[string]string{"bucket": "-2"},
	})
	defer done()
	builder := must(table.NewPostponeFixedBucketWriteBuilder())
	defer builder.Close()
	plan := record(arrow.NewSchema([]arrow.Field{
		// with partitions, their columns come first
		{Name: "total_buckets", Type: arrow.PrimitiveTypes.Int32},
	}, nil), `[{"total_buckets": 1}]`)
	check(builder.WithBucketPlan(plan))
	plan.Release()

	write := must(builder.NewWrite())
	defer write.Close()
	batch := record(must(table.ArrowSchema()), `[{"id": 1, "name": "apple"}]`)
	defer batch.Release()
	check(write.WriteArrowBatch(batch))
	messages := must(write.PrepareCommit()) // closes the write
	defer messages.Close()
	commit := must(builder.NewCommit())
	defer commit.Close()
	check(commit.Commit(messages))
	printRows(table)
	// [/postpone]

	// Output:
	// {"id":1,"name":"apple"}
}

func ExampleCatalog_AlterTable() {
	warehouse := must(os.MkdirTemp("", "paimon-example-"))
	defer os.RemoveAll(warehouse)
	catalog := must(paimon.NewCatalog(map[string]string{"warehouse": warehouse}))
	defer catalog.Close()
	check(catalog.CreateDatabase("shop", nil, false))
	id := paimon.NewIdentifier("shop", "products")
	check(catalog.CreateTable(id, products(), false))

	// [alter]
	check(catalog.AlterTable(id, []paimon.SchemaChange{
		paimon.AddColumn(paimon.DataField{Name: "price", Type: paimon.DecimalType(10, 2)}, paimon.After("id")),
		paimon.RenameColumn("name", "title"),
		paimon.UpdateColumnComment("title", "as printed on the label"),
		paimon.SetOption("snapshot.num-retained.max", "100"),
	}, false))

	table := must(catalog.GetTable(id)) // a table that was open before keeps the old schema
	defer table.Close()
	for _, field := range must(table.Schema()).Fields {
		fmt.Println(field.Name, field.Type)
	}
	check(catalog.RenameTable(id, paimon.NewIdentifier("shop", "articles"), false))
	// [/alter]

	// Output:
	// id BIGINT NOT NULL
	// price DECIMAL(10, 2)
	// title STRING
}

func ExampleTable_NewReadBuilderWithOptions() {
	catalog := must(paimon.NewCatalog(map[string]string{"warehouse": "memory:/example"}))
	defer catalog.Close()
	check(catalog.CreateDatabase("shop", nil, false))
	check(catalog.CreateTable(paimon.NewIdentifier("shop", "products"), products(), false))
	table := must(catalog.GetTable(paimon.NewIdentifier("shop", "products")))
	defer table.Close()
	schema := must(table.ArrowSchema())
	write(table, record(schema, `[{"id": 1, "name": "apple"}]`))
	write(table, record(schema, `[{"id": 2, "name": "bread"}]`))

	// [travel]
	first := must(table.NewReadBuilderWithOptions(map[string]string{"scan.snapshot-id": "1"}))
	defer first.Close()
	fmt.Println("then:", readAll(first))

	now := must(table.NewReadBuilder())
	defer now.Close()
	fmt.Println("now:", readAll(now))

	_, err := table.NewReadBuilderWithOptions(map[string]string{"scan.snapshot-id": "7"})
	fmt.Println(errors.Is(err, paimon.ErrSnapshotNotExist), errors.Is(err, paimon.CodeInvalidInput))
	// [/travel]

	// [tag]
	id := table.Identifier()
	one := int64(1)
	check(catalog.CreateTag(id, "before-bread", &one, false)) // keeps snapshot 1, whatever expires
	check(catalog.CreateTagWithRetention(id, "today", nil, 24*time.Hour, false))
	for _, tag := range must(catalog.ListTags(id)) {
		fmt.Println(tag.Name, tag.Snapshot.ID)
	}
	tagged := must(table.NewReadBuilderWithOptions(map[string]string{"scan.tag-name": "before-bread"}))
	defer tagged.Close()
	fmt.Println("tagged:", readAll(tagged))
	check(catalog.DeleteTag(id, "today", false))
	// [/tag]

	// [branch]
	check(catalog.CreateBranch(id, "trial", "before-bread"))
	branch := must(catalog.GetTable(paimon.NewIdentifier("shop", "products$branch_trial")))
	defer branch.Close()
	write(branch, record(schema, `[{"id": 3, "name": "cheese"}]`)) // the table itself does not see it

	trial := must(branch.NewReadBuilder())
	defer trial.Close()
	fmt.Println("branch:", readAll(trial))
	check(catalog.DropBranch(id, "trial", false))
	// [/branch]

	// [system]
	snapshots := must(catalog.GetTable(paimon.NewIdentifier("shop", "products$snapshots")))
	defer snapshots.Close()
	history := must(snapshots.NewReadBuilder())
	defer history.Close()
	check(history.WithProjection([]string{"snapshot_id", "commit_kind", "total_record_count"}))
	fmt.Println("snapshots:", readAll(history))
	// [/system]

	// Output:
	// then: [1 apple]
	// now: [1 apple, 2 bread]
	// true true
	// before-bread 1
	// today 2
	// tagged: [1 apple]
	// branch: [1 apple, 3 cheese]
	// snapshots: [1 APPEND 1, 2 APPEND 2]
}

func Example_errors() {
	catalog := must(paimon.NewCatalog(map[string]string{"warehouse": "memory:/example"})) // gone when the catalog is closed
	defer catalog.Close()
	check(catalog.CreateDatabase("shop", nil, false))

	// [errors]
	_, err := catalog.GetTable(paimon.NewIdentifier("shop", "none"))
	fmt.Println(err)
	fmt.Println(errors.Is(err, paimon.ErrTableNotExist)) // the kind
	fmt.Println(errors.Is(err, paimon.CodeNotFound))     // its class
	fmt.Println(errors.Is(err, fs.ErrNotExist))          // the standard library's word for it

	var e *paimon.Error
	if errors.As(err, &e) {
		fmt.Printf("%q of %q failed with %q: %s\n", e.Op(), e.Object(), e.Code().String(), e.Message())
	}

	catalog.Close()
	_, err = catalog.ListDatabases()
	fmt.Println(errors.Is(err, paimon.ErrClosed))
	// [/errors]

	// Output:
	// paimon: get table shop.none: table does not exist: shop.none is not in the warehouse memory:/example
	// true
	// true
	// true
	// "get table" of "shop.none" failed with "not found": shop.none is not in the warehouse memory:/example
	// true
}

// products is the schema of an append table.
func products() *paimon.Schema {
	return &paimon.Schema{Fields: []paimon.DataField{
		{Name: "id", Type: paimon.BigIntType().NotNull()},
		{Name: "name", Type: paimon.StringType()},
	}}
}

// newTable creates and opens a table in a warehouse of its own, which done removes.
func newTable(schema *paimon.Schema) (table *paimon.Table, done func()) {
	warehouse := must(os.MkdirTemp("", "paimon-example-"))
	catalog := must(paimon.NewCatalog(map[string]string{"warehouse": warehouse}))
	defer catalog.Close()
	check(catalog.CreateDatabase("db", nil, false))
	id := paimon.NewIdentifier("db", "t")
	check(catalog.CreateTable(id, schema, false))
	table = must(catalog.GetTable(id))
	return table, func() {
		table.Close()
		check(os.RemoveAll(warehouse))
	}
}

// [prepare]
// record makes a record of rows that are given as JSON.
func record(schema *arrow.Schema, rows string) arrow.RecordBatch {
	record, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(rows))
	check(err)
	return record
}

// prepare writes a record, releases it, and returns the messages that wait to be committed.
func prepare(builder *paimon.WriteBuilder, record arrow.RecordBatch) *paimon.CommitMessages {
	defer record.Release()
	write := must(builder.NewWrite())
	defer write.Close()
	check(write.WriteArrowBatch(record))
	return must(write.PrepareCommit())
}

// [/prepare]

// write writes a record, releases it, and commits.
func write(table *paimon.Table, record arrow.RecordBatch) {
	builder := must(table.NewWriteBuilder())
	defer builder.Close()
	messages := prepare(builder, record)
	defer messages.Close()
	commit := must(builder.NewCommit())
	defer commit.Close()
	check(commit.Commit(messages))
}

// printRows prints all rows as JSON, and an empty line.
func printRows(table *paimon.Table) {
	builder := must(table.NewReadBuilder())
	defer builder.Close()
	printRead(builder)
	fmt.Println()
}

// printRead prints what a builder reads as JSON.
func printRead(builder *paimon.ReadBuilder) {
	for batch := range batches(builder) {
		check(array.RecordToJSON(batch, os.Stdout))
	}
}

// readAll gives all rows as text, sorted.
func readAll(builder *paimon.ReadBuilder) string {
	var rows []string
	for batch := range batches(builder) {
		for row := range int(batch.NumRows()) {
			var values []string
			for _, column := range batch.Columns() {
				values = append(values, strings.Clone(column.ValueStr(row))) // a text may lie in the batch
			}
			rows = append(rows, strings.Join(values, " "))
		}
	}
	slices.Sort(rows)
	return "[" + strings.Join(rows, ", ") + "]"
}

// batches iterates over all batches that a builder gives, and releases them.
func batches(builder *paimon.ReadBuilder) iter.Seq[arrow.RecordBatch] {
	return func(yield func(arrow.RecordBatch) bool) {
		scan := must(builder.NewScan())
		defer scan.Close()
		plan := must(scan.Plan())
		defer plan.Close()
		if plan.NumSplits() == 0 {
			return
		}
		read := must(builder.NewRead())
		defer read.Close()
		reader := must(read.NewRecordBatchReader(plan.Splits()))
		defer reader.Close()
		for batch, err := range reader.All() {
			check(err)
			more := yield(batch)
			batch.Release()
			if !more {
				return
			}
		}
	}
}
