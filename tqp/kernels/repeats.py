"""Ranges one behind the other, each half of them by itself: whose each number is, and which number it is.

`tqp.kernels.rows.expand` gives both at once, for those who read both.
"""

from __future__ import annotations

from typing import Any, Final

import torch
from torch import Tensor

from tqp.kernels import waits
from tqp.kernels.loops.counting import put_ranges, repeat_owners, repeat_places
from tqp.kernels.operation import STATE, Variant, operation
from tqp.kernels.rows import row_dtype

__all__ = ["follow_from", "owners", "places", "put_"]

_WHY = "whether ranges follow each other"
_FIRST = 256
_MOST = 2**62


def _owners_by_loop(counts: Tensor, first: int, total: int) -> Tensor:
    found = torch.empty(total, dtype=row_dtype(first + counts.shape[0]), device=counts.device)
    repeat_owners(counts.contiguous().numpy(), first, found.numpy())
    return found


def _owners_ready(counts: Tensor, first: int, total: int) -> bool:
    return repeat_owners.ready(total, counts.dtype, int, row_dtype(first + counts.shape[0]))


@operation(Variant(_owners_by_loop, "cpu", "each range is written at once, nothing is added up", _owners_ready))
def owners(counts: Tensor, first: int, total: int) -> Tensor:
    """first + p, `counts[p]` times for each p: (total,) int32, or int64 where p is large.

    `counts` (p,) int32 or int64, >= 0, have the sum `total`. Two passes over p, one over what is given; nothing waits.
    """
    numbers = torch.arange(
        first, first + counts.shape[0], dtype=row_dtype(first + counts.shape[0]), device=counts.device
    )
    return torch.repeat_interleave(numbers, counts, output_size=total)


def _places_by_loop(starts: Tensor, counts: Tensor, total: int) -> Tensor:
    found = torch.empty(total, dtype=starts.dtype, device=counts.device)
    repeat_places(starts.contiguous().numpy(), counts.contiguous().numpy(), found.numpy())
    return found


def _places_ready(starts: Tensor, counts: Tensor, total: int) -> bool:
    return repeat_places.ready(total, starts.dtype, counts.dtype, starts.dtype)


@operation(Variant(_places_by_loop, "cpu", "each range is written at once, nothing is added up", _places_ready))
def places(starts: Tensor, counts: Tensor, total: int) -> Tensor:
    """starts[p] .. starts[p] + counts[p] - 1 for each p, one range after the other: (total,) of the dtype of `starts`.

    `starts` and `counts` (p,) int32 or int64, counts >= 0 with the sum `total`; what is given fits the dtype. `starts[p]` is not
    read where counts[p] is 0. Few passes over p and over what is given; nothing waits.
    """
    moves = starts - (torch.cumsum(counts, 0, dtype=torch.int64) - counts)
    found = torch.repeat_interleave(moves, counts, output_size=total)
    return found.add_(torch.arange(total, dtype=torch.int64, device=counts.device)).to(starts.dtype)


def _origin(starts: Tensor, counts: Tensor) -> tuple[Tensor, Tensor]:
    """The least and the greatest place at which all begin, as each range says; the least is above where all are empty."""
    before = starts - (torch.cumsum(counts, 0, dtype=torch.int64) - counts)
    some = counts > 0
    return torch.where(some, before, _MOST).amin(), torch.where(some, before, -_MOST).amax()


def _settled(low: int, high: int) -> int | None:
    return (low if low == high else None) if low <= high else 0


def _first_ones_first(starts: Tensor, counts: Tensor) -> int | None:
    if STATE.watchers:
        waits.expected(_WHY)
    found = None
    for rows in (_FIRST, counts.shape[0]):
        low, high = _origin(starts[:rows], counts[:rows])
        found = _settled(int(low), int(high))  # host: for the CPU alone
        if found is None:
            break
    return found


@operation(Variant(_first_ones_first, "cpu", "most that do not follow each other show it in the first rows"))
def follow_from(starts: Tensor, counts: Tensor) -> int | None:
    """Where the first of some ranges begins if each begins where the one before it ends, empty ones aside; else None.

    `starts` and `counts` (p,) int64, p > 0, counts >= 0; 0 where all are empty. A few passes over p; a sync on a GPU.
    """
    return _settled(*waits.several(_origin(starts, counts), _WHY))


_IMAGES: Final = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def _bits(values: Tensor) -> Any:
    """Numbers of one dimension as integers of their width."""
    return values.contiguous().view(_IMAGES[values.element_size()]).numpy()


def _put_by_loop(found: Tensor, values: Tensor, counts: Tensor, targets: Tensor) -> Tensor:
    put_ranges(_bits(values), counts.contiguous().numpy(), targets.contiguous().numpy(), _bits(found))
    return found


def _puts(found: Tensor, values: Tensor, counts: Tensor, targets: Tensor) -> bool:
    if values.ndim != 1 or not found.is_contiguous() or values.dtype is not found.dtype:
        return False
    kind = _IMAGES[values.element_size()]
    return put_ranges.ready(values.shape[0], kind, counts.dtype, targets.dtype, kind)


@operation(Variant(_put_by_loop, "cpu", "each range is copied as it lies, no place is written down", _puts))
def put_(found: Tensor, values: Tensor, counts: Tensor, targets: Tensor) -> Tensor:
    """Write `values` (n, …), counts[p] >= 0 of them for each p one behind the other, to the rows of `found` (m, …) from targets[p]
    on, in place.

    `counts` (p,) int32 or int64 have the sum n, `targets` (p,) are int64; no row is written twice. One pass over n.
    """
    return found.index_copy_(0, places(targets, counts.long(), values.shape[0]), values)
