"""The Python blocks of README and docs run, one after the other, and print what the text block after each shows.

`pytest tests/test_readme.py --update-golden` writes the text blocks anew.
"""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
import tomllib
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"
PAGES = [README, README.parent / "docs" / "architecture.md"]
PROJECT = README.parent / "pyproject.toml"
BLOCK = re.compile(r"(?<=```python\n)(.*?)```\n(?:\n```text\n(.*?)```\n)?", re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    text = page.read_text()
    blocks = list(BLOCK.finditer(text))
    assert len(blocks) >= 3 and blocks[0][1].count("\n") <= 20
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


def test_the_first_example_needs_no_extra(tmp_path: Path) -> None:
    """In a Python where nothing beyond the dependencies can be imported; what does need more says what to install."""
    first = next(BLOCK.finditer(README.read_text()))
    dependencies = {
        re.split(r"[\[>=<]", text)[0] for text in tomllib.loads(PROJECT.read_text())["project"]["dependencies"]
    }
    assert dependencies == {"torch", "sqlglot", "pyarrow", "numpy"}
    script = tmp_path / "example.py"
    script.write_text(f"{_BLOCKED}\n{first[1]}\n{_ASKING}")
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    shown, _, errors = run.stdout.partition(f"{_MARK}\n")
    assert shown == first[2]
    assert errors.split() == ["[pandas]", "[polars]", "[verify]"]


_MARK = "=" * 40
_BLOCKED = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"pandas", "polars", "duckdb", "sklearn", "onnx", "onnxruntime", "scipy"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Blocked())
"""
_ASKING = f"""
print({_MARK!r})
for ask, extra in ((result.df, "[pandas]"), (result.pl, "[polars]"), (result.verify, "[verify]")):
    try:
        ask()
    except tqp.errors.TqpError as error:
        assert extra in str(error)
        print(extra)
"""
