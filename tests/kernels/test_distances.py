"""Distances of many pairs at once against the same one pair at a time, over blocks of all shapes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tqp.kernels import distances

_WORD = st.text("abc", max_size=9).map(str.encode)
_PAIRS = st.lists(st.tuples(_WORD, _WORD), min_size=1, max_size=12)


def _packed(words: list[bytes]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    lengths = torch.tensor([len(word) for word in words])
    data = torch.tensor(list(b"".join(words)), dtype=torch.uint8)
    return data, lengths.cumsum(0) - lengths, lengths


def _computed(function: Callable[..., torch.Tensor], pairs: list[tuple[bytes, bytes]], tables: bool) -> list[float]:
    (first, begins, lengths), (second, starts, others) = (_packed([pair[side] for pair in pairs]) for side in (0, 1))
    result: list[float] = [-1.0] * len(pairs)
    for chosen, width, other in distances.blocks(lengths, others, tables):
        left = distances.rows_of_signs(first, begins[chosen], width)
        right = distances.rows_of_signs(second, starts[chosen], other)
        found = function(left, lengths[chosen], right, others[chosen])
        for place, value in zip(chosen.tolist(), found.tolist(), strict=True):
            assert result[place] == -1.0
            result[place] = value
    return result


def _levenshtein(left: bytes, right: bytes, exchanges: bool = False) -> int:
    """By the definition: a table filled cell by cell, the last equal bytes looked for."""
    table = {(i, 0): i for i in range(len(left) + 1)} | {(0, j): j for j in range(len(right) + 1)}
    for i in range(1, len(left) + 1):
        for j in range(1, len(right) + 1):
            best = min(table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + (left[i - 1] != right[j - 1]))
            if exchanges:
                for k in range(1, i):
                    for m in range(1, j):
                        if left[k - 1] == right[j - 1] and left[i - 1] == right[m - 1]:
                            best = min(best, table[k - 1, m - 1] + (i - k - 1) + 1 + (j - m - 1))
            table[i, j] = best
    return table[len(left), len(right)]


def _jaro(left: bytes, right: bytes) -> float:
    window = max(max(len(left), len(right)) // 2 - 1, 0)
    free, moved, matched = list(range(len(left))), [], []
    for place, byte in enumerate(right):
        found = next((at for at in free if abs(at - place) <= window and left[at] == byte), None)
        if found is not None:
            free.remove(found)
            matched.append(found)
            moved.append(byte)
    common = len(matched)
    if not common:
        return 0.0
    half = sum(left[at] != byte for at, byte in zip(sorted(matched), moved, strict=True)) // 2
    return (common / len(left) + common / len(right) + (common - half) / common) / 3.0


@pytest.fixture(params=[4, 1 << 18], autouse=True)
def cells(request: pytest.FixtureRequest) -> None:
    # No monkeypatch: hypothesis runs a test many times within one.
    before, distances._CELLS = distances._CELLS, request.param
    request.addfinalizer(lambda: setattr(distances, "_CELLS", before))


@given(_PAIRS)
def test_levenshtein(pairs: list[tuple[bytes, bytes]]) -> None:
    assert _computed(distances.levenshtein, pairs, False) == [_levenshtein(*pair) for pair in pairs]


@given(_PAIRS)
def test_damerau_levenshtein(pairs: list[tuple[bytes, bytes]]) -> None:
    assert _computed(distances.damerau_levenshtein, pairs, True) == [_levenshtein(*pair, True) for pair in pairs]


@given(_PAIRS)
def test_jaro(pairs: list[tuple[bytes, bytes]]) -> None:
    assert _computed(distances.jaro, pairs, False) == pytest.approx([_jaro(*pair) for pair in pairs], abs=1e-15)


@given(_PAIRS.map(lambda pairs: [(left + b"a", right + b"c") for left, right in pairs]))
def test_jaccard(pairs: list[tuple[bytes, bytes]]) -> None:
    expected = [len({*left} & {*right}) / len({*left} | {*right}) for left, right in pairs]
    assert _computed(distances.jaccard, pairs, False) == expected


@given(_PAIRS)
def test_hamming(pairs: list[tuple[bytes, bytes]]) -> None:
    expected = [sum(a != b for a, b in zip(*pair, strict=False)) for pair in pairs]
    assert _computed(distances.hamming, pairs, False) == expected
