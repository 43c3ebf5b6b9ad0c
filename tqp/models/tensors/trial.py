"""Trials that show whether a row's answer is its own: the same rows in other company, with gaps, among many and extreme ones."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor

from tqp.errors import ModelError
from tqp.models.check.row_choices import row_choices
from tqp.models.features import Feature, Numeric
from tqp.models.model import Input
from tqp.models.tensors.answers import sql_type
from tqp.models.tensors.predictor import Call

__all__ = ["NUMBERS", "Columns", "Tried", "features_of", "require_alone", "require_read"]

NUMBERS: Final = 2**21
"""About so many numbers at most are made up."""
_SHOWN: Final = 6
_CLOSE: Final = {torch.float64: 1e-9, torch.float32: 1e-4, torch.float16: 2e-2, torch.bfloat16: 1e-1}
"""What another number of rows may round, relative to the largest answer to rows of the same scale."""
_SIZES: Final = (2, 3, 257, 1031, 4099)
_SECONDS: Final = 0.3
"""So long are more and more rows tried, each time four times as many after the first `_ANYWAY`."""
_ANYWAY: Final = 257
_EXTREMES: Final = (0.0, -1.0, 1e5, -1e5, 1e9, -1e9, 1e-9, float("inf"), float("nan"))
"""By what the numbers of some rows are multiplied; the last two after the others, where those are taken alone."""
_FINITE: Final = 7
_OF_EACH: Final = 4

Columns = list[Tensor]


@dataclass(frozen=True, slots=True, eq=False)
class Tried:
    """Rows that a call takes, the scale (n,) of each, and its answers to all of them together."""

    columns: Columns
    scales: Tensor
    answers: Tensor

    def __len__(self) -> int:
        return len(self.scales)


def features_of(columns: Columns) -> list[Feature]:
    """Columns as a call takes them."""
    return [Numeric(column) for column in columns]


def require_alone(name: str, call: Call, tried: Tried, apart: bool) -> None:
    """ModelError, which shows a row, unless the answer for a row is the same again, and whichever rows come with it.

    Of one whose rows are known to stay `apart`, few are tried; of others they are tried among many, too.
    """
    own = torch.arange(len(tried), device=tried.scales.device)
    limits = _limits(call, tried)
    _require_same(name, call, tried, limits, own, is_again=True)
    if apart:
        return _require_same(name, call, tried, limits, own[::3].flip(0))
    for chosen in row_choices(own):
        _require_same(name, call, tried, limits, chosen)
    for gap in (float("nan"), float("inf")):
        gapped = _with_gaps(call, tried, gap)
        if gapped is not None:
            limits = _limits(call, gapped)
            for chosen in row_choices(own):
                _require_same(name, call, gapped, limits, chosen)
    _require_alone_among_many(name, call, tried)
    # What it remembers of others shows now.
    return _require_same(name, call, tried, _limits(call, tried), own, is_again=True)


def _require_alone_among_many(name: str, call: Call, tried: Tried) -> None:
    """`require_alone` of rows among more and more others, some of which are extreme and some there many times.

    It takes about 0.3 seconds at most, unless one call takes longer.
    """
    whole = _with_extremes(call, tried)
    limits = _limits(call, whole)
    # What numbers that are no more finite make of others is any of several things.
    told = whole.answers.reshape(len(whole), -1).isfinite().all(1)
    told[: len(tried)] = True
    limits[~told] = float("inf")
    width = sum(column[0].numel() for column in whole.columns)
    most = min(_SIZES[-1], max(NUMBERS // width, _SIZES[1]))
    started = time.perf_counter()
    before, took = started, 0.0
    for size, chosen in _crowds(len(whole), most, tried.scales.device):
        if size > _ANYWAY and before - started + took * 4 > _SECONDS:
            break
        _require_same(name, call, whole, limits, chosen)
        now = time.perf_counter()
        before, took = now, now - before


def _crowds(rows: int, most: int, device: torch.device) -> Iterator[tuple[int, Tensor]]:
    """More and more of the rows, the first of an order many times, the last hardly ever."""
    generator = torch.Generator(device="cpu").manual_seed(3)
    order = torch.randperm(rows, generator=generator, device="cpu")
    shares = 1 / torch.arange(1, rows + 1, dtype=torch.float64, device="cpu")
    for size in (size for size in _SIZES if size <= most):
        places = torch.multinomial(shares, size, replacement=True, generator=generator)
        yield size, order.index_select(0, places).to(device)  # host: rows by chance


def _with_gaps(call: Call, tried: Tried, gap: float) -> Tried | None:
    """The rows, some with no number or none that is finite, where it takes that: what fills it from others answers by them."""
    gapped = [column.clone() for column in tried.columns]
    floats = [column for column in gapped if column.is_floating_point()]
    for column in floats:
        column.view(column.shape[0], -1)[1::5, -1] = gap
    return _answered(call, gapped, tried.scales) if floats else None


def _with_extremes(call: Call, tried: Tried) -> Tried:
    """The rows, and after them some with numbers that are very large, small, or none, where it takes such."""
    few = [column[:_OF_EACH] for column in tried.columns]
    each = few[0].shape[0]
    scales = torch.arange(each * len(_EXTREMES), device=tried.scales.device) // each
    for factors in (_EXTREMES, _EXTREMES[:_FINITE]):
        columns = [_multiplied(column, factors) for column in few]
        made = _answered(call, columns, scales[: columns[0].shape[0]])
        if made is not None and made.answers.shape[1:] == tried.answers.shape[1:]:
            whole = [torch.cat(pair) for pair in zip(tried.columns, made.columns, strict=True)]
            scales = torch.cat([tried.scales, made.scales + len(tried)])
            return Tried(whole, scales, torch.cat([tried.answers, made.answers]))
    return tried


def _multiplied(column: Tensor, factors: Sequence[float]) -> Tensor:
    """Floats by each of the factors; whole numbers, which may be places, as they are."""
    made = [column * factor if column.is_floating_point() else column for factor in factors]
    return torch.cat(made)


def _answered(call: Call, columns: Columns, scales: Tensor) -> Tried | None:
    """What it answers to the rows; None where it takes none such."""
    with suppress(Exception):
        answers = call.answer(features_of([column.clone() for column in columns]))
        sql_type(answers, len(scales))
        return Tried(columns, scales, answers)
    return None


def _require_same(name: str, call: Call, tried: Tried, limits: Tensor, chosen: Tensor, is_again: bool = False) -> None:
    """ModelError, which shows a row, unless the chosen rows are answered as among all of them. `is_again`: all are chosen."""
    rows = chosen.shape[0]
    try:
        found = call.answer(features_of([column.index_select(0, chosen) for column in tried.columns]))
        sql_type(found, rows)
    except Exception as error:
        raise ModelError(
            f"model {name} takes {len(tried)} rows, and fails on {rows}: {type(error).__name__}: {error}",
            hint="batches have any number of rows, and each answer may depend on its own row alone",
        ) from error
    wanted = tried.answers.index_select(0, chosen)
    differs = _differ(found, wanted, limits.index_select(0, chosen))
    places = differs.nonzero().reshape(-1).tolist()  # host: made-up rows
    if not places:
        return
    place = places[0]
    row = _shown_row(call.inputs, tried.columns, int(chosen[place]))  # host: made-up rows
    first, second = _shown(wanted[place]), _shown(found[place])
    if is_again:
        raise ModelError(
            f"model {name} gives other answers when it is called again with the same rows: {row}: {first}, then {second}",
            hint="evaluation mode ends dropout and its like; side_effects=True is for models that shall be random",
        )
    raise ModelError(
        f"model {name} answers a row by the rows that come with it: {row}: {first} among {len(tried)} rows, "
        f"{second} among {rows} of them",
        hint="batches have any rows, and each answer may depend on its own row alone: batch_first=True, "
        "statistics of the training data in place of the batch's (x.mean(), BatchNorm that trains), …",
    )


def require_read(name: str, call: Call, columns: Columns, whole: Tensor) -> None:
    """ModelError where `**kwargs` take an input that changes no answer: it is not known to be read at all."""
    for argument in call.arguments:
        (place, *_) = argument.places
        others = columns[place].flip(0)
        if not argument.is_caught or torch.equal(others, columns[place]):  # host: made-up rows
            continue
        tried = [others if at == place else column for at, column in enumerate(columns)]
        try:
            found = call.answer(features_of([column.clone() for column in tried]))
        except Exception:
            # Who fails on other values reads them.
            continue
        exactly = torch.zeros(whole.shape, dtype=torch.float64, device=whole.device)
        if not _differ(found, whole, exactly).any():  # host: made-up rows
            known = [one.name for one in call.callee.parameters or () if one.kind is not one.VAR_KEYWORD]
            raise ModelError(
                f"model {name}: **kwargs take the input {argument.keyword}, and no answer of {call.callee.kind} depends on it",
                hint=f"its parameters are {', '.join(known)}" if known else "leave it out",
            )


def _limits(call: Call, tried: Tried) -> Tensor:
    """How far answers (n,) or (n, k) may lie apart: a share of the largest to rows of the same scale."""
    whole, scales = tried.answers, tried.scales
    if not whole.is_floating_point():
        return torch.zeros(whole.shape, dtype=torch.float64, device=whole.device)
    share = max(
        _CLOSE.get(whole.dtype, 0.0), *[_CLOSE.get(width, 0.0) for width in (call.floating, *call.callee.floats)]
    )
    sizes = whole.double().abs().nan_to_num(0.0, 0.0, 0.0)
    limits = torch.zeros_like(sizes)
    for scale in sorted(set(scales.tolist())):  # host: made-up rows
        rows = scales == scale
        limits[rows] = sizes[rows].amax(0) * share
    return limits.clamp_(min=1e-30)


def _differ(found: Tensor, wanted: Tensor, limits: Tensor) -> Tensor:
    """The rows (n,) bool whose answers are not the same; NaN is the same as NaN."""
    if found.shape != wanted.shape or found.dtype != wanted.dtype:
        return torch.ones(limits.shape[0], dtype=torch.bool, device=limits.device)
    a, b = found.double(), wanted.double()
    same = (a == b) | limits.isinf() | (a.isnan() & b.isnan()) | ((a - b).abs() <= limits)
    return ~same.reshape(same.shape[0], -1).all(1)


def _shown_row(inputs: Sequence[Input], columns: Columns, row: int) -> str:
    shown = [f"{input_.name}={_shown(column[row])}" for input_, column in zip(inputs, columns, strict=True)]
    return ", ".join(shown if len(shown) <= _SHOWN else [*shown[:_SHOWN], "…"])


def _shown(values: Tensor) -> str:
    numbers = values.reshape(-1)[:_SHOWN].tolist()  # host: made-up rows
    texts = [f"{number:.6g}" if isinstance(number, float) else str(number) for number in numbers]
    if values.ndim == 0:
        return texts[0]
    return f"[{', '.join(texts)}{', …' if values.numel() > _SHOWN else ''}]"
