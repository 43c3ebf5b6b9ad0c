"""Other limits of devices than those that queries run with, for tests that would need very large tables."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tqp.device import TYPES

__all__ = ["limit"]


def limit(patch: pytest.MonkeyPatch, **limits: Any) -> None:
    """Let programs that are made from now on have these limits, on every type of devices."""
    for name, kind in TYPES.items():
        patch.setitem(TYPES, name, replace(kind, limits=replace(kind.limits, **limits)))
