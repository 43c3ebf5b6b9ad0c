"""Random queries over random tables: joins, groups, sets, subqueries, WITH, order. Values are tame, shapes are not."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Sequence

from tests.fuzz.data import RandomTable
from tests.fuzz.expressions import TAME, Expressions, Reference
from tests.fuzz.from_items import SERIES_ROWS, asof, joined_beside, limited, recursive, series

_PLAIN = ("int", "dec", "float", "text", "blob", "uuid", "date", "ts", "bool", "list", "texts", "struct")
_TYPES = {
    "int": "BIGINT",
    "dec": "DECIMAL(18, 3)",
    "float": "DOUBLE",
    "text": "VARCHAR",
    "blob": "BLOB",
    "uuid": "UUID",
    "date": "DATE",
    "ts": "TIMESTAMP",
    "bool": "BOOLEAN",
    "list": "INTEGER[]",
    "texts": "VARCHAR[]",
    "struct": "STRUCT(a INTEGER, b VARCHAR)",
}
_PAIRS = 5_000
"""About how many rows a FROM may have at most: more take long and show nothing new."""

_LIMITS = (
    "0", "1", "2", "5", "100", "1 + 2", "'3'", "50%", "12.5 PERCENT", "NULL",
)  # fmt: skip
_ASKED_LIMITS = ("(SELECT 3)", "(SELECT count(*) FROM (VALUES (1), (2)))", "(SELECT 33)%")
"""Those that a set operation cannot have."""
_SAMPLES = (" TABLESAMPLE 100%", " TABLESAMPLE reservoir(100%)", " TABLESAMPLE 10000 ROWS", " TABLESAMPLE (0%)")
"""Samples of which is certain what is drawn."""

_RECURSIVE_ROWS = 40
_GROUPS = 20
_JOINS = ("JOIN", "JOIN", "LEFT JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")
_FIRST_HOLE = re.compile(r"\{(=|\w+)\}")
"""What `{@}` stands for again."""
_AGGREGATES: tuple[tuple[str, str], ...] = (
    ("count(*)", "int"), ("count({any})", "int"), ("count(DISTINCT {any})", "int"), ("sum({int})", "int"), ("sum({dec})", "dec"),
    ("sum({float})", "float"), ("avg({num})", "float"), ("sum(DISTINCT {int})", "int"), ("avg(DISTINCT {dec})", "float"),
    ("min({=})", "="), ("max({=})", "="), ("min(DISTINCT {=})", "="), ("bool_and({bool})", "bool"), ("bool_or({bool})", "bool"),
    ("stddev_samp({int})", "float"), ("var_pop({int})", "float"), ("sum({bool}::INTEGER)", "int"),
    ("median({text})", "text"), ("median({int})", "float"), ("median({dec})", "dec"), ("median({date})", "ts"), ("median({ts})", "ts"),
    ("quantile_cont({int}, 0.3)", "float"), ("quantile_cont({dec}, 0.75)", "dec"), ("quantile_disc({=}, 0.4)", "="),
    ("quantile_disc({=}, -0.9)", "="), ("median(DISTINCT {int})", "float"), ("mad({int})", "float"), ("mad({dec})", "dec"),
    ("percentile_cont(0.25) WITHIN GROUP (ORDER BY {int} DESC)", "float"), ("mode({=} ORDER BY {@})", "="),
    ("first({=} ORDER BY {@} DESC)", "="), ("last({=} ORDER BY {@})", "="), ("any_value({=} ORDER BY {@})", "="),
    ("last({=} ORDER BY {@} DESC NULLS FIRST)", "="), ("string_agg({text}, '-' ORDER BY {@})", "text"),
    ("string_agg(DISTINCT {text}, ',' ORDER BY {@} DESC)", "text"), ("string_agg({int}, '' ORDER BY {@})", "text"),
    ("len(list({=} ORDER BY {@}){?})", "int"), ("(list({=} ORDER BY {@}){?})[1]", "="), ("(list(DISTINCT {=} ORDER BY {@} DESC){?})[2]", "="),
    ("arg_min_null({=}, {@})", "="), ("arg_max({=}, {@} ORDER BY {@})", "="), ("(max({=}, 2){?})[2]", "="), ("(min({=}, 1){?})[1]", "="),
    ("cardinality(histogram({int}){?})", "int"), ("(quantile_disc({=}, [0.25, 0.5]){?})[2]", "="), ("avg({date})", "ts"), ("count_if({bool})", "int"),
    ("avg({interval})", "interval"), ("(histogram({int}, [0, 10, 100]){?})[10]", "int"), ("(histogram_exact({text}, ['a', 'b']){?})['a']", "int"),
    ("(quantile_disc({=}, [0, 0.5] ORDER BY {@} DESC){?})[1]", "="), ("len(lttb({int}, {float}, 5 ORDER BY {@}){?})", "int"),
    ("json_array_length(json_group_array({any})) + 0 * count(*){?}", "int"), ("length(json_group_object({int} IS NULL, {any})) + 0 * count(*){?}", "int"),
    ("length(json_group_structure({int})) + 0 * count(*){?}", "int"), ("round(entropy({=}){?}, 9)", "float"), ("sem({int})", "float"), ("kurtosis_pop({int} % 100)", "float"), ("fsum({int})", "float"),
)  # fmt: skip
"""Calls and the kinds of what they give. FILTER stands where `{?}` does, else at the end; `{@}` is the first argument again."""


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
            text = self._turned(text, kinds)
        elif rng.random() < 0.5:
            text = f"{text} {self._order(kinds, text.startswith('('))}"
        del self.tables[known:]
        words = "WITH RECURSIVE" if iterates else "WITH"
        return (f"{words} {', '.join(clauses)} " if clauses else "") + text

    def repeated(self) -> str:
        """One FROM that several subqueries read, each with keys and conditions of its own: branches of a UNION, a total beside groups."""
        rng = self.rng
        source, scope = self._source(1)
        where = f" WHERE {self._condition(scope, 1)}" if rng.random() < 0.6 else ""
        fitting = [reference for reference in scope if reference.kind in _PLAIN]
        keys = rng.sample(fitting, min(len(fitting), 2))
        items = [self._aggregate(self._maker(scope), None)[0] for _ in range(rng.randint(1, 3))]

        def part(chosen: Sequence[Reference]) -> str:
            own = where
            if rng.random() < 0.25:
                own = f"{where or ' WHERE TRUE'} AND ({self._maker(scope).make('bool', 1)})"
            shown = [key.text if key in chosen else f"NULL::{_TYPES[key.kind]}" for key in keys]
            by = f" GROUP BY {', '.join(key.text for key in chosen)}" if chosen else ""
            return f"SELECT {', '.join((*shown, *items))} FROM {source}{own}{by}"

        if rng.random() < 0.3:
            total, grouped = self._aggregate(self._maker(scope), "int")[0], ", ".join(key.text for key in keys)
            by = f" GROUP BY {grouped}" if grouped else ""
            return f"SELECT {', '.join(items)}, (SELECT {total} FROM {source}{where}) FROM {source}{where}{by}"
        parts = [part(keys[: rng.randint(0, len(keys))]) for _ in range(rng.choice((1, 2)))]
        return f" {rng.choice(('UNION ALL', 'UNION ALL', 'UNION'))} ".join([part(keys), *parts])

    def _order(self, kinds: Sequence[str], of_sets: bool) -> str:
        """ORDER BY, maybe with a LIMIT, of a query or of a set operation."""
        rng = self.rng
        chosen = rng.sample(range(1, len(kinds) + 1), rng.randint(1, len(kinds)))
        if rng.random() < 0.1:
            return "ORDER BY ALL"
        keys = [
            f"{place}{rng.choice(('', ' ASC', ' DESC'))}{rng.choice(('', '', ' NULLS FIRST', ' NULLS LAST'))}"
            for place in chosen
        ]
        limit = f" LIMIT {rng.choice(_LIMITS if of_sets else _LIMITS + _ASKED_LIMITS)}" if rng.random() < 0.5 else ""
        return f"ORDER BY {', '.join(keys)}{limit}" + (
            f" OFFSET {rng.choice((0, 1, 3))}" if rng.random() < 0.25 else ""
        )

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
            found = list(kinds or rng.choices(_PLAIN, k=rng.randint(1, 3)))
            maker = self._maker(())
            rows = [", ".join(maker.make(kind, 0) for kind in found) for _ in range(rng.randint(1, 3))]
            names = ", ".join(f"c{place}" for place in range(len(found)))
            self._rows = len(rows)
            return f"SELECT * FROM (VALUES {', '.join(f'({row})' for row in rows)}) {self._name('v')}({names})", found
        text, found = self._select(depth, outer, kinds)
        return (self._around(text, found) if rng.random() < 0.12 and not outer else text), found

    def _around(self, text: str, kinds: Sequence[str]) -> str:
        """The same columns, asked for by a star or by FROM alone; of rows that are equal in one of them maybe one alone."""
        rng = self.rng
        source, column = f"({text}) {self._name('s')}", f"c{rng.randrange(len(kinds))}"
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

    def _turned(self, text: str, kinds: Sequence[str]) -> str:
        """PIVOT or UNPIVOT of the query."""
        rng = self.rng
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
        values = rng.choice(
            ("count(*)", f"max({rng.choice(columns)})", f"min({rng.choice(columns)}) AS m, count(*) AS c")
        )
        by = f" GROUP BY {rng.choice(others)}" if others and rng.random() < 0.7 else ""
        given = rng.choice(("", "", " IN (1, 2, 'a', NULL)"))
        return f"PIVOT ({text}) ON {columns[place]}{given} USING {values}{by}"

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
        found = list(kinds or rng.choices(_PLAIN, k=rng.randint(1, 4)))
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
            for kind in rng.choices(_PLAIN, k=rng.choice((0, 1, 1, 2, 3)))
        ]
        items: list[str] = []
        found: list[str] = []
        if kinds is None:
            for kind, key in keys:
                if rng.random() < 0.8:
                    items.append(key)
                    found.append(kind)
            for _ in range(rng.randint(0 if items else 1, 3)):
                item, kind = self._aggregate(maker, None)
                items.append(item)
                found.append(kind)
        else:
            for kind in kinds:
                same = [key for other, key in keys if other == kind]
                items.append(rng.choice(same) if same and rng.random() < 0.5 else self._aggregate(maker, kind)[0])
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
            f" HAVING {self._aggregate(maker, 'int')[0]} {rng.choice(('>', '=', '<', '<='))} {rng.randint(0, 3)}"
            if rng.random() < 0.2
            else ""
        )
        columns = ", ".join(f"{item} AS c{place}" for place, item in enumerate(items))
        return f"SELECT {columns} FROM {source}{where}{group}{having}", found

    def _aggregate(self, maker: Expressions, kind: str | None) -> tuple[str, str]:
        rng = self.rng
        fitting = [pair for pair in _AGGREGATES if kind is None or pair[1] in (kind, "=")]
        template, result = rng.choice(fitting)
        if result == "=":
            result = kind or rng.choice(_PLAIN)
        ordered = _FIRST_HOLE.search(template) if "{@}" in template else None
        text = template
        if ordered is not None:
            own = maker.reading(result if ordered[1] == "=" else ordered[1], rng.choice((0, 1)))
            if own is None:
                # Nothing is ordered by a constant.
                return self._aggregate(maker, kind)
            text = text.replace(ordered[0], own, 1).replace("{@}", own)
        text = maker.fill(text.replace("{=}", f"{{{result}}}").replace("{?}", "\0"), None, rng.choice((1, 1, 2)))
        condition = f" FILTER (WHERE {maker.make('bool', 1)})" if rng.random() < 0.2 else ""
        return text.replace("\0", condition) if "\0" in text else text + condition, result

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
            if rng.random() < 0.08:
                nearest = asof(rng, text, scope, rng.choice(self.tables), self._name("t"))
                if nearest is not None:
                    text, scope = nearest[0], [*scope, *nearest[1]]
                    rows += 20
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
        target = rng.choice([reference for reference in scope if reference.kind in _PLAIN] or [Reference("1", "int")])
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
        return f"(SELECT {self._aggregate(self._maker(inner), kind)[0]} FROM {source}{where})"

    def _name(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"


def _column(reference: Reference) -> str:
    return reference.text.split(".")[-1].strip('"').lower()


def _are_columns(keys: Sequence[str], scope: Sequence[Reference]) -> bool:
    """Whether all keys read columns: of a constant among grouping sets, maybe a position, DuckDB makes a key of its own."""
    return all(any(reference.text.lower() in key.lower() for reference in scope) for key in keys)
