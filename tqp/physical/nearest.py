"""How a join with the nearest rows becomes pipelines."""

from __future__ import annotations

from tqp.functions.registry import find
from tqp.ir import words
from tqp.ir.conditions import conjunction, conjuncts
from tqp.ir.expr import AggregateCall, Call, Cast, Expr, Literal
from tqp.ir.plan import Field, Join, NearestJoin, Window
from tqp.ir.visit import expressions, symbols
from tqp.ir.window import WindowCall
from tqp.operators.choice import Choice
from tqp.operators.nearest import NearestSink
from tqp.operators.products import AllStage, Product, ProductSink
from tqp.operators.results import Relation, Slot
from tqp.optimizer.fresh import Symbols
from tqp.optimizer.predicates import split_keys
from tqp.physical.joins import Lowering, pairs
from tqp.types import BIGINT, DOUBLE

__all__ = ["lower_nearest"]

_PRODUCT, _PAIRS = "a matrix product, its nearest pairs computed exactly", "the value of each pair"


def lower_nearest(planner: Lowering, plan: NearestJoin, needed: frozenset[str]) -> Slot[Relation]:
    """The slot of the join's rows: the left side is collected, the right one flows past it."""
    below = needed.union(*map(symbols, expressions(plan)))
    mine = tuple(field.symbol for field in plan.left.schema if field.symbol in below)
    ours, theirs = (
        tuple(field.symbol for field in side.schema if field.symbol in needed) for side in (plan.left, plan.right)
    )
    conditions = () if plan.condition is None else conjuncts(plan.condition)
    keys, rest = split_keys(conditions, plan.left, plan.right)
    residual = conjunction(tuple(rest)) if rest else None
    product = _product(plan) if not keys and planner.target.limits.nearest_products else None
    if product is not None and mine:
        left = planner.finish(plan.left, mine)
        chosen = Choice("nearest rows", _PRODUCT, (_PAIRS,), "a measure of two vectors, of a side each")
        stream = planner.stream(plan.right, below & {field.symbol for field in plan.right.schema})
        stream = stream.then(AllStage(left, mine)).chose(chosen)
        rows = plan.kind, left, ours, theirs, plan.order, plan.limit, plan.skips_null
        return planner.add(stream, ProductSink(*rows, product, residual))
    number = Field(Symbols(plan).fresh("row"), "row", BIGINT)
    call = WindowCall(AggregateCall(words.ROW_NUMBER, (), BIGINT))
    numbered = Window(plan.left, (), (), (number,), (call,))
    left = planner.finish(numbered, (*mine, number.symbol))
    join = Join("inner", plan.right, numbered, tuple((b, a) for a, b in keys), residual)
    read = frozenset((number.symbol,)).union(needed, *(symbols(key.expr) for key in plan.order))
    reason = "there are keys" if keys else "no measure of two vectors, of a side each"
    stream = pairs(planner, join, left, read).chose(Choice("nearest rows", _PAIRS, (_PRODUCT,), reason))
    rows = plan.kind, left, ours, theirs, plan.order, plan.limit, plan.skips_null
    return planner.add(stream, NearestSink(*rows, number.symbol))


def _product(plan: NearestJoin) -> Product | None:
    """The matrix product that the first key of the order is, but for a sign and what is added; None where it is none."""
    expr, sign, slack = plan.order[0].expr, 1, 0.0
    while True:
        match expr:
            case Call(function=words.NEG, args=(inner,)):
                expr, sign = inner, -sign
            case Call(function=words.ADD | words.SUB as function, args=(one, other)):
                added, left = _size(other), _size(one)
                if added is not None:
                    expr, slack = one, slack + added
                elif left is not None:
                    expr, slack, sign = other, slack + left, sign if function == words.ADD else -sign
                else:
                    return None
            case Cast(arg=inner, safe=False) if expr.dtype == DOUBLE and inner.dtype.is_float:
                expr = inner
            case _:
                break
    if not isinstance(expr, Call) or len(expr.args) != 2 or not all(arg.dtype.is_array for arg in expr.args):
        return None
    metric = find(expr.function).metric
    sides = [{field.symbol for field in side.schema} for side in plan.children]
    ours, theirs = expr.args
    if symbols(ours) & sides[1]:
        ours, theirs = theirs, ours
    if metric is None or symbols(ours) & sides[1] or not symbols(theirs) & sides[1] or symbols(theirs) & sides[0]:
        return None
    is_least = (sign * metric.sign > 0) != plan.order[0].descending
    return Product(metric.measure, expr, ours, theirs, metric.sign, metric.start, slack, is_least)


def _size(expr: Expr) -> float | None:
    """How large a constant number is; None of another expression."""
    while isinstance(expr, Cast):
        expr = expr.arg
    if not isinstance(expr, Literal) or not expr.dtype.is_numeric or expr.is_null:
        return None
    return abs(float(str(expr.value)))
