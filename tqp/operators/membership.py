"""The membership stage: a semi or anti join on one integer key is a look into a bitmap of the keys there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tqp.ir.expr import Expr
from tqp.ir.plan import JoinKind
from tqp.ir.show import show_expr
from tqp.kernels.join import contains
from tqp.operators.batch import Batch
from tqp.operators.build import Members
from tqp.operators.filter import keep
from tqp.operators.instructions import Writer
from tqp.operators.operator import Expressions, Run, Stage
from tqp.operators.results import Result, Slot

__all__ = ["MembershipStage"]


@dataclass(frozen=True, eq=False)
class MembershipStage(Stage):
    """A semi or anti join on one integer key against a bitmap of keys."""

    kind: JoinKind
    slot: Slot[Members]
    key: Expr
    null_aware: bool = False

    @property
    def reads(self) -> tuple[Slot[Result], ...]:
        return (self.slot,)

    @property
    def expressions(self) -> Expressions:
        return ((self.key,),)

    def prepare(self, run: Run) -> _Membership:
        members = run.result(self.slot)
        run.note(self, f"bitmap of {members.bitmap.shape[0]:,} keys")
        return _Membership(self, run, members)

    def write(self, writer: Writer) -> None:
        inputs = (writer.value(self.key), self.slot)
        writer.add("contains", inputs, (), writer.size(), kind=self.kind, null_aware=self.null_aware)

    def describe(self) -> str:
        return f"probe ({self.kind}) bitmap {self.slot} with {show_expr(self.key)}"


class _Membership:
    """Keeps the rows of a batch whose key is (or is not) among the members; NULL keys match nothing."""

    def __init__(self, stage: MembershipStage, run: Run, members: Members) -> None:
        self._stage = stage
        self._key = run.evaluator.rows((stage.key,))
        self._members = members

    def __call__(self, batch: Batch) -> Sequence[Batch]:
        members = self._members
        (column,) = self._key(batch)
        codes, valid, _ = members.codec.encode([column])
        hit = contains(members.bitmap, members.low, codes, valid)
        if self._stage.kind == "anti":
            hit = ~hit
            if self._stage.null_aware and members.rows:
                # NOT IN: a NULL among the keys leaves no row, a NULL operand is never kept.
                if members.null_keys:
                    return ()
                if column.valid is not None:
                    hit &= column.valid
        kept = keep(batch, hit)
        return () if kept is None else (kept,)
