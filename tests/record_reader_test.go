// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	paimon "github.com/apache/paimon-rust/bindings/go"
)

func TestRecordReader(t *testing.T) {
	allocator := checkLeaks(t)
	for name, change := range map[string]func(*paimon.Schema){
		"append":      nil,
		"primary key": primaryKey,
		"partitions":  func(schema *paimon.Schema) { schema.PartitionKeys = []string{"name"} },
		"orc": func(schema *paimon.Schema) {
			schema.Options = map[string]string{"file.format": "orc", "file.compression": "none"}
		},
		"avro": func(schema *paimon.Schema) { schema.Options = map[string]string{"file.format": "avro"} },
	} {
		t.Run(name, func(t *testing.T) {
			_, table := newTable(t, people, change)
			for i := range int32(3) {
				appendRows(t, table, allocator, person{i, fmt.Sprint(i)}, person{9, "last"})
			}
			for _, columns := range [][]string{nil, {"name"}, {"name", "id"}, {}} {
				// What the schema promises is what the batches have, so that consumers may rely on it.
				source := newReader(t, table, columns...).RecordReader()
				rows := int64(0)
				for source.Next() {
					rows += source.RecordBatch().NumRows()
					if !source.RecordBatch().Schema().Equal(source.Schema()) {
						t.Errorf("%q: a batch has\n%v\nwant\n%v", columns, source.RecordBatch().Schema(), source.Schema())
					}
				}
				must(t, source.Err())
				if source.Next() || source.RecordBatch() != nil {
					t.Error("there is something after the end")
				}
				source.Release()
				if want := int64(len(readRows(t, table))); rows != want || rows < 4 {
					t.Errorf("%q: %d rows, want %d", columns, rows, want)
				}
			}
		})
	}
}

// All the columns of the blob table, and of the tables that Java wrote.
func TestRecordReaderSchema(t *testing.T) {
	allocator := checkLeaks(t)
	tables := []*paimon.Table{
		newBlobTable(t, "false", allocator, []byte("one"), nil), newBlobTable(t, "true", allocator, []byte("one"), nil),
	}
	for _, name := range []string{"simple_log_table", "partitioned_log_table", "simple_pk_table", "multi_bucket_pk_table"} {
		_, table := foreignTable(t, name)
		tables = append(tables, table)
	}
	for _, table := range tables {
		reader := newReader(t, table).RecordReader()
		want, err := table.ArrowSchema()
		must(t, err)
		if len(want.Fields()) != len(reader.Schema().Fields()) {
			t.Errorf("%v has the schema %v, want %v", table.Identifier(), reader.Schema(), want)
		}
		for i, field := range reader.Schema().Fields() {
			if wanted := want.Field(i); field.Name != wanted.Name || field.Nullable != wanted.Nullable || !arrow.TypeEqual(field.Type, wanted.Type) {
				t.Errorf("%v has the column %v, want %v", table.Identifier(), field, wanted)
			}
		}
		for reader.Next() {
			if got := reader.RecordBatch().Schema(); !got.Equal(reader.Schema()) {
				t.Errorf("%v: a batch has\n%v\nwant\n%v", table.Identifier(), got, reader.Schema())
			}
		}
		must(t, reader.Err())
		reader.Release()
	}
}

func TestRecordReaderOwnership(t *testing.T) {
	allocator := checkLeaks(t)
	_, table := newTable(t, people, nil)
	appendRows(t, table, allocator, person{1, "a"})
	appendRows(t, table, allocator, person{2, "b"})

	// A batch that is retained lasts, and the last Release closes the reader.
	source := newReader(t, table)
	reader := source.RecordReader()
	reader.Retain()
	if !reader.Next() {
		t.Fatal(reader.Err())
	}
	first := reader.RecordBatch()
	first.Retain()
	if !reader.Next() {
		t.Fatal(reader.Err())
	}
	reader.Release()
	if reader.RecordBatch().NumRows() != 1 {
		t.Error("the batch went with a Release that was not the last")
	}
	reader.Release()
	_, err := source.NextRecord()
	wantError(t, err, paimon.ErrClosed)
	if got := first.Column(0).ValueStr(0) + first.Column(1).ValueStr(0); got != "1a" && got != "2b" {
		t.Errorf("the batch that was kept is %q", got)
	}
	first.Release()

	// Closed before, or in the midst.
	closed := newReader(t, table)
	closed.Close()
	reader = closed.RecordReader()
	if reader.Next() || reader.RecordBatch() != nil || reader.Schema() == nil {
		t.Error("a closed reader reads")
	}
	wantError(t, reader.Err(), paimon.ErrClosed)
	reader.Release()
	source = newReader(t, table)
	reader = source.RecordReader()
	if !reader.Next() {
		t.Fatal(reader.Err())
	}
	source.Close()
	if reader.Next() {
		t.Error("a closed reader reads")
	}
	wantError(t, reader.Err(), paimon.ErrClosed)
	reader.Release()
	var none *paimon.RecordBatchReader
	wantError(t, none.RecordReader().Err(), paimon.ErrClosed)
	wantError(t, new(paimon.RecordBatchReader).RecordReader().Err(), paimon.ErrClosed)

	// An error of the read.
	reader = newReaderWithin(t, table, newResources(t, 0)).RecordReader()
	if more := reader.Next(); more || reader.Next() {
		t.Error("there is a batch")
	}
	wantError(t, reader.Err(), paimon.CodeResourceExhausted)
	reader.Release()
}

// The schema is there when there is nothing to read.
func TestSchemaOfEmptyTable(t *testing.T) {
	checkLeaks(t)
	_, table := newTable(t, people, nil)
	builder, err := table.NewReadBuilder()
	must(t, err)
	defer builder.Close()
	must(t, builder.WithProjection([]string{"name"}))
	read, err := builder.NewRead()
	must(t, err)
	defer read.Close()
	schema, err := read.ArrowSchema()
	must(t, err)
	if len(schema.Fields()) != 1 || schema.Field(0).Name != "name" || schema.Field(0).Type.ID() != arrow.STRING || !schema.Field(0).Nullable {
		t.Errorf("got %v", schema)
	}
	empty := array.NewTableFromRecords(schema, nil)
	defer empty.Release()
	if empty.NumRows() != 0 || empty.NumCols() != 1 {
		t.Errorf("a table of %d rows and %d columns", empty.NumRows(), empty.NumCols())
	}
}

func planOf(t testing.TB, table *paimon.Table) []paimon.DataSplit {
	t.Helper()
	builder, err := table.NewReadBuilder()
	must(t, err)
	defer builder.Close()
	scan, err := builder.NewScan()
	must(t, err)
	defer scan.Close()
	plan, err := scan.Plan()
	must(t, err)
	defer plan.Close()
	return plan.Splits()
}

func TestDataSplitAccessors(t *testing.T) {
	allocator := checkLeaks(t)
	_, table := newTable(t, people, primaryKey)
	appendRows(t, table, allocator, person{1, "a"}, person{2, "b"})
	appendRows(t, table, allocator, person{2, "B"})
	splits := planOf(t, table)
	if len(splits) != 1 || splits[0].RowCount() != 3 || splits[0].Bucket() != 0 || len(splits[0].Partition()) != 0 {
		t.Errorf("got %v", splits)
	}
	if text := fmt.Sprint(splits, paimon.DataSplit{}); text != "[bucket-0 (3 rows)] no split" {
		t.Errorf("got %q", text)
	}

	if text := fmt.Sprint(wantSnapshot(t, table, 2)); !strings.HasPrefix(text, "snapshot 2 (APPEND by ") {
		t.Errorf("got %q", text)
	}

	// Partitions: what has to be escaped in a path, nulls, and several keys.
	columns := arrow.NewSchema([]arrow.Field{
		people.Field(0),
		{Name: "a b/c", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "day", Type: arrow.FixedWidthTypes.Date32, Nullable: true},
		{Name: "flag", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
	}, nil)
	_, table = newTable(t, columns, func(schema *paimon.Schema) { schema.PartitionKeys = []string{"a b/c", "day", "flag"} })
	b := array.NewRecordBuilder(allocator, columns)
	defer b.Release()
	names := []string{"plain", "a=b/c%d:e f", "日本", "", "__DEFAULT_PARTITION__"}
	for i, name := range names {
		b.Field(0).(*array.Int32Builder).Append(int32(i))
		b.Field(1).(*array.StringBuilder).Append(name)
		b.Field(2).(*array.Date32Builder).Append(arrow.Date32(20000 + i))
		b.Field(3).(*array.BooleanBuilder).Append(i%2 == 0)
	}
	for i := range 3 {
		b.Field(i).AppendEmptyValue()
	}
	b.Field(1).(*array.StringBuilder).SetNull(len(names))
	b.Field(2).(*array.Date32Builder).SetNull(len(names))
	b.Field(3).AppendNull()
	batch := b.NewRecordBatch()
	defer batch.Release()
	j := newJob(t, table, "", false)
	must(t, j.write.WriteArrowBatch(batch))
	must(t, j.commit.Commit(j.prepare(t, allocator)))
	var got []string
	for _, split := range planOf(t, table) {
		partition := split.Partition()
		if keys := slices.Sorted(maps.Keys(partition)); !slices.Equal(keys, []string{"a b/c", "day", "flag"}) || split.RowCount() != 1 {
			t.Errorf("%v has the keys %q", split, keys)
		}
		got = append(got, partition["a b/c"]+"|"+partition["day"]+"|"+partition["flag"])
		partition["day"] = "changed"
		if split.Partition()["day"] == "changed" {
			t.Error("a split is not a value")
		}
	}
	slices.Sort(got)
	want := []string{
		"__DEFAULT_PARTITION__|20003|false", "__DEFAULT_PARTITION__|20004|true", "__DEFAULT_PARTITION__|__DEFAULT_PARTITION__|__DEFAULT_PARTITION__",
		"a=b/c%d:e f|20001|false", "plain|20000|true", "日本|20002|true",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got partitions %q, want %q", got, want)
	}
}
