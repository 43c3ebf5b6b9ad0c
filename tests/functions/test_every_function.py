"""Every function that tqp and DuckDB both know, called with NULL, constants, all-NULL columns, extremes and no rows.

Types are drawn at random, so most calls are refused; what both answer must be equal, and nothing but an error of tqp's own family
may come out.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import duckdb
import pyarrow as pa
import pytest

import tqp.functions
from tests.engines import Engines
from tqp.errors import InternalError, TqpError
from tqp.functions.registry import names

CONSTANTS = ["NULL", "1", "-3", "0", "2.5", "1e0", "'a'", "''", "'2024-01-31'", "'day'", "true", "DATE '2024-02-29'",
             "TIMESTAMP '2024-02-29 01:02:03'", "TIME '10:00'", "INTERVAL '1 day'", "'nan'::DOUBLE", "NULL::VARCHAR",
             "NULL::INTEGER", "'%Y'"]  # fmt: skip
COLUMNS: dict[str, tuple[pa.DataType, list[object]]] = {
    "i": (pa.int32(), [1, -(2**31), None, 0]),
    "b": (pa.int64(), [2**63 - 1, None, -(2**63), 3]),
    "u": (pa.uint8(), [0, 255, 7, None]),
    "x": (pa.float64(), [float("inf"), float("nan"), None, -0.5]),
    "t": (pa.string(), [None, "", "Ärger", "x,y"]),
    "d": (pa.date32(), [0, 19782, None, -800000]),
    "s": (pa.timestamp("us"), [0, None, 1_700_000_000_123_456, -1]),
    "o": (pa.bool_(), [True, None, False, True]),
    "p": (pa.string(), [None] * 4),
    "n": (pa.int32(), [None] * 4),
    "m": (pa.timestamp("us"), [None] * 4),
    "c": (pa.string(), ["same"] * 4),
}
# What says something else at every call, what DuckDB gives in an order or a way of its own, and names of models.
LEFT_OUT = {"random", "uuid", "hash", "lgamma", "gamma", "version"}


def shared_names() -> list[str]:
    assert tqp.functions
    known = {
        row[0]
        for row in duckdb.sql("SELECT function_name FROM duckdb_functions() WHERE function_type = 'scalar'").fetchall()
    }
    return sorted(name for name in {*names(), "concat_ws", "date_part", "strftime", "strptime", "make_date", "to_days", "regexp_matches"}
                  if name in known and name.isidentifier() and name not in LEFT_OUT)  # fmt: skip


@pytest.fixture(scope="module")
def engines() -> Iterator[Engines]:
    full = pa.table({name: pa.array(values, kind) for name, (kind, values) in COLUMNS.items()} | {"row": range(4)})
    made = Engines({"t": full, "none": full.slice(0, 0)})
    yield made
    made.close()


def answered(engines: Engines, sql: str) -> bool:
    """Whether both answer the query, and so alike; where one refuses it tqp must do so in its own words."""
    try:
        engines.duckdb.sql(sql).to_arrow_table()
    except duckdb.Error:
        try:
            engines.tqp.sql(sql).arrow()
        except InternalError:
            raise
        except TqpError:
            pass
        return False
    try:
        engines(sql)
    except InternalError:
        raise
    except TqpError:
        return False
    return True


@pytest.mark.parametrize("name", shared_names())
def test_calls(engines: Engines, name: str) -> None:
    rng = random.Random(name)
    for count in range(4):
        for _ in range(1 if count == 0 else 8):
            args = ", ".join(rng.choice([*CONSTANTS, *COLUMNS, *COLUMNS]) for _ in range(count))
            # First without rows: what is refused there needs no more.
            if answered(engines, f"SELECT row, {name}({args}) AS y FROM none"):
                answered(engines, f"SELECT row, {name}({args}) AS y FROM t")


def test_most_functions_are_called() -> None:
    assert len(shared_names()) > 90
