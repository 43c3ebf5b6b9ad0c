"""Numbers written as text for people: sizes in bytes, bars."""

from __future__ import annotations

import math
import re
from typing import Final

from tqp.errors import ExecutionError
from tqp.functions.by_value import by_value
from tqp.types import BIGINT, DOUBLE, UBIGINT, VARCHAR

__all__: list[str] = []


# Sizes in bytes -----------------------------------------------------------------------------------------------------


def _size(count: int, factor: int, units: tuple[str, ...]) -> str:
    """A size in the largest of the units that it has one of, cut after one digit."""
    sign, rest, digit = "-" if count < 0 else "", abs(count), 0
    unit = 0
    while rest >= factor and unit < len(units):
        rest, digit, unit = rest // factor, rest % factor * 10 // factor, unit + 1
    if unit:
        return f"{sign}{rest}.{digit} {units[unit - 1]}"
    return f"{sign}{rest} byte{'' if rest == 1 else 's'}"


@by_value("format_bytes formatreadablesize pg_size_pretty", VARCHAR, BIGINT)
def _format_bytes(count: int) -> str:
    return _size(count, 1024, ("KiB", "MiB", "GiB", "TiB", "PiB"))


@by_value("formatreadabledecimalsize", VARCHAR, BIGINT)
def _format_decimal_size(count: int) -> str:
    return _size(count, 1000, ("kB", "MB", "GB", "TB", "PB"))


_FORMATTED: Final = re.compile(r"\s*(?P<number>[0-9.eE-]*)\s*(?P<unit>\S*)")
_UNITS: Final = {
    name: factor
    for factor, names in (
        (1, "b byte bytes"),
        (1000, "k kb kilobyte kilobytes"), (1000**2, "m mb megabyte megabytes"),
        (1000**3, "g gb gigabyte gigabytes"), (1000**4, "t tb terabyte terabytes"),
        (1024, "kib"), (1024**2, "mib"), (1024**3, "gib"), (1024**4, "tib"),
    )
    for name in names.split()
}  # fmt: skip


@by_value("parse_formatted_bytes", UBIGINT, VARCHAR)
def _parse_formatted_bytes(text: str) -> int:
    match = _FORMATTED.match(text)
    assert match is not None
    try:
        number = float(match["number"])
    except ValueError:
        raise ExecutionError(f"{text!r} begins with no number", hint="a size is like '16 KiB'") from None
    factor = _UNITS.get(match["unit"].lower())
    if factor is None:
        raise ExecutionError(f"{match['unit']!r} is no unit of sizes", hint="KB, MB, GB, TB or KiB, MiB, GiB, TiB")
    size = number * factor
    if not 0 <= size < 2.0**64:
        raise ExecutionError(f"{text!r} is no size below 16 EiB")
    return int(size)


# Bars ---------------------------------------------------------------------------------------------------------------

_EIGHTHS: Final = " ▏▎▍▌▋▊▉"


@by_value("bar", VARCHAR, DOUBLE, DOUBLE, DOUBLE, DOUBLE, optional=1)
def _bar(value: float, least: float, most: float, width: float = 80.0) -> str:
    if not 1 <= width <= 1000:
        raise ExecutionError("a bar is 1 to 1000 characters wide")
    if math.isnan(value) or math.isnan(least) or math.isnan(most) or value <= least:
        length = 0.0
    else:
        length = width if value >= most else width * (value - least) / (most - least)
    if not math.isfinite(length):
        raise ExecutionError("a bar has a finite length")
    whole, part = divmod(int(length * 8), 8)
    shown = "█" * whole + (_EIGHTHS[part] if part else "")
    return shown.ljust(int(width))
