// SPDX-License-Identifier: Apache-2.0

package paimon

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

const (
	// maxPredicateDepth is how deep And, Or and Not may nest, And of And and Or of Or not counted.
	maxPredicateDepth = 100
	// maxPredicateSize is how many conditions and operators a predicate may have. One that is used twice counts twice: it is
	// evaluated twice.
	maxPredicateSize = 100_000
	// maxPatternBytes is how long a pattern of Like may be: it becomes a regular expression.
	maxPatternBytes = 4096
)

// A Predicate is a condition on the rows of one table, made by a [PredicateBuilder]. It is an immutable value: it can be combined,
// negated and used in any number of read builders, concurrently, and stays valid after its [Table] is closed.
//
// Conditions follow SQL's three-valued logic: a comparison with NULL is neither true nor false but unknown, NOT unknown is unknown,
// and a filter returns only rows for which the predicate is true. So neither "x = 1" nor its negation returns rows where x is NULL.
type Predicate struct {
	source   string // of the table
	object   string // what errors call the table
	op       predicateOp
	column   string
	literals []literal
	operands []*Predicate // one of NOT, two of AND and OR
	depth    int          // levels of nesting below and with this one, chains of one operator being one
	size     int          // conditions and operators below and with this one
}

// predicateOp is an operator, as SQL writes it.
type predicateOp string

const (
	opEq         predicateOp = "="
	opNotEq      predicateOp = "<>"
	opLt         predicateOp = "<"
	opLe         predicateOp = "<="
	opGt         predicateOp = ">"
	opGe         predicateOp = ">="
	opIsNull     predicateOp = "IS NULL"
	opIsNotNull  predicateOp = "IS NOT NULL"
	opIn         predicateOp = "IN"
	opNotIn      predicateOp = "NOT IN"
	opStartsWith predicateOp = "STARTS WITH"
	opEndsWith   predicateOp = "ENDS WITH"
	opContains   predicateOp = "CONTAINS"
	opLike       predicateOp = "LIKE"
	opBetween    predicateOp = "BETWEEN"
	opNotBetween predicateOp = "NOT BETWEEN"
	opAnd        predicateOp = "AND"
	opOr         predicateOp = "OR"
	opNot        predicateOp = "NOT"
)

// Close does nothing: a predicate holds no native memory. It is there for code that closes everything, and harmless on nil.
func (p *Predicate) Close() {}

// And is true where both predicates are. A nil predicate, one of another table, more than 100 levels of nesting and more than 100,000
// conditions are [CodeInvalidInput]; chains of And count as one level.
func (p *Predicate) And(other *Predicate) (*Predicate, error) { return p.join("and", opAnd, other) }

// Or is true where one of the predicates is. It fails as [Predicate.And] does.
func (p *Predicate) Or(other *Predicate) (*Predicate, error) { return p.join("or", opOr, other) }

// Not is true where the predicate is false; where it is unknown, on account of NULL, so is Not.
func (p *Predicate) Not() (*Predicate, error) {
	const op = "not"
	if p.missing() {
		return nil, invalidInput(op, "", "the predicate is nil")
	}
	if p.op == opNot {
		return p.operands[0], nil
	}
	return p.nest(op, &Predicate{op: opNot, operands: []*Predicate{p}, depth: p.depth + 1})
}

// missing tells predicates that no builder made.
func (p *Predicate) missing() bool { return p == nil || p.op == "" }

func (p *Predicate) join(op string, kind predicateOp, other *Predicate) (*Predicate, error) {
	if p.missing() || other.missing() {
		object := ""
		if p != nil {
			object = p.object
		}
		return nil, invalidInput(op, object, "one of the predicates is nil")
	}
	if p.source != other.source {
		return nil, invalidInput(op, p.object, "the other predicate, %s, is of another table, %s", other.brief(), other.object)
	}
	below := func(q *Predicate) int {
		if q.op == kind {
			return q.depth - 1
		}
		return q.depth
	}
	return p.nest(op, &Predicate{op: kind, operands: []*Predicate{p, other}, depth: max(below(p), below(other)) + 1})
}

func (p *Predicate) nest(op string, outer *Predicate) (*Predicate, error) {
	if outer.depth > maxPredicateDepth {
		return nil, invalidInput(op, p.object, "the predicate nests deeper than %d levels; flatten it, or use In for many values of one column",
			maxPredicateDepth)
	}
	outer.size = 1
	for _, operand := range outer.operands {
		outer.size += operand.size
	}
	if outer.size > maxPredicateSize {
		return nil, invalidInput(op, p.object, "the predicate has more than %d conditions; use In for many values of one column", maxPredicateSize)
	}
	outer.source, outer.object = p.source, p.object
	return outer, nil
}

// flat gives the operands of a chain of one operator, left to right.
func (p *Predicate) flat() []*Predicate {
	var found []*Predicate
	open := []*Predicate{p}
	for len(open) > 0 {
		q := open[len(open)-1]
		open = open[:len(open)-1]
		if q.op == p.op {
			open = append(open, q.operands[1], q.operands[0])
		} else {
			found = append(found, q)
		}
	}
	return found
}

// String gives the predicate as SQL, for people: long lists are cut short.
func (p *Predicate) String() string {
	if p.missing() {
		return "<nil>"
	}
	column := quoteColumn(p.column)
	switch p.op {
	case opIsNull, opIsNotNull:
		return column + " " + string(p.op)
	case opIn, opNotIn:
		return column + " " + string(p.op) + " (" + shorten(p.literals, ", ", literal.String) + ")"
	case opBetween, opNotBetween:
		return column + " " + string(p.op) + " " + p.literals[0].String() + " AND " + p.literals[1].String()
	case opNot:
		return "NOT (" + p.operands[0].String() + ")"
	case opAnd, opOr:
		return shorten(p.flat(), " "+string(p.op)+" ", func(q *Predicate) string {
			if q.op == opAnd || q.op == opOr {
				return "(" + q.String() + ")"
			}
			return q.String()
		})
	default:
		return column + " " + string(p.op) + " " + p.literals[0].String()
	}
}

// brief is String for error messages.
func (p *Predicate) brief() string {
	const most = 100
	text := p.String()
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "..."
	}
	return text
}

func shorten[T any](list []T, separator string, text func(T) string) string {
	const most = 20
	var parts []string
	for _, item := range list[:min(len(list), most)] {
		parts = append(parts, text(item))
	}
	if more := len(list) - most; more > 0 {
		parts = append(parts, fmt.Sprintf("... %d more", more))
	}
	return strings.Join(parts, separator)
}

func quoteColumn(name string) string {
	plain := name != ""
	for i, r := range name {
		plain = plain && (r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || i > 0 && '0' <= r && r <= '9')
	}
	if plain {
		return name
	}
	return "`" + strings.ReplaceAll(name, "`", "``") + "`"
}

// A PredicateBuilder makes conditions on single columns of a table, with the schema that the table had when it was opened; the methods
// of [Predicate] combine them. It is safe for concurrent use. On a closed table every method gives [ErrClosed].
//
// A column that the table does not have is [ErrColumnNotExist]. A literal is a Go value that the column's type can hold without loss:
//
//   - BOOLEAN: bool
//   - TINYINT, SMALLINT, INT, BIGINT: any integer that fits
//   - FLOAT, DOUBLE: float32, float64 or an integer, if the column's type has that very number
//   - DECIMAL: [Decimal], an integer, or arrow's decimal128.Num or decimal256.Num, read in the column's scale
//   - CHAR, VARCHAR, STRING: string
//   - BINARY, VARBINARY, BYTES: []byte or [Bytes]
//   - DATE: [Date], or a [time.Time] at midnight of its own zone
//   - TIME: [Time]
//   - TIMESTAMP: [Timestamp], or a [time.Time], whose wall clock counts and whose zone does not
//   - TIMESTAMP_LTZ: [LocalZonedTimestamp], or a [time.Time], which is an instant
//
// or a [Datum] of those. Anything else, nil included, is [CodeInvalidInput]. Columns of other types can be tested for NULL only.
//
// NaN is equal to NaN and larger than every other number; -0.0 is equal to 0.0. Text and bytes are compared byte by byte.
type PredicateBuilder struct {
	caseSensitive bool
	// acquire begins the use of what the builder is of, and says what errors and predicates call it.
	acquire func(op string) (object, source string, release func(), err error)
	schema  func() (*Schema, error)
}

// PredicateBuilder makes a builder of predicates that finds columns by their exact names.
func (t *Table) PredicateBuilder() *PredicateBuilder {
	return t.PredicateBuilderWithCaseSensitive(true)
}

// PredicateBuilderWithCaseSensitive makes a builder of predicates that finds columns by their exact names, or else in any mix of ASCII
// upper and lower case. A name that then fits several columns is [CodeInvalidInput].
func (t *Table) PredicateBuilderWithCaseSensitive(caseSensitive bool) *PredicateBuilder {
	acquire := func(op string) (object, source string, release func(), err error) {
		if _, err := t.base().acquire(op); err != nil {
			return "", "", nil, err
		}
		return t.h.object, t.source, t.h.release, nil
	}
	return &PredicateBuilder{caseSensitive, acquire, sync.OnceValues(t.Schema)}
}

// PredicateBuilder makes a builder of predicates on the schema that is read, which in time travel may be an older one than the table's:
// columns have the names and types that they had then.
func (rb *ReadBuilder) PredicateBuilder() *PredicateBuilder {
	acquire := func(op string) (object, source string, release func(), err error) {
		if _, err := rb.base().acquire(op); err != nil {
			return "", "", nil, err
		}
		return rb.h.object, rb.source, rb.h.release, nil
	}
	return &PredicateBuilder{true, acquire, sync.OnceValues(rb.schema)}
}

// Eq is "column = value".
func (b *PredicateBuilder) Eq(column string, value any) (*Predicate, error) {
	return b.leaf("equal", opEq, column, value)
}

// NotEq is "column <> value"; it is not true where the column is NULL.
func (b *PredicateBuilder) NotEq(column string, value any) (*Predicate, error) {
	return b.leaf("not equal", opNotEq, column, value)
}

// Lt is "column < value".
func (b *PredicateBuilder) Lt(column string, value any) (*Predicate, error) {
	return b.leaf("less than", opLt, column, value)
}

// Le is "column <= value".
func (b *PredicateBuilder) Le(column string, value any) (*Predicate, error) {
	return b.leaf("less or equal", opLe, column, value)
}

// Gt is "column > value".
func (b *PredicateBuilder) Gt(column string, value any) (*Predicate, error) {
	return b.leaf("greater than", opGt, column, value)
}

// Ge is "column >= value".
func (b *PredicateBuilder) Ge(column string, value any) (*Predicate, error) {
	return b.leaf("greater or equal", opGe, column, value)
}

// IsNull is "column IS NULL", for a column of any type.
func (b *PredicateBuilder) IsNull(column string) (*Predicate, error) {
	return b.leaf("is null", opIsNull, column)
}

// IsNotNull is "column IS NOT NULL", for a column of any type.
func (b *PredicateBuilder) IsNotNull(column string) (*Predicate, error) {
	return b.leaf("is not null", opIsNotNull, column)
}

// In is "column IN (values)". Without values it is false for every row.
func (b *PredicateBuilder) In(column string, values ...any) (*Predicate, error) {
	return b.leaf("in", opIn, column, values...)
}

// NotIn is "column NOT IN (values)"; it is not true where the column is NULL, except that without values it is true for every row.
func (b *PredicateBuilder) NotIn(column string, values ...any) (*Predicate, error) {
	return b.leaf("not in", opNotIn, column, values...)
}

// StartsWith is true for text that begins with the prefix.
func (b *PredicateBuilder) StartsWith(column, prefix string) (*Predicate, error) {
	return b.leaf("starts with", opStartsWith, column, prefix)
}

// EndsWith is true for text that ends with the suffix.
func (b *PredicateBuilder) EndsWith(column, suffix string) (*Predicate, error) {
	return b.leaf("ends with", opEndsWith, column, suffix)
}

// Contains is true for text that has the part in it.
func (b *PredicateBuilder) Contains(column, part string) (*Predicate, error) {
	return b.leaf("contains", opContains, column, part)
}

// Like is "column LIKE pattern": % stands for any text, _ for one character, and a backslash takes the meaning from a %, _ or backslash
// after it. A backslash before anything else is [CodeInvalidInput].
func (b *PredicateBuilder) Like(column, pattern string) (*Predicate, error) {
	return b.leaf("like", opLike, column, pattern)
}

// Between is "low <= column AND column <= high".
func (b *PredicateBuilder) Between(column string, low, high any) (*Predicate, error) {
	return b.leaf("between", opBetween, column, low, high)
}

// NotBetween is "column < low OR column > high".
func (b *PredicateBuilder) NotBetween(column string, low, high any) (*Predicate, error) {
	return b.leaf("not between", opNotBetween, column, low, high)
}

func (b *PredicateBuilder) leaf(op string, kind predicateOp, column string, values ...any) (*Predicate, error) {
	if b == nil || b.acquire == nil {
		return nil, ofKind(op, "", ErrClosed, "")
	}
	object, source, release, err := b.acquire(op)
	if err != nil {
		return nil, err
	}
	defer release()
	schema, err := b.schema()
	if err != nil {
		return nil, withOp(err, op, object)
	}
	field, err := b.find(op, object, schema.Fields, column)
	if err != nil {
		return nil, err
	}
	p := &Predicate{source: source, object: object, op: kind, column: field.Name, depth: 1, size: 1}
	if kind == opIsNull || kind == opIsNotNull {
		return p, nil
	}
	target := field.Type
	if _, ok := goTypes[target.kind]; !ok {
		return nil, invalidInput(op, object, "column %q is %s, which can be tested for NULL only", field.Name, target)
	}
	switch kind {
	case opStartsWith, opEndsWith, opContains, opLike:
		if target.kind != KindChar && target.kind != KindVarChar {
			return nil, invalidInput(op, object, "column %q is %s; only text has prefixes, suffixes and patterns", field.Name, target)
		}
	}
	p.literals = make([]literal, len(values))
	for i, value := range values {
		var problem string
		if p.literals[i], problem = convert(value, target); problem != "" {
			return nil, invalidInput(op, object, "column %q is %s: %s; use %s", field.Name, target, problem, goTypes[target.kind])
		}
	}
	if kind == opLike {
		if length := len(p.literals[0].text); length > maxPatternBytes {
			return nil, invalidInput(op, object, "the pattern for column %q is %d bytes long, want at most %d", field.Name, length, maxPatternBytes)
		}
		if at := badEscape(p.literals[0].text); at >= 0 {
			return nil, invalidInput(op, object, `pattern %q for column %q: the backslash at byte %d stands before neither %%, _ nor another backslash; `+
				`double it to mean a backslash`, p.literals[0].text, field.Name, at)
		}
	}
	return p, nil
}

// badEscape finds a backslash that escapes nothing, or gives -1.
func badEscape(pattern string) int {
	for i := 0; i < len(pattern); i++ {
		if pattern[i] != '\\' {
			continue
		}
		if i+1 == len(pattern) || !strings.ContainsRune(`%_\`, rune(pattern[i+1])) {
			return i
		}
		i++
	}
	return -1
}

func (b *PredicateBuilder) find(op, object string, fields []DataField, column string) (*DataField, error) {
	var found []*DataField
	for i := range fields {
		if fields[i].Name == column {
			return &fields[i], nil
		}
		if !b.caseSensitive && lowerASCII(fields[i].Name) == lowerASCII(column) {
			found = append(found, &fields[i])
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, ofKind(op, object, ErrColumnNotExist, fmt.Sprintf("%q; %s", column, nearest(column, fields)))
	default:
		return nil, invalidInput(op, object, "ignoring case, column %q may be %q or %q", column, found[0].Name, found[1].Name)
	}
}

func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// nearest says which names are most like this one, or else which there are.
func nearest(name string, fields []DataField) string {
	distance := func(field DataField) int { return editDistance(strings.ToLower(name), strings.ToLower(field.Name)) }
	quoted := func(field DataField) string { return strconv.Quote(field.Name) }
	near := slices.DeleteFunc(slices.Clone(fields), func(field DataField) bool { return 2*distance(field) > len(name) })
	if len(near) == 0 {
		return "the columns are " + shorten(fields, ", ", quoted)
	}
	slices.SortStableFunc(near, func(a, b DataField) int { return cmp.Compare(distance(a), distance(b)) })
	return "did you mean " + shorten(near[:min(3, len(near))], ", ", quoted) + "?"
}

func editDistance(a, b string) int {
	const most = 64 // of long names the beginning tells enough
	x, y := []rune(a), []rune(b)
	x, y = x[:min(len(x), most)], y[:min(len(y), most)]
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j := range y {
			change := diagonal
			if x[i] != y[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(y)]
}
