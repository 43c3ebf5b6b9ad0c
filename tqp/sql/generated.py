"""Generated columns: what each row of a table has as the value of an expression over its other columns.

A table keeps the values, and computes them when it takes rows, or other values of columns that they depend on. So they must
follow from the row alone: what also depends on the moment, on settings or on what somebody may define anew is refused.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

from sqlglot import exp

from tqp.catalog.definitions import ColumnRule
from tqp.config import DefaultOrder
from tqp.errors import BindError, UnsupportedError
from tqp.functions.zoned import holds_instants
from tqp.ir.expr import Call, Cast, Expr, Literal, Predict
from tqp.ir.own import OwnName
from tqp.ir.plan import Field, Plan, Project, Values
from tqp.ir.visit import walk
from tqp.sql.context import Context, listed
from tqp.sql.expansion import expression_of
from tqp.sql.expr import ExprBinder
from tqp.sql.operators import cast
from tqp.sql.reading import require_read
from tqp.sql.scope import Relation, Scope
from tqp.sql.stand_ins import macro_called
from tqp.sql.unread import discard, watch
from tqp.types import DType

__all__ = ["GeneratedValue", "completed", "dependents", "in_order", "stored", "with_generated"]

_HINT: Final = "a view computes columns when it is read"


@dataclass(frozen=True, slots=True)
class GeneratedValue:
    """The value of a generated column over columns of a table, for a text that says nothing: looked at, and not run.

    Its type is that of the rule where it `is_typed`, otherwise that of the expression.
    """

    rule: ColumnRule
    columns: tuple[ColumnRule, ...]
    is_typed: bool

    def plan(self, context: Context, tree: exp.Expr) -> Plan:
        """The plan of one value."""
        discard(tree)
        fields = tuple(context.field(rule.name, rule.dtype) for rule in self.columns)
        row = Project(Values((), ((),)), fields, tuple(Literal(None, field.dtype) for field in fields))
        value = _value(context, self.rule, fields, self.rule.dtype if self.is_typed else None)
        return Project(row, (context.field(self.rule.name, value.dtype),), (value,))


def stored(rules: Sequence[ColumnRule]) -> list[ColumnRule]:
    """The columns that take values."""
    return [rule for rule in rules if rule.generated is None]


def in_order(rules: Sequence[ColumnRule]) -> list[ColumnRule]:
    """The generated columns, each behind those that it reads; BindError where they read each other in a circle."""
    left = {rule.name.lower(): rule for rule in rules if rule.generated is not None}
    found: list[ColumnRule] = []
    while left:
        free = [name for name, rule in left.items() if _read(rule).isdisjoint(left)]
        if not free:
            names = listed([rule.name for rule in left.values()])
            raise BindError(f"generated columns depend on each other in a circle: {names}")
        found += [left.pop(name) for name in free]
    return found


def dependents(rules: Sequence[ColumnRule], names: Collection[str]) -> list[ColumnRule]:
    """The generated columns that depend on columns of these names, each behind those that it reads."""
    changed = {name.lower() for name in names}
    found: list[ColumnRule] = []
    for rule in in_order(rules):
        if not changed.isdisjoint(_read(rule)):
            changed.add(rule.name.lower())
            found.append(rule)
    return found


def completed(context: Context, plan: Plan, rules: Sequence[ColumnRule]) -> Plan:
    """Rows of all columns, in their order, of rows with the columns that take values."""
    generated = in_order(rules)
    if not generated:
        return plan
    plan, made = with_generated(context, plan, plan.schema, generated)
    known = {field.name: field for field in (*plan.schema, *made)}
    fields = tuple(known[rule.name] for rule in rules)
    return Project(plan, fields, tuple(field.ref for field in fields))


def with_generated(
    context: Context, plan: Plan, columns: Sequence[Field], rules: Sequence[ColumnRule]
) -> tuple[Plan, list[Field]]:
    """The rows with values of generated columns, each behind those that it reads, behind their own, and these columns.

    `columns` are those of the table among their own.
    """
    made: list[Field] = []
    for rule in rules:
        field = context.field(rule.name, rule.dtype)
        value = _value(context, rule, (*columns, *made), rule.dtype)
        plan = Project(plan, (*plan.schema, field), (*(own.ref for own in plan.schema), value))
        made.append(field)
    return plan, made


def _read(rule: ColumnRule) -> frozenset[str]:
    assert rule.generated is not None
    return _names_in(rule.generated)


@lru_cache(maxsize=256)
def _names_in(text: str) -> frozenset[str]:
    """The columns that an expression names, in lower case."""
    return frozenset(column.parts[0].name.lower() for column in expression_of(text).find_all(exp.Column))


def _value(context: Context, rule: ColumnRule, fields: Sequence[Field], dtype: DType | None) -> Expr:
    """The value of a generated column over these columns, as a `dtype` where that is given."""
    assert rule.generated is not None
    node = expression_of(rule.generated, context.session.macros.names(), own=context.session.own)
    _require_plain(node, rule)

    def refused(name: str) -> Any:
        raise _unsupported(rule, f"the setting or variable {name}, which may change")

    session = replace(context.session, setting=refused, variable=refused, order=DefaultOrder())
    inner = replace(context, session=session, is_dated=False)
    watched = watch(node)
    scope = Scope(None, [Relation("", tuple(fields))])
    value = ExprBinder(inner, scope, {}, "a generated column").bind(node)
    value = value if dtype is None else cast(value, dtype)
    require_read(context, node, watched)
    if inner.is_dated:
        raise _unsupported(rule, "what is another value each time")
    for part in walk(value):
        if isinstance(part, Predict) or (isinstance(part, Call) and isinstance(part.function, OwnName)):
            raise _unsupported(rule, "a model or a function that may be registered anew")
        if isinstance(part, Call | Cast) and any(holds_instants(one.dtype) for one in (part, *part.children)):
            raise _unsupported(rule, "TIMESTAMP WITH TIME ZONE, whose parts depend on the time zone")
    return value


def _require_plain(node: exp.Expr, rule: ColumnRule) -> None:
    """BindError for what no row alone tells, UnsupportedError for macros and lambdas."""
    if node.find(exp.Query) is not None:
        raise BindError(f"the generated column {rule.name} has a subquery", hint=_HINT)
    for column in node.find_all(exp.Column):
        if len(column.parts) > 1:
            raise BindError(
                f"the generated column {rule.name} names {column.sql('duckdb')}: columns stand there by their names alone",
                hint="a field of a struct is struct_extract(column, 'field')",
            )
    if node.find(exp.Lambda, exp.Comprehension) is not None:
        raise _unsupported(rule, "a lambda")
    for call in node.find_all(exp.Anonymous):
        name = macro_called(call.name)
        if name is not None:
            raise _unsupported(rule, f"the macro {name}, which may be defined anew")


def _unsupported(rule: ColumnRule, what: str) -> UnsupportedError:
    return UnsupportedError(f"the generated column {rule.name} has {what}: this is not supported", hint=_HINT)
