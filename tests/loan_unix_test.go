// SPDX-License-Identifier: Apache-2.0

//go:build unix

package tests

import (
	"syscall"
	"testing"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// Memory that is not Go's is written as it is; it has to be there until the commit is prepared, and no longer.
func TestMemoryThatIsNotGos(t *testing.T) {
	checkLeaks(t)
	const rows = 16 << 10
	for range 2 {
		mapped, err := syscall.Mmap(-1, 0, 4*rows, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
		must(t, err)
		ids := unsafe.Slice((*int32)(unsafe.Pointer(&mapped[0])), rows)
		for i := range ids {
			ids[i] = int32(i)
		}
		must(t, syscall.Mprotect(mapped, syscall.PROT_READ))
		schema := arrow.NewSchema([]arrow.Field{{Name: "id", Type: int32s}}, nil)
		_, table := newTable(t, schema, primaryKey)
		j := newJob(t, table, "", false)
		column := array.MakeFromData(array.NewData(int32s, rows, []*memory.Buffer{nil, memory.NewBufferBytes(mapped)}, nil, 0, 0))
		lend(t, j.write, array.NewRecordBatch(schema, []arrow.Array{column}, rows))
		messages := j.prepare(t, goMemory)
		must(t, syscall.Munmap(mapped))
		must(t, j.commit.Commit(messages))
		if rows := len(readRows(t, table)); rows != 16<<10 {
			t.Errorf("%d rows", rows)
		}
	}
}
