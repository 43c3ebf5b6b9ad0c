"""The words of a text at which syntax nodes stand."""

from __future__ import annotations

from sqlglot import exp

from tqp.errors import Location

__all__ = ["location_of", "span_of", "word_at"]


def word_at(node: exp.Expr, text: str) -> tuple[str, bool]:
    """The word that stands at a node's place, without its quotes, and whether it has some; an empty one where it has no place."""
    meta = node._meta
    written = text[meta["start"] : meta["end"] + 1] if meta and "start" in meta else ""
    is_quoted = len(written) > 1 and written[0] == written[-1] == '"'
    return (written[1:-1].replace('""', '"') if is_quoted else written), is_quoted


def span_of(node: exp.Expr) -> tuple[int, int] | None:
    """First and last offset of the word at the node or the first below it that has a place."""
    for part in node.walk():
        meta = part._meta
        if meta and "start" in meta:
            return meta["start"], meta["end"]
    return None


def location_of(node: exp.Expr | None, text: str) -> Location | None:
    """Where the node, or the nearest one around it, stands in the text."""
    while node is not None:
        span = span_of(node)
        if span is not None:
            return Location.at(text, span[0])
        node = node.parent
    return None
