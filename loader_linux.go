// SPDX-License-Identifier: Apache-2.0

package paimon

import (
	"errors"
	"fmt"
	"os"

	"github.com/ebitengine/purego"
	"golang.org/x/sys/unix"
)

// systemIsKnown reports whether the process runs on glibc, which the embedded library is built for, and shares it with what it loads.
func systemIsKnown() bool {
	_, err := purego.Dlsym(purego.RTLD_DEFAULT, "gnu_get_libc_version")
	return err == nil
}

// atSecure is AT_SECURE, the entry of the auxiliary vector by which the kernel says that a program has rights of its own.
const atSecure = 23

func isSecure() bool {
	vector, err := unix.Auxv()
	if err != nil {
		return true
	}
	for _, entry := range vector {
		if entry[0] == atSecure {
			return entry[1] != 0
		}
	}
	return false
}

var inMemory = []place{{"memory", loadFromMemory}}

// loadFromMemory loads the library from a file that lives in memory and has no name, so that no folder has to be writable and nothing is
// left behind.
func loadFromMemory(library packed) (uintptr, error) {
	// A library is not a program: its file need not be executable, and where vm.memfd_noexec is 2 it must not be.
	fd, err := unix.MemfdCreate(embeddedLibraryName, unix.MFD_CLOEXEC|unix.MFD_NOEXEC_SEAL)
	if errors.Is(err, unix.EINVAL) { // before Linux 6.3
		fd, err = unix.MemfdCreate(embeddedLibraryName, unix.MFD_CLOEXEC)
	}
	if err != nil {
		return 0, fmt.Errorf("memfd_create: %w", err)
	}
	file := os.NewFile(uintptr(fd), embeddedLibraryName)
	if descriptorPath(file) == "" {
		file.Close()
		return 0, errors.New("/proc is not mounted")
	}
	image, err := loadFromMemoryFile(file, library)
	if err != nil {
		file.Close()
	}
	return image, err
}

func loadFromMemoryFile(file *os.File, library packed) (uintptr, error) {
	plain, err := library.unpack()
	if err != nil {
		return 0, err
	}
	if _, err := file.Write(plain); err != nil {
		return 0, reason(err)
	}
	return loadFile(file, "")
}

// descriptorPath is a path that leads to an open file without its name, or nothing where there is no such path.
func descriptorPath(file *os.File) string {
	path := fmt.Sprintf("/proc/self/fd/%d", file.Fd())
	own, err := file.Stat()
	if err != nil {
		return ""
	}
	found, err := os.Stat(path)
	if err != nil || !os.SameFile(own, found) {
		return ""
	}
	return path
}

// nameless creates a file that has no name. A process that dies leaves nothing of it.
func (c *cache) nameless() (*os.File, error) {
	dir, err := c.root.Open(".")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	fd, err := unix.Openat(int(dir.Fd()), ".", unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	switch {
	case errors.Is(err, unix.EISDIR), errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOENT): // systems that do not know O_TMPFILE
		return nil, errors.ErrUnsupported
	case err != nil:
		return nil, err
	}
	return os.NewFile(uintptr(fd), c.path), nil
}

// mayRun finds out before anything is written whether what lies in the folder may be executed.
func (c *cache) mayRun() error {
	file, err := c.nameless()
	if errors.Is(err, errors.ErrUnsupported) {
		return nil // dlopen will say
	}
	if err != nil {
		return err
	}
	defer file.Close()
	page, err := unix.Mmap(int(file.Fd()), 0, 1, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE)
	if err != nil {
		return fmt.Errorf("nothing in it may be executed, its file system is mounted noexec perhaps (%w)", err)
	}
	return unix.Munmap(page)
}

// addNameless gives a file its name when it is complete. Where the name is taken the file stays without.
func (c *cache) addNameless(name string, plain []byte) (*os.File, error) {
	file, err := c.nameless()
	if err != nil {
		return nil, err
	}
	if err := c.fillAndName(file, name, plain); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

func (c *cache) fillAndName(file *os.File, name string, plain []byte) error {
	path := descriptorPath(file)
	if path == "" {
		return errors.ErrUnsupported
	}
	if err := fill(file, plain); err != nil {
		return err
	}
	dir, err := c.root.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	err = unix.Linkat(unix.AT_FDCWD, path, int(dir.Fd()), name, unix.AT_SYMLINK_FOLLOW)
	if err != nil && !errors.Is(err, unix.EEXIST) {
		return errors.ErrUnsupported
	}
	return nil
}
