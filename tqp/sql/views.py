"""Views: queries under a name, bound where they are used."""

from __future__ import annotations

from sqlglot import exp

from tqp.catalog.definitions import View
from tqp.errors import TqpError
from tqp.ir.plan import Plan
from tqp.sql.context import Context
from tqp.sql.expansion import expand
from tqp.sql.known_names import require_known_names
from tqp.sql.parse import parse_strictly
from tqp.sql.query import bind_query
from tqp.sql.reading import require_read
from tqp.sql.unread import watch

__all__ = ["view_plan"]


def view_plan(context: Context, node: exp.Expr, view: View) -> Plan:
    """The plan of the view over what its names mean now, the same one for each use in a query.

    BindError for a view that reads itself, and for one that does not fit its tables any more.
    """
    known = context.views.get(view)
    if known is not None:
        return known
    if view in context.opened:
        raise context.error(node, f"the view {view.name} reads itself", hint="define it anew: CREATE OR REPLACE VIEW")
    inner = context.within(view, node)
    try:
        tree, wrong = parse_strictly(view.text, macros=context.session.macros.names(), own=context.session.own)
        expand(inner, tree)
        calls: list[exp.Func] = []
        watched = watch(tree, calls=calls)
        require_known_names(inner, calls)
        plan = bind_query(inner, tree, None, {})
        require_read(inner, tree, watched)
        if wrong is not None:
            raise wrong
    except TqpError as error:
        raise error.with_text(view.text) from None
    context.leave(inner)
    context.views[view] = plan
    return plan
