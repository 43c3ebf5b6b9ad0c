"""Scalar functions: the one table of what they are called, which types they take and what computes them.

A function is registered once, in the module of its family::

    @scalar("upper", types=text_to_text)
    def upper(args: Args, out: DType) -> Column: ...

Its name is the key of sqlglot's node for it ("add", "like", "substring", "extract", …) or, where sqlglot has no node,
the lower-case SQL name; so the binder needs no list of functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

from tqp.errors import BindError, UnsupportedError
from tqp.ir.expr import Call, Expr
from tqp.ir.own import OwnName
from tqp.types import DType

if TYPE_CHECKING:
    from torch import Tensor

    from tqp.data.column import Column
    from tqp.kernels.measures import Measure

__all__ = [
    "Args",
    "Compared",
    "Function",
    "Kernel",
    "Metric",
    "OfPairs",
    "Rises",
    "SeesThrough",
    "Signature",
    "TypeRule",
    "expect",
    "find",
    "is_registered",
    "names",
    "scalar",
]

Args = Sequence["Column"]
"""The argument columns of one batch: equal length, or constant (no row dimension)."""

Signature = tuple[tuple[DType, ...], DType]
"""Types that the arguments are cast to, and the type of the result."""

TypeRule = Callable[[tuple[Expr, ...]], Signature]
"""From the (typed) arguments to the signature; raises BindError where they do not fit."""

Kernel = Callable[[Args, DType], "Column"]

Rises = Callable[[tuple[Expr, ...]], tuple[int, ...]]
"""From the arguments of a call to the places of some of them."""

SeesThrough = Callable[[Call], Expr | None]
"""From a call whose first argument is a call, too, to what it gives without that one; None: there is no such expression."""

Instead = Callable[[tuple[Expr, ...]], "str | None"]
OfPairs = Callable[["Tensor", "Tensor", "Tensor", "Tensor"], "Tensor"]


@dataclass(frozen=True, slots=True)
class Metric:
    """start + sign * measure(a, b), of two arrays."""

    measure: Measure
    sign: int = 1
    start: int = 0


class Compared(Enum):
    """What a function compares, if it is no comparison: by their keys, where these are others than the values themselves."""

    ARGUMENTS = auto()
    """Each by itself."""
    TEXTS = auto()
    """One text with parts of another one."""
    ELEMENT = auto()
    """The second argument with the elements of the first one."""
    LISTS = auto()
    """The elements of two lists."""
    ORDER = auto()
    """The elements of a list, to tell the places of them in order."""
    SORTED = auto()
    """The same, to put them in order."""
    REVERSED = auto()
    """The same, the greatest first."""
    AGGREGATED = auto()
    """What the aggregate compares that the second argument names."""


@dataclass(frozen=True, slots=True)
class Function:
    """A scalar function.

    `strict`: NULL if any argument is NULL; then the caller of the kernel sets `valid` from the arguments' and the
    kernel sees and returns columns whose `valid` is to be ignored, unless it adds NULLs of its own (then it returns
    a column with `valid`, and the two are combined). Not strict: the kernel handles `valid` itself.
    `on_distinct`: the kernel may run once per dictionary entry when its only non-constant argument is a text column.
    `strict_first`: of a function that is not strict: NULL if one of so many first arguments is NULL.
    `first_value`: the first argument that is not NULL, so that none is needed where one before it has a value.
    `total`: NULL only if an argument is NULL.
    `catches`: NULL for the rows for which its one argument fails.
    `selectivity`: of a condition: about the share of rows for which it is true, where nothing better is known.
    `compares`: it asks for the order of its arguments.
    `mirrored`, `negated`: of a comparison: the one that says of (b, a) what this says of (a, b), and the one that is its NOT.
    `of_pairs`: for two arrays, what computes a function of rows a[i] and b[j] from the data of whole columns a and b and
    the row ids i and j, so that neither is gathered.
    `rises`: of a call's arguments, exact numbers, dates or timestamps, the places of those that its value, one of these types as
    well, never falls with where the others are constants.
    `by_layout`: of a constant among its arguments the kernel asks the layout alone. So what it does is right for all
    constants within the bounds.
    `by_clock`: of a TIMESTAMP WITH TIME ZONE: it asks for, and gives, what clocks of the session's time zone show.
    `associative`: of any number of arguments: a call of it among them may give way to the arguments of that.
    `on_host`: computed on the host, once for each distinct combination of its arguments' values (`functions/entries.py`).
    `picks`: the element of its first argument at the place that is its second one, NULL where either is and where there is none.
    `element`: of a function that gives lists, and NULL just where its first argument is if the others are not: the function that
    gives their element at a place, of the same arguments and that place.
    `sees_through`: of its first argument it asks for less than all, as for one field of a struct: what it gives where that is a
    call as well, without that. Arguments of the call that it leaves out are not computed.
    `instead`: the name of the function that it is of arguments of other types.
    `metric`: of two arrays: what a matrix product tells of it.
    `of_keys`: what it compares beside `mirrored`.
    `each_row`: equal arguments may give different values, so that it is computed for each row, and no condition on it moves.
    """

    name: str
    types: TypeRule
    kernel: Kernel
    strict: bool = True
    on_distinct: bool = False
    of_pairs: OfPairs | None = None
    strict_first: int = 0
    first_value: bool = False
    total: bool = False
    catches: bool = False
    selectivity: float | None = None
    mirrored: str | None = None
    negated: str | None = None
    compares: bool = False
    by_layout: bool = False
    rises: Rises | None = None
    by_clock: bool = False
    associative: bool = False
    on_host: bool = False
    each_row: bool = False
    picks: bool = False
    element: str | None = None
    sees_through: SeesThrough | None = None
    instead: Instead | None = None
    metric: Metric | None = None
    of_keys: Compared | None = None

    def is_null(self, args: Sequence[bool]) -> bool:
        """Whether the result is certainly NULL, by which of the arguments certainly are."""
        if self.first_value:
            return all(args)
        return any(args if self.strict else args[: self.strict_first])


_FUNCTIONS: dict[str, Function] = {}


def scalar(
    *names: str,
    types: TypeRule,
    strict: bool = True,
    on_distinct: bool = False,
    of_pairs: OfPairs | None = None,
    strict_first: int = 0,
    first_value: bool = False,
    total: bool = False,
    catches: bool = False,
    selectivity: float | None = None,
    mirrored: str | None = None,
    negated: str | None = None,
    compares: bool = False,
    by_layout: bool = False,
    rises: Rises | None = None,
    by_clock: bool = False,
    associative: bool = False,
    on_host: bool = False,
    picks: bool = False,
    element: str | None = None,
    sees_through: SeesThrough | None = None,
    instead: Instead | None = None,
    metric: Metric | None = None,
    of_keys: Compared | None = None,
) -> Callable[[Kernel], Kernel]:
    """Register a kernel under its names; what else is said of it is in `Function`."""

    def register(kernel: Kernel) -> Kernel:
        for name in names:
            if name in _FUNCTIONS:
                raise ValueError(f"function {name} is registered twice")
            _FUNCTIONS[name] = Function(
                name, types, kernel, strict, on_distinct, of_pairs, strict_first, first_value, total, catches, selectivity,
                mirrored, negated, compares, by_layout, rises, by_clock, associative, on_host, picks=picks, element=element,
                sees_through=sees_through, instead=instead, metric=metric, of_keys=of_keys,
            )  # fmt: skip
        return kernel

    return register


def expect(args: Sequence[object], count: int, name: str) -> None:
    """BindError unless there are `count` arguments."""
    if len(args) != count:
        raise BindError(f"{name} takes {count} argument{'' if count == 1 else 's'}, not {len(args)}")


def is_registered(name: str) -> bool:
    """Whether there is a function of that name, or the name is of one."""
    return isinstance(name, OwnName) or name in _FUNCTIONS


def find(name: str) -> Function:
    """The function of that name, or the one that it is of; UnsupportedError where there is none."""
    if isinstance(name, OwnName):
        if not isinstance(name.function, Function):
            raise BindError(f"{name} gives no value of a row", hint="a table function stands in FROM")
        return name.function
    function = _FUNCTIONS.get(name)
    if function is None:
        raise UnsupportedError(f"function {name} is not supported")
    return function


def names() -> tuple[str, ...]:
    """The names of all functions registered so far."""
    return tuple(_FUNCTIONS)
