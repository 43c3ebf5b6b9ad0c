"""What is offered where."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

import tqp
from tqp.keywords import KEYWORDS
from tqp.shell.commands import COMMANDS
from tqp.shell.completion import Names, candidates


@pytest.fixture(scope="module")
def names() -> Names:
    con = tqp.connect(variables=False)
    con.register("sales", {"shop": [1], "amount": [2], "order": [3]})
    con.register("Shops", {"shop": [1], "city name": ["x"]})
    con.sql("CREATE VIEW amounts AS SELECT amount FROM sales")
    return Names(con)


def _offered(before: str, names: Names) -> list[str]:
    return [found.text for found in candidates(before, names)]


def test_tables_behind_from(names: Names) -> None:
    assert set(_offered("SELECT a FROM ", names)) == {"sales", "Shops", "amounts"}
    assert _offered("SELECT 1; SELECT * FROM sales JOIN s", names)[:2] == ["Shops", "sales"]
    assert "sales" in _offered("DESCRIBE sa", names) and "sales" in _offered("FROM Shops, sa", names)


def test_tables_of_schemas() -> None:
    con = tqp.connect(variables=False)
    con.execute(
        'CREATE SCHEMA lab; CREATE SCHEMA "My S"; CREATE TABLE lab.runs AS SELECT 1 AS alpha; CREATE TABLE "My S".t(x INTEGER)'
    )
    con.register("a.b", {"x": [1]})
    names = Names(con)
    assert _offered("FROM ", names) == ['"My S".t', '"a.b"', "lab.runs"]
    assert _offered("SELECT * FROM lab.", names) == ["lab.runs"] and _offered("FROM l", names)[0] == "lab.runs"
    assert _offered("FROM lab.runs SELECT al", names)[0] == "alpha"
    con.execute("USE lab")
    names.forget()
    assert "runs" in _offered("FROM r", names)


def test_columns(names: Names) -> None:
    assert _offered("SELECT sh", names)[0] == "shop"
    assert {"amount", "amounts"} <= set(_offered("SELECT am", names))
    assert _offered("FROM Shops SELECT ", names) == ["shop", '"city name"']
    assert _offered("SELECT s.", names) == [] and _offered("FROM sales AS s WHERE s.", names) == [
        "shop",
        "amount",
        '"order"',
    ]
    assert _offered("FROM sales x, Shops AS y WHERE x.shop = y.s", names) == ["shop"]
    assert _offered("FROM sales WHERE sales.o", names) == ['"order"']
    assert _offered('FROM Shops SELECT "ci', names) == ['city name"']


def test_keywords_that_may_be_names_are_offered_without_quotes() -> None:
    words = sorted(word.lower() for word in KEYWORDS)
    con = tqp.connect(variables=False)
    con.register("t", {word: [place] for place, word in enumerate(words)})
    offered = _offered("FROM t SELECT ", Names(con))
    assert {"name", "year", "type", '"order"'} <= set(offered) and len(offered) == len(words)
    query = f"SELECT {', '.join(offered)} FROM t"
    columns = ", ".join(f'{place} AS "{word}"' for place, word in enumerate(words))
    theirs = duckdb.connect().sql(f"WITH t AS (SELECT {columns}) {query}").fetchall()
    assert con.sql(query).fetchall() == theirs == [tuple(range(len(words)))]


def test_functions_and_keywords(names: Names) -> None:
    assert "regexp_extract(" in _offered("SELECT regexp_ex", names)
    assert "SELECT" in _offered("SEL", names) and "select" in _offered("sel", names)
    assert "GROUP" in _offered("FROM sales GR", names)
    assert _offered("", names) == []
    assert "threads" in _offered("SET thr", names)


def test_quotes_and_remarks(names: Names, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.parquet").touch()
    (tmp_path / ".hidden").touch()
    assert _offered("FROM '", names) == ["data/"]
    assert _offered("SELECT 'it''s', \"x'\" FROM 'data/a", names) == ["a.parquet"]
    assert _offered("FROM 'nowhere/", names) == []
    assert _offered("SELECT 1 -- sel", names) == _offered("SELECT /* sel", names) == []
    assert "SELECT" in _offered("-- remark\nSEL", names)
    (found,) = candidates("FROM 'dat", names)
    assert (found.text, found.replaced, found.kind) == ("data/", 3, "folder")


def test_commands(names: Names, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.sql").touch()
    assert set(_offered(".", names)) == set(COMMANDS) and _offered(".ti", names) == ["timer"]
    assert _offered(".timer ", names) == ["on", "off"] and _offered(".mode cs", names) == ["csv"]
    assert _offered(".schema sa", names) == ["sales"] and _offered(".read q", names) == ["q.sql"]
    assert _offered(".open x=q", names) == ["q.sql"] and "sales" in _offered(".explain FROM sa", names)
    assert _offered(".nothing x", names) == [] and _offered(".tables ", names) == []


def test_names_are_asked_for_anew_when_statements_have_run() -> None:
    con = tqp.connect(variables=False)
    names = Names(con)
    assert "told" not in _offered("FROM to", names)
    con.sql("CREATE TABLE told AS SELECT 1 AS a; CREATE VIEW broken AS SELECT a FROM told")
    names.forget()
    assert "told" in _offered("FROM to", names)
    con.sql("CREATE OR REPLACE TABLE told AS SELECT 1 AS b")
    names.forget()
    assert names.columns == {"told": ["b"], "broken": []}
