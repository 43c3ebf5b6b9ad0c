"""Time zones by their names, from the IANA data of the standard library's `zoneinfo`."""

from __future__ import annotations

import os
import struct
import zoneinfo
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final

import torch
from torch import Tensor

from tqp.errors import ExecutionError
from tqp.kernels import offsets
from tqp.kernels.calendar import FIRST_INSTANT, INFINITE_INSTANT, SECOND

__all__ = ["TimeZone", "known_zone", "local_zone", "zone_named"]

_OTHER_NAMES: Final = {
    "ACT": "Australia/Darwin", "AET": "Australia/Sydney", "AGT": "America/Argentina/Buenos_Aires", "ART": "Africa/Cairo",
    "AST": "America/Anchorage", "BET": "America/Sao_Paulo", "BST": "Asia/Dhaka", "CAT": "Africa/Harare", "CNT": "America/St_Johns",
    "CST": "America/Chicago", "CTT": "Asia/Shanghai", "EAT": "Africa/Addis_Ababa", "ECT": "Europe/Paris",
    "IET": "America/Indianapolis", "IST": "Asia/Kolkata", "JST": "Asia/Tokyo", "MIT": "Pacific/Apia", "NET": "Asia/Yerevan",
    "NST": "Pacific/Auckland", "PLT": "Asia/Karachi", "PNT": "America/Phoenix", "PRT": "America/Puerto_Rico",
    "PST": "America/Los_Angeles", "SST": "Pacific/Guadalcanal", "VST": "Asia/Ho_Chi_Minh",
}  # fmt: skip
"""Names that DuckDB knows beside IANA's."""
_HEADER: Final = struct.Struct(">4s c 15x 6I")
_STEP: Final = timedelta(days=14)
"""Rules keep an offset for longer than that."""


@dataclass(frozen=True, eq=False)
class TimeZone:
    """A zone under IANA's name for it: see `tqp.kernels.offsets`."""

    name: str
    starts: Tensor
    offsets: Tensor

    @property
    def is_utc(self) -> bool:
        return not len(self.starts) and not self.offsets.any()

    def on(self, device: torch.device) -> tuple[Tensor, Tensor]:
        """`starts` and `offsets` on the device."""
        return self.starts.to(device), self.offsets.to(device)

    def shown(self, micros: int) -> int:
        """What clocks show at an instant."""
        one = torch.tensor([micros], dtype=torch.int64, device="cpu")
        return micros + int(offsets.offsets_at(one, self.starts, self.offsets)[0])  # host: on the CPU

    def instant(self, shown: int) -> int | None:
        """The instant at which clocks show that; None where it is no timestamp."""
        one = torch.tensor([shown], dtype=torch.int64, device="cpu")
        found = shown - int(offsets.offsets_of_clock(one, self.starts, self.offsets)[0])  # host: on the CPU
        return found if FIRST_INSTANT <= found < INFINITE_INSTANT else None


def zone_named(name: str) -> TimeZone:
    """The zone of that name, in whatever letter case; ExecutionError where there is none."""
    found = known_zone(name)
    if found is None:
        raise ExecutionError(f"there is no time zone {name!r}", hint="names are such as 'Europe/Berlin' and 'UTC'")
    return found


def local_zone() -> str:
    """The name of the machine's zone; UTC where it has none, or one of UTC's other names."""
    place = Path("/etc/localtime")
    parts = place.resolve().parts if place.exists() else ()
    linked = "/".join(parts[parts.index("zoneinfo") + 1 :]) if "zoneinfo" in parts else ""
    for name in (os.environ.get("TZ", "").removeprefix(":"), linked):
        zone = known_zone(name) if name else None
        if zone is not None:
            return "UTC" if zone.is_utc else zone.name
    return "UTC"


@cache
def known_zone(name: str) -> TimeZone | None:
    """The zone of that name, in whatever letter case; None where there is none."""
    data = _data(name)
    if data is None:
        known = _by_lower_case().get(name.lower())
        return None if known is None else known_zone(known)
    starts, shown = _changes(zoneinfo.ZoneInfo(_OTHER_NAMES.get(name, name)), data)
    return TimeZone(
        _OTHER_NAMES.get(name, name),
        torch.tensor(starts, dtype=torch.int64, device="cpu") * SECOND,
        torch.tensor(shown, dtype=torch.int64, device="cpu") * SECOND,
    )


@cache
def _by_lower_case() -> dict[str, str]:
    return {name.lower(): name for name in (*zoneinfo.available_timezones(), *_OTHER_NAMES)}


def _data(name: str) -> bytes | None:
    """What is written of a zone of exactly this name."""
    key = _OTHER_NAMES.get(name, name)
    try:
        zoneinfo.ZoneInfo(key)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return None
    for folder in zoneinfo.TZPATH:
        file = Path(folder, key)
        if file.is_file():
            return file.read_bytes()
    return resources.files("tzdata.zoneinfo").joinpath(*key.split("/")).read_bytes()


def _changes(zone: zoneinfo.ZoneInfo, data: bytes) -> tuple[list[int], list[int]]:
    """The seconds of the changes of its offset until 2500, and the offsets in seconds; see RFC 8536 for the form."""
    _, version, *counts = _HEADER.unpack_from(data)
    at, width = 0, 4
    if version != b"\0":
        # After the same with times of 32 bits, in which that is all.
        at, width = _HEADER.size + _length(counts, 4), 8
        _, _, *counts = _HEADER.unpack_from(data, at)
    _, _, _, times, kinds, _ = counts
    start = at + _HEADER.size
    moments = struct.unpack_from(f">{times}{'q' if width == 8 else 'i'}", data, start)
    numbers = data[start + times * width : start + times * (width + 1)]
    table = start + times * (width + 1)
    known = [struct.unpack_from(">i", data, table + 6 * kind)[0] for kind in range(kinds)]
    starts, shown = [], [known[0]]
    for moment, number in zip(moments, numbers, strict=True):
        if known[number] != shown[-1]:
            starts.append(moment)
            shown.append(known[number])
    footer = data[at + _HEADER.size + _length(counts, width) :]
    if b"," in footer:
        _go_on(zone, starts, shown, max(moments, default=0))
    return starts, shown


def _length(counts: list[int], width: int) -> int:
    universal, standard, leaps, times, kinds, letters = counts
    return times * (width + 1) + kinds * 6 + letters + leaps * (width + 4) + standard + universal


def _go_on(zone: zoneinfo.ZoneInfo, starts: list[int], shown: list[int], since: int) -> None:
    """Add the changes that follow from the zone's rule."""
    low = datetime.fromtimestamp(since, UTC)
    end = datetime.fromtimestamp(offsets.END // SECOND, UTC)
    while low < end:
        high = low + _STEP
        after = _offset(zone, high)
        if after != shown[-1]:
            before, change = int(low.timestamp()), int(high.timestamp())
            while change - before > 1:
                middle = (before + change) // 2
                is_later = _offset(zone, datetime.fromtimestamp(middle, UTC)) == after
                before, change = (before, middle) if is_later else (middle, change)
            starts.append(change)
            shown.append(after)
        low = high


def _offset(zone: zoneinfo.ZoneInfo, moment: datetime) -> int:
    ahead = moment.astimezone(zone).utcoffset()
    assert ahead is not None
    return int(ahead.total_seconds())
