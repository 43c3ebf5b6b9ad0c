"""Scores as labels and probabilities: which part of an answer holds them, what they mean, and the label that they choose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
import torch
from torch import Tensor

from tqp.errors import ModelError, with_article
from tqp.kernels import waits

__all__ = ["Choice", "Meaning", "chances_of", "choice_of", "gives_chances", "labels_of_scores", "meaning_of"]

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


def gives_chances(meaning: Meaning) -> bool:
    """Whether probabilities follow from the scores."""
    return meaning not in ("index", "scores")


def labels_of_scores(scores: Tensor, meaning: Meaning, count: int) -> Tensor:
    """The places (n,) int64 of the `count` labels by scores (n,) or (n, count). ModelError for a place of none."""
    match meaning:
        case "probability":
            return (scores > 0.5).long()
        case "logit":
            return (scores > 0).long()
        case "index":
            if waits.truth(((scores < 0) | (scores >= count)).any(), "whether a model gave places of its labels"):
                raise ModelError(f"it gave a number that is no place of its {count} labels, from 0")
            return scores.long()
        case _:
            return scores.argmax(dim=1)


def chances_of(scores: Tensor, meaning: Meaning) -> Tensor:
    """The probabilities (n, labels) float64 of scores that give them."""
    scores = scores.to(torch.float64)
    match meaning:
        case "probabilities":
            return scores
        case "logits":
            return scores.softmax(dim=1)
    second = scores if meaning == "probability" else scores.sigmoid()
    return torch.stack([1 - second, second], dim=1)
