// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	paimon "github.com/apache/paimon-rust/bindings/go"
)

func TestCatalog(t *testing.T) {
	checkLeaks(t)
	warehouse := filepath.Join(t.TempDir(), "not", "there", "yet")
	catalog := openCatalog(t, warehouse)
	must(t, catalog.CreateDatabase("b", nil, false))
	must(t, catalog.CreateDatabase("a", nil, false))
	must(t, catalog.CreateDatabase("a", nil, true))
	wantError(t, catalog.CreateDatabase("a", nil, false), paimon.ErrDatabaseAlreadyExist, "create database a")
	databases, err := catalog.ListDatabases()
	must(t, err)
	if !slices.Equal(databases, []string{"a", "b"}) {
		t.Errorf("databases %q", databases)
	}

	schema, err := paimon.SchemaFromArrow(people)
	must(t, err)
	id := paimon.NewIdentifier("a", "t")
	must(t, catalog.CreateTable(id, schema, false))
	must(t, catalog.CreateTable(id, schema, true))
	wantError(t, catalog.CreateTable(id, schema, false), paimon.ErrTableAlreadyExist, "a.t")
	must(t, catalog.CreateTable(paimon.NewIdentifier("a", "s"), schema, false))
	tables, err := catalog.ListTables("a")
	must(t, err)
	if !slices.Equal(tables, []string{"s", "t"}) {
		t.Errorf("tables %q", tables)
	}

	wantError(t, catalog.DropDatabase("a", false, false), paimon.ErrDatabaseNotEmpty, "drop database a")
	must(t, catalog.DropTable(id, false))
	must(t, catalog.DropTable(id, true))
	wantError(t, catalog.DropTable(id, false), paimon.ErrTableNotExist, "a.t")
	must(t, catalog.DropDatabase("a", false, true))
	must(t, catalog.DropDatabase("a", true, false))
	wantError(t, catalog.DropDatabase("a", false, false), paimon.ErrDatabaseNotExist)
	if _, err := os.Stat(filepath.Join(warehouse, "a.db")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the dropped database's folder: %v", err)
	}
}

// What is missing is told apart, and named.
func TestMissing(t *testing.T) {
	checkLeaks(t)
	nowhere := openCatalog(t, filepath.Join(t.TempDir(), "nowhere"))
	_, err := nowhere.GetTable(paimon.NewIdentifier("db", "t"))
	wantError(t, err, paimon.ErrDatabaseNotExist, "get table db.t", "there is no database 'db' in the warehouse /")

	catalog, _ := newTable(t, people, nil)
	_, err = catalog.GetTable(paimon.NewIdentifier("db", "none"))
	wantError(t, err, paimon.ErrTableNotExist, "get table db.none: table does not exist: db.none is not in the warehouse /")
	wantError(t, err, paimon.CodeNotFound)
	wantError(t, err, fs.ErrNotExist)
	if errors.Is(err, paimon.ErrDatabaseNotExist) {
		t.Error("a missing table is a missing database")
	}
	_, err = catalog.GetTable(paimon.NewIdentifier("none", "t"))
	wantError(t, err, paimon.ErrDatabaseNotExist, "none")
	_, err = catalog.ListTables("none")
	wantError(t, err, paimon.ErrDatabaseNotExist, "none")
	schema, err := paimon.SchemaFromArrow(people)
	must(t, err)
	wantError(t, catalog.CreateTable(paimon.NewIdentifier("none", "t"), schema, false), paimon.ErrDatabaseNotExist)
}

func TestBadCatalogOptions(t *testing.T) {
	checkLeaks(t)
	tests := []struct {
		options map[string]string
		words   []string
	}{
		{nil, []string{"the option 'warehouse' is missing"}},
		{map[string]string{"warehous": t.TempDir()}, []string{`the option 'warehouse' is missing (got "warehous")`}},
		{map[string]string{"warehouse": ""}, []string{"the option 'warehouse' is empty"}},
		{map[string]string{"warehouse": t.TempDir(), "metastore": "hive"}, []string{"hive", "filesystem", "rest"}},
		{map[string]string{"warehouse": "ftp://host/path"}, []string{"ftp"}},
		{map[string]string{"warehouse": "x", "ware\x00house": "x"}, []string{"NUL"}},
		{map[string]string{"warehouse": "x\x00y"}, []string{"NUL", "warehouse"}},
	}
	for _, test := range tests {
		_, err := paimon.NewCatalog(test.options)
		var e *paimon.Error
		if !errors.As(err, &e) || e.Op() != "open catalog" {
			t.Errorf("%v: got %v", test.options, err)
			continue
		}
		for _, word := range test.words {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%v: %q does not say %q", test.options, err, word)
			}
		}
	}
}

// A secret is in no error, whether it is given as it should be or not.
func TestSecretsStaySecret(t *testing.T) {
	checkLeaks(t)
	for _, secret := range []string{"hush", "hu%sh-hush", "hush hush", "hush@hush"} {
		_, err := paimon.NewCatalog(map[string]string{"warehouse": "s3://user:" + secret + "@bucket/path"})
		wantError(t, err, paimon.CodeInvalidInput, "s3.secret-key")
		if strings.Contains(err.Error(), "hush") {
			t.Errorf("got %v", err)
		}
	}
	for key, value := range map[string]string{
		"s3.endpoint": "http://u:hush@127.0.0.1:1", "fs.oss.endpoint": "u:hush@h", "uri": "ftp://u:hush@h", "dlf.oss-endpoint": "hush@h",
		"azure.endpoint": "http://127.0.0.1:1/?hush", "hdfs.name-node": "hdfs://u:hush@h",
	} {
		options := map[string]string{"warehouse": "s3://bucket/path", key: value}
		_, err := paimon.NewCatalog(options)
		wantError(t, err, paimon.CodeInvalidInput, key)
		_, blobErr := paimon.NewBlobReader(options)
		wantError(t, blobErr, paimon.CodeInvalidInput, key)
		if strings.Contains(err.Error()+blobErr.Error(), "hush") {
			t.Errorf("got %v, %v", err, blobErr)
		}
	}
	// A user, a container or a folder is no secret.
	for _, warehouse := range []string{"hdfs://me@host:9000/w", "hdfs://host:9000/home/me@here/w", "s3://bucket/a:b@c", "memory:/a@b"} {
		catalog, err := paimon.NewCatalog(map[string]string{"warehouse": warehouse})
		if err != nil && strings.Contains(err.Error(), "password") {
			t.Errorf("%s: %v", warehouse, err)
		}
		catalog.Close()
	}
	catalog, err := paimon.NewCatalog(map[string]string{
		"warehouse": "s3://bucket/path", "s3.endpoint": "http://127.0.0.1:1", "s3.region": "x", "s3.access-key": "hush", "s3.secret-key": "hush",
	})
	must(t, err)
	defer catalog.Close()
	if _, err := catalog.ListDatabases(); err == nil || strings.Contains(err.Error(), "hush") {
		t.Errorf("got %v", err)
	}
}

// A relative warehouse lies in the working directory.
func TestRelativeWarehouse(t *testing.T) {
	checkLeaks(t)
	t.Chdir(t.TempDir())
	catalog := openCatalog(t, "house")
	must(t, catalog.CreateDatabase("db", nil, false))
	if _, err := os.Stat(filepath.Join("house", "db.db")); err != nil {
		t.Error(err)
	}
}

// Every name with a NUL inside is refused before it crosses, and names that lead out of the warehouse by the engine.
func TestBadNames(t *testing.T) {
	checkLeaks(t)
	catalog, table := newTable(t, people, nil)
	schema, err := paimon.SchemaFromArrow(people)
	must(t, err)
	for _, bad := range []string{"a\x00b", "", "..", "../x", "a/b", `a\b`} {
		database, object := paimon.NewIdentifier(bad, "t"), paimon.NewIdentifier("db", bad)
		calls := map[string]func() error{
			"CreateDatabase": func() error { return catalog.CreateDatabase(bad, nil, false) },
			"DropDatabase":   func() error { return catalog.DropDatabase(bad, false, true) },
			"ListTables":     func() error { return ignore(catalog.ListTables(bad)) },
			"GetTable/db":    func() error { return drop(catalog.GetTable(database)) },
			"GetTable":       func() error { return drop(catalog.GetTable(object)) },
			"CreateTable/db": func() error { return catalog.CreateTable(database, schema, false) },
			"CreateTable":    func() error { return catalog.CreateTable(object, schema, false) },
			"DropTable/db":   func() error { return catalog.DropTable(database, false) },
			"DropTable":      func() error { return catalog.DropTable(object, false) },
			"CommitUser":     func() error { return drop(table.NewWriteBuilderWithCommitUser(bad)) },
		}
		for name, call := range calls {
			if err := call(); !errors.Is(err, paimon.CodeInvalidInput) {
				t.Errorf("%s of %q: %v", name, bad, err)
			}
		}
	}
	for _, bad := range []string{"t$snapshots", "t$branch_b"} {
		wantError(t, catalog.CreateTable(paimon.NewIdentifier("db", bad), schema, false), paimon.CodeInvalidInput, "$")
	}
	wantError(t, catalog.CreateDatabase("x", map[string]string{"k\x00": "v"}, false), paimon.CodeInvalidInput, "NUL")
	wantError(t, catalog.CreateTable(paimon.NewIdentifier("db", "nil"), nil, false), paimon.CodeInvalidInput, "nil")
	withNUL := *schema
	withNUL.Comment = "a\x00b"
	must(t, catalog.CreateTable(paimon.NewIdentifier("db", "comment"), &withNUL, false)) // JSON escapes it
	databases, err := catalog.ListDatabases()
	must(t, err)
	if !slices.Equal(databases, []string{"db"}) {
		t.Errorf("databases %q", databases)
	}
}

func TestBadSchemas(t *testing.T) {
	checkLeaks(t)
	catalog, _ := newTable(t, people, nil)
	tests := []struct {
		what   string
		change func(*paimon.Schema)
		words  []string
	}{
		{"no columns", func(s *paimon.Schema) { s.Fields = nil }, []string{"columns"}},
		{"unknown key", func(s *paimon.Schema) { s.PrimaryKeys = []string{"no"} }, []string{"no"}},
		{"unknown partition", func(s *paimon.Schema) { s.PartitionKeys = []string{"no"} }, []string{"no"}},
		{"bad bucket", func(s *paimon.Schema) { s.Options = map[string]string{"bucket": "many"} }, []string{"bucket", "many"}},
	}
	for _, test := range tests {
		schema, err := paimon.SchemaFromArrow(people)
		must(t, err)
		test.change(schema)
		t.Log(test.what)
		wantError(t, catalog.CreateTable(paimon.NewIdentifier("db", "bad"), schema, false), paimon.CodeInvalidInput, append(test.words, "db.bad")...)
	}
	tables, err := catalog.ListTables("db")
	must(t, err)
	if !slices.Equal(tables, []string{"t"}) {
		t.Errorf("tables %q", tables)
	}
}

// A schema comes back as it went in.
func TestSchemaRoundTrip(t *testing.T) {
	allocator := checkLeaks(t)
	columns := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64},
		{Name: "day", Type: arrow.BinaryTypes.String},
		{Name: "price", Type: &arrow.Decimal128Type{Precision: 20, Scale: 4}, Nullable: true},
		{Name: "at", Type: &arrow.TimestampType{Unit: arrow.Microsecond}, Nullable: true},
		{Name: "tags", Type: arrow.ListOf(arrow.BinaryTypes.String), Nullable: true},
		{Name: "more", Type: arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int32), Nullable: true},
	}, nil)
	_, table := newTable(t, columns, func(s *paimon.Schema) {
		s.PrimaryKeys = []string{"id", "day"}
		s.PartitionKeys = []string{"day"}
		s.Options = map[string]string{"bucket": "2"}
		s.Comment = "what it is"
		s.Fields[2].Description = "in euros"
	})
	if table.Identifier() != paimon.NewIdentifier("db", "t") || !strings.HasSuffix(table.Location(), "/db.db/t") {
		t.Errorf("%v at %s", table.Identifier(), table.Location())
	}
	schema, err := table.Schema()
	must(t, err)
	if !slices.Equal(schema.PrimaryKeys, []string{"id", "day"}) || !slices.Equal(schema.PartitionKeys, []string{"day"}) ||
		schema.Options["bucket"] != "2" || schema.Comment != "what it is" || schema.Fields[2].Description != "in euros" {
		t.Errorf("got %+v", schema)
	}
	accepted, err := table.ArrowSchema()
	must(t, err)
	for i, field := range columns.Fields() {
		if got := accepted.Field(i); got.Name != field.Name || got.Nullable != field.Nullable {
			t.Errorf("field %d: got %v, want %v", i, got, field)
		}
	}

	// Reads return exactly that schema.
	b := array.NewRecordBuilder(allocator, accepted)
	defer b.Release()
	must(t, b.UnmarshalJSON([]byte(`{"id":1,"day":"mon","price":"1.5","at":"2024-02-29T12:00:00","tags":["a"],"more":[{"key":"k","value":1}]}`)))
	row := b.NewRecordBatch()
	defer row.Release()
	j := newJob(t, table, "", false)
	must(t, j.write.WriteArrowBatch(row))
	must(t, j.commit.Commit(j.prepare(t, allocator)))
	batch, err := newReader(t, table).NextRecord()
	must(t, err)
	defer batch.Release()
	if !batch.Schema().Equal(accepted) {
		t.Errorf("read %v, want %v", batch.Schema(), accepted)
	}
	if !array.RecordEqual(batch, row) {
		t.Errorf("read %v, want %v", batch, row)
	}
}

// A warehouse that is a file is refused, however it is named; one that is not there yet is not.
func TestWarehouseThatIsAFile(t *testing.T) {
	checkLeaks(t)
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	must(t, os.WriteFile(file, nil, 0o600))
	for _, warehouse := range []string{file, file + "/", "file:" + file, "file://" + file} {
		_, err := paimon.NewCatalog(map[string]string{"warehouse": warehouse})
		wantError(t, err, paimon.CodeInvalidInput, "is not a folder", file)
	}
	for _, warehouse := range []string{folder, "file://" + folder, filepath.Join(folder, "new")} {
		openCatalog(t, warehouse)
	}
}
