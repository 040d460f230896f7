// SPDX-License-Identifier: Apache-2.0

//go:build linux && (amd64 || arm64)

package libffi

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/ebitengine/purego"
)

// What is embedded is what the dependency will look for, and has the functions that it needs.
func TestEmbedded(t *testing.T) {
	file, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		t.Fatal(err)
	}
	if names, err := file.DynString(elf.DT_SONAME); err != nil || !slices.Equal(names, []string{soname}) {
		t.Errorf("soname %q, %v", names, err)
	}
	if needs, err := file.ImportedLibraries(); err != nil || !slices.Equal(needs, []string{"libc.so.6"}) {
		t.Errorf("it needs %q, %v", needs, err)
	}
}

// Both ways to load it work, and leave no file behind, nor a descriptor to a child process. Each is a library of its own, beside the system's.
func TestLoad(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for name, load := range map[string]func() (uintptr, string, error){"memory": loadFromMemory, "file": loadFromFile} {
		library, _, err := load()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, symbol := range []string{"ffi_prep_cif", "ffi_call", "ffi_prep_cif_var", "ffi_closure_alloc", "ffi_get_struct_offsets"} {
			if _, err := purego.Dlsym(library, symbol); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	out, err := exec.Command("ls", "-l", "/proc/self/fd").Output()
	if err != nil || strings.Contains(string(out), soname) {
		t.Errorf("a child process has: %s, %v", out, err)
	}
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// Where neither works the error has both reasons.
func TestLoadFails(t *testing.T) {
	t.Setenv("TMPDIR", "/nowhere/at/all")
	_, _, err := loadFromFile()
	if err == nil || !strings.Contains(err.Error(), "/nowhere/at/all") {
		t.Errorf("got %v", err)
	}
}
