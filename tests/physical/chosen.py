"""What was chosen for a query over the tables of `conftest`."""

from __future__ import annotations

from dataclasses import replace

import tqp
from tqp.operators.choice import Choice
from tqp.physical.planner import lower
from tqp.physical.target import Target
from tqp.runtime import executor
from tqp.runtime.trace import Trace

ROWS = 10_000


def here(con: tqp.Connection, **limits: float) -> Target:
    """What programs of the connection are made for, except for some limits."""
    target = Target.of(con.settings)
    return replace(target, limits=replace(target.limits, **limits))


def choices(con: tqp.Connection, query: str, **limits: float) -> list[Choice]:
    trace = Trace()
    executor.run(lower(con.sql(query)._query.optimized, here(con, **limits)), con.settings, trace)
    return [choice for pipeline in trace.pipelines for choice in pipeline.choices]
