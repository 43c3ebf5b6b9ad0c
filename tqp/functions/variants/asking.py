"""What a variant is, what it has in it, and whether something is in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tqp.data.column import Column
from tqp.errors import BindError, counted
from tqp.functions.per_text import per_text
from tqp.functions.registry import Args, Signature, TypeRule, expect, scalar
from tqp.functions.unify import is_text_literal
from tqp.functions.variant_documents import Document, kind_of, parsed, parts, shown, spelled_json, type_of
from tqp.functions.variants.comparing import documents_of, keys_of_leaves
from tqp.ir.expr import Expr, Literal
from tqp.types import BOOLEAN, NULL, UBIGINT, VARCHAR, VARIANT, DType, list_of

__all__: list[str] = []

_Asked = Callable[["Document | None"], Any]


def _of_path(name: str, out: DType, least: int) -> TypeRule:
    """The signature of a function of a variant, or of its member of a name."""

    def types(args: tuple[Expr, ...]) -> Signature:
        if not least <= len(args) <= 2:
            raise BindError(f"{name} takes a VARIANT and a name, not {counted(len(args), 'argument')}")
        _require_variant(name, args[0])
        if len(args) == 1:
            return (VARIANT,), out
        path = args[1]
        if not isinstance(path, Literal) or not (path.dtype in (VARCHAR, NULL) or is_text_literal(path)):
            hint = "call it once for each name, which is a constant"
            raise BindError(f"the second argument of {name} is a name", hint=hint)
        return (VARIANT, VARCHAR), out

    return types


def _require_variant(name: str, arg: Expr) -> None:
    if arg.dtype not in (VARIANT, NULL) and not is_text_literal(arg):
        raise BindError(f"{name} takes a VARIANT, not {arg.dtype}", hint="cast it: x::VARIANT")


def _asking(name: str, out: DType, least: int = 1, absent: Any = None) -> Callable[[_Asked], _Asked]:
    """Register what a value gives; with a name, its member of that name, and `absent` where there is none; '' is the value."""

    def register(function: _Asked) -> _Asked:
        def of(text: str, path: str | None = None) -> Any:
            document = parsed(text)
            if not path:
                return function(document)
            return function(document[path]) if isinstance(document, dict) and path in document else absent

        @scalar(name, types=_of_path(name, out, least), on_distinct=True, on_host=True)
        def kernel(args: Args, out: DType) -> Column:
            return per_text(of, args, out)

        return function

    return register


@_asking("variant_type", VARCHAR)
def _type(document: Document | None) -> str:
    return kind_of(document, whole=False)


@_asking("variant_extract_string", VARCHAR, 2)
def _string(document: Document | None) -> str | None:
    """As JSON, but without quotes around a text."""
    if document is None:
        return None
    is_text = isinstance(document, str) and not type_of(parts(document)[0]).is_numeric
    return shown(document) if is_text else spelled_json(document)


@_asking("variant_keys", list_of(VARCHAR))
def _keys(document: Document | None) -> list[str]:
    return sorted(document, key=str.encode) if isinstance(document, dict) else []


@_asking("variant_array_length", UBIGINT)
def _array_length(document: Document | None) -> int:
    return len(document) if isinstance(document, list) else 0


@_asking("variant_exists", BOOLEAN, 2, False)
def _exists(document: Document | None) -> bool:
    return True


def _one_variant(name: str, out: DType) -> TypeRule:
    def types(args: tuple[Expr, ...]) -> Signature:
        expect(args, 1, name)
        _require_variant(name, args[0])
        return (VARIANT,), out

    return types


@scalar("variant_typeof", types=_one_variant("variant_typeof", VARCHAR), strict=False, on_host=True)
def _typeof(args: Args, out: DType) -> Column:
    """The type with the size of an array and the keys of an object; of NULL as well."""
    return per_text(lambda text: kind_of(parsed(text or ""), whole=True), args, out, strict=False)


@scalar("variant_normalize", types=_one_variant("variant_normalize", VARIANT), sees_through=lambda call: call.args[0])
def _normalize(args: Args, out: DType) -> Column:
    """The value itself: there is but one form of each here."""
    return args[0]


def _two_variants(args: tuple[Expr, ...]) -> Signature:
    expect(args, 2, "variant_contains")
    for arg in args:
        _require_variant("variant_contains", arg)
    return (VARIANT, VARIANT), BOOLEAN


@scalar("variant_contains", types=_two_variants, on_distinct=True, on_host=True)
def _contains(args: Args, out: DType) -> Column:
    """Whether a value, or something at any depth in it, is another one or has all of its elements and members."""
    keys = keys_of_leaves([document for arg in args for document in documents_of(arg)])
    return per_text(lambda text, wanted: _has(parsed(text), parsed(wanted), keys), args, out)


def _has(document: Document | None, wanted: Document | None, keys: dict[str, bytes]) -> bool:
    if _covers(document, wanted, keys):
        return True
    if document is None or isinstance(document, str):
        return False
    items = document.values() if isinstance(document, dict) else document
    return any(_has(item, wanted, keys) for item in items)


def _covers(document: Document | None, wanted: Document | None, keys: dict[str, bytes]) -> bool:
    if isinstance(document, str) and isinstance(wanted, str):
        return keys[document] == keys[wanted]
    if isinstance(document, list) and isinstance(wanted, list):
        return all(any(_covers(item, one, keys) for item in document) for one in wanted)
    if isinstance(document, dict) and isinstance(wanted, dict):
        return all(name in document and _covers(document[name], one, keys) for name, one in wanted.items())
    return document is None and wanted is None
