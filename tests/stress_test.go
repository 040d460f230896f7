// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	paimon "github.com/apache/paimon-rust/bindings/go"
)

// Writes and reads go on while the garbage collector does nothing but collect, and children are started.
func TestUnderGarbageCollection(t *testing.T) {
	allocator := checkLeaks(t)
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	stop := make(chan struct{})
	var background sync.WaitGroup
	defer background.Wait()
	defer close(stop)
	background.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	})
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
	batch := record(allocator, person{id, "x"})
	defer batch.Release()
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
