"""What may stand where the cursor is: keywords, tables, columns, functions, settings, files, commands."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tqp.connection import Connection
from tqp.errors import TqpError
from tqp.keywords import CALLED_SPECIALLY, KEYWORDS, NO_NAMES, quoted_name
from tqp.session.options import SETTINGS
from tqp.shell.commands import COMMANDS

if TYPE_CHECKING:
    from tqp.shell.session import Session

__all__ = ["Candidate", "Names", "Opened", "candidates"]

_CLOSED: Final = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*\n|/\*.*?\*/""", re.DOTALL)
_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_QUOTED: Final = NO_NAMES | CALLED_SPECIALLY | {"INSERT"}
"""Names that need quotes; INSERT would need none in DuckDB."""
_WORD: Final = re.compile(r"[\w.]*$")
_ALIASES: Final = re.compile(r'\b(?:from|join|,)\s+("?)(\w+)\1(?:\s+(?:as\s+)?(\w+))?', re.IGNORECASE)
_TABLES_BEHIND: Final = frozenset(
    {"FROM", "JOIN", "INTO", "TABLE", "VIEW", "DESCRIBE", "SUMMARIZE", "SHOW", "COPY", "UPDATE"}
)
_SETTINGS_BEHIND: Final = frozenset({"SET", "RESET"})
_COLUMNS_BEHIND: Final = frozenset(
    {
        "SELECT",
        "DISTINCT",
        "WHERE",
        "BY",
        "ON",
        "AND",
        "OR",
        "NOT",
        "HAVING",
        "QUALIFY",
        "CASE",
        "WHEN",
        "THEN",
        "ELSE",
        "USING",
    }
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A text that may take the place of the `replaced` letters before the cursor."""

    text: str
    replaced: int
    kind: str


@dataclass(slots=True)
class Names:
    """What a connection knows by name; asked for once, until it is told to `forget`."""

    connection: Connection
    _columns: dict[str, list[str]] | None = None
    _functions: list[str] = field(default_factory=list)

    def forget(self) -> None:
        """A statement was run: there may be other tables."""
        self._columns = None

    @property
    def columns(self) -> dict[str, list[str]]:
        """Of each table; none of a view that does not fit what it reads any more."""
        # A thread completes while another one forgets.
        found = self._columns
        if found is None:
            found = {}
            for name in self.connection.tables():
                try:
                    found[name] = self.connection.table(name).columns
                except TqpError:
                    found[name] = []
            self._columns = found
        return found

    @property
    def tables(self) -> list[str]:
        """Their names as a person types them, behind the schema that they need."""
        paths = map(self.connection.schemas.path_of, self.columns)
        return [".".join(map(_typed, (*path.qualifiers, path.name))) for path in paths]

    @property
    def functions(self) -> list[str]:
        if not self._functions:
            rows = self.connection.sql("SELECT DISTINCT function_name FROM duckdb_functions() ORDER BY 1").fetchall()
            self._functions = [name for (name,) in rows if name.isidentifier()]
        return self._functions


Opened = tuple["Session", Names]
"""What is there once the tables of the command line are open."""


def candidates(before: str, names: Names) -> list[Candidate]:
    """What may stand at the cursor, `before` which the text is; the likeliest first."""
    if before.lstrip().startswith("."):
        return list(_of_command(before.lstrip(), names))
    return list(_of_statement(before, names))


def _of_command(before: str, names: Names) -> Iterator[Candidate]:
    name, blank, argument = before.removeprefix(".").partition(" ")
    if not blank:
        yield from _beginning(name, COMMANDS, "command")
        return
    command = COMMANDS.get(name.lower())
    match command.takes if command else ():
        case "table":
            yield from _beginning(argument, names.tables, "table")
        case "file":
            yield from _files(argument.partition("=")[2] if "=" in argument else argument)
        case "sql":
            yield from _of_statement(argument, names)
        case words:
            yield from _beginning(argument, words, "")


def _of_statement(before: str, names: Names) -> Iterator[Candidate]:
    # Of quotes and remarks that end there are none left: what is left of them is open.
    plain = _CLOSED.sub(lambda found: found[0] if found[0][0] == '"' else " ", before)
    open_ = _CLOSED.sub(" ", before)
    if "'" in open_:
        yield from _files(open_.rpartition("'")[2])
        return
    if "--" in open_ or "/*" in open_:
        return
    if '"' in open_:
        word = open_.rpartition('"')[2]
        known = [*names.columns, *(column for columns in names.columns.values() for column in columns)]
        quoted = (f'{name.replace(chr(34), 2 * chr(34))}"' for name in known)
        yield from _beginning(word, quoted, "")
        return
    found = _WORD.search(plain)
    word = found[0] if found else ""
    statement = plain.rpartition(";")[2]
    if "." in word:
        if _keyword_before(statement[: len(statement) - len(word)]) in _TABLES_BEHIND:
            yield from _beginning(word, names.tables, "table")
        qualifier, _, word = word.rpartition(".")
        yield from _beginning(word, map(_typed, _columns_of(qualifier, statement, names)), "column")
        return
    behind = _keyword_before(statement[: len(statement) - len(word)])
    if behind in _SETTINGS_BEHIND:
        yield from _beginning(word, SETTINGS, "setting")
        return
    if behind in _TABLES_BEHIND:
        yield from _beginning(word, names.tables, "table")
    elif word or behind in _COLUMNS_BEHIND:
        yield from _beginning(word, map(_typed, _columns_in(statement, names)), "column")
    if word:
        yield from _beginning(word, (f"{name}(" for name in names.functions), "function")
        keywords = sorted(KEYWORDS)
        yield from _beginning(word, map(str.lower, keywords) if word.islower() else keywords, "keyword")
        if behind not in _TABLES_BEHIND:
            yield from _beginning(word, names.tables, "table")


def _beginning(word: str, known: Iterable[str], kind: str) -> Iterator[Candidate]:
    start = word.lower()
    for text in dict.fromkeys(known):
        if text.lower().startswith(start) or text.lower().startswith(f'"{start}'):
            yield Candidate(text, len(word), kind)


def _typed(name: str) -> str:
    """A name as a person types it: keywords that may be names, such as `year` and `name`, need no quotes."""
    is_plain = _PLAIN.fullmatch(name) and name.upper() not in _QUOTED
    return name if is_plain else quoted_name(name)


def _keyword_before(text: str) -> str:
    """The last keyword of the text, in upper case; a word that is none may be a name or an alias."""
    words = (word.upper() for word in reversed(re.findall(r"\w+|,", text)))
    return next((word for word in words if word in KEYWORDS), "")


def _columns_of(qualifier: str, statement: str, names: Names) -> list[str]:
    """Of the table that is called so in the statement."""
    tables = {name.lower(): columns for name, columns in names.columns.items()}
    for _, table, alias in _ALIASES.findall(statement):
        if alias.lower() == qualifier.lower() and table.lower() in tables:
            return tables[table.lower()]
    return tables.get(qualifier.lower(), [])


def _columns_in(statement: str, names: Names) -> list[str]:
    """Of the tables that the statement reads, or of all where it names none so far."""
    read = {table.lower() for _, table, _ in _ALIASES.findall(statement)}
    chosen = [columns for name, columns in names.columns.items() if name.lower() in read]
    return [column for columns in chosen or names.columns.values() for column in columns]


def _files(path: str) -> Iterator[Candidate]:
    folder, start = os.path.split(path)
    try:
        with os.scandir(os.path.expanduser(folder) or ".") as found:
            entries = sorted((entry.name, entry.is_dir()) for entry in found)
    except OSError:
        return
    for name, is_folder in entries:
        if name.startswith(start) and (start.startswith(".") or not name.startswith(".")):
            yield Candidate(name + "/" * is_folder, len(start), "folder" if is_folder else "file")
