"""What the `dev` extra promises is there: a test never skips because a library is missing."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import distribution
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]


def _libraries(extra: str) -> set[str]:
    found = set()
    for requirement in EXTRAS[extra]:
        name, parts = re.fullmatch(r"([\w.-]+)(?:\[([\w,-]+)\])?.*", requirement).groups()
        is_own = name == "tensor-query-processor"
        found |= set().union(*map(_libraries, parts.split(","))) if is_own else {name}
    return found


@pytest.mark.parametrize("name", sorted(_libraries("dev")))
def test_dev_brings_it(name: str) -> None:
    assert distribution(name).version


def test_no_test_skips_itself_for_want_of_a_library() -> None:
    skipping = re.compile(r"importorskip\(|except (ImportError|ModuleNotFoundError)")
    own = Path(__file__)
    found = [path.name for path in (ROOT / "tests").rglob("*.py") if path != own and skipping.search(path.read_text())]
    assert not found
