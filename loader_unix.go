// SPDX-License-Identifier: Apache-2.0

//go:build linux || darwin

package paimon

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/ebitengine/purego"
)

// dlopen keeps the library's symbols to itself and binds them all now, so that a library that does not fit fails here.
func dlopen(path string) (uintptr, error) {
	image, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return 0, linkError(err.Error())
	}
	return image, nil
}

func dlsym(image uintptr, name string) (uintptr, error) { return purego.Dlsym(image, name) }

// places lists where the library can be, the best first: kept for the next start, in memory, and in the folder for temporary files, which
// strangers use too.
func places(cacheDir string) []place {
	switch cacheDir {
	case "":
		// Named by the user who runs it, since two cannot share one.
		temporary := filepath.Join(os.TempDir(), fmt.Sprintf("paimon-go-%d", os.Geteuid()))
		return append(append([]place{{"the user's cache folder", loadFromUserCache}}, inMemory...), inFolder(temporary))
	case noCache:
		return inMemory
	default:
		return append([]place{inFolder(cacheDir)}, inMemory...)
	}
}

func inFolder(path string) place {
	return place{path, func(library packed) (uintptr, error) { return loadFromFolder(path, library) }}
}

// loadFromUserCache uses the user's cache folder, unless it is another user's: what root left in it would be in that user's way.
func loadFromUserCache(library packed) (uintptr, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return 0, err
	}
	info, err := os.Stat(base)
	if os.IsNotExist(err) {
		info, err = os.Stat(filepath.Dir(base))
	}
	if err != nil {
		return 0, err
	}
	if user := owner(info); user != os.Geteuid() && user != 0 {
		return 0, fmt.Errorf("%s: it belongs to user %d, and this process is user %d", base, user, os.Geteuid())
	}
	if err := os.Mkdir(base, 0o700); err != nil && !os.IsExist(err) {
		return 0, err
	}
	path := filepath.Join(base, "paimon-go")
	image, err := loadFromFolder(path, library)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	return image, nil
}

// keptOpen are the files that libraries were loaded from by the numbers of their descriptors. They stay open for the life of the
// process, because the dynamic loader knows libraries by path, and another library loaded the same way must not meet the same number. They
// are closed on exec.
var keptOpen []*os.File

// loadFile loads an open file. Where the system lets it, it is this very file, whatever has become of its path since.
func loadFile(file *os.File, path string) (uintptr, error) {
	if own := descriptorPath(file); own != "" {
		path = own
	}
	image, err := dlopen(path)
	if err != nil {
		return 0, err
	}
	keptOpen = append(keptOpen, file)
	return image, nil
}
