"""Scalar functions of the user's own: on tqp, and where DuckDB has them there, too."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from decimal import Decimal
from threading import Thread
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pytest
import torch

import tqp
from tests.limits import limit
from tests.own.tables import connected, table
from tqp.errors import BindError, ExecutionError, TqpError, UnsupportedError
from tqp.types import BIGINT
from tqp.verify.compare import compare_query


@pytest.fixture
def con() -> Iterator[tqp.Connection]:
    with connected() as made:
        yield made


@pytest.fixture(params=[1, 2], ids=["one batch", "small batches"])
def pieces(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[tqp.Connection]:
    if request.param == 2:
        limit(monkeypatch, batch_rows=7, smallest_batch=3)
    with connected(threads=request.param) as made:
        yield made


def shout(s: str, times: int) -> str:
    return s.upper() * times


FUNCTIONS: dict[str, tuple[Callable[..., Any], list[str], str, dict[str, Any]]] = {
    "twice": (lambda x: 2 * x, ["BIGINT"], "BIGINT", {}),
    "half": (lambda x: x / 2, ["DOUBLE"], "DOUBLE", {}),
    "shouted": (shout, ["VARCHAR", "BIGINT"], "VARCHAR", {}),
    "cents": (lambda d: d * 100, ["DECIMAL(9, 2)"], "DECIMAL(12, 1)", {}),
    "later": (lambda t: t + timedelta(days=1), ["DATE"], "DATE", {}),
    "rounded": (lambda f: f, ["DOUBLE"], "BIGINT", {}),
    "known": (lambda x: x is not None, ["BIGINT"], "BOOLEAN", {"null_handling": "special"}),
    "nil": (lambda x: None, ["BIGINT"], "VARCHAR", {"null_handling": "special"}),
    "inverse": (lambda x: 1 / x, ["BIGINT"], "DOUBLE", {"exception_handling": "return_null"}),
    "five": (lambda: 5, [], "INTEGER", {}),
    "plus_one": (lambda a: pc.add(a, 1), ["BIGINT"], "BIGINT", {"type": "arrow"}),
    "is_null_too": (lambda a: pc.is_null(a), ["VARCHAR"], "BOOLEAN", {"type": "arrow", "null_handling": "special"}),
    "joined": (lambda a, b: pc.binary_join_element_wise(a, b, "-"), ["VARCHAR", "VARCHAR"], "VARCHAR", {"type": "arrow"}),
}  # fmt: skip

QUERIES = [
    "SELECT id, twice(x), half(f), shouted(s, x), cents(d), later(t), rounded(f), known(x), nil(x), inverse(x), five() FROM t",
    "SELECT id, plus_one(x), is_null_too(s), joined(s, s || 'z'), joined(s, 'q') FROM t",
    "SELECT twice(3), twice(NULL), shouted('a', 2), known(NULL), half(3), cents(1.5), twice('7'), half(1.5::DECIMAL(3, 1))",
    "SELECT shouted(s, 2) AS k, count(*), sum(twice(x)) FROM t WHERE twice(x) > 4 GROUP BY shouted(s, 2)",
    "SELECT id FROM t WHERE shouted(s, 1) IN ('A', 'ABC') AND known(x) ORDER BY half(f) DESC, id LIMIT 5",
    "SELECT a.id, b.id FROM t a JOIN t b ON twice(a.x) = plus_one(b.x) WHERE a.id < 9",
    "SELECT id, sum(twice(x)) OVER (PARTITION BY shouted(s, 1) ORDER BY id) FROM t",
    "SELECT id, CASE WHEN x > 0 THEN inverse(x) ELSE twice(x) END FROM t",
    "SELECT twice(twice(x)), TWICE(x + 1) FROM t WHERE id IN (SELECT plus_one(id) FROM t WHERE b)",
    "SELECT twice(x) AS twice FROM t",
    "SELECT twice(x) FROM t WHERE false",
    "SELECT DISTINCT shouted(s, 1), rounded(f) % 3 FROM t",
]  # fmt: skip


@pytest.mark.parametrize("query", QUERIES)
def test_as_duckdb(pieces: tqp.Connection, query: str) -> None:
    oracle = duckdb.connect(config={"threads": 1})
    oracle.register("t", table())
    for name, (f, parameters, result, options) in FUNCTIONS.items():
        pieces.create_function(name, f, parameters, result, **options)
        oracle.create_function(name, f, parameters, result, **{k: v for k, v in options.items() if v != "python"})
    relation = pieces.sql(query)

    def run(text: str) -> pa.Table:
        return oracle.sql(text).to_arrow_table()

    assert compare_query(query, relation.arrow(), run(query), run) is None
    assert relation.columns == run(query).column_names
    oracle.close()


def test_tensors(pieces: tqp.Connection) -> None:
    pieces.create_function("poly", lambda x, f: x * f + 1, ["BIGINT", "DOUBLE"], "DOUBLE", type="torch")
    pieces.create_function("cents", lambda d: d * 100, ["DECIMAL(9,2)"], "DECIMAL(18,2)", type="torch")
    pieces.create_function("tomorrow", lambda t: t + 1, ["DATE"], "DATE", type="torch")
    pieces.create_function("all_two", torch.logical_and, ["BOOLEAN", "BOOLEAN"], "BOOLEAN", type="torch")
    pieces.create_function("dot", lambda v, w: (v * w).sum(1), ["FLOAT[2]", "FLOAT[2]"], "FLOAT", type="torch")
    pieces.create_function("pair", lambda x: torch.stack((x, -x), 1), ["DOUBLE"], "DOUBLE[2]", type="torch")
    found = pieces.sql(
        "SELECT poly(x, f) = x * f + 1, cents(d) = d * 100, tomorrow(t) = t + 1, all_two(b, id > 3) = (b AND id > 3),"
        " dot([id, 1]::FLOAT[2], [2, 3]::FLOAT[2]) = 2 * id + 3, pair(f)[2] = -f, poly(2, 3) = 7, poly(NULL, f) IS NULL FROM t"
    ).fetchall()
    assert {value for row in found for value in row} == {True, None}
    assert pieces.sql("SELECT count(*), count(poly(x, f)) FROM t").fetchall() == [(60, 40)]


def test_tensors_that_look_at_null(pieces: tqp.Connection) -> None:
    def first(a: tuple[torch.Tensor, torch.Tensor], b: tuple[torch.Tensor, torch.Tensor]) -> Any:
        return torch.where(a[1], a[0], b[0]), a[1] | b[1]

    pieces.create_function("either", first, ["BIGINT", "BIGINT"], "BIGINT", type="torch", null_handling="special")
    assert pieces.sql(
        "SELECT bool_and(either(x, g) IS NOT DISTINCT FROM coalesce(x, g)) AND either(NULL, 4) = 4 FROM t"
    ).fetchall() == [(True,)]


def test_a_tensor_function_cannot_change_the_table(con: tqp.Connection) -> None:
    before = con.sql("SELECT sum(f), sum(id) FROM t").fetchall()
    con.create_function("worse", lambda f: f.zero_(), ["DOUBLE"], "DOUBLE", type="torch")
    assert con.sql("SELECT sum(worse(f)), sum(f), sum(id) FROM t").fetchall() == [(0.0, *before[0])]


def test_a_sample_is_what_a_function_is_tried_with(con: tqp.Connection) -> None:
    table = torch.tensor([10, 20, 30], device=con.device)
    with pytest.raises(BindError, match="IndexError"):
        con.create_function("looked_up", lambda x: table[x], ["BIGINT"], "BIGINT", type="torch")
    con.create_function("looked_up", lambda x: table[x], ["BIGINT"], "BIGINT", type="torch", sample=[[0, 1, 2, 1]])
    assert con.sql("SELECT looked_up(id) FROM t WHERE id < 3 ORDER BY id").fetchall() == [(10,), (20,), (30,)]
    for wrong in ([[0, 1], [1, 2]], [["a", "b"]], [[1]]):
        with pytest.raises(BindError, match="sample"):
            con.create_function("other", lambda x: x, ["BIGINT"], "BIGINT", type="torch", sample=wrong)


def test_types_by_annotations_names_and_types(con: tqp.Connection) -> None:
    def f(a: int, b: float, c: str, d: bool, e: date) -> float:
        return a + b + len(c) + d + e.year

    con.create_function("annotated", f)
    con.create_function("named", f, ["bigint", float, str, "BOOL", "date"], "double precision")
    con.create_function("typed", lambda x: x, [BIGINT], BIGINT)
    con.create_function("borrowed", lambda x: x, [duckdb.sqltypes.BIGINT], duckdb.sqltypes.BIGINT)
    values = "(1, 0.5, 'ab', true, DATE '2020-02-03')"
    assert con.sql(f"SELECT annotated{values}, named{values}, typed(3), borrowed(4)").fetchall() == [
        (2024.5, 2024.5, 3, 4)
    ]
    assert con.functions()[0] == "annotated(BIGINT, DOUBLE, VARCHAR, BOOLEAN, DATE) -> DOUBLE"


def test_numbers_beyond_the_type_of_the_result_are_an_error(con: tqp.Connection) -> None:
    con.create_function(
        "small", lambda x: (x * 100).to(torch.int16), ["BIGINT"], "UTINYINT", type="torch", sample=[[1, 2]]
    )
    assert con.sql("SELECT small(2)").fetchall() == [(200,)]
    with pytest.raises(ExecutionError, match="no UTINYINT"):
        con.sql("SELECT small(id) FROM t").fetchall()


def test_another_function_of_the_name_is_another_plan(con: tqp.Connection) -> None:
    query = "SELECT f(id) FROM t WHERE id = 5"
    con.create_function("f", lambda x: x + 1, ["BIGINT"], "BIGINT", type="torch")
    before = con.sql(query)
    assert con.sql(query).fetchall() == [(6,)]
    with pytest.raises(BindError, match="already"):
        con.create_function("f", lambda x: x, ["BIGINT"], "BIGINT")
    con.remove_function("F")
    with pytest.raises(UnsupportedError):
        con.sql(query)
    con.create_function("f", lambda x: x + 2, ["BIGINT"], "BIGINT", type="torch")
    assert con.sql(query).fetchall() == [(7,)]
    # Bound before, and put together with what is bound now.
    assert before.fetchall() == [(6,)]
    assert before.sql("SELECT s.*, f(5) FROM self s").fetchall() == [(6, 7)]
    con.remove_function("f")
    with pytest.raises(BindError, match="no function f"):
        con.remove_function("f")


def test_functions_belong_to_their_connection(con: tqp.Connection) -> None:
    con.create_function("f", lambda x: x, ["BIGINT"], "BIGINT")
    with connected() as other, pytest.raises(UnsupportedError):
        other.sql("SELECT f(1)")


def test_a_python_function_is_called_once_for_each_combination(con: tqp.Connection) -> None:
    calls: list[tuple[Any, ...]] = []

    def note(*values: Any) -> int:
        calls.append(values)
        return len(calls)

    con.create_function("note", note, ["BIGINT", "VARCHAR", "DOUBLE", "DECIMAL(9,2)"], "BIGINT")
    con.sql("SELECT note(x, s, f, d) FROM t UNION ALL SELECT note(x, s, f, d) FROM t WHERE id < 0").fetchall()
    assert len(calls) == len(set(calls)) > 30
    calls.clear()
    con.create_function("count_up", note, ["BIGINT"], "BIGINT", side_effects=True)
    rows = con.sql("SELECT count_up(1 + 0 * id), count_up(1 + 0 * id) FROM t").fetchall()
    assert len(calls) == 120 and len({value for row in rows for value in row}) == 120


def test_side_effects_are_kept_where_they_are_written(con: tqp.Connection) -> None:
    con.create_function("draw", lambda x: torch.rand_like(x), ["DOUBLE"], "DOUBLE", type="torch", side_effects=True)
    found = con.sql("SELECT r FROM (SELECT draw(f) AS r FROM t) q WHERE r < 0.5").fetchall()
    assert all(value < 0.5 for (value,) in found)
    con.create_function("number", lambda s: id(object()) % 7 * 0 + len(s), ["VARCHAR"], "BIGINT", side_effects=True)
    assert (
        con.sql("SELECT sum(number(s)), sum(length(s)) FROM t").fetchall()[0][0]
        == con.sql("SELECT sum(length(s)) FROM t").fetchall()[0][0]
    )
    with pytest.raises(BindError, match="constants alone"):
        con.sql("SELECT draw(1)")
    with pytest.raises(BindError, match="no parameter"):
        con.create_function("tick", lambda: 1, [], "BIGINT", side_effects=True)


def test_explain_says_whose_code_it_is(con: tqp.Connection) -> None:
    con.create_function("mine", lambda x: x + 1, ["BIGINT"], "BIGINT", type="torch")
    relation = con.sql("SELECT sum(mine(x)) FROM t WHERE mine(id) > 3")
    assert "Filter user code mine(id) > 3" in relation.explain()
    assert "user code mine(x)" in relation.explain(True)
    assert "mine(id" in relation.explain("steps")


def test_views_macros_and_tables_of_statements_call_them(con: tqp.Connection) -> None:
    con.create_function("twice", lambda x: 2 * x, ["BIGINT"], "BIGINT")
    con.sql("CREATE VIEW doubled AS SELECT twice(id) AS v FROM t")
    con.sql("CREATE MACRO four_times(a) AS twice(twice(a))")
    con.sql("CREATE TABLE kept AS SELECT twice(id) AS v FROM t WHERE id < 3")
    assert con.sql("SELECT sum(v), four_times(3) FROM doubled").fetchall() == [(3540, 12)]
    assert con.sql("SELECT * FROM kept ORDER BY v").fetchall() == [(0,), (2,), (4,)]


def test_names_of_functions_are_no_other_names(con: tqp.Connection) -> None:
    con.create_function("g", lambda x: x + 1, ["BIGINT"], "BIGINT")
    assert con.sql("SELECT g, g(g), q.g FROM (SELECT 4::BIGINT AS g) q").fetchall() == [(4, 5, 4)]
    assert con.sql("SELECT g.a, g(a) FROM (VALUES (1)) g(a)").fetchall() == [(1, 2)]
    assert con.sql("WITH g(a) AS (SELECT 1) SELECT g(a) FROM g").fetchall() == [(2,)]


def test_many_threads(con: tqp.Connection) -> None:
    """Functions come and go while others ask: each query has one of the two, or none."""
    wrong: list[object] = []

    def ask() -> None:
        for number in range(20):
            try:
                (row,) = con.sql(f"SELECT f({number})").fetchall()
            except UnsupportedError:
                continue
            except TqpError as error:
                wrong.append(error)
                continue
            if row[0] not in (number + 1, number + 2):
                wrong.append((number, row))

    threads = [Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for step in (1, 2, 1, 2):
        con.create_function("f", lambda x, step=step: x + step, ["BIGINT"], "BIGINT")
        con.remove_function("f")
    for thread in threads:
        thread.join()
    assert not wrong


def test_what_is_called_can_ask_the_connection(con: tqp.Connection) -> None:
    con.create_function("inner", lambda x: x + 1, ["BIGINT"], "BIGINT")

    def outer(x: int) -> int:
        ((found,),) = con.sql("SELECT inner(?)", params=[x]).fetchall()
        return int(found)

    con.create_function("outer_one", outer)
    assert con.sql("SELECT sum(outer_one(id)) FROM t").fetchall() == [(1830,)]


def test_names_in_plans_travel() -> None:
    from tqp.functions.registry import Function, find
    from tqp.ir.own import OwnName

    function = find("upper")
    name = OwnName("mine", function)
    assert name != "mine" and name == OwnName("mine", function) and find(name) is function
    assert name != OwnName("mine", find("lower")) and {name: 1}[OwnName("mine", function)] == 1
    assert isinstance(name.function, Function)
    assert pickle.loads(pickle.dumps(OwnName("mine", None))).function is None


def test_nan_stays(con: tqp.Connection) -> None:
    con.create_function("nan", lambda x: float("nan"), ["BIGINT"], "DOUBLE")
    assert con.sql("SELECT isnan(nan(3))").fetchall() == [(True,)]


def test_decimals_and_text_out(con: tqp.Connection) -> None:
    con.create_function("price", lambda x: Decimal(x) / 4, ["BIGINT"], "DECIMAL(9, 2)")
    con.create_function("words", lambda a: pc.utf8_upper(a), ["VARCHAR"], str, type="arrow")
    assert con.sql("SELECT price(3), words('äb') || s FROM t WHERE id = 1").fetchall() == [(Decimal("0.75"), "ÄBa")]


def test_they_are_listed(con: tqp.Connection) -> None:
    con.create_function("mine", lambda x, s: x, ["BIGINT", "VARCHAR"], "BIGINT", side_effects=True)
    listed = con.sql(
        "SELECT function_name, function_type, return_type, parameter_types, has_side_effects, internal FROM duckdb_functions()"
        " WHERE function_name = 'mine'"
    ).fetchall()
    assert listed == [("mine", "scalar", "BIGINT", ["BIGINT", "VARCHAR"], True, False)]


def test_maps_of_python(con: tqp.Connection) -> None:
    """A dict is a MAP where the function says so, at any depth; keys may differ from row to row."""
    con.register("words", {"w": ["ab", "ca", None, "ab"]})
    con.create_function(
        "places_of", lambda w: {letter: w.index(letter) for letter in w}, ["VARCHAR"], "MAP(VARCHAR, TINYINT)"
    )
    con.create_function(
        "deep_of", lambda w: [{w: {1: None}}, None, {}], ["VARCHAR"], "MAP(VARCHAR, MAP(BIGINT, DATE))[]"
    )
    con.create_function(
        "field_of",
        lambda w: {"m": {w: [1, None]}, "n": None},
        ["VARCHAR"],
        "STRUCT(m MAP(VARCHAR, BIGINT[]), n VARCHAR)",
    )
    con.create_function(
        "none_of", lambda w: None if w == "ca" else {}, ["VARCHAR"], "MAP(VARCHAR, BIGINT)", null_handling="special"
    )
    assert con.sql("SELECT places_of(w) FROM words").fetchall() == [
        ({"a": 0, "b": 1},), ({"c": 0, "a": 1},), (None,), ({"a": 0, "b": 1},),
    ]  # fmt: skip
    assert con.sql("SELECT deep_of(w) FROM words LIMIT 1").fetchall() == [([{"ab": {1: None}}, None, {}],)]
    assert con.sql("SELECT field_of(w) FROM words LIMIT 1").fetchall() == [({"m": {"ab": [1, None]}, "n": None},)]
    assert con.sql("SELECT none_of(w) FROM words").fetchall() == [({},), (None,), ({},), ({},)]
    con.create_function("number_of", lambda w: 3, ["VARCHAR"], "MAP(VARCHAR, BIGINT)")
    con.create_function("without_key_of", lambda w: {None: 3}, ["VARCHAR"], "MAP(VARCHAR, BIGINT)")
    for name, message in (("number_of", "made of dicts"), ("without_key_of", "never NULL")):
        with pytest.raises(ExecutionError, match=message):
            con.sql(f"SELECT {name}(w) FROM words").fetchall()


MIXED: dict[str, tuple[str, list[Any]]] = {
    "VARIANT": (
        "variant_typeof(x)",
        [1, 2**40, -(2**70), 1.5, None, "x", b"ab", date(2020, 1, 1), Decimal("1.50"), Decimal("25"), [1, 2], [None, 1], [],
         ["a"], {"a": 1, "b": "x"}, {"a": [1]}, 1],
    ),
    "UNION(i INTEGER, s VARCHAR, d DOUBLE)": ("union_tag(x)", [1, 1.5, None, "x", Decimal("1.50"), 2, "1"]),
    "UNION(b BIGINT, l INTEGER[], t TIMESTAMP)": ("union_tag(x)", [1, 2**40, None, date(2020, 1, 1), [1, 2], [None, 1]]),
    "UNION(d DECIMAL(10, 2), s STRUCT(a INTEGER, b VARCHAR))": ("union_tag(x)", [Decimal("1.50"), {"a": 1, "b": "x"}, None]),
}  # fmt: skip
"""Values of a function, and what tells what they became."""


@pytest.mark.parametrize("result", MIXED)
def test_values_of_several_types(con: tqp.Connection, result: str) -> None:
    """Each becomes a VARIANT, or a member of a UNION, as DuckDB makes them."""
    tells, values = MIXED[result]
    query = f"SELECT x, x::VARCHAR, {tells} FROM (SELECT f(i::INTEGER) AS x FROM range({len(values)}) t(i))"
    with duckdb.connect() as oracle:
        oracle.create_function("f", lambda i: values[i], ["INTEGER"], result, null_handling="special")  # type: ignore[arg-type]
        con.create_function("f", lambda i: values[i], ["INTEGER"], result, null_handling="special")
        assert con.sql(query).fetchall() == oracle.sql(query).fetchall()
    assert con.sql("SELECT f(i::INTEGER) FROM range(0) t(i)").fetchall() == []


def test_values_that_are_no_variant_and_no_member(con: tqp.Connection) -> None:
    con.create_function("of_none", lambda i: [1, "x"], ["BIGINT"], "VARIANT")
    con.create_function("of_no_member", lambda i: b"x", ["BIGINT"], "UNION(i INTEGER, s VARCHAR)")
    con.create_function("of_null", lambda i: None, ["BIGINT"], "VARIANT")
    for name, message in (
        ("of_none", "no VARIANT: its objects of the type list are no SQL values"),
        ("of_no_member", "no cast from BLOB to UNION"),
        ("of_null", "gave NULL where no argument is NULL"),
    ):
        with pytest.raises(ExecutionError, match=message):
            con.sql(f"SELECT {name}(1)").fetchall()
    with pytest.raises(UnsupportedError, match=r"UNION\(i INTEGER\)\[\] of Python values is not supported"):
        con.create_function("of_lists", lambda i: [i], ["BIGINT"], "UNION(i INTEGER)[]")
    con.create_function("double", lambda v: v * 2, ["VARIANT"], "VARIANT")
    assert con.sql("SELECT double(v) FROM (VALUES (1::VARIANT), ('x'), ([1])) t(v)").fetchall() == [
        (2,),
        ("xx",),
        ([1, 1],),
    ]
