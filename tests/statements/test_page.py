"""The example of docs/statements.md prints what the page shows."""

from __future__ import annotations

import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "statements.md"


def test_example() -> None:
    found = re.search(r"```python\n(.*?)```\n\n```text\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert found is not None
    printed = StringIO()
    with redirect_stdout(printed):
        exec(compile(found[1], str(PAGE), "exec"), {"__name__": "example"})
    assert printed.getvalue() == found[2]
