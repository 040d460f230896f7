// SPDX-License-Identifier: Apache-2.0

//go:build linux

package paimon

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// startProcess starts such a program with nothing but these environment variables. It returns what it printed, and its error.
func startProcess(t *testing.T, call string, environment ...string) (out, failure string) {
	t.Helper()
	var errout bytes.Buffer
	command := exec.Command(os.Args[0])
	command.Env = append(environment, startVariable+"="+call)
	command.Stderr = &errout
	stdout, err := command.Output()
	if err != nil && errout.Len() == 0 {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(stdout)), strings.TrimSpace(errout.String())
}

// testPacked is a library of a few bytes, for what does not load it.
func testPacked(content string) packed {
	digest := sha256.Sum256([]byte(content))
	return packed{hex.EncodeToString(digest[:]), len(content), func() ([]byte, error) { return []byte(content), nil }}
}

func testCache(t *testing.T, path string) *cache {
	t.Helper()
	c, err := openCache(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.root.Close() })
	return c
}

// checkProvides checks that the cache gives the library, and gives the name of the copy.
func checkProvides(t *testing.T, c *cache, library packed) (name string) {
	t.Helper()
	file, name, err := c.provide(library)
	if err != nil {
		t.Error(err)
		return ""
	}
	defer file.Close()
	got, err := io.ReadAll(io.NewSectionReader(file, 0, 1<<30))
	want, _ := library.unpack()
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes, %v, want %d", len(got), err, len(want))
	}
	return name
}

func checkFolderHas(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, entry := range entries {
		got = append(got, entry.Name())
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the folder has\n%q, want\n%q", got, want)
	}
}

func TestCacheKeepsOneCopy(t *testing.T) {
	library := testPacked(strings.Repeat("library", 1e5))
	path := filepath.Join(t.TempDir(), "cache")
	name := checkProvides(t, testCache(t, path), library)
	if !strings.Contains(name, library.sha256) {
		t.Errorf("the name %q has no digest", name)
	}
	folder, err := os.Stat(path)
	if err != nil || folder.Mode().Perm() != 0o700 {
		t.Errorf("folder: %v, %v", folder.Mode(), err)
	}
	first, err := os.Stat(filepath.Join(path, name))
	if err != nil || first.Mode() != 0o600 {
		t.Errorf("copy: %v, %v", first.Mode(), err)
	}
	library.unpack = func() ([]byte, error) { return nil, errors.New("unpacked again") }
	file, _, err := testCache(t, path).provide(library)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if again, err := file.Stat(); err != nil || !os.SameFile(first, again) {
		t.Errorf("another file: %v", err)
	}
	checkFolderHas(t, path, name)
}

// A copy that is not what it should be is replaced.
func TestCacheReplacesDamage(t *testing.T) {
	content := strings.Repeat("library", 1e5)
	library := testPacked(content)
	write := func(content string) func(string) error {
		return func(path string) error {
			old, err := os.Stat(path)
			if err != nil {
				return err
			}
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				return err
			}
			return os.Chtimes(path, old.ModTime(), old.ModTime())
		}
	}
	instead := func(put func(string) error) func(string) error {
		return func(path string) error { return errors.Join(os.Remove(path), put(path)) }
	}
	damages := map[string]func(path string) error{
		"empty":          write(""),
		"truncated":      write(content[:len(content)-1]),
		"longer":         write(content + "x"),
		"zeros":          write(strings.Repeat("\x00", len(content))),
		"a bit":          write(content[:5e5] + "\x00" + content[5e5+1:]),
		"others write":   func(path string) error { return os.Chmod(path, 0o666) },
		"pipe":           instead(func(path string) error { return syscall.Mkfifo(path, 0o600) }),
		"link to itself": instead(func(path string) error { return os.Symlink(filepath.Base(path), path) }),
		"link elsewhere": instead(func(path string) error { return os.Symlink("/etc/passwd", path) }),
		"empty folder":   instead(func(path string) error { return os.Mkdir(path, 0o700) }),
	}
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			path := t.TempDir()
			check := func() string { return checkProvides(t, testCache(t, path), library) }
			copied := check()
			if err := damage(filepath.Join(path, copied)); err != nil {
				t.Fatal(err)
			}
			check()
			checkFolderHas(t, path, copied)
		})
	}
}

// What cannot be repaired is an error, and neither loaded nor waited for.
func TestCacheRefusesFolders(t *testing.T) {
	dir := t.TempDir()
	make := func(name string, mode fs.FileMode) string {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.Mkdir(path, 0o700), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	file, pipe, link := filepath.Join(dir, "file"), filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(file, nil, 0o600), unix.Mkfifo(pipe, 0o666), os.Symlink(make("target", 0o700), link)); err != nil {
		t.Fatal(err)
	}
	foreign := "/usr" // is root's
	if os.Geteuid() == 0 {
		foreign = make("foreign", 0o700)
		if err := os.Chown(foreign, 65534, 65534); err != nil {
			t.Fatal(err)
		}
	}
	for path, word := range map[string]string{
		"relative":                          "absolute",
		"off":                               "absolute", // means memory one level above
		link:                                "symbolic link",
		file:                                "not a directory",
		pipe:                                "not a directory",
		filepath.Join(dir, "no", "such"):    "no such file",
		make("others", 0o777):               "others may write",
		make("group", 0o770):                "others may write",
		foreign:                             "it belongs to user",
		filepath.Join("/proc", "paimon-go"): "", // the system's words differ
	} {
		_, err := loadFromFolder(path, testPacked("library"))
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%s: got %v, want %q", path, err, word)
		}
	}
}

// Writers at once, each with a folder of its own as processes have it, all get the library, while somebody keeps removing it.
func TestCacheWritersAtOnce(t *testing.T) {
	library := testPacked(strings.Repeat("library", 1e5))
	path := filepath.Join(t.TempDir(), "cache")
	copied := checkProvides(t, testCache(t, path), library)
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			for range 20 {
				c, err := openCache(path)
				if err != nil {
					t.Error(err)
					return
				}
				checkProvides(t, c, library)
				c.root.Close()
			}
		})
	}
	for range 20 {
		if err := os.Remove(filepath.Join(path, copied)); err != nil && !os.IsNotExist(err) {
			t.Error(err)
		}
		time.Sleep(time.Millisecond)
	}
	group.Wait()
	checkProvides(t, testCache(t, path), library)
	checkFolderHas(t, path, copied)
}

// Where files cannot be made without a name, they have another one until they are complete.
func TestCacheNamesPartsApart(t *testing.T) {
	library := testPacked(strings.Repeat("library", 1e5))
	path := t.TempDir()
	c := testCache(t, path)
	name := checkProvides(t, c, library)
	if err := os.Remove(filepath.Join(path, name)); err != nil {
		t.Fatal(err)
	}
	plain, _ := library.unpack()
	for range 2 {
		if file, err := c.addNamed(name, plain); err != nil {
			t.Fatal(err)
		} else {
			file.Close()
		}
		library.unpack = func() ([]byte, error) { return plain, errors.New("unpacked again") }
		if file, _, err := c.provide(library); err != nil {
			t.Error(err)
		} else {
			file.Close()
		}
		checkFolderHas(t, path, name)
	}
}

func TestCacheTidies(t *testing.T) {
	library := testPacked("library")
	path := t.TempDir()
	c := testCache(t, path)
	create := func(name string, age time.Duration) *os.File {
		file, err := os.Create(filepath.Join(path, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file.Name(), time.Time{}, time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
		return file
	}
	prefix := stem()
	create(prefix+"dead"+partSuffix, 0).Close()
	alive := create(prefix+"alive"+partSuffix, 24*time.Hour)
	defer alive.Close()
	if err := unix.Flock(int(alive.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	copies := make([]string, 5)
	for i := range copies {
		copies[i] = copyName(packed{sha256: strings.Repeat(fmt.Sprint(i), 64)}, 0)
		create(copies[i], time.Duration(i+1)*time.Hour).Close()
	}
	create(prefix+"mine"+copySuffix(), 1000*time.Hour).Close()
	create("stranger.so", 1000*time.Hour).Close()
	create("stranger"+partSuffix, 1000*time.Hour).Close()
	name := checkProvides(t, c, library)
	if err := os.Chtimes(filepath.Join(path, name), time.Time{}, time.Now().Add(-1000*time.Hour)); err != nil {
		t.Fatal(err)
	}
	checkProvides(t, c, library)
	if info, err := os.Stat(filepath.Join(path, name)); err != nil || time.Since(info.ModTime()) > time.Hour {
		t.Errorf("using a copy does not show: %v, %v", info.ModTime(), err)
	}
	c.tidy(name)
	checkFolderHas(t, path, name, copies[0], copies[1], prefix+"alive"+partSuffix, prefix+"mine"+copySuffix(), "stranger.so", "stranger"+partSuffix)
}

// Where a process finds the library, by what it is told and what there is.
func TestPlaces(t *testing.T) {
	home, chosen, temporary := t.TempDir(), filepath.Join(t.TempDir(), "chosen"), t.TempDir()
	const inMemory = "/memfd:libpaimon_c.so (deleted)"
	kept := func(path string) string {
		return filepath.Join(path, copyPrefix(packed{sha256: embeddedLibrarySHA256}))
	}
	tests := []struct {
		name, call string
		env        []string
		want       string // a prefix
	}{
		{"cache folder", "", []string{"HOME=" + home}, kept(home + "/.cache/paimon-go")},
		{"XDG", "", []string{"HOME=/nowhere", "XDG_CACHE_HOME=" + home}, kept(home + "/paimon-go")},
		{"variable", "", []string{"HOME=" + home, "PAIMON_CACHE_DIR=" + chosen}, kept(chosen)},
		{"function", "cache=" + chosen, []string{"HOME=" + home, "PAIMON_CACHE_DIR=off"}, kept(chosen)},
		{"off", "", []string{"HOME=" + home, "PAIMON_CACHE_DIR=off"}, inMemory},
		{"function off", "cache=off", []string{"HOME=" + home, "PAIMON_CACHE_DIR=" + chosen}, inMemory},
		{"no HOME", "", nil, inMemory},
		{"HOME is missing", "", []string{"HOME=/nowhere"}, inMemory},
		{"no HOME, no TMPDIR", "", []string{"TMPDIR=/nowhere"}, inMemory},
		{"relative", "", []string{"PAIMON_CACHE_DIR=here"}, inMemory},
	}
	for _, test := range tests {
		out, failure := startProcess(t, test.call, append(test.env, "TMPDIR="+temporary)...)
		if failure != "" || !strings.HasPrefix(out, test.want) {
			t.Errorf("%s: %s %s, want %s", test.name, out, failure, test.want)
		}
	}
	checkFolderHas(t, temporary)

	copied, _ := filepath.Glob(kept(chosen) + "*")
	if len(copied) != 1 {
		t.Fatalf("copies: %q", copied)
	}
	for _, test := range []struct{ call, env string }{
		{"file=" + copied[0], libraryPathVariable + "=/nowhere"},
		{"", libraryPathVariable + "=" + copied[0]},
	} {
		if out, failure := startProcess(t, test.call, test.env); out != copied[0] || failure != "" {
			t.Errorf("%v: %s %s", test, out, failure)
		}
	}
	_, failure := startProcess(t, "file=/nowhere/libpaimon_c.so")
	if !strings.Contains(failure, "/nowhere/libpaimon_c.so") || !strings.Contains(failure, "SetNativeFile") {
		t.Errorf("missing file: %s", failure)
	}
	_, failure = startProcess(t, "cache=here")
	if !strings.Contains(failure, "set native cache here") || !strings.Contains(failure, "absolute") {
		t.Errorf("relative folder: %s", failure)
	}
}

// Processes that start at once, with nothing unpacked yet, all start.
func TestProcessesStartAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cache")
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			if out, failure := startProcess(t, "", cacheDirVariable+"="+path); failure != "" || !strings.HasPrefix(out, path) {
				t.Errorf("%s %s", out, failure)
			}
		})
	}
	group.Wait()
	if entries, err := os.ReadDir(path); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

// Once the library is loaded it cannot be chosen any more.
func TestChoiceComesTooLate(t *testing.T) {
	testLibrary(t)
	for _, err := range []error{SetNativeFile("/some/file"), SetNativeCache("/some/folder"), SetNativeCache("")} {
		if !errors.Is(err, CodeInvalidInput) || !strings.Contains(err.Error(), "loaded already") {
			t.Errorf("got %v", err)
		}
	}
}

// The error of a library that loads nowhere has every place with its reason, matches the reasons, and says what to do.
func TestLoadErrorNamesAllPlaces(t *testing.T) {
	failing := func(name string, err error) place {
		return place{name, func(packed) (uintptr, error) { return 0, err }}
	}
	dir := filepath.Join(t.TempDir(), "none", "such")
	_, err := loadEmbedded(testPacked("no library"), []place{
		failing("the first", syscall.ENOSPC),
		inFolder(dir),
		failing("the last", linkError("/x: failed to map segment from shared object")),
	})
	for _, target := range []error{CodeUnsupported, syscall.ENOSPC, fs.ErrNotExist} {
		if !errors.Is(err, target) {
			t.Errorf("%v is not %v", err, target)
		}
	}
	for _, word := range []string{
		"the first: no space left on device; ", dir + ": no such file or directory; ", "the last: /x: failed to map", cacheDirVariable, "SetNativeCache",
	} {
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%v does not say %q", err, word)
		}
	}
}

// What the dynamic loaders of glibc and musl say, and what it means.
func TestExplain(t *testing.T) {
	const old = "/lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.34' not found (required by /proc/self/fd/6)"
	tests := []struct {
		err        error
		advice     string
		everywhere bool
	}{
		{linkError(old), "glibc is older", true},
		{fmt.Errorf("/home/x: %w", linkError(old)), "glibc is older", true},
		{linkError("libgcc_s.so.1: cannot open shared object file: No such file or directory"), "install the package that has libgcc_s.so.1", true},
		{linkError("/x.so: cannot open shared object file: No such file or directory"), "", false},
		{linkError("x.so: cannot open shared object file: No such file or directory"), "", false},
		{linkError("/x.so: failed to map segment from shared object: Operation not permitted"), "noexec", false},
		{linkError("Error loading shared library libgcc_s.so.1: No such file or directory (needed by /x.so)"), "musl", true},
		{linkError("Error relocating /x.so: __res_init: symbol not found"), "musl", true},
		{fmt.Errorf("%w: bad magic", errDamaged), "build it again", true},
		{syscall.EROFS, "", false},
	}
	for _, test := range tests {
		advice, everywhere := explain(test.err, "x.so")
		if everywhere != test.everywhere || !strings.Contains(advice, test.advice) || test.advice == "" && advice != "" {
			t.Errorf("%v: %q, %v", test.err, advice, everywhere)
		}
	}
}

// Our functions come from our library, whatever else is loaded under the same symbol names or from the same kind of file.
func TestSymbolsComeFromOurLibrary(t *testing.T) {
	l := testLibrary(t)
	other, err := loadFromMemory(packed{unpack: func() ([]byte, error) {
		return os.ReadFile("internal/libffi/prebuilt/linux_" + runtime.GOARCH + "/libffi.so.8")
	}})
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]int{}
	for _, s := range symbols {
		r, err := l.resolve(s)
		if err != nil {
			t.Fatal(err)
		}
		fields, path, err := mapping(r.addr)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(path, "libpaimon_c") || !strings.Contains(fields[1], "x") {
			t.Errorf("%s lies in %s", s.name, fields)
		}
		files[fields[3]+" "+fields[4]+" "+path]++ // device, inode, path
	}
	if len(files) != 1 {
		t.Errorf("the functions come from %v", files)
	}
	if _, err := dlsym(other, symbols[0].name); err == nil {
		t.Error("another library gives our functions")
	}
	// RTLD_LOCAL: nothing that looks up names in the whole process finds ours.
	if address, err := dlsym(0, symbols[0].name); err == nil {
		t.Errorf("%s is global: %#x", symbols[0].name, address)
	}
}

// A child process gets none of the descriptors that libraries were loaded through.
func TestDescriptorsStayHere(t *testing.T) {
	testLibrary(t)
	if len(keptOpen) == 0 && os.Getenv(libraryPathVariable) == "" {
		t.Error("no descriptor is kept")
	}
	out, err := exec.Command("ls", "-l", "/proc/self/fd").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"libpaimon", "libffi", "memfd"} {
		if strings.Contains(string(out), word) {
			t.Errorf("a child has %s:\n%s", word, out)
		}
	}
}

// The package that provides libffi is initialized before the one that panics without it.
func TestLibffiComesFirst(t *testing.T) {
	command := exec.Command(os.Args[0], "-test.run=^$")
	command.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	trace, err := command.CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	ours := strings.Index(string(trace), "init github.com/apache/paimon-rust/bindings/go/internal/libffi ")
	theirs := strings.Index(string(trace), "init github.com/jupiterrider/ffi ")
	if ours < 0 || theirs < 0 || ours > theirs {
		t.Errorf("the order is wrong:\n%s", trace)
	}
}
