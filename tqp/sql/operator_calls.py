"""Operators that are called by their names, as functions: `"+"(a, b)`, `"IS DISTINCT FROM"(a, b)`."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from tqp.ir.expr import Expr
from tqp.sql.dialect import written_with
from tqp.sql.expr import ExprBinder, named

__all__: list[str] = []

_OF_ONE: Final = {"+": "+{}", "-": "-{}", "@": "@{}", "~": "~{}", "!__postfix": "factorial({})"}
"""How operators of one operand are written."""

_OF_TWO: Final = {
    name: f"{{}} {name} {{}}"
    for name in (
        *("+", "-", "*", "/", "//", "%", "^", "**", "||", "&", "|", "<<", ">>", "=", "!=", "<", "<=", ">", ">="),
        *("IS DISTINCT FROM", "IS NOT DISTINCT FROM", "~~", "!~~", "~~*", "!~~*", "~~~", "^@", "&&", "@>", "<@", "<->", "->>"),
    )
} | {"<=>": "{} <<->> {}"}  # fmt: skip
"""How operators of two operands are written; the parser knows <=> by another name."""


def _operator(name: str) -> None:
    forms = {count: known[name] for count, known in ((1, _OF_ONE), (2, _OF_TWO)) if name in known}

    @named(name.lower())
    def bound(binder: ExprBinder, node: exp.Anonymous) -> Expr:
        form = forms.get(len(node.expressions))
        if form is None:
            counts = " or ".join(map(str, forms))
            raise binder.context.error(node, f"the operator {name} has {counts} operands, not {len(node.expressions)}")
        return binder.bind(written_with(form, node.expressions))


for _name in {**_OF_ONE, **_OF_TWO}:
    _operator(_name)
