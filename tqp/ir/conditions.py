"""Conditions as their conjuncts, and back."""

from __future__ import annotations

from tqp.ir import words
from tqp.ir.expr import Call, Expr, Literal
from tqp.types import BOOLEAN

__all__ = ["conjunction", "conjuncts"]


def conjuncts(expr: Expr) -> tuple[Expr, ...]:
    """The operands of nested ANDs, flattened; TRUE gives none."""

    found: list[Expr] = []
    stack = [expr]
    while stack:
        node = stack.pop()
        if isinstance(node, Call) and node.function == words.AND:
            stack.extend(reversed(node.args))
        elif not (isinstance(node, Literal) and node.type == BOOLEAN and node.value is True):
            found.append(node)
    return tuple(found)


def conjunction(parts: tuple[Expr, ...]) -> Expr:
    """AND of the parts; TRUE of none."""
    if not parts:
        return Literal(True, BOOLEAN)
    return parts[0] if len(parts) == 1 else Call(words.AND, parts, BOOLEAN)
