"""Scalar expressions: from syntax to typed `Expr`.

What a kind of syntax node means is a function registered with `@handles`; a node without one is a call of the
function named by its key, so a new SQL function needs no change here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sqlglot import exp

from tqp.errors import BindError, InternalError, UnsupportedError
from tqp.functions.aggregates import find_aggregate
from tqp.functions.unify import is_plain_integer
from tqp.ir.expr import Expr, Literal
from tqp.ir.inputs import derived
from tqp.ir.visit import subplans
from tqp.sql import literals
from tqp.sql.collected import Aggregates, Windows
from tqp.sql.context import Context
from tqp.sql.datatypes import dtype_of
from tqp.sql.operators import call, cast, choose, flat
from tqp.sql.scope import Cte, Scope
from tqp.sql.unread import discard, operands, taken
from tqp.stack import deep
from tqp.types import BOOLEAN, DOUBLE, INTEGER, INTERVAL, NULL, VARCHAR

__all__ = ["ExprBinder", "handles", "named"]

Handler = Callable[["ExprBinder", Any], Expr]
_HANDLERS: dict[type[exp.Expr], Handler] = {}
_NAMED: dict[str, Handler] = {}


def handles(*kinds: type[exp.Expr]) -> Callable[[Handler], Handler]:
    """Register what syntax nodes of these kinds mean."""

    def register(handler: Handler) -> Handler:
        for kind in kinds:
            _HANDLERS[kind] = handler
        return handler

    return register


def named(name: str) -> Callable[[Handler], Handler]:
    """Register what a call of this name (in lower case) means where its arguments are not plain expressions."""

    def register(handler: Handler) -> Handler:
        _NAMED[name] = handler
        return handler

    return register


@dataclass
class ExprBinder:
    """Binds expressions of one clause.

    `aliases` are the SELECT list's, for clauses that may use them: syntax to bind in place, or what stands for it
    already. `aliases_first`: they win over columns.
    `aggregates` collects aggregate calls, `windows` window calls; without them those are an error in `clause`.
    """

    context: Context
    scope: Scope
    ctes: Mapping[str, Cte]
    clause: str
    aliases: Mapping[str, exp.Expr | Expr] = field(default_factory=dict)
    aliases_first: bool = False
    aggregates: Aggregates | None = None
    windows: Windows | None = None
    _open_aliases: frozenset[str] = frozenset()
    _bound_aliases: dict[object, Expr] = field(default_factory=dict)
    """What aliases were bound to already, for all binders made of this one."""

    @deep
    def bind(self, node: exp.Expr | None) -> Expr:
        """The typed expression of a node; BindError for the None of an argument that is missing.

        An unsupported one is remembered in the context and stands as NULL, so that binding finds the others too.
        """
        if node is None:
            raise BindError("an argument is missing")
        try:
            with self.context.at(node):
                handler = _HANDLERS.get(type(node), _function)
                return handler(self, node)
        except UnsupportedError as gap:
            self.context.gaps.append(gap)
            discard(node)
            return Literal(None, NULL)

    def column(self, node: exp.Column) -> Expr:
        """What a name means: a column, nearest scope first, or an alias of the SELECT list."""
        if isinstance(node.this, exp.Star):
            raise self.context.error(node, f"* is not allowed in {self.clause}")
        # An alias within its own definition means the column.
        name = node.name.lower()
        alias = None if node.table or name in self._open_aliases else self.aliases.get(name)
        if alias is not None and self.aliases_first:
            return self._alias(node, alias)
        found = self.scope.resolve(self.context, node)
        if found is not None:
            if self.aggregates is not None:
                self.aggregates.places.setdefault(found.symbol, node)
            return found.ref
        if alias is not None:
            return self._alias(node, alias)
        raise self.scope.unknown(self.context, node, tuple(self.aliases))

    def _alias(self, node: exp.Column, target: exp.Expr | Expr) -> Expr:
        if isinstance(target, Expr):
            return target
        inside = self._open_aliases | {node.name.lower()}
        key = (id(target), inside, self.clause, self.aggregates is None, self.windows is None)
        known = self._bound_aliases.get(key)
        if known is None:
            known = replace(self, aliases_first=False, _open_aliases=inside).bind(target)
            if any(True for _ in subplans(known)):
                # A subquery may stand but once in a plan, so that this one is bound anew for each use.
                self.context.copied(node)
            else:
                self._bound_aliases[key] = known
        return known


@handles(exp.Column)
def _column(binder: ExprBinder, node: exp.Column) -> Expr:
    return binder.column(node)


@handles(exp.Paren, exp.Alias)
def _inner(binder: ExprBinder, node: exp.Expr) -> Expr:
    return binder.bind(node.this)


@handles(exp.Literal)
def _literal(binder: ExprBinder, node: exp.Literal) -> Literal:
    found = taken(node)
    if found is not None:
        return found
    return Literal(node.this, VARCHAR) if node.is_string else literals.number(node.this)


@handles(exp.RawString, exp.National, exp.ByteString)
def _text(binder: ExprBinder, node: exp.Expr) -> Expr:
    return Literal(node.name, VARCHAR)


@handles(exp.Boolean)
def _boolean(binder: ExprBinder, node: exp.Boolean) -> Expr:
    return Literal(bool(node.this), BOOLEAN)


@handles(exp.Null)
def _null(binder: ExprBinder, node: exp.Null) -> Expr:
    return Literal(None, NULL)


@handles(exp.Var)
def _word(binder: ExprBinder, node: exp.Var) -> Expr:
    return Literal(node.name.lower(), VARCHAR)


@handles(exp.Placeholder, exp.Parameter)
def _parameter(binder: ExprBinder, node: exp.Expr) -> Expr:
    value = parameter(binder.context, node)
    if value.dtype.is_nested:
        binder.context.lists.setdefault(value, node)
    return value


def parameter(context: Context, node: exp.Expr) -> Literal:
    """The value given for `$1` (`?` has been numbered by the parser) or `$name`; BindError where none is."""
    params = context.params
    name = node.name
    if not name.isdigit():
        if not isinstance(params, Mapping) or name not in params:
            given = ", ".join(map(str, params)) if isinstance(params, Mapping) else "none by name"
            raise context.error(node, f"no value for parameter ${name}", hint=f"given: {given or 'none'}")
        return params[name]
    number = int(name)
    if isinstance(params, Mapping):
        if str(number) not in params:
            raise context.error(node, f"no value for parameter ${number}", hint=f"given: {', '.join(params) or 'none'}")
        return params[str(number)]
    if params is None or not 1 <= number <= len(params):
        raise context.error(node, f"no value for parameter {number}", hint=f"{len(params or ())} values are given")
    return params[number - 1]


@handles(exp.And, exp.Or)
def _logical(binder: ExprBinder, node: exp.Connector) -> Expr:
    # A long chain is a deep left spine: walk it, for recursion would overflow.
    kind = type(node)
    parts: list[exp.Expr] = []
    stack: list[exp.Expr] = [node]
    while stack:
        current = stack.pop()
        if type(current) is kind:
            stack += [current.args["expression"], current.this]
        elif isinstance(current, exp.Paren) and type(current.this) is kind:
            stack.append(current.this)
        else:
            parts.append(current)
    return flat(node.key, [binder.bind(part) for part in parts])


@handles(exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.DPipe)
def _arithmetic(binder: ExprBinder, node: exp.Binary) -> Expr:
    spine: list[exp.Binary] = []
    current: exp.Expr = node
    while isinstance(current, exp.Binary) and _HANDLERS.get(type(current)) is _arithmetic:
        spine.append(current)
        current = current.this
    if isinstance(current, exp.Not):
        # DuckDB negates the whole: the parser takes NOT a IS NULL for an operand.
        raise UnsupportedError("NOT before an operator is not supported", hint="put parentheses: NOT (…)")
    result = binder.bind(current)
    for step in reversed(spine):
        right = binder.bind(step.expression)
        with binder.context.at(step):
            result = _quotient(step, result, right) if isinstance(step, exp.Div) else call(step.key, result, right)
    return result


def _quotient(node: exp.Div, left: Expr, right: Expr) -> Expr:
    """`/` as the text's dialect means it.

    Where that is `typed`, integers give an integer and zero is no divisor, as for DuckDB's `//`; where it is `safe`, a
    quotient by zero is NULL.
    """
    name = "intdiv" if node.args.get("typed") else "div"
    return call(name, left, call("nullif", right, Literal(0, INTEGER)) if node.args.get("safe") else right)


@handles(exp.Neg)
def _negative(binder: ExprBinder, node: exp.Neg) -> Expr:
    inner = node.this
    if isinstance(inner, exp.Literal) and not inner.is_string:
        found = taken(inner)
        return literals.number(inner.this, negative=True) if found is None else derived(_negated, found)
    value = binder.bind(inner)
    if isinstance(value, Literal) and not value.is_null and (is_plain_integer(value) or value.dtype == INTERVAL):
        return derived(_negated, value)
    return call("neg", value)


def _negated(literal: Literal) -> Literal:
    match literal.value:
        case (int(months), int(days), int(micros)):
            return Literal((-months, -days, -micros), literal.type)
        case int(value) if literal.type.is_integer:
            # The least integer of a type has a spelling that is beyond it.
            return literals.number(str(abs(value)), negative=value > 0)
        case int(value) | float(value):
            return Literal(-value, literal.type)
        case other:
            raise InternalError(f"{other!r} is no number")


@handles(exp.Case)
def _case(binder: ExprBinder, node: exp.Case) -> Expr:
    operand, default = node.this, node.args.get("default")
    conditions, values = [], []
    for branch in node.args["ifs"]:
        when = binder.bind(branch.this)
        # Bound anew for each branch: a subquery in it may stand but once in a plan.
        conditions.append(when if operand is None else call("eq", binder.bind(operand), when))
        values.append(binder.bind(branch.args["true"]))
    return choose(conditions, values, Literal(None, NULL) if default is None else binder.bind(default))


@handles(exp.If)
def _if(binder: ExprBinder, node: exp.If) -> Expr:
    default = node.args.get("false")
    value = binder.bind(node.args["true"])
    return choose([binder.bind(node.this)], [value], Literal(None, NULL) if default is None else binder.bind(default))


@handles(exp.Cast, exp.TryCast)
def _cast(binder: ExprBinder, node: exp.Cast) -> Expr:
    value = cast(binder.bind(node.this), dtype_of(node.args["to"]), safe=isinstance(node, exp.TryCast))
    return derived(_typed, value) if isinstance(value, Literal) else value


def _typed(literal: Literal) -> Literal:
    return Literal(literal.value, literal.type, typed=True)


_DATE_PARTS: dict[type[exp.Expr], str] = {
    exp.Year: "year", exp.Month: "month", exp.Day: "day", exp.Quarter: "quarter", exp.Week: "week",
    exp.DayOfWeek: "dow", exp.DayOfYear: "doy", exp.DayOfMonth: "day", exp.WeekOfYear: "week",
    exp.DayOfWeekIso: "isodow", exp.Hour: "hour", exp.Minute: "minute", exp.Second: "second",
}  # fmt: skip


@handles(exp.Extract)
def _extract(binder: ExprBinder, node: exp.Extract) -> Expr:
    return _named_part(Literal(node.this.name.lower(), VARCHAR), binder.bind(node.expression))


def _named_part(*args: Expr) -> Expr:
    """`extract` and `date_part`: of a date that is known to be NULL DuckDB makes a DOUBLE, whatever the part."""
    found = call("extract", *args)
    known = isinstance(args[1], Literal) and args[1].is_null and args[1].dtype != NULL
    return Literal(None, DOUBLE, typed=True) if known else found


@handles(*_DATE_PARTS)
def _date_part(binder: ExprBinder, node: exp.Expr) -> Expr:
    return call("extract", Literal(_DATE_PARTS[type(node)], VARCHAR), binder.bind(node.this))


@handles(exp.TimestampTrunc, exp.DateTrunc)
def _date_trunc(binder: ExprBinder, node: exp.Expr) -> Expr:
    return call("date_trunc", Literal(node.args["unit"].name.lower(), VARCHAR), binder.bind(node.this))


@handles(exp.Trim)
def _trim(binder: ExprBinder, node: exp.Trim) -> Expr:
    position = (node.args.get("position") or "").upper()
    name = {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(position, "trim")
    characters = node.args.get("expression")
    args = [binder.bind(node.this)]
    return call(name, *args, *([binder.bind(characters)] if characters is not None else []))


@handles(exp.Pad)
def _pad(binder: ExprBinder, node: exp.Pad) -> Expr:
    parts = (node.this, node.expression, node.args.get("fill_pattern"))
    args = [binder.bind(part) for part in parts if part is not None]
    return call("lpad" if node.args.get("is_left") else "rpad", *args)


@handles(exp.Star)
def _star(binder: ExprBinder, node: exp.Star) -> Expr:
    raise binder.context.error(node, f"* is not allowed in {binder.clause}")


@handles(exp.Anonymous)
def _anonymous(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    name = node.name.lower()
    if name in _NAMED:
        return _NAMED[name](binder, node)
    if find_aggregate(name) is not None:
        # One that sqlglot has no node for.
        return _HANDLERS[exp.AggFunc](binder, node)
    args = [binder.bind(arg) for arg in node.expressions]
    if name in ("date_part", "datepart"):
        return _named_part(*args)
    return call(name, *args)


def _function(binder: ExprBinder, node: exp.Expr) -> Expr:
    """A node without a meaning of its own: the function named by its key, on its parts as declared."""
    if not isinstance(node, exp.Func | exp.Binary | exp.Unary):
        raise UnsupportedError(f"{type(node).__name__.upper()} is not supported in {binder.clause}")
    return call(node.key, *map(binder.bind, operands(node)))
