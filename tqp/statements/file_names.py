"""The file of COPY, as a statement names it."""

from __future__ import annotations

from dataclasses import dataclass

from tqp.errors import BindError
from tqp.statements.caller import Caller

__all__ = ["FileName"]


@dataclass(frozen=True, slots=True)
class FileName:
    """A constant, or the text of an expression that gives the name when the statement runs."""

    text: str
    is_computed: bool = False

    def of(self, caller: Caller) -> str:
        """The name; BindError where there is none."""
        if not self.is_computed:
            return self.text
        rows = caller.query(f"SELECT ({self.text.strip()})::VARCHAR").fetchall()
        if len(rows) != 1 or rows[0][0] is None:
            raise BindError("COPY takes the name of one file", hint="COPY t TO ('folder/' || getvariable('name'))")
        return str(rows[0][0])
