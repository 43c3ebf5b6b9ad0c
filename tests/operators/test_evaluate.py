"""Evaluation of expressions on batches: constants, NULLs, CASE, and text by dictionary entries."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import pytest
import torch

from tests.functions.columns import integers, texts, values
from tqp.config import Settings
from tqp.data.column import Column
from tqp.errors import ExecutionError
from tqp.functions import registry
from tqp.functions.bind import bind
from tqp.functions.registry import Args, find
from tqp.ir.expr import Call, Case, Cast, ColumnRef, Expr, Literal
from tqp.operators.batch import Batch, Definition
from tqp.operators.evaluate import Evaluator, truth
from tqp.types import BIGINT, INTEGER, VARCHAR, DType, decimal

A = ColumnRef("a", BIGINT)
S = ColumnRef("s", VARCHAR)


def number(value: int | None) -> Literal:
    return Literal(value, BIGINT)


def evaluate(expr: Expr, batch: Batch | None = None) -> list[Any]:
    batch = batch or Batch.of({"a": integers([4, None, 0, -1]), "s": texts(["x", "yy", None, "x"])}, 4)
    # Each time with steps of its own, whose slots mean nothing to others.
    batch.values.clear()
    return values(Evaluator(Settings()).evaluate(expr, batch).expand(batch.rows))


def test_a_null_constant_makes_every_row_null() -> None:
    batch = Batch.of({"a": integers([4, None, 0])}, 3)
    column = Evaluator(Settings()).evaluate(bind("add", A, number(None)), batch)
    assert values(column.expand(3)) == [None, None, None]
    # Not the constant itself but a column of them: what is strict is NULL in the rows.
    spread = Evaluator(Settings()).evaluate(bind("add", A, bind("add", number(1), number(None))), batch).expand(3)
    assert values(spread.take(torch.tensor([2, 0], device=spread.device))) == [None, None]


def test_constants_stay_constants() -> None:
    batch = Batch.of({"a": integers([1, 2])}, 2)
    evaluator = Evaluator(Settings())
    assert evaluator.evaluate(bind("add", number(1), number(2)), batch).is_constant
    assert evaluator.evaluate(number(7), batch) is evaluator.evaluate(number(7), batch)


def test_case_reaches_only_the_rows_that_need_it() -> None:
    digits = Case((bind("eq", S, Literal("yy", VARCHAR)),), (Literal(-1, INTEGER),), Cast(S, INTEGER))
    with pytest.raises(ExecutionError, match="could not convert"):
        evaluate(digits)
    batch = Batch.of({"s": texts(["12", "yy", None, "3"])}, 4)
    assert evaluate(digits, batch) == [12, -1, None, 3]


def test_text_functions_run_on_entries() -> None:
    assert evaluate(bind("upper", S)) == ["X", "YY", None, "X"]
    assert evaluate(bind("length", S)) == [1, 2, None, 1]
    assert evaluate(bind("coalesce", S, Literal("none", VARCHAR))) == ["x", "yy", "none", "x"]


def test_truth_is_false_for_null() -> None:
    batch = Batch.of({"a": integers([4, None, 0])}, 3)
    assert truth(Evaluator(Settings()).evaluate(bind("gt", A, number(0)), batch)).tolist() == [True, False, False]


def test_casts_round_half_away() -> None:
    tenths = ColumnRef("d", decimal(4, 1))
    batch = Batch.of({"d": integers([15, -15, None], decimal(4, 1))}, 3)
    assert evaluate(Cast(tenths, INTEGER), batch) == [2, -2, None]


def test_a_shared_node_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    add = find("add")

    def counted(args: Args, out: DType) -> Column:
        calls.append(out)
        return add.kernel(args, out)

    monkeypatch.setitem(registry._FUNCTIONS, "add", replace(add, kernel=counted))
    expr: Expr = bind("mul", A, number(0))
    for _ in range(100):
        expr = Call("add", (expr, expr), expr.dtype)
    assert evaluate(expr) == [0, None, 0, 0]
    assert len(calls) == 100


def test_a_long_chain_forgets_its_links() -> None:
    batch = Batch.of({"a": integers([4, None, 0])}, 3)
    expr: Expr = A
    for _ in range(1000):
        expr = bind("neg", expr)
    assert values(Evaluator(Settings()).evaluate(expr, batch)) == [4, None, 0]
    assert len(batch.values) == 2  # the column and the end of the chain


def test_a_failing_part_fails_only_whom_it_concerns() -> None:
    batch = Batch.of({"s": texts(["12", "yy", None, "3"])}, 4)
    parsed = Cast(S, INTEGER)
    zero = Literal(0, INTEGER)
    is_text = bind("eq", S, Literal("yy", VARCHAR))
    guarded = Case((is_text,), (zero,), bind("add", parsed, parsed))
    assert evaluate(guarded, batch) == [24, 0, None, 6]
    # Around one guard another, and beside it the same part in another guard.
    both = bind("add", guarded, Case((is_text,), (zero,), parsed))
    assert evaluate(both, batch) == [36, 0, None, 9]
    nested = Case((bind("is_null", S),), (zero,), Case((is_text,), (zero,), parsed))
    assert evaluate(nested, batch) == [12, 0, 0, 3]
    first = bind("coalesce", Case((is_text,), (zero,), Literal(None, INTEGER)), Cast(S, INTEGER))
    assert evaluate(first, batch) == [12, 0, None, 3]
    with pytest.raises(ExecutionError, match="could not convert"):
        evaluate(bind("add", guarded, parsed), batch)


def test_chains_of_definitions() -> None:
    """Each column of a batch may be defined by the one before, thousands of times."""
    evaluator = Evaluator(Settings())
    batch = Batch.of({"c0": integers([4, None, 0])}, 3)
    for place in range(1, 3000):
        below = ColumnRef(f"c{place - 1}", BIGINT)
        expr = bind("neg", below)
        batch = batch.define({f"c{place}": Definition(partial(evaluator.evaluate, expr), frozenset({below.symbol}))})
    assert values(batch.column("c2999")) == [-4, None, 0]
