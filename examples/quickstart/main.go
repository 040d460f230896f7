// SPDX-License-Identifier: Apache-2.0

// Command quickstart writes a small Paimon table into a temporary folder, changes it, and reads it back.
package main

import (
	"fmt"
	"log"
	"os"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	paimon "github.com/apache/paimon-rust/bindings/go"
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	warehouse, err := os.MkdirTemp("", "paimon-quickstart-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(warehouse)

	catalog, err := paimon.NewCatalog(map[string]string{"warehouse": warehouse})
	if err != nil {
		return err
	}
	defer catalog.Close()
	if err := catalog.CreateDatabase("shop", nil, false); err != nil {
		return err
	}

	// A table is described by an Arrow schema, and what Paimon adds to it.
	columns := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64},
		{Name: "name", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "price", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
	}, nil)
	schema, err := paimon.SchemaFromArrow(columns)
	if err != nil {
		return err
	}
	schema.PrimaryKeys = []string{"id"}
	schema.Options = map[string]string{"bucket": "1"}
	id := paimon.NewIdentifier("shop", "products")
	if err := catalog.CreateTable(id, schema, false); err != nil {
		return err
	}

	table, err := catalog.GetTable(id)
	if err != nil {
		return err
	}
	defer table.Close()

	// Two batches in one commit; then a commit that changes one row and adds another.
	first := record(columns, []int64{1, 2, 3}, []string{"apple", "bread", "cheese"}, []float64{0.5, 2.2, 7})
	second := record(columns, []int64{4, 5}, []string{"dates", "eggs"}, []float64{4.1, 3})
	upsert := record(columns, []int64{3, 6}, []string{"cheese", "figs"}, []float64{6.5, 5})
	for _, batches := range [][]arrow.RecordBatch{{first, second}, {upsert}} {
		if err := write(table, batches); err != nil {
			return err
		}
	}
	return read(table)
}

// record builds a record batch of three columns.
func record(schema *arrow.Schema, ids []int64, names []string, prices []float64) arrow.RecordBatch {
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	b.Field(0).(*array.Int64Builder).AppendValues(ids, nil)
	b.Field(1).(*array.StringBuilder).AppendValues(names, nil)
	b.Field(2).(*array.Float64Builder).AppendValues(prices, nil)
	return b.NewRecordBatch()
}

// write writes batches and commits them as one snapshot.
func write(table *paimon.Table, batches []arrow.RecordBatch) error {
	builder, err := table.NewWriteBuilder()
	if err != nil {
		return err
	}
	defer builder.Close()
	w, err := builder.NewWrite()
	if err != nil {
		return err
	}
	defer w.Close()
	for _, batch := range batches {
		err := w.WriteArrowBatch(batch)
		batch.Release()
		if err != nil {
			return err
		}
	}
	messages, err := w.PrepareCommit()
	if err != nil {
		return err
	}
	defer messages.Close()
	commit, err := builder.NewCommit()
	if err != nil {
		return err
	}
	defer commit.Close()
	return commit.Commit(messages)
}

// read prints all rows of the table.
func read(table *paimon.Table) error {
	builder, err := table.NewReadBuilder()
	if err != nil {
		return err
	}
	defer builder.Close()
	scan, err := builder.NewScan()
	if err != nil {
		return err
	}
	defer scan.Close()
	plan, err := scan.Plan()
	if err != nil {
		return err
	}
	defer plan.Close()
	if plan.NumSplits() == 0 {
		return nil // an empty table: there is nothing to read, and a reader of nothing is an error
	}
	r, err := builder.NewRead()
	if err != nil {
		return err
	}
	defer r.Close()
	reader, err := r.NewRecordBatchReader(plan.Splits())
	if err != nil {
		return err
	}
	defer reader.Close()

	fmt.Printf("%-4s %-8s %5s\n", "id", "name", "price")
	for batch, err := range reader.All() {
		if err != nil {
			return err
		}
		ids := batch.Column(0).(*array.Int64)
		names := batch.Column(1).(*array.String)
		prices := batch.Column(2).(*array.Float64)
		for i := range ids.Len() {
			fmt.Printf("%-4d %-8s %5.2f\n", ids.Value(i), names.Value(i), prices.Value(i))
		}
		batch.Release()
	}
	return nil
}
