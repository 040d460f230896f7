// SPDX-License-Identifier: Apache-2.0

// Package tests uses the library as its users do: through the exported API alone.
package tests

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	paimon "github.com/apache/paimon-rust/bindings/go"
)

// stress is for make stress.
var stress = flag.Int("stress", 1, "how many times as much the stress tests do")

// TestMain fails the run when native objects are left.
func TestMain(m *testing.M) {
	code := m.Run()
	if left := paimon.ReadNativeStats().Handles; left != 0 {
		fmt.Fprintln(os.Stderr, "native handles left:", left)
		code = 1
	}
	os.Exit(code)
}

// must stops the test on an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wantError checks that err matches a target and says all of these words.
func wantError(t testing.TB, err, target error, words ...string) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Errorf("got %v, want %v", err, target)
		return
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q does not say %q", err, word)
		}
	}
}

// checkLeaks gives an allocator for the test, and fails the test if memory or native objects are left at its end.
func checkLeaks(t testing.TB) memory.Allocator {
	t.Helper()
	before := paimon.ReadNativeStats().Handles
	allocator := memory.NewCheckedAllocator(memory.NewGoAllocator())
	t.Cleanup(func() {
		allocator.AssertSize(t, 0)
		if after := paimon.ReadNativeStats().Handles; after != before {
			t.Errorf("%d native handles left", after-before)
		}
	})
	return allocator
}

// openCatalog opens a catalog until the end of the test.
func openCatalog(t testing.TB, warehouse string) *paimon.Catalog {
	t.Helper()
	catalog, err := paimon.NewCatalog(map[string]string{"warehouse": warehouse})
	must(t, err)
	t.Cleanup(catalog.Close)
	return catalog
}

// foreignTable opens a temporary copy of a table that another engine wrote: from the warehouse in PAIMON_TEST_WAREHOUSE, or else
// from the one in testdata, which Java wrote.
func foreignTable(t testing.TB, name string) (*paimon.Catalog, *paimon.Table) {
	t.Helper()
	source := os.Getenv("PAIMON_TEST_WAREHOUSE")
	if source == "" {
		source = filepath.Join("testdata", "warehouse")
	}
	catalog := openCatalog(t, copyTable(t, source, name))
	return catalog, openTable(t, catalog, paimon.NewIdentifier("default", name))
}

// copyTable makes a temporary warehouse with a copy of one table of another.
func copyTable(t testing.TB, source, name string) (warehouse string) {
	t.Helper()
	warehouse = filepath.Join(t.TempDir(), "warehouse")
	folder := filepath.Join("default.db", name)
	if err := os.CopyFS(filepath.Join(warehouse, folder), os.DirFS(filepath.Join(source, folder))); err != nil {
		t.Fatalf("no table to copy: %v", err)
	}
	return warehouse
}

func openTable(t testing.TB, catalog *paimon.Catalog, id paimon.Identifier) *paimon.Table {
	t.Helper()
	table, err := catalog.GetTable(id)
	must(t, err)
	t.Cleanup(table.Close)
	return table
}

// people is the schema of the simple tables.
var people = arrow.NewSchema([]arrow.Field{
	{Name: "id", Type: arrow.PrimitiveTypes.Int32},
	{Name: "name", Type: arrow.BinaryTypes.String, Nullable: true},
}, nil)

// newTable creates a table of people, or of other columns, in a warehouse of its own.
func newTable(t testing.TB, columns *arrow.Schema, change func(*paimon.Schema)) (*paimon.Catalog, *paimon.Table) {
	t.Helper()
	schema, err := paimon.SchemaFromArrow(columns)
	must(t, err)
	if change != nil {
		change(schema)
	}
	catalog := openCatalog(t, t.TempDir())
	must(t, catalog.CreateDatabase("db", nil, false))
	id := paimon.NewIdentifier("db", "t")
	must(t, catalog.CreateTable(id, schema, false))
	return catalog, openTable(t, catalog, id)
}

func primaryKey(schema *paimon.Schema) {
	schema.PrimaryKeys = []string{"id"}
	schema.Options = map[string]string{"bucket": "1"}
}

// person is a row of people; an empty name is null.
type person struct {
	id   int32
	name string
}

func (p person) String() string { return fmt.Sprintf("%d %s", p.id, p.name) }

// record makes a record of people, which the caller releases.
func record(allocator memory.Allocator, rows ...person) arrow.RecordBatch {
	b := array.NewRecordBuilder(allocator, people)
	defer b.Release()
	for _, row := range rows {
		b.Field(0).(*array.Int32Builder).Append(row.id)
		if row.name == "" {
			b.Field(1).AppendNull()
		} else {
			b.Field(1).(*array.StringBuilder).Append(row.name)
		}
	}
	return b.NewRecordBatch()
}

// A job is a builder with one write and one commit, open until the end of the test.
type job struct {
	builder *paimon.WriteBuilder
	write   *paimon.TableWrite
	commit  *paimon.TableCommit
}

func newJob(t testing.TB, table *paimon.Table, user string, overwrite bool) *job {
	t.Helper()
	var builder *paimon.WriteBuilder
	var err error
	if user == "" {
		builder, err = table.NewWriteBuilder()
	} else {
		builder, err = table.NewWriteBuilderWithCommitUser(user)
	}
	must(t, err)
	t.Cleanup(builder.Close)
	if overwrite {
		must(t, builder.WithOverwrite())
	}
	j := &job{builder: builder}
	j.write, err = builder.NewWrite()
	must(t, err)
	t.Cleanup(j.write.Close)
	j.commit, err = builder.NewCommit()
	must(t, err)
	t.Cleanup(j.commit.Close)
	return j
}

// prepare writes rows and gives their messages, open until the end of the test.
func (j *job) prepare(t testing.TB, allocator memory.Allocator, rows ...person) *paimon.CommitMessages {
	t.Helper()
	if len(rows) > 0 {
		batch := record(allocator, rows...)
		defer batch.Release()
		must(t, j.write.WriteArrowBatch(batch))
	}
	messages, err := j.write.PrepareCommit()
	must(t, err)
	t.Cleanup(messages.Close)
	return messages
}

// appendRows writes and commits rows in a job of their own.
func appendRows(t testing.TB, table *paimon.Table, allocator memory.Allocator, rows ...person) {
	t.Helper()
	j := newJob(t, table, "", false)
	must(t, j.commit.Commit(j.prepare(t, allocator, rows...)))
}

// readerOf opens a reader of all splits that a builder plans, or gives nil if there are none. The caller closes it.
func readerOf(builder *paimon.ReadBuilder) (*paimon.RecordBatchReader, error) {
	scan, err := builder.NewScan()
	if err != nil {
		return nil, err
	}
	defer scan.Close()
	plan, err := scan.Plan()
	if err != nil {
		return nil, err
	}
	defer plan.Close()
	read, err := builder.NewRead()
	if err != nil {
		return nil, err
	}
	defer read.Close()
	if plan.NumSplits() == 0 {
		return nil, nil
	}
	return read.NewRecordBatchReader(plan.Splits())
}

// newReader opens a reader of all splits of the latest snapshot, or gives nil if there are none.
func newReader(t testing.TB, table *paimon.Table, columns ...string) *paimon.RecordBatchReader {
	t.Helper()
	builder, err := table.NewReadBuilder()
	must(t, err)
	defer builder.Close()
	if columns != nil {
		must(t, builder.WithProjection(columns))
	}
	reader, err := readerOf(builder)
	must(t, err)
	t.Cleanup(reader.Close)
	return reader
}

// readRows is tryRows without errors.
func readRows(t testing.TB, table *paimon.Table, columns ...string) []string {
	t.Helper()
	rows, err := tryRows(table, columns...)
	must(t, err)
	return rows
}

// tryRows reads all rows of a table, one of its branches or a system table, or some of their columns: as text, columns separated by a
// blank, sorted. It gives the first error of any step.
func tryRows(table *paimon.Table, columns ...string) (rows []string, err error) {
	builder, err := table.NewReadBuilder()
	if err != nil {
		return nil, err
	}
	defer builder.Close()
	if columns != nil {
		if err := builder.WithProjection(columns); err != nil {
			return nil, err
		}
	}
	reader, err := readerOf(builder)
	if err != nil || reader == nil {
		return nil, err
	}
	defer reader.Close()
	return rowsOf(reader)
}

// rowsOf gives the rows that a reader has left, as tryRows does.
func rowsOf(reader *paimon.RecordBatchReader) (rows []string, err error) {
	for batch, err := range reader.All() {
		if err != nil {
			return nil, err
		}
		for row := range int(batch.NumRows()) {
			var values []string
			for _, column := range batch.Columns() {
				values = append(values, column.ValueStr(row))
			}
			rows = append(rows, strings.Clone(strings.Join(values, " "))) // a text may lie in the batch
		}
		batch.Release()
	}
	slices.Sort(rows)
	return rows, nil
}

// wantRows compares all rows of a table, sorted as text.
func wantRows(t testing.TB, table *paimon.Table, want ...string) {
	t.Helper()
	if rows := readRows(t, table); !slices.Equal(rows, want) {
		t.Errorf("got rows %q, want %q", rows, want)
	}
}

// wantSnapshot checks the number of the latest snapshot; 0 stands for none.
func wantSnapshot(t testing.TB, table *paimon.Table, want int64) *paimon.Snapshot {
	t.Helper()
	snapshot, err := table.LatestSnapshot()
	must(t, err)
	var id int64
	if snapshot != nil {
		id = snapshot.ID
	}
	if id != want {
		t.Errorf("latest snapshot is %d, want %d", id, want)
	}
	return snapshot
}

// dataFiles lists the data files below a table's folder.
func dataFiles(t testing.TB, table *paimon.Table) []string {
	t.Helper()
	var files []string
	root := strings.TrimPrefix(table.Location(), "file:")
	must(t, filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.HasPrefix(entry.Name(), "data-") {
			files = append(files, path)
		}
		return err
	}))
	return files
}

var goMemory = memory.NewGoAllocator()

// bufferOf makes the buffers of an array without nulls over the memory of a slice.
func bufferOf(values []int32) []*memory.Buffer {
	return []*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(values))}
}
