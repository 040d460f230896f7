// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main

import (
	"bytes"
	"crypto/sha256"
	"debug/macho"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Nothing can run a library for macOS here, so its file is looked at as closely as the system's loader would: names, versions,
// exports, where each import comes from, and the signature, without which Apple's processors run nothing.

// What loader.h, nlist.h and cs_blobs.h of macOS call these. debug/macho has names for the others.
const (
	lcIDDylib       = 0x0d
	lcLoadDylib     = 0x0c
	lcRpath         = 0x1c | lcReqDyld
	lcSignature     = 0x1d
	lcDyldInfoOnly  = 0x22 | lcReqDyld
	lcBuildVersion  = 0x32
	lcReqDyld       = 0x80000000
	platformMacOS   = 1
	symbolStab      = 0xe0
	symbolPrivate   = 0x10
	symbolExternal  = 0x01
	magicSignature  = 0xfade0cc0
	magicDirectory  = 0xfade0c02
	directoryAdHoc  = 0x2
	directorySHA256 = 2
)

// frameworksFolder has the stubs that the library is linked against, in libpaimon_c.
const frameworksFolder = "frameworks"

// inspectMachO checks a library for macOS. It returns what the library needs, and the oldest macOS that it says will do.
func (b builder) inspectMachO(plain []byte) (needs []string, macOS string, err error) {
	file, err := macho.NewFile(bytes.NewReader(plain))
	if err != nil {
		return nil, "", err
	}
	var problems []string
	problem := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if file.Cpu != macho.CpuArm64 || file.Type != macho.TypeDylib || file.Flags&macho.FlagTwoLevel == 0 {
		problem("it is a %v for %v with flags %#x", file.Type, file.Cpu, file.Flags)
	}

	name, signed := "", false
	var exports []string
	var imports []machoImport
	for _, load := range file.Loads {
		raw := load.Raw()
		words := loadWords(file, load)
		switch words[0] {
		case lcIDDylib:
			name = cString(raw, words[2])
		case lcLoadDylib:
			needs = append(needs, cString(raw, words[2]))
		case lcRpath:
			problem("it has a path to look for libraries: %s", cString(raw, words[2]))
		case lcBuildVersion:
			macOS = fmt.Sprintf("%d.%d", words[3]>>16, words[3]>>8&0xff)
			if words[2] != platformMacOS {
				problem("it is for platform %d", words[2])
			}
		case lcDyldInfoOnly:
			for _, part := range [][2]uint32{{words[4], words[5]}, {words[8], words[9]}} {
				found, err := parseBindings(plain[part[0]:][:part[1]])
				if err != nil {
					return nil, "", err
				}
				imports = append(imports, found...)
			}
			if exports, err = parseExports(plain[words[10]:][:words[11]]); err != nil {
				return nil, "", err
			}
		case lcSignature:
			if signed = true; int(words[2])+int(words[3]) != len(plain) {
				problem("its signature is not at its end")
			}
			if err := eachPage(plain, plain[words[2]:][:words[3]], words[2], func(n uint32, page, hash []byte) error {
				if sum := sha256.Sum256(page); !bytes.Equal(sum[:], hash) {
					return fmt.Errorf("the hash of page %d is another", n)
				}
				return nil
			}); err != nil {
				problem("its signature is wrong: %v", err)
			}
		}
	}
	if want := "@rpath/" + b.file; name != want {
		problem("its name is %s, not %s", name, want)
	}
	if macOS != b.version {
		problem("it needs macOS %s, not %s", macOS, b.version)
	}
	if !signed {
		problem("it is not signed")
	}
	for _, export := range exports {
		if !strings.HasPrefix(export, "_paimon_") {
			problem("it exports %s", export)
		}
	}
	if len(exports) == 0 {
		problem("it exports nothing")
	}
	for _, symbol := range file.Symtab.Syms {
		// Zig's linker names the thunks it makes for calls across a large library.
		local := symbol.Type&(symbolPrivate|symbolExternal) != symbolExternal && !strings.HasSuffix(symbol.Name, "__thunk")
		if symbol.Type&symbolStab != 0 || local {
			problem("it is not stripped: it has %s", symbol.Name)
			break
		}
	}
	if err := b.checkImports(needs, imports); err != nil {
		problem("%v", err)
	}
	return needs, macOS, asError(problems)
}

// checkImports checks that every import comes from a library that is there on every Mac and, where that is a framework, that our
// stub of it has the symbol.
func (b builder) checkImports(needs []string, imports []machoImport) error {
	if len(imports) == 0 {
		return errors.New("it imports nothing")
	}
	system := []string{"/usr/lib/libSystem.B.dylib", "/usr/lib/libiconv.2.dylib", "/usr/lib/libcharset.1.dylib"}
	stubs := make(map[string]stub)
	for _, need := range needs {
		if slices.Contains(system, need) {
			continue
		}
		s, err := b.readStub(need)
		if err != nil {
			return err
		}
		stubs[need] = s
	}
	var problems []error
	for _, i := range imports {
		if i.library < 1 || i.library > len(needs) {
			problems = append(problems, fmt.Errorf("it imports %s from library %d, of %d", i.symbol, i.library, len(needs)))
			continue
		}
		from := needs[i.library-1]
		if s, ok := stubs[from]; ok && !s.symbols[i.symbol] {
			problems = append(problems, fmt.Errorf("it imports %s from %s, whose stub does not have it", i.symbol, from))
		}
	}
	return errors.Join(problems...)
}

// A stub says what a framework has, as far as we know and need.
type stub struct{ symbols map[string]bool }

var (
	stubInstallName = regexp.MustCompile(`(?m)^install-name: *'([^']+)'$`)
	stubSymbols     = regexp.MustCompile(`(?s)symbols: *\[([^\]]*)\]`)
)

// readStub reads the stub of the framework with an install name.
func (b builder) readStub(installName string) (stub, error) {
	framework := filepath.Base(installName)
	text, err := os.ReadFile(b.path(frameworksFolder + "/" + framework + ".framework/" + framework + ".tbd"))
	if err != nil {
		return stub{}, fmt.Errorf("it needs %s: %w", installName, err)
	}
	if name := stubInstallName.FindSubmatch(text); name == nil || string(name[1]) != installName {
		return stub{}, fmt.Errorf("it needs %s, but the stub of %s has another name", installName, framework)
	}
	s := stub{symbols: make(map[string]bool)}
	for _, list := range stubSymbols.FindAllSubmatch(text, -1) {
		for symbol := range strings.SplitSeq(string(list[1]), ",") {
			s.symbols[strings.TrimSpace(symbol)] = true
		}
	}
	return s, nil
}

// A machoImport is a symbol, and the number of the library that has it, from 1.
type machoImport struct {
	symbol  string
	library int
}

// parseBindings runs the program that tells macOS's loader what to look up. Where the results go is not of interest.
func parseBindings(program []byte) (imports []machoImport, err error) {
	r := bytes.NewReader(program)
	now := machoImport{}
	operands := map[byte]int{0x50: 0, 0x60: 1, 0x70: 1, 0x80: 1, 0x90: 0, 0xa0: 1, 0xb0: 0, 0xc0: 2} // how many numbers follow
	for r.Len() > 0 {
		op, _ := r.ReadByte()
		code, immediate := op&0xf0, op&0x0f
		switch code {
		case 0x00: // done; lazy bindings go on
			continue
		case 0x10:
			now.library = int(immediate)
			continue
		case 0x20:
			n, err := binary.ReadUvarint(r)
			if err != nil {
				return nil, err
			}
			now.library = int(n)
			continue
		case 0x30: // a special library: the program itself, or any
			now.library = -int(immediate)
			continue
		case 0x40:
			if now.symbol, err = readCString(r); err != nil {
				return nil, err
			}
			continue
		}
		count, known := operands[code]
		if !known {
			return nil, fmt.Errorf("bindings have the operation %#x", op)
		}
		for range count {
			if _, err := binary.ReadUvarint(r); err != nil {
				return nil, err
			}
		}
		if code >= 0x90 {
			imports = append(imports, now)
		}
	}
	return imports, nil
}

// finishMachO leaves nothing exported but what begins with _paimon_, since Zig's linker does not heed Rust's list, and then makes
// the hashes of Zig's signature fit again. The file keeps its length.
func finishMachO(plain []byte) error {
	file, err := macho.NewFile(bytes.NewReader(plain))
	if err != nil {
		return err
	}
	at := uint32(32) // where the load commands begin
	for _, load := range file.Loads {
		info := loadWords(file, load)
		if info[0] == lcDyldInfoOnly {
			tree := plain[info[10]:][:info[11]]
			ours, err := limitExports(tree)
			if err != nil {
				return err
			}
			if len(ours) > len(tree) {
				return errors.New("a part of the exports needs more room than all of them")
			}
			clear(tree[copy(tree, ours):])
			file.ByteOrder.PutUint32(plain[at+4*11:], uint32(len(ours)))
		}
		at += info[1]
	}
	for _, load := range file.Loads {
		if info := loadWords(file, load); info[0] == lcSignature {
			return eachPage(plain, plain[info[2]:][:info[3]], info[2], func(_ uint32, page, hash []byte) error {
				sum := sha256.Sum256(page)
				copy(hash, sum[:])
				return nil
			})
		}
	}
	return errors.New("the library is not signed")
}

// limitExports makes a tree of our names in another.
func limitExports(tree []byte) ([]byte, error) {
	root := new(exportNode)
	if err := walkExports(tree, func(name string, value []byte) error {
		if strings.HasPrefix(name, "_paimon_") {
			root.add(name, value)
		}
		return nil
	}); err != nil {
		return nil, err
	}
	return root.tree(), nil
}

// An exportNode is a beginning of names, and the value of the name that it is itself, if any.
type exportNode struct {
	at    uint64
	value []byte
	edges []exportEdge
}

type exportEdge struct {
	text string
	to   *exportNode
}

func (n *exportNode) add(name string, value []byte) {
	if name == "" {
		n.value = value
		return
	}
	for i, edge := range n.edges {
		common := 0
		for common < min(len(edge.text), len(name)) && edge.text[common] == name[common] {
			common++
		}
		if common == 0 {
			continue
		}
		if common < len(edge.text) {
			between := &exportNode{edges: []exportEdge{{edge.text[common:], edge.to}}}
			n.edges[i] = exportEdge{edge.text[:common], between}
		}
		n.edges[i].to.add(name[common:], value)
		return
	}
	n.edges = append(n.edges, exportEdge{name, &exportNode{value: value}})
}

// tree is how a file holds it.
func (n *exportNode) tree() []byte {
	nodes := n.list(nil)
	// Where a node is depends on how long the numbers are that say where others are: until nothing moves any more.
	for moved := true; moved; {
		moved = false
		at := uint64(0)
		for _, n := range nodes {
			moved = moved || n.at != at
			n.at = at
			at += uint64(len(n.bytes()))
		}
	}
	var out []byte
	for _, n := range nodes {
		out = append(out, n.bytes()...)
	}
	return append(out, make([]byte, -len(out)&7)...)
}

func (n *exportNode) list(nodes []*exportNode) []*exportNode {
	nodes = append(nodes, n)
	for _, edge := range n.edges {
		nodes = edge.to.list(nodes)
	}
	return nodes
}

func (n *exportNode) bytes() []byte {
	out := binary.AppendUvarint(nil, uint64(len(n.value)))
	out = append(append(out, n.value...), byte(len(n.edges)))
	for _, edge := range n.edges {
		out = append(append(out, edge.text...), 0)
		out = binary.AppendUvarint(out, edge.to.at)
	}
	return out
}

func parseExports(tree []byte) (names []string, err error) {
	err = walkExports(tree, func(name string, _ []byte) error {
		names = append(names, name)
		return nil
	})
	return names, err
}

// walkExports walks the tree of names that macOS's loader looks symbols up in, and shows each with its value.
func walkExports(tree []byte, show func(name string, value []byte) error) error {
	var walk func(at uint64, name string, depth int) error
	walk = func(at uint64, name string, depth int) error {
		if at >= uint64(len(tree)) || depth > len(tree) {
			return errors.New("the exports lead nowhere")
		}
		r := bytes.NewReader(tree[at:])
		size, err := binary.ReadUvarint(r)
		if err != nil {
			return err
		}
		if size > 0 {
			value := make([]byte, min(size, uint64(len(tree))))
			if _, err := io.ReadFull(r, value); err != nil {
				return err
			}
			if err := show(name, value); err != nil {
				return err
			}
		}
		children, err := r.ReadByte()
		if err != nil {
			return err
		}
		for range children {
			part, err := readCString(r)
			if err != nil {
				return err
			}
			child, err := binary.ReadUvarint(r)
			if err != nil {
				return err
			}
			if err := walk(child, name+part, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	if len(tree) == 0 {
		return nil
	}
	return walk(0, "", 0)
}

func readCString(r *bytes.Reader) (string, error) {
	var text []byte
	for {
		c, err := r.ReadByte()
		if err != nil || c == 0 {
			return string(text), err
		}
		text = append(text, c)
	}
}

func cString(data []byte, at uint32) string {
	text, _, _ := bytes.Cut(data[at:], []byte{0})
	return string(text)
}

// eachPage shows all pages of the file before its signature, each with its hash in the signature, which must be an ad-hoc one.
func eachPage(plain, signature []byte, end uint32, show func(n uint32, page, hash []byte) error) error {
	be := binary.BigEndian
	if len(signature) < 12 || be.Uint32(signature) != magicSignature {
		return errors.New("it is none")
	}
	for i := range be.Uint32(signature[8:]) {
		blob := signature[be.Uint32(signature[12+8*i+4:]):]
		if be.Uint32(blob) != magicDirectory {
			continue
		}
		flags, hashes, special, pages := be.Uint32(blob[12:]), be.Uint32(blob[16:]), be.Uint32(blob[24:]), be.Uint32(blob[28:])
		limit, size, kind, pageBits := be.Uint32(blob[32:]), blob[36], blob[37], blob[39]
		if flags&directoryAdHoc == 0 || kind != directorySHA256 || size != sha256.Size {
			return fmt.Errorf("it has flags %#x, hashes of kind %d and size %d", flags, kind, size)
		}
		length := uint32(1) << pageBits
		if limit != end || pages != (limit+length-1)/length || special != 0 {
			return fmt.Errorf("it covers %d pages and %d bytes of %d, and %d other things", pages, limit, end, special)
		}
		for n := range pages {
			if err := show(n, plain[n*length:min((n+1)*length, limit)], blob[hashes+n*sha256.Size:][:sha256.Size]); err != nil {
				return err
			}
		}
		return nil
	}
	return errors.New("it has no code directory")
}

// loadWords are the numbers of a load command.
func loadWords(file *macho.File, load macho.Load) []uint32 {
	raw := load.Raw()
	words := make([]uint32, len(raw)/4)
	for i := range words {
		words[i] = file.ByteOrder.Uint32(raw[4*i:])
	}
	return words
}
