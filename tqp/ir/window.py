"""What stands in a `Window` plan: calls of window functions and the frames they see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tqp.ir.expr import AggregateCall, Expr
from tqp.ir.node import Node, node
from tqp.types import DType

__all__ = ["Exclusion", "Frame", "FrameBound", "Side", "Unit", "WindowCall"]

Unit = Literal["rows", "range", "groups"]
Side = Literal["unbounded preceding", "preceding", "current row", "following", "unbounded following"]
Exclusion = Literal["no others", "current row", "group", "ties"]


@node
@dataclass(frozen=True, eq=False)
class FrameBound(Node):
    """One end of a frame; `offset` goes with "preceding" and "following" alone.

    Under ROWS and GROUPS it is a BIGINT that counts. Under RANGE it is the value itself at which the frame ends, of the type
    of the frame's `key`.
    """

    side: Side
    offset: Expr | None = None


@node
@dataclass(frozen=True, eq=False)
class Frame(Node):
    """The rows of its partition that a call sees from a row. `key`: under RANGE, what offsets are compared with."""

    unit: Unit
    start: FrameBound
    end: FrameBound
    exclude: Exclusion = "no others"
    key: Expr | None = None

    @property
    def is_whole(self) -> bool:
        """Every row of the partition sees the whole of it."""
        return (
            self.start.side == "unbounded preceding"
            and self.end.side == "unbounded following"
            and self.exclude == "no others"
        )

    def expressions(self) -> tuple[Expr, ...]:
        """The start's offset, the end's, the key; those that there are."""
        return tuple(expr for expr in (self.start.offset, self.end.offset, self.key) if expr is not None)


@node
@dataclass(frozen=True, eq=False)
class WindowCall(Node):
    """An aggregate or window function over a window. `frame` is None for functions that see the partition's order alone."""

    call: AggregateCall
    frame: Frame | None = None
    ignore_nulls: bool = False

    @property
    def dtype(self) -> DType:
        return self.call.type
