"""A kernel of Jupyter in a process of its own, as a notebook has one."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from jupyter_client.manager import KernelManager, start_new_kernel

ROOT = Path(__file__).parents[2]
SECONDS = 120

_COLOURS = re.compile("\x1b\\[[0-9;]*m")


class Kernel:
    """Runs cells; what each shows comes as the contents of the kernel's messages."""

    def __init__(self, manager: KernelManager, client: Any) -> None:
        self._manager = manager
        self._client = client

    def __call__(
        self, text: str, meanwhile: Callable[[str, dict[str, Any]], None] | None = None
    ) -> list[dict[str, Any]]:
        """What the cell shows, one after the other; `meanwhile` is told of each as it comes."""
        shown: list[dict[str, Any]] = []

        def hear(message: dict[str, Any]) -> None:
            kind, content = message["msg_type"], message["content"]
            if kind in ("stream", "display_data", "update_display_data", "execute_result", "error"):
                shown.append({"kind": kind, **content})
                if meanwhile is not None:
                    meanwhile(kind, content)

        self._client.execute_interactive(text, output_hook=hear, timeout=SECONDS)
        return shown

    def interrupt(self) -> None:
        """What the button ■ does."""
        self._manager.interrupt_kernel()

    def value(self, text: str) -> str:
        """The value of a cell as text; AssertionError for a cell that has none."""
        (one,) = (content for content in self(text) if content["kind"] == "execute_result")
        return str(one["data"]["text/plain"])

    def error(self, text: str, **more: Any) -> str:
        """The error of a cell as it is shown, without colours."""
        (one,) = (content for content in self(text, **more) if content["kind"] == "error")
        return _COLOURS.sub("", "\n".join(one["traceback"]))


def environment() -> dict[str, str]:
    """That of a user in this checkout, whose virtual environment is active: nothing that the tests set for themselves."""
    own = {name: value for name, value in os.environ.items() if name != "TQP_LOOPS"}
    first = {"PATH": str(Path(sys.executable).parent), "PYTHONPATH": str(ROOT)}
    return {**own, **{name: os.pathsep.join([place, *filter(None, [own.get(name)])]) for name, place in first.items()}}


@contextmanager
def kernel(folder: Path) -> Iterator[Kernel]:
    """A kernel in a folder, which knows the magics."""
    manager, client = start_new_kernel(kernel_name="python3", cwd=str(folder), env=environment())
    try:
        run = Kernel(manager, client)
        assert run("%load_ext tqp\nimport tqp") == []
        yield run
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
