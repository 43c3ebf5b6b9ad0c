"""Functions of structs: how they are made and changed, and their fields."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import torch
from torch import Tensor

from tqp.data.column import Column, Layout, constant, empty
from tqp.data.nested import field, of_fields
from tqp.errors import BindError, UnsupportedError, counted
from tqp.functions.align import concat
from tqp.functions.comparison import equal_or_both_null
from tqp.functions.promotion import common_type
from tqp.functions.registry import Args, Signature, TypeRule, find, scalar
from tqp.functions.unions import extract_member
from tqp.functions.variants.extracting import VARIANT_EXTRACT
from tqp.ir.elements import Elements
from tqp.ir.expr import Call, Expr, Literal
from tqp.types import BIGINT, BOOLEAN, INTEGER, JSON, NULL, VARCHAR, VARIANT, DType, Kind, list_of, struct

__all__ = ["EXTRACT", "PACK", "changed", "extract", "joined", "pack"]

PACK = "struct_pack"
"""The function whose arguments are the fields of a struct."""
EXTRACT = "struct_extract_at"
"""The field of a struct at a place from 1."""


def pack(names: Sequence[str], values: Sequence[Expr]) -> Expr:
    """The struct of fields with these names, all empty for one without names; BindError where they repeat."""
    try:
        dtype = struct(zip(names, (value.dtype for value in values), strict=True))
    except ValueError as error:
        raise BindError(str(error)) from None
    return Call(PACK, tuple(values), dtype) if values else Literal(Elements(()), dtype, typed=True)


def extract(value: Expr, name: str) -> Expr:
    """The field of that name of a struct, the value of a map's key, the member of a UNION, or of an object of JSON or VARIANT.

    NULL of NULL, BindError where a struct or a UNION has none.
    """
    if value.dtype == VARIANT:
        return Call(VARIANT_EXTRACT, (value, Literal(name, VARCHAR)), VARIANT)
    if value.dtype == JSON:
        # As in DuckDB a path is made of the name as it stands: what means something in one does so here.
        args = (value, Literal(f'$."{name}"', VARCHAR))
        return Call("json_extract", args, find("json_extract").types(args)[1])
    if value.dtype == NULL:
        return Literal(None, NULL)
    if value.dtype.is_union:
        return extract_member(value, name)
    if value.dtype.kind is Kind.MAP and value.dtype.element is not None and value.dtype.element.children[0].is_text:
        return Call("map_extract_value", (value, Literal(name, VARCHAR)), value.dtype.element.children[1])
    place = value.dtype.field(name) if value.dtype.is_struct else None
    if place is None:
        known = ", ".join(one.name for one in value.dtype.fields)
        raise BindError(f"{value.dtype} has no field {name!r}", hint=f"it has {known}" if known else None)
    return Call(EXTRACT, (value, Literal(place + 1, BIGINT)), value.dtype.fields[place].type)


def _row_types(args: tuple[Expr, ...]) -> Signature:
    if not args:
        raise UnsupportedError("a row without values is not supported", hint="a struct without fields is {}")
    types = tuple(arg.dtype for arg in args)
    return types, struct([("", dtype) for dtype in types])


@scalar(PACK, types=_row_types, strict=False)
def _pack(args: Args, out: DType) -> Column:
    """The arguments as they are: no value is copied."""
    return of_fields(args, out, args[0].device)


def _extract_types(args: tuple[Expr, ...]) -> Signature:
    if len(args) == 2 and args[0].dtype == NULL:
        return (struct([("", NULL)]), BIGINT), NULL
    if len(args) != 2 or not args[0].dtype.is_struct:
        raise BindError(f"{EXTRACT} takes a struct and the number of a field")
    place = args[1]
    fields = args[0].dtype.fields
    if isinstance(place, Literal) and place.is_null:
        return (args[0].dtype, BIGINT), NULL
    if not isinstance(place, Literal) or not isinstance(place.value, int):
        raise BindError("the number of a field is a constant")
    if not 1 <= place.value <= len(fields):
        hint = f"1 to {len(fields)} are their numbers" if fields else None
        raise BindError(f"{args[0].dtype} has {counted(len(fields), 'field')}", hint=hint)
    return (args[0].dtype, BIGINT), fields[place.value - 1].type


def _packed(call: Call) -> Expr | None:
    """The field itself of a struct that is put together."""
    made, place = call.args
    if not isinstance(made, Call) or made.function != PACK or not isinstance(place, Literal):
        return None
    if not isinstance(place.value, int):
        return None
    return made.args[place.value - 1]


@scalar(EXTRACT, types=_extract_types, strict=False, sees_through=_packed)
def _extract(args: Args, out: DType) -> Column:
    """A gather of the field's values."""
    bounds = args[1].bounds
    if bounds is None or out == NULL and args[1].valid is not None:
        return constant(None, NULL, args[0].device)
    return field(args[0], bounds[0] - 1)


def changed(value: Expr, names: Sequence[str], values: Sequence[Expr], *, replaces: bool) -> Expr:
    """A struct with more fields; with `replaces` those whose names it has take their places. Never NULL.

    BindError where a name is there already, and what is no struct.
    """
    have = _require_struct(value, "struct_update" if replaces else "struct_insert")
    if len({name.lower() for name in names}) < len(names):
        raise BindError("a field is named twice")
    fields = {one.name.lower(): (one.name, extract(value, one.name)) for one in have.fields}
    for name, given in zip(names, values, strict=True):
        known = fields.get(name.lower())
        if known is not None and not replaces:
            raise BindError(f"the struct has a field {name!r} already", hint="struct_update changes fields")
        fields[name.lower()] = (name if known is None else known[0], given)
    return pack([name for name, _ in fields.values()], [part for _, part in fields.values()])


def joined(values: Sequence[Expr]) -> Expr:
    """The fields of several structs as one; BindError where names repeat, or only some of them have names."""
    if not values:
        raise BindError("struct_concat needs at least 1 argument")
    parts = [
        (one.name, place, value)
        for value in values
        for place, one in enumerate(_require_struct(value, "struct_concat").fields)
    ]
    return pack([name for name, _, _ in parts], [_at(value, place) for _, place, value in parts])


def _at(value: Expr, place: int) -> Expr:
    return Call(EXTRACT, (value, Literal(place + 1, BIGINT)), value.dtype.fields[place].type)


def _require_struct(value: Expr, name: str) -> DType:
    if not value.dtype.is_struct:
        raise BindError(f"{name} takes a struct, not {value.dtype}")
    return value.dtype


def _one_struct(name: str, out: Callable[[DType], DType], of_null: DType, *, is_named: bool) -> TypeRule:
    def types(args: tuple[Expr, ...]) -> Signature:
        if len(args) == 1 and args[0].dtype == NULL:
            return (NULL,), of_null
        if len(args) != 1 or not args[0].dtype.is_struct or (is_named and args[0].dtype.is_row):
            raise BindError(f"{name} takes a struct{' whose fields have names' if is_named else ''}")
        return (args[0].dtype,), out(args[0].dtype)

    return types


@scalar(
    "struct_keys", types=_one_struct("struct_keys", lambda dtype: list_of(VARCHAR), list_of(VARCHAR), is_named=True)
)
def _keys(args: Args, out: DType) -> Column:
    """The names of the fields."""
    names = [constant(one.name, VARCHAR, args[0].device).expand(1) for one in args[0].dtype.fields]
    child = concat(names, [1] * len(names)) if names else empty(Layout.of_type(VARCHAR), args[0].device)
    return Column(torch.tensor((0, len(names)), dtype=torch.int64, device=child.device), out, children=(child,))


def _without_names(dtype: DType) -> DType:
    if not dtype.fields:
        raise UnsupportedError("a row without values is not supported", hint="a struct without fields is {}")
    return struct([("", one) for one in dtype.children])


@scalar("struct_values", types=_one_struct("struct_values", _without_names, NULL, is_named=False))
def _values(args: Args, out: DType) -> Column:
    """The fields without their names."""
    return replace(args[0], dtype=out)


def _position_types(name: str, out: DType, of_null: DType) -> TypeRule:
    def types(args: tuple[Expr, ...]) -> Signature:
        if len(args) == 2 and args[0].dtype == NULL:
            return (struct([("", args[1].dtype)]), args[1].dtype), of_null
        if len(args) != 2 or not args[0].dtype.is_struct or not (args[0].dtype.is_row or not args[0].dtype.fields):
            raise BindError(f"{name} takes a struct whose fields have no names, and a value")
        # A field of another kind is not the value.
        wanted = args[1].dtype
        alike = [_go_together(dtype, wanted) for dtype in args[0].dtype.children]
        fields = [dtype for dtype, is_alike in zip(args[0].dtype.children, alike, strict=True) if is_alike]
        common = common_type(*fields, wanted) or wanted
        return (
            struct(
                [
                    ("", common if is_alike else dtype)
                    for dtype, is_alike in zip(args[0].dtype.children, alike, strict=True)
                ]
            ),
            common,
        ), out

    return types


def _go_together(dtype: DType, wanted: DType) -> bool:
    either_is_null = NULL in (dtype, wanted)
    return common_type(dtype, wanted) is not None and (either_is_null or dtype.is_text == wanted.is_text)


def _place(value: Column, wanted: Column) -> Tensor:
    """The number of the first field that is the value, NULL being one; 0 where none is."""
    found = torch.zeros((), dtype=torch.int64, device=value.device)
    for place in reversed(range(len(value.children))):
        if value.dtype.children[place] != wanted.dtype:
            continue
        same = equal_or_both_null(field(value, place), wanted).data
        found = torch.where(same, place + 1, found)
    return found


@scalar("struct_contains", "struct_has", types=_position_types("struct_contains", BOOLEAN, BOOLEAN))
def _contains(args: Args, out: DType) -> Column:
    return Column(_place(*args) > 0, out)


@scalar(
    "struct_position",
    "struct_indexof",
    types=_position_types("struct_position", INTEGER, NULL),
    strict=False,
    strict_first=1,
)
def _position(args: Args, out: DType) -> Column:
    if out == NULL:
        return constant(None, NULL, args[0].device)
    place = _place(*args)
    valid = place > 0
    return Column(place, out, valid if args[0].valid is None else valid & args[0].valid)
