"""Libraries that tqp does without unless they are asked for."""

from __future__ import annotations

from importlib import import_module

from tqp.errors import SourceError

__all__ = ["need"]


def need(library: str, what: str, extra: str | None = None) -> None:
    """SourceError with the command that installs it, where `what` needs a library that is not there.

    It is in an `extra` of its own name, if no other is given.
    """
    try:
        import_module(library)
    except ImportError:
        raise SourceError(
            f"{what} needs {library}, which is not installed",
            hint=f'pip install "tensor-query-processor[{extra or library}]"',
        ) from None
