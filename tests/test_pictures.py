"""The pictures of README and docs are there, small, and of the records that README's numbers come from."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks import plots

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("name", plots.PICTURES)
def test_drawn(name: str, tmp_path: Path) -> None:
    """Equal words, as the numbers are; lines may lie elsewhere with another matplotlib."""
    drawn = plots.draw(name, tmp_path).read_text()
    committed = (plots.HOME / f"{name}.svg").read_text()
    assert re.findall(r"<text.*?>(.*?)</text>", drawn) == re.findall(r"<text.*?>(.*?)</text>", committed)
    assert len(committed) < 60_000
    assert plots.draw(name, tmp_path).read_text() == drawn


def test_all_are_shown() -> None:
    shown = {
        match
        for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md"))
        for match in re.findall(r"pictures/([\w-]+)\.svg", page.read_text())
    }
    assert shown == set(plots.PICTURES) == {path.stem for path in plots.HOME.iterdir()}


def test_the_numbers_of_readme_are_those_of_the_records() -> None:
    table = (ROOT / "README.md").read_text().partition("| | beside |")[2].partition("\n\n")[0]
    said = [tuple(re.findall(r"\d+\.\d+", row.partition("|")[2].split("|", 2)[2])) for row in table.splitlines()[2:]]
    states = plots.records("workloads-cpu2.jsonl")
    found = []
    for name in ("tpch repeated", "tpch fresh", "tpch first", "tpch cold", "star fresh"):
        ratios = plots.workload(states, name).values()
        found.append((f"{plots.mean(ratios):.2f}", f"{min(ratios):.2f}"))
    for engine in ("pandas", "onnx"):
        ratios = [ratio for found in plots.predicted(engine).values() for ratio in found]
        found.append((f"{plots.mean(ratios):.1f}", f"{min(ratios):.1f}"))
    assert said == found
