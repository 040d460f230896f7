// SPDX-License-Identifier: Apache-2.0

package paimon

import (
	"errors"
	"os"
)

// macOS has no files in memory, and no files without a name.
var inMemory = []place{{"memory", func(packed) (uintptr, error) { return 0, errors.New("macOS loads nothing from there") }}}

func systemIsKnown() bool { return true }

func isSecure() bool { return false }

func descriptorPath(*os.File) string { return "" }

func (c *cache) mayRun() error { return nil }

func (c *cache) addNameless(string, []byte) (*os.File, error) { return nil, errors.ErrUnsupported }
