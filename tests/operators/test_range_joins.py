"""Joins by ranges: rows are sorted by what is compared, or all pairs are; as DuckDB has them."""

from __future__ import annotations

from collections.abc import Sequence

import hypothesis
import pyarrow as pa
import pytest
import torch
from hypothesis import strategies as st

from tests.engines import Engines
from tests.limits import limit
from tqp.kernels.bands import ranges, sorted_bands

TYPES = {
    "TINYINT": ["-128", "-1", "0", "1", "2", "3", "127"],
    "BIGINT": ["-9223372036854775808", "-1", "0", "1", "2", "9223372036854775807"],
    "UBIGINT": ["0", "1", "2", "9223372036854775807", "9223372036854775808", "18446744073709551615"],
    "DOUBLE": ["-inf", "-0.0", "0.0", "0.5", "1.5", "inf", "nan"],
    "DECIMAL(9, 2)": ["-1.25", "0.00", "0.01", "0.02", "9.75"],
    "DECIMAL(30, 2)": ["-1.25", "0.00", "12345678901234567890.02", "9.75"],
    "DATE": ["1969-12-31", "1970-01-01", "1970-01-02", "2020-02-29"],
    "VARCHAR": ["a", "b", "c", ""],
}
CONDITIONS = [
    "l.x BETWEEN r.a AND r.b",
    "r.a BETWEEN l.x AND l.y",
    "r.a > l.x AND r.a < l.y AND l.n <> r.m",
    "l.x < r.a",
    "l.x >= r.b AND r.a >= l.y",
    "r.a <= l.x AND r.a <= l.y AND r.b > l.x",
]
KINDS = ["JOIN", "LEFT JOIN", "FULL JOIN", "SEMI JOIN", "ANTI JOIN"]

Rows = list[tuple[str, str]]


@st.composite
def _sides(draw: st.DrawFn) -> tuple[str, Rows, Rows]:
    kind = draw(st.sampled_from(sorted(TYPES)))
    value = st.sampled_from([f"'{one}'::{kind}" for one in TYPES[kind]] + [f"NULL::{kind}"])
    rows = st.lists(st.tuples(value, value), max_size=12)
    return kind, draw(rows), draw(rows)


def _table(names: str, kind: str, rows: Rows) -> str:
    number, one, other = names
    listed = ", ".join(f"({place}, {a}, {b})" for place, (a, b) in enumerate(rows)) or "(0, NULL, NULL)"
    kept = "" if rows else " WHERE false"
    return f"(SELECT {number}, {one}::{kind} AS {one}, {other}::{kind} AS {other} FROM (VALUES {listed}) AS v({number}, {one}, {other}){kept})"


@pytest.mark.parametrize("banded_rows", [0, 2**62])
@pytest.mark.parametrize("join", KINDS)
def test_any_values(both: Engines, monkeypatch: pytest.MonkeyPatch, join: str, banded_rows: int) -> None:
    limit(monkeypatch, banded_rows=banded_rows)

    @hypothesis.settings(deadline=None, max_examples=20)
    @hypothesis.given(_sides(), st.sampled_from(CONDITIONS))
    def check(sides: tuple[str, Rows, Rows], condition: str) -> None:
        kind, left, right = sides
        shown = "l.n, l.x" if join in ("SEMI JOIN", "ANTI JOIN") else "l.n, l.x, r.m, r.b"
        made = f"WITH l AS MATERIALIZED {_table('nxy', kind, left)}, r AS MATERIALIZED {_table('mab', kind, right)}"
        both(f"{made} SELECT {shown} FROM l {join} r ON {condition} ORDER BY ALL")

    check()


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("banded_rows", [0, 2**62])
def test_many_rows(monkeypatch: pytest.MonkeyPatch, banded_rows: int, threads: int) -> None:
    """More pairs than are looked at at once, in batches of several workers."""
    limit(monkeypatch, banded_rows=banded_rows, pairs=1000, smallest_batch=512, batch_rows=1024)
    engines = Engines(threads=threads)
    engines.register("l", pa.table({"n": range(5000), "x": [n * 7919 % 1000 for n in range(5000)]}))
    engines.register("r", pa.table({"m": range(60), "a": [n * 31 % 997 for n in range(60)]}))
    engines("SELECT count(*), sum(n * m) FROM l JOIN r ON x BETWEEN a AND a + 9")
    engines("SELECT count(*), sum(n), sum(m) FROM l LEFT JOIN r ON x BETWEEN a - m AND a + m AND n % 3 = m % 3")
    engines("SELECT count(*), sum(n) FROM l WHERE EXISTS (SELECT 1 FROM r WHERE a >= x AND a < x + 5)")
    engines("SELECT count(*), sum(n) FROM l WHERE NOT EXISTS (SELECT 1 FROM r WHERE a >= x AND a < x + 5 AND m <> n)")
    engines("SELECT count(*), sum(n) FROM l WHERE x > ALL (SELECT a - 900 FROM r) OR x < ANY (SELECT m FROM r)")
    engines.close()


NUMBERS = st.integers(-4, 4)


@hypothesis.settings(deadline=None)
@hypothesis.given(
    st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS), max_size=15),
    st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS), max_size=5),
    st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=3),
)
def test_ranges_hold_all_that_match(
    build: Sequence[tuple[int, ...]], probe: Sequence[tuple[int, ...]], comparisons: list[tuple[bool, bool]]
) -> None:
    """The places of a range are all rows that match, and no other where the bands are exact."""
    bands = len(comparisons)
    values = [torch.tensor([row[band] for row in build], dtype=torch.int64) for band in range(bands)]
    keys = [torch.tensor([row[band] for row in probe], dtype=torch.int32) for band in range(bands)]
    there = sorted_bands(values, [is_least for is_least, _ in comparisons])
    starts, counts = ranges(there, keys, comparisons, None)
    for row, start, count in zip(probe, starts.tolist(), counts.tolist(), strict=True):
        found = set(there.order[start : start + count].tolist())
        wanted = {
            place
            for place, one in enumerate(build)
            if all(
                (one[band] > row[band]) is is_least and one[band] != row[band] or is_closed and one[band] == row[band]
                for band, (is_least, is_closed) in enumerate(comparisons)
            )
        }
        assert found == wanted if there.is_exact else found >= wanted
