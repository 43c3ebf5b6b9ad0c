"""Aggregations as compiled loops give DuckDB's answers, with one set of constants after another; or say why there is none."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

import tqp
from tests.limits import limit
from tests.runtime.constants import CASES, check
from tqp.errors import QueryInterruptedError
from tqp.kernels.loops import loop
from tqp.kernels.loops.generated import generated
from tqp.kernels.loops.loop import mode
from tqp.kernels.operation import NotTraceable
from tqp.runtime import rowloops
from tqp.runtime.rowwise import Rowwise

pytestmark = [
    pytest.mark.host_only("loops run on the CPU"),
    pytest.mark.skipif(mode() == "off", reason="needs Numba"),
]

LOOPED = [
    "SELECT count(*) FROM t WHERE i > 7",
    "SELECT sum(t * i - 3), sum(m * (1 - m)), avg(i), count(b), count(*) FROM t WHERE t < 90 AND o",
    "SELECT g, sum(i), avg(t), count(w) FROM t WHERE NOT (t > 5 OR i < 0) GROUP BY g ORDER BY g",
    "SELECT w, o, sum(t), count(*) FROM t GROUP BY w, o ORDER BY ALL",
    "SELECT year(d), month(d), sum(i), count(b) FROM t GROUP BY ALL ORDER BY ALL",
    "SELECT i % 7, i // 9 % 3, sum(t), sum(t % -5), sum(-(i // -7)) FROM t GROUP BY ALL ORDER BY ALL",
    "SELECT sum(CASE WHEN w LIKE 'a%' THEN m WHEN i > 0 THEN 2.5 END), count(CASE WHEN t > 3 AND w <> 'fig' THEN 1 END) FROM t",
    "SELECT d, sum(t) FILTER (WHERE i > 100), count(*) FILTER (WHERE o) FROM t GROUP BY d ORDER BY d",
    "SELECT i, count(*), sum(t) FROM t WHERE w IN ('fig', 'apple') GROUP BY i ORDER BY i LIMIT 20",
    "SELECT sum(coalesce(t, i, 0)), sum(abs(i)), sum(greatest(t, i)), sum(least(i, 5)) FROM t",
    "SELECT g, count(*) FROM t WHERE f > 1.5 AND f * 2 < 12 GROUP BY g ORDER BY g",
    "SELECT sum(t), count(*), avg(i) FROM t WHERE i > 1000000",
    "SELECT hour(s), sum(t) FROM t WHERE s < TIMESTAMP '2001-09-12' GROUP BY ALL ORDER BY ALL",
    "SELECT t IS NULL, d IS NULL, b > 5, count(*) FROM t GROUP BY ALL ORDER BY ALL",
    "SELECT count(*) FROM t WHERE i / t > 2",
    "SELECT min(t), max(i), min(m), max(d), min(w), max(s), min(b) FROM t WHERE i < 29000",
    "SELECT g, min(i), max(t * i), min(d), max(w), count(i), sum(i) FROM t WHERE t < 90 AND w <> 'fig' GROUP BY g ORDER BY g",
    "SELECT i, min(t), max(b), max(w) FILTER (WHERE o) FROM t GROUP BY i ORDER BY i LIMIT 50",
    "SELECT min(i), max(m), min(w) FROM t WHERE i % 7 > 8",
    "SELECT g, o, sum(i), avg(t), count(*), grouping(g, o) FROM t WHERE t < 90 GROUP BY CUBE (g, o) ORDER BY ALL",
    "SELECT g, count(*), count(t / b) FROM t WHERE f / (i % 5) < 2 OR 1 / t < 0 GROUP BY g ORDER BY g",
    # Sums that may leave 64 bits.
    "SELECT sum(b * 1000000), avg(b * 1000000), count(*), sum(t) FROM t WHERE i < 20000",
    "SELECT g, sum(b * 1000000), sum(b * -1000000) FILTER (WHERE o), avg(m * 100000000.00) FROM t GROUP BY g ORDER BY g",
    "SELECT sum(b * 1000000), sum(m * 100000000.00) FROM t WHERE i > 1000000",
]
FLOATS = [
    "SELECT min(f), max(f), min(-f), count(*) FROM t WHERE i < 29000",
    "SELECT min(f), max(f) FROM t WHERE f < 100 AND f <> 0.5",
    "SELECT min(f), max(f), min(t / 7) FROM t WHERE isnan(f)",
    "SELECT min(f), max(f), stddev(t) FROM t WHERE i > 1000000",
    "SELECT g, min(f), max(f) FILTER (WHERE f < 5), min(f) FILTER (WHERE isnan(f)) FROM t GROUP BY g ORDER BY g",
    "SELECT i, min(f), max(f), min(1 / t), max(-1 / t) FROM t GROUP BY i ORDER BY i LIMIT 400",
    "SELECT sum(f), avg(f), count(f), sum(i) FROM t WHERE f < 100",
    "SELECT sum(f), avg(f * t), sum(t / 7), count(*) FROM t",
    "SELECT sum(f) FILTER (WHERE i > 0), avg(t::DOUBLE) FROM t WHERE w LIKE 'a%'",
    "SELECT g, sum(f), avg(f), sum(t / 7), sum(i) FROM t WHERE f < 100 OR i < 50 GROUP BY g ORDER BY g",
    "SELECT sum(f), avg(f), stddev(f) FROM t WHERE i > 1000000",
    "SELECT stddev(t), var_pop(i), stddev_pop(f), variance(m::DOUBLE + 1e6), count(*) FROM t WHERE f < 100",
    "SELECT stddev(t), var_samp(b) FROM t",
    "SELECT var_pop(f), stddev(i) FROM t WHERE o",
    "SELECT g, w, stddev(t), var_pop(f) FILTER (WHERE f < 100), stddev_pop(b) FILTER (WHERE o), avg(f) FROM t GROUP BY ALL ORDER BY ALL",
    "SELECT i, stddev(t), sum(t / 7), count(*) FROM t GROUP BY i ORDER BY i LIMIT 40",
]
NOT_LOOPED = {
    "SELECT corr(f, t) FROM t": "corr is not compiled",
    "SELECT min(o) FROM t": "truth value",
    "SELECT bit_or(t) FROM t": "bit_or is not compiled",
    "SELECT count(*) FROM t JOIN t u ON t.i = u.i + 40000": "it joins",
}


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipeline becomes a loop the first time that it runs."""
    limit(monkeypatch, looped_after=0, zone_rows=None)
    monkeypatch.setattr(rowloops, "_MODE", "now")


@pytest.fixture
def con(table: pa.Table, at_once: None) -> Iterator[tqp.Connection]:
    with tqp.connect(threads=2) as con:
        con.register("t", table)
        yield con


@pytest.mark.parametrize("query", LOOPED)
def test_answers(con: tqp.Connection, oracle: duckdb.DuckDBPyConnection, query: str, taken: list[int]) -> None:
    for _ in range(2):
        check(con, oracle, query, [])
    assert len(taken) == 2


@pytest.mark.parametrize("query", FLOATS)
def test_answers_of_floats(
    con: tqp.Connection, oracle: duckdb.DuckDBPyConnection, query: str, taken: list[int]
) -> None:
    expected = oracle.execute(query).fetchall()
    for row, wanted in zip(con.sql(query).fetchall(), expected, strict=True):
        for value, other in zip(row, wanted, strict=True):
            assert value == (pytest.approx(other, rel=1e-11, nan_ok=True) if isinstance(other, float) else other)
    assert len(taken) == 1


@pytest.mark.parametrize(("condition", "given", "compilations"), CASES)
def test_constants(
    con: tqp.Connection,
    oracle: duckdb.DuckDBPyConnection,
    condition: str,
    given: list[list[Any]],
    compilations: int,
    taken: list[int],
) -> None:
    for values in given:
        check(
            con,
            oracle,
            f"SELECT g, count(*), sum(t), sum(m), count(b) FROM t WHERE {condition} GROUP BY g ORDER BY g",
            values,
        )
    assert len(taken) == len(given), "a loop for each of them"


@pytest.mark.parametrize("backend", ["eager", "compile"])
def test_text_that_is_nearly_unique(backend: str, taken: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """The values for all entries are asked for, however few rows the trace has."""
    limit(monkeypatch, masked_groups=16)
    monkeypatch.setattr(torch, "compile", lambda function, **options: function)
    rows = np.arange(400_000)
    texts = pa.array([f"text {row % 390_000}" for row in rows.tolist()], mask=rows % 5 == 0)
    with tqp.connect(threads=2, backend=backend) as con, duckdb.connect() as peer:
        tables = pa.table({"s": texts, "k": rows % 7, "v": rows % 100})
        con.register("t", tables)
        peer.register("t", tables)
        for condition in ("s <> ''", "s > 'text 2'", "s LIKE '%77%'", "s IN ('text 5', 'text 399999')"):
            check(con, peer, f"SELECT k, sum(v), count(s) FROM t WHERE {condition} GROUP BY k ORDER BY k", [])
    assert backend == "compile" or len(taken) == 4


@pytest.mark.parametrize(("query", "why"), NOT_LOOPED.items())
def test_why_not(con: tqp.Connection, query: str, why: str, taken: list[int]) -> None:
    con.sql(query).fetchall()
    assert not taken
    if why != "it joins":
        assert why in con.sql(query).explain(True)


def test_extremes_of_narrow_floats(taken: list[int]) -> None:
    rows = np.arange(2**18 + 7)
    values = (np.sin(rows) * 100).astype(np.float32)
    values[rows % 5 == 0] = np.nan
    with tqp.connect(threads=2) as con, duckdb.connect() as peer:
        table = pa.table({"x": values, "g": rows % 5})
        con.register("t", table)
        peer.register("t", table)
        check(con, peer, "SELECT min(x), max(x) FROM t WHERE g <> 0", [])
        check(con, peer, "SELECT g, min(x), max(x), sum(g) FROM t WHERE g <> 0 GROUP BY g ORDER BY g", [])
        found = con.sql("SELECT g, min(x), max(x) FROM t GROUP BY g ORDER BY g LIMIT 1").fetchall()
    assert np.isnan(found[0][1:]).all()
    assert len(taken) == 3


def _spread_cases() -> Iterator[tuple[str, np.ndarray]]:
    random = np.random.default_rng(5)
    rows = 300_000
    yield "far from zero", random.normal(0, 1, rows) + 1e9
    far = random.normal(0, 1e-3, rows) + 5.0
    far[0] = -1e9
    yield "the first one is no such", far
    yield "growing", np.linspace(1e6, 3e6, rows) + random.normal(0, 1, rows)
    yield "steps", np.repeat([1e8, 1e8 + 1, -1e8], rows // 3)
    yield "equal", np.full(rows, 0.1)
    yield "large", random.normal(0, 1e150, rows)
    yield "too large", random.choice(np.array([1.7e308, -1.7e308, 1e300]), rows)
    yield "small", random.normal(0, 1e-150, rows)
    for place in (0, 1, 4, 7, rows - 1):
        for odd in (np.inf, -np.inf, np.nan):
            values = random.normal(0, 1, rows)
            values[place] = odd
            yield f"{odd} at {place}", values


@pytest.mark.parametrize("values", [pytest.param(values, id=name) for name, values in _spread_cases()])
@pytest.mark.parametrize("filtered", [False, True])
def test_floats_are_as_near_as_by_steps(values: np.ndarray, filtered: bool, taken: list[int]) -> None:
    """What loops say of floats is what is so: nothing cancels, whatever comes first."""
    groups = np.arange(values.size) % 3
    # All rows pass, then few, then none.
    share = np.repeat([0, 1], [values.size // 3, values.size - values.size // 3]) * (np.arange(values.size) % 19)
    share[-5000:] = 50
    passes = share < 1 if filtered else np.ones(values.size, bool)
    text = "sum(x), avg(x), var_pop(x), stddev_samp(x) FROM t" + (" WHERE p < 1" if filtered else "")
    with tqp.connect(threads=2) as con:
        con.register("t", {"x": values, "g": groups, "p": share})
        sums = con.sql(
            f"SELECT sum(x), avg(x), min(x), max(x), count(*) FROM t{' WHERE p < 1' if filtered else ''}"
        ).fetchall()
        whole = con.sql(f"SELECT {text}").fetchall()
        parts = con.sql(f"SELECT {text} GROUP BY g ORDER BY g").fetchall()
        assert len(taken) == 3
        again = [con.sql(f"SELECT {text}").fetchall() for _ in range(3)]
    assert all(repr(one) == repr(whole) for one in again), "whoever takes which rows"
    there, lacking = values[passes][~np.isnan(values[passes])], np.isnan(values[passes]).any()
    expected_max = np.nan if lacking else there.max()
    np.testing.assert_array_equal(sums[0][2:], [there.min(), expected_max, passes.sum()])
    with np.errstate(over="ignore"):
        whole_size = np.abs(there).sum()
    if whole_size < np.inf:
        np.testing.assert_allclose(sums[0][:2], whole[0][:2], atol=1e-11 * whole_size)
    chosen = [values[passes], *(values[passes & (groups == group)] for group in range(3))]
    for found, own in zip([*whole, *parts], chosen, strict=True):
        with np.errstate(invalid="ignore", over="ignore"):
            exact = own.astype(np.longdouble)
            expected = [exact.sum(), exact.mean(), exact.var(), exact.std(ddof=1)]
        size = np.abs(exact).sum() if np.isfinite(own).all() else 1
        # Means are as near as doubles are where they lie.
        scale = [size, size / own.size, 100 * expected[2], 100 * expected[3]]
        if own.min() == own.max():
            expected[2:] = [0.0, 0.0]
        if expected[2] > np.finfo(float).max:
            assert found[2:] == (np.inf, np.inf)
            continue
        for one, wanted, unit in zip(found, expected, scale, strict=True):
            assert (np.isnan(one) and np.isnan(wanted)) or one == wanted or abs(one - wanted) <= 1e-11 * unit + 5e-324


def test_explained(con: tqp.Connection) -> None:
    assert "one compiled loop" in con.sql(LOOPED[2]).explain(True)
    assert "compare" in con.sql(LOOPED[2]).explain("program"), "the program is what it means"


def test_only_after_many_rows(table: pa.Table, monkeypatch: pytest.MonkeyPatch, taken: list[int]) -> None:
    limit(monkeypatch, looped_after=3 * len(table))
    with tqp.connect(threads=1) as con:
        con.register("t", table)
        for run, number in enumerate((5, 6, 7, 8), 1):
            con.sql("SELECT sum(t) FROM t WHERE i > ?", [number]).fetchall()
            assert len(taken) == max(run - 2, 0)


def test_listed_with_what_is_kept(con: tqp.Connection, taken: list[int]) -> None:
    query = "SELECT sum(t) FROM t WHERE i > 5 AND w = 'fig'"
    con.sql(query).fetchall()
    kept = {(kind, key): size for kind, key, size, _, _ in con.cache().fetchall()}
    assert taken and kept["compiled", query] > 0
    con.clear_cache()
    assert not con.cache().fetchall()


def test_few_rows_have_none(taken: list[int]) -> None:
    with tqp.connect() as con:
        con.register("t", {"a": np.arange(1000)})
        assert con.sql("SELECT sum(a) FROM t").fetchall() == [(499_500,)]
    assert not taken


def test_an_interrupted_loop_leaves_the_connection_whole(con: tqp.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(self: object, *args: object) -> None:
        con.interrupt()

    query = "SELECT sum(t), count(*) FROM t WHERE i > 11"
    expected = con.sql(query).fetchall()
    with monkeypatch.context() as patch, pytest.raises(QueryInterruptedError):
        patch.setattr(rowloops._RowLoop, "add", stopped)
        con.sql(query).fetchall()
    assert con.sql(query).fetchall() == expected


ROWS = 131_101
FUNCTIONS = {
    "arithmetic": lambda a, b, c: [a * b + a - c, -a, abs(b), a.long() << 2],
    "divisions": lambda a, b, c: [
        torch.div(a, 7, rounding_mode="trunc"),
        torch.div(a, -7, rounding_mode="floor"),
        a.fmod(5),
        a.remainder(-5),
        a / 4,
    ],
    "choices": lambda a, b, c: [torch.where(a > b, a, c), a.clamp(-5, 9), torch.minimum(a, b), a.clamp(min=3)],
    "logic": lambda a, b, c: [
        (a > 3) & ~(b < 2),
        (a == 1) | (b != 1),
        (a >= 2) ^ (b <= 2),
        ~a,
        torch.logical_not(a > 1),
    ],
    "casts": lambda a, b, c: [
        a.to(torch.int8),
        (a > 1).to(torch.int32),
        a.double(),
        (a * 1000).to(torch.int16),
        a.bool(),
    ],
    "constants": lambda a, b, c: [
        torch.ones(ROWS, dtype=torch.bool),
        torch.full((ROWS,), 7),
        torch.zeros_like(a),
        torch.full_like(b, True),
        (c + 1).expand(ROWS),
    ],
    "no finite numbers": lambda a, b, c: [
        torch.full((ROWS,), float("inf"), dtype=torch.float64),
        torch.where(a > b, a.double(), torch.full((ROWS,), float("-inf"), dtype=torch.float64)),
        torch.full((ROWS,), float("nan"), dtype=torch.float32),
        a / 0 < float("inf"),
        b.double() * float("nan"),
    ],
    "truth values": lambda a, b, c: [
        (a > 3) + (b < 2),
        (a > 3) * (b < 2),
        torch.minimum(a > 3, b < 2),
        torch.maximum(a > 3, b < 2),
        torch.where((a > 3) + (b < 2), a, b),
        (a > 3).int() + ((a > 3) + (b < 2)).int(),
    ],
    "look-ups": lambda a, b, c: [
        torch.arange(500).mul(3).index_select(0, b.long() + 200),
        torch.arange(500)[a.long() + 250],
    ],
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_written_row_by_row(name: str) -> None:
    """Each operation, as numbers of a row, gives what torch does."""
    generator = torch.Generator().manual_seed(1)
    a = torch.randint(-120, 120, (ROWS,), generator=generator, dtype=torch.int8).to(torch.int32)
    b = torch.randint(-100, 100, (ROWS,), generator=generator, dtype=torch.int16)
    c = torch.tensor(5, dtype=torch.int64)
    function = FUNCTIONS[name]
    wanted = function(a, b, c)
    rowwise = Rowwise(make_fx(lambda *given: function(*given))(a, b, c), ROWS, 2)
    outputs = [f"out_{place}" for place in range(len(wanted))]
    constants = [f"constant_{place}" for place in range(len(rowwise.constants))]
    lines = ["import numpy as np", f"def loop({', '.join(['column_0', 'column_1', *constants, *outputs])}):"]
    lines += ["    for row in range(column_0.size):"]
    lines += [f"        {one.name} = {one.text}" for one in rowwise.statements]
    lines += [f"        {output}[row] = {result}" for output, result in zip(outputs, rowwise.results, strict=True)]
    loop = generated("\n".join([*lines, ""]))
    found = [torch.zeros_like(one.contiguous()) for one in wanted]
    loop.compile((a.dtype, b.dtype, *rowwise.constants, *[one.dtype for one in found]))
    loop(a.numpy(), b.numpy(), *rowwise.values([c]), *[one.numpy() for one in found])
    for one, other in zip(found, wanted, strict=True):
        torch.testing.assert_close(one, other, equal_nan=True)


@pytest.mark.parametrize(
    "function", [lambda a, b, c: [a.cumsum(0)], lambda a, b, c: [a[:5]], lambda a, b, c: [a.sort().values]]
)
def test_what_is_no_number_a_row_is_refused(function: Any) -> None:
    a, b, c = torch.arange(ROWS), torch.arange(ROWS), torch.tensor(5)
    with pytest.raises(NotTraceable):
        Rowwise(make_fx(lambda *given: function(*given))(a, b, c), ROWS, 2)


def test_no_query_waits_for_a_trace(
    con: tqp.Connection, oracle: duckdb.DuckDBPyConnection, taken: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop, "_MODE", "background")
    tracers: list[str] = []
    made = rowloops._RowLoop.__init__

    def noted(self: rowloops._RowLoop, parts: Any) -> None:
        tracers.append(threading.current_thread().name)
        made(self, parts)

    monkeypatch.setattr(rowloops._RowLoop, "__init__", noted)
    query = "SELECT g, sum(t + 5) FROM t WHERE i < 700 GROUP BY g ORDER BY g"
    check(con, oracle, query, [])
    assert not taken
    for thread in threading.enumerate():
        if thread.name == "tqp-loops":
            thread.join()
    check(con, oracle, query, [])
    assert len(taken) == 1, "once it was asked for, nobody had to ask again"
    assert tracers == ["tqp-loops"]
