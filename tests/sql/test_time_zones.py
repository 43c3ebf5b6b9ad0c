"""Time zones: the cases of `time_zones.sql` in several, what comes out in a zone, and offsets beside the standard library's."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import tqp
from tests.engines import Engines
from tests.sql.case_tables import TABLES
from tests.sql.test_cases import CASES, REFUSED, UNSUPPORTED
from tqp.errors import TqpError
from tqp.functions.time_zones import zone_named
from tqp.kernels import offsets
from tqp.kernels.calendar import SECOND

ZONES = [
    "Europe/Berlin",
    "America/St_Johns",
    "Australia/Lord_Howe",
    "Asia/Kolkata",
    "Pacific/Kwajalein",
    "Pacific/Apia",
]
MOMENT = "TIMESTAMPTZ '2021-07-01 22:30:00+00'"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="module", params=ZONES)
def engines(request: pytest.FixtureRequest) -> Iterator[Engines]:
    made = Engines(TABLES, time_zone=request.param)
    yield made
    made.close()


def test_the_cases_in_other_zones(engines: Engines) -> None:
    lines: list[str] = []
    ran = 0
    for line in (CASES / "time_zones.sql").read_text().splitlines():
        lines.append(line)
        if not line.endswith(";"):
            continue
        statement = "\n".join(lines)
        lines = []
        if UNSUPPORTED in statement:
            continue
        if REFUSED in statement:
            with pytest.raises(TqpError):
                engines.tqp.sql(statement).arrow()
        else:
            engines(statement)
        ran += 1
    assert ran > 30


@pytest.fixture
def berlin() -> Iterator[tqp.Connection]:
    with tqp.connect(threads=1, time_zone="europe/berlin") as con:
        yield con


def test_what_comes_out_has_the_zone(berlin: tqp.Connection) -> None:
    relation = berlin.sql(f"SELECT {MOMENT} AS t")
    assert relation.arrow().schema.field("t").type == pa.timestamp("us", "Europe/Berlin")
    assert str(relation.df()["t"].dtype) == "datetime64[us, Europe/Berlin]"
    assert relation.pl().schema["t"].time_zone == "Europe/Berlin"
    ((found,),) = relation.fetchall()
    assert found == datetime(2021, 7, 1, 22, 30, tzinfo=UTC) and found.utcoffset() == timedelta(hours=2)
    assert "2021-07-02 00:30:00+02" in str(relation)
    assert relation.verify().ok


def test_views_keep_the_zone(berlin: tqp.Connection) -> None:
    view = berlin.sql(f"SELECT hour(t) AS h, t FROM (SELECT {MOMENT} AS t)")
    assert view.sql("SELECT h, hour(t) FROM self").fetchall() == [(0, 0)]


def test_the_plan_serves_other_constants(berlin: tqp.Connection) -> None:
    berlin.register("t", {"x": [datetime(2021, 7, 1, 22, 30, tzinfo=UTC)]})
    for hour, found in (("00", [(0,)]), ("23", [(0,)]), ("12", [(0,)])):
        text = f"SELECT hour(x) FROM t WHERE x > '2021-07-01 {hour}:00:00'"
        assert berlin.sql(text).fetchall() == found
    assert berlin._plans.reused == 2
    assert berlin.sql("SELECT hour(x) FROM t WHERE x > '2021-07-02 00:30:01'").fetchall() == []


@pytest.mark.parametrize("name", [*ZONES, "UTC", "Africa/Casablanca"])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_offsets_are_those_of_the_standard_library(name: str, data: st.DataObject) -> None:
    zone, clocks = zone_named(name), ZoneInfo(name)
    starts = [int(start) // SECOND for start in zone.starts.tolist()]
    any_second = st.integers(-4 * 10**9, 2 * 10**11)
    near = st.tuples(st.sampled_from(starts), st.integers(-4000, 4000)).map(sum) if starts else any_second
    second = data.draw(any_second | near)
    micros = torch.tensor([second * SECOND], dtype=torch.int64)
    moment = (EPOCH + timedelta(seconds=second)).astimezone(clocks)
    ahead = moment.utcoffset()
    assert ahead is not None
    found = offsets.offsets_at(micros, zone.starts, zone.offsets)
    assert found.tolist() == [int(ahead.total_seconds()) * SECOND]
    # The time that clocks show is that of this instant, or of a later one that they show the same at.
    again = offsets.instants(micros + found, zone.starts, zone.offsets)
    shown = moment.replace(tzinfo=None)
    late = shown.replace(tzinfo=clocks, fold=1)
    assert again.tolist() == [int((late.astimezone(UTC) - EPOCH).total_seconds()) * SECOND]


def test_rules_go_on_for_ever() -> None:
    zone = zone_named("Europe/Berlin")
    years = torch.tensor([2400, 2800, 102_000, 290_000], dtype=torch.int64)
    summer = (years - 2000) // 400 * 146_097 * 86_400 * SECOND + 962_409_600 * SECOND
    assert offsets.offsets_at(summer, zone.starts, zone.offsets).tolist() == [7200 * SECOND] * 4
