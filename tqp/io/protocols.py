"""Which paths are behind a protocol."""

from __future__ import annotations

__all__ = ["is_remote"]


def is_remote(path: str) -> bool:
    """Whether the path is one behind a protocol."""
    scheme, mark, _ = path.partition("://")
    return bool(mark) and scheme.replace("+", "").replace("-", "").replace(".", "").replace(":", "").isalnum()
