"""Histograms: how often each value comes, or how many values each bin has."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.nested import elements, of_fields, of_lengths
from tqp.errors import BindError, ExecutionError, UnsupportedError
from tqp.functions.aggregates.grouped import Collect, Grouped
from tqp.functions.aggregates.registry import collected
from tqp.functions.aggregates.signatures import Types
from tqp.functions.align import concat
from tqp.functions.bins import for_others
from tqp.functions.comparison import equal_or_both_null
from tqp.functions.order import order_digits
from tqp.functions.promotion import common_type
from tqp.ir.expr import Expr
from tqp.kernels import group, reduce, sort, waits
from tqp.kernels.rows import select
from tqp.types import DOUBLE, NULL, UBIGINT, Kind, list_of, map_of

__all__: list[str] = []

_BINS = "{} of bins"


def _counted(args: tuple[Expr, ...]) -> Types:
    if len(args) != 1:
        raise BindError(f"histogram takes a value and, if need be, a list of bins, not {len(args)} arguments")
    if args[0].dtype.kind is Kind.NULL:
        return (NULL,), map_of(NULL, UBIGINT)
    return (args[0].dtype,), map_of(args[0].dtype, UBIGINT)


def _with_bins(name: str) -> Callable[[tuple[Expr, ...]], str | None]:
    return lambda args: _BINS.format(name) if len(args) == 2 else None


@collected("histogram", types=_counted, instead=_with_bins("histogram"), by_times=True)
def _histogram(rows: Grouped) -> Column:
    """How often each value comes, by the values in their order."""
    groups, firsts, pairs = rows.equal(rows.args[0])
    values = rows.args[0].take(firsts)
    order = sort.argsort([groups, *order_digits(values)])
    times = rows.how_often(pairs, firsts.shape[0]).index_select(0, order)
    return _as_maps(rows, reduce.count(groups, rows.groups), values.take(order), times, rows.counts > 0)


def _as_maps(rows: Grouped, lengths: Tensor, keys: Column, times: Tensor, valid: Tensor) -> Column:
    """Maps of `lengths` (groups,) entries each, the keys and times of one group after the other."""
    assert rows.dtype.element is not None
    entries = of_fields([keys, Column(times, UBIGINT)], rows.dtype.element, rows.device)
    return of_lengths(lengths, entries, rows.dtype, valid)


def _bin_types(name: str) -> Callable[[tuple[Expr, ...]], Types]:
    def types(args: tuple[Expr, ...]) -> Types:
        if len(args) != 2 or args[1].dtype.kind not in (Kind.LIST, Kind.ARRAY):
            raise BindError(f"{name} takes a value and a list of bins", hint=f"{name}(x, [10, 20, 30])")
        element = args[1].dtype.element
        assert element is not None
        dtype = element if args[0].dtype.kind is Kind.NULL else args[0].dtype
        if dtype.kind is Kind.NULL:
            raise BindError(f"{name} of NULL has no type", hint="cast it to one")
        if Kind.VARIANT in (dtype.kind, element.kind):
            raise UnsupportedError(f"{name} of bins of VARIANT is not supported", hint="cast it: v::INTEGER")
        if dtype.kind is Kind.UHUGEINT:
            raise UnsupportedError(f"{name} of bins of UHUGEINT is not supported", hint="cast the values to HUGEINT")
        met = common_type(dtype, element)
        if (
            met is None
            or dtype.is_text is not element.is_text
            and not {dtype.kind, element.kind} & {Kind.ENUM, Kind.NULL}
        ):
            raise BindError(f"{name} of {dtype} has no bins of {element}", hint="cast one of them")
        # As in DuckDB, which has no bins of DECIMAL.
        dtype = DOUBLE if met.is_decimal else met
        return (dtype, list_of(dtype)), map_of(dtype, UBIGINT)

    return types


def _in_bins(rows: Grouped, name: str, is_exact: bool) -> Column:
    """How many values each bin has, by the bins in their order: those up to it, or just it (`is_exact`).

    What is in no bin comes behind all, if there is any, as `bins.for_others`. The bins of a group are those of its first row with a
    value.
    """
    values, bins = rows.args
    ids = rows.ids
    if values.valid is not None:
        known = select(values.valid)
        values, bins, ids = values.take(known).with_valid(None), bins.take(known), ids.index_select(0, known)
    if not ids.shape[0]:
        return rows.nothing()
    valid = reduce.count(ids, rows.groups) > 0
    some = select(valid)
    owners, edges = _edges(bins.take(reduce.first(ids, rows.groups).index_select(0, some)), name)
    others = for_others(values.dtype, rows.device)
    lengths = [len(edges), len(values)]
    numbers, _, size = group.group_ids_multi(order_digits(concat([edges, values], lengths)), ordered=True)
    edge, number = torch.split(numbers, lengths)
    # The bins, one group after the other, without those that come again.
    places = some.index_select(0, owners) * size + edge
    _, firsts, _ = group.group_ids_multi([places], ordered=True)
    edges, places = edges.take(firsts), places.index_select(0, firsts)
    counts = reduce.count(places // size, rows.groups)
    ends = counts.cumsum(0)
    found = torch.searchsorted(places, ids * size + number)
    if values.dtype.is_float:
        # DuckDB compares NaN as C++ does: no bin is less.
        found = torch.where(values.data.isnan(), (ends - counts).index_select(0, ids), found)
    inside = found < ends.index_select(0, ids)
    if is_exact:
        inside &= (
            places.index_select(0, found.clamp(max=places.shape[0] - 1)) == ids * size + number if len(edges) else False
        )
        if values.dtype.is_float:
            inside &= ~values.data.isnan()
    times = reduce.count(found.index_select(0, select(inside)), len(edges))
    if others is None:
        return _as_maps(rows, counts, edges, times, valid)
    rest = reduce.count(ids.index_select(0, select(~inside)), rows.groups)
    with_rest = select(rest > 0)
    _require_apart(edges, others, (rest > 0).index_select(0, places // size), name)
    # Behind the bins of each group what is in none of them.
    order = sort.argsort(
        [torch.cat((places // size, with_rest)), torch.cat((places % size, torch.full_like(with_rest, size)))]
    )
    lengths = [len(edges), with_rest.shape[0]]
    all_keys = concat([edges, others.take(torch.zeros_like(with_rest))], lengths).take(order)
    all_times = torch.cat((times, rest.index_select(0, with_rest))).index_select(0, order)
    return _as_maps(rows, counts + (rest > 0), all_keys, all_times, valid)


def _require_apart(edges: Column, others: Column, asked: Tensor, name: str) -> None:
    """ExecutionError where a bin, of a group that has values in none, is called as these are."""
    same = equal_or_both_null(edges, others.take(torch.zeros(len(edges), dtype=torch.int64, device=edges.device))).data
    if waits.truth((same & asked).any(), "a bin called as that of other values is an error"):
        raise ExecutionError(f"a bin of {name} is the key of values in no bin", hint="use a different bin")


def _edges(bins: Column, name: str) -> tuple[Tensor, Column]:
    """The bins of some lists, and which list each is of. ExecutionError for a NULL."""
    if bins.valid is not None and not waits.truth(bins.valid.all(), "bins that are NULL are an error"):
        raise ExecutionError(f"the list of bins of {name} is NULL")
    owners, edges = elements(bins)
    if edges.valid is not None and not waits.truth(edges.valid.all(), "bins that are NULL are an error"):
        raise ExecutionError(f"a bin of {name} is NULL")
    return owners.long(), edges.with_valid(None)


for _name, _is_exact in (("histogram", False), ("histogram_exact", True)):
    _collect: Collect = partial(_in_bins, name=_name, is_exact=_is_exact)
    collected(
        _BINS.format(_name) if _name == "histogram" else _name,
        types=_bin_types(_name),
        keeps_nulls=True,
        order_free=False,
    )(_collect)
