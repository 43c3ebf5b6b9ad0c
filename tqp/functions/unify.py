"""The type that arguments take together, with the freedom that literals have."""

from __future__ import annotations

from collections.abc import Callable

from tqp.functions.promotion import common_type, forced_type
from tqp.ir.expr import Cast, Expr, Literal
from tqp.ir.inputs import decide
from tqp.types import BIGINT, BIT, BOOLEAN, HUGEINT, INTEGER, JSON, NULL, VARCHAR, DType, Kind, integer_range

__all__ = [
    "fits",
    "is_null_literal",
    "is_plain_integer",
    "is_text_literal",
    "of_bits",
    "unify",
    "unify_compared",
    "untyped",
]


def is_null_literal(expr: Expr) -> bool:
    """Whether NULL is written there, with a type or without one."""
    while isinstance(expr, Cast):
        expr = expr.arg
    return isinstance(expr, Literal) and expr.is_null


def is_text_literal(expr: Expr) -> bool:
    """A string constant, which takes the type of what it meets."""
    return isinstance(expr, Literal) and expr.dtype.is_text and not expr.typed


def of_bits(name: str) -> Callable[[tuple[Expr, ...]], str | None]:
    """The name of the function or aggregate that another one is of BIT."""
    return lambda args: name if any(arg.dtype == BIT for arg in args) else None


def untyped(args: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """The arguments of a function that has one type for each of them: a text literal fits any, as NULL does."""
    return tuple(Literal(None, NULL) if is_text_literal(arg) else arg for arg in args)


def is_plain_integer(expr: Expr) -> bool:
    """An integer constant of the type that its spelling has, so that it takes a narrower type where it fits."""
    if not isinstance(expr, Literal) or not expr.dtype.is_integer or expr.is_null or expr.typed:
        return False
    return decide(_is_spelled, expr)


def _is_spelled(literal: Literal) -> bool:
    return next((dtype for dtype in (INTEGER, BIGINT, HUGEINT) if _fits(literal, dtype)), None) == literal.type


def fits(expr: Expr, dtype: DType) -> bool:
    """Whether an integer literal lies in the range of an integer type."""
    assert isinstance(expr, Literal)
    return decide(_fits, expr, rest=(dtype,))


def _fits(literal: Literal, dtype: DType) -> bool:
    assert isinstance(literal.value, int)
    low, high = integer_range(dtype)
    return low <= literal.value <= high


def unify(args: tuple[Expr, ...]) -> DType | None:
    """The common type of the arguments, or None where there is none.

    As `common_type`, in the order of the arguments, but a literal takes the type of the first that it meets: of a text literal
    any, of an integer literal that of integers in whose range it lies. One that meets a NULL or its like keeps its own.
    """
    if not args:
        return NULL
    first, *others = args
    common: DType | None = first.dtype
    free: Expr | None = first
    for arg in others:
        common = None if common is None else _met(common, free, arg)
        free = None
    return common


def _met(common: DType, free: Expr | None, arg: Expr) -> DType | None:
    """What `common` and one more argument are together; `free` is the expression whose type `common` is, if it is just one."""
    if NULL in (common, arg.dtype):
        return common_type(common, arg.dtype)
    if is_text_literal(arg):
        return _beside_text(common)
    if free is not None and is_text_literal(free):
        return _beside_text(arg.dtype)
    literals = [expr is not None and is_plain_integer(expr) for expr in (free, arg)]
    if literals == [False, True] and common.is_integer and fits(arg, common):
        return common
    if literals == [True, False] and free is not None and arg.dtype.is_integer and fits(free, arg.dtype):
        return arg.dtype
    return common_type(common, arg.dtype)


def _beside_text(dtype: DType) -> DType:
    """What a value and a text literal are together: the literal takes the type, but an ENUM becomes text."""
    return VARCHAR if dtype.kind is Kind.ENUM else dtype


def unify_compared(args: tuple[Expr, ...], *, equality: bool = True) -> DType | None:
    """As `unify`, for values that are compared.

    Where only equality is asked for, text that is no literal is cast to the rest, BOOLEAN meets all numbers, and nested values
    meet others by what is in them, as in a set operation. Text is in order with JSON only.
    """
    common = unify(args)
    if common in ((None, JSON) if equality else (JSON,)) and any(arg.dtype.is_text for arg in args):
        rest = tuple(arg for arg in args if not arg.dtype.is_text)
        if common is None or any(arg.dtype != NULL for arg in rest):
            args = rest
            common = unify(args)
    if common is None and equality:
        others = unify(tuple(arg for arg in args if arg.dtype != BOOLEAN))
        common = others if others is not None and others.is_numeric else None
    if common is None and equality and args and all(arg.dtype.is_nested for arg in args):
        common = forced_type(*(arg.dtype for arg in args))
    return common
