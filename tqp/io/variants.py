"""VARIANT as values of Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tqp.data.column import Column
from tqp.functions.casts.cast import leaves_as_column
from tqp.functions.joined_text import strings
from tqp.functions.variant_documents import Document, by_type, parsed, parts

__all__ = ["variants_to_python"]


def variants_to_python(column: Column, to_python: Callable[[Column], list[Any]]) -> list[Any]:
    """The values (n,): of each leaf what `to_python` makes of a column of its type, lists and dicts; None for NULL."""
    texts = strings(column).to_pylist()
    documents = {text: parsed(text) for text in dict.fromkeys(texts) if text}
    known: dict[str, Any] = {}
    for dtype, leaves in by_type(documents.values()).items():
        known.update(zip(leaves, to_python(leaves_as_column([parts(one)[1] for one in leaves], dtype)), strict=True))
    # Values that can be changed are not shared by rows.
    return [_value(documents.get(text), known) for text in texts]


def _value(document: Document | None, known: dict[str, Any]) -> Any:
    if isinstance(document, list):
        return [_value(item, known) for item in document]
    if isinstance(document, dict):
        return {name: _value(item, known) for name, item in sorted(document.items(), key=lambda pair: pair[0].encode())}
    return None if document is None else known[document]
