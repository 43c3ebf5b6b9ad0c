"""JSON of values: once a distinct number or text; of lists, structs and maps by joins of the texts of what is in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from tqp.data.column import Column
from tqp.data.dictionary import Dictionary
from tqp.data.nested import elements, field, lengths
from tqp.functions.entries import each, spread
from tqp.functions.joined_text import coded, joined, strings
from tqp.functions.json_text import in_quotes, parsed, real, written
from tqp.types import DOUBLE, JSON, VARCHAR, DType, Kind, list_of

__all__ = ["between", "json_of", "parts_of"]

Cast = Callable[[Column, DType, bool], Column]

_DOUBLE_DIGITS: Final = 15
"""A DECIMAL of at most so many digits is written as the nearest DOUBLE, as DuckDB does."""
_TEXT: Final = pa.large_string()


def json_of(column: Column, cast: Cast) -> Column:
    """The values as JSON, NULLs kept: what is JSON already in its shortest form, text as a string of JSON.

    `cast` gives the text of what JSON has no value for: dates, intervals, bytes.
    """
    if column.is_constant and column.dtype.is_nested:
        return json_of(column.expand(1), cast).map(lambda tensor: tensor[0])
    if column.dtype.is_nested:
        return coded(_nested(column, cast), column.valid, column.device, JSON)
    return replace(_plain(column, cast), dtype=JSON)


def parts_of(column: Column, cast: Cast) -> pa.Array:
    """The JSON (n,) of a column (n,) as `large_string`, `null` where it is NULL."""
    if column.dtype.is_nested:
        shown = _nested(column, cast)
        return shown if column.valid is None else strings(coded(shown, column.valid, column.device)).fill_null("null")
    return strings(_plain(column, cast)).fill_null("null")


def _plain(column: Column, cast: Cast) -> Column:
    """The JSON of values that have no others in them, as a text column."""
    dtype = column.dtype
    if dtype.kind is Kind.JSON:
        return _mapped(column, lambda text: written(parsed(text)))
    if dtype.is_integer or dtype.kind in (Kind.BOOLEAN, Kind.NULL):
        return cast(column, VARCHAR, False)
    if dtype.is_float or (dtype.is_decimal and dtype.precision <= _DOUBLE_DIGITS):
        return _mapped(cast(cast(column, DOUBLE, False), VARCHAR, False), real)
    if dtype.is_decimal:
        return cast(column, VARCHAR, False)
    text = cast(column, VARCHAR, False)
    assert text.dictionary is not None
    return replace(text, dictionary=Dictionary(in_quotes(text.dictionary.values), is_sorted=False))


def _mapped(column: Column, function: Callable[[str], str]) -> Column:
    entries = spread([column])
    # What stands for NULL in a dictionary is no JSON.
    return entries.finish(each(lambda text: function(text) if text else text, _TEXT, entries), VARCHAR).with_valid(
        column.valid
    )


def _nested(column: Column, cast: Cast) -> pa.Array:
    """The JSON (n,) of nested values, without regard to NULLs."""
    dtype = column.dtype
    if dtype.is_array:
        assert dtype.element is not None
        return _nested(cast(column, list_of(dtype.element), False), cast)
    if dtype.is_struct:
        parts = [parts_of(field(column, place), cast) for place in range(len(dtype.fields))]
        if not dtype.fields or not dtype.fields[0].name:
            return between("[]", [("", part) for part in parts], len(column))
        names = in_quotes(pa.array([one.name for one in dtype.fields], _TEXT)).to_pylist()
        return between("{}", [(f"{name}:", part) for name, part in zip(names, parts, strict=True)], len(column))
    _, values = elements(column)
    if dtype.kind is Kind.MAP:
        key, value = (field(values, place) for place in (0, 1))
        names = in_quotes(strings(cast(key, VARCHAR, False)).fill_null(""))
        shown = pc.binary_join_element_wise(names, parts_of(value, cast), pa.scalar(":", _TEXT))
    else:
        shown = parts_of(values, cast)
    listed = joined(lengths(column), shown, pa.scalar(",", _TEXT))
    return between("{}" if dtype.kind is Kind.MAP else "[]", [("", listed)], len(column))


def between(marks: str, parts: Sequence[tuple[pa.Array | str, pa.Array]], rows: int) -> pa.Array:
    """Texts (n,) side by side with commas, each behind its name, which is one for all rows or of each, between two marks."""
    if not parts:
        return pa.array([marks] * rows, _TEXT)
    pieces: list[pa.Array | pa.Scalar] = []
    for place, (name, part) in enumerate(parts):
        pieces.append(pa.scalar(marks[0] if place == 0 else ",", _TEXT))
        pieces += [pa.scalar(name, _TEXT) if isinstance(name, str) else name, part]
    return pc.binary_join_element_wise(*pieces, pa.scalar(marks[1], _TEXT), pa.scalar("", _TEXT))
