"""Values as a text says them: constants, and parameters."""

from __future__ import annotations

import math
from collections.abc import Mapping

from sqlglot import exp

from tqp.errors import TqpError, counted
from tqp.ir.expr import Expr, Literal
from tqp.sql import literals
from tqp.sql.context import Context
from tqp.sql.expr import ExprBinder, handles
from tqp.sql.gathering import ConstantsNode, Scattered
from tqp.sql.parameters import Written
from tqp.sql.parse import parse_strictly
from tqp.sql.unread import taken
from tqp.types import BOOLEAN, DOUBLE, NULL, VARCHAR

__all__: list[str] = []


@handles(exp.Literal)
def _literal(binder: ExprBinder, node: exp.Literal) -> Literal:
    found = taken(node)
    if found is not None:
        return found
    return Literal(node.this, VARCHAR) if node.is_string else literals.number(node.this)


@handles(ConstantsNode)
def _constants(binder: ExprBinder, node: ConstantsNode) -> Expr:
    raise Scattered


@handles(exp.RawString, exp.National, exp.ByteString)
def _text(binder: ExprBinder, node: exp.Expr) -> Expr:
    return Literal(node.name, VARCHAR)


@handles(exp.Boolean)
def _boolean(binder: ExprBinder, node: exp.Boolean) -> Expr:
    return Literal(bool(node.this), BOOLEAN)


@handles(exp.Null)
def _null(binder: ExprBinder, node: exp.Null) -> Expr:
    return Literal(None, NULL)


@handles(exp.Pi)
def _pi(binder: ExprBinder, node: exp.Pi) -> Expr:
    # No call: without arguments a kernel would not know its device.
    return Literal(math.pi, DOUBLE)


@handles(exp.Var)
def _word(binder: ExprBinder, node: exp.Var) -> Expr:
    return Literal(node.name.lower(), VARCHAR)


@handles(exp.Placeholder, exp.Parameter)
def _parameter(binder: ExprBinder, node: exp.Expr) -> Expr:
    found = _given(binder.context, node)
    return found if isinstance(found, Literal) else _written(binder, node, found)


def _written(binder: ExprBinder, node: exp.Expr, found: Written) -> Expr:
    """What the text of a parameter makes; errors in it are the parameter's."""
    try:
        tree, _ = parse_strictly(f"SELECT {found.text}")
        return binder.bind(tree.expressions[0])
    except TqpError as error:
        raise binder.context.error(node, f"parameter ${node.name}: {error.message}", error.hint) from None


def _given(context: Context, node: exp.Expr) -> Literal | Written:
    """The value given for `$1` (`?` has been numbered by the parser) or `$name`, else that of the variable of this name.

    BindError where there is none.
    """
    params = context.params
    name = node.name
    if not name.isdigit():
        if not isinstance(params, Mapping) or name not in params:
            # As in DuckDB a query with values by their places takes none by name.
            variable = None if params and not isinstance(params, Mapping) else context.session.variable(name)
            if variable is not None:
                return Written(variable.text, variable.shown)
            given = ", ".join(map(str, params)) if isinstance(params, Mapping) else "none by name"
            raise context.error(node, f"no value for parameter ${name}", hint=f"given: {given or 'none'}")
        return params[name]
    number = int(name)
    if isinstance(params, Mapping):
        if str(number) not in params:
            raise context.error(node, f"no value for parameter ${number}", hint=f"given: {', '.join(params) or 'none'}")
        return params[str(number)]
    if params is None or not 1 <= number <= len(params):
        hint = f"{counted(len(params), 'value')} given" if params else "pass values: params=[…]"
        raise context.error(node, f"no value for parameter {number}", hint=hint)
    return params[number - 1]
