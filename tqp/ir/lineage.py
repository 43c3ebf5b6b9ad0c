"""Where the values of a plan's columns come from: from node to node down, to the scan of the stored column in the end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, assert_never

from tqp.ir.expr import ColumnRef, Expr
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
from tqp.ir.visit import rename, symbols

if TYPE_CHECKING:
    from tqp.data.statistics import ColumnStatistics

__all__ = ["lineage", "pads", "stored_statistics"]


def lineage(plan: Plan, expr: Expr) -> Iterator[tuple[Plan, Expr]]:
    """The nodes that `expr` over the plan's columns comes through, from the plan down, and what it is over the columns of each.

    Each value that it has in a row of a node it has in a row of the next one, or over NULLs alone where a join pads
    (`pads`). The last node made a column that is read: a scan, a call of an aggregate or window, a set operation.
    """
    step: tuple[Plan, Expr] | None = (plan, expr)
    while step is not None:
        yield step
        step = _below(*step)


def _below(node: Plan, expr: Expr) -> tuple[Plan, Expr] | None:
    read = symbols(expr)
    match node:
        case Filter() | Sort() | Limit() | TopN():
            return node.input, expr
        case Project():
            exprs = {
                field.symbol: made for field, made in zip(node.fields, node.exprs, strict=True) if field.symbol in read
            }
            return (node.input, rename(expr, exprs)) if read <= exprs.keys() else None
        case Shared():
            pairs = zip(node.fields, node.columns, strict=True)
            refs: dict[str, Expr] = {f.symbol: ColumnRef(column, f.dtype) for f, column in pairs if f.symbol in read}
            return (node.definition, rename(expr, refs)) if read <= refs.keys() else None
        case Join():
            sides = (side for side in node.children if read and read <= {field.symbol for field in side.schema})
            return next(((side, expr) for side in sides), None)
        case Aggregate() | Pivot() if read and read.issubset(node.keys):
            return node.input, expr
        case Window() | Generate() if read.isdisjoint(field.symbol for field in node.fields):
            return node.input, expr
        case AsofJoin(kind="inner" | "left" | "semi" | "anti") if read <= {field.symbol for field in node.left.schema}:
            return node.left, expr
        case NearestJoin():
            # Its right side's columns are padded in a left join.
            of_left = read <= {field.symbol for field in node.left.schema}
            if of_left:
                return node.left, expr
            of_right = node.kind == "inner" and read <= {field.symbol for field in node.right.schema}
            return (node.right, expr) if of_right else None
        case (
            Scan() | Values() | Aggregate() | GroupingSets() | Window() | SetOp()
            | AsofJoin() | DependentJoin() | Generate() | Recursion() | Pivot() | Working()
        ):  # fmt: skip
            return None
        case _:
            assert_never(node)


def pads(join: Join, expr: Expr) -> bool:
    """Whether some of the join's rows may match none of the input that `expr` is of, and read NULL for its columns."""
    of_left = symbols(expr) <= {field.symbol for field in join.left.schema}
    return join.kind in (("right", "full") if of_left else ("left", "full", "single"))


def stored_statistics(plan: Plan, expr: Expr) -> ColumnStatistics | None:
    """The statistics of the stored column that `expr` is, of all its rows; None where it is none, or a column changed."""
    for node, origin in lineage(plan, expr):
        if not isinstance(origin, ColumnRef):
            return None
        if isinstance(node, Scan):
            column = node.column(origin.symbol)
            return None if column is None else node.source.statistics(column)
    return None
