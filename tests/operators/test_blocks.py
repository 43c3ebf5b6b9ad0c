"""Blocks of rows that hold nothing of what a query asks for are not read, and answers are those of DuckDB."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import tqp
from tests.limits import limit

pytestmark = pytest.mark.host_only("on an accelerator a batch is the whole table")

ROWS = 1003
BLOCK = 10


def table() -> pa.Table:
    """Ascending, descending and unordered columns; some of NULL and NaN at one end, or alone in a block."""
    place = np.arange(ROWS)
    rng = np.random.default_rng(3)
    floats = place / 7.0
    floats[700:] = np.nan
    floats[5] = np.nan
    late = pa.array(place - 400, mask=(place < 300) | (place == 555))
    return pa.table({
        "id": place,
        "down": pa.array(-place, pa.int16()),
        "anywhere": rng.integers(0, 50, ROWS),
        "f": floats,
        "late": late,
        "none": pa.nulls(ROWS, pa.int32()),
        "day": np.datetime64("2024-01-01") + (place // 30).astype("timedelta64[D]"),
        "moment": np.datetime64("2024-01-01T00:00:00", "us") + place * np.timedelta64(3_600_000_000, "us"),
        "price": pa.array([number / 100 for number in range(ROWS)]).cast(pa.decimal128(9, 2)),
        "word": [f"w{number // 20:03}" for number in range(ROWS)],
        "said": pa.array([None if number < 500 else f"s{number // 100}" for number in range(ROWS)]),
        "few": pa.array([None if number % 3 else number // 250 for number in range(ROWS)]),
        "wide": pa.array([number * 10**25 for number in range(ROWS)], pa.decimal128(38, 0)),
        "flag": place > 900,
    })  # fmt: skip


@pytest.fixture
def con(monkeypatch: pytest.MonkeyPatch) -> Iterator[tqp.Connection]:
    limit(monkeypatch, zone_rows=BLOCK, zoned_rows=1, gap_rows=1)
    with tqp.connect(threads=2) as con:
        con.register("t", table())
        con.register("nothing", table().slice(0, 0))
        con.register("one", table().slice(10, 5))
        yield con


@pytest.fixture(scope="module")
def peer() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as con:
        con.register("t", table())
        con.register("nothing", table().slice(0, 0))
        con.register("one", table().slice(10, 5))
        yield con


def read(con: tqp.Connection, sql: str) -> int:
    """How many rows are read by the query's first pipeline."""
    line = next(line for line in con.sql(sql).explain(True).splitlines() if line.startswith("  scan"))
    return int(line.split("): ")[1].split(" row")[0].replace(",", ""))


LEFT_OUT = {
    "id = 777": 1,
    "777 = id": 1,
    "id BETWEEN 95 AND 105": 2,
    "id >= 1000": 1,
    "id > 999 AND id < 2000": 1,
    "id < 10 OR id > 995": 3,
    "id < 10 OR (id > 995 AND anywhere >= 0)": 3,
    "id IN (1, 500, 1002, 12345)": 3,
    "id IN (NULL, 3)": 1,
    "down < -990": 2,
    "down <= -990 AND anywhere < 40": 2,
    "f < 1": 1,
    "f > 120": 32,
    "f = 'NaN'::DOUBLE": 32,
    "f > 90 AND f < 99": 8,
    "late IS NULL": 31,
    "late IS NOT NULL": 71,
    "late < -98": 1,
    "late = 155": 1,
    "none = 3": 0,
    "none IS NOT NULL": 0,
    "day = '2024-01-09'": 3,
    "day >= DATE '2024-01-02' AND day < DATE '2024-01-02' + 3": 9,
    "day >= DATE '2024-01-02' AND day < DATE '2024-01-02' + INTERVAL 3 DAY": 9,
    "moment < TIMESTAMP '2024-01-01 05:30:00'": 1,
    "price BETWEEN 1.00 AND 1.05": 1,
    "price > 10": 1,
    "word = 'w010'": 2,
    "word > 'w048'": 3,
    "word IN ('w001', 'nowhere', 'w049')": 4,
    "said < word": 51,
    "said = 's7'": 10,
    "said IS NULL": 50,
    "few = 1": 25,
    "few <> 4": 101,
    "id::DOUBLE > 1001.5": 1,
    "id < 300 AND NOT (day < '2024-01-05')": 18,
    "id + 0.5 > 1001": 1,
    "5 + id - 7 BETWEEN 100 AND 101": 1,
    "year(day) = 2025": 0,
    "extract(year FROM moment) > 2024": 0,
    "date_trunc('month', moment) = TIMESTAMP '2024-02-01'": 27,
    "date_trunc('month', day) >= DATE '2024-02-01'": 8,
    "day + 5 > DATE '2024-02-06'": 5,
    "moment - INTERVAL 1 DAY < TIMESTAMP '2024-01-01 03:00:00'": 3,
    "id = (SELECT max(id) FROM t)": 1,
    "id > (SELECT 10 * max(id) FROM t)": 0,
}  # fmt: skip
"""Conditions, and how many blocks they leave."""

ALL_READ = [
    "anywhere = 7",
    "wide > 10",
    "flag",
    "id % 10 = 3",
    "700 - id > 900",
    "month(day) = 2",
    "id + anywhere = 3",
    "id < 5 OR anywhere = 3",
    "none IS NULL",
    "word LIKE '%7'",
    "id >= 0",
    "CAST(TIMESTAMP '2020-02-29 12:00:00' AS TIMESTAMPTZ) < now()",
]


@pytest.mark.parametrize("condition", [*LEFT_OUT, *ALL_READ])
def test_answers(con: tqp.Connection, peer: duckdb.DuckDBPyConnection, condition: str) -> None:
    for name in ("t", "nothing", "one"):
        sql = f"SELECT id, word FROM {name} WHERE {condition}"
        assert con.sql(sql).arrow().to_pylist() == peer.sql(sql).to_arrow_table().to_pylist()
        sql = f"SELECT count(*) AS n, sum(anywhere) AS a, min(id) AS b, max(day) AS c FROM {name} WHERE {condition}"
        assert con.sql(sql).arrow().to_pylist() == peer.sql(sql).to_arrow_table().to_pylist()


@pytest.mark.parametrize("condition", LEFT_OUT)
def test_blocks_are_left_out(con: tqp.Connection, condition: str) -> None:
    select = f"SELECT id, word FROM t WHERE {condition}"
    if "SELECT" in condition:
        pytest.skip("its first pipeline is another one")
    blocks = LEFT_OUT[condition]
    assert (blocks - 1) * BLOCK < read(con, select) <= blocks * BLOCK


@pytest.mark.parametrize("condition", ALL_READ)
def test_all_is_read(con: tqp.Connection, condition: str) -> None:
    assert read(con, f"SELECT id, word FROM t WHERE {condition}") == ROWS


def test_reason(con: tqp.Connection) -> None:
    text = con.sql("SELECT id FROM t WHERE id = 777 AND anywhere < 99").explain(True)
    assert "10 of 1,003: 1 of 101 blocks may hold id = 777" in text


def test_off(con: tqp.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, zone_rows=None)
    assert read(con, "SELECT id FROM t WHERE id = 778") == ROWS


def test_few_rows_between_two_blocks_are_read(con: tqp.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, gap_rows=31)
    assert read(con, "SELECT id FROM t WHERE id IN (5, 45, 500)") == 60


def test_other_constants_of_the_same_plan(con: tqp.Connection) -> None:
    for number in (5, 500, 1002, 5000):
        assert con.sql(f"SELECT id FROM t WHERE id = {number}").arrow().num_rows == (number < ROWS)
        assert read(con, f"SELECT id FROM t WHERE id = {number}") <= BLOCK


def test_other_rows_have_other_blocks(con: tqp.Connection) -> None:
    sql = "SELECT count(*) AS n FROM changing WHERE id >= 20"
    for rows in (15, 45, 30):
        con.register("changing", {"id": np.arange(rows)})
        assert con.sql(sql).arrow().to_pylist() == [{"n": max(rows - 20, 0)}]
        assert read(con, sql) == max(rows - 20, 0)


def test_zones_are_kept_and_let_go(con: tqp.Connection) -> None:
    con.sql("SELECT id FROM t WHERE id = 777 AND anywhere = 3").arrow()
    kept = {key: size for kind, key, size, _, _ in con.cache().fetchall() if kind == "zones"}
    assert kept.keys() == {"t.id"} and kept["t.id"] < 101 * 20
    con.clear_cache()
    assert not [kind for kind, *_ in con.cache().fetchall() if kind == "zones"]


TOP = {
    "id": 1,
    "id DESC": 1,
    "down": 1,
    "down DESC, anywhere": 1,
    "moment DESC, id": 1,
    "word DESC, id": 2,
    "price, id DESC": 1,
    "f, id": 1,
    "late NULLS LAST, id": 1,
    "late DESC NULLS LAST, id": 1,
    "few, id": 26,
    "id::DOUBLE": 1,
}
"""Orders, and how many blocks the first ten rows of them ask for at most, beside one for each worker."""


@pytest.mark.parametrize(
    "order",
    [
        *TOP,
        "anywhere, id",
        "id % 10, id",
        "wide DESC",
        "flag, id",
        "none, id",
        "f + 1, id",
        "f DESC, id",
        "late DESC NULLS FIRST, id",
    ],
)
@pytest.mark.parametrize("condition", ["true", "anywhere = 7 AND id > 400", "id < 30"])
def test_first_rows(con: tqp.Connection, peer: duckdb.DuckDBPyConnection, order: str, condition: str) -> None:
    for name in ("t", "nothing", "one"):
        for cut in ("LIMIT 10", "LIMIT 3 OFFSET 25", "LIMIT 500")[: 3 if name == "t" else 1]:
            sql = f"SELECT id, word, f IS NULL AS n FROM {name} WHERE {condition} ORDER BY {order} {cut}"
            assert con.sql(sql).arrow().to_pylist() == peer.sql(sql).to_arrow_table().to_pylist()


@pytest.mark.parametrize("order", TOP)
def test_first_rows_are_found_first(con: tqp.Connection, monkeypatch: pytest.MonkeyPatch, order: str) -> None:
    limit(monkeypatch, zone_rows=BLOCK, zoned_rows=1, gap_rows=1, first_batch=BLOCK)
    sql = f"SELECT id, word FROM t ORDER BY {order} LIMIT 10"
    with tqp.connect(threads=1) as alone:
        alone.register("t", table())
        assert read(alone, sql) <= (2 * TOP[order] + 1) * BLOCK
        assert "no other block can hold a row that is wanted" in alone.sql(sql).explain(True)


def test_after_a_join_first_rows_are_found_first(con: tqp.Connection, peer: duckdb.DuckDBPyConnection) -> None:
    sql = "SELECT t.id, one.word FROM t JOIN one ON t.anywhere = one.anywhere ORDER BY t.moment DESC, one.id LIMIT 7"
    assert con.sql(sql).arrow().to_pylist() == peer.sql(sql).to_arrow_table().to_pylist()


def test_blocks_in_no_order_become_large_ranges(con: tqp.Connection, peer: duckdb.DuckDBPyConnection) -> None:
    """Blocks that lie everywhere in the order of the key come one by one at first, then side by side."""
    place = np.arange(5000)
    saw = pa.table({"id": place, "up": place % 1000 * 1000 + place // 1000, "r": place * 7919 % 5000})
    con.register("saw", saw)
    peer.register("saw", saw)
    for condition in ("r = 4999", "r % 100 = 99", "r > 7000"):
        sql = f"SELECT id FROM saw WHERE {condition} ORDER BY up LIMIT 60"
        assert con.sql(sql).arrow().to_pylist() == peer.sql(sql).to_arrow_table().to_pylist()
    batches = con.sql("SELECT id FROM saw WHERE r > 7000 ORDER BY up LIMIT 60").explain(True)
    assert int(batches.split(" batches")[0].split(", ")[-1]) < 50


def test_no_condition_is_evaluated_ahead_where_few_rows_may_be_enough(
    con: tqp.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An index of a text asks the condition of all its strings."""
    limit(monkeypatch, indexed_rows=1, ranged_rows=1)
    many = pa.table({"id": np.arange(300_000), "text": [f"text {place % 20_000}" for place in range(300_000)]})
    con.register("many", many)
    sql = "SELECT id FROM many WHERE text LIKE '%1111%' ORDER BY {} LIMIT 3"
    assert "index on" in con.sql(sql.format("id % 7, id")).explain(True)
    text = con.sql(sql.format("id")).explain(True)
    assert "wanted" in text and "index on" not in text


def scanned(con: tqp.Connection, sql: str) -> int:
    """How many rows of t the query reads, in whatever pipeline."""
    lines = [line for line in con.sql(sql).explain(True).splitlines() if line.startswith("  scan t(")]
    return max((int(line.split("): ")[1].split(" row")[0].replace(",", "")) for line in lines), default=0)


DIMENSION = pa.table({
    "id": np.arange(100, 600, dtype=np.int32),
    "day": np.datetime64("2024-01-01") + np.arange(500).astype("timedelta64[D]"),
    "month": np.arange(500) // 31,
    "late": [None if number % 2 else number for number in range(500)],
    "word": [f"w{number:03}" for number in range(500)],
})  # fmt: skip

JOINS = {
    "SELECT count(*) AS n, sum(t.id) AS s FROM t JOIN dim USING (day) WHERE month = 0 AND dim.id > 120": 12 * 30 + 10,
    "SELECT count(*) AS n, sum(t.id) AS s FROM t WHERE day IN (SELECT day FROM dim WHERE dim.id BETWEEN 105 AND 107)": 100,
    "SELECT count(*) AS n FROM t WHERE EXISTS (SELECT 1 FROM dim WHERE dim.day = t.day AND month = 7)": 0,
    "SELECT count(*) AS n FROM t WHERE id > (SELECT max(id) * 3 / 2 FROM dim)": 120,
    "SELECT count(*) AS n FROM t WHERE id = (SELECT id FROM dim WHERE month = 700)": 0,
    "SELECT count(*) AS n FROM t WHERE late IN (SELECT late FROM dim WHERE month > 12)": 200,
    "SELECT count(*) AS n FROM t JOIN dim a ON t.anywhere = a.late JOIN dim b ON b.id = t.id WHERE b.month = 0": 40,
    "SELECT count(*) AS n FROM t JOIN dim ON t.anywhere = dim.month AND t.day = dim.day": ROWS,
    "SELECT count(*) AS n FROM t LEFT JOIN dim ON t.day = dim.day AND dim.month = 1": ROWS,
    "SELECT count(*) AS n FROM t WHERE day NOT IN (SELECT day FROM dim WHERE month = 1)": ROWS,
    "SELECT count(*) AS n FROM t FULL JOIN dim ON t.day = dim.day AND dim.month = 1": ROWS,
}
"""Queries whose joins leave out blocks of t, and how many rows of it they read at most."""


@pytest.mark.parametrize("sql", JOINS)
def test_blocks_that_a_join_leaves_out(con: tqp.Connection, peer: duckdb.DuckDBPyConnection, sql: str) -> None:
    con.register("dim", DIMENSION)
    peer.register("dim", DIMENSION)
    assert con.sql(sql).arrow().to_pylist() == peer.sql(sql).to_arrow_table().to_pylist()
    if JOINS[sql] < ROWS:
        assert scanned(con, sql) <= JOINS[sql]
    else:
        assert scanned(con, sql) == ROWS


def test_a_function_that_is_null_for_the_end_of_a_block_alone(
    con: tqp.Connection, peer: duckdb.DuckDBPyConnection
) -> None:
    """The year of an infinite date is NULL."""
    days = "SELECT CASE WHEN i % 10 = 9 THEN 'infinity'::DATE ELSE DATE '2020-01-01' + 20 * i::INTEGER END AS d FROM range(200) r(i)"
    infinite = peer.sql(days).to_arrow_table()
    con.register("infinite", infinite)
    peer.register("infinite", infinite)
    for condition in ("year(d) = 2024", "year(d) > 2024", "year(d) < 2021", "d > DATE '2030-01-01'"):
        sql = f"SELECT count(*) AS n FROM infinite WHERE {condition}"
        assert con.sql(sql).arrow().to_pylist() == peer.sql(sql).to_arrow_table().to_pylist()
