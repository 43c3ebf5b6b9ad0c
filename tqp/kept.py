"""What is kept so that it need not be made again: one list of all of it, whoever keeps it.

Everything that outlives the query it was made for is one of `KINDS`, where its bound and its end are written down; who keeps
some gives it as `Kept`. `Connection.cache` lists them and `Connection.clear_cache` lets go of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["KINDS", "Kept", "Kind"]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of things kept: what bounds their number, and what ends them."""

    name: str
    bound: str
    until: str


_TABLE_ENDS: Final = "the table goes: registered anew or unregistered, its file written or gone, its object gone"

KINDS: Final = {
    kind.name: kind
    for kind in (
        Kind(
            "plan",
            "256 queries, the last used, and up to 4 of each of 128 shapes",
            "a name in it means something else, or an object that it reads is gone",
        ),
        Kind("compiled", "one a pipeline of a plan", "the plan goes"),
        Kind("rows", "256 files or sets of files, the last used, and those registered", _TABLE_ENDS),
        Kind("column", "one a column that was read", _TABLE_ENDS),
        Kind("dictionary", "one a column of text that was read", _TABLE_ENDS),
        Kind("statistics", "one a column that was planned with", _TABLE_ENDS),
        Kind(
            "index",
            "one a column that was joined on, if it is unique or sorted; others once two queries asked for them, within a budget",
            f"{_TABLE_ENDS}; of the others the least recently used, when there is no room",
        ),
        Kind("selectivity", "256 shapes of conditions on a table, the last used", _TABLE_ENDS),
        Kind("zones", "one a column that rows were chosen by", _TABLE_ENDS),
        Kind("answers", "one a string of a dictionary that the model was asked of", "the dictionary or the model goes"),
    )
}
"""All there is, by name."""


@dataclass(frozen=True, slots=True)
class Kept:
    """One thing that is kept, its place, and its bytes (of a plan an estimate)."""

    kind: str
    key: str
    bytes: int
