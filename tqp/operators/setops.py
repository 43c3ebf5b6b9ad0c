"""Set operations: sources that combine the results of two earlier pipelines, column by column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import torch

from tqp.data.column import Column
from tqp.functions.align import concat
from tqp.ir.plan import SetOp
from tqp.operators.batch import Batch
from tqp.operators.build import Built
from tqp.operators.keys import group_rows
from tqp.operators.operator import Relation, Run

__all__ = ["FullJoinSource", "SetOpSource"]


class _Combined:
    """A source whose rows are computed once a run, when first asked for."""

    def combine(self, run: Run) -> Relation:
        raise NotImplementedError

    def _relation(self, run: Run) -> Relation:
        with run.lock:
            found = run.combined.get(id(self))
            if found is None:
                found = run.combined[id(self)] = self.combine(run)
        return found

    def rows(self, run: Run) -> int:
        return self._relation(run).rows

    def batch(self, run: Run, start: int, stop: int, index: int) -> Batch:
        columns = {symbol: column.slice(start, stop) for symbol, column in self._relation(run).columns.items()}
        return Batch.of(columns, stop - start, index)


def _below(first: Mapping[str, Column], second: Mapping[str, Column], lengths: list[int]) -> dict[str, Column]:
    return {symbol: concat([column, second[symbol]], lengths) for symbol, column in first.items()}


@dataclass(eq=False)
class SetOpSource(_Combined):
    """UNION ALL, INTERSECT [ALL] or EXCEPT [ALL] of two results; UNION is UNION ALL under an aggregate."""

    plan: SetOp
    left: int
    right: int

    @property
    def reads(self) -> tuple[int, ...]:
        return (self.left, self.right)

    def combine(self, run: Run) -> Relation:
        left, right = run.relation(self.left), run.relation(self.right)
        symbols = [item.symbol for item in self.plan.fields]
        ours = dict(zip(symbols, [left.columns[item.symbol] for item in self.plan.left.schema], strict=True))
        theirs = dict(zip(symbols, [right.columns[item.symbol] for item in self.plan.right.schema], strict=True))
        both = _below(ours, theirs, [left.rows, right.rows])
        rows = left.rows + right.rows
        if self.plan.kind == "union":
            return Relation(both, rows)
        if rows == 0:
            return Relation(both, 0)
        ids, representatives, groups = group_rows(list(both.values()), None)
        ours_count = torch.bincount(ids[: left.rows], minlength=groups)
        theirs_count = torch.bincount(ids[left.rows :], minlength=groups)
        if self.plan.kind == "intersect":
            repeats = torch.minimum(ours_count, theirs_count)
        else:
            repeats = (ours_count - theirs_count).clamp(min=0)
        if not self.plan.all:
            present = (ours_count > 0) & ((theirs_count > 0) == (self.plan.kind == "intersect"))
            repeats = present.long()
        chosen = representatives.repeat_interleave(repeats)  # sync: number of rows of the result
        return Relation({symbol: column.take(chosen) for symbol, column in both.items()}, chosen.shape[0])

    def describe(self) -> str:
        return f"{self.plan.kind}{' all' if self.plan.all else ''} of results {self.left} and {self.right}"


@dataclass(eq=False)
class FullJoinSource(_Combined):
    """The rows of a left join and, below them, the build rows that no probe row touched, the probe side NULL."""

    joined: int
    build: int
    probe_symbols: tuple[str, ...] = field(default=())

    @property
    def reads(self) -> tuple[int, ...]:
        return (self.joined, self.build)

    def combine(self, run: Run) -> Relation:
        joined = run.relation(self.joined)
        built = run.results[self.build]
        assert isinstance(built, Built) and built.touched is not None
        alone = (~built.touched).nonzero().flatten()  # sync: number of build rows without a partner
        rows = alone.shape[0]
        rest = {}
        for symbol, column in joined.columns.items():
            if symbol in built.columns:
                rest[symbol] = built.columns[symbol].take(alone)
            else:
                null = torch.zeros(rows, dtype=torch.bool, device=run.device)
                sample = column.slice(0, 0)
                shape = (rows, *sample.data.shape[1:])
                data = torch.zeros(shape, dtype=sample.data.dtype, device=run.device)
                rest[symbol] = replace(column, data=data, valid=null)
        return Relation(_below(joined.columns, rest, [joined.rows, rows]), joined.rows + rows)

    def describe(self) -> str:
        return f"result {self.joined} and the rows of build {self.build} without a partner"
