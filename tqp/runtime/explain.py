"""What EXPLAIN shows of a program by running it: what each step did, or the program as torch code."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Final

from tqp.config import Settings
from tqp.functions.registry import find
from tqp.ir.expr import Call
from tqp.ir.own import OwnName
from tqp.ir.plan import Plan
from tqp.ir.visit import expressions, walk
from tqp.physical.program import Program
from tqp.runtime.executor import run
from tqp.runtime.listing import Listed, Listing, module
from tqp.runtime.picture import Picture, picture
from tqp.runtime.trace import Trace, Waits, counted, milliseconds

__all__ = ["analyze", "drawn", "listed", "of_distinct_values", "program_text"]

_LISTED: Final = 2**23
"""Rows that are a batch in a listing: temporaries of that many are still held easily."""


def of_distinct_values(plan: Plan) -> list[str]:
    """What to say of a node of a plan whose expressions call functions that no tensors compute; nothing of others."""
    calls = [part.function for expr in expressions(plan) for part in walk(expr) if isinstance(part, Call)]
    names = dict.fromkeys(str(name) for name in calls if not isinstance(name, OwnName) and find(name).on_host)
    return [f"once for each distinct value: {', '.join(names)}"] if names else []


def analyze(program: Program, settings: Settings) -> str:
    """Run the program and say what each pipeline and step did. Times of steps add up those of all workers."""
    head, trace, waits = _watched(program, settings)
    return f"{head}\n{trace.text(waits)}"


def drawn(program: Program, settings: Settings, text: str | None) -> Picture:
    """Run the program and draw what each pipeline and step did; `text` is the query's."""
    head, trace, waits = _watched(program, settings)
    return picture(head, text, trace.pipelines, waits.pipelines)


def _watched(program: Program, settings: Settings) -> tuple[str, Trace, Waits]:
    """Run the program: what it came to in a line, and what was seen."""
    trace, waits = Trace(), Waits()
    started = time.perf_counter()
    table = run(program, settings, waits, trace)
    seconds = time.perf_counter() - started
    head = f"{counted(table.rows, 'row')} in {milliseconds(seconds)} on {settings.device}"
    head += f", {counted(settings.threads, 'thread')}, {settings.backend}"
    if trace.busy is not None and settings.threads > 1:
        head += f", {trace.busy:.2f} cores busy while workers worked"
    return head, trace, waits


def program_text(program: Program, settings: Settings) -> str:
    """Run the program once and list it as Python code, a function a pipeline."""
    return module(listed(program, settings))


def listed(program: Program, settings: Settings) -> list[Listed]:
    """Run the program once, eagerly and on one thread, and list its pipelines.

    Each takes its whole input as one batch, so that the text is all that is done; of larger ones than `_LISTED` the first
    batch is listed.
    """
    listing = Listing()
    limits = replace(program.target.limits, looped_rows=None, zone_rows=None)
    if limits.batch_rows is not None:
        limits = replace(limits, batch_rows=_LISTED, smallest_batch=_LISTED, first_batch=_LISTED)
    whole = replace(program, target=replace(program.target, limits=limits))
    run(whole, replace(settings, threads=1, backend="eager"), listing)
    return listing.functions
