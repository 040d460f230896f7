// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main

import "testing"

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
