"""Values that are compared by a form of them, of another type: where kernels ask for it they need not know how it is made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tqp.data.column import Column
from tqp.types import Kind

__all__ = ["compared", "compared_by"]

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
