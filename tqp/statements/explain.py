"""EXPLAIN: the plan of a query, and with ANALYZE what a run of the query did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa

from tqp.errors import UnsupportedError
from tqp.relation import Relation
from tqp.statements.caller import Caller
from tqp.statements.head import QUERY_STARTS, Head
from tqp.statements.registry import statement

__all__: list[str] = []


@dataclass(frozen=True, slots=True)
class _Explain:
    query: str
    analyze: bool
    changes: ClassVar = False

    def run(self, caller: Caller) -> Relation:
        text = caller.query(self.query).explain(self.analyze)
        key = "analyzed_plan" if self.analyze else "physical_plan"
        return caller.rows(pa.table({"explain_key": [key], "explain_value": [text]}))


@statement("EXPLAIN")
def _read(head: Head) -> _Explain:
    analyze = head.take("ANALYZE")
    if head.word == "(" and head.following in ("FORMAT", "ANALYZE"):
        raise UnsupportedError(
            "options of EXPLAIN are not supported", hint="EXPLAIN or EXPLAIN ANALYZE", text=head.text
        )
    if head.word not in QUERY_STARTS:
        what = f"EXPLAIN of {head.word or 'nothing'}"
        raise UnsupportedError(f"{what} is not supported", hint="EXPLAIN the query in it", text=head.text)
    return _Explain(head.query(), analyze)
