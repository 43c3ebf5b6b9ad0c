"""Bytes as they are written: `x'00FF'`."""

from __future__ import annotations

import re
from typing import Final

from sqlglot import exp

from tqp.errors import ParseError
from tqp.ir.expr import Expr, Literal
from tqp.sql.expr import ExprBinder, handles
from tqp.types import BLOB

__all__: list[str] = []

_HEX: Final = re.compile(r"(?:[0-9a-fA-F]{2})*")


@handles(exp.HexString)
def _hex_string(binder: ExprBinder, node: exp.HexString) -> Expr:
    if _HEX.fullmatch(node.name) is None:
        raise ParseError("x'…' has an even number of hexadecimal digits")
    return Literal(bytes.fromhex(node.name), BLOB, typed=True)
