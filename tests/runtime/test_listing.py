"""explain("program"): the tensor program as Python code, a function a pipeline."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pyarrow as pa
import pytest

import tqp


@pytest.fixture
def con() -> Iterator[tqp.Connection]:
    with tqp.connect(threads=1) as connection:
        numbers = range(1000)
        connection.register("t", pa.table({"k": [n % 10 for n in numbers], "v": list(numbers)}))
        connection.register("u", pa.table({"k": [1, 2, 3, 4, 4], "name": ["a", "b", None, "d", "e"]}))
        yield connection


@pytest.mark.parametrize(
    ("query", "pipelines"),
    [
        ("SELECT v + 1 AS w FROM t WHERE k > 3", 1),
        ("SELECT k, sum(v) FROM t GROUP BY k ORDER BY 2 DESC LIMIT 3", 2),
        ("SELECT name, count(*) FROM t JOIN u ON t.k = u.k WHERE v < 500 GROUP BY name", None),
        ("SELECT v FROM t WHERE k IN (SELECT k FROM u WHERE name LIKE '%a%') ORDER BY v", None),
        ("SELECT CASE WHEN k = 1 THEN 'one' ELSE name END FROM u", 1),
        ("SELECT 1", 1),
    ],
)
def test_program_is_python(con: tqp.Connection, query: str, pipelines: int | None) -> None:
    relation = con.sql(query)
    text = relation.explain("program")
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    assert len(functions) >= 1 if pipelines is None else len(functions) == pipelines
    assert len({function.name for function in functions}) == len(functions)
    assert all(ast.get_docstring(function) or function.body for function in functions)
    assert relation.explain("program") == text


def test_functions_read_only_what_they_are_given(con: tqp.Connection) -> None:
    text = con.sql("SELECT name, sum(v) FROM t JOIN u ON t.k = u.k GROUP BY name").explain("program")
    for function in ast.parse(text).body:
        if not isinstance(function, ast.FunctionDef):
            continue
        known = {argument.arg for argument in (*function.args.args, *function.args.kwonlyargs)}
        for statement in function.body:
            names = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
            read = {name.id for name in names if isinstance(name.ctx, ast.Load)}
            modules = {
                "torch",
                "compare",
                "join",
                "group",
                "rows",
                "reduce",
                "sort",
                "wide",
                "text",
                "calendar",
                "host",
            }
            assert read - known <= modules | {"slice", "float", "int", "bool"}, ast.unparse(statement)
            known |= {name.id for name in names if isinstance(name.ctx, ast.Store)}
