// SPDX-License-Identifier: Apache-2.0

package paimon

import (
	"fmt"
	"os"
	"runtime"
	"strconv"

	"github.com/klauspost/compress/zstd"
)

// libraryPathVariable names the environment variable that holds the path of a native library to load in place of the embedded
// one: a development build, or one's own.
const libraryPathVariable = "PAIMON_LIBRARY_PATH"

// loadImage maps the native library into the process and says where it came from.
func loadImage() (image uintptr, origin string, err error) {
	if strconv.IntSize != 64 {
		return 0, "", ofKind("", runtime.GOOS+"/"+runtime.GOARCH, ErrUnsupportedPlatform, "only 64-bit platforms are supported")
	}
	if path := os.Getenv(libraryPathVariable); path != "" {
		image, err = dlopen(path)
		if err != nil {
			return 0, path, loadError(path, err, "check the path in "+libraryPathVariable+", or unset it to use the embedded library")
		}
		return image, path, nil
	}
	if len(embeddedLibrary) == 0 {
		return 0, "", ofKind("", runtime.GOOS+"/"+runtime.GOARCH, ErrUnsupportedPlatform,
			"none is embedded; build libpaimon_c and put its path into "+libraryPathVariable)
	}
	const embedded = "the embedded native library"
	plain, err := unpackEmbedded()
	if err != nil {
		return 0, embedded, loadError(embedded, err, "the program is damaged; build it again")
	}
	image, err = openImage(plain)
	if err != nil {
		return 0, embedded, loadError(embedded, err, "it needs memfd_create, /proc, glibc and libgcc_s.so.1; see Platforms in README.md")
	}
	return image, embedded, nil
}

func loadError(library string, cause error, advice string) error {
	return &Error{code: CodeUnsupported, message: fmt.Sprintf("%s cannot be loaded: %v; %s", library, cause, advice), cause: cause}
}

// unpackEmbedded decompresses the embedded library. A zstd frame carries a checksum, which the decoder verifies.
func unpackEmbedded() ([]byte, error) {
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer decoder.Close()
	plain, err := decoder.DecodeAll(embeddedLibrary, make([]byte, 0, embeddedLibrarySize))
	if err != nil {
		return nil, err
	}
	if len(plain) != embeddedLibrarySize {
		return nil, fmt.Errorf("it has %d bytes, want %d", len(plain), embeddedLibrarySize)
	}
	return plain, nil
}
