"""Bring columns of one SQL type into one layout: same width, same dictionary. Concatenate and merge them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc
import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.copies import placed
from tqp.data.dictionary import Dictionary
from tqp.data.layout import Bounds, Encoding, narrowest
from tqp.interrupt import checkpoint
from tqp.kernels import wide
from tqp.types import Kind

__all__ = ["align", "concat", "merge_rows"]


def align(columns: Sequence[Column]) -> list[Column]:
    """The columns in a common layout (width, dictionary, bounds), so that their tensors may be concatenated.

    All are of one SQL type, or NULL-typed. Costs nothing where the layouts agree already.
    """
    typed = next((column for column in columns if column.dtype.kind is not Kind.NULL), columns[0])
    columns = [_typed_null(column, typed) for column in columns]
    if typed.dtype.is_text:
        columns = _one_dictionary(columns)
    bounds = _common_bounds(columns)
    if typed.dtype.is_exact and any(column.is_wide for column in columns):
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
            if column.valid is not None and column.is_constant:
                continue  # a constant NULL has no values
            return None
        low = column.bounds[0] if low is None else min(low, column.bounds[0])
        high = column.bounds[1] if high is None else max(high, column.bounds[1])
    return None if low is None or high is None else (low, high)


def _one_dictionary(columns: Sequence[Column]) -> list[Column]:
    first = columns[0].dictionary
    if all(column.dictionary is first for column in columns):
        return list(columns)
    ranked = [column.ranked() for column in columns]
    dictionaries: dict[int, Dictionary] = {}
    for column in ranked:
        if column.dictionary is not None:
            dictionaries.setdefault(id(column.dictionary), column.dictionary)
    if len(dictionaries) == 1:
        return ranked
    values = pc.unique(pa.chunked_array([d.values for d in dictionaries.values()], pa.large_string()))
    union = Dictionary(values.take(pc.sort_indices(values)), is_sorted=True)
    lookups: dict[int, Tensor] = {}
    result = []
    for column in ranked:
        own = column.dictionary
        assert own is not None
        if len(own) == 0:
            result.append(replace(column, data=torch.zeros_like(column.data), dictionary=union, bounds=union.bounds))
            continue
        if id(own) not in lookups:
            codes = pc.index_in(own.values, union.values).to_numpy(zero_copy_only=False)
            lookups[id(own)] = placed(torch.from_numpy(codes.astype("int32")), column.device)
        lookup = lookups[id(own)]
        # Subscripts by a tensor without dimensions wait for it.
        data = lookup.index_select(0, column.data.int().reshape(-1)).reshape(column.data.shape)
        result.append(replace(column, data=data, dictionary=union, bounds=union.bounds))
    return result


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
    result = Column(data, chosen.dtype, None, chosen.dictionary, chosen.bounds, chosen.encoding)
    if valid is not None and valid.ndim == 0 and not result.is_constant:
        valid = valid.expand(len(result))
    return result.with_valid(valid)
