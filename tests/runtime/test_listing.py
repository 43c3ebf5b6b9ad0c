"""explain("program"): the tensor program as Python code, a function a pipeline, which gives what ran when it is run."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import torch
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import tqp
from tests.shares import in_shares
from tests.sql.test_cases import answered
from tpch import parameters
from tqp.operators.recursion import SeedSink
from tqp.physical.planner import lower
from tqp.physical.program import Program
from tqp.physical.target import Target
from tqp.runtime.explain import listed
from tqp.runtime.listing import Listed, module
from tqp.runtime.spelling import Names, quoted

SF = 0.01


@pytest.fixture(scope="module")
def con() -> Iterator[tqp.Connection]:
    with tqp.connect(threads=1) as connection:
        numbers = range(1000)
        connection.register("t", pa.table({"k": [n % 10 for n in numbers], "v": list(numbers)}))
        connection.register("u", pa.table({"k": [1, 2, 3, 4, 4], "name": ["a", "b", None, "d", "e"]}))
        yield connection


def run_listing(relation: tqp.Relation) -> tuple[int, int]:
    """Compile the listing, call its functions with what the run had, and hold the results against the run's and the query's.

    What a pipeline reads of an earlier one is what the function of that one gave. A recursion is checked up to where it begins,
    and must say that it goes on. Returns how many functions there are, and
    how many lines were checked.
    """
    settings = relation.connection.settings
    program = lower(relation._query.optimized, Target.of(settings))
    functions = listed(program, settings)
    space: dict[str, Any] = {}
    text = module(functions)
    exec(compile(text, "program", "exec"), space)
    loops = [f"pipelines {one.again} to {one.writes} run again" for one in program.pipelines if one.again is not None]
    assert all(said in text for said in loops)
    begun = {f"pipeline_{one.writes}" for one in program.pipelines if isinstance(one.sink, SeedSink)}
    given: dict[int, object] = {}
    checked = 0
    found: dict[str, object] = {}
    for function in functions:
        signature = [argument.arg for argument in _definition(text, function).args.args]
        assert signature == list(function.arguments)
        arguments = {name: given.get(id(value), value) for name, value in function.arguments.items()}
        with torch.inference_mode():
            found = space[function.name](**arguments) or {}
        assert list(found) == list(function.results)
        assert function.batches <= 1
        for key, expected in function.results.items() if function.name not in begun else ():
            assert same(found[key], expected), (function.name, key)
            given[id(expected)] = found[key]
        checked += function.source.count(" = ")
        if function.name in begun:
            # From here on it is listed as it ran the first time, which is not what it left.
            return len(functions), checked
    _check_answer(relation, program, found)
    return len(functions), checked


def _definition(text: str, function: Listed) -> ast.FunctionDef:
    (found,) = (
        node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef) and node.name == function.name
    )
    return found


def _check_answer(relation: tqp.Relation, program: Program, found: dict[str, object]) -> None:
    """What the last function gave is the answer, except for columns that nothing computes: constants, and those without rows."""
    answer = relation.result().columns
    columns = {item.symbol: column for item, column in zip(program.schema, answer, strict=True)}
    keys = Names(())
    symbols = list(map(str, program.view.pipelines[-1].instructions[-1].inputs))
    names = {symbol: keys.unique(symbol) for symbol in symbols}
    for symbol in symbols:
        column = columns[symbol]
        tensors = {names[symbol]: column.data}
        if column.valid is not None:
            tensors[keys.unique(f"{symbol}_valid")] = column.valid
        for name, tensor in tensors.items():
            if name in found:
                assert same(found[name], tensor), name
            else:
                assert tensor.numel() == 0 or tensor.stride(0) == 0, name


def same(found: object, expected: object) -> bool:
    if not isinstance(expected, torch.Tensor):
        return type(found) is type(expected)
    assert isinstance(found, torch.Tensor)
    exact = found.dtype == expected.dtype and found.shape == expected.shape
    return exact and torch.equal(torch.nan_to_num(found, nan=7.5), torch.nan_to_num(expected, nan=7.5))


@pytest.mark.parametrize(
    ("query", "pipelines"),
    [
        ("SELECT v + 1 AS w FROM t WHERE k > 3", 1),
        ("SELECT k, sum(v) FROM t GROUP BY k ORDER BY 2 DESC LIMIT 3", 2),
        ("SELECT name, count(*) FROM t JOIN u ON t.k = u.k WHERE v < 500 GROUP BY name", None),
        ("SELECT v FROM t WHERE k IN (SELECT k FROM u WHERE name LIKE '%a%') ORDER BY v", None),
        ("SELECT CASE WHEN k = 1 THEN 'one' ELSE name END FROM u", 1),
        ("SELECT * FROM t FULL JOIN u ON v = u.k", None),
        ("SELECT k, v, sum(v) OVER (PARTITION BY k ORDER BY v) AS s FROM t", None),
        ("SELECT k FROM t UNION SELECT k FROM u", None),
        ("SELECT 1", 1),
    ],
)
def test_a_listing_gives_the_answer(con: tqp.Connection, query: str, pipelines: int | None) -> None:
    relation = con.sql(query)
    count, _ = run_listing(relation)
    assert ast.parse(relation.explain("program"))
    assert pipelines in (None, count)
    assert relation.explain("program") == relation.explain("program")


@pytest.mark.parametrize(
    "query",
    [
        "SELECT k, count(*), sum(v) FROM big WHERE v % 3 = 0 GROUP BY k ORDER BY k",
        "SELECT v FROM big WHERE k > 5 ORDER BY k DESC, v LIMIT 3",
        "SELECT v FROM big LIMIT 5",
        "SELECT count(*) FROM big a JOIN big b USING (v) WHERE a.k = 3",
    ],
)
def test_a_listing_is_all_that_is_done(query: str) -> None:
    """Also where a run takes batch after batch."""
    with tqp.connect(device="cpu", threads=2) as con:
        rows = np.arange(700_000)
        con.register("big", {"v": rows, "k": rows % 10})
        assert re.search(r"pipeline 0: .*, [2-9] batches", con.sql(query).explain(True)) or "LIMIT 5" in query
        run_listing(con.sql(query))
        assert "batches" not in con.sql(query).explain("program")


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM t FULL JOIN u ON v = u.k",
        "SELECT k AS a FROM t UNION ALL SELECT k FROM u ORDER BY a",
        "SELECT k FROM u",
    ],
)
def test_columns_keep_their_names(con: tqp.Connection, query: str) -> None:
    """Also those of rows that two pipelines before brought together."""
    last = listed(lower(con.sql(query)._query.optimized, Target.of(con.settings)), con.settings)[-1]
    symbols = {name.removesuffix("_valid") for name in last.results}
    assert {name.removesuffix("_valid") for name in last.arguments} == symbols


@pytest.mark.parametrize("number", range(1, 23))
def test_tpch(tpch: tqp.Connection, number: int) -> None:
    _, checked = run_listing(tpch.sql(parameters.query(number, sf=SF)))
    assert checked > 3


@pytest.mark.parametrize("statement", in_shares(answered(), 6))
def test_cases(cases: tqp.Connection, statement: str) -> None:
    run_listing(cases.sql(statement))


HOSTILE = [
    "t1", "t2", "torch", "rows", "compare", "float", "class", "None", "lookup_0", "constant_1", "pipeline_0", "a b", "a-b", "a_b", "v", "v_valid",
    "x\ny", "x\\n", '"; raise SystemExit #', "'", "# no", "\u202e", "\x00", "1st", "日本", "ﬁ", "fi", "é", "é", "²", "\u2028", "_", "{v}",
]  # fmt: skip


def test_hostile_names_and_constants() -> None:
    """Names that mean something to the code, that are alike once cleaned, and that would break out of it."""
    table = pa.table({name: pa.array([place, None, place + 2], pa.int64()) for place, name in enumerate(HOSTILE)})
    names = ['"' + name.replace('"', '""') + '"' for name in HOSTILE]
    with tqp.connect(threads=1) as con:
        con.register("h", table).register("s", pa.table({"s\ns": ["a\nb", '"', "'", "\\", "t1", None]}))
        run_listing(con.sql("FROM h"))
        run_listing(
            con.sql(
                f"SELECT {', '.join(f'{name} + 1 AS {name}' for name in names)} FROM h WHERE {names[0]} IS NOT NULL"
            )
        )
        run_listing(con.sql(f'SELECT {", ".join(f"sum({name}) AS {name}" for name in names)} FROM h GROUP BY "torch"'))
        run_listing(con.sql("SELECT * FROM h a JOIN h b ON a.t1 = b.torch LEFT JOIN h c ON b.torch = c.compare"))
        run_listing(
            con.sql(
                """SELECT "s\ns" || '"\n\\' AS "\n", "s\ns" = 'a\nb', "s\ns" LIKE '%\n%' FROM s WHERE "s\ns" <> '"\n#'"""
            )
        )
        modes: tuple[Any, ...] = (False, True, "steps")
        for mode in modes:
            text = con.sql('SELECT \'a\nb\' || "s\ns" AS "c\nc" FROM s WHERE "s\ns" <> \'\x1b[31m\'').explain(mode)
            assert all(line.isprintable() for line in text.splitlines())
            assert "'\\x1b[31m'" in text and "s\\ns" in text


def test_names_differ() -> None:
    names = Names()
    taken = [names.take(name) for name in HOSTILE]
    assert len(set(taken)) == len(taken)
    assert all(name.isidentifier() for name in taken)
    assert not {"torch", "rows", "float", "class", "None", "t1", "t2"} & set(taken)
    assert names.take("日本語") == "日本語"


@pytest.mark.parametrize("text", [*HOSTILE, "\ud800", "\\", '\\"', "\r\n", "𝒳"])
def test_quoted_text_reads_as_itself(text: str) -> None:
    assert "\n" not in quoted(text)
    assert ast.literal_eval(quoted(text)) == text


@pytest.mark.parametrize(
    "model", [LogisticRegression(), RandomForestClassifier(5, max_depth=3, random_state=0)], ids=["sums", "trees"]
)
def test_predictions(model: Any) -> None:
    table = pd.DataFrame({"a": np.arange(300) % 17, "b": np.arange(300) % 7, "c": list("xyz") * 100})
    encoder = ColumnTransformer([("numbers", StandardScaler(), ["a", "b"]), ("texts", OneHotEncoder(), ["c"])])
    with tqp.connect(threads=1) as con:
        con.register("t", table).register_model("m", make_pipeline(encoder, model).fit(table, table["a"] > table["b"]))
        for query in (
            "SELECT PREDICT(m, a, b, c) AS p, a FROM t WHERE b > 2",
            "SELECT PREDICT(m, a, b, c) AS p, count(*) FROM t GROUP BY p",
        ):
            assert run_listing(con.sql(query))[1] > 10
