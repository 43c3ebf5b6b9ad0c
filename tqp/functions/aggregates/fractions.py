"""Fractions that quantiles ask for: a number or a list of them, from 0 to 1, or from -1 where they count from above."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.nested import elements, lengths, of_lengths
from tqp.errors import BindError, ExecutionError
from tqp.functions.aggregates.grouped import Collect, Grouped
from tqp.functions.align import concat
from tqp.functions.bind import bind
from tqp.functions.casts.cast import cast
from tqp.functions.nested import LIST
from tqp.functions.registry import Args, Signature, scalar
from tqp.functions.unify import is_null_literal, is_text_literal
from tqp.ir.expr import Call, Expr, Literal, SortKey
from tqp.ir.inputs import decide, derived
from tqp.ir.visit import symbols
from tqp.kernels import reduce, waits
from tqp.kernels.rows import select
from tqp.types import DOUBLE, DType, Kind, list_of

__all__ = [
    "as_double",
    "for_each",
    "fraction_of",
    "fraction_type",
    "of_values_in_order",
    "require_within",
    "type_for_each",
]

_ALL_FROM_ABOVE: Final = "fractions from above"
_EXACT_SCALE = 9
"""Fractions of so many digits are taken as they are written, times a number of rows within 64 bits."""


def fraction_type(args: tuple[Expr, ...], name: str, least: int) -> DType:
    """The type of the fraction, the second argument: as it is written, else DOUBLE.

    BindError where it is no constant from `least` to 1.
    """
    if len(args) == 1:
        raise BindError(f"{name} needs a fraction", hint=f"{name}(x, 0.5) is the one in the middle")
    if len(args) != 2:
        raise BindError(f"{name} takes a value and a fraction, not {len(args)} arguments")
    fraction = args[1]
    if fraction.dtype.kind is Kind.LIST and fraction.dtype.element is not None:
        return _list_of_fractions(fraction, fraction.dtype.element, name, least)
    if is_text_literal(fraction) or not (fraction.dtype.is_numeric or fraction.dtype.kind is Kind.NULL):
        raise BindError(f"the fraction of {name} is a number, not {fraction.dtype}")
    if symbols(fraction):
        raise BindError(f"the fraction of {name} must be a constant")
    if isinstance(fraction, Literal):
        if fraction.is_null:
            raise BindError(f"the fraction of {name} must not be NULL")
        if not decide(_is_within, fraction, rest=(least,)):
            raise BindError(f"the fraction of {name} lies between {least} and 1")
        if fraction.dtype.is_exact and fraction.dtype.scale <= _EXACT_SCALE:
            return fraction.dtype
    return DOUBLE


def _list_of_fractions(fractions: Expr, element: DType, name: str, least: int) -> DType:
    """As `fraction_type`, for a list of them."""
    if symbols(fractions):
        raise BindError(f"the fractions of {name} must be constants")
    if is_null_literal(fractions):
        raise BindError(f"the fractions of {name} must not be NULL")
    if not (element.is_numeric or element.kind is Kind.NULL):
        raise BindError(f"the fractions of {name} are numbers, not {element}")
    if isinstance(fractions, Call) and fractions.function == LIST:
        require_within(fractions.args, least)
    return fractions.dtype if element.is_exact and element.scale <= _EXACT_SCALE else list_of(DOUBLE)


def type_for_each(value: DType, fraction: DType) -> DType:
    """The type of the result for a fraction, or for a list of them."""
    return list_of(value) if fraction.kind is Kind.LIST else value


def _is_within(literal: Literal, least: int) -> bool:
    value = literal.value
    assert isinstance(value, int | float)
    unit = 10**literal.type.scale if literal.type.is_exact else 1
    return least * unit <= value <= unit


def _negated(literal: Literal) -> Literal:
    value = literal.value
    assert isinstance(value, int | float)
    return Literal(-value, literal.type)


def _sign(literal: Literal) -> int:
    value = literal.value
    assert isinstance(value, int | float)
    return (value > 0) - (value < 0)


def _is_zero(literal: Literal) -> bool:
    return literal.value == 0


def _whole(literal: Literal) -> Literal:
    """A fraction of 1, in place of one of 0."""
    dtype = literal.type
    if dtype.is_exact and (not dtype.is_decimal or dtype.precision > dtype.scale):
        return Literal(10**dtype.scale, dtype)
    return Literal(1.0, DOUBLE)


def of_values_in_order(args: tuple[Expr, ...], key: SortKey) -> tuple[Expr, ...]:
    """quantile(fraction ORDER BY x) and quantile(x, fraction ORDER BY …): from above where the order descends."""
    if len(args) == 1:
        args = (key.expr, *args)
    if len(args) != 2:
        return args
    fraction_type(args, "a percentile", 0)
    if not key.descending:
        return args
    fraction = args[1]
    if fraction.dtype.kind is not Kind.LIST:
        return args[0], _from_above(fraction)
    if not isinstance(fraction, Call) or fraction.function != LIST:
        return args[0], bind(_ALL_FROM_ABOVE, fraction)
    parts = fraction.args
    require_within(parts)
    if all(isinstance(part, Literal) and decide(_is_zero, part) for part in parts):
        return args[0], bind(LIST, *map(_from_above, parts))
    return args[0], bind(LIST, *map(_negative, parts))


def require_within(fractions: Sequence[Expr], least: int = 0) -> None:
    """BindError for literals that are no fractions from `least` to 1, or whose signs differ."""
    literals = [one for one in fractions if isinstance(one, Literal)]
    if any(one.is_null for one in literals):
        raise BindError("a fraction of a quantile must not be NULL")
    if not all(decide(_is_within, one, rest=(least,)) for one in literals):
        raise BindError(f"the fractions of a quantile lie between {least} and 1")
    if len({sign for one in literals if (sign := decide(_sign, one))}) > 1:
        raise BindError("the fractions of a quantile have one sign")


def _list_types(args: tuple[Expr, ...]) -> Signature:
    if len(args) != 1 or args[0].dtype.kind is not Kind.LIST or args[0].dtype.element is None:
        raise BindError("the fractions of a percentile are a list")
    dtype = _list_of_fractions(args[0], args[0].dtype.element, "a percentile", 0)
    return (dtype,), dtype


@scalar(_ALL_FROM_ABOVE, types=_list_types)
def _all_from_above(args: Args, out: DType) -> Column:
    """Lists of fractions as fractions from the greatest value on: negative ones, or where all are 0 as many of 1, which is the
    greatest value, too. ExecutionError for one that is none."""
    (lists,) = args
    rows = lists.expand(1) if lists.is_constant else lists
    owners, fractions = elements(rows)
    numbers = as_double(fractions)
    wrong = ~((numbers >= 0) & (numbers <= 1))
    if fractions.valid is not None:
        wrong &= fractions.valid
    if waits.truth(wrong.any(), "a fraction out of range is an error"):
        raise ExecutionError("a fraction of a percentile lies between 0 and 1")
    are_zero = reduce.count(owners[numbers != 0], len(rows)) == 0
    own = fractions.data.long() if fractions.dtype.is_exact else fractions.data
    data = torch.where(are_zero.index_select(0, owners), 10**fractions.dtype.scale, -own)
    found = of_lengths(lengths(rows), replace(fractions, data=data, bounds=None), out, rows.valid)
    return replace(found, data=found.data[0], valid=lists.valid) if lists.is_constant else found


def _from_above(fraction: Expr) -> Expr:
    """A fraction from the greatest value on: negative, except for 0, the greatest value itself, whose sign would be lost."""
    if isinstance(fraction, Literal) and decide(_is_zero, fraction):
        return derived(_whole, fraction)
    return _negative(fraction)


def _negative(fraction: Expr) -> Expr:
    return derived(_negated, fraction) if isinstance(fraction, Literal) else bind("neg", fraction)


def fraction_of(rows: Grouped) -> Column:
    """The fraction, of one row; the call has rows. ExecutionError where it was computed and is none."""
    column = rows.args[1].slice(0, 1)
    if column.dtype == DOUBLE:
        wrong = ~(column.data.abs() <= 1)
        if waits.truth(wrong.any(), "a fraction out of range is an error"):
            raise ExecutionError("the fraction of a quantile lies between -1 and 1")
    return column


def _with_one_sign(fractions: Column) -> Column:
    """Fractions (f,) that all count from below, or from above where one is negative: then 0 is the greatest value, as 1 from below.

    ExecutionError for a NULL among them, one out of range, and signs that differ.
    """
    if fractions.valid is not None and not waits.truth(fractions.valid.all(), "a NULL fraction is an error"):
        raise ExecutionError("a fraction of a quantile must not be NULL")
    numbers = as_double(fractions)
    descends = (numbers < 0).any()
    wrong = (~(numbers.abs() <= 1)).any() | (descends & (numbers > 0).any())
    if waits.truth(wrong, "a fraction out of range is an error"):
        raise ExecutionError("the fractions of a quantile lie between -1 and 1 and have one sign")
    unit = 10**fractions.dtype.scale
    wide_enough = fractions.data.long() if fractions.dtype.is_exact else fractions.data
    data = torch.where(descends & (numbers == 0), unit, wide_enough)
    return replace(fractions, data=data, valid=None, bounds=(-unit, unit) if fractions.dtype.is_exact else None)


def for_each(collect: Collect) -> Collect:
    """An aggregate for a fraction, or for each one of a list of fractions."""

    def collected_for_each(rows: Grouped) -> Column:
        if rows.args[1].dtype.kind is not Kind.LIST or not rows.rows:
            return collect(rows)
        assert rows.dtype.element is not None
        _, fractions = elements(rows.args[1].slice(0, 1))
        fractions = _with_one_sign(fractions)
        count = len(fractions)
        some = select(rows.counts > 0)
        each = [
            replace(
                rows, args=(rows.args[0], fractions.slice(place, place + 1), *rows.args[2:]), dtype=rows.dtype.element
            )
            for place in range(count)
        ]
        parts = [collect(one).take(some) for one in each] or [
            replace(rows, dtype=rows.dtype.element).nothing().slice(0, 0)
        ]
        length = some.shape[0]
        child = concat(parts, [length] * count or [0])
        turned = torch.arange(length * count, device=rows.device).view(count, length).t().reshape(-1)
        valid = rows.counts > 0
        return of_lengths(torch.where(valid, count, 0), child.take(turned), rows.dtype, valid)

    return collected_for_each


def as_double(column: Column) -> Tensor:
    """The numbers as float64."""
    return cast(column, DOUBLE, False).data
