"""`tqp.kernels.once`, `ordered` and `filled` against loops of plain Python."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from tqp.kernels import filled, frequent, once, ordered
from tqp.kernels.fold import State

Range = tuple[Tensor, Tensor]


def numbers(values: list[int]) -> Tensor:
    return torch.tensor(values, dtype=torch.int64)


@st.composite
def ends(draw: st.DrawFn, rows: int, *, rising: bool) -> list[tuple[int, int]]:
    place = st.integers(0, rows)
    found = [(min(pair), max(pair)) for pair in draw(st.lists(st.tuples(place, place), min_size=rows, max_size=rows))]
    if rising:
        lows, highs = sorted(low for low, _ in found), sorted(high for _, high in found)
        found = [(low, max(low, high)) for low, high in zip(lows, highs, strict=True)]
    return found


def added(a: State, b: State) -> State:
    return (a[0] + b[0],)


def larger(a: State, b: State) -> State:
    return (torch.maximum(a[0], b[0]),)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=25), st.booleans(), st.data())
def test_the_first_row_of_each_value_counts(values: list[int], rising: bool, data: st.DataObject) -> None:
    rows = len(values)
    frames = data.draw(ends(rows, rising=rising))
    weights = data.draw(st.lists(st.integers(-9, 9), min_size=rows, max_size=rows))
    earlier = once.earlier_rows(numbers(values))
    assert earlier.tolist() == [
        max((before for before in range(row) if values[before] == values[row]), default=-1) for row in range(rows)
    ]
    low, high = numbers([low for low, _ in frames]), numbers([high for _, high in frames])
    firsts = [[p for p in range(a, b) if values[p] not in values[a:p]] for a, b in frames]
    sums = [sum(weights[p] for p in first) for first in firsts]
    assert once.summed(numbers(weights), earlier, low, high).tolist() == sums
    zero = torch.zeros((), dtype=torch.int64)
    (total,) = once.folded((numbers(weights),), (zero,), added, earlier, low, high)
    assert total.tolist() == sums
    (most,) = once.folded((numbers(weights),), (zero - 99,), larger, earlier, low, high)
    assert most.tolist() == [max((weights[p] for p in first), default=-99) for first in firsts]


def test_values_outside_of_a_frame_leave_its_sum_alone() -> None:
    values = torch.tensor([math.inf, 1.0, math.nan, 2.0, 2.0], dtype=torch.float64)
    low, high = numbers([3, 0, 1, 0, 3]), numbers([5, 1, 2, 4, 3])
    earlier = numbers([-1, -1, -1, -1, 3])
    zero = torch.zeros((), dtype=torch.float64)
    (total,) = once.folded((values,), (zero,), added, earlier, low, high)
    assert total.tolist()[:3] == [2.0, math.inf, 1.0]
    assert math.isnan(total[3])
    assert total[4] == 0


@given(st.permutations(range(12)), st.integers(1, 12), st.integers(1, 3), st.data())
def test_rows_by_numbers(order: list[int], rows: int, parts: int, data: st.DataObject) -> None:
    own = sorted(order[:rows])
    keys = [own.index(key) for key in order[:rows]]
    cuts = [sorted(data.draw(st.lists(st.integers(0, rows), min_size=2 * parts, max_size=2 * parts))) for _ in keys]
    ranges = [(numbers([cut[2 * k] for cut in cuts]), numbers([cut[2 * k + 1] for cut in cuts])) for k in range(parts)]
    seen = [[keys[p] for k in range(parts) for p in range(cut[2 * k], cut[2 * k + 1])] for cut in cuts]
    limits = data.draw(st.lists(st.integers(0, rows), min_size=rows, max_size=rows))
    assert ordered.smaller(numbers(keys), ranges, numbers(limits)).tolist() == [
        sum(key < limit for key in frame) for frame, limit in zip(seen, limits, strict=True)
    ]
    n = data.draw(st.lists(st.integers(0, rows - 1), min_size=rows, max_size=rows))
    found = ordered.nth_smallest(numbers(keys), ranges, numbers(n)).tolist()
    for frame, place, key in zip(seen, n, found, strict=True):
        assert place >= len(frame) or sorted(frame)[place] == key


@given(st.lists(st.booleans(), min_size=1, max_size=20), st.data())
def test_lines_go_through_the_nearest_points(points: list[bool], data: st.DataObject) -> None:
    rows = len(points)
    cut = data.draw(st.integers(0, rows))
    start = [0 if row < cut else cut for row in range(rows)]
    stop = [cut if row < cut else rows for row in range(rows)]
    found = filled.nearest_points(torch.tensor(points), numbers(start), numbers(stop))
    for row, (low, high, both, some) in enumerate(zip(*(part.tolist() for part in found), strict=True)):
        inside = [p for p in range(start[row], stop[row]) if points[p]]
        assert some == bool(inside)
        assert both == (len(inside) > 1)
        if not inside:
            continue
        first = max((p for p in inside if p <= row), default=inside[0])
        behind = [p for p in inside if p > first]
        ahead = [p for p in inside if p < first]
        wanted = (first, behind[0]) if behind else (ahead[-1], first) if ahead else (first, first)
        assert (low, high if both else low) == wanted


@given(st.floats(-1e6, 1e6), st.floats(-3, 3), st.floats(-1e6, 1e6))
@pytest.mark.filterwarnings("error")
def test_the_first_product_is_not_rounded(low: float, share: float, high: float) -> None:
    found = filled.between(*(torch.tensor([value], dtype=torch.float64) for value in (low, share, high)))
    wanted = float(Fraction(low) * Fraction(1.0 - share) + Fraction(high * share))
    assert found.item() == pytest.approx(wanted, rel=1e-15, abs=1e-300)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=25), st.booleans(), st.booleans(), st.data())
def test_the_most_frequent_of_each_frame(values: list[int], rising: bool, grows: bool, data: st.DataObject) -> None:
    values = [value % len(values) for value in values]
    frames = data.draw(ends(len(values), rising=rising))
    if grows:
        size = data.draw(st.integers(1, len(values)))
        frames = [(row - row % size, row + 1) for row in range(len(values))]
    low, high = numbers([low for low, _ in frames]), numbers([high for _, high in frames])
    expected = []
    for a, b in frames:
        inside = values[a:b]
        best = max(inside, key=lambda value: (inside.count(value), -inside.index(value)), default=None)
        expected.append(0 if best is None else a + inside.index(best))
    assert frequent.most_frequent(numbers(values), low, high).tolist() == expected
