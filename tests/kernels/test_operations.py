"""Every form of every operation gives what its plain form gives on the CPU, on every device at hand; and can be traced, or says no."""

from __future__ import annotations

import ast
import pkgutil
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.fx.experimental.proxy_tensor import make_fx

import tqp.kernels
from tests.kernels.arguments import ARGUMENTS, KNOWS_LESS, MEANING
from tqp.device import TYPES
from tqp.kernels import rows, waits
from tqp.kernels.operation import ACCELERATOR, OPERATIONS, NotTraceable, Operation, Variant, operation, tracing

for module in pkgutil.iter_modules(tqp.kernels.__path__, "tqp.kernels."):
    import_module(module.name)

NAMES = sorted(OPERATIONS)
CPU = torch.device("cpu")
DEVICES = [torch.device(name) for name, kind in TYPES.items() if kind.count()]


def _forms(known: Operation, device: torch.device) -> list[Variant[..., Any]]:
    """What may run on a device: variants, and the plain form. Those for accelerators run anywhere."""
    variants = [item for item in known.variants if item.runs_on(device.type) or item.on == ACCELERATOR]
    return [Variant(known.plain, device.type, "right everywhere"), *variants]


def _each(change: Callable[[Tensor], Tensor], value: Any) -> Any:
    """The value with all tensors in it changed."""
    if isinstance(value, Tensor):
        return change(value)
    if isinstance(value, list | tuple):
        return type(value)(_each(change, item) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{item.name: _each(change, getattr(value, item.name)) for item in fields(value)})
    return value


def _tensors(value: Any) -> list[Tensor]:
    """All tensors in the value."""
    found: list[Tensor] = []

    def noted(tensor: Tensor) -> Tensor:
        found.append(tensor)
        return tensor

    _each(noted, value)
    return found


def _strided(value: Any) -> Any:
    """The same values with gaps in memory."""
    return _each(lambda tensor: tensor.repeat_interleave(2, 0)[::2] if tensor.ndim else tensor, value)


def _copied(value: Any) -> Any:
    return _each(torch.clone, value)


def _on(value: Any, device: torch.device) -> Any:
    return _each(lambda tensor: tensor.to(device), value)


def _meaning(name: str, result: Any, args: Any) -> Any:
    result = _on(result, CPU)
    return MEANING[name](result, *args) if name in MEANING else result


def _assert_same(result: Any, wanted: Any) -> None:
    if isinstance(wanted, Tensor):
        assert result.dtype is wanted.dtype and result.shape == wanted.shape
        torch.testing.assert_close(result, wanted, equal_nan=True)
    elif isinstance(wanted, tuple | list):
        assert len(result) == len(wanted)
        for one, other in zip(result, wanted, strict=True):
            _assert_same(one, other)
    elif is_dataclass(wanted):
        assert type(result) is type(wanted)
        for item in fields(wanted):
            _assert_same(getattr(result, item.name), getattr(wanted, item.name))
    else:
        assert result == wanted


def _reasons(log: waits.Log) -> list[tuple[str, int]]:
    return sorted((wait.why, count) for wait, count in log.counts().items())


def test_every_operation_has_arguments() -> None:
    assert sorted(ARGUMENTS) == NAMES
    assert set(MEANING) <= set(NAMES)


@pytest.mark.parametrize("device", DEVICES, ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_forms_agree(name: str, device: torch.device) -> None:
    known = OPERATIONS[name]
    for form in _forms(known, device):
        _check_form(known, form, device)


def _check_form(known: Operation, form: Variant[..., Any], device: torch.device) -> None:
    fitting = 0

    # That a form is for few of the arguments is no fault; that it was for some is asked below.
    @settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.filter_too_much])
    @given(ARGUMENTS[known.name], st.booleans())
    def check(args: Any, gaps: bool) -> None:
        nonlocal fitting
        with waits.logging() as log:
            wanted = _meaning(known.name, known.plain(*map(_copied, args)), args)
        there = [_on(_strided(value) if gaps else value, device) for value in args]
        assume(form.when is None or form.when(*there))
        fitting += 1
        before = [_copied(value) for value in there]
        with waits.logging() as own:
            result = form.run(*there)
        _assert_same(_meaning(known.name, result, args), wanted)
        if form.runs_on(CPU.type) and known.name not in KNOWS_LESS:
            assert _reasons(own) == _reasons(log), "it notes what the plain form waits for"
        for place, (one, other) in enumerate(zip(before, there, strict=True)):
            if isinstance(one, Tensor):
                # As in torch: what ends in _ changes its first argument, and gives it.
                changed = known.name.endswith("_") and place == 0
                _assert_same(_on(other, CPU), _on(result if changed else one, CPU))

    check()
    assert fitting > 5, f"arguments that fit {form.run.__name__} are rare"


@pytest.mark.parametrize("name", NAMES)
def test_a_trace_holds_for_other_values(name: str) -> None:
    """What is traced is right for other values of the same shapes, too: no value has become part of it."""
    known = OPERATIONS[name]
    if any(variant.of_constants for variant in known.variants):
        return

    @settings(deadline=None, max_examples=5)
    @given(ARGUMENTS[name], st.randoms(use_true_random=False))
    def check(args: Any, random: Any) -> None:
        if known.untraceable:
            with tracing(), pytest.raises(NotTraceable, match=known.untraceable):
                _called(name)(*args)
            return
        tensors = _tensors(args)
        assume(all(tensor.numel() for tensor in tensors))

        def call(*given: Tensor) -> Any:
            left = iter(given)
            return _tensors(_called(name)(*_each(lambda _: next(left), args)))

        try:
            with tracing():
                traced = make_fx(call)(*tensors)
        except NotTraceable as refusal:
            assert str(refusal)
            return
        order = list(range(len(tensors[0])))
        random.shuffle(order)
        others = [tensor[order] if tensor.ndim and len(tensor) == len(order) else tensor for tensor in tensors]
        left = iter(others)
        _assert_same(traced(*_copied(others)), _tensors(known.plain(*_each(lambda _: next(left), args))))

    check()


def _called(name: str) -> Any:
    module, function = name.split(".")
    return getattr(import_module(f"tqp.kernels.{module}"), function)


def test_the_choice() -> None:
    """The first variant that fits runs; while tracing the plain form does."""

    def small(x: Tensor) -> str:
        return "small"

    def away(x: Tensor) -> str:
        return "away"

    @operation(
        Variant(small, "cpu", "why", lambda x: x.numel() < 3),
        Variant(lambda x: "on the host", "cpu", "why"),
        Variant(away, "accelerator", "why"),
    )
    def chosen(x: Tensor) -> str:
        return "plain"

    @operation(untraceable="for a reason")
    def plain_only(x: Tensor) -> str:
        return "plain"

    try:
        assert chosen(torch.zeros(2, device="cpu")) == "small"
        assert chosen(torch.zeros(3, device="cpu")) == "on the host"
        assert chosen(torch.zeros(3, device="meta")) == "away"
        assert [item.run for item in OPERATIONS["test_operations.chosen"].on("cuda")] == [away]
        with tracing():
            assert chosen(torch.zeros(2, device="cpu")) == "plain"
            with pytest.raises(NotTraceable, match="for a reason"):
                plain_only(torch.zeros(2, device="cpu"))
        assert plain_only(torch.zeros(2, device="cpu")) == "plain"
    finally:
        for name in ("chosen", "plain_only"):
            del OPERATIONS[f"test_operations.{name}"]


def test_a_wrong_variant_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test above can fail: with a variant that loses the last row it does."""
    right = OPERATIONS["rows.select"]
    wrong = Variant(lambda mask: rows.select(mask)[:-1], "cpu", "wrong")
    monkeypatch.setitem(OPERATIONS, "rows.select", Operation(right.name, right.plain, (wrong,), ""))
    with pytest.raises(AssertionError):
        test_forms_agree("rows.select", CPU)


COMPOSED = {
    "distances.blocks": "pairs are cut into blocks on the host",
    "distances.jaro": "as wide as the most bytes that two texts share",
    "frequent.cuts": "frames are cut into blocks on the host",
    "wide.to_python": "numbers of a host, for messages and results",
}
"""Public kernels that wait and are no operations, and why."""


def _waiting(module: Path) -> set[str]:
    """The functions of a module that wait, or that call private ones that do."""
    functions = {node.name: node for node in ast.parse(module.read_text()).body if isinstance(node, ast.FunctionDef)}
    waiting: set[str] = set()
    before = -1
    while len(waiting) > before:
        before = len(waiting)
        for name, function in functions.items():
            called = {ast.unparse(node.func) for node in ast.walk(function) if isinstance(node, ast.Call)}
            if any(call.startswith("waits.") or call.startswith("_") and call in waiting for call in called):
                waiting.add(name)
    return waiting


def test_what_waits_is_an_operation() -> None:
    """A public kernel that waits by itself has a course that depends on values."""
    public: set[str] = set()
    for module in Path(tqp.kernels.__path__[0]).glob("*.py"):
        if module.stem not in ("waits", "operation"):
            public |= {f"{module.stem}.{name}" for name in _waiting(module) if not name.startswith("_")}
    assert len(public) > 15
    assert public - set(OPERATIONS) == set(COMPOSED)
