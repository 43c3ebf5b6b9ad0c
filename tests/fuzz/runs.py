"""What one seed stands for: tables, queries over them, and how they went.

`python -m tests.fuzz.runs shapes 0 500` runs the seeds 0..499 and prints each disagreement, made as small as it goes.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import duckdb

from tests.fuzz.check import Disagreement, Outcome, Pair
from tests.fuzz.data import odd_table, tame_table
from tests.fuzz.expressions import TEMPLATES, Expressions, Reference
from tests.fuzz.queries import Queries
from tests.fuzz.shrink import shrink
from tqp.functions.registry import find, names

EXPRESSIONS_PER_SEED = 12
QUERIES_PER_SEED = 12


@dataclass
class Report:
    """Outcomes, and the disagreements as text."""

    outcomes: Counter[Outcome] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    def add(self, other: Report) -> None:
        self.outcomes += other.outcomes
        self.failures += other.failures


def shapes(seed: int) -> Report:
    """Queries of random shape over tame values, under all settings."""
    rng = random.Random(seed)
    tables = [tame_table(rng, f"r{number}") for number in range(3)]
    made = Queries(rng, tables)
    pair = Pair(tables, strict=False)
    report = Report()
    for _ in range(QUERIES_PER_SEED):
        _judge(report, pair, made.query(), f"shapes, seed {seed}")
    pair.close()
    return report


def values(seed: int) -> Report:
    """Expressions over values at the edges of their types: as a column, then row by row where one row is refused."""
    rng = random.Random(seed)
    table = odd_table(rng)
    pair = Pair([table], strict=True)
    scope = [Reference(column, kind) for column, kind in table.kinds.items()]
    templates = [template for group in every_template().values() for template in group]
    maker = Expressions(rng, scope, templates, True)
    report = Report()
    for name in rng.sample(sorted(every_template()), EXPRESSIONS_PER_SEED):
        kind, text = rng.choice(every_template()[name]).split(": ", 1)
        expression = maker.fill(text, None if kind == "=" else kind, rng.choice((1, 1, 1, 2, 3)))
        where = f"values, seed {seed}, {name}"
        if rng.random() < 0.2 and kind == "bool":
            _judge(report, pair, f"SELECT id FROM t WHERE {expression}", where, ("batches of 2",))
            continue
        if kind == "interval":
            expression = f"CAST({expression} AS VARCHAR)"
        outcome = _judge(report, pair, f"SELECT id, {expression} AS x FROM t", where, ("batches of 2",))
        if outcome is Outcome.REFUSED:
            # A row that is an error in one may be NULL in the other; others must agree.
            for row in range(table.data.num_rows):
                if _judge(report, pair, f"SELECT id, {expression} AS x FROM t WHERE id = {row}", where, ()) is None:
                    break
    pair.close()
    return report


KINDS_OF_RUN = {"shapes": shapes, "values": values}


def _judge(report: Report, pair: Pair, sql: str, where: str, settings: tuple[str, ...] | None = None) -> Outcome | None:
    try:
        outcome = pair.check(sql, settings)
    except Disagreement as found:
        report.failures.append(f"{where}: {shrink(sql, str(found), lambda text: _failure(pair, text, settings))}")
        return None
    report.outcomes[outcome] += 1
    return outcome


def _failure(pair: Pair, sql: str, settings: tuple[str, ...] | None) -> str | None:
    try:
        pair.check(sql, settings)
    except Disagreement as found:
        return str(found)
    return None


def functions() -> tuple[str, ...]:
    """All registered functions but those of arrays, whose elements may not be NULL; they have tests of their own."""
    return tuple(name for name in names() if find(name).kernel.__module__ != "tqp.functions.arrays")


def every_template() -> dict[str, tuple[str, ...]]:
    """Templates by name: those written down, and for all other registered functions plain calls as DuckDB types them."""
    if not _ALL:
        _ALL.update(TEMPLATES)
        for name in functions():
            if name not in _ALL:
                _ALL[name] = tuple(_plain_calls(name)) or (f"int: {name}({{any}})",)
    return _ALL


_ALL: dict[str, tuple[str, ...]] = {}
_KIND_OF = {
    "TINYINT": "int", "SMALLINT": "int", "INTEGER": "int", "BIGINT": "int", "HUGEINT": "int", "UTINYINT": "int", "USMALLINT": "int",
    "UINTEGER": "int", "UBIGINT": "int", "FLOAT": "float", "DOUBLE": "num", "DECIMAL": "dec", "VARCHAR": "text", "DATE": "date",
    "TIMESTAMP": "ts", "TIME": "time", "INTERVAL": "interval", "BOOLEAN": "bool", "ANY": "any",
}  # fmt: skip


def _plain_calls(name: str) -> Iterator[str]:
    rows = duckdb.execute(
        "SELECT DISTINCT parameter_types, return_type FROM duckdb_functions() WHERE function_type = 'scalar' AND function_name = ?",
        [name],
    ).fetchall()
    seen = set()
    for parameters, result in sorted(rows, key=str):
        # Most parts of an INTERVAL are an error in DuckDB, but only where the value is not NULL.
        if all(kind in _KIND_OF and kind != "INTERVAL" for kind in (*parameters, result)):
            holes = ", ".join(f"{{{_KIND_OF[kind]}}}" for kind in parameters)
            kind = _KIND_OF[result].replace("num", "float").replace("any", "=")
            seen.add(f"{kind}: {name}({holes})")
    yield from sorted(seen)


if __name__ == "__main__":
    run, first, last = KINDS_OF_RUN[sys.argv[1]], int(sys.argv[2]), int(sys.argv[3])
    total = Report()
    for seed in range(first, last):
        part = run(seed)
        total.add(part)
        for failure in part.failures:
            print(failure, "\n", flush=True)
    print({outcome.value: count for outcome, count in total.outcomes.items()}, len(total.failures), "disagreements")
