// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	paimon "github.com/apache/paimon-rust/bindings/go"
)

// The golden tables that Java wrote are read as Java reads them.
func TestReadForeignTables(t *testing.T) {
	checkLeaks(t)
	_, partitioned := foreignTable(t, "partitioned_log_table")
	if rows := readRows(t, partitioned, "dt", "id"); !slices.Equal(rows, []string{"2024-01-01 1", "2024-01-01 2", "2024-01-02 3"}) {
		t.Errorf("partitioned_log_table: %q", rows)
	}
	_, buckets := foreignTable(t, "multi_bucket_pk_table")
	seen := make(map[string]bool)
	for _, row := range readRows(t, buckets) {
		id, name, _ := strings.Cut(row, " ")
		// Java wrote n1 to n20, Spark name-1 to name-20, some of them in a second version.
		if name != "n"+id && name != "name-"+id && name != "name-"+id+"-v2" || seen[id] {
			t.Errorf("multi_bucket_pk_table: row %q", row)
		}
		seen[id] = true
	}
	if len(seen) != 20 {
		t.Errorf("multi_bucket_pk_table: %d rows", len(seen))
	}
}

// Splits are values: read in any order, one by one, in parallel, twice, after their plan is closed.
func TestSplits(t *testing.T) {
	checkLeaks(t)
	_, table := foreignTable(t, "multi_bucket_pk_table")
	builder, err := table.NewReadBuilder()
	must(t, err)
	defer builder.Close()
	scan, err := builder.NewScan()
	must(t, err)
	defer scan.Close()
	plan, err := scan.Plan()
	must(t, err)
	splits := plan.Splits()
	if n := plan.NumSplits(); n != len(splits) || n < 2 {
		t.Fatalf("%d splits, %d of them given", n, len(splits))
	}
	plan.Close()
	if plan.NumSplits() != 0 || plan.Splits() != nil {
		t.Error("a closed plan has splits")
	}
	read, err := builder.NewRead()
	must(t, err)
	defer read.Close()

	count := func(splits []paimon.DataSplit) int {
		reader, err := read.NewRecordBatchReader(splits)
		if err != nil {
			t.Error(err)
			return 0
		}
		defer reader.Close()
		rows := 0
		for batch, err := range reader.All() {
			if err != nil {
				t.Error(err)
				return 0
			}
			rows += int(batch.NumRows())
			batch.Release()
		}
		return rows
	}
	slices.Reverse(splits)
	if n := count(splits); n != 20 {
		t.Errorf("in reverse: %d rows", n)
	}
	var group sync.WaitGroup
	counts := make([]int, len(splits))
	for i := range splits {
		group.Go(func() { counts[i] = count(splits[i : i+1]) })
	}
	group.Wait()
	total := 0
	for _, n := range counts {
		total += n
	}
	if total != 20 {
		t.Errorf("one by one: %v rows", counts)
	}

	again, err := scan.Plan()
	must(t, err)
	defer again.Close()
	_, err = read.NewRecordBatchReader(nil)
	wantError(t, err, paimon.CodeInvalidInput, "no splits")
	_, err = read.NewRecordBatchReader([]paimon.DataSplit{splits[0], again.Splits()[0]})
	wantError(t, err, paimon.CodeInvalidInput, "another plan")
	_, err = read.NewRecordBatchReader(make([]paimon.DataSplit, 1))
	wantError(t, err, paimon.CodeInvalidInput, "zero value")
	_, other := newTable(t, people, primaryKey)
	elsewhere, err := other.NewReadBuilder()
	must(t, err)
	defer elsewhere.Close()
	stranger, err := elsewhere.NewRead()
	must(t, err)
	defer stranger.Close()
	_, err = stranger.NewRecordBatchReader(splits)
	wantError(t, err, paimon.CodeInvalidInput, "of the table at")
}

// A primary key decides which rows survive, whatever is read of them.
func TestPrimaryKeyMerge(t *testing.T) {
	allocator := checkLeaks(t)
	_, table := newTable(t, people, func(s *paimon.Schema) {
		s.PrimaryKeys = []string{"id"}
		s.Options = map[string]string{"bucket": "1", "source.split.target-size": "1b", "source.split.open-file-cost": "1b"}
	})
	for _, name := range []string{"ten", "twenty", "thirty"} {
		appendRows(t, table, allocator, person{1, name})
	}
	wantRows(t, table, "1 thirty")
	builder, err := table.NewReadBuilder()
	must(t, err)
	defer builder.Close()
	must(t, builder.WithLimit(1))
	scan, err := builder.NewScan()
	must(t, err)
	defer scan.Close()
	plan, err := scan.Plan()
	must(t, err)
	defer plan.Close()
	read, err := builder.NewRead()
	must(t, err)
	defer read.Close()
	// Split by split, as workers would read them.
	var values []string
	for _, split := range plan.Splits() {
		reader, err := read.NewRecordBatchReader([]paimon.DataSplit{split})
		must(t, err)
		for batch, err := range reader.All() {
			must(t, err)
			for i := range int(batch.NumRows()) {
				values = append(values, strings.Clone(batch.Column(1).ValueStr(i)))
			}
			batch.Release()
		}
		reader.Close()
	}
	if !slices.Equal(values, []string{"thirty"}) {
		t.Errorf("split by split, with a limit: %q", values)
	}
	if rows := readRows(t, table, "name"); !slices.Equal(rows, []string{"thirty"}) {
		t.Errorf("without the key: %q", rows)
	}
}

func TestProjection(t *testing.T) {
	checkLeaks(t)
	_, table := foreignTable(t, "simple_log_table")
	if rows := readRows(t, table, "name", "id"); !slices.Equal(rows, []string{"alice 1", "bob 2", "carol 3"}) {
		t.Errorf("in another order: %q", rows)
	}
	// No columns at all still count rows.
	reader := newReader(t, table, []string{}...)
	var rows int64
	for batch, err := range reader.All() {
		must(t, err)
		rows += batch.NumRows()
		batch.Release()
	}
	if rows != 3 {
		t.Errorf("without columns: %d rows", rows)
	}

	builder, err := table.NewReadBuilder()
	must(t, err)
	defer builder.Close()
	wantError(t, builder.WithProjection([]string{"id", "nom"}), paimon.ErrColumnNotExist, "nom", "default.simple_log_table")
	wantError(t, builder.WithProjection([]string{"id\x00"}), paimon.CodeInvalidInput, "NUL")
	must(t, builder.WithProjection([]string{"NAME"}))
	_, err = builder.NewRead()
	wantError(t, err, paimon.ErrColumnNotExist, "NAME")
	must(t, builder.WithCaseSensitive(false))
	read, err := builder.NewRead()
	must(t, err)
	read.Close()
	must(t, builder.WithProjection([]string{"Name", "name"}))
	_, err = builder.NewRead()
	wantError(t, err, paimon.CodeInvalidInput, "name")
	wantError(t, builder.WithLimit(-1), paimon.ErrNegativeLimit)
	must(t, builder.WithLimit(0))
	builder.Close()
	wantError(t, builder.WithLimit(-1), paimon.ErrNegativeLimit)
	wantError(t, builder.WithLimit(1), paimon.ErrClosed)
}

// The end of a reader is the end, again and again, and so is an error.
func TestReaderEnds(t *testing.T) {
	checkLeaks(t)
	_, table := foreignTable(t, "simple_log_table")
	reader := newReader(t, table)
	for batch, err := range reader.All() {
		must(t, err)
		batch.Release()
	}
	for range 3 {
		if _, err := reader.NextRecord(); err != io.EOF {
			t.Errorf("got %v, want io.EOF", err)
		}
	}

	broken := newReader(t, table)
	for _, path := range dataFiles(t, table) {
		must(t, os.Truncate(path, 10))
	}
	_, first := broken.NextRecord()
	var e *paimon.Error
	if !errors.As(first, &e) || e.Object() != "default.simple_log_table" {
		t.Fatalf("got %v", first)
	}
	for range 3 {
		if _, err := broken.NextRecord(); err != first {
			t.Errorf("got %v, want %v again", err, first)
		}
	}
	files := dataFiles(t, table)
	for _, path := range files {
		must(t, os.Remove(path))
	}
	_, err := newReader(t, table).NextRecord()
	wantError(t, err, paimon.CodeNotFound)
	if !slices.ContainsFunc(files, func(path string) bool { return strings.Contains(err.Error(), filepath.Base(path)) }) {
		t.Errorf("%v names none of %q", err, files)
	}
}

// A table without snapshots has no splits, and its schema can be had all the same.
func TestEmptyTable(t *testing.T) {
	checkLeaks(t)
	_, table := newTable(t, people, nil)
	wantSnapshot(t, table, 0)
	if rows := readRows(t, table); rows != nil {
		t.Errorf("rows %q", rows)
	}
	schema, err := table.ArrowSchema()
	must(t, err)
	for i, field := range people.Fields() {
		if got := schema.Field(i); got.Name != field.Name || got.Nullable != field.Nullable || !arrow.TypeEqual(got.Type, field.Type) {
			t.Errorf("got %v, want %v", got, field)
		}
	}
}

// Readers that are not read to their end, batches that are kept, in many rounds.
func TestReadersAbandoned(t *testing.T) {
	allocator := checkLeaks(t)
	_, table := newTable(t, people, func(s *paimon.Schema) { s.Options = map[string]string{"read.batch-size": "2"} })
	var rows []person
	for i := range 20 {
		rows = append(rows, person{int32(i), strings.Repeat("x", i)})
	}
	appendRows(t, table, allocator, rows...)
	var kept []arrow.RecordBatch
	for round := range 200 {
		reader := newReader(t, table)
		if round%4 != 0 { // else it is never read
			batch, err := reader.NextRecord()
			must(t, err)
			if round%4 == 1 {
				kept = append(kept, batch)
			} else {
				batch.Release()
			}
		}
		reader.Close()
		reader.Close()
	}
	for _, batch := range kept {
		if batch.NumRows() != 2 || batch.Column(0).(*array.Int32).Value(1) != 1 || batch.Column(1).ValueStr(1) != "x" {
			t.Errorf("a kept batch changed: %v", batch)
		}
		batch.Release()
	}
}

// One reader read by many goroutines gives each batch to one of them.
func TestReaderIsShared(t *testing.T) {
	allocator := checkLeaks(t)
	_, table := newTable(t, people, func(s *paimon.Schema) { s.Options = map[string]string{"read.batch-size": "3"} })
	var rows []person
	for i := range 300 {
		rows = append(rows, person{int32(i), fmt.Sprint(i)})
	}
	appendRows(t, table, allocator, rows...)
	reader := newReader(t, table)
	var mu sync.Mutex
	seen := make(map[int32]int)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for batch, err := range reader.All() {
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				for i, id := range batch.Column(0).(*array.Int32).Values() {
					if batch.Column(1).ValueStr(i) != fmt.Sprint(id) {
						t.Errorf("id %d has name %s", id, batch.Column(1).ValueStr(i))
					}
					seen[id]++
				}
				mu.Unlock()
				batch.Release()
			}
		})
	}
	group.Wait()
	for i := range 300 {
		if seen[int32(i)] != 1 {
			t.Errorf("row %d was seen %d times", i, seen[int32(i)])
		}
	}
}
