"""What is said of aggregates and window functions where they are registered is true of them."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator

import pytest
import torch

from tests.functions.columns import VALUES
from tests.functions.oracle import CPU, column, python
from tqp.data.column import Column
from tqp.errors import TqpError
from tqp.functions import aggregates, windows
from tqp.functions.aggregates import AggregateFunction, find_aggregate
from tqp.ir.expr import AggregateCall, ColumnRef, Expr, Literal
from tqp.kernels.window import between
from tqp.operators.collected import Rows, aggregate_groups
from tqp.types import BIGINT, DOUBLE, INTEGER, INTERVAL, VARCHAR, DType

KNOWN = {known.name: known for name in aggregates.names() if (known := find_aggregate(name)) is not None}
SEVERAL = (
    *(f"bit_{name} of bits" for name in ("and", "or", "xor")),
    *(
        f"{name} of several rows"
        for name in ("min", "max", "arg_min", "arg_max", "arg_min_nulls_last", "arg_max_nulls_last")
    ),
    *(
        "approx_top_k",
        "histogram of bins",
        "histogram_exact",
        "lttb",
        "approx_count_distinct of nested values",
        "json_group_object",
        "bitstring_agg",
        "sum of arrays",
        "sum of bignums",
        "avg of arrays",
        "variant_group_array",
        "variant_group_object",
    ),
)
"""They take a number of rows, bins, bits, limits, nested values, variants, arrays, BIGNUMs, or keys that are not NULL, which the case files try."""
AGGREGATES = sorted(
    name for name, known in KNOWN.items() if (known.accumulator or known.collect) and name not in SEVERAL
)
MERGING = [name for name in AGGREGATES if KNOWN[name].accumulator]


def _aggregate(name: str) -> AggregateFunction:
    function = find_aggregate(name)
    assert function is not None
    return function


FRACTION = Literal(0.3, DOUBLE)
"""What quantiles take beside their values."""


def _drawn(letter: str, rng: random.Random, rows: int, nulls: float = 0.3) -> Column:
    if letter == "fraction":
        return column([FRACTION.value] * rows, DOUBLE)
    dtype, values = VALUES[letter]
    drawn = [None if rng.random() < nulls else rng.choice(values) for _ in range(rows)]
    if dtype == INTERVAL:
        valid = torch.tensor([value is not None for value in drawn], dtype=torch.bool, device=CPU)
        data = torch.tensor([value or (0, 0, 0) for value in drawn], dtype=torch.int64, device=CPU).reshape(rows, 3)
        return Column(data, dtype, valid)
    return column(drawn, dtype)


_OF_SOME = {"v": "interval", "z": "offsets"}
"""Letters of types that only aggregates with such a word in their names are tried with."""


def _signatures(name: str) -> list[tuple[tuple[str, ...], DType]]:
    """The columns that an aggregate takes as they are, and the type of its result."""
    found = []
    for count in range(3):
        for letters in itertools.product(
            [letter for letter in VALUES if _OF_SOME.get(letter, "") in name], repeat=count
        ):
            args = tuple(ColumnRef(f"{letter}{n}", VALUES[letter][0]) for n, letter in enumerate(letters))
            try:
                wanted, result = _aggregate(name).types(args)
            except (TqpError, IndexError):
                continue
            if wanted == tuple(arg.dtype for arg in args):
                found.append((letters, result))
    for letter in VALUES:
        args = (ColumnRef(letter, VALUES[letter][0]), FRACTION)
        if letter not in _OF_SOME and name in QUANTILES and _takes(name, args):
            found.append(((letter, "fraction"), _aggregate(name).types(args)[1]))
    assert found, name
    return found


QUANTILES = ("approx_quantile", "quantile", "quantile_cont", "quantile_disc", "reservoir_quantile")


def _takes(name: str, args: tuple[Expr, ...]) -> bool:
    try:
        return _aggregate(name).types(args)[0] == tuple(arg.dtype for arg in args)
    except TqpError:
        return False


def _grouped(name: str, dtype: DType, args: tuple[Column, ...], ids: torch.Tensor, groups: int) -> list[object]:
    call = AggregateCall(name, tuple(ColumnRef(f"a{n}", arg.dtype) for n, arg in enumerate(args)), dtype)
    return _rounded(python(aggregate_groups(call, Rows(args, ids, groups), CPU), groups))


def _state(name, dtype, args, ids, groups):  # type: ignore[no-untyped-def]
    accumulator = _aggregate(name).states(dtype, groups, CPU)
    seen = torch.zeros(groups, dtype=torch.int64, device=CPU)
    accumulator.update(args, ids, ids.shape[0], seen)
    return accumulator, seen + torch.bincount(ids, minlength=groups)


def _finished(accumulator, seen) -> list[object]:  # type: ignore[no-untyped-def]
    return _rounded(python(accumulator.finish(seen), seen.shape[0]))


def _rounded(values: list[object]) -> list[object]:
    """Floats to some digits, as parts are added up in another order, and NaN as its name."""
    return [_digits(value) if isinstance(value, float) else value for value in values]


def _digits(value: float) -> object:
    if value != value:
        return "NaN"
    return round(value, 9) + 0.0 if abs(value) < 1 else float(f"{value:.10g}")


def _cases(name: str) -> Iterator[tuple[tuple[Column, ...], DType, torch.Tensor, int]]:
    """Arguments, the type of the result, group ids and their number."""
    rng = random.Random(name)
    for letters, dtype in _signatures(name):
        for rows, nulls in ((0, 0.0), (40, 0.0), (40, 0.3), (40, 1.0)):
            args = tuple(_drawn(letter, rng, rows, nulls) for letter in letters)
            ids = torch.tensor([rng.randrange(5) for _ in range(rows)], dtype=torch.int64, device=CPU)
            yield args, dtype, ids, 6


def _steady(name: str, args: tuple[Column, ...], ids: torch.Tensor) -> tuple[Column, ...]:
    """For an aggregate that may be any of the values: arguments that are the same for all rows of a group."""
    if _aggregate(name).order_free:
        return args
    return tuple(arg.take(ids.clamp(max=max(len(arg) - 1, 0))) if len(arg) else arg for arg in args)


@pytest.mark.parametrize("name", MERGING)
def test_states_merge(name: str) -> None:
    rng = random.Random(name)
    for args, dtype, ids, groups in _cases(name):
        args = _steady(name, args, ids)
        whole = _grouped(name, dtype, args, ids, groups)
        rows = ids.shape[0]
        parts = torch.tensor([rng.randrange(3) for _ in range(rows)], dtype=torch.int64, device=CPU)
        total = _aggregate(name).states(dtype, groups, CPU)
        seen = torch.zeros(groups, dtype=torch.int64, device=CPU)
        renamed = torch.randperm(groups, generator=torch.Generator().manual_seed(rows))
        for part in range(3):
            chosen = (parts == part).nonzero().flatten()
            # The second part numbers its groups otherwise, and comes by way of `pick`.
            own = ids.index_select(0, chosen)
            state, counts = _state(name, dtype, tuple(arg.take(chosen) for arg in args), own, groups)
            into = None
            if part == 1:
                picked = _aggregate(name).states(dtype, groups, CPU)
                picked.pick(state, renamed)
                state, counts, into = picked, counts.index_select(0, renamed), renamed
            total.merge(state, into, seen, counts)
            seen = seen + counts if into is None else seen.scatter_add(0, into, counts)
        assert _finished(total, seen) == whole


@pytest.mark.parametrize(("name", "best"), [("arg_min", min), ("arg_max", max)])
def test_row_of_the_best_key_in_parts(name: str, best: Callable[..., tuple[object, ...]]) -> None:
    rng = random.Random(name)
    keys = rng.sample(range(-500, 500), 60)
    pairs = [(rng.choice((None, "a", "b", "c")), key if rng.random() < 0.8 else None, rng.randrange(4)) for key in keys]
    values, ids = column([pair[0] for pair in pairs], VARCHAR), torch.tensor([pair[2] for pair in pairs], device=CPU)
    total = _aggregate(name).states(VARCHAR, 5, CPU)
    seen = torch.zeros(5, dtype=torch.int64, device=CPU)
    for start in range(0, 60, 7):
        part = slice(start, start + 7)
        # Keys of each part have a width of their own.
        key = column([pair[1] for pair in pairs[part]], BIGINT)
        own = values.slice(part.start, part.stop)
        if start % 2:
            total.update((own, key), ids[part], len(own), seen)
        else:
            state, counts = _state(name, VARCHAR, (own, key), ids[part], 5)
            total.merge(state, None, seen, counts)
        seen += torch.bincount(ids[part], minlength=5)
    known = [pair for pair in pairs if pair[0] is not None and pair[1] is not None]
    wanted = [best((p for p in known if p[2] == group), key=lambda p: p[1], default=(None,))[0] for group in range(5)]
    assert python(total.finish(seen), 5) == wanted


@pytest.mark.parametrize("name", AGGREGATES)
def test_order_duplicates_and_no_rows(name: str) -> None:
    function = _aggregate(name)
    for args, dtype, ids, groups in _cases(name):
        args = _steady(name, args, ids)
        answer = _grouped(name, dtype, args, ids, groups)
        if function.empty is not None:
            assert None not in answer
        assert answer[5] == function.empty, "of no rows"
        order = torch.randperm(ids.shape[0], generator=torch.Generator().manual_seed(1))
        again = tuple(arg.take(order) for arg in args)
        assert _grouped(name, dtype, again, ids.index_select(0, order), groups) == answer
        twice = torch.cat((order, order))
        doubled = _grouped(name, dtype, tuple(arg.take(twice) for arg in args), ids.index_select(0, twice), groups)
        if function.duplicate_free:
            assert doubled == answer
        if function.counts_rows:
            assert answer == torch.bincount(ids, minlength=groups).tolist()


@pytest.mark.parametrize("name", [name for name in AGGREGATES if _aggregate(name).idempotent])
def test_of_equal_values(name: str) -> None:
    for letters, dtype in _signatures(name):
        (letter,) = letters
        kind, values = VALUES[letter]
        assert dtype == kind
        for value in (values[1], None):
            args = (column([value] * 3, kind),)
            assert _grouped(name, dtype, args, torch.zeros(3, dtype=torch.int64, device=CPU), 1) == [value]


@pytest.mark.parametrize("name", [name for name in AGGREGATES if _aggregate(name).over_frames is not None])
def test_over_frames(name: str) -> None:
    """Each frame by itself."""
    form = _aggregate(name).over_frames
    assert form is not None
    rng = random.Random(name)
    for letters, dtype in _signatures(name):
        for nulls in (0.0, 0.4):
            rows = 17
            args = tuple(_drawn(letter, rng, rows, nulls) for letter in letters)
            low = torch.tensor([rng.randrange(rows + 1) for _ in range(rows)], dtype=torch.int64, device=CPU)
            high = torch.tensor([rng.randrange(rows + 1) for _ in range(rows)], dtype=torch.int64, device=CPU)
            answers = _rounded(python(form(args, dtype, between(low, high)), rows))
            for start, stop, answer in zip(low.tolist(), high.tolist(), answers, strict=True):
                size = max(stop - start, 0)
                part = torch.arange(start, start + size, device=CPU)
                ids = torch.zeros(size, dtype=torch.int64, device=CPU)
                assert [answer] == _grouped(name, dtype, tuple(arg.take(part) for arg in args), ids, 1)


@pytest.mark.parametrize("name", AGGREGATES)
def test_values_that_are_passed_on_or_compared(name: str) -> None:
    """Renaming values in keeping with their order changes nothing but the names; against their order, what compares."""
    function = _aggregate(name)
    orders = []
    for letters, dtype in _signatures(name):
        if (
            not letters
            or VALUES[letters[function.compares or 0]][0] != INTEGER
            or len(letters) > 1
            and letters != ("i", "i")
        ):
            continue
        rng = random.Random(name)
        plain = [[rng.randrange(-9, 9) for _ in range(30)] for _ in letters]
        ids = torch.tensor([rng.randrange(4) for _ in range(30)], dtype=torch.int64, device=CPU)

        def run(columns: list[list[int]], dtype: DType = dtype, ids: torch.Tensor = ids) -> list[object]:
            return _grouped(name, dtype, tuple(column(list(values), INTEGER) for values in columns), ids, 4)

        answer = run(plain)
        if function.passes_on:
            assert all(
                value in {v for v, group in zip(plain[0], ids.tolist(), strict=True) if group == number}
                for number, value in enumerate(answer)
            )
        if function.compares is not None:
            turned = [[-v if place == function.compares else v for v in column_] for place, column_ in enumerate(plain)]
            orders.append(run(turned) != answer)
    assert all(orders)


@pytest.mark.parametrize("name", [name for name in AGGREGATES if _aggregate(name).extreme is not None])
def test_a_state_may_be_an_extreme_and_a_count(name: str) -> None:
    """What compiled code puts there as the state is what rows would have left, where it goes on with others."""
    best = max if _aggregate(name).extreme else min
    values = column([5, -3, 9, 4], INTEGER)
    seen = torch.tensor([2, 2, 0], dtype=torch.int64, device=CPU)
    state = _aggregate(name).states(INTEGER, 3, CPU)
    state.put(torch.tensor([best(5, -3), best(9, 4), 77], dtype=torch.int64, device=CPU), None, values.layout)
    total = _aggregate(name).states(INTEGER, 3, CPU)
    total.merge(state, None, torch.zeros_like(seen), seen)
    assert _finished(total, seen) == [best(5, -3), best(9, 4), None]


def test_each_aggregate_has_one_form() -> None:
    for name, known in KNOWN.items():
        assert (known.accumulator is None) + (known.collect is None) == 1 or known.by_row is not None, name


def test_window_functions() -> None:
    from tests.engines import Engines

    engines = Engines()
    for name in windows.names():
        function = windows.find_window(name)
        assert function is not None
        args = ", ".join(("1", "1", "1")[: function.counts[0] - function.takes_key])
        query = f"SELECT {name}({args}) OVER (PARTITION BY p ORDER BY x) AS y FROM (VALUES (1, NULL), (1, 2), (2, 2)) AS t(p, x)"
        answer = engines(query)["y"].to_pylist()
        assert not function.never_null or None not in answer
        if function.numbers:
            assert sorted(answer) == [1, 1, 2]
        ignoring = f"SELECT {name}({args} IGNORE NULLS) OVER (ORDER BY x) FROM (VALUES (1)) AS t(x)"
        if function.ignores_nulls:
            engines(ignoring)
        else:
            with pytest.raises(TqpError):
                engines.tqp.sql(ignoring).arrow()
    engines.close()
