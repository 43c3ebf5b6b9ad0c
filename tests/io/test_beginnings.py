"""A look at a file of text reads its beginning, and says of it what all of it says."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tqp
from tests.limits import limit
from tqp.errors import SourceError
from tqp.io import packed
from tqp.io.csv.file import CsvFile
from tqp.io.json import file as json_file
from tqp.io.json.file import JsonFile
from tqp.io.packed import beginnings, text_of
from tqp.io.state import LOCAL, File

LINES = 6000


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of files as all of them is read, of those that are longer than their beginnings."""
    monkeypatch.setattr(packed, "_FIRST", 2**14)
    found: list[str] = []
    before = CsvFile._keep

    def watched(self: CsvFile, text: str) -> None:
        found.append(Path(self.file.path).name)
        before(self, text)

    monkeypatch.setattr(CsvFile, "_keep", watched)
    return found


def lines(row: Callable[[int], str], count: int = LINES) -> str:
    return "".join(row(number) + "\n" for number in range(count))


def plain(number: int) -> str:
    return f"{number},{number % 7}.5,2020-01-{number % 28 + 1:02},name {number % 100}"


def written(folder: Path, text: str, name: str = "x.csv") -> Path:
    path = folder / name
    path.write_text(text, newline="")
    # Long enough ago that its time of change tells the next one from it.
    before = path.stat().st_mtime_ns - 10**9
    os.utime(path, ns=(before, before))
    return path


def same(con: tqp.Connection, query: str) -> None:
    assert con.sql(query).fetchall() == duckdb.sql(query).fetchall()


@pytest.mark.parametrize(
    "row",
    [
        plain,
        lambda number: f'{number},"a ""quoted"" value, of two\nlines {number}",x',
        lambda number: f"{number};'it''s; {number}';",
        lambda number: plain(number) + (" # a comment" if number % 3 else ""),
        lambda number: plain(number) if number % 5 else "",
        lambda number: f"{number}|é ü {number}|",
    ],
    ids=["plain", "quoted", "other quotes", "comments", "blank lines", "one more"],
)
@pytest.mark.parametrize("head", ["", "a,b,c,d\n"], ids=["no header", "header"])
def test_a_look_reads_the_beginning(row: Callable[[int], str], head: str, tmp_path: Path, read: list[str]) -> None:
    path = written(tmp_path, head + lines(row))
    con = tqp.connect(threads=1)
    table = f"read_csv('{path}', sample_size = 100)"
    assert con.sql(f"FROM {table}").columns == duckdb.sql(f"FROM {table}").columns
    for query in (
        f"FROM {table} LIMIT 5",
        f"FROM {table} LIMIT 20 OFFSET 1000",
        f"SELECT 1 + 1, #1 FROM {table} LIMIT 3",
    ):
        same(con, query)
    assert "the others are not read" in repr(con.sql(f"FROM {table}"))
    assert not read
    same(con, f"SELECT count(*) FROM {table}")
    assert read == ["x.csv"]
    same(con, f"FROM {table} LIMIT 20 OFFSET 5000")
    assert f"{duckdb.sql(f'FROM {table}').shape[0]:,} rows (20 shown)" in repr(con.sql(f"FROM {table}"))
    assert read == ["x.csv"]


def test_a_condition_is_asked_of_the_beginning_first(tmp_path: Path, read: list[str]) -> None:
    path = written(tmp_path, lines(plain))
    con = tqp.connect(threads=1)
    for condition in ("column0 % 50 = 7", "column3 LIKE '%3'", "column1 > 6"):
        same(con, f"SELECT column0, column2 FROM read_csv('{path}', sample_size = 100) WHERE {condition} LIMIT 3")
    assert not read
    same(con, f"FROM read_csv('{path}', sample_size = 100) WHERE column0 = 5999 LIMIT 3")
    assert read


@pytest.mark.parametrize(
    "options",
    [
        "ignore_errors = true",
        "null_padding = true",
        "header = false, all_varchar = true",
        "skip = 3",
        "columns = {'i': 'INTEGER', 'd': 'DOUBLE', 't': 'DATE', 's': 'VARCHAR'}, header = false",
        "nullstr = 'name 3'",
        "filename = true",
        "max_line_size = 100",
    ],
)
def test_options_mean_the_same_of_the_beginning(options: str, tmp_path: Path, read: list[str]) -> None:
    path = written(tmp_path, lines(plain))
    con = tqp.connect(threads=1)
    query = f"FROM read_csv('{path}', sample_size = 100, {options}) LIMIT 30"
    same(con, query)
    assert not read


def test_rows_that_are_left_out_are_left_out_of_the_beginning(tmp_path: Path, read: list[str]) -> None:
    rows = lines(lambda number: "x,1" if 3000 > number > 2060 and number % 2 else f"{number},{number}")
    path = written(tmp_path, rows)
    query = f"FROM read_csv('{path}', sample_size = 2048, ignore_errors = true, header = false) LIMIT 20 OFFSET 2050"
    same(tqp.connect(threads=1), query)


def test_what_is_wrong_further_down_is_told_when_it_is_read(tmp_path: Path, read: list[str]) -> None:
    path = written(tmp_path, lines(plain) + "x,1.5,2020-01-01,y\n")
    con = tqp.connect(threads=1)
    table = f"read_csv('{path}', sample_size = 100)"
    same(con, f"FROM {table} LIMIT 5")
    with pytest.raises(SourceError, match="'x' on line 6001, column 'column0', is no BIGINT"):
        con.sql(f"SELECT sum(column0) FROM {table}").fetchall()
    same(con, f"SELECT count(*), sum(column1) FROM {table}")
    other = written(tmp_path, lines(plain) + "1,2\n", "uneven.csv")
    same(con, f"FROM read_csv('{other}', sample_size = 100) LIMIT 5")
    with pytest.raises(SourceError, match="line 6001 has 2 values instead of 4"):
        con.sql(f"SELECT count(*) FROM read_csv('{other}', sample_size = 100)").fetchall()
    same(con, f"FROM read_csv('{other}', sample_size = 100) LIMIT 5")


def test_a_file_that_was_written_since_the_look(tmp_path: Path, read: list[str]) -> None:
    path = written(tmp_path, lines(plain))
    con = tqp.connect(threads=1)
    relation = con.sql(f"SELECT count(*), sum(column0) FROM read_csv('{path}', sample_size = 100)")
    same(con, f"FROM read_csv('{path}', sample_size = 100) LIMIT 5")
    written(tmp_path, lines(lambda number: plain(number + 1), 7000))
    assert relation.fetchall() == [(7000, 7000 * 7001 // 2)]
    same(con, f"FROM read_csv('{path}', sample_size = 100) LIMIT 5")


def test_several_files(tmp_path: Path, read: list[str]) -> None:
    """The beginning goes up to the first file that is longer than its own."""
    written(tmp_path, lines(plain, 10), "a.csv")
    written(tmp_path, lines(plain), "b.csv")
    written(tmp_path, lines(plain), "c.csv")
    con = tqp.connect(threads=1)
    table = f"read_csv('{tmp_path}/*.csv', sample_size = 100, filename = true)"
    for query in (f"FROM {table} LIMIT 30", f"FROM {table} LIMIT 1000", f"SELECT filename FROM {table} LIMIT 12"):
        same(con, query)
    assert read == ["a.csv"]
    same(con, f"SELECT filename, count(*), min(column0), max(column3) FROM {table} GROUP BY ALL ORDER BY ALL")
    assert read == ["a.csv", "b.csv", "c.csv"]


def test_a_packed_file(tmp_path: Path, read: list[str]) -> None:
    path = tmp_path / "x.csv.gz"
    path.write_bytes(gzip.compress(lines(plain, 50_000).encode()))
    con = tqp.connect(threads=1)
    same(con, f"FROM read_csv('{path}', sample_size = 100) LIMIT 7")
    assert not read
    same(con, f"SELECT count(*), max(column3) FROM read_csv('{path}', sample_size = 100)")


def test_threads_read_a_file_once(tmp_path: Path, read: list[str]) -> None:
    path = written(tmp_path, lines(plain))
    con = tqp.connect(threads=1)
    queries = [f"SELECT sum(column0) + {number} FROM read_csv('{path}', sample_size = 100)" for number in range(8)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda query: con.sql(query).fetchall(), queries))
    assert found == [[(LINES * (LINES - 1) // 2 + number,)] for number in range(8)]
    assert read == ["x.csv"]


def test_without_the_rule_all_is_read(tmp_path: Path, read: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, excerpt_share=0)
    path = written(tmp_path, lines(plain))
    same(tqp.connect(threads=1), f"FROM read_csv('{path}', sample_size = 100) LIMIT 5")
    assert read


def record(number: int) -> str:
    day = f"2020-01-{number % 28 + 1:02}"
    return json.dumps({"i": number, "d": number / 8, "t": day, "s": f"é {number}", "b": number % 3 == 0, "n": None})


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, bool]]:
    """What is read of JSON files whose beginnings are short: their names, and whether all of them is."""
    monkeypatch.setattr(packed, "_FIRST", 2**14)
    monkeypatch.setattr(json_file, "_WORTH", 1)
    found: list[tuple[str, bool]] = []
    before = JsonFile._whole

    def watched(self: JsonFile) -> str:
        found.append((Path(self.file.path).name, True))
        return before(self)

    monkeypatch.setattr(JsonFile, "_whole", watched)
    return found


@pytest.mark.parametrize(
    "row",
    [
        record,
        lambda number: json.dumps({"i": number, "l": [number, None], "m": {"x": number / 2, "y": "z"}}),
        lambda number: json.dumps({"i": number} if number % 2 else {"i": -number, "late": "x"}),
        lambda number: json.dumps({"i": number, "s": f"2020-01-01T00:00:{number % 60:02}"}, indent=1),
        lambda number: f'{{"i":{number},}}',
        lambda number: "null" if number % 7 == 3 else f'{{"i":{number}}}',
        lambda number: f'  {{"i":{number}}}' + ("\n" if number % 2 else ""),
        lambda number: f'{{"i":{number}}} {{"i":{number}}}',
    ],
    ids=["plain", "nested", "missing", "on several lines", "comma", "null", "blanks", "two on a line"],
)
def test_a_look_at_json(row: Callable[[int], str], tmp_path: Path, parsed: list[tuple[str, bool]]) -> None:
    path = written(tmp_path, lines(row), "x.json")
    con = tqp.connect(threads=1)
    table = f"read_json('{path}', sample_size = 200)"
    found, expected = con.sql(f"FROM {table}"), duckdb.sql(f"FROM {table}")
    assert [found.columns, list(map(str, found.types))] == [
        expected.columns,
        [str(one).replace('"NULL"', "NULL") for one in expected.types],
    ]
    for query in (
        f"FROM {table} LIMIT 5",
        f"FROM {table} LIMIT 20 OFFSET 30",
        f"SELECT i FROM {table} WHERE i > 20 LIMIT 3",
    ):
        same(con, query)
    assert "the others are not read" in repr(con.sql(f"FROM {table}"))
    assert not parsed
    same(con, f"SELECT count(*), count(i), min(i), max(i) FROM {table}")
    assert parsed
    same(con, f"FROM {table} LIMIT 20 OFFSET 5000")


@pytest.mark.parametrize(
    ("last", "says"),
    [
        ('{"i": "x"}', "line 6001, column 'i'"),
        ('{"i": 1, "j": 2}', "no object before has a key 'j'"),
        ('{"i": 1, "i": 2}', "an object has a key twice"),
        ("[1]", "expected OBJECT"),
        ('{"i": 1', "line 6001: Malformed JSON"),
    ],
)
def test_what_is_wrong_with_json_is_told_when_it_is_read(
    last: str, says: str, tmp_path: Path, parsed: list[tuple[str, bool]]
) -> None:
    path = written(tmp_path, lines(lambda number: f'{{"i":{number}}}') + last + "\n", "x.json")
    con = tqp.connect(threads=1)
    table = f"read_json('{path}', sample_size = 100)"
    same(con, f"FROM {table} LIMIT 5")
    for _ in range(2):
        with pytest.raises(SourceError, match=says):
            con.sql(f"SELECT sum(i) FROM {table}").fetchall()
    same(con, f"FROM {table} LIMIT 6")


def test_several_files_of_json(tmp_path: Path, parsed: list[tuple[str, bool]]) -> None:
    written(tmp_path, lines(record, 10), "a.json")
    written(tmp_path, lines(record), "b.json")
    written(tmp_path, lines(lambda number: json.dumps({"i": number + 0.5, "more": "x"})), "c.json")
    con = tqp.connect(threads=1)
    table = f"read_json('{tmp_path}/*.json', sample_size = 100, filename = true)"
    for query in (f"FROM {table} LIMIT 30", f"FROM {table} LIMIT 100", f"SELECT filename FROM {table} LIMIT 12"):
        same(con, query)
    assert {name for name, _ in parsed} <= {"a.json"}
    same(con, f"SELECT filename, count(*), sum(i), max(s), count(more) FROM {table} GROUP BY ALL ORDER BY ALL")


PIECES = st.sampled_from(["a", "é", "€", "😀", "\n", "\r\n", "\r", "bc", ",", '"'])


@settings(max_examples=200, deadline=None)
@given(
    pieces=st.lists(PIECES, max_size=40),
    encoding=st.sampled_from(["utf-8", "utf-16", "latin-1"]),
    first=st.integers(1, 9),
)
def test_beginnings_end_with_lines(
    pieces: list[str], encoding: str, first: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    text = "".join(pieces).encode(encoding, "ignore").decode(encoding)
    path = tmp_path_factory.mktemp("begun") / "x.txt"
    path.write_bytes(text.encode(encoding))
    file = File(str(path), str(path), LOCAL.state(str(path)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packed, "_FIRST", first)
        found: list[Any] = list(beginnings(file, "CSV", "none", encoding))
    assert found[-1] == (text_of(file, "CSV", "none", encoding), 1.0) == (text, 1.0)
    for begun, share in found[:-1]:
        assert 0 < share < 1 or share == 1
        assert text.startswith(begun) and begun[-1] in "\r\n"
        assert not (begun.endswith("\r") and text.startswith(begun + "\n"))


def test_what_is_no_text_is_told_with_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "_FIRST", 10)
    path = tmp_path / "x.csv"
    path.write_bytes(b"a,b\n1,2\n3,4\n5,\xff\n7,8\n" * 2)
    with pytest.raises(SourceError, match="line 4 is no UTF-8"):
        tqp.connect(threads=1).sql(f"FROM '{path}'").fetchall()
