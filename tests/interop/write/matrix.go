// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/memory"

	paimon "github.com/apache/paimon-rust/bindings/go"
	"github.com/apache/paimon-rust/bindings/go/tests/internal/matrix"
)

// writeMatrix writes the tables with a column of every type that we write and Paimon Java reads.
func writeMatrix(catalog *paimon.Catalog, expected string) error {
	for _, t := range matrix.Tables(func(c matrix.Column, format string, keyed bool) bool {
		return matrix.Refused(c, format) == "" && matrix.JavaCannot(c, format, keyed) == ""
	}) {
		rows := matrix.RowsOf(t.Columns)
		if err := writeText(catalog, t, rows); err != nil {
			return fmt.Errorf("table %s: %w", t.Name, err)
		}
		slices.Sort(rows)
		file := filepath.Join(expected, database+"."+t.Name+".jsonl")
		if err := os.WriteFile(file, []byte(strings.Join(rows, "\n")+"\n"), 0o666); err != nil {
			return err
		}
	}
	return nil
}

func writeText(catalog *paimon.Catalog, t matrix.Table, rows []string) error {
	id := paimon.NewIdentifier(database, t.Name)
	if err := catalog.CreateTable(id, t.Schema, false); err != nil {
		return err
	}
	handle, err := catalog.GetTable(id)
	if err != nil {
		return err
	}
	defer handle.Close()
	columns, err := handle.ArrowSchema()
	if err != nil {
		return err
	}
	batch, err := matrix.Record(memory.DefaultAllocator, columns, rows)
	if err != nil {
		return err
	}
	defer batch.Release()
	builder, err := handle.NewWriteBuilder()
	if err != nil {
		return err
	}
	defer builder.Close()
	messages, err := prepare(builder, batch)
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
