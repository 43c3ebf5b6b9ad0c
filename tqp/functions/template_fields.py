"""The fields of templates: how `format` and `printf` show one value, and how all values of a column at once."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tqp.errors import ExecutionError
from tqp.functions.by_value import HugeInt
from tqp.functions.casts.numerals import arrow_text, doubles_as_text, joined, rounded_as_text, with_others
from tqp.room import require_text
from tqp.types import BOOLEAN, DType

__all__ = ["Field", "Value", "all_shown"]

Value = str | bool | int | float
_MOST_DIGITS = 22


@dataclass(frozen=True, slots=True)
class Field:
    """Where a value stands. `width` and `precision` are numbers, or the places of arguments in a list of one.

    `most`: the largest integer that C's type has, where the field names one that is shorter than integers are.
    """

    place: int
    kind: str = ""
    fill: str = " "
    align: str = ""
    sign: str = "-"
    alternate: bool = False
    zero: bool = False
    thousands: str = ""
    width: int | list[int] = 0
    precision: int | list[int] | None = None
    as_in_c: bool = False
    most: int | None = None

    def show(self, value: Value) -> str:
        """The value as this field has it; ExecutionError where it does not go with it."""
        match value:
            case bool() if not self.kind or self.kind == "s" and self.as_in_c:
                if not self.as_in_c and (self.precision is not None or self.sign != "-" or self.align == "="):
                    raise ExecutionError("a sign, a precision and = go with numbers")
                return self._aligned("", str(value).lower(), is_number=False)
            case int():
                return self._integer(value)
            case float():
                return self._float(value)
            case str():
                return self._string(value)

    def _string(self, value: str) -> str:
        if self.kind not in ("", "s"):
            raise self._wrong("a text")
        if not self.as_in_c and (self.sign != "-" or self.alternate or self.zero or self.align == "="):
            raise ExecutionError("a sign, #, 0 and = go with numbers")
        cut = value if self.precision is None else value[: _known(self.precision)]
        return replace(self, zero=False)._aligned("", cut, is_number=False)

    def _integer(self, value: int) -> str:
        if self.precision is not None and not self.as_in_c:
            raise ExecutionError("an integer takes no precision", hint="cast it to DOUBLE")
        kind = self.kind.replace("L", "n") if not self.as_in_c else self.kind.replace("i", "d")
        if kind == "c" and self.as_in_c and 0 <= value < 128:
            return self._aligned("", chr(value), is_number=False)
        if self.most is not None and not -self.most <= value <= self.most:
            raise ExecutionError(f"{value} is too large for h", hint="leave the h out")
        if kind not in ("", *("dn" if not self.as_in_c else "du"), *"xXobB"):
            raise self._wrong("an integer")
        if self.as_in_c and value < 0 and kind in tuple("uxXobB"):
            value += 2**128 if isinstance(value, HugeInt) else 2**64
        digits = f"{abs(value):{kind if kind in tuple('xXob') else 'b' if kind == 'B' else 'd'}}"
        prefix = ""
        if self.thousands:
            digits = f"{abs(value):,}".replace(",", self.thousands)
        elif self.alternate and kind in tuple("xXobB"):
            prefix = "0" if kind == "o" else f"0{kind}"
        if self.precision is not None:
            digits = digits.rjust(_known(self.precision), "0")
        return self._aligned(self._sign(value < 0) + prefix, digits)

    def _float(self, value: float) -> str:
        if self.kind not in ("", *"gGeEfFaA", *("" if self.as_in_c else "nL")):
            raise self._wrong("a DOUBLE")
        negative = str(value).startswith("-")
        if value != value or value in (float("inf"), float("-inf")):
            shown = str(abs(value)).upper() if self.kind in tuple("GEFA") else str(abs(value))
            return self._aligned(self._sign(negative), shown, is_number=self.as_in_c)
        shown = self._digits(abs(value))
        if self.thousands:
            whole, dot, rest = shown.partition(".")
            grouped = f"{int(whole):,}".replace(",", self.thousands) if whole.isdigit() else whole
            shown = grouped + (dot and "," if self.thousands == "." else dot) + rest
        return self._aligned(self._sign(negative), shown)

    def _digits(self, value: float) -> str:
        precision = None if self.precision is None else _known(self.precision)
        kind = {"n": "g", "L": "g"}.get(self.kind, self.kind)
        if kind in tuple("aA"):
            if precision is not None:
                raise ExecutionError("a hexadecimal DOUBLE takes no precision")
            shown = re.sub(r"\.?0*p", "p", value.hex())
            return shown if kind == "a" else shown.upper()
        if kind:
            return f"{value:{'#' if self.alternate else ''}.{6 if precision is None else precision}{kind}}"
        if precision is None:
            return repr(value)
        if precision == 0:
            raise ExecutionError("a precision of 0 needs a type, such as f")
        shown = f"{value:#.{precision}g}"
        return f"{shown}0" if shown.endswith(".") else shown.replace(".e", "e")

    def _sign(self, negative: bool) -> str:
        return "-" if negative else "" if self.sign == "-" else self.sign

    def _aligned(self, sign: str, shown: str, is_number: bool = True) -> str:
        missing = _known(self.width) - len(sign) - len(shown)
        if missing <= 0:
            return sign + shown
        require_text(missing)
        if self.zero:
            return sign + "0" * missing + shown if is_number else sign + shown + "0" * missing
        align = self.align or (">" if is_number or self.as_in_c else "<")
        if align == "=":
            return sign + self.fill * missing + shown
        before = {"<": 0, ">": missing, "^": missing // 2}[align]
        return self.fill * before + sign + shown + self.fill * (missing - before)

    def _wrong(self, what: str) -> ExecutionError:
        return ExecutionError(f"{self.kind!r} is no format of {what}")


def _known(number: int | list[int]) -> int:
    assert isinstance(number, int)
    return number


def all_shown(field: Field, values: pa.Array, dtype: DType) -> pa.Array | None:
    """What `field.show` gives for each of the values of a type, at once; None where one of them may need a look of its own."""
    if field.sign != "-" or field.thousands or field.align in ("=", "^") or isinstance(field.width, list):
        return None
    kind, precision = field.kind, field.precision
    if values.type == pa.large_string() and not dtype.is_numeric:
        is_plain = kind in ("", "s") and precision is None and (field.as_in_c or not (field.alternate or field.zero))
        return _all_aligned(replace(field, zero=False), field.width, values, is_number=False) if is_plain else None
    if field.alternate or isinstance(precision, list):
        return None
    if pa.types.is_integer(values.type) and dtype.is_integer and dtype != BOOLEAN:
        is_plain = kind in ("", "d", *("i" if field.as_in_c else "")) and precision is None and field.most is None
        return _all_aligned(field, field.width, values.cast(pa.large_string())) if is_plain else None
    if not pa.types.is_float64(values.type):
        return None
    numbers = values.to_numpy(zero_copy_only=False)
    if kind in ("f", "F") and (precision is None or precision <= _MOST_DIGITS):
        shown, is_known = rounded_as_text(numbers, 6 if precision is None else precision)
    elif not kind and precision is None:
        shown, is_known = doubles_as_text(numbers), np.isfinite(numbers)
    else:
        return None
    return with_others(_all_aligned(field, field.width, shown), numbers, is_known, field.show)


def _all_aligned(field: Field, width: int, shown: pa.Array, is_number: bool = True) -> pa.Array:
    """Strings, numbers with their signs, filled up to a width."""
    if not width:
        return shown
    if field.zero:
        negative = pc.starts_with(shown, "-")
        digits = pc.utf8_ltrim(shown, characters="-")
        ahead = pc.if_else(negative, arrow_text("-"), arrow_text(""))
        short, long = (pc.utf8_lpad(digits, width=one, padding="0") for one in (width - 1, width))
        return joined(ahead, pc.if_else(negative, short, long))
    align = field.align or (">" if is_number or field.as_in_c else "<")
    return (pc.utf8_lpad if align == ">" else pc.utf8_rpad)(shown, width=width, padding=field.fill)
