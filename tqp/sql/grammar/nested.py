"""Lists, structs, maps and lambdas of DuckDB's grammar."""

from __future__ import annotations

from collections.abc import Callable

from tqp.sql.grammar.calls import Calls
from tqp.stack import deep

__all__ = ["Nested"]


class Nested(Calls):
    """Recognizes what stands in brackets and braces."""

    def elements(self) -> None:
        """Pass a list after its bracket, which may be made of another one: `x FOR x IN list IF condition`."""
        if self.take("]"):
            return
        several = self.listed(self.expression)
        if not several and self.take("FOR"):
            self.listed(self.name)
            self.need("IN")
            start = self.place
            self.expression()
            self.grouped(start)
            if self.take("IF"):
                self.expression()
        self.need("]")

    @deep
    def pairs(self, key: Callable[[], object]) -> None:
        """Pass a struct or a map after its brace."""

        def pair() -> None:
            key()
            self.need(":")
            self.expression()

        if not self.take("}"):
            self.listed(pair)
            self.need("}")

    @deep
    def lambda_function(self) -> None:
        self.need("LAMBDA")
        self.listed(self.name)
        self.need(":")
        self.expression()
