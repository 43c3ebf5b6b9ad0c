"""Random window calls over random rows, on tqp and DuckDB. What depends on the order of rows is asked over a total order."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from tests.engines import Engines
from tests.limits import limit

COLUMNS = {
    "i": pa.int32(), "b": pa.int64(), "d": pa.decimal128(12, 2), "f": pa.float64(), "s": pa.string(), "t": pa.date32(),
    "o": pa.bool_(), "h": pa.decimal128(38, 3), "z": pa.float32(),
}  # fmt: skip
NUMBERS = ("i", "b", "d", "f", "h", "z")
KEYS = ("i", "s", "t", "o", "f")


def _value(rng: random.Random, column: str) -> Any:
    if rng.random() < 0.2:
        return None
    small = rng.randint(-4, 4)
    match column:
        case "i":
            return small
        case "b":
            return rng.choice((small, 2**62 + small, -(2**62) - small))
        case "d":
            return Decimal(small * 125) / 100
        case "f":
            # Halves: their sums are the same in any order.
            return rng.choice((small / 2, small / 2, small / 2, float("nan"), float("inf"), float("-inf"), -0.0))
        case "z":
            return small / 4
        case "s":
            return rng.choice(("", "a", "Ab", "ä", "zz"))
        case "t":
            return date(2024, 2, 27) + timedelta(days=small)
        case "o":
            return small > 0
        case _:
            return Decimal(small) * 10**25 + Decimal(small) / 1000


def _table(rng: random.Random, rows: int) -> pa.Table:
    columns = {"id": pa.array(rng.sample(range(rows), rows), pa.int32())}
    for name, kind in COLUMNS.items():
        columns[name] = pa.array([_value(rng, name) for _ in range(rows)], kind)
    return pa.table(columns)


def _bounds(rng: random.Random, offset: Any) -> str:
    sides = ["UNBOUNDED PRECEDING", "{} PRECEDING", "CURRENT ROW", "{} FOLLOWING", "UNBOUNDED FOLLOWING"]
    first = rng.randint(0, 3)
    last = rng.randint(max(first, 1), 4)
    return f"{sides[first].format(offset())} AND {sides[last].format(offset())}"


def _frame(rng: random.Random, key: str | None) -> str:
    unit = rng.choice(("ROWS", "ROWS", "GROUPS", "RANGE"))
    if unit != "RANGE":
        if unit == "GROUPS" and key is None:
            unit = "ROWS"
        shown = f"{unit} BETWEEN {_bounds(rng, lambda: rng.randint(0, 4))}"
    elif key in ("i", "d", "b", "f"):
        shown = f"RANGE BETWEEN {_bounds(rng, lambda: rng.choice((0, 1, 2)))}"
    elif key == "t":
        shown = f"RANGE BETWEEN {_bounds(rng, lambda: f'INTERVAL {rng.randint(0, 3)} DAY')}"
    else:
        sides = rng.choice(("UNBOUNDED PRECEDING AND CURRENT ROW", "CURRENT ROW AND UNBOUNDED FOLLOWING"))
        shown = f"RANGE BETWEEN {sides}"
    return shown + rng.choice(("", "", "", " EXCLUDE CURRENT ROW", " EXCLUDE GROUP", " EXCLUDE TIES"))


def _order(rng: random.Random, key: str) -> str:
    return key + rng.choice(("", " DESC")) + rng.choice(("", " NULLS FIRST", " NULLS LAST"))


def _call(rng: random.Random) -> str:
    partition = ", ".join(rng.sample(KEYS, rng.choice((0, 1, 1, 2))))
    over = [f"PARTITION BY {partition}"] if partition else []
    kind = rng.random()
    if kind < 0.2:
        over.append(f"ORDER BY {_order(rng, rng.choice((*KEYS, 'h', 'd')))}")
        function = rng.choice(("rank()", "dense_rank()", "percent_rank()", "cume_dist()"))
    elif kind < 0.45:
        total = [_order(rng, key) for key in rng.sample(KEYS, rng.randint(0, 2))]
        over.append(f"ORDER BY {', '.join([*total, _order(rng, 'id')])}")
        column = rng.choice(tuple(COLUMNS))
        nulls = rng.choice(("", "", " IGNORE NULLS"))
        step = rng.choice(("", "", ", 2", ", -1", ", 0", ", i"))
        inner = rng.random() < 0.3
        if inner:
            # The rows in another order, which is total as well, or asks for no row of it.
            nulls = f" ORDER BY {', '.join([_order(rng, rng.choice(KEYS)), _order(rng, 'id')])}{nulls}"
        call = rng.choice((
            f"row_number({nulls.removesuffix(' IGNORE NULLS')})", f"ntile({rng.randint(1, 5)}{nulls})",
            f"rank({nulls.removesuffix(' IGNORE NULLS')})", f"cume_dist({nulls.removesuffix(' IGNORE NULLS')})",
            f"percent_rank({nulls.removesuffix(' IGNORE NULLS')})",
        ))  # fmt: skip
        function = rng.choice((
            call, call, f"lag({column}{step}{nulls})", f"lead({column}{step}{nulls})",
            f"first_value({column}{nulls})", f"last_value({column}{nulls})",
            f"nth_value({column}, {rng.randint(1, 4)}{nulls})", f"any_value({column})",
        ))  # fmt: skip
        if function.startswith(("first", "last", "nth", "any")) and rng.random() < 0.7:
            over.append(_frame(rng, None))
    else:
        column = rng.choice(NUMBERS)
        anything = rng.choice(("i", "b", "d", "f", "s", "t", "o", "h", "z"))
        function = rng.choice((
            f"sum({column})", f"avg({column})", "count(*)", f"count({anything})", f"min({anything})", f"max({anything})",
            "bool_or(o)", "bool_and(o)", "var_pop(i)", "stddev(d)", "var_samp(z)", f"sum({column})",
            f"count(DISTINCT {anything})", f"sum(DISTINCT {column})", f"avg(DISTINCT {column})", "var_pop(DISTINCT z)",
            "bit_xor(DISTINCT i)", "max(DISTINCT s)", f"median({column})", f"quantile_disc({anything}, 0.3)", "quantile_cont(i, 0.9)",
        ))  # fmt: skip
        if rng.random() < 0.2:
            function += " FILTER (WHERE i > 0)"
        style = rng.random()
        if style < 0.2:
            return f"{function} OVER ({' '.join(over)})"
        key = rng.choice(("i", "d", "t", "f", "s", "b"))
        total_order = rng.random() < 0.5
        over.append(f"ORDER BY {_order(rng, key)}" + (", id" if total_order else ""))
        frame = _frame(rng, None if total_order else key)
        # ROWS over ties picks among them as it likes.
        if rng.random() < 0.8 and (total_order or not frame.startswith("ROWS")):
            over.append(frame)
    return f"{function} OVER ({' '.join(over)})"


@pytest.fixture(scope="module")
def engines() -> Iterator[Engines]:
    made = Engines()
    yield made
    made.close()


@pytest.mark.parametrize("seed", range(40))
def test_random_calls(engines: Engines, seed: int) -> None:
    rng = random.Random(seed)
    engines.register("w", _table(rng, rng.choice((0, 1, 2, 7, 20, 40))))
    calls = [_call(rng) for _ in range(6)]
    engines("SELECT id, " + ", ".join(f"{call} AS c{place}" for place, call in enumerate(calls)) + " FROM w")


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("seed", range(100, 112))
def test_random_calls_in_pieces(seed: int, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Partitions are shared out among the workers, whose pieces are put together again."""
    limit(monkeypatch, window_rows=1, smallest_batch=3, batch_rows=4)
    rng = random.Random(seed)
    engines = Engines(threads=threads)
    try:
        engines.register("w", _table(rng, rng.choice((1, 2, 7, 20, 40))))
        calls = [_call(rng) for _ in range(6)]
        engines("SELECT id, " + ", ".join(f"{call} AS c{place}" for place, call in enumerate(calls)) + " FROM w")
    finally:
        engines.close()


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("seed", range(200, 212))
def test_random_first_rows(seed: int, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What nobody reads of a ranking is left out: of batches, of all rows, over keys with NULLs, NaN, -0.0 and ties."""
    limit(monkeypatch, window_rows=2, smallest_batch=5, batch_rows=9)
    rng = random.Random(seed)
    engines = Engines(threads=threads)
    try:
        engines.register("w", _table(rng, rng.choice((0, 1, 7, 40, 90))))
        for _ in range(4):
            partition = ", ".join(rng.sample(KEYS, rng.choice((0, 1, 1, 2))))
            keys = [_order(rng, key) for key in rng.sample((*KEYS, "b", "d", "h", "z"), rng.randint(1, 2))]
            function = rng.choice(("row_number()", "rank()"))
            if function == "row_number()":
                keys.append(_order(rng, "id"))
            over = (f"PARTITION BY {partition} " if partition else "") + f"ORDER BY {', '.join(keys)}"
            kept = f"r {rng.choice(('<', '<=', '='))} {rng.randint(1, 4)}"
            engines(
                f"SELECT * FROM (SELECT id, s, f, {function} OVER ({over}) AS r FROM w WHERE id % 3 > 0) WHERE {kept}"
            )
    finally:
        engines.close()
