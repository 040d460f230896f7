// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/apache/paimon-rust/bindings/go/internal/jumps"
)

const manifestFile = "manifest.json"

// A manifest says what the committed libraries were made from, with what, and what they are.
type manifest struct {
	Paimon  lockedCrate         `json:"paimon"`
	OpenSSL lockedCrate         `json:"openssl-src"`
	Targets map[string]artifact `json:"targets"`
	Libffi  libffiManifest      `json:"libffi"`
}

// A lockedCrate is a crate as Cargo.lock pins it.
type lockedCrate struct {
	Version  string `json:"version"`
	Checksum string `json:"checksum"`
}

// An artifact is the library of one target.
type artifact struct {
	RustTarget   string            `json:"rust_target"`
	SourceSHA256 string            `json:"source_sha256"`
	Tools        map[string]string `json:"tools"`
	Needs        []string          `json:"needs"`
	GlibcAtLeast string            `json:"glibc_at_least,omitempty"`
	MacOSAtLeast string            `json:"macos_at_least,omitempty"`
	Plain        content           `json:"plain"`
	Compressed   content           `json:"compressed"`
}

// A content is a file's name, size and hash. Names are relative to libpaimon_c, but for libffi.
type content struct {
	File   string `json:"file"`
	Size   int    `json:"size"`
	SHA256 string `json:"sha256"`
}

func describe(name string, data []byte) content {
	sum := sha256.Sum256(data)
	return content{File: name, Size: len(data), SHA256: hex.EncodeToString(sum[:])}
}

// lib makes everything that is generated, and the libraries of some targets. Two targets are built at a time, since much of a
// build is one thread.
func (b builder) lib(ctx context.Context, chosen []target) error {
	header, err := b.header(ctx)
	if err != nil {
		return err
	}
	if err := write(b.path(headerFile), header); err != nil {
		return err
	}
	if err := b.checkHeader(ctx); err != nil {
		return err
	}
	licenses, err := b.licenses(ctx)
	if err != nil {
		return err
	}
	if err := write(b.path(licensesFile), licenses); err != nil {
		return err
	}
	m, err := b.readManifest()
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	// It hardly ever changes, and its own command builds it in any case.
	if now, err := b.committedLibffi(); err != nil || !reflect.DeepEqual(now, m.Libffi) {
		if err := b.libffi(ctx); err != nil {
			return err
		}
	}
	if _, _, err := b.zig(ctx); err != nil { // installed once, not by each
		return err
	}
	if err := each(chosen, func(t target) error {
		b := b
		b.target = t
		return b.artifact(ctx)
	}); err != nil {
		return err
	}
	if m, err = b.readManifest(); err != nil {
		return err
	}
	return write(filepath.Join(b.root, embedOtherFile), embedOtherSource(m))
}

// each does something for every target, for two at a time.
func each(chosen []target, do func(target) error) error {
	failures := make([]error, len(chosen))
	var wait sync.WaitGroup
	places := make(chan struct{}, 2)
	for i, t := range chosen {
		places <- struct{}{}
		wait.Go(func() {
			if err := do(t); err != nil {
				failures[i] = fmt.Errorf("%s: %w", t.name, err)
			}
			<-places
		})
	}
	wait.Wait()
	return errors.Join(failures...)
}

// artifact builds the library of one target and writes all that is about it.
func (b builder) artifact(ctx context.Context) error {
	if err := b.checkTools(); err != nil {
		return err
	}
	facts, err := b.toolFacts(ctx)
	if err != nil {
		return err
	}
	source, err := b.sourceHash()
	if err != nil {
		return err
	}
	plain, err := b.compile(ctx)
	if err != nil {
		return err
	}
	if after, err := b.sourceHash(); err != nil || after != source {
		return errors.Join(errors.New("the sources changed while they were built"), err)
	}
	a := artifact{RustTarget: b.rust, SourceSHA256: source, Tools: facts, Plain: describe(b.file, plain)}
	if err := b.inspect(plain, &a); err != nil {
		return err
	}
	packed, err := b.compress(ctx, plain)
	if err != nil {
		return err
	}
	a.Compressed = describe(b.prebuilt(), packed)
	if err := write(b.path(b.prebuilt()), packed); err != nil {
		return err
	}
	if err := write(b.embedFile(), b.embedSource(a.Plain)); err != nil {
		return err
	}
	note("%s: %d bytes, %d compressed, sha256 %s", b.name, len(plain), len(packed), a.Plain.SHA256)
	return b.updateManifest(func(m *manifest) error {
		if m.Targets == nil {
			m.Targets = make(map[string]artifact)
		}
		m.Targets[b.name] = a
		if m.Paimon, err = b.locked("paimon"); err != nil {
			return err
		}
		m.OpenSSL, err = b.locked("openssl-src")
		return err
	})
}

// prebuilt is the committed library's path inside libpaimon_c.
func (b builder) prebuilt() string { return "prebuilt/" + b.name + "/" + b.file + ".zst" }

func (b builder) readManifest() (m manifest, err error) {
	text, err := os.ReadFile(b.path(manifestFile))
	if err != nil {
		return m, err
	}
	return m, json.Unmarshal(text, &m)
}

var manifestLock sync.Mutex

func (b builder) updateManifest(change func(*manifest) error) error {
	manifestLock.Lock()
	defer manifestLock.Unlock()
	m, err := b.readManifest()
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := change(&m); err != nil {
		return err
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return write(b.path(manifestFile), append(text, '\n'))
}

// locked finds a crate in Cargo.lock.
func (b builder) locked(name string) (lockedCrate, error) {
	text, err := os.ReadFile(b.path("Cargo.lock"))
	if err != nil {
		return lockedCrate{}, err
	}
	found := regexp.MustCompile(`(?m)^name = "` + regexp.QuoteMeta(name) + `"\nversion = "(.*)"\nsource = ".*"\nchecksum = "(.*)"$`).FindSubmatch(text)
	if found == nil {
		return lockedCrate{}, fmt.Errorf("Cargo.lock does not pin %s", name)
	}
	return lockedCrate{Version: string(found[1]), Checksum: string(found[2])}, nil
}

// embedFile is the Go file that embeds the library; its name is its build constraint.
func (b builder) embedFile() string { return filepath.Join(b.root, "embed_"+b.name+".go") }

func (b builder) embedSource(plain content) []byte {
	return fmt.Appendf(nil, `// SPDX-License-Identifier: Apache-2.0

// Code generated by make lib; DO NOT EDIT.

package paimon

import _ "embed"

//go:embed libpaimon_c/%s
var embeddedLibrary []byte

const (
	embeddedLibraryName   = %q
	embeddedLibrarySHA256 = %q
	embeddedLibrarySize   = %d
)
`, b.prebuilt(), plain.File, plain.SHA256, plain.Size)
}

// embedOtherFile is the Go file for the platforms that no library is embedded for.
const embedOtherFile = "embed_other.go"

func embedOtherSource(m manifest) []byte {
	var others []string
	for _, name := range slices.Sorted(maps.Keys(m.Targets)) {
		os, arch, _ := strings.Cut(name, "_")
		others = append(others, "!("+os+" && "+arch+")")
	}
	return fmt.Appendf(nil, `// SPDX-License-Identifier: Apache-2.0

// Code generated by make lib; DO NOT EDIT.

//go:build %s

package paimon

// No library is embedded for this platform. PAIMON_LIBRARY_PATH may name one.
var embeddedLibrary []byte

const (
	embeddedLibraryName   = ""
	embeddedLibrarySHA256 = ""
	embeddedLibrarySize   = 0
)
`, strings.Join(others, " && "))
}

// inspect checks that a library is as it should be, and notes in the manifest what it needs.
func (b builder) inspect(plain []byte, a *artifact) (err error) {
	if b.linux() {
		a.Needs, a.GlibcAtLeast, err = b.inspectELF(plain, b.file, "paimon_")
	} else {
		a.Needs, a.MacOSAtLeast, err = b.inspectMachO(plain)
	}
	return err
}

// inspectELF checks that a library is named as it should be and exports what begins with a prefix alone, that it needs the C
// library family alone and of no later version than the target says, and has no path in it to look for others. It returns what
// the library needs, and the oldest glibc that has it all.
func (t target) inspectELF(plain []byte, name, prefix string) (needs []string, glibc string, err error) {
	file, err := elf.NewFile(bytes.NewReader(plain))
	if err != nil {
		return nil, "", err
	}
	symbols, err := file.DynamicSymbols()
	if err != nil {
		return nil, "", err
	}
	problems, exported := []string(nil), 0
	newest, err := parseVersion("0")
	if err != nil {
		return nil, "", err
	}
	for _, symbol := range symbols {
		if symbol.Section != elf.SHN_UNDEF {
			exported++
			if !strings.HasPrefix(symbol.Name, prefix) {
				problems = append(problems, "it exports "+symbol.Name+": list it in src/exports.rs")
			}
			continue
		}
		number, ok := strings.CutPrefix(symbol.Version, "GLIBC_")
		if !ok {
			continue
		}
		version, err := parseVersion(number)
		if err != nil {
			return nil, "", err
		}
		if slices.Compare(version, newest) > 0 {
			newest, glibc = version, number
		}
	}
	if limit, err := parseVersion(t.version); err != nil || slices.Compare(newest, limit) > 0 {
		problems = append(problems, "it needs glibc "+glibc+", not "+t.version)
	}
	if exported == 0 {
		problems = append(problems, "it exports nothing")
	}
	if machine := t.machine(); file.Machine != machine {
		problems = append(problems, fmt.Sprintf("it is for %v, not %v", file.Machine, machine))
	}
	if needs, err = file.ImportedLibraries(); err != nil {
		return nil, "", err
	}
	family := regexp.MustCompile(`^(libc|libm|libdl|libpthread|librt|ld-linux[-_a-z0-9]*)\.so\.\d+$`)
	for _, need := range needs {
		if !family.MatchString(need) {
			problems = append(problems, "it needs "+need)
		}
	}
	for _, tag := range []elf.DynTag{elf.DT_RPATH, elf.DT_RUNPATH} {
		if paths, err := file.DynString(tag); err != nil || len(paths) > 0 {
			problems = append(problems, fmt.Sprintf("it has a %v: %q", tag, paths))
		}
	}
	if soname, err := file.DynString(elf.DT_SONAME); err != nil || !slices.Equal(soname, []string{name}) {
		problems = append(problems, fmt.Sprintf("its name is %q", soname))
	}
	if file.Section(".symtab") != nil || file.Section(".debug_info") != nil {
		problems = append(problems, "it is not stripped")
	}
	return needs, glibc, asError(problems)
}

func (t target) machine() elf.Machine {
	if t == linuxAMD64 {
		return elf.EM_X86_64
	}
	return elf.EM_AARCH64
}

// parseVersion makes numbers of a version, which compare as they should.
func parseVersion(text string) (numbers []int, err error) {
	for part := range strings.SplitSeq(text, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil, fmt.Errorf("version %q: %w", text, err)
		}
		numbers = append(numbers, n)
	}
	return numbers, nil
}

func asError(problems []string) error {
	if len(problems) == 0 {
		return nil
	}
	return fmt.Errorf("the library is not as it should be:\n  %s", strings.Join(problems, "\n  "))
}

// maxPacked is how many bytes the compressed library may have: it is in every program, and in the history for ever.
const maxPacked = 12_100_000

// arch is what Go calls the target's processor.
func (t target) arch() string {
	_, arch, _ := strings.Cut(t.name, "_")
	return arch
}

// compress packs the library as small as zstd can, once its code is prepared for that.
func (b builder) compress(ctx context.Context, plain []byte) ([]byte, error) {
	dir, err := os.MkdirTemp("", "libpaimon_c-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	from, to := filepath.Join(dir, "plain"), filepath.Join(dir, "packed")
	prepared := bytes.Clone(plain)
	jumps.ToAbsolute(prepared, b.target.arch())
	if err := os.WriteFile(from, prepared, 0o600); err != nil {
		return nil, err
	}
	if err := show(ctx, dir, environment(), "zstd", "-q", "--ultra", "-22", "--check", "-o", to, from); err != nil {
		return nil, err
	}
	packed, err := os.ReadFile(to)
	if err != nil {
		return nil, err
	}
	if len(packed) > maxPacked {
		return nil, fmt.Errorf("the compressed library has %d bytes, more than %d", len(packed), maxPacked)
	}
	if again, err := b.decompress(packed); err != nil || !bytes.Equal(again, plain) {
		return nil, errors.Join(errors.New("the compressed library does not decompress"), err)
	}
	return packed, nil
}

// decompress unpacks with the decoder that the Go package uses.
func (b builder) decompress(packed []byte) ([]byte, error) {
	decoder, err := zstd.NewReader(nil)
	if err != nil {
		return nil, err
	}
	defer decoder.Close()
	plain, err := decoder.DecodeAll(packed, nil)
	if err != nil {
		return nil, err
	}
	jumps.ToRelative(plain, b.target.arch())
	return plain, nil
}
