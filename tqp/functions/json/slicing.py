"""What paths find in many texts of JSON, as slices of these: the texts are read in one loop, and nothing is made of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain
from typing import Any, Final

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.nested import of_lengths
from tqp.errors import ExecutionError
from tqp.functions.entries import Entries, number, string
from tqp.functions.json_paths import path_of
from tqp.functions.registry import Args
from tqp.functions.slices import Slices
from tqp.functions.text_slices import slices_of
from tqp.interrupt import checkpoint
from tqp.kernels import json
from tqp.types import DType

__all__ = ["Slicing", "counted", "found_at_all", "keys_listed", "kinds_named", "sliced", "sliced_each"]


@dataclass(frozen=True, slots=True)
class Slicing:
    """What functions make of what lies at a path: its text, NULL of what is of the `nulls`; strings without quotes if `bare`."""

    nulls: tuple[int, ...] = ()
    bare: bool = False


def sliced(args: Args, out: DType, by: Slicing, one: Callable[..., str | None]) -> Column | None:
    """What lies at a path, the second argument, in texts of JSON, the first one; further arguments are paths from there.

    `one` gives it for a text and the paths where the loop cannot tell; its ExecutionErrors are those of the rows that have the
    text. None where the loop is not there, or not for such a path.
    """
    looked = _looked(args)
    if looked is None:
        return None
    paths, whole, entries, at = looked
    slices, known = _parts(at, by, one)
    rows, found = _left(args, at.marks == json.ODD, paths, whole, entries, one)
    if found:
        slices, known = _with(slices, known, rows, found)
    return replace(entries.finish(slices, out), valid=entries.rows(known))


def sliced_each(args: Args, out: DType, by: Slicing, many: Callable[..., list[Any]]) -> Column | None:
    """The lists of what lies at each of the paths, the arguments behind the first one, in texts of JSON; else as `sliced`."""
    assert out.element is not None
    texts, *places = args
    if texts.is_constant or not all(place.is_constant for place in places) or not json.are_read(len(texts)):
        return None
    paths = list(map(_path, places))
    steps = [one for one in [_plain_steps([path]) for path in paths] if one is not None]
    if len(steps) < len(paths) or not paths:
        return None
    whole, entries = slices_of(texts)
    places_of = json.find(whole.data, whole.begins, whole.stops, steps)
    parts = [_parts(at, by, lambda text: many(text, "")[0]) for at in places_of]
    pieces = [of.data for of, _ in parts]
    is_shared = all(one is pieces[0] for one in pieces)
    starts = [0 if is_shared else start for start in accumulate(map(len, pieces), initial=0)]
    placed = [(of.begins + at, of.stops + at, known) for (of, known), at in zip(parts, starts, strict=False)]
    begins, stops, known = (torch.stack(rows, 1).flatten() for rows in zip(*placed, strict=True))
    slices = Slices(pieces[0] if is_shared else torch.cat(pieces), begins, stops)
    is_odd = torch.stack([at.marks == json.ODD for at in places_of]).any(0)
    rows, found = _left(args, is_odd, paths, whole, entries, many)
    if found:
        every = (len(parts) * rows[:, None] + torch.arange(len(parts), device=rows.device)).flatten()
        lists = [of if isinstance(of, list) else [None] * len(parts) for of in found]
        slices, known = _with(slices, known, every, list(chain.from_iterable(lists)))
    child = _every(len(known)).finish(slices, out.element).with_valid(known)
    counts = torch.full((entries.count,), len(parts), dtype=torch.int64, device=rows.device)
    return entries.column(of_lengths(counts, child, out))


def _every(count: int) -> Entries:
    """The entries of so many rows, of which each is one, on the host."""
    return Entries([], None, False, count, None)


def _parts(at: json.Found, by: Slicing, one: Callable[[str], Any]) -> tuple[Slices, Tensor]:
    """What functions make of what lies at a path, and where that is not NULL. `one` makes it of a text where it is not written as
    DuckDB does."""
    data, kinds, begins, stops = at.written()
    known = kinds != json.MISSING
    for kind in by.nulls:
        known &= kinds != kind
    if by.bare:
        is_string = (kinds == json.STRING).long()
        begins, stops = begins + is_string, stops - is_string
    nothing = ~known
    slices = Slices(data, begins.masked_fill(nothing, 0), stops.masked_fill(nothing, 0))
    rows = torch.nonzero(~at.is_written).flatten()  # host: on the CPU
    if not len(rows):
        return slices, known
    texts = Slices(at.data, at.begins, at.stops).take(rows).strings().to_pylist()
    return _with(slices, known, rows, [_tried(one, text, []) for text in texts])


def _with(slices: Slices, known: Tensor, rows: Tensor, found: list[Any]) -> tuple[Slices, Tensor]:
    """The slices with other texts in some rows, and where there are some: what is no text is NULL."""
    is_text = torch.tensor([isinstance(text, str) for text in found], device=known.device)
    texts = [text if isinstance(text, str) else "" for text in found]
    return slices.replaced(rows, texts), known.index_copy(0, rows, is_text)


def found_at_all(args: Args, out: DType, one: Callable[..., Any]) -> Column | None:
    """Whether something lies at a path; else as `sliced`."""
    looked = _looked(args)
    if looked is None:
        return None
    paths, whole, entries, at = looked
    known = at.kinds != json.MISSING
    rows, found = _left(args, at.marks == json.ODD, paths, whole, entries, one)
    if found:
        known[rows] = torch.tensor([answer is True for answer in found], device=known.device)
    return Column(entries.rows(known), out)


def counted(args: Args, out: DType, one: Callable[..., Any]) -> Column | None:
    """How many elements the list at a path has, 0 of what is no list; else as `sliced`."""
    looked = _looked(args)
    if looked is None:
        return None
    paths, whole, entries, at = looked
    known, counts = at.kinds != json.MISSING, torch.where(at.kinds == json.ARRAY, at.sizes, 0)
    rows, found = _left(args, at.marks == json.ODD, paths, whole, entries, one)
    if found:
        known[rows] = torch.tensor([isinstance(count, int) for count in found], device=known.device)
        tried = [count if isinstance(count, int) else 0 for count in found]
        counts[rows] = torch.tensor(tried, dtype=torch.int64, device=known.device)
    return replace(entries.finish(counts.numpy(), out), valid=entries.rows(known))


def keys_listed(args: Args, out: DType, one: Callable[..., Any]) -> Column | None:
    """The names of the members of the object at a path, none of what is no object; else as `sliced`."""
    looked = _looked(args)
    if looked is None:
        return None
    assert out.element is not None
    paths, whole, entries, at = looked
    known, is_odd = at.kinds != json.MISSING, at.marks == json.ODD
    counts = torch.where(at.kinds == json.OBJECT, at.sizes, 0)
    heads, tails, _, _ = json.split(at.data, at.begins, at.stops, counts)
    owners = torch.repeat_interleave(counts, output_size=len(heads))
    is_odd = is_odd.index_fill(0, owners[tails < 0], True)
    rows, found = _left(args, is_odd, paths, whole, entries, one)
    lists = [names if isinstance(names, list) else [] for names in found]
    # The names of the others stand behind those of all texts.
    sizes = torch.tensor(list(map(len, lists)), dtype=torch.int64, device=counts.device)
    starts = torch.cumsum(counts, 0) - counts
    starts = starts.index_copy(0, rows, torch.cumsum(sizes, 0) - sizes + len(heads))
    counts = counts.index_copy(0, rows, sizes)
    if found:
        known[rows] = torch.tensor([isinstance(names, list) for names in found], device=known.device)
    plain = tails >= 0
    more = list(chain.from_iterable(lists))
    names = Slices(at.data, heads.where(plain, 0), tails.where(plain, 0))
    names = names.followed(more) if more else names
    child = _every(len(names.begins)).finish(names, out.element)
    made = Column(torch.stack([starts, counts], 1), out, known, children=(child,))
    return entries.column(made)


_NAMES: Final = {
    json.NULL: "NULL", json.STRING: "VARCHAR", json.BOOLEAN: "BOOLEAN", json.INTEGER: "UBIGINT", json.REAL: "DOUBLE",
    json.ARRAY: "ARRAY", json.OBJECT: "OBJECT",
}  # fmt: skip
_BELOW_ZERO: Final = "BIGINT"


def kinds_named(args: Args, out: DType, one: Callable[..., Any]) -> Column | None:
    """What DuckDB calls what lies at a path, or what the text itself is; else as `sliced`."""
    looked = _looked(args)
    if looked is None:
        return None
    paths, whole, entries, at = looked
    data, begins, kinds = at.data, at.begins, at.kinds
    # Whole numbers of many digits are of other types.
    is_odd = (at.marks == json.ODD) | ((kinds == json.INTEGER) & ~at.is_written)
    names = ["", *_NAMES.values(), _BELOW_ZERO]
    table = torch.zeros(256, dtype=torch.int64, device=kinds.device)
    table[list(_NAMES)] = torch.arange(1, len(_NAMES) + 1, device=kinds.device)
    numbers = table.index_select(0, kinds.long())
    if data.shape[0]:
        is_below = (kinds == json.INTEGER) & (data.index_select(0, begins.clamp(max=data.shape[0] - 1)) == ord("-"))
        numbers[is_below] = len(names) - 1
    rows, found = _left(args, is_odd, paths, whole, entries, one)
    if found:
        named = [names.index(name) if isinstance(name, str) else 0 for name in found]
        numbers[rows] = torch.tensor(named, dtype=torch.int64, device=numbers.device)
    made = entries.finish(pa.array(names, pa.large_string()).take(pa.array(numbers.numpy())), out)
    return replace(made, valid=entries.rows(numbers > 0))


_Looked = tuple[list[str | int], Slices, Entries, json.Found]


def _looked(args: Args) -> _Looked | None:
    """The paths, the texts, their entries, and what `json.find` finds; None where the loop is not there, or not for such paths."""
    texts, *places = args
    if texts.is_constant or not all(place.is_constant for place in places) or not json.are_read(len(texts)):
        return None
    paths = list(map(_path, places))
    steps = _plain_steps(paths)
    if steps is None:
        return None
    whole, entries = slices_of(texts)
    return paths, whole, entries, json.find(whole.data, whole.begins, whole.stops, [steps])[0]


def _path(place: Column) -> str | int:
    return string(place) if place.dtype.is_text else number(place)


def _left(
    args: Args, is_odd: Tensor, paths: list[str | int], whole: Slices, entries: Entries, one: Callable[..., Any]
) -> tuple[Tensor, list[Any]]:
    """The texts where the loop cannot tell, and what each gives."""
    rows = torch.nonzero(is_odd).flatten()  # host: on the CPU
    found = [_tried(one, text, paths) for text in whole.take(rows).strings().to_pylist()]
    if found:
        _check(entries, args, rows.numpy(), found)
    return rows, found


def _plain_steps(paths: Sequence[str | int]) -> tuple[str | int, ...] | None:
    """The steps of paths, one after the other, by names and places that do not count from the end; None of any others."""
    try:
        found = [path_of(path) for path in paths]
    except ExecutionError:
        return None
    steps = [step for path in found for step in path.steps]
    plain = tuple([step for step in steps if isinstance(step, str) or (isinstance(step, int) and step >= 0)])
    return None if any(path.is_pointer for path in found) or len(plain) < len(steps) else plain


def _tried(one: Callable[..., Any], text: str | None, paths: Sequence[str | int]) -> Any:
    checkpoint()
    try:
        # No row has what stands for NULL in a dictionary.
        return None if text is None else one(text, *paths)
    except ExecutionError as error:
        return error


def _check(entries: Entries, args: Args, left: np.ndarray, found: list[Any]) -> None:
    """Raise the error of a text that a row without NULL has."""
    errors = {int(row): one for row, one in zip(left, found, strict=True) if isinstance(one, ExecutionError)}
    if errors:
        failed = np.zeros(entries.count, np.bool_)
        failed[list(errors)] = True
        entries.check(pa.array(failed), args, lambda row: errors[row])
