"""Models that read text: an encoder, a function of a list of strings, or a scikit-learn pipeline that starts with words.

They are Python and run on the host, once for each distinct string: what a model said of a string of a dictionary is
remembered for as long as the dictionary lives, so that neither another batch nor another query asks again.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, Final
from weakref import WeakKeyDictionary

import numpy as np
import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.dictionary import Dictionary
from tqp.errors import ModelError, with_article
from tqp.interrupt import checkpoint
from tqp.kernels import waits
from tqp.locks import Lock
from tqp.models.features import Feature, Text
from tqp.models.model import Input, Model, Predictor
from tqp.models.tensors.callee import modules_of, versions
from tqp.types import DOUBLE, FLOAT

__all__ = ["PerString", "TextPredictor", "import_text", "reads_one_text", "reads_words"]

_CHUNK: Final = 4096
"""Strings a call."""
_ASKED: Final = "a model is asked for texts that it has not seen"
_WIDEST: Final = 2**16
"""More numbers than this a string are no column."""
_HOLDERS: Final = (
    "steps",
    "transformers_",
    "transformer_list",
    "estimators",
    "estimator",
    "best_estimator_",
    "regressor",
)
"""Where estimators of scikit-learn hold others."""
_SAMPLE: Final = ["a text", "another text"]

Call = Callable[[list[str]], Any]


def import_text(name: str, model: Any, inputs: tuple[Input, ...] | None, method: str | None) -> Model | None:
    """The model of an object that reads text; None where it is none.

    That is what `inputs` says to take text, an object with `encode(list of strings)`, or a scikit-learn estimator whose
    first step makes features of strings. It must give a number, or a row of numbers, for each string. Raises ModelError.
    """
    takes_text = inputs is not None and any(input_.is_text for input_ in inputs)
    words = reads_one_text(model)
    if not (words or _encodes(model) or takes_text and _is_plain_callable(model)):
        return None
    if inputs is not None and (len(inputs) != 1 or not takes_text):
        raise ModelError(f"model {name} reads one text", hint="inputs={'text': str}")
    arity = inputs or (Input("text", is_text=True),)
    if words:
        return _sklearn(name, model, arity, method)
    if method is not None and not hasattr(model, method):
        raise ModelError(f"{with_article(type(model).__name__)} has no method {method}")
    chosen = method or ("encode" if _encodes(model) else None)
    call: Call = model if chosen is None else getattr(model, chosen)
    kind = str(getattr(model, "__name__", None) or type(model).__name__)
    return _numeric(name, arity, TextPredictor(call, kind if chosen is None else f"{kind}.{chosen}"))


def _encodes(model: Any) -> bool:
    """Whether it has `encode` for strings: modules may have one for tensors."""
    if isinstance(model, type) or not callable(getattr(model, "encode", None)):
        return False
    return not isinstance(model, torch.nn.Module) or hasattr(model, "tokenize") or hasattr(model, "tokenizer")


def _is_plain_callable(model: Any) -> bool:
    return callable(model) and not inspect.isclass(model) and not isinstance(model, torch.nn.Module)


def reads_one_text(model: Any) -> bool:
    """Whether it is a scikit-learn estimator on texts: CountVectorizer and its kin, alone or first in a pipeline."""
    while hasattr(model, "steps") and model.steps:
        model = model.steps[0][1]
    return hasattr(model, "build_analyzer") and hasattr(model, "transform")


def reads_words(model: Any) -> bool:
    """Whether some part of a scikit-learn estimator reads words: a CountVectorizer for a column beside others."""
    pending, met = [model], set[int]()
    while pending:
        part = pending.pop()
        if id(part) in met or isinstance(part, str) or not hasattr(part, "get_params"):
            continue
        met.add(id(part))
        if hasattr(part, "build_analyzer"):
            return True
        for held in _HOLDERS:
            pending += _parts(getattr(part, held, None))
    return False


def _parts(held: Any) -> list[Any]:
    """What an attribute holds: an estimator, or a list of them, or of tuples with them."""
    many = held if isinstance(held, list | tuple) else [held]
    return [part for item in many for part in (item if isinstance(item, tuple) else (item,))]


def _numeric(name: str, arity: tuple[Input, ...], predictor: TextPredictor) -> Model:
    sample = predictor.sample(name)
    outputs = 1 if sample.ndim == 1 else sample.shape[1]
    dtype = FLOAT if sample.dtype is torch.float32 else DOUBLE
    return Model(name, arity, (), predictor, None, dtype, framework="host", outputs=outputs)


def _sklearn(name: str, estimator: Any, arity: tuple[Input, ...], method: str | None) -> Model:
    chosen = method or ("predict" if hasattr(estimator, "predict") else "transform")
    if not hasattr(estimator, chosen):
        raise ModelError(f"{with_article(type(estimator).__name__)} has no method {chosen}")
    kind = type(estimator).__name__
    labels = getattr(estimator, "classes_", None) if chosen == "predict" else None
    if labels is None:
        return _numeric(name, arity, TextPredictor(getattr(estimator, chosen), f"{kind}.{chosen}"))
    known = {label: place for place, label in enumerate(labels.tolist())}  # host: NumPy

    def places(texts: list[str]) -> Tensor:
        found = [known[label] for label in estimator.predict(texts).tolist()]  # host: NumPy
        return torch.tensor(found, dtype=torch.int64, device=torch.device("cpu"))

    predictor: TextPredictor
    if hasattr(estimator, "predict_proba"):
        predictor = _TextProbabilities(places, f"{kind}.predict", estimator.predict_proba)
    else:
        predictor = TextPredictor(places, f"{kind}.predict")
    predictor.sample(name)
    return Model(name, arity, (), predictor, tuple(labels.tolist()), framework="host", kind="classifier")  # host: NumPy


class _Answers:
    """What a callable said of the strings of one dictionary: `places[code]` is the row of `table`, -1 unknown."""

    def __init__(self, entries: int, device: torch.device) -> None:
        self.places = torch.full((entries,), -1, dtype=torch.int32, device=device)
        self.table: Tensor | None = None
        self.lock = Lock()


class PerString:
    """A callable on strings, asked once for each entry of a dictionary, and again when parameters that it reads have changed."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._modules = modules_of(call)
        self._seen = versions(self._modules)
        self._answers: WeakKeyDictionary[Dictionary, _Answers] = WeakKeyDictionary()
        self._lock = Lock()

    @property
    def nbytes(self) -> int:
        """Bytes of all answers that are remembered."""
        known = list(self._answers.values())
        return sum(one.places.nbytes + (0 if one.table is None else one.table.nbytes) for one in known)

    def forget(self) -> None:
        """Let go of all answers."""
        self._answers.clear()

    def ask(self, texts: list[str]) -> Tensor:
        """The answers (k,) or (k, d) to k strings, on the CPU."""
        parts = []
        for at in range(0, len(texts), _CHUNK):
            checkpoint()
            parts.append(_tensor(self._call(texts[at : at + _CHUNK])))
        answer = parts[0] if len(parts) == 1 else torch.cat(parts)
        if answer.ndim not in (1, 2) or answer.shape[0] != len(texts):
            raise ModelError(f"it gives {tuple(answer.shape)} for {len(texts)} strings, not (n,) or (n, d)")
        return answer

    def rows(self, column: Column) -> Tensor:
        """The answers (n,) or (n, d) for the rows of a text column; anything where a row is NULL."""
        column = column.ranked()
        dictionary = column.dictionary
        assert dictionary is not None
        with self._lock:
            now = versions(self._modules)
            if now != self._seen:
                self._answers.clear()
                self._seen = now
            answers = self._answers.get(dictionary)
            if answers is None or answers.places.device != column.device:
                answers = self._answers[dictionary] = _Answers(len(dictionary), column.device)
        codes = column.data.long()
        with answers.lock:
            known = codes if column.valid is None else waits.masked(codes, column.valid, _ASKED)
            needed = waits.unique(known, _ASKED)
            missing = waits.masked(needed, answers.places.index_select(0, needed) < 0, _ASKED)
            if missing.shape[0]:
                texts = dictionary.values.take(waits.array(missing, _ASKED)).to_pylist()
                found = self.ask(texts).to(column.device)
                before = 0 if answers.table is None else answers.table.shape[0]
                answers.table = found if answers.table is None else torch.cat([answers.table, found])
                new = torch.arange(before, before + len(texts), dtype=torch.int32, device=column.device)
                answers.places[missing] = new
            if answers.table is None:
                answers.table = self.ask(_SAMPLE)[:0].to(column.device)
            table, places = answers.table, answers.places
        if table.shape[0] == 0:
            return torch.zeros((codes.shape[0], *table.shape[1:]), dtype=table.dtype, device=column.device)
        return table.index_select(0, places.index_select(0, codes).clamp(min=0))


class TextPredictor(Predictor):
    """A callable from a list of strings to a number, or a row of numbers, for each."""

    def __init__(self, call: Call, kind: str) -> None:
        self._values = PerString(call)
        self._kind = kind

    def sample(self, name: str) -> Tensor:
        """The answers to two strings; ModelError where it fails on them or gives something else than numbers."""
        try:
            answer = self._values.ask(list(_SAMPLE))
        except ModelError as error:
            raise ModelError(f"model {name}: {error.message}", hint=error.hint) from None
        except Exception as error:
            raise ModelError(f"model {name} fails on a list of two strings: {type(error).__name__}: {error}") from error
        if answer.ndim == 2 and answer.shape[1] == 0:
            raise ModelError(f"model {name} gives no numbers")
        return answer

    def value(self, features: Sequence[Feature]) -> Tensor:
        return self._values.rows(_text(features))

    @property
    def nbytes(self) -> int:
        """Bytes of the answers that are remembered."""
        return self._values.nbytes

    def forget(self) -> None:
        """Let go of all answers that are remembered."""
        self._values.forget()

    def used(self) -> frozenset[int]:
        return frozenset((0,))

    def describe(self) -> str:
        return f"{self._kind} on the host, once per distinct value"


class _TextProbabilities(TextPredictor):
    """A classifier of strings with probabilities."""

    def __init__(self, call: Call, kind: str, probabilities: Call) -> None:
        super().__init__(call, kind)
        self._probabilities = PerString(probabilities)

    @property
    def nbytes(self) -> int:
        return super().nbytes + self._probabilities.nbytes

    def forget(self) -> None:
        super().forget()
        self._probabilities.forget()

    def probabilities(self, features: Sequence[Feature]) -> Tensor | None:
        return self._probabilities.rows(_text(features)).to(torch.float64)


def _text(features: Sequence[Feature]) -> Column:
    (feature,) = features
    assert isinstance(feature, Text)
    return feature.column


def _tensor(answer: Any) -> Tensor:
    """What a model gave as a tensor on the CPU: float32, float64, or int64 of labels' places."""
    if isinstance(answer, Tensor):
        found = waits.fetched(answer.detach(), "what a model of text has made")
    else:
        if hasattr(answer, "toarray"):
            if answer.shape[1] > _WIDEST:
                raise ModelError(f"it gives {answer.shape[1]} numbers a string, which is too wide a column")
            answer = answer.toarray()
        try:
            values = np.asarray(answer)
            if values.dtype.kind not in "fiub":
                raise TypeError(f"dtype {values.dtype}")
            found = torch.from_numpy(np.ascontiguousarray(values))
        except (TypeError, ValueError) as error:
            raise ModelError(f"what it gives is not numbers: {error}") from None
    if found.dtype in (torch.float16, torch.bfloat16, torch.float32):
        return found.to(torch.float32)
    return found if found.dtype is torch.int64 else found.to(torch.float64)
