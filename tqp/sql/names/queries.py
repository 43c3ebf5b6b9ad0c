"""Names of subqueries: their clauses one after the other, joins in parentheses."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from tqp.keywords import identifier
from tqp.sql.chains import chain
from tqp.sql.dialect import dialect_named
from tqp.sql.grammar.nearest import clause_of
from tqp.sql.names.printer import Printer, shows

__all__ = ["query_text"]

_SHOWN: Final = frozenset({
    "expressions", "from_", "joins", "where", "group", "having", "qualify", "order", "limit", "offset", "distinct",
    "windows", "with_",
})  # fmt: skip
"""Clauses that are shown, or as of WINDOW are not; a query with others keeps its text."""
_OF_TABLES: Final = frozenset({"this", "db", "catalog", "alias", "joins"})


class _NotShown(Exception):
    """A clause whose form is not known here."""


def query_text(printer: Printer, node: exp.Expr) -> str:
    """A query as DuckDB shows it; as it is written where a clause is not known here."""
    inner = node.unnest()
    try:
        return _query(printer, inner)
    except _NotShown:
        return str(inner.sql(dialect_named("duckdb"), comments=False))


@shows(exp.Select, exp.Subquery, exp.Union, exp.Except, exp.Intersect, exp.Values)
def _subquery(printer: Printer, node: exp.Expr) -> str:
    return f"({query_text(printer, node)})"


@shows(exp.Exists)
def _exists(printer: Printer, node: exp.Exists) -> str:
    return f"EXISTS({query_text(printer, node.this)})"


def _query(printer: Printer, node: exp.Expr) -> str:
    if isinstance(node, exp.SetOperation):
        return " ".join([_set_operation(printer, *chain(node)), *_tail(printer, node)])
    if isinstance(node, exp.Values):
        rows = ", ".join(f"({printer.many(row.expressions)})" for row in node.expressions)
        first = [] if node.args.get("with_") is None else [_with(printer, node.args["with_"])]
        return " ".join([*first, f"SELECT * FROM (VALUES {rows}) AS valueslist", *_tail(printer, node)])
    if not isinstance(node, exp.Select) or any(value and key not in _SHOWN for key, value in node.args.items()):
        raise _NotShown
    args = node.args
    parts = ["SELECT"] if args.get("with_") is None else [_with(printer, args["with_"]), "SELECT"]
    distinct = args.get("distinct")
    if distinct is not None:
        on = distinct.args.get("on")
        parts.append("DISTINCT" if on is None else f"DISTINCT ON ({printer.many(on.expressions)})")
    parts.append(", ".join(_item(printer, item) for item in node.expressions))
    if args.get("from_") is not None:
        parts += ["FROM", _joined(printer, _table(printer, args["from_"].this), args.get("joins") or [])]
    if args.get("where") is not None:
        parts += ["WHERE", printer.show(args["where"].this)]
    group = args.get("group")
    if group is not None:
        sets = any(value for key, value in group.args.items() if key not in ("expressions", "all"))
        if sets or not all(isinstance(key, exp.Column | exp.Literal | exp.Func) for key in group.expressions):
            raise _NotShown
        parts += ["GROUP BY", "ALL" if group.args.get("all") else printer.many(group.expressions)]
    for key, word in (("having", "HAVING"), ("qualify", "QUALIFY")):
        if args.get(key) is not None:
            parts += [word, printer.show(args[key].this)]
    return " ".join([*parts, *_tail(printer, node)])


def _set_operation(printer: Printer, first: exp.Expr, steps: list[exp.SetOperation]) -> str:
    """The queries in brackets; as DuckDB shows it, no space is before the word that leads to the third one or a later one."""
    word = f"{steps[0].key.upper()}{'' if steps[0].args.get('distinct') else ' ALL'}"
    if steps[0].args.get("by_name"):
        word += " BY NAME"
    queries = [
        f"({_query(printer, _of_values(one.unnest()))})" for one in (first, *(step.expression for step in steps))
    ]
    return f"{queries[0]} " + "".join([f"{word} {query}" for query in queries[1:]])


def _tail(printer: Printer, node: exp.Expr) -> list[str]:
    parts = []
    for key, word in (("order", "ORDER BY"), ("limit", "LIMIT"), ("offset", "OFFSET")):
        clause = node.args.get(key)
        if clause is None:
            continue
        if isinstance(clause, exp.Fetch):
            raise _NotShown
        shown = printer.many(clause.expressions) if key == "order" else printer.show(clause.expression)
        parts.append(f"{word} {shown}")
    return parts


def _with(printer: Printer, node: exp.With) -> str:
    tables, recursive = [], bool(node.args.get("recursive"))
    for table in node.expressions:
        alias, materialized = table.args["alias"], table.args.get("materialized")
        if not isinstance(table, exp.CTE) or table.args.get("key_expressions"):
            raise _NotShown
        columns = f" ({', '.join(identifier(column.name) for column in alias.columns)})" if alias.columns else ""
        how = "" if materialized is None else "MATERIALIZED " if materialized else "NOT MATERIALIZED "
        query = _of_values(table.this.unnest())
        if recursive and isinstance(query, exp.Union) and not query.args.get("by_name"):
            # What it begins with is a query by itself.
            shown = " ".join([_set_operation(printer, query.this, [query]), *_tail(printer, query)])
        else:
            shown = _query(printer, query)
        tables.append(f"{identifier(alias.name)}{columns} AS {how}({shown})")
    return f"WITH {'RECURSIVE ' if recursive else ''}{', '.join(tables)}"


def _of_values(query: exp.Expr) -> exp.Expr:
    """The query of a WITH, or a side of a set operation; VALUES, which the parser puts into a SELECT there, as they are."""
    source = query.args.get("from_")
    values = None if source is None else source.this
    return values if isinstance(values, exp.Values) and values.alias == "_values" else query


def _item(printer: Printer, item: exp.Expr) -> str:
    if isinstance(item, exp.Star) and any(item.args.values()):
        raise _NotShown
    shown = printer.show(item)
    return f"{shown} AS {identifier(item.alias)}" if isinstance(item, exp.Alias) else shown


def _joined(printer: Printer, shown: str, joins: list[exp.Join]) -> str:
    """What is shown already, with what it is joined with."""
    before = ""
    for join in joins:
        right = _table(printer, join.this)
        if not any(value for key, value in join.args.items() if key != "this"):
            # A comma binds weaker than the joins behind it.
            before, shown = f"{before}{shown} , ", right
            continue
        words = [str(join.args[key]).upper() for key in ("method", "side", "kind") if join.args.get(key)]
        if not set(words).intersection({"LEFT", "RIGHT", "FULL", "CROSS", "SEMI", "ANTI", "INNER", "POSITIONAL"}):
            words.append("INNER")
        clause = clause_of(join)
        if clause is not None:
            way, by = "APPROX" if clause.approximate else "EXACT", "SIMILARITY" if clause.descending else "DISTANCE"
            ranked = f" {way} NEAREST {int(clause.rows)} BY {by} {printer.show(clause.ranking)}"
            shown = f"({shown} {' '.join(word for word in words if word != 'OUTER')} JOIN {right}{ranked})"
            continue
        condition = f" ON ({printer.show(join.args['on'])})" if join.args.get("on") is not None else ""
        if join.args.get("using"):
            condition = f" USING ({', '.join(identifier(column.name) for column in join.args['using'])})"
        shown = f"({shown} {' '.join(word for word in words if word != 'OUTER')} JOIN {right}{condition})"
    return before + shown


def _table(printer: Printer, node: exp.Expr) -> str:
    alias = node.args.get("alias")
    if isinstance(node, exp.Table) and not {key for key, value in node.args.items() if value} - _OF_TABLES:
        names = [part if isinstance(part, exp.Func) else identifier(part.name) for part in node.parts]
        shown = ".".join(name if isinstance(name, str) else printer.show(name) for name in names)
    elif isinstance(node, exp.Subquery):
        shown = f"({_query(printer, node.this.unnest())})"
    elif isinstance(node, exp.Values):
        shown = f"({_query(printer, node)})"
    elif isinstance(node, exp.Lateral):
        # The word LATERAL is not shown.
        shown = _table(printer, node.this)
    elif isinstance(node, exp.Unnest) and not node.args.get("offset"):
        shown = f"unnest({printer.many(node.expressions)})"
    else:
        raise _NotShown
    if alias is not None:
        columns = f"({', '.join(identifier(column.name) for column in alias.columns)})" if alias.columns else ""
        shown = f"{shown} AS {identifier(alias.name)}{columns}"
    return _joined(printer, shown, node.args.get("joins") or [])
