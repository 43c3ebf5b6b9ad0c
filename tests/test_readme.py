"""The README's Python blocks run, one after the other, and print what the text block after each shows.

`pytest tests/test_readme.py --update-golden` writes the text blocks anew.
"""

from __future__ import annotations

import re
import runpy
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"
BLOCK = re.compile(r"(?<=```python\n)(.*?)```\n(?:\n```text\n(.*?)```\n)?", re.DOTALL)


def test_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    text = README.read_text()
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
        README.write_text("".join(rewritten) + text[end:])


_MARK = "=" * 40
