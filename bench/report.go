// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A report is what is made of the results.
type report struct {
	*suite
	environment []string
	calls       map[string]call // by the benchmark's name
}

// A goal is a figure that the project wants to keep, and what it is to be.
type goal struct {
	name, wanted, measured string
}

// goals compares the medians with what is wanted. That decides nothing: times depend on the machine, and on what else runs on it.
func (r *report) goals() []goal {
	var goals []goal
	add := func(name, wanted, format string, value float64, ok bool) {
		measured := "not measured"
		if ok {
			measured = fmt.Sprintf(format, value)
		}
		goals = append(goals, goal{name, wanted, measured})
	}
	// ratio divides a figure of one measurement and side by that of another.
	ratio := func(name, wanted string, of func(result) float64, m1, side1, m2, side2 string) {
		above, _, ok1 := r.median(m1, side1, of)
		below, _, ok2 := r.median(m2, side2, of)
		add(name, wanted, "%.2f", above/below, ok1 && ok2)
	}
	for _, m := range []struct{ name, wanted string }{
		{readNarrow, "≤ 0.95"},
		{readNarrow8192, "≤ 0.95"},
		{readWide, "≤ 1.0"},
		{readWide8192, "≤ 1.0"},
		{readNested, "≤ 1.0"},
		{readNested8192, "≤ 1.0"},
	} {
		ratio(m.name+": time, to Rust's", m.wanted, wall, m.name, ours, m.name, rust)
		ratio(m.name+": CPU time, to Rust's", "≤ 1.15", cpu, m.name, ours, m.name, rust)
	}
	for _, m := range []string{readNarrow, readWide, readNested} {
		mine, _, ok1 := r.median(m, ours, first)
		theirs, _, ok2 := r.median(m, rust, first)
		add(m+": first row, after Rust's", "≤ 5 ms", "%.1f ms", mine-theirs, ok1 && ok2)
	}
	ratio("write and commit: time, to Rust's", "≤ 1.03", wall, writeNarrow, ours, writeNarrow, rust)
	ratio("peak memory of a read, to Rust's", "≤ 1.10", resident, memoryRead, ours, memoryRead, rust)
	ratio("peak memory of a write, to Rust's", "≤ 1.10", resident, memoryWrite, ours, memoryWrite, rust)
	faster := func(name, wanted, m, than string) { ratio(name, wanted, wall, m, than, m, ours) }
	faster("reading: how many times as fast as pypaimon-rust", "≥ 1.8", readNarrow, pyRust)
	faster("reading: how many times as fast as pypaimon", "≥ 2", readNarrow, py)
	faster("reading: how many times as fast as pqarrow", "≥ 1.7", readNarrow, pq)
	faster("reading: how many times as fast as pqarrow, parallel", "≥ 1.3", readNarrow, pqAtOnce)
	faster("writing: how many times as fast as pypaimon-rust", "≥ 1.0", writeNarrow, pyRust)
	faster("writing: how many times as fast as pypaimon", "≥ 1.6", writeNarrow, py)
	ratio("two writers and one commit: how many times as fast as one", "≥ 1.7", wall, writeNarrow, ours, writeNarrowTwo, ours)
	ratio("reading two splits at a time: how many times as fast as one", "≥ 1.7", wall, readFiles, ours, readFilesTwo, ours)

	typed, ok1 := r.calls["Call/typed"]
	bare, ok2 := r.calls["Call/bare"]
	add("a call without work: time, to jupiterrider/ffi's", "≤ 1.3", "%.2f", typed.nanoseconds/bare.nanoseconds, ok1 && ok2)
	add("a call without work: allocations", "0", "%.0f", typed.allocations, ok1)
	imported, ok := r.calls["Import"]
	add("import of a batch of 1,024 rows and 4 columns: time", "", "%.0f ns", imported.nanoseconds, ok)
	add("import of a batch of 1,024 rows and 4 columns: allocations", "", "%.0f", imported.allocations, ok)
	return goals
}

// text is the report for a terminal.
func (r *report) text() string {
	var b strings.Builder
	for _, fact := range r.environment {
		fmt.Fprintf(&b, "%s\n", fact)
	}
	b.WriteByte('\n')
	for _, g := range r.goals() {
		wanted := ""
		if g.wanted != "" {
			wanted = "wanted " + g.wanted
		}
		fmt.Fprintf(&b, "%-66s %14s   %s\n", g.name, g.measured, wanted)
	}
	for _, t := range r.tables() {
		fmt.Fprintf(&b, "\n%s\n", t.title)
		for _, row := range append([][]string{t.head}, t.rows...) {
			fmt.Fprintf(&b, "%-34s", row[0])
			for _, cell := range row[1:] {
				fmt.Fprintf(&b, " %18s", cell)
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// A table has a row for each measurement and a column for each side.
type table struct {
	title string
	head  []string
	rows  [][]string
}

func (r *report) tables() []table {
	time := r.table("Time, and how far the rounds are apart", wall, "%.0f ms", 1000, func(m measurement) bool { return m.how != heap })
	first := r.table("Time to the first batch", first, "%.1f ms", 1, func(m measurement) bool {
		return m.how == warm && m.task.Op == opRead
	})
	processor := r.table("CPU time", cpu, "%.0f ms", 1000, func(m measurement) bool { return m.how != heap })
	memory := r.table("Peak resident memory, in a process of its own", resident, "%.0f MiB", 1, func(m measurement) bool {
		return m.how == heap
	})
	return []table{time, first, processor, memory}
}

func (r *report) table(title string, of func(result) float64, format string, unit float64, fits func(measurement) bool) table {
	t := table{title: title, head: append([]string{""}, everybody...)}
	for _, m := range r.list {
		if !fits(m) {
			continue
		}
		row := []string{m.name}
		for _, side := range everybody {
			middle, spread, ok := r.median(m.name, side, of)
			failure := r.failures[side+": "+m.name]
			switch {
			case ok && middle > 0:
				row = append(row, fmt.Sprintf(format+" ± %.0f%%", middle*unit, 100*spread))
			case errors.Is(failure, errUnavailable):
				row = append(row, failure.Error())
			case failure != nil:
				row = append(row, "fails")
			default:
				row = append(row, "")
			}
		}
		t.rows = append(t.rows, row)
	}
	return t
}

// markdown is the report for a document.
func (r *report) markdown() string {
	var b strings.Builder
	for _, fact := range r.environment {
		fmt.Fprintf(&b, "- %s\n", fact)
	}
	b.WriteString("\n| ratio of medians | wanted | measured |\n| --- | --- | --- |\n")
	for _, g := range r.goals() {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", g.name, g.wanted, g.measured)
	}
	fmt.Fprintf(&b, "\n![Times as multiples of this library's](%s)\n", chartFile)
	for _, t := range r.tables() {
		if len(t.rows) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n%s:\n\n| %s |\n|%s\n", t.title, strings.Join(t.head, " | "), strings.Repeat(" --- |", len(t.head)))
		for _, row := range t.rows {
			fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		}
	}
	return b.String()
}

const (
	documentFile = "performance.md"
	chartFile    = "performance.svg"

	beginMark = "<!-- make bench: begin -->\n"
	endMark   = "<!-- make bench: end -->\n"
)

// publish writes the report into the document in a folder, between its marks, and the chart beside it.
func (r *report) publish(folder string) error {
	path := filepath.Join(folder, documentFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, ok1 := strings.Cut(string(text), beginMark)
	_, after, ok2 := strings.Cut(rest, endMark)
	if !ok1 || !ok2 {
		return fmt.Errorf("%s lacks the line %s or %s", path, strings.TrimSpace(beginMark), strings.TrimSpace(endMark))
	}
	text = []byte(before + beginMark + r.markdown() + endMark + after)
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, chartFile), []byte(r.chart()), 0o644)
}
