"""PREPARE, EXECUTE and DEALLOCATE: statements under names, run with values of their parameters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Final

from sqlglot.tokenizer_core import TokenType

from tqp.errors import BindError, ParseError, UnsupportedError
from tqp.relation import Relation
from tqp.sql.expansion import is_constant
from tqp.sql.parameters import Written
from tqp.statements.caller import Caller
from tqp.statements.head import QUERY_STARTS, Head
from tqp.statements.registry import statement
from tqp.statements.script import run_script
from tqp.statements.variables import value_of

__all__: list[str] = []

_PREPARED: Final = QUERY_STARTS | {"INSERT", "UPDATE", "DELETE", "MERGE"}
"""The words with which statements begin that can be prepared."""


@dataclass(frozen=True, slots=True)
class _Prepare:
    name: str
    text: str
    changes: ClassVar = True

    def run(self, caller: Caller) -> Relation:
        caller.connection.prepare(self.name, self.text)
        return caller.success()


@dataclass(frozen=True, slots=True)
class _Execute:
    name: str
    values: tuple[str, ...]
    named: tuple[tuple[str, str], ...]
    changes: ClassVar = False

    def run(self, caller: Caller) -> Relation:
        text = caller.connection.prepared(self.name)
        given = [self._value(caller, value) for value in self.values]
        named = {name: self._value(caller, value) for name, value in self.named}
        return run_script(replace(caller, params=named or given or None), text)

    def _value(self, caller: Caller, text: str) -> Written:
        if not is_constant(text):
            raise BindError(
                f"EXECUTE {self.name} takes constants, and {text.strip()} is none",
                hint="SET VARIABLE keeps a value that a query gives",
            )
        made = value_of(caller.without_parameters(), text, f"EXECUTE {self.name}")
        return Written(made.text, made.text)


@dataclass(frozen=True, slots=True)
class _Deallocate:
    name: str
    changes: ClassVar = True

    def run(self, caller: Caller) -> Relation:
        caller.connection.prepare(self.name, None)
        return caller.success()


@statement("PREPARE")
def _read_prepare(head: Head) -> _Prepare:
    name = head.identifier()
    if head.word == "(":
        raise UnsupportedError(
            "PREPARE with types is not supported", hint="cast the parameters: $1::INTEGER", text=head.text
        )
    head.need("AS")
    if head.word not in _PREPARED:
        raise ParseError(
            f"{head.word} is no statement that can be prepared",
            hint="queries are, and statements that change rows",
            text=head.text,
        )
    start = head.place
    text = head.rest().strip()
    kinds = {_is_by_name(head, place) for place in range(start, head.place) if _is_parameter(head, place)}
    if len(kinds) > 1:
        raise ParseError("a statement has parameters by their places or by their names, not both", text=head.text)
    return _Prepare(name, text)


def _is_parameter(head: Head, place: int) -> bool:
    return head.tokens[place].token_type in (TokenType.PARAMETER, TokenType.PLACEHOLDER)


def _is_by_name(head: Head, place: int) -> bool:
    """Whether the parameter there is `$name`, not `$1` or `?`."""
    behind = head.tokens[place + 1 : place + 2]
    return head.tokens[place].token_type == TokenType.PARAMETER and not (behind and behind[0].text.isdigit())


@statement("EXECUTE")
def _read_execute(head: Head) -> _Execute:
    name = head.identifier()
    values: list[str] = []
    named: list[tuple[str, str]] = []

    def value() -> None:
        key = None
        if head.is_name() and head.following == ":=":
            key = head.raw()
            head.need(":=")
        text = head.expression(lambda head: head.word == ",")
        if key is None:
            values.append(text)
        else:
            named.append((key, text))

    if head.take("(") and not head.take(")"):
        head.listed(value)
        head.need(")")
    if values and named:
        raise ParseError("EXECUTE takes values by their places or by their names, not both", text=head.text)
    return _Execute(name, tuple(values), tuple(named))


@statement("DEALLOCATE")
def _read_deallocate(head: Head) -> _Deallocate:
    head.take("PREPARE")
    return _Deallocate(head.identifier())
