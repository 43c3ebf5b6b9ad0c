"""The columns of a sample that a user hands in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tqp.errors import ModelError, with_article

__all__ = ["columns_given"]


def columns_given(names: Sequence[str], check: Any) -> list[Any]:
    """The columns called so of a frame or a mapping, or all of a matrix in their order. Raises ModelError."""
    known: dict[str, Any] = {}
    if isinstance(check, Mapping) or hasattr(check, "columns"):
        for name in check if isinstance(check, Mapping) else check.columns:
            known[str(name)] = check[name]
    elif hasattr(check, "shape") and len(check.shape) == 2 and check.shape[1] == len(names):
        known = {name: check[:, place] for place, name in enumerate(names)}
    else:
        raise ModelError(
            f"check= is {with_article(type(check).__name__)}", hint="hand in a DataFrame or a dict of columns"
        )
    absent = [name for name in names if name not in known]
    if absent:
        raise ModelError(f"the sample has no column {', '.join(absent)}", hint=f"the inputs are {', '.join(names)}")
    return [known[name] for name in names]
