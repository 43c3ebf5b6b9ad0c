"""Numbers of what a catalog holds, by which tables that describe it refer to each other, as Postgres calls them."""

from __future__ import annotations

from functools import cache
from itertools import count
from typing import Final

__all__ = ["DATABASE_OIDS", "FIRST_OF_SYSTEM", "new_oid", "schema_oid"]

DATABASE_OIDS: Final = {"system": 0, "memory": 16384, "temp": 16385}
"""Those of the databases that every connection has."""

FIRST_OF_SYSTEM: Final = 100
"""Where those of built-in functions and views begin."""

new_oid: Final = count(20000).__next__
"""A number that nothing had before. What a statement changes keeps its own, whatever its name is then."""


@cache
def schema_oid(database: str, schema: str) -> int:
    """The number of a schema: of one name the same."""
    return new_oid()
