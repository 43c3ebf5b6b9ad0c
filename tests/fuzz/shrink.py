"""Makes a query that fails smaller, as long as it fails in the same way."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

_TRIES = 250


def shrink(sql: str, failure: str, fails: Callable[[str], str | None]) -> str:
    """The failure of the smallest query found; `fails` gives the failure of a query, None where it has none."""
    kind = _kind(failure)
    smallest, tries = sql, 0
    progress = True
    while progress and tries < _TRIES:
        progress = False
        for candidate in _smaller(smallest):
            tries += 1
            found = fails(candidate) if len(candidate) < len(smallest) else None
            if found is not None and _kind(found) == kind:
                smallest, failure, progress = candidate, found, True
                break
            if tries >= _TRIES:
                break
    return failure


def _kind(failure: str) -> str:
    """What makes failures alike: their first line without names, numbers and values."""
    line = re.sub(r"\[\{.*?\}\]", "", failure.splitlines()[0])
    return re.sub(r"[\"'].*?[\"']|\d+|\(.*?\)", "", line)[:60]


def _smaller(sql: str) -> Iterator[str]:
    """Queries with one part less, the greatest parts first."""
    try:
        count = sum(1 for _ in parse_one(sql, read="duckdb").walk())
    except SqlglotError:
        return
    for place in range(count):
        for change in (_drop, _lift, _blank):
            for choice in range(4):
                tree = parse_one(sql, read="duckdb")
                node = next(node for number, node in enumerate(tree.walk()) if number == place)
                try:
                    changed = change(tree, node, choice)
                    text = None if changed is None else changed.sql("duckdb")
                except (TypeError, ValueError, AttributeError):
                    # The part was not one that a query can be without.
                    continue
                if text is None:
                    break
                yield text


def _drop(tree: exp.Expr, node: exp.Expr, choice: int) -> exp.Expr | None:
    """Without a clause or an item of a list."""
    if choice or node.parent is None:
        return None
    beside = node.parent.args.get(node.arg_key)
    if (
        isinstance(beside, list)
        and len(beside) > 1
        or isinstance(
            node,
            exp.Where
            | exp.Having
            | exp.Order
            | exp.Limit
            | exp.Offset
            | exp.Distinct
            | exp.With
            | exp.Group
            | exp.Join,
        )
    ):
        node.pop()
        return tree
    if isinstance(node.parent, exp.Filter) and node.arg_key == "expression":
        node.parent.replace(node.parent.this)
        return tree
    return None


def _lift(tree: exp.Expr, node: exp.Expr, choice: int) -> exp.Expr | None:
    """With one of its parts in place of a node."""
    parts = [part for part in node.iter_expressions() if isinstance(part, exp.Condition | exp.Query)]
    if choice >= len(parts) or isinstance(node, exp.Column):
        return None
    part = parts[choice].copy()
    if node.parent is None:
        return part if isinstance(part, exp.Query) else None
    node.replace(part)
    return tree


def _blank(tree: exp.Expr, node: exp.Expr, choice: int) -> exp.Expr | None:
    """With a literal in place of a node."""
    if (
        node.parent is None
        or choice
        or not isinstance(node, exp.Condition)
        or isinstance(node, exp.Literal | exp.Boolean | exp.Null)
    ):
        return None
    node.replace(exp.true() if isinstance(node, exp.Predicate | exp.Connector | exp.Not) else exp.Literal.number(1))
    return tree
