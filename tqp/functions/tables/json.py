"""json_each and json_tree: what is in JSON as rows, its members and elements or all values at any depth."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any, Final, cast

import pyarrow as pa
import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.copies import placed
from tqp.errors import BindError, ExecutionError
from tqp.functions.entries import mapped, spread
from tqp.functions.json.registering import text_types
from tqp.functions.json_paths import Step, has_many, path_of
from tqp.functions.json_text import MISSING, Members, Missing, Value, kind, parsed, written
from tqp.functions.per_text import column_of
from tqp.functions.registry import Args
from tqp.functions.tables.registry import Asked, TableSignature, table_function
from tqp.ir.expr import Expr, Literal
from tqp.ir.inputs import decide
from tqp.types import BIGINT, JSON, UBIGINT, VARCHAR

__all__: list[str] = []

_COLUMNS: Final = (
    ("key", VARCHAR), ("value", JSON), ("type", VARCHAR), ("atom", JSON), ("id", UBIGINT), ("parent", UBIGINT),
    ("fullkey", VARCHAR), ("path", VARCHAR), ("json", JSON), ("root", VARCHAR), ("rowid", BIGINT),
)  # fmt: skip
_HIDDEN: Final = ("json", "root", "rowid")
_PLAIN: Final = re.compile("[A-Za-z][A-Za-z0-9_]*")
_ROOT: Final = "$"

_Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class _Rows:
    """The rows of all distinct texts, one text's after the other; of a row of arguments `counts` (n,) from `begins` (n,)."""

    counts: Tensor
    begins: Tensor
    found: list[Column]

    def columns(self, asked: Asked) -> list[Column]:
        return [column.take(asked.places) for column in self.found]


def _types(name: str, args: tuple[Expr, ...]) -> TableSignature:
    if not 1 <= len(args) <= 2:
        raise BindError(f"{name} takes JSON and, if need be, a path, not {len(args)} arguments")
    if (
        len(args) == 2
        and isinstance(args[1], Literal)
        and not args[1].is_null
        and not decide(_leads_somewhere, args[1])
    ):
        raise BindError(f"the path of {name} begins with $, and has no wildcard")
    return text_types(name, args, 1), _COLUMNS


def _leads_somewhere(path: Literal) -> bool:
    return isinstance(path.value, str) and not has_many(path.value) and path.value[:1] not in ("", "/")


def _register(name: str, is_deep: bool) -> None:
    @table_function(name, types=partial(_types, name), correlated=True, hidden=_HIDDEN)
    def open_(args: Args, rows: int) -> _Rows:
        def tried(text: str | None, path: str | None = _ROOT) -> list[_Row] | ExecutionError:
            try:
                if text is None or path is None:
                    return []
                return [(*row, text, _prefix(path), number) for number, row in enumerate(_rows(text, path, is_deep))]
            except ExecutionError as error:
                return error

        entries = spread(args, nulls=True)
        results = mapped(tried, entries)
        failed = pa.array([isinstance(result, ExecutionError) for result in results], pa.bool_())
        entries.check(failed, args, lambda place: cast("ExecutionError", results[place]))
        each = [[] if isinstance(result, ExecutionError) else result for result in results]
        flat = [row for of in each for row in of]
        device = args[0].device
        found = [
            column_of([row[place] for row in flat], dtype).moved(lambda tensor: placed(tensor, device))
            for place, (_, dtype) in enumerate(_COLUMNS)
        ]
        counts = torch.tensor([len(of) for of in each], dtype=torch.int64, device=torch.device("cpu"))
        starts = torch.cumsum(counts, 0) - counts
        return _Rows(entries.rows(counts).reshape(-1), entries.rows(starts).reshape(-1), found)


_register("json_each", False)
_register("json_tree", True)


def _rows(text: str, path: str, is_deep: bool) -> list[_Row]:
    """The rows of what a path leads to: of all in it, or of its members and elements, or of itself where it has no such parts."""
    steps, prefix = path_of(path).steps, _prefix(path)
    value, number = parsed(text), 0
    for step in steps:
        inner, before = _step(value, step)
        if isinstance(inner, Missing):
            return []
        value, number = inner, number + before
    rows = list(_walk(value, count(number), (None, None, prefix, prefix)))
    if is_deep or not isinstance(value, list | Members):
        return rows
    parent = _COLUMNS.index(("parent", UBIGINT))
    return [(*row[:parent], None, *row[parent + 1 :]) for row in rows if row[parent] == number]


def _prefix(path: str) -> str:
    """A path as it is shown; what does not begin with $ is the name of a member."""
    return path if path.startswith(_ROOT) else f'{_ROOT}."{path}"'


def _walk(value: Value, numbers: Iterator[int], place: tuple[str | None, int | None, str, str]) -> Iterator[_Row]:
    """The row of a value and those of all that is in it. `numbers` count values as they come in the text, names too; `place` is
    its key, the number of what it is in, and the paths to it and to that."""
    key, parent, fullkey, path = place
    number, text = next(numbers), written(value)
    is_atom = not isinstance(value, list | Members) and value is not None
    yield key, text, kind(value), text if is_atom else None, number, parent, fullkey, path
    if isinstance(value, list):
        for position, item in enumerate(value):
            yield from _walk(item, numbers, (str(position), number, f"{fullkey}[{position}]", fullkey))
    elif isinstance(value, Members):
        for name, item in value.pairs:
            next(numbers)
            shown = name if _PLAIN.fullmatch(name) else written(name)
            yield from _walk(item, numbers, (name, number, f"{fullkey}.{shown}", fullkey))


def _step(value: Value, step: Step) -> tuple[Value | Missing, int]:
    """What a step leads to, and how many values and names come before it in the value."""
    before = 1
    if isinstance(value, Members):
        for name, item in value.pairs:
            if name == step:
                return item, before + 1
            before += 1 + _size(item)
    elif isinstance(value, list) and isinstance(step, int):
        place = step + len(value) if step < 0 else step
        if 0 <= place < len(value):
            return value[place], before + sum(map(_size, value[:place]))
    return MISSING, 0


def _size(value: Value) -> int:
    if isinstance(value, Members):
        return 1 + sum([1 + _size(item) for _, item in value.pairs])
    return 1 + sum(map(_size, value)) if isinstance(value, list) else 1
