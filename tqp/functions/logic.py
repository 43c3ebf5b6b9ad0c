"""AND, OR, NOT and the tests for NULL, in three-valued logic."""

from __future__ import annotations

from functools import reduce

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.errors import BindError
from tqp.functions.registry import Args, Signature, expect, scalar
from tqp.functions.unify import is_text_literal
from tqp.ir.expr import Expr
from tqp.types import BOOLEAN, DType, Kind

__all__: list[str] = []


def _booleans(args: tuple[Expr, ...]) -> Signature:
    for arg in args:
        dtype = arg.dtype
        if not (dtype.is_numeric or dtype.kind in (Kind.BOOLEAN, Kind.NULL) or is_text_literal(arg)):
            raise BindError(f"a condition is needed, not {dtype}", hint="compare it with something")
    return (BOOLEAN,) * len(args), BOOLEAN


def _anything(args: tuple[Expr, ...]) -> Signature:
    expect(args, 1, "IS NULL")
    return tuple(arg.dtype for arg in args), BOOLEAN


@scalar("and", types=_booleans, strict=False, total=True)
def _and(args: Args, out: DType) -> Column:
    """False where an argument is false, else NULL where one is NULL."""
    return _decide(args, stop=False)


@scalar("or", types=_booleans, strict=False, total=True)
def _or(args: Args, out: DType) -> Column:
    """True where an argument is true, else NULL where one is NULL."""
    return _decide(args, stop=True)


def _decide(args: Args, *, stop: bool) -> Column:
    """AND (`stop` False) or OR (True): an argument that equals `stop` decides."""
    meet = torch.logical_or if stop else torch.logical_and
    if not any([arg.valid is not None for arg in args]):
        return Column(reduce(meet, [arg.data for arg in args]), BOOLEAN)
    stopped = reduce(torch.logical_or, (_known(arg, stop) for arg in args))
    passed = reduce(torch.logical_and, (_known(arg, not stop) for arg in args))
    return Column(stopped if stop else passed, BOOLEAN, stopped | passed)


def _known(column: Column, value: bool) -> Tensor:
    """Where the column is `value`, and not NULL."""
    data = column.data if value else ~column.data
    return data if column.valid is None else data & column.valid


@scalar("not", types=_booleans, total=True)
def _not(args: Args, out: DType) -> Column:
    return Column(~args[0].data, BOOLEAN)


@scalar("is_null", "isnull", types=_anything, strict=False, total=True, selectivity=0.05)
def _is_null(args: Args, out: DType) -> Column:
    """Never NULL; a constant False where the column cannot hold a NULL."""
    (arg,) = args
    if arg.valid is None:
        return Column(torch.zeros((), dtype=torch.bool, device=arg.device), BOOLEAN)
    return Column(~arg.valid, BOOLEAN)


@scalar("is_true", types=_booleans, strict=False, total=True)
def _is_true(args: Args, out: DType) -> Column:
    """x IS TRUE; never NULL."""
    return Column(_known(args[0], True), BOOLEAN)


@scalar("is_false", types=_booleans, strict=False, total=True)
def _is_false(args: Args, out: DType) -> Column:
    """x IS FALSE; never NULL."""
    return Column(_known(args[0], False), BOOLEAN)
