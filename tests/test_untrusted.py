"""What a connection for queries of others keeps: each sentence of docs/tables.md on untrusted queries, and attempts to break it."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
import torch

import tqp
from tqp.errors import BindError, TqpError
from tqp.io.files import READERS

CHANGING = [
    "CREATE TABLE n(a INTEGER)",
    "CREATE TEMP TABLE n(a INTEGER)",
    "CREATE OR REPLACE TABLE own(a INTEGER)",
    "CREATE TABLE n AS FROM t",
    "CREATE OR REPLACE TABLE t AS SELECT 0 AS a",
    "CREATE TEMP TABLE t AS SELECT 0 AS a",
    "CREATE VIEW n AS FROM t",
    "CREATE OR REPLACE VIEW t AS SELECT 0 AS a",
    "CREATE MACRO sum(x) AS 42",
    "CREATE OR REPLACE TEMP MACRO lower(x) AS 'no'",
    "CREATE MACRO rows() AS TABLE FROM t",
    "UPDATE own SET a = 1",
    "DELETE FROM own WHERE a = 1",
    "WITH q AS (SELECT 1 AS k) UPDATE own SET a = k FROM q",
    "WITH d AS (DELETE FROM own RETURNING a) SELECT sum(a) FROM d",
    "DROP VIEW t",
    "DROP VIEW IF EXISTS t",
    "DROP TABLE own",
    "DROP MACRO own_macro",
    "TRUNCATE own",
    "INSERT INTO own VALUES (7)",
    "INSERT INTO own VALUES (7) RETURNING a",
    "WITH x AS (SELECT 7 AS a) INSERT INTO own FROM x",
    "SET VARIABLE secret = 3",
    "RESET VARIABLE secret",
    "PREPARE p AS SELECT 1",
    "DEALLOCATE kept",
    "BEGIN",
    "COMMIT",
    "ROLLBACK",
]
NOT_ALONE = {"COMMIT", "ROLLBACK", "CREATE OR REPLACE TABLE t AS SELECT 0 AS a", "CREATE TEMP TABLE t AS SELECT 0 AS a"}
"""What fails on any connection like this one."""
SETTING = [
    "SET memory_limit = '100GB'",
    "SET GLOBAL threads = 64",
    "RESET memory_limit",
    "PRAGMA threads = 3",
    "SET TimeZone = 'Asia/Tokyo'",
    "SET disabled_rules = 'push_down'",
    "SET lock_configuration = false",
    "RESET lock_configuration",
]


@pytest.fixture
def con() -> tqp.Connection:
    connection = tqp.connect(threads=1)
    connection.register("t", pa.table({"a": [1, 2, 3]}))
    connection.execute("CREATE TABLE own AS FROM range(3) r(a); CREATE MACRO own_macro(x) AS x + 1")
    connection.execute("SET VARIABLE secret = 1; PREPARE kept AS SELECT 5")
    return connection


def _closed(con: tqp.Connection) -> tqp.Connection:
    """A connection for untrusted queries over the same names."""
    made = tqp.connect(
        threads=1, external_access=False, variables=False, read_only=True, lock_configuration=True, memory_limit="1GB"
    )
    made._names._committed = con._names._committed
    made._names.values, made._names.prepared = con._names.values, con._names.prepared
    return made


def _state(con: tqp.Connection) -> object:
    return con._names.catalog.defined, con._names.values, con._names.prepared, con.settings, con.in_transaction


@pytest.mark.parametrize("statement", CHANGING)
def test_a_read_only_connection_keeps_what_there_is(con: tqp.Connection, statement: str) -> None:
    untrusted = _closed(con)
    before = _state(untrusted)
    doors = [statement, f"SELECT 1; {statement}", f"/* SELECT */ {statement};"]
    for text in doors:
        with pytest.raises(BindError, match="the connection is read-only"):
            untrusted.execute(text)
    assert _state(untrusted) == before
    assert untrusted.sql("SELECT sum(a), lower('A') FROM t").fetchall() == [(6, "a")]
    assert untrusted.sql("SELECT own_macro(max(a)), getvariable('secret') FROM own").fetchall() == [(3, 1)]
    assert untrusted.sql("EXECUTE kept").fetchall() == [(5,)]


@pytest.mark.parametrize("statement", [text for text in CHANGING if text not in NOT_ALONE])
def test_the_same_statements_work_elsewhere(con: tqp.Connection, statement: str) -> None:
    con.execute(statement)


def test_methods_of_relations_change_nothing_either(con: tqp.Connection) -> None:
    untrusted = _closed(con)
    before = _state(untrusted)
    rows = untrusted.sql("SELECT 7 AS a")
    for door in (
        lambda: rows.create("n"),
        lambda: rows.create_view("n"),
        lambda: rows.insert_into("own"),
        lambda: untrusted.execute("EXECUTE kept; DROP VIEW t"),
    ):
        with pytest.raises(BindError, match="read-only"):
            door()
    assert _state(untrusted) == before


@pytest.mark.parametrize("statement", SETTING)
def test_a_locked_configuration_stays(con: tqp.Connection, statement: str) -> None:
    untrusted = _closed(con)
    before = untrusted.settings
    with pytest.raises(BindError, match="the configuration is locked"):
        untrusted.execute(statement)
    assert untrusted.settings == before
    assert untrusted.sql("SELECT current_setting('lock_configuration')").fetchall() == [(True,)]


def test_a_configuration_is_locked_by_a_statement() -> None:
    con = tqp.connect(threads=1)
    con.execute("SET threads = 2; SET lock_configuration = true")
    for statement in SETTING:
        with pytest.raises(BindError, match="locked"):
            con.execute(statement)
    con.execute("CREATE TABLE n(a INTEGER); SET VARIABLE x = 1")
    assert con.settings.threads == 2


def test_a_program_still_registers(con: tqp.Connection) -> None:
    untrusted = _closed(con)
    untrusted.register("more", {"x": torch.arange(3)})
    untrusted.register_model("linear", torch.nn.Linear(1, 1))
    untrusted.create_function("twice", lambda x: x * 2, ["BIGINT"], "BIGINT")
    assert untrusted.sql("SELECT sum(twice(x)) FROM more").fetchall() == [(6,)]
    untrusted.unregister("more")
    assert "more" not in untrusted.tables()


READING = ["FROM '{}'", *(f"FROM {function}('{{}}')" for function in READERS)]


@pytest.mark.parametrize("query", [*READING, "COPY (SELECT 1) TO '{}'", "COPY own FROM '{}'"])
def test_no_file_is_read_or_written(con: tqp.Connection, tmp_path: Path, query: str) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a\n1\n")
    with pytest.raises(TqpError, match=r"this connection reads none|read-only"):
        _closed(con).execute(query.format(path))
    assert path.read_text() == "a\n1\n"


def test_no_variable_of_the_program_is_seen(con: tqp.Connection) -> None:
    password = pa.table({"a": ["secret"]})
    assert password.num_rows == 1
    for query in ("FROM password", "SELECT (SELECT a FROM password)", "FROM query_table('password')"):
        with pytest.raises(TqpError) as caught:
            _closed(con).execute(query)
        assert "secret" not in str(caught.value)


def test_dbapi_takes_the_options() -> None:
    con = tqp.dbapi.connect(read_only=True, lock_configuration=True)
    cursor = con.cursor()
    for statement in ("CREATE TABLE n(a INTEGER)", "SET threads = 1"):
        with pytest.raises(tqp.dbapi.Error, match="read-only|locked"):
            cursor.execute(statement)
    assert cursor.execute("SELECT 42").fetchone() == (42,)
