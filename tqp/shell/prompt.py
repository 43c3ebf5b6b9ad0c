"""Lines from a terminal by prompt_toolkit: in colours, with completion, a history, and several lines to a statement."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.lexers import PygmentsLexer
from pygments.lexers.sql import PostgresLexer

from tqp.shell.typed import is_command, meant

if TYPE_CHECKING:
    from tqp.shell.completion import Opened

__all__ = ["PromptLines", "history_file"]


class PromptLines:
    """What is typed, one whole statement or command at a time.

    The first may be typed before the tables are `opened`, which `start` begins to do: a semicolon ends it, wherever that stands.
    """

    def __init__(self, opened: Future[Opened], start: Callable[[], None], is_whole: Callable[[str], bool]) -> None:
        self._opened = opened
        self._start: Callable[[], None] | None = start

        def is_ended(text: str) -> bool:
            if opened.done():
                return is_whole(text)
            return not text.strip() or is_command(meant(text)) or text.rstrip().endswith(";")

        self._session: PromptSession[str] = PromptSession(
            "tqp> ",
            # Return ends a line of what is not whole, and else the statement.
            multiline=Condition(lambda: not is_ended(get_app().current_buffer.document.text)),
            prompt_continuation=lambda width, line, wrapped: ".." * (width // 2 - 1) + "> ",
            lexer=PygmentsLexer(PostgresLexer),
            completer=_Completer(opened),
            complete_while_typing=True,
            complete_in_thread=True,
            auto_suggest=AutoSuggestFromHistory(),
            history=_history(),
            enable_open_in_editor=True,
        )

    def read(self) -> str:
        """EOFError for Ctrl-D, KeyboardInterrupt for Ctrl-C; the error of tables that could not be opened."""
        text = self._session.prompt(pre_run=self._began)
        self._begin()  # whoever typed ahead was faster
        return text

    def _begin(self) -> None:
        start, self._start = self._start, None
        if start is not None:
            start()

    def _began(self) -> None:
        """The prompt is there: the tables are opened now, and it ends where they cannot be."""
        app = get_app()

        def end(opened: Future[Opened]) -> None:
            error = opened.exception()
            if error is not None and app.loop is not None:
                with suppress(RuntimeError):  # the loop of a prompt that has ended
                    app.loop.call_soon_threadsafe(lambda: app.is_running and app.exit(exception=error))

        if self._start is not None:
            # When it is on the screen, which loading would keep it from.
            assert app.loop is not None
            app.loop.call_later(0.05, self._begin)
        self._opened.add_done_callback(end)


class _Completer(Completer):
    def __init__(self, opened: Future[Opened]) -> None:
        self._opened = opened

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        before = document.text_before_cursor
        if before[-1:] != "." and not before[-1:].isalnum() and not complete_event.completion_requested:
            return  # nothing is begun
        # Nobody waits here: the prompt ends only when its completion has.
        if not self._opened.done() or self._opened.exception() is not None:
            return
        from tqp.shell.completion import candidates

        _, names = self._opened.result()
        for found in candidates(before, names):
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
