"""Predictions must not depend on where PREDICT stands: above or below filters, joins, subqueries and groups."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pyarrow as pa
import pytest

from tests.fuzz.calls import PLAIN
from tests.fuzz.check import Pair
from tests.fuzz.data import RandomTable, tame_table
from tests.fuzz.expressions import TAME, Expressions, Reference
from tests.fuzz.metamorphic import Equal, agree
from tests.fuzz.predictions import FEATURES, feature_rows, fitted_models
from tests.fuzz.report import Report
from tests.limits import limit

__all__ = ["placed"]

_ROUNDS = 2
_KINDS = {"a": "float", "n": "int", "w": "text", "k": "int"}


def placed(seed: int) -> Report:
    """Queries with PREDICT at one place and at another."""
    rng = random.Random(seed)
    gaps = rng.random() < 0.3
    rows = feature_rows(rng, rng.choice((1, 9, 25)), gaps)
    table = RandomTable(
        "p", rows.append_column("k", pa.array([place % 7 for place in range(len(rows))], pa.int32())), _KINDS
    )
    other = tame_table(rng, "r0")
    report = Report()
    with pytest.MonkeyPatch.context() as patch:
        limit(
            patch,
            predict_below=rng.choice((0.0, 1.0)),
            predicted_rows=rng.choice((None, 3)),
            tree_loops=rng.random() < 0.5,
        )
        pair = Pair([table, other], strict=False)
        for place, model in enumerate(fitted_models(rng, gaps)):
            for connection in pair.connections:
                connection.register_model(f"m{place}", model)
        for _ in range(_ROUNDS):
            for each in _laws(rng, table, other):
                agree(report, pair, each, f"placed, seed {seed}")
        pair.close()
    return report


def _laws(rng: random.Random, table: RandomTable, other: RandomTable) -> Iterator[Equal]:
    model = rng.choice(("m0", "m1", "m2"))

    def call(alias: str) -> str:
        return f"PREDICT({model}, {', '.join(f'{alias}.{feature}' for feature in FEATURES)})"

    def condition(*scope: tuple[str, RandomTable]) -> str:
        references = [
            Reference(f"{alias}.{column}", kind) for alias, each in scope for column, kind in each.kinds.items()
        ]
        return Expressions(rng, references, TAME, False).make("bool", 2)

    every = f"(SELECT *, {call('p')} AS y FROM p)"
    kept = f"WITH q AS MATERIALIZED {every}"
    p = condition(("p", table))
    below = f"SELECT p.k, p.y FROM {every} AS p WHERE {p}"
    above = f"SELECT p.k, {call('p')} AS y FROM p WHERE {p}"
    yield Equal("filter", below, (above,))
    yield Equal("subquery", below, (f"SELECT s.k, {call('s')} AS y FROM (SELECT * FROM p WHERE {p}) AS s",))
    yield Equal("with", below, (f"{kept} SELECT p.k, p.y FROM q AS p WHERE {p}",))
    yield Equal("parts", f"SELECT p.k, {call('p')} AS y FROM p",
                tuple(f"SELECT p.k, {call('p')} AS y FROM p WHERE {part}" for part in (f"({p})", f"NOT ({p})", f"({p}) IS NULL")))  # fmt: skip
    on = condition(("p", table), ("r0", other))
    if other.kinds["k"] == "int" and rng.random() < 0.6:
        on = f"p.k = r0.k AND {on}"
    for word in ("JOIN", "LEFT JOIN", "SEMI JOIN", "ANTI JOIN"):
        yield Equal(word.lower(), f"SELECT p.k, p.y FROM {every} AS p {word} r0 ON {on}",
                    (f"SELECT p.k, {call('p')} AS y FROM p {word} r0 ON {on}",))  # fmt: skip
    # What the prediction says decides: in WHERE, where only some rows are asked about, and read from what is kept.
    chosen = f"(SELECT min(y) FROM {every} WHERE k = {rng.randrange(7)})"
    yield Equal("sought", f"{kept} SELECT p.k, p.y FROM q AS p WHERE p.y IS NOT DISTINCT FROM {chosen} AND {p}",
                (f"SELECT p.k, {call('p')} AS y FROM p WHERE {call('p')} IS NOT DISTINCT FROM {chosen} AND {p}",))  # fmt: skip
    value = Expressions(rng, [Reference(f"p.{column}", kind) for column, kind in table.kinds.items()], TAME, False)
    least = value.make(rng.choice([kind for kind in PLAIN if kind in ("int", "text", "date")]), 1)
    yield Equal("groups", f"{kept} SELECT p.y, count(*) AS n, min({least}) AS m FROM q AS p WHERE {p} GROUP BY p.y",
                (f"SELECT {call('p')} AS y, count(*) AS n, min({least}) AS m FROM p WHERE {p} GROUP BY 1",))  # fmt: skip
    yield Equal("aggregate", f"SELECT p.k, min(p.y) AS y, count(p.y) AS n FROM {every} AS p GROUP BY p.k",
                (f"SELECT p.k, min({call('p')}) AS y, count({call('p')}) AS n FROM p GROUP BY p.k",))  # fmt: skip
    # A group of equal rows has the prediction of each.
    grouped = f"(SELECT {', '.join(FEATURES)} FROM p GROUP BY {', '.join(FEATURES)})"
    yield Equal("distinct", f"SELECT DISTINCT {', '.join(FEATURES)}, y FROM {every}",
                (f"SELECT {', '.join(FEATURES)}, {call('g')} FROM {grouped} AS g",))  # fmt: skip
    yield Equal("first rows", f"SELECT y FROM {every} ORDER BY ALL LIMIT 3",
                (f"SELECT y FROM (SELECT y, row_number() OVER (ORDER BY y) AS place FROM (SELECT {call('p')} AS y FROM p)) WHERE place <= 3",))  # fmt: skip
