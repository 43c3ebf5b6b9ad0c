"""How the queries of a seed went."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from tests.fuzz.check import Disagreement, Outcome, Pair, Values
from tests.fuzz.shrink import shrink


@dataclass
class Report:
    """Outcomes, and the disagreements as text."""

    outcomes: Counter[Outcome] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    def add(self, other: Report) -> None:
        self.outcomes += other.outcomes
        self.failures += other.failures

    def failed(self, outcome: Outcome, text: str) -> None:
        self.outcomes[outcome] += 1
        self.failures.append(text)


def judge(
    report: Report,
    pair: Pair,
    sql: str,
    where: str,
    settings: tuple[str, ...] | None = None,
    params: Values = None,
    before: str | None = None,
) -> Outcome | None:
    """The outcome of a query, which `report` gets; None where tqp and DuckDB disagree.

    It runs under `settings`, else under one besides the plain ones, in turn.
    """

    def failure(text: str) -> str | None:
        try:
            pair.check(text, settings, params, before)
        except Disagreement as found:
            return str(found)
        return None

    try:
        outcome = pair.check(sql, pair.turn() if settings is None else settings, params, before)
    except Disagreement as found:
        report.failed(found.outcome, f"{where}: {found.outcome.value}: {shrink(sql, str(found), failure)}")
        return None
    report.outcomes[outcome] += 1
    return outcome
