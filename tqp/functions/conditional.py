"""COALESCE, NULLIF, GREATEST and LEAST."""

from __future__ import annotations

from dataclasses import replace

from torch import Tensor

from tqp.data.column import Column
from tqp.errors import BindError
from tqp.functions.align import merge_rows
from tqp.functions.casts.cast import cast
from tqp.functions.comparison import comparable, compare
from tqp.functions.registry import Args, Signature, TypeRule, scalar
from tqp.functions.unify import unify
from tqp.ir.expr import Expr
from tqp.types import DType, Kind

__all__: list[str] = []


def _one_type(name: str) -> TypeRule:
    def types(args: tuple[Expr, ...]) -> Signature:
        if not args:
            raise BindError(f"{name} takes at least 1 argument")
        common = unify(args)
        if common is None:
            types = ", ".join(dict.fromkeys(str(arg.dtype) for arg in args))
            raise BindError(f"{name} cannot mix {types}", hint="cast the arguments to one type")
        return (common,) * len(args), common

    return types


@scalar("coalesce", "ifnull", types=_one_type("COALESCE"), strict=False, first_value=True, total=True)
def _coalesce(args: Args, out: DType) -> Column:
    """The first argument that is not NULL."""
    used = []
    for arg in args:
        used.append(arg)
        if arg.valid is None:
            break
    result = used[-1]
    for arg in reversed(used[:-1]):
        assert arg.valid is not None
        result = merge_rows(_per_row(arg.valid, arg, result), arg, result)
    return result


def _null_if_types(args: tuple[Expr, ...]) -> Signature:
    if len(args) != 2:
        raise BindError(f"NULLIF takes 2 arguments, not {len(args)}")
    common = comparable(args, "NULLIF")
    return (args[0].dtype, common), args[0].dtype


@scalar("nullif", types=_null_if_types, strict=False, strict_first=1)
def _null_if(args: Args, out: DType) -> Column:
    """The first argument, or NULL where it equals the second."""
    value, other = args
    left = value if value.dtype == other.dtype else cast(value, other.dtype, False)
    equal = compare("eq", left, other).data
    for column in (value, other):
        if column.valid is not None:
            equal = equal & column.valid
    kept = ~equal if value.valid is None else value.valid & ~equal
    if kept.ndim and value.is_constant:
        value = value.expand(kept.shape[0])
    return replace(value, valid=kept if kept.ndim or value.is_constant else kept.expand(len(value)))


def _extreme(name: str, op: str) -> None:
    @scalar(name, types=_one_type(name.upper()), strict=False, total=True, compares=True)
    def kernel(args: Args, out: DType) -> Column:
        """NULL only where all arguments are."""
        result = args[0]
        for arg in args[1:]:
            result = merge_rows(_prefer(op, result, arg), result, arg)
        # DuckDB compares FLOATs here by keys that know no -0.0, and makes the result of these.
        return replace(result, data=result.data + 0.0) if out.kind is Kind.FLOAT and len(args) > 1 else result


def _prefer(op: str, a: Column, b: Column) -> Tensor:
    """Where `a` is taken: it wins the comparison and is not NULL, or `b` is NULL."""
    wins = compare(op, a, b).data
    if a.valid is not None:
        wins = wins & a.valid
    if b.valid is not None:
        wins = wins | ~b.valid
    return _per_row(wins, a, b)


def _per_row(mask: Tensor, a: Column, b: Column) -> Tensor:
    """The mask with the row dimension that the choice between `a` and `b` has."""
    if mask.ndim or (a.is_constant and b.is_constant):
        return mask
    return mask.expand(len(b) if a.is_constant else len(a))


_extreme("greatest", "gte")
_extreme("least", "lte")
