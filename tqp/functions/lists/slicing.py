"""Some elements of a list: slices, chosen places, all in another order."""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.nested import at, lengths, of_lengths
from tqp.errors import BindError, ExecutionError
from tqp.functions.lists.rows import Elements, element_of, list_function, list_types
from tqp.functions.registry import Args, Signature
from tqp.ir.expr import Expr
from tqp.kernels import waits
from tqp.kernels.rows import expand
from tqp.types import BIGINT, BOOLEAN, DType, list_of

__all__: list[str] = []

_FAR: Final = 2**40
"""A step beyond all elements of any list: no machine has room for so many."""


def _slice_types(args: tuple[Expr, ...]) -> Signature:
    if len(args) not in (3, 4):
        raise BindError("list_slice takes a list, where it begins and ends, and perhaps a step")
    have = list_of(element_of(args[0], "list_slice"))
    return (have, BIGINT, BIGINT, BIGINT)[: len(args)], have


@list_function("list_slice", "array_slice", types=_slice_types)
def _slice(args: Args, out: DType) -> Column:
    """The elements from a place to another, both counted from 1, or from the end below 0.

    Without a step nothing is copied: a slice is another range of the same elements.
    """
    list_, counts = args[0], lengths(args[0])
    begin, end = (_from_one(arg.data.long(), counts) for arg in args[1:3])
    if len(args) == 3:
        begin = begin.clamp(min=1)
        size = _size(begin, end, counts)
        start = torch.where(size > 0, list_.data[:, 0] + begin - 1, 0)
        return Column(torch.stack([start, size], 1), out, list_.valid, children=list_.children)
    step = args[3].data.long()
    if args[3].valid is not None:
        step = torch.where(args[3].valid, step, 1)
    if not waits.truth((step != 0).all(), "a step of 0 is an error"):
        raise ExecutionError("the step of a slice is not 0")
    step = step.clamp(-_FAR, _FAR)
    forward = step > 0
    low, high = torch.where(forward, begin, end).clamp(min=1), torch.minimum(torch.where(forward, end, begin), counts)
    size = torch.div(_size(low, high, counts) + step.abs() - 1, step.abs(), rounding_mode="floor")
    owners, number = expand(torch.zeros_like(size), size)
    first = torch.where(forward, low, high).index_select(0, owners)
    places = list_.data[:, 0].index_select(0, owners) + first - 1 + number * step.index_select(0, owners)
    return of_lengths(size, list_.children[0].take(places), out, list_.valid)


def _size(begin: Tensor, end: Tensor, counts: Tensor) -> Tensor:
    """How many places are from `begin`, 1 at least, to `end` of so many elements: (n,) int64."""
    # Places may be any integers, whose difference has more than 64 bits.
    return (torch.minimum(end, counts).clamp(min=0) - begin + 1).clamp(min=0)


def _from_one(place: Tensor, counts: Tensor) -> Tensor:
    """A place counted from 1."""
    return torch.where(place < 0, place + counts + 1, place)


@list_function("list_reverse", "array_reverse", types=list_types("list_reverse", list_of))
def _reverse(args: Args, out: DType) -> Column:
    of = Elements(args[0])
    last = (of.starts + of.counts - 1).index_select(0, of.owners)
    return of_lengths(of.counts, of.values.take(last - of.within), out)


@list_function("array_pop_back", types=list_types("array_pop_back", list_of))
def _pop_back(args: Args, out: DType) -> Column:
    data = args[0].data.clone()
    data[:, 1] = (data[:, 1] - 1).clamp(min=0)
    return Column(data, out, args[0].valid, children=args[0].children)


@list_function("array_pop_front", types=list_types("array_pop_front", list_of))
def _pop_front(args: Args, out: DType) -> Column:
    has_any = (args[0].data[:, 1] > 0).long()
    data = torch.stack([args[0].data[:, 0] + has_any, args[0].data[:, 1] - has_any], 1)
    return Column(data, out, args[0].valid, children=args[0].children)


def _where_types(args: tuple[Expr, ...]) -> Signature:
    if len(args) != 2:
        raise BindError(f"list_where takes 2 arguments, not {len(args)}")
    have = list_of(element_of(args[0], "list_where"))
    return (have, list_of(BOOLEAN)), have


@list_function("list_where", "array_where", types=_where_types)
def _where(args: Args, out: DType) -> Column:
    """The elements at places where the second list is true; NULL where it is longer."""
    masks = Elements(args[1])
    if masks.values.valid is not None and not waits.truth(masks.values.valid.all(), "a NULL in a mask is an error"):
        raise ExecutionError("the list of truth values of list_where has a NULL in it")
    kept = waits.places(masks.values.data, "how many elements stay")
    return _at_places(args[0], masks.owners.index_select(0, kept), masks.within.index_select(0, kept), out)


def _select_types(args: tuple[Expr, ...]) -> Signature:
    if len(args) != 2:
        raise BindError(f"list_select takes 2 arguments, not {len(args)}")
    have = list_of(element_of(args[0], "list_select"))
    return (have, list_of(BIGINT)), have


@list_function("list_select", "array_select", types=_select_types)
def _select(args: Args, out: DType) -> Column:
    """The elements at the places that the second list has; NULL outside."""
    wanted = Elements(args[1])
    if wanted.values.valid is not None and not waits.truth(
        wanted.values.valid.all(), "a NULL among places is an error"
    ):
        raise ExecutionError("the list of places of list_select has a NULL in it")
    return _at_places(args[0], wanted.owners, wanted.values.data.long() - 1, out)


def _at_places(list_: Column, owners: Tensor, places: Tensor, out: DType) -> Column:
    """Lists of the elements at `places` (m,) from 0 of the rows `owners` (m,), which ascend; NULL outside."""
    counts = lengths(list_)
    inside = (places >= 0) & (places < counts.index_select(0, owners))
    places = torch.where(inside, list_.data[:, 0].index_select(0, owners) + places, 0)
    sizes = torch.zeros_like(counts).scatter_add_(0, owners, torch.ones_like(owners))
    return of_lengths(sizes, at(list_.children[0], places, inside), out)


def _repeat_types(args: tuple[Expr, ...]) -> Signature:
    if len(args) != 2:
        raise BindError(f"repeat takes 2 arguments, not {len(args)}")
    have = list_of(element_of(args[0], "repeat"))
    return (have, BIGINT), have


@list_function("list_repeat", types=_repeat_types)
def _repeat(args: Args, out: DType) -> Column:
    """The elements of a list so many times."""
    counts = lengths(args[0])
    times = args[1].data.long().clamp(min=0)
    if args[1].valid is not None:
        times = torch.where(args[1].valid, times, 0)
    if waits.truth((counts.double() * times.double() > _FAR).any(), "too many elements are an error"):
        raise ExecutionError(f"list_repeat gives a list of more than {_FAR:,} elements", hint="repeat it less often")
    size = counts * times
    owners, number = expand(torch.zeros_like(size), size)
    places = args[0].data[:, 0].index_select(0, owners) + number % counts.index_select(0, owners)
    return of_lengths(size, args[0].children[0].take(places), out)
