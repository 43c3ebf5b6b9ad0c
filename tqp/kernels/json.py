"""Where in texts of JSON a path leads: one pass over the bytes of each text, on the host.

Only what has one meaning and is written as DuckDB writes it, except for blanks, is read. The rest (escapes in what is found,
numbers with exponents or digits that no float has, commas behind the last element, what is no JSON at all) is `ODD`, for others
to judge.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from tqp.kernels.loops.json import ROOM, SPACED, compact_json, find_in_json
from tqp.kernels.loops.json_scalars import ARRAY, BOOLEAN, INTEGER, MISSING, NULL, OBJECT, ODD, REAL, STRING

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
    "are_json",
    "are_read",
    "find",
]

_KINDS = (
    torch.uint8, torch.int64, torch.int64, torch.uint8, torch.int64, torch.int64, torch.uint8, torch.int64, torch.int64,
    torch.uint8, torch.int64, torch.uint64,
)  # fmt: skip
_NOWHERE = 2**62
"""The place of an element of which no text has so many."""
_COPIED = torch.uint8, torch.int64, torch.int64, torch.uint8


def are_read(texts: int) -> bool:
    """Whether the loops are there for so many texts."""
    return find_in_json.ready(texts, *_KINDS) and compact_json.ready(texts, *_COPIED)


def find(
    data: Tensor, begins: Tensor, stops: Tensor, steps: Sequence[str | int]
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """What lies at a path in the texts `data[begins[i]:stops[i]]`, (n,) uint8, and where in what bytes that is written.

    The bytes are `data`, or copies of what is found where some of it has blanks in it; where it begins and ends, (n,) int64. A step
    is the name of a member, or the place of an element, at least 0. Strings have their quotes. For texts that `are_read`.
    """
    names = [step.encode() if isinstance(step, str) else b"" for step in steps]
    ends = np.cumsum([0, *map(len, names)])
    places = np.array([-1 if isinstance(step, str) else min(step, _NOWHERE) for step in steps], np.int64)
    whole = data.contiguous().numpy()
    kinds = np.empty(len(begins), np.uint8)
    firsts, lasts = np.empty((2, len(kinds)), np.int64)
    text = np.frombuffer(b"".join(names) or b" ", np.uint8).copy()
    texts = whole, begins.contiguous().numpy(), stops.contiguous().numpy()
    room = [np.empty(size, kind) for size, kind in zip(ROOM, (np.uint8, np.int64, np.uint64), strict=True)]
    find_in_json(*texts, text, ends, places, kinds, firsts, lasts, *room)
    spaced = kinds >= SPACED
    if spaced.any():
        kinds[spaced] -= SPACED
        copies = np.empty(int((lasts - firsts).sum()), np.uint8)  # host: on the CPU
        data = torch.from_numpy(copies[: compact_json(whole, firsts, lasts, copies)])
    return data, torch.from_numpy(kinds), torch.from_numpy(firsts), torch.from_numpy(lasts)


def are_json(data: Tensor, begins: Tensor, stops: Tensor) -> Tensor:
    """Whether the texts `data[begins[i]:stops[i]]` are certainly JSON, (n,) bool; others may be so too.

    For texts that `are_read`.
    """
    # What lies at no path need not be written as DuckDB does.
    return find(data, begins, stops, [_NOWHERE])[1] != ODD
