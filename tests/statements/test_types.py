"""Named types beyond what scripts can say: queries that are kept, files, functions of Python, threads, verification, hints."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import tqp
from tqp.errors import BindError, TransactionError, UnsupportedError


@pytest.fixture
def con() -> Iterator[tqp.Connection]:
    with tqp.connect(threads=1) as connection:
        connection.execute("CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy')")
        yield connection


def test_a_kept_query_ends_with_its_type(con: tqp.Connection) -> None:
    query = "SELECT enum_code('ok'::mood), enum_range(NULL::mood)"
    assert con.sql(query).fetchall() == con.sql(query).fetchall() == [(1, ["sad", "ok", "happy"])]
    kept = con.sql(query)
    con.execute("CREATE OR REPLACE TYPE mood AS ENUM ('ok', 'sad')")
    assert con.sql(query).fetchall() == [(0, ["ok", "sad"])]
    assert kept.fetchall() == [(1, ["sad", "ok", "happy"])]
    con.execute("DROP TYPE mood")
    with pytest.raises(BindError, match="no type mood"):
        con.sql(query)


def test_constants_of_a_type_share_a_plan(con: tqp.Connection) -> None:
    con.register("t", {"x": ["sad", "ok", "happy"]})
    found = [con.sql(f"SELECT x FROM t WHERE x::mood > mood '{word}'").fetchall() for word in ("sad", "ok", "happy")]
    assert found == [[("ok",), ("happy",)], [("happy",)], []]


@pytest.mark.parametrize("options", ["types={'b': 'mood'}", "columns={'a': 'VARCHAR', 'b': 'mood'}"])
def test_columns_of_files(con: tqp.Connection, tmp_path: Path, options: str) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,b\nx,ok\ny,sad\n")
    rows = con.sql(f"SELECT b, typeof(b) FROM read_csv('{path}', {options}) ORDER BY b").fetchall()
    assert rows == [(word, "ENUM('sad', 'ok', 'happy')") for word in ("sad", "ok")]
    assert str(con.read_csv(path, dtype={"b": "mood"}).types[1]) == "ENUM('sad', 'ok', 'happy')"
    with pytest.raises(BindError, match="no type mod"):
        con.sql(f"FROM read_csv('{path}', {options.replace('mood', 'mod')})")


def test_functions_of_python(con: tqp.Connection) -> None:
    con.create_function("louder", lambda word: f"{word}!", ["mood"], "VARCHAR", type="python")
    assert con.sql("SELECT louder('ok'::mood)").fetchall() == [("ok!",)]


def test_threads_that_change_the_same_type(con: tqp.Connection) -> None:
    con.begin()
    con.execute("CREATE OR REPLACE TYPE mood AS INTEGER")
    con.execute("CREATE TYPE mine AS INTEGER")
    with ThreadPoolExecutor(1) as others:
        others.submit(con.execute, "CREATE TYPE theirs AS INTEGER").result()
        others.submit(con.execute, "CREATE OR REPLACE TYPE mood AS DATE").result()
    with pytest.raises(TransactionError, match="the type mood was changed by others"):
        con.commit()
    assert con.sql("SELECT typeof(NULL::mood)").fetchall() == [("DATE",)]
    con.begin()
    con.execute("CREATE TYPE mine AS INTEGER")
    with ThreadPoolExecutor(1) as others:
        others.submit(con.execute, "DROP TYPE theirs").result()
    con.commit()
    assert con.sql("SELECT typeof(NULL::mine)").fetchall() == [("INTEGER",)]
    with pytest.raises(BindError, match="no type theirs"):
        con.sql("SELECT NULL::theirs")


def test_duckdb_verifies_queries_with_schemas(con: tqp.Connection) -> None:
    con.execute("CREATE SCHEMA s; CREATE TYPE s.mine AS ENUM ('a', 'b'); CREATE TABLE s.t AS SELECT 'a'::s.mine AS m")
    con.execute(
        "CREATE VIEW s.v AS FROM s.t; CREATE TABLE t AS SELECT 'main' AS x; CREATE TEMP TABLE own AS SELECT 1 AS y"
    )
    assert con.sql("SELECT s.v.m < s.mine 'b', x, y FROM s.v, main.t, temp.own").verify()
    con.execute("USE s")
    assert con.sql("SELECT m < mine 'b' FROM t").verify()


def test_duckdb_verifies_queries_with_types(con: tqp.Connection) -> None:
    con.execute("CREATE TEMP TYPE own AS STRUCT(m mood); CREATE TABLE t AS SELECT 'ok'::mood AS m")
    assert con.sql("SELECT m, m < mood 'happy', {'m': m}::own FROM t").verify()


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("SELECT 'ok'::moood", BindError, "there is no type moood.*did you mean mood"),
        ("SELECT 1::INTEGR", BindError, "there is no type INTEGR.*did you mean INTEGER"),
        ("SELECT 1::GEOMETRY", UnsupportedError, "type GEOMETRY is not supported"),
        ("DROP TYPE moods", BindError, "there is no type moods.*did you mean mood"),
        ("CREATE TYPE mood AS INTEGER", BindError, "a type mood is there already"),
        ("CREATE TYPE float AS INTEGER", BindError, "float is a type already"),
        ("CREATE TYPE e AS ENUM (SELECT 1, 2)", BindError, "the labels of an ENUM are one column, and the query has 2"),
        ("CREATE TABLE t(e ENUM ())", BindError, "an ENUM has labels.*CREATE TYPE name AS ENUM"),
        ("CREATE TABLE t(m mood); DROP TYPE mood", BindError, "the type mood is used by the table t"),
        ("CREATE TYPE m AS mood[]; DROP TYPE mood", BindError, "the type mood is used by the type m"),
    ],
)  # fmt: skip
def test_what_errors_say(con: tqp.Connection, text: str, error: type[Exception], said: str) -> None:
    with pytest.raises(error) as raised:
        con.execute(text)
    assert re.search(said, str(raised.value), re.DOTALL), str(raised.value)
