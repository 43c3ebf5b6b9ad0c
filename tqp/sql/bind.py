"""The binder's entrance: text in, typed plan out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sqlglot import exp
from sqlglot.errors import SqlglotError

from tqp.errors import BindError, QueryInterruptedError, TqpError, UnsupportedError
from tqp.ir.inputs import Input
from tqp.ir.plan import Plan
from tqp.sql import (
    arithmetic,
    blobs,
    casts,
    clauses,
    current,
    date_parts,
    formats,
    given_values,
    hive_names,
    intervals,
    json,
    macros,
    moments,
    operator_calls,
    patterns,
    postgres_functions,
    predicates,
    predict,
    privileges,
    sequences,
    set_operations,
    sorted_lists,
    texts,
    unions,
    unnest,
)  # fmt: skip
from tqp.sql.assign import Target
from tqp.sql.collations import by_default, without_marks
from tqp.sql.context import Context, Lookup, Models, Parameters, Rows
from tqp.sql.dialect import dialect_named
from tqp.sql.expansion import expand
from tqp.sql.gathering import FEWEST_LETTERS, Gathered, Scattered, gathered, in_place
from tqp.sql.known_names import require_known_names
from tqp.sql.other_dialects import as_meant, check_types
from tqp.sql.parameters import fixed, given
from tqp.sql.parse import parse_strictly
from tqp.sql.places import Places
from tqp.sql.query import bind_query
from tqp.sql.randoms import with_numbered_rows
from tqp.sql.reading import require_read
from tqp.sql.semantics import with_semantics
from tqp.sql.session import Session
from tqp.sql.stand_ins import with_default_cells
from tqp.sql.unread import watch
from tqp.sql.words import words
from tqp.sql.written import Followed, Written
from tqp.sql.zones import with_zone

__all__ = ["BoundQuery", "Lookup", "Models", "Parameters", "bind"]

# Imported so that they register what their syntax means.
assert all(
    module.__name__
    for module in (
        arithmetic, blobs, casts, clauses, current, date_parts, formats, given_values, hive_names, intervals, json, macros,
        moments, operator_calls, patterns, postgres_functions, predicates, predict, privileges, sequences, set_operations,
        sorted_lists, texts, unions, unnest,
    )
)  # fmt: skip


@dataclass(frozen=True)
class BoundQuery:
    """A query that fits its tables: `plan.schema` has the result's column names and types."""

    plan: Plan
    lasting: bool = True
    """Whether the plan is that of the text for as long as its names mean what they do: no rows were read to make it."""
    is_dated: bool = False
    """Whether it depends on the moment of the session."""
    called: Mapping[str, str] = field(default_factory=dict)
    """What the text calls columns that have another symbol in the plan."""
    places: Places | None = None
    """Where the text says the parts of the plan."""


def bind(
    text: str,
    lookup: Lookup,
    params: Parameters = None,
    read: str = "duckdb",
    known: Callable[[], Iterable[str]] | None = None,
    models: Models | None = None,
    written: Written | None = None,
    inputs: Sequence[Input] = (),
    run: Rows | None = None,
    session: Session | None = None,
    target: Target | None = None,
    gathers: bool = True,
) -> BoundQuery:
    """Bind the one query in `text`.

    `lookup` gives the table (or view) of a name as written, a file's path included, or None; `known` lists table
    names for hints; `models` has what PREDICT can call. `params` are the values of `?` and `$1` (a sequence) or
    `$name` (a mapping). `read` is the dialect. `written` is the text in words, of which `inputs` are the literals.
    `run` gives the rows of what must be known before the query's columns are: PIVOT's, say, or a LIMIT that is computed.
    `session` says when and in which time zone the query is asked, and with which macros and settings. With a `target` the
    rows become rows of that table. `gathers`: long lists of cells are read at once; `Scattered` where they are in `written`,
    and must be bound one by one.
    Raises ParseError, BindError, or one UnsupportedError that lists all that tqp does not do yet.
    """
    session = session or Session()
    context = Context(text, lookup, known, given(fixed(params)), models or Models(), session=session)
    if run is not None:
        # Not of the context: it would stay, with its tables, until somebody looks for circles.
        context.run = lambda plan: run(without_marks(plan))
    # The parser accepts more than SQL. What tqp does not run has the better message, so `wrong` waits.
    found = _split(text, read, written, target is not None, gathers)
    try:
        with by_default(session.order.collation.lower()):
            return _bound(context, text, read, found, written, inputs, session, target)
    except (Scattered, TqpError) as error:
        # What is wrong is said as of cells one by one.
        if found is None or not found.lists or isinstance(error, QueryInterruptedError):
            raise
        if written is not None:
            raise Scattered from error
    return bind(text, lookup, params, read, known, models, None, inputs, run, session, target, gathers=False)


def _split(text: str, read: str, written: Written | None, is_inserted: bool, gathers: bool) -> Gathered | None:
    """The words of the text as far as they need to be known; None: the parser splits it."""
    if written is not None:
        return Gathered(written.tokens, written.lists)
    if not is_inserted and (len(text) < FEWEST_LETTERS or read != "duckdb" or not gathers):
        return None
    try:
        tokens = words(dialect_named(read), text)
    except SqlglotError:
        return None
    if is_inserted:
        tokens = with_default_cells(tokens)
    return gathered(tokens, text) if gathers and read == "duckdb" else Gathered(tokens, {})


def _bound(
    context: Context,
    text: str,
    read: str,
    split: Gathered | None,
    written: Written | None,
    inputs: Sequence[Input],
    session: Session,
    target: Target | None,
) -> BoundQuery:
    tokens = None if split is None else split.tokens
    macros = session.macros.names() if read == "duckdb" else ()
    tree, wrong = parse_strictly(text, read, tokens, macros, session.own)
    templates = [] if split is None else in_place(tree, split.lists)
    if read != "duckdb":
        as_meant(context, tree, read)
    expand(context, tree)
    calls: list[exp.Func] = []
    met = {} if written is None else {start: inputs[place] for start, place in written.places.items()}
    handed = {start for one in templates for start in one.handed}
    followed = Followed({**met, **{start: found for one in templates for start, found in one.inputs.items()}}, handed)
    watched = watch(tree, followed, calls)
    followed.fix_others()
    if read == "duckdb":
        require_known_names(context, calls)
    try:
        plan = bind_query(context, tree, None, {}) if target is None else target.plan(context, tree)
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
    except Scattered:
        raise
    except Exception:
        if wrong is None:
            raise
        # The tree of a text that is no SQL may have a shape that nobody expects.
        raise wrong from None
    if read != "duckdb":
        check_types(context, plan, read)
    require_read(context, tree, watched)
    if wrong is not None:
        raise wrong
    _check_parameters(context, tree)
    plan = with_semantics(with_numbered_rows(context, plan), session.semantics)
    if context.collates:
        plan = without_marks(plan)
    return BoundQuery(
        with_zone(plan, session.time_zone), not context.read_rows, context.is_dated, context.called, context.places
    )


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
