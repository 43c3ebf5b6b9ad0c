"""Calls by names that DuckDB does not know, which are refused before anything is bound."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from sqlglot import exp

from tqp.functions.names import INNER, is_named
from tqp.ir.own import OwnName
from tqp.sql.context import Context
from tqp.sql.expr import has_meaning
from tqp.sql.refusals import refusal
from tqp.sql.stand_ins import is_stand_in

__all__ = ["is_inner", "require_known_names"]


def require_known_names(context: Context, calls: Iterable[exp.Func]) -> None:
    """A gap for each of the calls that would mean something here by a name which calls nothing in DuckDB.

    The parser knows functions of other systems, some of which are nodes that tqp knows by other names, and these have keys that
    are no names at all.
    """
    for node in calls:
        name = _written(node, context.text)
        if name and not is_named(name) and _is_inner(node) and (has_meaning(node) or isinstance(node, exp.UDTF)):
            found = refusal(name)
            context.gap(node, found.message, found.hint)
            if not isinstance(node.parent, exp.Table):
                # Nobody need look at its arguments.
                node.replace(exp.Null())


def _is_inner(node: exp.Func) -> bool:
    """Whether it is a call that the parser has a node for, or by what tqp calls such a node, or a function of plans alone."""
    return not isinstance(node, exp.Anonymous) or is_inner(node.name)


def is_inner(name: str) -> bool:
    """Whether the parser, or tqp for itself, has something of that name."""
    return name.lower() in _keys() or name.upper() in exp.FUNCTION_BY_NAME


@cache
def _keys() -> frozenset[str]:
    kinds = (kind for kind in vars(exp).values() if isinstance(kind, type) and issubclass(kind, exp.Expr))
    return INNER | {kind.key for kind in kinds}


def _written(node: exp.Func, text: str) -> str:
    """The word that calls the function; nothing where it was not called by one."""
    if isinstance(node, exp.Anonymous):
        return "" if isinstance(node.this, OwnName) or is_stand_in(node.name) else node.name
    meta = node._meta
    written = text[meta["start"] : meta["end"] + 1] if meta and "start" in meta else ""
    return written if written.isidentifier() else ""
