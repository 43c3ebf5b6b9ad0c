"""JSON read as another type by where its parts lie: what the loops find is cast as it is written, and no value of Python is made.

Only texts of which all fits the type are read. Which are not (what is escaped, of another kind, missing, one too many) is said, for
the reader of values to judge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.dictionary import Dictionary
from tqp.data.nested import of_fields, of_lengths
from tqp.functions.entries import Entries
from tqp.functions.json_text import parsed, written
from tqp.functions.slices import Slices
from tqp.interrupt import checkpoint
from tqp.kernels import json
from tqp.types import VARCHAR, DType, Kind, integer_range

__all__ = ["are_slices", "read_slices"]

Cast = Callable[[Column, DType, bool], Column]

_CPU: Final = torch.device("cpu")
_LEAST: Final = 1e-4
"""A DOUBLE below it has an exponent in its text."""
_NUMBERS: Final = (json.INTEGER, json.REAL)
_ALL: Final = (json.STRING, json.OBJECT)


def _direct(to: DType) -> tuple[int, int] | None:
    """What is written in JSON as in a text of the type, from the first to the last kind; None where that is not known."""
    if to.is_integer:
        return json.INTEGER, json.INTEGER
    if to.is_float or to.is_decimal:
        return _NUMBERS
    if to.is_temporal or to.kind in (Kind.UUID, Kind.ENUM):
        return json.STRING, json.STRING
    return {Kind.BOOLEAN: (json.BOOLEAN, json.BOOLEAN), Kind.VARCHAR: _ALL, Kind.JSON: _ALL}.get(to.kind)


def are_slices(texts: int, to: DType) -> bool:
    """Whether the loops are there for so many texts, and the type is one that they serve."""
    return _is_known(to) and json.are_read(texts)


def _is_known(to: DType) -> bool:
    if to.kind is Kind.STRUCT:
        return bool(to.fields) and not to.is_row and all(_is_known(one.type) for one in to.fields)
    if to.kind is Kind.LIST:
        assert to.element is not None
        return _is_known(to.element)
    return _direct(to) is not None


@dataclass(frozen=True, slots=True)
class _Reading:
    """How texts are read: by which `cast`, and whether each field must have one member."""

    cast: Cast
    needs_all: bool


def read_slices(texts: Slices, to: DType, cast: Cast, *, is_strict: bool) -> tuple[Column, Tensor]:
    """Texts of JSON (n,) as values of a type for which they `are_slices`, a column on the CPU, and which of them (n,) bool are read
    otherwise: what the column has for those means nothing."""
    return _read(texts, to, _Reading(cast, is_strict))


def _read(texts: Slices, to: DType, reading: _Reading) -> tuple[Column, Tensor]:
    found = iter(json.find(texts.data, texts.begins, texts.stops, list(_paths(to, ()))))
    odd = torch.zeros(len(texts.begins), dtype=torch.bool, device=_CPU)
    return _column(to, found, odd, reading), odd


def _paths(to: DType, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The paths of a type, and of its fields and theirs, each before those below it."""
    yield path
    if to.kind is Kind.STRUCT:
        for one in to.fields:
            yield from _paths(one.type, (*path, one.name))


def _column(to: DType, found: Iterator[json.Found], odd: Tensor, reading: _Reading, of: Tensor | None = None) -> Column:
    """The values of a type in the order of `_paths`; texts that are read otherwise become `odd`. `of` are those with an object in
    which it is a field."""
    one = next(found)
    kinds = one.kinds
    absent = kinds == json.MISSING
    if of is not None and reading.needs_all:
        odd |= of & absent
    absent |= kinds == json.NULL
    match to.kind:
        case Kind.STRUCT:
            fits = kinds == json.OBJECT
            # As many members as fields, all of which have one, are no others, and none twice.
            if reading.needs_all:
                odd |= fits & (one.sizes != len(to.fields))
            fields = [_column(each.type, found, odd, reading, fits) for each in to.fields]
            column = of_fields(fields, to, _CPU).with_valid(fits)
        case Kind.LIST:
            fits = kinds == json.ARRAY
            column = _lists(one, fits & ~odd, to, odd, reading)
        case _:
            column, fits = _leaves(one, to, reading.cast)
    odd |= ~(fits | absent)
    return column


def _lists(one: json.Found, fits: Tensor, to: DType, odd: Tensor, reading: _Reading) -> Column:
    assert to.element is not None
    counts = torch.where(fits, one.sizes, 0)
    _, _, begins, stops = json.split(one.data, one.begins, one.stops, counts)
    child, left = _read(Slices(one.data, begins, stops), to.element, reading)
    owners = torch.repeat_interleave(counts, output_size=len(begins))
    odd.index_fill_(0, owners[left], True)
    return of_lengths(counts, child, to, fits)


def _leaves(one: json.Found, to: DType, cast: Cast) -> tuple[Column, Tensor]:
    """What is found as values that have no others in them, and where it is such a value; else these are NULL."""
    data, kinds, begins, stops = one.written()
    direct = _direct(to)
    assert direct is not None
    fits = (kinds >= direct[0]) & (kinds <= direct[1])
    if to.kind is Kind.BOOLEAN:
        first = data.index_select(0, begins.where(fits, 0)) if len(data) else torch.zeros_like(kinds)
        return Column(first == ord("t"), to, fits), fits
    if to.is_integer and integer_range(to)[1] < 2**64:
        values, _ = json.numbers(data, begins.where(fits, 0), stops.where(fits, 0))
        low, high = integer_range(to)
        fits &= (values >= max(low, -(2**63))) & (values <= min(high, 2**63 - 1))
        return _each(fits).finish(values.where(fits, 0).numpy(), to).with_valid(fits), fits
    if to.kind is Kind.DOUBLE:
        _, reals = json.numbers(data, begins.where(fits, 0), stops.where(fits, 0))
        # Digits that no short number has are read by the cast.
        long = (one.kinds == json.REAL) & ~one.is_written
        rows = torch.nonzero(long).flatten()  # host: on the CPU
        if len(rows):
            others, read = _cast(one.data, one.begins[rows], one.stops[rows], torch.ones_like(long[rows]), to, cast)
            reals[rows], fits[rows] = others.data, read
        return Column(reals, to, fits), fits
    if to.kind in (Kind.VARCHAR, Kind.JSON):
        if to.kind is Kind.VARCHAR:
            # As JSON small numbers are written otherwise.
            is_real = fits & (kinds == json.REAL)
            _, reals = json.numbers(data, begins.where(is_real, 0), stops.where(is_real, 0))
            fits &= (reals == 0) | (reals.abs() >= _LEAST)
            is_string = (kinds == json.STRING).long()
            begins, stops = begins + is_string, stops - is_string
        slices = Slices(data, begins.where(fits, 0), stops.where(fits, 0))
        rows = torch.nonzero(_is_escaped(one, to)).flatten()  # host: on the CPU
        if len(rows):
            texts = Slices(one.data, one.begins, one.stops).take(rows).strings().to_pylist()
            slices = slices.replaced(rows, [_text_of(text, to) for text in texts])
            fits = fits.index_fill(0, rows, True)
        return _each(fits).finish(slices, to).with_valid(fits), fits
    if direct[1] == json.STRING:
        begins, stops = begins + 1, stops - 1
    return _cast(data, begins, stops, fits, to, cast)


def _is_escaped(one: json.Found, to: DType) -> Tensor:
    """Where something stands that DuckDB writes otherwise, and that alone must be parsed."""
    is_text = (one.kinds == json.STRING) | (one.kinds >= json.ARRAY)
    return ~one.is_written & (is_text if to.kind is Kind.VARCHAR else one.kinds > json.NULL)


def _text_of(text: str, to: DType) -> str:
    checkpoint()
    value = parsed(text)
    return value if isinstance(value, str) and to.kind is Kind.VARCHAR else written(value)


def _each(rows: Tensor) -> Entries:
    """The entries of rows, of which each is one, on the host."""
    return Entries([], None, False, len(rows), None)


def _cast(data: Tensor, begins: Tensor, stops: Tensor, fits: Tensor, to: DType, cast: Cast) -> tuple[Column, Tensor]:
    """Texts as the cast reads them, where they fit, and where it reads one."""
    dictionary = Dictionary(Slices(data, begins.where(fits, 0), stops.where(fits, 0)).strings(), is_sorted=False)
    codes = torch.arange(len(fits), dtype=torch.int32, device=_CPU)
    column = cast(Column(codes, VARCHAR, fits, dictionary, dictionary.bounds), to, True)
    fits = fits if column.valid is None else fits & column.valid
    return column.with_valid(fits), fits
