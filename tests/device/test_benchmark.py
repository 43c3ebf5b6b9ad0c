"""The benchmark for a machine with a GPU, rehearsed: its parts, their limits, and what they write."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType

import pytest
import torch

from benchmarks import cuda, cuda_micro, cuda_work
from benchmarks.cuda import Part


def _part(name: str, code: str, seconds: int = 20) -> Part:
    return Part(name, "?", seconds, lambda at: [[sys.executable, "-c", code]])


def test_parts_have_their_own_limits_and_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = (
        _part("hangs", "import time; print('begun', flush=True); time.sleep(60)", seconds=3),
        _part("dies", "import os; os.abort()"),
        _part("works", "print('here')"),
        Part("absent", "?", 20, lambda at: "there is no such thing"),
    )
    monkeypatch.setattr(cuda, "PARTS", parts)
    assert cuda.main(["--device", "sim", "--out", str(tmp_path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    endings = ["stopped after 3 s", "failed with status -6", "done", "left out: there is no such thing"]
    assert len(lines) == 5
    assert [ending in line for ending, line in zip(endings, lines, strict=False)] == [True] * 4
    assert (tmp_path / "hangs.txt").read_text() == "begun\n"
    assert (tmp_path / "works.txt").read_text() == "here\n"
    assert cuda.main(["--device", "sim", "--out", str(tmp_path), "--only", "works,absent"]) == 0
    assert cuda.main(["--device", "sim", "--out", str(tmp_path), "--only", "works", "--seconds", "0"]) == 0
    assert "no time is left" in capsys.readouterr().out


@pytest.mark.parametrize("device", ["sim", "cuda"])
def test_every_part_says_what_it_runs(tmp_path: Path, device: str) -> None:
    for part in cuda.PARTS:
        commands = part.commands(cuda.Setting(device, tmp_path, device == "sim"))
        assert isinstance(commands, str) == (device == "sim" and part.name in ("sf10", "compile"))
        assert isinstance(commands, str) or all(any(device in word for word in command) for command in commands[:1])


def test_micro_gives_the_constants(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "micro.jsonl"
    assert cuda_micro.main(["--device", "sim", "--rows", "100", "--json", str(out)]) == 0
    *lines, constants = [json.loads(line) for line in out.read_text().splitlines()]
    assert {"launch", "item", "scatter into 4 over 64 addresses", "upload pageable"} <= {line["name"] for line in lines}
    assert all(line["host_us"] > 0 for line in lines)
    assert constants["name"] == "constants" and constants["item_us"] > 0
    assert "pinned copies and graphs were left out" in capsys.readouterr().out


def test_work_counts_each_query(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "work.jsonl"
    assert cuda_work.main(["--device", "sim", "--sf", "0.01", "--queries", "1,6", "--json", str(out)]) == 0
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert [line["name"] for line in lines] == ["Q1", "Q6"]
    assert all(line["kernels"] > 20 and line["waits"] > 0 for line in lines)
    assert "left out" in capsys.readouterr().out


@pytest.mark.parametrize("program", [cuda, cuda_micro, cuda_work], ids=lambda program: program.__name__)
def test_without_cuda_nothing_begins(
    program: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert program.main([]) == 2
    assert "torch sees no CUDA device\nHint: --device sim" in capsys.readouterr().err
