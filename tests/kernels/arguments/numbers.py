"""Arguments for operations on numbers: comparisons, sums, moments, vectors."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from hypothesis import strategies as st
from torch import Tensor

from tests.kernels.arguments.drawn import Arguments, added
from tests.kernels.strategies import LIMITS, floats, integers, masks
from tqp.kernels.neighbours import boxes_of

DTYPES = {"integer": list(LIMITS), "float": [torch.float32, torch.float64]}
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")


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
def _integers_divided(draw: st.DrawFn) -> Arguments:
    """Integers, often many, and what they are divided by, as a number or a tensor, now and then a tensor of as many."""
    x = draw(integers(min_size=1))
    limit = LIMITS[x.dtype]
    x = x.repeat(2**9 // len(x) + 1) if draw(st.booleans()) else x
    number = draw(st.integers(1, 9) | st.sampled_from([limit - 1, limit // 2, limit // 2 + 1, -2, -limit]))
    if draw(st.booleans()):
        return x, number
    return x, torch.tensor(number, dtype=x.dtype).expand(len(x) if draw(st.booleans()) else ())


@st.composite
def _instants(draw: st.DrawFn) -> tuple[Tensor, int, tuple[int, int]]:
    """Numbers that are often next to a multiple of a unit, the unit, and what they lie between."""
    by = draw(st.sampled_from([1, 7, 1000, 3_600_000_000, 86_400_000_000]))
    first = draw(st.sampled_from([0, 1, -5, 18_262, -(2**20), -(2**63) // by])) * by + draw(st.integers(-1, 1))
    first = max(first, -(2**63))
    most = draw(st.sampled_from([1, 400 * by, min(2**30 * by, 2**60), 2**52 - by]))
    places = st.integers(0, most) | st.integers(0, most // by).map(lambda count: count * by)
    numbers = [first + place for place in draw(st.lists(places, min_size=1, max_size=30))]
    bounds = (max(min(numbers) - draw(st.integers(0, 2)), -(2**63)), max(numbers) + draw(st.integers(0, by)))
    return torch.tensor(numbers, dtype=torch.int64), by, bounds


@st.composite
def _digits(draw: st.DrawFn) -> Arguments:
    numbers, by, bounds = draw(_instants())
    size, width = draw(st.sampled_from([(2, torch.int8), (24, torch.int8), (60, torch.int8), (60_000, torch.int32)]))
    return numbers, by, size, draw(st.sampled_from([bounds, None])), width


@st.composite
def _steps(draw: st.DrawFn) -> Arguments:
    return draw(_instants().filter(lambda drawn: (drawn[2][1] - drawn[2][0]) // drawn[1] < 2**31 - 1))


@st.composite
def _floats_compared(draw: st.DrawFn) -> Arguments:
    x = draw(floats())
    other = draw(st.sampled_from([0.0, -0.0, 1.5, float("inf"), float("nan"), None]))
    return x, x.flip(0) if other is None else torch.tensor(other, dtype=x.dtype)


@st.composite
def _parts(draw: st.DrawFn) -> Arguments:
    """Weights, means, squares, and groups of which there are two at least."""
    value = st.sampled_from([0.0, -0.0, 0.1, 1e308, -1e308, 3.25, math.inf, -math.inf, math.nan])
    rows = draw(st.lists(st.tuples(st.integers(0, 3), value, st.floats(0, 9), st.integers(0, 3)), max_size=20))
    columns = list(zip(*rows, strict=True)) or [(), (), (), ()]
    doubles = [torch.tensor(column, dtype=torch.float64) for column in columns[:3]]
    return *doubles, torch.tensor(columns[3], dtype=torch.int64), draw(st.integers(4, 6))


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
def _elements(draw: st.DrawFn) -> Arguments:
    rows = draw(st.integers(0, 5))
    parts = draw(st.lists(st.lists(st.integers(-3, 3), min_size=rows, max_size=rows), min_size=1, max_size=3))
    return [torch.tensor(part, dtype=torch.int16) for part in parts], torch.float32


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
    return (values,), (0,), added, draw(st.sampled_from([ids, torch.zeros_like(ids)])), groups


@st.composite
def _bits(draw: st.DrawFn) -> Arguments:
    values, ids, groups = draw(_grouped(("integer",)))
    wide = values.long() * draw(st.sampled_from([1, 2**40 + 3, -(2**62)]))
    return draw(st.sampled_from([values, wide])), draw(masks(len(ids))), ids, groups, draw(st.integers(0, 2))


@st.composite
def _sums(draw: st.DrawFn) -> Arguments:
    """Sums of which some swallow others, and what they lack."""
    rows = draw(st.lists(st.tuples(st.sampled_from([1e16, -1e16, 1.0, 0.1, 0.0]), st.integers(0, 3)), max_size=30))
    totals = torch.tensor([total for total, _ in rows], dtype=torch.float64)
    losses = draw(st.sampled_from([None, totals * 2.0**-60]))
    return totals, losses, torch.tensor([group for _, group in rows], dtype=torch.int64), 5


@st.composite
def _registers(draw: st.DrawFn) -> Tensor:
    """Of groups, 2**p a group."""
    groups, size = draw(st.integers(1, 4)), 2 ** draw(st.integers(1, 5))
    random = torch.Generator().manual_seed(draw(st.integers(0, 99)))
    return torch.randint(0, draw(st.sampled_from([1, 5, 41])), (groups, size), dtype=torch.uint8, generator=random)


@st.composite
def _put_in_registers(draw: st.DrawFn) -> Arguments:
    registers = draw(_registers())
    rows = draw(st.lists(st.tuples(st.integers(0, len(registers) - 1), st.integers(-(2**63), 2**63 - 1)), max_size=30))
    ids, keys = (torch.tensor([row[place] for row in rows], dtype=torch.int64) for place in (0, 1))
    return registers.view(-1), ids, keys, registers.shape[1].bit_length() - 1


@st.composite
def _with_validity(draw: st.DrawFn) -> Arguments:
    x = draw(floats())
    return x, draw(masks(len(x)))


@st.composite
def _divided(draw: st.DrawFn) -> Arguments:
    """Floats whose quotients are floats, too."""
    number = st.floats(-1e6, 1e6).filter(lambda value: value == 0 or abs(value) > 1e-6) | st.just(float("nan"))
    pairs = draw(st.lists(st.tuples(number, number), max_size=30))
    dtype = draw(st.sampled_from(DTYPES["float"]))
    x, y = (torch.tensor([pair[place] for pair in pairs], dtype=dtype) for place in (0, 1))
    return x, y if draw(st.booleans()) or not pairs else y[0]


def _given(result: Tensor | None, x: Tensor, valid: Tensor | None) -> list[bool]:
    return [True] * len(x) if result is None else result.tolist()


@st.composite
def _several_parts(draw: st.DrawFn, columns: int) -> Arguments:
    """Weights, values and sums of parts, of which some are single values, in groups of which one has none."""
    rows = draw(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3), st.booleans()), min_size=1, max_size=30))
    numbers = st.lists(st.sampled_from([0.0, 0.1, -2.5, 7.0, 1e3, 33.3]), min_size=len(rows), max_size=len(rows))
    weights = torch.tensor([float(weight) for _, weight, _ in rows], dtype=torch.float64)
    parts = [torch.tensor(draw(numbers), dtype=torch.float64) for _ in range(columns - 1)]
    single = torch.tensor([alone for *_, alone in rows])
    means = 2 if columns == 6 else 1
    sums = [torch.where(single | (weights == 0), 0.0, part.abs()) for part in parts[means:]]
    return weights, *parts[:means], *sums, torch.tensor([group for group, *_ in rows]), 4


@st.composite
def _values_of_groups(draw: st.DrawFn, columns: int, extremes: bool = False) -> Arguments:
    """Columns of floats, which of the rows take part, if not all, and groups of which one has no rows."""
    some = [0.0, -0.0, 0.1, -2.5, 7.0, 33.3]
    value = st.sampled_from([*some, 1e308, -1e308, math.inf, -math.inf, math.nan] if extremes else some)
    rows = draw(st.integers(0, 30))
    parts = [draw(st.lists(value, min_size=rows, max_size=rows)) for _ in range(columns)]
    valid = draw(st.none() | st.lists(st.booleans(), min_size=rows, max_size=rows))
    ids = draw(st.lists(st.integers(0, 3), min_size=rows, max_size=rows))
    return (
        *(torch.tensor(part, dtype=torch.float64) for part in parts),
        None if valid is None else torch.tensor(valid, dtype=torch.bool), torch.tensor(ids, dtype=torch.int64), 5,
    )  # fmt: skip


@st.composite
def _near(draw: st.DrawFn) -> Arguments:
    """Rows and points of few values, whose distances are often equal and always exact, at times far from all points."""
    width, count = draw(st.integers(1, 4)), draw(st.integers(1, 90))
    value = st.sampled_from([0.0, -0.0, 1.0, 2.0, -3.0, 0.5])
    points = torch.tensor(draw(st.lists(value, min_size=count * width, max_size=count * width)), dtype=torch.float64)
    far = value | st.sampled_from([2.0**40, math.inf, -math.inf])
    rows = torch.tensor(
        [draw(st.lists(far, min_size=width, max_size=width)) for _ in range(draw(st.integers(1, 9)))],
        dtype=torch.float64,
    )
    points = points.view(count, width)
    power = draw(st.sampled_from([1.0, 2.0, math.inf, 3.0]))
    return rows, points, boxes_of(points), draw(st.integers(1, count)), power


ARGUMENTS: dict[str, st.SearchStrategy[Arguments]] = {
    **{f"compare.{name}": _compared() for name in COMPARISONS},
    **{f"compare.float_{name}": _floats_compared() for name in COMPARISONS},
    **{f"division.{name}": _integers_divided() for name in ("floor_div", "floor_rest", "trunc_div", "trunc_rest")},
    "division.digit": _digits(),
    "division.steps": _steps(),
    "fold.bits": _bits(),
    "fold.compensated": _sums(),
    "fold.grouped": _folded(),
    "comoments.of_rows": _values_of_groups(2),
    "moments.of_rows": _values_of_groups(1, extremes=True),
    "shapes.of_rows": _values_of_groups(1),
    "comoments.together": _several_parts(6),
    "moments.together": _parts(),
    "shapes.together": _several_parts(5),
    "nan.without_nan": _with_validity(),
    "neighbours.closest": _near(),
    "reduce.add_at_": _added_to(),
    "reduce.count": _counted(),
    "reduce.extreme_at_": _extremes_at(),
    "reduce.first": _counted(),
    "reduce.extreme_rows": st.tuples(_grouped(("integer",)), st.booleans()).map(lambda drawn: (*drawn[0], drawn[1])),
    "reduce.maximum": _grouped(),
    "reduce.minimum": _grouped(),
    "reduce.minimum_of_floats": _grouped(("float",)),
    "reduce.sum_wide": _grouped(("integer",)),
    "registers.put_": _put_in_registers(),
    "registers.totals": _registers().map(lambda found: (found,)),
    "remainder.remainder": _divided(),
    # Squares: of other numbers torch's own root may be the float beside the nearest.
    "roots.square_root": floats().map(lambda x: (x.nan_to_num(0, 0, 0).round() % 2**11).square()).map(lambda x: (x,)),
    "vectors.cosine": _angles(),
    "vectors.cosine_of_pairs": _pairs(),
    "vectors.distance": _angles(),
    "vectors.distance_of_pairs": _pairs(),
    "vectors.inner": _angles(),
    "vectors.inner_of_pairs": _pairs(),
    "vectors.stacked": _elements(),
}

MEANING: dict[str, Callable[..., Any]] = {
    # An order of additions may leave more to what is lacking than another.
    "fold.compensated": lambda sums, *_: sums[0] + sums[1],
    "nan.without_nan": _given,
    # Equally near ones are in no certain order.
    "neighbours.closest": lambda places, *_: places.sort(dim=1).values,
}
