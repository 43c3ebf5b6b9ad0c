"""Random files with random options of their readers: CSV of any dialect, JSON, and Parquet in one piece, several and in folders."""

from __future__ import annotations

import csv
import io
import json
import random
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Literal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.fuzz.check import Pair
from tests.fuzz.data import storable, tame_table
from tests.fuzz.report import Report, judge
from tests.limits import limit
from tqp.io import packed
from tqp.io.json import file as json_file

_FILES: Final = 3
_CELLS: Final[dict[str, tuple[str, ...]]] = {
    "integers": ("1", "-7", "0", "2147483648", "9223372036854775807", "007", "+3"),
    "numbers": ("1.5", "-0.25", "1e3", "2", ".5", "5."),
    "texts": ("a", "b c", "Zoë", "it's", "x,y", 'say "no"', "two\nlines", "a;b", " padded ", "日本", "1|2", "#9"),
    "dates": ("2020-02-29", "1999-12-31", "2024-1-5"),
    "days first": ("31/12/2020", "01/02/2020", "13/02/2021"),
    "moments": ("2020-01-01 10:00:00", "2020-01-01 10:00:00.123456", "1999-12-31T23:59:59"),
    "times": ("10:00:00", "23:59:59.5", "00:00:00"),
    "truths": ("true", "false", "TRUE", "False"),
    "mixed": ("1", "x", "2.5", "true", "2020-01-01"),
}
_TYPES: Final = ("VARCHAR", "INTEGER", "BIGINT", "DOUBLE", "DATE", "TIMESTAMP", "DECIMAL(9, 2)", "BOOLEAN", "HUGEINT")
_NAMES: Final = ("a", "B", "some name", "c", "a_1", "ß")


def files(seed: int) -> Report:
    """Files, and queries that read them."""
    rng = random.Random(seed)
    pair = Pair([], strict=False)
    report = Report()
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        # Also of small files only the beginning is read first, and in both ways.
        patch.setattr(packed, "_FIRST", rng.choice((16, 64, 2**20)))
        patch.setattr(json_file, "_WORTH", rng.choice((1, 2**16)))
        limit(patch, excerpt_rows=rng.choice((0, 2**11)), excerpt_share=1.0)
        for number in range(_FILES):
            place = Path(folder) / str(number)
            place.mkdir()
            call, shown = rng.choice((_csv, _csv, _json, _parquet))(rng, place)
            for _ in range(3):
                judge(report, pair, _query(rng, call), f"files, seed {seed}, {shown}")
    pair.close()
    return report


def _query(rng: random.Random, call: str) -> str:
    return rng.choice((
        f"FROM {call}", f"FROM {call}", f"SELECT count(*) FROM {call}", f"SELECT typeof(COLUMNS(*)) FROM {call} LIMIT 1",
        f"SELECT count(COLUMNS(*)) FROM {call}", f"SELECT * FROM {call} LIMIT {rng.randint(1, 3)}",
        f"SELECT min(COLUMNS(*)) FROM {call}", f"SELECT a, count(*) FROM {call} GROUP BY a", f"SELECT c FROM {call} WHERE a IS NOT NULL",
        f"SELECT * FROM (FROM {call}) WHERE a > (SELECT min(a) FROM {call})",
    ))  # fmt: skip


def _call(function: str, path: Path | list[Path], options: dict[str, str]) -> str:
    paths = f"'{path}'" if isinstance(path, Path) else f"[{', '.join([_quoted(str(one)) for one in path])}]"
    given = [f"{name} = {value}" for name, value in options.items()]
    return f"{function}({', '.join([paths, *given])})"


def _some(rng: random.Random, options: dict[str, Callable[[], str]], share: float) -> dict[str, str]:
    """Each option with that probability."""
    return {name: value() for name, value in options.items() if rng.random() < share}


_FORMS: Final = ("one", "one", "one", "one", "glob", "list", "folders")


def _several(
    form: str, rng: random.Random, place: Path, name: str, write: Callable[[Path], str]
) -> tuple[Path | list[Path], str]:
    """One file or two, alone, as a glob, as a list, or in folders of keys; and what is in them."""
    if form == "one":
        return place / name, write(place / name)
    if form == "folders":
        key = rng.choice(("k", "a"))
        paths = [place / f"{key}={value}" / name for value in rng.sample(("1", "x", "2020-01-01"), 2)]
    else:
        paths = [place / f"{number}{name}" for number in range(2)]
    texts = []
    for path in paths:
        path.parent.mkdir(exist_ok=True)
        texts.append(write(path))
    pattern = {"glob": place / f"*{name}", "folders": place / "*" / name}.get(form, paths)
    return pattern, "; ".join(texts)


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _csv(rng: random.Random, place: Path) -> tuple[str, str]:
    mark = rng.choice((",", ",", ",", ";", "|", "\t"))
    form = rng.choice(_FORMS)
    # DuckDB reads all files with the quotes of the first one, which may have none.
    quoting: Literal[0, 1] = csv.QUOTE_MINIMAL if form == "one" and rng.random() < 0.7 else csv.QUOTE_ALL
    ends = rng.choice(("\n", "\n", "\r\n"))
    names = rng.sample(_NAMES, rng.randint(1, 4))
    kinds = [rng.choice(list(_CELLS)) for _ in names]
    # DuckDB loses a line that is alone in its file, as it takes it for the header that another file has.
    header = form != "one" or rng.random() < 0.8
    null = rng.choice(("", "", "NULL", "-"))

    def write(path: Path) -> str:
        text = io.StringIO()
        writer = csv.writer(text, delimiter=mark, quoting=quoting, lineterminator=ends)
        if header:
            writer.writerow(names)
        for _ in range(rng.choice((0, 1, 3, 6) if form == "one" else (1, 2, 6))):
            row = [null if rng.random() < 0.15 else rng.choice(_CELLS[kind]) for kind in kinds]
            writer.writerow(row[:-1] if form == "one" and len(row) > 1 and rng.random() < 0.03 else row)
        written = text.getvalue()
        if rng.random() < 0.1:
            written = written.removesuffix(ends)
        path.write_bytes(written.encode())
        return repr(written)

    path, shown = _several(form, rng, place, "x.csv", write)
    options = {"delim": _quoted(mark)} if rng.random() < 0.4 else {}
    if rng.random() < 0.4:
        options["header"] = str(header).lower()
    if null and rng.random() < 0.6:
        options["nullstr"] = _quoted(null)
    options |= _some(rng, {
        "all_varchar": lambda: "true", "skip": lambda: rng.choice("01"), "null_padding": lambda: "true",
        "ignore_errors": lambda: "true", "normalize_names": lambda: "true", "filename": lambda: "true",
        "union_by_name": lambda: "true", "sample_size": lambda: rng.choice(("1", "2", "-1")), "auto_detect": lambda: "true",
        "dateformat": lambda: "'%d/%m/%Y'", "names": lambda: "['a']", "quote": lambda: "'\"'", "comment": lambda: "'#'",
        "decimal_separator": lambda: "'.'", "force_not_null": lambda: f"[{_quoted(rng.choice(names))}]",
        "types": lambda: f"{{{_quoted(rng.choice(names))}: '{rng.choice(_TYPES)}'}}",
    }, 0.07)  # fmt: skip
    if "nullstr" in options:
        # DuckDB forgets force_not_null in some queries that do not read all columns.
        options.pop("force_not_null", None)
    if ends == "\r\n":
        # DuckDB loses the line behind those that it leaves out of a file of one column.
        options.pop("skip", None)
    if header and rng.random() < 0.1:
        # What is no value of its type is left out with the row, here whether or not a query asks for the column.
        options.pop("ignore_errors", None)
        columns = ", ".join(f"{_quoted(name)}: '{rng.choice(_TYPES)}'" for name in names)
        options["columns"] = f"{{{columns}}}"
    return _call("read_csv", path, options), shown


def _value(rng: random.Random, depth: int) -> Any:
    """A JSON value."""
    if depth and rng.random() < 0.25:
        if rng.random() < 0.5:
            return [_value(rng, depth - 1) for _ in range(rng.randint(0, 2))]
        return {key: _value(rng, depth - 1) for key in rng.sample(("a", "b", "é"), rng.randint(0, 2))}
    return rng.choice((
        None, 0, 7, -3, 2.5, 1e20, 2**40, 2**63, True, False, "", "x", "12", "2020-02-29", "2020-01-01 10:00:00", "10:00:00",
        "Zoë \"q\" \\", "7f2c9e0e-8c3f-4a52-9d53-0f3a7d1c5b11",
    ))  # fmt: skip


def _json(rng: random.Random, place: Path) -> tuple[str, str]:
    names = rng.sample(_NAMES, rng.randint(1, 3))
    shapes = {name: rng.choice((0, 0, 1, 2)) for name in names}
    kinds = {name: [_value(rng, shapes[name]) for _ in range(rng.choice((1, 2, 3)))] for name in names}
    written = rng.choice(("newline_delimited", "newline_delimited", "array", "unstructured"))

    def write(path: Path) -> str:
        rows: list[Any] = []
        for _ in range(rng.choice((0, 1, 3, 5))):
            row = {name: rng.choice(kinds[name]) for name in names if rng.random() < 0.9}
            rows.append(_value(rng, 1) if rng.random() < 0.03 else row)
        match written:
            case "array":
                text = json.dumps(rows, ensure_ascii=rng.random() < 0.5)
            case "newline_delimited":
                text = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
            case _:
                text = "\n".join(json.dumps(row, indent=1) for row in rows)
        path.write_text(text)
        return repr(text)

    path, shown = _several(rng.choice(_FORMS), rng, place, "x.json", write)
    options = {"format": f"'{written}'"} if rng.random() < 0.3 else {}
    columns = ", ".join(f"{_quoted(name)}: '{rng.choice((*_TYPES, 'JSON', 'INTEGER[]'))}'" for name in names)
    options |= _some(rng, {
        "maximum_depth": lambda: rng.choice("012"), "sample_size": lambda: rng.choice(("1", "2", "-1")),
        "records": lambda: rng.choice(("true", "false", "'auto'")), "ignore_errors": lambda: "true", "filename": lambda: "true",
        "union_by_name": lambda: "true", "convert_strings_to_integers": lambda: "true", "columns": lambda: f"{{{columns}}}",
    }, 0.08)  # fmt: skip
    return _call("read_json", path, options), shown


def _parquet(rng: random.Random, place: Path) -> tuple[str, str]:
    first = storable(tame_table(rng, "t")).data
    other = first if rng.random() < 0.7 else storable(tame_table(rng, "t")).data
    tables = [first, other]

    def write(path: Path) -> str:
        table: pa.Table = tables.pop(0)
        if rng.random() < 0.3:
            names = rng.sample(table.column_names, rng.randint(1, table.num_columns))
            table = table.select(names)
        pq.write_table(
            table,
            path,
            row_group_size=rng.choice((1, 3, 1000)),
            compression=rng.choice(("snappy", "zstd", "none", "gzip")),
            use_dictionary=rng.random() < 0.5,
            version=rng.choice(("1.0", "2.4", "2.6")),
        )
        return f"{table.schema.names} of {table.num_rows} rows"

    path, shown = _several(rng.choice(_FORMS), rng, place, "x.parquet", write)
    options = _some(rng, {
        "filename": lambda: "true", "file_row_number": lambda: "true", "union_by_name": lambda: "true",
        "hive_partitioning": lambda: rng.choice(("true", "false")),
    }, 0.2)  # fmt: skip
    return _call("read_parquet", path, options), shown
