"""What paths find in many texts of JSON, as slices of these: the texts are read in one loop, and nothing is made of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, Final

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.errors import ExecutionError
from tqp.functions.entries import Entries, number, string
from tqp.functions.json_paths import path_of
from tqp.functions.registry import Args
from tqp.functions.slices import Slices
from tqp.functions.text_slices import slices_of
from tqp.interrupt import checkpoint
from tqp.kernels import json
from tqp.kernels.slices import gathered
from tqp.types import DType

__all__ = ["Slicing", "found_at_all", "kinds_named", "sliced"]


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
    paths, whole, entries, (data, kinds, begins, stops) = looked
    known = kinds != json.MISSING
    for kind in by.nulls:
        known &= kinds != kind
    if by.bare:
        is_string = (kinds == json.STRING).long()
        begins, stops = begins + is_string, stops - is_string
    rows, found = _left(args, kinds, paths, whole, entries, one)
    if found:
        raw = [text.encode() if isinstance(text, str) else b"" for text in found]
        # Behind copies of what was found, as the bytes of all texts may be many more.
        data, bounds = gathered(data, begins, stops)
        begins, stops = bounds[:-1].clone(), bounds[1:].clone()
        ends = torch.tensor([0, *accumulate(map(len, raw))], dtype=torch.int64, device=data.device) + data.shape[0]
        begins[rows], stops[rows] = ends[:-1], ends[1:]
        known[rows] = torch.tensor([isinstance(text, str) for text in found], device=known.device)
        data = torch.cat([data, torch.frombuffer(bytearray(b"".join(raw) or b" "), dtype=torch.uint8)])
    nothing = ~known
    slices = Slices(data, begins.masked_fill(nothing, 0), stops.masked_fill(nothing, 0))
    return replace(entries.finish(slices, out), valid=entries.rows(known))


def found_at_all(args: Args, out: DType, one: Callable[..., Any]) -> Column | None:
    """Whether something lies at a path; else as `sliced`."""
    looked = _looked(args)
    if looked is None:
        return None
    paths, whole, entries, (_, kinds, _, _) = looked
    known = kinds != json.MISSING
    rows, found = _left(args, kinds, paths, whole, entries, one)
    if found:
        known[rows] = torch.tensor([answer is True for answer in found], device=known.device)
    return Column(entries.rows(known), out)


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
    paths, whole, entries, (data, kinds, begins, _) = looked
    names = ["", *_NAMES.values(), _BELOW_ZERO]
    table = torch.zeros(256, dtype=torch.int64, device=kinds.device)
    table[list(_NAMES)] = torch.arange(1, len(_NAMES) + 1, device=kinds.device)
    numbers = table.index_select(0, kinds.long())
    if data.shape[0]:
        is_below = (kinds == json.INTEGER) & (data.index_select(0, begins.clamp(max=data.shape[0] - 1)) == ord("-"))
        numbers[is_below] = len(names) - 1
    rows, found = _left(args, kinds, paths, whole, entries, one)
    if found:
        named = [names.index(name) if isinstance(name, str) else 0 for name in found]
        numbers[rows] = torch.tensor(named, dtype=torch.int64, device=numbers.device)
    made = entries.finish(pa.array(names, pa.large_string()).take(pa.array(numbers.numpy())), out)
    return replace(made, valid=entries.rows(numbers > 0))


_Looked = tuple[list[str | int], Slices, Entries, tuple[Tensor, Tensor, Tensor, Tensor]]


def _looked(args: Args) -> _Looked | None:
    """The paths, the texts, their entries, and what `json.find` finds; None where the loop is not there, or not for such paths."""
    texts, *places = args
    if texts.is_constant or not all(place.is_constant for place in places) or not json.are_read(len(texts)):
        return None
    paths = [string(place) if place.dtype.is_text else number(place) for place in places]
    steps = _plain_steps(paths)
    if steps is None:
        return None
    whole, entries = slices_of(texts)
    return paths, whole, entries, json.find(whole.data, whole.begins, whole.stops, steps)


def _left(
    args: Args, kinds: Tensor, paths: list[str | int], whole: Slices, entries: Entries, one: Callable[..., Any]
) -> tuple[Tensor, list[Any]]:
    """The texts where the loop cannot tell, and what each gives."""
    rows = torch.nonzero(kinds == json.ODD).flatten()  # host: on the CPU
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


def _tried(one: Callable[..., str | None], text: str | None, paths: Sequence[str | int]) -> str | ExecutionError | None:
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
