"""Signatures that many functions have."""

from __future__ import annotations

from tqp.errors import BindError, counted
from tqp.functions.registry import Signature, TypeRule
from tqp.functions.unify import is_text_literal
from tqp.ir.expr import Expr
from tqp.types import DType, Kind

__all__ = ["fixed"]


def fixed(name: str, out: DType, *wanted: DType, optional: int = 0) -> TypeRule:
    """A signature of given types, where an argument may be NULL or a text literal that is read as its type.

    The last `optional` arguments may be left out.
    """

    def types(args: tuple[Expr, ...]) -> Signature:
        if not len(wanted) - optional <= len(args) <= len(wanted):
            least = f"{len(wanted) - optional} to " if optional else ""
            raise BindError(f"{name} takes {least}{counted(len(wanted), 'argument')}, not {len(args)}")
        for position, (arg, dtype) in enumerate(zip(args, wanted, strict=False), 1):
            is_kin = dtype.is_text and arg.dtype.is_text
            fits = arg.dtype == dtype or is_kin or (arg.dtype.is_integer and not dtype.is_coded)
            fits = fits or dtype.is_float and arg.dtype.is_numeric
            if not fits and arg.dtype.kind is not Kind.NULL and not is_text_literal(arg):
                raise BindError(
                    f"argument {position} of {name} is {arg.dtype}, not {dtype}", hint=f"write CAST(... AS {dtype})"
                )
        return wanted[: len(args)], out

    return types
