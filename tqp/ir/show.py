"""Plans and expressions as readable text, for EXPLAIN and for plan snapshots in tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, assert_never

from tqp.ir.expr import (
    AggregateCall,
    Call,
    Case,
    Cast,
    ColumnRef,
    Exists,
    Expr,
    InSubquery,
    LambdaCall,
    Literal,
    Predict,
    ScalarSubquery,
    SortKey,
)  # fmt: skip
from tqp.ir.notation import ATOM, BINARY, COMPARE, Text, called, operation, written
from tqp.ir.plan import (
    Aggregate,
    AsofJoin,
    DependentJoin,
    Filter,
    Generate,
    GroupingSets,
    Join,
    Limit,
    NearestJoin,
    Pivot,
    Plan,
    Project,
    Recursion,
    Scan,
    SetOp,
    Shared,
    Sort,
    TopN,
    Values,
    Window,
    Working,
)
from tqp.ir.visit import definitions, fold, rewrite
from tqp.ir.window import Frame, FrameBound, WindowCall
from tqp.stack import deep

__all__ = ["headline", "printable", "show", "show_call", "show_expr", "show_over", "show_window_call"]

_SHOWN_SETS: Final = 8
_LONGEST: Final = 4000
"""Characters of an expression's text."""


def show(plan: Plan, annotate: Callable[[Plan], str] | None = None) -> str:
    """The plan, one node a line, inputs indented below, then what is shared; `annotate` adds a remark to a node's line."""
    numbers = {tree: place for place, tree in enumerate(definitions(plan), 1)}
    lines: list[str] = []
    for tree in (plan, *numbers):
        if tree is not plan:
            lines.append(f"Shared {numbers[tree]}:")
        stack: list[tuple[Plan, int]] = [(tree, 0 if tree is plan else 1)]
        while stack:
            node, depth = stack.pop()
            remark = annotate(node) if annotate is not None else ""
            lines.append("  " * depth + printable(headline(node, numbers) + (f"  -- {remark}" if remark else "")))
            stack.extend((child, depth + 1) for child in reversed(node.children))
    return "\n".join(lines)


def printable(text: str) -> str:
    """The text on one line, with Python's escapes for what does not print: line ends, controls, what turns the direction."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def show_expr(expr: Expr, names: Mapping[str, str] = MappingProxyType({})) -> str:
    """The expression as SQL-like text with symbols for columns; of bounded length, `…` for what is left out.

    `names`: what some columns are called in place of their symbols, and of those that a rule made from them.
    """

    def render(node: Expr, operands: tuple[Text, ...]) -> Text:
        if isinstance(node, ColumnRef):
            return names.get(node.symbol.split("~", 1)[0], node.symbol), ATOM
        text, level = _render(node, list(operands))
        if len(text) <= _LONGEST:
            return text, level
        # Text of a node that many share would grow without bounds.
        return f"{text[: _LONGEST // 2]} … {text[-_LONGEST // 4 :]}", ATOM

    return fold(expr, render)[0]


def headline(plan: Plan, numbers: Mapping[Plan, int]) -> str:
    """A node without its inputs; `numbers` are those of what is shared."""
    match plan:
        case Shared():
            columns = (_alias(f.symbol, c) for f, c in zip(plan.fields, plan.columns, strict=True))
            return f"Shared {numbers[plan.definition]} [{', '.join(columns)}]"
        case Scan():
            columns = (_alias(f.symbol, c) for f, c in zip(plan.fields, plan.columns, strict=True))
            return f"Scan {plan.name} [{', '.join(columns)}]"
        case Values():
            rows = ", ".join("(" + ", ".join(map(show_expr, row)) + ")" for row in plan.rows)
            return f"Values [{', '.join(f.symbol for f in plan.fields)}] {rows}".rstrip()
        case Filter():
            return f"Filter {show_expr(plan.predicate)}"
        case Project():
            columns = (_alias(f.symbol, show_expr(e)) for f, e in zip(plan.fields, plan.exprs, strict=True))
            return f"Project [{', '.join(columns)}]"
        case Join():
            return _join_headline(plan)
        case Aggregate():
            calls = (_alias(f.symbol, show_call(c)) for f, c in zip(plan.fields, plan.aggregates, strict=True))
            return f"Aggregate by [{', '.join(plan.keys)}] [{', '.join(calls)}]"
        case GroupingSets():
            named = zip(plan.aggregate_fields, plan.aggregates, strict=True)
            calls = (_alias(f.symbol, show_call(c)) for f, c in named)
            keys = (_alias(f.symbol, key) for f, key in zip(plan.key_fields, plan.keys, strict=True))
            return f"Aggregate by [{', '.join(keys)}] {_sets(plan)} [{', '.join((*_marks(plan), *calls))}]"
        case Window():
            window_calls = (_alias(f.symbol, show_window_call(c)) for f, c in zip(plan.fields, plan.calls, strict=True))
            first = "" if plan.most is None else f" first {plan.most} of each partition"
            return f"Window over {show_over(plan)} [{', '.join(window_calls)}]{first}"
        case Sort():
            return f"Sort by [{_sort_keys(plan.keys)}]"
        case TopN():
            return f"TopN {_range(plan.limit, plan.offset)} by [{_sort_keys(plan.keys)}]"
        case Limit():
            return f"Limit {_range(plan.limit, plan.offset)}"
        case SetOp():
            columns_text = ", ".join(f.symbol for f in plan.fields)
            return f"{plan.kind.capitalize()}{' all' if plan.all else ''} [{columns_text}]"
        case Pivot():
            cells = (
                f"{f.symbol} := {plan.values[n]}[{place}]"
                for f, (place, n) in zip(plan.fields, plan.cells, strict=True)
            )
            return f"Pivot by [{', '.join(plan.keys)}] {plan.place} [{', '.join(cells)}]"
        case Generate():
            padded = " padded" if plan.padded else ""
            columns_text = ", ".join(f.symbol for f in plan.fields)
            return f"Generate{padded} [{columns_text}] {plan.function}({', '.join(map(show_expr, plan.args))})"
        case DependentJoin():
            return f"Dependent join {plan.kind}" + (
                "" if plan.condition is None else f" where {show_expr(plan.condition)}"
            )
        case AsofJoin():
            pairs = [f"{show_expr(left)} = {show_expr(right)}" for left, right in plan.keys]
            nearest = f"{show_expr(plan.order[0])} {BINARY[plan.comparison][0]} {show_expr(plan.order[1])}"
            return f"Asof join {plan.kind} on {', '.join((*pairs, nearest))}"
        case NearestJoin():
            condition = "" if plan.condition is None else f" where {show_expr(plan.condition)}"
            known = ", not NULL" if plan.skips_null else ""
            about = "about " if plan.approximate else ""
            return f"Nearest join {plan.kind} {about}{plan.limit} by [{_sort_keys(plan.order)}]{known}{condition}"
        case Recursion():
            columns_text = ", ".join(f.symbol for f in plan.fields)
            key = "" if plan.key is None else f" by key ({', '.join(plan.fields[place].symbol for place in plan.key)})"
            first = "" if plan.most is None else f" first {plan.most}"
            made = zip(plan.folded, plan.aggregates, strict=True) if plan.key is not None else ()
            key += "".join(f" [{field.symbol} := {show_call(call)}]" for field, call in made)
            return f"Recursion {plan.name} [{columns_text}]{' distinct' if plan.distinct else ''}{key}{first}"
        case Working():
            whole = " so far" if plan.whole else ""
            return f"Working {plan.name}{whole} [{', '.join(f.symbol for f in plan.fields)}]"
        case _:
            assert_never(plan)


def _sets(plan: GroupingSets) -> str:
    """The grouping sets, the first few of many."""
    shown = [f"({', '.join(plan.key_fields[place].symbol for place in one)})" for one in plan.sets[:_SHOWN_SETS]]
    more = len(plan.sets) - len(shown)
    return f"sets {', '.join(shown)}{f', … {more} more' if more else ''}"


def _marks(plan: GroupingSets) -> list[str]:
    named = zip(plan.mark_fields, plan.marked, strict=True)
    return [f"{f.symbol} := grouping({', '.join(plan.key_fields[p].symbol for p in places)})" for f, places in named]


def _join_headline(join: Join) -> str:
    text = f"Join {join.kind}"
    if join.null_aware:
        text += " null-aware"
    if join.mark is not None:
        text += f" mark {join.mark}"
    if join.keys:
        pairs = (f"{show_expr(left)} = {show_expr(right)}" for left, right in join.keys)
        text += f" on {', '.join(pairs)}"
    if join.residual is not None:
        text += f" where {show_expr(join.residual)}"
    return text


def _alias(symbol: str, text: str) -> str:
    return symbol if symbol == text else f"{symbol} := {text}"


def _range(limit: int | None, offset: int) -> str:
    text = "all" if limit is None else str(limit)
    return f"{text} offset {offset}" if offset else text


def _sort_keys(keys: tuple[SortKey, ...], names: Mapping[str, str] = MappingProxyType({})) -> str:
    return ", ".join(
        show_expr(key.expr, names) + (" DESC" if key.descending else "") + (" NULLS FIRST" if key.nulls_first else "")
        for key in keys
    )


def show_call(call: AggregateCall, names: Mapping[str, str] = MappingProxyType({})) -> str:
    """The call as SQL-like text, `names` as of `show_expr`."""
    inner = ("DISTINCT " if call.distinct else "") + ", ".join([show_expr(arg, names) for arg in call.args])
    if call.order:
        inner += f" ORDER BY {_sort_keys(call.order, names)}"
    text = f"{called(call.function)}({inner})"
    return text if call.filter is None else f"{text} FILTER (WHERE {show_expr(call.filter, names)})"


def show_over(plan: Window) -> str:
    """(PARTITION BY … ORDER BY …) of a window."""
    parts = []
    if plan.partition_by:
        parts.append(f"PARTITION BY {', '.join(map(show_expr, plan.partition_by))}")
    if plan.order_by:
        parts.append(f"ORDER BY {_sort_keys(plan.order_by)}")
    return f"({' '.join(parts)})"


def show_window_call(call: WindowCall) -> str:
    """The call with its frame, unless that is the whole partition."""
    text = show_call(call.call)
    if call.ignore_nulls:
        text += " IGNORE NULLS"
    return text if call.frame is None or call.frame.is_whole else f"{text} {_frame(call.frame)}"


def _frame(frame: Frame) -> str:
    text = f"{frame.unit.upper()} {_bound(frame, frame.start)} .. {_bound(frame, frame.end)}"
    return text if frame.exclude == "no others" else f"{text} EXCLUDE {frame.exclude.upper()}"


def _bound(frame: Frame, bound: FrameBound) -> str:
    if bound.offset is None:
        return bound.side.upper()
    text = show_expr(bound.offset)
    return f"VALUE {text}" if frame.unit == "range" else f"{text} {bound.side.upper()}"


def _render(node: Expr, operands: list[Text]) -> Text:
    match node:
        case ColumnRef():
            return node.symbol, ATOM
        case Literal():
            return written(node), ATOM
        case Cast():
            return f"{'TRY_CAST' if node.safe else 'CAST'}({operands[0][0]} AS {node.type})", ATOM
        case Case():
            count = len(node.conditions)
            arms = "".join(
                f" WHEN {when[0]} THEN {then[0]}"
                for when, then in zip(operands[:count], operands[count:-1], strict=True)
            )
            return f"CASE{arms} ELSE {operands[-1][0]} END", ATOM
        case ScalarSubquery():
            return f"({_one_line(node.plan)})", ATOM
        case Exists():
            return f"EXISTS ({_one_line(node.plan)})", ATOM
        case InSubquery():
            tested = ", ".join(text for text, _ in operands)
            return f"({tested}) IN ({_one_line(node.plan)})", COMPARE
        case Predict():
            return _prediction(node, operands), ATOM
        case LambdaCall():
            return _with_lambda(node, operands), ATOM
        case Call():
            return operation(node.function, operands)
        case _:
            assert_never(node)


@deep
def _with_lambda(node: LambdaCall, operands: list[Text]) -> str:
    """The call with its lambda behind the list, in which what was captured is what it is outside."""
    assert node.body is not None
    count = len(node.args) - len(node.captured)
    outside = dict(zip((ref.symbol for ref in node.captured), node.args[count:], strict=True))
    body = rewrite(node.body, lambda one: outside.get(one.symbol) if isinstance(one, ColumnRef) else None)
    told = f"lambda {', '.join(ref.symbol for ref in node.params)}: {show_expr(body)}"
    (first, _), *more = operands[:count]
    return f"{called(node.function)}({', '.join([first, told, *(text for text, _ in more)])})"


def _prediction(node: Predict, operands: list[Text]) -> str:
    inner = ", ".join([node.model.name, *(text for text, _ in operands)])
    if node.output == "value":
        return f"PREDICT({inner})"
    function = "PREDICT" if node.model.classes is None else "PREDICT_PROBA"
    return f"{function}({inner})" + ("" if isinstance(node.output, str) else f"[{node.output + 1}]")


@deep
def _one_line(plan: Plan) -> str:
    return " <- ".join(line.strip() for line in show(plan).splitlines())
