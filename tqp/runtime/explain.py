"""What EXPLAIN shows of a program by running it: what each step did, or the program as torch code."""

from __future__ import annotations

import json
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

__all__ = ["analyze", "drawn", "listed", "measured", "of_distinct_values", "program_text"]

_LISTED: Final = 2**23
"""Rows that are a batch in a listing: temporaries of that many are still held easily."""


def of_distinct_values(plan: Plan) -> list[str]:
    """What to say of a node of a plan whose expressions call functions that no tensors compute; nothing of others."""
    calls = [part.function for expr in expressions(plan) for part in walk(expr) if isinstance(part, Call)]
    names = dict.fromkeys(str(name) for name in calls if not isinstance(name, OwnName) and find(name).on_host)
    return [f"once for each distinct value: {', '.join(names)}"] if names else []


def analyze(program: Program, settings: Settings) -> str:
    """Run the program and say what each pipeline and step did. Times of steps add up those of all workers."""
    watched = _Watched(program, settings)
    return f"{watched.head}\n{watched.trace.text(watched.waits)}"


def measured(program: Program, settings: Settings) -> str:
    """Run the program and say the same as JSON: docs/explain.md has the members."""
    watched = _Watched(program, settings)
    document = {
        "rows": watched.rows,
        "seconds": watched.seconds,
        "device": str(settings.device),
        "threads": settings.threads,
        "backend": settings.backend,
        "cores_busy": watched.trace.busy,
        "pipelines": list(watched.trace.documents(watched.waits)),
    }
    return json.dumps(document, indent=2)


def drawn(program: Program, settings: Settings, text: str | None) -> Picture:
    """Run the program and draw what each pipeline and step did; `text` is the query's."""
    watched = _Watched(program, settings)
    return picture(watched.head, text, watched.trace.pipelines, watched.waits.pipelines)


class _Watched:
    """A run of a program: what it came to, and what was seen of it."""

    def __init__(self, program: Program, settings: Settings) -> None:
        self.trace, self.waits = Trace(), Waits()
        self._settings = settings
        started = time.perf_counter()
        self.rows = run(program, settings, self.waits, self.trace).rows
        self.seconds = time.perf_counter() - started

    @property
    def head(self) -> str:
        """What it came to in a line."""
        settings, busy = self._settings, self.trace.busy
        text = f"{counted(self.rows, 'row')} in {milliseconds(self.seconds)} on {settings.device}"
        text += f", {counted(settings.threads, 'thread')}, {settings.backend}"
        if busy is not None and settings.threads > 1:
            text += f", {busy:.2f} cores busy while workers worked"
        return text


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
