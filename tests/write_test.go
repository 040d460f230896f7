// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"

	paimon "github.com/apache/paimon-rust/bindings/go"
)

// Rows go into tables that another engine wrote, and come back with what was there: appended to the one without a key, merged into
// the one with a primary key.
func TestWriteCommitReadRoundTrip(t *testing.T) {
	tests := []struct {
		table string
		want  []string
	}{
		{"simple_log_table", []string{"1 alice", "2 bob", "2 robert", "3 carol", "4 (null)"}},
		{"simple_pk_table", []string{"1 alice", "2 robert", "3 carol", "4 (null)"}},
	}
	for _, test := range tests {
		t.Run(test.table, func(t *testing.T) {
			allocator := checkLeaks(t)
			_, table := foreignTable(t, test.table)
			wantRows(t, table, "1 alice", "2 bob", "3 carol")
			before, err := table.LatestSnapshot()
			must(t, err)

			appendRows(t, table, allocator, person{2, "robert"}, person{4, ""})

			wantRows(t, table, test.want...)
			after := wantSnapshot(t, table, before.ID+1)
			if after.CommitKind != paimon.CommitKindAppend || after.CommitIdentifier != math.MaxInt64 {
				t.Errorf("committed as %s %d", after.CommitKind, after.CommitIdentifier)
			}
		})
	}
}

// An overwrite replaces what is there; the mode is the builder's when write and commit are made, and a commit takes messages of its
// own mode only.
func TestWriteOverwriteUsesBuilderMode(t *testing.T) {
	for _, name := range []string{"simple_log_table", "simple_pk_table"} {
		t.Run(name, func(t *testing.T) {
			allocator := checkLeaks(t)
			_, table := foreignTable(t, name)
			j := newJob(t, table, "mode", false)
			appended := j.prepare(t, allocator, person{8, "append"})

			must(t, j.builder.WithOverwrite())
			over := newJob(t, table, "mode", true)
			wantError(t, over.commit.Commit(appended), paimon.CodeInvalidInput, "append", "overwrite", "default."+name)
			replaced := over.prepare(t, allocator, person{9, "only"})
			// The commit was made before WithOverwrite, so it still appends.
			wantError(t, j.commit.Commit(replaced), paimon.CodeInvalidInput, "append", "overwrite")
			wantRows(t, table, "1 alice", "2 bob", "3 carol")

			must(t, over.commit.Commit(replaced))
			wantRows(t, table, "9 only")
			snapshot, err := table.LatestSnapshot()
			must(t, err)
			if snapshot.CommitKind != paimon.CommitKindOverwrite {
				t.Errorf("committed as %s", snapshot.CommitKind)
			}
			must(t, j.commit.Commit(appended))
			wantRows(t, table, "8 append", "9 only")
		})
	}
}

// An overwrite that is tried again under its identifier does nothing, so it cannot destroy what came after it.
func TestOverwriteRetrySameIdentifierIsIdempotent(t *testing.T) {
	for _, name := range []string{"simple_log_table", "simple_pk_table"} {
		t.Run(name, func(t *testing.T) {
			allocator := checkLeaks(t)
			_, table := foreignTable(t, name)
			first, err := table.LatestSnapshot()
			must(t, err)
			j := newJob(t, table, "retry", true)
			messages := j.prepare(t, allocator, person{9, "over"})
			must(t, j.commit.CommitWithIdentifier(messages, 7))
			appendRows(t, table, allocator, person{10, "later"})

			must(t, j.commit.CommitWithIdentifier(messages, 7))
			must(t, j.commit.FilterAndCommitWithIdentifier(messages, 7))
			wantRows(t, table, "10 later", "9 over")
			wantSnapshot(t, table, first.ID+2)

			// Nor does a retry that comes from a new process, with files of its own.
			again := newJob(t, table, "retry", true)
			must(t, again.commit.CommitWithIdentifier(again.prepare(t, allocator, person{9, "over"}), 7))
			wantRows(t, table, "10 later", "9 over")
			wantSnapshot(t, table, first.ID+2)

			// A truncate under a committed identifier is filtered as well; under the next one it works, once.
			must(t, j.commit.TruncateTableWithIdentifier(7))
			wantSnapshot(t, table, first.ID+2)
			must(t, j.commit.TruncateTableWithIdentifier(8))
			must(t, j.commit.TruncateTableWithIdentifier(8))
			wantSnapshot(t, table, first.ID+3)
			wantRows(t, table)
		})
	}
}

// The messages of several writes become one commit, and committing that again under its identifier does nothing.
func TestAppendOnlyWriteMergeAndIdempotentCommit(t *testing.T) {
	allocator := checkLeaks(t)
	_, table := foreignTable(t, "simple_log_table")
	first, err := table.LatestSnapshot()
	must(t, err)
	j := newJob(t, table, "merge", false)
	second, err := j.builder.NewWrite()
	must(t, err)
	defer second.Close()

	messages := j.prepare(t, allocator, person{4, "dave"})
	batch := record(allocator, person{5, "eve"})
	must(t, second.WriteArrowBatch(batch))
	batch.Release()
	source, err := second.PrepareCommit()
	must(t, err)
	must(t, messages.Merge(source))
	wantError(t, messages.Merge(source), paimon.CodeInvalidInput, "in the target already")
	source.Close() // what was merged is a copy

	must(t, j.commit.FilterAndCommitWithIdentifier(messages, 1))
	must(t, j.commit.FilterAndCommitWithIdentifier(messages, 1))
	again := newJob(t, table, "merge", false)
	must(t, again.commit.FilterAndCommitWithIdentifier(again.prepare(t, allocator, person{4, "dave"}, person{5, "eve"}), 1))
	wantSnapshot(t, table, first.ID+1)
	wantRows(t, table, "1 alice", "2 bob", "3 carol", "4 dave", "5 eve")
}

func TestPartitionOverwrite(t *testing.T) {
	allocator := checkLeaks(t)
	_, table := newTable(t, people, func(s *paimon.Schema) { s.PartitionKeys = []string{"name"} })
	appendRows(t, table, allocator, person{1, "a"}, person{2, "a"}, person{3, "b"})
	j := newJob(t, table, "", true)
	must(t, j.commit.Commit(j.prepare(t, allocator, person{9, "a"}, person{10, "c"})))
	wantRows(t, table, "10 c", "3 b", "9 a")
	// An overwrite without rows touches no partition.
	must(t, j.commit.Commit(j.prepare(t, allocator)))
	wantRows(t, table, "10 c", "3 b", "9 a")
}

// Identifiers: which repeat a commit, which are filtered, and by whom.
func TestCommitIdentifiers(t *testing.T) {
	allocator := checkLeaks(t)
	_, table := newTable(t, people, nil)
	j := newJob(t, table, "one", false)
	for i, id := range []int64{0, 5, math.MaxInt64 - 1} {
		must(t, j.commit.FilterAndCommitWithIdentifier(j.prepare(t, allocator, person{int32(id % 100), "x"}), id))
		wantSnapshot(t, table, int64(i+1))
	}
	// The same and a smaller identifier are filtered, without a trace.
	must(t, j.commit.FilterAndCommitWithIdentifier(j.prepare(t, allocator, person{90, "again"}), 5))
	must(t, j.commit.FilterAndCommitWithIdentifier(j.prepare(t, allocator, person{91, "smaller"}), 4))
	wantSnapshot(t, table, 3)
	// A commit without an identifier takes the largest: after it, this user's identifiers are all of the past.
	must(t, j.commit.Commit(j.prepare(t, allocator, person{92, "one-shot"})))
	wantSnapshot(t, table, 4)
	must(t, j.commit.FilterAndCommitWithIdentifier(j.prepare(t, allocator, person{93, "too late"}), math.MaxInt64))
	wantSnapshot(t, table, 4)
	// Another user's identifiers are its own.
	other := newJob(t, table, "two", false)
	must(t, other.commit.FilterAndCommitWithIdentifier(other.prepare(t, allocator, person{6, "other"}), 5))
	wantSnapshot(t, table, 5)
	// Messages without files commit nothing.
	must(t, other.commit.Commit(other.prepare(t, allocator)))
	wantSnapshot(t, table, 5)
	// The same files cannot be in a table twice.
	twice := other.prepare(t, allocator, person{7, "twice"})
	must(t, other.commit.CommitWithIdentifier(twice, 6))
	wantError(t, other.commit.CommitWithIdentifier(twice, 7), paimon.CodeInvalidInput)
	wantSnapshot(t, table, 6)
}

func TestAbort(t *testing.T) {
	allocator := checkLeaks(t)
	_, table := newTable(t, people, nil)
	j := newJob(t, table, "", false)
	given := j.prepare(t, allocator, person{1, "given up"})
	if len(dataFiles(t, table)) != 1 {
		t.Fatalf("files: %v", dataFiles(t, table))
	}
	must(t, j.commit.Abort(given))
	must(t, j.commit.Abort(given))
	if files := dataFiles(t, table); files != nil {
		t.Errorf("files left by an abort: %v", files)
	}
	wantError(t, j.commit.Commit(given), paimon.CodeInvalidInput, "aborted")
	wantSnapshot(t, table, 0)

	// After a commit the files are the table's.
	kept := j.prepare(t, allocator, person{2, "kept"})
	must(t, j.commit.Commit(kept))
	wantError(t, j.commit.Abort(kept), paimon.CodeInvalidInput, "kept")
	copied := j.prepare(t, allocator)
	must(t, copied.Merge(kept))
	wantError(t, j.commit.Abort(copied), paimon.CodeInvalidInput, "kept")
	wantRows(t, table, "2 kept")
}

// Closing a write drops what it did not prepare.
func TestCloseDropsUnprepared(t *testing.T) {
	allocator := checkLeaks(t)
	_, table := newTable(t, people, func(s *paimon.Schema) { s.Options = map[string]string{"target-file-size": "1b"} })
	j := newJob(t, table, "", false)
	for range 3 {
		batch := record(allocator, person{1, "lost"})
		must(t, j.write.WriteArrowBatch(batch))
		batch.Release()
	}
	j.write.Close()
	if files := dataFiles(t, table); files != nil {
		t.Errorf("files left by a closed write: %v", files)
	}
	wantSnapshot(t, table, 0)
}

func TestMessagesOfOthers(t *testing.T) {
	allocator := checkLeaks(t)
	catalog, table := newTable(t, people, nil)
	schema, err := paimon.SchemaFromArrow(people)
	must(t, err)
	elsewhere := paimon.NewIdentifier("db", "other")
	must(t, catalog.CreateTable(elsewhere, schema, false))

	mine := newJob(t, table, "me", false)
	messages := mine.prepare(t, allocator, person{1, "x"})
	strangers := map[string]*job{
		"table":       newJob(t, openTable(t, catalog, elsewhere), "me", false),
		"commit user": newJob(t, table, "you", false),
		"mode":        newJob(t, table, "me", true),
	}
	for what, stranger := range strangers {
		theirs := stranger.prepare(t, allocator, person{2, "y"})
		wantError(t, messages.Merge(theirs), paimon.CodeInvalidInput, what)
		wantError(t, theirs.Merge(messages), paimon.CodeInvalidInput, what)
		for call, err := range map[string]error{
			"Commit":   mine.commit.Commit(theirs),
			"Filter":   mine.commit.FilterAndCommitWithIdentifier(theirs, 1),
			"With":     mine.commit.CommitWithIdentifier(theirs, 1),
			"Abort":    mine.commit.Abort(theirs),
			"Backward": stranger.commit.Commit(messages),
		} {
			t.Log(what, call)
			wantError(t, err, paimon.CodeInvalidInput, what)
		}
	}
	wantError(t, messages.Merge(messages), paimon.CodeInvalidInput)
	wantError(t, messages.Merge(nil), paimon.ErrClosed)
	wantError(t, mine.commit.Commit(nil), paimon.ErrClosed)
	closed := mine.prepare(t, allocator)
	closed.Close()
	wantError(t, messages.Merge(closed), paimon.ErrClosed)
	wantError(t, mine.commit.Abort(closed), paimon.ErrClosed)
	wantSnapshot(t, table, 0)

	// Messages outlive their write, their builder and their table.
	must(t, mine.commit.Commit(messages))
	wantRows(t, table, "1 x")
}

// A record that does not fit is refused whole, by column, and the write goes on.
func TestRefusedRecords(t *testing.T) {
	allocator := checkLeaks(t)
	_, table := newTable(t, people, primaryKey)
	j := newJob(t, table, "", false)
	of := func(fields ...arrow.Field) *arrow.Schema { return arrow.NewSchema(fields, nil) }
	id, name := people.Field(0), people.Field(1)
	nullableID := id
	nullableID.Nullable = true
	tests := []struct {
		what   string
		schema *arrow.Schema
		fill   func(*array.RecordBuilder)
		words  []string
	}{
		{"fewer columns", of(id), nil, []string{"name"}},
		{"other name", of(id, arrow.Field{Name: "nom", Type: name.Type, Nullable: true}), nil, []string{"name"}},
		{"other type", of(id, arrow.Field{Name: "name", Type: arrow.PrimitiveTypes.Int64, Nullable: true}), nil, []string{"name", "Int64"}},
		{"a number for text", of(id, arrow.Field{Name: "name", Type: arrow.PrimitiveTypes.Float64, Nullable: true}), nil, []string{"name", "STRING", "Float64", "cast"}},
		{"a null", of(nullableID, name), func(b *array.RecordBuilder) {
			b.Field(0).AppendNull()
			b.Field(1).AppendNull()
		}, []string{"id"}},
		{"a column too many", of(id, name, arrow.Field{Name: "age", Type: arrow.PrimitiveTypes.Int32}), nil, []string{"age"}},
		{"a NUL in a name", of(id, arrow.Field{Name: "na\x00me", Type: name.Type, Nullable: true}), nil, []string{"NUL"}},
	}
	for _, test := range tests {
		b := array.NewRecordBuilder(allocator, test.schema)
		if test.fill != nil {
			test.fill(b)
		} else {
			for i, field := range test.schema.Fields() {
				must(t, b.Field(i).AppendValueFromString(map[bool]string{true: "x", false: "1"}[field.Type.ID() == arrow.STRING]))
			}
		}
		bad := b.NewRecordBatch()
		b.Release()
		t.Log(test.what)
		err := j.write.WriteArrowBatch(bad)
		wantError(t, err, paimon.CodeInvalidInput, append(test.words, "db.t")...)
		t.Log(err)
		bad.Release()
	}
	wantError(t, j.write.WriteArrowBatch(nil), paimon.CodeInvalidInput, "nil")
	released := record(allocator, person{5, "released"})
	released.Release()
	wantError(t, j.write.WriteArrowBatch(released), paimon.CodeInvalidInput)

	must(t, j.commit.Commit(j.prepare(t, allocator, person{1, "good"})))
	wantRows(t, table, "1 good")
}

// Records without rows, and slices of records, whatever their offsets.
func TestEmptyAndSlicedRecords(t *testing.T) {
	allocator := checkLeaks(t)
	columns := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int32},
		{Name: "s", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "b", Type: arrow.BinaryTypes.Binary, Nullable: true},
		{Name: "ok", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
		{Name: "l", Type: arrow.ListOf(arrow.BinaryTypes.String), Nullable: true},
		{Name: "m", Type: arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int32), Nullable: true},
		{Name: "r", Type: arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int32, Nullable: true}), Nullable: true},
		{Name: "d", Type: &arrow.Decimal128Type{Precision: 10, Scale: 2}, Nullable: true},
	}, nil)
	_, table := newTable(t, columns, nil)
	accepted, err := table.ArrowSchema()
	must(t, err)
	b := array.NewRecordBuilder(allocator, accepted)
	defer b.Release()
	none := b.NewRecordBatch()
	defer none.Release()
	whole, _, err := array.RecordFromJSON(allocator, accepted, strings.NewReader(`{"id":0,"s":"zero","b":"AA==","ok":true,"l":["a","b"],"m":[{"key":"k","value":1}],"r":{"x":1},"d":"0.01"}
		{"id":1}
		{"id":2,"s":"","b":"","ok":false,"l":[],"m":[],"r":{},"d":"-1.00"}
		{"id":3,"s":"three","b":"AQI=","ok":true,"l":["c",null],"m":[{"key":"x","value":null},{"key":"y","value":2}],"r":{"x":3},"d":"99999999.99"}`), array.WithMultipleDocs())
	must(t, err)
	defer whole.Release()

	j := newJob(t, table, "", false)
	for _, empty := range []arrow.RecordBatch{none, whole.NewSlice(0, 0), whole.NewSlice(2, 2), whole.NewSlice(4, 4)} {
		must(t, j.write.WriteArrowBatch(empty))
		if empty != none {
			empty.Release()
		}
	}
	must(t, j.commit.Commit(j.prepare(t, allocator)))
	wantSnapshot(t, table, 0) // nothing to commit

	// Rows whose lists are all empty or null, so that the arrays inside have no values at all.
	bare := array.NewRecordBuilder(allocator, accepted)
	defer bare.Release()
	for i, field := range bare.Fields() {
		if i == 0 {
			field.(*array.Int32Builder).Append(9)
		} else {
			field.AppendEmptyValue()
		}
	}
	empty := bare.NewRecordBatch()
	must(t, j.write.WriteArrowBatch(empty))
	must(t, j.commit.Commit(j.prepare(t, allocator)))
	wantRows(t, table, `9   false [] [] {"x":0} 0`)
	empty.Release()
	_, table = newTable(t, columns, nil)
	j = newJob(t, table, "", false)

	for i := range whole.NumRows() {
		slice := whole.NewSlice(i, i+1)
		must(t, j.write.WriteArrowBatch(slice))
		slice.Release()
	}
	middle := whole.NewSlice(1, 3)
	must(t, j.write.WriteArrowBatch(middle))
	middle.Release()
	must(t, j.commit.Commit(j.prepare(t, allocator)))
	var want []string
	for _, i := range []int{0, 1, 1, 2, 2, 3} {
		row := ""
		for k, column := range whole.Columns() {
			if k > 0 {
				row += " "
			}
			row += column.ValueStr(i)
		}
		want = append(want, row)
	}
	slices.Sort(want)
	wantRows(t, table, want...)
}

// What the writer's record is built from may change as soon as the call returns.
func TestRecordIsCopied(t *testing.T) {
	checkLeaks(t)
	_, table := newTable(t, people, primaryKey)
	ids := []int32{1, 2, 3}
	j := newJob(t, table, "", false)
	data := array.NewInt32Data(array.NewData(arrow.PrimitiveTypes.Int32, 3, bufferOf(ids), nil, 0, 0))
	names := array.MakeArrayOfNull(goMemory, arrow.BinaryTypes.String, 3)
	batch := array.NewRecordBatch(people, []arrow.Array{data, names}, 3)
	must(t, j.write.WriteArrowBatch(batch))
	batch.Release()
	data.Release()
	names.Release()
	for i := range ids {
		ids[i] = -1
	}
	messages, err := j.write.PrepareCommit()
	must(t, err)
	defer messages.Close()
	must(t, j.commit.Commit(messages))
	wantRows(t, table, "1 (null)", "2 (null)", "3 (null)")
}

// Row kinds: deletes delete, kinds that there are not are refused, and so is a mix that the engine would misread.
func TestValueKinds(t *testing.T) {
	allocator := checkLeaks(t)
	_, table := newTable(t, people, primaryKey)
	withKinds := arrow.NewSchema(append(people.Fields(), arrow.Field{Name: "_VALUE_KIND", Type: arrow.PrimitiveTypes.Int8, Nullable: true}), nil)
	kinds := func(id int32, kind string) arrow.RecordBatch {
		b := array.NewRecordBuilder(allocator, withKinds)
		defer b.Release()
		must(t, b.UnmarshalJSON([]byte(fmt.Sprintf(`{"id":%d,"name":"k","_VALUE_KIND":%s}`, id, kind))))
		return b.NewRecordBatch()
	}
	j := newJob(t, table, "", false)
	write := func(batch arrow.RecordBatch) error {
		defer batch.Release()
		return j.write.WriteArrowBatch(batch)
	}
	must(t, j.commit.Commit(j.prepare(t, allocator, person{1, "one"}, person{2, "two"})))

	must(t, write(kinds(1, "3")))
	for _, bad := range []string{"4", "-1", "null"} {
		wantError(t, write(kinds(3, bad)), paimon.CodeInvalidInput, "_VALUE_KIND", bad)
	}
	wantError(t, write(record(allocator, person{4, "plain"})), paimon.CodeInvalidInput, "_VALUE_KIND", "mixed")
	must(t, write(kinds(5, "0")))
	must(t, j.commit.Commit(j.prepare(t, allocator)))
	wantRows(t, table, "2 two", "5 k")

	must(t, write(record(allocator, person{4, "plain"})))
	wantError(t, write(kinds(4, "3")), paimon.CodeInvalidInput, "mixed")
	must(t, j.commit.Commit(j.prepare(t, allocator)))
	wantRows(t, table, "2 two", "4 plain", "5 k")

	// A table without a key has no kinds.
	_, log := newTable(t, people, nil)
	j = newJob(t, log, "", false)
	wantError(t, write(kinds(1, "0")), paimon.CodeInvalidInput, "_VALUE_KIND")
}

// Values that would be changed on their way into a file are refused, at any depth.
func TestValuesOutOfRange(t *testing.T) {
	allocator := checkLeaks(t)
	decimal := &arrow.Decimal128Type{Precision: 5, Scale: 2}
	columns := arrow.NewSchema([]arrow.Field{
		{Name: "d", Type: decimal, Nullable: true},
		{Name: "l", Type: arrow.ListOf(decimal), Nullable: true},
		{Name: "t", Type: &arrow.TimestampType{Unit: arrow.Second}, Nullable: true},
	}, nil)
	_, table := newTable(t, columns, nil)
	accepted, err := table.ArrowSchema()
	must(t, err)
	j := newJob(t, table, "", false)
	tests := map[string]func(*array.RecordBuilder){
		"d": func(b *array.RecordBuilder) {
			b.Field(0).(*array.Decimal128Builder).Append(decimal128.New(1<<20, 7))
			b.Field(1).AppendNull()
			b.Field(2).AppendNull()
		},
		"l": func(b *array.RecordBuilder) {
			b.Field(0).AppendNull()
			b.Field(1).(*array.ListBuilder).Append(true)
			b.Field(1).(*array.ListBuilder).ValueBuilder().(*array.Decimal128Builder).Append(decimal128.FromI64(100000))
			b.Field(2).AppendNull()
		},
		"t": func(b *array.RecordBuilder) {
			b.Field(0).AppendNull()
			b.Field(1).AppendNull()
			b.Field(2).(*array.TimestampBuilder).Append(math.MaxInt64/1000 + 1)
		},
	}
	for column, fill := range tests {
		b := array.NewRecordBuilder(allocator, accepted)
		fill(b)
		batch := b.NewRecordBatch()
		b.Release()
		wantError(t, j.write.WriteArrowBatch(batch), paimon.CodeInvalidInput, "'"+column, "row 0")
		batch.Release()
	}
}

// Slices of rows in rows, buffers that lie at odd addresses, null counts that lie: the values arrive all the same.
func TestOddMemory(t *testing.T) {
	allocator := checkLeaks(t)
	inner := arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int32, Nullable: true}, arrow.Field{Name: "s", Type: arrow.BinaryTypes.String, Nullable: true})
	outer := arrow.StructOf(arrow.Field{Name: "in", Type: inner, Nullable: true}, arrow.Field{Name: "l", Type: arrow.ListOf(inner), Nullable: true})
	columns := arrow.NewSchema([]arrow.Field{{Name: "c", Type: outer, Nullable: true}}, nil)
	_, nested := newTable(t, columns, nil)
	accepted, err := nested.ArrowSchema()
	must(t, err)
	whole, _, err := array.RecordFromJSON(allocator, accepted, strings.NewReader(`{"c":{"in":{"x":1,"s":"a"},"l":[{"x":11,"s":"aa"}]}}
		{"c":{"in":null,"l":[]}}
		{"c":{"in":{"x":3,"s":"c"},"l":[{"x":31,"s":"ca"},null,{"x":33,"s":"cc"}]}}
		{"c":null}
		{"c":{"in":{"x":5,"s":"e"},"l":null}}`), array.WithMultipleDocs())
	must(t, err)
	defer whole.Release()
	j := newJob(t, nested, "", false)
	var want []string
	for from := range whole.NumRows() {
		for to := from + 1; to <= whole.NumRows(); to++ {
			slice := whole.NewSlice(from, to)
			must(t, j.write.WriteArrowBatch(slice))
			for i := range int(slice.NumRows()) {
				want = append(want, slice.Column(0).ValueStr(i))
			}
			slice.Release()
		}
	}
	must(t, j.commit.Commit(j.prepare(t, allocator)))
	slices.Sort(want)
	wantRows(t, nested, want...)

	_, table := newTable(t, people, nil)
	j = newJob(t, table, "", false)
	shifted := func(raw []byte) *memory.Buffer { return memory.NewBufferBytes(append([]byte{0}, raw...)[1:]) }
	ids := array.NewInt32Data(array.NewData(people.Field(0).Type, 2, []*memory.Buffer{nil, shifted(arrow.Int32Traits.CastToBytes([]int32{1, 2}))}, nil, 0, 0))
	validity := memory.NewBufferBytes([]byte{0b01})
	names := array.NewStringData(array.NewData(people.Field(1).Type, 2,
		[]*memory.Buffer{validity, shifted(arrow.Int32Traits.CastToBytes([]int32{0, 3, 4})), shifted([]byte("odd!"))}, nil, 0, 0)) // says it has no nulls
	must(t, j.write.WriteArrowBatch(array.NewRecordBatch(people, []arrow.Array{ids, names}, 2)))
	must(t, j.commit.Commit(j.prepare(t, allocator)))
	wantRows(t, table, "1 odd", "2 (null)")

	// Offsets below zero are not addresses.
	backward := array.NewStringData(array.NewData(people.Field(1).Type, 1, []*memory.Buffer{nil, bufferOf([]int32{0, -1})[1], memory.NewBufferBytes([]byte("ab"))}, nil, 0, 0))
	one := array.NewInt32Data(array.NewData(people.Field(0).Type, 1, bufferOf([]int32{1}), nil, 0, 0))
	wantError(t, j.write.WriteArrowBatch(array.NewRecordBatch(people, []arrow.Array{one, backward}, 1)), paimon.CodeInvalidInput, "name")
}

// Types that are nested too deep are refused where they come in.
func TestDeepTypes(t *testing.T) {
	checkLeaks(t)
	deep := arrow.DataType(arrow.PrimitiveTypes.Int32)
	for range 500 {
		deep = arrow.ListOf(deep)
	}
	columns := arrow.NewSchema([]arrow.Field{{Name: "deep", Type: deep, Nullable: true}}, nil)
	_, err := paimon.SchemaFromArrow(columns)
	wantError(t, err, paimon.CodeInvalidInput, "deep", "nested")

	_, table := newTable(t, people, nil)
	j := newJob(t, table, "", false)
	b := array.NewRecordBuilder(goMemory, columns)
	defer b.Release()
	b.Field(0).AppendNull()
	wantError(t, j.write.WriteArrowBatch(b.NewRecordBatch()), paimon.CodeInvalidInput, "deep", "nested")
}
