"""An error as a notebook shows it: the caller's lines and the message, without what lies between them."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from functools import partial

__all__ = ["short_traceback", "shown_short"]

_CALLER_LINES = 3
_INNER = ("IPython", "ipykernel", "traitlets")


def short_traceback(error: BaseException) -> list[str]:
    """The last lines of the caller's code that led to tqp, the error with its message, and what it was raised from, if that is an
    error of others."""
    lines = ["Traceback (most recent call last):", *caller] if (caller := list(_caller_lines(error))) else []
    lines += (f"{type(error).__name__}: {error}" if str(error) else type(error).__name__).split("\n")
    cause = error.__cause__
    if cause is not None and type(cause).__module__ != type(error).__module__:
        lines.append(f"Cause: {type(cause).__name__}: {cause}")
    return lines + list(getattr(error, "__notes__", ()))


def shown_short(error: KeyboardInterrupt) -> None:
    """Have a notebook show the error, which is none of tqp's own, as it shows those."""
    # The error refers to itself then: nothing that a process without a shell shall collect.
    if "IPython" in sys.modules:
        error._render_traceback_ = partial(short_traceback, error)  # type: ignore[attr-defined]


def _caller_lines(error: BaseException) -> Iterator[str]:
    """Where the caller's code was, in the lines of `traceback`; none for what a magic calls, as its cell is the query."""
    frames, last = [], None
    for frame, number in traceback.walk_tb(error.__traceback__):
        home = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if home == "tqp":
            break
        place = (frame.f_code.co_filename, number)
        # A comprehension has a frame of its own in the same line.
        if home not in _INNER and place != last:
            frames.append((frame, number))
            last = place
    for found in traceback.StackSummary.extract(iter(frames[-_CALLER_LINES:])):
        if found.line and "get_ipython().run_" in found.line:
            continue
        yield f"  {_place(found.filename)}, line {found.lineno}"
        if found.line:
            yield f"    {found.line}"


def _place(filename: str) -> str:
    """A file by its name; a cell by its number, as the shell that runs it knows it."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    named = None if shell is None else shell.compile.format_code_name(filename)
    return f'File "{filename}"' if named is None else " ".join(named)
