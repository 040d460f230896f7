// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"

	paimon "github.com/apache/paimon-rust/bindings/go"
)

// A row holds the values of one row, or of a ROW, as Go values: nil for null, bool, int8 to int64, float32, float64, string, []byte;
// the text of the row format for DECIMAL, DATE, TIME and timestamps; []any for ARRAY, []pair for MAP, row for ROW. A literal that
// does not fit its column is a mistake in tables.go and panics.
//
// A table with a primary key takes rows with one more value, the int8 of _VALUE_KIND.
type row []any

// A pair is an entry of a MAP.
type pair struct{ key, value any }

const (
	timeLayout      = "15:04:05.000"
	timestampLayout = "2006-01-02T15:04:05.000000000"
)

// record builds a record batch.
func record(columns *arrow.Schema, rows []row) arrow.RecordBatch {
	if len(rows[0]) > columns.NumFields() {
		columns = arrow.NewSchema(append(columns.Fields(), arrow.Field{Name: "_VALUE_KIND", Type: arrow.PrimitiveTypes.Int8}), nil)
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, columns)
	defer b.Release()
	for _, r := range rows {
		if len(r) != len(b.Fields()) {
			panic(fmt.Sprintf("%d values for %d columns: %v", len(r), len(b.Fields()), r))
		}
		for i, v := range r {
			appendValue(b.Field(i), v)
		}
	}
	return b.NewRecordBatch()
}

func appendValue(b array.Builder, v any) {
	if v == nil {
		b.AppendNull()
		return
	}
	switch b := b.(type) {
	case *array.BooleanBuilder:
		b.Append(v.(bool))
	case *array.Int8Builder:
		b.Append(v.(int8))
	case *array.Int16Builder:
		b.Append(v.(int16))
	case *array.Int32Builder:
		b.Append(v.(int32))
	case *array.Int64Builder:
		b.Append(v.(int64))
	case *array.Float32Builder:
		b.Append(v.(float32))
	case *array.Float64Builder:
		b.Append(v.(float64))
	case *array.Decimal128Builder:
		unscaled, ok := new(big.Int).SetString(strings.Replace(v.(string), ".", "", 1), 10)
		if !ok {
			panic("not a decimal: " + v.(string))
		}
		b.Append(decimal128.FromBigInt(unscaled))
	case *array.StringBuilder:
		b.Append(v.(string))
	case *array.BinaryBuilder:
		b.Append(v.([]byte))
	case *array.Date32Builder:
		b.Append(arrow.Date32FromTime(parse(time.DateOnly, v)))
	case *array.Time32Builder:
		b.Append(arrow.Time32(parse(timeLayout, v).Sub(parse(timeLayout, "00:00:00.000")).Milliseconds()))
	case *array.TimestampBuilder:
		ticks, err := arrow.TimestampFromTime(parse(timestampLayout, v), b.Type().(*arrow.TimestampType).Unit)
		if err != nil {
			panic(err)
		}
		b.Append(ticks)
	case *array.ListBuilder:
		b.Append(true)
		for _, element := range v.([]any) {
			appendValue(b.ValueBuilder(), element)
		}
	case *array.MapBuilder:
		b.Append(true)
		for _, p := range v.([]pair) {
			appendValue(b.KeyBuilder(), p.key)
			appendValue(b.ItemBuilder(), p.value)
		}
	case *array.StructBuilder:
		b.Append(true)
		for i, field := range v.(row) {
			appendValue(b.FieldBuilder(i), field)
		}
	default:
		panic(fmt.Sprintf("no rule for %T", b))
	}
}

func parse(layout string, v any) time.Time {
	t, err := time.Parse(layout, v.(string))
	if err != nil {
		panic(err)
	}
	return t
}

// object spells a row, without _VALUE_KIND.
func object(fields []paimon.DataField, r row) string {
	members := make([]string, len(fields))
	for i, f := range fields {
		members[i] = text(f.Name) + ":" + spell(f.Type, r[i])
	}
	return "{" + strings.Join(members, ",") + "}"
}

func spell(t paimon.DataType, v any) string {
	var parts []string
	switch v := v.(type) {
	case float32:
		return number(float64(v), v)
	case float64:
		return number(v, v)
	case []any:
		for _, element := range v {
			parts = append(parts, spell(t.Fields()[0].Type, element))
		}
	case []pair:
		for _, p := range v {
			parts = append(parts, "["+spell(t.Fields()[0].Type, p.key)+","+spell(t.Fields()[1].Type, p.value)+"]")
		}
		slices.Sort(parts)
	case row:
		return object(t.Fields(), v)
	default:
		return text(v)
	}
	return "[" + strings.Join(parts, ",") + "]"
}

func number(f float64, v any) string {
	switch {
	case math.IsNaN(f):
		return `"NaN"`
	case math.IsInf(f, 1):
		return `"Infinity"`
	case math.IsInf(f, -1):
		return `"-Infinity"`
	}
	return text(v)
}

// text spells what encoding/json spells as the row format does.
func text(v any) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(out.String(), "\n")
}
