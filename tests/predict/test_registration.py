"""What registration asks of a model before queries may use it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler

from tests.predict.handmade import Shift, handmade
from tqp.errors import ModelError
from tqp.models.check.samples import Hint, draw, hints
from tqp.models.check.validation import validate
from tqp.models.model import Model
from tqp.models.registration import prepare

FRAME = pd.DataFrame({
    "age": [20.0, 30.0, 40.0, 50.0], "city": ["rome", "oslo", "rome", "bern"], "pay": [1e6, 2e6, 3e6, 9e6],
    "rank": [1.0, 5.0, 2.0, 3.0],
})  # fmt: skip


class Difference:
    """A classifier by a - c, as a library would have it."""

    def __init__(self, shift: float) -> None:
        self.shift = shift

    def predict(self, rows: Any) -> Any:
        return np.where(rows[:, 0] - rows[:, 2] > self.shift, "yes", "no")

    def predict_proba(self, rows: Any) -> Any:
        one = 1 / (1 + np.exp(-(rows[:, 0] - rows[:, 2] - self.shift)))
        return np.column_stack([1 - one, one])


def test_steps_say_what_values_matter() -> None:
    numbers = Pipeline([("fill", SimpleImputer()), ("scale", StandardScaler())])
    prepare_columns = ColumnTransformer(
        [("numbers", numbers, ["pay", "age"]), ("text", OneHotEncoder(), ["city"]), ("rest", MinMaxScaler(), [3])]
    )
    pipeline = Pipeline([("prepare", prepare_columns), ("model", LogisticRegression())]).fit(FRAME, [0, 1, 0, 1])
    age, city, pay, rank = hints(pipeline, 4)
    assert age.scale is not None
    assert pay.scale is not None
    assert (age.scale[0], pay.scale[0]) == (35, 3.75e6)
    assert city.categories == ["bern", "oslo", "rome"]
    assert city.is_text
    assert rank.values == [1, 5]


def test_thresholds_of_a_forest_are_met_and_passed() -> None:
    numbers = np.arange(40.0).reshape(20, 2)
    forest = RandomForestRegressor(3, random_state=0).fit(numbers, numbers[:, 0])
    first = hints(forest, 2)[0]
    assert first.values
    drawn = draw(first, 500, True, False, np.random.default_rng(0))
    assert np.isin(first.values, drawn).any()
    assert np.isnan(drawn).any()


def test_categories_are_drawn_with_an_unknown_one() -> None:
    hint = Hint(categories=["a", "b"])
    drawn = draw(hint, 200, True, True, np.random.default_rng(0))
    assert set(drawn) == {"a", "b", "(unknown)", None}
    assert set(draw(hint, 200, False, False, np.random.default_rng(0))) == {"a", "b"}


def test_a_program_that_agrees_passes() -> None:
    validate(handmade(), Difference(0.1), None, None)
    validate(handmade(), Difference(0.1), {"c": [1, 2], "b": [0, 0], "a": [5, 1]}, None)


@pytest.mark.parametrize("check", [None, pd.DataFrame({"a": [1.15], "b": [0.0], "c": [1.0]})])
def test_a_program_that_differs_is_refused_with_its_rows(check: Any) -> None:
    with pytest.raises(
        ModelError, match=r"differs from the model on \d+ of \d+ rows:\n  a=.*, b=.*, c=.*: .* instead of"
    ):
        validate(handmade(), Difference(0.2), check, None)


def test_a_sample_must_have_the_inputs() -> None:
    with pytest.raises(ModelError, match="the sample has no column b, c"):
        validate(handmade(), Difference(0.1), {"a": [1]}, None)
    with pytest.raises(ModelError, match="check= is a str"):
        validate(handmade(), Difference(0.1), "rows", None)


def test_a_program_that_fails_is_refused() -> None:
    class Broken(Shift):
        def value(self, features: Any) -> Any:
            raise IndexError("place 7")

    with pytest.raises(ModelError, match="fails on a sample: IndexError: place 7"):
        validate(handmade(Broken()), Difference(0.1), None, None)


def test_options_are_checked() -> None:
    for options, text in (
        ({"backend": "gpu"}, "backend='gpu' is not known"), ({"nulls": "zero"}, "nulls='zero' is not known"),
        ({"inputs": ["a", "a"]}, "not a list of different names"),
    ):  # fmt: skip
        with pytest.raises(ModelError, match=text):
            prepare("m", handmade(), **options)


def test_a_model_gets_its_name_and_null_rule() -> None:
    made = prepare("m", handmade(), nulls="missing")
    assert isinstance(made, Model)
    assert (made.name, made.takes_missing) == ("m", True)
