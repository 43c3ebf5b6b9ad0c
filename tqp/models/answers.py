"""What the methods of libraries answer, in the many forms that they have, as one array, and the SQL type of it."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tqp.errors import ModelError
from tqp.types import BIGINT, BOOLEAN, DOUBLE, DType

__all__ = ["Array", "answer_of", "kind_of", "numbers_as"]

Array = np.ndarray[Any, Any]

_KINDS: Final = {"b": BOOLEAN, "i": BIGINT, "u": BIGINT, "f": DOUBLE}


def answer_of(found: Any, rows: int) -> Array:
    """An answer to so many rows as an array (rows,) or (rows, k).

    A list of a matrix for each output is one matrix of all their columns; a matrix of one column is a value a row. ModelError
    where it is something else.
    """
    found = found.toarray() if hasattr(found, "toarray") else found
    if isinstance(found, list | tuple) and found and all(getattr(part, "ndim", 0) == 2 for part in found):
        found = np.concatenate([np.asarray(part) for part in found], axis=1)
    try:
        made = np.asarray(found)
        # What is stored as objects has the type of what it holds.
        made = np.asarray(made.tolist()) if made.dtype == object else made  # host: NumPy
    except ValueError as error:
        raise ModelError(f"the model's answer is no array: {error}") from None
    if made.ndim not in (1, 2) or made.shape[0] != rows or made.size == 0:
        raise ModelError(f"the model answers {rows} rows with an array {made.shape}, not (n,) or (n, k)")
    return made[:, 0] if made.ndim == 2 and made.shape[1] == 1 else made


def kind_of(answer: Array) -> DType | None:
    """BOOLEAN, BIGINT or DOUBLE; None of text and anything else."""
    return _KINDS.get(answer.dtype.kind)


def numbers_as(answer: Array, dtype: DType) -> Array:
    """An answer as numbers of the type that the model gave when it was registered; ModelError where they are not."""
    kind = kind_of(answer)
    if kind is None:
        raise ModelError(f"the model gives values of type {answer.dtype} now, and gave {dtype} when it was registered")
    if answer.dtype.kind == "u" and answer.size and int(answer.max()) >= 2**63:  # host: NumPy
        raise ModelError(f"the model gives {int(answer.max())}, which is no BIGINT")  # host: NumPy
    if dtype.is_float:
        return np.ascontiguousarray(answer, dtype=np.float64)
    if kind == DOUBLE or (dtype == BOOLEAN and kind != BOOLEAN):
        hint = "let it always give values of one type"
        raise ModelError(f"the model gives {kind} now, and gave {dtype} when it was registered", hint=hint)
    return np.ascontiguousarray(answer, dtype=np.int64)
