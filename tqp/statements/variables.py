"""SET VARIABLE and RESET VARIABLE: values under names, which `getvariable` gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from tqp.catalog.definitions import Variable
from tqp.errors import BindError, ParseError, UnsupportedError
from tqp.expressions.constants import constant
from tqp.io.laid_out import in_structs
from tqp.io.python import column_to_python
from tqp.keywords import identifier, text_constant
from tqp.relation import Relation
from tqp.statements.caller import Caller
from tqp.statements.head import Head
from tqp.statements.registry import statement
from tqp.types import DType, Kind

__all__ = ["value_of"]


@dataclass(frozen=True, slots=True)
class _SetVariable:
    """`value` is an expression as it is written; None forgets the variable."""

    name: str
    value: str | None
    changes: ClassVar = True

    def run(self, caller: Caller) -> Relation:
        made = None if self.value is None else value_of(caller, self.value, f"SET VARIABLE {self.name}")
        caller.connection.set_variable(self.name, made)
        return caller.success()


def value_of(caller: Caller, text: str, what: str) -> Variable:
    """What an expression is now, as a text of SQL that is the same later; BindError where it is no one value."""
    relation = caller.query(f"SELECT {text.strip()}")
    if len(relation.schema) != 1:
        raise BindError(f"{what} takes one value")
    dtype = relation.types[0]
    if dtype.kind is Kind.NULL:
        relation.fetchall()
        return Variable("NULL", None, dtype)
    shown = caller.without_parameters().query(
        "SELECT CAST(COLUMNS(*) AS VARCHAR) FROM value_of_variable", relations={"value_of_variable": relation}
    )
    rows = shown.fetchall()
    if len(rows) != 1:
        raise BindError(f"{what} takes one value, and there are {len(rows)}")
    text_shown = rows[0][0]
    if text_shown is None:
        written = "NULL"
    elif not dtype.is_nested:
        written = text_constant(text_shown)
    elif not _kinds(dtype) & {Kind.INTERVAL, Kind.TIMESTAMP_NS}:
        # Values of Python say all that is in them, but for the tag of a UNION.
        column = in_structs(relation.result().on_host().columns[0])
        written = _nested(column_to_python(column, 1)[0], dtype)
    else:
        raise UnsupportedError(
            f"{what}: a {dtype} is not supported as the value of a variable", hint="keep it in a table"
        )
    return Variable(_cast(written, dtype), text_shown, dtype)


def _cast(text: str, dtype: DType) -> str:
    """A text of SQL as of a type, which SQL can write unless there are columns of NULL alone in it."""
    return text if Kind.NULL in _kinds(dtype) else f"CAST({text} AS {dtype})"


def _kinds(dtype: DType) -> set[Kind]:
    """The kinds of a type and all within it."""
    inner = [field.type for field in dtype.fields] + ([] if dtype.element is None else [dtype.element])
    return {dtype.kind}.union(*map(_kinds, inner))


def _nested(value: Any, dtype: DType) -> str:
    """A value of Python as SQL; a dict may be a struct, a map or a UNION by its members, and the type says which."""
    if value is None or not dtype.is_nested:
        return _cast(constant(value), dtype)
    if dtype.is_struct:
        values = value.values() if isinstance(value, dict) else value
        parts = [_nested(one, field.type) for one, field in zip(values, dtype.fields, strict=True)]
        if not any(field.name for field in dtype.fields):
            return f"row({', '.join(parts)})"
        named = zip(dtype.fields, parts, strict=True)
        return f"{{{', '.join(f'{text_constant(field.name)}: {part}' for field, part in named)}}}"
    if dtype.is_union:
        number, *members = value.values()
        one = dtype.fields[number]
        return f"union_value({identifier(one.name)} := {_nested(members[number], one.type)})"
    assert dtype.element is not None
    if dtype.kind is not Kind.MAP:
        return f"[{', '.join(_nested(one, dtype.element) for one in value)}]"
    key, of = (field.type for field in dtype.element.fields)
    # What can be no key of a dict stands beside its values.
    pairs = zip(value["key"], value["value"], strict=True) if key.is_nested else value.items()
    return f"MAP {{{', '.join(f'{_nested(one, key)}: {_nested(held, of)}' for one, held in pairs)}}}"


@statement("SET VARIABLE")
def _read_set(head: Head) -> _SetVariable:
    name = head.identifier()
    if not head.take("=", "TO"):
        raise head.wrong()
    if head.at_end():
        raise ParseError(f"SET VARIABLE {name} has no value", text=head.text)
    if head.is_lone_name():
        return _SetVariable(name, text_constant(head.raw()))
    return _SetVariable(name, head.expression(lambda head: head.word == ","))


@statement("RESET VARIABLE")
def _read_reset(head: Head) -> _SetVariable:
    return _SetVariable(head.identifier(), None)
