// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	paimon "github.com/apache/paimon-rust/bindings/go"
)

// Rows that only a compaction would show are not written unless somebody compacts; all others are seen at once (case 32).
func TestRowsAreVisible(t *testing.T) {
	for name, c := range map[string]struct {
		options map[string]string
		hidden  bool
	}{
		"deletion vectors":   {map[string]string{"deletion-vectors.enabled": "true"}, true},
		"first row":          {map[string]string{"merge-engine": "first-row"}, true},
		"lookup":             {map[string]string{"changelog-producer": "lookup"}, false},
		"full compaction":    {map[string]string{"changelog-producer": "full-compaction"}, false},
		"input":              {map[string]string{"changelog-producer": "input"}, false},
		"partial update":     {map[string]string{"merge-engine": "partial-update"}, false},
		"aggregation":        {map[string]string{"merge-engine": "aggregation"}, false},
		"dynamic bucket":     {map[string]string{"bucket": "-1"}, false},
		"several buckets":    {map[string]string{"bucket": "3"}, false},
		"write-only, merged": {map[string]string{"write-only": "true"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			allocator := checkLeaks(t)
			_, table := newTable(t, people, func(schema *paimon.Schema) {
				primaryKey(schema)
				for key, value := range c.options {
					schema.Options[key] = value
				}
			})
			if !c.hidden {
				appendRows(t, table, allocator, person{1, "a"}, person{2, "b"})
				appendRows(t, table, allocator, person{1, "c"})
				wantRows(t, table, "1 c", "2 b")
				return
			}
			builder, err := table.NewWriteBuilder()
			must(t, err)
			t.Cleanup(builder.Close)
			_, err = builder.NewWrite()
			wantError(t, err, paimon.CodeUnsupported, "invisible", "write-only", "db.t")
			must(t, builder.WithWriteOnly())
			write, err := builder.NewWrite()
			must(t, err)
			t.Cleanup(write.Close)
			commit, err := builder.NewCommit()
			must(t, err)
			t.Cleanup(commit.Close)
			j := &job{builder, write, commit}
			must(t, j.commit.Commit(j.prepare(t, allocator, person{1, "a"})))
			if snapshot := wantSnapshot(t, table, 1); *snapshot.TotalRecordCount != 1 {
				t.Errorf("got %d rows in the snapshot", *snapshot.TotalRecordCount)
			}
			wantRows(t, table) // until somebody compacts it
		})
	}
}

// A row that the merge engine cannot take back is refused: once it is there, nothing of its bucket can be read.
func TestDeletesThatCannotBeMerged(t *testing.T) {
	for name, c := range map[string]struct {
		options map[string]string
		refused bool
	}{
		"deduplicate":           {nil, false},
		"partial update":        {map[string]string{"merge-engine": "partial-update"}, true},
		"partial update, asked": {map[string]string{"merge-engine": "partial-update", "partial-update.remove-record-on-delete": "true"}, false},
		"max":                   {map[string]string{"merge-engine": "aggregation", "fields.name.aggregate-function": "max"}, true},
		"max, ignored": {map[string]string{
			"merge-engine": "aggregation", "fields.name.aggregate-function": "max", "fields.name.ignore-retract": "true",
		}, false},
		"last value": {map[string]string{"merge-engine": "aggregation", "fields.name.aggregate-function": "last_value"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			allocator := checkLeaks(t)
			_, table := newTable(t, people, func(schema *paimon.Schema) {
				primaryKey(schema)
				for key, value := range c.options {
					schema.Options[key] = value
				}
			})
			appendRows(t, table, allocator, person{1, "a"}, person{2, "b"})
			kinds := arrow.NewSchema(append(people.Fields(), arrow.Field{Name: "_VALUE_KIND", Type: arrow.PrimitiveTypes.Int8}), nil)
			rows := `[{"id": 3, "_VALUE_KIND": 0}, {"id": 1, "name": "a", "_VALUE_KIND": 3}]`
			batch, _, err := array.RecordFromJSON(allocator, kinds, strings.NewReader(rows))
			must(t, err)
			defer batch.Release()
			j := newJob(t, table, "", false)
			err = j.write.WriteArrowBatch(batch)
			if c.refused {
				wantError(t, err, paimon.CodeInvalidInput, "_VALUE_KIND", "row 1", "takes back no rows", "option")
				return
			}
			must(t, err)
			must(t, j.commit.Commit(j.prepare(t, allocator)))
			if rows := readRows(t, table); !slices.Contains(rows, "2 b") || !slices.Contains(rows, "3 (null)") {
				t.Errorf("got %q", rows)
			}
		})
	}
}

// The same where the kinds are words of a column, in either case, and where the columns of a sequence group are aggregated.
func TestWordsAndGroupsThatCannotBeMerged(t *testing.T) {
	text := arrow.BinaryTypes.String
	columns := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int32},
		{Name: "seen", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
		{Name: "most", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
		{Name: "kind", Type: text, Nullable: true},
	}, nil)
	write := func(t *testing.T, table *paimon.Table, schema *arrow.Schema, rows string) error {
		t.Helper()
		batch, _, err := array.RecordFromJSON(checkLeaks(t), schema, strings.NewReader(rows))
		must(t, err)
		defer batch.Release()
		return newJob(t, table, "", false).write.WriteArrowBatch(batch)
	}
	t.Run("words", func(t *testing.T) {
		_, table := newTable(t, columns, func(schema *paimon.Schema) {
			primaryKey(schema)
			schema.Options["merge-engine"] = "partial-update"
			schema.Options["rowkind.field"] = "kind"
		})
		must(t, write(t, table, columns, `[{"id": 1, "kind": "+i"}, {"id": 1, "kind": "+U"}]`))
		for _, word := range []string{"-d", "-D", "-u", "-U"} {
			err := write(t, table, columns, `[{"id": 1, "kind": "+I"}, {"id": 1, "kind": "`+word+`"}]`)
			wantError(t, err, paimon.CodeInvalidInput, "'kind'", "row 1", "takes back no rows", "option")
		}
	})
	t.Run("groups", func(t *testing.T) {
		kinds := arrow.NewSchema(append(columns.Fields(), arrow.Field{Name: "_VALUE_KIND", Type: arrow.PrimitiveTypes.Int8}), nil)
		for function, refused := range map[string]bool{"max": true, "sum": false} {
			_, table := newTable(t, columns, func(schema *paimon.Schema) {
				primaryKey(schema)
				schema.Options["merge-engine"] = "partial-update"
				schema.Options["fields.seen.sequence-group"] = "most"
				schema.Options["fields.most.aggregate-function"] = function
			})
			err := write(t, table, kinds, `[{"id": 1, "seen": 1, "most": 3, "_VALUE_KIND": 3}]`)
			if refused {
				wantError(t, err, paimon.CodeInvalidInput, "_VALUE_KIND", "row 0", "'most'", "takes back no rows", "option")
			} else {
				must(t, err)
			}
		}
	})
}
