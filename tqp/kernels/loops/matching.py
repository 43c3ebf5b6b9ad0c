"""The loop that looks for the parts of a pattern in the bytes of strings, 64 at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from tqp.kernels.loops.loop import loop, native

__all__ = ["BLOCK", "fetch", "lowest", "match_parts", "same_bytes"]

BLOCK = 64
"""Bytes that are compared at once: as many as a word has bits."""


_AHEAD = 8
"""So many strings later one that lies anywhere is used when it is asked for."""


def _write_same_bytes(builder: Any, ir: Any, data: Any, at: Any, byte: Any) -> Any:
    vector = ir.VectorType(ir.IntType(8), BLOCK)
    undefined = ir.Constant(vector, ir.Undefined)
    there = builder.load(builder.bitcast(builder.gep(data, [at]), vector.as_pointer()))
    there.align = 1
    first = builder.insert_element(undefined, byte, ir.Constant(ir.IntType(32), 0))
    everywhere = ir.Constant(ir.VectorType(ir.IntType(32), BLOCK), [0] * BLOCK)
    wanted = builder.shuffle_vector(first, undefined, everywhere)
    return builder.bitcast(builder.icmp_unsigned("==", there, wanted), ir.IntType(64))


@native(_write_same_bytes, "uint64", "uint8[]", "int64", "uint8")
def same_bytes(data: Any, at: Any, byte: Any) -> Any:
    """Which of the `BLOCK` bytes of `data` from `at` on, all within it, are `byte`: bit i of the number for byte at + i."""
    return np.packbits(data[at : at + BLOCK] == byte, bitorder="little").view(np.uint64)[0]


def _write_lowest(builder: Any, ir: Any, word: Any) -> Any:
    return builder.cttz(word, ir.Constant(ir.IntType(1), 0))


@native(_write_lowest, "int64", "uint64")
def lowest(word: Any) -> Any:
    """The place of the lowest bit of a word that is set; 64 where none is."""
    return (int(word) & -int(word)).bit_length() - 1 if word else BLOCK


def _write_fetch(builder: Any, ir: Any, data: Any, at: Any) -> Any:
    number, address = ir.IntType(32), builder.gep(data, [at])
    kind = ir.FunctionType(ir.VoidType(), [address.type, number, number, number])
    fetch = builder.module.declare_intrinsic("llvm.prefetch", [address.type], kind)
    # To read, once, of data.
    builder.call(fetch, [address, ir.Constant(number, 0), ir.Constant(number, 0), ir.Constant(number, 1)])
    return ir.Constant(ir.IntType(1), 1)


@native(_write_fetch, "boolean", "uint8[]", "int64")
def fetch(data: Any, at: Any) -> bool:
    """Ask for the bytes of `data` from `at` on ahead of their use."""
    return True


_KINDS = (
    torch.uint8, torch.int64, torch.int64, torch.uint8, torch.int64, torch.int64, torch.int64, bool, torch.bool,
)  # fmt: skip


@loop(_KINDS)
def match_parts(
    data: Any, begins: Any, stops: Any, parts: Any, ends: Any, ones: Any, twos: Any, far: bool, matches: Any
) -> None:
    """Write to `matches` (n,) which of the strings `data[begins[i]:stops[i]]` are a head, inner parts with anything around
    them, and a tail, that do not overlap.

    `parts` has them end to end, and `ends` where each ends: two at least, of which head and tail may be empty. Of each inner
    part the bytes `ones` and `twos` are compared in blocks, and the others where both are there; each part is taken where it
    comes first. `far`: each string begins where the one before it ends, so that the first inner part is looked for in all that
    follow at once.
    """
    last = ends.size - 1
    head, tail = ends[0], ends[last] - ends[last - 1]
    far = far and head == 0 and tail == 0 and last > 1
    border = data.size - BLOCK
    seen = np.int64(-1)
    for row in range(begins.size):
        if not far and row + _AHEAD < begins.size:
            fetch(data, begins[row + _AHEAD])
            fetch(data, stops[row + _AHEAD])
        at, end = begins[row] + head, stops[row] - tail
        if far and seen >= end:
            matches[row] = False
            continue
        same = at <= end
        if same:
            for byte in range(head):
                if data[at - head + byte] != parts[byte]:
                    same = False
                    break
        if same:
            for byte in range(tail):
                if data[end + byte] != parts[ends[last - 1] + byte]:
                    same = False
                    break
        part = 1
        while same and part < last:
            begin = ends[part - 1]
            size = ends[part] - begin
            one, two = ones[part], twos[part]
            first, second = parts[begin + one], parts[begin + two]
            # Where the part comes first: here, or of the first one in any of the strings that follow.
            limit = end - size
            if far and part == 1:
                if seen >= at:
                    at = seen
                limit = stops[stops.size - 1] - size
            found = False
            while not found and at <= limit:
                if at + size <= border:
                    hits = same_bytes(data, at + one, first) & same_bytes(data, at + two, second)
                    if limit - at < BLOCK - 1:
                        hits &= (np.uint64(2) << np.uint64(limit - at)) - np.uint64(1)
                    if hits == np.uint64(0):
                        at += BLOCK
                        continue
                    at += lowest(hits)
                elif data[at + one] != first or data[at + two] != second:
                    at += 1
                    continue
                found = True
                for byte in range(size):
                    if data[at + byte] != parts[begin + byte]:
                        found = False
                        at += 1
                        break
            if far and part == 1:
                seen = at
                found = found and at <= end - size
            at += size
            same = found
            part += 1
        matches[row] = same
