"""When numbers of sequences are drawn: once a run, for each row another, whatever else runs."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

import tqp
from tqp.errors import ExecutionError, UnsupportedError


@pytest.fixture
def con():
    with tqp.connect(threads=2) as made:
        made.sql("CREATE SEQUENCE s")
        yield made


def test_a_relation_draws_when_it_is_looked_at_first(con: tqp.Connection):
    never, once = con.sql("SELECT nextval('s')"), con.sql("SELECT nextval('s') AS n FROM range(3)")
    assert "nextval(" in never.explain() and "user code" not in never.explain()
    assert once.fetchall() == once.fetchall() == [(1,), (2,), (3,)]
    once.explain(True)
    assert once.filter("n > 1").fetchall() == [(2,), (3,)]
    assert con.sql("SELECT currval('s')").fetchall() == [(3,)]


def test_the_same_text_draws_anew(con: tqp.Connection):
    for number in range(1, 6):
        assert con.sql("SELECT nextval('s')").fetchall() == [(number,)]
        assert con.sql("SELECT currval('s')").fetchall() == [(number,)]


def test_another_name_is_another_sequence(con: tqp.Connection):
    con.sql("CREATE SEQUENCE t START 10")
    for text in ("SELECT nextval('{}')", "SELECT nextval('' || '{}')"):
        assert [con.sql(text.format(name)).fetchall()[0][0] for name in "stst"] in ([1, 10, 2, 11], [3, 12, 4, 13])
    con.sql("CREATE OR REPLACE SEQUENCE s START 50")
    assert con.sql("SELECT nextval('s')").fetchall() == [(50,)]


def test_rows_keep_their_numbers(con: tqp.Connection):
    query = (
        "SELECT count(*), count(DISTINCT a.n), min(a.n), max(a.n) FROM drawn a JOIN drawn b ON a.n = b.n AND a.i = b.i"
    )
    text = f"WITH drawn AS (SELECT i, nextval('s') AS n FROM range(50000) t(i) WHERE i % 2 = 0) {query} WHERE a.n > 10"
    assert con.sql(text).fetchall() == [(24990, 24990, 11, 25000)]


def test_threads_share_no_number(con: tqp.Connection):
    def draw(place: int) -> list[int]:
        return [number for (number,) in con.sql(f"SELECT nextval('s') FROM range({place % 7})").fetchall()]

    with ThreadPoolExecutor(4) as pool:
        drawn = [number for numbers in pool.map(draw, range(60)) for number in numbers]
    assert sorted(drawn) == list(range(1, len(drawn) + 1))


def test_no_row_draws_nothing(con: tqp.Connection):
    assert con.sql("SELECT nextval('s') FROM range(3) WHERE range > 5").fetchall() == []
    assert con.sql("SELECT nextval('s')").fetchall() == [(1,)]


def test_a_condition_of_a_join_draws_nothing(con: tqp.Connection):
    with pytest.raises(UnsupportedError, match="nextval"):
        con.sql("SELECT * FROM range(3) a JOIN range(3) b ON nextval('s') > 0").fetchall()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SELECT setval('s', 0)", 'setval: value 0 is out of bounds for sequence "s"'),
        ("SELECT currval('s')", "currval: sequence s is not yet defined in this session"),
        ("SELECT setseed(2)", "SETSEED accepts seed values between -1.0 and 1.0, inclusive"),
    ],
)
def test_errors_show_no_arguments_that_nobody_wrote(con: tqp.Connection, text: str, message: str):
    with pytest.raises(ExecutionError) as caught:
        con.sql(text).fetchall()
    assert message in str(caught.value) and "In " not in str(caught.value)
