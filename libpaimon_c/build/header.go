// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

const (
	headerFile      = "include/paimon.h"
	cbindgenVersion = "0.29.4"
	toolsFolder     = "tools" // in libpaimon_c, and not committed
)

// header generates the C header from the Rust sources, with a cbindgen of its own that it installs when there is none.
func (b builder) header(ctx context.Context) ([]byte, error) {
	tools := b.path(toolsFolder)
	cbindgen := filepath.Join(tools, "bin", "cbindgen")
	have, err := output(ctx, b.crate, environment(), cbindgen, "--version")
	if err != nil || strings.TrimSpace(string(have)) != "cbindgen "+cbindgenVersion {
		note("installing cbindgen %s, once", cbindgenVersion)
		// A debug build: the header is small, and the program is ready in half the time.
		env := append(environment(), "CARGO_TARGET_DIR="+filepath.Join(tools, "target"), "CARGO_PROFILE_DEV_DEBUG=0")
		err := show(ctx, b.crate, env, "cargo", "install", "cbindgen", "--version", "="+cbindgenVersion, "--locked", "--debug", "--force", "--root", tools)
		if err != nil {
			return nil, err
		}
		if err := os.RemoveAll(filepath.Join(tools, "target")); err != nil {
			return nil, err
		}
	}
	text, err := output(ctx, b.crate, environment(), cbindgen, "--quiet", "--config", "cbindgen.toml")
	return []byte(headerWording.Replace(string(text))), err
}

// headerWording turns what is Rust's into C's: the heading of a caller's duties, and the name of a generic struct.
var headerWording = strings.NewReplacer(
	" * # Safety\n", "",
	"paimon_result_paimon_", "paimon_result_",
)

// checkHeader compiles the header as C, warnings being errors.
func (b builder) checkHeader(ctx context.Context) error {
	_, err := output(ctx, b.crate, environment(), "cc", "-x", "c", "-std=c99", "-fsyntax-only", "-Wall", "-Wextra", "-pedantic", "-Werror", headerFile)
	return err
}
