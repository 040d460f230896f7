// SPDX-License-Identifier: Apache-2.0

package interop;

import static interop.Warehouse.array;
import static interop.Warehouse.map;
import static interop.Warehouse.row;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.List;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.data.variant.GenericVariant;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypes;

/** Writes the tables of {@link Provision} that have a column of every type. */
final class Types {
    private static final String BEFORE_1970 = "1969-12-31T23:59:59";

    private Types() {}

    static void write(Warehouse warehouse) throws Exception {
        for (String format : new String[] {"parquet", "orc", "avro"}) {
            for (boolean keyed : new boolean[] {false, true}) {
                Schema.Builder schema = schema(format);
                if (keyed) {
                    schema.primaryKey("id").option("bucket", "1");
                }
                String nanos = format.equals("avro") ? "" : "789";
                List<GenericRow> rows = rows(nanos, BEFORE_1970, "abc  ", "     ");
                Warehouse.Filling table =
                        warehouse.create("types_" + format + (keyed ? "_keyed" : ""), schema).commit(rows);
                if (format.equals("orc")) {
                    // Java's ORC writer moves fractions of the last second before 1970 to the first after it.
                    // CHAR is padded in ORC files, and read without the blanks.
                    table.expect(rows(nanos, "1970-01-01T00:00:00", "abc", ""));
                } else {
                    table.expectAll();
                }
            }
        }
        variantAndMultiset(warehouse);
    }

    /** Makes the columns. Paimon's Avro files have no timestamps finer than microseconds. */
    private static Schema.Builder schema(String format) {
        int finest = format.equals("avro") ? 6 : 9;
        DataType string = DataTypes.STRING();
        return Schema.newBuilder()
                .column("id", DataTypes.INT().notNull())
                .column("c_boolean", DataTypes.BOOLEAN())
                .column("c_tinyint", DataTypes.TINYINT())
                .column("c_smallint", DataTypes.SMALLINT())
                .column("c_int", DataTypes.INT())
                .column("c_bigint", DataTypes.BIGINT())
                .column("c_float", DataTypes.FLOAT())
                .column("c_double", DataTypes.DOUBLE())
                .column("c_decimal_10_2", DataTypes.DECIMAL(10, 2))
                .column("c_decimal_18_4", DataTypes.DECIMAL(18, 4))
                .column("c_decimal_38_10", DataTypes.DECIMAL(38, 10))
                .column("c_char", DataTypes.CHAR(5))
                .column("c_varchar", DataTypes.VARCHAR(20))
                .column("c_string", string)
                .column("c_binary", DataTypes.BINARY(4))
                .column("c_varbinary", DataTypes.VARBINARY(10))
                .column("c_bytes", DataTypes.BYTES())
                .column("c_date", DataTypes.DATE())
                .column("c_time", DataTypes.TIME(3))
                .column("c_timestamp_0", DataTypes.TIMESTAMP(0))
                .column("c_timestamp_3", DataTypes.TIMESTAMP(3))
                .column("c_timestamp_6", DataTypes.TIMESTAMP(6))
                .column("c_timestamp_9", DataTypes.TIMESTAMP(finest))
                .column("c_ltz_3", DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(3))
                .column("c_ltz_6", DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(6))
                .column("c_ltz_9", DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(finest))
                .column("c_array", DataTypes.ARRAY(DataTypes.INT()))
                .column("c_array_array", DataTypes.ARRAY(DataTypes.ARRAY(string)))
                .column("c_map", DataTypes.MAP(string.notNull(), DataTypes.BIGINT()))
                .column(
                        "c_row",
                        DataTypes.ROW(
                                DataTypes.FIELD(100, "a", DataTypes.INT()),
                                DataTypes.FIELD(101, "b", string),
                                DataTypes.FIELD(
                                        102,
                                        "c",
                                        DataTypes.ROW(
                                                DataTypes.FIELD(103, "d", DataTypes.DOUBLE()),
                                                DataTypes.FIELD(104, "e", DataTypes.ARRAY(DataTypes.INT()))))))
                .column(
                        "c_array_row",
                        DataTypes.ARRAY(
                                DataTypes.ROW(
                                        DataTypes.FIELD(105, "x", DataTypes.INT()),
                                        DataTypes.FIELD(106, "y", DataTypes.TIMESTAMP(3)))))
                .column(
                        "c_map_row",
                        DataTypes.MAP(
                                DataTypes.INT().notNull(),
                                DataTypes.ROW(
                                        DataTypes.FIELD(107, "p", DataTypes.DECIMAL(5, 1)),
                                        DataTypes.FIELD(108, "q", DataTypes.DATE()))))
                .option("file.format", format);
    }

    /**
     * Makes three rows: ordinary values, extremes and empty values, nulls.
     *
     * @param nanos the digits after the microseconds of the finest timestamps
     * @param second the second of the extreme timestamps with a fraction
     * @param chars the values of the CHAR column
     */
    private static List<GenericRow> rows(String nanos, String second, String... chars) {
        GenericRow ordinary =
                row(
                        1, true, (byte) 127, (short) 32767, Integer.MAX_VALUE, Long.MAX_VALUE, 1.5f, Math.PI,
                        decimal("12345678.90", 10, 2),
                        decimal("-12345678901234.5678", 18, 4),
                        decimal("1234567890123456789012345678.0123456789", 38, 10),
                        chars[0], "varchar", "héllo 世界",
                        new byte[] {0, 1, -1, 4}, new byte[] {9, 8}, new byte[] {0, 1, 2},
                        day("2024-02-29"), 45_296_123,
                        at("2024-02-29T12:34:56"), at("2024-02-29T12:34:56.123"),
                        at("2024-02-29T12:34:56.123456"), at("2024-02-29T12:34:56.123456" + nanos),
                        at("2024-02-29T12:34:56.123"), at("2024-02-29T12:34:56.123456"),
                        at("2024-02-29T12:34:56.123456" + nanos),
                        array(1, 2, null),
                        array(array("a"), array("b", "c", null)),
                        map("k1", 1L, "k2", null),
                        row(1, "x", row(2.5, array(7, 8))),
                        array(row(1, at("2024-02-29T12:34:56.123")), null),
                        map(1, row(decimal("1.5", 5, 1), day("2020-01-01"))));
        GenericRow extreme =
                row(
                        2, false, (byte) -128, (short) -32768, Integer.MIN_VALUE, Long.MIN_VALUE, Float.NaN,
                        Double.NEGATIVE_INFINITY,
                        decimal("-0.01", 10, 2), decimal("0.0001", 18, 4), decimal("-0.0000000001", 38, 10),
                        chars[1], "", "",
                        new byte[4], new byte[0], new byte[0],
                        day("1969-12-31"), 0,
                        at(BEFORE_1970), at(second + ".999"),
                        at("1900-01-01T00:00:00.000001"), at(second + ".999999" + nanos),
                        at(second + ".999"), at(second + ".999999"),
                        at("1900-01-01T00:00:00.000001" + nanos),
                        array(), array(), map(), row(null, null, null), array(), map());
        GenericRow nulls = new GenericRow(ordinary.getFieldCount());
        nulls.setField(0, 3);
        return List.of(ordinary, extreme, nulls);
    }

    /** VARIANT and MULTISET, which other formats than Parquet, or other writers, do not all have. */
    private static void variantAndMultiset(Warehouse warehouse) throws Exception {
        warehouse
                .create(
                        "types_variant_multiset",
                        Schema.newBuilder()
                                .column("id", DataTypes.INT().notNull())
                                .column("c_variant", DataTypes.VARIANT())
                                .column("c_multiset", DataTypes.MULTISET(DataTypes.STRING().notNull()))
                                .column("c_row", DataTypes.ROW(DataTypes.FIELD(50, "v", DataTypes.VARIANT()))))
                .commit(
                        row(
                                1, GenericVariant.fromJson("{\"a\":1,\"b\":[\"x\",2.5,null]}"), map("x", 2, "y", 1),
                                row(GenericVariant.fromJson("[true]"))),
                        row(2, GenericVariant.fromJson("\"text\""), map(), row((Object) null)),
                        row(3, null, null, null))
                .expectAll();
    }

    private static Timestamp at(String text) {
        return Timestamp.fromLocalDateTime(LocalDateTime.parse(text));
    }

    static int day(String text) {
        return (int) LocalDate.parse(text).toEpochDay();
    }

    static Decimal decimal(String text, int precision, int scale) {
        return Decimal.fromBigDecimal(new BigDecimal(text), precision, scale);
    }
}
