"""All 22 queries against DuckDB: plain tables, and tables with NULLs in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from zlib import crc32

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from tests.engines import Engines
from tpch import data, parameters

SF = 0.01
NULL_SHARE = 0.05


@pytest.fixture(scope="module")
def tables(tpch_dir: Callable[[float], Path]) -> dict[str, pa.Table]:
    folder = tpch_dir(SF)
    return {table: pq.read_table(folder / f"{table}.parquet") for table in data.TABLES}


def with_nulls(table: pa.Table, *, keys: bool) -> pa.Table:
    """The table with NULL in 5 % of its values, always the same ones; key columns keep theirs unless `keys`."""
    for place, field in enumerate(table.schema):
        if field.name.endswith("key") and not keys:
            continue
        kind = pa.string() if field.type == pa.string_view() else field.type
        random = np.random.default_rng(crc32(field.name.encode()))
        gone = pa.array(random.random(table.num_rows) < NULL_SHARE)
        kept = pc.if_else(gone, pa.scalar(None, kind), table.column(place).cast(kind))
        table = table.set_column(place, pa.field(field.name, kind), kept)
    return table


@pytest.fixture(scope="module")
def plain(tables: dict[str, pa.Table]) -> Iterator[Engines]:
    engines = Engines(tables)
    yield engines
    engines.close()


@pytest.fixture(scope="module", params=[False, True], ids=["values", "keys"])
def holed(request: pytest.FixtureRequest, tables: dict[str, pa.Table]) -> Iterator[Engines]:
    engines = Engines({name: with_nulls(table, keys=request.param) for name, table in tables.items()})
    yield engines
    engines.close()


@pytest.mark.parametrize("number", parameters.QUERIES)
def test_validation_parameters(plain: Engines, number: int) -> None:
    plain(parameters.query(number, sf=SF))


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("number", parameters.QUERIES)
def test_random_parameters(plain: Engines, number: int, seed: int) -> None:
    plain(parameters.query(number, sf=SF, seed=seed))


@pytest.mark.parametrize("number", parameters.QUERIES)
def test_nulls(holed: Engines, number: int) -> None:
    holed(parameters.query(number, sf=SF))


@pytest.mark.parametrize("number", parameters.QUERIES)
def test_files(tpch_dir: Callable[[float], Path], number: int) -> None:
    """Straight from Parquet files, with two threads."""
    engines = Engines(threads=2)
    for table in data.TABLES:
        path = str(tpch_dir(SF) / f"{table}.parquet")
        engines.tqp.register(table, path)
        engines.duckdb.execute(f"CREATE VIEW {table} AS FROM '{path}'")
    engines(parameters.query(number, sf=SF))
    engines.close()


def test_default_text_is_the_validation_text() -> None:
    for number in parameters.QUERIES:
        text = parameters.query(number)
        assert ":" not in text
        assert text == parameters.query(number, seed=None)
        assert text != parameters.query(number, seed=7)


def test_same_seed_same_text() -> None:
    assert [parameters.query(n, seed=7) for n in parameters.QUERIES] == [
        parameters.query(n, seed=7) for n in parameters.QUERIES
    ]
