// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"

	paimon "github.com/apache/paimon-rust/bindings/go"
)

// columns says what a table's columns are now.
func columns(t testing.TB, table *paimon.Table) string {
	t.Helper()
	schema, err := table.Schema()
	must(t, err)
	var list []string
	for _, f := range schema.Fields {
		text := f.Name + " " + f.Type.String()
		if f.Description != "" {
			text += " '" + f.Description + "'"
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

func TestRenameTable(t *testing.T) {
	allocator := checkLeaks(t)
	catalog, table := newTable(t, people, nil)
	appendRows(t, table, allocator, person{1, "a"})
	from, to := table.Identifier(), paimon.NewIdentifier("other", "renamed")

	wantError(t, catalog.RenameTable(from, to, false), paimon.ErrDatabaseNotExist, "other")
	must(t, catalog.CreateDatabase("other", nil, false))
	must(t, catalog.RenameTable(from, to, false))
	wantRows(t, openTable(t, catalog, to), "1 a")
	_, err := catalog.GetTable(from)
	wantError(t, err, paimon.ErrTableNotExist, "db.t")

	wantError(t, catalog.RenameTable(from, paimon.NewIdentifier("db", "x"), false), paimon.ErrTableNotExist, "db.t")
	must(t, catalog.RenameTable(from, paimon.NewIdentifier("db", "x"), true))
	must(t, catalog.CreateTable(from, &paimon.Schema{Fields: []paimon.DataField{{Name: "id", Type: paimon.IntType()}}}, false))
	wantError(t, catalog.RenameTable(from, to, false), paimon.ErrTableAlreadyExist, "other.renamed")
	wantError(t, catalog.RenameTable(from, paimon.NewIdentifier("db", "t$branch_b"), false), paimon.CodeUnsupported, "branch")
	wantError(t, catalog.RenameTable(from, paimon.NewIdentifier("db", "../t"), false), paimon.CodeInvalidInput)
	wantRows(t, openTable(t, catalog, to), "1 a")
}

func TestAlterTable(t *testing.T) {
	checkLeaks(t)
	catalog, table := newTable(t, people, func(schema *paimon.Schema) {
		schema.Options = map[string]string{"bucket": "-1", "snapshot.num-retained.min": "3"}
	})
	id := table.Identifier()
	alter := func(changes ...paimon.SchemaChange) error { return catalog.AlterTable(id, changes, false) }

	for _, step := range []struct {
		change paimon.SchemaChange
		want   string
	}{
		{paimon.AddColumn(paimon.DataField{Name: "age", Type: paimon.IntType()}, paimon.ColumnPosition{}), "id INT NOT NULL, name STRING, age INT"},
		{
			paimon.AddColumn(paimon.DataField{Name: "zero", Type: paimon.IntType(), Description: "the first"}, paimon.First()),
			"zero INT 'the first', id INT NOT NULL, name STRING, age INT",
		},
		{
			paimon.AddColumn(paimon.DataField{Name: "mid", Type: paimon.ArrayType(paimon.StringType())}, paimon.After("id")),
			"zero INT 'the first', id INT NOT NULL, mid ARRAY<STRING>, name STRING, age INT",
		},
		{
			paimon.UpdateColumnPosition("age", paimon.Before("mid")),
			"zero INT 'the first', id INT NOT NULL, age INT, mid ARRAY<STRING>, name STRING",
		},
		{paimon.UpdateColumnPosition("zero", paimon.Last()), "id INT NOT NULL, age INT, mid ARRAY<STRING>, name STRING, zero INT 'the first'"},
		{paimon.UpdateColumnPosition("zero", paimon.First()), "zero INT 'the first', id INT NOT NULL, age INT, mid ARRAY<STRING>, name STRING"},
		{paimon.DropColumn("zero"), "id INT NOT NULL, age INT, mid ARRAY<STRING>, name STRING"},
		{paimon.RenameColumn("name", "full name"), "id INT NOT NULL, age INT, mid ARRAY<STRING>, full name STRING"},
		{paimon.UpdateColumnType("id", paimon.BigIntType()), "id BIGINT NOT NULL, age INT, mid ARRAY<STRING>, full name STRING"},
		{paimon.UpdateColumnNullability("id", true), "id BIGINT, age INT, mid ARRAY<STRING>, full name STRING"},
		{paimon.UpdateColumnComment("age", "in years"), "id BIGINT, age INT 'in years', mid ARRAY<STRING>, full name STRING"},
	} {
		must(t, alter(step.change))
		if got := columns(t, openTable(t, catalog, id)); got != step.want {
			t.Fatalf("got  %s\nwant %s", got, step.want)
		}
	}
	must(t, alter(paimon.SetOption("snapshot.num-retained.max", "9"), paimon.RemoveOption("snapshot.num-retained.min"), paimon.UpdateComment("hello")))
	schema, err := openTable(t, catalog, id).Schema()
	must(t, err)
	if schema.Comment != "hello" || schema.Options["snapshot.num-retained.max"] != "9" || schema.Options["snapshot.num-retained.min"] != "" {
		t.Errorf("got comment %q, options %v", schema.Comment, schema.Options)
	}
	must(t, alter(paimon.UpdateComment("")))
	if schema, err = openTable(t, catalog, id).Schema(); err != nil || schema.Comment != "" {
		t.Errorf("got comment %q, %v", schema.Comment, err)
	}
	if got := columns(t, table); got != "id INT NOT NULL, name STRING" {
		t.Errorf("the open table changed its schema: %s", got)
	}
}

// What is refused changes nothing, not even by the steps before it.
func TestAlterTableRefused(t *testing.T) {
	checkLeaks(t)
	catalog, table := newTable(t, people, primaryKey)
	id := table.Identifier()
	field := func(name string, of paimon.DataType) paimon.DataField { return paimon.DataField{Name: name, Type: of} }
	for _, c := range []struct {
		change paimon.SchemaChange
		want   error
		words  string
	}{
		{paimon.SchemaChange{}, paimon.CodeInvalidInput, "zero value"},
		{paimon.AddColumn(field("name", paimon.IntType()), paimon.Last()), paimon.ErrColumnAlreadyExist, "name"},
		{paimon.AddColumn(field("age", paimon.IntType().NotNull()), paimon.Last()), paimon.CodeInvalidInput, "NOT NULL"},
		{paimon.AddColumn(field("age", paimon.DecimalType(50, 2)), paimon.Last()), paimon.CodeInvalidInput, "age"},
		{paimon.AddColumn(field("", paimon.IntType()), paimon.Last()), paimon.CodeInvalidInput, "no name"},
		{paimon.AddColumn(field("_ROW_ID", paimon.IntType()), paimon.Last()), paimon.CodeInvalidInput, "_ROW_ID"},
		{paimon.AddColumn(field("age", paimon.DataType{}), paimon.Last()), paimon.CodeInvalidInput, "age"},
		{paimon.AddColumn(field("age", paimon.IntType()), paimon.After("none")), paimon.ErrColumnNotExist, "none"},
		{paimon.AddColumn(paimon.DataField{Name: "age", Type: paimon.IntType(), DefaultValue: "1"}, paimon.Last()), paimon.CodeInvalidInput, "default"},
		{paimon.RenameColumn("none", "other"), paimon.ErrColumnNotExist, "none"},
		{paimon.RenameColumn("name", "id"), paimon.ErrColumnAlreadyExist, "id"},
		{paimon.RenameColumn("name", "_VALUE_KIND"), paimon.CodeInvalidInput, "_VALUE_KIND"},
		{paimon.DropColumn("none"), paimon.ErrColumnNotExist, "none"},
		{paimon.DropColumn("id"), paimon.CodeUnsupported, "id"},
		{paimon.UpdateColumnType("none", paimon.IntType()), paimon.ErrColumnNotExist, "none"},
		{paimon.UpdateColumnType("name", paimon.MapType(paimon.IntType(), paimon.IntType())), paimon.CodeUnsupported, "name"},
		{paimon.UpdateColumnNullability("name", false), paimon.CodeUnsupported, "name"},
		{paimon.UpdateColumnComment("none", "x"), paimon.ErrColumnNotExist, "none"},
		{paimon.UpdateColumnPosition("none", paimon.First()), paimon.ErrColumnNotExist, "none"},
		{paimon.UpdateColumnPosition("name", paimon.After("name")), paimon.CodeInvalidInput, "itself"},
		{paimon.SetOption("", "x"), paimon.CodeInvalidInput, "no name"},
		{paimon.SetOption("incremental-between", "1,2"), paimon.CodeUnsupported, "incremental-between"},
		{paimon.SetOption("type", "format-table"), paimon.CodeUnsupported, "type"},
	} {
		err := catalog.AlterTable(id, []paimon.SchemaChange{paimon.SetOption("snapshot.num-retained.max", "9"), c.change}, false)
		wantError(t, err, c.want, c.words, "alter table db.t")
	}
	for _, option := range []string{"manifest.format", "branch"} {
		wantError(t, catalog.AlterTable(id, []paimon.SchemaChange{paimon.SetOption(option, "orc")}, false), paimon.CodeUnsupported, option)
		schema := &paimon.Schema{Fields: []paimon.DataField{field("id", paimon.IntType())}, Options: map[string]string{option: "orc"}}
		wantError(t, catalog.CreateTable(paimon.NewIdentifier("db", "x"), schema, false), paimon.CodeUnsupported, option)
	}
	wantError(t, catalog.AlterTable(id, nil, false), paimon.CodeInvalidInput, "no changes")
	none := paimon.NewIdentifier("db", "none")
	set := []paimon.SchemaChange{paimon.SetOption("a", "b")}
	wantError(t, catalog.AlterTable(none, set, false), paimon.ErrTableNotExist, "db.none")
	wantError(t, catalog.AlterTable(paimon.NewIdentifier("none", "t"), set, false), paimon.ErrDatabaseNotExist, "none")
	must(t, catalog.AlterTable(none, set, true))
	wantError(t, catalog.AlterTable(paimon.NewIdentifier("db", "t$branch_b"), set, false), paimon.CodeUnsupported, "branch")

	schema, err := openTable(t, catalog, id).Schema()
	must(t, err)
	if got := columns(t, openTable(t, catalog, id)); got != "id INT NOT NULL, name STRING" || schema.Options["snapshot.num-retained.max"] != "" {
		t.Errorf("a refused change left %s, options %v", got, schema.Options)
	}
}

// How rows are found and merged is settled once there are some (case 6).
func TestSettledOptions(t *testing.T) {
	allocator := checkLeaks(t)
	catalog, table := newTable(t, people, primaryKey)
	id := table.Identifier()
	must(t, catalog.AlterTable(id, []paimon.SchemaChange{paimon.SetOption("bucket", "2")}, false)) // nothing is there yet
	table = openTable(t, catalog, id)
	appendRows(t, table, allocator, person{1, "a"}, person{2, "b"}, person{3, "c"})
	for key, value := range map[string]string{
		"bucket": "4", "bucket-key": "id", "merge-engine": "first-row", "sequence.field": "name", "deletion-vectors.enabled": "true",
	} {
		wantError(t, catalog.AlterTable(id, []paimon.SchemaChange{paimon.SetOption(key, value)}, false), paimon.CodeUnsupported, key, "rows")
	}
	wantError(t, catalog.AlterTable(id, []paimon.SchemaChange{paimon.RemoveOption("bucket")}, false), paimon.CodeUnsupported, "bucket")
	score := paimon.DataField{Name: "score", Type: paimon.IntType()}
	must(t, catalog.AlterTable(id, []paimon.SchemaChange{
		paimon.SetOption("bucket", "2"), paimon.SetOption("write-only", "true"),
		paimon.AddColumn(score, paimon.Last()), paimon.SetOption("fields.score.aggregate-function", "sum"),
	}, false))
	wantError(t, catalog.AlterTable(id, []paimon.SchemaChange{paimon.SetOption("fields.score.aggregate-function", "max")}, false), paimon.CodeUnsupported, "score")
	must(t, catalog.AlterTable(id, []paimon.SchemaChange{paimon.DropColumn("score")}, false))
	appendRows(t, openTable(t, catalog, id), allocator, person{1, "x"}, person{3, "z"})
	wantRows(t, table, "1 x", "2 b", "3 z")
}

// A type can change where old values read the same in every engine, and not otherwise.
func TestUpdateColumnType(t *testing.T) {
	checkLeaks(t)
	for _, c := range []struct {
		from, to paimon.DataType
		ok       bool
	}{
		{paimon.TinyIntType(), paimon.IntType(), true},
		{paimon.IntType(), paimon.BigIntType(), true},
		{paimon.IntType(), paimon.DoubleType(), true},
		{paimon.IntType(), paimon.StringType(), true},
		{paimon.IntType(), paimon.DecimalType(12, 2), true},
		{paimon.FloatType(), paimon.DoubleType(), true},
		{paimon.DecimalType(10, 2), paimon.DecimalType(20, 4), true},
		{paimon.VarCharType(3), paimon.StringType(), true},
		{paimon.TimestampType(3), paimon.TimestampType(6), true},
		{paimon.DateType(), paimon.TimestampType(3), true},
		{paimon.BigIntType(), paimon.IntType(), false},
		{paimon.IntType(), paimon.TinyIntType(), false},
		{paimon.DoubleType(), paimon.IntType(), false},
		{paimon.DoubleType(), paimon.StringType(), false},
		{paimon.TimestampType(6), paimon.TimestampType(3), false},
		{paimon.TimestampType(6), paimon.StringType(), false},
		{paimon.LocalZonedTimestampType(6), paimon.LocalZonedTimestampType(0), false},
		{paimon.TimeType(0), paimon.StringType(), false},
		{paimon.StringType(), paimon.VarCharType(3), false},
		{paimon.VarCharType(5), paimon.CharType(3), false},
		{paimon.BytesType(), paimon.BinaryType(2), false},
		{paimon.IntType(), paimon.VarCharType(4), false},
		{paimon.IntType(), paimon.DecimalType(5, 2), false},
		{paimon.TimestampType(3), paimon.BigIntType(), false},
		{paimon.BigIntType(), paimon.TimestampType(3), false},
		{paimon.DecimalType(20, 2), paimon.IntType(), false},
		{paimon.DecimalType(11, 2), paimon.IntType(), true},
		{paimon.StringType(), paimon.IntType(), false},
		{paimon.DateType(), paimon.TimestampType(9), false},
		{paimon.ArrayType(paimon.BigIntType()), paimon.ArrayType(paimon.IntType()), false},
		{paimon.ArrayType(paimon.IntType()), paimon.ArrayType(paimon.BigIntType()), true},
		{paimon.ArrayType(paimon.IntType()), paimon.ArrayType(paimon.BigIntType().NotNull()), false},
		{
			paimon.RowType(paimon.DataField{Name: "a", Type: paimon.IntType()}),
			paimon.RowType(paimon.DataField{Name: "a", Type: paimon.BigIntType()}), false,
		},
	} {
		catalog := openCatalog(t, t.TempDir())
		must(t, catalog.CreateDatabase("db", nil, false))
		id := paimon.NewIdentifier("db", "t")
		must(t, catalog.CreateTable(id, &paimon.Schema{Fields: []paimon.DataField{{Name: "v", Type: c.from}}}, false))
		err := catalog.AlterTable(id, []paimon.SchemaChange{
			paimon.RenameColumn("v", "w"), paimon.UpdateColumnType("w", c.to),
		}, false)
		want := "w " + c.to.String()
		if !c.ok {
			wantError(t, err, paimon.CodeUnsupported, "'w'", "add a column")
			want = "v " + c.from.String()
		} else if err != nil {
			t.Errorf("%v to %v: %v", c.from, c.to, err)
			continue
		}
		if got := columns(t, openTable(t, catalog, id)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// Alterations of one process wait for each other, so that none is lost.
func TestAlterTableFromManyGoroutines(t *testing.T) {
	checkLeaks(t)
	catalog, table := newTable(t, people, nil)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			column := paimon.DataField{Name: "c" + string(rune('0'+i)), Type: paimon.IntType()}
			if err := catalog.AlterTable(table.Identifier(), []paimon.SchemaChange{paimon.AddColumn(column, paimon.Last())}, false); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	schema, err := openTable(t, catalog, table.Identifier()).Schema()
	must(t, err)
	if len(schema.Fields) != 10 {
		t.Errorf("got %d columns, want 10: %s", len(schema.Fields), columns(t, openTable(t, catalog, table.Identifier())))
	}
}

// Rows written under an old schema are read under the new one: NULL in added columns, values by the field's ID under a new name,
// widened types.
func TestReadAfterAlter(t *testing.T) {
	for _, keyed := range []bool{false, true} {
		allocator := checkLeaks(t)
		var change func(*paimon.Schema)
		if keyed {
			change = primaryKey
		}
		catalog, table := newTable(t, people, change)
		id := table.Identifier()
		appendRows(t, table, allocator, person{1, "a"})
		must(t, catalog.AlterTable(id, []paimon.SchemaChange{
			paimon.AddColumn(paimon.DataField{Name: "age", Type: paimon.IntType()}, paimon.First()),
			paimon.RenameColumn("name", "who"),
		}, false))
		if !keyed { // the type of a key cannot change
			must(t, catalog.AlterTable(id, []paimon.SchemaChange{paimon.UpdateColumnType("id", paimon.BigIntType())}, false))
		}
		altered := openTable(t, catalog, id)
		wantRows(t, altered, "(null) 1 a")
		arrowSchema, err := altered.ArrowSchema()
		must(t, err)
		b := array.NewRecordBuilder(allocator, arrowSchema)
		defer b.Release()
		b.Field(0).(*array.Int32Builder).Append(30)
		must(t, b.Field(1).AppendValueFromString("2"))
		b.Field(2).(*array.StringBuilder).Append("b")
		batch := b.NewRecordBatch()
		defer batch.Release()
		j := newJob(t, altered, "", false)
		must(t, j.write.WriteArrowBatch(batch))
		must(t, j.commit.Commit(j.prepare(t, allocator)))
		wantRows(t, altered, "(null) 1 a", "30 2 b")
	}
}

// A writer that was opened before the schema changed writes what it was opened for; nothing is misread (case 29).
func TestWriterOpenedBeforeAlter(t *testing.T) {
	for name, c := range map[string]struct {
		change paimon.SchemaChange
		want   []string
	}{
		"add":    {paimon.AddColumn(paimon.DataField{Name: "age", Type: paimon.IntType()}, paimon.Last()), []string{"1 a (null)", "2 b (null)"}},
		"drop":   {paimon.DropColumn("name"), []string{"1", "2"}},
		"rename": {paimon.RenameColumn("name", "who"), []string{"1 a", "2 b"}},
		"type":   {paimon.UpdateColumnType("id", paimon.BigIntType()), []string{"1 a", "2 b"}},
	} {
		t.Run(name, func(t *testing.T) {
			allocator := checkLeaks(t)
			catalog, table := newTable(t, people, nil)
			appendRows(t, table, allocator, person{1, "a"})
			j := newJob(t, table, "", false)
			must(t, catalog.AlterTable(table.Identifier(), []paimon.SchemaChange{c.change}, false))
			must(t, j.commit.Commit(j.prepare(t, allocator, person{2, "b"})))
			wantRows(t, openTable(t, catalog, table.Identifier()), c.want...)
			wantRows(t, table, "1 a", "2 b")
		})
	}
}

// Names of tables and branches never lead out of the warehouse.
func TestNamesStayInside(t *testing.T) {
	checkLeaks(t)
	warehouse := t.TempDir()
	catalog := openCatalog(t, filepath.Join(warehouse, "inside"))
	must(t, catalog.CreateDatabase("db", nil, false))
	schema := &paimon.Schema{Fields: []paimon.DataField{{Name: "id", Type: paimon.IntType()}}}
	must(t, catalog.CreateTable(paimon.NewIdentifier("db", "t"), schema, false))
	for _, name := range []string{"../x", "a/b", "..", ".", "", " ", "a\nb", `a\b`} {
		wantError(t, catalog.CreateTable(paimon.NewIdentifier("db", name), schema, false), paimon.CodeInvalidInput)
		wantError(t, catalog.DropTable(paimon.NewIdentifier("db", name), true), paimon.CodeInvalidInput)
		wantError(t, catalog.DropTable(paimon.NewIdentifier(name, "t"), true), paimon.CodeInvalidInput)
		wantError(t, catalog.CreateDatabase(name, nil, true), paimon.CodeInvalidInput)
		wantError(t, catalog.DropDatabase(name, true, true), paimon.CodeInvalidInput)
		wantError(t, catalog.CreateTag(paimon.NewIdentifier("db", "t"), name, nil, true), paimon.CodeInvalidInput)
		wantError(t, catalog.DeleteTag(paimon.NewIdentifier("db", "t"), name, true), paimon.CodeInvalidInput)
		_, err := catalog.GetTag(paimon.NewIdentifier("db", "t"), name)
		wantError(t, err, paimon.CodeInvalidInput)
		_, err = catalog.ListTables(name)
		wantError(t, err, paimon.CodeInvalidInput)
		wantError(t, catalog.CreateBranch(paimon.NewIdentifier("db", "t"), name, ""), paimon.CodeInvalidInput)
		wantError(t, catalog.DropBranch(paimon.NewIdentifier("db", "t"), name, false), paimon.CodeInvalidInput)
		_, err = catalog.GetTable(paimon.NewIdentifier("db", "t$branch_"+name))
		wantError(t, err, paimon.CodeInvalidInput)
	}
	wantError(t, catalog.CreateBranch(paimon.NewIdentifier("db", "t"), "a$b", ""), paimon.CodeInvalidInput, "$")
	entries, err := os.ReadDir(warehouse)
	must(t, err)
	if len(entries) != 1 {
		t.Errorf("something left the warehouse: %v", entries)
	}
}

// A handle whose table is gone, or is another now, says so: nothing is read as empty, and nothing is committed where nobody looks.
func TestHandleOfAGoneTable(t *testing.T) {
	for name, leave := range map[string]func(*paimon.Catalog, paimon.Identifier) error{
		"dropped": func(c *paimon.Catalog, id paimon.Identifier) error { return c.DropTable(id, false) },
		"renamed": func(c *paimon.Catalog, id paimon.Identifier) error {
			return c.RenameTable(id, paimon.NewIdentifier("db", "new"), false)
		},
		"made anew with a key": func(c *paimon.Catalog, id paimon.Identifier) error {
			if err := c.DropTable(id, false); err != nil {
				return err
			}
			time.Sleep(2 * time.Millisecond) // by which schemas of the same columns differ
			schema, err := paimon.SchemaFromArrow(people)
			if err != nil {
				return err
			}
			primaryKey(schema)
			return c.CreateTable(id, schema, false)
		},
		"made anew": func(c *paimon.Catalog, id paimon.Identifier) error {
			if err := c.DropTable(id, false); err != nil {
				return err
			}
			return c.CreateTable(id, &paimon.Schema{Fields: []paimon.DataField{{Name: "x", Type: paimon.StringType()}}}, false)
		},
	} {
		t.Run(name, func(t *testing.T) {
			allocator := checkLeaks(t)
			catalog, table := newTable(t, people, nil)
			appendRows(t, table, allocator, person{1, "a"})
			j := newJob(t, table, "", false)
			messages := j.prepare(t, allocator, person{2, "b"})
			must(t, leave(catalog, table.Identifier()))
			wantError(t, j.commit.Commit(messages), paimon.ErrTableNotExist, "since it was opened", table.Location())
			wantError(t, j.commit.TruncateTable(), paimon.ErrTableNotExist)
			_, err := table.LatestSnapshot()
			wantError(t, err, paimon.ErrTableNotExist)
			_, err = table.ListSnapshots()
			wantError(t, err, paimon.ErrTableNotExist)
			_, err = tryRows(table)
			wantError(t, err, paimon.ErrTableNotExist)
		})
	}
}

// What was written to a table is not committed to another that has its name later, nor to one of another catalog: its files are not there.
func TestMessagesOfAnotherTable(t *testing.T) {
	id := paimon.NewIdentifier("db", "t")
	for name, another := range map[string]func(*testing.T, *paimon.Catalog, *paimon.Schema) *paimon.Table{
		"made anew": func(t *testing.T, catalog *paimon.Catalog, schema *paimon.Schema) *paimon.Table {
			must(t, catalog.DropTable(id, false))
			time.Sleep(2 * time.Millisecond) // by which schemas of the same columns differ
			must(t, catalog.CreateTable(id, schema, false))
			return openTable(t, catalog, id)
		},
		"made anew and altered": func(t *testing.T, catalog *paimon.Catalog, schema *paimon.Schema) *paimon.Table {
			must(t, catalog.DropTable(id, false))
			schema.Fields = append(schema.Fields, paimon.DataField{Name: "x", Type: paimon.StringType()})
			must(t, catalog.CreateTable(id, schema, false))
			must(t, catalog.AlterTable(id, []paimon.SchemaChange{paimon.UpdateComment("new")}, false))
			return openTable(t, catalog, id)
		},
		"of another memory": func(t *testing.T, _ *paimon.Catalog, schema *paimon.Schema) *paimon.Table {
			catalog := openCatalog(t, "memory:/x")
			must(t, catalog.CreateDatabase("db", nil, false))
			must(t, catalog.CreateTable(id, schema, false))
			return openTable(t, catalog, id)
		},
	} {
		t.Run(name, func(t *testing.T) {
			allocator := checkLeaks(t)
			schema, err := paimon.SchemaFromArrow(people)
			must(t, err)
			catalog := openCatalog(t, "memory:/x")
			must(t, catalog.CreateDatabase("db", nil, false))
			must(t, catalog.CreateTable(id, schema, false))
			first := openTable(t, catalog, id)
			appendRows(t, first, allocator, person{1, "a"})
			lost := newJob(t, first, "u", false).prepare(t, allocator, person{2, "b"})
			builder, err := first.NewReadBuilder()
			must(t, err)
			defer builder.Close()
			old, err := readerOf(builder)
			must(t, err)
			defer old.Close()

			second := another(t, catalog, schema)
			j := newJob(t, second, "u", false)
			wantError(t, j.commit.CommitWithIdentifier(lost, 5), paimon.CodeInvalidInput, "dropped since")
			wantError(t, j.commit.FilterAndCommitWithIdentifier(lost, 5), paimon.CodeInvalidInput)
			if name != "made anew and altered" {
				kept := j.prepare(t, allocator, person{3, "c"})
				must(t, kept.Merge(lost))
				wantError(t, j.commit.Commit(kept), paimon.CodeInvalidInput, "some of them")
			}
			if name != "of another memory" {
				_, err = old.NextRecord()
				wantError(t, err, paimon.CodeNotFound, "plan again")
			}
			wantRows(t, second)
		})
	}
}

// Messages outlive a change of their table's schema.
func TestMessagesOfAnOlderSchema(t *testing.T) {
	allocator := checkLeaks(t)
	catalog, table := newTable(t, people, nil)
	messages := newJob(t, table, "u", false).prepare(t, allocator, person{1, "a"})
	must(t, catalog.AlterTable(table.Identifier(), []paimon.SchemaChange{paimon.UpdateComment("new")}, false))
	again := openTable(t, catalog, table.Identifier())
	must(t, newJob(t, again, "u", false).commit.Commit(messages))
	wantRows(t, again, "1 a")
}

// Fixed buckets keep a key unique within a partition only, so that the key has to name the partition.
func TestKeyWithoutItsPartition(t *testing.T) {
	checkLeaks(t)
	catalog := openCatalog(t, t.TempDir())
	must(t, catalog.CreateDatabase("db", nil, false))
	create := func(name string, key []string, options map[string]string) error {
		return catalog.CreateTable(paimon.NewIdentifier("db", name), &paimon.Schema{
			Fields: []paimon.DataField{
				{Name: "id", Type: paimon.IntType().NotNull()}, {Name: "d", Type: paimon.StringType().NotNull()}, {Name: "v", Type: paimon.StringType()},
			},
			PartitionKeys: []string{"d"}, PrimaryKeys: key, Options: options,
		}, false)
	}
	fixed := map[string]string{"bucket": "2"}
	wantError(t, create("t", []string{"id"}, fixed), paimon.CodeInvalidInput, "primary key [id] lacks the partition column d", "bucket")
	must(t, create("whole", []string{"id", "d"}, fixed))
	must(t, create("none", nil, map[string]string{"bucket": "2", "bucket-key": "id"}))
	for name, options := range map[string]map[string]string{"unset": nil, "dynamic": {"bucket": "-1"}, "postpone": {"bucket": "-2"}} {
		must(t, create(name, []string{"id"}, options))
		alter := func(change paimon.SchemaChange) error {
			return catalog.AlterTable(paimon.NewIdentifier("db", name), []paimon.SchemaChange{change}, false)
		}
		wantError(t, alter(paimon.SetOption("bucket", "1")), paimon.CodeInvalidInput, "lacks the partition column d")
		must(t, alter(paimon.SetOption("a", "b")))
	}
}

// What would be stored as something else than was said is refused.
func TestTextThatIsNotUTF8(t *testing.T) {
	checkLeaks(t)
	catalog, table := newTable(t, people, nil)
	for _, change := range []paimon.SchemaChange{
		paimon.DropColumn("a\xff"), paimon.SetOption("a\xff", "b"), paimon.SetOption("a", "b\xff"), paimon.UpdateComment("\xff"),
		paimon.RenameColumn("name", "\xff"), paimon.UpdateColumnPosition("id", paimon.After("\xff")),
		paimon.AddColumn(paimon.DataField{Name: "x", Type: paimon.IntType(), Description: "\xff"}, paimon.First()),
	} {
		wantError(t, catalog.AlterTable(table.Identifier(), []paimon.SchemaChange{change}, false), paimon.CodeInvalidInput, "UTF-8")
	}
	column := []paimon.DataField{{Name: "id", Type: paimon.IntType()}}
	for _, schema := range []*paimon.Schema{
		{Fields: column, Comment: "\xff"},
		{Fields: column, Options: map[string]string{"k\xff": "v"}},
		{Fields: column, PrimaryKeys: []string{"id\xff"}},
		{Fields: []paimon.DataField{{Name: "id", Type: paimon.IntType(), Description: "\xff"}}},
	} {
		wantError(t, catalog.CreateTable(paimon.NewIdentifier("db", "x"), schema, false), paimon.CodeInvalidInput, "UTF-8")
	}
}

// Of several that make the same thing at once, one does.
func TestOneMakesIt(t *testing.T) {
	allocator := checkLeaks(t)
	catalog, table := newTable(t, people, nil)
	appendRows(t, table, allocator, person{1, "a"})
	id := table.Identifier()
	schema := &paimon.Schema{Fields: []paimon.DataField{{Name: "id", Type: paimon.IntType()}}}
	for name, make := range map[string]func() error{
		"database": func() error { return catalog.CreateDatabase("new", nil, false) },
		"table":    func() error { return catalog.CreateTable(paimon.NewIdentifier("db", "new"), schema, false) },
		"tag":      func() error { return catalog.CreateTag(id, "new", nil, false) },
		"branch":   func() error { return catalog.CreateBranch(id, "new", "") },
	} {
		var made atomic.Int64
		var group sync.WaitGroup
		for range 6 {
			group.Go(func() {
				if err := make(); err == nil {
					made.Add(1)
				} else if !errors.Is(err, paimon.CodeAlreadyExist) {
					t.Errorf("%s: %v", name, err)
				}
			})
		}
		group.Wait()
		if made.Load() != 1 {
			t.Errorf("%s: %d made it", name, made.Load())
		}
	}
}
