"""Columns of VARIANT in Parquet files that DuckDB writes, shredded and not, in Arrow tables and files, and as values of Python."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tqp
from tqp.errors import ExecutionError, SourceError

VALUES = """
    (1, 42::VARIANT), (2, 'hello'), (3, [1, 2, 3]), (4, {'name': 'Alice', 'age': 30, 'l': [{'z': 1}]}), (5, NULL), (6, 42::BIGINT),
    (7, 42.0), (8, DATE '2020-01-01'), (9, TIMESTAMP '2020-01-01 01:02:03.4'), (10, TIMESTAMPTZ '2020-01-01'), (11, TIME '01:02:03.5'),
    (12, 'x\\x00'::BLOB), (13, UUID 'ff000000-0000-0000-0000-000000000001'), (14, true), (15, 1.5::FLOAT), (16, 1.5::DOUBLE),
    (17, 123456789012345678.55::DECIMAL(38, 2)), (18, -1.50::DECIMAL(18, 2)), (19, repeat('é', 70)), (20, {'a': NULL, 'b': []}),
    (21, 1::TINYINT), (22, 200::UTINYINT), (23, 'nan'::DOUBLE), (24, '2020-01-01'::TIMESTAMP_NS), (25, false), (26, DATE 'infinity'),
    (27, [NULL, 1, 'x'::VARIANT]), (28, (SELECT list(i) FROM range(300) t(i))), (29, 0.00::DECIMAL(9, 2)), (30, '{}'::JSON::VARIANT)
"""
ASKED = "SELECT i, v::VARCHAR, v::JSON, variant_typeof(v), v.name::VARCHAR, v[1]::VARCHAR, hex(variant_comparator(v)) FROM {} ORDER BY i"
COLUMNS = [
    "i::VARIANT", "i::VARCHAR::VARIANT", "(DATE '2020-01-01' + i::INTEGER)::VARIANT", "(i / 3)::DECIMAL(9, 2)::VARIANT",
    "(i / 3)::DECIMAL(38, 2)::VARIANT", "(i > 1)::VARIANT", "(TIMESTAMP '2020-01-01' + to_days(i::INTEGER))::VARIANT", "i::FLOAT::VARIANT",
    "i::TINYINT::VARIANT", "i::VARCHAR::BLOB::VARIANT", "UUID 'ff000000-0000-0000-0000-000000000001'::VARIANT", "[i, NULL]::VARIANT",
    "[]::VARIANT", "'{}'::JSON::VARIANT", "NULL::VARIANT", "{'a': [{'b': i}], 'c': NULL}::VARIANT",
    "CASE WHEN i = 1 THEN NULL ELSE {'a': i}::VARIANT END", "CASE WHEN i = 1 THEN 'x'::VARIANT ELSE {'a': i}::VARIANT END",
    "CASE WHEN i = 1 THEN {'z': 5}::VARIANT ELSE {'a': i, 'b': 'q'}::VARIANT END",
    "CASE WHEN i = 1 THEN [1]::VARIANT ELSE ['a', 'b']::VARIANT END",
]  # fmt: skip
SHREDDING = [
    "",
    "BIGINT",
    "VARCHAR",
    "STRUCT(name VARCHAR, l STRUCT(z INTEGER)[])",
    "BIGINT[]",
    "VARCHAR[]",
    "STRUCT(b DATE)",
]


@pytest.fixture(scope="module")
def oracle() -> duckdb.DuckDBPyConnection:
    con = duckdb.connect()
    con.execute(f"CREATE TABLE t AS SELECT * FROM (VALUES {VALUES}) t(i, v)")
    return con


def _same(con: tqp.Connection, oracle: duckdb.DuckDBPyConnection, path: Path) -> None:
    text = ASKED.format(f"'{path}'")
    assert con.execute(text).fetchall() == oracle.execute(text).fetchall()


@pytest.mark.parametrize("shredding", SHREDDING)
def test_values_of_all_types(oracle: duckdb.DuckDBPyConnection, tmp_path: Path, shredding: str) -> None:
    path = tmp_path / "t.parquet"
    how = f"(SHREDDING {{v: '{shredding}'}})" if shredding else ""
    oracle.execute(f"COPY t TO '{path}' {how}")
    with tqp.connect() as con:
        _same(con, oracle, path)


@pytest.mark.parametrize("column", COLUMNS)
def test_shredded_columns(oracle: duckdb.DuckDBPyConnection, tmp_path: Path, column: str) -> None:
    path = tmp_path / "t.parquet"
    oracle.execute(f"COPY (SELECT i, {column} AS v FROM range(4) r(i)) TO '{path}'")
    with tqp.connect() as con:
        _same(con, oracle, path)
        assert (
            "typed_value" in str(pq.ParquetFile(path).schema) or "NULL::" in column or "[]" in column or "{}" in column
        )


def test_row_groups_and_files_of_unlike_shredding(oracle: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    first, second, third = (tmp_path / f"{name}.parquet" for name in "abc")
    oracle.execute(f"COPY (SELECT i, i::VARIANT v FROM range(5000) r(i)) TO '{first}' (ROW_GROUP_SIZE 2048)")
    oracle.execute(f"COPY (SELECT i, ('x' || i % 3)::VARIANT v FROM range(10) r(i)) TO '{second}'")
    oracle.execute(f"COPY (SELECT i, i::INTEGER v FROM range(10) r(i)) TO '{third}'")
    for files in ((first,), (first, second), (second, first)):
        listed = ", ".join(f"'{path}'" for path in files)
        text = f"SELECT count(v), count(DISTINCT v), min(v)::VARCHAR, max(v)::VARCHAR, sum(i) FILTER (v = 7) FROM read_parquet([{listed}])"
        with tqp.connect() as con:
            assert con.execute(text).fetchall() == oracle.execute(text).fetchall()
    text = f"SELECT v::VARCHAR, variant_typeof(v) FROM read_parquet(['{third}', '{second}'], union_by_name = true)"
    with tqp.connect() as con:
        found = con.execute(text).fetchall()
    assert found == [(str(i), "INT32") for i in range(10)] + [(f"x{i % 3}", "VARCHAR") for i in range(10)]


def test_described_and_in_part(oracle: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    oracle.execute(f"COPY t TO '{path}'")
    with tqp.connect() as con:
        for text in (f"DESCRIBE FROM '{path}'", f"SELECT v FROM '{path}' LIMIT 3", f"SELECT count(*) FROM '{path}'"):
            assert con.execute(text).fetchall() == oracle.execute(text).fetchall()


def test_a_struct_of_bytes_is_no_variant(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    kind = pa.struct([pa.field("metadata", pa.binary(), False), pa.field("value", pa.binary())])
    pq.write_table(pa.table({"v": pa.array([{"metadata": b"\1\0\0", "value": b"\0"}], kind)}), path)
    with tqp.connect() as con:
        assert con.sql(f"FROM '{path}'").types == ['STRUCT(metadata BLOB, "value" BLOB)']


def test_arrow_out_and_in(oracle: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    given = oracle.sql("SELECT i, v FROM t").to_arrow_table()
    with tqp.connect() as con:
        con.register("given", given)
        text = ASKED.format("given")
        expected = oracle.execute(text).fetchall()
        assert con.execute(text).fetchall() == expected
        made = con.sql("SELECT i, v FROM given").arrow()
        assert made.schema.field("v").metadata == given.schema.field("v").metadata
        assert made.schema.types == given.schema.types
        oracle.register("made", made)
        assert oracle.execute(ASKED.format("made")).fetchall() == expected
        con.execute(f"COPY given TO '{tmp_path}/t.arrow'")
        assert con.execute(ASKED.format(f"'{tmp_path}/t.arrow'")).fetchall() == expected


def test_what_arrow_has_not() -> None:
    with tqp.connect() as con:
        for value in (
            "INTERVAL 3 DAY",
            "'101'::BIT",
            "1e30::HUGEINT",
            "18446744073709551615::UBIGINT",
            "'01:02:03'::TIME_NS",
        ):
            with pytest.raises(ExecutionError):
                con.sql(f"SELECT ({value})::VARIANT AS v").arrow()


NESTED = [
    "[1::VARIANT, NULL, 'x'::VARIANT]",
    "CASE WHEN i > 1 THEN [i::VARIANT, {'k': [i]}::VARIANT] END",
    "{'a': i::VARIANT, 'b': [NULL::VARIANT, i::VARIANT], 'c': 7}",
    "CASE WHEN i > 1 THEN {'a': {'value': i::VARIANT, 'metadata': 'x'::BLOB}} END",
    "MAP {'k': i::VARIANT, 'l': NULL}",
    "[{'m': MAP {i: [i::VARIANT]}}, NULL]",
    "{'d': 1.25::DECIMAL(9, 2), 't': DATE '2020-01-01', 'v': i::VARIANT}",
]


@pytest.mark.parametrize("nested", NESTED)
def test_variants_in_nested_values(oracle: duckdb.DuckDBPyConnection, tmp_path: Path, nested: str) -> None:
    query = f"SELECT i, {nested} AS v, i::VARIANT AS w, [1.5::FLOAT, 2] AS f FROM range(4) t(i) ORDER BY i"
    with tqp.connect() as con:
        expected = oracle.execute(query).fetchall()
        kind = [str(one) for one in oracle.sql(f"SELECT v FROM ({query})").types]
        for name in ("t.parquet", "t.arrow"):
            con.execute(f"COPY ({query}) TO '{tmp_path}/{name}'")
            found = con.sql(f"SELECT i, v, w, f::FLOAT[] FROM '{tmp_path}/{name}'")
            assert found.fetchall() == expected
            assert con.sql(f"SELECT v FROM '{tmp_path}/{name}'").types == kind
        assert oracle.execute(f"FROM '{tmp_path}/t.parquet'").fetchall() == expected
        assert [str(one) for one in oracle.sql(f"SELECT v FROM '{tmp_path}/t.parquet'").types] == kind
        given = con.sql(query).arrow().slice(1)
        con.register("given", given)
        assert con.sql("SELECT i, v, w, f::FLOAT[] FROM given").fetchall() == expected[1:]


def test_written_variants(oracle: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    given = oracle.sql("SELECT i, v FROM t").to_arrow_table()
    with tqp.connect() as con:
        con.register("given", given)
        con.execute(f"COPY (SELECT v, i FROM given) TO '{tmp_path}/t.parquet' (ROW_GROUP_SIZE 7)")
        _same(con, oracle, tmp_path / "t.parquet")
        con.execute(f"COPY (SELECT i % 2 AS p, i, v FROM given) TO '{tmp_path}/parts' (FORMAT parquet, PARTITION_BY p)")
        text = ASKED.format(f"'{tmp_path}/parts/*/*.parquet'")
        assert con.execute(text).fetchall() == oracle.execute(text).fetchall()
        con.sql("SELECT v FROM given WHERE false").write_parquet(tmp_path / "none.parquet")
        assert con.sql(f"FROM '{tmp_path}/none.parquet'").types == ["VARIANT"]
        con.execute(
            f"COPY (SELECT {{'metadata': 'a'::BLOB, 'value': 'b'::BLOB}} AS v, 1::VARIANT AS i) TO '{tmp_path}/s.parquet'"
        )
        assert con.sql(f"FROM '{tmp_path}/s.parquet'").types == ['STRUCT(metadata BLOB, "value" BLOB)', "VARIANT"]


def test_damaged_bytes() -> None:
    kind = pa.struct([pa.field("metadata", pa.binary(), False), pa.field("value", pa.binary())])
    field = pa.field(
        "v", kind, metadata={"ARROW:extension:name": "arrow.parquet.variant", "ARROW:extension:metadata": ""}
    )
    for metadata, value in (
        (b"", b"\0"),
        (b"\1\0\0", b""),
        (b"\1\0\0", b"\x02\x01\x05\x00\x01\x00"),
        (b"\1\0\0", b"\xfc"),
    ):
        table = pa.Table.from_arrays(
            [pa.array([{"metadata": metadata, "value": value}], kind)], schema=pa.schema([field])
        )
        with tqp.connect() as con, pytest.raises(SourceError):
            con.register("t", table)
            con.execute("SELECT v FROM t")


def test_texts_of_files(oracle: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    values = "SELECT * FROM (VALUES (1, 42::VARIANT), (2, 'a b'), (3, [1, 'x'::VARIANT, NULL]), (4, {'k': 1.5}), (5, NULL)) t(i, v)"
    with tqp.connect() as con:
        for name in ("csv", "json"):
            mine, its = tmp_path / f"mine.{name}", tmp_path / f"its.{name}"
            con.execute(f"COPY ({values}) TO '{mine}'")
            oracle.execute(f"COPY ({values}) TO '{its}'")
            assert mine.read_text() == its.read_text()


@pytest.mark.parametrize(
    "value", [1, 2**40, "x", 1.5, True, None, Decimal("1.50"), b"x", datetime.date(2020, 1, 1), [1, 2], {"a": 1}]
)
def test_parameters(oracle: duckdb.DuckDBPyConnection, value: Any) -> None:
    text = "SELECT ?::VARIANT, variant_typeof(?::VARIANT)"
    with tqp.connect() as con:
        assert con.execute(text, [value, value]).fetchall() == oracle.execute(text, [value, value]).fetchall()
