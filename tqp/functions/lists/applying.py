"""Functions of lists that are told what to do with the elements: by a lambda.

`Apply` evaluates the body of the lambda for many elements at once: never element by element.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

from tqp.data.column import Column
from tqp.data.nested import at, of_lengths
from tqp.errors import BindError, ExecutionError, InternalError
from tqp.functions.align import concat
from tqp.functions.lists.rows import Elements, chosen
from tqp.functions.registry import Args, Signature, scalar
from tqp.ir.expr import Expr
from tqp.kernels import waits
from tqp.kernels.rows import select
from tqp.types import BIGINT, NULL, DType, Kind

__all__ = ["APPLIED", "FILTER", "REDUCE", "TRANSFORM", "Apply", "Told", "told_types"]

TRANSFORM, FILTER, REDUCE = "list_transform", "list_filter", "list_reduce"

Apply = Callable[[Sequence[Column], "torch.Tensor"], Column]
"""From the lambda's parameters (m,) and the row (m,) int64 of each, whose captured values it takes, to its values (m,)."""

Told = Callable[[Args, Apply, DType], Column]
"""From the arguments (n,) without captured values, the lambda and the type of the result to the results (n,)."""


def told_types(name: str, args: tuple[Expr, ...], most: int) -> DType:
    """The type of the elements of the list that stands first, maybe NULL; BindError where none does, or too many arguments do."""
    if not 1 <= len(args) <= most:
        raise BindError(f"{name} takes a list and a lambda")
    dtype = args[0].dtype
    if dtype.kind is Kind.NULL:
        return NULL
    if dtype.kind not in (Kind.LIST, Kind.ARRAY) or dtype.element is None:
        raise BindError(f"{name} takes a list, not {dtype}")
    return dtype.element


def _transform(args: Args, apply: Apply, out: DType) -> Column:
    of = Elements(args[0])
    values = apply([of.values, Column(of.within + 1, BIGINT)], of.owners)
    return of_lengths(of.counts, values.expand(len(of.values)), out, args[0].valid)


def _filter(args: Args, apply: Apply, out: DType) -> Column:
    """The elements for which the lambda is true."""
    of = Elements(args[0])
    found = apply([of.values, Column(of.within + 1, BIGINT)], of.owners).expand(len(of.values))
    mask = found.data if found.valid is None else found.data & found.valid
    return chosen(of, select(mask), out).with_valid(args[0].valid)


def _reduce(args: Args, apply: Apply, out: DType) -> Column:
    """What is left when the lambda takes the first two elements (or the initial value and the first) together, and so on.

    All lists at once: as many steps as the longest has elements. ExecutionError for a list without elements and no initial value.
    """
    of, initial = Elements(args[0]), args[1] if len(args) > 1 else None
    rows = torch.arange(of.counts.shape[0], dtype=torch.int64, device=of.counts.device)
    known = rows if args[0].valid is None else select(args[0].valid)
    counts = of.counts.index_select(0, known)
    if initial is None and waits.truth((counts == 0).any(), "a list without elements is an error"):
        raise ExecutionError("list_reduce of a list without elements", hint="give an initial value")
    longest = waits.number(counts.max(), "how long the longest list is") if len(counts) else 0
    starts = of.starts.index_select(0, known)
    value = of.values.take(starts) if initial is None else initial.take(known)
    for step in range(0 if initial is not None else 1, longest):
        place = Column(torch.full((), step + 1, device=rows.device), BIGINT)
        active = select(counts > step)
        if len(active) == len(known):
            # As of lists of one length: nothing of those that have ended is kept.
            made = apply([value, of.values.take(starts + step), place.expand(len(known))], known)
            value = made.expand(len(known))
            continue
        element = of.values.take(starts.index_select(0, active) + step)
        given = [value.take(active), element, place.expand(len(active))]
        value = _put(value, active, apply(given, known.index_select(0, active)).expand(len(active)))
    if args[0].valid is None:
        return value
    # A NULL list has any value, of which nothing is seen; without another one it has none.
    order = torch.zeros_like(rows).index_copy_(0, known, torch.arange(len(known), device=rows.device))
    return at(value, order, args[0].valid)


def _put(column: Column, rows: torch.Tensor, values: Column) -> Column:
    """The column with other values in some rows."""
    both = concat([column, values], [len(column), len(rows)])
    order = torch.arange(len(column), dtype=torch.int64, device=rows.device)
    order[rows] = torch.arange(len(column), len(column) + len(rows), dtype=torch.int64, device=rows.device)
    return both.take(order)


APPLIED: dict[str, Told] = {TRANSFORM: _transform, FILTER: _filter, REDUCE: _reduce}
"""The functions that take a lambda, by their names."""


def _no_lambda(name: str) -> None:
    def types(args: tuple[Expr, ...]) -> Signature:
        raise BindError(f"{name} takes a list and a lambda", hint=f"{name}(l, lambda x: x + 1)")

    @scalar(name, types=types, strict=False, strict_first=1)
    def kernel(args: Args, out: DType) -> Column:
        raise InternalError(f"{name} without a lambda")


for _name in APPLIED:
    _no_lambda(_name)
