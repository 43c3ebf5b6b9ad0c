"""EXPLAIN with a FORMAT: the plan, and what a run did, for programs and for other tools that draw."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

import tqp
from tqp.errors import BindError, ParseError, TqpError, UnsupportedError

QUERY = "SELECT a % 3 AS k, count(*) AS n FROM t JOIN u USING (a) WHERE b > 4 GROUP BY k"
SHARED = """WITH s AS MATERIALIZED (SELECT a % 4 AS k, sum(a) AS n FROM t GROUP BY ALL)
    SELECT * FROM s AS x JOIN s AS y ON x.k = y.n ORDER BY 1"""


@pytest.fixture
def con() -> tqp.Connection:
    con = tqp.connect(threads=1)
    con.sql(
        "CREATE TABLE t AS SELECT range AS a, range % 10 AS b FROM range(100); CREATE TABLE u AS FROM range(50) r(a)"
    )
    return con


def shown(con: tqp.Connection, text: str) -> tuple[str, str]:
    ((key, value),) = con.sql(text).fetchall()
    return key, value


@pytest.mark.parametrize("query", [QUERY, SHARED, "SELECT 1", "INSERT INTO u SELECT a FROM t WHERE b = 1"])
def test_json_has_the_operators_of_the_text(con: tqp.Connection, query: str) -> None:
    key, value = shown(con, f"EXPLAIN (FORMAT json) {query}")
    assert key == "physical_plan"
    document = json.loads(value)
    assert document.keys() == {"operators", "rules", "is_reused"}
    operators: list[dict[str, Any]] = document["operators"]
    assert [one["id"] for one in operators] == list(range(len(operators)))
    lines = shown(con, f"EXPLAIN {query}")[1].splitlines()
    told = [line.strip() for line in lines if not re.match(r"-- |Shared \d+:", line)]
    assert [one["text"] for one in operators] == [re.sub(r"  -- .*", "", line) for line in told]
    for one, line in zip(operators, told, strict=True):
        assert one["text"].startswith(one["name"].removesuffix("NM")[:3])
        assert f"~{one['estimated_rows']:,.0f} row" in line
    read = {place for one in operators for place in one["inputs"]}
    assert read == set(range(1, len(operators)))
    if document["rules"]:
        assert f"-- rules: {', '.join(document['rules'])}" in lines


def test_what_is_shared_stands_once(con: tqp.Connection) -> None:
    operators = json.loads(con.sql(SHARED).explain(format="json"))["operators"]
    readers = [one for one in operators if one["name"] == "Shared"]
    assert len(readers) == 2 and readers[0]["inputs"] == readers[1]["inputs"]


def test_json_has_columns_with_types(con: tqp.Connection) -> None:
    operators = json.loads(con.sql(QUERY).explain(format="json"))["operators"]
    assert [column["type"] for column in operators[0]["columns"]] == ["BIGINT", "BIGINT"]


def test_deep_plans_have_json(con: tqp.Connection) -> None:
    deep = "FROM t" + "".join(f" UNION ALL FROM t WHERE a > {number}" for number in range(800))
    assert len(json.loads(con.sql(deep).explain(format="json"))["operators"]) > 800


def test_json_of_a_run(con: tqp.Connection) -> None:
    key, value = shown(con, f"EXPLAIN (ANALYZE, FORMAT json) {QUERY}")
    assert key == "analyzed_plan"
    document = json.loads(value)
    assert document["rows"] == 3 and document["device"] == "cpu" and document["threads"] == 1
    assert document["backend"] == "eager" and document["seconds"] > 0
    pipelines = document["pipelines"]
    text = con.sql(QUERY).explain(True)
    assert [f"pipeline {one['id']}:" in text for one in pipelines] == [True] * len(pipelines)
    for one in pipelines:
        kinds = [step["kind"] for step in one["steps"]]
        assert kinds == ["source", *["stage"] * (len(kinds) - 2), "sink"]
        assert set(one["reads"]) < {other["id"] for other in pipelines}
        assert all(choice["reason"] for choice in one["choices"])
        assert all(step["text"] in text for step in one["steps"])
    assert pipelines[-1]["steps"][-1]["rows"] == 3
    assert {"what", "chosen", "alternatives", "reason"} == pipelines[0]["choices"][0].keys()


@pytest.mark.parametrize(
    ("form", "begins", "arrow"), [("graphviz", "digraph plan {\n", "->"), ("mermaid", "flowchart BT\n", "-->")]
)
def test_drawings_have_all_operators_and_arrows(con: tqp.Connection, form: str, begins: str, arrow: str) -> None:
    text = shown(con, f"EXPLAIN (FORMAT {form}) {SHARED}")[1]
    operators = json.loads(con.sql(SHARED).explain(format="json"))["operators"]
    assert text.startswith(begins)
    arrows = re.findall(rf"^  n(\d+) {arrow} n(\d+);?$", text, re.MULTILINE)
    assert sorted(arrows) == sorted((str(place), str(one["id"])) for one in operators for place in one["inputs"])
    assert len(re.findall(r"^  n\d+ ?\[", text, re.MULTILINE)) == len(operators)


@pytest.mark.parametrize("form", ["graphviz", "mermaid"])
def test_texts_are_escaped(con: tqp.Connection, form: str) -> None:
    text = shown(con, f"EXPLAIN (FORMAT {form}) SELECT a FROM t WHERE a::VARCHAR = 'x\"]\\'")[1]
    node = next(line for line in text.splitlines() if "Filter" in line)
    label = re.fullmatch(r'  n\d+ ?\[(?:label=)?"((?:[^"\\]|\\.)*)"\];?', node)
    assert label is not None


def test_formats_in_other_words(con: tqp.Connection) -> None:
    plain = shown(con, f"EXPLAIN {QUERY}")
    assert shown(con, f"EXPLAIN (FORMAT text) {QUERY}") == shown(con, f"EXPLAIN (FORMAT 'default') {QUERY}") == plain
    assert shown(con, "EXPLAIN (ANALYZE, FORMAT html) SELECT 1")[1].startswith("<!DOCTYPE html>")
    assert shown(con, "EXPLAIN ANALYZE (FORMAT json) SELECT 1")[0] == "analyzed_plan"
    assert shown(con, "EXPLAIN (FORMAT json, ANALYZE true) SELECT 1")[0] == "analyzed_plan"
    assert shown(con, "EXPLAIN (SELECT 1)")[1].startswith("Project [1]")


@pytest.mark.parametrize(
    ("text", "error", "column", "message"),
    [
        ("EXPLAIN (FORMAT html) SELECT 1", UnsupportedError, 17, "text, json, graphviz, mermaid; html shows a run"),
        ("EXPLAIN (FORMAT yaml) SELECT 1", UnsupportedError, 17, "there are text, json, graphviz, mermaid"),
        ("EXPLAIN (ANALYZE, FORMAT graphviz) SELECT 1", UnsupportedError, 26, "there are text, json, html"),
        ("EXPLAIN (FORMAT xml) SELECT 1", BindError, 17, "there are text"),
        ("EXPLAIN (FORMAT) SELECT 1", BindError, 10, "FORMAT has no name"),
        ("EXPLAIN (FORMAT json, FORMAT text) SELECT 1", BindError, 23, "FORMAT twice"),
        ("EXPLAIN (ANALYZE, codegen) SELECT 1", UnsupportedError, 19, "FORMAT and ANALYZE"),
        ("EXPLAIN (VERBOSE) SELECT 1", UnsupportedError, 10, "FORMAT and ANALYZE"),
        ("EXPLAIN (FORMAT = json) SELECT 1", ParseError, 19, "syntax error"),
    ],
)
def test_wrong_options_say_where(
    con: tqp.Connection, text: str, error: type[TqpError], column: int, message: str
) -> None:
    with pytest.raises(error, match=message) as raised:
        con.sql(text)
    assert raised.value.location is not None and raised.value.location.column == column


@pytest.mark.parametrize(
    "ask",
    [
        lambda asked: asked.explain(format="html"),
        lambda asked: asked.explain(True, format="mermaid"),
        lambda asked: asked.explain("steps", format="json"),
    ],
)
def test_relations_refuse_formats(con: tqp.Connection, ask: Callable[[tqp.Relation], str]) -> None:
    with pytest.raises(BindError, match="is no format of"):
        ask(con.sql("SELECT 1"))
