"""Runs `scripts/*.sql` on tqp and DuckDB; a statement behind `-- both refuse` must fail in both, and change nothing.

One behind `-- tqp refuses` runs on no side, as DuckDB would do something that tqp does not have.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.statements.runner import Script, Sides, scripts_of

FILES = Path(__file__).parent / "scripts"
SCRIPTS = [
    pytest.param(script, id=f"{file.stem}: {script.name}")
    for file in sorted(FILES.glob("*.sql"))
    for script in scripts_of(file)
]


@pytest.mark.parametrize("script", SCRIPTS)
def test_script(script: Script) -> None:
    sides = Sides()
    try:
        for step in script.steps:
            sides.step(step)
    finally:
        sides.close()
