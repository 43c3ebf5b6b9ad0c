"""What is typed that is no SQL: commands, and what people type by habit of other shells. Loads nothing that is large."""

from __future__ import annotations

from typing import Final

__all__ = ["ELSEWHERE", "is_command", "meant"]

_WORDS: Final = {
    "exit": ".exit",
    "quit": ".quit",
    "help": ".help",
    "\\q": ".quit",
    "\\?": ".help",
    "\\d": ".tables",
    "\\dt": ".tables",
}
"""What stands for commands where it is all that was typed at a prompt: no SQL is such a word."""

ELSEWHERE: Final = {
    "bail": "the first error ends a script",
    "cd": "paths are relative to the folder in which tqp was started",
    "databases": ".tables lists the tables; there is one database",
    "dump": "COPY sales TO 'sales.parquet' writes a table",
    "echo": "tqp does not repeat what it runs",
    "header": "names of columns are always shown; COPY … TO 'rows.csv' (HEADER false) writes none",
    "headers": "names of columns are always shown; COPY … TO 'rows.csv' (HEADER false) writes none",
    "import": ".open [NAME=]PATH makes a table of a file; SELECT … FROM 'sales.csv' needs no name",
    "indexes": "tqp makes its indexes itself",
    "maxrows": ".rows N",
    "maxwidth": ".width N",
    "nullvalue": "NULL is shown as NULL; COPY … TO 'rows.csv' (NULLSTR 'none') writes another word",
    "output": ".once FILE writes the rows of the next query, COPY (SELECT …) TO 'rows.csv' those of one",
    "print": "SELECT 'text'",
    "save": "COPY sales TO 'sales.parquet' writes a table",
    "separator": "COPY … TO 'rows.csv' (DELIMITER ';')",
    "shell": "Ctrl-Z suspends tqp, fg resumes it",
    "show": "SELECT * FROM duckdb_settings() lists the settings",
    "stats": ".timer on, or .explain analyze",
    "system": "Ctrl-Z suspends tqp, fg resumes it",
}
"""Commands of other shells, and what does the same here."""


def is_command(text: str) -> bool:
    return text.lstrip().startswith(".")


def meant(text: str) -> str:
    """What a text typed at the prompt stands for: a command for `exit` and the like and behind a backslash, else itself."""
    typed = text.strip(" \t\n;")
    if typed.lower() in _WORDS:
        return _WORDS[typed.lower()]
    return f".{typed[1:]}" if typed.startswith("\\") else text
