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
	_, path, err := load()
	if err != nil {
		// The other package would panic next, with less to say.
		panic("paimon: the system has no " + soname + " (package libffi8 or libffi), and the embedded one cannot be loaded: " + err.Error())
	}
	if _, err := purego.Dlopen(soname, purego.RTLD_LAZY); err != nil {
		dependencyLoads = path // musl knows libraries by the names of their files only
	}
}

// isSecure reports whether the kernel has given the program rights of its own, by capabilities of its file for instance: AT_SECURE.
func isSecure() bool {
	const atSecure = 23
	getauxval, err := purego.Dlsym(purego.RTLD_DEFAULT, "getauxval")
	if err != nil {
		return true
	}
	secure, _, _ := purego.SyscallN(getauxval, atSecure)
	return secure != 0
}

// load loads the embedded libffi. From then on the dynamic loader takes it for what is asked for by its soname.
func load() (library uintptr, path string, err error) {
	library, path, inMemory := loadFromMemory()
	if inMemory == nil {
		return library, path, nil
	}
	library, path, inFile := loadFromFile()
	if inFile == nil {
		return library, path, nil
	}
	return 0, "", fmt.Errorf("%w; %w", inMemory, inFile)
}

// loadFromMemory leaves the descriptor open: the dynamic loader knows libraries by path, and another one loaded the same way must not
// meet the same number.
func loadFromMemory() (library uintptr, path string, err error) {
	fd, err := createInMemory(soname)
	if err != nil {
		return 0, "", os.NewSyscallError("memfd_create", err)
	}
	path = "/proc/self/fd/" + strconv.Itoa(int(fd))
	library, err = fillAndLoad(int(fd), path)
	if err != nil {
		_ = syscall.Close(int(fd))
	}
	return library, path, err
}

func fillAndLoad(fd int, path string) (uintptr, error) {
	if n, err := syscall.Write(fd, image); err != nil || n < len(image) {
		return 0, fmt.Errorf("%d of %d bytes written to memory: %w", n, len(image), err)
	}
	if _, err := os.Stat(path); err != nil {
		return 0, errors.New("/proc is not mounted")
	}
	return purego.Dlopen(path, purego.RTLD_LAZY)
}

// loadFromFile is for systems without /proc. A file can go once it is loaded.
func loadFromFile() (library uintptr, path string, err error) {
	if os.Getuid() != os.Geteuid() || os.Getgid() != os.Getegid() || isSecure() {
		return 0, "", errors.New("a program with other rights than its caller's loads nothing from a temporary folder")
	}
	dir, err := os.MkdirTemp("", "paimon-go-libffi-")
	if err != nil {
		return 0, "", err
	}
	defer os.RemoveAll(dir)
	path = dir + "/" + soname
	if err := os.WriteFile(path, image, 0o600); err != nil {
		return 0, "", err
	}
	library, err = purego.Dlopen(path, purego.RTLD_LAZY)
	return library, path, err
}
