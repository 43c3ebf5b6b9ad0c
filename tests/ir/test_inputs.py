"""Constants as inputs of a plan: what was asked of them, and which others it therefore serves."""

from __future__ import annotations

import pytest

from tqp.errors import InternalError
from tqp.ir.expr import Literal
from tqp.ir.inputs import Input, Inputs, decide, derived
from tqp.types import BIGINT, INTEGER, VARCHAR


def test_what_nobody_knows_of_is_built_on() -> None:
    inputs = Inputs()
    five, six, word = inputs.given([Literal(5, INTEGER), Literal(6, INTEGER), Literal("a", VARCHAR)])
    assert five.value == 5 and five == Literal(5, INTEGER) and hash(five) == hash(Literal(5, INTEGER))
    inputs.close()
    assert five.value == 5 and six.estimated == 6 and not word.is_null
    with pytest.raises(InternalError):
        assert six.value, "the plan serves others, so that nothing may come of it any more"
    assert inputs.again([Literal(5, INTEGER), Literal(7, INTEGER), Literal("b", VARCHAR)]) is not None
    assert inputs.again([Literal(6, INTEGER), Literal(6, INTEGER), Literal("a", VARCHAR)]) is None
    assert inputs.again([Literal(5, BIGINT), Literal(6, INTEGER), Literal("a", VARCHAR)]) is None
    assert inputs.again([Literal(5, INTEGER), Literal(6, INTEGER)]) is None


def test_what_was_equal_or_differed_does_so_again() -> None:
    inputs = Inputs()
    one, other, third = inputs.given([Literal(1, INTEGER), Literal(1, INTEGER), Literal(2, INTEGER)])
    assert {one: 0}[other] == 0 and third not in {one: 0} and one != third
    assert third == Literal(2, INTEGER) and Literal(7, INTEGER) != one
    inputs.close()

    def serves(*values: int) -> bool:
        return inputs.again([Literal(value, INTEGER) for value in values]) is not None

    assert serves(3, 3, 2) and not serves(3, 4, 2) and not serves(3, 3, 5) and not serves(2, 2, 2)
    assert not serves(7, 7, 2), "what was compared with another literal compares as it did"


def _is_even(literal: Literal) -> bool:
    assert isinstance(literal.value, int)
    return literal.value % 2 == 0


def _half(literal: Literal) -> Literal | None:
    assert isinstance(literal.value, int)
    return Literal(10 // literal.value, INTEGER) if literal.value < 100 else None


def test_questions_and_what_is_computed() -> None:
    inputs = Inputs()
    (two,) = inputs.given([Literal(2, INTEGER)])
    assert decide(_is_even, two)
    five = derived(_half, two)
    assert isinstance(five, Input) and five.estimated == 5 and derived(_half, two) is five
    assert not two.is_null and two.estimated == 2
    inputs.close()
    assert inputs.again([Literal(4, INTEGER)]) == (Literal(4, INTEGER), Literal(2, INTEGER))
    assert inputs.again([Literal(3, INTEGER)]) is None, "the answer is another one"
    assert inputs.again([Literal(0, INTEGER)]) is None, "it cannot be computed"
    assert inputs.again([Literal(200, INTEGER)]) is None, "there is none"
    assert decide(_is_even, Literal(3, INTEGER)) is False and derived(_half, Literal(2, INTEGER)) == five
