"""What a query asks of the connection that it runs on: `current_setting`."""

from __future__ import annotations

from sqlglot import exp

from tqp.errors import UnsupportedError
from tqp.ir.expr import ColumnRef, Expr, Literal
from tqp.ir.visit import walk
from tqp.sql.expr import ExprBinder, named

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
