// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Zig compiles C and links for every platform alike, against the glibc that is asked for; cargo-zigbuild puts it under Cargo.
const (
	zigVersion      = "0.17.1"
	zigbuildVersion = "0.24.1"
)

// zigRequirements pins both, for hosts that are linux/amd64 or linux/arm64.
const zigRequirements = `ziglang==` + zigVersion + ` \
  --hash=sha256:ea6cc5d87b033cf0aedfbc8f9549a908cae6c50ac31f1698188fa48a74524b54 \
  --hash=sha256:b7c5f02fccd40f89b999ee16a1f5ddced56e6182370f8affe494bcf8a28cf07e
cargo-zigbuild==` + zigbuildVersion + ` \
  --hash=sha256:238a1ab54a95053a4eadc34775c81f795a8ad75f80bfed63f3f445f518102375 \
  --hash=sha256:07c5e3dcddf208500462ec927c556bb306cca2b533b0abe29446bffb63767b85
`

// zig returns the folders of cargo-zigbuild and of Zig. It installs them when they are not there.
func (b builder) zig(ctx context.Context) (cargoZigbuild, zig string, err error) {
	venv := filepath.Join(b.path(toolsFolder), "zig")
	cargoZigbuild = filepath.Join(venv, "bin")
	have, _ := os.ReadFile(filepath.Join(venv, "requirements.txt"))
	if string(have) != zigRequirements {
		note("installing zig %s and cargo-zigbuild %s, once", zigVersion, zigbuildVersion)
		requirements := filepath.Join(b.path(toolsFolder), "requirements.txt")
		if err := write(requirements, []byte(zigRequirements)); err != nil {
			return "", "", err
		}
		if err := show(ctx, b.crate, environment(), "python3", "-m", "venv", "--clear", venv); err != nil {
			return "", "", err
		}
		if err := show(ctx, b.crate, environment(), filepath.Join(cargoZigbuild, "pip"), "install", "--quiet", "--disable-pip-version-check",
			"--only-binary=:all:", "--require-hashes", "--requirement", requirements); err != nil {
			return "", "", err
		}
		// Moved there last: it says that all is installed.
		if err := os.Rename(requirements, filepath.Join(venv, "requirements.txt")); err != nil {
			return "", "", err
		}
	}
	found, err := filepath.Glob(filepath.Join(venv, "lib", "python3*", "site-packages", "ziglang", "zig"))
	if err != nil {
		return "", "", err
	}
	if len(found) != 1 {
		return "", "", fmt.Errorf("zig is not where it was installed, but here: %q", found)
	}
	version, err := output(ctx, b.crate, environment(), found[0], "version")
	if err == nil && strings.TrimSpace(string(version)) != zigVersion {
		err = fmt.Errorf("zig is %s, not %s", version, zigVersion)
	}
	return cargoZigbuild, filepath.Dir(found[0]), err
}
