// SPDX-License-Identifier: Apache-2.0

package paimon_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "let TestGuide rewrite the code blocks of README.md and docs/guide.md")

// A Go block of a document is preceded by "<!-- example_test.go: name -->".
var goBlock = regexp.MustCompile("(?s)(?:<!-- example_test.go: ([a-z-]+) -->\n)?```go\n(.*?)```\n")

// TestGuide checks that the documents show code that compiles and runs: every Go block is a region of example_test.go.
func TestGuide(t *testing.T) {
	regions := cutRegions(t, string(must(os.ReadFile("example_test.go"))))
	for _, path := range []string{"README.md", "docs/guide.md"} {
		raw := must(os.ReadFile(path))
		fresh := goBlock.ReplaceAllStringFunc(string(raw), func(block string) string {
			m := goBlock.FindStringSubmatch(block)
			name, shown := m[1], m[2]
			code, ok := regions[name]
			switch {
			case name == "":
				t.Errorf("%s: put a line <!-- example_test.go: name --> before this block:\n%s", path, shown)
			case !ok:
				t.Errorf("%s: example_test.go has no region %q", path, name)
			case code != shown && !*update:
				t.Errorf("%s: the block %q is not its region of example_test.go. To rewrite it: go test -run TestGuide -update .", path, name)
			case code != shown:
				return strings.Replace(block, "```go\n"+shown, "```go\n"+code, 1)
			}
			return block
		})
		if fresh != string(raw) {
			check(os.WriteFile(path, []byte(fresh), 0o600)) // keeps the mode of a file that exists
		}
	}
}

// cutRegions finds what stands between "// [name]" and "// [/name]". Regions may overlap; markers are not part of any. A region
// loses the indentation of its marker.
func cutRegions(t *testing.T, source string) map[string]string {
	t.Helper()
	marker := regexp.MustCompile(`^(\t*)// \[(/?)([a-z-]+)\]$`)
	regions, open := map[string]string{}, map[string]string{} // open: the indentation, by name
	for i, line := range strings.Split(source, "\n") {
		if m := marker.FindStringSubmatch(line); m != nil {
			indent, end, name := m[1], m[2] == "/", m[3]
			if _, isOpen := open[name]; isOpen != end {
				t.Fatalf("example_test.go:%d: marker %q does not pair up", i+1, strings.TrimSpace(line))
			}
			if end {
				delete(open, name)
				regions[name] = strings.TrimRight(regions[name], "\n") + "\n"
			} else {
				open[name] = indent
			}
			continue
		}
		for name, indent := range open {
			regions[name] += strings.TrimPrefix(line, indent) + "\n"
		}
	}
	if len(open) > 0 {
		t.Fatal("example_test.go: regions without an end: ", fmt.Sprint(open))
	}
	return regions
}
