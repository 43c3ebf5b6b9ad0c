"""Merge adjacent Projects, Filters and UNION ALLs, and drop Projects that change nothing."""

from __future__ import annotations

from typing import assert_never

from tqp.ir.conditions import conjunction, conjuncts
from tqp.ir.expr import ColumnRef, Expr, Literal
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
from tqp.ir.visit import rename, rewrite_plan, walk

__all__ = ["merge"]


def merge(plan: Plan) -> Plan:
    """The plan with fewer nodes; the names that the user sees stay."""
    merged = rewrite_plan(plan, _merge)
    if merged.schema == plan.schema:
        return merged
    return Project(merged, plan.schema, tuple(field.ref for field in plan.schema))


def _merge(node: Plan) -> Plan | None:
    match node:
        case Filter(input=Filter() as below):
            parts = dict.fromkeys((*conjuncts(below.predicate), *conjuncts(node.predicate)))
            return Filter(below.input, conjunction(tuple(parts)))
        case Project(input=Project() as below) if _substitutable(node, below):
            exprs: dict[str, Expr] = {f.symbol: e for f, e in zip(below.fields, below.exprs, strict=True)}
            merged = Project(below.input, node.fields, tuple(rename(expr, exprs) for expr in node.exprs))
            return _merge(merged) or merged
        case Project() if _is_identity(node):
            return node.input
        case Aggregate(input=Project() as below) if all(_keeps(field.symbol, below) for field in below.fields):
            return Aggregate(below.input, node.keys, node.fields, node.aggregates)
        case SetOp(kind="union") if any(_joins(node, side) for side in node.inputs):
            inputs = (below for side in node.inputs for below in (side.children if _joins(node, side) else (side,)))
            return node.with_children(tuple(inputs))
        case (
            Scan() | Values() | Shared() | Filter() | Project() | Join() | Aggregate() | GroupingSets() | Window()
            | Sort() | Limit() | TopN() | SetOp()
            | AsofJoin() | NearestJoin() | DependentJoin() | Generate() | Recursion() | Pivot() | Working()
        ):  # fmt: skip
            return None
        case _:
            assert_never(node)


def _substitutable(node: Project, below: Project) -> bool:
    """Whether no computed column of `below` would be computed twice."""
    uses: dict[str, int] = {}
    for expr in node.exprs:
        for part in (expr, *(child for above in walk(expr) for child in above.children)):
            if isinstance(part, ColumnRef):
                uses[part.symbol] = uses.get(part.symbol, 0) + 1
    for field, expr in zip(below.fields, below.exprs, strict=True):
        if isinstance(expr, ColumnRef | Literal):
            continue
        if uses.get(field.symbol, 0) > 1:
            return False
    # A field that kept the symbol of a column must go on naming that very column.
    below_input = {field.symbol for field in below.input.schema}
    return not any(field.symbol in below_input and not _keeps(field.symbol, below) for field in node.fields)


def _joins(union: SetOp, side: Plan) -> bool:
    """Whether the inputs of one side of a UNION may stand in its place: duplicates stay, or all go."""
    return isinstance(side, SetOp) and side.kind == "union" and (side.all or not union.all)


def _keeps(symbol: str, below: Project) -> bool:
    for field, expr in zip(below.fields, below.exprs, strict=True):
        if field.symbol == symbol:
            return isinstance(expr, ColumnRef) and expr.symbol == symbol
    return False


def _is_identity(node: Project) -> bool:
    below = node.input.schema
    return len(node.fields) == len(below) and all(
        isinstance(expr, ColumnRef) and expr.symbol == field.symbol == old.symbol
        for field, expr, old in zip(node.fields, node.exprs, below, strict=True)
    )
