"""The type that arguments take together, with the freedom that literals have."""

from __future__ import annotations

from tqp.functions.promotion import common_type
from tqp.ir.expr import Expr, Literal
from tqp.types import BIGINT, BOOLEAN, HUGEINT, INTEGER, NULL, VARCHAR, DType, Kind, integer_range

__all__ = ["fits", "is_plain_integer", "is_text_literal", "unify", "unify_compared"]


def is_text_literal(expr: Expr) -> bool:
    """A string constant, which takes the type of what it meets."""
    return isinstance(expr, Literal) and expr.dtype.is_text and not expr.typed


def is_plain_integer(expr: Expr) -> bool:
    """An integer constant of the type that its spelling has, so that it takes a narrower type where it fits."""
    if not isinstance(expr, Literal) or not isinstance(expr.value, int) or isinstance(expr.value, bool) or expr.typed:
        return False
    for dtype in (INTEGER, BIGINT, HUGEINT):
        if fits(expr, dtype):
            return expr.dtype == dtype
    return False


def fits(expr: Expr, dtype: DType) -> bool:
    """Whether an integer literal lies in the range of an integer type."""
    assert isinstance(expr, Literal) and isinstance(expr.value, int)
    low, high = integer_range(dtype)
    return low <= expr.value <= high


def unify(args: tuple[Expr, ...]) -> DType | None:
    """The common type of the arguments, or None where there is none.

    As `common_type`, but a text literal takes the type of the others, and so does an integer literal that fits it.
    """
    rigid = common_type(*(arg.dtype for arg in args if not is_text_literal(arg) and not is_plain_integer(arg)))
    if rigid is None:
        return None
    result: DType | None = rigid
    for arg in args:
        if is_plain_integer(arg) and not (rigid.is_integer and fits(arg, rigid)):
            result = None if result is None else common_type(result, arg.dtype)
    if result == NULL and any(map(is_text_literal, args)):
        return VARCHAR
    if result is not None and result.kind is Kind.VARCHAR and any(not arg.dtype.is_text for arg in args):
        return result if all(arg.dtype.is_text or arg.dtype == NULL for arg in args) else None
    return result


def unify_compared(args: tuple[Expr, ...], *, numbers: bool = True) -> DType | None:
    """As `unify`, for values that are compared: text that is no literal is cast to the rest; BOOLEAN meets all `numbers`."""
    common = unify(args)
    if common is None and any(arg.dtype.is_text for arg in args):
        args = tuple(arg for arg in args if not arg.dtype.is_text)
        common = unify(args)
    if common is None and numbers:
        others = unify(tuple(arg for arg in args if arg.dtype != BOOLEAN))
        common = others if others is not None and others.is_numeric else None
    return common
