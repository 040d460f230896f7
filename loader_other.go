// SPDX-License-Identifier: Apache-2.0

//go:build !(linux || darwin)

package paimon

// No library is embedded for these platforms, so nothing looks for a place.
func places(string) []place { return nil }

func systemIsKnown() bool { return true }

func isSecure() bool { return false }

func dlopen(string) (uintptr, error) { return 0, ErrUnsupportedPlatform }

func dlsym(uintptr, string) (uintptr, error) { return 0, ErrUnsupportedPlatform }
