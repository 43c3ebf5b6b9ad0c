"""Layouts are known before there is a batch, without one, and once for all queries."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from dataclasses import replace
from weakref import ref

import pyarrow as pa
import pytest
import torch

import tqp
from tests.functions.columns import integers, texts
from tests.layouts import difference
from tqp.config import Settings
from tqp.data.column import Column, Layout, constant, empty
from tqp.data.layout import Encoding
from tqp.errors import InternalError
from tqp.functions.bind import bind
from tqp.ir.expr import Case, Cast, ColumnRef, Expr, Literal
from tqp.operators import layouts as module
from tqp.operators.evaluate import Evaluator
from tqp.operators.layouts import Layouts, Outcomes
from tqp.operators.operator import Run
from tqp.operators.scan import TableSource
from tqp.physical.planner import lower
from tqp.types import BIGINT, BOOLEAN, DATE, DOUBLE, FLOAT, HUGEINT, INTEGER, INTERVAL, VARCHAR, array, decimal

CPU = torch.device("cpu")
A, S = ColumnRef("a", BIGINT), ColumnRef("s", VARCHAR)


def known(**columns: Column) -> Layouts:
    return Layouts(Evaluator(Settings()), lambda layouts: layouts.join(columns))


def three() -> Layouts:
    return known(a=integers([1, 2, 9]), s=texts(["x", "yy", None]))


@pytest.mark.parametrize(
    "value",
    [
        constant(7, INTEGER, CPU), constant(2**100, HUGEINT, CPU), constant("x", VARCHAR, CPU), constant(None, DATE, CPU),
        constant((1, 2, 3), INTERVAL, CPU), constant(1.5, FLOAT, CPU), constant(True, BOOLEAN, CPU),
        constant(None, array(DOUBLE, 3), CPU), constant(-5, decimal(20, 3), CPU),
    ],
)  # fmt: skip
def test_a_column_without_rows_has_the_layout(value: Column) -> None:
    layout = value.expand(2).layout
    assert empty(layout, CPU).layout == layout and len(empty(layout, CPU)) == 0
    assert hash(layout) == hash(value.expand(5).layout) and layout.key == value.expand(5).layout.key


ANNOUNCED = integers([1, 2, 9]).layout


@pytest.mark.parametrize(
    ("announced", "found", "what"),
    [
        (ANNOUNCED, integers([3]), None),
        (ANNOUNCED, integers([3, None]), "NULL"),
        (ANNOUNCED, integers([10]), "bounds"),
        (ANNOUNCED, replace(integers([3]), bounds=None), None),
        (ANNOUNCED, replace(integers([10]), bounds=None), "bounds"),
        (ANNOUNCED, replace(integers([10, None]), bounds=None), "NULL"),
        (ANNOUNCED, constant(3, BIGINT, CPU), "constant"),
        (ANNOUNCED, integers([3], INTEGER), "type"),
        (replace(ANNOUNCED, width=torch.int32), integers([3]), "width"),
        (replace(ANNOUNCED, width=torch.int32, is_measured=True), integers([3]), None),
        (replace(ANNOUNCED, encoding=Encoding.WIDE), integers([3]), "encoding"),
        (texts(["x"]).layout, texts(["y"]), "dictionary"),
        (texts(["x"]).layout, texts(["x"]), None),
        (replace(texts(["x"]).layout, dictionary=None), texts(["x"]), None),
    ],
)
def test_what_is_not_as_announced_is_seen(announced: Layout, found: Column, what: str | None) -> None:
    wrong = difference(announced, found)
    assert wrong is None if what is None else wrong is not None and what in wrong


def test_every_batch_is_compared(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--trust-layouts"):
        pytest.skip("nothing is compared")
    monkeypatch.setattr(Layouts, "of", lambda self, symbol, settled=False: integers([1], INTEGER).layout)
    with tqp.connect(threads=1) as con:
        con.register("t", pa.table({"a": pa.array([1, 7], pa.int32())}))
        with pytest.raises(InternalError, match="was announced as INTEGER"):
            con.sql("SELECT a FROM t").result()


def test_layouts_follow_from_those_of_the_arguments() -> None:
    found = three().of_expr(bind("add", bind("mul", A, A), Literal(1000, BIGINT)))
    assert (found.width, found.bounds, found.is_nullable) == (torch.int16, (1001, 1081), False)
    assert three().of_expr(bind("like", S, Literal("x%", VARCHAR))).is_nullable
    assert three().of_expr(Literal(5, INTEGER)).is_constant


def test_what_a_kernel_measures_is_announced_as_the_widest() -> None:
    far = Column(torch.tensor([1, 2], dtype=torch.int64, device="cpu"), BIGINT)
    found = known(b=far).of_expr(bind("mul", ColumnRef("b", BIGINT), ColumnRef("b", BIGINT)))
    assert found.is_measured and found.encoding in (Encoding.WIDE, Encoding.FLAT)
    assert three().of_expr(Cast(S, INTEGER, True)).is_measured and three().of_expr(Cast(S, INTEGER, True)).is_nullable


def test_what_fails_without_rows_is_known_by_its_type() -> None:
    failing = Cast(Literal("x", VARCHAR), BIGINT)
    assert three().of_expr(Case((bind("gt", A, Literal(3, BIGINT)),), (A,), failing)).dtype == BIGINT
    assert three().of_expr(failing) == Layout.of_type(BIGINT)


def test_a_dictionary_is_fixed_or_each_batch_s_own() -> None:
    given = texts(["x", "yy", "x"])
    other_texts = texts(["x", "z", "x"])
    of = known(s=given, r=other_texts).of_expr
    other = ColumnRef("r", VARCHAR)
    first = bind("gt", S, Literal("x", VARCHAR))
    assert of(S).dictionary is given.dictionary
    assert of(Case((first,), (S,), S)).dictionary is given.dictionary
    union = of(Case((first,), (S,), other)).dictionary
    assert union is not None and union.values.to_pylist() == ["x", "yy", "z"]
    assert known(s=given, r=other_texts).of_expr(Case((first,), (S,), other)).dictionary is union
    assert of(bind("upper", S)).dictionary is None
    assert of(Case((first,), (S,), bind("upper", other))).dictionary is None
    assert of(bind("coalesce", S, bind("upper", other))).dictionary is None
    settled = of(bind("upper", S), settled=True)
    assert settled.dictionary is not None and settled.dictionary.values.to_pylist() == ["X", "YY"]


def test_entries_are_evaluated_only_where_it_matters_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    evaluated: list[Expr] = []
    one = Evaluator._for_entries
    monkeypatch.setattr(
        Evaluator, "_for_entries", lambda self, expr, *rest: evaluated.append(expr) or one(self, expr, *rest)
    )
    layouts = three()
    upper = bind("upper", S)
    layouts.of_expr(bind("like", upper, Literal("X%", VARCHAR)), settled=True)
    layouts.of_expr(upper)
    assert not evaluated
    found = layouts.of_expr(upper, settled=True)
    assert evaluated == [upper]
    with tqp.connect(threads=1) as con:
        con.register("t", pa.table({"s": ["x", "yy", "x"]}))
        evaluated.clear()
        con.sql("SELECT upper(s), count(*) FROM t WHERE s <> 'q' GROUP BY 1").result()
        assert len(evaluated) == 2 and found.dictionary is not None


def test_no_query_finds_out_what_another_did(monkeypatch: pytest.MonkeyPatch) -> None:
    def ask(name: str) -> Layout:
        return known(**{name: integers([1, 2, 9])}).of_expr(bind("add", ColumnRef(name, BIGINT), Literal(4321, BIGINT)))

    first = ask("a")
    monkeypatch.setattr(module, "_outcome", None)
    assert ask("b") == first


def test_outcomes_keep_no_dictionary_and_are_not_too_many() -> None:
    given = texts(["some", "strings"])
    layouts = known(s=given)
    layouts.of_expr(Case((bind("gt", S, Literal("x", VARCHAR)),), (S,), S))
    layouts.of_expr(bind("substring", S, Literal(2, BIGINT), Literal(1, BIGINT)), settled=True)
    assert given.dictionary is not None
    gone = ref(given.dictionary)
    del layouts, given
    gc.collect()
    assert gone() is None
    few = Outcomes(2)
    for number in range(5):
        few.put(number, module._Outcome(Layout.of_type(INTEGER)))
    assert len(few) == 2 and few.get(4) is not None and few.get(2) is None


@pytest.fixture
def con() -> Iterator[tqp.Connection]:
    with tqp.connect(threads=1) as connection:
        connection.register("t", pa.table({"k": [1, 2, 3], "s": ["a", None, "b"]}))
        connection.register("u", pa.table({"k": [1, 2], "v": pa.array([7, 8], pa.int16())}))
        yield connection


def test_layouts_of_a_pipeline_are_known_without_running_it(
    con: tqp.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = "SELECT t.k + 1 AS next, s, v, s || '!' AS loud FROM t LEFT JOIN u ON t.k = u.k WHERE s LIKE 'a%'"
    program = lower(con.sql(query)._query.optimized)
    monkeypatch.setattr(TableSource, "batch", None)
    for pipeline in program.pipelines[-1:]:
        layouts = pipeline.layouts(Run(Settings(), compiler=program.steps))
        by_name = {item.name: layouts.of(item.symbol) for item in program.schema}
    assert by_name["next"].bounds == (2, 4) and not by_name["next"].is_nullable
    assert by_name["v"].is_nullable and by_name["v"].bounds == (7, 8)
    assert by_name["s"].dictionary is not None and by_name["loud"].dictionary is None


def test_literal_rows_are_evaluated_once(con: tqp.Connection) -> None:
    text = con.sql("SELECT x, count(*) FROM (VALUES ('a'), ('b'), ('a')) v(x) GROUP BY x").explain(True)
    assert "arrays indexed by the key" in text
