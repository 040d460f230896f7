# SPDX-License-Identifier: Apache-2.0
"""Fills a warehouse folder with the tables that the Go tests read, through Spark.

    provision.py WAREHOUSE            fill an empty folder, then verify it
    provision.py --verify WAREHOUSE   verify only

A folder that was filled before is verified and left alone. Any other folder that is not empty is refused.
Verification reads every table back in a new Spark session and exits with 1 if a table is missing or differs.

Needs the Paimon jar in PAIMON_SPARK_JAR; run.sh takes care of that.
"""

import argparse
import os
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from urllib.parse import quote

from pyspark.sql import SparkSession

DATABASE = "default"


@dataclass(frozen=True)
class Table:
    """One table: the SQL that makes it and what must be true of it afterwards.

    In the SQL, {t} stands for the table's name. Every table has a column id INT NOT NULL, by which rows are ordered.
    """

    name: str
    statements: tuple[str, ...]
    rows: list[tuple]
    facts: tuple[tuple[str, list[tuple]], ...] = ()  # further queries, each with its exact answer

    def sql(self, text: str) -> str:
        return text.replace("{t}", self.name)


THREE_PEOPLE = [(1, "alice"), (2, "bob"), (3, "carol")]
INSERT_THREE_PEOPLE = "INSERT INTO {t} VALUES (1, 'alice'), (2, 'bob'), (3, 'carol')"

TABLES = [
    Table(
        "simple_log_table",
        ("CREATE TABLE {t} (id INT NOT NULL, name STRING)", INSERT_THREE_PEOPLE),
        THREE_PEOPLE,
    ),
    Table(
        "simple_pk_table",
        (
            "CREATE TABLE {t} (id INT NOT NULL, name STRING) TBLPROPERTIES ('primary-key' = 'id', 'bucket' = '1')",
            INSERT_THREE_PEOPLE,
        ),
        THREE_PEOPLE,
    ),
    # The first file stays where it is: the update and the delete mark rows 2 and 4 in its deletion vector. The huge
    # size-amplification limit keeps the compaction from rewriting that file, which would leave no vector behind.
    Table(
        "simple_dv_pk_table",
        (
            """CREATE TABLE {t} (id INT NOT NULL, name STRING) TBLPROPERTIES (
                 'primary-key' = 'id', 'bucket' = '1', 'deletion-vectors.enabled' = 'true',
                 'compaction.max-size-amplification-percent' = '100000')""",
            "INSERT INTO {t} VALUES (1, 'alice'), (2, 'bob-v1'), (3, 'carol'), (4, 'dave')",
            "INSERT INTO {t} VALUES (2, 'bob-v2')",
            "DELETE FROM {t} WHERE id = 4",
        ),
        [(1, "alice"), (2, "bob-v2"), (3, "carol")],
        (
            # More rows in the live files than in the table, and no level-0 file: a vector hides the difference.
            ("SELECT sum(record_count) > 3, min(level) > 0 FROM `{t}$files`", [(True, True)]),
        ),
    ),
    Table(
        "partitioned_log_table",
        (
            "CREATE TABLE {t} (id INT NOT NULL, name STRING, dt STRING) PARTITIONED BY (dt)",
            """INSERT INTO {t} VALUES
                 (1, 'alice', '2024-01-01'), (2, 'bob', '2024-01-01'), (3, 'carol', '2024-01-02')""",
        ),
        [(1, "alice", "2024-01-01"), (2, "bob", "2024-01-01"), (3, "carol", "2024-01-02")],
        (("SELECT count(DISTINCT partition) FROM `{t}$files`", [(2,)]),),
    ),
    Table(
        "multi_partitioned_log_table",
        (
            "CREATE TABLE {t} (id INT NOT NULL, name STRING, dt STRING, hr INT) PARTITIONED BY (dt, hr)",
            """INSERT INTO {t} VALUES
                 (1, 'alice', '2024-01-01', 10), (2, 'bob', '2024-01-01', 10),
                 (3, 'carol', '2024-01-01', 20), (4, 'dave', '2024-01-02', 10)""",
        ),
        [
            (1, "alice", "2024-01-01", 10),
            (2, "bob", "2024-01-01", 10),
            (3, "carol", "2024-01-01", 20),
            (4, "dave", "2024-01-02", 10),
        ],
        (("SELECT count(DISTINCT partition) FROM `{t}$files`", [(3,)]),),
    ),
    Table(
        "time_travel_table",
        (
            "CREATE TABLE {t} (id INT NOT NULL, name STRING)",
            "INSERT INTO {t} VALUES (1, 'alice'), (2, 'bob')",
            "CALL sys.create_tag(table => 'default.{t}', tag => 'snapshot1', snapshot => 1)",
            "INSERT INTO {t} VALUES (3, 'carol'), (4, 'dave')",
            "CALL sys.create_tag(table => 'default.{t}', tag => 'snapshot2', snapshot => 2)",
        ),
        [(1, "alice"), (2, "bob"), (3, "carol"), (4, "dave")],
        (
            ("SELECT snapshot_id FROM `{t}$snapshots` ORDER BY 1", [(1,), (2,)]),
            ("SELECT tag_name, snapshot_id FROM `{t}$tags` ORDER BY 1", [("snapshot1", 1), ("snapshot2", 2)]),
            ("SELECT * FROM {t} VERSION AS OF 'snapshot1' ORDER BY id", [(1, "alice"), (2, "bob")]),
            ("SELECT count(*) FROM {t} VERSION AS OF 'snapshot2'", [(4,)]),
        ),
    ),
    Table(
        "schema_evolution_add_column",
        (
            "CREATE TABLE {t} (id INT NOT NULL, name STRING)",
            "INSERT INTO {t} VALUES (1, 'alice'), (2, 'bob')",
            "ALTER TABLE {t} ADD COLUMNS (age INT)",
            "INSERT INTO {t} VALUES (3, 'carol', 30), (4, 'dave', 40)",
        ),
        [(1, "alice", None), (2, "bob", None), (3, "carol", 30), (4, "dave", 40)],
        (("SELECT count(*) FROM `{t}$schemas`", [(2,)]),),
    ),
    Table(
        "schema_evolution_drop_column",
        (
            "CREATE TABLE {t} (id INT NOT NULL, name STRING, score INT)",
            "INSERT INTO {t} VALUES (1, 'alice', 100), (2, 'bob', 200)",
            "ALTER TABLE {t} DROP COLUMN score",
            "INSERT INTO {t} VALUES (3, 'carol'), (4, 'dave')",
        ),
        [(1, "alice"), (2, "bob"), (3, "carol"), (4, "dave")],
        (("SELECT count(*) FROM `{t}$schemas`", [(2,)]),),
    ),
    Table(
        "schema_evolution_type_promotion",
        (
            "CREATE TABLE {t} (id INT NOT NULL, amount INT, ratio FLOAT)",
            "INSERT INTO {t} VALUES (1, 100, CAST(0.5 AS FLOAT)), (2, -200, CAST(1.25 AS FLOAT))",
            "ALTER TABLE {t} ALTER COLUMN amount TYPE BIGINT",
            "ALTER TABLE {t} ALTER COLUMN ratio TYPE DOUBLE",
            "INSERT INTO {t} VALUES (3, 3000000000, 0.1D)",
        ),
        [(1, 100, 0.5), (2, -200, 1.25), (3, 3000000000, 0.1)],
        (("SELECT count(*) FROM `{t}$schemas`", [(3,)]),),
    ),
    Table(
        "complex_type_table",
        (
            """CREATE TABLE {t} (
                 id INT NOT NULL, tags ARRAY<STRING>, counts MAP<STRING, INT>, person STRUCT<name: STRING, age: INT>,
                 teams ARRAY<STRUCT<name: STRING, sizes: ARRAY<INT>>>)""",
            """INSERT INTO {t} VALUES
                 (1, array('a', 'b'), map('x', 1, 'y', 2), named_struct('name', 'alice', 'age', 30),
                  array(named_struct('name', 'red', 'sizes', array(1, 2)))),
                 (2, array('c', CAST(NULL AS STRING)), map('z', CAST(NULL AS INT)),
                  named_struct('name', 'bob', 'age', CAST(NULL AS INT)),
                  array(named_struct('name', 'blue', 'sizes', CAST(array() AS ARRAY<INT>)))),
                 (3, CAST(array() AS ARRAY<STRING>), CAST(map() AS MAP<STRING, INT>),
                  named_struct('name', CAST(NULL AS STRING), 'age', 40),
                  CAST(array() AS ARRAY<STRUCT<name: STRING, sizes: ARRAY<INT>>>)),
                 (4, NULL, NULL, NULL, NULL)""",
        ),
        [
            (1, ["a", "b"], {"x": 1, "y": 2}, ("alice", 30), [("red", [1, 2])]),
            (2, ["c", None], {"z": None}, ("bob", None), [("blue", [])]),
            (3, [], {}, (None, 40), []),
            (4, None, None, None, None),
        ],
    ),
    Table(
        "multi_bucket_pk_table",
        (
            "CREATE TABLE {t} (id INT NOT NULL, name STRING) TBLPROPERTIES ('primary-key' = 'id', 'bucket' = '4')",
            "INSERT INTO {t} SELECT CAST(id AS INT), concat('name-', id) FROM range(1, 21)",
            "INSERT INTO {t} SELECT CAST(id AS INT), concat('name-', id, '-v2') FROM range(16, 21)",
        ),
        [(i, f"name-{i}" if i < 16 else f"name-{i}-v2") for i in range(1, 21)],
        (("SELECT count(DISTINCT bucket) FROM `{t}$files`", [(4,)]),),
    ),
    Table(
        "dynamic_bucket_pk_table",
        (
            """CREATE TABLE {t} (id INT NOT NULL, name STRING) TBLPROPERTIES (
                 'primary-key' = 'id', 'bucket' = '-1', 'dynamic-bucket.target-row-num' = '4')""",
            "INSERT INTO {t} SELECT CAST(id AS INT), concat('name-', id) FROM range(1, 11)",
            "INSERT INTO {t} VALUES (1, 'name-1-v2'), (11, 'name-11')",
        ),
        [(1, "name-1-v2")] + [(i, f"name-{i}") for i in range(2, 12)],
        (("SELECT count(DISTINCT bucket) > 1 FROM `{t}$files`", [(True,)]),),
    ),
    Table(
        "first_row_pk_table",
        (
            """CREATE TABLE {t} (id INT NOT NULL, name STRING) TBLPROPERTIES (
                 'primary-key' = 'id', 'bucket' = '1', 'merge-engine' = 'first-row')""",
            "INSERT INTO {t} VALUES (1, 'alice'), (2, 'bob')",
            "INSERT INTO {t} VALUES (2, 'bob-ignored'), (3, 'carol')",
        ),
        THREE_PEOPLE,
    ),
    # Spark has no TIME, no MULTISET and one timestamp precision; those types come from other writers. No struct here
    # has only null fields: Paimon 0.9.0 writes it rightly but reads it back as a null struct.
    Table(
        "full_types_table",
        (
            """CREATE TABLE {t} (
                 id INT NOT NULL,
                 c_boolean BOOLEAN, c_tinyint TINYINT, c_smallint SMALLINT, c_int INT, c_bigint BIGINT,
                 c_float FLOAT, c_double DOUBLE,
                 c_decimal_9 DECIMAL(9, 2), c_decimal_18 DECIMAL(18, 4), c_decimal_38 DECIMAL(38, 10),
                 c_string STRING, c_char CHAR(5), c_varchar VARCHAR(10), c_binary BINARY,
                 c_date DATE, c_timestamp TIMESTAMP, c_timestamp_ntz TIMESTAMP_NTZ,
                 c_array ARRAY<INT>, c_map MAP<STRING, BIGINT>, c_struct STRUCT<a: INT, b: STRING>)""",
            """INSERT INTO {t} VALUES
                 (1, true, 1Y, 2S, 3, 4L, CAST(1.5 AS FLOAT), 2.5D, 12.34BD, 1234.5678BD, 0.0000000001BD,
                  'héllo 世界', 'abc', 'varchar', X'00FF10',
                  DATE '2024-02-29', TIMESTAMP '2024-02-29 12:34:56.789012',
                  TIMESTAMP_NTZ '2024-02-29 12:34:56.789012',
                  array(1, NULL, 3), map('k', 9L), named_struct('a', 1, 'b', 'x')),
                 (2, false, -128Y, -32768S, -2147483648, -9223372036854775808L,
                  CAST('-Infinity' AS FLOAT), DOUBLE(-1.7976931348623157E308),
                  -9999999.99BD, -99999999999999.9999BD, -9999999999999999999999999999.9999999999BD,
                  '', '', '', X'',
                  DATE '1969-12-31', TIMESTAMP '1969-12-31 23:59:59.5', TIMESTAMP_NTZ '1969-12-31 23:59:59.5',
                  array(), map(), named_struct('a', -2147483648, 'b', NULL)),
                 (3, true, 127Y, 32767S, 2147483647, 9223372036854775807L,
                  CAST('Infinity' AS FLOAT), DOUBLE(1.7976931348623157E308),
                  9999999.99BD, 99999999999999.9999BD, 9999999999999999999999999999.9999999999BD,
                  'z', 'abcde', '0123456789', X'FF',
                  DATE '9999-12-31', TIMESTAMP '9999-12-31 23:59:59.999999',
                  TIMESTAMP_NTZ '9999-12-31 23:59:59.999999',
                  array(2147483647), map('', 0L), named_struct('a', 2147483647, 'b', ''))""",
            "INSERT INTO {t} (id) VALUES (4)",
        ),
        [
            (
                1, True, 1, 2, 3, 4, 1.5, 2.5, Decimal("12.34"), Decimal("1234.5678"), Decimal("0.0000000001"),
                "héllo 世界", "abc  ", "varchar", b"\x00\xff\x10",
                date(2024, 2, 29), datetime(2024, 2, 29, 12, 34, 56, 789012),
                datetime(2024, 2, 29, 12, 34, 56, 789012),
                [1, None, 3], {"k": 9}, (1, "x"),
            ),
            (
                2, False, -(2**7), -(2**15), -(2**31), -(2**63), float("-inf"), -sys.float_info.max,
                Decimal("-9999999.99"), Decimal("-99999999999999.9999"),
                Decimal("-9999999999999999999999999999.9999999999"),
                "", "     ", "", b"",
                date(1969, 12, 31), datetime(1969, 12, 31, 23, 59, 59, 500000),
                datetime(1969, 12, 31, 23, 59, 59, 500000),
                [], {}, (-(2**31), None),
            ),
            (
                3, True, 2**7 - 1, 2**15 - 1, 2**31 - 1, 2**63 - 1, float("inf"), sys.float_info.max,
                Decimal("9999999.99"), Decimal("99999999999999.9999"),
                Decimal("9999999999999999999999999999.9999999999"),
                "z", "abcde", "0123456789", b"\xff",
                date(9999, 12, 31), datetime(9999, 12, 31, 23, 59, 59, 999999),
                datetime(9999, 12, 31, 23, 59, 59, 999999),
                [2**31 - 1], {"": 0}, (2**31 - 1, ""),
            ),
            (4,) + (None,) * 20,
        ],
    ),
]  # fmt: skip


def open_session(warehouse: Path, scratch: str) -> SparkSession:
    """Starts Spark with the Paimon catalog over the warehouse folder as its default catalog."""
    spark = (
        SparkSession.builder.master("local[2]")
        .appName("paimon-provision")
        .config("spark.driver.extraClassPath", os.environ["PAIMON_SPARK_JAR"])
        .config("spark.driver.extraJavaOptions", "-Duser.timezone=UTC")
        .config("spark.sql.extensions", "org.apache.paimon.spark.extensions.PaimonSparkSessionExtensions")
        .config("spark.sql.catalog.paimon", "org.apache.paimon.spark.SparkCatalog")
        .config("spark.sql.catalog.paimon.warehouse", f"file://{warehouse}")
        .config("spark.sql.defaultCatalog", "paimon")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.warehouse.dir", scratch)
        .config("spark.local.dir", scratch)
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.log.level", "ERROR")
        .getOrCreate()
    )
    spark.sql(f"USE {DATABASE}")
    return spark


def provision(spark: SparkSession) -> None:
    """Creates and fills every table."""
    for table in TABLES:
        started = time.monotonic()
        for statement in table.statements:
            spark.sql(table.sql(statement))
        print(f"  made {table.name} in {time.monotonic() - started:.1f} s", flush=True)


def answer(spark: SparkSession, query: str) -> list[tuple]:
    """Runs a query and returns its rows as tuples."""
    return [tuple(row) for row in spark.sql(query).collect()]


def check(spark: SparkSession, table: Table) -> tuple[int, list[str]]:
    """Compares one table with what it must hold; returns its row count and the differences found."""
    problems = []
    rows = answer(spark, table.sql("SELECT * FROM {t} ORDER BY id"))
    if len(rows) != len(table.rows):
        problems.append(f"{len(rows)} rows, expected {len(table.rows)}")
    problems += [f"row {got}, expected {want}" for got, want in zip(rows, table.rows) if got != want]
    if spark.table(table.name).schema["id"].nullable:
        problems.append("column id is nullable")
    for query, want in table.facts:
        got = answer(spark, table.sql(query))
        if got != want:
            problems.append(f"{table.sql(query)}: {got}, expected {want}")
    return len(rows), problems


def root_cause(error: Exception) -> str:
    """Returns the one line of a Spark error that says what went wrong."""
    lines = str(error).splitlines() or [type(error).__name__]
    causes = [line for line in lines if line.startswith("Caused by: ")]
    return causes[-1] if causes else lines[0]


def verify(spark: SparkSession) -> bool:
    """Reads every table back, prints its row count, and reports whether all is as it must be."""
    failed = 0
    for table in TABLES:
        try:
            count, problems = check(spark, table)
        except Exception as error:  # a missing table, or one that Spark cannot read
            count, problems = "-", [root_cause(error)]
        failed += bool(problems)
        print(f"  {'FAIL' if problems else 'ok':4}  {table.name:32} {count:>3} rows", flush=True)
        for problem in problems:
            print(f"        {problem}")
    print(f"{len(TABLES) - failed} of {len(TABLES)} tables are as expected")
    return failed == 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Fill a Paimon warehouse folder with test tables through Spark.")
    parser.add_argument("--verify", action="store_true", help="only verify a folder that was filled before")
    parser.add_argument("warehouse", type=Path, help="the folder; created if it does not exist")
    arguments = parser.parse_args()

    # PySpark turns timestamps into the local time of this process.
    os.environ["TZ"] = "UTC"
    time.tzset()

    warehouse = arguments.warehouse.resolve()
    if quote(str(warehouse)) != str(warehouse):
        print(f"{warehouse}: refused, for Spark would fill {quote(str(warehouse))}", file=sys.stderr)
        return 1

    # Opening the catalog creates the database, so look at the folder before.
    filled = (warehouse / f"{DATABASE}.db").is_dir()
    if arguments.verify and not filled:
        print(f"{warehouse} holds no warehouse", file=sys.stderr)
        return 1
    if not filled and warehouse.exists() and (not warehouse.is_dir() or any(warehouse.iterdir())):
        print(f"{warehouse} is not an empty folder and holds no warehouse: refused", file=sys.stderr)
        return 1

    with tempfile.TemporaryDirectory() as scratch:
        if not filled:
            warehouse.mkdir(parents=True, exist_ok=True)
            print(f"filling {warehouse}", flush=True)
            spark = open_session(warehouse, scratch)
            try:
                provision(spark)
            finally:
                spark.stop()
        elif not arguments.verify:
            print(f"{warehouse} was filled before: nothing is written")

        print(f"verifying {warehouse}", flush=True)
        spark = open_session(warehouse, scratch)  # a new session: everything comes from the files
        try:
            sound = verify(spark)
        finally:
            spark.stop()
    if not sound:
        print(f"{warehouse} is incomplete or was changed: remove it and run again", file=sys.stderr)
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main())
