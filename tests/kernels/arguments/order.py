"""Arguments for sorts and windows."""

from __future__ import annotations

import torch
from hypothesis import strategies as st
from torch import Tensor

from tests.kernels.arguments.drawn import Arguments, added, alone, cut, flags, key_columns
from tests.kernels.strategies import floats, integers, masks
from tqp.kernels.once import earlier_rows
from tqp.kernels.window import Frame


@st.composite
def _selected(draw: st.DrawFn) -> Arguments:
    key = draw(integers(min_size=1))
    return key, draw(st.integers(1, len(key)))


@st.composite
def _first_rows(draw: st.DrawFn) -> Arguments:
    ids, groups, most = draw(cut())
    (key,) = draw(alone(integers(min_size=1)))
    return key.repeat(len(ids) // len(key) + 1)[: len(ids)], ids, groups, most


@st.composite
def _places(draw: st.DrawFn) -> Arguments:
    """Keys of groups, of which one has no rows, or of one group, few or many; and places in each."""
    dtype = draw(st.sampled_from([torch.int8, torch.int32, torch.int64, torch.float32, torch.float64]))
    key: st.SearchStrategy[float] = st.integers(-3, 3)
    if dtype.is_floating_point:
        key |= st.sampled_from([0.0, -0.0, 0.5, -1e30, float("inf"), float("-inf"), float("nan")])
    else:
        key |= st.integers(torch.iinfo(dtype).min, torch.iinfo(dtype).max)
    rows = draw(st.lists(st.tuples(key, st.integers(0, 2)), min_size=1, max_size=90))
    rows *= draw(st.sampled_from([1, 1, -(-(2**13) // len(rows))]))
    groups = draw(st.sampled_from([1, 4]))
    ids = [min(group, groups - 1) for _, group in rows]
    sizes = [max(ids.count(group), 1) for group in range(groups)]
    places = [[draw(st.integers(0, size - 1)) for size in sizes] for _ in range(draw(st.integers(1, 3)))]
    keys = torch.tensor([number for number, _ in rows], dtype=dtype)
    return keys, torch.tensor(ids, dtype=torch.int64), groups, torch.tensor(places, dtype=torch.int64)


@st.composite
def _in_ranges(draw: st.DrawFn) -> Arguments:
    """A permutation, one or two ranges a frame, and places in them."""
    rows = draw(st.integers(1, 40))
    numbers = torch.tensor(draw(st.permutations(range(rows))), dtype=torch.int64)
    place = st.integers(0, rows - 1)
    ranges, sizes = [], torch.zeros(rows, dtype=torch.int64)
    for _ in range(draw(st.integers(1, 2))):
        ends = [sorted((draw(place), draw(place))) for _ in range(rows)]
        low, high = (torch.tensor([one[end] for one in ends], dtype=torch.int64) for end in (0, 1))
        ranges.append((low, high + 1))
        sizes += high + 1 - low
    wanted = torch.tensor([draw(st.integers(0, size - 1)) for size in sizes.tolist()], dtype=torch.int64)
    return numbers, ranges, wanted


@st.composite
def _counted(draw: st.DrawFn) -> Arguments:
    """Numbers that come again, and frames that grow, slide, or do neither."""
    rows = draw(st.integers(1, 40))
    numbers = torch.tensor(
        draw(st.lists(st.integers(0, min(rows - 1, 3)), min_size=rows, max_size=rows)), dtype=torch.int64
    )
    own = torch.arange(rows, dtype=torch.int64)
    match draw(st.sampled_from(("grow", "slide", "any"))):
        case "grow":
            begin = own - own % draw(st.integers(1, rows))
            return numbers, begin, torch.maximum(begin, own + draw(st.integers(0, 1)))
        case "slide":
            back, on = draw(st.integers(0, 9)), draw(st.integers(0, 3))
            return numbers, (own - back).clamp(min=0), (own + on).clamp(max=rows)
    place = st.integers(0, rows)
    ends = [sorted((draw(place), draw(place))) for _ in range(rows)]
    return numbers, torch.tensor([low for low, _ in ends]), torch.tensor([high for _, high in ends])


@st.composite
def _ordered(draw: st.DrawFn) -> Arguments:
    return draw(key_columns()), draw(st.integers(0, 5))


@st.composite
def _framed(draw: st.DrawFn) -> tuple[Tensor, Frame]:
    values = torch.tensor(draw(st.lists(st.integers(-9, 9), min_size=1, max_size=20)))
    place = st.integers(0, len(values))
    ends = [sorted((draw(place), draw(place))) for _ in range(len(values))]
    return values, Frame([(torch.tensor([low for low, _ in ends]), torch.tensor([high for _, high in ends]))])


@st.composite
def _extremes(draw: st.DrawFn) -> Arguments:
    values, frame = draw(_framed())
    return values, draw(masks(len(values))), frame, draw(st.booleans())


@st.composite
def _folded_over_frames(draw: st.DrawFn) -> Arguments:
    values, frame = draw(_framed())
    return (values,), (0,), added, frame


@st.composite
def _once(draw: st.DrawFn) -> Arguments:
    values, frame = draw(_framed())
    return values, earlier_rows(values % 4), *frame.ranges[0]


@st.composite
def _folded_once(draw: st.DrawFn) -> Arguments:
    values, earlier, low, high = draw(_once())
    return (values,), (values.new_zeros(()),), added, earlier, low, high


@st.composite
def _places_in_frames(draw: st.DrawFn) -> Arguments:
    values, frame = draw(_framed())
    return frame, values % 5 - 1, draw(masks(len(values)))


@st.composite
def _sort_keys(draw: st.DrawFn) -> Arguments:
    data = draw(integers() | floats())
    return data, draw(masks(len(data))), draw(st.booleans()), draw(st.booleans())


ARGUMENTS: dict[str, st.SearchStrategy[Arguments]] = {
    "frequent.most_frequent": _counted(),
    "ordered.nth_smallest": _in_ranges(),
    "selection.nth": _places(),
    "once.folded": _folded_once(),
    "once.summed": _once(),
    "sort.argsort": key_columns().map(lambda keys: (keys,)),
    "sort.by_group": cut().map(lambda args: (args[0], args[1])),
    "sort.first_of_groups": _first_rows(),
    "sort.kth": _selected(),
    "sort.order_key": _sort_keys(),
    "sort.ranges": key_columns().map(lambda keys: (keys,)),
    "sort.top_k": _ordered(),
    "window.frame_extreme": _extremes(),
    "window.frame_fold": _folded_over_frames(),
    "window.frame_sum": _framed(),
    "window.nth": _places_in_frames(),
    "window.runs": flags().filter(lambda args: len(args[0]) > 0),
}
