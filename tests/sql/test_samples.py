"""TABLESAMPLE and USING SAMPLE: how many rows, which ones, and that a seed gives them again."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import torch

import tqp
from tests.engines import Engines
from tqp.data.column import Column
from tqp.functions.registry import find
from tqp.types import BIGINT, DOUBLE

ROWS = 40_960


@pytest.fixture(scope="module")
def con() -> Iterator[tqp.Connection]:
    with tqp.connect(threads=2) as made:
        made.register("t", {"i": torch.arange(ROWS)})
        yield made


def drawn(con: tqp.Connection, sample: str) -> list[int]:
    return [row[0] for row in con.sql(f"SELECT i FROM t USING SAMPLE {sample}").fetchall()]


def mixed(state: int) -> int:
    mask = 2**64 - 1
    state = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & mask
    state = (state ^ state >> 27) * 0x94D049BB133111EB & mask
    return state ^ state >> 31


def test_draws_are_those_of_split_mix() -> None:
    rows = torch.tensor([1, 2, 3, ROWS, 2**62, -5])
    seed = torch.tensor(-77)
    found = find("sample draw").kernel((Column(rows, BIGINT), Column(seed, BIGINT)), DOUBLE).data
    step, mask = 0x9E3779B97F4A7C15, 2**64 - 1
    start = mixed(-77 + step & mask)
    expected = [(mixed(start ^ row * step & mask) >> 11) * 2.0**-53 for row in rows.tolist()]
    assert found.tolist() == expected


def test_draws_are_uniform() -> None:
    rows = torch.arange(1, 100_001)
    for seed in (0, 1, 2**40):
        column = find("sample draw").kernel((Column(rows, BIGINT), Column(torch.tensor(seed), BIGINT)), DOUBLE)
        draws = column.data.numpy()
        counts, _ = np.histogram(draws, 50, (0.0, 1.0))
        assert ((counts - 2000) ** 2 / 2000).sum() < 110  # of 50 bins: about one seed in a million is beyond
        assert abs(np.corrcoef(draws[:-1], draws[1:])[0, 1]) < 0.02


@pytest.mark.parametrize("sample", ["reservoir(500 ROWS)", "reservoir(10%)", "bernoulli(10%)", "system(30%)"])
def test_a_seed_gives_the_same_rows(con: tqp.Connection, sample: str) -> None:
    one, again, other = (drawn(con, f"{sample} REPEATABLE ({seed})") for seed in (7, 7, 8))
    assert one == again
    assert set(one) != set(other)
    assert len(set(one)) == len(one)


def test_rows_without_a_seed_differ_from_query_to_query(con: tqp.Connection) -> None:
    assert drawn(con, "100 ROWS") != drawn(con, "100 ROWS")
    twice = con.sql("SELECT a.i, b.i FROM t a TABLESAMPLE 50 ROWS POSITIONAL JOIN t b TABLESAMPLE 50 ROWS").fetchall()
    assert sum(one == other for one, other in twice) < 5


def test_sizes(con: tqp.Connection) -> None:
    assert len(drawn(con, "reservoir(12.5%) REPEATABLE (1)")) == ROWS // 8
    assert len(drawn(con, "1000 ROWS (reservoir, 3)")) == 1000
    deviation = (ROWS * 0.3 * 0.7) ** 0.5
    for seed in range(5):
        assert abs(len(drawn(con, f"bernoulli(30%) REPEATABLE ({seed})")) - ROWS * 0.3) < 5 * deviation


def test_all_parts_of_the_table_are_drawn_from(con: tqp.Connection) -> None:
    for sample in ("reservoir(4000 ROWS) REPEATABLE (5)", "bernoulli(10%) REPEATABLE (5)"):
        found = np.array(drawn(con, sample))
        deviation = ROWS / (12 * len(found)) ** 0.5
        assert abs(found.mean() - ROWS / 2) < 5 * deviation


def test_system_takes_whole_blocks(con: tqp.Connection) -> None:
    found = sorted(drawn(con, "system(40%) REPEATABLE (3)"))
    blocks = {row // 2048 for row in found}
    assert 0 < len(blocks) < ROWS // 2048
    assert found == [row for block in sorted(blocks) for row in range(block * 2048, block * 2048 + 2048)]


def test_conditions_see_what_was_drawn() -> None:
    engines = Engines()
    engines.tqp.register("t", {"i": torch.arange(1000)})
    before = engines.tqp.sql("SELECT count(*) FROM t WHERE i < 500 USING SAMPLE 100 ROWS (reservoir, 1)").fetchall()
    assert 20 < before[0][0] < 80
    engines.close()
