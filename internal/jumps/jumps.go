// SPDX-License-Identifier: Apache-2.0

// Package jumps prepares machine code for compression. Instructions name the places that they call, jump to, read and write by the
// distance from themselves, so that each use of one place looks different; named by where the place is, all look the same. The embedded
// libraries are a tenth smaller for it.
package jumps

import (
	"encoding/binary"
	"math"
)

// ToAbsolute rewrites, in place, distances to places. It is for the whole file of a library of that architecture, as GOARCH names
// it; of one that it does not know it leaves all as it is. What is not code, but looks like it, is rewritten as well: [ToRelative] undoes
// all of it.
func ToAbsolute(file []byte, arch string) { rewrite(file, arch, 1) }

// ToRelative undoes [ToAbsolute].
func ToRelative(file []byte, arch string) { rewrite(file, arch, -1) }

func rewrite(file []byte, arch string, sign int32) {
	if len(file) > math.MaxInt32 {
		return // no library is as large
	}
	switch arch {
	case "amd64":
		rewriteAMD64(file, sign)
	case "arm64":
		rewriteARM64(file, sign)
	}
}

// What an amd64 instruction that has a distance may begin with.
const (
	callOrJump   = 1 + iota // then the distance
	twoBytes                // a conditional jump, or a few instructions on vectors and bytes
	wide                    // the prefix of those on 64 bits
	throughTable            // calls and jumps through an address in memory
)

var firstBytes = [256]byte{
	0xE8: callOrJump, 0xE9: callOrJump, 0x0F: twoBytes, 0xFF: throughTable,
	0x48: wide, 0x49: wide, 0x4A: wide, 0x4B: wide, 0x4C: wide, 0x4D: wide, 0x4E: wide, 0x4F: wide,
}

// reach is how far distances may go: both they and the places, counted from the middle of the reach, have one bit more. Those that do
// not look like distances stay, and so the rewriting can be undone.
const reach = 1 << 26

func rewriteAMD64(file []byte, sign int32) {
	for i := 0; ; i++ {
		for i+7 <= len(file) && firstBytes[file[i]] == 0 {
			i++
		}
		if i+7 > len(file) {
			return
		}
		var at int // of the distance
		switch firstBytes[file[i]] {
		case callOrJump:
			at = i + 1
		case throughTable:
			if second := file[i+1]; second == 0x15 || second == 0x25 {
				at = i + 2
			}
		case twoBytes:
			switch second := file[i+1]; {
			case second&0xF0 == 0x80:
				at = i + 2
			case second == 0x10 || second == 0x28 || second == 0x6F || second == 0xB6:
				at = besideInstruction(file, i+2)
			}
		case wide:
			if second := file[i+1]; second == 0x8D || second == 0x8B || second == 0x89 || second == 0x3B {
				at = besideInstruction(file, i+2)
			}
		}
		if at == 0 {
			continue
		}
		// Big-endian, what is the same of many places comes first. It is the one or the other for all, rewritten or not.
		from, to := binary.LittleEndian.Uint32, binary.BigEndian.PutUint32
		if sign < 0 {
			from, to = binary.BigEndian.Uint32, binary.LittleEndian.PutUint32
		}
		value := int32(from(file[at:]))
		if -reach <= value && value < reach {
			value += sign * int32(at+4)
			value = value << 5 >> 5 // into the reach again
		}
		to(file[at:], uint32(value))
		i = at + 3
	}
}

// besideInstruction says where the distance is if the operand at i is at a distance from the instruction, else 0.
func besideInstruction(file []byte, i int) int {
	if file[i]&0xC7 == 0x05 {
		return i + 1
	}
	return 0
}

func rewriteARM64(file []byte, sign int32) {
	for i := 0; i+4 <= len(file); i += 4 {
		word := binary.LittleEndian.Uint32(file[i:])
		switch {
		case word>>26 == 0b100101 || word>>26 == 0b000101: // BL, B: words
			distance := word + uint32(sign*int32(i/4))
			word = word&0xFC000000 | distance&0x03FFFFFF
		case word&0x9F000000 == 0x90000000: // ADRP: pages, the lowest two bits apart
			distance := word>>29&3 | word>>3&0x1FFFFC
			distance += uint32(sign * int32(i>>12))
			word = word&0x9F00001F | distance&3<<29 | distance&0x1FFFFC<<3
		default:
			continue
		}
		binary.LittleEndian.PutUint32(file[i:], word)
	}
}
