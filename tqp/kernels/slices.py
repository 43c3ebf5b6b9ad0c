"""Parts of strings as slices of their bytes, which are neither copied nor made strings of before it is known which differ."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import torch
from torch import Tensor

from tqp.kernels import waits
from tqp.kernels.loops.slices import copy_slices, find_characters, find_pieces, number_slices
from tqp.kernels.operation import STATE, Variant, operation
from tqp.kernels.text import ranks

__all__ = ["characters", "gathered", "numbered", "pieces"]

_MORE = "whether some string has more pieces"


def _bounds(begins: Tensor, stops: Tensor) -> Tensor:
    bounds = torch.zeros(begins.shape[0] + 1, dtype=torch.int64, device=begins.device)
    torch.cumsum(stops - begins, 0, out=bounds[1:])
    return bounds


def _gathered_by_loop(data: Tensor, begins: Tensor, stops: Tensor) -> tuple[Tensor, Tensor]:
    bounds = _bounds(begins, stops)
    size = waits.number(bounds[-1], _SIZE)
    copies = np.empty(size, np.uint8)
    copy_slices(data.contiguous().numpy(), begins.contiguous().numpy(), bounds.numpy(), copies)
    return torch.from_numpy(copies), bounds


def _loop_gathers(data: Tensor, begins: Tensor, stops: Tensor) -> bool:
    return copy_slices.ready(len(begins), torch.uint8, torch.int64, torch.int64, torch.uint8)


_SIZE = "how many bytes slices have"


@operation(Variant(_gathered_by_loop, "cpu", "bytes are copied, not looked up", _loop_gathers))
def gathered(data: Tensor, begins: Tensor, stops: Tensor) -> tuple[Tensor, Tensor]:
    """The slices `data[begins[i]:stops[i]]` end to end, (m,) uint8, and their offsets (n + 1,) int64."""
    bounds = _bounds(begins, stops)
    moved = waits.repeated(begins - bounds[:-1], stops - begins, _SIZE)
    return data.index_select(0, moved + torch.arange(moved.shape[0], device=data.device)), bounds


def _by_loop(data: Tensor, offsets: Tensor, start: int, stop: int) -> tuple[Tensor, Tensor]:
    ends = offsets.contiguous().numpy()
    firsts, lasts = np.empty((2, len(ends) - 1), np.int64)
    find_characters(data.contiguous().numpy(), ends[:-1], ends[1:], start, stop, firsts, lasts)
    return torch.from_numpy(firsts), torch.from_numpy(lasts)


def _loop_finds(data: Tensor, offsets: Tensor, start: int, stop: int) -> bool:
    kinds = (torch.uint8, torch.int64, torch.int64, int, int, torch.int64, torch.int64)
    return find_characters.ready(len(offsets) - 1, *kinds)


@operation(Variant(_by_loop, "cpu", "each string is read as far as it must be", _loop_finds))
def characters(data: Tensor, offsets: Tensor, start: int, stop: int) -> tuple[Tensor, Tensor]:
    """Where the characters start..stop-1 of each string begin and end in `data`: two (n,) int64.

    Negative numbers count from the end. Strings as in `text.like`, in UTF-8. The plain form passes over all bytes.
    """
    leads = (data & 0xC0) != 0x80
    before = torch.zeros(data.shape[0] + 1, dtype=torch.int64, device=data.device)
    torch.cumsum(leads, 0, out=before[1:])
    # Where each character begins; behind the last one, the end; what is no such place is put aside.
    size = data.shape[0]
    places = torch.full((size + 2,), size, dtype=torch.int64, device=data.device)
    aside = torch.where(leads, before[:-1], size + 1)
    places.scatter_(0, aside, torch.arange(size, device=data.device))
    base = before.index_select(0, offsets[:-1])
    counts = before.index_select(0, offsets[1:]) - base

    def place(number: int) -> Tensor:
        return torch.minimum(counts, (counts if number < 0 else 0) + torch.full_like(counts, number)).clamp(min=0)

    first = place(start)
    last = torch.maximum(place(stop), first)
    return places.index_select(0, base + first), places.index_select(0, base + last)


def _numbered_by_loop(data: Tensor, begins: Tensor, stops: Tensor) -> tuple[Tensor, Tensor]:
    numbers, firsts = np.empty((2, len(begins)), np.int32)
    data, begins, stops = data.contiguous(), begins.contiguous(), stops.contiguous()
    count = number_slices(data.numpy(), begins.numpy(), stops.numpy(), numbers, firsts)
    return torch.from_numpy(numbers), torch.from_numpy(firsts[:count].copy())


def _loop_numbers(data: Tensor, begins: Tensor, stops: Tensor) -> bool:
    kinds = (torch.uint8, torch.int64, torch.int64, torch.int32, torch.int32)
    return number_slices.ready(len(begins), *kinds)


def _numbered_by_arrow(data: Tensor, begins: Tensor, stops: Tensor) -> tuple[Tensor, Tensor]:
    rest, bounds = gathered(data, begins, stops)
    buffers = [None, *(pa.py_buffer(tensor.numpy()) for tensor in (bounds, rest))]
    encoded = pa.Array.from_buffers(pa.large_binary(), len(begins), buffers).dictionary_encode()
    numbers = encoded.indices.to_numpy(zero_copy_only=False)
    firsts = np.empty(len(encoded.dictionary), np.int32)
    # Of places that are written more than once the last stays.
    firsts[numbers[::-1]] = np.arange(len(numbers), dtype=np.int32)[::-1]
    return torch.from_numpy(numbers.astype(np.int32)), torch.from_numpy(firsts)


@operation(
    Variant(_numbered_by_loop, "cpu", "a hash table of slices, none of which is copied", _loop_numbers),
    Variant(_numbered_by_arrow, "cpu", "Arrow hashes strings"),
)
def numbered(data: Tensor, begins: Tensor, stops: Tensor) -> tuple[Tensor, Tensor]:
    """Which of the distinct slices `data[begins[i]:stops[i]]` each is, (n,) int32, and the first of each, ascending: (k,) int32."""
    found, firsts = ranks(*gathered(data, begins, stops))
    order = torch.argsort(firsts)
    return torch.argsort(order).int().index_select(0, found), firsts.index_select(0, order)


def _pieces_by_loop(
    data: Tensor, begins: Tensor, stops: Tensor, separator: Tensor, place: int
) -> tuple[Tensor, Tensor]:
    if STATE.watchers:
        waits.expected(_MORE)
    firsts, lasts = np.empty((2, len(begins)), np.int64)
    own = begins.contiguous().numpy(), stops.contiguous().numpy()
    find_pieces(data.contiguous().numpy(), *own, separator.contiguous().numpy(), place, firsts, lasts)
    return torch.from_numpy(firsts), torch.from_numpy(lasts)


def _loop_finds_pieces(data: Tensor, begins: Tensor, stops: Tensor, separator: Tensor, place: int) -> bool:
    kinds = (torch.uint8, torch.int64, torch.int64, torch.uint8, int, torch.int64, torch.int64)
    return find_pieces.ready(len(begins), *kinds)


def _pieces_by_arrow(
    data: Tensor, begins: Tensor, stops: Tensor, separator: Tensor, place: int
) -> tuple[Tensor, Tensor]:
    rest, bounds = gathered(data, begins, stops)
    buffers = [None, *(pa.py_buffer(tensor.contiguous().numpy()) for tensor in (bounds, rest))]
    strings = pa.Array.from_buffers(pa.large_string(), len(begins), buffers)
    parts = pc.split_pattern(strings, separator.contiguous().numpy().tobytes().decode())
    ends = parts.offsets.to_numpy().astype(np.int64)
    at = (ends[:-1] - 1 if place > 0 else ends[1:]) + place
    is_there = (at >= ends[:-1]) & (at < ends[1:])
    at = np.where(is_there, at, ends[:-1])
    sizes = pc.binary_length(parts.values).to_numpy(zero_copy_only=False)
    before = np.concatenate(([0], np.cumsum(sizes + separator.shape[0])))
    firsts = begins.numpy() + before[at] - before[ends[:-1]]
    lasts = firsts + sizes[at]
    return torch.from_numpy(np.where(is_there, firsts, -1)), torch.from_numpy(np.where(is_there, lasts, -1))


@operation(
    Variant(_pieces_by_loop, "cpu", "each string is read as far as it must be", _loop_finds_pieces),
    Variant(_pieces_by_arrow, "cpu", "Arrow divides the strings"),
)
def pieces(data: Tensor, begins: Tensor, stops: Tensor, separator: Tensor, place: int) -> tuple[Tensor, Tensor]:
    """Where piece number `place` of the strings `data[begins[i]:stops[i]]` begins and ends: two (n,) int64, -1 of one without it.

    Pieces are what the bytes `separator` (k,), k > 0, divide, counted from 1, or from the end for negative numbers; none has number
    0. The plain form passes over all bytes k times, and over the strings as often as one of them has pieces; a wait each time.
    """
    size, width = data.shape[0], separator.shape[0]
    found = torch.ones(max(size - width + 1, 0), dtype=torch.bool, device=data.device)
    for place_of, byte in enumerate(separator.unbind(0)):
        found &= data[place_of : place_of + found.shape[0]] == byte
    # Of each byte the separator that comes next; behind the last one, none.
    following = torch.full((size + 1,), size + width, dtype=torch.int64, device=data.device)
    here = torch.arange(found.shape[0], device=data.device)
    following[: found.shape[0]] = torch.where(found, here, size + width)
    following = following.flip(0).cummin(0).values.flip(0)

    def end(first: Tensor) -> Tensor:
        """Where the piece that begins there ends, if a separator is behind it, else a place behind the string's end."""
        ends = following.index_select(0, first)
        return torch.where(ends + width <= stops, ends, size + width)

    def moved(first: Tensor, left: Tensor) -> tuple[Tensor, Tensor]:
        """The next pieces of the strings that have some `left`, and which of them these are."""
        ends = end(first)
        moves = (left > 1) & (ends <= size)
        return torch.where(moves, ends + width, first), moves

    left = torch.full_like(stops, place)
    if place < 0:
        counted, every = begins, torch.full_like(stops, 2)
        while True:
            left = left + (every > 1)
            counted, moves = moved(counted, every)
            every = torch.where(moves, every, 0)
            if not waits.truth(moves.any(), _MORE):
                break
        left = left + 1
    while True:
        begins, moves = moved(begins, left)
        left = left - moves.long()
        if not waits.truth(moves.any(), _MORE):
            break
    is_there = left == 1
    ends = torch.minimum(end(begins), stops)
    return torch.where(is_there, begins, -1), torch.where(is_there, ends, -1)
