// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
)

// verify proves that what is committed came from the committed sources. It builds some of the targets again; for the others it
// takes the manifest's word.
func (b builder) verify(ctx context.Context, chosen []target) error {
	m, err := b.readManifest()
	if err != nil {
		return err
	}
	var problems []error
	check := func(good bool, format string, args ...any) {
		if !good {
			problems = append(problems, fmt.Errorf(format, args...))
		}
	}
	same := func(path string, want []byte, err error) {
		have, readErr := os.ReadFile(path)
		if err := errors.Join(err, readErr); err != nil {
			problems = append(problems, err)
			return
		}
		name, _ := filepath.Rel(b.root, path)
		check(bytes.Equal(have, want), "%s is not what would be generated now", name)
	}

	source, err := b.sourceHash()
	if err != nil {
		return err
	}
	for name, have := range map[string]lockedCrate{"paimon": m.Paimon, "openssl-src": m.OpenSSL} {
		want, err := b.locked(name)
		check(err == nil && have == want, "%s: Cargo.lock has another %s (%v)", manifestFile, name, err)
	}
	check(len(m.Targets) == len(targets), "%s knows %d targets", manifestFile, len(m.Targets))
	libraries := make(map[string][]byte)
	for _, t := range targets {
		b := b
		b.target = t
		a, ok := m.Targets[t.name]
		check(ok, "%s knows no %s", manifestFile, t.name)
		if !ok {
			continue
		}
		check(source == a.SourceSHA256, "the sources changed since the library of %s was built", t.name)
		packed, err := os.ReadFile(b.path(b.prebuilt()))
		if err != nil {
			return err
		}
		check(a.Compressed == describe(b.prebuilt(), packed), "%s is not the file that the manifest describes", b.prebuilt())
		check(len(packed) <= maxPacked, "%s has %d bytes, more than %d", b.prebuilt(), len(packed), maxPacked)
		plain, err := b.decompress(packed)
		if err != nil {
			return fmt.Errorf("%s: %w", b.prebuilt(), err)
		}
		libraries[t.name] = plain
		check(a.Plain == describe(t.file, plain), "%s holds another library than the manifest describes", b.prebuilt())
		found := a
		if err := b.inspect(plain, &found); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", t.name, err))
		}
		check(reflect.DeepEqual(found, a), "the manifest is wrong about what the library of %s needs", t.name)
		same(b.embedFile(), b.embedSource(a.Plain), nil)
	}
	libffi, err := b.committedLibffi()
	check(err == nil && reflect.DeepEqual(m.Libffi, libffi), "the manifest describes another libffi (%v)", err)
	same(filepath.Join(b.root, embedOtherFile), embedOtherSource(m), nil)
	header, err := b.header(ctx)
	same(b.path(headerFile), header, err)
	if err := b.checkHeader(ctx); err != nil {
		problems = append(problems, err)
	}
	licenses, err := b.licenses(ctx)
	same(b.path(licensesFile), licenses, err)
	if len(problems) > 0 {
		return fmt.Errorf("%w\nmake lib-all builds it anew", errors.Join(problems...))
	}
	note("the manifest, the libraries and all that is generated fit the sources")
	if len(chosen) > 0 {
		if _, _, err := b.zig(ctx); err != nil { // installed once, not by each
			return err
		}
	}
	return each(chosen, func(t target) error {
		b := b
		b.target = t
		return b.rebuild(ctx, m.Targets[t.name], libraries[t.name])
	})
}

// rebuild builds a target again and compares.
func (b builder) rebuild(ctx context.Context, a artifact, plain []byte) error {
	if err := b.checkTools(); err != nil {
		return err
	}
	facts, err := b.toolFacts(ctx)
	if err != nil {
		return err
	}
	if b.linux() {
		library, err := b.compileLibffi(ctx)
		if err != nil {
			return err
		}
		committed, err := b.readLibffi()
		if err != nil || !bytes.Equal(library, committed) {
			return errors.Join(fmt.Errorf("a build gives another %s", libffiFile), err)
		}
	}
	built, err := b.compile(ctx)
	if err != nil {
		return err
	}
	if !bytes.Equal(built, plain) {
		err := fmt.Errorf("a build of the committed sources gives another library: %d bytes instead of %d, the first difference at %d",
			len(built), len(plain), firstDifference(built, plain))
		for name, was := range a.Tools {
			if facts[name] != was {
				err = fmt.Errorf("%w\nit was built with %s, not %s", err, was, facts[name])
			}
		}
		return err
	}
	note("%s: a build of the committed sources gives the committed library, bit for bit: sha256 %s", b.name, a.Plain.SHA256)
	return nil
}

func firstDifference(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}
