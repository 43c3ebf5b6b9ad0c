"""Names: which columns a query part sees, and what a name means there."""

from __future__ import annotations

from collections.abc import Callable, Collection, Set
from dataclasses import dataclass, field, replace

from sqlglot import exp

from tqp.errors import BindError
from tqp.ir.expr import Expr
from tqp.ir.plan import Field, Plan, Schema
from tqp.keywords import quoted_name, text_constant
from tqp.sql.collected import Aggregates
from tqp.sql.context import Context, listed, near

__all__ = ["Common", "Cte", "Iterated", "Relation", "Scope", "distinct_names"]

_DATABASE = "memory"
"""Whose tables a query reads, those of files and objects as well."""


@dataclass(frozen=True)
class Relation:
    """One item of FROM: the name its columns go by (and a schema's, if written) and its columns.

    `schema` is that of a table or view under its own name.
    """

    name: str
    fields: Schema
    qualifier: str = ""
    schema: str = ""
    is_optional: bool = False
    """Whether an outer join may leave it out of a row."""
    unaliased: tuple[Field, ...] = ()
    """Columns by the names that they have except for an alias, which mean them, too, and which `*` does not show."""
    hidden: Schema = ()
    """Further columns, which names mean and `*` does not."""
    is_qualified: bool = False
    """Whether its columns go by names behind its own alone."""
    _named: dict[str, list[Field]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def called(self, name: str) -> list[Field]:
        """The columns of that name, in lower case."""
        if not self._named:
            for column in self.fields:
                self._named.setdefault(column.name.lower(), []).append(column)
            for column in (*self.unaliased, *self.hidden):
                self._named.setdefault(column.name.lower(), [column])
        return self._named.get(name, [])


@dataclass(frozen=True)
class Common:
    """A column that USING or NATURAL merged: what its bare name means, and the symbols it stands for."""

    field: Field
    members: frozenset[str]


@dataclass(frozen=True)
class Iterated:
    """A recursive query within its own step: the name of its recursion.

    And the columns of the rows that came last, and of the `whole` of them so far.
    """

    name: str
    fields: Schema
    whole: Schema


@dataclass(frozen=True)
class Cte:
    """A query under WITH, bound at its first use in the scope it was defined in."""

    node: exp.Expr
    columns: tuple[str, ...]
    scope: Scope | None
    ctes: dict[str, Cte]
    bound: list[Plan] = field(default_factory=list)
    recursive: bool = False
    """It may read itself."""
    circular: bool = False
    """Nobody may read it here: what does is what it begins with."""
    iterated: Iterated | None = None
    """Within its step: what it gave before."""

    @property
    def query(self) -> exp.Expr:
        """The query as written, one that may read itself without brackets around it; to read it is to use it."""
        query: exp.Expr = self.node.this
        while self.recursive and isinstance(query, exp.Subquery | exp.Paren):
            query = query.this
        return query


@dataclass
class Scope:
    """The relations of one SELECT, and the scope around it for correlated names.

    `aggregates` collects the SELECT's aggregate calls while a clause that may hold some is bound, so that those of
    subqueries that read its columns alone find their way here.
    """

    parent: Scope | None = None
    relations: list[Relation] = field(default_factory=list)
    common: dict[str, tuple[Common, ...]] = field(default_factory=dict)
    """By name in lower case; several where joins that do not meet merged columns of one name."""
    aggregates: Aggregates | None = None
    aliases: Callable[[exp.Column], Expr | None] | None = None
    """Around a subquery: what a name means as an alias of the SELECT list there; None for one that is none."""
    outputs: set[str] = field(default_factory=set)
    """The symbols of output columns, which aliases mean in ORDER BY and DISTINCT ON."""

    def extended(self, other: Scope) -> Scope:
        """This scope with the relations of `other` after its own (the parent stays)."""
        names = dict.fromkeys([*self.common, *other.common])
        common = {name: (*self.common.get(name, ()), *other.common.get(name, ())) for name in names}
        return Scope(self.parent, [*self.relations, *other.relations], common)

    def find(self, name: str, table: str | None = None, qualifier: str | None = None) -> list[tuple[str, Field]]:
        """The columns that a name means here, without the scopes around, each with its qualified name.

        A merged column goes before others of its name.
        """
        key = name.lower()
        common = self.common.get(key) if table is None else None
        if common:
            return [(name, merged.field) for merged in common]
        found = [
            (relation, column)
            for relation in self.relations
            if _called(relation, table, qualifier) and not (relation.is_qualified and table is None)
            for column in relation.called(key)
        ]
        if len(found) == 1:
            ((relation, column),) = found
            return [(f"{relation.name}.{column.name}" if relation.name else column.name, column)]
        return [
            (f"{self._shown(relation)}.{column.name}" if relation.name else column.name, column)
            for relation, column in found
        ]

    def _shown(self, relation: Relation) -> str:
        """The name of a relation, with its schema where another one has that name."""
        same = [one for one in self.relations if one.name.lower() == relation.name.lower()]
        return f"{relation.schema}.{relation.name}" if len(same) > 1 and relation.schema else relation.name

    def symbols(self) -> set[str]:
        """The symbols of this scope alone: its columns, and the aggregates over them."""
        found = {column.symbol for relation in self.relations for column in (*relation.fields, *relation.hidden)}
        found |= {common.field.symbol for several in self.common.values() for common in several}
        return found | (self.aggregates.symbols if self.aggregates is not None else set())

    def _has_one_of(self, read: Set[str]) -> bool:
        """Whether it has one of the symbols, which are few beside its own."""
        if self.aggregates is not None and not self.aggregates.symbols.isdisjoint(read):
            return True
        if not self.outputs.isdisjoint(read):
            return True
        columns = (column for relation in self.relations for column in (*relation.fields, *relation.hidden))
        merged = (common.field for several in self.common.values() for common in several)
        return any(column.symbol in read for some in (columns, merged) for column in some)

    def owner(self, read: Set[str]) -> Scope | None:
        """The innermost scope that has one of the symbols; None where none has."""
        scope: Scope | None = self
        while scope is not None:
            if scope._has_one_of(read):
                return scope
            scope = scope.parent
        return None

    def optional(self) -> Scope:
        """This scope with relations that an outer join may leave out of a row."""
        return replace(self, relations=[replace(item, is_optional=True) for item in self.relations])

    def relation(self, name: str) -> Relation | None:
        """The relation of that name here; BindError where there are two of them."""
        return _only([item for item in self.relations if item.name.lower() == name.lower()], name)

    def columns(self, hidden: Collection[str] = ()) -> list[tuple[str, Field]]:
        """What `*` means: every column by its name, merged ones once, where they first stand; without the symbols `hidden`."""
        result: list[tuple[str, Field]] = []
        done: set[str] = set()
        for relation in self.relations:
            for column in relation.fields:
                if column.symbol in hidden:
                    continue
                merged = [c for c in self.common.get(column.name.lower(), ()) if column.symbol in c.members]
                if not merged:
                    result.append((column.name, column))
                elif merged[0].field.symbol not in done:
                    done.add(merged[0].field.symbol)
                    result.append((column.name, merged[0].field))
        return result

    def names(self) -> list[str]:
        """All column names seen from here."""
        scope: Scope | None = self
        names: list[str] = []
        while scope is not None:
            names.extend(column.name for relation in scope.relations for column in relation.fields)
            scope = scope.parent
        return names

    def tables(self) -> list[str]:
        """All relation names seen from here."""
        scope: Scope | None = self
        names: list[str] = []
        while scope is not None:
            names.extend(relation.name for relation in scope.relations if relation.name)
            scope = scope.parent
        return names

    def resolve(self, context: Context, node: exp.Column, *, outwards: bool = True) -> Field | None:
        """The column that a name means from here outwards, or here alone; None for none, BindError where it means several."""
        meta = node._meta
        if meta and "field" in meta:
            # What COLUMNS(…) chose.
            chosen: Field = meta["field"]
            return chosen
        table, qualifier = node.table or None, node.db or None
        if node.catalog and node.catalog.lower() != _DATABASE:
            return None
        scope: Scope | None = self
        while scope is not None:
            found = scope.find(node.name, table, qualifier)
            if len(found) > 1:
                raise context.error(
                    node,
                    f"column name {node.name} is ambiguous",
                    hint=f"it can be {' or '.join(qualified for qualified, _ in found)}",
                )
            if found:
                return found[0][1]
            scope = scope.parent if outwards else None
        return None

    def alias(self, node: exp.Column) -> Expr | None:
        """What a name means as an alias of a query around; None for a nearer column and for any other name."""
        scope: Scope | None = self
        while scope is not None:
            found = None if scope.aliases is None else scope.aliases(node)
            if found is not None or scope.find(node.name, node.table or None, node.db or None):
                return found
            scope = scope.parent
        return None

    def row(self, name: str, qualifier: str | None) -> Relation | None:
        """The relation that a name means which no column has: as a value, its rows as structs; BindError where it means two."""
        scope: Scope | None = self
        while scope is not None:
            found = _only([one for one in scope.relations if one.fields and _called(one, name, qualifier)], name)
            if found is not None:
                return found
            scope = scope.parent
        return None

    def unknown(self, context: Context, node: exp.Column, aliases: tuple[str, ...] = ()) -> Exception:
        """The error for a name that nothing here has."""
        if node.table and node.table.lower() not in map(str.lower, self.tables()):
            column = next((field for item in self.relations for field in item.called(node.table.lower())), None)
            if column is not None and not node.db:
                hint = "a struct or JSON has fields: as in s.field"
                return context.error(node, f"column {node.table} is {column.dtype}, which has no fields", hint=hint)
            tables = self.tables()
            hint = f"tables here: {', '.join(tables)}" if tables else "the query has no FROM"
            return context.error(node, f"no table {node.table} in this query", hint=hint)
        names = [*self.names(), *aliases]
        if node.table:
            names = [
                column.name for item in self.relations if _called(item, node.table, None) for column in item.fields
            ] or names
        spaced = [quoted_name(name) for name in names if name.lower().startswith(f"{node.name.lower()} ")]
        found = f"a name with blanks is quoted: {', '.join(spaced[:3])}" if spaced else near(node.name, names)
        hint = found or (f"columns: {listed(names)}" if names else "the query has no FROM")
        if isinstance(node.this, exp.Identifier) and node.this.args.get("quoted") and not node.table:
            hint = f"a text is written in single quotes: {text_constant(node.name)}; {hint}"
        table = f"{node.db}.{node.table}" if node.db else node.table
        where = f" in {table}" if table else ""
        return context.error(node, f"no column {node.name}{where}", hint=hint)


def _only(found: list[Relation], name: str) -> Relation | None:
    if len(found) > 1:
        raise BindError(f"table name {name} stands twice in FROM", hint="give one an alias")
    return found[0] if found else None


def _called(relation: Relation, table: str | None, qualifier: str | None) -> bool:
    if table is None:
        return True
    if relation.name.lower() != table.lower():
        return False
    return qualifier is None or relation.schema.lower() == qualifier.lower()


def distinct_names(schema: Schema) -> Schema:
    """The columns of a derived table: a name met again gets _1, _2, …."""
    seen: set[str] = set()
    result = []
    for column in schema:
        name, count = column.name, 0
        while name.lower() in seen:
            count += 1
            name = f"{column.name}_{count}"
        seen.add(name.lower())
        result.append(column if name == column.name else replace(column, name=name))
    return tuple(result)
