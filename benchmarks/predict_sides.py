"""The sides of `benchmarks.predict`: each runs a prediction query in its own way, from its name to an Arrow table."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from inspect import Parameter, Signature
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.predict_models import QUERIES, TASKS, Family, Query, Task
from tpch.engines import DuckDB, Tqp
from tpch.run import Options

__all__ = ["PandasSide", "Side", "make_side"]

_QUERIES = {query.name: query for query in QUERIES}

Models = Mapping[str, Any]


class TqpSide:
    """The query as it is written, on tqp; `host` has it call the library, `without` names a rule to go without."""

    def __init__(
        self, tables: Tqp, models: Models, options: Options, host: bool = False, without: str | None = None
    ) -> None:
        import tqp

        self.name = "tqp" if without is None else f"tqp without {without}"
        self.version = tables.version
        self.connection = tqp.connect(
            device=options.device,
            threads=options.threads,
            backend=options.backend,
            disabled_rules=() if without is None else (without,),
        )
        for table_name in tables.connection.tables():
            stored = tables.connection.catalog.lookup(table_name)
            assert stored is not None
            # The stored table itself, so that its columns are on the device once for all sides.
            self.connection.catalog.register(table_name, stored)
        for name, model in models.items():
            inputs = dict.fromkeys(TASKS[name].texts, str) if TASKS[name].is_text else None
            self.connection.register_model(name, model, inputs=inputs, backend="host" if host else "auto")

    def run(self, sql: str) -> pa.Table:
        query = _QUERIES[sql]
        arguments = ", ".join([query.task.name, *query.task.features.values()])
        return self.connection.sql(query.sql(f"PREDICT({arguments})", f"PREDICT_PROBA({arguments})[2]")).arrow()

    def close(self) -> None:
        self.connection.close()


class PandasSide:
    """Fetch, predict, group: what one writes without PREDICT."""

    name = "pandas"

    def __init__(self, tables: DuckDB, models: Models, version: str) -> None:
        self.version = f"duckdb {tables.version}, {version}"
        self.connection = tables.connection
        self.models = models

    def run(self, sql: str) -> pa.Table:
        query = _QUERIES[sql]
        frame = self.connection.sql(query.fetch()).df()
        kept = frame[list(query.kept)].assign(**self._predicted(query, query.task.of(frame)))
        self.connection.register("predicted", kept)
        try:
            return self.connection.sql(query.over_predictions("predicted")).to_arrow_table()
        finally:
            self.connection.unregister("predicted")

    def _predicted(self, query: Query, features: Any) -> dict[str, Any]:
        """The columns label and probability, as far as they are asked for."""
        model = self.models[query.task.name]
        found = {"label": model.predict(features)} if query.needs_label else {}
        return found | ({"probability": model.predict_proba(features)[:, 1]} if query.needs_probability else {})

    def close(self) -> None:
        """The tables are for all families."""


class OnnxSide(PandasSide):
    """As `PandasSide`, with onnxruntime in the library's place, where skl2onnx knows the model."""

    name = "onnx"

    def __init__(self, tables: DuckDB, models: Models, version: str, threads: int) -> None:
        import onnxruntime
        from skl2onnx import to_onnx
        from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType, StringTensorType

        super().__init__(tables, models, f"onnxruntime {onnxruntime.__version__}")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        self.sessions: dict[str, Any] = {}
        for name, model in models.items():
            task = TASKS[name]
            # Trees of ONNX compare in float32, as scikit-learn's own do.
            is_trees = hasattr(model[-1], "estimators_") or hasattr(model[-1], "tree_")
            number = FloatTensorType if is_trees else DoubleTensorType
            types = [(column, number([None, 1])) for column in task.numbers]
            types += [(column, StringTensorType([None, 1])) for column in task.texts]
            graph = to_onnx(model, initial_types=types, options={"zipmap": False})
            self.sessions[name] = onnxruntime.InferenceSession(graph.SerializeToString(), options)

    def _predicted(self, query: Query, features: Any) -> dict[str, Any]:
        session = self.sessions[query.task.name]
        numbers = {"tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(string)": object}
        given = {
            item.name: features[item.name].to_numpy(dtype=numbers[item.type]).reshape(-1, 1)
            for item in session.get_inputs()
        }
        label, probabilities = session.run(None, given)
        return {"label": label, "probability": probabilities[:, 1].astype(np.float64)}


class UdfSide:
    """The query as it is written, on DuckDB, with the library's model as an Arrow function."""

    name = "udf"

    def __init__(self, tables: DuckDB, models: Models, version: str) -> None:
        self.version = f"duckdb {tables.version}, {version}"
        self.connection: Any = tables.connection
        self.models = models
        for name, model in models.items():
            task = TASKS[name]
            types = ["DOUBLE"] * len(task.numbers) + ["VARCHAR"] * len(task.texts)
            for result, kind in (("label", "BIGINT"), ("probability", "DOUBLE")):
                function = _function(task, model, result)
                self.connection.create_function(f"{name}_{result}", function, types, kind, type="arrow")

    def run(self, sql: str) -> pa.Table:
        query = _QUERIES[sql]
        name, arguments = query.task.name, ", ".join(query.task.features.values())
        text = query.sql(f"{name}_label({arguments})", f"{name}_probability({arguments})")
        return self.connection.sql(text).to_arrow_table()

    def close(self) -> None:
        """Forget the functions, whose names the next family takes."""
        for name in self.models:
            for result in ("label", "probability"):
                self.connection.remove_function(f"{name}_{result}")


def _function(task: Task, model: Any, result: str) -> Any:
    """A function of Arrow columns for DuckDB, which counts the parameters by the signature."""
    import pandas as pd

    if "randomforestclassifier" in model.named_steps:
        # With so few rows a call, joblib's threads take longer to start than they save.
        model = deepcopy(model).set_params(randomforestclassifier__n_jobs=1)

    def call(*columns: pa.ChunkedArray) -> pa.Array:
        frame = pd.DataFrame({name: column.to_pandas() for name, column in zip(task.features, columns, strict=True)})
        frame = task.of(frame)
        if result == "label":
            return pa.array(model.predict(frame), pa.int64())
        return pa.array(model.predict_proba(frame)[:, 1], pa.float64())

    call.__dict__["__signature__"] = Signature([Parameter(name, Parameter.POSITIONAL_ONLY) for name in task.features])
    return call


Side = TqpSide | PandasSide | UdfSide


def make_side(name: str, ours: Tqp, theirs: DuckDB, models: Models, family: Family, options: Options) -> Side:
    """The side called `name`, over tables that are resident."""
    match name:
        case "pandas":
            return PandasSide(theirs, models, family.version)
        case "onnx":
            return OnnxSide(theirs, models, family.version, options.threads)
        case "udf":
            return UdfSide(theirs, models, family.version)
        case _:
            rule = name.removeprefix("tqp").removeprefix(" host").removeprefix(" without ")
            return TqpSide(ours, models, options, name == "tqp host", rule or None)
