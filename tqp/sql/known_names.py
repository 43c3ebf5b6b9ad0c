"""Calls by names that DuckDB does not know, which are refused before anything is bound."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from sqlglot import exp

from tqp.functions.names import INNER, is_named, is_plain
from tqp.ir.own import OwnName
from tqp.sql.context import Context
from tqp.sql.expr import has_meaning
from tqp.sql.refusals import refusal
from tqp.sql.spans import word_at
from tqp.sql.stand_ins import is_stand_in

__all__ = ["is_inner", "require_known_names"]


def require_known_names(context: Context, calls: Iterable[exp.Func]) -> None:
    """A gap for each of the calls that would mean something here by a name which calls nothing in DuckDB.

    The parser knows functions of other systems, some of which are nodes that tqp knows by other names, and these have keys that
    are no names at all.
    """
    for node in calls:
        name, is_quoted = _written(node, context.text)
        known = is_plain(name) if is_quoted else is_named(name)
        if name and not known and _is_inner(node) and (has_meaning(node) or isinstance(node, exp.UDTF)):
            found = refusal(name)
            if is_quoted and is_named(name):
                context.gap(
                    node, f'there is no function "{name}"', "what has a syntax of its own stands without quotes"
                )
            else:
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


def _written(node: exp.Func, text: str) -> tuple[str, bool]:
    """The word that calls the function, and whether it is in quotes, where it is no word of syntax; nothing where it was not called
    by one."""
    written, is_quoted = word_at(node, text)
    if isinstance(node, exp.Anonymous):
        written = "" if isinstance(node.this, OwnName) or is_stand_in(node.name) else node.name
    return (written if written.isidentifier() else ""), is_quoted
