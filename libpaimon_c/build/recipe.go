// SPDX-License-Identifier: Apache-2.0

//go:build linux

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

// stage is where the builds of a target happen. It is the same on every machine, because paths find their way into binaries and
// into the hashes that order them.
func (b builder) stage() string { return "/tmp/libpaimon_c-build-" + b.target.name }

// epoch stands for the moment of the build wherever one is asked for: the first of January 2026.
const epoch = 1767225600

// sourceFiles lists the files that the library is built from, slash-separated and sorted. Its tests are not among them.
func (b builder) sourceFiles() ([]string, error) {
	files := []string{".cargo/config.toml", "Cargo.toml", "Cargo.lock", "rust-toolchain.toml", "build.rs", "build/macho.go", "build/recipe.go", "build/zig.go"}
	for _, folder := range []string{"src", "include", frameworksFolder} {
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

// A target is one platform that the library is built for.
type target struct {
	name    string // what Go calls it, joined by an underscore
	rust    string // what Rust calls it
	triple  string // what Zig and configure scripts call it
	version string // the oldest C library, or macOS, that is to do
	file    string // the library's file name
}

// The oldest glibc is that of CentOS 7 and of the "manylinux2014" wheels; for arm64 there is hardly an older one.
var (
	linuxAMD64  = target{"linux_amd64", "x86_64-unknown-linux-gnu", "x86_64-linux-gnu", "2.17", "libpaimon_c.so"}
	linuxARM64  = target{"linux_arm64", "aarch64-unknown-linux-gnu", "aarch64-linux-gnu", "2.17", "libpaimon_c.so"}
	darwinARM64 = target{"darwin_arm64", "aarch64-apple-darwin", "aarch64-macos", "11.0", "libpaimon_c.dylib"}

	targets = []target{linuxAMD64, linuxARM64, darwinARM64}
)

func (t target) linux() bool { return strings.HasPrefix(t.name, "linux_") }

// debianRust is Debian's Rust, which has a standard library for every Debian architecture, and the source of it for others. The
// one of rustup builds for the machine it runs on alone, unless it may fetch more.
const debianRust = "/usr/bin/"

// rustTools returns the programs that build for the target, and the Debian package with its standard library.
func (t target) rustTools() (cargo, rustc, std string) {
	switch t {
	case linuxAMD64:
		return "cargo", "rustc", ""
	case darwinARM64:
		return debianRust + "cargo", debianRust + "rustc", "rust-web-src"
	}
	return debianRust + "cargo", debianRust + "rustc", "libstd-rust-web-dev:arm64"
}

// buildTools are the programs that a build runs, with what brings each.
var buildTools = []struct{ name, origin string }{
	{"cargo", "rustup, with the toolchain that libpaimon_c/rust-toolchain.toml names"},
	{"cc", "Debian's gcc and libc6-dev"},
	{"make", "Debian's make"},
	{"perl", "Debian's perl"},
	{"python3", "Debian's python3-venv"},
	{"zstd", "Debian's zstd"},
}

func (b builder) checkTools() error {
	for _, tool := range buildTools {
		if _, err := exec.LookPath(tool.name); err != nil {
			return fmt.Errorf("%s is missing: it comes with %s", tool.name, tool.origin)
		}
	}
	if cargo, _, _ := b.rustTools(); cargo != "cargo" {
		if _, err := exec.LookPath(cargo); err != nil {
			return fmt.Errorf("%s is missing: it comes with Debian's cargo-web", cargo)
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
			strings.HasPrefix(name, "CARGO_HTTP_"), strings.HasPrefix(name, "CARGO_NET_"), strings.HasPrefix(name, "CARGO_REGISTRIES_"),
			strings.HasPrefix(name, "PIP_"):
			env = append(env, entry)
		}
	}
	return env
}

// toolFacts says what builds the library: two builds can only be equal where all of it is.
func (b builder) toolFacts(ctx context.Context) (map[string]string, error) {
	facts := map[string]string{"zig": zigVersion, "cargo-zigbuild": zigbuildVersion}
	cargo, rustc, std := b.rustTools()
	for name, program := range map[string]string{"cargo": cargo, "rustc": rustc} {
		out, err := output(ctx, b.crate, environment(), program, "--version")
		if err != nil {
			return nil, err
		}
		facts[name] = strings.TrimSpace(string(out))
	}
	if std != "" {
		out, err := output(ctx, b.crate, environment(), "dpkg-query", "--show", "--showformat=${Package} ${Version} ${Architecture}", std)
		if err != nil {
			return nil, err
		}
		facts["std"] = string(out)
		return facts, nil
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
	stage := b.stage()
	unlock, err := prepareStage(stage)
	if err != nil {
		return nil, err
	}
	defer unlock()
	files, err := b.sourceFiles()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(stage, "libpaimon_c")
	for _, name := range files {
		text, err := os.ReadFile(b.path(name))
		if err != nil {
			return nil, err
		}
		if err := write(filepath.Join(dir, filepath.FromSlash(name)), text); err != nil {
			return nil, err
		}
	}
	zigbuild, zig, err := b.zig(ctx)
	if err != nil {
		return nil, err
	}
	// The tools are those of the stage: OpenSSL keeps the command line of its compiler, with their paths.
	if err := os.CopyFS(filepath.Join(stage, "zig"), os.DirFS(zig)); err != nil {
		return nil, err
	}
	if err := copyProgram(filepath.Join(stage, "cargo-zigbuild"), filepath.Join(zigbuild, "cargo-zigbuild")); err != nil {
		return nil, err
	}
	zigbuild, zig = stage, filepath.Join(stage, "zig")
	env, err := stageEnvironment(stage)
	if err != nil {
		return nil, err
	}
	cargo, rustc, _ := b.rustTools()
	if err := show(ctx, dir, env, cargo, "fetch", "--locked", "--target", b.rust); err != nil {
		return nil, err
	}
	maps, err := b.pathMaps(ctx, dir, env)
	if err != nil {
		return nil, err
	}
	maps = append(maps, zig+"=/zig", dir+"=/libpaimon_c")
	var rustFlags, cFlags []string
	for _, m := range maps {
		rustFlags = append(rustFlags, "--remap-path-prefix="+m)
		cFlags = append(cFlags, "-ffile-prefix-map="+m)
	}
	// Zig would build in checks for undefined behaviour where nobody asks for an optimization.
	cFlags = append(cFlags, "-g0", "-fno-sanitize=all")
	// Only the cdylib: Cargo optimises across crates only if no rlib is asked for beside it.
	args := []string{"rustc", "--locked", "--release", "--lib", "--crate-type", "cdylib"}
	env = append(env,
		"CARGO="+cargo, "RUSTC="+rustc,
		"CARGO_ZIGBUILD_ZIG_PATH="+filepath.Join(zig, "zig"), "CARGO_ZIGBUILD_CACHE_DIR="+filepath.Join(stage, "zigbuild"),
		// OpenSSL would look for engines and providers where it was built, which anyone may write to.
		"CPPFLAGS=-UENGINESDIR -DENGINESDIR=OPENSSLDIR -UMODULESDIR -DMODULESDIR=OPENSSLDIR")
	if b.linux() {
		args = append(args, "--offline", "--target", b.rust+"."+b.version)
	} else {
		// Debian has no standard library for macOS. It is built from its source, by an option that is unstable, with what that needs
		// from the registry. The linker strips, since Rust would call a program for it that is not there.
		args = append(args, "--target", b.rust, "-Zbuild-std=std,panic_unwind")
		cFlags = append(cFlags, "-fvisibility=hidden")
		env = append(env, "RUSTC_BOOTSTRAP=1", "MACOSX_DEPLOYMENT_TARGET="+b.version, "CARGO_PROFILE_RELEASE_STRIP=none")
	}
	env = append(env, "CARGO_ENCODED_RUSTFLAGS="+strings.Join(rustFlags, "\x1f"), "CFLAGS="+strings.Join(cFlags, " "))
	if err := show(ctx, dir, env, filepath.Join(zigbuild, "cargo-zigbuild"), args...); err != nil {
		return nil, err
	}
	plain, err := os.ReadFile(filepath.Join(stage, "target", b.rust, "release", b.file))
	if err == nil && !b.linux() {
		err = finishMachO(plain)
	}
	return plain, err
}

func copyProgram(to, from string) error {
	program, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, program, 0o700)
}

// prepareStage makes the stage anew, for this user alone, and keeps other builds out until unlock.
func prepareStage(stage string) (unlock func(), err error) {
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

// stageEnvironment is the environment of all that runs in a stage. It shows the user's Cargo folder, with the crates it has
// fetched, at a path that is the same everywhere.
func stageEnvironment(stage string) ([]string, error) {
	home, err := cargoHome()
	if err != nil {
		return nil, err
	}
	link := filepath.Join(stage, "cargo")
	if err := os.Symlink(home, link); err != nil {
		return nil, err
	}
	return append(environment(),
		"CARGO_HOME="+link,
		"CARGO_TARGET_DIR="+filepath.Join(stage, "target"),
		"CARGO_INCREMENTAL=0",
		"ZIG_GLOBAL_CACHE_DIR="+filepath.Join(stage, "zig-cache"), "ZIG_LOCAL_CACHE_DIR="+filepath.Join(stage, "zig-cache"),
		"TMPDIR="+filepath.Join(stage, "tmp"),
		fmt.Sprint("SOURCE_DATE_EPOCH=", epoch),
		// AWS-LC would take a copy that the system has, and may turn to CMake where there is one.
		"AWS_LC_SYS_USE_SYSTEM=0", "AWS_LC_SYS_CMAKE_BUILDER=0"), nil
}

// cargoHome is the user's Cargo folder.
func cargoHome() (string, error) {
	home := os.Getenv("CARGO_HOME")
	if home == "" {
		user, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		home = filepath.Join(user, ".cargo")
	}
	return home, os.MkdirAll(home, 0o755)
}

// pathMaps gives the folders of foreign code short names in the binary, "from=to". The folder of the crates is looked up, since
// Cargo names it after the registry.
func (b builder) pathMaps(ctx context.Context, dir string, env []string) ([]string, error) {
	cargo, _, _ := b.rustTools()
	text, err := output(ctx, dir, env, cargo, "metadata", "--offline", "--locked", "--format-version", "1", "--filter-platform", b.rust)
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
	return append(maps, filepath.Join(b.stage(), "target")+"=/target"), nil
}
