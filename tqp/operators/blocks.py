"""Which blocks of rows of a stored table may hold what a pipeline asks for, by the zone maps of its columns.

A condition is asked of the least and the greatest value of each block: what no value between these fulfils no row does.
So the stages of a pipeline leave out blocks before a batch is made, each by what it knows when the pipeline begins: filters
by their constants, joins by the keys that an earlier pipeline has collected.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.zones import Zones
from tqp.errors import ExecutionError
from tqp.functions.registry import find
from tqp.ir import words
from tqp.ir.expr import Call, Case, Cast, ColumnRef, Expr, Literal
from tqp.ir.show import show_expr
from tqp.ir.visit import symbols, walk
from tqp.kernels.zones import count, runs
from tqp.operators.batch import Batch, Definition, Part
from tqp.operators.choice import Choice
from tqp.operators.evaluate import Evaluator
from tqp.operators.spans import Spans
from tqp.stack import deep
from tqp.types import BOOLEAN, DType, Kind

__all__ = ["Blocks", "Zoned"]

_MOST: Final = 64
"""Parts of a condition that are asked for; one of more is not."""
_VALUES: Final = 64
"""Of no more keys a block it is asked whether one lies within it: of more, one does."""
_WORTH: Final = 0.9
"""Where more than this share of the rows is left, all are read."""

Ends = tuple[Column, Column]
"""The least and the greatest value of an expression in each block: columns (blocks,), or constants. NULL: there is none."""


class _Ends(dict[str, Column]):
    """One end of the stored columns, by symbol, as far as these have zones."""

    __slots__ = ("_blocks", "_end")

    def __init__(self, blocks: Blocks, end: str) -> None:
        super().__init__()
        self._blocks = blocks
        self._end = end

    def __missing__(self, symbol: str) -> Column:
        zones = self._blocks.zones(symbol)
        assert zones is not None
        self[symbol] = column = zones.lows if self._end == "low" else zones.highs
        return column


class Zoned(Protocol):
    """What has blocks: a stored table, or what is known of one."""

    @property
    def rows(self) -> int: ...
    def zones(self, column: str, block: int) -> Zones | None:
        """As `Source.zones`."""
        ...


class Blocks:
    """The blocks of a stored table in one run of a pipeline over it, and which of them are left.

    The stages of the pipeline narrow them down in their order (`Stage.narrow`), where `keep` takes a mask of blocks, or None: all.
    """

    def __init__(self, table: Zoned, columns: Mapping[str, str], evaluator: Evaluator, block: int, gap: int) -> None:
        """`columns` are the table's by symbol. Blocks have `block` rows; two that fewer than `gap` lie between are read as one."""
        self._table = table
        self._columns = columns
        self._evaluator = evaluator
        self.block = block
        self._gap = gap
        self._definitions: dict[str, Expr] = {}
        self._constants: set[str] = set()
        self.rows = table.rows
        self.count = -(-self.rows // block)
        self.left: Tensor | None = None
        """Which are left: (blocks,) bool; None: all."""
        self.reasons: list[str] = []
        self.is_open = True
        """Whether what later stages keep may leave out rows, too."""
        ends = (Part(_Ends(self, end)) for end in ("low", "high"))
        self._low, self._high = (Batch(dict.fromkeys(self._columns, part), self.count) for part in ends)

    def zones(self, symbol: str) -> Zones | None:
        """The zones of a stored column, by its symbol."""
        column = self._columns.get(symbol)
        return None if column is None else self._table.zones(column, self.block)

    def define(self, exprs: Mapping[str, Expr], definitions: Mapping[str, Definition]) -> None:
        """Say what new symbols stand for, and how they are evaluated."""
        self._definitions.update(exprs)
        self._low, self._high = self._low.define(definitions), self._high.define(definitions)

    def join(self, constants: Mapping[str, Column]) -> None:
        """Say that new symbols stand for values that are the same for all rows."""
        self._constants.update(constants)
        self._low, self._high = self._low.join(constants, None), self._high.join(constants, None)

    def keep(self, mask: Tensor | None, reason: str) -> None:
        """Leave out the blocks where the mask is false."""
        if mask is None or not self.is_open:
            return
        left = mask if self.left is None else self.left & mask
        if count(left) < (self.count if self.left is None else count(self.left)):
            self.left = left
            self.reasons.append(reason)

    def filter(self, condition: Expr) -> None:
        """Leave out the blocks of which no row passes the condition."""
        if self.is_open and _size(condition) <= _MOST:
            self.keep(self._asked(condition), show_expr(condition))

    def among(self, expr: Expr, found: Callable[[], Tensor | None], reason: str) -> None:
        """Leave out the blocks where `expr` cannot be one of what `found` gives, which is asked where that may help.

        Whole numbers (n,) as they are stored, in any order; None: not known. Of many their limits count.
        """
        numbers = self._numbers(expr) if self.is_open else None
        values = None if numbers is None else found()
        if numbers is None or values is None:
            return
        lows, highs, known = numbers
        if 0 < values.shape[0] <= _VALUES * self.count:
            self.keep(_holds(numbers, values.long().sort().values), reason)
        elif values.shape[0]:
            least, most = values.aminmax()
            self.keep((highs >= least) & (lows <= most) & known, reason)
        else:
            self.keep(torch.zeros_like(known), reason)

    def _numbers(self, expr: Expr) -> tuple[Tensor, Tensor, Tensor] | None:
        """The ends of an integer expression in each block (blocks,) int64, and whether there is a value."""
        if not expr.dtype.is_ordinal:
            return None
        try:
            ends = self.ends(expr)
        except ExecutionError:
            return None
        if ends is None or any(end.has_elements for end in ends):
            return None
        low, high = (end.expand(self.count) for end in ends)
        known = low.valid if low.valid is not None else torch.ones(self.count, dtype=torch.bool, device=low.device)
        return low.data.long().contiguous(), high.data.long().contiguous(), known

    def _asked(self, condition: Expr) -> Tensor | None:
        try:
            return self._may_pass(condition)
        except ExecutionError:
            # It fails for the end of a block. Whether it does for a row that gets so far is found out there.
            return None

    @deep
    def _may_pass(self, condition: Expr) -> Tensor | None:
        """Which blocks may hold a row for which it is true: (blocks,) bool; None: all."""
        if not isinstance(condition, Call):
            return None
        args = condition.args
        match condition.function:
            case words.AND:
                known = [mask for mask in map(self._may_pass, args) if mask is not None]
                return torch.stack(known).all(0) if known else None
            case words.OR:
                masks = [self._may_pass(arg) for arg in args]
                known = [mask for mask in masks if mask is not None]
                return torch.stack(known).any(0) if len(known) == len(masks) else None
            case words.IS_NULL:
                zones = self._zones_of(args[0])
                return None if zones is None else self._or_none(zones.nulls)
            case words.NOT:
                inner = args[0]
                if not (isinstance(inner, Call) and inner.function == words.IS_NULL):
                    return None
                zones = self._zones_of(inner.args[0])
                return None if zones is None else zones.lows.valid
            case words.IN:
                return self._in(args[0], args[1:])
            case words.IN_LIST:
                return self._in_list(args[0], args[1])
            case words.EQ | words.NEQ | words.LT | words.LTE | words.GT | words.GTE:
                if all(map(self._is_constant, args)):
                    # The same for all blocks, and computed with the program as a whole.
                    return None
                left = self.ends(args[0])
                right = None if left is None else self.ends(args[1])
                return None if left is None or right is None else self._compared(condition.function, left, right)
            case _:
                return None

    def _or_none(self, mask: Tensor | None) -> Tensor:
        return torch.zeros(self.count, dtype=torch.bool, device=self._evaluator.device) if mask is None else mask

    def _zones_of(self, expr: Expr) -> Zones | None:
        """The zones of the stored column that an expression is, except for casts, under which NULLs stay what they are."""
        expr = self._uncast(expr)
        return self.zones(expr.symbol) if isinstance(expr, ColumnRef) else None

    def _uncast(self, expr: Expr) -> Expr:
        """What an expression stands for, without casts that keep the order."""
        while True:
            if isinstance(expr, ColumnRef) and expr.symbol in self._definitions:
                expr = self._definitions[expr.symbol]
            elif isinstance(expr, Cast) and not expr.safe and _keeps_order(expr.arg.dtype, expr.type):
                expr = expr.arg
            else:
                return expr

    def nulls(self, expr: Expr) -> Tensor | None:
        """Which blocks have a NULL of the stored column that `expr` is: (blocks,) bool; None: none has."""
        zones = self._zones_of(expr)
        return None if zones is None else zones.nulls

    def can_rank(self, expr: Expr) -> bool:
        """Whether `expr` is a stored column with zones, whose ends and NULLs are known."""
        return self.is_open and self._zones_of(expr) is not None

    def _compared(self, function: str, left: Ends, right: Ends) -> Tensor:
        (low, high), (least, most) = left, right
        match function:
            case words.LT | words.LTE:
                return self._true(function, low, most)
            case words.GT | words.GTE:
                return self._true(function, high, least)
            case words.EQ:
                return self._true(words.LTE, low, most) & self._true(words.GTE, high, least)
            case _:
                return self._true(function, low, most) | self._true(function, high, least)

    def _true(self, function: str, left: Column, right: Column) -> Tensor:
        """In which blocks a comparison of two ends is true: (blocks,) bool."""
        mask = find(function).kernel((left, right), BOOLEAN).data
        for side in (left, right):
            if side.valid is not None:
                mask = mask & side.valid
        return mask.expand(self.count)

    def _in(self, tested: Expr, options: Sequence[Expr]) -> Tensor | None:
        ends = self.ends(tested)
        if ends is None or not all(isinstance(option, Literal) for option in options):
            return None
        found = [self._evaluator.evaluate(option, self._low) for option in options]
        numbers = self._numbers(tested)
        values = [column.bounds[0] for column in found if column.bounds is not None and not column.is_wide]
        if numbers is not None and len(values) == sum(column.valid is None for column in found):
            return _holds(numbers, torch.tensor(sorted(values), dtype=torch.int64, device=self._evaluator.device))
        masks = [self._compared(words.EQ, ends, (column, column)) for column in found]
        return torch.stack(masks).any(0)

    def _in_list(self, tested: Expr, members: Expr) -> Tensor | None:
        numbers = self._numbers(tested)
        if numbers is None or not isinstance(members, Literal):
            return None
        child = self._evaluator.evaluate(members, self._low).children[0]
        return _holds(numbers, child.data.to(torch.int64)) if child.dtype.is_exact or child.dtype.is_temporal else None

    @deep
    def ends(self, expr: Expr) -> Ends | None:
        """The ends of an expression's values in each block, of one that never falls where its column rises; None of others."""
        if self._is_constant(expr):
            column = self._evaluator.evaluate(expr, self._low)
            return column, column
        zones = self._risen(expr)
        if zones is None:
            return None
        low, high = (self._evaluator.evaluate(expr, batch) for batch in (self._low, self._high))
        # A function may be NULL for the end of a block alone.
        return (low, high) if all(_is_there(end, zones) for end in (low, high)) else None

    def _is_constant(self, expr: Expr) -> bool:
        """Whether it has one value for all rows."""
        if isinstance(expr, ColumnRef) and expr.symbol in self._definitions:
            expr = self._definitions[expr.symbol]
        if not symbols(expr) <= self._constants:
            return False
        return all(isinstance(node, Literal | Call | Cast | Case | ColumnRef) for node in walk(expr))

    def _risen(self, expr: Expr) -> Zones | None:
        """The zones of the one column with which an expression rises, or stays, row by row; None where there is none."""
        while isinstance(expr := self._uncast(expr), Call):
            rises = find(expr.function).rises
            changing = [place for place, arg in enumerate(expr.args) if not self._is_constant(arg)]
            if rises is None or len(changing) != 1 or changing[0] not in rises(expr.args):
                return None
            below = expr.args[changing[0]]
            if not (_may_rise(expr.dtype) and _may_rise(below.dtype)):
                return None
            expr = below
        return self.zones(expr.symbol) if isinstance(expr, ColumnRef) else None

    def spans(self) -> Spans | None:
        """The rows of the blocks that are left; None where these are so many that all are read."""
        if self.left is None:
            return None
        gap = self._gap
        ranges: list[tuple[int, int]] = []
        for start, stop in runs(self.left):
            begin, end = start * self.block, min(stop * self.block, self.rows)
            if ranges and begin - ranges[-1][1] < gap:
                begin = ranges.pop()[0]
            ranges.append((begin, end))
        found = Spans.of(tuple(ranges))
        return None if found.rows > _WORTH * self.rows else found

    def choice(self, spans: Spans) -> Choice:
        """What became of them."""
        left = self.count if self.left is None else count(self.left)
        reason = f"{left:,} of {self.count:,} blocks may hold {' and '.join(self.reasons)}"
        return Choice("rows read", f"{spans.rows:,} of {self.rows:,}", ("all",), reason)


def _holds(numbers: tuple[Tensor, Tensor, Tensor], values: Tensor) -> Tensor:
    """In which blocks, with these ends, one of the ascending values may be."""
    lows, highs, known = numbers
    return (torch.searchsorted(values, lows) < torch.searchsorted(values, highs, right=True)) & known


def _keeps_order(old: DType, new: DType) -> bool:
    """Whether a cast never puts a smaller value after a greater one."""
    numbers = (old.is_exact or old.is_float) and (new.is_exact or new.is_float)
    return numbers or old.kind in (Kind.DATE, Kind.TIMESTAMP) and new.kind in (Kind.DATE, Kind.TIMESTAMP)


def _may_rise(dtype: DType) -> bool:
    """Whether functions of values of the type, or that give it, may say that they rise (`Function.rises`)."""
    return dtype.is_exact or dtype.kind in (Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMPTZ)


def _is_there(end: Column, zones: Zones) -> bool:
    """Whether an end is no NULL where its block has a value."""
    if end.valid is None:
        return True
    lost = ~end.valid.expand(len(zones))
    return count(lost if zones.lows.valid is None else lost & zones.lows.valid) == 0


def _size(condition: Expr) -> int:
    """How many comparisons there are in a condition, about; it stops to count where they are too many."""
    size, pending = 0, [condition]
    while pending and size <= _MOST:
        one = pending.pop()
        size += 1
        if isinstance(one, Call) and one.function in (words.AND, words.OR):
            pending += one.args
    return size
