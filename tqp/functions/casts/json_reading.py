"""JSON read as another type: once a distinct text, level by level, so that what is on one level is one column."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Final, TypeVar

import pyarrow as pa
import pyarrow.compute as pc
import torch
from torch import Tensor

from tqp.data.column import Column, constant
from tqp.data.dictionary import Dictionary
from tqp.data.nested import of_fields, of_lengths
from tqp.data.to_arrow import few_strings, integers
from tqp.functions.casts.hints import NULL_INSTEAD
from tqp.functions.entries import Entries, mapped, spread
from tqp.functions.joined_text import coded
from tqp.functions.json_text import MISSING, Members, Missing, Number, Value, kind, parsed, written
from tqp.functions.measured import by_values
from tqp.functions.slices import Slices
from tqp.functions.text_slices import slices_of
from tqp.kernels import json
from tqp.types import JSON, VARCHAR, DType, Kind, list_of

__all__ = ["Cast", "read", "read_values"]

Cast = Callable[[Column, DType, bool], Column]
Path = tuple[str, ...]
"""Where values lie: names of fields and members, and "" for the elements of lists and the values of maps."""
Found = Value | Missing
_T = TypeVar("_T")

_CPU: Final = torch.device("cpu")
_LARGEST_FLOAT: Final = float.fromhex("0x1.ffffffp+127")
"""What is beyond it is none, also after rounding."""
_STRICT: Final = (
    (lambda dtype: dtype.is_integer, re.compile(r"\s*-?(?:[0-9]+|0[xX][0-9a-fA-F]+|0[bB][01]+)\s*")),
    (lambda dtype: dtype.is_float, re.compile(r"(?![+\s])[^_]*(?<!\s)")),
    (lambda dtype: dtype.kind is Kind.BOOLEAN, re.compile(r"\D*")),
)
_DIRECT: Final = (
    (lambda dtype: dtype.is_integer, (json.INTEGER,)),
    (lambda dtype: dtype.is_float or dtype.is_decimal, (json.INTEGER, json.REAL)),
    (lambda dtype: dtype.is_temporal, (json.STRING,)),
    (lambda dtype: dtype.kind is Kind.BOOLEAN, (json.BOOLEAN,)),
)
"""What is written in JSON as in a text of the type."""


@dataclass(slots=True)
class _Reading:
    """What is read of some texts, and why some of them fail: the number of such a text, and the first reason.

    `is_strict`: a value that does not fit is an error of its text, else it is NULL; so is a field that is missing. With
    `is_cast` so is a member that no field is named for. `casts` are those of what lies at some paths, and `path` is where it reads.
    """

    cast: Cast
    is_strict: bool
    is_cast: bool
    failures: dict[int, str] = field(default_factory=dict)
    certain: dict[int, str] = field(default_factory=dict)
    """Those that are errors also where a value that does not fit is NULL."""
    casts: Mapping[Path, Cast] = field(default_factory=dict)
    path: Path = ()

    def inside(self, name: str) -> _Reading:
        """The reading of what lies in the values: it fails where this does."""
        return replace(self, path=(*self.path, name)) if self.casts else self

    def fail(self, text: int, reason: str) -> None:
        self.failures.setdefault(text, reason)


def read(column: Column, to: DType, cast: Cast, *, is_strict: bool, is_cast: bool) -> Column:
    """Texts of JSON as values of `to`; NULL stays NULL, and `null` is NULL. `cast` reads texts as other types.

    What does not fit is NULL, or with `is_strict` an ExecutionError if a row that is not NULL has it.
    """
    reading = _Reading(cast, is_strict, is_cast)
    plainly = _scalars(column, to, reading)
    if plainly is None:
        entries = spread([column])
        values = mapped(_value, entries)
        found = _column(values, range(len(values)), to, reading)
    else:
        entries, found = plainly
    failed = reading.failures if is_strict else reading.certain
    if failed:
        flags = pa.array([place in failed for place in range(entries.count)])
        entries.check(flags, [column], lambda place: failed[place], NULL_INSTEAD if is_cast else None)
    if not len(found):
        by_values()
    found = entries.column(found)
    if column.valid is None:
        return found
    return found.with_valid(column.valid if found.valid is None else found.valid & column.valid)


def read_values(
    values: Sequence[Found], to: DType, cast: Cast, casts: Mapping[Path, Cast]
) -> tuple[Column, dict[int, str]]:
    """Values as a column of `to` on the CPU, and why some do not fit, by their places: these, or what is in them, are NULL.

    `casts` are those of what lies at some paths, where these are not `cast`.
    """
    reading = _Reading(cast, is_strict=False, is_cast=False, casts=casts)
    return _column(values, range(len(values)), to, reading), reading.failures


def _scalars(column: Column, to: DType, reading: _Reading) -> tuple[Entries, Column] | None:
    """Entries and the values of these, where most texts say them as texts of the type do: these are read as they are.

    None of other types, and where the loop that reads them is not there.
    """
    direct = next((kinds for has, kinds in _DIRECT if has(to)), None)
    if direct is None or column.is_constant or not json.are_read(len(column)):
        return None
    own, entries = slices_of(column)
    data, kinds, begins, stops = json.find(own.data, own.begins, own.stops, ())
    known = torch.isin(kinds, torch.tensor(direct, dtype=kinds.dtype, device=_CPU))
    others = torch.nonzero(~known & (kinds != json.NULL)).flatten()  # host: on the CPU
    if 2 * len(others) > len(kinds):
        return None
    if json.STRING in direct:
        begins, stops = begins + 1, stops - 1
    spelled = Slices(data, begins.where(known, 0), stops.where(known, 0)).strings()
    if len(others):
        values = list(map(_value, own.take(others).strings().to_pylist()))
        shown = _all_spelled(values, others.tolist(), to, reading)  # host: on the CPU
        is_other = torch.zeros_like(known).index_fill(0, others, True)
        spelled = pc.replace_with_mask(
            spelled, pa.array(is_other.numpy()), pa.array([one or "" for one in shown], spelled.type)
        )
        known[others] = _known(shown)
    dictionary = Dictionary(spelled, is_sorted=False)
    rows = Column(
        torch.arange(len(kinds), dtype=torch.int32, device=_CPU), VARCHAR, known, dictionary, dictionary.bounds
    )
    return entries, _cast(rows, known, range(len(kinds)), to, reading)


def _value(text: str) -> Value:
    # What stands for NULL in a dictionary is no JSON.
    return parsed(text) if text else None


def _column(values: Sequence[Found], texts: Sequence[int], to: DType, reading: _Reading) -> Column:
    """The values (n,), each of the text of that number, as a column on the CPU."""
    match to.kind:
        case Kind.STRUCT:
            return _structs(values, texts, to, reading)
        case Kind.UNION:
            return _unions(values, texts, to, reading)
        case Kind.LIST | Kind.ARRAY:
            return _lists(values, texts, to, reading)
        case Kind.MAP:
            return _maps(values, texts, to, reading)
        case _:
            return _leaves(values, texts, to, reading)


def _fitting(
    values: Sequence[Found], texts: Sequence[int], wanted: type[_T], what: str, reading: _Reading
) -> list[_T | None]:
    """The values that are of a type of Python; None for others, which fail unless they are `null` or missing."""
    found: list[_T | None] = []
    for value, text in zip(values, texts, strict=True):
        found.append(value if isinstance(value, wanted) else None)
        if not isinstance(value, wanted | Missing) and value is not None:
            reading.fail(text, f"expected {what}, but found {kind(value)}: {written(value)}")
    return found


def _structs(values: Sequence[Found], texts: Sequence[int], to: DType, reading: _Reading) -> Column:
    objects = _fitting(values, texts, Members, "OBJECT", reading)
    fields = []
    for one in to.fields:
        members = [MISSING if of is None else of.get(one.name) for of in objects]
        if reading.is_strict:
            for of, member, text in zip(objects, members, texts, strict=True):
                if of is not None and isinstance(member, Missing):
                    reading.fail(text, f"object {written(of)} has no key {one.name!r}")
        fields.append(_column(members, texts, one.type, reading.inside(one.name)))
    if reading.is_strict:
        names = {one.name for one in to.fields}
        for of, text in zip(objects, texts, strict=True):
            keys = [] if of is None else [name for name, _ in of.pairs if reading.is_cast or name in names]
            if of is not None and len(keys) != len(names.intersection(keys)):
                reading.fail(text, f"object {written(of)} has a key twice, or one that is no field")
    # What is no object has no member, as if it were one without any.
    known = [None if isinstance(value, Missing) else value for value in values]
    return of_fields(fields, to, _CPU).expand(len(values)).with_valid(_known(known))


def _unions(values: Sequence[Found], texts: Sequence[int], to: DType, reading: _Reading) -> Column:
    """Objects of one member that is one of the type, by its exact name."""
    objects = _fitting(values, texts, Members, "OBJECT", reading)
    names = {one.name: place for place, one in enumerate(to.fields)}
    numbers: list[int | None] = []
    for of, text in zip(objects, texts, strict=True):
        number = names.get(of.pairs[0][0]) if of is not None and len(of.pairs) == 1 else None
        if of is not None and number is None:
            reading.fail(text, f"object {written(of)} is none of one member of {to}")
        numbers.append(number)
    parts = []
    for place, one in enumerate(to.fields):
        pairs = zip(objects, numbers, strict=True)
        held = [of.pairs[0][1] if of is not None and number == place else MISSING for of, number in pairs]
        parts.append(_column(held, texts, one.type, reading.inside(one.name)))
    codes = torch.tensor([number or 0 for number in numbers], dtype=torch.int64, device=_CPU)
    tags = Column(codes, to.tag, bounds=(0, len(to.fields) - 1))
    return of_fields([tags, *parts], to, _CPU).with_valid(_known(numbers))


def _lists(values: Sequence[Found], texts: Sequence[int], to: DType, reading: _Reading) -> Column:
    lists: list[list[Any] | None] = _fitting(values, texts, list, "ARRAY", reading)
    assert to.element is not None
    if to.size:
        for place, (of, text) in enumerate(zip(lists, texts, strict=True)):
            if of is not None and len(of) != to.size:
                reading.fail(text, f"expected an array of {to.size} elements, but found {len(of)}")
                lists[place] = None
    counts = [0 if of is None else len(of) for of in lists]
    owners = [text for text, count in zip(texts, counts, strict=True) for _ in range(count)]
    items = list(chain.from_iterable([of for of in lists if of is not None]))
    child = _column(items, owners, to.element, reading.inside(""))
    dtype = list_of(to.element) if to.is_array else to
    made = of_lengths(torch.tensor(counts, dtype=torch.int64, device=_CPU), child, dtype, _known(lists))
    if not to.is_array:
        return made
    assert made.valid is not None
    whole = made.valid
    if child.valid is not None:
        # What does not fit is NULL, too, and an array holds none.
        owner = torch.repeat_interleave(torch.tensor(counts, dtype=torch.int64, device=_CPU), output_size=len(items))
        whole = whole.index_fill(0, owner[~child.valid], False)
        for place in torch.nonzero(made.valid & ~whole).flatten().tolist():  # host: on the CPU
            reason = f"an element of a {to} is NULL, which tqp does not hold"
            reading.fail(texts[place], reason)
            reading.certain.setdefault(texts[place], reason)
    return reading.cast(made.with_valid(whole), to, True)


def _maps(values: Sequence[Found], texts: Sequence[int], to: DType, reading: _Reading) -> Column:
    objects = _fitting(values, texts, Members, "OBJECT", reading)
    assert to.element is not None
    key, value = to.element.children
    for place, (of, text) in enumerate(zip(objects, texts, strict=True)):
        if of is not None and len({name for name, _ in of.pairs}) != len(of.pairs):
            reading.fail(text, "the keys of a map differ")
            objects[place] = None
    keys, inner = _keys(objects, key, reading)
    if inner.failures:
        # A key is never NULL: a map with one that does not fit is none.
        for place, reason in inner.failures.items():
            reading.fail(texts[place], reason)
            objects[place] = None
        keys, _ = _keys(objects, key, reading)
    counts = [0 if of is None else len(of.pairs) for of in objects]
    owners = [text for text, count in zip(texts, counts, strict=True) for _ in range(count)]
    values_of = [one for of in objects if of is not None for _, one in of.pairs]
    made = of_fields([keys, _column(values_of, owners, value, reading.inside(""))], to.element, _CPU)
    return of_lengths(torch.tensor(counts, dtype=torch.int64, device=_CPU), made, to, _known(objects))


def _keys(objects: Sequence[Members | None], key: DType, reading: _Reading) -> tuple[Column, _Reading]:
    """The keys of the objects, and what reads them: its failures are those of places among the objects."""
    pairs = [(place, name) for place, of in enumerate(objects) if of is not None for name, _ in of.pairs]
    inner = _Reading(reading.cast, True, reading.is_cast)
    found = _column([name for _, name in pairs], [place for place, _ in pairs], key, inner)
    return found.with_valid(None), inner


def _leaves(values: Sequence[Found], texts: Sequence[int], to: DType, reading: _Reading) -> Column:
    """Values that have no others in them, by the text that a cast reads."""
    spelled = _all_spelled(values, texts, to, reading)
    known = _known(spelled)
    rows = coded(few_strings([one or "" for one in spelled], pa.large_string()), None, _CPU).with_valid(known)
    if to == JSON:
        return coded(few_strings([one or "null" for one in spelled], pa.large_string()), None, _CPU, JSON).with_valid(
            known
        )
    if to == VARCHAR:
        return rows
    if to.kind is Kind.NULL:
        return constant(None, to, _CPU).expand(len(values))
    return _cast(rows, known, texts, to, reading)


def _all_spelled(values: Sequence[Found], texts: Sequence[int], to: DType, reading: _Reading) -> list[str | None]:
    """Each value as a text that a cast to the type reads; None of `null`, of what is missing, and of those that fail."""
    spelled: list[str | None] = []
    is_exact = reading.is_cast or reading.is_strict
    for value, text in zip(values, texts, strict=True):
        shown = None
        if value is not None and not isinstance(value, Missing):
            shown = _spelled(value, to, is_exact)
            if shown is None:
                reading.fail(text, f"could not convert {written(value)} to {to}")
        spelled.append(shown)
    return spelled


def _cast(rows: Column, known: Tensor, texts: Sequence[int], to: DType, reading: _Reading) -> Column:
    """Texts (n,), which mean nothing where they are not `known`, as values of the type."""
    found = reading.casts.get(reading.path, reading.cast)(rows, to, True)
    if found.valid is None:
        return found.with_valid(known)
    assert rows.dictionary is not None
    lost = torch.nonzero(known & ~found.valid).flatten()  # host: on the CPU
    strings = rows.dictionary.values.take(integers(rows.data.index_select(0, lost).numpy())).to_pylist()
    for place, string in zip(lost.tolist(), strings, strict=True):  # host: on the CPU
        reading.fail(texts[place], f"could not convert {string!r} to {to}")
    return found


def _spelled(value: Value, to: DType, is_exact: bool) -> str | None:
    """A value as a text that a cast to the type reads; None where JSON of this kind is none of the type.

    If `is_exact` a string is read more strictly than text is: a whole number has no point, a truth value is no number.
    """
    if to == JSON:
        return written(value)
    if isinstance(value, str):
        strict = next((form for has, form in _STRICT if has(to)), None) if is_exact else None
        return value if strict is None or strict.fullmatch(value) else None
    if to.kind in (Kind.VARCHAR, Kind.BLOB):
        return written(value)
    if isinstance(value, bool):
        return str(value).lower() if to.kind is Kind.BOOLEAN else str(int(value)) if to.is_numeric else None
    if not isinstance(value, Number):
        return None
    if to.kind is Kind.BOOLEAN:
        return str(value.number != 0).lower()
    if to.is_integer:
        return value.whole
    if to.is_float:
        is_beyond = to.kind is Kind.FLOAT and _LARGEST_FLOAT < abs(value.number) < math.inf
        return None if is_beyond else str(value.number)
    return value.source if to.is_decimal else None


def _known(values: Sequence[object]) -> Tensor:
    return torch.tensor([value is not None for value in values], dtype=torch.bool, device=_CPU)
