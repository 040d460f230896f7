// SPDX-License-Identifier: Apache-2.0

package paimon

import (
	"context"
	"fmt"
	"io"
	"iter"
	"strings"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// A ReadBuilder says what a read shall return. A setting that is refused leaves the builder as it was, and scans and reads keep the
// settings that the builder had when they were made.
//
// It is safe for concurrent use and stays valid after its [Table] is closed.
type ReadBuilder struct {
	h      *handle[cReadBuilder]
	source string
}

func (rb *ReadBuilder) base() *handle[cReadBuilder] {
	if rb == nil {
		return nil
	}
	return rb.h
}

// Close frees the builder. It is idempotent, does not wait for calls in flight, and is harmless on a nil builder.
func (rb *ReadBuilder) Close() { rb.base().close() }

// WithProjection reads only these columns, in this order; nil or none gives batches without columns, which still count rows. A
// name that no column has, even ignoring case, is [ErrColumnNotExist] here. One that differs in case only, or stands twice, fails
// at [ReadBuilder.NewRead], once it is known whether case matters.
func (rb *ReadBuilder) WithProjection(columns []string) error {
	const op = "set projection"
	p, err := rb.base().acquire(op)
	if err != nil {
		return err
	}
	defer rb.h.release()
	array, err := cStrings(op, rb.h.object, "a column name", columns)
	if err != nil {
		return err
	}
	e, err := ffiReadBuilderWithProjection.call(rb.h.lib, p, array, uintptr(len(columns)))
	return rb.h.lib.done(op, rb.h.object, e, err)
}

// WithCaseSensitive says whether the names of the projection must match in case, which is the default. It may come before or after
// [ReadBuilder.WithProjection]. Batches keep the schema's spelling.
func (rb *ReadBuilder) WithCaseSensitive(caseSensitive bool) error {
	const op = "set case sensitivity"
	p, err := rb.base().acquire(op)
	if err != nil {
		return err
	}
	defer rb.h.release()
	e, err := ffiReadBuilderWithCaseSensitive.call(rb.h.lib, p, caseSensitive)
	return rb.h.lib.done(op, rb.h.object, e, err)
}

// WithFilter returns only the rows for which the predicate is true, neither false nor unknown, after versions of a primary key are
// merged. It replaces an earlier filter; nil leaves what is set. The filter may use columns that the projection leaves out.
//
// A predicate of another table is [CodeInvalidInput]. Columns are looked up by name in the schema that is read, which in time travel may
// be an older one: a column that is missing there is [ErrColumnNotExist], one of a type that does not fit [CodeInvalidInput]. See
// [ReadBuilder.PredicateBuilder].
func (rb *ReadBuilder) WithFilter(p *Predicate) error {
	const op = "set filter"
	builder, err := rb.base().acquire(op)
	if err != nil {
		return err
	}
	defer rb.h.release()
	switch {
	case p == nil:
		return nil
	case p.missing():
		return invalidInput(op, rb.h.object, "the predicate is a zero value; make one with a PredicateBuilder")
	case p.source != rb.source:
		return invalidInput(op, rb.h.object, "the predicate, %s, is of another table, %s", p.brief(), p.object)
	}
	return setFilter(rb.h, builder, op, p)
}

// WithFilterPushdown says whether a read may skip files and parts of files that the filter rules out, which is the default. The rows are the
// same either way; without it a read is slower. It is there to find out where a difference comes from.
func (rb *ReadBuilder) WithFilterPushdown(enabled bool) error {
	const op = "set filter pushdown"
	p, err := rb.base().acquire(op)
	if err != nil {
		return err
	}
	defer rb.h.release()
	e, err := ffiReadBuilderWithFilterPushdown.call(rb.h.lib, p, enabled)
	return rb.h.lib.done(op, rb.h.object, e, err)
}

// WithLimit returns at most so many rows, and never fewer than there are: the plan may leave out files that are not needed, and every
// [RecordBatchReader] stops at the limit. Readers do not know of each other, so several of one plan may return more together. Which
// rows come is not defined. A negative limit is [ErrNegativeLimit].
func (rb *ReadBuilder) WithLimit(limit int) error {
	const op = "set limit"
	if limit < 0 {
		return ofKind(op, rb.base().name(), ErrNegativeLimit, "want 0 or more")
	}
	p, err := rb.base().acquire(op)
	if err != nil {
		return err
	}
	defer rb.h.release()
	e, err := ffiReadBuilderWithLimit.call(rb.h.lib, p, uintptr(limit))
	return rb.h.lib.done(op, rb.h.object, e, err)
}

// WithParallelism lets each [RecordBatchReader] read so many splits at the same time; 1 is the default. If it has fewer splits than
// that, it reads the files of a split in parallel, where no merging of keys binds them. More than 1 gives up the order: the batches of
// one split, or file, come in its order, but those of different ones as they are ready. Less than 1 is [CodeInvalidInput].
//
// The work is done by the threads of the native library, one for each processor that the process may use: more splits at a time than
// that help where storage is slow.
func (rb *ReadBuilder) WithParallelism(splits int) error {
	const op = "set parallelism"
	p, err := rb.base().acquire(op)
	if err != nil {
		return err
	}
	defer rb.h.release()
	if splits < 1 {
		return invalidInput(op, rb.h.object, "%d splits at the same time; want 1 or more", splits)
	}
	e, err := ffiReadBuilderWithParallelism.call(rb.h.lib, p, uintptr(splits))
	return rb.h.lib.done(op, rb.h.object, e, err)
}

// WithReadAhead limits the memory of the batches that a [RecordBatchReader] has read before they are asked for, in bytes; 64 MiB is the
// default. It begins with the first call for a batch, and stops when the reader is closed. One batch is read ahead even if it is
// larger, and never more than 4 are; beside them, each split that is being read has one in work, and what the engine has read of its
// files. A negative limit is [CodeInvalidInput].
func (rb *ReadBuilder) WithReadAhead(limitBytes int64) error {
	const op = "set read-ahead"
	p, err := rb.base().acquire(op)
	if err != nil {
		return err
	}
	defer rb.h.release()
	if limitBytes < 0 {
		return invalidInput(op, rb.h.object, "a limit of %d bytes; want 0 or more", limitBytes)
	}
	e, err := ffiReadBuilderWithReadAhead.call(rb.h.lib, p, uintptr(limitBytes))
	return rb.h.lib.done(op, rb.h.object, e, err)
}

// WithResources makes the reads that are made from now on stay within a memory budget, which they share with all else that took it:
// what exceeds it is [CodeResourceExhausted], the error of [RecordBatchReader.NextRecord]. They keep the budget after r is closed; a nil
// or closed r is [ErrClosed].
func (rb *ReadBuilder) WithResources(r *ResourceContext) error {
	const op = "set resources"
	p, err := rb.base().acquire(op)
	if err != nil {
		return err
	}
	defer rb.h.release()
	context, err := r.base().acquire(op)
	if err != nil {
		return err
	}
	defer r.h.release()
	e, err := ffiReadBuilderWithResources.call(rb.h.lib, p, context)
	return rb.h.lib.done(op, rb.h.object, e, err)
}

// NewScan makes a scan with the builder's settings. The caller closes it.
func (rb *ReadBuilder) NewScan() (*TableScan, error) {
	const op = "new scan"
	p, err := rb.base().acquire(op)
	if err != nil {
		return nil, err
	}
	defer rb.h.release()
	h, err := adopt(rb.h.lib, ffiTableScanFree, op, rb.h.object, func() (result[cTableScan], error) {
		return ffiReadBuilderNewScan.call(rb.h.lib, p)
	})
	if err != nil {
		return nil, err
	}
	return &TableScan{h: h, source: rb.source}, nil
}

// NewRead makes a read with the builder's settings. The caller closes it.
func (rb *ReadBuilder) NewRead() (*TableRead, error) {
	const op = "new read"
	p, err := rb.base().acquire(op)
	if err != nil {
		return nil, err
	}
	defer rb.h.release()
	h, err := adopt(rb.h.lib, ffiTableReadFree, op, rb.h.object, func() (result[cTableRead], error) {
		return ffiReadBuilderNewRead.call(rb.h.lib, p)
	})
	if err != nil {
		return nil, err
	}
	schema, err := readSchema(h, h.ptr, "get Arrow schema")
	return &TableRead{h: h, source: rb.source, schema: readerSchema{schema, err}}, nil
}

// A TableScan finds out which files a read has to look into. It is safe for concurrent use and stays valid after its [ReadBuilder]
// is closed.
type TableScan struct {
	h      *handle[cTableScan]
	source string
}

func (s *TableScan) base() *handle[cTableScan] {
	if s == nil {
		return nil
	}
	return s.h
}

// Close frees the scan. It is idempotent, does not wait for calls in flight, and is harmless on a nil scan.
func (s *TableScan) Close() { s.base().close() }

// Plan plans a read of the snapshot that is the latest now. A table without snapshots gives a plan without splits. The caller
// closes the plan.
func (s *TableScan) Plan() (*Plan, error) {
	return s.PlanContext(context.Background())
}

// PlanContext is [TableScan.Plan], and ends when ctx does.
func (s *TableScan) PlanContext(ctx context.Context) (_ *Plan, err error) {
	const op = "plan"
	p, end, err := s.base().begin(ctx, op)
	if err != nil {
		return nil, err
	}
	defer end(&err)
	h, err := adopt(s.h.lib, ffiPlanFree, op, s.h.object, func() (result[cPlan], error) {
		return ffiTableScanPlan.call(s.h.lib, p)
	})
	if err != nil {
		return nil, err
	}
	splits, err := planSplits(h, s.source)
	if err != nil {
		h.close()
		return nil, err
	}
	return &Plan{h: h, splits: splits}, nil
}

// A Plan is the splits of one snapshot. It is immutable and safe for concurrent use.
type Plan struct {
	h      *handle[cPlan]
	splits []DataSplit
}

func (p *Plan) base() *handle[cPlan] {
	if p == nil {
		return nil
	}
	return p.h
}

// Close frees the plan; its splits stay valid. It is idempotent and harmless on a nil plan.
func (p *Plan) Close() { p.base().close() }

// NumSplits is the number of splits; 0 after Close.
func (p *Plan) NumSplits() int { return len(p.open()) }

// Splits gives the splits; nil after Close. The caller owns the slice.
func (p *Plan) Splits() []DataSplit { return append([]DataSplit(nil), p.open()...) }

func (p *Plan) open() []DataSplit {
	if _, err := p.base().acquire("splits"); err != nil {
		return nil
	}
	defer p.h.release()
	return p.splits
}

// A DataSplit is a part of a plan that can be read on its own. It is an immutable value, independent of its [Plan].
type DataSplit struct {
	plan   uint64 // which plan of this process it belongs to
	source string // of its table
	bytes  []byte // as Java's SplitSerializer writes it
	info   splitInfo
}

// splitInfo is what the native library says of a split.
type splitInfo struct {
	RowCount  int64       `json:"rowCount"`
	Bucket    int32       `json:"bucket"`
	Partition [][2]string `json:"partition"` // keys and values, in the order of the keys
}

// RowCount is how many rows the files of the split have. It is at least what a read returns, which leaves out deleted rows and merges
// those of one key, and more where columns lie in files of their own, as BLOB columns do: their rows count again.
func (s DataSplit) RowCount() int64 { return s.info.RowCount }

// Bucket is the number of the bucket that the split is of; 0 in a table without buckets.
func (s DataSplit) Bucket() int32 { return s.info.Bucket }

// Partition is the partition that the split is of: each partition key, and its value in the form that Paimon gives it in paths, with
// nothing escaped. A null, and a text that is empty or blank, is there as __DEFAULT_PARTITION__, or what partition.default-name says.
// It is empty in a table without partitions. The caller owns the map.
func (s DataSplit) Partition() map[string]string {
	partition := make(map[string]string, len(s.info.Partition))
	for _, pair := range s.info.Partition {
		partition[pair[0]] = pair[1]
	}
	return partition
}

// String says which bucket the split is of, and how many rows its files have.
func (s DataSplit) String() string {
	if s.plan == 0 {
		return "no split"
	}
	var text strings.Builder
	for _, pair := range s.info.Partition {
		text.WriteString(pair[0] + "=" + pair[1] + "/")
	}
	return fmt.Sprintf("%sbucket-%d (%d rows)", text.String(), s.info.Bucket, s.info.RowCount)
}

// planCount numbers the plans of this process, from 1.
var planCount atomic.Uint64

// A TableRead turns splits into record batches. It is safe for concurrent use and stays valid after its [ReadBuilder] is closed.
type TableRead struct {
	h      *handle[cTableRead]
	source string
	schema readerSchema
}

// readerSchema is the schema of what a read returns, or why there is none.
type readerSchema struct {
	arrow *arrow.Schema
	err   error
}

func (tr *TableRead) base() *handle[cTableRead] {
	if tr == nil {
		return nil
	}
	return tr.h
}

// Close frees the read. It is idempotent, does not wait for calls in flight, and is harmless on a nil read.
func (tr *TableRead) Close() { tr.base().close() }

// ArrowSchema gives the schema of the batches that the read returns. It is known even if there is nothing to read.
func (tr *TableRead) ArrowSchema() (*arrow.Schema, error) {
	if _, err := tr.base().acquire("get Arrow schema"); err != nil {
		return nil, err
	}
	defer tr.h.release()
	return tr.schema.arrow, tr.schema.err
}

// NewRecordBatchReader reads splits, one after the other in the order given unless [ReadBuilder.WithParallelism] says otherwise: any of
// the splits of one plan of the same table. None at all, or splits of different plans or of another table, is [CodeInvalidInput]. The
// caller closes the reader.
func (tr *TableRead) NewRecordBatchReader(splits []DataSplit) (*RecordBatchReader, error) {
	return tr.NewRecordBatchReaderContext(context.Background(), splits)
}

// NewRecordBatchReaderContext is [TableRead.NewRecordBatchReader], and ends when ctx does.
func (tr *TableRead) NewRecordBatchReaderContext(ctx context.Context, splits []DataSplit) (_ *RecordBatchReader, err error) {
	const op = "new record batch reader"
	p, end, err := tr.base().begin(ctx, op)
	if err != nil {
		return nil, err
	}
	defer end(&err)
	object := tr.h.object
	if len(splits) == 0 {
		return nil, invalidInput(op, object, "no splits; a plan of an empty table has none to read")
	}
	for i, split := range splits {
		switch {
		case split.plan == 0:
			return nil, invalidInput(op, object, "split %d is a zero value", i)
		case split.plan != splits[0].plan:
			return nil, invalidInput(op, object, "split %d is of another plan than split 0; read each plan on its own", i)
		case split.source != tr.source:
			return nil, invalidInput(op, object, "split %d is of the table at %s, this read of the one at %s", i, split.source, tr.source)
		}
	}
	h, err := openReader(tr.h, p, op, splits)
	if err != nil {
		return nil, err
	}
	h.turns = newTurn()
	return &RecordBatchReader{h: h, state: new(readerState), schema: tr.schema}, nil
}

// A RecordBatchReader is a stream of record batches.
//
// It is safe for concurrent use; calls wait for each other, and each batch goes to one of them. It stays valid after its
// [TableRead], and everything before that, is closed.
type RecordBatchReader struct {
	h      *handle[cRecordBatchReader]
	state  *readerState
	schema readerSchema
}

// readerState is what one call on a reader leaves to the next: it belongs to the call whose turn it is.
type readerState struct {
	end    error         // how the stream ended, io.EOF or what went wrong
	schema *arrow.Schema // of the batch before
}

func (r *RecordBatchReader) base() *handle[cRecordBatchReader] {
	if r == nil {
		return nil
	}
	return r.h
}

// Close frees the reader; batches it gave stay valid. It is idempotent, does not wait for calls in flight, and is harmless on a nil
// reader.
func (r *RecordBatchReader) Close() { r.base().close() }

// NextRecord gives the next batch, or io.EOF at the end, again and again. After an error it gives the same error again.
//
// The caller releases the batch. It is independent of the reader and everything else, and its buffers are read-only memory of the
// native library: what its arrays hand out, strings among it, is gone when the batch is released, so clone what shall last.
func (r *RecordBatchReader) NextRecord() (arrow.RecordBatch, error) {
	return r.NextRecordContext(context.Background())
}

// NextRecordContext is [RecordBatchReader.NextRecord], and ends when ctx does: then the reader is over, as after any error, unless the
// call had not begun.
func (r *RecordBatchReader) NextRecordContext(ctx context.Context) (_ arrow.RecordBatch, err error) {
	const op = "read"
	p, end, err := r.base().begin(ctx, op)
	if err != nil {
		return nil, err
	}
	defer end(&err)
	if r.state.end != nil {
		return nil, r.state.end
	}
	batch, err := nextBatch(r.h, p, op, &r.state.schema)
	if err == nil && batch == nil {
		err = io.EOF
	}
	r.state.end = ofContext(err, ctx)
	return batch, r.state.end
}

// All iterates over the batches that are left. Each batch belongs to the loop body, which releases it; an error ends the loop. To
// stop early is fine, and the reader can be read on.
func (r *RecordBatchReader) All() iter.Seq2[arrow.RecordBatch, error] {
	return r.AllContext(context.Background())
}

// AllContext is [RecordBatchReader.All], and ends when ctx does, with its error.
func (r *RecordBatchReader) AllContext(ctx context.Context) iter.Seq2[arrow.RecordBatch, error] {
	return func(yield func(arrow.RecordBatch, error) bool) {
		for {
			batch, err := r.NextRecordContext(ctx)
			if err == io.EOF || !yield(batch, err) || err != nil {
				return
			}
		}
	}
}

// RecordReader gives the batches that are left as arrow-go's interface, for what consumes one: ipc writers, [array.TableFromRecords],
// other databases. It takes r over: r is closed with the last Release, and to close r before that ends it with [ErrClosed].
//
// As arrow-go documents, a batch is valid until the next call of Next unless it is retained; Next gives false at the end and after an
// error, which Err tells; and only Retain and Release may be called from several goroutines at once.
func (r *RecordBatchReader) RecordReader() array.RecordReader {
	return r.RecordReaderContext(context.Background())
}

// RecordReaderContext is [RecordBatchReader.RecordReader], whose Next ends when ctx does.
func (r *RecordBatchReader) RecordReaderContext(ctx context.Context) array.RecordReader {
	adapter := &recordReader{ctx: ctx, reader: r, schema: arrow.NewSchema(nil, nil)}
	adapter.references.Store(1)
	if _, err := r.base().acquire("read"); err != nil {
		adapter.err = err
		return adapter
	}
	defer r.h.release()
	if r.schema.err != nil {
		adapter.err = r.schema.err
		return adapter
	}
	adapter.schema = r.schema.arrow
	return adapter
}

// recordReader adapts a reader to array.RecordReader.
type recordReader struct {
	ctx        context.Context // of all its calls: the interface has no room for one
	references atomic.Int64
	reader     *RecordBatchReader
	schema     *arrow.Schema
	current    arrow.RecordBatch
	err        error // what ended it, io.EOF included
}

func (a *recordReader) Retain() { a.references.Add(1) }

func (a *recordReader) Release() {
	if a.references.Add(-1) == 0 {
		a.drop()
		a.reader.Close()
	}
}

func (a *recordReader) drop() {
	if a.current != nil {
		a.current.Release()
		a.current = nil
	}
}

func (a *recordReader) Schema() *arrow.Schema { return a.schema }

func (a *recordReader) RecordBatch() arrow.RecordBatch { return a.current }

// Record is RecordBatch by its deprecated name, which the interface still has.
func (a *recordReader) Record() arrow.RecordBatch { return a.current }

func (a *recordReader) Next() bool {
	a.drop()
	if a.err == nil {
		a.current, a.err = a.reader.NextRecordContext(a.ctx)
	}
	return a.err == nil
}

func (a *recordReader) Err() error {
	if a.err == io.EOF {
		return nil
	}
	return a.err
}
