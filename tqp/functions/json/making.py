"""JSON of values: `to_json`, `json_array`, `json_object` and their kin."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tqp.data.column import Column
from tqp.errors import BindError, ExecutionError
from tqp.functions.casts.cast import cast
from tqp.functions.casts.json_making import beside, json_of
from tqp.functions.registry import Args, Signature, TypeRule, expect, scalar
from tqp.functions.unify import is_text_literal
from tqp.ir.expr import Expr
from tqp.kernels import waits
from tqp.types import JSON, VARCHAR, DType, Kind

__all__ = ["LABELLED"]

LABELLED: Final = "text of JSON"
"""Of a text that is known to be JSON: the same as JSON."""


def _types(name: str, wanted: str, *kinds: Kind) -> TypeRule:
    def types(args: tuple[Expr, ...]) -> Signature:
        expect(args, 1, name)
        if kinds and args[0].dtype.kind not in (Kind.NULL, *kinds):
            raise BindError(f"{name} takes {wanted}, not {args[0].dtype}", hint="to_json takes any value")
        return (args[0].dtype,), JSON

    return types


def _to_json(args: Args, out: DType) -> Column:
    return json_of(args[0], cast)


scalar("to_json", "json_quote", types=_types("to_json", "a value"))(_to_json)
scalar("array_to_json", types=_types("array_to_json", "a list", Kind.LIST, Kind.ARRAY))(_to_json)
scalar("row_to_json", types=_types("row_to_json", "a struct", Kind.STRUCT))(_to_json)


def _labelled_types(args: tuple[Expr, ...]) -> Signature:
    expect(args, 1, LABELLED)
    return (VARCHAR,), JSON


@scalar(LABELLED, types=_labelled_types)
def _labelled(args: Args, out: DType) -> Column:
    """No string is looked at."""
    return replace(args[0], dtype=out)


def _array_types(args: tuple[Expr, ...]) -> Signature:
    return tuple([arg.dtype for arg in args]), JSON


def _object_types(args: tuple[Expr, ...]) -> Signature:
    if len(args) % 2:
        raise BindError("json_object takes a value for each key")
    wanted = []
    for place, arg in enumerate(args):
        if place % 2 == 0 and arg.dtype != VARCHAR and not is_text_literal(arg):
            raise BindError(f"a key of json_object is {arg.dtype}, not VARCHAR", hint="write CAST(... AS VARCHAR)")
        wanted.append(arg.dtype)
    return tuple(wanted), JSON


@scalar("json_array", types=_array_types, strict=False)
def _array(args: Args, out: DType) -> Column:
    """Texts side by side, once a distinct combination; what each value is as JSON is found once a distinct one."""
    return _beside("[]", (), args)


@scalar("json_object", types=_object_types, strict=False)
def _object(args: Args, out: DType) -> Column:
    """As `json_array`; ExecutionError for a key that is NULL."""
    for key in args[::2]:
        if key.valid is not None and not waits.truth(key.valid.all(), "a key that is NULL is an error"):
            raise ExecutionError("a key of json_object is NULL", hint="use coalesce")
    return _beside("{}", args[::2], args[1::2])


def _beside(marks: str, keys: Args, values: Args) -> Column:
    """The JSON of values between marks, each behind its key if there are some; a constant where all of them are."""
    pieces: list[str | Column] = [marks[0]]
    for place, value in enumerate(values):
        pieces.append("," if place else "")
        pieces += [keys[place], ":", value] if keys else [value]
    return replace(beside([*pieces, marks[1]], cast), dtype=JSON)
