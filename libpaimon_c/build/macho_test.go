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

// The tree of exports keeps our names, and where each leads.
func TestLimitExports(t *testing.T) {
	values := map[string]string{
		"_paimon_scan": "1", "_paimon_scan_plan": "22", "_paimon_scan_free": "333", "_paimon_table": "4", "_other": "5", "_pai": "6",
	}
	root := new(exportNode)
	for name, value := range values {
		root.add(name, []byte(value))
	}
	all := root.tree()
	ours, err := limitExports(all)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		tree []byte
		size int
	}{{all, 6}, {ours, 4}} {
		names := 0
		if err := walkExports(test.tree, func(name string, value []byte) error {
			names++
			if values[name] != string(value) {
				t.Errorf("%s leads to %s", name, value)
			}
			return nil
		}); err != nil || names != test.size {
			t.Errorf("%d names, %v; want %d", names, err, test.size)
		}
	}
}

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
	plain, err := b.decompress(packed)
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
