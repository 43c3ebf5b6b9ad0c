"""Numbers written as text for people: sizes in bytes, bars."""

from __future__ import annotations

import math
import re
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tqp.data.to_arrow import few_strings, integers
from tqp.errors import ExecutionError
from tqp.functions.by_value import by_value
from tqp.functions.entries import Entries, host_function
from tqp.types import BIGINT, DOUBLE, UBIGINT, VARCHAR

__all__: list[str] = []


# Sizes in bytes -----------------------------------------------------------------------------------------------------


def _sizes(counts: pa.Array, factor: int, units: tuple[str, ...]) -> pa.Array:
    """Sizes in the largest of the units that each has one of, cut after one digit."""
    numbers = counts.to_numpy(zero_copy_only=False).astype(np.int64)
    by = np.uint64(factor)
    # NumPy's absolute value of -2**63 is that again, and right as one without a sign.
    rest = np.abs(numbers).view(np.uint64)
    ending = np.where(rest == 1, 1, 0)
    for unit in range(len(units)):
        # Only those that had one of the unit before are still that large.
        is_more = rest >= by
        if not is_more.any():
            break
        shorter = rest // by
        digit = (rest - shorter * by) * np.uint64(10) // by
        ending = np.where(is_more, 2 + 10 * unit + digit.view(np.int64), ending)
        rest = np.where(is_more, shorter, rest)
    endings = [" bytes", " byte", *(f".{digit} {unit}" for unit in units for digit in range(10))]
    signed = np.where(numbers < 0, -rest.view(np.int64), rest.view(np.int64))
    shown = few_strings(endings, pa.large_string()).take(integers(ending))
    return pc.binary_join_element_wise(
        integers(signed).cast(pa.large_string()), shown, few_strings([""], pa.large_string())[0]
    )


@host_function("format_bytes formatreadablesize pg_size_pretty", VARCHAR, BIGINT)
def _format_bytes(entries: Entries, counts: pa.Array) -> pa.Array:
    return _sizes(counts, 1024, ("KiB", "MiB", "GiB", "TiB", "PiB"))


@host_function("formatreadabledecimalsize", VARCHAR, BIGINT)
def _format_decimal_size(entries: Entries, counts: pa.Array) -> pa.Array:
    return _sizes(counts, 1000, ("kB", "MB", "GB", "TB", "PB"))


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
