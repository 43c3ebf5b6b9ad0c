"""What is said of functions where they are registered is true of them: every function is run, on columns of many types."""

from __future__ import annotations

import ast
import itertools
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import torch

import tqp.functions
from tests.functions.oracle import CPU, column, evaluate, python
from tqp.data.column import Column, constant
from tqp.errors import TqpError
from tqp.functions import aggregates, registry, windows
from tqp.functions.aggregates import AggregateFunction, find_aggregate
from tqp.functions.bind import bind
from tqp.functions.registry import find
from tqp.ir import words
from tqp.ir.expr import Call, ColumnRef, Expr, Literal
from tqp.kernels.window import between
from tqp.types import BIGINT, BOOLEAN, DATE, DOUBLE, HUGEINT, INTEGER, INTERVAL, TIMESTAMP, VARCHAR, DType, decimal

PACKAGE = Path(tqp.__file__).parent

VALUES: dict[str, tuple[DType, list[object]]] = {
    "i": (INTEGER, [3, -7, 2, 12]),
    "b": (BIGINT, [40, 1, -5, 4]),
    "h": (HUGEINT, [30, 3, -4, 1]),
    "x": (DOUBLE, [0.5, -2.0, 3.25, 1.0]),
    "d": (decimal(9, 2), [125, -50, 300, 100]),
    "o": (BOOLEAN, [True, False, True, True]),
    "t": (VARCHAR, ["b", "Ärger", "a,b", "day"]),
    "e": (DATE, [0, 19782, 1, -40]),
    "s": (TIMESTAMP, [0, 1_700_000_000_123_456, 5, -1]),
    "v": (INTERVAL, [(1, 2, 3), (0, 0, 5), (0, 1, 0), (2, 0, 0)]),
}
ROWS = 4


def _column(name: str) -> Column:
    dtype, values = VALUES[name]
    if dtype == INTERVAL:
        return Column(torch.tensor(values, dtype=torch.int64, device=CPU), dtype)
    return column(values, dtype)


def _calls(name: str) -> Iterator[tuple[str, ...]]:
    """Columns that a function takes and does not fail on."""
    rng = random.Random(name)
    for count in range(1, 4):
        every = list(itertools.product(VALUES, repeat=count))
        for letters in every if count < 3 else rng.sample(every, 100):
            columns = {f"{letter}{place}": _column(letter) for place, letter in enumerate(letters)}
            try:
                expr = bind(name, *(ColumnRef(symbol, c.dtype) for symbol, c in columns.items()))
                evaluate(expr, columns)
            except TqpError:
                continue
            yield letters


def _values(name: str, letters: tuple[str, ...], nulls: tuple[bool, ...]) -> list[object]:
    columns = {}
    for place, (letter, null) in enumerate(zip(letters, nulls, strict=True)):
        valid = torch.zeros(ROWS, dtype=torch.bool, device=CPU) if null else None
        columns[f"{letter}{place}"] = _column(letter).with_valid(valid)
    expr = bind(name, *(ColumnRef(symbol, c.dtype) for symbol, c in columns.items()))
    return python(evaluate(expr, columns), ROWS)


FUNCTIONS = registry.names()
# Of these the binder lets only some arguments through: constants, or elements of some types.
CHECKED_BY_BINDER = {"unixtotime", "array_value"}


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in CHECKED_BY_BINDER])
def test_null_arguments(name: str) -> None:
    function = find(name)
    for letters in itertools.islice(_calls(name), 12):
        for nulls in itertools.product((False, True), repeat=len(letters)):
            if function.is_null(nulls):
                assert _values(name, letters, nulls) == [None] * ROWS, (letters, nulls)
            elif not any(nulls) and function.total:
                assert None not in _values(name, letters, nulls), letters
            elif function.first_value:
                first = letters[nulls.index(False)]
                assert None not in _values(name, letters, nulls), (letters, first)


def test_what_is_neither_strict_nor_said_to_be_something_else_is_known() -> None:
    """A new function that deals with NULLs itself is looked at here: what else is certain of it?"""
    open_ = {name for name in FUNCTIONS if not (find(name).strict or find(name).total or find(name).strict_first)}
    assert open_ == {"array_value", "concat", "concatws"}


COMPARED = {words.EQ, words.NEQ, words.LT, words.LTE, words.GT, words.GTE, words.NULL_SAFE_EQ, "nullsafeneq"}


def test_comparisons() -> None:
    compared = [name for name in FUNCTIONS if find(name).mirrored is not None]
    assert set(compared) == COMPARED
    a = column([1, 2, 3, None, 1, None], INTEGER)
    b = column([2, 2, 1, 1, None, None], INTEGER)
    columns = {"a": a, "b": b}
    left, right = ColumnRef("a", INTEGER), ColumnRef("b", INTEGER)
    for name in compared:
        function = find(name)
        assert function.mirrored is not None and function.negated is not None
        answer = python(evaluate(bind(name, left, right), columns), 6)
        assert python(evaluate(bind(function.mirrored, right, left), columns), 6) == answer
        opposite = python(evaluate(bind(function.negated, left, right), columns), 6)
        assert opposite == [None if value is None else not value for value in answer]


BY_LAYOUT = {*COMPARED, "in"}


def test_which_ask_for_layouts_alone() -> None:
    assert {name for name in FUNCTIONS if find(name).by_layout} == BY_LAYOUT


@pytest.mark.parametrize("name", sorted(BY_LAYOUT))
def test_constants_by_their_layout(name: str) -> None:
    """A constant with the bounds of its whole width gives what it gives with its own, for all values of that width."""
    for letters in _calls(name):
        for place, letter in enumerate(letters):
            for value in VALUES[letter][1]:
                answers = []
                for bounds in (False, True):
                    columns = {f"{other}{at}": _column(other) for at, other in enumerate(letters)}
                    symbol = f"{letter}{place}"
                    own = constant(value, VALUES[letter][0], CPU)
                    if bounds and own.bounds is not None and own.dictionary is None:
                        info = torch.iinfo(own.data.dtype)
                        own = replace(own, bounds=(info.min, info.max))
                    columns[symbol] = own
                    expr = bind(name, *(ColumnRef(key, c.dtype) for key, c in columns.items()))
                    answers.append(python(evaluate(expr, columns), ROWS))
                assert answers[0] == answers[1], (letters, place, value)


def test_selectivities() -> None:
    shares = [find(name).selectivity for name in FUNCTIONS]
    assert all(share is None or 0 < share < 1 for share in shares) and any(shares)


# Aggregates


AGGREGATES = sorted({known.name for name in aggregates.names() if (known := find_aggregate(name)) is not None})


def _aggregate(name: str) -> AggregateFunction:
    function = find_aggregate(name)
    assert function is not None
    return function


def _drawn(letter: str, rng: random.Random, rows: int, nulls: float = 0.3) -> Column:
    dtype, values = VALUES[letter]
    drawn = [None if rng.random() < nulls else rng.choice(values) for _ in range(rows)]
    return column(drawn, dtype)


def _signatures(name: str) -> list[tuple[tuple[str, ...], DType]]:
    """The columns that an aggregate takes as they are, and the type of its result."""
    found = []
    for count in range(3):
        for letters in itertools.product([letter for letter in VALUES if letter != "v"], repeat=count):
            args = tuple(ColumnRef(f"{letter}{n}", VALUES[letter][0]) for n, letter in enumerate(letters))
            try:
                wanted, result = _aggregate(name).types(args)
            except (TqpError, IndexError):
                continue
            if wanted == tuple(arg.dtype for arg in args):
                found.append((letters, result))
    assert found, name
    return found


def _grouped(name: str, dtype: DType, args: tuple[Column, ...], ids: torch.Tensor, groups: int) -> list[object]:
    return _finished(*_state(name, dtype, args, ids, groups))


def _state(name, dtype, args, ids, groups):  # type: ignore[no-untyped-def]
    accumulator = _aggregate(name).accumulator(dtype, groups, CPU)
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


@pytest.mark.parametrize("name", [name for name in AGGREGATES if not _aggregate(name).picks_row])
def test_states_merge(name: str) -> None:
    rng = random.Random(name)
    for args, dtype, ids, groups in _cases(name):
        args = _steady(name, args, ids)
        whole = _grouped(name, dtype, args, ids, groups)
        rows = ids.shape[0]
        parts = torch.tensor([rng.randrange(3) for _ in range(rows)], dtype=torch.int64, device=CPU)
        total = _aggregate(name).accumulator(dtype, groups, CPU)
        seen = torch.zeros(groups, dtype=torch.int64, device=CPU)
        renamed = torch.randperm(groups, generator=torch.Generator().manual_seed(rows))
        for part in range(3):
            chosen = (parts == part).nonzero().flatten()
            # The second part numbers its groups otherwise, and comes by way of `pick`.
            own = ids.index_select(0, chosen)
            state, counts = _state(name, dtype, tuple(arg.take(chosen) for arg in args), own, groups)
            into = None
            if part == 1:
                picked = _aggregate(name).accumulator(dtype, groups, CPU)
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
    total = _aggregate(name).accumulator(VARCHAR, 5, CPU)
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
    state = _aggregate(name).accumulator(INTEGER, 3, CPU)
    state.put(torch.tensor([best(5, -3), best(9, 4), 77], dtype=torch.int64, device=CPU), None, values.layout)
    total = _aggregate(name).accumulator(INTEGER, 3, CPU)
    total.merge(state, None, torch.zeros_like(seen), seen)
    assert _finished(total, seen) == [best(5, -3), best(9, 4), None]


def test_an_ordered_call_is_another_aggregate() -> None:
    for name in AGGREGATES:
        other = _aggregate(name).in_order
        assert other is None or _aggregate(other).picks_row


def test_window_functions() -> None:
    from tests.engines import Engines

    engines = Engines()
    for name in windows.names():
        function = windows.find_window(name)
        assert function is not None
        args = ", ".join(("1", "1", "1")[: function.counts[0]])
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


# Names


EXEMPT = {
    "functions": "where they are",
    "sql": "where a name is syntax",
    "kernels": "tensors alone: its own functions have such names",
    "models": "other libraries' words",
    "io": "other libraries' words",
    "data": "no calls here",
    "ir/words.py": "the names that plans speak",
    "ir/show.py": "how plans are written",
    "runtime/spelling.py": "how Python's operators are written",
    "runtime/recorder.py": "Python's operators",
}
OTHER_MEANINGS = {"left", "right", "floor", "trunc", "contains"}


def test_no_function_is_named_elsewhere() -> None:
    known = {*registry.names(), *aggregates.names(), *windows.names()} - OTHER_MEANINGS
    assert {"sum", "coalesce", "row_number"} <= known
    found = []
    for file in sorted(PACKAGE.rglob("*.py")):
        path = file.relative_to(PACKAGE).as_posix()
        if any(path == exempt or path.startswith(f"{exempt}/") for exempt in EXEMPT):
            continue
        tree = ast.parse(file.read_text())
        exported = {id(item) for node in tree.body if isinstance(node, ast.Assign) for item in ast.walk(node.value)
                    if any(isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets)}  # fmt: skip
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and node.value in known and id(node) not in exported:
                found.append(f"{path}:{node.lineno}: {node.value!r}")
    assert not found, "a fact of a function belongs where it is registered; else write tqp.ir.words:\n" + "\n".join(
        found
    )


def test_words_are_functions() -> None:
    known = {*registry.names(), *aggregates.names(), *windows.names()}
    assert {getattr(words, word) for word in words.__all__} <= known


@pytest.mark.parametrize("name", [name for name in registry.names() if find(name).rises is not None])
def test_what_rises_never_falls(name: str) -> None:
    """With one of the arguments that it is said to rise with, in ascending order, and constants beside."""
    rng = random.Random(name)
    ascending = {
        INTEGER: sorted(rng.sample(range(-(10**6), 10**6), 50)),
        decimal(9, 2): sorted(rng.sample(range(-(10**6), 10**6), 50)),
        DATE: sorted(rng.sample(range(-800_000, 100_000), 300)),
        TIMESTAMP: sorted(rng.sample(range(-6 * 10**16, 10**16), 300)),
    }
    beside: list[tuple[DType, object]] = [(INTEGER, -7), (decimal(9, 2), 25), (DATE, 19_000), (INTERVAL, (-1, 3, 5))]
    beside += [(VARCHAR, part) for part in ("year", "month", "decade", "isoyear", "century", "day", "week", "quarter")]
    seen = 0
    for dtype, values in ascending.items():
        for place in (0, 1):
            for other in (None, *beside):
                args: list[Expr] = [] if other is None else [Literal(other[1], other[0])]
                args.insert(place, ColumnRef("a", dtype))
                try:
                    expr = bind(name, *args)
                    found = python(evaluate(expr, {"a": column(values, dtype)}), len(values))
                except TqpError:
                    continue
                assert isinstance(expr, Call)
                rises = find(name).rises
                plain = expr.dtype.is_exact or expr.dtype in (DATE, TIMESTAMP)
                if rises is None or place not in rises(expr.args) or place >= len(args) or not plain:
                    continue
                there = [value for value in found if value is not None]
                assert there == sorted(there), (name, dtype, place, other)
                seen += 1
    assert seen
