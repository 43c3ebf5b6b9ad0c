"""Models and queries of `benchmarks.predict`: what is trained on TPC-H, and what is asked of it.

`late`: will this line of an order arrive after the promised date? From the days between the dates, which decide it, and
from numbers and texts of lineitem, orders and part, which do not. `active`: does this customer order at all? TPC-H gives
no reason, so it is a model of noise, but a query that joins it with lineitem meets each customer some forty times.
`overdue`: will this line arrive after the promised date? From lineitem alone. `fitting`: does a part's name, which is text,
speak of green or of metal? From an embedding of its words.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["FAMILIES", "QUERIES", "TASKS", "Family", "Query", "Task", "missing", "train"]

SAMPLE_ROWS = 20_000


@dataclass(frozen=True)
class Task:
    """What a model learns: `numbers` and `texts` are its features, name → SQL expression over `tables`."""

    name: str
    numbers: Mapping[str, str]
    texts: Mapping[str, str]
    target: str
    tables: str
    key: str

    @property
    def features(self) -> dict[str, str]:
        """All features in the order of the model's arguments."""
        return {**self.numbers, **self.texts}

    @property
    def is_text(self) -> bool:
        """Whether the model reads one text and nothing else."""
        return not self.numbers

    def of(self, frame: Any) -> Any:
        """A frame's features as the model takes them: a frame, or a column of strings."""
        return frame[next(iter(self.texts))] if self.is_text else frame[list(self.features)]

    def sample(self) -> str:
        """The training rows: features, then `target`; the same rows each time."""
        columns = ", ".join(f"{expression} AS {name}" for name, expression in self.features.items())
        return (
            f"SELECT {columns}, CAST({self.target} AS BIGINT) AS target FROM {self.tables} "
            f"ORDER BY hash({self.key}), {self.key} LIMIT {SAMPLE_ROWS}"
        )


_LINES = """lineitem JOIN orders ON l_orderkey = o_orderkey LEFT JOIN part ON l_partkey = p_partkey"""
_CUSTOMERS = """customer JOIN nation ON c_nationkey = n_nationkey JOIN region ON n_regionkey = r_regionkey"""

TASKS = {
    task.name: task
    for task in (
        Task(
            "late",
            numbers={
                "days_to_ship": "l_shipdate - o_orderdate",
                "days_promised": "l_commitdate - o_orderdate",
                "quantity": "l_quantity",
                "price": "l_extendedprice",
                "discount": "l_discount",
                "size": "p_size",
            },
            texts={"mode": "l_shipmode", "priority": "o_orderpriority", "brand": "p_brand"},
            target="l_receiptdate > l_commitdate",
            tables=_LINES,
            key="l_orderkey, l_linenumber",
        ),
        Task(
            "active",
            numbers={"balance": "c_acctbal", "nation_key": "c_nationkey"},
            texts={"segment": "c_mktsegment", "nation": "n_name", "region": "r_name"},
            target="EXISTS (SELECT * FROM orders WHERE o_custkey = c_custkey)",
            tables=_CUSTOMERS,
            key="c_custkey",
        ),
        Task(
            "overdue",
            numbers={
                "slack": "l_commitdate - l_shipdate",
                "quantity": "l_quantity",
                "price": "l_extendedprice",
                "discount": "l_discount",
                "tax": "l_tax",
            },
            texts={"mode": "l_shipmode", "instruct": "l_shipinstruct"},
            target="l_receiptdate > l_commitdate",
            tables="lineitem",
            key="l_orderkey, l_linenumber",
        ),
        Task(
            "fitting",
            numbers={},
            texts={"words": "p_name"},
            target="p_name LIKE '%green%' OR p_name LIKE '%metallic%' OR p_name LIKE '%steel%'",
            tables="part",
            key="p_partkey",
        ),
    )
}


@dataclass(frozen=True)
class Query:
    """A prediction query: `text` over {tables} with {filter}, and {label} and {probability} (of class 1) of the model.

    `kept` are the columns that the text names itself, for the side that fetches them first.
    """

    name: str
    task: Task
    tables: str
    filter: str
    kept: Sequence[str]
    text: str

    def sql(self, label: str, probability: str) -> str:
        """The query with these expressions for the predictions."""
        return self.text.format(tables=self.tables, filter=self.filter, label=label, probability=probability)

    def fetch(self) -> str:
        """Features and kept columns of the rows to predict."""
        columns = [f"{expression} AS {name}" for name, expression in self.task.features.items()]
        return f"SELECT {', '.join([*columns, *self.kept])} FROM {self.tables} WHERE {self.filter}"

    def over_predictions(self, frame: str) -> str:
        """The rest of the query over `frame`, which has the kept columns, `label` and `probability`."""
        return self.text.format(tables=frame, filter="true", label="label", probability="probability")

    @property
    def needs_label(self) -> bool:
        return "{label}" in self.text

    @property
    def needs_probability(self) -> bool:
        return "{probability}" in self.text


QUERIES = (
    Query(
        "group",  # how many lines of a year will be late, and what they are worth, by mode
        TASKS["late"],
        _LINES,
        "l_shipdate >= DATE '1995-01-01' AND l_shipdate < DATE '1996-01-01'",
        ("l_shipmode", "l_extendedprice"),
        """SELECT l_shipmode, {label} AS late, count(*) AS lines, sum(l_extendedprice) AS price
FROM {tables} WHERE {filter} GROUP BY 1, 2 ORDER BY 1, 2""",
    ),
    Query(
        "filter",  # the lines that are predicted to be late, and how sure that is
        TASKS["late"],
        _LINES,
        "l_returnflag = 'R' AND o_orderdate >= DATE '1994-01-01'",
        ("l_shipmode", "l_extendedprice"),
        """SELECT l_shipmode, count(*) AS lines, avg({probability}) AS risk, sum(l_extendedprice * {probability}) AS at_risk
FROM {tables} WHERE {filter} AND {label} = 1 GROUP BY 1 ORDER BY 1""",
    ),
    Query(
        "rate",  # the mean risk of a quarter's orders
        TASKS["late"],
        _LINES,
        "o_orderdate >= DATE '1996-01-01' AND o_orderdate < DATE '1996-04-01'",
        ("o_orderpriority",),
        """SELECT o_orderpriority, count(*) AS lines, avg({probability}) AS risk, max({probability}) AS most
FROM {tables} WHERE {filter} GROUP BY 1 ORDER BY 1""",
    ),
    Query(
        "customers",  # the model's inputs come from the small side of a join
        TASKS["active"],
        f"{_CUSTOMERS} JOIN orders ON c_custkey = o_custkey JOIN lineitem ON o_orderkey = l_orderkey",
        "l_shipdate >= DATE '1997-01-01'",
        ("r_name", "l_extendedprice"),
        """SELECT r_name, {label} AS active, avg({probability}) AS score, sum(l_extendedprice) AS revenue
FROM {tables} WHERE {filter} GROUP BY 1, 2 ORDER BY 1, 2""",
    ),
    Query(
        "scan",  # conditions on the model's own inputs, on the table that the prediction reads
        TASKS["overdue"],
        "lineitem",
        "l_shipmode IN ('AIR', 'REG AIR') AND l_commitdate - l_shipdate BETWEEN -10 AND 20",
        ("l_returnflag", "l_extendedprice"),
        """SELECT l_returnflag, count(*) AS lines, sum(l_extendedprice) AS price, avg({probability}) AS risk
FROM {tables} WHERE {filter} AND {label} = 1 GROUP BY 1 ORDER BY 1""",
    ),
    Query(
        "words",  # a text model on the small side of a join
        TASKS["fitting"],
        "lineitem JOIN part ON l_partkey = p_partkey",
        "l_shipdate >= DATE '1996-01-01' AND l_shipdate < DATE '1996-04-01'",
        ("p_mfgr", "l_extendedprice"),
        """SELECT p_mfgr, {label} AS fits, count(*) AS lines, avg({probability}) AS score, sum(l_extendedprice) AS price
FROM {tables} WHERE {filter} GROUP BY 1, 2 ORDER BY 1, 2""",
    ),
)


@dataclass(frozen=True)
class Family:
    """A kind of model: `make(threads)` gives the estimator; `dense` ones get scaled numbers and one-hot texts.

    `is_text`: it reads one text, on which `make` gives the whole pipeline.
    """

    name: str
    library: str
    make: Callable[[int], Any]
    dense: bool = False
    is_text: bool = False

    @property
    def version(self) -> str:
        # Of the module, as a library may come in distributions of several names.
        module = importlib.import_module("sklearn" if self.library == "scikit-learn" else self.library)
        return f"{self.library} {module.__version__}"


def _logistic(threads: int) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(max_iter=1000)


def _sparse(threads: int) -> Any:
    from sklearn.linear_model import SGDClassifier

    # L1 leaves the dates and little else, so that most columns need not be read.
    return SGDClassifier(loss="log_loss", penalty="l1", alpha=0.003, random_state=0)


def _tree(threads: int) -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(max_depth=8, min_samples_leaf=50, random_state=0)


def _boosting(threads: int) -> Any:
    from sklearn.ensemble import GradientBoostingClassifier

    return GradientBoostingClassifier(n_estimators=100, max_depth=3, random_state=0)


def _histogram(threads: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(max_iter=100, early_stopping=False, random_state=0)


def _forest(threads: int) -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(n_estimators=100, max_depth=8, n_jobs=threads, random_state=0)


def _mlp(threads: int) -> Any:
    from sklearn.neural_network import MLPClassifier

    return MLPClassifier((64, 32), tol=1e-3, n_iter_no_change=3, max_iter=300, random_state=0)


def _lightgbm(threads: int) -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_estimators=100, n_jobs=threads, random_state=0, verbose=-1)


def _xgboost(threads: int) -> Any:
    from xgboost import XGBClassifier

    return XGBClassifier(n_estimators=100, max_depth=6, n_jobs=threads, random_state=0)


def _catboost(threads: int) -> Any:
    from catboost import CatBoostClassifier

    return CatBoostClassifier(
        n_estimators=100, depth=6, thread_count=threads, random_seed=0, verbose=False, allow_writing_files=False
    )


def _embedding(threads: int) -> Any:
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    # Latent semantic analysis: 32 numbers a text.
    return make_pipeline(TfidfVectorizer(), TruncatedSVD(32, random_state=0), LogisticRegression(max_iter=1000))


FAMILIES = {
    family.name: family
    for family in (
        Family("logistic", "scikit-learn", _logistic, dense=True),
        Family("sparse", "scikit-learn", _sparse, dense=True),
        Family("tree", "scikit-learn", _tree),
        Family("boosting", "scikit-learn", _boosting),
        Family("histogram", "scikit-learn", _histogram),
        Family("lightgbm", "lightgbm", _lightgbm),
        Family("xgboost", "xgboost", _xgboost),
        Family("forest", "scikit-learn", _forest),
        Family("catboost", "catboost", _catboost),
        Family("mlp", "scikit-learn", _mlp, dense=True),
        Family("embedding", "scikit-learn", _embedding, is_text=True),
    )
}


def missing(family: Family) -> str | None:
    """The library that the family needs and this environment lacks."""
    needed = ("sklearn", "sklearn" if family.library == "scikit-learn" else family.library)
    lacking = [module for module in needed if importlib.util.find_spec(module) is None]
    return lacking[0].replace("sklearn", "scikit-learn") if lacking else None


def train(family: Family, task: Task, files: Mapping[str, Path], threads: int) -> Any:
    """A fitted pipeline of encoders and the family's estimator; its columns are the task's features."""
    import duckdb
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

    with duckdb.connect(config={"threads": threads}) as connection:
        for table, path in files.items():
            connection.execute(f"CREATE VIEW {table} AS SELECT * FROM read_parquet('{path}')")
        sample = connection.sql(task.sample()).df()
    if family.is_text:
        return family.make(threads).fit(task.of(sample), sample["target"])
    encoder: Any = OneHotEncoder(handle_unknown="ignore")
    if not family.dense:
        encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    encoders = ColumnTransformer(
        [
            ("numbers", StandardScaler() if family.dense else "passthrough", list(task.numbers)),
            ("texts", encoder, list(task.texts)),
        ]
    )
    model = make_pipeline(encoders, family.make(threads))
    return model.fit(sample[list(task.features)], sample["target"])
