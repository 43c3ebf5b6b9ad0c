"""What of a query nobody reads is refused."""

from __future__ import annotations

import pyarrow as pa
import pytest
from sqlglot import exp

import tqp
from tqp.errors import UnsupportedError
from tqp.sql.clauses import CLAUSES
from tqp.sql.parse import parse
from tqp.sql.unread import all_read, discard, operands, unnoticed, unread, watch


@pytest.fixture
def connection() -> tqp.Connection:
    made = tqp.connect()
    made.register("t", pa.table({"a": [1, 2, 3], "b": ["x", "y", None]}))
    return made


@pytest.mark.parametrize(
    ("read", "text", "what"),
    [
        ("clickhouse", "SELECT a FROM t PREWHERE a > 1", "PREWHERE"),
        ("clickhouse", "SELECT a FROM t LIMIT 1 BY a", "LIMIT BY"),
        ("clickhouse", "SELECT a FROM t GROUP BY a WITH TOTALS", "WITH TOTALS"),
        ("clickhouse", "SELECT a FROM t SETTINGS x = 1", "SETTINGS"),
        ("hive", "SELECT a FROM t SORT BY a", "SORT BY"),
        ("spark", "SELECT a FROM t DISTRIBUTE BY a", "DISTRIBUTE BY"),
        ("duckdb", "SELECT a FROM t FOR SYSTEM_TIME AS OF 1", "FOR SYSTEM_TIME"),
        ("duckdb", "SELECT count(* ILIKE 'a') FROM t", "ILIKE of STAR"),
        ("mysql", "SELECT a FROM t PARTITION(p0)", "PARTITION"),
        ("mysql", "SELECT a FROM t USE INDEX (i)", "HINTS"),
        ("oracle", "SELECT a FROM t WHERE a > 1 CONNECT BY PRIOR a = a", "CONNECT BY"),
        ("postgres", "SELECT a FROM t FOR UPDATE", "FOR UPDATE"),
        ("tsql", "SELECT a FROM t FOR XML PATH", "FOR"),
        ("bigquery", "SELECT AS STRUCT a FROM t", "SELECT AS"),
    ],
)
def test_what_nobody_reads_is_named(connection: tqp.Connection, read: str, text: str, what: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        connection.sql(text, read=read).fetchall()
    assert f"{what} is not supported" in str(caught.value)
    assert caught.value.location is not None


def test_every_clause_that_the_parser_reads_has_a_row() -> None:
    arguments = {argument for clause in CLAUSES for argument in clause.arguments}
    assert arguments == set(exp.Select.arg_types)


def test_a_clause_says_what_to_write_instead(connection: tqp.Connection) -> None:
    with pytest.raises(UnsupportedError, match="PREWHERE is not supported") as caught:
        connection.sql("SELECT a FROM t PREWHERE a > 1", read="clickhouse")
    assert caught.value.hint == "write WHERE"


def test_all_are_listed_with_other_gaps(connection: tqp.Connection) -> None:
    text = "SELECT nonesuch_1(a) FROM t PREWHERE a > 1 GROUP BY a WITH TOTALS LIMIT 1 BY a"
    with pytest.raises(UnsupportedError) as caught:
        connection.sql(text, read="clickhouse").fetchall()
    assert len(caught.value.gaps) == 4


@pytest.mark.parametrize(
    "text",
    [
        "WITH w AS (SELECT nonesuch FROM nowhere) SELECT a FROM t",
        "WITH w AS MATERIALIZED (SELECT a FROM t) SELECT p.a FROM w p, w q",
        "SELECT sum(a) OVER v FROM t WINDOW v AS (ORDER BY a), u AS (PARTITION BY nonesuch)",
        "SELECT a AS x, count(*) FROM t GROUP BY ROLLUP (a) ORDER BY a",
        "SELECT sum(a), rank() OVER (ORDER BY sum(a)) FROM t GROUP BY ROLLUP (b)",
        "FROM t SELECT * EXCLUDE (a)",
    ],
)
def test_what_needs_no_reading_is_no_gap(connection: tqp.Connection, text: str) -> None:
    connection.sql(text).fetchall()


def _left(tree: exp.Expr) -> list[str]:
    return [name for _, name in unread(tree)]


def test_properties_of_the_parser_s_nodes_count_as_reading_and_loops_do_not() -> None:
    tree = parse("SELECT trim(LEADING 'x' FROM b) FROM t")
    watch(tree)
    trim = tree.find(exp.Trim)
    assert trim is not None and trim == trim.copy() and len(list(trim.walk())) > 1
    assert sorted(_left(trim)) == ["expression", "position", "this"]
    assert trim.this is not None  # a property, which may be compiled
    assert trim.args.get("position") == "LEADING"
    assert "expression" in _left(trim) and "position" not in _left(trim)


def test_a_copy_shares_what_was_read() -> None:
    tree = parse("SELECT a FROM t LIMIT 1")
    watch(tree)
    copied = tree.copy()
    assert copied.args["limit"] is not None and "limit" not in _left(tree)


def test_operands_leave_flags_unread() -> None:
    (division,) = parse("SELECT a / b FROM t", read="postgres").expressions
    watch(division)
    assert [part.name for part in operands(division)] == ["a", "b"]
    assert "typed" in _left(division)


def test_showing_is_no_reading() -> None:
    tree = parse("SELECT a FROM t WHERE a > 1")
    watch(tree)
    with unnoticed(tree):
        assert tree.sql() and tree.args.get("where")
    assert "where" in _left(tree)
    discard(tree)
    assert _left(tree) == []


def test_nothing_is_left_when_all_was_read() -> None:
    tree = parse('SELECT a AS "A" FROM t WHERE a > 1 LIMIT 2')
    watched = watch(tree)
    for node in tree.walk():
        assert not all_read(watched)
        for name in map(str, node.args):
            node.args.get(name)
    assert all_read(watched) and _left(tree) == []
    with unnoticed(tree):
        tree.args.get("limit")
    assert all_read(watched)


def test_flags_need_no_reading_where_they_say_what_tqp_does() -> None:
    for flag, left in ((True, []), (False, []), ("maybe", ["safe"])):
        node = parse("SELECT a || b FROM t").expressions[0]
        node.set("safe", flag)
        watch(node)
        assert [part.name for part in operands(node)] == ["a", "b"]
        assert [name for name in _left(node) if name == "safe"] == left
