"""The command `tqp`, and its exit codes: 0, 1 for an error in a query, 2 for wrong usage."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Final

from tqp.garbage import importing
from tqp.shell.arguments import FAILED, Options, Usage, read

__all__ = ["main"]

_WRONG_USAGE: Final = 2
_INTERRUPTED: Final = 130
_NO_READER: Final = 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; its exit code."""
    try:
        code = _run(read(arguments))
        sys.stdout.flush()
        return code
    except Usage as error:
        print(f"tqp: {error}\nTry 'tqp --help'.", file=sys.stderr)
        return _WRONG_USAGE
    except KeyboardInterrupt as stopped:
        # What was stopped, and where, if it was a query.
        print("\n".join(["", "Interrupted", *getattr(stopped, "__notes__", ())]), file=sys.stderr)
        return _INTERRUPTED
    except BrokenPipeError:
        # Whoever read the rows has enough of them.
        _drop_output()
        return _NO_READER
    except OSError as error:
        _drop_output()
        print(f"tqp: cannot write the rows: {error.strerror or error}", file=sys.stderr)
        return FAILED


def _run(options: Options) -> int:
    # What runs queries loads torch: not before it is sure that there are some.
    if options.scripts:
        with importing():
            from tqp.shell import batch

        return batch.run(options)
    if options.output is not None:
        raise Usage("an output needs a statement: -c, a file or standard input")
    with importing():
        from tqp.shell import repl

    return repl.run(options)


def _drop_output() -> None:
    """Write no more: Python would flush the rest at its end, and complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
