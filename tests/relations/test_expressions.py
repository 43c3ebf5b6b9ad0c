"""Expressions that are put together in Python, beside those of DuckDB; what is no expression is refused."""

from __future__ import annotations

import enum
import math
import uuid
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
import torch

import tqp
from tests.relations.test_steps import T, U
from tqp.errors import BindError, ParseError, TqpError

Steps = Callable[[Any, Any, Any], Any]

SAME: dict[str, Steps] = {
    "filter": lambda m, t, u: t.filter(m.ColumnExpression("x") > 10),
    "and or not": lambda m, t, u: t.filter(
        ((m.ColumnExpression("x") > 10) & (m.ColumnExpression("k") == "a")) | ~(m.ColumnExpression("id") < 3)
    ),
    "arithmetic": lambda m, t, u: t.select(
        m.ColumnExpression("x") + 1, 2 - m.ColumnExpression("x"), m.ColumnExpression("x") * 2, 1 / m.ColumnExpression("x"),
        m.ColumnExpression("x") // 3, m.ColumnExpression("x") % 7, 2 ** m.ColumnExpression("id"), -m.ColumnExpression("x")
    ),
    "names and expressions": lambda m, t, u: t.project("id", (m.ColumnExpression("x") * 2).alias("twice")),
    "an odd name": lambda m, t, u: t.select(m.ColumnExpression("Odd name"), m.ColumnExpression("select")),
    "parts of a name": lambda m, t, u: t.select(m.ColumnExpression("t", "id")),
    "a star": lambda m, t, u: t.select(m.StarExpression()),
    "a star but": lambda m, t, u: t.select(m.StarExpression(exclude=["x", m.ColumnExpression("k")])),
    "constants": lambda m, t, u: t.select(
        *[m.ConstantExpression(value).alias(f"c{place}") for place, value in enumerate([
            None, True, 5, -5, 2**40, 2**63, -(2**70), 1.5, -0.5, float("inf"), "it's", b"a\x00'", Decimal("1.50"),
            Decimal("0.05"), date(2020, 1, 2), datetime(2020, 1, 2, 3, 4, 5, 6), time(1, 2, 3), timedelta(1, 2, 3),
            uuid.UUID(int=5), [1, 2], [], {"a": 1, "b": "x"}, {1: "x"}, np.int32(7), np.float64(0.25), np.array([1, 2]),
        ])]
    ),
    "functions": lambda m, t, u: t.select(
        m.FunctionExpression("upper", m.ColumnExpression("k")), m.FunctionExpression("concat", m.ColumnExpression("k"), "!")
    ),
    "a struct": lambda m, t, u: t.select(
        m.FunctionExpression("struct_pack", m.ColumnExpression("id").alias("a"), m.ColumnExpression("x").alias("b c")).alias("s")
    ).select(m.ColumnExpression("s")["b c"]),
    "an element": lambda m, t, u: t.select(m.ColumnExpression("Odd name")[1].alias("first")),
    "a lambda": lambda m, t, u: t.select(
        m.FunctionExpression("list_transform", m.ColumnExpression("Odd name"), m.LambdaExpression("v", m.ColumnExpression("v") + 1))
        .alias("l")
    ),
    "short names": lambda m, t, u: t.select(
        (m.col("x") + m.lit(1)).alias("a"), m.fn("upper", m.col("k")).alias("b"), m.coalesce(m.col("x"), 0).alias("c"),
        m.sql_expr("id * 2").alias("d"), m.star(exclude=["k", "x"])
    ),
    "count of all": lambda m, t, u: t.aggregate([m.count_all().alias("n"), m.col("id").bit_or().alias("b")], ""),
    "concat": lambda m, t, u: t.select(m.col("k").concat("!", m.col("k")).alias("c"), m.col("k").concat(m.lit(None).cast("VARCHAR")).alias("n")),
    "texts": lambda m, t, u: t.select(
        m.col("k").alias("gone").str().upper().lpad(3, "*").alias("p"), m.col("k").str().concat_ws("-", "z").reverse().alias("c"),
        m.col("k").str().string_split("a").count().alias("n"), m.col("k").str().regexp_matches("a|b").alias("r"),
    ).filter(m.col("p").str().contains("*")),
    "moments": lambda m, t, u: t.select((m.lit(date(2024, 3, 5)) + m.col("id").cast("INTEGER")).alias("d")).select(
        m.col("d").dt().trunc("month").year().alias("y"), m.col("d").dt().dayname().upper().alias("w"),
        m.col("d").dt().diff("day", m.lit(date(2024, 1, 1))).alias("n"), m.col("d").dt().part("week").alias("p"),
    ),
    "lists": lambda m, t, u: t.select(
        m.col("Odd name").list().append(0).sort().alias("s"), m.col("Odd name").list().prepend(9).mask([True]).alias("m"),
        m.col("Odd name").list().sum().alias("t"),
    ),
    "lambdas of Python": lambda m, t, u: t.select(
        m.col("Odd name").list().transform(lambda x: x * 10 + m.col("id")).alias("a"),
        m.col("Odd name").list().transform(
            lambda x: m.col("Odd name").list().filter(lambda x_again: x_again >= x).list().count()
        ).alias("b"),
        m.col("Odd name").list().append(1).list().reduce(lambda a, b: a + b).alias("c"),
    ),
    "JSON": lambda m, t, u: t.select(m.lit('{"a": {"b": "x"}, "l": [1, 2]}').alias("j")).select(
        m.col("j").json().extract_string("$.a.b").upper().alias("b"), m.col("j").json().extract("$.l").array_length().alias("n"),
        m.col("j").json().keys().reverse().alias("k"), m.col("j").json().parse().alias("p"), m.col("j").json().length().alias("c"),
    ),
    "case": lambda m, t, u: t.select(
        m.CaseExpression(m.ColumnExpression("x") > 20, "much").when(m.ColumnExpression("x") > 10, "some").otherwise("little")
    ),
    "case without a rest": lambda m, t, u: t.select(m.CaseExpression(m.ColumnExpression("x") > 20, 1).alias("c")),
    "coalesce": lambda m, t, u: t.select(m.CoalesceOperator(m.ColumnExpression("x"), -1).alias("c")),
    "NULL": lambda m, t, u: t.filter(m.ColumnExpression("x").isnull() | m.ColumnExpression("k").isnotnull()),
    "in": lambda m, t, u: t.filter(m.ColumnExpression("k").isin("a", "c")),
    "not in": lambda m, t, u: t.filter(m.ColumnExpression("id").isnotin(1, 2)),
    "between": lambda m, t, u: t.filter(m.ColumnExpression("id").between(2, 3)),
    "between by name": lambda m, t, u: t.filter(m.ColumnExpression("id").between(lower=2, upper=3)),
    "like": lambda m, t, u: t.filter(m.ColumnExpression("k").like("a%") | m.ColumnExpression("k").ilike("B")),
    "cast": lambda m, t, u: t.select(
        m.ColumnExpression("x").cast("VARCHAR").alias("v"), m.ColumnExpression("k").try_cast("INTEGER").alias("i")
    ),
    "collate": lambda m, t, u: t.select((m.ColumnExpression("k").collate("nocase") == "A").alias("c")),
    "order": lambda m, t, u: t.order(m.ColumnExpression("x").desc().nulls_last()).select("id", "x"),
    "order by several": lambda m, t, u: t.sort(m.ColumnExpression("k").desc().nulls_first(), m.ColumnExpression("id")),
    "order by names": lambda m, t, u: t.sort("k", m.ColumnExpression("id").asc()),
    "aggregate": lambda m, t, u: t.aggregate(
        [m.FunctionExpression("sum", m.ColumnExpression("x")).alias("s"), m.ColumnExpression("k")], "k"
    ),
    "aggregate without groups": lambda m, t, u: t.aggregate([m.ColumnExpression("x").max(), m.ColumnExpression("x").count()]),
    "aggregate by an expression": lambda m, t, u: t.aggregate(
        [(m.ColumnExpression("id") % 2).alias("g"), m.ColumnExpression("x").avg().alias("a")], m.ColumnExpression("id") % 2
    ),
    "filtered": lambda m, t, u: t.aggregate([m.ColumnExpression("x").sum().where(m.ColumnExpression("id") > 1).alias("s")]),
    "ordered": lambda m, t, u: t.aggregate([
        m.ColumnExpression("id").array_agg().order_by(m.ColumnExpression("x")).order_by(m.ColumnExpression("id").desc()).alias("l"),
        m.ColumnExpression("id").first(order_by=m.ColumnExpression("id").desc()).alias("f"),
        m.ColumnExpression("id").array_agg().where(m.ColumnExpression("id") > 1).order_by(m.ColumnExpression("id").desc()).alias("w"),
    ]),
    "different": lambda m, t, u: t.aggregate([m.ColumnExpression("k").n_unique().alias("n")]),
    "groups": lambda m, t, u: t.group_by(m.ColumnExpression("k")).agg(m.ColumnExpression("x").sum().alias("s")),
    "window": lambda m, t, u: t.select("id", m.ColumnExpression("x").sum().over(
        m.ColumnExpression("k"), m.ColumnExpression("id").desc()).alias("s")),
    "frames": lambda m, t, u: t.select(
        "id", m.col("x").sum().over(order_by=m.col("id"), rows=(-1, 0)).alias("a"),
        m.col("x").sum().over(order_by=m.col("id"), rows=(None, None)).alias("b"),
        m.col("id").count().over(order_by=m.col("id"), range=(-2, 1)).alias("c"),
        m.col("id").count().over([m.col("k")], [m.col("id")], rows=(1, None)).alias("d"),
    ),
    "window functions": lambda m, t, u: t.select(
        "id", m.rank().over(order_by=m.col("x")).alias("r"), m.row_number().over(order_by=m.col("id").desc()).alias("n"),
        m.dense_rank().over(order_by=m.col("k")).alias("d"), m.ntile(2).over(order_by=m.col("id")).alias("t"),
        m.lag(m.col("x"), 1, 0).over(order_by=m.col("id")).alias("l"), m.lead(m.col("x")).over(order_by=m.col("id")).alias("e"),
        m.lag(m.col("x")).ignore_nulls().over(order_by=m.col("id")).alias("i"),
        m.first_value(m.col("x")).over(order_by=m.col("id")).alias("f"), m.last_value(m.col("x")).over(m.col("k")).is_null().alias("z"),
    ),
    "when": lambda m, t, u: t.select(
        m.when(m.col("x") > 20).then("much").when(m.col("x") > 10).then(m.col("k")).otherwise("little").alias("c"),
        m.when(m.col("x") > 20).then(1).end().alias("e"),
    ),
    "an escape": lambda m, t, u: t.filter(m.col("k").concat("%").like("_!%", escape="!") & ~m.col("k").ilike("A!%", escape="!")),
    "a star with other names": lambda m, t, u: t.select(m.star(["x"], rename={"id": "number", "k": "a key"})),
    "arguments by name": lambda m, t, u: t.select(m.fn("struct_pack", a=m.col("id"), b=1).alias("s")),
    "types of Python": lambda m, t, u: t.select(
        m.col("id").cast(str).alias("s"), m.col("k").try_cast(float).alias("f"), m.col("id").cast(int).alias("i")
    ),
    "with_columns": lambda m, t, u: t.with_columns(x=m.ColumnExpression("x") + 1, y=m.ConstantExpression("c")),
    "distinct on": lambda m, t, u: t.distinct([m.ColumnExpression("k")]).select("k"),
    "join": lambda m, t, u: t.project("id, k").join(
        u.project("id AS i, w"), m.ColumnExpression("t", "id") == m.ColumnExpression("i"), how="left"
    ),
    "text": lambda m, t, u: t.select(m.SQLExpression("x + 1 AS more"), m.SQLExpression("x -- remark").alias("n")),
    "text in an operation": lambda m, t, u: t.select((m.SQLExpression("x + 1") * 2).alias("d")),
}  # fmt: skip


@pytest.fixture(scope="module")
def sides() -> Any:
    con, oracle = tqp.connect(threads=1), duckdb.connect(config={"threads": 1})
    for name, table in (("t", T), ("u", U)):
        con.register(name, table)
        oracle.register(name, table)
    yield (tqp, con.table("t"), con.table("u")), (duckdb, oracle.table("t"), oracle.table("u"))
    con.close()
    oracle.close()


def _plain(kind: object) -> str:
    return str(kind).replace('"NULL"', "NULL")


@pytest.mark.parametrize("label", SAME)
def test_expressions_are_those_of_duckdb(label: str, sides: Any) -> None:
    ours, theirs = SAME[label](*sides[0]), SAME[label](*sides[1])
    assert ours.columns == theirs.columns
    assert [_plain(kind) for kind in ours.types] == [_plain(kind) for kind in theirs.types]
    rows = [[repr(row) for row in relation.fetchall()] for relation in (ours, theirs)]
    assert rows[0] == rows[1] if "order" in label else sorted(rows[0]) == sorted(rows[1])


col = tqp.ColumnExpression

REFUSED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "truth": (lambda t: t.filter(col("x") > 1 and col("x") < 2), "& | ~"),
    "elements": (lambda t: list(col("x")), "no elements"),
    "a type": (lambda t: tqp.ConstantExpression(object()), "object is no constant"),
    "an enum": (lambda t: col("x") == enum.Enum("E", "A").A, "no constant"),
    "nanoseconds": (lambda t: tqp.ConstantExpression(pd.Timestamp(5)), "nanoseconds"),
    "large integers": (lambda t: tqp.ConstantExpression(2**130), "128 bits"),
    "long decimals": (lambda t: tqp.ConstantExpression(Decimal("9" * 39)), "39 digits"),
    "no member": (lambda t: col("x").isin(), "needs a value"),
    "a branch of none": (lambda t: col("x").when(True, 1), "CaseExpression"),
    "a rest twice": (lambda t: tqp.CaseExpression(True, 1).otherwise(2).otherwise(3), "CaseExpression"),
    "an order of none": (lambda t: (col("x") + 1).order_by(col("x")), "calls of aggregates"),
    "rows of none": (lambda t: (col("x") + 1).where(col("x") > 1), "calls of aggregates"),
    "no column": (lambda t: col(), "by its name"),
    "an unknown column": (lambda t: t.filter(col("nope") > 1), "nope"),
    "a quote in a name": (lambda t: t.select(col('x" FROM u --')), 'x"" FROM u'),
    "more than an expression": (lambda t: t.select(tqp.SQLExpression("x FROM u")), "part of a query"),
    "more than a condition": (lambda t: t.filter(tqp.SQLExpression("true) OR (true")), "."),
    "one of DuckDB's": (lambda t: t.filter(duckdb.ColumnExpression("x") > 1), "tqp.ColumnExpression"),
    "a window by a name": (lambda t: t.select(col("x").sum().over("k")), "partition_by takes expressions"),
    "two frames": (lambda t: t.select(col("x").sum().over(rows=(0, 0), range=(0, 0))), "rows or range"),
    "no call without NULLs": (lambda t: (col("x") + 1).ignore_nulls(), "calls of window functions"),
    "no type of SQL": (lambda t: col("x").cast(Callable), "no type for Python"),
    "a star of a condition": (lambda t: t.filter(tqp.StarExpression()), "."),
}


@pytest.mark.parametrize("label", REFUSED)
def test_is_refused(label: str, sides: Any) -> None:
    step, message = REFUSED[label]
    with pytest.raises(TqpError, match=message):
        step(sides[0][1])


def test_values_are_constants_of_their_parameters_types() -> None:
    con = tqp.connect(threads=1, time_zone="UTC")
    values = [
        None, True, 5, 2**40, 2**63, 2**70, 1.5, "a'b", b"\x00\\", Decimal("-1.50"), Decimal("1E+3"), date(1, 1, 1),
        datetime(9999, 12, 31, 23, 59, 59, 999999), datetime(2020, 1, 1, tzinfo=UTC), timedelta(-1, 5), uuid.UUID(int=7),
        pd.NaT, pd.NA, pd.Timestamp("2020-01-01"), np.float32(0.5), torch.tensor(3, device="cpu"),
    ]  # fmt: skip
    for value in values:
        constant = con.sql("SELECT 1").select(tqp.ConstantExpression(value).alias("x"))
        given = con.sql("SELECT ? AS x", [value])
        assert constant.types == given.types, value
        assert constant.fetchall() == given.fetchall(), value
    found = con.sql("SELECT 1").select(
        tqp.ConstantExpression(float("nan")), tqp.ConstantExpression(torch.ones(2, device="cpu"))
    )
    row = found.fetchall()[0]
    assert math.isnan(row[0]) and row[1] == [1.0, 1.0]


def test_what_an_expression_shows(capsys: pytest.CaptureFixture[str]) -> None:
    total = (col("a b") + 1).alias("total")
    assert (str(total), repr(total), total.get_name(), col("x").get_name()) == (
        '("a b" + 1)',
        '("a b" + 1)',
        "total",
        "x",
    )
    total.show()
    assert capsys.readouterr().out == '("a b" + 1)\n'
    assert total.alias("").get_name() == '("a b" + 1)' and len({total, total}) == 1
    with pytest.raises(AttributeError):
        total.text = "x"  # type: ignore[misc]
    with pytest.raises(BindError):
        total.alias(5)  # type: ignore[arg-type]
    with pytest.raises(ParseError):
        tqp.connect(threads=1).sql("SELECT 1 AS a").filter(5)  # type: ignore[arg-type]


FAMILIES = ["str", "dt", "list", "json"]


@pytest.mark.parametrize("family", FAMILIES)
def test_families_have_the_methods_of_duckdb(family: str) -> None:
    """Each is the same call in SQL, and has the methods of the same family after it."""
    own, theirs = (getattr(m.col("a"), family)() for m in (tqp, duckdb))
    names = [name for name in type(theirs).SPEC if hasattr(type(theirs), name)]
    assert names
    for name in names:
        made, expected = (getattr(one, name)(1, 2) for one in (own, theirs))
        kinds = [type(one).__name__.removesuffix("Expression").removesuffix("Expr") for one in (made, expected)]
        assert kinds[0] == kinds[1] or (kinds[0] == "" and kinds[1] not in ("Str", "Dt", "List", "Json")), name
        assert str(made).replace(" ", "") == str(expected).replace(" ", "").replace('"', ""), name
        assert getattr(type(own), name).__doc__


def test_lambdas_of_python_are_refused() -> None:
    tags = tqp.col("l").list()
    for function in (lambda: 1, lambda *x: x, lambda x=1: x):
        with pytest.raises(BindError, match="cannot be a lambda"):
            tags.transform(function)
    with pytest.raises(BindError, match="takes an argument before"):
        tqp.col("d").dt().trunc()
