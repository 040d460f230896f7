// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main

import (
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	for expression, want := range map[string]string{
		"MIT":                                 "MIT",
		"MIT OR Apache-2.0":                   "Apache-2.0",
		"Unlicense/MIT":                       "MIT",
		"GPL-3.0 OR MIT":                      "MIT",
		"MIT AND (MIT OR Apache-2.0)":         "MIT AND Apache-2.0",
		"BSD-3-Clause AND MIT":                "BSD-3-Clause AND MIT",
		"MIT OR GPL-3.0 AND Apache-2.0":       "MIT",
		"Apache-2.0 WITH LLVM-exception":      "Apache-2.0 WITH LLVM-exception",
		"(MIT OR Apache-2.0) AND Unicode-3.0": "Apache-2.0 AND Unicode-3.0",
	} {
		chosen, err := choose(expression)
		if got := strings.Join(chosen, " AND "); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", expression, got, err, want)
		}
	}
	for _, expression := range []string{"", "GPL-3.0", "MIT AND GPL-3.0", "GPL-3.0 OR LGPL-2.1", "Apache-2.0 WITH Other", "(MIT", "MIT)", "MIT MIT", "MIT OR"} {
		if chosen, err := choose(expression); err == nil {
			t.Errorf("%s: accepted as %v", expression, chosen)
		}
	}
}

func TestCutMIT(t *testing.T) {
	const title = "# The MIT License (MIT)\n\n"
	if got, ok := cutMIT(title + "Copyright (c) 2020 A\nCopyright (c) 2021 B\n\n" + strings.ReplaceAll(mit, "\n", " ")); !ok || got != "Copyright (c) 2020 A\nCopyright (c) 2021 B" {
		t.Errorf("%q, %v", got, ok)
	}
	for _, text := range []string{mit, title + mit, "Copyright (c) A\n" + mit + "\nAnd more.", "Copyright (c) A\nApache License"} {
		if got, ok := cutMIT(text); ok {
			t.Errorf("%.40q: %q", text, got)
		}
	}
}
