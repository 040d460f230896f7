// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

const (
	timeLayout      = "15:04:05.000"
	timestampLayout = "2006-01-02T15:04:05.000000000"
)

// Record builds a record from rows in the interop row format, which tests/interop/java/src/Dump.java defines.
func Record(allocator memory.Allocator, columns *arrow.Schema, rows []string) (arrow.RecordBatch, error) {
	b := array.NewRecordBuilder(allocator, columns)
	defer b.Release()
	for _, row := range rows {
		decoder := json.NewDecoder(strings.NewReader(row))
		decoder.UseNumber()
		var values map[string]any
		if err := decoder.Decode(&values); err != nil {
			return nil, fmt.Errorf("%s: %w", row, err)
		}
		for i, column := range columns.Fields() {
			if err := appendValue(b.Field(i), values[column.Name]); err != nil {
				return nil, fmt.Errorf("column %s: %v: %w", column.Name, values[column.Name], err)
			}
		}
	}
	return b.NewRecordBatch(), nil
}

func appendValue(b array.Builder, v any) error {
	if v == nil {
		b.AppendNull()
		return nil
	}
	var err error
	switch b := b.(type) {
	case *array.BooleanBuilder:
		b.Append(v.(bool))
	case *array.Float32Builder, *array.Float64Builder:
		return b.AppendValueFromString(strings.Replace(fmt.Sprint(v), "Infinity", "Inf", 1))
	case *array.Decimal128Builder:
		t := b.Type().(*arrow.Decimal128Type)
		var number decimal128.Num
		if number, err = decimal128.FromString(v.(string), t.Precision, t.Scale); err == nil {
			b.Append(number)
		}
	case *array.StringBuilder:
		b.Append(v.(string))
	case *array.BinaryBuilder:
		return appendBytes(b.Append, v)
	case *array.Date32Builder:
		var day time.Time
		if day, err = time.Parse(time.DateOnly, v.(string)); err == nil {
			b.Append(arrow.Date32FromTime(day))
		}
	case *array.Time32Builder:
		var at time.Time
		if at, err = time.Parse(timeLayout, v.(string)); err == nil {
			b.Append(arrow.Time32(at.Sub(at.Truncate(24 * time.Hour)).Milliseconds()))
		}
	case *array.TimestampBuilder:
		var at time.Time
		if at, err = time.Parse(timestampLayout, v.(string)); err == nil {
			var ticks arrow.Timestamp
			if ticks, err = arrow.TimestampFromTime(at, b.Type().(*arrow.TimestampType).Unit); err == nil {
				b.Append(ticks)
			}
		}
	case *array.MapBuilder:
		b.Append(true)
		for _, entry := range v.([]any) {
			pair := entry.([]any)
			if err = appendValue(b.KeyBuilder(), pair[0]); err == nil {
				err = appendValue(b.ItemBuilder(), pair[1])
			}
			if err != nil {
				return err
			}
		}
	case *array.ListBuilder:
		b.Append(true)
		return appendAll(b.ValueBuilder(), v)
	case *array.FixedSizeListBuilder:
		b.Append(true)
		return appendAll(b.ValueBuilder(), v)
	case *array.StructBuilder:
		b.Append(true)
		for i, field := range b.Type().(*arrow.StructType).Fields() {
			if err = appendValue(b.FieldBuilder(i), v.(map[string]any)[field.Name]); err != nil {
				return err
			}
		}
	default: // integers
		return b.AppendValueFromString(string(v.(json.Number)))
	}
	return err
}

func appendAll(b array.Builder, v any) error {
	for _, element := range v.([]any) {
		if err := appendValue(b, element); err != nil {
			return err
		}
	}
	return nil
}

func appendBytes(add func([]byte), v any) error {
	raw, err := base64.StdEncoding.DecodeString(v.(string))
	if err == nil {
		add(raw)
	}
	return err
}

// Rows spells the rows of a record in the interop row format.
func Rows(record arrow.RecordBatch) []string {
	rows := make([]string, record.NumRows())
	for i := range rows {
		rows[i] = Row(record.Schema().Fields(), record.Columns(), i)
	}
	return rows
}

// Row spells one row of columns in the interop row format.
func Row(fields []arrow.Field, columns []arrow.Array, i int) string {
	members := make([]string, len(fields))
	for k, field := range fields {
		members[k] = quote(field.Name) + ":" + spell(columns[k], i)
	}
	return "{" + strings.Join(members, ",") + "}"
}

func spell(a arrow.Array, i int) string {
	if a.IsNull(i) {
		return "null"
	}
	switch a := a.(type) {
	case *array.Boolean:
		return strconv.FormatBool(a.Value(i))
	case *array.Int8, *array.Int16, *array.Int32, *array.Int64:
		return a.ValueStr(i)
	case *array.Float32:
		return number(float64(a.Value(i)), a.Value(i))
	case *array.Float64:
		return number(a.Value(i), a.Value(i))
	case *array.Decimal128:
		return quote(a.Value(i).ToString(a.DataType().(*arrow.Decimal128Type).Scale))
	case *array.String:
		return quote(a.Value(i))
	case *array.Binary:
		return quote(base64.StdEncoding.EncodeToString(a.Value(i)))
	case *array.LargeBinary:
		return quote(base64.StdEncoding.EncodeToString(a.Value(i)))
	case *array.Date32:
		return quote(a.Value(i).ToTime().Format(time.DateOnly))
	case *array.Time32:
		return quote(a.Value(i).ToTime(a.DataType().(*arrow.Time32Type).Unit).Format(timeLayout))
	case *array.Timestamp:
		return quote(a.Value(i).ToTime(a.DataType().(*arrow.TimestampType).Unit).UTC().Format(timestampLayout))
	case *array.Map: // before ListLike, which it is too
		start, end := a.ValueOffsets(i)
		var entries []string
		for k := int(start); k < int(end); k++ {
			entries = append(entries, "["+spell(a.Keys(), k)+","+spell(a.Items(), k)+"]")
		}
		slices.Sort(entries)
		return "[" + strings.Join(entries, ",") + "]"
	case array.ListLike:
		start, end := a.ValueOffsets(i)
		var elements []string
		for k := int(start); k < int(end); k++ {
			elements = append(elements, spell(a.ListValues(), k))
		}
		return "[" + strings.Join(elements, ",") + "]"
	case *array.Struct:
		columns := make([]arrow.Array, a.NumField())
		for k := range columns {
			columns[k] = a.Field(k)
		}
		return Row(a.DataType().(*arrow.StructType).Fields(), columns, i)
	default:
		panic(fmt.Sprintf("no row format for %v", a.DataType()))
	}
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
	return quote(v)
}

// quote spells what encoding/json spells as the row format does.
func quote(v any) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(out.String(), "\n")
}
