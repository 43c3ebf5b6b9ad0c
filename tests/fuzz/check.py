"""One query on DuckDB and on tqp under several settings: do all say the same?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from enum import Enum
from itertools import cycle
from typing import Any, Final

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

import tqp
from tests.fuzz import own
from tests.fuzz.data import ENUM, RandomTable
from tqp.errors import ExecutionError, InternalError, TqpError, UnsupportedError
from tqp.optimizer import NEEDED, RULES
from tqp.verify.compare import compare_query

Values = Mapping[str, Any] | None
"""Parameters by name."""


class Outcome(Enum):
    SAME = "the same answer"
    REFUSED = "an error in both"
    UNSUPPORTED = "not supported by tqp"
    LENIENT = "an answer where DuckDB wants a cast"
    ONE_SIDED = "an error in one, in a value that the other may not have needed"
    WRONG = "a wrong answer"
    DENIED = "an error where DuckDB answers"
    ANSWERED = "an answer where DuckDB has an error"
    FOREIGN = "an InternalError, a foreign exception, or a refusal after the start"


FAILURES = (Outcome.WRONG, Outcome.DENIED, Outcome.ANSWERED, Outcome.FOREIGN)

WANTS_CAST = (
    "No function matches", "Cannot compare values of type", "Cannot mix values of type", "Could not choose a best candidate",
    "Sampling in correlated subqueries", r"Substring (offset|length) outside of supported range",
    r"Division by zero in expression \(.* % CAST\(.* AS DOUBLE\)\)",
)  # fmt: skip


_DATE_PART = re.compile(r"\b(extract|date_?part)\b", re.IGNORECASE)
_BLOB_AS_UUID = re.compile(r"TRY_CAST\(x AS UUID\)", re.IGNORECASE)
"""What DuckDB compares as a BLOB where the other side is a constant, whether or not it is a UUID."""

_VARIANCE = re.compile(r"\b(var_|variance|stddev)", re.IGNORECASE)
_ROUNDED = re.compile(
    r"\b(a?(sin|cos|tan)h?|atan2|cot|exp|ln|log\d*|sqrt|cbrt|l?gamma|pow(er)?|stddev\w*|var_\w+|avg)\(|\^|\*\*",
    re.IGNORECASE,
)
_OF_VALUES: Final = "could not convert|no object before has a key|expected OBJECT|an object has a key twice"
"""What is said of values in files, which DuckDB does not look at in every query."""
_DIGITS: Final = r"(\d*\.0*[1-9]\d{9})\d+"


class Disagreement(AssertionError):
    """tqp and DuckDB, or tqp under two settings, do not say the same."""

    def __init__(self, outcome: Outcome, text: str) -> None:
        super().__init__(text)
        self.outcome = outcome


def _optional_rules() -> frozenset[str]:
    """The rules that a plan runs without."""
    return frozenset(name for name, _ in RULES if name not in NEEDED)


class Pair:
    """The same tables in DuckDB and in tqp under several settings.

    `strict`: values that cannot be calculated must be an error in all; else in one or the other, as it is open which of
    the values that a query does not need are calculated. `compiled`: the compiled backend is one of the settings.
    """

    def __init__(self, tables: Iterable[RandomTable], *, strict: bool, compiled: bool = False) -> None:
        self.strict = strict
        self.duckdb = duckdb.connect(config={"threads": 1})
        self.plain = tqp.connect(threads=1)
        self.others = {
            "batches of 2": _batches(tqp.connect(threads=1), 2),
            "two threads, batches of 7": _batches(tqp.connect(threads=2), 7),
            "no rules": tqp.connect(threads=1, disabled_rules=_optional_rules()),
        }
        if compiled:
            self.others = {"compiled": tqp.connect(threads=1, backend="compile")}
        self._turns = cycle([(name,) for name in self.others])
        own.define(self.duckdb, self.connections)
        for table in tables:
            self.register(table.name, table.data)

    def turn(self) -> tuple[str, ...]:
        """One of the settings after the other, for a query that is not run under all of them."""
        return next(self._turns)

    @property
    def connections(self) -> tuple[tqp.Connection, ...]:
        return self.plain, *self.others.values()

    def register(self, name: str, data: Any) -> None:
        """Let `name` mean the table in all of them, whatever it meant before; dictionaries become columns of an ENUM."""
        labels = [field.name for field in data.schema if pa.types.is_dictionary(field.type)]
        if labels:
            casts = ", ".join(f"{column}::VARCHAR::{ENUM} AS {column}" for column in labels)
            self.register(raw := f"{name}_as_text", data.cast(_without_dictionaries(data.schema)))
            for each in (self.duckdb, *self.connections):
                each.execute(f"CREATE OR REPLACE TABLE {name} AS SELECT * REPLACE ({casts}) FROM {raw}")
            return
        self.duckdb.register(name, data)
        for connection in self.connections:
            connection.register(name, data)

    def view(self, name: str, sql: str) -> bool:
        """Let `name` mean the query: a view in DuckDB, a relation in tqp. False where either has an error in it."""
        try:
            self.duckdb.execute(f"CREATE OR REPLACE VIEW {name} AS {sql}")
            for connection in self.connections:
                connection.register(name, connection.sql(sql))
        except (duckdb.Error, TqpError):
            return False
        return True

    def close(self) -> None:
        self.duckdb.close()
        for connection in self.connections:
            connection.close()

    def check(
        self, sql: str, settings: Iterable[str] | None = None, params: Values = None, before: str | None = None
    ) -> Outcome:
        """How the query went; Disagreement where the engines differ, or tqp fails in a way that is a bug.

        `before` is a query whose answer is `self` in `sql`.
        """
        asked = _after(before, sql)
        # A query made smaller no longer reads all of them.
        params = {name: value for name, value in (params or {}).items() if re.search(rf"\${name}\b", sql)}
        expected: pa.Table | duckdb.Error
        try:
            if before is not None:
                # DuckDB does not look at a WITH that nobody reads; tqp has bound the relation before it is read.
                self.duckdb.sql(before)
            expected = self.oracle(asked, params)
        except duckdb.Error as error:
            expected = error
        outcome = self._one("tqp", self.plain, sql, expected, params, before)
        if outcome is not Outcome.UNSUPPORTED:
            for name in self.others if settings is None else settings:
                other = self._one(name, self.others[name], sql, expected, params, before)
                if other is not outcome and (self.strict or Outcome.ONE_SIDED not in (other, outcome)):
                    raise Disagreement(Outcome.WRONG, f"{name}: {other.value} instead of {outcome.value}\n{asked}")
        return outcome

    def oracle(self, sql: str, params: Values = None) -> pa.Table:
        """DuckDB's answer."""
        try:
            return comparable(self.duckdb.sql(sql, params=dict(params or {})).to_arrow_table(), sql)
        except UnicodeDecodeError as error:
            # Of a message that ends within a character.
            raise duckdb.Error(str(error)) from error

    def _one(
        self,
        name: str,
        connection: tqp.Connection,
        sql: str,
        expected: pa.Table | duckdb.Error,
        params: Values,
        before: str | None,
    ) -> Outcome:
        asked = whole = _after(before, sql)
        if params:
            asked = f"{asked}\nparameters {dict(params)}"
        try:
            relation = connection.sql(sql, params) if before is None else connection.sql(before).sql(sql, params)
            if connection is self.plain:
                # What is not supported is known before anything runs.
                relation.explain()
        except UnsupportedError:
            return Outcome.UNSUPPORTED
        except Exception as error:
            return self._refused(name, asked, expected, error)
        try:
            actual = relation.arrow()
        except Exception as error:
            return self._refused(name, asked, expected, error)
        if isinstance(expected, duckdb.Error):
            if any(re.search(text, str(expected)) for text in WANTS_CAST):
                return Outcome.LENIENT
            if not self.strict and not isinstance(expected, duckdb.BinderException):
                return Outcome.ONE_SIDED
            raise Disagreement(Outcome.ANSWERED, f"{name} answers, DuckDB: {expected}\n{asked}\n{_shown(actual)}")
        # Where all is NULL, DuckDB may have folded a call to a NULL of another of its types, above all a date's part.
        folded = expected.columns if _DATE_PART.search(asked) else expected.columns[-1:]
        strict = all(column.null_count < len(column) for column in folded)
        actual = comparable(actual, whole)
        difference = compare_query(whole, actual, expected, lambda text: self.oracle(text, params), strict=strict)
        if difference is not None and not _BLOB_AS_UUID.search(sql):
            raise Disagreement(Outcome.WRONG, f"{name}: {difference}\n{asked}")
        return Outcome.SAME if difference is None else Outcome.LENIENT

    def _refused(self, name: str, asked: str, expected: pa.Table | duckdb.Error, error: Exception) -> Outcome:
        if isinstance(error, ExecutionError) and "Arrow's" in str(error):
            # A HUGEINT or INTERVAL that Arrow cannot hold, which DuckDB's export wraps.
            return Outcome.UNSUPPORTED
        if not isinstance(error, TqpError) or isinstance(error, (InternalError, UnsupportedError)):
            text = f"{name} fails: {type(error).__name__}: {error}\n{asked}"
            raise Disagreement(Outcome.FOREIGN, text) from error
        if not isinstance(expected, duckdb.Error):
            if "<value out of range" in _shown(expected):
                # DuckDB made a date that is none.
                return Outcome.LENIENT
            unneeded = (
                expected.num_rows == 0 or expected.column(expected.num_columns - 1).null_count == expected.num_rows
            )
            of_value = isinstance(error, ExecutionError) or re.search(_OF_VALUES, str(error)) is not None
            if (unneeded or not self.strict) and of_value:
                return Outcome.ONE_SIDED
            if "is out of range" in str(error) and "LIMIT (SELECT" in asked:
                # DuckDB lets ORDER BY name the limit, as if that were a column.
                return Outcome.LENIENT
            text = f"{name} refuses, DuckDB answers: {error}\n{asked}\n{_shown(expected)}"
            raise Disagreement(Outcome.DENIED, text) from error
        return Outcome.REFUSED


def _after(before: str | None, sql: str) -> str:
    """The query with what it reads as `self`, which comes before what it has of WITH itself."""
    if before is None:
        return sql
    for words in ("WITH RECURSIVE ", "WITH "):
        if sql.startswith(words):
            return f"{words}self AS ({before}), {sql.removeprefix(words)}"
    return f"WITH self AS ({before}) {sql}"


def comparable(table: pa.Table, sql: str) -> pa.Table:
    """The answer without what is open: the sign of a NaN, which is the processor's and which only its text shows.

    And the last digits that the text shows of what libraries of mathematics round each in its own way, and infinite values in a query with variances: DuckDB makes anything of values whose distance is beyond a DOUBLE.
    """
    for place, field in enumerate(table.schema):
        column = table.column(place)
        if pa.types.is_string(field.type):
            column = pc.replace_substring(column, "-nan", "nan")
            if _ROUNDED.search(sql):
                column = pc.replace_substring_regex(column, _DIGITS, r"\1")
            table = table.set_column(place, field, column)
        elif pa.types.is_floating(field.type) and _VARIANCE.search(sql):
            nan = pa.scalar(float("nan"), field.type)
            table = table.set_column(place, field, pc.if_else(pc.is_inf(column), nan, column))
    return table


def _without_dictionaries(schema: pa.Schema) -> pa.Schema:
    return pa.schema(
        [field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field for field in schema]
    )


def _batches(connection: tqp.Connection, rows: int) -> tqp.Connection:
    connection.settings = replace(connection.settings, batch_rows=rows)
    return connection


def _shown(table: pa.Table) -> str:
    """The first rows, dates that Python does not know included."""
    return " | ".join(" ".join(column.slice(0, 5).to_string().split()) for column in table.columns)
