"""Build sides of joins as what a compiled function is given: at most one partner a row, found in a table or by position alone.

A run makes them anew, so they are inputs of the function, as constants are (`tqp.runtime.given`); how their columns lie in memory
and how keys become codes is part of it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.layout import Bounds
from tqp.ir.expr import Expr
from tqp.kernels.join import DenseLookup, DirectLookup
from tqp.kernels.keysets import KeyBitmap
from tqp.kernels.operation import NotTraceable
from tqp.operators.batch import Batch
from tqp.operators.build import ResidentBuild
from tqp.operators.evaluate import Evaluator, truth
from tqp.operators.keyfilters import KeyFilterStage
from tqp.operators.keys import JoinCodec
from tqp.operators.membership import MembershipStage
from tqp.operators.operator import Run, Stage
from tqp.operators.probe import ProbeStage

__all__ = ["Side", "side_of"]

_ALL: Final = "all"
"""What looks up nothing, and keeps all rows."""
_KINDS: Final = ("inner", "semi", "anti", "left", "single")


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """What a stage looks its rows up in. Tensors are on the CPU.

    The code of a key minus `minimum` is a place among `size` ones: of `table`, which has there the build row (-1: none) or whether
    the key is there, or without one the build row itself. `alive`: build rows that count. `bounds`: those of the codes where they
    are of a stored table, which does not change.
    """

    kind: str
    keys: tuple[Expr, ...]
    residual: Expr | None
    codec: JoinCodec
    bounds: Bounds | None
    minimum: Tensor
    size: Tensor
    table: Tensor | None
    alive: Tensor | None
    columns: Mapping[str, Column]

    @property
    def key(self) -> Hashable:
        """The same where one function serves both."""
        columns = tuple([(symbol, column.layout.key) for symbol, column in self.columns.items()])
        table = None if self.table is None else self.table.dtype
        return self.kind, self.codec.key, self.bounds, table, self.alive is None, columns

    @property
    def tensors(self) -> list[Tensor]:
        """What the function is given."""
        parts = [self.minimum, self.size, self.table, self.alive]
        for column in self.columns.values():
            parts += [column.data, column.valid]
        return [part for part in parts if part is not None]

    def traced(self, rows: int) -> list[Tensor]:
        """The same for a trace of so many rows, none of that size."""
        return [torch.cat([part, part[:1]]) if part.shape[:1] == (rows,) else part for part in self.tensors]

    def over(self, tensors: Iterator[Tensor]) -> Side:
        """The side on other tensors."""

        def taken(part: Tensor | None) -> Tensor | None:
            return None if part is None else next(tensors)

        minimum, size = next(tensors), next(tensors)
        table, alive = taken(self.table), taken(self.alive)
        columns = {
            symbol: replace(column, data=next(tensors), valid=taken(column.valid))
            for symbol, column in self.columns.items()
        }
        return replace(self, minimum=minimum, size=size, table=table, alive=alive, columns=columns)

    def passed(self, batch: Batch, evaluator: Evaluator) -> tuple[Batch, list[Tensor]]:
        """All rows of the batch beside their partners, and which of them the join gives: masks (rows,), all of which must hold."""
        if self.kind == _ALL:
            return batch, []
        hit, rows = self._found(evaluator.rows(self.keys)(batch))
        if self.kind == "inner":
            batch = batch.join(self.columns, rows)
            masks = [] if hit is None else [hit]
            if self.residual is not None:
                masks.append(self._holds(batch, evaluator))
            return batch, masks
        if hit is None:
            hit = torch.ones(batch.rows, dtype=torch.bool, device=evaluator.device)
        if self.residual is not None:
            hit = hit & self._holds(batch.join(self.columns, rows, hit), evaluator)
        if self.kind in ("semi", "anti"):
            return batch, [hit if self.kind == "semi" else ~hit]
        return batch.join(self.columns, rows, hit), []

    def _holds(self, batch: Batch, evaluator: Evaluator) -> Tensor:
        assert self.residual is not None
        return truth(evaluator.evaluate(self.residual, batch)).expand(batch.rows)

    def _found(self, keys: Sequence[Column]) -> tuple[Tensor | None, Tensor]:
        """Which rows have a partner, None: all; and which (any that there is, where they have none)."""
        codes, hit, _ = self.codec.encode(keys)
        offset = codes.long() - self.minimum
        if not self._has_all(keys[0]):
            inside = (offset >= 0) & (offset < self.size)
            hit = inside if hit is None else hit & inside
        first = torch.zeros((), dtype=torch.int64, device=offset.device)
        place = offset if hit is None else torch.where(hit, offset, first)
        if self.table is not None:
            place = self.table.index_select(0, place)
            there = place if place.dtype is torch.bool else place >= 0
            hit = there if hit is None else hit & there
            if place.dtype is not torch.bool:
                place = torch.where(hit, place.long(), first)
        if self.alive is not None:
            alive = self.alive.index_select(0, place)
            hit = alive if hit is None else hit & alive
        return hit, place

    def _has_all(self, key: Column) -> bool:
        """Whether the codes of all keys that are not NULL are within `bounds`."""
        if self.bounds is None or key.bounds is None or not self.codec.is_plain:
            return False
        return self.bounds[0] <= key.bounds[0] and key.bounds[1] <= self.bounds[1]


def side_of(stage: Stage, run: Run) -> Side:
    """What a stage of joins looks its rows up in; NotTraceable where a row may have several partners, or is found otherwise."""
    if isinstance(stage, ProbeStage):
        return _of_probe(stage, run)
    if isinstance(stage, MembershipStage):
        return _of_membership(stage, run)
    if isinstance(stage, KeyFilterStage):
        return _of_keys(stage, run)
    raise NotTraceable("it has other stages than filters, projections and joins")


def _of_probe(stage: ProbeStage, run: Run) -> Side:
    if stage.kind not in _KINDS or stage.null_aware or stage.track or not stage.keys:
        raise NotTraceable(f"it has a join of another kind ({stage.kind})")
    built = stage.build.get(run)
    lookup, codec = built.lookup, built.codec
    assert codec is not None
    if not isinstance(lookup, DenseLookup | DirectLookup) or codec.checks:
        raise NotTraceable("a join may find several rows, or looks for keys of a wide range")
    table = lookup.table if isinstance(lookup, DirectLookup) else None
    size = lookup.rows if isinstance(lookup, DenseLookup) else lookup.table.shape[0] - 1
    is_stored = isinstance(stage.build, ResidentBuild)
    bounds = (codec.low, codec.high) if is_stored else None
    columns = {} if stage.kind in ("semi", "anti") and stage.residual is None else built.columns
    return _side(
        stage.kind, stage.keys, stage.residual, codec, bounds, (lookup.minimum, size, table), built.alive, columns
    )


def _of_membership(stage: MembershipStage, run: Run) -> Side:
    members = run.result(stage.slot)
    form = members.form
    if stage.kind not in ("semi", "anti") or stage.null_aware:
        raise NotTraceable(f"it has a join of another kind ({stage.kind})")
    if not isinstance(form, KeyBitmap) or members.codec.checks:
        raise NotTraceable("a join looks for keys of a wide range")
    sizes = (form.minimum, form.present.shape[0], form.present)
    return _side(stage.kind, stage.keys, None, members.codec, None, sizes, None, {})


def _of_keys(stage: KeyFilterStage, run: Run) -> Side:
    """Keys that are tested ahead of another join: those of one number, in a table; others are left to that join."""
    codec = stage.built(run).codec
    assert codec is not None
    there = stage.there(run)
    if there is None or not codec.is_plain or codec.key is None or not isinstance(there.form, KeyBitmap):
        nothing = _number(0)
        return Side(_ALL, (), None, codec, None, nothing, nothing, None, None, {})
    sizes = (there.form.minimum, there.form.present.shape[0], there.form.present)
    return _side("semi", stage.keys, None, codec, None, sizes, None, {})


def _side(
    kind: str,
    keys: tuple[Expr, ...],
    residual: Expr | None,
    codec: JoinCodec,
    bounds: Bounds | None,
    found: tuple[int, int, Tensor | None],
    alive: Tensor | None,
    columns: Mapping[str, Column],
) -> Side:
    if codec.key is None:
        raise NotTraceable("keys of a join are compared as values of the build side")
    minimum, size, table = found
    return Side(kind, keys, residual, codec, bounds, _number(minimum), _number(size), table, alive, columns)


def _number(value: int) -> Tensor:
    return torch.tensor(value, dtype=torch.int64, device="cpu")
