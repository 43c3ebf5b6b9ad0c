"""Arguments for sorts and windows."""

from __future__ import annotations

import torch
from hypothesis import strategies as st
from torch import Tensor

from tests.kernels.arguments.drawn import Arguments, added, alone, cut, flags, key_columns
from tests.kernels.strategies import floats, integers, masks
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
def _places_in_frames(draw: st.DrawFn) -> Arguments:
    values, frame = draw(_framed())
    return frame, values % 5 - 1, draw(masks(len(values)))


@st.composite
def _sort_keys(draw: st.DrawFn) -> Arguments:
    data = draw(integers() | floats())
    return data, draw(masks(len(data))), draw(st.booleans()), draw(st.booleans())


ARGUMENTS: dict[str, st.SearchStrategy[Arguments]] = {
    "sort.argsort": key_columns().map(lambda keys: (keys,)),
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
