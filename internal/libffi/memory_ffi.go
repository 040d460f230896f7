// SPDX-License-Identifier: Apache-2.0

//go:build linux && (amd64 || arm64)

package libffi

import (
	"errors"
	"runtime"
	"syscall"
	"unsafe"
)

const (
	mfdCloexec     = 1
	mfdNoexecSeal  = 8 // a library is no program; where vm.memfd_noexec is 2, nothing else is allowed
	memfdOnAMD64   = 319
	memfdElsewhere = 279
)

// createInMemory creates a file that lives in memory. golang.org/x/sys has a function for it, but is initialized too late.
func createInMemory(name string) (uintptr, error) {
	number := uintptr(memfdElsewhere)
	if runtime.GOARCH == "amd64" {
		number = memfdOnAMD64
	}
	text, err := syscall.BytePtrFromString(name)
	if err != nil {
		return 0, err
	}
	// SAFETY: text is a NUL-terminated string that lives through the call.
	fd, _, errno := syscall.Syscall(number, uintptr(unsafe.Pointer(text)), mfdCloexec|mfdNoexecSeal, 0)
	if errors.Is(errno, syscall.EINVAL) { // before Linux 6.3
		fd, _, errno = syscall.Syscall(number, uintptr(unsafe.Pointer(text)), mfdCloexec, 0)
	}
	if errno != 0 {
		return 0, errno
	}
	return fd, nil
}

// dependencyLoads is the variable of github.com/jupiterrider/ffi that has the name of what it loads, empty for the usual one. Where a
// later version has no such variable, setting it does nothing.
//
//go:linkname dependencyLoads github.com/jupiterrider/ffi.filename
var dependencyLoads string
