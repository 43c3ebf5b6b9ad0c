"""Each row's nearest among others, and ranks, against what they mean."""

from __future__ import annotations

from hypothesis import given, settings

from tests.kernels.arguments import ARGUMENTS
from tests.kernels.arguments.drawn import Arguments
from tqp.kernels.nearest import nearest, ranked


@settings(deadline=None)
@given(ARGUMENTS["nearest.nearest"])
def test_nearest(args: Arguments) -> None:
    their_ids, theirs, our_ids, ours, _, strictly, above = args
    candidates = list(enumerate(zip(their_ids.tolist(), theirs.tolist(), strict=True)))
    wanted = []
    for group, value in zip(our_ids.tolist(), ours.tolist(), strict=True):
        sign = -1 if above else 1
        found = [
            (sign * other, row)
            for row, (one, other) in candidates
            if one == group and (sign * other < sign * value or (other == value and not strictly))
        ]
        wanted.append(max(found)[1] if found else -1)
    assert nearest(*args).tolist() == wanted


@settings(deadline=None)
@given(ARGUMENTS["nearest.ranked"])
def test_ranked(args: Arguments) -> None:
    (digits,) = args
    rows = list(zip(*(digit.tolist() for digit in digits), strict=True))
    places = {row: place for place, row in enumerate(sorted(set(rows)))}
    assert ranked(digits).tolist() == [places[row] for row in rows]
