// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	paimon "github.com/apache/paimon-rust/bindings/go"
)

// tryTable opens a table and reads it.
func tryTable(catalog *paimon.Catalog, id paimon.Identifier) ([]string, error) {
	table, err := catalog.GetTable(id)
	if err != nil {
		return nil, err
	}
	defer table.Close()
	return tryRows(table)
}

// goldenCopy makes a warehouse with a copy of one table of testdata.
func goldenCopy(t testing.TB, table string) string {
	t.Helper()
	return copyTable(t, filepath.Join("testdata", "warehouse"), table)
}

// overwriteFile gives a file other content, or removes it if that is nil.
func overwriteFile(t testing.TB, file string, content []byte) {
	t.Helper()
	if content == nil {
		must(t, os.Remove(file))
		return
	}
	must(t, os.WriteFile(file, content, 0o666))
}

// damages says what can happen to a file.
var damages = map[string]func([]byte) []byte{
	"truncated": func(b []byte) []byte { return b[:len(b)/2] },
	"empty":     func([]byte) []byte { return []byte{} },
	"garbage":   func(b []byte) []byte { return bytes.Repeat([]byte("garbage!"), len(b)/8+1) },
	"missing":   func([]byte) []byte { return nil },
	"flipped": func(b []byte) []byte {
		b = bytes.Clone(b)
		for i := range 20 {
			b[len(b)/4+i] ^= 0x55
		}
		return b
	},
	"of an unknown type": func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(`"STRING"`), []byte(`"GEOMETRY"`)) },
}

// Whatever file of a table is damaged, and however: an error names the table and the file, the process lives, and once the file is
// as it was the same handle and a new one read what they should.
func TestDamagedFiles(t *testing.T) {
	people := []string{"1 alice", "2 bob", "3 carol"}
	all := []string{"truncated", "empty", "garbage", "missing"}
	tests := []struct {
		what, table, files string
		damages            []string
		rows               []string
	}{
		{"Parquet file", "simple_log_table", "bucket-0/data-*", all, people},
		{"Parquet file with a key", "simple_pk_table", "bucket-0/data-*", all, people},
		{"ORC file", "simple_orc_table", "bucket-0/data-*", append(all, "flipped"), people},
		{"Avro file", "simple_avro_table", "bucket-0/data-*", append(all, "flipped"), people},
		{"manifest list", "simple_log_table", "manifest/manifest-list-*", append(all, "flipped"), people},
		{"manifest", "simple_log_table", "manifest/manifest-[0-9a-f]*", append(all, "flipped"), people},
		{"snapshot", "simple_log_table", "snapshot/snapshot-1", append(all, "flipped"), people},
		{"schema", "simple_log_table", "schema/schema-0", append(all, "of an unknown type"), people},
		{"index manifest", "deletion_vector_table", "manifest/index-manifest-*", all, []string{"1 n1", "3 n3", "4 n4", "5 n5"}},
		{"deletion vectors", "deletion_vector_table", "index/index-*", all, []string{"1 n1", "3 n3", "4 n4", "5 n5"}},
	}
	for _, test := range tests {
		matches, err := filepath.Glob(filepath.Join("testdata", "warehouse", "default.db", test.table, test.files))
		must(t, err)
		matches = slices.DeleteFunc(matches, func(m string) bool { return test.what == "manifest" && strings.Contains(m, "manifest-list") })
		if len(matches) == 0 {
			t.Errorf("%s: no file", test.what)
		}
		for _, match := range matches {
			for _, damage := range test.damages {
				t.Run(test.what+"/"+damage, func(t *testing.T) {
					checkLeaks(t)
					// A copy of its own, since the engine keeps the footers of files it has seen.
					catalog := openCatalog(t, goldenCopy(t, test.table))
					id := paimon.NewIdentifier("default", test.table)
					table := openTable(t, catalog, id)
					file := filepath.Join(folder(table), filepath.Base(filepath.Dir(match)), filepath.Base(match))
					content, err := os.ReadFile(file)
					must(t, err)
					overwriteFile(t, file, damages[damage](content))

					_, opened := tryTable(catalog, id)
					wantDamage(t, test.what, damage, opened, id, file)
					rows, held := tryRows(table)
					if test.what != "schema" {
						wantDamage(t, test.what, damage, held, id, file)
					} else if held != nil || !slices.Equal(rows, test.rows) { // the handle has its schema
						t.Errorf("a handle opened before: %q, %v", rows, held)
					}

					overwriteFile(t, file, content)
					if rows, err := tryRows(table); err != nil || !slices.Equal(rows, test.rows) {
						t.Errorf("the same handle, once mended: %q, %v", rows, err)
					}
					if rows, err := tryTable(catalog, id); err != nil || !slices.Equal(rows, test.rows) {
						t.Errorf("a new handle, once mended: %q, %v", rows, err)
					}
				})
			}
		}
	}
}

// folderOnly has the damages whose error names the folder of the table or bucket and not the file, unnamed those whose error names the
// table alone.
var folderOnly = map[string][]string{
	"snapshot":         {"truncated", "empty", "garbage", "missing", "flipped"},
	"deletion vectors": {"garbage"},
}

var unnamed = map[string][]string{
	"schema": {"missing"}, // no such table
}

func wantDamage(t *testing.T, what, damage string, err error, id paimon.Identifier, file string) {
	t.Helper()
	var e *paimon.Error
	if !errors.As(err, &e) || e.Object() != id.String() {
		t.Errorf("got %v, want an error about %s", err, id)
		return
	}
	name := filepath.Base(file)
	switch {
	case slices.Contains(unnamed[what], damage):
		name = id.String()
	case slices.Contains(folderOnly[what], damage):
		name = filepath.Join(id.Database()+".db", id.Object())
	}
	if !strings.Contains(err.Error(), name) {
		t.Errorf("%q does not say %s", err, name)
	}
}

// The hint files only say where to begin: the latest snapshot is found whatever they say, and what a commit left behind half-written
// is no snapshot.
func TestWrongHints(t *testing.T) {
	allocator := checkLeaks(t)
	catalog, table := newTable(t, people, nil)
	rows := []string{"1 a", "2 b", "3 c", "4 d", "5 e"}
	for i, name := range []string{"a", "b", "c", "d", "e"} {
		appendRows(t, table, allocator, person{int32(i + 1), name})
	}
	snapshots := filepath.Join(folder(table), "snapshot")
	leftOver := filepath.Join(snapshots, "snapshot-6.tmp-3f0c4f0e-6a1c-4f4f-9d0a-0d5e0f1a2b3c")
	must(t, os.WriteFile(leftOver, []byte(`{"version":3,"id":6`), 0o666))
	for _, hint := range []string{"LATEST", "EARLIEST"} {
		for _, content := range []string{"3", "0", "-1", "99", "9223372036854775806", "99999999999999999999", "", "abc", "5\n"} {
			file := filepath.Join(snapshots, hint)
			must(t, os.WriteFile(file, []byte(content), 0o666))
			same, sameErr := tryRows(table)
			other, otherErr := tryTable(catalog, table.Identifier())
			if sameErr != nil || otherErr != nil || !slices.Equal(same, rows) || !slices.Equal(other, rows) {
				t.Errorf("%s = %q: %q, %v; %q, %v", hint, content, same, sameErr, other, otherErr)
			}
			wantSnapshot(t, table, 5)
			must(t, os.Remove(file)) // without it the snapshots are listed
			wantSnapshot(t, table, 5)
			wantRows(t, table, rows...)
		}
	}
	latest := filepath.Join(snapshots, "LATEST")
	must(t, os.WriteFile(latest, []byte("3"), 0o666))
	appendRows(t, table, allocator, person{6, "f"})
	wantSnapshot(t, table, 6)
	wantRows(t, table, append(rows, "6 f")...)
	if content, err := os.ReadFile(latest); err != nil || string(content) != "6" {
		t.Errorf("LATEST is %q, %v", content, err)
	}
	must(t, os.WriteFile(latest, []byte("99"), 0o666)) // it may be that snapshots are lost
	j := newJob(t, table, "", false)
	wantError(t, j.commit.Commit(j.prepare(t, allocator, person{7, "g"})), paimon.ErrSnapshotNotExist, "99", latest)
	wantRows(t, table, append(rows, "6 f")...)
}

// A damaged tag or snapshot of the past is an error for those who ask for it, and for nobody else.
func TestDamagedPast(t *testing.T) {
	allocator := checkLeaks(t)
	catalog, table := newTable(t, people, nil)
	id, first := table.Identifier(), int64(1)
	appendRows(t, table, allocator, person{1, "a"})
	appendRows(t, table, allocator, person{2, "b"})
	must(t, catalog.CreateTag(id, "old", &first, false))
	must(t, catalog.CreateTag(id, "other", &first, false))
	for file, options := range map[string]map[string]string{
		"tag/tag-old":         {"scan.tag-name": "old"},
		"snapshot/snapshot-1": {"scan.snapshot-id": "1"},
	} {
		path := filepath.Join(folder(table), file)
		content, err := os.ReadFile(path)
		must(t, err)
		for _, damage := range []string{"truncated", "empty", "garbage", "missing"} {
			overwriteFile(t, path, damages[damage](content))
			builder, err := table.NewReadBuilderWithOptions(options)
			var e *paimon.Error
			if !errors.As(err, &e) || e.Object() != id.String() {
				t.Errorf("%s %s: %v", file, damage, err)
			}
			builder.Close()
			wantRows(t, table, "1 a", "2 b")
			if rows := travel(t, table, "scan.tag-name", "other"); !slices.Equal(rows, []string{"1 a"}) {
				t.Errorf("%s %s: the other tag has %q", file, damage, rows)
			}
			overwriteFile(t, path, content)
			for key, value := range options {
				if rows := travel(t, table, key, value); !slices.Equal(rows, []string{"1 a"}) {
					t.Errorf("%s, once mended: %q", file, rows)
				}
			}
		}
	}
}

// What is in the way tells itself apart: a missing database, table or file, something that is no folder, a corrupt file.
func TestWhatIsWrong(t *testing.T) {
	const db, table = "default.db", "default.db/simple_log_table"
	tests := []struct {
		what, remove string // below the warehouse
		replace      bool   // with a file that is no folder
		want         error
		not          error
		path         string // in the message
	}{
		{"no warehouse", ".", false, paimon.ErrDatabaseNotExist, paimon.ErrTableNotExist, ""},
		{"no database", db, false, paimon.ErrDatabaseNotExist, paimon.ErrTableNotExist, ""},
		{"no table", table, false, paimon.ErrTableNotExist, paimon.ErrDatabaseNotExist, ""},
		{"no data", table + "/bucket-0", false, paimon.CodeNotFound, paimon.ErrTableNotExist, "bucket-0/data-"},
		{"the database is a file", db, true, paimon.CodeIoError, fs.ErrNotExist, table},
		{"the table is a file", table, true, paimon.CodeIoError, fs.ErrNotExist, table},
		{"the schemas are a file", table + "/schema", true, paimon.CodeIoError, fs.ErrNotExist, "schema/schema-0"},
		{"the manifests are a file", table + "/manifest", true, paimon.CodeIoError, fs.ErrNotExist, "manifest/manifest-list-"},
		{"the bucket is a file", table + "/bucket-0", true, paimon.CodeIoError, fs.ErrNotExist, "bucket-0/data-"},
		{"the schema is corrupt", table + "/schema/schema-0", true, paimon.CodeIoError, fs.ErrNotExist, table + "/schema/schema-0"},
	}
	for _, test := range tests {
		t.Run(test.what, func(t *testing.T) {
			checkLeaks(t)
			warehouse := goldenCopy(t, "simple_log_table")
			broken := filepath.Join(warehouse, test.remove)
			must(t, os.RemoveAll(broken))
			if test.replace {
				must(t, os.WriteFile(broken, []byte("no folder"), 0o666))
			}
			id := paimon.NewIdentifier("default", "simple_log_table")
			_, err := tryTable(openCatalog(t, warehouse), id)
			wantError(t, err, test.want, id.String(), test.path)
			var e *paimon.Error
			if !errors.As(err, &e) || e.Object() != id.String() || errors.Is(err, test.not) || errors.Is(err, paimon.ErrClosed) {
				t.Errorf("got %#v", err)
			}
		})
	}
}

// Every file of every golden table and of one with blobs, and of a tag and a branch, in every way damaged: what needs the file says where
// the damage is or gives what it should, the process lives, and once the file is mended all is as it was. A short test damages each file in
// one way.
func TestDamageSweep(t *testing.T) {
	allocator := checkLeaks(t)
	s := &sweep{}
	tables, err := filepath.Glob(filepath.Join("testdata", "warehouse", "default.db", "*"))
	must(t, err)
	for _, table := range append(tables, filepath.Join("testdata", "types", "default.db", "types_parquet")) {
		source := filepath.Dir(filepath.Dir(table))
		s.table(t, copyTable(t, source, filepath.Base(table)), paimon.NewIdentifier("default", filepath.Base(table)))
	}
	blobs := newBlobTable(t, "", allocator, []byte("one"), []byte("another"), nil)
	s.table(t, filepath.Dir(filepath.Dir(folder(blobs))), blobs.Identifier())
	t.Logf("%d cases; %d reads in which nothing tells", s.cases, s.silent)
}

type sweep struct{ files, cases, silent int }

func (s *sweep) table(t *testing.T, warehouse string, id paimon.Identifier) {
	place := filepath.Join(warehouse, id.Database()+".db", id.Object())
	whole := openCatalog(t, warehouse)
	must(t, whole.CreateTag(id, "tagged", nil, false))
	must(t, whole.CreateBranch(id, "side", "tagged"))
	want := map[paimon.Identifier][]string{}
	for _, suffix := range []string{"", "$branch_side", "$snapshots", "$schemas", "$files", "$tags"} {
		read := paimon.NewIdentifier(id.Database(), id.Object()+suffix)
		rows, err := tryTable(whole, read)
		must(t, err)
		want[read] = rows
	}
	for file, content := range contents(t, place) {
		if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() {
			continue
		}
		s.files++
		ways := []string{"truncated", "empty", "garbage", "missing", "flipped"}
		if testing.Short() {
			ways = ways[s.files%len(ways):][:1]
		}
		for _, damage := range ways {
			if damage == "flipped" && len(content) < 60 {
				continue
			}
			s.cases++
			what := strings.TrimPrefix(file, place) + " " + damage
			check := func(read paimon.Identifier, rows []string, err error) {
				var e *paimon.Error
				// In these formats nothing tells; or the snapshot before is the latest; or what is not there is not listed.
				mute := damage == "flipped" || damage == "missing" && (strings.Contains(file, "/snapshot/snapshot-") || strings.Contains(read.Object(), "$"))
				switch {
				case err == nil && slices.Equal(rows, want[read]):
				case err == nil && mute:
					s.silent++
				case err == nil:
					t.Errorf("%s: %s gives %.200q, want %.200q", what, read, rows, want[read])
				case !errors.As(err, &e) || e.Object() != read.String():
					t.Errorf("%s: got %v, want an error about %s", what, err, read)
				case !strings.Contains(err.Error(), place[1:]) && !errors.Is(err, paimon.ErrTableNotExist) && !errors.Is(err, paimon.ErrBranchNotExist):
					t.Errorf("%s: %q does not say where", what, err)
				}
			}
			// A catalog of its own, since the engine keeps what it has seen.
			catalog, err := paimon.NewCatalog(map[string]string{"warehouse": warehouse})
			must(t, err)
			before, err := catalog.GetTable(id)
			must(t, err)
			overwriteFile(t, file, damages[damage]([]byte(content)))
			for read := range want {
				rows, err := tryTable(catalog, read)
				check(read, rows, err)
			}
			rows, err := tryRows(before)
			check(id, rows, err)
			overwriteFile(t, file, []byte(content))
			if rows, err := tryRows(before); err != nil || !slices.Equal(rows, want[id]) {
				t.Errorf("%s: the same handle, once mended: %.200q, %v", what, rows, err)
			}
			if rows, err := tryTable(catalog, id); err != nil || !slices.Equal(rows, want[id]) {
				t.Errorf("%s: a new handle, once mended: %.200q, %v", what, rows, err)
			}
			before.Close()
			catalog.Close()
		}
	}
}
