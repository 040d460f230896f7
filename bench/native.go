// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"unsafe"

	"github.com/ebitengine/purego"
)

// native is the side of the Rust crate alone, in the very library that this process has loaded: see libpaimon_c/src/bench.rs.
type native struct {
	call func(task string) *byte // char* paimon_bench_run(const char* task);
	free func(result *byte)      // void paimon_bench_free(char* result);
}

func openNative(library string) (*native, error) {
	image, err := purego.Dlopen(library, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, err
	}
	n := new(native)
	for _, symbol := range []struct {
		name string
		into any
	}{{"paimon_bench_run", &n.call}, {"paimon_bench_free", &n.free}} {
		address, err := purego.Dlsym(image, symbol.name)
		if err != nil {
			return nil, fmt.Errorf("%w; build it with --features bench, as make bench does", err)
		}
		purego.RegisterFunc(symbol.into, address)
	}
	return n, nil
}

func (*native) close() error { return nil }

func (n *native) run(t task) (result, error) {
	if t.Parallel > 0 || t.Writers > 1 {
		return result{}, errUnavailable
	}
	text, err := json.Marshal(t)
	if err != nil {
		return result{}, err
	}
	p := n.call(string(text))
	defer n.free(p)
	length := 0
	// SAFETY: the native side gives a string that ends in NUL, and keeps it until it is freed.
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), length)) != 0 {
		length++
	}
	// SAFETY: as above.
	return decode(unsafe.Slice(p, length))
}
