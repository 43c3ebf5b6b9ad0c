"""Casts of lists, structs, maps and arrays: by their elements and fields, and to text; from text by its distinct strings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc
import torch
from torch import Tensor

from tqp.data.column import Column, constant
from tqp.data.dictionary import Dictionary
from tqp.data.layout import ELEMENTS
from tqp.data.nested import elements, field, lengths, of_fields, of_lengths
from tqp.data.unions import members
from tqp.errors import ExecutionError
from tqp.functions.align import concat
from tqp.functions.casts.absent import no_cast
from tqp.functions.casts.hints import NULL_INSTEAD
from tqp.functions.casts.nested_text import checked_map, from_text, texts_of
from tqp.functions.casts.unions import by_member, cast_to_union, union_as_text
from tqp.functions.casts.variant_reading import texts_inside
from tqp.functions.joined_text import HOST, coded, joined, strings
from tqp.functions.map_keys import require_keys
from tqp.functions.measured import by_values
from tqp.functions.promotion import matched_fields
from tqp.kernels import waits
from tqp.kernels.rows import select
from tqp.types import JSON, VARCHAR, VARIANT, DType, Kind, list_of

__all__ = ["cast_nested"]

Cast = Callable[[Column, DType, bool], Column]

_QUOTED = r"""[\s\S]*["'(),:=\[\]{}\\][\s\S]*|\s[\s\S]*|[\s\S]*\s|(?i:null)|"""
"""Texts that a nested value shows in quotes."""
_NULL = "NULL"


def cast_nested(column: Column, to: DType, safe: bool, cast: Cast) -> Column:
    """The values of which either type is nested as `to`, by `cast` of what is in them, NULLs kept.

    With `safe` an element that does not fit is NULL, and so is an array whose elements do not fit in number. ExecutionError for
    an array with a NULL in it.
    """
    if column.is_constant:
        return cast_nested(column.expand(1), to, safe, cast).map(lambda tensor: tensor[0])
    have = column.dtype
    if to.is_text:
        return _as_text(column, cast)
    if to.is_union:
        return cast_to_union(column, to, safe, cast)
    if have.is_union:
        return no_cast(column, to, safe)
    if have.is_text:
        if not to.size:
            return from_text(column, to, safe, cast)
        assert to.element is not None
        column = from_text(column, list_of(to.element), safe, cast)
    if not _have_a_cast(have, to):
        return no_cast(column, to, safe)
    if have.is_struct and to.kind is Kind.MAP:
        return _to_map(column, to, safe, cast)
    if have.is_array and to.is_array:
        return _array_to_array(column, to, safe, cast)
    if have.is_array:
        column = _as_list(column)
    if to.is_array:
        return _to_array(column, to, safe, cast)
    if to.is_struct:
        return _to_struct(column, to, safe, cast)
    assert to.element is not None
    if to.size:
        column = _of_size(column, to, safe)
    if column.dtype.element == to.element:
        return replace(column, dtype=to)
    owners, values = elements(column)
    values = cast(values, to.element, safe)
    made = of_lengths(lengths(column), values, to, column.valid)
    return checked_map(made, owners, safe) if to.kind is Kind.MAP else made


def _have_a_cast(have: DType, to: DType) -> bool:
    """Whether the types are of kinds that become each other, whatever is in them."""
    if have.is_text:
        return True
    if have.is_struct:
        return to.is_struct or to.kind is Kind.MAP
    return have.is_nested and to.is_nested and not to.is_struct and (have.kind is Kind.MAP) is (to.kind is Kind.MAP)


def _to_map(column: Column, to: DType, safe: bool, cast: Cast) -> Column:
    """The fields of structs (n,) by their names; ExecutionError for a name that is no key, or is one twice."""
    assert to.element is not None
    if len(column) == 0:
        by_values()
    key, value = (one.type for one in to.element.fields)
    fields = len(column.dtype.fields)
    known = column.valid
    rows = None if known is None else select(known.expand(len(column)))
    count = len(column) if rows is None else rows.shape[0]
    counts = torch.full((len(column),), fields, dtype=torch.int64, device=column.device)
    if known is not None:
        counts = torch.where(known, counts, 0)
    names = cast(texts_of([one.name for one in column.dtype.fields], column.device), key, safe)
    require_keys(torch.zeros(fields, dtype=torch.int64, device=column.device), names)
    parts = [cast(field(column, place), value, safe).expand(len(column)) for place in range(fields)]
    parts = parts if rows is None else [part.take(rows) for part in parts]
    places = torch.arange(count * fields, dtype=torch.int64, device=column.device)
    # Row by row, of the columns one below the other.
    values = concat(parts, [count] * fields).take(places % fields * count + places // fields)
    keys = names.expand(fields).take(places % fields)
    return of_lengths(counts, of_fields([keys, values], to.element, column.device), to, known)


def _array_to_array(column: Column, to: DType, safe: bool, cast: Cast) -> Column:
    """An array of another element type; ExecutionError where an element does not fit, for none is NULL."""
    assert column.dtype.element is not None and to.element is not None
    data = column.data
    if column.valid is not None:
        # What NULL rows hold must not fail.
        data = torch.where(column.valid.unsqueeze(-1), data, 0)
    changed = cast(Column(data.reshape(-1), column.dtype.element), to.element, safe)
    valid = column.valid
    if changed.valid is not None:
        _require_whole(changed.valid.reshape(data.shape).all(-1), to)
    return Column(changed.data.reshape(data.shape).to(ELEMENTS[to.element]), to, valid)


def _as_list(column: Column) -> Column:
    """The arrays of a column (n,) as lists of the same elements."""
    dtype = column.dtype
    assert dtype.element is not None
    starts = torch.arange(0, len(column) * dtype.size, dtype.size, dtype=torch.int64, device=column.device)
    data = torch.stack([starts, torch.full_like(starts, dtype.size)], 1)
    child = Column(column.data.reshape(-1), dtype.element)
    return Column(data, DType(Kind.LIST, element=dtype.element), column.valid, children=(child,))


def _to_array(column: Column, to: DType, safe: bool, cast: Cast) -> Column:
    assert to.element is not None
    if len(column) == 0:
        by_values()
    counts = lengths(column)
    fits = counts == to.size
    rows, values = elements(column)
    if safe and values.valid is not None:
        # As in DuckDB such a list is an array with a NULL.
        _require_whole(torch.where(fits.index_select(0, rows.long()), values.valid, True), to)
    elif values.valid is not None:
        fits = fits.index_fill(0, rows.long()[~values.valid], False)  # sync: which arrays have a NULL
    known = fits if column.valid is None else fits | ~column.valid
    if not safe:
        _require_size(known, counts, to)
    # A list that does not fit is as an empty one.
    kept = fits if column.valid is None else fits & column.valid
    values = cast(elements(column.with_valid(kept))[1], to.element, safe)
    data = torch.zeros((len(column), to.size), dtype=ELEMENTS[to.element], device=column.device)
    chosen = waits.places(kept, "the lists that are arrays")
    data.index_copy_(0, chosen, values.data.reshape(-1, to.size).to(data.dtype))
    if values.valid is not None:
        _require_whole(values.valid, to)
    is_all = column.valid is None and not safe
    return Column(data, to, None if is_all else kept)


def _require_whole(known: Tensor, to: DType) -> None:
    """ExecutionError where an element of an array is not `known`: TRY_CAST makes a NULL of it, and an array holds none."""
    if not waits.truth(known.all(), "an array with a NULL in it is an error"):
        raise ExecutionError(f"an element of a {to} becomes NULL, which tqp does not hold", hint="cast to a list")


def _of_size(column: Column, to: DType, safe: bool) -> Column:
    """The lists, all of the size of the type; one of another size is an ExecutionError, or NULL if `safe`."""
    fits = column.data[:, 1] == to.size
    if safe:
        return column.with_valid(fits if column.valid is None else fits & column.valid)
    _require_size(fits if column.valid is None else fits | ~column.valid, lengths(column), to)
    return column


def _require_size(known: Tensor, counts: Tensor, to: DType) -> None:
    """ExecutionError where a list of `counts` (n,) elements is not `known` (n,) to fit."""
    if not waits.truth(known.all(), "a list of another length is an error"):
        bad = waits.places(~known, "the list for a message")[:1]
        length = waits.number(counts.index_select(0, bad)[0], "the length for a message")
        what = "with a NULL in it" if length == to.size else f"of {length} elements"
        raise ExecutionError(f"a list {what} cannot become {to}", hint=NULL_INSTEAD)


def _to_struct(column: Column, to: DType, safe: bool, cast: Cast) -> Column:
    places = matched_fields(column.dtype, to)
    assert places is not None
    parts = []
    for place, wanted in zip(places, to.fields, strict=True):
        if place is None:
            parts.append(constant(None, wanted.type, column.device))
        else:
            parts.append(cast(field(column, place), wanted.type, safe))
    made = of_fields([part.expand(len(column)) for part in parts], to, column.device).expand(len(column))
    return made.with_valid(column.valid)


def _as_text(column: Column, cast: Cast) -> Column:
    """One string a row, `[1, NULL]`, `{'a': 1}`, `{k=v}`, `(1, 2)`; strings are looked at once a distinct one."""
    if column.dtype.is_union:
        return union_as_text(column, cast)
    return coded(_shown(column, cast), column.valid, column.device)


def _shown(column: Column, cast: Cast) -> pa.Array:
    """The texts of a column (n,), as `large_string`, without regard to its own NULLs."""
    dtype = column.dtype
    if dtype.is_array:
        return _shown(_as_list(column), cast)
    if dtype.is_struct:
        parts = [_part(field(column, place), cast) for place in range(len(dtype.fields))]
        names = [f"{_quoted_name(one.name)}: " if one.name else "" for one in dtype.fields]
        marks = "()" if dtype.is_row else "{}"
        return _between(marks, [(name, part) for name, part in zip(names, parts, strict=True)], len(column))
    _, values = elements(column)
    if dtype.kind is Kind.MAP:
        key, value = (_part(field(values, place), cast) for place in (0, 1))
        shown = pc.binary_join_element_wise(key, value, pa.scalar("=", pa.large_string()))
    elif values.dtype == JSON:
        # As DuckDB shows it there, and only there.
        shown = strings(values).fill_null(_NULL)
    else:
        shown = _part(values, cast)
    listed = joined(lengths(column), shown, pa.scalar(", ", pa.large_string()))
    marks = "{}" if dtype.kind is Kind.MAP else "[]"
    return _between(marks, [("", listed)], len(column))


def _part(column: Column, cast: Cast) -> pa.Array:
    """What stands for values in the text of what they are in."""
    dtype = column.dtype
    if dtype == VARIANT:
        return strings(texts_inside(column, cast)).fill_null(_NULL)
    if dtype.is_union:
        texts = by_member(column, [_part(one, cast) for one in members(column)])
        return texts if column.valid is None else pc.if_else(pa.array(waits.array(column.valid, HOST)), texts, _NULL)
    text = column if dtype.is_text else cast(column, VARCHAR, False)
    is_plain = dtype.is_nested or dtype.is_numeric or dtype.kind is Kind.BOOLEAN
    if not is_plain and text.dictionary is not None:
        text = replace(text, dictionary=Dictionary(_quoted(text.dictionary.values), is_sorted=False))
    return strings(text).fill_null(_NULL)


def _quoted(texts: pa.Array) -> pa.Array:
    """Texts in quotes where they need them."""
    needed = pc.match_substring_regex(texts, f"^(?:{_QUOTED})$")
    escaped = pc.replace_substring_regex(texts, r"""(['\\])""", r"\\\1")
    mark = pa.scalar("'", pa.large_string())
    in_quotes = pc.binary_join_element_wise(mark, escaped, mark, pa.scalar("", pa.large_string()))
    return pc.if_else(needed, in_quotes, texts)


def _quoted_name(name: str) -> str:
    return "'" + name.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _between(marks: str, parts: Sequence[tuple[str, pa.Array]], rows: int) -> pa.Array:
    """Texts side by side, each behind its name, between two marks."""
    text = pa.large_string()
    pieces: list[pa.Array | pa.Scalar] = []
    for place, (name, part) in enumerate(parts):
        lead = (marks[0] if place == 0 else ", ") + name
        pieces += [pa.scalar(lead, text), part]
    if not parts:
        return pa.array([marks] * rows, text)
    return pc.binary_join_element_wise(*pieces, pa.scalar(marks[1], text), pa.scalar("", text))
