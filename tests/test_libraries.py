"""What the `dev` extra promises is there: a test never skips because a library is missing. Without the others errors say what to install."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib.metadata import distribution
from pathlib import Path

import pytest

from tpch.needed import EXTRAS as NEEDED

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


def test_programs_of_a_checkout_name_what_is_missing(tmp_path: Path) -> None:
    """In one process for all of them: each fails before it has done anything, with the command that installs what it needs."""
    assert set(NEEDED.values()) <= set(EXTRAS)
    script = _PROGRAMS.format(blocked=sorted(NEEDED), data=str(tmp_path))
    run = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    said = run.stdout.split("=== ")[1:]
    assert [text.split()[-1] for text in said] == ["2"] * len(said), run.stdout
    extra = {text.splitlines()[0]: re.findall(r"tensor-query-processor\[([a-z]+)\]", text) for text in said}
    assert extra == {
        "benchmarks.workloads": ["verify"],
        "benchmarks.language": ["verify"],
        "benchmarks.orders": ["verify"],
        "benchmarks.ablations": ["verify"],
        "benchmarks.shapes": ["verify"],
        "benchmarks.demo_predict": ["models"],
        "benchmarks.plots": ["plots"],
    }


_PROGRAMS = """
import os
import sys
from contextlib import redirect_stderr
from importlib import import_module
from importlib.machinery import PathFinder

found = PathFinder.find_spec
PathFinder.find_spec = lambda name, *more: None if name.partition(".")[0] in {blocked} else found(name, *more)
os.environ["TQP_DATA"] = {data!r}
for name, *arguments in (
    ("benchmarks.workloads", "--only", "star", "--rows", "1000"),
    ("benchmarks.language", "--rows", "1000"),
    ("benchmarks.orders", "--only", "star"),
    ("benchmarks.ablations", "--rows", "1000", "--only", "star"),
    ("benchmarks.shapes", "--scale", "0.001"),
    ("benchmarks.demo_predict",),
    ("benchmarks.plots", "--to", {data!r}),
):
    module = import_module("benchmarks.workloads.__main__" if name == "benchmarks.workloads" else name)
    print("===", name)
    with redirect_stderr(sys.stdout):
        status = module.main(arguments)
    print(status)
"""
