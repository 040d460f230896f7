// SPDX-License-Identifier: Apache-2.0

package paimon

import "unsafe"

var (
	// paimon_result_predicate paimon_predicate_equal(const paimon_table*, const char* column, paimon_datum literal);
	ffiPredicateEqual = bind3[result[cPredicate], *cTable, *byte, cDatum]("paimon_predicate_equal")
	// paimon_result_predicate paimon_predicate_not_equal(const paimon_table*, const char* column, paimon_datum literal);
	ffiPredicateNotEqual = bind3[result[cPredicate], *cTable, *byte, cDatum]("paimon_predicate_not_equal")
	// paimon_result_predicate paimon_predicate_less_than(const paimon_table*, const char* column, paimon_datum literal);
	ffiPredicateLessThan = bind3[result[cPredicate], *cTable, *byte, cDatum]("paimon_predicate_less_than")
	// paimon_result_predicate paimon_predicate_less_or_equal(const paimon_table*, const char* column, paimon_datum literal);
	ffiPredicateLessOrEqual = bind3[result[cPredicate], *cTable, *byte, cDatum]("paimon_predicate_less_or_equal")
	// paimon_result_predicate paimon_predicate_greater_than(const paimon_table*, const char* column, paimon_datum literal);
	ffiPredicateGreaterThan = bind3[result[cPredicate], *cTable, *byte, cDatum]("paimon_predicate_greater_than")
	// paimon_result_predicate paimon_predicate_greater_or_equal(const paimon_table*, const char* column, paimon_datum literal);
	ffiPredicateGreaterOrEqual = bind3[result[cPredicate], *cTable, *byte, cDatum]("paimon_predicate_greater_or_equal")
	// paimon_result_predicate paimon_predicate_starts_with(const paimon_table*, const char* column, paimon_datum literal);
	ffiPredicateStartsWith = bind3[result[cPredicate], *cTable, *byte, cDatum]("paimon_predicate_starts_with")
	// paimon_result_predicate paimon_predicate_ends_with(const paimon_table*, const char* column, paimon_datum literal);
	ffiPredicateEndsWith = bind3[result[cPredicate], *cTable, *byte, cDatum]("paimon_predicate_ends_with")
	// paimon_result_predicate paimon_predicate_contains(const paimon_table*, const char* column, paimon_datum literal);
	ffiPredicateContains = bind3[result[cPredicate], *cTable, *byte, cDatum]("paimon_predicate_contains")
	// paimon_result_predicate paimon_predicate_like(const paimon_table*, const char* column, paimon_datum literal);
	ffiPredicateLike = bind3[result[cPredicate], *cTable, *byte, cDatum]("paimon_predicate_like")
	// paimon_result_predicate paimon_predicate_is_null(const paimon_table*, const char* column);
	ffiPredicateIsNull = bind2[result[cPredicate], *cTable, *byte]("paimon_predicate_is_null")
	// paimon_result_predicate paimon_predicate_is_not_null(const paimon_table*, const char* column);
	ffiPredicateIsNotNull = bind2[result[cPredicate], *cTable, *byte]("paimon_predicate_is_not_null")
	// paimon_result_predicate paimon_predicate_is_in(const paimon_table*, const char* column, const paimon_datum*, size_t len);
	ffiPredicateIsIn = bind4[result[cPredicate], *cTable, *byte, *cDatum, uintptr]("paimon_predicate_is_in")
	// paimon_result_predicate paimon_predicate_is_not_in(const paimon_table*, const char* column, const paimon_datum*, size_t len);
	ffiPredicateIsNotIn = bind4[result[cPredicate], *cTable, *byte, *cDatum, uintptr]("paimon_predicate_is_not_in")
	// paimon_result_predicate paimon_predicate_between(const paimon_table*, const char* column, paimon_datum low, paimon_datum high);
	ffiPredicateBetween = bind4[result[cPredicate], *cTable, *byte, cDatum, cDatum]("paimon_predicate_between")
	// paimon_result_predicate paimon_predicate_not_between(const paimon_table*, const char* column, paimon_datum low, paimon_datum high);
	ffiPredicateNotBetween = bind4[result[cPredicate], *cTable, *byte, cDatum, cDatum]("paimon_predicate_not_between")
	// paimon_result_predicate paimon_predicate_and(const paimon_predicate* const* predicates, size_t len);
	ffiPredicateAnd = bind2[result[cPredicate], **cPredicate, uintptr]("paimon_predicate_and")
	// paimon_result_predicate paimon_predicate_or(const paimon_predicate* const* predicates, size_t len);
	ffiPredicateOr = bind2[result[cPredicate], **cPredicate, uintptr]("paimon_predicate_or")
	// paimon_result_predicate paimon_predicate_not(const paimon_predicate*);
	ffiPredicateNot = bind1[result[cPredicate], *cPredicate]("paimon_predicate_not")
	// void paimon_predicate_free(paimon_predicate* predicate);
	ffiPredicateFree = bind1[void, *cPredicate]("paimon_predicate_free")
)

// lower makes the native form of a predicate for a native table. The caller closes it.
func (p *Predicate) lower(l *library, op, object string, table *cTable) (*handle[cPredicate], error) {
	give := func(call func() (result[cPredicate], error)) (*handle[cPredicate], error) {
		return adopt(l, ffiPredicateFree, op, object, call)
	}
	switch p.op {
	case opAnd, opOr:
		join := ffiPredicateAnd
		if p.op == opOr {
			join = ffiPredicateOr
		}
		var operands []*cPredicate
		for _, operand := range p.flat() {
			h, err := operand.lower(l, op, object, table)
			if err != nil {
				return nil, err
			}
			defer h.close()
			operands = append(operands, h.ptr)
		}
		return give(func() (result[cPredicate], error) { return join.call(l, &operands[0], uintptr(len(operands))) })
	case opNot:
		h, err := p.operands[0].lower(l, op, object, table)
		if err != nil {
			return nil, err
		}
		defer h.close()
		return give(func() (result[cPredicate], error) { return ffiPredicateNot.call(l, h.ptr) })
	}
	column, err := cString(op, object, "a column name", p.column)
	if err != nil {
		return nil, err
	}
	var first *cDatum // nil for an empty list
	data := p.data()
	if len(data) > 0 {
		first = &data[0]
	}
	return give(func() (result[cPredicate], error) {
		switch p.op {
		case opIsNull:
			return ffiPredicateIsNull.call(l, table, column)
		case opIsNotNull:
			return ffiPredicateIsNotNull.call(l, table, column)
		case opIn:
			return ffiPredicateIsIn.call(l, table, column, first, uintptr(len(data)))
		case opNotIn:
			return ffiPredicateIsNotIn.call(l, table, column, first, uintptr(len(data)))
		case opBetween:
			return ffiPredicateBetween.call(l, table, column, data[0], data[1])
		case opNotBetween:
			return ffiPredicateNotBetween.call(l, table, column, data[0], data[1])
		default:
			return comparisons[p.op].call(l, table, column, data[0])
		}
	})
}

// comparisons has the operators that take one literal.
var comparisons = map[predicateOp]fn3[result[cPredicate], *cTable, *byte, cDatum]{
	opEq:         ffiPredicateEqual,
	opNotEq:      ffiPredicateNotEqual,
	opLt:         ffiPredicateLessThan,
	opLe:         ffiPredicateLessOrEqual,
	opGt:         ffiPredicateGreaterThan,
	opGe:         ffiPredicateGreaterOrEqual,
	opStartsWith: ffiPredicateStartsWith,
	opEndsWith:   ffiPredicateEndsWith,
	opContains:   ffiPredicateContains,
	opLike:       ffiPredicateLike,
}

// data gives the literals as C has them. Their text is that of the predicate.
func (p *Predicate) data() []cDatum {
	data := make([]cDatum, len(p.literals))
	for i, l := range p.literals {
		data[i] = cDatum{
			tag: l.tag, intVal: l.num, intVal2: l.high, doubleVal: l.float, uintVal: l.precision, uintVal2: l.scale,
			// SAFETY: strings do not move, the slice keeps this one alive, and C reads it during the call only.
			strData: unsafe.StringData(l.text), strLen: uintptr(len(l.text)),
		}
	}
	return data
}

// schema is that of the rows that the builder reads.
func (rb *ReadBuilder) schema() (*Schema, error) {
	const op = "get schema"
	builder, err := rb.base().acquire(op)
	if err != nil {
		return nil, err
	}
	defer rb.h.release()
	h, err := adopt(rb.h.lib, ffiTableFree, op, rb.h.object, func() (result[cTable], error) {
		return ffiReadBuilderTable.call(rb.h.lib, builder)
	})
	if err != nil {
		return nil, err
	}
	defer h.close()
	return (&Table{h: h}).Schema()
}

// setFilter lowers a predicate and gives it to a native read builder.
func setFilter(rb *handle[cReadBuilder], builder *cReadBuilder, op string, p *Predicate) error {
	table, err := adopt(rb.lib, ffiTableFree, op, rb.object, func() (result[cTable], error) {
		return ffiReadBuilderTable.call(rb.lib, builder)
	})
	if err != nil {
		return err
	}
	defer table.close()
	native, err := p.lower(rb.lib, op, rb.object, table.ptr)
	if err != nil {
		return err
	}
	defer native.close()
	e, err := ffiReadBuilderWithFilter.call(rb.lib, builder, native.ptr)
	return rb.lib.done(op, rb.object, e, err)
}
