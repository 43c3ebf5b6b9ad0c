"""JSON of values: once a distinct number or text; of lists, structs and maps by joins of the texts of what is in them.

What stands side by side in all rows, as fields do, is joined once a distinct combination where these are fewer than rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
import torch
from torch import Tensor

from tqp.data.column import Column, constant
from tqp.data.dictionary import Dictionary
from tqp.data.nested import elements, field, lengths
from tqp.data.unions import members
from tqp.functions.casts.unions import merged
from tqp.functions.entries import Entries, each, spread
from tqp.functions.joined_text import HOST, coded, joined, strings
from tqp.functions.json_text import in_quotes, parsed, real, written
from tqp.functions.measured import by_values
from tqp.kernels import waits
from tqp.kernels.rows import select
from tqp.types import DOUBLE, JSON, VARCHAR, DType, Kind, list_of

__all__ = ["beside", "json_of", "parts_of"]

Cast = Callable[[Column, DType, bool], Column]

_DOUBLE_DIGITS: Final = 15
"""A DECIMAL of at most so many digits is written as the nearest DOUBLE, as DuckDB does."""
_FEW: Final = 16
"""Elements of lists stand side by side where all lists have so many at most."""
_MANY: Final = 2**9
"""Of so many combinations those that no row has are looked for."""
_TEXT: Final = pa.large_string()


def json_of(column: Column, cast: Cast) -> Column:
    """The values as JSON, NULLs kept: what is JSON already in its shortest form, text as a string of JSON.

    `cast` gives the text of what JSON has no value for: dates, intervals, bytes.
    """
    return replace(_shown(column, cast), dtype=JSON, valid=column.valid)


def parts_of(column: Column, cast: Cast) -> pa.Array:
    """The JSON (n,) of a column (n,) as `large_string`, `null` where it is NULL."""
    return strings(_shown(column, cast).with_valid(column.valid)).fill_null("null")


def beside(pieces: Sequence[str | Column], cast: Cast) -> Column:
    """JSON that is put together of texts, the same in all rows, and the JSON of columns, each (n,) or a constant, `null` where they
    are NULL: a column of text, a constant where all of them are."""
    texts: list[Column] = []
    order: list[str | int] = [""]
    for piece in pieces:
        if isinstance(piece, Column):
            order += [len(texts), ""]
            texts.append(_shown(piece, cast).with_valid(piece.valid))
        else:
            order[-1] = f"{order[-1]}{piece}"
    entries = _of_some_row(spread(texts, nulls=True))
    if not entries.count:
        by_values()
    parts = [pa.scalar(one, _TEXT) if isinstance(one, str) else _known(entries.operands[one]) for one in order]
    return entries.finish(pc.binary_join_element_wise(*parts, pa.scalar("", _TEXT)), VARCHAR)


def _of_some_row(entries: Entries) -> Entries:
    """The combinations that some row has, where these are few of many."""
    codes = entries.codes
    if codes is None or entries.is_constant or entries.count < _MANY:
        return entries
    is_there = torch.zeros(entries.count, dtype=torch.bool, device=codes.device).index_fill_(0, codes.long(), True)
    kept = select(is_there)
    if 2 * len(kept) > entries.count:
        return entries
    numbers = torch.cumsum(is_there, 0, dtype=torch.int32) - 1
    places = pa.array(waits.array(kept, HOST))
    operands = [one if isinstance(one, str) else one.take(places) for one in entries.operands]
    return Entries(operands, numbers.index_select(0, codes), False, len(kept), entries.device)


def _known(operand: pa.Array | str) -> pa.Array | pa.Scalar:
    return pa.scalar(operand, _TEXT) if isinstance(operand, str) else operand.fill_null("null")


def _shown(column: Column, cast: Cast) -> Column:
    """The JSON of values (n,) or of a constant as a text column, or a constant; what it is of a NULL means nothing."""
    if not column.dtype.is_nested:
        return _plain(column, cast)
    if column.is_constant:
        return _nested(column.expand(1), cast).expand(1).map(lambda tensor: tensor[0])
    return _nested(column, cast).expand(len(column))


def _plain(column: Column, cast: Cast) -> Column:
    """The JSON of values that have no others in them, as a text column."""
    dtype = column.dtype
    if dtype.kind is Kind.VARIANT:
        return cast(column, JSON, False)
    if dtype.kind is Kind.JSON:
        return _mapped(column, lambda text: written(parsed(text)))
    if dtype.is_integer or dtype.kind in (Kind.BIGNUM, Kind.BOOLEAN, Kind.NULL):
        return cast(column, VARCHAR, False)
    if dtype.is_float or (dtype.is_decimal and dtype.precision <= _DOUBLE_DIGITS):
        return _mapped(cast(cast(column, DOUBLE, False), VARCHAR, False), real)
    if dtype.is_decimal:
        text = cast(column, VARCHAR, False)
        # JSON asks for a digit before the point.
        return _mapped(text, lambda one: one.replace(".", "0.", 1)) if dtype.precision == dtype.scale else text
    text = cast(column, VARCHAR, False)
    assert text.dictionary is not None
    return replace(text, dictionary=Dictionary(in_quotes(text.dictionary.values), is_sorted=False))


def _mapped(column: Column, function: Callable[[str], str]) -> Column:
    entries = spread([column])
    # What stands for NULL in a dictionary is no JSON.
    return entries.finish(each(lambda text: function(text) if text else text, _TEXT, entries), VARCHAR).with_valid(
        column.valid
    )


def _nested(column: Column, cast: Cast) -> Column:
    """The JSON of nested values (n,), or a constant, without regard to NULLs."""
    dtype = column.dtype
    if dtype.is_array:
        assert dtype.element is not None
        return _nested(cast(column, list_of(dtype.element), False), cast)
    if dtype.is_struct:
        fields = [field(column, place) for place in range(len(dtype.fields))]
        if dtype.is_row:
            return _all_beside("[]", [("", one) for one in fields], column.device, cast)
        names = in_quotes(pa.array([one.name for one in dtype.fields], _TEXT)).to_pylist()
        named = [(f"{name}:", one) for name, one in zip(names, fields, strict=True)]
        return _all_beside("{}", named, column.device, cast)
    if dtype.is_union:
        names = in_quotes(pa.array([one.name for one in dtype.fields], _TEXT)).to_pylist()
        held = zip(names, members(column), strict=True)
        return merged(column, [beside([f"{{{name}:", one, "}"], cast) for name, one in held])
    _, values = elements(column)
    counts = lengths(column)
    if dtype.kind is Kind.MAP:
        key, value = (field(values, place) for place in (0, 1))
        names = in_quotes(strings(cast(key, VARCHAR, False)).fill_null(""))
        shown = pc.binary_join_element_wise(names, parts_of(value, cast), pa.scalar(":", _TEXT))
    elif (size := _size_of_all(counts)) is not None:
        places = torch.arange(0, len(values), max(size, 1), device=column.device)
        return _all_beside("[]", [("", values.take(places + place)) for place in range(size)], column.device, cast)
    else:
        shown = parts_of(values, cast)
    listed = joined(counts, shown, pa.scalar(",", _TEXT))
    first, last = (pa.scalar(mark, _TEXT) for mark in ("{}" if dtype.kind is Kind.MAP else "[]"))
    return coded(pc.binary_join_element_wise(first, listed, last, pa.scalar("", _TEXT)), None, column.device)


def _size_of_all(counts: Tensor) -> int | None:
    """How many elements all lists have, if that are a few; None where they differ, and of no lists."""
    if not counts.shape[0]:
        return None
    least, most = waits.limits(counts, "whether all lists are as long")
    return least if least == most <= _FEW else None


def _all_beside(marks: str, parts: Sequence[tuple[str, Column]], device: torch.device, cast: Cast) -> Column:
    """Values side by side with commas, each behind its name, between two marks."""
    pieces = [piece for place, (name, part) in enumerate(parts) for piece in ("," * (place > 0) + name, part)]
    return beside([marks[0], *pieces, marks[1]], cast) if parts else constant(marks, VARCHAR, device)
