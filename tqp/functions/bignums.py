"""Functions of BIGNUM: sums and differences, negation, and digits to the bases 2 and 16. All others take it as a DOUBLE."""

from __future__ import annotations

from collections.abc import Callable

from tqp.errors import BindError
from tqp.functions.by_value import by_value
from tqp.functions.registry import Signature, expect
from tqp.functions.unify import is_text_literal
from tqp.ir.expr import Expr
from tqp.types import BIGNUM, FLOAT, NULL, VARCHAR

__all__ = ["of_bignums"]


def of_bignums(name: str) -> Callable[[tuple[Expr, ...]], str | None]:
    """The name of the function or aggregate that another one is of a BIGNUM, alone or beside what becomes one."""

    def instead(args: tuple[Expr, ...]) -> str | None:
        is_one = any(arg.dtype == BIGNUM for arg in args)
        return name if is_one and all(map(_becomes_one, args)) else None

    return instead


def _becomes_one(arg: Expr) -> bool:
    return arg.dtype in (BIGNUM, FLOAT, NULL) or arg.dtype.is_integer or is_text_literal(arg)


def _pair(args: tuple[Expr, ...]) -> Signature:
    expect(args, 2, "the sum or difference of BIGNUMs")
    if not all(map(_becomes_one, args)):
        raise BindError("there are no sums and differences of a BIGNUM and that", hint="cast one of them")
    return (BIGNUM, BIGNUM), BIGNUM


@by_value("bignums_add", BIGNUM, types=_pair)
def _add(a: int, b: int) -> int:
    return a + b


@by_value("bignums_sub", BIGNUM, types=_pair)
def _sub(a: int, b: int) -> int:
    return a - b


@by_value("bignums_neg", BIGNUM, BIGNUM)
def _neg(number: int) -> int:
    return -number


@by_value("bignums_hex", VARCHAR, BIGNUM)
def _hex(number: int) -> str:
    return f"{number:X}"


@by_value("bignums_bin", VARCHAR, BIGNUM)
def _bin(number: int) -> str:
    return f"{number:b}"
