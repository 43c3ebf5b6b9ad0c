"""The table of aggregate functions: what they are called, what is known of them, and binding a call of one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum, auto
from typing import TypeVar

import torch

from tqp.data.column import Column
from tqp.errors import BindError, InternalError, UnsupportedError, counted
from tqp.functions.aggregates.accumulator import Accumulator
from tqp.functions.aggregates.grouped import Collect, Enough
from tqp.functions.bind import bind, coerce, signature, without_variants
from tqp.ir import words
from tqp.ir.expr import AggregateCall, Call, Expr, Literal, SortKey
from tqp.ir.own import OwnName
from tqp.kernels.window import Frame
from tqp.types import BOOLEAN, DType

__all__ = [
    "AggregateFunction", "ByRow", "FrameForm", "FromSums", "OrderedSet", "RowChoice", "Totals", "aggregate", "aggregate_of",
    "always", "bind_aggregate", "collected", "find_aggregate", "find_by_syntax", "names", "numbers_of_variants",
    "of_one_range", "row_of",
]  # fmt: skip

AggregateTypes = Callable[[tuple[Expr, ...]], tuple[tuple[DType, ...], DType]]
"""From the arguments to the types that they are cast to and the type of the result; BindError where they do not fit."""

FrameForm = Callable[[tuple[Column, ...], DType, Frame], Column]
"""From argument columns (n,) in the order of the window, the type of the result and each row's frame to the results (n,)."""

MakeAccumulator = Callable[[DType, int, torch.device], Accumulator]
"""From the type of the result, the number of groups and the device to empty states."""


FromSums = Callable[[Expr, Expr, Expr], Expr]
"""From how many integers there are, their sum and the sum of their squares, HUGEINT each, to the result."""


@dataclass(frozen=True, slots=True)
class RowChoice:
    """A call as the `value` of one row: the first, or the `last`, in `order` of those in which none of `known` is NULL."""

    value: Expr
    order: tuple[SortKey, ...]
    known: tuple[Expr, ...]
    last: bool = False


ByRow = Callable[[tuple[Expr, ...], tuple[SortKey, ...]], RowChoice | None]
"""From the arguments and the ORDER BY of a call to the row that it takes its value from; None where it has a way of its own."""


Instead = Callable[[tuple[Expr, ...]], str | None]
"""From the arguments of a call to the name of the aggregate that it is one of."""

OfRanges = Callable[[tuple[Column, ...], int], bool]
"""From the arguments (n,) and of how many ranges of rows frames are to whether `Framed` serves."""

OrderedSet = Callable[[tuple[Expr, ...], SortKey], tuple[Expr, ...]]
"""From the arguments of a call and its one ORDER BY key to the arguments that mean the same."""


class Totals(Enum):
    """What compiled code may compute in an accumulator's place, and `put` there as its state."""

    COUNTS = auto()
    SUMS = auto()
    MOMENTS = auto()


@dataclass(frozen=True, slots=True)
class AggregateFunction:
    """An aggregate, and what is known of it. NULL arguments are skipped, unless `keeps_nulls` or `counts_rows`.

    It has states that merge (`accumulator`), or it is computed where all rows of a group lie side by side (`collect`), or it is
    always the value of a row (`by_row`).

    `over_frames`: what it is over the frames of a window; None: over whole partitions alone.
    `empty`: its value for no rows, as a literal's. Not None: then it is never NULL.
    `counts_rows`: each row counts, whatever its values.
    `duplicate_free`: rows with equal arguments count once, so that DISTINCT changes nothing.
    `idempotent`: of equal values it is that value, with its type.
    `compares`: which of its arguments it puts in order, as a place.
    `passes_on`: it is the value of its first argument in some row.
    `order_free`: the order of the rows does not matter, except for rounding.
    `keeps_nulls`: rows take part whatever is NULL in them.
    `of_ranges`: when it asks of the rows of a group only what `Framed` knows of frames, without an order of its own.
    `by_row`: calls that are the value of one row.
    `instead`: the name of the aggregate that it is of arguments of other types.
    `is_macro`: DuckDB makes it of others, and so takes neither DISTINCT nor FILTER nor ORDER BY.
    `ordered_set`: with one ORDER BY key it is of the values that this orders.
    `totals`: its state is a count of values, or that and their sum, or their moments.
    `extreme`: its state is the greatest value (True) or the least one (False), and a count of values.
    `enough`: which rows of a part of the rows it needs beside what it needs of the others.
    `lists_rows`: it asks only for `Grouped.listed` of its argument, so that rows may be put in order part by part.
    `by_times`: it asks only how often which values come, `Grouped.how_often`.
    `from_sums`: what it is of integers whose sums are known.
    `for_null`: what its last argument is in place of NULL, which then leaves no row out.
    `of_parts`: the aggregate that makes it of what it is for parts of the rows; where it is exact, nothing is lost so.
    """

    name: str
    types: AggregateTypes
    accumulator: MakeAccumulator | None
    collect: Collect | None = None
    over_frames: FrameForm | None = None
    empty: int | None = None
    counts_rows: bool = False
    duplicate_free: bool = False
    idempotent: bool = False
    compares: int | None = None
    passes_on: bool = False
    order_free: bool = True
    keeps_nulls: bool = False
    by_row: ByRow | None = None
    ordered_set: OrderedSet | None = None
    totals: Totals | None = None
    extreme: bool | None = None
    from_sums: FromSums | None = None
    of_parts: str | None = None
    instead: Instead | None = None
    is_macro: bool = False
    of_ranges: OfRanges | None = None
    enough: Enough | None = None
    by_times: bool = False
    lists_rows: bool = False
    for_null: int | None = None

    def states(self, dtype: DType, groups: int, device: torch.device) -> Accumulator:
        """Empty states; InternalError where there are none that merge."""
        if self.accumulator is None:
            raise InternalError(f"{self.name} has no states")
        return self.accumulator(dtype, groups, device)


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
    by_row: ByRow | None = None,
    totals: Totals | None = None,
    extreme: bool | None = None,
    from_sums: FromSums | None = None,
    of_parts: str | None = None,
    instead: Instead | None = None,
    is_macro: bool = False,
    enough: Enough | None = None,
) -> Callable[[A], A]:
    """Register an accumulator under its name and its `others`; see `AggregateFunction` for the rest.

    `syntax`: the key of sqlglot's node for it, where that is no name of it without the underscores.
    """

    def register(accumulator: A) -> A:
        function = AggregateFunction(
            name, types, accumulator, None, over_frames, empty, counts_rows, duplicate_free, idempotent, compares, passes_on,
            order_free, False, by_row, None, totals, extreme, from_sums, of_parts, instead,
            is_macro, enough=enough,
        )  # fmt: skip
        _register(function, others, syntax)
        return accumulator

    return register


def collected(
    name: str,
    *others: str,
    types: AggregateTypes,
    syntax: str | None = None,
    empty: int | None = None,
    duplicate_free: bool = False,
    idempotent: bool = False,
    compares: int | None = None,
    passes_on: bool = False,
    order_free: bool = True,
    keeps_nulls: bool = False,
    of_ranges: OfRanges | None = None,
    ordered_set: OrderedSet | None = None,
    instead: Instead | None = None,
    is_macro: bool = False,
    enough: Enough | None = None,
    by_times: bool = False,
    lists_rows: bool = False,
    for_null: int | None = None,
) -> Callable[[Collect], Collect]:
    """Register an aggregate that sees all rows of its groups at once; see `AggregateFunction`, and `aggregate` for `syntax`."""

    def register(collect: Collect) -> Collect:
        function = AggregateFunction(
            name, types, None, collect, None, empty, False, duplicate_free, idempotent, compares, passes_on, order_free,
            keeps_nulls, None, ordered_set, instead=instead, is_macro=is_macro, of_ranges=of_ranges,
            enough=enough, by_times=by_times, lists_rows=lists_rows, for_null=for_null,
        )  # fmt: skip
        _register(function, others, syntax)
        return collect

    return register


def always(args: tuple[Column, ...], ranges: int) -> bool:
    """`of_ranges` of what asks for counts and values at places alone."""
    return True


def of_one_range(args: tuple[Column, ...], ranges: int) -> bool:
    """`of_ranges` of what the rows of a frame have to lie side by side for."""
    return ranges == 1


def row_of(name: str, *others: str, types: AggregateTypes, by_row: ByRow, instead: Instead | None = None) -> None:
    """Register an aggregate that is always the value of one row, and so has no form of its own."""
    _register(AggregateFunction(name, types, None, by_row=by_row, instead=instead), others, None)


def _register(function: AggregateFunction, others: tuple[str, ...], syntax: str | None) -> None:
    for known in (function.name, *others):
        if known in _AGGREGATES:
            raise ValueError(f"aggregate {known} is registered twice")
        _AGGREGATES[known] = function
        _BY_SYNTAX[known.replace("_", "")] = function
    if syntax is not None:
        _BY_SYNTAX[syntax] = function


def find_aggregate(name: str) -> AggregateFunction | None:
    """The aggregate of that name, if there is one, or the one that it is of."""
    if isinstance(name, OwnName):
        return name.function if isinstance(name.function, AggregateFunction) else None
    return _AGGREGATES.get(name)


def find_by_syntax(key: str) -> AggregateFunction | None:
    """The aggregate that sqlglot's node of that key calls, if there is one."""
    return _BY_SYNTAX.get(key)


def aggregate_of(call: AggregateCall) -> AggregateFunction:
    """The aggregate that a bound call calls; InternalError where that is a window function."""
    function = find_aggregate(call.function)
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
    function = find_aggregate(name)
    if function is None:
        near = get_close_matches(name, _AGGREGATES, n=3)
        hint = f"did you mean {', '.join(near)}?" if near else None
        raise UnsupportedError(f"aggregate {name} is not supported", hint=hint)
    other = None if function.instead is None else function.instead(args)
    function = function if other is None else _AGGREGATES[other]
    if function.is_macro and (distinct or order or filter is not None):
        raise BindError(
            f"{name} takes no DISTINCT, FILTER or ORDER BY", hint="it is made of other aggregates, which do"
        )
    if function.ordered_set is not None and len(order) == 1:
        args = function.ordered_set(args, order[0])
    args, (wanted, result) = signature(function.types, args)
    if len(wanted) != len(args):
        raise BindError(f"{name} takes {counted(len(wanted), 'argument')}, not {len(args)}")
    args = tuple(map(coerce, args, wanted))
    if function.for_null is not None:
        args = (*args[:-1], bind(words.COALESCE, args[-1], Literal(function.for_null, args[-1].dtype)))
    row = None if function.by_row is None else function.by_row(args, order)
    if row is not None:
        conditions = tuple(bind(words.NOT, bind(words.IS_NULL, part)) for part in row.known)
        name = words.LAST if row.last else words.FIRST
        return AggregateCall(name, (row.value,), result, filter=_all_of(filter, conditions), order=row.order)
    if function.order_free:
        order = ()
    elif order and function.collect is None:
        raise UnsupportedError(f"ORDER BY inside {name} is not supported")
    if function.duplicate_free:
        distinct = False
    called = name if isinstance(name, OwnName) else function.name
    return AggregateCall(called, args, result, distinct, filter, order)


def numbers_of_variants(name: str, args: tuple[Expr, ...]) -> tuple[Expr, ...] | None:
    """The arguments of an aggregate that takes no VARIANT, cast to what it takes; None where it takes some, or nothing fits."""
    function = find_aggregate(name)
    if function is None:
        return None
    try:
        function.types(args)
    except BindError:
        found = without_variants(function.types, args)
        return None if found is None else tuple(map(coerce, args, found[1][0]))
    return None


def _all_of(filter: Expr | None, conditions: tuple[Expr, ...]) -> Expr | None:
    """The rows that pass the FILTER and all conditions."""
    parts = conditions if filter is None else (filter, *conditions)
    if len(parts) <= 1:
        return parts[0] if parts else None
    return Call(words.AND, parts, BOOLEAN)
