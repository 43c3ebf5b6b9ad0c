"""The table of aggregate functions: what they are called, what is known of them, and binding a call of one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum, auto
from typing import TypeVar

import torch

from tqp.data.column import Column
from tqp.errors import BindError, InternalError, UnsupportedError
from tqp.functions.aggregates.accumulator import Accumulator
from tqp.functions.bind import coerce
from tqp.ir.expr import AggregateCall, Expr, SortKey
from tqp.kernels.window import Frame
from tqp.types import DType

__all__ = [
    "AggregateFunction", "FrameForm", "FromSums", "Totals", "aggregate", "aggregate_of", "bind_aggregate", "find_aggregate",
    "find_by_syntax", "names",
]  # fmt: skip

AggregateTypes = Callable[[tuple[Expr, ...]], tuple[tuple[DType, ...], DType]]
"""From the arguments to the types that they are cast to and the type of the result; BindError where they do not fit."""

FrameForm = Callable[[tuple[Column, ...], DType, Frame], Column]
"""From argument columns (n,) in the order of the window, the type of the result and each row's frame to the results (n,)."""

MakeAccumulator = Callable[[DType, int, torch.device], Accumulator]
"""From the type of the result, the number of groups and the device to empty states."""


FromSums = Callable[[Expr, Expr, Expr], Expr]
"""From how many integers there are, their sum and the sum of their squares, HUGEINT each, to the result."""


class Totals(Enum):
    """What compiled code may compute in an accumulator's place, and `put` there as its state."""

    COUNTS = auto()
    SUMS = auto()
    MOMENTS = auto()


@dataclass(frozen=True, slots=True)
class AggregateFunction:
    """An aggregate, and what is known of it. NULL arguments are skipped, unless `picks_row` or `counts_rows`.

    `over_frames`: what it is over the frames of a window; None: over whole partitions alone.
    `empty`: its value for no rows, as a literal's. Not None: then it is never NULL.
    `counts_rows`: each row counts, whatever its values.
    `duplicate_free`: rows with equal arguments count once, so that DISTINCT changes nothing.
    `idempotent`: of equal values it is that value, with its type.
    `compares`: which of its arguments it puts in order, as a place.
    `passes_on`: it is the value of its first argument in some row.
    `order_free`: the order of the rows does not matter, but for rounding.
    `picks_row`: it is the value, NULL or not, of one row: the first one in its ORDER BY, else in the order of the source.
    Its states do not merge, so that all rows of a group are needed at once.
    `in_order`: with ORDER BY inside the call it is this other aggregate over the rows whose argument is not NULL.
    `totals`: its state is a count of values, or that and their sum, or their moments.
    `extreme`: its state is the greatest value (True) or the least one (False), and a count of values.
    `from_sums`: what it is of integers whose sums are known.
    `of_parts`: the aggregate that makes it of what it is for parts of the rows; where it is exact, nothing is lost so.
    """

    name: str
    types: AggregateTypes
    accumulator: MakeAccumulator
    over_frames: FrameForm | None = None
    empty: int | None = None
    counts_rows: bool = False
    duplicate_free: bool = False
    idempotent: bool = False
    compares: int | None = None
    passes_on: bool = False
    order_free: bool = True
    picks_row: bool = False
    in_order: str | None = None
    totals: Totals | None = None
    extreme: bool | None = None
    from_sums: FromSums | None = None
    of_parts: str | None = None


_AGGREGATES: dict[str, AggregateFunction] = {}
_BY_SYNTAX: dict[str, AggregateFunction] = {}

A = TypeVar("A", bound=MakeAccumulator)


def aggregate(
    name: str,
    *others: str,
    types: AggregateTypes,
    syntax: str | None = None,
    over_frames: FrameForm | None = None,
    empty: int | None = None,
    counts_rows: bool = False,
    duplicate_free: bool = False,
    idempotent: bool = False,
    compares: int | None = None,
    passes_on: bool = False,
    order_free: bool = True,
    picks_row: bool = False,
    in_order: str | None = None,
    totals: Totals | None = None,
    extreme: bool | None = None,
    from_sums: FromSums | None = None,
    of_parts: str | None = None,
) -> Callable[[A], A]:
    """Register an accumulator under its name and its `others`; see `AggregateFunction` for the rest.

    `syntax`: the key of sqlglot's node for it, where that is no name of it without the underscores.
    """

    def register(accumulator: A) -> A:
        function = AggregateFunction(
            name, types, accumulator, over_frames, empty, counts_rows, duplicate_free, idempotent, compares, passes_on,
            order_free, picks_row, in_order, totals, extreme, from_sums, of_parts,
        )  # fmt: skip
        for known in (name, *others):
            if known in _AGGREGATES:
                raise ValueError(f"aggregate {known} is registered twice")
            _AGGREGATES[known] = function
            _BY_SYNTAX[known.replace("_", "")] = function
        if syntax is not None:
            _BY_SYNTAX[syntax] = function
        return accumulator

    return register


def find_aggregate(name: str) -> AggregateFunction | None:
    """The aggregate of that name, if there is one."""
    return _AGGREGATES.get(name)


def find_by_syntax(key: str) -> AggregateFunction | None:
    """The aggregate that sqlglot's node of that key calls, if there is one."""
    return _BY_SYNTAX.get(key)


def aggregate_of(call: AggregateCall) -> AggregateFunction:
    """The aggregate that a bound call calls; InternalError where that is a window function."""
    function = _AGGREGATES.get(call.function)
    if function is None:
        raise InternalError(f"no aggregate {call.function}")
    return function


def names() -> tuple[str, ...]:
    """The names of all aggregates, other names of the same one included."""
    return tuple(_AGGREGATES)


def bind_aggregate(
    name: str,
    args: tuple[Expr, ...],
    *,
    distinct: bool = False,
    filter: Expr | None = None,
    order: tuple[SortKey, ...] = (),
) -> AggregateCall:
    """The typed call of an aggregate by its first name, with the casts its arguments need."""
    function = _AGGREGATES.get(name)
    if function is None:
        near = get_close_matches(name, _AGGREGATES, n=3)
        hint = f"did you mean {', '.join(near)}?" if near else None
        raise UnsupportedError(f"aggregate {name} is not supported", hint=hint)
    wanted, result = function.types(args)
    if len(wanted) != len(args):
        raise BindError(f"{name} takes {len(wanted)} arguments, not {len(args)}")
    if function.order_free:
        order = ()
    elif order and not function.picks_row:
        raise UnsupportedError(f"ORDER BY inside {name} is not supported")
    if function.duplicate_free:
        distinct = False
    return AggregateCall(function.name, tuple(map(coerce, args, wanted)), result, distinct, filter, order)
