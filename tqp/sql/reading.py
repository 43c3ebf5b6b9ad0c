"""A text that was bound: whether all of it was read, and what that is called which was not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from tqp.sql.context import Context
from tqp.sql.unread import all_read, unread

__all__ = ["name_clause", "require_read"]

_CLAUSES: Final[dict[str, tuple[str, str | None]]] = {}
_ARGUMENTS: Final[dict[tuple[type[exp.Expr], str], str]] = {
    (exp.CTE, "key_expressions"): "USING KEY",
    (exp.CTE, "this"): "a WITH that is no query",
    (exp.DataType, "expressions"): "a modifier of this type",
    (exp.Group, "totals"): "WITH TOTALS",
    (exp.Join, "nearest"): "JOIN NEAREST",
    (exp.Limit, "expressions"): "LIMIT BY",
    (exp.Table, "version"): "FOR SYSTEM_TIME",
    (exp.Table, "when"): "AT",
    (exp.With, "search"): "SEARCH and CYCLE",
}
"""What SQL calls arguments of other nodes."""


def name_clause(argument: str, name: str, instead: str | None = None) -> None:
    """Let an argument of a query that nobody read be refused as the clause of that name, with what to write `instead`."""
    _CLAUSES[argument] = name, None if instead is None else f"write {instead}"


def require_read(context: Context, tree: exp.Expr, watched: Sequence[str]) -> None:
    """One UnsupportedError for all that is not supported: the gaps that were met, and each part that nobody looked at."""
    if not all_read(watched):
        for node, name in unread(tree):
            value = node.args[name]
            first = value[0] if isinstance(value, list) else value
            what, instead = _called(node, name)
            context.gap(first if isinstance(first, exp.Expr) else node, f"{what} is not supported", hint=instead)
    context.raise_gaps()


def _called(node: exp.Expr, name: str) -> tuple[str, str | None]:
    """What SQL calls an argument of a node, as far as its name tells, and what to write instead."""
    clause = _CLAUSES.get(name) if isinstance(node, exp.Query | exp.Table | exp.Values) else None
    if clause is not None:
        return clause
    found = _ARGUMENTS.get((type(node), name))
    if found is not None:
        return found, None
    words = name.strip("_").replace("_", " ")
    if isinstance(node, exp.Query | exp.Table):
        return words.upper(), None
    if isinstance(node.args[name], bool):
        return f"{node.key.upper()} as this dialect means it ({words})", None
    return f"{words.upper()} of {node.key.upper()}", None
