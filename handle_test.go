// SPDX-License-Identifier: Apache-2.0

package paimon

import (
	"errors"
	"sync"
	"testing"
)

// newTestHandle owns a real native object, the cheapest there is.
func newTestHandle(t *testing.T) *handle[cIdentifier] {
	t.Helper()
	l := testLibrary(t)
	name, err := cString("test", "", "name", "x")
	if err != nil {
		t.Fatal(err)
	}
	h, err := adopt(l, ffiIdentifierFree, "test", "x", func() (result[cIdentifier], error) {
		return ffiIdentifierNew.call(l, name, name)
	})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestHandleCloseWaitsForNobody(t *testing.T) {
	before := ReadNativeStats().Handles
	h := newTestHandle(t)
	if _, err := h.acquire("one"); err != nil {
		t.Fatal(err)
	}
	if _, err := h.acquire("two"); err != nil {
		t.Fatal(err)
	}
	h.close() // returns, although two calls are in flight
	h.close()
	if _, err := h.acquire("three"); !errors.Is(err, ErrClosed) {
		t.Errorf("acquire after close: %v", err)
	}
	h.release()
	if h.ptr == nil || ReadNativeStats().Handles != before+1 {
		t.Error("freed while a call is in flight")
	}
	h.release()
	if h.ptr != nil || ReadNativeStats().Handles != before {
		t.Error("not freed by the last call in flight")
	}
}

func TestHandleNil(t *testing.T) {
	var h *handle[cTable]
	h.close()
	if _, err := h.acquire("test"); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
}

func TestHandleRace(t *testing.T) {
	before := ReadNativeStats().Handles
	for range 200 {
		h := newTestHandle(t)
		var group sync.WaitGroup
		for i := range 8 {
			group.Go(func() {
				if i%4 == 3 {
					h.close()
					return
				}
				p, err := h.acquire("test")
				if err != nil {
					if !errors.Is(err, ErrClosed) {
						t.Error(err)
					}
					return
				}
				if p == nil {
					t.Error("acquired a freed object")
				}
				h.release()
			})
		}
		group.Wait()
		if h.ptr != nil {
			t.Fatal("not freed")
		}
	}
	if after := ReadNativeStats().Handles; after != before {
		t.Errorf("%d handles, want %d", after, before)
	}
}
