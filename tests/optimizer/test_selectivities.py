"""What conditions keep is remembered by tables: later plans estimate by it, and answers do not change."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tqp
from tests.limits import limit
from tqp.data.selectivities import Condition, Selectivities

ROWS = 20_000
MEASURED = ", as measured"


def facts() -> dict[str, object]:
    place = np.arange(ROWS)
    return {
        "id": place,
        # Half of the rows have one of 5,000 values.
        "often": np.where(place % 2 == 0, 7, place // 4),
        "name": np.array([f"n{number}" for number in place % 100]),
        "k": place % 50,
        "j": (place * 7) % 300,
    }


@pytest.fixture
def con() -> Iterator[tqp.Connection]:
    with tqp.connect(threads=2) as connection:
        connection.register("t", facts())
        yield connection


def estimated(con: tqp.Connection, condition: str, columns: str = "id") -> str:
    """What EXPLAIN says of the rows that a condition on the table keeps."""
    lines = con.sql(f"SELECT {columns} FROM t WHERE {condition}").explain().splitlines()
    (line,) = (line for line in lines if line.lstrip().startswith("Filter"))
    return line.split("-- ~")[1]


WRONG = {
    "name LIKE '%9'": 2000,
    "often = 7": 10_002,
    "often IN (7, 12)": 10_004,
    "NOT name LIKE 'n1%'": ROWS - 2200,
    "length(name) < 3": 2000,
    "k % 10 = 3 AND id % 10 = 3": 2000,
    "(CASE WHEN k > 10 THEN name END) = 'n12'": 200,
    "id::VARCHAR LIKE '%77'": 200,
}


@pytest.mark.parametrize(("condition", "rows"), WRONG.items())
def test_a_run_corrects_the_estimate_of_the_same_condition(con: tqp.Connection, condition: str, rows: int) -> None:
    assert MEASURED not in estimated(con, condition)
    before = con.sql(f"SELECT id, k FROM t WHERE {condition}").fetchall()
    assert estimated(con, condition).startswith(f"{rows:,} rows{MEASURED}")
    # Whatever else the query does.
    assert estimated(con, condition, "k, count(*) OVER ()").startswith(f"{rows:,} rows{MEASURED}")
    con.sql(f"SELECT k, id FROM t WHERE {condition}").fetchall()
    assert con.sql(f"SELECT id, k FROM t WHERE {condition}").fetchall() == before
    assert con.verify(f"SELECT id, k FROM t WHERE {condition}")


def test_conditions_in_another_order_are_the_same(con: tqp.Connection) -> None:
    con.sql("SELECT count(*) FROM t WHERE name LIKE '%9' AND k % 2 = 1 AND j > 5").fetchall()
    there = con.sql("SELECT count(*) FROM t WHERE name LIKE '%9' AND k % 2 = 1 AND j > 5").fetchall()[0][0]
    assert estimated(con, "j > 5 AND k % 2 = 1 AND name LIKE '%9'") == f"{there:,} rows{MEASURED}"


def test_other_constants_are_corrected_by_the_root_of_what_was_wrong(con: tqp.Connection) -> None:
    """One case says little of another one; several say more."""
    plain = float(estimated(con, "name LIKE '%5'").split(" ")[0].replace(",", ""))
    con.sql("SELECT id FROM t WHERE name LIKE '%9'").fetchall()
    once = float(estimated(con, "name LIKE '%5'").split(" ")[0].replace(",", ""))
    assert once == pytest.approx(plain * (2000 / plain) ** 0.5, abs=1)
    with tqp.connect(disabled_rules=("reuse_plans",)) as apart:
        apart.register("t", facts())
        for digit in "13579":
            apart.sql(f"SELECT id FROM t WHERE name LIKE '%{digit}'").fetchall()
        often = float(estimated(apart, "name LIKE '%0'").split(" ")[0].replace(",", ""))
        assert abs(np.log(often / 2000)) < abs(np.log(once / 2000)) / 2


def test_another_version_of_the_table_starts_anew(con: tqp.Connection) -> None:
    con.sql("SELECT id FROM t WHERE name LIKE '%9'").fetchall()
    assert MEASURED in estimated(con, "name LIKE '%9'")
    assert any(kind == "selectivity" and "LIKE" in key.upper() for kind, key, *_ in con.cache().fetchall())
    con.register("t", facts())
    assert MEASURED not in estimated(con, "name LIKE '%9'")


@pytest.mark.parametrize(
    "query",
    [
        "SELECT id FROM t WHERE name LIKE '%9' LIMIT 5",  # not all rows came
        "SELECT 1 WHERE EXISTS (FROM t WHERE name LIKE '%9')",
        "SELECT id FROM t JOIN (SELECT 3 AS k) USING (k) WHERE (id + t.k) % 7 = 3 AND name LIKE '%9'",  # another condition
    ],
)
def test_what_is_not_measured(con: tqp.Connection, query: str) -> None:
    con.sql(query).fetchall()
    assert MEASURED not in estimated(con, "name LIKE '%9'")


def test_other_constants_of_a_plan_do_not_measure(con: tqp.Connection) -> None:
    """The plan was estimated for those that it was made for."""
    con.sql("SELECT id FROM t WHERE often = 3").fetchall()
    con.sql("SELECT id FROM t WHERE often = 7").fetchall()
    assert "10,002" not in estimated(con, "often = 7")


def test_the_switch(con: tqp.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, measured_rows=None)
    con.sql("SELECT id FROM t WHERE name LIKE '%9'").fetchall()
    assert MEASURED not in estimated(con, "name LIKE '%9'")


def test_joins_come_in_another_order_once_it_is_known_what_a_condition_keeps(con: tqp.Connection) -> None:
    """LIKE is taken to keep less than a comparison of what is computed; here it keeps all, and the other one a hundredth."""
    con.register("u", facts())
    rows = np.arange(200_000)
    con.register("big", {"a": rows % ROWS, "b": (rows * 13) % ROWS})
    query = """SELECT count(*), min(t.name), min(u.name){} FROM big JOIN t ON a = t.id JOIN u ON b = u.id
        WHERE t.name LIKE 'n%' AND u.k + u.j > 340"""

    def joined_first(also: str) -> str:
        """The key by which the large table is joined below the other join."""
        joins = [line for line in con.sql(query.format(also)).explain().splitlines() if "Join inner" in line]
        return joins[-1].split(" on ")[1].split(" ")[0]

    assert joined_first(", 1") == "a"
    con.sql(query.format("")).fetchall()
    con.sql("SELECT id FROM u WHERE u.k + u.j > 340").fetchall()
    assert joined_first(", 1, 2") == "b"
    assert con.verify(query.format(""))


@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 30), st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=60
    )
)
def test_the_same_history_gives_the_same_estimates(history: list[tuple[int, int, float, float]]) -> None:
    one, other = Selectivities(), Selectivities()
    for shape, constants, share, measured in history:
        for memory in (one, other):
            memory.learn(Condition(str(shape), str(constants)), share, measured)
    shape, constants, _, measured = history[-1]
    assert one.share(Condition(str(shape), str(constants)), 0.5) == measured
    for number in range(40):
        found = one.share(Condition(str(shape), str(number)), 0.5)
        assert found is not None
        assert 0 <= found <= 1
        assert found == other.share(Condition(str(shape), str(number)), 0.5)
    assert one.share(Condition("another", "1"), 0.5) is None


def test_only_so_much_is_remembered() -> None:
    memory = Selectivities()
    for shape in range(1000):
        for constants in range(20):
            memory.learn(Condition(str(shape), str(constants)), 0.5, 0.25)
    assert len(list(memory.kept())) == 256
    assert memory.share(Condition("3", "3"), 0.5) is None
    assert memory.share(Condition("999", "3"), 0.5) == pytest.approx(0.5 * 0.5 ** (20 / 21))
