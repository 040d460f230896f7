// SPDX-License-Identifier: Apache-2.0

package paimon

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unsafe"
)

// TestMain fails the run when native objects are left.
func TestMain(m *testing.M) {
	if call, ok := os.LookupEnv(startVariable); ok {
		if err := start(call); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	if left := ReadNativeStats().Handles; left != 0 {
		println("native handles left:", left)
		code = 1
	}
	os.Exit(code)
}

// startVariable makes the test program open a catalog, print where the library came from, and end: see TestMain.
const startVariable = "PAIMON_TEST_START"

// start is the whole of such a program. Its argument says which function to call before.
func start(call string) error {
	function, argument, _ := strings.Cut(call, "=")
	var err error
	switch function {
	case "file":
		err = SetNativeFile(argument)
	case "cache":
		err = SetNativeCache(argument)
	}
	if err != nil {
		return err
	}
	catalog, err := NewCatalog(map[string]string{"warehouse": "memory:/start"})
	if err != nil {
		return err
	}
	defer catalog.Close()
	_, path, err := mapping(loaded.lib.slots[ffiAbiVersion.id].Load().addr)
	fmt.Println(path)
	return err
}

// mapping finds the part of a mapped file that an address lies in.
func mapping(address uintptr) (fields []string, path string, err error) {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return nil, "", err
	}
	for line := range strings.Lines(string(maps)) {
		var from, to uintptr
		if _, err := fmt.Sscanf(line, "%x-%x", &from, &to); err != nil {
			return nil, "", err
		}
		if from <= address && address < to {
			fields = strings.Fields(line)
			return fields, strings.Join(fields[5:], " "), nil
		}
	}
	return nil, "", fmt.Errorf("%#x is not mapped", address)
}

func TestNativePanicIsAnError(t *testing.T) {
	l := testLibrary(t)
	for range 3 {
		message, err := cString("test", "", "message", "on purpose")
		if err != nil {
			t.Fatal(err)
		}
		e, err := ffiSelftestPanic.call(l, message)
		err = l.done("panic", "on request", e, err)
		if !errors.Is(err, CodeUnexpected) || !strings.Contains(err.Error(), "on purpose") {
			t.Fatalf("got %v", err)
		}
	}
	newTestHandle(t).close() // the library still works
	native, err := ffiLiveHandles.call(l)
	if err != nil || native < 0 {
		t.Errorf("live handles: %d, %v", native, err)
	}
}

// A library that is not ours, or not a library at all, is refused by name, and the next attempt starts afresh.
func TestLibraryPath(t *testing.T) {
	testLibrary(t)
	loaded.Lock()
	mine := loaded.lib
	loaded.lib = nil
	loaded.Unlock()
	defer func() {
		loaded.Lock()
		loaded.lib = mine
		loaded.Unlock()
	}()
	text := filepath.Join(t.TempDir(), "text.so")
	if err := os.WriteFile(text, []byte("not a library"), 0o600); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(t.TempDir(), "missing.so")
	tests := []struct {
		path   string
		target error
	}{
		{missing, CodeUnsupported},
		{text, CodeUnsupported},
		{"libc.so.6", ErrABIMismatch},
	}
	for _, test := range tests {
		t.Setenv(libraryPathVariable, test.path)
		_, err := NewCatalog(map[string]string{"warehouse": t.TempDir()})
		if !errors.Is(err, test.target) || !strings.Contains(err.Error(), test.path) {
			t.Errorf("%s: got %v", test.path, err)
		}
	}
	if ReadNativeStats() != (NativeStats{}) {
		t.Error("counts without a library")
	}
}

// The embedded library is the one whose digest was written beside it.
func TestEmbeddedLibrary(t *testing.T) {
	plain, err := unpackEmbedded()
	if err != nil {
		t.Fatal(err)
	}
	digest := sha256.Sum256(plain)
	if got := hex.EncodeToString(digest[:]); got != embeddedLibrarySHA256 {
		t.Errorf("digest %s, want %s", got, embeddedLibrarySHA256)
	}
}

// Calls from many threads do not mix up their results.
func TestConcurrentCallsKeepTheirResults(t *testing.T) {
	l := testLibrary(t)
	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() {
			text := strings.Repeat(string(rune('a'+i)), i+1)
			for range 2000 {
				message, err := cString("test", "", "message", text)
				if err != nil {
					t.Error(err)
					return
				}
				e, err := ffiSelftestPanic.call(l, message)
				if err != nil || e == nil {
					t.Errorf("got %v, %v", e, err)
					return
				}
				got := copyText(e.message)
				_, _ = ffiErrorFree.call(l, e)
				if !strings.HasSuffix(got, ": "+text) {
					t.Errorf("got %q, want %q at its end", got, text)
					return
				}
			}
		})
	}
	group.Wait()
}

func TestCStringsRefuseNUL(t *testing.T) {
	if _, err := cString("op", "object", "the name", "a\x00b"); !errors.Is(err, CodeInvalidInput) {
		t.Errorf("string: %v", err)
	}
	if _, err := cStrings("op", "object", "a name", []string{"a", "b\x00"}); !errors.Is(err, CodeInvalidInput) {
		t.Errorf("strings: %v", err)
	}
	_, _, err := cOptions("op", "object", map[string]string{"s3.secret-key": "hush\x00"})
	if !errors.Is(err, CodeInvalidInput) || strings.Contains(err.Error(), "hush") || !strings.Contains(err.Error(), "s3.secret-key") {
		t.Errorf("options: %v", err)
	}
	p, err := cString("op", "object", "the name", "")
	if err != nil || p == nil || *p != 0 {
		t.Errorf("empty: %v, %v", p, err)
	}
	list, err := cStrings("op", "object", "a name", []string{"a", "bc"})
	if err != nil || goString(unsafe.Slice(list, 2)[1]) != "bc" {
		t.Errorf("list: %v", err)
	}
}
