// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main

import "errors"

func (t target) inspectMachO(plain []byte) (needs []string, macOS string, err error) {
	return nil, "", errors.New("TODO")
}
