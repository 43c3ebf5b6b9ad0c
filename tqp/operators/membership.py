"""Joins for which only counts whether a key is there: semi, anti and mark joins without a residual condition.

`MembersSink` keeps the keys of the build side, each once, in the form that suits how many came and where they lie; nothing
is known of either before. `MembershipStage` asks for the keys of the probe side.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf
from typing import Final

from torch import Tensor

from tqp.data.column import Column, Layout
from tqp.data.layout import Bounds, Encoding
from tqp.functions.order import digits
from tqp.ir.expr import Expr
from tqp.ir.plan import JoinKind
from tqp.ir.show import show_expr
from tqp.ir.source import Source
from tqp.kernels import join, keysets
from tqp.kernels.group import group_ids_multi
from tqp.kernels.rows import count_true, select
from tqp.limits import Limits
from tqp.locks import Lock
from tqp.operators.batch import Batch
from tqp.operators.blocks import Blocks
from tqp.operators.choice import Choice
from tqp.operators.collect import Gathered, Pieces
from tqp.operators.filter import keep
from tqp.operators.instructions import Writer
from tqp.operators.keys import JoinCodec, all_valid
from tqp.operators.layouts import Layouts
from tqp.operators.operator import Expressions, Run, Sink, Stage, index_budget
from tqp.operators.pairs import Pairs
from tqp.operators.results import Part, Result, Slot, nbytes
from tqp.types import BOOLEAN

__all__ = ["Members", "MembersSink", "MembershipStage", "StoredKeys"]

_FORMS: Final = ("bitmap", "hash table", "sorted keys", "row ranges by key")
"""How a key is looked for: what the run chooses among once the keys are there."""


@dataclass(frozen=True, eq=False)
class StoredKeys:
    """All values of a stored column, as keys."""

    table: Source
    column: str

    def there(self) -> Members | None:
        """The members that an earlier query left with the table."""
        found = self.table.indexes.keys(self.column)
        assert found is None or isinstance(found, Members)
        return found

    def keep(self, members: Members, run: Run) -> None:
        """Leave a bitmap with the table, within what indexes may take."""
        if isinstance(members.form, keysets.KeyBitmap):
            self.table.indexes.keep_keys(self.column, replace(members, origin=self), index_budget(run))

    def __str__(self) -> str:
        return f"{self.table.name}.{self.column}"


@dataclass(frozen=True, eq=False)
class Members:
    """The distinct keys of a build side that had `rows` rows, with or without a NULL among the keys.

    `form` holds their codes. Row ranges: of each leading digit, whose rows the other digits (`codec.checks`) tell apart.
    """

    codec: JoinCodec
    form: keysets.KeyBitmap | join.SortedLookup | join.HashedLookup | join.RangeLookup
    rows: int
    null_keys: bool

    origin: StoredKeys | None = None
    """The stored column that they are kept with."""

    @property
    def nbytes(self) -> int:
        """Bytes of the form."""
        return nbytes(self)

    def key_values(self, place: int = 0, most: float = inf) -> Tensor | None:
        """The integers that key number `place` may be (m,), with copies; None where these are more than `most`, or unknown."""
        match self.form:
            case keysets.KeyBitmap(present, minimum):
                codes = select(present) + minimum if count_true(present) <= most else None
            case join.CsrLookup(starts, minimum=minimum):
                codes = select(starts[1:-1] > starts[:-2]) + minimum
            case join.HashedLookup(table) | join.CsrHashedLookup(table):
                codes = table.keys
            case join.SortedLookup(keys) | join.CsrSortedLookup(keys):
                codes = keys
        found = None if codes is None else self.codec.values(place, codes)
        return None if found is None or found.shape[0] > most else found

    def parts(self) -> Iterator[tuple[str, Part]]:
        yield "keys", self.form


@dataclass(frozen=True, eq=False)
class MembersSink(Sink[Members]):
    """Keeps which keys there are; `probes` estimates how often they will be looked for.

    `stored`: they are all values of a stored column, with which a bitmap of them is left.
    """

    keys: tuple[Expr, ...]
    probes: float = 0.0
    stored: StoredKeys | None = None

    def kept(self, run: Run) -> Members | None:
        return None if self.stored is None else self.stored.there()

    @property
    def expressions(self) -> Expressions:
        return (self.keys,)

    def leaves(self, run: Run, layouts: Layouts) -> Mapping[str, Layout]:
        return {}

    def prepare(self, run: Run, layouts: Layouts) -> _Collector:
        return _Collector(self, run, layouts)

    def write(self, writer: Writer) -> None:
        keys = writer.values(self.keys)
        writer.add("distinct", keys, (), writer.size("g"), _FORMS, probes=self.probes)
        writer.leave("keys", keys, ())

    def describe(self) -> str:
        return f"set of keys {', '.join(map(show_expr, self.keys))}"


@dataclass(eq=False)
class _Local:
    """What a worker collected: keys that are not marked yet, how many rows it saw, and whether a marked key was NULL."""

    pieces: Pieces = field(default_factory=list)
    rows: int = 0
    nulls: bool = False


class _Collector:
    """Collects the keys of batches until enough rows came for a bitmap of all that there may be; from then on it marks.

    That is where the key is one integer within bounds that hold for all batches. All workers mark one bitmap.
    """

    def __init__(self, sink: MembersSink, run: Run, layouts: Layouts) -> None:
        self._sink = sink
        self._run = run
        self._gathered = Gathered((), run, layouts, sink.keys)
        self._bounds: Bounds | None = None
        if len(sink.keys) == 1:
            layout = layouts.of_expr(sink.keys[0])
            self._bounds = layout.bounds if layout.encoding is Encoding.FLAT else None
        self._key = run.evaluator.rows(sink.keys)
        self._lock = Lock()
        self._rows = 0
        self._bitmap: keysets.KeyBitmap | None = None

    def local(self) -> _Local:
        return _Local()

    def consume(self, local: _Local, batch: Batch) -> None:
        local.rows += batch.rows
        bitmap = None if self._bounds is None else self._marked(self._bounds, batch.rows)
        if bitmap is None:
            self._gathered.consume(local.pieces, batch)
        else:
            local.nulls |= _mark(bitmap, self._key(batch)[0])

    def _marked(self, bounds: Bounds, rows: int) -> keysets.KeyBitmap | None:
        """The bitmap, made once enough rows came."""
        with self._lock:
            self._rows += rows
            if self._bitmap is None and _is_dense(bounds, self._rows, self._sink.probes, self._run.limits):
                self._bitmap = keysets.no_keys(*bounds, self._run.device)
            return self._bitmap

    def finish(self, locals: list[_Local]) -> Members:
        rows, nulls = sum(local.rows for local in locals), any(local.nulls for local in locals)
        _, keys = self._gathered.gathered([local.pieces for local in locals])
        limits = self._run.limits
        if self._bitmap is not None:
            if len(keys[0]):
                nulls |= _mark(self._bitmap, keys[0])
            codec = JoinCodec([key.slice(0, 0).with_valid(None) for key in keys], limits)
            return self._noted(Members(codec, self._bitmap, rows, nulls))
        valid = all_valid(keys)
        if valid is not None:
            there = select(valid)
            nulls = there.shape[0] < rows
            keys = [key.take(there).with_valid(None) for key in keys]
        codec = JoinCodec(keys, limits)
        return self._noted(Members(codec, _form(codec, self._sink.probes, limits), rows, nulls))

    def _noted(self, members: Members) -> Members:
        form, rows = members.form, f"{members.rows:,} rows"
        match form:
            case keysets.KeyBitmap():
                chosen = "bitmap"
                reason = (
                    f"{rows} came, and keys lie in {form.minimum:,} .. {form.minimum + form.present.shape[0] - 1:,}"
                )
            case join.SortedLookup() | join.HashedLookup():
                chosen = "sorted keys" if isinstance(form, join.SortedLookup) else "hash table"
                reason = f"{rows} came, and keys are few, or lie far apart"
            case _:
                chosen = "row ranges by key"
                reason = "no table holds all combinations of the keys: rows are found by a hash of all, or the value of one of them"
        others = tuple([name for name in _FORMS if name != chosen])
        self._run.note(self._sink, rows, Choice("distinct keys", chosen, others, reason))
        if self._sink.stored is not None:
            self._sink.stored.keep(members, self._run)
        return members


def _mark(bitmap: keysets.KeyBitmap, column: Column) -> bool:
    """Mark keys (n,), which lie in the bitmap's range; whether one was NULL. Of workers that mark at once all write True."""
    nulls = False
    if column.valid is not None:
        rows = select(column.valid)
        nulls = rows.shape[0] < len(column)
        column = column.take(rows)
    ((key, _),) = digits(column)
    bitmap.present.index_fill_(0, key.long() - bitmap.minimum if bitmap.minimum else key.long(), True)
    return nulls


def _is_dense(bounds: Bounds, rows: int, probes: float, limits: Limits) -> bool:
    """Whether a bitmap of all keys within the bounds pays for the keys of so many rows, or so many probes."""
    slots = max(limits.bitmap_slots * max(rows, limits.bitmap_rows), int(min(probes, limits.table_slots)))
    return bounds[1] - bounds[0] < min(slots, limits.bitmap_keys)


def _form(
    codec: JoinCodec, probes: float, limits: Limits
) -> keysets.KeyBitmap | join.SortedLookup | join.HashedLookup | join.RangeLookup:
    """The form of a codec's codes, each once; lets the codes go. Where there are checks each combination is there once."""
    codes, bounds = codec.codes, (codec.low, codec.high)
    codec.codes = codes.new_empty(0)
    if codec.checks:
        _, first, _ = group_ids_multi([codes, *codec.checks])
        codec.checks = [check.index_select(0, first) for check in codec.checks]
        slots = max(limits.lookup_table(first.shape[0]), int(min(probes, limits.table_slots)))
        lookup = join.build(codes.index_select(0, first), *bounds, False, None, slots)
        assert isinstance(lookup, join.RangeLookup)
        return lookup
    if codes.shape[0] and _is_dense(bounds, codes.shape[0], probes, limits):
        return keysets.KeyBitmap(keysets.bitmap(codes, *bounds), codec.low)
    return join.key_set(codes)


@dataclass(frozen=True, eq=False)
class MembershipStage(Stage):
    """A semi, anti or mark join of `keys` with those in `slot`; see `tqp.ir.plan.Join` for the kinds.

    Where NULL keys decide (mark, NOT IN) there is one key. `is_optional`, of a semi join: rows without a match may pass. So they do
    once a large share of the rows has one.
    """

    kind: JoinKind
    slot: Slot[Members]
    keys: tuple[Expr, ...]
    mark: str | None = None
    null_aware: bool = False
    is_optional: bool = False

    @property
    def reads(self) -> tuple[Slot[Result], ...]:
        return (self.slot,)

    @property
    def expressions(self) -> Expressions:
        return (self.keys,)

    def extend(self, run: Run, layouts: Layouts) -> None:
        if self.mark is not None:
            layouts.mark(self.mark)

    def prepare(self, run: Run) -> _Membership:
        return _Membership(self, run)

    def narrow(self, run: Run, blocks: Blocks) -> None:
        if self.kind == "semi" and len(self.keys) == 1:
            blocks.among(self.keys[0], run.result(self.slot).key_values, self.describe())

    def write(self, writer: Writer) -> None:
        inputs = (*writer.values(self.keys), self.slot)
        if self.mark is None:
            told = {"kind": self.kind, "null_aware": self.null_aware, "optional": self.is_optional}
            writer.add("contains", inputs, (), writer.size(), facts=told)
        else:
            writer.add("contains", inputs, (self.mark,), kind=self.kind)

    def describe(self) -> str:
        if self.is_optional:
            return f"keep what keys {self.slot} may ask for by {', '.join(map(show_expr, self.keys))}"
        return f"probe ({self.kind}) keys {self.slot} with {', '.join(map(show_expr, self.keys))}"


class _Membership:
    """Keeps the rows of a batch whose keys are (or are not) among the members, or marks them; NULL keys match nothing."""

    def __init__(self, stage: MembershipStage, run: Run) -> None:
        self._stage = stage
        self._run = run
        self._keys = run.evaluator.rows(stage.keys)
        self._members = run.result(stage.slot)
        if self._members.origin is not None:
            reason = f"an earlier query has found those of {self._members.origin}"
            run.note(stage, Choice("keys", "kept with the table", ("collected",), reason))
        self._seen = self._kept = 0

    def __call__(self, batch: Batch) -> Sequence[Batch]:
        stage, members = self._stage, self._members
        # Of workers that count at once one may be lost: the numbers are no more than a hint.
        if stage.is_optional and self._kept > self._run.limits.reduced_share * self._seen:
            return (batch,)
        columns = self._keys(batch)
        hit = self._found(batch, columns)
        # Whether a key that is not found is NULL rather than not there.
        valid = None
        if members.rows and (stage.kind == "mark" or stage.null_aware):
            (column,) = columns
            valid = hit if members.null_keys else column.valid
        if stage.mark is not None:
            return (batch.join({stage.mark: Column(hit, BOOLEAN, valid)}, None),)
        if stage.kind == "anti":
            hit = ~hit
            if valid is not None:
                hit &= valid
        kept = keep(batch, hit)
        if stage.is_optional:
            self._seen += batch.rows
            self._kept += 0 if kept is None else kept.rows
        return () if kept is None else (kept,)

    def _found(self, batch: Batch, columns: Sequence[Column]) -> Tensor:
        """Which rows have keys that are members: (rows,) bool."""
        members = self._members
        form, checks = members.form, members.codec.checks
        codes, valid, parts = members.codec.encode(columns)
        match form:
            case keysets.KeyBitmap():
                return keysets.contains(form.present, form.minimum, codes, valid)
            case join.SortedLookup() | join.HashedLookup():
                return form.probe(codes, valid) >= 0
        starts, counts = form.probe(codes, valid)

        def matching(owner: Tensor, places: Tensor) -> Tensor:
            rows = places if form.order is None else form.order.index_select(0, places)
            for part, check in zip(parts, checks, strict=True):
                equal = select(check.index_select(0, rows) == part.index_select(0, owner))
                owner, rows = owner.index_select(0, equal), rows.index_select(0, equal)
            return owner

        return Pairs(starts, counts, self._run.limits).some(matching, partial(self._run.has_enough, batch.index))
