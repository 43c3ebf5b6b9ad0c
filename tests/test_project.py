"""The files around the code: what they name exists, and is the same everywhere."""

from __future__ import annotations

import re
import tomllib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

import tqp

ROOT = Path(__file__).parents[1]
PINS = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def read(path: str) -> Any:
    return yaml.safe_load((ROOT / path).read_text())


def test_version_report(monkeypatch: pytest.MonkeyPatch) -> None:
    report = dict(line.split(maxsplit=1) for line in tqp.version_report().splitlines())
    assert report["tqp"] == tqp.__version__
    assert list(report)[:8] == ["tqp", "Python", "system", "torch", "sqlglot", "sqlglotc", "pyarrow", "numpy"]
    assert "cores" in report["cpu"]
    assert any(name.startswith("cuda") for name in report)
    assert str(Path.home()) not in tqp.version_report()


def test_version_report_of_what_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    from tqp import installation

    found = installation._version
    monkeypatch.setattr(installation, "_version", lambda name: None if name in ("duckdb", "sqlglotc") else found(name))
    report = tqp.version_report()
    assert re.search(r"^sqlglotc +not installed$", report, re.MULTILINE)
    assert "duckdb" not in report


def test_hooks_run_the_ruff_of_the_tests() -> None:
    hooks = [hook for repo in read(".pre-commit-config.yaml")["repos"] for hook in repo["hooks"]]
    assert [hook["additional_dependencies"] for hook in hooks] == [[f"ruff=={PINS['ruff']}"]] * 2
    assert [hook["entry"].split()[:2] for hook in hooks] == [["ruff", "check"], ["ruff", "format"]]


def test_the_workflow_runs_make() -> None:
    workflow = read(".github/workflows/test.yml")
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    called = [step["run"] for step in steps if "run" in step]
    assert called == ["make test", "make slow", "make dist", "make docs"]
    assert workflow["jobs"]["test"]["strategy"]["matrix"]["python"] == ["3.11", "3.12", "3.13"]
    assert PROJECT["requires-python"] == ">=3.11"
    assert [text[-4:] for text in PROJECT["classifiers"] if "Python :: 3" in text] == ["3.11", "3.12", "3.13"]


def test_targets_are_there() -> None:
    """Every `make x` in the documentation is a target, and every target is said to be none of a file."""
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    phony = set(re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)[0].split())
    assert targets <= phony
    pages = [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *(ROOT / "docs").glob("*.md"),
        ROOT / ".github/workflows/test.yml",
    ]
    for page in pages:
        text = page.read_text()
        shell = "".join(re.findall(r"```sh\n(.*?)```", text, re.DOTALL))
        named = {*re.findall(r"(?:`|run: )make ([a-z-]+)", text), *re.findall(r"^make ([a-z-]+)", shell, re.MULTILINE)}
        assert named <= targets, page


def test_commands_are_there() -> None:
    """Each `python -m module --option` of the documentation names a module, and options that its folder's parsers know."""
    pages = [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        ROOT / "benchmarks/results/README.md",
        *(ROOT / "docs").glob("*.md"),
    ]
    commands = {
        command
        for page in pages
        for command in re.findall(r"python -m ((?:benchmarks|tpch|tests|tqp)\b[^`\n#|]*)", page.read_text())
    }
    assert len(commands) > 20
    for command in commands:
        module, *arguments = command.split()
        assert find_spec(module) is not None, command
        folders = {ROOT / module.split(".")[0], ROOT / "tpch"}
        parsers = "".join(path.read_text() for folder in folders for path in folder.rglob("*.py"))
        for option in re.findall(r"--[a-z][a-z-]*", " ".join(arguments)):
            # Options of one kind are made of their names.
            assert f'"{option}"' in parsers or option in ("--families", "--queries", "--sides"), command


@pytest.mark.parametrize("name", ["wrong-answer", "not-supported", "slow"])
def test_reports_ask_for_the_query_and_the_versions(name: str) -> None:
    form = read(f".github/ISSUE_TEMPLATE/{name}.yml")
    fields = {field["id"]: field for field in form["body"]}
    for must in ("query", "versions"):
        assert fields[must]["validations"]["required"]
    assert "tqp.version_report()" in fields["versions"]["attributes"]["description"]


def test_citation() -> None:
    cited = read("CITATION.cff")
    paper = cited["preferred-citation"]
    assert cited["cff-version"] == "1.2.0" and cited["license"] == PROJECT["license"]
    assert paper["title"] == "Query Processing on Tensor Computation Runtimes"
    assert len(paper["authors"]) == 10 and (paper["volume"], paper["issue"], paper["year"]) == (15, 11, 2022)
