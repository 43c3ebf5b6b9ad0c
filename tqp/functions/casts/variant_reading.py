"""VARIANT read as another type: once a distinct document, level by level, the leaves of each type by the cast of that type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

import pyarrow as pa
import torch
from torch import Tensor

from tqp.data.column import Column, constant
from tqp.data.nested import of_fields, of_lengths
from tqp.errors import ExecutionError
from tqp.functions.align import concat
from tqp.functions.casts.hints import NULL_INSTEAD
from tqp.functions.casts.nested_text import checked_map, texts_of
from tqp.functions.entries import mapped, spread
from tqp.functions.joined_text import strings
from tqp.functions.measured import by_values
from tqp.functions.per_text import column_of
from tqp.functions.promotion import castable
from tqp.functions.variant_documents import (
    Document,
    by_type,
    kind_of,
    leaf,
    parsed,
    parts,
    shown,
    spelled_json,
    type_of,
    written,
)
from tqp.types import JSON, TIMESTAMPTZ, TIMESTAMPTZ_NS, VARCHAR, VARIANT, DType, Kind, list_of

__all__ = ["read", "texts_inside"]

Cast = Callable[[Column, DType, bool], Column]

_CPU: Final = torch.device("cpu")


@dataclass(slots=True)
class _Reading:
    """How leaves are cast, and why some documents are no values of the type, by their numbers: the first reason of each."""

    cast: Cast
    failures: dict[int, str] = field(default_factory=dict)

    def fail(self, owner: int, reason: str) -> None:
        self.failures.setdefault(owner, reason)


def read(column: Column, to: DType, safe: bool, cast: Cast) -> Column:
    """The values as `to`, by `cast` of leaves as the types that these have; NULL stays NULL.

    What does not fit, be it in a list or a struct, is an ExecutionError where a row has it, or the whole is NULL if `safe`.
    A struct takes the members of its names, NULL where there is none, and leaves others out; an object that has no member of
    any of its names does not fit.
    """
    entries = spread([column])
    documents = mapped(parsed, entries)
    reading = _Reading(cast)
    found = _column(documents, range(len(documents)), to, reading)
    if not column.is_constant and not len(column):
        # Without values nothing is known of those to come: as a text of them.
        by_values()
        return found.slice(0, 0) if to.is_nested or to.is_coded else cast(texts_of([], column.device), to, True)
    if reading.failures:
        bad = torch.zeros(entries.count, dtype=torch.bool, device=_CPU)
        bad[list(reading.failures)] = True
        if not safe:
            entries.check(pa.array(bad.numpy()), [column], lambda row: reading.failures[row], NULL_INSTEAD)
        found = found.with_valid(~bad if found.valid is None else found.valid & ~bad)
    found = entries.column(found)
    if column.valid is None:
        return found
    return found.with_valid(column.valid if found.valid is None else found.valid & column.valid)


def _column(documents: Sequence[Document | None], owners: Sequence[int], to: DType, reading: _Reading) -> Column:
    """The values (n,), each a part of the document of that number, as a column on the CPU."""
    if to == VARIANT:
        return column_of([None if one is None else written(one) for one in documents], to)
    if to == JSON:
        return column_of([None if one is None else spelled_json(one) for one in documents], to)
    if to == VARCHAR:
        return column_of([None if one is None else shown(one) for one in _as_shown(documents, reading.cast)], to)
    whole = _whole(documents, owners, to, reading)
    leaves = [one if isinstance(one, str) else None for one in documents]
    if not any(leaves):
        return whole
    read = _leaves(leaves, owners, to, reading)
    if not to.is_nested:
        return read
    # Texts that say lists and structs, side by side with these.
    places = torch.arange(len(documents), dtype=torch.int64, device=_CPU)
    places += len(documents) * torch.tensor([one is not None for one in leaves], device=_CPU)
    return concat([whole, read], [len(documents)] * 2).take(places)


def texts_inside(column: Column, cast: Cast) -> Column:
    """The texts of variants (n,) that stand in other values, instants as `cast` shows them."""
    entries = spread([column])
    found = [shown(one, inside=True) for one in _as_shown(mapped(parsed, entries), cast)]
    return entries.finish(pa.array(found, pa.large_string()), VARCHAR).with_valid(column.valid)


def _as_shown(documents: Sequence[Document | None], cast: Cast) -> Sequence[Document | None]:
    """The documents with instants as `cast` shows them, which may be by the clocks of a zone."""
    texts: dict[str, str] = {}
    for dtype, leaves in by_type(documents).items():
        if dtype in (TIMESTAMPTZ, TIMESTAMPTZ_NS):
            column = cast(texts_of([parts(one)[1] for one in leaves], _CPU), dtype, False)
            found = strings(cast(column, VARCHAR, False)).to_pylist()
            texts.update(zip(leaves, [leaf(dtype, text) for text in found], strict=True))
    return [_replaced(one, texts) for one in documents] if texts else documents


def _replaced(document: Document | None, leaves: dict[str, str]) -> Document | None:
    if isinstance(document, list):
        return [_replaced(item, leaves) for item in document]
    if isinstance(document, dict):
        return {name: _replaced(item, leaves) for name, item in document.items()}
    return None if document is None else leaves.get(document, document)


def _whole(documents: Sequence[Document | None], owners: Sequence[int], to: DType, reading: _Reading) -> Column:
    """Those of the values that are arrays or objects; NULL where there are others, which fail if they are no leaves."""
    is_object = to.kind is Kind.STRUCT
    wanted = (dict,) if is_object else (list,) if to.is_nested else ()
    found = []
    for document, owner in zip(documents, owners, strict=True):
        fits = isinstance(document, wanted)
        found.append(document if fits else None)
        if not fits and isinstance(document, list | dict):
            reading.fail(owner, _reason(document, to))
    known = torch.tensor([one is not None for one in found], dtype=torch.bool, device=_CPU)
    if is_object:
        members: list[dict[str, Document | None]] = [one if isinstance(one, dict) else {} for one in found]
        names = [{name.lower(): name for name in reversed(one)} for one in members]
        fields = []
        for one in to.fields:
            values = [
                of[one.name] if one.name in of else of.get(by.get(one.name.lower(), one.name))
                for of, by in zip(members, names, strict=True)
            ]
            fields.append(_column(values, owners, one.type, reading))
        wanted_names = {one.name.lower() for one in to.fields}
        for document, known_names, owner in zip(found, names, owners, strict=True):
            if document is not None and wanted_names and wanted_names.isdisjoint(known_names):
                reading.fail(owner, f"an object of {', '.join(known_names.values()) or 'no members'} has none of {to}")
        return of_fields(fields, to, _CPU).with_valid(known)
    if not to.is_nested:
        return constant(None, to, _CPU).expand(len(documents))
    return _lists([one if isinstance(one, list) else None for one in found], owners, to, reading).with_valid(known)


def _lists(lists: list[list[Document | None] | None], owners: Sequence[int], to: DType, reading: _Reading) -> Column:
    assert to.element is not None
    if to.size:
        for place, (of, owner) in enumerate(zip(lists, owners, strict=True)):
            if of is not None and len(of) != to.size:
                reading.fail(owner, f"an array of {len(of)} elements cannot become {to}")
                lists[place] = None
    sizes, child = _items(lists, owners, to.element, reading)
    if to.kind is not Kind.MAP and not to.is_array:
        return of_lengths(sizes, child, to)
    if any(owner in reading.failures for owner in owners):
        # A key, or an element of an array, that did not fit is NULL, and neither may be: such lists are left out.
        lists = [None if owner in reading.failures else of for of, owner in zip(lists, owners, strict=True)]
        sizes, child = _items(lists, owners, to.element, reading)
    known = torch.tensor([of is not None for of in lists], dtype=torch.bool, device=_CPU)
    if to.is_array:
        return reading.cast(of_lengths(sizes, child, list_of(to.element), known), to, True)
    rows = torch.repeat_interleave(sizes, output_size=len(child))
    made = checked_map(of_lengths(sizes, child, to, known), rows, True)
    assert made.valid is not None
    for place in torch.nonzero(known & ~made.valid).flatten().tolist():  # host: on the CPU
        reading.fail(owners[place], f"a key of a map is NULL or comes twice, for {to}")
    return made


def _items(
    lists: Sequence[list[Document | None] | None], owners: Sequence[int], element: DType, reading: _Reading
) -> tuple[Tensor, Column]:
    """How many elements each list has, and these, list by list."""
    counts = [0 if of is None else len(of) for of in lists]
    of_items = [owner for owner, count in zip(owners, counts, strict=True) for _ in range(count)]
    items = list(chain.from_iterable([of for of in lists if of is not None]))
    return torch.tensor(counts, dtype=torch.int64, device=_CPU), _column(items, of_items, element, reading)


def _leaves(leaves: Sequence[str | None], owners: Sequence[int], to: DType, reading: _Reading) -> Column:
    """The values (n,) of leaves, type by type; None is NULL."""
    by_type: dict[str, list[int]] = {}
    texts = []
    for place, one in enumerate(leaves):
        name, text = parts(one) if one is not None else ("", "")
        texts.append(text)
        by_type.setdefault(name, []).append(place)
    columns, order = [], []
    for name, places in by_type.items():
        order += places
        if not name:
            columns.append(constant(None, to, _CPU).expand(len(places)))
            continue
        have = type_of(name)
        found = _cast([texts[place] for place in places], have, to, reading.cast)
        columns.append(found)
        if found.valid is not None:
            for place in torch.nonzero(~found.valid).flatten().tolist():  # host: on the CPU
                lost = leaves[places[place]]
                assert lost is not None
                reading.fail(owners[places[place]], _reason(lost, to))
    made = concat(columns, [len(one) for one in columns])
    back = torch.empty(len(order), dtype=torch.int64, device=_CPU)
    back[torch.tensor(order, dtype=torch.int64, device=_CPU)] = torch.arange(len(order), device=_CPU)
    return made.take(back)


def _cast(texts: list[str], have: DType, to: DType, cast: Cast) -> Column:
    """Texts of one type as values of another; NULL where there is no such value, or no such cast."""
    null = constant(None, to, _CPU).expand(len(texts))
    if to.is_nested and (have != VARCHAR or not castable(have, to)):
        return null
    column = texts_of(texts, _CPU)
    try:
        return cast(cast(column, have, False), to, True).expand(len(texts))
    except ExecutionError:
        return null


def _reason(document: Document, to: DType) -> str:
    if to.is_nested and not isinstance(document, str):
        wanted = "OBJECT" if to.is_struct else "ARRAY"
        return f"expected {wanted}, but found {kind_of(document, whole=False)}: {shown(document)}, for {to}"
    return f"could not convert {kind_of(document, whole=False)} value '{shown(document)}' to {to}"
