"""The tests here need the simulated device, which is for a whole process: `make device` runs them."""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    # Not skipped one by one: where there is no such device, they cannot even be imported.
    if collection_path.name.startswith("test_") and config.getoption("--device") != "sim":
        return True
    return None
