# SPDX-License-Identifier: Apache-2.0
"""Writes the rows of tables, as pypaimon or pypaimon-rust see them, in the interop row format.

Usage: dump.py python|rust WAREHOUSE OUTDIR NAME...

Makes OUTDIR/NAME.jsonl for each name: DATABASE.TABLE, DATABASE.TABLE$branch_BRANCH or, with pypaimon,
DATABASE.TABLE@TAG. The format is defined in java/src/Dump.java. Python's own conversions lose float32 widths and
nanoseconds, so values are spelled from the Arrow arrays. An Arrow type without a rule is an error.
"""

import base64
import datetime
import decimal
import json
import os
import sys

import pyarrow as pa

UNITS_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
EPOCH = datetime.datetime(1970, 1, 1)


def string(value):
    text = json.dumps(value, ensure_ascii=False)
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def encoded(value):
    return string(base64.b64encode(value).decode())


def boolean(value):
    return "true" if value else "false"


def number(text):
    """Spells a float from any shortest decimal text of it, such as Arrow's."""
    parsed = decimal.Decimal(text)
    if parsed.is_nan():
        return string("NaN")
    sign = "-" if parsed.is_signed() else ""
    if parsed.is_infinite():
        return string(sign + "Infinity")
    if parsed.is_zero():
        return sign + "0"
    parsed = parsed.normalize()
    exponent = parsed.adjusted()
    if -6 <= exponent < 21:
        return format(parsed, "f")
    digits = "".join(map(str, parsed.as_tuple().digits))
    fraction = "." + digits[1:] if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{fraction}e{exponent:+d}"


def date(days):
    return string((EPOCH + datetime.timedelta(days=days)).date().isoformat())


def time(ticks, unit):
    millis, rest = divmod(ticks * 1000, UNITS_PER_SECOND[unit])
    if rest:
        raise ValueError(f"time of day with more than milliseconds: {ticks} {unit}")
    return string((EPOCH + datetime.timedelta(milliseconds=millis)).time().isoformat("milliseconds"))


def timestamp(ticks, unit):
    seconds, fraction = divmod(ticks, UNITS_PER_SECOND[unit])
    nanos = fraction * (10**9 // UNITS_PER_SECOND[unit])
    moment = EPOCH + datetime.timedelta(seconds=seconds)
    return string(f"{moment.isoformat(timespec='seconds')}.{nanos:09d}")


def spell(array, values, rule, *args):
    """Applies a rule to each value that is not null."""
    return [
        rule(value, *args) if valid else "null"
        for value, valid in zip(values, array.is_valid().to_pylist(), strict=True)
    ]


def spans(array):
    """Gives the range of child values that belongs to each list of an array."""
    if pa.types.is_fixed_size_list(array.type):
        size = array.type.list_size
        return [range((array.offset + i) * size, (array.offset + i + 1) * size) for i in range(len(array))]
    offsets = array.offsets.to_pylist()
    return [range(start, end) for start, end in zip(offsets, offsets[1:])]


def texts(array):
    """Spells every element of an Arrow array."""
    kind, is_a = array.type, pa.types
    if is_a.is_dictionary(kind):
        return texts(array.dictionary_decode())
    if is_a.is_null(kind):
        return ["null"] * len(array)
    if is_a.is_boolean(kind):
        return spell(array, array.to_pylist(), boolean)
    if is_a.is_integer(kind):
        return spell(array, array.to_pylist(), str)
    if is_a.is_float32(kind) or is_a.is_float64(kind):
        return spell(array, array.cast(pa.string()).to_pylist(), number)
    if is_a.is_decimal(kind):
        return spell(array, array.to_pylist(), lambda value: string(format(value, "f")))
    if is_a.is_string(kind) or is_a.is_large_string(kind) or is_a.is_string_view(kind):
        return spell(array, array.to_pylist(), string)
    if is_a.is_binary(kind) or is_a.is_large_binary(kind) or is_a.is_binary_view(kind) or is_a.is_fixed_size_binary(kind):
        return spell(array, array.to_pylist(), encoded)
    if is_a.is_date32(kind):
        return spell(array, array.cast(pa.int32()).to_pylist(), date)
    if is_a.is_time(kind):
        integer = pa.int32() if is_a.is_time32(kind) else pa.int64()
        return spell(array, array.cast(integer).to_pylist(), time, kind.unit)
    if is_a.is_timestamp(kind):
        if kind.tz not in (None, "UTC"):
            raise TypeError(f"timestamps in zone {kind.tz}")
        return spell(array, array.cast(pa.int64()).to_pylist(), timestamp, kind.unit)
    if is_a.is_map(kind):
        keys, items = texts(array.keys), texts(array.items)
        # Python orders strings by code point, which is the order of their UTF-8 bytes.
        pairs = (sorted(f"[{keys[i]},{items[i]}]" for i in span) for span in spans(array))
        return spell(array, pairs, lambda value: f"[{','.join(value)}]")
    if is_a.is_list(kind) or is_a.is_large_list(kind) or is_a.is_fixed_size_list(kind):
        elements = texts(array.values)
        lists = ([elements[i] for i in span] for span in spans(array))
        return spell(array, lists, lambda value: f"[{','.join(value)}]")
    if is_a.is_struct(kind):
        names = [kind.field(i).name for i in range(kind.num_fields)]
        columns = [array.field(i) for i in range(kind.num_fields)]
        return spell(array, objects(names, columns, len(array)), str)
    raise TypeError(f"no row format for Arrow type {kind}")


def objects(names, columns, count):
    """Spells rows that are given as columns."""
    keys = [string(name) for name in names]
    spelled = [texts(column) for column in columns]
    return ["{" + ",".join(f"{key}:{column[i]}" for key, column in zip(keys, spelled)) + "}" for i in range(count)]


def read_with_python(catalog, name):
    identifier, _, tag = name.partition("@")
    table = catalog.get_table(identifier)
    if tag:
        table = table.copy({"scan.tag-name": tag})
    builder = table.new_read_builder()
    rows = builder.new_read().to_arrow(builder.new_scan().plan().splits())
    return [field.name for field in table.fields], rows.to_batches()


def read_with_rust(catalog, name):
    table = catalog.get_table(tuple(name.split(".", 1)))
    builder = table.new_read_builder()
    batches = builder.new_read().read_arrow(builder.new_scan().plan().splits())
    return [field.name() for field in table.schema().fields()], batches


def lines(columns, batches):
    spelled = []
    for batch in batches:
        if batch.schema.names != columns:
            raise ValueError(f"columns {batch.schema.names} in place of {columns}")
        spelled += objects(columns, batch.columns, batch.num_rows)
    return sorted(spelled)


def main():
    if len(sys.argv) < 4 or sys.argv[1] not in ("python", "rust"):
        sys.exit("usage: dump.py python|rust WAREHOUSE OUTDIR NAME...")
    reader, warehouse, out, *names = sys.argv[1:]
    options = {"warehouse": os.path.abspath(warehouse)}  # the engine takes absolute paths only
    if reader == "python":
        from pypaimon import CatalogFactory

        catalog, read = CatalogFactory.create(options), read_with_python
    else:
        from pypaimon_rust.datafusion import PaimonCatalog

        catalog, read = PaimonCatalog(options), read_with_rust
    failed = False
    for name in names:
        try:
            text = "".join(line + "\n" for line in lines(*read(catalog, name)))
        except Exception as e:
            print(f"{name}: {e!r}", file=sys.stderr)
            failed = True
            continue
        with open(os.path.join(out, name + ".jsonl"), "x", encoding="utf-8", newline="") as file:
            file.write(text)
    sys.exit(failed)


if __name__ == "__main__":
    main()
