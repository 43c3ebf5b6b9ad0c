"""One query on DuckDB and on tqp under several settings: do all say the same?"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from enum import Enum

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

import tqp
from tests.fuzz.data import RandomTable
from tqp.errors import ExecutionError, InternalError, TqpError, UnsupportedError
from tqp.optimizer import RULES
from tqp.verify import compare_query


class Outcome(Enum):
    SAME = "the same answer"
    REFUSED = "an error in both"
    UNSUPPORTED = "not supported by tqp"
    LENIENT = "an answer where DuckDB wants a cast"
    ONE_SIDED = "an error in one, in a value that the other may not have needed"


_WANTS_CAST = (
    "No function matches", "Cannot compare values of type", "Cannot mix values of type", "Could not choose a best candidate",
    r"Substring (offset|length) outside of supported range",
)  # fmt: skip


class Disagreement(AssertionError):
    """tqp and DuckDB, or tqp under two settings, do not say the same."""


def _optional_rules() -> frozenset[str]:
    """The rules that a plan runs without."""
    needed = {"decorrelate"}
    return frozenset(name for name, _ in RULES if name not in needed)


class Pair:
    """The same tables in DuckDB and in tqp under several settings.

    `strict`: values that cannot be calculated must be an error in all; else in one or the other, as it is open which of
    the values that a query does not need are calculated.
    """

    def __init__(self, tables: Iterable[RandomTable], *, strict: bool) -> None:
        self.strict = strict
        self.duckdb = duckdb.connect(config={"threads": 1})
        self.plain = tqp.connect(threads=1)
        small, two, bare = (
            tqp.connect(threads=1),
            tqp.connect(threads=2),
            tqp.connect(threads=1, disabled_rules=_optional_rules()),
        )
        small.settings = replace(small.settings, batch_rows=2)
        two.settings = replace(two.settings, batch_rows=7)
        self.others = {"batches of 2": small, "two threads, batches of 7": two, "no rules": bare}
        for table in tables:
            self.duckdb.register(table.name, table.data)
            for connection in (self.plain, *self.others.values()):
                connection.register(table.name, table.data)

    def close(self) -> None:
        self.duckdb.close()
        for connection in (self.plain, *self.others.values()):
            connection.close()

    def check(self, sql: str, settings: Iterable[str] | None = None) -> Outcome:
        """How the query went; Disagreement where the engines differ, or tqp fails in a way that is a bug."""
        try:
            expected = self._oracle(sql)
        except duckdb.Error as error:
            expected = error
        outcome = self._one("tqp", self.plain, sql, expected)
        if outcome is not Outcome.UNSUPPORTED:
            for name in self.others if settings is None else settings:
                other = self._one(name, self.others[name], sql, expected)
                if other is not outcome and (self.strict or Outcome.ONE_SIDED not in (other, outcome)):
                    raise Disagreement(f"{name}: {other.value} instead of {outcome.value}\n{sql}")
        return outcome

    def _oracle(self, sql: str) -> pa.Table:
        table = self.duckdb.sql(sql).to_arrow_table()
        for place, field in enumerate(table.schema):
            if pa.types.is_string(field.type):
                # The sign of a NaN is the processor's, and only its text shows it.
                table = table.set_column(place, field, pc.replace_substring_regex(table.column(place), "^-nan$", "nan"))
        return table

    def _one(self, name: str, connection: tqp.Connection, sql: str, expected: pa.Table | duckdb.Error) -> Outcome:
        try:
            relation = connection.sql(sql)
            relation.explain()
        except UnsupportedError:
            return Outcome.UNSUPPORTED
        except Exception as error:
            return self._refused(name, sql, expected, error)
        try:
            actual = relation.arrow()
        except Exception as error:
            return self._refused(name, sql, expected, error)
        if isinstance(expected, duckdb.Error):
            if any(re.search(text, str(expected)) for text in _WANTS_CAST):
                return Outcome.LENIENT
            if not self.strict and not isinstance(expected, duckdb.BinderException):
                return Outcome.ONE_SIDED
            raise Disagreement(f"{name} answers, DuckDB: {expected}\n{sql}\n{_shown(actual)}")
        # Where all is NULL, DuckDB may have folded a call to a NULL of another of its types.
        strict = any(column.null_count < len(column) for column in expected.columns[-1:])
        difference = compare_query(sql, actual, expected, self._oracle, strict=strict)
        if difference is not None:
            raise Disagreement(f"{name}: {difference}\n{sql}")
        return Outcome.SAME

    def _refused(self, name: str, sql: str, expected: pa.Table | duckdb.Error, error: Exception) -> Outcome:
        if isinstance(error, ExecutionError) and "Arrow's" in str(error):
            # A HUGEINT or INTERVAL that Arrow cannot hold, which DuckDB's export wraps.
            return Outcome.UNSUPPORTED
        if not isinstance(error, TqpError) or isinstance(error, (InternalError, UnsupportedError)):
            raise Disagreement(f"{name} fails: {type(error).__name__}: {error}\n{sql}") from error
        if not isinstance(expected, duckdb.Error):
            unneeded = (
                expected.num_rows == 0 or expected.column(expected.num_columns - 1).null_count == expected.num_rows
            )
            if (unneeded or not self.strict) and isinstance(error, ExecutionError):
                return Outcome.ONE_SIDED
            raise Disagreement(f"{name} refuses, DuckDB answers: {error}\n{sql}\n{_shown(expected)}") from error
        return Outcome.REFUSED


def _shown(table: pa.Table) -> str:
    """The first rows, dates that Python does not know included."""
    return " | ".join(" ".join(column.slice(0, 5).to_string().split()) for column in table.columns)
