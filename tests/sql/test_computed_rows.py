"""Many rows of VALUES, and long lists behind IN, whose cells are computed: each form of a cell is bound once, and all is as of cells one by one."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable, Iterator
from typing import Any

import duckdb
import pytest

import tqp
from tqp.errors import TqpError
from tqp.io.constants import ConstantTable
from tqp.ir.plan import Scan, Values
from tqp.ir.show import show
from tqp.sql import computed, gathering

_SETUP = (
    "CREATE TYPE mood AS ENUM ('a', 'b', '7')",
    "CREATE MACRO twice(x) AS x * 2",
    "SET TimeZone = 'Europe/Berlin'",
)
Both = tuple[tqp.Connection, duckdb.DuckDBPyConnection]


@pytest.fixture
def both() -> Iterator[Both]:
    ours, theirs = tqp.connect(threads=1), duckdb.connect()
    for statement in _SETUP:
        ours.execute(statement)
        theirs.execute(statement)
    yield ours, theirs
    ours.close()
    theirs.close()


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few rows are read as many are, for one by one many take their time."""
    monkeypatch.setattr(gathering, "_FEWEST", 6)
    monkeypatch.setattr(computed, "_CELLS_A_FORM", 1)


def _found(connection: Any, text: str, params: Any = None) -> Any:
    """Names, types and rows; or the error, of DuckDB only that it is one."""
    try:
        answer = connection.sql(text, params=params)
        rows = [repr(row) for row in answer.fetchall()]
    except TqpError as error:
        return str(error)
    except duckdb.Error:
        return None
    return list(answer.columns), [str(one).replace('"', "") for one in answer.types], rows


def _nodes(plan: Any) -> Iterator[Any]:
    yield plan
    for child in plan.children:
        yield from _nodes(child)


def _rows(cells: str, count: int = 400) -> str:
    return ", ".join("(" + cells.format(i=i, day=f"20{i % 30:02}-0{i % 9 + 1}-1{i % 10}") + ")" for i in range(count))


FORMS = (
    "{i} + 1, 3 * -{i}",
    "{i} / 7, {i} // 7, {i} % 7, {i} & 3, {i} << 2, {i} ** 2",
    "{i}.25 * 2, {i}.5 + 1.25, {i}.5::DOUBLE, {i}::DECIMAL(10, 2), round({i}.255, 2), 1e3 * {i}",
    "{i}::HUGEINT * 100000000000000000000, '{i}'::INT, CAST('{i}' AS BIGINT), TRY_CAST('x{i}' AS INT)",
    "upper('n{i}'), 'a' || '{i}', concat('a', {i}), CAST({i} AS VARCHAR), lower('A{i}'), lpad('{i}', 6, '*')",
    "substr('abc{i}', 2), replace('a{i}', 'a', 'b'), trim(' {i} '), length('abc{i}'), md5('{i}'), hex({i})",
    "DATE '2020-01-01' + {i}, DATE '{day}', '{day}'::TIMESTAMP, TIMESTAMP '{day} 10:00:00', make_date(2020, 1, {i} % 28 + 1)",
    "TIMESTAMPTZ '{day} 10:00:00', '{day}'::TIMESTAMPTZ, date_trunc('month', TIMESTAMPTZ '{day} 10:00:00')",
    "INTERVAL {i} DAY, INTERVAL '{i} days', DATE '{day}' - INTERVAL {i} DAY, TIME '10:00:00' + INTERVAL {i} SECOND",
    "strftime(DATE '{day}', '%d.%m.%Y'), strptime('{day}', '%Y-%m-%d'), extract(year FROM DATE '{day}')",
    "[{i}, 2], {{'a': {i}, 'b': '{i}'}}, MAP {{'k': {i}}}, list_sum([{i}, 2]), list_transform([{i}], lambda x: x + {i})",
    "{i} > 5, {i} IN (1, 2), 'n{i}' LIKE 'n1%', NOT ({i} = 3), {i} BETWEEN 1 AND 7, '{i}' = '5', nullif({i}, 3) IS NULL",
    "CASE WHEN {i} > 5 THEN 'x' ELSE 'y{i}' END, coalesce(NULL, {i}), greatest({i}, 3), abs(-{i}), twice({i})",
    "'{{\"a\": {i}}}'::JSON, to_json({i}), json_extract('{{\"a\": {i}}}', '$.a'), '\\x41'::BLOB, '{i}'::VARCHAR::BLOB",
    "'a'::mood, -{i}, 'a', NULL, {i}.5, {i} + 0",
)  # fmt: skip


@pytest.mark.parametrize("cells", FORMS)
def test_cells_of_one_form_are_bound_once(both: Both, cells: str) -> None:
    ours, theirs = both
    text = f"SELECT * FROM (VALUES {_rows(cells)}) AS v"
    assert _found(ours, text) == _found(theirs, text)
    nodes = list(_nodes(ours.sql(text)._query.plan))
    assert [type(node.source) for node in nodes if isinstance(node, Scan)] == [ConstantTable]
    assert not any(isinstance(node, Values) for node in nodes)


def _number(turn: random.Random) -> str:
    return str(turn.choice([turn.randrange(10), turn.randrange(300), turn.randrange(70000)]))


def _text(turn: random.Random) -> str:
    return turn.choice(["'a'", "'7'", "'x''y'", "''", "'é'", f"'{turn.randrange(99)}'"])


def _day(turn: random.Random) -> str:
    return f"'20{turn.randrange(10, 30)}-0{turn.randrange(1, 10)}-{turn.randrange(10, 28)}'"


Cell = Callable[[random.Random], str]
KINDS: dict[str, list[Cell]] = {
    "numbers": [
        _number, lambda t: "-" + _number(t), lambda t: "3000000000", lambda t: f"{_number(t)}.{_number(t)}",
        lambda t: f"{_number(t)} + {_number(t)}", lambda t: f"({_number(t)})", lambda t: f"+{_number(t)}",
        lambda t: f"{_number(t)}::TINYINT", lambda t: f"{_number(t)}::UTINYINT + {_number(t)}", lambda t: f"{_text(t)}::INT",
        lambda t: f"{_number(t)}000000 * {_number(t)}", lambda t: f"twice({_number(t)})", lambda t: f"(SELECT {_number(t)})",
        lambda t: f"round({_number(t)}.555, {t.randrange(3)})", lambda t: f"{_number(t)}.5::DECIMAL({t.randrange(7, 9)}, 2)",
        lambda t: f"CASE WHEN {_number(t)} > 5 THEN {_number(t)} ELSE 1 END", lambda t: "NULL",
    ],
    "texts": [
        _text, lambda t: f"upper({_text(t)})", lambda t: f"{_text(t)} || {_text(t)}", lambda t: f"{_number(t)}::VARCHAR",
        lambda t: f"({_text(t)})", lambda t: f"{_text(t)}[{t.randrange(3)}]", lambda t: f"{_text(t)}::mood", lambda t: "NULL",
        lambda t: f"strftime(DATE {_day(t)}, {t.choice(['%d.%m', '%Y'])!r})", lambda t: f"{_text(t)} COLLATE NOCASE",
    ],
    "days": [
        _day, lambda t: f"DATE {_day(t)} + {t.randrange(99)}", lambda t: f"{_day(t)}::DATE", lambda t: f"TIMESTAMPTZ {_day(t)}",
        lambda t: f"DATE {_day(t)} + INTERVAL {t.randrange(9)} DAY", lambda t: f"CAST({_day(t)} AS TIMESTAMP)", lambda t: "NULL",
        lambda t: "current_date", lambda t: f"date_trunc({t.choice(['month', 'year'])!r}, DATE {_day(t)})",
    ],
    "odd": [
        lambda t: f"[{_number(t)}]", lambda t: f"{{'a': {_number(t)}, 'b': {_text(t)}}}", lambda t: f"{_number(t)} > {_number(t)}",
        lambda t: f"MAP {{{_number(t)}: {_text(t)}}}", lambda t: "true", lambda t: "NULL", lambda t: f"{_number(t)}::HUGEINT * 2",
    ],
}  # fmt: skip


def _cells(turn: random.Random, rows: int) -> list[str]:
    """A column: mostly cells of a few forms of one kind."""
    kind = turn.choice(list(KINDS))
    forms = turn.sample(KINDS[kind], turn.choice([1, 1, 2, 3]))
    return [turn.choice(forms if turn.random() < 0.98 else KINDS[turn.choice(list(KINDS))])(turn) for _ in range(rows)]


def _same_one_by_one(both: Both, texts: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """What is read together is what it is cell by cell, and to DuckDB."""
    ours, theirs = both
    together = [_found(ours, text) for text in texts]
    ours._plans.clear()
    monkeypatch.setattr(gathering, "_FEWEST", 10**9)
    for text, found in zip(texts, together, strict=True):
        assert found == _found(ours, text), text
        expected = _found(theirs, text)
        assert expected is None or found == expected, text


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("seed", range(6))
def test_answers_and_errors_are_those_of_cells_one_by_one(
    both: Both, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = random.Random(seed)
    texts = []
    for _ in range(12):
        rows = turn.randrange(8, 16)
        columns = [_cells(turn, rows) for _ in range(turn.randrange(1, 4))]
        texts.append("VALUES " + ",\n".join(f"({', '.join(row)})" for row in zip(*columns, strict=True)))
    _same_one_by_one(both, texts, monkeypatch)


def test_an_error_says_the_place_of_its_cell(both: Both) -> None:
    ours, _ = both
    for cell, said in (
        ("2147483647 + 7", "Overflow in addition"),
        ("'y'::INT", "could not convert string 'y'"),
        ("lower(1, 2)", "lower"),
        ("b + 7", "column b"),
    ):
        rows = _rows("{i} + 7, upper('{i}')") + f",\n(1, 'a'), ({cell}, 'b')"
        found = _found(ours, f"SELECT * FROM (VALUES {rows}) AS v")
        assert said in found and "(line 2, column " in found, found


def test_literals_on_which_a_type_or_a_sign_is_built(both: Both) -> None:
    ours, theirs = both
    rows = ", ".join(
        f"(round({i}.2555, {i % 4}), {i % 20}::TINYINT + {i % 2 * 300}, {i % 5} + {i % 3}, INTERVAL ({i % 2}) DAY, {i % 2} = {i % 3})"
        for i in range(400)
    )
    text = f"SELECT * FROM (VALUES {rows}) AS v"
    assert _found(ours, text) == _found(theirs, text)


def test_parameters_are_asked_for_each_time(both: Both) -> None:
    ours, theirs = both
    named = f"SELECT sum(a), max(b) FROM (VALUES {_rows('$x + {i}, upper($y)')}) AS v(a, b)"
    placed = f"SELECT sum(a), max(b) FROM (VALUES {_rows('? + {i}, upper(?)', 200)}) AS v(a, b)"
    for x, y in ((1, "a"), (1000, "b"), (1, "c")):
        assert _found(ours, named, {"x": x, "y": y}) == _found(theirs, named, {"x": x, "y": y})
        assert _found(ours, placed, [x, y] * 200) == _found(theirs, placed, [x, y] * 200)


def test_what_each_run_computes_anew(both: Both) -> None:
    ours, theirs = both
    for connection in both:
        connection.execute("CREATE SEQUENCE s")
        connection.execute("CREATE SEQUENCE t")
    for cells in (
        "nextval('s'), {i} + 1",
        "nextval('s'), nextval('s') + {i}",
        "nextval('s'), nextval('t'), currval('t')",
    ):
        text = f"SELECT * FROM (VALUES {_rows(cells)}) AS v"
        for _ in range(2):
            assert _found(ours, text) == _found(theirs, text)
    drawn = f"SELECT count(DISTINCT a), count(DISTINCT b), min(b) >= 0, sum(c) FROM (VALUES {_rows('uuid(), random(), {i} + 1')}) AS v(a, b, c)"
    assert ours.sql(drawn).fetchall() == [(400, 400, True, 80_200)]
    once = ours.sql(f"SELECT sum(b) FROM (VALUES {_rows('random(), {i} + 1')}) AS v(b, c)").fetchall()
    assert ours.sql(f"SELECT sum(b) FROM (VALUES {_rows('random(), {i} + 1')}) AS v(b, c)").fetchall() != once
    now = f"SELECT count(DISTINCT a), min(a) = now() FROM (VALUES {_rows('now(), {i} + 1')}) AS v(a, b)"
    assert ours.sql(now).fetchall() == ours.sql(now).fetchall() == [(1, True)]


def test_rows_are_inserted_as_one_by_one(both: Both) -> None:
    ours, theirs = both
    values = ", ".join(
        f"({i} + 1, {'DEFAULT' if i % 3 else 'NULL'}, DATE '2020-01-01' + {i}, {i}.{i % 7}, {i}.5 * 2, upper('n{i}'), DEFAULT)"
        for i in range(400)
    )
    for connection in both:
        connection.execute("CREATE SEQUENCE s")
        connection.execute(
            "CREATE TABLE r (a BIGINT, b INTEGER DEFAULT 7, c TIMESTAMP, d DECIMAL(9, 3), e VARCHAR, f VARCHAR,"
            " g BIGINT DEFAULT nextval('s'))"
        )
        connection.execute(f"INSERT INTO r VALUES {values}")
        connection.execute(
            f"INSERT INTO r (f, a) VALUES {', '.join(f'({i} + 1, {i * 10_000_000})' for i in range(400))}"
        )
    assert _found(ours, "FROM r") == _found(theirs, "FROM r")
    with pytest.raises(TqpError, match="2020-13-01"):
        ours.execute("INSERT INTO r (c) VALUES " + _rows("DATE '2020-01-01' + {i}") + ", ('2020-13-01')")
    with pytest.raises(TqpError, match="columns"):
        ours.execute(f"INSERT INTO r VALUES {_rows('{i} + 1, 2')}")


def test_what_is_in_lists_of_computed_values(both: Both) -> None:
    ours, theirs = both
    items, rows = ", ".join(f"{i} + 1" for i in range(300)), _rows("{i} + 1")
    for text in (
        f"SELECT count(*) FROM range(1000) t(v) WHERE v IN ({items})",
        f"SELECT count(*) FROM range(1000) t(v) WHERE v IN (VALUES {rows})",
        f"SELECT count(*) FROM range(1000) t(v) WHERE (v, 1) IN ({', '.join(f'({i}, 1)' for i in range(300))})",
        f"SELECT (SELECT max(a) FROM (VALUES {rows}) AS v(a)) AS m",
    ):
        assert _found(ours, text) == _found(theirs, text)


_TESTED = {
    "v": "{i} + 1", "v::BIGINT": "{i} * 2::BIGINT", "v::HUGEINT": "{i}::HUGEINT", "v::DECIMAL(9, 2)": "{i}.25 * 4",
    "v::DOUBLE": "{i}::DOUBLE / 4", "v::FLOAT": "{i}::FLOAT", "'n' || v": "'n' || ({i} * 3)", "v::VARCHAR::BLOB": "'{i}'::BLOB",
    "DATE '2020-01-01' + v::INT": "DATE '2020-01-01' + {i}", "TIMESTAMP '2020-01-01' + to_days(v::INT)": "DATE '2020-01-05' + {i}",
    "TIMESTAMPTZ '2020-01-01 00:00:00' + to_days(v::INT)": "'2020-03-{i:02}'::TIMESTAMPTZ", "make_time(v % 24, 0, 0.0)": "TIME '{i:02}:00:00'",
}  # fmt: skip


@pytest.mark.parametrize("value", _TESTED)
def test_a_long_list_is_bound_once_a_form(both: Both, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = both
    monkeypatch.setattr(gathering, "_FEWEST", 20)
    cells = [_TESTED[value].format(i=i) for i in range(1, 24)]
    for more in ([], ["NULL"]):
        listed = ", ".join(cells + more)
        for test in (f"IN ({listed})", f"= ANY([{listed}])", f"= ANY(ARRAY[{listed}])", f"= SOME([{listed}])"):
            text = f"SELECT v, {value} {test} AS x FROM range(40) t(v)"
            assert _found(ours, text) == _found(theirs, text), text
            assert "… of 23)" in show(ours.sql(text)._query.plan), text


_COLUMNS = ("n", "d", "f", "t", "a", "w", "z", "b")
_ASKED = (
    "CREATE TABLE asked AS SELECT i::INTEGER AS n, (i / 2)::DECIMAL(9, 2) AS d, (i / 4)::DOUBLE AS f, i::VARCHAR AS t,"
    " DATE '2020-01-10' + i::INTEGER AS a, TIMESTAMP '2020-01-10' + to_days(i::INTEGER) AS w,"
    " TIMESTAMPTZ '2020-01-10 00:00:00+01' + to_days(i::INTEGER) AS z, i::UTINYINT AS b FROM range(100) r(i)"
    " UNION ALL SELECT NULL, NULL, 'nan', NULL, NULL, NULL, NULL, NULL"
)


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("seed", range(4))
def test_lists_behind_in_are_those_of_cells_one_by_one(both: Both, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for connection in both:
        connection.execute(_ASKED)
    turn = random.Random(seed)
    texts = []
    for _ in range(16):
        cells = _cells(turn, turn.randrange(8, 16))
        test = turn.choice(["IN ({})", "NOT IN ({})", "= ANY([{}])", "= ANY(ARRAY[{}])"])
        texts.append(f"SELECT {turn.choice(_COLUMNS)} {test.format(', '.join(cells))} AS x FROM asked")
    _same_one_by_one(both, texts, monkeypatch)


def test_cells_of_lists_that_differ_from_others(both: Both) -> None:
    ours, theirs = both
    items = ", ".join(f"{i} + 1" for i in range(300))
    for more in (
        "nullif(5, 5)",
        "'nan'::DOUBLE",
        "170141183460469231731687303715884105727 - 1",
        "(SELECT 700)",
        "(701)",
        "v",
        "$x + 1",
    ):
        tests = f"v IN ({items}, {more}) AS x, v NOT IN ({more}, {items}) AS y, v = ANY([{more}, {items}]) AS z"
        text = f"SELECT v, {tests} FROM range(800) t(v)"
        params = {"x": 710} if "$x" in more else None
        assert _found(ours, text, params) == _found(theirs, text, params), more
    with pytest.raises(TqpError, match="Overflow in addition"):
        ours.sql(f"SELECT 1 FROM range(3) t(v) WHERE v IN ({items}, 2147483647 + 1)").fetchall()
    for test in (
        f"v < ANY([{items}])",
        f"v <> ALL([{items}])",
        f"7 = ANY([{items}])",
        f"v = ANY([{items}][2:3])",
        f"[{items}][v] = 5",
    ):
        text = f"SELECT v, {test} AS x FROM range(1, 800) t(v)"
        assert _found(ours, text) == _found(theirs, text), test
    drawn = f"SELECT count(*) FROM range(300) t(v) WHERE v IN ({', '.join(['(random() * 5)::INT'] * 300)})"
    assert 0 < ours.sql(drawn).fetchall()[0][0] <= 6


def test_rows_may_read_a_query_around_them(both: Both) -> None:
    ours, theirs = both
    text = f"SELECT i, (SELECT max(a) FROM (VALUES {_rows('i + {i}')}) AS v(a)) FROM range(3) t(i) ORDER BY i"
    assert _found(ours, text) == _found(theirs, text)


def test_a_plan_takes_its_rows_along(both: Both) -> None:
    ours, _ = both
    rows = _rows("{i} + 1, upper('n{i}'), [{i}], {i}::HUGEINT * 100000000000000000000, 'a'::mood")
    plan = ours.sql(f"SELECT * FROM (VALUES {rows}) AS v")._query.optimized
    again = pickle.loads(pickle.dumps(plan))
    assert show(again) == show(plan)
    (scan,) = [node for node in _nodes(again) if isinstance(node, Scan)]
    (given,) = [node for node in _nodes(plan) if isinstance(node, Scan)]
    for name in given.columns:
        assert scan.source.column(name).data.equal(given.source.column(name).data)
