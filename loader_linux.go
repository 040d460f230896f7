// SPDX-License-Identifier: Apache-2.0

package paimon

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// openImage maps a library from memory: the file it needs lives in memory too and has no name, so that no folder has to be
// writable and nothing is left behind. The descriptor stays open for the life of the process (closed on exec), because the
// dynamic loader knows libraries by path, and another library loaded the same way must not meet the same number.
func openImage(plain []byte) (uintptr, error) {
	fd, err := unix.MemfdCreate(embeddedLibraryName, unix.MFD_CLOEXEC)
	if err != nil {
		return 0, fmt.Errorf("memfd_create: %w", err)
	}
	file := os.NewFile(uintptr(fd), embeddedLibraryName)
	if _, err := file.Write(plain); err != nil {
		return 0, errJoinClose(err, file)
	}
	image, err := dlopen(fmt.Sprintf("/proc/self/fd/%d", fd))
	if err != nil {
		return 0, errJoinClose(err, file)
	}
	imageFile = file
	return image, nil
}

// imageFile keeps the descriptor of the mapped library from being closed by the garbage collector.
var imageFile *os.File

func errJoinClose(err error, file *os.File) error {
	_ = file.Close()
	return err
}
