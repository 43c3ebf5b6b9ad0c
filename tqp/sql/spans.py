"""The words of a text at which syntax nodes stand."""

from __future__ import annotations

from sqlglot import exp

__all__ = ["word_at"]


def word_at(node: exp.Expr, text: str) -> tuple[str, bool]:
    """The word that stands at a node's place, without its quotes, and whether it has some; an empty one where it has no place."""
    meta = node._meta
    written = text[meta["start"] : meta["end"] + 1] if meta and "start" in meta else ""
    is_quoted = len(written) > 1 and written[0] == written[-1] == '"'
    return (written[1:-1].replace('""', '"') if is_quoted else written), is_quoted
