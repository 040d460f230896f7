// SPDX-License-Identifier: Apache-2.0

package paimon

import (
	"io"
	"iter"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
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

// WithLimit says how many rows are wanted. It is a hint by which the plan may leave out files: a read may return more rows, and
// never fewer than there are. A negative limit is [ErrNegativeLimit].
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
	return &TableRead{h: h, source: rb.source}, nil
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
	const op = "plan"
	p, err := s.base().acquire(op)
	if err != nil {
		return nil, err
	}
	defer s.h.release()
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
}

// planCount numbers the plans of this process, from 1.
var planCount atomic.Uint64

// A TableRead turns splits into record batches. It is safe for concurrent use and stays valid after its [ReadBuilder] is closed.
type TableRead struct {
	h      *handle[cTableRead]
	source string
}

func (tr *TableRead) base() *handle[cTableRead] {
	if tr == nil {
		return nil
	}
	return tr.h
}

// Close frees the read. It is idempotent, does not wait for calls in flight, and is harmless on a nil read.
func (tr *TableRead) Close() { tr.base().close() }

// NewRecordBatchReader reads splits, one after the other in the order given: any of the splits of one plan of the same table. None
// at all, or splits of different plans or of another table, is [CodeInvalidInput]. The caller closes the reader.
func (tr *TableRead) NewRecordBatchReader(splits []DataSplit) (*RecordBatchReader, error) {
	const op = "new record batch reader"
	p, err := tr.base().acquire(op)
	if err != nil {
		return nil, err
	}
	defer tr.h.release()
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
	return &RecordBatchReader{h: h, state: new(readerState)}, nil
}

// A RecordBatchReader is a stream of record batches.
//
// It is safe for concurrent use; calls wait for each other, and each batch goes to one of them. It stays valid after its
// [TableRead], and everything before that, is closed.
type RecordBatchReader struct {
	h     *handle[cRecordBatchReader]
	state *readerState
}

type readerState struct {
	sync.Mutex       // one call at a time
	err        error // how the stream ended: io.EOF, or what went wrong
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
	const op = "read"
	p, err := r.base().acquire(op)
	if err != nil {
		return nil, err
	}
	defer r.h.release()
	r.state.Lock()
	defer r.state.Unlock()
	if r.state.err != nil {
		return nil, r.state.err
	}
	batch, err := nextBatch(r.h, p, op)
	if err == nil && batch == nil {
		err = io.EOF
	}
	r.state.err = err
	return batch, err
}

// All iterates over the batches that are left. Each batch belongs to the loop body, which releases it; an error ends the loop. To
// stop early is fine, and the reader can be read on.
func (r *RecordBatchReader) All() iter.Seq2[arrow.RecordBatch, error] {
	return func(yield func(arrow.RecordBatch, error) bool) {
		for {
			batch, err := r.NextRecord()
			if err == io.EOF || !yield(batch, err) || err != nil {
				return
			}
		}
	}
}
