"""What a query reads that is made around it: columns of a query further out, rows of a recursion."""

from __future__ import annotations

from tqp.ir.dependent import Recursion, Working
from tqp.ir.plan import Plan, Shared
from tqp.ir.visit import definitions, free_symbols, walk_query

__all__ = ["iterates", "outer_symbols"]


def outer_symbols(plan: Plan) -> frozenset[str]:
    """Symbols that a query, its definitions included, reads and does not produce.

    A definition reads what the tree around it produces. The plan of a relation that was made before is a definition whose
    symbols may be those of other columns here.
    """
    found: dict[Plan, frozenset[str]] = {}
    for tree in (*definitions(plan), plan):
        nodes = list(walk_query(tree))
        read = free_symbols(tree).union(*(found[node.definition] for node in nodes if isinstance(node, Shared)))
        found[tree] = read.difference(field.symbol for node in nodes for field in node.schema)
    return found[plan]


def iterates(plan: Plan) -> bool:
    """Whether it reads what a recursion around it gave, and so has other rows at each step."""
    nodes = [node for tree in (*definitions(plan), plan) for node in walk_query(tree)]
    own = {node.name for node in nodes if isinstance(node, Recursion)}
    return any(isinstance(node, Working) and node.name not in own for node in nodes)
