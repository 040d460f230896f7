// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"go/ast"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	paimon "github.com/apache/paimon-rust/bindings/go"
	"github.com/apache/paimon-rust/bindings/go/tests/internal/objectstore"
)

// hung is how long a call may take that should have ended at once: long enough for any machine, and far from what a storage that does
// not answer is waited for.
const hung = 10 * time.Second

// canceled gives a context that has ended.
func canceled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// silentTable makes a table with one row in an object store, which can be muted.
func silentTable(t testing.TB) (*objectstore.Store, *paimon.Catalog, *paimon.Table) {
	t.Helper()
	store := objectstore.New(t)
	catalog, err := paimon.NewCatalog(store.Options())
	must(t, err)
	t.Cleanup(catalog.Close)
	must(t, catalog.CreateDatabase("db", nil, false))
	schema, err := paimon.SchemaFromArrow(people)
	must(t, err)
	id := paimon.NewIdentifier("db", "t")
	must(t, catalog.CreateTable(id, schema, false))
	table := openTable(t, catalog, id)
	appendRows(t, table, goMemory, person{1, "one"})
	return store, catalog, table
}

func ignoreAll(*http.Request) objectstore.Silence { return objectstore.Ignore }

// A call is one of those with a context.
type contextCall struct {
	name    string
	changes bool // what is stored from its first request on, so that nobody knows whether it did
	call    func(context.Context) error
}

// contextCalls are all calls with a context, on handles of a table in a store that answers until they are made.
func contextCalls(t *testing.T, store *objectstore.Store, catalog *paimon.Catalog, table *paimon.Table) []contextCall {
	id, other := table.Identifier(), paimon.NewIdentifier("db", "other")
	schema, err := paimon.SchemaFromArrow(people)
	must(t, err)
	builder, err := table.NewReadBuilder()
	must(t, err)
	t.Cleanup(builder.Close)
	scan, err := builder.NewScan()
	must(t, err)
	t.Cleanup(scan.Close)
	read, err := builder.NewRead()
	must(t, err)
	t.Cleanup(read.Close)
	plan, err := scan.Plan()
	must(t, err)
	t.Cleanup(plan.Close)
	blobs, err := paimon.NewBlobReader(store.Options())
	must(t, err)
	t.Cleanup(blobs.Close)
	descriptor := descriptorOf("s3://bucket/blob", 0, 4)
	snapshots := openTable(t, catalog, paimon.NewIdentifier("db", "t$snapshots"))

	few, many := record(goMemory, person{2, "two"}), noise(1<<20)
	t.Cleanup(few.Release)
	t.Cleanup(many.Release)
	fresh, filled := newJob(t, table, "", false).write, newJob(t, table, "", false).write
	must(t, filled.WriteArrowBatch(few))
	j := newJob(t, table, "", false)
	var messages []*paimon.CommitMessages
	for range 4 {
		messages = append(messages, j.prepare(t, goMemory, person{3, "three"}))
	}

	waiting := paimon.NewIdentifier("db", "postpone")
	postponed, err := paimon.SchemaFromArrow(people)
	must(t, err)
	postpone(postponed)
	must(t, catalog.CreateTable(waiting, postponed, false))
	fixed := newFixedJob(t, openTable(t, catalog, waiting), goMemory, 1, false)
	newFixedWrite := func() *paimon.PostponeFixedBucketTableWrite {
		write, err := fixed.builder.NewWrite()
		must(t, err)
		t.Cleanup(write.Close)
		return write
	}
	fixedFresh, fixedFilled := newFixedWrite(), []*paimon.PostponeFixedBucketTableWrite{newFixedWrite(), newFixedWrite()}
	for _, write := range fixedFilled {
		must(t, write.WriteArrowBatch(few))
	}
	var fixedMessages []*paimon.PostponeFixedBucketCommitMessages
	for range 4 {
		fixedMessages = append(fixedMessages, fixed.prepare(t, goMemory, person{3, "three"}))
	}

	// A read whose filter depends on the schema that a file was written with.
	must(t, catalog.AlterTable(id, []paimon.SchemaChange{paimon.AddColumn(paimon.DataField{Name: "more", Type: paimon.IntType()}, paimon.ColumnPosition{})}, false))
	altered := openTable(t, catalog, id)
	isOne, err := altered.PredicateBuilder().Eq("id", int32(1))
	must(t, err)
	filtered, err := altered.NewReadBuilder()
	must(t, err)
	t.Cleanup(filtered.Close)
	must(t, filtered.WithFilter(isOne))
	filteredRead := must1(filtered.NewRead())
	t.Cleanup(filteredRead.Close)

	reading := func(body func(context.Context, *paimon.RecordBatchReader) error) func(context.Context) error {
		return func(ctx context.Context) error {
			reader, err := read.NewRecordBatchReader(plan.Splits())
			must(t, err)
			defer reader.Close()
			return body(ctx, reader)
		}
	}
	writeAll := func(write interface {
		WriteArrowBatchContext(context.Context, arrow.RecordBatch) error
	},
	) func(context.Context) error {
		return func(ctx context.Context) error {
			for {
				if err := write.WriteArrowBatchContext(ctx, many); err != nil {
					return err
				}
			}
		}
	}
	return []contextCall{
		{"Catalog.ListDatabases", false, func(ctx context.Context) error { return ignore(catalog.ListDatabasesContext(ctx)) }},
		{"Catalog.CreateDatabase", true, func(ctx context.Context) error { return catalog.CreateDatabaseContext(ctx, "more", nil, false) }},
		{"Catalog.DropDatabase", true, func(ctx context.Context) error { return catalog.DropDatabaseContext(ctx, "more", true, true) }},
		{"Catalog.ListTables", false, func(ctx context.Context) error { return ignore(catalog.ListTablesContext(ctx, "db")) }},
		{"Catalog.CreateTable", true, func(ctx context.Context) error { return catalog.CreateTableContext(ctx, other, schema, false) }},
		{"Catalog.DropTable", true, func(ctx context.Context) error { return catalog.DropTableContext(ctx, other, true) }},
		{"Catalog.RenameTable", true, func(ctx context.Context) error { return catalog.RenameTableContext(ctx, id, other, true) }},
		{"Catalog.AlterTable", true, func(ctx context.Context) error {
			return catalog.AlterTableContext(ctx, id, []paimon.SchemaChange{paimon.UpdateComment("c")}, false)
		}},
		{"Catalog.GetTable", false, func(ctx context.Context) error { return drop(catalog.GetTableContext(ctx, id)) }},
		{"Catalog.CreateTag", true, func(ctx context.Context) error { return catalog.CreateTagContext(ctx, id, "tag", nil, false) }},
		{"Catalog.CreateTagWithRetention", true, func(ctx context.Context) error {
			return catalog.CreateTagWithRetentionContext(ctx, id, "tag", nil, time.Hour, false)
		}},
		{"Catalog.GetTag", false, func(ctx context.Context) error { return ignore(catalog.GetTagContext(ctx, id, "tag")) }},
		{"Catalog.DeleteTag", true, func(ctx context.Context) error { return catalog.DeleteTagContext(ctx, id, "tag", false) }},
		{"Catalog.ListTags", false, func(ctx context.Context) error { return ignore(catalog.ListTagsContext(ctx, id)) }},
		{"Catalog.CreateBranch", true, func(ctx context.Context) error { return catalog.CreateBranchContext(ctx, id, "b", "") }},
		{"Catalog.DropBranch", true, func(ctx context.Context) error { return catalog.DropBranchContext(ctx, id, "b", false) }},
		{"Catalog.ListBranches", false, func(ctx context.Context) error { return ignore(catalog.ListBranchesContext(ctx, id)) }},
		{"Table.LatestSnapshot", false, func(ctx context.Context) error { return ignore(table.LatestSnapshotContext(ctx)) }},
		{"Table.Snapshot", false, func(ctx context.Context) error { return ignore(table.SnapshotContext(ctx, 1)) }},
		{"Table.ListSnapshots", false, func(ctx context.Context) error { return ignore(table.ListSnapshotsContext(ctx)) }},
		{"Table.NewReadBuilder", false, func(ctx context.Context) error {
			return drop(snapshots.NewReadBuilderContext(ctx))
		}},
		{"Table.NewReadBuilderWithOptions", false, func(ctx context.Context) error {
			return drop(table.NewReadBuilderWithOptionsContext(ctx, map[string]string{"scan.snapshot-id": "1"}))
		}},
		{"TableScan.Plan", false, func(ctx context.Context) error { return drop(scan.PlanContext(ctx)) }},
		{"TableRead.NewRecordBatchReader", false, func(ctx context.Context) error {
			return drop(filteredRead.NewRecordBatchReaderContext(ctx, plan.Splits()))
		}},
		{"RecordBatchReader.NextRecord", false, reading(func(ctx context.Context, reader *paimon.RecordBatchReader) error {
			return ignore(reader.NextRecordContext(ctx))
		})},
		{"RecordBatchReader.All", false, reading(func(ctx context.Context, reader *paimon.RecordBatchReader) error {
			for _, err := range reader.AllContext(ctx) {
				return err
			}
			return nil
		})},
		{"RecordBatchReader.RecordReader", false, reading(func(ctx context.Context, reader *paimon.RecordBatchReader) error {
			records := reader.RecordReaderContext(ctx)
			defer records.Release()
			records.Next()
			return records.Err()
		})},
		{"TableWrite.WriteArrowBatch", false, writeAll(fresh)},
		{"TableWrite.PrepareCommit", false, func(ctx context.Context) error { return drop(filled.PrepareCommitContext(ctx)) }},
		{"TableCommit.Commit", false, func(ctx context.Context) error { return j.commit.CommitContext(ctx, messages[0]) }},
		{"TableCommit.CommitWithIdentifier", false, func(ctx context.Context) error { return j.commit.CommitWithIdentifierContext(ctx, messages[1], 1) }},
		{"TableCommit.FilterAndCommitWithIdentifier", false, func(ctx context.Context) error {
			return j.commit.FilterAndCommitWithIdentifierContext(ctx, messages[2], 1)
		}},
		{"TableCommit.TruncateTable", false, func(ctx context.Context) error { return j.commit.TruncateTableContext(ctx) }},
		{"TableCommit.TruncateTableWithIdentifier", false, func(ctx context.Context) error {
			return j.commit.TruncateTableWithIdentifierContext(ctx, 1)
		}},
		{"TableCommit.Abort", false, func(ctx context.Context) error { return j.commit.AbortContext(ctx, messages[3]) }},
		{"PostponeFixedBucketTableWrite.WriteArrowBatch", false, writeAll(fixedFresh)},
		{"PostponeFixedBucketTableWrite.PrepareCommit", false, func(ctx context.Context) error {
			write := fixedFilled[0] // which this closes
			fixedFilled = fixedFilled[1:]
			return drop(write.PrepareCommitContext(ctx))
		}},
		{"PostponeFixedBucketTableCommit.Commit", false, func(ctx context.Context) error { return fixed.commit.CommitContext(ctx, fixedMessages[0]) }},
		{"PostponeFixedBucketTableCommit.CommitWithIdentifier", false, func(ctx context.Context) error {
			return fixed.commit.CommitWithIdentifierContext(ctx, fixedMessages[1], 1)
		}},
		{"PostponeFixedBucketTableCommit.FilterAndCommitWithIdentifier", false, func(ctx context.Context) error {
			return fixed.commit.FilterAndCommitWithIdentifierContext(ctx, fixedMessages[2], 1)
		}},
		{"PostponeFixedBucketTableCommit.TruncateTable", false, func(ctx context.Context) error { return fixed.commit.TruncateTableContext(ctx) }},
		{"PostponeFixedBucketTableCommit.TruncateTableWithIdentifier", false, func(ctx context.Context) error {
			return fixed.commit.TruncateTableWithIdentifierContext(ctx, 1)
		}},
		{"PostponeFixedBucketTableCommit.Abort", false, func(ctx context.Context) error { return fixed.commit.AbortContext(ctx, fixedMessages[3]) }},
		{"BlobReader.ReadBlob", false, func(ctx context.Context) error { return ignore(blobs.ReadBlobContext(ctx, descriptor)) }},
		{"BlobReader.ReadBlobs", false, func(ctx context.Context) error { return ignore(blobs.ReadBlobsContext(ctx, [][]byte{descriptor})) }},
		{"BlobReader.OpenBlob", false, func(ctx context.Context) error {
			stream, err := blobs.OpenBlobContext(ctx, descriptor)
			if err != nil {
				return err
			}
			defer func() { _ = stream.Close() }()
			_, err = stream.Read(make([]byte, 4))
			return err
		}},
	}
}

// noise is a record that does not compress.
func noise(rows int) arrow.RecordBatch {
	source := rand.NewChaCha8([32]byte{})
	text := make([]byte, 64)
	b := array.NewRecordBuilder(goMemory, people)
	defer b.Release()
	for i := range rows / 64 {
		_, _ = source.Read(text)
		b.Field(0).(*array.Int32Builder).Append(int32(i))
		b.Field(1).(*array.StringBuilder).Append(hex.EncodeToString(text))
	}
	return b.NewRecordBatch()
}

// Every call with a context ends when the context does, against a storage that never answers; its connections are closed; and its
// handles can be closed.
func TestCancelEveryCall(t *testing.T) {
	checkLeaks(t)
	store, catalog, table := silentTable(t)
	calls := contextCalls(t, store, catalog, table)
	store.Mute(ignoreAll)
	tried := make(map[string]bool)
	longest := time.Duration(0)
	for _, c := range calls {
		tried[c.name] = true
		t.Run(c.name, func(t *testing.T) {
			wantError(t, c.call(canceled()), context.Canceled)

			ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
			defer cancel()
			started := time.Now()
			err := c.call(ctx)
			took := time.Since(started) - 50*time.Millisecond
			longest = max(longest, took)
			wantError(t, err, context.DeadlineExceeded)
			class := error(paimon.CodeCancelled)
			if c.changes {
				class = paimon.ErrOutcomeUnknown
			}
			wantError(t, err, class)
			var e *paimon.Error
			if !errors.As(err, &e) || e.Op() == "" {
				t.Errorf("the error has no operation: %v", err)
			}
			if took > hung {
				t.Errorf("it took %v", took)
			}
			for waited := time.Duration(0); store.Waiting() > 0; waited += 10 * time.Millisecond {
				if waited > hung {
					t.Fatalf("%d requests go on", store.Waiting())
				}
				time.Sleep(10 * time.Millisecond)
			}
			t.Logf("%v after the context", took.Round(time.Millisecond))
		})
	}
	t.Logf("%d calls, the last of them ended %v after its context", len(calls), longest.Round(time.Millisecond))

	for _, handle := range []any{
		catalog, table, new(paimon.TableScan), new(paimon.TableRead), new(paimon.RecordBatchReader),
		new(paimon.TableWrite), new(paimon.TableCommit), new(paimon.PostponeFixedBucketTableWrite),
		new(paimon.PostponeFixedBucketTableCommit), new(paimon.BlobReader), new(paimon.ReadBuilder), new(paimon.WriteBuilder),
	} {
		of := reflect.TypeOf(handle)
		for i := range of.NumMethod() {
			if name, ok := strings.CutSuffix(of.Method(i).Name, "Context"); ok && !tried[of.Elem().Name()+"."+name] {
				t.Errorf("%v.%sContext was not tried", of.Elem().Name(), name)
			}
		}
	}
}

// Opening a catalog ends with its context, against a server that never answers.
func TestCancelOpen(t *testing.T) {
	checkLeaks(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer func() { _ = listener.Close() }()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	started := time.Now()
	catalog, err := paimon.NewCatalogContext(ctx, map[string]string{
		"metastore": "rest", "uri": "http://" + listener.Addr().String(), "warehouse": "w", "token.provider": "bear", "token": "t",
	})
	catalog.Close()
	if took := time.Since(started); took > hung {
		t.Errorf("it took %v", took)
	}
	wantError(t, err, context.DeadlineExceeded)
	wantError(t, err, paimon.CodeCancelled, "open catalog")
}

// XContext is X with a context: X does nothing else.
func TestContextTwins(t *testing.T) {
	bodies, twins := make(map[string]*ast.FuncDecl), []string(nil)
	for _, file := range packageFiles(t) {
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() {
				continue
			}
			name := f.Name.Name
			if f.Recv != nil {
				receiver, ok := f.Recv.List[0].Type.(*ast.StarExpr)
				if !ok {
					continue // a value
				}
				if of, ok := receiver.X.(*ast.Ident); ok {
					name = of.Name + "." + name
				}
			}
			bodies[name] = f
			if strings.HasSuffix(name, "Context") && len(f.Type.Params.List) > 0 && len(f.Type.Params.List[0].Names) > 0 && f.Type.Params.List[0].Names[0].Name == "ctx" {
				twins = append(twins, name)
			}
		}
	}
	for _, name := range twins {
		plain := bodies[strings.TrimSuffix(name, "Context")]
		if plain == nil {
			t.Errorf("%s has no call without a context", name)
			continue
		}
		only, ok := plain.Body.List[0].(*ast.ReturnStmt)
		if !ok || len(plain.Body.List) != 1 {
			t.Errorf("%s does more than call %s", plain.Name.Name, name)
			continue
		}
		call, ok := only.Results[0].(*ast.CallExpr)
		if !ok {
			t.Errorf("%s does not call %s", plain.Name.Name, name)
			continue
		}
		called := ""
		switch f := call.Fun.(type) {
		case *ast.SelectorExpr:
			called = f.Sel.Name
		case *ast.Ident:
			called = f.Name
		}
		if want := name[strings.IndexByte(name, '.')+1:]; called != want && !strings.HasPrefix(name, "Postpone") {
			t.Errorf("%s calls %s, want %s", plain.Name.Name, called, want)
		}
	}
	if len(twins) < 40 {
		t.Errorf("only %d calls have a context", len(twins))
	}
}

// A reader that was called off is over, and says so again; one whose call had not begun is not.
func TestCancelNext(t *testing.T) {
	allocator := checkLeaks(t)
	store, _, table := silentTable(t)
	appendRows(t, table, allocator, person{2, "two"})
	over := newReader(t, table)
	store.Mute(ignoreAll)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	wantError(t, ignore(over.NextRecordContext(ctx)), context.DeadlineExceeded)
	store.Mute(nil)
	later, done := context.WithCancel(context.Background())
	defer done()
	for _, ctx := range []context.Context{context.Background(), later, later} {
		wantError(t, ignore(over.NextRecordContext(ctx)), context.DeadlineExceeded, "read db.t")
	}

	reader := newReader(t, table)
	var ids []int32
	for {
		wantError(t, ignore(reader.NextRecordContext(canceled())), context.Canceled)
		batch, err := reader.NextRecordContext(context.Background())
		if err == io.EOF {
			break
		}
		must(t, err)
		ids = append(ids, batch.Column(0).(*array.Int32).Int32Values()...)
		batch.Release()
	}
	slices.Sort(ids)
	if !slices.Equal(ids, []int32{1, 2}) {
		t.Errorf("got %v", ids)
	}
}

// A write that was called off is over, and says so; what it wrote is not there.
func TestCancelWrite(t *testing.T) {
	allocator := checkLeaks(t)
	store, _, table := silentTable(t)
	j := newJob(t, table, "", false)
	many := noise(1 << 20)
	defer many.Release()
	ctx, cancel := context.WithCancel(context.Background())
	store.Mute(func(*http.Request) objectstore.Silence {
		cancel()
		return objectstore.Ignore
	})
	var err error
	for err == nil {
		err = j.write.WriteArrowBatchContext(ctx, many)
	}
	wantError(t, err, context.Canceled)
	store.Mute(nil)
	wantError(t, j.write.WriteArrowBatch(many), paimon.CodeInvalidInput, "called off", "make a new one")
	_, err = j.write.PrepareCommit()
	wantError(t, err, paimon.CodeInvalidInput, "called off")
	j.write.Close()
	appendRows(t, table, allocator, person{2, "two"})
	wantRows(t, table, "1 one", "2 two")
}

// A commit that was called off while it was under way may be there or not: to filter and commit tells, and makes it there once.
func TestCancelCommit(t *testing.T) {
	for _, silence := range []objectstore.Silence{objectstore.Ignore, objectstore.Obey} {
		for _, oneShot := range []bool{false, true} {
			t.Run(fmt.Sprintf("obeyed=%v/oneShot=%v", silence == objectstore.Obey, oneShot), func(t *testing.T) {
				allocator := checkLeaks(t)
				store, _, table := silentTable(t)
				j := newJob(t, table, "user", false)
				messages := j.prepare(t, allocator, person{2, "two"})
				// The snapshot's file is what publishes a commit.
				store.Mute(func(r *http.Request) objectstore.Silence {
					if r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/snapshot/snapshot-2") {
						return silence
					}
					return objectstore.Answer
				})
				ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
				defer cancel()
				var err error
				identifier := int64(7)
				if oneShot {
					identifier = math.MaxInt64
					err = j.commit.CommitContext(ctx, messages)
				} else {
					err = j.commit.CommitWithIdentifierContext(ctx, messages, identifier)
				}
				wantError(t, err, paimon.ErrOutcomeUnknown, "filters", "deadline exceeded")
				wantError(t, err, context.DeadlineExceeded)
				wantError(t, j.commit.Abort(messages), paimon.CodeInvalidInput, "kept")
				store.Mute(nil)
				if silence == objectstore.Ignore {
					wantRows(t, table, "1 one")
				} else {
					wantRows(t, table, "1 one", "2 two")
				}
				for range 2 {
					must(t, j.commit.FilterAndCommitWithIdentifier(messages, identifier))
					wantRows(t, table, "1 one", "2 two")
					wantSnapshot(t, table, 2)
				}
			})
		}
	}
}

// Whoever waits for another call of the same kind can be called off too, and then nothing of it has begun.
func TestCancelWaiting(t *testing.T) {
	allocator := checkLeaks(t)
	store, catalog, table := silentTable(t)
	first, second := newJob(t, table, "", false), newJob(t, table, "", false)
	slow, waiting := first.prepare(t, allocator, person{2, "two"}), second.prepare(t, allocator, person{3, "three"})
	reader := newReader(t, table)
	store.Mute(func(r *http.Request) objectstore.Silence {
		if r.Method == http.MethodPut || strings.HasSuffix(r.URL.Path, ".parquet") {
			return objectstore.Ignore
		}
		return objectstore.Answer
	})

	busy, stop := context.WithCancel(context.Background())
	var calls sync.WaitGroup
	calls.Go(func() { wantError(t, first.commit.CommitContext(busy, slow), paimon.ErrOutcomeUnknown) })
	calls.Go(func() {
		wantError(t, catalog.CreateDatabaseContext(busy, "slow", nil, false), paimon.ErrOutcomeUnknown)
	})
	calls.Go(func() {
		_, err := reader.NextRecordContext(busy)
		wantError(t, err, paimon.CodeCancelled)
	})
	for store.Waiting() < 3 {
		time.Sleep(time.Millisecond)
	}
	for name, call := range map[string]func(context.Context) error{
		"commit": func(ctx context.Context) error { return second.commit.CommitContext(ctx, waiting) },
		"DDL":    func(ctx context.Context) error { return catalog.DropDatabaseContext(ctx, "db", false, true) },
		"read":   func(ctx context.Context) error { return ignore(reader.NextRecordContext(ctx)) },
	} {
		ctx, cancel := context.WithTimeoutCause(context.Background(), 20*time.Millisecond, errors.New("too slow"))
		err := call(ctx)
		cancel()
		wantError(t, err, paimon.CodeCancelled, "too slow")
		wantError(t, err, context.DeadlineExceeded)
		if errors.Is(err, paimon.ErrOutcomeUnknown) {
			t.Errorf("%s: %v", name, err)
		}
	}
	stop()
	calls.Wait()
	store.Mute(nil)
	// It was not begun, so it can be aborted; and it could be committed.
	must(t, second.commit.Abort(waiting))
	wantRows(t, table, "1 one")
}

// Commits to a folder that are called off at any moment are there, or not, or unknown, as their error says; and each can be brought
// to an end.
func TestCancelCommitAnywhere(t *testing.T) {
	allocator := checkLeaks(t)
	_, table := newTable(t, people, nil)
	j := newJob(t, table, "user", false)
	outcomes := make(map[string]int)
	var want []string
	for i := range 60 {
		messages := j.prepare(t, allocator, person{int32(i), "x"})
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(rand.IntN(6000))*time.Microsecond)
		err := j.commit.CommitWithIdentifierContext(ctx, messages, int64(i))
		cancel()
		switch {
		case err == nil:
			outcomes["committed"]++
		case errors.Is(err, paimon.ErrOutcomeUnknown):
			outcomes["unknown"]++
			must(t, j.commit.FilterAndCommitWithIdentifier(messages, int64(i)))
		case errors.Is(err, paimon.CodeCancelled):
			outcomes["not begun"]++
			if i%2 == 0 {
				must(t, j.commit.Abort(messages))
				continue
			}
			must(t, j.commit.CommitWithIdentifier(messages, int64(i)))
		default:
			t.Fatal(err)
		}
		want = append(want, fmt.Sprintf("%d x", i))
	}
	slices.Sort(want)
	wantRows(t, table, want...)
	t.Log(outcomes)
}

// A prepare that sorts for seconds is called off within one, and takes its files back when it comes to an end that nobody waits for: all but
// one that the system was about to create, which the engine does not hear of any more.
func TestCancelWhileSorting(t *testing.T) {
	allocator := checkLeaks(t)
	_, table := newTable(t, people, func(s *paimon.Schema) {
		s.PrimaryKeys, s.Options = []string{"id"}, map[string]string{"bucket": "1"}
	})
	people := make([]person, 500_000)
	for i := range people {
		people[i] = person{int32(i * 7919 % len(people)), fmt.Sprint(i)}
	}
	batch := record(allocator, people...)
	defer batch.Release()
	j := newJob(t, table, "", false)
	handles := paimon.ReadNativeStats().Handles
	must(t, j.write.WriteArrowBatch(batch))
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err := j.write.PrepareCommitContext(ctx)
	wantError(t, err, paimon.CodeCancelled)
	took := time.Since(began)
	t.Logf("returned after %v", took)
	if took > time.Second {
		t.Errorf("returned after %v", took)
	}
	j.write.Close()
	// Files come and go until the worker is done, which returns the record last of all.
	for waited := time.Duration(0); ; waited += 100 * time.Millisecond {
		lent, left := paimon.ReadNativeStats().Handles >= handles, dataFiles(t, table)
		switch {
		case !lent && len(left) == 0:
			return
		case !lent && len(left) == 1 && waited > hung/4:
			t.Logf("left: %q", left)
			return
		case waited > hung:
			t.Fatalf("the record is lent: %v; left: %q", lent, left)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// Calls that are called off leave no goroutines behind.
func TestCancelLeavesNothing(t *testing.T) {
	checkLeaks(t)
	store, _, table := silentTable(t)
	store.Mute(ignoreAll)
	before := runtime.NumGoroutine()
	for range 50 {
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		_, err := table.LatestSnapshotContext(ctx)
		cancel()
		wantError(t, err, paimon.CodeCancelled)
	}
	for waited := time.Duration(0); runtime.NumGoroutine() > before+5; waited += 10 * time.Millisecond {
		if waited > hung {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
