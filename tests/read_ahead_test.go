// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	paimon "github.com/apache/paimon-rust/bindings/go"
)

// parallelReader opens a reader that reads so many splits at a time.
func parallelReader(t testing.TB, table *paimon.Table, parallelism int, change func(*paimon.ReadBuilder) error) *paimon.RecordBatchReader {
	t.Helper()
	builder, err := table.NewReadBuilder()
	must(t, err)
	defer builder.Close()
	must(t, builder.WithParallelism(parallelism))
	if change != nil {
		must(t, change(builder))
	}
	reader, err := readerOf(builder)
	must(t, err)
	t.Cleanup(reader.Close)
	return reader
}

// Whatever is read at the same time, the rows are the same: of one split with many files, of partitions, of keys with many versions, of
// files with deletion vectors, and of tables that other engines wrote.
func TestParallelRead(t *testing.T) {
	allocator := checkLeaks(t)
	tables := map[string]func(*paimon.Schema){
		"append":      nil,
		"buckets":     func(s *paimon.Schema) { s.Options = map[string]string{"bucket": "3", "bucket-key": "id"} },
		"partitions":  func(s *paimon.Schema) { s.PartitionKeys = []string{"name"} },
		"primary key": func(s *paimon.Schema) { s.PrimaryKeys, s.Options = []string{"id"}, map[string]string{"bucket": "2"} },
	}
	check := func(name string, table *paimon.Table) {
		t.Helper()
		want := readRows(t, table)
		for _, parallelism := range []int{1, 2, 3, 16} {
			got, err := rowsOf(parallelReader(t, table, parallelism, nil))
			must(t, err)
			if !slices.Equal(got, want) {
				t.Errorf("%s, %d at a time: got rows %q, want %q", name, parallelism, got, want)
			}
		}
	}
	for name, change := range tables {
		_, table := newTable(t, people, change)
		for i := range int32(5) {
			appendRows(t, table, allocator, person{i, "a"}, person{i + 1, fmt.Sprint(i)}, person{i + 100, "b"})
		}
		check(name, table)
		limited := parallelReader(t, table, 4, func(b *paimon.ReadBuilder) error { return b.WithLimit(7) })
		rows, err := rowsOf(limited)
		must(t, err)
		if len(rows) != 7 {
			t.Errorf("%s: %d rows with a limit of 7", name, len(rows))
		}
	}
	for _, name := range []string{"deletion_vector_table", "multi_bucket_pk_table", "partitioned_log_table", "simple_avro_table", "simple_orc_table"} {
		catalog := openCatalog(t, copyTable(t, filepath.Join("testdata", "warehouse"), name))
		check(name, openTable(t, catalog, paimon.NewIdentifier("default", name)))
	}
}

// The batches of one file keep their order, whatever happens beside it.
func TestParallelReadKeepsOrderWithinFiles(t *testing.T) {
	allocator := checkLeaks(t)
	_, table := newTable(t, people, func(s *paimon.Schema) { s.Options = map[string]string{"read.batch-size": "10"} })
	for file := range int32(4) {
		rows := make([]person, 500)
		for i := range rows {
			rows[i] = person{file*1000 + int32(i), "x"}
		}
		appendRows(t, table, allocator, rows...)
	}
	next := map[int32]int32{}
	for batch, err := range parallelReader(t, table, 4, nil).All() {
		must(t, err)
		for _, id := range batch.Column(0).(*array.Int32).Values() {
			if file := id / 1000; id%1000 != next[file] {
				t.Fatalf("row %d of file %d comes before row %d", id%1000, file, next[file])
			}
			next[id/1000]++
		}
		batch.Release()
	}
	if len(next) != 4 || next[0] != 500 || next[3] != 500 {
		t.Errorf("rows of each file: %v", next)
	}
}

// A file that cannot be read ends a parallel read with an error that names it, and the reader is over.
func TestParallelReadFails(t *testing.T) {
	allocator := checkLeaks(t)
	_, table := newTable(t, people, nil)
	for i := range int32(6) {
		appendRows(t, table, allocator, person{i, "a"})
	}
	broken := dataFiles(t, table)[3]
	must(t, os.Truncate(broken, 10))
	reader := parallelReader(t, table, 3, nil)
	var first error
	for first == nil {
		batch, err := reader.NextRecord()
		if first = err; err == nil {
			batch.Release()
		}
	}
	if first == io.EOF || !strings.Contains(first.Error(), "data-") {
		t.Fatalf("got %v", first)
	}
	if _, err := reader.NextRecord(); err != first {
		t.Errorf("got %v, want %v again", err, first)
	}
}

func TestParallelismOfReadBuilder(t *testing.T) {
	_, table := newTable(t, people, nil)
	builder, err := table.NewReadBuilder()
	must(t, err)
	defer builder.Close()
	for _, bad := range []int{0, -1} {
		wantError(t, builder.WithParallelism(bad), paimon.CodeInvalidInput, "want 1 or more")
	}
	wantError(t, builder.WithReadAhead(-1), paimon.CodeInvalidInput, "-1 bytes")
}

// What is read ahead of a slow consumer stays within its bounds, for one split and for many at a time, and the rest comes all the same
// (case B63). The values compress so well that hardly anything but batches takes memory.
func TestReadAheadIsBounded(t *testing.T) {
	allocator := checkLeaks(t)
	const files, columns, batchRows, batches = 3, 16, 1 << 16, 8
	const batchBytes = columns * batchRows * 8
	var fields []arrow.Field
	for i := range columns {
		fields = append(fields, arrow.Field{Name: fmt.Sprint("c", i), Type: arrow.PrimitiveTypes.Int64})
	}
	schema := arrow.NewSchema(fields, nil)
	_, table := newTable(t, schema, func(s *paimon.Schema) {
		s.Options = map[string]string{"read.batch-size": fmt.Sprint(batchRows)}
	})
	builder := array.NewInt64Builder(allocator)
	builder.AppendValues(make([]int64, batches*batchRows), nil)
	column := builder.NewArray()
	builder.Release()
	record := array.NewRecordBatch(schema, slices.Repeat([]arrow.Array{column}, columns), int64(column.Len()))
	column.Release()
	for range files {
		must(t, writeRecord(table, record, (*paimon.TableCommit).Commit))
	}
	record.Release()

	for _, parallelism := range []int{1, files} {
		held := map[int64]int64{}
		for _, limit := range []int64{0, 1 << 30} {
			before := paimon.ReadNativeStats().Bytes
			reader := parallelReader(t, table, parallelism, func(b *paimon.ReadBuilder) error { return b.WithReadAhead(limit) })
			batch, err := reader.NextRecord()
			must(t, err)
			batch.Release()
			// What there is to read ahead is read when nothing changes any more.
			for last := int64(-1); last != held[limit]; time.Sleep(200 * time.Millisecond) {
				last, held[limit] = held[limit], paimon.ReadNativeStats().Bytes-before
			}
			rows := batch.NumRows()
			for batch, err := range reader.All() {
				must(t, err)
				rows += batch.NumRows()
				batch.Release()
			}
			if rows != files*batches*batchRows {
				t.Errorf("%d at a time: %d rows", parallelism, rows)
			}
			reader.Close()
		}
		t.Logf("%d at a time: %.1f batches held with a limit of 0, %.1f with one that is not reached", parallelism,
			float64(held[0])/batchBytes, float64(held[1<<30])/batchBytes)
		// One waits, or four; and for each file there is one in the works, and in the engine perhaps another.
		if least := int64(2 * batchBytes); held[1<<30]-held[0] < least || held[1<<30] > int64(5+2*parallelism)*batchBytes {
			t.Errorf("%d at a time: %d bytes held with a limit of 0, %d with one that is not reached", parallelism, held[0], held[1<<30])
		}
	}
}
