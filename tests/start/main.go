// SPDX-License-Identifier: Apache-2.0

// Command start measures how long a process takes to open its first catalog, without a kept copy of the native library and with one. Each
// start is a process of its own; the two kinds take turns. It needs Linux.
//
// With -once it opens one catalog, writes nothing, and prints how long that took and which file the library was loaded from.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	paimon "github.com/apache/paimon-rust/bindings/go"
)

func main() {
	log.SetFlags(0)
	once := flag.Bool("once", false, "start once, in this process")
	starts := flag.Int("n", 20, "how many starts of each kind")
	flag.Parse()
	var err error
	if *once {
		err = start()
	} else {
		err = measure(*starts)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// A report is what a started process prints.
type report struct {
	Catalog time.Duration // the first NewCatalog
	Library string        // the file that the library was loaded from
}

func start() error {
	began := time.Now()
	catalog, err := paimon.NewCatalog(map[string]string{"warehouse": "memory:/start"})
	if err != nil {
		return err
	}
	took := time.Since(began)
	defer catalog.Close()
	if _, err := catalog.ListDatabases(); err != nil {
		return err
	}
	library, err := mapped()
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(report{took, library})
}

// mapped finds the library among the files that are mapped into this process.
func mapped() (string, error) {
	maps, err := os.ReadFile("/proc/self/maps")
	if errors.Is(err, os.ErrNotExist) {
		return "unknown: no /proc", nil
	}
	for line := range strings.Lines(string(maps)) {
		if at := strings.Index(line, "/"); at >= 0 && strings.Contains(line, "libpaimon_c") {
			return strings.TrimSpace(line[at:]), nil
		}
	}
	return "", errors.Join(err, errors.New("no library is mapped"))
}

// A kind is a way to start, and what its starts took.
type kind struct {
	name    string
	prepare func() error
	catalog []time.Duration
	process []time.Duration
}

func measure(starts int) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "paimon-start-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	cache := filepath.Join(dir, "cache")
	first := &kind{name: "first start", prepare: func() error { return os.RemoveAll(cache) }}
	second := &kind{name: "second start", prepare: func() error { return nil }}
	inMemory := &kind{name: "no folder", prepare: func() error { return nil }}
	for range starts {
		for _, k := range []*kind{first, second, inMemory} {
			if err := k.prepare(); err != nil {
				return err
			}
			place := cache
			if k == inMemory {
				place = "off"
			}
			command := exec.Command(self, "-once")
			command.Env = append(os.Environ(), "PAIMON_CACHE_DIR="+place)
			command.Stderr = os.Stderr
			began := time.Now()
			out, err := command.Output()
			if err != nil {
				return fmt.Errorf("%s: %w", k.name, err)
			}
			k.process = append(k.process, time.Since(began))
			var r report
			if err := json.Unmarshal(out, &r); err != nil {
				return err
			}
			if (k == inMemory) == strings.HasPrefix(r.Library, cache) {
				return fmt.Errorf("%s: the library came from %s", k.name, r.Library)
			}
			k.catalog = append(k.catalog, r.Catalog)
		}
	}
	fmt.Printf("%-14s%16s%16s   (medians of %d)\n", "", "first catalog", "whole process", starts)
	for _, k := range []*kind{first, second, inMemory} {
		fmt.Printf("%-14s%13.1f ms%13.1f ms\n", k.name, millis(k.catalog), millis(k.process))
	}
	fmt.Printf("first / second: %.1f\n", millis(first.catalog)/millis(second.catalog))
	return sizes(self, cache)
}

func millis(of []time.Duration) float64 {
	slices.Sort(of)
	return of[len(of)/2].Seconds() * 1000
}

// sizes says what lies on disk.
func sizes(self, cache string) error {
	info, err := os.Stat(self)
	if err != nil {
		return err
	}
	fmt.Printf("this program: %d bytes\n", info.Size())
	files, err := os.ReadDir(cache)
	if err != nil {
		return err
	}
	for _, file := range files {
		info, err := file.Info()
		if err != nil {
			return err
		}
		fmt.Printf("in the folder: %s, %d bytes\n", info.Name(), info.Size())
	}
	return nil
}
