// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"context"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	paimon "github.com/apache/paimon-rust/bindings/go"
)

// A system call that hangs, as on a file server that is gone, cannot be called off. The call ends all the same, and so does Close.
func TestCancelHangingFile(t *testing.T) {
	allocator := checkLeaks(t)
	_, table := newTable(t, people, nil)
	appendRows(t, table, allocator, person{1, "one"})
	reader := newReader(t, table)
	file := dataFiles(t, table)[0]
	must(t, os.Remove(file))
	must(t, unix.Mkfifo(file, 0o600)) // whoever opens it waits for a writer

	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	started := time.Now()
	_, err := reader.NextRecordContext(ctx)
	wantError(t, err, context.DeadlineExceeded)
	wantError(t, err, paimon.CodeCancelled)
	reader.Close()
	table.Close()
	if took := time.Since(started); took > hung {
		t.Errorf("it took %v", took)
	}

	writer, err := os.OpenFile(file, os.O_WRONLY|unix.O_NONBLOCK, 0)
	must(t, err) // so there was somebody who waited
	must(t, writer.Close())
}
