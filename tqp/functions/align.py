"""Bring columns of one SQL type into one layout: same width, same dictionary. Concatenate and merge them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.copies import placed
from tqp.data.dictionary import Dictionary, Move, String, Union, joined, of_strings, standing_for_null
from tqp.data.layout import Bounds, Encoding, narrowest
from tqp.interrupt import checkpoint
from tqp.kernels import wide
from tqp.types import Kind, stored_range

__all__ = ["align", "concat", "merge_rows"]

_APPENDED = 4
"""More constants than these are a dictionary of their own, and not put into another one after the other."""


def align(columns: Sequence[Column]) -> list[Column]:
    """The columns in a common layout (width, dictionary, bounds), so that their tensors may be concatenated.

    All are of one SQL type, or NULL-typed. Costs nothing where the layouts agree already.
    """
    typed = next((column for column in columns if column.dtype.kind is not Kind.NULL), columns[0])
    columns = [_typed_null(column, typed) for column in columns]
    if typed.dtype.is_coded:
        columns = _one_dictionary(columns, standing_for_null(typed.dtype))
    elif typed.dtype.has_children:
        return _over_one(columns)
    bounds = _common_bounds(columns)
    if typed.dtype.is_ordinal and any(column.is_wide for column in columns):
        if bounds is None or narrowest(*bounds) is None:
            return [_wide(column, bounds) for column in columns]
        # The wide ones are NULL in all rows.
        columns = [
            replace(c, data=c.data[..., 1], bounds=None, encoding=Encoding.FLAT) if c.is_wide else c for c in columns
        ]
    dtype = columns[0].data.dtype
    for column in columns[1:]:
        dtype = torch.promote_types(dtype, column.data.dtype)
    return [
        column
        if column.data.dtype == dtype and column.bounds == bounds
        else replace(column, data=column.data.to(dtype), bounds=bounds)
        for column in columns
    ]


def _wide(column: Column, bounds: Bounds | None) -> Column:
    data = column.data if column.is_wide else wide.from_narrow(column.data)
    return replace(column, data=data, bounds=bounds, encoding=Encoding.WIDE)


def _typed_null(column: Column, typed: Column) -> Column:
    if column.dtype.kind is not Kind.NULL or typed.dtype.kind is Kind.NULL:
        return column
    data = column.data
    if typed.dtype.has_children:
        shape = (*data.shape, 2) if typed.has_elements else data.shape
        zeros = torch.zeros(shape, dtype=torch.int64, device=column.device)
        return replace(typed, data=zeros, valid=column.valid)
    if typed.dtype.kind is Kind.INTERVAL or typed.dtype.is_array:
        data = data.unsqueeze(-1).expand(*data.shape, typed.data.shape[-1]).to(typed.data.dtype)
    elif not typed.is_wide:
        data = data.to(typed.data.dtype)
    else:
        data = data.long()
    bounds = (0, 0) if typed.bounds is not None else None
    return Column(torch.zeros_like(data), typed.dtype, column.valid, typed.dictionary, bounds)


def _common_bounds(columns: Sequence[Column]) -> Bounds | None:
    low, high = None, None
    for column in columns:
        if column.bounds is None:
            if _is_null(column):
                continue
            return None
        low = column.bounds[0] if low is None else min(low, column.bounds[0])
        high = column.bounds[1] if high is None else max(high, column.bounds[1])
    return None if low is None or high is None else (low, high)


def _is_null(column: Column) -> bool:
    """Whether a column without bounds is a constant NULL, which has no values; no look at the device.

    A NULL is stored as 0, in a byte. What a kernel made of constants, which may be NULL, is as wide as its type.
    """
    if not column.is_constant or column.valid is None or column.data.dtype is not torch.int8:
        return False
    return column.dtype.is_ordinal and narrowest(*stored_range(column.dtype)) is not torch.int8


def _one_dictionary(columns: Sequence[Column], blank: Dictionary) -> list[Column]:
    """The columns with one dictionary, which is the same one for the same dictionaries and constants as long as somebody has it.

    `blank` is that of a constant NULL.
    """
    first = columns[0].dictionary
    if all(column.dictionary is first for column in columns):
        if first is None or first is blank:
            return list(columns)
        # A constant is as narrow as it is beside an equal one that has a dictionary of its own.
        return [column if (text := _text(column)) is None else _constant(column, first, text) for column in columns]
    texts = [None if column.dictionary is blank else _text(column) for column in columns]
    strings = list(dict.fromkeys([text for text in texts if text is not None]))
    parts: dict[Dictionary, None] = {}
    for column, text in zip(columns, texts, strict=True):
        own = column.dictionary
        if text is None and own is not None and own is not blank and len(own):
            parts[own] = None
    if strings and (not parts or len(strings) > _APPENDED):
        parts[of_strings(strings)] = None
    union, found = _union(list(parts)) if parts else (blank, ())
    moves = dict(zip(parts, found, strict=True))
    result = [
        column if text is not None else _moved(column, union, moves)
        for column, text in zip(columns, texts, strict=True)
    ]
    for string in strings:
        longer, code = union.extended(string)
        if longer is not union:
            pairs = zip(result, texts, strict=True)
            result = [column if text is not None else _with_one_more(column, longer, code) for column, text in pairs]
            union = longer
    return [
        column if text is None else _constant(column, union, text) for column, text in zip(result, texts, strict=True)
    ]


def _text(column: Column) -> String | None:
    """The string of a constant; None of other columns."""
    dictionary = column.dictionary
    if dictionary is None or not column.is_constant or len(dictionary) != 1:
        return None
    found: String = dictionary.values[0].as_py()
    return found


def _union(parts: list[Dictionary]) -> Union:
    match parts:
        case [one]:
            return one, (0,)
        case [one, other]:
            return one.united(other)
        case _:
            return joined(parts)


def _moved(column: Column, union: Dictionary, moves: dict[Dictionary, Move]) -> Column:
    """The column with codes of the union; where it has no strings, so that all rows are NULL, these are 0."""
    own = column.dictionary
    if own is union:
        return column
    move = None if own is None else moves.get(own)
    if move is None:
        return replace(column, data=torch.zeros_like(column.data), dictionary=union, bounds=(0, 0))
    codes = column.data.int()
    if isinstance(move, int):
        return replace(column, data=codes + move, dictionary=union, bounds=union.bounds)
    # Subscripts by a tensor without dimensions wait for it.
    data = placed(move, column.device).index_select(0, codes.reshape(-1)).reshape(codes.shape)
    return replace(column, data=data, dictionary=union, bounds=union.bounds)


def _with_one_more(column: Column, longer: Dictionary, code: int) -> Column:
    """The column with codes of a dictionary that has one more string, of that code."""
    if code == len(longer) - 1:
        return replace(column, dictionary=longer)
    codes = column.data.int()
    return replace(column, data=codes + (codes >= code), dictionary=longer, bounds=longer.bounds)


def _constant(column: Column, union: Dictionary, text: String) -> Column:
    """A constant with the code that it has in the union."""
    code = union.find(text)
    assert code is not None
    width = narrowest(*union.bounds)
    assert width is not None
    data = torch.full((), code, dtype=width, device=column.device)
    return replace(column, data=data, dictionary=union, bounds=(code, code))


def _over_one(columns: Sequence[Column]) -> list[Column]:
    """Nested columns with the same children: those of all of them, below one another."""
    heaps = {id(column.children): column.children for column in columns}
    if len(heaps) == 1:
        return list(columns)
    # A struct without fields points at rows that need not be there.
    sizes = [len(children[0]) if children else 0 for children in heaps.values()]
    joined = tuple([concat(parts, sizes) for parts in zip(*heaps.values(), strict=True)])
    # Without rows of its own a NULL points at the first of all.
    starts = {key: size and start for key, size, start in zip(heaps, sizes, accumulate(sizes, initial=0), strict=False)}
    return [_shifted(column, starts[id(column.children)], joined) for column in columns]


def _shifted(column: Column, start: int, children: tuple[Column, ...]) -> Column:
    """The column with children of which its own begin at row `start`."""
    data = column.data
    if start:
        step = (start, 0) if column.has_elements else start
        data = data + torch.tensor(step, dtype=torch.int64, device=column.device)
    return replace(column, data=data, children=children)


def concat(columns: Sequence[Column], lengths: Sequence[int]) -> Column:
    """The columns below one another; constants count `lengths[i]` rows."""
    checkpoint()
    if len(columns) == 1:
        return columns[0].expand(lengths[0])
    filled = [column.expand(rows) for column, rows in zip(align(columns), lengths, strict=True)]
    first = filled[0]
    valid = None
    if any(column.valid is not None for column in filled):
        valid = torch.cat([_mask(column) for column in filled])
    data = torch.cat([column.data for column in filled])
    return replace(first, data=data, valid=valid)


def _mask(column: Column) -> Tensor:
    if column.valid is not None:
        return column.valid
    return torch.ones(len(column), dtype=torch.bool, device=column.device)


def merge_rows(mask: Tensor, chosen: Column, other: Column) -> Column:
    """Row by row `chosen` where `mask` ((n,) or () bool) is true, else `other`."""
    chosen, other = align([chosen, other])
    pick = mask.unsqueeze(-1) if chosen.has_elements else mask
    data = torch.where(pick, chosen.data, other.data)
    valid = None
    if chosen.valid is not None or other.valid is not None:
        true = torch.ones((), dtype=torch.bool, device=data.device)
        ours = true if chosen.valid is None else chosen.valid
        valid = torch.where(mask, ours, true if other.valid is None else other.valid)
    result = replace(chosen, data=data, valid=None)
    if valid is not None and valid.ndim == 0 and not result.is_constant:
        valid = valid.expand(len(result))
    return result.with_valid(valid)
