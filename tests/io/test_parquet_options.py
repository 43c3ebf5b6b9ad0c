"""Parquet files that differ, and the options of `read_parquet`: as DuckDB reads them, or an error on both sides."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tqp
from tqp.errors import SourceError, TqpError, UnsupportedError
from tqp.verify.compare import compare

FILES = {
    "a.parquet": {"i": pa.array([1, 2], pa.int32()), "s": pa.array(["x", "y"])},
    "reordered.parquet": {"s": pa.array(["z"]), "i": pa.array([3], pa.int32())},
    "widened.parquet": {"i": pa.array([2**40], pa.int64()), "s": pa.array(["w"])},
    "added.parquet": {"i": pa.array([4], pa.int32()), "s": pa.array(["w"]), "extra": pa.array([1.5])},
    "fewer.parquet": {"i": pa.array([5], pa.int32())},
    "text.parquet": {"i": pa.array(["t"]), "s": pa.array(["u"])},
    "digits.parquet": {"i": pa.array(["7"]), "s": pa.array([None], pa.string())},
    "upper.parquet": {"I": pa.array([5], pa.int32()), "S": pa.array(["k"])},
    "decimal.parquet": {"i": pa.array([1, None], pa.decimal128(9, 2)), "s": pa.array(["k", None])},
    "unsigned.parquet": {"i": pa.array([2**64 - 1], pa.uint64()), "s": pa.array(["k"])},
    "dates.parquet": {"i": pa.array([1], pa.date32()), "s": pa.array(["k"])},
    "nested.parquet": {"i": pa.array([1], pa.int32()), "l": pa.array([[1, 2]]), "t": pa.array([{"a": 1, "b": "x"}])},
    "nested_more.parquet": {"i": pa.array([1], pa.int32()), "l": pa.array([[1.5], ])},
    "none.parquet": {"i": pa.array([], pa.int32()), "s": pa.array([], pa.string())},
    "h/y=2020/m=01/p.parquet": {"v": pa.array([1, 2, 3])},
    "h/y=2021/m=02/p.parquet": {"v": pa.array([4])},
    "mixed/k=1/p.parquet": {"v": pa.array([1])},
    "mixed/p.parquet": {"v": pa.array([2])},
    ".hidden/p.parquet": {"v": pa.array([9])},
}  # fmt: skip


IDS = {
    "ids.parquet": {"a": (10, pa.int32(), [1, 2]), "b": (20, pa.string(), ["x", None])},
    "more_ids.parquet": {"b": (20, pa.string(), ["z"]), "aa": (10, pa.int64(), [3]), "c": (30, pa.float64(), [5.5])},
}
"""Columns with the numbers of their fields."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("parquet")
    for name, columns in FILES.items():
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table(columns), made / name, row_group_size=2)
    for name, fields in IDS.items():
        kinds = [
            pa.field(own, kind, metadata={"PARQUET:field_id": str(number)}) for own, (number, kind, _) in fields.items()
        ]
        rows = [pa.array(values, kind) for _, kind, values in fields.values()]
        pq.write_table(pa.table(rows, schema=pa.schema(kinds)), made / name)
    return made


def test_values_of_other_writers_are_as_in_duckdb(tmp_path: Path) -> None:
    """JSON as DuckDB writes it, also within lists and structs, and timestamps of 96 bits."""
    text = "'{\"a\": 1}'::JSON"
    duckdb.sql(f"COPY (SELECT {text} AS j, [{text}, NULL] AS l, {{'s': {text}}} AS s) TO '{tmp_path}/json.parquet'")
    times = pa.table({"t": pa.array([1577840461000456000, -1, None], pa.timestamp("ns")), "n": [1, 2, 3]})
    pq.write_table(times, tmp_path / "times.parquet", use_deprecated_int96_timestamps=True)
    for query in (
        f"FROM '{tmp_path}/json.parquet'",
        f"SELECT j->>'a', l[1]->>'a', s.s->>'a' FROM '{tmp_path}/json.parquet' WHERE j->>'a' = '1'",
        f"FROM '{tmp_path}/times.parquet'",
        f"SELECT n FROM '{tmp_path}/times.parquet' WHERE t > TIMESTAMP '2000-01-01'",
        f"SELECT t FROM '{tmp_path}/times.parquet' LIMIT 1",
    ):
        found, expected = tqp.sql(query), duckdb.sql(query)
        assert list(map(str, found.types)) == list(map(str, expected.types))
        assert found.fetchall() == expected.fetchall()


QUERIES = """
FROM read_parquet(['a.parquet', 'reordered.parquet'])
FROM read_parquet(['a.parquet', 'a.parquet'])
FROM read_parquet(['a.parquet', 'none.parquet', 'upper.parquet'])
FROM read_parquet(['none.parquet', 'a.parquet'], filename = true)
FROM read_parquet(['widened.parquet', 'a.parquet'])
FROM read_parquet(['a.parquet', 'widened.parquet'])
SELECT s FROM read_parquet(['a.parquet', 'widened.parquet'])
FROM read_parquet(['a.parquet', 'added.parquet'])
FROM read_parquet(['added.parquet', 'a.parquet'])
FROM read_parquet(['a.parquet', 'fewer.parquet'])
FROM read_parquet(['a.parquet', 'text.parquet'])
FROM read_parquet(['a.parquet', 'digits.parquet'])
FROM read_parquet(['text.parquet', 'a.parquet'])
FROM read_parquet(['a.parquet', 'decimal.parquet'])
FROM read_parquet(['decimal.parquet', 'a.parquet'])
FROM read_parquet(['a.parquet', 'unsigned.parquet'])
FROM read_parquet(['a.parquet', 'added.parquet', 'fewer.parquet'], union_by_name = true)
FROM read_parquet(['fewer.parquet', 'text.parquet'], union_by_name = true)
FROM read_parquet(['a.parquet', 'widened.parquet', 'reordered.parquet'], union_by_name = true)
FROM read_parquet(['upper.parquet', 'a.parquet'], union_by_name = true)
FROM read_parquet(['a.parquet', 'decimal.parquet'], union_by_name = true)
FROM read_parquet(['widened.parquet', 'unsigned.parquet'], union_by_name = true)
FROM read_parquet(['fewer.parquet', 'nested.parquet', 'nested_more.parquet'], union_by_name = true)
SELECT sum(i), count(s), count(*) FROM read_parquet('[a-d]*.parquet', union_by_name = true) WHERE i > 1
FROM read_parquet('a.parquet', filename = true)
FROM read_parquet('a.parquet', filename = 'source')
FROM read_parquet('a.parquet', filename = 's')
FROM read_parquet('a.parquet', filename := 1, FILE_ROW_NUMBER => true)
FROM parquet_scan(['h/y=2020/m=01/p.parquet', 'a.parquet'], union_by_name = true, file_row_number = true, hive_partitioning = false)
FROM read_parquet('h/**/*.parquet')
FROM read_parquet('h/**/*.parquet', hive_partitioning = false)
FROM read_parquet('h/*/*/*.parquet', hive_types = {'y': 'INTEGER', 'm': 'BIGINT'})
FROM read_parquet('h/**/*.parquet', hive_types = {'zz': 'INTEGER'})
FROM read_parquet('h/*/*/*.parquet', hive_types = {'y': INTEGER, m: bigint})
FROM read_parquet('h/**/*.parquet', hive_types_autocast = false)
FROM read_parquet('h/**/*.parquet', filename = true, hive_partitioning = true, file_row_number = true)
SELECT v, file_row_number FROM read_parquet('h/**/*.parquet', file_row_number = true) WHERE y = 2021 OR v = 3
FROM read_parquet('mixed/**/*.parquet')
FROM read_parquet('mixed/**/*.parquet', hive_partitioning = true)
FROM read_parquet('**/p.parquet')
FROM read_parquet('?.parquet')
FROM read_parquet('[!b-z]*.parquet', union_by_name = true)
FROM read_parquet('{a,text}.parquet')
FROM read_parquet('nowhere*.parquet')
FROM read_parquet('nowhere*.parquet', allow_empty = true)
FROM read_parquet('a' || '.parquet', compression = 'zstd', explicit_cardinality = 5)
FROM read_parquet('a.parquet', filenam = true)
FROM read_parquet('a.parquet', union_by_name = 'x')
FROM read_parquet(NULL)
FROM read_parquet([])
FROM read_parquet(5)
FROM read_parquet('a.parquet', 'fewer.parquet')
FROM read_parquet('a.parquet', hive_partitioning = false, hive_types = {'i': 'INT'})
FROM read_parquet('a.parquet', int96_as = 'timestamp', utf8_validation = 'strict', maximum_files_for_stats = 2)
FROM read_parquet('a.parquet', prefetch_strategy = 'whole_group', explicit_cardinality = 0, can_have_nan = true)
FROM read_parquet('a.parquet', prefetch_strategy = 'all')
FROM read_parquet('a.parquet', utf8_validation = 'none')
FROM read_parquet('a.parquet', int96_as = 'none')
FROM read_parquet('ids.parquet', schema = MAP {20: {name: 't', type: 'VARCHAR', default_value: NULL}, 10: {name: 'n', type: 'BIGINT', default_value: NULL}})
FROM read_parquet('ids.parquet', schema = MAP {10: {name: 'n', type: 'VARCHAR', default_value: NULL}, 99: {name: 'x', type: 'BIGINT', default_value: '42'}})
FROM read_parquet('ids.parquet', schema = MAP {99: {name: 'x', type: 'INTEGER[]', default_value: [1, 2]}})
FROM read_parquet(['ids.parquet', 'more_ids.parquet'], schema = MAP {10: {name: 'n', type: 'DECIMAL(9,2)', default_value: NULL}, 30: {name: 'd', type: 'DOUBLE', default_value: 1.5}})
FROM read_parquet(['ids.parquet', 'a.parquet'], schema = MAP {10: {name: 'i', type: 'INTEGER', default_value: 7}})
SELECT n FROM read_parquet(['ids.parquet', 'more_ids.parquet'], schema = MAP {10: {name: 'n', type: INTEGER, default_value: NULL}}, filename = true, file_row_number = true) WHERE n > 1 AND file_row_number < 1
FROM read_parquet('h/*/*/*.parquet', schema = MAP {'V': {name: 'w', type: 'SMALLINT', default_value: NULL}}, hive_partitioning = true)
FROM read_parquet(['nested.parquet', 'a.parquet'], schema = MAP {'t': {name: 't', type: 'STRUCT(a BIGINT)', default_value: {a: 5}}, 'l': {name: 'l', type: 'VARCHAR[]', default_value: NULL}})
FROM read_parquet(['a.parquet', 'nested.parquet'], schema = MAP {'i': {name: 's', type: 'INTEGER', default_value: NULL}, 's': {name: 'i', type: 'VARCHAR', default_value: '-'}})
FROM read_parquet('a.parquet', schema = MAP {'s': {name: 's', type: 'INTEGER', default_value: NULL}})
FROM read_parquet('a.parquet', schema = MAP {'i': {name: 'i', type: 'DATE', default_value: NULL}})
FROM read_parquet('a.parquet', schema = MAP {'x': {name: 'i', type: 'BIGINT', default_value: 'y'}})
FROM read_parquet('a.parquet', schema = MAP {'i': {name: 'x', type: 'BIGINT', default_value: 1}, 's': {name: 'X', type: 'VARCHAR', default_value: NULL}})
FROM read_parquet('a.parquet', schema = MAP {'i': {name: 'x', type: 'BIGINT', default_value: 1}}, filename = 'x')
FROM read_parquet('a.parquet', schema = MAP {'i': {name: 'x', type: 'BIGINT', default_value: 1}}, union_by_name = true)
FROM read_parquet('a.parquet', schema = MAP {'i': {name: 'x', type: 'BIGINT'}})
FROM read_parquet('a.parquet', schema = MAP {'i': {type: 'BIGINT', name: 'x', default_value: 1}})
FROM read_parquet('a.parquet', schema = MAP {'i': {name: 'x', type: 'BIGINTS', default_value: 1}})
FROM read_parquet('a.parquet', schema = MAP {1.5: {name: 'x', type: 'BIGINT', default_value: 1}})
FROM read_parquet('a.parquet', schema = MAP {})
FROM read_parquet('a.parquet', schema = {'i': 'BIGINT'})
FROM read_parquet('a.parquet', schema = NULL)
SELECT read_parquet.i FROM read_parquet('a.parquet')
SELECT a.i FROM read_parquet('a.parquet')
SELECT f.x FROM read_parquet('a.parquet') f(x, y)
"""


@pytest.mark.parametrize("query", QUERIES.strip().splitlines())
def test_as_duckdb(query: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    try:
        expected = duckdb.sql(query)
        names, rows = expected.columns, expected.to_arrow_table()
    except duckdb.Error:
        with pytest.raises(TqpError) as caught:
            tqp.connect(threads=1).execute(query)
        assert "bug" not in str(caught.value)
        return
    relation = tqp.connect(threads=1).sql(query)
    assert relation.columns == names
    assert compare(relation.arrow(), rows) is None
    assert relation.verify()


@pytest.mark.parametrize(
    ("read", "error", "said"),
    [
        (
            lambda con: con.read_parquet(["added.parquet", "a.parquet"]).sql("SELECT extra FROM self"),
            UnsupportedError,
            "'extra'.*union_by_name=true",
        ),
        (
            lambda con: con.read_parquet(["a.parquet", "text.parquet"]),
            SourceError,
            "'i' of 'text.parquet' is VARCHAR.*INTEGER",
        ),
        (
            lambda con: con.sql("FROM read_parquet('a.parquet', filenames = true)"),
            SourceError,
            "no option 'filenames'.*filename",
        ),
        (
            lambda con: con.sql("FROM read_parquet('a.parquet', int96_as = 'timestamp_ns')"),
            UnsupportedError,
            "int96_as.*CAST",
        ),
        (
            lambda con: con.sql("FROM read_parquet('a.parquet', utf8_validation = 'replace')"),
            UnsupportedError,
            "utf8_validation='replace'.*error",
        ),
        (
            lambda con: con.sql("FROM read_parquet('a.parquet', encryption_config = {footer_key: 'k'})"),
            UnsupportedError,
            "encryption_config.*decrypt",
        ),
        (
            lambda con: con.sql(
                "FROM read_parquet('a.parquet', schema = MAP {'s': {name: 's', type: 'INTEGER', default_value: 1}})"
            ),
            SourceError,
            "'s' of 'a.parquet' is VARCHAR.*INTEGER.*schema",
        ),
        (lambda con: con.read_parquet("mixed", hive_partitioning=True), SourceError, "mixed/p.parquet.*no partitions"),
    ],
)
def test_errors_say_what_where_and_what_works(
    read: Callable[[tqp.Connection], tqp.Relation], error: type[TqpError], said: str, folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(folder)
    with pytest.raises(error) as caught:
        read(tqp.connect(threads=1)).fetchall()
    text = str(caught.value).replace("\n", " ")
    assert __import__("re").search(said, text), text


def test_the_same_in_python(folder: Path) -> None:
    con = tqp.connect(threads=1)
    paths = [folder / "a.parquet", folder / "fewer.parquet"]
    relation = con.read_parquet(paths, union_by_name=True, filename="f", file_row_number=True)
    assert relation.columns == ["i", "s", "file_row_number", "f"]
    assert relation.fetchall()[-1] == (5, None, 0, os.fspath(paths[1]))
    assert con.read_parquet(folder / "h", hive_types={"y": pa.int16()}).types[-1] == tqp.types.SMALLINT
    asked = {
        10: {"name": "n", "type": "BIGINT", "default_value": None},
        99: {"name": "x", "type": "DOUBLE", "default_value": 5},
    }
    by_number = con.read_parquet(folder / "ids.parquet", schema=asked)
    assert by_number.fetchall() == [(1, 5.0), (2, 5.0)] and by_number.sql("FROM self WHERE n > 1").verify()
    with pytest.raises(TypeError, match="nothing"):
        con.read_parquet(paths, nothing=1)  # type: ignore[call-arg]


def test_a_call_is_asked_again_when_files_come_or_change(tmp_path: Path) -> None:
    con = tqp.connect(threads=1)
    query = f"SELECT count(*) FROM read_parquet('{tmp_path}/*.parquet', union_by_name = true)"
    pq.write_table(pa.table({"a": [1]}), tmp_path / "a.parquet")
    assert con.sql(query).fetchall() == con.sql(query).fetchall() == [(1,)]
    pq.write_table(pa.table({"b": [1, 2]}), tmp_path / "b.parquet")
    assert con.sql(query).fetchall() == [(3,)]
    pq.write_table(pa.table({"b": [1, 2, 3]}), tmp_path / "b.parquet")
    assert con.sql(query).fetchall() == [(4,)]


def test_bytes_as_text(tmp_path: Path) -> None:
    table = pa.table({
        "b": pa.array([b"ab", None, "ü".encode()]),
        "l": pa.array([[b"x", None], None, []]),
        "f": pa.array([b"ab", b"cd", None], pa.binary(2)),
        "s": pa.array([{"q": b"z", "n": [b"y"]}, None, {"q": None, "n": None}]),
        "m": pa.array([[(b"k", b"v")], None, []], pa.map_(pa.binary(), pa.binary())),
        "bad": pa.array([b"a", b"\xff", None]),
        "nested": pa.array([[b"a"], [b"\xff"], None]),
        "t": pa.array(["x", "y", "z"]),
    })  # fmt: skip
    path = tmp_path / "x.parquet"
    pq.write_table(table, path, row_group_size=2)
    con = tqp.connect(threads=1)
    call = f"read_parquet('{path}', binary_as_string = true)"
    for query in (
        f"SELECT b, l, f, s, m, t FROM {call}",
        f"SELECT column_name, column_type FROM (DESCRIBE FROM {call})",
        f"SELECT t, b || 'x' FROM {call} WHERE b = 'ab' AND upper(s.q) = 'Z'",
        f"SELECT count(*), min(f), max(b) FROM {call} WHERE b > 'a'",
        f"FROM read_parquet('{path}', binary_as_string = false)",
        f"SELECT b, f FROM read_parquet(['{path}', '{path}'], binary_as_string = true, union_by_name = true)",
    ):
        assert con.sql(query).fetchall() == duckdb.sql(query).fetchall()
    for name in ("bad", "nested"):
        for run, error in ((con.sql, SourceError), (duckdb.sql, duckdb.Error)):
            with pytest.raises(error):
                run(f"SELECT {name} FROM {call}").fetchall()
    with pytest.raises(SourceError, match="column 'bad', row 1: its text is no valid UTF-8"):
        con.sql(f"SELECT bad FROM {call}").fetchall()
    assert con.read_parquet(path, binary_as_string=True).project("b").types == ["VARCHAR"]
