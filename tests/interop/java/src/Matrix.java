// SPDX-License-Identifier: Apache-2.0

package interop;

import java.math.BigDecimal;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.BinaryVector;
import org.apache.paimon.data.BlobData;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.GenericArray;
import org.apache.paimon.data.GenericMap;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.data.variant.GenericVariant;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.paimon.table.Table;
import org.apache.paimon.table.sink.StreamTableCommit;
import org.apache.paimon.table.sink.StreamTableWrite;
import org.apache.paimon.table.sink.StreamWriteBuilder;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypeJsonParser;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.DecimalType;
import org.apache.paimon.types.MapType;
import org.apache.paimon.types.MultisetType;
import org.apache.paimon.types.RowType;
import org.apache.paimon.types.VectorType;

/**
 * Writes tables from what ../matrix, a Go program, says of them: {@code TABLE.schema.json} in the JSON of Paimon's schemas, and
 * {@code TABLE.rows.jsonl} in the format that {@link Dump} defines.
 *
 * <p>Usage: {@code Matrix DIR WAREHOUSE}
 */
public final class Matrix {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String SCHEMA = ".schema.json";

    private Matrix() {}

    public static void main(String[] args) throws Exception {
        if (args.length != 2) {
            System.err.println("usage: Matrix DIR WAREHOUSE");
            System.exit(2);
        }
        try (Catalog catalog = Dump.openCatalog(args[1]);
                IOManager io = IOManager.create(System.getProperty("java.io.tmpdir"));
                DirectoryStream<Path> schemas = Files.newDirectoryStream(Path.of(args[0]), "*" + SCHEMA)) {
            catalog.createDatabase("default", true);
            for (Path schema : schemas) {
                write(catalog, io, schema);
            }
        }
    }

    private static void write(Catalog catalog, IOManager io, Path file) throws Exception {
        String name = file.getFileName().toString().replace(SCHEMA, "");
        JsonNode json = JSON.readTree(Files.readString(file));
        Schema.Builder schema = Schema.newBuilder();
        for (JsonNode field : json.get("fields")) {
            schema.column(field.get("name").asText(), DataTypeJsonParser.parseDataType(field.get("type")));
        }
        json.get("primaryKeys").forEach(key -> schema.primaryKey(key.asText()));
        json.get("options").fields().forEachRemaining(o -> schema.option(o.getKey(), o.getValue().asText()));

        Identifier identifier = Identifier.create("default", name);
        catalog.createTable(identifier, schema.build(), false);
        Table table = catalog.getTable(identifier);
        StreamWriteBuilder builder = table.newStreamWriteBuilder().withCommitUser("matrix");
        try (StreamTableWrite write = builder.newWrite();
                StreamTableCommit commit = builder.newCommit()) {
            write.withIOManager(io);
            for (String line : Files.readAllLines(file.resolveSibling(name + ".rows.jsonl"))) {
                write.write(row(JSON.readTree(line), table.rowType()));
            }
            commit.commit(1, write.prepareCommit(true, 1));
        }
    }

    private static GenericRow row(JsonNode json, RowType type) {
        GenericRow row = new GenericRow(type.getFieldCount());
        for (int i = 0; i < type.getFieldCount(); i++) {
            DataField field = type.getFields().get(i);
            row.setField(i, value(json.get(field.name()), field.type()));
        }
        return row;
    }

    private static Object value(JsonNode json, DataType type) {
        if (json.isNull()) {
            return null;
        }
        switch (type.getTypeRoot()) {
            case BOOLEAN:
                return json.asBoolean();
            case TINYINT:
                return (byte) json.asInt();
            case SMALLINT:
                return (short) json.asInt();
            case INTEGER:
                return json.asInt();
            case BIGINT:
                return json.asLong();
            case FLOAT:
                return Float.parseFloat(json.asText());
            case DOUBLE:
                return Double.parseDouble(json.asText());
            case DECIMAL:
                DecimalType decimal = (DecimalType) type;
                return Decimal.fromBigDecimal(new BigDecimal(json.asText()), decimal.getPrecision(), decimal.getScale());
            case CHAR:
            case VARCHAR:
                return BinaryString.fromString(json.asText());
            case BINARY:
            case VARBINARY:
                return bytes(json);
            case BLOB:
                return new BlobData(bytes(json));
            case DATE:
                return (int) LocalDate.parse(json.asText()).toEpochDay();
            case TIME_WITHOUT_TIME_ZONE:
                return (int) (LocalTime.parse(json.asText()).toNanoOfDay() / 1_000_000);
            case TIMESTAMP_WITHOUT_TIME_ZONE:
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE:
                return Timestamp.fromLocalDateTime(LocalDateTime.parse(json.asText()));
            case ARRAY:
                return new GenericArray(elements(json, ((ArrayType) type).getElementType()));
            case VECTOR:
                Object[] elements = elements(json, ((VectorType) type).getElementType());
                float[] floats = new float[elements.length];
                for (int i = 0; i < floats.length; i++) {
                    floats[i] = (Float) elements[i];
                }
                return BinaryVector.fromPrimitiveArray(floats);
            case MAP:
                return map(json, ((MapType) type).getKeyType(), ((MapType) type).getValueType());
            case MULTISET:
                return map(json, ((MultisetType) type).getElementType(), DataTypes.INT());
            case ROW:
                return row(json, (RowType) type);
            case VARIANT:
                return new GenericVariant(bytes(json.get("value")), bytes(json.get("metadata")));
            default:
                throw new IllegalArgumentException("no rule for " + type);
        }
    }

    private static byte[] bytes(JsonNode json) {
        return Base64.getDecoder().decode(json.asText());
    }

    private static Object[] elements(JsonNode json, DataType type) {
        Object[] elements = new Object[json.size()];
        for (int i = 0; i < elements.length; i++) {
            elements[i] = value(json.get(i), type);
        }
        return elements;
    }

    private static GenericMap map(JsonNode json, DataType key, DataType value) {
        Map<Object, Object> map = new HashMap<>();
        json.forEach(pair -> map.put(value(pair.get(0), key), value(pair.get(1), value)));
        return new GenericMap(map);
    }
}
