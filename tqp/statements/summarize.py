"""SUMMARIZE: of each column of a table or query its extremes, how many values it has, and their middle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar, Final

import pyarrow as pa

from tqp.errors import TqpError
from tqp.functions.aggregates import bind_aggregate
from tqp.ir.expr import Literal
from tqp.ir.plan import Schema
from tqp.relation import Relation
from tqp.session.system_columns import type_shown
from tqp.statements.caller import Caller
from tqp.statements.describe import query_of
from tqp.statements.head import Head
from tqp.statements.registry import statement
from tqp.types import DType, Kind

__all__: list[str] = []

_QUARTERS: Final = (1, 2, 3)
_AVERAGES: Final = {"avg": "avg", "std": "stddev"}


def _is_number(dtype: DType) -> bool:
    return dtype.is_numeric


def _is_measured(dtype: DType) -> bool:
    """Whether values lie on a line, with one in their middle."""
    return dtype.is_numeric or dtype.is_temporal or dtype.kind is Kind.TIMETZ


_MIDDLE: Final[dict[str, Callable[[DType], bool]]] = {
    "avg": _is_measured,
    "std": _is_number,
    **{f"q{25 * quarter}": _is_measured for quarter in _QUARTERS},
}
"""What is said of the middle of a column's values, and of which types."""


@dataclass(frozen=True, slots=True)
class _Summarize:
    query: str
    changes: ClassVar = False

    def run(self, caller: Caller) -> Relation:
        relation = caller.query(self.query)
        facts = _Facts(relation)
        columns: dict[str, Any] = {
            "column_name": pa.array([field.name for field in relation.schema], pa.string()),
            "column_type": pa.array([type_shown(str(field.dtype)) for field in relation.schema], pa.string()),
            **{name: pa.array(facts.text(name), pa.string()) for name in ("min", "max")},
            "approx_unique": pa.array(facts.numbers("unique"), pa.int64()),
            **{name: facts.middle(name) for name in _MIDDLE},
            "count": pa.array([facts.rows] * len(relation.schema), pa.int64()),
            "null_percentage": pa.array(facts.nulls(), pa.decimal128(9, 2)),
        }
        return caller.rows(pa.table(columns))


class _Facts:
    """What two queries find out of the columns of a relation, which runs once."""

    def __init__(self, relation: Relation) -> None:
        self._relation = relation
        self._schema: Schema = relation.schema
        count = [(place, "count", f"count({_name(place)})") for place in range(len(self._schema))]
        first = [found for place, field in enumerate(self._schema) for found in _aggregates(place, field.dtype)]
        self._source = f"FROM self AS self({', '.join(map(_name, range(len(self._schema))))})"
        self._known = self._asked([*count, *first], self._source)
        self.rows = len(relation)
        self._known |= self._asked(self._quarters())

    def text(self, name: str) -> list[str | None]:
        return [self._known.get((place, name)) for place in range(len(self._schema))]

    def middle(self, name: str) -> pa.Array:
        """One of `_MIDDLE`, which has no type where no column has it."""
        has_it = any(map(_MIDDLE[name], (field.dtype for field in self._schema)))
        return pa.array(self.text(name), pa.string() if has_it else pa.null())

    def numbers(self, name: str) -> list[int]:
        return [self._known.get((place, name), 0) for place in range(len(self._schema))]

    def nulls(self) -> list[Decimal | None]:
        """The shares of NULLs in percent."""
        if not self.rows:
            return [None] * len(self._schema)
        counts = self.numbers("count")
        return [Decimal(f"{100 * (self.rows - count) / self.rows:.2f}") for count in counts]

    def _asked(self, parts: list[tuple[int, str, str]], source: str = "") -> dict[tuple[int, str], Any]:
        """The values of expressions of one row, by column and name."""
        if not parts:
            return {}
        (row,) = self._relation.sql(f"SELECT {', '.join(text for _, _, text in parts)} {source}").fetchall()
        return {(place, name): value for (place, name, _), value in zip(parts, row, strict=True)}

    def _quarters(self) -> list[tuple[int, str, str]]:
        """A quarter of the values lies below q25: between two values where that is no whole number of them."""
        found = []
        for place, field in enumerate(self._schema):
            count, own = self._known[place, "count"], _name(place)
            if not count or not _is_measured(field.dtype):
                continue
            for quarter in _QUARTERS:
                # In eighths: the place in the middle of the values, counted from 0.
                eighths = min(max(2 * quarter * count - 4, 0), 8 * (count - 1))
                rows = [
                    f"(SELECT {own} {self._source} WHERE {own} IS NOT NULL ORDER BY {own} LIMIT 1 OFFSET {row})"
                    for row in dict.fromkeys((eighths // 8, -(-eighths // 8)))
                ]
                text = rows[0]
                if len(rows) > 1 and field.dtype.is_numeric:
                    low, high = (f"{row}::DOUBLE" for row in rows)
                    between = f"{low} + ({high} - {low}) * {eighths % 8 / 8}"
                    # A DOUBLE may be rounded beyond the type where the values are at its end.
                    text = f"coalesce(TRY_CAST({between} AS {field.dtype}), {rows[0]})"
                found.append((place, f"q{25 * quarter}", f"({text})::VARCHAR"))
        return found


def _aggregates(place: int, dtype: DType) -> list[tuple[int, str, str]]:
    own = _name(place)
    if dtype.kind is Kind.NULL:
        return []
    functions = [(name, name) for name in ("min", "max") if _takes(name, dtype)]
    functions += [(name, function) for name, function in _AVERAGES.items() if _MIDDLE[name](dtype)]
    return [
        (place, "unique", f"count(DISTINCT {own})"),
        *((place, name, f"{function}({own})::VARCHAR") for name, function in functions),
    ]


def _takes(function: str, dtype: DType) -> bool:
    """Whether there is the aggregate of values of that type."""
    try:
        bind_aggregate(function, (Literal(None, dtype, typed=True),))
    except TqpError:
        return False
    return True


def _name(place: int) -> str:
    return f"c{place}"


@statement("SUMMARIZE")
def _read(head: Head) -> _Summarize:
    return _Summarize(query_of(head)[0])
