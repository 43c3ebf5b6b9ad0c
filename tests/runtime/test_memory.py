"""The memory limit: an error that names the step, and a connection that lives on."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import pyarrow as pa
import pytest
import torch

import tqp
from tqp.config import Settings
from tqp.data.column import Column
from tqp.errors import OutOfMemoryError
from tqp.kernels import join, keysets
from tqp.limits import CPU as LIMITS
from tqp.operators.build import Built
from tqp.operators.keys import JoinCodec
from tqp.operators.membership import Members
from tqp.operators.operator import Run
from tqp.operators.results import Alive, Relation, Result, Slot, nbytes, tensors
from tqp.physical.pipeline import Pipeline
from tqp.physical.planner import lower
from tqp.physical.program import Program
from tqp.physical.target import Target
from tqp.runtime import executor
from tqp.runtime.observe import Observer, Work
from tqp.types import BIGINT

CPU = torch.device("cpu")
BITS = torch.tensor([True, False, True], device=CPU)
FLAT = Column(torch.tensor([1, 2, 3], dtype=torch.int64, device=CPU), BIGINT, bounds=(1, 3))
NULLABLE = FLAT.with_valid(BITS)


@pytest.mark.parametrize(
    ("query", "step"),
    [
        ("SELECT a FROM t ORDER BY b", "sort by b"),
        ("SELECT count(*) FROM t JOIN (SELECT DISTINCT a * b AS k FROM t) s ON t.a * 2 = s.k", "aggregate by|build on"),
        ("SELECT sum(a) OVER (ORDER BY b) FROM t", "window over .ORDER BY b.: sum_a = sum.a."),
        ("SELECT a * b, count(*) FROM t GROUP BY ALL", "aggregate by"),
    ],
)
def test_limit(query: str, step: str) -> None:
    rows = 20_000
    with tqp.connect(threads=1, memory_limit=20_000) as con:
        con.register("t", pa.table({"a": list(range(rows)), "b": [n * 7919 % rows for n in range(rows)]}))
        with pytest.raises(OutOfMemoryError, match=step) as caught:
            con.sql(query).fetchall()
        assert "20,000 allowed" in str(caught.value) and caught.value.hint and "memory_limit" in caught.value.hint
        assert con.sql("SELECT sum(a) FROM t WHERE a < 10").fetchall() == [(45,)]


@pytest.mark.parametrize(
    ("query", "limit", "step"),
    [
        ("SELECT a FROM t WHERE a < 10 UNION ALL SELECT b * 2 FROM t", 20_000, "union all below result 0"),
        ("SELECT a % 9 FROM t WHERE a < 9000 INTERSECT ALL SELECT a % 9 FROM t", 30_000, "intersect all with result 0"),
        ("SELECT k, b FROM (SELECT a AS k FROM t WHERE a < 9) FULL JOIN t ON k = b", 200_000, "without a partner"),
    ],
)
def test_limit_of_what_combines_results(query: str, limit: int, step: str) -> None:
    """What puts rows below those of another result is held to the limit by itself."""
    rows = 20_000
    with tqp.connect(threads=1, memory_limit=limit) as con:
        con.register("t", pa.table({"a": list(range(rows)), "b": [n * 7919 % rows for n in range(rows)]}))
        with pytest.raises(OutOfMemoryError, match=f"memory limit reached in the step «.*{step}»"):
            con.sql(query).fetchall()


def test_a_program_is_held_to_the_memory_of_its_target() -> None:
    with tqp.connect(threads=1) as con:
        con.register("t", pa.table({"n": range(20_000)}))
        plan = con.sql("SELECT n FROM t ORDER BY n DESC")._query.optimized
        assert executor.run(lower(plan, Target(memory=100_000)), Settings()).rows == 20_000
        with pytest.raises(OutOfMemoryError, match="1,000 allowed"):
            executor.run(lower(plan, Target(memory=1_000)), Settings())


SEVERAL = """
    WITH a AS (SELECT n % 5000 AS k, sum(n) AS s FROM t GROUP BY 1),
         b AS (SELECT k % 2500 AS k, sum(s) AS s FROM a GROUP BY 1 ORDER BY 2 DESC LIMIT 2000)
    SELECT count(*), sum(b.s) FROM b JOIN (SELECT DISTINCT k FROM a EXCEPT SELECT k + 4000 FROM a) c ON b.k = c.k
"""


class Held(Observer):
    """The slots that hold results when a pipeline begins, and when its result has come to them."""

    def __init__(self) -> None:
        self.before: list[set[Slot[Result]]] = []
        self.after: list[set[Slot[Result]]] = []
        self.bytes: list[int] = []

    def around(self, pipeline: Pipeline, run: Run) -> AbstractContextManager[None]:
        self.before.append(set(run.slots))
        return nullcontext()

    def end(self, run: Run, result: Result, work: Work) -> None:
        self.after.append(set(run.slots))
        self.bytes.append(run.held)


@pytest.fixture
def ran() -> tuple[Program, Held]:
    held = Held()
    with tqp.connect(threads=1) as con:
        con.register("t", pa.table({"n": range(20_000)}))
        program = lower(con.sql(SEVERAL)._query.optimized)
        assert executor.run(program, Settings(), held).rows == 1
    return program, held


def test_results_are_let_go_after_their_last_reader(ran: tuple[Program, Held]) -> None:
    """At no time are there results that nobody will read, and nobody misses one."""
    program, held = ran
    assert len(held.before) == len(program.pipelines) >= 5
    for place, slots in enumerate(held.before):
        assert slots <= {slot for pipeline in program.pipelines[place:] for slot in pipeline.reads}
    assert len(max(held.before, key=len)) < len(program.pipelines) - 1
    assert held.bytes[-1] < max(held.bytes)


def test_a_program_says_what_its_pipelines_read_write_and_free(ran: tuple[Program, Held]) -> None:
    program, held = ran
    there: set[Slot[Result]] = set()
    for pipeline, before, after in zip(program.pipelines, held.before, held.after, strict=True):
        assert before == there and set(pipeline.reads) <= there
        there = there | {pipeline.writes}
        assert after == there
        there -= set(pipeline.frees)
    assert there == {program.result} == {program.pipelines[-1].writes}


@pytest.mark.parametrize(
    ("result", "names"),
    [
        (Relation({"a": FLAT, "b": NULLABLE}, 3), ["a", "b", "b_valid"]),
        (Alive(BITS), ["alive"]),
        (Built({"a": NULLABLE}, 3, None, join.csr_direct(FLAT.data, 0, 3)), ["a", "a_valid", "lookup_starts"]),
        (Built({}, 3, None, None, alive=BITS, touched=BITS), ["alive", "touched"]),
        (Members(JoinCodec([FLAT], LIMITS), keysets.KeyBitmap(BITS, 0), 3, False), ["keys_present"]),
    ],
)
def test_results_tell_their_tensors_and_bytes(result: Result, names: list[str]) -> None:
    found = list(tensors(result))
    assert [name for name, _ in found] == names
    assert nbytes(result) == sum(tensor.nbytes for _, tensor in found) > 0
