"""What a query asks of the connection that it runs on: `current_setting` and `getvariable`."""

from __future__ import annotations

from sqlglot import exp

from tqp.errors import UnsupportedError
from tqp.ir.expr import ColumnRef, Expr, Literal
from tqp.ir.visit import walk
from tqp.sql.expansion import expression_of
from tqp.sql.expr import ExprBinder, named
from tqp.types import NULL

__all__: list[str] = []


@named("current_setting")
def _setting(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    """The value of a setting, when the query is bound."""
    arguments = [binder.bind(item) for item in node.expressions]
    name = arguments[0] if len(arguments) == 1 else None
    if isinstance(name, Literal) and name.dtype.is_text:
        return binder.context.session.setting(str(name.value).lower())
    if (
        name is not None
        and not isinstance(name, Literal)
        and not any(isinstance(part, ColumnRef) for part in walk(name))
    ):
        raise UnsupportedError("current_setting of a computed name is not supported", hint="write the name")
    raise binder.context.error(node, "current_setting takes the name of a setting, a text constant")


@named("getvariable")
def _variable(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    """The value of a variable, when the query is bound; NULL where there is none."""
    arguments = [binder.bind(item) for item in node.expressions]
    name = arguments[0] if len(arguments) == 1 else None
    if not isinstance(name, Literal) or not (name.dtype.is_text or name.is_null):
        raise binder.context.error(node, "getvariable takes the name of a variable, a text constant")
    found = None if name.is_null else binder.context.session.variable(str(name.value))
    return Literal(None, NULL) if found is None else binder.bind(expression_of(found.text))
