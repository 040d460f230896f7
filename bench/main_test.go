// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"

	paimon "github.com/apache/paimon-rust/bindings/go"
)

// Both ways to make the rows of narrow give the same.
func TestNarrow(t *testing.T) {
	var columns paimon.Schema
	for _, c := range narrow {
		columns.Fields = append(columns.Fields, paimon.DataField{Name: c.name, Type: c.kind})
	}
	schema, err := columns.Arrow()
	if err != nil {
		t.Fatal(err)
	}
	slow, fast := record(schema, narrow, 5, 1005), narrowRecord(schema, 5, 1005)
	defer slow.Release()
	defer fast.Release()
	if !array.RecordEqual(slow, fast) {
		t.Error("they differ")
	}
}

// TestQuick lets the sides that need nothing else do every task, on tables of a few rows. How long that takes is not judged.
func TestQuick(t *testing.T) {
	folder := t.TempDir()
	document := filepath.Join(folder, documentFile)
	if err := os.WriteFile(document, []byte("before\n"+beginMark+"old\n"+endMark+"after\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	// Not what runs in fresh processes, which would be the test again.
	c := config{quick: true, dir: t.TempDir(), only: "^(read|write|upsert|4 small)"}
	if err := run(c, "", folder, &text); err != nil {
		t.Fatal(err)
	}
	for _, m := range measurements(1, true) {
		if m.how == warm && !strings.Contains(text.String(), m.name) {
			t.Errorf("%q was not measured", m.name)
		}
	}
	if strings.Contains(text.String(), "fails") {
		t.Error("a side failed:\n", text.String())
	}
	written, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"before\n", "| read narrow |", "after\n"} {
		if !strings.Contains(string(written), want) {
			t.Errorf("the document lacks %q", want)
		}
	}
	if strings.Contains(string(written), "old") {
		t.Error("the document keeps what stood between the marks")
	}
	if chart, err := os.ReadFile(filepath.Join(folder, chartFile)); err != nil || !bytes.Contains(chart, []byte("<rect")) {
		t.Error("no chart:", err)
	}
}
