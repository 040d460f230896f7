// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"

	paimon "github.com/apache/paimon-rust/bindings/go"
)

// What docs/ownership.md says of finding leaks (case B21): whatever is left open or unreleased shows in the counts, by one each and
// with its bytes, and a record that was written is free as soon as its owner has released it.
func TestLeaksShow(t *testing.T) {
	checkLeaks(t)
	allocator := memory.NewCheckedAllocator(memory.NewGoAllocator())
	_, table := newTable(t, people, nil)
	const size = 16 << 20
	j := newJob(t, table, "", false)
	written := record(allocator, person{1, strings.Repeat("x", size)})
	must(t, j.write.WriteArrowBatch(written))
	if held := allocator.CurrentAlloc(); held < size {
		t.Errorf("the record holds %d bytes", held)
	}
	written.Release()
	allocator.AssertSize(t, 0)
	messages, err := j.write.PrepareCommit()
	must(t, err)
	must(t, j.commit.Commit(messages))
	messages.Close()

	before := paimon.ReadNativeStats()
	opened := int64(0)
	check := func(what string, left int64) {
		t.Helper()
		if handles := paimon.ReadNativeStats().Handles - before.Handles; handles != left {
			t.Errorf("%s: %d native objects, want %d", what, handles, left)
		}
	}
	one := func(what string) {
		t.Helper()
		opened++
		check(what, opened)
	}
	builder, err := table.NewReadBuilder()
	must(t, err)
	one("builder")
	scan, err := builder.NewScan()
	must(t, err)
	one("scan")
	plan, err := scan.Plan()
	must(t, err)
	one("plan")
	read, err := builder.NewRead()
	must(t, err)
	one("read")
	reader, err := read.NewRecordBatchReader(plan.Splits())
	must(t, err)
	one("reader")
	batch, err := reader.NextRecord()
	must(t, err)
	one("batch")
	for _, closed := range []interface{ Close() }{reader, read, plan, scan, builder} {
		closed.Close()
		closed.Close()
	}
	check("all closed, the batch kept", 1)
	if held := paimon.ReadNativeStats().Bytes - before.Bytes; held < size {
		t.Errorf("the batch holds %d bytes", held)
	}
	batch.Release()
	check("the batch released", 0)
	// A read buffer of 2 MiB may stay for the next read.
	if held := paimon.ReadNativeStats().Bytes - before.Bytes; held > size/2 {
		t.Errorf("%d bytes are left", held)
	}
}
