"""EXPLAIN: the plan of a query, or of the query that a statement holds, and with ANALYZE what a run of a query did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa

from tqp.errors import UnsupportedError
from tqp.relation import Relation
from tqp.statements.caller import Caller
from tqp.statements.head import Head
from tqp.statements.registry import Asks, reader_of, statement

__all__: list[str] = []


@dataclass(frozen=True, slots=True)
class _Explain:
    asked: str | Asks
    """A query, or a statement that holds one."""
    analyze: bool
    changes: ClassVar = False

    def run(self, caller: Caller) -> Relation:
        asked = caller.query(self.asked) if isinstance(self.asked, str) else self.asked.asked(caller)
        key = "analyzed_plan" if self.analyze else "physical_plan"
        return caller.rows(pa.table({"explain_key": [key], "explain_value": [asked.explain(self.analyze)]}))


@statement("EXPLAIN")
def _read(head: Head) -> _Explain:
    analyze = head.take("ANALYZE")
    if head.word == "(" and head.following in ("FORMAT", "ANALYZE"):
        raise UnsupportedError(
            "options of EXPLAIN are not supported", hint="EXPLAIN or EXPLAIN ANALYZE", text=head.text
        )
    head.first = head.place
    reader = reader_of(head)
    found = None if reader is None else reader(head)
    if found is None:
        head.place = head.first
        return _Explain(head.query(), analyze)
    what = f"EXPLAIN {'ANALYZE ' if analyze else ''}of {head.words[head.first]}"
    if not isinstance(found, Asks):
        raise UnsupportedError(f"{what} is not supported", hint="EXPLAIN a query", text=head.text)
    if analyze:
        raise UnsupportedError(
            f"{what} is not supported", hint="EXPLAIN shows its plan; ANALYZE the query in it", text=head.text
        )
    return _Explain(found, analyze)
