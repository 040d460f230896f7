// SPDX-License-Identifier: Apache-2.0

// Package matrix has a column of every Paimon type, with its extreme values, and what each file format makes of it.
package matrix

import (
	"fmt"
	"slices"
	"strings"

	paimon "github.com/apache/paimon-rust/bindings/go"
)

// A Column is a type with values of it, in the interop row format.
type Column struct {
	Type   paimon.DataType
	Values []string
}

// Name is a column name made of the type.
func (c Column) Name() string {
	return strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		}
		return '_'
	}, strings.ReplaceAll(c.Type.String(), " WITH LOCAL TIME ZONE", "_ltz")), "_")
}

func field(name string, t paimon.DataType) paimon.DataField {
	return paimon.DataField{Name: name, Type: t}
}

func quoted(values ...string) []string {
	for i := range values {
		values[i] = quote(values[i])
	}
	return values
}

// timestamps gives moments with so many digits after the second.
func timestamps(digits int) []string {
	var values []string
	for _, second := range []string{"0001-01-01T00:00:00", "1969-12-31T23:59:59", "1970-01-01T00:00:00", "2024-02-29T12:34:56", "9999-12-31T23:59:59"} {
		if digits == 9 { // what an int64 of nanoseconds can say
			second = strings.NewReplacer("0001", "1678", "9999", "2261").Replace(second)
		}
		fraction := strings.Repeat("9", digits) + strings.Repeat("0", 9-digits)
		if strings.HasPrefix(second, "2024") {
			fraction = "123456789"[:digits] + strings.Repeat("0", 9-digits)
		}
		values = append(values, second+"."+fraction)
	}
	return append(quoted(values...), `"1970-01-01T00:00:00.000000000"`)
}

var (
	str = paimon.StringType()
	// OneOfEach has every type.
	OneOfEach = []Column{
		{paimon.BooleanType(), []string{"true", "false"}},
		{paimon.TinyIntType(), []string{"-128", "127", "0"}},
		{paimon.SmallIntType(), []string{"-32768", "32767", "0"}},
		{paimon.IntType(), []string{"-2147483648", "2147483647", "0"}},
		{paimon.BigIntType(), []string{"-9223372036854775808", "9223372036854775807", "0"}},
		{paimon.FloatType(), []string{"3.4028235e+38", "-3.4028235e+38", "1e-45", "-0", "1.5", `"NaN"`, `"Infinity"`, `"-Infinity"`}},
		{paimon.DoubleType(), []string{"1.7976931348623157e+308", "-1.7976931348623157e+308", "5e-324", "-0", "0.1", `"NaN"`, `"Infinity"`, `"-Infinity"`}},
		{paimon.DecimalType(1, 0), quoted("9", "-9", "0")},
		{paimon.DecimalType(9, 2), quoted("9999999.99", "-9999999.99", "0.00", "-0.01")},
		{paimon.DecimalType(18, 6), quoted("999999999999.999999", "-999999999999.999999", "0.000001")},
		{paimon.DecimalType(38, 10), quoted(strings.Repeat("9", 28)+".9999999999", "-"+strings.Repeat("9", 28)+".9999999999", "-0.0000000001")},
		{paimon.CharType(5), quoted("abcde", "äö本🙂!")},
		{paimon.VarCharType(5), quoted("abcde", "äö本🙂!", "", "a ")},
		{str, quoted("", "a", "quote \" slash \\ tab \t \u0000 \u0001 \u2028 🙂", strings.Repeat("long ", 100))},
		{paimon.BinaryType(3), quoted("AAEC", "////")},
		{paimon.VarBinaryType(3), quoted("", "AAEC", "/w==")},
		{paimon.BytesType(), quoted("", "AA==", "AP8A/w==")},
		{paimon.DateType(), quoted("0001-01-01", "1969-12-31", "1970-01-01", "2024-02-29", "9999-12-31")},
		{paimon.TimeType(0), quoted("00:00:00.000", "23:59:59.000")},
		{paimon.TimeType(3), quoted("00:00:00.000", "23:59:59.999", "12:34:56.789")},
		{paimon.TimeType(6), quoted("00:00:00.000", "23:59:59.999", "00:00:00.001")},
		{paimon.TimestampType(0), timestamps(0)},
		{paimon.TimestampType(3), timestamps(3)},
		{paimon.TimestampType(6), timestamps(6)},
		{paimon.TimestampType(9), timestamps(9)},
		{paimon.LocalZonedTimestampType(0), timestamps(0)},
		{paimon.LocalZonedTimestampType(3), timestamps(3)},
		{paimon.LocalZonedTimestampType(6), timestamps(6)},
		{paimon.LocalZonedTimestampType(9), timestamps(9)},
		{paimon.ArrayType(paimon.IntType()), []string{"[]", "[1,null,-2147483648]", "[null]"}},
		{paimon.ArrayType(str.NotNull()), []string{"[]", `["","ä"]`}},
		{paimon.MapType(str, paimon.IntType()), []string{"[]", `[["",0],["ä",null]]`, `[["a",1]]`}},
		{paimon.MapType(paimon.IntType(), str), []string{"[]", `[[-1,""],[2147483647,null]]`}},
		{paimon.MultisetType(str), []string{"[]", `[["a",2],["b",1]]`}},
		{paimon.RowType(field("x", paimon.IntType()), field("y", str)), []string{`{"x":1,"y":"a"}`, `{"x":null,"y":null}`}},
		{paimon.VariantType(), []string{`{"value":"DAE=","metadata":"AQAA"}`}},
		{paimon.BlobType(), quoted("AAEC", "", "/w==")},
		{paimon.VectorType(paimon.FloatType(), 3), []string{"[1.5,-0,3.4028235e+38]", "[0,1,1e-45]"}},
		{paimon.ArrayType(paimon.RowType(
			field("m", paimon.MapType(str, paimon.ArrayType(paimon.BigIntType()))),
			field("d", paimon.DecimalType(20, 2)), field("t", paimon.TimestampType(3)),
		)), []string{
			"[]", `[{"m":[],"d":null,"t":null},null]`,
			`[{"m":[["a",[1,null]],["b",null],["c",[]]],"d":"-123456789012345678.90","t":"1969-12-30T00:00:00.999000000"},{"m":null,"d":"0.00","t":null}]`,
		}},
		{
			paimon.MapType(str, paimon.RowType(field("a", paimon.ArrayType(paimon.ArrayType(paimon.DateType()))), field("b", paimon.BytesType()))),
			[]string{`[["k",{"a":[["2024-02-29",null],null,[]],"b":"AP8="}],["m",{"a":null,"b":null}]]`},
		},
	}
)

// Schema makes a table of these columns behind an id.
func Schema(columns []Column, format string, keyed bool) *paimon.Schema {
	s := &paimon.Schema{Fields: []paimon.DataField{field("id", paimon.IntType().NotNull())}, Options: map[string]string{"file.format": format}}
	for _, c := range columns {
		s.Fields = append(s.Fields, field(c.Name(), c.Type))
	}
	if keyed {
		s.PrimaryKeys, s.Options["bucket"] = []string{"id"}, "1"
	}
	if format == "orc" {
		s.Options["file.compression"] = "none"
	}
	for _, c := range columns {
		if c.Type.Kind() == paimon.KindBlob && !keyed {
			s.Options["row-tracking.enabled"], s.Options["data-evolution.enabled"] = "true", "true"
		}
	}
	return s
}

// Formats are those that this package and Paimon Java have in common.
var Formats = []string{"parquet", "orc", "avro"}

// Refused says why there can be no table of a column in a format, as a word of the error, and "" if there can.
func Refused(c Column, format string) string {
	kind, fine := c.Type.Kind(), c.Type.Precision() > 6
	switch kind {
	case paimon.KindTimestamp, paimon.KindLocalZonedTimestamp:
		if fine && format != "orc" {
			return "precision of 6"
		}
	}
	switch {
	case format == "orc" && !slices.Contains(orcKinds, kind):
		return "'file.format' = 'parquet'"
	case format == "avro" && kind == paimon.KindTime && c.Type.Precision() > 3:
		return "TIME(3)"
	case format == "avro" && kind == paimon.KindVariant:
		return "'file.format' = 'parquet'"
	}
	return ""
}

var orcKinds = []paimon.TypeKind{
	paimon.KindBoolean, paimon.KindTinyInt, paimon.KindSmallInt, paimon.KindInt, paimon.KindBigInt, paimon.KindFloat, paimon.KindDouble,
	paimon.KindChar, paimon.KindVarChar, paimon.KindBinary, paimon.KindVarBinary, paimon.KindBlob,
}

// JavaCannot says why Paimon Java 1.4.2 does not read a column that this package has written, and "" if it does.
func JavaCannot(c Column, format string, keyed bool) string {
	switch {
	case c.Type.Kind() == paimon.KindVector && format == "parquet":
		return "Java has no VECTOR in Parquet"
	case c.Type.Kind() == paimon.KindBlob && keyed:
		return "Java has no BLOB in tables with a primary key"
	}
	return ""
}

// JavaWrites says whether Paimon Java 1.4.2 writes a column that we read. Its Avro files of tables with BLOBs the engine does not read.
func JavaWrites(c Column, format string, keyed bool) bool {
	switch c.Type.Kind() {
	case paimon.KindBlob:
		return !keyed && format != "avro"
	case paimon.KindVector:
		return format == "avro"
	case paimon.KindVariant:
		return format == "parquet"
	case paimon.KindTimestamp, paimon.KindLocalZonedTimestamp:
		return format != "avro" || c.Type.Precision() <= 6
	case paimon.KindTime:
		return format != "avro" || c.Type.Precision() <= 3
	}
	return true
}

// A Table is made of the columns that one format can hold together.
type Table struct {
	Name    string
	Schema  *paimon.Schema
	Columns []Column
}

// Blobs is a table whose files Paimon Java writes in a layout that is refused.
var Blobs = func() Table {
	i := slices.IndexFunc(OneOfEach, func(c Column) bool { return c.Type.Kind() == paimon.KindBlob })
	columns := OneOfEach[i : i+1]
	schema := Schema(columns, "avro", false)
	schema.Fields[0].Type = paimon.IntType() // else the engine finds a null that cannot be
	return Table{"blobs_avro", schema, columns}
}()

// Tables gives a table for each format, without and with a primary key, of the columns that keep.
func Tables(keep func(c Column, format string, keyed bool) bool) []Table {
	var tables []Table
	for _, format := range Formats {
		for _, keyed := range []bool{false, true} {
			var columns []Column
			for _, c := range OneOfEach {
				if !keep(c, format, keyed) {
					continue
				}
				if format == "orc" {
					// Java's writer moves the last second before 1970 when it has a fraction, and the engine reads what 64 bits
					// of nanoseconds hold.
					c.Values = slices.DeleteFunc(slices.Clone(c.Values), func(v string) bool {
						return strings.HasPrefix(v, `"1969-12-31T23:59:59.9`) || strings.HasPrefix(v, `"0001-01-01T`) || strings.HasPrefix(v, `"9999-12-31T`)
					})
				}
				columns = append(columns, c)
			}
			name := "types_" + format
			if keyed {
				name += "_keyed"
			}
			tables = append(tables, Table{name, Schema(columns, format, keyed), columns})
		}
	}
	return tables
}

// RowsOf puts the values of the columns side by side: row i has the values i of all, and nulls where there are no more, so that the
// last row has nothing but nulls.
func RowsOf(columns []Column) []string {
	most := 0
	for _, c := range columns {
		most = max(most, len(c.Values))
	}
	rows := make([]string, most+1)
	for i := range rows {
		row := fmt.Sprintf(`{"id":%d`, i)
		for _, c := range columns {
			value := "null"
			if i < len(c.Values) {
				value = c.Values[i]
			}
			row += "," + quote(c.Name()) + ":" + value
		}
		rows[i] = row + "}"
	}
	return rows
}

// Markdown is the table of types and formats in docs/types.md.
func Markdown() string {
	var b strings.Builder
	b.WriteString("| Type | Parquet | ORC | Avro |\n| --- | --- | --- | --- |\n")
	for _, c := range OneOfEach {
		fmt.Fprintf(&b, "| `%s` |", strings.ReplaceAll(c.Type.String(), "`", ""))
		for _, format := range Formats {
			fmt.Fprintf(&b, " %s |", cell(c, format))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// cell says which directions there are, with the numbers of the notes in docs/types.md.
func cell(c Column, format string) string {
	kind, refused, javaWrites := c.Type.Kind(), Refused(c, format), JavaWrites(c, format, false)
	var says, note string
	switch {
	case refused != "" && javaWrites:
		says = "read only"
	case refused != "":
		says = "no"
	case JavaCannot(c, format, false) != "":
		says = "Go only"
	case !javaWrites:
		says = "written only"
	default:
		says = "ok"
	}
	switch {
	case kind == paimon.KindBlob && !javaWrites:
		note = " (4, 5)"
	case kind == paimon.KindBlob:
		note = " (4)"
	case !javaWrites:
		note = " (3)"
	case refused != "" && format == "orc":
		note = " (2)"
	case refused != "":
		note = " (1)"
	}
	return says + note
}
