// SPDX-License-Identifier: Apache-2.0

package paimon

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unsafe"

	"github.com/jupiterrider/ffi"
)

func testLibrary(t testing.TB) *library {
	t.Helper()
	l, err := openLibrary("test")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestEverySymbolResolves(t *testing.T) {
	l := testLibrary(t)
	for _, s := range symbols {
		if _, err := l.resolve(s); err != nil {
			t.Error(err)
		}
	}
}

func TestMissingSymbol(t *testing.T) {
	l := testLibrary(t)
	s := &symbol{id: 0, name: "paimon_no_such_function"}
	// A library of its own slots, so that the real first symbol keeps its address.
	other := &library{image: l.image, slots: make([]slot, 1)}
	_, err := other.resolve(s)
	if err == nil || !strings.Contains(err.Error(), s.name) {
		t.Fatalf("got %v, want an error that names %s", err, s.name)
	}
}

// What Go declares is what the header declares, function by function and parameter by parameter.
func TestSymbolsMatchHeader(t *testing.T) {
	prototypes := headerPrototypes(t)
	declared := make(map[string]bool)
	for _, s := range symbols {
		declared[s.name] = true
		p, ok := prototypes[s.name]
		if !ok {
			t.Errorf("%s is declared in Go but not in the header", s.name)
			continue
		}
		if len(p) != len(s.args) {
			t.Errorf("%s takes %d parameters in Go, %d in the header (%v)", s.name, len(s.args), len(p), p)
		}
	}
	for name := range prototypes {
		if !declared[name] {
			t.Errorf("%s is in the header but not declared in Go", name)
		}
	}
}

var (
	comments  = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*`)
	prototype = regexp.MustCompile(`\b(paimon_\w+)\(([^()]*)\);`)
)

func headerPrototypes(t *testing.T) map[string][]string {
	t.Helper()
	raw, err := os.ReadFile("libpaimon_c/include/paimon.h")
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string][]string)
	for _, m := range prototype.FindAllStringSubmatch(comments.ReplaceAllString(string(raw), ""), -1) {
		var parameters []string
		if list := strings.TrimSpace(m[2]); list != "" && list != "void" {
			parameters = strings.Split(list, ",")
		}
		found[m[1]] = parameters
	}
	if len(found) < 40 {
		t.Fatalf("found %d functions in the header; has its form changed?", len(found))
	}
	return found
}

// Go, libffi and the library itself agree on where each member of each struct lies.
func TestStructLayout(t *testing.T) {
	l := testLibrary(t)
	n, err := ffiAbiLayoutLen.call(l)
	if err != nil {
		t.Fatal(err)
	}
	first, err := ffiAbiLayout.call(l)
	if err != nil {
		t.Fatal(err)
	}
	type place struct{ size, offset uintptr }
	native := make(map[string]place)
	for _, e := range unsafe.Slice(first, n) {
		native[goString(e.name)] = place{e.size, e.offset}
	}
	mirrors := []struct {
		name  string
		value any
	}{
		{"paimon_option", cOption{}},
		{"paimon_bytes", cBytes{}},
		{"paimon_error", cError{}},
		{"paimon_datum", cDatum{}},
		{"paimon_arrow_batch", cArrowBatch{}},
		{"paimon_loan", cLoan{}},
		{"paimon_result", result[byte]{}},
		{"paimon_result_bytes", resultBytes{}},
		{"paimon_result_batch", resultBatch{}},
		{"paimon_result_size", resultSize{}},
		{"paimon_resource_metrics", cResourceMetrics{}},
		{"paimon_result_resource_metrics", resultResourceMetrics{}},
	}
	// The members' names in C, where they differ from Go's.
	renamed := map[string]string{
		"err": "error", "reservedMemoryBytes": "reserved_memory_bytes", "peakReservedMemoryBytes": "peak_reserved_memory_bytes",
		"intVal": "int_val", "intVal2": "int_val2", "doubleVal": "double_val", "strData": "str_data", "strLen": "str_len",
		"uintVal": "uint_val", "uintVal2": "uint_val2",
	}
	for _, m := range mirrors {
		goType := reflect.TypeOf(m.value)
		if got := (place{goType.Size(), 0}); native[m.name] != got {
			t.Errorf("%s: Go has %v, the library %v", m.name, got, native[m.name])
		}
		offsets := make([]uint64, goType.NumField())
		if status := ffi.GetStructOffsets(ffi.DefaultAbi, abiType(goType), &offsets[0]); status != ffi.OK {
			t.Fatalf("%s: libffi: %v", m.name, status)
		}
		for i := range goType.NumField() {
			field := goType.Field(i)
			name := field.Name
			if c, ok := renamed[name]; ok {
				name = c
			}
			got := place{field.Type.Size(), field.Offset}
			if want, ok := native[m.name+"."+name]; !ok || got != want {
				t.Errorf("%s.%s: Go has %v, the library %v", m.name, name, got, want)
			}
			if uintptr(offsets[i]) != field.Offset {
				t.Errorf("%s.%s: Go has offset %d, libffi %d", m.name, name, field.Offset, offsets[i])
			}
			delete(native, m.name+"."+name)
		}
		delete(native, m.name)
	}
	for name := range native {
		t.Errorf("%s has no mirror in Go", name)
	}
}

// A symbol's variable is named after the function: paimon_catalog_get_table is ffiCatalogGetTable.
func TestSymbolNames(t *testing.T) {
	found := 0
	eachFile(t, func(path string, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 {
				return true
			}
			call, ok := spec.Values[0].(*ast.CallExpr)
			if !ok || len(call.Args) != 1 {
				return true
			}
			literal, ok := call.Args[0].(*ast.BasicLit)
			if !ok || !strings.HasPrefix(literal.Value, `"paimon_`) {
				return true
			}
			found++
			want := "ffi"
			for _, word := range strings.Split(strings.Trim(literal.Value, `"`), "_")[1:] {
				want += string(unicode.ToUpper(rune(word[0]))) + word[1:]
			}
			if got := spec.Names[0].Name; got != want {
				t.Errorf("%s: %s is bound to %s, want %s", path, literal.Value, got, want)
			}
			return true
		})
	})
	if found != len(symbols) {
		t.Errorf("found %d declarations of %d symbols", found, len(symbols))
	}
}

// Only the machinery may touch memory by hand.
func TestUnsafeIsFenced(t *testing.T) {
	machinery := []string{"ffi.go", "library.go", "types.go"}
	eachFile(t, func(path string, file *ast.File) {
		fenced := strings.HasSuffix(path, "_ffi.go") || slices.Contains(machinery, path)
		for _, spec := range file.Imports {
			switch spec.Path.Value {
			case `"unsafe"`, `"github.com/jupiterrider/ffi"`:
				if !fenced {
					t.Errorf("%s imports %s", path, spec.Path.Value)
				}
			}
		}
	})
}

// No native code calls back into Go: purego has 2000 places for callbacks, and none is ever given back. What makes one is refused
// here by name, in either module.
func TestNoCallbacks(t *testing.T) {
	makers := []string{"ClosureAlloc", "NewCallback", "NewCallbackFnPtr", "PrepClosureLoc", "RegisterFunc", "RegisterLibFunc"}
	eachFile(t, func(path string, file *ast.File) {
		ast.Inspect(file, func(node ast.Node) bool {
			selector, ok := node.(*ast.SelectorExpr)
			if !ok || !slices.Contains(makers, selector.Sel.Name) {
				return true
			}
			if module, ok := selector.X.(*ast.Ident); ok && (module.Name == "ffi" || module.Name == "purego") {
				t.Errorf("%s uses %s.%s", path, module.Name, selector.Sel.Name)
			}
			return true
		})
	})
}

// Versions of purego before 0.10.1 mix up the results of concurrent calls, and of ffi before 0.8.0 they free what is in use.
func TestOldestDependencies(t *testing.T) {
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for module, oldest := range map[string][]int{"github.com/ebitengine/purego": {0, 10, 1}, "github.com/jupiterrider/ffi": {0, 8, 0}} {
		var version [3]int
		_, line, _ := strings.Cut(string(mod), module+" v")
		if n, err := fmt.Sscanf(line, "%d.%d.%d", &version[0], &version[1], &version[2]); n != 3 {
			t.Errorf("%s: %v", module, err)
		} else if slices.Compare(version[:], oldest) < 0 {
			t.Errorf("%s is %v, want %v at least", module, version, oldest)
		}
	}
}

// eachFile parses the package's own files, without tests.
func eachFile(t *testing.T, visit func(path string, file *ast.File)) {
	t.Helper()
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		visit(path, file)
	}
}

func TestABITypeOfUnknownKindPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a string has no C type, but none was missed")
		}
	}()
	abiType(reflect.TypeFor[string]())
}
