"""Columns of odd names and types: names that come twice whatever their case, extension types, what no tensor holds."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import tqp
from tests.io.test_csv_files import same_as_duckdb
from tqp.errors import SourceError, UnsupportedError


class Unhashable(pa.ExtensionType):  # type: ignore[misc]
    """As GeoArrow and others have them: compared by value, without a hash."""

    def __init__(self) -> None:
        super().__init__(pa.int64(), "tests.unhashable")

    def __arrow_ext_serialize__(self) -> bytes:
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage: pa.DataType, written: bytes) -> Unhashable:
        return cls()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unhashable)

    __hash__ = None  # type: ignore[assignment]


def named(*names: str) -> pa.Table:
    columns = [pa.array([1, 2]), pa.array(["a", "b"]), pa.array([1.5, 2.5])]
    return pa.Table.from_arrays(columns, list(names))


NAMES = [("x", "X", "y"), ("x", "x", "y"), ("x", "X", "x"), ("x", "X", "x_1"), ("x_1", "x", "X"), ("X", "x", "X_1")]


@pytest.mark.parametrize("names", NAMES, ids="-".join)
def test_names_of_parquet_that_come_twice_have_a_number(names: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(named(*names), path)
    for query in (
        f"FROM '{path}'",
        f"SELECT count(*) FROM '{path}'",
        f"SELECT x FROM '{path}'",
        f"SELECT x_1 FROM '{path}' LIMIT 1",
        f"SELECT #2, #3 FROM '{path}'",
        f"DESCRIBE FROM '{path}'",
        f"SELECT count(*) FROM '{path}' WHERE x_1 > x_1",
    ):
        assert same_as_duckdb(query)


@pytest.mark.parametrize("names", NAMES, ids="-".join)
def test_names_of_arrow_that_come_twice_have_a_number(names: tuple[str, ...], tmp_path: Path) -> None:
    table, con = named(*names), tqp.connect(threads=1)
    for ending, write in ((".arrow", pa.ipc.new_file), (".arrows", pa.ipc.new_stream)):
        path = tmp_path / f"x{ending}"
        with write(path, table.schema) as writer:
            writer.write_table(table)
        found = con.sql(f"FROM '{path}'")
        assert len({name.lower() for name in found.columns}) == 3
        assert found.fetchall() == [(1, "a", 1.5), (2, "b", 2.5)]
        assert con.sql(f"SELECT count(*) FROM '{path}'").fetchall() == [(2,)]


def test_a_dataset_of_names_that_differ_in_case_alone() -> None:
    con = tqp.connect(threads=1)
    con.register("other_case", ds.dataset(named("x", "X", "y")))
    assert con.sql("SELECT x, X_1, y FROM other_case").fetchall() == [(1, "a", 1.5), (2, "b", 2.5)]
    # Arrow itself does not read such a one.
    with pytest.raises(SourceError, match="Multiple matches"):
        con.register("same", ds.dataset(named("x", "x", "y")))


def both(query: str, table: pa.Table, plain: pa.Table | None = None) -> tuple[list[Any], list[Any]]:
    """The rows of tqp and of DuckDB, which gets the `plain` table where there is one."""
    own = tqp.connect(threads=1)
    own.register("t", table)
    with duckdb.connect() as other:
        other.register("t", table if plain is None else plain)
        return own.sql(query).fetchall(), other.sql(query).fetchall()


STORED: dict[str, Callable[[], pa.Array]] = {
    "an extension without a hash": lambda: pa.ExtensionArray.from_storage(Unhashable(), pa.array([5, None])),
    "in a list": lambda: pa.ListArray.from_arrays(
        [0, 1, 2], pa.ExtensionArray.from_storage(Unhashable(), pa.array([1, 2]))
    ),
    "bool8": lambda: pa.ExtensionArray.from_storage(pa.bool8(), pa.array([2, None], pa.int8())),
    "opaque": lambda: pa.ExtensionArray.from_storage(pa.opaque(pa.binary(), "geometry", "p"), pa.array([b"a", None])),
    "a tensor": lambda: pa.ExtensionArray.from_storage(
        pa.fixed_shape_tensor(pa.float32(), [2]), pa.array([[1, 2], [3, 4]], pa.list_(pa.float32(), 2))
    ),
    "a dictionary of structs": lambda: pa.DictionaryArray.from_arrays(
        pa.array([1, None], pa.int8()), pa.array([{"a": 1}, {"a": 2}])
    ),
    "a duration": lambda: pa.array([1, None], pa.duration("s")),
}


@pytest.mark.parametrize("kind", STORED)
def test_extensions_are_read_as_what_they_are_stored_as(kind: str) -> None:
    table = pa.table({"ok": [1, 2], "c": STORED[kind]()})
    for query in ("FROM t", "SELECT count(*) FROM t", "SELECT typeof(c) FROM t", "SELECT ok FROM t WHERE c IS NULL"):
        ours, theirs = both(query, table)
        assert ours == [
            tuple(tuple(v) if "tensor" in kind and isinstance(v, list) else v for v in row) for row in theirs
        ]


PLAIN = pa.array([{"a": 1}, {"a": 1}])
RUNS = pa.RunEndEncodedArray.from_arrays(pa.array([2], pa.int32()), pa.array([{"a": 1}]))
"""The same structs as a run, which no tensor holds, and DuckDB fails to read."""


UNREAD: dict[str, Callable[[pa.Array], pa.Array]] = {
    "a run of structs": lambda structs: structs,
    "a union with one": lambda structs: pa.UnionArray.from_sparse(
        pa.array([0, 1], pa.int8()), [pa.array([1, 2]), structs], ["n", "s"]
    ),
    "a list of them": lambda structs: pa.ListArray.from_arrays([0, 1, 2], structs),
    "beside others": lambda structs: pa.StructArray.from_arrays([pa.array([1, 2]), structs], ["a", "b"]),
}


@pytest.mark.parametrize("kind", UNREAD)
def test_what_no_tensor_holds_is_refused_for_that_column_alone(kind: str) -> None:
    table, plain = (pa.table({"ok": [1, 2], "c": UNREAD[kind](structs)}) for structs in (RUNS, PLAIN))
    for query in (
        "SELECT column_name, column_type FROM (DESCRIBE FROM t)",
        "SELECT column_type FROM (DESCRIBE SELECT c AS d, ok FROM (FROM t) ORDER BY ok)",
        "SELECT count(*) FROM t",
        "SELECT count(*) FROM t a, t b",
        "SELECT ok FROM t",
    ):
        ours, theirs = both(query, table, plain)
        assert ours == theirs
    con = tqp.connect(threads=1)
    con.register("t", table)
    for query in (
        "SELECT typeof(c) FROM t",
        "SELECT pg_typeof(c) FROM t",
        "FROM t",
        "DESCRIBE SELECT c IS NULL FROM t",
    ):
        with pytest.raises(UnsupportedError, match="column 'c' of 't' cannot be read"):
            con.sql(query)


def test_fields_that_differ_in_case_alone_have_a_number(tmp_path: Path) -> None:
    fields = pa.StructArray.from_arrays([pa.array([1]), pa.array([2])], names=["Url", "url"])
    pq.write_table(pa.table({"s": fields}), tmp_path / "x.parquet")
    assert same_as_duckdb(f"SELECT s, s.url, s.url_1, typeof(s) FROM '{tmp_path}/x.parquet'")


WIDENED = {
    "integers": (pa.array([1], pa.int32()), pa.array([7])),
    "beyond": (pa.array([1], pa.int32()), pa.array([2**40])),
    "numbers": (pa.array([1], pa.int32()), pa.array([1.5])),
    "text": (pa.array([1]), pa.array(["x"])),
    "text first": (pa.array(["x"]), pa.array([1])),
    "structs": (pa.array([{"a": 1}]), pa.array([{"a": 1, "b": 2}])),
    "lists": (pa.array([[1]], pa.list_(pa.int32())), pa.array([[2]])),
    "bytes of one length": (pa.array([b"ab"], pa.binary(2)), pa.array([b"a"])),
    "bytes of two lengths": (pa.array([b"ab"], pa.binary(2)), pa.array([b"abc"], pa.binary(3))),
    "bytes of one length in lists": (pa.array([[b"ab"]], pa.list_(pa.binary(2))), pa.array([[b"a"]])),
    "text and bytes": (pa.array(["x"]), pa.array([b"y"])),
    "bytes and text": (pa.array([b"y"]), pa.array(["x"])),
    "a struct and a map": (pa.array([{"a": 1}]), pa.array([[("k", 2)]], pa.map_(pa.string(), pa.int64()))),
    "dates and times": (pa.array([1], pa.date32()), pa.array([1], pa.time64("us"))),
    "decimals": (
        pa.array([1], pa.int32()).cast(pa.decimal128(12, 1)),
        pa.array([1], pa.int32()).cast(pa.decimal256(30, 2)),
    ),
}


@pytest.mark.parametrize("kind", WIDENED)
def test_a_column_that_changes_from_file_to_file(kind: str, tmp_path: Path) -> None:
    for place, column in enumerate(WIDENED[kind]):
        pq.write_table(pa.table({"k": column, "o": pa.array([place])}), tmp_path / f"{place}.parquet")
    both_files = f"'{tmp_path}/*.parquet'"
    for query in (f"SELECT count(*) FROM {both_files}", f"SELECT o FROM {both_files}", f"DESCRIBE FROM {both_files}"):
        assert same_as_duckdb(query)
    same_as_duckdb(f"FROM {both_files}")
    same_as_duckdb(f"FROM read_parquet({both_files}, union_by_name = true)")


def test_decimals_of_256_bits_that_need_no_more_than_128(tmp_path: Path) -> None:
    table = pa.table(
        {
            "c": pa.array([Decimal("-1.5"), None, Decimal(10**20)], pa.decimal256(30, 2)),
            "l": pa.array([[Decimal("1.5")], None, []], pa.list_(pa.decimal256(38, 1))),
            "d": pa.array([Decimal(1), None, Decimal(2)], pa.decimal256(39, 0)),
        }
    )
    pq.write_table(table, tmp_path / "x.parquet")
    for columns in ("c, l", "typeof(c), typeof(l), sum(c) OVER ()"):
        assert same_as_duckdb(f"SELECT {columns} FROM '{tmp_path}/x.parquet'")
    con = tqp.connect(threads=1)
    con.register("t", table)
    assert con.sql("SELECT c FROM t").fetchall()[0] == (Decimal("-1.50"),)
    with pytest.raises(UnsupportedError, match="decimal256"):
        con.sql("SELECT d FROM t")


def test_a_column_of_nulls_alone_says_no_type(tmp_path: Path) -> None:
    for place, column in enumerate((pa.nulls(1), pa.array([5]))):
        pq.write_table(pa.table({"k": column}), tmp_path / f"{place}.parquet")
    found = tqp.connect(threads=1).sql(f"FROM '{tmp_path}/*.parquet'")
    assert found.fetchall() == [(None,), (5,)]
    assert found.types == ["BIGINT"]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT count(*) FROM t a, t b",
        "SELECT count(*) FROM t a LEFT JOIN t b ON true",
        "SELECT count(*) FROM t a RIGHT JOIN t b ON 1 = 0",
        "SELECT i, count(*) FROM t a, range(5) r(i) GROUP BY i ORDER BY i",
        "SELECT count(*) FROM (FROM t UNION ALL FROM t)",
        "SELECT i FROM range(3) r(i) WHERE EXISTS (FROM t) ORDER BY i",
        "SELECT a.i, (SELECT count(*) FROM t WHERE a.i > 0) AS n FROM range(2) a(i) ORDER BY 1",
        "SELECT 1 AS x FROM t UNION ALL SELECT 2 FROM t ORDER BY x",
        "SELECT count(*) FROM t a SEMI JOIN t b ON true",
        "SELECT row_number() OVER () AS n FROM t",
        "SELECT count(*) FROM t TABLESAMPLE 100%",
    ],
)
def test_a_table_of_columns_that_cannot_be_read_has_rows(query: str) -> None:
    ours, theirs = both(query, pa.table({"b": RUNS}), pa.table({"b": PLAIN}))
    assert ours == theirs
    con = tqp.connect(threads=1)
    con.register("t", pa.table({"b": RUNS}))
    with pytest.raises(UnsupportedError, match="run_end_encoded"):
        con.sql("FROM t UNION FROM t").fetchall()


CODED = pa.RunEndEncodedArray.from_arrays(
    pa.array([2, 4, 5], pa.int32()), pa.array(["a", None, "b"]).dictionary_encode()
)


@pytest.mark.parametrize(
    "runs",
    [CODED, CODED.slice(1, 3), pa.chunked_array([CODED.slice(3), CODED.slice(0, 1)]), pa.chunked_array([], CODED.type)],
    ids=["whole", "slice", "chunks", "none"],
)
def test_runs_of_dictionaries(runs: pa.Array) -> None:
    """DuckDB gives their codes, not their values."""
    con = tqp.connect(threads=1)
    con.register("t", pa.table({"x": runs}))
    assert con.sql("FROM t").types == ["VARCHAR"]
    assert con.sql("SELECT x FROM t").fetchall() == [(value,) for value in runs.to_pylist()]


def test_decimals_of_more_digits_than_there_are_refuse_their_column_alone() -> None:
    values = [Decimal("1e30"), Decimal("0.0000000001")]
    for frame in (pd.DataFrame({"x": pd.Series(values, dtype=object), "y": [1, 2]}), {"x": values, "y": [1, 2]}):
        con = tqp.connect(threads=1)
        con.register("t", frame)
        assert con.sql("SELECT sum(y) FROM t").fetchall() == [(3,)]
        with pytest.raises(UnsupportedError, match="'x' of 't' cannot be read.*38 digits"):
            con.sql("FROM t")


def test_an_infinite_decimal_is_refused_with_its_row() -> None:
    con = tqp.connect(threads=1)
    con.register("t", pd.DataFrame({"x": pd.Series([Decimal(1), Decimal("Infinity")], dtype=object)}))
    with pytest.raises(UnsupportedError, match="the decimal in row 1 is infinite"):
        con.sql("FROM t")
