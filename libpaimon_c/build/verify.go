// SPDX-License-Identifier: Apache-2.0

//go:build linux || darwin

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// verify proves that what is committed came from the committed sources. Quick, it takes the manifest's word for the build.
func (b builder) verify(ctx context.Context, quick bool) error {
	m, err := b.readManifest()
	if err != nil {
		return err
	}
	a, ok := m.Targets[b.target.name]
	if !ok {
		return fmt.Errorf("%s knows no %s", manifestFile, b.target.name)
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
	check(source == a.SourceSHA256, "the sources changed since the library was built")
	for name, have := range map[string]lockedCrate{"paimon": m.Paimon, "openssl-src": m.OpenSSL} {
		want, err := b.locked(name)
		check(err == nil && have == want, "%s: Cargo.lock has another %s (%v)", manifestFile, name, err)
	}
	packed, err := os.ReadFile(b.path(b.prebuilt()))
	if err != nil {
		return err
	}
	check(a.Compressed == describe(b.prebuilt(), packed), "%s is not the file that the manifest describes", b.prebuilt())
	check(len(packed) <= maxPacked, "%s has %d bytes, more than %d", b.prebuilt(), len(packed), maxPacked)
	plain, err := decompress(packed)
	if err != nil {
		return fmt.Errorf("%s: %w", b.prebuilt(), err)
	}
	check(a.Plain == describe(b.target.file, plain), "%s holds another library than the manifest describes", b.prebuilt())
	needs, glibc, err := inspect(plain, b.target.file)
	if err != nil {
		problems = append(problems, err)
	} else {
		check(slices.Equal(needs, a.Needs) && glibc == a.GlibcAtLeast, "the manifest is wrong about what the library needs")
	}
	same(b.embedFile(), b.embedSource(a.Plain), nil)
	header, err := b.header(ctx)
	same(b.path(headerFile), header, err)
	if err := b.checkHeader(ctx); err != nil {
		problems = append(problems, err)
	}
	licenses, err := b.licenses(ctx)
	same(b.path(licensesFile), licenses, err)
	if len(problems) > 0 {
		return fmt.Errorf("%w\nmake lib builds it anew", errors.Join(problems...))
	}
	if quick {
		note("the manifest, the library and all that is generated fit the sources; nothing was built")
		return nil
	}

	if err := checkTools(); err != nil {
		return err
	}
	facts, err := b.toolFacts(ctx)
	if err != nil {
		return err
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
	note("a build of the committed sources gives the committed library, bit for bit: sha256 %s", a.Plain.SHA256)
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
