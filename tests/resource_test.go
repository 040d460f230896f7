// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	paimon "github.com/apache/paimon-rust/bindings/go"
)

func newResources(t testing.TB, limit uintptr) *paimon.ResourceContext {
	t.Helper()
	resources, err := paimon.NewResourceContext(limit)
	must(t, err)
	t.Cleanup(resources.Close)
	return resources
}

// reserved gives what is reserved of a budget, after it was checked that its peak lies within these bounds.
func reserved(t testing.TB, resources *paimon.ResourceContext, least, most uintptr) uintptr {
	t.Helper()
	metrics, err := resources.Metrics()
	must(t, err)
	if peak := metrics.PeakReservedMemoryBytes; peak < least || peak > most || metrics.ReservedMemoryBytes > peak {
		t.Errorf("%+v, want a peak of %d to %d", metrics, least, most)
	}
	return metrics.ReservedMemoryBytes
}

// megabyte is 1024 rows of 1 KiB.
func megabyte(first int32) []person {
	rows := make([]person, 1024)
	for i := range rows {
		rows[i] = person{first + int32(i), fmt.Sprintf("%01024d", first+int32(i))}
	}
	return rows
}

func TestWriteWithinBudget(t *testing.T) {
	allocator := checkLeaks(t)
	for name, change := range map[string]func(*paimon.Schema){"append": nil, "primary key": primaryKey} {
		t.Run(name, func(t *testing.T) {
			_, table := newTable(t, people, change)
			resources := newResources(t, 3<<20)
			builder, err := table.NewWriteBuilder()
			must(t, err)
			defer builder.Close()
			must(t, builder.WithResources(resources))
			commit, err := builder.NewCommit()
			must(t, err)
			defer commit.Close()

			// What exceeds the budget ends the write. It leaves nothing behind, and can be closed.
			write, err := builder.NewWrite()
			must(t, err)
			defer write.Close()
			var failed error
			for i := range int32(10) {
				batch := record(allocator, megabyte(i*1024)...)
				failed = write.WriteArrowBatch(batch)
				batch.Release()
				if failed != nil {
					break
				}
			}
			wantError(t, failed, paimon.CodeResourceExhausted, "db.t", "limit 3145728")
			_, err = write.PrepareCommit()
			wantError(t, err, paimon.CodeInvalidInput, "failure")
			write.Close()
			if left := reserved(t, resources, 1<<20, 3<<20); left != 0 {
				t.Errorf("%d bytes are reserved after the write", left)
			}
			if files := dataFiles(t, table); len(files) != 0 {
				t.Errorf("the write left %q", files)
			}
			wantSnapshot(t, table, 0)

			// The next one, under the same budget, which outlives the context: little at a time is fine.
			resources.Close()
			for i := range int32(4) {
				write, err := builder.NewWrite()
				must(t, err)
				batch := record(allocator, megabyte(i*1024)...)
				must(t, write.WriteArrowBatch(batch))
				batch.Release()
				messages, err := write.PrepareCommit()
				must(t, err)
				write.Close()
				must(t, commit.Commit(messages))
				messages.Close()
			}
			if rows := readRows(t, table, "id"); len(rows) != 4096 {
				t.Errorf("%d rows", len(rows))
			}
			wantError(t, builder.WithResources(resources), paimon.ErrClosed)
			wantError(t, builder.WithResources(nil), paimon.ErrClosed)
		})
	}
}

// The option that bounds what a write sorts in memory keeps it within a budget that it would exceed.
func TestBufferSizeKeepsWithinBudget(t *testing.T) {
	allocator := checkLeaks(t)
	_, table := newTable(t, people, func(schema *paimon.Schema) {
		primaryKey(schema)
		schema.Options["write.parquet-buffer-size"] = "512 kb"
	})
	resources := newResources(t, 3<<20)
	builder, err := table.NewWriteBuilder()
	must(t, err)
	defer builder.Close()
	must(t, builder.WithResources(resources))
	write, err := builder.NewWrite()
	must(t, err)
	defer write.Close()
	for i := range int32(10) {
		batch := record(allocator, megabyte(i*1024)...)
		must(t, write.WriteArrowBatch(batch))
		batch.Release()
	}
	messages, err := write.PrepareCommit()
	must(t, err)
	defer messages.Close()
	commit, err := builder.NewCommit()
	must(t, err)
	defer commit.Close()
	must(t, commit.Commit(messages))
	if rows := readRows(t, table, "id"); len(rows) != 10*1024 {
		t.Errorf("%d rows", len(rows))
	}
	if left := reserved(t, resources, 1<<20, 3<<20); left != 0 {
		t.Errorf("%d bytes are reserved after the write", left)
	}
}

// One budget for several writes: what one holds the other cannot have.
func TestWritesShareBudget(t *testing.T) {
	allocator := checkLeaks(t)
	_, table := newTable(t, people, primaryKey)
	resources := newResources(t, 3<<19)
	batch := record(allocator, megabyte(0)...)
	defer batch.Release()
	var writes []*paimon.TableWrite
	for range 2 {
		builder, err := table.NewWriteBuilder()
		must(t, err)
		defer builder.Close()
		must(t, builder.WithResources(resources))
		write, err := builder.NewWrite()
		must(t, err)
		defer write.Close()
		writes = append(writes, write)
	}
	must(t, writes[0].WriteArrowBatch(batch))
	if held := reserved(t, resources, 1<<20, 3<<19); held < 1<<20 {
		t.Errorf("%d bytes are reserved while a write holds them", held)
	}
	wantError(t, writes[1].WriteArrowBatch(batch), paimon.CodeResourceExhausted)
	writes[0].Close()
	if left := reserved(t, resources, 1<<20, 3<<19); left != 0 {
		t.Errorf("%d bytes are reserved after the writes", left)
	}
}

// newReaderWithin opens a reader of all splits under a budget.
func newReaderWithin(t testing.TB, table *paimon.Table, resources *paimon.ResourceContext) *paimon.RecordBatchReader {
	t.Helper()
	builder, err := table.NewReadBuilder()
	must(t, err)
	defer builder.Close()
	must(t, builder.WithResources(resources))
	reader, err := readerOf(builder)
	must(t, err)
	t.Cleanup(reader.Close)
	return reader
}

// readWithin reads all under a budget and counts the rows.
func readWithin(t testing.TB, table *paimon.Table, resources *paimon.ResourceContext) (rows int64, err error) {
	t.Helper()
	reader := newReaderWithin(t, table, resources)
	defer reader.Close()
	for {
		batch, err := reader.NextRecord()
		if err != nil {
			if _, again := reader.NextRecord(); again != err {
				t.Errorf("%v comes after %v", again, err)
			}
			if err == io.EOF {
				err = nil
			}
			return rows, err
		}
		rows += batch.NumRows()
		batch.Release()
	}
}

func TestReadWithinBudget(t *testing.T) {
	allocator := checkLeaks(t)
	for name, change := range map[string]func(*paimon.Schema){"append": nil, "primary key": primaryKey} {
		t.Run(name, func(t *testing.T) {
			_, table := newTable(t, people, change)
			for i := range int32(3) {
				appendRows(t, table, allocator, megabyte(i*512)...) // half of them again, where there is a key
			}
			want := int64(3 * 1024)
			if change != nil {
				want = 2 * 1024
			}
			for _, limit := range []uintptr{0, 100_000} {
				resources := newResources(t, limit)
				_, err := readWithin(t, table, resources)
				wantError(t, err, paimon.CodeResourceExhausted, "db.t", fmt.Sprint("limit ", limit))
				if left := reserved(t, resources, 0, limit); left != 0 {
					t.Errorf("%d bytes are reserved after the read", left)
				}
			}
			for _, limit := range []uintptr{64 << 20, math.MaxInt} {
				resources := newResources(t, limit)
				rows, err := readWithin(t, table, resources)
				must(t, err)
				if rows != want {
					t.Errorf("%d rows, want %d", rows, want)
				}
				if left := reserved(t, resources, 1<<20, 64<<20); left != 0 {
					t.Errorf("%d bytes are reserved after the read", left)
				}
			}
			if rows := readRows(t, table, "id"); int64(len(rows)) != want {
				t.Errorf("%d rows, want %d", len(rows), want)
			}
		})
	}
}

// A refused setting leaves a builder as it was.
func TestResourcesOfReadBuilder(t *testing.T) {
	allocator := checkLeaks(t)
	_, table := newTable(t, people, nil)
	appendRows(t, table, allocator, person{1, strings.Repeat("x", 1000)})
	builder, err := table.NewReadBuilder()
	must(t, err)
	defer builder.Close()
	resources := newResources(t, 0)
	resources.Close()
	wantError(t, builder.WithResources(resources), paimon.ErrClosed)
	wantError(t, builder.WithResources(nil), paimon.ErrClosed)
	_, err = resources.Metrics()
	wantError(t, err, paimon.ErrClosed)
	wantRows(t, table, "1 "+strings.Repeat("x", 1000))
}
