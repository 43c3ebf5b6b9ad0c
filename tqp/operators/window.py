"""The window sink: all rows of a pipeline, in their order, with the columns of window calls beside them.

Rows are sorted once for each PARTITION BY, by the longest ORDER BY that begins like the others; what takes the whole
partition needs no order, and is a grouping and a gather.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import assert_never

import torch
from torch import Tensor

from tqp.data.column import Column, Layout, constant
from tqp.errors import ExecutionError
from tqp.functions.aggregates import aggregate_of
from tqp.functions.align import concat
from tqp.functions.windows import Order as InnerOrder
from tqp.functions.windows import Over, find_window
from tqp.interrupt import checkpoint
from tqp.ir.expr import Expr, Literal, SortKey
from tqp.ir.plan import Window
from tqp.ir.show import show_over, show_window_call
from tqp.ir.visit import call_expressions, expressions
from tqp.ir.window import Frame, FrameBound, WindowCall
from tqp.kernels import group, waits, window
from tqp.operators.batch import Batch
from tqp.operators.called import Rows
from tqp.operators.collect import Gathered, Pieces, whole
from tqp.operators.collected import aggregate_groups
from tqp.operators.evaluate import truth
from tqp.operators.failing import Failing
from tqp.operators.frames import inner_order, over_distinct, over_frames
from tqp.operators.instructions import Writer
from tqp.operators.keys import order_keys
from tqp.operators.layouts import Layouts
from tqp.operators.operator import Expressions, Run, Sink, each
from tqp.operators.partitions import Order, Partitions, Piece, begins_with
from tqp.operators.results import Relation
from tqp.operators.states import call_facts, call_layout, orders

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
        self._cuts = sink.plans[0].most is not None
        """Whether each batch is cut to its first rows of each partition."""

    def local(self) -> Pieces:
        return self._gathered.local()

    def consume(self, local: Pieces, batch: Batch) -> None:
        if self._cuts and batch.rows:
            found = self._first(Partitions.of(self._run, self._sink.plans[0], batch))
            # What spares less than half of one batch is not asked of the others.
            self._cuts = found is not None and 2 * found.shape[0] < batch.rows
            if found is not None:
                index = batch.index
                batch = batch.choose(found)
                batch.index = index
        self._gathered.consume(local, batch)

    def _first(self, partitions: Partitions) -> Tensor | None:
        """The rows that the windows need, where they need the first of each partition alone; None: all."""
        (plan, *_) = self._sink.plans
        return None if plan.most is None else partitions.first(plan.order_by[:1], plan.most)

    def finish(self, locals: list[Pieces]) -> Relation:
        relation = self._gathered.relation(locals)
        columns, rows = dict(relation.columns), relation.rows
        batch = Batch.of(relation.columns, rows)
        found: dict[tuple[Expr, ...], list[Window]] = {}
        for plan in self._sink.plans:
            found.setdefault(plan.partition_by, []).append(plan)
        sorts, most = 0, 1
        for plans in found.values():
            if rows == 0:
                for item in (item for plan in plans for item in plan.fields):
                    columns[item.symbol] = constant(None, item.dtype, self._run.device).expand(0)
                continue
            plans.sort(key=lambda plan: -len(plan.order_by))
            partitions = Partitions.of(self._run, plans[0], batch)
            # Windows that leave rows out come alone.
            first = self._first(partitions)
            if first is not None:
                partitions, rows = partitions.choose(first), first.shape[0]
                columns = {symbol: partitions.batch.column(symbol) for symbol in columns}
            needed = _orders(plans)
            sorts += needed
            # Groups are as fast together, and what has no order needs no sort.
            pieces = partitions.pieces() if needed else [partitions.whole]
            most = max(most, len(pieces))
            columns.update(self._of_pieces(plans, pieces))
        spread = f" in {most} pieces" if most > 1 else ""
        self._run.note(self._sink, f"{sorts} sort{'' if sorts == 1 else 's'}{spread} of {rows:,} rows")
        return Relation(columns, rows)

    def _of_pieces(self, plans: list[Window], pieces: list[Piece]) -> dict[str, Column]:
        """The columns of windows over the same partitions, in the order of the input; workers take piece after piece."""
        done = self._run.side_by_side([partial(_computed, plans, piece) for piece in pieces])
        tasks: dict[str, Callable[[], Column]] = {}
        for parts in zip(*done, strict=True):
            lengths = [part.length for part in parts]
            places = [part.places for part in parts]
            rows = places[0] if len(parts) == 1 else torch.cat([one for one in places if one is not None])
            for symbol in parts[0].columns:
                tasks[symbol] = partial(_put, [part.columns[symbol] for part in parts], lengths, rows)
        return dict(zip(tasks, self._run.side_by_side(list(tasks.values())), strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """Columns of `length` rows, and which row of the input each of theirs is: `places` (length,) int64, None: just these."""

    columns: dict[str, Column]
    length: int
    places: Tensor | None


def _put(parts: list[Column], lengths: list[int], places: Tensor | None) -> Column:
    """The parts below one another, each row in its place."""
    column = concat(parts, lengths)
    return (
        column if places is None else column.map(lambda tensor: torch.empty_like(tensor).index_copy_(0, places, tensor))
    )


def _shared_orders(plans: list[Window]) -> list[list[Window]]:
    """Windows over the same partitions, those with the longest order first, that share an order."""
    found: list[list[Window]] = []
    for plan in plans:
        if not found or not begins_with(found[-1][0].order_by, plan.order_by):
            found.append([])
        found[-1].append(plan)
    return found


def _orders(plans: list[Window]) -> int:
    """How many orders these windows need."""
    return sum(
        any(not _is_grouping(call) for plan in shared for call in plan.calls) for shared in _shared_orders(plans)
    )


def _computed(plans: list[Window], piece: Piece) -> list[_Part]:
    """The columns of windows over the same partitions, for the rows of a piece."""
    chosen, partitions = piece()
    rows = partitions.batch.rows
    found: list[_Part] = []
    for shared in _shared_orders(plans):
        order = Order(partitions, shared[0].order_by)
        grouped: dict[str, Column] = {}
        ordered: dict[str, Column] = {}
        for plan in shared:
            computation = _Computation(partitions, order, plan)
            for item, call in zip(plan.fields, plan.calls, strict=True):
                checkpoint()
                with Failing(call.call):
                    if _is_grouping(call):
                        grouped[item.symbol] = computation.grouped(call)
                    else:
                        ordered[item.symbol] = computation.sorted(call)
        if grouped:
            found.append(_Part(grouped, rows, chosen))
        if ordered:
            found.append(_Part(ordered, rows, order.rows if chosen is None else chosen.index_select(0, order.rows)))
    return found


def _is_grouping(call: WindowCall) -> bool:
    """An aggregate of whole partitions."""
    return call.frame is not None and call.frame.is_whole and find_window(call.call.function) is None


@dataclass(eq=False)
class _Computation:
    """The calls of one window."""

    rows: Partitions
    order: Order
    plan: Window
    _peers: window.Runs | None = None
    _frames: dict[Frame, window.Frame] = field(default_factory=dict)
    _inner: dict[tuple[SortKey, ...], InnerOrder] = field(default_factory=dict)

    @property
    def peers(self) -> window.Runs:
        if self._peers is None:
            self._peers = self.order.peers(self.plan.order_by)
        return self._peers

    def grouped(self, call: WindowCall) -> Column:
        """An aggregate of whole partitions, in the order of the input."""
        rows = self.rows
        return aggregate_groups(call.call, self._read(call), rows.run.device).take(rows.ids)

    def _read(self, call: WindowCall) -> Rows:
        """What an aggregate reads, in the order of the input."""
        rows = self.rows
        args, order = tuple(map(rows.column, call.call.args)), tuple(rows.column(key.expr) for key in call.call.order)
        passes = None if call.call.filter is None else truth(rows.column(call.call.filter))
        return Rows(args, rows.ids, rows.groups, order, passes)

    def sorted(self, call: WindowCall) -> Column:
        """Any other call, in sorted order."""
        function = find_window(call.call.function)
        if function is None:
            form = aggregate_of(call.call).over_frames
            assert call.frame is not None
            if form is None:
                rows = self._read(call).take(self.order.rows)
                return over_frames(call.call, rows, self._frame(call.frame), self.rows.run.device)
            args = tuple(arg.take(self.order.rows) for arg in self.rows.arguments(call.call))
            if call.call.distinct:
                return over_distinct(call.call, form, args, self._frame(call.frame))
            return form(args, call.dtype, self._frame(call.frame))
        args = tuple(self.rows.column(arg).take(self.order.rows) for arg in call.call.args)
        eligible = self._eligible(call, args) if function.picks else None
        over = Over(
            args, call.dtype, self.order.partitions, lambda: self.peers, partial(self._frame_of, call), eligible,
            call.ignore_nulls, self._inner_order(call.call.order) if call.call.order else None,
        )  # fmt: skip
        return function.compute(over)

    def _inner_order(self, keys: tuple[SortKey, ...]) -> InnerOrder:
        """The rows by an ORDER BY inside of a call."""
        found = self._inner.get(keys)
        if found is None:
            codes = [code.index_select(0, self.order.rows) for key in keys for code in self.rows.codes(key)]
            found = self._inner[keys] = inner_order(self.order.partitions, codes)
        return found

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
