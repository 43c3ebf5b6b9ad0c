"""SET and RESET: the settings of the connection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tqp.catalog.definitions import Path
from tqp.catalog.schemas import SEARCHES
from tqp.errors import BindError, ParseError, UnsupportedError
from tqp.keywords import text_constant
from tqp.relation import Relation
from tqp.session.options import SETTINGS, setting_named
from tqp.statements.caller import Caller
from tqp.statements.head import Head
from tqp.statements.registry import statement

__all__ = ["SetTo", "read_value"]


@dataclass(frozen=True, slots=True)
class SetTo:
    """`value` is an expression, or a word that is none, `word`; None of both: as it was at first."""

    name: str
    value: str | None
    word: str | None
    changes: ClassVar = False

    def run(self, caller: Caller) -> Relation:
        connection = caller.connection
        setting = None if self.name.lower() in SEARCHES else setting_named(self.name)
        if connection.settings.lock_configuration:
            raise BindError(
                f"the setting {self.name} cannot be changed: the configuration is locked",
                hint="by lock_configuration, which lasts as long as the connection",
            )
        if self.word is not None:
            value: object = self.word
        elif self.value is not None:
            rows = caller.query(f"SELECT {self.value.strip()}").fetchall()
            if len(rows) != 1 or len(rows[0]) != 1:
                raise BindError(f"SET {self.name} takes one value")
            value = rows[0][0]
        else:
            value = "" if setting is None else setting.value(connection.settings_at_first)
        if setting is None:
            caller.catalog.use(_schemas(self.name, value))
        else:
            changed = setting.changed
            connection.change(lambda settings: changed(settings, value))
        return caller.success()


def _schemas(name: str, value: object) -> tuple[Path, ...]:
    """The schemas that a text names, with commas between them."""
    if not isinstance(value, str):
        raise BindError(f"SET {name} takes the name of a schema, a text")
    paths = [part.split(".") for part in value.replace('"', "").split(",") if value]
    if len(paths) > 1 and name.lower() == "schema":
        raise BindError("SET schema takes one schema", hint=f"SET search_path = {text_constant(value)}")
    return tuple(Path(parts[-1], tuple(parts[:-1])) for parts in paths)


@statement("SET")
def _read_set(head: Head) -> SetTo:
    if head.word == "LOCAL" and head.following not in ("=", "TO"):
        raise UnsupportedError("SET LOCAL is not supported", hint="SET", text=head.text)
    scope = None
    if head.word in ("GLOBAL", "SESSION") and head.following not in ("=", "TO"):
        scope = head.raw().upper()
    name = head.identifier(())
    if not head.take("=", "TO"):
        raise head.wrong()
    if scope == "SESSION" and name.lower() in SETTINGS and not SETTINGS[name.lower()].is_local:
        raise BindError(f"the setting {name} is one of the whole connection", hint=f"SET {name} = …")
    return read_value(head, name)


def read_value(head: Head, name: str) -> SetTo:
    """The value here, which ends the statement, for a setting."""
    start = head.place
    if head.is_lone_name():
        return SetTo(name, None, head.raw())
    value = head.expression()
    if head.place == start:
        raise ParseError(f"SET {name} has no value", text=head.text)
    return SetTo(name, value, None)


@statement("RESET")
def _read_reset(head: Head) -> SetTo:
    head.take("GLOBAL", "SESSION")
    return SetTo(head.identifier(()), None, None)
