// SPDX-License-Identifier: Apache-2.0

package interop;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.Blob;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.InternalArray;
import org.apache.paimon.data.InternalMap;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.data.variant.Variant;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.options.Options;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.table.Table;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.MapType;
import org.apache.paimon.types.MultisetType;
import org.apache.paimon.types.RowType;
import org.apache.paimon.types.VectorType;

/**
 * Writes the rows of tables, as Paimon's own reader sees them, in the interop row format.
 *
 * <p>Usage: {@code Dump WAREHOUSE OUTDIR NAME...} makes {@code OUTDIR/NAME.jsonl} for each name:
 * DATABASE.TABLE, DATABASE.TABLE$branch_BRANCH or DATABASE.TABLE@TAG.
 *
 * <h2>The interop row format</h2>
 *
 * <p>A file holds one JSON object per row and one row per line, each line ended by {@code \n}; a
 * table without rows is an empty file. Lines are sorted by their UTF-8 bytes, as Go's sort.Strings
 * and {@code LC_ALL=C sort} do; equal rows stay as equal lines. An object has one member per column,
 * in column order, and no white space. Files are compared byte for byte, so every value has exactly
 * one spelling:
 *
 * <table>
 *   <tr><td>any null</td><td>{@code null}</td></tr>
 *   <tr><td>BOOLEAN</td><td>{@code true} or {@code false}</td></tr>
 *   <tr><td>TINYINT, SMALLINT, INT, BIGINT</td><td>a number in decimal</td></tr>
 *   <tr><td>FLOAT, DOUBLE</td><td>a number spelled as Go's encoding/json spells float32 and float64
 *     (the same as JavaScript): the fewest digits that read back as the same value of that type,
 *     the nearest such, and of two equally near the one with an even last digit (the FLOAT 2^-12,
 *     {@code 0.00024414062}, is the one value for which Go takes the odd one);
 *     plain from 1e-6 up to but not including 1e21 ({@code 1.5}, {@code 3}, {@code -0}), otherwise
 *     with an exponent ({@code 1e+21}, {@code 1.5e-7}). Not-a-number and the infinities are the
 *     strings {@code "NaN"}, {@code "Infinity"} and {@code "-Infinity"}</td></tr>
 *   <tr><td>DECIMAL(p, s)</td><td>a string, plain notation, exactly s digits after the point
 *     ({@code "-0.10"}; {@code "12"} when s is 0)</td></tr>
 *   <tr><td>CHAR, VARCHAR, STRING</td><td>a string</td></tr>
 *   <tr><td>BINARY, VARBINARY, BYTES, BLOB</td><td>a string, standard base64 with padding</td></tr>
 *   <tr><td>DATE</td><td>{@code "2006-01-02"}, years 0001 to 9999</td></tr>
 *   <tr><td>TIME</td><td>{@code "15:04:05.000"}, always three decimals (Paimon keeps
 *     milliseconds)</td></tr>
 *   <tr><td>TIMESTAMP, TIMESTAMP_LTZ</td><td>{@code "2006-01-02T15:04:05.000000000"}, always nine
 *     decimals whatever the precision, never a zone; TIMESTAMP_LTZ as its UTC date and time; years
 *     0001 to 9999</td></tr>
 *   <tr><td>ARRAY, VECTOR</td><td>an array</td></tr>
 *   <tr><td>MAP</td><td>an array of {@code [key,value]} arrays, sorted by the UTF-8 bytes of each
 *     pair's own text</td></tr>
 *   <tr><td>MULTISET</td><td>as a MAP from element to count</td></tr>
 *   <tr><td>ROW</td><td>an object, members in field order</td></tr>
 *   <tr><td>VARIANT</td><td>{@code {"value":base64,"metadata":base64}}, the encoded bytes</td></tr>
 * </table>
 *
 * <p>Strings are written as UTF-8. The escapes are those of Go's json.Encoder with
 * SetEscapeHTML(false): {@code \" \\ \b \f \n \r \t}, the lower-case form {@code \u001f} for other
 * characters below U+0020, and for U+2028 and U+2029. Every other character stands for itself.
 * Names of columns and fields follow the same rule.
 */
public final class Dump {
    /** Orders strings by their UTF-8 bytes. */
    static final Comparator<String> BY_UTF8 =
            Comparator.comparing(s -> s.getBytes(StandardCharsets.UTF_8), Arrays::compareUnsigned);

    private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern("uuuu-MM-dd");
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss.SSS");
    private static final DateTimeFormatter TIMESTAMP =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSSSSS");

    private Dump() {}

    public static void main(String[] args) throws Exception {
        if (args.length < 2) {
            System.err.println("usage: Dump WAREHOUSE OUTDIR NAME...");
            System.exit(2);
        }
        boolean failed = false;
        try (Catalog catalog = openCatalog(args[0]);
                IOManager io = IOManager.create(System.getProperty("java.io.tmpdir"))) {
            for (String name : Arrays.asList(args).subList(2, args.length)) {
                try {
                    write(Path.of(args[1], name + ".jsonl"), lines(open(catalog, name), io));
                } catch (Exception e) {
                    System.err.println(name + ": " + e);
                    failed = true;
                }
            }
        }
        System.exit(failed ? 1 : 0);
    }

    /** Opens what a name stands for: DATABASE.TABLE, DATABASE.TABLE$branch_BRANCH or DATABASE.TABLE@TAG. */
    private static Table open(Catalog catalog, String name) throws Exception {
        int dot = name.indexOf('.');
        int at = (name + '@').indexOf('@');
        Table table = catalog.getTable(Identifier.create(name.substring(0, dot), name.substring(dot + 1, at)));
        return at == name.length() ? table : table.copy(Map.of("scan.tag-name", name.substring(at + 1)));
    }

    /** Reads all rows of a table and spells them, sorted. */
    static List<String> lines(Table table, IOManager io) throws Exception {
        List<String> lines = new ArrayList<>();
        RowType type = table.rowType();
        ReadBuilder builder = table.newReadBuilder();
        try (RecordReader<InternalRow> reader =
                builder.newRead().withIOManager(io).createReader(builder.newScan().plan())) {
            reader.forEachRemaining(row -> lines.add(line(row, type)));
        }
        lines.sort(BY_UTF8);
        return lines;
    }

    /** Writes lines to a new file. */
    static void write(Path file, List<String> lines) throws IOException {
        StringBuilder text = new StringBuilder();
        lines.forEach(line -> text.append(line).append('\n'));
        Files.writeString(file, text, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    /** Opens the filesystem catalog at a local directory. */
    static Catalog openCatalog(String warehouse) {
        Options options = new Options();
        options.set("warehouse", Path.of(warehouse).toAbsolutePath().normalize().toString());
        return CatalogFactory.createCatalog(CatalogContext.create(options));
    }

    /** Spells one row of a table. */
    static String line(InternalRow row, RowType type) {
        if (row.getRowKind().isRetract()) {
            throw new IllegalStateException("a batch read returned a row of kind " + row.getRowKind());
        }
        return object(row, type);
    }

    private static String object(InternalRow row, RowType type) {
        List<String> members = new ArrayList<>();
        for (int i = 0; i < type.getFieldCount(); i++) {
            DataType fieldType = type.getTypeAt(i);
            Object value = InternalRow.createFieldGetter(fieldType, i).getFieldOrNull(row);
            members.add(string(type.getFieldNames().get(i)) + ":" + value(value, fieldType));
        }
        return "{" + String.join(",", members) + "}";
    }

    private static String value(Object value, DataType type) {
        if (value == null) {
            return "null";
        }
        switch (type.getTypeRoot()) {
            case BOOLEAN:
            case TINYINT:
            case SMALLINT:
            case INTEGER:
            case BIGINT:
                return value.toString();
            case FLOAT:
                return number((Float) value, true);
            case DOUBLE:
                return number((Double) value, false);
            case DECIMAL:
                return string(((Decimal) value).toBigDecimal().toPlainString());
            case CHAR:
            case VARCHAR:
                return string(value.toString());
            case BINARY:
            case VARBINARY:
                return base64((byte[]) value);
            case BLOB:
                return base64(((Blob) value).toData());
            case DATE:
                return string(LocalDate.ofEpochDay((Integer) value).format(DATE));
            case TIME_WITHOUT_TIME_ZONE:
                return string(LocalTime.ofNanoOfDay(1_000_000L * (Integer) value).format(TIME));
            case TIMESTAMP_WITHOUT_TIME_ZONE:
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE:
                return string(((Timestamp) value).toLocalDateTime().format(TIMESTAMP));
            case ARRAY:
                return array((InternalArray) value, ((ArrayType) type).getElementType());
            case VECTOR:
                return array((InternalArray) value, ((VectorType) type).getElementType());
            case MAP:
                MapType map = (MapType) type;
                return pairs((InternalMap) value, map.getKeyType(), map.getValueType());
            case MULTISET:
                return pairs(
                        (InternalMap) value, ((MultisetType) type).getElementType(), DataTypes.INT());
            case ROW:
                return object((InternalRow) value, (RowType) type);
            case VARIANT:
                Variant variant = (Variant) value;
                return "{\"value\":" + base64(variant.value())
                        + ",\"metadata\":" + base64(variant.metadata()) + "}";
            default:
                throw new UnsupportedOperationException("no row format for " + type.asSQLString());
        }
    }

    private static List<String> elements(InternalArray array, DataType type) {
        InternalArray.ElementGetter getter = InternalArray.createElementGetter(type);
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < array.size(); i++) {
            texts.add(value(getter.getElementOrNull(array, i), type));
        }
        return texts;
    }

    private static String array(InternalArray array, DataType type) {
        return "[" + String.join(",", elements(array, type)) + "]";
    }

    private static String pairs(InternalMap map, DataType keyType, DataType valueType) {
        List<String> keys = elements(map.keyArray(), keyType);
        List<String> values = elements(map.valueArray(), valueType);
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < map.size(); i++) {
            texts.add("[" + keys.get(i) + "," + values.get(i) + "]");
        }
        texts.sort(BY_UTF8);
        return "[" + String.join(",", texts) + "]";
    }

    private static String base64(byte[] bytes) {
        return string(Base64.getEncoder().encodeToString(bytes));
    }

    private static String number(double value, boolean single) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            return string(Double.toString(value));
        }
        String sign = Math.copySign(1, value) < 0 ? "-" : "";
        if (value == 0) {
            return sign + "0";
        }
        BigDecimal shortest = shortest(Math.abs(value), single).stripTrailingZeros();
        int exponent = shortest.precision() - shortest.scale() - 1;
        if (exponent >= -6 && exponent < 21) {
            return sign + shortest.toPlainString();
        }
        String digits = shortest.unscaledValue().toString();
        String fraction = digits.length() > 1 ? "." + digits.substring(1) : "";
        return sign + digits.charAt(0) + fraction + "e" + (exponent < 0 ? "" : "+") + exponent;
    }

    /**
     * Finds the decimal with the fewest digits that reads back as value. Double.toString does not
     * promise that before Java 19. The nearest decimal of a length goes first; beside a power of two
     * only the one on its other side may read back.
     */
    private static BigDecimal shortest(double value, boolean single) {
        BigDecimal exact = new BigDecimal(value);
        for (int digits = 1; ; digits++) {
            for (RoundingMode mode :
                    new RoundingMode[] {RoundingMode.HALF_EVEN, RoundingMode.DOWN, RoundingMode.UP}) {
                BigDecimal candidate = exact.round(new MathContext(digits, mode));
                String text = candidate.toString();
                if (single ? Float.parseFloat(text) == value : Double.parseDouble(text) == value) {
                    return candidate;
                }
            }
        }
    }

    private static String string(String value) {
        StringBuilder out = new StringBuilder("\"");
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '"':
                    out.append("\\\"");
                    break;
                case '\\':
                    out.append("\\\\");
                    break;
                case '\b':
                    out.append("\\b");
                    break;
                case '\f':
                    out.append("\\f");
                    break;
                case '\n':
                    out.append("\\n");
                    break;
                case '\r':
                    out.append("\\r");
                    break;
                case '\t':
                    out.append("\\t");
                    break;
                default:
                    if (c < 0x20 || c == '\u2028' || c == '\u2029') {
                        out.append(String.format("\\u%04x", (int) c));
                    } else {
                        out.append(c);
                    }
            }
        }
        return out.append('"').toString();
    }
}
