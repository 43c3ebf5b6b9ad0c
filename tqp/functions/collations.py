"""Collations: the forms of texts that stand for them where they are compared, ordered and grouped by.

A type says the collation (`DType.collation`). Values that hold text, of which some has one, are compared by the same values with
the forms in them. As in DuckDB keys and values of maps, and members of unions, have none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Final

from tqp.data.column import Column
from tqp.errors import BindError, UnsupportedError
from tqp.functions.entries import string
from tqp.functions.registry import Args, Signature, find, scalar
from tqp.ir.expr import Call, Expr, Literal
from tqp.types import VARCHAR, DType, Kind

__all__ = ["COLLATIONS", "common", "form", "has_form", "name_of", "with_default"]

_STEPS: Final = {
    "icu_noaccent": "strip_accents",
    "nfc": "nfc_normalize",
    "noaccent": "strip_accents",
    "nocase": "lower",
}
"""What each part of a collation makes of text before it is compared."""
_LAST: Final = frozenset({"nfc"})
"""Those that come behind the others, wherever they are named."""
_BINARY: Final = ("binary", "c", "posix")
"""Those that compare text as it stands."""
_FORM: Final = "collation_form"
_PLAIN: Final = DType(Kind.VARCHAR, collation="binary")
"""The type of forms: they have none of their own."""

COLLATIONS: Final = tuple(_STEPS)
"""The names of those that change what is compared."""


def name_of(text: str) -> str:
    """The collation that a text names, its parts in small letters; "" of an empty one.

    UnsupportedError for those of languages and for what is none.
    """
    name = text.lower()
    for part in name.split(".") if name else ():
        if part not in _STEPS and not (part in _BINARY and part == name):
            hint = f"those supported are {', '.join(part.upper() for part in _STEPS)}, put together with points, and C"
            raise UnsupportedError(f"collation {part} is not supported", hint=hint)
    return name


def common(dtypes: Sequence[DType]) -> str:
    """The collation of texts that meet, "" of none; BindError where they have several."""
    found = list(dict.fromkeys(dtype.collation for dtype in dtypes if dtype.collation))
    if len(found) > 1:
        raise BindError(f"text has collation {found[0]} here and {found[1]} there", hint="write COLLATE once")
    return found[0] if found else ""


def has_form(dtype: DType) -> bool:
    """Whether values of the type are compared by a form."""
    return dtype.is_collated and any(map(_steps, _collations(dtype)))


def form(expr: Expr, dtype: DType) -> Expr:
    """What stands for a value where it is compared: itself, unless it is text that has a collation in `dtype`, which is its type,
    or has such text in it."""
    if not has_form(dtype):
        return expr
    if dtype.collation:
        for step in _steps(dtype.collation):
            expr = Call(step, (expr,), _PLAIN)
        return expr
    collations = Literal(",".join(_collations(dtype)), VARCHAR, typed=True)
    return Call(_FORM, (expr, collations), with_default(dtype, "binary", instead=True))


def with_default(dtype: DType, name: str, *, instead: bool = False) -> DType:
    """The type with a collation for all text in it that has none, or, `instead`, for all."""
    if dtype == VARCHAR:
        return dtype if dtype.collation and not instead else DType(Kind.VARCHAR, collation=name)
    if dtype.kind is Kind.MAP or dtype.is_union:
        return dtype
    element = None if dtype.element is None else with_default(dtype.element, name, instead=instead)
    fields = tuple([replace(field, type=with_default(field.type, name, instead=instead)) for field in dtype.fields])
    return DType(dtype.kind, dtype.precision, dtype.scale, element, dtype.size, fields, dtype.labels)


@cache
def _steps(name: str) -> tuple[str, ...]:
    """The functions that make the form, in the order in which they are called: as in DuckDB the last one named is the first."""
    parts = [part for part in dict.fromkeys(name.split(".")) if part in _STEPS]
    parts.reverse()
    return tuple(dict.fromkeys(_STEPS[part] for part in sorted(parts, key=_LAST.__contains__)))


def _collations(dtype: DType) -> Iterator[str]:
    """The collations of the texts in values of a type, in the order of its parts."""
    if dtype == VARCHAR:
        yield dtype.collation
    elif dtype.kind is not Kind.MAP and not dtype.is_union:
        for child in dtype.children:
            yield from _collations(child)


def _types(args: tuple[Expr, ...]) -> Signature:
    raise BindError("the forms of a collation are no function", hint="write COLLATE")


@scalar(_FORM, types=_types)
def _form(args: Args, out: DType) -> Column:
    """Nested values (n,) with the forms of their texts, whose collations are a constant; NULL where the value is."""
    return _formed(args[0], iter(string(args[1]).split(",")))


def _formed(column: Column, collations: Iterator[str]) -> Column:
    dtype = column.dtype
    if dtype == VARCHAR:
        for step in _steps(next(collations)):
            column = find(step).kernel([column], VARCHAR).with_valid(column.valid)
        return column
    if dtype.kind is Kind.MAP or not (dtype.is_list or dtype.is_struct):
        return column
    return replace(column, children=tuple([_formed(child, collations) for child in column.children]))
