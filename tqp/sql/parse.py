"""Text to syntax tree: sqlglot parses, this module turns its errors and positions into ours."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cache
from itertools import pairwise
from typing import Final

from sqlglot import Dialect, exp
from sqlglot.errors import ParseError as GlotParseError
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from tqp.errors import BindError, Location, ParseError, TqpError, UnsupportedError
from tqp.functions.forms import call_forms
from tqp.functions.names import is_named
from tqp.functions.units import INTERVAL_WORDS
from tqp.own import OwnFunctions
from tqp.sql.dialect import (
    QUANTIFIERS,
    dialect_named,
    with_own_names,
    with_quantifiers,
    with_stand_ins,
    with_whole_maps,
)
from tqp.sql.directions import with_marks, without_marks
from tqp.sql.escapes import with_escapes_apart, with_escapes_in_place
from tqp.sql.grammar import read_query, with_queries
from tqp.sql.keys import with_keys_apart, with_keys_in_place
from tqp.sql.refusals import refusal
from tqp.sql.slips import path_at, slip
from tqp.sql.stand_ins import called_apart, qualified_apart
from tqp.sql.table_forms import plain_table_forms
from tqp.sql.typed_literals import has_named_types, slice_ends, typed_literals, with_named_types
from tqp.sql.words import group_frames, in_parentheses, token_at, words
from tqp.stack import elsewhere

__all__ = ["parse", "parse_strictly"]

_NO_FUNCTIONS: Final = OwnFunctions()
_CLOSED: Final = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|\$\$.*?\$\$|--[^\n]*|/\*.*?\*/""", re.DOTALL)
"""What the tokenizer takes for one word, or none."""
_LAST_WORD: Final = re.compile(r"(\w+)\s*$")
_MISSING: Final = re.compile(r"Required keyword: '\w+' missing for <class '[\w.]*\.(\w+)'>")

_OPENING: Final = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE})
_CLOSING: Final = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END})
_NAMES: Final = frozenset({
    TokenType.ALTER, TokenType.DROP, TokenType.FORCE, TokenType.GRANT, TokenType.INSTALL, TokenType.REVOKE,
    TokenType.RLIKE, TokenType.ROLLBACK, TokenType.UNCACHE, TokenType.XOR,
})  # fmt: skip
"""Words of statements and of other dialects, which are names in a query."""
_PREPARED: Final = _NAMES | {
    TokenType.IN, TokenType.INTERVAL, TokenType.MAP, TokenType.NULLSAFE_EQ, TokenType.PLACEHOLDER, TokenType.QDCOLON,
    TokenType.STRUCT,
}  # fmt: skip
"""Words that the parser is given in another form."""
_QUERIES: Final = frozenset({TokenType.SEMICOLON, TokenType.PIVOT, TokenType.UNPIVOT})
"""What the parser has code for as for statements."""
exp.Values.arg_types.setdefault("with_", False)
"""The parser refuses a WITH before VALUES only because its node has no place for it."""
_SHALLOW: Final = 32
_FEW: Final = 4000
"""Words of a text that any thread's stack has room for."""
_DEEPEST: Final = 1000
"""Nesting beyond this is refused, as DuckDB does; Python's limit on recursion may end the parser at a third of it."""
_STACK: Final = 64 * 2**20
_STACK_A_TOKEN: Final = 2**11
_LARGEST_STACK: Final = 2**30

_INSTEAD = {
    "EXPLAIN": "call .explain() on the relation of the query",
    "DESCRIBE": "see .columns and .types of the relation of a query",
    "SHOW": "see .tables() of the connection",
}
_ELSEWHERE = "run it on a connection, in DuckDB's dialect: con.sql(text)"


def parse(text: str, read: str = "duckdb") -> exp.Expr:
    """The one query in `text` as a syntax tree.

    Raises ParseError where the text is not SQL, UnsupportedError for several statements, one that is no query, or one that
    is nested too deeply.
    """
    return parse_strictly(text, read)[0]


def parse_strictly(
    text: str,
    read: str = "duckdb",
    tokens: list[Token] | None = None,
    macros: Collection[str] = (),
    own: OwnFunctions = _NO_FUNCTIONS,
) -> tuple[exp.Expr, TqpError | None]:
    """As `parse`, and what DuckDB's grammar has against a text of its dialect that the parser accepts, as far as it is known.

    `tokens` are the words of the text if it is split already. Calls of `macros` are found by `tqp.sql.expansion.expand`.
    `own` are functions that the user made.
    """
    dialect = dialect_named(read)
    wrong: TqpError | None = None
    typed = False
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ParseError(f"the text is no Unicode: half a character at {error.start}") from None
    try:
        tokens = words(dialect, text) if tokens is None else tokens
        _refuse_statements(tokens, dialect, text)
        said = {token.text.upper() for token in tokens}
        if "PREDICT" in text.upper():
            tokens = plain_table_forms(tokens)
        types = dialect.parser_class.TYPE_TOKENS
        groups = typed_literals(tokens, types) + slice_ends(tokens)
        if macros:
            tokens = qualified_apart(tokens, macros)
        if read == "duckdb":
            reading = read_query(tokens, text, types)
            wrong = reading.error
            typed = has_named_types(reading.instead)
            tokens = in_parentheses(tokens, [*groups, *reading.groups], reading.behind, reading.instead)
            if reading.queries or reading.calls:
                tokens = with_queries(tokens, reading.queries, reading.commas, reading.calls, reading.labels)
        else:
            tokens = in_parentheses(tokens, groups)
        if "GROUPS" in said:
            tokens = group_frames(tokens)
        renamed = with_stand_ins(tokens, said, own, dialect)
        if renamed is not None:
            tokens = renamed
        if macros:
            tokens = called_apart(tokens, macros)
        if "LAST" in said:
            tokens = with_marks(tokens)
        escapes = "ESCAPE" in said and not any(token.token_type == TokenType.HASH_DASH for token in tokens)
        if escapes:
            tokens = with_escapes_apart(tokens)
        keyed = False
        if "KEY" in said:
            tokens, keyed = with_keys_apart(tokens)
        parsed = _parsed(dialect, _prepared(tokens, read == "duckdb"), text)
        trees = [tree for tree in parsed if tree is not None and not isinstance(tree, exp.Semicolon)]
    except GlotParseError as error:
        raise _parse_error(error, text, wrong, dialect) from None
    except SqlglotError:
        raise _unclosed(text) from None
    if not trees:
        raise ParseError("the query is empty", text=text)
    if len(trees) > 1:
        raise UnsupportedError("several statements in one text are not supported", hint="run one at a time", text=text)
    tree = trees[0]
    if not isinstance(tree, exp.Query | exp.Values):
        first = tokens[0]
        if isinstance(tree, exp.DDL | exp.DML | exp.Command):
            raise _no_query(first.text.upper(), text)
        if isinstance(wrong, ParseError):
            raise wrong
        place = Location(first.line, first.col - (first.end - first.start))
        hint = "a query begins with SELECT, FROM, WITH or VALUES"
        word = text[first.start : first.end + 1]
        raise ParseError(f"syntax error at or near {word!r}", hint=hint, location=place, text=text)
    if typed:
        with_named_types(tree)
    if renamed is not None:
        with_own_names(tree, own)
    if escapes:
        with_escapes_in_place(tree)
    if keyed:
        with_keys_in_place(tree)
    if "LAST" in said:
        without_marks(tree)
    if "MAP" in said:
        with_whole_maps(tree)
    if not QUANTIFIERS.keys().isdisjoint(said) and _calls_one_of(tokens, QUANTIFIERS):
        with_quantifiers(tree)
    return tree, wrong


def _calls_one_of(tokens: Sequence[Token], names: Collection[str]) -> bool:
    """Whether one of the names, in capitals, stands before parentheses."""
    return any(
        after.token_type == TokenType.L_PAREN and token.text.upper() in names for token, after in pairwise(tokens)
    )


def _parsed(dialect: Dialect, tokens: list[Token], text: str) -> list[exp.Expr | None]:
    """The parser's trees. It is compiled and recurses on the stack of C, whose end is the end of the process.

    So what is long or deep is parsed on a stack that is large enough for its words, and what is very deep is refused.
    """
    depth = _depth(tokens)
    if depth > _DEEPEST:
        raise _too_deep(text)
    if depth <= _SHALLOW and len(tokens) <= _FEW:
        try:
            return _trees(dialect, tokens, text)
        except RecursionError:
            # The caller's own calls are nearly as deep as they may be.
            pass
    size = min(_STACK + len(tokens) * _STACK_A_TOKEN, _LARGEST_STACK)
    try:
        return elsewhere(lambda: _trees(dialect, tokens, text), size)
    except RecursionError:
        raise _too_deep(text) from None


def _trees(dialect: Dialect, tokens: list[Token], text: str) -> list[exp.Expr | None]:
    try:
        return dialect.parser().parse(tokens, text)
    except (AssertionError, AttributeError, IndexError, KeyError, TypeError, ValueError):
        # Of some texts that are no SQL the parser makes nodes that its own types refuse.
        raise ParseError("syntax error: the parser cannot read this text", text=text) from None


def _depth(tokens: list[Token]) -> int:
    """How deep brackets and CASE nest; no less than the joins, which may nest to the right without brackets."""
    depth = deepest = joins = 0
    for token in tokens:
        kind = token.token_type
        if kind in _OPENING:
            depth += 1
            deepest = max(deepest, depth)
        elif kind in _CLOSING:
            depth -= 1
        elif kind == TokenType.JOIN:
            joins += 1
    return max(deepest, joins)


def _too_deep(text: str) -> UnsupportedError:
    hint = "split it: a part under WITH, or one kept as a result of its own"
    return UnsupportedError("the query is nested too deeply", hint=hint, text=text)


def _prepared(tokens: list[Token], is_duckdb: bool) -> list[Token]:
    """The words in a form that the parser keeps all of.

    INTERVAL '1 day 2:03:04', of which it would keep the first part alone, becomes ('1 day 2:03:04'::INTERVAL), and so does one
    that no unit follows; the number of INTERVAL 1.5 DAY, which would become a text, is put in parentheses; the n-th `?`,
    which the tree would not number, becomes `$n`; DuckDB's <=>, the cosine distance, is kept apart from MySQL's; IN [1, 2],
    which means another thing than IN (1, 2), becomes IN ARRAY[1, 2]; a column called map, which the parser takes for the
    beginning of a map, is in quotes; row(…) before <, which would begin the type ROW<…>, is no type; and words that mean something
    to the parser and nothing to DuckDB's queries are names.
    """
    if _PREPARED.isdisjoint([token.token_type for token in tokens]):
        return tokens
    result: list[Token] = []
    parameters = 0
    skip = False
    for place, (token, following, after) in enumerate(
        zip(tokens, [*tokens, None][1:], [*tokens, None, None][2:], strict=True)
    ):
        if skip:
            skip = False
        elif token.token_type == TokenType.INTERVAL and _is_interval_of(following, is_duckdb):
            assert following is not None
            if after is not None and after.text.lower() in INTERVAL_WORDS:
                result += [token, token_at(TokenType.L_PAREN, "(", following), following]
                result.append(token_at(TokenType.R_PAREN, ")", following))
            else:
                result += _interval_cast(token, following)
            skip = True
        elif token.token_type == TokenType.IN and following is not None and following.token_type == TokenType.L_BRACKET:
            result += [token, token_at(TokenType.ARRAY, "ARRAY", following)]
        elif token.token_type == TokenType.MAP and is_duckdb and not _opens_map(following):
            result.append(token_at(TokenType.IDENTIFIER, token.text, token))
        elif token.token_type in _NAMES and is_duckdb or _is_lesser_row(tokens, place):
            result.append(token_at(TokenType.VAR, token.text, token))
        elif token.token_type == TokenType.NULLSAFE_EQ and is_duckdb:
            # The parser knows <=> of MySQL alone; the operator it takes instead is none of DuckDB's.
            result.append(token_at(TokenType.LLRR_ARROW, token.text, token))
        elif token.token_type == TokenType.PLACEHOLDER and token.text == "?":
            parameters += 1
            result += [token_at(TokenType.PARAMETER, "$", token), token_at(TokenType.NUMBER, str(parameters), token)]
        elif token.token_type == TokenType.QDCOLON and token.text.startswith("?"):
            # The tokenizer takes `?::` for one operator.
            parameters += 1
            result += [
                token_at(TokenType.PARAMETER, "$", token),
                token_at(TokenType.NUMBER, str(parameters), token),
                token_at(TokenType.DCOLON, "::", token),
            ]
        else:
            result.append(token)
    return result


def _is_lesser_row(tokens: list[Token], place: int) -> bool:
    """Whether at that word begins `row(…) <`, or `row <`."""
    if tokens[place].token_type != TokenType.STRUCT or (place and tokens[place - 1].token_type == TokenType.DCOLON):
        return False
    depth = 0
    for token in tokens[place + 1 :]:
        if not depth and token.token_type != TokenType.L_PAREN:
            return token.token_type == TokenType.LT
        depth += (token.token_type == TokenType.L_PAREN) - (token.token_type == TokenType.R_PAREN)
    return False


def _opens_map(following: Token | None) -> bool:
    return following is not None and following.token_type in (TokenType.L_BRACE, TokenType.L_PAREN)


def _interval_cast(word: Token, value: Token) -> list[Token]:
    return [
        token_at(TokenType.L_PAREN, "(", word),
        value,
        token_at(TokenType.DCOLON, "::", value),
        word,
        token_at(TokenType.R_PAREN, ")", value),
    ]


def _is_interval_of(value: Token | None, is_duckdb: bool) -> bool:
    """Whether the word after INTERVAL is a text that names units itself, or, in DuckDB, any constant."""
    if value is None or value.token_type not in (TokenType.STRING, TokenType.NUMBER):
        return False
    return is_duckdb or value.token_type == TokenType.STRING and any(c.isalpha() or c == ":" for c in value.text)


def _unclosed(text: str) -> ParseError:
    """The tokenizer says no place; it fails on a quote, or a comment, that is never closed."""
    rest = _CLOSED.sub(lambda match: " " * len(match[0]), text)
    place = min((at for at in map(rest.find, ("'", '"', "$$", "/*")) if at >= 0), default=None)
    if place is None:
        return ParseError("the text cannot be split into words", hint="is a quote left open?", text=text)
    location = Location(text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place))
    opened = "comment" if rest[place] == "/" else "quote"
    path = path_at(text, place)
    hint = path or ("a quote within a text is written twice: 'it''s'" if rest[place] == "'" else None)
    return ParseError(f"a {opened} is not closed", hint=hint, location=location, text=text)


def _parse_error(error: GlotParseError, text: str, wrong: TqpError | None, dialect: Dialect) -> TqpError:
    """The parser's error in the words of SQL; `wrong` is what the grammar has found already."""
    detail = error.errors[0] if error.errors else {}
    line, end = detail.get("line"), detail.get("col")
    if not isinstance(line, int) or not isinstance(end, int):
        return wrong or ParseError("syntax error", text=text)
    missing = _MISSING.search(str(detail.get("description", error)))
    # sqlglot's column is that of the word's last character.
    word = detail.get("highlight") or ""
    place = Location(line, max(1, end - len(word or " ") + 1))
    if wrong is not None:
        wrong.location = wrong.location or place
        return wrong
    offset = _offset(text, line) + end - 1
    has_more = "number of provided arguments" in str(detail.get("description"))
    name = _called_around(text, offset) if missing is not None or has_more else None
    if name is None:
        tokens = words(dialect, text)
        at = next((at for at, token in enumerate(tokens) if token.end >= offset), len(tokens)) if word else len(tokens)
        what = f" at or near {word!r}" if word else ": the query ends too early"
        return ParseError(f"syntax error{what}", hint=slip(tokens, at, text), location=place, text=text)
    if not is_named(name):
        found = refusal(name)
        found.location = place
        return found.with_text(text)
    message = f"{name.lower()} {'takes fewer' if has_more else 'needs more'} arguments"
    return BindError(message, hint=call_forms(name), location=place, text=text)


def _offset(text: str, line: int) -> int:
    """Where a line begins, counted from 1."""
    start = 0
    for _ in range(line - 1):
        start = text.find("\n", start) + 1
    return start


def _called_around(text: str, offset: int) -> str | None:
    """The function among whose arguments the offset lies; None where it lies in none."""
    depth = 0
    for place in range(min(offset, len(text) - 1) - 1, -1, -1):
        depth += (text[place] == ")") - (text[place] == "(")
        if depth < 0:
            found = _LAST_WORD.search(text, 0, place)
            return None if found is None else found[1]
    return None


def _refuse_statements(tokens: Sequence[Token], dialect: Dialect, text: str) -> None:
    """UnsupportedError for one that is no query by its first word: the parser would log some of them."""
    kinds = _statements(type(dialect))
    starts = [0, *[place + 1 for place, token in enumerate(tokens) if token.token_type == TokenType.SEMICOLON]]
    for token in [tokens[place] for place in starts if place < len(tokens)]:
        if token.token_type in kinds or token.text.upper() == "IF":
            raise _no_query(token.text.upper(), text)


@cache
def _statements(dialect: type[Dialect]) -> frozenset[TokenType]:
    """The first words of what is no query."""
    return frozenset({*dialect.parser_class.STATEMENT_PARSERS, *dialect.tokenizer_class.COMMANDS} - _QUERIES)


def _no_query(statement: str, text: str) -> UnsupportedError:
    hint = _INSTEAD.get(statement, _ELSEWHERE)
    return UnsupportedError(f"{statement} is not supported", hint=hint, text=text)
