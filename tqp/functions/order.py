"""Values as integers that compare as they do: what joins, groups, sorts and comparisons of nested values build on."""

from __future__ import annotations

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.layout import Bounds
from tqp.data.nested import below, field, lengths
from tqp.errors import InternalError, UnsupportedError
from tqp.functions.compared import compared
from tqp.kernels import sequences, sort
from tqp.kernels.division import floor_div, floor_rest
from tqp.kernels.group import float_key, group_ids_multi, row_ids
from tqp.types import VARIANT, Kind

__all__ = ["digits", "identities", "lasting_digits", "order_digits", "ranks", "value_digits"]

_MONTH, _DAY = 30, 86_400_000_000

_RANGE = 2**20
"""Elements of so small a range need no numbers: three of them are one number that fits 62 bits."""


def digits(column: Column) -> list[tuple[Tensor, Bounds | None]]:
    """Integer tensors (n,) that are equal together exactly where the values are, with their bounds if known.

    Of values that have children there are none that say the same of all columns: these are numbered by `ranks`.
    """
    data = column.data
    if column.dtype.kind is Kind.INTERVAL:
        # As DuckDB compares intervals: a month is 30 days, a day 24 hours.
        days = data[:, 0] * _MONTH + data[:, 1]
        micros = data[:, 2]
        return [(days + floor_div(micros, _DAY), None), (floor_rest(micros, _DAY), (0, _DAY - 1))]
    if column.dtype.is_array:
        keys = float_key(data) if data.dtype.is_floating_point else data
        return [(key, None) for key in keys.unbind(-1)]
    if column.dtype == VARIANT:
        raise UnsupportedError("VARIANT is no key here", hint="cast it to the type that it has: v::INTEGER")
    if column.dtype.has_children:
        raise InternalError(f"{column.dtype} has no digits")
    if column.dtype.is_float:
        return [(float_key(data), None)]
    if data.dtype == torch.bool:
        return [(data.to(torch.int8), (0, 1))]
    if column.is_wide:
        return [(data[:, 0], None), (data[:, 1], None)]
    return [(data, column.bounds)]


def order_digits(column: Column, descending: bool = False, nulls_first: bool = False) -> list[Tensor]:
    """Integer tensors (n,) whose ascending lexicographic order is that of the values, among these rows.

    In a nested value NULL is the greatest, whatever the place of the column's own NULLs.
    """
    column = compared(column).in_order()
    if column.dtype.has_children:
        parts = [ranks(column)]
    elif column.dtype.kind is Kind.INTERVAL or column.dtype.is_array:
        parts = [digit for digit, _ in digits(column)]
    else:
        low, high = column.bounds or (None, None)
        return sort.order_key(column.data, column.valid, descending, nulls_first, low, high)
    return [key for part in parts for key in sort.order_key(part, column.valid, descending, nulls_first)]


def value_digits(column: Column) -> list[Tensor]:
    """Integer tensors (n,) that are equal together where the values are, among these rows, or both are NULL."""
    if column.dtype.is_array:
        return _with_null([row_ids(column.data)], column)
    if column.dtype.has_children:
        return _with_null([identities(column)], column)
    return lasting_digits(column)


def lasting_digits(column: Column) -> list[Tensor]:
    """`value_digits` that say the same of all columns of one layout; of an array a digit for each element."""
    return _with_null([digit for digit, _ in digits(compared(column).canonical())], column)


def _with_null(parts: list[Tensor], column: Column) -> list[Tensor]:
    if column.valid is None:
        return parts
    blank = [torch.where(column.valid, part, torch.zeros((), dtype=part.dtype, device=part.device)) for part in parts]
    return [*blank, column.valid.to(torch.int8)]


def identities(column: Column) -> Tensor:
    """Numbers >= 0 (n,) int64 that are equal just where the values of a nested column (n,) are; of a NULL they mean nothing.

    Cost: a look into a hash table for each value in it, and half as many again, … of lists.
    """
    if column.dtype.is_record:
        fields = [field(column, place) for place in range(len(column.children))]
        parts = [part for one in fields for part in value_digits(one)]
        return _numbered(parts, False) if parts else torch.zeros_like(column.data)
    values = compared(below(column))
    codes = _within_bounds(values.canonical())
    if codes is None:
        codes = _numbered(value_digits(values), False)
    return sequences.ranks(lengths(column), codes, False)


def ranks(column: Column) -> Tensor:
    """Numbers >= 0 (n,) int64 that order as the values of a nested column (n,) do, equal just where these are.

    What they say of a row that is NULL means nothing. Cost: a sort of all values in it, see `sequences.ranks`.
    """
    if column.dtype.is_record:
        fields = [field(column, place) for place in range(len(column.children))]
        parts = [part for one in fields for part in order_digits(one)]
        return _numbered(parts) if parts else torch.zeros_like(column.data)
    values = compared(below(column))
    codes = _within_bounds(values.in_order())
    return sequences.ranks(lengths(column), _numbered(order_digits(values)) if codes is None else codes)


def _within_bounds(column: Column) -> Tensor | None:
    """What a column (n,) of a known, small range has above its least value, int64: one number for a value, which orders as values
    do, NULL as the greatest; None of other columns. A pass or two, where dense numbers take a table or a sort."""
    bounds = (0, 1) if column.data.dtype is torch.bool else column.bounds
    if column.has_elements or column.dtype.has_children or bounds is None or bounds[1] - bounds[0] >= _RANGE:
        return None
    codes = column.data.long() - bounds[0]
    if column.valid is None:
        return codes
    return torch.where(column.valid, codes, bounds[1] - bounds[0] + 1)


def _numbered(parts: list[Tensor], ordered: bool = True) -> Tensor:
    """Integers (n,) as dense numbers that are equal where these are together, and order as they do if `ordered`."""
    return group_ids_multi(parts, ordered=ordered)[0]
