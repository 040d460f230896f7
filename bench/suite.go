// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"log"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"time"

	paimon "github.com/apache/paimon-rust/bindings/go"
)

// The names of the sides.
const (
	ours     = "this library"
	rust     = "Rust"
	pyRust   = "pypaimon-rust"
	py       = "pypaimon"
	pq       = "pqarrow"
	pqAtOnce = "pqarrow, parallel"
)

var (
	everybody = []string{ours, rust, pyRust, py, pq, pqAtOnce}
	engines   = []string{ours, rust, pyRust, py} // those that know Paimon
	pair      = []string{ours, rust}
)

// A measurement is a task that some sides do, in turns.
type measurement struct {
	name  string
	sides []string
	task  task
	how   how
}

// how a measurement is made.
type how int

const (
	warm how = iota // in processes that go on
	cold            // in a fresh process, whose whole time counts
	heap            // in a fresh process, for its memory
)

// The tables that are written to.
const (
	target  = "target"  // like narrow, and empty
	updated = "updated" // like keyed, and a copy of it
)

// The measurements that others are compared with by name.
const (
	readNarrow     = "read narrow"
	readNarrow8192 = "read narrow, 8,192 rows a batch"
	readWide       = "read wide"
	readWide8192   = "read wide, 8,192 rows a batch"
	readNested     = "read nested"
	readNested8192 = "read nested, 8,192 rows a batch"
	readFiles      = "read 16 files"
	readFilesTwo   = "read 16 files, two at a time"
	writeNarrow    = "write and commit"
	writeNarrowTwo = "write and commit, two writers"
	memoryRead     = "memory to read narrow"
	memoryWrite    = "memory to write and commit"
)

func measurements(rows int64, quick bool) []measurement {
	commits := 50
	if quick {
		commits = 4
	}
	read := func(t task) task {
		t.Op = opRead
		return t
	}
	write := task{Op: opWrite, Table: target, Rows: rows, BatchRows: max(1, rows/8)}
	two := write
	two.Writers = 2
	return []measurement{
		{readNarrow, everybody, read(task{Table: "narrow"}), warm},
		{readNarrow8192, pair, read(task{Table: "narrow", Batch: 8192}), warm},
		{readWide, everybody, read(task{Table: "wide"}), warm},
		{readWide8192, pair, read(task{Table: "wide", Batch: 8192}), warm},
		{readNested, everybody, read(task{Table: "nested"}), warm},
		{readNested8192, pair, read(task{Table: "nested", Batch: 8192}), warm},
		{"read strings", everybody, read(task{Table: "strings"}), warm},
		{"read nulls", everybody, read(task{Table: "nulls"}), warm},
		{"read 5 of 50 columns", everybody, read(task{Table: "wide", Columns: []string{"id", "c01", "c02", "c03", "c04"}}), warm},
		{"read a tenth, filtered", engines, read(task{Table: "narrow", Below: rows / 10}), warm},
		{"read and merge keys", engines, read(task{Table: "keyed"}), warm},
		{readFiles, everybody, read(task{Table: "files"}), warm},
		{readFilesTwo, []string{ours}, read(task{Table: "files", Parallel: 2}), warm},
		{writeNarrow, engines, write, warm},
		{writeNarrowTwo, []string{ours}, two, warm},
		{"upsert", engines, task{Op: opWrite, Table: updated, Rows: rows / 25, BatchRows: max(1, rows/200)}, warm},
		{fmt.Sprintf("%d small commits", commits), engines, task{
			Op: opWrite, Table: target, Rows: 1000 * int64(commits), BatchRows: 1000, Commits: commits,
		}, warm},
		{"cold start, one row", engines, read(task{Table: "narrow", Limit: 1}), cold},
		{memoryRead, engines, read(task{Table: "narrow"}), heap},
		{memoryWrite, engines, write, heap},
	}
}

// A suite runs measurements and has their results.
type suite struct {
	config
	warehouse string
	cache     string // where the fresh processes find the native library
	list      []measurement
	sides     map[string]side
	results   map[string]map[string][]result // by measurement and side
	failures  map[string]error               // by side and measurement, the first each
}

// measure makes the tables and all measurements.
func measure(c config) (_ *suite, err error) {
	dir, err := os.MkdirTemp(c.dir, "paimon-bench-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	s := &suite{
		config: c, warehouse: filepath.Join(dir, "warehouse"), cache: filepath.Join(dir, "cache"),
		results: map[string]map[string][]result{}, failures: map[string]error{},
	}
	only, err := regexp.Compile(c.only)
	if err != nil {
		return nil, err
	}
	tables := map[string]bool{}
	for _, m := range measurements(c.rows, c.quick) {
		if only.MatchString(m.name) {
			m.task.Warehouse = s.warehouse
			s.list = append(s.list, m)
			tables[m.task.Table] = true
		}
	}
	tables["keyed"] = tables["keyed"] || tables[updated]
	if c.library != "" {
		if err := paimon.SetNativeFile(c.library); err != nil {
			return nil, err
		}
	}
	// Kept open, so that the worker threads that both sides of this process share do not end with each task.
	catalog, err := paimon.NewCatalog(map[string]string{"warehouse": s.warehouse})
	if err != nil {
		return nil, err
	}
	defer catalog.Close()
	for _, d := range datasets(c.rows) {
		if tables[d.name] {
			log.Printf("making table %s: %d rows", d.name, d.rows)
			if err := fill(catalog, d); err != nil {
				return nil, err
			}
		}
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	if err := s.start(); err != nil {
		return nil, err
	}
	for _, m := range s.list {
		log.Printf("measuring: %s", m.name)
		s.results[m.name] = map[string][]result{}
		if !c.quick { // what is done for the first time (imports of Python, pages of files) does not count
			if err := s.round(catalog, m, 0); err != nil {
				return nil, err
			}
			clear(s.results[m.name])
		}
		for n := range c.rounds {
			if err := s.round(catalog, m, n); err != nil {
				return nil, err
			}
		}
		s.compare(m)
		if own, ok := s.sides[ours].(*golang); ok && m.task.Op == opWrite {
			_ = own.close() // what it keeps would let Go collect garbage less often
		}
	}
	return s, nil
}

// start starts the sides that there are.
func (s *suite) start() error {
	s.sides = map[string]side{ours: new(golang), pq: parquet{}, pqAtOnce: parquet{parallel: true}}
	if s.library != "" {
		n, err := openNative(s.library)
		if err != nil {
			return err
		}
		s.sides[rust] = n
	}
	if s.python != "" {
		for _, name := range []string{pyRust, py} {
			p, err := s.process(name, "")
			if err != nil {
				return err
			}
			s.sides[name] = p
		}
	}
	return nil
}

func (s *suite) stop() (err error) {
	for _, side := range s.sides {
		err = errors.Join(err, side.close())
	}
	return err
}

// process starts a process of its own for a side, with a native library or, if that is none, the embedded one.
func (s *suite) process(name, library string) (*process, error) {
	switch name {
	case pyRust:
		return startProcess(nil, s.python, "peers.py", "rust")
	case py:
		return startProcess(nil, s.python, "peers.py", "python")
	case ours, rust:
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		return startProcess([]string{"PAIMON_CACHE_DIR=" + s.cache}, self, "-side", name, "-library", library)
	}
	return nil, errUnavailable
}

// round lets each side do the task of a measurement, each time beginning with another.
func (s *suite) round(catalog *paimon.Catalog, m measurement, n int) error {
	for i := range m.sides {
		if err := s.once(catalog, m, m.sides[(i+n)%len(m.sides)]); err != nil {
			return err
		}
	}
	return nil
}

// once lets one side do the task of a measurement once.
func (s *suite) once(catalog *paimon.Catalog, m measurement, name string) error {
	side := s.sides[name]
	if side == nil || s.failures[name+": "+m.name] != nil {
		return nil
	}
	if m.task.Op == opWrite {
		if err := s.prepare(catalog, m.task.Table); err != nil {
			return err
		}
	}
	var r result
	var err error
	switch m.how {
	case cold:
		library := s.library
		if name == ours {
			library = "" // what its users have
		}
		r, err = runCold(func() (*process, error) { return s.process(name, library) }, m.task)
	case heap:
		r, err = runAlone(func() (*process, error) { return s.process(name, s.library) }, m.task)
	case warm:
		r, err = s.warm(side, m.task)
	}
	if err != nil {
		s.failures[name+": "+m.name] = err
		if !errors.Is(err, errUnavailable) {
			log.Printf("%s: %s: %v", name, m.name, err)
		}
		return nil
	}
	s.results[m.name][name] = append(s.results[m.name][name], r)
	return nil
}

func (s *suite) warm(side side, t task) (result, error) {
	if t.Op == opWrite {
		made := t
		made.Op, made.Writers = opGenerate, 0
		if _, err := side.run(made); err != nil {
			return result{}, err
		}
	}
	runtime.GC()
	return side.run(t)
}

// prepare makes a table that is written to as if it had never been.
func (s *suite) prepare(catalog *paimon.Catalog, name string) error {
	folder := filepath.Join(s.warehouse, database+".db")
	if err := os.RemoveAll(filepath.Join(folder, name)); err != nil {
		return err
	}
	if name == updated {
		return os.CopyFS(filepath.Join(folder, name), os.DirFS(filepath.Join(folder, "keyed")))
	}
	return create(catalog, dataset{name: name, columns: narrow})
}

// compare says where sides did not do the same.
func (s *suite) compare(m measurement) {
	counts := map[int64][]string{}
	for _, name := range m.sides {
		if all := s.results[m.name][name]; len(all) > 0 && m.how != cold {
			counts[all[0].Rows] = append(counts[all[0].Rows], name)
		}
	}
	if len(counts) > 1 {
		for _, rows := range slices.Sorted(maps.Keys(counts)) {
			log.Printf("%s: %d rows for %v", m.name, rows, counts[rows])
		}
	}
}

// median gives the middle one of what a side's results of a measurement have; ok is false if there are none.
func (s *suite) median(measurement, side string, of func(result) float64) (middle, spread float64, ok bool) {
	var values []float64
	for _, r := range s.results[measurement][side] {
		values = append(values, of(r))
	}
	if len(values) == 0 {
		return 0, 0, false
	}
	slices.Sort(values)
	middle = (values[(len(values)-1)/2] + values[len(values)/2]) / 2
	return middle, (values[len(values)-1] - values[0]) / 2 / middle, true
}

// What can be asked of a result.
func wall(r result) float64  { return r.Wall.Seconds() }
func cpu(r result) float64   { return r.CPU.Seconds() }
func first(r result) float64 { return float64(r.First) / float64(time.Millisecond) }
func resident(r result) float64 {
	return float64(r.Peak) / (1 << 20)
}
