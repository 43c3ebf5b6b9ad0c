"""strptime with a list of formats: what the first of them reads that reads the text."""

from __future__ import annotations

from sqlglot import exp

from tqp.errors import BindError
from tqp.functions.registry import expect
from tqp.functions.strptime import require_format
from tqp.ir.expr import ColumnRef, Expr, Literal
from tqp.ir.visit import subplans, walk
from tqp.sql.expr import ExprBinder, handles, named
from tqp.sql.operators import call
from tqp.types import NULL, TIMESTAMP, VARCHAR, Kind

__all__: list[str] = []


@handles(exp.StrToTime)
def _strptime(binder: ExprBinder, node: exp.StrToTime) -> Expr:
    return _read(binder, node, node.this, node.args.get("format"), "strtotime")


@named("try_strptime")
def _try_strptime(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    expect(node.expressions, 2, "try_strptime")
    text, pattern = node.expressions
    return _read(binder, node, text, pattern, "try_strptime")


def _read(binder: ExprBinder, node: exp.Expr, text: exp.Expr, pattern: exp.Expr | None, name: str) -> Expr:
    value, formats = binder.bind(text), binder.bind(pattern)
    if formats.dtype.kind is not Kind.LIST:
        if any(True for _ in subplans(formats)):
            raise binder.context.error(pattern, "the format of strptime is a constant, no subquery")
        return call(name, value, formats)
    element = formats.dtype.element
    if element not in (VARCHAR, NULL):
        raise BindError(f"strptime takes a list of strings, not {formats.dtype}")
    if subplans(formats) or any(isinstance(part, ColumnRef) for part in walk(formats)):
        raise binder.context.error(pattern, "strptime takes a list of formats that is constant")
    found = binder.context.value(node, formats)
    if found is None:
        return Literal(None, TIMESTAMP, typed=True)
    if not found:
        raise binder.context.error(pattern, "strptime takes at least one format")
    # DuckDB takes a NULL for its name.
    texts = ["NULL" if one is None else str(one) for one in found]
    for one in texts:
        # Also of those that no text comes to.
        require_format(one)
    # The last format is the one whose error is raised.
    patterns = [Literal(one, VARCHAR) for one in texts]
    names = ["try_strptime"] * (len(patterns) - 1) + [name]
    # A subquery may stand but once in a plan.
    values = [value, *[binder.bind(text) if subplans(value) else value for _ in patterns[1:]]]
    calls = [call(*parts) for parts in zip(names, values, patterns, strict=True)]
    return call("coalesce", *calls) if len(calls) > 1 else calls[0]
