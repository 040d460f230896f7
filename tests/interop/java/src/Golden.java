// SPDX-License-Identifier: Apache-2.0

package interop;

import static interop.Warehouse.change;
import static interop.Warehouse.idAndName;
import static interop.Warehouse.keyed;
import static interop.Warehouse.numbered;
import static interop.Warehouse.row;

import java.nio.file.Path;
import java.util.List;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowKind;

/**
 * Writes the golden warehouse, which is small and kept in the repository.
 *
 * <p>Usage: {@code Golden OUTDIR}, see {@link Warehouse}.
 */
public final class Golden {
    private Golden() {}

    public static void main(String[] args) throws Exception {
        if (args.length != 1) {
            System.err.println("usage: Golden OUTDIR");
            System.exit(2);
        }
        try (Warehouse w = new Warehouse(Path.of(args[0]), "golden")) {
            List<GenericRow> people = List.of(row(1, "alice"), row(2, "bob"), row(3, "carol"));
            w.create("simple_pk_table", keyed()).commit(people).expectAll();
            w.create("simple_log_table", idAndName()).commit(people).expectAll();
            w.create("simple_orc_table", idAndName("file.format", "orc")).commit(people).expectAll();
            w.create("simple_avro_table", idAndName("file.format", "avro")).commit(people).expectAll();
            w.create("multi_bucket_pk_table", keyed("bucket", "4"))
                    .commit(numbered(1, 21, 1, "n"))
                    .expectAll();
            // Java compacts as it commits: the delete is in a deletion vector, not in a file of its own.
            w.create("deletion_vector_table", keyed("deletion-vectors.enabled", "true"))
                    .commit(numbered(1, 6, 1, "n"))
                    .commit(change(RowKind.DELETE, 2, "n2"))
                    .expect(row(1, "n1"), row(3, "n3"), row(4, "n4"), row(5, "n5"));
            w.create(
                            "partitioned_log_table",
                            Schema.newBuilder()
                                    .column("id", DataTypes.INT())
                                    .column("name", DataTypes.STRING())
                                    .column("dt", DataTypes.STRING())
                                    .partitionKeys("dt"))
                    .commit(row(1, "alice", "2024-01-01"), row(2, "bob", "2024-01-01"), row(3, "carol", "2024-01-02"))
                    .expectAll();
        }
    }
}
