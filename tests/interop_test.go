// SPDX-License-Identifier: Apache-2.0

//go:build interop

package tests

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	paimon "github.com/apache/paimon-rust/bindings/go"
	"github.com/apache/paimon-rust/bindings/go/tests/internal/matrix"
)

// Every table of the warehouse in PAIMON_TEST_INTEROP has the rows that its expected file says, and the Arrow schema that it
// claims: `make interop` runs this on the tables that Java wrote, see interop/java/src/Provision.java.
func TestInterop(t *testing.T) {
	root := os.Getenv("PAIMON_TEST_INTEROP")
	expected := filepath.Join(root, "expected")
	files, err := filepath.Glob(filepath.Join(expected, "*.jsonl"))
	must(t, err)
	tables, err := filepath.Glob(filepath.Join(root, "warehouse", "*.db", "*", "schema"))
	must(t, err)
	if len(files) < len(tables) || len(tables) == 0 {
		t.Fatalf("PAIMON_TEST_INTEROP=%s has %d tables and %d files of expected rows", root, len(tables), len(files))
	}
	catalog := openCatalog(t, filepath.Join(root, "warehouse"))
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		t.Run(name, func(t *testing.T) {
			checkLeaks(t)
			want, err := os.ReadFile(file)
			must(t, err)
			database, object, _ := strings.Cut(name, ".")
			object, tag, _ := strings.Cut(object, "@")
			table := openTable(t, catalog, paimon.NewIdentifier(database, object))
			got := spellTable(t, table, tag, false)
			if got == string(want) {
				if got := spellTable(t, table, tag, true); got != string(want) {
					t.Errorf("with the columns in reverse, split by split:\n%s\nwant\n%s", got, want)
				}
				return
			}
			gotLines, wantLines := strings.Split(got, "\n"), strings.Split(string(want), "\n")
			t.Errorf("%d rows, want %d", len(gotLines)-1, len(wantLines)-1)
			for i := range min(len(gotLines), len(wantLines)) {
				if gotLines[i] != wantLines[i] {
					t.Errorf("row %d: got\n%s\nwant\n%s", i, gotLines[i], wantLines[i])
					break
				}
			}
		})
	}
}

// spellTable gives all rows of a table, or of a tag of it, in the format that interop/java/src/Dump.java defines. In reverse it asks for
// the last column first, and reads the splits one by one from the last.
func spellTable(t *testing.T, table *paimon.Table, tag string, reverse bool) string {
	t.Helper()
	schema, err := table.ArrowSchema()
	must(t, err)
	var options map[string]string
	if tag != "" {
		options = map[string]string{"scan.tag-name": tag}
	}
	builder, err := table.NewReadBuilderWithOptions(options)
	must(t, err)
	defer builder.Close()
	if reverse && tag == "" { // a tag is read with the schema of its time
		var columns []string
		for _, field := range slices.Backward(schema.Fields()) {
			columns = append(columns, field.Name)
		}
		must(t, builder.WithProjection(columns))
	}
	scan, err := builder.NewScan()
	must(t, err)
	defer scan.Close()
	plan, err := scan.Plan()
	must(t, err)
	defer plan.Close()
	read, err := builder.NewRead()
	must(t, err)
	defer read.Close()
	var lines []string
	parts := slices.Collect(slices.Chunk(plan.Splits(), max(plan.NumSplits(), 1)))
	if reverse {
		parts = slices.Collect(slices.Chunk(plan.Splits(), 1))
		slices.Reverse(parts)
	}
	for _, splits := range parts {
		reader, err := read.NewRecordBatchReader(splits)
		must(t, err)
		defer reader.Close()
		for batch, err := range reader.All() {
			must(t, err)
			fields, columns := batch.Schema().Fields(), slices.Clone(batch.Columns())
			if reverse && tag == "" {
				slices.Reverse(fields)
				slices.Reverse(columns)
			}
			if tag == "" && !arrow.NewSchema(fields, nil).Equal(schema) {
				t.Errorf("read %v, want %v", batch.Schema(), schema)
			}
			for row := range int(batch.NumRows()) {
				lines = append(lines, matrix.Row(fields, columns, row)+"\n")
			}
			batch.Release()
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}
