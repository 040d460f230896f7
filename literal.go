// SPDX-License-Identifier: Apache-2.0

package paimon

import (
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/decimal256"
)

// Literals of the types that Go has no type of its own for.
type (
	// Date is a DATE: days since 1970-01-01.
	Date int32
	// Time is a TIME: milliseconds of the day.
	Time int32
	// Bytes is a BINARY or VARBINARY; []byte is as good.
	Bytes []byte
	// Timestamp is a TIMESTAMP: milliseconds since 1970-01-01 00:00 of the wall clock, and nanoseconds (0 to 999999) within the
	// millisecond.
	Timestamp struct {
		Millis int64
		Nanos  int32
	}
	// LocalZonedTimestamp is a TIMESTAMP_LTZ: milliseconds since the epoch, and nanoseconds (0 to 999999) within the millisecond.
	LocalZonedTimestamp struct {
		Millis int64
		Nanos  int32
	}
	// Decimal is a DECIMAL: an unscaled 128-bit integer, Hi being its upper half, of at most Precision digits, Scale of them after
	// the point. Decimals compare by value: 1.5 equals 1.50.
	Decimal struct {
		Lo, Hi           int64
		Precision, Scale uint32
	}
)

// NewDecimal gives the decimal of an unscaled value: NewDecimal(150, 5, 2) is 1.50.
func NewDecimal(unscaled int64, precision, scale uint32) Decimal {
	return Decimal{Lo: unscaled, Hi: unscaled >> 63, Precision: precision, Scale: scale}
}

func (d Decimal) num() decimal128.Num { return decimal128.New(d.Hi, uint64(d.Lo)) }

// A Datum is a literal with its Paimon type. Plain Go values do as well: see [PredicateBuilder].
type Datum struct{ value any }

// BoolDatum is a BOOLEAN.
func BoolDatum(value bool) Datum { return Datum{value} }

// TinyIntDatum is a TINYINT.
func TinyIntDatum(value int8) Datum { return Datum{value} }

// SmallIntDatum is a SMALLINT.
func SmallIntDatum(value int16) Datum { return Datum{value} }

// IntDatum is an INT.
func IntDatum(value int32) Datum { return Datum{value} }

// LongDatum is a BIGINT.
func LongDatum(value int64) Datum { return Datum{value} }

// FloatDatum is a FLOAT.
func FloatDatum(value float32) Datum { return Datum{value} }

// DoubleDatum is a DOUBLE.
func DoubleDatum(value float64) Datum { return Datum{value} }

// StringDatum is a STRING.
func StringDatum(value string) Datum { return Datum{value} }

// A literal is a value of a column's type, in the form in which it crosses to the native library.
type literal struct {
	tag              int32
	num, high        int64 // an integer; a decimal's lower and upper half; milliseconds and nanoseconds
	float            float64
	text             string
	precision, scale uint32
}

// The tags of literals in the C ABI.
const (
	tagBool int32 = iota
	tagTinyInt
	tagSmallInt
	tagInt
	tagBigInt
	tagFloat
	tagDouble
	tagString
	tagDate
	tagTime
	tagTimestamp
	tagLocalZonedTimestamp
	tagDecimal
	tagBytes
)

// goTypes says for each type of column which literals it takes. Types that are missing here cannot be compared.
var goTypes = map[TypeKind]string{
	KindBoolean:             "a bool",
	KindTinyInt:             "an integer from -128 to 127",
	KindSmallInt:            "an integer from -32768 to 32767",
	KindInt:                 "an integer from -2147483648 to 2147483647",
	KindBigInt:              "an integer from -9223372036854775808 to 9223372036854775807",
	KindFloat:               "a float32, or a number that a float32 holds exactly",
	KindDouble:              "a float64, or a number that a float64 holds exactly",
	KindDecimal:             "a paimon.Decimal, an integer, or a decimal128.Num in the column's scale",
	KindChar:                "a string of valid UTF-8",
	KindVarChar:             "a string of valid UTF-8",
	KindBinary:              "a []byte or paimon.Bytes",
	KindVarBinary:           "a []byte or paimon.Bytes",
	KindDate:                "a paimon.Date, or a time.Time at midnight",
	KindTime:                "a paimon.Time from 0 to 86399999",
	KindTimestamp:           "a paimon.Timestamp with 0 to 999999 nanoseconds, or a time.Time",
	KindLocalZonedTimestamp: "a paimon.LocalZonedTimestamp with 0 to 999999 nanoseconds, or a time.Time",
}

// convert makes a literal for a column, or says what is wrong.
func convert(value any, target DataType) (literal, string) {
	if d, ok := value.(Datum); ok {
		value = d.value
	}
	if value == nil {
		return literal{}, "nil is no value, and comparisons with NULL are never true (see IsNull)"
	}
	wrongType := func() (literal, string) {
		problem := fmt.Sprintf("a value of Go type %T cannot be compared with it", value)
		if reflect.TypeOf(value).Kind() == reflect.Slice && target.kind != KindBinary && target.kind != KindVarBinary {
			problem += " (give several values one by one)"
		}
		return literal{}, problem
	}
	lossy := func() (literal, string) {
		return literal{}, fmt.Sprintf("%v (Go type %T) is not a value that it can hold", value, value)
	}
	integer, isInteger := integerOf(value)
	switch target.kind {
	case KindBoolean:
		if v, ok := value.(bool); ok {
			l := literal{tag: tagBool}
			if v {
				l.num = 1
			}
			return l, ""
		}
	case KindTinyInt, KindSmallInt, KindInt, KindBigInt:
		if !isInteger {
			break
		}
		width := map[TypeKind]struct {
			tag  int32
			bits int
		}{KindTinyInt: {tagTinyInt, 8}, KindSmallInt: {tagSmallInt, 16}, KindInt: {tagInt, 32}, KindBigInt: {tagBigInt, 64}}[target.kind]
		if limit := new(big.Int).Lsh(big.NewInt(1), uint(width.bits-1)); integer.Cmp(limit) >= 0 || integer.Cmp(limit.Neg(limit)) < 0 {
			return lossy()
		}
		return literal{tag: width.tag, num: integer.Int64()}, ""
	case KindFloat, KindDouble:
		var number float64
		switch v := value.(type) {
		case float32:
			number = float64(v)
		case float64:
			number = v
		default:
			if !isInteger {
				return wrongType()
			}
			var accuracy big.Accuracy
			if number, accuracy = new(big.Float).SetInt(integer).Float64(); accuracy != big.Exact {
				return lossy()
			}
		}
		if target.kind == KindDouble {
			return literal{tag: tagDouble, float: number}, ""
		}
		if float64(float32(number)) != number && !math.IsNaN(number) {
			return lossy()
		}
		return literal{tag: tagFloat, float: number}, ""
	case KindDecimal:
		return decimalLiteral(value, integer, target, wrongType, lossy)
	case KindChar, KindVarChar:
		if v, ok := value.(string); ok {
			if !utf8.ValidString(v) {
				return literal{}, fmt.Sprintf("%q is not valid UTF-8", v)
			}
			return literal{tag: tagString, text: v}, ""
		}
	case KindBinary, KindVarBinary:
		switch v := value.(type) {
		case []byte:
			return literal{tag: tagBytes, text: string(v)}, ""
		case Bytes:
			return literal{tag: tagBytes, text: string(v)}, ""
		}
	case KindDate:
		switch v := value.(type) {
		case Date:
			return literal{tag: tagDate, num: int64(v)}, ""
		case time.Time:
			wall := wallClock(v)
			days := wall.Unix() / 86400
			if wall.Nanosecond() != 0 || wall.Unix()%86400 != 0 || int64(int32(days)) != days {
				return lossy()
			}
			return literal{tag: tagDate, num: days}, ""
		}
	case KindTime:
		if v, ok := value.(Time); ok {
			if v < 0 || v >= 86_400_000 {
				return lossy()
			}
			return literal{tag: tagTime, num: int64(v)}, ""
		}
	case KindTimestamp:
		switch v := value.(type) {
		case Timestamp:
			return instant(tagTimestamp, v.Millis, int64(v.Nanos), lossy)
		case time.Time:
			wall := wallClock(v)
			if !time.UnixMilli(wall.UnixMilli()).Equal(wall.Truncate(time.Millisecond)) {
				return lossy() // further away than milliseconds count
			}
			return instant(tagTimestamp, wall.UnixMilli(), int64(wall.Nanosecond()%1_000_000), lossy)
		}
	case KindLocalZonedTimestamp:
		switch v := value.(type) {
		case LocalZonedTimestamp:
			return instant(tagLocalZonedTimestamp, v.Millis, int64(v.Nanos), lossy)
		case time.Time:
			if !time.UnixMilli(v.UnixMilli()).Equal(v.Truncate(time.Millisecond)) {
				return lossy()
			}
			return instant(tagLocalZonedTimestamp, v.UnixMilli(), int64(v.Nanosecond()%1_000_000), lossy)
		}
	}
	return wrongType()
}

func instant(tag int32, millis, nanos int64, lossy func() (literal, string)) (literal, string) {
	if nanos < 0 || nanos > 999_999 {
		return lossy()
	}
	return literal{tag: tag, num: millis, high: nanos}, ""
}

// wallClock is the time in UTC that shows what t shows in its own zone.
func wallClock(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

func decimalLiteral(value any, integer *big.Int, target DataType, wrongType, lossy func() (literal, string)) (literal, string) {
	precision, scale := uint32(38), uint32(0)
	switch v := value.(type) {
	case Decimal:
		integer, precision, scale = v.num().BigInt(), v.Precision, v.Scale
		if precision < 1 || precision > 38 || scale > precision {
			return literal{}, fmt.Sprintf("a decimal of precision %d and scale %d is none; want 1 to 38, and a scale within", precision, scale)
		}
	case decimal128.Num:
		integer, scale = v.BigInt(), uint32(target.scale)
	case decimal256.Num:
		integer, scale = v.BigInt(), uint32(target.scale)
	}
	if integer == nil {
		return wrongType()
	}
	if limit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(precision)), nil); integer.CmpAbs(limit) >= 0 {
		return lossy()
	}
	num := decimal128.FromBigInt(integer)
	return literal{tag: tagDecimal, num: int64(num.LowBits()), high: num.HighBits(), precision: precision, scale: scale}, ""
}

func integerOf(value any) (*big.Int, bool) {
	switch v := value.(type) {
	case int:
		return big.NewInt(int64(v)), true
	case int8:
		return big.NewInt(int64(v)), true
	case int16:
		return big.NewInt(int64(v)), true
	case int32:
		return big.NewInt(int64(v)), true
	case int64:
		return big.NewInt(v), true
	case uint:
		return new(big.Int).SetUint64(uint64(v)), true
	case uint8:
		return big.NewInt(int64(v)), true
	case uint16:
		return big.NewInt(int64(v)), true
	case uint32:
		return big.NewInt(int64(v)), true
	case uint64:
		return new(big.Int).SetUint64(v), true
	default:
		return nil, false
	}
}

// String gives the literal as SQL.
func (l literal) String() string {
	switch l.tag {
	case tagBool:
		return strings.ToUpper(strconv.FormatBool(l.num != 0))
	case tagFloat:
		return strconv.FormatFloat(l.float, 'g', -1, 32)
	case tagDouble:
		return strconv.FormatFloat(l.float, 'g', -1, 64)
	case tagString:
		return "'" + strings.ReplaceAll(l.text, "'", "''") + "'"
	case tagBytes:
		return "X'" + strings.ToUpper(hex.EncodeToString([]byte(l.text))) + "'"
	case tagDate:
		return "DATE '" + time.Unix(l.num*86400, 0).UTC().Format(time.DateOnly) + "'"
	case tagTime:
		return "TIME '" + time.UnixMilli(l.num).UTC().Format("15:04:05.999") + "'"
	case tagTimestamp:
		return "TIMESTAMP '" + l.at().Format("2006-01-02 15:04:05.999999999") + "'"
	case tagLocalZonedTimestamp:
		return "TIMESTAMP_LTZ '" + l.at().Format("2006-01-02 15:04:05.999999999Z07:00") + "'"
	case tagDecimal:
		return decimal128.New(l.high, uint64(l.num)).ToString(int32(l.scale))
	default:
		return strconv.FormatInt(l.num, 10)
	}
}

func (l literal) at() time.Time { return time.UnixMilli(l.num).Add(time.Duration(l.high)).UTC() }
