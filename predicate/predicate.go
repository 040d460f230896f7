// SPDX-License-Identifier: Apache-2.0

// Package predicate combines any number of predicates.
package predicate

import paimon "github.com/apache/paimon-rust/bindings/go"

// And is true where all the predicates are. One alone is given back; none at all, nil among them, or predicates of different tables are
// [paimon.CodeInvalidInput].
func And(predicates ...*paimon.Predicate) (*paimon.Predicate, error) {
	return fold(predicates, (*paimon.Predicate).And)
}

// Or is true where one of the predicates is. It fails as [And] does.
func Or(predicates ...*paimon.Predicate) (*paimon.Predicate, error) {
	return fold(predicates, (*paimon.Predicate).Or)
}

func fold(
	predicates []*paimon.Predicate, join func(p, q *paimon.Predicate) (*paimon.Predicate, error),
) (*paimon.Predicate, error) {
	if len(predicates) == 0 || predicates[0] == nil {
		return join(nil, nil)
	}
	joined := predicates[0]
	if _, err := joined.Not(); err != nil { // a zero value
		return nil, err
	}
	for _, next := range predicates[1:] {
		var err error
		if joined, err = join(joined, next); err != nil {
			return nil, err
		}
	}
	return joined, nil
}
