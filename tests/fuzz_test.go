// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"

	paimon "github.com/apache/paimon-rust/bindings/go"
)

// The targets that `make fuzz` runs. In other tests their seeds are run: those added here, and those in testdata/fuzz.

// wantTold fails the test on an error that is not of this library, or tells of something that broke inside.
func wantTold(t testing.TB, err error) {
	t.Helper()
	var e *paimon.Error
	if err != nil && (!errors.As(err, &e) || e.Op() == "" || e.Code() == paimon.CodeUnexpected || strings.Contains(err.Error(), "internal error")) {
		t.Errorf("got %#v", err)
	}
}

// FuzzTypeJSON: what is read as a type, a schema or a field is written so that it is read as the same.
func FuzzTypeJSON(f *testing.F) {
	for _, seed := range []string{
		`"INT NOT NULL"`, `"VARCHAR(10)"`, `"DECIMAL(38, 10)"`, `"TIMESTAMP(3) WITH LOCAL TIME ZONE"`, `"BYTES"`, `{"type": "ARRAY NOT NULL", "element": "INT"}`,
		`{"type": "MAP", "key": "STRING NOT NULL", "value": {"type": "ROW", "fields": [{"id": 1, "name": "a", "type": "DATE", "description": "x"}]}}`,
		`{"type": "VECTOR", "element": "FLOAT", "length": 3}`, `{"type": "MULTISET", "element": "TIME(0)"}`, `"VARIANT"`, `"BLOB"`, `"DECIMAL(0, 99)"`,
		`"VARCHAR(99999999999999999999)"`, `{}`, `[]`, `null`, `"INT NOT NULL NOT NULL"`, `"int"`, `"ROW<a INT>"`, "\"\xff\"", `{"type":"ARRAY"}`,
		`{"fields": [{"id": 0, "name": "a", "type": "INT"}], "partitionKeys": ["a"], "primaryKeys": [], "options": {"k": "v"}, "comment": "c"}`,
		strings.Repeat(`{"type":"ARRAY","element":`, 200) + `"INT"` + strings.Repeat("}", 200),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, value := range []any{new(paimon.DataType), new(paimon.Schema), new(paimon.DataField)} {
			if json.Unmarshal(data, value) != nil {
				continue
			}
			written, err := json.Marshal(value)
			if err != nil {
				continue // a nil type within a schema
			}
			again := reflect.New(reflect.TypeOf(value).Elem()).Interface()
			if err := json.Unmarshal(written, again); err != nil {
				t.Fatalf("%s is written as %s: %v", data, written, err)
			}
			if twice, err := json.Marshal(again); err != nil || string(twice) != string(written) {
				t.Fatalf("%s is written as %s and then %s, %v", data, written, twice, err)
			}
			_ = fmt.Sprint(value)
		}
	})
}

// shared is what all runs of a target use, opened once.
type shared struct {
	once    sync.Once
	catalog *paimon.Catalog
	tables  []*paimon.Table
}

// open makes a warehouse with tables. Fuzzing ends without a word, so nothing is closed but at the end of other tests.
func (s *shared) open(f *testing.F, fill func(*paimon.Catalog) ([]*paimon.Table, error)) {
	f.Helper()
	s.once.Do(func() {
		folder, err := os.MkdirTemp("", "paimon-fuzz")
		if err != nil {
			f.Fatal(err)
		}
		s.catalog, err = paimon.NewCatalog(map[string]string{"warehouse": folder})
		if err == nil {
			err = s.catalog.CreateDatabase("db", nil, false)
		}
		if err == nil {
			s.tables, err = fill(s.catalog)
		}
		f.Cleanup(func() {
			for _, table := range s.tables {
				table.Close()
			}
			s.catalog.Close()
			os.RemoveAll(folder)
		})
		if err != nil {
			f.Fatal(err)
		}
	})
}

// allTypes has a column of each type that a file can have.
var allTypes = map[string]paimon.DataType{
	"bool": paimon.BooleanType(), "tinyint": paimon.TinyIntType(), "smallint": paimon.SmallIntType(), "int": paimon.IntType(),
	"bigint": paimon.BigIntType(), "float": paimon.FloatType(), "double": paimon.DoubleType(), "decimal": paimon.DecimalType(10, 2),
	"char": paimon.CharType(3), "string": paimon.StringType(), "binary": paimon.BinaryType(4), "bytes": paimon.BytesType(), "date": paimon.DateType(),
	"time": paimon.TimeType(3), "timestamp": paimon.TimestampType(6), "zoned": paimon.LocalZonedTimestampType(3),
	"list": paimon.ArrayType(paimon.IntType()), "map": paimon.MapType(paimon.StringType().NotNull(), paimon.IntType()),
	"row": paimon.RowType(paimon.DataField{ID: 100, Name: "a", Type: paimon.IntType()}, paimon.DataField{ID: 101, Name: "b", Type: paimon.StringType()}),
}

func createOfAllTypes(catalog *paimon.Catalog) ([]*paimon.Table, error) {
	var tables []*paimon.Table
	for name, dataType := range allTypes {
		id := paimon.NewIdentifier("db", name)
		if err := catalog.CreateTable(id, &paimon.Schema{Fields: []paimon.DataField{{Name: "c", Type: dataType}}}, false); err != nil {
			return tables, err
		}
		table, err := catalog.GetTable(id)
		if err != nil {
			return tables, err
		}
		tables = append(tables, table)
	}
	return tables, nil
}

// choices makes decisions of the fuzzer's bytes; zeros when they are used up.
type choices struct{ data []byte }

func (c *choices) byte() byte {
	if len(c.data) == 0 {
		return 0
	}
	b := c.data[0]
	c.data = c.data[1:]
	return b
}

func (c *choices) below(n int) int { return int(c.byte()) % n }

func (c *choices) bytes(n int) []byte {
	taken := make([]byte, n)
	c.data = c.data[copy(taken, c.data):]
	return taken
}

// number is small, or anything.
func (c *choices) number() int {
	switch b := c.byte(); {
	case b < 200:
		return int(b % 20)
	case b < 230:
		return int(int8(c.byte()))
	default:
		return []int{-1, math.MinInt64, math.MaxInt64, math.MaxInt32, math.MinInt32, 1 << 32, math.MaxInt64 - 8, 1 << 40}[c.below(8)]
	}
}

var primitives = []arrow.DataType{
	arrow.Null, arrow.FixedWidthTypes.Boolean, arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64,
	arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint64, arrow.FixedWidthTypes.Float16, arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64,
	arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView, arrow.BinaryTypes.Binary, arrow.BinaryTypes.LargeBinary,
	arrow.BinaryTypes.BinaryView, &arrow.FixedSizeBinaryType{ByteWidth: 4}, &arrow.FixedSizeBinaryType{}, &arrow.Decimal128Type{Precision: 10, Scale: 2},
	&arrow.Decimal256Type{Precision: 40, Scale: 3}, arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Date64, arrow.FixedWidthTypes.Time32ms,
	arrow.FixedWidthTypes.Time64ns, arrow.FixedWidthTypes.Timestamp_us, arrow.FixedWidthTypes.Timestamp_s, arrow.FixedWidthTypes.Duration_ms,
	arrow.FixedWidthTypes.MonthInterval, arrow.FixedWidthTypes.MonthDayNanoInterval,
}

// dataType chooses a type, not too deep.
func (c *choices) dataType(depth int) arrow.DataType {
	kind := c.below(20)
	if depth == 0 || kind < 10 {
		return primitives[c.below(len(primitives))]
	}
	inner := func() arrow.DataType { return c.dataType(depth - 1) }
	switch kind {
	case 10:
		return arrow.ListOf(inner())
	case 11:
		return arrow.LargeListOf(inner())
	case 12:
		return arrow.ListViewOf(inner())
	case 13:
		return arrow.LargeListViewOf(inner())
	case 14:
		return arrow.FixedSizeListOf(int32(1+c.below(3)), inner())
	case 15:
		return arrow.MapOf(primitives[c.below(len(primitives))], inner())
	case 16, 17:
		return arrow.StructOf(arrow.Field{Name: "a", Type: inner(), Nullable: true}, arrow.Field{Name: "b", Type: inner(), Nullable: c.byte() < 200})
	case 18:
		keys := []arrow.DataType{arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Uint64}
		return &arrow.DictionaryType{IndexType: keys[c.below(3)], ValueType: primitives[c.below(len(primitives))]}
	default:
		return arrow.RunEndEncodedOf([]arrow.DataType{arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64}[c.below(3)], inner())
	}
}

// data makes an array of a type, whose parts may not hold together.
func (c *choices) array(dataType arrow.DataType, rows int) arrow.ArrayData {
	wrong := func() bool { return c.byte() > 245 }
	length, offset := rows, 0
	if c.byte() > 220 {
		offset = c.below(5)
	}
	end := length + offset
	buffer := func(size int) *memory.Buffer {
		switch {
		case wrong():
			return nil
		case wrong():
			size = max(0, size+c.below(20)-10)
		}
		return memory.NewBufferBytes(c.bytes(size))
	}
	mask := func() *memory.Buffer {
		if c.byte() < 150 {
			return nil
		}
		return buffer((end + 7) / 8)
	}
	// Offsets that mostly go forwards.
	last := 0
	offsets := func(width int) *memory.Buffer {
		if wrong() {
			return buffer((end + 1) * width)
		}
		bytes, at := make([]byte, (end+1)*width), 0
		for i := range end + 1 {
			for j := range width {
				bytes[i*width+j] = byte(at >> (8 * j))
			}
			last = at
			if at += c.below(4); wrong() {
				at = c.number()
			}
		}
		return memory.NewBufferBytes(bytes)
	}
	few := func() int {
		if wrong() {
			return c.below(30)
		}
		return max(0, min(last, 100))
	}
	var buffers []*memory.Buffer
	var children []arrow.ArrayData
	var dictionary arrow.ArrayData
	switch of := dataType.(type) {
	case *arrow.NullType:
		buffers = []*memory.Buffer{nil}
	case *arrow.StringType, *arrow.BinaryType:
		buffers = []*memory.Buffer{mask(), offsets(4), nil}
		buffers[2] = buffer(few())
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		buffers = []*memory.Buffer{mask(), offsets(8), nil}
		buffers[2] = buffer(few())
	case *arrow.StringViewType, *arrow.BinaryViewType:
		buffers = []*memory.Buffer{mask(), buffer(16 * end)}
		for range c.below(3) {
			buffers = append(buffers, buffer(c.below(60)))
		}
	case *arrow.ListType:
		buffers = []*memory.Buffer{mask(), offsets(4)}
		children = []arrow.ArrayData{c.array(of.Elem(), few())}
	case *arrow.MapType:
		buffers = []*memory.Buffer{mask(), offsets(4)}
		children = []arrow.ArrayData{c.array(of.Elem(), few())}
	case *arrow.LargeListType:
		buffers = []*memory.Buffer{mask(), offsets(8)}
		children = []arrow.ArrayData{c.array(of.Elem(), few())}
	case *arrow.ListViewType:
		buffers = []*memory.Buffer{mask(), buffer(4 * end), buffer(4 * end)}
		children = []arrow.ArrayData{c.array(of.Elem(), c.below(20))}
	case *arrow.LargeListViewType:
		buffers = []*memory.Buffer{mask(), buffer(8 * end), buffer(8 * end)}
		children = []arrow.ArrayData{c.array(of.Elem(), c.below(20))}
	case *arrow.FixedSizeListType:
		last = end * int(of.Len())
		buffers = []*memory.Buffer{mask()}
		children = []arrow.ArrayData{c.array(of.Elem(), few())}
	case *arrow.StructType:
		buffers = []*memory.Buffer{mask()}
		for _, field := range of.Fields() {
			last = end
			children = append(children, c.array(field.Type, few()))
		}
	case *arrow.DictionaryType:
		buffers = []*memory.Buffer{mask(), buffer(of.IndexType.(arrow.FixedWidthDataType).BitWidth() / 8 * end)}
		if !wrong() {
			dictionary = c.array(of.ValueType, c.below(5))
		}
	case *arrow.RunEndEncodedType:
		last = c.below(5)
		buffers = []*memory.Buffer{nil}
		children = []arrow.ArrayData{c.array(of.RunEnds(), few()), c.array(of.Encoded(), few())}
	case arrow.FixedWidthDataType:
		buffers = []*memory.Buffer{mask(), buffer((of.BitWidth()*end + 7) / 8)}
	}
	if wrong() && len(buffers) > 0 {
		buffers = buffers[:len(buffers)-1]
	}
	if wrong() && len(children) > 0 {
		children = children[:len(children)-1]
	}
	if wrong() {
		length = c.number()
	}
	if wrong() {
		offset = c.number()
	}
	nulls := array.UnknownNullCount
	if wrong() {
		nulls = c.number()
	}
	if dictionary != nil {
		return array.NewDataWithDictionary(dataType, length, buffers, nulls, offset, dictionary.(*array.Data))
	}
	return array.NewData(dataType, length, buffers, children, nulls, offset)
}

// FuzzRecord: a record of arrays that do not hold together is refused, and one that does is written or refused. Nothing panics, and the
// writer can go on.
func FuzzRecord(f *testing.F) {
	for i := range byte(20) {
		f.Add(i, []byte{i * 13, i * 7, 200, i, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, i, i, i, i})
	}
	var s shared
	s.open(f, createOfAllTypes)
	f.Fuzz(func(t *testing.T, which byte, data []byte) {
		if len(data) > 4096 {
			return
		}
		c := &choices{data}
		table := s.tables[int(which)%len(s.tables)]
		batch := func() (batch arrow.RecordBatch) {
			defer func() {
				if recover() != nil {
					batch = nil // arrow-go refuses to make it
				}
			}()
			rows := c.below(6)
			schema, err := table.ArrowSchema()
			must(t, err)
			dataType := schema.Field(0).Type
			if c.byte() < 150 {
				dataType = c.dataType(3)
			}
			column := array.MakeFromData(c.array(dataType, rows))
			if c.byte() < 128 {
				rows = column.Len()
			}
			field := arrow.Field{Name: "c", Type: dataType, Nullable: c.byte() < 220}
			return array.NewRecordBatch(arrow.NewSchema([]arrow.Field{field}, nil), []arrow.Array{column}, int64(rows))
		}()
		if batch == nil {
			return
		}
		j := newJob(t, table, "", false)
		wantTold(t, j.write.WriteArrowBatch(batch))
		messages, err := j.write.PrepareCommit()
		wantTold(t, err)
		if err == nil {
			must(t, j.commit.Abort(messages))
			messages.Close()
		}
	})
}

// FuzzPredicate: any value compared with any column is a condition or is refused.
func FuzzPredicate(f *testing.F) {
	for i := range byte(30) {
		f.Add(i, i*3, int64(i)<<(2*i), float64(i)/3, "text\x00\xff"[:i%6], "a'b%_\\")
	}
	var s shared
	s.open(f, createOfAllTypes)
	f.Fuzz(func(t *testing.T, which, kind byte, number int64, float float64, text, other string) {
		table := s.tables[int(which)%len(s.tables)]
		values := []any{
			number, float, text, other, int8(number), int32(number), uint64(number), float32(float), number > 0, []byte(text), paimon.Bytes(text),
			paimon.Date(number), paimon.Time(number),
			paimon.Timestamp{Millis: number, Nanos: int32(len(text)) * int32(number)},
			paimon.LocalZonedTimestamp{Millis: number},
			time.Unix(number, number), time.UnixMilli(int64(float)).In(time.FixedZone(text, int(kind)*300)),
			decimal128.FromI64(number), nil,
			struct{}{},
			&number,
			[]int{1},
			paimon.NewDecimal(number, uint32(kind), uint32(which)),
		}
		value, second := values[int(kind)%len(values)], values[int(kind/7)%len(values)]
		column := "c"
		if kind > 250 {
			column = text
		}
		pb := table.PredicateBuilder()
		conditions := []func() (*paimon.Predicate, error){
			func() (*paimon.Predicate, error) { return pb.Eq(column, value) },
			func() (*paimon.Predicate, error) { return pb.NotEq(column, value) },
			func() (*paimon.Predicate, error) { return pb.Lt(column, value) },
			func() (*paimon.Predicate, error) { return pb.Ge(column, value) },
			func() (*paimon.Predicate, error) { return pb.In(column, value, second) },
			func() (*paimon.Predicate, error) { return pb.NotIn(column, second, value) },
			func() (*paimon.Predicate, error) { return pb.Between(column, value, second) },
			func() (*paimon.Predicate, error) { return pb.Like(column, text) },
			func() (*paimon.Predicate, error) { return pb.StartsWith(column, other) },
			func() (*paimon.Predicate, error) { return pb.IsNull(column) },
		}
		builder, err := table.NewReadBuilder()
		must(t, err)
		defer builder.Close()
		for _, condition := range conditions {
			predicate, err := condition()
			wantTold(t, err)
			if err != nil {
				continue
			}
			_ = fmt.Sprint(predicate)
			wantTold(t, builder.WithFilter(predicate))
		}
	})
}

// FuzzNames: any text as a name, an option or a value is taken or refused, and nothing appears beside the warehouse.
func FuzzNames(f *testing.F) {
	for i, trick := range (&fence{outside: "/outside"}).tricks() {
		f.Add(trick, "t", "k", trick)
		f.Add("db", trick, "file.format", "v")
		f.Add("db", "t", trick, []string{"bucket", "1", "-1", ""}[i%4])
	}
	f.Fuzz(func(t *testing.T, database, object, key, value string) {
		for _, word := range []string{"warehouse", "metastore", "uri", "endpoint", "external"} { // no other places, and no servers
			if strings.Contains(strings.ToLower(key), word) {
				return
			}
		}
		folder := t.TempDir()
		catalog, err := paimon.NewCatalog(map[string]string{"warehouse": folder + "/in/warehouse", key: value})
		wantTold(t, err)
		if err != nil {
			return
		}
		defer catalog.Close()
		id := paimon.NewIdentifier(database, object)
		wantTold(t, catalog.CreateDatabase(database, map[string]string{key: value}, true))
		schema := &paimon.Schema{Fields: []paimon.DataField{{Name: "c", Type: paimon.IntType()}}, Options: map[string]string{key: value}}
		err = catalog.CreateTable(id, schema, false)
		wantTold(t, err)
		wantTold(t, catalog.CreateTag(id, key, nil, true))
		wantTold(t, catalog.CreateBranch(id, value, ""))
		wantTold(t, catalog.AlterTable(id, []paimon.SchemaChange{paimon.SetOption(key, value), paimon.RenameColumn("c", value)}, true))
		wantTold(t, readWith(catalog, id, map[string]string{key: value}))
		for _, place := range []string{folder, folder + "/in"} {
			if entries, err := os.ReadDir(place); err == nil && len(entries) > 1 {
				t.Errorf("%q appeared", entries)
			}
		}
	})
}
