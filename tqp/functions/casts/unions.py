"""Casts of UNIONs: of other values to one, from one to another, to text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
import torch
from torch import Tensor

from tqp.data.column import Column, constant
from tqp.data.nested import field, of_fields
from tqp.data.unions import members, put, tag
from tqp.errors import ExecutionError
from tqp.functions.align import merge_rows
from tqp.functions.casts.absent import no_cast
from tqp.functions.casts.hints import NULL_INSTEAD
from tqp.functions.joined_text import HOST
from tqp.functions.union_types import chosen, is_laid_out, same_members
from tqp.kernels import waits
from tqp.types import VARCHAR, DType

__all__ = ["by_member", "cast_to_union", "merged", "union_as_text"]

_NULL: Final = "NULL"

Cast = Callable[[Column, DType, bool], Column]


def cast_to_union(column: Column, to: DType, safe: bool, cast: Cast) -> Column:
    """The values (n,) as a UNION: those of another one by the names of members, a STRUCT of a tag and members as they lie, others
    as the member that is chosen for their type, so that a NULL is a NULL of that member.

    With `safe` what does not fit is NULL; else it is an ExecutionError.
    """
    if column.dtype.is_union:
        return _renamed(column, to, safe, cast)
    if is_laid_out(column.dtype, to):
        return _of_struct(column, to, safe, cast)
    place = chosen(column.dtype, to)
    if place is None:
        return no_cast(column, to, safe)
    made = cast(column, to.fields[place].type, safe)
    kept = _kept(column, made) if safe else None
    return put(made, place, to).with_valid(kept)


def _kept(before: Column, made: Column) -> Tensor | None:
    """Where a cast lost no value; None where it loses none."""
    if made.valid is None:
        return None
    return made.valid if before.valid is None else made.valid | ~before.valid


def _renamed(column: Column, to: DType, safe: bool, cast: Cast) -> Column:
    """The members of a UNION as those of the same names of another one."""
    places = same_members(column.dtype, to)
    if places is None:
        return no_cast(column, to, safe)
    parts = [constant(None, one.type, column.device) for one in to.fields]
    valid = column.valid
    for place, one in zip(places, members(column), strict=True):
        parts[place] = cast(one, to.fields[place].type, safe)
        kept = _kept(one, parts[place]) if safe else None
        if kept is not None:
            valid = kept if valid is None else valid & kept
    numbers = torch.tensor(places, dtype=torch.int64, device=column.device)
    tags = Column(
        numbers.index_select(0, tag(column).data.long()), to.tag, tag(column).valid, bounds=(0, len(to.fields) - 1)
    )
    return _of_parts(tags, parts, len(column), to).with_valid(valid)


def _of_parts(tags: Column, parts: list[Column], rows: int, to: DType) -> Column:
    return of_fields([tags.expand(rows), *[part.expand(rows) for part in parts]], to, tags.device)


def _of_struct(column: Column, to: DType, safe: bool, cast: Cast) -> Column:
    """A STRUCT of the number of a member and all members; ExecutionError where another one than that has a value."""
    rows = len(column)
    numbers = field(column, 0)
    parts = [cast(field(column, place), one.type, safe) for place, one in enumerate(to.fields, 1)]
    known = torch.ones(rows, dtype=torch.bool, device=column.device) if numbers.valid is None else numbers.valid
    codes = numbers.data.long()
    wrong = codes >= len(to.fields)
    for place, part in enumerate(parts):
        has = torch.ones_like(known) if part.valid is None else part.valid
        wrong = wrong | (has & (codes != place))
    wrong = wrong & known
    if safe:
        known = known & ~wrong
    elif waits.truth(wrong.any(), "a STRUCT that is no UNION is an error"):
        raise ExecutionError(f"a {column.dtype} has another member of {to} than its tag says", hint=NULL_INSTEAD)
    tags = Column(codes.clamp(max=len(to.fields) - 1), to.tag, bounds=(0, len(to.fields) - 1))
    return _of_parts(tags, parts, rows, to).with_valid(known)


def merged(column: Column, parts: Sequence[Column]) -> Column:
    """For each row of a UNION (n,), or for a constant, the value that its member has in `parts`, columns of one type."""
    numbers = tag(column).data
    made = parts[0]
    for place, part in enumerate(parts[1:], 1):
        made = merge_rows(numbers == place, part, made)
    return made


def union_as_text(column: Column, cast: Cast) -> Column:
    """The texts of the members that the values (n,) are, `NULL` where one is NULL."""
    made = merged(column, [cast(one, VARCHAR, False) for one in members(column)])
    if made.valid is not None:
        made = merge_rows(made.valid, made.with_valid(None), constant(_NULL, VARCHAR, column.device))
    return made.expand(len(column)).with_valid(column.valid)


def by_member(column: Column, shown: Sequence[pa.Array]) -> pa.Array:
    """For each row of a UNION (n,) what is `shown` (n,) of the member that it is; of rows that are NULL it means nothing."""
    numbers = waits.array(tag(column).data, HOST)
    rest = range(1, len(shown))
    return reduce(lambda made, place: pc.if_else(pa.array(numbers == place), shown[place], made), rest, shown[0])
