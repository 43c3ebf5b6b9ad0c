"""Calls of functions, as the binder and rules make them: arguments take the types that the function asks for."""

from __future__ import annotations

from tqp.errors import BindError
from tqp.functions.fold import fold_cast
from tqp.functions.nested import recast
from tqp.functions.registry import find
from tqp.ir.expr import Call, Cast, Expr, Literal
from tqp.types import DType

__all__ = ["bind", "coerce"]


def bind(name: str, *args: Expr) -> Expr:
    """The call of `name` on `args`, with the casts that its types ask for."""
    function = find(name)
    wanted, result = function.types(args)
    if len(wanted) != len(args):
        raise BindError(f"{name} takes {len(wanted)} arguments, not {len(args)}")
    return Call(name, tuple(map(coerce, args, wanted)), result)


def coerce(expr: Expr, dtype: DType) -> Expr:
    """`expr` as `dtype`: unchanged, another literal where it is one and fits, or a Cast."""
    if expr.dtype == dtype:
        return expr
    nested = recast(expr, dtype)
    if nested is not None:
        return nested
    folded = fold_cast(expr, dtype) if isinstance(expr, Literal) else None
    return Cast(expr, dtype) if folded is None else folded
