"""What a callable gave: the tensor among several that is asked for, its SQL type, and scores as labels and probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Final, Literal

import numpy as np
import torch
from torch import Tensor

from tqp.errors import ModelError, with_article
from tqp.types import BIGINT, BOOLEAN, DOUBLE, FLOAT, DType

__all__ = ["Choice", "Meaning", "choice_of", "meaning_of", "picked", "sql_type"]

_TYPES: Final = {
    torch.bool: BOOLEAN, torch.float16: FLOAT, torch.bfloat16: FLOAT, torch.float32: FLOAT, torch.float64: DOUBLE,
    **dict.fromkeys((torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.uint16, torch.uint32), BIGINT),
}  # fmt: skip
_ZERO: Final = 1e-6
"""A logarithm of a probability comes that close to 0 for some made-up row."""
_CLOSE: Final = 1e-2
"""Probabilities of half precision add up to 1 within this."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What `output=` says: the part of an answer of several, by name or place, and the labels of its scores."""

    part: str | int | None = None
    labels: tuple[object, ...] | None = None


def choice_of(output: Any) -> Choice:
    """From "logits", 0, ["no", "yes"] or {"logits": ["no", "yes"]}; ModelError for anything else."""
    if isinstance(output, Mapping) and len(output) == 1:
        ((part, labels),) = output.items()
        return Choice(_part(part), _labels(labels))
    if output is None:
        return Choice()
    if isinstance(output, str | int) and not isinstance(output, bool):
        return Choice(_part(output))
    return Choice(None, _labels(output))


def _part(part: Any) -> str | int:
    if isinstance(part, str | int) and not isinstance(part, bool):
        return part
    raise ModelError(f"output={part!r} is neither the name nor the place of a part of the answer")


def _labels(labels: Any) -> tuple[object, ...]:
    plain = labels.tolist() if isinstance(labels, np.ndarray | Tensor) else labels  # host: labels, not rows
    hint = "output=['no', 'yes'] names the labels of scores, output='logits' the part of an answer of several"
    if not isinstance(plain, list | tuple | range):
        raise ModelError(f"output= is {with_article(type(labels).__name__)}", hint=hint)
    found = tuple(label.item() if isinstance(label, np.generic) else label for label in plain)  # host: labels
    if len(found) < 2 or len(set(map(str, found))) < len(found):
        raise ModelError(f"output={list(found)!r} is not a list of different labels", hint=hint)
    if not all(isinstance(label, str | bool | int | float) for label in found):
        raise ModelError(f"output={list(found)!r}: labels are texts, numbers or booleans", hint=hint)
    return found


def picked(found: Any, choice: Choice) -> Tensor:
    """The tensor that is the answer. ModelError, which says what there is, where none or several may be meant."""
    part = choice.part
    if isinstance(found, Tensor):
        if part is not None:
            raise ModelError(f"it gives one tensor, of which output={part!r} is no part", hint="leave out output=")
        return found
    parts = _parts(found)
    if parts is None:
        hint = "give a tensor" if not isinstance(found, np.ndarray) else "torch.from_numpy(…) is a tensor"
        raise ModelError(f"it gives {with_article(type(found).__name__)}, not a tensor", hint=hint)
    if part is None:
        answers = [one for one in parts.values() if isinstance(one, Tensor)]
        if len(answers) == 1:
            return answers[0]
    elif isinstance(part, str):
        if isinstance(parts.get(part), Tensor):
            return parts[part]  # type: ignore[no-any-return]
    elif -len(parts) <= part < len(parts) and isinstance(list(parts.values())[part], Tensor):
        return list(parts.values())[part]  # type: ignore[no-any-return]
    shown = ", ".join(f"{name!r} {_shape(one)}" for name, one in parts.items())
    missing = "" if part is None else f", and output={part!r} is no tensor of them"
    first = next((name for name, one in parts.items() if isinstance(one, Tensor)), 0)
    raise ModelError(
        f"it gives {with_article(type(found).__name__)} of {shown or 'nothing'}{missing}",
        hint=f"output={first!r} chooses one",
    )


def _parts(found: Any) -> dict[Any, Any] | None:
    """The parts of an answer by name, else by place; None where it has none."""
    is_record = is_dataclass(found) and not isinstance(found, type)
    if isinstance(found, Mapping) and (len(found) or not is_record):
        return dict(found)
    if is_record:
        return {one.name: getattr(found, one.name) for one in fields(found) if getattr(found, one.name) is not None}
    if isinstance(found, tuple | list):
        return dict(zip(getattr(found, "_fields", range(len(found))), found, strict=True))
    return None


def _shape(one: Any) -> str:
    return str(tuple(one.shape)) if isinstance(one, Tensor) else f"({type(one).__name__})"


def sql_type(answer: Tensor, rows: int) -> tuple[DType, int]:
    """The SQL type of a number of an answer, and how many a row has; ModelError where it is no column."""
    if answer.ndim not in (1, 2) or answer.shape[0] != rows or answer.ndim == 2 and answer.shape[1] == 0:
        raise ModelError(f"it gives {tuple(answer.shape)} for {rows} rows, not ({rows},) or ({rows}, k)")
    dtype = _TYPES.get(answer.dtype)
    if dtype is None or answer.layout is not torch.strided:
        raise ModelError(
            f"it gives {answer.dtype} ({answer.layout}), which is no column", hint="give floats or integers"
        )
    outputs = 1 if answer.ndim == 1 else int(answer.shape[1])
    return dtype, outputs


Meaning = Literal["index", "probability", "logit", "probabilities", "logits", "scores"]
"""Of the numbers of a classifier: the place of the label; of one number, of the second label; of one for each label."""


def meaning_of(answers: Tensor, labels: tuple[object, ...]) -> Meaning:
    """What the answers (n,) or (n, k) to made-up rows say of the labels; ModelError where they are not as many."""
    count = 1 if answers.ndim == 1 else answers.shape[1]
    if count == 1 and not answers.is_floating_point():
        if bool(((answers < 0) | (answers >= len(labels))).any()):  # host: made-up rows
            raise ModelError(f"it gives integers that are no places of the {len(labels)} labels, from 0")
        return "index"
    numbers = answers.double().reshape(answers.shape[0], -1)
    numbers = numbers[numbers.isfinite().all(1)]
    shares = bool(((numbers >= 0) & (numbers <= 1)).all()) and numbers.shape[0] > 0  # host: made-up rows
    if count == 1 and len(labels) == 2:
        if (
            numbers.shape[0] and numbers.amax() <= 0 and numbers.amax() > -_ZERO and numbers.amin() < -1
        ):  # host: made-up rows
            raise ModelError(
                "its one score never rises above 0, as the logarithm of a probability",
                hint="give its exp(), or a logit",
            )
        return "probability" if shares else "logit"
    if count != len(labels):
        hint = "as many labels as scores, in their order; one score has two labels, of which it says how likely the second is"
        raise ModelError(f"it gives {count} scores a row, and output= names {len(labels)} labels", hint=hint)
    if not shares:
        return "logits"
    adds_up = bool(((numbers.sum(1) - 1).abs() <= _CLOSE).all())  # host: made-up rows
    return "probabilities" if adds_up else "scores"
