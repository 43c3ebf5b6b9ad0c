"""What a callable gave: the tensor among several that is asked for, and its SQL type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor

from tqp.errors import ModelError, with_article
from tqp.models.labels import Choice
from tqp.types import BIGINT, BOOLEAN, DOUBLE, FLOAT, DType

__all__ = ["picked", "sql_type"]

_TYPES: Final = {
    torch.bool: BOOLEAN, torch.float16: FLOAT, torch.bfloat16: FLOAT, torch.float32: FLOAT, torch.float64: DOUBLE,
    **dict.fromkeys((torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.uint16, torch.uint32), BIGINT),
}  # fmt: skip


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
