"""What a callable on tensors must be, found out by small runs: it takes rows, and gives each its answer by this row alone.

The rows are made up, in several scales at once: small and large numbers, fractions and whole ones, indices below the sizes of a
module's embeddings. A sample of the user takes their place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor

from tqp.errors import ModelError
from tqp.models.check.columns import columns_given
from tqp.models.model import Input
from tqp.models.tensors.answers import sql_type
from tqp.models.tensors.operations import told_of
from tqp.models.tensors.predictor import Call, ChangedError, Told
from tqp.models.tensors.trial import (
    NUMBERS,
    Columns,
    Tried,
    features_of,
    require_alone,
    require_read,
)
from tqp.types import BOOLEAN, DOUBLE, FLOAT, DType

__all__ = ["NotTakenError", "Probed", "probed"]

_ROWS: Final = 48
_FEWEST: Final = 12
"""As many even where they have more numbers than are made up."""


class NotTakenError(ModelError):
    """The callable fails on all rows that it was tried with, or makes no column of them."""


@dataclass(frozen=True, slots=True, eq=False)
class Probed:
    """What it gave for rows that it takes, the SQL type of its numbers, how many a row has, and what its operations tell."""

    answers: Tensor
    dtype: DType
    outputs: int
    told: Told


def probed(name: str, call: Call, check: Any, pure: bool, device: torch.device) -> tuple[Probed, Call]:
    """What the call gives, and the call as it must be made; ModelError where that is no column, or hangs on other rows, or chance.

    `check`: rows to try it with. Of one that is not `pure` only shapes and types are looked at. It is tried where its parameters
    are, a function on `device`.
    """
    # What it draws here shall not change what the user's program draws after.
    with torch.random.fork_rng(devices=[]):
        columns, scales, answer, call = _first_rows(name, call, check, call.callee.home or device)
        dtype, outputs = sql_type(answer, len(scales))
        call = _called_for_one(name, call, columns)
        told = told_of(call, columns)
        if pure:
            tried = Tried(columns, scales, answer)
            require_alone(name, call, tried, told.apart)
            require_read(name, call, columns, answer)
        if check is not None and call.choice.labels is not None:
            # A few rows do not show that a score never leaves 0 to 1.
            with suppress(ModelError):
                more = _first_rows(name, call, None, columns[0].device)[2]
                answer = torch.cat([answer, more]) if sql_type(more, len(more)) == (dtype, outputs) else answer
    return Probed(answer, dtype, outputs, told), call


def _first_rows(name: str, call: Call, check: Any, device: torch.device) -> tuple[Columns, Tensor, Tensor, Call]:
    """The first rows that it takes and answers with numbers, the scale of each, the answers, and the call."""
    if check is not None:
        columns = _as_given(name, call.inputs, check, device)
        samples = iter([(columns, torch.zeros(columns[0].shape[0], dtype=torch.int64, device=device))])
    else:
        samples = _made_up(call, device)
    blank = None
    failed: Exception | None = None
    for columns, scales in samples:
        try:
            answer, used = _answered(call, columns)
            sql_type(answer, len(scales))
        except ModelError as error:
            raise NotTakenError(f"model {name}: {error.message}", hint=error.hint) from None
        except Exception as error:
            failed = failed or error
            continue
        if not answer.is_floating_point() or answer.isnan().float().mean() <= 0.5:  # host: made-up rows
            return columns, scales, answer, used
        blank = blank or (columns, scales, answer, used)
    if blank is not None:
        return blank
    what = "the sample" if check is not None else f"{_ROWS} rows made up to try it"
    raise NotTakenError(
        f"model {name} fails on {what} ({call.takes}): {type(failed).__name__}: {failed}", hint=_hint(call)
    ) from failed


def _hint(call: Call) -> str:
    """What may help a callable that fails."""
    types = [input_.type and (input_.type.element or input_.type) for input_ in call.inputs]
    if call.callee.vocabularies and not any(dtype is not None and dtype.is_integer for dtype in types):
        return "its embeddings take whole numbers: inputs={'id': int, 'ids': 'BIGINT[8]'}"
    if DOUBLE in types and call.callee.floats and torch.float64 not in call.callee.floats:
        return f"its parameters are {call.floating}: declare FLOAT, or float, which rounds to that"
    return "inputs={'a': int, 'v': 'FLOAT[8]'} names its parameters and says what they take; check= hands in rows that it takes"


def _answered(call: Call, columns: Columns) -> tuple[Tensor, Call]:
    """What it gives, and the call with copies of what it writes into."""
    try:
        kept = [column.clone() for column in columns]
        answer = call.answer(features_of(kept))
        if all(map(torch.equal, _without_nan(kept), _without_nan(columns))):
            return answer, call
    except ChangedError:
        pass
    call = replace(call, changes=True)
    return call.answer(features_of([column.clone() for column in columns])), call


def _without_nan(columns: Columns) -> Columns:
    return [column.nan_to_num() if column.is_floating_point() else column for column in columns]


def _called_for_one(name: str, call: Call, columns: Columns) -> Call:
    """The call as it can be made for one row: programs are exported, and squeezed, for two and more."""
    for fewest in (1, 2):
        tried = replace(call, fewest=fewest)
        try:
            sql_type(tried.answer(features_of([column[:1].clone() for column in columns])), 1)
            return tried
        except Exception as error:
            failed = error
    raise ModelError(
        f"model {name} fails on one row: {type(failed).__name__}: {failed}", hint="batches have any number of rows"
    ) from failed


def _made_up(call: Call, device: torch.device) -> Iterator[tuple[Columns, Tensor]]:
    """Rows to try, first those of all scales together; integers below the sizes of embeddings, of later inputs 0 and 1 first."""
    bounds = sorted(call.callee.vocabularies, reverse=True)
    for styles in (tuple(range(len(_STYLES))), (0,), (1,), (3,)):
        for first, others in dict.fromkeys(
            [
                *((bound, 2) for bound in bounds),
                *((bound, bound) for bound in bounds),
                (10, 10),
                (10, 2),
                (2, 2),
                (1, 1),
            ]
        ):
            yield _drawn(call.inputs, styles, first, others, device)
            if not any(_is_whole(input_) for input_ in call.inputs):
                break


def _is_whole(input_: Input) -> bool:
    dtype = None if input_.type is None else input_.type.element or input_.type
    return dtype is not None and dtype.is_integer


_STYLES: Final = (
    lambda x: (x.erf() + 1) / 2,  # between 0 and 1
    lambda x: x,
    lambda x: x * 100,
    lambda x: (x.abs() * 4).floor(),
)
"""From normally distributed numbers to those of a scale."""


def _drawn(
    inputs: Sequence[Input], styles: Sequence[int], first: int, others: int, device: torch.device
) -> tuple[Columns, Tensor]:
    generator = torch.Generator(device="cpu").manual_seed(1)
    width = sum(1 if input_.type is None else max(input_.type.size, 1) for input_ in inputs)
    rows = max(_FEWEST, min(_ROWS, NUMBERS // width))
    scales = torch.arange(rows, device="cpu") % len(styles)
    columns: Columns = []
    bound = first
    for input_ in inputs:
        dtype = DOUBLE if input_.type is None else input_.type.element or input_.type
        shape = (rows,) if input_.type is None or not input_.type.is_array else (rows, input_.type.size)
        if dtype.is_integer or dtype == BOOLEAN:
            made = torch.randint(0, 2 if dtype == BOOLEAN else bound, shape, generator=generator, device="cpu")
            columns.append((made.bool() if dtype == BOOLEAN else made).to(device))
            bound = others
            continue
        normal = torch.randn(shape, generator=generator, dtype=torch.float64, device="cpu")
        made = torch.empty_like(normal)
        for place, style in enumerate(styles):
            made[scales == place] = _STYLES[style](normal[scales == place])
        columns.append(made.to(torch.float32 if dtype == FLOAT else torch.float64).to(device))
    return columns, scales.to(device)


def _as_given(name: str, inputs: Sequence[Input], check: Any, device: torch.device) -> Columns:
    """The rows of the user, as a query would hand them in."""
    columns: Columns = []
    for input_, values in zip(inputs, columns_given([input_.name for input_ in inputs], check), strict=True):
        dtype = DOUBLE if input_.type is None else input_.type.element or input_.type
        width = torch.bool if dtype == BOOLEAN else torch.int64 if dtype.is_integer else torch.float64
        try:
            values = values.to_numpy() if hasattr(values, "to_numpy") else values
            is_object = getattr(getattr(values, "dtype", None), "kind", "") == "O"
            made = torch.as_tensor(np.stack(list(values)) if is_object else values)
            made = made.to(device=device, dtype=torch.float32 if dtype == FLOAT else width)
        except (TypeError, ValueError, RuntimeError) as error:
            raise ModelError(f"model {name}: the sample's {input_.name} is not of numbers: {error}") from None
        columns.append(made)
    counts = {column.shape[0] if column.ndim else 0 for column in columns}
    if len(counts) != 1 or counts == {0}:
        raise ModelError(f"model {name}: the sample has columns of one length, of one row at least")
    return columns
