"""Random scripts of statements: tables, views and macros made, filled, used, replaced and dropped, in tqp and in DuckDB.

Each statement must give the same in both, or fail in both and change nothing in either: what is there is compared at the end.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import duckdb
import pyarrow as pa

from tests.fuzz import changing
from tests.fuzz.check import WANTS_CAST, Outcome
from tests.fuzz.report import Report
from tests.statements.runner import Sides, difference
from tqp.errors import InternalError, TqpError, UnsupportedError

_STATEMENTS: Final = 24
_VALUES: Final[dict[str, tuple[str, ...]]] = {
    "INTEGER": ("1", "2", "-7", "0", "2147483647", "NULL", "3"),
    "TINYINT": ("1", "-128", "127", "NULL", "5"),
    "BIGINT": ("1", "9223372036854775807", "-5", "NULL", "100000"),
    "HUGEINT": ("1", "99999999999999999999999999999999999999", "NULL", "-3"),
    "DECIMAL(6,2)": ("1.5", "-9999.99", "0.005", "NULL", "12"),
    "DOUBLE": ("1.5", "-0.25", "1e10", "NULL", "2"),
    "VARCHAR": ("'a'", "'b'", "''", "'12'", "NULL", "'Zo\u00eb'", "'a''b'"),
    "DATE": ("'2020-02-29'", "'1999-12-31'", "NULL"),
    "TIMESTAMP": ("TIMESTAMP '2020-01-01 10:00:00'", "'2001-02-03 04:05:06.7'", "NULL"),
    "BOOLEAN": ("true", "false", "NULL"),
    "INTEGER[]": ("[1, 2]", "[]", "NULL", "[NULL, 7]"),
    "STRUCT(a INTEGER, b VARCHAR)": ("{'a': 1, 'b': 'x'}", "{'a': NULL, 'b': 'y'}", "NULL"),
}
_TYPES: Final = tuple(_VALUES)
_NAMES: Final = ("a", "b", "c", "d")
_TABLES: Final = ("t", "u", "w")
_OWN_LIMITS: Final = (
    "an index depends on a column after it",
    "Cannot change the type of this column: an index depends",
)
"""What DuckDB refuses because of how it stores rows."""
_NUMBERS: Final = frozenset({"INTEGER", "TINYINT", "BIGINT", "DECIMAL(6,2)", "DOUBLE"})


@dataclass
class _World:
    """What the script's statements may count on, as far as both systems did them."""

    relations: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    """Tables and views by name: names and types of their columns."""
    views: set[str] = field(default_factory=set)
    macros: dict[str, int] = field(default_factory=dict)
    table_macros: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class _Made:
    """A statement, and what is there once it is done."""

    text: str
    relation: tuple[str, list[tuple[str, str]]] | None = None
    is_view: bool = False
    macro: tuple[str, int] | None = None
    table_macro: tuple[str, int] | None = None
    gone: str | None = None


class Scripts:
    """Makes statements that fit the world, mostly."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.world = _World()

    def statement(self) -> _Made:
        makers = (
            (self._create, 3), (self._create_as, 4), (self._insert, 8), (self._view, 3), (self._macro, 3),
            (self._drop, 2), (self._read, 8), (self._show, 3), (self._wrong, 2), (self._change, 8), (self._alter, 2),
        )  # fmt: skip
        maker = self.rng.choices([maker for maker, _ in makers], [weight for _, weight in makers])[0]
        return maker()

    def done(self, made: _Made) -> None:
        """Both did it."""
        world = self.world
        if made.relation is not None:
            name, columns = made.relation
            world.relations[name] = columns
            (world.views.add if made.is_view else world.views.discard)(name)
        if made.macro is not None:
            world.macros[made.macro[0]] = made.macro[1]
        if made.table_macro is not None:
            world.table_macros[made.table_macro[0]] = made.table_macro[1]
        if made.gone is not None:
            for known in (world.relations, world.macros, world.table_macros):
                known.pop(made.gone, None)
            world.views.discard(made.gone)

    # Statements ------------------------------------------------------------------------------------------------------

    def _create(self) -> _Made:
        rng, name = self.rng, self.rng.choice(_TABLES)
        columns = [(column, rng.choice(_TYPES)) for column in rng.sample(_NAMES, rng.randint(1, 4))]
        parts = []
        for column, kind in columns:
            part = f"{column} {kind}"
            if rng.random() < 0.15:
                part += " NOT NULL"
            if rng.random() < 0.3:
                part += f" DEFAULT {self._value(kind)}"
            parts.append(part)
        parts += changing.rules(rng, columns)
        return _Made(f"CREATE {self._how()}TABLE {name}({', '.join(parts)})", (name, columns))

    def _create_as(self) -> _Made:
        name = self.rng.choice(_TABLES)
        query, columns = self._query()
        names = ""
        if self.rng.random() < 0.2:
            fresh = self.rng.sample(_NAMES, self.rng.randint(1, min(4, len(columns))))
            rest = [column for column, _ in columns[len(fresh) :]]
            if not set(fresh) & set(rest):
                names = f"({', '.join(fresh)})"
                kinds = [kind for _, kind in columns]
                columns = list(zip([*fresh, *rest], kinds, strict=True))
        tail = self.rng.choice(("", "", "", " WITH NO DATA", " WITH DATA"))
        return _Made(f"CREATE {self._how()}TABLE {name}{names} AS {query}{tail}", (name, columns))

    def _how(self) -> str:
        return self.rng.choice(("", "OR REPLACE ", "OR REPLACE "))

    def _insert(self) -> _Made:
        rng = self.rng
        tables = [name for name in self.world.relations if name not in self.world.views]
        if not tables:
            return self._create()
        name = rng.choice(tables)
        columns = self.world.relations[name]
        chosen = columns if rng.random() < 0.5 else rng.sample(columns, rng.randint(1, len(columns)))
        listed = f"({', '.join(column for column, _ in chosen)})"
        form = rng.random()
        if form < 0.55:
            rows = ", ".join(
                f"({', '.join('DEFAULT' if rng.random() < 0.08 else self._value(kind) for _, kind in chosen)})"
                for _ in range(rng.randint(1, 4))
            )
            return _Made(
                f"INSERT INTO {name}{listed if chosen is not columns or rng.random() < 0.5 else ''} VALUES {rows}"
            )
        if form < 0.7:
            items = ", ".join(f"{self._value(kind)} AS {column}" for column, kind in chosen)
            return _Made(f"INSERT INTO {name} BY NAME SELECT {items}")
        if form < 0.75:
            return _Made(f"INSERT INTO {name} DEFAULT VALUES")
        if form < 0.9:
            items = ", ".join(self._value(kind) for _, kind in chosen)
            return _Made(f"WITH q AS (SELECT {items}) INSERT INTO {name}{listed} FROM q")
        return _Made(f"INSERT INTO {name} FROM {name}")

    def _change(self) -> _Made:
        tables = [name for name in self.world.relations if name not in self.world.views]
        if not tables:
            return self._create()
        name = self.rng.choice(tables)
        makers = (changing.update, changing.update, changing.delete, changing.on_conflict, changing.merge)
        return _Made(self.rng.choice(makers)(self.rng, name, self.world.relations[name], self._fitting))

    def _alter(self) -> _Made:
        tables = [name for name in self.world.relations if name not in self.world.views]
        if not tables:
            return self._create()
        name = self.rng.choice(tables)
        text, columns = changing.alter(self.rng, name, self.world.relations[name], self._fitting)
        return _Made(text, (name, list(columns)))

    def _view(self) -> _Made:
        name = self.rng.choice(("v", "vv", "t"))
        query, columns = self._query()
        return _Made(f"CREATE {self._how()}VIEW {name} AS {query}", (name, columns), is_view=True)

    def _macro(self) -> _Made:
        rng = self.rng
        if rng.random() < 0.3:
            name = rng.choice(("g", "h"))
            query, _ = self._query()
            text = rng.choice(
                ("SELECT x AS p, 1 AS q", f"SELECT x AS p, count(*) AS n FROM ({query}) i", "SELECT x + 1 AS p")
            )
            return _Made(f"CREATE {self._how()}MACRO {name}(x) AS TABLE {text}", table_macro=(name, 1))
        name = rng.choice(("f", "k"))
        other = next((macro for macro in self.world.macros if macro < name), None)
        bodies = [
            "x + 1",
            "coalesce(x, 0)",
            "CASE WHEN x > 1 THEN x ELSE -x END",
            "(SELECT max(y) FROM (VALUES (x), (2)) i(y))",
        ]
        if other is not None:
            bodies.append(f"{other}(x) * 2")
        if rng.random() < 0.5:
            return _Made(f"CREATE {self._how()}MACRO {name}(x) AS {rng.choice(bodies)}", macro=(name, 1))
        return _Made(
            f"CREATE {self._how()}MACRO {name}(x, z := {rng.choice('123')}) AS {rng.choice(bodies)} + z",
            macro=(name, 2),
        )

    def _drop(self) -> _Made:
        rng = self.rng
        exists = rng.choice(("", "", "IF EXISTS "))
        kind, name = rng.choice((("TABLE", "t"), ("TABLE", "u"), ("VIEW", "v"), ("MACRO", "f"), ("MACRO TABLE", "g")))
        return _Made(f"DROP {kind} {exists}{name}", gone=name)

    def _read(self) -> _Made:
        return _Made(self._query(top=True)[0])

    def _show(self) -> _Made:
        names = [*self.world.relations, "t"]
        return _Made(
            self.rng.choice((
                "SHOW TABLES", f"DESCRIBE {self.rng.choice(names)}", f"DESCRIBE {self._query()[0]}",
                "SELECT table_name, table_type FROM information_schema.tables",
                "SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns WHERE table_name = 'u'",
                "SELECT 1; SHOW TABLES", "SET threads = 1", f"{self._query()[0]}; {self._query()[0]}",
            ))
        )  # fmt: skip

    def _wrong(self) -> _Made:
        return _Made(
            self.rng.choice((
                "INSERT INTO nowhere VALUES (1)", "INSERT INTO t(nope) VALUES (1)", "CREATE TABLE t AS SELECT nope",
                "CREATE OR REPLACE VIEW v AS FROM nowhere", "CREATE OR REPLACE TABLE t(a INTEGER, a DATE)",
                "CREATE OR REPLACE MACRO f(x) AS x + y", "DROP TABLE nowhere", "CREATE OR REPLACE TABLE u AS SELEC 1",
                "INSERT INTO t VALUES (1, 2, 3, 4, 5, 6)", "CREATE OR REPLACE TABLE t AS SELECT CAST('x' AS INTEGER) AS a",
                "SET nothing = 1", "CREATE OR REPLACE TABLE IF NOT EXISTS t AS SELECT 1", "INSERT INTO t VALUES",
            ))
        )  # fmt: skip

    # Queries ---------------------------------------------------------------------------------------------------------

    def _query(self, top: bool = False) -> tuple[str, list[tuple[str, str]]]:
        """A query, with the names and types of its columns: distinct names, so that tables can be made of it."""
        rng = self.rng
        if not self.world.relations or rng.random() < 0.15:
            kinds = [rng.choice(_TYPES) for _ in range(rng.randint(1, 3))]
            names = rng.sample(_NAMES, len(kinds))
            items = ", ".join(
                f"({self._value(kind, True)})::{kind} AS {name}" for kind, name in zip(kinds, names, strict=True)
            )
            return f"SELECT {items}", list(zip(names, kinds, strict=True))
        source = rng.choice(list(self.world.relations))
        columns = self.world.relations[source]
        if self.world.table_macros and rng.random() < 0.1:
            macro = rng.choice(list(self.world.table_macros))
            return f"SELECT p AS a FROM {macro}({rng.choice('123')})", [("a", "INTEGER")]
        if rng.random() < 0.25:
            return f"FROM {source}" + (" ORDER BY ALL" if top else ""), columns
        items, found = [], []
        for name in rng.sample(_NAMES, rng.randint(1, 3)):
            text, kind = self._expression(source, columns)
            items.append(f"{text} AS {name}")
            found.append((name, kind))
        text = f"SELECT {', '.join(items)} FROM {source}"
        if rng.random() < 0.3:
            column, kind = rng.choice(columns)
            text += rng.choice(
                (
                    f" WHERE {source}.{column} IS NOT NULL",
                    f" WHERE {source}.{column} = ({self._value(kind, True)})::{kind}",
                )
            )
        return text, found

    def _expression(self, source: str, columns: Sequence[tuple[str, str]]) -> tuple[str, str]:
        rng = self.rng
        column, kind = rng.choice(list(columns))
        numbers = [name for name, own in columns if own in ("INTEGER", "TINYINT")]
        if self.world.macros and numbers and rng.random() < 0.3:
            macro = rng.choice(list(self.world.macros))
            more = rng.choice(("", ", 5", ", z := 4")) if self.world.macros[macro] == 2 else ""
            return f"{macro}({source}.{rng.choice(numbers)}::INTEGER % 100{more})", "INTEGER"
        if rng.random() < 0.2:
            return f"{self._value('VARCHAR', True)}", "VARCHAR"
        if rng.random() < 0.1:
            return f"(SELECT count(*) FROM {source})", "BIGINT"
        return f"{source}.{column}", kind

    def _value(self, kind: str, fits: bool = False) -> str:
        """A value for a column of the type, or, now and then, one of another."""
        if not fits and self.rng.random() < 0.07:
            kind = self.rng.choice(_TYPES)
        return self.rng.choice(_VALUES[kind])

    def _fitting(self, kind: str) -> str:
        return self._value(kind, True)


class _Differ(AssertionError):
    def __init__(self, outcome: Outcome, text: str) -> None:
        super().__init__(text)
        self.outcome = outcome


def statements(seed: int) -> Report:
    """A script of random statements on tqp and DuckDB."""
    rng = random.Random(seed)
    scripts, report, sides = Scripts(rng), Report(), Sides(threads=rng.choice((1, 2)))
    texts: list[str] = []
    try:
        for _ in range(_STATEMENTS):
            made = scripts.statement()
            texts.append(made.text)
            try:
                outcome = _step(sides, made.text)
            except _Differ as found:
                report.failed(
                    found.outcome, f"statements, seed {seed}: {found.outcome.value}: {found}\n{_shrunk(texts)}"
                )
                return report
            report.outcomes[outcome] += 1
            if outcome is Outcome.SAME:
                scripts.done(made)
            elif outcome is Outcome.LENIENT:
                return report
        for name in scripts.world.relations:
            texts.append(f"FROM {name}")
            try:
                report.outcomes[_step(sides, texts[-1])] += 1
            except _Differ as found:
                report.failed(
                    found.outcome, f"statements, seed {seed}: {found.outcome.value}: {found}\n{_shrunk(texts)}"
                )
                return report
            texts.pop()
    finally:
        sides.close()
    return report


def _step(sides: Sides, text: str) -> Outcome:
    """How a statement went; _Differ where the systems do."""
    actual: pa.Table | TqpError
    try:
        actual = sides.actual(text)
    except Exception as error:
        raise _Differ(Outcome.FOREIGN, f"{type(error).__name__}: {error}\n{text}") from error
    if isinstance(actual, UnsupportedError):
        return Outcome.UNSUPPORTED
    if isinstance(actual, InternalError):
        raise _Differ(Outcome.FOREIGN, f"{actual}\n{text}")
    expected = sides.expected(text)
    if isinstance(expected, duckdb.Error):
        if isinstance(actual, TqpError):
            return Outcome.REFUSED
        if any(re.search(known, str(expected)) for known in (*WANTS_CAST, *_OWN_LIMITS)):
            return Outcome.LENIENT
        raise _Differ(Outcome.ANSWERED, f"DuckDB: {expected}\n{text}")
    if isinstance(actual, TqpError):
        if "has no type but that of NULL" in str(actual) or "cannot become" in str(actual):
            # Which DuckDB says where there are rows.
            return Outcome.LENIENT
        if "cannot compare" in str(actual):
            # A view over another version of its table, in which DuckDB compares what it casts where there are rows.
            return Outcome.LENIENT
        if "reads itself" in str(actual):
            # A macro by way of a view over it, which DuckDB makes, though it cannot run.
            return Outcome.LENIENT
        raise _Differ(Outcome.DENIED, f"tqp: {actual}\n{text}")
    found = difference(text, actual, expected)
    if found is not None:
        raise _Differ(Outcome.WRONG, f"{found}\n{text}")
    return Outcome.SAME


def _shrunk(texts: list[str]) -> str:
    """The script without the statements that the last one's failure does not need."""
    kept = list(texts)
    for place in range(len(texts) - 2, -1, -1):
        shorter = kept[:place] + kept[place + 1 :]
        if _fails(shorter):
            kept = shorter
    return ";\n".join(kept) + ";"


def _fails(texts: list[str]) -> bool:
    sides = Sides()
    try:
        for text in texts[:-1]:
            if _step(sides, text) is Outcome.LENIENT:
                return False
        _step(sides, texts[-1])
    except _Differ:
        return True
    finally:
        sides.close()
    return False
