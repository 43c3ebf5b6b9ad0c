"""Modules import one another in one direction, also where only types are imported."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in (ROOT / "tqp").rglob("*.py")
}
MEANT = {
    frozenset({"tqp.ir.dependent", "tqp.ir.expr", "tqp.ir.pivot", "tqp.ir.plan", "tqp.ir.plan_node", "tqp.ir.window"}),
    frozenset({"tqp.expressions.constructors", "tqp.expressions.expression", "tqp.expressions.families"}),
}
"""Expressions hold the plans of subqueries, and plans, which some files have, hold expressions. Those of Python give others by
their methods `str()` and its kin, which are expressions."""


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _reached(start: str, imports: dict[str, set[str]]) -> set[str]:
    found: set[str] = set()
    pending = [start]
    while pending:
        new = imports[pending.pop()] - found
        found |= new
        pending += new
    return found


def circles(imports: dict[str, set[str]]) -> set[frozenset[str]]:
    """The sets of modules that all import one another, by way of others or not."""
    reached = {module: _reached(module, imports) for module in imports}
    return {
        frozenset(other for other in found if module in reached[other])
        for module, found in reached.items()
        if module in found
    }


def test_modules_import_in_one_direction() -> None:
    # A package may name its own modules: what imports one of them does not import the package's text.
    imports = {
        module: {name for name in _imported(path) if name in MODULES and name != module and not _holds(name, path)}
        for module, path in MODULES.items()
    }
    assert sum(map(len, imports.values())) > 1000
    assert circles(imports) == MEANT


def _holds(name: str, path: Path) -> bool:
    return MODULES[name].name == "__init__.py" and MODULES[name].parent in path.parents


def test_circles_are_found() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set()}) == {frozenset({"b", "c"})}
