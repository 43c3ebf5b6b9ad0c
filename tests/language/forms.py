"""The clauses and statements of `forms.sql`, each with its title."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Form", "forms"]

FILE = Path(__file__).parent / "forms.sql"
_SECTION, _TITLE, _NOT_FIXED = "-- # ", "-- ", " (rows differ)"


@dataclass(frozen=True)
class Form:
    """A clause, an operator or a statement: a text that shows it. `fixed`: the answer is the same each time."""

    section: str
    title: str
    sql: str
    fixed: bool

    @property
    def name(self) -> str:
        """Its title, under that of its section."""
        return f"{self.section}: {self.title}"


def forms() -> Iterator[Form]:
    """All of the file, in its order."""
    section = title = ""
    lines: list[str] = []
    for line in [*FILE.read_text().splitlines(), _TITLE]:
        if not line.startswith(_TITLE):
            lines.append(line)
            continue
        sql = "\n".join(lines).strip()
        if sql:
            yield Form(section, title.removesuffix(_NOT_FIXED), sql, not title.endswith(_NOT_FIXED))
        lines = []
        if line.startswith(_SECTION):
            section = line.removeprefix(_SECTION)
        else:
            title = line.removeprefix(_TITLE)
