// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// parquet is the side of arrow-go's own Parquet reader: what a Go program would do by hand that knows which files a table consists of,
// and that they need no merging.
type parquet struct {
	parallel bool // whether columns are decoded at once
}

func (parquet) close() error { return nil }

func (p parquet) run(t task) (result, error) {
	if t.Op != opRead || t.Below > 0 || t.Parallel > 0 {
		return result{}, errUnavailable
	}
	paths, err := filepath.Glob(filepath.Join(t.Warehouse, database+".db", t.Table, "bucket-*", "*.parquet"))
	if err == nil && len(paths) == 0 {
		err = errors.New("no Parquet files")
	}
	if err != nil {
		return result{}, err
	}
	var sum result
	watch := startWatch()
	for _, path := range paths {
		if err := p.read(path, t, watch, &sum); err != nil {
			return result{}, err
		}
	}
	r := watch.stop()
	r.Rows, r.Batches = sum.Rows, sum.Batches
	return r, nil
}

// parquetBatch is how many rows a batch has. Of 1,024, 8,192, 65,536 and all rows, it is the fastest.
const parquetBatch = 65536

func (p parquet) read(path string, t task, watch *watch, sum *result) error {
	f, err := file.OpenParquetFile(path, false)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	size := int64(t.Batch)
	if size == 0 {
		size = parquetBatch
	}
	reader, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{Parallel: p.parallel, BatchSize: size}, memory.DefaultAllocator)
	if err != nil {
		return err
	}
	var leaves []int
	for _, name := range t.Columns {
		leaves = append(leaves, f.MetaData().Schema.ColumnIndexByName(name))
	}
	records, err := reader.GetRecordReader(context.Background(), leaves, nil)
	if err != nil {
		return err
	}
	defer records.Release()
	for records.Next() {
		watch.batch()
		sum.Rows += records.RecordBatch().NumRows()
		sum.Batches++
	}
	return records.Err()
}
