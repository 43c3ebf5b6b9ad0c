"""Nested values before anything runs: which type takes which, and how the elements of written lists and arrays take theirs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch

from tqp.data.column import Column
from tqp.errors import BindError, ExecutionError, UnsupportedError
from tqp.functions.casts.cast import cast
from tqp.functions.fold import fold_cast
from tqp.functions.promotion import castable, may_hold_values
from tqp.functions.union_types import chosen, is_laid_out, problem
from tqp.functions.unions import of_member
from tqp.ir.expr import Call, Cast, Elements, Expr, Literal
from tqp.ir.inputs import decide, derived
from tqp.types import DOUBLE, JSON, NULL, DType, Kind, array, list_of

__all__ = ["CONSTRUCTOR", "LIST", "recast", "size_of", "written"]

CONSTRUCTOR = "array_value"
"""The function whose arguments are the elements of an array."""
LIST = "list_value"
"""The function whose arguments are the elements of a list."""


def written(items: Sequence[Expr], element: DType, *, is_list: bool) -> Expr:
    """The list `[items]` or the array of `array_value(items)`, whose elements become `element`."""
    if is_list and not items:
        return Literal(Elements(()), list_of(element), typed=True)
    if is_list:
        return Call(LIST, tuple([_cast(item, element, False) for item in items]), list_of(element))
    dtype = array(element, len(items))
    if dtype.is_array:
        return _built(items, dtype)
    return Call(LIST, tuple([_cast(item, element, False) for item in items]), dtype)


def size_of(expr: Expr) -> int | None:
    """Of how many elements an array is, a written list, or one that is a parameter; None of other expressions."""
    if expr.dtype.size:
        return expr.dtype.size
    if isinstance(expr, Call) and expr.function == LIST:
        return len(expr.args)
    if isinstance(expr, Literal) and expr.dtype.kind is Kind.LIST and not expr.is_null:
        return decide(_length, expr)
    return None


def _length(literal: Literal) -> int:
    assert isinstance(literal.value, Elements)
    return len(literal.value.numbers)


def recast(expr: Expr, dtype: DType, *, safe: bool = False) -> Expr | None:
    """`expr` as `dtype` where either is nested, else None.

    Raises BindError where sizes that are known differ (`safe`: the result is NULL) and where there is no such cast.
    """
    have = expr.dtype
    if not have.is_nested and not dtype.is_nested:
        return None
    if have == dtype:
        return expr
    if dtype.is_union and not (have.is_union or have in (NULL, JSON) or is_laid_out(have, dtype)):
        return _as_member(expr, dtype, safe)
    if isinstance(expr, Literal) and expr.is_null:
        return Literal(None, dtype, expr.typed)
    if have.is_text:
        return Cast(expr, dtype, safe)
    if not castable(have, dtype):
        if not safe:
            hint = "union_extract gives a member of a UNION" if have.is_union and not dtype.is_union else None
            raise BindError(_problem(have, dtype) or f"{have} cannot become {dtype}", hint=hint)
        return Cast(expr, dtype, safe) if may_hold_values(have, dtype) else Literal(None, dtype)
    size = size_of(expr) if dtype.size else None
    if size is not None and size != dtype.size:
        if safe:
            return Literal(None, dtype)
        what = "an array" if have.size else "a list"
        raise BindError(f"{what} of {size} elements cannot become {dtype}")
    if not dtype.is_array:
        return _element_by_element(expr, dtype, safe)
    if isinstance(expr, Call) and expr.function in (CONSTRUCTOR, LIST):
        return _built(expr.args, dtype, safe)
    if isinstance(expr, Literal):
        folded = derived(_refolded, expr, rest=(dtype,))
        return Cast(expr, dtype, safe) if folded is None else folded
    return Cast(expr, dtype, safe)


def _problem(have: DType, dtype: DType) -> str | None:
    return problem(have, dtype) if have.is_union or dtype.is_union else None


def _as_member(expr: Expr, dtype: DType, safe: bool) -> Expr:
    """A value as the member of a UNION that is chosen for its type, a NULL as well."""
    wrong = problem(expr.dtype, dtype)
    if wrong is not None and not safe:
        raise BindError(wrong, hint="union_value(name := value) says the member")
    place = chosen(expr.dtype, dtype)
    if wrong is not None or place is None:
        return Literal(None, dtype)
    member = dtype.fields[place].type
    if safe and expr.dtype != member:
        return Cast(expr, dtype, safe)
    return of_member(_cast(expr, member, safe), place, dtype)


def _element_by_element(expr: Expr, dtype: DType, safe: bool) -> Expr:
    """A written list with elements of the new type, so that literals in it stay such; else a cast of the whole."""
    if isinstance(expr, Literal) and size_of(expr) == 0 and dtype.kind is Kind.LIST:
        return Literal(expr.value, dtype, expr.typed)
    if isinstance(expr, Call) and expr.function == LIST and dtype.kind is Kind.LIST:
        assert dtype.element is not None
        element = dtype.element
        return Call(LIST, tuple([_cast(item, element, safe) for item in expr.args]), dtype)
    return Cast(expr, dtype, safe)


def _refolded(literal: Literal, dtype: DType) -> Literal | None:
    assert isinstance(literal.value, Elements) and literal.type.element is not None
    return _literal(literal.value.numbers, literal.type.element, dtype)


def _built(items: Sequence[Expr], dtype: DType, safe: bool = False) -> Expr:
    assert dtype.element is not None
    if any(isinstance(item, Literal) and item.is_null for item in items):
        raise UnsupportedError("an array with a NULL element is not supported", hint="the whole array may be NULL")
    folded = _folded(items, dtype)
    if folded is not None:
        return folded
    elements = [_cast(item, dtype.element, safe) for item in items]
    return Call(CONSTRUCTOR, tuple(elements), dtype)


def _cast(item: Expr, element: DType, safe: bool) -> Expr:
    if item.dtype == element:
        return item
    nested = recast(item, element, safe=safe)
    if nested is not None:
        return nested
    folded = fold_cast(item, element) if isinstance(item, Literal) else None
    return Cast(item, element, safe) if folded is None else folded


def _folded(items: Sequence[Expr], dtype: DType) -> Literal | None:
    """The constant array of elements of one type; None where one is not constant or does not fit, which shows later."""
    have = items[0].dtype
    numbers: list[float] = []
    for item in items:
        if not isinstance(item, Literal) or item.dtype != have or not isinstance(item.value, int | float):
            return None
        numbers.append(item.value)
    return _literal(numbers, have, dtype)


def _literal(numbers: Sequence[float], have: DType, dtype: DType) -> Literal | None:
    """The constant array `dtype` of stored values of the type `have`."""
    assert dtype.element is not None
    if not have.is_numeric or have.is_exact and not all(-(2**63) <= number < 2**63 for number in numbers):
        return None
    width = torch.float64 if have.is_float else torch.int64
    data = torch.tensor(numbers, dtype=width, device=torch.device("cpu"))
    # A FLOAT that is not rounded yet is a DOUBLE.
    column = Column(data, DOUBLE if have.is_float else have)
    if have.is_exact:
        column = replace(column, bounds=(int(min(numbers)), int(max(numbers))))
    try:
        changed = cast(column, dtype.element, False)
    except ExecutionError:
        return None
    return Literal(Elements(tuple(changed.data.tolist())), dtype)  # host: a constant, on the CPU
