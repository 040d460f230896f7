// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The committed library for macOS is as it should be, and damage to it is found: nothing runs it here.
func TestMachOIsLookedAt(t *testing.T) {
	crate, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	b := builder{crate: crate, target: darwinARM64}
	packed, err := os.ReadFile(b.path(b.prebuilt()))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := decompress(packed)
	if err != nil {
		t.Fatal(err)
	}
	needs, macOS, err := b.inspectMachO(plain)
	if err != nil || macOS != "11.0" || len(needs) == 0 {
		t.Fatalf("it needs %q and macOS %s: %v", needs, macOS, err)
	}
	for name, test := range map[string]struct{ from, to, problem string }{
		"an export": {"_paimon_catalog_", "_paimon_catalog-", "hash of page"},
		"its name":  {"@rpath/libpaimon_c", "@rpath/libpaimon-c", "its name is"},
		"a library": {"/usr/lib/libSystem.B", "/usr/lib/libSystem.C", "it needs /usr/lib/libSystem.C"},
	} {
		damaged := bytes.Replace(plain, []byte(test.from), []byte(test.to), 1)
		if bytes.Equal(damaged, plain) {
			t.Errorf("%s: there is no %s", name, test.from)
		}
		if _, _, err := b.inspectMachO(damaged); err == nil || !strings.Contains(err.Error(), test.problem) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
