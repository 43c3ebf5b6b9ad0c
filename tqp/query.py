"""A query between its text and its answer: bound, then optimized and planned once, then run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock
from typing import TypeVar

from tqp.column import Table
from tqp.config import Settings
from tqp.errors import InternalError, TqpError
from tqp.ir.plan import Plan
from tqp.optimizer import fired, optimize
from tqp.physical.pipeline import Program
from tqp.physical.planner import lower
from tqp.runtime import executor, listing, trace
from tqp.sql import Parameters

__all__ = ["Query"]

T = TypeVar("T")


@dataclass(eq=False)
class Query:
    """A bound query; it is optimized and planned when first needed, once."""

    plan: Plan
    text: str | None = None
    params: Parameters = None
    disabled: frozenset[str] = frozenset()
    _lock: Lock = field(default_factory=Lock)

    @cached_property
    def optimized(self) -> Plan:
        return optimize(self.plan, disabled=self.disabled)

    @cached_property
    def rules(self) -> tuple[str, ...]:
        """The rules of the optimizer that changed the plan."""
        return fired(self.plan, disabled=self.disabled)

    @cached_property
    def program(self) -> Program:
        return lower(self.optimized)

    def run(self, settings: Settings) -> Table:
        """Execute the query; errors show its text."""
        return self._do(lambda program: executor.run(program, settings))

    def trace(self, settings: Settings) -> str:
        """Execute the query and say what each step did."""
        return self._do(lambda program: trace.analyze(program, settings))

    def listing(self, settings: Settings) -> str:
        """Execute the query and list what ran as torch code."""
        return self._do(lambda program: listing.program_text(program, settings))

    def _do(self, action: Callable[[Program], T]) -> T:
        try:
            with self._lock:
                program = self.program
            return action(program)
        except TqpError as error:
            if self.text is not None:
                error.with_text(self.text)
            raise
        except Exception as error:
            message = f"tqp failed on this query: {type(error).__name__}: {error}"
            raise InternalError(message, hint="this is a bug in tqp: please report it with the query") from error
