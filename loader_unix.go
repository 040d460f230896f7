// SPDX-License-Identifier: Apache-2.0

//go:build linux || darwin

package paimon

import "github.com/ebitengine/purego"

// dlopen keeps the library's symbols to itself and binds them all now, so that a library that does not fit fails here.
func dlopen(path string) (uintptr, error) {
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func dlsym(image uintptr, name string) (uintptr, error) { return purego.Dlsym(image, name) }
