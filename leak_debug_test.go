// SPDX-License-Identifier: Apache-2.0

//go:build paimon_debug

package paimon

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// What is dropped without Close or Release is reported with the stack that made it, and counted still; what was closed is not.
func TestDroppedObjectsAreReported(t *testing.T) {
	reports := make(chan string, 100)
	own := reportLeak
	reportLeak = func(text string) { reports <- text }
	defer func() { reportLeak = own }()
	before := ReadNativeStats().Handles

	l := testLibrary(t)
	table, batch := dropTableAndBatch(t)
	var got []string
	for deadline := time.Now().Add(10 * time.Second); len(got) < 2; {
		runtime.GC()
		select {
		case text := <-reports:
			got = append(got, text)
		case <-time.After(10 * time.Millisecond):
			if time.Now().After(deadline) {
				t.Fatalf("%d reports: %q", len(got), got)
			}
		}
	}
	all := strings.Join(got, "")
	for _, want := range []string{
		"paimon: Table d.t was dropped and never closed",
		"paimon: ArrowBatch d.t was dropped and never closed or released",
		"go.(*Catalog).GetTable",
		"go.dropTableAndBatch\n\t",
		"leak_debug_test.go:",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in:\n%s", want, all)
		}
	}
	if left := ReadNativeStats().Handles - before; left != 2 {
		t.Errorf("%d objects are counted, want 2", left)
	}
	_, _ = ffiTableFree.call(l, table)
	_, _ = ffiArrowBatchFree.call(l, batch)
	l.live.Add(-2)
	for range 5 { // the handles that were closed
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
	}
	select {
	case text := <-reports:
		t.Errorf("reported: %s", text)
	default:
	}
}

// dropTableAndBatch drops a table and a batch without Close and Release, closes everything else, and gives what has to be freed.
//
//go:noinline
func dropTableAndBatch(t *testing.T) (*cTable, cArrowBatch) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	catalog, err := NewCatalog(map[string]string{"warehouse": t.TempDir()})
	must(err)
	defer catalog.Close()
	must(catalog.CreateDatabase("d", nil, false))
	columns := arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int32}}, nil)
	schema, err := SchemaFromArrow(columns)
	must(err)
	must(catalog.CreateTable(NewIdentifier("d", "t"), schema, false))
	table, err := catalog.GetTable(NewIdentifier("d", "t"))
	must(err)

	writes, err := table.NewWriteBuilder()
	must(err)
	defer writes.Close()
	write, err := writes.NewWrite()
	must(err)
	defer write.Close()
	rows := array.NewRecordBuilder(memory.DefaultAllocator, columns)
	rows.Field(0).(*array.Int32Builder).Append(1)
	must(write.WriteArrowBatch(rows.NewRecordBatch()))
	messages, err := write.PrepareCommit()
	must(err)
	defer messages.Close()
	commit, err := writes.NewCommit()
	must(err)
	defer commit.Close()
	must(commit.Commit(messages))

	reads, err := table.NewReadBuilder()
	must(err)
	defer reads.Close()
	scan, err := reads.NewScan()
	must(err)
	defer scan.Close()
	plan, err := scan.Plan()
	must(err)
	defer plan.Close()
	read, err := reads.NewRead()
	must(err)
	defer read.Close()
	reader, err := read.NewRecordBatchReader(plan.Splits())
	must(err)
	defer reader.Close()
	r, err := ffiRecordBatchReaderNext.call(reader.h.lib, reader.h.ptr)
	must(err)
	_, err = importBatch(reader.h.lib, "test", "d.t", r.value, new(*arrow.Schema))
	must(err)
	return table.h.ptr, r.value
}
