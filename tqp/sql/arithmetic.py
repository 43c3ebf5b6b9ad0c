"""Arithmetic: the operators of numbers, texts and lists, and their signs."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from tqp.bignums import decoded, digits_of
from tqp.errors import BindError, InternalError, UnsupportedError
from tqp.functions.unify import is_plain_integer
from tqp.ir.expr import Expr, Literal
from tqp.ir.inputs import derived
from tqp.sql import literals
from tqp.sql.expr import ExprBinder, handles, named
from tqp.sql.operators import call, cast
from tqp.sql.stand_ins import PLUS
from tqp.sql.unread import taken
from tqp.types import BIGINT, BIGNUM, DOUBLE, INTEGER, INTERVAL, NULL, VARCHAR, VARIANT, Kind

__all__: list[str] = []

_SIGNS: Final = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.DPipe)

_JOINED_AS_LISTS: Final = frozenset({Kind.LIST, Kind.ARRAY})
"""Of other nested values `||` joins the texts."""


@handles(*_SIGNS)
def _arithmetic(binder: ExprBinder, node: exp.Binary) -> Expr:
    spine: list[exp.Binary] = []
    current: exp.Expr = node
    while isinstance(current, _SIGNS):
        spine.append(current)
        current = current.this
    if isinstance(current, exp.Not):
        # DuckDB negates the whole: the parser takes NOT a IS NULL for an operand.
        raise UnsupportedError("NOT before an operator is not supported", hint="put parentheses: NOT (…)")
    result = binder.bind(current)
    for step in reversed(spine):
        right = binder.bind(step.expression)
        with binder.context.at(step):
            result = _operated(step, result, right)
            binder.context.stands(result, step)
    return result


def _operated(node: exp.Binary, left: Expr, right: Expr) -> Expr:
    if VARIANT in (left.dtype, right.dtype) and not isinstance(node, exp.DPipe):
        left, right = _numbers(node, left, right)
    if isinstance(node, exp.Div):
        return _quotient(node, left, right)
    sides = (left, right)
    if isinstance(node, exp.DPipe) and any(side.dtype == NULL for side in sides):
        return Literal(None, NULL)
    if any(side.dtype.is_nested for side in sides):
        if isinstance(node, exp.DPipe) and not any(side.dtype.kind in _JOINED_AS_LISTS for side in sides):
            return call(node.key, *[cast(side, VARCHAR) if side.dtype.is_nested else side for side in sides])
        if isinstance(node, exp.Add) and not all(
            side.dtype.kind in _JOINED_AS_LISTS or side.dtype == NULL for side in sides
        ):
            hint = "list_transform(list, lambda x: x + 1) computes with each element"
            raise BindError(f"there is no {left.dtype} + {right.dtype}", hint=hint)
        # `+` of lists leaves out a NULL, `||` does not.
        name = {"dpipe": "list_joined", "add": "list_concat"}.get(node.key, node.key)
        return call(name, left, right)
    return call(node.key, *sides)


def _numbers(node: exp.Binary, left: Expr, right: Expr) -> tuple[Expr, Expr]:
    """Operands of which one is VARIANT, which DuckDB casts by itself: to the type of the other number, of two to BIGINT."""
    of = next((side.dtype for side in (left, right) if side.dtype not in (VARIANT, NULL)), BIGINT)
    if isinstance(node, exp.Div) and (of.is_integer or of.is_decimal):
        of = DOUBLE
    if not of.is_integer and not of.is_float:
        hint = "cast the VARIANT to the type that is meant: v::INTEGER"
        raise BindError(f"{left.dtype} and {right.dtype} do not go together here", hint=hint)
    sides = [cast(side, of) if side.dtype == VARIANT else side for side in (left, right)]
    return sides[0], sides[1]


def _quotient(node: exp.Div, left: Expr, right: Expr) -> Expr:
    """`/` as the text's dialect means it.

    Where that is `typed`, integers give an integer and zero is no divisor, as for DuckDB's `//`; where it is `safe`, a
    quotient by zero is NULL.
    """
    name = "intdiv" if node.args.get("typed") else "div"
    return call(name, left, call("nullif", right, Literal(0, INTEGER)) if node.args.get("safe") else right)


@named(PLUS)
def _positive(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    value = binder.bind(node.expressions[0])
    if value.dtype in (NULL, BIGNUM):
        return cast(value, BIGINT if value.dtype == NULL else DOUBLE)
    if not value.dtype.is_numeric:
        raise binder.context.error(node, f"+ is of a number, not of {value.dtype}")
    return value


@handles(exp.Neg)
def _negative(binder: ExprBinder, node: exp.Neg) -> Expr:
    inner = node.this
    if isinstance(inner, exp.Literal) and not inner.is_string:
        found = taken(inner)
        return literals.number(inner.this, negative=True) if found is None else derived(_negated, found)
    value = binder.bind(inner)
    if isinstance(value, Literal) and not value.is_null and (is_plain_integer(value) or value.dtype == INTERVAL):
        return derived(_negated, value)
    return call("neg", value)


def _negated(literal: Literal) -> Literal:
    match literal.value:
        case (int(months), int(days), int(micros)):
            return Literal((-months, -days, -micros), literal.type)
        case bytes(value):
            return literals.number(digits_of(abs(decoded(value))), negative=decoded(value) > 0)
        case int(value) if literal.type.is_integer:
            # The least integer of a type has a spelling that is beyond it.
            return literals.number(str(abs(value)), negative=value > 0)
        case int(value) | float(value):
            return Literal(-value, literal.type)
        case other:
            raise InternalError(f"{other!r} is no number")
