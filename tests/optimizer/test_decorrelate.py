"""Subqueries of every kind, before and after, on rows with NULLs and duplicates."""

from __future__ import annotations

import re

import pytest
import torch

import tqp
from tests.optimizer.build import col, group, join, lit, op, pick, project, scan, table, where, window
from tests.optimizer.interpret import TooManyRows, run
from tqp.ir.check import check
from tqp.ir.expr import Case, Exists, Expr, InSubquery, ScalarSubquery, SortKey
from tqp.ir.plan import Field, Limit, Plan, SetOp, Sort, Values
from tqp.ir.show import show
from tqp.optimizer import optimize
from tqp.optimizer.rules.decorrelate import decorrelate
from tqp.types import BIGINT

T = table("t", "k a b", (1, 1, 10), (2, 2, None), (3, None, 5), (4, 2, 7), (5, 9, 2))
U = table("u", "a c d", (1, 3, 4), (1, 5, 4), (2, None, 1), (None, 8, 2), (2, 7, 7), (6, 1, 1))
V = table("v", "c e", (3, 1), (5, 2), (7, 2), (None, 3))
EMPTY = table("empty", "a c d")

SAME = op("eq", "u.a", "t.a")


def u(*parts: Expr) -> Plan:
    return where(scan(U, "u"), *parts) if parts else scan(U, "u")


def total(function: str, plan: Plan, arg: str | None = "u.c") -> Plan:
    return group(plan, x=(function, arg))


def same_binding_v(*parts: Expr) -> Plan:
    return where(scan(V, "v"), op("eq", "v.c", "u.c"), *parts)


DEEP = group(same_binding_v(op("lt", "v.e", "t.k")), y=("count", "v.e"))

WHERE: dict[str, Expr] = {
    "exists": Exists(u(SAME)),
    "not exists": op("not", Exists(u(SAME))),
    "exists uncorrelated": Exists(u(op("gt", "u.c", 100))),
    "exists unequal": Exists(u(SAME, op("neq", "u.c", "t.b"))),
    "not exists unequal": op("not", Exists(u(SAME, op("neq", "u.c", "t.b")))),
    "exists less": Exists(u(op("lt", "u.a", "t.a"))),
    "exists in or": op("or", Exists(u(SAME)), op("eq", "t.k", 3)),
    "exists of an aggregate": Exists(total("sum", u(SAME))),
    "exists of groups with having": Exists(where(group(u(SAME), "u.d", x=("sum", "u.c")), op("gt", "x", 6))),
    "exists limit": Exists(Limit(u(SAME), 1)),
    "in": InSubquery((col("t.a"),), pick(u(), "u.a")),
    "in correlated": InSubquery((col("t.b"),), pick(u(SAME), "u.c")),
    "not in": op("not", InSubquery((col("t.a"),), pick(u(), "u.a"))),
    "not in without nulls": op("not", InSubquery((col("t.a"),), pick(u(op("lt", "u.a", 3)), "u.a"))),
    "not in empty": op("not", InSubquery((col("t.a"),), pick(scan(EMPTY, "u"), "u.a"))),
    "not in correlated": op("not", InSubquery((col("t.b"),), pick(u(SAME), "u.c"))),
    "not in unique": op("not", InSubquery((col("t.k"),), pick(u(), "u.d"))),
    "not in correlated unequal": op("not", InSubquery((col("t.b"),), pick(u(op("lt", "u.a", "t.a")), "u.c"))),
    "in in or": op("or", InSubquery((col("t.a"),), pick(u(), "u.a")), op("eq", "t.k", 3)),
    "in correlated in case": op("is_null", InSubquery((col("t.b"),), pick(u(SAME), "u.c"))),
    "in of two": InSubquery((col("t.a"), col("t.b")), pick(u(), "u.a", "u.c")),
    "not in of two": op("not", InSubquery((col("t.a"), col("t.b")), pick(u(), "u.a", "u.c"))),
    "is null in of two": op("is_null", InSubquery((col("t.a"), col("t.b")), pick(u(), "u.a", "u.c"))),
    "in an aggregate": InSubquery((col("t.b"),), total("sum", u(SAME))),
    "not in an aggregate": op("not", InSubquery((col("t.b"),), total("sum", u(SAME)))),
    "compare": op("lt", "t.b", ScalarSubquery(total("sum", u(SAME)))),
    "compare uncorrelated": op("lt", "t.b", ScalarSubquery(total("max", u()))),
    "compare with count": op("lt", ScalarSubquery(total("count", u(SAME))), "t.k"),
    "compare with count unequal": op("eq", ScalarSubquery(total("count_star", u(op("lt", "u.a", "t.a")), None)), 0),
    "nested": Exists(u(SAME, Exists(same_binding_v()))),
    "nested depth two": Exists(u(SAME, Exists(same_binding_v(op("lt", "v.e", "t.k"))))),
    "nested not depth two": Exists(u(SAME, op("not", Exists(same_binding_v(op("eq", "v.e", "t.k")))))),
    "skips a level": Exists(u(Exists(where(scan(V, "v"), op("eq", "v.c", "t.b"))))),
    "nested in depth two": Exists(
        u(op("not", InSubquery((col("u.c"),), pick(where(scan(V, "v"), op("eq", "v.e", "t.k")), "v.c"))))
    ),
    "nested scalar depth two": op(
        "lt", 3,
        ScalarSubquery(total("sum", u(SAME, op("lt", ScalarSubquery(DEEP), 2)))),
    ),
}  # fmt: skip

SELECT: dict[str, Expr] = {
    "sum": ScalarSubquery(total("sum", u(SAME))),
    "sum less": ScalarSubquery(total("sum", u(op("lt", "u.a", "t.a")))),
    "count": ScalarSubquery(total("count", u(SAME))),
    "count star less": ScalarSubquery(total("count_star", u(op("lt", "u.a", "t.a")), None)),
    "count plus one": ScalarSubquery(project(total("count", u(SAME)), y=op("add", "x", 1))),
    "coalesced sum": ScalarSubquery(project(total("sum", u(SAME)), y=op("coalesce", "x", 0))),
    "sum of outer": ScalarSubquery(group(u(SAME), x=("sum", op("add", "u.c", "t.k")))),
    "outer value": ScalarSubquery(project(where(scan(V, "v"), op("eq", "v.c", "t.b")), y=op("add", "t.k", 1))),
    "outer value alone": ScalarSubquery(project(Values((), ((),)), y=op("add", "t.a", 1))),
    "row": ScalarSubquery(pick(where(scan(V, "v"), op("eq", "v.c", "t.b")), "v.e")),
    "having": ScalarSubquery(where(total("sum", u(SAME)), op("gt", "x", 7))),
    "having count": ScalarSubquery(where(total("count", u(SAME)), op("lt", "x", 1))),
    "having outer": ScalarSubquery(where(total("sum", u(SAME)), op("gt", "x", "t.k"))),
    "first by order": ScalarSubquery(
        Limit(pick(Sort(u(SAME), (SortKey(col("u.c"), descending=True),)), "u.d"), 1)
    ),
    "first by order, less": ScalarSubquery(
        Limit(Sort(pick(u(op("lt", "u.a", "t.a")), "u.c"), (SortKey(col("u.c")),)), 1)
    ),
    "exists": Exists(u(SAME)),
    "not exists": op("not", Exists(u(op("lt", "u.a", "t.b")))),
    "in": InSubquery((col("t.a"),), pick(u(), "u.a")),
    "in empty": InSubquery((col("t.a"),), pick(scan(EMPTY, "u"), "u.a")),
    "in correlated": InSubquery((col("t.b"),), pick(u(SAME), "u.c")),
    "in correlated less": InSubquery((col("t.b"),), pick(u(op("lt", "u.a", "t.k")), "u.c")),
    "aggregate of aggregate": ScalarSubquery(
        group(group(u(SAME), "u.d", x=("sum", "u.c")), y=("max", "x"))
    ),
    "union": ScalarSubquery(
        group(
            SetOp(
                "union",
                True,
                (
                    pick(u(SAME), "u.c"),
                    pick(where(scan(V, "v"), op("eq", "v.e", "t.k")), "v.c"),
                    pick(where(scan(V, "w"), op("eq", "w.e", "t.k")), "w.c"),
                ),
                (Field("s", "s", BIGINT),),
            ),
            x=("sum", "s"),
        )
    ),
    "join inside": ScalarSubquery(
        total("sum", join("inner", u(SAME), scan(V, "v"), op("and", op("eq", "v.c", "u.c"), op("lt", "v.e", "t.k"))))
    ),
    "left join inside": ScalarSubquery(
        total("count", join("left", scan(V, "v"), u(op("lt", "u.a", "t.a")), op("eq", "v.c", "u.c")))
    ),
    "left join with outer condition": ScalarSubquery(
        total("count", join("left", scan(V, "v"), u(), op("and", op("eq", "v.c", "u.c"), op("lt", "u.a", "t.a"))))
    ),
    "case": Case((op("gt", ScalarSubquery(total("count", u(SAME))), 1),), (lit(1),), lit(0)),
}  # fmt: skip


def same(plan: Plan) -> Plan:
    expected = run(plan)
    check(plan)
    plain = decorrelate(plan)
    check(plain, subqueries=False)
    assert plain.schema == plan.schema
    assert run(plain) == expected, show(plain)
    best = optimize(plan)
    check(best, subqueries=False)
    assert best.schema == plan.schema
    assert run(best) == expected, show(best)
    return best


@pytest.mark.parametrize("name", WHERE)
def test_where(name: str) -> None:
    same(pick(where(scan(T, "t"), WHERE[name]), "t.k"))


@pytest.mark.parametrize("name", SELECT)
def test_select(name: str) -> None:
    same(project(scan(T, "t"), k="t.k", s=SELECT[name]))


def test_having_and_aggregate_argument() -> None:
    counted = total("count", where(scan(U, "w"), op("eq", "w.a", "t.a")), "w.c")
    grouped = group(scan(T, "t"), "t.a", n=("sum", op("add", "t.k", ScalarSubquery(counted))))
    same(where(grouped, op("gte", "n", ScalarSubquery(group(u(), z=("min", "u.c"))))))


def test_sort_key() -> None:
    same(Sort(scan(T, "t"), (SortKey(ScalarSubquery(total("sum", u(SAME)))),)))


@pytest.mark.parametrize("kind", ["inner", "left"])
def test_join_condition(kind: str) -> None:
    condition = op("and", op("eq", "t.a", "v.e"), Exists(u(SAME)))
    same(join(kind, scan(T, "t"), scan(V, "v"), condition))  # type: ignore[arg-type]


def test_join_condition_of_the_right_side() -> None:
    condition = op("and", op("eq", "t.a", "v.e"), Exists(u(op("eq", "u.c", "v.c"))))
    same(join("left", scan(T, "t"), scan(V, "v"), condition))


@pytest.mark.parametrize("kind", ["left", "full", "semi", "anti"])
@pytest.mark.parametrize(
    "inside", [(SAME,), (op("eq", "u.c", "v.c"),), (SAME, op("lte", "u.c", op("add", "v.c", "t.k")))]
)
def test_join_conditions_that_read_either_side_or_both(kind: str, inside: tuple[Expr, ...]) -> None:
    condition = op("and", op("gte", "t.a", "v.e"), Exists(u(*inside)))
    same(join(kind, scan(T, "t"), scan(V, "v"), condition))  # type: ignore[arg-type]
    counted = op("lt", ScalarSubquery(total("count", u(*inside))), "v.e")
    same(join(kind, scan(T, "t"), scan(V, "v"), op("or", counted, op("eq", "t.k", "v.c"))))  # type: ignore[arg-type]


def test_conditions_that_share_a_subquery() -> None:
    found = InSubquery((col("t.a"),), pick(u(), "u.a"))
    same(where(scan(T, "t"), op("not", found), op("not", op("eq", found, op("eq", "t.k", 1)))))
    same(where(scan(T, "t"), op("or", found, op("eq", "t.k", 3)), op("or", op("not", found), op("eq", "t.k", 1))))
    same(project(scan(T, "t"), x=found, y=op("not", found)))


def test_values() -> None:
    same(Values((Field("y", "y", BIGINT),), ((ScalarSubquery(total("max", u())),), (lit(3),))))


def test_second_row_is_an_error() -> None:
    plan = project(scan(T, "t"), s=ScalarSubquery(pick(u(SAME), "u.c")))
    for one in (plan, optimize(plan)):
        with pytest.raises(TooManyRows):
            run(one)


@pytest.mark.parametrize(("limit", "offset"), [(2, 0), (2, 1), (None, 1), (0, 0), (1, 1)])
def test_correlated_limit_of_several_rows(limit: int | None, offset: int) -> None:
    ordered = Sort(u(SAME), (SortKey(col("u.c")), SortKey(col("u.d"), descending=True)))
    same(where(scan(T, "t"), InSubquery((col("t.b"),), Limit(pick(ordered, "u.c"), limit, offset))))
    same(project(scan(T, "t"), s=ScalarSubquery(total("sum", Limit(ordered, limit, offset)))))


def test_correlated_window() -> None:
    ranked = window(u(SAME), ("u.d",), ("u.c",), r=("rank", None), s=("sum", op("add", "u.c", "t.k")))
    same(project(scan(T, "t"), y=ScalarSubquery(group(where(ranked, op("lt", "r", 2)), x=("sum", "s")))))
    same(where(scan(T, "t"), InSubquery((col("t.b"),), pick(window(u(op("lt", "u.a", "t.k")), x=("max", "u.c")), "x"))))


def test_correlated_full_join() -> None:
    inside = join(
        "full", u(op("lt", "u.a", "t.a")), where(scan(V, "v"), op("lt", "v.c", "t.k")), op("eq", "v.c", "u.c")
    )
    same(project(scan(T, "t"), x=ScalarSubquery(total("count", inside))))


@pytest.mark.parametrize(
    ("subquery", "told"),
    [
        ("SELECT avg(array_distance(q.v, b.v)) FROM b", "Aggregate by [row~3]"),
        ("SELECT max(d) FROM (SELECT array_distance(q.v, b.v) AS d FROM b GROUP BY b.v, d)", "by [v_2, d_2, row~3]"),
        ("SELECT array_distance(q.v, b.v) AS d FROM b ORDER BY d LIMIT 1 OFFSET 1", "PARTITION BY row~3 ORDER BY"),
    ],
)
def test_a_number_stands_for_what_is_wide(subquery: str, told: str) -> None:
    """Rows are told apart by their numbers, not by the arrays that a subquery reads of them."""
    con = tqp.connect(threads=1)
    for name in ("q", "b"):
        con.register(name, {"i": torch.arange(3), "v": torch.arange(6.0).reshape(3, 2)})
    plan = con.sql(f"SELECT i, ({subquery}) AS x FROM q").explain()
    assert told in plan and re.search(r"Join left on row~\d = row~\d\b", plan)
    narrow = con.sql("SELECT i, (SELECT avg(q.i + b.i) FROM b) AS x FROM q").explain()
    assert "row~" not in narrow
