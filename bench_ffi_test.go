// SPDX-License-Identifier: Apache-2.0

package paimon

import (
	"errors"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/jupiterrider/ffi"
)

// What bench/ does not measure, because it is inside the package: single calls and batches. `make bench` runs and reports BenchmarkCall
// and BenchmarkImport too.

// BenchmarkCall compares a typed call of a function that does nothing with the same call of jupiterrider/ffi's.
func BenchmarkCall(b *testing.B) {
	l := benchmarkLibrary(b)
	b.Run("typed", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := ffiErrorFree.call(l, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("bare", func(b *testing.B) {
		r, err := l.resolve(ffiErrorFree.symbol)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			var argument *cError
			ffi.Call(&r.cif, r.addr, nil, unsafe.Pointer(&argument))
		}
	})
}

// BenchmarkImport imports and releases native batches of 1,024 rows and 4 columns; that they are read is not counted.
func BenchmarkImport(b *testing.B) {
	table := benchmarkTable(b)
	record := benchmarkRecord(b, table, 64*1024)
	writeBenchmark(b, table, record)
	var reader *RecordBatchReader
	var waiting []cArrowBatch
	more := func() {
		if reader == nil {
			reader = benchmarkReader(b, table)
		}
		for len(waiting) < 64 {
			r, err := ffiRecordBatchReaderNext.call(reader.h.lib, reader.h.ptr)
			if err := reader.h.lib.done("read", "", r.err, err); err != nil {
				b.Fatal(err)
			}
			if r.value.array == nil {
				reader.Close()
				reader = benchmarkReader(b, table)
				continue
			}
			waiting = append(waiting, r.value)
		}
	}
	more()
	l, schema := reader.h.lib, reader.schema.arrow
	b.ReportAllocs()
	for b.Loop() {
		if len(waiting) == 0 {
			b.StopTimer()
			more()
			b.StartTimer()
		}
		last := len(waiting) - 1
		batch, err := importBatch(l, "", "", waiting[last], &schema)
		if err != nil {
			b.Fatal(err)
		}
		if batch.NumRows() != 1024 {
			b.Fatal(batch.NumRows())
		}
		batch.Release()
		waiting = waiting[:last]
	}
	for _, batch := range waiting {
		_, _ = ffiArrowBatchFree.call(l, batch)
	}
	reader.Close()
}

// BenchmarkScan reads a table of a million rows, from the plan to the last batch.
func BenchmarkScan(b *testing.B) {
	const rows = 1 << 20
	table := benchmarkTable(b)
	record := benchmarkRecord(b, table, rows)
	writeBenchmark(b, table, record)
	b.ReportAllocs()
	b.SetBytes(rows * (8 + 8 + 8 + 4 + 8)) // of the columns in Arrow
	for b.Loop() {
		reader := benchmarkReader(b, table)
		read := int64(0)
		for batch, err := range reader.All() {
			if err != nil {
				b.Fatal(err)
			}
			read += batch.NumRows()
			batch.Release()
		}
		reader.Close()
		if read%rows != 0 {
			b.Fatal(read)
		}
	}
	b.ReportMetric(rows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

// BenchmarkWriteCommit writes and commits a hundred thousand rows.
func BenchmarkWriteCommit(b *testing.B) {
	const rows = 100_000
	table := benchmarkTable(b)
	record := benchmarkRecord(b, table, rows)
	b.ReportAllocs()
	b.SetBytes(rows * (8 + 8 + 8 + 4 + 8))
	for b.Loop() {
		writeBenchmark(b, table, record)
	}
	b.ReportMetric(rows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

func benchmarkLibrary(b *testing.B) *library {
	b.Helper()
	l, err := openLibrary("benchmark")
	if err != nil {
		b.Fatal(err)
	}
	return l
}

// benchmarkTable makes a table of four columns, in memory.
func benchmarkTable(b *testing.B) *Table {
	b.Helper()
	catalog, err := NewCatalog(map[string]string{"warehouse": "memory:/benchmark"})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(catalog.Close)
	id := NewIdentifier("benchmark", "four")
	err = errors.Join(catalog.CreateDatabase("benchmark", nil, false), catalog.CreateTable(id, &Schema{Fields: []DataField{
		{Name: "id", Type: BigIntType()},
		{Name: "v", Type: DoubleType()},
		{Name: "w", Type: BigIntType()},
		{Name: "s", Type: StringType()},
	}, Options: map[string]string{"read.batch-size": "1024"}}, false))
	if err != nil {
		b.Fatal(err)
	}
	table, err := catalog.GetTable(id)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(table.Close)
	return table
}

func benchmarkRecord(b *testing.B, table *Table, rows int) arrow.RecordBatch {
	b.Helper()
	schema, err := table.ArrowSchema()
	if err != nil {
		b.Fatal(err)
	}
	builder := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer builder.Release()
	random := rand.New(rand.NewPCG(1, 2))
	for i := range rows {
		builder.Field(0).(*array.Int64Builder).Append(int64(i))
		builder.Field(1).(*array.Float64Builder).Append(random.Float64())
		builder.Field(2).(*array.Int64Builder).Append(random.Int64())
		builder.Field(3).(*array.StringBuilder).Append("text" + string(rune('a'+i%26)) + "abc")
	}
	record := builder.NewRecordBatch()
	b.Cleanup(record.Release)
	return record
}

// writeBenchmark writes a record and commits it.
func writeBenchmark(b *testing.B, table *Table, record arrow.RecordBatch) {
	b.Helper()
	builder, err := table.NewWriteBuilder()
	if err != nil {
		b.Fatal(err)
	}
	defer builder.Close()
	write, err := builder.NewWrite()
	if err != nil {
		b.Fatal(err)
	}
	defer write.Close()
	if err := write.WriteArrowBatch(record); err != nil {
		b.Fatal(err)
	}
	messages, err := write.PrepareCommit()
	if err != nil {
		b.Fatal(err)
	}
	defer messages.Close()
	commit, err := builder.NewCommit()
	if err != nil {
		b.Fatal(err)
	}
	defer commit.Close()
	if err := commit.Commit(messages); err != nil {
		b.Fatal(err)
	}
}

func benchmarkReader(b *testing.B, table *Table) *RecordBatchReader {
	b.Helper()
	builder, err := table.NewReadBuilder()
	if err != nil {
		b.Fatal(err)
	}
	defer builder.Close()
	scan, err := builder.NewScan()
	if err != nil {
		b.Fatal(err)
	}
	defer scan.Close()
	plan, err := scan.Plan()
	if err != nil {
		b.Fatal(err)
	}
	defer plan.Close()
	read, err := builder.NewRead()
	if err != nil {
		b.Fatal(err)
	}
	defer read.Close()
	reader, err := read.NewRecordBatchReader(plan.Splits())
	if err != nil {
		b.Fatal(err)
	}
	return reader
}
