"""range and generate_series: numbers, and instants that an interval moves, from a start to a stop by steps.

Numbers, and instants moved by days and microseconds, are computed by their place. Moved by months, instants are too, as long as
no month is shorter than the day of the start. Else each is the one before it moved on, as days that were cut stay cut
(2020-01-31, 02-29, 03-29): that costs some operations a step, for all rows at once. So it does where months or days are those of
clocks of a time zone, whose name is the first argument then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import torch
from torch import Tensor

from tqp.data.column import Column, constant
from tqp.data.layout import Bounds, narrowest
from tqp.errors import BindError, ExecutionError
from tqp.functions.entries import string
from tqp.functions.instants import add_interval, infinite
from tqp.functions.registry import Args, find
from tqp.functions.tables.registry import Asked, Generated, TableSignature, table_function
from tqp.functions.unify import is_text_literal
from tqp.interrupt import checkpoint
from tqp.ir.expr import Expr, Value
from tqp.kernels import calendar, waits
from tqp.kernels.calendar import DAY
from tqp.types import (
    BIGINT,
    DATE,
    INTERVAL,
    NULL,
    TIMESTAMP,
    TIMESTAMP_MS,
    TIMESTAMP_NS,
    TIMESTAMP_S,
    TIMESTAMPTZ,
    VARCHAR,
    DType,
    integer_range,
)

__all__: list[str] = []

_SHORTEST: Final = 28
"""No month has fewer days."""
_WHY: Final = "how many rows a series has"
_UNBOUNDED: Final = integer_range(BIGINT)


def _signature(name: str, args: tuple[Expr, ...]) -> TableSignature:
    given = ", ".join(str(arg.dtype) for arg in args)
    if 1 <= len(args) <= 3 and all(_is_number(arg) for arg in args):
        return (BIGINT,) * len(args), ((name, BIGINT),)
    if len(args) == 3:
        start, stop, step = args
        for dtype in (TIMESTAMP, TIMESTAMPTZ):
            if all(_is_instant(arg, dtype) for arg in (start, stop)) and _is(step, INTERVAL):
                return (dtype, dtype, INTERVAL), ((name, dtype),)
    raise BindError(
        f"{name}({given}) is not supported",
        hint=f"{name}(stop), {name}(start, stop[, step]) of BIGINT; {name}(start, stop, step) of TIMESTAMP and INTERVAL",
    )


def _is(arg: Expr, dtype: DType) -> bool:
    return arg.dtype in (dtype, NULL) or is_text_literal(arg)


def _is_number(arg: Expr) -> bool:
    if _is(arg, BIGINT):
        return True
    (least, most), (low, high) = integer_range(BIGINT), integer_range(arg.dtype) if arg.dtype.is_integer else (1, 0)
    return least <= low <= high <= most


def _is_instant(arg: Expr, dtype: DType) -> bool:
    # A DATE, timestamps of other units, and for TIMESTAMPTZ a TIMESTAMP, become one.
    others = {TIMESTAMP: (DATE, TIMESTAMP_S, TIMESTAMP_MS, TIMESTAMP_NS), TIMESTAMPTZ: (DATE, TIMESTAMP, TIMESTAMP_S)}
    return _is(arg, dtype) or arg.dtype in others[dtype]


def _estimate(args: Sequence[Value], inclusive: bool = False) -> float | None:
    start, stop, step = (0, args[0], 1) if len(args) == 1 else (args[0], args[1], args[2] if len(args) == 3 else 1)
    if not (isinstance(start, int) and isinstance(stop, int) and isinstance(step, int)) or step == 0:
        return None
    return float(max((stop - start + (inclusive if step > 0 else -inclusive)) // step, 0))


@table_function("range", types=partial(_signature, "range"), correlated=True, named_by_alias=True, rows=_estimate)
def _range(args: Args, rows: int) -> Generated:
    return _opened(args, rows, False)


@table_function(
    "generate_series",
    types=partial(_signature, "generate_series"),
    correlated=True,
    named_by_alias=True,
    rows=partial(_estimate, inclusive=True),
)
def _generate_series(args: Args, rows: int) -> Generated:
    return _opened(args, rows, True)


@dataclass(frozen=True, slots=True)
class _Arguments:
    """Start and stop (n,) int64, and which rows have no NULL among theirs; n is 1 where all are constant.

    `bounds`: of all values that lie between some start and its stop.
    """

    start: Tensor
    stop: Tensor
    known: Tensor
    dtype: DType
    bounds: Bounds | None
    inclusive: bool

    def reaches(self, up: Tensor, value: Tensor) -> Tensor:
        """Whether each value is still on this side of the stop."""
        if self.inclusive:
            return torch.where(up, value <= self.stop, value >= self.stop)
        return torch.where(up, value < self.stop, value > self.stop)


def _opened(args: Args, rows: int, inclusive: bool) -> Generated:
    if args[0].dtype == BIGINT:
        found = _within_bounds(args, rows, inclusive)
        if found is not None:
            return found
    zone = constant(string(args[0]), VARCHAR, args[0].device) if args[0].dtype.is_text else None
    args = args if zone is None else args[1:]
    length = 1 if all(arg.is_constant for arg in args) else rows
    columns = [arg.expand(length) for arg in args]
    device = columns[0].device
    known = torch.ones(length, dtype=torch.bool, device=device)
    for column in columns:
        if column.valid is not None:
            known = known & column.valid
    # A step, its NULLs aside, is never 0: 1 in their place disturbs nobody.
    if len(columns) == 1:
        zero = torch.zeros(length, dtype=torch.int64, device=device)
        ends = [zero, columns[0].data.to(torch.int64)]
        limits: list[Bounds | None] = [(0, 0), columns[0].bounds]
    else:
        ends = [column.data.to(torch.int64) for column in columns[:2]]
        limits = [column.bounds for column in columns[:2]]
    bounds = None
    if limits[0] is not None and limits[1] is not None:
        bounds = (min(limits[0][0], limits[1][0]), max(limits[0][1], limits[1][1]))
    dtype = columns[0].dtype
    given = _Arguments(ends[0], ends[1], known, dtype, bounds, inclusive)
    if dtype != BIGINT:
        return _instants(given, columns, zone)
    if len(columns) < 3:
        return _linear(given, torch.ones_like(given.start))
    step = torch.where(known, columns[2].data.to(torch.int64), 1)
    if waits.truth((step == 0).any(), _WHY):
        raise ExecutionError("the step of a series cannot be 0")
    return _linear(given, step)


# Numbers ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Linear:
    """start + place * step; without a start from 0. A step that is a number, or a tensor of one, is that of all rows."""

    counts: Tensor
    start: Tensor | None
    step: Tensor | int
    dtype: DType
    bounds: Bounds | None
    begins: None = None

    def columns(self, asked: Asked) -> list[Column]:
        values = asked.places
        if isinstance(self.step, Tensor):
            values = values.long() * _of(self.step, asked)
        elif self.step != 1:
            values = values.long() * self.step
        if self.start is not None:
            values = values.long() + _of(self.start, asked)
        return [_stored(values, self.dtype, self.bounds)]


@dataclass(frozen=True, slots=True)
class _Counted:
    """The places themselves, which begin at the start: a step is 1."""

    counts: Tensor
    begins: Tensor
    dtype: DType
    bounds: Bounds

    def columns(self, asked: Asked) -> list[Column]:
        return [_stored(asked.places, self.dtype, self.bounds)]


def _stored(values: Tensor, dtype: DType, bounds: Bounds | None) -> Column:
    width = torch.int64 if bounds is None else narrowest(*bounds) or torch.int64
    return Column(values.to(width), dtype, None, None, bounds)


def _of(values: Tensor, asked: Asked) -> Tensor:
    return values if values.shape[0] == 1 or asked.rows is None else values.index_select(0, asked.rows)


def _within_bounds(args: Args, rows: int, inclusive: bool) -> Generated | None:
    """A series of numbers whose bounds prove that nothing overflows, with one step for all rows; None of others."""
    start = args[0] if len(args) > 1 else None
    stop = args[min(len(args), 2) - 1]
    low, high = (0, 0) if start is None else start.bounds or _UNBOUNDED
    least, most = stop.bounds or _UNBOUNDED
    step = 1
    if len(args) == 3:
        moves = args[2].bounds
        if moves is None or moves[0] != moves[1] or moves[0] == 0 or args[2].valid is not None:
            return None
        step = moves[0]
    reach = max(high - least, most - low) + abs(step)
    if reach >= 2**62:
        return None
    width = torch.int32 if max(reach, *map(abs, (low, high, least, most))) < 2**31 else torch.int64
    distance = stop.data.to(width) if start is None else stop.data.to(width) - start.data.to(width)
    if step < 0:
        distance = -distance
    if not inclusive:
        distance = distance - 1
    if abs(step) > 1:
        distance = distance.div(abs(step), rounding_mode="floor")
    counts = (distance + 1).clamp(min=0)
    for column in args[:2]:
        if column.valid is not None:
            counts = torch.where(column.valid, counts, 0)
    bounds = (min(low, least), max(high, most))
    counts = counts.reshape(-1)
    if step == 1 and start is not None:
        return _Counted(counts, start.data.to(width).reshape(-1), BIGINT, bounds)
    return _Linear(counts, None if start is None else start.data.long().reshape(-1), step, BIGINT, bounds)


def _linear(given: _Arguments, step: Tensor) -> _Linear:
    """Of numbers, or of instants and microseconds; no step is 0."""
    up = step > 0
    distance = torch.where(up, given.stop - given.start, given.start - given.stop)
    if not given.inclusive:
        distance = distance - 1
    more = _unsigned_quotient(distance, step.abs())
    counts = torch.where(given.known & given.reaches(up, given.start), more + 1, 0)
    if waits.truth((counts < 0).any(), _WHY):
        raise ExecutionError("a series has more than 2^63 rows")
    return _Linear(counts, given.start, step, given.dtype, given.bounds)


def _unsigned_quotient(x: Tensor, y: Tensor) -> Tensor:
    """x // y of int64 that are taken for unsigned numbers, y not 0."""
    plain = x.div(torch.where(y == 0, 1, y), rounding_mode="floor")
    # Half of x has no sign; what is left of twice its remainder decides the last bit.
    half = (x >> 1) & (2**63 - 1)
    quotient, last = half.div(y, rounding_mode="floor"), x & 1
    rest = half - quotient * y
    large = 2 * quotient + (rest >= y - rest - last)
    return torch.where(y < 0, (x < 0).long(), torch.where(x < 0, large, plain))


# Instants -----------------------------------------------------------------------------------------------------------


def _instants(given: _Arguments, columns: Sequence[Column], zone: Column | None) -> Generated:
    step = torch.where(given.known.unsqueeze(-1), columns[2].data, 1)
    falls, rises = (step < 0).any(-1), (step > 0).any(-1)
    ends = [infinite(column) for column in columns[:2]]
    endless = [where & given.known for where in ends if where is not None]
    problems = [(falls & rises).any(), (~falls & ~rises).any(), *(where.any() for where in endless)]
    found = waits.several(problems, _WHY)
    for is_there, message in zip(found, _PROBLEMS, strict=False):
        if is_there:
            raise ExecutionError(message)
    months, days, micros = step.unbind(-1)
    day, _ = calendar.split(given.start)
    _, _, of_month = calendar.civil_from_days(day)
    is_linear = (months == 0) & (days.abs() < 10**7) & (micros.abs() < 10**7 * DAY)
    is_monthly = (days == 0) & (micros == 0) & (of_month <= _SHORTEST) & (months.abs() < 10**6)
    linear, monthly = waits.several(((is_linear | ~given.known).all(), (is_monthly | ~given.known).all()), _WHY)
    if zone is not None and waits.truth(((months != 0) | (days != 0)).any(), _WHY):
        return _one_by_one(given, step, lambda at, by: find("add_in_zone").kernel((zone, at, by), TIMESTAMPTZ))
    if linear:
        return _linear(given, days * DAY + micros)
    if monthly:
        return _monthly(given, months)
    return _one_by_one(given, step, lambda at, by: add_interval(at, by, 1))


_PROBLEMS: Final = (
    "a series with an interval of mixed signs is not supported",
    "the step of a series cannot be 0",
    "a series does not begin or end at infinity",
    "a series does not begin or end at infinity",
)


@dataclass(frozen=True, slots=True)
class _Monthly:
    """So many months after the start, whose day every month has."""

    counts: Tensor
    start: Tensor
    months: Tensor
    dtype: DType
    bounds: Bounds | None
    begins: None = None

    def columns(self, asked: Asked) -> list[Column]:
        day, time = calendar.split(_of(self.start, asked))
        data = calendar.add_months(day, asked.places * _of(self.months, asked)) * DAY + time
        return [Column(data, self.dtype, None, None, self.bounds)]


def _monthly(given: _Arguments, months: Tensor) -> _Monthly:
    (first, first_rest), (last, last_rest) = map(_month_and_rest, (given.start, given.stop))
    up = months > 0
    more = calendar.floor_div(torch.where(up, last - first, first - last), months.abs())
    # In the month of the stop the rest of the instants decides.
    beyond = torch.where(up, first_rest - last_rest, last_rest - first_rest)
    is_beyond = beyond > 0 if given.inclusive else beyond >= 0
    more = more - ((first + more * months == last) & is_beyond).long()
    counts = torch.where(given.known & (more >= 0), more + 1, 0)
    return _Monthly(counts, given.start, months, given.dtype, given.bounds)


def _month_and_rest(micros: Tensor) -> tuple[Tensor, Tensor]:
    """Months since the year 0, and the microseconds since the month began."""
    days, time = calendar.split(micros)
    year, month, day = calendar.civil_from_days(days)
    return year * 12 + month, day * DAY + time


@dataclass(frozen=True, slots=True)
class _OneByOne:
    """Instants that are there: those of row r begin at `begins[r]`."""

    counts: Tensor
    begins: Tensor
    values: Tensor
    dtype: DType
    bounds: Bounds | None

    def columns(self, asked: Asked) -> list[Column]:
        return [Column(self.values.index_select(0, asked.places), self.dtype, None, None, self.bounds)]


def _one_by_one(given: _Arguments, step: Tensor, moved: Callable[[Column, Column], Column]) -> _OneByOne:
    up = (step > 0).any(-1)
    alive = given.known & given.reaches(up, given.start)
    rows = torch.arange(given.start.shape[0], dtype=torch.int64, device=given.start.device)
    current, found, whose = given.start, [], []
    while True:
        checkpoint()
        here = waits.places(alive, _WHY)
        if here.shape[0] == 0:
            break
        found.append(current.index_select(0, here))
        whose.append(rows.index_select(0, here))
        following = moved(Column(current, given.dtype, alive), Column(step, INTERVAL))
        current = torch.where(alive, following.data, current)
        alive = alive & given.reaches(up, current)
    if not found:
        found, whose = [given.start[:0]], [rows[:0]]
    owners = torch.cat(whose)
    order = torch.sort(owners, stable=True).indices
    counts = torch.zeros_like(rows).scatter_add_(0, owners, torch.ones_like(owners))
    values = torch.cat(found).index_select(0, order)
    return _OneByOne(counts, counts.cumsum(0) - counts, values, given.dtype, given.bounds)
