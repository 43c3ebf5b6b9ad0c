"""Evaluation of expressions on batches: constants, NULLs, CASE, and text by dictionary entries."""

from __future__ import annotations

from typing import Any

import pytest

from tests.functions.columns import integers, texts, values
from tqp.config import Settings
from tqp.errors import ExecutionError
from tqp.functions.registry import bind
from tqp.ir.expr import Case, Cast, ColumnRef, Expr, Literal
from tqp.physical.batch import Batch
from tqp.physical.evaluate import Evaluator, truth
from tqp.types import BIGINT, INTEGER, VARCHAR, decimal

A = ColumnRef("a", BIGINT)
S = ColumnRef("s", VARCHAR)


def number(value: int | None) -> Literal:
    return Literal(value, BIGINT)


def evaluate(expr: Expr, batch: Batch | None = None) -> list[Any]:
    batch = batch or Batch.of({"a": integers([4, None, 0, -1]), "s": texts(["x", "yy", None, "x"])}, 4)
    return values(Evaluator(Settings()).evaluate(expr, batch).expand(batch.rows))


def test_a_null_constant_makes_every_row_null() -> None:
    batch = Batch.of({"a": integers([4, None, 0])}, 3)
    column = Evaluator(Settings()).evaluate(bind("add", A, number(None)), batch)
    assert column.valid is not None and column.valid.shape == (3,)
    assert values(column) == [None, None, None]
    chosen = column.take(column.valid.new_tensor([2, 0]).long())
    assert values(chosen) == [None, None]


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
