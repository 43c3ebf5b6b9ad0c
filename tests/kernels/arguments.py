"""Arguments for every operation: what `test_operations` calls its forms with."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from hypothesis import strategies as st
from torch import Tensor

from tests.kernels.forests import forests
from tests.kernels.strategies import LIMITS, floats, integers, masks
from tqp.kernels import hashing
from tqp.kernels.cuts import Cuts
from tqp.kernels.fold import State
from tqp.kernels.records import Field
from tqp.kernels.window import Frame

Arguments = tuple[Any, ...]

DTYPES = {"integer": list(LIMITS), "float": [torch.float32, torch.float64]}


def _mask(size: int) -> st.SearchStrategy[Tensor]:
    return masks(size).filter(lambda mask: mask is not None)


@st.composite
def _flags(draw: st.DrawFn) -> Arguments:
    return (torch.tensor(draw(st.lists(st.booleans(), max_size=40)), dtype=torch.bool),)


@st.composite
def _compared(draw: st.DrawFn) -> Arguments:
    x = draw(integers() | floats())
    if draw(st.booleans()):
        y = x.flip(0)
        return x, y if draw(st.booleans()) or not x.numel() else y[0]
    if x.dtype.is_floating_point:
        return x, draw(st.sampled_from([0.0, 1.5, float("inf"), float("nan")]))
    return x, draw(st.sampled_from(x.tolist() or [0]))


@st.composite
def _floats_compared(draw: st.DrawFn) -> Arguments:
    x = draw(floats())
    other = draw(st.sampled_from([0.0, -0.0, 1.5, float("inf"), float("nan"), None]))
    return x, x.flip(0) if other is None else torch.tensor(other, dtype=x.dtype)


@st.composite
def _offsets(draw: st.DrawFn) -> Arguments:
    dtype = draw(st.sampled_from([torch.int32, torch.int64]))
    size = draw(st.integers(0, 20))
    limit = LIMITS[dtype]
    value = st.integers(-3, 25) | st.sampled_from([-limit, limit - 1, size, size - 1])
    return torch.tensor(draw(st.lists(value, max_size=30)), dtype=dtype), size


@st.composite
def _masked(draw: st.DrawFn) -> Arguments:
    (offset, _) = draw(_offsets())
    return offset, draw(_mask(len(offset)))


@st.composite
def _ranged(draw: st.DrawFn) -> Arguments:
    """A key and limits that hold all of it, often just."""
    key = draw(integers(min_size=1))
    low, high = int(key.min()), int(key.max())
    limit = LIMITS[key.dtype]
    if draw(st.booleans()):
        low, high = draw(st.integers(-limit, low)), draw(st.integers(high, limit - 1))
    return key, low, high


@st.composite
def _wide_keys(draw: st.DrawFn) -> Arguments:
    """Keys whose ranges have no room in 63 bits together, and the ranges."""
    keys = draw(_keys())
    far = torch.arange(len(keys[0])).remainder(draw(st.integers(2, 9))) * (2**60 - 1)
    keys = [*keys, far, far.neg()]
    ranges = [(int(key.min()), int(key.max())) if len(key) else (0, 0) for key in keys]
    return keys[0], keys[1:], ranges, False


@st.composite
def _places(draw: st.DrawFn) -> Arguments:
    marks = torch.tensor(draw(st.lists(st.booleans(), min_size=1, max_size=20)))
    places = st.lists(st.integers(0, len(marks) - 1), max_size=30)
    return marks, torch.tensor(draw(places), dtype=torch.int64)


@st.composite
def _parts(draw: st.DrawFn) -> Arguments:
    """Weights, means, squares, and groups of which there are two at least."""
    value = st.sampled_from([0.0, -0.0, 0.1, 1e308, -1e308, 3.25, math.inf, -math.inf, math.nan])
    rows = draw(st.lists(st.tuples(st.integers(0, 3), value, st.floats(0, 9), st.integers(0, 3)), max_size=20))
    columns = list(zip(*rows, strict=True)) or [(), (), (), ()]
    doubles = [torch.tensor(column, dtype=torch.float64) for column in columns[:3]]
    return *doubles, torch.tensor(columns[3], dtype=torch.int64), draw(st.integers(4, 6))


def _near(args: Arguments) -> Arguments:
    """A key and limits that are no further apart than a table can be."""
    key, low, high = args
    return (key, low, high) if high - low < 2**12 else (key % 50, 0, 49)


@st.composite
def _tall(draw: st.DrawFn) -> Arguments:
    """The same, often of so many rows that a radix sort pays."""
    key, low, high = draw(_ranged())
    return (key.repeat(2**12 // len(key)) if draw(st.booleans()) else key), low, high


@st.composite
def _led(draw: st.DrawFn) -> Arguments:
    """A key as `_tall` gives it behind a lead of few values or many."""
    key, low, high = draw(_tall())
    size = draw(st.sampled_from([2, 5, 1000, 2**32]))
    lead = torch.tensor(draw(st.lists(st.integers(0, size - 1), min_size=1, max_size=7)), dtype=torch.int64)
    return lead.repeat(len(key) // len(lead) + 1)[: len(key)], size, key, low, high


@st.composite
def _hashed(draw: st.DrawFn) -> Arguments:
    """Keys to look up, and a table of others."""
    key, valid = draw(_probing())
    keys = torch.tensor(sorted(draw(st.sets(st.integers(-3, 12) | st.just(2**62), min_size=1, max_size=9))))
    return key, valid, hashing.number(keys)[0] if hashing.can_number(keys) else _table(keys)


def _table(keys: Tensor) -> hashing.HashTable:
    """One in which all keys begin at the same place."""
    slots = torch.full((64,), -1, dtype=torch.int32)
    slots[:] = torch.arange(64).remainder(len(keys))
    return hashing.HashTable(slots, keys, len(keys))


@st.composite
def _marked(draw: st.DrawFn) -> Arguments:
    low = draw(st.sampled_from([-128, 0, 100, 2**62]))
    span = draw(st.integers(1, 20))
    values = torch.tensor(draw(st.lists(st.integers(low, low + span - 1), max_size=30)), dtype=torch.int64)
    return values.to(torch.int8 if low == -128 else torch.int64), low, span


@st.composite
def _selected(draw: st.DrawFn) -> Arguments:
    key = draw(integers(min_size=1))
    return key, draw(st.integers(1, len(key)))


@st.composite
def _grouped(draw: st.DrawFn, kinds: tuple[str, ...] = ("integer", "float")) -> Arguments:
    """Values with group ids, and how many groups; some of them may be without rows."""
    groups = draw(st.integers(1, 6) | st.integers(60, 70))
    ids = draw(st.lists(st.integers(0, groups - 1), max_size=40))
    dtype = draw(st.sampled_from([dtype for kind in kinds for dtype in DTYPES[kind]]))
    some = st.integers(-3, 3)
    if dtype.is_floating_point:
        some |= st.sampled_from([0.5, -0.25, float("nan"), float("inf")]) if draw(st.booleans()) else st.just(0.5)
    values = draw(st.lists(some, min_size=len(ids), max_size=len(ids)))
    return torch.tensor(values, dtype=dtype), torch.tensor(ids, dtype=torch.int64), groups


@st.composite
def _added_to(draw: st.DrawFn) -> Arguments:
    """States of groups, and what is added to them: a few rows, or so many that they are spread on an accelerator."""
    values, ids, groups = draw(_grouped())
    if draw(st.sampled_from([True, True, True, False])):
        if not len(values):
            values, ids = torch.ones(1, dtype=values.dtype), torch.zeros(1, dtype=torch.int64)
        random = torch.Generator().manual_seed(draw(st.integers(0, 2**30)))
        chosen = torch.randint(0, len(values), (2**15 + draw(st.sampled_from([0, 1, 300])),), generator=random)
        values, ids = values[chosen] // 2 * 2, ids[chosen]
    groups = max(groups, 2) if len(values) > 40 else groups
    return torch.arange(groups).to(torch.float64 if values.dtype.is_floating_point else torch.int64), ids, values


@st.composite
def _extremes_at(draw: st.DrawFn) -> Arguments:
    states, ids, values = draw(_added_to())
    return states.to(values.dtype), ids, values, draw(st.booleans())


@st.composite
def _counted(draw: st.DrawFn) -> Arguments:
    _, ids, groups = draw(_grouped())
    return ids.to(draw(st.sampled_from([torch.int32, torch.int64]))), groups


@st.composite
def _cut(draw: st.DrawFn) -> Arguments:
    groups = draw(st.integers(1, 9))
    ids = draw(st.lists(st.integers(0, groups - 1), max_size=40)) + list(range(groups))
    return torch.tensor(ids, dtype=torch.int64), groups, draw(st.integers(1, 6))


@st.composite
def _first_rows(draw: st.DrawFn) -> Arguments:
    ids, groups, most = draw(_cut())
    (key,) = draw(_alone(integers(min_size=1)))
    return key.repeat(len(ids) // len(key) + 1)[: len(ids)], ids, groups, most


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
def _searched(draw: st.DrawFn) -> Arguments:
    """Strings end to end, their offsets, and the pieces of a pattern."""
    word = st.text("ab", max_size=6).map(str.encode)
    words = draw(st.sampled_from([1, 1, 1, 9])) * draw(st.lists(word, max_size=12))
    ends = [sum(map(len, words[:count])) for count in range(len(words) + 1)]
    piece = st.text("ab", max_size=2).map(str.encode)
    inner = st.lists(st.text("ab", min_size=1, max_size=2).map(str.encode), min_size=1, max_size=3)
    pieces = draw(
        st.lists(piece, min_size=1, max_size=4) | st.tuples(piece, inner, piece).map(lambda it: [it[0], *it[1], it[2]])
    )
    data = (
        torch.frombuffer(bytearray(b"".join(words)), dtype=torch.uint8)
        if ends[-1]
        else torch.empty(0, dtype=torch.uint8)
    )
    start = draw(st.integers(0, len(words) // 2))
    return data, torch.tensor(ends), pieces, start, draw(st.none() | st.integers(start, len(words)))


@st.composite
def _strings(draw: st.DrawFn) -> Arguments:
    """Strings end to end, not at the buffer's begin, and their offsets: equal ones, prefixes of others, long ones, with bytes of any kind."""
    bytes_ = st.sampled_from(
        [b"", b"\0", b"a", b"ab", b"\xc3\xa9", b"\xf0\x9f\x98\x80", b"\x7f", b"abcdefg", b"abcdefgh"]
    )
    words = draw(st.lists(st.lists(bytes_, max_size=4).map(b"".join), max_size=40))
    words += draw(st.sampled_from([0, 0, 3])) * words
    ends = [1 + sum(map(len, words[:count])) for count in range(len(words) + 1)]
    return torch.frombuffer(bytearray(b"-" + b"".join(words)), dtype=torch.uint8), torch.tensor(ends)


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
def _elements(draw: st.DrawFn) -> Arguments:
    rows = draw(st.integers(0, 5))
    parts = draw(st.lists(st.lists(st.integers(-3, 3), min_size=rows, max_size=rows), min_size=1, max_size=3))
    return [torch.tensor(part, dtype=torch.int16) for part in parts], torch.float32


@st.composite
def _ranges(draw: st.DrawFn) -> Arguments:
    pairs = draw(st.lists(st.tuples(st.integers(0, 50), st.integers(0, draw(st.sampled_from([1, 4])))), max_size=12))
    return torch.tensor([start for start, _ in pairs]).int(), torch.tensor([count for _, count in pairs]).int()


@st.composite
def _keys(draw: st.DrawFn) -> list[Tensor]:
    """One to three keys of one length."""
    first = draw(integers(min_size=1))
    return [first, *(first.flip(0) >> shift for shift in draw(st.lists(st.integers(0, 3), max_size=2)))]


@st.composite
def _bands(draw: st.DrawFn) -> Arguments:
    """Values of some bands, and maybe the rows that they are of."""
    values = draw(_keys())
    rows = draw(st.sampled_from([None, torch.arange(len(values[0])) * 2]))
    return values, draw(st.lists(st.booleans(), min_size=len(values), max_size=len(values))), rows


@st.composite
def _ordered(draw: st.DrawFn) -> Arguments:
    return draw(_keys()), draw(st.integers(0, 5))


@st.composite
def _present(draw: st.DrawFn) -> Arguments:
    low, size = draw(st.integers(-5, 5)), draw(st.integers(1, 9))
    present = torch.tensor(draw(st.lists(st.booleans(), min_size=size, max_size=size)), dtype=torch.bool)
    key = torch.tensor(draw(st.lists(st.integers(low - 3, low + size + 3), max_size=20)), dtype=torch.int32)
    return present, low, key, draw(masks(len(key)))


@st.composite
def _built(draw: st.DrawFn, unique: bool = False) -> Arguments:
    """Keys of a build side, with limits that hold all of them, and what else `join.build` may be given."""
    keys, low, high = draw(_ranged())
    if draw(st.booleans()):
        keys, low, high = (keys.long() % 20, draw(st.sampled_from([0, -5])), draw(st.sampled_from([19, 100])))
    distinct = len(set(keys.tolist())) == len(keys)
    rows = torch.arange(len(keys), dtype=torch.int32).flip(0) if draw(st.booleans()) else None
    return keys, low, high, draw(st.sampled_from([None, distinct])), rows, draw(st.sampled_from([0, 10**6]))


@st.composite
def _direct(draw: st.DrawFn) -> Arguments:
    keys, low, span = draw(_marked())
    return keys, low, low + span - 1, torch.arange(len(keys)).flip(0) if draw(st.booleans()) else None


@st.composite
def _keyed(draw: st.DrawFn) -> Arguments:
    keys = draw(integers())
    return keys, torch.arange(len(keys)).flip(0) if draw(st.booleans()) else None


@st.composite
def _probing(draw: st.DrawFn) -> tuple[Tensor, Tensor | None]:
    """Keys to look up, mostly of -3 .. 12, and which are not NULL."""
    dtype = draw(st.sampled_from(list(LIMITS)))
    limit = LIMITS[dtype]
    value = st.integers(-3, 12) | st.sampled_from([-limit, limit - 1])
    key = torch.tensor(draw(st.lists(value, max_size=25)), dtype=dtype)
    return key, draw(masks(len(key)))


@st.composite
def _in_order(draw: st.DrawFn) -> Arguments:
    return *draw(_probing()), draw(st.integers(-4, 4)), draw(st.integers(0, 9))


@st.composite
def _by_table(draw: st.DrawFn, behind: int) -> Arguments:
    """A table with `behind` entries after those of its keys, the last of which stands for all that is not there."""
    size = draw(st.integers(1, 9))
    if behind == 1:
        entries = [*draw(st.permutations(range(size))), -1]
    else:
        entries = [0, *sorted(draw(st.lists(st.integers(0, 9), min_size=size - 1, max_size=size - 1))), 9, 9]
    return *draw(_probing()), torch.tensor(entries, dtype=torch.int32), draw(st.integers(-4, 4))


@st.composite
def _by_search(draw: st.DrawFn, ranges: bool) -> Arguments:
    found = sorted(draw(st.sets(st.integers(-3, 12) | st.just(2**62), max_size=9)))
    others = torch.arange(len(found) + ranges, dtype=torch.int32)
    rows = others if ranges or draw(st.booleans()) else None
    return *draw(_probing()), torch.tensor(found, dtype=torch.int64), rows


@st.composite
def _found(draw: st.DrawFn) -> Arguments:
    keys = sorted(draw(st.sets(st.integers(-3, 12) | st.just(2**62), min_size=1, max_size=9)))
    return draw(_probing())[0], torch.tensor(keys, dtype=torch.int64)


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
def _floats_by_rows(draw: st.DrawFn, rows: int, size: int) -> Tensor:
    values = st.lists(st.integers(-4, 4).map(float), min_size=rows * size, max_size=rows * size)
    return torch.tensor(draw(values), dtype=torch.float64).reshape(rows, size)


@st.composite
def _angles(draw: st.DrawFn) -> Arguments:
    rows = draw(st.integers(1, 8))
    return draw(_floats_by_rows(rows, 3)), draw(_floats_by_rows(rows, 3))


@st.composite
def _pairs(draw: st.DrawFn) -> Arguments:
    a, b = draw(_floats_by_rows(4, 3)), draw(_floats_by_rows(3, 3))
    pairs = draw(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=15))
    return a, b, torch.tensor([i for i, _ in pairs]).long(), torch.tensor([j for _, j in pairs]).long()


@st.composite
def _folded(draw: st.DrawFn) -> Arguments:
    values, ids, groups = draw(_grouped(("integer",)))
    return (values,), (0,), _added, draw(st.sampled_from([ids, torch.zeros_like(ids)])), groups


def _added(a: State, b: State) -> State:
    return (a[0] + b[0],)


@st.composite
def _folded_over_frames(draw: st.DrawFn) -> Arguments:
    values, frame = draw(_framed())
    return (values,), (0,), _added, frame


@st.composite
def _places_in_frames(draw: st.DrawFn) -> Arguments:
    values, frame = draw(_framed())
    return frame, values % 5 - 1, draw(masks(len(values)))


@st.composite
def _sort_keys(draw: st.DrawFn) -> Arguments:
    data = draw(integers() | floats())
    return data, draw(masks(len(data))), draw(st.booleans()), draw(st.booleans())


@st.composite
def _with_validity(draw: st.DrawFn) -> Arguments:
    x = draw(floats())
    return x, draw(masks(len(x)))


def _alone(values: st.SearchStrategy[Tensor]) -> st.SearchStrategy[Arguments]:
    return values.map(lambda value: (value,))


COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")


@st.composite
def _divided(draw: st.DrawFn) -> Arguments:
    """Floats whose quotients are floats, too."""
    number = st.floats(-1e6, 1e6).filter(lambda value: value == 0 or abs(value) > 1e-6) | st.just(float("nan"))
    pairs = draw(st.lists(st.tuples(number, number), max_size=30))
    dtype = draw(st.sampled_from(DTYPES["float"]))
    x, y = (torch.tensor([pair[place] for pair in pairs], dtype=dtype) for place in (0, 1))
    return x, y if draw(st.booleans()) or not pairs else y[0]


@st.composite
def _put(draw: st.DrawFn) -> Arguments:
    """Records that are empty but for one bit, a field, and what is put there."""
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


ARGUMENTS: dict[str, st.SearchStrategy[Arguments]] = {
    "bands.sorted_bands": _bands(),
    **{f"compare.{name}": _compared() for name in COMPARISONS},
    **{f"compare.float_{name}": _floats_compared() for name in COMPARISONS},
    "cuts.locate": _located(),
    "fold.grouped": _folded(),
    "forest.add_leaves_": forests(),
    "tables.add_rows_": _chosen_rows(),
    "group.cuts": _cut(),
    "group.distinct_within": _marked(),
    "group.float_key": _alone(floats()),
    "group.group_ids": _alone(integers()),
    "group.group_ids_multi": _keys().map(lambda keys: (keys,)),
    "group.ids_by_key": _ranged(),
    "group.ids_by_keys": _wide_keys(),
    "group.ids_by_table": _ranged().map(_near).map(lambda args: (args[0], args[1], args[2] - args[1] + 1)),
    "group.mark_": _places(),
    "group.row_ids": _vectors(),
    "group.run_starts": _alone(integers()),
    "moments.together": _parts(),
    "records.put_": _put(),
    "records.divide": _records(),
    "records.number": _records(),
    "records.sums": _summed(),
    "group.share_rows": st.tuples(_keys(), st.sampled_from([1, 2, 8])),
    "hashing.find": _hashed(),
    "keysets.bitmap": _marked().map(lambda args: (args[0], args[1], args[1] + args[2] - 1)),
    "join.build": _built(),
    "join.by_key": _built().filter(lambda args: len(args[0]) > 0).map(lambda args: (args[0], *args[3:5])),
    "keysets.contains": _present(),
    "join.csr_direct": _direct(),
    "join.csr_sorted": _keyed(),
    "join.find": _found(),
    "join.key_set": _alone(integers()),
    "join.positions_by_search": _by_search(ranges=False),
    "join.positions_by_table": _by_table(behind=1),
    "join.positions_in_order": _in_order(),
    "join.ranges_by_search": _by_search(ranges=True),
    "join.ranges_by_table": _by_table(behind=2),
    "join.ranges_of_few": _by_table(behind=2).map(lambda args: (*args[:2], args[2].diff()[:-1] > 0, *args[2:])),
    "join.unique_sorted": _keyed(),
    "nan.without_nan": _with_validity(),
    "reduce.add_at_": _added_to(),
    "reduce.count": _counted(),
    "reduce.extreme_at_": _extremes_at(),
    "reduce.first": _counted(),
    "reduce.maximum": _grouped(),
    "reduce.minimum": _grouped(),
    "reduce.minimum_of_floats": _grouped(("float",)),
    "reduce.sum_wide": _grouped(("integer",)),
    "remainder.remainder": _divided(),
    "rows.clip": _offsets(),
    "rows.count_true": _flags(),
    "rows.expand": _ranges(),
    "rows.is_ascending": _alone(integers()),
    "rows.or_minus_one": _masked(),
    "rows.order_within": _tall(),
    "rows.order_within_pair": _led(),
    "rows.pair_sizes": _ranges().map(lambda args: args[1:]),
    "rows.profile": _keys().map(tuple),
    "rows.select": _flags(),
    "rows.stable_order": _alone(integers()),
    "rows.within": _offsets(),
    "sort.argsort": _keys().map(lambda keys: (keys,)),
    "sort.first_of_groups": _first_rows(),
    "sort.kth": _selected(),
    "sort.order_key": _sort_keys(),
    "sort.ranges": _keys().map(lambda keys: (keys,)),
    "sort.top_k": _ordered(),
    "text.first_of_equals": _strings(),
    "text.like": _searched(),
    "text.ranks": _strings(),
    "vectors.cosine": _angles(),
    "vectors.cosine_of_pairs": _pairs(),
    "vectors.distance": _angles(),
    "vectors.distance_of_pairs": _pairs(),
    "vectors.inner": _angles(),
    "vectors.inner_of_pairs": _pairs(),
    "vectors.stacked": _elements(),
    "window.frame_extreme": _extremes(),
    "window.frame_fold": _folded_over_frames(),
    "window.frame_sum": _framed(),
    "window.nth": _places_in_frames(),
    "window.runs": _flags().filter(lambda args: len(args[0]) > 0),
}
"""By the operation's name."""


def _first_seen(ids: Tensor) -> list[int]:
    """Numbers in the order in which they occur: the same whatever they are called."""
    seen: dict[int, int] = {}
    return [seen.setdefault(number, len(seen)) for number in ids.tolist()]


def _given(result: Tensor | None, x: Tensor, valid: Tensor | None) -> list[bool]:
    return [True] * len(x) if result is None else result.tolist()


def _groups(result: tuple[Tensor, Tensor, int], *_: object) -> tuple[list[int], list[int], int]:
    ids, representatives, groups = result
    assert torch.equal(ids[representatives], torch.arange(groups))
    return _first_seen(ids), sorted(representatives.tolist()), groups


def _found_keys(lookup: Any, keys: Tensor) -> list[bool]:
    """Whether each key is there, and each of its neighbours."""
    return [place >= 0 for place in lookup.probe(torch.cat((keys.long(), keys.long() ^ 1)), None).tolist()]


def _matches(lookup: Any, keys: Tensor, *_: object) -> list[list[int]]:
    """The build rows of each key, and of its neighbours."""
    neighbours = torch.cat((keys.long(), keys.long() ^ 1))
    if lookup.is_unique:
        return [[place] for place in lookup.probe(neighbours, None).tolist()]
    starts, counts = (part.tolist() for part in lookup.probe(neighbours, None))
    entries = list(range(len(keys))) if lookup.order is None else lookup.order.tolist()
    return [entries[start : start + count] for start, count in zip(starts, counts, strict=True)]


def _numbered(result: tuple[Tensor, Tensor], *_: object) -> tuple[list[int], list[list[int]]]:
    ids, keys = result
    return _first_seen(ids), [keys[number].tolist() for number in dict.fromkeys(ids.tolist())]


MEANING: dict[str, Callable[..., Any]] = {
    "group.group_ids": _groups,
    "group.group_ids_multi": _groups,
    "group.ids_by_keys": _groups,
    "group.ids_by_key": _groups,
    "group.ids_by_table": _groups,
    "join.build": _matches,
    "join.by_key": _matches,
    "join.key_set": _found_keys,
    "group.row_ids": lambda ids, rows: _first_seen(ids),
    "nan.without_nan": _given,
    "records.number": _numbered,
}
"""What counts of a result, with the arguments, where forms may differ otherwise."""

KNOWS_LESS = {
    "group.ids_by_keys", "join.by_key", "join.key_set", "records.number", "text.first_of_equals", "text.ranks",
}  # fmt: skip
"""Operations of which one form finds out, with a wait, what another need not know."""
