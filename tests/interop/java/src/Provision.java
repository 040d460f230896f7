// SPDX-License-Identifier: Apache-2.0

package interop;

import static interop.Types.day;
import static interop.Types.decimal;
import static interop.Warehouse.array;
import static interop.Warehouse.change;
import static interop.Warehouse.idAndName;
import static interop.Warehouse.keyed;
import static interop.Warehouse.map;
import static interop.Warehouse.numbered;
import static interop.Warehouse.row;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowKind;

/**
 * Writes a warehouse with a table for each thing that Paimon Java can do to one and that readers
 * must understand: layouts, merge engines, deletes, indexes, evolution, tags and branches. The types
 * are in {@link Types}.
 *
 * <p>Usage: {@code Provision OUTDIR}, see {@link Warehouse}.
 */
public final class Provision {
    private final Warehouse warehouse;

    private Provision(Warehouse warehouse) {
        this.warehouse = warehouse;
    }

    public static void main(String[] args) throws Exception {
        if (args.length != 1) {
            System.err.println("usage: Provision OUTDIR");
            System.exit(2);
        }
        try (Warehouse warehouse = new Warehouse(Path.of(args[0]), "provision")) {
            Types.write(warehouse);
            Provision provision = new Provision(warehouse);
            provision.codecs();
            provision.partitionsAndBuckets();
            provision.deletes();
            provision.filesOfAllSorts();
            provision.mergeEngines();
            provision.aggregations();
            provision.keyOrders();
            provision.changelogProducers();
            provision.evolution();
            provision.nestedEvolution();
            provision.casts();
            provision.tagsAndBranches();
        }
    }

    private void codecs() throws Exception {
        String[][] codecs = {
            {"parquet", "zstd", "snappy", "lz4", "gzip", "none"},
            {"orc", "zstd", "snappy", "lz4", "none"},
            {"avro", "zstd", "snappy"},
        };
        for (String[] format : codecs) {
            for (int i = 1; i < format.length; i++) {
                warehouse
                        .create(
                                "codec_" + format[0] + "_" + format[i],
                                idAndName("file.format", format[0], "file.compression", format[i]))
                        .commit(numbered(0, 100, 1, "a text that is worth compressing "))
                        .expectAll();
            }
        }
    }

    private void partitionsAndBuckets() throws Exception {
        List<GenericRow> first = new ArrayList<>();
        List<GenericRow> second = new ArrayList<>();
        List<GenericRow> merged = new ArrayList<>();
        for (long id = 0; id < 100; id++) {
            String day = "2024-01-0" + (1 + id % 3);
            int hour = (int) (id % 2);
            GenericRow old = row(id, "n" + id, day, hour);
            GenericRow updated = row(id, "u" + id, day, hour);
            first.add(old);
            if (id % 6 == 0) {
                second.add(updated);
            }
            merged.add(id % 6 == 0 ? updated : old);
        }
        warehouse
                .create(
                        "partitioned_keyed",
                        Schema.newBuilder()
                                .column("id", DataTypes.BIGINT().notNull())
                                .column("name", DataTypes.STRING())
                                .column("day", DataTypes.STRING().notNull())
                                .column("hour", DataTypes.INT().notNull())
                                .partitionKeys("day", "hour")
                                .primaryKey("day", "hour", "id")
                                .option("bucket", "4"))
                .commit(first)
                .commit(second)
                .expect(merged);

        warehouse
                .create(
                        "partition_names",
                        Schema.newBuilder()
                                .column("id", DataTypes.INT())
                                .column("d", DataTypes.DATE())
                                .column("s", DataTypes.STRING())
                                .partitionKeys("d", "s"))
                .commit(
                        row(1, day("2024-01-01"), "a/b=c %"),
                        row(2, null, null),
                        row(3, day("1969-12-31"), "x"),
                        row(4, day("2024-01-01"), "日本 ü \"quoted\" \\ # ? : *"),
                        row(5, null, "x"),
                        row(6, day("2024-01-01"), null))
                .expectAll();

        List<GenericRow> keys = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            keys.add(
                    row(
                            "a key of more than seven bytes " + i,
                            i * 7919L,
                            decimal(i + ".125", 20, 3),
                            i / 3.0,
                            day("2023-12-09") + i,
                            i % 2 == 0,
                            Timestamp.fromMicros(1_700_000_000_000_000L + i),
                            new byte[] {(byte) i, 1},
                            i));
        }
        warehouse
                .create(
                        "bucket_keys",
                        Schema.newBuilder()
                                .column("k_string", DataTypes.STRING().notNull())
                                .column("k_bigint", DataTypes.BIGINT().notNull())
                                .column("k_decimal", DataTypes.DECIMAL(20, 3).notNull())
                                .column("k_double", DataTypes.DOUBLE().notNull())
                                .column("k_date", DataTypes.DATE().notNull())
                                .column("k_boolean", DataTypes.BOOLEAN().notNull())
                                .column("k_timestamp", DataTypes.TIMESTAMP(6).notNull())
                                .column("k_bytes", DataTypes.BYTES().notNull())
                                .column("v", DataTypes.INT())
                                .primaryKey(
                                        "k_string", "k_bigint", "k_decimal", "k_double", "k_date",
                                        "k_boolean", "k_timestamp", "k_bytes")
                                .option("bucket", "7"))
                .commit(keys)
                .expectAll();

        warehouse
                .create("buckets_without_key", idAndName("bucket", "3", "bucket-key", "id"))
                .commit(numbered(0, 30, 1, "n"))
                .expectAll();
        warehouse
                .create("dynamic_buckets", keyed("bucket", "-1"))
                .commit(numbered(0, 40, 1, "n"))
                .expectAll();
        warehouse.create("empty", keyed()).expectAll();
    }

    private void deletes() throws Exception {
        for (String bits : new String[] {"32", "64"}) {
            warehouse
                    .create(
                            "deletion_vectors_" + bits,
                            keyed(
                                    "deletion-vectors.enabled", "true",
                                    "deletion-vectors.bitmap64", String.valueOf(bits.equals("64"))))
                    .commit(numbered(0, 50, 1, "n"))
                    .commit(numbered(0, 50, 10, "u"))
                    .commit(change(RowKind.DELETE, 3, "n3"), change(RowKind.DELETE, 4, "n4"))
                    .expect(numberedExcept(50, 10, 3, 4));
        }
        // Nothing is compacted here, so that the reader has to merge.
        warehouse
                .create("deletes_to_merge", keyed("write-only", "true"))
                .commit(numbered(0, 20, 1, "n"))
                .commit(
                        change(RowKind.DELETE, 3, "n3"),
                        change(RowKind.UPDATE_BEFORE, 0, "n0"),
                        change(RowKind.UPDATE_AFTER, 0, "u0"))
                .expect(numberedExcept(20, 20, 3));
    }

    private void filesOfAllSorts() throws Exception {
        warehouse
                .create("thin_mode", keyed("data-file.thin-mode", "true", "write-only", "true"))
                .commit(numbered(0, 20, 1, "n"))
                .commit(numbered(0, 20, 3, "u"))
                .expect(numberedExcept(20, 3));
        for (String mode : new String[] {"none", "counts", "truncate(4)", "full"}) {
            warehouse
                    .create(
                            "stats_" + mode.replaceAll("\\W", ""),
                            idAndName("metadata.stats-mode", mode))
                    .commit(numbered(0, 20, 1, "longer than four "))
                    .expectAll();
        }
        warehouse
                .create("row_tracking", idAndName("row-tracking.enabled", "true"))
                .commit(numbered(0, 10, 1, "a"))
                .commit(numbered(10, 20, 1, "b"))
                .expectAll();
        warehouse
                .create(
                        "file_index",
                        idAndName(
                                "file-index.bloom-filter.columns", "id,name",
                                "file-index.bitmap.columns", "name"))
                .commit(numbered(0, 100, 1, "n"))
                .expectAll();
    }

    private void mergeEngines() throws Exception {
        warehouse
                .create(
                        "merge_by_sequence",
                        Schema.newBuilder()
                                .column("id", DataTypes.INT().notNull())
                                .column("v", DataTypes.STRING())
                                .column("at", DataTypes.INT())
                                .primaryKey("id")
                                .option("bucket", "1")
                                .option("sequence.field", "at")
                                .option("write-only", "true"))
                .commit(row(1, "newer", 10), row(2, "older", 1))
                .commit(row(1, "older", 5), row(2, "newer", 2))
                .expect(row(1, "newer", 10), row(2, "newer", 2));

        warehouse
                .create(
                        "merge_partial_update",
                        Schema.newBuilder()
                                .column("id", DataTypes.INT().notNull())
                                .column("a", DataTypes.INT())
                                .column("b", DataTypes.STRING())
                                .column("a_at", DataTypes.INT())
                                .column("b_at", DataTypes.INT())
                                .primaryKey("id")
                                .option("bucket", "1")
                                .option("write-only", "true")
                                .option("merge-engine", "partial-update")
                                .option("fields.a_at.sequence-group", "a")
                                .option("fields.b_at.sequence-group", "b"))
                .commit(row(1, 1, null, 1, null), row(2, 2, "b2", 1, 1))
                .commit(row(1, null, "b1", null, 1), row(2, 99, "late", 0, 2))
                .expect(row(1, 1, "b1", 1, 1), row(2, 2, "late", 1, 2));

        warehouse
                .create(
                        "merge_aggregation",
                        Schema.newBuilder()
                                .column("id", DataTypes.INT().notNull())
                                .column("sum", DataTypes.BIGINT())
                                .column("max", DataTypes.INT())
                                .column("list", DataTypes.STRING())
                                .column("collect", DataTypes.ARRAY(DataTypes.INT()))
                                .column("last", DataTypes.STRING())
                                .primaryKey("id")
                                .option("bucket", "1")
                                .option("write-only", "true")
                                .option("merge-engine", "aggregation")
                                .option("fields.sum.aggregate-function", "sum")
                                .option("fields.max.aggregate-function", "max")
                                .option("fields.list.aggregate-function", "listagg")
                                .option("fields.collect.aggregate-function", "collect")
                                .option("fields.last.aggregate-function", "last_non_null_value"))
                .commit(row(1, 1L, 5, "a", array(1), "x"))
                .commit(row(1, 10L, 3, "b", array(2, 3), null), row(2, 7L, 7, "z", null, null))
                .expect(row(1, 11L, 5, "a,b", array(1, 2, 3), "x"), row(2, 7L, 7, "z", null, null));

        warehouse
                .create("merge_first_row", keyed("merge-engine", "first-row"))
                .commit(row(1, "first"), row(2, "only"))
                .commit(row(1, "second"), row(3, "late"))
                .expect(row(1, "first"), row(2, "only"), row(3, "late"));
    }

    private void aggregations() throws Exception {
        aggregation("min", DataTypes.INT(), 3, 5, null, 3);
        aggregation("product", DataTypes.INT(), 15, 5, null, 3);
        aggregation("last_value", DataTypes.INT(), null, 5, 3, null);
        aggregation("first_value", DataTypes.INT(), null, null, 5, 3);
        aggregation("first_non_null_value", DataTypes.INT(), 5, null, 5, 3);
        aggregation("bool_or", DataTypes.BOOLEAN(), true, true, null, false);
        aggregation("bool_and", DataTypes.BOOLEAN(), false, true, null, false);
        aggregation(
                "merge_map",
                DataTypes.MAP(DataTypes.STRING(), DataTypes.INT()),
                map("a", 3, "b", 2),
                map("a", 1),
                map("b", 2),
                map("a", 3));
    }

    /** Gives the values to one key, one after the other. */
    private void aggregation(String function, DataType type, Object result, Object... values) throws Exception {
        Warehouse.Filling table =
                warehouse.create(
                        "aggregate_" + function,
                        Schema.newBuilder()
                                .column("id", DataTypes.INT().notNull())
                                .column("v", type)
                                .primaryKey("id")
                                .option("bucket", "1")
                                .option("write-only", "true")
                                .option("merge-engine", "aggregation")
                                .option("fields.v.aggregate-function", function));
        for (Object value : values) {
            table.commit(row(1, value));
        }
        table.expect(row(1, result));
    }

    /** Keys whose order in files is not obvious; what is merged wrongly stays twice. */
    private void keyOrders() throws Exception {
        keys("string", DataTypes.STRING(), "\ud83d\ude00", "\uffee", "é", "z", "");
        keys("bytes", DataTypes.BYTES(), new byte[] {-1}, new byte[] {1, 0}, new byte[] {1}, new byte[0]);
        // NaN is left out: as a key it equals every other in Java, which then loses rows.
        keys("double", DataTypes.DOUBLE(), Double.POSITIVE_INFINITY, 1.5, 0.0, -1.5, Double.NEGATIVE_INFINITY);
        keys("decimal", DataTypes.DECIMAL(38, 2), decimal("1.00", 38, 2), decimal("0.00", 38, 2), decimal("-1.00", 38, 2));
        keys("date", DataTypes.DATE(), day("2024-02-29"), day("1969-12-31"));
        keys("boolean", DataTypes.BOOLEAN(), true, false);
    }

    private void keys(String name, DataType type, Object... keys) throws Exception {
        List<GenericRow> first = new ArrayList<>();
        List<GenericRow> second = new ArrayList<>();
        for (int i = 0; i < keys.length; i++) {
            first.add(row(keys[i], i));
            second.add(row(keys[keys.length - 1 - i], 100 + i));
        }
        warehouse
                .create(
                        "key_order_" + name,
                        Schema.newBuilder()
                                .column("k", type.notNull())
                                .column("v", DataTypes.INT())
                                .primaryKey("k")
                                .option("bucket", "1")
                                .option("write-only", "true"))
                .commit(first)
                .commit(second)
                .expect(second);
    }

    private void changelogProducers() throws Exception {
        for (String producer : new String[] {"input", "lookup", "full-compaction"}) {
            warehouse
                    .create(
                            "changelog_" + producer.replace('-', '_'),
                            keyed("changelog-producer", producer))
                    .commit(row(1, "a"), row(2, "b"))
                    .commit(row(1, "A"), row(3, "c"))
                    .commit(change(RowKind.DELETE, 2, "b"))
                    .expect(row(1, "A"), row(3, "c"));
        }
    }

    private void evolution() throws Exception {
        warehouse
                .create(
                        "evolved",
                        Schema.newBuilder()
                                .column("a", DataTypes.INT())
                                .column("b", DataTypes.INT())
                                .column("c", DataTypes.STRING())
                                .column("d", DataTypes.FLOAT())
                                .column("gone", DataTypes.STRING())
                                .column(
                                        "st",
                                        DataTypes.ROW(
                                                DataTypes.FIELD(50, "x", DataTypes.INT()),
                                                DataTypes.FIELD(51, "y", DataTypes.STRING()))))
                .commit(row(1, 10, "x", 1.5f, "g", row(1, "y1")))
                .alter(
                        SchemaChange.addColumn("e", DataTypes.STRING()),
                        SchemaChange.renameColumn("c", "renamed"),
                        SchemaChange.dropColumn("gone"),
                        SchemaChange.updateColumnType("b", DataTypes.BIGINT()),
                        SchemaChange.updateColumnType("d", DataTypes.DOUBLE()))
                .alter(
                        SchemaChange.addColumn("f", DataTypes.INT(), null, SchemaChange.Move.first("f")),
                        SchemaChange.addColumn(new String[] {"st", "z"}, DataTypes.DOUBLE(), null, null),
                        SchemaChange.updateColumnType("a", DataTypes.STRING()))
                .commit(row(7, "2a", 5_000_000_000L, "w", 4.25, row(2, "y2", 9.5), "e2"))
                .expect(
                        row(null, "1", 10L, "x", 1.5, row(1, "y1", null), null),
                        row(7, "2a", 5_000_000_000L, "w", 4.25, row(2, "y2", 9.5), "e2"));
    }

    private void nestedEvolution() throws Exception {
        warehouse
                .create(
                        "evolved_inside",
                        Schema.newBuilder()
                                .column("id", DataTypes.INT())
                                .column(
                                        "st",
                                        DataTypes.ROW(
                                                DataTypes.FIELD(50, "x", DataTypes.INT()),
                                                DataTypes.FIELD(51, "gone", DataTypes.STRING()),
                                                DataTypes.FIELD(
                                                        52,
                                                        "inner",
                                                        DataTypes.ROW(DataTypes.FIELD(53, "p", DataTypes.INT())))))
                                .column(
                                        "list",
                                        DataTypes.ARRAY(DataTypes.ROW(DataTypes.FIELD(54, "e", DataTypes.INT()))))
                                .column(
                                        "map",
                                        DataTypes.MAP(
                                                DataTypes.STRING(),
                                                DataTypes.ROW(DataTypes.FIELD(55, "k", DataTypes.INT())))))
                .commit(row(1, row(1, "g", row(2)), array(row(1), null), map("a", row(1))), row(2, null, null, null))
                .alter(
                        SchemaChange.renameColumn(new String[] {"st", "x"}, "renamed"),
                        SchemaChange.dropColumn(new String[] {"st", "gone"}),
                        SchemaChange.addColumn(new String[] {"st", "inner", "q"}, DataTypes.STRING(), null, null),
                        SchemaChange.updateColumnType(new String[] {"st", "inner", "p"}, DataTypes.BIGINT(), false),
                        SchemaChange.addColumn(new String[] {"list", "element", "f"}, DataTypes.INT(), null, null),
                        SchemaChange.renameColumn(new String[] {"list", "element", "e"}, "renamed"),
                        SchemaChange.addColumn(new String[] {"map", "value", "l"}, DataTypes.STRING(), null, null))
                .commit(row(3, row(5, row(6L, "q")), array(row(5, 8)), map("b", row(2, "l"))))
                .expect(
                        row(1, row(1, row(2L, null)), array(row(1, null), null), map("a", row(1, null))),
                        row(2, null, null, null),
                        row(3, row(5, row(6L, "q")), array(row(5, 8)), map("b", row(2, "l"))));

        // Columns are known by their numbers, not by their names.
        warehouse
                .create(
                        "evolved_names",
                        Schema.newBuilder()
                                .column("a", DataTypes.STRING())
                                .column("b", DataTypes.STRING())
                                .column("again", DataTypes.STRING()))
                .commit(row("a", "b", "old"))
                .alter(
                        SchemaChange.renameColumn("a", "c"),
                        SchemaChange.renameColumn("b", "a"),
                        SchemaChange.renameColumn("c", "b"),
                        SchemaChange.dropColumn("again"))
                .alter(SchemaChange.addColumn("again", DataTypes.STRING()))
                .commit(row("a2", "b2", "new"))
                .expect(row("a", "b", null), row("a2", "b2", "new"));
    }

    /** Values that are read after the type of their column was changed. */
    private void casts() throws Exception {
        for (String format : new String[] {"parquet", "orc", "avro"}) {
            cast(format, DataTypes.INT(), DataTypes.BIGINT(), Integer.MIN_VALUE, (long) Integer.MIN_VALUE);
            cast(format, DataTypes.INT(), DataTypes.DOUBLE(), Integer.MAX_VALUE, (double) Integer.MAX_VALUE);
            cast(format, DataTypes.INT(), DataTypes.DECIMAL(12, 2), -5, decimal("-5.00", 12, 2));
            cast(format, DataTypes.INT(), DataTypes.STRING(), -5, "-5");
            cast(format, DataTypes.FLOAT(), DataTypes.DOUBLE(), 1.1f, (double) 1.1f);
            cast(format, DataTypes.DECIMAL(10, 2), DataTypes.DECIMAL(12, 4), decimal("1.25", 10, 2), decimal("1.2500", 12, 4));
            cast(format, DataTypes.DECIMAL(10, 2), DataTypes.STRING(), decimal("1.90", 10, 2), "1.90");
            cast(format, DataTypes.BOOLEAN(), DataTypes.STRING(), true, "true");
            cast(format, DataTypes.DATE(), DataTypes.STRING(), day("1969-12-31"), "1969-12-31");
            cast(format, DataTypes.STRING(), DataTypes.DATE(), "2024-02-29", day("2024-02-29"));
            cast(format, DataTypes.STRING(), DataTypes.INT(), "-4", -4);
        }
    }

    private void cast(String format, DataType from, DataType to, Object value, Object result) throws Exception {
        warehouse
                .create(
                        ("cast_" + from + "_" + to + "_" + format).toLowerCase(Locale.ROOT).replaceAll("\\W+", "_"),
                        Schema.newBuilder()
                                .column("id", DataTypes.INT())
                                .column("v", from)
                                .option("file.format", format))
                .commit(row(1, value), row(2, null))
                .alter(SchemaChange.updateColumnType("v", to))
                .expect(row(1, result), row(2, null));
    }

    private void tagsAndBranches() throws Exception {
        Warehouse.Filling tagged = warehouse.create("tagged", keyed());
        tagged.commit(row(1, "v1")).tag("t1").commit(row(2, "v2")).tag("t2");
        tagged.branch("b", "t1")
                .commit(row(100, "on the branch"), row(1, "V1"))
                .expect(row(1, "V1"), row(100, "on the branch"));
        tagged.alter(SchemaChange.addColumn("more", DataTypes.INT()))
                .commit(row(3, "v3", 3))
                .expect(row(1, "v1", null), row(2, "v2", null), row(3, "v3", 3))
                // A tag is read with the schema of its time.
                .expectAt("t1", row(1, "v1"))
                .expectAt("t2", row(1, "v1"), row(2, "v2"));
    }

    /** The rows n0, n1 ... up to but not including n, those divisible by step as u0 ..., without some. */
    private static List<GenericRow> numberedExcept(int n, int step, int... without) {
        List<GenericRow> rows = new ArrayList<>();
        for (int id = 0; id < n; id++) {
            final int candidate = id;
            if (Arrays.stream(without).noneMatch(x -> x == candidate)) {
                rows.add(row(id, (id % step == 0 ? "u" : "n") + id));
            }
        }
        return rows;
    }
}
