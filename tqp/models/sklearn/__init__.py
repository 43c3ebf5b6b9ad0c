"""Importers of scikit-learn. Importing this package registers them all."""

from tqp.models.sklearn import (
    bayes,
    calibration,
    distributions,
    encoders,
    ensembles,
    kernels,
    linear,
    meta,
    neighbours,
    others,
    preprocess,
    trees,
)

__all__ = [
    "bayes", "calibration", "distributions", "encoders", "ensembles", "kernels", "linear", "meta", "neighbours", "others",
    "preprocess", "trees",
]  # fmt: skip
