"""A batch: the rows that flow through the stages of a pipeline, materialised as late as possible.

A batch is a set of *parts*, each one row-id vector into whole columns of one origin (a scan, the build side of a join,
values computed before), plus *definitions*: expressions that are evaluated when somebody asks for their symbol.
Compacting and joining touch row ids alone; a column is gathered once, for the rows that got that far.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.errors import ExecutionError, InternalError

__all__ = ["Batch", "Definition", "Key", "Later", "Part", "Values", "deepest_first"]

Key = int | str
"""Where a batch has a value: the slot of a step, or a symbol."""

Values = dict[Key, Column]
"""What is known of the rows of a batch."""


@dataclass(frozen=True, slots=True)
class Definition:
    """How the column of a symbol is evaluated, and the symbols that this reads."""

    evaluate: Callable[[Batch], Column]
    reads: frozenset[str] = frozenset()


def deepest_first(name: str, reads: Callable[[str], Iterable[str]]) -> Iterator[str]:
    """The name and all that it reads, directly or not, each once, after those that it reads itself.

    Without recursion, as definitions are as deep as queries nest. `reads` is asked once for each name, before the first of those
    below it is given.
    """
    opened: set[str] = set()
    given: set[str] = set()
    pending = [name]
    while pending:
        name = pending[-1]
        if name not in opened:
            opened.add(name)
            pending += [one for one in reads(name) if one not in opened]
            continue
        pending.pop()
        if name not in given:
            given.add(name)
            yield name


class Later:
    """`size` row ids (m,), computed when somebody first asks for them."""

    __slots__ = ("_found", "_make", "size")

    def __init__(self, size: int, make: Callable[[], Tensor]) -> None:
        self.size = size
        self._make = make
        self._found: Tensor | None = None

    def rows(self) -> Tensor:
        """They themselves."""
        if self._found is None:
            self._found = self._make()
        return self._found


class Part:
    """Whole columns of one origin and the rows of them that a batch holds.

    `rows` (n,) int32 or int64 row ids, None: the columns as they are. With a `chosen_of` they are rows of the batch of that part,
    and may be there later.
    `matched` (n,) bool or None: where False the row has no partner in this origin and all its columns are NULL. `offset` is where
    in the origin the columns begin.
    """

    __slots__ = ("_chosen_of", "_later", "_rows", "columns", "is_whole", "matched", "offset")

    def __init__(
        self,
        columns: Mapping[str, Column],
        rows: Tensor | Later | None = None,
        matched: Tensor | None = None,
        offset: int = 0,
        chosen_of: Part | None = None,
    ) -> None:
        self.columns = columns
        self.matched = matched
        self.offset = offset
        self.is_whole = rows is None and matched is None
        """The columns are those of the batch as they are."""
        self._later = rows if isinstance(rows, Later) else None
        self._rows = None if isinstance(rows, Later) else rows
        self._chosen_of = chosen_of

    @property
    def rows(self) -> Tensor | None:
        """The row ids; computed when first asked for after a choice of rows."""
        source = self._chosen_of
        if source is not None:
            before = source.rows
            own = self._rows if self._later is None else self._later.rows()
            self._rows = own if before is None or own is None else before.index_select(0, own)
            self._chosen_of = None
        return self._rows

    def choose(self, rows: Tensor | Later) -> Part:
        """The part for the batch rows `rows`, in that order; repeats allowed."""
        if self.is_whole and not isinstance(rows, Later):
            return Part(self.columns, rows, None, self.offset)
        matched = self.matched
        if matched is not None:
            matched = matched.index_select(0, rows.rows() if isinstance(rows, Later) else rows)
        return Part(self.columns, rows, matched, self.offset, self)

    def valid(self, symbol: str) -> Tensor | None:
        """Where the column of a part with row ids is not NULL; None where it never is."""
        rows, known = self.rows, self.columns[symbol].valid
        assert rows is not None
        if known is not None:
            known = known.index_select(0, rows)
        if self.matched is None or known is None:
            return self.matched if known is None else known
        return self.matched & known

    def column(self, symbol: str) -> Column:
        column = self.columns[symbol]
        rows = self._rows if self._chosen_of is None else self.rows
        matched = self.matched
        if matched is None:
            return column if rows is None else column.take(rows)
        if rows is not None:
            column = _null_columns(column, rows) if _is_empty(column) else column.take(rows)
        valid = matched if column.valid is None else matched & column.valid
        return column.expand(len(matched)).with_valid(valid)


def _is_empty(column: Column) -> bool:
    return not column.is_constant and len(column) == 0


def _null_columns(column: Column, rows: Tensor) -> Column:
    # Only rows without a partner can point into an empty origin; what they hold does not matter.
    data = torch.zeros((rows.shape[0], *column.data.shape[1:]), dtype=column.data.dtype, device=column.device)
    valid = None if column.valid is None else torch.zeros(rows.shape[0], dtype=torch.bool, device=column.device)
    return replace(column, data=data, valid=valid)


class Batch:
    """`rows` rows of named columns; immutable to those who use it, except for what it remembers."""

    __slots__ = ("_definitions", "_parts", "index", "of_entries", "rows", "values")

    def __init__(
        self,
        parts: Mapping[str, Part],
        rows: int,
        definitions: Mapping[str, Definition] | None = None,
        index: int = 0,
        values: Values | None = None,
    ) -> None:
        self.rows = rows
        self.index = index
        self.values: Values = {} if values is None else values
        """What is remembered: columns that were gathered or evaluated, by symbol; values of expressions, by slot."""
        self.of_entries = False
        """The rows are the entries of a dictionary."""
        self._parts = parts
        self._definitions = definitions or {}

    @staticmethod
    def of(columns: Mapping[str, Column], rows: int, index: int = 0, offset: int = 0) -> Batch:
        part = Part(columns, offset=offset)
        return Batch(dict.fromkeys(columns, part), rows, None, index)

    def column(self, symbol: str) -> Column:
        """The column of that symbol; gathered or evaluated on first use."""
        column = self.values.get(symbol)
        if column is None:
            part = self._parts.get(symbol)
            if part is not None:
                column = part.columns[symbol] if part.is_whole else part.column(symbol)
            elif symbol in self._definitions:
                self._prepare(symbol)
                column = self._definitions[symbol].evaluate(self)
            else:
                raise InternalError(f"no column {symbol} in the batch")
            self.values[symbol] = column
        return column

    def _prepare(self, symbol: str) -> None:
        """Evaluate the defined columns that the definition reads, and those that they read, deepest first.

        Chains of definitions are as long as queries nest, so that one does not evaluate the next. One that fails is left to
        whoever needs it, perhaps for other rows.
        """
        definitions, values, parts = self._definitions, self.values, self._parts
        if definitions.keys().isdisjoint(definitions[symbol].reads):
            return

        def unknown(name: str) -> list[str]:
            reads = definitions[name].reads
            return [one for one in reads if one in definitions and one not in values and one not in parts]

        for name in deepest_first(symbol, unknown):
            if name != symbol and name not in values:
                try:
                    values[name] = definitions[name].evaluate(self)
                except ExecutionError:
                    return

    def origin(self, symbol: str) -> Part | None:
        """The part that holds the symbol, if it is not a computed column."""
        return self._parts.get(symbol)

    def define(self, definitions: Mapping[str, Definition]) -> Batch:
        """The batch with more symbols, to be evaluated when asked for."""
        return Batch(self._parts, self.rows, {**self._definitions, **definitions}, self.index, self.values)

    def join(self, columns: Mapping[str, Column], rows: Tensor | None, matched: Tensor | None = None) -> Batch:
        """The batch with the columns of another origin beside its own: batch row i goes with its row rows[i].

        InternalError where a symbol means a column on both sides.
        """
        if not self._parts.keys().isdisjoint(columns):
            raise InternalError(f"both sides of a join have {', '.join(self._parts.keys() & columns.keys())}")
        parts = {**self._parts, **dict.fromkeys(columns, Part(columns, rows, matched))}
        # A copy: what is evaluated with these partners must not be taken for a value with others.
        return Batch(parts, self.rows, self._definitions, self.index, self.values.copy())

    def choose(self, rows: Tensor) -> Batch:
        """The batch rows `rows` ((m,) int32 or int64), in that order; repeats allowed."""
        return self._choose(rows, rows.shape[0])

    def repeat(self, rows: Later) -> Batch:
        """The same, where a column that nobody reads shall need no row ids."""
        return self._choose(rows, rows.size)

    def _choose(self, rows: Tensor | Later, count: int) -> Batch:
        chosen: dict[Part, Part] = {}
        parts: dict[str, Part] = {}
        for symbol, part in self._parts.items():
            own = chosen.get(part)
            if own is None:
                own = chosen[part] = part.choose(rows)
            parts[symbol] = own
        computed: dict[str, Column] = {}
        for symbol in self._definitions:
            column = self.values.get(symbol)
            if column is not None and symbol not in parts:
                computed[symbol] = column
        if computed:
            parts.update(dict.fromkeys(computed, Part(computed).choose(rows)))
        return Batch(parts, count, self._definitions, self.index)
