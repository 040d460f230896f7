// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// environment says what the results depend on.
func environment(c config, root string) []string {
	facts := []string{
		fmt.Sprintf("%s, %d rows in the narrow tables, medians of %d rounds", time.Now().UTC().Format("2 January 2006"), c.rows, c.rounds),
		fmt.Sprintf("%s, %d cores, %s/%s", processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH),
	}
	versions := []string{strings.Replace(runtime.Version(), "go", "Go ", 1)}
	if root != "" {
		if version := output(filepath.Join(root, "libpaimon_c"), "rustc", "--version"); version != "" {
			versions = append(versions, version)
		}
		lock, err := os.ReadFile(filepath.Join(root, "libpaimon_c", "Cargo.lock"))
		if m := regexp.MustCompile(`name = "paimon"\nversion = "(.*)"`).FindSubmatch(lock); err == nil && m != nil {
			versions = append(versions, "paimon "+string(m[1]))
		}
	}
	if c.python != "" {
		const script = `import platform, importlib.metadata as m
print("Python " + platform.python_version(), *(p + " " + m.version(p) for p in ("pypaimon", "pypaimon-rust", "pyarrow")), sep=", ")`
		versions = append(versions, output("", c.python, "-c", script))
	}
	return append(facts, strings.Join(versions, ", "))
}

func output(dir, name string, arguments ...string) string {
	command := exec.Command(name, arguments...)
	command.Dir = dir
	out, err := command.Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// processor is the name of the processor's model.
func processor() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if m := regexp.MustCompile(`(?m)^model name\s*: (.*)$`).FindSubmatch(info); err == nil && m != nil {
		return string(m[1])
	}
	return "unknown processor"
}

// A call is what a benchmark of the module found.
type call struct {
	nanoseconds, allocations float64
}

// benchmarks runs those benchmarks of the module in root that are about single calls.
func benchmarks(root string, quick bool) (map[string]call, error) {
	long := "1s"
	if quick {
		long = "10ms"
	}
	command := exec.Command("go", "test", "-run=^$", "-bench=^Benchmark(Call|Import)$", "-benchmem", "-benchtime="+long, ".")
	command.Dir = root
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go test: %w\n%s", err, out)
	}
	calls := map[string]call{}
	line := regexp.MustCompile(`^Benchmark(\S+?)(?:-\d+)?\s+\d+\s+([\d.]+) ns/op.*\s(\d+) allocs/op`)
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		if m := line.FindStringSubmatch(lines.Text()); m != nil {
			nanoseconds, _ := strconv.ParseFloat(m[2], 64)
			allocations, _ := strconv.ParseFloat(m[3], 64)
			calls[m[1]] = call{nanoseconds, allocations}
		}
	}
	return calls, nil
}
