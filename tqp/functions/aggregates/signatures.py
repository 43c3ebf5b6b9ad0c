"""Types of aggregates: what several families ask of their arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tqp.errors import BindError
from tqp.functions.unify import is_text_literal, untyped
from tqp.ir.expr import Expr
from tqp.types import BOOLEAN, DOUBLE, DType, Kind

__all__ = ["SEVERAL", "Types", "doubles", "number", "of_several", "pairs", "same", "truths"]

SEVERAL: Final = "{} of several rows"
"""What an aggregate that gives the best rows is called, by the name of that which gives the best one."""

Types = tuple[tuple[DType, ...], DType]


def same(args: tuple[Expr, ...]) -> Types:
    """One argument of any type, which the result has too."""
    if not args:
        raise BindError("the aggregate needs an argument")
    return (args[0].dtype,), args[0].dtype


def truths(args: tuple[Expr, ...], name: str = "bool_and and bool_or") -> Types:
    """One BOOLEAN, a BOOLEAN."""
    args = untyped(args)
    if len(args) != 1 or args[0].dtype.kind not in (Kind.BOOLEAN, Kind.NULL) and not is_text_literal(args[0]):
        raise BindError(f"{name} takes one BOOLEAN")
    return (BOOLEAN,), BOOLEAN


def doubles(args: tuple[Expr, ...]) -> Types:
    """One number as a DOUBLE, a DOUBLE."""
    number(untyped(args), "the aggregate")
    return (DOUBLE,), DOUBLE


def pairs(args: tuple[Expr, ...]) -> Types:
    """Two numbers as DOUBLE, a DOUBLE."""
    if len(args) != 2:
        raise BindError(f"the aggregate takes two arguments, not {len(args)}")
    for arg in untyped(args):
        number((arg,), "the aggregate")
    return (DOUBLE, DOUBLE), DOUBLE


def number(args: tuple[Expr, ...], name: str) -> DType:
    """The type of the one argument; BindError where that is no number."""
    if len(args) != 1:
        raise BindError(f"{name} takes one argument, not {len(args)}")
    dtype = args[0].dtype
    if dtype.kind is Kind.NULL:
        return DOUBLE
    if not dtype.is_numeric:
        raise BindError(f"{name} takes a number, not {dtype}", hint="cast the argument to a numeric type")
    return dtype


def of_several(name: str, count: int) -> Callable[[tuple[Expr, ...]], str | None]:
    """For an aggregate of `count` arguments: the name of that of several rows, which takes one more."""
    return lambda args: SEVERAL.format(name) if len(args) == count + 1 else None
