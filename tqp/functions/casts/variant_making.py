"""VARIANT of any type: the texts of leaves with their types before them, put together as JSON is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from tqp.data.column import Column
from tqp.data.dictionary import Dictionary
from tqp.data.unions import members
from tqp.functions.casts.json_making import json_of
from tqp.functions.casts.text import float_as_text
from tqp.functions.casts.unions import merged
from tqp.functions.json_text import Members, Number, Value
from tqp.functions.json_text import parsed as parsed_json
from tqp.functions.per_text import per_text
from tqp.functions.variant_documents import Document, leaf, written_or_null
from tqp.types import BIGINT, BOOLEAN, DOUBLE, JSON, UBIGINT, VARCHAR, VARIANT, DType, Kind, list_of, struct

__all__ = ["variant_of"]

Cast = Callable[[Column, DType, bool], Column]

_TEXT: Final = pa.large_string()
_NUMBERS: Final = {"BIGINT": BIGINT, "UBIGINT": UBIGINT, "DOUBLE": DOUBLE}


def variant_of(column: Column, cast: Cast) -> Column:
    """The values as VARIANT, each with the type that it had, NULLs kept; JSON by what it says, `null` being NULL.

    A list, an array and a row without names become arrays, a struct an object, a map an array of objects with `key` and `value`,
    an ENUM its label, a UNION the member that it is.
    """
    if column.dtype == JSON:
        return _of_json(column)
    leaves = _with_leaves(column, cast)
    return replace(json_of(leaves, cast), dtype=VARIANT, valid=leaves.valid)


def _with_leaves(column: Column, cast: Cast) -> Column:
    """The column with leaves instead of values that have no others in them: texts, or JSON where they are documents already."""
    dtype = column.dtype
    if dtype.is_array:
        assert dtype.element is not None
        return _with_leaves(cast(column, list_of(dtype.element), False), cast)
    if dtype.is_list:
        (elements,) = column.children
        inner = _with_leaves(elements, cast)
        return replace(column, dtype=list_of(inner.dtype), children=(inner,))
    if dtype.is_struct:
        places = sorted(range(len(dtype.fields)), key=lambda place: dtype.fields[place].name.encode())
        inner_ones = [_with_leaves(column.children[place], cast) for place in places]
        names = [dtype.fields[place].name for place in places]
        kind = struct(zip(names, [one.dtype for one in inner_ones], strict=True))
        return replace(column, dtype=kind, children=tuple(inner_ones))
    if dtype.is_union:
        return _of_union(column, cast)
    if dtype == JSON:
        column = _of_json(column)
    if column.dtype == VARIANT:
        return replace(column, dtype=JSON)
    return column if dtype.kind is Kind.NULL else _leaves(column, cast)


def _of_union(column: Column, cast: Cast) -> Column:
    """The documents of the members that the values are."""
    return merged(column, [replace(variant_of(one, cast), dtype=JSON) for one in members(column)])


def _leaves(column: Column, cast: Cast) -> Column:
    dtype = VARCHAR if column.dtype.kind is Kind.ENUM else column.dtype
    text = cast(column, VARCHAR, False)
    assert text.dictionary is not None
    parts = [pa.scalar(leaf(dtype, ""), _TEXT), text.dictionary.values, pa.scalar("", _TEXT)]
    # One string before all of them keeps their order.
    tagged = Dictionary(pc.binary_join_element_wise(*parts), is_sorted=text.dictionary.is_sorted)
    return replace(text, dictionary=tagged)


def _of_json(column: Column) -> Column:
    found = per_text(lambda text: written_or_null(_document(parsed_json(text))) if text else None, [column], VARIANT)
    valid = found.valid
    return found if column.valid is None else found.with_valid(column.valid if valid is None else valid & column.valid)


def _document(value: Value) -> Document | None:
    """What JSON says as a document; of members with one name the last."""
    if isinstance(value, list):
        return [_document(item) for item in value]
    if isinstance(value, Members):
        return {name: _document(item) for name, item in value.pairs}
    if isinstance(value, bool):
        return leaf(BOOLEAN, str(value).lower())
    if isinstance(value, Number):
        return leaf(_NUMBERS[value.kind], float_as_text(value.number) if value.kind == "DOUBLE" else value.text)
    return None if value is None else leaf(VARCHAR, value)
