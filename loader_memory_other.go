// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package paimon

// openImage is reached where a library is embedded only, and none is for this platform.
func openImage([]byte) (uintptr, error) { return 0, ErrUnsupportedPlatform }
