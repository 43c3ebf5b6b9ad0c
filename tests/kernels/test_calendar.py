"""The calendar against the standard library, and against itself where that ends."""

from __future__ import annotations

import datetime as dt

import pytest
import torch

from tqp.kernels import calendar

EPOCH = dt.date(1970, 1, 1)
DATES = [dt.date(1, 1, 1) + dt.timedelta(days=step * 977) for step in range(3737)]
DATES += [dt.date(year, month, day) for year in (4, 100, 1900, 1999, 2000, 2024) for month, day in
          ((1, 1), (2, 28), (3, 1), (12, 28), (12, 31))]  # fmt: skip
DAYS = torch.tensor([(date - EPOCH).days for date in DATES])

FIELDS = {
    "year": lambda d: d.year, "month": lambda d: d.month, "day": lambda d: d.day, "dow": lambda d: d.isoweekday() % 7,
    "isodow": lambda d: d.isoweekday(), "doy": lambda d: d.timetuple().tm_yday, "week": lambda d: d.isocalendar()[1],
    "isoyear": lambda d: d.isocalendar()[0], "quarter": lambda d: (d.month + 2) // 3,
}  # fmt: skip


@pytest.mark.parametrize("part", FIELDS)
def test_fields(part):
    assert calendar.field(part, DAYS).tolist() == [FIELDS[part](date) for date in DATES]


def test_civil_round_trip_over_all_dates_of_int32():
    days = torch.randint(-(2**31), 2**31 - 1, (100_000,), generator=torch.Generator().manual_seed(0))
    year, month, day = calendar.civil_from_days(days)
    assert torch.equal(calendar.days_from_civil(year, month, day), days)
    assert bool((day <= calendar.days_in_month(year, month)).all()) and int(day.min()) == 1


def test_the_number_of_one_day_is_that_of_tensors_where_there_is_the_date():
    years = (-9999999, -400, -4, -1, 0, 1, 1900, 2000, 2023, 2024, 9999999)
    for year, month, day in ((y, m, d) for y in years for m in range(14) for d in (-1, 0, 1, 28, 29, 30, 31, 32)):
        one = torch.tensor(year), torch.tensor(month), torch.tensor(day)
        exists = 1 <= month <= 12 and 1 <= day <= int(calendar.days_in_month(*one[:2]))
        assert calendar.day_number(year, month, day) == (int(calendar.days_from_civil(*one)) if exists else None)


def test_add_months_clamps():
    day = torch.tensor([(dt.date(2024, 1, 31) - EPOCH).days])
    for months, expected in ((1, (2024, 2, 29)), (13, (2025, 2, 28)), (-2, (2023, 11, 30)), (12, (2025, 1, 31))):
        assert [int(x) for x in calendar.civil_from_days(calendar.add_months(day, months))] == list(expected)


@pytest.mark.parametrize("part", ["week", "month", "quarter", "year", "decade", "century", "millennium", "isoyear"])
def test_truncation_starts_the_period(part):
    start = calendar.truncate(part, DAYS)
    assert bool((start <= DAYS).all()) and torch.equal(calendar.truncate(part, start), start)
    if part in FIELDS:
        name = "isoyear" if part == "week" else part
        assert torch.equal(calendar.field(name, start), calendar.field(name, DAYS))


def test_truncation_and_field_refuse_other_parts():
    with pytest.raises(ValueError, match="hour"):
        calendar.field("hour", DAYS)
    with pytest.raises(ValueError, match="hour"):
        calendar.truncate("hour", DAYS)
