"""How a listed program is spelled: names, literals and calls as Python writes them.

Whatever a query names its columns and says in its constants, the text stays valid code that means what ran. Temporaries are
written as `temporary(n)` marks, which no name, literal or comment can hold, until the whole function is known.
"""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from torch.overrides import resolve_name

import tqp.kernels
from tqp.ir.show import printable

__all__ = [
    "KERNELS", "MARK", "Names", "comment", "numbered", "quoted", "returning", "temporary", "torch_call",
]  # fmt: skip

KERNELS: Final = Path(tqp.kernels.__path__[0])
MARK: Final = re.compile("\0\\d+\0")

_WIDTH = 120
_NUMBERED = re.compile(r"t\d+")
_RESERVED = {"torch", "float", *(path.stem for path in KERNELS.glob("*.py")), *keyword.kwlist}
_OPERATORS = {
    "add": "+", "sub": "-", "mul": "*", "and": "&", "or": "|", "xor": "^", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
    "eq": "==", "ne": "!=", "floordiv": "//", "mod": "%", "truediv": "/",
}  # fmt: skip


def temporary(number: int) -> str:
    """The mark of a temporary, which `numbered` replaces."""
    return f"\0{number}\0"


class Names:
    """Identifiers that differ from one another, from temporaries, and from what the code uses itself."""

    def __init__(self, taken: Iterable[str] = _RESERVED) -> None:
        self._taken = set(taken)

    def take(self, wanted: str) -> str:
        """An identifier that reads like `wanted`, given to nobody else."""
        # Python takes letters that look alike for the same, as ﬁ and fi.
        text = "".join(char if f"a{char}".isidentifier() else "_" for char in unicodedata.normalize("NFKC", wanted))
        return self.unique(text if text.isidentifier() and not _NUMBERED.fullmatch(text) else f"c_{text}")

    def unique(self, wanted: str) -> str:
        """`wanted` itself, with a number if it is taken."""
        name, number = wanted, 1
        while name in self._taken:
            number += 1
            name = f"{wanted}_{number}"
        self._taken.add(name)
        return name


def quoted(text: str) -> str:
    """A string literal in double quotes, on one line."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{printable(escaped)}"'


def comment(text: str) -> str:
    """A comment on one line."""
    return f"# {printable(text)}"


def numbered(text: str) -> str:
    """The text with its temporaries as t1, t2, … in the order in which they occur."""
    numbers: dict[str, str] = {}
    return MARK.sub(lambda found: numbers.setdefault(found[0], f"t{len(numbers) + 1}"), text)


def returning(pairs: Sequence[tuple[str, str]]) -> str:
    """The return of a dict of expressions by key, in several lines if it is long."""
    items = [f"{quoted(key)}: {value}" for key, value in pairs]
    line = f"    return {{{', '.join(items)}}}"
    if len(line) <= _WIDTH:
        return line
    return "\n".join(["    return {", *(f"        {item}," for item in items), "    }"])


def torch_call(func: Any, name: str, args: list[str], keywords: list[str]) -> str:
    """A call of a torch function: as an operator, a subscript, a method or a function."""
    plain = name.strip("_")
    if name.startswith("__r") and plain[1:] in _OPERATORS and len(args) == 2:
        return f"{args[1]} {_OPERATORS[plain[1:]]} {args[0]}"
    if name.startswith("__") and plain in _OPERATORS and len(args) == 2:
        return f"{args[0]} {_OPERATORS[plain]} {args[1]}"
    if name.startswith("__i") and plain[1:] in _OPERATORS and len(args) == 2:
        return f"{args[0]} {_OPERATORS[plain[1:]]}= {args[1]}"
    if name == "__invert__":
        return f"~{args[0]}"
    if name == "__getitem__":
        return f"{args[0]}[{args[1]}]"
    full = resolve_name(func) or name
    if full.startswith("torch.Tensor.") and args:
        return f"{args[0]}.{name}({', '.join([*args[1:], *keywords])})"
    return f"{full}({', '.join([*args, *keywords])})"
