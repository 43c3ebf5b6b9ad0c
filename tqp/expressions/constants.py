"""Values of Python as text of SQL."""

from __future__ import annotations

import math
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from tqp.errors import BindError, with_article
from tqp.keywords import text_constant

__all__ = ["constant"]

_DIGITS = 38


def constant(value: Any) -> str:
    """A value as SQL that has the type which it has as a parameter; BindError where no type holds it.

    Arrays and tensors are lists, a dict with texts as keys is a struct and any other a map, NaT and NA are NULL.
    """
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return _integer(int(value))
    if isinstance(value, float):
        return _real(float(value))
    if isinstance(value, str):
        return text_constant(str.__str__(value))
    if isinstance(value, bytes | bytearray | memoryview):
        return "'" + "".join(f"\\x{byte:02X}" for byte in bytes(value)) + "'::BLOB"
    if isinstance(value, Decimal):
        return _decimal(value)
    if isinstance(value, datetime | date | time | timedelta):
        return _moment(value)
    if isinstance(value, UUID):
        return f"CAST('{value}' AS UUID)"
    if isinstance(value, list | tuple):
        if len({isinstance(item, str) for item in value if constant(item) != "NULL"}) > 1:
            # DuckDB makes texts of all, and SQL numbers of the texts: neither is what was given.
            kind = with_article(type(value).__name__)
            raise BindError(
                f"{kind} of texts and other values is no list of SQL", hint="a dict is a struct: {'a': 1, 'b': 'x'}"
            )
        return f"[{', '.join(map(constant, value))}]"
    if isinstance(value, dict):
        entries = ", ".join(f"{constant(key)}: {constant(item)}" for key, item in value.items())
        return f"{{{entries}}}" if value and all(isinstance(key, str) for key in value) else f"MAP {{{entries}}}"
    if hasattr(value, "tolist") and type(value).__name__ not in ("datetime64", "timedelta64"):
        found = value.tolist()
        if type(found) is not type(value):
            return constant(found)
    raise BindError(
        f"{with_article(type(value).__qualname__)} is no constant of SQL",
        hint="numbers, texts, bytes, dates and times, Decimal, UUID, lists, dicts and arrays are",
    )


def _integer(value: int) -> str:
    if 2**63 <= value < 2**64:
        return f"CAST({value} AS UBIGINT)"
    if not -(2**127) <= value < 2**127:
        raise BindError("an integer beyond 128 bits has no type", hint="pass it as text")
    return str(value) if value >= 0 else f"({value})"


def _real(value: float) -> str:
    if math.isfinite(value):
        return f"CAST({value!r} AS DOUBLE)"
    return f"CAST('{'NaN' if math.isnan(value) else 'Infinity' if value > 0 else '-Infinity'}' AS DOUBLE)"


def _decimal(value: Decimal) -> str:
    if not value.is_finite():
        raise BindError(f"the Decimal {value} has no type", hint="pass it as a float")
    _, digits, exponent = value.as_tuple()
    scale = max(-int(exponent), 0)
    width = max(len(digits) + max(int(exponent), 0), scale + (scale > len(digits)))
    if width > _DIGITS:
        raise BindError(f"a Decimal of {width} digits has more than the {_DIGITS} of DECIMAL", hint="pass it as text")
    return f"CAST('{value:f}' AS DECIMAL({width}, {scale}))"


def _moment(value: datetime | date | time | timedelta) -> str:
    if getattr(value, "nanosecond", 0) or getattr(value, "nanoseconds", 0):
        raise BindError(
            f"{value!r} has nanoseconds, which no type of a constant holds", hint="round it to microseconds"
        )
    if isinstance(value, datetime):
        kind = "TIMESTAMP" if value.tzinfo is None else "TIMESTAMP WITH TIME ZONE"
        return f"CAST('{value.isoformat(sep=' ')}' AS {kind})"
    if isinstance(value, date):
        return f"CAST('{value.isoformat()}' AS DATE)"
    if isinstance(value, time):
        if value.tzinfo is not None:
            raise BindError("a time with a time zone has no type", hint="pass it without")
        return f"CAST('{value.isoformat()}' AS TIME)"
    microseconds = value.seconds * 1_000_000 + value.microseconds
    return f"CAST('{value.days} days {microseconds} microseconds' AS INTERVAL)"
