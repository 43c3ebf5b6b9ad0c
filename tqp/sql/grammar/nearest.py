"""NEAREST behind a JOIN: the parser, which does not know it, is given ON and a call whose name says the clause."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlglot import exp

__all__ = ["Clause", "clause_of", "written"]

_NAME: Final = "nearest by"


@dataclass(frozen=True)
class Clause:
    """`[APPROX | EXACT] NEAREST [rows] BY DISTANCE | SIMILARITY ranking`; `rows` is the number as it was written."""

    ranking: exp.Expr
    rows: str
    descending: bool
    approximate: bool


def written(rows: str, descending: bool, approximate: bool) -> str:
    """The name of the call that stands for the clause."""
    return f"{_NAME} {'similarity' if descending else 'distance'} {'approx' if approximate else 'exact'} {rows}"


def clause_of(node: exp.Join) -> Clause | None:
    """What a JOIN says behind its table, where that is NEAREST."""
    call = node.args.get("on")
    if not isinstance(call, exp.Anonymous) or not call.name.startswith(_NAME):
        return None
    direction, approximate, rows = call.name.removeprefix(_NAME).split()
    (ranking,) = call.expressions
    return Clause(ranking, rows, direction == "similarity", approximate == "approx")
