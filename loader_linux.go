// SPDX-License-Identifier: Apache-2.0

package paimon

import (
	"errors"
	"fmt"

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
	image, err := openDescriptor(fd, plain)
	if err != nil {
		_ = unix.Close(fd)
	}
	return image, err
}

func openDescriptor(fd int, plain []byte) (uintptr, error) {
	for len(plain) > 0 {
		n, err := unix.Write(fd, plain)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return 0, fmt.Errorf("write to memory: %w", err)
		}
		plain = plain[max(n, 0):]
	}
	return dlopen(fmt.Sprintf("/proc/self/fd/%d", fd))
}
