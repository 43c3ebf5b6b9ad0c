"""Functions that sort lists: the order that is left out is that of the settings."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from tqp.config import DefaultOrder
from tqp.ir.expr import Expr, Literal
from tqp.sql.expr import ExprBinder, named
from tqp.sql.operators import call
from tqp.types import VARCHAR

__all__: list[str] = []

_STANDARD: Final = DefaultOrder()


def _sorting(name: str, reverses: bool = False) -> None:
    """Register a function of lists whose order may be left out; one that `reverses` has no word for its direction."""

    @named(name)
    def bound(binder: ExprBinder, node: exp.Anonymous) -> Expr:
        args = [binder.bind(arg) for arg in node.expressions]
        order = binder.context.session.order
        most = 2 if reverses else 3
        if order == _STANDARD or not 1 <= len(args) <= most or not all(isinstance(arg, Literal) for arg in args[1:]):
            return call(name, *args)
        words = [str(arg.value).strip().lower() for arg in args[1:] if isinstance(arg, Literal)]
        direction = words[0] if words and not reverses else "default"
        descending = direction.startswith("desc") or direction == "default" and order.descending != reverses
        nulls = words[-1] if len(words) == most - 1 else "default"
        given = [] if reverses else [direction if direction != "default" else "desc" if descending else "asc"]
        given.append(nulls if nulls != "default" else "nulls first" if order.nulls_first(descending) else "nulls last")
        if reverses and not descending:
            return call("list_sort", args[0], *(Literal(word, VARCHAR) for word in ("asc", *given)))
        return call(name, args[0], *(Literal(word, VARCHAR) for word in given))


for _kind in ("list", "array"):
    _sorting(f"{_kind}_sort")
    _sorting(f"{_kind}_reverse_sort", reverses=True)
    _sorting(f"{_kind}_grade_up")
_sorting("grade_up")
