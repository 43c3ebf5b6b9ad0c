"""The loop that finds each row's nearest among other rows in one pass over both."""

from __future__ import annotations

from typing import Any

from tqp.kernels.loops.loop import loop

__all__ = ["sweep"]


@loop()
def sweep(
    their_order: Any,
    their_ids: Any,
    theirs: Any,
    our_order: Any,
    our_ids: Any,
    ours: Any,
    last: Any,
    found: Any,
    strictly: bool,
    above: bool,
) -> None:
    """Write to `found` (n,) int64 what `kernels/nearest.py` says.

    `their_order` (m,), `our_order` (n,) int64: rows in the order of `theirs` and `ours`; empty: they are so. `last` (groups,)
    int64 holds -1.
    """
    rows, others = ours.size, theirs.size
    plain, others_plain = our_order.size == 0, their_order.size == 0
    if not above:
        place = 0
        for step in range(rows):
            row = step if plain else our_order[step]
            value = ours[row]
            while place < others:
                other = place if others_plain else their_order[place]
                if theirs[other] > value or (strictly and theirs[other] == value):
                    break
                last[their_ids[other]] = other
                place += 1
            found[row] = last[our_ids[row]]
        return
    place = others - 1
    for step in range(rows - 1, -1, -1):
        row = step if plain else our_order[step]
        value = ours[row]
        while place >= 0:
            other = place if others_plain else their_order[place]
            if theirs[other] < value or (strictly and theirs[other] == value):
                break
            # Of equal values the last comes first, and stays.
            before = last[their_ids[other]]
            if before < 0 or theirs[before] != theirs[other]:
                last[their_ids[other]] = other
            place -= 1
        found[row] = last[our_ids[row]]
