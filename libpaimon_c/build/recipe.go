// SPDX-License-Identifier: Apache-2.0

//go:build linux || darwin

package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// This file is the whole recipe of the library, and so belongs to the sources that the manifest's hash covers.

// stage is where every build happens. It is the same on every machine, because paths find their way into binaries and into
// the hashes that order them.
const stage = "/tmp/libpaimon_c-build"

// epoch stands for the moment of the build wherever one is asked for: the first of January 2026.
const epoch = "1767225600"

// sourceFiles lists the files that the library is built from, slash-separated and sorted. Its tests are not among them.
func (b builder) sourceFiles() ([]string, error) {
	files := []string{"Cargo.toml", "Cargo.lock", "rust-toolchain.toml", "build.rs", "build/recipe.go"}
	for _, folder := range []string{"src", "include"} {
		err := fs.WalkDir(os.DirFS(b.crate), folder, func(name string, entry fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) && name == folder {
				return nil
			}
			if name == "src/tests" {
				return fs.SkipDir
			}
			if err == nil && entry.Type().IsRegular() && name != "src/tests.rs" && !strings.HasPrefix(path.Base(name), ".") {
				files = append(files, name)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(files)
	return files, nil
}

// sourceHash is the sha256 of a list of the source files, each with its own: what `sha256sum FILE...` prints.
func (b builder) sourceHash() (string, error) {
	files, err := b.sourceFiles()
	if err != nil {
		return "", err
	}
	list := sha256.New()
	for _, name := range files {
		text, err := os.ReadFile(b.path(name))
		if err != nil {
			return "", err
		}
		list.Write(fmt.Appendf(nil, "%x  %s\n", sha256.Sum256(text), name))
	}
	return hex.EncodeToString(list.Sum(nil)), nil
}

// buildTools are the programs that a build runs, with the Debian package that brings each.
var buildTools = []struct{ name, origin string }{
	{"cargo", "rustup, with the toolchain that libpaimon_c/rust-toolchain.toml names"},
	{"cc", "Debian's gcc and libc6-dev"},
	{"as", "Debian's binutils"},
	{"make", "Debian's make"},
	{"perl", "Debian's perl"},
	{"zstd", "Debian's zstd"},
}

func checkTools() error {
	for _, tool := range buildTools {
		if _, err := exec.LookPath(tool.name); err != nil {
			return fmt.Errorf("%s is missing: it comes with %s", tool.name, tool.origin)
		}
	}
	return nil
}

// environment is all that the build may see of its surroundings. Only what reaches the registry and finds programs is let in.
func environment() []string {
	env := []string{"LC_ALL=C", "TZ=UTC"}
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		switch {
		case name == "PATH", name == "HOME", name == "CARGO_HOME", name == "RUSTUP_HOME", name == "RUSTUP_AUTO_INSTALL",
			name == "SSL_CERT_FILE", name == "SSL_CERT_DIR",
			strings.HasSuffix(strings.ToLower(name), "_proxy"),
			strings.HasPrefix(name, "CARGO_HTTP_"), strings.HasPrefix(name, "CARGO_NET_"), strings.HasPrefix(name, "CARGO_REGISTRIES_"):
			env = append(env, entry)
		}
	}
	return env
}

// toolFacts says what builds the library: two builds can only be equal where all of it is.
func (b builder) toolFacts(ctx context.Context) (map[string]string, error) {
	facts := make(map[string]string)
	for _, tool := range []struct {
		name string
		args []string
	}{
		{"rustc", []string{"rustc", "--version"}},
		{"cargo", []string{"cargo", "--version"}},
		{"cc", []string{"cc", "--version"}},
		{"as", []string{"as", "--version"}},
		{"libc", []string{"getconf", "GNU_LIBC_VERSION"}},
	} {
		out, err := output(ctx, b.crate, environment(), tool.args[0], tool.args[1:]...)
		if err != nil {
			return nil, err
		}
		line, _, _ := strings.Cut(string(out), "\n")
		facts[tool.name] = strings.TrimSpace(line)
	}
	pinned, err := os.ReadFile(b.path("rust-toolchain.toml"))
	if err != nil {
		return nil, err
	}
	if version := strings.Fields(facts["rustc"]); len(version) < 2 || !strings.Contains(string(pinned), `"`+version[1]+`"`) {
		return nil, fmt.Errorf("%s is not the toolchain that rust-toolchain.toml pins", facts["rustc"])
	}
	return facts, nil
}

// compile builds the library from a copy of the sources and returns its bytes.
func (b builder) compile(ctx context.Context) ([]byte, error) {
	unlock, err := prepareStage()
	if err != nil {
		return nil, err
	}
	defer unlock()
	files, err := b.sourceFiles()
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		text, err := os.ReadFile(b.path(name))
		if err != nil {
			return nil, err
		}
		copied := filepath.Join(stage, "libpaimon_c", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(copied), 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(copied, text, 0o600); err != nil {
			return nil, err
		}
	}
	dir := filepath.Join(stage, "libpaimon_c")
	env, err := b.stageCargo()
	if err != nil {
		return nil, err
	}
	if err := show(ctx, dir, env, "cargo", "fetch", "--locked", "--target", b.target.rust); err != nil {
		return nil, err
	}
	maps, err := b.pathMaps(ctx, dir, env)
	if err != nil {
		return nil, err
	}
	rustFlags := []string{"--remap-path-prefix=" + dir + "=/libpaimon_c"}
	var cFlags []string
	for _, m := range maps {
		rustFlags = append(rustFlags, "--remap-path-prefix="+m)
		cFlags = append(cFlags, "-ffile-prefix-map="+m)
	}
	env = append(env,
		"CARGO_ENCODED_RUSTFLAGS="+strings.Join(rustFlags, "\x1f"),
		"CFLAGS="+strings.Join(cFlags, " "),
		// OpenSSL would look for engines and providers where it was built, which anyone may write to.
		"CPPFLAGS=-UENGINESDIR -DENGINESDIR=OPENSSLDIR -UMODULESDIR -DMODULESDIR=OPENSSLDIR")
	// Only the cdylib: Cargo optimises across crates only if no rlib is asked for beside it.
	err = show(ctx, dir, env, "cargo", "rustc", "--offline", "--locked", "--release", "--lib", "--crate-type", "cdylib",
		"--target", b.target.rust)
	if err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(stage, "target", b.target.rust, "release", b.target.file))
}

// prepareStage makes the stage anew, for this user alone, and keeps other builds out until unlock.
func prepareStage() (unlock func(), err error) {
	lock, err := os.OpenFile(stage+".lock", os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		lock.Close()
		return nil, fmt.Errorf("another build runs in %s: %w", stage, err)
	}
	unlock = func() {
		os.RemoveAll(stage)
		lock.Close()
	}
	// Mkdir fails on whatever someone else puts there in between; in /tmp nobody else can replace what it made.
	err = errors.Join(os.RemoveAll(stage), os.Mkdir(stage, 0o700), os.Mkdir(filepath.Join(stage, "tmp"), 0o700))
	if err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}

// stageCargo shows the user's Cargo folder, with the crates it has fetched, at a path that is the same everywhere.
func (b builder) stageCargo() (env []string, err error) {
	home := os.Getenv("CARGO_HOME")
	if home == "" {
		user, err := os.UserHomeDir()
		if err != nil {
			return nil, err
		}
		home = filepath.Join(user, ".cargo")
	}
	if err := os.MkdirAll(home, 0o755); err != nil {
		return nil, err
	}
	link := filepath.Join(stage, "cargo")
	if err := os.Symlink(home, link); err != nil {
		return nil, err
	}
	env = append(environment(),
		"CARGO_HOME="+link,
		"CARGO_TARGET_DIR="+filepath.Join(stage, "target"),
		"CARGO_TARGET_"+strings.ToUpper(strings.ReplaceAll(b.target.rust, "-", "_"))+"_LINKER=cc",
		"CARGO_INCREMENTAL=0",
		"TMPDIR="+filepath.Join(stage, "tmp"),
		"SOURCE_DATE_EPOCH="+epoch,
		// AWS-LC would take a copy that the system has, and may turn to CMake where there is one.
		"AWS_LC_SYS_USE_SYSTEM=0", "AWS_LC_SYS_CMAKE_BUILDER=0")
	return env, nil
}

// pathMaps gives the folders of foreign code short names in the binary, "from=to". The folder of the crates is looked up, since
// Cargo names it after the registry.
func (b builder) pathMaps(ctx context.Context, dir string, env []string) ([]string, error) {
	text, err := output(ctx, dir, env, "cargo", "metadata", "--offline", "--locked", "--format-version", "1", "--filter-platform", b.target.rust)
	if err != nil {
		return nil, err
	}
	var metadata struct {
		Packages []struct {
			Source   *string
			Manifest string `json:"manifest_path"`
		}
	}
	if err := json.Unmarshal(text, &metadata); err != nil {
		return nil, err
	}
	var maps []string
	for _, p := range metadata.Packages {
		if p.Source == nil {
			continue
		}
		if m := filepath.Dir(filepath.Dir(p.Manifest)) + "=/crates"; !slices.Contains(maps, m) {
			maps = append(maps, m)
		}
	}
	slices.Sort(maps)
	return append(maps, filepath.Join(stage, "target")+"=/target"), nil
}
