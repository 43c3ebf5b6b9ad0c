"""union_value, union_extract."""

from __future__ import annotations

from sqlglot import exp

from tqp.functions.structs import extract
from tqp.functions.unions import single
from tqp.ir.expr import Expr, Literal
from tqp.sql.expr import ExprBinder, named
from tqp.types import NULL

__all__: list[str] = []


@named("union_value")
def _value(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    items = node.expressions
    if len(items) != 1 or not isinstance(items[0], exp.PropertyEQ):
        raise binder.context.error(node, "union_value takes one value with a name", hint="union_value(name := value)")
    return single(items[0].this.name, binder.bind(items[0].expression))


@named("union_extract")
def _extract(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    if len(node.expressions) != 2:
        raise binder.context.error(node, "union_extract takes a UNION and the name of a member")
    value, name = map(binder.bind, node.expressions)
    if value.dtype == NULL or isinstance(name, Literal) and name.is_null and value.dtype.is_union:
        return Literal(None, NULL)
    if not value.dtype.is_union or not isinstance(name, Literal) or not isinstance(name.value, str):
        raise binder.context.error(node, "union_extract takes a UNION and the name of a member, which is a constant")
    return extract(value, name.value)
