"""What `inputs=` of a model says: names alone, or names with what each takes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import torch

from tqp.errors import ModelError
from tqp.models.model import Input
from tqp.types import (
    ARRAY_ELEMENTS,
    BIGINT,
    BOOLEAN,
    DOUBLE,
    FLOAT,
    INTEGER,
    SMALLINT,
    TINYINT,
    UTINYINT,
    DType,
    array,
)  # fmt: skip

__all__ = ["Inputs", "declared", "names_only"]

Inputs = Sequence[str] | Mapping[str, Any]

_ARRAY = re.compile(r"\s*(\w+)\s*\[\s*(\d+)\s*\]\s*")
_ELEMENTS = {str(element): element for element in ARRAY_ELEMENTS}
_TEXT = (str, "str", "text", "varchar")
_NUMBERS: Final[Mapping[Any, DType]] = {
    int: BIGINT, bool: BOOLEAN, "boolean": BOOLEAN, "bool": BOOLEAN, "int": INTEGER, "real": FLOAT, "long": BIGINT,
    torch.float32: FLOAT, torch.float64: DOUBLE, torch.int64: BIGINT, torch.int32: INTEGER, torch.int16: SMALLINT,
    torch.int8: TINYINT, torch.uint8: UTINYINT, torch.bool: BOOLEAN,
    **{str(dtype).lower(): dtype for dtype in (*ARRAY_ELEMENTS, BOOLEAN)},
    **{dtype: dtype for dtype in (*ARRAY_ELEMENTS, BOOLEAN)},
}  # fmt: skip


def declared(inputs: Inputs | None) -> tuple[Input, ...] | None:
    """The inputs of a mapping from names to `str` (text), a number, or "FLOAT[768]" (an array); else None.

    A number is `float`, in the dtype that the model computes with, or one of a type: `int`, `bool`, "DOUBLE", `torch.int64`, ….
    Raises ModelError for anything else that a mapping says, and for names that repeat.
    """
    if inputs is None:
        return None
    names = names_only(inputs)
    if names is None or len(set(names)) != len(names):
        raise ModelError(f"inputs={inputs!r} is not a list of different names")
    if not isinstance(inputs, Mapping):
        return None
    return tuple(_declared(name, kind) for name, kind in inputs.items())


def names_only(inputs: Inputs | None) -> list[str] | None:
    """The names alone; ModelError where they are none."""
    if inputs is None:
        return None
    if isinstance(inputs, str) or not hasattr(inputs, "__iter__") or not all(isinstance(name, str) for name in inputs):
        raise ModelError(f"inputs={inputs!r} is not a list of different names")
    return list(inputs)


def _declared(name: str, kind: Any) -> Input:
    plain = kind.lower() if isinstance(kind, str) else kind
    if plain in _TEXT:
        return Input(name, is_text=True)
    if plain is float:
        return Input(name)
    try:
        number = _NUMBERS.get(plain)
    except TypeError:
        number = None
    if number is not None:
        return Input(name, number=number)
    match = _ARRAY.fullmatch(kind) if isinstance(kind, str) else None
    element = _ELEMENTS.get(match[1].upper()) if match else None
    if match is None or element is None or int(match[2]) < 1:
        raise ModelError(
            f"input {name}: {kind!r} is no kind of input",
            hint='write str, float, int, bool, "DOUBLE", or an array: "FLOAT[768]"',
        )
    return Input(name, array=array(element, int(match[2])))
