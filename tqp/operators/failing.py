"""Which call of an aggregate or a window function fails, where its states or frames are computed."""

from __future__ import annotations

from types import TracebackType

from tqp.errors import ExecutionError, QueryInterruptedError
from tqp.ir.expr import AggregateCall

__all__ = ["Failing"]


class Failing:
    """A context within which an ExecutionError is that of `call`, unless it is of an expression, or somebody stopped the query."""

    __slots__ = ("_call",)

    def __init__(self, call: AggregateCall) -> None:
        self._call = call

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, ExecutionError) and not isinstance(error, QueryInterruptedError) and error.part is None:
            error.part = self._call
