"""Options of COPY, each read once: what nobody reads is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from tqp.errors import BindError, UnsupportedError

__all__ = ["Braces", "Options"]


class Braces(str):
    """A value that was written as a struct, in braces: its text."""

    __slots__ = ()


_MOST: Final = 2**63 - 1
_TRUE = {"true": True, "1": True, "on": True, "false": False, "0": False, "off": False}


class Options:
    """Values by name; `done` raises UnsupportedError for a name that was not asked for."""

    def __init__(self, values: Mapping[str, tuple[str, ...]]) -> None:
        self._values = dict(values)
        self._asked: set[str] = set()

    def text(self, name: str, default: str | None = None) -> str | None:
        """One value."""
        values = self._take(name)
        if values is None:
            return default
        if len(values) != 1:
            raise BindError(f"the option {name} of COPY takes one value")
        return values[0]

    def has(self, name: str) -> bool:
        """Whether it is given."""
        return name in self._values

    def value(self, name: str, constant: Callable[[str], Any]) -> Any:
        """A struct by its value, which `constant` computes of its text, or a text; None for none."""
        found = self.text(name)
        return constant(found) if isinstance(found, Braces) else found

    def delimiter(self, default: str | None) -> str | None:
        """What stands between values, in which `\\t` written out is a tab."""
        found = self.text("delimiter", default)
        return None if found is None else found.replace("\\t", "\t")

    def word(self, name: str, default: str | None, known: tuple[str, ...]) -> str | None:
        """One of the `known` words."""
        found = self.text(name, default)
        if found is not None and found.lower() not in known:
            raise BindError(f"the option {name} of COPY is not {found!r}", hint=f"it is {', '.join(known)}")
        return None if found is None else found.lower()

    def flag(self, name: str, default: bool | None = False) -> bool | None:
        """True where the name stands alone."""
        values = self._take(name)
        if values is None:
            return default
        if not values:
            return True
        if len(values) != 1 or values[0].lower() not in _TRUE:
            raise BindError(f"the option {name} of COPY is true or false")
        return _TRUE[values[0].lower()]

    def character(self, name: str, default: str) -> str:
        """A text of one byte at most."""
        found = self.text(name, default)
        assert found is not None
        if len(found.encode()) > 1:
            raise BindError(f"the option {name} of COPY is one character of ASCII, or none")
        return found

    def number(self, name: str, least: int = 1) -> int | None:
        found = self.text(name)
        if found is None:
            return None
        if not found.isdecimal() or int(found) < least:
            raise BindError(f"the option {name} of COPY is a number, {least} or more")
        if int(found) > _MOST:
            raise BindError(f"the option {name} of COPY is {_MOST} at most")
        return int(found)

    def names(self, name: str) -> tuple[str, ...] | None:
        """Several values."""
        return self._take(name)

    def done(self, what: str, instead: Mapping[str, str] | None = None) -> None:
        """UnsupportedError for an option that nobody asked for, with what there is `instead` of some of them."""
        left = sorted(self._values.keys() - self._asked)
        if left:
            known = f"options are {', '.join(sorted(self._asked))}"
            hint = (instead or {}).get(left[0], known)
            raise UnsupportedError(f"the option {left[0]} of {what} is not supported", hint=hint)

    def _take(self, name: str) -> tuple[str, ...] | None:
        self._asked.add(name)
        return self._values.get(name)
