// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"context"
	"encoding/binary"
	"fmt"
	"net/http"
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
	"github.com/apache/paimon-rust/bindings/go/tests/internal/objectstore"
)

// newLender gives an allocator whose memory shows how long records are kept, and fails the test if some are kept at its end.
func newLender(t *testing.T) *memory.CheckedAllocator {
	return checkLeaks(t).(*memory.CheckedAllocator)
}

// lend writes a record and releases it.
func lend(t *testing.T, write *paimon.TableWrite, record arrow.RecordBatch) {
	t.Helper()
	defer record.Release()
	must(t, write.WriteArrowBatch(record))
}

// wantFree waits until nothing of a lender is kept: what a call that was called off had begun may go on for a moment.
func wantFree(t *testing.T, lender *memory.CheckedAllocator) {
	t.Helper()
	for end := time.Now().Add(hung); lender.CurrentAlloc() != 0; time.Sleep(time.Millisecond) {
		paimon.ReadNativeStats() // takes back what was returned
		if time.Now().After(end) {
			t.Fatalf("%d bytes are kept", lender.CurrentAlloc())
		}
	}
}

// What a write does with a record of 64 MB takes the native library no such memory, and is over with the call where there is nothing to
// sort by.
func TestWritesDoNotCopy(t *testing.T) {
	const size = 64 << 20
	for name, change := range map[string]func(*paimon.Schema){
		"append":      nil,
		"primary key": primaryKey,
	} {
		t.Run(name, func(t *testing.T) {
			lender := newLender(t)
			_, table := newTable(t, people, change)
			j := newJob(t, table, "", false)
			must(t, j.write.WriteArrowBatch(record(goMemory, person{1, "one"})))
			before := paimon.ReadNativeStats().Bytes
			var peak atomic.Int64
			stop, stopped := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(stopped)
				for {
					select {
					case <-stop:
						return
					default:
						peak.Store(max(peak.Load(), paimon.ReadNativeStats().Bytes-before))
					}
				}
			}()
			rows := make([]person, 64)
			for i := range rows {
				rows[i] = person{1, strings.Repeat("x", size/len(rows))} // the same value, that dictionaries have once
			}
			lend(t, j.write, record(lender, rows...))
			close(stop)
			<-stopped
			if peak.Load() > size/2 {
				t.Errorf("the write took %d bytes", peak.Load())
			}
			if kept := lender.CurrentAlloc(); (kept != 0) != (change != nil) {
				t.Errorf("%d bytes are kept after the call", kept)
			}
			must(t, j.commit.Commit(j.prepare(t, goMemory)))
			lender.AssertSize(t, 0)
		})
	}
}

// In no format does a write to a table without a key keep records for longer than a moment.
func TestFormatsReturnRecords(t *testing.T) {
	for _, format := range []string{"parquet", "orc", "avro"} {
		t.Run(format, func(t *testing.T) {
			lender := newLender(t)
			_, table := newTable(t, people, func(schema *paimon.Schema) {
				schema.Options = map[string]string{"file.format": format, "file.compression": "none"}
			})
			j := newJob(t, table, "", false)
			for i := range int32(3) {
				lend(t, j.write, record(lender, megabyte(i*1024)...))
				wantFree(t, lender)
			}
			must(t, j.commit.Commit(j.prepare(t, lender)))
			if rows := readRows(t, table, "id"); len(rows) != 3*1024 {
				t.Errorf("%d rows", len(rows))
			}
		})
	}
}

// A write that sorts keeps a record until it prepares a commit, or is over in whatever way.
func TestRecordsAreKeptUntilTheWriteIsOver(t *testing.T) {
	setup := func(t *testing.T) (*memory.CheckedAllocator, *job) {
		lender := newLender(t)
		_, table := newTable(t, people, primaryKey)
		j := newJob(t, table, "", false)
		before := paimon.ReadNativeStats().Handles
		for i := range int32(3) {
			lend(t, j.write, record(lender, megabyte(i*512)...))
		}
		if kept := lender.CurrentAlloc(); kept < 3<<20 {
			t.Errorf("%d bytes are kept", kept)
		}
		if kept := paimon.ReadNativeStats().Handles - before; kept != 3 {
			t.Errorf("%d records are counted", kept)
		}
		return lender, j
	}
	t.Run("prepare", func(t *testing.T) {
		lender, j := setup(t)
		messages := j.prepare(t, lender)
		lender.AssertSize(t, 0)
		must(t, j.commit.Commit(messages))
		lend(t, j.write, record(lender, megabyte(0)...))
		must(t, j.commit.Commit(j.prepare(t, lender)))
		lender.AssertSize(t, 0)
	})
	t.Run("close", func(t *testing.T) {
		lender, j := setup(t)
		j.write.Close()
		lender.AssertSize(t, 0)
	})
	t.Run("close during a call", func(t *testing.T) {
		lender, j := setup(t)
		done := make(chan error)
		go func() {
			batch := record(lender, megabyte(0)...)
			defer batch.Release()
			done <- j.write.WriteArrowBatch(batch)
		}()
		j.write.Close()
		if err := <-done; err != nil {
			wantError(t, err, paimon.ErrClosed)
		}
		wantFree(t, lender)
	})
	t.Run("record that is refused", func(t *testing.T) {
		lender, j := setup(t)
		kept := lender.CurrentAlloc()
		wrong := jsonRecord(t, lender, text, `"`+strings.Repeat(" ", 64<<10)+`"`)
		wantError(t, j.write.WriteArrowBatch(wrong), paimon.CodeInvalidInput, "'id'")
		wrong.Release()
		if now := lender.CurrentAlloc(); now != kept {
			t.Errorf("%d bytes are kept, want %d as before", now, kept)
		}
		j.prepare(t, lender)
		lender.AssertSize(t, 0)
	})
}

// A write that failed keeps nothing, and one that was called off nothing for longer than it takes to stop.
func TestFailedWritesKeepNothing(t *testing.T) {
	t.Run("budget", func(t *testing.T) {
		lender := newLender(t)
		_, table := newTable(t, people, primaryKey)
		builder, err := table.NewWriteBuilder()
		must(t, err)
		defer builder.Close()
		must(t, builder.WithResources(newResources(t, 5<<20)))
		write, err := builder.NewWrite()
		must(t, err)
		defer write.Close()
		for range 4 {
			lend(t, write, record(lender, megabyte(0)...))
		}
		batch := record(lender, megabyte(0)...)
		wantError(t, write.WriteArrowBatch(batch), paimon.CodeResourceExhausted)
		batch.Release()
		lender.AssertSize(t, 0)
	})
	t.Run("called off", func(t *testing.T) {
		lender := newLender(t)
		store, catalog, _ := silentTable(t)
		schema, err := paimon.SchemaFromArrow(people)
		must(t, err)
		primaryKey(schema)
		schema.Options["write.parquet-buffer-size"] = "4 mb"
		id := paimon.NewIdentifier("db", "keyed")
		must(t, catalog.CreateTable(id, schema, false))
		write := newJob(t, openTable(t, catalog, id), "", false).write
		lend(t, write, record(lender, megabyte(0)...))
		ctx, cancel := context.WithCancel(context.Background())
		store.Mute(func(*http.Request) objectstore.Silence {
			cancel()
			return objectstore.Ignore
		})
		defer store.Mute(nil)
		for err == nil {
			batch := record(lender, megabyte(0)...)
			err = write.WriteArrowBatchContext(ctx, batch)
			batch.Release()
		}
		wantError(t, err, context.Canceled)
		wantFree(t, lender)
	})
}

// wideRecord makes a record of all layouts, with nulls, whose rows are told apart by id.
func wideRecord(allocator memory.Allocator, rows int) arrow.RecordBatch {
	long := arrow.StructOf(nullable("x", int32s), nullable("y", arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Int64)))
	b := array.NewRecordBuilder(allocator, arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: int32s},
		nullable("flag", arrow.FixedWidthTypes.Boolean),
		nullable("price", &arrow.Decimal128Type{Precision: 20, Scale: 2}),
		nullable("name", text),
		nullable("bytes", arrow.BinaryTypes.Binary),
		nullable("tags", arrow.ListOf(text)),
		nullable("marks", arrow.MapOf(text, arrow.ListOf(int32s))),
		nullable("spot", long),
		nullable("code", encoded),
	}, nil))
	defer b.Release()
	b.Reserve(rows)
	for i := range rows {
		row := fmt.Sprintf(`{"id":%[1]d,"flag":%[2]t,"price":"%[1]d.25","name":"name %[1]d","bytes":"AAEC","tags":["%[1]d",null,"x"],
			"marks":[{"key":"k%[1]d","value":[%[1]d,null]}],"spot":{"x":%[1]d,"y":[%[1]d,null]},"code":"c%[3]d"}`, i, i%3 == 0, i%7)
		if i%5 == 4 {
			row = fmt.Sprintf(`{"id":%d}`, i)
		}
		if err := b.UnmarshalJSON([]byte(row)); err != nil {
			panic(err)
		}
	}
	return b.NewRecordBatch()
}

// Parts of a record, wherever they begin, are their rows: read in place or copied, at once or long after the record was released.
func TestPartsOfRecords(t *testing.T) {
	const rows = 4000
	whole := wideRecord(goMemory, rows)
	defer whole.Release()
	_, table := newTable(t, whole.Schema(), nil)
	j := newJob(t, table, "", false)
	must(t, j.write.WriteArrowBatch(whole))
	must(t, j.commit.Commit(j.prepare(t, goMemory)))
	want := readRows(t, table)
	for name, change := range map[string]func(*paimon.Schema){"append": nil, "primary key": primaryKey} {
		t.Run(name, func(t *testing.T) {
			lender := newLender(t)
			_, table := newTable(t, whole.Schema(), change)
			j := newJob(t, table, "", false)
			whole := wideRecord(lender, rows)
			size := lender.CurrentAlloc()
			from := int64(0)
			for _, to := range []int64{1, 8, 11, 500, 3100, 3999, rows} { // one of them is more than half of the record
				lend(t, j.write, whole.NewSlice(from, to))
				from = to
			}
			whole.Release()
			if kept := lender.CurrentAlloc(); kept != 0 && kept != size || (kept != 0) != (change != nil) {
				t.Errorf("%d bytes are kept of %d", kept, size)
			}
			must(t, j.commit.Commit(j.prepare(t, lender)))
			lender.AssertSize(t, 0)
			if got := readRows(t, table); !slices.Equal(got, want) {
				t.Errorf("%d rows, want %d, or others", len(got), len(want))
			}
		})
	}
}

// A small part of a record, and a small record, are not worth what they would keep.
func TestSmallRecordsAreNotKept(t *testing.T) {
	lender := newLender(t)
	_, table := newTable(t, people, primaryKey)
	j := newJob(t, table, "", false)
	whole := record(lender, megabyte(0)...)
	lend(t, j.write, whole.NewSlice(100, 200))
	whole.Release()
	lender.AssertSize(t, 0)
	for i := range int32(5000) {
		lend(t, j.write, record(lender, person{i, "small"}))
		lender.AssertSize(t, 0)
	}
	must(t, j.commit.Commit(j.prepare(t, lender)))
	if rows := readRows(t, table, "id"); len(rows) != 5000 {
		t.Errorf("%d rows", len(rows))
	}
}

// However many records a write sorts, it keeps as many as its buffer holds, and a quarter more.
func TestKeptRecordsAreBounded(t *testing.T) {
	lender := newLender(t)
	const buffer = 4 << 20
	_, table := newTable(t, people, func(schema *paimon.Schema) {
		primaryKey(schema)
		schema.Options["write.parquet-buffer-size"] = fmt.Sprint(buffer)
	})
	j := newJob(t, table, "", false)
	rows := megabyte(0)[:40]
	one, most := 0, 0
	for range 2000 {
		batch := record(lender, rows...)
		if one == 0 {
			one = lender.CurrentAlloc()
		}
		lend(t, j.write, batch)
		most = max(most, lender.CurrentAlloc())
	}
	if records, full := most/one, buffer/(40<<10); records < full/2 || records > full*4/3 {
		t.Errorf("up to %d records are kept, where %d fill the buffer", records, full)
	}
	must(t, j.commit.Commit(j.prepare(t, lender)))
	lender.AssertSize(t, 0)
	if rows := readRows(t, table, "id"); len(rows) != 40 {
		t.Errorf("%d rows", len(rows))
	}
}

// Records that were released, and garbage collection, while writes have them.
func TestKeptRecordsUnderGarbageCollection(t *testing.T) {
	checkLeaks(t)
	collect(t)
	var group sync.WaitGroup
	for range 4 {
		_, table := newTable(t, people, primaryKey)
		j := newJob(t, table, "", false)
		group.Go(func() {
			for i := range int32(20) {
				batch := record(goMemory, megabyte(i * 1024)[:64]...)
				err := j.write.WriteArrowBatch(batch)
				batch.Release()
				if err != nil {
					t.Error(err)
					return
				}
			}
			messages, err := j.write.PrepareCommit()
			if err != nil {
				t.Error(err)
				return
			}
			defer messages.Close()
			if err := j.commit.Commit(messages); err != nil {
				t.Error(err)
			}
		})
		t.Cleanup(func() {
			rows := readRows(t, table)
			for i, row := range rows {
				if id, name, _ := strings.Cut(row, " "); fmt.Sprintf("%01024s", id) != name {
					t.Fatalf("row %d is %q", i, row)
				}
			}
			if len(rows) != 20*64 {
				t.Errorf("%d rows", len(rows))
			}
		})
	}
	group.Wait()
}

// Buffers that are not aligned as their values want are copied, and no others.
func TestUnalignedBuffers(t *testing.T) {
	const rows = 8192
	shifted := func(size int, fill func([]byte)) *memory.Buffer {
		bytes := make([]byte, size)
		fill(bytes)
		return memory.NewBufferBytes(append(make([]byte, 1, size+1), bytes...)[1:])
	}
	ids := shifted(4*rows, func(bytes []byte) {
		for i := range rows {
			binary.NativeEndian.PutUint32(bytes[4*i:], uint32(i))
		}
	})
	ends := shifted(4*(rows+1), func(bytes []byte) {
		for i := range rows + 1 {
			binary.NativeEndian.PutUint32(bytes[4*i:], uint32(4*i))
		}
	})
	names := shifted(4*rows, func(bytes []byte) {
		for i := range rows {
			copy(bytes[4*i:], fmt.Sprintf("%04d", i))
		}
	})
	for name, change := range map[string]func(*paimon.Schema){"append": nil, "primary key": primaryKey} {
		t.Run(name, func(t *testing.T) {
			checkLeaks(t)
			_, table := newTable(t, people, change)
			j := newJob(t, table, "", false)
			batch := array.NewRecordBatch(people, []arrow.Array{
				array.MakeFromData(array.NewData(int32s, rows, []*memory.Buffer{nil, ids}, nil, 0, 0)),
				array.MakeFromData(array.NewData(text, rows, []*memory.Buffer{nil, ends, names}, nil, 0, 0)),
			}, rows)
			lend(t, j.write, batch.NewSlice(1, rows))
			lend(t, j.write, batch.NewSlice(0, 1))
			must(t, j.commit.Commit(j.prepare(t, goMemory)))
			got := readRows(t, table)
			for i, row := range got {
				if id, name, _ := strings.Cut(row, " "); fmt.Sprintf("%04s", id) != name {
					t.Fatalf("row %d is %q", i, row)
				}
			}
			if len(got) != rows {
				t.Errorf("%d rows", len(got))
			}
		})
	}
}
