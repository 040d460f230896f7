// SPDX-License-Identifier: Apache-2.0

package paimon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/apache/paimon-rust/bindings/go/internal/jumps"
)

// What a user of a program can set. SetNativeFile and SetNativeCache go before it.
const (
	libraryPathVariable = "PAIMON_LIBRARY_PATH"
	cacheDirVariable    = "PAIMON_CACHE_DIR"
)

// noCache, in place of a folder, keeps the library in memory.
const noCache = "off"

// SetNativeFile makes the file at path the native library, in place of the embedded one and of the one that the environment
// variable PAIMON_LIBRARY_PATH names. An empty path takes that back. The library is loaded when it is first needed, by a catalog for
// instance, and stays: from then on SetNativeFile is an error. It is safe for concurrent use.
func SetNativeFile(path string) error {
	return choose("set native file", path, &loaded.file)
}

// SetNativeCache makes dir the folder that keeps the unpacked native library from one start of the program to the next, in place of
// the one that the environment variable PAIMON_CACHE_DIR names and of paimon-go in the user's cache folder. The path is absolute;
// "off" stands for no folder, so that the library lives in memory (not on macOS), and an empty path takes the choice back. The folder is
// created if its parent exists; it must belong to the user, and nobody else may be allowed to write to it. Where it cannot be used the
// library is loaded from memory. Once the library is loaded SetNativeCache is an error. It is safe for concurrent use.
func SetNativeCache(dir string) error {
	const op = "set native cache"
	if dir != "" && dir != noCache && !filepath.IsAbs(dir) {
		return invalidInput(op, dir, "the path must be absolute, or %q", noCache)
	}
	return choose(op, dir, &loaded.cacheDir)
}

func choose(op, path string, choice *string) error {
	loaded.Lock()
	defer loaded.Unlock()
	if loaded.lib != nil {
		return invalidInput(op, path, "the native library is loaded already; call this before anything else of the package")
	}
	*choice = path
	return nil
}

// privileged reports whether the program runs with rights that whoever started it may not have. Then it listens to no variable of theirs.
// That is a set-uid program, and one with capabilities of its file.
func privileged() bool {
	return os.Getuid() != os.Geteuid() || os.Getgid() != os.Getegid() || isSecure()
}

// A packed library is one that is embedded.
type packed struct {
	sha256 string
	size   int
	unpack func() ([]byte, error) // gives the same bytes each time
}

// A place is where an unpacked library can be loaded from.
type place struct {
	name string
	load func(packed) (uintptr, error)
}

// loadImage maps the native library into the process and says where it came from.
func loadImage(file, cacheDir string) (image uintptr, origin string, err error) {
	if strconv.IntSize != 64 {
		return 0, "", ofKind("", runtime.GOOS+"/"+runtime.GOARCH, ErrUnsupportedPlatform, "only 64-bit platforms are supported")
	}
	if file == "" && !privileged() {
		file = os.Getenv(libraryPathVariable)
	}
	if file != "" {
		image, err = dlopen(file)
		if err != nil {
			advice, _ := explain(err, file)
			return 0, file, loadError(file, err.Error(), err,
				advice+"check the path in "+libraryPathVariable+" or SetNativeFile, or use the embedded library")
		}
		return image, file, nil
	}
	if len(embeddedLibrary) == 0 {
		return 0, "", ofKind("", runtime.GOOS+"/"+runtime.GOARCH, ErrUnsupportedPlatform,
			"none is embedded; build libpaimon_c and put its path into "+libraryPathVariable)
	}
	if !systemIsKnown() {
		return 0, embedded, loadError(embedded, "the C library of this program is not glibc, or linked into it statically", nil,
			"run it where glibc is (Debian, Ubuntu, Fedora and their like, not Alpine), linked dynamically; see Platforms in README.md")
	}
	switch {
	case cacheDir != "":
	case privileged():
		cacheDir = noCache
	default:
		cacheDir = os.Getenv(cacheDirVariable)
	}
	image, err = loadEmbedded(packed{
		embeddedLibrarySHA256, embeddedLibrarySize, sync.OnceValues(unpackEmbedded),
	}, places(cacheDir))
	if err != nil {
		return 0, embedded, err
	}
	return image, embedded, nil
}

const embedded = "the embedded native library"

// loadEmbedded tries one place after the other. Its error says what was wrong with each.
func loadEmbedded(library packed, places []place) (uintptr, error) {
	var texts []string
	var causes []error
	advice := "name a folder of this user from which programs may be run in " + cacheDirVariable + " or SetNativeCache; "
	for _, p := range places {
		image, err := p.load(library)
		if err == nil {
			return image, nil
		}
		texts, causes = append(texts, p.name+": "+err.Error()), append(causes, err)
		if own, everywhere := explain(err, ""); everywhere {
			advice = own
			break
		}
	}
	return 0, loadError(embedded, strings.Join(texts, "; "), errors.Join(causes...), advice+"see Platforms in README.md")
}

func loadError(library, what string, cause error, advice string) error {
	return &Error{code: CodeUnsupported, message: library + " cannot be loaded: " + what + "; " + advice, cause: cause}
}

// A linkError is what the dynamic loader said.
type linkError string

func (e linkError) Error() string { return string(e) }

// explain says what an error about a file means, and whether it would be the same for a copy elsewhere.
func explain(err error, file string) (advice string, everywhere bool) {
	if errors.Is(err, errDamaged) {
		return "the program is damaged, build it again; ", true
	}
	var said linkError
	if !errors.As(err, &said) {
		return "", false
	}
	text := string(said)
	about, _, _ := strings.Cut(text, ":")
	switch {
	case strings.Contains(text, "version `GLIBC"):
		return "the system's glibc is older than the library needs; ", true
	case strings.Contains(text, "cannot open shared object file") && about != file && !strings.Contains(about, "/"):
		return "install the package that has " + about + "; ", true
	case strings.Contains(text, "symbol not found"), strings.Contains(text, "Error loading shared library"): // musl's words
		return "the library was built for another C library than this program, glibc or musl; ", true
	case strings.Contains(text, "failed to map segment"):
		return "the file lies where nothing may be executed, on a file system that is mounted noexec perhaps; ", false
	}
	return "", false
}

var errDamaged = errors.New("it does not unpack")

// unpackEmbedded decompresses the embedded library, and undoes what its code was rewritten by to compress well. A zstd frame carries a
// checksum, which the decoder verifies.
func unpackEmbedded() ([]byte, error) {
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer decoder.Close()
	plain, err := decoder.DecodeAll(embeddedLibrary, make([]byte, 0, embeddedLibrarySize))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	if len(plain) != embeddedLibrarySize {
		return nil, fmt.Errorf("%w: it has %d bytes, want %d", errDamaged, len(plain), embeddedLibrarySize)
	}
	jumps.ToRelative(plain, runtime.GOARCH)
	return plain, nil
}
