"""What `inputs=` of a model says: names alone, or names with what each takes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tqp.errors import ModelError
from tqp.models.model import Input
from tqp.types import ARRAY_ELEMENTS, array

__all__ = ["Inputs", "declared", "names_only"]

Inputs = Sequence[str] | Mapping[str, Any]

_ARRAY = re.compile(r"\s*(\w+)\s*\[\s*(\d+)\s*\]\s*")
_ELEMENTS = {str(element): element for element in ARRAY_ELEMENTS}
_TEXT = (str, "str", "text", "varchar")
_NUMBER = (float, int, bool, "float", "int", "double", "integer", "bigint", "boolean")


def declared(inputs: Inputs | None) -> tuple[Input, ...] | None:
    """The inputs of a mapping from names to `str` (text), `float` (a number) or "FLOAT[768]" (an array); else None.

    Raises ModelError for anything else that a mapping says, and for names that repeat.
    """
    if inputs is None:
        return None
    if isinstance(inputs, str) or len(set(inputs)) != len(inputs) or not all(isinstance(name, str) for name in inputs):
        raise ModelError(f"inputs={inputs!r} is not a list of different names")
    if not isinstance(inputs, Mapping):
        return None
    return tuple(_declared(name, kind) for name, kind in inputs.items())


def names_only(inputs: Inputs | None) -> list[str] | None:
    """The names alone."""
    return None if inputs is None else list(inputs)


def _declared(name: str, kind: Any) -> Input:
    plain = kind.lower() if isinstance(kind, str) else kind
    if plain in _TEXT:
        return Input(name, is_text=True)
    if plain in _NUMBER:
        return Input(name)
    match = _ARRAY.fullmatch(kind) if isinstance(kind, str) else None
    element = _ELEMENTS.get(match[1].upper()) if match else None
    if match is None or element is None or int(match[2]) < 1:
        raise ModelError(
            f"input {name}: {kind!r} is no kind of input", hint='write str, float, or an array: "FLOAT[768]"'
        )
    return Input(name, array=array(element, int(match[2])))
