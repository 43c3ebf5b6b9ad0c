"""The characters of many texts at once, as code points end to end, and texts made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tqp.data.dictionary import Dictionary
from tqp.data.to_arrow import texts
from tqp.interrupt import checkpoint

__all__ = ["CODES", "ODD", "REMOVED", "CodePoints", "are_ascii", "code_points", "except_for", "first_code_points"]

CODES: Final = 0x110000
"""All code points are less."""
REMOVED: Final = -1
"""What a character becomes that is left out."""
ODD: Final = -2
"""What a character becomes of which more must be known than its own code point."""

_Codes = npt.NDArray[Any]
_Bounds = npt.NDArray[np.int64]
_Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class CodePoints:
    """Those of n texts, (m,) uint8 where all are ASCII, else int32: of text i from `bounds[i]` to `bounds[i + 1]`, (n + 1,)."""

    codes: _Codes
    bounds: _Bounds

    @property
    def are_ascii(self) -> bool:
        """Whether all are ASCII."""
        return self.codes.dtype == np.uint8

    @cached_property
    def distinct(self) -> _Codes:
        """The code points that there are, ascending."""
        seen = np.zeros(CODES, np.bool_)
        seen[self.codes] = True
        return np.flatnonzero(seen).astype(np.int32)

    def having(self, flags: _Flags) -> _Flags:
        """Which texts have one of the flagged code points, (n,) bool; `flags` (m,) bool."""
        found = np.zeros(len(self.bounds) - 1, np.bool_)
        found[np.searchsorted(self.bounds, np.flatnonzero(flags), side="right") - 1] = True
        return found

    def mapped(self, changes: Mapping[int, int]) -> CodePoints:
        """The texts of what each code point becomes, where it changes; what is not at least 0 is left out."""
        if self.are_ascii and max(changes.values(), default=0) < 0x80:
            return self._mapped_bytes(changes)
        table = np.arange(CODES, dtype=np.int32)
        for code, other in changes.items():
            table[code] = other
        codes = table[self.codes]
        is_kept = codes >= 0
        return CodePoints(codes, self.bounds) if is_kept.all() else CodePoints(codes[is_kept], self._without(~is_kept))

    def _mapped_bytes(self, changes: Mapping[int, int]) -> CodePoints:
        table, removed = bytearray(range(0x100)), bytearray()
        for code, other in changes.items():
            if code < 0x80 and other >= 0:
                table[code] = other
            elif code < 0x80:
                removed.append(code)
        codes = np.frombuffer(self.codes.tobytes().translate(table, removed), np.uint8)
        if len(codes) == len(self.codes):
            return CodePoints(codes, self.bounds)
        is_removed = np.zeros(0x100, np.bool_)
        is_removed[np.frombuffer(removed, np.uint8)] = True
        return CodePoints(codes, self._without(is_removed[self.codes]))

    def _without(self, flags: _Flags) -> _Bounds:
        """The bounds of the texts once the flagged code points are left out."""
        return self.bounds - np.searchsorted(np.flatnonzero(flags), self.bounds)

    def strings(self) -> pa.Array:
        """The texts, `large_string`. No code point is half of one of UTF-16."""
        if _is_ascii(self.codes):
            return texts(self.codes.astype(np.uint8), self.bounds, pa.large_string())
        data = np.frombuffer(self.codes.astype("<u4").tobytes().decode("utf-32-le").encode(), np.uint8)
        begins = np.append(np.flatnonzero((data & 0xC0) != 0x80), len(data))
        return texts(data, begins[self.bounds], pa.large_string())


def are_ascii(strings: pa.Array) -> bool:
    """Whether all characters of the texts are ASCII."""
    return _is_ascii(_bytes(strings)[0])


def _is_ascii(data: npt.NDArray[Any]) -> bool:
    return bool(data.max(initial=0) < 0x80)


def code_points(strings: pa.Array) -> CodePoints:
    """Those of texts (n,) without NULLs: a view of the bytes where all are ASCII."""
    data, offsets = _bytes(strings)
    if _is_ascii(data):
        return CodePoints(data, offsets)
    codes = np.frombuffer(data.tobytes().decode().encode("utf-32-le"), np.int32)
    bounds = np.zeros(len(offsets), np.int64)
    np.cumsum(pc.utf8_length(strings), out=bounds[1:])
    return CodePoints(codes, bounds)


def first_code_points(strings: pa.Array, of_empty: int) -> npt.NDArray[np.int32]:
    """The first one of each text (n,) without NULLs, (n,) int32; `of_empty` where it has none."""
    data, offsets = _bytes(strings)
    begins = offsets[:-1]
    is_empty = begins == offsets[1:]
    if is_empty.all():
        return np.full(len(begins), of_empty, np.int32)
    found = data[np.minimum(begins, len(data) - 1)].astype(np.int32)
    beyond = np.flatnonzero((found >= 0x80) & ~is_empty)
    if len(beyond):
        found[beyond] = _decoded(data, begins[beyond])
    found[is_empty] = of_empty
    return found


def _decoded(data: npt.NDArray[np.uint8], places: _Bounds) -> npt.NDArray[np.int32]:
    """The code points of characters of more than one byte, which begin at these places (k,)."""
    codes = data[places].astype(np.int32)
    sizes = 2 + (codes >= 0xE0) + (codes >= 0xF0)
    codes &= 0x7F >> sizes
    for place in range(1, 4):
        rows = np.flatnonzero(sizes > place)
        codes[rows] = codes[rows] << 6 | data[places[rows] + place] & 0x3F
    return codes


def _bytes(strings: pa.Array) -> tuple[npt.NDArray[np.uint8], _Bounds]:
    """The bytes of the texts, and where each begins, from 0 on: Arrow keeps others, and room, beside them."""
    data, offsets = (part.numpy() for part in Dictionary(strings, is_sorted=False).bytes_and_offsets())
    return data[offsets[0] : offsets[-1]], offsets - offsets[0]


def except_for(rows: _Flags, found: pa.Array, strings: pa.Array, slow: Callable[[str], Any]) -> pa.Array:
    """What was found for texts, but for the flagged ones what the function of one gives, all (n,)."""
    if not rows.any():
        return found
    chosen = pa.array(rows)
    made = []
    for text in strings.filter(chosen).to_pylist():
        checkpoint()
        made.append(slow(text))
    return pc.replace_with_mask(found, chosen, pa.array(made, found.type))
