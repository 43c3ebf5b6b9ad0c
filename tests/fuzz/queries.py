"""Random queries over random tables: joins, groups, sets, subqueries, WITH, order. Values are tame, shapes are not."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

from tests.fuzz.around import around, order, turned
from tests.fuzz.calls import PLAIN, TYPES, aggregate
from tests.fuzz.data import RandomTable
from tests.fuzz.expressions import TAME, Expressions, Reference
from tests.fuzz.from_items import SERIES_ROWS, asof, joined_beside, limited, nearest, recursive, series

_PAIRS = 5_000
"""About how many rows a FROM may have at most: more take long and show nothing new."""

_SAMPLES = (" TABLESAMPLE 100%", " TABLESAMPLE reservoir(100%)", " TABLESAMPLE 10000 ROWS", " TABLESAMPLE (0%)")
"""Samples of which is certain what is drawn."""

_RECURSIVE_ROWS = 40
_GROUPS = 20
_JOINS = ("JOIN", "JOIN", "LEFT JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")


class Queries:
    """Makes one query after another over the tables, from one source of chance.

    Values of parameters go to `given`; None: there are none.
    """

    def __init__(self, rng: random.Random, tables: Sequence[RandomTable]) -> None:
        self.rng = rng
        self.tables = list(tables)
        self.given: dict[str, object] | None = None
        self.count = 0
        self._sizes = {table.name: table.data.num_rows for table in tables}
        self._rows = 0
        """About how many rows the part of a query has that was made last."""

    def _maker(self, scope: Iterable[Reference]) -> Expressions:
        return Expressions(self.rng, scope, TAME, False, self.given)

    def relation(self, name: str, depth: int = 1) -> tuple[str, RandomTable]:
        """A query, and the table of its columns under that name: for a view, or as `self`."""
        text, kinds = self._body(depth)
        self._sizes[name] = self._rows
        return text, RandomTable(name, None, {f"c{place}": kind for place, kind in enumerate(kinds)})

    def query(self) -> str:
        """A whole query, at times with WITH, ORDER BY and LIMIT."""
        rng = self.rng
        clauses = []
        known, iterates = len(self.tables), False
        for _ in range(rng.choice((0, 0, 0, 1, 2))):
            name = self._name("w")
            own = recursive(rng, name, rng.choice(self.tables[:known])) if rng.random() < 0.15 else None
            if own is not None:
                clauses.append(own[0])
                self._sizes[name] = _RECURSIVE_ROWS
                self.tables.append(RandomTable(name, None, dict(zip(("c0", "c1"), own[1], strict=True))))
                iterates = True
                continue
            text, kinds = self._body(1)
            self._sizes[name] = self._rows
            hint = rng.choice(("", "", "MATERIALIZED ", "NOT MATERIALIZED "))
            columns = [f"c{place}" for place in range(len(kinds))]
            clauses.append(f"{name}({', '.join(columns)}) AS {hint}({text})")
            self.tables.append(RandomTable(name, None, dict(zip(columns, kinds, strict=True))))
        text, kinds = self._body(2)
        if rng.random() < 0.05 and not self.given:
            text = turned(rng, text, kinds)
        elif rng.random() < 0.5:
            text = f"{text} {order(rng, kinds, text.startswith('('))}"
        del self.tables[known:]
        words = "WITH RECURSIVE" if iterates else "WITH"
        return (f"{words} {', '.join(clauses)} " if clauses else "") + text

    def repeated(self) -> str:
        """One FROM that several subqueries read, each with keys and conditions of its own: branches of a UNION, a total beside groups."""
        rng = self.rng
        source, scope = self._source(1)
        where = f" WHERE {self._condition(scope, 1)}" if rng.random() < 0.6 else ""
        fitting = [reference for reference in scope if reference.kind in PLAIN]
        keys = rng.sample(fitting, min(len(fitting), 2))
        items = [aggregate(self._maker(scope), None)[0] for _ in range(rng.randint(1, 3))]

        def part(chosen: Sequence[Reference]) -> str:
            own = where
            if rng.random() < 0.25:
                own = f"{where or ' WHERE TRUE'} AND ({self._maker(scope).make('bool', 1)})"
            shown = [key.text if key in chosen else f"NULL::{TYPES[key.kind]}" for key in keys]
            by = f" GROUP BY {', '.join(key.text for key in chosen)}" if chosen else ""
            return f"SELECT {', '.join((*shown, *items))} FROM {source}{own}{by}"

        if rng.random() < 0.3:
            total, grouped = aggregate(self._maker(scope), "int")[0], ", ".join(key.text for key in keys)
            by = f" GROUP BY {grouped}" if grouped else ""
            return f"SELECT {', '.join(items)}, (SELECT {total} FROM {source}{where}) FROM {source}{where}{by}"
        parts = [part(keys[: rng.randint(0, len(keys))]) for _ in range(rng.choice((1, 2)))]
        return f" {rng.choice(('UNION ALL', 'UNION ALL', 'UNION'))} ".join([part(keys), *parts])

    def _body(
        self, depth: int, outer: Sequence[Reference] = (), kinds: Sequence[str] | None = None
    ) -> tuple[str, list[str]]:
        """A query without WITH and ORDER BY, and the kinds of its columns (those asked for, if any)."""
        rng = self.rng
        if depth > 0 and rng.random() < 0.12:
            left, found = self._body(depth - 1, outer, kinds)
            rows = self._rows
            right, _ = self._body(depth - 1, outer, found)
            self._rows += rows
            word = rng.choice(("UNION", "UNION ALL", "INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL"))
            return f"({left}) {word} ({right})", found
        if rng.random() < 0.04 and not outer:
            found = list(kinds or rng.choices(PLAIN, k=rng.randint(1, 3)))
            maker = self._maker(())
            rows = [", ".join(maker.make(kind, 0) for kind in found) for _ in range(rng.randint(1, 3))]
            names = ", ".join(f"c{place}" for place in range(len(found)))
            self._rows = len(rows)
            return f"SELECT * FROM (VALUES {', '.join(f'({row})' for row in rows)}) {self._name('v')}({names})", found
        text, found = self._select(depth, outer, kinds)
        return (around(rng, f"({text}) {self._name('s')}", found) if rng.random() < 0.12 and not outer else text), found

    def _select(self, depth: int, outer: Sequence[Reference], kinds: Sequence[str] | None) -> tuple[str, list[str]]:
        rng = self.rng
        source, scope = self._source(depth)
        size = self._rows
        visible = [*scope, *(rng.sample(list(outer), min(1, len(outer))) if outer else ())]
        where = f" WHERE {self._condition(visible, depth)}" if rng.random() < 0.6 or outer else ""
        if rng.random() < 0.4:
            self._rows = min(size, _GROUPS)
            return self._grouped(source, scope, where, depth, kinds)
        maker = self._maker(scope)
        found = list(kinds or rng.choices(PLAIN, k=rng.randint(1, 4)))
        items = [maker.make(kind, rng.choice((0, 0, 1, 2))) for kind in found]
        if depth > 0 and rng.random() < 0.15:
            place = rng.randrange(len(found))
            if found[place] in ("int", "float", "text", "date"):
                items[place] = self._scalar(scope, depth - 1, found[place])
        distinct = "DISTINCT " if rng.random() < 0.15 else ""
        self._rows = size
        return (
            f"SELECT {distinct}{', '.join(f'{item} AS c{place}' for place, item in enumerate(items))} FROM {source}{where}",
            found,
        )

    def _grouped(
        self, source: str, scope: list[Reference], where: str, depth: int, kinds: Sequence[str] | None
    ) -> tuple[str, list[str]]:
        rng = self.rng
        maker = self._maker(scope)
        keys = [
            (kind, maker.make(kind, rng.choice((0, 0, 1))))
            for kind in rng.choices(PLAIN, k=rng.choice((0, 1, 1, 2, 3)))
        ]
        items: list[str] = []
        found: list[str] = []
        if kinds is None:
            for kind, key in keys:
                if rng.random() < 0.8:
                    items.append(key)
                    found.append(kind)
            for _ in range(rng.randint(0 if items else 1, 3)):
                item, kind = aggregate(maker, None)
                items.append(item)
                found.append(kind)
        else:
            for kind in kinds:
                same = [key for other, key in keys if other == kind]
                items.append(rng.choice(same) if same and rng.random() < 0.5 else aggregate(maker, kind)[0])
            found = list(kinds)
        group = ""
        if keys:
            texts = [key for _, key in keys]
            choice = rng.random()
            if not _are_columns(texts, scope):
                choice = 1.0
            if choice < 0.15:
                group = f" GROUP BY {rng.choice(('ROLLUP', 'CUBE'))} ({', '.join(texts)})"
            elif choice < 0.25:
                group = f" GROUP BY GROUPING SETS (({', '.join(texts)}), ({rng.choice(texts)}), ())"
            else:
                group = f" GROUP BY {', '.join(texts)}"
        having = (
            f" HAVING {aggregate(maker, 'int')[0]} {rng.choice(('>', '=', '<', '<='))} {rng.randint(0, 3)}"
            if rng.random() < 0.2
            else ""
        )
        columns = ", ".join(f"{item} AS c{place}" for place, item in enumerate(items))
        return f"SELECT {columns} FROM {source}{where}{group}{having}", found

    def _source(self, depth: int) -> tuple[str, list[Reference]]:
        """What stands behind FROM: joins, at times beside others by a comma, which binds less."""
        text, scope = self._joins(depth)
        rows = self._rows
        if self.rng.random() < 0.15:
            other, more = self._joins(0)
            merged = any("." not in item.text for item in (*scope, *more))
            if not merged and rows * self._rows <= _PAIRS:
                self._rows *= rows
                return f"{text}, {other}", [*scope, *more]
        self._rows = rows
        return text, scope

    def _joins(self, depth: int) -> tuple[str, list[Reference]]:
        rng = self.rng
        text, scope = self._item(depth)
        rows = self._rows
        for _ in range(rng.choice((0, 0, 1, 1, 2))):
            if rng.random() < 0.12:
                other, more = self._dependent(scope)
                if rows * self._rows > _PAIRS:
                    break
                rows *= max(self._rows, 1)
                on = rng.choice((None, "true", self._maker([*scope, *more]).make("bool", 1)))
                text, scope = joined_beside(rng, text, other, on), [*scope, *more]
                continue
            if rng.random() < 0.12:
                join = rng.choice((asof, asof, nearest))
                joined = join(rng, text, scope, rng.choice(self.tables), self._name("t"))
                if joined is not None:
                    text, scope = joined[0], [*scope, *joined[1]]
                    rows = 3 * rows if join is nearest else rows + 20
                    continue
            other, more = self._item(depth)
            if rows * self._rows > _PAIRS:
                break
            pairs, most = max(rows * self._rows, 1), 2 * max(rows, self._rows, 1)
            choice = rng.random()
            shared = [a for a in scope for b in more if a.kind == b.kind and _column(a) == _column(b) == "k"]
            several = sum(_column(a) == "k" for a in scope) > 1 or sum(_column(b) == "k" for b in more) > 1
            if choice < 0.08:
                text = f"{text} CROSS JOIN {other}"
                rows = pairs
            elif choice > 0.97 and text.count(" ") == other.count(" ") == 2 and self._are_stored(text, other):
                # Of whole tables alone the order of the rows is known.
                text = f"{text} POSITIONAL JOIN {other}"
                rows = max(rows, self._rows)
            elif choice < 0.2 and len(shared) == 1 and not several:
                text = f"{text} {rng.choice(_JOINS)} {other} USING (k)"
                # From here on `k` stands for both; their own columns may be read as well.
                scope = [*scope, *more, Reference("k", shared[0].kind)]
                self._rows = most
                return text, scope
            else:
                half = choice < 0.3
                condition = self._on(scope, more)
                text = f"{text} {rng.choice(('SEMI JOIN', 'ANTI JOIN') if half else _JOINS)} {other} ON {condition}"
                if half:
                    continue
                rows = most if " = " in condition else pairs
            scope = [*scope, *more]
        self._rows = rows
        return text, scope

    def _dependent(self, before: Sequence[Reference]) -> tuple[str, list[Reference]]:
        """An item of FROM that may read columns of those before it."""
        rng, alias = self.rng, self._name("t")
        if rng.random() < 0.4:
            self._rows = SERIES_ROWS
            return series(rng, alias, before)
        text, kinds = self._body(0, rng.sample(list(before), min(2, len(before))))
        columns = [self._reference(alias, f"c{place}", kind) for place, kind in enumerate(kinds)]
        return f"({limited(rng, text)}) {alias}", columns

    def _are_stored(self, *items: str) -> bool:
        stored = {table.name for table in self.tables if table.data is not None}
        return all(item.split()[0] in stored for item in items)

    def _on(self, left: Sequence[Reference], right: Sequence[Reference]) -> str:
        rng = self.rng
        parts = []
        pairs = [
            (a, b)
            for a in left
            for b in right
            if a.kind == b.kind or {a.kind, b.kind} <= {"int", "dec", "float"} or {a.kind, b.kind} == {"date", "ts"}
        ]
        for a, b in rng.sample(pairs, min(len(pairs), rng.choice((0, 1, 1, 1, 2)))):
            parts.append(
                f"{a.text} {rng.choice(('=', '=', '=', '=', '<', '>=', '<>', 'IS NOT DISTINCT FROM'))} {b.text}"
            )
        if not parts or rng.random() < 0.25:
            parts.append(self._maker(rng.choice(([*left, *right], left, right))).make("bool", 1))
        return " AND ".join(parts)

    def _item(self, depth: int) -> tuple[str, list[Reference]]:
        rng = self.rng
        alias = self._name("t")
        if depth > 0 and rng.random() < 0.2:
            text, kinds = self._body(depth - 1)
            return f"({text}) {alias}", [self._reference(alias, f"c{place}", kind) for place, kind in enumerate(kinds)]
        if rng.random() < 0.06:
            self._rows = SERIES_ROWS
            return series(rng, alias)
        # The last one is the newest of WITH, which is to be read more than once.
        table = self.tables[-1] if rng.random() < 0.3 else rng.choice(self.tables)
        self._rows = self._sizes[table.name]
        drawn = rng.choice(_SAMPLES) if rng.random() < 0.05 else ""
        return f"{table.name} AS {alias}{drawn}", [
            self._reference(alias, column, kind) for column, kind in table.kinds.items()
        ]

    def _reference(self, alias: str, column: str, kind: str) -> Reference:
        written = column.upper() if self.rng.random() < 0.1 else f'"{column}"' if self.rng.random() < 0.1 else column
        return Reference(f"{alias}.{written}", kind)

    def _condition(self, scope: Sequence[Reference], depth: int) -> str:
        rng = self.rng
        plain = self._maker(scope).make("bool", rng.choice((1, 1, 2)))
        if depth <= 0 or rng.random() < 0.6:
            return plain
        parts = [self._subquery_condition(scope, depth - 1), *([plain] if rng.random() < 0.5 else ())]
        return rng.choice((" AND ", " AND ", " OR ")).join(parts)

    def _subquery_condition(self, scope: Sequence[Reference], depth: int) -> str:
        rng = self.rng
        outer = scope if rng.random() < 0.6 else ()
        choice = rng.random()
        if choice < 0.3:
            text, _ = self._body(depth, outer)
            return f"{rng.choice(('', 'NOT '))}EXISTS ({text})"
        target = rng.choice([reference for reference in scope if reference.kind in PLAIN] or [Reference("1", "int")])
        if choice < 0.7:
            text, _ = self._body(depth, outer, [target.kind])
            return f"{target.text} {rng.choice(('IN', 'NOT IN', 'NOT IN'))} ({text})"
        if choice < 0.8:
            text, _ = self._body(depth, (), [target.kind])
            return f"{target.text} {rng.choice(('=', '<', '>', '<>', '>='))} {rng.choice(('ANY', 'ALL'))} ({text})"
        kind = rng.choice(("int", "float", "text", "date"))
        value = self._maker(scope).make(kind, 1)
        return f"{value} {rng.choice(('=', '<', '>', '<>'))} {self._scalar(scope, depth, kind)}"

    def _scalar(self, scope: Sequence[Reference], depth: int, kind: str) -> str:
        """A subquery of one row: an aggregate without GROUP BY."""
        rng = self.rng
        source, inner = self._source(depth)
        visible = [*inner, *(rng.sample(list(scope), min(2, len(scope))) if rng.random() < 0.7 else ())]
        where = f" WHERE {self._maker(visible).make('bool', 2)}" if rng.random() < 0.8 else ""
        return f"(SELECT {aggregate(self._maker(inner), kind)[0]} FROM {source}{where})"

    def _name(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"


def _column(reference: Reference) -> str:
    return reference.text.split(".")[-1].strip('"').lower()


def _are_columns(keys: Sequence[str], scope: Sequence[Reference]) -> bool:
    """Whether all keys read columns: of a constant among grouping sets, maybe a position, DuckDB makes a key of its own."""
    return all(any(reference.text.lower() in key.lower() for reference in scope) for key in keys)
