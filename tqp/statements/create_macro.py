"""CREATE MACRO: an expression, or a query, that takes the place of its calls."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Final

from tqp.catalog.definitions import TEMP, Macro, Overload, Parameter, Path
from tqp.errors import BindError, ParseError, TqpError, UnsupportedError
from tqp.keywords import quoted_name
from tqp.relation import Relation
from tqp.sql.expansion import expression_of
from tqp.sql.pivot_values import require_written_values
from tqp.statements.caller import Caller
from tqp.statements.head import Head
from tqp.statements.registry import statement

__all__: list[str] = []

_EXAMPLES = ("NULL", "1", "'a'", "DATE '2000-01-01'", "true", "[1]")
"""Arguments by which a definition is tried: it is wrong if each of these meets the same error, which then is not of their types; or
if the first, which is of all types, meets a name that is not there. All are tried, as no lambda behind a NULL is looked at."""
_NO_NAME: Final = "no column "
_WHATEVER_TYPE: Final = ("there is no function ", "there is no type ")
"""What is said of a function or type that is not there, whichever example meets it."""
_LISTS: Final = frozenset({"SELECT", "FROM", "BY", "VALUES", "WINDOW"})
_NO_LISTS: Final = frozenset({"WHERE", "HAVING", "QUALIFY", "LIMIT", "OFFSET"})
"""The words before parts of a query that are lists, which a comma goes on, and that are none."""


@dataclass(frozen=True, slots=True)
class _CreateMacro:
    macro: Macro
    path: Path
    temporary: bool
    replaces: bool
    keeps: bool
    changes: ClassVar = True

    def run(self, caller: Caller) -> Relation:
        macro = replace(self.macro, place=caller.catalog.schemas.place(self.path, self.temporary))
        for overload in macro.overloads:
            _check(caller, macro, overload)
        caller.catalog.define(macro, replace=self.replaces, keep=self.keeps)
        return caller.count(None)


def _check(caller: Caller, macro: Macro, overload: Overload) -> None:
    """Raise what is wrong with a definition, whatever its arguments are: a name that it has not, a function that is not there."""
    for parameter in overload.parameters:
        if parameter.default is not None:
            caller.without_parameters().query(f"SELECT {parameter.default}")
    names, own = caller.catalog.macros.names(), caller.catalog.own
    tree = expression_of(overload.text, names, is_query=macro.is_table, own=own)
    require_written_values(tree, "macro")
    alone = Macro(macro.name, (overload,), macro.is_table, TEMP)
    errors: list[TqpError] = []
    examples = _EXAMPLES if overload.parameters else ("",)
    for example in examples:
        arguments = [f"{example}::{item.type}" if item.type else example for item in overload.parameters]
        text = f"{'FROM' if macro.is_table else 'SELECT'} {quoted_name(macro.name)}({', '.join(arguments)})"
        try:
            caller.without_parameters().bound(text, macro=alone)
        except TqpError as error:
            if error.message.startswith(_WHATEVER_TYPE):
                raise _without_meaning(macro, error) from None
            errors.append(error)
    if len(errors) < len(examples):
        return
    first = errors[0]
    if all(error.message == first.message for error in errors) or first.message.startswith(_NO_NAME):
        raise _without_meaning(macro, first)


def _without_meaning(macro: Macro, error: TqpError) -> TqpError:
    if isinstance(error, UnsupportedError):
        return error
    return BindError(f"the macro {macro.name} has no meaning: {error.message}", hint=error.hint)


@statement("CREATE MACRO", "CREATE FUNCTION")
def _read(head: Head) -> _CreateMacro:
    keeps = head.if_not_exists()
    if keeps and head.replace:
        raise head.wrong()
    path = head.path()
    overloads: list[Overload] = []
    tables: list[bool] = []

    def overload() -> None:
        parameters = _parameters(head)
        head.need("AS")
        tables.append(head.take("TABLE"))
        if tables[-1]:
            start = head.place
            text = head.to(lambda head: head.word == "," and not _is_in_list(head, start) and _ends_overload(head))
        else:
            text = head.expression(lambda head: head.word == ",")
        overloads.append(Overload(parameters, text.strip()))

    overload()
    while head.take(","):
        overload()
    if len(set(tables)) > 1:
        raise ParseError("a macro is a table in all of its definitions, or in none", text=head.text)
    counts = [len(item.parameters) for item in overloads]
    if len(set(counts)) < len(counts):
        hint = "give each its own number of parameters, or its own name"
        raise UnsupportedError("definitions of a macro that differ in types alone are not supported", hint=hint)
    macro = Macro(path.name, tuple(overloads), tables[0])
    return _CreateMacro(macro, path, head.temporary, head.replace, keeps)


def _is_in_list(head: Head, start: int) -> bool:
    """Whether the comma here goes on a list of the query that begins with word `start`: of its columns, tables, keys or rows."""
    depth, found = 0, False
    for word in head.words[start : head.place]:
        depth += (word in ("(", "[", "{")) - (word in (")", "]", "}"))
        if depth == 0 and word in _LISTS | _NO_LISTS:
            found = word in _LISTS
    return found


def _ends_overload(head: Head) -> bool:
    """Whether behind the comma here another definition follows: its parameters, and AS."""
    place, depth = head.place + 1, 0
    if head.words[place] != "(":
        return False
    while head.words[place]:
        depth += (head.words[place] == "(") - (head.words[place] == ")")
        place += 1
        if depth == 0:
            return head.words[place] == "AS"
    return False


def _parameters(head: Head) -> tuple[Parameter, ...]:
    found: list[Parameter] = []

    def one() -> None:
        name = head.identifier()
        kind = default = None
        if head.word not in (":=", "=>", ",", ")"):
            kind = head.to(lambda head: head.word in (":=", "=>", ",")).strip()
        if head.take(":=", "=>"):
            default = head.expression(lambda head: head.word == ",").strip()
        elif found and found[-1].default is not None:
            raise ParseError(f"parameter {name} without a default stands behind one with a default", text=head.text)
        if name.lower() in (other.name.lower() for other in found):
            raise ParseError(f"parameter {name} stands twice in a macro", text=head.text)
        found.append(Parameter(name, default, kind))

    head.need("(")
    if head.word != ")":
        head.listed(one)
    head.need(")")
    return tuple(found)
