"""The same code runs on CPU and GPU: every tensor is made with its device, every wait for a device is in one place.

Read off the source: a call of a torch factory names `device=`, and, where tensors are computed on, what makes the host wait
is in `tqp/kernels/waits.py` (elsewhere `# host: why` says that no tensor of a device is meant). What the source does not
show, the simulated device does: `tests/device/test_work.py`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "tqp"
FILES = sorted(path for path in ROOT.rglob("*.py"))
WAITING = Path("kernels/waits.py")
COMPUTING = [
    path
    for path in FILES
    if path.relative_to(ROOT).parts[0]
    in ("data", "functions", "io", "kernels", "models", "operators", "physical", "relation.py", "runtime")
    and path.relative_to(ROOT) != WAITING
]
FACTORIES = {"tensor", "zeros", "ones", "full", "empty", "arange", "linspace", "eye", "rand", "randn", "randint"}
WAITS = {"item", "tolist", "cpu", "nonzero", "unique", "unique_consecutive"}
SIZED = {"equal", "masked_select", "nonzero", "repeat_interleave", "unique", "unique_consecutive"}
REDUCTIONS = {"any", "all", "sum", "min", "max", "amin", "amax", "count_nonzero"}


def _calls(path: Path) -> Iterator[ast.Call]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            yield node


def _statements(path: Path) -> Iterator[tuple[ast.Call, str]]:
    """The calls, each with the text of its statement; where that has others within, with the lines of the call."""
    text = path.read_text()
    tree, lines = ast.parse(text), text.splitlines()
    simple = [node for node in ast.walk(tree) if isinstance(node, ast.stmt) and not hasattr(node, "body")]
    around = {node: one for one in simple for node in ast.walk(one) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            shown = around.get(node, node)
            yield node, "\n".join(lines[shown.lineno - 1 : shown.end_lineno])


def _waits(call: ast.Call) -> bool:
    """Whether the call brings values to the host: `x.item()`, `torch.equal(x, y)`, `int(x.sum())`, …"""
    if isinstance(call.func, ast.Attribute):
        of_torch = ast.unparse(call.func.value) == "torch"
        is_repeat = call.func.attr == "repeat_interleave" and not any(key.arg == "output_size" for key in call.keywords)
        to_host = call.func.attr == "to" and "cpu" in ast.unparse(call)
        in_torch = of_torch and call.func.attr in SIZED - {"repeat_interleave"}
        return to_host or in_torch or is_repeat or not of_torch and call.func.attr in WAITS and not call.args
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
def test_waits_are_in_one_place(path: Path) -> None:
    elsewhere = [_name(path, call) for call, text in _statements(path) if _waits(call) and "# host:" not in text]
    assert not elsewhere, "tqp.kernels.waits has a function for that; what is no tensor of a device says `# host: why`"


def test_the_scan_finds_what_it_looks_for(tmp_path: Path) -> None:
    sample = tmp_path / "sample.py"
    lines = [
        "x = torch.zeros(3)",
        "y = x.item()",
        "z = bool((x > 1).any())",
        "w = int('3')",
        "v = torch.unique(x, return_counts=True)",
        "u = x.repeat_interleave(y)",
        "t = x.repeat_interleave(y, output_size=3)",
        "s = x.to(torch.device('cpu'))",
        "r = x.to(torch.int64)",
        "q = torch.equal(x, y)",
    ]
    sample.write_text("\n".join(lines))
    found = [call.func.attr for call in _calls(sample) if isinstance(call.func, ast.Attribute)]
    assert {"zeros", "item"} <= set(found)
    assert {call.lineno for call in _calls(sample) if _waits(call)} == {2, 3, 5, 6, 8, 10}
