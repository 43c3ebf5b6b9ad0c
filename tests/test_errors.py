"""Errors that a person can act on: what is wrong, where, and what would work; the connection still works after each."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tqp
from tqp.errors import (
    BindError,
    ExecutionError,
    Location,
    OutOfMemoryError,
    ParseError,
    SourceError,
    TqpError,
    UnsupportedError,
    caret,
)  # fmt: skip

TABLE = pa.table({
    "quantity": pa.array([1, 2, None], pa.int32()),
    "zero": pa.array([0, 1, 2], pa.int32()),
    "name": ["x", "y", "z"],
    "large": [2**63 - 1, 1, 2],
})  # fmt: skip


@pytest.fixture
def con() -> Iterator[tqp.Connection]:
    """A connection that must still work, with its table unchanged, when the test is over."""
    connection = tqp.connect(threads=1)
    connection.register("items", TABLE)
    before = pa.Table.from_batches(TABLE.to_batches())
    yield connection
    assert connection.tables() == ["items"]
    assert connection.sql("SELECT * FROM items").arrow().to_pylist() == TABLE.to_pylist()
    assert TABLE.equals(before)


def raised(kind: type[TqpError], action: Callable[[], Any]) -> TqpError:
    with pytest.raises(kind) as caught:
        action()
    return caught.value


def test_unknown_column(con: tqp.Connection) -> None:
    error = raised(BindError, lambda: con.sql("SELECT zero,\n  quantty FROM items"))
    assert error.location == Location(2, 3)
    assert str(error) == (
        "no column quantty (line 2, column 3)\n  quantty FROM items\n  ^\nHint: did you mean quantity?"
    )


@pytest.mark.parametrize(
    ("before", "places"),
    [
        ("'ab', ", 6),
        ("'日本語', ", 10),
        ("\t'日本',\t", None),
        ("'e\u0301', ", 5),
        ("'👨\u200d👩\u200d👧', ", 6),
        ("'\u200b', ", 4),
    ],
)
def test_the_caret_stands_below_its_column(before: str, places: int | None) -> None:
    """By places of a terminal: letters may take two of them, or none. Tabs stay tabs."""
    text = f"{before}foo"
    line, below = caret(text, Location(1, len(before) + 1)).split("\n")
    assert line == text and below == ("\t" + " " * 7 + "\t^" if places is None else " " * places + "^")


def test_of_a_long_line_the_part_around_the_column_is_shown() -> None:
    for column in range(1, 1001):
        text = "." * (column - 1) + "x" + "." * (1000 - column)
        line, below = caret(text, Location(1, column)).split("\n")
        assert line.index("x") == below.index("^") and 121 <= len(line) <= 122
        assert (line[0] == "…") == (column > 61) and (line[-1] == "…") == (column < 941)
    assert caret("." * 120, Location(1, 121)) == "." * 120 + "\n" + " " * 120 + "^"
    assert caret("." * 500, Location(1, 501)) == "…" + "." * 120 + "\n" + " " * 121 + "^"


def test_unknown_table(con: tqp.Connection) -> None:
    error = raised(BindError, lambda: con.sql("SELECT * FROM item"))
    assert error.location == Location(1, 15)
    assert "no table item" in error.message and error.hint == "did you mean items?"


def test_variable_that_is_no_table(con: tqp.Connection) -> None:
    numbers = {1.5, 2.5}
    assert len(numbers) == 2
    with pytest.raises(BindError, match="the variable numbers is a set, which is no table") as caught:
        con.sql("SELECT * FROM numbers")
    assert caught.value.hint and "a dict of columns, a NumPy array" in caught.value.hint
    assert caught.value.location == Location(1, 15)


def test_ambiguous_name(con: tqp.Connection) -> None:
    error = raised(BindError, lambda: con.sql("SELECT name FROM items a JOIN items b ON a.zero = b.zero"))
    assert "column name name is ambiguous" in error.message and error.hint == "it can be a.name or b.name"
    assert error.location == Location(1, 8)


@pytest.mark.parametrize(
    ("query", "message", "column"),
    [
        ("SELECT sum(name) FROM items", "sum takes a number, not VARCHAR", 8),
        ("SELECT zero = DATE '2020-01-01' FROM items", "cannot compare INTEGER and DATE", 8),
        ("SELECT name + 1 FROM items", "there is no VARCHAR + INTEGER", 15),
        ("SELECT upper(zero) FROM items", "argument 1 of upper is INTEGER, not VARCHAR", 8),
    ],
)
def test_type_mismatch(con: tqp.Connection, query: str, message: str, column: int) -> None:
    error = raised(BindError, lambda: con.sql(query))
    assert message in error.message and error.hint
    assert error.location == Location(1, column)


def test_all_unsupported_parts_in_one_message(con: tqp.Connection) -> None:
    query = "SELECT md5_number('s'),\n  '101'::GEOMETRY, currval(name)\nFROM items"
    error = raised(UnsupportedError, lambda: con.sql(query))
    assert isinstance(error, UnsupportedError)
    assert [gap.location for gap in error.gaps] == [Location(1, 8), Location(2, 3), Location(2, 20)]
    lines = str(error).splitlines()
    assert lines[0] == "3 parts of the query are not supported"
    assert lines[1:4] == [
        "- function md5_number is not supported (line 1, column 8)",
        "SELECT md5_number('s'),",
        "       ^",
    ]


def test_statements_that_there_are_not(con: tqp.Connection) -> None:
    """Each names what to write instead; a relation is asked queries alone."""
    for text in ("LOCK items", "EXPORT DATABASE 'x'", "ATTACH 'x.db'"):
        assert raised(UnsupportedError, lambda text=text: con.sql(text)).hint
    for text in ("INSERT INTO items VALUES (1)", "CREATE TABLE x (a INT)", "SELECT 1; SELECT 2", "EXPLAIN SELECT 1"):
        assert raised(UnsupportedError, lambda text=text: con.sql("SELECT 1").sql(text)).hint
        assert raised(UnsupportedError, lambda text=text: con.sql(text, read="postgres")).hint
    raised(BindError, lambda: con.sql("INSERT INTO items VALUES (1)"))
    raised(BindError, lambda: con.sql("DROP TABLE items"))


def test_syntax(con: tqp.Connection) -> None:
    error = raised(ParseError, lambda: con.sql("SELECT (1"))
    assert str(error) == (
        "syntax error: the query ends too early (line 1, column 9)\nSELECT (1\n        ^\nHint: a ( is not closed"
    )
    raised(ParseError, lambda: con.sql("SELECT 'abc"))
    raised(BindError, lambda: con.sql("SELECT 1", read="klingon"))


def test_missing_file(con: tqp.Connection) -> None:
    for action in (
        lambda: con.sql("SELECT * FROM 'nowhere.parquet'"),
        lambda: con.sql("SELECT * FROM 'nowhere/*.csv'"),
        lambda: con.read_parquet("nowhere.parquet"),
        lambda: con.read_csv("nowhere.csv"),
        lambda: con.register("items", "nowhere.parquet"),
    ):
        error = raised(SourceError, action)
        assert (error.location is None) == ("FROM" not in (error.text or ""))
        assert "no such file" in error.message and error.hint and "looked in" in error.hint
    raised(SourceError, lambda: con.register("items", "nowhere"))


def test_corrupt_parquet(con: tqp.Connection, tmp_path: Path) -> None:
    whole = tmp_path / "whole.parquet"
    pq.write_table(TABLE, whole, compression="none")
    content = bytearray(whole.read_bytes())
    (tmp_path / "empty.parquet").write_bytes(b"")
    (tmp_path / "cut.parquet").write_bytes(content[:200])
    content[4:60] = b"\xff" * 56
    (tmp_path / "pages.parquet").write_bytes(content)
    for name in ("empty", "cut", "pages"):
        error = raised(SourceError, lambda name=name: con.execute(f"SELECT * FROM '{tmp_path}/{name}.parquet'"))
        assert f"{name}.parquet" in error.message and "\n" not in error.message
        assert error.hint and "write or fetch it again" in error.hint


def test_division(con: tqp.Connection) -> None:
    for operator in ("//", "%"):
        error = raised(ExecutionError, lambda operator=operator: con.execute(f"SELECT 1 {operator} zero FROM items"))
        assert "division by zero" in error.message and error.hint and "NULLIF" in error.hint
    assert con.sql("SELECT 1 / zero FROM items ORDER BY zero LIMIT 1").fetchall() == [(float("inf"),)]


@pytest.mark.parametrize(
    "expression",
    [
        "large + 1",
        "large * 2",
        "-(-9223372036854775808 - zero)",
        "100::TINYINT + (zero + 100)::TINYINT",
        "300::TINYINT",
    ],
)
def test_overflow(con: tqp.Connection, expression: str) -> None:
    error = raised(ExecutionError, lambda: con.execute(f"SELECT {expression} FROM items"))
    assert "verflow" in error.message or "out of range" in error.message


def test_bad_cast(con: tqp.Connection) -> None:
    error = raised(ExecutionError, lambda: con.execute("SELECT name::INTEGER FROM items"))
    assert "could not convert string" in error.message
    assert con.sql("SELECT TRY_CAST(name AS INTEGER) FROM items").fetchall() == [(None,)] * 3


@pytest.mark.parametrize(
    ("expression", "failed", "hint"),
    [
        ("upper(name)::INTEGER + 1", "CAST(upper(name) AS INTEGER)", "TRY_CAST gives NULL instead"),
        ("name = 1", "CAST(name AS INTEGER)", "TRY_CAST gives NULL instead"),
        ("DATE '2020-30-30'", "CAST('2020-30-30' AS DATE)", "a DATE is written as 2024-12-31"),
        ("TIMESTAMP 'yesterday'", "CAST('yesterday' AS TIMESTAMP)", "strptime(text, format)"),
        ("1 + zero % (zero - 1)", "zero % (zero - 1)", "NULLIF"),
        ("CASE WHEN quantity = 2 THEN large + zero ELSE quantity // zero END", "quantity // zero", "NULLIF"),
        ("[x // zero for x in [1, 2]]", "list_transform(list_value(1, 2), lambda x: x // zero)", "NULLIF"),
        ("'sad'::ENUM('happy', 'calm')", "CAST('sad' AS ENUM('happy', 'calm'))", "its values are 'happy', 'calm'"),
    ],
)
def test_what_fails_in_a_run_is_shown(con: tqp.Connection, expression: str, failed: str, hint: str) -> None:
    error = raised(ExecutionError, lambda: con.execute(f"SELECT count({expression}) FROM items"))
    assert error.expression == failed and f"\nIn {failed}\nHint: " in str(error)
    assert error.hint and hint in error.hint


def test_a_plan_used_again_shows_its_own_constants(con: tqp.Connection) -> None:
    assert con.sql("SELECT zero + 1 // 1 FROM items").fetchall() == [(1,), (2,), (3,)]
    error = raised(ExecutionError, lambda: con.execute("SELECT zero + 7 // 0 FROM items"))
    assert "In 7 // 0\n" in str(error)
    assert con.sql("SELECT (zero + 2)::TINYINT FROM items").fetchall() == [(2,), (3,), (4,)]
    error = raised(ExecutionError, lambda: con.execute("SELECT (zero + 127)::TINYINT FROM items"))
    assert "In CAST(zero + 127 AS TINYINT)\n" in str(error)


_HUGE = "(1::HUGEINT << 126)"
_PLACES = [
    ("SELECT quantity,\n  name::INT FROM items", "name::INT"),
    ("SELECT quantity FROM items WHERE quantity // zero > 1", "quantity // zero"),
    ("SELECT zero + 1::INT + 1::INT + 2147483647::INT + 1::INT FROM items", "2147483647::INT + 1"),
    ("SELECT large * 2 FROM items", "large * 2"),
    ("SELECT sum((zero + 1000)::TINYINT) FROM items", "zero + 1000)::TINYINT"),
    ("SELECT strptime(name, '%Y') FROM items", "strptime(name, '%Y')"),
    ("SELECT zero, error('no ' || name) FROM items", "error('no ' || name)"),
    ("SELECT 1 + (SELECT zero FROM items)", "zero FROM items"),
    ("SELECT zero FROM items WHERE zero = name", "zero = name"),
    ("SELECT x + 1 FROM (SELECT name::INT AS x FROM items)", "name::INT"),
    ("WITH w AS (SELECT name::INT AS x FROM items) SELECT * FROM w, w v", "name::INT"),
    ("SELECT upper(name)::INT, lower(name)::INT FROM items", "upper(name)::INT"),
    ("SELECT (zero + 5)::TINYINT, (zero + 1000)::TINYINT FROM items", "zero + 1000)"),
    ("SELECT zero FROM items ORDER BY name::INT", "name::INT"),
    ("SELECT row_number() OVER (PARTITION BY name::INT) FROM items", "name::INT"),
    ("SELECT * FROM items i JOIN items j ON i.zero = j.name::INT", "name::INT"),
    ("SELECT list_transform([1, 2], lambda x: x // zero) FROM items", "list_transform("),
    ("SELECT zero FROM items WHERE zero IN (SELECT name::INT FROM items)", "name::INT"),
    ("CREATE TABLE made AS SELECT name::INT FROM items", "name::INT"),
    ("PREPARE p AS SELECT zero, name::INT FROM items; EXECUTE p", "name::INT FROM items"),
    ("SELECT DATE '2020-30-30'", "'2020-30-30'"),
    # What aggregates and windows say themselves, each algorithm of a grouping.
    (f"SELECT zero > 5, sum({_HUGE} + zero) FROM items GROUP BY 1", "sum("),
    (f"SELECT count(*), sum({_HUGE} + zero) FROM items", "sum("),
    (f"SELECT sum({_HUGE} + zero) OVER () FROM items", "sum("),
    (f"SELECT zero, sum({_HUGE} + zero) OVER (ORDER BY zero ROWS 2 PRECEDING) FROM items", "sum("),
    ("SELECT count(*), bitstring_agg(zero, 0, 1) FROM items", "bitstring_agg("),
    ("SELECT name, bitstring_agg(DISTINCT zero, 0, 1), max(zero) FROM items GROUP BY name", "bitstring_agg("),
    ("SELECT name, bitstring_agg(zero, 0, 1) FROM items GROUP BY GROUPING SETS ((name), ())", "bitstring_agg("),
    ("SELECT json_group_object(nullif(name, 'x'), zero) FROM items", "json_group_object("),
    ("SELECT zero, arg_min(name, zero, zero - 7) FROM items GROUP BY zero", "arg_min("),
    ("SELECT kurtosis(1e300 * zero), count(*) FROM items, range(3)", "kurtosis("),
    ("SELECT name, ntile(zero - 1) OVER (ORDER BY zero) FROM items", "ntile("),
    ("SELECT zero, sum(zero) OVER (ORDER BY zero ROWS zero - 1 PRECEDING) FROM items", "sum(zero)"),
    (
        "SELECT zero, max(zero) OVER (ORDER BY zero RANGE BETWEEN zero - 1 PRECEDING AND CURRENT ROW) FROM items",
        "zero) OVER",
    ),
]


@pytest.mark.parametrize(("query", "said"), _PLACES)
def test_what_fails_in_a_run_has_a_place(con: tqp.Connection, query: str, said: str) -> None:
    error = raised(ExecutionError, lambda: con.execute(query).fetchall())
    assert error.text is not None and error.location is not None
    line = error.text.split("\n")[error.location.line - 1]
    assert line[error.location.column - 1 :].startswith(said)
    assert f"(line {error.location.line}, column {error.location.column})\n{line}\n" in str(error)


def test_a_plan_used_again_shows_its_own_place(con: tqp.Connection) -> None:
    text = "SELECT (zero + {})::TINYINT,    (zero + {})::TINYINT FROM items"
    assert con.sql(text.format(1, 2)).fetchall()
    for numbers in ((3, 1000), (12345, 3), (4, 1000), (100000, 1)):
        query = text.format(*numbers)
        error = raised(ExecutionError, lambda query=query: con.execute(query))
        assert error.text == query and error.location is not None
        assert query[error.location.column - 1 :].startswith(f"zero + {max(numbers)}")


@pytest.mark.parametrize(
    ("query", "said", "views", "expression"),
    [
        ("SELECT 1,\n n FROM zero_of", "zero_of", ("view zero_of",), "CAST(word AS INTEGER)"),
        ("SELECT n, zero::INT FROM zero_of", "zero_of", ("view zero_of",), "CAST(word AS INTEGER)"),
        (
            "SELECT n FROM items, outer_of",
            "outer_of",
            ("view outer_of", "view zero_of"),
            "CAST(word AS INTEGER)",
        ),
        ("SELECT n FROM summed", "summed", ("view summed",), "sum(1 << 126 + zero)"),
        ("SELECT n FROM scalar", "scalar", ("view scalar",), None),
        ("SELECT n FROM items, below(word)", "below(word)", ("macro below",), "CAST(word AS INTEGER)"),
        ("SELECT n FROM below('z')", "below('z')", ("macro below",), "CAST('z' AS INTEGER)"),
        ("SELECT zero, number(word) FROM items", "number(word)", ("macro number",), "CAST(word AS INTEGER)"),
        ("SELECT n FROM numbers", "numbers", ("view numbers",), "CAST(word AS INTEGER)"),
        ("SELECT n FROM views_of()", "views_of()", ("macro views_of", "view zero_of"), "CAST(word AS INTEGER)"),
        ("SELECT number((zero + 1000)::TINYINT) FROM items", "zero + 1000", (), "CAST(zero + 1000 AS TINYINT)"),
    ],
)
def test_what_fails_in_a_view_or_macro_has_the_place_of_its_name(
    query: str, said: str, views: tuple[str, ...], expression: str | None
) -> None:
    con = tqp.connect(threads=1)
    con.execute("CREATE TABLE items AS SELECT i AS zero, 'x' AS word FROM range(3) r(i)")
    con.execute("CREATE VIEW zero_of AS SELECT word::INT AS n, zero, word FROM items")
    con.execute("CREATE VIEW outer_of AS SELECT n + 1 AS n FROM zero_of")
    con.execute(f"CREATE VIEW summed AS SELECT sum({_HUGE} + zero) AS n FROM items")
    con.execute("CREATE VIEW scalar AS SELECT (SELECT zero FROM items) AS n")
    con.execute("CREATE MACRO number(x) AS x::INT")
    con.execute("CREATE MACRO below(x) AS TABLE SELECT x::INT AS n")
    con.execute("CREATE MACRO views_of() AS TABLE SELECT n FROM zero_of")
    con.execute("CREATE VIEW numbers AS SELECT number(word) AS n FROM items")
    error = raised(ExecutionError, lambda: con.execute(query))
    assert isinstance(error, ExecutionError) and error.location is not None
    line = query.split("\n")[error.location.line - 1]
    assert line[error.location.column - 1 :].startswith(said)
    assert error.views == views and error.expression == expression
    assert f"\nIn {': '.join([*views, *([expression] if expression else [])])}" in str(error)


def test_what_fails_elsewhere_has_no_place_in_the_text() -> None:
    con = tqp.connect(threads=1)
    con.execute("CREATE TABLE items AS SELECT i AS zero, 'x' AS name FROM range(3) r(i)")
    con.execute("CREATE VIEW scalar AS SELECT (SELECT zero FROM items) AS n")
    around = con.sql("SELECT name::INT AS n, zero FROM items")
    failing = con.sql("SELECT (SELECT zero FROM items) AS n, 1 AS one")
    assert around.columns and failing.columns
    for query in (
        "SELECT n, (SELECT 1) FROM scalar",
        "SELECT n, zero::INT FROM around",
        "SELECT n, (SELECT max(zero) FROM items) FROM failing",
    ):
        with pytest.raises(ExecutionError) as caught:
            con.sql(query).fetchall()
        assert caught.value.location is None, query


def test_a_lambda_that_fails_is_shown_with_what_it_asks_of_the_row(con: tqp.Connection) -> None:
    assert con.sql("SELECT [x + 1 - zero for x in [3, 4]] FROM items LIMIT 1").fetchall() == [([4, 5],)]
    error = raised(ExecutionError, lambda: con.execute("SELECT [x // (zero - 1) for x in [1, 2]] FROM items"))
    assert error.expression == "list_transform(list_value(1, 2), lambda x: x // (zero - 1))"


@pytest.mark.parametrize(
    ("query", "failed"),
    [
        ("SELECT a % b FROM (VALUES (1, 0)) t(a, b)", "a % b"),
        ('SELECT b::TINYINT FROM (VALUES (1, 1000)) t(a, "b")', "CAST(b AS TINYINT)"),
        ("SELECT \"Odd name\"::INT FROM (VALUES ('x'), ('y')) t(\"Odd name\")", 'CAST("Odd name" AS INTEGER)'),
        ("SELECT m::INT FROM (SELECT max(s) AS m FROM (VALUES ('x')) t(s))", "CAST(m AS INTEGER)"),
        ("SELECT x::INT FROM (SELECT 'q' UNION ALL SELECT 'z') u(x)", "CAST(x AS INTEGER)"),
        ("SELECT g::TINYINT FROM range(1000) u(g)", "CAST(g AS TINYINT)"),
        ("SELECT x::INT FROM (SELECT unnest(['q', 'z']) AS x)", "CAST(x AS INTEGER)"),
        ("SELECT (SELECT b // c FROM (VALUES (1, 0)) u(b, c)) FROM (VALUES (1), (2)) t(a)", "b // c"),
        ("WITH w(z) AS (VALUES ('q'), ('r')) SELECT z::INT FROM w", "CAST(z AS INTEGER)"),
    ],
)
def test_what_fails_has_the_names_that_the_query_gives(con: tqp.Connection, query: str, failed: str) -> None:
    error = raised(ExecutionError, lambda: con.execute(query))
    assert isinstance(error, ExecutionError) and error.expression == failed
    again = raised(ExecutionError, lambda: con.execute(query.replace("1", "2")))
    assert isinstance(again, ExecutionError) and again.expression == failed


def test_scalar_subquery_with_two_rows(con: tqp.Connection) -> None:
    for query in (
        "SELECT (SELECT zero FROM items)",
        "SELECT (SELECT i.zero FROM items i WHERE i.zero <= o.zero) FROM items o",
    ):
        error = raised(ExecutionError, lambda query=query: con.execute(query))
        assert "More than one row returned by a subquery" in error.message and error.hint


@pytest.mark.parametrize("limit", [2000, "2KB", "2 kib"])
def test_memory_limit(limit: int | str) -> None:
    with tqp.connect(threads=1, memory_limit=limit) as connection:
        connection.register("many", {"a": np.arange(10_000) % 997})
        error = raised(OutOfMemoryError, lambda: connection.execute("SELECT a FROM many ORDER BY a"))
        assert "sort by a" in error.message and "2,0" in error.message and "bytes" in error.message
        assert error.hint and "memory_limit" in error.hint
        assert connection.sql("SELECT count(*) FROM many").fetchall() == [(10_000,)]


@pytest.mark.parametrize(
    "settings",
    [
        {"device": "abacus"}, {"threads": 0}, {"threads": "many"}, {"backend": "magic"},
        {"memory_limit": "much"}, {"memory_limit": -1}, {"memory_limit": 0}, {"memory_limit": "infGB"},
    ],
    ids=str,
)  # fmt: skip
def test_settings(settings: dict[str, Any]) -> None:
    assert raised(TqpError, lambda: tqp.connect(**settings)).hint


@pytest.mark.parametrize(
    ("query", "params"),
    [("SELECT ?", None), ("SELECT ?", [1, 2]), ("SELECT $a", [1]), ("SELECT ?", {"a": 1}), ("SELECT ?", 5),
     ("SELECT ?", "x"), ("SELECT ?", [object()])],
)  # fmt: skip
def test_parameters(con: tqp.Connection, query: str, params: Any) -> None:
    raised(BindError, lambda: con.sql(query, params))


def test_closed_connection() -> None:
    with tqp.connect() as connection:
        relation = connection.sql("SELECT 1 AS a")
    assert relation.fetchall() == [(1,)]
    assert "closed" in str(raised(BindError, lambda: connection.sql("SELECT 1")))


@pytest.mark.parametrize(
    ("text", "kind", "hint"),
    [
        ("SELECT repeat('a', 10000000000)", ExecutionError, "repeat or pad it less"),
        ("SELECT rpad(name, large, 'xy') FROM items", ExecutionError, "repeat or pad it less"),
        ("SELECT [1.5] + 1", BindError, "list_transform(list, lambda x: x + 1)"),
        ("SELECT name::INTEGR FROM items", BindError, "did you mean INTEGER"),
        ("SELECT * FROM 'sales.xlsx'", BindError, "a file is known by its ending: .parquet, .csv"),
        ('SELECT Shop Name FROM (SELECT 1 AS "Shop Name")', BindError, 'is quoted: "Shop Name"'),
        ("SELECT summ(quantity) FROM items", UnsupportedError, "did you mean sum"),
        ("FROM rang(3)", UnsupportedError, "did you mean range?"),
        ("FROM xyz(3)", UnsupportedError, "duckdb_triggers, duckdb_types, duckdb_variables, duckdb_views, generate_series, glob, json_each"),
        ("SET threds = 2", BindError, "did you mean threads?"),
        ("UPDATE EXTENSIONS", UnsupportedError, "leave it out"),
        ("GRANT ALL ON items TO me", UnsupportedError, "no users"),
        ("ALTER SEQUENCE numbers RESTART", UnsupportedError, "ALTER TABLE"),
        ("COPY items TO 'nowhere/x.csv'", SourceError, "make it first"),
        ("COPY items TO 'x' (FORMAT parquet, PARTITION_BY (nam))", BindError, "the columns are quantity, zero, name, large"),
        ("CREATE TABLE pair (a INTEGER, b INTEGER); INSERT INTO pair VALUES (1)", BindError, "INSERT INTO pair (a) …"),
    ],
)  # fmt: skip
def test_errors_say_what_works(text: str, kind: type[TqpError], hint: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    with tqp.connect(threads=1) as connection:
        connection.register("items", TABLE)
        error = raised(kind, lambda: connection.execute(text).fetchall())
        assert error.hint is not None and hint in error.hint


@pytest.mark.parametrize("text", ["ALTER items ADD x INTEGER", "MERGE items", "COMMENT items"])
def test_statements_without_their_second_word(con: tqp.Connection, text: str) -> None:
    assert "syntax error at or near 'items'" in str(raised(ParseError, lambda: con.execute(text)))


def test_calls_that_no_text_writes_are_not_shown(con: tqp.Connection) -> None:
    query = con.sql("SELECT date_trunc(part, DATE '2024-05-06') FROM (VALUES ('moth')) AS t(part)")
    error = raised(ExecutionError, query.fetchall)
    assert "there is no date part 'moth'" in str(error) and "date_part_name" not in str(error)
    assert error.expression is None


def test_words_for_types(con: tqp.Connection) -> None:
    assert "not an int" in str(raised(BindError, lambda: con.sql(5)))  # type: ignore[arg-type]
    assert "register a float" in str(raised(SourceError, lambda: con.register("x", 1.5)))
    assert "takes a number of rows, not 'x'" in str(raised(BindError, lambda: con.sql("SELECT 1").fetchmany("x")))  # type: ignore[arg-type]


def test_what_belongs_to_a_process_is_not_pickled(con: tqp.Connection) -> None:
    relation = con.sql("SELECT 1 AS a")
    assert "tqp.connect() in each" in str(raised(BindError, lambda: pickle.dumps(con)))
    assert "tqp.connect() in each" in str(raised(BindError, lambda: copy.deepcopy(con)))
    assert ".arrow(), .df() or .torch()" in str(raised(BindError, lambda: pickle.dumps(relation)))
    assert copy.copy(relation) is relation and copy.deepcopy([relation])[0].fetchall() == [(1,)]


@pytest.mark.parametrize("text", ["", "  \n", "-- a remark", "/* one */ -- and another", ";", " ; -- x\n ;"])
def test_a_text_without_statements_does_nothing(con: tqp.Connection, text: str) -> None:
    assert con.execute(text).fetchall() == con.sql(text).fetchall() == []
    assert con.sql(f"SELECT 1; {text}\n").fetchall() in ([(1,)], [])


def test_databases_in_files() -> None:
    for name in (":memory:", "my.duckdb", "data.db"):
        assert "has its tables in memory" in str(raised(SourceError, lambda name=name: tqp.connect(name)))
    assert tqp.TqpError is TqpError
