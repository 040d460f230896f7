// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	paimon "github.com/apache/paimon-rust/bindings/go"
)

// database is the one that all tables are in.
const database = "bench"

// A column of a table, and how it is filled. Values depend on the row's id alone.
type column struct {
	name string
	kind paimon.DataType
	fill func(b array.Builder, id int64)
}

// A dataset is a table that is read.
type dataset struct {
	name    string
	columns []column
	key     bool // whether id is the primary key
	rows    int64
	commits int64 // how many the rows are divided among, each a file for each bucket
	options map[string]string
}

// wholeFiles keeps what one commit writes in one file.
var wholeFiles = map[string]string{"target-file-size": "4 gb"}

// datasets are the tables that are read, of sizes in proportion to rows, that of the narrow ones.
func datasets(rows int64) []dataset {
	return []dataset{
		{name: "narrow", columns: narrow, rows: rows, commits: 1, options: wholeFiles},
		{name: "files", columns: narrow, rows: rows, commits: 16, options: map[string]string{"source.split.target-size": "1 mb"}},
		{name: "wide", columns: wide(), rows: rows / 10, commits: 1, options: wholeFiles},
		{name: "strings", columns: texts(), rows: rows / 5, commits: 1, options: wholeFiles},
		{name: "nested", columns: nested, rows: rows / 10, commits: 1, options: wholeFiles},
		{name: "nulls", columns: nullable(), rows: rows / 2, commits: 1, options: wholeFiles},
		{name: "keyed", columns: narrow, key: true, rows: rows / 5, commits: 1, options: map[string]string{"bucket": "2"}},
	}
}

// narrow is what most measurements, and all writes, are about. libpaimon_c/src/bench.rs and peers.py fill it in the same way.
var narrow = []column{idColumn, {"v", paimon.DoubleType(), double(0)}, {"s", paimon.StringType(), func(b array.Builder, id int64) {
	text := digits(id)
	b.(*array.StringBuilder).BinaryBuilder.Append(text[:])
}}}

// digits is an r and nine digits.
func digits(id int64) [10]byte {
	text := [10]byte{0: 'r'}
	for i, n := 9, mix(id)%1_000_000_000; i > 0; i, n = i-1, n/10 {
		text[i] = byte('0' + n%10)
	}
	return text
}

var idColumn = column{"id", paimon.BigIntType().NotNull(), func(b array.Builder, id int64) { b.(*array.Int64Builder).Append(id) }}

// nested has a list, a map and a row.
var nested = []column{
	idColumn,
	{"list", paimon.ArrayType(paimon.BigIntType()), func(b array.Builder, id int64) {
		list := b.(*array.ListBuilder)
		list.Append(true)
		for i := range id % 6 {
			list.ValueBuilder().(*array.Int64Builder).Append(id + i)
		}
	}},
	{"map", paimon.MapType(paimon.StringType().NotNull(), paimon.IntType()), func(b array.Builder, id int64) {
		m := b.(*array.MapBuilder)
		m.Append(true)
		for i := range id % 4 {
			m.KeyBuilder().(*array.StringBuilder).Append("key" + strconv.FormatInt(i, 10))
			m.ItemBuilder().(*array.Int32Builder).Append(int32(id))
		}
	}},
	{"row", paimon.RowType(
		paimon.DataField{Name: "a", Type: paimon.IntType()}, paimon.DataField{Name: "b", Type: paimon.StringType()},
	), func(b array.Builder, id int64) {
		row := b.(*array.StructBuilder)
		row.Append(true)
		row.FieldBuilder(0).(*array.Int32Builder).Append(int32(mix(id)))
		row.FieldBuilder(1).(*array.StringBuilder).Append("b" + strconv.FormatInt(id%1000, 10))
	}},
}

// wide has fifty columns.
func wide() []column {
	columns := []column{idColumn}
	for n := int64(1); n < 50; n++ {
		name := fmt.Sprintf("c%02d", n)
		switch n % 5 {
		case 0, 1:
			columns = append(columns, column{name, paimon.BigIntType(), bigint(n)})
		case 2:
			columns = append(columns, column{name, paimon.IntType(), integer(n)})
		case 3:
			columns = append(columns, column{name, paimon.DoubleType(), double(n)})
		case 4:
			columns = append(columns, column{name, paimon.StringType(), words(n, 2)})
		}
	}
	return columns
}

// texts has strings of one to twelve words.
func texts() []column {
	columns := []column{idColumn}
	for n := range int64(5) {
		columns = append(columns, column{"s" + strconv.FormatInt(n, 10), paimon.StringType(), words(n, 1+3*n)})
	}
	return columns
}

// nullable has columns every other value of which is null.
func nullable() []column {
	half := func(fill func(array.Builder, int64), n int64) func(array.Builder, int64) {
		return func(b array.Builder, id int64) {
			if mix(id*8+n)%2 == 0 {
				b.AppendNull()
			} else {
				fill(b, id)
			}
		}
	}
	return []column{
		idColumn,
		{"i", paimon.IntType(), half(integer(1), 1)},
		{"v", paimon.DoubleType(), half(double(2), 2)},
		{"s", paimon.StringType(), half(words(3, 2), 3)},
	}
}

func bigint(n int64) func(array.Builder, int64) {
	return func(b array.Builder, id int64) { b.(*array.Int64Builder).Append(int64(mix(id+n<<40) % 1_000_000)) }
}

func integer(n int64) func(array.Builder, int64) {
	return func(b array.Builder, id int64) { b.(*array.Int32Builder).Append(int32(mix(id + n<<40))) }
}

// double gives numbers from 0 to 1.
func double(n int64) func(array.Builder, int64) {
	return func(b array.Builder, id int64) { b.(*array.Float64Builder).Append(fraction(id + n<<40)) }
}

func fraction(id int64) float64 { return float64(mix(id)>>11) / (1 << 53) }

// words gives texts of some words, of which there are a hundred.
func words(n, most int64) func(array.Builder, int64) {
	var list [100]string
	for i := range list {
		list[i] = strings.Repeat(string(rune('a'+i%26)), 2+i%7) + strconv.Itoa(i) + " "
	}
	var text []byte
	return func(b array.Builder, id int64) {
		random := mix(id + n<<40)
		text = text[:0]
		for i := range 1 + int64(random>>60)%most {
			text = append(text, list[mix(id+i)%100]...)
		}
		b.(*array.StringBuilder).BinaryBuilder.Append(text)
	}
}

// mix is the finalizer of splitmix64: numbers that look random, the same in every language.
func mix(id int64) uint64 {
	z := uint64(id) * 0x9e3779b97f4a7c15
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

// record makes the rows with the ids from first up to but without end. The caller releases it.
func record(schema *arrow.Schema, columns []column, first, end int64) arrow.RecordBatch {
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	b.Reserve(int(end - first))
	for i, c := range columns {
		for id := first; id < end; id++ {
			c.fill(b.Field(i), id)
		}
	}
	return b.NewRecordBatch()
}

// narrowRecord is record for the columns of narrow, and takes no more memory than they need: builders take up to twice as much, which
// would go down to the account of who writes the record.
func narrowRecord(schema *arrow.Schema, first, end int64) arrow.RecordBatch {
	n := int(end - first)
	ids, fractions, offsets, texts := make([]int64, n), make([]float64, n), make([]int32, n+1), make([]byte, 0, 10*n)
	for i := range n {
		id := first + int64(i)
		text := digits(id)
		ids[i], fractions[i], texts = id, fraction(id), append(texts, text[:]...)
		offsets[i+1] = int32(len(texts))
	}
	var columns []arrow.Array
	for i, buffers := range [][][]byte{
		{arrow.Int64Traits.CastToBytes(ids)}, {arrow.Float64Traits.CastToBytes(fractions)}, {arrow.Int32Traits.CastToBytes(offsets), texts},
	} {
		all := []*memory.Buffer{nil} // no nulls
		for _, buffer := range buffers {
			all = append(all, memory.NewBufferBytes(buffer))
		}
		data := array.NewData(schema.Field(i).Type, n, all, nil, 0, 0)
		defer data.Release()
		columns = append(columns, array.MakeFromData(data))
		defer columns[i].Release()
	}
	return array.NewRecordBatch(schema, columns, int64(n))
}

// create makes an empty table.
func create(catalog *paimon.Catalog, d dataset) error {
	schema := &paimon.Schema{Options: d.options}
	for _, c := range d.columns {
		schema.Fields = append(schema.Fields, paimon.DataField{Name: c.name, Type: c.kind})
	}
	if d.key {
		schema.PrimaryKeys = []string{"id"}
	}
	if err := catalog.CreateDatabase(database, nil, true); err != nil {
		return err
	}
	return catalog.CreateTable(paimon.NewIdentifier(database, d.name), schema, false)
}

// fill makes a table, and writes its rows.
func fill(catalog *paimon.Catalog, d dataset) (err error) {
	if err := create(catalog, d); err != nil {
		return err
	}
	table, err := catalog.GetTable(paimon.NewIdentifier(database, d.name))
	if err != nil {
		return err
	}
	defer table.Close()
	schema, err := table.ArrowSchema()
	if err != nil {
		return err
	}
	part := max(1, d.rows/d.commits)
	for first := int64(0); first < d.rows; first += part {
		err = errors.Join(err, fillOnce(table, schema, d, first, min(d.rows, first+part)))
	}
	if d.key { // twice a fifth of the rows anew
		for n := range int64(2) {
			err = errors.Join(err, fillOnce(table, schema, d, n*d.rows/5, n*d.rows/5+d.rows/5))
		}
	}
	return err
}

// fillOnce makes a commit of rows.
func fillOnce(table *paimon.Table, schema *arrow.Schema, d dataset, first, end int64) error {
	builder, err := table.NewWriteBuilder()
	if err != nil {
		return err
	}
	defer builder.Close()
	write, err := builder.NewWrite()
	if err != nil {
		return err
	}
	defer write.Close()
	const size = 1 << 17
	for ; first < end; first += size {
		batch := record(schema, d.columns, first, min(end, first+size))
		err := write.WriteArrowBatch(batch)
		batch.Release()
		if err != nil {
			return err
		}
	}
	messages, err := write.PrepareCommit()
	if err != nil {
		return err
	}
	defer messages.Close()
	commit, err := builder.NewCommit()
	if err != nil {
		return err
	}
	defer commit.Close()
	return commit.Commit(messages)
}
