"""The Python blocks of README and docs run, one after the other, and print what the text block after each shows.

`pytest tests/test_readme.py --update-golden` writes the text blocks anew.
"""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from contextlib import redirect_stdout
from inspect import Parameter, signature
from io import StringIO
from pathlib import Path

import pytest

from tests.installed import BLOCKED, PROJECT, others
from tqp import Connection

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
BLOCK = re.compile(r"(?<=```python\n)(.*?)```\n(?:\n```text\n(.*?)```\n)?", re.DOTALL)
PAGES = [
    page
    for page in (README, ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md")))
    if BLOCK.search(page.read_text())
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_examples(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    text = page.read_text()
    blocks = list(BLOCK.finditer(text))
    monkeypatch.chdir(tmp_path)
    # Each block is run after all before it, as a reader would; only what the last of them prints is looked at.
    rewritten, end = [], 0
    for place, block in enumerate(blocks):
        script = tmp_path / f"block_{place}.py"
        before = "\n".join(earlier[1] for earlier in blocks[:place])
        script.write_text(f"{before}\nprint({_MARK!r})\n{block[1]}")
        printed = StringIO()
        with redirect_stdout(printed):
            runpy.run_path(str(script))
        output = printed.getvalue().partition(f"{_MARK}\n")[2]
        if block[2] is None:
            assert output == ""
            continue
        if not request.config.getoption("--update-golden"):
            assert output == block[2]
        rewritten += [text[end : block.start(2)], output]
        end = block.end(2)
    if request.config.getoption("--update-golden"):
        page.write_text("".join(rewritten) + text[end:])


def test_arguments_are_those_of_the_methods() -> None:
    """A text block of calls without values, such as that of docs/functions.md, has each argument with its default."""
    blocks = [
        block
        for page in (ROOT / "docs").rglob("*.md")
        for block in re.findall(r"```text\n(con\..*?)```", page.read_text(), re.DOTALL)
    ]
    calls = [call for block in blocks for call in re.findall(r"^con\.(\w+)\((.*?)\)$", block, re.DOTALL | re.MULTILINE)]
    assert len(calls) >= 5
    for name, arguments in calls:
        written = signature(eval(f"lambda {' '.join(arguments.split())}: None")).parameters.values()
        found = [
            one.replace(annotation=Parameter.empty) for one in signature(getattr(Connection, name)).parameters.values()
        ]
        assert list(written) == found[1:], name


def test_blocks_are_of_a_known_language() -> None:
    """A block of Python under another name would not be run; nobody writes one without a name."""
    for page in (README, ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")):
        fences = re.findall(r"^ *```(.*)$", page.read_text(), re.MULTILINE)
        assert len(fences) % 2 == 0, page
        # Cells of IPython are those of tests/test_notebook.py; commands are below, and in tests/shell/test_page.py.
        known = {"python", "text", "sh"} | ({"ipython"} if page.name == "notebook.md" else set())
        assert {fence or "(none)" for fence in fences[::2]} <= known, page


def test_commands_are_of_a_kind_that_is_tested() -> None:
    """Blocks of a shell: `make` and `python -m` are looked up by tests/test_project.py, `pip install .` is what `make dist` does."""
    for page in (README, ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")):
        if page.name == "shell.md":
            continue
        for block in re.findall(r"```sh\n(.*?)```", page.read_text(), re.DOTALL):
            for line in block.splitlines():
                assert re.match(r"make\b|python -m (benchmarks|tpch|tests)\b|pip install \.$", line), (page, line)


def test_the_first_example_is_short_and_needs_no_extra(tmp_path: Path) -> None:
    """In a Python where nothing can be imported that `pip install .` does not bring; what needs more says what to install."""
    first = next(BLOCK.finditer(README.read_text()))
    assert first[1].count("\n") <= 15
    dependencies = PROJECT["dependencies"]
    names = {re.split(r"[\[>=<]", text)[0] for text in dependencies}
    assert names == {"torch", "sqlglot", "pyarrow", "numpy", "wcwidth"}
    script = tmp_path / "example.py"
    blocked = others(dependencies)
    assert blocked >= {"pandas", "polars", "duckdb", "sklearn", "onnx", "numba", "scipy"} and "sympy" not in blocked
    script.write_text(f"{BLOCKED.format(blocked=blocked)}\n{first[1]}\n{_ASKING}")
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    shown, _, errors = run.stdout.partition(f"{_MARK}\n")
    assert shown == first[2]
    assert errors.split() == ["[pandas]", "[polars]", "[verify]"]


def test_extras_are_those_of_the_project() -> None:
    """Every extra that README's table names exists, and every one that exists is named."""
    table = README.read_text().partition("| extra |")[2].partition("\n\n")[0]
    named = {name for row in table.splitlines()[2:] for name in re.findall(r"`([a-z]+)`", row.split("|")[1])}
    assert named == set(PROJECT["optional-dependencies"])


_MARK = "=" * 40
_ASKING = f"""
print({_MARK!r})
for ask, extra in ((result.df, "[pandas]"), (result.pl, "[polars]"), (result.verify, "[verify]")):
    try:
        ask()
    except tqp.errors.TqpError as error:
        assert extra in str(error)
        print(extra)
"""
