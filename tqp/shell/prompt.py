"""Lines from a terminal by prompt_toolkit: in colours, with completion, a history, and several lines to a statement."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.lexers import PygmentsLexer
from pygments.lexers.sql import PostgresLexer

from tqp.shell.completion import Names, candidates

__all__ = ["PromptLines", "history_file"]


class PromptLines:
    """What is typed, one whole statement or command at a time."""

    def __init__(self, names: Names, is_whole: Callable[[str], bool]) -> None:
        self._session: PromptSession[str] = PromptSession(
            "tqp> ",
            # Return ends a line of what is not whole, and else the statement.
            multiline=Condition(lambda: not is_whole(get_app().current_buffer.document.text)),
            prompt_continuation=lambda width, line, wrapped: ".." * (width // 2 - 1) + "> ",
            lexer=PygmentsLexer(PostgresLexer),
            completer=_Completer(names),
            complete_while_typing=True,
            complete_in_thread=True,
            auto_suggest=AutoSuggestFromHistory(),
            history=_history(),
            enable_open_in_editor=True,
        )

    def read(self) -> str:
        """EOFError for Ctrl-D, KeyboardInterrupt for Ctrl-C."""
        return self._session.prompt()


class _Completer(Completer):
    def __init__(self, names: Names) -> None:
        self._names = names

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        before = document.text_before_cursor
        if before[-1:] != "." and not before[-1:].isalnum() and not complete_event.completion_requested:
            return  # nothing is begun
        for found in candidates(before, self._names):
            yield Completion(found.text, -found.replaced, display_meta=found.kind)


def history_file() -> Path:
    """Where what was typed is kept: in the folder for the state of programs."""
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "tqp" / "history"


def _history() -> History:
    path = history_file()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
    except OSError:
        return InMemoryHistory()
    return FileHistory(path)
