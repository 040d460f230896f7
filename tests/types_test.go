// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	paimon "github.com/apache/paimon-rust/bindings/go"
	"github.com/apache/paimon-rust/bindings/go/tests/internal/matrix"
)

// createTable creates db.t in a warehouse of its own.
func createTable(t testing.TB, schema *paimon.Schema) (*paimon.Table, error) {
	t.Helper()
	catalog := openCatalog(t, t.TempDir())
	must(t, catalog.CreateDatabase("db", nil, false))
	id := paimon.NewIdentifier("db", "t")
	if err := catalog.CreateTable(id, schema, false); err != nil {
		return nil, err
	}
	return openTable(t, catalog, id), nil
}

// writeRows writes and commits rows in the interop row format.
func writeRows(t testing.TB, table *paimon.Table, rows []string) {
	t.Helper()
	allocator := checkLeaks(t)
	columns, err := table.ArrowSchema()
	must(t, err)
	batch, err := matrix.Record(allocator, columns, rows)
	must(t, err)
	defer batch.Release()
	j := newJob(t, table, "", false)
	must(t, j.write.WriteArrowBatch(batch))
	must(t, j.commit.Commit(j.prepare(t, allocator)))
}

// textRows reads all rows in the interop row format, sorted.
func textRows(t testing.TB, table *paimon.Table) ([]string, error) {
	t.Helper()
	reader := newReader(t, table)
	if reader == nil {
		return nil, nil
	}
	var rows []string
	for {
		batch, err := reader.NextRecord()
		if err != nil {
			slices.Sort(rows)
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return rows, err
		}
		for _, row := range matrix.Rows(batch) {
			rows = append(rows, strings.Clone(row))
		}
		batch.Release()
	}
}

func wantTextRows(t testing.TB, table *paimon.Table, want []string) {
	t.Helper()
	got, err := textRows(t, table)
	must(t, err)
	want = slices.Sorted(slices.Values(want))
	if len(got) != len(want) {
		t.Fatalf("%d rows, want %d", len(got), len(want))
	}
	for row := range want {
		at := 0 // where they part
		for at < min(len(got[row]), len(want[row])) && got[row][at] == want[row][at] {
			at++
		}
		if at < max(len(got[row]), len(want[row])) {
			from := max(at-60, 0)
			t.Errorf("row %d: got ...%.120q, want ...%.120q", row, got[row][from:], want[row][from:])
		}
	}
}

// Every type, with its extremes and nulls, is written and read in every format, without and with a primary key, or refused before
// there is a file.
func TestTypesRoundTrip(t *testing.T) {
	kept := func(c matrix.Column, format string, _ bool) bool { return matrix.Refused(c, format) == "" }
	for _, test := range matrix.Tables(kept) {
		t.Run(test.Name, func(t *testing.T) {
			table, err := createTable(t, test.Schema)
			must(t, err)
			rows := matrix.RowsOf(test.Columns)
			slices.Reverse(rows) // so that nulls come first
			writeRows(t, table, rows)
			wantTextRows(t, table, rows)
			if len(test.Schema.PrimaryKeys) > 0 { // merge files
				writeRows(t, table, rows)
				wantTextRows(t, table, rows)
			}
		})
	}
}

// docs/types.md has the outcomes that the tests here expect.
func TestTypesDocumented(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("..", "docs", "types.md"))
	must(t, err)
	_, shown, _ := strings.Cut(string(raw), "<!-- types: tests/internal/matrix -->\n")
	shown, _, _ = strings.Cut(shown, "<!-- /types -->")
	if want := matrix.Markdown(); shown != want {
		t.Errorf("docs/types.md has another table of formats than this:\n%s", want)
	}
}

func TestTypesRefused(t *testing.T) {
	for _, format := range matrix.Formats {
		for _, c := range matrix.OneOfEach {
			why := matrix.Refused(c, format)
			if why == "" {
				continue
			}
			for _, deep := range []bool{false, true} {
				column, path := c, c.Name()
				if deep {
					if format == "orc" {
						continue // whatever holds something is refused itself
					}
					column.Type = paimon.RowType(paimon.DataField{Name: "a", Type: paimon.ArrayType(c.Type)})
					path = column.Name() + ".a.element"
				}
				table, err := createTable(t, matrix.Schema([]matrix.Column{column}, format, false))
				must(t, err)
				builder, err := table.NewWriteBuilder()
				must(t, err)
				_, err = builder.NewWrite()
				wantError(t, err, paimon.CodeUnsupported, "'"+path+"'", c.Type.String(), format, why, "db.t")
				builder.Close()
				if files := dataFiles(t, table); len(files) > 0 {
					t.Errorf("%s in %s left %q", c.Type, format, files)
				}
			}
		}
	}
}

// Formats that cannot be written, and how ORC can, are told before there is a file.
func TestFormatsRefused(t *testing.T) {
	integers := []matrix.Column{matrix.OneOfEach[3]}
	for _, test := range []struct {
		format  string
		keyed   bool
		options map[string]string
		words   []string
	}{
		{"json", false, nil, []string{"'json'", "parquet"}},
		{"csv", false, nil, []string{"'csv'", "parquet"}},
		{"text", false, nil, []string{"'text'", "parquet"}},
		{"vortex", false, nil, []string{"'vortex'", "parquet"}},
		{"row", true, nil, []string{"'row'", "primary key", "parquet"}},
		{"orc", false, map[string]string{"file.compression": "zstd"}, []string{"'zstd'", "'file.compression' = 'none'"}},
	} {
		schema := matrix.Schema(integers, test.format, test.keyed)
		for key, value := range test.options {
			schema.Options[key] = value
		}
		table, err := createTable(t, schema)
		must(t, err)
		builder, err := table.NewWriteBuilder()
		must(t, err)
		_, err = builder.NewWrite()
		wantError(t, err, paimon.CodeUnsupported, test.words...)
		builder.Close()
	}
	table, err := createTable(t, &paimon.Schema{
		Fields:      []paimon.DataField{{Name: "code", Type: paimon.CharType(5).NotNull()}},
		PrimaryKeys: []string{"code"},
		Options:     map[string]string{"file.format": "orc", "file.compression": "none", "bucket": "1"},
	})
	must(t, err)
	builder, err := table.NewWriteBuilder()
	must(t, err)
	_, err = builder.NewWrite()
	wantError(t, err, paimon.CodeUnsupported, "'code'", "CHAR(5)", "blanks", "parquet")
	builder.Close()
	for _, format := range []string{"row", "mosaic"} {
		table, err := createTable(t, matrix.Schema(integers, format, false))
		must(t, err)
		rows := matrix.RowsOf(integers)
		writeRows(t, table, rows)
		wantTextRows(t, table, rows)
	}
}

// The types of partition keys: rows come back, or no table is made.
func TestPartitionKeyTypes(t *testing.T) {
	for _, c := range matrix.OneOfEach {
		schema := matrix.Schema([]matrix.Column{c}, "parquet", false)
		schema.PartitionKeys = []string{c.Name()}
		table, err := createTable(t, schema)
		switch c.Type.Kind() {
		case paimon.KindFloat, paimon.KindDouble, paimon.KindBinary, paimon.KindVarBinary:
			wantError(t, err, paimon.CodeUnsupported, "'"+c.Name()+"'", c.Type.String(), "partition")
		case paimon.KindArray, paimon.KindMap, paimon.KindMultiset, paimon.KindRow, paimon.KindVariant, paimon.KindBlob, paimon.KindVector:
			if err == nil {
				t.Errorf("a table partitioned by %s", c.Type)
			}
		case paimon.KindTimestamp, paimon.KindLocalZonedTimestamp:
			if c.Type.Precision() > 6 {
				continue
			}
			fallthrough
		default:
			must(t, err)
			rows := matrix.RowsOf([]matrix.Column{c})
			rows = slices.DeleteFunc(rows, func(row string) bool { return len(row) > 250 }) // no name of a folder
			writeRows(t, table, rows)
			wantTextRows(t, table, rows)
		}
	}
}

// Where a BLOB can be, and what its table needs, is told when the table is created.
func TestBlobColumns(t *testing.T) {
	blob := paimon.BlobType()
	for _, test := range []struct {
		of     paimon.DataType
		values []string
		words  []string
	}{
		{blob, []string{`"AAEC"`}, nil},
		{paimon.ArrayType(blob), []string{`["AAEC",null]`, "[]"}, nil},
		{paimon.MapType(paimon.StringType(), blob), []string{`[["a","AAEC"]]`}, nil},
		{paimon.RowType(paimon.DataField{Name: "b", Type: blob}), nil, []string{"'c.b'", "BLOB", "column"}},
		{paimon.ArrayType(paimon.ArrayType(blob)), nil, []string{"'c.element.element'", "BLOB"}},
	} {
		schema := &paimon.Schema{Fields: []paimon.DataField{{Name: "id", Type: paimon.IntType()}, {Name: "c", Type: test.of}}}
		if test.words != nil {
			_, err := createTable(t, schema)
			wantError(t, err, paimon.CodeUnsupported, test.words...)
			continue
		}
		_, err := createTable(t, schema)
		wantError(t, err, paimon.CodeInvalidInput, "'c'", "BLOB", "'row-tracking.enabled'", "'data-evolution.enabled'")
		schema.Options = map[string]string{"row-tracking.enabled": "true", "data-evolution.enabled": "true"}
		table, err := createTable(t, schema)
		must(t, err)
		var rows []string
		for _, value := range append(test.values, "null") {
			rows = append(rows, `{"id":1,"c":`+value+`}`)
		}
		writeRows(t, table, rows)
		wantTextRows(t, table, rows)
	}
}

// The tables with every type that Paimon Java wrote are read as it was told to write them.
func TestTypesWrittenByJava(t *testing.T) {
	for _, test := range matrix.Tables(matrix.JavaWrites) {
		t.Run(test.Name, func(t *testing.T) {
			checkLeaks(t)
			wantTextRows(t, javaTable(t, test.Name), matrix.RowsOf(test.Columns))
		})
	}
}

// javaTable opens a copy of a table in testdata/types.
func javaTable(t testing.TB, name string) *paimon.Table {
	t.Helper()
	warehouse := copyTable(t, filepath.Join("testdata", "types"), name)
	return openTable(t, openCatalog(t, warehouse), paimon.NewIdentifier("default", name))
}

// The engine would give nulls for all that Java wrote into these files.
func TestAvroFilesOfUnions(t *testing.T) {
	checkLeaks(t)
	table := javaTable(t, matrix.Blobs.Name)
	builder, err := table.NewReadBuilder()
	must(t, err)
	defer builder.Close()
	scan, err := builder.NewScan()
	must(t, err)
	defer scan.Close()
	plan, err := scan.Plan()
	must(t, err)
	defer plan.Close()
	read, err := builder.NewRead()
	must(t, err)
	defer read.Close()
	_, err = read.NewRecordBatchReader(plan.Splits())
	wantError(t, err, paimon.CodeUnsupported, "Avro", "BLOB", ".avro", "Parquet")
}

// The engine misreads ROWs in the lists and maps of Avro files when the first is null. That is an error, and never a wrong row.
func TestAvroRowsAfterNull(t *testing.T) {
	row := paimon.RowType(paimon.DataField{Name: "x", Type: paimon.IntType()})
	for _, test := range []struct {
		of    paimon.DataType
		value string
	}{
		{paimon.ArrayType(row), `[null,{"x":1}]`},
		{paimon.ArrayType(paimon.ArrayType(row)), `[[null],[{"x":1}]]`},
		{paimon.MapType(paimon.StringType(), row), `[["a",null],["b",{"x":1}]]`},
		{paimon.ArrayType(paimon.RowType(paimon.DataField{Name: "y", Type: row})), `[{"y":null},{"y":{"x":1}}]`},
	} {
		table, err := createTable(t, matrix.Schema([]matrix.Column{{Type: test.of}}, "avro", false))
		must(t, err)
		name := matrix.Column{Type: test.of}.Name()
		rows := []string{fmt.Sprintf(`{"id":1,%q:%s}`, name, test.value)}
		writeRows(t, table, rows)
		if ids := readRows(t, table, "id"); !slices.Equal(ids, []string{"1"}) {
			t.Errorf("the other column is %q", ids)
		}
		if counted := readRows(t, table, []string{}...); len(counted) != 1 {
			t.Errorf("%d rows counted", len(counted))
		}
		got, err := textRows(t, table)
		if err == nil && test.of.Kind() == paimon.KindMap && slices.Equal(got, rows) {
			continue // a map has no order, and this time another value was the first
		}
		wantError(t, err, paimon.CodeUnsupported, "'"+name+"'", "ROW", "Avro", "null")
	}
}

// Names of columns: all but the empty, the repeated and the reserved are as good as another.
func TestColumnNames(t *testing.T) {
	long := strings.Repeat("long", 75)
	names := []string{"Id", "id", "a.b", "a b", " ", "ünïcödé", "日本", "🙂", `"quoted"`, "it's", "back`tick", `back\slash`, "a/b", "tab\there", "select", "%", "element", "key", long}
	for _, format := range matrix.Formats {
		columns := make([]arrow.Field, len(names))
		for i, name := range names {
			columns[i] = nullable(name, int32s)
		}
		schema, err := paimon.SchemaFromArrow(arrow.NewSchema(columns, nil))
		must(t, err)
		schema.Options = map[string]string{"file.format": format, "file.compression": "none"}
		table, err := createTable(t, schema)
		must(t, err)
		if format == "avro" {
			builder, err := table.NewWriteBuilder()
			must(t, err)
			_, err = builder.NewWrite()
			wantError(t, err, paimon.CodeUnsupported, "'a.b'", "avro", "letters")
			builder.Close()
			continue
		}
		row := "{"
		for i, name := range names {
			row += fmt.Sprintf("%q:%d,", name, i)
		}
		rows := []string{strings.TrimSuffix(row, ",") + "}"}
		writeRows(t, table, rows)
		wantTextRows(t, table, rows)
		if got := readRows(t, table, "a.b", "Id", long); !slices.Equal(got, []string{fmt.Sprintf("2 0 %d", len(names)-1)}) {
			t.Errorf("%s: got %q", format, got)
		}
	}
	for name, words := range map[string][]string{
		"": {"no name"}, "_ROW_ID": {"reserve"}, "_VALUE_KIND": {"reserve"}, "_SEQUENCE_NUMBER": {"reserve"}, "_LEVEL": {"reserve"}, "_KEY_a": {"reserve"},
		"rowkind": {"reserve"}, "twice": {"twice"},
	} {
		_, err := createTable(t, &paimon.Schema{Fields: []paimon.DataField{
			{Name: "twice", Type: paimon.IntType()}, {Name: name, Type: paimon.IntType()},
		}})
		wantError(t, err, paimon.CodeInvalidInput, words...)
	}
}

// Texts of 4 MiB: what does not fit one batch comes in several.
func TestLargeTexts(t *testing.T) {
	const rows, size = 24, 4 << 20
	allocator := checkLeaks(t)
	table := newColumn(t, paimon.StringType(), map[string]string{"read.batch-size": "5"})
	j := newJob(t, table, "", false)
	for i := range rows {
		b := array.NewLargeStringBuilder(allocator)
		b.Append(strings.Repeat(string(rune('a'+i)), size))
		column := b.NewArray()
		b.Release()
		batch := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{nullable("c", column.DataType())}, nil), []arrow.Array{column}, 1)
		column.Release()
		must(t, j.write.WriteArrowBatch(batch))
		batch.Release()
	}
	must(t, j.commit.Commit(j.prepare(t, allocator)))
	reader := newReader(t, table)
	var seen int
	for {
		batch, err := reader.NextRecord()
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		if batch.NumRows() > 5 {
			t.Errorf("a batch of %d rows", batch.NumRows())
		}
		texts := batch.Column(0).(*array.String)
		for i := range texts.Len() {
			if got := texts.Value(i); len(got) != size || strings.Count(got, got[:1]) != size || got[0] != byte('a'+seen) {
				t.Errorf("row %d is %d bytes of %q", seen, len(got), got[:1])
			}
			seen++
		}
		batch.Release()
	}
	if seen != rows {
		t.Errorf("%d rows, want %d", seen, rows)
	}
}
