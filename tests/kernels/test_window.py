"""`tqp.kernels.window` and the aggregates over frames against loops of plain Python."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from tests.kernels.strategies import CPU, floats, integers, wide_numbers
from tqp.data.column import Column
from tqp.data.layout import Encoding
from tqp.errors import ExecutionError
from tqp.functions.aggregates import find_aggregate
from tqp.functions.windows import Over, find_window
from tqp.kernels import wide, window
from tqp.kernels.window import Frame, Runs
from tqp.types import BIGINT, DOUBLE, FLOAT, HUGEINT, INTEGER, DType


def runs_of(marks: list[bool]) -> Runs:
    return window.runs(torch.tensor(marks))


def bounds(marks: list[bool]) -> list[tuple[int, int]]:
    """Of each row: where its run starts and stops."""
    begins = [place for place, mark in enumerate(marks) if mark or place == 0]
    stops = [*begins[1:], len(marks)]
    return [next((a, b) for a, b in zip(begins, stops, strict=True) if a <= row < b) for row in range(len(marks))]


@st.composite
def layouts(draw: st.DrawFn) -> tuple[list[bool], list[bool]]:
    """Where partitions begin and where peers do, of some rows."""
    rows = draw(st.integers(1, 20))
    partitions = draw(st.lists(st.booleans(), min_size=rows, max_size=rows))
    peers = draw(st.lists(st.booleans(), min_size=rows, max_size=rows))
    return partitions, [a or b for a, b in zip(partitions, peers, strict=True)]


def over_frames(name: str, args: tuple[Column, ...], dtype: DType, frame: Frame) -> Column:
    function = find_aggregate(name)
    assert function is not None and function.over_frames is not None
    return function.over_frames(args, dtype, frame)


@given(layouts(), st.data())
def test_ranks(layout: tuple[list[bool], list[bool]], data: st.DataObject) -> None:
    parts, peers = (bounds(marks) for marks in layout)
    partitions, equal = (runs_of(marks) for marks in layout)
    rows = range(len(parts))
    assert window.row_number(partitions).tolist() == [row - parts[row][0] + 1 for row in rows]
    assert window.rank(partitions, equal).tolist() == [peers[row][0] - parts[row][0] + 1 for row in rows]
    distinct = [len({peers[other] for other in range(parts[row][0], row + 1)}) for row in rows]
    assert window.dense_rank(partitions, equal).tolist() == distinct
    sizes = [stop - start for start, stop in parts]
    shares = [(peers[row][0] - parts[row][0]) / max(sizes[row] - 1, 1) for row in rows]
    assert window.percent_rank(partitions, equal).tolist() == shares
    assert window.cume_dist(partitions, equal).tolist() == [
        (peers[row][1] - parts[row][0]) / sizes[row] for row in rows
    ]
    tiles = data.draw(st.lists(st.integers(1, 25), min_size=len(rows), max_size=len(rows)))
    found = window.ntile(partitions, torch.tensor(tiles)).tolist()
    for row in rows:
        # As SQL says it: the first rows % tiles tiles have one row more.
        size, more = divmod(sizes[row], tiles[row])
        whole = [tile for tile in range(tiles[row]) for _ in range(size + (tile < more))]
        assert found[row] == whole[row - parts[row][0]] + 1


@given(layouts(), st.data())
def test_steps_stay_in_the_partition(layout: tuple[list[bool], list[bool]], data: st.DataObject) -> None:
    parts, peers = (bounds(marks) for marks in layout)
    partitions, equal = (runs_of(marks) for marks in layout)
    step = st.integers(-4, 4) | st.sampled_from([2**63 - 1, -(2**63), -(2**63) + 1])
    by = data.draw(st.lists(step, min_size=len(parts), max_size=len(parts)))
    after = data.draw(st.booleans())
    rows = window.shifted(partitions, None, torch.tensor(by), after).tolist()
    groups = window.shifted(partitions, equal, torch.tensor(by), after).tolist()
    for row, (start, stop) in enumerate(parts):
        assert rows[row] == min(max(row + by[row] + after, start), stop)
        begins = [*sorted({peers[other][0] for other in range(start, stop)}), stop]
        wanted = begins.index(peers[row][0]) + by[row] + after
        assert groups[row] == begins[min(max(wanted, 0), len(begins) - 1)]
    assert window.shifted(partitions, None, by[0], after).tolist() == [
        min(max(row + by[0] + after, start), stop) for row, (start, stop) in enumerate(parts)
    ]


@st.composite
def frames(draw: st.DrawFn, rows: int) -> tuple[Frame, list[list[int]]]:
    """A frame and the positions in it, row by row: any ranges, with a hole at times, or such as grow with partitions."""
    marks = draw(st.lists(st.booleans(), min_size=rows, max_size=rows))
    if draw(st.booleans()) and rows:
        parts = bounds(marks)
        high = [draw(st.integers(start, stop)) for start, stop in parts]
        low = [start for start, _ in parts]
        frame = Frame([(torch.tensor(low), torch.tensor(high))], runs_of(marks))
        return frame, [list(range(a, b)) for a, b in zip(low, high, strict=True)]
    place = st.lists(st.integers(0, rows), min_size=rows, max_size=rows)
    low, high = draw(place), draw(place)
    whole = window.between(torch.tensor(low, dtype=torch.int64), torch.tensor(high, dtype=torch.int64))
    members = [list(range(a, b)) for a, b in zip(low, high, strict=True)]
    if not draw(st.booleans()):
        return whole, members
    if draw(st.booleans()):
        return window.without_row(whole), [[place for place in members[row] if place != row] for row in range(rows)]
    own, equal = draw(st.booleans()), bounds(marks)
    kept = [
        [place for place in members[row] if not equal[row][0] <= place < equal[row][1] or (own and place == row)]
        for row in range(rows)
    ]
    return window.without_peers(whole, runs_of(marks), keep_row=own), kept


def column(data: st.DataObject, values: Tensor, dtype: Any) -> tuple[Column, list[Any]]:
    """A column of the values, some of them NULL, and the values with None for NULL."""
    rows = len(values)
    valid = data.draw(st.none() | st.lists(st.booleans(), min_size=rows, max_size=rows))
    shown = wide.to_python(values) if values.ndim == 2 else values.tolist()
    encoding = Encoding.WIDE if values.ndim == 2 else Encoding.FLAT
    if valid is None:
        return Column(values, dtype, encoding=encoding), shown
    mask = torch.tensor(valid, dtype=torch.bool)
    return Column(values, dtype, mask, encoding=encoding), [
        v if ok else None for v, ok in zip(shown, valid, strict=True)
    ]


def listed(found: Column) -> list[Any]:
    values = wide.to_python(found.data) if found.data.ndim == 2 else found.data.tolist()
    if found.bounds is not None:
        assert all(found.bounds[0] <= value <= found.bounds[1] for value in values)
    valid = [True] * len(values) if found.valid is None else found.valid.tolist()
    return [value if ok else None for value, ok in zip(values, valid, strict=True)]


def present(values: list[Any], members: list[int]) -> list[Any]:
    return [values[place] for place in members if values[place] is not None]


@given(st.data(), integers(min_size=1))
def test_integers(data: st.DataObject, values: Tensor) -> None:
    numbers, shown = column(data, values, BIGINT)
    frame, members = data.draw(frames(len(shown)))
    parts = [present(shown, places) for places in members]
    assert listed(over_frames("count_star", (), BIGINT, frame)) == [len(places) for places in members]
    assert listed(over_frames("count", (numbers,), BIGINT, frame)) == [len(part) for part in parts]
    sums = over_frames("sum", (numbers,), HUGEINT, frame)
    assert listed(sums) == [sum(part) if part else None for part in parts]
    assert listed(over_frames("min", (numbers,), BIGINT, frame)) == [min(part, default=None) for part in parts]
    assert listed(over_frames("max", (numbers,), BIGINT, frame)) == [max(part, default=None) for part in parts]
    means = listed(over_frames("avg", (numbers,), DOUBLE, frame))
    for mean, part in zip(means, parts, strict=True):
        assert (mean is None) == (not part)
        assert mean is None or mean == pytest.approx(sum(part) / len(part), rel=1e-12, abs=1e-300)


@given(st.data(), st.lists(wide_numbers(), min_size=1, max_size=15))
def test_wide_integers(data: st.DataObject, values: list[int]) -> None:
    numbers, shown = column(data, wide.from_python(values, CPU), HUGEINT)
    frame, members = data.draw(frames(len(shown)))
    parts = [present(shown, places) for places in members]
    assert listed(over_frames("min", (numbers,), HUGEINT, frame)) == [min(part, default=None) for part in parts]
    assert listed(over_frames("max", (numbers,), HUGEINT, frame)) == [max(part, default=None) for part in parts]
    if any(not -(2**127) <= sum(part) < 2**127 for part in parts):
        with pytest.raises(ExecutionError, match="128"):
            over_frames("sum", (numbers,), HUGEINT, frame)
    else:
        sums = over_frames("sum", (numbers,), HUGEINT, frame)
        assert listed(sums) == [sum(part) if part else None for part in parts]


@given(st.data(), floats())
def test_floats(data: st.DataObject, values: Tensor) -> None:
    if not len(values):
        return
    numbers, shown = column(data, values, FLOAT if values.dtype is torch.float32 else DOUBLE)
    frame, members = data.draw(frames(len(shown)))
    order = lambda x: (math.isnan(x), x)  # noqa: E731
    parts = [present(shown, places) for places in members]
    for name, choose in (("min", min), ("max", max)):
        for found, part in zip(listed(over_frames(name, (numbers,), DOUBLE, frame)), parts, strict=True):
            wanted = choose(part, key=order, default=None)
            assert found == wanted or math.isnan(found) and math.isnan(wanted)
    sums = listed(over_frames("sum", (numbers,), DOUBLE, frame))
    for found, part in zip(sums, parts, strict=True):
        if not part:
            assert found is None
        elif all(map(math.isfinite, part)):
            assert found == pytest.approx(math.fsum(part), rel=1e-6, abs=sum(map(abs, part)) * 1e-6)
        else:
            # What is not finite in a frame shows, and nothing from outside it does.
            wanted = sum(value for value in part if not math.isfinite(value))
            assert found == wanted or math.isnan(found) and math.isnan(wanted)


@given(st.data(), st.lists(st.integers(-50, 50), min_size=1, max_size=25))
def test_variance(data: st.DataObject, values: list[int]) -> None:
    numbers, shown = column(data, torch.tensor(values, dtype=torch.float64), DOUBLE)
    frame, members = data.draw(frames(len(shown)))
    for name, less, power in (("var_samp", 1, 1), ("var_pop", 0, 1), ("stddev", 1, 0.5), ("stddev_pop", 0, 0.5)):
        for found, places in zip(listed(over_frames(name, (numbers,), DOUBLE, frame)), members, strict=True):
            part = present(shown, places)
            if len(part) <= less:
                assert found is None
                continue
            mean = sum(part) / len(part)
            wanted = (sum((value - mean) ** 2 for value in part) / (len(part) - less)) ** power
            assert found == pytest.approx(wanted, rel=1e-9, abs=1e-5)


@given(st.data(), st.integers(1, 20))
def test_picked_rows(data: st.DataObject, rows: int) -> None:
    frame, members = data.draw(frames(rows))
    n = data.draw(st.lists(st.integers(-2, 6) | st.sampled_from([2**63 - 1, -(2**63)]), min_size=rows, max_size=rows))
    eligible = data.draw(st.none() | st.lists(st.booleans(), min_size=rows, max_size=rows))
    mask = None if eligible is None else torch.tensor(eligible)
    places, exists = window.nth(frame, torch.tensor(n), mask)
    for row in range(rows):
        candidates = [place for place in members[row] if eligible is None or eligible[place]]
        if 0 <= n[row] < len(candidates):
            assert exists[row] and places[row] == candidates[n[row]]
        else:
            assert not exists[row]


@given(st.data(), layouts())
def test_shifts(data: st.DataObject, layout: tuple[list[bool], list[bool]]) -> None:
    parts = bounds(layout[0])
    rows = len(parts)
    values, shown = column(data, torch.arange(rows, dtype=torch.int32), INTEGER)
    by = data.draw(st.lists(st.integers(-4, 4) | st.sampled_from([2**62, -(2**62)]), min_size=rows, max_size=rows))
    ignore = data.draw(st.booleans())
    default = Column(torch.tensor(-1, dtype=torch.int8), INTEGER, bounds=(-1, -1))
    lag = find_window("lag")
    assert lag is not None
    steps_back = Column(torch.tensor(by), BIGINT)
    args = (values, steps_back, default)
    partitions = runs_of(layout[0])
    over = Over(args, values.dtype, partitions, lambda: partitions, lambda: Frame([]), None, ignore)
    found = listed(lag.compute(over))
    for row, (start, stop) in enumerate(parts):
        reach = range(row - 1, start - 1, -1) if by[row] > 0 else range(row + 1, stop)
        steps = [place for place in reach if not ignore or shown[place] is not None]
        if by[row] == 0:
            assert found[row] == shown[row]
        else:
            wanted = abs(by[row]) - 1
            assert found[row] == (shown[steps[wanted]] if wanted < len(steps) else -1)
