// SPDX-License-Identifier: Apache-2.0

package jumps

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"testing"
)

// Two calls of one function from different places look the same afterwards.
func TestToAbsolute(t *testing.T) {
	amd64 := make([]byte, 256)
	for _, at := range []int{16, 100} {
		amd64[at] = 0xE8
		binary.LittleEndian.PutUint32(amd64[at+1:], uint32(200-(at+5)))
	}
	ToAbsolute(amd64, "amd64")
	if want := []byte{0xE8, 0, 0, 0, 200}; !bytes.Equal(amd64[16:21], want) || !bytes.Equal(amd64[100:105], want) {
		t.Errorf("got % x and % x, want % x", amd64[16:21], amd64[100:105], want)
	}
	arm64 := make([]byte, 256)
	for _, at := range []int{16, 100} {
		binary.LittleEndian.PutUint32(arm64[at:], 0b100101<<26|uint32(200-at)/4)
	}
	ToAbsolute(arm64, "arm64")
	if want := []byte{50, 0, 0, 0x94}; !bytes.Equal(arm64[16:20], want) || !bytes.Equal(arm64[100:104], want) {
		t.Errorf("got % x and % x, want % x", arm64[16:20], arm64[100:104], want)
	}
}

// Whatever is rewritten comes back: this program, whose code is of one of the two, and noise that is dense in beginnings.
func TestToRelative(t *testing.T) {
	path, err := os.Executable() // under QEMU the first argument is a script
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 1<<20)
	some := []byte{0xE8, 0x0F, 0x85, 0x48, 0x8D, 0x05, 0x15, 0xFF, 0, 3, 0xFC, 0x94, 0x90, 0xB0, 0x17}
	for i := range noise {
		noise[i] = some[random.IntN(len(some))]
	}
	for _, arch := range []string{"amd64", "arm64", "other"} {
		for _, file := range [][]byte{nil, program, noise, noise[:7], noise[:6], noise[:3]} {
			rewritten := bytes.Clone(file)
			ToAbsolute(rewritten, arch)
			if changed := !bytes.Equal(rewritten, file); changed != (arch != "other" && len(file) > 7) && len(file) > 7 {
				t.Errorf("%s: %d bytes are rewritten: %v", arch, len(file), changed)
			}
			ToRelative(rewritten, arch)
			if !bytes.Equal(rewritten, file) {
				t.Errorf("%s: %d bytes do not come back", arch, len(file))
			}
		}
	}
}

func BenchmarkToRelative(b *testing.B) {
	path, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	program, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	ToAbsolute(program, "amd64")
	b.SetBytes(int64(len(program)))
	for b.Loop() {
		ToRelative(program, "amd64")
	}
}
