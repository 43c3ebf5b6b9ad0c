"""Runs under limits that bring a mechanism to where it would never be worth it, or that compile what is small."""

from __future__ import annotations

import random
from math import inf

import pytest
import torch

from tests.fuzz.aggregations import aggregations
from tests.fuzz.check import Pair
from tests.fuzz.data import RandomTable, ordered, tame_table
from tests.fuzz.queries import Queries
from tests.fuzz.report import Report, judge
from tests.fuzz.runs import QUERIES_PER_SEED, columns, shapes
from tests.limits import limit
from tqp.kernels.loops import loop
from tqp.kernels.loops.loop import mode
from tqp.optimizer.rules import common_joins, distinct_sets
from tqp.runtime import rowloops

COMPILED_PER_SEED = 3
_COMPILED_ROWS = 3
_LOOPED_ROWS = 13
"""Of tables so small the compiled backend takes all rows but one or two."""


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
            meeting_share=0.0,
            coarsened_at_once=0,
            united_groups=0.0,
            compared_entries=0,
        )
        patch.setattr(distinct_sets, "_REPEATED", inf)
        if _of_columns(seed):
            return columns(seed, "divided")
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
        return _either(seed, "indexed")


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
        return _either(seed, "filtered")


def _either(seed: int, kind: str) -> Report:
    return columns(seed, kind) if _of_columns(seed) else shapes(seed, kind)


def _of_columns(seed: int) -> bool:
    """Whether a seed is of columns that are empty, NULL, constant or at the ends of their types."""
    return seed % 3 == 0


def _filled_table(rng: random.Random, name: str, rows: int = _COMPILED_ROWS) -> RandomTable:
    """A table that has the rows to be compiled for."""
    while True:
        table = tame_table(rng, name)
        if table.data.num_rows >= rows:
            return table
