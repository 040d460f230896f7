// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	paimon "github.com/apache/paimon-rust/bindings/go"
)

// runCommits makes many commits of one row to one table, which nobody compacts or expires, and prints how commits, plans and reads
// slow down and the files grow. It judges no time; it fails when rows are missing.
func runCommits(commits int) error {
	warehouse, err := os.MkdirTemp("", "paimon-commits-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(warehouse)
	if err := createTable(warehouse); err != nil {
		return err
	}
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
	batch := oneRow()
	defer batch.Release()

	fmt.Printf("%8s %14s %10s %10s %8s %12s %12s %12s\n",
		"commits", "ms per commit", "ms to plan", "ms to read", "files", "data KiB", "metadata KiB", "resident KiB")
	step := max(commits/10, 1)
	start := time.Now()
	for i := 1; i <= commits; i++ {
		if err := writeRow(table, batch, (*paimon.TableCommit).Commit); err != nil {
			return fmt.Errorf("commit %d: %w", i, err)
		}
		if i%step != 0 {
			continue
		}
		perCommit := time.Since(start) / time.Duration(step)
		planned, read, rows, err := readCount(table)
		if err != nil {
			return err
		}
		if rows != int64(i) {
			return fmt.Errorf("after %d commits there are %d rows", i, rows)
		}
		files, data, metadata, err := measure(filepath.Join(warehouse, tableID.Database()+".db", tableID.Object()))
		if err != nil {
			return err
		}
		s, err := takeSample()
		if err != nil {
			return err
		}
		fmt.Printf("%8d %14.2f %10.1f %10.1f %8d %12d %12d %12d\n",
			i, millis(perCommit), millis(planned), millis(read), files, data>>10, metadata>>10, s.resident>>10)
		start = time.Now()
	}
	return nil
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// readCount reads the whole table, and gives how long the plan and the rest took and how many rows there are.
func readCount(table *paimon.Table) (planned, read time.Duration, rows int64, err error) {
	builder, err := table.NewReadBuilder()
	if err != nil {
		return 0, 0, 0, err
	}
	defer builder.Close()
	scan, err := builder.NewScan()
	if err != nil {
		return 0, 0, 0, err
	}
	defer scan.Close()
	start := time.Now()
	plan, err := scan.Plan()
	if err != nil {
		return 0, 0, 0, err
	}
	defer plan.Close()
	planned = time.Since(start)
	tableRead, err := builder.NewRead()
	if err != nil {
		return 0, 0, 0, err
	}
	defer tableRead.Close()
	reader, err := tableRead.NewRecordBatchReader(plan.Splits())
	if err != nil {
		return 0, 0, 0, err
	}
	defer reader.Close()
	for batch, err := range reader.All() {
		if err != nil {
			return 0, 0, 0, err
		}
		rows += batch.NumRows()
		batch.Release()
	}
	return planned, time.Since(start) - planned, rows, nil
}

// measure counts the files below a table's folder, and the bytes in its buckets and in the rest.
func measure(folder string) (files int, data, metadata int64, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		files++
		if filepath.Base(filepath.Dir(path)) == "bucket-0" {
			data += info.Size()
		} else {
			metadata += info.Size()
		}
		return nil
	})
	if err == nil && data == 0 {
		err = errors.New("no data files")
	}
	return files, data, metadata, err
}
