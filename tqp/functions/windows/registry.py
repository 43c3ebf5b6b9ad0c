"""The table of window functions that are no aggregates: names, types, what is known of them, what they see of a window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor

from tqp.data.column import Column
from tqp.errors import BindError, UnsupportedError
from tqp.functions.bind import coerce
from tqp.ir.expr import AggregateCall, Expr, SortKey
from tqp.kernels import window
from tqp.types import DType

__all__ = [
    "Order", "Over", "WindowFunction", "WindowTypes", "bind_window", "find_window", "names", "window_by_syntax", "window_function",
]  # fmt: skip

WindowTypes = Callable[[tuple[Expr, ...]], tuple[tuple[DType, ...], DType]]


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """The rows of a window by the ORDER BY inside of a call, partition after partition.

    `rows` (n,) int64: the row at each place; `places` (n,) int64: the place of each row; `ranks` (n,) int64 in 0 .. n - 1: the
    same for rows that are equal, and larger for those behind them.
    """

    rows: Tensor
    places: Tensor
    ranks: Tensor


@dataclass(frozen=True, slots=True, eq=False)
class Over:
    """What a window function sees: its `args`, columns (n,) in the order of the window.

    `partitions` and `peers()` are runs of these rows; equal rows are made out when first asked for. `frame()` are the rows
    that each row's frame holds, and `eligible` (n,) bool those that may be picked: all where it is None. `order` is that of the
    ORDER BY inside of the call, None without one.
    """

    args: tuple[Column, ...]
    dtype: DType
    partitions: window.Runs
    peers: Callable[[], window.Runs]
    frame: Callable[[], window.Frame]
    eligible: Tensor | None
    ignore_nulls: bool
    order: Order | None = None


@dataclass(frozen=True, slots=True)
class WindowFunction:
    """A window function.

    `counts`: numbers of arguments that it takes.
    `orders`: it takes an ORDER BY inside, and looks then at the rows of its frame in that order.
    `takes_key`: it computes with the value of its one sort key, too, which the binder adds to its arguments.
    `picks`: it is the value of a row of the frame; others do not look at the frame.
    `ignores_nulls`: it knows IGNORE NULLS.
    `never_null`: it has a value in every row.
    `passes_on`: it is the value of its first argument in some row.
    `numbers`: it numbers the rows of a partition from 1, so that no two of them have the same one.
    `counts_before`: it is one more than how many rows of the partition come before the row, or before all that are equal to it.
    """

    name: str
    counts: tuple[int, ...]
    types: WindowTypes
    compute: Callable[[Over], Column]
    picks: bool = False
    ignores_nulls: bool = False
    never_null: bool = False
    numbers: bool = False
    passes_on: bool = False
    counts_before: bool = False
    orders: bool = True
    takes_key: bool = False


_FUNCTIONS: dict[str, WindowFunction] = {}
_BY_SYNTAX: dict[str, WindowFunction] = {}


def window_function(
    name: str,
    *others: str,
    counts: tuple[int, ...],
    types: WindowTypes,
    picks: bool = False,
    ignores_nulls: bool = False,
    never_null: bool = False,
    numbers: bool = False,
    passes_on: bool = False,
    counts_before: bool = False,
    orders: bool = True,
    takes_key: bool = False,
) -> Callable[[Callable[[Over], Column]], Callable[[Over], Column]]:
    """Register a window function under its name and its `others`; see `WindowFunction`."""

    def register(compute: Callable[[Over], Column]) -> Callable[[Over], Column]:
        function = WindowFunction(
            name, counts, types, compute, picks, ignores_nulls, never_null, numbers, passes_on, counts_before, orders,
            takes_key,
        )  # fmt: skip
        for known in (name, *others):
            _FUNCTIONS[known] = _BY_SYNTAX[known.replace("_", "")] = function
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


def bind_window(
    name: str, args: tuple[Expr, ...], *, filter: Expr | None = None, order: tuple[SortKey, ...] = ()
) -> AggregateCall:
    """The typed call of a window function that is no aggregate, with the casts its arguments need.

    Raises BindError for a wrong number of arguments, UnsupportedError for an unknown name.
    """
    function = _FUNCTIONS.get(name)
    if function is None:
        raise UnsupportedError(f"{name} is no aggregate or window function", hint="only those go with OVER")
    if len(args) not in function.counts:
        counts = [count - function.takes_key for count in function.counts]
        plural = "" if counts == [1] else "s"
        raise BindError(
            f"{name} takes {' or '.join(map(str, counts))} argument{plural}, not {len(args) - function.takes_key}"
        )
    wanted_types, result = function.types(args)
    return AggregateCall(function.name, tuple(map(coerce, args, wanted_types)), result, filter=filter, order=order)
