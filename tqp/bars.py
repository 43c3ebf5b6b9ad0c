"""Where progress is shown: a bar in a terminal, by rich, or an element of a notebook's page."""

from __future__ import annotations

import sys
from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING, Any

from tqp.errors import BindError
from tqp.io.libraries import need
from tqp.locks import Lock
from tqp.runtime.progress import Progress

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

__all__ = ["NotebookBar", "TerminalBar", "teller"]


def teller(progress: object) -> Callable[[Progress], None] | None:
    """What is told of progress: a function as it is given, a bar for True, nothing for False; BindError for anything else."""
    if progress is False:
        return None
    if progress is True:
        if is_notebook():
            return NotebookBar()
        need("rich", "a progress bar", extra="progress")
        return TerminalBar()
    if not callable(progress):
        raise BindError(f"progress={progress!r} is neither True, False nor a function")
    return progress


def is_notebook() -> bool:
    """Whether this process shows pages, as Jupyter's kernels do."""
    # Nobody has a shell of IPython who has not imported it.
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return shell is not None and getattr(shell, "kernel", None) is not None


class TerminalBar:
    """A line for each run in progress on standard error, if that is a terminal; it goes when the run ends."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console
        self._bars: Bars | None = None
        self._tasks: dict[int, TaskID] = {}
        self._lock = Lock()

    def __call__(self, progress: Progress) -> None:
        with self._lock:
            bars = self._bars or self._begin()
            if progress.run not in self._tasks:
                self._tasks[progress.run] = bars.add_task("", total=None)
            task = self._tasks[progress.run]
            if progress.is_done:
                del self._tasks[progress.run]
                bars.remove_task(task)
                if not self._tasks:
                    bars.stop()
                    self._bars = None
                return
            bars.update(task, total=progress.total or None, completed=progress.rows, description=str(progress))
            bars.refresh()

    def _begin(self) -> Bars:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as Bars
        from rich.table import Column

        console = self._console or Console(stderr=True)
        # The bar keeps its places where the text needs more than there are.
        text = Column(ratio=1, no_wrap=True, overflow="ellipsis")
        columns = (
            BarColumn(bar_width=20, table_column=Column(min_width=20)),
            TextColumn("{task.description}", markup=False, table_column=text),
        )
        self._bars = Bars(
            *columns,
            console=console,
            auto_refresh=False,
            transient=True,
            expand=True,
            disable=not console.is_terminal,
        )
        self._bars.start()
        return self._bars


class NotebookBar:
    """An output of the cell for each run in progress; it is emptied when the run ends."""

    def __init__(self) -> None:
        self._shown: dict[int, Any] = {}

    def __call__(self, progress: Progress) -> None:
        from IPython.display import DisplayHandle

        handle = self._shown.get(progress.run)
        is_new = handle is None
        if handle is None:
            handle = self._shown[progress.run] = DisplayHandle()  # type: ignore[no-untyped-call]
        if progress.is_done:
            del self._shown[progress.run]
        shown = {"text/html": "", "text/plain": ""} if progress.is_done else _page(progress)
        (handle.display if is_new else handle.update)(shown, raw=True)


def _page(progress: Progress) -> dict[str, str]:
    share = "" if progress.share is None else f' value="{progress.share:.4f}"'
    bar = f'<progress max="1"{share} style="width: 12em; vertical-align: middle"></progress>'
    return {"text/html": f"<div>{bar} <code>{escape(str(progress))}</code></div>", "text/plain": str(progress)}
