"""What paths find in JSON: one value, or a list of those of several paths, or of one with a wildcard."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from tqp.data.column import Column
from tqp.errors import BindError, ExecutionError
from tqp.functions.json.registering import text_types
from tqp.functions.json.slicing import Slicing, found_at_all, kinds_named, sliced
from tqp.functions.json_paths import has_many, path_of
from tqp.functions.json_text import Members, Missing, Value, kind, parsed, written
from tqp.functions.per_text import per_text
from tqp.functions.registry import Args, Signature, TypeRule, scalar
from tqp.ir.expr import Call, Expr, Literal
from tqp.ir.inputs import decide
from tqp.kernels import json
from tqp.types import BOOLEAN, JSON, UBIGINT, VARCHAR, DType, list_of

__all__ = ["PATHED", "is_wild"]

AtOnce = Callable[[Args, DType, Callable[..., Any]], Column | None]
"""From arguments, a type and what answers for one text, to the answers for all of many; None where it cannot."""

PATHED: dict[str, DType] = {}
"""The functions that take a path, or some, and what they give for one value."""


_WITHIN: Final = {name: f"{name}_within" for name in ("json_extract", "json_extract_string", "json_value")}
"""The functions that find something at paths of which each begins where the one before it leads: what lies there is not made."""
_EXTRACTING: Final = ("json_extract", "json_extract_path", _WITHIN["json_extract"])


def _within(name: str, call: Call) -> Expr | None:
    """`call`, of a function of that name, of what a path finds: by both paths."""
    of, *paths = call.args
    if not isinstance(of, Call) or len(paths) != 1 or not _is_plain(paths[0]):
        return None
    is_extracted = of.function in _EXTRACTING and of.type == JSON and all(map(_is_plain, of.args[1:]))
    return Call(_WITHIN[name], (*of.args, *paths), call.type) if is_extracted else None


def _is_plain(path: Expr) -> bool:
    """Whether a path is a constant to one value."""
    return isinstance(path, Literal) and not path.is_null and not is_wild(path)


def is_wild(path: Expr) -> bool:
    """Whether a path is a constant with a wildcard."""
    return isinstance(path, Literal) and path.dtype.is_text and not path.is_null and decide(_has_many, path)


def _has_many(path: Literal) -> bool:
    return isinstance(path.value, str) and has_many(path.value)


def _types(name: str, out: DType, least: int, places: bool) -> TypeRule:
    def types(args: tuple[Expr, ...]) -> Signature:
        if not least <= len(args) <= 2:
            raise BindError(f"{name} takes {least if least == 2 else '1 or 2'} arguments, not {len(args)}")
        wanted = text_types(name, args, 1, takes_places=places)
        is_null = isinstance(args[0], Literal) and args[0].is_null
        return wanted, list_of(out) if len(args) > 1 and is_wild(args[1]) and not is_null else out

    return types


def _finding(
    names: str,
    out: DType,
    *,
    least: int = 2,
    places: bool = False,
    missing: bool | None = None,
    slicing: Slicing | None = None,
    at_once: AtOnce | None = None,
) -> Callable[[Callable[[Value], Any]], None]:
    """Register what gives the answer for a value that is found, or is the argument itself; `missing` is that where nothing is.

    `slicing` says the same of texts as slices of the JSON, where many are read at once; so does `at_once` of other answers.

    A call whose type is a list of `out` has one path with a wildcard, or any number of others.
    """

    def register(answer: Callable[[Value], Any]) -> None:
        def found_by(value: Value, path: str | int) -> Any:
            steps = path_of(path)
            if steps.has_many:
                raise ExecutionError("a wildcard may stand in a constant path alone")
            found = steps.find(value)
            return missing if isinstance(found, Missing) else answer(found)

        def one(text: str, *paths: str | int) -> Any:
            value: Value | Missing = parsed(text)
            for path in paths[:-1]:
                value = value if isinstance(value, Missing) else path_of(path).find(value)
            return missing if isinstance(value, Missing) else found_by(value, paths[-1] if paths else "")

        def many(text: str, *paths: str) -> list[Any]:
            value = parsed(text)
            if len(paths) == 1 and has_many(paths[0]):
                return [answer(found) for found in path_of(paths[0]).find_all(value)]
            return [found_by(value, path) for path in paths]

        read = at_once if slicing is None else lambda args, made, one: sliced(args, made, slicing, one)

        def kernel(args: Args, made: DType) -> Column:
            found = read(args, made, one) if read is not None and made == out and len(args) <= 2 else None
            return found if found is not None else per_text(one if made == out else many, args, made)

        first, *others = names.split(",")
        types = _types(first, out, least, places)
        through = None if slicing is None else partial(_within, first)
        scalar(first, *others, types=types, on_distinct=True, on_host=True, sees_through=through)(kernel)
        if slicing is not None:

            @scalar(_WITHIN[first], types=types, on_distinct=True, on_host=True)
            def within(args: Args, made: DType) -> Column:
                found = sliced(args, made, slicing, one)
                return found if found is not None else per_text(one, args, made)

        for name in (first, *others):
            PATHED[name] = out

    return register


@_finding("json_extract,json_extract_path", JSON, places=True, slicing=Slicing())
def _extract(found: Value) -> str:
    return written(found)


@_finding("json_extract_string,json_extract_path_text", VARCHAR, places=True, slicing=Slicing((json.NULL,), bare=True))
def _extract_string(found: Value) -> str | None:
    if found is None:
        return None
    return found if isinstance(found, str) else written(found)


@_finding("json_value", VARCHAR, places=True, slicing=Slicing((json.NULL, json.ARRAY, json.OBJECT)))
def _scalar_value(found: Value) -> str | None:
    return None if found is None or isinstance(found, list | Members) else written(found)


@_finding("json_exists", BOOLEAN, missing=False, at_once=found_at_all)
def _exists(found: Value) -> bool:
    return True


@_finding("json_type", VARCHAR, least=1, at_once=kinds_named)
def _type(found: Value) -> str:
    return kind(found)


@_finding("json_array_length", UBIGINT, least=1)
def _array_length(found: Value) -> int:
    return len(found) if isinstance(found, list) else 0


@_finding("json_keys", list_of(VARCHAR), least=1)
def _keys(found: Value) -> list[str]:
    return [name for name, _ in found.pairs] if isinstance(found, Members) else []
