"""From a callable on tensors to a model: its inputs, what it gives, and whether it gives that for each row by this row alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from tqp.errors import ModelError
from tqp.models.labels import Choice, choice_of, gives_chances, meaning_of
from tqp.models.model import Input, Model
from tqp.models.tensors.binding import input_names, ways
from tqp.models.tensors.callee import Callee, callee_of
from tqp.models.tensors.predictor import Call, ModulePredictor, ScoredClasses, ScoredProbabilities
from tqp.models.tensors.probe import NotTakenError, Probed, probed

__all__ = ["import_torch"]


def import_torch(
    name: str,
    model: Any,
    inputs: Sequence[str] | None,
    output: Any,
    kinds: tuple[Input, ...] | None,
    method: str | None,
    check: Any,
    side_effects: bool,
    device: torch.device,
) -> Model:
    """The model of a callable on tensors.

    `inputs` are the names of its inputs; without them those of its parameters, or x1, x2, … by the size of a module's first
    linear layer. `kinds`: the inputs with what they take. What is not declared comes in the dtype of the module's parameters,
    else as float64, or as float32 where it takes no float64. One number comes as (n, 1), or as (n,) where it takes no matrix.
    `output`, `method`, `check`, `side_effects` and `device` as in `prepare`. Raises ModelError.
    """
    callee = callee_of(model, method)
    choice = choice_of(output)
    arity = kinds or tuple(map(Input, input_names(callee) if inputs is None else inputs))
    found, call = _first_that_runs(name, callee, arity, choice, check, side_effects, device)
    dtype, outputs = found.dtype, found.outputs
    if choice.labels is None:
        answer = ModulePredictor(call, dtype, outputs, found.told)
        return Model(name, arity, (), answer, None, dtype, framework="torch", outputs=outputs, each_row=side_effects)
    try:
        meaning = meaning_of(found.answers, choice.labels)
    except ModelError as error:
        raise ModelError(f"model {name}: {error.message}", hint=error.hint) from None
    kind = ScoredProbabilities if gives_chances(meaning) else ScoredClasses
    predictor = kind(call, dtype, outputs, found.told, meaning, len(choice.labels))
    return Model(name, arity, (), predictor, choice.labels, framework="torch", kind="classifier", each_row=side_effects)


def _first_that_runs(
    name: str,
    callee: Callee,
    inputs: tuple[Input, ...],
    choice: Choice,
    check: Any,
    side_effects: bool,
    device: torch.device,
) -> tuple[Probed, Call]:
    """In the dtypes of its parameters one after the other; what takes none of them says so for the first."""
    if not inputs:
        raise ModelError(f"model {name} has no inputs", hint="inputs= names them")
    failed: ModelError | None = None
    for way in ways(callee, inputs):
        for width in callee.floats or (torch.float64, torch.float32):
            try:
                return probed(name, Call(callee, inputs, way, choice, width), check, not side_effects, device)
            except NotTakenError as error:
                failed = failed or error
    assert failed is not None
    raise ModelError(failed.message, hint=failed.hint) from failed.__cause__
