// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	paimon "github.com/apache/paimon-rust/bindings/go"
)

// postpone makes people a table whose rows wait for their buckets.
func postpone(schema *paimon.Schema) {
	schema.PrimaryKeys = []string{"id"}
	schema.Options = map[string]string{"bucket": "-2"}
}

// bucketPlan is a plan for a table without partitions.
func bucketPlan(allocator memory.Allocator, buckets int32) arrow.RecordBatch {
	b := array.NewRecordBuilder(allocator, arrow.NewSchema([]arrow.Field{{Name: "total_buckets", Type: arrow.PrimitiveTypes.Int32}}, nil))
	defer b.Release()
	b.Field(0).(*array.Int32Builder).Append(buckets)
	return b.NewRecordBatch()
}

// A fixedJob writes to fixed buckets. Its handles are open until the end of the test.
type fixedJob struct {
	builder *paimon.PostponeFixedBucketWriteBuilder
	commit  *paimon.PostponeFixedBucketTableCommit
}

func newFixedJob(t testing.TB, table *paimon.Table, allocator memory.Allocator, buckets int32, overwrite bool) *fixedJob {
	t.Helper()
	builder, err := table.NewPostponeFixedBucketWriteBuilder()
	must(t, err)
	t.Cleanup(builder.Close)
	if buckets > 0 {
		plan := bucketPlan(allocator, buckets)
		must(t, builder.WithBucketPlan(plan))
		plan.Release()
	}
	if overwrite {
		must(t, builder.WithOverwrite())
	}
	commit, err := builder.NewCommit()
	must(t, err)
	t.Cleanup(commit.Close)
	return &fixedJob{builder, commit}
}

func (j *fixedJob) prepare(t testing.TB, allocator memory.Allocator, rows ...person) *paimon.PostponeFixedBucketCommitMessages {
	t.Helper()
	write, err := j.builder.NewWrite()
	must(t, err)
	defer write.Close()
	batch := record(allocator, rows...)
	defer batch.Release()
	must(t, write.WriteArrowBatch(batch))
	messages, err := write.PrepareCommit()
	must(t, err)
	t.Cleanup(messages.Close)
	return messages
}

// buckets lists the folders that data files lie in.
func buckets(t testing.TB, table *paimon.Table) []string {
	t.Helper()
	var folders []string
	for _, file := range dataFiles(t, table) {
		folders = append(folders, filepath.Base(filepath.Dir(file)))
	}
	slices.Sort(folders)
	return slices.Compact(folders)
}

// Rows that an ordinary write puts into such a table wait for a compaction. Those that a fixed-bucket write puts there are visible.
func TestPostponeRowsAreVisible(t *testing.T) {
	allocator := checkLeaks(t)
	_, table := newTable(t, people, postpone)
	appendRows(t, table, allocator, person{9, "waits"})
	wantRows(t, table)

	j := newFixedJob(t, table, allocator, 2, false)
	must(t, j.commit.Commit(j.prepare(t, allocator, person{1, "a"}, person{2, "b"}, person{3, "c"}, person{4, "d"})))
	wantRows(t, table, "1 a", "2 b", "3 c", "4 d")
	if got := buckets(t, table); !slices.Equal(got, []string{"bucket-0", "bucket-1", "bucket-postpone"}) {
		t.Errorf("files are in %q", got)
	}
	// A key that is there is updated, in the bucket where it is; the number of buckets is known from the files, too.
	j = newFixedJob(t, table, allocator, 2, false)
	must(t, j.commit.CommitWithIdentifier(j.prepare(t, allocator, person{2, "B"}, person{5, "e"}), 7))
	wantRows(t, table, "1 a", "2 B", "3 c", "4 d", "5 e")
	again := j.prepare(t, allocator, person{6, "f"})
	must(t, j.commit.FilterAndCommitWithIdentifier(again, 7))
	wantRows(t, table, "1 a", "2 B", "3 c", "4 d", "5 e")
	must(t, j.commit.FilterAndCommitWithIdentifier(j.prepare(t, allocator, person{6, "f"}), 8))
	wantRows(t, table, "1 a", "2 B", "3 c", "4 d", "5 e", "6 f")

	// An overwrite replaces what is visible, and may change the number of buckets.
	j = newFixedJob(t, table, allocator, 3, true)
	must(t, j.commit.Commit(j.prepare(t, allocator, person{1, "new"}, person{2, "new"})))
	wantRows(t, table, "1 new", "2 new")
	must(t, j.commit.TruncateTable())
	wantRows(t, table)
	must(t, j.commit.TruncateTableWithIdentifier(1))
}

func TestPostponeDefaultBuckets(t *testing.T) {
	allocator := checkLeaks(t)
	_, table := newTable(t, people, func(schema *paimon.Schema) {
		postpone(schema)
		schema.Options["postpone.default-bucket-num"] = "1"
	})
	j := newFixedJob(t, table, allocator, 0, false)
	must(t, j.commit.Commit(j.prepare(t, allocator, person{1, "a"}, person{2, "b"})))
	wantRows(t, table, "1 a", "2 b")
	if got := buckets(t, table); !slices.Equal(got, []string{"bucket-0"}) {
		t.Errorf("files are in %q", got)
	}
}

// The number of buckets of a partition changes by an overwrite only, and one bucket is written by one job at a time.
func TestPostponeBucketConflict(t *testing.T) {
	allocator := checkLeaks(t)
	_, table := newTable(t, people, postpone)
	first, second := newFixedJob(t, table, allocator, 2, false), newFixedJob(t, table, allocator, 2, false)
	other := newFixedJob(t, table, allocator, 1, false)
	late, otherLate := second.prepare(t, allocator, person{1, "late"}), other.prepare(t, allocator, person{9, "late"})
	must(t, first.commit.Commit(first.prepare(t, allocator, person{1, "a"})))
	wantError(t, second.commit.Commit(late), paimon.ErrCommitConflict, "db.t", "another commit")
	wantError(t, other.commit.Commit(otherLate), paimon.CodeInvalidInput, "db.t", "different total bucket counts")
	wantRows(t, table, "1 a")
	must(t, second.commit.Commit(second.prepare(t, allocator, person{1, "again"})))
	wantRows(t, table, "1 again")

	// Two writes of one job may not share a bucket either.
	both := first.prepare(t, allocator, person{1, "x"})
	must(t, both.Merge(first.prepare(t, allocator, person{1, "y"})))
	wantError(t, first.commit.CommitWithIdentifier(both, 1), paimon.CodeInvalidInput, "ownership", "single writer")
	wantRows(t, table, "1 again")
}

func TestPostponeOfOtherTables(t *testing.T) {
	allocator := checkLeaks(t)
	for name, change := range map[string]func(*paimon.Schema){"append": nil, "fixed buckets": primaryKey} {
		_, table := newTable(t, people, change)
		_, err := table.NewPostponeFixedBucketWriteBuilder()
		wantError(t, err, paimon.CodeUnsupported, "db.t", "bucket=-2")
		_, err = table.NewPostponeFixedBucketWriteBuilderWithCommitUser("user")
		wantError(t, err, paimon.CodeUnsupported, "db.t", "bucket=-2")
		if t.Failed() {
			t.Fatal(name)
		}
	}
	_, table := newTable(t, people, postpone)
	_, err := table.NewPostponeFixedBucketWriteBuilderWithCommitUser("a/b")
	wantError(t, err, paimon.CodeInvalidInput, "commit_user")
	j := newFixedJob(t, table, allocator, 0, false)
	_, err = j.builder.NewWrite()
	wantError(t, err, paimon.CodeInvalidInput, "plan", "postpone.default-bucket-num")
	if files := dataFiles(t, table); len(files) != 0 {
		t.Errorf("there are files: %q", files)
	}
}

func TestPostponePartitions(t *testing.T) {
	allocator := checkLeaks(t)
	columns := arrow.NewSchema([]arrow.Field{
		{Name: "day", Type: arrow.BinaryTypes.String}, people.Field(0), people.Field(1),
	}, nil)
	_, table := newTable(t, columns, func(schema *paimon.Schema) {
		postpone(schema)
		schema.PartitionKeys, schema.PrimaryKeys = []string{"day"}, []string{"day", "id"}
	})
	planOf := func(names []string, types []arrow.DataType, fill func(*array.RecordBuilder)) arrow.RecordBatch {
		var fields []arrow.Field
		for i, name := range names {
			fields = append(fields, arrow.Field{Name: name, Type: types[i], Nullable: true})
		}
		b := array.NewRecordBuilder(allocator, arrow.NewSchema(fields, nil))
		defer b.Release()
		fill(b)
		return b.NewRecordBatch()
	}
	text, number := arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int32
	appendPlan := func(day string, buckets ...int32) func(*array.RecordBuilder) {
		return func(b *array.RecordBuilder) {
			for _, n := range buckets {
				b.Field(0).(*array.StringBuilder).Append(day)
				b.Field(1).(*array.Int32Builder).Append(n)
			}
		}
	}
	builder, err := table.NewPostponeFixedBucketWriteBuilderWithCommitUser("user")
	must(t, err)
	defer builder.Close()
	good := planOf([]string{"day", "total_buckets"}, []arrow.DataType{text, number}, appendPlan("mon", 2))
	must(t, builder.WithBucketPlan(good))
	good.Release()

	for name, test := range map[string]struct {
		names []string
		types []arrow.DataType
		fill  func(*array.RecordBuilder)
		word  string
	}{
		"no partition": {[]string{"total_buckets"}, []arrow.DataType{number}, func(b *array.RecordBuilder) {
			b.Field(0).(*array.Int32Builder).Append(1)
		}, "1 partition column(s)"},
		"another column": {[]string{"date", "total_buckets"}, []arrow.DataType{text, number}, appendPlan("mon", 1), "partition fields"},
		"another name":   {[]string{"day", "buckets"}, []arrow.DataType{text, number}, appendPlan("mon", 1), "total_buckets"},
		"another type": {[]string{"day", "total_buckets"}, []arrow.DataType{text, arrow.PrimitiveTypes.Int64}, func(b *array.RecordBuilder) {
			b.Field(0).(*array.StringBuilder).Append("mon")
			b.Field(1).(*array.Int64Builder).Append(1)
		}, "Int32"},
		"null": {[]string{"day", "total_buckets"}, []arrow.DataType{text, number}, func(b *array.RecordBuilder) {
			b.Field(0).(*array.StringBuilder).Append("mon")
			b.Field(1).AppendNull()
		}, "null at row 0"},
		"null partition": {[]string{"day", "total_buckets"}, []arrow.DataType{text, number}, func(b *array.RecordBuilder) {
			b.Field(0).AppendNull()
			b.Field(1).(*array.Int32Builder).Append(1)
		}, "NOT NULL"},
		"none":     {[]string{"day", "total_buckets"}, []arrow.DataType{text, number}, appendPlan("mon", 0), "positive at row 0"},
		"negative": {[]string{"day", "total_buckets"}, []arrow.DataType{text, number}, appendPlan("mon", -2), "positive at row 0"},
		"two":      {[]string{"day", "total_buckets"}, []arrow.DataType{text, number}, appendPlan("mon", 2, 3), "conflicting"},
	} {
		plan := planOf(test.names, test.types, test.fill)
		wantError(t, builder.WithBucketPlan(plan), paimon.CodeInvalidInput, "db.t", test.word)
		plan.Release()
		if t.Failed() {
			t.Fatal(name)
		}
	}
	wantError(t, builder.WithBucketPlan(nil), paimon.CodeInvalidInput, "nil")

	// The plan that was accepted holds.
	rows := func(day string, ids ...int32) arrow.RecordBatch {
		b := array.NewRecordBuilder(allocator, columns)
		defer b.Release()
		for _, id := range ids {
			b.Field(0).(*array.StringBuilder).Append(day)
			b.Field(1).(*array.Int32Builder).Append(id)
			b.Field(2).(*array.StringBuilder).Append("x")
		}
		return b.NewRecordBatch()
	}
	write, err := builder.NewWrite()
	must(t, err)
	defer write.Close()
	batch := rows("mon", 1, 2, 3, 4)
	must(t, write.WriteArrowBatch(batch))
	batch.Release()
	messages, err := write.PrepareCommit()
	must(t, err)
	defer messages.Close()
	commit, err := builder.NewCommit()
	must(t, err)
	defer commit.Close()
	must(t, commit.Commit(messages))
	wantRows(t, table, "mon 1 x", "mon 2 x", "mon 3 x", "mon 4 x")

	// A partition that is not in the plan ends the write.
	write, err = builder.NewWrite()
	must(t, err)
	defer write.Close()
	batch = rows("tue", 1)
	wantError(t, write.WriteArrowBatch(batch), paimon.CodeInvalidInput, "partition")
	batch.Release()
	_, err = write.PrepareCommit()
	wantError(t, err, paimon.CodeInvalidInput, "failed")
	wantRows(t, table, "mon 1 x", "mon 2 x", "mon 3 x", "mon 4 x")
}

// PrepareCommit closes the write, whether it succeeds or not; messages merge, are given up, and are committed once.
func TestPostponePrepareCloses(t *testing.T) {
	allocator := checkLeaks(t)
	_, table := newTable(t, people, postpone)
	j := newFixedJob(t, table, allocator, 1, false)
	write, err := j.builder.NewWrite()
	must(t, err)
	batch := record(allocator, person{1, "a"})
	defer batch.Release()
	must(t, write.WriteArrowBatch(batch))
	messages, err := write.PrepareCommit()
	must(t, err)
	defer messages.Close()
	wantError(t, write.WriteArrowBatch(batch), paimon.ErrClosed)
	_, err = write.PrepareCommit()
	wantError(t, err, paimon.ErrClosed)

	must(t, j.commit.Commit(messages))
	wantError(t, j.commit.Commit(messages), paimon.CodeInvalidInput, "committed before")
	wantError(t, j.commit.Abort(messages), paimon.CodeInvalidInput, "begun")

	spare := j.prepare(t, allocator, person{2, "b"})
	wantError(t, spare.Merge(spare), paimon.CodeInvalidInput)
	wantError(t, spare.Merge(nil), paimon.ErrClosed)
	other := newFixedJob(t, table, allocator, 1, false)
	wantError(t, spare.Merge(other.prepare(t, allocator, person{3, "c"})), paimon.CodeInvalidInput, "commit user")
	wantError(t, other.commit.Commit(spare), paimon.CodeInvalidInput, "commit user")
	wantError(t, j.commit.Commit(nil), paimon.ErrClosed)
	before := len(dataFiles(t, table))
	must(t, j.commit.Abort(spare))
	if after := len(dataFiles(t, table)); after != before-1 {
		t.Errorf("%d files after the abort of one of %d", after, before)
	}
	wantError(t, j.commit.Commit(spare), paimon.CodeInvalidInput, "aborted")
	wantRows(t, table, "1 a")
}

func TestPostponeWithinBudget(t *testing.T) {
	allocator := checkLeaks(t)
	_, table := newTable(t, people, postpone)
	j := newFixedJob(t, table, allocator, 1, false)
	resources := newResources(t, 1000)
	must(t, j.builder.WithResources(resources))
	write, err := j.builder.NewWrite()
	must(t, err)
	defer write.Close()
	batch := record(allocator, person{1, strings.Repeat("x", 2000)})
	defer batch.Release()
	wantError(t, write.WriteArrowBatch(batch), paimon.CodeResourceExhausted, "limit 1000")
	_, err = write.PrepareCommit()
	wantError(t, err, paimon.CodeInvalidInput, "failed")
	_, err = write.PrepareCommit()
	wantError(t, err, paimon.ErrClosed)
	if left := reserved(t, resources, 0, 1000); left != 0 {
		t.Errorf("%d bytes are reserved after the write", left)
	}
	if files := dataFiles(t, table); len(files) != 0 {
		t.Errorf("there are files: %q", files)
	}
}
