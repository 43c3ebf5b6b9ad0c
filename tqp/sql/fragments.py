"""Parts of a query that callers write, as conditions and lists of expressions: each is looked at alone, before it is put into one.

What is more than the part that it should be, such as a list with a FROM behind it, is refused: it cannot become another query.
"""

from __future__ import annotations

from collections.abc import Collection

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import TokenType

from tqp.errors import ParseError, with_article
from tqp.expressions.expression import Expression
from tqp.keywords import identifier, quoted_name
from tqp.sql.dialect import dialect_named
from tqp.sql.parse import parse_strictly
from tqp.sql.words import words

__all__ = [
    "aliases_used",
    "column_named",
    "condition",
    "group_keys",
    "key_columns",
    "order_keys",
    "select_items",
    "select_list",
    "source_name",
    "with_column_renamed",
]

_OPENING = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE})
_CLOSING = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE})


def select_list(part: str | Expression, what: str) -> str:
    """The text of one or more expressions, with their aliases, as it may stand behind SELECT."""
    text = part.as_select() if isinstance(part, Expression) else part
    _expressions(text, what)
    return _ended(text)


def condition(part: str | Expression, what: str) -> str:
    """The text of one expression, without an alias."""
    text = (part.written or part.text) if isinstance(part, Expression) else part
    found = _expressions(text, what)
    if len(found) != 1 or isinstance(found[0], exp.Alias):
        raise ParseError(f"{what} is one expression, not {text!r}", hint="AND joins conditions; an alias is none")
    return _ended(text)


def order_keys(part: str | Expression, what: str) -> str:
    """The text of what may stand behind ORDER BY."""
    text = part.as_order() if isinstance(part, Expression) else part
    return _clause("SELECT 1 ORDER BY", text, "order", what)


def group_keys(part: str | Expression, what: str) -> str:
    """The text of what may stand behind GROUP BY; '' for none."""
    text = part.text if isinstance(part, Expression) else part
    return _clause("SELECT 1 GROUP BY", text, "group", what) if _text(text, what).strip() else ""


def select_items(text: str, what: str) -> list[str]:
    """Each of several expressions, which commas part; a text that is none is the name of a column."""
    _text(text, what)
    try:
        tokens = words(dialect_named("duckdb"), text)
    except SqlglotError:
        raise ParseError(f"{what} cannot be split into words", hint="is a quote left open?", text=text) from None
    cuts, depth = [0], 0
    for token in tokens:
        depth += (token.token_type in _OPENING) - (token.token_type in _CLOSING)
        if token.token_type == TokenType.COMMA and depth == 0:
            cuts += [token.start, token.end + 1]
    cuts.append(len(text))
    pieces = [text[start:stop].strip() for start, stop in zip(cuts[::2], cuts[1::2], strict=True)]
    return [_item(piece, what) for piece in pieces]


def key_columns(text: str, what: str) -> tuple[str, ...] | None:
    """The columns that a text names and nothing else, as USING has them; None for a condition."""
    found = _expressions(text, what)
    if all(isinstance(one, exp.Column) and len(one.parts) == 1 for one in found):
        return tuple(one.name for one in found)
    return None


def aliases_used(select: str, columns: Collection[str]) -> list[str]:
    """The names that a SELECT gives its expressions and uses in others, where no column of these, in lower case, has them."""
    tree, _ = parse_strictly(select)
    given = {item.alias.lower() for item in tree.expressions if isinstance(item, exp.Alias)} - set(columns)
    return [column.name for column in tree.find_all(exp.Column) if not column.table and column.name.lower() in given]


def source_name(query: str) -> str:
    """What a query `FROM item` calls its item; nothing where that has no name, or there are several."""
    tree, _ = parse_strictly(query)
    source = tree.args.get("from_")
    if source is None or tree.args.get("joins") or source.this.args.get("joins"):
        return ""
    return str(source.this.alias_or_name)


def column_named(text: str | Expression) -> str:
    """A column by its name, with that of its relation before it or not, as SQL: a text that reads as neither is a whole name."""
    if isinstance(text, Expression):
        return select_list(text, "an expression")
    if text == "*":
        return text
    try:
        found = _expressions(text, "a column")
    except ParseError:
        return identifier(text)
    is_path = len(found) == 1 and isinstance(found[0], exp.Column) and not isinstance(found[0].this, exp.Star)
    return text if is_path and "--" not in text and "/*" not in text else identifier(text)


def with_column_renamed(text: str, table: str, name: str, new: str) -> str:
    """An expression over the columns of a table with another name for one of them."""
    lead = "SELECT "
    tree, _ = parse_strictly(lead + text)
    places: list[tuple[int, int]] = []
    for column in tree.find_all(exp.Column):
        parts = column.parts
        is_behind_table = len(parts) > 1 and parts[0].name.lower() == table.lower()
        part = parts[1] if is_behind_table else parts[0]
        if part.name.lower() == name.lower():
            places.append((part.meta["start"] - len(lead), part.meta["end"] + 1 - len(lead)))
    for start, end in sorted(places, reverse=True):
        text = f"{text[:start]}{quoted_name(new)}{text[end:]}"
    return text


def _item(text: str, what: str) -> str:
    try:
        return condition(text, what)
    except ParseError:
        if not text:
            raise
        return identifier(text)


def _expressions(text: str, what: str) -> list[exp.Expr]:
    return _alone("SELECT", text, frozenset({"expressions"}), what).expressions


def _clause(lead: str, text: str, clause: str, what: str) -> str:
    _alone(lead, text, frozenset({"expressions", clause}), what)
    return _ended(text)


def _alone(lead: str, text: str, clauses: frozenset[str], what: str) -> exp.Expr:
    """The syntax of a query of `lead` and the text, which has these clauses; ParseError where it has others, or is none."""
    if not _text(text, what).strip():
        raise ParseError(f"{what} is empty", hint="write an expression of SQL")
    tree, _ = parse_strictly(f"{lead} {text}")
    given = {name for name, value in tree.args.items() if value}
    if not isinstance(tree, exp.Select) or given != clauses:
        raise ParseError(f"{what} is a part of a query, and {text!r} is more than that", hint="rel.sql() takes a query")
    return tree


def _text(text: object, what: str) -> str:
    if not isinstance(text, str):
        kind = type(text)
        hint = 'for example "a + 1", or tqp.ColumnExpression("a") + 1'
        if kind.__module__.startswith("duckdb"):
            hint = "expressions of tqp have the same names: tqp.ColumnExpression; str(expression) is text"
        raise ParseError(f"{what} is text of SQL or an expression, not {with_article(kind.__qualname__)}", hint=hint)
    return text


def _ended(text: str) -> str:
    """The text, on a line of its own where a remark at its end would hide what follows."""
    return f"{text}\n" if "--" in text else text
