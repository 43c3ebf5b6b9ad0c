"""Models by name, as PREDICT calls them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Self

from tqp.catalog.catalog import Catalog
from tqp.session.names import Access, require_name
from tqp.session.plan_cache import PlanCache

__all__ = ["Models"]


class Models:
    """The part of a connection that knows models."""

    _plans: PlanCache

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
    ) -> Self:
        """Let `name` mean the trained model `model` in PREDICT.

        The options are those of `tqp.models.registration.prepare`. Raises ModelError where the object is not a model that
        tqp supports, or where its tensor program does not give the model's own answers.
        """
        from tqp.models.registration import prepare

        self._require_open()
        name = require_name(name, "model")
        if isinstance(model, str | os.PathLike):
            self.access.require_files(model)
        made = prepare(name, model, inputs, output, method, backend, check, nulls)
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
