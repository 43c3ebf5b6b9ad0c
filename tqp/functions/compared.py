"""Values that are compared by a form of them, of another type: where kernels ask for it they need not know how it is made.

What is equal by its form may still differ in what it is: 1::INTEGER and 1::BIGINT as VARIANT. Counts of values and keys of maps
tell these apart, as DuckDB does (`told_apart`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Final

from tqp.data.column import Column
from tqp.types import VARCHAR, VARIANT, DType, Kind

__all__ = ["compared", "compared_by", "told_apart"]

Form = Callable[[Column], Column]

_FORMS: Final[dict[Kind, Form]] = {}


def compared_by(kind: Kind) -> Callable[[Form], Form]:
    """Register what values of a kind are compared by: equal, and in the order, as they are, NULLs kept."""

    def register(form: Form) -> Form:
        _FORMS[kind] = form
        return form

    return register


def compared(column: Column) -> Column:
    """What the values of a column are compared by, or the column itself."""
    form = _FORMS.get(column.dtype.kind)
    return column if form is None else form(column)


def told_apart(column: Column) -> Column:
    """A column (n,) with each VARIANT in it as the text of its document, which is the same where type and value are; NULLs kept."""
    dtype = _of_texts(column.dtype)
    if dtype is column.dtype:
        return column
    return replace(column, dtype=dtype, children=tuple(map(told_apart, column.children)))


@cache
def _of_texts(dtype: DType) -> DType:
    """The type with VARCHAR in place of VARIANT; itself where it has none."""
    if dtype == VARIANT:
        return VARCHAR
    element = None if dtype.element is None else _of_texts(dtype.element)
    fields = tuple([replace(field, type=_of_texts(field.type)) for field in dtype.fields])
    if element is dtype.element and all(new.type is old.type for new, old in zip(fields, dtype.fields, strict=True)):
        return dtype
    return replace(dtype, element=element, fields=fields)
