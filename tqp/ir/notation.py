"""How operators, calls and constants are written in readable text."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Final, assert_never
from uuid import UUID

from tqp.bignums import decoded, digits_of
from tqp.ir.expr import Elements, Literal, Members
from tqp.ir.own import MadeName, OwnName
from tqp.ir.spoken import SPOKEN
from tqp.ir.words import IN_LIST
from tqp.keywords import text_constant
from tqp.types import Kind

__all__ = ["ATOM", "BINARY", "COMPARE", "Text", "called", "operation", "written"]

# How tightly an operator binds; an operand that binds less tightly gets parentheses.
OR, AND, NOT, COMPARE, ADD, MULTIPLY, UNARY, ATOM = range(8)

BINARY: Final = {
    "eq": ("=", COMPARE), "neq": ("<>", COMPARE), "lt": ("<", COMPARE), "lte": ("<=", COMPARE),
    "gt": (">", COMPARE), "gte": (">=", COMPARE), "nullsafeeq": ("IS NOT DISTINCT FROM", COMPARE),
    "nullsafeneq": ("IS DISTINCT FROM", COMPARE), "like": ("LIKE", COMPARE), "ilike": ("ILIKE", COMPARE),
    "add": ("+", ADD), "sub": ("-", ADD), "dpipe": ("||", ADD), "mul": ("*", MULTIPLY),
    "distance": ("<->", MULTIPLY), "distancend": ("<=>", MULTIPLY),
    "div": ("/", MULTIPLY), "intdiv": ("//", MULTIPLY), "mod": ("%", MULTIPLY),
    "bitwiseleftshift": ("<<", ADD), "bitwiserightshift": (">>", ADD), "bitwiseand": ("&", ADD), "bitwiseor": ("|", ADD),
}  # fmt: skip

_EPOCH: Final = datetime(1970, 1, 1)

_SHOWN_ELEMENTS: Final = 4

Text = tuple[str, int]
"""Of an expression, with how tightly its outermost operator binds."""


def operation(function: str, operands: Sequence[Text]) -> Text:
    """A call as it is written: with an operator where there is one."""
    if function in ("and", "or") and operands:
        level = AND if function == "and" else OR
        return f" {function.upper()} ".join(_inside(operand, level + 1) for operand in operands), level
    if function == "not":
        return f"NOT {_inside(operands[0], NOT)}", NOT
    if function == "neg":
        return f"-{_inside(operands[0], UNARY)}", UNARY
    if function == "is_null":
        return f"{_inside(operands[0], COMPARE + 1)} IS NULL", COMPARE
    if function == "in":
        options = ", ".join(text for text, _ in operands[1:])
        return f"{_inside(operands[0], COMPARE + 1)} IN ({options})", COMPARE
    if function == IN_LIST:
        return f"{_inside(operands[0], COMPARE + 1)} IN {operands[1][0]}", COMPARE
    if function == "array_extract":
        return f"{_inside(operands[0], ATOM)}[{operands[1][0]}]", ATOM
    if function in BINARY and len(operands) == 2:
        sign, level = BINARY[function]
        left_level = level + 1 if level == COMPARE else level
        return f"{_inside(operands[0], left_level)} {sign} {_inside(operands[1], level + 1)}", level
    return f"{called(function)}({', '.join(text for text, _ in operands)})", ATOM


def called(function: str) -> str:
    """The name of a function; one of somebody's own says so."""
    if isinstance(function, OwnName) and not isinstance(function, MadeName):
        return f"user code {function}"
    return SPOKEN.get(function, str(function))


def _inside(operand: Text, level: int) -> str:
    text, own = operand
    return text if own >= level else f"({text})"


def written(literal: Literal) -> str:
    """A constant as SQL writes it."""
    value, dtype = literal.estimated, literal.type
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, str):
        return text_constant(value)
    if isinstance(value, bytes) and dtype.kind is Kind.BIGNUM:
        return f"{digits_of(decoded(value))}::BIGNUM"
    if isinstance(value, bytes):
        return f"x'{value.hex().upper()}'"
    if isinstance(value, tuple):
        months, days, micros = value
        return f"INTERVAL '{months} months {days} days {micros} us'"
    if isinstance(value, Members):
        shown = ", ".join(repr(one) for one in value.values[:_SHOWN_ELEMENTS])
        return f"({shown}, … of {len(value.values)})"
    if isinstance(value, Elements) and dtype.is_struct:
        return "{}"
    if isinstance(value, Elements):
        shown = ", ".join(map(repr, value.numbers[:_SHOWN_ELEMENTS]))
        return f"[{shown}{', …' if len(value.numbers) > _SHOWN_ELEMENTS else ''}]::{dtype}"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, int) and dtype.kind is Kind.ENUM:
        return text_constant(dtype.labels[value])
    if isinstance(value, int):
        return _integer(value, dtype.kind, dtype.scale)
    assert_never(value)


def _integer(value: int, kind: Kind, scale: int) -> str:
    if kind is Kind.DECIMAL and scale:
        digits = str(abs(value)).rjust(scale + 1, "0")
        return f"{'-' if value < 0 else ''}{digits[:-scale]}.{digits[-scale:]}"
    try:
        if kind is Kind.DATE:
            return f"DATE '{date.fromordinal(value + date(1970, 1, 1).toordinal()).isoformat()}'"
        if kind in (Kind.TIMESTAMP, Kind.TIMESTAMPTZ):
            return f"{kind.value} '{(_EPOCH + timedelta(microseconds=value)).isoformat(sep=' ')}'"
        if kind is Kind.UUID:
            return f"UUID '{UUID(int=value + 2**127)}'"
        if kind is Kind.TIME:
            return f"TIME '{(_EPOCH + timedelta(microseconds=value)).time().isoformat()}'"
    except (OverflowError, ValueError):
        return f"{kind.value} {value}"
    return str(value)
