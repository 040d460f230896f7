// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/decimal256"

	paimon "github.com/apache/paimon-rust/bindings/go"
	"github.com/apache/paimon-rust/bindings/go/predicate"
)

// fill makes a table with one commit, open until the end of the test.
func fill(t testing.TB, schema paimon.Schema, rows ...row) *paimon.Table {
	t.Helper()
	table, done := (&fixture{schema, [][]row{rows}}).make(t)
	t.Cleanup(done)
	return table
}

// wantFiltered compares the first column of the rows that a filter leaves, pushed down and not, sorted as text.
func wantFiltered(t testing.TB, table *paimon.Table, p *paimon.Predicate, want ...string) {
	t.Helper()
	for _, pushdown := range []bool{true, false} {
		var got []string
		for _, r := range newScanner(t, table, nil).read(t, p, pushdown) {
			got = append(got, r[:1].text(nil))
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s, pushdown %v: got %q, want %q", p, pushdown, got, want)
		}
	}
}

func mustPredicate(t testing.TB) func(*paimon.Predicate, error) *paimon.Predicate {
	return func(p *paimon.Predicate, err error) *paimon.Predicate {
		t.Helper()
		must(t, err)
		return p
	}
}

// Every operator on every type that can be compared, with three values and NULL.
func TestEveryOperatorOnEveryType(t *testing.T) {
	checkLeaks(t)
	type typed struct {
		columnType paimon.DataType
		cells      [3]cell // ascending
		literals   [3]any
	}
	day := time.Date(2024, 2, 29, 0, 0, 0, 0, time.FixedZone("", 3600))
	types := []typed{
		{paimon.TinyIntType(), [3]cell{int64(-128), int64(0), int64(127)}, [3]any{int8(-128), uint8(0), 127}},
		{paimon.SmallIntType(), [3]cell{int64(-32768), int64(1), int64(32767)}, [3]any{-32768, uint16(1), int16(32767)}},
		{paimon.IntType(), [3]cell{int64(math.MinInt32), int64(2), int64(math.MaxInt32)}, [3]any{int32(math.MinInt32), uint32(2), math.MaxInt32}},
		{paimon.BigIntType(), [3]cell{int64(math.MinInt64), int64(3), int64(math.MaxInt64)}, [3]any{int64(math.MinInt64), uint(3), uint64(math.MaxInt64)}},
		{paimon.FloatType(), [3]cell{-1.5, 0.0, math.NaN()}, [3]any{float32(-1.5), 0, math.NaN()}},
		{paimon.DoubleType(), [3]cell{math.Inf(-1), math.Copysign(0, -1), math.NaN()}, [3]any{math.Inf(-1), 0.0, float32(math.NaN())}},
		{
			paimon.DecimalType(9, 2),
			[3]cell{big.NewRat(-999999999, 100), big.NewRat(3, 2), big.NewRat(999999999, 100)},
			[3]any{decimal128.FromI64(-999999999), paimon.NewDecimal(15, 2, 1), decimal256.FromI64(999999999)},
		},
		{
			paimon.DecimalType(38, 0),
			[3]cell{big.NewRat(-1, 1), big.NewRat(2, 1), new(big.Rat).SetInt(decimal128.GetMaxValue(38).BigInt())},
			[3]any{-1, paimon.NewDecimal(200, 3, 2), decimal128.GetMaxValue(38)},
		},
		{paimon.CharType(3), [3]cell{"a", "b", "é"}, [3]any{"a", "b", "é"}},
		{paimon.StringType(), [3]cell{"", "a", "日本"}, [3]any{"", paimon.StringDatum("a"), "日本"}},
		{paimon.BytesType(), [3]cell{"", "\x00", "\xff"}, [3]any{paimon.Bytes{}, []byte{0}, []byte{255}}},
		{paimon.DateType(), [3]cell{int64(-1), int64(19782), int64(2932896)}, [3]any{paimon.Date(-1), day, paimon.Date(2932896)}},
		{paimon.TimeType(3), [3]cell{int64(0), int64(1), int64(86399999)}, [3]any{paimon.Time(0), paimon.Time(1), paimon.Time(86399999)}},
		{
			paimon.TimestampType(6),
			[3]cell{moment{-1, 999999000}, moment{0, 1000}, moment{1709164800, 1000}},
			[3]any{paimon.Timestamp{Millis: -1, Nanos: 999000}, paimon.Timestamp{Nanos: 1000}, day.Add(time.Microsecond)},
		},
		{
			paimon.LocalZonedTimestampType(6),
			[3]cell{moment{-1, 0}, moment{0, 1000}, moment{1709161200, 0}},
			[3]any{paimon.LocalZonedTimestamp{Millis: -1000}, paimon.LocalZonedTimestamp{Nanos: 1000}, day},
		},
	}
	for _, of := range types {
		t.Run(of.columnType.String(), func(t *testing.T) {
			must := mustPredicate(t)
			table := fill(t, paimon.Schema{Fields: []paimon.DataField{{Name: "id", Type: paimon.IntType()}, {Name: "x", Type: of.columnType}}},
				row{int64(0), of.cells[0]}, row{int64(1), of.cells[1]}, row{int64(2), of.cells[2]}, row{int64(9), nil})
			b, l := table.PredicateBuilder(), of.literals
			wantFiltered(t, table, must(b.Eq("x", l[1])), "1")
			wantFiltered(t, table, must(b.NotEq("x", l[1])), "0", "2")
			wantFiltered(t, table, must(b.Lt("x", l[1])), "0")
			wantFiltered(t, table, must(b.Le("x", l[1])), "0", "1")
			wantFiltered(t, table, must(b.Gt("x", l[1])), "2")
			wantFiltered(t, table, must(b.Ge("x", l[1])), "1", "2")
			wantFiltered(t, table, must(b.Eq("x", l[2])), "2")
			wantFiltered(t, table, must(b.Gt("x", l[2])))
			wantFiltered(t, table, must(b.Lt("x", l[0])))
			wantFiltered(t, table, must(b.IsNull("x")), "9")
			wantFiltered(t, table, must(b.IsNotNull("x")), "0", "1", "2")
			wantFiltered(t, table, must(b.In("x", l[2], l[0])), "0", "2")
			wantFiltered(t, table, must(b.NotIn("x", l[2], l[0])), "1")
			wantFiltered(t, table, must(b.Between("x", l[0], l[1])), "0", "1")
			wantFiltered(t, table, must(b.NotBetween("x", l[0], l[1])), "2")
			wantFiltered(t, table, must(b.Between("x", l[2], l[0])))
			wantFiltered(t, table, must(must(b.Eq("x", l[1])).Not()), "0", "2")
		})
	}
	flags := fill(t, paimon.Schema{Fields: []paimon.DataField{{Name: "x", Type: paimon.BooleanType()}}}, row{true}, row{false}, row{nil})
	wantFiltered(t, flags, mustPredicate(t)(flags.PredicateBuilder().Eq("x", paimon.BoolDatum(true))), "true")
	wantFiltered(t, flags, mustPredicate(t)(flags.PredicateBuilder().Lt("x", true)), "false")
}

func TestTextPatterns(t *testing.T) {
	checkLeaks(t)
	must := mustPredicate(t)
	table := fill(t, paimon.Schema{Fields: []paimon.DataField{{Name: "x", Type: paimon.StringType()}}},
		row{"apple"}, row{"a%le"}, row{"é\nb"}, row{""}, row{nil})
	b := table.PredicateBuilder()
	wantFiltered(t, table, must(b.StartsWith("x", "a")), `"a%le"`, `"apple"`)
	wantFiltered(t, table, must(b.EndsWith("x", "b")), `"é\nb"`)
	wantFiltered(t, table, must(b.Contains("x", "pp")), `"apple"`)
	wantFiltered(t, table, must(b.Contains("x", "")), `""`, `"a%le"`, `"apple"`, `"é\nb"`)
	wantFiltered(t, table, must(b.Like("x", "a%e")), `"a%le"`, `"apple"`)
	wantFiltered(t, table, must(b.Like("x", `a\%%`)), `"a%le"`)
	wantFiltered(t, table, must(b.Like("x", "___")), `"é\nb"`)
	wantFiltered(t, table, must(b.Like("x", "")), `""`)
	wantFiltered(t, table, must(must(b.Like("x", "a%")).Not()), `""`, `"é\nb"`)
	wantFiltered(t, table, must(must(b.StartsWith("x", "a")).Not()), `""`, `"é\nb"`)
	for _, pattern := range []string{`a\b`, `a\`} {
		_, err := b.Like("x", pattern)
		wantError(t, err, paimon.CodeInvalidInput, "backslash at byte 1")
	}
}

// NULL is neither equal nor unequal to anything.
func TestThreeValuedLogic(t *testing.T) {
	checkLeaks(t)
	must := mustPredicate(t)
	table := fill(t, paimon.Schema{Fields: []paimon.DataField{{Name: "b", Type: paimon.IntType()}, {Name: "c", Type: paimon.IntType()}}},
		row{int64(1), int64(1)}, row{nil, int64(1)}, row{int64(2), nil})
	b := table.PredicateBuilder()
	one := must(b.Eq("b", 1))
	wantFiltered(t, table, must(b.NotEq("b", 1)), "2")
	wantFiltered(t, table, must(one.Not()), "2")
	wantFiltered(t, table, must(must(one.Not()).Not()), "1")
	wantFiltered(t, table, must(b.NotIn("b", 1)), "2")
	wantFiltered(t, table, must(must(b.In("b", 1)).Not()), "2")
	wantFiltered(t, table, must(b.In("b")))
	wantFiltered(t, table, must(b.NotIn("b")), "1", "2", "<nil>")
	_, err := b.NotIn("b", 1, nil)
	wantError(t, err, paimon.CodeInvalidInput, "nil", "IsNull")
	wantFiltered(t, table, must(one.Or(must(b.IsNull("b")))), "1", "<nil>") // IS NOT DISTINCT FROM, in parts
	// Unknown OR true is true; NOT (unknown AND false) is true.
	wantFiltered(t, table, must(one.Or(must(b.Eq("c", 1)))), "1", "<nil>")
	wantFiltered(t, table, must(must(one.And(must(b.Eq("c", 2)))).Not()), "1", "2", "<nil>")
	wantFiltered(t, table, must(must(one.And(must(b.Eq("c", 1)))).Not()), "2")
	wantFiltered(t, table, must(must(one.Or(must(b.Eq("c", 2)))).Not()))
}

// A literal that the column cannot hold is refused when the predicate is made, with the column, its type, and what to use.
func TestLiteralsThatDoNotFit(t *testing.T) {
	checkLeaks(t)
	table := fill(t, paimon.Schema{Fields: []paimon.DataField{
		{Name: "tiny", Type: paimon.TinyIntType()},
		{Name: "small", Type: paimon.SmallIntType()},
		{Name: "long", Type: paimon.BigIntType()},
		{Name: "float", Type: paimon.FloatType()},
		{Name: "double", Type: paimon.DoubleType()},
		{Name: "dec", Type: paimon.DecimalType(5, 2)},
		{Name: "text", Type: paimon.StringType()},
		{Name: "bytes", Type: paimon.BytesType()},
		{Name: "date", Type: paimon.DateType()},
		{Name: "time", Type: paimon.TimeType(3)},
		{Name: "ts", Type: paimon.TimestampType(6)},
		{Name: "ltz", Type: paimon.LocalZonedTimestampType(6)},
		{Name: "flag", Type: paimon.BooleanType()},
		{Name: "list", Type: paimon.ArrayType(paimon.IntType())},
	}})
	b := table.PredicateBuilder()
	type myInt int
	noon := time.Date(2024, 1, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		column string
		value  any
		words  []string
	}{
		{"tiny", 128, []string{"TINYINT", "128", "int", "from -128 to 127"}},
		{"small", uint16(40000), []string{"SMALLINT", "40000", "uint16"}},
		{"long", uint64(math.MaxUint64), []string{"BIGINT", "18446744073709551615", "uint64"}},
		{"long", 1.0, []string{"BIGINT", "float64", "an integer"}},
		{"long", "1", []string{"BIGINT", "string"}},
		{"long", myInt(1), []string{"BIGINT", "myInt"}},
		{"long", nil, []string{"BIGINT", "nil", "IsNull"}},
		{"long", paimon.Datum{}, []string{"nil"}},
		{"float", 0.1, []string{"FLOAT", "0.1", "float64", "float32"}},
		{"float", 1<<24 + 1, []string{"FLOAT", "16777217"}},
		{"double", int64(1<<53 + 1), []string{"DOUBLE", "9007199254740993"}},
		{"double", "1", []string{"DOUBLE", "string"}},
		{"dec", 1.5, []string{"DECIMAL(5, 2)", "float64", "paimon.Decimal"}},
		{"dec", paimon.NewDecimal(1, 2, 3), []string{"precision 2", "scale 3"}},
		{"dec", paimon.NewDecimal(1000, 3, 0), []string{"not a value"}},
		{"dec", decimal256.FromBigInt(new(big.Int).Lsh(big.NewInt(1), 200)), []string{"not a value"}},
		{"text", []byte("a"), []string{"STRING", "[]uint8", "a string"}},
		{"text", "\xff", []string{"STRING", "UTF-8"}},
		{"text", 1, []string{"STRING", "int"}},
		{"bytes", "a", []string{"BYTES", "string", "[]byte"}},
		{"date", "2024-01-01", []string{"DATE", "string", "paimon.Date"}},
		{"date", noon, []string{"DATE", "12:00", "midnight"}},
		{"time", paimon.Time(86_400_000), []string{"TIME", "86400000"}},
		{"time", noon, []string{"TIME", "time.Time", "paimon.Time"}},
		{"ts", paimon.LocalZonedTimestamp{}, []string{"TIMESTAMP", "LocalZonedTimestamp"}},
		{"ts", paimon.Timestamp{Nanos: 1_000_000}, []string{"999999"}},
		{"ltz", paimon.Timestamp{}, []string{"LOCAL TIME ZONE", "paimon.LocalZonedTimestamp"}},
		{"ltz", 1, []string{"LOCAL TIME ZONE", "int"}},
		{"flag", 1, []string{"BOOLEAN", "int", "a bool"}},
		{"list", 1, []string{"ARRAY<INT>", "NULL only"}},
	} {
		_, err := b.Eq(c.column, c.value)
		wantError(t, err, paimon.CodeInvalidInput, append(c.words, fmt.Sprintf("%q", c.column), "db.t")...)
	}
	_, err := b.StartsWith("bytes", "a")
	wantError(t, err, paimon.CodeInvalidInput, "only text")
	_, err = b.Eq("txet", 1)
	wantError(t, err, paimon.ErrColumnNotExist, `"txet"; did you mean "text"`)
	_, err = b.Eq("TEXT", "a")
	wantError(t, err, paimon.ErrColumnNotExist, `"TEXT"; did you mean "text"`)
	_, err = b.Eq("something else", "a")
	wantError(t, err, paimon.ErrColumnNotExist, `the columns are "tiny", "small"`)
	p, err := table.PredicateBuilderWithCaseSensitive(false).Eq("TEXT", "a'b")
	must(t, err)
	if p.String() != "text = 'a''b'" {
		t.Error(p)
	}
	p, err = b.IsNull("list")
	must(t, err)
	wantFiltered(t, table, p)
	for value, column := range map[any]string{int64(3): "dec", 3: "double", float32(3): "float", uint8(3): "long", 3.5: "float"} {
		if _, err := b.Eq(column, value); err != nil {
			t.Error(err)
		}
	}
}

// A predicate that is combined with itself again and again grows as if it were written out, and stops in time (case B59).
func TestPredicateOfItself(t *testing.T) {
	checkLeaks(t)
	_, table := newTable(t, people, nil)
	p, err := table.PredicateBuilder().Gt("id", 1)
	must(t, err)
	doublings := 0
	for err == nil {
		doublings++
		p, err = p.And(p)
	}
	wantError(t, err, paimon.CodeInvalidInput, "100000", "db.t")
	if doublings != 16 {
		t.Errorf("it doubled %d times", doublings)
	}
}

func TestPredicateText(t *testing.T) {
	checkLeaks(t)
	must := mustPredicate(t)
	table := fill(t, paimon.Schema{Fields: []paimon.DataField{
		{Name: "id", Type: paimon.IntType()},
		{Name: "a b", Type: paimon.DecimalType(10, 2)},
		{Name: "d", Type: paimon.DateType()},
		{Name: "t", Type: paimon.TimestampType(6)},
		{Name: "x", Type: paimon.BytesType()},
	}})
	b := table.PredicateBuilder()
	id := must(b.Gt("id", 1))
	or := must(must(b.Eq("a b", paimon.NewDecimal(-150, 5, 2))).Or(must(b.IsNull("d"))))
	p := must(must(must(id.And(or)).And(must(b.Between("d", paimon.Date(0), paimon.Date(19782))))).Not())
	want := "NOT (id > 1 AND (`a b` = -1.50 OR d IS NULL) AND d BETWEEN DATE '1970-01-01' AND DATE '2024-02-29')"
	if p.String() != want {
		t.Errorf("got %s, want %s", p, want)
	}
	p = must(b.In("t", paimon.Timestamp{Millis: -1, Nanos: 5}))
	if p.String() != "t IN (TIMESTAMP '1969-12-31 23:59:59.999000005')" {
		t.Error(p)
	}
	if p = must(b.NotEq("x", []byte{10})); p.String() != "x <> X'0A'" {
		t.Error(p)
	}
	if text := must(b.In("id", make([]any, 0)...)).String(); text != "id IN ()" {
		t.Error(text)
	}
	if text := (*paimon.Predicate)(nil).String(); text != "<nil>" {
		t.Error(text)
	}
}

// A primary key whose versions lie in different splits: a filter sees the newest version only.
func TestFilterSeesMergedRows(t *testing.T) {
	checkLeaks(t)
	must := mustPredicate(t)
	field := func(name string) paimon.DataField { return paimon.DataField{Name: name, Type: paimon.IntType()} }
	schema := paimon.Schema{
		Fields: []paimon.DataField{field("value"), {Name: "id", Type: paimon.IntType().NotNull()}}, PrimaryKeys: []string{"id"},
		Options: map[string]string{"bucket": "1", "source.split.target-size": "1b", "source.split.open-file-cost": "1b"},
	}
	f := &fixture{schema, [][]row{{{int64(10), int64(1)}}, {{int64(20), int64(1)}}, {{int64(30), int64(1)}}}}
	table, done := f.make(t)
	defer done()
	b := table.PredicateBuilder()
	wantFiltered(t, table, must(b.Eq("value", 10)))
	wantFiltered(t, table, must(b.Lt("value", 30)))
	wantFiltered(t, table, must(b.Eq("value", 30)), "30")
	wantFiltered(t, table, must(b.Eq("id", 1)), "30")
	wantFiltered(t, table, must(must(b.Eq("value", 10)).Not()), "30")
}

// The filter's columns need not be projected.
func TestFilterAndProjection(t *testing.T) {
	allocator := checkLeaks(t)
	_, table := newTable(t, people, nil)
	appendRows(t, table, allocator, person{1, "one"}, person{2, "two"}, person{3, ""})
	schema, err := table.Schema()
	must(t, err)
	p := mustPredicate(t)(table.PredicateBuilder().Ge("id", 2))
	for _, c := range []struct {
		projection []int
		want       []string
	}{
		{nil, []string{`2 "two"`, "3 <nil>"}},
		{[]int{1}, []string{`"two"`, "<nil>"}},
		{[]int{1, 0}, []string{`"two" 2`, "<nil> 3"}},
		{[]int{}, []string{"", ""}},
	} {
		s := newScanner(t, table, schema)
		s.projection = c.projection
		var got []string
		for _, r := range s.read(t, p, true) {
			got = append(got, r.text(nil))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("projection %v: got %q, want %q", c.projection, got, c.want)
		}
	}
}

// A limit is exact for each reader, alone and with a filter.
func TestLimitIsExact(t *testing.T) {
	allocator := checkLeaks(t)
	_, table := newTable(t, people, func(s *paimon.Schema) {
		s.Options = map[string]string{"source.split.target-size": "1b", "source.split.open-file-cost": "1b"}
	})
	const commits, each = 5, 4
	for i := range int32(commits) {
		var rows []person
		for k := range int32(each) {
			rows = append(rows, person{i*each + k, "x"})
		}
		appendRows(t, table, allocator, rows...)
	}
	last := mustPredicate(t)(table.PredicateBuilder().Ge("id", 18))
	for _, c := range []struct {
		filter      *paimon.Predicate
		limit, want int
	}{
		{nil, 1, 1}, {nil, 4, 4}, {nil, 6, 6}, {nil, 20, 20}, {nil, 21, 20}, {last, 1, 1}, {last, 2, 2}, {last, 3, 2}, {last, 1000, 2},
	} {
		for _, pushdown := range []bool{true, false} {
			s := newScanner(t, table, nil)
			s.limit = c.limit
			if n := len(s.read(t, c.filter, pushdown)); n != c.want {
				t.Errorf("limit %d with filter %v: %d rows, want %d", c.limit, c.filter, n, c.want)
			}
		}
	}
	// Nothing wanted, nothing given; and each of several readers counts for itself.
	builder, err := table.NewReadBuilder()
	must(t, err)
	defer builder.Close()
	scan, err := builder.NewScan()
	must(t, err)
	defer scan.Close()
	plan, err := scan.Plan()
	must(t, err)
	defer plan.Close()
	for _, limit := range []int{0, 3} {
		must(t, builder.WithLimit(limit))
		read, err := builder.NewRead()
		must(t, err)
		defer read.Close()
		var group sync.WaitGroup
		counts := make([]int, plan.NumSplits())
		for i, split := range plan.Splits() {
			group.Go(func() {
				reader, err := read.NewRecordBatchReader([]paimon.DataSplit{split})
				check(t, err)
				defer reader.Close()
				for batch, err := range reader.All() {
					check(t, err)
					counts[i] += int(batch.NumRows())
					batch.Release()
				}
			})
		}
		group.Wait()
		if len(counts) != commits || slices.Min(counts) != limit || slices.Max(counts) != limit {
			t.Errorf("limit %d: readers of single splits gave %v rows", limit, counts)
		}
	}
}

// Predicates are values: shared, combined, used again, after their table is closed; and a refused one leaves the builder as it was.
func TestPredicatesAreValues(t *testing.T) {
	allocator := checkLeaks(t)
	catalog, table := newTable(t, people, nil)
	appendRows(t, table, allocator, person{1, "one"}, person{2, "two"})
	_, other := newTable(t, people, nil)
	b := table.PredicateBuilder()
	one := mustPredicate(t)(b.Eq("id", 1))
	two := mustPredicate(t)(b.Eq("name", "two"))
	foreign := mustPredicate(t)(other.PredicateBuilder().Eq("id", 1))

	for _, join := range []func(...*paimon.Predicate) (*paimon.Predicate, error){predicate.And, predicate.Or} {
		_, err := join()
		wantError(t, err, paimon.CodeInvalidInput, "nil")
		_, err = join(nil)
		wantError(t, err, paimon.CodeInvalidInput, "nil")
		_, err = join(one, nil)
		wantError(t, err, paimon.CodeInvalidInput, "nil")
		_, err = join(one, new(paimon.Predicate))
		wantError(t, err, paimon.CodeInvalidInput, "nil")
		_, err = join(one, foreign)
		wantError(t, err, paimon.CodeInvalidInput, "another table")
		if p := mustPredicate(t)(join(one)); p != one {
			t.Error("one predicate alone is not given back")
		}
	}
	_, err := (*paimon.Predicate)(nil).Not()
	wantError(t, err, paimon.CodeInvalidInput, "nil")
	_, err = (*paimon.Predicate)(nil).And(one)
	wantError(t, err, paimon.CodeInvalidInput, "nil")
	(*paimon.Predicate)(nil).Close()

	builder, err := table.NewReadBuilder()
	must(t, err)
	defer builder.Close()
	must(t, builder.WithFilter(two))
	wantError(t, builder.WithFilter(foreign), paimon.CodeInvalidInput, "another table")
	wantError(t, builder.WithFilter(new(paimon.Predicate)), paimon.CodeInvalidInput, "zero value")
	must(t, builder.WithFilter(nil))

	again := openTable(t, catalog, table.Identifier())
	table.Close()
	_, err = b.Eq("id", 1)
	wantError(t, err, paimon.ErrClosed)
	_, err = table.PredicateBuilder().IsNull("id")
	wantError(t, err, paimon.ErrClosed)
	_, err = (*paimon.Table)(nil).PredicateBuilder().IsNull("id")
	wantError(t, err, paimon.ErrClosed)
	_, err = (*paimon.PredicateBuilder)(nil).IsNull("id")
	wantError(t, err, paimon.ErrClosed)
	_, err = new(paimon.PredicateBuilder).IsNull("id")
	wantError(t, err, paimon.ErrClosed)
	one.Close()
	two.Close()
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			both, err := predicate.Or(one, two)
			check(t, err)
			wantFiltered(t, again, both, "1", "2")
			neither, err := both.Not()
			check(t, err)
			wantFiltered(t, again, neither)
		})
	}
	group.Wait()
	// The refused filters left the first one in place.
	reader, err := readerOf(builder)
	must(t, err)
	defer reader.Close()
	batch, err := reader.NextRecord()
	must(t, err)
	defer batch.Release()
	if batch.NumRows() != 1 || batch.Column(1).ValueStr(0) != "two" {
		t.Errorf("got %v", batch)
	}
}

// Size is no danger: chains are flat, nesting has a limit, and lists may be long.
func TestHugePredicates(t *testing.T) {
	allocator := checkLeaks(t)
	_, table := newTable(t, people, nil)
	appendRows(t, table, allocator, person{1, "one"}, person{2, "two"}, person{70_000, "x"})
	b := table.PredicateBuilder()
	must := mustPredicate(t)

	chain, some := must(b.Ge("id", 2)), must(b.Eq("id", 2))
	for i := range 20_000 {
		chain = must(chain.And(must(b.NotEq("id", 100+i))))
		some = must(some.Or(must(b.Eq("id", 50_001+i))))
	}
	wantFiltered(t, table, chain, "2", "70000")
	wantFiltered(t, table, some, "2", "70000")
	if text := chain.String(); len(text) > 1000 || !strings.Contains(text, "more") {
		t.Errorf("the text has %d bytes", len(text))
	}

	deep, depth := must(b.Eq("id", 2)), 0
	var err error
	for ; err == nil && depth < 20_000; depth++ {
		var next *paimon.Predicate
		if depth%2 == 0 {
			next, err = deep.And(must(b.Ge("id", 0)))
		} else {
			next, err = deep.Or(must(b.Lt("id", 0)))
		}
		if err == nil {
			deep = next
		}
	}
	wantError(t, err, paimon.CodeInvalidInput, "deeper than 100")
	wantFiltered(t, table, deep, "2")

	for _, size := range []int{10_000, 1_000_000} {
		values := make([]interface{}, size)
		for i := range values {
			values[i] = i + 2
		}
		wantFiltered(t, table, must(b.In("id", values...)), append([]string{"2"}, map[bool][]string{true: {"70000"}}[size > 70_000]...)...)
		wantFiltered(t, table, must(b.NotIn("id", values[:10_000]...)), "1", "70000")
	}
}
