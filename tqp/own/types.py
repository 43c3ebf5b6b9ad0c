"""How values of a SQL type come to functions of tensors, and which arguments a function takes without a cast."""

from __future__ import annotations

from typing import Final

import torch

from tqp.data.layout import ELEMENTS
from tqp.errors import BindError, with_article
from tqp.functions.registry import TypeRule
from tqp.functions.unify import is_plain_integer, is_text_literal, unify
from tqp.ir.expr import ColumnRef, Expr, Literal
from tqp.ir.visit import walk
from tqp.types import NULL, DType, Kind, integer_range

__all__ = ["limits_of", "tensor_dtype", "type_rule"]

_TENSORS: Final = {
    Kind.BOOLEAN: torch.bool, Kind.DATE: torch.int32, Kind.TIME: torch.int64, Kind.TIMESTAMP: torch.int64,
    Kind.TIMESTAMPTZ: torch.int64,
} | {dtype.kind: width for dtype, width in ELEMENTS.items()}  # fmt: skip
_INT64_DIGITS: Final = 18
_DAY: Final = 86_400_000_000


def tensor_dtype(dtype: DType, name: str) -> torch.dtype:
    """The dtype of tensors of that type; BindError, which says what to take instead, where functions of tensors have none.

    Integers have the dtype of their type, unsigned ones the next wider one; DECIMAL is int64 in units of its last digit, DATE
    int32 days, TIME and TIMESTAMP int64 microseconds; an array is (n, d) of its elements.
    """
    if dtype.element is not None and dtype.is_array:
        return ELEMENTS[dtype.element]
    if dtype.is_decimal and dtype.precision <= _INT64_DIGITS:
        return torch.int64
    found = _TENSORS.get(dtype.kind)
    if found is None:
        hint = (
            'text has no tensor: take it with type="arrow" or type="python", or a number for it (length(s), a CASE)'
            if dtype.is_text
            else f'take a DOUBLE or BIGINT, or {dtype} with type="arrow" or type="python"'
        )
        raise BindError(f"{name}: {dtype} is no type of tensors", hint=hint)
    return found


def limits_of(dtype: DType) -> tuple[int, int] | None:
    """What numbers of a tensor a type has, where it has not all of its dtype."""
    if dtype.kind is Kind.TIME:
        return 0, _DAY
    if dtype.is_decimal or dtype.kind in (Kind.UTINYINT, Kind.USMALLINT, Kind.UINTEGER):
        return integer_range(dtype)
    return None


def type_rule(name: str, parameters: tuple[DType, ...], result: DType, *, each_row: bool = False) -> TypeRule:
    """The types of calls: as many arguments, each of its type or of one that it takes all values of.

    `each_row`: some argument must read a column, which says how many rows there are.
    """

    def types(args: tuple[Expr, ...]) -> tuple[tuple[DType, ...], DType]:
        if len(args) != len(parameters):
            plural = "" if len(parameters) == 1 else "s"
            raise BindError(f"{name} takes {len(parameters)} argument{plural}, not {len(args)}")
        for place, (arg, wanted) in enumerate(zip(args, parameters, strict=True), 1):
            if not _goes_as(arg, wanted):
                raise BindError(
                    f"argument {place} of {name} is {with_article(str(wanted))}, and {arg.dtype} does not become one by itself",
                    hint=f"CAST(… AS {wanted})",
                )
        if each_row and not any(isinstance(part, ColumnRef) for arg in args for part in walk(arg)):
            raise BindError(f"{name} has side effects, and is called with constants alone", hint="give it a column")
        return parameters, result

    return types


def _goes_as(arg: Expr, wanted: DType) -> bool:
    """Whether DuckDB would cast the argument without being asked: widening, constants of numbers, text constants, NULL."""
    if arg.dtype in (wanted, NULL) or is_text_literal(arg):
        return True
    if is_plain_integer(arg) and wanted.is_numeric:
        return True
    if arg.dtype.is_nested or wanted.is_nested:
        return arg.dtype.element is not None and arg.dtype.size == wanted.size
    return unify((arg, Literal(None, wanted, typed=True))) == wanted
