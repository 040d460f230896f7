// SPDX-License-Identifier: Apache-2.0

//go:build linux && (amd64 || arm64)

package libffi

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"

	"github.com/ebitengine/purego"
)

const soname = "libffi.so.8"

func init() {
	if _, err := purego.Dlopen(soname, purego.RTLD_LAZY); err == nil {
		return
	}
	if _, err := load(); err != nil {
		// The other package would panic next, with less to say.
		panic("paimon: the system has no " + soname + " (package libffi8 or libffi), and the embedded one cannot be loaded: " + err.Error())
	}
}

// load loads the embedded libffi. From then on the dynamic loader takes it for what is asked for by its soname.
func load() (uintptr, error) {
	image, inMemory := loadFromMemory()
	if inMemory == nil {
		return image, nil
	}
	image, inFile := loadFromFile()
	if inFile == nil {
		return image, nil
	}
	return 0, errors.Join(inMemory, inFile)
}

// loadFromMemory leaves the descriptor open: the dynamic loader knows libraries by path, and another one loaded the same way must not
// meet the same number.
func loadFromMemory() (uintptr, error) {
	fd, err := createInMemory(soname)
	if err != nil {
		return 0, os.NewSyscallError("memfd_create", err)
	}
	library, err := fillAndLoad(int(fd))
	if err != nil {
		_ = syscall.Close(int(fd))
	}
	return library, err
}

func fillAndLoad(fd int) (uintptr, error) {
	if n, err := syscall.Write(fd, image); err != nil || n < len(image) {
		return 0, fmt.Errorf("%d of %d bytes written to memory: %w", n, len(image), err)
	}
	return purego.Dlopen("/proc/self/fd/"+strconv.Itoa(fd), purego.RTLD_LAZY)
}

// loadFromFile is for systems without /proc. A file can go once it is loaded.
func loadFromFile() (uintptr, error) {
	dir, err := os.MkdirTemp("", "paimon-go-libffi-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	path := dir + "/" + soname
	if err := os.WriteFile(path, image, 0o600); err != nil {
		return 0, err
	}
	return purego.Dlopen(path, purego.RTLD_LAZY)
}
