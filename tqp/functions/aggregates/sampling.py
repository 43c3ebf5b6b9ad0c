"""lttb: some of a line's points, which look as all of them do."""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.nested import of_fields, of_lengths
from tqp.errors import BindError, ExecutionError
from tqp.functions.aggregates.grouped import Grouped
from tqp.functions.aggregates.registry import collected
from tqp.functions.aggregates.signatures import Types
from tqp.functions.casts.cast import cast
from tqp.functions.unify import is_text_literal
from tqp.interrupt import checkpoint
from tqp.ir.expr import Expr, Literal
from tqp.ir.inputs import decide
from tqp.ir.visit import symbols
from tqp.kernels import reduce, waits
from tqp.kernels.rows import expand, select
from tqp.types import BIGINT, DOUBLE, DType, Kind, list_of, struct

__all__: list[str] = []

_NAME: Final = "lttb"
_INSTANTS: Final = (Kind.TIMESTAMP, Kind.TIMESTAMP_S, Kind.TIMESTAMP_MS, Kind.TIMESTAMP_NS, Kind.TIMESTAMPTZ)


def _coordinate(arg: Expr) -> DType | None:
    """FLOAT as it is, other numbers as DOUBLE."""
    dtype = arg.dtype
    if dtype.is_float:
        return dtype
    return DOUBLE if dtype.is_numeric or dtype.kind is Kind.NULL else None


def _types(args: tuple[Expr, ...]) -> Types:
    if len(args) != 3:
        raise BindError("lttb takes x, y and how many points to keep")
    x, y, points = args
    across, up = _coordinate(x), _coordinate(y)
    if x.dtype.kind is Kind.DATE:
        across = DType(Kind.TIMESTAMP_NS)
    elif x.dtype.kind in _INSTANTS:
        across = x.dtype
    if across is None or up is None or is_text_literal(x) or is_text_literal(y):
        raise BindError(f"lttb takes a number or an instant and a number, not {x.dtype} and {y.dtype}")
    if symbols(points):
        raise BindError("the number of points of lttb must be a constant")
    if not (points.dtype.is_integer or is_text_literal(points) or points.dtype.kind is Kind.NULL):
        raise BindError(f"the number of points of lttb is an integer, not {points.dtype}")
    if isinstance(points, Literal) and points.is_null:
        raise BindError("the number of points of lttb must not be NULL")
    if isinstance(points, Literal) and points.dtype.is_integer and not decide(_is_enough, points):
        raise BindError("lttb keeps at least 2 points")
    return (across, up, BIGINT), list_of(struct((("x", across), ("y", up))))


def _is_enough(literal: Literal) -> bool:
    return isinstance(literal.value, int) and literal.value >= 2


@collected(_NAME, types=_types, order_free=False)
def _lttb(rows: Grouped) -> Column:
    """The first point, the last one, and of each of as many buckets between as there is room for one: that which makes the greatest
    triangle with the point kept before it and the mean of the next bucket (Steinarsson, 2013). All points where there are few.

    A step a bucket, which looks at the rows of this bucket in all groups.
    """
    if not rows.rows:
        return rows.nothing()
    wanted = waits.number(rows.args[2].data[0], "how many points are kept")
    if wanted < 2:
        raise ExecutionError("lttb keeps at least 2 points")
    order = rows.sequence
    x, y = (cast(arg, DOUBLE, False).data if arg.dtype.is_float else arg.data.double() for arg in rows.args[:2])
    kept = _kept(x.index_select(0, order), y.index_select(0, order), rows.begins, rows.counts, wanted)
    chosen = select(kept)
    found = order.index_select(0, chosen)
    assert rows.dtype.element is not None
    points = of_fields([arg.take(found) for arg in rows.args[:2]], rows.dtype.element, rows.device)
    counts = reduce.count(rows.ids.index_select(0, found), rows.groups)
    return of_lengths(counts, points, rows.dtype, rows.counts > 0)


def _kept(x: Tensor, y: Tensor, begins: Tensor, counts: Tensor, wanted: int) -> Tensor:
    """Which points (n,) bool are kept: groups lie one after the other, as `begins` and `counts` (groups,) say."""
    kept = torch.ones(x.shape[0], dtype=torch.bool, device=x.device)
    long = select(counts > wanted)
    if not long.shape[0]:
        return kept
    begin, count = begins.index_select(0, long), counts.index_select(0, long)
    _, places = expand(begin, count)
    kept[places] = False
    kept[begin] = True
    kept[begin + count - 1] = True
    size = (count - 2).double() / max(wanted - 2, 1)
    last = begin

    def edge(bucket: int) -> Tensor:
        return torch.minimum((size * bucket).floor().long() + 1, count)

    for bucket in range(wanted - 2):
        checkpoint()
        low, high, end = (edge(bucket + step) for step in range(3))
        owners, following = expand(begin + high, end - high)
        ahead = [
            reduce.add_at_(torch.zeros_like(size), owners, axis.index_select(0, following)) / (end - high)
            for axis in (x, y)
        ]
        owners, own = expand(begin + low, high - low)
        left, bottom = (axis.index_select(0, last).index_select(0, owners) for axis in (x, y))
        right, top = (mean.index_select(0, owners) for mean in ahead)
        area = (
            (left - right) * (y.index_select(0, own) - bottom) - (left - x.index_select(0, own)) * (top - bottom)
        ).abs()
        # As integers that order as the areas do; a NaN is no greater than anything.
        key = torch.where(area.isnan(), -1, (area * 0.5).view(torch.int64))
        best = reduce.maximum(key, owners.long(), long.shape[0])
        chosen = select(key == best.index_select(0, owners))
        first = reduce.first(owners.index_select(0, chosen).long(), long.shape[0])
        last = own.index_select(0, chosen.index_select(0, first))
        kept[last] = True
    return kept
