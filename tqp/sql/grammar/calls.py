"""Calls in DuckDB's grammar: arguments, ORDER BY, windows, and functions with words between their arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sqlglot.tokenizer_core import TokenType

from tqp.keywords import RESERVED
from tqp.sql.dialect import needs_several
from tqp.sql.grammar.types import UNITS, Types
from tqp.sql.grammar.words import WrongWord
from tqp.sql.stand_ins import SPREAD

__all__ = ["SPECIAL_CALLS", "Calls"]
_FRAMES: Final = ("ROWS", "RANGE", "GROUPS")


class Calls(Types):
    """Recognizes calls."""

    def arithmetic(self) -> bool:
        """Pass operands between which no comparison stands; whether it is no more than a query in parentheses."""
        raise NotImplementedError

    def parentheses(self) -> bool:
        """Pass what stands in parentheses: a query, a value, or several; whether it is a query."""
        raise NotImplementedError

    def named(self) -> None:
        """Pass a column, a call, `t.*`, or a constant that names its type."""
        raise NotImplementedError

    def elements(self) -> None:
        """Pass a list after its bracket."""
        raise NotImplementedError

    def arguments(self) -> None:
        """Pass the arguments of a call."""
        predicts = self.place > 0 and self.words[self.place - 1] == "PREDICT"
        name = self.tokens[self.place - 1]
        self.need("(")
        is_spread = self.word == "*" and self.following == "COLUMNS"
        distinct = self.take("DISTINCT", "ALL")
        if self.word not in (")", "ORDER", "IGNORE", "RESPECT"):
            self.listed(self.predict_argument if predicts else self.argument)
        elif distinct:
            raise self.wrong()
        if self.word == "ORDER":
            self.order_by()
        if self.word in ("IGNORE", "RESPECT"):
            self.place += 1
            self.need("NULLS")
        if is_spread and self.words[self.place - 1] == ")" and needs_several(name.text):
            self.instead[name.start] = TokenType.VAR, f"{SPREAD}{name.text}"
        self.need(")")

    def argument(self) -> None:
        if self.following in (":=", "=>") and self.is_name(RESERVED):
            self.place += 2
        self.expression()

    def predict_argument(self) -> None:
        """PREDICT(MODEL = m, DATA = t AS d) is tqp's own."""
        self.argument()
        if self.take("AS"):
            self.name()

    def after_call(self) -> None:
        if self.word == "WITHIN" and self.following == "GROUP":
            self.need("WITHIN", "GROUP", "(")
            self.order_by()
            self.need(")")
        if self.word == "FILTER" and self.following == "(":
            self.need("FILTER", "(")
            self.take("WHERE")
            self.expression()
            self.need(")")
        if self.take("OVER"):
            if self.word == "(":
                self.window()
            else:
                self.name()

    def window(self) -> None:
        """Pass a window in parentheses."""
        self.need("(")
        frame = self.word in _FRAMES and self.following != ")"
        partition = self.word == "PARTITION" and self.following not in (")", "ORDER", *_FRAMES)
        if self.is_name() and not frame and not partition:
            # The name of another window, even in quotes, is none of these before what is added to it.
            if self.tokens[self.place].text.upper() in ("PARTITION", *_FRAMES) and self.following != ")":
                raise self.wrong()
            self.name()
        if self.word == "PARTITION":
            self.need("PARTITION", "BY")
            self.listed(self.expression)
        if self.word == "ORDER":
            self.order_by()
        if self.take(*_FRAMES):
            if self.take("BETWEEN"):
                self.bound()
                self.need("AND")
            self.bound()
            if self.take("EXCLUDE"):
                if self.take("CURRENT"):
                    self.need("ROW")
                elif self.take("NO"):
                    self.need("OTHERS")
                elif not self.take("GROUP", "TIES"):
                    raise self.wrong()
        self.need(")")

    def bound(self) -> None:
        if self.word == "CURRENT" and self.following == "ROW":
            self.place += 2
            return
        if not (self.word == "UNBOUNDED" and self.following in ("PRECEDING", "FOLLOWING")):
            self.arithmetic()
        else:
            self.place += 1
        if not self.take("PRECEDING", "FOLLOWING"):
            raise self.wrong()

    def order_by(self) -> None:
        self.need("ORDER", "BY")
        if self.word == "ALL":
            self.place += 1
            self.direction()
        else:
            self.listed(self.sort_key)

    def sort_key(self) -> None:
        self.expression()
        self.direction()

    def direction(self) -> None:
        self.take("ASC", "DESC", "ASCENDING", "DESCENDING")
        if self.take("NULLS") and not self.take("FIRST", "LAST"):
            raise self.wrong()

    # Calls with a grammar of their own -------------------------------------------------------------------------------

    def case(self) -> None:
        self.need("CASE")
        if self.word != "WHEN":
            self.expression()
        if self.word != "WHEN":
            raise self.wrong()
        while self.take("WHEN"):
            self.expression()
            self.need("THEN")
            self.expression()
        if self.take("ELSE"):
            self.expression()
        self.need("END")

    def cast(self) -> None:
        self.place += 1
        self.need("(")
        self.expression()
        self.need("AS")
        self.type()
        self.need(")")

    def exists(self) -> None:
        self.need("EXISTS")
        if not self.parentheses():
            raise self.wrong()

    def interval(self) -> None:
        if self.following not in ("'", "0", "("):
            self.named()
            return
        self.need("INTERVAL")
        if not self.take("'", "0"):
            self.need("(")
            self.expression()
            self.need(")")
        self.take(*UNITS)

    def array(self) -> None:
        self.need("ARRAY")
        if self.word == "(":
            start = self.place
            if not self.parentheses():
                raise WrongWord(start + 1)
            return
        self.need("[")
        if not self.take("]"):
            self.listed(self.expression)
            self.need("]")

    def extract(self) -> None:
        self.need("EXTRACT", "(")
        self.name_or_text()
        self.need("FROM")
        self.expression()
        self.need(")")

    def substring(self) -> None:
        self.need("SUBSTRING", "(")
        self.expression()
        if self.take("FROM"):
            self.expression()
            if self.take("FOR"):
                self.expression()
        elif self.take("FOR"):
            self.expression()
        elif self.take(",") and self.word != ")":
            self.listed(self.expression)
        self.need(")")

    def trim(self) -> None:
        self.need("TRIM", "(")
        self.take("BOTH", "LEADING", "TRAILING")
        if not self.take("FROM"):
            self.expression()
            if self.take("FROM") or self.take(","):
                self.listed(self.expression)
        else:
            self.listed(self.expression)
        self.need(")")

    def position(self) -> None:
        self.need("POSITION", "(")
        self.arithmetic()
        self.need("IN")
        self.arithmetic()
        self.need(")")

    def overlay(self) -> None:
        self.need("OVERLAY", "(")
        self.expression()
        if self.take("PLACING"):
            self.expression()
            self.need("FROM")
            self.expression()
            if self.take("FOR"):
                self.expression()
        elif self.take(","):
            self.listed(self.expression)
        self.need(")")

    def some_values(self) -> None:
        """Pass COALESCE: at least one value."""
        self.place += 1
        self.need("(")
        self.listed(self.expression)
        self.need(")")

    def two_values(self) -> None:
        """Pass NULLIF or IFNULL."""
        self.place += 1
        self.need("(")
        self.expression()
        self.need(",")
        self.expression()
        self.need(")")

    def any_values(self) -> None:
        """Pass ROW or GROUPING."""
        self.place += 1
        self.need("(")
        if self.word != ")":
            self.listed(self.expression)
        self.need(")")


SPECIAL_CALLS: Final[dict[str, Callable[[Calls], None]]] = {
    "ARRAY": Calls.array,
    "CASE": Calls.case,
    "CAST": Calls.cast,
    "COALESCE": Calls.some_values,
    "EXISTS": Calls.exists,
    "EXTRACT": Calls.extract,
    "GROUPING": Calls.any_values,
    "GROUPING_ID": Calls.any_values,
    "IFNULL": Calls.two_values,
    "INTERVAL": Calls.interval,
    "NULLIF": Calls.two_values,
    "OVERLAY": Calls.overlay,
    "POSITION": Calls.position,
    "ROW": Calls.any_values,
    "SUBSTRING": Calls.substring,
    "TRIM": Calls.trim,
    "TRY_CAST": Calls.cast,
}
"""By their first word."""
