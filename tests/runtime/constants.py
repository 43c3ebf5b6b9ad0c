"""Conditions with one set of constants after another, over the table of `conftest`, and how answers are compared."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import duckdb

import tqp

__all__ = ["CASES", "DAY", "check"]

DAY = datetime.date(1995, 3, 5)
CASES: list[tuple[str, list[list[Any]], int]] = [
    ("t < ?", [[5], [100], [-120], [127], [-128], [0]], 1),
    # Of 8 bits as the column, and of more.
    ("t <= ?", [[127], [128], [32_767], [-129], [1000]], 2),
    ("t = ?", [[5], [100], [200], [-300]], 2),
    ("i BETWEEN ? AND ?", [[5, 100], [-400, 30_000], [-30_000, 29_000], [127, 128], [9, 3]], 1),
    ("i <> ?", [[5], [100], [-32_768], [32_767], [2**20], [2**31 - 1]], 1),
    # Parameters beyond 32 bits have another type, and so another plan.
    ("b >= ?", [[5], [2**31 - 1], [-(2**31)], [2**31], [-(2**40)], [2**63 - 1], [-(2**63)]], 2),
    ("b > ?", [[2**64], [2**70], [2**100]], 1),
    ("b > ?", [[-(2**63) - 1], [-(2**69)], [-(2**120)]], 1),
    ("m > ?", [[Decimal("0.01")], [Decimal("9.99")], [Decimal("-5.00")], [Decimal("1.27")], [Decimal("1.28")]], 1),
    # Another scale is another type.
    ("m > ?", [[Decimal("0.1")], [Decimal("0.001")], [Decimal("0.002")], [Decimal("3.999")]], 2),
    ("m = ?", [[3], [4], [99], [100_000]], 1),
    ("d <= ?", [[DAY], [DAY.replace(1992)], [DAY.replace(1970)], [DAY.replace(2200)]], 1),
    ("d >= ? AND d < ? + INTERVAL 1 YEAR", [[DAY, DAY], [DAY.replace(1993)] * 2, [DAY.replace(1994)] * 2], 1),
    ("s >= ?", [[datetime.datetime(2001, 9, 9)], [datetime.datetime(2001, 9, 12, 3)], [datetime.datetime(1, 1, 1)]], 1),
    ("f < ?", [[1.5], [-3.25], [float("inf")], [float("nan")], [0.0], [-0.0]], 1),
    ("f = ?", [[1.5], [float("nan")], [float("-inf")]], 1),
    ("f >= ? OR f < ?", [[1.5, -2.0], [float("nan"), 0.5], [0.25, float("nan")]], 1),
    ("w = ?", [["fig"], ["apple"], ["no such"], [""]], 1),
    ("w <> ?", [["fig"], ["apple"], ["no such"], [""]], 1),
    ("w < ? AND i > ?", [["fig", 3], ["b", 200], ["zebra", -5], ["", 127]], 1),
    ("w LIKE ?", [["a%"], ["%n%"], ["no such"], ["_ig"], ["%"]], 1),
    ("w IN (?, ?)", [["fig", "apple"], ["no such", "fig"], ["neither", "nor"]], 1),
    ("w || ? = 'figs'", [["s"], ["gs"], ["x"]], 1),
    ("t IN (?, ?, ?)", [[1, 2, 3], [5, 50, -7], [100, 101, 90]], 1),
    ("i IS DISTINCT FROM ?", [[5], [100], [-20_000]], 1),
    ("i = ? OR d = ?", [[5, DAY], [-7, DAY.replace(1994)]], 1),
    # What is computed of constants alone is one of a class, too.
    ("t >= ? // 10", [[5], [100], [1000], [-77]], 1),
    ("i < ? * 3 - ?", [[5, 2], [-100, 7], [1000, 9]], 1),
    ("i > ? % ? + 1", [[5, 3], [100, 9], [8, 7]], 1),
    ("t > ? // 10 OR i = ?", [[50, 7], [700, 8]], 1),
    ("t > ? // ?", [[5, 1], [90, 2]], 1),
    ("coalesce(t < ?, false)", [[None], [None], [5], [6]], 2),
    ("w = ? OR i > ?", [[None, 5], ["fig", 6], [None, 7]], 2),
]  # fmt: skip


def check(con: tqp.Connection, oracle: duckdb.DuckDBPyConnection, sql: str, values: list[Any]) -> None:
    theirs = oracle.execute(sql, values)
    assert con.sql(sql, values).fetchall() == theirs.fetchall(), (sql, values)
