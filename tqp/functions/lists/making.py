"""How lists are made: of values, of other lists, of ranges."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.nested import at, lengths, of_fields, of_lengths
from tqp.errors import BindError, ExecutionError
from tqp.functions.align import concat
from tqp.functions.lists.rows import (
    Elements,
    element_of,
    list_function,
    list_types,
    side_by_side,
    stand_in,
    valid_together,
    with_element,
)
from tqp.functions.nested import LIST
from tqp.functions.registry import Args, Signature, TypeRule, scalar
from tqp.functions.tables import Asked, find_table_function
from tqp.functions.unify import unify
from tqp.ir.expr import Expr
from tqp.kernels import waits
from tqp.kernels.rows import expand
from tqp.types import BIGINT, NULL, DType, Kind, list_of, struct

__all__: list[str] = []


def _list_types(args: tuple[Expr, ...]) -> Signature:
    common = unify(args)
    if common is None:
        raise BindError("a list takes elements of one type", hint="cast them to one")
    return (common,) * len(args), list_of(common)


@scalar(LIST, types=_list_types, strict=False)
def _list(args: Args, out: DType) -> Column:
    """The arguments of a row side by side. Cost: two passes over all."""
    rows = next((len(arg) for arg in args if not arg.is_constant), None)
    count = 1 if rows is None else rows
    size = len(args)
    device = args[0].device
    # Of one argument after the other: those of a row are brought together.
    below = concat(args, [count] * size)
    child = below if size == 1 or count == 1 else below.map(lambda tensor: _by_row(tensor, size))
    starts = torch.arange(0, count * size, size, dtype=torch.int64, device=device)
    data = torch.stack([starts, torch.full_like(starts, size)], 1)
    return Column(data[0] if rows is None else data, out, children=(child,))


def _by_row(tensor: Tensor, size: int) -> Tensor:
    """What is (size * n, ...), one part of n after the other, row by row."""
    # Several times as fast as the copy of a transposed view.
    return torch.stack(tensor.view(size, -1, *tensor.shape[1:]).unbind(0), 1).view(tensor.shape)


def _concat_types(args: tuple[Expr, ...]) -> Signature:
    if not args:
        raise BindError("list_concat takes at least 1 list")
    elements = [stand_in(element_of(arg, "list_concat")) for arg in args]
    if all(arg.dtype.kind is Kind.NULL for arg in args):
        return tuple(arg.dtype for arg in args), NULL
    common = unify(tuple(elements))
    if common is None:
        shown = " and ".join(str(arg.dtype) for arg in args)
        raise BindError(f"lists of {shown} do not go together", hint="cast one of them")
    return (list_of(common),) * len(args), list_of(common)


@list_function("list_concat", "list_cat", "array_concat", "array_cat", types=_concat_types, strict=False)
def _concat(lists: Args, out: DType) -> Column:
    """One list after the other; a NULL list has no elements."""
    return side_by_side(lists, out)


@list_function("list_joined", types=_concat_types)
def _joined(lists: Args, out: DType) -> Column:
    """`||` of lists: as list_concat, but NULL where one is."""
    return side_by_side(lists, out)


def _more_types(name: str, list_place: int) -> TypeRule:
    def types(args: tuple[Expr, ...]) -> Signature:
        if len(args) != 2:
            raise BindError(f"{name} takes 2 arguments, not {len(args)}")
        list_, value = args[list_place], args[1 - list_place]
        # Of its own type, also where it is a literal: it is put into a list first.
        common = with_element(list_, stand_in(value.dtype), name)
        wanted = (list_of(common), common) if list_place == 0 else (common, list_of(common))
        return wanted, list_of(common)

    return types


def _alone(value: Column, out: DType) -> Column:
    """A list of each value (n,) alone."""
    return of_lengths(torch.ones(len(value), dtype=torch.int64, device=value.device), value, out)


@list_function("list_append", "array_append", "array_push_back", types=_more_types("list_append", 0), strict=False)
def _append(args: Args, out: DType) -> Column:
    """The list and the value behind it; a NULL list has no elements."""
    return side_by_side([args[0], _alone(args[1], out)], out)


@list_function("list_prepend", "array_prepend", types=_more_types("list_prepend", 1), strict=False)
def _prepend(args: Args, out: DType) -> Column:
    return side_by_side([_alone(args[0], out), args[1]], out)


@list_function("array_push_front", types=_more_types("array_push_front", 0), strict=False)
def _push_front(args: Args, out: DType) -> Column:
    return side_by_side([_alone(args[1], out), args[0]], out)


def _resize_types(args: tuple[Expr, ...]) -> Signature:
    if len(args) not in (2, 3):
        raise BindError(f"list_resize takes 2 or 3 arguments, not {len(args)}")
    if args[0].dtype.kind is Kind.NULL:
        return tuple(arg.dtype for arg in args), NULL
    element = element_of(args[0], "list_resize")
    if element == NULL and len(args) == 3 and args[2].dtype != NULL:
        raise BindError(f"list_resize: a list without a type takes no {args[2].dtype}", hint="cast the list")
    return (list_of(element), BIGINT, element)[: len(args)], list_of(element)


@list_function("list_resize", "array_resize", types=_resize_types, strict=False)
def _resize(args: Args, out: DType) -> Column:
    """The first elements, or more of the last argument, or NULL; no size is 0."""
    list_, size = args[0], args[1].data.long()
    if args[1].valid is not None:
        size = torch.where(args[1].valid, size, 0)
    if not waits.truth((size >= 0).all(), "a size below 0 is an error"):
        raise ExecutionError("the size of a list is 0 or more")
    counts = lengths(list_)
    first = list_.data.clone()
    first[:, 1] = torch.minimum(counts, size)
    shorter = Column(first, out, list_.valid, children=list_.children)
    more = (size - counts).clamp(min=0)
    owners, _ = expand(torch.zeros_like(more), more)
    filling = args[2] if len(args) == 3 else list_.children[0]
    blank = filling.take(owners) if len(args) == 3 else _nulls(list_.children[0], owners.shape[0])
    return side_by_side([shorter, of_lengths(more, blank, out)], out).with_valid(list_.valid)


def _nulls(like: Column, rows: int) -> Column:
    """NULLs (rows,) that lie as a column does."""
    data = torch.zeros((rows, *like.data.shape[1:]), dtype=like.data.dtype, device=like.device)
    return replace(like, data=data, valid=torch.zeros(rows, dtype=torch.bool, device=like.device))


def _flatten_types(args: tuple[Expr, ...]) -> Signature:
    (of,), _ = list_types("flatten", lambda element: element)(args)
    assert of.element is not None
    inner = list_of(element_of(stand_in(of.element), "flatten"))
    return (list_of(inner),), inner


@list_function("flatten", types=_flatten_types)
def _flatten(args: Args, out: DType) -> Column:
    """The elements of the lists in a list, one list after the other; of a NULL none."""
    (outer,) = args
    inner = Elements(outer)
    each = lengths(inner.values)
    counts = torch.zeros_like(inner.counts).scatter_add_(0, inner.owners, each)
    return of_lengths(counts, Elements(inner.values).values, out)


def _zip_types(args: tuple[Expr, ...]) -> Signature:
    lists = args
    if args and args[-1].dtype.kind is Kind.BOOLEAN:
        lists = args[:-1]
    if not lists:
        raise BindError("list_zip takes at least 1 list")
    elements = [element_of(arg, "list_zip") for arg in lists]
    wanted = tuple(list_of(element) for element in elements)
    return (*wanted, *(arg.dtype for arg in args[len(lists) :])), list_of(struct([("", one) for one in elements]))


@list_function("list_zip", "array_zip", types=_zip_types, strict=False)
def _zip(args: Args, out: DType) -> Column:
    """Structs of the elements at each place, as long as the longest list, or the shortest if the last argument is true."""
    lists = [arg for arg in args if arg.dtype.is_list]
    counts = torch.stack([lengths(one) for one in lists], 1)
    size = counts.amax(1)
    if len(lists) < len(args):
        cut = args[-1].data if args[-1].valid is None else args[-1].data & args[-1].valid
        size = torch.where(cut, counts.amin(1), size)
    owners, places = expand(torch.zeros_like(size), size)
    parts = []
    for one in lists:
        start, length = (one.data[:, side].index_select(0, owners) for side in (0, 1))
        if one.valid is not None:
            length = torch.where(one.valid.index_select(0, owners), length, 0)
        inside = places < length
        parts.append(at(one.children[0], torch.where(inside, start + places, 0), inside))
    assert out.element is not None
    entries = of_fields(parts, out.element, size.device) if parts else None
    assert entries is not None
    return of_lengths(size, entries, out)


def _series_types(name: str) -> TypeRule:
    def types(args: tuple[Expr, ...]) -> Signature:
        function = find_table_function(name)
        assert function is not None
        wanted, ((_, dtype),) = function.types(args)
        return wanted, list_of(dtype)

    return types


def _series(name: str) -> None:
    @list_function(name, types=_series_types(name), typed_null=True)
    def kernel(args: Args, out: DType) -> Column:
        """As the table function of this name; a step of 0 goes nowhere."""
        function = find_table_function(name)
        assert function is not None
        valid = valid_together(args)
        if len(args) >= 3:
            *ends, step = args
            moves = step.data != 0
            moves = moves.any(-1) if moves.ndim == 2 else moves
            valid = moves if valid is None else valid & moves
            args = [*ends, step.with_valid(valid)]
        generated = function.open(args, len(args[0]))
        counts = torch.as_tensor(generated.counts, device=args[0].device).expand(len(args[0]))
        begins = generated.begins
        owners, places = expand(torch.zeros_like(counts) if begins is None else begins.expand(len(counts)), counts)
        (values,) = generated.columns(Asked(len(places), owners, places))
        return of_lengths(counts, values.expand(len(places)), out)


_series("range")
_series("generate_series")
