// SPDX-License-Identifier: Apache-2.0

package paimon

// A ResourceContext is a memory budget that reads and writes share: see [ReadBuilder.WithResources] and [WriteBuilder.WithResources].
//
// The budget counts what the engine reserves, which is an estimate of its large buffers and no limit of the process: for reads, the
// columns of the Parquet row groups in hand before they are decoded (of ORC and Avro files nothing); for writes, the record batches that
// wait to be written to a file. Batches that were read do not count, nor those that wait to be asked for: [ReadBuilder.WithReadAhead]
// bounds them. Nobody waits for memory: what does not fit fails with [CodeResourceExhausted].
//
// It is safe for concurrent use. What took it stays within the budget after it is closed.
type ResourceContext struct {
	h *handle[cResourceContext]
}

// ResourceMetrics says what is reserved of a budget.
type ResourceMetrics struct {
	ReservedMemoryBytes     uintptr // now
	PeakReservedMemoryBytes uintptr // the most that ever was at one time
}

// NewResourceContext makes a budget of so many bytes. Of 0 bytes nothing can be reserved, so that every read of a Parquet file and every
// write fails; math.MaxInt is no limit, and counts. The caller closes it.
//
// Like [NewCatalog] it loads the native library if it is the first call of the process.
func NewResourceContext(memoryLimitBytes uintptr) (*ResourceContext, error) {
	const op = "new resource context"
	l, err := openLibrary(op)
	if err != nil {
		return nil, err
	}
	h, err := adopt(l, ffiResourceContextFree, op, "", func() (result[cResourceContext], error) {
		return ffiResourceContextNew.call(l, memoryLimitBytes)
	})
	if err != nil {
		return nil, err
	}
	return &ResourceContext{h}, nil
}

func (r *ResourceContext) base() *handle[cResourceContext] {
	if r == nil {
		return nil
	}
	return r.h
}

// Close frees the context. It is idempotent, does not wait for calls in flight, and is harmless on a nil context.
func (r *ResourceContext) Close() { r.base().close() }

// Metrics says what is reserved now, by all that took the budget. It is 0 again when all of them are closed, or done.
func (r *ResourceContext) Metrics() (ResourceMetrics, error) {
	const op = "get resource metrics"
	p, err := r.base().acquire(op)
	if err != nil {
		return ResourceMetrics{}, err
	}
	defer r.h.release()
	m, err := ffiResourceContextMetrics.call(r.h.lib, p)
	if err := r.h.lib.done(op, "", m.err, err); err != nil {
		return ResourceMetrics{}, err
	}
	return ResourceMetrics{m.value.reservedMemoryBytes, m.value.peakReservedMemoryBytes}, nil
}
