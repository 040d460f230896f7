// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main

import (
	"fmt"
	"slices"
	"strings"
)

// choose picks the licences to take a crate under from its SPDX expression: the best of what an OR offers, and all that an AND
// demands. "MIT/Apache-2.0" is how old crates write an OR.
func choose(expression string) ([]string, error) {
	expression = strings.NewReplacer("/", " OR ", "(", " ( ", ")", " ) ").Replace(expression)
	p := spdxParser{words: strings.Fields(expression)}
	chosen, err := p.or()
	if err == nil && len(p.words) > 0 {
		err = fmt.Errorf("%q is left over", p.words)
	}
	if err == nil && rank(chosen) > len(accepted) {
		err = fmt.Errorf("%s is not accepted", strings.Join(chosen, " AND "))
	}
	return chosen, err
}

// rank says how little a choice is liked: by its worst licence.
func rank(choice []string) int {
	worst := 0
	for _, id := range choice {
		at := 1 + slices.IndexFunc(accepted, func(l acceptedLicense) bool { return l.id == id })
		if at == 0 {
			at = len(accepted) + 1
		}
		worst = max(worst, at)
	}
	return worst
}

type spdxParser struct{ words []string }

func (p *spdxParser) next(word string) bool {
	if len(p.words) == 0 || p.words[0] != word {
		return false
	}
	p.words = p.words[1:]
	return true
}

func (p *spdxParser) or() ([]string, error) {
	best, err := p.and()
	for err == nil && p.next("OR") {
		var other []string
		if other, err = p.and(); err == nil && rank(other) < rank(best) {
			best = other
		}
	}
	return best, err
}

func (p *spdxParser) and() ([]string, error) {
	all, err := p.license()
	for err == nil && p.next("AND") {
		var more []string
		more, err = p.license()
		for _, id := range more {
			if !slices.Contains(all, id) {
				all = append(all, id)
			}
		}
	}
	return all, err
}

func (p *spdxParser) license() ([]string, error) {
	if p.next("(") {
		inner, err := p.or()
		if err == nil && !p.next(")") {
			err = fmt.Errorf("a parenthesis is open")
		}
		return inner, err
	}
	if len(p.words) == 0 {
		return nil, fmt.Errorf("a licence is missing")
	}
	id := p.words[0]
	p.words = p.words[1:]
	if p.next("WITH") && len(p.words) > 0 {
		id += " WITH " + p.words[0]
		p.words = p.words[1:]
	}
	return []string{id}, nil
}
