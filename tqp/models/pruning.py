"""A model for rows of which something is known: limits of numbers, or which texts there are.

What is known of inputs is carried through the transforms by running them on the few rows that matter: on both ends where
a feature never falls when its input rises, on every value where these are few.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pyarrow as pa
import torch

from tqp.data.column import Column
from tqp.data.dictionary import Dictionary
from tqp.errors import TqpError
from tqp.models.features import Coded, Feature, Numeric, Text, dense
from tqp.models.model import Model, Prunable
from tqp.models.steps import Chain, Step
from tqp.models.trees.predictor import TreePredictor
from tqp.types import VARCHAR

__all__ = ["Known", "pruned"]

Known = tuple[float, float] | frozenset[str]
"""Inclusive limits of a number, or the texts that there are; in either case no value is missing."""

_HOST = torch.device("cpu")


def pruned(model: Model, known: Mapping[int, Known], rows: float) -> Model:
    """The model that answers the same for some `rows` rows with such inputs (by place); itself if none is cheaper."""
    steps = [step for step in model.transforms if isinstance(step, Step)]
    if not known or not isinstance(model.predictor, Prunable) or len(steps) < len(model.transforms):
        return model
    chain = Chain(steps, len(model.inputs))
    bounds: dict[int, tuple[float, float]] = {}
    rising = chain.rising(frozenset(place for place, fact in known.items() if isinstance(fact, tuple)))
    for output in sorted(model.predictor.used()):
        read = chain.reads(frozenset({output}))
        place = next(iter(read), None)
        fact = None if place is None or len(read) > 1 else known.get(place)
        if fact is None or place is None or isinstance(fact, tuple) and output not in rising:
            continue
        values = _values(model, chain, output, place, fact)
        if values is not None:
            bounds[output] = values
    predictor = model.predictor.prune(bounds, rows) if bounds else model.predictor
    return model if predictor is model.predictor else replace(model, predictor=predictor)


def _values(model: Model, chain: Chain, output: int, place: int, fact: Known) -> tuple[float, float] | None:
    """The least and the greatest value of a feature that is a function of one input."""
    count = 2 if isinstance(fact, tuple) else len(fact)
    inputs: list[Feature] = [
        _texts([None] * count) if input_.is_text else Numeric(torch.zeros(count, dtype=torch.float64, device=_HOST))
        for input_ in model.inputs
    ]
    inputs[place] = (
        Numeric(torch.tensor(fact, dtype=torch.float64, device=_HOST))
        if isinstance(fact, tuple)
        else _texts(sorted(fact))
    )
    try:
        feature = chain(inputs)[output]
    except TqpError:
        # A text that the encoder refuses: the query will say so, if it has such a row.
        return None
    if isinstance(feature, Text):
        if not isinstance(model.predictor, TreePredictor):
            return None
        feature = model.predictor.coded(feature, output)
    assert isinstance(feature, Numeric | Coded)
    values = dense(feature)
    if bool(values.isnan().any()):  # host: what the query knows is there
        return None
    return float(values.min()), float(values.max())  # host: what the query knows is there


def _texts(values: Sequence[str | None]) -> Text:
    known = [value for value in values if value is not None]
    dictionary = Dictionary(pa.array(known or [""], pa.large_string()), is_sorted=False)
    codes = torch.arange(len(values), dtype=torch.int32, device=_HOST).clamp_(max=len(dictionary) - 1)
    valid = None if len(known) == len(values) else torch.zeros(len(values), dtype=torch.bool, device=_HOST)
    return Text(Column(codes, VARCHAR, valid, dictionary, dictionary.bounds))
