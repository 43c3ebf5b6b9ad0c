"""The examples of docs/shell.md run, and print what stands below them.

`pytest tests/shell/test_page.py --update-golden` writes their output anew.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tqp.shell.commands import COMMANDS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "shell.md"
BLOCK = re.compile(r"```sh\n(.*?)```\n\n```text\n(.*?)```\n", re.DOTALL)


@pytest.mark.slow
def test_examples(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    text = PAGE.read_text()
    blocks = list(BLOCK.finditer(text))
    assert len(blocks) == text.count("```sh\n") >= 5
    rewritten, end = [], 0
    for block in blocks:
        script = f'tqp() {{ "{sys.executable}" -m tqp "$@"; }}\n{block[1]}'
        run = subprocess.run(
            ["bash", "-c", script],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if not request.config.getoption("--update-golden"):
            assert run.stdout == block[2]
        rewritten += [text[end : block.start(2)], run.stdout]
        end = block.end(2)
    if request.config.getoption("--update-golden"):
        PAGE.write_text("".join(rewritten) + text[end:])


def test_every_command_is_on_the_page() -> None:
    rows = [f"| `{command.shown}` | {command.help} |".replace("on|off", "on\\|off") for command in COMMANDS.values()]
    assert "\n".join(rows) in PAGE.read_text()
