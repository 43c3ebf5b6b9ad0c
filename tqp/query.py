"""A query between its text and its answer: bound, then optimized and planned once, then run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from tqp.column import Table
from tqp.config import Settings
from tqp.errors import InternalError, TqpError
from tqp.interrupt import Interrupt
from tqp.ir.plan import Plan
from tqp.locks import Lock
from tqp.optimizer import fired, optimize
from tqp.physical.pipeline import Program
from tqp.physical.planner import lower
from tqp.runtime import executor, listing, trace, workers
from tqp.sql import Parameters

__all__ = ["Query"]

T = TypeVar("T")


@dataclass(eq=False)
class Query:
    """A bound query; it is optimized and planned when first needed, once. It may run on several threads at once."""

    plan: Plan
    text: str | None = None
    params: Parameters = None
    disabled: frozenset[str] = frozenset()
    _optimized: Plan | None = None
    _rules: tuple[str, ...] | None = None
    _program: Program | None = None
    _lock: Lock = field(default_factory=Lock)

    @property
    def optimized(self) -> Plan:
        with self._lock:
            return self._optimize()

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules of the optimizer that changed the plan."""
        with self._lock:
            if self._rules is None:
                self._rules = fired(self.plan, disabled=self.disabled)
            return self._rules

    def run(self, settings: Settings, interrupt: Interrupt, timeout: float | None = None) -> Table:
        """Execute the query; errors show its text. QueryInterruptedError or QueryTimeoutError as `workers.call` says."""
        return self._do(lambda program: executor.run(program, settings), interrupt, timeout)

    def trace(self, settings: Settings, interrupt: Interrupt, timeout: float | None = None) -> str:
        """Execute the query and say what each step did."""
        return self._do(lambda program: trace.analyze(program, settings), interrupt, timeout)

    def listing(self, settings: Settings, interrupt: Interrupt, timeout: float | None = None) -> str:
        """Execute the query and list what ran as torch code."""
        return self._do(lambda program: listing.program_text(program, settings), interrupt, timeout)

    def _optimize(self) -> Plan:
        if self._optimized is None:
            self._optimized = optimize(self.plan, disabled=self.disabled)
        return self._optimized

    def _planned(self) -> Program:
        with self._lock:
            if self._program is None:
                self._program = lower(self._optimize())
            return self._program

    def _do(self, action: Callable[[Program], T], interrupt: Interrupt, timeout: float | None) -> T:
        try:
            return workers.call(lambda: action(self._planned()), interrupt, timeout)
        except TqpError as error:
            if self.text is not None:
                error.with_text(self.text)
            raise
        except Exception as error:
            message = f"tqp failed on this query: {type(error).__name__}: {error}"
            raise InternalError(message, hint="this is a bug in tqp: please report it with the query") from error
