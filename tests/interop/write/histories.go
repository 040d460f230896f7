// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math"

	paimon "github.com/apache/paimon-rust/bindings/go"
)

// A history is a table that is created, taken through steps, and must then look as its views say.
type history struct {
	name   string
	schema paimon.Schema
	steps  []step
	views  []view
}

// A view is what a reader must get of a table, or with a suffix, as java/src/Dump.java has it, of a tag or branch of it.
type view struct {
	suffix string
	fields []paimon.DataField
	rows   []row
}

// A step changes a table; one that renames it changes the name for the steps and views after it.
type step func(catalog *paimon.Catalog, name *string) error

func id(name string) paimon.Identifier { return paimon.NewIdentifier(database, name) }

// write commits to the table, or with a suffix to a branch of it.
func write(suffix string, jobs ...job) step {
	return func(catalog *paimon.Catalog, name *string) error {
		for _, j := range jobs {
			if err := j.runOn(catalog, id(*name+suffix)); err != nil {
				return err
			}
		}
		return nil
	}
}

func alter(changes ...paimon.SchemaChange) step {
	return func(catalog *paimon.Catalog, name *string) error {
		return catalog.AlterTable(id(*name), changes, false)
	}
}

func rename(to string) step {
	return func(catalog *paimon.Catalog, name *string) error {
		err := catalog.RenameTable(id(*name), id(to), false)
		*name = to
		return err
	}
}

// tag tags the latest snapshot, or the one that is named.
func tag(tagName string, snapshotID ...int64) step {
	return func(catalog *paimon.Catalog, name *string) error {
		var snapshot *int64
		if len(snapshotID) > 0 {
			snapshot = &snapshotID[0]
		}
		return catalog.CreateTag(id(*name), tagName, snapshot, false)
	}
}

// branch makes a branch of a tag, or an empty one.
func branch(branchName, fromTag string) step {
	return func(catalog *paimon.Catalog, name *string) error {
		return catalog.CreateBranch(id(*name), branchName, fromTag)
	}
}

// run creates the table, takes all steps and gives the name that the table has then.
func (h history) run(catalog *paimon.Catalog) (string, error) {
	name := h.name
	if err := catalog.CreateTable(id(name), &h.schema, false); err != nil {
		return name, err
	}
	for i, take := range h.steps {
		if err := take(catalog, &name); err != nil {
			return name, fmt.Errorf("step %d: %w", i, err)
		}
	}
	return name, nil
}

var histories = []history{
	{
		name: "evolved",
		schema: paimon.Schema{Fields: fields("a", integer, "b", integer, "c", str, "d", paimon.FloatType(), "gone", str,
			"amount", paimon.DecimalType(10, 2), "st", paimon.RowType(fields("x", integer, "y", str)...))},
		steps: []step{
			write("", insert(
				row{int32(1), int32(10), "x", float32(1.5), "g", "12.50", row{int32(1), "y1"}},
				row{int32(math.MaxInt32), nil, nil, nil, nil, nil, nil},
			)),
			tag("before"),
			alter(
				paimon.AddColumn(paimon.DataField{Name: "e", Type: str, Description: "added at the end"}, paimon.Last()),
				paimon.AddColumn(paimon.DataField{Name: "f", Type: integer}, paimon.First()),
				paimon.AddColumn(paimon.DataField{Name: "g", Type: paimon.TimestampType(3)}, paimon.After("b")),
				paimon.RenameColumn("c", "renamed"),
				paimon.DropColumn("gone"),
				paimon.UpdateColumnType("b", paimon.BigIntType()),
				paimon.UpdateColumnType("d", paimon.DoubleType()),
				paimon.UpdateColumnType("amount", paimon.DecimalType(20, 2)),
				paimon.UpdateColumnComment("a", "the first"),
				paimon.UpdateColumnPosition("st", paimon.Before("a")),
				paimon.UpdateComment("a table with a past"),
				paimon.SetOption("snapshot.num-retained.min", "3"),
				paimon.RemoveOption("snapshot.num-retained.min"),
			),
			write("", insert(row{
				int32(7),
				row{int32(2), "y2"},
				int32(2), int64(math.MaxInt64), "2024-02-29T12:34:56.789000000", "w", 4.25,
				"123456789012345678.90", "e2",
			})),
		},
		views: []view{
			{
				fields: fields("f", integer, "st", paimon.RowType(fields("x", integer, "y", str)...), "a", integer, "b", paimon.BigIntType(),
					"g", paimon.TimestampType(3), "renamed", str, "d", paimon.DoubleType(), "amount", paimon.DecimalType(20, 2), "e", str),
				rows: []row{
					{nil, row{int32(1), "y1"}, int32(1), int64(10), nil, "x", 1.5, "12.50", nil},
					{nil, nil, int32(math.MaxInt32), nil, nil, nil, nil, nil, nil},
					{
						int32(7),
						row{int32(2), "y2"},
						int32(2), int64(math.MaxInt64), "2024-02-29T12:34:56.789000000", "w", 4.25,
						"123456789012345678.90", "e2",
					},
				},
			},
			{
				suffix: "@before",
				fields: fields("a", integer, "b", integer, "c", str, "d", paimon.FloatType(), "gone", str,
					"amount", paimon.DecimalType(10, 2), "st", paimon.RowType(fields("x", integer, "y", str)...)),
				rows: []row{
					{int32(1), int32(10), "x", float32(1.5), "g", "12.50", row{int32(1), "y1"}},
					{int32(math.MaxInt32), nil, nil, nil, nil, nil, nil},
				},
			},
		},
	},
	{
		name:   "evolved_keyed",
		schema: paimon.Schema{Fields: people, PrimaryKeys: []string{"id"}, Options: map[string]string{"bucket": "2"}},
		steps: []step{
			write("", insert(row{int32(1), "one"}, row{int32(2), "two"}, row{int32(3), "three"})),
			alter(
				paimon.RenameColumn("name", "label"),
				paimon.AddColumn(paimon.DataField{Name: "n", Type: integer}, paimon.Before("label")),
			),
			write("", insert(row{int32(2), int32(22), "TWO"}, row{int32(4), nil, "four"})),
			alter(paimon.UpdateColumnType("n", paimon.BigIntType()), paimon.DropColumn("label")),
			write("", insert(row{int32(3), int64(math.MinInt64)})),
		},
		views: []view{{
			fields: fields("id", integer, "n", paimon.BigIntType()),
			rows:   []row{{int32(1), nil}, {int32(2), int64(22)}, {int32(3), int64(math.MinInt64)}, {int32(4), nil}},
		}},
	},
	{
		name:   "tagged_and_branched",
		schema: paimon.Schema{Fields: people, PrimaryKeys: []string{"id"}, Options: map[string]string{"bucket": "1"}},
		steps: []step{
			write("", insert(row{int32(1), "one"}), insert(row{int32(2), "two"}), insert(row{int32(1), "ONE"})),
			tag("first", 1),
			tag("third"),
			branch("b", "first"),
			branch("empty", ""),
			write("$branch_b", insert(row{int32(1), "one on b"}, row{int32(100), "hundred"})),
			write("$branch_empty", insert(row{int32(5), "five"})),
			write("", insert(row{int32(3), "three"})),
		},
		views: []view{
			{fields: people, rows: []row{{int32(1), "ONE"}, {int32(2), "two"}, {int32(3), "three"}}},
			{suffix: "@first", fields: people, rows: []row{{int32(1), "one"}}},
			{suffix: "@third", fields: people, rows: []row{{int32(1), "ONE"}, {int32(2), "two"}}},
			{suffix: "$branch_b", fields: people, rows: []row{{int32(1), "one on b"}, {int32(100), "hundred"}}},
			{suffix: "$branch_empty", fields: people, rows: []row{{int32(5), "five"}}},
		},
	},
	{
		name:   "first_name",
		schema: paimon.Schema{Fields: people},
		steps: []step{
			write("", insert(row{int32(1), "one"})),
			rename("renamed"),
			write("", insert(row{int32(2), "two"})),
		},
		views: []view{{fields: people, rows: []row{{int32(1), "one"}, {int32(2), "two"}}}},
	},
}
