"""What of a query nobody read.

The parser knows more clauses than tqp, and other dialects than DuckDB's; whatever the binder does not look at would be dropped
in silence. So every argument of every syntax node that says something keeps whether it was looked up, and what nobody looked
up is refused. A handler needs no line here: reading an argument, by `node.args.get("x")` or by a property, is what counts.
What a handler reads without using is therefore its own lie.

- `watch(tree)` starts this, once, after parsing. A copy of a node shares the memory of the original. `all_read` of what it gives
  says at little cost whether anything is left.
- Loops over all arguments (`walk`, `copy`, `==`, `args.items()`) do not count. A handler that binds whatever a node holds takes
  `operands(node)`: the nodes then count as read, the flags between them (`safe`, `null_ordering`, …) do not.
- A literal that is an `Input` of the query is `taken` from its node. Whoever looks up its text otherwise, in order to show it
  too, has built on its value.
- `discard(node)`: all below is dealt with, because it was refused already or because DuckDB does not look at it either.
- `unnoticed(node)`: what reads in order to show the text, not to act upon it.
- `unread(tree)`: the arguments left, the topmost of each branch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from sqlglot import exp

from tqp.ir.inputs import Input

__all__ = ["all_read", "discard", "operands", "peeked", "taken", "unnoticed", "unread", "watch"]


class _Read(str):
    """The name of an argument that was looked up."""

    __slots__ = ()


class _Unread(str):
    """The name of an argument, which notices that it is looked up and is `_Read` from then on.

    A dict compares the key asked for with its own, and so calls `__eq__` of this one, also from the compiled properties of
    sqlglot, which would pass by an overridden `get`. Iteration compares nothing, and a key found by itself is identical.
    What was read is of another class, rather than marked, so that later look-ups cost no more than those of any name.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        _turn(self, _Read)
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def _turn(key: str, kind: type[str]) -> None:
    key.__class__ = kind


class _ReadInput(str):
    """The name of the text of a literal that is an input of the query. Whoever looks it up builds on the value."""

    input: Input

    def __eq__(self, other: object) -> bool:
        self.input.fix()
        return str.__eq__(self, other)

    __hash__ = str.__hash__


class _UnreadInput(_ReadInput):
    """One that nobody took or looked up yet."""

    def __eq__(self, other: object) -> bool:
        _turn(self, _ReadInput)
        return _ReadInput.__eq__(self, other)

    __hash__ = str.__hash__


_WHEN_READ: Final[dict[type[str], type[str]]] = {_Unread: _Read, _UnreadInput: _ReadInput}


_ANY: Final = object()

# Arguments that need not be read, with the value that they need not be read with. How a text was written changes nothing that tqp
# does. Flags that the parser of DuckDB's dialect always sets say what the functions here do: with another value they are refused,
# but that one is *missing*, as in dialects that mean something else, nobody notices: a dialect must look at these to be supported.
_FREE: Final[dict[type[exp.Expr], dict[str, object]]] = {
    exp.CTE: {"materialized": _ANY},  # how DuckDB computes it
    exp.Concat: {"coalesce": True, "safe": True},  # NULL is no text; of any type
    exp.ConcatWs: {"coalesce": True, "safe": True},
    exp.Count: {"big_int": True},  # gives BIGINT
    exp.DPipe: {"safe": True},  # of any type
    exp.DataType: {"nested": _ANY},  # LIST(x) or STRUCT(x): its kind says so too
    exp.DateDiff: {"date_part_boundary": True},  # counts the boundaries between, not whole units
    exp.Greatest: {"ignore_nulls": True},
    exp.Identifier: {"quoted": _ANY},  # names are compared without case, quoted or not
    exp.Least: {"ignore_nulls": True},
    exp.Literal: {"is_string": _ANY},
    exp.RegexpExtract: {"null_if_pos_overflow": True},  # a position, which DuckDB has not
    exp.RegexpReplace: {"single_replace": True},  # the first match alone
    exp.TryCast: {"safe": _ANY},  # its class says so
}


def watch(
    tree: exp.Expr,
    input_of: Callable[[exp.Literal], Input | None] = lambda node: None,
    calls: list[exp.Func] | None = None,
) -> list[str]:
    """Begin to notice which arguments of the tree are read; gives all that shall be, for `all_read`.

    `input_of` says which literals are inputs of the query. `calls` gets the calls of functions, as they are met.
    """
    watched: list[str] = []
    stack = [tree]
    while stack:
        node = stack.pop()
        free = _FREE.get(type(node))
        found = input_of(node) if type(node) is exp.Literal else None
        if calls is not None and isinstance(node, exp.Func):
            calls.append(node)
        args: dict[str, Any] = {}
        for name, value in node.args.items():
            # What says nothing comes first, and text is what most arguments are that do.
            if value is None or value is False:
                args[name] = value
                continue
            kind = type(value)
            if kind is list:
                if not value:
                    args[name] = value
                    continue
                stack += [part for part in value if isinstance(part, exp.Expr)]
            else:
                if kind is not str and isinstance(value, exp.Expr):
                    stack.append(value)
                if free is not None and name in free and free[name] in (_ANY, value):
                    args[name] = value
                    continue
            if found is not None and name == "this":
                name = _UnreadInput(name)
                name.input = found
            else:
                name = _Unread(name)
            watched.append(name)
            args[name] = value
        node.args = args
    return watched


def all_read(watched: Sequence[str]) -> bool:
    """Whether all arguments were read, those included that are no longer in the tree: then `unread` finds nothing."""
    return _WHEN_READ.keys().isdisjoint(map(type, watched))


def taken(node: exp.Literal) -> Input | None:
    """The input that the literal is, its text thereby read; None where it is none."""
    for key in node.args:
        if isinstance(key, _ReadInput):
            _turn(key, _ReadInput)
            return key.input
    return None


def operands(node: exp.Expr) -> list[exp.Expr]:
    """The nodes that a node holds, in the order that its kind declares; each counts as read, flags do not."""
    found: list[exp.Expr] = []
    for name in node.arg_types:
        values = _peek(node).get(name)
        parts = [part for part in (values if isinstance(values, list) else [values]) if isinstance(part, exp.Expr)]
        if parts:
            node.args.get(name)
            found += parts
    return found


def peeked(node: exp.Literal) -> str:
    """The literal's text, for something on which no answer depends."""
    return str(_peek(node)["this"])


def discard(node: exp.Expr) -> None:
    """All below the node is dealt with."""
    for key in _unread_keys(node):
        _turn(key, _WHEN_READ[type(key)])


@contextmanager
def unnoticed(node: exp.Expr) -> Iterator[None]:
    """What is read of the node in here does not count."""
    unread_before = [(key, type(key)) for key in _unread_keys(node)]
    yield
    for key, kind in unread_before:
        _turn(key, kind)


def unread(tree: exp.Expr) -> Iterator[tuple[exp.Expr, str]]:
    """The nodes and the names of their arguments that say something and were not read, without those below one."""
    stack = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, exp.CTE) and _is_unused(node):
            continue  # as DuckDB, which does not look at it either
        for key, value in node.args.items():
            if type(key) in _WHEN_READ:
                yield node, str(key)
            elif isinstance(value, exp.Expr):
                stack.append(value)
            elif isinstance(value, list):
                stack += [part for part in value if isinstance(part, exp.Expr)]


def _is_unused(cte: exp.CTE) -> bool:
    return any(
        type(key) in _WHEN_READ and str(key) == "this" and isinstance(value, exp.Query)
        for key, value in cte.args.items()
    )


def _unread_keys(node: exp.Expr) -> Iterator[str]:
    stack = [node]
    while stack:
        for key, value in stack.pop().args.items():
            if type(key) in _WHEN_READ:
                yield key
            if isinstance(value, exp.Expr):
                stack.append(value)
            elif type(value) is list:
                stack += [part for part in value if isinstance(part, exp.Expr)]


def _peek(node: exp.Expr) -> dict[str, Any]:
    """The arguments under plain names: looked up without being noticed."""
    return {str(name): value for name, value in node.args.items()}
