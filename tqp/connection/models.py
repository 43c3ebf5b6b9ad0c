"""Models by name, as PREDICT calls them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Self

import torch

from tqp.catalog.catalog import Catalog
from tqp.session.names import Access, require_name
from tqp.session.plan_cache import PlanCache

__all__ = ["Models"]


class Models:
    """The part of a connection that knows models."""

    _plans: PlanCache
    device: torch.device

    @property
    def catalog(self) -> Catalog:
        raise NotImplementedError

    @property
    def access(self) -> Access:
        raise NotImplementedError

    def _require_open(self) -> None:
        raise NotImplementedError

    def register_model(
        self,
        name: str,
        model: Any,
        inputs: Sequence[str] | Mapping[str, Any] | None = None,
        output: Any = None,
        method: str | None = None,
        backend: str = "auto",
        check: Any = None,
        nulls: str = "auto",
        side_effects: bool = False,
    ) -> Self:
        """Let `name` mean the trained model `model` in PREDICT.

        `model` is a fitted estimator of scikit-learn, XGBoost, LightGBM or CatBoost, a torch module, an exported program, a
        function of tensors, the path of an .onnx file, an `onnx.ModelProto`, or an object that embeds or classifies text;
        docs/predict.md lists them. It is never changed.

        - `inputs` names its inputs in order, where it does not know them; those of a torch model are bound to its parameters by
          these names. A mapping also says what each takes: `str` (text), `float`, `int`, `bool`, a type such as "DOUBLE", or an
          array such as "FLOAT[768]".
        - `output`: the labels of a torch model or ONNX graph that gives scores (n, labels), the name of a graph's output, the name
          or place of the part of a torch model's answer that is meant, or both: {"logits": ["no", "yes"]}.
        - `method`: the estimator's method that PREDICT stands for ("predict", "transform", …).
        - `backend`: "tensor" (and "auto") runs a tensor program, "host" calls the library itself on the CPU.
        - `check`: a sample, as a frame or a dict of columns, on which the program and the model's own `predict` must agree;
          without it one is made up.
        - `side_effects`: True for a torch model that is random on purpose: it runs for each row, and may answer equal ones
          differently.
        - `nulls`: "missing" hands NULL on as NaN, "null" makes the prediction NULL, "auto" does what the model takes.

        Raises ModelError where the object is not a model that tqp supports, or where its tensor program does not give the
        model's own answers.

        >>> con.register_model("discount", lambda amount: (amount - 5).clamp(min=0) / 2, inputs=["amount"]).models()
        ['discount']
        >>> con.sql("SELECT customer, PREDICT(discount, amount) AS off FROM orders ORDER BY off").fetchall()
        [('ann', 0.0), ('bob', 1.5), ('ann', 2.5)]
        """
        from tqp.models.registration import prepare

        self._require_open()
        name = require_name(name, "model")
        if isinstance(model, str | os.PathLike):
            self.access.require_files(model)
        made = prepare(name, model, inputs, output, method, backend, check, nulls, side_effects, self.device)
        self._plans.forget(self.catalog.register_model(name, made))
        return self

    def unregister_model(self, name: str) -> Self:
        """Remove a registered model."""
        self._require_open()
        self._plans.forget(self.catalog.unregister_model(require_name(name, "model")))
        return self

    def models(self) -> list[str]:
        """The names of the registered models."""
        return self.catalog.model_names()
