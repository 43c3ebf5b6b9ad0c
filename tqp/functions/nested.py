"""Written lists and arrays: how their elements take the type that the whole takes, before anything runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch

from tqp.data.column import Column
from tqp.errors import BindError, ExecutionError, UnsupportedError
from tqp.functions.casts.cast import cast
from tqp.functions.fold import fold_cast
from tqp.ir.expr import Call, Cast, Elements, Expr, Literal
from tqp.ir.inputs import derived
from tqp.types import ARRAY_ELEMENTS, DOUBLE, DType, Kind, array

__all__ = ["CONSTRUCTOR", "recast", "written"]

CONSTRUCTOR = "array_value"
"""The function whose arguments are the elements of an array, and of a written list as long as it is one."""


def written(items: Sequence[Expr], element: DType, *, is_list: bool) -> Expr:
    """The list `[items]` or the array of `array_value(items)`, whose elements become `element`."""
    dtype = DType(Kind.LIST if is_list else Kind.ARRAY, element=element, size=len(items))
    # A list is about to become an array: until then its elements stay as they are written.
    if not is_list and element in ARRAY_ELEMENTS:
        return _built(items, dtype)
    return Call(CONSTRUCTOR, tuple(items), dtype)


def recast(expr: Expr, dtype: DType, *, safe: bool = False) -> Expr | None:
    """`expr` as `dtype` where either is nested, else None.

    Raises BindError where the sizes differ (`safe`: the result is NULL), UnsupportedError for an element type that
    arrays do not have and for a cast between arrays and other types.
    """
    have = expr.dtype
    if not have.is_nested and not dtype.is_nested:
        return None
    if have == dtype:
        return expr
    if dtype.kind is Kind.LIST:
        # The common type of written lists: nothing is computed of it.
        return expr
    if not dtype.is_array:
        raise UnsupportedError(f"a cast from {have} to {dtype} is not supported", hint="choose an element: value[1]")
    if dtype.element not in ARRAY_ELEMENTS:
        raise UnsupportedError(f"arrays of {dtype.element} are not supported", hint=_elements())
    if have.kind is Kind.NULL:
        return Literal(None, dtype)
    if not have.is_nested:
        if have.is_text:
            raise UnsupportedError(f"a cast from text to {dtype} is not supported", hint="write a list: [1.0, 2.0]")
        raise BindError(f"{have} cannot become {dtype}", hint="write a list: [1.0, 2.0]")
    if have.size != dtype.size:
        if safe:
            return Literal(None, dtype)
        what = "a list" if have.kind is Kind.LIST else "an array"
        raise BindError(f"{what} of {have.size} elements cannot become {dtype}")
    if isinstance(expr, Call) and expr.function == CONSTRUCTOR:
        return _built(expr.args, dtype, safe)
    if isinstance(expr, Literal) and not expr.is_null:
        folded = derived(_refolded, expr, rest=(dtype,))
        return Cast(derived(_of_size, expr), dtype, safe) if folded is None else folded
    return Cast(expr, dtype, safe)


def _refolded(literal: Literal, dtype: DType) -> Literal | None:
    assert isinstance(literal.value, Elements) and literal.type.element is not None
    return _literal(literal.value.numbers, literal.type.element, dtype)


def _of_size(literal: Literal) -> Literal:
    """The same numbers as an array: a written list is none yet."""
    element = literal.type.element
    assert element is not None
    return Literal(literal.value, array(element, literal.type.size), literal.typed)


def _elements() -> str:
    return f"elements may be {', '.join(map(str, ARRAY_ELEMENTS))}"


def _built(items: Sequence[Expr], dtype: DType, safe: bool = False) -> Expr:
    assert dtype.element is not None
    if any(isinstance(item, Literal) and item.is_null for item in items):
        raise UnsupportedError("an array with a NULL element is not supported", hint="the whole array may be NULL")
    folded = _folded(items, dtype)
    if folded is not None:
        return folded
    elements = [item if item.dtype == dtype.element else _cast(item, dtype.element, safe) for item in items]
    return Call(CONSTRUCTOR, tuple(elements), dtype)


def _cast(item: Expr, element: DType, safe: bool) -> Expr:
    if item.dtype.is_nested:
        raise UnsupportedError("arrays of arrays are not supported")
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
