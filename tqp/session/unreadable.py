"""Columns that no reader can give, and whether a plan reads one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from tqp.errors import UnsupportedError
from tqp.ir.expr import ColumnRef, Exists
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
from tqp.ir.visit import definitions, expressions, subplans, walk, walk_plan, walk_query
from tqp.stack import deep

__all__ = ["require_supported"]


def require_supported(plan: Plan, text: str | None = None, is_read: bool = True) -> None:
    """Raise one UnsupportedError that lists all columns which the plan reads but no reader can give.

    Only to pass such a column on and drop it further up is no use of it, nor are columns of a result that is not read.
    """
    trees = (*definitions(plan), plan)
    scans = (node for tree in trees for node in walk_query(tree) if isinstance(node, Scan))
    if not any(getattr(scan.source, "unsupported", None) for scan in scans):
        return
    found: dict[str, None] = {}
    known: dict[Plan, dict[str, str]] = {}
    for tree in trees:
        reasons: dict[str, str] = {}
        used: dict[str, None] = {}
        _trace(tree, reasons, used, known)
        if tree is plan and is_read:
            used.update((field.symbol, None) for field in plan.schema)
        known[tree] = reasons
        found.update(dict.fromkeys(reasons[symbol] for symbol in used if symbol in reasons))
    if found:
        raise UnsupportedError(
            "; ".join(found),
            hint="leave these columns out of the query, or cast them before they are handed in",
            text=text,
        )


@deep
def _trace(plan: Plan, reasons: dict[str, str], used: dict[str, None], known: Mapping[Plan, dict[str, str]]) -> None:
    """Add to `reasons` the symbols that stand for columns which cannot be read, to `used` the symbols looked at.

    `known` has the reasons within shared definitions.
    """
    for node in reversed(list(walk_plan(plan))):
        match node:
            case Scan():
                gaps: Mapping[str, str] = getattr(node.source, "unsupported", {})
                for column, field in zip(node.columns, node.fields, strict=True):
                    if column in gaps:
                        where = f"column {column!r} of {node.source.name!r}"
                        reasons[field.symbol] = f"{where} cannot be read: {gaps[column]}"
            case Shared():
                below = known[node.definition]
                pairs = zip(node.columns, node.fields, strict=True)
                reasons.update((field.symbol, below[column]) for column, field in pairs if column in below)
            case Project():
                for field, expr in zip(node.fields, node.exprs, strict=True):
                    if isinstance(expr, ColumnRef) and expr.symbol in reasons:
                        reasons[field.symbol] = reasons[expr.symbol]
            case SetOp() if node.kind == "union" and node.all:
                for side in node.children:
                    alike = zip(side.schema, node.fields, strict=True)
                    reasons.update((field.symbol, reasons[own.symbol]) for own, field in alike if own.symbol in reasons)
            case SetOp() | Recursion():
                used.update((field.symbol, None) for side in node.children for field in side.schema)
            case Pivot():
                used.update(dict.fromkeys(sorted(node.reads)))
            case Aggregate() | GroupingSets():
                used.update(dict.fromkeys(node.keys))
            case (
                Values() | Filter() | Join() | Window() | Sort() | Limit() | TopN()
                | AsofJoin() | NearestJoin() | DependentJoin() | Generate() | Working()
            ):  # fmt: skip
                pass
            case _:
                assert_never(node)
        for expr in expressions(node):
            inner_plans = subplans(expr)
            counted = [part.plan for part in walk(expr) if isinstance(part, Exists)] if inner_plans else []
            for inner in inner_plans:
                _trace(inner, reasons, used, known)
                if inner not in counted:
                    used.update((field.symbol, None) for field in inner.schema)
            if not (isinstance(node, Project) and isinstance(expr, ColumnRef)):
                used.update((part.symbol, None) for part in walk(expr) if isinstance(part, ColumnRef))
