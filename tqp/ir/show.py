"""Plans and expressions as readable text, for EXPLAIN and for plan snapshots in tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from types import MappingProxyType
from typing import Final, assert_never
from uuid import UUID

from tqp.ir.expr import (
    AggregateCall,
    Call,
    Case,
    Cast,
    ColumnRef,
    Elements,
    Exists,
    Expr,
    InSubquery,
    LambdaCall,
    Literal,
    Members,
    Predict,
    ScalarSubquery,
    SortKey,
)  # fmt: skip
from tqp.ir.own import MadeName, OwnName
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
from tqp.ir.spoken import SPOKEN
from tqp.ir.visit import definitions, fold, rewrite
from tqp.ir.window import Frame, FrameBound, WindowCall
from tqp.ir.words import IN_LIST
from tqp.keywords import text_constant
from tqp.stack import deep
from tqp.types import Kind

__all__ = ["printable", "show", "show_call", "show_expr", "show_over", "show_window_call"]

# How tightly an operator binds; an operand that binds less tightly gets parentheses.
_OR, _AND, _NOT, _COMPARE, _ADD, _MULTIPLY, _UNARY, _ATOM = range(8)

_BINARY: Final = {
    "eq": ("=", _COMPARE), "neq": ("<>", _COMPARE), "lt": ("<", _COMPARE), "lte": ("<=", _COMPARE),
    "gt": (">", _COMPARE), "gte": (">=", _COMPARE), "nullsafeeq": ("IS NOT DISTINCT FROM", _COMPARE),
    "nullsafeneq": ("IS DISTINCT FROM", _COMPARE), "like": ("LIKE", _COMPARE), "ilike": ("ILIKE", _COMPARE),
    "add": ("+", _ADD), "sub": ("-", _ADD), "dpipe": ("||", _ADD), "mul": ("*", _MULTIPLY),
    "distance": ("<->", _MULTIPLY), "distancend": ("<=>", _MULTIPLY),
    "div": ("/", _MULTIPLY), "intdiv": ("//", _MULTIPLY), "mod": ("%", _MULTIPLY),
    "bitwiseleftshift": ("<<", _ADD), "bitwiserightshift": (">>", _ADD), "bitwiseand": ("&", _ADD), "bitwiseor": ("|", _ADD),
}  # fmt: skip

_EPOCH: Final = datetime(1970, 1, 1)

_SHOWN_ELEMENTS: Final = 4
_SHOWN_SETS: Final = 8
_LONGEST: Final = 4000
"""Characters of an expression's text."""

_Text = tuple[str, int]


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
            lines.append("  " * depth + printable(_headline(node, numbers) + (f"  -- {remark}" if remark else "")))
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

    def render(node: Expr, operands: tuple[_Text, ...]) -> _Text:
        if isinstance(node, ColumnRef):
            return names.get(node.symbol.split("~", 1)[0], node.symbol), _ATOM
        text, level = _render(node, list(operands))
        if len(text) <= _LONGEST:
            return text, level
        # Text of a node that many share would grow without bounds.
        return f"{text[: _LONGEST // 2]} … {text[-_LONGEST // 4 :]}", _ATOM

    return fold(expr, render)[0]


def _headline(plan: Plan, numbers: Mapping[Plan, int]) -> str:
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
            nearest = f"{show_expr(plan.order[0])} {_BINARY[plan.comparison][0]} {show_expr(plan.order[1])}"
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
    text = f"{_called(call.function)}({inner})"
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


def _render(node: Expr, operands: list[_Text]) -> _Text:
    match node:
        case ColumnRef():
            return node.symbol, _ATOM
        case Literal():
            return _literal(node), _ATOM
        case Cast():
            return f"{'TRY_CAST' if node.safe else 'CAST'}({operands[0][0]} AS {node.type})", _ATOM
        case Case():
            count = len(node.conditions)
            arms = "".join(
                f" WHEN {when[0]} THEN {then[0]}"
                for when, then in zip(operands[:count], operands[count:-1], strict=True)
            )
            return f"CASE{arms} ELSE {operands[-1][0]} END", _ATOM
        case ScalarSubquery():
            return f"({_one_line(node.plan)})", _ATOM
        case Exists():
            return f"EXISTS ({_one_line(node.plan)})", _ATOM
        case InSubquery():
            tested = ", ".join(text for text, _ in operands)
            return f"({tested}) IN ({_one_line(node.plan)})", _COMPARE
        case Predict():
            return _prediction(node, operands), _ATOM
        case LambdaCall():
            return _with_lambda(node, operands), _ATOM
        case Call():
            return _operation(node.function, operands)
        case _:
            assert_never(node)


@deep
def _with_lambda(node: LambdaCall, operands: list[_Text]) -> str:
    """The call with its lambda behind the list, in which what was captured is what it is outside."""
    assert node.body is not None
    count = len(node.args) - len(node.captured)
    outside = dict(zip((ref.symbol for ref in node.captured), node.args[count:], strict=True))
    body = rewrite(node.body, lambda one: outside.get(one.symbol) if isinstance(one, ColumnRef) else None)
    told = f"lambda {', '.join(ref.symbol for ref in node.params)}: {show_expr(body)}"
    (first, _), *more = operands[:count]
    return f"{_called(node.function)}({', '.join([first, told, *(text for text, _ in more)])})"


def _prediction(node: Predict, operands: list[_Text]) -> str:
    inner = ", ".join([node.model.name, *(text for text, _ in operands)])
    if node.output == "value":
        return f"PREDICT({inner})"
    function = "PREDICT" if node.model.classes is None else "PREDICT_PROBA"
    return f"{function}({inner})" + ("" if isinstance(node.output, str) else f"[{node.output + 1}]")


@deep
def _one_line(plan: Plan) -> str:
    return " <- ".join(line.strip() for line in show(plan).splitlines())


def _operation(function: str, operands: list[_Text]) -> _Text:
    if function in ("and", "or") and operands:
        level = _AND if function == "and" else _OR
        return f" {function.upper()} ".join(_inside(operand, level + 1) for operand in operands), level
    if function == "not":
        return f"NOT {_inside(operands[0], _NOT)}", _NOT
    if function == "neg":
        return f"-{_inside(operands[0], _UNARY)}", _UNARY
    if function == "is_null":
        return f"{_inside(operands[0], _COMPARE + 1)} IS NULL", _COMPARE
    if function == "in":
        options = ", ".join(text for text, _ in operands[1:])
        return f"{_inside(operands[0], _COMPARE + 1)} IN ({options})", _COMPARE
    if function == IN_LIST:
        return f"{_inside(operands[0], _COMPARE + 1)} IN {operands[1][0]}", _COMPARE
    if function == "array_extract":
        return f"{_inside(operands[0], _ATOM)}[{operands[1][0]}]", _ATOM
    if function in _BINARY and len(operands) == 2:
        sign, level = _BINARY[function]
        left_level = level + 1 if level == _COMPARE else level
        return f"{_inside(operands[0], left_level)} {sign} {_inside(operands[1], level + 1)}", level
    return f"{_called(function)}({', '.join(text for text, _ in operands)})", _ATOM


def _called(function: str) -> str:
    """The name of a function; one of somebody's own says so."""
    if isinstance(function, OwnName) and not isinstance(function, MadeName):
        return f"user code {function}"
    return SPOKEN.get(function, str(function))


def _inside(operand: _Text, level: int) -> str:
    text, own = operand
    return text if own >= level else f"({text})"


def _literal(literal: Literal) -> str:
    value, dtype = literal.estimated, literal.type
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, str):
        return text_constant(value)
    if isinstance(value, bytes):
        return f"x'{value.hex().upper()}'"
    if isinstance(value, tuple):
        months, days, micros = value
        return f"INTERVAL '{months} months {days} days {micros} us'"
    if isinstance(value, Members):
        shown = ", ".join(repr(one) for one in value.values[:_SHOWN_ELEMENTS])
        return f"({shown}, … of {len(value.values)})"
    if isinstance(value, Elements) and dtype.is_struct:
        return "{}"
    if isinstance(value, Elements):
        shown = ", ".join(map(repr, value.numbers[:_SHOWN_ELEMENTS]))
        return f"[{shown}{', …' if len(value.numbers) > _SHOWN_ELEMENTS else ''}]::{dtype}"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, int) and dtype.kind is Kind.ENUM:
        return text_constant(dtype.labels[value])
    if isinstance(value, int):
        return _integer(value, dtype.kind, dtype.scale)
    assert_never(value)


def _integer(value: int, kind: Kind, scale: int) -> str:
    if kind is Kind.DECIMAL and scale:
        digits = str(abs(value)).rjust(scale + 1, "0")
        return f"{'-' if value < 0 else ''}{digits[:-scale]}.{digits[-scale:]}"
    try:
        if kind is Kind.DATE:
            return f"DATE '{date.fromordinal(value + date(1970, 1, 1).toordinal()).isoformat()}'"
        if kind in (Kind.TIMESTAMP, Kind.TIMESTAMPTZ):
            return f"{kind.value} '{(_EPOCH + timedelta(microseconds=value)).isoformat(sep=' ')}'"
        if kind is Kind.UUID:
            return f"UUID '{UUID(int=value + 2**127)}'"
        if kind is Kind.TIME:
            return f"TIME '{(_EPOCH + timedelta(microseconds=value)).time().isoformat()}'"
    except (OverflowError, ValueError):
        return f"{kind.value} {value}"
    return str(value)
