"""JSON as text: what a text of JSON means, as DuckDB reads and writes it. Numbers keep the digits that no type holds."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import chain
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from tqp.errors import ExecutionError

__all__ = [
    "MISSING",
    "Members",
    "Missing",
    "Number",
    "Value",
    "in_quotes",
    "kind",
    "parsed",
    "parsed_one",
    "pretty",
    "real",
    "written",
]


@dataclass(frozen=True, slots=True)
class Number:
    """A number: how it is written, the type that DuckDB gives it, and how it was written where it was found."""

    text: str
    kind: str = field(compare=False)
    source: str = field(compare=False)

    @property
    def number(self) -> float:
        """The nearest DOUBLE."""
        return float(self.source)

    @property
    def whole(self) -> str | None:
        """The whole number nearest to it, the even one of two; None of what is not finite."""
        if _WHOLE.fullmatch(self.source):
            return self.source
        return str(round(self.number)) if math.isfinite(self.number) else None


@dataclass(frozen=True, slots=True)
class Members:
    """An object: its names and values in order; a name may come twice."""

    pairs: list[tuple[str, Value]]

    def get(self, name: str) -> Value | Missing:
        """The value of the first member of that name."""
        return next((value for found, value in self.pairs if found == name), MISSING)


class Missing:
    """What a path finds where nothing is, which is not `null`."""


MISSING: Final = Missing()

Value = None | bool | str | Number | list["Value"] | Members
"""A value of JSON."""

_LOWEST, _HIGHEST = -(2**63), 2**64 - 1
_MOST_DIGITS: Final = 20
_FEW_DIGITS: Final = 19
"""A number of fewer places fits 64 bits."""
_DEEPEST: Final = 300
"""What nests deeper is refused: functions walk a value by calls of themselves."""
_WHOLE: Final = re.compile("-?[0-9]+")
_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")
# A comma behind the last element or member, which DuckDB allows; else a string, in which commas are text.
_LAST_COMMA: Final = re.compile(
    r'((?:"(?:[^"\\]|\\.)*"|[^\s\[{,:"])[ \t\r\n]*),(?=[ \t\r\n]*[\]}])|"(?:[^"\\]|\\.)*"', re.DOTALL
)


def _integer(text: str) -> Number:
    if len(text) < _FEW_DIGITS and text != "-0":
        return Number(text, "BIGINT" if text[0] == "-" else "UBIGINT", text)
    if len(text.removeprefix("-")) > _MOST_DIGITS or not _LOWEST <= int(text) <= _HIGHEST:
        return Number(text, "DOUBLE", text)
    return Number(str(int(text)), "BIGINT" if text.startswith("-") else "UBIGINT", text)


# The decimal places before the point of numbers that are written without an exponent.
_FEWEST_PLACES, _MOST_PLACES = -5, 21


def _real(text: str) -> Number:
    # What no DOUBLE holds stays as it is written.
    return Number(text if math.isinf(float(text)) else real(text), "DOUBLE", text)


_SPECIAL: Final = {"nan": "NaN", "-nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


def real(text: str) -> str:
    """How JSON spells the DOUBLE that a text spells: by the fewest digits that say which it is."""
    if text in _SPECIAL:
        return _SPECIAL[text]
    value = float(text)
    if not value:
        return "-0.0" if text.startswith("-") else "0.0"
    plain = repr(value)
    if "e" not in plain:
        return plain
    sign, numbers, exponent = Decimal(plain).as_tuple()
    assert isinstance(exponent, int)
    digits = "".join(map(str, numbers))
    places = len(digits) + exponent
    digits = digits.rstrip("0")
    if not _FEWEST_PLACES <= places <= _MOST_PLACES:
        shown = digits[0] + ("." + digits[1:] if len(digits) > 1 else "") + f"e{places - 1}"
    elif places <= 0:
        shown = "0." + "0" * -places + digits
    else:
        shown = digits[:places].ljust(places, "0") + "." + (digits[places:] or "0")
    return "-" * sign + shown


def _decoder(spelled: Callable[[str], str]) -> json.JSONDecoder:
    """Reads JSON; `spelled` tells how the text spells what is found as NaN, Infinity or -Infinity."""

    def special(text: str) -> Number:
        source = spelled(text)
        return Number(source, "DOUBLE", source)

    return json.JSONDecoder(object_pairs_hook=Members, parse_int=_integer, parse_float=_real, parse_constant=special)


_DECODER: Final = _decoder(str)

# A number that is none or not finite, in any case; else a string, in which these are text.
_SPELLED: Final = re.compile(
    r'"(?:[^"\\]|\\.)*"|(?<![\w.+-])(-?(?:nan|inf(?:inity)?))(?!\w)', re.DOTALL | re.IGNORECASE | re.ASCII
)
_FIRST_READ: Final = 256
_STANDING: Final = {3: "NaN", 4: " NaN", 8: "Infinity", 9: "-Infinity"}
"""What the decoder knows, as long as each of the spellings."""


def _respelled(text: str) -> tuple[str, json.JSONDecoder]:
    """The text with NaN and the like as the decoder knows them, at the same places, and a decoder that gives them as they were."""
    spelled: list[str] = []

    def standing(found: re.Match[str]) -> str:
        if found[1] is None:
            return found[0]
        spelled.append(found[1])
        return _STANDING[len(found[1])]

    plain, given = _SPELLED.sub(standing, text), iter(spelled)
    return plain, _decoder(lambda _: next(given))


def parsed(text: str) -> Value:
    """The value of a text of JSON; ExecutionError where it is none."""
    try:
        value = _decoded(text)
        if text.count("[") + text.count("{") > _DEEPEST and _depth(value) > _DEEPEST:
            raise RecursionError
        if _SURROGATE.search(text):
            written(value).encode()
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deep" if isinstance(error, RecursionError) else str(error)
        raise ExecutionError(f"Malformed JSON: {reason}. Input: {text[:80]!r}") from None
    return value


def _depth(value: Value) -> int:
    """How deep lists and objects nest."""
    depth, level = 0, [value]
    while level:
        inner = [
            item if isinstance(item, list) else [one for _, one in item.pairs]
            for item in level
            if isinstance(item, list | Members)
        ]
        depth, level = depth + bool(inner), list(chain.from_iterable(inner))
    return depth


def parsed_one(text: str, start: int) -> tuple[Value, int]:
    """The value of JSON that begins there, and where it ends; what follows may be anything. ExecutionError where there is none."""
    try:
        try:
            found: tuple[Value, int] = _DECODER.raw_decode(text, start)
        except json.JSONDecodeError:
            respelled = _respelled_one(text, start)
            if respelled is None:
                raise
            found = respelled
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deep" if isinstance(error, RecursionError) else str(error)
        raise ExecutionError(f"Malformed JSON: {reason}. Input: {text[start : start + 80]!r}") from None
    return found


def _respelled_one(text: str, start: int) -> tuple[Value, int] | None:
    """As `parsed_one`, of what may have NaN and the like in any spelling; None where there is no value. Reads little behind it."""
    size = _FIRST_READ
    while True:
        plain, decoder = _respelled(text[start : start + size])
        try:
            value, end = decoder.raw_decode(plain)
        except json.JSONDecodeError:
            pass
        else:
            # A number that ends where the part does may go on behind it.
            if end < len(plain) or start + end == len(text):
                return value, start + end
        if start + size >= len(text):
            return None
        size *= 2


def _decoded(text: str) -> Value:
    try:
        value: Value = _DECODER.decode(text)
    except json.JSONDecodeError:
        plain, decoder = _respelled(text)
        without = _LAST_COMMA.sub(lambda found: found[1] or found[0], plain)
        if without == text:
            raise
        value = decoder.decode(without)
    return value


_ESCAPED: Final = str.maketrans(
    {chr(code): f"\\u{code:04X}" for code in range(32)}
    | {"\b": r"\b", "\f": r"\f", "\n": r"\n", "\r": r"\r", "\t": r"\t", '"': r"\"", "\\": r"\\"}
)


def _string(text: str) -> str:
    return '"' + text.translate(_ESCAPED) + '"'


def in_quotes(texts: pa.Array) -> pa.Array:
    """Texts (k,), `large_string`, each as a string of JSON."""
    if pc.any(pc.match_substring_regex(texts, r"[\x00-\x1f]")).as_py():
        return pa.array([None if text is None else _string(text) for text in texts.to_pylist()], pa.large_string())
    if pc.any(pc.match_substring_regex(texts, r'["\\]')).as_py():
        texts = pc.replace_substring(pc.replace_substring(texts, "\\", r"\\"), '"', r"\"")
    mark, nothing = (pa.scalar(one, pa.large_string()) for one in ('"', ""))
    return pc.binary_join_element_wise(mark, texts, mark, nothing)


def written(value: Value) -> str:
    """The shortest text of a value."""
    match value:
        case Number():
            return value.text
        case str():
            return _string(value)
        case list():
            return "[" + ",".join(map(written, value)) + "]"
        case Members():
            return "{" + ",".join([f"{_string(name)}:{written(item)}" for name, item in value.pairs]) + "}"
        case _:
            return {None: "null", True: "true", False: "false"}[value]


def pretty(value: Value, indent: str = "\n") -> str:
    """The text of a value with a line for each element and member, four spaces a level."""
    deeper = indent + "    "
    if isinstance(value, list) and value:
        return "[" + ",".join([deeper + pretty(item, deeper) for item in value]) + indent + "]"
    if isinstance(value, Members) and value.pairs:
        lines = [f"{deeper}{_string(name)}: {pretty(item, deeper)}" for name, item in value.pairs]
        return "{" + ",".join(lines) + indent + "}"
    return written(value)


def kind(value: Value) -> str:
    """What DuckDB calls the type of a value."""
    match value:
        case Number():
            return value.kind
        case str():
            return "VARCHAR"
        case list():
            return "ARRAY"
        case Members():
            return "OBJECT"
        case _:
            return "NULL" if value is None else "BOOLEAN"
