"""Window functions that are no aggregates: names, types, what is known of them, and how they are computed.

A new one is a function under `@window_function(name, …)`, from what it sees of the window (`Over`) to a column.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.errors import BindError, ExecutionError, UnsupportedError
from tqp.functions.align import merge_rows
from tqp.functions.bind import coerce
from tqp.ir.expr import AggregateCall, Expr
from tqp.kernels import waits, window
from tqp.types import BIGINT, DOUBLE, DType

__all__ = [
    "Over", "WindowFunction", "bind_window", "find_window", "names", "window_by_syntax", "window_function",
]  # fmt: skip

_Types = Callable[[tuple[Expr, ...]], tuple[tuple[DType, ...], DType]]


@dataclass(frozen=True, slots=True, eq=False)
class Over:
    """What a window function sees: its `args`, columns (n,) in the order of the window.

    `partitions` and `peers()` are runs of these rows; equal rows are made out when first asked for. `frame()` are the rows
    that each row's frame holds, and `eligible` (n,) bool those that may be picked: all where it is None.
    """

    args: tuple[Column, ...]
    dtype: DType
    partitions: window.Runs
    peers: Callable[[], window.Runs]
    frame: Callable[[], window.Frame]
    eligible: Tensor | None
    ignore_nulls: bool


@dataclass(frozen=True, slots=True)
class WindowFunction:
    """A window function.

    `counts`: numbers of arguments that it takes.
    `picks`: it is the value of a row of the frame; others do not look at the frame.
    `ignores_nulls`: it knows IGNORE NULLS.
    `never_null`: it has a value in every row.
    `passes_on`: it is the value of its first argument in some row.
    `numbers`: it numbers the rows of a partition from 1, so that no two of them have the same one.
    `counts_before`: it is one more than how many rows of the partition come before the row, or before all that are equal to it.
    """

    name: str
    counts: tuple[int, ...]
    types: _Types
    compute: Callable[[Over], Column]
    picks: bool = False
    ignores_nulls: bool = False
    never_null: bool = False
    numbers: bool = False
    passes_on: bool = False
    counts_before: bool = False


_FUNCTIONS: dict[str, WindowFunction] = {}
_BY_SYNTAX: dict[str, WindowFunction] = {}


def window_function(
    name: str,
    *,
    counts: tuple[int, ...],
    types: _Types,
    picks: bool = False,
    ignores_nulls: bool = False,
    never_null: bool = False,
    numbers: bool = False,
    passes_on: bool = False,
    counts_before: bool = False,
) -> Callable[[Callable[[Over], Column]], Callable[[Over], Column]]:
    """Register a window function; see `WindowFunction`."""

    def register(compute: Callable[[Over], Column]) -> Callable[[Over], Column]:
        function = WindowFunction(
            name, counts, types, compute, picks, ignores_nulls, never_null, numbers, passes_on, counts_before
        )
        _FUNCTIONS[name] = _BY_SYNTAX[name.replace("_", "")] = function
        return compute

    return register


def find_window(name: str) -> WindowFunction | None:
    """The window function of that name, if there is one that exists with OVER alone."""
    return _FUNCTIONS.get(name)


def window_by_syntax(key: str) -> WindowFunction | None:
    """The window function that sqlglot's node of that key calls, if there is one."""
    return _BY_SYNTAX.get(key)


def names() -> tuple[str, ...]:
    """The names of all window functions."""
    return tuple(_FUNCTIONS)


def bind_window(name: str, args: tuple[Expr, ...], *, filter: Expr | None = None) -> AggregateCall:
    """The typed call of a window function that is no aggregate, with the casts its arguments need.

    Raises BindError for a wrong number of arguments, UnsupportedError for an unknown name.
    """
    function = _FUNCTIONS.get(name)
    if function is None:
        raise UnsupportedError(f"{name} is no aggregate or window function", hint="only those go with OVER")
    if len(args) not in function.counts:
        wanted = " or ".join(map(str, function.counts))
        plural = "" if function.counts == (1,) else "s"
        raise BindError(f"{name} takes {wanted} argument{plural}, not {len(args)}")
    wanted_types, result = function.types(args)
    return AggregateCall(name, tuple(map(coerce, args, wanted_types)), result, filter=filter)


def _ranks(args: tuple[Expr, ...]) -> tuple[tuple[DType, ...], DType]:
    return (), BIGINT


def _shares(args: tuple[Expr, ...]) -> tuple[tuple[DType, ...], DType]:
    return (), DOUBLE


def _tiles(args: tuple[Expr, ...]) -> tuple[tuple[DType, ...], DType]:
    return (BIGINT,), BIGINT


def _values(args: tuple[Expr, ...]) -> tuple[tuple[DType, ...], DType]:
    return (args[0].dtype, BIGINT, args[0].dtype)[: len(args)], args[0].dtype


@window_function("row_number", counts=(0,), types=_ranks, never_null=True, numbers=True, counts_before=True)
def _row_number(over: Over) -> Column:
    return Column(window.row_number(over.partitions), over.dtype)


@window_function("rank", counts=(0,), types=_ranks, never_null=True, counts_before=True)
def _rank(over: Over) -> Column:
    return Column(window.rank(over.partitions, over.peers()), over.dtype)


@window_function("dense_rank", counts=(0,), types=_ranks, never_null=True)
def _dense_rank(over: Over) -> Column:
    return Column(window.dense_rank(over.partitions, over.peers()), over.dtype)


@window_function("percent_rank", counts=(0,), types=_shares, never_null=True)
def _percent_rank(over: Over) -> Column:
    return Column(window.percent_rank(over.partitions, over.peers()), over.dtype)


@window_function("cume_dist", counts=(0,), types=_shares, never_null=True)
def _cume_dist(over: Over) -> Column:
    return Column(window.cume_dist(over.partitions, over.peers()), over.dtype)


@window_function("ntile", counts=(1,), types=_tiles)
def _ntile(over: Over) -> Column:
    (tiles,) = over.args
    counts = tiles.data.long()
    wrong = counts < 1 if tiles.valid is None else (counts < 1) & tiles.valid
    if waits.truth(wrong.any(), "a count of tiles below 1 is an error"):
        raise ExecutionError("ntile takes a number above 0")
    return Column(window.ntile(over.partitions, counts.clamp(min=1)), tiles.dtype, tiles.valid)


@window_function("lag", counts=(1, 2, 3), types=_values, passes_on=True, ignores_nulls=True)
def _lag(over: Over) -> Column:
    return _shifted(over, back=True)


@window_function("lead", counts=(1, 2, 3), types=_values, passes_on=True, ignores_nulls=True)
def _lead(over: Over) -> Column:
    return _shifted(over, back=False)


def _shifted(over: Over, back: bool) -> Column:
    """The value some rows before the row in its partition, or after it; a default where there is no such row."""
    args = over.args
    by: Tensor | int = 1 if back else -1
    known = None
    if len(args) > 1:
        # The least integer has no opposite; any step so far is out of the partition.
        steps = args[1].data.long().clamp(min=-(2**62))
        by, known = steps if back else -steps, args[1].valid
    places, exists = window.moved(over.partitions, by, args[0].valid if over.ignore_nulls else None)
    if len(args) > 2:
        found = merge_rows(exists, args[0].take(places), args[2].expand(len(args[0])))
    else:
        found = _at(args[0], places, exists)
    if known is None:
        return found
    return found.with_valid(known if found.valid is None else known & found.valid)


@window_function("first_value", counts=(1,), types=_values, passes_on=True, picks=True, ignores_nulls=True)
def _first_value(over: Over) -> Column:
    return _picked(over, torch.zeros_like(_size(over)))


@window_function("last_value", counts=(1,), types=_values, passes_on=True, picks=True, ignores_nulls=True)
def _last_value(over: Over) -> Column:
    return _picked(over, _size(over) - 1)


@window_function("nth_value", counts=(2,), types=_values, passes_on=True, picks=True, ignores_nulls=True)
def _nth_value(over: Over) -> Column:
    number = over.args[1]
    n = number.data.long().clamp(min=0) - 1
    return _picked(over, n if number.valid is None else torch.where(number.valid, n, -1))


def _size(over: Over) -> Tensor:
    """How many rows of each frame may be picked: (n,) int64."""
    frame = over.frame()
    return window.size(frame) if over.eligible is None else window.frame_count(over.eligible, frame)


def _picked(over: Over, n: Tensor) -> Column:
    """The value of the n-th row, from 0, of each frame; NULL where there is none."""
    places, exists = window.nth(over.frame(), n, over.eligible)
    return _at(over.args[0], places, exists)


def _at(column: Column, places: Tensor, exists: Tensor) -> Column:
    found = column.take(places)
    return found.with_valid(exists if found.valid is None else exists & found.valid)
