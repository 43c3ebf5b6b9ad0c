"""UNIONs as columns: their children are the tag, an ENUM of the members' names, and the members."""

from __future__ import annotations

from functools import reduce

import torch
from torch import Tensor

from tqp.data.column import Column, constant
from tqp.data.nested import field, of_fields
from tqp.types import DType

__all__ = ["are_unknown", "has_value", "member", "members", "put", "tag"]


def tag(column: Column) -> Column:
    """The tags of a column (n,) or a constant; NULL where the UNION is."""
    return field(column, 0)


def member(column: Column, place: int) -> Column:
    """Member number `place` of a column (n,) or a constant; NULL where the UNION is, or is another member."""
    return field(column, place + 1)


def members(column: Column) -> list[Column]:
    """All members of a column; at most one of a row is not NULL."""
    return [member(column, place) for place in range(len(column.dtype.fields))]


def put(value: Column, place: int, dtype: DType) -> Column:
    """Values (n,), or a constant, of the type of member number `place` as the UNION; a NULL is a NULL of that member."""
    parts = [constant(None, one.type, value.device) for one in dtype.fields]
    parts[place] = value
    return of_fields([constant(place, dtype.tag, value.device), *parts], dtype, value.device)


def _known(column: Column) -> Tensor:
    """Where a column is not NULL: (n,) or ()."""
    if column.valid is not None:
        return column.valid
    return torch.ones((), dtype=torch.bool, device=column.device)


def has_value(column: Column) -> Tensor:
    """Where (n,) or () the member that a UNION is, and of a UNION in it that one's, is not NULL."""
    known = [has_value(one) & _known(one) if one.dtype.is_union else _known(one) for one in members(column)]
    return reduce(torch.logical_or, known)


def are_unknown(a: Column, b: Column) -> Tensor:
    """Where (n,) two UNIONs (n,) of one type compare as NULL does: both are the same member, and that of one is NULL."""
    mine, theirs = tag(a).data, tag(b).data
    found = torch.zeros((), dtype=torch.bool, device=a.device)
    for place, (x, y) in enumerate(zip(members(a), members(b), strict=True)):
        is_null = ~(_known(x) & _known(y))
        if x.dtype.is_union:
            is_null = is_null | are_unknown(x, y)
        found = found | ((mine == place) & is_null)
    return found & (mine == theirs)
