"""Functions that are not supported: errors in the words of the query, and what to write instead."""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import cache
from typing import Final

from sqlglot import exp

from tqp.catalog.definitions import COLUMN_FUNCTIONS, SYSTEM_FUNCTIONS
from tqp.errors import UnsupportedError
from tqp.functions import registry as scalars
from tqp.functions import windows
from tqp.functions.aggregates import registry as aggregates
from tqp.functions.names import is_named
from tqp.functions.tables.registry import table_functions
from tqp.io.files import READERS
from tqp.sql.elsewhere import INSTEAD
from tqp.sql.spans import word_at

__all__ = ["functions_of_from", "refusal", "spoken", "written_name"]

_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def refusal(name: str, kind: str = "function") -> UnsupportedError:
    """The error for a call of a function that there is not, by its name as written."""
    name = name.lower()
    if name in functions_of_from():
        return UnsupportedError(f"{name} is a table function, which stands in FROM", hint=f"SELECT … FROM {name}(…)")
    near = get_close_matches(name, _known(kind), n=3, cutoff=0.7)
    hint = f"did you mean {', '.join(near)}?" if near else None
    if not near or name in INSTEAD:
        other = get_close_matches(name, INSTEAD, n=1, cutoff=0.8)
        hint = f"write {INSTEAD[other[0]]}" if other else None
    if not is_named(name):
        return UnsupportedError(
            f"there is no {kind} {name}", hint=hint or "docs/sql.md lists the functions that there are"
        )
    return UnsupportedError(f"{kind} {name} is not supported", hint=hint)


def functions_of_from() -> frozenset[str]:
    """The names of all functions that FROM takes: table functions, readers of files, and tables that describe the connection."""
    return frozenset({*table_functions(), *READERS, *SYSTEM_FUNCTIONS, *COLUMN_FUNCTIONS})


def written_name(node: exp.Expr, text: str) -> str:
    """What a query calls the function of a syntax node: the word at its place, else a name that SQL has for it."""
    if isinstance(node, exp.Anonymous):
        return node.name.lower()
    written, _ = word_at(node, text)
    if written.isidentifier():
        return written.lower()
    return node.sql_name().lower() if isinstance(node, exp.Func) else spoken(node)


def spoken(node: exp.Expr) -> str:
    """What a piece of syntax is called, in words."""
    return _HUMP.sub(" ", type(node).__name__).upper()


@cache
def _known(kind: str) -> tuple[str, ...]:
    """The names that a query may write, without those that only the parser has."""
    if kind == "aggregate":
        return aggregates.names()
    return tuple(sorted(filter(is_named, {*scalars.names(), *aggregates.names(), *windows.names()})))
