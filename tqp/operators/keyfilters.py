"""The keys of a build side as a filter where rows are scanned, ahead of what lies between the scan and the join.

Of an inner or a semi join rows count alone that find a partner. Where their key comes from a scan several joins or groupings below,
the rows that will find none are left out there, before other columns of theirs are read, other joins are probed, or groups made of
them. It is never needed for the answer: a run tests where the build side turned out to have few of the keys that there may be, and
goes on only if rows are dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from torch import Tensor

from tqp.data.column import Column
from tqp.data.layout import Bounds
from tqp.ir.expr import Expr
from tqp.ir.show import show_expr
from tqp.ir.source import Source
from tqp.kernels import join, keysets, waits
from tqp.kernels.rows import count_true, select
from tqp.limits import Limits
from tqp.operators.batch import Batch
from tqp.operators.blocks import Blocks
from tqp.operators.build import BuildRef, Built
from tqp.operators.choice import Choice
from tqp.operators.filter import keep
from tqp.operators.instructions import Writer
from tqp.operators.keys import JoinCodec
from tqp.operators.membership import Members
from tqp.operators.operator import Expressions, Run, Stage
from tqp.operators.results import Result, Slot

__all__ = ["KeyFilterStage", "KeysThere"]

_TESTED = "tested"
_NOT_TESTED = "not tested"
_ENDS = "how far apart keys lie picks what they are looked for in"


@dataclass(frozen=True, slots=True, eq=False)
class KeysThere:
    """The values of one key of a build side: their digits, and how a column of the probe side becomes such digits (`codec`)."""

    codec: JoinCodec
    form: keysets.KeyBitmap | join.HashedLookup
    share: float
    """The share of the values that the column may have which these are, as far as is known."""

    def holds(self, place: int, column: Column) -> Tensor:
        """Which rows of key number `place` have one of the values: (rows,) bool; not those of NULL."""
        digit, valid = self.codec.encode_one(place, column)
        if isinstance(self.form, keysets.KeyBitmap):
            present, low = self.form.present, self.form.minimum
            bounds = None if column.dictionary is not None else column.bounds
            inside = bounds is not None and low <= bounds[0] and bounds[1] < low + present.shape[0]
            return keysets.contains(present, low, digit, valid, inside)
        return self.form.probe(digit, valid) >= 0


@dataclass(frozen=True, eq=False)
class KeyFilterStage(Stage):
    """Leaves out rows of a scan of `table` whose `key` is not among the values of key number `place` of a build side.

    `build` is what a later join looks them up in, of the same pipeline or of a later one (`is_below`: then nothing else keeps this
    scan from reading them). `column` is the stored column that the key is.
    """

    build: BuildRef | Slot[Members]
    place: int
    key: Expr
    table: Source
    column: str
    is_below: bool

    @property
    def reads(self) -> tuple[Slot[Result], ...]:
        return (self.build,) if isinstance(self.build, Slot) else self.build.reads

    @property
    def keys(self) -> tuple[Expr, ...]:
        """What is tested."""
        return (self.key,)

    @property
    def expressions(self) -> Expressions:
        return (self.keys,)

    def there(self, run: Run) -> KeysThere | None:
        """The values, where it pays to test for them in this run; found once."""
        found = run.once(self, partial(self._find, run))
        return found[0]

    def _find(self, run: Run) -> tuple[KeysThere | None]:
        found, reason = self._weighed(run)
        chosen, other = (_NOT_TESTED, _TESTED) if found is None else (_TESTED, _NOT_TESTED)
        run.note(self, Choice("keys at the scan", chosen, (other,), reason))
        return (found,)

    def built(self, run: Run) -> Built | Members:
        """The build side."""
        return run.result(self.build) if isinstance(self.build, Slot) else self.build.get(run)

    def key_values(self, run: Run, most: float) -> Tensor | None:
        """As `Built.key_values` of the key."""
        return self.built(run).key_values(self.place, most)

    def _weighed(self, run: Run) -> tuple[KeysThere | None, str]:
        limits, rows = run.limits, self.table.rows
        column = self.table.column(self.column)
        bounds = column.bounds
        possible = rows if bounds is None else min(rows, bounds[1] - bounds[0] + 1)
        most = limits.key_filter_below if self.is_below else limits.key_filter_here
        built = self.built(run)
        # Of more rows than that most values are there, unless they repeat very often.
        values = built.key_values(
            self.place, min(limits.key_filter_keys * rows, limits.key_filter_repeats * most * possible)
        )
        codec = built.codec
        if values is None or codec is None:
            return None, f"keys are many beside {rows:,} rows of {possible:,} values, or not known as numbers"
        found = _form(values, bounds if column.dictionary is None else None, rows, limits)
        if found is None:
            return None, "keys lie far apart, and there is no table that finds one in one look"
        form, count = found
        share = count / max(possible, 1)
        told = f"{count:,} keys for about {possible:,} values"
        if share > most:
            return None, f"{told}, which leaves out too few rows"
        return KeysThere(codec, form, share), told

    def prepare(self, run: Run) -> _KeyFilter:
        return _KeyFilter(self, run)

    def narrow(self, run: Run, blocks: Blocks) -> None:
        if self.is_below and self.there(run) is not None:
            blocks.among(self.key, partial(self.key_values, run, self.table.rows), self.describe())

    def write(self, writer: Writer) -> None:
        inputs = (*writer.values(self.keys), *self.reads)
        writer.add("contains", inputs, (), writer.size(), (_TESTED, _NOT_TESTED), {"kind": "semi", "place": self.place})

    def describe(self) -> str:
        where = f"keys {self.build}" if isinstance(self.build, Slot) else self.build.describe()
        return f"keep what {where} may match by {show_expr(self.key)}"


def _form(
    values: Tensor, span: Bounds | None, rows: int, limits: Limits
) -> tuple[keysets.KeyBitmap | join.HashedLookup, int] | None:
    """How values (m,) are looked for by so many rows, and how many differ; None where no form is cheap enough.

    `span`: no other values are asked for.
    """
    if values.shape[0] == 0:
        return keysets.KeyBitmap(values.new_empty(0).bool(), 0), 0
    slots = min(limits.bitmap_keys, max(limits.bitmap_slots * values.shape[0], rows))
    if span is not None and span[1] - span[0] < slots:
        # All that will be asked for is in the bitmap then, so that no row need be compared with its ends.
        low, high = span
        values = values.index_select(0, select((values >= low) & (values <= high)))
    else:
        low, high = waits.limits(values, _ENDS)
    if high - low < slots:
        present = keysets.bitmap(values, low, high)
        return keysets.KeyBitmap(present, low), count_true(present)
    lookup = join.key_set(values)
    return (lookup, values.shape[0]) if isinstance(lookup, join.HashedLookup) else None


class _KeyFilter:
    """Keeps the rows of a batch whose key is there, as long as that drops some."""

    def __init__(self, stage: KeyFilterStage, run: Run) -> None:
        self._keys = run.evaluator.rows(stage.keys)
        self._place = stage.place
        self._there = stage.there(run)
        self._most = run.limits.key_filter_kept
        self._trial = run.limits.key_filter_trial
        self._seen = self._kept = 0

    def __call__(self, batch: Batch) -> Sequence[Batch]:
        there = self._there
        # Of workers that count at once one may be lost: the numbers are no more than a hint.
        if there is None or self._seen > self._trial and self._kept > self._most * self._seen:
            return (batch,)
        kept = keep(batch, there.holds(self._place, self._keys(batch)[0]))
        self._seen += batch.rows
        if kept is None:
            return ()
        self._kept += kept.rows
        return (kept,)
