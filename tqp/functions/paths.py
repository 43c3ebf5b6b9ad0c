"""Parts of paths: names of files and folders, and paths put together."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from tqp.data.column import Column
from tqp.errors import BindError, ExecutionError
from tqp.functions.by_value import by_value, computed
from tqp.functions.entries import spread
from tqp.functions.registry import Args, Kernel, Signature, TypeRule, scalar
from tqp.functions.signatures import fixed
from tqp.ir.expr import Expr
from tqp.types import BOOLEAN, VARCHAR, DType, list_of

__all__: list[str] = []

_SEPARATORS: Final = {"forward_slash": "/", "system": "/", "backslash": "\\"}
_EITHER: Final = "/\\"


def _folders(text: str, separator: str | None) -> list[str]:
    marks = _SEPARATORS.get(separator or "", _EITHER)
    return re.split(f"[{re.escape(marks)}]", text)


def _parse_filename(text: str, *options: bool | str | None) -> str:
    flags = [option for option in options if isinstance(option, bool)]
    separator = next((option for option in options if isinstance(option, str)), None)
    name = _folders(text, separator)[-1]
    return name.rpartition(".")[0] if any(flags) and "." in name else name


def _parse_dirname(text: str, separator: str | None = None) -> str:
    first, *others = _folders(text, separator)
    return "" if not others else first or text[0]


def _parse_dirpath(text: str, separator: str | None = None) -> str:
    last = _folders(text, separator)[-1]
    before = text[: len(text) - len(last)]
    return text if before == text and len(text) == 1 else before[:-1]


def _parse_path(text: str, separator: str | None = None) -> list[str]:
    steps = [step for step in _folders(text, separator) if step]
    return [text[0], *steps] if text and not _folders(text, separator)[0] else steps


def _types(name: str, flags: bool, out: DType) -> TypeRule:
    plain = fixed(name, out, VARCHAR, VARCHAR, optional=1)
    flagged = fixed(name, out, VARCHAR, BOOLEAN, VARCHAR, optional=1)

    def types(args: tuple[Expr, ...]) -> Signature:
        is_flag = flags and (len(args) == 3 or len(args) == 2 and args[1].dtype == BOOLEAN)
        return (flagged if is_flag else plain)(args)

    return types


def _kernel(function: Callable[..., str | list[str]]) -> Kernel:
    """Of what is NULL behind the path nothing is known: it is as if it were left out."""

    def kernel(args: Args, out: DType) -> Column:
        path, *options = args
        given = [
            Column(arg.data & arg.valid, BOOLEAN) if arg.dtype == BOOLEAN and arg.valid is not None else arg
            for arg in options
        ]
        found = computed(
            lambda text, *rest: function(text or "", *rest), (path, *given), out, spread((path, *given), nulls=True)
        )
        return (
            found
            if path.valid is None
            else found.with_valid(path.valid.expand(found.data.shape[: 0 if found.is_constant else 1]))
        )

    return kernel


for _name, _function in (
    ("parse_filename", _parse_filename),
    ("parse_dirname", _parse_dirname),
    ("parse_dirpath", _parse_dirpath),
    ("parse_path", _parse_path),
):
    _out = list_of(VARCHAR) if _function is _parse_path else VARCHAR
    scalar(_name, types=_types(_name, _function is _parse_filename, _out), strict=False, strict_first=1)(
        _kernel(_function)
    )


# Put together -------------------------------------------------------------------------------------------------------

_ANCHOR: Final = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<host>[^/]*)")


def _anchored(path: str) -> tuple[str, list[str]]:
    """What a path is under (a host, the root, or nothing) and its steps from there."""
    path = path.replace("\\", "/")
    match = _ANCHOR.match(path)
    if match is not None:
        return f"{match['scheme'].lower()}://{match['host']}/", path[match.end() :].split("/")
    return "/" if path.startswith("/") else "", path.split("/")


def _joined_types(args: tuple[Expr, ...]) -> Signature:
    if not args:
        raise BindError("path_join takes at least 1 argument")
    return fixed("path_join", VARCHAR, *[VARCHAR] * len(args))(args)


@by_value("path_join", VARCHAR, types=_joined_types)
def _path_join(first: str, *others: str) -> str:
    anchor, steps = _anchored(first)
    for other in others:
        under, more = _anchored(other)
        if under:
            raise ExecutionError(f"{other!r} does not go under {first!r}", hint="the others are relative")
        steps += more
    taken: list[str] = []
    for step in steps:
        if step == ".." and taken and taken[-1] != "..":
            taken.pop()
        elif step == ".." and not anchor or step not in ("", ".", ".."):
            taken.append(step)
    last = (first, *others)[-1].replace("\\", "/")
    closing = "/" if taken and last.endswith("/") and {*last.split("/")} - {"", "."} else ""
    return anchor + "/".join(taken) + closing if anchor or taken else "."
