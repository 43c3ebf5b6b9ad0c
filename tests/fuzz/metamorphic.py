"""Queries that must say the same as others do, without an oracle: only tqp answers, each side under settings of its own.

What may fail on one side alone is a value: a part of the rows, or another order of filters, need not calculate what the
whole calculated (an overflow, a cast). Such a query counts as one-sided; any other error must be on both sides.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import cycle

import duckdb
import pyarrow as pa

import tqp
from tests.fuzz.calls import PLAIN, aggregate
from tests.fuzz.check import Outcome, Pair
from tests.fuzz.data import RandomTable, tame_table
from tests.fuzz.expressions import TAME, Expressions, Reference
from tests.fuzz.queries import Queries
from tests.fuzz.report import Report
from tqp.errors import ExecutionError, InternalError, TqpError, UnsupportedError
from tqp.verify.compare import compare

__all__ = ["Equal", "agree", "equal"]

_LAWS_PER_SEED = 4

_HELD = ("int", "text", "dec", "date", "ts")
"""Kinds of which an equal value is the same value."""


@dataclass(frozen=True)
class Equal:
    """The rows of `whole` are those of all `parts` together."""

    law: str
    whole: str
    parts: tuple[str, ...]


def equal(seed: int) -> Report:
    """Some of the laws on random tables, with random predicates."""
    rng = random.Random(seed)
    tables = [tame_table(rng, f"r{number}") for number in range(3)]
    numbered = [
        RandomTable(table.name, table.data.append_column("rn", pa.array(range(table.data.num_rows), pa.int32())), table.kinds)
        for table in tables
    ]  # fmt: skip
    pair = Pair(numbered, strict=False)
    made = _Laws(rng, tables, pair)
    report = Report()
    for law in rng.sample(made.laws(), _LAWS_PER_SEED):
        for each in law():
            agree(report, pair, each, f"equal, seed {seed}")
    pair.close()
    return report


def agree(report: Report, pair: Pair, each: Equal, where: str) -> None:
    """Ask both sides, the parts under the other settings in turn."""
    turns = cycle(pair.others.values())
    whole = _answer(pair.plain, each.whole)
    parts = [_answer(next(turns), part) for part in each.parts]
    outcome, told = _judged(whole, parts)
    failed = [
        side
        for side, answer in zip((each.whole, *each.parts), (whole, *parts), strict=True)
        if isinstance(answer, Exception) and not isinstance(answer, ExecutionError)
    ]
    if outcome is Outcome.DENIED and all(_is_refused(pair, side) for side in failed):
        outcome, told = Outcome.REFUSED, ""
    if told:
        sides = "\n".join((each.whole, *each.parts))
        report.failed(outcome, f"{where}, {each.law}: {outcome.value}: {told}\n{sides}")
    else:
        report.outcomes[outcome] += 1


def _answer(connection: tqp.Connection, sql: str) -> pa.Table | Exception:
    try:
        return connection.sql(sql).arrow()
    except Exception as error:
        return error


def _is_refused(pair: Pair, sql: str) -> bool:
    """Whether DuckDB refuses a query, too: a predicate that is none, such as one with a key by number that is an aggregate."""
    try:
        pair.duckdb.sql(sql)
    except duckdb.Error:
        return True
    return False


def _judged(whole: pa.Table | Exception, parts: Sequence[pa.Table | Exception]) -> tuple[Outcome, str]:
    """The outcome, and what is wrong if anything is."""
    errors = [answer for answer in (whole, *parts) if isinstance(answer, Exception)]
    for error in errors:
        if not isinstance(error, TqpError) or isinstance(error, InternalError):
            return Outcome.FOREIGN, f"{type(error).__name__}: {error}"
    if any(isinstance(error, UnsupportedError) for error in errors):
        return Outcome.UNSUPPORTED, ""
    tables = [part for part in parts if isinstance(part, pa.Table)]
    if isinstance(whole, pa.Table) and len(tables) == len(parts):
        names = whole.column_names
        rows = pa.concat_tables([part.rename_columns(names) for part in tables], promote_options="permissive")
        difference = compare(rows, whole, strict=False)
        return (Outcome.SAME, "") if difference is None else (Outcome.WRONG, str(difference))
    if isinstance(whole, Exception) and not tables:
        return Outcome.REFUSED, ""
    if all(isinstance(error, ExecutionError) for error in errors):
        return Outcome.ONE_SIDED, ""
    return Outcome.DENIED, "; ".join(f"{type(error).__name__}: {error}" for error in errors)


class _Laws(Queries):
    """Makes queries of which some must equal others."""

    def __init__(self, rng: random.Random, tables: Sequence[RandomTable], pair: Pair) -> None:
        super().__init__(rng, tables)
        self._pair = pair

    def laws(self) -> tuple[Callable[[], list[Equal]], ...]:
        return (
            self.where, self.joined, self.having, self.distinct, self.aggregated, self.counted, self.pivot, self.inside,
            self.inlined, self.cut, self.grouped, self.settings,
        )  # fmt: skip

    def _items(self, scope: Sequence[Reference]) -> str:
        maker = self._maker(scope)
        kinds = self.rng.choices(PLAIN, k=self.rng.randint(1, 3))
        return ", ".join(f"{maker.make(kind, self.rng.choice((0, 1)))} AS c{place}" for place, kind in enumerate(kinds))

    def where(self) -> list[Equal]:
        """A row is where a predicate is true, false or NULL."""
        source, scope = self._source(1)
        text = f"SELECT {self._items(scope)} FROM {source}"
        return [Equal("where", text, _parted(f"{text} WHERE", self._condition(scope, 1)))]

    def joined(self) -> list[Equal]:
        """ON like WHERE; an outer join is the inner one and what has no partner; semi and anti join share the rows."""
        (left, before), (right, after) = self._item(1), self._item(0)
        p = self._on(before, after) if self.rng.random() < 0.7 else self._condition([*before, *after], 1)
        mine = self._items(before)
        seen = self.rng.sample(after, min(2, len(after)))
        both = f"SELECT {mine}, {', '.join(f'{column.text} AS d{place}' for place, column in enumerate(seen))}"
        inner = f"{both} FROM {left} JOIN {right} ON {p}"
        names = [f"c{place}" for place in range(mine.count(" AS c"))]
        alone = f"SELECT {', '.join(names)}{', NULL' * len(seen)} FROM (SELECT {mine} FROM {left}"
        unmatched = f"{alone} WHERE NOT EXISTS (SELECT 1 FROM {right} WHERE {p}))"
        anti = f"{alone} ANTI JOIN {right} ON {p})"
        outer = f"{both} FROM {left} LEFT JOIN {right} ON {p}"
        plain = self.rng.sample(before, min(2, len(before)))
        columns = ", ".join(f"{column.text} AS e{place}" for place, column in enumerate([*plain, *seen]))
        right_alone = f"SELECT {'NULL, ' * len(plain)}{', '.join(column.text for column in seen)} FROM {right}"
        return [
            Equal("on", f"{both} FROM {left} CROSS JOIN {right}", _parted(f"{both} FROM {left} JOIN {right} ON", p)),
            Equal("on and where", inner, (f"{both} FROM {left}, {right} WHERE {p}",)),
            Equal("left join", outer, (inner, unmatched)),
            Equal("left and anti join", outer, (inner, anti)),
            Equal("full join", f"SELECT {columns} FROM {left} FULL JOIN {right} ON {p}",
                  (f"SELECT {columns} FROM {left} LEFT JOIN {right} ON {p}", f"{right_alone} ANTI JOIN {left} ON {p}")),
            Equal("right join", outer, (f"{both} FROM {right} RIGHT JOIN {left} ON {p}",)),
            Equal("semi and anti join", f"SELECT {mine} FROM {left}",
                  (f"SELECT {mine} FROM {left} SEMI JOIN {right} ON {p}", f"SELECT {mine} FROM {left} ANTI JOIN {right} ON {p}")),
        ]  # fmt: skip

    def having(self) -> list[Equal]:
        """A group is where a predicate over its aggregates is true, false or NULL."""
        source, scope = self._source(1)
        maker = self._maker(scope)
        calls = [Reference(*aggregate(maker, None)) for _ in range(3)]
        p = Expressions(self.rng, calls, TAME, False).make("bool", 2)
        key = maker.make(self.rng.choice(_HELD), 1)
        text = f"SELECT {key} AS c0, {calls[0].text} AS c1 FROM {source} GROUP BY {key if key[0].isalpha() else 1}"
        return [Equal("having", text, _parted(f"{text} HAVING", p))]

    def distinct(self) -> list[Equal]:
        """What is distinct in the whole is distinct in the union of the parts."""
        source, scope = self._source(1)
        items = self._items(scope)
        parts = _parted(f"SELECT {items} FROM {source} WHERE", self._condition(scope, 1))
        whole = f"SELECT DISTINCT {items} FROM {source}"
        return [
            Equal("distinct", whole, (" UNION ".join(parts),)),
            Equal("distinct of parts", whole, (f"SELECT DISTINCT * FROM ({' UNION ALL '.join(parts)})",)),
        ]

    def aggregated(self) -> list[Equal]:
        """Sums, counts and extremes of the parts make those of the whole; numbers of binary fractions add without error."""
        source, scope = self._source(1)
        maker = self._maker(scope)
        summed = maker.make(self.rng.choice(("int", "dec")), 1)
        floats = maker.leaf("float")
        kind = self.rng.choice(_HELD)
        least, known = maker.make(kind, 1), maker.make("any", 1)
        items = (
            f"sum({summed}) AS a, count({known}) AS b, min({least}) AS c, max({least}) AS d, count(*) AS e, "
            f"sum({floats}) AS f, bool_or({known} IS NULL) AS g"
        )
        whole = f"SELECT {items} FROM {source}"
        parts = " UNION ALL ".join(_parted(f"{whole} WHERE", self._condition(scope, 1)))
        total = "sum(a), sum(b)::BIGINT, min(c), max(d), sum(e)::BIGINT, sum(f), bool_or(g)"
        return [Equal("aggregates", whole, (f"SELECT {total} FROM ({parts})",))]

    def counted(self) -> list[Equal]:
        """A predicate is true as often in SELECT as in WHERE."""
        source, scope = self._source(1)
        p = self._condition(scope, 1)
        return [
            Equal("counted", f"SELECT count(*) AS n FROM {source} WHERE {p}", (f"SELECT {item} AS n FROM {source}",))
            for item in (
                f"coalesce(sum(({p})::INT), 0)::BIGINT", f"count(*) FILTER (WHERE {p})", f"count(CASE WHEN {p} THEN 1 END)",
            )
        ]  # fmt: skip

    def pivot(self) -> list[Equal]:
        """A row for which a predicate holds when it is alone is found among all."""
        chosen = self.rng.sample(self.tables, 2)
        if not all(table.data.num_rows for table in chosen):
            return []
        rows = [self.rng.randrange(table.data.num_rows) for table in chosen]
        scope = [Reference(f"{table.name}.{column}", kind) for table in chosen for column, kind in table.kinds.items()]
        e = self._maker(scope).make("bool", 3)
        for table, row in zip(chosen, rows, strict=True):
            self._pair.register(f"{table.name}_row", table.data.slice(row, 1))
        alone = _answer(self._pair.plain, f"SELECT {e} FROM {', '.join(f'{t.name}_row AS {t.name}' for t in chosen)}")
        if isinstance(alone, Exception):
            return []
        holds = {True: f"({e})", False: f"NOT ({e})", None: f"({e}) IS NULL"}[alone.column(0)[0].as_py()]
        found = " AND ".join(f"{table.name}.rn = {row}" for table, row in zip(chosen, rows, strict=True))
        text = f"SELECT coalesce(sum(({found})::INT), 0)::BIGINT AS n FROM {', '.join(t.name for t in chosen)} WHERE {holds}"
        return [Equal("pivot row", text, ("SELECT 1::BIGINT AS n",))]

    def inside(self) -> list[Equal]:
        """IN, EXISTS and a semi join; NOT IN with its NULLs."""
        (left, before), (right, after) = self._item(1), self._item(1)
        keys = [(x.text, y.text) for x in before for y in after if x.kind == y.kind and x.kind in _HELD]
        if not keys:
            return []
        x, y = self.rng.choice(keys)
        q = self._condition(after, 0)
        text = f"SELECT {self._items(before)} FROM {left}"
        values = f"SELECT {y} AS y FROM {right} WHERE {q}"
        among = f"{text} WHERE {x} IN ({values})"
        return [
            Equal("in and exists", among, (f"{text} WHERE EXISTS (SELECT 1 FROM {right} WHERE ({q}) AND {y} = {x})",)),
            Equal("in and semi join", among, (f"{text} SEMI JOIN ({values}) AS z ON {x} = z.y",)),
            Equal("in and join", among, (f"{text} JOIN (SELECT DISTINCT y FROM ({values})) AS z ON {x} = z.y",)),
            Equal("not in", f"{text} WHERE {x} NOT IN ({values})",
                  (f"{text} WHERE NOT EXISTS (SELECT 1 FROM ({values}) AS z WHERE z.y = {x} OR z.y IS NULL OR {x} IS NULL)",)),
        ]  # fmt: skip

    def _rows_of(self) -> tuple[str, list[str], list[str]]:
        text, kinds = self._body(2)
        columns = [f"c{place}" for place in range(len(kinds))]
        return text, columns, kinds

    def inlined(self) -> list[Equal]:
        """A WITH is its query, kept or not; read twice, it is there twice."""
        text, columns, _ = self._rows_of()
        whole = f"SELECT * FROM ({text}) w({', '.join(columns)})"
        name = f"w({', '.join(columns)})"
        return [
            Equal("with", whole, (f"WITH {name} AS {hint}({text}) SELECT * FROM w",))
            for hint in ("", "MATERIALIZED ", "NOT MATERIALIZED ")
        ] + [Equal("with, twice", f"WITH {name} AS ({text}) SELECT * FROM w UNION ALL SELECT * FROM w", (whole, whole))]

    def cut(self) -> list[Equal]:
        """The first rows in an order are those with the first numbers in it."""
        text, columns, kinds = self._rows_of()
        if not all(kind in _HELD for kind in kinds):
            return []
        rows, start = self.rng.randrange(6), self.rng.choice((0, 0, 1, 3))
        keys = ", ".join(
            f"{column} {self.rng.choice(('ASC', 'DESC'))} NULLS {self.rng.choice(('FIRST', 'LAST'))}"
            for column in columns
        )
        source = f"({text}) w({', '.join(columns)})"
        numbered = f"SELECT *, row_number() OVER (ORDER BY {keys}) AS place FROM {source}"
        return [
            Equal("limit", f"SELECT * FROM {source} ORDER BY {keys} LIMIT {rows} OFFSET {start}",
                  (f"SELECT {', '.join(columns)} FROM ({numbered}) WHERE place > {start} AND place <= {start + rows}",))
        ]  # fmt: skip

    def grouped(self) -> list[Equal]:
        """DISTINCT and GROUP BY; rows counted at once and by groups."""
        text, columns, _ = self._rows_of()
        names = ", ".join(columns)
        source = f"({text}) w({names})"
        groups = f"SELECT {names}, count(*) AS n FROM {source} GROUP BY {names}"
        return [
            Equal("distinct and group by", f"SELECT DISTINCT * FROM {source}", (f"SELECT {names} FROM ({groups})",)),
            Equal(
                "rows", f"SELECT count(*) AS n FROM {source}", (f"SELECT coalesce(sum(n), 0)::BIGINT FROM ({groups})",)
            ),
        ]

    def settings(self) -> list[Equal]:
        """A query under the next of the settings."""
        text, columns, _ = self._rows_of()
        whole = f"SELECT * FROM ({text}) w({', '.join(columns)})"
        nothing = f"{whole} WHERE false"
        return [
            Equal("settings", whole, (*(nothing for _ in range(place)), whole))
            for place in range(len(self._pair.others))
        ]


def _parted(text: str, p: str) -> tuple[str, str, str]:
    """The text with the predicate, its opposite, and that it is NULL."""
    return f"{text} ({p})", f"{text} NOT ({p})", f"{text} ({p}) IS NULL"
