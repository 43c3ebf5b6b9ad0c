"""Steps over relations give what the same steps give on DuckDB's relations: names, types and rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import duckdb
import pyarrow as pa
import pytest

import tqp
from tqp.errors import TqpError

T = pa.table(
    {
        "id": pa.array([1, 2, 3, 4, 5, 6]),
        "k": pa.array(["a", "b", None, "a", "b", "a"]),
        "x": pa.array([10, None, 30, 20, 50, 20], pa.int32()),
        "y": pa.array([0.5, 1.5, None, 2.5, -1.0, 0.0]),
        "Odd name": pa.array([[1, 2], [3], [], [4], None, [5, 6]], pa.list_(pa.int64())),
        "select": pa.array([True, False, None, True, True, False]),
    }
)
U = pa.table({"k": ["a", "b", "c"], "w": [100, 200, 300], "id": [1, 2, 9]})

Steps = Callable[[Any, Any], Any]

SAME: dict[str, Steps] = {
    "filter": lambda t, u: t.filter("x > 10 AND k IS NOT NULL"),
    "filter by alias": lambda t, u: t.filter("t.x > 10").filter("t.id < 5"),
    "filter with a remark": lambda t, u: t.filter("x > 10 -- much"),
    "filter with a subquery": lambda t, u: t.filter("id IN (SELECT max(id) FROM t)"),
    "filter nothing": lambda t, u: t.filter("false"),
    "filter by NULL": lambda t, u: t.filter("NULL"),
    "project": lambda t, u: t.project("id, x + 1 AS more, k || '!'"),
    "project names": lambda t, u: t.project("id", "Odd name", "select", "t.k"),
    "project a star": lambda t, u: t.project("*, x AS again"),
    "project a star by name": lambda t, u: t.project("*", "id"),
    "project groups": lambda t, u: t.project("k, sum(x)", groups="k"),
    "project constants": lambda t, u: t.project("1 AS one").limit(2),
    "select": lambda t, u: t.select("id", "k"),
    "names that repeat": lambda t, u: t.project("id, k AS id").filter("id_1 = 'a'"),
    "aggregate": lambda t, u: t.aggregate("k, count(*), sum(x), avg(y)"),
    "aggregate groups": lambda t, u: t.aggregate("sum(x) AS s", "k"),
    "aggregate rollup": lambda t, u: t.aggregate("k, sum(x) AS s", "ROLLUP (k)"),
    "aggregate none": lambda t, u: t.filter("false").aggregate("count(*), sum(x)"),
    "aggregate no group": lambda t, u: t.filter("false").aggregate("k, count(*)"),
    "filter an aggregate": lambda t, u: t.aggregate("k, sum(x) AS x").filter("x > 60"),
    "group_by": lambda t, u: t.group_by("k").agg("count(*) AS n, max(x) AS m"),
    "group_by names": lambda t, u: t.group_by("k", "select").agg("count(*)"),
    "order": lambda t, u: t.order("k DESC NULLS LAST, id"),
    "sort": lambda t, u: t.sort("x", "id DESC"),
    "order after names": lambda t, u: t.project("id, -x AS x").order("x, id"),
    "order by all": lambda t, u: t.project("k, id").order("ALL"),
    "limit": lambda t, u: t.order("id").limit(2),
    "limit with offset": lambda t, u: t.order("id").limit(2, offset=3),
    "limit of nothing": lambda t, u: t.order("id").limit(0),
    "limit of limit": lambda t, u: t.order("id").limit(4).order("id DESC").limit(2),
    "head": lambda t, u: t.order("id").head(2),
    "offset": lambda t, u: t.order("id").offset(4),
    "distinct": lambda t, u: t.project("k", "select").distinct(),
    "distinct on": lambda t, u: t.order("id").distinct("k").project("k"),
    "distinct on several": lambda t, u: t.distinct(["k", "select"]).aggregate("count(*)"),
    "unique": lambda t, u: t.unique("k"),
    "with_columns": lambda t, u: t.with_columns(x="id", z="x", K="Odd name"),
    "drop": lambda t, u: t.drop("x", "Odd name", "SELECT"),
    "rename": lambda t, u: t.rename(id="number", k="select all"),
    "unnest": lambda t, u: t.project("id", "Odd name").unnest("Odd name"),
    "unpivot": lambda t, u: t.project("id, x, x * 2 AS z").unpivot("x", "z", name="which", value="much"),
    "pivot": lambda t, u: t.project("id, k, x").pivot("k", ["a", "b"], "sum(x)"),
    "pivot without the rest": lambda t, u: t.project("k, x").pivot("k", ["b", "a"], "max(x)"),
    "a column": lambda t, u: t["x"],
    "a column in other letters": lambda t, u: t["ID"],
    "an odd column": lambda t, u: t["Odd name"],
    "a keyword": lambda t, u: t["select"],
    "select_types": lambda t, u: t.select_types(["INTEGER", "VARCHAR"]),
    "describe": lambda t, u: t.describe(),
    "describe nothing": lambda t, u: t.filter("false").describe(),
    "union": lambda t, u: t["id"].union(u["id"]),
    "union itself": lambda t, u: t.union(t).aggregate("count(*)"),
    "except": lambda t, u: t["k"].except_(u["k"]),
    "intersect": lambda t, u: t["k"].intersect(u["k"]),
    "union_by_name": lambda t, u: t.project("id, k").union_by_name(u.project("k, w")),
    "union_by_name distinct": lambda t, u: t["k"].union_by_name(u["k"], all=False),
    "join by a name": lambda t, u: t.project("id, k").join(u.project("k, w"), "k"),
    "join by names": lambda t, u: t.project("id, k").join(u, ["id", "k"], how="left"),
    "join by names in a text": lambda t, u: t.project("id, k").join(u, "id, k", how="full"),
    "join by a condition": lambda t, u: t.join(u, "t.k = u.k AND t.id < w").project("t.id, u.id, w"),
    "join with a suffix": lambda t, u: t.project("id, k").join(u, "t.k = u.k", "left", "_r"),
    "join by a name with a suffix": lambda t, u: t.join(u, "k", suffix="_r").filter("id_r > 1").order("id"),
    "query": lambda t, u: t.query("v", "SELECT k, sum(x) AS s FROM v JOIN u USING (k) GROUP BY k"),
    "a column as an attribute": lambda t, u: t.x.union(t.ID),
    "arguments by name": lambda t, u: (
        t.filter(filter_expr="x > 10").aggregate(aggr_expr="k, sum(x) AS s", group_expr="k").order(order_expr="s, k")
    ),
    "join and filter": lambda t, u: t.join(u, "t.k = u.k").filter("t.x > 10").filter("u.w < 200").project("t.id, w"),
    "join and aggregate": lambda t, u: t.join(u, "t.k = u.k").aggregate("u.k, sum(t.x)"),
    "join and order": lambda t, u: t.join(u, "t.k = u.k").order("u.w DESC, t.id").limit(2).project("w"),
    "join keeps names": lambda t, u: t.project("id, k").join(u, "t.k = u.k", how="left"),
    "join and limit": lambda t, u: t.project("id, k").join(u.project("id"), "t.id = u.id").limit(5).project("id, id_1"),
    "join three": lambda t, u: (
        t.project("id, k").join(u, "t.k = u.k").join(t.set_alias("r"), "r.id = u.id").project("t.id, u.w, r.x")
    ),
    "join what was filtered": lambda t, u: t.join(u, "t.k = u.k").filter("t.id > 1").join(u.set_alias("v"), "w"),
    "join joined": lambda t, u: (
        t.project("id, k").join(u, "k").join(t.set_alias("p").join(u.set_alias("q"), "k"), "t.id = p.id")
    ).project("t.id, q.w, u.w"),
    "join aliases": lambda t, u: t.set_alias("l").join(t.set_alias("r"), "l.id = r.x / 10").project("l.id, r.id"),
    "join to itself by name": lambda t, u: t.project("id").set_alias("l").join(t.project("id, x").set_alias("r"), "id"),
    "join odd aliases": lambda t, u: (
        t.set_alias("my t").join(u.set_alias("select"), '"my t".k = "select".k').project('"my t".id, "select".w')
    ),
    "join and drop": lambda t, u: t.project("id, k").join(u.project("k, w"), "k").drop("w"),
    "join and rename": lambda t, u: t.project("id, k").join(u.project("k, w"), "k").rename(w="weight"),
    "join and one column": lambda t, u: t.project("id, k").join(u.project("k, w"), "t.k = u.k")["w"],
    "join and describe": lambda t, u: t.project("id").join(u.project("w"), "t.id * 100 = u.w").describe(),
    "semi and filter": lambda t, u: t.project("id, k").join(u, "t.k = u.k", how="semi").filter("t.id > 1"),
    "aggregate cube": lambda t, u: t.aggregate("k, count(DISTINCT x) FILTER (WHERE id > 1) AS n", "CUBE (k)"),
    "aggregate by an alias": lambda t, u: t.aggregate("id % 2 AS m, sum(x) AS s", "m"),
    "names before values": lambda t, u: t.project("one: id, two: x + 1,"),
    "remarks": lambda t, u: t.project("id /* of the row */, x -- and more"),
    "right": lambda t, u: t.project("id, k").join(u, "t.k = u.k", how="right"),
    "outer": lambda t, u: t.project("id, k").join(u, "t.id = u.id", how="outer"),
    "semi": lambda t, u: t.project("id, k").join(u, "k", how="semi"),
    "anti": lambda t, u: t.project("id, k").join(u, "t.id = u.id", how="ANTI"),
    "asof": lambda t, u: t.project("id, k").join(u.project("id AS a, w"), "t.id >= u.a", how="asof"),
    "cross": lambda t, u: t["id"].cross(u["w"]),
    "join cross": lambda t, u: t["id"].join(u["w"], how="cross"),
    "positional": lambda t, u: t["id"].join(u["w"], how="positional"),
    "natural": lambda t, u: t.project("id, x").join(u, how="natural"),
    "count": lambda t, u: t.count("*"),
    "count of a column": lambda t, u: t.count("x", groups="k", projected_columns="k"),
    "sum of several": lambda t, u: t.sum("x, id + 1"),
    "sum of an odd name": lambda t, u: t.project('id AS "an id"').sum('"an id"'),
    "sum of a window": lambda t, u: t.sum("x", window_spec="over (partition by k)", projected_columns="id"),
    "avg": lambda t, u: t.avg("y", "k", projected_columns="k"),
    "mean": lambda t, u: t.mean("y"),
    "any_value": lambda t, u: t.filter("id <> 2").any_value("k", "id").order("ALL"),
    "arg_max": lambda t, u: t.arg_max("k", "id"),
    "arg_min": lambda t, u: t.arg_min("k", "y"),
    "bits": lambda t, u: t.bit_and("id").union(t.bit_or("id")).union(t.bit_xor("id")),
    "bools": lambda t, u: t.bool_and("select").union(t.bool_or("select")),
    "favg": lambda t, u: t.favg("y"),
    "fsum": lambda t, u: t.fsum("y"),
    "first": lambda t, u: t.order("id").first("k"),
    "last": lambda t, u: t.order("id").last("k"),
    "geomean": lambda t, u: t.geomean("x"),
    "histogram": lambda t, u: t.histogram("k"),
    "list": lambda t, u: t.order("id").list("x"),
    "max": lambda t, u: t.max("k"),
    "min": lambda t, u: t.min("k", '"select"'),
    "median": lambda t, u: t.median("x"),
    "mode": lambda t, u: t.mode("k"),
    "product": lambda t, u: t.product("id"),
    "quantile": lambda t, u: t.quantile("id", 0.25),
    "quantile_cont": lambda t, u: t.quantile_cont("id", 0.3),
    "quantiles": lambda t, u: t.quantile_disc("id", [0.25, 0.5]),
    "string_agg": lambda t, u: t.order("id").string_agg("k", "' "),
    "deviations": lambda t, u: t.std("y").union(t.stddev("y")).union(t.stddev_pop("y")).union(t.stddev_samp("y")),
    "variances": lambda t, u: t.var("y").union(t.variance("y")).union(t.var_pop("y")).union(t.var_samp("y")),
    "value_counts": lambda t, u: t.value_counts("k"),
    "apply": lambda t, u: t.apply("quantile_disc", "id", "k", "0.5", "k"),
    "row_number": lambda t, u: t.row_number("over (order by id desc)", "id"),
    "rank": lambda t, u: t.rank("over (order by x)", "id"),
    "rank_dense": lambda t, u: t.rank_dense("over (order by x)", "id"),
    "select_dtypes": lambda t, u: t.select_dtypes(["INTEGER"]),
    "dense_rank": lambda t, u: t.dense_rank("over (order by x)", "id"),
    "percent_rank": lambda t, u: t.percent_rank("over (order by x)", "id"),
    "cume_dist": lambda t, u: t.cume_dist("over (order by x)", "id"),
    "n_tile": lambda t, u: t.n_tile("over (order by id)", 4, "id"),
    "lag": lambda t, u: t.lag("x", "over (order by id)", projected_columns="id"),
    "lead": lambda t, u: t.lead("x", "over (order by id)", 2, "-1", projected_columns="id"),
    "lag without NULLs": lambda t, u: t.lag("x", "over (order by id)", ignore_nulls=True, projected_columns="id"),
    "first_value": lambda t, u: t.first_value("x", "over (partition by k order by id)", "id"),
    "last_value": lambda t, u: t.last_value("x", "over (partition by k order by id)", "id"),
    "nth_value": lambda t, u: t.nth_value("x", "over (order by id)", 2, projected_columns="id"),
}

BOTH_REFUSE: dict[str, Steps] = {
    "a condition with an alias": lambda t, u: t.filter("x > 1 AS y"),
    "a star": lambda t, u: t.filter("*"),
    "an aggregate in a condition": lambda t, u: t.filter("sum(x) > 1"),
    "a modifier": lambda t, u: t.project("DISTINCT id"),
    "a side that a semi join has not": lambda t, u: t.join(u, "t.k = u.k", how="semi").filter("u.w > 1"),
    "an ambiguous column": lambda t, u: t.join(u, "t.k = u.k")["id"],
    "aliases that differ in case": lambda t, u: t.set_alias("X").join(u.set_alias("x"), "k"),
    "an open condition": lambda t, u: t.filter("x >"),
    "no condition": lambda t, u: t.filter(""),
    "two conditions": lambda t, u: t.filter("x, id"),
    "a closed condition": lambda t, u: t.filter("true) OR (true"),
    "a condition with more": lambda t, u: t.filter("true ORDER BY id"),
    "an unknown column": lambda t, u: t.filter("nope = 1"),
    "a list with FROM": lambda t, u: t.project("w FROM u"),
    "a list with another query": lambda t, u: t.project("id UNION SELECT 1"),
    "two statements": lambda t, u: t.project("id; SELECT 1"),
    "nothing to project": lambda t, u: t.project(),
    "an expression for a name": lambda t, u: t.project("id", "x + 1"),
    "no aggregate": lambda t, u: t.aggregate(""),
    "groups with more": lambda t, u: t.aggregate("k, sum(x)", "k HAVING sum(x) > 1"),
    "an order with more": lambda t, u: t.order("id LIMIT 1"),
    "no order": lambda t, u: t.order(""),
    "nothing to sort by": lambda t, u: t.sort(),
    "a limit of text": lambda t, u: t.limit("3"),
    "a limit of truth": lambda t, u: t.limit(True),
    "an unknown name": lambda t, u: t["nope"],
    "a column of no name": lambda t, u: t[1],
    "nothing to drop": lambda t, u: t.drop(),
    "an unknown name to drop": lambda t, u: t.drop("nope"),
    "an unknown name to rename": lambda t, u: t.rename(nope="x"),
    "one name for both sides": lambda t, u: t.join(t, "t.id = t.x"),
    "an unknown join": lambda t, u: t.join(u, "k", how="sideways"),
    "a join without condition": lambda t, u: t.join(u),
    "a cross join with one": lambda t, u: t.join(u, "k", how="cross"),
    "a join of no relation": lambda t, u: t.join("u", "k"),
    "a join by a name and a condition": lambda t, u: t.join(u, "id, t.k = u.k"),
    "a side behind a projection": lambda t, u: t.join(u, "t.k = u.k").project("w").filter("u.w > 1"),
    "groups and windows": lambda t, u: t.sum("x", "k", "over ()"),
    "a window with more": lambda t, u: t.rank("over (order by x) FROM u"),
    "types that no column has": lambda t, u: t.select_types(["DATE"]),
    "a sample of nothing": lambda t, u: t.sample(),
    "other numbers of columns": lambda t, u: t.union(u),
}


@pytest.fixture(scope="module")
def sides() -> Iterator[tuple[tuple[Any, Any], tuple[Any, Any]]]:
    """The relations t and u of tqp, and of DuckDB."""
    con, oracle = tqp.connect(threads=1), duckdb.connect(config={"threads": 1})
    for name, table in (("t", T), ("u", U)):
        con.register(name, table)
        oracle.register(name, table)
    yield (con.table("t"), con.table("u")), (oracle.table("t"), oracle.table("u"))
    con.close()
    oracle.close()


def _rows(relation: Any, ordered: bool) -> list[str]:
    rows = [
        repr(tuple(round(value, 9) if isinstance(value, float) else value for value in row))
        for row in relation.fetchall()
    ]
    return rows if ordered else sorted(rows)


@pytest.mark.parametrize("steps", SAME.values(), ids=SAME.keys())
def test_steps_are_those_of_duckdb(steps: Steps, sides: tuple[tuple[Any, Any], tuple[Any, Any]]) -> None:
    ours, theirs = steps(*sides[0]), steps(*sides[1])
    assert ours._table is None, "a step runs nothing"
    assert ours.columns == theirs.columns
    assert [str(kind) for kind in ours.types] == [str(kind) for kind in theirs.types]
    name = next(name for name, known in SAME.items() if known is steps)
    ordered = any(word in name for word in ("order", "sort", "limit", "head", "offset"))
    assert _rows(ours, ordered) == _rows(theirs, ordered)


@pytest.mark.parametrize("steps", BOTH_REFUSE.values(), ids=BOTH_REFUSE.keys())
def test_what_duckdb_refuses_is_refused(steps: Steps, sides: tuple[tuple[Any, Any], tuple[Any, Any]]) -> None:
    with pytest.raises(Exception):  # noqa: B017
        steps(*sides[1])
    with pytest.raises(TqpError):
        steps(*sides[0])
