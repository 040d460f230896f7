// SPDX-License-Identifier: Apache-2.0

//go:build !(linux && amd64)

package paimon

// No library is embedded for this platform. PAIMON_LIBRARY_PATH may name one.
var embeddedLibrary []byte

const (
	embeddedLibraryName   = ""
	embeddedLibrarySHA256 = ""
	embeddedLibrarySize   = 0
)
