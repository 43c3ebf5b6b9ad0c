"""Joins end to end where keys are several, NULL, of another dictionary, or wide: as DuckDB has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

import hypothesis
import numpy as np
import pyarrow as pa
import pytest
import torch
from hypothesis import strategies as st
from torch import Tensor

from tests.engines import Engines
from tests.limits import limit
from tqp.config import Settings
from tqp.data.column import Column
from tqp.ir.expr import ColumnRef
from tqp.ir.plan import JoinKind
from tqp.kernels.partners import matches
from tqp.limits import CPU
from tqp.operators import probe
from tqp.operators.batch import Batch
from tqp.operators.layouts import Layouts
from tqp.operators.membership import Members, MembershipStage, MembersSink
from tqp.operators.operator import Run
from tqp.operators.results import Slot
from tqp.types import BIGINT

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
@pytest.mark.parametrize("keys", ["a", "s", "a b"])
def test_few_keys_of_a_table(tables: Engines, monkeypatch: pytest.MonkeyPatch, kind: str, keys: str) -> None:
    """A byte says first which keys there are."""
    limit(monkeypatch, sparse_slots=0)
    condition = " AND ".join(f"l.{key} = r.{key}" for key in keys.split())
    shown = "n" if kind in ("SEMI JOIN", "ANTI JOIN") else "n, m, l.s, r.b"
    tables(f"SELECT {shown} FROM l {kind} (FROM r WHERE m % 17 < 3) r ON {condition} AND n <> m ORDER BY ALL")


@pytest.mark.parametrize("share", [0.0, 0.3, 2.0**62])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("keys", ["a", "s", "a b", "a b s"])
def test_a_build_side_is_cut_down(
    tables: Engines, monkeypatch: pytest.MonkeyPatch, kind: str, keys: str, share: float
) -> None:
    """By what the other side asks for: never, until much of it is, or always."""
    limit(monkeypatch, reduced_rows=0, reduced_share=share, smallest_batch=32, batch_rows=64)
    condition = " AND ".join(f"l.{key} = r.{key}" for key in keys.split())
    shown = "n" if kind in ("SEMI JOIN", "ANTI JOIN") else "n, m, l.s, r.b"
    tables(f"SELECT {shown} FROM (FROM l WHERE n % 9 < 2) l {kind} r ON {condition} AND n <> m ORDER BY ALL")
    tables(f"SELECT n, (SELECT max(m) FROM r WHERE {condition}) FROM l WHERE n < 30 ORDER BY ALL")
    tables(f"SELECT n, (SELECT m FROM r WHERE {condition} AND m = n) FROM l WHERE n < 50 ORDER BY ALL")


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


@pytest.mark.parametrize("operands", ["a", "b", "s", "a * 1.5", "(a, b)", "(s, a, b)"])
@pytest.mark.parametrize(
    "condition", ["true", "m < 0", "a IS NULL", "a IS NOT NULL AND b IS NOT NULL AND s IS NOT NULL"]
)
def test_membership_as_a_value(tables: Engines, operands: str, condition: str) -> None:
    """TRUE, FALSE or NULL for each row: NULL where some key is, and none is the row's."""
    inner = operands.strip("()")
    tables(f"SELECT n, {operands} IN (SELECT {inner} FROM r WHERE {condition}) AS x FROM l ORDER BY n")
    tables(
        f"SELECT n, {operands} NOT IN (SELECT {inner} FROM r WHERE {condition} UNION ALL FROM (SELECT {inner} FROM r)) FROM l ORDER BY n"
    )
    tables(f"SELECT n FROM l WHERE {operands} NOT IN (SELECT {inner} FROM r WHERE {condition}) ORDER BY n")


VALUES = st.none() | st.integers(-4, 4) | st.sampled_from([2**62, -(2**62), 2**33])


@pytest.mark.parametrize("workers", [1, 3])
@hypothesis.given(
    left=st.lists(st.tuples(VALUES, VALUES), max_size=30),
    batches=st.lists(st.lists(st.tuples(VALUES, VALUES), max_size=20), max_size=4),
    kind=st.sampled_from(["semi", "anti", "mark", "not in"]),
    several=st.booleans(),
    table=st.sampled_from(
        [{}, {"bitmap_rows": 0, "bitmap_slots": 1}, {"small_table": 16, "lookup_slots": 0}, {"pairs": 7}]
    ),
)
def test_membership_against_brute_force(
    workers: int,
    left: list[tuple[int | None, int | None]],
    batches: list[list[tuple[int | None, int | None]]],
    kind: Literal["semi", "anti", "mark", "not in"],
    several: bool,
    table: dict[str, int],
) -> None:
    """Every form of the keys, of batches that several workers saw, gives what comparing each pair of rows gives."""
    several = several and kind in ("semi", "anti")
    run = Run(Settings(), replace(CPU, **table))
    keys = tuple(ColumnRef(name, BIGINT) for name in ("x", "y")[: 1 + several])
    whole = columns([row for rows in batches for row in rows])
    sink = MembersSink(keys).prepare(run, Layouts(run.evaluator, lambda layouts: layouts.join(whole)))
    locals = [sink.local() for _ in range(workers)]
    for index, rows in enumerate(batches):
        if rows:
            parts = {name: replace(column, bounds=whole[name].bounds) for name, column in columns(rows, whole).items()}
            sink.consume(locals[index % workers], Batch.of(parts, len(rows), index))
    slot = Slot[Members](0)
    run.keep(slot, sink.finish(locals))
    stage_kind: JoinKind = "anti" if kind == "not in" else kind
    stage = MembershipStage(stage_kind, slot, keys, "m" if kind == "mark" else None, kind == "not in").prepare(run)
    found: list[object] = []
    if left:
        numbered = {**columns(left), "n": Column(torch.arange(len(left)), BIGINT)}
        for batch in stage(Batch.of(numbered, len(left))):
            found = batch.column("m" if kind == "mark" else "n").expand(batch.rows).data.tolist()
            valid = batch.column("m").valid if kind == "mark" else None
            found = (
                found
                if valid is None
                else [value if there else None for value, there in zip(found, valid, strict=True)]
            )
    members = [row[: 1 + several] for rows in batches for row in rows]
    verdicts = [verdict(row[: 1 + several], members) for row in left]
    if kind == "mark":
        assert found == verdicts
    else:
        wanted = {"semi": [True], "anti": [False, None], "not in": [False]}[kind]
        assert found == [place for place, one in enumerate(verdicts) if one in wanted]


def verdict(row: tuple[int | None, ...], members: list[tuple[int | None, ...]]) -> bool | None:
    """Whether the row is IN the members, as SQL compares row by row."""
    compared = [
        None if None in pairs and False not in pairs else False not in pairs
        for pairs in (
            [None if a is None or b is None else a == b for a, b in zip(row, one, strict=True)] for one in members
        )
    ]
    return True if True in compared else None if None in compared else False


def columns(rows: list[tuple[int | None, int | None]], like: Mapping[str, Column] | None = None) -> dict[str, Column]:
    """Columns x and y of the rows, with their bounds; with NULLs where those of `like` have them."""
    found = {}
    for place, name in enumerate(("x", "y")):
        values = [row[place] for row in rows]
        there = [value for value in values if value is not None]
        valid = torch.tensor([value is not None for value in values])
        data = torch.tensor([value or 0 for value in values], dtype=torch.int64)
        bounds = (min(there), max(there)) if there else None
        is_nullable = not bool(valid.all()) if like is None else like[name].valid is not None
        found[name] = Column(data, BIGINT, valid if is_nullable else None, None, bounds)
    return found


@pytest.mark.parametrize(
    "condition", ["a.x = b.x AND a.y = b.y AND a.z = b.z", "a.f = b.f AND a.y = b.y", "a.g = b.g AND a.y = b.y"]
)
@pytest.mark.parametrize("kind", ["JOIN", "LEFT JOIN", "FULL JOIN", "SEMI JOIN", "ANTI JOIN"])
def test_several_keys_of_wide_ranges(both: Engines, kind: str, condition: str) -> None:
    """Hashed and compared, or packed as none of them tells rows apart: in each kind of join, with NULLs and equal keys."""
    rng = np.random.default_rng(5)

    def side(rows: int) -> pa.Table:
        wide = [rng.integers(0, 12, rows) * 2**57 - 2**60 for _ in range(3)]
        return pa.table({
            **{name: pa.array(values, mask=rng.random(rows) < 0.05) for name, values in zip("xyz", wide, strict=True)},
            "f": wide[0] / 3, "g": rng.integers(0, 3, rows), "id": np.arange(rows),
        })  # fmt: skip

    both.register("a", side(700))
    both.register("b", side(900))
    columns = "a.id AS i" if kind in ("SEMI JOIN", "ANTI JOIN") else "a.id AS i, b.id AS j"
    both(f"SELECT {columns} FROM a {kind} b ON {condition} ORDER BY ALL")
    both("SELECT id, EXISTS (SELECT 1 FROM b WHERE a.x = b.x AND a.y = b.y AND a.z = b.z) AS e FROM a ORDER BY id")


@pytest.mark.parametrize("ids", [[10, 20, 30], [10, 10, 20]], ids=["unique", "repeated"])
def test_null_is_in_no_index(ids: list[int]) -> None:
    engines = Engines({"t": pa.table({"id": pa.array(ids, pa.int64()), "w": ["a", "b", "c"]})})
    rows = "(SELECT NULL::BIGINT AS x UNION ALL SELECT 10 UNION ALL SELECT 15)"
    for below in ("SELECT id FROM t", "SELECT id FROM t WHERE w < 'c'", "SELECT id FROM t WHERE w > 'c'"):
        engines(f"SELECT x, x IN ({below}) AS a, x NOT IN ({below}) AS b FROM {rows}")
        engines(f"SELECT x FROM {rows} WHERE x NOT IN ({below})")
        engines(f"SELECT x IN ({below}) AS a FROM (SELECT NULL AS x)")
    engines.close()


@pytest.mark.parametrize("pairs", [0, 10**6])
def test_many_pairs_come_in_pieces(tables: Engines, monkeypatch: pytest.MonkeyPatch, pairs: int) -> None:
    """All that match are found at once where few have the same key, else a bounded number is looked at after the other."""
    found = []

    def noted(*args: Any) -> tuple[Tensor, Tensor] | None:
        found.append(matches(*args))
        return found[-1]

    limit(monkeypatch, pairs=max(pairs, 50))
    monkeypatch.setattr(probe, "matches", noted)
    tables("SELECT n, m FROM l JOIN r ON l.a = r.a AND l.b = r.b WHERE n % 3 <> m % 3 ORDER BY ALL")
    assert found and all((one is None) == (pairs == 0) for one in found)
    tables("SELECT n FROM l SEMI JOIN r ON l.a = r.a AND l.b = r.b ORDER BY ALL")
