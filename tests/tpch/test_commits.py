"""The benchmark of two commits: what it asks of each, what it writes, and that it leaves no checkout behind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import ClassVar

import pytest

from benchmarks import commits
from benchmarks.timing import Record


@pytest.mark.slow
def test_two_commits_take_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str, str]] = []
    right = commits.Commit.milliseconds

    def milliseconds(self: commits.Commit, action: str, text: str) -> tuple[float, float]:
        asked.append((self.tree.name, action, text))
        return right(self, action, text)

    monkeypatch.setattr(commits.Commit, "milliseconds", milliseconds)
    out = tmp_path / "out.jsonl"
    options = [
        "--sf",
        "0.01",
        "--threads",
        "1",
        "--starts",
        "1",
        "--rounds",
        "2",
        "--queries",
        "6,13",
        "--json",
        str(out),
    ]
    commits.main(["--base", "HEAD", *options])
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert [line["name"] for line in lines] == [
        f"{mode}: {name}" for mode in commits.MODES for name in ("Q6", "Q13", "all")
    ]
    for line in lines:
        assert len(line["runs_ms"]) == 2
        assert min(line[f"{side}_{kind}_ms"] for side in ("base", "new") for kind in ("wall", "cpu")) > 0
        assert line["wall_ratio"] > 0 and line["cpu_ratio"] > 0
    trees = [tree for tree, _, _ in asked]
    assert trees.count("tree") == trees.count(commits.HOME.name) == len(asked) // 2
    assert set(trees[:4]) == set(trees[4:8]) and trees[:2] != trees[4:6], "who goes first alternates"
    assert [action for _, action, _ in asked] == ["run"] * 48 + ["plan"] * 16
    texts = [text for tree, _, text in asked if tree == "tree"]
    assert len(set(texts[:8])) == 2, "the same texts in each round"
    assert {text.lower() for text in texts[8:16]}.isdisjoint(texts[:8]), "other constants"
    assert len({*texts[:8], *texts[16:24]}) == 2 + 8, "each text once"
    assert {text.lower() for text in texts[16:]} == {text.lower() for text in texts[:8]}, "the same query"


class Clockwork:
    """In the place of a process: the n-th one of a tree takes n ms."""

    started: ClassVar[list[Path]] = []

    def __init__(self, tree: Path, sf: float, threads: int) -> None:
        self.started.append(tree)
        self._number = self.started.count(tree)

    def __enter__(self) -> Clockwork:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def milliseconds(self, action: str, text: str) -> tuple[float, float]:
        return float(self._number), float(self._number)


def test_each_start_has_processes_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commits, "Commit", Clockwork)
    out = tmp_path / "out.jsonl"
    options = ["--modes", "same", "--starts", "3", "--rounds", "2", "--queries", "6", "--json", str(out)]
    commits.main(["--base", "HEAD", *options])
    assert len(Clockwork.started) == 6 and len(set(Clockwork.started)) == 2
    each, _ = [json.loads(line) for line in out.read_text().splitlines()]
    assert each["runs_ms"] == [1, 1, 2, 2, 3, 3]
    assert each["new_wall_ms"] == each["base_wall_ms"] == 2 and each["starts"] == 3


def test_a_checkout_is_gone_afterwards() -> None:
    with pytest.raises(ZeroDivisionError), commits.checked_out("HEAD") as tree:
        assert (tree / "tqp" / "__init__.py").is_file()
        assert tree != commits.HOME
        raise ZeroDivisionError
    assert not tree.exists()
    with commits.checked_out(None) as tree:
        assert tree == commits.HOME


def test_the_mean_of_ratios_is_of_medians(capsys: pytest.CaptureFixture[str]) -> None:
    halved = commits.Times([8, 8, 99], [4, 4, 4], [4, 4, 1], [4, 4, 4])
    doubled = commits.Times([1, 1, 1], [1, 1, 1], [8, 8, 8], [1, 1, 1])
    commits.report(Record("commits", None), "same", {1: halved, 2: doubled})
    each, other, every = capsys.readouterr().out.splitlines()
    assert "wall_ratio=2.0" in each and "wall_ratio=0.125" in other
    assert "base_wall_ms=9" in every and "new_wall_ms=12" in every
    assert "wall_ratio=0.5" in every and "cpu_ratio=1.0" in every
