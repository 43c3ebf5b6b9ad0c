"""The comparator: does an answer equal DuckDB's?

`compare` holds two Arrow tables against each other; `compare_query` knows from the SQL text what order the rows must
have. Terms: a *bag* is rows in any order; a *run* is neighbouring rows that are equal in the columns of ORDER BY, and so
may come in any order among themselves.

Integers, decimals, dates, text and NULLs must be equal, floats to a relative tolerance; NaN equals NaN.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tqp.sql.row_order import row_order, without_limit
from tqp.verify.variants import with_readable_variants

__all__ = ["Difference", "compare", "compare_query"]

_SHOWN_ROWS: Final = 5
_TRIED_ROWS: Final = 200
"""Rows of equal exact columns that are tried as the partner of one row before its floats count as wrong."""

_SINGLE_TOLERANCE: Final = 1e-6
"""FLOAT has 24 bits; a sum in another order differs more than one of DOUBLE."""

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Difference:
    """Where two tables differ: one line in general, then the first rows that do."""

    summary: str
    rows: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join((self.summary, *(f"  {row}" for row in self.rows)))


def compare_query(
    text: str,
    actual: pa.Table,
    expected: pa.Table,
    rerun: Callable[[str], pa.Table] | None = None,
    *,
    rel_tol: float = 1e-9,
    strict: bool = True,
) -> Difference | None:
    """Compare answers to the query `text`; None where they agree.

    Where LIMIT or OFFSET cut through a run, which of its rows come out is open: then `rerun`, which runs a query on the
    oracle, gives all rows, and each row of `actual` must be among them.
    """
    order, complete = row_order(text, expected.column_names)
    candidates: Callable[[], pa.Table] | None = None
    whole = without_limit(text)
    # Behind a key that is no output column any rows at all might pass for a tie, so then there must be none.
    if rerun is not None and whole is not None and complete:
        candidates = partial(rerun, whole)
    return compare(actual, expected, order_by=order, candidates=candidates, rel_tol=rel_tol, strict=strict)


def compare(
    actual: pa.Table,
    expected: pa.Table,
    *,
    order_by: Sequence[int | str] | None = None,
    candidates: Callable[[], pa.Table] | None = None,
    rel_tol: float = 1e-9,
    strict: bool = True,
) -> Difference | None:
    """Where `actual` differs from `expected`; None where it does not.

    `order_by` names the columns (by position or name) that the rows are sorted by: rows may then trade places only
    within a run; without it the tables are bags. `candidates` gives the rows that a LIMIT chose from, see
    `compare_query`. Without `strict` numbers of different types may be equal.
    """
    actual, expected = with_readable_variants(actual), with_readable_variants(expected)
    if actual.num_columns != expected.num_columns:
        return Difference(f"{actual.num_columns} columns {actual.column_names} instead of {expected.num_columns}")
    wrong_types = _type_differences(actual, expected) if strict else ()
    if wrong_types:
        return Difference("types differ", wrong_types)
    if actual.num_rows != expected.num_rows:
        ours, theirs = _encode(actual, expected, rel_tol)
        rows = _unmatched(ours, theirs, np.arange(actual.num_rows), np.arange(expected.num_rows))
        return _difference(f"{actual.num_rows} rows instead of {expected.num_rows}", actual, expected, *rows)
    ours, theirs = _encode(actual, expected, rel_tol)
    keys = [actual.column_names.index(key) if isinstance(key, str) else key for key in order_by or ()]
    ordered = ours.equal_rows(theirs, keys)
    if not ordered.all():
        row = int(np.flatnonzero(~ordered)[0])
        shown = _row_text(actual, expected, row, row, keys)
        return Difference(f"the order differs, first at row {row}", (shown,))
    runs = theirs.runs(keys)
    left, right = ours.sorted_rows(runs), theirs.sorted_rows(runs)
    same = ours.take(left).equal_rows(theirs.take(right))
    extra, missing = _unmatched(ours, theirs, left[~same], right[~same])
    if not extra:
        return None
    if candidates is not None and set(runs[extra]) <= {runs[0], runs[-1]}:
        return _choice_difference(actual, with_readable_variants(candidates()), rel_tol)
    return _difference(f"{len(extra)} of {actual.num_rows} rows differ", actual, expected, extra, missing)


_Places = list[tuple[int, int | None]]


class _Rows:
    """Rows as numbers: (n, e) codes, equal where exact values are, and (n, f) finite floats.

    Codes are shared with the table that this one is compared to. What is no finite float has a code and is 0 here.
    """

    def __init__(self, codes: Ints, floats: Floats, tolerances: Floats, places: list[_Places]) -> None:
        self.codes = codes
        self.floats = floats
        self.tolerances = tolerances
        self.places = places
        """Of each column of the table: its column in `codes`, and in `floats` or None; of an array, of every element."""

    def take(self, rows: Ints) -> _Rows:
        return _Rows(self.codes[rows], self.floats[rows], self.tolerances, self.places)

    def equal_rows(self, other: _Rows, columns: Sequence[int] | None = None) -> Bools:
        """(n,) whether row i of both is equal, in all or those columns."""
        chosen = self.places if columns is None else [self.places[column] for column in columns]
        same = np.ones(len(self.codes), bool)
        for code, real in (pair for pairs in chosen for pair in pairs):
            same &= self.codes[:, code] == other.codes[:, code]
            if real is not None:
                same &= self._close(self.floats[:, real], other.floats[:, real], real)
        return same

    def close(self, row: int, other: _Rows, partner: int) -> bool:
        """Whether the floats of two rows are equal."""
        return bool(self._close(self.floats[row], other.floats[partner], slice(None)).all())

    def _close(self, left: Floats, right: Floats, column: int | slice) -> Bools:
        limit = self.tolerances[column] * np.maximum(np.abs(left), np.abs(right))
        with np.errstate(over="ignore"):
            close: Bools = np.abs(left - right) <= limit
        return close

    def runs(self, keys: Sequence[int]) -> Ints:
        """(n,) number of the run of each row; one run where there are no keys."""
        if len(self.codes) == 0:
            return np.zeros(0, np.int64)
        rows = np.arange(len(self.codes))
        changed = ~self.take(rows[1:]).equal_rows(self.take(rows[:-1]), keys)
        return np.concatenate([np.zeros(1, np.int64), np.cumsum(changed)])

    def sorted_rows(self, runs: Ints) -> Ints:
        """(n,) rows by run, then codes, then floats."""
        order: Ints = np.lexsort((*self.floats.T[::-1], *self.codes.T[::-1], runs))
        return order


def _encode(actual: pa.Table, expected: pa.Table, rel_tol: float) -> tuple[_Rows, _Rows]:
    """Both tables as rows of numbers, with codes in common."""
    split = actual.num_rows
    codes: list[Ints] = []
    floats: list[Floats] = []
    tolerances: list[float] = []
    places: list[_Places] = []
    for whole, other in zip(actual.columns, expected.columns, strict=True):
        places.append([])
        for left, right in _elements(whole, other):
            kinds = (left.type, right.type)
            if any(map(pa.types.is_floating, kinds)) and all(map(_is_number, kinds)):
                code, values = _float_codes(left, right)
                single = pa.types.is_float32(left.type) or pa.types.is_float32(right.type)
                tolerances.append(max(rel_tol, _SINGLE_TOLERANCE) if single else rel_tol)
                floats.append(values)
                places[-1].append((len(codes), len(floats) - 1))
            else:
                code = _exact_codes(left, right)
                places[-1].append((len(codes), None))
            codes.append(code)
    rows = split + expected.num_rows
    code_table = np.stack(codes, 1) if codes else np.zeros((rows, 0), np.int64)
    float_table = np.stack(floats, 1) if floats else np.zeros((rows, 0))
    limits = np.array(tolerances)
    return (
        _Rows(code_table[:split], float_table[:split], limits, places),
        _Rows(code_table[split:], float_table[split:], limits, places),
    )


def _elements(left: pa.ChunkedArray, right: pa.ChunkedArray) -> list[tuple[pa.ChunkedArray, pa.ChunkedArray]]:
    """The elements of two columns of arrays of one size, by place; of others the columns themselves."""
    kinds = (left.type, right.type)
    if not all(map(pa.types.is_fixed_size_list, kinds)) or len({kind.list_size for kind in kinds}) > 1:
        return [(left, right)]
    places = range(kinds[0].list_size)
    return [(pc.list_element(left, place), pc.list_element(right, place)) for place in places]


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_decimal(kind))


def _float_codes(left: pa.ChunkedArray, right: pa.ChunkedArray) -> tuple[Ints, Floats]:
    """Codes 0 finite, 1 NaN, 2 ∞, 3 −∞, 4 NULL; and the finite values, else 0."""
    parts = [column.cast(pa.float64()) for column in (left, right)]
    values = np.concatenate([part.to_numpy() for part in parts])
    null = np.concatenate([part.is_null().to_numpy() for part in parts])
    code = np.select([null, np.isnan(values), values == np.inf, values == -np.inf], [4, 1, 2, 3], 0)
    return code.astype(np.int64), np.where(code == 0, values, 0.0)


def _exact_codes(left: pa.ChunkedArray, right: pa.ChunkedArray) -> Ints:
    """Numbers that are equal where the values are."""
    kind = _plain(left.type)
    if kind == _plain(right.type) and not pa.types.is_nested(kind):
        if pa.types.is_null(kind):
            return np.zeros(len(left) + len(right), np.int64)
        chunks = [chunk.cast(kind) for column in (left, right) for chunk in column.chunks]
        indices = pa.chunked_array(chunks, kind).combine_chunks().dictionary_encode().indices
        result: Ints = indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
        return result
    numbers: dict[str, int] = {}
    values = [value for column in (left, right) for value in column.cast(_listable(column.type)).to_pylist()]
    return np.array([numbers.setdefault(_spelled(value), len(numbers)) for value in values], np.int64)


def _spelled(value: Any) -> str:
    """Text that is the same for equal numbers of different types."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_spelled, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name}: {_spelled(one)}' for name, one in value.items())}}}"
    if isinstance(value, float):
        # Floats in nested values have no tolerance of their own: what is left of it are fewer digits.
        return f"{value:.9e}" if value else "0"
    if hasattr(value, "normalize"):
        value = int(value) if value == int(value) else value.normalize()
    return repr(value)


def _listable(kind: pa.DataType) -> pa.DataType:
    """The type whose values Python has all of: dates and times within nested values become numbers."""
    if pa.types.is_temporal(kind) and not pa.types.is_interval(kind):
        return pa.int32() if kind.bit_width == 32 else pa.int64()
    if pa.types.is_null(kind):
        return pa.int8()  # of lists of nothing else a cast to lists of the same loses elements
    return _within(kind, _listable)


def _within(kind: pa.DataType, change: Callable[[pa.DataType], pa.DataType]) -> pa.DataType:
    """A nested type with the types in it changed; any other type as it is."""
    if pa.types.is_map(kind):
        # Keys that are all NULL have a type in Arrow that a field which is never NULL may have.
        key = pa.int32() if pa.types.is_null(kind.key_type) else change(kind.key_type)
        return pa.map_(key, change(kind.item_type))
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(change(kind.value_type), kind.list_size)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return pa.list_(change(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([pa.field(one.name, change(one.type)) for one in kind])
    return kind


def _plain(kind: pa.DataType) -> pa.DataType:
    """The type that stands for all layouts and time zones of the same values."""
    if pa.types.is_dictionary(kind):
        return _plain(kind.value_type)
    if isinstance(kind, pa.OpaqueType):
        return kind.storage_type
    if pa.types.is_large_string(kind) or kind == pa.string_view():
        return pa.string()
    if pa.types.is_timestamp(kind):
        return pa.timestamp(kind.unit if kind.tz is None else "us", None if kind.tz is None else "UTC")
    if pa.types.is_decimal(kind):
        return pa.decimal128(kind.precision, kind.scale)
    return _within(kind, _plain)


def _type_differences(actual: pa.Table, expected: pa.Table) -> tuple[str, ...]:
    return tuple(
        f"column {ours.name!r}: {ours.type} instead of {theirs.type}"
        for ours, theirs in zip(actual.schema, expected.schema, strict=True)
        if _plain(ours.type) != _plain(theirs.type)
    )


def _unmatched(ours: _Rows, theirs: _Rows, left: Ints, right: Ints) -> tuple[list[int], list[int]]:
    """Of the rows `left` of ours and `right` of theirs, those that have no partner of equal values."""
    waiting: defaultdict[bytes, list[int]] = defaultdict(list)
    for partner in right:
        waiting[theirs.codes[partner].tobytes()].append(int(partner))
    extra: list[int] = []
    for row in left:
        group = waiting[ours.codes[row].tobytes()]
        place = next((i for i, partner in enumerate(group[:_TRIED_ROWS]) if ours.close(row, theirs, partner)), None)
        if place is None:
            extra.append(int(row))
        else:
            del group[place]
    return extra, [partner for group in waiting.values() for partner in group]


def _choice_difference(actual: pa.Table, candidates: pa.Table, rel_tol: float) -> Difference | None:
    ours, theirs = _encode(actual, candidates, rel_tol)
    extra, _ = _unmatched(ours, theirs, np.arange(actual.num_rows), np.arange(candidates.num_rows))
    return _difference("rows that no LIMIT could choose", actual, candidates, extra, []) if extra else None


def _difference(summary: str, actual: pa.Table, expected: pa.Table, extra: list[int], missing: list[int]) -> Difference:
    """Shows rows in pairs where both sides have some left, else alone."""
    shown: list[str] = []
    pairs = min(len(extra), len(missing))
    for row, partner in zip(extra[:_SHOWN_ROWS], missing[:_SHOWN_ROWS], strict=False):
        shown.append(_row_text(actual, expected, row, partner, range(actual.num_columns)))
    shown += [f"only in tqp's: {_values(actual, row)}" for row in extra[pairs : pairs + _SHOWN_ROWS]]
    shown += [f"only in the expected: {_values(expected, row)}" for row in missing[pairs : pairs + _SHOWN_ROWS]]
    return Difference(summary, tuple(shown))


def _row_text(actual: pa.Table, expected: pa.Table, row: int, partner: int, columns: Sequence[int]) -> str:
    cells = []
    for column in columns:
        ours, theirs = _value(actual.column(column), row), _value(expected.column(column), partner)
        if ours != theirs:
            cells.append(f"{actual.column_names[column]}: {ours!r} instead of {theirs!r}")
    return f"row {row} {_values(actual, row)}: {'; '.join(cells)}"


def _values(table: pa.Table, row: int) -> str:
    return "(" + ", ".join(str(_value(column, row)) for column in table.columns) + ")"


def _value(column: pa.ChunkedArray, row: int) -> Any:
    """One value; as text where Python has none like it, such as a year beyond 9999."""
    try:
        return column[row].as_py()
    except (OverflowError, ValueError):
        return column.slice(row, 1).to_string()
