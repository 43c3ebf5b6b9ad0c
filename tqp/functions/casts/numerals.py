"""Columns of numbers as text: decimals, and floats with the fewest digits or with a number of them behind the point."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tqp.data.to_arrow import few_strings, integers, texts, truths
from tqp.interrupt import checkpoint
from tqp.kernels import encodings

__all__ = [
    "arrow_text",
    "decimals_as_text",
    "doubles_as_text",
    "float_as_text",
    "joined",
    "padded",
    "rounded_as_text",
    "with_others",
]

_KIND: Final = pa.large_string()
_Doubles = npt.NDArray[np.float64]


def arrow_text(value: str) -> pa.Scalar:
    """A string of Arrow."""
    return few_strings([value], _KIND)[0]


def joined(*parts: pa.Array | pa.Scalar) -> pa.Array:
    """Strings one behind the other."""
    return pc.binary_join_element_wise(*parts, arrow_text(""))


def padded(numbers: pa.Array, width: int) -> pa.Array:
    """Integers with zeros before."""
    return pc.utf8_lpad(numbers.cast(_KIND), width=width, padding="0")


def decimals_as_text(numbers: npt.NDArray[np.int64], scale: int, least: int) -> pa.Array:
    """Integers (n,) with a point before the last `scale` digits, at 0 without one, and zeros before up to `least` digits."""
    shown = encodings.as_decimals(numbers, scale, least)
    if shown is not None:
        return texts(*shown, _KIND)
    sign = pc.if_else(truths(numbers < 0), arrow_text("-"), arrow_text(""))
    digits = padded(integers(np.abs(numbers).view(np.uint64)), least)
    if not scale:
        return joined(sign, digits)
    whole = pc.utf8_slice_codeunits(digits, start=0, stop=-scale)
    return joined(sign, whole, arrow_text("."), pc.utf8_slice_codeunits(digits, start=-scale))


def doubles_as_text(values: _Doubles) -> pa.Array:
    """The shortest digits of each (n,), as `float_as_text` has them; Arrow spells very small and large ones in another way."""
    size = np.abs(values)
    is_usual = (values == 0) | (size >= 1e-4) & (size < 1e10)
    data = pa.py_buffer(np.ascontiguousarray(values))
    shown = pa.Array.from_buffers(pa.float64(), len(values), [None, data]).cast(_KIND)
    usual = np.where(is_usual, values, 0.5)
    is_whole = np.trunc(usual) == usual
    if is_whole.any():
        # Arrow leaves out the point, DuckDB does not.
        shown = joined(shown, pc.if_else(truths(is_whole), arrow_text(".0"), arrow_text("")))
    return with_others(shown, values, is_usual, float_as_text)


def rounded_as_text(values: _Doubles, digits: int) -> tuple[pa.Array, npt.NDArray[np.bool_]]:
    """Numbers (n,) with so many digits behind the point, at most 22, rounded as C and Python do; and which are: others are too
    large, infinite or NaN."""
    factor = 10.0**digits
    is_known = np.abs(values) < 2.0**51 / factor
    size = np.where(is_known, np.abs(values), 0.0)
    # The product as the sum of two floats (Dekker); what it rounds to is a question of both.
    product = size * factor
    high, low = _halves(size)
    own_high, own_low = _halves(np.float64(factor))
    rest = ((high * own_high - product) + high * own_low + low * own_high) + low * own_low
    whole = np.floor(product)
    above = product - whole - 0.5
    found = whole.astype(np.int64)
    found += (above > 0) | (above == 0) & ((rest > 0) | (rest == 0) & (found & 1 == 1))
    shown = decimals_as_text(found, digits, digits + 1)
    is_negative = np.signbit(values)
    if is_negative.any():
        shown = joined(pc.if_else(truths(is_negative), arrow_text("-"), arrow_text("")), shown)
    return shown, is_known


def _halves(values: Any) -> tuple[Any, Any]:
    """Floats as sums of two that have half as many bits (Veltkamp)."""
    spread = values * 134217729.0
    high = spread - (spread - values)
    return high, values - high


def with_others(
    shown: pa.Array, values: _Doubles, is_known: npt.NDArray[np.bool_], show: Callable[[Any], str]
) -> pa.Array:
    """Strings of values (n,), those that are not known by a function of Python, once a distinct one."""
    if is_known.all():
        return shown
    bits, places = np.unique(values[~is_known].view(np.int64), return_inverse=True)
    strings = []
    for value in bits.view(values.dtype).tolist():  # host: NumPy, no tensor
        checkpoint()
        strings.append(show(value))
    others = few_strings(strings, _KIND).take(integers(places.reshape(-1)))
    return pc.replace_with_mask(shown, truths(~is_known), others)


def float_as_text(value: Any) -> str:
    """The shortest digits that read back as the same float, of NumPy or of Python; an exponent below 1e-4 and from 1e16.

    As in DuckDB those of a FLOAT are the digits of the DOUBLE where as few lie halfway to its neighbour, or two are as near.
    """
    if math.isnan(value):
        return "-nan" if math.copysign(1, value) < 0 else "nan"
    if math.isinf(value):
        return str(value)
    text = _shortest(value)
    # What has many digits as a DOUBLE lies beside no such number.
    if isinstance(value, np.float32) and value and len(_digits(repr(float(value)))) <= 13:
        halfway, count, exact = _halfway(float(value)), len(_digits(text)), _shortest(np.float64(value))
        are_as_near = len(_digits(exact)) == count + 1 and _digits(exact)[-1] == "5"
        if are_as_near or float(text) in halfway or any(len(_digits(repr(end))) < count for end in halfway):
            return exact
    return text


def _shortest(value: Any) -> str:
    if isinstance(value, float):
        # Python spells doubles as DuckDB does.
        return repr(float(value))
    if value == 0 or 1e-4 <= abs(value) < 1e16:
        return np.format_float_positional(value, unique=True, trim="0")
    return np.format_float_scientific(value, unique=True, trim="-", exp_digits=2)


def _halfway(value: float) -> tuple[float, float]:
    """What lies halfway between a FLOAT and its neighbours farther from 0 and nearer."""
    fraction, exponent = math.frexp(value)
    half = math.ldexp(math.copysign(1, value), max(exponent, -125) - 25)
    return value + half, value - (half / 2 if abs(fraction) == 0.5 else half)


def _digits(text: str) -> str:
    return text.lstrip("-").partition("e")[0].replace(".", "").strip("0")
