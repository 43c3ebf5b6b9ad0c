"""Which names call functions that there are already."""

from __future__ import annotations

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from tqp.functions import aggregates, registry, windows
from tqp.functions.names import is_named
from tqp.functions.tables import table_functions
from tqp.keywords import CALLED_SPECIALLY, RESERVED
from tqp.sql.dialect import STAND_INS
from tqp.sql.expr import has_meaning
from tqp.sql.known_names import is_inner

__all__ = ["is_builtin"]

_ARGUMENTS = ("", "1", "1, 2", "1, 2, 3")


def is_builtin(name: str) -> bool:
    """Whether a call of this name means something without the functions of users, or is none: the name is a word of SQL."""
    name = name.lower()
    if name.upper() in RESERVED | CALLED_SPECIALLY or name.upper() in STAND_INS:
        return True
    if not is_named(name) and is_inner(name):
        return False
    if (
        name in table_functions()
        or registry.is_registered(name)
        or aggregates.find_aggregate(name)
        or windows.find_window(name)
    ):
        return True
    for arguments in _ARGUMENTS:
        try:
            tree = parse_one(f"SELECT {name}({arguments})", dialect="duckdb")
        except SqlglotError:
            continue
        node = tree.expressions[0] if isinstance(tree, exp.Select) else tree
        if isinstance(node, exp.Anonymous):
            if has_meaning(node):
                return True
        elif not isinstance(node, exp.Func) or has_meaning(node):
            return True
    return False
