"""Arguments for operations that group rows, put them into records, cuts and tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from hypothesis import strategies as st
from torch import Tensor

from tests.kernels.arguments.drawn import Arguments, alone, cut, key_columns, marked, ranged
from tests.kernels.forests import forests, walked
from tests.kernels.strategies import floats, integers, masks
from tqp.kernels.cuts import Cuts
from tqp.kernels.records import Field


@st.composite
def _wide_keys(draw: st.DrawFn) -> Arguments:
    """Keys whose ranges have no room in 63 bits together, and the ranges."""
    keys = draw(key_columns())
    far = torch.arange(len(keys[0])).remainder(draw(st.integers(2, 9))) * (2**60 - 1)
    keys = [*keys, far, far.neg()]
    ranges = [(int(key.min()), int(key.max())) if len(key) else (0, 0) for key in keys]
    return keys[0], keys[1:], ranges, False


@st.composite
def _places(draw: st.DrawFn) -> Arguments:
    marks = torch.tensor(draw(st.lists(st.booleans(), min_size=1, max_size=20)))
    places = st.lists(st.integers(0, len(marks) - 1), max_size=30)
    return marks, torch.tensor(draw(places), dtype=torch.int64)


def _near(args: Arguments) -> Arguments:
    """A key and limits that are no further apart than a table can be."""
    key, low, high = args
    return (key, low, high) if high - low < 2**12 else (key % 50, 0, 49)


@st.composite
def _vectors(draw: st.DrawFn) -> Arguments:
    rows, size = draw(st.integers(1, 8)), draw(st.integers(1, 3))
    value: st.SearchStrategy[float] = st.integers(-1, 1)
    dtype = draw(st.sampled_from([torch.int8, torch.int64, torch.float32, torch.float64]))
    if dtype.is_floating_point:
        value = st.sampled_from([0.0, -0.0, 1.5, float("nan")])
    row = st.lists(value, min_size=size, max_size=size)
    return (torch.tensor(draw(st.lists(row, min_size=rows, max_size=rows)), dtype=dtype),)


@st.composite
def _located(draw: st.DrawFn) -> Arguments:
    """Numbers, many of them cuts or next to one, and cuts that lie close and far apart, or at infinity."""
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    far = [-np.inf, -float(np.finfo(dtype).max), -1e30, 0.0, 5e-324, 1e30, float(np.finfo(dtype).max), np.inf]
    chosen = draw(st.lists(st.sampled_from(far) | st.floats(-2, 2, width=32), max_size=12))
    more = draw(st.sampled_from([0, 0, 40])) * [draw(st.floats(-1, 1, width=32))]
    near = [start + 1e-3 * step for step, start in enumerate(more)]
    cuts = np.unique(np.array([*chosen, *near], dtype))
    with np.errstate(over="ignore"):
        beside = [*np.nextafter(cuts, dtype(-np.inf)), *np.nextafter(cuts, dtype(np.inf))]
    values = [*cuts, *beside, dtype(0), dtype(np.nan)]
    rows = draw(st.sampled_from([0, 7, 600, 1000]))
    order = np.random.default_rng(draw(st.integers(0, 99))).integers(0, len(values), rows)
    return torch.from_numpy(np.array(values, dtype)[order]), Cuts(torch.from_numpy(cuts))


@st.composite
def _chosen_rows(draw: st.DrawFn) -> Arguments:
    random = np.random.default_rng(draw(st.integers(0, 99)))
    rows, width, entries, codes = (draw(st.integers(low, high)) for low, high in ((0, 9), (1, 70), (1, 6), (0, 9)))
    sums, table = random.normal(size=(rows, width)), random.normal(size=(entries, width))
    chosen = random.integers(0, entries, (codes, rows)).astype(np.int32)
    return torch.from_numpy(sums), torch.from_numpy(table), torch.from_numpy(chosen)


@st.composite
def _put(draw: st.DrawFn) -> Arguments:
    """Records that are empty except for one bit, a field, and what is put there."""
    values = draw(integers(max_size=20) | masks(7).filter(lambda mask: mask is not None))
    low = int(values.min()) - draw(st.integers(0, 1)) if len(values) and values.dtype is not torch.int64 else 0
    bits = 64 if values.dtype is torch.int64 else (int(values.max()) - low if len(values) else 0).bit_length() + 1
    shift = draw(st.integers(0, 63 - bits)) if bits < 63 else 0
    records = torch.zeros((len(values), draw(st.integers(1, 3))), dtype=torch.int64)
    if bits < 63:
        records[:, 0] = -(2**63)
    return records, Field(records.shape[1] - 1, shift, bits, low), values, draw(masks(len(values)))


@st.composite
def _records(draw: st.DrawFn) -> Arguments:
    """Records with few or many keys, in one word or more, and into how many shares they are divided."""
    words = draw(st.integers(1, 3))
    masks = [draw(st.sampled_from([-1, 1, 2**22 - 1, 2**63 - 1])) for _ in range(words)]
    width = words + draw(st.integers(0, 2))
    value = draw(st.sampled_from([st.integers(0, 3), st.integers(-(2**63), 2**63 - 1)]))
    record = st.lists(value, min_size=width, max_size=width)
    return (
        torch.tensor(draw(st.lists(record, min_size=1, max_size=40)), dtype=torch.int64),
        masks,
        draw(st.integers(1, 5)),
    )


@st.composite
def _summed(draw: st.DrawFn) -> Arguments:
    records = draw(_records())[0]
    ids = torch.tensor(
        draw(st.lists(st.integers(0, 4), min_size=len(records), max_size=len(records))), dtype=torch.int32
    )
    last = records.shape[1] - 1
    present = draw(st.sampled_from([None, Field(0, 0, 1, 0), Field(last, 63, 1, 0)]))
    if draw(st.booleans()):
        records[:, last] = torch.randint(-99, 99, (len(records),)).double().view(torch.int64)
        return records, ids, 5, Field(last, 0, 64, 0), present, True
    return (
        records,
        ids,
        5,
        draw(st.sampled_from([Field(0, 0, 1, 0), Field(last, 3, 31, -7), Field(last, 0, 1, 9)])),
        present,
        False,
    )


def first_seen(ids: Tensor) -> list[int]:
    """Numbers in the order in which they occur: the same whatever they are called."""
    seen: dict[int, int] = {}
    return [seen.setdefault(number, len(seen)) for number in ids.tolist()]


def _groups(result: tuple[Tensor, Tensor, int], *_: object) -> tuple[list[int], list[int], int]:
    ids, representatives, groups = result
    assert torch.equal(ids[representatives], torch.arange(groups))
    return first_seen(ids), sorted(representatives.tolist()), groups


def _numbered(result: tuple[Tensor, Tensor], *_: object) -> tuple[list[int], list[list[int]]]:
    ids, keys = result
    return first_seen(ids), [keys[number].tolist() for number in dict.fromkeys(ids.tolist())]


ARGUMENTS: dict[str, st.SearchStrategy[Arguments]] = {
    "cuts.locate": _located(),
    "forest.add_leaves_": forests(),
    "forest.walk_rows_": walked(),
    "group.cuts": cut(),
    "group.distinct_within": marked(),
    "group.float_key": alone(floats()),
    "group.group_ids": alone(integers()),
    "group.group_ids_multi": key_columns().map(lambda keys: (keys,)),
    "group.ids_by_key": ranged(),
    "group.ids_by_keys": _wide_keys(),
    "group.ids_by_table": ranged().map(_near).map(lambda args: (args[0], args[1], args[2] - args[1] + 1)),
    "group.mark_": _places(),
    "group.row_ids": _vectors(),
    "group.run_starts": alone(integers()),
    "group.share_rows": st.tuples(key_columns(), st.sampled_from([1, 2, 8])),
    "records.put_": _put(),
    "records.divide": _records(),
    "records.number": _records(),
    "records.sums": _summed(),
    "tables.add_rows_": _chosen_rows(),
}

MEANING: dict[str, Callable[..., Any]] = {
    "group.group_ids": _groups,
    "group.group_ids_multi": _groups,
    "group.ids_by_keys": _groups,
    "group.ids_by_key": _groups,
    "group.ids_by_table": _groups,
    "group.row_ids": lambda ids, rows: first_seen(ids),
    "records.number": _numbered,
}
