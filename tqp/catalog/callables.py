"""Models and functions of the user's, by name: what queries call beside what is built in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tqp.errors import BindError
from tqp.locks import ReentrantLock
from tqp.own import Own, OwnFunctions

if TYPE_CHECKING:
    from tqp.models.model import Model

__all__ = ["Callables"]


class Callables:
    """Models and functions of the user's by name, whatever the case of its letters. Safe to use from several threads."""

    def __init__(self) -> None:
        self._models: dict[str, tuple[str, Model]] = {}
        self._own = OwnFunctions()
        self._lock = ReentrantLock()

    @property
    def own(self) -> OwnFunctions:
        """The functions that the user made."""
        return self._own

    def models(self) -> list[Model]:
        """The registered models."""
        return [model for _, model in list(self._models.values())]

    def register_model(self, name: str, model: Model) -> Model | None:
        """Let `name` mean `model` in PREDICT; what it meant there before."""
        before = self._models.get(name.lower())
        self._models[name.lower()] = (name, model)
        return None if before is None else before[1]

    def unregister_model(self, name: str) -> Model:
        """Forget a model; what it was. BindError where there is none of that name."""
        before = self._models.pop(name.lower(), None)
        if before is None:
            known = ", ".join(self.model_names()) or "none"
            raise BindError(f"no model {name!r} is registered", hint=f"registered: {known}")
        return before[1]

    def model(self, name: str) -> Model | None:
        entry = self._models.get(name.lower())
        return None if entry is None else entry[1]

    def model_names(self) -> list[str]:
        """The names of the models as they were registered, sorted."""
        return sorted(name for name, _ in self._models.values())

    def add_function(self, own: Own) -> None:
        """Let a function of the user's be called; BindError where one of its name is there."""
        with self._lock:
            self._own = self._own.having(own)

    def remove_function(self, name: str) -> None:
        """Forget a function of the user's; BindError where there is none of that name."""
        with self._lock:
            self._own = self._own.without(name)

    def clear(self) -> None:
        """Forget all of them."""
        with self._lock:
            self._own = OwnFunctions(version=self._own.version + 1)
        self._models.clear()
