"""The memory limit: an error that names the step, and a connection that lives on."""

from __future__ import annotations

import pyarrow as pa
import pytest

import tqp
from tqp.errors import OutOfMemoryError
from tqp.operators.operator import Run
from tqp.physical.program import Pipeline
from tqp.runtime import executor
from tqp.runtime.trace import Trace


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


SEVERAL = """
    WITH a AS (SELECT n % 5000 AS k, sum(n) AS s FROM t GROUP BY 1),
         b AS (SELECT k % 2500 AS k, sum(s) AS s FROM a GROUP BY 1 ORDER BY 2 DESC LIMIT 2000)
    SELECT count(*), sum(b.s) FROM b JOIN (SELECT DISTINCT k FROM a EXCEPT SELECT k + 4000 FROM a) c ON b.k = c.k
"""


def test_results_are_let_go_after_their_last_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """At no time are there results that nobody will read, and nobody misses one."""
    held: list[set[int]] = []
    run_pipeline = executor._run_pipeline

    def watched(pipeline: Pipeline, state: Run, trace: Trace | None) -> None:
        held.append(set(state.results))
        run_pipeline(pipeline, state, trace)

    monkeypatch.setattr(executor, "_run_pipeline", watched)
    with tqp.connect(threads=1) as con:
        con.register("t", pa.table({"n": range(20_000)}))
        relation = con.sql(SEVERAL)
        program = relation._query._planned.program()
        assert len(relation.fetchall()) == 1
    assert len(held) == len(program.pipelines) >= 5
    for place, slots in enumerate(held):
        later = program.pipelines[place:]
        read = {slot for pipeline in later for part in (pipeline.source, *pipeline.stages) for slot in part.reads}
        assert slots <= read
    assert len(max(held, key=len)) < len(program.pipelines) - 1
