// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	paimon "github.com/apache/paimon-rust/bindings/go"
)

// batchesOf iterates over all batches that a builder gives, each valid for its turn.
func batchesOf(t testing.TB, builder *paimon.ReadBuilder) iter.Seq[arrow.RecordBatch] {
	return func(yield func(arrow.RecordBatch) bool) {
		t.Helper()
		reader, err := readerOf(builder)
		must(t, err)
		if reader == nil {
			return
		}
		defer reader.Close()
		for batch, err := range reader.All() {
			must(t, err)
			more := yield(batch)
			batch.Release()
			if !more {
				return
			}
		}
	}
}

// builderRows reads all rows that a builder gives, as text, and closes it.
func builderRows(t testing.TB, builder *paimon.ReadBuilder) []string {
	t.Helper()
	defer builder.Close()
	var rows []string
	for batch := range batchesOf(t, builder) {
		for row := range int(batch.NumRows()) {
			var values []string
			for _, column := range batch.Columns() {
				values = append(values, strings.Clone(column.ValueStr(row)))
			}
			rows = append(rows, strings.Join(values, " "))
		}
	}
	slices.Sort(rows)
	return rows
}

// travel reads all rows with one option.
func travel(t testing.TB, table *paimon.Table, key, value string) []string {
	t.Helper()
	builder, err := table.NewReadBuilderWithOptions(map[string]string{key: value})
	must(t, err)
	return builderRows(t, builder)
}

// A read of an earlier snapshot has its rows and its schema, whatever became of the table since (case 30).
func TestTimeTravel(t *testing.T) {
	allocator := checkLeaks(t)
	catalog, table := history(t, allocator)
	id, second := table.Identifier(), int64(2)
	must(t, catalog.CreateTag(id, "two", &second, false))
	restamp(t, table, map[int64]int64{1: 1_000_000, 2: 2_000_000, 3: 3_000_000}, map[int64]int64{1: 10, 2: 20, 3: 30})
	must(t, catalog.AlterTable(id, []paimon.SchemaChange{paimon.DropColumn("name")}, false))
	altered := openTable(t, catalog, id)
	wantRows(t, altered, "1", "2", "3")

	two := []string{"1 a", "2 b"}
	local := func(millis int64) string { return time.UnixMilli(millis).Local().Format("2006-01-02 15:04:05") }
	for _, c := range []struct{ key, value string }{
		{"scan.snapshot-id", "2"},
		{"scan.tag-name", "two"},
		{"scan.timestamp-millis", "2000000"},
		{"scan.timestamp-millis", "2999999"},
		{"scan.timestamp", local(2_500_000)},
		{"scan.watermark", "11"},
		{"scan.watermark", "20"},
		{"scan.version", "2"},
		{"scan.version", "two"},
		{"scan.version", "watermark-15"},
	} {
		if rows := travel(t, altered, c.key, c.value); !slices.Equal(rows, two) {
			t.Errorf("%s=%s: got %q, want %q", c.key, c.value, rows, two)
		}
	}
	if rows := travel(t, altered, "scan.timestamp", "1970-01-03"); len(rows) != 3 { // when that day begins
		t.Errorf("a date: got %q", rows)
	}
	builder, err := altered.NewReadBuilderWithOptions(map[string]string{"scan.snapshot-id": "2"})
	must(t, err)
	must(t, builder.WithProjection([]string{"name"}))
	_, err = altered.PredicateBuilder().Eq("name", "b") // which the table has no more
	wantError(t, err, paimon.ErrColumnNotExist, "name")
	wanted, err := builder.PredicateBuilder().Eq("name", "b")
	must(t, err)
	must(t, builder.WithFilter(wanted))
	if rows := builderRows(t, builder); !slices.Equal(rows, []string{"b"}) {
		t.Errorf("got %q", rows)
	}
	_, err = builder.PredicateBuilder().Eq("name", "b")
	wantError(t, err, paimon.ErrClosed)

	for _, c := range []struct {
		key, value string
		kind       error
		words      string
	}{
		{"scan.snapshot-id", "9", paimon.ErrSnapshotNotExist, "1 to 3"},
		{"scan.snapshot-id", "-1", paimon.ErrSnapshotNotExist, "1 to 3"},
		{"scan.snapshot-id", "x", nil, "x"},
		{"scan.snapshot-id", "", nil, "scan.snapshot-id"},
		{"scan.tag-name", "none", paimon.ErrTagNotExist, "none"},
		{"scan.tag-name", "2", paimon.ErrTagNotExist, "2"},
		{"scan.timestamp-millis", "999999", nil, "999999. The table has snapshots"},
		{"scan.timestamp-millis", "x", nil, "scan.timestamp-millis"},
		{"scan.timestamp", "yesterday", nil, "scan.timestamp"},
		{"scan.timestamp", "2024-02-29T12:00:00Z", nil, "scan.timestamp"},
		{"scan.watermark", "31", nil, "31"},
		{"scan.version", "none", nil, "none"},
		{"scan.version", "9", paimon.ErrSnapshotNotExist, "9"},
	} {
		_, err := altered.NewReadBuilderWithOptions(map[string]string{c.key: c.value})
		wantError(t, err, paimon.CodeInvalidInput, c.words, c.key, "db.t")
		if c.kind != nil {
			wantError(t, err, c.kind)
		}
	}
	_, err = altered.NewReadBuilderWithOptions(map[string]string{"scan.snapshot-id": "1", "scan.tag-name": "two"})
	wantError(t, err, paimon.CodeInvalidInput, "scan.snapshot-id", "scan.tag-name", "together")

	// What the engine would overlook is refused.
	for key, value := range map[string]string{
		"incremental-between": "1,2", "scan.mode": "compacted-full", "scan.file-creation-time-millis": "1", "branch": "x", "consumer-id": "c",
	} {
		_, err := altered.NewReadBuilderWithOptions(map[string]string{key: value})
		wantError(t, err, paimon.CodeUnsupported, key)
	}

	// A tag keeps what its snapshot was, when that has expired.
	must(t, os.Remove(filepath.Join(folder(table), "snapshot", "snapshot-2")))
	must(t, os.Remove(filepath.Join(folder(table), "snapshot", "snapshot-1")))
	if rows := travel(t, altered, "scan.tag-name", "two"); !slices.Equal(rows, two) {
		t.Errorf("got %q", rows)
	}
	_, err = altered.NewReadBuilderWithOptions(map[string]string{"scan.snapshot-id": "2"})
	wantError(t, err, paimon.ErrSnapshotNotExist, "3 to 3")
	_, err = altered.NewReadBuilderWithOptions(map[string]string{"scan.timestamp-millis": "2000000"})
	wantError(t, err, paimon.CodeInvalidInput, "2000000")

	_, empty := newTable(t, people, nil)
	_, err = empty.NewReadBuilderWithOptions(map[string]string{"scan.snapshot-id": "1"})
	wantError(t, err, paimon.ErrSnapshotNotExist, "no snapshots")
	// Without an option that travels there is nothing to resolve.
	plain, err := altered.NewReadBuilderWithOptions(nil)
	must(t, err)
	if rows := builderRows(t, plain); !slices.Equal(rows, []string{"1", "2", "3"}) {
		t.Errorf("got %q", rows)
	}
}

// restamp rewrites the times and watermarks of snapshots, so that no test depends on the clock.
func restamp(t testing.TB, table *paimon.Table, times, watermarks map[int64]int64) {
	t.Helper()
	for id, millis := range times {
		path := filepath.Join(folder(table), "snapshot", fmt.Sprintf("snapshot-%d", id))
		raw, err := os.ReadFile(path)
		must(t, err)
		var snapshot map[string]any
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.UseNumber() // a commit's identifier may be the largest there is
		must(t, decoder.Decode(&snapshot))
		snapshot["timeMillis"], snapshot["watermark"] = millis, watermarks[id]
		raw, err = json.Marshal(snapshot)
		must(t, err)
		must(t, os.WriteFile(path, raw, 0o644))
	}
}

// A batch holds at most as many rows as the read asked for (case B13).
func TestBatchSizeOfARead(t *testing.T) {
	allocator := checkLeaks(t)
	_, table := newTable(t, people, nil)
	var rows []person
	for i := range 2500 {
		rows = append(rows, person{int32(i), "x"})
	}
	appendRows(t, table, allocator, rows...)
	for size, want := range map[string]int{"100": 25, "1000": 3, "5000": 1} {
		builder, err := table.NewReadBuilderWithOptions(map[string]string{"read.batch-size": size})
		must(t, err)
		defer builder.Close()
		batches, total := 0, 0
		for batch := range batchesOf(t, builder) {
			batches, total = batches+1, total+int(batch.NumRows())
		}
		if batches != want || total != 2500 {
			t.Errorf("batch size %s: %d rows in %d batches, want %d", size, total, batches, want)
		}
	}
	for _, size := range []string{"0", "-1", "many"} {
		builder, err := table.NewReadBuilderWithOptions(map[string]string{"read.batch-size": size})
		if err == nil {
			_, err = builder.NewRead()
			builder.Close()
		}
		wantError(t, err, paimon.CodeInvalidInput, "read.batch-size")
	}
}

// Unless the table or the read says how large batches are, it depends on how large rows are in the files. A read that merges versions keeps
// to it as well.
func TestBatchSizeUnlessSet(t *testing.T) {
	allocator := checkLeaks(t)
	rows := func(width int) (rows []person) {
		for i := range 10000 {
			rows = append(rows, person{int32(i), fmt.Sprintf("%0*d", width, i)})
		}
		return rows
	}
	wantLargest := func(table *paimon.Table, size string, want int64) {
		t.Helper()
		options := map[string]string{"no.such-option": "5"} // which is ignored
		if size != "" {
			options["read.batch-size"] = size
		}
		builder, err := table.NewReadBuilderWithOptions(options)
		must(t, err)
		defer builder.Close()
		largest := int64(0)
		for batch := range batchesOf(t, builder) {
			largest = max(largest, batch.NumRows())
		}
		if largest != want {
			t.Errorf("batch size %q: the largest batch has %d rows, want %d", size, largest, want)
		}
	}
	_, narrow := newTable(t, people, nil)
	appendRows(t, narrow, allocator, rows(5)...)
	wantLargest(narrow, "", 8192)
	_, wide := newTable(t, people, func(s *paimon.Schema) {
		s.Options = map[string]string{"file.compression": "none", "no.such-option": "1"}
	})
	appendRows(t, wide, allocator, rows(1500)...)
	wantLargest(wide, "", 1024)
	wantLargest(wide, "3000", 3000)

	_, keyed := newTable(t, people, func(s *paimon.Schema) {
		s.PrimaryKeys, s.Options = []string{"id"}, map[string]string{"bucket": "1"}
	})
	appendRows(t, keyed, allocator, rows(5)...)
	wantLargest(keyed, "", 8192)
	appendRows(t, keyed, allocator, rows(6)...)
	wantLargest(keyed, "", 8192)
	wantLargest(keyed, "100", 100)
	wantLargest(keyed, "1", 1)
}

// Where the hint names a snapshot and there is none, something is lost, and nothing is read; and a commit says what is wrong.
func TestLatestHintOfNothing(t *testing.T) {
	allocator := checkLeaks(t)
	_, table := history(t, allocator)
	hint := filepath.Join(folder(table), "snapshot", "LATEST")
	must(t, os.WriteFile(hint, []byte("9"), 0o644))
	j := newJob(t, table, "", false)
	messages := j.prepare(t, allocator, person{4, "d"})
	wantError(t, j.commit.Commit(messages), paimon.ErrSnapshotNotExist, "LATEST", "9", "delete it")
	must(t, os.Remove(hint))
	must(t, j.commit.Commit(messages))
	wantSnapshot(t, table, 4)

	for id := 1; id <= 4; id++ {
		must(t, os.Remove(filepath.Join(folder(table), "snapshot", fmt.Sprintf("snapshot-%d", id))))
	}
	_, err := table.LatestSnapshot()
	wantError(t, err, paimon.ErrSnapshotNotExist, "LATEST")
	builder, err := table.NewReadBuilder()
	must(t, err)
	t.Cleanup(builder.Close)
	scan, err := builder.NewScan()
	must(t, err)
	t.Cleanup(scan.Close)
	_, err = scan.Plan()
	wantError(t, err, paimon.ErrSnapshotNotExist, "LATEST")
}
