"""What clocks of a time zone show, from the instants at which its offset from UTC changes.

A zone is `starts` (k,) int64, the microseconds since 1970 (UTC) of its changes in their order, and `offsets` (k + 1,) int64, the
microseconds that its clocks are ahead: before the first change, and after each. Rules go on for ever, and the calendar repeats
itself after 400 years: from `END` on an instant is taken for the one so many years before. All is element-wise on int64 tensors,
without NULLs, errors or waits.
"""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor

from tqp.kernels.calendar import DAY
from tqp.kernels.division import floor_div

__all__ = ["END", "instants", "offsets_at", "offsets_of_clock"]

END: Final = 16_725_225_600_000_000
"""2500-01-01."""
_PERIOD: Final = 146_097 * DAY


def _within(micros: Tensor) -> Tensor:
    """The like instants before `END`."""
    return micros - floor_div(micros.clamp(min=END - 1) - END, _PERIOD).add(1) * _PERIOD


def offsets_at(micros: Tensor, starts: Tensor, offsets: Tensor) -> Tensor:
    """The offset at each instant."""
    return offsets.take(torch.searchsorted(starts, _within(micros), right=True))


def offsets_of_clock(shown: Tensor, starts: Tensor, offsets: Tensor) -> Tensor:
    """The offset at which clocks show a time: of two such instants the later, and where clocks pass the time over that before."""
    return offsets.take(torch.searchsorted(starts + offsets[1:], _within(shown), right=True))


def instants(shown: Tensor, starts: Tensor, offsets: Tensor) -> Tensor:
    """The instants at which clocks show these times, as `offsets_of_clock` says."""
    return shown - offsets_of_clock(shown, starts, offsets)
