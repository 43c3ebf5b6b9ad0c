"""Build sides of joins: what a probe looks keys up in.

Two ways to get one. `BuildSink` materialises the rows of a pipeline and indexes their keys. `ResidentBuild` uses a stored
table as it lies: an index of one of its key columns is made once and kept with the table, and a filter on the table is
but one bool per row, found by `AliveSink`. Where only counts whether a key is there, `membership.py` has what suffices.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import Final, Protocol

import torch
from torch import Tensor

from tqp.data.column import Column, Layout
from tqp.ir.expr import Expr
from tqp.ir.plan import Scan
from tqp.ir.show import show_expr
from tqp.kernels import join, waits
from tqp.kernels.bands import SortedBands
from tqp.kernels.rows import count_true, row_dtype, select
from tqp.limits import Limits
from tqp.operators.bands import Band, sort_by_bands
from tqp.operators.batch import Batch
from tqp.operators.choice import Choice
from tqp.operators.collect import Gathered, Pieces, whole
from tqp.operators.instructions import Place, Writer
from tqp.operators.keys import JoinCodec, all_valid, group_rows
from tqp.operators.layouts import Layouts
from tqp.operators.operator import Expressions, Run, Sink
from tqp.operators.results import Alive, Part, Relation, Result, Slot, tensors_within
from tqp.operators.scan import TableSource

__all__ = [
    "CHOICES",
    "AliveSink",
    "BuildFacts",
    "BuildRef",
    "BuildSink",
    "Built",
    "ResidentBuild",
    "SlotBuild",
]


_VALUE: Final = "the value of a scalar subquery"


@dataclass(eq=False)
class Built:
    """A build side, ready to be probed.

    `lookup` maps key codes to rows; None without keys: every row matches, or those that `bands` finds. `alive` (rows,)
    bool: rows that passed the table's filter. `null_keys`: some row has a NULL key. `touched`: rows that found a partner.
    """

    columns: Mapping[str, Column]
    rows: int
    codec: JoinCodec | None
    lookup: join.Lookup | None
    alive: Tensor | None = None
    null_keys: bool = False
    touched: Tensor | None = None
    bands: SortedBands | None = None

    @cached_property
    def scalars(self) -> Mapping[str, Column] | None:
        """The columns of at most one row as constants; None where a value has no constant form."""
        result = {}
        for symbol, column in self.columns.items():
            if column.has_elements and not column.dtype.is_array:
                return None
            null = self.rows == 0 or (column.valid is not None and not waits.truth(column.valid[0], _VALUE))
            valid = torch.zeros((), dtype=torch.bool, device=column.device) if null else None
            shape, device = column.data.shape[1:], column.device
            data = torch.zeros(shape, dtype=column.data.dtype, device=device) if self.rows == 0 else column.data[0]
            bounds = None
            if not null and column.bounds is not None:
                value = waits.number(data, _VALUE)
                bounds = (value, value)
            result[symbol] = replace(column, data=data, valid=valid, bounds=bounds)
        return result

    def key_values(self, place: int = 0, most: float = inf) -> Tensor | None:
        """The integers that key number `place` may be (m,), with copies; None where these are more than `most`, or unknown."""
        codec, alive = self.codec, self.alive
        if codec is None or (codec.codes.shape[0] if alive is None else count_true(alive)) > most:
            return None
        return codec.values(place, codec.codes if alive is None else codec.codes.index_select(0, select(alive)))

    def parts(self) -> Iterator[tuple[str, Part]]:
        yield from self.columns.items()
        for name, part in (
            ("lookup", self.lookup),
            ("alive", self.alive),
            ("touched", self.touched),
            ("bands", self.bands),
        ):
            if part is not None:
                yield name, part


_LOOKUPS: Final[dict[type[join.Lookup], tuple[str, str]]] = {
    join.DenseLookup: ("position = key - minimum", "keys are dense and unique"),
    join.DirectLookup: ("direct-address table", "keys are unique in a bounded range"),
    join.HashedLookup: ("hash table", "keys are unique, their range is wide"),
    join.CsrHashedLookup: ("hash table and row ranges", "keys repeat, their range is wide"),
    join.SortedLookup: ("binary search", "keys are unique, their range is wide"),
    join.CsrLookup: ("row ranges by key", "keys repeat in a bounded range"),
    join.CsrSortedLookup: ("binary search and row ranges", "keys repeat, their range is wide"),
}


_UNIQUE = tuple([name for kind, (name, _) in _LOOKUPS.items() if kind.is_unique])
_REPEATED = tuple([name for kind, (name, _) in _LOOKUPS.items() if not kind.is_unique])
"""How the row of a key, or its rows, may be found: what the run chooses among once the keys are there."""

CHOICES: Final = {
    kind: Choice("lookup", chosen, tuple([name for name, _ in _LOOKUPS.values() if name != chosen]), reason)
    for kind, (chosen, reason) in _LOOKUPS.items()
}
"""What kind of lookup it is and why."""


BANDED: Final = Choice(
    "lookup", "ranges of sorted rows", ("all rows",), "there is no key, and comparisons keep a range of sorted values"
)


@dataclass(frozen=True, slots=True)
class BuildFacts:
    """Of a build side in the program as data: what it reads, its columns, how keys may be found, and what else is known."""

    reads: tuple[Place, ...]
    columns: tuple[str, ...]
    ways: tuple[str, ...]
    parameters: dict[str, object]


class BuildRef(Protocol):
    """How a probe finds its build side in a run; `reads` are the slots of earlier results that it needs."""

    @property
    def reads(self) -> tuple[Slot[Result], ...]: ...
    def get(self, run: Run) -> Built: ...

    def columns(self, run: Run) -> Mapping[str, Column | Layout]:
        """The columns that a probe finds, or their layouts where they are only announced."""
        ...

    def describe(self) -> str: ...

    def facts(self, writer: Writer) -> BuildFacts:
        """What it is in the program as data."""
        ...


@dataclass(frozen=True, eq=False)
class SlotBuild:
    """The build side that an earlier pipeline left."""

    slot: Slot[Built]

    @property
    def reads(self) -> tuple[Slot[Result], ...]:
        return (self.slot,)

    def get(self, run: Run) -> Built:
        return run.result(self.slot)

    def columns(self, run: Run) -> Mapping[str, Column | Layout]:
        return run.columns(self.slot)

    def facts(self, writer: Writer) -> BuildFacts:
        return BuildFacts((self.slot,), writer.left(self.slot).symbols, _UNIQUE + _REPEATED, {})

    def describe(self) -> str:
        return f"build {self.slot}"


@dataclass(frozen=True, eq=False)
class _Index:
    """How rows of a stored table are found by one of its columns."""

    codec: JoinCodec
    lookup: join.Lookup
    column: Column

    @property
    def nbytes(self) -> int:
        """Bytes beside those of the column, whose values may be the keys themselves."""
        parts = [self.codec.codes, *self.codec.checks, *(tensor for _, tensor in tensors_within(self.lookup))]
        tensors = {part.data_ptr(): part for part in parts}
        tensors.pop(self.column.data.data_ptr(), None)
        return sum(tensor.nbytes for tensor in tensors.values())


@dataclass(frozen=True, eq=False)
class ResidentBuild:
    """A stored table, probed by one of its columns through an index that stays with the table.

    `column` is the stored column, `alive` the slot of the filter's mask.
    """

    scan: Scan
    column: str
    alive: Slot[Alive] | None = None

    @property
    def reads(self) -> tuple[Slot[Result], ...]:
        return () if self.alive is None else (self.alive,)

    def get(self, run: Run) -> Built:
        index = self._index(run.limits)
        alive = None if self.alive is None else run.result(self.alive).mask
        return Built(self._columns, self.scan.source.rows, index.codec, index.lookup, alive)

    def columns(self, run: Run) -> Mapping[str, Column | Layout]:
        return self._columns

    @cached_property
    def _columns(self) -> Mapping[str, Column]:
        return TableSource(self.scan).columns

    def facts(self, writer: Writer) -> BuildFacts:
        symbols = tuple([field.symbol for field in self.scan.fields])
        ways = _UNIQUE if self.scan.source.statistics(self.column).is_unique else _REPEATED
        told = {"table": self.scan.source, "columns": self.scan.columns, "index": self.column}
        return BuildFacts(self.reads, symbols, ways, told)

    def _index(self, limits: Limits) -> _Index:
        stored = self.scan.source

        def make() -> _Index:
            column = stored.column(self.column)
            facts = stored.statistics(self.column)
            codec = JoinCodec([column], limits)
            slots = limits.index_table(len(column))
            return _Index(codec, join.build(codec.codes, codec.low, codec.high, facts.is_unique, slots=slots), column)

        return stored.indexes.of(self.column, make)

    def describe(self) -> str:
        filtered = "" if self.alive is None else f", rows alive by pipeline {self.alive}"
        return f"{self.scan.name} by its index on {self.column}{filtered}"


@dataclass(frozen=True, eq=False)
class AliveSink(Sink[Alive]):
    """Which rows of a stored table a pipeline over it kept: (rows,) bool."""

    scan: Scan

    def leaves(self, run: Run, layouts: Layouts) -> Mapping[str, Layout]:
        return {}

    def prepare(self, run: Run, layouts: Layouts) -> _AliveMarker:
        return _AliveMarker(self.scan, run.device)

    def write(self, writer: Writer) -> None:
        writer.leave("mask", (), (), table=self.scan.source)

    def describe(self) -> str:
        return f"mask of the rows of {self.scan.name}"


class _AliveMarker:
    """One mask for all workers: they write different rows."""

    def __init__(self, scan: Scan, device: torch.device) -> None:
        self._symbol = scan.fields[0].symbol
        self._alive = torch.zeros(scan.source.rows, dtype=torch.bool, device=device)

    def local(self) -> None:
        return None

    def consume(self, local: None, batch: Batch) -> None:
        part = batch.origin(self._symbol)
        assert part is not None
        rows = part.rows
        if rows is None:
            self._alive[part.offset : part.offset + batch.rows] = True
        else:
            self._alive[part.offset :].index_fill_(0, rows.long(), True)

    def finish(self, locals: list[None]) -> Alive:
        return Alive(self._alive)


@dataclass(frozen=True, eq=False)
class BuildSink(Sink[Built]):
    """Materialises `payload` and indexes `keys`; `probes` estimates how often they will be looked up.

    `distinct`: one row of each combination of keys and payload, NULL among them, is enough. `bands`, without keys: what keeps
    a range of the rows, once they are sorted.
    """

    keys: tuple[Expr, ...]
    payload: tuple[str, ...]
    probes: float = 0.0
    distinct: bool = False
    bands: tuple[Band, ...] = ()

    @property
    def expressions(self) -> Expressions:
        return (self.values,)

    @property
    def values(self) -> tuple[Expr, ...]:
        """What rows are found by: the keys, or what the bands compare."""
        return self.keys or tuple(band.theirs for band in self.bands)

    def leaves(self, run: Run, layouts: Layouts) -> Mapping[str, Layout]:
        return whole(layouts, self.payload)

    def prepare(self, run: Run, layouts: Layouts) -> _Builder:
        return _Builder(self, run, layouts)

    def write(self, writer: Writer) -> None:
        inputs = (*map(writer.value, self.values), *writer.read(self.payload))
        writer.leave("build", inputs, self.payload, keys=len(self.keys), probes=self.probes, distinct=self.distinct)

    def describe(self) -> str:
        keys = ", ".join(map(show_expr, self.values)) or "all rows"
        once = ", each once" if self.distinct else ""
        return f"build on {keys}{once}, carrying {', '.join(self.payload) or 'nothing'}"


class _Builder(Gathered):
    """Collects payload and keys of every batch; the index is made when all are there."""

    def __init__(self, sink: BuildSink, run: Run, layouts: Layouts) -> None:
        super().__init__(sink.payload, run, layouts, sink.values)
        self._sink = sink
        self._run = run

    def finish(self, locals: list[Pieces]) -> Built:
        relation, keys = self.gathered(locals)
        if self._sink.distinct:
            relation, keys = _distinct(relation, keys)
        payload = relation.columns
        if not self._sink.keys:
            return self._banded(relation, keys)
        valid = all_valid(keys)
        row_ids, nulls = None, False
        if valid is not None:
            row_ids = select(valid)
            nulls = row_ids.shape[0] < relation.rows
            keys = [key.take(row_ids).with_valid(None) for key in keys]
        limits = self._run.limits
        codec = JoinCodec(keys, limits)
        if nulls and row_ids is not None:
            # What is compared after the lookup is found by the relation's rows, like the payload.
            blank = torch.zeros(relation.rows, dtype=torch.int64, device=self._run.device)
            codec.checks = [blank.index_copy(0, row_ids, check.long()) for check in codec.checks]
        # For many probes a large table pays even if few keys are in it.
        slots = max(limits.lookup_table(codec.codes.shape[0]), int(min(self._sink.probes, limits.table_slots)))
        rows = None if row_ids is None or not nulls else row_ids.to(row_dtype(relation.rows))
        lookup = join.build(codec.codes, codec.low, codec.high, None, rows, slots, limits.sparse_slots)
        self._run.note(self._sink, f"{relation.rows:,} rows", CHOICES[type(lookup)])
        return Built(payload, relation.rows, codec, lookup, None, nulls)

    def _banded(self, relation: Relation, values: list[Column]) -> Built:
        if not values or relation.rows < self._run.limits.banded_rows:
            return Built(relation.columns, relation.rows, None, None)
        self._run.note(self._sink, f"{relation.rows:,} rows", BANDED)
        there = sort_by_bands(self._sink.bands, values)
        return Built(relation.columns, relation.rows, None, None, bands=there)


def _distinct(relation: Relation, keys: list[Column]) -> tuple[Relation, list[Column]]:
    """The first row of each combination of values and keys."""
    values = [*relation.columns.values(), *keys]
    if relation.rows < 2 or not values:
        return relation, keys
    _, first, groups = group_rows(values, None)
    if groups == relation.rows:
        return relation, keys
    columns = {symbol: column.take(first) for symbol, column in relation.columns.items()}
    return Relation(columns, groups), [key.take(first) for key in keys]
