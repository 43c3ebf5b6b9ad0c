"""The binder's entrance: text in, typed plan out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from tqp.errors import BindError, TqpError, UnsupportedError
from tqp.ir.inputs import Input
from tqp.ir.plan import Plan
from tqp.ir.visit import definitions, expressions, walk, walk_query
from tqp.sql import intervals, patterns, predicates, predict, select
from tqp.sql.context import Context, Lookup, Models, Parameters
from tqp.sql.enumerations import require_text_order
from tqp.sql.other_dialects import as_meant, check_types
from tqp.sql.parameters import fixed, given
from tqp.sql.parse import parse_strictly
from tqp.sql.query import bind_query
from tqp.sql.unread import all_read, clause_of, unread, watch
from tqp.sql.written import Followed, Written
from tqp.types import ARRAY_ELEMENTS, Kind

__all__ = ["BoundQuery", "Lookup", "Models", "Parameters", "bind"]

# Imported so that they register what their syntax means.
assert all(module.__name__ for module in (intervals, patterns, predicates, predict, select))


@dataclass(frozen=True)
class BoundQuery:
    """A query that fits its tables: `plan.schema` has the result's column names and types."""

    plan: Plan


def bind(
    text: str,
    lookup: Lookup,
    params: Parameters = None,
    read: str = "duckdb",
    known: Callable[[], Iterable[str]] | None = None,
    models: Models | None = None,
    written: Written | None = None,
    inputs: Sequence[Input] = (),
) -> BoundQuery:
    """Bind the one query in `text`.

    `lookup` gives the table (or view) of a name as written, a file's path included, or None; `known` lists table
    names for hints; `models` has what PREDICT can call. `params` are the values of `?` and `$1` (a sequence) or
    `$name` (a mapping). `read` is the dialect. `written` is the text in words, of which `inputs` are the literals.
    Raises ParseError, BindError, or one UnsupportedError that lists all that tqp does not do yet.
    """
    context = Context(text, lookup, known, given(fixed(params)), models or Models())
    # The parser accepts more than SQL. What tqp does not run has the better message, so `wrong` waits.
    tree, wrong = parse_strictly(text, read, None if written is None else written.tokens)
    if read != "duckdb":
        as_meant(context, tree, read)
    if written is None:
        watched = watch(tree)
    else:
        followed = Followed(written, inputs)
        watched = watch(tree, followed)
        followed.fix_others()
    try:
        plan = bind_query(context, tree, None, {})
    except UnsupportedError as gap:
        context.gaps.append(gap)
        context.raise_gaps()
        raise
    except TqpError as error:
        # After a gap, or for a text that is no SQL, an error may be no more than its consequence.
        context.raise_gaps()
        raise (wrong or error).with_text(text) from None
    except RecursionError:
        raise UnsupportedError("the query is nested too deeply", hint="split it with WITH", text=text) from None
    _check_lists(context, plan)
    if read != "duckdb":
        check_types(context, plan, read)
    if not all_read(watched):
        _check_unread(context, tree)
    context.raise_gaps()
    if wrong is not None:
        raise wrong
    _check_parameters(context, tree)
    require_text_order(plan, text)
    return BoundQuery(plan)


def _check_lists(context: Context, plan: Plan) -> None:
    """A gap for each written list that took no type which columns have."""
    if not context.lists:
        return
    nodes = (node for tree in (plan, *definitions(plan)) for node in walk_query(tree))
    for part in (part for node in nodes for expr in expressions(node) for part in walk(expr)):
        if part.dtype.element is None or part not in context.lists:
            continue
        if part.dtype.kind is Kind.LIST:
            hint = f"give it a size: […]::FLOAT[{part.dtype.size}]"
            context.gap(context.lists[part], "a list without a fixed size is not supported", hint=hint)
        elif part.dtype.element not in ARRAY_ELEMENTS:
            hint = f"elements may be {', '.join(map(str, ARRAY_ELEMENTS))}: cast it"
            context.gap(context.lists[part], f"arrays of {part.dtype.element} are not supported", hint=hint)


def _check_unread(context: Context, tree: exp.Expr) -> None:
    """A gap for each part of the query that was not looked at."""
    for node, name in unread(tree):
        value = node.args[name]
        first = value[0] if isinstance(value, list) else value
        context.gap(first if isinstance(first, exp.Expr) else node, f"{clause_of(node, name)} is not supported")


def _check_parameters(context: Context, tree: exp.Expr) -> None:
    """BindError for a value that nothing in the text asks for; what asks may be a WITH that is not read."""
    params = context.params
    given = set(params) if isinstance(params, Mapping) else set(map(str, range(1, len(params or ()) + 1)))
    if not given:
        return
    unused = given - {node.name for node in tree.find_all(exp.Parameter, exp.Placeholder)}
    if unused:
        names = ", ".join(f"${name}" for name in sorted(unused))
        raise BindError(f"values given for parameters that the query does not have: {names}")
