"""Scalar expressions: from syntax to typed `Expr`.

What a kind of syntax node means is a function registered with `@handles`; a node without one is a call of the
function named by its key, so a new SQL function needs no change here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from sqlglot import exp

from tqp.errors import BindError, TqpError, UnsupportedError
from tqp.functions.aggregates import find_aggregate
from tqp.functions.registry import is_registered
from tqp.functions.structs import extract, pack
from tqp.ir.expr import Expr, Literal
from tqp.ir.visit import subplans
from tqp.sql.collations import collated, collation_of
from tqp.sql.collected import Aggregates, Unnests, Windows
from tqp.sql.context import Context
from tqp.sql.operators import call, choose, flat
from tqp.sql.refusals import refusal, spoken, written_name
from tqp.sql.scope import Cte, Relation, Scope
from tqp.sql.unread import discard, operands
from tqp.stack import deep
from tqp.types import JSON, NULL, VARIANT, Kind

__all__ = ["ExprBinder", "bare", "handles", "has_meaning", "named"]

Handler = Callable[["ExprBinder", Any], Expr]
_HANDLERS: dict[type[exp.Expr], Handler] = {}
_NAMED: dict[str, Handler] = {}
_BARE: dict[str, Handler] = {}
_ALIAS: Final = "alias"
"""In the place of a table, where none is called so, it says that an alias of the SELECT list is meant."""
_AROUND_FIRST: Final = frozenset({"QUALIFY", "a window", "an aggregate"})
"""The clauses in which a column of a query around comes before an alias."""


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


def bare(name: str) -> Callable[[Handler], Handler]:
    """Register what a name (in lower case) means where it is no column: a function that is called without parentheses."""

    def register(handler: Handler) -> Handler:
        _BARE[name] = handler
        return handler

    return register


def has_meaning(node: exp.Expr) -> bool:
    """Whether a call means something here: by a handler of its own, or as a function of its key or name."""
    if isinstance(node, exp.Anonymous):
        name = node.name.lower()
        return name in _NAMED or is_registered(name) or find_aggregate(name) is not None
    return type(node) in _HANDLERS or is_registered(node.key)


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
    whole: exp.Expr | None = None
    """All that is bound, in clauses where an alias is no part of an expression."""
    aggregates: Aggregates | None = None
    windows: Windows | None = None
    unnests: Unnests | None = None
    """Collects the lists that are unnested; without it those are an error in `clause`."""
    grouped: Unnests | None = None
    """The lists by whose elements rows were grouped: they mean these elements."""
    lambdas: Mapping[str, Expr] = field(default_factory=dict)
    """The parameters of the lambdas around, by their names in lower case: before any column."""
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
            found = _HANDLERS.get(type(node), _function)(self, node)
            self.context.stands(found, node)
            return found
        except TqpError as error:
            self.context.locate(error, node)
            if not isinstance(error, UnsupportedError):
                raise
            self.context.gaps.append(error)
            discard(node)
            return Literal(None, NULL)

    def of_rows(self, clause: str) -> ExprBinder:
        """What binds a part of the clause, called `clause`, over single rows: it collects nothing."""
        return ExprBinder(
            self.context,
            self.scope,
            self.ctes,
            clause,
            self.aliases,
            whole=self.whole,
            lambdas=self.lambdas,
            _open_aliases=self._open_aliases,
            _bound_aliases=self._bound_aliases,
        )

    def within_unnest(self) -> ExprBinder:
        """What binds the list that is unnested: it may hold aggregates and windows, but no other one."""
        return replace(self, unnests=None, grouped=None, clause="unnest")

    def column(self, node: exp.Column) -> Expr:
        """What a name means: a column of FROM, else an alias of the SELECT list, else that of a query around this one.

        Where groups and windows are computed, and in QUALIFY, such a column comes before an alias.
        """
        if isinstance(node.this, exp.Star):
            raise self.context.error(node, f"* is not allowed in {self.clause}")
        parts = node.parts
        parameter = self.lambdas.get(parts[0].name.lower()) if self.lambdas else None
        if parameter is not None:
            return fields_of(parameter, parts[1:])
        # An alias within its own definition means the column.
        name = node.name.lower()
        if len(parts) == 2 and parts[0].name.lower() == _ALIAS and name in self.aliases and not self._is_column(node):
            return self._alias(node, self.aliases[name])
        hidden = node.table or name in self._open_aliases or (node._meta and "field" in node._meta)
        alias = None if hidden else self.aliases.get(name)
        if alias is not None and self.aliases_first:
            return self._alias(node, alias)
        if alias is None and self.scope.parent is not None and not (node._meta and "field" in node._meta):
            around = self.scope.alias(node)
            if around is not None:
                return around
        found = self.scope.resolve(self.context, node)
        if alias is not None and found is not None and not self._is_nearer(node):
            return self._alias(node, alias)
        if found is not None:
            self.context.wrote(found.symbol, node.name)
            if self.aggregates is not None:
                self.aggregates.places.setdefault(found.symbol, node)
            return found.ref
        row = self.scope.row(node.name, node.table or None) if len(parts) <= 2 else None
        if row is not None and not node.table:
            return self._row_of(node, row)
        if alias is not None:
            return self._alias(node, alias)
        within = self._field_of(node)
        if within is not None:
            return within
        if not node.table and name in _BARE:
            return _BARE[name](self, node)
        if row is not None:
            return self._row_of(node, row)
        raise self.scope.unknown(self.context, node, tuple(self.aliases))

    def _is_column(self, node: exp.Column) -> bool:
        """Whether `a.b` is a column of a table a, or the field of a column."""
        scope: Scope | None = self.scope
        while scope is not None:
            if scope.find(node.name, node.table) or scope.find(node.table):
                return True
            scope = scope.parent
        return False

    def _is_nearer(self, node: exp.Column) -> bool:
        """Whether a column comes before an alias of its name: one of FROM does, and one of a query around in some clauses."""
        return self.clause in _AROUND_FIRST or self.scope.resolve(self.context, node, outwards=False) is not None

    def _row_of(self, node: exp.Expr, relation: Relation) -> Expr:
        """A row of a relation, which its name means where no column is called so: a struct."""
        if self.aggregates is not None:
            for column in relation.fields:
                self.aggregates.places.setdefault(column.symbol, node)
        return pack([column.name for column in relation.fields], [column.ref for column in relation.fields])

    def _field_of(self, node: exp.Column) -> Expr | None:
        """What `s.f`, `t.s.f`, `main.t.s.f` or `s.f.g` means where no table is called so: a field of a struct, of JSON or
        of a VARIANT; None elsewhere."""
        parts = node.parts
        for size in reversed(range(1, len(parts))):
            column = exp.Column(**dict(zip(("this", "table", "db"), reversed(parts[:size]), strict=False)))
            found = self.scope.resolve(self.context, column)
            if found is not None and (
                found.ref.dtype.is_record
                or found.ref.dtype.kind is Kind.MAP
                or found.ref.dtype in (JSON, NULL, VARIANT)
            ):
                return fields_of(found.ref, parts[size:])
        return None

    def alias(self, node: exp.Column) -> Expr | None:
        """What a name means as an alias of the SELECT list, where no column of FROM comes first; None for any other."""
        name = node.name.lower()
        target = self.aliases.get(name)
        if target is None:
            return None
        is_said = len(node.parts) == 2 and node.table.lower() == _ALIAS and not self._is_column(node)
        if not is_said and (node.table or name in self._open_aliases):
            return None
        if not is_said and not self.aliases_first and self.scope.find(node.name):
            return None
        return self._alias(node, target)

    def _alias(self, node: exp.Column, target: exp.Expr | Expr) -> Expr:
        if self.whole is not None and node is not self.whole:
            raise self.context.error(
                node,
                f"{node.name} is an alias, which is no part of an expression in {self.clause}",
                hint="write what it stands for",
            )
        if isinstance(target, Expr):
            return target
        inside = self._open_aliases | {node.name.lower()}
        key = (id(target), inside, self.clause, self.aggregates is None, self.windows is None)
        known = self._bound_aliases.get(key)
        if known is None:
            whole = None if self.whole is None else node
            known = replace(self, aliases_first=False, whole=whole, _open_aliases=inside).bind(target)
            if any(True for _ in subplans(known)):
                # A subquery may stand but once in a plan, so that this one is bound anew for each use.
                self.context.copied(node)
            else:
                self._bound_aliases[key] = known
        return known


def fields_of(value: Expr, parts: Sequence[exp.Expr]) -> Expr:
    """The field of a field … of a struct, by their names."""
    for part in parts:
        value = extract(value, part.name)
    return value


@handles(exp.Identifier)
def _parameter_of_lambda(binder: ExprBinder, node: exp.Identifier) -> Expr:
    found = binder.lambdas.get(node.name.lower())
    if found is None:
        raise binder.context.error(node, f"no column {node.name}")
    return found


@handles(exp.Column)
def _column(binder: ExprBinder, node: exp.Column) -> Expr:
    return binder.column(node)


@handles(exp.Paren, exp.Alias)
def _inner(binder: ExprBinder, node: exp.Expr) -> Expr:
    return binder.bind(node.this)


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


@handles(exp.Case)
def _case(binder: ExprBinder, node: exp.Case) -> Expr:
    operand, default = node.this, node.args.get("default")
    conditions, values = [], []
    for branch in node.args["ifs"]:
        when = binder.bind(branch.this)
        # Bound anew for each branch: a subquery in it may stand but once in a plan.
        conditions.append(when if operand is None else call("eq", binder.bind(operand), when))
        if operand is not None and operand.find(exp.Window, exp.Unnest, exp.Explode) is not None:
            # As in DuckDB: what is numbered for rows beside the operand is so once for each branch.
            parent, operand = operand.parent, operand.copy()
            operand.parent = parent
        values.append(binder.bind(branch.args["true"]))
    return choose(conditions, values, Literal(None, NULL) if default is None else binder.bind(default))


@handles(exp.If)
def _if(binder: ExprBinder, node: exp.If) -> Expr:
    default = node.args.get("false")
    value = binder.bind(node.args["true"])
    return choose([binder.bind(node.this)], [value], Literal(None, NULL) if default is None else binder.bind(default))


@handles(exp.Collate)
def _collate(binder: ExprBinder, node: exp.Collate) -> Expr:
    binder.context.collates.append(node)
    return collated(binder.bind(node.this), collation_of(node.expression))


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
    return _called(binder, name, node, args)


def _function(binder: ExprBinder, node: exp.Expr) -> Expr:
    """A node without a meaning of its own: the function named by its key, on its parts as declared."""
    if not isinstance(node, exp.Func | exp.Binary | exp.Unary):
        raise UnsupportedError(f"{spoken(node)} is not supported in {binder.clause}")
    return _called(binder, node.key, node, [binder.bind(part) for part in operands(node)])


def _called(binder: ExprBinder, name: str, node: exp.Expr, args: list[Expr]) -> Expr:
    if not is_registered(name):
        raise refusal(written_name(node, binder.context.text))
    return call(name, *args)
