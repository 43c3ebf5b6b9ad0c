"""Conditions on a stored table as what is remembered of them: their shapes, and their constants apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, assert_never

from tqp.data.selectivities import Condition
from tqp.ir.expr import Call, Case, Cast, ColumnRef, Exists, Expr, InSubquery, Literal, Predict, ScalarSubquery
from tqp.ir.plan import Scan
from tqp.stack import deep

__all__ = ["condition_of"]

_NODES: Final = 64
"""Larger conditions are not remembered."""


def condition_of(scan: Scan, parts: Iterable[Expr]) -> Condition | None:
    """The condition that all `parts` on the scan's columns hold, in whatever order; None of others than plain functions.

    Asks for no constant's value but to estimate.
    """
    columns = {field.symbol: column for column, field in zip(scan.columns, scan.fields, strict=True)}
    written = []
    for part in parts:
        text, constants = _Text(columns), list[str]()
        if not text.write(part, constants):
            return None
        written.append((text.text, ", ".join(constants)))
    written.sort()
    return Condition(" AND ".join(shape for shape, _ in written), "; ".join(constants for _, constants in written))


class _Text:
    """The shape of one expression, written node by node."""

    def __init__(self, columns: Mapping[str, str]) -> None:
        self._columns = columns
        self._pieces: list[str] = []
        self._left = _NODES

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    @deep
    def write(self, expr: Expr, constants: list[str]) -> bool:
        """Add the expression, and its constants to those; False where it has no shape."""
        self._left -= 1
        if self._left <= 0:
            return False
        match expr:
            case ColumnRef():
                self._pieces.append(self._columns[expr.symbol])
                return True
            case Literal():
                self._pieces.append("?")
                constants.append(repr(expr.estimated))
                return True
            case Call() | Cast() | Case():
                name = expr.function if isinstance(expr, Call) else f"{type(expr).__name__} {expr.dtype}"
                self._pieces.append(f"{name}(")
                for place, child in enumerate(expr.children):
                    self._pieces.append(", " if place else "")
                    if not self.write(child, constants):
                        return False
                self._pieces.append(")")
                return True
            case Predict() | ScalarSubquery() | Exists() | InSubquery():
                return False
            case _:
                assert_never(expr)
