"""Queries over Parquet files of which not all is read."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.fuzz.check import Outcome, Pair
from tests.fuzz.constants import other_constants
from tests.fuzz.data import RandomTable, ordered, storable, tame_table
from tests.fuzz.queries import Queries
from tests.fuzz.report import Report, judge
from tests.limits import limit

__all__ = ["groups"]

_QUERIES_PER_SEED = 6


def groups(seed: int) -> Report:
    """Queries of random shape over Parquet files of small row groups, some of which say nothing or need not be read."""
    rng = random.Random(seed)
    tables = [storable(ordered(rng, tame_table(rng, f"r{number}"), rng.choice(((), ["k"])))) for number in range(3)]
    made = Queries(rng, tables)
    report = Report()
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        limit(patch, excerpt_rows=rng.choice((0, 1, 4)), excerpt_share=1.0, sought_share=rng.choice((0.0, 9.0)))
        pair = Pair(tables, strict=False)
        for table in tables:
            file = Path(folder) / f"{table.name}.parquet"
            told = rng.choice((True, True, list(table.kinds)[:2], False))
            pq.write_table(
                table.data, file, row_group_size=rng.choice((1, 2, 3, 7)), write_statistics=told,
                use_dictionary=rng.random() < 0.5, store_decimal_as_integer=rng.random() < 0.5,
            )  # fmt: skip
            for connection in pair.connections:
                connection.register(table.name, file)
        for place in range(_QUERIES_PER_SEED):
            sql = made.query() if place % 2 else _compared(rng, pair, tables)
            if judge(report, pair, sql, f"groups, seed {seed}") is Outcome.SAME:
                judge(report, pair, other_constants(sql, rng), f"groups, seed {seed}")
            for connection in pair.connections:
                # What was read as a whole is not read in part again.
                connection.clear_cache()
        pair.close()
    return report


def _compared(rng: random.Random, pair: Pair, tables: list[RandomTable]) -> str:
    """A query of rows for which some columns of one or two tables compare as they do with values that are in the tables."""
    names = rng.sample([table.name for table in tables], rng.choice((1, 2, 2)))

    def comparison(table: RandomTable) -> str:
        column = rng.choice(list(table.kinds))
        values = pair.duckdb.sql(f"SELECT {column}::VARCHAR, typeof({column}) FROM {table.name}").fetchall()
        value, kind = rng.choice(values) if values else (None, "INTEGER")
        literal = "NULL" if value is None else f"""CAST('{value.replace("'", "''")}' AS {kind})"""
        option = rng.choice(("=", "<", "<=", ">", ">=", "<>", "IS NULL", "IS NOT NULL", "IN"))
        right = {"IN": f"({literal}, NULL)", "IS NULL": "", "IS NOT NULL": ""}.get(option, literal)
        return f"{table.name}.{column} {option} {right}"

    equal = rng.choice(("=", "=", "IS NOT DISTINCT FROM"))
    joined = [f"{names[0]}.k {equal} {names[1]}.k"] if len(names) == 2 and rng.random() < 0.7 else []
    chosen = [comparison(table) for table in tables if table.name in names for _ in range(rng.choice((1, 1, 2)))]
    condition = rng.choice((" AND ", " AND ", " OR ")).join(joined + chosen)
    rows = f"SELECT {', '.join(f'{name}.*' for name in names)} FROM {', '.join(names)} WHERE {condition}"
    if len(names) == 2 and rng.random() < 0.4:
        way, end = rng.choice((("IN", ""), ("NOT IN", ""), ("IN", f" AND {chosen[0]}")))
        rows = f"SELECT {names[0]}.* FROM {names[0]} WHERE k {way} (SELECT k FROM {names[1]} WHERE {chosen[-1]}){end}"
    return rng.choice(
        (rows, f"SELECT count(*), min(c) FROM ({rows}) AS t(c)", f"FROM {names[0]} LIMIT {rng.randint(0, 9)}")
    )
