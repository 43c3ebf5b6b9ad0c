"""The strings of a text column, or the bytes of a BLOB or BIGNUM column."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary, WeakValueDictionary

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import torch
from torch.utils.dlpack import from_dlpack

from tqp.data.layout import Bounds
from tqp.data.to_arrow import few_strings, integers
from tqp.interrupt import checkpoint
from tqp.kernels import text
from tqp.locks import Lock
from tqp.types import DType

if TYPE_CHECKING:
    from torch import Tensor

__all__ = [
    "EMPTY",
    "Dictionary",
    "Move",
    "String",
    "Union",
    "arrow_kind",
    "as_bytes",
    "joined",
    "of_strings",
    "standing_for_null",
]

String = str | bytes
"""A value of a dictionary: text is `str`, a BLOB or BIGNUM `bytes`."""

Move = int | torch.Tensor
"""How codes of one dictionary become those of another: what is added, or the (len,) int32 CPU tensor old code → new code."""

Union = tuple["Dictionary", tuple[Move, ...]]
"""A dictionary of the strings of several, and how the codes of each become its own."""


EMPTY: Final[dict[pa.DataType, String]] = {pa.large_string(): "", pa.large_binary(): b""}
"""What the values of dictionaries may be in Arrow, and the empty string of each."""
_SMALL: Final = 2**12
"""So many strings are ranked at once, however few of them are asked for."""
_LATEST: Final = 2
_KNOWN: Final = 256
"""So many constants are remembered with the places that they have in a dictionary."""
_FEW: Final = 64
"""A dictionary that has 1 / 64 of the strings of another or less is put into that string by string."""
_SHARE: Final = 4
"""Once a part of a dictionary that has been ranked piecemeal is more than 1 / 4 of it, all is ranked."""


class Dictionary:
    """The distinct (or, for near-unique text, simply all) strings that a text column's codes point to.

    `values` is a `large_string` Arrow array without NULLs, on the host; of a BLOB or BIGNUM column a `large_binary` one, whose
    values are strings here as well. `is_sorted` says that it is strictly ascending by bytes (UTF-8): then codes compare as the
    strings do.
    An unsorted dictionary may repeat values: `firsts()` says which are equal, `ranked()` gives the sorted one, `part()` that of
    some strings. Immutable; equal only to itself. Its `token` is equal only to itself, too, and stands for it where the
    strings are not to be kept.
    """

    __slots__ = (
        "__weakref__", "_asked", "_extended", "_firsts", "_latest", "_lock", "_places", "_ranked", "_unions", "is_sorted", "token",
        "values",
    )  # fmt: skip

    def __init__(self, values: pa.Array, *, is_sorted: bool) -> None:
        self.values = values if values.type in EMPTY else values.cast(pa.large_string())
        self.is_sorted = is_sorted
        self.token = object()
        self._ranked: tuple[Dictionary, Tensor] | None = None
        self._firsts: tuple[Tensor | None] | None = None
        self._asked = 0
        self._places: dict[String, int | None] = {}
        # Remembered as long as somebody has them, so that all batches of a run have the same; the latest for the next run.
        self._extended: WeakValueDictionary[String, Dictionary] = WeakValueDictionary()
        self._latest: deque[Dictionary] = deque(maxlen=_LATEST)
        self._unions: WeakKeyDictionary[Dictionary, Union] | None = None
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self.values)

    def __reduce__(self) -> tuple[Callable[..., Dictionary], tuple[object, ...]]:
        # What is remembered stays behind.
        return _again, (self.values, self.is_sorted)

    @property
    def nbytes(self) -> int:
        """Bytes of the strings, and of what is remembered of their order and equality."""
        size = int(self.values.nbytes)
        if self._ranked is not None:
            ordered, codes = self._ranked
            size += ordered.nbytes + codes.nbytes
        if self._firsts is not None and self._firsts[0] is not None:
            size += self._firsts[0].nbytes
        unions = () if self._unions is None else self._unions.values()
        return size + sum([other.nbytes for other in (*self._latest, *(union for union, _ in unions))])

    @property
    def bounds(self) -> Bounds:
        """Limits of the codes; without strings those of the code 0, which rows that are NULL have all the same."""
        return 0, max(len(self.values) - 1, 0)

    def ranked(self) -> tuple[Dictionary, Tensor]:
        """The sorted dictionary of the same strings and the int32 CPU tensor (len,) old code → new code.

        Cost: one sort of the strings, remembered.
        """
        if self._ranked is None:
            with self._lock:
                if self._ranked is None:
                    self._ranked = self._sorted()
        return self._ranked

    def _sorted(self) -> tuple[Dictionary, Tensor]:
        checkpoint()
        ranks, firsts = text.ranks(*self.bytes_and_offsets())
        return Dictionary(self.values.take(integers(firsts.numpy())), is_sorted=True), ranks

    def ranks_all(self, asked: int) -> bool:
        """Whether it is time to have all strings `ranked` if so many are asked for: they are, or that costs no more than a part.

        That is where this and what `part` was asked for before are more than a share of them.
        """
        few = _SHARE * (self._asked + asked) <= len(self) and len(self) > _SMALL
        return self.is_sorted or self._ranked is not None or not few

    def firsts(self) -> Tensor | None:
        """The code of the first of the strings that equals each: int32 CPU tensor (len,). None where no string comes twice.

        Cost: hashes the strings once, remembered.
        """
        if self.is_sorted:
            return None
        if self._firsts is None:
            with self._lock:
                if self._firsts is None:
                    checkpoint()
                    found = text.first_of_equals(*self.bytes_and_offsets())
                    is_own = np.array_equal(found.numpy(), np.arange(len(self)))
                    self._firsts = (None if is_own else found,)
        return self._firsts[0]

    def part(self, codes: Tensor) -> tuple[Dictionary, Tensor]:
        """The sorted dictionary of the strings of `codes` (n,) integers on the CPU, and their codes (n,) int32 in it."""
        self._asked += codes.shape[0]
        return Dictionary(self.values.take(integers(codes.numpy())), is_sorted=False)._sorted()

    def find(self, string: String) -> int | None:
        """The first code of a string; None where it has none. Cost: a search of sorted strings, else a look at all, remembered."""
        if self.is_sorted:
            place = self._place(string)
            return place if place < len(self) and self.values[place].as_py() == string else None
        if string not in self._places:
            found = pc.index(self.values, pa.scalar(string, self.values.type)).as_py()
            if len(self._places) >= _KNOWN:
                self._places.clear()
            self._places[string] = None if found < 0 else found
        return self._places[string]

    def _place(self, string: String) -> int:
        """Where a string stands, or would stand, among sorted ones."""
        return bisect_left(
            range(len(self)), as_bytes(string), key=lambda place: self.values[place].as_buffer().to_pybytes()
        )

    def extended(self, string: String) -> tuple[Dictionary, int]:
        """A dictionary with one more string and that one's code; itself where it has that. The others keep their codes and order:
        those of a sorted dictionary from that code on are one more. The same one as long as somebody has it."""
        code = self.find(string)
        if code is not None:
            return self, code
        place = self._place(string) if self.is_sorted else len(self)
        with self._lock:
            found = self._extended.get(string)
            if found is None:
                parts = [self.values[:place], few_strings([string], self.values.type), self.values[place:]]
                found = Dictionary(pa.concat_arrays(parts), is_sorted=self.is_sorted)
                self._extended[string] = found
                self._latest.append(found)
        return found, place

    def united(self, other: Dictionary) -> Union:
        """`joined` of both, remembered as long as both are there."""
        with self._lock:
            if self._unions is None:
                self._unions = WeakKeyDictionary()
            found = self._unions.get(other)
            if found is None:
                found = joined([self, other])
                if found[0] is not self and found[0] is not other:
                    # Neither may keep itself, or each other.
                    self._unions[other] = found
        return found

    def bytes_and_offsets(self) -> tuple[Tensor, Tensor]:
        """The bytes (b,) uint8, of text UTF-8, and offsets (len + 1,) int64 on the CPU; views where Arrow allows."""
        _, offsets, data = self.values.buffers()
        # Arrow's own way to torch, which keeps the buffers; NumPy's warns of what must not be written to.
        starts = pa.Array.from_buffers(pa.int64(), len(self) + 1, [None, offsets], offset=self.values.offset)
        if data is None:
            return torch.empty(0, dtype=torch.uint8, device="cpu"), from_dlpack(starts)
        return from_dlpack(pa.Array.from_buffers(pa.uint8(), data.size, [None, data])), from_dlpack(starts)


def _again(values: pa.Array, is_sorted: bool) -> Dictionary:
    return Dictionary(values, is_sorted=is_sorted)


def joined(dictionaries: Sequence[Dictionary]) -> Union:
    """A dictionary of the strings of several.

    Sorted where all are, at the cost of hashing them and sorting those that differ, or, beside a large one, of looking for the
    few of another in it; else one below the other, and equal strings of two of them have two codes.
    """
    if not all(one.is_sorted for one in dictionaries):
        starts = np.cumsum([0, *map(len, dictionaries)]).tolist()  # host: NumPy, no tensor
        values = pa.concat_arrays([one.values for one in dictionaries])
        return Dictionary(values, is_sorted=False), tuple(starts[:-1])
    if len(dictionaries) == 2:
        few, large = sorted(dictionaries, key=len)
        if len(few) * _FEW <= len(large):
            union, moves = _with_few(large, few)
            return union, moves if large is dictionaries[0] else moves[::-1]
    values = pc.unique(pa.chunked_array([one.values for one in dictionaries]))
    union = Dictionary(values.take(pc.sort_indices(values)), is_sorted=True)
    codes = [pc.index_in(one.values, union.values).to_numpy(zero_copy_only=False) for one in dictionaries]
    return union, tuple([torch.from_numpy(one.astype(np.int32)) for one in codes])


def _with_few(large: Dictionary, few: Dictionary) -> Union:
    """`joined` of two sorted ones, at the cost of a search for each string of `few` and a copy of all strings."""
    places = [large._place(string) for string in few.values.to_pylist()]
    new = [
        code
        for code, place in enumerate(places)
        if place == len(large) or not large.values[place].equals(few.values[code])
    ]
    found = np.array(places, np.int32) + np.searchsorted(new, np.arange(len(few))).astype(np.int32)
    if not new:
        return large, (0, torch.from_numpy(found))
    starts = [places[code] for code in new]
    parts = [large.values[: starts[0]]]
    for code, start, stop in zip(new, starts, [*starts[1:], len(large)], strict=True):
        parts += [few.values[code : code + 1], large.values[start:stop]]
    # A string is as many places further as new ones stand before it.
    own = np.arange(len(large), dtype=np.int32)
    own += np.searchsorted(starts, own, side="right").astype(np.int32)
    return Dictionary(pa.concat_arrays(parts), is_sorted=True), (torch.from_numpy(own), torch.from_numpy(found))


_STRINGS: Final[WeakValueDictionary[tuple[String, ...], Dictionary]] = WeakValueDictionary()
_STRINGS_LOCK: Final = Lock()


def of_strings(strings: Iterable[String]) -> Dictionary:
    """The sorted dictionary of a few strings of one kind, at least one: the same one for the same strings as long as somebody
    has it."""
    key = tuple(sorted(set(strings), key=as_bytes))
    with _STRINGS_LOCK:
        found = _STRINGS.get(key)
        if found is None:
            _STRINGS[key] = found = Dictionary(few_strings(key, arrow_kind(key[0])), is_sorted=True)
    return found


def as_bytes(string: String) -> bytes:
    """The bytes by which it is compared."""
    return string if isinstance(string, bytes) else string.encode()


def arrow_kind(string: String) -> pa.DataType:
    """The type of Arrow arrays of such strings."""
    return pa.large_binary() if isinstance(string, bytes) else pa.large_string()


_FOR_NULL: Final = {kind: Dictionary(few_strings([empty], kind), is_sorted=True) for kind, empty in EMPTY.items()}


def standing_for_null(dtype: DType) -> Dictionary:
    """That of a constant NULL of a coded type, which is in want of a code."""
    return _FOR_NULL[pa.large_binary() if dtype.is_binary else pa.large_string()]
