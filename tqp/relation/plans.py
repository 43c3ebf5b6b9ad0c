"""Optimized plans for people and for programs: as text, as JSON, and as drawings for Graphviz and Mermaid."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Final

from tqp.ir.expr import Predict
from tqp.ir.plan import Plan, Shared
from tqp.ir.show import headline, printable, show
from tqp.ir.visit import definitions, expressions, walk
from tqp.operators.predict import describe
from tqp.optimizer.cardinality import Estimator
from tqp.runtime.explain import of_distinct_values

__all__ = ["REUSED", "ShownPlan"]

REUSED: Final = "-- plan: that of the same query with other constants"


@dataclass
class _Operator:
    """A node of a plan as JSON has it: `inputs` are the ids of those whose rows it reads."""

    id: int
    name: str
    text: str
    columns: list[dict[str, str]]
    estimated_rows: float
    is_measured: bool
    remarks: list[str]
    inputs: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class ShownPlan:
    """An optimized plan, the `rules` that changed it, and whether it is that of the same query with other constants."""

    plan: Plan
    rules: Sequence[str]
    is_reused: bool

    def text(self) -> str:
        """One operator a line, its inputs indented below it."""
        estimator = Estimator()

        def remark(plan: Plan) -> str:
            rows = estimator.rows(plan)
            count = f"~{rows:,.0f} row{'' if round(rows) == 1 else 's'}"
            count += ", as measured" if estimator.is_measured(plan) else ""
            return "; ".join([count, *_remarks(plan)])

        lines = [show(self.plan, remark)]
        if self.rules:
            lines.append(f"-- rules: {', '.join(self.rules)}")
        if self.is_reused:
            lines.append(REUSED)
        return "\n".join(lines)

    def json(self) -> str:
        """The operators as a list, in which the last one of the query is the first; docs/explain.md has the members."""
        operators = list(map(asdict, self._operators()))
        return json.dumps({"operators": operators, "rules": list(self.rules), "is_reused": self.is_reused}, indent=2)

    def graphviz(self) -> str:
        """A graph in Graphviz' language: rows go along its arrows."""
        lines = ["digraph plan {", "  rankdir=BT;", "  node [shape=box];"]
        for one in self._operators():
            text = one.text.replace("\\", "\\\\").replace('"', '\\"')
            lines.append(f'  n{one.id} [label="{text}\\n~{one.estimated_rows:,.0f} rows"];')
            lines += [f"  n{place} -> n{one.id};" for place in one.inputs]
        return "\n".join([*lines, "}"])

    def mermaid(self) -> str:
        """A flowchart in Mermaid's language: rows go along its arrows."""
        lines = ["flowchart BT"]
        for one in self._operators():
            lines.append(f'  n{one.id}["{_in_mermaid(one.text)}<br/>~{one.estimated_rows:,.0f} rows"]')
            lines += [f"  n{place} --> n{one.id}" for place in one.inputs]
        return "\n".join(lines)

    def _operators(self) -> Sequence[_Operator]:
        """Each operator before its inputs. What several read stands once, behind all that is not shared."""
        shared = {tree: place for place, tree in enumerate(definitions(self.plan), 1)}
        estimator = Estimator()
        found: list[_Operator] = []
        first: dict[Plan, int] = {}
        readers: list[tuple[_Operator, Plan]] = []
        for tree in (self.plan, *shared):
            first[tree] = len(found)
            stack: list[tuple[Plan, _Operator | None]] = [(tree, None)]
            while stack:
                plan, reader = stack.pop()
                one = _Operator(
                    len(found),
                    type(plan).__name__,
                    printable(headline(plan, shared)),
                    [{"name": column.symbol, "type": str(column.dtype)} for column in plan.schema],
                    estimator.rows(plan),
                    estimator.is_measured(plan),
                    list(_remarks(plan)),
                )
                found.append(one)
                if reader is not None:
                    reader.inputs.append(one.id)
                if isinstance(plan, Shared):
                    readers.append((one, plan.definition))
                stack.extend((child, one) for child in reversed(plan.children))
        for one, definition in readers:
            one.inputs.append(first[definition])
        return found


def _remarks(plan: Plan) -> Iterator[str]:
    """What its models are, and what runs once for each distinct value."""
    calls = [part for expr in expressions(plan) for part in walk(expr) if isinstance(part, Predict)]
    yield from dict.fromkeys(map(describe, calls))
    yield from of_distinct_values(plan)


def _in_mermaid(text: str) -> str:
    """A text between quotes, where Mermaid takes a character by its number."""
    return "".join(letter if letter.isalnum() or letter in " _.,:=()+*/~" else f"#{ord(letter)};" for letter in text)
