"""The structure of JSON: of each member the type, and one type for all elements of a list."""

from __future__ import annotations

from functools import reduce
from typing import Final

from tqp.functions.json.registering import json_function
from tqp.functions.json_text import Members, Value, kind, parsed, written
from tqp.types import JSON

__all__ = ["common_structure", "structure"]

_ANY: Final = "JSON"
_NULL: Final = "NULL"
_NUMBERS: Final = ("UBIGINT", "BIGINT", "HUGEINT", "DOUBLE")


@json_function("json_structure", JSON)
def _structure(text: str) -> str:
    return common_structure([structure(text)])


def structure(text: str) -> str:
    """The structure of JSON as JSON, in which an object without members is one."""
    return written(_of(parsed(text)))


def common_structure(structures: list[str]) -> str:
    """The one structure that values of these have; an object without members may have any, as JSON."""
    return written(_shown(reduce(_together, map(parsed, structures))))


def _of(value: Value) -> Value:
    """A type's name, a list of the one of its elements, or members with theirs."""
    if isinstance(value, list):
        none: Value = _NULL
        return [reduce(_together, map(_of, value), none)]
    if isinstance(value, Members):
        return _fields([(name, _of(item)) for name, item in value.pairs])
    return kind(value)


def _fields(pairs: list[tuple[str, Value]]) -> Members:
    """Members, of which those of one name are one."""
    found: dict[str, Value] = {}
    for name, item in pairs:
        found[name] = _together(found[name], item) if name in found else item
    return Members(list(found.items()))


def _together(a: Value, b: Value) -> Value:
    if a == b or b == _NULL:
        return a
    if a == _NULL:
        return b
    if a in _NUMBERS and b in _NUMBERS:
        return "DOUBLE" if "DOUBLE" in (a, b) else "HUGEINT"
    if isinstance(a, list) and isinstance(b, list):
        return [_together(a[0], b[0])]
    if isinstance(a, Members) and isinstance(b, Members):
        return _fields(a.pairs + b.pairs)
    return _ANY


def _shown(structure: Value) -> Value:
    """An object without members may have any."""
    if isinstance(structure, list):
        return [_shown(structure[0])]
    if isinstance(structure, Members):
        return Members([(name, _shown(item)) for name, item in structure.pairs]) if structure.pairs else _ANY
    return structure
