// SPDX-License-Identifier: Apache-2.0

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.table.Table;
import org.apache.paimon.table.sink.StreamTableCommit;
import org.apache.paimon.table.sink.StreamTableWrite;
import org.apache.paimon.table.sink.StreamWriteBuilder;
import org.apache.paimon.types.DataTypes;

/**
 * Writes the golden warehouse, and beside it the rows that it was given.
 *
 * <p>Usage: {@code Golden OUTDIR} makes {@code OUTDIR/warehouse} and, in the format that {@link
 * Dump} defines, {@code OUTDIR/expected/DATABASE.TABLE.jsonl}. Neither may exist.
 */
public final class Golden {
    private static final String DATABASE = "default";

    private final Catalog catalog;
    private final IOManager io;
    private final Path expected;

    private Golden(Catalog catalog, IOManager io, Path expected) {
        this.catalog = catalog;
        this.io = io;
        this.expected = expected;
    }

    public static void main(String[] args) throws Exception {
        if (args.length != 1) {
            System.err.println("usage: Golden OUTDIR");
            System.exit(2);
        }
        Path out = Files.createDirectories(Path.of(args[0]));
        Path warehouse = Files.createDirectory(out.resolve("warehouse"));
        Path expected = Files.createDirectory(out.resolve("expected"));
        try (Catalog catalog = Dump.openCatalog(warehouse.toString());
                IOManager io = IOManager.create(System.getProperty("java.io.tmpdir"))) {
            catalog.createDatabase(DATABASE, true);
            new Golden(catalog, io, expected).writeTables();
        }
    }

    private void writeTables() throws Exception {
        List<GenericRow> people = List.of(row(1, "alice"), row(2, "bob"), row(3, "carol"));
        write("simple_pk_table", idAndName().primaryKey("id").option("bucket", "1"), people);
        write("simple_log_table", idAndName(), people);

        List<GenericRow> numbered = new ArrayList<>();
        for (int id = 1; id <= 20; id++) {
            numbered.add(row(id, "n" + id));
        }
        write("multi_bucket_pk_table", idAndName().primaryKey("id").option("bucket", "4"), numbered);

        write(
                "partitioned_log_table",
                Schema.newBuilder()
                        .column("id", DataTypes.INT())
                        .column("name", DataTypes.STRING())
                        .column("dt", DataTypes.STRING())
                        .partitionKeys("dt"),
                List.of(
                        row(1, "alice", "2024-01-01"),
                        row(2, "bob", "2024-01-01"),
                        row(3, "carol", "2024-01-02")));
    }

    private static Schema.Builder idAndName() {
        return Schema.newBuilder()
                .column("id", DataTypes.INT().notNull())
                .column("name", DataTypes.STRING());
    }

    /** Makes a row of an id followed by strings. */
    private static GenericRow row(int id, String... strings) {
        GenericRow row = new GenericRow(1 + strings.length);
        row.setField(0, id);
        for (int i = 0; i < strings.length; i++) {
            row.setField(1 + i, BinaryString.fromString(strings[i]));
        }
        return row;
    }

    /** Creates a table, commits the rows as its first snapshot and notes them as expected. */
    private void write(String name, Schema.Builder schema, List<GenericRow> rows) throws Exception {
        Identifier identifier = Identifier.create(DATABASE, name);
        catalog.createTable(identifier, schema.build(), false);
        Table table = catalog.getTable(identifier);
        StreamWriteBuilder builder = table.newStreamWriteBuilder().withCommitUser("golden");
        try (StreamTableWrite write = builder.newWrite();
                StreamTableCommit commit = builder.newCommit()) {
            write.withIOManager(io);
            for (GenericRow row : rows) {
                write.write(row);
            }
            commit.commit(1, write.prepareCommit(true, 1));
        }

        List<String> lines = new ArrayList<>();
        rows.forEach(row -> lines.add(Dump.line(row, table.rowType())));
        lines.sort(Dump.BY_UTF8);
        Files.writeString(
                expected.resolve(DATABASE + "." + name + ".jsonl"), String.join("\n", lines) + "\n");
    }
}
