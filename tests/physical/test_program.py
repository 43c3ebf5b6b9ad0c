"""Programs as data: equal, compared, walked; and what is compiled with them, so that their runs need not."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace

import pyarrow as pa
import pytest
import torch

import tqp
from tests.shares import Cases, by_share
from tests.sql.test_cases import FILES, answered
from tpch import parameters
from tqp.errors import TqpError
from tqp.functions.bind import bind
from tqp.ir.expr import ColumnRef
from tqp.ir.show import show_expr
from tqp.operators.choice import Choice
from tqp.operators.filter import FilterStage
from tqp.operators.instructions import Instruction, Numbers, Rows, Writer
from tqp.operators.operator import Operator, Run
from tqp.operators.results import Result, Slot
from tqp.operators.steps import Compiler
from tqp.physical.pipeline import Pipeline
from tqp.physical.planner import lower
from tqp.physical.program import Program
from tqp.physical.target import Target
from tqp.runtime import executor
from tqp.runtime.observe import Observer, Work
from tqp.types import BIGINT


@pytest.fixture(scope="module")
def con() -> Iterator[tqp.Connection]:
    with tqp.connect(threads=1) as connection:
        numbers = range(1000)
        texts = [f"{n % 7}" if n % 3 else None for n in numbers]
        connection.register("t", pa.table({"k": [n % 10 for n in numbers], "v": list(numbers), "s": texts}))
        connection.register("u", pa.table({"k": [1, 2, 3, 4, 4], "name": ["a", "b", None, "d", "e"]}))
        yield connection


def program(con: tqp.Connection, query: str) -> Program:
    return lower(con.sql(query)._query.optimized, Target.of(con.settings))


QUERIES = [
    "SELECT v + 1 AS w FROM t WHERE k > 3 AND s LIKE '1%'",
    "SELECT coalesce(CAST(s AS INTEGER), v / (k - 3)), CASE WHEN k <> 3 THEN CAST(s AS INTEGER) // (k - 3) END FROM t",
    "SELECT k, sum(v + 1) FILTER (WHERE v > 7), avg(v + 1), count(DISTINCT s), first(s ORDER BY v + 2) FROM t GROUP BY k",
    "SELECT k, s, sum(v * 2), grouping(k) FROM t GROUP BY CUBE (k, s)",
    "SELECT sum(v + 1) OVER (PARTITION BY k % 3 ORDER BY v - 1 ROWS 3 PRECEDING), lag(v * 2) OVER (ORDER BY k) FROM t",
    "SELECT max(s) FILTER (WHERE k > 2) OVER (PARTITION BY k), first_value(v) OVER (ORDER BY v) FROM t",
    "SELECT name FROM t JOIN u ON t.k = u.k + 1 AND v > u.k * 2 WHERE upper(name) <> 'A' ORDER BY v + t.k DESC LIMIT 3",
    "SELECT v FROM t WHERE k NOT IN (SELECT k + 1 FROM u WHERE name IS NOT NULL)",
    "SELECT k IN (SELECT k + 1 FROM u WHERE u.k > t.v) FROM t",
    "SELECT * FROM t FULL JOIN u ON v + 1 = u.k",
    "SELECT a + 1 FROM (VALUES (1, 'x'), (2 + 3, upper('y'))) x(a, b) UNION SELECT k FROM t",
]


def check_run(con: tqp.Connection, query: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No run of the query makes a step."""
    lowered = program(con, query)
    with monkeypatch.context() as patch:

        def refuse(self: Compiler, *args: object) -> None:
            raise AssertionError("a run compiles")

        patch.setattr(Compiler, "_meet", refuse)
        first = executor.run(lowered, con.settings)
        second = executor.run(lowered, con.settings)
    assert first.rows == second.rows


@pytest.mark.parametrize("query", QUERIES)
def test_no_expression_is_compiled_in_a_run(con: tqp.Connection, query: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check_run(con, query, monkeypatch)


@pytest.mark.parametrize("number", parameters.QUERIES)
def test_no_expression_is_compiled_in_a_run_of_tpch(
    tpch: tqp.Connection, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_run(tpch, parameters.query(number, sf=0.01), monkeypatch)


def test_a_closed_compiler_refuses_what_is_new(con: tqp.Connection) -> None:
    one, other = program(con, "SELECT v + 1 FROM t"), program(con, "SELECT v + 2 FROM t")
    (wanted,) = [exprs for pipeline in other.pipelines for o in pipeline.operators for exprs in o.expressions]
    with pytest.raises(TqpError, match="was not compiled with its program"):
        one.steps.compile(wanted)


def check_view(lowered: Program) -> None:
    """Every instruction reads what is there: constants, what earlier ones of its pipeline made, results not let go yet."""
    constants = {constant.place for constant in lowered.view.constants}
    assert len(constants) == len(lowered.view.constants)
    left: set[object] = set()
    left_rows: dict[object, Rows | None] = {}
    for pipeline in lowered.view.pipelines:
        for way in (pipeline.instructions, pipeline.detour):
            there = constants | left
            for instruction in way:
                assert set(instruction.inputs) <= there, str(instruction)
                there = there | set(instruction.outputs)
            assert not way or pipeline.writes in way[-1].outputs
            check_sizes(way, left_rows)
        asked = {few.slot for few in (pipeline.few, pipeline.unless) if few is not None}
        read = {place for one in (*pipeline.instructions, *pipeline.detour) for place in one.inputs}
        assert asked | {place for place in read if isinstance(place, Slot)} == set(pipeline.reads)
        ends = [way[-1].rows for way in (pipeline.instructions, pipeline.detour) if way]
        left_rows[pipeline.writes] = ends[0] if len(ends) == 1 else None
        left = (left | {pipeline.writes}) - set(pipeline.frees)
    assert left == {lowered.result}


def check_sizes(instructions: tuple[Instruction, ...], left: dict[object, Rows | None]) -> None:
    """What reads a result has as many rows as it; of two ways that led there neither says how many."""
    for instruction in instructions:
        if instruction.operation == "read":
            (slot,) = instruction.inputs
            assert left[slot] is None or left[slot] == instruction.rows


def check_equal(con: tqp.Connection, query: str) -> Program:
    plan = con.sql(query)._query.optimized
    one, other = (lower(plan, Target.of(con.settings)) for _ in range(2))
    assert one.steps is not other.steps
    assert one == other and hash(one) == hash(other) and str(one.view) == str(other.view)
    check_view(one)
    return one


@pytest.mark.parametrize("query", QUERIES)
def test_a_plan_gives_equal_programs(con: tqp.Connection, query: str) -> None:
    check_equal(con, query)


@pytest.mark.parametrize("number", parameters.QUERIES)
def test_a_plan_of_tpch_gives_equal_programs(tpch: tqp.Connection, number: int) -> None:
    lowered = check_equal(tpch, parameters.query(number, sf=0.01))
    others = [check_equal(tpch, parameters.query(other, sf=0.01)) for other in (1, 6) if other != number]
    assert lowered not in others


def test_another_literal_is_another_constant_and_nothing_else(con: tqp.Connection) -> None:
    query = "SELECT v + {} AS w FROM t WHERE s <> '1'"
    one, other = program(con, query.format(100)), program(con, query.format(200))
    assert one != other and len({one, other}) == 2
    assert other_constants(one, other) == [(100, 200)]
    # Of a condition it may be another estimate, too.
    query = "SELECT k, sum(v) FROM t WHERE v < {} AND s <> '1' GROUP BY k"
    one, other = program(con, query.format(100)), program(con, query.format(200))
    assert other_constants(one, other, "source_rows") == [(100, 200)]


def test_a_plan_that_serves_other_constants_gives_programs_that_differ_in_them(con: tqp.Connection) -> None:
    """Names made of the text of an expression are those of the query that was planned."""
    query = "SELECT k, sum(v + {}) AS total FROM t GROUP BY k"
    first = con.execute(query.format(1000))
    one = lower(first._query.optimized, Target.of(con.settings))
    again = con.sql(query.format(2000))
    assert again._query.is_reused
    other = lower(again._query.optimized, Target.of(con.settings))
    assert other_constants(one, other) == [(1000, 2000)]
    shared = first._query._planned.program(Target.of(con.settings))
    assert other_constants(shared, again._query._planned.program(Target.of(con.settings))) == [(1000, 2000)]


def test_the_view_pickles(con: tqp.Connection) -> None:
    """What other machines get of tables is references, which are equal to one another."""
    view = program(con, "SELECT k, sum(v + 1) FROM t WHERE s LIKE 'a%' GROUP BY k").view
    once = pickle.loads(pickle.dumps(view))
    assert str(once) == str(view) and once.constants == view.constants


def other_constants(one: Program, other: Program, *estimates: str) -> list[tuple[object, object]]:
    """The constants in which programs differ, which differ in nothing else but the parameters `estimates`."""
    for mine, theirs in zip(one.view.pipelines, other.view.pipelines, strict=True):
        assert replace(mine, instructions=()) == replace(theirs, instructions=())
        for a, b in zip(mine.instructions, theirs.instructions, strict=True):
            assert replace(a, parameters=()) == replace(b, parameters=())
            pairs = zip(a.parameters, b.parameters, strict=True)
            assert all(a == b for a, b in pairs if a[0] not in estimates)
    pairs = zip(one.view.constants, other.view.constants, strict=True)
    return [(a.literal.value, b.literal.value) for a, b in pairs if a != b]


def test_another_target_makes_other_choices(con: tqp.Connection) -> None:
    plan = con.sql("SELECT t.v, u.s FROM t JOIN t u ON t.k = u.v")._query.optimized
    here = Target.of(con.settings)
    there = replace(here, limits=replace(here.limits, index_slots=0, small_table=0))
    one, other = lower(plan, here), lower(plan, there)
    assert one != other
    chosen = [[c.chosen for p in lowered.view.pipelines for c in p.choices] for lowered in (one, other)]
    assert chosen == [["index of a stored table"], ["rows materialised and indexed"]]
    assert lower(plan, replace(here, threads=7)) != one
    assert lower(plan, replace(here, threads=7)).view == one.view


def test_two_ways_to_a_result_leave_a_number_of_rows_of_its_own(tpch: tqp.Connection) -> None:
    view = program(tpch, parameters.query(18, sf=0.01)).view
    found = 0
    for pipeline in view.pipelines:
        if pipeline.few is not None:
            found += 1
            ends = {pipeline.instructions[-1].rows, pipeline.detour[-1].rows}
            readers = [one for one in view.readers(pipeline.writes) if one.operation == "read"]
            assert len(ends) == 2 and readers and not {reader.rows for reader in readers} & ends
    assert found


def test_other_tables_are_other_programs(con: tqp.Connection) -> None:
    """Also those of the same name."""
    with tqp.connect(threads=1) as another:
        another.register("t", con.sql("FROM t").arrow())
        assert program(con, "SELECT k FROM t") != program(another, "SELECT k FROM t")


def test_a_program_can_be_walked(tpch: tqp.Connection) -> None:
    view = program(tpch, parameters.query(6, sf=0.01)).view
    counted = Counter(instruction.operation for instruction in view.instructions)
    assert counted["scan"] == counted["filter"] == counted["mul"] == counted["sum"] == 1
    assert counted["gte"] == counted["lt"] == 2 or counted["between"]
    (scan,) = (instruction for instruction in view.instructions if instruction.operation == "scan")
    assert "l_shipdate" in scan.outputs and scan.parameter("columns") == scan.outputs
    assert {reader.operation for reader in view.readers("l_discount")} >= {"mul"}
    first, *_ = view.pipelines
    assert [str(reader) for reader in view.readers(first.writes)] == [
        "sum_l_extendedprice_l_discount = read(result 0, columns=(sum_l_extendedprice_l_discount))  -- 1 row"
    ]


def test_sizes_are_symbols(con: tqp.Connection) -> None:
    view = program(con, "SELECT k, count(*) FROM t WHERE v > 3 GROUP BY k").view
    sizes = {instruction.operation: str(instruction.rows) for instruction in view.pipelines[0].instructions}
    assert (sizes["scan"], sizes["gt"], sizes["filter"], sizes["count_star"]) == ("n0", "n0", "n1", "g2")
    assert program(con, "SELECT sum(v) FROM t").view.pipelines[0].instructions[-1].rows == 1


def test_what_a_run_chooses_is_said_with_the_alternatives(con: tqp.Connection) -> None:
    view = program(con, "SELECT k, count(*) FROM t GROUP BY k").view
    (group,) = (instruction for instruction in view.instructions if instruction.operation == "group")
    assert group.ways == ("arrays indexed by the key", "groups of each batch, merged", "rows collected")


@by_share(4)
@pytest.mark.parametrize("file", FILES)
def test_cases_give_equal_programs(cases: tqp.Connection, file: str, share: Callable[[Cases], Cases]) -> None:
    for _, statement in share(answered(file)):
        try:
            check_equal(cases, statement)
        except TqpError:
            # An error of the data that is found before anything runs.
            with pytest.raises(TqpError):
                cases.sql(statement).arrow()


class Chosen(Observer):
    """Collects what operators chose in a run, with the pipelines that they are of."""

    def __init__(self) -> None:
        self._pipeline: Pipeline | None = None
        self.found: list[tuple[Pipeline, Operator, Choice]] = []

    def around(self, pipeline: Pipeline, run: Run) -> AbstractContextManager[None]:
        self._pipeline = pipeline
        return nullcontext()

    def end(self, run: Run, result: Result, work: Work) -> None:
        assert self._pipeline is not None
        for operator in self._pipeline.operators:
            choices = [note for note in run.notes(operator) if isinstance(note, Choice)]
            self.found += [(self._pipeline, operator, choice) for choice in choices]


WRITTEN = {
    "aggregation": "group",
    "distinct values": "group",
    "grouping sets": "group by sets",
    "lookup": "lookup",
    "distinct keys": "distinct",
    "rows": "scan",
    "keys": "contains",
}
"""The operation of the instruction that says among what a run chooses."""


@by_share(4)
@pytest.mark.parametrize("file", FILES)
def test_a_run_chooses_among_what_the_instructions_say(
    cases: tqp.Connection, file: str, share: Callable[[Cases], Cases]
) -> None:
    """Of each operator itself: the instructions that it writes, and what EXPLAIN says of it after the run."""
    for _, statement in share(answered(file)):
        check_choices(cases, statement)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT k, sum(v) FROM n GROUP BY k",
        "SELECT k, count(DISTINCT v) FROM n GROUP BY k",
        "SELECT dept, active, count(*) FROM emp GROUP BY CUBE (dept, active)",
        "SELECT (SELECT title FROM dept WHERE dept.id = emp.dept) FROM emp",
        "SELECT k, k IN (SELECT k FROM m) FROM n",
    ],
)
def test_a_run_chooses(cases: tqp.Connection, query: str) -> None:
    assert check_choices(cases, query)


def check_choices(con: tqp.Connection, statement: str) -> int:
    """How many choices of a run the program says; none where the query ends with an error."""
    compared = 0
    with suppress(TqpError):
        lowered, chosen = program(con, statement), Chosen()
        executor.run(lowered, con.settings, chosen)
        for pipeline, operator, choice in chosen.found:
            view = lowered.view.pipelines[pipeline.writes.number]
            instructions = [one for one in (*view.instructions, *view.detour) if one.operation == WRITTEN[choice.what]]
            ways = {way for instruction in instructions for way in instruction.ways}
            assert not ways or choice.chosen in ways, (statement, operator.describe(), choice, ways)
            assert choice.chosen not in choice.alternatives
            compared += bool(ways)
    return compared


def test_chains_of_definitions() -> None:
    """Each column may be defined by the one before, thousands of times: all are written, the first ones first."""
    exprs = [bind("neg", ColumnRef(f"c{place}", BIGINT)) for place in range(2000)]
    steps = Compiler(torch.device("cpu"))
    for expr in exprs:
        steps.compile((expr,))
    writer = Writer(steps, Slot(0), Numbers())
    writer.define({f"c{place + 1}": expr for place, expr in enumerate(exprs)})
    writer.read(["c2000"])
    assert [instruction.operation for instruction in writer.instructions] == ["neg", "define"] * 2000


def test_conditions_that_read_strings_stand_behind_those_on_codes(con: tqp.Connection) -> None:
    query = "SELECT v FROM t WHERE s LIKE '%1%2%' AND upper(s) <> 'x' AND s IN ('3', '4') AND s <> '5' AND v > 5"
    (stage,) = [
        stage
        for pipeline in program(con, query).pipelines
        for stage in pipeline.stages
        if isinstance(stage, FilterStage)
    ]
    assert [sum(word in show_expr(one) for word in ("LIKE", "upper")) for one in stage.conditions] == [0, 0, 0, 1, 1]
    assert show_expr(stage.conditions[0]) == "v > 5"
