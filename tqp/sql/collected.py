"""What the clauses of a SELECT gather while they are bound: calls of aggregates and window functions, lists to unnest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from tqp.ir.expr import AggregateCall, ColumnRef, Expr, Literal, SortKey
from tqp.ir.plan import Field, Generate, Plan, Window
from tqp.ir.visit import expressions, with_expressions
from tqp.ir.window import WindowCall
from tqp.sql.context import Context
from tqp.sql.unread import discard
from tqp.types import BIGINT, DType

__all__ = ["Aggregates", "Unnests", "Windows"]

_Spec = tuple[tuple[Expr, ...], tuple[SortKey, ...]]


@dataclass
class Aggregates:
    """The aggregate calls of one SELECT, each with the field it becomes; equal calls are one.

    `places` remembers where each column was first named, for errors. `keys` are those of GROUP BY; `sets` the places of the keys
    of each grouping set, None for a plain GROUP BY; `marks` the columns of GROUPING() of the keys at some places.
    """

    context: Context
    calls: dict[AggregateCall, Field] = field(default_factory=dict)
    places: dict[str, exp.Expr] = field(default_factory=dict)
    keys: list[Expr] | None = None
    sets: tuple[tuple[int, ...], ...] | None = None
    marks: dict[tuple[int, ...], Field] = field(default_factory=dict)

    symbols: set[str] = field(default_factory=set)
    """The symbols of the columns that grouping makes."""

    def add(self, call: AggregateCall, name: str) -> ColumnRef:
        """The column that holds the call's result."""
        known = self.calls.get(call)
        if known is None:
            known = self.calls[call] = self._made(name, call.dtype)
        return known.ref

    def _made(self, name: str, dtype: DType) -> Field:
        made = self.context.field(name, dtype)
        self.symbols.add(made.symbol)
        return made

    def mark(self, places: tuple[int, ...], name: str) -> Expr:
        """GROUPING() of the keys at these places."""
        if self.sets is None:
            return Literal(0, BIGINT)
        if places not in self.marks:
            self.marks[places] = self._made(name, BIGINT)
        return self.marks[places].ref


@dataclass
class Unnests:
    """The lists whose elements a SELECT shows as rows, and the columns that they make.

    `levels`: those that are shown, then the lists that these are elements of, and so on.
    """

    context: Context
    levels: list[dict[Expr, Field]] = field(default_factory=list)

    def add(self, value: Expr, name: str, dtype: DType, above: int = 0) -> ColumnRef:
        """The column of a list's elements; lists again, and `above` what is shown by so many levels, unless that is 0."""
        while len(self.levels) <= above:
            self.levels.append({})
        columns = self.levels[above]
        if value not in columns:
            columns[value] = self.context.field(name, dtype)
        return columns[value].ref

    def find(self, value: Expr, above: int = 0) -> ColumnRef | None:
        """The column of a list's elements as `add` made it; None where it made none."""
        found = self.levels[above].get(value) if above < len(self.levels) else None
        return None if found is None else found.ref

    def over(self, plan: Plan, translate: Callable[[Expr], Expr]) -> Plan:
        """The plan with a row for each element; `translate` turns the lists into ones over the plan."""
        for columns in reversed(self.levels):
            plan = Generate(plan, "unnest", tuple(map(translate, columns)), tuple(columns.values()))
        return plan


@dataclass
class Windows:
    """The window calls of one SELECT by their specification, each with the field it becomes; equal calls are one.

    `named` are the definitions of the WINDOW clause in lower case, each complete in itself.
    """

    context: Context
    named: dict[str, exp.Window] = field(default_factory=dict)
    specs: dict[_Spec, dict[WindowCall, Field]] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    @property
    def symbols(self) -> set[str]:
        """Those of the fields that the calls become."""
        return {column.symbol for calls in self.specs.values() for column in calls.values()}

    def define(self, definitions: Sequence[exp.Window]) -> None:
        """Learn the definitions of the SELECT's WINDOW clause."""
        for item in definitions:
            name = item.name.lower()
            if name in self.named:
                raise self.context.error(item, f"window {item.name} is defined twice")
            self.named[name] = self.complete(item)

    def complete(self, node: exp.Window) -> exp.Window:
        """The window with what the named one that it builds on defines."""
        name = node.args.get("alias")
        if name is None:
            return node
        base = self.named.get(name.name.lower())
        if base is None:
            hint = f"the WINDOW clause defines {', '.join(self.named)}" if self.named else "there is no WINDOW clause"
            raise self.context.error(name, f"no window {name.name}", hint=hint)
        self.used.add(name.name.lower())
        frame, parts = base.args.get("spec"), {}
        # The parser notes it of what stands in brackets: that is another window, and not the named one itself.
        is_copy = "first" in node.args
        if is_copy and frame is not None and not _is_of_peers_so_far(frame):
            hint = f"write OVER {name.name}, or the whole window"
            raise self.context.error(name, f"window {name.name} has a frame, so that no other builds on it", hint=hint)
        for part, what in (("partition_by", "PARTITION BY"), ("order", "ORDER BY")):
            own, inherited = node.args.get(part), base.args.get(part)
            if own and inherited:
                raise self.context.error(name, f"window {name.name} has {what} already")
            parts[part] = own or inherited
        parts["spec"] = node.args.get("spec") or frame
        whole = node.copy()
        for part, value in parts.items():
            whole.set(part, [item.copy() for item in value] if isinstance(value, list) else value and value.copy())
        whole.set("alias", None)
        return whole

    def add(self, spec: _Spec, call: WindowCall, name: str) -> ColumnRef:
        """The column that holds the call's result."""
        calls = self.specs.setdefault(spec, {})
        if call not in calls:
            calls[call] = self.context.field(name, call.dtype)
        return calls[call].ref

    def over(self, plan: Plan, translate: Callable[[Expr], Expr]) -> Plan:
        """The plan with the columns of all calls; `translate` turns their expressions into ones over the plan."""
        for name in self.named.keys() - self.used:
            # DuckDB does not look at a definition that nothing uses.
            discard(self.named[name])
        for (partition_by, order_by), calls in self.specs.items():
            node = Window(plan, partition_by, order_by, tuple(calls.values()), tuple(calls))
            plan = with_expressions(node, tuple(map(translate, expressions(node))))
        return plan


def _is_of_peers_so_far(frame: exp.WindowSpec) -> bool:
    """Whether it is the frame that a window has without one."""
    words = [str(frame.args.get(part) or "").upper() for part in ("kind", "start", "start_side", "end")]
    is_default = words[:3] == ["RANGE", "UNBOUNDED", "PRECEDING"] and words[3] in ("", "CURRENT ROW")
    return is_default and frame.args.get("exclude") is None
