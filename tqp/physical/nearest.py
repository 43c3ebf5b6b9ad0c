"""How a join with the nearest rows becomes pipelines."""

from __future__ import annotations

from tqp.ir import words
from tqp.ir.conditions import conjunction, conjuncts
from tqp.ir.expr import AggregateCall
from tqp.ir.plan import Field, Join, NearestJoin, Window
from tqp.ir.visit import expressions, symbols
from tqp.ir.window import WindowCall
from tqp.operators.nearest import NearestSink
from tqp.operators.results import Relation, Slot
from tqp.optimizer.fresh import Symbols
from tqp.optimizer.predicates import split_keys
from tqp.physical.joins import Lowering, pairs
from tqp.types import BIGINT

__all__ = ["lower_nearest"]


def lower_nearest(planner: Lowering, plan: NearestJoin, needed: frozenset[str]) -> Slot[Relation]:
    """The slot of the join's rows: the left side is collected, the right one flows past it."""
    number = Field(Symbols(plan).fresh("row"), "row", BIGINT)
    call = WindowCall(AggregateCall(words.ROW_NUMBER, (), BIGINT))
    numbered = Window(plan.left, (), (), (number,), (call,))
    below = needed.union(*map(symbols, expressions(plan)))
    mine = tuple(field.symbol for field in plan.left.schema if field.symbol in below)
    left = planner.finish(numbered, (*mine, number.symbol))
    conditions = () if plan.condition is None else conjuncts(plan.condition)
    keys, rest = split_keys(conditions, plan.left, plan.right)
    residual = conjunction(tuple(rest)) if rest else None
    join = Join("inner", plan.right, numbered, tuple((b, a) for a, b in keys), residual)
    read = frozenset((number.symbol,)).union(needed, *(symbols(key.expr) for key in plan.order))
    ours, theirs = (
        tuple(field.symbol for field in side.schema if field.symbol in needed) for side in (plan.left, plan.right)
    )
    sink = NearestSink(plan.kind, left, number.symbol, ours, theirs, plan.order, plan.limit, plan.skips_null)
    return planner.add(pairs(planner, join, left, read), sink)
