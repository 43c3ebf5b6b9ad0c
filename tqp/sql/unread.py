"""What of a query nobody read.

The parser knows more clauses than tqp, and other dialects than DuckDB's; whatever the binder does not look at would be dropped
in silence. So every argument of every syntax node that says something keeps whether it was looked up, and what nobody looked
up is refused. A handler needs no line here: reading an argument, by `node.args.get("x")` or by a property, is what counts.
What a handler reads without using is therefore its own lie.

- `watch(tree)` starts this, once, after parsing. A copy of a node shares the memory of the original.
- Loops over all arguments (`walk`, `copy`, `==`, `args.items()`) do not count. A handler that binds whatever a node holds takes
  `operands(node)`: the nodes then count as read, the flags between them (`safe`, `null_ordering`, …) do not.
- `discard(node)`: all below is dealt with, because it was refused already or because DuckDB does not look at it either.
- `unnoticed(node)`: what reads in order to show the text, not to act upon it.
- `unread(tree)`: the arguments left, the topmost of each branch.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlglot import exp

__all__ = ["clause_of", "discard", "operands", "unnoticed", "unread", "watch"]


class _Key(str):
    """The name of an argument, which notices that it is looked up.

    A dict compares the key asked for with its own, and so calls `__eq__` of this one, also from the compiled properties of
    sqlglot, which would pass by an overridden `get`. Iteration compares nothing, and a key found by itself is identical.
    """

    was_read = False

    def __eq__(self, other: object) -> bool:
        self.was_read = True
        return str.__eq__(self, other)

    __hash__ = str.__hash__


# How a text was written, which changes nothing that tqp does.
_SPELLING = frozenset({
    (exp.CTE, "materialized"),  # how DuckDB computes it
    (exp.DataType, "nested"),  # LIST(x) or STRUCT(x): its kind says so too
    (exp.Identifier, "quoted"),  # names are compared without case, quoted or not
    (exp.Literal, "is_string"),
    (exp.TryCast, "safe"),  # its class says so
})  # fmt: skip

# Flags that the parser of DuckDB's dialect always sets, to what the functions here do. With another value they are refused, but
# that one is *missing*, as in dialects that mean something else, nobody notices: a dialect must look at these to be supported.
_AS_DUCKDB: dict[tuple[type[exp.Expr], str], object] = {
    (exp.Concat, "coalesce"): True,  # NULL is no text
    (exp.Concat, "safe"): True,  # of any type
    (exp.ConcatWs, "coalesce"): True,
    (exp.ConcatWs, "safe"): True,
    (exp.Count, "big_int"): True,  # gives BIGINT
    (exp.DPipe, "safe"): True,  # of any type
    (exp.DateDiff, "date_part_boundary"): True,  # counts the boundaries between, not whole units
    (exp.Greatest, "ignore_nulls"): True,
    (exp.Least, "ignore_nulls"): True,
    (exp.RegexpExtract, "null_if_pos_overflow"): True,  # a position, which DuckDB has not
    (exp.RegexpReplace, "single_replace"): True,  # the first match alone
}


def watch(tree: exp.Expr) -> None:
    """Begin to notice which arguments of the tree are read."""
    for node in tree.walk():
        node.args = {_Key(name) if _says_something(value) else name: value for name, value in node.args.items()}


def operands(node: exp.Expr) -> list[exp.Expr]:
    """The nodes that a node holds, in the order that its kind declares; each counts as read, flags do not."""
    found: list[exp.Expr] = []
    for name in node.arg_types:
        values = _peek(node).get(name)
        parts = [part for part in (values if isinstance(values, list) else [values]) if isinstance(part, exp.Expr)]
        if parts:
            node.args.get(name)
            found += parts
    return found


def discard(node: exp.Expr) -> None:
    """All below the node is dealt with."""
    for key in _keys(node):
        key.was_read = True


@contextmanager
def unnoticed(node: exp.Expr) -> Iterator[None]:
    """What is read of the node in here does not count."""
    unread_before = [key for key in _keys(node) if not key.was_read]
    yield
    for key in unread_before:
        key.was_read = False


def unread(tree: exp.Expr) -> Iterator[tuple[exp.Expr, str]]:
    """The nodes and the names of their arguments that say something and were not read, without those below one."""
    stack = [tree]
    while stack:
        node = stack.pop()
        for key, value in node.args.items():
            if isinstance(key, _Key) and not key.was_read:
                place = (type(node), str(key))
                if place == (exp.CTE, "this") and isinstance(value, exp.Query):
                    continue  # not used: as DuckDB, which does not look at it either
                if place not in _SPELLING and _AS_DUCKDB.get(place, _NOTHING) != value:
                    yield node, place[1]
            elif isinstance(value, exp.Expr):
                stack.append(value)
            elif isinstance(value, list):
                stack += [part for part in value if isinstance(part, exp.Expr)]


def clause_of(node: exp.Expr, name: str) -> str:
    """What SQL calls an argument of a node, as far as its name tells."""
    found = _CLAUSES.get((type(node), name)) or _CLAUSES_ANYWHERE.get(name)
    if found is not None:
        return found
    words = name.strip("_").replace("_", " ")
    if isinstance(node, exp.Query | exp.Table):
        return words.upper()
    if isinstance(node.args[name], bool):
        return f"{node.key.upper()} as this dialect means it ({words})"
    return f"{words.upper()} of {node.key.upper()}"


_CLAUSES_ANYWHERE = {
    "cluster": "CLUSTER BY",
    "connect": "CONNECT BY",
    "distribute": "DISTRIBUTE BY",
    "into": "SELECT INTO",
    "kind": "SELECT AS",
    "laterals": "LATERAL",
    "locks": "FOR UPDATE",
    "match": "MATCH_RECOGNIZE",
    "pivots": "PIVOT",
    "sort": "SORT BY",
    "version": "FOR SYSTEM_TIME",
    "when": "AT",
    "with_": "WITH here",
}
_CLAUSES: dict[tuple[type[exp.Expr], str], str] = {
    (exp.CTE, "key_expressions"): "USING KEY",
    (exp.CTE, "this"): "a WITH that is no query",
    (exp.DataType, "expressions"): "a modifier of this type",
    (exp.Group, "totals"): "WITH TOTALS",
    (exp.Join, "nearest"): "JOIN NEAREST",
    (exp.Limit, "expressions"): "LIMIT BY",
    (exp.With, "search"): "SEARCH and CYCLE",
}


_NOTHING = object()


def _keys(node: exp.Expr) -> Iterator[_Key]:
    for part in node.walk():
        for key in part.args:
            if isinstance(key, _Key):
                yield key


def _peek(node: exp.Expr) -> dict[str, Any]:
    """The arguments under plain names: looked up without being noticed."""
    return {str(name): value for name, value in node.args.items()}


def _says_something(value: Any) -> bool:
    return value is not None and value is not False and value != []
