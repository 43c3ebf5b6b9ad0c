"""What statements promise beside their answers: whole or not at all, one version a query, and plans that do not outlive tables."""

from __future__ import annotations

import threading
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import tqp
from tqp.errors import (
    BindError,
    ExecutionError,
    Location,
    ParseError,
    QueryTimeoutError,
    SourceError,
    TqpError,
    UnsupportedError,
)
from tqp.ir.plan import Plan
from tqp.statements.caller import Caller
from tqp.statements.registry import first_words
from tqp.statements.script import holds_statements


@pytest.fixture
def con() -> tqp.Connection:
    return tqp.connect(threads=1)


def test_what_statements_give(con: tqp.Connection) -> None:
    """A relation always, of the rows that DuckDB gives: how many were written, or none."""
    with duckdb.connect() as other:
        for text in (
            "CREATE TABLE t(a INTEGER)", "INSERT INTO t VALUES (1), (2)", "CREATE TABLE u AS FROM t", "CREATE VIEW v AS FROM t",
            "CREATE MACRO f(x) AS x", "DROP VIEW v", "SET threads = 1", "SELECT 1; SELECT 2 AS b", "DROP TABLE IF EXISTS nope",
        ):  # fmt: skip
            ours, theirs = con.sql(text), other.sql(text)
            assert (ours.columns, list(map(str, ours.types))) == (theirs.columns, list(map(str, theirs.types)))
            assert ours.fetchall() == theirs.fetchall()


def test_done_at_once_queries_when_asked_for(con: tqp.Connection) -> None:
    con.sql("CREATE TABLE t AS SELECT 1 AS a")
    assert con.tables() == ["t"]
    late = con.sql("INSERT INTO t VALUES (2); FROM t")
    con.sql("INSERT INTO t VALUES (3)")
    assert late.fetchall() == [(1,), (2,)], "a relation is of the version that was there when it was made"
    assert con.sql("FROM t").fetchall() == [(1,), (2,), (3,)]


def test_a_table_has_the_rows_that_there_were(con: tqp.Connection) -> None:
    values = np.array([1, 2, 3])
    con.register("source", {"a": values})
    con.execute("CREATE TABLE t AS FROM source")
    values[0] = 100
    con.register("source", {"a": np.array([7])})
    assert con.sql("SELECT sum(a) FROM t").fetchall() == [(6,)]


def test_parameters(con: tqp.Connection) -> None:
    con.execute("CREATE TABLE t AS SELECT ? AS a, $2 AS s", [1, "x"])
    con.execute("INSERT INTO t VALUES (?, ?), (?, ?)", [2, "y", 3, None])
    con.execute("INSERT INTO t BY NAME SELECT $s AS s", {"s": "z"})
    assert con.execute(
        "CREATE OR REPLACE TABLE u(a INTEGER); INSERT INTO u SELECT a FROM t WHERE a > ?", [1]
    ).fetchall() == [(2,)]
    assert con.sql("FROM t ORDER BY ALL").fetchall() == [(1, "x"), (2, "y"), (3, None), (None, "z")]
    assert con.sql("DESCRIBE SELECT ? AS p", [1.5]).fetchall()[0][:2] == ("p", "DOUBLE")
    con.execute("SET threads = ?", [2])
    assert con.settings.threads == 2
    for text in (
        "CREATE VIEW v AS SELECT ? AS a",
        "CREATE MACRO f(x) AS x + ?",
        "INSERT INTO u SELECT ?; FROM u WHERE a = ?",
    ):
        with pytest.raises(TqpError):
            con.execute(text, [1])
    assert con.tables() == ["t", "u"]


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO t SELECT CAST(s AS INTEGER), s FROM t",
        "INSERT INTO t SELECT a, NULL FROM t",
        "INSERT INTO t SELECT 1 // (a - 2), s FROM t WHERE a + 2147483647 > 0",
        "CREATE OR REPLACE TABLE t AS SELECT CAST(s AS DATE) AS d FROM t",
        "CREATE OR REPLACE TABLE t AS SELECT nope FROM t",
        "CREATE OR REPLACE VIEW v AS SELECT nope FROM t",
        "CREATE OR REPLACE MACRO f(x) AS nope(x)",
        "CREATE OR REPLACE TABLE v AS SELECT 1",
        "DROP TABLE v",
        "SET threads = 0",
        "CREATE TABLE t AS SELECT 5",
        "COPY t FROM 'nowhere.csv'",
    ],
)
def test_an_error_leaves_everything_as_it_was(con: tqp.Connection, text: str) -> None:
    con.execute("CREATE TABLE t(a INTEGER, s VARCHAR NOT NULL); INSERT INTO t VALUES (1, 'x'), (2, 'y')")
    con.execute("CREATE VIEW v AS SELECT a FROM t; CREATE MACRO f(x) AS x + 1")
    entries, macros, settings = con.catalog.entries, con.catalog.macros, con.settings
    with pytest.raises(TqpError):
        con.execute(text).fetchall()
    assert con.catalog.entries is entries and con.catalog.macros is macros and con.settings is settings
    assert con.sql("SELECT f(a), s FROM t JOIN v USING (a) ORDER BY a").fetchall() == [(2, "x"), (3, "y")]


def test_a_text_stops_at_its_first_error(con: tqp.Connection) -> None:
    with pytest.raises(ExecutionError):
        con.execute(
            "CREATE TABLE t(a INTEGER); INSERT INTO t VALUES (1); INSERT INTO t VALUES ('x'); INSERT INTO t VALUES (2)"
        )
    assert con.sql("FROM t").fetchall() == [(1,)]


def test_errors_show_the_whole_text(con: tqp.Connection) -> None:
    text = "SELECT 1;\nCREATE TABLE t AS\n  SELECT nope"
    with pytest.raises(BindError) as caught:
        con.sql(text)
    assert (caught.value.location.line, caught.value.location.column) == (3, 10)
    assert "  SELECT nope\n         ^" in str(caught.value)
    with pytest.raises(ParseError, match=r"at or near 'b' \(line 2, column 15\)"):
        con.sql("SELECT 1;\n DROP TABLE a b")
    with pytest.raises(ParseError, match="ends too early"):
        con.sql("DROP TABLE")
    with pytest.raises(ParseError, match="quote"):
        con.sql("SELECT 1; SELECT 'x")


def test_plans_do_not_outlive_what_they_read(con: tqp.Connection) -> None:
    con.execute("CREATE TABLE t AS SELECT 1 AS a")
    con.execute("CREATE VIEW v AS SELECT a + 1 AS b FROM t; CREATE MACRO f(x) AS x * 10")
    query = "SELECT f(a), b FROM t, v WHERE a > 0"
    assert con.sql(query).fetchall() == [(10, 2)]
    con.execute("INSERT INTO t VALUES (2)")
    assert len(con.sql(query).fetchall()) == 4
    con.execute("CREATE OR REPLACE MACRO f(x) AS -x")
    assert con.sql("SELECT f(a) FROM t WHERE a > 1").fetchall() == [(-2,)]
    assert min(con.sql(query).fetchall()) == (-2, 2)
    con.execute("CREATE OR REPLACE VIEW v AS SELECT 7 AS b")
    assert sorted(con.sql(query).fetchall()) == [(-2, 7), (-1, 7)]
    con.execute("CREATE TEMP TABLE t AS SELECT 9 AS a")
    assert con.sql(query).fetchall() == [(-9, 7)]
    con.execute("DROP TABLE t; DROP MACRO f")
    with pytest.raises(UnsupportedError):
        con.sql(query)
    assert con.sql("SELECT sum(a) FROM t").fetchall() == [(3,)]


def test_plans_are_used_again(con: tqp.Connection) -> None:
    """Of queries with views and macros too, with other constants."""
    con.execute(
        "CREATE TABLE t AS SELECT 1 AS a UNION ALL SELECT 2; CREATE VIEW v AS FROM t; CREATE MACRO f(x) AS x + 1"
    )
    first = con.sql("SELECT f(a) FROM v WHERE a > 1")
    assert first.fetchall() == [(3,)]
    assert con.sql("SELECT f(a) FROM v WHERE a > 1").bound_query is first.bound_query
    other = con.sql("SELECT f(a) FROM v WHERE a > 0 ORDER BY 1")
    assert other.fetchall() == [(2,), (3,)]
    again = con.sql("SELECT f(a) FROM v WHERE a > 0")
    assert sorted(again.fetchall()) == [(2,), (3,)] and again.bound_query.is_reused


def test_registered_objects_are_no_tables(con: tqp.Connection) -> None:
    con.register("frame", pa.table({"a": [1, 2]}))
    for text in ("INSERT INTO frame VALUES (3)", "DROP TABLE frame"):
        with pytest.raises(BindError):
            con.execute(text)
    # As in DuckDB what is registered is found first, and is dropped as a view.
    con.execute("CREATE TABLE frame AS SELECT 7 AS z")
    assert con.sql("FROM frame").fetchall() == [(1,), (2,)]
    con.execute("DROP VIEW frame")
    assert con.sql("FROM frame").fetchall() == [(7,)]
    con.unregister("frame")
    assert con.tables() == []
    with pytest.raises(SourceError):
        con.unregister("frame")


def test_variables_and_relations(con: tqp.Connection) -> None:
    frame = pa.table({"a": [1, 2]})
    con.execute("CREATE TABLE t AS FROM frame")
    con.execute("CREATE VIEW v AS SELECT sum(a) AS s FROM frame")
    assert frame is not None and con.sql("FROM t JOIN v ON true").fetchall() == [(1, 3), (2, 3)]
    with pytest.raises(BindError):
        con.execute("INSERT INTO frame VALUES (1)")
    relation = con.sql("SELECT a * 2 AS a FROM t")
    con.execute("INSERT INTO t FROM relation")
    assert relation and con.sql("SELECT count(*), sum(a) FROM t").fetchall() == [(4, 9)]


def test_verify(con: tqp.Connection) -> None:
    con.execute("CREATE TABLE t AS SELECT 1 AS a, 12345678901234567890 AS h")
    con.execute("CREATE VIEW v(x) AS SELECT a FROM t; CREATE VIEW w AS SELECT x + 1 AS y FROM v")
    report = con.verify("SELECT y, a, count(*) FROM w, t GROUP BY ALL")
    assert report.ok, str(report)


def test_settings(con: tqp.Connection) -> None:
    con.execute(
        "SET memory_limit = '2GB'; SET backend = compile; SET batch_rows = 1000; SET disabled_rules = 'prune,push_limits'"
    )
    assert con.settings.memory_limit == 2 * 10**9 and con.settings.backend == "compile"
    assert con.settings.batch_rows == 1000 and con.settings.disabled_rules == {"prune", "push_limits"}
    assert con.sql(
        "SELECT current_setting('disabled_optimizers') AS d, current_setting('BACKEND') AS b"
    ).fetchall() == [("prune,push_limits", "compile")]
    con.execute("RESET memory_limit; RESET backend; RESET batch_rows; RESET disabled_rules")
    assert con.settings == con.settings_at_first
    for text in (
        "SET nothing = 1",
        "SET device = 'cuda'",
        "SET backend = 'nope'",
        "SET disabled_rules = 'nope'",
        "RESET nothing",
    ):
        with pytest.raises(BindError):
            con.execute(text)
    assert con.settings == con.settings_at_first


def test_small_inserts_cost_little(con: tqp.Connection) -> None:
    """A row is copied some log(rows) times, however many statements bring them; the table is that of all of them."""
    con.execute("CREATE TABLE t(a INTEGER, s VARCHAR)")
    for number in range(100):
        con.execute("INSERT INTO t VALUES (?, ?)", [number, f"s{number % 7}"])
    assert len(con.catalog.lookup("t").reader.pieces) <= 7
    assert con.sql("SELECT count(*), sum(a), count(DISTINCT s), max(s) FROM t").fetchall() == [(100, 4950, 7, "s6")]
    assert con.sql("SELECT a FROM t").fetchall() == [(number,) for number in range(100)]
    facts = con.catalog.lookup("t").statistics("a")
    assert (facts.minimum, facts.maximum, facts.is_unique, facts.is_sorted) == (0, 99, True, True)


def test_columns_are_as_narrow_as_their_values(con: tqp.Connection) -> None:
    con.execute(
        "CREATE TABLE t AS SELECT a + 1 AS a, 'x' || s AS s FROM (VALUES (1::BIGINT, 'b'), (2, 'a'), (NULL, NULL)) v(a, s)"
    )
    table = con.catalog.lookup("t")
    column, text = table.column("a"), table.column("s")
    assert str(column.data.dtype) == "torch.int8" and column.bounds == (2, 3)
    assert text.dictionary.is_sorted and len(text.dictionary) == 2
    con.execute("INSERT INTO t VALUES (100000, 'aa')")
    assert con.catalog.lookup("t").column("a").bounds == (2, 100000)
    assert table.column("a").bounds == (2, 3)


def test_timeout(con: tqp.Connection) -> None:
    con.register("n", {"a": np.arange(20_000)})
    con.execute("CREATE TABLE t(a BIGINT)")
    with pytest.raises(QueryTimeoutError):
        con.execute("INSERT INTO t SELECT count(*) FROM n x, n y WHERE x.a * y.a % 7 = 3", timeout=0.01)
    assert con.sql("FROM t").fetchall() == []


def test_threads_see_whole_versions(con: tqp.Connection) -> None:
    """Writers add ten rows at a time and replace a pair of tables; whoever reads sees all of a statement or nothing of it."""
    con.execute("CREATE TABLE t(a INTEGER); CREATE TABLE pair AS SELECT 0 AS a; CREATE VIEW v AS FROM pair")
    failures: list[BaseException | str] = []
    done = threading.Event()

    def write(place: int) -> None:
        for step in range(20):
            con.execute(
                f"INSERT INTO t SELECT {place} FROM (VALUES (1), (2), (3), (4), (5), (6), (7), (8), (9), (10)) r(x)"
            )
            con.execute(f"CREATE OR REPLACE TABLE pair AS SELECT {step} AS a UNION ALL SELECT {step}")

    def read() -> None:
        while not done.is_set():
            (count,) = con.sql("SELECT count(*) FROM t").fetchall()[0]
            if count % 10:
                failures.append(f"{count} rows")
            rows = con.sql("SELECT p.a, v.a FROM pair p, v").fetchall()
            if len({value for row in rows for value in row}) != 1:
                failures.append(f"two versions in one query: {rows}")

    def guarded(action: object, *args: object) -> None:
        try:
            action(*args)  # type: ignore[operator]
        except BaseException as error:
            failures.append(error)

    readers = [threading.Thread(target=guarded, args=(read,)) for _ in range(2)]
    writers = [threading.Thread(target=guarded, args=(write, place)) for place in range(3)]
    for thread in (*readers, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    done.set()
    for thread in readers:
        thread.join()
    assert not failures
    assert con.sql("SELECT a, count(*) FROM t GROUP BY a ORDER BY a").fetchall() == [(0, 200), (1, 200), (2, 200)]


def test_of_many_who_create_one_succeeds(con: tqp.Connection) -> None:
    made: list[int] = []

    def create(place: int) -> None:
        try:
            con.execute(f"CREATE TABLE one AS SELECT {place} AS a")
            made.append(place)
        except BindError:
            pass

    threads = [threading.Thread(target=create, args=(place,)) for place in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert con.sql("FROM one").fetchall() == [(made[0],)] and len(made) == 1


def test_what_is_a_statement() -> None:
    for text in (
        "CREATE TABLE",
        " /* a */ -- b\n insert",
        "SELECT 1; SELECT 2",
        ";;x",
        "SELECT 1;;",
        "SELECT 'a;b';",
        "DROP TABLE t;",
        "with a as (select 1) insert into t from a",
        "BEGIN",
        "",
        ";",
        "-- a remark",
    ):
        assert holds_statements(text), text
    for text in (
        "SELECT 1",
        "FROM t",
        "(SELECT 1)",
        "WITH a AS (SELECT 1) FROM a",
        "VALUES (1)",
        "create_table",
        "SELECT 1;\n ",
    ):
        assert not holds_statements(text), text
    assert {"CREATE", "INSERT", "COPY", "SET", "UPDATE", "WITH"} <= first_words()
    con = tqp.connect(threads=1)
    for text in ("SELECT 1;", "SELECT 1 -- one;", "SELECT 1; \n", "SELECT 1 AS one; ", "FROM (SELECT 1);"):
        assert con.sql(text).fetchall() == [(1,)], text
        assert con.sql(text).verify(), text
    assert con.sql("PIVOT (SELECT 1 AS a, 2 AS b) ON a USING sum(b);").fetchall() == [(2,)]
    assert con.sql("WITH a AS (SELECT 'insert' AS b) FROM a").fetchall() == [("insert",)]
    assert con.sql("WITH a AS (SELECT 'insert into' AS b) SELECT upper(b) AS b FROM a").fetchall() == [("INSERT INTO",)]


def test_files(con: tqp.Connection, tmp_path: Path) -> None:
    con.execute(f"COPY (SELECT 1 AS a) TO '{tmp_path}/x.parquet'")
    con.execute(f"CREATE VIEW v AS FROM '{tmp_path}/x.parquet'; CREATE TABLE t AS FROM v")
    con.execute(f"COPY (SELECT 2 AS a) TO '{tmp_path}/x.parquet'")
    assert con.sql("SELECT v.a, t.a FROM v, t").fetchall() == [(2, 1)]
    assert con.sql(f"DESCRIBE '{tmp_path}/x.parquet'").fetchall()[0][:2] == ("a", "INTEGER")


def test_cache_lists_tables(con: tqp.Connection) -> None:
    con.execute("CREATE TABLE t AS SELECT 1 AS a")
    con.sql("SELECT sum(a) FROM t").fetchall()
    assert ("rows", "t") in [row[:2] for row in con.cache().fetchall()]
    con.clear_cache()
    assert con.sql("SELECT sum(a) FROM t").fetchall() == [(1,)]


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("DESCRIBE nope", 10), ("SUMMARIZE nope", 11), ("SHOW nope", 6), ("COPY nope TO 'x.csv'", 6),
        ("COPY nope (a, b) TO 'x.csv'", 6), ("COPY (SELECT a FROM nope) TO 'x.csv'", 21), ("EXPLAIN FROM nope", 14),
        ("CREATE TABLE k AS FROM nope", 24), ("SELECT 1; DESCRIBE nope", 20),
    ],
)  # fmt: skip
def test_errors_point_into_the_text_as_it_was_written(text: str, column: int) -> None:
    with pytest.raises(BindError) as caught:
        tqp.connect(threads=1).execute(text)
    assert str(caught.value) == f"no table nope (line 1, column {column})\n{text}\n{' ' * (column - 1)}^"


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("WITH c AS (INSERT INTO t VALUES (1) RETURNING a) SELECT nope FROM c", 1, 57),
        ("WITH c AS (INSERT INTO t VALUES (1)\nRETURNING a)\nSELECT c.a FROM c WHERE nope", 3, 25),
        ("WITH c AS (INSERT INTO t VALUES (1) RETURNING nope) SELECT a FROM c", 1, 47),
        ("INSERT INTO t VALUES (1) RETURNING a + nope", 1, 40),
        ("FROM (SHOW TABLES) WHERE nope = 1", 1, 26),
        ("SELECT 1; SELECT nope FROM (DESCRIBE t)", 1, 18),
    ],
)
def test_errors_show_no_stand_in(text: str, line: int, column: int) -> None:
    with tqp.connect(threads=1) as con, pytest.raises(BindError, match="no column nope") as caught:
        con.execute("CREATE TABLE t (a INTEGER)")
        con.execute(text)
    assert caught.value.location == Location(line, column) and caught.value.text == text


def test_stand_ins_hide_no_table() -> None:
    with tqp.connect(threads=1) as con:
        con.execute("CREATE TABLE told_0 AS SELECT 5 AS a; CREATE TABLE rows_written_0 AS SELECT 6 AS a")
        query = "SELECT told_0.a FROM told_0, (DESCRIBE told_0)"
        assert con.sql(query).fetchall() == [(5,)]
        query = "WITH c AS (INSERT INTO told_0 VALUES (7) RETURNING a) SELECT c.a, r.a FROM c, rows_written_0 AS r"
        assert con.sql(query).fetchall() == [(7, 6)]


def test_describe_sees_one_version_of_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another one takes its place after it was bound, before its NOT NULL is looked up."""
    real = Caller.described
    with tqp.connect(threads=1) as con:
        con.sql("CREATE TABLE t (a INTEGER NOT NULL)")
        others = iter(["CREATE OR REPLACE TABLE t (b VARCHAR NOT NULL)"])

        def described(caller: Caller, text: str) -> Plan:
            plan = real(caller, text)
            for statement in others:
                con.sql(statement)
            return plan

        monkeypatch.setattr(Caller, "described", described)
        assert [row[:3] for row in con.sql("DESCRIBE t").fetchall()] == [("b", "VARCHAR", "NO")]
