"""Search in the bytes of many strings at once, without a step per string; which of them are equal, and how they are ordered.

The strings lie end to end in one byte buffer. On the CPU, where dictionaries live, a needle is looked for in the whole
buffer by comparing whole vectors of bytes (the two rarest bytes of the needle first, the others only where both occur),
which costs some bandwidth a byte and nothing a string; the few positions found are then mapped to their strings. The work
is cut into chunks whose temporaries stay in cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import torch
from torch import Tensor

from tqp.kernels import waits
from tqp.kernels.group import group_ids_multi
from tqp.kernels.loops.matching import match_parts
from tqp.kernels.loops.strings import first_equals, rank_strings
from tqp.kernels.operation import Variant, operation
from tqp.kernels.reduce import first

__all__ = ["first_of_equals", "like", "like_rows", "ranks"]

_CHUNK = 1 << 19  # bytes: three temporaries of this size fit in an L2 cache
_SAMPLE = 1 << 13

_Bytes = npt.NDArray[np.uint8]
_Rows = npt.NDArray[np.int64]


def _like_by_rare_bytes(
    data: Tensor, offsets: Tensor, segments: Sequence[bytes], start: int = 0, stop: int | None = None
) -> Tensor:
    buffer: _Bytes = data.numpy()
    ends: _Rows = offsets.numpy()[start : None if stop is None else stop + 1]
    rows = len(ends) - 1
    result = np.empty(max(rows, 0), dtype=np.bool_)
    inner = [segment for segment in segments[1:-1] if segment]
    counts = _counts(buffer, ends)
    probes = [_probe(counts, needle) for needle in inner]
    low = 0
    while low < rows:
        high = max(low + 1, int(ends.searchsorted(ends[low] + _CHUNK, side="right")) - 1)
        result[low:high] = _match(buffer, ends[low : high + 1], segments, inner, probes)
        low = high
    return torch.from_numpy(result)


def _matched(buffer: _Bytes, begins: _Rows, stops: _Rows, segments: Sequence[bytes], far: bool) -> Tensor:
    """Which of the strings match, by the loop."""
    parts = (segments[0], *filter(None, segments[1:-1]), segments[-1])
    counts = _counts(buffer, begins)
    ones, twos = np.array([_probe(counts, part) for part in parts]).T.copy()
    pattern = np.frombuffer(b"".join(parts), np.uint8).copy()
    matches = np.empty(len(begins), np.bool_)
    match_parts(buffer, begins, stops, pattern, np.cumsum([len(part) for part in parts]), ones, twos, far, matches)
    return torch.from_numpy(matches)


def _like_by_loop(
    data: Tensor, offsets: Tensor, segments: Sequence[bytes], start: int = 0, stop: int | None = None
) -> Tensor:
    ends = offsets[start : None if stop is None else stop + 1].contiguous().numpy()
    return _matched(data.contiguous().numpy(), ends[:-1], ends[1:], segments, True)


_MATCHED = (
    torch.uint8, torch.int64, torch.int64, torch.uint8, torch.int64, torch.int64, torch.int64, bool, torch.bool,
)  # fmt: skip


def _loop_matches(
    data: Tensor, offsets: Tensor, segments: Sequence[bytes], start: int = 0, stop: int | None = None
) -> bool:
    rows = (len(offsets) - 1 if stop is None else stop) - start
    return rows > 0 and len(segments) > 1 and match_parts.ready(rows, *_MATCHED)


@operation(
    Variant(_like_by_loop, "cpu", "one look at blocks of bytes, and at few strings", _loop_matches),
    Variant(
        _like_by_rare_bytes, "cpu", "few bytes pass the two rarest of a needle; chunks stay in cache", of_constants=True
    ),
)
def like(data: Tensor, offsets: Tensor, segments: Sequence[bytes], start: int = 0, stop: int | None = None) -> Tensor:
    """Whether string i matches the pattern `'%'.join(segments)`, for i in start..stop-1: (stop - start,) bool.

    `data` (b,) uint8 and `offsets` (k + 1,) int64 give string i as `data[offsets[i]:offsets[i + 1]]`. Segments hold
    literal bytes, no wildcard: `(b"a",)` is equality with "a", `(b"a", b"")` a prefix, `(b"", b"a", b"b", b"")` the
    pattern `%a%b%`. Disjoint ranges may run in threads at the same time; NumPy lets go of the GIL.
    Cost: a vectorised pass over the bytes; elsewhere than on the CPU one a byte of a segment, in 64 bits.
    """
    ends = offsets[start : None if stop is None else stop + 1]
    return _like(data, ends[:-1], ends[1:], segments)


def _rows_by_loop(data: Tensor, offsets: Tensor, segments: Sequence[bytes], rows: Tensor) -> Tensor:
    places = rows.long()
    begins, stops = offsets.index_select(0, places), offsets.index_select(0, places + 1)
    return _matched(data.contiguous().numpy(), begins.numpy(), stops.numpy(), segments, False)


def _loop_matches_rows(data: Tensor, offsets: Tensor, segments: Sequence[bytes], rows: Tensor) -> bool:
    return len(rows) > 0 and len(segments) > 1 and match_parts.ready(len(rows), *_MATCHED)


def _rows_gathered(data: Tensor, offsets: Tensor, segments: Sequence[bytes], rows: Tensor) -> Tensor:
    ends, places = offsets.numpy(), rows.long().numpy()
    rest, bounds = _gathered(data.numpy(), ends[places], ends[places + 1])
    return _like_by_rare_bytes(torch.from_numpy(rest), torch.from_numpy(bounds), segments)


@operation(
    Variant(_rows_by_loop, "cpu", "no string is copied", _loop_matches_rows),
    Variant(_rows_gathered, "cpu", "few bytes pass the two rarest of a needle"),
)
def like_rows(data: Tensor, offsets: Tensor, segments: Sequence[bytes], rows: Tensor) -> Tensor:
    """`like` for the strings of these numbers, (n,) integers, of which some may come twice: (n,) bool."""
    places = rows.long()
    return _like(data, offsets.index_select(0, places), offsets.index_select(0, places + 1), segments)


def _like(data: Tensor, begins: Tensor, stops: Tensor, segments: Sequence[bytes]) -> Tensor:
    head, tail = segments[0], segments[-1]
    if len(segments) == 1:
        return (stops - begins == len(head)) & _stands(data, begins, head)
    place, limit = begins + len(head), stops - len(tail)
    matches = (place <= limit) & _stands(data, begins, head) & _stands(data, limit, tail)
    for needle in segments[1:-1]:
        # Each at its leftmost place leaves most for the others.
        place = _following(data, needle).index_select(0, place.clamp(max=data.shape[0])) + len(needle)
        matches &= place <= limit
    return matches


def _stands(data: Tensor, places: Tensor, needle: bytes) -> Tensor:
    """bool: whether `needle` stands at `places`; anything where that is not all within the buffer."""
    result = torch.ones(places.shape[0], dtype=torch.bool, device=data.device)
    if data.shape[0]:
        for offset, byte in enumerate(needle):
            result &= data.index_select(0, (places + offset).clamp(0, data.shape[0] - 1)) == byte
    return result


def _following(data: Tensor, needle: bytes) -> Tensor:
    """(b + 1,) int64: the first place from each on where the needle stands, 2 b + 1 where there is none."""
    size = data.shape[0]
    none = 2 * size + 1
    places = torch.arange(size + 1, device=data.device)
    stands = places + len(needle) <= size
    stands &= _stands(data, places, needle)
    return torch.where(stands, places, none).flip(0).cummin(0).values.flip(0)


def _match(
    buffer: _Bytes, ends: _Rows, segments: Sequence[bytes], inner: list[bytes], probes: list[tuple[int, int]]
) -> npt.NDArray[np.bool_]:
    """`like` for the strings of one chunk, taking for each segment the leftmost place that is left."""
    head, tail = segments[0], segments[-1]
    if len(segments) == 1:
        return _at(buffer, ends[:-1], head, ends[:-1] + len(head) == ends[1:])
    lengths = ends[1:] - ends[:-1]
    matches = lengths >= len(head) + len(tail)
    if head:
        matches = _at(buffer, ends[:-1], head, matches)
    if tail:
        matches = _at(buffer, ends[1:] - len(tail), tail, matches)
    if not inner:
        return matches
    needle = inner[0]
    positions = _positions(buffer, int(ends[0]), int(ends[-1]), needle, probes[0])
    row = ends.searchsorted(positions, side="right") - 1
    stop = ends[1:] - len(tail)
    fits = matches[row] & (positions >= ends[row] + len(head)) & (positions + len(needle) <= stop[row])
    positions, row = positions[fits], row[fits]
    # Rows ascend, so the first of each is its leftmost place.
    is_first = np.empty(len(row), dtype=np.bool_)
    is_first[:1] = True
    np.not_equal(row[1:], row[:-1], out=is_first[1:])
    leftmost = is_first.nonzero()[0]  # host: NumPy, no tensor
    rows = row[leftmost]
    found = np.zeros(len(lengths), dtype=np.bool_)
    if len(inner) == 1:
        found[rows] = True
        return found
    # What is left of the strings that got so far is searched for the other segments.
    rest, bounds = _gathered(buffer, positions[leftmost] + len(needle), stop[rows])
    found[rows] = _match(rest, bounds, (b"", *inner[1:], b""), inner[1:], probes[1:])
    return found


def _gathered(buffer: _Bytes, starts: _Rows, stops: _Rows) -> tuple[_Bytes, _Rows]:
    """The pieces starts[i] .. stops[i] - 1 end to end, and their offsets (k + 1,)."""
    lengths = stops - starts
    bounds = np.zeros(len(lengths) + 1, dtype=np.int64)
    lengths.cumsum(out=bounds[1:])
    places = np.arange(bounds[-1]) + (starts - bounds[:-1]).repeat(lengths)
    return buffer[places], bounds


def _at(buffer: _Bytes, places: _Rows, needle: bytes, wanted: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Where `needle` stands at `places`, for the `wanted` ones (the others are False)."""
    rows = wanted.nonzero()[0]  # host: NumPy, no tensor
    at = places[rows]
    for offset, byte in enumerate(needle):
        same = buffer[at + offset] == byte
        rows, at = rows[same], at[same]
    result = np.zeros(len(wanted), dtype=np.bool_)
    result[rows] = True
    return result


def _counts(buffer: _Bytes, begins: _Rows) -> npt.NDArray[np.int64]:
    """How often each byte comes, by a sample of the strings."""
    first = int(begins[0]) if len(begins) else 0
    return np.bincount(buffer[first : first + _SAMPLE], minlength=256)


def _probe(counts: npt.NDArray[np.int64], needle: bytes) -> tuple[int, int]:
    """The offsets in the needle of the two bytes that are rarest (equal for a needle of one byte, or none)."""
    if len(needle) < 2:
        return 0, 0
    one, two = sorted(range(len(needle)), key=lambda place: counts[needle[place]])[:2]
    return one, two


def _positions(buffer: _Bytes, low: int, high: int, needle: bytes, probe: tuple[int, int]) -> _Rows:
    """Where the needle starts at a position of low..high-1 (it may end beyond `high`, not beyond the buffer)."""
    high = min(high, len(buffer) - len(needle) + 1)
    if high <= low:
        return np.empty(0, dtype=np.int64)
    first, second = probe
    width = -(-(high - low) // 8) * 8
    hits = np.zeros(width, dtype=np.bool_)
    np.equal(buffer[low + first : high + first], needle[first], out=hits[: high - low])
    if first != second:
        hits[: high - low] &= buffer[low + second : high + second] == needle[second]
    # Eight flags at a time: most words are zero, and nonzero costs per element.
    words = (hits.view(np.uint64) != 0).nonzero()[0]  # host: NumPy, no tensor
    flags = hits.reshape(-1, 8)[words].reshape(-1).nonzero()[0]  # host: NumPy, no tensor
    positions: _Rows = (words[flags >> 3] << 3) + (flags & 7) + low
    for offset, byte in enumerate(needle):
        if offset not in probe:
            positions = positions[buffer[positions + offset] == byte]
    return positions


# Equality and order ---------------------------------------------------------------------------------------------------

_WORD = 6
"""Bytes that are compared at once: with the number of those that are left they fit in 63 bits."""


def _first_by_loop(data: Tensor, offsets: Tensor) -> Tensor:
    firsts = np.empty(len(offsets) - 1, np.int32)
    first_equals(data.contiguous().numpy(), offsets.contiguous().numpy(), firsts)
    return torch.from_numpy(firsts)


def _loop_finds_first(data: Tensor, offsets: Tensor) -> bool:
    return first_equals.ready(len(offsets) - 1, torch.uint8, torch.int64, torch.int32)


def _encoded(data: Tensor, offsets: Tensor) -> tuple[pa.Array, _Rows, _Rows]:
    """The distinct strings in the order in which they come, the number of each string among them, and the first of each number."""
    buffers = [None, *(pa.py_buffer(tensor.contiguous().numpy()) for tensor in (offsets, data))]
    encoded = pa.Array.from_buffers(pa.large_binary(), len(offsets) - 1, buffers).dictionary_encode()
    numbers = cast(_Rows, np.from_dlpack(encoded.indices))
    firsts = np.empty(len(encoded.dictionary), np.int64)
    # Of places that are written more than once the last stays.
    firsts[numbers[::-1]] = np.arange(len(numbers))[::-1]
    return encoded.dictionary, numbers, firsts


def _first_by_arrow(data: Tensor, offsets: Tensor) -> Tensor:
    _, numbers, firsts = _encoded(data, offsets)
    return torch.from_numpy(firsts[numbers].astype(np.int32))


@operation(
    Variant(_first_by_loop, "cpu", "one hash table of the bytes", _loop_finds_first),
    Variant(_first_by_arrow, "cpu", "Arrow hashes strings", of_constants=True),
)
def first_of_equals(data: Tensor, offsets: Tensor) -> Tensor:
    """The number of the first string that equals string i: (k,) int32. Strings as in `like`; no sort on the CPU."""
    found, firsts = ranks(data, offsets)
    return firsts.index_select(0, found)


def _ranks_by_loop(data: Tensor, offsets: Tensor) -> tuple[Tensor, Tensor]:
    found = np.empty(len(offsets) - 1, np.int32)
    firsts = np.empty_like(found)
    count = rank_strings(data.contiguous().numpy(), offsets.contiguous().numpy(), found, firsts)
    return torch.from_numpy(found), torch.from_numpy(firsts[:count].copy())


def _loop_ranks(data: Tensor, offsets: Tensor) -> bool:
    return rank_strings.ready(len(offsets) - 1, torch.uint8, torch.int64, torch.int32, torch.int32)


def _ranks_by_arrow(data: Tensor, offsets: Tensor) -> tuple[Tensor, Tensor]:
    values, numbers, firsts = _encoded(data, offsets)
    order = np.from_dlpack(pc.sort_indices(values)).astype(np.int64)
    places = np.empty(len(order), np.int32)
    places[order] = np.arange(len(order), dtype=np.int32)
    return torch.from_numpy(places[numbers]), torch.from_numpy(firsts[order].astype(np.int32))


@operation(
    Variant(_ranks_by_loop, "cpu", "a quicksort that looks at seven bytes at once", _loop_ranks),
    Variant(_ranks_by_arrow, "cpu", "Arrow hashes and sorts strings", of_constants=True),
)
def ranks(data: Tensor, offsets: Tensor) -> tuple[Tensor, Tensor]:
    """The rank of string i among the distinct ones, by their bytes, (k,) int32; and the first string of each rank, (r,) int32.

    Strings as in `like`. Cost: a sort of the strings; elsewhere than on the CPU one for every six bytes of the longest.
    """
    begins, stops = offsets[:-1], offsets[1:]
    rows = begins.shape[0]
    found, count = torch.zeros(rows, dtype=torch.int64, device=data.device), 0
    if rows:
        longest = waits.number((stops - begins).max(), "how often strings are compared")
        for depth in range(0, longest + 1, _WORD):
            found, _, count = group_ids_multi([found, _words(data, begins + depth, stops)], ordered=True)
    return found.int(), first(found, count).int()


def _words(data: Tensor, begins: Tensor, stops: Tensor) -> Tensor:
    """(k,) int64 that order as the next bytes of strings do: six of them and how many bytes are left, seven at most."""
    rest = (stops - begins).clamp(0, _WORD + 1)
    word = torch.zeros_like(begins)
    for byte in range(_WORD):
        word = word << 8
        if data.shape[0]:
            there = data.index_select(0, (begins + byte).clamp(0, data.shape[0] - 1)).long()
            word = word + there * (rest > byte)
    return (word << 8) + rest
