"""The probe stage: batches of the probe side find their partners in a build side.

Against unique keys a probe is one gather and keeps row ids only; against repeated keys a batch is expanded to its
pairs, in pieces of bounded size, so that memory follows the output.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import torch
from torch import Tensor

from tqp.data.column import Column, Layout
from tqp.errors import ExecutionError
from tqp.ir.expr import Expr, ScalarSubquery
from tqp.ir.plan import JoinKind
from tqp.ir.show import show_expr
from tqp.kernels import waits
from tqp.kernels.join import DenseLookup, RangeLookup, UniqueLookup
from tqp.kernels.partners import agreeing, matches
from tqp.kernels.rows import select
from tqp.operators.bands import Band, ranges
from tqp.operators.batch import Batch
from tqp.operators.blocks import Blocks
from tqp.operators.build import CHOICES, BuildRef, Built
from tqp.operators.evaluate import truth
from tqp.operators.filter import keep
from tqp.operators.instructions import Writer
from tqp.operators.layouts import Layouts
from tqp.operators.operator import Expressions, PreparedStage, Run, Stage
from tqp.operators.pairs import Pairs
from tqp.operators.results import Result, Slot
from tqp.types import BOOLEAN

__all__ = ["ProbeStage"]


@dataclass(frozen=True, eq=False)
class ProbeStage(Stage):
    """Joins batches with a build side; see `tqp.ir.plan.Join` for the kinds.

    `comparison` is the equality of the keys as one expression, needed where NULL keys decide (mark, NOT IN). `bands` are conditions
    of `residual` that may find ranges of sorted rows, `beside_bands` are its other ones.
    """

    kind: JoinKind
    build: BuildRef
    keys: tuple[Expr, ...]
    residual: Expr | None
    mark: str | None = None
    null_aware: bool = False
    comparison: Expr | None = None
    track: bool = False
    bands: tuple[Band, ...] = ()
    beside_bands: Expr | None = None

    @property
    def reads(self) -> tuple[Slot[Result], ...]:
        return self.build.reads

    @property
    def expressions(self) -> Expressions:
        alone = (self.residual, self.comparison, self.beside_bands)
        return (self.values, *((expr,) for expr in alone if expr is not None))

    @property
    def values(self) -> tuple[Expr, ...]:
        """What partners are found by: the keys, or what the bands compare."""
        return self.keys or tuple(band.ours for band in self.bands)

    def inputs(self, run: Run) -> list[Built]:
        return [self.build.get(run)]

    def extend(self, run: Run, layouts: Layouts) -> None:
        if self.kind == "mark":
            assert self.mark is not None
            layouts.mark(self.mark)
        elif self.kind not in ("semi", "anti"):
            scalars = None if run.announces else self.scalars(self.build.get(run))
            layouts.join(scalars or self._columns(run), is_padded=scalars is None and self.kind != "inner")

    def _columns(self, run: Run) -> Mapping[str, Column | Layout]:
        columns = self.build.columns(run)
        if not run.announces or not self._is_constant:
            return columns
        # If there is one row, its values are constants.
        layouts = {
            symbol: column if isinstance(column, Layout) else column.layout for symbol, column in columns.items()
        }
        return {symbol: replace(layout, is_measured=True) for symbol, layout in layouts.items()}

    @property
    def _is_constant(self) -> bool:
        """Whether all rows find the same."""
        return self.kind == "single" and not self.keys and self.residual is None

    def scalars(self, built: Built) -> Mapping[str, Column] | None:
        """The build side as constants, where it is one row at the most, which all rows find."""
        if self._is_constant and built.rows <= 1:
            return built.scalars
        return None

    def prepare(self, run: Run) -> PreparedStage:
        probe = _Probe(self, run)
        lookup = probe.built.lookup
        if isinstance(lookup, UniqueLookup):
            return partial(probe.unique, lookup)
        return probe.repeated if probe.scalars is None else partial(_beside, probe.scalars)

    def narrow(self, run: Run, blocks: Blocks) -> None:
        if self.track:
            # Which build rows have a partner counts, whatever becomes of these.
            blocks.is_open = False
        elif self._is_constant:
            blocks.join(self.scalars(self.build.get(run)) or {})
        elif self.kind in ("inner", "semi") and len(self.keys) == 1:
            blocks.among(self.keys[0], self.build.get(run).key_values, self.describe())

    def write(self, writer: Writer) -> None:
        built = self.build.facts(writer)
        keys = writer.values(self.values)
        rows, at_most_one = writer.rows, self.kind in ("mark", "single")
        ways = built.ways if self.keys else ()
        writer.add("lookup", (*keys, *built.reads), built.columns, writer.size(), ways, built.parameters)
        tests = [writer.value(expr) for expr in (self.residual, self.comparison) if expr is not None]
        left = rows if at_most_one else writer.size()
        marks = () if self.mark is None else (self.mark,)
        writer.add("join", tests, marks, left, kind=self.kind, null_aware=self.null_aware, tracked=self.track)

    def describe(self) -> str:
        keys = ", ".join(map(show_expr, self.keys)) or "no key"
        residual = "" if self.residual is None else f" and {show_expr(self.residual)}"
        return f"probe ({self.kind}) {self.build.describe()} with {keys}{residual}"


class _Probe:
    """A probe in one run.

    Partners are found by codes of the keys (`unique` at most one a row, `repeated` in pieces of pairs), verified (digits that
    the code leaves out, the table's filter, the residual), and each kind of join makes its rows of those that match.
    """

    def __init__(self, stage: ProbeStage, run: Run) -> None:
        self.stage = stage
        self.run = run
        self.keys = run.evaluator.rows(stage.values)
        self.comparison = None if stage.comparison is None else run.evaluator.prepare(stage.comparison)
        self.device = run.device
        self.built: Built = stage.build.get(run)
        bands = self.built.bands
        residual = stage.beside_bands if bands is not None and bands.is_exact else stage.residual
        self.residual = None if residual is None else run.evaluator.prepare(residual)
        if stage.track:
            self.built.touched = torch.zeros(self.built.rows, dtype=torch.bool, device=run.device)
        if self.built.lookup is not None:
            run.note(stage, CHOICES[type(self.built.lookup)])
        self.checks = [] if self.built.codec is None else self.built.codec.checks
        self.scalars = stage.scalars(self.built)

    def _codes(self, batch: Batch) -> tuple[Tensor, Tensor | None, list[Tensor], bool]:
        """As `JoinCodec.encode`, and whether all codes are known to lie in the build side's range."""
        codec = self.built.codec
        assert codec is not None
        columns = self.keys(batch)
        codes, valid, digits = codec.encode(columns)
        bounds = columns[0].bounds
        inside = codec.is_plain and bounds is not None and codec.low <= bounds[0] and bounds[1] <= codec.high
        return codes, valid, digits, inside and columns[0].dictionary is None

    def unique(self, lookup: UniqueLookup, batch: Batch) -> Sequence[Batch]:
        """The batch with the one partner that a row may have."""
        built = self.built
        codes, valid, digits, inside = self._codes(batch)
        position = lookup.probe(codes, valid, inside)
        hit = None
        rows = position
        if not (inside and valid is None and isinstance(lookup, DenseLookup)):
            hit = position >= 0
            rows = position.clamp(min=0)
        for digit, check in zip(digits, self.checks, strict=True):
            hit = _both(hit, check.index_select(0, rows) == digit)
        if built.alive is not None:
            hit = _both(hit, built.alive.index_select(0, rows))
        if hit is None:
            hit = torch.ones((), dtype=torch.bool, device=self.device).expand(batch.rows)
            if self.stage.kind == "inner" and self.stage.residual is None:
                return (batch.join(built.columns, rows),)
        kind = self.stage.kind
        residual = self.residual
        if kind == "inner" or (residual is not None and kind != "mark"):
            found = select(hit)
            if found.shape[0] == batch.rows:
                joined = batch.join(built.columns, rows)
            else:
                joined = batch.choose(found).join(built.columns, rows.index_select(0, found))
            if residual is not None and found.shape[0]:
                mask = truth(residual(joined)).expand(joined.rows)
                if kind == "inner":
                    kept = keep(joined, mask)
                    return () if kept is None else (kept,)
                found = found.index_select(0, select(mask))
            if kind == "inner":
                return (joined,) if found.shape[0] else ()
            hit = torch.zeros_like(hit).index_fill_(0, found, True)
        elif residual is not None:
            # Rows without a partner point at a row that may not be there.
            joined = batch.join(built.columns, rows, hit)
            # Not in place: a mask that is true of all rows is one value.
            hit = hit & truth(residual(joined)).expand(joined.rows)
        return self._by_hit(batch, hit, rows)

    def _by_hit(self, batch: Batch, hit: Tensor, rows: Tensor) -> Sequence[Batch]:
        """Kinds that keep probe rows by whether they have a match, or all of them; at most one match a row."""
        kind = self.stage.kind
        if kind in ("semi", "anti"):
            return self._exists(batch, hit)
        if kind == "mark":
            return (self._marked(batch, hit),)
        self._touch(rows, hit)
        return (batch.join(self.built.columns, rows, hit),)

    def _touch(self, rows: Tensor, hit: Tensor | None) -> None:
        if self.built.touched is not None:
            self.built.touched.index_fill_(0, (rows if hit is None else rows.index_select(0, select(hit))).long(), True)

    def _exists(self, batch: Batch, hit: Tensor) -> Sequence[Batch]:
        if self.stage.kind == "anti":
            hit = ~hit
            if self.stage.null_aware:
                hit &= ~self._unknown(batch, ~hit)
        kept = keep(batch, hit)
        return () if kept is None else (kept,)

    def _marked(self, batch: Batch, hit: Tensor) -> Batch:
        assert self.stage.mark is not None
        valid = ~self._unknown(batch, hit)
        return batch.join({self.stage.mark: Column(hit, BOOLEAN, valid)}, None)

    def _unknown(self, batch: Batch, hit: Tensor) -> Tensor:
        """Rows without a match for which some comparison of keys was NULL rather than false.

        Only build rows that pass the residual count.
        """
        built = self.built
        unknown = torch.zeros(batch.rows, dtype=torch.bool, device=self.device)
        columns = self.keys(batch)
        has_null = any(column.valid is not None for column in columns)
        comparison = self.comparison
        if comparison is None or built.rows == 0 or not (has_null or built.null_keys):
            return unknown
        rest = select(~hit)
        suspects = rest
        if not built.null_keys:
            null = torch.zeros(batch.rows, dtype=torch.bool, device=self.device)
            for column in columns:
                if column.valid is not None:
                    null |= ~column.valid
            suspects = rest.index_select(0, select(null.index_select(0, rest)))
        if len(self.stage.keys) == 1 and self.stage.residual is None and built.alive is None:
            return unknown.index_fill_(0, suspects, True)
        pairs = Pairs(torch.zeros_like(suspects), torch.full_like(suspects, built.rows), self.run.limits)
        few = batch.choose(suspects)

        def in_doubt(owner: Tensor, rows: Tensor) -> Tensor:
            joined = few.choose(owner).join(built.columns, rows)
            if self.residual is not None:
                counted = select(truth(self.residual(joined)).expand(joined.rows))
                joined, owner = joined.choose(counted), owner.index_select(0, counted)
            verdict = comparison(joined).expand(joined.rows)
            return owner[:0] if verdict.valid is None else owner.index_select(0, select(~verdict.valid))

        doubtful = pairs.some(in_doubt, partial(self.run.has_enough, batch.index))
        return unknown.index_fill_(0, suspects.index_select(0, select(doubtful)), True)

    def repeated(self, batch: Batch) -> Iterable[Batch]:
        """The batch with all partners of its rows."""
        built = self.built
        digits: list[Tensor] = []
        if built.bands is not None:
            starts, counts = ranges(self.stage.bands, built.bands, self.keys(batch))
        elif built.lookup is None:
            starts = torch.zeros(batch.rows, dtype=torch.int64, device=self.device)
            counts = starts + built.rows
        else:
            assert isinstance(built.lookup, RangeLookup)
            codes, valid, digits, inside = self._codes(batch)
            if self._at_once and self.run.limited is None:
                found = matches(
                    codes, valid, built.lookup, digits, self.checks, built.alive, self.run.limits.pairs, inside
                )
                if found is not None:
                    return self._of_pairs(batch, *found)
            starts, counts = built.lookup.probe(codes, valid, inside)
        pairs = Pairs(starts, counts, self.run.limits)
        enough = partial(self.run.has_enough, batch.index)
        if self.stage.kind not in ("semi", "anti", "mark"):
            return self._expanded(batch, pairs, digits, enough)
        if self.residual is None and self.built.alive is None and not digits:
            return self._by_hit(batch, counts > 0, starts)
        hit = pairs.some(lambda owner, rows: self._matching(batch, owner, rows, digits)[0], enough)
        return self._by_hit(batch, hit, starts)

    @property
    def _at_once(self) -> bool:
        """Whether all pairs of a batch are wanted, those alone, and whatever their number is."""
        kind = self.stage.kind
        return kind == "inner" or (kind in ("semi", "anti", "mark") and self.residual is None and self._is_verified)

    @property
    def _is_verified(self) -> bool:
        """Whether more decides of a pair than that the lookup has it."""
        return self.built.alive is not None or bool(self.checks)

    def _of_pairs(self, batch: Batch, owner: Tensor, rows: Tensor) -> Sequence[Batch]:
        """The batch with these partners of its rows, which match except for the residual."""
        if self.stage.kind != "inner":
            hit = torch.zeros(batch.rows, dtype=torch.bool, device=self.device)
            return self._by_hit(batch, hit.index_fill_(0, owner.long(), True), rows)
        _, _, found = self._passing(batch, owner, rows)
        return (found,) if found.rows else ()

    def _expanded(
        self, batch: Batch, pairs: Pairs, digits: list[Tensor], enough: Callable[[], bool]
    ) -> Iterator[Batch]:
        """The pairs of a batch, a bounded number at a time; those of rows without a partner come last."""
        inner = self.stage.kind == "inner"
        hit = None if inner else torch.zeros(batch.rows, dtype=torch.bool, device=self.device)
        for owner, rows, last in pairs.pieces(growing=self.run.limited is not None):
            owner, rows, found = self._matching(batch, owner, rows, digits)
            if hit is None:
                if found.rows:
                    yield found
            else:
                if self.stage.kind == "single":
                    self._check_single(owner, hit)
                hit.index_fill_(0, owner.long(), True)
                self._touch(rows, None)
                filled = self._filled(batch, owner, rows, ~hit if last else None)
                if filled.rows:
                    yield filled
            if enough():
                return

    def _filled(self, batch: Batch, owner: Tensor, rows: Tensor, alone: Tensor | None) -> Batch:
        """Pairs, and below them the probe rows that are `alone`, their build side NULL."""
        lonely = owner[:0] if alone is None else select(alone).to(owner.dtype)
        everyone = torch.cat([owner, lonely])
        filled = torch.cat([rows, torch.zeros_like(lonely, dtype=rows.dtype)])
        matched = torch.ones(everyone.shape[0], dtype=torch.bool, device=self.device)
        matched[owner.shape[0] :] = False
        return batch.choose(everyone).join(self.built.columns, filled, matched)

    def _matching(
        self, batch: Batch, owner: Tensor, rows: Tensor, digits: list[Tensor]
    ) -> tuple[Tensor, Tensor, Batch]:
        """Of pairs of a probe row and a place in the lookup those that match: probe rows, build rows, the joined batch."""
        built = self.built
        if isinstance(built.lookup, RangeLookup) and built.lookup.order is not None:
            rows = built.lookup.order.index_select(0, rows)
        elif built.bands is not None:
            rows = built.bands.order.index_select(0, rows)
        return self._passing(batch, *agreeing(owner, rows, digits, self.checks, built.alive))

    def _passing(self, batch: Batch, owner: Tensor, rows: Tensor) -> tuple[Tensor, Tensor, Batch]:
        """Of pairs of a probe row and a build row those for which the residual is true, and their batch."""
        found = batch.choose(owner).join(self.built.columns, rows)
        if self.residual is not None and found.rows:
            passed = truth(self.residual(found)).expand(found.rows)
            chosen = select(passed)
            if chosen.shape[0] < found.rows:
                owner, rows = owner.index_select(0, chosen), rows.index_select(0, chosen)
                found = found.choose(chosen)
        return owner, rows, found

    def _check_single(self, owner: Tensor, hit: Tensor) -> None:
        """ExecutionError if a row has a second partner; `hit`: those that have one from an earlier piece."""
        again = hit.index_select(0, owner)
        again[1:] |= owner[1:] == owner[:-1]
        if waits.truth(again.any(), "a second row of a scalar subquery is an error"):
            error = ExecutionError(
                "More than one row returned by a subquery used as an expression",
                hint="use LIMIT 1, an aggregate, or EXISTS / IN",
            )
            error.part = ScalarSubquery
            raise error


def _beside(scalars: Mapping[str, Column], batch: Batch) -> Sequence[Batch]:
    return (batch.join(scalars, None),)


def _both(mask: Tensor | None, other: Tensor) -> Tensor:
    return other if mask is None else mask.logical_and_(other)
