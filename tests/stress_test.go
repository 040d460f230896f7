// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	paimon "github.com/apache/paimon-rust/bindings/go"
)

// Writes and reads go on while the garbage collector does nothing but collect, and children are started.
func TestUnderGarbageCollection(t *testing.T) {
	allocator := checkLeaks(t)
	collect(t)
	var background sync.WaitGroup
	defer background.Wait()
	background.Go(func() {
		for range 20 {
			if err := exec.Command(os.Args[0], "-test.run=^$").Run(); err != nil {
				t.Error(err)
			}
		}
	})

	_, table := newTable(t, people, primaryKey)
	for round := range 10 {
		var rows []person
		for i := range 50 {
			rows = append(rows, person{int32(i), fmt.Sprint("round ", round, " row ", i)})
		}
		appendRows(t, table, allocator, rows...)
		reader := newReader(t, table)
		seen := 0
		for batch, err := range reader.All() {
			must(t, err)
			for i, id := range batch.Column(0).(*array.Int32).Values() {
				if got, want := batch.Column(1).ValueStr(i), rows[id].name; got != want {
					t.Errorf("row %d is %q, want %q", id, got, want)
				}
				seen++
			}
			batch.Release()
		}
		if seen != 50 {
			t.Errorf("round %d: %d rows", round, seen)
		}
		_, err := paimon.NewCatalog(map[string]string{"warehouse": "no-such-scheme://x"})
		wantError(t, err, paimon.CodeUnsupported, "no-such-scheme")
	}
}

// collect collects garbage all the time until the end of the test.
func collect(t *testing.T) {
	t.Helper()
	percent := debug.SetGCPercent(1)
	stop := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	})
	t.Cleanup(func() {
		close(stop)
		group.Wait()
		debug.SetGCPercent(percent)
	})
}

// Records cross in both directions many times, one row each, and none is mixed up with another.
func TestManyRecordsCross(t *testing.T) {
	allocator := checkLeaks(t)
	_, table := newTable(t, people, nil)
	n := 2000 * *stress
	collect(t)
	j := newJob(t, table, "", false)
	for i := range n {
		batch := record(allocator, person{int32(i), fmt.Sprint("name ", i)})
		must(t, j.write.WriteArrowBatch(batch))
		batch.Release()
	}
	must(t, j.commit.Commit(j.prepare(t, allocator)))

	builder, err := table.NewReadBuilderWithOptions(map[string]string{"read.batch-size": "1"})
	must(t, err)
	defer builder.Close()
	reader, err := readerOf(builder)
	must(t, err)
	defer reader.Close()
	var kept []arrow.RecordBatch
	seen := 0
	check := func(batch arrow.RecordBatch, i int) {
		t.Helper()
		id, name := batch.Column(0).(*array.Int32).Value(0), batch.Column(1).ValueStr(0)
		if batch.NumRows() != 1 || int(id) != i || name != fmt.Sprint("name ", i) {
			t.Fatalf("record %d has %d rows, the first is %d %q", i, batch.NumRows(), id, name)
		}
	}
	for batch, err := range reader.All() {
		must(t, err)
		check(batch, seen)
		if seen%100 == 0 {
			kept = append(kept, batch)
		} else {
			batch.Release()
		}
		seen++
	}
	for i, batch := range kept {
		check(batch, 100*i)
		batch.Release()
	}
	if seen != n {
		t.Errorf("%d records of %d", seen, n)
	}
	t.Logf("%d records out and in", n)
}

// Every result that a call returns by value or by pointer is its own, whoever calls at the same time.
func TestResultsKeepApart(t *testing.T) {
	checkLeaks(t)
	_, table := newTable(t, people, nil)
	blobs, err := table.NewBlobReader()
	must(t, err)
	defer blobs.Close()
	descriptor := descriptorOf(fileOf(t, "blob"), 0, -1)
	const callers = 64
	n := 2000 * *stress
	collect(t)
	var calls atomic.Int64
	var group sync.WaitGroup
	for g := range callers {
		stream, err := blobs.OpenBlob(descriptor)
		must(t, err)
		builder, err := table.NewReadBuilder()
		must(t, err)
		group.Go(func() {
			defer builder.Close()
			defer func() { _ = stream.Close() }()
			for i := range n {
				calls.Add(1)
				if i%10 == 0 { // a pointer, to an error with this text
					name := fmt.Sprintf("column-%d-%d-", g, i)
					if err := builder.WithProjection([]string{name}); err == nil || !strings.Contains(err.Error(), name) {
						t.Errorf("got %v, want one that names %s", err, name)
						return
					}
					continue
				}
				want := int64(g)<<32 | int64(i)
				if got, err := stream.Seek(want, io.SeekStart); err != nil || got != want { // a struct with this number
					t.Errorf("got %d, %v, want %d", got, err, want)
					return
				}
			}
		})
	}
	group.Wait()
	t.Logf("%d calls from %d goroutines", calls.Load(), callers)
}

// All that goroutines do at the same time works on one processor of Go's.
func TestOneProcessorOfGo(t *testing.T) {
	child := exec.Command(os.Args[0], "-test.timeout=5m", "-test.run=^("+strings.Join([]string{
		"TestCloseRacesWithCalls", "TestConcurrentTables", "TestEveryHandleType", "TestFilterAndProjection", "TestReaderIsShared",
		"TestReadForeignTables", "TestWriteCommitReadRoundTrip", "TestWriteIsShared",
	}, "|")+")$")
	child.Env = append(os.Environ(), "GOMAXPROCS=1")
	if out, err := child.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "PASS") {
		t.Errorf("%v:\n%s", err, out)
	}
}

// Handles of every type are closed by a cleanup of Go's, on its goroutine, while nobody or somebody calls.
func TestCloseInCleanup(t *testing.T) {
	checkLeaks(t)
	type owner struct{ name string }
	for _, h := range newChain(t).handles() {
		done := make(chan struct{})
		runtime.AddCleanup(&owner{h.name}, func(closeIt func()) { closeIt(); close(done) }, h.close)
		for name, call := range h.calls {
			if err := call(); err != nil && !errors.Is(err, paimon.ErrClosed) {
				t.Errorf("%s.%s: %v", h.name, name, err)
			}
		}
		for waiting := true; waiting; {
			runtime.GC()
			select {
			case <-done:
				waiting = false
			case <-time.After(time.Millisecond):
			}
		}
		for name, call := range h.calls {
			if err := call(); !errors.Is(err, paimon.ErrClosed) {
				t.Errorf("%s.%s: %v", h.name, name, err)
			}
		}
	}
}

// A reader may be closed within the loop over it. The batches stay, and the loop ends with ErrClosed.
func TestCloseWithinLoop(t *testing.T) {
	allocator := checkLeaks(t)
	_, table := newTable(t, people, func(s *paimon.Schema) { s.Options = map[string]string{"read.batch-size": "1"} })
	appendRows(t, table, allocator, person{1, "one"}, person{2, "two"}, person{3, "three"})
	reader := newReader(t, table)
	var batches []arrow.RecordBatch
	var last error
	for batch, err := range reader.All() {
		if err != nil {
			last = err
			continue
		}
		reader.Close()
		table.Close()
		batches = append(batches, batch)
	}
	wantError(t, last, paimon.ErrClosed)
	if len(batches) != 1 || batches[0].Column(1).ValueStr(0) != "one" {
		t.Errorf("got %v", batches)
	}
	for _, batch := range batches {
		batch.Release()
	}
}

// The table and its main branch are one table, whose commits wait for each other.
func TestCommitsUnderTwoNames(t *testing.T) {
	allocator := checkLeaks(t)
	catalog, table := newTable(t, people, nil)
	main := openTable(t, catalog, branchOf(table, "branch_main"))
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			handle := table
			if worker%2 == 0 {
				handle = main
			}
			for i := range 10 {
				if err := writeRow(handle, allocator, int32(worker*10+i), (*paimon.TableCommit).Commit); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if rows := readRows(t, table, "id"); len(rows) != 80 {
		t.Errorf("%d rows of 80", len(rows))
	}
}

// At rest the native library holds no threads, and memory does not grow from round to round.
func TestNothingIsLeftAtRest(t *testing.T) {
	allocator := checkLeaks(t)
	warehouse := t.TempDir()
	setUp := openCatalog(t, warehouse)
	must(t, setUp.CreateDatabase("db", nil, false))
	schema, err := paimon.SchemaFromArrow(people)
	must(t, err)
	id := paimon.NewIdentifier("db", "t")
	must(t, setUp.CreateTable(id, schema, false))
	setUp.Close()

	round := func() {
		catalog, err := paimon.NewCatalog(map[string]string{"warehouse": warehouse})
		must(t, err)
		defer catalog.Close()
		table, err := catalog.GetTable(id)
		must(t, err)
		defer table.Close()
		must(t, writeRow(table, allocator, 1, (*paimon.TableCommit).Abort))
	}
	for range 50 {
		round()
	}
	before := paimon.ReadNativeStats()
	for range 200 {
		round()
	}
	after := paimon.ReadNativeStats()
	if grown := after.Bytes - before.Bytes; grown > 64<<10 {
		t.Errorf("native memory grew by %d bytes in 200 rounds", grown)
	}
	if runtime.GOOS == "linux" {
		wantThreads(t, 0, 0)
		catalog := openCatalog(t, warehouse)
		wantThreads(t, 1, runtime.NumCPU())
		catalog.Close()
		wantThreads(t, 0, 0)
	}
}

// wantThreads waits until the native library has so many threads in this process: they take a moment to start and to end.
func wantThreads(t *testing.T, least, most int) {
	t.Helper()
	var count int
	for range 500 {
		count = 0
		names, err := filepath.Glob("/proc/self/task/*/comm")
		must(t, err)
		for _, name := range names {
			comm, err := os.ReadFile(name)
			if err == nil && string(comm) == "paimon\n" { // those of the engine's ORC writer stay: docs/ownership.md
				count++
			}
		}
		if least <= count && count <= most {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d native threads, want %d to %d", count, least, most)
}

// Many goroutines write and commit their own tables, and read what they wrote.
func TestConcurrentTables(t *testing.T) {
	allocator := checkLeaks(t)
	catalog := openCatalog(t, t.TempDir())
	must(t, catalog.CreateDatabase("db", nil, false))
	schema, err := paimon.SchemaFromArrow(people)
	must(t, err)
	t.Run("group", func(t *testing.T) {
		for g := range 8 {
			t.Run(fmt.Sprint(g), func(t *testing.T) {
				t.Parallel()
				id := paimon.NewIdentifier("db", fmt.Sprint("t", g))
				must(t, catalog.CreateTable(id, schema, false))
				table := openTable(t, catalog, id)
				var want []string
				for i := range 5 {
					row := person{int32(i), fmt.Sprint("of ", g)}
					appendRows(t, table, allocator, row)
					want = append(want, row.String())
				}
				wantRows(t, table, want...)
			})
		}
	})
}

// One write fed by many goroutines loses nothing.
func TestWriteIsShared(t *testing.T) {
	allocator := checkLeaks(t)
	_, table := newTable(t, people, primaryKey)
	j := newJob(t, table, "", false)
	var group sync.WaitGroup
	for g := range 8 {
		group.Go(func() {
			for i := range 20 {
				batch := record(allocator, person{int32(g*100 + i), "x"})
				if err := j.write.WriteArrowBatch(batch); err != nil {
					t.Error(err)
				}
				batch.Release()
			}
		})
	}
	group.Wait()
	must(t, j.commit.Commit(j.prepare(t, allocator)))
	if rows := readRows(t, table); len(rows) != 160 {
		t.Errorf("%d rows, want 160", len(rows))
	}
}

// Every commit that this process acknowledges is there, whoever made it.
func TestConcurrentCommits(t *testing.T) {
	allocator := checkLeaks(t)
	catalog, table := newTable(t, people, nil)
	const committers, commits = 8, 30
	var group sync.WaitGroup
	for g := range committers {
		group.Go(func() {
			mine, err := catalog.GetTable(table.Identifier())
			if err != nil {
				t.Error(err)
				return
			}
			defer mine.Close()
			for i := range commits {
				if err := writeRow(mine, allocator, int32(g*commits+i), (*paimon.TableCommit).Commit); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	wantSnapshot(t, table, committers*commits)
	if rows := readRows(t, table, "id"); len(slices.Compact(rows)) != committers*commits {
		t.Errorf("%d rows are there, %d were acknowledged", len(rows), committers*commits)
	}
}

// writeRow writes one row in a job of its own and commits or aborts it. It may be called off the test's goroutine.
func writeRow(table *paimon.Table, allocator memory.Allocator, id int32, end func(*paimon.TableCommit, *paimon.CommitMessages) error) error {
	batch := record(allocator, person{id, "x"})
	defer batch.Release()
	return writeRecord(table, batch, end)
}

// writeRecord is writeRow for any record.
func writeRecord(table *paimon.Table, batch arrow.RecordBatch, end func(*paimon.TableCommit, *paimon.CommitMessages) error) error {
	builder, err := table.NewWriteBuilder()
	if err != nil {
		return err
	}
	defer builder.Close()
	write, err := builder.NewWrite()
	if err != nil {
		return err
	}
	defer write.Close()
	if err := write.WriteArrowBatch(batch); err != nil {
		return err
	}
	messages, err := write.PrepareCommit()
	if err != nil {
		return err
	}
	defer messages.Close()
	commit, err := builder.NewCommit()
	if err != nil {
		return err
	}
	defer commit.Close()
	return end(commit, messages)
}
