"""The byte search against Python's own, over chunk borders, rows of all lengths and non-ASCII text."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest
import torch

from tqp.kernels import text

WORDS = ["special", "requests", "a", "b", "ab", "aa", "spec", "request", " ", "ñ", "日本", "", "q"]


def build(rows: int, seed: int) -> tuple[list[bytes], torch.Tensor, torch.Tensor]:
    rng = random.Random(seed)
    strings = ["".join(rng.choices(WORDS, k=rng.randint(0, 6))).encode() for _ in range(rows)]
    offsets = np.concatenate([[0], np.cumsum([len(string) for string in strings])]).astype(np.int64)
    data = np.frombuffer(b"".join(strings), dtype=np.uint8).copy()
    return strings, torch.from_numpy(data), torch.from_numpy(offsets)


PATTERNS = [
    "",
    "%",
    "a",
    "%special%requests%",
    "a%",
    "%a",
    "%aa%aa%",
    "ab%ab",
    "%ñ%",
    "%日本%a%",
    "%q",
    "a%a",
    "%ecial%",
]


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("chunk", [7, 64, 1 << 19])
def test_like(pattern, chunk, monkeypatch):
    monkeypatch.setattr(text, "_CHUNK", chunk)
    strings, data, offsets = build(2000, 0)
    segments = [segment.encode() for segment in pattern.split("%")]
    regex = re.compile(b".*".join(re.escape(segment) for segment in segments), re.DOTALL)
    expected = [regex.fullmatch(string) is not None for string in strings]
    assert text.like(data, offsets, segments).tolist() == expected
    assert text.like(data, offsets, segments, 100, 250).tolist() == expected[100:250]


def test_nothing_to_search():
    empty, offsets = torch.empty(0, dtype=torch.uint8), torch.zeros(1, dtype=torch.int64)
    assert text.like(empty, offsets, [b"", b"a", b""]).tolist() == []
    assert text.like(empty, torch.zeros(3, dtype=torch.int64), [b"", b"a", b""]).tolist() == [False, False]


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("kind", [torch.int16, torch.int64])
def test_like_of_some_strings(pattern, kind):
    strings, data, offsets = build(2000, 1)
    segments = [segment.encode() for segment in pattern.split("%")]
    rows = torch.tensor([1999, 0, 7, 7, *range(50, 500, 3)], dtype=kind)
    regex = re.compile(b".*".join(re.escape(segment) for segment in segments), re.DOTALL)
    expected = [regex.fullmatch(strings[row]) is not None for row in rows.tolist()]
    assert text.like_rows(data, offsets, segments, rows).tolist() == expected


@pytest.mark.parametrize("size", [1, 3, 63, 64, 65, 200])
def test_parts_of_any_length_stand_anywhere(size):
    """Blocks of 64 bytes end within parts, within strings, and beyond the last string."""
    rng = random.Random(size)
    needle = bytes(rng.choices(b"ab", k=size))
    strings = [
        bytes(rng.choices(b"ab", k=rng.randint(0, 150))) + needle * rng.randint(0, 1) + b"b" * rng.randint(0, 90)
        for _ in range(50)
    ]
    offsets = torch.from_numpy(np.concatenate([[0], np.cumsum([len(string) for string in strings])]))
    data = torch.frombuffer(bytearray(b"".join(strings)), dtype=torch.uint8)
    for segments in ([b"", needle, b""], [b"", b"aa", needle, b""], [b"a", needle, b"b"], [b"", needle], [needle, b""]):
        regex = re.compile(b".*".join(map(re.escape, segments)), re.DOTALL)
        expected = [regex.fullmatch(string) is not None for string in strings]
        assert text.like(data, offsets, segments).tolist() == expected
        assert text.like_rows(data, offsets, segments, torch.arange(50)).tolist() == expected
