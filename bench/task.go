// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A task is one piece of work, the same for all sides. They get it as JSON: the native one of libpaimon_c/src/bench.rs, peers.py, and
// processes of this program.
type task struct {
	Op        string `json:"op"` // one of the ops below
	Warehouse string `json:"warehouse"`
	Table     string `json:"table"` // in the database "bench"

	// Of a read.
	Batch    int      `json:"batch,omitempty"`    // read.batch-size; 0 for the default
	Columns  []string `json:"columns,omitempty"`  // a projection
	Below    int64    `json:"below,omitempty"`    // a filter: id < below
	Limit    int      `json:"limit,omitempty"`    // how many rows
	Parallel int      `json:"parallel,omitempty"` // how many splits at a time

	// Of a write, of rows as in the table narrow, which the task generate has made before.
	From      int64 `json:"from,omitempty"` // the first id
	Rows      int64 `json:"rows,omitempty"`
	BatchRows int64 `json:"batch_rows,omitempty"` // of each batch but the last
	Commits   int   `json:"commits,omitempty"`    // 0 is 1
	Writers   int   `json:"writers,omitempty"`    // at a time, for one commit; 0 is 1
}

const (
	opRead     = "read"     // open the table and read it to Arrow, to the end
	opWrite    = "write"    // open the table, write and commit
	opGenerate = "generate" // make the batches of a write, and keep them for it
)

// A result is what came of a task. The catalog is opened in the time measured.
type result struct {
	Rows    int64         `json:"rows"`
	Batches int64         `json:"batches"`
	Wall    time.Duration `json:"wall"`
	CPU     time.Duration `json:"cpu"`   // user and system, of the whole process
	First   time.Duration `json:"first"` // until the first batch was there; 0 if unknown
	Peak    int64         `json:"peak"`  // resident memory in bytes; of a process of its own only
	Error   string        `json:"error,omitempty"`
}

// A side is an implementation that is measured.
type side interface {
	run(t task) (result, error)
	close() error
}

// errUnavailable is why a side cannot do a task at all.
var errUnavailable = errors.New("not available")

// decode reads a result that came as JSON.
func decode(text []byte) (result, error) {
	var r result
	if err := json.Unmarshal(text, &r); err != nil {
		return result{}, err
	}
	if r.Error != "" {
		return result{}, errors.New(r.Error)
	}
	return r, nil
}

// A watch measures one task.
type watch struct {
	began time.Time
	cpu   time.Duration
	first time.Duration
}

func startWatch() *watch {
	return &watch{cpu: cpuTime(), began: time.Now()}
}

// batch tells the watch that there is a batch.
func (w *watch) batch() {
	if w.first == 0 {
		w.first = time.Since(w.began)
	}
}

func (w *watch) stop() result {
	wall := time.Since(w.began)
	return result{Wall: wall, CPU: cpuTime() - w.cpu, First: w.first}
}

// cpuTime is the processor time that this process has used.
func cpuTime() time.Duration {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// resetPeak makes the kernel forget how much memory the process had at most. What is no longer used is given back before.
func resetPeak() error {
	debug.FreeOSMemory()
	return os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

// peak is how many bytes of memory the process had at most since then.
func peak() (int64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kilobytes, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			return kilobytes << 10, err
		}
	}
	return 0, errors.New("/proc/self/status has no VmHWM")
}
