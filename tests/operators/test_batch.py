"""Batches: rows are chosen late and columns gathered once, whatever the chain of choices and joins."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.functions.columns import integers, values
from tests.functions.oracle import CPU
from tqp.data.column import Column
from tqp.errors import InternalError
from tqp.operators.batch import Batch, Definition, deepest_first
from tqp.types import BIGINT


def rows(*numbers: int) -> torch.Tensor:
    return torch.tensor(numbers, dtype=torch.int64, device=CPU)


def batch() -> Batch:
    return Batch.of({"a": integers([10, 11, 12, None, 14]), "b": integers([0, 1, 2, 3, 4])}, 5)


def test_chains_of_choices() -> None:
    chosen = batch().choose(rows(4, 3, 1, 1)).choose(rows(3, 0, 1)).choose(rows(2, 1))
    assert chosen.rows == 2
    assert values(chosen.column("a")) == [None, 14]
    assert values(chosen.column("b")) == [3, 4]


def test_a_choice_of_nothing() -> None:
    chosen = batch().choose(rows()).choose(rows())
    assert chosen.rows == 0 and values(chosen.column("a")) == []


def test_joined_columns_follow_later_choices() -> None:
    joined = batch().choose(rows(1, 2, 4)).join({"c": integers([7, 8, None])}, rows(2, 0, 1))
    assert values(joined.column("c")) == [None, 7, 8]
    again = joined.choose(rows(2, 2, 1))
    assert values(again.column("c")) == [8, 8, 7]
    assert values(again.column("b")) == [4, 4, 2]


def test_rows_without_a_partner_are_null() -> None:
    matched = torch.tensor([True, False, True], device=CPU)
    joined = batch().choose(rows(0, 1, 2)).join({"c": integers([7, 8])}, rows(1, 0, 0), matched)
    assert values(joined.column("c")) == [8, None, 7]
    assert values(joined.choose(rows(1, 0)).column("c")) == [None, 8]
    nothing = torch.zeros(3, dtype=torch.bool, device=CPU)
    lonely = batch().choose(rows(0, 1, 2)).join({"c": integers([])}, rows(0, 0, 0), nothing)
    assert values(lonely.column("c")) == [None, None, None]


def test_definitions_are_evaluated_once_and_then_chosen() -> None:
    calls = []

    def double(over: Batch) -> Column:
        calls.append(over.rows)
        return Column(over.column("b").data * 2, BIGINT)

    defined = batch().define({"twice": Definition(double, frozenset({"b"}))})
    assert values(defined.column("twice")) == [0, 2, 4, 6, 8]
    assert values(defined.choose(rows(3, 1)).column("twice")) == [6, 2]
    assert calls == [5]
    assert values(
        batch().define({"twice": Definition(double, frozenset({"b"}))}).choose(rows(3, 1)).column("twice")
    ) == [6, 2]
    assert calls == [5, 2]


@given(st.lists(st.lists(st.integers(0, 30), max_size=4), min_size=1, max_size=30))
def test_deepest_first_gives_all_that_is_read_once_and_before_its_readers(drawn: list[list[int]]) -> None:
    # Name n reads names below n.
    reads = {str(place): [str(one) for one in some if one < place] for place, some in enumerate(drawn)}
    asked: list[str] = []
    root = str(len(drawn) - 1)
    given: list[str] = []
    for name in deepest_first(root, lambda name: (asked.append(name), reads[name])[1]):
        assert set(reads[name]) <= set(given)
        given.append(name)
    needed = {root}
    for place in range(len(drawn) - 1, -1, -1):
        if str(place) in needed:
            needed.update(reads[str(place)])
    assert len(given) == len(set(given)) and set(given) == needed
    assert sorted(asked) == sorted(given)


def test_deepest_first_takes_any_depth() -> None:
    depth = 10_000
    found = list(deepest_first(str(depth), lambda name: [str(int(name) - 1)] if name != "0" else []))
    assert found == list(map(str, range(depth + 1)))


def test_an_unknown_symbol_is_an_internal_error() -> None:
    with pytest.raises(InternalError, match="nothing"):
        batch().column("nothing")
