"""Bytes as they are written, `x'00FF'`, and bits by their places."""

from __future__ import annotations

import re
from typing import Final

from sqlglot import exp

from tqp.errors import ParseError
from tqp.ir.expr import Expr, Literal
from tqp.sql.expr import ExprBinder, handles
from tqp.sql.operators import call
from tqp.types import BLOB

__all__: list[str] = []

_HEX: Final = re.compile(r"(?:[0-9a-fA-F]{2})*")


@handles(exp.HexString)
def _hex_string(binder: ExprBinder, node: exp.HexString) -> Expr:
    if _HEX.fullmatch(node.name) is None:
        raise ParseError("x'…' has an even number of hexadecimal digits")
    return Literal(bytes.fromhex(node.name), BLOB, typed=True)


@handles(exp.Getbit)
def _get_bit(binder: ExprBinder, node: exp.Getbit) -> Expr:
    # That the first bit is the highest is how sqlglot tells DuckDB's function from others.
    node.args.get("zero_is_msb")
    return call("getbit", binder.bind(node.this), binder.bind(node.expression))
