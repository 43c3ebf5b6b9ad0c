"""Examples in docstrings as blocks of code on the page of the API: paragraphs that begin with `>>>`."""

from __future__ import annotations

import re
from typing import Any

import griffe

_EXAMPLE = re.compile(r"^(>>> .*(?:\n.+)*)", re.MULTILINE)


class Examples(griffe.Extension):
    """Fences them, in each docstring that is read."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = _EXAMPLE.sub(r"```pycon\n\1\n```", obj.docstring.value)
