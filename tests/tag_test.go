// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/memory"

	paimon "github.com/apache/paimon-rust/bindings/go"
)

// history makes a table with three snapshots of one row each.
func history(t testing.TB, allocator memory.Allocator) (*paimon.Catalog, *paimon.Table) {
	t.Helper()
	catalog, table := newTable(t, people, nil)
	for i, name := range []string{"a", "b", "c"} {
		appendRows(t, table, allocator, person{int32(i + 1), name})
	}
	return catalog, table
}

// branchOf names a branch, or a system table, of a table.
func branchOf(table *paimon.Table, suffix string) paimon.Identifier {
	id := table.Identifier()
	return paimon.NewIdentifier(id.Database(), id.Object()+"$"+suffix)
}

// folder is where a local table lies.
func folder(table *paimon.Table) string { return strings.TrimPrefix(table.Location(), "file:") }

func TestTags(t *testing.T) {
	allocator := checkLeaks(t)
	catalog, table := history(t, allocator)
	id, second := table.Identifier(), int64(2)

	must(t, catalog.CreateTag(id, "latest", nil, false))
	must(t, catalog.CreateTag(id, "second", &second, false))
	must(t, catalog.CreateTagWithRetention(id, "kept", &second, 36*time.Hour, false))
	wantError(t, catalog.CreateTag(id, "second", nil, false), paimon.ErrTagAlreadyExist, "db.t", "second")
	must(t, catalog.CreateTag(id, "second", nil, true))
	wantError(t, catalog.CreateTagWithRetention(id, "x", nil, 0, false), paimon.CodeInvalidInput, "retention")
	missing := int64(9)
	wantError(t, catalog.CreateTag(id, "x", &missing, false), paimon.ErrSnapshotNotExist, "9")
	for _, name := range []string{"", " ", "a/b", "a\nb", `a\b`} {
		wantError(t, catalog.CreateTag(id, name, nil, false), paimon.CodeInvalidInput)
	}

	tags, err := catalog.ListTags(id)
	must(t, err)
	var names []string
	for _, tag := range tags {
		names = append(names, tag.Name+" "+strconv.FormatInt(tag.Snapshot.ID, 10))
	}
	if !slices.Equal(names, []string{"kept 2", "latest 3", "second 2"}) {
		t.Errorf("got tags %q", names)
	}
	kept, err := catalog.GetTag(id, "kept")
	must(t, err)
	if kept.TimeRetained == nil || *kept.TimeRetained != "PT36H" {
		t.Errorf("got retention %v", kept.TimeRetained)
	}
	if kept.CreateTimeMillis == nil || time.Since(time.UnixMilli(*kept.CreateTimeMillis)).Abs() > time.Hour {
		t.Errorf("got create time %v", kept.CreateTimeMillis)
	}
	if tag, err := catalog.GetTag(id, "second"); err != nil || tag.TimeRetained != nil || tag.CreateTimeMillis != nil || tag.Snapshot.CommitKind != paimon.CommitKindAppend {
		t.Errorf("got %+v, %v", tag, err)
	}
	_, err = catalog.GetTag(id, "none")
	wantError(t, err, paimon.ErrTagNotExist, "none")

	must(t, catalog.DeleteTag(id, "second", false))
	wantError(t, catalog.DeleteTag(id, "second", false), paimon.ErrTagNotExist, "second")
	must(t, catalog.DeleteTag(id, "second", true))

	// A tag outlives its snapshot, and then is not ours to delete.
	must(t, os.Remove(filepath.Join(folder(table), "snapshot", "snapshot-2")))
	if tag, err := catalog.GetTag(id, "kept"); err != nil || tag.Snapshot.ID != 2 {
		t.Errorf("got %+v, %v", tag, err)
	}
	wantError(t, catalog.DeleteTag(id, "kept", false), paimon.CodeUnsupported, "expired")
	if _, err := catalog.GetTag(id, "kept"); err != nil {
		t.Error(err)
	}

	none := paimon.NewIdentifier("db", "none")
	wantError(t, catalog.CreateTag(none, "x", nil, false), paimon.ErrTableNotExist, "db.none")
	_, err = catalog.ListTags(none)
	wantError(t, err, paimon.ErrTableNotExist, "db.none")
	_, empty := newTable(t, people, nil)
	wantError(t, openCatalog(t, filepath.Dir(filepath.Dir(folder(empty)))).CreateTag(empty.Identifier(), "x", nil, false), paimon.ErrSnapshotNotExist, "no snapshot")
}

func TestSnapshots(t *testing.T) {
	allocator := checkLeaks(t)
	_, table := history(t, allocator)
	snapshots, err := table.ListSnapshots()
	must(t, err)
	if len(snapshots) != 3 || snapshots[0].ID != 1 || snapshots[2].ID != 3 || *snapshots[2].TotalRecordCount != 3 {
		t.Errorf("got %+v", snapshots)
	}
	if s, err := table.Snapshot(2); err != nil || s.ID != 2 || *s.DeltaRecordCount != 1 {
		t.Errorf("got %+v, %v", s, err)
	}
	must(t, os.Remove(filepath.Join(folder(table), "snapshot", "snapshot-1")))
	_, err = table.Snapshot(1)
	wantError(t, err, paimon.ErrSnapshotNotExist, "2 to 3")
	_, empty := newTable(t, people, nil)
	if snapshots, err := empty.ListSnapshots(); err != nil || len(snapshots) != 0 {
		t.Errorf("got %v, %v", snapshots, err)
	}
	_, err = empty.Snapshot(1)
	wantError(t, err, paimon.ErrSnapshotNotExist, "no snapshots")
}

func TestBranches(t *testing.T) {
	allocator := checkLeaks(t)
	catalog, table := history(t, allocator)
	id, second := table.Identifier(), int64(2)
	must(t, catalog.CreateTag(id, "tag", &second, false))
	must(t, catalog.CreateBranch(id, "b", "tag"))
	must(t, catalog.CreateBranch(id, "empty", ""))
	wantError(t, catalog.CreateBranch(id, "b", ""), paimon.ErrBranchAlreadyExist, "db.t", "b")
	wantError(t, catalog.CreateBranch(id, "x", "none"), paimon.ErrTagNotExist, "none")
	third := int64(3)
	must(t, catalog.CreateTag(id, "expired", &third, false))
	file := filepath.Join(folder(table), "snapshot", "snapshot-3")
	content, err := os.ReadFile(file)
	must(t, err)
	must(t, os.Remove(file))
	wantError(t, catalog.CreateBranch(id, "x", "expired"), paimon.ErrSnapshotNotExist, "3", "expired")
	must(t, os.WriteFile(file, content, 0o644))
	must(t, catalog.DeleteTag(id, "expired", false))
	wantError(t, catalog.CreateBranch(id, "main", ""), paimon.CodeInvalidInput, "main")
	wantError(t, catalog.CreateBranch(id, "12", ""), paimon.CodeInvalidInput, "12")

	branches, err := catalog.ListBranches(id)
	must(t, err)
	if len(branches) != 2 || branches[0].Name != "b" || branches[0].Snapshot.ID != 2 || branches[1].Name != "empty" || branches[1].Snapshot != nil {
		t.Errorf("got %+v", branches)
	}

	// A branch is read and written on its own.
	b := openTable(t, catalog, branchOf(table, "branch_b"))
	wantRows(t, b, "1 a", "2 b")
	appendRows(t, b, allocator, person{9, "z"})
	wantRows(t, b, "1 a", "2 b", "9 z")
	wantSnapshot(t, b, 3)
	wantRows(t, table, "1 a", "2 b", "3 c")
	empty := openTable(t, catalog, branchOf(table, "branch_empty"))
	wantRows(t, empty)
	appendRows(t, empty, allocator, person{7, "e"})
	wantRows(t, empty, "7 e")
	wantRows(t, openTable(t, catalog, branchOf(table, "branch_main")), "1 a", "2 b", "3 c")
	wantRows(t, table, "1 a", "2 b", "3 c")

	// It has tags of its own, beside those it was made from.
	must(t, catalog.CreateTag(b.Identifier(), "mine", nil, false))
	must(t, catalog.CreateTagWithRetention(b.Identifier(), "kept", &second, 90*time.Second, false))
	tags, err := catalog.ListTags(b.Identifier())
	must(t, err)
	if len(tags) != 3 || tags[0].Name != "kept" || *tags[0].TimeRetained != "PT1M30S" || tags[1].Name != "mine" || tags[1].Snapshot.ID != 3 || tags[2].Name != "tag" {
		t.Errorf("got %+v", tags)
	}
	if created := tags[0].CreateTimeMillis; created == nil || time.Since(time.UnixMilli(*created)).Abs() > time.Hour {
		t.Errorf("got create time %v", created)
	}
	if main, err := catalog.ListTags(id); err != nil || len(main) != 1 {
		t.Errorf("got %v, %v", main, err)
	}
	must(t, catalog.DeleteTag(b.Identifier(), "mine", false))
	wantError(t, catalog.DeleteTag(b.Identifier(), "mine", false), paimon.ErrTagNotExist, "mine")

	// Splits of a branch are not those of its table.
	reader, err := b.NewReadBuilder()
	must(t, err)
	t.Cleanup(reader.Close)
	scan, err := reader.NewScan()
	must(t, err)
	t.Cleanup(scan.Close)
	plan, err := scan.Plan()
	must(t, err)
	t.Cleanup(plan.Close)
	other, err := table.NewReadBuilder()
	must(t, err)
	t.Cleanup(other.Close)
	read, err := other.NewRead()
	must(t, err)
	t.Cleanup(read.Close)
	_, err = read.NewRecordBatchReader(plan.Splits())
	wantError(t, err, paimon.CodeInvalidInput, "branch")

	_, err = catalog.GetTable(branchOf(table, "branch_none"))
	wantError(t, err, paimon.ErrBranchNotExist, "none", "db.t$branch_none")
	wantError(t, catalog.DropBranch(id, "none", false), paimon.ErrBranchNotExist, "none")
	must(t, catalog.DropBranch(id, "none", true))
	must(t, catalog.DropBranch(id, "b", false))
	_, err = catalog.GetTable(branchOf(table, "branch_b"))
	wantError(t, err, paimon.ErrBranchNotExist, "b")
	wantRows(t, table, "1 a", "2 b", "3 c")
	wantError(t, catalog.CreateBranch(branchOf(table, "branch_empty"), "c", ""), paimon.CodeUnsupported, "branch")
}

func TestSystemTables(t *testing.T) {
	allocator := checkLeaks(t)
	catalog, table := newTable(t, people, func(schema *paimon.Schema) {
		schema.PrimaryKeys = []string{"id", "name"}
		schema.PartitionKeys = []string{"name"}
		schema.Options = map[string]string{"bucket": "1"}
		schema.Comment = "hello"
		schema.Fields[1].Type = schema.Fields[1].Type.NotNull()
	})
	id := table.Identifier()
	appendRows(t, table, allocator, person{1, "a/b=c"}, person{2, "x"}, person{3, "x"})
	appendRows(t, table, allocator, person{4, "x"})
	must(t, catalog.CreateTag(id, "tag", nil, false))
	must(t, catalog.CreateBranch(id, "b", "tag"))

	open := func(suffix string) *paimon.Table { return openTable(t, catalog, branchOf(table, suffix)) }
	read := func(suffix string, columns ...string) []string { return readRows(t, open(suffix), columns...) }
	for _, c := range []struct {
		name    string
		columns []string
		want    []string
	}{
		{"snapshots", []string{"snapshot_id", "schema_id", "commit_kind", "total_record_count", "delta_record_count"}, []string{"1 0 APPEND 3 3", "2 0 APPEND 4 1"}},
		{"SNAPSHOTS", []string{"snapshot_id"}, []string{"1", "2"}},
		{"branch_b$snapshots", []string{"snapshot_id"}, []string{"2"}},
		{"schemas", []string{"schema_id", "partition_keys", "primary_keys", "options", "comment"}, []string{`0 ["name"] ["id","name"] {"bucket":"1"} hello`}},
		{"options", nil, []string{"bucket 1"}},
		{"tags", []string{"tag_name", "snapshot_id", "record_count", "time_retained"}, []string{"tag 2 4 (null)"}},
		{"branches", []string{"branch_name"}, []string{"b"}},
		{"branch_b$tags", []string{"tag_name"}, []string{"tag"}},
		{"partitions", []string{"partition", "record_count", "file_count"}, []string{"name=a/b=c 1 1", "name=x 3 2"}},
		{"buckets", []string{"partition", "bucket", "record_count", "file_count"}, []string{"{a/b=c} 0 1 1", "{x} 0 3 2"}},
		{"files", []string{"partition", "bucket", "file_format", "schema_id", "level", "record_count", "file_source"}, []string{"{a/b=c} 0 parquet 0 0 1 APPEND", "{x} 0 parquet 0 0 1 APPEND", "{x} 0 parquet 0 0 2 APPEND"}},
	} {
		if got := read(c.name, c.columns...); !slices.Equal(got, c.want) {
			t.Errorf("$%s: got %q, want %q", c.name, got, c.want)
		}
	}
	for _, path := range read("files", "file_path") {
		if _, err := os.Stat(strings.TrimPrefix(path, "file:")); err != nil {
			t.Error(err)
		}
	}

	// It speaks of the moment of its read builder, and of its table.
	files := open("files")
	if files.Location() != table.Location() {
		t.Errorf("got location %s", files.Location())
	}
	wantSnapshot(t, files, 2)
	before := len(readRows(t, files))
	appendRows(t, table, allocator, person{5, "x"})
	if after := len(readRows(t, files)); before != 3 || after != 4 {
		t.Errorf("got %d files, then %d", before, after)
	}

	_, err := files.NewWriteBuilder()
	wantError(t, err, paimon.CodeUnsupported, "read only", "$files")
	_, err = files.NewReadBuilderWithOptions(map[string]string{"scan.snapshot-id": "1"})
	wantError(t, err, paimon.CodeUnsupported, "scan.snapshot-id")
	wantError(t, catalog.CreateTag(files.Identifier(), "x", nil, false), paimon.CodeUnsupported, "system table")
	_, err = catalog.GetTable(branchOf(table, "nonsense"))
	wantError(t, err, paimon.CodeUnsupported, "nonsense", "snapshots")
	_, err = catalog.GetTable(paimon.NewIdentifier("db", "none$snapshots"))
	wantError(t, err, paimon.ErrTableNotExist, "none")
	_, empty := newTable(t, people, nil)
	other := openCatalog(t, filepath.Dir(filepath.Dir(folder(empty))))
	for _, name := range []string{"branches", "buckets", "files", "partitions", "snapshots", "tags"} {
		if rows := readRows(t, openTable(t, other, branchOf(empty, name))); len(rows) != 0 {
			t.Errorf("$%s of an empty table has %q", name, rows)
		}
	}
}
