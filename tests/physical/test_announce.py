"""What `explain("steps")` says of columns before a run is what the run makes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

import hypothesis
import pytest
import torch
from hypothesis import strategies as st

import tqp
from tests.layouts import difference
from tests.physical.test_choices_in_the_run import HAVING
from tests.shares import Cases, by_share
from tests.sql.test_cases import FILES, answered
from tpch import parameters
from tqp.data.column import Column, Layout, constant
from tqp.data.layout import Encoding
from tqp.errors import TqpError
from tqp.functions.align import concat
from tqp.operators.operator import Run
from tqp.operators.results import Result
from tqp.physical.announce import announce
from tqp.physical.pipeline import Pipeline
from tqp.physical.planner import lower
from tqp.physical.target import Target
from tqp.physical.view import Announced
from tqp.runtime import executor
from tqp.runtime.observe import Observer, Work
from tqp.types import HUGEINT, NULL, VARCHAR, DType

HOST = torch.device("cpu")


class Compared(Observer):
    """Collects what is not as it was announced of the results of a run, and how many columns are."""

    def __init__(self, announced: tuple[Announced, ...]) -> None:
        self._announced = announced
        self._pipeline: Pipeline | None = None
        self.wrong: list[str] = []
        self.columns = 0

    def around(self, pipeline: Pipeline, run: Run) -> AbstractContextManager[None]:
        self._pipeline = pipeline
        return nullcontext()

    def end(self, run: Run, result: Result, work: Work) -> None:
        assert self._pipeline is not None
        layouts = self._announced[self._pipeline.writes.number].result
        columns = {name: part for name, part in result.parts() if isinstance(part, Column)}
        if set(columns) != set(layouts):
            self.wrong.append(f"{set(columns)} are not {set(layouts)}")
        for name, column in columns.items():
            layout = layouts[name]
            if (
                layout.dictionary is not None
                and column.dictionary is not None
                and layout.dictionary.values.equals(column.dictionary.values)
            ):
                # Of literals each run has one of its own.
                layout = replace(layout, dictionary=column.dictionary)
            wrong = difference(layout, column)
            if column.dtype != layouts[name].dtype or (result.rows and wrong is not None):
                self.wrong.append(f"{name} was announced as {layouts[name]}, but {wrong}: {column.layout}")
            self.columns += 1


def check(connection: tqp.Connection, query: str) -> int:
    """The number of columns that were compared."""
    lowered = lower(connection.sql(query)._query.optimized, Target.of(connection.settings))
    compared = Compared(announce(lowered, connection.settings))
    executor.run(lowered, connection.settings, compared)
    assert not compared.wrong, "\n".join([query, *compared.wrong, str(lowered.view)])
    return compared.columns


@by_share(4)
@pytest.mark.parametrize("file", FILES)
def test_cases_leave_what_was_announced(cases: tqp.Connection, file: str, share: Callable[[Cases], Cases]) -> None:
    compared, asked = 0, 0
    for _, statement in share(answered(file)):
        asked += 1
        try:
            compared += check(cases, statement)
        except TqpError:
            with pytest.raises(TqpError):
                cases.sql(statement).arrow()
    assert compared >= asked / 2


@pytest.mark.parametrize("number", parameters.QUERIES)
def test_tpch_leaves_what_was_announced(tpch: tqp.Connection, number: int) -> None:
    assert check(tpch, parameters.query(number, sf=0.01))


@pytest.mark.parametrize("having", ["< 3", ">= 0"])
@pytest.mark.parametrize("query", HAVING)
def test_both_ways_leave_what_was_announced(con: tqp.Connection, query: str, having: str) -> None:
    assert check(con, query.format(having))


def test_layouts_stand_below_what_makes_them(con: tqp.Connection) -> None:
    """Without a run: stored columns, steps, groups, and all that a pipeline leaves."""
    query = con.sql(
        "SELECT few + 1 AS f, sum(item) AS s, max(b) AS m FROM lines, texts WHERE a < '5' AND few > 2 GROUP BY 1"
    )
    text = query.explain("steps")
    for pattern in (
        r"few.* = scan\(table=lines.*\n.*few BIGINT int8 0 to 4 not null",
        r"(%\d+) = gt\(few.*\n    -- \1 BOOLEAN bool not null",
        r"(%\d+) = add\(few.*\n    -- \1 BIGINT int8 1 to 5 not null",
        r"max_b = max\(b.*\n    -- max_b VARCHAR int32 codes into each batch's own",
        r"result (\d) = collect\(.*\n    -- .*sum_item HUGEINT int64 wide or narrower",
    ):
        assert re.search(pattern, text), (pattern, text)


def test_what_is_wrong_is_found(con: tqp.Connection) -> None:
    lowered = lower(con.sql("SELECT few, item FROM lines WHERE few > 2")._query.optimized, Target.of(con.settings))
    (said,) = announce(lowered, con.settings)
    for change in ({"width": torch.int16}, {"bounds": (1, 3)}, {"dtype": HUGEINT}, {"encoding": Encoding.WIDE}):
        layouts = {**said.result, "few": replace(said.result["few"], **change)}
        compared = Compared((replace(said, result=layouts),))
        executor.run(lowered, con.settings, compared)
        assert len(compared.wrong) == 1


INTEGERS = st.lists(
    st.none() | st.integers(-300, 300) | st.sampled_from([2**40, -(2**100), 2**100]), min_size=1, max_size=4
)
TEXTS = st.lists(st.none() | st.sampled_from(["a", "b", "ccc"]), min_size=1, max_size=4)


@hypothesis.given(st.lists(INTEGERS, min_size=1, max_size=3) | st.lists(TEXTS, min_size=1, max_size=3), st.data())
def test_columns_below_one_another(parts: list[list[int | None]] | list[list[str | None]], data: st.DataObject) -> None:
    """The layout of `concat`, of columns, constants and NULLs."""
    is_text = any(isinstance(value, str) for part in parts for value in part)
    dtype = VARCHAR if is_text else HUGEINT
    columns = []
    for part in parts:
        if set(part) == {None} and data.draw(st.booleans()):
            columns.append(constant(None, NULL, HOST).expand(len(part)))
        elif len(set(part)) == 1 and part[0] is not None and data.draw(st.booleans()):
            columns.append(constant(part[0], dtype, HOST))
        else:
            columns.append(of_values(part, dtype))
    if all(column.dtype == NULL for column in columns):
        return
    found = concat(columns, [len(part) for part in parts])
    announced = Layout.together([column.layout for column in columns])
    assert difference(announced, found) is None, (announced, found.layout)


def of_values(values: Sequence[object], dtype: DType) -> Column:
    """A column of the values, as results have them: put together of constants."""
    parts = [constant(value, dtype, HOST) for value in values]
    column = concat(parts, [1] * len(parts))
    return column.ranked()
