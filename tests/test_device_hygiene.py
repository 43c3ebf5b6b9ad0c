"""The same code runs on CPU and GPU: every tensor is made with its device, every wait for a device is marked.

Read off the source: a call of a torch factory names `device=`, and, where tensors are computed on, a call that makes the
host wait carries `# sync: why` (`# host:` where the object of that name is no tensor).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "tqp"
FILES = sorted(path for path in ROOT.rglob("*.py"))
COMPUTING = [
    path for path in FILES if path.relative_to(ROOT).parts[0] in ("functions", "kernels", "physical", "runtime")
]
FACTORIES = {"tensor", "zeros", "ones", "full", "empty", "arange", "linspace", "eye", "rand", "randn", "randint"}
WAITS = {"item", "tolist", "cpu", "nonzero"}
REDUCTIONS = {"any", "all", "sum", "min", "max", "amin", "amax", "count_nonzero"}


def _calls(path: Path) -> Iterator[ast.Call]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            yield node


def _waits(call: ast.Call) -> bool:
    """Whether the call brings values to the host: `x.item()`, `torch.equal(x, y)`, `int(x.sum())`, …"""
    if isinstance(call.func, ast.Attribute):
        return call.func.attr in WAITS and not call.args or ast.unparse(call.func) == "torch.equal"
    if not isinstance(call.func, ast.Name) or call.func.id not in ("int", "bool", "float") or not call.args:
        return False
    inner = call.args[0].func if isinstance(call.args[0], ast.Call) else None
    return isinstance(inner, ast.Attribute) and inner.attr in REDUCTIONS


def _name(path: Path, node: ast.AST) -> str:
    return f"{path.relative_to(ROOT.parent)}:{getattr(node, 'lineno', 0)}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_tensor_is_made_with_its_device(path: Path) -> None:
    loose = [
        _name(path, call)
        for call in _calls(path)
        if isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id == "torch"
        and call.func.attr in FACTORIES
        and not any(keyword.arg == "device" for keyword in call.keywords)
    ]
    assert not loose


@pytest.mark.parametrize("path", COMPUTING, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_wait_is_marked(path: Path) -> None:
    lines = path.read_text().splitlines()
    unmarked = []
    for call in _calls(path):
        if not _waits(call):
            continue
        text = lines[call.lineno - 1 : (call.end_lineno or call.lineno)]
        if not any("# sync:" in line or "# host:" in line for line in text):
            unmarked.append(_name(path, call))
    assert not unmarked


def test_the_scan_finds_what_it_looks_for(tmp_path: Path) -> None:
    sample = tmp_path / "sample.py"
    sample.write_text("import torch\nx = torch.zeros(3)\ny = x.item()\nz = bool((x > 1).any())\nw = int('3')\n")
    found = [call.func.attr for call in _calls(sample) if isinstance(call.func, ast.Attribute)]
    assert {"zeros", "item"} <= set(found)
    assert {call.lineno for call in _calls(sample) if _waits(call)} == {3, 4}
