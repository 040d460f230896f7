// SPDX-License-Identifier: Apache-2.0

//go:build linux

// Build makes the native library that the Go package embeds, and proves that the committed one came from the committed
// sources. It runs in the repository's root:
//
//	go run ./libpaimon_c/build lib             build for this machine, compress, and write everything that is generated
//	go run ./libpaimon_c/build lib -all        the same for every target; names of targets choose some, linux_arm64 say
//	go run ./libpaimon_c/build verify          check everything, then build again for this machine and compare bit for bit
//	go run ./libpaimon_c/build verify -all     the same, and build for every target
//	go run ./libpaimon_c/build verify -quick   the checks alone
//	go run ./libpaimon_c/build libffi          build libffi alone
//	go run ./libpaimon_c/build header          write include/paimon.h
//	go run ./libpaimon_c/build licenses        write THIRD_PARTY_LICENSES
//
// What is generated: include/paimon.h, THIRD_PARTY_LICENSES, prebuilt/, manifest.json, embed_*.go in the root, and
// internal/libffi/prebuilt. It runs on Linux: all targets are built there.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

const usage = "usage: go run ./libpaimon_c/build lib [-all | target...] | verify [-all | target... | -quick] | libffi | header | licenses"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "libpaimon_c:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New(usage)
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	quick := flags.Bool("quick", false, "verify without building again")
	all := flags.Bool("all", false, "build for every target")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	crate := filepath.Join(root, "libpaimon_c")
	if _, err := os.Stat(filepath.Join(crate, "Cargo.toml")); err != nil {
		return errors.New("start me in the repository's root")
	}
	b := builder{root: root, crate: crate}
	chosen := targets
	if !*all {
		names := flags.Args()
		if len(names) == 0 {
			names = []string{runtime.GOOS + "_" + runtime.GOARCH}
		}
		chosen = slices.DeleteFunc(slices.Clone(targets), func(t target) bool { return !slices.Contains(names, t.name) })
		if len(chosen) != len(names) {
			return fmt.Errorf("a library is built for some platforms only, and %q are not all among them", names)
		}
	}
	switch args[0] {
	case "lib":
		return b.lib(ctx, chosen)
	case "verify":
		if *quick {
			chosen = nil
		}
		return b.verify(ctx, chosen)
	case "libffi":
		return b.libffi(ctx)
	case "header":
		text, err := b.header(ctx)
		if err != nil {
			return err
		}
		return write(b.path(headerFile), text)
	case "licenses":
		text, err := b.licenses(ctx)
		if err != nil {
			return err
		}
		return write(b.path(licensesFile), text)
	}
	return errors.New(usage)
}

// A builder knows one checkout and, where it matters, one target.
type builder struct {
	root  string // the repository
	crate string // its libpaimon_c
	target
}

// path turns a slash-separated path inside libpaimon_c into one of this system.
func (b builder) path(name string) string { return filepath.Join(b.crate, filepath.FromSlash(name)) }

// write makes a file that is to be committed, and its folder.
func write(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

// output runs a program in dir and returns what it printed. An error carries what the program said.
func output(ctx context.Context, dir string, env []string, name string, args ...string) ([]byte, error) {
	var stderr strings.Builder
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, env, &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, stderr.String())
	}
	return out, nil
}

// show runs a program in dir and lets it print.
func show(ctx context.Context, dir string, env []string, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err)
	}
	return nil
}

func note(format string, args ...any) { fmt.Fprintf(os.Stderr, "libpaimon_c: "+format+"\n", args...) }
