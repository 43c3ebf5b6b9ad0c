"""Arguments for every operation: what `test_operations` calls its forms with. A module for each family of kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from tests.kernels.arguments import groups, joins, numbers, order, rows, sequences, text
from tests.kernels.arguments.drawn import Arguments

ARGUMENTS: dict[str, st.SearchStrategy[Arguments]] = {
    **groups.ARGUMENTS,
    **joins.ARGUMENTS,
    **numbers.ARGUMENTS,
    **rows.ARGUMENTS,
    **order.ARGUMENTS,
    **sequences.ARGUMENTS,
    **text.ARGUMENTS,
}
"""By the operation's name."""

MEANING: dict[str, Callable[..., Any]] = {**groups.MEANING, **joins.MEANING, **numbers.MEANING, **sequences.MEANING}
"""What counts of a result, with the arguments, where forms may differ otherwise."""

KNOWS_LESS = {
    "automata.groups", "frequent.most_frequent", "fold.bits", "fold.compensated", "group.ids_by_keys", "join.by_key", "join.key_set", "nearest.nearest", "neighbours.closest", "partners.matches_by_table",
    "records.number", "selection.nth", "slices.numbered", "slices.pieces", "text.first_of_equals", "text.ranks",
}  # fmt: skip
"""Operations of which one form finds out, with a wait, what another need not know."""
