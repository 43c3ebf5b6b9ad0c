"""The values of PIVOT that become columns: those of an IN list, of an ENUM, or those that the rows have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from tqp.errors import ParseError
from tqp.sql.context import Context
from tqp.sql.datatypes import dtype_of
from tqp.sql.query import bind_query
from tqp.sql.scope import Cte
from tqp.sql.unpivot import of_source
from tqp.types import Kind

__all__ = ["PivotValue", "found_values", "parts_of_row", "require_written_values", "written_values"]

Ctes = Mapping[str, Cte]
_MOST: Final = 100_000
"""Values that become columns, as DuckDB's `pivot_limit`."""


@dataclass(frozen=True)
class PivotValue:
    """A value that becomes columns: what these are called by it, and its text, None for NULL."""

    name: str
    text: str | None


def found_values(context: Context, node: exp.Expr, ctes: Ctes) -> list[PivotValue]:
    """The values that the rows have, in the order of their texts; NULL is none."""
    known = exp.Not(this=exp.Is(this=node.copy(), expression=exp.Null()))
    distinct = of_source([exp.alias_(node.copy(), "x")])
    distinct.set("where", exp.Where(this=known))
    distinct.set("distinct", exp.Distinct())
    texts = exp.Select(
        expressions=[exp.cast(exp.column("x"), "VARCHAR", dialect="duckdb")],
        from_=exp.From(this=exp.Subquery(this=distinct)),
        order=exp.Order(expressions=[exp.Ordered(this=exp.Literal.number(1), nulls_first=False)]),
    )
    with context.at(node):
        found = [text for (text,) in context.rows(bind_query(context, texts, None, ctes))]
    if len(found) > _MOST:
        raise context.error(node, f"PIVOT would make columns of {len(found)} values", hint="choose some by IN (…)")
    return [PivotValue(text, text) for text in found]


def written_values(context: Context, item: exp.In, width: int, is_clause: bool) -> list[PivotValue]:
    """The values of an IN list, or of the ENUM that IN names, which are compared as texts; rows are of that many values."""
    enum = item.args.get("field")
    if enum is not None:
        return _values_of(context, enum)
    if item.args.get("query") is not None or not item.expressions:
        raise context.error(
            item, "IN of PIVOT takes a list of values", hint="leave IN out to take all values there are"
        )
    nodes: list[tuple[exp.Expr, str | None]] = []
    for node in item.expressions:
        if isinstance(node, exp.PivotAlias | exp.Alias):
            nodes.append((node.this, node.args["alias"].name))
        elif isinstance(node, exp.Tuple) and not is_clause:
            # The grammar wrote a comma for AS, and takes no rows.
            nodes.append((node.expressions[0], node.expressions[1].name))
        else:
            nodes.append((node, None))
    rows = [[_constant(part) for part in parts_of_row(node)] for node, _ in nodes]
    for row in rows:
        if len(row) != width:
            raise context.error(item, f"IN of PIVOT takes rows of {width}, not of {len(row)} values")
    constants = exp.Select(expressions=[part for row in rows for part in row])
    types = iter([field.dtype for field in bind_query(context, constants.copy(), None, {}).schema])
    with context.at(item):
        texts = iter(_texts(context, constants.expressions))
        said = [[next(texts) for _ in row] for row in rows]
        # A row is compared by the text that its texts have as one, whatever their types.
        whole = [exp.Anonymous(this="row", expressions=list(map(_text, cells))) for cells in said if len(cells) > 1]
        of_rows = iter(_texts(context, whole))
        found = [cells[0] if len(cells) == 1 else next(of_rows) for cells in said]
    kinds = [[next(types) for _ in row] for row in rows]
    counts = Counter((None if len(dtypes) > 1 else dtypes[0], text) for dtypes, text in zip(kinds, found, strict=True))
    for (_, text), count in counts.items():
        if count > 1:
            value = "NULL" if text is None else text
            raise context.error(item, f"the value {value} stands twice in the IN list of PIVOT")
    return [
        PivotValue(alias or _name_of_row(cells), text)
        for cells, text, (_, alias) in zip(said, found, nodes, strict=True)
    ]


def _values_of(context: Context, name: exp.Expr) -> list[PivotValue]:
    """The values of the ENUM of that name; BindError where the name is not that of one."""
    with context.at(name):
        dtype = dtype_of(exp.DataType.build(name.name, dialect="duckdb", udt=True), context.session.types)
    if dtype.kind is not Kind.ENUM:
        raise context.error(name, f"IN of PIVOT names an ENUM, and {name.name} is {dtype}")
    return [PivotValue(label, label) for label in dtype.labels]


def require_written_values(tree: exp.Expr, definition: str) -> None:
    """ParseError for a PIVOT whose columns depend on the rows in a definition, which keeps the columns that it has."""
    for node in tree.find_all(exp.Pivot):
        fields = node.args.get("fields")
        choices = node.expressions if fields is None else fields
        if not node.args.get("unpivot") and not all(isinstance(choice, exp.In) for choice in choices):
            raise ParseError(f"PIVOT in a {definition} takes its values from IN", hint="PIVOT … ON x IN (1, 2)")


def parts_of_row(node: exp.Expr) -> list[exp.Expr]:
    """The values of a row that is written, or the one that it is; whatever it is called."""
    if isinstance(node, exp.PivotAlias | exp.Alias):
        node = node.this
    is_row = isinstance(node, exp.Tuple) or (isinstance(node, exp.Anonymous) and node.name.lower() == "row")
    return list(node.expressions) if is_row else [node]


def _name_of_row(cells: Sequence[str | None]) -> str:
    """What a column is called by the values of a row: nothing stands before the first that is not empty, as in DuckDB."""
    name = ""
    for cell in cells:
        name = f"{name}_" * bool(name) + ("NULL" if cell is None else cell)
    return name


def _constant(node: exp.Expr) -> exp.Expr:
    """A value of an IN list, where names are texts."""
    return exp.Literal.string(node.name) if isinstance(node, exp.Column) else node.copy()


def _text(text: str | None) -> exp.Expr:
    return exp.Null() if text is None else exp.Literal.string(text)


def _texts(context: Context, constants: Sequence[exp.Expr]) -> list[str | None]:
    """The texts of constants."""
    if not constants:
        return []
    query = exp.Select(expressions=[exp.cast(node.copy(), "VARCHAR", dialect="duckdb") for node in constants])
    (found,) = context.computed(bind_query(context, query, None, {}))
    return list(found)
