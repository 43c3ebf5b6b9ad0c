"""Text that a terminal has no room for goes to a pager."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from contextlib import suppress

__all__ = ["pager", "show"]


def pager() -> list[str] | None:
    """The command that pages text: that of PAGER, or less; None where there is none, or no terminal."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return None
    command = shlex.split(os.environ.get("PAGER", "")) or ["less", "-SRFX"]
    return command if shutil.which(command[0]) else None


def show(text: str, *, paged: bool = True) -> None:
    """Print the text, by way of the pager if it has more lines than the terminal."""
    command = pager() if paged else None
    if command is None or text.count("\n") + 2 < shutil.get_terminal_size().lines:
        print(text)
        return
    sys.stdout.flush()
    environment = {"LESSCHARSET": "utf-8", **os.environ}
    with subprocess.Popen(command, stdin=subprocess.PIPE, env=environment) as process:
        assert process.stdin is not None
        # Who leaves the pager early has read enough.
        with suppress(BrokenPipeError, KeyboardInterrupt), process.stdin as pipe:
            pipe.write(f"{text}\n".encode())
        while process.poll() is None:
            # Ctrl-C is the pager's own.
            with suppress(KeyboardInterrupt):
                process.wait()
