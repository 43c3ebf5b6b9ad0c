"""The notebooks of docs/notebooks run from top to bottom in a kernel of Jupyter, and show what is stored in them.

`pytest tests/notebooks --update-golden` stores it anew. What a cell with the tag `varies` shows is other in each run (times,
folders): of it only the kinds are compared. A cell with the tag `raises-exception` must fail.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from tests.notebooks.kernel import ROOT, SECONDS, environment

FOLDER = ROOT / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
_COLOURS = re.compile("\x1b\\[[0-9;]*m")


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs_and_shows_what_it_says(path: Path, request: pytest.FixtureRequest) -> None:
    stored, run = _read(path), _read(path)
    resources = {"metadata": {"path": str(FOLDER)}}
    NotebookClient(run, timeout=SECONDS, kernel_name="python3", resources=resources).execute(env=environment())
    for cell in run.cells:
        _settled(cell)
    if request.config.getoption("--update-golden"):
        nbformat.write(run, path)
        return
    for was, cell in zip(stored.cells, run.cells, strict=True):
        assert _kinds(cell) == _kinds(was), cell.source
        if "varies" not in _tags(cell):
            assert _texts(cell) == _texts(was), cell.source


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_is_stored(path: Path) -> None:
    """Every code cell ran, in order; nothing of the machine's user is in it, and it is small enough to be looked at on a code host."""
    notebook = _read(path)
    nbformat.validate(notebook)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    for cell in cells:
        assert any(one.output_type == "error" for one in cell.outputs) == ("raises-exception" in _tags(cell)), (
            cell.source
        )
    assert path.stat().st_size < 400_000
    assert str(Path.home()) not in path.read_text() and "/work" not in path.read_text()
    assert set(notebook.metadata) == {"kernelspec", "language_info"}


def test_they_use_what_notebooks_have() -> None:
    text = "".join(path.read_text() for path in NOTEBOOKS)
    for word in ("%load_ext tqp", "%%sql", "plot_plan()", ".df()", ".torch()", "<svg"):
        assert word in text, word
    assert len(NOTEBOOKS) == 3


def _read(path: Path) -> Any:
    return nbformat.read(path, as_version=4)


def _settled(cell: Any) -> None:
    """Without what differs from run to run and says nothing: moments, colours, the bar that is gone."""
    cell.metadata.pop("execution", None)
    if cell.cell_type != "code":
        return
    cell.outputs = [one for one in cell.outputs if any(one.get("data", {"": one}).values())]
    for one in cell.outputs:
        if one.output_type == "error":
            one.traceback = [_COLOURS.sub("", line) for line in one.traceback]
        for kind in one.get("data", {}):
            if kind == "image/svg+xml":
                one.data[kind] = re.sub(r"\s*<metadata>.*?</metadata>", "", one.data[kind], flags=re.DOTALL)


def _tags(cell: Any) -> list[str]:
    return list(cell.metadata.get("tags", ()))


def _kinds(cell: Any) -> list[tuple[str, list[str]]]:
    return [(one.output_type, sorted(one.get("data", ()))) for one in cell.get("outputs", ())]


def _texts(cell: Any) -> list[str]:
    return [_text(one) for one in cell.get("outputs", ())]


def _text(output: Any) -> str:
    if output.output_type == "error":
        return "\n".join(output.traceback)
    return str(output.text if output.output_type == "stream" else output.data["text/plain"])
