"""What stands around a query whose columns are `c0`, `c1`, …: stars, PIVOT and UNPIVOT, ORDER BY and LIMIT."""

from __future__ import annotations

import random
from collections.abc import Sequence

__all__ = ["around", "order", "turned"]

_LIMITS = (
    "0", "1", "2", "5", "100", "1 + 2", "'3'", "50%", "12.5 PERCENT", "NULL",
)  # fmt: skip
_ASKED_LIMITS = ("(SELECT 3)", "(SELECT count(*) FROM (VALUES (1), (2)))", "(SELECT 33)%")
"""Those that a set operation cannot have."""


def around(rng: random.Random, source: str, kinds: Sequence[str]) -> str:
    """The same columns, asked for by a star or by FROM alone; of rows that are equal in one of them maybe one alone."""
    column = f"c{rng.randrange(len(kinds))}"
    forms = [
        f"FROM {source}", f"SELECT COLUMNS(*) FROM {source}", f"SELECT COLUMNS('^c[0-9]') FROM {source}",
        f"SELECT COLUMNS(lambda x: x LIKE 'c%') FROM {source}", f"SELECT * LIKE 'c_%' FROM {source}",
        f"SELECT * REPLACE (nullif({column}, {column}) AS {column}) FROM {source}",
        f"SELECT * EXCLUDE (x) FROM (SELECT *, 1 AS x FROM {source})",
        f"SELECT * FROM {source} WHERE COLUMNS('{column}$') IS NOT NULL",
        f"SELECT max(COLUMNS(*)) FROM {source}",
        f"SELECT DISTINCT * FROM (FROM {source} LIMIT ALL)",
    ]  # fmt: skip
    if "float" not in kinds:
        forms.append(f"SELECT * FROM (SELECT DISTINCT ON ({column}) * FROM {source} ORDER BY ALL)")
    return rng.choice(forms)


def turned(rng: random.Random, text: str, kinds: Sequence[str]) -> str:
    """PIVOT or UNPIVOT of the query."""
    columns = [f"c{place}" for place in range(len(kinds))]
    place = rng.randrange(len(kinds))
    alike = [column for column, kind in zip(columns, kinds, strict=True) if kind == kinds[place]]
    if rng.random() < 0.4:
        chosen = rng.sample(alike, rng.randint(1, len(alike)))
        nulls = rng.choice(("", "INCLUDE NULLS "))
        forms = [
            f"UNPIVOT ({text}) ON {', '.join(chosen)} INTO NAME n VALUE v",
            f"SELECT * FROM ({text}) s UNPIVOT {nulls}(v FOR n IN ({', '.join(chosen)}))",
        ]
        return rng.choice(forms)
    if kinds[place] == "float":
        return f"SELECT * FROM ({text})"
    others = [column for column in columns if column != columns[place]]
    values = rng.choice(("count(*)", f"max({rng.choice(columns)})", f"min({rng.choice(columns)}) AS m, count(*) AS c"))
    by = f" GROUP BY {rng.choice(others)}" if others and rng.random() < 0.7 else ""
    given = rng.choice(("", "", " IN (1, 2, 'a', NULL)"))
    return f"PIVOT ({text}) ON {columns[place]}{given} USING {values}{by}"


def order(rng: random.Random, kinds: Sequence[str], of_sets: bool) -> str:
    """ORDER BY, maybe with a LIMIT, of a query or of a set operation."""
    chosen = rng.sample(range(1, len(kinds) + 1), rng.randint(1, len(kinds)))
    if rng.random() < 0.1:
        return "ORDER BY ALL"
    keys = [
        f"{place}{rng.choice(('', ' ASC', ' DESC'))}{rng.choice(('', '', ' NULLS FIRST', ' NULLS LAST'))}"
        for place in chosen
    ]
    limit = f" LIMIT {rng.choice(_LIMITS if of_sets else _LIMITS + _ASKED_LIMITS)}" if rng.random() < 0.5 else ""
    return f"ORDER BY {', '.join(keys)}{limit}" + (f" OFFSET {rng.choice((0, 1, 3))}" if rng.random() < 0.25 else "")
