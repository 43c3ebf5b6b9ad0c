"""Stored tables: columns on one device, with what is derived from them, of one version of their source."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from sys import getsizeof
from typing import TYPE_CHECKING, Protocol, cast

from tqp.data import statistics, zones
from tqp.data.column import Column
from tqp.data.excerpts import Excerpts
from tqp.data.indexes import Indexes
from tqp.data.reading import Excerpt, Grouped, Reading
from tqp.data.selectivities import Selectivities
from tqp.data.statistics import ColumnStatistics
from tqp.data.transfer import is_small, moved
from tqp.data.zones import Zones
from tqp.errors import SourceError
from tqp.interrupt import checkpoint
from tqp.kept import Kept
from tqp.kernels.loops.loop import prepare
from tqp.locks import Lock
from tqp.types import DType

if TYPE_CHECKING:
    import torch

__all__ = ["Gap", "Origin", "Reader", "StoredTable", "TableReference"]


class Gap(str):
    """Why a column cannot be read; `shown` is what its type is called all the same."""

    shown: str

    def __new__(cls, reason: str, shown: str) -> Gap:
        made = super().__new__(cls, reason)
        made.shown = shown
        return made


class Reader(Protocol):
    """Where the columns of a table come from (`tqp.io` has them): the schema is known without reading data.

    So are the rows, unless it has `guessed_rows` besides: about how many there are until they are counted, None from then on.
    """

    @property
    def rows(self) -> int: ...
    @property
    def schema(self) -> tuple[tuple[str, DType], ...]:
        """Names and types of all columns; what is `unsupported` has the NULL type here."""
        ...

    @property
    def unsupported(self) -> Mapping[str, str]:
        """The columns that cannot be read, and why."""
        ...

    def column(self, name: str) -> Column:
        """All rows of one column, in memory where they are read; UnsupportedError for an unsupported one."""
        ...


class Origin(Protocol):
    """Where the rows of a table are, if they may change there."""

    def latest(self, table: StoredTable) -> StoredTable:
        """The table of the rows that are there now: `table` itself as long as it is; SourceError where there are none."""
        ...

    def unread(self, table: StoredTable) -> StoredTable:
        """One that holds nothing of the rows, whose `latest` opens them again."""
        ...


@dataclass(frozen=True, slots=True)
class TableReference:
    """What a stored table is in a pickled plan: its name, and what the plan may rely on, but no rows.

    `schema` has its hidden columns, too. `facts` are the statistics that were known of its columns when it was pickled. `attached`
    puts a table in its place, or that `excerpt` of it.
    """

    name: str
    rows: int
    schema: tuple[tuple[str, DType], ...]
    facts: tuple[tuple[str, ColumnStatistics], ...]
    excerpt: Excerpt | None = None
    hidden: tuple[tuple[str, DType], ...] = ()

    def statistics(self, column: str) -> ColumnStatistics:
        for name, known in self.facts:
            if name == column:
                return known
        raise self._alone()

    def column(self, name: str) -> Column:
        raise self._alone()

    def columns(self, names: Sequence[str]) -> list[Column]:
        raise self._alone()

    @property
    def local(self) -> frozenset[str]:
        return frozenset()

    @property
    def indexes(self) -> Indexes:
        raise self._alone()

    @property
    def selectivities(self) -> Selectivities:
        return Selectivities()

    def zones(self, column: str, block: int) -> Zones | None:
        raise self._alone()

    def _alone(self) -> SourceError:
        return SourceError(
            f"the plan holds a reference to table {self.name!r} alone", hint="attach the plan to tables first"
        )

    def require_same(self, table: StoredTable) -> None:
        """Raise SourceError where the table's rows are not of the kind that the plan was optimized for."""
        if table.rows != self.rows:
            raise SourceError(f"table {self.name!r} has {table.rows} rows, and the plan was made for {self.rows}")
        own, there = dict(self.schema), dict((*table.schema, *table.hidden))
        for column, known in self.facts:
            # Also of columns that the plan does not read: it may do without a join because one is unique.
            if there.get(column) != own[column] or table.statistics(column) != known:
                raise SourceError(
                    f"column {column!r} of table {self.name!r} has other values than the plan was made for",
                    hint="plan the query anew over this table",
                )


class StoredTable:
    """A table whose columns are read on first use and then stay on one device. Safe to use from several threads.

    Small columns of which only statistics were asked wait where they were read, so that they move together.
    Compared by identity, and immutable except for what it remembers: one version of its rows, with all that is derived
    from them. `is_held`: what its reader has of the rows is nobody else's. `kept` lists it all.
    """

    def __init__(
        self, name: str, reader: Reader, device: torch.device, origin: Origin | None = None, is_held: bool = False
    ) -> None:
        self.name = name
        self.device = device
        self.schema = reader.schema
        self.hidden: tuple[tuple[str, DType], ...] = getattr(reader, "hidden", ())
        """Columns that queries may name, and `*` does not mean."""
        self.unsupported = reader.unsupported
        self.local: frozenset[str] = getattr(reader, "local", frozenset())
        self.origin = origin
        self.excerpt: Excerpt | None = None
        """Which rows of a larger table these are; None: they are all."""
        self.indexes = Indexes()
        self.selectivities = Selectivities()
        """How rows are found by the values of a column."""
        self._zones: dict[tuple[str, int], Zones | None] = {}
        self._is_held = is_held
        self._reader = reader
        self._excerpts = Excerpts[StoredTable](self.expected_rows)
        self._columns: dict[str, Column] = {}
        self._statistics: dict[str, ColumnStatistics] = {}
        self._moving = Lock()
        self._locks = {column: Lock() for column, _ in (*self.schema, *self.hidden)}

    def __repr__(self) -> str:
        return f"StoredTable({self.name!r}, {self.expected_rows} rows)"

    def __reduce__(self) -> tuple[type[TableReference], tuple[object, ...]]:
        return TableReference, (
            self.name,
            self.rows,
            (*self.schema, *self.hidden),
            tuple(self._statistics.items()),
            self.excerpt,
        )

    # Kept, as every pipeline that reads the table asks for each of its batches.
    @cached_property
    def rows(self) -> int:
        """How many rows it has. SourceError where they have to be read for that, and cannot be."""
        return self._reader.rows

    @property
    def guessed_rows(self) -> int | None:
        """About how many rows it has, as long as nobody has counted them; None: `rows` is known."""
        found: int | None = getattr(self._reader, "guessed_rows", None)
        return found

    @property
    def expected_rows(self) -> int:
        """How many rows it has, or about how many as long as nobody has counted them."""
        guess = self.guessed_rows
        return self.rows if guess is None else guess

    def column(self, name: str) -> Column:
        """The whole column `name` (as the schema spells it) on the device; see `columns`."""
        column = self._columns.get(name)
        return self.columns((name,))[0] if column is None or column.device != self.device else column

    def columns(self, names: Sequence[str]) -> list[Column]:
        """The whole columns of these names on the device. Those that are not there yet move together, with all that wait."""
        for name in names:
            self._anywhere(name)
        with self._moving:
            away = {name: column for name, column in self._columns.copy().items() if column.device != self.device}
            self._columns.update(zip(away, moved(list(away.values()), self.device), strict=True))
        return [self._columns[name] for name in names]

    def _anywhere(self, name: str) -> Column:
        """The whole column, read if it was not used before. A large one is on the device then; others may wait for `columns`."""
        column = self._columns.get(name)
        if column is not None:
            return column
        with self._locks[name]:
            column = self._columns.get(name)
            if column is None:
                checkpoint()
                column = self._keep(name, self._reader.column(name))
        return column

    def _keep(self, name: str, column: Column) -> Column:
        if len(column) != self.rows:
            raise SourceError(
                f"column {name!r} of table {self.name!r} has {len(column)} rows instead of {self.rows}",
                hint="what it was read from has changed: register it again",
            )
        self._columns[name] = column = column if is_small(column) else moved([column], self.device)[0]
        if self.device.type == "cpu":
            prepare(self.rows)
        return column

    def reading(self, name: str) -> Reading | None:
        """How several threads read the column, for `hold`; None where it was read."""
        if name in self._columns:
            return None
        in_parts: Callable[[str], Reading] | None = getattr(self._reader, "reading", None)
        if in_parts is not None:
            return in_parts(name)
        return Reading((lambda: self._anywhere(name),), lambda found: found[0])

    def hold(self, name: str, column: Column) -> None:
        """Keep the column that was read in parts, unless somebody else has read it meanwhile."""
        with self._locks[name]:
            if name not in self._columns:
                self._keep(name, column)

    def holds(self, name: str) -> bool:
        """Whether the column was read."""
        return name in self._columns

    @property
    def grouped(self) -> Grouped | None:
        """The row groups that the table is stored in, any of which can be read alone; None where it has none."""
        return self._reader if hasattr(type(self._reader), "groups") and self.excerpt is None else None  # type: ignore[return-value]

    def excerpt_of(self, wanted: Excerpt) -> StoredTable | None:
        """Some of its row groups as a table of the same version; None where it has none, or it is time to read all of them."""
        if wanted == self.excerpt:
            return self
        grouped = self.grouped

        def make() -> StoredTable:
            part = StoredTable(self.name, cast(Reader, cast(Grouped, grouped).excerpt(wanted)), self.device)
            part.excerpt = wanted
            return part

        return None if grouped is None else self._excerpts.get(wanted, make)

    @property
    def reader(self) -> Reader:
        """Where its columns come from."""
        return self._reader

    @property
    def original(self) -> object:
        """The object that was handed in, or the paths of Parquet files as a tuple; None for what tqp alone reads."""
        return getattr(self._reader, "original", None)

    def latest(self) -> StoredTable:
        """The table of what its source holds now; SourceError where that cannot be read any more."""
        return self if self.origin is None else self.origin.latest(self)

    def unread(self) -> StoredTable:
        """The same table, with nothing read yet."""
        if self.origin is not None:
            return self.origin.unread(self)
        return StoredTable(self.name, self._reader, self.device)

    def statistics(self, column: str) -> ColumnStatistics:
        """Facts about the column; reads it if it was not used before."""
        found = self._statistics.get(column)
        if found is None:
            found = statistics.compute(self._anywhere(column))
            self._statistics[column] = found
        return found

    def zones(self, column: str, block: int) -> Zones | None:
        """What the values of each `block` rows of the column lie between, made once; None where blocks do not differ."""
        key = column, block
        if key not in self._zones:
            self._zones[key] = zones.make(self.column(column), block) if self.rows else None
        return self._zones[key]

    def bytes(self) -> int:
        """Bytes of the columns that are resident now, dictionaries included."""
        return sum(item.bytes for item in self.kept() if item.kind in ("column", "dictionary"))

    def kept(self) -> Iterator[Kept]:
        """All that was read of the table or derived from it."""
        dictionaries: set[int] = set()
        held = getattr(self._reader, "nbytes", 0) if self._is_held else 0
        if held:
            yield Kept("rows", self.name, held)
        for name, column in list(self._columns.items()):
            yield Kept("column", f"{self.name}.{name}", column.nbytes)
            dictionary = column.dictionary
            if dictionary is not None and id(dictionary) not in dictionaries:
                dictionaries.add(id(dictionary))
                yield Kept("dictionary", f"{self.name}.{name}", dictionary.nbytes)
        for name, facts in list(self._statistics.items()):
            yield Kept("statistics", f"{self.name}.{name}", getsizeof(facts))
        for name, size in self.indexes.kept():
            yield Kept("index", f"{self.name}.{name}", size)
        for shape, size in self.selectivities.kept():
            yield Kept("selectivity", f"{self.name}: {shape}", size)
        for (name, _), found in list(self._zones.items()):
            if found is not None:
                yield Kept("zones", f"{self.name}.{name}", found.nbytes)
        for excerpt in self._excerpts:
            yield from excerpt.kept()
