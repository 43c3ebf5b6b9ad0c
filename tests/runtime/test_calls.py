"""What a run of a planned query costs the interpreter: calls of Python functions, which are the same on every machine."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest
import torch

import tqp
from tqp.physical.planner import lower
from tqp.physical.program import Program
from tqp.runtime import executor

JOINED = """
    SELECT s, count(*) AS c, sum(a * 2) AS total FROM t JOIN u USING (k)
    WHERE a > 1 AND s LIKE 'x%' GROUP BY s HAVING sum(a * 2) > 0 ORDER BY total DESC LIMIT 3
"""


def calls(action: Callable[[], object]) -> Counter[str]:
    """How often functions of this process's Python code are called, by their files and names."""
    found: Counter[str] = Counter()

    def profile(frame: FrameType, event: str, argument: object) -> None:
        if event == "call":
            found[f"{'/'.join(Path(frame.f_code.co_filename).parts[-2:])} {frame.f_code.co_qualname}"] += 1

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        action()
    finally:
        sys.setprofile(before)
    return found


@pytest.fixture
def con(monkeypatch: pytest.MonkeyPatch) -> tqp.Connection:
    monkeypatch.setattr(executor, "EVERYWHERE", [])
    con = tqp.connect(device="cpu", threads=1)
    con.register("t", {"k": torch.arange(100) % 7, "a": torch.arange(100)})
    con.register("u", {"k": torch.arange(7), "s": ["x1", "x2", "y", "x3", "x1", "z", "x2"]})
    return con


def program(con: tqp.Connection, query: str) -> Program:
    made = lower(con.sql(query)._query.optimized)
    executor.run(made, con.settings)
    return made


def ran(con: tqp.Connection, made: Program) -> Counter[str]:
    return calls(lambda: executor.run(made, con.settings))


def test_a_pipeline_that_hands_on_rows_costs_few_calls(con: tqp.Connection) -> None:
    """The rows of one table below those of another, with one more pipeline for each: what a pipeline costs by itself."""
    few, many = (program(con, " UNION ALL ".join(["SELECT a FROM t"] * count)) for count in (2, 6))
    more = len(many.pipelines) - len(few.pipelines)
    assert more == 4
    assert (ran(con, many).total() - ran(con, few).total()) / more <= 43


def test_a_run_walks_no_expression(con: tqp.Connection) -> None:
    found = ran(con, program(con, JOINED))
    assert found["runtime/executor.py run"] == 1 and found["kernels/rows.py offsets"]
    walks = (
        "ir/visit.py walk",
        "ir/visit.py postorder",
        "ir/show.py",
        "data/stored.py StoredTable.column",
        "optimizer/",
    )
    assert not [name for name in found if name.startswith(walks)]


def test_a_run_that_groups_nothing_asks_for_no_layout(con: tqp.Connection) -> None:
    found = ran(con, program(con, "SELECT a, s FROM t JOIN u USING (k) WHERE a > 1"))
    assert found["operators/layouts.py Layouts.__init__"] and not found["operators/layouts.py Layouts._column"]
    assert not found["operators/layouts.py Layouts.join"]


def test_nobody_watches_a_run_that_has_no_observer(con: tqp.Connection) -> None:
    assert not [name for name in ran(con, program(con, JOINED)) if name.startswith("runtime/observe.py")]
