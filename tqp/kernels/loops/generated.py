"""Loops whose text is written while queries run.

Numba's cache is by files, so each text is one, named by its content, in the user's cache (`cache_folder`): another process finds
it compiled. The last 512 are kept. Where nothing can be written, it is compiled anew
each time.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final
from weakref import WeakValueDictionary

from tqp.kernels.loops.beside import load
from tqp.kernels.loops.compiling import OPTIONS, cache_folder
from tqp.kernels.loops.loop import Loop

__all__ = ["generated"]

_NAME = "loop"
_MOST = 512
"""Texts that are kept; those that nobody has used for longest go first."""
_KNOWN: Final[WeakValueDictionary[str, Loop[..., Any]]] = WeakValueDictionary()


def generated(text: str) -> Loop[..., Any]:
    """The loop that the text of a module defines by the name of `loop`; the same one as long as somebody has it."""
    # What Numba keeps of a file does not say how it was compiled.
    name = f"tqp_loop_{hashlib.sha256(f'{text}{OPTIONS}'.encode()).hexdigest()[:32]}"
    found = _KNOWN.get(name)
    if found is None:
        # Two threads may make one each, which do the same.
        _KNOWN[name] = found = Loop(_function(name, text), ())
    return found


def _function(name: str, text: str) -> Callable[..., Any]:
    try:
        path = _written(name, text)
    except OSError:
        space: dict[str, Any] = {"__name__": name}
        exec(compile(text, f"<{name}>", "exec"), space)
        return space[_NAME]  # type: ignore[no-any-return]
    return getattr(load(name, path), _NAME)  # type: ignore[no-any-return]


def _written(name: str, text: str) -> Path:
    """The file with that text, whole whoever else writes it."""
    home = cache_folder()
    path = home / f"{name}.py"
    try:
        if path.read_text() == text:
            path.touch()
            return path
    except (FileNotFoundError, UnicodeDecodeError):
        pass
    home.mkdir(parents=True, exist_ok=True)
    descriptor, making = tempfile.mkstemp(dir=home)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
    Path(making).replace(path)
    _forget_oldest(home)
    return path


def _forget_oldest(home: Path) -> None:
    """Let go of texts beyond `_MOST`, with what Numba made of them."""
    ages = {path: path.stat().st_mtime for path in home.glob("*.py")}
    for old in sorted(ages, key=ages.__getitem__)[:-_MOST]:
        for made in (home / "__pycache__").glob(f"{old.stem}.*"):
            made.unlink(missing_ok=True)
        old.unlink(missing_ok=True)
