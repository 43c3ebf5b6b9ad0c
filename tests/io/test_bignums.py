"""BIGNUM out of tqp and back: in Arrow as DuckDB has it, in files as text or as a number."""

from __future__ import annotations

from pathlib import Path

import duckdb

import tqp

ROWS = "SELECT * FROM (VALUES (5::BIGNUM, [7::BIGNUM, NULL]), (NULL, NULL), (-340282366920938463463374607431768211457, [])) t(x, y)"
"""With lists of them."""


def test_arrow_is_as_of_duckdb_and_comes_back() -> None:
    con = tqp.connect(threads=1)
    ours, theirs = con.sql(ROWS).arrow(), duckdb.sql(ROWS).to_arrow_table()
    assert ours.schema == theirs.schema
    assert ours.to_pylist() == theirs.to_pylist()
    for made in (theirs, ours, con.sql(ROWS).torch(), con.sql(ROWS).pl()):
        con.register("made", made)
        assert con.sql("SELECT * FROM made").fetchall() == duckdb.sql(ROWS).fetchall()
        assert con.sql("SELECT typeof(x), typeof(y) FROM made LIMIT 1").fetchall() == [("BIGNUM", "BIGNUM[]")]


def test_files_are_as_of_duckdb(tmp_path: Path) -> None:
    con, other = tqp.connect(threads=1), duckdb.connect()
    for ending in ("json", "csv"):
        for engine, name in ((con, "ours"), (other, "theirs")):
            engine.execute(f"COPY ({ROWS}) TO '{tmp_path}/{name}.{ending}'")
        assert (tmp_path / f"ours.{ending}").read_text() == (tmp_path / f"theirs.{ending}").read_text()
    con.execute(f"COPY ({ROWS}) TO '{tmp_path}/ours.parquet'")
    other.execute(f"COPY ({ROWS}) TO '{tmp_path}/theirs.parquet'")
    read = "SELECT typeof(x), typeof(y), x, y FROM '{}/{}.parquet'"
    assert other.sql(read.format(tmp_path, "ours")).fetchall() == other.sql(read.format(tmp_path, "theirs")).fetchall()


def test_digits_in_python_and_pandas() -> None:
    con = tqp.connect(threads=1)
    assert con.sql(ROWS).fetchall() == duckdb.sql(ROWS).fetchall()
    assert con.sql("SELECT 5::BIGNUM AS x").df()["x"].tolist() == ["5"]
    assert con.sql("SELECT 5::BIGNUM AS x").numpy()["x"].tolist() == ["5"]
