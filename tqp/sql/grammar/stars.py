"""Stars of DuckDB's grammar: `*`, `t.*` and COLUMNS(…), with what leaves columns out."""

from __future__ import annotations

from tqp.sql.grammar.nested import Nested

__all__ = ["Stars"]


class Stars(Nested):
    """Recognizes stars."""

    star_end = -1
    """The place behind the last one, in its parentheses or not."""

    def star(self) -> None:
        """Pass `*`, which a name and a point may stand before."""
        self.need("*")
        if self.word == "COLUMNS" and self.following == "(":
            self.columns()
            return
        for word, item in (("EXCLUDE", self.excluded), ("REPLACE", self.replaced), ("RENAME", self.renamed)):
            if self.take(word) or (word == "EXCLUDE" and self.following == "(" and self.take("EXCEPT")):
                if self.take("("):
                    self.listed(item)
                    self.need(")")
                else:
                    item()
        self.star_end = self.place

    def starts_star(self, place: int) -> bool:
        """Whether `*` stands there, and not `*COLUMNS(…)`."""
        return self.words[place] == "*" and self.words[place + 1] != "COLUMNS"

    def columns(self) -> None:
        self.need("COLUMNS", "(")
        if self.word == "LAMBDA":
            self.lambda_function()
        else:
            self.expression()
        self.need(")")

    def excluded(self) -> None:
        self.name_or_text()
        while self.take("."):
            self.label()

    def replaced(self) -> None:
        self.expression()
        self.need("AS")
        self.excluded()

    def renamed(self) -> None:
        self.excluded()
        self.need("AS")
        self.name()

    def bare_star(self, opening: int) -> None:
        """Leave out the parentheses, just passed, around a star: the parser does not read these."""
        self.instead |= {self.tokens[opening].start: None, self.tokens[self.place - 1].start: None}
        self.star_end = self.place
