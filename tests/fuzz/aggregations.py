"""Queries of one table that aggregate into few groups, which the compiled backend takes, with one set of constants after another."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Final

from tests.fuzz.data import RandomTable
from tests.fuzz.expressions import TAME, Expressions, Reference

_CONSTANTS: Final[dict[str, tuple[tuple[str, ...], ...]]] = {
    "int": (
        ("0", "1", "5", "-7", "100", "127", "128", "-128", "-129", "255", "32767", "-32769", "40000", "2147483647"),
        ("2147483648", "9223372036854775807", "-2147483649", "-9223372036854775807"),
        ("100000000000000000000", "-100000000000000000000", "1000000000000000000000000"),
    ),
    "dec": (
        ("0.01", "1.50", "-2.25", "9.99", "1.27", "1.28", "3.28"), ("0.5", "1.5"), ("123456.789", "-327680.125"),
        ("99999999999999999999.5", "10000000000000000000.5"),
    ),
    "float": (("0.5e0", "-1.5e0", "0e0", "-0e0", "1e300", "-1e300"), ("'nan'::DOUBLE", "'inf'::DOUBLE", "'-1.5'::DOUBLE")),
    "text": (("''", "'a'", "'b'", "'Ab'", "'no such'", "'é'", "'zz'"),),
    "uuid": (("uuid '80000000-0000-0000-0000-000000000005'", "uuid '00000000-0000-0000-0000-000000000001'"),),
    "blob": (("''::BLOB", "'a'::BLOB", "x'FF'", "x'6162'", "x'FFFF'"),),
    "date": (("DATE '2020-02-29'", "DATE '2021-01-01'", "DATE '1970-01-01'", "DATE '0001-01-01'", "DATE '9999-12-31'"),),
    "ts": (("TIMESTAMP '2020-02-29 12:00:00'", "TIMESTAMP '1999-12-31 23:59:59.999999'", "TIMESTAMP '0001-01-01 00:00:00'"),),
    "time": (("TIME '12:00:00'", "TIME '00:00:00'", "TIME '23:59:59.999999'"),),
    "interval": (("INTERVAL 1 DAY", "INTERVAL 45 DAY"),),
    "bool": (("true", "false"),),
    "list": (("[1, 2]", "[]::INTEGER[]", "[NULL, 0]", "[2]"),),
    "texts": (("['a', 'b']", "[]::VARCHAR[]", "['', NULL]"),),
    "struct": (("{'a': 1, 'b': 'x'}", "{'a': NULL::INTEGER, 'b': 'y'}"),),
    "map": (("MAP {'a': 1}", "MAP {'b': NULL::INTEGER}"),),
    "zoned": (("TIMESTAMPTZ '2020-02-29 12:00:00+00'", "TIMESTAMPTZ '1999-12-31 23:59:59.999999+00'"),),
}  # fmt: skip
"""By the kind of the column that they meet: of one type each, and of several widths."""
_OPERATORS: Final = ("<", "<=", ">", ">=", "=", "<>", "IS DISTINCT FROM")
_AGGREGATES: Final = ("sum", "sum", "avg", "avg", "count", "count", "min", "max", "stddev", "var_pop")
_NUMERIC: Final = ("int", "dec", "float")


def aggregations(
    rng: random.Random, table: RandomTable, variants: int, other: RandomTable | None = None
) -> Iterator[str]:
    """One query with so many sets of constants; behind a join with rows of an`other` table, of which each has one at most."""
    join, joined = ("", {}) if other is None else _joined(rng, table, other)
    columns = list((table.kinds | joined).items())
    maker = Expressions(rng, [Reference(column, kind) for column, kind in columns], TAME, False)
    numbers = [column for column, kind in columns if kind in _NUMERIC]
    holes: list[tuple[str, ...]] = []

    def hole(kind: str) -> str:
        groups = _CONSTANTS[kind]
        holes.append(groups[0] if rng.random() < 0.7 else rng.choice(groups))
        return "\0"

    def condition() -> str:
        column, kind = rng.choice(columns)
        match rng.choice(("compare", "compare", "compare", "between", "in", "like", "any")):
            case "between":
                return f"{column} BETWEEN {hole(kind)} AND {hole(kind)}"
            case "in":
                return f"{column} IN ({', '.join(hole(kind) for _ in range(rng.choice((1, 2, 3))))})"
            case "like" if kind == "text":
                return f"{column} LIKE {hole(kind)}"
            case "any":
                return maker.make("bool", 1)
        return f"{column} {rng.choice(_OPERATORS)} {hole(kind)}"

    def argument() -> str:
        number = rng.choice(numbers)
        match rng.choice(("column", "column", "case", "any")):
            case "case":
                return f"CASE WHEN {condition()} THEN {number} END"
            case "any":
                return maker.make("num", 1)
        return number

    keys = [f"({condition()}) AS k{place}" for place in range(rng.choice((0, 0, 1, 2)))]
    calls = [f"{rng.choice(_AGGREGATES)}({argument()}) AS a{place}" for place in range(2)]
    where = f" {rng.choice(('AND', 'AND', 'OR'))} ".join(condition() for _ in range(rng.choice((1, 2, 3))))
    named = ", ".join(f"k{place}" for place in range(len(keys)))
    form = rng.choice(("{}", "{}", "{}", "CUBE ({})", "ROLLUP ({})"))
    by = f" GROUP BY {form.format(named)}" if keys else ""
    text = f"SELECT {', '.join((*keys, *calls))}, count(*) AS n FROM {table.name}{join} WHERE {where}{by}"
    for _ in range(variants):
        # Those that were not equal mostly stay so, as a plan is for what equals what.
        fresh = {choice: iter(rng.sample(choice, len(choice))) for choice in dict.fromkeys(holes)}
        constants = iter([next(fresh[choice], None) or rng.choice(choice) for choice in holes])
        yield "".join(next(constants) if letter == "\0" else letter for letter in text)


def _joined(rng: random.Random, table: RandomTable, other: RandomTable) -> tuple[str, dict[str, str]]:
    """A join whose right side has each key once, and the columns that it adds."""
    pairs = [
        (ours, theirs) for ours, kind in table.kinds.items() for theirs, same in other.kinds.items() if kind == same
    ]
    numbers = [(ours, theirs) for ours, theirs in pairs if table.kinds[ours] in ("int", "int", "date", "dec")]
    ours, theirs = rng.choice(numbers or pairs)
    value, kind = rng.choice(list(other.kinds.items()))
    kept = rng.choice(
        ("", f" WHERE {value} IS NOT NULL", f" WHERE {theirs} <> (SELECT min({theirs}) FROM {other.name})")
    )
    if rng.random() < 0.4:
        word = rng.choice(("SEMI", "ANTI"))
        return f" {word} JOIN (SELECT {theirs} AS jk FROM {other.name}{kept}) AS j ON {ours} = jk", {}
    side = f"SELECT {theirs} AS jk, min({value}) AS jv, count(*) AS jn FROM {other.name}{kept} GROUP BY {theirs}"
    return f" {rng.choice(('', 'LEFT '))}JOIN ({side}) AS j ON {ours} = jk", {"jv": kind, "jn": "int"}
