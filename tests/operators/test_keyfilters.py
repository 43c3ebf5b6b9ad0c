"""Keys of a build side as a filter at the scan that a later join's keys come from: where, when, and that answers stay the same."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pytest

import tqp
from tests.limits import limit
from tqp.kernels.loops.loop import mode
from tqp.runtime import rowloops

pytestmark = pytest.mark.host_only("an accelerator tests no keys ahead of a join")

ROWS = 20_000
RANKED = "SELECT {key}, x, rank() OVER (PARTITION BY {key} ORDER BY x, id) AS r FROM facts"


def facts() -> pa.Table:
    rng = np.random.default_rng(5)
    key = rng.integers(0, 1000, ROWS)
    floats = key / 8
    floats[key == 17] = np.nan
    return pa.table({
        "id": np.arange(ROWS),
        "k": key,
        "g": rng.integers(0, 7, ROWS),
        "maybe": pa.array(key, mask=rng.random(ROWS) < 0.1),
        "f": floats,
        "word": [f"w{number:03}" for number in key],
        "price": pa.array([number / 4 for number in key.tolist()]).cast(pa.decimal128(9, 2)),
        "wide": pa.array([int(number) * 1_000_003_000_019 for number in key]),
        "day": pa.array(key.astype("int32"), pa.date32()),
        "x": rng.random(ROWS),
    })  # fmt: skip


def few() -> pa.Table:
    key = [17, 40, 500, 998, 2000, None, 41, 42]
    known = [None if one is None else one for one in key]
    return pa.table({
        "k": known,
        "g": [1, 2, 3, None, 1, 2, 3, 4],
        "f": pa.array([float("nan"), 5.0, 62.5, -0.0, None, 0.0, 5.125, 9.75]),
        "word": ["w017", "w040", "none", None, "w500", "w998", "a", "z"],
        "price": pa.array([4.25, 10.0, 125.0, 249.5, None, 0.0, 1.0, 2.0]).cast(pa.decimal128(9, 2)),
        "fine": pa.array([4.25, 10.0, 125.0, 249.5, None, 0.001, 1.0, 2.0]).cast(pa.decimal128(12, 3)),
        "wide": pa.array([None if one is None else one * 1_000_003_000_019 for one in key]),
        "day": pa.array(key, pa.int32()).cast(pa.date32()),
        "name": ["a", "b", "a", "c", "d", "e", "no", "no"],
    })  # fmt: skip


@pytest.fixture
def con(monkeypatch: pytest.MonkeyPatch) -> Iterator[tqp.Connection]:
    limit(monkeypatch, key_filter_rows=1000, key_filter_trial=1000)
    with tqp.connect(threads=1) as connection:
        connection.register("facts", facts())
        connection.register("few", few())
        yield connection


def told(con: tqp.Connection, query: str, what: str = "[tested:") -> list[str]:
    """What EXPLAIN says, after a run, of keys at scans."""
    lines = (line.strip() for line in con.sql(query).explain(True).splitlines())
    return [line for line in lines if line.startswith("keep what") and what in line]


_FAR_APART = ("f", "price")
"""Keys for which there is no bitmap, and a hash table only with Numba."""
KEYS = ("k", "maybe = few.k", "f", "word", "price", "day")


@pytest.mark.parametrize("key", KEYS)
def test_partitions_that_a_join_drops_are_not_sorted(con: tqp.Connection, key: str) -> None:
    """NULL, NaN, zeros of both signs, and texts of two dictionaries match as they do in the join."""
    ours, _, _ = key.partition(" = ")
    condition = f"w.{key}" if "=" in key else f"w.{key} = few.{key}"
    query = (
        f"SELECT name, w.* FROM ({RANKED.format(key=ours)}) w JOIN few ON {condition} WHERE name <> 'no' ORDER BY ALL"
    )
    assert con.verify(query)
    if key in _FAR_APART and mode() == "off":
        assert len(told(con, query, "[not tested: keys lie far apart")) == 1
        return
    (line,) = told(con, query)
    assert f"may match by {ours}" in line
    assert int(line.split(": ")[1].split(" row")[0].replace(",", "")) < ROWS / 10


def test_keys_that_lie_far_apart_are_found_by_a_hash(con: tqp.Connection) -> None:
    query = (
        f"SELECT name, w.* FROM ({RANKED.format(key='wide')}) w JOIN few USING (wide) WHERE name <> 'no' ORDER BY ALL"
    )
    assert len(told(con, query)) + len(told(con, query, "[not tested: keys lie far apart")) == 1
    assert con.verify(query)


@pytest.mark.parametrize(
    ("query", "filters"),
    [
        ("SELECT name, count(*), sum(x) FROM facts f JOIN few ON f.k = few.k AND f.g = few.g GROUP BY name", 1),
        ("SELECT count(*), sum(u.k) FROM (SELECT k FROM facts UNION ALL SELECT id FROM facts) u JOIN few USING (k) WHERE name > 'a'", 2),
        ("SELECT count(*) FROM (SELECT DISTINCT k FROM facts UNION SELECT id FROM facts) u SEMI JOIN few ON u.k = few.k", 2),
        ("SELECT max(r) FROM (SELECT k + 0 AS j, k, rank() OVER (PARTITION BY k ORDER BY id) AS r FROM facts) WHERE k IN (SELECT k FROM few WHERE g > 1)", 1),
    ],
)  # fmt: skip
def test_where_keys_are_tested(con: tqp.Connection, query: str, filters: int) -> None:
    assert len(told(con, query)) == filters
    assert con.verify(query)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT count(*) FROM facts JOIN few USING (k) WHERE name <> 'no'",  # a probe is no more than a test
        f"SELECT count(r), count(name) FROM ({RANKED.format(key='k')}) w LEFT JOIN few USING (k)",  # all rows are read
        f"SELECT count(r) FROM ({RANKED.format(key='k')}) w ANTI JOIN few USING (k)",
        f"SELECT count(r), count(name) FROM ({RANKED.format(key='k')}) w FULL JOIN few USING (k)",
        f"SELECT count(r) >= 0 FROM ({RANKED.format(key='k')} LIMIT 1000) w JOIN few USING (k) WHERE name <> 'no'",  # others would come
        "SELECT count(r) FROM (SELECT k, rank() OVER (ORDER BY x, id) AS r FROM facts) w JOIN few USING (k) WHERE name <> 'no' AND r < 50",
        f"SELECT count(r) FROM ({RANKED.format(key='price')}) w JOIN few ON w.price = few.fine WHERE name <> 'no'",  # of another scale
        f"WITH w AS MATERIALIZED ({RANKED.format(key='k')}) SELECT (SELECT count(*) FROM w JOIN few USING (k) WHERE name <> 'no') + (SELECT count(*) FROM w)",
        f"SELECT count(r) FROM ({RANKED.format(key='k + 1')}) w(k, x, r) JOIN few USING (k) WHERE name <> 'no'",  # computed
    ],
)  # fmt: skip
def test_where_they_are_not(con: tqp.Connection, query: str) -> None:
    assert told(con, query, "") == []
    assert con.verify(query)


def test_a_set_to_which_most_values_belong_is_not_tested(con: tqp.Connection) -> None:
    query = f"SELECT sum(r) FROM ({RANKED.format(key='k')}) w JOIN (SELECT DISTINCT k FROM facts WHERE k > 3) USING (k)"
    assert told(con, query) == []
    assert len(told(con, query, "not tested")) == 1
    assert con.verify(query)


def test_of_no_keys_no_row_is_read(con: tqp.Connection) -> None:
    query = f"SELECT count(*), sum(r) FROM ({RANKED.format(key='k')}) w JOIN few USING (k) WHERE name = 'nobody'"
    (line,) = told(con, query)
    assert ": 0 rows" in line
    assert con.verify(query)


def test_rows_that_are_kept_all_the_same_end_the_test(con: tqp.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nine tenths of the rows have one of the few values: after the first rows the others are not asked."""
    values = np.where(np.arange(ROWS) % 10 < 9, 5, np.arange(ROWS))
    con.register("skewed", {"k": values, "id": np.arange(ROWS)})
    limit(monkeypatch, smallest_batch=1000)
    query = """SELECT count(*), sum(r) FROM (SELECT k, row_number() OVER (PARTITION BY k ORDER BY id) AS r FROM skewed) w
        JOIN (SELECT k FROM few UNION ALL SELECT 5) USING (k)"""
    (line,) = told(con, query)
    kept = int(line.split(": ")[1].split(" row")[0].replace(",", ""))
    # Of the first batch nine tenths; of the second one all.
    assert kept > ROWS * 0.94
    assert con.verify(query)


def test_the_switch(con: tqp.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    query = f"SELECT sum(r) FROM ({RANKED.format(key='k')}) w JOIN few USING (k) WHERE name <> 'no'"
    assert told(con, query)
    limit(monkeypatch, key_filter_rows=None)
    with tqp.connect(threads=1) as without:
        without.register("facts", facts())
        without.register("few", few())
        assert told(without, query, "") == []
        assert without.sql(query).arrow().equals(con.sql(query).arrow())


def test_steps_show_both_ways(con: tqp.Connection) -> None:
    query = f"SELECT sum(r) FROM ({RANKED.format(key='k')}) w JOIN few USING (k) WHERE name <> 'no'"
    assert "tested | not tested" in con.sql(query).explain("steps")


@pytest.mark.skipif(mode() == "off", reason="needs Numba")
@pytest.mark.parametrize("below", [0.0, 1.0])
def test_loops_test_keys_too(monkeypatch: pytest.MonkeyPatch, below: float) -> None:
    limit(monkeypatch, key_filter_rows=1000, looped_rows=1000, looped_after=0, key_filter_below=below)
    monkeypatch.setattr(rowloops, "_TRACED_ROWS", 1009)
    monkeypatch.setattr(rowloops, "_MODE", "now")
    query = "SELECT name, s FROM (SELECT k, sum(id) AS s FROM facts GROUP BY k) w JOIN few USING (k) WHERE name <> '{}' ORDER BY ALL"
    # Else the optimizer would put a semi join there.
    with tqp.connect(threads=1, disabled_rules=("reduce_aggregates", "order_joins")) as con:
        con.register("facts", facts())
        con.register("few", few())
        for name in ("no", "a", "c", "nobody"):
            found = con.sql(query.format(name)).explain(True)
            assert "compiled into one function" in found
            assert ("[tested" in found) == (below > 0)
            assert con.verify(query.format(name))
