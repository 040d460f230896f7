// SPDX-License-Identifier: Apache-2.0

// Command bench measures this library beside what else reads and writes Paimon tables: the Rust crate that it stands on, used from
// Rust in the same process; pypaimon-rust; pypaimon; and arrow-go's Parquet reader on the tables' files. They take turns. It prints
// the ratios that the project wants to keep, each with what is wanted, and tables of all figures. It needs Linux.
//
// make bench builds what it needs and runs it. Without -library there is no Rust, without -python no Python.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	paimon "github.com/apache/paimon-rust/bindings/go"
)

// A config is what the program was asked for.
type config struct {
	rounds  int
	rows    int64
	only    string
	quick   bool
	library string
	python  string
	dir     string
}

func main() {
	log.SetFlags(log.Ltime)
	var c config
	flag.IntVar(&c.rounds, "rounds", 5, "how often each side does each task")
	flag.Int64Var(&c.rows, "rows", 5_000_000, "rows of the narrow tables; others have fewer, in proportion")
	flag.StringVar(&c.only, "only", "", "make only measurements whose name matches this `regexp`")
	flag.BoolVar(&c.quick, "quick", false, "small tables and one round, to see that it works")
	flag.StringVar(&c.library, "library", "", "the native library, a `file` that was built with --features bench")
	flag.StringVar(&c.python, "python", "", "a `python` that has pypaimon and pypaimon-rust")
	flag.StringVar(&c.dir, "dir", "", "the `folder` to make tables in, a folder for temporary files if empty")
	out := flag.String("out", "", "write the results into performance.md and performance.svg in this `folder`")
	root := flag.String("root", "..", "the `folder` of the library's own module, whose benchmarks are run too; empty for none")
	only := flag.String("side", "", "do tasks from standard input as this side; for the program itself")
	flag.Parse()
	var err error
	if *only != "" {
		err = serveAs(*only, c.library)
	} else {
		err = run(c, *root, *out, os.Stdout)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func run(c config, root, out string, text io.Writer) error {
	if c.quick {
		c.rows, c.rounds = 20_000, 1
	}
	for _, path := range []*string{&c.library, &root} {
		if *path != "" {
			absolute, err := filepath.Abs(*path)
			if err != nil {
				return err
			}
			*path = absolute
		}
	}
	s, err := measure(c)
	if err != nil {
		return err
	}
	r := report{suite: s, environment: environment(c, root)}
	if root != "" {
		log.Print("running the benchmarks of the module")
		if r.calls, err = benchmarks(root, c.quick); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprint(text, r.text()); err != nil || out == "" {
		return err
	}
	return r.publish(out)
}

// serveAs does tasks as a side that this program has itself.
func serveAs(name, library string) error {
	switch {
	case name != ours:
		n, err := openNative(library)
		if err != nil {
			return err
		}
		return serve(n, os.Stdin, os.Stdout)
	case library != "":
		if err := paimon.SetNativeFile(library); err != nil {
			return err
		}
	}
	return serve(new(golang), os.Stdin, os.Stdout)
}
