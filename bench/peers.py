# SPDX-License-Identifier: Apache-2.0
"""Runs tasks with pypaimon or pypaimon-rust: a side of the benchmarks.

Usage: peers.py python|rust

Reads tasks from standard input, one JSON object a line as task.go describes them, and answers each with a line.
"""

import json
import os
import resource
import sys
import time
import traceback

import pyarrow as pa

SCHEMA = pa.schema([pa.field("id", pa.int64(), nullable=False), pa.field("v", pa.float64()), pa.field("s", pa.string())])
MASK = 2**64 - 1


class Python:
    """pypaimon, with its defaults: in Python and pyarrow throughout."""

    def table(self, task):
        from pypaimon import CatalogFactory

        return CatalogFactory.create({"warehouse": task["warehouse"]}).get_table("bench." + task["table"])

    def below(self, builder, bound):
        return builder.with_filter(builder.new_predicate_builder().less_than("id", bound))

    def batches(self, builder):
        yield from builder.new_read().to_arrow_batch_reader(builder.new_scan().plan().splits())

    def write(self, writer, batches):
        for batch in batches:
            writer.write_arrow_batch(batch)

    def commit(self, writer, commit, identifier):
        commit.commit(writer.prepare_commit(identifier), identifier)


class Rust:
    """pypaimon-rust: Python over the Rust crate, as this library is Go over it."""

    def table(self, task):
        from pypaimon_rust.datafusion import PaimonCatalog

        return PaimonCatalog({"warehouse": task["warehouse"]}).get_table("bench." + task["table"])

    def below(self, builder, bound):
        return builder.with_filter({"method": "lessThan", "index": 0, "field": "id", "literals": [bound]})

    def batches(self, builder):
        yield from builder.new_read().read_arrow(builder.new_scan().plan().splits())

    def write(self, writer, batches):
        for batch in batches:
            writer.write_arrow(batch)

    def commit(self, writer, commit, identifier):
        commit.commit(identifier, writer.prepare_commit(False, identifier))


def read(side, task):
    start = Watch()
    builder = side.table(task).new_read_builder()
    if task.get("columns"):
        builder = builder.with_projection(task["columns"])
    if task.get("below"):
        builder = side.below(builder, task["below"])
    if task.get("limit"):
        builder = builder.with_limit(task["limit"])
    rows = count = first = 0
    for batch in side.batches(builder):
        first = first or start.wall()
        rows += batch.num_rows
        count += 1
        if 0 < task.get("limit", 0) <= rows:  # to pypaimon-rust a limit is but a hint
            break
    return start.stop(rows=rows, batches=count, first=first)


def write(side, task):
    data = made(task)
    start = Watch()
    table = side.table(task)
    commits = task.get("commits", 1)
    if commits == 1:
        builder = table.new_batch_write_builder()
        writer, commit = builder.new_write(), builder.new_commit()
        side.write(writer, data)
        commit.commit(writer.prepare_commit())
    else:
        builder = table.new_stream_write_builder()
        writer, commit = builder.new_write(), builder.new_commit()
        size = -(-len(data) // commits)
        for n in range(commits):
            side.write(writer, data[n * size : (n + 1) * size])
            side.commit(writer, commit, n + 1)
    writer.close()
    return start.stop(rows=task["rows"], batches=len(data))


MADE = {}


def made(task):
    """The batches of a task, with the rows of data.go."""
    first, rows, size = task.get("from", 0), task["rows"], task["batch_rows"]
    key = (first, rows, size)
    if key not in MADE:
        MADE.clear()
        MADE[key] = [batch(at, min(at + size, first + rows)) for at in range(first, first + rows, size)]
    return MADE[key]


def batch(first, end):
    import numpy as np

    ids = np.arange(first, end, dtype=np.int64)
    z = ids.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    digits = np.empty((len(ids), 10), dtype=np.uint8)
    digits[:, 0] = ord("r")
    rest = z % np.uint64(10**9)
    for at in range(9, 0, -1):
        digits[:, at] = rest % np.uint64(10) + np.uint64(ord("0"))
        rest //= np.uint64(10)
    offsets = np.arange(0, 10 * len(ids) + 1, 10, dtype=np.int32)
    texts = pa.StringArray.from_buffers(len(ids), pa.py_buffer(offsets), pa.py_buffer(digits.tobytes()))
    return pa.record_batch([pa.array(ids), pa.array((z >> np.uint64(11)) / 2.0**53), texts], schema=SCHEMA)


class Watch:
    def __init__(self):
        self.cpu, self.began = cpu(), time.perf_counter_ns()

    def wall(self):
        return time.perf_counter_ns() - self.began

    def stop(self, **more):
        return {"wall": self.wall(), "cpu": cpu() - self.cpu, **more}


def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return int((usage.ru_utime + usage.ru_stime) * 1e9)


def reset_peak():
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")


def peak():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("VmHWM:"))


def main():
    side = {"python": Python, "rust": Rust}[sys.argv[1]]()
    # What the libraries print goes where it does not mix with results.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        try:
            task = json.loads(line)
            reset_peak()
            if task["op"] == "generate":
                made(task)
                result = {}
            else:
                result = {"read": read, "write": write}[task["op"]](side, task)
            result["peak"] = peak()
        except Exception as error:
            traceback.print_exc()
            result = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(result), file=out, flush=True)


if __name__ == "__main__":
    main()
