"""Expressions of DuckDB's grammar."""

from __future__ import annotations

import re
from typing import Final

from sqlglot.tokenizer_core import TokenType

from tqp.keywords import CALLED_SPECIALLY, NO_NAMES, RESERVED
from tqp.sql.grammar.calls import SPECIAL_CALLS
from tqp.sql.grammar.operands import AFTER_PERCENT, POSTFIX, TIGHT, Operands
from tqp.sql.grammar.words import Beyond
from tqp.sql.type_names import TYPE_NAMES
from tqp.sql.typed_literals import stand_in
from tqp.stack import deep

__all__ = ["QUERY_STARTS", "Expressions"]

QUERY_STARTS: Final = frozenset({
    "SELECT", "WITH", "FROM", "VALUES", "TABLE", "PIVOT", "PIVOT_WIDER", "UNPIVOT", "PIVOT_LONGER",
})  # fmt: skip
_OTHER_QUERIES: Final = frozenset({"DESCRIBE", "SHOW", "SUMMARIZE"})
_QUERY_TAILS: Final = frozenset({"UNION", "EXCEPT", "INTERSECT", "ORDER", "LIMIT", "OFFSET"})
_COMPARISONS: Final = frozenset({"=", "==", "<>", "!=", "<", ">", "<=", ">="})
_LOOSE: Final = frozenset({"||", "&&", "@>", "<@", "^@", "<->", "<=>", "->>"})
"""These bind weaker than the ones before."""
_CONSTANTS: Final = frozenset({"'", "0", "NULL", "TRUE", "FALSE"})
_AFTER_TYPES: Final = frozenset({"'", "(", "WITH", "WITHOUT", "PRECISION", "VARYING", "["})
_PATTERNS: Final = frozenset({
    "BETWEEN", "SIMILAR", "LIKE", "ILIKE", "GLOB", "~", "~~", "~~*", "~~~", "!~", "!~~", "!~~*", "~*", "!~*",
})  # fmt: skip
_AFTER_OPERANDS: Final = (
    TIGHT | _LOOSE | _COMPARISONS | _PATTERNS | {"COLLATE", "IS", "ISNULL", "NOTNULL", "NOT", "IN", "AT"}
)
_GO_ON: Final = _AFTER_OPERANDS | POSTFIX
"""What goes on with an operand."""
_BEHIND_ITEMS: Final = frozenset({
    "", ",", ")", "]", "}", ";", "FROM", "WHERE", "GROUP", "HAVING", "WINDOW", "QUALIFY", "UNION", "EXCEPT", "INTERSECT",
    "ORDER", "LIMIT", "OFFSET",
})  # fmt: skip
"""What stands behind a column of a SELECT list."""
_SCHEMAS: Final = frozenset({("MAIN", "."), ("SYSTEM", ".", "MAIN", ".")})
"""Where DuckDB has its functions."""
_POSTGRES: Final = frozenset({("PG_CATALOG", "."), ("SYSTEM", ".", "PG_CATALOG", ".")})
_OF_POSTGRES: Final = re.compile(
    r"PG_\w+|HAS_\w+_PRIVILEGE|INET_\w+|CURRENT_(DATABASE|QUERY|SCHEMAS?)|(COL|OBJ|SHOBJ)_DESCRIPTION|FORMAT_(PG_)?TYPE"
    r"|MAP_(TO|TYPE_ID_TO)_PG_OID"
)
"""Where it has these functions, too."""


class Expressions(Operands):
    """Recognizes expressions; `query` comes with the class that knows queries."""

    has_defaults = False
    """Whether DEFAULT is a value, as in statements that change rows."""

    def query(self) -> None:
        raise NotImplementedError

    @deep
    def expression(self) -> bool:
        alone, behind_arrow = True, False
        while True:
            start = self.place
            while self.take("NOT"):
                pass
            negated = self.place > start
            operand = self.place
            is_query = self.arithmetic()
            alone = not self.operators(operand) and alone and not negated
            if behind_arrow and not negated and self.word != "->" and self._holds_loose(start):
                # The parser ends what stands behind an arrow before these.
                self.grouped(start)
            behind_arrow = self.word == "->"
            if not self.take("AND", "OR", "->"):
                return is_query and alone
            alone = False

    def _holds_loose(self, start: int) -> bool:
        """Whether operators that bind weakly stand between there and here, outside of brackets, and none of them is an arrow."""
        depth, found = 0, set[str]()
        for word in self.words[start : self.place]:
            depth += (word in ("(", "[", "{", "CASE")) - (word in (")", "]", "}", "END"))
            if not depth and word in _LOOSE:
                found.add(word)
        return bool(found) and "->>" not in found

    def operators(self, operand: int) -> bool:
        """Pass what stands between AND and OR after the operand that begins at `operand`; whether there was anything.

        A comparison does not follow another one, nor LIKE or BETWEEN another of these, but IS NULL ends both.
        """
        start = self.place
        compared = distinct = matched = False
        while True:
            word = self.words[self.place]
            if word not in _AFTER_OPERANDS or (word == "%" and self.following in AFTER_PERCENT):
                return self.place > start
            predicate = self.following if word == "NOT" else word
            if word in TIGHT or word in _LOOSE or word == "COLLATE":
                # After IS NULL.
                self.place += 1
                self.arithmetic()
            elif word in _COMPARISONS:
                if compared:
                    raise self.wrong()
                operand = self.place + 1
                compared, matched = self.compared_with(), False
            elif word == "IS" and "DISTINCT" in (self.following, self.words[self.place + 2]):
                if distinct:
                    raise self.wrong()
                compared, distinct = False, True
                self.distinct_from()
            elif self.null_test():
                compared, matched = False, True
            elif predicate == "IN":
                self.place += 1 + (word == "NOT")
                self.members(operand)
            elif word == "BETWEEN" and self.following in _BEHIND_ITEMS:
                # The alias of a column.
                return self.place > start
            elif predicate in _PATTERNS:
                if matched:
                    raise self.wrong()
                matched = True
                self.place += 1 + (word == "NOT")
                self.pattern(predicate)
            elif word == "AT":
                self.need("AT", "TIME", "ZONE")
                self.arithmetic()
            else:
                return self.place > start

    def compared_with(self) -> bool:
        """Pass a comparison and its right side; False for `= ANY (…)`, which another may follow."""
        self.place += 1
        if self.word in ("ANY", "ALL", "SOME") and self.following == "(":
            self.place += 1
            self.parentheses()
            return False
        while self.take("NOT"):
            pass
        self.arithmetic()
        return True

    def distinct_from(self) -> None:
        self.need("IS")
        self.take("NOT")
        self.need("DISTINCT", "FROM")
        self.arithmetic()

    def null_test(self) -> bool:
        """Pass IS NULL and its kin, if it stands here."""
        if self.take("ISNULL", "NOTNULL"):
            return True
        if self.word == "NOT" and self.following == "NULL":
            self.place += 2
            return True
        if not self.take("IS"):
            return False
        self.take("NOT")
        if not self.take("NULL", "TRUE", "FALSE", "UNKNOWN"):
            raise self.wrong()
        return True

    def pattern(self, word: str) -> None:
        """Pass what follows LIKE, SIMILAR or BETWEEN."""
        if word == "SIMILAR":
            self.need("TO")
        self.arithmetic()
        if word == "BETWEEN":
            self.need("AND")
            self.arithmetic()
        elif self.take("ESCAPE"):
            self.arithmetic()

    def members(self, operand: int) -> None:
        """Pass what stands behind IN. A cast behind its parentheses is of what IN gives for the operand that begins there."""
        if self.word == "(":
            self.parentheses()
            if self.word == "::":
                self.grouped(operand)
            while self.take("::"):
                self.type()
            if self.word in TIGHT or self.word in _LOOSE:
                raise self.wrong()
        else:
            self.arithmetic()

    def arithmetic(self) -> bool:
        start = run = self.place
        bare = self.operand()
        loose, operands = False, 1
        while self.word in TIGHT or self.word in _LOOSE or self.word == "COLLATE":
            if self.word == "%" and self.following in AFTER_PERCENT:
                break
            bare = False
            if self.word in _LOOSE:
                if operands > 1:
                    self.grouped(run)
                loose, operands, run = True, 0, self.place + 1
            self.place += 1
            self.operand()
            operands += 1
        if loose and operands > 1 and run > start:
            self.grouped(run)
        return bare

    def primary(self) -> bool:
        word = self.words[self.place]
        if word in _CONSTANTS or (word == "DEFAULT" and self.has_defaults):
            self.place += 1
        elif word == "(":
            return self.parentheses()
        elif word == "[":
            self.place += 1
            self.elements()
        elif word == "*":
            self.star()
        elif word == "?":
            self.place += 1
            self.take("0")
        elif word == "$":
            self.place += 1
            if not self.take("0"):
                self.label()
        elif word == "COLUMNS" and self.following == "(":
            self.columns()
        elif word in SPECIAL_CALLS and (self.following == "(" or word in ("CASE", "INTERVAL", "ARRAY")):
            SPECIAL_CALLS[word](self)
        elif word == "{":
            self.place += 1
            self.pairs(self.name_or_text)
        elif word == "MAP" and self.following == "{":
            self.place += 2
            self.pairs(self.expression)
        elif word == "MAP" and self.following == "(":
            self.place += 1
            self.arguments()
        elif word == "LAMBDA":
            self.lambda_function()
        elif word == "#":
            self.place += 1
            if not self.word.isdigit():
                raise self.wrong()
            self.place += 1
        elif word == ":" or (word == "OPERATOR" and self.following == "("):
            raise Beyond
        else:
            self.named()
        return False

    @deep
    def parentheses(self) -> bool:
        """Pass what stands in parentheses: a query, a value, or several; whether it is a query."""
        self.need("(")
        if self.word in _OTHER_QUERIES:
            raise Beyond
        if self.word in QUERY_STARTS and not (self.word == "VALUES" and self.following != "("):
            self.query()
            self.need(")")
            return True
        if self.take(")"):
            return False
        opening, is_lambda = self.place - 1, self.word == "LAMBDA"
        bare = self.expression()
        if is_lambda and self.word == ")":
            # The parser takes a lambda without parentheses alone.
            self.instead |= {self.tokens[opening].start: None, self.tokens[self.place].start: None}
        elif self.word == ")" and (self.star_end == self.place or self.starts_star(opening + 1)):
            self.need(")")
            if self.word not in _GO_ON:
                self.bare_star(opening)
            return False
        if bare and self.word in _QUERY_TAILS:
            self.query_tail()
            self.need(")")
            return True
        if self.take(","):
            bare = False
            if self.word != ")":
                self.listed(self.expression)
        self.need(")")
        return bare

    def query_tail(self) -> None:
        raise NotImplementedError

    def named(self) -> None:
        """Pass a column, a call, `t.*`, or a constant that names its type."""
        start, word = self.place, self.word
        if self.type_of_a_constant() or self.constant_of_a_named_type():
            return
        function = self.following == "("
        self.name(RESERVED if function else NO_NAMES)
        if function and word in CALLED_SPECIALLY:
            raise self.wrong()
        while self.word == ".":
            self.place += 1
            if self.word == "*":
                if self.place > start + 2:
                    raise self.wrong()
                self.star()
                return
            self.label()
        if self.word == "(":
            if self.place > start + 1 and not self.is_qualified(start):
                self.method(start)
            else:
                self.arguments()
            self.after_call()
        if self.at_text():
            raise self.wrong()

    def is_qualified(self, start: int) -> bool:
        """Whether the function before the place stands behind its schema: the points and names before it are left out then."""
        before = tuple(self.words[start : self.place - 1])
        is_of_postgres = before in _POSTGRES and _OF_POSTGRES.fullmatch(self.words[self.place - 1])
        if before not in _SCHEMAS and not is_of_postgres:
            return False
        self.instead.update((token.start, None) for token in self.tokens[start : self.place - 1])
        return True

    def type_of_a_constant(self) -> bool:
        """Pass `DATE '…'`; whether it stands here. The parser takes other words before a text for a column and its alias."""
        start = self.place
        if self.words[start + 1] not in _AFTER_TYPES:
            return False
        if not self.is_name(RESERVED) or self.word.lower() not in TYPE_NAMES:
            return False
        if self.following in ("(", "["):
            # Most likely a call or a subscript: a look for the text behind the brackets spares a second reading.
            opening, closing = ("(", ")") if self.following == "(" else ("[", "]")
            place, depth = start + 2, 1
            while depth and self.words[place]:
                depth += (self.words[place] == opening) - (self.words[place] == closing)
                place += 1
            if self.words[place] not in ("'", "WITH", "WITHOUT"):
                return False
        self.type()
        if self.take("'"):
            return True
        self.place = start
        return False

    def constant_of_a_named_type(self) -> bool:
        """Pass `mood 'happy'`; whether it stands here. The parser is given a call in its place."""
        start = place = self.place
        while self.words[place + 1] == ".":
            place += 2
        if self.words[place + 1] not in ("'", "[") or not self.is_name(RESERVED):
            return False
        last, size = place, ""
        while self.words[last + 1] == "[":
            has_size = self.words[last + 2] == "0"
            if self.words[last + 2 + has_size] != "]":
                return False
            size += f"[{self.tokens[last + 2].text if has_size else ''}]"
            last += 2 + has_size
        if self.words[last + 1] != "'":
            return False
        self.instead.update((token.start, None) for token in self.tokens[start : last + 1])
        name = ".".join(token.text for token in self.tokens[start : place + 1 : 2])
        self.instead[self.tokens[start].start] = TokenType.VAR, stand_in(name, size)
        self.place = last + 2
        self.grouped(last + 1)
        return True
