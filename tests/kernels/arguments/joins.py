"""Arguments for operations that look up keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from hypothesis import strategies as st
from torch import Tensor

from tests.kernels.arguments.drawn import Arguments, alone, key_columns, marked, ranged
from tests.kernels.strategies import LIMITS, integers, masks
from tqp.kernels import hashing
from tqp.kernels.join import CsrLookup


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
def _bands(draw: st.DrawFn) -> Arguments:
    """Values of some bands, and maybe the rows that they are of."""
    values = draw(key_columns())
    rows = draw(st.sampled_from([None, torch.arange(len(values[0])) * 2]))
    return values, draw(st.lists(st.booleans(), min_size=len(values), max_size=len(values))), rows


@st.composite
def _present(draw: st.DrawFn) -> Arguments:
    low, size = draw(st.integers(-5, 5)), draw(st.integers(1, 9))
    present = torch.tensor(draw(st.lists(st.booleans(), min_size=size, max_size=size)), dtype=torch.bool)
    key = torch.tensor(draw(st.lists(st.integers(low - 3, low + size + 3), max_size=20)), dtype=torch.int32)
    return present, low, key, draw(masks(len(key)))


@st.composite
def _built(draw: st.DrawFn, unique: bool = False) -> Arguments:
    """Keys of a build side, with limits that hold all of them, and what else `join.build` may be given."""
    keys, low, high = draw(ranged())
    if draw(st.booleans()):
        keys, low, high = (keys.long() % 20, draw(st.sampled_from([0, -5])), draw(st.sampled_from([19, 100])))
    distinct = len(set(keys.tolist())) == len(keys)
    rows = torch.arange(len(keys), dtype=torch.int32).flip(0) if draw(st.booleans()) else None
    return keys, low, high, draw(st.sampled_from([None, distinct])), rows, draw(st.sampled_from([0, 10**6]))


@st.composite
def _direct(draw: st.DrawFn) -> Arguments:
    keys, low, span = draw(marked())
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
def _agreeing(draw: st.DrawFn) -> Arguments:
    """Keys, a table of their build rows, and what else pairs must agree in."""
    key, valid, starts, minimum = draw(_by_table(behind=2))
    # Often so many that few of them, or many, are seen to have candidates.
    times = draw(st.sampled_from([1, 1, 300]))
    key, valid = key.repeat(times), None if valid is None else valid.repeat(times)
    order = torch.tensor(draw(st.permutations(range(9))), dtype=torch.int32) if draw(st.booleans()) else None
    present = (starts.diff()[:-1] > 0) if draw(st.booleans()) else None
    kind = draw(st.sampled_from([torch.int8, torch.int32, torch.int64]))

    def numbers(size: int) -> Tensor:
        return torch.tensor(draw(st.lists(st.integers(0, 2), min_size=9, max_size=9))).repeat(size // 9 + 1)[:size]

    several = range(draw(st.sampled_from([0, 0, 1, 1, 2])))
    digits, checks = [numbers(len(key)).to(kind) for _ in several], [numbers(9) for _ in several]
    most = draw(st.sampled_from([0, 5, 1000, 10**6]))
    return key, valid, CsrLookup(starts, order, minimum, present), digits, checks, draw(masks(9)), most


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


@st.composite
def _near(draw: st.DrawFn) -> Arguments:
    """Groups and values of two sides, how many groups there are, and what is asked."""
    groups = draw(st.sampled_from([1, 1, 3, 2**30]))
    ids = st.integers(0, min(groups, 4) - 1)
    values = (
        st.integers(-3, 9) | st.sampled_from([-(2**63), 2**63 - 1, 2**40])
        if draw(st.booleans())
        else st.integers(-3, 9)
    )
    args = []
    for _ in range(2):
        pairs = draw(st.lists(st.tuples(ids, values), max_size=12))
        if draw(st.booleans()):
            pairs.sort(key=lambda pair: pair[1])
        args += [torch.tensor([pair[place] for pair in pairs], dtype=torch.int64) for place in range(2)]
    return (*args, groups, draw(st.booleans()), draw(st.booleans()))


ARGUMENTS: dict[str, st.SearchStrategy[Arguments]] = {
    "bands.sorted_bands": _bands(),
    "hashing.find": _hashed(),
    "nearest.nearest": _near(),
    "nearest.ranked": key_columns().map(lambda columns: ([column.long() for column in columns],)),
    "join.build": _built(),
    "join.by_key": _built().filter(lambda args: len(args[0]) > 0).map(lambda args: (args[0], *args[3:5])),
    "join.csr_direct": _direct(),
    "join.csr_sorted": _keyed(),
    "join.find": _found(),
    "join.key_set": alone(integers()),
    "join.positions_by_search": _by_search(ranges=False),
    "join.positions_by_table": _by_table(behind=1),
    "join.positions_in_order": _in_order(),
    "join.ranges_by_search": _by_search(ranges=True),
    "join.ranges_by_table": _by_table(behind=2),
    "join.ranges_of_few": _by_table(behind=2).map(lambda args: (*args[:2], args[2].diff()[:-1] > 0, *args[2:])),
    "join.unique_sorted": _keyed(),
    "keysets.bitmap": marked().map(lambda args: (args[0], args[1], args[1] + args[2] - 1)),
    "keysets.contains": _present(),
    "partners.matches_by_table": _agreeing(),
}

MEANING: dict[str, Callable[..., Any]] = {
    "join.build": _matches,
    "join.by_key": _matches,
    "join.key_set": _found_keys,
    "partners.matches_by_table": lambda pairs, *_: pairs and [one.tolist() for one in pairs],
}
