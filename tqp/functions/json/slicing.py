"""What paths find in many texts of JSON, as slices of these: the texts are read in one loop, and nothing is made of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import torch

from tqp.data.column import Column
from tqp.data.dictionary import Dictionary
from tqp.errors import ExecutionError
from tqp.functions.entries import Entries, Slices, spread
from tqp.functions.json_paths import path_of
from tqp.functions.registry import Args
from tqp.interrupt import checkpoint
from tqp.kernels import json
from tqp.types import DType

__all__ = ["Slicing", "sliced"]


@dataclass(frozen=True, slots=True)
class Slicing:
    """What functions make of what lies at a path: its text, NULL of what is of the `nulls`; strings without quotes if `bare`."""

    nulls: tuple[int, ...] = ()
    bare: bool = False


def sliced(args: Args, out: DType, by: Slicing, one: Callable[..., str | None]) -> Column | None:
    """What lies at a path, the second argument, in texts of JSON, the first one.

    `one` gives it for a text and the path where the loop cannot tell; its ExecutionErrors are those of the rows that have the text.
    None where the loop is not there, or not for that path.
    """
    texts, place = args
    if texts.is_constant or not place.is_constant or not json.are_read(len(texts)):
        return None
    entries = spread(args)
    path = entries.operands[1]
    steps = _plain_steps(path)
    if steps is None:
        return None
    strings = entries.array(0)
    data, offsets = Dictionary(strings, is_sorted=False).bytes_and_offsets()
    data, kinds, begins, stops = json.find(data, offsets, steps)
    known = kinds != json.MISSING
    for kind in by.nulls:
        known &= kinds != kind
    if by.bare:
        is_string = (kinds == json.STRING).long()
        begins, stops = begins + is_string, stops - is_string
    left = np.flatnonzero((kinds == json.ODD).numpy())
    if len(left):
        found = [_tried(one, text, path) for text in strings.take(pa.array(left)).to_pylist()]
        _check(entries, args, left, found)
        raw = [text.encode() if isinstance(text, str) else b"" for text in found]
        ends = data.shape[0] + np.cumsum([0, *map(len, raw)])
        rows = torch.from_numpy(left)
        begins[rows], stops[rows] = torch.from_numpy(ends[:-1]), torch.from_numpy(ends[1:])
        known[rows] = torch.tensor([isinstance(text, str) for text in found], device=known.device)
        data = torch.cat([data, torch.from_numpy(np.frombuffer(b"".join(raw), np.uint8).copy())])
    nothing = ~known
    slices = Slices(data, begins.masked_fill(nothing, 0), stops.masked_fill(nothing, 0))
    return replace(entries.finish(slices, out), valid=entries.rows(known))


def _plain_steps(path: str | int) -> tuple[str | int, ...] | None:
    """The steps of a path by names and places that do not count from the end; None of any other."""
    try:
        found = path_of(path)
    except ExecutionError:
        return None
    steps = tuple([step for step in found.steps if isinstance(step, str) or (isinstance(step, int) and step >= 0)])
    return None if found.is_pointer or len(steps) < len(found.steps) else steps


def _tried(one: Callable[..., str | None], text: str | None, path: str | int) -> str | ExecutionError | None:
    checkpoint()
    try:
        # No row has what stands for NULL in a dictionary.
        return None if text is None else one(text, path)
    except ExecutionError as error:
        return error


def _check(entries: Entries, args: Args, left: np.ndarray, found: list[str | ExecutionError | None]) -> None:
    """Raise the error of a text that a row without NULL has."""
    errors = {int(row): one for row, one in zip(left, found, strict=True) if isinstance(one, ExecutionError)}
    if errors:
        failed = np.zeros(entries.count, np.bool_)
        failed[list(errors)] = True
        entries.check(pa.array(failed), args, lambda row: errors[row].message)
