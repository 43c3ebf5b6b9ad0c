"""An array that feeds a model of as many features is one matrix: the answers are those of its elements, and the library's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.cluster import KMeans, MiniBatchKMeans
from sklearn.decomposition import PCA
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Lasso, LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    PolynomialFeatures,
    PowerTransformer,
    RobustScaler,
    StandardScaler,
)
from sklearn.svm import SVC

import tqp

pytestmark = pytest.mark.filterwarnings("ignore")

ROWS, WIDTH = 400, 6
RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(ROWS, WIDTH)).astype(np.float32)
Y = np.digitize(X[:, 0] + X[:, 1], [-0.5, 0.5])
MODELS: dict[str, Any] = {
    "logistic": LogisticRegression(),
    "scaled": make_pipeline(StandardScaler(), LogisticRegression()),
    "clipped": make_pipeline(MinMaxScaler((0.2, 0.7), clip=True), Ridge()),
    "by magnitude": make_pipeline(MaxAbsScaler(), Ridge()),
    "robust": make_pipeline(RobustScaler(), Lasso(0.2)),
    "of norm 1": make_pipeline(Normalizer(), LogisticRegression()),
    "powers": make_pipeline(PowerTransformer(), LogisticRegression()),
    "binary": make_pipeline(Binarizer(), Ridge()),
    "bins": make_pipeline(KBinsDiscretizer(3), Ridge()),
    "products": make_pipeline(PolynomialFeatures(2), Ridge()),
    "components": make_pipeline(PCA(3), LogisticRegression()),
    "chosen": make_pipeline(SelectKBest(k=3), StandardScaler(), LogisticRegression()),
    "imputed": make_pipeline(SimpleImputer(), LogisticRegression()),
    "network": MLPClassifier((5,), max_iter=20, random_state=0),
    "forest": RandomForestClassifier(5, random_state=0),
    "boosted": HistGradientBoostingClassifier(max_iter=5),
    "normal": GaussianNB(),
    "bernoulli": BernoulliNB(),
    "neighbours": KNeighborsClassifier(),
    "vectors": SVC(),
    "clusters": KMeans(3, n_init=1, random_state=0),
}


@pytest.mark.parametrize("width", [np.float32, np.float64])
@pytest.mark.parametrize("name", MODELS)
def test_an_array_is_one_matrix(name: str, width: Any) -> None:
    rows = X.astype(width)
    model = MODELS[name].fit(X, Y)
    elements = ", ".join(f"v[{place}]" for place in range(1, WIDTH + 1))
    with tqp.connect(threads=1) as con:
        con.register("t", {"id": np.arange(ROWS), "v": rows, "w": rows[:, :4], "a": rows[:, 4], "b": rows[:, 5]})
        con.register_model("m", model)
        query = f"SELECT PREDICT(m, v) AS v, PREDICT(m, {elements}) AS e, PREDICT(m, w, a, b) AS w FROM t ORDER BY id"
        found = con.sql(query).numpy()
        wanted = model.predict(X if name == "clusters" else X.astype(float))
        for column in ("v", "e", "w"):
            np.testing.assert_allclose(found[column].astype(float), wanted.astype(float), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("backend", ["tensor", "host"])
@pytest.mark.parametrize("width", [np.float32, np.float64])
def test_clusters_get_rows_of_the_precision_they_were_fitted_on(width: Any, backend: Any) -> None:
    rows = X.astype(width)
    found = GridSearchCV(make_pipeline(StandardScaler(), KMeans(3, n_init=1)), {"kmeans__n_clusters": [2, 3]}, cv=2)
    models = {"k": KMeans(3, n_init=1, random_state=0), "m": MiniBatchKMeans(3, n_init=1), "s": found}
    columns = {f"x{place + 1}": rows[:, place] for place in range(WIDTH)}
    with tqp.connect(threads=1) as con:
        con.register("t", {"v": rows, **columns})
        for name, model in models.items():
            con.register_model("m", model.fit(rows), backend=backend)
            for query in ("SELECT PREDICT(m, v) AS p FROM t", f"SELECT PREDICT(m, {', '.join(columns)}) AS p FROM t"):
                assert (con.sql(query).numpy()["p"] == model.predict(rows)).mean() > 0.99, name


def test_missing_and_unread_elements() -> None:
    rows = X.copy()
    rows[3, 1], rows[5, 0], rows[7] = np.nan, np.nan, [np.inf, -np.inf, 1, 1, 1, 1]
    plain = LogisticRegression().fit(X, Y)
    first = Lasso(0.3).fit(X, X[:, 0])
    assert np.flatnonzero(first.coef_).tolist() == [0]
    masked = np.ma.MaskedArray(rows, np.zeros_like(rows, dtype=bool))
    masked[9] = np.ma.masked
    with tqp.connect(threads=1) as con:
        con.register("t", {"id": np.arange(ROWS), "v": masked, "i": X.astype(np.int32)})
        con.register_model("plain", plain).register_model("first", first)
        con.register_model("missing", HistGradientBoostingClassifier(max_iter=5).fit(X, Y), nulls="missing")
        query = (
            "SELECT PREDICT(plain, v), PREDICT(first, v), PREDICT(missing, v) IS NULL FROM t WHERE id < 10 ORDER BY id"
        )
        labels, values, lacks = zip(*con.sql(query).fetchall(), strict=True)
        assert [place for place, label in enumerate(labels) if label is None] == [3, 5, 9]
        assert [place for place, value in enumerate(values) if value is None] == [5, 9]
        np.testing.assert_allclose(values[:5], first.predict(X[:5]), rtol=1e-5)
        assert not any(lacks)
        found = con.sql("SELECT PREDICT(plain, i) AS p FROM t ORDER BY id").numpy()["p"]
        np.testing.assert_array_equal(found, plain.predict(X.astype(np.int32)))


def test_stored_arrays_stay_as_they_are() -> None:
    rows = X.astype(np.float64)
    with tqp.connect(threads=1) as con:
        con.register("t", {"v": rows})
        for name in ("scaled", "clipped", "normal", "network", "of norm 1", "vectors"):
            con.register_model("m", MODELS[name].fit(rows, Y))
            con.sql("SELECT sum(PREDICT(m, v)) FROM t").fetchall()
        np.testing.assert_array_equal(con.sql("SELECT v FROM t").numpy()["v"], X.astype(np.float64))
