"""Aggregate only the groups that a join will ask for.

X JOIN Aggregate(Y by k) ON x = k needs only groups with k in x: it is X JOIN Aggregate(Y SEMI JOIN S ON k = s by k) for
any S whose column s has all values of x. S is the cheapest part of X that leaves few groups; it is computed twice.
Not where right rows without a match still matter: right and full joins, and NOT IN.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, assert_never

from tqp.ir.expr import ColumnRef
from tqp.ir.plan import (
    Aggregate,
    AsofJoin,
    DependentJoin,
    Filter,
    Generate,
    GroupingSets,
    Join,
    Limit,
    NearestJoin,
    Pivot,
    Plan,
    Project,
    Recursion,
    Scan,
    SetOp,
    Shared,
    Sort,
    TopN,
    Values,
    Window,
    Working,
)
from tqp.ir.visit import rewrite_plan, walk_plan
from tqp.optimizer.cardinality import Estimator
from tqp.optimizer.fresh import Symbols, copy_plan, select
from tqp.optimizer.rules.join_order import order_joins
from tqp.stack import deep

__all__ = ["reduce_aggregates"]

# The share of the groups that may stay, and the work to find them out relative to that of the aggregate's input.
_GROUPS: Final = 0.25
_WORK: Final = 0.3


def reduce_aggregates(plan: Plan) -> Plan:
    """The plan with semi joins below aggregates where they spare most of the work."""
    estimator = Estimator()
    names: list[Symbols] = []

    def rule(node: Plan) -> Plan | None:
        if not isinstance(node, Join) or node.kind == "full" or node.null_aware:
            return None
        if node.kind == "mark" and node.residual is None:
            return None
        for left, right in ((node.left, node.right), (node.right, node.left)):
            if left is node.right and node.kind != "inner":
                continue
            for pair in node.keys:
                asked, grouped = pair if left is node.left else pair[::-1]
                if not (isinstance(asked, ColumnRef) and isinstance(grouped, ColumnRef)):
                    continue
                reduced = _reduce(left, asked, right, grouped, estimator, plan, names)
                if reduced is not None:
                    sides = (left, reduced) if left is node.left else (reduced, left)
                    return node.with_children(sides)
        return None

    return rewrite_plan(plan, rule)


@deep
def _reduce(
    left: Plan, asked: ColumnRef, right: Plan, key: ColumnRef, estimator: Estimator, root: Plan, names: list[Symbols]
) -> Plan | None:
    """`right`, an aggregate below projections and filters, over a reduced input."""
    if isinstance(right, Filter | Project):
        if isinstance(right, Project):
            exprs = (e for f, e in zip(right.fields, right.exprs, strict=True) if f.symbol == key.symbol)
            below = next(exprs, None)
            if not isinstance(below, ColumnRef):
                return None
            key = below
        reduced = _reduce(left, asked, right.input, key, estimator, root, names)
        return None if reduced is None else right.with_children((reduced,))
    if not isinstance(right, Aggregate) or key.symbol not in right.keys:
        return None
    groups = estimator.distinct(right.input, key.symbol)
    spared = _work(right.input, estimator)
    best: tuple[float, Plan, ColumnRef] | None = None
    for source, column in _supersets(left, asked):
        work = _work(source, estimator)
        if work > _WORK * spared or estimator.distinct(source, column.symbol) > _GROUPS * groups:
            continue
        if best is None or work < best[0]:
            best = work, source, column
    if best is None:
        return None
    if not names:
        names.append(Symbols(root))
    source = best[1]
    wanted = next(field for field in source.schema if field.symbol == best[2].symbol)
    copy, moved = copy_plan(select(source, (wanted,)), names[0])
    semi = Join("semi", right.input, copy, ((key, moved[wanted.symbol].ref),))
    return Aggregate(order_joins(semi), right.keys, right.fields, right.aggregates)


def _work(plan: Plan, estimator: Estimator) -> float:
    return sum(estimator.rows(node) for node in walk_plan(plan) if isinstance(node, Scan | Join))


def _supersets(plan: Plan, column: ColumnRef) -> Iterator[tuple[Plan, ColumnRef]]:
    """Parts of the plan with a column that has all (not NULL) values of `column`."""
    pending = [(plan, column)]
    while pending:
        plan, column = pending.pop()
        yield plan, column
        below: list[tuple[Plan, ColumnRef]] = []
        match plan:
            case Filter():
                below = [(plan.input, column)]
            case Project():
                pairs = zip(plan.fields, plan.exprs, strict=True)
                below = [(plan.input, e) for f, e in pairs if f.symbol == column.symbol and isinstance(e, ColumnRef)]
            case Join(kind="inner" | "semi"):
                for side, here, there in ((plan.left, 0, 1), (plan.right, 1, 0)):
                    if not any(field.symbol == column.symbol for field in side.schema):
                        continue
                    below.append((side, column))
                    for pair in plan.keys:
                        other = pair[there]
                        if pair[here] == column and isinstance(other, ColumnRef):
                            below.append((plan.children[there], other))
            case Join(kind="anti" | "left" | "mark" | "single"):
                if any(field.symbol == column.symbol for field in plan.left.schema):
                    below = [(plan.left, column)]
            case (
                Scan() | Values() | Shared() | Join() | Aggregate() | GroupingSets() | Window() | Sort()
                | Limit() | TopN() | SetOp()
                | AsofJoin() | NearestJoin() | DependentJoin() | Generate() | Recursion() | Pivot() | Working()
            ):  # fmt: skip
                pass
            case _:
                assert_never(plan)
        pending.extend(reversed(below))
