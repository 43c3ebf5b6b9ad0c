"""CAST and TRY_CAST."""

from __future__ import annotations

from sqlglot import exp

from tqp.errors import BindError
from tqp.functions.registry import expect
from tqp.ir.expr import Expr, Literal
from tqp.ir.inputs import derived
from tqp.sql.context import Context
from tqp.sql.datatypes import dtype_of
from tqp.sql.expr import ExprBinder, handles, named
from tqp.sql.lambdas import of_each
from tqp.sql.operators import call, cast
from tqp.types import DATE, JSON, NULL, VARCHAR, DType, Kind, array, list_of, map_of, struct

__all__: list[str] = []


@handles(exp.Cast, exp.TryCast)
def _cast(binder: ExprBinder, node: exp.Cast) -> Expr:
    is_safe, to = isinstance(node, exp.TryCast), dtype_of(node.args["to"], binder.context.session.types)
    value = binder.bind(node.this)
    if value.dtype == VARCHAR and to == list_of(JSON):
        return _documents(binder.context, value, is_safe)
    return _as_written(cast(value, to, safe=is_safe))


@handles(exp.Date)
def _date(binder: ExprBinder, node: exp.Date) -> Expr:
    """`date(x)`, which is a cast to DuckDB's parser."""
    if node.this is None:
        raise BindError("date takes 1 argument")
    return _as_written(cast(binder.bind(node.this), DATE))


def _as_written(value: Expr) -> Expr:
    return derived(_typed, value) if isinstance(value, Literal) else value


@named("replace_type")
def _replace_type(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    """The value with one type instead of another, wherever that stands in its type."""
    expect(node.expressions, 3, "replace_type")
    value, old, new = map(binder.bind, node.expressions)
    if new.dtype == NULL:
        raise BindError("replace_type replaces no type by that of NULL", hint="write NULL::type")
    return cast(value, _replaced(value.dtype, old.dtype, new.dtype))


def _replaced(dtype: DType, old: DType, new: DType) -> DType:
    if dtype == old:
        return new
    if dtype.is_struct:
        return struct([(one.name, _replaced(one.type, old, new)) for one in dtype.fields])
    if dtype.element is None:
        return dtype
    element = _replaced(dtype.element, old, new)
    if dtype.kind is Kind.MAP:
        return map_of(*element.children)
    return array(element, dtype.size) if dtype.size else list_of(element)


def _typed(literal: Literal) -> Literal:
    return Literal(literal.value, literal.type, typed=True)


def _documents(context: Context, text: Expr, is_safe: bool) -> Expr:
    """The elements of an array of JSON, which the whole text is then; `null` among them stays a document."""
    found = cast(cast(text, JSON, safe=is_safe), list_of(JSON), safe=is_safe)
    return of_each(context, found, Literal("null", JSON), lambda item, null: call("coalesce", item, null))
