// SPDX-License-Identifier: Apache-2.0

package paimon_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
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

func Example_errors() {
	warehouse := must(os.MkdirTemp("", "paimon-example-"))
	defer os.RemoveAll(warehouse)
	catalog := must(paimon.NewCatalog(map[string]string{"warehouse": warehouse}))
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
	// paimon: get table shop.none: table does not exist: Table shop.none does not exist.
	// true
	// true
	// true
	// "get table" of "shop.none" failed with "not found": Table shop.none does not exist.
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
	scan := must(builder.NewScan())
	defer scan.Close()
	plan := must(scan.Plan())
	defer plan.Close()
	read := must(builder.NewRead())
	defer read.Close()
	reader := must(read.NewRecordBatchReader(plan.Splits()))
	defer reader.Close()
	for batch, err := range reader.All() {
		check(err)
		check(array.RecordToJSON(batch, os.Stdout))
		batch.Release()
	}
}
