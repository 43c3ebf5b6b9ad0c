"""Text that DuckDB sorts otherwise: a pandas Categorical is an ENUM there, in the order of its categories.

tqp reads it as VARCHAR. Where its categories are in the order of their text both are the same. Where they are not, a
query is refused that asks for an order of such a column, or of an expression that is still an ENUM in DuckDB.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from tqp.errors import UnsupportedError
from tqp.functions.aggregates import aggregate_of
from tqp.functions.registry import find
from tqp.functions.windows import find_window
from tqp.ir.expr import Call, Case, ColumnRef, Expr, Literal, ScalarSubquery, SortKey
from tqp.ir.plan import (
    Aggregate,
    Filter,
    GroupingSets,
    Join,
    Limit,
    Plan,
    Project,
    Scan,
    SetOp,
    Shared,
    Sort,
    TopN,
    Values,
    Window,
)
from tqp.ir.visit import definitions, expressions, fold, subplans, walk, walk_plan

__all__ = ["require_text_order"]

Names = dict[str, str]
"""The symbols of ENUM columns, and what they are called in errors."""


def require_text_order(plan: Plan, text: str) -> None:
    """Raise UnsupportedError where the order of a column matters that DuckDB does not sort as text."""
    trees = (*definitions(plan), plan)
    nodes = (node for tree in trees for node in walk_plan(tree))
    if not any(isinstance(node, Scan) and getattr(node.source, "enumerations", ()) for node in nodes):
        return
    known: dict[Plan, Names] = {}
    try:
        for tree in trees:
            known[tree] = _trace(tree, {}, known)
    except UnsupportedError as error:
        raise error.with_text(text) from None


def _trace(plan: Plan, outer: Names, known: Mapping[Plan, Names]) -> Names:
    """The ENUM columns within a plan, `outer` those of the queries around it."""
    names = dict(outer)
    for node in reversed(list(walk_plan(plan))):
        inner: dict[Plan, Names] = {}
        for expr in expressions(node):
            inner.update((tree, _trace(tree, names, known)) for tree in subplans(expr))
            _check(expr, names, inner)
        match node:
            case Scan():
                ordered = getattr(node.source, "enumerations", ())
                for column, field in zip(node.columns, node.fields, strict=True):
                    if column in ordered:
                        names[field.symbol] = f"column {column!r} of {node.source.name!r}"
            case Shared():
                below = known[node.definition]
                pairs = zip(node.columns, node.fields, strict=True)
                names.update((field.symbol, below[column]) for column, field in pairs if column in below)
            case Project():
                for field, expr in zip(node.fields, node.exprs, strict=True):
                    if (name := _enumeration(expr, names, inner)) is not None:
                        names[field.symbol] = name
            case SetOp():
                for field, left, right in zip(node.fields, node.left.schema, node.right.schema, strict=True):
                    if left.symbol in names and right.symbol in names:
                        names[field.symbol] = names[left.symbol]
            case Sort() | TopN():
                _require_no_keys(node.keys, names, inner)
            case Window() | Aggregate() | GroupingSets():
                fields = node.fields
                if isinstance(node, Window):
                    calls = tuple(each.call for each in node.calls)
                    _require_no_keys(node.order_by, names, inner)
                else:
                    calls = node.aggregates
                if isinstance(node, GroupingSets):
                    keys = zip(node.key_fields, node.keys, strict=True)
                    names.update((field.symbol, names[key]) for field, key in keys if key in names)
                    fields = node.aggregate_fields
                for field, call in zip(fields, calls, strict=True):
                    _require_no_keys(call.order, names, inner)
                    kinds = [_enumeration(arg, names, inner) for arg in call.args]
                    over = find_window(call.function)
                    compared = aggregate_of(call).compares if over is None else None
                    if compared is not None and (name := kinds[compared]) is not None:
                        raise _refusal(name, call.function)
                    passes_on = aggregate_of(call).passes_on if over is None else over.passes_on
                    if passes_on and (name := kinds[0]) is not None:
                        names[field.symbol] = name
            case Values() | Filter() | Join() | Limit():
                pass
            case _:
                assert_never(node)
    return names


def _check(expr: Expr, names: Names, inner: Mapping[Plan, Names]) -> None:
    for part in walk(expr):
        if isinstance(part, Call) and find(part.function).compares:
            found = [_enumeration(arg, names, inner) for arg in part.args]
            # Beside text DuckDB compares it as text.
            if found and all(found):
                raise _refusal(str(found[0]), part.function if find(part.function).mirrored is None else "a comparison")


def _require_no_keys(keys: tuple[SortKey, ...], names: Names, inner: Mapping[Plan, Names]) -> None:
    for key in keys:
        if (name := _enumeration(key.expr, names, inner)) is not None:
            raise _refusal(name, "ORDER BY")


def _refusal(name: str, use: str) -> UnsupportedError:
    return UnsupportedError(
        f"{name} is a Categorical whose categories are not in the order of their text: {use} of it is not supported",
        hint="hand it in as text, to have it in the order of the text: frame.astype({'column': 'str'})",
    )


def _enumeration(expr: Expr, names: Names, inner: Mapping[Plan, Names]) -> str | None:
    """What the expression is called if it is an ENUM in DuckDB, else None."""

    def combine(part: Expr, found: tuple[str | None, ...]) -> str | None:
        if isinstance(part, ColumnRef):
            return names.get(part.symbol)
        if isinstance(part, ScalarSubquery):
            return inner.get(part.plan, {}).get(part.plan.schema[0].symbol)
        by_child = dict(zip(map(id, part.children), found, strict=True))
        chosen: tuple[Expr, ...] = ()
        if isinstance(part, Case):
            chosen = (*part.values, part.default)
        elif isinstance(part, Call) and find(part.function).first_value:
            chosen = part.args
        elif isinstance(part, Call) and part.function == "nullif":
            chosen = part.args[:1]
        values = [by_child.get(id(value)) for value in chosen if not _is_null(value)]
        return values[0] if values and all(values) else None

    return fold(expr, combine)


def _is_null(expr: Expr) -> bool:
    return isinstance(expr, Literal) and expr.is_null
