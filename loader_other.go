// SPDX-License-Identifier: Apache-2.0

//go:build !(linux || darwin)

package paimon

func dlopen(string) (uintptr, error) { return 0, ErrUnsupportedPlatform }

func dlsym(uintptr, string) (uintptr, error) { return 0, ErrUnsupportedPlatform }
