"""Calls of functions, as the binder and rules make them: arguments take the types that the function asks for."""

from __future__ import annotations

from collections.abc import Callable

from tqp.errors import BindError, counted
from tqp.functions.collations import common
from tqp.functions.fold import fold_cast
from tqp.functions.nested import LIST, recast
from tqp.functions.registry import Signature, find
from tqp.ir.expr import Call, Cast, Expr, Literal
from tqp.types import BIGINT, BIGNUM, BIT, BLOB, BOOLEAN, DOUBLE, VARCHAR, VARIANT, DType, Kind

__all__ = ["bind", "coerce", "signature", "without_variants"]


def bind(name: str, *args: Expr) -> Expr:
    """The call of `name` on `args`, with the casts that its types ask for."""
    function = find(name)
    other = None if function.instead is None else function.instead(args)
    if other is not None:
        name, function = other, find(other)
    if function.of_pairs is not None:
        args = tuple(map(_row_of, args))
    args, (wanted, result) = signature(function.types, args)
    if len(wanted) != len(args):
        raise BindError(f"{name} takes {counted(len(wanted), 'argument')}, not {len(args)}")
    if result == VARCHAR and not result.collation and any(arg.dtype.collation for arg in args):
        # As in DuckDB text that is made of text with a collation has it, too.
        result = DType(Kind.VARCHAR, collation=common([arg.dtype for arg in args]))
    return Call(name, tuple(map(coerce, args, wanted)), result)


def _row_of(arg: Expr) -> Expr:
    """The row of a constant matrix that has one, as encoders give for one text; anything else as it is."""
    if isinstance(arg, Call) and arg.function == LIST and len(arg.args) == 1:
        row = arg.args[0]
        if isinstance(row, Call) and row.function == LIST and all(isinstance(item, Literal) for item in row.args):
            return row
    return arg


def signature(
    types: Callable[[tuple[Expr, ...]], Signature], args: tuple[Expr, ...]
) -> tuple[tuple[Expr, ...], Signature]:
    """The signature of a call with these arguments, and these, in which ENUMs, JSON, BIGNUM and VARIANT are of other types where
    they do not fit else."""
    try:
        return args, types(args)
    except BindError:
        plain = args
        if any(arg.dtype == BIGNUM for arg in args) and not _takes_bignums(types, len(args)):
            plain = tuple([coerce(arg, DOUBLE) if arg.dtype == BIGNUM else arg for arg in args])
        texts = tuple([_as_text(arg) if arg.dtype.kind in (Kind.ENUM, Kind.JSON) else arg for arg in plain])
        if any(arg.dtype == VARIANT for arg in texts):
            numbers = without_variants(types, texts)
            if numbers is None:
                raise
            return numbers
        if texts == args:
            raise
        return texts, types(texts)


def without_variants(
    types: Callable[[tuple[Expr, ...]], Signature], args: tuple[Expr, ...]
) -> tuple[tuple[Expr, ...], Signature] | None:
    """As `signature`, VARIANTs being numbers, text or BOOLEAN, as DuckDB casts them by itself: the first of these that fits.

    Beside a number whose type the function gives the VARIANT as well, it takes that of the number.
    """
    for dtype in (BIGINT, DOUBLE, VARCHAR, BOOLEAN):
        if dtype == VARCHAR and any(
            odd in found[0] for odd in (BIT, BLOB) if (found := _tried(types, args, odd)) is not None
        ):
            # DuckDB casts it to these rather than to text, which hardly any VARIANT is.
            return None
        found = _tried(types, args, dtype)
        if found is None:
            continue
        widened = [
            arg.dtype
            for arg, wanted in zip(args, found[0], strict=False)
            if arg.dtype.is_integer and wanted == dtype != arg.dtype
        ]
        shared = _tried(types, args, widened[0]) if widened else None
        return args, shared or found
    return None


def _tried(types: Callable[[tuple[Expr, ...]], Signature], args: tuple[Expr, ...], dtype: DType) -> Signature | None:
    """The signature of a call in which VARIANTs are of that type; None where there is none."""
    tried = tuple([Cast(arg, dtype) if arg.dtype == VARIANT else arg for arg in args])
    try:
        return types(tried)
    except BindError:
        return None


def _takes_bignums(types: Callable[[tuple[Expr, ...]], Signature], count: int) -> bool:
    """Whether there is a call with BIGNUMs alone: then no argument becomes a DOUBLE because another one is something else."""
    try:
        types((Literal(None, BIGNUM, typed=True),) * count)
    except BindError:
        return False
    return True


def _as_text(expr: Expr) -> Expr:
    # A NULL of these types is none that takes any other.
    is_null = isinstance(expr, Literal) and expr.is_null
    return Literal(None, VARCHAR, typed=True) if is_null else coerce(expr, VARCHAR)


def coerce(expr: Expr, dtype: DType) -> Expr:
    """`expr` as `dtype`: unchanged, another literal where it is one and fits, or a Cast."""
    if expr.dtype == dtype:
        return expr
    nested = recast(expr, dtype)
    if nested is not None:
        return nested
    folded = fold_cast(expr, dtype) if isinstance(expr, Literal) else None
    return Cast(expr, dtype) if folded is None else folded
