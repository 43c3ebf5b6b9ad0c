"""The walk that shows expressions; how a kind of node is shown that is no plain call is a function under `@shows`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, TypeGuard

from sqlglot import exp

from tqp.keywords import identifier
from tqp.sql.names.places import Places, has_place, is_made_up, start_of
from tqp.sql.spans import word_at
from tqp.stack import deep

__all__ = ["Printer", "shows"]

_OPERATORS: dict[type[exp.Expr], str] = {
    exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.IntDiv: "//", exp.Mod: "%", exp.DPipe: "||",
    exp.JSONExtract: "->", exp.JSONExtractScalar: "->>",
    exp.EQ: "=", exp.NEQ: "!=", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=",
    exp.NullSafeEQ: "IS NOT DISTINCT FROM", exp.NullSafeNEQ: "IS DISTINCT FROM",
    exp.Distance: "<->", exp.DistanceNd: "<=>",
    exp.ArrayOverlaps: "&&", exp.ArrayContainsAll: "@>", exp.ArrayContainedBy: "<@",
    exp.BitwiseAnd: "&", exp.BitwiseOr: "|", exp.BitwiseLeftShift: "<<", exp.BitwiseRightShift: ">>",
    exp.Glob: "~~~",
}  # fmt: skip
_COMPLEMENTS: dict[type[exp.Expr], type[exp.Expr]] = {
    exp.EQ: exp.NEQ, exp.NEQ: exp.EQ, exp.LT: exp.GTE, exp.GTE: exp.LT, exp.GT: exp.LTE, exp.LTE: exp.GT,
}  # fmt: skip
_NAMES: dict[type[exp.Expr], str] = {
    exp.RegexpLike: "regexp_matches", exp.SimilarTo: "regexp_full_match", exp.StrPosition: "position",
}  # fmt: skip
"""Functions that an operator or a syntax of its own stands for."""
_GROUPING: Final = frozenset({'"grouping"', '"grouping_id"'})
_SCHEMA: Final = re.compile(r"\b(?:system\.)?(?:main|pg_catalog)\.$", re.IGNORECASE)
_LONGEST_SCHEMA: Final = len("system.pg_catalog.")

Shower = Callable[["Printer", Any], str]
_SHOWERS: dict[type[exp.Expr], Shower] = {}


def shows(*kinds: type[exp.Expr]) -> Callable[[Shower], Shower]:
    """Register how nodes of these kinds are shown."""

    def register(shower: Shower) -> Shower:
        _SHOWERS.update(dict.fromkeys(kinds, shower))
        return shower

    return register


class Printer:
    """Shows expressions of the query `text`; `literal` gives a literal's text."""

    def __init__(self, text: str, literal: Callable[[exp.Literal], str]) -> None:
        self.text = text
        self.places = Places(text)
        self.literal = literal

    @deep
    def show(self, node: exp.Expr) -> str:
        if self._is_operator(node):
            return self._binary(node)
        shower = _SHOWERS.get(type(node))
        return self.call(node) if shower is None else shower(self, node)

    def many(self, nodes: list[exp.Expr]) -> str:
        return ", ".join(map(self.show, nodes))

    def _is_operator(self, node: exp.Expr) -> TypeGuard[exp.Binary]:
        """`mod(a, b)`, which the parser takes for an operator, remembers its place."""
        return isinstance(node, exp.Binary) and type(node) in _OPERATORS and not has_place(node)

    def _binary(self, node: exp.Binary) -> str:
        # A long chain is a deep left spine: walk it, for recursion would overflow.
        spine: list[exp.Binary] = []
        current: exp.Expr = node
        while self._is_operator(current):
            spine.append(current)
            current = current.this
        shown = self.show(current)
        for step in reversed(spine):
            shown = self._step(shown, step)
        return shown

    def _step(self, left: str, node: exp.Binary) -> str:
        right = node.expression
        if not isinstance(right, exp.Any | exp.All):
            return f"({left} {_OPERATORS[type(node)]} {self.show(right)})"
        inner = right.this.unnest()
        # DuckDB takes a list for a query of its elements.
        query = (
            self.show(right.this)
            if isinstance(inner, exp.Query | exp.Values)
            else f"(SELECT unnest({self.show(inner)}))"
        )
        if isinstance(right, exp.Any):
            return f"({left} {_OPERATORS[type(node)]} ANY{query})"
        complement = _COMPLEMENTS.get(type(node), type(node))
        return f"(NOT ({left} {_OPERATORS[complement]} ANY{query}))"

    def call(self, node: exp.Expr) -> str:
        """A call by its name as written, with its arguments; behind a point where it stands behind a column."""
        args: list[exp.Expr] = []
        for part in ["expressions"] if isinstance(node, exp.Anonymous) else node.arg_types:
            value = node.args.get(part)
            args += [item for item in (value if isinstance(value, list) else [value]) if isinstance(item, exp.Expr)]
        if isinstance(node, exp.Count) and (not args or isinstance(args[0], exp.Star)):
            return "count_star()"
        name = self.function_name(node)
        name = "GROUPING" if name in _GROUPING else name
        written = self._as_written(node, args)
        if written and self._stands_behind(node, written[0]):
            return f"{self.show(written[0])}.{name}({self._arguments(written[1:])})"
        return f"{self._schema(node)}{name}({self._arguments(written)})"

    def _stands_behind(self, node: exp.Expr, first: exp.Expr) -> bool:
        """Whether it is called as `column.f(…)`."""
        if not has_place(node) or not isinstance(first, exp.Column):
            return False
        start, before = node.meta["start"], start_of(first)
        # What a sign stands for has the place of that.
        return before is not None and before < start and self.text[start : start + 1].isidentifier()

    def _schema(self, node: exp.Expr) -> str:
        if not has_place(node):
            return ""
        start = node.meta["start"]
        found = _SCHEMA.search(self.text, max(start - _LONGEST_SCHEMA, 0), start)
        return "" if found is None else found[0].lower().replace("system.", '"system".')

    def _as_written(self, node: exp.Expr, args: list[exp.Expr]) -> list[exp.Expr]:
        """Arguments in their order in the text, without those that the parser made up."""
        if not has_place(node):
            return args
        written = [arg for arg in args if not isinstance(arg, exp.Var) and not is_made_up(arg)]
        units = [arg for arg in args if isinstance(arg, exp.Var)]
        places = [start_of(arg) for arg in written] if len(written) > 1 else []
        if places and None not in places:
            written = [arg for _, arg in sorted(zip(places, written, strict=True), key=lambda pair: pair[0] or 0)]
        return units + written

    def _arguments(self, args: list[exp.Expr]) -> str:
        """Arguments with DISTINCT before and ORDER BY behind them, which hold one of them each."""
        distinct, order = "", ""
        pending, plain = list(args), []
        while pending:
            arg = pending.pop(0)
            if isinstance(arg, exp.Order):
                order = f" ORDER BY {self.many(arg.expressions)}"
                pending = [*([] if arg.this is None else [arg.this]), *pending]
            elif isinstance(arg, exp.Distinct):
                distinct = "DISTINCT "
                pending = [*arg.expressions, *pending]
            else:
                plain.append(arg)
        return f"{distinct}{self.many(plain)}{order}"

    def function_name(self, node: exp.Expr) -> str:
        """The name as written where the node remembers its place, else the node's own."""
        written, _ = word_at(node, self.text)
        name = (
            written.lower()
            if written.isidentifier()
            else node.name.lower()
            if isinstance(node, exp.Anonymous)
            else str(node.sql_name()).lower()
            if isinstance(node, exp.AnyValue)
            else _NAMES.get(type(node), node.key)
        )
        # A macro may stand behind its schema.
        return ".".join(map(identifier, name.split(".")))
