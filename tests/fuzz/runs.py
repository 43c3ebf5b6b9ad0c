"""What one seed stands for: tables, queries over them, and how they went.

`make fuzz` runs as many seeds as it has time for; see `tests/fuzz/__main__.py`.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator
from math import inf
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest
import torch

from tests.fuzz.aggregations import aggregations
from tests.fuzz.check import Outcome, Pair
from tests.fuzz.columns import Columns
from tests.fuzz.constants import other_constants
from tests.fuzz.crowd import crowd
from tests.fuzz.data import RandomTable, odd_table, ordered, refilled, tame_table
from tests.fuzz.expressions import TEMPLATES, Expressions, Reference
from tests.fuzz.groups import groups
from tests.fuzz.predictions import predicted
from tests.fuzz.queries import Queries
from tests.fuzz.report import Report, judge
from tests.limits import limit
from tqp.functions.registry import find, names
from tqp.kernels.loops import loop
from tqp.kernels.loops.loop import mode
from tqp.optimizer.rules import common_joins, distinct_sets
from tqp.runtime import rowloops

EXPRESSIONS_PER_SEED = 12
QUERIES_PER_SEED = 12
COMPILED_PER_SEED = 3
_COMPILED_ROWS = 3
_LOOPED_ROWS = 13
"""Of tables so small the compiled backend takes all rows but one or two."""
_FOLDED = ("int", "float", "dec", "text", "date", "ts", "bool")


def shapes(seed: int, kind: str = "shapes") -> Report:
    """Queries of random shape over tame values, under all settings: tables, views, `self`, parameters."""
    rng = random.Random(seed)
    tables = [tame_table(rng, f"r{number}") for number in range(3)]
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


def blocks(seed: int) -> Report:
    """Queries of random shape over tables of which blocks of two rows may be left out, as their rows are in an order."""
    rng = random.Random(seed)
    tables = [ordered(rng, tame_table(rng, f"r{number}")) for number in range(3)]
    made = Queries(rng, tables)
    report = Report()
    with pytest.MonkeyPatch.context() as patch:
        limit(patch, zone_rows=2, zoned_rows=3, gap_rows=rng.choice((1, 3)))
        pair = Pair(tables, strict=False)
        for _ in range(QUERIES_PER_SEED):
            judge(report, pair, made.query(), f"blocks, seed {seed}")
        pair.close()
    return report


def columns(seed: int) -> Report:
    """Every operator on columns that are empty, all NULL, constant, or at the ends of their types."""
    made = Columns(random.Random(seed))
    pair = Pair(made.tables, strict=False)
    report = Report()
    for _ in range(QUERIES_PER_SEED):
        judge(report, pair, made.query(), f"columns, seed {seed}")
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
            # A row that is an error in one may be NULL in the other; others must agree.
            for row in range(table.data.num_rows):
                if judge(report, pair, f"SELECT id, {expression} AS x FROM t WHERE id = {row}", where, ()) is None:
                    break
    pair.close()
    return report


def sources(seed: int) -> Report:
    """The same queries again and again, while tables are registered anew and Parquet files are overwritten."""
    rng = random.Random(seed)
    tables = [tame_table(rng, f"r{number}") for number in range(3)]
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
        sql = made.query() if place % 2 else f"SELECT id, {maker.make(rng.choice(_FOLDED), 3)} AS x FROM {odd.name}"
        if judge(report, pair, sql, f"constants, seed {seed}") is not Outcome.SAME:
            continue
        for _ in range(3):
            sql = other_constants(sql, rng)
            judge(report, pair, sql, f"constants, seed {seed}")
    pair.close()
    return report


def compiled(seed: int) -> Report:
    """Queries under the compiled backend, which takes seconds for each."""
    rng = random.Random(seed)
    tables = [tame_table(rng, "r0"), _filled_table(rng, "r1")]
    made = Queries(rng, tables)
    report = Report()
    with pytest.MonkeyPatch.context() as patch:
        limit(patch, summed_rows=_COMPILED_ROWS)
        pair = Pair(tables, strict=False, compiled=True)
        for sql in (made.query(), *aggregations(rng, tables[1], COMPILED_PER_SEED - 1)):
            judge(report, pair, sql, f"compiled, seed {seed}")
        pair.close()
    return report


def traced(seed: int) -> Report:
    """What is compiled, with one set of constants after another; it runs as it is traced, which takes no seconds."""
    rng = random.Random(seed)
    table = _filled_table(rng, "r0")
    report = Report()
    with pytest.MonkeyPatch.context() as patch:
        limit(patch, summed_rows=_COMPILED_ROWS)
        patch.setattr(torch, "compile", lambda function, **options: function)
        pair = Pair([table], strict=False, compiled=True)
        for _ in range(QUERIES_PER_SEED // 3):
            for sql in aggregations(rng, table, 5):
                judge(report, pair, sql, f"traced, seed {seed}")
        pair.close()
    return report


def divided(seed: int) -> Report:
    """Groups whose rows are divided as records, and pairs of groups and DISTINCT values, whatever their number; grouping sets that
    are grouped apart, and made one after the other; conditions on texts that look entries up."""
    rng = random.Random(seed)
    tables = [tame_table(rng, "r0"), _filled_table(rng, "r1")]
    made = Queries(rng, tables)
    report = Report()
    with pytest.MonkeyPatch.context() as patch:
        limit(
            patch,
            smallest_batch=1,
            merged_at_once=1,
            few_groups=1,
            group_slots=0,
            marked_slots=0,
            divided_above=-1.0,
            coarsened_at_once=0,
            united_groups=0.0,
            compared_entries=0,
        )
        patch.setattr(distinct_sets, "_REPEATED", inf)
        pair = Pair(tables, strict=False)
        queries = [made.query() for _ in range(QUERIES_PER_SEED // 3)]
        for sql in (*queries, *aggregations(rng, tables[1], QUERIES_PER_SEED // 3)):
            judge(report, pair, sql, f"divided, seed {seed}")
        pair.close()
    return report


def repeated(seed: int) -> Report:
    """Queries that read one FROM several times, which is computed once, however few rows it has."""
    rng = random.Random(seed)
    tables = [tame_table(rng, f"r{number}") for number in range(2)]
    made = Queries(rng, tables)
    report = Report()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(common_joins, "_READ", 0)
        patch.setattr(common_joins, "_KEPT", inf)
        pair = Pair(tables, strict=False)
        for _ in range(QUERIES_PER_SEED):
            judge(report, pair, made.repeated(), f"repeated, seed {seed}")
        pair.close()
    return report


def looped(seed: int) -> Report:
    """What becomes a loop over rows, with one set of constants after another; Numba takes a third of a second for each."""
    rng = random.Random(seed)
    table = _filled_table(rng, "r0", _LOOPED_ROWS)
    report = Report()
    with pytest.MonkeyPatch.context() as patch:
        limit(patch, looped_rows=_LOOPED_ROWS, looped_after=0)
        patch.setattr(rowloops, "_TRACED_ROWS", _LOOPED_ROWS)
        if mode() != "off":
            for module in (loop, rowloops):
                patch.setattr(module, "_MODE", "now")
        other = tame_table(rng, "r1")
        pair = Pair([table, other], strict=False)
        for partner in (None, other):
            for sql in aggregations(rng, table, COMPILED_PER_SEED, partner):
                judge(report, pair, sql, f"looped, seed {seed}")
        pair.close()
    return report


def indexed(seed: int) -> Report:
    """Queries of random shape whose scans read by value indexes wherever there may be one, however many rows these have."""
    with pytest.MonkeyPatch.context() as patch:
        limit(
            patch,
            indexed_rows=1,
            ranged_rows=1,
            rows_a_value=0,
            index_asks=1,
            late_asks=1,
            value_slots=1000,
            joined_share=1.0,
            ranged_share=1.0,
            looped_share=1.0,
            keyless_share=1.0,
        )
        return shapes(seed, "indexed")


def filtered(seed: int) -> Report:
    """Queries of random shape whose scans test for the keys of later joins wherever they can, however many rows that drops."""
    with pytest.MonkeyPatch.context() as patch:
        limit(
            patch,
            key_filter_rows=1,
            key_filter_keys=1000.0,
            key_filter_here=1000.0,
            key_filter_below=1000.0,
            key_filter_kept=1.0,
            measured_rows=1,
            zoned_rows=1,
            zone_rows=2,
            indexed_rows=random.Random(seed).choice((None, 1)),
        )
        return shapes(seed, "filtered")


def _filled_table(rng: random.Random, name: str, rows: int = _COMPILED_ROWS) -> RandomTable:
    """A table that has the rows to be compiled for."""
    while True:
        table = tame_table(rng, name)
        if table.data.num_rows >= rows:
            return table


KINDS_OF_RUN: dict[str, Callable[[int], Report]] = {
    "shapes": shapes, "values": values, "columns": columns, "sources": sources, "threads": threads,
    "constants": constants, "traced": traced, "blocks": blocks, "indexed": indexed, "divided": divided,
    "predicted": predicted, "groups": groups,
    "filtered": filtered, "repeated": repeated,
}  # fmt: skip
SLOW_KINDS: dict[str, Callable[[int], Report]] = {"compiled": compiled, "looped": looped}


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
