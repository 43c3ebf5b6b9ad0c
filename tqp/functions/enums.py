"""Functions of ENUMs."""

from __future__ import annotations

from dataclasses import replace

from tqp.data.column import Column
from tqp.errors import BindError
from tqp.functions.registry import Args, Signature, expect, scalar
from tqp.ir.expr import Expr
from tqp.types import UINTEGER, USMALLINT, UTINYINT, DType, Kind

__all__ = ["require_enum"]

_BYTE, _WORD = 255, 65_535


def require_enum(args: tuple[Expr, ...], name: str) -> DType:
    """The ENUM that is the type of the one argument; BindError where it is none."""
    expect(args, 1, name)
    if args[0].dtype.kind is not Kind.ENUM:
        raise BindError(f"{name} takes an ENUM, not {args[0].dtype}")
    return args[0].dtype


def _code_types(args: tuple[Expr, ...]) -> Signature:
    dtype = require_enum(args, "enum_code")
    size = len(dtype.labels)
    return (dtype,), UTINYINT if size <= _BYTE else USMALLINT if size <= _WORD else UINTEGER


@scalar("enum_code", types=_code_types)
def _code(args: Args, out: DType) -> Column:
    return replace(args[0], dtype=out)
