"""Texts made of a template and values: `format`, with `{}` as in fmt and Python, and `printf`, with `%` as in C.

A template is taken apart once. Where it is a constant, each field is made once for each distinct value; else once for each distinct
combination of template and values. What it cannot do with a value is an error when a row asks for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from tqp.data.column import Column
from tqp.errors import BindError, ExecutionError, counted
from tqp.functions.by_value import HugeInt, computed, entries_of, python_values
from tqp.functions.entries import Entries
from tqp.functions.registry import Args, Signature, TypeRule, scalar
from tqp.interrupt import checkpoint
from tqp.ir.expr import Expr
from tqp.types import BOOLEAN, DOUBLE, VARCHAR, DType, Kind

__all__: list[str] = []

_Value = str | bool | int | float
_ARGUMENT: Final = r"\{(?:\d+)?\}"
_BRACES: Final = re.compile(
    rf"""(?P<index>\d*)(?::
    (?:(?P<fill>[\x20-\x7e])?(?P<align>[<>^=]))?
    (?:(?P<thousands>[,_'])|t(?P<other>[\x20-\x7e])|(?P<sign>[-+\x20]))?
    (?P<alternate>\#)?(?P<zero>0)?
    (?P<width>\d+|{_ARGUMENT})?(?:\.(?P<precision>\d+|{_ARGUMENT}))?
    (?P<kind>[a-zA-Z%])?)?""",
    re.VERBOSE,
)
_PERCENT: Final = re.compile(
    r"""%(?:(?P<index>\d+)\$)?(?P<flags>[-+\x20\#0,'_]*)(?P<width>\d+|\*)?(?P<point>\.(?P<precision>\d+|\*)?)?
    (?P<short>hh?)?(?:ll|l|j|z|t|L)?(?P<kind>[a-zA-Z])""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class _Field:
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

    def show(self, value: _Value) -> str:
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


_Pieces = tuple[str | _Field, ...]


class _Places:
    """Hands out the places of arguments: numbered ones or one after the other, but not both."""

    def __init__(self) -> None:
        self.next: int | None = None
        self.numbered = False

    def take(self, number: str | None, first: int = 0) -> int:
        if number:
            if self.next is not None:
                raise ExecutionError("arguments are numbered everywhere in a template, or nowhere")
            self.numbered = True
            return int(number) - first
        if self.numbered:
            raise ExecutionError("arguments are numbered everywhere in a template, or nowhere")
        self.next = 0 if self.next is None else self.next + 1
        return self.next


@lru_cache(maxsize=1024)
def _braces(template: str) -> _Pieces:
    """The pieces of a template of `format`."""
    return tuple(_brace_pieces(template))


def _brace_pieces(template: str) -> Iterator[str | _Field]:
    places, at = _Places(), 0
    while at < len(template):
        char, doubled = template[at], template[at : at + 2]
        if doubled in ("{{", "}}"):
            yield char
            at += 2
        elif char == "{":
            match = _BRACES.match(template, at + 1)
            assert match is not None
            if template[match.end() : match.end() + 1] != "}":
                raise ExecutionError(
                    f"format cannot read {template[at:]!r}", hint="{} stands for a value, {{ for a brace"
                )
            yield _brace_field(match, places)
            at = match.end() + 1
        elif char == "}":
            raise ExecutionError("a } closes no {", hint="}} stands for a brace")
        else:
            stop = min((found for brace in "{}" if (found := template.find(brace, at)) >= 0), default=len(template))
            yield template[at:stop]
            at = stop


def _brace_field(match: re.Match[str], places: _Places) -> _Field:
    place = places.take(match["index"])

    def number(name: str) -> int | list[int] | None:
        found = match[name]
        if not found:
            return None
        return int(found) if found.isdigit() else [places.take(found[1:-1])]

    return _Field(
        place, match["kind"] or "", match["fill"] or " ", match["align"] or "", match["sign"] or "-",
        bool(match["alternate"]), bool(match["zero"]), match["thousands"] or match["other"] or "",
        number("width") or 0, number("precision"),
    )  # fmt: skip


@lru_cache(maxsize=1024)
def _percents(template: str) -> _Pieces:
    """The pieces of a template of `printf`."""
    return tuple(_percent_pieces(template))


def _percent_pieces(template: str) -> Iterator[str | _Field]:
    places, at = _Places(), 0
    while at < len(template):
        stop = template.find("%", at)
        if stop < 0:
            yield template[at:]
            return
        yield template[at:stop]
        if template[stop : stop + 2] == "%%":
            yield "%"
            at = stop + 2
            continue
        match = _PERCENT.match(template, stop)
        if match is None:
            raise ExecutionError(
                f"printf cannot read {template[stop:]!r}", hint="%s stands for a text, %d for an integer"
            )
        yield _percent_field(match, places)
        at = match.end()


def _percent_field(match: re.Match[str], places: _Places) -> _Field:
    def number(name: str) -> int | list[int] | None:
        found = match[name]
        return None if not found else [places.take(None)] if found == "*" else int(found)

    # A point without digits says none.
    width, precision = number("width") or 0, number("precision") or (0 if match["point"] else None)
    flags = match["flags"]
    return _Field(
        places.take(match["index"], first=1), match["kind"], align="<" if "-" in flags else "",
        sign="+" if "+" in flags else " " if " " in flags else "-", alternate="#" in flags, zero="0" in flags,
        thousands=next((flag for flag in flags if flag in ",'_"), ""), width=width, precision=precision, as_in_c=True,
        most={"h": 2**15 - 1, "hh": 2**7 - 1}.get(match["short"] or ""),
    )  # fmt: skip


def _filled(pieces: _Pieces, values: tuple[_Value, ...]) -> str:
    def value(place: int) -> _Value:
        if not 0 <= place < len(values):
            raise ExecutionError(f"the template asks for {counted(place + 1, 'value')}, and {len(values)} are given")
        return values[place]

    def number(of: int | list[int] | None) -> int | None:
        if not isinstance(of, list):
            return of
        found = value(of[0])
        if not isinstance(found, int) or isinstance(found, bool):
            raise ExecutionError("a width and a precision are integers")
        return found

    def shown(piece: _Field) -> str:
        width, precision = number(piece.width) or 0, number(piece.precision)
        if width < 0:
            piece = replace(piece, align="<")
        return replace(piece, width=abs(width), precision=precision).show(value(piece.place))

    return "".join(piece if isinstance(piece, str) else shown(piece) for piece in pieces)


# The functions ------------------------------------------------------------------------------------------------------


def _types(name: str) -> TypeRule:
    def types(args: tuple[Expr, ...]) -> Signature:
        if not args or not (args[0].dtype.is_text or args[0].dtype.kind is Kind.NULL):
            raise BindError(f"{name} takes a template, a text, and values")
        return (VARCHAR, *(_shown_as(arg.dtype) for arg in args[1:])), VARCHAR

    return types


def _shown_as(dtype: DType) -> DType:
    if dtype.is_integer or dtype == BOOLEAN:
        return dtype
    return DOUBLE if dtype.is_numeric else VARCHAR


def _by_fields(pieces: _Pieces, args: Args, out: DType, entries: Entries) -> Column:
    """What a template gives each of whose fields shows one value: a field is made once for each distinct value of its own."""
    strings: list[Any] = []
    failures = []
    for piece in pieces:
        if isinstance(piece, str):
            strings.append(pa.scalar(piece, pa.large_string()))
            continue
        found = entries.array(piece.place + 1).dictionary_encode()
        shown = [_tried(piece, value) for value in python_values(found.dictionary, args[piece.place + 1].dtype)]
        good = ["" if isinstance(one, ExecutionError) else one for one in shown]
        strings.append(pa.array(good, pa.large_string()).take(found.indices))
        if any(isinstance(one, ExecutionError) for one in shown):
            messages = [one.message if isinstance(one, ExecutionError) else None for one in shown]
            failures.append(pa.array(messages, pa.large_string()).take(found.indices))
    if failures:
        first = pc.coalesce(*failures)
        entries.check(first.is_valid(), args, lambda entry: str(first[entry]))
    return entries.finish(pc.binary_join_element_wise(*strings, pa.scalar("", pa.large_string())), out)


def _tried(field: _Field, value: _Value) -> str | ExecutionError:
    checkpoint()
    try:
        return field.show(value)
    except ExecutionError as error:
        return error


def _readable(template: str, pieces_of: Callable[[str], _Pieces]) -> _Pieces:
    """The pieces of a template; none where it is an error of the rows that ask for it."""
    try:
        return pieces_of(template)
    except ExecutionError:
        return ()


def _has_fields_of_one(pieces: _Pieces, values: int) -> bool:
    """Whether there are fields, and each shows one of so many values alone: none says another one's width or precision."""
    fields = [piece for piece in pieces if isinstance(piece, _Field)]
    return bool(fields) and all(
        0 <= field.place < values and not isinstance(field.width, list) and not isinstance(field.precision, list)
        for field in fields
    )


def _filling(name: str, pieces_of: Callable[[str], _Pieces]) -> None:
    """Register a function that fills templates with values."""

    def filled(template: str, *values: _Value) -> str:
        return _filled(pieces_of(template), values)

    @scalar(name, types=_types(name), on_distinct=True, on_host=True)
    def kernel(args: Args, out: DType) -> Column:
        entries = entries_of(args)
        template = entries.operands[0]
        if isinstance(template, str) and not entries.is_constant:
            pieces = _readable(template, pieces_of)
            if _has_fields_of_one(pieces, len(args) - 1):
                return _by_fields(pieces, args, out, entries)
        return computed(filled, args, out, entries)


_filling("format", _braces)
_filling("printf", _percents)
