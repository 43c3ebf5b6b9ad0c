"""Structs with other fields, as ALTER TABLE … RENAME s.a TO b asks for: the expression that makes a value of what it was."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tqp import types
from tqp.errors import BindError, UnsupportedError
from tqp.keywords import quoted_name, text_constant
from tqp.sql.context import near
from tqp.types import DType, Kind

__all__ = ["Edit", "MadeField", "added", "dropped", "renamed", "with_fields"]


@dataclass(frozen=True, slots=True)
class MadeField:
    """A field of a struct, and the expression that makes its value, as text."""

    name: str
    text: str
    dtype: DType


Edit = Callable[[list[MadeField]], list[MadeField]]
"""From the fields of a struct to those that it is to have."""


def with_fields(text: str, dtype: DType, path: Sequence[str], edit: Edit) -> tuple[str, DType]:
    """A value whose struct at the end of `path` has other fields, as an expression over `text`, and its type. NULL stays NULL.

    `path` is of fields, and of `element` for what a list holds. BindError where it leads to no struct.
    """
    if dtype.kind is Kind.LIST and path and path[0].lower() == "element":
        assert dtype.element is not None
        name = f"element_{len(path)}"
        made, element = with_fields(name, dtype.element, path[1:], edit)
        return f"list_transform({text}, lambda {name}: {made})", types.list_of(element)
    if dtype.kind is Kind.MAP and path:
        raise UnsupportedError("ALTER of fields within a MAP is not supported", hint="ALTER … TYPE … USING expression")
    if dtype.kind is not Kind.STRUCT or not all(field.name for field in dtype.fields):
        raise BindError(f"{text} is {dtype}, which has no fields")
    fields = [
        MadeField(field.name, f"struct_extract({text}, {text_constant(field.name)})", field.type)
        for field in dtype.fields
    ]
    if path:
        place = _place(fields, path[0])
        made, inner = with_fields(fields[place].text, fields[place].dtype, path[1:], edit)
        fields[place] = replace(fields[place], text=made, dtype=inner)
    else:
        fields = edit(fields)
    packed = ", ".join(f"{quoted_name(field.name)} := {field.text}" for field in fields)
    whole = types.struct([(field.name, field.dtype) for field in fields])
    return f"CASE WHEN {text} IS NOT NULL THEN struct_pack({packed}) END", whole


def added(field: MadeField, if_not_exists: bool) -> Edit:
    """One more field."""

    def edit(fields: list[MadeField]) -> list[MadeField]:
        if not if_not_exists or all(one.name.lower() != field.name.lower() for one in fields):
            _require_new(fields, field.name)
            return [*fields, field]
        return fields

    return edit


def dropped(name: str, if_exists: bool) -> Edit:
    """All fields but one."""

    def edit(fields: list[MadeField]) -> list[MadeField]:
        if if_exists and all(one.name.lower() != name.lower() for one in fields):
            return fields
        place = _place(fields, name)
        if len(fields) == 1:
            raise BindError(f"{name} is the only field of its struct", hint="drop the column")
        return [*fields[:place], *fields[place + 1 :]]

    return edit


def renamed(name: str, new: str) -> Edit:
    """One field under another name."""

    def edit(fields: list[MadeField]) -> list[MadeField]:
        place = _place(fields, name)
        _require_new(fields, new)
        return [*fields[:place], replace(fields[place], name=new), *fields[place + 1 :]]

    return edit


def _place(fields: Sequence[MadeField], name: str) -> int:
    found = next((place for place, one in enumerate(fields) if one.name.lower() == name.lower()), None)
    if found is None:
        raise BindError(f"there is no field {name}", hint=near(name, [one.name for one in fields]))
    return found


def _require_new(fields: Sequence[MadeField], name: str) -> None:
    if any(one.name.lower() == name.lower() for one in fields):
        raise BindError(f"there is a field {name} already")
