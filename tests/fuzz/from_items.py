"""What stands in FROM beside tables: table functions, and what reads columns of the items before it."""

from __future__ import annotations

import random
from collections.abc import Sequence

from tests.fuzz.data import RandomTable
from tests.fuzz.expressions import Reference

__all__ = ["asof", "joined_beside", "limited", "nearest", "recursive", "series"]

SERIES_ROWS = 4
"""About how many rows a series has."""


def series(rng: random.Random, alias: str, before: Sequence[Reference] = ()) -> tuple[str, list[Reference]]:
    """A call of a table function, whose arguments may read what stands before it, and its columns."""
    numbers = [reference.text for reference in before if reference.kind == "int"]
    days = [reference.text for reference in before if reference.kind in ("date", "ts")]

    def number() -> str:
        return f"({rng.choice(numbers)} % 5)" if numbers and rng.random() < 0.7 else str(rng.randrange(-2, 6))

    numbered = rng.random() < 0.2
    ordinality, names = (" WITH ORDINALITY", "n, o") if numbered else ("", "n")
    kind = "int"
    if days and rng.random() < 0.3:
        step = rng.choice(("1 MONTH", "20 DAY", "-1 MONTH", "'1 month 2 days'", "30 HOUR"))
        start = rng.choice(days)
        sign = "-" if step.startswith("-") else "+"
        call = f"{rng.choice(('range', 'generate_series'))}({start}, {start} {sign} INTERVAL 70 DAY, INTERVAL {step})"
        kind = "ts"
    else:
        name = rng.choice(("range", "generate_series"))
        call = rng.choice(
            (
                f"{name}({number()})",
                f"{name}({number()}, {number()})",
                f"{name}({number()}, {number()}, {rng.choice('-2 -1 1 2 3'.split())})",
            )
        )
    if rng.random() < 0.2:
        call, kind = f"unnest([{', '.join(number() for _ in range(rng.randrange(1, 4)))}])", "int"
    if rng.random() < 0.12:
        # Without an end only where nothing is read of other items: DuckDB goes on then, whatever LIMIT says.
        ends = bool(before) or rng.random() < 0.7
        step = f"SELECT i + 1 FROM {alias}_r{f' WHERE i < {number()}' if ends else ''}"
        rows = f"SELECT i FROM {alias}_r{'' if ends else f' LIMIT {rng.randrange(5)}'}"
        call = f"(WITH RECURSIVE {alias}_r(i) AS (SELECT {number()} UNION ALL {step}) {rows})"
        return f"{call} AS {alias}(n)", [Reference(f"{alias}.n", "int")]
    texts = [reference.text for reference in before if reference.kind in ("text", "json", "list", "struct")]
    if not numbered and rng.random() < 0.1:
        value = (
            f"to_json({rng.choice(texts)})" if texts and rng.random() < 0.7 else """'{"a": [1, null], "b": {"c": 2}}'"""
        )
        call = f"{rng.choice(('json_each', 'json_tree'))}({value}) AS {alias}(k, v, t, a, n)"
        return call, [Reference(f"{alias}.k", "text"), Reference(f"{alias}.v", "json"), Reference(f"{alias}.n", "int")]
    if not numbered and kind == "int" and rng.random() < 0.15:
        inner = ", ".join(f"[{number()}, {number()}]" for _ in range(rng.randrange(1, 3)))
        value = rng.choice(
            (
                f"[{inner}], recursive := true",
                f"[[{inner}]], max_depth := 3",
                f"{{'n': {number()}}}",
                f"[{{'n': {number()}}}, NULL], recursive := true",
            )
        )
        return f"(SELECT unnest({value})) AS {alias}(n)", [Reference(f"{alias}.n", "int")]
    found = [Reference(f"{alias}.n", kind)]
    if numbered:
        found.append(Reference(f"{alias}.o", "int"))
    return f"{call}{ordinality} AS {alias}({names})", found


def limited(rng: random.Random, query: str) -> str:
    """The query, at times with its first rows alone: for each row beside which it stands."""
    return f"SELECT * FROM ({query}) ORDER BY ALL LIMIT {rng.choice((1, 2))}" if rng.random() < 0.3 else query


def joined_beside(rng: random.Random, text: str, item: str, condition: str | None) -> str:
    """FROM with an item that reads columns of what stands before it; `condition` for its ON, if it is to have one."""
    lateral = rng.choice(("", "LATERAL ")) if item.startswith("(") else ""
    if condition is None:
        return f"{text} CROSS JOIN {lateral}{item}"
    return f"{text} {rng.choice(('JOIN', 'LEFT JOIN'))} {lateral}{item} ON {condition}"


def asof(
    rng: random.Random, text: str, before: Sequence[Reference], table: RandomTable, alias: str
) -> tuple[str, list[Reference]] | None:
    """FROM with an ASOF join, and the columns that it adds; None where there is nothing to join by.

    No two rows of the right side are equally near: it has each combination of key and value once.
    """
    kinds = ("int", "dec", "float", "text", "date", "ts")
    pairs = [(a, column) for a in before for column, kind in table.kinds.items() if a.kind == kind and kind in kinds]
    if not pairs:
        return None
    left, column = rng.choice(pairs)
    keys = [(a, other) for a, other in pairs if other != column and a.kind not in ("float",)]
    on = f"{left.text} {rng.choice(('<', '<=', '>', '>='))} {alias}.c0"
    columns = [f"{column} AS c0"]
    found = [Reference(f"{alias}.c0", left.kind)]
    if keys and rng.random() < 0.6:
        mine, theirs = rng.choice(keys)
        columns.append(f"{theirs} AS c1")
        found.append(Reference(f"{alias}.c1", mine.kind))
        on = f"{mine.text} = {alias}.c1 AND {on}"
    # DuckDB does not come to the end of some RIGHT and FULL ones.
    kind = rng.choice(("", "LEFT "))
    item = f"(SELECT DISTINCT {', '.join(columns)} FROM {table.name}) {alias}"
    return f"{text} ASOF {kind}JOIN {item} ON {on}", found


def nearest(
    rng: random.Random, text: str, before: Sequence[Reference], table: RandomTable, alias: str
) -> tuple[str, list[Reference]] | None:
    """FROM with the nearest rows of a table, or with the first in LATERAL, and the columns that it adds.

    None where there is nothing to rank by. No two of the rows that a row may have rank alike.
    """
    kinds = ("int", "dec", "float", "text", "date", "ts")
    ranked = [column for column, kind in table.kinds.items() if kind in kinds]
    if not ranked or not before:
        return None
    column, other = rng.choice(ranked), rng.choice(before)
    keys = [(a, b) for a in before for b, kind in table.kinds.items() if a.kind == kind in kinds and b != column]
    columns, found = [f"{column} AS c0"], [Reference(f"{alias}.c0", table.kinds[column])]
    item = f"SELECT DISTINCT {', '.join(columns)} FROM {table.name}"
    if keys and rng.random() < 0.5:
        mine, theirs = rng.choice(keys)
        found.append(Reference(f"{alias}.c1", mine.kind))
        item = (
            f"SELECT * FROM (SELECT DISTINCT {column} AS c0, {theirs} AS c1 FROM {table.name}) r WHERE c1 = {mine.text}"
        )
    rank = rng.choice(
        ("c0", f"CASE WHEN {other.text} IS NOT NULL THEN c0 END", f"[{other.text}::VARCHAR, c0::VARCHAR]")
    )
    kind, rows = rng.choice(("", "LEFT ")), rng.randrange(1, 4)
    if rng.random() < 0.3:
        down = rng.choice(("", " DESC"))
        item = f"SELECT * FROM ({item}) i ORDER BY {rank}{down} NULLS LAST, c0 LIMIT {rows}"
        return f"{text} {kind}JOIN LATERAL ({item}) {alias} ON true", found
    how, by = rng.choice(("", "EXACT ", "APPROX ")), rng.choice(("DISTANCE", "SIMILARITY"))
    count = "" if rows == 1 else f" {rows}"
    return f"{text} {kind}JOIN ({item}) {alias} {how}NEAREST{count} BY {by} {rank}", found


def recursive(rng: random.Random, name: str, table: RandomTable) -> tuple[str, list[str]] | None:
    """A clause of WITH RECURSIVE that ends, and its columns' kinds; None where the table has no integers.

    Its integers stay below 7, and those that came before are left out, or it takes a few steps.
    """
    integers = [column for column, kind in table.kinds.items() if kind == "int"]
    if not integers:
        return None
    first, second = rng.choice(integers), rng.choice(integers)
    other = rng.choice(list(table.kinds))
    if rng.random() < 0.3:
        return _keyed(rng, name, table, (first, second), other)
    if rng.random() < 0.5:
        step = rng.choice(
            (
                f"SELECT (c0 * 3 + {rng.randrange(7)}) % 7, c1 FROM {name}",
                f"SELECT {second} % 7, c1 FROM {name} JOIN {table.name} ON {first} % 7 = c0",
                f"SELECT {second} % 7, {other} FROM {table.name} WHERE {first} % 7 IN (SELECT c0 FROM {name})",
                f"SELECT n % 7, c1 FROM {name}, range(c0) s(n)",
                f"SELECT a.c0, b.c1 FROM {name} a LEFT JOIN recurring.{name} b ON a.c0 = b.c0 + 1",
            )
        )
        return f"{name}(c0, c1) AS (SELECT {first} % 7, {other} FROM {table.name} UNION {step})", [
            "int",
            table.kinds[other],
        ]
    step = rng.choice(
        (
            f"SELECT c0 + 1, c1 FROM {name} WHERE c0 < {rng.randrange(5)}",
            f"SELECT c0 + 1, max(c1) FROM {name} WHERE c0 < {rng.randrange(5)} GROUP BY c0",
            f"SELECT c0 + 1, {other} FROM {name} LEFT JOIN {table.name} ON {first} = c0 WHERE c0 < {rng.randrange(3)}",
        )
    )
    return f"{name}(c0, c1) AS (SELECT 0, {other} FROM {table.name} UNION ALL {step})", ["int", table.kinds[other]]


def _keyed(
    rng: random.Random, name: str, table: RandomTable, integers: tuple[str, str], other: str
) -> tuple[str, list[str]]:
    """One with USING KEY: best values, which change a few times, or what steps that end add to a key."""
    first, second = integers
    seed = f"SELECT {first} % 7, {other} FROM {table.name}"
    if rng.random() < 0.6:
        step = rng.choice(
            (
                f"SELECT (c0 * 3 + {rng.randrange(7)}) % 7, c1 FROM {name}",
                f"SELECT {second} % 7, c1 FROM {name} JOIN {table.name} ON {first} % 7 = c0",
                f"SELECT {second} % 7, {other} FROM {table.name} WHERE {first} % 7 IN (SELECT c0 FROM {name})",
                f"SELECT a.c0, b.c1 FROM {name} a LEFT JOIN recurring.{name} b ON a.c0 = b.c0 + 1",
            )
        )
        call = rng.choice(("min(c1)", "max(c1)"))
        return f"{name}(c0, c1) USING KEY (c0, {call}) AS ({seed} UNION {step})", ["int", table.kinds[other]]
    step = f"SELECT c0 + 1, c1 FROM {name} WHERE c0 < {rng.randrange(5)}"
    call = rng.choice(("count(c1)", "count(*) AS c1", "count(c0) AS c1"))
    return f"{name}(c0, c1) USING KEY (c0, {call}) AS ({seed} UNION ALL {step})", ["int", "int"]
