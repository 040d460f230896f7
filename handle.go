// SPDX-License-Identifier: Apache-2.0

package paimon

import (
	"context"
	"sync"
)

// A handle owns one native object. Every exported handle type holds a pointer to one, so that copies of it share the object.
//
// Calls and Close may race: Close marks the handle closed and returns at once, and the native object is freed by Close or by the
// last call in flight, whichever comes later. A nil handle is a closed one.
type handle[T any] struct {
	lib    *library
	free   fn1[void, *T]
	object string // what errors call it
	turns  turn   // of begin, where the object takes one call at a time; else nil
	after  func() // runs when the object was freed, unless it is nil

	mu     sync.Mutex
	ptr    *T
	calls  int
	closed bool
	leak   leakWatch
}

// newHandle takes over an object that a native call gave.
func newHandle[T any](lib *library, free fn1[void, *T], object string, ptr *T) *handle[T] {
	lib.live.Add(1)
	h := &handle[T]{lib: lib, free: free, object: object, ptr: ptr}
	h.leak = watchLeak(h, (*T)(nil), object)
	return h
}

// name is what errors call the object.
func (h *handle[T]) name() string {
	if h == nil {
		return ""
	}
	return h.object
}

// acquire begins a call. When it succeeds the object stays valid until release.
func (h *handle[T]) acquire(op string) (*T, error) {
	if h == nil {
		return nil, ofKind(op, "", ErrClosed, "")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, ofKind(op, h.object, ErrClosed, "")
	}
	h.calls++
	return h.ptr, nil
}

// begin is acquire for a call that ends early when ctx does, and that waits for its turn where calls have to. Its end takes the call's
// error, and is the release.
func (h *handle[T]) begin(ctx context.Context, op string) (ptr *T, end func(*error), err error) {
	ptr, err = h.acquire(op)
	if err != nil {
		return nil, nil, err
	}
	if err := h.turns.take(ctx, op, h.object); err != nil {
		h.release()
		return nil, nil, err
	}
	leave, err := h.lib.enter(ctx, op, h.object)
	if err != nil {
		h.turns.leave()
		h.release()
		return nil, nil, err
	}
	return ptr, func(err *error) {
		defer h.release()
		defer h.turns.leave()
		leave(err)
	}, nil
}

// release ends a call that acquire began.
func (h *handle[T]) release() {
	h.mu.Lock()
	h.calls--
	last := h.closed && h.calls == 0
	h.mu.Unlock()
	if last {
		h.drop()
	}
}

// close makes every later acquire fail. It is idempotent and does not wait.
func (h *handle[T]) close() {
	if h == nil {
		return
	}
	h.mu.Lock()
	last := !h.closed && h.calls == 0
	h.closed = true
	h.mu.Unlock()
	if last {
		h.drop()
	}
}

// drop frees the object. It runs once: closed is set once, and calls reach zero once after that.
func (h *handle[T]) drop() {
	// The only error is a missing symbol, and adopt resolved this one before there was an object.
	_, _ = h.free.call(h.lib, h.ptr)
	h.ptr = nil
	h.leak.stop()
	h.lib.live.Add(-1)
	if h.after != nil {
		h.after()
	}
}

// adopt runs a native call that makes an object, and takes the object over. The function that frees it is resolved first, so that
// nothing is made that cannot be freed.
func adopt[T any](l *library, free fn1[void, *T], op, object string, call func() (result[T], error)) (*handle[T], error) {
	if _, err := l.resolve(free.symbol); err != nil {
		return nil, withOp(err, op, object)
	}
	r, err := call()
	if err != nil {
		return nil, withOp(err, op, object)
	}
	if r.err != nil {
		return nil, l.takeError(op, object, r.err)
	}
	return newHandle(l, free, object, r.value), nil
}
