"""What the operations of a module tell of it: whether some row may be an error to it, and whether rows stay apart.

It runs on rows without values (torch's fake tensors), which let nobody look at a number: a module that decides by one fails on
them. It runs twice, with few and with many rows: what decides by their number, or computes with it, is another program then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Final

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode

from tqp.models.features import Numeric
from tqp.models.tensors.apart import Along, Given, Met, Rows, arguments_of
from tqp.models.tensors.failing import is_sure
from tqp.models.tensors.predictor import Call, Told
from tqp.models.tensors.row_rules import RULES

__all__ = ["told_of"]

_FEW: Final = (53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113)
_MANY: Final = 65_537
"""Primes: no other size that an operation sees is a multiple of them by chance."""


def told_of(call: Call, columns: Sequence[Tensor]) -> Told:
    """What is known of the call of a module, which takes the rows `columns`; of anything else, nothing.

    It runs as a twin with attributes of its own, so that none of the rows without values stays in it.
    """
    twin = call.callee.twin()
    module = call.callee.module
    if twin is None or module is None or any(map(_is_opaque, module.modules())):
        return Told()
    call = replace(call, callee=replace(call.callee, on=lambda device: twin))
    sizes = {size for one in chain(module.parameters(), module.buffers(), columns) for size in one.shape}
    few = next((prime for prime in _FEW if not any(size % prime == 0 for size in sizes if size)), None)
    if few is None:
        return Told()
    fake = FakeTensorMode(allow_non_fake_inputs=True)
    try:
        first = _First(fake, few)
        state = first.run(call, columns)
    except Exception:
        return Told()
    if isinstance(state, Met):
        return Told(meets=state.by)
    if state != Along():
        return Told()
    try:
        _Again(fake, few, first.seen).run(call, columns)
    except _DiffersError:
        return Told(meets="what its number of rows decides")
    except Exception:
        return Told()
    return Told(can_fail=not first.is_sure, apart=True)


def _is_opaque(part: torch.nn.Module) -> bool:
    """Whether it is compiled: its operations are not torch's any more."""
    return isinstance(part, torch.jit.ScriptModule) or hasattr(part, "_orig_mod")


class _Run(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """A run of a call with `count` rows without values."""

    def __init__(self, fake: FakeTensorMode, count: int) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._fake = fake
        self._count = count

    def answer(self, call: Call, columns: Sequence[Tensor]) -> Tensor:
        with self._fake:
            rows = [torch.empty((self._count, *one.shape[1:]), dtype=one.dtype, device=one.device) for one in columns]
            self.begin(rows)
            with self:
                return call.answer([Numeric(row) for row in rows])

    def begin(self, rows: Sequence[Tensor]) -> None:
        """The rows of the run are these."""


class _First(_Run):  # type: ignore[no-untyped-call]
    """Follows the rows, and keeps what ran."""

    def __init__(self, fake: FakeTensorMode, count: int) -> None:
        super().__init__(fake, count)
        self.is_sure = True
        self.seen: list[tuple[Any, list[Any]]] = []

    def begin(self, rows: Sequence[Tensor]) -> None:
        self._rows = Rows(self._count, rows, RULES)

    def run(self, call: Call, columns: Sequence[Tensor]) -> Along | Met | None:
        """Where the rows of the answer lie."""
        answer = self.answer(call, columns)
        return self._rows.of(answer)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        given = arguments_of(func, args, kwargs or {})
        if _counts(func):
            self.seen.append((func, _sizes(func, given)))
        found = func(*args, **(kwargs or {}))
        self.is_sure &= is_sure(func, found)
        if func.namespace != "prim":
            self._rows.follow(func, given, found)
        return found


class _DiffersError(Exception):
    """The other number of rows runs other operations."""


class _Again(_Run):  # type: ignore[no-untyped-call]
    """Requires the same operations, with the same numbers but for sizes, which grow with the rows or stay."""

    def __init__(self, fake: FakeTensorMode, before: int, seen: Sequence[tuple[Any, list[Any]]]) -> None:
        super().__init__(fake, _MANY)
        self._before = before
        self._seen = iter(seen)

    def run(self, call: Call, columns: Sequence[Tensor]) -> Tensor:
        found = self.answer(call, columns)
        if next(self._seen, None) is not None:
            raise _DiffersError
        return found

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if _counts(func):
            known, sizes = next(self._seen, (None, []))
            own = _sizes(func, arguments_of(func, args, kwargs or {}))
            if known is not func or len(own) != len(sizes) or not all(map(self._grows, sizes, own)):
                raise _DiffersError
        return func(*args, **(kwargs or {}))

    def _grows(self, before: Any, now: Any) -> bool:
        if before == now or before is now:
            return True
        whole = isinstance(before, int) and isinstance(now, int) and not isinstance(before, bool)
        return whole and before * self._count == now * self._before


def _counts(function: Any) -> bool:
    """Whether it computes; new tensors without values are detached now and then."""
    return function.namespace != "prim" and function is not torch.ops.aten.detach.default


def _sizes(function: Any, given: Given) -> list[Any]:
    """All that an operation is told, flat: the sizes of tensors and of shapes as they are, other numbers as texts."""
    found: list[Any] = []
    for argument in function._schema.arguments:
        value = given.get(argument.name)
        is_size = "int" in str(argument.type)
        for part in value if isinstance(value, list | tuple) else [value]:
            found += [len(part.shape), *part.shape] if isinstance(part, Tensor) else [part if is_size else repr(part)]
    return found
