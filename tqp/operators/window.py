"""The window sink: all rows of a pipeline, in their order, with the columns of window calls beside them.

Rows are sorted once for each PARTITION BY, by the longest ORDER BY that begins like the others; what takes the whole
partition needs no order, and is a grouping and a gather.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import assert_never

import torch
from torch import Tensor

from tqp.data.column import Column, Layout, constant
from tqp.errors import ExecutionError
from tqp.functions.aggregates import aggregate_of
from tqp.functions.align import concat
from tqp.functions.windows import Over, find_window
from tqp.interrupt import checkpoint
from tqp.ir.expr import AggregateCall, Expr, Literal, SortKey
from tqp.ir.plan import Window
from tqp.ir.show import show_over, show_window_call
from tqp.ir.visit import call_expressions, expressions
from tqp.ir.window import Frame, FrameBound, WindowCall
from tqp.kernels import group, sort, waits, window
from tqp.operators.batch import Batch
from tqp.operators.collect import Gathered, Pieces, whole
from tqp.operators.collected import aggregate_groups
from tqp.operators.evaluate import truth
from tqp.operators.instructions import Writer
from tqp.operators.keys import group_rows, order_keys
from tqp.operators.layouts import Layouts
from tqp.operators.operator import Expressions, Run, Sink, each
from tqp.operators.results import Relation
from tqp.operators.states import call_facts, call_layout, filtered, orders

__all__ = ["WindowSink"]


@dataclass(frozen=True, eq=False)
class WindowSink(Sink[Relation]):
    """The input's columns `symbols`, and the columns of the windows `plans`, which read the input alone."""

    plans: tuple[Window, ...]
    symbols: tuple[str, ...]

    @property
    def expressions(self) -> Expressions:
        return each(expr for plan in self.plans for expr in expressions(plan))

    def leaves(self, run: Run, layouts: Layouts) -> Mapping[str, Layout]:
        found = whole(layouts, self.symbols)
        for plan in self.plans:
            for item, call in zip(plan.fields, plan.calls, strict=True):
                found[item.symbol] = _layout(layouts, call)
        return found

    def prepare(self, run: Run, layouts: Layouts) -> _Windowing:
        return _Windowing(self, run, layouts)

    def write(self, writer: Writer) -> None:
        writer.read(self.symbols)
        made: list[str] = []
        for plan in self.plans:
            over = tuple(map(writer.value, (*plan.partition_by, *(key.expr for key in plan.order_by))))
            shared = {"partition": len(plan.partition_by), "by": orders(plan.order_by)}
            for item, call in zip(plan.fields, plan.calls, strict=True):
                frame = call.frame
                exprs = (*call_expressions(call.call), *(() if frame is None else frame.expressions()))
                facts = call_facts(call.call) | shared | {"ignore_nulls": call.ignore_nulls}
                if frame is not None:
                    facts["frame"] = (frame.unit, frame.start.side, frame.end.side, frame.exclude)
                writer.add(call.call.function, (*map(writer.value, exprs), *over), (item.symbol,), facts=facts)
                made.append(item.symbol)
        symbols = (*self.symbols, *made)
        writer.leave("collect", symbols, symbols)

    def describe(self) -> str:
        return "; ".join(
            f"window over {show_over(plan)}: "
            + ", ".join(f"{f.symbol} = {show_window_call(c)}" for f, c in zip(plan.fields, plan.calls, strict=True))
            for plan in self.plans
        )


def _layout(layouts: Layouts, call: WindowCall) -> Layout:
    """The layout of the values of a call."""
    function = find_window(call.call.function)
    if function is None:
        return call_layout(layouts, call.call)
    if function.passes_on:
        # The value itself, and what stands where there is no row.
        return Layout.together([layouts.of_expr(arg) for arg in call.call.args[::2]]).picked()
    return replace(Layout.of_type(call.dtype), is_nullable=not function.never_null)


class _Windowing:
    """Collects all rows, partitions them once for every PARTITION BY and orders those as often as the calls need."""

    def __init__(self, sink: WindowSink, run: Run, layouts: Layouts) -> None:
        self._sink = sink
        self._run = run
        self._gathered = Gathered(sink.symbols, run, layouts)

    def local(self) -> Pieces:
        return self._gathered.local()

    def consume(self, local: Pieces, batch: Batch) -> None:
        self._gathered.consume(local, batch)

    def finish(self, locals: list[Pieces]) -> Relation:
        relation = self._gathered.relation(locals)
        columns = dict(relation.columns)
        rows = relation.rows
        batch = Batch.of(relation.columns, rows)
        sorts = 0
        partitions: dict[tuple[Expr, ...], list[Window]] = {}
        for plan in self._sink.plans:
            partitions.setdefault(plan.partition_by, []).append(plan)
        for plans in partitions.values():
            rows_by_partition: _Partitions | None = None
            order: _Order | None = None
            for plan in sorted(plans, key=lambda plan: -len(plan.order_by)):
                if rows == 0:
                    for item in plan.fields:
                        columns[item.symbol] = constant(None, item.dtype, self._run.device).expand(0)
                    continue
                if rows_by_partition is None:
                    rows_by_partition = _Partitions.of(self._run, plan, batch)
                if order is None or not order.begins_with(plan.order_by):
                    order = _Order(rows_by_partition, plan.order_by)
                    sorts += order.is_needed(plan)
                columns.update(_Computation(rows_by_partition, order, plan).columns())
        self._run.note(self._sink, f"{sorts} sort{'' if sorts == 1 else 's'}")
        return Relation(columns, rows)


@dataclass(eq=False)
class _Partitions:
    """The rows, which of the `groups` partitions each belongs to (`ids` (n,) int64), and values by expression."""

    run: Run
    batch: Batch
    ids: Tensor
    groups: int
    _codes: dict[SortKey, list[Tensor]] = field(default_factory=dict)

    @staticmethod
    def of(run: Run, plan: Window, batch: Batch) -> _Partitions:
        keys = [run.evaluator.evaluate(expr, batch).expand(batch.rows) for expr in plan.partition_by]
        if not keys:
            return _Partitions(run, batch, torch.zeros(batch.rows, dtype=torch.int64, device=run.device), 1)
        ids, _, groups = group_rows(keys, None)
        return _Partitions(run, batch, ids, groups)

    def column(self, expr: Expr) -> Column:
        """The expression (n,), in the order of the input."""
        return self.run.evaluator.evaluate(expr, self.batch).expand(self.batch.rows)

    def codes(self, key: SortKey) -> list[Tensor]:
        """Integers (n,), in the order of the input, whose ascending order is the key's."""
        if key not in self._codes:
            self._codes[key] = order_keys(self.column(key.expr), key)
        return self._codes[key]

    def arguments(self, call: AggregateCall) -> tuple[Column, ...]:
        """The arguments (n,) of a call, NULL in rows that its FILTER leaves out."""
        args = tuple(map(self.column, call.args))
        return args if call.filter is None else filtered(args, truth(self.column(call.filter)))


class _Order:
    """The rows sorted by partition and then by `keys`; made when first needed."""

    def __init__(self, partitions: _Partitions, keys: tuple[SortKey, ...]) -> None:
        self._partitions = partitions
        self._keys = keys
        self._rows: Tensor | None = None
        self._starts: Tensor | None = None
        self._runs: window.Runs | None = None
        self._inverse: Tensor | None = None

    def begins_with(self, keys: tuple[SortKey, ...]) -> bool:
        # Without ORDER BY rows keep the input's order, as row_number() shows.
        return self._keys[: len(keys)] == keys and bool(keys) == bool(self._keys)

    def is_needed(self, plan: Window) -> bool:
        return any(not _is_grouping(call) for call in plan.calls)

    @property
    def rows(self) -> Tensor:
        """(n,) int64: the row at each sorted position."""
        if self._rows is None:
            codes = [code for key in self._keys for code in self._partitions.codes(key)]
            if self._partitions.groups > 1:
                codes = [self._partitions.ids, *codes]
            count = self._partitions.batch.rows
            device = self._partitions.run.device
            self._rows = sort.argsort(codes) if codes else torch.arange(count, device=device)
        return self._rows

    @property
    def starts(self) -> Tensor:
        """(n,) bool: where, in sorted order, a partition begins after the first."""
        if self._starts is None:
            self._starts = group.run_starts(self._partitions.ids.index_select(0, self.rows))
        return self._starts

    @property
    def partitions(self) -> window.Runs:
        if self._runs is None:
            self._runs = window.runs(self.starts)
        return self._runs

    def peers(self, keys: tuple[SortKey, ...]) -> window.Runs:
        """The runs of rows equal by `keys`, which these begin with."""
        starts = self.starts
        for key in keys:
            for code in self._partitions.codes(key):
                starts = starts | group.run_starts(code.index_select(0, self.rows))
        return window.runs(starts)

    def back(self, column: Column) -> Column:
        """A column in sorted order as one in the order of the input."""
        if self._inverse is None:
            places = torch.arange(self.rows.shape[0], device=self.rows.device)
            self._inverse = torch.empty_like(self.rows).index_copy_(0, self.rows, places)
        return column.take(self._inverse)


def _is_grouping(call: WindowCall) -> bool:
    """An aggregate of whole partitions."""
    return call.frame is not None and call.frame.is_whole and find_window(call.call.function) is None


@dataclass(eq=False)
class _Computation:
    """The calls of one window."""

    rows: _Partitions
    order: _Order
    plan: Window
    _peers: window.Runs | None = None
    _frames: dict[Frame, window.Frame] = field(default_factory=dict)

    def columns(self) -> dict[str, Column]:
        pairs = zip(self.plan.fields, self.plan.calls, strict=True)
        return {item.symbol: self._column(call) for item, call in pairs}

    @property
    def peers(self) -> window.Runs:
        if self._peers is None:
            self._peers = self.order.peers(self.plan.order_by)
        return self._peers

    def _column(self, call: WindowCall) -> Column:
        checkpoint()
        if _is_grouping(call):
            rows = self.rows
            args = rows.arguments(call.call)
            return aggregate_groups(call.call, args, rows.ids, rows.groups, rows.run.device).take(rows.ids)
        return self.order.back(self._sorted(call))

    def _sorted(self, call: WindowCall) -> Column:
        """The call in sorted order."""
        function = find_window(call.call.function)
        if function is None:
            form = aggregate_of(call.call).over_frames
            assert form is not None and call.frame is not None
            args = tuple(arg.take(self.order.rows) for arg in self.rows.arguments(call.call))
            return form(args, call.dtype, self._frame(call.frame))
        args = tuple(self.rows.column(arg).take(self.order.rows) for arg in call.call.args)
        eligible = self._eligible(call, args) if function.picks else None
        over = Over(
            args, call.dtype, self.order.partitions, lambda: self.peers, partial(self._frame_of, call), eligible,
            call.ignore_nulls,
        )  # fmt: skip
        return function.compute(over)

    def _eligible(self, call: WindowCall, args: tuple[Column, ...]) -> Tensor | None:
        """The rows (n,) that first_value and the like may pick; None: all."""
        eligible = args[0].valid if call.ignore_nulls else None
        if call.call.filter is not None:
            kept = truth(self.rows.column(call.call.filter)).index_select(0, self.order.rows)
            eligible = kept if eligible is None else eligible & kept
        return eligible

    def _frame_of(self, call: WindowCall) -> window.Frame:
        assert call.frame is not None
        return self._frame(call.frame)

    def _frame(self, frame: Frame) -> window.Frame:
        found = self._frames.get(frame)
        if found is None:
            found = self._frames[frame] = self._ranges(frame)
        return found

    def _ranges(self, frame: Frame) -> window.Frame:
        if frame.key is not None:
            low, high = self._at_values(frame, frame.key)
        else:
            low, high = self._end(frame, frame.start, after=False), self._end(frame, frame.end, after=True)
        growing = frame.start.side == "unbounded preceding" and frame.exclude == "no others"
        found = window.between(low, high, self.order.partitions if growing else None)
        match frame.exclude:
            case "no others":
                return found
            case "current row":
                return window.without_row(found)
            case "group" | "ties":
                return window.without_peers(found, self.peers, keep_row=frame.exclude == "ties")
            case _:
                assert_never(frame.exclude)

    def _end(self, frame: Frame, bound: FrameBound, after: bool) -> Tensor:
        """Where the frame starts, or (`after`) ends: positions (n,)."""
        partitions = self.order.partitions
        match bound.side:
            case "unbounded preceding":
                return window.start_of(partitions)
            case "unbounded following":
                return window.stop_of(partitions)
            case "current row":
                by: Tensor | int = 0
            case side:
                assert bound.offset is not None
                if isinstance(bound.offset, Literal):
                    by = int(bound.offset.value)  # type: ignore[arg-type]
                else:
                    by = _offset(self.rows.column(bound.offset).take(self.order.rows))
                by = -by if side == "preceding" else by
        return window.shifted(partitions, None if frame.unit == "rows" else self.peers, by, after)

    def _at_values(self, frame: Frame, key: Expr) -> tuple[Tensor, Tensor]:
        """The ends of a RANGE frame with offsets: where the values lie among the partition's keys."""
        bounds = (frame.start, frame.end)
        values = [self.rows.column(key), *(self.rows.column(b.offset) for b in bounds if b.offset is not None)]
        count = self.rows.batch.rows
        lengths = [count] * len(values)
        (spec,) = self.plan.order_by
        codes = order_keys(concat(values, lengths), spec)
        # One number for (partition, value), in the order of the rows: the keys' numbers ascend when sorted.
        numbers, _, _ = group.group_ids_multi([self.rows.ids.repeat(len(values)), *codes], ordered=True)
        own, *wanted = (part.index_select(0, self.order.rows) for part in torch.split(numbers, lengths))
        found = iter(wanted)
        ends = []
        for bound, after in zip(bounds, (False, True), strict=True):
            if bound.offset is None:
                ends.append(self._end(frame, bound, after))
                continue
            target = next(found)
            wrong = target > own if bound.side == "preceding" else target < own
            if waits.truth(wrong.any(), "a negative offset is an error"):
                raise ExecutionError(f"the offset of RANGE {bound.side.upper()} is negative")
            ends.append(torch.searchsorted(own, target, right=after))
        return ends[0], ends[1]


def _offset(column: Column) -> Tensor:
    """Offsets (n,) int64 of ROWS and GROUPS."""
    wrong = column.data < 0
    if column.valid is not None:
        wrong |= ~column.valid
    if waits.truth(wrong.any(), "a negative offset is an error"):
        raise ExecutionError("a frame's offset is negative or NULL")
    return column.data.long()
