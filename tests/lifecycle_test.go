// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	paimon "github.com/apache/paimon-rust/bindings/go"
)

// chain is one live handle of every type, each made from the one before where it can be.
type chain struct {
	catalog      *paimon.Catalog
	table        *paimon.Table
	filter       *paimon.Predicate
	readBuilder  *paimon.ReadBuilder
	scan         *paimon.TableScan
	plan         *paimon.Plan
	read         *paimon.TableRead
	reader       *paimon.RecordBatchReader
	writeBuilder *paimon.WriteBuilder
	write        *paimon.TableWrite
	messages     *paimon.CommitMessages
	more         *paimon.CommitMessages // of the same write, without files
	commit       *paimon.TableCommit
	fixed        *fixedJob // of a postpone table beside
	fixedWrite   *paimon.PostponeFixedBucketTableWrite
	fixedOver    atomic.Bool // the test has closed fixedWrite
	fixedDone    *paimon.PostponeFixedBucketCommitMessages
	fixedMore    *paimon.PostponeFixedBucketCommitMessages
	bucketPlan   arrow.RecordBatch
	resources    *paimon.ResourceContext
	spare        *paimon.ResourceContext
	blobReader   *paimon.BlobReader
	blobStream   *paimon.BlobStream
	descriptor   []byte
}

func newChain(t testing.TB) *chain {
	t.Helper()
	c := new(chain)
	c.catalog, c.table = newTable(t, people, primaryKey)
	appendRows(t, c.table, goMemory, person{1, "one"})
	must(t, c.catalog.CreateTag(c.table.Identifier(), "first", nil, false))
	var err error
	keep := func(e error) {
		t.Helper()
		must(t, e)
	}
	c.filter, err = c.table.PredicateBuilder().Eq("id", 1)
	keep(err)
	c.readBuilder, err = c.table.NewReadBuilder()
	keep(err)
	c.scan, err = c.readBuilder.NewScan()
	keep(err)
	c.plan, err = c.scan.Plan()
	keep(err)
	c.read, err = c.readBuilder.NewRead()
	keep(err)
	c.reader, err = c.read.NewRecordBatchReader(c.plan.Splits())
	keep(err)
	c.writeBuilder, err = c.table.NewWriteBuilder()
	keep(err)
	c.write, err = c.writeBuilder.NewWrite()
	keep(err)
	batch := record(goMemory, person{2, "two"})
	keep(c.write.WriteArrowBatch(batch))
	batch.Release()
	c.messages, err = c.write.PrepareCommit()
	keep(err)
	c.more, err = c.write.PrepareCommit()
	keep(err)
	t.Cleanup(c.more.Close)
	c.commit, err = c.writeBuilder.NewCommit()
	keep(err)
	schema, err := paimon.SchemaFromArrow(people)
	keep(err)
	postpone(schema)
	keep(c.catalog.CreateTable(paimon.NewIdentifier("db", "later"), schema, false))
	c.fixed = newFixedJob(t, openTable(t, c.catalog, paimon.NewIdentifier("db", "later")), goMemory, 1, false)
	c.fixedWrite, err = c.fixed.builder.NewWrite()
	keep(err)
	c.fixedDone = c.fixed.prepare(t, goMemory, person{1, "one"})
	c.fixedMore = c.fixed.prepare(t, goMemory, person{2, "two"})
	c.bucketPlan = bucketPlan(goMemory, 1)
	c.resources, err = paimon.NewResourceContext(1 << 30)
	keep(err)
	c.spare, err = paimon.NewResourceContext(1 << 30)
	keep(err)
	t.Cleanup(c.spare.Close)
	c.descriptor = descriptorOf(fileOf(t, "blob"), 0, -1)
	c.blobReader, err = c.table.NewBlobReader()
	keep(err)
	c.blobStream, err = c.blobReader.OpenBlob(c.descriptor)
	keep(err)
	for _, h := range c.handles() {
		t.Cleanup(h.close)
	}
	return c
}

// handleCase is a handle type with every call on it that must fail once it is closed.
type handleCase struct {
	name  string
	close func()
	calls map[string]func() error
	zero  any // a zero value, and the type by which new calls are noticed
}

// drop closes what a call made, so that calls that win a race leave nothing.
func drop[T interface{ Close() }](h T, err error) error {
	if err == nil {
		h.Close()
	}
	return err
}

func ignore[T any](_ T, err error) error { return err }

func (c *chain) handles() []handleCase {
	batch := record(goMemory, person{3, "three"})
	id := paimon.NewIdentifier("db", "t")
	splits := c.plan.Splits()
	return []handleCase{
		{"Catalog", c.catalog.Close, map[string]func() error{
			"ListDatabases":  func() error { return ignore(c.catalog.ListDatabases()) },
			"CreateDatabase": func() error { return c.catalog.CreateDatabase("db", nil, true) },
			"DropDatabase":   func() error { return c.catalog.DropDatabase("none", true, false) },
			"ListTables":     func() error { return ignore(c.catalog.ListTables("db")) },
			"CreateTable": func() error {
				return c.catalog.CreateTable(id, &paimon.Schema{Fields: []paimon.DataField{{Name: "id", Type: paimon.IntType()}}}, true)
			},
			"DropTable": func() error { return c.catalog.DropTable(paimon.NewIdentifier("db", "none"), true) },
			"GetTable":  func() error { return drop(c.catalog.GetTable(id)) },
			"RenameTable": func() error {
				return c.catalog.RenameTable(paimon.NewIdentifier("db", "none"), paimon.NewIdentifier("db", "new"), true)
			},
			"AlterTable": func() error {
				return c.catalog.AlterTable(id, []paimon.SchemaChange{paimon.SetOption("write-buffer-size", "64 mb")}, false)
			},
			"CreateTag": func() error { return c.catalog.CreateTag(id, "tag", nil, true) },
			"CreateTagWithRetention": func() error {
				return c.catalog.CreateTagWithRetention(id, "tag", nil, time.Hour, true)
			},
			"GetTag":       func() error { return ignore(c.catalog.GetTag(id, "first")) },
			"DeleteTag":    func() error { return c.catalog.DeleteTag(id, "none", true) },
			"ListTags":     func() error { return ignore(c.catalog.ListTags(id)) },
			"CreateBranch": func() error { return unlessTaken(c.catalog.CreateBranch(id, "new", "")) },
			"DropBranch":   func() error { return c.catalog.DropBranch(id, "none", true) },
			"ListBranches": func() error { return ignore(c.catalog.ListBranches(id)) },
		}, &paimon.Catalog{}},
		{"Table", c.table.Close, map[string]func() error{
			"Schema":                        func() error { return ignore(c.table.Schema()) },
			"ArrowSchema":                   func() error { return ignore(c.table.ArrowSchema()) },
			"LatestSnapshot":                func() error { return ignore(c.table.LatestSnapshot()) },
			"Snapshot":                      func() error { return ignore(c.table.Snapshot(1)) },
			"ListSnapshots":                 func() error { return ignore(c.table.ListSnapshots()) },
			"NewReadBuilder":                func() error { return drop(c.table.NewReadBuilder()) },
			"NewReadBuilderWithOptions":     func() error { return drop(c.table.NewReadBuilderWithOptions(nil)) },
			"NewWriteBuilder":               func() error { return drop(c.table.NewWriteBuilder()) },
			"NewWriteBuilderWithCommitUser": func() error { return drop(c.table.NewWriteBuilderWithCommitUser("u")) },
			"NewBlobReader":                 func() error { return drop(c.table.NewBlobReader()) },
			"NewPostponeFixedBucketWriteBuilder": func() error {
				return unlessNoPostpone(drop(c.table.NewPostponeFixedBucketWriteBuilder()))
			},
			"NewPostponeFixedBucketWriteBuilderWithCommitUser": func() error {
				return unlessNoPostpone(drop(c.table.NewPostponeFixedBucketWriteBuilderWithCommitUser("u")))
			},
		}, &paimon.Table{}},
		{"ReadBuilder", c.readBuilder.Close, map[string]func() error{
			"WithProjection":    func() error { return c.readBuilder.WithProjection([]string{"id", "name"}) },
			"WithCaseSensitive": func() error { return c.readBuilder.WithCaseSensitive(true) },
			"WithLimit":         func() error { return c.readBuilder.WithLimit(10) },
			"WithParallelism":   func() error { return c.readBuilder.WithParallelism(2) },
			"WithReadAhead":     func() error { return c.readBuilder.WithReadAhead(1 << 20) },
			"WithResources":     func() error { return c.readBuilder.WithResources(c.spare) },
			"WithFilter":        func() error { return c.readBuilder.WithFilter(c.filter) },
			"WithFilterPushdown": func() error {
				return c.readBuilder.WithFilterPushdown(true)
			},
			"NewScan": func() error { return drop(c.readBuilder.NewScan()) },
			"NewRead": func() error { return drop(c.readBuilder.NewRead()) },
		}, &paimon.ReadBuilder{}},
		{"TableScan", c.scan.Close, map[string]func() error{
			"Plan": func() error { return drop(c.scan.Plan()) },
		}, &paimon.TableScan{}},
		{"Plan", c.plan.Close, map[string]func() error{
			// These have no error to return.
			"NumSplits": func() error { return closedIf(c.plan.NumSplits() == 0) },
			"Splits":    func() error { return closedIf(c.plan.Splits() == nil) },
		}, &paimon.Plan{}},
		{"TableRead", c.read.Close, map[string]func() error{
			"ArrowSchema":          func() error { return ignore(c.read.ArrowSchema()) },
			"NewRecordBatchReader": func() error { return drop(c.read.NewRecordBatchReader(splits)) },
		}, &paimon.TableRead{}},
		{"RecordBatchReader", c.reader.Close, map[string]func() error{
			"NextRecord": func() error {
				batch, err := c.reader.NextRecord()
				if err == io.EOF {
					return nil
				}
				if err == nil {
					batch.Release()
				}
				return err
			},
			"All": func() error {
				for batch, err := range c.reader.All() {
					if err != nil {
						return err
					}
					batch.Release()
				}
				return nil
			},
		}, &paimon.RecordBatchReader{}},
		{"WriteBuilder", c.writeBuilder.Close, map[string]func() error{
			"WithWriteOnly": func() error { return c.writeBuilder.WithWriteOnly() },
			"WithOverwrite": func() error { return c.writeBuilder.WithOverwrite() },
			"WithResources": func() error { return c.writeBuilder.WithResources(c.spare) },
			"NewWrite":      func() error { return drop(c.writeBuilder.NewWrite()) },
			"NewCommit":     func() error { return drop(c.writeBuilder.NewCommit()) },
		}, &paimon.WriteBuilder{}},
		{"TableWrite", c.write.Close, map[string]func() error{
			"WriteArrowBatch": func() error { return c.write.WriteArrowBatch(batch) },
			"PrepareCommit":   func() error { return drop(c.write.PrepareCommit()) },
		}, &paimon.TableWrite{}},
		{"TableCommit", c.commit.Close, map[string]func() error{
			"Commit":                        func() error { return unlessRepeated(c.commit.Commit(c.messages)) },
			"CommitWithIdentifier":          func() error { return unlessRepeated(c.commit.CommitWithIdentifier(c.messages, 1)) },
			"FilterAndCommitWithIdentifier": func() error { return unlessRepeated(c.commit.FilterAndCommitWithIdentifier(c.messages, 1)) },
			"TruncateTable":                 func() error { return unlessRepeated(c.commit.TruncateTable()) },
			"TruncateTableWithIdentifier":   func() error { return unlessRepeated(c.commit.TruncateTableWithIdentifier(1)) },
			"Abort":                         func() error { return unlessRepeated(c.commit.Abort(c.messages)) },
		}, &paimon.TableCommit{}},
		{"CommitMessages", c.messages.Close, map[string]func() error{
			"Merge": func() error { return unlessRepeated(c.messages.Merge(c.more)) },
		}, &paimon.CommitMessages{}},
		{"PostponeFixedBucketTableWrite", func() { c.fixedOver.Store(true); c.fixedWrite.Close() }, map[string]func() error{
			"WriteArrowBatch": func() error { return c.fixedWrite.WriteArrowBatch(batch) },
			"PrepareCommit": func() error {
				if c.fixedOver.Load() {
					return drop(c.fixedWrite.PrepareCommit())
				}
				other, err := c.fixed.builder.NewWrite() // it closes the write
				if err != nil {
					return err
				}
				return drop(other.PrepareCommit())
			},
		}, &paimon.PostponeFixedBucketTableWrite{}},
		{"PostponeFixedBucketWriteBuilder", c.fixed.builder.Close, map[string]func() error{
			"WithOverwrite":  func() error { return c.fixed.builder.WithOverwrite() },
			"WithResources":  func() error { return c.fixed.builder.WithResources(c.spare) },
			"WithBucketPlan": func() error { return c.fixed.builder.WithBucketPlan(c.bucketPlan) },
			"NewWrite":       func() error { return drop(c.fixed.builder.NewWrite()) },
			"NewCommit":      func() error { return drop(c.fixed.builder.NewCommit()) },
		}, &paimon.PostponeFixedBucketWriteBuilder{}},
		{"PostponeFixedBucketTableCommit", c.fixed.commit.Close, map[string]func() error{
			"Commit":               func() error { return unlessRepeated(c.fixed.commit.Commit(c.fixedDone)) },
			"CommitWithIdentifier": func() error { return unlessRepeated(c.fixed.commit.CommitWithIdentifier(c.fixedDone, 1)) },
			"FilterAndCommitWithIdentifier": func() error {
				return unlessRepeated(c.fixed.commit.FilterAndCommitWithIdentifier(c.fixedDone, 1))
			},
			"TruncateTable":               func() error { return unlessRepeated(c.fixed.commit.TruncateTable()) },
			"TruncateTableWithIdentifier": func() error { return unlessRepeated(c.fixed.commit.TruncateTableWithIdentifier(1)) },
			"Abort":                       func() error { return unlessRepeated(c.fixed.commit.Abort(c.fixedDone)) },
		}, &paimon.PostponeFixedBucketTableCommit{}},
		{"PostponeFixedBucketCommitMessages", c.fixedDone.Close, map[string]func() error{
			"Merge": func() error { return unlessRepeated(c.fixedDone.Merge(c.fixedMore)) },
		}, &paimon.PostponeFixedBucketCommitMessages{}},
		{"ResourceContext", c.resources.Close, map[string]func() error{
			"Metrics": func() error { return ignore(c.resources.Metrics()) },
		}, &paimon.ResourceContext{}},
		{"BlobReader", c.blobReader.Close, map[string]func() error{
			"ReadBlob":  func() error { return ignore(c.blobReader.ReadBlob(c.descriptor)) },
			"ReadBlobs": func() error { return ignore(c.blobReader.ReadBlobs([][]byte{c.descriptor})) },
			"OpenBlob": func() error {
				stream, err := c.blobReader.OpenBlob(c.descriptor)
				if err == nil {
					err = stream.Close()
				}
				return err
			},
		}, &paimon.BlobReader{}},
		{"BlobStream", func() { _ = c.blobStream.Close() }, map[string]func() error{
			"Read": func() error {
				_, err := c.blobStream.Read(make([]byte, 2))
				if err == io.EOF {
					return nil
				}
				return err
			},
			"Seek": func() error { return ignore(c.blobStream.Seek(0, io.SeekStart)) },
		}, &paimon.BlobStream{}},
	}
}

// unlessTaken lets pass that a name was taken by a call before.
func unlessTaken(err error) error {
	if errors.Is(err, paimon.CodeAlreadyExist) {
		return nil
	}
	return err
}

func closedIf(closed bool) error {
	if closed {
		return paimon.ErrClosed
	}
	return nil
}

// unlessNoPostpone lets pass what a table says that is no postpone table.
func unlessNoPostpone(err error) error {
	if errors.Is(err, paimon.CodeUnsupported) {
		return nil
	}
	return err
}

// unlessRepeated lets pass what commits of one set of messages may say that are repeated, or race with each other.
func unlessRepeated(err error) error {
	if errors.Is(err, paimon.ErrClosed) || !errors.Is(err, paimon.CodeInvalidInput) && !errors.Is(err, paimon.ErrCommitConflict) {
		return err
	}
	return nil
}

// Every call of every handle type works while it is open, and gives ErrClosed after Close, on nil, on a zero value, and on a copy
// of a closed handle.
func TestEveryHandleType(t *testing.T) {
	checkLeaks(t)
	c := newChain(t)
	for _, h := range c.handles() {
		t.Run(h.name, func(t *testing.T) {
			for name, call := range h.calls {
				if err := call(); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			h.close()
			h.close()
			for name, call := range h.calls {
				err := call()
				wantError(t, err, paimon.ErrClosed)
				if h.name == "Plan" {
					continue
				}
				var e *paimon.Error
				if !errors.As(err, &e) || e.Op() == "" || e.Object() == "" && h.name != "Catalog" && h.name != "ResourceContext" {
					t.Errorf("%s: the error has no operation or object: %v", name, err)
				}
			}
			callByReflection(t, reflect.ValueOf(h.zero), h.calls)
			callByReflection(t, reflect.Zero(reflect.TypeOf(h.zero)), h.calls)
		})
	}
}

// packageFiles parses the package's own files, without its tests.
func packageFiles(t testing.TB) (files []*ast.File) {
	t.Helper()
	paths, err := filepath.Glob("../*.go")
	must(t, err)
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		must(t, err)
		files = append(files, file)
	}
	return files
}

// A type with a Close method is in the lifecycle test.
func TestLifecycleKnowsEveryType(t *testing.T) {
	known := make(map[string]bool)
	for _, h := range newChain(t).handles() {
		known[h.name] = true
	}
	closers := 0
	for _, file := range packageFiles(t) {
		for _, decl := range file.Decls {
			method, ok := decl.(*ast.FuncDecl)
			if !ok || method.Recv == nil || method.Name.Name != "Close" {
				continue
			}
			receiver := method.Recv.List[0].Type.(*ast.StarExpr).X.(*ast.Ident).Name
			if receiver == "Predicate" { // holds nothing
				continue
			}
			closers++
			if !known[receiver] {
				t.Errorf("%s has a Close method and is not in the lifecycle test", receiver)
			}
		}
	}
	if closers != len(known) {
		t.Errorf("%d types with Close, %d in the lifecycle test", closers, len(known))
	}
}

// callByReflection calls every method of a zero or nil handle with zero arguments: each must fail or return nothing, and none may
// panic. It also notices methods that the lifecycle test does not know.
func callByReflection(t *testing.T, h reflect.Value, known map[string]func() error) {
	t.Helper()
	for i := range h.NumMethod() {
		method := h.Type().Method(i)
		var arguments []reflect.Value
		for k := range h.Method(i).Type().NumIn() {
			arguments = append(arguments, reflect.Zero(h.Method(i).Type().In(k)))
		}
		results := h.Method(i).Call(arguments)
		if method.Name == "Close" { // works always, and gives nil if it gives something
			if len(results) > 0 && !results[0].IsNil() {
				t.Errorf("Close gives %v", results[0])
			}
			continue
		}
		if n := len(results); n > 0 && results[n-1].Type() == reflect.TypeFor[error]() {
			// X is XContext: see TestContextTwins.
			if _, ok := known[strings.TrimSuffix(method.Name, "Context")]; !ok {
				t.Errorf("%s is not in the lifecycle test", method.Name)
			}
			err, _ := results[n-1].Interface().(error)
			wantError(t, err, paimon.ErrClosed)
		}
	}
}

// A copy of a handle is the same handle.
func TestCopiedHandle(t *testing.T) {
	checkLeaks(t)
	c := newChain(t)
	table, reader := *c.table, *c.reader
	table.Close()
	reader.Close()
	_, err := c.table.Schema()
	wantError(t, err, paimon.ErrClosed)
	_, err = c.reader.NextRecord()
	wantError(t, err, paimon.ErrClosed)
	c.table.Close()
}

// What was made from a handle works after it is closed, to the end of the job; and batches outlive everything.
func TestChildrenOutliveParents(t *testing.T) {
	allocator := checkLeaks(t)
	c := newChain(t)
	c.catalog.Close()
	readBuilder, err := c.table.NewReadBuilder()
	must(t, err)
	writeBuilder, err := c.table.NewWriteBuilder()
	must(t, err)
	c.table.Close()
	scan, err := readBuilder.NewScan()
	must(t, err)
	read, err := readBuilder.NewRead()
	must(t, err)
	readBuilder.Close()
	write, err := writeBuilder.NewWrite()
	must(t, err)
	commit, err := writeBuilder.NewCommit()
	must(t, err)
	writeBuilder.Close()

	batch := record(allocator, person{5, "five"})
	must(t, write.WriteArrowBatch(batch))
	batch.Release()
	messages, err := write.PrepareCommit()
	must(t, err)
	write.Close()
	must(t, commit.Commit(messages))
	messages.Close()
	commit.Close()

	plan, err := scan.Plan()
	must(t, err)
	scan.Close()
	splits := plan.Splits()
	plan.Close()
	reader, err := read.NewRecordBatchReader(splits)
	must(t, err)
	read.Close()
	var batches []arrow.RecordBatch
	for batch, err := range reader.All() {
		must(t, err)
		batches = append(batches, batch)
	}
	reader.Close()
	for _, h := range c.handles() {
		h.close()
	}
	runtime.GC()
	var names []string
	for _, batch := range batches {
		for i := range int(batch.NumRows()) {
			names = append(names, strings.Clone(batch.Column(1).ValueStr(i)))
		}
		batch.Release()
	}
	if !slices.Equal(names, []string{"one", "five"}) {
		t.Errorf("got %q", names)
	}
}

// Close may come in the middle of the calls of many goroutines, from several of them: every call works or gives ErrClosed, and nothing
// crashes or is left.
func TestCloseRacesWithCalls(t *testing.T) {
	var calls, refused atomic.Int64
	rounds := 3 * *stress
	for round := range rounds {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			checkLeaks(t)
			for _, h := range newChain(t).handles() {
				closeUnderFire(t, h, &calls, &refused)
			}
		})
	}
	t.Logf("%d rounds over every handle type, %d calls, %d of them refused", rounds, calls.Load(), refused.Load())
}

// closeUnderFire closes a handle while goroutines call it, each in an order of its own until it is refused.
func closeUnderFire(t *testing.T, h handleCase, calls, refused *atomic.Int64) {
	const callers, closers, most = 64, 3, 100_000
	names := slices.Collect(maps.Keys(h.calls))
	start := make(chan struct{})
	var group sync.WaitGroup
	for range callers {
		order := rand.Perm(len(names))
		group.Go(func() {
			<-start
			for i := range most {
				name := names[order[i%len(order)]]
				calls.Add(1)
				err := h.calls[name]()
				runtime.Gosched() // else on one processor Close waits for the turn of all
				if errors.Is(err, paimon.ErrClosed) {
					refused.Add(1)
					return
				}
				// The engine writes schema files in place, so that a call beside AlterTable may find one that is empty.
				if err != nil && !strings.Contains(err.Error(), "Failed to parse schema file") {
					t.Errorf("%s.%s: %v", h.name, name, err)
				}
			}
		})
	}
	for range closers {
		wait := rand.N(3 * time.Millisecond)
		group.Go(func() {
			<-start
			time.Sleep(wait)
			h.close()
		})
	}
	close(start)
	group.Wait()
}
