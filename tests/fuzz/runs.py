"""What one seed stands for: tables, queries over them, and how they went.

`make fuzz` runs as many seeds as it has time for; see `tests/fuzz/__main__.py`.
"""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import pyarrow.parquet as pq

from tests.fuzz.check import Outcome, Pair
from tests.fuzz.columns import Columns
from tests.fuzz.constants import other_constants
from tests.fuzz.crowd import crowd
from tests.fuzz.data import odd_table, refilled, storable, tame_table
from tests.fuzz.expressions import Expressions, Reference
from tests.fuzz.queries import Queries
from tests.fuzz.report import Report, judge
from tests.fuzz.templates import every_template

EXPRESSIONS_PER_SEED = 12
QUERIES_PER_SEED = 12
_FOLDED = ("int", "float", "dec", "text", "date", "ts", "bool")


def shapes(seed: int, kind: str = "shapes") -> Report:
    """Queries of random shape over tame values, under all settings: tables, views, `self`, parameters."""
    rng = random.Random(seed)
    tables = [tame_table(rng, f"r{number}", enums=True) for number in range(3)]
    made = Queries(rng, tables)
    pair = Pair(tables, strict=False)
    report = Report()
    for number in range(rng.choice((0, 1, 1, 2))):
        text, view = made.relation(f"v{number}")
        if pair.view(view.name, text):
            made.tables.append(view)
    for _ in range(QUERIES_PER_SEED):
        where = f"{kind}, seed {seed}"
        if rng.random() < 0.12:
            before, own = made.relation("self")
            made.tables.append(own)
            judge(report, pair, made.query(), where, before=before)
            made.tables.pop()
            continue
        made.given = {} if rng.random() < 0.25 else None
        judge(report, pair, made.query(), where, params=made.given)
        made.given = None
    pair.close()
    return report


def columns(seed: int, kind: str = "columns") -> Report:
    """Every operator on columns that are empty, all NULL, constant, or at the ends of their types."""
    made = Columns(random.Random(seed))
    pair = Pair(made.tables, strict=False)
    report = Report()
    for _ in range(QUERIES_PER_SEED):
        judge(report, pair, made.query(), f"{kind}, seed {seed}")
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
            judge(report, pair, f"SELECT id FROM t WHERE {expression}", where, ("batches of 2",))
            continue
        if kind == "interval":
            expression = f"CAST({expression} AS VARCHAR)"
        outcome = judge(report, pair, f"SELECT id, {expression} AS x FROM t", where, ("batches of 2",))
        if outcome is Outcome.REFUSED:
            # A row that is an error in one may be NULL in the other; others must agree. Each is a table of its own, as
            # DuckDB also computes what a condition left out, for columns that it holds by a dictionary.
            for row in range(table.data.num_rows):
                pair.register("row", table.data.slice(row, 1))
                if judge(report, pair, f"SELECT id, {expression} AS x FROM row AS t", where, ()) is None:
                    break
    pair.close()
    return report


def sources(seed: int) -> Report:
    """The same queries again and again, while tables are registered anew and Parquet files are overwritten."""
    rng = random.Random(seed)
    tables = [storable(tame_table(rng, f"r{number}")) for number in range(3)]
    made = Queries(rng, tables)
    queries = [made.query() for _ in range(QUERIES_PER_SEED // 3)]
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        pair = Pair(tables, strict=False)
        file = Path(folder) / "r2.parquet"
        for step in range(3):
            for place, table in enumerate(tables):
                if step and rng.random() < 0.5:
                    tables[place] = refilled(rng, table)
                    pair.register(table.name, tables[place].data)
            pq.write_table(tables[2].data, file)
            for connection in pair.connections[::2]:
                connection.register("r2", file)
            for sql in queries:
                judge(report, pair, sql, f"sources, seed {seed}, step {step}")
        pair.close()
    return report


def threads(seed: int) -> Report:
    """The queries of a seed by several threads on one connection; each has the answer that it has alone."""
    rng = random.Random(seed)
    tables = [tame_table(rng, f"r{number}") for number in range(3)]
    made = Queries(rng, tables)
    pair = Pair(tables, strict=False)
    report = Report()
    queries = [made.query() for _ in range(QUERIES_PER_SEED)]
    steady = [sql for sql in queries if judge(report, pair, sql, f"threads, seed {seed}", ()) is Outcome.SAME]
    for text in crowd(pair, tables, steady, rng):
        report.failed(Outcome.WRONG, f"threads, seed {seed}: {text}")
    pair.close()
    return report


def constants(seed: int) -> Report:
    """Each query with one set of constants after another on the same connections, as reports are asked for again."""
    rng = random.Random(seed)
    tables = [tame_table(rng, f"r{number}") for number in range(3)]
    pair = Pair([*tables, odd := odd_table(rng)], strict=False)
    made = Queries(rng, tables)
    templates = [template for group in every_template().values() for template in group]
    maker = Expressions(rng, [Reference(column, kind) for column, kind in odd.kinds.items()], templates, True)
    report = Report()
    for place in range(QUERIES_PER_SEED // 3):
        # Literals alone in every other expression, as what folds them has to do it again.
        sql = (
            made.query()
            if place % 2
            else f"SELECT id, {maker.make(rng.choice(_FOLDED), rng.choice((1, 2, 2, 3)))} AS x FROM {odd.name}"
        )
        if judge(report, pair, sql, f"constants, seed {seed}") is not Outcome.SAME:
            continue
        for _ in range(3):
            sql = other_constants(sql, rng)
            judge(report, pair, sql, f"constants, seed {seed}")
    pair.close()
    return report
