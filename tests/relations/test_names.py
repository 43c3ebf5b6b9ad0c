"""The names of DuckDB's Python: each is here, with its arguments in their order, or an error says what to write instead."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

import duckdb
import pytest

import tqp
from tqp.connection import default

MISSING_ARGUMENTS: dict[str, set[str]] = {
    # A result is there as a whole, and a folder has the files that its partitions need.
    "pl": {"batch_size"},
    "explain": {"type", "format"},
    "show": {"render_mode"},
    "write_csv": {"per_thread_output", "use_tmp_file"},
    "write_parquet": {"per_thread_output", "use_tmp_file", "field_ids", "file_size_bytes", "row_group_size_bytes"},
    # The path has another name there, so that what stands behind it is not compared.
    "read_parquet": {"binary_as_string", "path_or_buffer"},
    "read_json": {"path_or_buffer"},
    # They go by their place, and some have two names there.
    "cast": {"type_text"},
    "try_cast": {"type_text"},
    "between": {"low", "high"},
    "where": {"predicate"},
    # `connection=` of the module's functions: a connection has them as methods. `database` and the like: there is no database.
    "connect": {"database", "read_only", "config"},
    "fn": {"name"},
    "sql_expr": {"sql"},
}
SAME_AS = {"to_csv": "write_csv", "to_parquet": "write_parquet", "from_parquet": "read_parquet"}
OTHER_PLACES = {"alias", "map", "first", "last", "geomean"}
"""Ours take more arguments, also between those of DuckDB."""
WITHOUT_HINT = re.compile(
    r"[A-Za-z]*Value|DefaultExpression|NullValue|UnionType|DBAPITypeObject|Appender|.*Type|.*Terminator|.*Handling|.*Mode|Statement|value|token_type"
)
"""Values of types, options as enumerations: what DuckDB's classes are for is plain values and texts here."""


@pytest.fixture(scope="module")
def sides() -> Iterator[dict[str, tuple[Any, Any]]]:
    con, oracle = tqp.connect(threads=1), duckdb.connect()
    yield {
        "relation": (con.sql("SELECT 1 AS a"), oracle.sql("SELECT 1 AS a")),
        "connection": (con, oracle),
        "expression": (tqp.col("a"), duckdb.col("a")),
        "module": (tqp, duckdb),
    }
    con.close()
    oracle.close()


def _public(thing: Any) -> set[str]:
    return {name for name in dir(thing) if not name.startswith("_")}


def _arguments(function: Any) -> tuple[list[str], set[str]] | None:
    """Names of arguments that have a place, and of those that have none, by the signature or the docstring's first line."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        found = re.match(r"\w+\((.*)\) ->", (function.__doc__ or "").split("\n")[0])
        if found is None:
            return None
        placed, _, named = found[1].partition("*, ")
        return re.findall(r"(?:^|, )(\w+):", placed), set(re.findall(r"(?:^|, )(\w+):", named))
    other = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    named = {one.name for one in parameters if one.kind is one.KEYWORD_ONLY}
    return [one.name for one in parameters if one.kind not in other], named


@pytest.mark.parametrize("which", ["relation", "connection", "module"])
def test_what_is_missing_says_what_works(which: str, sides: dict[str, tuple[Any, Any]]) -> None:
    ours, theirs = sides[which]
    missing = _public(theirs) - _public(ours)
    assert missing, "else this tests nothing"
    for name in sorted(missing):
        with pytest.raises(AttributeError) as error:
            getattr(ours, name)
        assert f"has no attribute {name!r}: " in str(error.value) or WITHOUT_HINT.fullmatch(name), name


def test_expressions_have_all_names(sides: dict[str, tuple[Any, Any]]) -> None:
    ours, theirs = sides["expression"]
    # `fragment` is `text`; the parts of a column's name are nothing to ask of an expression.
    assert _public(theirs) - _public(ours) == {"fragment", "parts"}


@pytest.mark.parametrize("which", ["relation", "connection", "expression", "module"])
def test_arguments_are_those_of_duckdb(which: str, sides: dict[str, tuple[Any, Any]]) -> None:
    ours, theirs = sides[which]
    compared, wrong = 0, {}
    for name in sorted(_public(ours) & _public(theirs)):
        own, wanted = getattr(ours, name), getattr(theirs, name)
        assert callable(own) == callable(wanted), name
        if not callable(own) or inspect.isclass(own) or name in OTHER_PLACES:
            continue
        expected, given = _arguments(wanted), _arguments(own)
        if expected is None or given is None:
            continue
        left_out = MISSING_ARGUMENTS.get(SAME_AS.get(name, name), set()) | {"connection", "self"}
        placed = [one for one in expected[0] if one not in left_out]
        if given[0][: len(placed)] != placed or expected[1] - left_out - given[1] - set(given[0]):
            wrong[name] = (expected, given)
        compared += len(placed)
    assert not wrong
    assert compared > (5 if which == "expression" else 20)


def test_columns_are_attributes() -> None:
    relation = tqp.sql('SELECT 1 AS amount, 2 AS "count", 3 AS "Odd name"')
    assert relation.amount.fetchall() == relation.AMOUNT.fetchall() == [(1,)]
    assert callable(relation.count) and relation["count"].fetchall() == [(2,)]
    assert relation._ipython_key_completions_() == ["amount", "count", "Odd name"]
    with pytest.raises(AttributeError, match="a relation has no attribute 'amounts'"):
        _ = relation.amounts
    assert not hasattr(relation, "_repr_png_") and not hasattr(relation, "__array__")


def test_functions_of_the_module_share_a_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(default, "_default", None)
    rows = {"a": [1, 2]}
    assert tqp.execute("CREATE TABLE made AS FROM rows WHERE a < $n", {"n": 2}).fetchall() == [(1,)]
    assert tqp.table("made").union(tqp.values((5,), (6,))).union(tqp.query("FROM rows")).sum("a").fetchall() == [(15,)]
    assert tqp.from_df(rows).count("*").fetchall() == [(2,)] and tqp.default_connection().tables() == ["made"]
    assert tqp.interrupt() is None


def test_types_equal_their_names_as_duckdbs() -> None:
    query = "SELECT 1::BIGINT AS a, 1.5::DECIMAL(9, 2) AS b, [1] AS c, {'x': 1} AS d, 'a'::ENUM('a', 'b') AS e"
    names = ["BIGINT", "DECIMAL(9,2)", "INTEGER[]", "STRUCT(x INTEGER)", "ENUM('a', 'b')"]
    for types in (duckdb.sql(query).types, tqp.connect(threads=1).sql(query).types):
        assert types == names and types[0] == "bigint" and types[0] != "INTEGER" and types[2] != "INTEGER"
        assert "BIGINT" in {*types} and types[0] != 5
