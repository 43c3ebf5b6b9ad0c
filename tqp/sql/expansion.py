"""Macros: what they stand for takes the place of their calls in the syntax tree, before anything is bound.

The parser has nodes of its own for the functions that it knows, which a macro of the same name hides. So while it parses, calls
of macros have names that it does not know; `expand` then puts the definitions in.

As in DuckDB an argument takes the place of its parameter as it is written, and a parameter hides columns of its name; the
parameters of a definition's lambdas hide both, and nothing of an argument. What a definition calls may be a macro itself; one
that comes back to itself is refused.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from sqlglot import exp

from tqp.catalog.definitions import Macro, Overload
from tqp.errors import BindError, ParseError, UnsupportedError
from tqp.own import OwnFunctions
from tqp.sql.context import Context
from tqp.sql.parse import parse_strictly
from tqp.sql.places import ARGUMENT, CALLED, NAMED
from tqp.sql.stand_ins import macro_called
from tqp.stack import deep

__all__ = ["expand", "expression_of", "is_constant", "type_of"]

_RENAMED: Final = " of a lambda"
"""What no name that is written ends in."""


def expand(context: Context, tree: exp.Expr) -> None:
    """Put what macros stand for in the place of their calls in the tree, which was parsed with `called_apart`.

    BindError for arguments that no definition takes, UnsupportedError for a macro that calls itself.
    """
    if context.session.macros.known:
        _expand(context, tree, ())


@deep
def _expand(context: Context, tree: exp.Expr, within: tuple[Macro, ...]) -> None:
    # Those in arguments first: a parent comes before its children.
    found: list[exp.Anonymous | exp.Identifier] = list(tree.find_all(exp.Anonymous, exp.Identifier))
    for node in reversed(found):
        name = macro_called(node.name)
        if name is None:
            continue
        if isinstance(node, exp.Identifier):
            # It was a name before a list, as that of a WITH.
            node.set("this", name)
            continue
        node.set("this", name)
        is_table = isinstance(node.parent, exp.Table) and node.arg_key == "this"
        macro = context.session.macros.find(name, is_table)
        if macro is not None:
            with context.at(node):
                _replaced(context, node, macro, within)


def _replaced(context: Context, call: exp.Anonymous, macro: Macro, within: tuple[Macro, ...]) -> None:
    if macro in within:
        raise UnsupportedError(f"the macro {macro.name} calls itself", hint="define it anew: CREATE OR REPLACE MACRO")
    overload, arguments = _chosen(context, macro, call.expressions, (*within, macro))
    session = context.session
    body = expression_of(overload.text, session.macros.names(), is_query=macro.is_table, own=session.own)
    _expand(context, body, (*within, macro))
    body = _with_arguments(body, arguments)
    if not macro.is_table:
        made: exp.Expr = exp.Paren(this=body)
        made.meta[CALLED] = call.copy()
        call.replace(made)
        return
    table = call.parent
    assert table is not None
    rest = {name: value for name, value in table.args.items() if name != "this"}
    query = exp.Subquery(this=body, **rest)
    query.meta[NAMED] = call
    table.replace(query)


def _default(context: Context, text: str, within: tuple[Macro, ...]) -> exp.Expr:
    """The value of a parameter that has no argument, which may call macros, too."""
    found = expression_of(text, context.session.macros.names(), own=context.session.own)
    holder = exp.Paren(this=found)
    _expand(context, holder, within)
    return holder.this  # type: ignore[no-any-return]


def _chosen(
    context: Context, macro: Macro, written: Sequence[exp.Expr], within: tuple[Macro, ...]
) -> tuple[Overload, Mapping[str, exp.Expr]]:
    """The one definition that takes the arguments, and what each of its parameters is, by name in lower case."""
    positional: list[exp.Expr] = []
    named: dict[str, exp.Expr] = {}
    for item in written:
        if isinstance(item, exp.PropertyEQ | exp.Kwarg):
            named[item.this.name.lower()] = item.expression
        elif named:
            raise BindError(f"{macro.name} has an argument without a name behind one with a name")
        else:
            positional.append(item)
    matching: list[tuple[Overload, dict[str, exp.Expr]]] = []
    for overload in macro.overloads:
        names = [parameter.name.lower() for parameter in overload.parameters]
        given = dict(zip(names, positional, strict=False))
        if len(positional) > len(names) or not named.keys() <= set(names) - given.keys():
            continue
        given |= named
        for parameter in overload.parameters:
            if parameter.name.lower() not in given and parameter.default is not None:
                given[parameter.name.lower()] = _default(context, parameter.default, within)
        if len(given) == len(names):
            for parameter in overload.parameters:
                if parameter.type is not None:
                    key = parameter.name.lower()
                    kind = type_of(parameter.type, f"for parameter {parameter.name}")
                    given[key] = exp.Cast(this=given[key].copy(), to=kind)
            matching.append((overload, given))
    if len(matching) == 1:
        return matching[0]
    forms = " or ".join(
        f"{macro.name}({', '.join(parameter.name for parameter in overload.parameters)})"
        for overload in macro.overloads
    )
    if not matching:
        raise BindError(f"the macro {macro.name} does not take these arguments", hint=f"it is {forms}")
    if any(parameter.type is not None for overload, _ in matching for parameter in overload.parameters):
        raise UnsupportedError(
            f"the definitions of the macro {macro.name} that types of arguments tell apart are not supported",
            hint="give them names of their own",
        )
    raise BindError(f"several definitions of the macro {macro.name} take these arguments", hint=f"name them: {forms}")


def is_constant(text: str) -> bool:
    """Whether an expression reads no column and asks no query."""
    return expression_of(text).find(exp.Column, exp.Query, exp.Star) is None


def type_of(text: str, what: str) -> exp.Expr:
    """The syntax of a type of a definition; ParseError, with `what` it is for, where the text is none."""
    cast = expression_of(f"NULL::{text}")
    if not isinstance(cast, exp.Cast) or not isinstance(cast.this, exp.Null):
        raise ParseError(f"{text!r} is no type, {what}")
    return cast.args["to"]  # type: ignore[no-any-return]


def expression_of(
    text: str, macros: Collection[str] = (), *, is_query: bool = False, own: OwnFunctions | None = None
) -> exp.Expr:
    """The syntax of an expression, or of a query, of a definition; its nodes stand nowhere in the text of a query.

    Raises what is wrong with the text, and BindError for a parameter of a query in it.
    """
    tree, wrong = parse_strictly(text if is_query else f"SELECT {text}", macros=macros, own=own or OwnFunctions())
    if wrong is not None:
        raise wrong
    for node in tree.walk():
        node.pop_comments()
        if node._meta:
            node._meta.clear()
        if isinstance(node, exp.Parameter | exp.Placeholder):
            raise BindError("a definition has no parameters of a query", hint="write the value")
    if is_query:
        return tree
    (found,) = tree.expressions
    return found.pop()  # type: ignore[no-any-return]


def _with_arguments(body: exp.Expr, arguments: Mapping[str, exp.Expr]) -> exp.Expr:
    """The definition with arguments in the places of the parameters of their names."""
    holder = exp.Paren(this=body)
    _rename_lambdas(holder, arguments)
    for column in list(holder.find_all(exp.Column)):
        first, *fields = column.parts
        name = first.name.lower()
        if name not in arguments or isinstance(column.this, exp.Star):
            continue
        if fields and column.find_ancestor(exp.Query) is not None:
            # As in DuckDB: in a query within the definition it is a table.
            continue
        value = arguments[name].copy()
        value = value if isinstance(value, exp.Literal | exp.Column) and not fields else exp.Paren(this=value)
        value.meta[ARGUMENT] = True
        for field in fields:
            value = exp.Dot(this=value, expression=field.copy())
        column.replace(value)
    return holder.this  # type: ignore[no-any-return]


def _rename_lambdas(body: exp.Expr, arguments: Mapping[str, exp.Expr]) -> None:
    """Call parameters of lambdas otherwise where a column of an argument, or a parameter of the macro, has their name."""
    taken = set(arguments)
    for value in arguments.values():
        # Not parameters of lambdas around the call: as in DuckDB these mean what the inner one says.
        taken.update(column.parts[0].name.lower() for column in value.find_all(exp.Column))
    for node in list(body.find_all(exp.Lambda, exp.Comprehension)):
        if isinstance(node, exp.Lambda):
            own, seen = node.expressions, [node.this]
        else:
            own = [item for item in (node.expression, node.args.get("position")) if item is not None]
            seen = [part for part in (node.this, node.args.get("condition")) if part is not None]
        names = {item.name.lower() for item in own} & taken
        for part in [*own, *seen] if names else ():
            for name in part.find_all(exp.Identifier):
                if name.name.lower() in names and _is_value(name):
                    name.set("this", f"{name.name}{_RENAMED}")


def _is_value(node: exp.Identifier) -> bool:
    """Whether a name stands for a value: alone, or before the fields of one."""
    around = node.parent
    if isinstance(around, exp.Column):
        return around.parts[0] is node
    if isinstance(around, exp.Alias | exp.Dot):
        return node.arg_key == "this"
    if isinstance(around, exp.PropertyEQ | exp.Kwarg):
        return node.arg_key == "expression"
    return not isinstance(around, exp.Table | exp.TableAlias)
