"""Joins end to end where keys are several, NULL, of another dictionary, or wide: as DuckDB has them."""

from __future__ import annotations

import pyarrow as pa
import pytest

from tests.engines import Engines

KINDS = ["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "SEMI JOIN", "ANTI JOIN"]


@pytest.fixture
def tables(both: Engines) -> Engines:
    """`l` and `r` share key columns: small `a`, far apart `b`, text `s` of other dictionaries; all with NULLs and repeats."""
    left, right = range(600), range(300)
    both.register("l", pa.table({
        "n": list(left),
        "a": [None if n % 11 == 0 else n % 40 for n in left],
        "b": [None if n % 13 == 0 else (n % 17) * 2**40 for n in left],
        "s": [None if n % 7 == 0 else f"k{n % 23}" for n in left],
    }))  # fmt: skip
    both.register("r", pa.table({
        "m": list(right),
        "a": [None if n % 5 == 0 else n % 50 - 5 for n in right],
        "b": [None if n % 9 == 0 else (n % 19) * 2**40 for n in right],
        "s": [None if n % 8 == 0 else f"k{29 - n % 29}" for n in right],
    }))  # fmt: skip
    return both


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("keys", ["a", "b", "s", "a b", "b s", "a b s"])
def test_keys(tables: Engines, kind: str, keys: str) -> None:
    condition = " AND ".join(f"l.{key} = r.{key}" for key in keys.split())
    shown = "n" if kind in ("SEMI JOIN", "ANTI JOIN") else "n, m, l.s, r.b"
    tables(f"SELECT {shown} FROM l {kind} r ON {condition} ORDER BY ALL")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("keys", ["a", "a b", "b s", "b c"])
def test_an_empty_side(tables: Engines, kind: str, keys: str) -> None:
    condition = " AND ".join(f"x.{key} = y.{key}" for key in keys.split())
    shown = "x.n" if kind in ("SEMI JOIN", "ANTI JOIN") else "x.n, y.m"
    left, right = "(SELECT *, n * b AS c FROM l)", "(SELECT *, m * b AS c FROM r)"
    tables(f"SELECT {shown} FROM {left} x {kind} (FROM {right} WHERE m < 0) y ON {condition} ORDER BY ALL")
    tables(f"SELECT {shown} FROM {left} x {kind} (FROM {right} WHERE a IS NULL) y ON {condition} ORDER BY ALL")
    tables(f"SELECT {shown} FROM (FROM {left} WHERE n < 0) x {kind} {right} y ON {condition} ORDER BY ALL")


@pytest.mark.parametrize("kind", KINDS[:2])
def test_residual(tables: Engines, kind: str) -> None:
    tables(f"SELECT n, m FROM l {kind} r ON l.a = r.a AND l.n + r.m > 300 ORDER BY ALL")


@pytest.mark.parametrize("negation", ["", "NOT"])
@pytest.mark.parametrize("operands", ["a", "s", "(a, b)"])
def test_in(tables: Engines, negation: str, operands: str) -> None:
    inner = operands.strip("()")
    tables(f"SELECT n FROM l WHERE {operands} {negation} IN (SELECT {inner} FROM r WHERE m < 20) ORDER BY n")
    tables(f"SELECT n FROM l WHERE {operands} {negation} IN (SELECT {inner} FROM r WHERE m < 0) ORDER BY n")
