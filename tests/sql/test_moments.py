"""The current date and time: one moment a query, another one for the next, and no plan of its own."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest

import tqp
from tqp.errors import BindError


def test_a_query_has_one_moment_and_the_next_another() -> None:
    con = tqp.connect(threads=1)
    text = "SELECT now(), current_timestamp, localtimestamp, today(), current_localtime() FROM range_of"
    con.register("range_of", {"x": [1, 2, 3]})
    before = datetime.now(UTC)
    first = con.sql(text).fetchall()
    assert len(set(first)) == 1 and first[0][0] == first[0][1]
    assert before - timedelta(seconds=1) <= first[0][0] <= datetime.now(UTC)
    time.sleep(0.002)
    assert con.sql(text).fetchall()[0][0] > first[0][0]


def test_a_relation_keeps_its_moment() -> None:
    relation = tqp.connect(threads=1).sql("SELECT now() AS t")
    once = relation.fetchall()
    time.sleep(0.002)
    assert relation.fetchall() == once


def test_the_plan_serves_later_moments() -> None:
    con = tqp.connect(threads=1)
    con.register("t", {"x": [1, 2, 3]})
    for text in ("SELECT now() FROM t", "SELECT x FROM t WHERE now() > TIMESTAMPTZ '2000-01-01 00:00:00+00' AND x > 1"):
        con.sql(text).fetchall()
        reused = con._plans.reused
        con.sql(text).fetchall()
        assert con._plans.reused == reused + 1


def test_the_date_is_that_of_the_time_zone() -> None:
    shown = {}
    for zone in ("Pacific/Kiritimati", "Pacific/Pago_Pago"):
        con = tqp.connect(threads=1, time_zone=zone)
        (shown[zone],) = con.sql("SELECT localtimestamp, current_date, current_localtime()").fetchall()
        moment, day, clock = shown[zone]
        assert moment.date() == day and moment.time() == clock
    ahead = shown["Pacific/Kiritimati"][0] - shown["Pacific/Pago_Pago"][0]
    assert abs(ahead - timedelta(hours=25)) < timedelta(minutes=1)


def test_an_unknown_time_zone_is_refused() -> None:
    with pytest.raises(BindError, match="no time zone 'Nowhere'"):
        tqp.connect(time_zone="Nowhere")


@pytest.mark.parametrize("name", ["current_timestamp", "localtimestamp", "localtime"])
def test_words_are_no_functions(name: str) -> None:
    with pytest.raises(BindError, match="without parentheses"):
        tqp.connect(threads=1).sql(f"SELECT {name}()")
