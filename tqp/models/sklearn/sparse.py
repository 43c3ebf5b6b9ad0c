"""Features in a sparse matrix, of which XGBoost takes those that are 0, and not stored, as missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import torch
from torch import Tensor

from tqp.models.steps import Each, Step

__all__ = ["zeros_as_missing"]

_DENSE: Final = ("TruncatedSVD", "PCA", "IncrementalPCA", "GaussianRandomProjection", "LinearDiscriminantAnalysis")
_WORDS: Final = ("CountVectorizer", "TfidfVectorizer", "HashingVectorizer")


def zeros_as_missing(steps: Sequence[Any], last: Any, width: int) -> list[Step]:
    """What is between the transforms of a pipeline, which make `width` features, and its model: nothing, mostly."""
    if not (any(kind.__name__ == "XGBModel" for kind in type(last).__mro__) and _is_sparse(steps)):
        return []
    return [Each("zeros as missing", [_without_zeros] * width, whole=_without_zeros)]


def _without_zeros(values: Tensor) -> Tensor:
    return torch.where(values == 0, torch.nan, values)


def _is_sparse(steps: Sequence[Any]) -> bool:
    """Whether the last of fitted transforms gives a sparse matrix."""
    found = False
    for step in steps:
        kind = type(step).__name__
        if kind == "Pipeline":
            found = _is_sparse([step for _, step in step.steps])
        elif kind == "ColumnTransformer":
            found = bool(step.sparse_output_)
        elif kind == "FeatureUnion":
            found = any(_is_sparse([step]) for _, step in step.transformer_list)
        elif kind == "OneHotEncoder":
            found = bool(step.sparse_output)
        elif kind == "KBinsDiscretizer":
            found = step.encode == "onehot"
        else:
            found = kind in _WORDS or found and kind not in _DENSE
    return found
