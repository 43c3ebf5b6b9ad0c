"""What to do about a text that is no value of a type."""

from __future__ import annotations

from typing import Final

from tqp.types import DType, Kind

__all__ = ["NULL_INSTEAD", "hint_for"]

NULL_INSTEAD: Final = "TRY_CAST gives NULL instead"

_SHOWN: Final = 8
_MOMENT: Final = "2024-12-31 23:59:59"
_FORMS: Final = {
    Kind.BOOLEAN: "a BOOLEAN is written as true or false",
    Kind.DATE: "a DATE is written as 2024-12-31, strptime(text, format) reads other forms",
    Kind.TIME: "a TIME is written as 23:59:59",
    Kind.TIMETZ: "a TIME WITH TIME ZONE is written as 23:59:59+01",
    Kind.TIME_NS: "a TIME_NS is written as 23:59:59.123456789",
    Kind.TIMESTAMP: f"a TIMESTAMP is written as {_MOMENT}, strptime(text, format) reads other forms",
    Kind.TIMESTAMPTZ: f"a timestamp with its zone is written as {_MOMENT}+01 or {_MOMENT} Europe/Berlin",
    Kind.INTERVAL: "an INTERVAL is written as 3 days 2 hours",
    Kind.UUID: "a UUID has 32 hexadecimal digits",
}


def hint_for(to: DType) -> str:
    """How values of the type are written, where that is not plain, and the cast that does not fail."""
    if to.kind is Kind.ENUM:
        shown = ", ".join(map(repr, to.labels[:_SHOWN]))
        return f"its values are {shown}{', …' if len(to.labels) > _SHOWN else ''}; {NULL_INSTEAD}"
    form = _FORMS.get(to.kind)
    return NULL_INSTEAD if form is None else f"{form}; {NULL_INSTEAD}"
