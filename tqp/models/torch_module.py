"""Modules, exported programs and plain functions of tensors as models.

A module is copied and put into evaluation mode, so that the one handed in stays as it is. It is called without
gradients, with one float32 matrix (n, inputs), or with one (n,) tensor an input where it was registered so.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from tqp.errors import ModelError, with_article
from tqp.models.features import Feature, dense, matrix
from tqp.models.model import Input, Model
from tqp.types import DOUBLE, FLOAT

__all__ = ["ModulePredictor", "ModuleScores", "import_torch", "is_torch"]


def is_torch(model: object) -> bool:
    """Whether the object is a module, an exported program, or a plain function."""
    return isinstance(model, torch.nn.Module | torch.export.ExportedProgram) or inspect.isfunction(model)


def import_torch(
    name: str,
    model: Any,
    inputs: Sequence[str] | None,
    labels: Sequence[object] | None,
    separate: bool | None,
    kinds: tuple[Input, ...] | None = None,
) -> Model:
    """The model of a callable on tensors.

    `inputs` are the names of its inputs; without them those of a function's parameters, or x1, x2, … by the size of a
    module's first linear layer. `labels`: it gives scores (n, labels), of which the greatest says the label.
    `separate`: it takes one tensor an input; by default so does a function with several parameters, and a module whose
    `forward` has as many as there are inputs, some of them arrays. `kinds`: the inputs with what they take: an array comes
    as a tensor (n, d), float64 or int64 where its elements are DOUBLE or integers, else float32.
    """
    names, takes_columns = _inputs(model, inputs, separate)
    run = _callable(model)
    arity = kinds or tuple(Input(column) for column in names)
    if kinds is not None and any(kind.array is not None for kind in kinds):
        takes_columns = takes_columns or len(kinds) == 1 or len(kinds) == _parameters(model)
    if labels is None:
        outputs, is_single = _outputs(name, run, arity, takes_columns)
        return Model(
            name, arity, (), ModulePredictor(run, arity, takes_columns, _kind(model)), None,
            FLOAT if is_single else DOUBLE, framework="torch", outputs=outputs,
        )  # fmt: skip
    scores = ModuleScores(run, arity, takes_columns, _kind(model))
    return Model(name, arity, (), scores, tuple(labels), FLOAT, False, "torch", kind="classifier")


def _inputs(model: Any, inputs: Sequence[str] | None, separate: bool | None) -> tuple[list[str], bool]:
    if inspect.isfunction(model):
        parameters = [
            parameter.name
            for parameter in inspect.signature(model).parameters.values()
            if parameter.default is parameter.empty and parameter.kind in (0, 1)
        ]
        if separate is None:
            separate = len(parameters) > 1
        names = list(inputs) if inputs is not None else parameters
        if separate and len(names) != len(parameters):
            raise ModelError(f"the function takes {len(parameters)} tensors, but {len(names)} inputs are named")
        return names, separate
    if inputs is not None:
        return list(inputs), bool(separate)
    first = None
    if isinstance(model, torch.nn.Module):
        first = next((part for part in model.modules() if isinstance(part, torch.nn.Linear)), None)
    if first is None:
        raise ModelError(
            f"the inputs of {with_article(type(model).__name__)} are not known",
            hint="name them: inputs=['age', 'income']",
        )
    return [f"x{place}" for place in range(1, first.in_features + 1)], bool(separate)


def _parameters(model: Any) -> int:
    """How many tensors a module's `forward` asks for."""
    if not isinstance(model, torch.nn.Module):
        return 0
    parameters = inspect.signature(model.forward).parameters.values()
    return sum(parameter.default is parameter.empty and parameter.kind in (0, 1) for parameter in parameters)


def _width(input_: Input) -> torch.dtype:
    """The dtype in which an input comes."""
    element = None if input_.array is None else input_.array.element
    if element == DOUBLE:
        return torch.float64
    return torch.int64 if element is not None and element.is_integer else torch.float32


def _callable(model: Any) -> Callable[[torch.device], Callable[..., Any]]:
    """From a device to the callable on it; a module is copied once for each."""
    if inspect.isfunction(model):
        return lambda device: model
    module = copy.deepcopy(model) if isinstance(model, torch.nn.Module) else model.module()
    if isinstance(model, torch.nn.Module):
        module.eval()
    copies: dict[torch.device, torch.nn.Module] = {}

    def on(device: torch.device) -> Callable[..., Any]:
        found = copies.get(device)
        if found is None:
            found = copies[device] = copy.deepcopy(module).to(device)
        return found

    return on


def _kind(model: Any) -> str:
    return str(getattr(model, "__name__", None) or type(model).__name__)


def _outputs(
    name: str, run: Callable[[torch.device], Callable[..., Any]], inputs: tuple[Input, ...], separate: bool
) -> tuple[int, bool]:
    """How many numbers a row it gives, and whether as float32; by calling it for two rows."""
    host = torch.device("cpu")
    sizes = [1 if input_.array is None else input_.array.size for input_ in inputs]
    if separate:
        shapes = [(2,) if input_.array is None else (2, input_.array.size) for input_ in inputs]
        rows = [torch.zeros(s, dtype=_width(i), device=host) for s, i in zip(shapes, inputs, strict=True)]
    else:
        rows = [torch.zeros(2, sum(sizes), dtype=torch.float32, device=host)]
    try:
        result = _call(run(host), rows)
    except Exception as error:
        raise ModelError(
            f"model {name} fails on two rows of {sum(sizes)} zeros: {type(error).__name__}: {error}",
            hint="inputs= names its inputs; separate tensors go to a function with several parameters",
        ) from error
    if not isinstance(result, Tensor) or result.ndim not in (1, 2) or result.shape[0] != 2:
        shape = tuple(result.shape) if isinstance(result, Tensor) else type(result).__name__
        raise ModelError(f"model {name} gives {shape} for two rows, not (2,) or (2, k)")
    return 1 if result.ndim == 1 else int(result.shape[1]), result.dtype is not torch.float64


def _call(run: Callable[..., Any], inputs: list[Tensor]) -> Any:
    with torch.no_grad():
        return run(*inputs)


class ModulePredictor:
    """A callable on tensors whose result is the answer."""

    def __init__(
        self, run: Callable[[torch.device], Callable[..., Any]], inputs: tuple[Input, ...], separate: bool, kind: str
    ) -> None:
        self._run = run
        self._inputs = inputs
        self._separate = separate
        self._kind = kind

    def scores(self, features: Sequence[Feature]) -> Tensor:
        """What the callable gives, detached."""
        if self._separate:
            pairs = zip(features, self._inputs, strict=True)
            inputs = [dense(feature, _width(input_)) for feature, input_ in pairs]
        else:
            inputs = [matrix(features, torch.float32)]
        result = _call(self._run(inputs[0].device), inputs)
        assert isinstance(result, Tensor)
        return result.detach()

    def value(self, features: Sequence[Feature]) -> Tensor:
        result = self.scores(features)
        return result[:, 0] if result.ndim == 2 and result.shape[1] == 1 else result

    def probabilities(self, features: Sequence[Feature]) -> Tensor | None:
        return None

    def used(self) -> frozenset[int]:
        return frozenset(range(len(self._inputs)))

    def describe(self) -> str:
        return f"{self._kind} on {'separate tensors' if self._separate else 'one float32 matrix'}"


class ModuleScores(ModulePredictor):
    """A callable on tensors that scores classes."""

    def value(self, features: Sequence[Feature]) -> Tensor:
        return self.scores(features).argmax(dim=1)

    def probabilities(self, features: Sequence[Feature]) -> Tensor | None:
        return self.scores(features).to(torch.float64).softmax(dim=1)
