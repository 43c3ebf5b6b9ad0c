"""COPY: what its options make of JSON, CSV and bytes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from tests.statements.runner import REFUSED, Sides, Step
from tests.statements.test_copy import written
from tqp.errors import BindError


@pytest.fixture
def sides() -> Iterator[Sides]:
    made = Sides()
    yield made
    made.close()


@pytest.mark.parametrize(
    ("text", "columns", "options"),
    [
        ('{"a":1,"b":"x"}\n{"b":"y"}\n', "a INTEGER, b VARCHAR", "RECORDS 'true'"),
        ('{"a":1,"b":"x"}\n', "a INTEGER, b VARCHAR", "RECORDS TRUE"),
        ('{"a":1,"b":"x"}\n', "a INTEGER, b VARCHAR", "RECORDS auto"),
        ('[{"a":1},{"a":2}]', "a INTEGER", "ARRAY, RECORDS 'true'"),
        ("[1,2]", "a INTEGER", "ARRAY true, RECORDS false"),
        ("[1,2]", "a INTEGER", "RECORDS 'false'"),
        ("1\n2\n", "a INTEGER", "RECORDS auto"),
        ('{"a":1}\n', "j JSON", "RECORDS false"),
        ('{"a":1}\n', "j JSON", "RECORDS true"),
    ],
)
def test_records_of_json(sides: Sides, tmp_path: Path, text: str, columns: str, options: str) -> None:
    (tmp_path / "x.json").write_text(text)
    made, copied = f"CREATE TABLE t ({columns})", f"COPY t FROM '{tmp_path}/x.json' (FORMAT JSON, {options})"
    for statement in (made, copied, "FROM t"):
        sides.step(Step(statement, 1))


@pytest.mark.parametrize(
    ("text", "columns", "options"),
    [
        ("1\n2\n", "a INTEGER", "RECORDS true"),
        ('{"a":1}\n', "a INTEGER", "RECORDS false"),
        ("1\n2\n", "a INTEGER, b INTEGER", "RECORDS false"),
        ("1\n2\n", "a INTEGER", "RECORDS 'maybe'"),
        ("1\n2\n", "a INTEGER", "RECORDS 1"),
    ],
)
def test_no_records_of_json(sides: Sides, tmp_path: Path, text: str, columns: str, options: str) -> None:
    (tmp_path / "x.json").write_text(text)
    sides.step(Step(f"CREATE TABLE t ({columns})", 1))
    sides.step(Step(f"{REFUSED}\nCOPY t FROM '{tmp_path}/x.json' (FORMAT JSON, {options})", 2))


BYTES = "SELECT v FROM (VALUES (1, 'a\\x00'::BLOB), (2, NULL), (3, ''::BLOB), (4, encode('é'))) t(i, v) ORDER BY i"


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("x", ""), ("x.blob", ", COMPRESSION none"), ("x.gz", ""), ("x.zst", ""), ("x", ", COMPRESSION gzip"),
        ("x", ", COMPRESSION zstd"),
    ],
)  # fmt: skip
def test_bytes_one_after_the_other(sides: Sides, tmp_path: Path, name: str, options: str) -> None:
    for query in (BYTES, f"SELECT * FROM ({BYTES}) WHERE false"):
        sources = written(sides, tmp_path, query, name, f"(FORMAT blob{options})")
        kind = "gzip" if "gz" in name + options else "zstd" if "zst" in name + options else None
        ours, theirs = (pa.input_stream(pa.py_buffer(one), compression=kind).read() for one in sources)
        assert ours == theirs


@pytest.mark.parametrize(
    ("query", "options"),
    [
        ("SELECT 'foo'", ""), ("SELECT 'foo'::BLOB, 10", ""), ("SELECT 'foo'::BLOB", ", HEADER"), ("SELECT 'foo'::BLOB", ", ASDF"),
        ("SELECT 'foo'::BLOB", ", COMPRESSION snappy"), ("SELECT 'foo'::BLOB AS b, 1 AS k", ", PARTITION_BY j"),
    ],
)  # fmt: skip
def test_what_is_no_column_of_bytes(sides: Sides, tmp_path: Path, query: str, options: str) -> None:
    sides.step(Step(f"{REFUSED}\nCOPY ({query}) TO '{tmp_path}/x' (FORMAT blob{options})", 1))
    assert not os.path.exists(tmp_path / "x")


def test_numbers_have_bounds(sides: Sides, tmp_path: Path) -> None:
    for option in ("ROW_GROUP_SIZE 99999999999999999999", "COMPRESSION zstd, COMPRESSION_LEVEL 99999999999999999999"):
        with pytest.raises(BindError, match="at most"):
            sides.tqp.execute(f"COPY (SELECT 1) TO '{tmp_path}/x.parquet' ({option})")


@pytest.mark.parametrize(
    "options",
    [
        "",
        "FORCE_NOT_NULL a",
        "FORCE_NOT_NULL (B, a)",
        "ALLOW_QUOTED_NULLS false",
        "ALLOW_QUOTED_NULLS true, FORCE_NOT_NULL (c)",
        "FORCE_NOT_NULL a, ALLOW_QUOTED_NULLS false",
        "NULL 'x', FORCE_NOT_NULL a",
        "NULL 'x', ALLOW_QUOTED_NULLS false",
    ],
)
def test_what_is_null_in_csv(sides: Sides, tmp_path: Path, options: str) -> None:
    (tmp_path / "x.csv").write_text('a,b,c\n,x,""\n"","x",\nx,,y\n"x","",1\n')
    for statement in (
        "CREATE TABLE t (a VARCHAR, b VARCHAR, c VARCHAR)",
        f"COPY t FROM '{tmp_path}/x.csv' (HEADER{options and ', '}{options})",
        "FROM t",
    ):
        sides.step(Step(statement, 1))


@pytest.mark.parametrize("name", ["zz", "*"])
def test_force_not_null_names_columns(sides: Sides, tmp_path: Path, name: str) -> None:
    (tmp_path / "x.csv").write_text("a\n1\n")
    sides.step(Step("CREATE TABLE t (a VARCHAR)", 1))
    sides.step(Step(f"{REFUSED}\nCOPY t FROM '{tmp_path}/x.csv' (HEADER, FORCE_NOT_NULL {name})", 2))
