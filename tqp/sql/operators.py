"""Typed calls: constants take the type of what they meet, and what is constant already is folded."""

from __future__ import annotations

from collections.abc import Sequence

from tqp.errors import BindError
from tqp.functions.bind import bind
from tqp.functions.collations import common
from tqp.functions.fold import fold_cast, shift_instant
from tqp.functions.nested import recast
from tqp.functions.promotion import compared_type
from tqp.functions.registry import find
from tqp.functions.unify import is_text_literal, unify_compared
from tqp.functions.unify import unify as common_of
from tqp.ir.expr import Call, Case, Cast, Expr, Literal
from tqp.ir.inputs import derived
from tqp.kernels.calendar import DAY
from tqp.sql.calls_by_keys import by_keys
from tqp.sql.collations import has_key, keys_of, typed
from tqp.types import (
    BOOLEAN,
    DATE,
    INTERVAL,
    NULL,
    TIMESTAMP,
    DType,
    Kind,
)  # fmt: skip

__all__ = ["call", "cast", "choose", "condition", "flat", "negate", "unify"]


def call(name: str, *args: Expr) -> Expr:
    """The typed call of a function of the registry.

    A text constant compared with a number or date is read as one; DATE ± INTERVAL of constants is computed.
    Raises BindError for argument types that do not fit, UnsupportedError for a function that is not there.
    """
    function = find(name)
    if function.mirrored is not None:
        args = _comparable(*keys_of(args))
    elif function.of_keys is not None:
        return _with_folded_casts(by_keys(name, function.of_keys, args))
    elif name == "nullif" and any(has_key(arg.dtype) for arg in args):
        return choose([call("eq", *args)], [Literal(None, NULL)], args[0])
    elif name in ("greatest", "least"):
        common([arg.dtype for arg in args])
    folded = _fold_instant(name, args) if name in ("add", "sub") else None
    if folded is not None:
        return folded
    return _with_folded_casts(bind(name, *args))


def cast(expr: Expr, dtype: DType, safe: bool = False) -> Expr:
    """CAST or TRY_CAST; of a constant at once where that cannot fail."""
    nested = recast(expr, dtype, safe=safe)
    if nested is not None:
        return nested
    if isinstance(expr, Literal):
        folded = fold_cast(expr, dtype)
        if folded is not None:
            return folded
    return expr if expr.dtype == dtype else Cast(expr, dtype, safe)


def condition(expr: Expr) -> Expr:
    """An expression used as a truth value."""
    return expr if expr.dtype == BOOLEAN else cast(expr, BOOLEAN)


def negate(expr: Expr) -> Expr:
    """NOT of a truth value."""
    return call("not", condition(expr))


def flat(name: str, parts: Sequence[Expr]) -> Expr:
    """n-ary `and` or `or`; one part is itself."""
    parts = [condition(part) for part in parts]
    return parts[0] if len(parts) == 1 else Call(name, tuple(parts), BOOLEAN)


def choose(conditions: Sequence[Expr], values: Sequence[Expr], default: Expr) -> Expr:
    """A searched CASE whose branches take their common type, in which ELSE comes first."""
    last, *branches = unify([default, *values], "CASE")
    return Case(tuple(map(condition, conditions)), tuple(branches), last)


def unify(exprs: Sequence[Expr], where: str, text_yields: bool = False) -> list[Expr]:
    """The expressions cast to their common type.

    Text constants take the type of the rest. With `text_yields` (comparisons) text columns do, too.
    BindError where the types do not go together.
    """
    met = tuple(exprs)
    if text_yields and any(not _is_text(expr) and expr.dtype != NULL for expr in exprs):
        met = tuple(expr for expr in exprs if not _is_text(expr))
    common = unify_compared(met) if text_yields else common_of(met)
    if common is None:
        seen = ", ".join(dict.fromkeys(str(expr.dtype) for expr in exprs))
        raise BindError(f"types {seen} do not go together in {where}", hint="cast one side")
    if text_yields:
        common = compared_type(common, *(expr.dtype for expr in exprs))
    return [typed(cast(expr, common), common) for expr in exprs]


def _is_text(expr: Expr) -> bool:
    return expr.dtype.is_text or expr.dtype.kind is Kind.ENUM


def _comparable(left: Expr, right: Expr) -> tuple[Expr, Expr]:
    left, right = _meet(left, right), _meet(right, left)
    return _as_date(left, right), _as_date(right, left)


def _meet(expr: Expr, other: Expr) -> Expr:
    """A text constant as the type of what it is compared with."""
    if is_text_literal(expr) and not _is_text(other) and other.dtype != NULL:
        return cast(expr, other.dtype)
    return expr


def _as_date(expr: Expr, other: Expr) -> Expr:
    """A constant midnight compared with a DATE as that date: the same answer without a cast of every row."""
    if other.dtype != DATE or not isinstance(expr, Literal) or expr.type != TIMESTAMP:
        return expr
    return derived(_midnight, expr) or expr


def _midnight(literal: Literal) -> Literal | None:
    value = literal.value
    return Literal(value // DAY, DATE) if isinstance(value, int) and value % DAY == 0 else None


def _fold_instant(name: str, args: tuple[Expr, ...]) -> Expr | None:
    if len(args) != 2:
        return None
    left, right = args
    if name == "add" and left.dtype == INTERVAL:
        left, right = right, left
    if left.dtype not in (DATE, TIMESTAMP) or right.dtype != INTERVAL:
        return None
    if not isinstance(left, Literal) or not isinstance(right, Literal):
        return None
    return shift_instant(left, right, -1 if name == "sub" else 1)


def _with_folded_casts(expr: Expr) -> Expr:
    if not isinstance(expr, Call):
        return expr
    changed = False
    args = list(expr.args)
    for index, arg in enumerate(args):
        if isinstance(arg, Cast) and isinstance(arg.arg, Literal) and not arg.safe:
            folded = fold_cast(arg.arg, arg.type)
            if folded is not None:
                args[index], changed = folded, True
    return expr.with_children(tuple(args)) if changed else expr
