// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// The package embeds a libffi for Linux systems that have none. The crate libffi-sys carries its source.
const (
	libffiVersion   = "3.6.0"
	libffiCrate     = "libffi-sys"
	libffiSys       = "4.2.2"
	libffiSysSHA256 = "eab801a4ae9065bfea87f37204a7940523e752056e4a090eaaaab9b47fc826b5"
	libffiFolder    = libffiCrate + "-" + libffiSys + "/libffi"
	libffiFile      = "libffi.so.8"
)

// A libffiManifest is the manifest's part on libffi. Its files are relative to the repository.
type libffiManifest struct {
	Version string             `json:"version"`
	Crate   lockedCrate        `json:"libffi-sys"`
	Zig     string             `json:"zig"`
	Files   map[string]content `json:"files"`
}

// libffi builds all the libffis and writes them.
func (b builder) libffi(ctx context.Context) error {
	part := newLibffiManifest()
	for _, t := range targets {
		if !t.linux() {
			continue
		}
		b.target = t
		library, err := b.compileLibffi(ctx)
		if err != nil {
			return err
		}
		if err := b.inspectLibffi(library); err != nil {
			return err
		}
		if err := write(filepath.Join(b.root, filepath.FromSlash(b.prebuiltLibffi())), library); err != nil {
			return err
		}
		part.Files[t.name] = describe(b.prebuiltLibffi(), library)
		note("%s: %s with %d bytes", t.name, libffiFile, len(library))
	}
	return b.updateManifest(func(m *manifest) error {
		m.Libffi = part
		return nil
	})
}

func newLibffiManifest() libffiManifest {
	return libffiManifest{
		Version: libffiVersion, Crate: lockedCrate{Version: libffiSys, Checksum: libffiSysSHA256}, Zig: zigVersion,
		Files: make(map[string]content),
	}
}

// committedLibffi is what the manifest should say of the files that are there, if they are as they should be.
func (b builder) committedLibffi() (libffiManifest, error) {
	part := newLibffiManifest()
	for _, t := range targets {
		if !t.linux() {
			continue
		}
		b.target = t
		library, err := b.readLibffi()
		if err == nil {
			err = b.inspectLibffi(library)
		}
		if err != nil {
			return part, err
		}
		part.Files[t.name] = describe(b.prebuiltLibffi(), library)
	}
	return part, nil
}

func (b builder) readLibffi() ([]byte, error) {
	return os.ReadFile(filepath.Join(b.root, filepath.FromSlash(b.prebuiltLibffi())))
}

func (b builder) prebuiltLibffi() string {
	return "internal/libffi/prebuilt/" + b.name + "/" + libffiFile
}

func (b builder) inspectLibffi(library []byte) error {
	_, _, err := b.inspectELF(library, libffiFile, "ffi_")
	return err
}

// compileLibffi builds libffi as its authors do, with Zig for the compiler.
func (b builder) compileLibffi(ctx context.Context) ([]byte, error) {
	stage := b.stage() + "-libffi"
	unlock, err := prepareStage(stage)
	if err != nil {
		return nil, err
	}
	defer unlock()
	_, zig, err := b.zig(ctx)
	if err != nil {
		return nil, err
	}
	crate, err := b.fetchLibffi(ctx)
	if err != nil {
		return nil, err
	}
	if err := untar(crate, stage); err != nil {
		return nil, err
	}
	dir := filepath.Join(stage, "build")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	env, err := stageEnvironment(stage)
	if err != nil {
		return nil, err
	}
	program := filepath.Join(zig, "zig")
	for _, args := range [][]string{
		{
			"sh", filepath.Join(stage, libffiFolder, "configure"), "--quiet", "--host=" + b.triple,
			"--disable-static", "--disable-docs", "--disable-dependency-tracking",
			"CC=" + program + " cc -target " + b.triple + "." + b.version, "AR=" + program + " ar", "RANLIB=" + program + " ranlib",
			"CFLAGS=-O2 -g0 -ffile-prefix-map=" + stage + "=/libffi -ffile-prefix-map=" + zig + "=/zig", "LDFLAGS=-Wl,-s",
		},
		{"make", "--silent"},
	} {
		// What they print is warnings about Zig, which does not know all of GCC's flags; an error shows it.
		if _, err := output(ctx, dir, env, args[0], args[1:]...); err != nil {
			return nil, err
		}
	}
	return os.ReadFile(filepath.Join(dir, ".libs", libffiFile))
}

// fetchLibffi lets Cargo fetch the crate and returns it packed.
func (b builder) fetchLibffi(ctx context.Context) ([]byte, error) {
	dir, err := os.MkdirTemp("", "libpaimon_c-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := errors.Join(
		write(filepath.Join(dir, "Cargo.toml"), []byte("[package]\nname = \"wants\"\n[lib]\npath = \"lib.rs\"\n[dependencies]\n"+
			libffiCrate+" = \"="+libffiSys+"\"\n")),
		write(filepath.Join(dir, "lib.rs"), nil)); err != nil {
		return nil, err
	}
	if err := show(ctx, dir, environment(), "cargo", "fetch", "--quiet"); err != nil {
		return nil, err
	}
	home, err := cargoHome()
	if err != nil {
		return nil, err
	}
	found, err := filepath.Glob(filepath.Join(home, "registry", "cache", "*", libffiCrate+"-"+libffiSys+".crate"))
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("cargo fetched no %s %s", libffiCrate, libffiSys)
	}
	if err != nil {
		return nil, err
	}
	crate, err := os.ReadFile(found[0])
	if sum := sha256.Sum256(crate); err == nil && hex.EncodeToString(sum[:]) != libffiSysSHA256 {
		err = fmt.Errorf("%s has the sha256 %x, not %s", filepath.Base(found[0]), sum, libffiSysSHA256)
	}
	return crate, err
}

// untar unpacks the files of a .tar.gz into dir. Names cannot lead out of it. The times are one for all, so that make builds
// nothing that the archive brings.
func untar(packed []byte, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	unzipped, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return err
	}
	for archive := tar.NewReader(unzipped); ; {
		entry, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if entry.Typeflag != tar.TypeReg {
			continue
		}
		data, err := io.ReadAll(archive)
		if err != nil {
			return err
		}
		name := filepath.FromSlash(entry.Name)
		if err := errors.Join(root.MkdirAll(filepath.Dir(name), 0o700), root.WriteFile(name, data, 0o700),
			root.Chtimes(name, time.Unix(epoch, 0), time.Unix(epoch, 0))); err != nil {
			return err
		}
	}
}
