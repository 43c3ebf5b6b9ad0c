"""What tells the nodes of plans and expressions apart says what it does with each kind, and mypy proves that none is left out."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import get_args

import tqp
from tqp.ir.expr import Expr, ExprNode
from tqp.ir.plan import Plan, PlanNode

PACKAGE = Path(tqp.__file__).parent
KINDS = {kind.__name__ for kind in (*get_args(Plan), *get_args(Expr))}


def test_unions_list_every_node() -> None:
    assert set(get_args(Plan)) == set(PlanNode.__subclasses__())
    assert set(get_args(Expr)) == set(ExprNode.__subclasses__())


def _names_a_kind(pattern: ast.pattern) -> bool:
    """Whether it takes all nodes of a kind; one with parts looks for a form instead."""
    match pattern:
        case ast.MatchOr():
            return any(map(_names_a_kind, pattern.patterns))
        case ast.MatchClass(cls=ast.Name(id=name), patterns=[], kwd_patterns=[]):
            return name in KINDS
        case _:
            return False


def test_matches_over_kinds_end_in_assert_never() -> None:
    found, proven = [], 0
    for file in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if not isinstance(node, ast.Match) or not any(_names_a_kind(case.pattern) for case in node.cases):
                continue
            last = node.cases[-1]
            if isinstance(last.pattern, ast.MatchAs) and last.pattern.pattern is None:
                if "assert_never" in ast.unparse(last.body[0]):
                    proven += 1
                else:
                    found.append(f"{file.relative_to(PACKAGE)}:{node.lineno}")
    assert not found, "a kind may be forgotten in\n" + "\n".join(found)
    assert proven > 30
