"""Queries over columns without values, with one value, and at the ends of their types: every operator on such keys.

What a query does is simple; what it does it to is not: no rows, NULLs alone, one constant (at times beside NULL), literals,
keys of different widths on the two sides of a join, and arithmetic that leaves the width of its operands.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import pyarrow as pa

from tests.fuzz.data import ENUM, TYPES, RandomTable

STATES = ("empty", "null", "constant", "constant or null", "few", "odd")

_SQL = {
    "i8": "TINYINT", "i16": "SMALLINT", "i32": "INTEGER", "i64": "BIGINT", "u8": "UTINYINT", "u16": "USMALLINT", "u32": "UINTEGER",
    "u64": "UBIGINT", "d4": "DECIMAL(4,1)", "d9": "DECIMAL(9,2)", "d18": "DECIMAL(18,4)", "d38": "DECIMAL(38,6)", "f4": "REAL",
    "f8": "DOUBLE", "s": "VARCHAR", "w": "UUID", "x": "BLOB", "dt": "DATE", "ts": "TIMESTAMP", "tm": "TIME", "b": "BOOLEAN",
    "sec": "TIMESTAMP_S", "ns": "TIMESTAMP_NS", "l": "INTEGER[]", "n": "VARCHAR[]", "r": "STRUCT(a INTEGER, b VARCHAR)",
    "m": "MAP(VARCHAR, INTEGER)", "e": ENUM, "z": "TIMESTAMPTZ",
}  # fmt: skip
_NUMBERS = tuple(name for name, kind in TYPES.items() if kind.kind in ("int", "dec", "float"))
_LITERALS = {
    "s": ("'a'", "''"), "w": ("uuid '80000000-0000-0000-0000-000000000000'", "uuid '00000000-0000-0000-0000-000000000001'"),
    "x": ("'a'::BLOB", "x'FF'"), "dt": ("DATE '2020-02-29'",), "ts": ("TIMESTAMP '2020-02-29 00:00:00'",), "tm": ("TIME '12:34:56'",),
    "b": ("true", "false"), "l": ("[1, NULL]", "[]::INTEGER[]", "[2]"), "n": ("['a', 'b']", "[NULL]::VARCHAR[]"),
    "sec": ("TIMESTAMP_S '2020-02-29 00:00:00'",), "ns": ("TIMESTAMP_NS '2020-02-29 00:00:00.000000001'",),
    "m": ("MAP {'a': 1}", "MAP {}::MAP(VARCHAR, INTEGER)"), "e": (f"'a'::{ENUM}", f"''::{ENUM}"),
    "z": ("TIMESTAMPTZ '2020-02-29 00:00:00+00'",),
    "r": ("{'a': 1, 'b': 'x'}", "{'a': NULL::INTEGER, 'b': 'y'}"),
}  # fmt: skip
_NUMERALS = (
    "0", "-1", "2", "127", "9223372036854775807", "-9223372036854775808", "170141183460469231731687303715884105727", "1.5", "1e0",
    "0::HUGEINT", "3::DECIMAL(38,10)", "5::BIGINT", "1180591620717411303424",
)  # fmt: skip
_STEPS = (
    "-{}", "({} + 1)", "({} * 2)", "({} - 100)", "CAST({} AS HUGEINT)", "CAST({} AS DECIMAL(38,10))", "TRY_CAST({} AS TINYINT)",
    "CAST({} AS DOUBLE)", "abs({})", "({} % 2)", "({} * 10::HUGEINT)",
)  # fmt: skip
_RANKS = ("row_number()", "rank()", "dense_rank()", "percent_rank()", "cume_dist()", "ntile(2)", "lag(x)", "lead(x)")
_FRAMED = (
    "count(x)", "min(x)", "max(x)", "first_value(x)", "last_value(x)", "count(DISTINCT x)", "min(DISTINCT x)", "quantile_disc(x, 0.4)",
    "list(x)",
)  # fmt: skip
_ORDERED = (
    "row_number({})",
    "rank({})",
    "percent_rank({})",
    "cume_dist({})",
    "ntile(3{})",
    "lag(x{})",
    "lead(x, 2{})",
    "first_value(x{})",
    "last_value(x{} IGNORE NULLS)",
    "nth_value(x, 2{})",
    "any_value(x{})",
    "count(x{})",
)
_FILLED = ("i8", "i16", "i32", "u8", "u16", "u32")


class Columns:
    """Makes tables of few types, one for each state, and queries over them."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        kind = rng.choice(tuple(TYPES))
        self.kinds = list(dict.fromkeys((kind, self._mate(kind), self._mate(kind))))
        self.tables = [self._table(kind, state) for kind in self.kinds for state in STATES]

    def _mate(self, kind: str) -> str:
        """A type that values of `kind` compare with."""
        if kind in _NUMBERS:
            return self.rng.choice(_NUMBERS)
        return self.rng.choice(("dt", "ts")) if kind in ("dt", "ts") else kind

    def _table(self, kind: str, state: str) -> RandomTable:
        rng, drawn = self.rng, TYPES[kind]
        value = rng.choice((drawn.tame, drawn.odd))(rng)
        values = {
            "empty": [],
            "null": [None] * rng.choice((1, 3)),
            "constant": [value] * rng.choice((1, 3)),
            "constant or null": [value, None, value, None],
            "few": [rng.choice((None, drawn.tame(rng))) for _ in range(8)],
            "odd": [rng.choice((None, drawn.odd(rng), drawn.odd(rng))) for _ in range(8)],
        }[state]
        data = pa.table({"id": pa.array(range(len(values)), pa.int32()), "x": pa.array(values, drawn.arrow)})
        return RandomTable(self._name(kind, state), data, {"id": "int", "x": drawn.kind})

    def _name(self, kind: str, state: str) -> str:
        return f"{kind}_{state.replace(' ', '_')}"

    def query(self) -> str:
        rng = self.rng
        kind, other = rng.choice(self.kinds), rng.choice(self.kinds)
        shape = rng.choice((
            self._join, self._join, self._join, self._member, self._grouped, self._grouped, self._set, self._rows, self._window,
        ))  # fmt: skip
        return shape(kind, other)

    def _source(self, kind: str) -> str:
        """A relation of the columns `id` and `x`."""
        rng = self.rng
        table = self._name(kind, rng.choice(STATES))
        return rng.choice((
            table, table, table, table,
            f"(SELECT 1 AS id, {self._literal(kind)} AS x)",
            f"(SELECT id, {self._literal(kind)} AS x FROM {table})",
            f"(SELECT id, {self._changed('x', 'id', kind)} AS x FROM {table})",
            f"(SELECT id, x FROM {table} WHERE {rng.choice(('false', 'x IS NULL', 'id < 0', 'id = 1'))})",
        ))  # fmt: skip

    def _literal(self, kind: str) -> str:
        if self.rng.random() < 0.25:
            return self.rng.choice((f"NULL::{_SQL[kind]}", f"NULL::{_SQL[kind]}", "NULL"))
        return self.rng.choice(_LITERALS.get(kind, _NUMERALS))

    def _changed(self, x: str, row: str, kind: str) -> str:
        """`x`, or what is computed of it."""
        rng = self.rng
        if kind in _NUMBERS and rng.random() < 0.6:
            return rng.choice(_STEPS).format(x)
        literal = self._literal(kind)
        return rng.choice((
            x, literal, f"coalesce({x}, {literal})", f"nullif({x}, {literal})", f"CASE WHEN {row} > 1 THEN {x} END",
            f"CASE WHEN {x} IS NULL THEN {literal} ELSE {x} END", f"CASE WHEN true THEN {literal} END",
            f"CASE WHEN false THEN {x} END",
        ))  # fmt: skip

    def _key(self, kind: str, alias: str = "") -> str:
        x, row = f"{alias}x", f"{alias}id"
        return self._changed(x, row, kind) if self.rng.random() < 0.45 else x

    def _join(self, kind: str, other: str) -> str:
        rng = self.rng
        join = rng.choice(("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "SEMI JOIN", "ANTI JOIN"))
        sign = rng.choice(("=", "=", "=", "IS NOT DISTINCT FROM", "<", ">="))
        condition = f"{self._key(kind, 'a.')} {sign} {self._key(other, 'b.')}"
        if rng.random() < 0.25:
            more = f"{self._key(kind, 'a.')} = {self._key(other, 'b.')}"
            condition += f" AND {rng.choice((more, 'a.id = b.id', 'a.id < b.id', 'a.id + 1 = 2'))}"
        columns = "a.id, a.x" if join in ("SEMI JOIN", "ANTI JOIN") else "a.id, a.x, b.id, b.x"
        shown = rng.choice((columns, columns, columns, "count(*), count(a.x), min(a.id)"))
        return f"SELECT {shown} FROM {self._source(kind)} a {join} {self._source(other)} b ON {condition}"

    def _member(self, kind: str, other: str) -> str:
        rng = self.rng
        inner = f"(SELECT {self._key(other, 'b.')} FROM {self._source(other)} b)"
        if rng.random() < 0.3:
            return (
                f"SELECT id, {self._key(kind)} {rng.choice(('IN', 'NOT IN'))} {inner} AS y FROM {self._source(kind)} a"
            )
        word = rng.choice(("IN", "NOT IN", "= ANY", "> ALL", "<> ANY", "<= ALL"))
        return f"SELECT id, x FROM {self._source(kind)} a WHERE {self._key(kind)} {word} {inner}"

    def _keys(self, kind: str) -> str:
        keys = dict.fromkeys(self._key(kind) for _ in range(self.rng.choice((1, 1, 2, 3))))
        # A numeral alone would be the place of a column.
        return ", ".join(f"({key} + 0)" if key.lstrip("-").isdigit() else key for key in keys)

    def _grouped(self, kind: str, other: str) -> str:
        rng = self.rng
        key = self._key(kind)
        calls = [
            "count(*)",
            "count(x)",
            f"count({key})",
            f"min({key})",
            f"max({key})",
            "count(DISTINCT x)",
            "min(DISTINCT x)",
        ]
        if kind in _NUMBERS:
            calls += [f"sum({key})", f"sum(DISTINCT {key})", "avg(x)", "stddev(x)", "sum(-x)"]
        keys = self._keys(kind)
        group = rng.choice((
            "", f" GROUP BY {keys}", f" GROUP BY {keys}", f" GROUP BY ROLLUP ({keys})", f" GROUP BY GROUPING SETS (({keys}), ())",
        ))  # fmt: skip
        return f"SELECT {rng.choice(calls)} AS v FROM {self._source(kind)} a{group}"

    def _side(self, kinds: Sequence[str]) -> str:
        kind = self.rng.choice(kinds)
        if self.rng.random() < 0.3:
            return f"SELECT {self._literal(kind)} AS x"
        return f"SELECT {self._key(kind)} AS x FROM {self._source(kind)} a"

    def _set(self, kind: str, other: str) -> str:
        rng = self.rng
        text = f"({self._side((kind, other))})"
        for _ in range(rng.choice((1, 1, 2))):
            word = rng.choice(("UNION", "UNION ALL", "INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL"))
            text = f"({text} {word} ({self._side((kind, other))}))"
        return text[1:-1]

    def _rows(self, kind: str, other: str) -> str:
        rng = self.rng
        source = self._source(kind)
        if rng.random() < 0.4:
            return f"SELECT DISTINCT {self._key(kind)} AS p, {self._key(kind)} AS q FROM {source} a"
        order = f"1 {rng.choice(('', 'DESC'))} {rng.choice(('', 'NULLS FIRST', 'NULLS LAST'))}, id"
        limit = rng.choice(("", "LIMIT 2", "LIMIT 0", "LIMIT 1 OFFSET 1"))
        return f"SELECT {self._key(kind)} AS p, id FROM {source} a ORDER BY {order} {limit}"

    def _window(self, kind: str, other: str) -> str:
        rng = self.rng
        own = ("sum(x)", "avg(x)", "sum(DISTINCT x)", "median(x)", "mad(x)") if kind in _NUMBERS else ()
        call = rng.choice((*_RANKS, *_FRAMED, *_ORDERED, *own, *(("fill(x)",) * 2 if kind in _FILLED else ())))
        if "{}" in call:
            call = call.format(f" ORDER BY {self._key(kind)}{rng.choice(('', ' DESC', ' NULLS FIRST'))}, id")
        part = rng.choice(("", f"PARTITION BY {self._key(kind)} "))
        order = rng.choice((f"ORDER BY {self._key(kind)}, id", "ORDER BY id"))
        if call == "fill(x)":
            order = "ORDER BY id"
        frame = (
            ""
            if call in _RANKS
            else rng.choice(
                (
                    "",
                    " ROWS BETWEEN 1 PRECEDING AND CURRENT ROW",
                    " ROWS 3 PRECEDING",
                    " ROWS BETWEEN 2 FOLLOWING AND 3 FOLLOWING",
                )
            )
        )
        return f"SELECT id, {call} OVER ({part}{order}{frame}) AS w FROM {self._source(kind)} a"
