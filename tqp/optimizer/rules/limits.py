"""Limit(Sort(x)) becomes TopN(x); a Limit sinks below Project, and limits above each other become one.

Where a join only asks whether the other side has any row at all, one row is enough: EXISTS stops at the first. A scalar
subquery has one row, and an error shows with the second.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import assert_never

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
from tqp.ir.visit import rewrite_plan
from tqp.stack import deep

__all__ = ["push_limits"]


def push_limits(plan: Plan) -> Plan:
    """The plan with every limit joined to its sort, or as far down as it may be."""
    return rewrite_plan(plan, _rule)


def _rule(node: Plan) -> Plan | None:
    match node:
        case Limit():
            return _sink(node)
        case Join(kind="semi" | "anti" | "mark" | "single", keys=(), residual=None):
            rows = 2 if node.kind == "single" else 1
            return (
                None if _gives(node.right) <= rows else node.with_children((node.left, _sink(Limit(node.right, rows))))
            )
        case (
            Scan() | Values() | Shared() | Filter() | Project() | Join() | Aggregate() | GroupingSets()
            | Window() | Sort() | TopN() | SetOp()
            | AsofJoin() | NearestJoin() | DependentJoin() | Generate() | Recursion() | Pivot() | Working()
        ):  # fmt: skip
            return None
        case _:
            assert_never(node)


def _gives(plan: Plan) -> float:
    """The most rows that the plan can have, as far as its form shows."""
    while isinstance(plan, Project | Shared):
        plan = plan.input if isinstance(plan, Project) else plan.definition
    match plan:
        case Limit() | TopN() if plan.limit is not None:
            return plan.limit
        case Values():
            return len(plan.rows)
        case Aggregate(keys=()):
            return 1
        case (
            Scan() | Shared() | Filter() | Project() | Join() | Aggregate() | GroupingSets() | Window()
            | Sort() | Limit() | TopN() | SetOp()
            | AsofJoin() | NearestJoin() | DependentJoin() | Generate() | Recursion() | Pivot() | Working()
        ):  # fmt: skip
            return inf
        case _:
            assert_never(plan)


@deep
def _sink(node: Limit) -> Plan:
    below = node.input
    match below:
        case Project():
            return Project(_sink(Limit(below.input, node.limit, node.offset)), below.fields, below.exprs)
        case Sort() if node.limit is not None:
            return TopN(below.input, below.keys, node.limit, node.offset)
        case Limit():
            limit, offset = _both(node, below.limit, below.offset)
            return _sink(Limit(below.input, limit, offset))
        case TopN():
            limit, offset = _both(node, below.limit, below.offset)
            assert limit is not None
            return TopN(below.input, below.keys, limit, offset)
        case SetOp(kind="union", all=True) if node.limit is not None:
            rows = node.limit + node.offset
            if all(isinstance(side, Limit) for side in below.children):
                return node
            sides = tuple(_sink(Limit(side, rows)) for side in below.children)
            return Limit(below.with_children(sides), node.limit, node.offset)
        case Recursion(key=None) if node.limit is not None:
            return Limit(replace(below, most=node.limit + node.offset), node.limit, node.offset)
        case (
            Scan() | Values() | Shared() | Filter() | Join() | Aggregate() | GroupingSets() | Window()
            | Sort() | SetOp()
            | AsofJoin() | NearestJoin() | DependentJoin() | Generate() | Recursion() | Pivot() | Working()
        ):  # fmt: skip
            return node
        case _:
            assert_never(below)


def _both(outer: Limit, limit: int | None, offset: int) -> tuple[int | None, int]:
    """The rows of `outer` among rows offset .. offset+limit-1."""
    left = None if limit is None else max(limit - outer.offset, 0)
    if outer.limit is not None:
        left = outer.limit if left is None else min(left, outer.limit)
    return left, offset + outer.offset
