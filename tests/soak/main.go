// SPDX-License-Identifier: Apache-2.0

// Command soak opens a catalog and a table, reads the row in it, writes another, prepares, aborts and closes everything, over and over,
// and fails if memory keeps growing or anything is left behind. It reads /proc, so it needs Linux.
//
// With -commits it makes that many commits instead, and prints what they cost.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	paimon "github.com/apache/paimon-rust/bindings/go"
)

const (
	every     = 500      // loops between two samples
	warmUp    = 0.2      // the part of the loops that may grow
	maxGrowth = 20 << 20 // bytes, and not more than maxRatio either
	maxRatio  = 0.2
	maxNative = 64 << 10 // bytes of the native library
)

var (
	tableID = paimon.NewIdentifier("default", "soak")
	columns = arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int32},
		{Name: "name", Type: arrow.BinaryTypes.String, Nullable: true},
	}, nil)
)

func main() {
	log.SetFlags(0)
	loops := flag.Int("n", 10_000, "how many loops to run")
	commits := flag.Int("commits", 0, "how many commits of one row to make, in place of the loops")
	flag.Parse()
	var err error
	if *commits > 0 {
		err = runCommits(*commits)
	} else {
		err = run(*loops)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func run(loops int) error {
	// glibc keeps a few MiB of freed memory per thread that allocates. When Go moves this goroutine to another thread that
	// happens once more, which a short run would take for a leak.
	runtime.LockOSThread()
	warehouse, err := os.MkdirTemp("", "paimon-soak-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(warehouse)
	if err := createTable(warehouse); err != nil {
		return err
	}
	err = withTable(warehouse, func(table *paimon.Table) error { return writeOne(table, (*paimon.TableCommit).Commit) })
	if err != nil {
		return err
	}
	files, err := tableFiles(warehouse)
	if err != nil {
		return err
	}

	fmt.Printf("%8s %12s %12s %12s %8s %8s %10s\n", "loops", "resident KiB", "native KiB", "Go heap KiB", "handles", "threads", "loops/s")
	var warm, last sample
	start := time.Now()
	for i := 1; i <= loops; i++ {
		if err := loop(warehouse); err != nil {
			return fmt.Errorf("loop %d: %w", i, err)
		}
		if i%every != 0 && i != loops {
			continue
		}
		if last, err = takeSample(); err != nil {
			return err
		}
		fmt.Printf("%8d %12d %12d %12d %8d %8d %10.0f\n", i, last.resident>>10, last.native.Bytes>>10, last.heap>>10,
			last.native.Handles, last.threads, float64(i)/time.Since(start).Seconds())
		if float64(i) >= warmUp*float64(loops) && warm.resident == 0 {
			warm = last
		}
	}
	left, err := tableFiles(warehouse)
	if err == nil && len(left) != len(files) {
		err = fmt.Errorf("%d files where there were %d: %q", len(left), len(files), left[:min(len(left), 20)])
	}
	return errors.Join(last.check(warm), err)
}

func openCatalog(warehouse string) (*paimon.Catalog, error) {
	return paimon.NewCatalog(map[string]string{"warehouse": warehouse})
}

func createTable(warehouse string) error {
	catalog, err := openCatalog(warehouse)
	if err != nil {
		return err
	}
	defer catalog.Close()
	if err := catalog.CreateDatabase(tableID.Database(), nil, false); err != nil {
		return err
	}
	schema, err := paimon.SchemaFromArrow(columns)
	if err != nil {
		return err
	}
	return catalog.CreateTable(tableID, schema, false)
}

// loop is what is repeated: it opens everything anew, and leaves nothing.
func loop(warehouse string) error {
	return withTable(warehouse, func(table *paimon.Table) error {
		_, _, rows, err := readCount(table)
		if err != nil {
			return err
		}
		if rows != 1 {
			return fmt.Errorf("%d rows, want 1", rows)
		}
		return writeOne(table, (*paimon.TableCommit).Abort)
	})
}

func withTable(warehouse string, body func(*paimon.Table) error) error {
	catalog, err := openCatalog(warehouse)
	if err != nil {
		return err
	}
	defer catalog.Close()
	table, err := catalog.GetTable(tableID)
	if err != nil {
		return err
	}
	defer table.Close()
	return body(table)
}

func writeOne(table *paimon.Table, end func(*paimon.TableCommit, *paimon.CommitMessages) error) error {
	batch := oneRow()
	defer batch.Release()
	return writeRow(table, batch, end)
}

// writeRow writes a record in a job of its own, and ends it by a commit or an abort.
func writeRow(table *paimon.Table, row arrow.RecordBatch, end func(*paimon.TableCommit, *paimon.CommitMessages) error) error {
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
	if err := write.WriteArrowBatch(row); err != nil {
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

func oneRow() arrow.RecordBatch {
	b := array.NewRecordBuilder(memory.DefaultAllocator, columns)
	defer b.Release()
	b.Field(0).(*array.Int32Builder).Append(1)
	b.Field(1).(*array.StringBuilder).Append("one")
	return b.NewRecordBatch()
}

// A sample is what the process holds between two loops.
type sample struct {
	resident int64 // bytes
	heap     uint64
	native   paimon.NativeStats
	threads  int // of the native library
}

func takeSample() (sample, error) {
	debug.FreeOSMemory() // so that neither Go's garbage nor the memory that it keeps for more is taken for growth
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	s := sample{heap: stats.HeapSys - stats.HeapReleased, native: paimon.ReadNativeStats()}
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return s, err
	}
	var size, resident int64
	if _, err := fmt.Sscan(string(statm), &size, &resident); err != nil {
		return s, fmt.Errorf("/proc/self/statm: %w", err)
	}
	s.resident = resident * int64(os.Getpagesize())
	names, err := filepath.Glob("/proc/self/task/*/comm")
	if err != nil {
		return s, err
	}
	for _, name := range names {
		// A thread may end between the listing and here.
		if comm, err := os.ReadFile(name); err == nil && bytes.Equal(bytes.TrimSpace(comm), []byte("paimon")) {
			s.threads++
		}
	}
	return s, nil
}

// check compares the last sample with the one after the warm-up.
func (s sample) check(warm sample) error {
	if s == warm {
		return errors.New("too few loops to compare two samples; give -n 1000 or more")
	}
	var errs []error
	grown := s.resident - warm.resident
	ratio := float64(grown) / float64(warm.resident)
	fmt.Printf("resident memory after the warm-up: %+d KiB, %+.1f %%\n", grown>>10, 100*ratio)
	if grown > maxGrowth || ratio > maxRatio {
		errs = append(errs, errors.New("resident memory is not flat"))
	}
	if s.native.Bytes-warm.native.Bytes > maxNative {
		errs = append(errs, fmt.Errorf("native memory grew by %d bytes", s.native.Bytes-warm.native.Bytes))
	}
	if s.native.Handles != 0 {
		errs = append(errs, fmt.Errorf("native handles left: %d", s.native.Handles))
	}
	if s.threads != 0 {
		errs = append(errs, fmt.Errorf("native threads left: %d", s.threads))
	}
	return errors.Join(errs...)
}

// tableFiles lists the files of the table.
func tableFiles(warehouse string) (files []string, err error) {
	root := filepath.Join(warehouse, tableID.Database()+".db", tableID.Object())
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files = append(files, path)
		}
		return err
	})
	return files, err
}
