"""Types as a query writes them: keywords have one form, other names stay as they are."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tqp.keywords import KEYWORDS, identifier
from tqp.sql.grammar.types import SPANS, UNITS
from tqp.sql.type_names import TYPE_NAMES
from tqp.stack import deep

__all__ = ["TypeText", "is_type", "type_at"]

_WORD: Final = re.compile(r"""\s*("(?:[^"]|"")*"|'(?:[^']|'')*'|[A-Za-z_]\w*|\d+|[()\[\],.])""")
_ONE_FORM: Final = {
    "INT": "INTEGER", "INTEGER": "INTEGER", "SMALLINT": "SMALLINT", "BIGINT": "BIGINT", "BOOLEAN": "BOOLEAN", "REAL": "FLOAT",
    "FLOAT": "FLOAT", "DECIMAL": "DECIMAL", "DEC": "DECIMAL", "NUMERIC": "DECIMAL", "CHAR": "VARCHAR", "CHARACTER": "VARCHAR",
    "NCHAR": "VARCHAR", "VARCHAR": "VARCHAR", "TIME": "TIME", "TIMESTAMP": "TIMESTAMP", "INTERVAL": "INTERVAL", "BIT": "BIT",
    "STRUCT": "STRUCT", "ROW": "STRUCT", "MAP": "MAP", "UNION": "UNION", "TUPLE": "TUPLE",
    "VARIANT": "VARIANT",
}  # fmt: skip
_OTHERS: Final = frozenset({"DOUBLE", "JSON", "TEXT"})
"""Types whose names are keywords that are shown as they are written."""
_UNITS: Final = ("TIMESTAMP_S", *["TIMESTAMP_MS"] * 3, *["TIMESTAMP"] * 3, *["TIMESTAMP_NS"] * 3)
"""TIMESTAMP(n), by n."""
_WITH_NAMES: Final = frozenset({"STRUCT", "UNION"})
_OF_TYPES: Final = frozenset({"MAP", "TUPLE"})


@dataclass(frozen=True)
class TypeText:
    """A type as DuckDB shows it, and the offset behind it in the text."""

    shown: str
    end: int


def is_type(words: str) -> bool:
    """Whether words before a constant may name its type: keywords for other things do not."""
    first = words.split("(")[0].split()[0].upper()
    return first not in KEYWORDS or first in _ONE_FORM or first in _OTHERS


def type_at(text: str, start: int) -> TypeText | None:
    """The type that stands at an offset of the text; None where none does."""
    reader = _Reader(text, start)
    try:
        return TypeText(reader.type(), reader.end)
    except _NoType:
        return None


class _NoType(Exception):
    """A word that no type has there."""


class _Reader:
    """Reads word by word; `_NoType` at a word that no type has there."""

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.end = start

    def look(self) -> str:
        found = _WORD.match(self.text, self.end)
        return "" if found is None else found[1]

    def word(self) -> str:
        found = _WORD.match(self.text, self.end)
        if found is None:
            raise _NoType
        self.end = found.end()
        return found[1]

    def take(self, *words: str) -> bool:
        """Pass these words if all of them stand here."""
        start = self.end
        for word in words:
            if self.look().upper() != word:
                self.end = start
                return False
            self.word()
        return True

    @deep
    def type(self) -> str:
        shown = self.base()
        while True:
            if self.take("ARRAY") and self.look() != "[":
                shown += "[]"
            elif self.take("["):
                size = "" if self.look() == "]" else self.word()
                if not self.take("]"):
                    raise _NoType
                shown += f"[{size}]"
            else:
                return shown

    def base(self) -> str:
        name = self.name()
        if name in _WITH_NAMES and self.take("("):
            return f"{name}({self.listed(self.field)})"
        if name in _OF_TYPES and self.take("("):
            return f"{name}({self.listed(self.type)})"
        if name == "VARCHAR":
            self.take("VARYING")
        if name in ("TIME", "TIMESTAMP") and self.take("WITH", "TIME", "ZONE"):
            return f"{name} WITH TIME ZONE"
        if name in ("TIME", "TIMESTAMP"):
            self.take("WITHOUT", "TIME", "ZONE")
        if name == "INTERVAL":
            self.units()
        if not self.take("("):
            return name
        details = self.listed(self.word)
        if name == "TIMESTAMP" and details.isdigit() and int(details) < len(_UNITS):
            return _UNITS[int(details)]
        return name if name == "BIT" else f"{name}({details})"

    def units(self) -> None:
        """Pass the units behind INTERVAL, which are not shown."""
        if self.look().upper() in UNITS:
            unit = self.word().upper()
            if any(self.take("TO", other) for other in SPANS.get(unit.removesuffix("S"), ())):
                return

    def name(self) -> str:
        word = self.word()
        if not (word[0].isalpha() or word[0] in '_"'):
            raise _NoType
        if word.upper() == "DOUBLE" and self.take("PRECISION"):
            return "DOUBLE"
        names = [_unquoted(word)]
        while self.take("."):
            names.append(_unquoted(self.word()))
        if len(names) > 1:
            return ".".join(map(identifier, names))
        (name,) = names
        if name.upper() in _ONE_FORM:
            return _ONE_FORM[name.upper()]
        return name if name.lower() in TYPE_NAMES and name.upper() != "JSON" else identifier(name)

    def field(self) -> str:
        return f"{identifier(_unquoted(self.word()))} {self.type()}"

    def listed(self, item: Callable[[], str]) -> str:
        items = [item()]
        while self.take(","):
            items.append(item())
        if not self.take(")"):
            raise _NoType
        return ", ".join(items)


def _unquoted(word: str) -> str:
    return word[1:-1].replace('""', '"') if word.startswith('"') else word
