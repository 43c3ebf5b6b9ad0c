"""Where in texts of JSON paths lead: one pass over the bytes of each text, on the host.

Only what has one meaning is read. The rest (numbers with exponents, halves of characters, commas behind the last element, what is
no JSON at all) is `ODD`, for others to judge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import torch
from torch import Tensor

from tqp.interrupt import checkpoint
from tqp.kernels.loops.json import FORMS, NOTES, ROOM, SPACED, compact_json, find_in_json
from tqp.kernels.loops.json_parts import (
    MEASURING,
    NUMBERS,
    QUOTING,
    SPLITTING,
    measure_quoted,
    quote_texts,
    read_numbers,
    split_json,
)
from tqp.kernels.loops.json_scalars import (
    ARRAY,
    BOOLEAN,
    INTEGER,
    MISSING,
    NULL,
    OBJECT,
    ODD,
    REAL,
    STRING,
    UNWRITTEN,
)  # fmt: skip

__all__ = [
    "ARRAY",
    "BOOLEAN",
    "INTEGER",
    "MISSING",
    "NULL",
    "OBJECT",
    "ODD",
    "REAL",
    "STRING",
    "Found",
    "are_json",
    "are_quoted",
    "are_read",
    "find",
    "numbers",
    "quoted",
    "split",
]

_NOWHERE = 2**62
"""The place of an element of which no text has so many."""
_COPIED = torch.uint8, torch.int64, torch.int64, torch.uint8


def are_read(texts: int) -> bool:
    """Whether the loops are there for so many texts."""
    asked = find_in_json.ready(texts, *FORMS), compact_json.ready(texts, *_COPIED)
    return all([*asked, split_json.ready(texts, *SPLITTING), read_numbers.ready(texts, *NUMBERS)])


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What lies at a path in texts: of text i the bytes `data[begins[i]:stops[i]]`, with the quotes of a string, and `sizes[i]`
    elements or members, (n,) int64 each. `marks` (n,) uint8 say what it is and how it is written."""

    data: Tensor
    marks: Tensor
    begins: Tensor
    stops: Tensor
    sizes: Tensor

    @property
    def kinds(self) -> Tensor:
        """What it is, (n,) uint8, however it is written."""
        return self.marks & (SPACED - 1)

    @property
    def is_written(self) -> Tensor:
        """Whether, without its blanks, it is written as DuckDB does, (n,) bool."""
        return self.marks < UNWRITTEN

    def written(self) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """The bytes, what it is, and where in these it begins and ends, as DuckDB writes it; `ODD` of what is not written so.

        The bytes are `data`, or copies of what is found where some of it has blanks in it.
        """
        kinds = torch.where(self.is_written, self.kinds, ODD)
        data, begins, stops = self.data, *(one.masked_fill(kinds == ODD, 0) for one in (self.begins, self.stops))
        if self.marks.bitwise_and(SPACED).any().item():  # host: on the CPU
            firsts, lasts = begins.numpy(), stops.numpy()
            copies = np.empty(int((lasts - firsts).sum()), np.uint8)  # host: on the CPU
            data = torch.from_numpy(copies[: compact_json(data.numpy(), firsts, lasts, copies)])
        return data, kinds, begins, stops


def find(data: Tensor, begins: Tensor, stops: Tensor, paths: Sequence[Sequence[str | int]]) -> list[Found]:
    """What lies at each path in the texts `data[begins[i]:stops[i]]`, (n,) uint8.

    A step of a path is the name of a member, or the place of an element, at least 0. For texts that `are_read`.
    """
    checkpoint()
    steps = list(chain.from_iterable(paths))
    names = [step.encode() if isinstance(step, str) else b"" for step in steps]
    places = np.array([-1 if isinstance(step, str) else min(step, _NOWHERE) for step in steps], np.int64)
    ends, starts = np.cumsum([0, *map(len, names)]), np.cumsum([0, *map(len, paths)])
    data = data.contiguous()
    rows, count = len(begins), len(paths)
    marks = np.empty(count * rows, np.uint8)
    firsts, lasts, sizes = np.empty((3, count * rows), np.int64)
    text = np.frombuffer(b"".join(names) or b" ", np.uint8).copy()
    room = [np.empty(size, kind) for size, kind in zip(ROOM, (np.uint8, np.int64, np.uint64), strict=True)]
    texts = data.numpy(), begins.contiguous().numpy(), stops.contiguous().numpy()
    room.append(np.empty(NOTES * count, np.int64))
    find_in_json(*texts, text, ends, places, starts, marks, firsts, lasts, sizes, *room)
    found = [torch.from_numpy(one.reshape(count, rows)).unbind(0) for one in (marks, firsts, lasts, sizes)]
    return [Found(data, *of) for of in zip(*found, strict=True)]


def are_json(data: Tensor, begins: Tensor, stops: Tensor) -> Tensor:
    """Whether the texts `data[begins[i]:stops[i]]` are certainly JSON, (n,) bool; others may be so too.

    For texts that `are_read`.
    """
    # What lies at no path need not be written as DuckDB does.
    return find(data, begins, stops, [[_NOWHERE]])[0].marks != ODD


def split(data: Tensor, begins: Tensor, stops: Tensor, sizes: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Where the names of the members of JSON `data[begins[i]:stops[i]]`, of `sizes` (n,) each, begin and end, without quotes, and
    where their values do, or the elements of lists: (m,) int64 each, one list or object after the other.

    A name with characters that are escaped ends at -1; elements have none, and what is there means nothing.
    """
    checkpoint()
    bounds = torch.cat([sizes.new_zeros(1), torch.cumsum(sizes, 0)])
    found = torch.zeros((4, int(bounds[-1])), dtype=torch.int64, device=data.device)  # host: on the CPU
    heads, tails, firsts, lasts = found.unbind(0)
    texts = data.contiguous().numpy(), begins.contiguous().numpy(), stops.contiguous().numpy()
    split_json(*texts, bounds.numpy(), heads.numpy(), tails.numpy(), firsts.numpy(), lasts.numpy())
    return heads, tails, firsts, lasts


def numbers(data: Tensor, begins: Tensor, stops: Tensor) -> tuple[Tensor, Tensor]:
    """The numbers `data[begins[i]:stops[i]]` as they are found and DuckDB writes them, or 0 of nothing: as int64, where they have
    no point, and as float64."""
    wholes, reals = np.empty(len(begins), np.int64), np.empty(len(begins), np.float64)
    read_numbers(data.contiguous().numpy(), begins.contiguous().numpy(), stops.contiguous().numpy(), wholes, reals)
    return torch.from_numpy(wholes), torch.from_numpy(reals)


def are_quoted(texts: int) -> bool:
    """Whether the loops that quote so many texts are there."""
    return all([measure_quoted.ready(texts, *MEASURING), quote_texts.ready(texts, *QUOTING)])


def quoted(data: Tensor, offsets: Tensor) -> tuple[Tensor, Tensor]:
    """The texts `data[offsets[i]:offsets[i + 1]]`, of UTF-8, as strings of JSON end to end, (m,) uint8, and their offsets
    (n + 1,) int64.

    For texts that `are_quoted`.
    """
    checkpoint()
    texts = data.contiguous().numpy(), offsets.contiguous().numpy()
    bounds = np.empty(len(offsets), np.int64)
    measure_quoted(*texts, bounds)
    written = np.empty(int(bounds[-1]), np.uint8)  # host: NumPy, no tensor
    quote_texts(*texts, bounds, written)
    return torch.from_numpy(written), torch.from_numpy(bounds)
