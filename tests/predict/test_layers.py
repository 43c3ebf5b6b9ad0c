"""The first layer of networks: numbers, and features that one column codes, beside the library on their matrix."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sklearn.neural_network import MLPClassifier, MLPRegressor

from tqp.models.features import Coded, Feature, Numeric, dense, matrix
from tqp.models.registry import import_predictor

ACTIVATIONS = ("identity", "logistic", "tanh", "relu")


def _features(rows: int, numbers: int, columns: int) -> list[Feature]:
    """So many numbers, and columns that code a few features each."""
    random = np.random.default_rng(rows + columns)
    features: list[Feature] = [Numeric(torch.from_numpy(random.normal(size=rows))) for _ in range(numbers)]
    for column in range(columns):
        entries = column + 2
        codes = torch.from_numpy(random.integers(0, entries, rows).astype(np.int32))
        features += [Coded(codes, torch.from_numpy(random.normal(size=entries))) for _ in range(1 + column % 3)]
    # In no order that a column's features would share.
    return [features[place] for place in random.permutation(len(features))]


def _first(features: list[Feature], count: int) -> list[Feature]:
    codes = {id(feature.codes): feature.codes[:count] for feature in features if isinstance(feature, Coded)}
    return [
        Coded(codes[id(feature.codes)], feature.values)
        if isinstance(feature, Coded)
        else Numeric(dense(feature)[:count])
        for feature in features
    ]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("numbers", "columns"), [(3, 0), (0, 3), (2, 7), (1, 1)])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_perceptron_of_numbers_and_codes(activation: str, numbers: int, columns: int) -> None:
    features = _features(5000, numbers, columns)
    rows = matrix(features).numpy()
    target = np.digitize(rows.sum(axis=1), [-1, 1])
    for targets, classes in ((target, 3), (target > 0, 2)):
        classifier = MLPClassifier((9, 4), activation=activation, max_iter=3, random_state=0).fit(rows, targets)
        predictor = import_predictor(classifier, rows.shape[1]).predictor
        chances = predictor.probabilities(features)
        assert chances is not None and chances.shape == (5000, classes)
        np.testing.assert_allclose(chances.numpy(), classifier.predict_proba(rows), rtol=1e-11, atol=1e-13)
        assert np.array_equal(classifier.classes_[predictor.value(features).numpy()], classifier.predict(rows))
    two = np.stack([rows[:, 0], rows.sum(axis=1)], axis=1)
    regressor = MLPRegressor(hidden_layer_sizes=(5,), activation=activation, max_iter=3, random_state=0).fit(rows, two)
    predictor = import_predictor(regressor, rows.shape[1]).predictor
    for count in (5000, 1, 0):
        expected = regressor.predict(rows)[:count]
        np.testing.assert_allclose(predictor.value(_first(features, count)).numpy(), expected, rtol=1e-11, atol=1e-12)
