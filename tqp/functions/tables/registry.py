"""Table functions: the one table of what they are called, which types they take and what computes their rows.

A function is registered once, in the module of its family::

    @table_function("range", types=_series_types)
    def _range(args: Args, rows: int) -> Generated: ...

Its columns and their types follow from its arguments when a query is bound. In a run it says first how many rows it gives for
each row of its arguments, and then gives any of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from tqp.errors import UnsupportedError
from tqp.functions.names import is_named
from tqp.functions.registry import Args
from tqp.ir.expr import Expr, Value
from tqp.types import DType

if TYPE_CHECKING:
    from torch import Tensor

    from tqp.data.column import Column

__all__ = [
    "Asked",
    "Generated",
    "TableFunction",
    "TableSignature",
    "find_table_function",
    "table_function",
    "table_functions",
]

TableSignature = tuple[tuple[DType, ...], tuple[tuple[str, DType], ...]]
"""Types that the arguments are cast to, and names and types of the columns."""


class Asked:
    """Some rows that a table function gives, (m,); what names them is computed when it is first read.

    `rows` (m,) are those of the arguments that each is given for, None: the arguments are constant. `places` (m,) say which of the
    rows that are given for it: `begins` of `Generated` for that row and behind. Both are int32 or int64. `first`: they are those
    numbered `first` to `first` + m - 1 of all rows that are given, if that is known.
    """

    __slots__ = ("_places", "_rows", "count", "first")

    def __init__(
        self,
        count: int,
        rows: Tensor | Callable[[], Tensor] | None,
        places: Tensor | Callable[[], Tensor],
        first: int | None = None,
    ) -> None:
        self.count = count
        self.first = first
        self._rows = rows
        self._places = places

    @property
    def rows(self) -> Tensor | None:
        if callable(self._rows):
            self._rows = self._rows()
        return self._rows

    @property
    def places(self) -> Tensor:
        if callable(self._places):
            self._places = self._places()
        return self._places


class Generated(Protocol):
    """The rows that a table function gives for some rows of arguments."""

    @property
    def counts(self) -> Tensor | int:
        """How many for each row of the arguments: (n,) integers, or one number where the arguments are constant."""
        ...

    @property
    def begins(self) -> Tensor | None:
        """The place of the first of each row, which those behind it follow: (n,) int32 or int64, where the arguments are constant
        (1,) or (). None: 0 of all."""
        ...

    def columns(self, asked: Asked) -> list[Column]:
        """The rows that are asked for. Constants stand for columns of equal values. Bounds hold for all rows that there are, not
        these alone."""
        ...


@dataclass(frozen=True, slots=True)
class TableFunction:
    """A table function.

    `correlated`: its arguments may be columns of what stands before it in FROM. `named_by_alias`: an alias names its one column,
    too. `rows`: from the values of arguments, None where one is not known, to about how many rows it gives. `options` are names of
    arguments that are written `name = value`, and come behind the others. `hidden`: the last columns, by their names, which `*`
    leaves out.
    """

    name: str
    types: Callable[[tuple[Expr, ...]], TableSignature]
    open: Callable[[Args, int], Generated]
    correlated: bool = False
    named_by_alias: bool = False
    rows: Callable[[Sequence[Value]], float | None] | None = None
    options: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()


_FUNCTIONS: dict[str, TableFunction] = {}


def table_function(
    name: str,
    *,
    types: Callable[[tuple[Expr, ...]], TableSignature],
    correlated: bool = False,
    named_by_alias: bool = False,
    rows: Callable[[Sequence[Value]], float | None] | None = None,
    options: tuple[str, ...] = (),
    hidden: tuple[str, ...] = (),
) -> Callable[[Callable[[Args, int], Generated]], Callable[[Args, int], Generated]]:
    """Register what opens a table function; what else is said of it is in `TableFunction`."""

    def register(open_: Callable[[Args, int], Generated]) -> Callable[[Args, int], Generated]:
        if name in _FUNCTIONS:
            raise ValueError(f"table function {name} is registered twice")
        _FUNCTIONS[name] = TableFunction(name, types, open_, correlated, named_by_alias, rows, options, hidden)
        return open_

    return register


def find_table_function(name: str) -> TableFunction:
    """The table function of that name; UnsupportedError where there is none."""
    function = _FUNCTIONS.get(name)
    if function is None:
        what = "table function {} is not supported" if is_named(name) else "there is no table function {}"
        raise UnsupportedError(what.format(name))
    return function


def table_functions() -> tuple[str, ...]:
    """The names of all table functions."""
    return tuple(_FUNCTIONS)
