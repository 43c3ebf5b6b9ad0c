"""What is told of files, beside DuckDB's: `sniff_csv`, the footers of Parquet files, the values of JSON files as they are written."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tqp
from tqp.errors import SourceError, TqpError

FOOTERS = [
    "parquet_schema",
    "parquet_metadata",
    "parquet_file_metadata",
    "parquet_kv_metadata",
    "parquet_full_metadata",
]
_VALUES = """
    SELECT 1::INT a, 'x' b, {'p': 1, 'q': [1, 2]} s, DATE '2020-01-01' d, 1.5::DECIMAL(10, 2) e, 12345678.5::DECIMAL(30, 3) w,
    TIMESTAMPTZ '2020-01-01 10:00:00.5+00' t, MAP {'k': 1} m, 3::UTINYINT u, 18446744073709551615::UBIGINT ul,
    '00000000-0000-0000-0000-00000000000a'::UUID uu, INTERVAL 1 DAY i, '\\xFFa'::BLOB bl, NULL::DOUBLE n, TIME '10:00:00' ti,
    1::HUGEINT h, TIMESTAMP_NS '2020-01-01 00:00:00.000000001' tn, '"j"'::JSON js, 'inf'::FLOAT f, true bo
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    duckdb.sql(f"COPY ({_VALUES} UNION ALL BY NAME SELECT 2 a, 'y' b) TO 'd.parquet' (kv_metadata {{k: 'v', x: 'y'}})")
    table = pa.table(
        {
            "a": [1, 2, 3, None],
            "b": ["x", "yy", None, "z"],
            "f": pa.array([1.5, float("nan"), 2, 3], pa.float32()),
            "l": [[1], [2, 3], None, []],
            "ms": pa.array([1, 2, 3, 4], pa.timestamp("ms", "UTC")),
            "half": pa.array([1, 2, 3, 4], pa.float16()),
            "u": pa.array([1, 2, 2**63 + 1, 3], pa.uint64()),
            "e": pa.array([Decimal("-1.50"), Decimal(2), None, Decimal(4)], pa.decimal128(30, 2)),
            "t": pa.array([1, 2, 3, 4], pa.time32("ms")),
            "o": [b"a", b"\xff\x00", b"", None],
            "two": pa.array([b"ab", b"cd", b"ef", b"gh"], pa.binary(2)),
            "i8": pa.array([-1, 2, 3, 4], pa.int8()),
            "s": [{"p": 1, "q": "x"}, None, {"p": None, "q": "y"}, None],
        }
    )
    pq.write_table(table.replace_schema_metadata({"k": "v"}), "a.parquet", row_group_size=3, compression="zstd")
    pq.write_table(table, "b.parquet", compression="none", use_dictionary=False, write_page_index=True)
    pq.write_table(table.slice(0, 0), "e.parquet")
    return tmp_path


def _same(sql: str) -> None:
    mine, expected = tqp.connect(threads=1).sql(sql), duckdb.sql(sql)
    assert mine.columns == expected.columns
    assert list(map(str, mine.types)) == list(map(str, expected.types))
    assert list(map(repr, mine.fetchall())) == list(map(repr, expected.fetchall()))


@pytest.mark.parametrize("function", FOOTERS)
@pytest.mark.parametrize(
    "path", ["'d.parquet'", "'a.parquet'", "'b.parquet'", "'e.parquet'", "'*.parquet'", "['b.parquet', 'd.parquet']"]
)
def test_footers(folder: Path, function: str, path: str) -> None:
    _same(f"FROM {function}({path})")


def test_a_footer_that_is_none(folder: Path) -> None:
    whole = (folder / "a.parquet").read_bytes()
    size = int.from_bytes(whole[-8:-4], "little")
    broken = {
        "cut": whole[:-20],
        "text": b"a,b\n1,2\n",
        "empty": b"",
        "zeros": whole[: -8 - size] + bytes(size) + whole[-8:],
    }
    for place in range(0, size, 397):
        broken[f"byte {place}"] = whole[: -8 - place - 1] + b"\xff" + whole[-8 - place :]
    con = tqp.connect(threads=1)
    for name, content in broken.items():
        (folder / "x.parquet").write_bytes(content)
        for function in FOOTERS:
            try:
                con.sql(f"FROM {function}('x.parquet')").fetchall()
            except SourceError as error:
                assert "x.parquet" in str(error)
            else:
                assert name.startswith(("byte", "zeros"))


def test_what_both_refuse(folder: Path) -> None:
    (folder / "x.csv").write_text("a,b\n1,2\n")
    (folder / "y.csv").write_text("a,b\n1,2\n")
    (folder / "x.json").write_text('{"a": 1}\n')
    for call in (
        "parquet_schema('none.parquet')",
        "parquet_schema('x.csv')",
        "parquet_schema('a.parquet', filename = true)",
        "sniff_csv('none.csv')",
        "sniff_csv('*.csv')",
        "sniff_csv('x.csv', auto_detect = false)",
        "sniff_csv('x.csv', columns = {a: 'INTEGER', b: 'BIGINT'})",
        "read_json_objects('x.json', records = true)",
        "read_json_objects('x.json', columns = {a: 'INTEGER'})",
        "read_json_objects('x.json', format = 'array')",
    ):
        with pytest.raises(duckdb.Error):
            duckdb.sql(f"FROM {call}").fetchall()
        with pytest.raises(TqpError):
            tqp.connect(threads=1).sql(f"FROM {call}").fetchall()


CSV: list[tuple[str, str]] = [
    ("a,b,c\n1,x,2020-01-01\n2,y,2020-02-01\n", ""),
    ("1;'x;y'\n2;'y'\n", ""),
    ("# hi\na|b\n1.5|true\n2|false\n", ""),
    ("", ""),
    ("a,b\n31/12/2020,31.12.2020 10:00:00\n30/12/2020,30.12.2020 10:00:00\n", ""),
    ("a,b\n31/12/2020,2020-01-01\n30/12/2020,2020-01-02\n", ""),
    ("x\ny\n", ""),
    ("a,b", ""),
    ("a,b\r\n1,2\r\n", ""),
    ("a,b\r1,2\r", ""),
    ('a,b\n1,"x""y"\n2,"z"\n', ""),
    ('a,b\n1,"x\\"y"\n2,"z"\n', ""),
    ("\n\nSome title\na,b\n1,2\n3,4\n", ""),
    ("#a\n# x\na,b\n1,2\n#y\n3,4\n", ""),
    ("a,b\n2020-01-01T10:00:00Z,10:00:00\n", ""),
    ("a,b\n1,x\n", ", header = false"),
    ("a,b\n1,x\n", ", skip = 1"),
    ("a,b\n1,x\n", ", escape = '\\'"),
    ("a,b\n1,x\n", ", nullstr = ['x', 'y'], header = true, delim = ',', sample_size = 10, quote = '\"'"),
    ("a,b\n1,x\n", ", types = {'q': 'DOUBLE'}, names = ['q'], filename = true, union_by_name = true"),
    ("a,b\n1,2\n", ", columns = {a: 'BIGINT', b: 'BIGINT'}"),
    ("a;b\n1;2\n", ", thousands = ',', decimal_separator = '.', dateformat = '%d'"),
]


@pytest.mark.parametrize(("text", "options"), CSV)
def test_what_a_csv_file_is(folder: Path, text: str, options: str) -> None:
    (folder / "x.csv").write_bytes(text.encode())
    _same(f"FROM sniff_csv('x.csv'{options})")


@pytest.mark.parametrize(("text", "options"), [one for one in CSV if "columns" not in one[1] and "x" in one[0]])
def test_the_prompt_reads_the_file(folder: Path, text: str, options: str) -> None:
    (folder / "x.csv").write_bytes(text.encode())
    con = tqp.connect(threads=1)
    (prompt,) = con.sql(f"SELECT Prompt FROM sniff_csv('x.csv'{options})").fetchall()[0]
    direct = con.sql(f"FROM read_csv('x.csv'{options}) LIMIT 10")
    assert con.sql(prompt).fetchall() == [
        row[: len(direct.columns) - ("filename" in options)] for row in direct.fetchall()
    ]


JSON: dict[str, Any] = {
    "array": '[{"a":1,  "b" : 2}, {"a":3} , 5 ]\n',
    "nested array": "[[1, 2], []]",
    "empty array": " [ ] ",
    "lines": '{"a":1,  "b" : 2}\n\n {"a":3}\n5\n',
    "over lines": '{"a":1,\n  "b" : 2}{"a":3} [1,2]',
    "bad line": '{"a":1}\nxx\n{"b":1}\n',
    "nothing": "",
    "two arrays": "[1] [2]",
}


@pytest.mark.parametrize("name", JSON)
@pytest.mark.parametrize("function", ["read_json_objects", "read_json_objects_auto", "read_ndjson_objects"])
@pytest.mark.parametrize(
    "options",
    ["", "format = 'array'", "format = 'nd'", "format = 'unstructured'", "ignore_errors = true", "filename = true"],
)
def test_values_as_they_are_written(folder: Path, name: str, function: str, options: str) -> None:
    (folder / "x.json").write_text(JSON[name])
    sql = f"FROM {function}('x.json'{', ' if options else ''}{options})"
    try:
        duckdb.sql(sql).fetchall()
    except duckdb.Error:
        with pytest.raises(SourceError):
            tqp.connect(threads=1).sql(sql).fetchall()
    else:
        _same(sql)
