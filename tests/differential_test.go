// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"

	paimon "github.com/apache/paimon-rust/bindings/go"
)

var (
	differentialSeed  = flag.Uint64("differential.seed", 0, "seed of TestFiltersDifferential; 0 picks one")
	differentialCases = flag.Int("differential.cases", 5200, "number of cases of TestFiltersDifferential, of which -short runs a tenth")
)

// A cell is a value of a row: nil, bool, int64, float64, string (bytes too), *big.Rat (a decimal) or moment.
type cell any

// A moment is a timestamp: seconds and, from 0 up, nanoseconds.
type moment struct{ seconds, nanos int64 }

type row []cell

// A tree is a predicate as the test sees it.
type tree struct {
	op     string
	column int
	values []cell
	below  []*tree
}

// A fixture says how to make a table: its schema, and the rows of each of its commits.
type fixture struct {
	schema  paimon.Schema
	commits [][]row // a cell more than there are columns is a row kind
}

// TestFiltersDifferential compares filters of random tables with a plain evaluation in Go of what a read without a filter gives.
func TestFiltersDifferential(t *testing.T) {
	checkLeaks(t)
	seed := *differentialSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	const perTable = 100
	wanted := *differentialCases
	if testing.Short() { // under the race detector and the like
		wanted /= 10
	}
	tables := (wanted + perTable - 1) / perTable
	var group sync.WaitGroup
	var next, cases, matching atomic.Int64
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for {
				n := next.Add(1) - 1
				if n >= int64(tables) || t.Failed() {
					return
				}
				random := rand.New(rand.NewPCG(seed, uint64(n)))
				f := randomFixture(random, int(n))
				table, done := f.make(t)
				rows := newScanner(t, table, nil).read(t, nil, true)
				matching.Add(int64(len(rows)))
				for range perTable * 3 / 4 {
					p := randomTree(random, &f.schema, rows, 4)
					cases.Add(1)
					choice := random.Uint64()
					if problem := f.check(t, table, rows, p, choice); problem != "" {
						f.minimise(t, p, choice, problem)
						t.Errorf("to repeat: go test ./tests -run %s -differential.seed=%d", t.Name(), seed)
						break
					}
				}
				g, changed := f.evolve(t, table, random)
				rows = newScanner(t, changed, nil).read(t, nil, true)
				for range perTable / 4 {
					p := randomTree(random, &g.schema, rows, 4)
					cases.Add(1)
					if problem := g.check(t, changed, rows, p, random.Uint64()); problem != "" {
						t.Errorf("after a change of the schema: %s: %s\nto repeat: go test ./tests -run %s -differential.seed=%d",
							p.text(&g.schema), problem, t.Name(), seed)
						break
					}
				}
				changed.Close()
				done()
			}
		})
	}
	group.Wait()
	t.Logf("%d cases over %d tables with %d rows; seed %d", cases.Load(), tables, matching.Load(), seed)
	if !t.Failed() && (cases.Load() < int64(wanted) || matching.Load() < 5*int64(tables)) {
		t.Error("too few cases or rows")
	}
}

// The golden tables, some of which changed their schema, under random predicates.
func TestFiltersOnForeignTables(t *testing.T) {
	checkLeaks(t)
	for n, name := range []string{"simple_log_table", "simple_pk_table", "multi_bucket_pk_table", "partitioned_log_table"} {
		_, table := foreignTable(t, name)
		differ(t, table, 60, uint64(n))
	}
}

// differ runs random predicates over a table that is there already.
func differ(t *testing.T, table *paimon.Table, cases int, seed uint64) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 1))
	schema, err := table.Schema()
	must(t, err)
	rows := newScanner(t, table, nil).read(t, nil, true)
	for range cases {
		p := randomTree(random, schema, rows, 4)
		if problem := (&fixture{schema: *schema}).check(t, table, rows, p, random.Uint64()); problem != "" {
			t.Fatalf("%s: %s: %s", table.Identifier(), p.text(schema), problem)
		}
	}
}

// check compares a filter, pushed down and not, with what Go finds, or says what is different.
func (f *fixture) check(t testing.TB, table *paimon.Table, rows []row, p *tree, choice uint64) string {
	projection := []int(nil) // all
	switch random := rand.New(rand.NewPCG(choice, 0)); random.IntN(4) {
	case 0:
		projection = []int{}
	case 1:
		projection = random.Perm(len(f.schema.Fields))[:1+random.IntN(len(f.schema.Fields))]
	}
	var want []string
	for _, r := range rows {
		if p.eval(r) == yes {
			want = append(want, r.text(projection))
		}
	}
	slices.Sort(want)
	predicate, err := p.build(table, &f.schema)
	if err != nil {
		return "build: " + err.Error()
	}
	for _, pushdown := range []bool{true, false} {
		scanner := newScanner(t, table, &f.schema)
		scanner.projection = projection
		var got []string
		found, err := scanner.try(predicate, pushdown)
		if err != nil {
			return fmt.Sprintf("pushdown %v: %v", pushdown, err)
		}
		for _, r := range found {
			got = append(got, r.text(nil))
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			return fmt.Sprintf("pushdown %v, projection %v:\n got %q\nwant %q", pushdown, projection, got, want)
		}
	}
	return ""
}

// minimise makes a failing case smaller while it still fails, and reports it.
func (f *fixture) minimise(t testing.TB, p *tree, choice uint64, problem string) {
	fails := func(f *fixture, p *tree) string {
		table, done := f.make(t)
		defer done()
		rows := newScanner(t, table, nil).read(t, nil, true)
		return f.check(t, table, rows, p, choice)
	}
	last := fails(f, p)
	for smaller := last != ""; smaller; {
		smaller = false
		try := func(g *fixture, q *tree) bool {
			if found := fails(g, q); found != "" {
				f, p, last, smaller = g, q, found, true
				return true
			}
			return false
		}
		for _, q := range p.smaller() {
			if try(f, q) {
				break
			}
		}
		for i := 0; i < len(f.commits); i++ {
			if try(&fixture{f.schema, slices.Delete(slices.Clone(f.commits), i, i+1)}, p) {
				i--
			}
		}
		for i := range f.commits {
			for size := len(f.commits[i]) / 2; size > 0; size /= 2 {
				for from := 0; from+size <= len(f.commits[i]); {
					commits := slices.Clone(f.commits)
					commits[i] = slices.Delete(slices.Clone(commits[i]), from, from+size)
					if !try(&fixture{f.schema, commits}, p) {
						from += size
					}
				}
			}
		}
	}
	if last == "" {
		t.Errorf("a table of %v fails only the first time: %s: %s", f.schema.Options, p.text(&f.schema), problem)
		return
	}
	report := fmt.Sprintf("options %v, partitioned by %v, primary key %v\n", f.schema.Options, f.schema.PartitionKeys, f.schema.PrimaryKeys)
	for _, field := range f.schema.Fields {
		report += fmt.Sprintf("column %s %s\n", field.Name, field.Type)
	}
	for i, commit := range f.commits {
		for _, r := range commit {
			report += fmt.Sprintf("commit %d: %s\n", i, r.text(nil))
		}
	}
	t.Errorf("%sfilter %s\n%s", report, p.text(&f.schema), last)
}

func (p *tree) smaller() []*tree {
	found := slices.Clone(p.below)
	for i, b := range p.below {
		if len(p.below) > 2 {
			found = append(found, &tree{op: p.op, below: slices.Delete(slices.Clone(p.below), i, i+1)})
		}
		for _, s := range b.smaller() {
			below := slices.Clone(p.below)
			below[i] = s
			found = append(found, &tree{op: p.op, below: below})
		}
	}
	if len(p.values) > 1 && (p.op == "IN" || p.op == "NOT IN") {
		for i := range p.values {
			found = append(found, &tree{op: p.op, column: p.column, values: slices.Delete(slices.Clone(p.values), i, i+1)})
		}
	}
	return found
}

// text is for people.
func (p *tree) text(schema *paimon.Schema) string {
	if len(p.below) > 0 {
		var parts []string
		for _, b := range p.below {
			parts = append(parts, b.text(schema))
		}
		return p.op + "(" + strings.Join(parts, ", ") + ")"
	}
	return fmt.Sprintf("%s %s %s", schema.Fields[p.column].Name, p.op, row(p.values).text(nil))
}

func (r row) text(projection []int) string {
	var parts []string
	for _, c := range r {
		if projection != nil {
			break
		}
		parts = append(parts, cellText(c))
	}
	for _, i := range projection {
		parts = append(parts, cellText(r[i]))
	}
	return strings.Join(parts, " ")
}

func cellText(c cell) string {
	switch v := c.(type) {
	case string:
		return fmt.Sprintf("%q", v)
	case *big.Rat:
		return v.RatString()
	case float64:
		if math.IsNaN(v) {
			return "NaN" // there are many
		}
		return fmt.Sprintf("%g", v)
	default:
		return fmt.Sprint(v)
	}
}

// The three truth values.
const (
	no = iota
	unknown
	yes
)

// eval is SQL's logic, written without a look at the native side.
func (p *tree) eval(r row) int {
	truth := func(is bool) int {
		if is {
			return yes
		}
		return no
	}
	switch p.op {
	case "AND", "OR", "NOT":
		result := p.below[0].eval(r)
		for _, b := range p.below[1:] {
			if p.op == "AND" {
				result = min(result, b.eval(r))
			} else {
				result = max(result, b.eval(r))
			}
		}
		if p.op == "NOT" {
			result = yes - result
		}
		return result
	}
	value := r[p.column]
	switch {
	case p.op == "IS NULL":
		return truth(value == nil)
	case p.op == "IS NOT NULL":
		return truth(value != nil)
	case p.op == "IN" && len(p.values) == 0:
		return no
	case p.op == "NOT IN" && len(p.values) == 0:
		return yes
	case value == nil:
		return unknown
	}
	order := func(i int) int { return compareCells(value, p.values[i]) }
	among := slices.ContainsFunc(p.values, func(v cell) bool { return compareCells(value, v) == 0 })
	switch p.op {
	case "=":
		return truth(order(0) == 0)
	case "<>":
		return truth(order(0) != 0)
	case "<":
		return truth(order(0) < 0)
	case "<=":
		return truth(order(0) <= 0)
	case ">":
		return truth(order(0) > 0)
	case ">=":
		return truth(order(0) >= 0)
	case "IN":
		return truth(among)
	case "NOT IN":
		return truth(!among)
	case "BETWEEN":
		return truth(order(0) >= 0 && order(1) <= 0)
	case "NOT BETWEEN":
		return truth(order(0) < 0 || order(1) > 0)
	case "STARTS":
		return truth(strings.HasPrefix(value.(string), p.values[0].(string)))
	case "ENDS":
		return truth(strings.HasSuffix(value.(string), p.values[0].(string)))
	case "CONTAINS":
		return truth(strings.Contains(value.(string), p.values[0].(string)))
	case "LIKE":
		return truth(like([]rune(value.(string)), []rune(p.values[0].(string))))
	}
	panic(p.op)
}

func like(text, pattern []rune) bool {
	if len(pattern) == 0 {
		return len(text) == 0
	}
	switch pattern[0] {
	case '%':
		return like(text, pattern[1:]) || len(text) > 0 && like(text[1:], pattern)
	case '_':
		return len(text) > 0 && like(text[1:], pattern[1:])
	case '\\':
		pattern = pattern[1:]
	}
	return len(text) > 0 && text[0] == pattern[0] && like(text[1:], pattern[1:])
}

func compareCells(a, b cell) int {
	less := func(is, other bool) int {
		switch {
		case is:
			return -1
		case other:
			return 1
		default:
			return 0
		}
	}
	switch x := a.(type) {
	case bool:
		y := b.(bool)
		return less(!x && y, x && !y)
	case int64:
		return less(x < b.(int64), x > b.(int64))
	case float64: // NaN is the largest
		y := b.(float64)
		return less(x < y || !math.IsNaN(x) && math.IsNaN(y), x > y || math.IsNaN(x) && !math.IsNaN(y))
	case string:
		return strings.Compare(x, b.(string))
	case *big.Rat:
		return x.Cmp(b.(*big.Rat))
	case moment:
		y := b.(moment)
		return less(x.seconds < y.seconds || x.seconds == y.seconds && x.nanos < y.nanos,
			x.seconds > y.seconds || x.seconds == y.seconds && x.nanos > y.nanos)
	}
	panic(fmt.Sprintf("%T", a))
}

// build makes the predicate with the library.
func (p *tree) build(table *paimon.Table, schema *paimon.Schema) (*paimon.Predicate, error) {
	b := table.PredicateBuilder()
	switch p.op {
	case "AND", "OR", "NOT":
		result, err := p.below[0].build(table, schema)
		if p.op == "NOT" && err == nil {
			return result.Not()
		}
		for _, below := range p.below[1:] {
			if err != nil {
				return nil, err
			}
			var next *paimon.Predicate
			if next, err = below.build(table, schema); err != nil {
				return nil, err
			}
			if p.op == "AND" {
				result, err = result.And(next)
			} else {
				result, err = result.Or(next)
			}
		}
		return result, err
	}
	field := schema.Fields[p.column]
	values := make([]any, len(p.values))
	for i, v := range p.values {
		values[i] = goLiteral(field.Type, v)
	}
	switch p.op {
	case "IS NULL":
		return b.IsNull(field.Name)
	case "IS NOT NULL":
		return b.IsNotNull(field.Name)
	case "IN":
		return b.In(field.Name, values...)
	case "NOT IN":
		return b.NotIn(field.Name, values...)
	case "BETWEEN":
		return b.Between(field.Name, values[0], values[1])
	case "NOT BETWEEN":
		return b.NotBetween(field.Name, values[0], values[1])
	case "STARTS":
		return b.StartsWith(field.Name, values[0].(string))
	case "ENDS":
		return b.EndsWith(field.Name, values[0].(string))
	case "CONTAINS":
		return b.Contains(field.Name, values[0].(string))
	case "LIKE":
		return b.Like(field.Name, values[0].(string))
	}
	return map[string]func(string, any) (*paimon.Predicate, error){
		"=": b.Eq, "<>": b.NotEq, "<": b.Lt, "<=": b.Le, ">": b.Gt, ">=": b.Ge,
	}[p.op](field.Name, values[0])
}

func goLiteral(t paimon.DataType, c cell) any {
	switch v := c.(type) {
	case int64:
		switch t.Kind() {
		case paimon.KindDate:
			return paimon.Date(v)
		case paimon.KindTime:
			return paimon.Time(v)
		}
		return v
	case string:
		if t.Kind() == paimon.KindBinary || t.Kind() == paimon.KindVarBinary {
			return []byte(v)
		}
		return v
	case *big.Rat:
		unscaled, scale := unscale(v)
		num := decimal128.FromBigInt(unscaled)
		return paimon.Decimal{Lo: int64(num.LowBits()), Hi: num.HighBits(), Precision: 38, Scale: scale}
	case moment:
		millis, nanos := v.seconds*1000+v.nanos/1_000_000, int32(v.nanos%1_000_000)
		if t.Kind() == paimon.KindTimestamp {
			return paimon.Timestamp{Millis: millis, Nanos: nanos}
		}
		return paimon.LocalZonedTimestamp{Millis: millis, Nanos: nanos}
	default:
		return v
	}
}

// unscale finds the shortest decimal form of a number.
func unscale(v *big.Rat) (*big.Int, uint32) {
	scale := uint32(0)
	for v = new(big.Rat).Set(v); !v.IsInt(); scale++ {
		v.Mul(v, big.NewRat(10, 1))
	}
	return v.Num(), scale
}

// randomFixture makes up a table. Its number picks the kind of table, so that every kind comes up.
func randomFixture(random *rand.Rand, n int) *fixture {
	f := &fixture{schema: paimon.Schema{Options: map[string]string{"file.format": []string{"parquet", "parquet", "avro", "orc"}[n/3%4]}}}
	if f.schema.Options["file.format"] == "orc" {
		f.schema.Options["file.compression"] = "none" // the engine cannot write ORC with zstd
	}
	decimals := []paimon.DataType{paimon.DecimalType(5, 2), paimon.DecimalType(18, 0), paimon.DecimalType(20, 5), paimon.DecimalType(38, 10)}
	types := []paimon.DataType{
		paimon.BooleanType(), paimon.TinyIntType(), paimon.SmallIntType(), paimon.IntType(), paimon.BigIntType(), paimon.FloatType(),
		paimon.DoubleType(), decimals[random.IntN(4)], paimon.CharType(4), paimon.StringType(), paimon.BytesType(), paimon.DateType(),
		paimon.TimeType(3), paimon.TimestampType(0), paimon.TimestampType(3), paimon.TimestampType(6),
		paimon.LocalZonedTimestampType(3), paimon.LocalZonedTimestampType(6),
	}
	keys := []paimon.DataType{
		paimon.IntType(), paimon.BigIntType(), paimon.StringType(), decimals[random.IntN(4)], paimon.DateType(), paimon.SmallIntType(),
		paimon.TimestampType(3), paimon.TimestampType(6),
	}
	parts := []paimon.DataType{paimon.StringType(), paimon.IntType(), paimon.DateType(), paimon.BooleanType()}
	if f.schema.Options["file.format"] == "orc" { // the engine writes few types
		for _, list := range []*[]paimon.DataType{&types, &keys, &parts} {
			*list = slices.DeleteFunc(*list, func(t paimon.DataType) bool {
				switch t.Kind() {
				case paimon.KindDecimal, paimon.KindDate, paimon.KindTime, paimon.KindTimestamp, paimon.KindLocalZonedTimestamp:
					return true
				}
				return false
			})
		}
	}
	f.schema.Fields = []paimon.DataField{{Name: "k", Type: keys[random.IntN(len(keys))].NotNull()}}
	for i, pick := range random.Perm(len(types))[:5] {
		f.schema.Fields = append(f.schema.Fields, paimon.DataField{Name: fmt.Sprintf("c%d", i), Type: types[pick]})
	}
	partitioned := n/2%2 == 1
	if partitioned {
		f.schema.Fields = append(f.schema.Fields, paimon.DataField{Name: "p", Type: parts[random.IntN(len(parts))]})
		f.schema.PartitionKeys = []string{"p"}
	}
	buckets := []string{"1", "2"}[random.IntN(2)]
	key := n%5 > 0
	if key {
		f.schema.PrimaryKeys = []string{"k"}
		if partitioned {
			last := &f.schema.Fields[len(f.schema.Fields)-1]
			last.Type = last.Type.NotNull()
			f.schema.PrimaryKeys = []string{"k", "p"}
		}
		f.schema.Options["bucket"] = buckets
		if random.IntN(3) == 0 { // the files of a bucket spread over splits
			f.schema.Options["source.split.target-size"] = "1b"
			f.schema.Options["source.split.open-file-cost"] = "1b"
		}
	} else if random.IntN(2) == 0 {
		f.schema.Options["bucket"], f.schema.Options["bucket-key"] = buckets, "k"
	}
	switch n % 5 {
	case 3:
		f.schema.Options["merge-engine"] = "partial-update"
	case 4:
		f.schema.Options["merge-engine"] = "aggregation"
		f.schema.Options["fields.c0.aggregate-function"] = "last_value"
	}
	var known []cell // keys come again
	for range 1 + random.IntN(3) {
		var commit []row
		for range random.IntN(40) {
			r := make(row, len(f.schema.Fields))
			for i, field := range f.schema.Fields {
				r[i] = randomCell(random, field.Type, false)
				if v, ok := r[i].(int64); ok && f.schema.Options["file.format"] == "orc" {
					r[i] = v % 100 // in a debug build the engine's ORC writer panics on differences that overflow
				}
				if field.Type.Nullable() && random.IntN(4) == 0 {
					r[i] = nil
				}
			}
			if len(known) > 0 && random.IntN(3) == 0 {
				r[0] = known[random.IntN(len(known))]
			}
			known = append(known, r[0])
			if partitioned {
				r[len(r)-1] = partitionCell(random, f.schema.Fields[len(r)-1].Type, r[len(r)-1] == nil)
			}
			if key && n%5 < 3 { // 3 deletes
				r = append(r, oneOf(random, int64(0), 0, 0, 3))
			}
			commit = append(commit, r)
		}
		f.commits = append(f.commits, commit)
	}
	return f
}

// partitionCell keeps the number of partitions small.
func partitionCell(random *rand.Rand, t paimon.DataType, null bool) cell {
	n := random.IntN(3)
	switch {
	case null:
		return nil
	case t.Kind() == paimon.KindVarChar:
		return []string{"a", "b b", "é/="}[n]
	case t.Kind() == paimon.KindBoolean:
		return n == 0
	default:
		return int64(n) - 1
	}
}

func oneOf[T any](random *rand.Rand, values ...T) T { return values[random.IntN(len(values))] }

var someText = []string{
	"", "a", "ab", "abc", "b", "B", "é", "日本", "a%b", "a_b", `a\b`, "a\nb", "\U0010FFFF", "aaaaaaaaaaaaaaaaaaaaaaaa1", "aaaaaaaaaaaaaaaaaaaaaaaa2", " a ",
}

// randomCell makes up a value of a type, or, if it shall be a literal, one that a column of that type is comparable with.
func randomCell(random *rand.Rand, t paimon.DataType, literal bool) cell {
	integer := func(bits uint) cell {
		limit := int64(1)<<(bits-1) - 1
		return oneOf(random, int64(random.IntN(7))-3, int64(random.IntN(7))-3, int64(random.IntN(100)), limit, -limit-1)
	}
	switch t.Kind() {
	case paimon.KindBoolean:
		return random.IntN(2) == 0
	case paimon.KindTinyInt:
		return integer(8)
	case paimon.KindSmallInt:
		return integer(16)
	case paimon.KindInt:
		return integer(32)
	case paimon.KindBigInt:
		return integer(64)
	case paimon.KindFloat:
		return float64(oneOf(random, 0, float32(math.Copysign(0, -1)), 1, -1, 1.5, float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)),
			math.MaxFloat32, math.SmallestNonzeroFloat32, math.Float32frombits(0xffc00001)))
	case paimon.KindDouble:
		return oneOf(random, 0, math.Copysign(0, -1), 1, -1, 0.1, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64,
			math.SmallestNonzeroFloat64, math.Float64frombits(0xfff8000000000001))
	case paimon.KindDecimal:
		scale := int64(t.Scale())
		limit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(t.Precision())), nil)
		limit.Sub(limit, big.NewInt(1))
		unscaled := oneOf(random, big.NewInt(int64(random.IntN(9))-4), big.NewInt(int64(random.IntN(20_000))-10_000), limit, new(big.Int).Neg(limit))
		if literal && scale < 30 && random.IntN(4) == 0 { // a digit more than the column has
			scale, unscaled = scale+1, big.NewInt(int64(random.IntN(200))-100)
		}
		return new(big.Rat).SetFrac(unscaled, new(big.Int).Exp(big.NewInt(10), big.NewInt(scale), nil))
	case paimon.KindChar:
		return oneOf(random, "a", "ab", "abc", "b", "é")
	case paimon.KindVarChar:
		return oneOf(random, someText...)
	case paimon.KindBinary, paimon.KindVarBinary:
		return oneOf(random, "", "\x00", "\xff", "\x80a", "a", "ab", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff1")
	case paimon.KindDate:
		return oneOf(random, int64(random.IntN(5))-2, int64(random.IntN(20_000)), -719_162, 2_932_896)
	case paimon.KindTime:
		return oneOf(random, 0, 1, int64(random.IntN(86_400_000)), 86_399_999)
	}
	m := moment{oneOf(random, int64(random.IntN(4))-2, int64(random.IntN(4))-2, int64(random.IntN(2_000_000_000)), -2_000_000_000), 0}
	if t.Precision() < 9 && !literal {
		m.seconds = oneOf(random, m.seconds, m.seconds, m.seconds, -62_135_596_800, 253_402_300_799)
	}
	unit := int64(1_000_000_000)
	for range t.Precision() {
		unit /= 10
	}
	if unit < 1_000_000_000 {
		m.nanos = int64(random.IntN(int(1_000_000_000/unit))) * unit * int64(random.IntN(2))
	}
	if literal && random.IntN(4) == 0 {
		m.nanos = int64(random.IntN(1_000_000_000))
	}
	return m
}

func randomTree(random *rand.Rand, schema *paimon.Schema, rows []row, depth int) *tree {
	if depth > 1 && random.IntN(5) < 3 {
		p := &tree{op: oneOf(random, "AND", "OR", "NOT")}
		count := 1
		if p.op != "NOT" {
			count = 2 + random.IntN(3)
		}
		for range count {
			p.below = append(p.below, randomTree(random, schema, rows, depth-1))
		}
		return p
	}
	p := &tree{column: random.IntN(len(schema.Fields))}
	t := schema.Fields[p.column].Type
	ops := []string{"=", "=", "<>", "<", "<=", ">", ">=", "IS NULL", "IS NOT NULL", "IN", "IN", "NOT IN", "BETWEEN", "NOT BETWEEN"}
	switch t.Kind() {
	case paimon.KindVarChar, paimon.KindChar:
		ops = append(ops, "STARTS", "ENDS", "CONTAINS", "LIKE")
	case paimon.KindArray, paimon.KindMap, paimon.KindMultiset, paimon.KindRow, paimon.KindVariant, paimon.KindBlob, paimon.KindVector:
		ops = []string{"IS NULL", "IS NOT NULL"}
	}
	p.op = oneOf(random, ops...)
	count := 1
	switch p.op {
	case "IS NULL", "IS NOT NULL":
		count = 0
	case "IN", "NOT IN":
		count = random.IntN(5)
	case "BETWEEN", "NOT BETWEEN":
		count = 2
	case "LIKE":
		pattern := ""
		for range random.IntN(5) {
			pattern += oneOf(random, "%", "_", "a", "b", "é", `\%`, `\_`, `\\`)
		}
		p.values = []cell{pattern}
		return p
	case "STARTS", "ENDS", "CONTAINS":
		p.values = []cell{oneOf(random, someText...)}
		return p
	}
	for range count {
		value := randomCell(random, t, true)
		if len(rows) > 0 && random.IntN(2) == 0 {
			if known := rows[random.IntN(len(rows))][p.column]; known != nil {
				value = known
			}
		}
		p.values = append(p.values, value)
	}
	return p
}

// make writes the table into a warehouse of its own. It may run outside of the test's goroutine.
func (f *fixture) make(t testing.TB) (table *paimon.Table, done func()) {
	catalog, err := paimon.NewCatalog(map[string]string{"warehouse": t.TempDir()})
	check(t, err)
	defer catalog.Close()
	check(t, catalog.CreateDatabase("db", nil, true))
	id := paimon.NewIdentifier("db", "t")
	check(t, catalog.CreateTable(id, &f.schema, false))
	table, err = catalog.GetTable(id)
	check(t, err)
	for _, commit := range f.commits {
		writeCommit(t, table, commit)
	}
	return table, table.Close
}

// writeCommit commits rows that have a cell for each column, and may have one more for their kind.
func writeCommit(t testing.TB, table *paimon.Table, commit []row) {
	columns, err := table.ArrowSchema()
	check(t, err)
	if len(commit) > 0 && len(commit[0]) > columns.NumFields() {
		kind := arrow.Field{Name: "_VALUE_KIND", Type: arrow.PrimitiveTypes.Int8}
		columns = arrow.NewSchema(append(slices.Clone(columns.Fields()), kind), nil)
	}
	builder, err := table.NewWriteBuilder()
	check(t, err)
	write, err := builder.NewWrite()
	check(t, err)
	b := array.NewRecordBuilder(goMemory, columns)
	for _, r := range commit {
		for i, c := range r {
			appendCell(b.Field(i), c)
		}
	}
	batch := b.NewRecordBatch()
	b.Release()
	check(t, write.WriteArrowBatch(batch))
	batch.Release()
	messages, err := write.PrepareCommit()
	check(t, err)
	target, err := builder.NewCommit()
	check(t, err)
	check(t, target.Commit(messages))
	for _, h := range []interface{ Close() }{messages, target, write, builder} {
		h.Close()
	}
}

// evolve changes the schema of the table, and writes rows of the new one beside those that are there.
func (f *fixture) evolve(t testing.TB, table *paimon.Table, random *rand.Rand) (*fixture, *paimon.Table) {
	catalog, err := paimon.NewCatalog(map[string]string{"warehouse": filepath.Dir(filepath.Dir(folder(table)))})
	check(t, err)
	defer catalog.Close()
	changes := []paimon.SchemaChange{
		paimon.AddColumn(paimon.DataField{Name: "added", Type: paimon.IntType()}, paimon.First()),
		paimon.RenameColumn("c1", "renamed"), paimon.RenameColumn("c2", "c1"), // whose name is free again
		paimon.DropColumn("c3"),
	}
	for _, field := range f.schema.Fields {
		switch field.Type.Kind() {
		case paimon.KindTinyInt, paimon.KindSmallInt, paimon.KindInt:
			if field.Name == "c0" || field.Name == "c4" {
				changes = append(changes, paimon.UpdateColumnType(field.Name, paimon.BigIntType()))
			}
		}
	}
	check(t, catalog.AlterTable(table.Identifier(), changes, false))
	changed, err := catalog.GetTable(table.Identifier())
	check(t, err)
	schema, err := changed.Schema()
	check(t, err)
	g := &fixture{schema: *schema}
	var commit []row
	for range 20 {
		r := make(row, len(schema.Fields))
		for i, field := range schema.Fields {
			r[i] = randomCell(random, field.Type, false)
			if v, ok := r[i].(int64); ok && schema.Options["file.format"] == "orc" {
				r[i] = v % 100
			}
			if field.Type.Nullable() && random.IntN(4) == 0 {
				r[i] = nil
			}
			if slices.Contains(schema.PartitionKeys, field.Name) {
				r[i] = partitionCell(random, field.Type, r[i] == nil)
			}
		}
		commit = append(commit, r)
	}
	writeCommit(t, changed, commit)
	return g, changed
}

// check is must for other goroutines: it ends them, as the test's own.
func check(t testing.TB, err error) {
	if err != nil {
		t.Error(err)
		t.FailNow()
	}
}

func appendCell(b array.Builder, c cell) {
	if c == nil {
		b.AppendNull()
		return
	}
	switch b := b.(type) {
	case *array.BooleanBuilder:
		b.Append(c.(bool))
	case *array.Int8Builder:
		b.Append(int8(c.(int64)))
	case *array.Int16Builder:
		b.Append(int16(c.(int64)))
	case *array.Int32Builder:
		b.Append(int32(c.(int64)))
	case *array.Int64Builder:
		b.Append(c.(int64))
	case *array.Float32Builder:
		b.Append(float32(c.(float64)))
	case *array.Float64Builder:
		b.Append(c.(float64))
	case *array.StringBuilder:
		b.Append(c.(string))
	case *array.BinaryBuilder:
		b.Append([]byte(c.(string)))
	case *array.Date32Builder:
		b.Append(arrow.Date32(c.(int64)))
	case *array.Time32Builder:
		b.Append(arrow.Time32(c.(int64)))
	case *array.Decimal128Builder:
		unscaled, scale := unscale(c.(*big.Rat))
		more := int64(b.Type().(*arrow.Decimal128Type).Scale) - int64(scale)
		b.Append(decimal128.FromBigInt(unscaled.Mul(unscaled, new(big.Int).Exp(big.NewInt(10), big.NewInt(more), nil))))
	case *array.TimestampBuilder:
		m := c.(moment)
		unit := int64(b.Type().(*arrow.TimestampType).Unit.Multiplier())
		b.Append(arrow.Timestamp(m.seconds*(1_000_000_000/unit) + m.nanos/unit))
	default:
		panic(fmt.Sprintf("%T", b))
	}
}

func cellOf(a arrow.Array, i int) cell {
	if a.IsNull(i) {
		return nil
	}
	switch a := a.(type) {
	case *array.Boolean:
		return a.Value(i)
	case *array.Int8:
		return int64(a.Value(i))
	case *array.Int16:
		return int64(a.Value(i))
	case *array.Int32:
		return int64(a.Value(i))
	case *array.Int64:
		return a.Value(i)
	case *array.Float32:
		return float64(a.Value(i))
	case *array.Float64:
		return a.Value(i)
	case *array.String:
		return strings.Clone(a.Value(i))
	case *array.Binary:
		return string(a.Value(i))
	case *array.FixedSizeBinary:
		return string(a.Value(i))
	case *array.Date32:
		return int64(a.Value(i))
	case *array.Time32:
		return int64(a.Value(i))
	case *array.Decimal128:
		scale := a.DataType().(*arrow.Decimal128Type).Scale
		return new(big.Rat).SetFrac(a.Value(i).BigInt(), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil))
	case *array.Timestamp:
		unit := int64(a.DataType().(*arrow.TimestampType).Unit.Multiplier())
		perSecond := 1_000_000_000 / unit
		value := int64(a.Value(i))
		seconds, rest := value/perSecond, value%perSecond
		if rest < 0 {
			seconds, rest = seconds-1, rest+perSecond
		}
		return moment{seconds, rest * unit}
	default:
		return "(nested)" // its text has no order that lasts: Avro's maps come in another one each time
	}
}

// A scanner reads a table in one go.
type scanner struct {
	table      *paimon.Table
	schema     *paimon.Schema
	projection []int
	limit      int // 0: none
}

func newScanner(_ testing.TB, table *paimon.Table, schema *paimon.Schema) *scanner {
	return &scanner{table: table, schema: schema}
}

func (s *scanner) read(t testing.TB, p *paimon.Predicate, pushdown bool) []row {
	rows, err := s.try(p, pushdown)
	check(t, err)
	return rows
}

func (s *scanner) try(p *paimon.Predicate, pushdown bool) (rows []row, err error) {
	builder, err := s.table.NewReadBuilder()
	if err != nil {
		return nil, err
	}
	defer builder.Close()
	if s.projection != nil {
		columns := []string{}
		for _, i := range s.projection {
			columns = append(columns, s.schema.Fields[i].Name)
		}
		err = builder.WithProjection(columns)
	}
	if s.limit > 0 {
		err = errors.Join(err, builder.WithLimit(s.limit))
	}
	if err = errors.Join(err, builder.WithFilter(p), builder.WithFilterPushdown(pushdown)); err != nil {
		return nil, err
	}
	reader, err := readerOf(builder)
	if err != nil || reader == nil {
		return nil, err
	}
	defer reader.Close()
	for {
		batch, err := reader.NextRecord()
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		if batch.NumRows() == 0 && p != nil {
			return nil, errors.New("a filter let an empty batch through")
		}
		for i := range int(batch.NumRows()) {
			r := make(row, batch.NumCols())
			for column := range r {
				r[column] = cellOf(batch.Column(column), i)
			}
			rows = append(rows, r)
		}
		batch.Release()
	}
}

// Filters look at values as they are read: in today's type, though files and their statistics have the type of old.
func TestFiltersAfterSchemaChange(t *testing.T) {
	checkLeaks(t)
	for _, format := range []string{"parquet", "avro"} {
		for _, key := range [][]string{nil, {"k"}} {
			f := &fixture{schema: paimon.Schema{Fields: []paimon.DataField{
				{Name: "k", Type: paimon.IntType().NotNull()},
				{Name: "t", Type: paimon.TimestampType(6)},
				{Name: "s", Type: paimon.StringType()},
				{Name: "n", Type: paimon.IntType()},
				{Name: "d", Type: paimon.DecimalType(10, 4)},
			}, PrimaryKeys: key, Options: map[string]string{"file.format": format}}}
			if key != nil {
				f.schema.Options["bucket"] = "1"
			}
			random := rand.New(rand.NewPCG(uint64(len(key)), 1))
			for n := range 4 {
				commit := []row{{int64(n), moment{0, 999000 + int64(n)}, "abc", int64(n), big.NewRat(int64(10000+40*n), 10000)}}
				for range random.IntN(4) {
					commit = append(commit, row{
						int64(100 + random.IntN(9)), randomCell(random, paimon.TimestampType(6), false), randomCell(random, paimon.StringType(), false),
						int64(random.IntN(9)), big.NewRat(int64(random.IntN(100000)), 10000),
					})
				}
				f.commits = append(f.commits, commit)
			}
			table, done := f.make(t)
			defer done()
			location := strings.TrimPrefix(table.Location(), "file:")
			changeSchema(t, location, map[string]map[string]string{
				"t": {"type": "TIMESTAMP(3)"}, "s": {"type": "VARCHAR(2)"}, "n": {"name": "m", "type": "BIGINT"}, "d": {"type": "DECIMAL(10, 2)"},
			}, "x", "INT")
			catalog := openCatalog(t, filepath.Dir(filepath.Dir(location)))
			changed := openTable(t, catalog, paimon.NewIdentifier("db", "t"))
			differ(t, changed, 100, 7)
			if rows := newScanner(t, changed, nil).read(t, nil, true); len(rows) < 4 || rows[0][5] != nil {
				t.Errorf("rows %v", rows)
			}
			must := mustPredicate(t)
			p := must(must(changed.PredicateBuilder().Eq("t", paimon.Timestamp{})).And(must(changed.PredicateBuilder().Lt("k", 100))))
			wantFiltered(t, changed, p, "0", "1", "2", "3")
		}
	}
}

// changeSchema adds a schema file to a table, in which fields are different and one more is there.
func changeSchema(t *testing.T, location string, changes map[string]map[string]string, name, dataType string) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(location, "schema", "schema-0"))
	must(t, err)
	var schema map[string]any
	must(t, json.Unmarshal(raw, &schema))
	fields := schema["fields"].([]any)
	for _, field := range fields {
		field := field.(map[string]any)
		for key, value := range changes[field["name"].(string)] {
			field[key] = value
		}
	}
	id := schema["highestFieldId"].(float64) + 1
	schema["fields"] = append(fields, map[string]any{"id": id, "name": name, "type": dataType})
	schema["highestFieldId"], schema["id"] = id, 1
	raw, err = json.Marshal(schema)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(location, "schema", "schema-1"), raw, 0o600))
}
