"""`#2`: a column of FROM by its number."""

from __future__ import annotations

import re

from sqlglot import exp

from tqp.ir.expr import Expr
from tqp.ir.plan import Field
from tqp.sql.context import Context
from tqp.sql.expr import ExprBinder, handles
from tqp.sql.scope import Scope

__all__ = ["column_numbered"]


def column_numbered(context: Context, scope: Scope, node: exp.PositionalColumn) -> Field:
    """The column, counted over all relations of FROM from 1, those that USING merged too; BindError beyond the last."""
    columns = [column for relation in scope.relations for column in relation.fields]
    # Python does not read any number of digits; `#1.5` and `#1.a` have none to the parser.
    digits = node.name if node.name.isdigit() else "0"
    number = int(digits[:20])
    if 1 <= number <= len(columns):
        return columns[number - 1]
    written = re.search(rf"#\s*{re.escape(node.name)}", context.text)
    if written is not None:
        # The parser does not say where it stands.
        node.meta.update(start=written.start(), end=written.end() - 1)
    known = f"FROM has {len(columns)} columns" if columns else "the query has no FROM"
    raise context.error(node, f"there is no column #{node.name}", hint=known)


@handles(exp.PositionalColumn)
def _value(binder: ExprBinder, node: exp.PositionalColumn) -> Expr:
    found = column_numbered(binder.context, binder.scope, node)
    if binder.aggregates is not None:
        binder.aggregates.places.setdefault(found.symbol, node)
    return found.ref
