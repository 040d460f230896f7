// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	paimon "github.com/apache/paimon-rust/bindings/go"
)

// contents reads a folder: each path in it, and what is there.
func contents(t testing.TB, folder string) map[string]string {
	t.Helper()
	found := map[string]string{}
	must(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.Type().IsRegular():
			content, err := os.ReadFile(path)
			found[path] = string(content)
			return err
		default:
			found[path] = entry.Type().String()
			return nil
		}
	}))
	return found
}

// A fence is a folder that holds a warehouse, and beside it what must stay as it is: files, a folder like a database with a table, and
// another warehouse.
type fence struct {
	folder, warehouse, outside string
	before                     map[string]string
}

func newFence(t testing.TB) *fence {
	t.Helper()
	f := &fence{folder: t.TempDir()}
	f.warehouse, f.outside = filepath.Join(f.folder, "in", "warehouse"), filepath.Join(f.folder, "outside")
	must(t, os.MkdirAll(f.warehouse, 0o777))
	const table = "default.db/simple_log_table"
	must(t, os.CopyFS(filepath.Join(f.outside, table), os.DirFS(filepath.Join("testdata/warehouse", table))))
	must(t, os.CopyFS(filepath.Join(f.folder, "in", table), os.DirFS(filepath.Join("testdata/warehouse", table))))
	must(t, os.WriteFile(filepath.Join(f.outside, "file"), []byte("precious"), 0o666))
	must(t, os.WriteFile(filepath.Join(f.folder, "file"), []byte("precious"), 0o666))
	f.before = f.around(t)
	return f
}

// around is what there is outside of the warehouse.
func (f *fence) around(t testing.TB) map[string]string {
	t.Helper()
	found := contents(t, f.folder)
	maps.DeleteFunc(found, func(path, _ string) bool { return path == f.warehouse || strings.HasPrefix(path, f.warehouse+"/") })
	return found
}

func (f *fence) check(t testing.TB, after string) {
	t.Helper()
	now := f.around(t)
	for path, content := range f.before {
		if now[path] != content {
			t.Errorf("%s: %s is gone or changed", after, path)
		}
	}
	for path := range now {
		if _, ok := f.before[path]; !ok {
			t.Errorf("%s: %s is new", after, path)
		}
	}
	f.before = now // to be told once
}

// tricks are names that lead elsewhere where they are taken for paths.
func (f *fence) tricks() []string {
	names := []string{
		"", " ", ".", "..", "...", "../outside", "../../outside", "../default", "../in/default", "a/../../outside", "./x", "x/", "/", "//", "~",
		"%2e%2e", "%2e%2e%2foutside", "..%2foutside", "%2F", "%00", `..\outside`, `\\host\share`, "C:", "a\x00b", "a\nb", "a\rb", "\u2024\u2024",
		"\uff0e\uff0e\uff0foutside", "\u2025", "\u202e..", "a\u0000", "\xff", "db.db", "db", "x.db", "file:", "file:///outside", "s3://b", "$", "$$", "t$branch_..",
		"t$branch_../../outside", "t$branch_a$b", "$branch_x", "t$snapshots", "t$snapshots$branch_x", "*", "?", "a?b=c", "#", "{}", "-rf", "CON",
		"..;/x", "${HOME}", "snapshot", "schema", "manifest", "branch", "tag", "bucket-0", f.outside, f.outside + "/default", "file:" + f.outside,
		strings.Repeat("../", 40) + "outside", strings.Repeat("x", 255), strings.Repeat("x", 5000), strings.Repeat("\u00e9", 200),
	}
	return names
}

// Whatever the names of databases, tables, tags and branches are, nothing outside of the warehouse is touched.
func TestNamesStayInTheWarehouse(t *testing.T) {
	allocator := checkLeaks(t)
	f := newFence(t)
	catalog := openCatalog(t, f.warehouse)
	must(t, catalog.CreateDatabase("db", nil, false))
	schema, err := paimon.SchemaFromArrow(people)
	must(t, err)
	good := paimon.NewIdentifier("db", "good")
	must(t, catalog.CreateTable(good, schema, false))
	table := openTable(t, catalog, good)
	appendRows(t, table, allocator, person{1, "a"})
	must(t, catalog.CreateTag(good, "tag", nil, false))
	taken := 0
	for _, name := range f.tricks() {
		steps := []struct {
			what string
			do   func() error
		}{
			{"create database", func() error { return catalog.CreateDatabase(name, nil, false) }},
			{"list tables", func() error { _, err := catalog.ListTables(name); return err }},
			{"create table in it", func() error { return catalog.CreateTable(paimon.NewIdentifier(name, "t"), schema, true) }},
			{"rename into it", func() error { return catalog.RenameTable(good, paimon.NewIdentifier(name, "moved"), true) }},
			{"rename back", func() error { return catalog.RenameTable(paimon.NewIdentifier(name, "moved"), good, true) }},
			{"drop table in it", func() error { return catalog.DropTable(paimon.NewIdentifier(name, "simple_log_table"), true) }},
			{"drop database", func() error { return catalog.DropDatabase(name, true, true) }},
			{"create database again", func() error { return catalog.CreateDatabase("db", nil, true) }},
			{"create the table again", func() error { return catalog.CreateTable(good, schema, true) }},
			{"create table", func() error { return catalog.CreateTable(paimon.NewIdentifier("db", name), schema, false) }},
			{"write table", func() error {
				return writeTo(catalog, paimon.NewIdentifier("db", name), record(allocator, person{2, "b"}))
			}},
			{"alter table", func() error {
				return catalog.AlterTable(paimon.NewIdentifier("db", name), []paimon.SchemaChange{paimon.SetOption("k", name)}, false)
			}},
			{"tag table", func() error { return catalog.CreateTag(paimon.NewIdentifier("db", name), "tag", nil, false) }},
			{"rename table", func() error {
				return catalog.RenameTable(paimon.NewIdentifier("db", name), paimon.NewIdentifier("db", "u"), false)
			}},
			{"rename to it", func() error {
				return catalog.RenameTable(paimon.NewIdentifier("db", "u"), paimon.NewIdentifier("db", name), false)
			}},
			{"drop table", func() error { return catalog.DropTable(paimon.NewIdentifier("db", name), false) }},
			{"create tag", func() error { return catalog.CreateTag(good, name, nil, false) }},
			{"get tag", func() error { _, err := catalog.GetTag(good, name); return err }},
			{"read tag", func() error { return readWith(catalog, good, map[string]string{"scan.tag-name": name}) }},
			{"read version", func() error { return readWith(catalog, good, map[string]string{"scan.version": name}) }},
			{"delete tag", func() error { return catalog.DeleteTag(good, name, true) }},
			{"create branch", func() error { return catalog.CreateBranch(good, name, "") }},
			{"create branch from a tag", func() error { return catalog.CreateBranch(good, name, "tag") }},
			{"branch from it", func() error { return catalog.CreateBranch(good, "b", name) }},
			{"write branch", func() error {
				return writeTo(catalog, paimon.NewIdentifier("db", "good$branch_"+name), record(allocator, person{2, "b"}))
			}},
			{"tag branch", func() error {
				return catalog.CreateTag(paimon.NewIdentifier("db", "good$branch_"+name), "x", nil, false)
			}},
			{"drop branch", func() error { return catalog.DropBranch(good, name, true) }},
		}
		for _, step := range steps {
			err := step.do()
			var e *paimon.Error
			if err != nil && !errors.As(err, &e) {
				t.Errorf("%s %.60q: %v", step.what, name, err)
			}
			if err == nil {
				taken++
			} else if e.Code() == paimon.CodeUnexpected || strings.Contains(err.Error(), "internal error") {
				t.Errorf("%s %.60q: %v", step.what, name, err)
			}
		}
		f.check(t, fmt.Sprintf("%.60q", name))
	}
	if taken == 0 {
		t.Error("nothing was done")
	}
	must(t, catalog.DropDatabase("db", false, true))
	f.check(t, "drop the rest")
}

// writeTo opens a table and commits a record to it, which it releases.
func writeTo(catalog *paimon.Catalog, id paimon.Identifier, batch arrow.RecordBatch) error {
	defer batch.Release()
	table, err := catalog.GetTable(id)
	if err != nil {
		return err
	}
	defer table.Close()
	return writeRecord(table, batch, (*paimon.TableCommit).Commit)
}

// readWith reads a table with options.
func readWith(catalog *paimon.Catalog, id paimon.Identifier, options map[string]string) error {
	table, err := catalog.GetTable(id)
	if err != nil {
		return err
	}
	defer table.Close()
	builder, err := table.NewReadBuilderWithOptions(options)
	if err != nil {
		return err
	}
	defer builder.Close()
	reader, err := readerOf(builder)
	if err != nil || reader == nil {
		return err
	}
	defer reader.Close()
	for batch, err := range reader.All() {
		if err != nil {
			return err
		}
		batch.Release()
	}
	return nil
}

// The values and names of partition columns become folders, and some options name places: what is written stays in the table's folder,
// save for data-file.external-paths, which is for other places.
func TestPlacesStayInTheTable(t *testing.T) {
	allocator := checkLeaks(t)
	f := newFence(t)
	catalog := openCatalog(t, f.warehouse)
	must(t, catalog.CreateDatabase("db", nil, false))
	n := 0
	try := func(what string, schema *paimon.Schema, values ...string) error {
		n++
		id := paimon.NewIdentifier("db", fmt.Sprintf("t%d", n))
		err := catalog.CreateTable(id, schema, false)
		if err == nil {
			columns := make([]arrow.Field, len(values))
			arrays := make([]arrow.Array, len(values))
			for i, value := range values {
				b := array.NewStringBuilder(allocator)
				b.Append(value)
				arrays[i], columns[i] = b.NewArray(), arrow.Field{Name: schema.Fields[i].Name, Type: arrow.BinaryTypes.String, Nullable: true}
				b.Release()
				defer arrays[i].Release()
			}
			err = errors.Join(writeTo(catalog, id, array.NewRecordBatch(arrow.NewSchema(columns, nil), arrays, 1)), readWith(catalog, id, nil))
			f.check(t, what)
			must(t, catalog.DropTable(id, false))
		}
		if err != nil && strings.Contains(err.Error(), "internal error") {
			t.Errorf("%s: %v", what, err)
		}
		f.check(t, what)
		return err
	}
	of := func(names ...string) *paimon.Schema {
		schema := &paimon.Schema{}
		for _, name := range names {
			schema.Fields = append(schema.Fields, paimon.DataField{Name: name, Type: paimon.StringType()})
		}
		return schema
	}
	up := "../../../../outside"
	for _, place := range []string{"..", "../..", up, strings.Repeat("../", 12) + f.outside[1:], f.outside, "file:" + f.outside, "%2e%2e", `..\x`, "x/../" + up} {
		values := of("a", "p")
		values.PartitionKeys = []string{"p"}
		if err := try("value "+place, values, "x", place); err != nil {
			t.Errorf("value %s: %v", place, err)
		}
		columns := of("a", place)
		columns.PartitionKeys = []string{place}
		if err := try("column "+place, columns, "x", "y"); err != nil {
			t.Errorf("column %s: %v", place, err)
		}
	}
	for key, refusal := range map[string]error{
		"path": paimon.CodeUnsupported, "branch": paimon.CodeUnsupported, "file.format": paimon.CodeUnsupported,
		"data-file.path-directory": paimon.CodeInvalidInput, "data-file.prefix": paimon.CodeInvalidInput,
		"changelog-file.prefix": paimon.CodeInvalidInput, "partition.default-name": nil, "index-file-in-data-file-dir": nil,
		"global-index.external-path": nil, "object-location": nil,
	} {
		for _, place := range []string{up, f.outside, "file://" + f.outside, "x/../" + up} {
			schema := of("a", "p")
			schema.Options = map[string]string{key: place}
			if err := try(key+" = "+place, schema, "x", "y"); err == nil || refusal == nil {
				if err != nil || refusal != nil {
					t.Errorf("%s = %s: %v", key, place, err)
				}
			} else {
				wantError(t, err, refusal, key)
			}
		}
	}
	schema := of("a")
	schema.Options = map[string]string{"data-file.path-directory": "some/where"}
	if err := try("a folder within", schema, "x"); err != nil {
		t.Error(err)
	}
	must(t, catalog.CreateTable(paimon.NewIdentifier("db", "t"), of("a"), false))
	for _, key := range []string{"data-file.path-directory", "data-file.prefix"} {
		change := []paimon.SchemaChange{paimon.SetOption(key, up)}
		wantError(t, catalog.AlterTable(paimon.NewIdentifier("db", "t"), change, false), paimon.CodeInvalidInput, key, up)
	}
}

// Links inside a warehouse are followed, since a warehouse may be put together of them; but what deletes does not delete through them.
func TestLinksInTheWarehouse(t *testing.T) {
	checkLeaks(t)
	f := newFence(t)
	catalog := openCatalog(t, f.warehouse)
	must(t, catalog.CreateDatabase("db", nil, false))
	must(t, os.Symlink(filepath.Join(f.outside, "default.db"), filepath.Join(f.warehouse, "linked.db")))
	must(t, os.Symlink(filepath.Join(f.outside, "default.db", "simple_log_table"), filepath.Join(f.warehouse, "db.db", "linked")))
	for _, id := range []paimon.Identifier{paimon.NewIdentifier("db", "linked"), paimon.NewIdentifier("linked", "simple_log_table")} {
		if rows, err := tryTable(catalog, id); err != nil || len(rows) != 3 {
			t.Errorf("%s: %q, %v", id, rows, err)
		}
	}
	must(t, catalog.DropTable(paimon.NewIdentifier("db", "linked"), false))
	f.check(t, "drop a table that is a link")
	must(t, catalog.DropDatabase("linked", false, true))
	f.check(t, "drop a database that is a link")
}

// Behind a REST server names are parts of addresses: what is asked for is what was named, or nothing.
func TestNamesStayInTheirAddress(t *testing.T) {
	checkLeaks(t)
	var mu sync.Mutex
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/config" {
			warehouseServer(w, r)
			return
		}
		mu.Lock()
		asked = append(asked, r.URL.EscapedPath())
		mu.Unlock()
		http.NotFound(w, r)
	}))
	t.Cleanup(server.Close)
	catalog, err := paimon.NewCatalog(catalogAt("REST", server.URL))
	must(t, err)
	t.Cleanup(catalog.Close)
	f := &fence{outside: "/outside"}
	for _, name := range f.tricks() {
		mu.Lock()
		asked = nil
		mu.Unlock()
		_, _ = catalog.ListTables(name)
		_ = catalog.DropDatabase(name, false, true)
		_, _ = catalog.GetTable(paimon.NewIdentifier("db", name))
		_ = catalog.DropTable(paimon.NewIdentifier("db", name), false)
		_ = catalog.DropTable(paimon.NewIdentifier(name, "t"), false)
		mu.Lock()
		paths := asked
		mu.Unlock()
		for _, path := range paths {
			parts := strings.Split(path, "/")
			steps := slices.ContainsFunc(parts, func(part string) bool {
				plain, err := url.PathUnescape(part)
				return err != nil || plain == "." || plain == ".." || strings.ContainsAny(plain, "/\\")
			})
			if steps || len(parts) > 6 || parts[1] != "v1" || parts[2] != "databases" {
				t.Errorf("%.60q asks for %s", name, path)
			}
		}
	}
}
