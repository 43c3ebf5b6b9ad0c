"""What an installation brings, told from what the distributions here say that they need."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

__all__ = ["BLOCKED", "PROJECT", "importable", "others"]

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
_HERE = {"xgboost": "xgboost-cpu"}
"""The distribution that the tests have in the place of another one of the same modules."""

BLOCKED = """
import sys
from importlib.machinery import PathFinder

blocked = {blocked}
found = PathFinder.find_spec
PathFinder.find_spec = lambda name, *more: None if name.partition(".")[0] in blocked else found(name, *more)
"""
"""The head of a script in which nothing of the set `blocked` can be imported."""


def importable(requirements: Iterable[str]) -> set[str]:
    """The modules of these distributions and of all that they need."""
    known = set[tuple[str, str]]()
    waiting = [(Requirement(text), "") for text in requirements]
    while waiting:
        wanted, extra = waiting.pop()
        if wanted.marker is not None and not wanted.marker.evaluate({"extra": extra}):
            continue
        name = canonicalize_name(wanted.name)
        for part in {"", *wanted.extras}:
            if (name, part) not in known:
                known.add((name, part))
                try:
                    needed = metadata.requires(_HERE.get(name, name)) or ()
                except metadata.PackageNotFoundError:
                    continue
                waiting += [(Requirement(text), part) for text in needed]
    homes = metadata.packages_distributions().items()
    names = {_HERE.get(name, name) for name, _ in known}
    return {module for module, owners in homes if names & {canonicalize_name(owner) for owner in owners}}


def others(requirements: Iterable[str]) -> set[str]:
    """The modules that can be imported here and belong neither to these distributions, nor to what they need, nor to the checkout."""
    return set(metadata.packages_distributions()) - importable(requirements) - {"tqp", "tpch", "tests"}
