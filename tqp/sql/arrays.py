"""Lists, arrays and subscripts: `[1, 2]`, `array_value(1, 2)`, `v[1]`, `len(v)`."""

from __future__ import annotations

from sqlglot import exp

from tqp.errors import UnsupportedError
from tqp.functions.nested import written
from tqp.ir.expr import Expr
from tqp.sql.expr import ExprBinder, handles, named
from tqp.sql.operators import call, unify
from tqp.types import NULL

__all__ = ["element"]


@handles(exp.Array)
def _list(binder: ExprBinder, node: exp.Array) -> Expr:
    return _written(binder, node, is_list=True)


@named("array_value")
def _array(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    if not node.expressions:
        raise binder.context.error(node, "array_value takes at least 1 argument")
    return _written(binder, node, is_list=False)


def _written(binder: ExprBinder, node: exp.Expr, *, is_list: bool) -> Expr:
    if any(isinstance(item, exp.Query) for item in node.expressions):
        raise UnsupportedError("ARRAY of a subquery is not supported")
    items = [binder.bind(item) for item in node.expressions]
    common = unify(items, "a list")[0].dtype if items else NULL
    made = written(items, common, is_list=is_list)
    binder.context.lists.setdefault(made, node)
    return made


@handles(exp.Length)
def _length(binder: ExprBinder, node: exp.Length) -> Expr:
    value = binder.bind(node.this)
    return call("array_length" if value.dtype.is_nested else "length", value)


@handles(exp.ArraySize)
def _size(binder: ExprBinder, node: exp.ArraySize) -> Expr:
    dimension = node.args.get("expression")
    return call("array_length", binder.bind(node.this), *([] if dimension is None else [binder.bind(dimension)]))


def element(binder: ExprBinder, node: exp.Bracket) -> Expr:
    """The meaning of a subscript: one element of an array."""
    if len(node.expressions) != 1 or isinstance(node.expressions[0], exp.Slice):
        raise UnsupportedError("slices are not supported", hint="value[1] is one element of an array")
    value = binder.bind(node.this)
    if not value.dtype.is_nested:
        raise UnsupportedError(
            f"a subscript of {value.dtype} is not supported", hint="arrays and PREDICT_PROBA take one"
        )
    return call("array_extract", value, binder.bind(node.expressions[0]))
