"""Loops that hash strings: to numbers of 64 bits, and to digests that nobody can guess the strings from.

Strings are `data[offsets[i]:offsets[i + 1]]`. Digests work on blocks of 16 words of 32 bits; how many bits a string has stands in
the last two.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
import torch

from tqp.kernels.loops.loop import loop, part
from tqp.kernels.loops.slices import load_word

__all__ = ["hash_texts", "write_md5", "write_sha1", "write_sha256"]

_FACTOR: Final = np.uint64(0xD6E8FEB86659FD93)
_SEED: Final = np.uint64(0xE17A1465)
_LENGTH: Final = np.uint64(0xC6A4A7935BD1E995)
_WORD: Final = 8

_STRINGS = torch.uint8, torch.int64, torch.uint8


@loop((torch.uint8, torch.int64, torch.uint64))
def hash_texts(data: Any, offsets: Any, hashes: Any) -> None:
    """Write to `hashes` (n,) what `murmur.of_texts` says."""
    border = data.size - _WORD
    half = np.uint64(32)
    for row in range(hashes.size):
        at, stop = offsets[row], offsets[row + 1]
        state = _SEED ^ (np.uint64(stop - at) * _LENGTH)
        while at + _WORD <= stop:
            state = (state ^ load_word(data, at)) * _FACTOR
            at += _WORD
        if at < stop:
            word = np.uint64(0)
            if at <= border:
                word = load_word(data, at) & ((np.uint64(1) << np.uint64(8 * (stop - at))) - np.uint64(1))
            else:
                for byte in range(stop - at):
                    word |= np.uint64(data[at + byte]) << np.uint64(8 * byte)
            state = (state ^ word) * _FACTOR
        state = (state ^ (state >> half)) * _FACTOR
        state = (state ^ (state >> half)) * _FACTOR
        hashes[row] = state ^ (state >> half)


@part
def _blocks(size: int) -> int:
    """How many blocks a string of so many bytes takes, with a byte behind it and its size."""
    return (size + 8) // 64 + 1


@part
def _read_block(data: Any, at: int, stop: int, words: Any, is_big: bool) -> None:
    """Write to `words` the bytes of a string from `at` on, behind its end those that a block has there, without the size."""
    for place in range(16):
        word = 0
        for byte in range(4):
            value: Any = 0
            if at < stop:
                value = np.int64(data[at])
            elif at == stop:
                value = 0x80
            at += 1
            word |= value << (8 * (3 - byte) if is_big else 8 * byte)
        words[place] = np.uint32(word)


@part
def _rotated(word: Any, bits: Any) -> Any:
    return np.uint32((word << bits) | (word >> (np.uint32(32) - bits)))


_MD5: Final = np.array([int(abs(math.sin(step + 1)) * 2**32) for step in range(64)], np.uint32)
_TURNS: Final = np.array(
    4 * [7, 12, 17, 22] + 4 * [5, 9, 14, 20] + 4 * [4, 11, 16, 23] + 4 * [6, 10, 15, 21], np.uint32
)
_PLACES: Final = np.array(
    [*range(16), *((5 * step + 1) % 16 for step in range(16)), *((3 * step + 5) % 16 for step in range(16)),
     *(7 * step % 16 for step in range(16))], np.int64
)  # fmt: skip
_START: Final = np.array([0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0], np.uint32)


@loop(_STRINGS)
def write_md5(data: Any, offsets: Any, digests: Any) -> None:
    """Write to `digests` (16 n,) those by MD5."""
    words, state = np.empty(16, np.uint32), np.empty(4, np.uint32)
    for row in range(offsets.size - 1):
        begin, stop = offsets[row], offsets[row + 1]
        state[:] = _START[:4]
        blocks = _blocks(stop - begin)
        for block in range(blocks):
            _read_block(data, begin + 64 * block, stop, words, False)
            if block == blocks - 1:
                words[14] = np.uint32((stop - begin) << 3)
                words[15] = np.uint32((stop - begin) >> 29)
            a, b, c, d = state[0], state[1], state[2], state[3]
            for step in range(64):
                if step < 16:
                    mixed = np.uint32(d ^ (b & (c ^ d)))
                elif step < 32:
                    mixed = np.uint32(c ^ (d & (b ^ c)))
                elif step < 48:
                    mixed = np.uint32(b ^ c ^ d)
                else:
                    mixed = np.uint32(c ^ (b | np.uint32(~d)))
                mixed = np.uint32(mixed + a + _MD5[step] + words[_PLACES[step]])
                a, d, c = d, c, b
                b = np.uint32(b + _rotated(mixed, _TURNS[step]))
            state[0] = np.uint32(state[0] + a)
            state[1] = np.uint32(state[1] + b)
            state[2] = np.uint32(state[2] + c)
            state[3] = np.uint32(state[3] + d)
        for byte in range(16):
            digests[16 * row + byte] = np.uint8(np.int64(state[byte >> 2]) >> (8 * (byte & 3)))


@loop(_STRINGS)
def write_sha1(data: Any, offsets: Any, digests: Any) -> None:
    """Write to `digests` (20 n,) those by SHA-1."""
    words, state = np.empty(80, np.uint32), np.empty(5, np.uint32)
    for row in range(offsets.size - 1):
        begin, stop = offsets[row], offsets[row + 1]
        state[:] = _START
        blocks = _blocks(stop - begin)
        for block in range(blocks):
            _read_block(data, begin + 64 * block, stop, words, True)
            if block == blocks - 1:
                words[14] = np.uint32((stop - begin) >> 29)
                words[15] = np.uint32((stop - begin) << 3)
            for step in range(16, 80):
                mixed = np.uint32(words[step - 3] ^ words[step - 8] ^ words[step - 14] ^ words[step - 16])
                words[step] = _rotated(mixed, np.uint32(1))
            a, b, c, d, e = state[0], state[1], state[2], state[3], state[4]
            for step in range(80):
                if step < 20:
                    mixed = np.uint32((d ^ (b & (c ^ d))) + np.uint32(0x5A827999))
                elif step < 40:
                    mixed = np.uint32((b ^ c ^ d) + np.uint32(0x6ED9EBA1))
                elif step < 60:
                    mixed = np.uint32(((b & c) | (d & (b | c))) + np.uint32(0x8F1BBCDC))
                else:
                    mixed = np.uint32((b ^ c ^ d) + np.uint32(0xCA62C1D6))
                mixed = np.uint32(mixed + _rotated(a, np.uint32(5)) + e + words[step])
                e, d, c, b, a = d, c, _rotated(b, np.uint32(30)), a, mixed
            state[0] = np.uint32(state[0] + a)
            state[1] = np.uint32(state[1] + b)
            state[2] = np.uint32(state[2] + c)
            state[3] = np.uint32(state[3] + d)
            state[4] = np.uint32(state[4] + e)
        for byte in range(20):
            digests[20 * row + byte] = np.uint8(np.int64(state[byte >> 2]) >> (8 * (3 - (byte & 3))))


def _primes(count: int) -> list[int]:
    found: list[int] = []
    number = 2
    while len(found) < count:
        if all(number % prime for prime in found):
            found.append(number)
        number += 1
    return found


def _cube_root(number: int) -> int:
    """Of a whole number, rounded down."""
    root: int = round(number ** (1 / 3))
    while root**3 > number:
        root -= 1
    while (root + 1) ** 3 <= number:
        root += 1
    return root


_SHA256: Final = np.array([_cube_root(prime << 96) % 2**32 for prime in _primes(64)], np.uint32)
_FIRST: Final = np.array([math.isqrt(prime << 64) % 2**32 for prime in _primes(8)], np.uint32)


@loop(_STRINGS)
def write_sha256(data: Any, offsets: Any, digests: Any) -> None:
    """Write to `digests` (32 n,) those by SHA-256."""
    words, state = np.empty(64, np.uint32), np.empty(8, np.uint32)
    for row in range(offsets.size - 1):
        begin, stop = offsets[row], offsets[row + 1]
        state[:] = _FIRST
        blocks = _blocks(stop - begin)
        for block in range(blocks):
            _read_block(data, begin + 64 * block, stop, words, True)
            if block == blocks - 1:
                words[14] = np.uint32((stop - begin) >> 29)
                words[15] = np.uint32((stop - begin) << 3)
            for step in range(16, 64):
                one, two = words[step - 15], words[step - 2]
                low = _rotated(one, np.uint32(25)) ^ _rotated(one, np.uint32(14)) ^ np.uint32(one >> np.uint32(3))
                high = _rotated(two, np.uint32(15)) ^ _rotated(two, np.uint32(13)) ^ np.uint32(two >> np.uint32(10))
                words[step] = np.uint32(words[step - 16] + low + words[step - 7] + high)
            a, b, c, d = state[0], state[1], state[2], state[3]
            e, f, g, h = state[4], state[5], state[6], state[7]
            for step in range(64):
                high = _rotated(e, np.uint32(26)) ^ _rotated(e, np.uint32(21)) ^ _rotated(e, np.uint32(7))
                one = np.uint32(h + high + (g ^ (e & (f ^ g))) + _SHA256[step] + words[step])
                low = _rotated(a, np.uint32(30)) ^ _rotated(a, np.uint32(19)) ^ _rotated(a, np.uint32(10))
                two = np.uint32(low + ((a & b) | (c & (a | b))))
                h, g, f, e, d, c, b, a = g, f, e, np.uint32(d + one), c, b, a, np.uint32(one + two)
            state[0] = np.uint32(state[0] + a)
            state[1] = np.uint32(state[1] + b)
            state[2] = np.uint32(state[2] + c)
            state[3] = np.uint32(state[3] + d)
            state[4] = np.uint32(state[4] + e)
            state[5] = np.uint32(state[5] + f)
            state[6] = np.uint32(state[6] + g)
            state[7] = np.uint32(state[7] + h)
        for byte in range(32):
            digests[32 * row + byte] = np.uint8(np.int64(state[byte >> 2]) >> (8 * (3 - (byte & 3))))
