// SPDX-License-Identifier: Apache-2.0

package interop;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericArray;
import org.apache.paimon.data.GenericMap;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.table.BucketMode;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.Table;
import org.apache.paimon.table.sink.StreamTableCommit;
import org.apache.paimon.table.sink.StreamTableWrite;
import org.apache.paimon.table.sink.StreamWriteBuilder;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowKind;

/**
 * A warehouse that is filled with tables, and beside it the rows that each must have, in the format
 * that {@link Dump} defines: {@code OUTDIR/warehouse} and {@code OUTDIR/expected}.
 *
 * <p>Expected rows are literals of the program that fills the warehouse. Paimon's own reader must
 * give them as soon as they are stated, or the program fails.
 */
final class Warehouse implements AutoCloseable {
    private static final String DATABASE = "default";

    private final Catalog catalog;
    private final IOManager io;
    private final Path expected;
    private final String commitUser;

    /** Makes an empty warehouse. Neither it nor its expected rows may exist. */
    Warehouse(Path out, String commitUser) throws Exception {
        Files.createDirectories(out);
        catalog = Dump.openCatalog(Files.createDirectory(out.resolve("warehouse")).toString());
        catalog.createDatabase(DATABASE, true);
        io = IOManager.create(System.getProperty("java.io.tmpdir"));
        expected = Files.createDirectory(out.resolve("expected"));
        this.commitUser = commitUser;
    }

    @Override
    public void close() throws Exception {
        io.close();
        catalog.close();
    }

    /** Creates a table without rows. */
    Filling create(String name, Schema.Builder schema) throws Exception {
        catalog.createTable(Identifier.create(DATABASE, name), schema.build(), false);
        return new Filling(name);
    }

    /** A table, or a branch of one, that is being filled. Each commit makes one snapshot or more. */
    final class Filling {
        private final String name;
        private final List<GenericRow> inserted = new ArrayList<>();
        private long commits;

        private Filling(String name) {
            this.name = name;
        }

        private Table open() throws Exception {
            return catalog.getTable(Identifier.create(DATABASE, name));
        }

        Filling commit(List<GenericRow> rows) throws Exception {
            Table table = open();
            boolean dynamic = ((FileStoreTable) table).bucketMode() == BucketMode.HASH_DYNAMIC;
            StreamWriteBuilder builder = table.newStreamWriteBuilder().withCommitUser(commitUser);
            try (StreamTableWrite write = builder.newWrite();
                    StreamTableCommit commit = builder.newCommit()) {
                write.withIOManager(io);
                for (int i = 0; i < rows.size(); i++) {
                    if (dynamic) { // the writer's job says which bucket; here they take turns
                        write.write(rows.get(i), i % 2);
                    } else {
                        write.write(rows.get(i));
                    }
                }
                commits++;
                commit.commit(commits, write.prepareCommit(true, commits));
            }
            inserted.addAll(rows);
            return this;
        }

        Filling commit(GenericRow... rows) throws Exception {
            return commit(List.of(rows));
        }

        Filling alter(SchemaChange... changes) throws Exception {
            catalog.alterTable(Identifier.create(DATABASE, name), List.of(changes), false);
            return this;
        }

        Filling tag(String tag) throws Exception {
            open().createTag(tag);
            return this;
        }

        /** Starts a branch at a tag. What is returned fills the branch; this goes on filling the table. */
        Filling branch(String branch, String tag) throws Exception {
            open().createBranch(branch, tag);
            return new Filling(name + "$branch_" + branch);
        }

        /** Ends the filling of a table which must have all rows that it was given. */
        void expectAll() throws Exception {
            expect(inserted);
        }

        /** Ends the filling of a table which must have these rows. */
        Filling expect(List<GenericRow> rows) throws Exception {
            note("", open(), rows);
            return this;
        }

        Filling expect(GenericRow... rows) throws Exception {
            return expect(List.of(rows));
        }

        /** Says which rows the table must have at a tag. */
        Filling expectAt(String tag, GenericRow... rows) throws Exception {
            note("@" + tag, open().copy(Map.of("scan.tag-name", tag)), List.of(rows));
            return this;
        }

        private void note(String suffix, Table table, List<GenericRow> rows) throws Exception {
            List<String> lines = spell(table, rows);
            List<String> read = Dump.lines(table, io);
            if (!read.equals(lines)) {
                throw new IllegalStateException(
                        name + suffix + " has other rows than expected:\n" + String.join("\n", read)
                                + "\nin place of\n" + String.join("\n", lines));
            }
            Dump.write(expected.resolve(DATABASE + "." + name + suffix + ".jsonl"), lines);
        }

        private static List<String> spell(Table table, List<GenericRow> rows) {
            List<String> lines = new ArrayList<>();
            rows.forEach(row -> lines.add(Dump.line(row, table.rowType())));
            lines.sort(Dump.BY_UTF8);
            return lines;
        }
    }

    /** Makes a row; Java strings become Paimon's. */
    static GenericRow row(Object... values) {
        return GenericRow.of(Arrays.stream(values).map(Warehouse::internal).toArray());
    }

    static GenericRow change(RowKind kind, Object... values) {
        GenericRow row = row(values);
        row.setRowKind(kind);
        return row;
    }

    static GenericArray array(Object... values) {
        return new GenericArray(Arrays.stream(values).map(Warehouse::internal).toArray());
    }

    /** Makes a map of keys and values in turn. */
    static GenericMap map(Object... entries) {
        Map<Object, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < entries.length; i += 2) {
            map.put(internal(entries[i]), internal(entries[i + 1]));
        }
        return new GenericMap(map);
    }

    private static Object internal(Object value) {
        return value instanceof String ? BinaryString.fromString((String) value) : value;
    }

    /** Makes the rows FROM, FROM + STEP ... of (id, prefix + id), up to but not including TO. */
    static List<GenericRow> numbered(int from, int to, int step, String prefix) {
        List<GenericRow> rows = new ArrayList<>();
        for (int id = from; id < to; id += step) {
            rows.add(row(id, prefix + id));
        }
        return rows;
    }

    /** The schema of the simple tables, with options given as key and value in turn. */
    static Schema.Builder idAndName(String... options) {
        return options(
                Schema.newBuilder().column("id", DataTypes.INT().notNull()).column("name", DataTypes.STRING()),
                options);
    }

    /** The same with a primary key and one bucket. */
    static Schema.Builder keyed(String... options) {
        return options(idAndName("bucket", "1").primaryKey("id"), options);
    }

    static Schema.Builder options(Schema.Builder schema, String... options) {
        for (int i = 0; i < options.length; i += 2) {
            schema.option(options[i], options[i + 1]);
        }
        return schema;
    }
}
