"""What may be imported: classes of known libraries, with parameters that the importers understand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tqp.errors import ModelError
from tqp.models.registry import Imported, import_predictor, import_transform, of_known_library
from tqp.models.steps import Step

__all__ = ["import_step", "import_trusted", "labels_of", "require"]


def _require_own_methods(estimator: object) -> None:
    """ModelError where a class of unknown origin changes what the library's class does."""
    for kind in type(estimator).__mro__:
        if of_known_library(kind):
            return
        changed = [name for name, item in vars(kind).items() if callable(item) or isinstance(item, property)]
        changed = [name for name in changed if not name.startswith("__")]
        if changed:
            raise ModelError(
                f"{kind.__module__}.{kind.__qualname__} has methods of its own: {', '.join(changed)}",
                hint='backend="host" calls its own predict on the CPU',
            )


def import_trusted(estimator: object, features: int) -> Imported:
    """The program of a fitted estimator of `features` features, of a class that does what its library says."""
    _require_own_methods(estimator)
    return import_predictor(estimator, features)


def import_step(estimator: object, features: int) -> Step:
    """The program of a fitted transformer of `features` features."""
    _require_own_methods(estimator)
    step = import_transform(estimator, features)
    if not isinstance(step, Step):
        raise ModelError(f"{type(estimator).__name__} is not supported within a pipeline")
    return step


def require(estimator: Any, parameter: str, known: Sequence[object]) -> None:
    """ModelError where a parameter has a value that is not among the known ones."""
    value = getattr(estimator, parameter)
    if not any(value is item or (type(value) is type(item) and value == item) for item in known):
        raise ModelError(
            f"{type(estimator).__name__} with {parameter}={value!r} is not supported",
            hint=f"supported: {', '.join(map(repr, known))}",
        )


def labels_of(estimator: Any) -> tuple[object, ...]:
    """The labels of a classifier of one output."""
    classes = estimator.classes_
    if isinstance(classes, list) or getattr(classes, "ndim", 1) != 1 or getattr(estimator, "multilabel_", False):
        raise ModelError(
            f"{type(estimator).__name__} with several labels a row is not supported",
            hint='one model for each output, or backend="host"',
        )
    return tuple(classes.tolist() if hasattr(classes, "tolist") else classes)  # host: NumPy
