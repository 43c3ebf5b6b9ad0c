"""How a join with the nearest rows becomes pipelines."""

from __future__ import annotations

from dataclasses import replace

from tqp.functions.registry import find
from tqp.ir import words
from tqp.ir.conditions import conjunction, conjuncts
from tqp.ir.expr import AggregateCall, Call, Cast, ColumnRef, Expr, Literal
from tqp.ir.plan import Field, Filter, Join, NearestJoin, Plan, Project, Scan, Window
from tqp.ir.visit import expressions, symbols
from tqp.ir.window import WindowCall
from tqp.operators.build import AliveSink
from tqp.operators.choice import Choice
from tqp.operators.filter import ProjectStage
from tqp.operators.listed import ListedSink, ListedSource
from tqp.operators.nearest import NearestSink
from tqp.operators.products import AllStage, Product, ProductSink
from tqp.operators.results import Relation, Slot
from tqp.operators.scan import TableSource
from tqp.optimizer.fresh import Symbols
from tqp.optimizer.predicates import split_keys
from tqp.physical.expected import filter_of
from tqp.physical.joins import Lowering, narrowed, pairs
from tqp.physical.pipeline import Stream
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
        rows = plan.kind, left, ours, theirs, plan.order, plan.limit, plan.skips_null
        read = below & {field.symbol for field in plan.right.schema}
        listed = None if residual is not None else _listed(planner, plan, product, left, read)
        stream = planner.stream(plan.right, read) if listed is None else listed
        stream = stream.then(AllStage(left, mine)).chose(chosen)
        if isinstance(stream.source, ListedSource):
            return planner.add(stream, ListedSink(*rows, product, None, stream.source))
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


def _listed(
    planner: Lowering, plan: NearestJoin, product: Product, left: Slot[Relation], read: frozenset[str]
) -> Stream | None:
    """The right side's rows, of which inverted lists may have those near enough; None where all have to be looked at."""
    limits = planner.target.limits
    if not plan.approximate or not plan.skips_null or product.is_least != (product.measure == "euclidean"):
        return None
    projects: list[Project] = []
    rows, vectors = plan.right, product.theirs
    conditions: tuple[Expr, ...] = ()
    while isinstance(rows, Project):
        made = dict(zip((field.symbol for field in rows.fields), rows.exprs, strict=True))
        vectors = made[vectors.symbol] if isinstance(vectors, ColumnRef) else vectors
        projects.append(rows)
        rows = rows.input
    if isinstance(rows, Filter):
        conditions = conjuncts(rows.predicate)
        rows = rows.input
    if not isinstance(rows, Scan) or not isinstance(vectors, ColumnRef):
        return None
    column = rows.column(vectors.symbol)
    if column is None or limits.listed_vectors is None or rows.source.rows < limits.listed_vectors:
        return None
    alive = None
    if conditions:
        masked = narrowed(rows, frozenset[str]().union(*map(symbols, conditions)))
        alive = planner.add(Stream(TableSource(masked), (filter_of(masked, conditions, limits),)), AliveSink(masked))
    whole: Plan = rows
    for project in reversed(projects):
        whole = project.with_children((whole,))
    stream = planner.stream(whole, read)
    if type(stream.source) is not TableSource or not all(isinstance(stage, ProjectStage) for stage in stream.stages):
        return None
    place = Symbols(plan).fresh("place")
    scan = stream.source.scan
    source = ListedSource(scan, column, left, product.ours, product.measure, plan.limit, place, alive)
    return replace(stream, source=source)


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
