"""Window functions: their names, their types, and which aggregates can slide over frames."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tqp.errors import BindError, UnsupportedError
from tqp.functions.bind import coerce
from tqp.ir.expr import AggregateCall, Expr
from tqp.types import BIGINT, DOUBLE, DType

__all__ = ["FRAMED", "IGNORING", "VALUES", "bind_window", "is_window_function"]

FRAMED: Final = frozenset({
    "count_star", "count", "sum", "avg", "mean", "min", "max", "bool_and", "logical_and", "bool_or", "logical_or",
    "stddev", "stddev_samp", "stddev_pop", "variance", "var_samp", "variance_pop", "var_pop",
})  # fmt: skip
"""Aggregates that any frame may limit; others take whole partitions alone."""

VALUES: Final = {"first_value", "last_value", "nth_value"}
"""Functions that pick a row of the frame."""

IGNORING: Final = frozenset({"lag", "lead", *VALUES})
"""Functions that know IGNORE NULLS."""

_Types = Callable[[tuple[Expr, ...]], tuple[tuple[DType, ...], DType]]


def is_window_function(name: str) -> bool:
    """Whether the name is of a function that exists with OVER alone."""
    return name in _TYPES


def bind_window(name: str, args: tuple[Expr, ...], *, filter: Expr | None = None) -> AggregateCall:
    """The typed call of a window function that is no aggregate, with the casts its arguments need.

    Raises BindError for a wrong number of arguments, UnsupportedError for an unknown name.
    """
    if name not in _TYPES:
        raise UnsupportedError(f"{name} is no aggregate or window function", hint="only those go with OVER")
    counts, types = _TYPES[name]
    if len(args) not in counts:
        wanted = " or ".join(map(str, counts))
        raise BindError(f"{name} takes {wanted} argument{'' if counts == (1,) else 's'}, not {len(args)}")
    wanted_types, result = types(args)
    return AggregateCall(name, tuple(map(coerce, args, wanted_types)), result, filter=filter)


def _ranks(args: tuple[Expr, ...]) -> tuple[tuple[DType, ...], DType]:
    return (), BIGINT


def _shares(args: tuple[Expr, ...]) -> tuple[tuple[DType, ...], DType]:
    return (), DOUBLE


def _tiles(args: tuple[Expr, ...]) -> tuple[tuple[DType, ...], DType]:
    return (BIGINT,), BIGINT


def _shifts(args: tuple[Expr, ...]) -> tuple[tuple[DType, ...], DType]:
    return (args[0].dtype, BIGINT, args[0].dtype)[: len(args)], args[0].dtype


_TYPES: Final[dict[str, tuple[tuple[int, ...], _Types]]] = {
    "row_number": ((0,), _ranks),
    "rank": ((0,), _ranks),
    "dense_rank": ((0,), _ranks),
    "percent_rank": ((0,), _shares),
    "cume_dist": ((0,), _shares),
    "ntile": ((1,), _tiles),
    "lag": ((1, 2, 3), _shifts),
    "lead": ((1, 2, 3), _shifts),
    "first_value": ((1,), _shifts),
    "last_value": ((1,), _shifts),
    "nth_value": ((2,), _shifts),
}
