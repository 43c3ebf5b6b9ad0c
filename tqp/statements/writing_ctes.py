"""WITH … AS (INSERT … RETURNING …), UPDATE or DELETE: a statement that reads the rows which it writes. All is done, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from tqp.relation import Relation
from tqp.relation.answer import Answer
from tqp.statements.caller import Caller
from tqp.statements.given import by_name, numbered, parameters_in
from tqp.statements.head import blank, unused_name, with_stand_in

__all__ = ["Write", "first_write", "makes_table", "run_whole", "with_written"]

_STAND_IN: Final = "rows_written_"
_LEADING: Final = frozenset({"WITH", "INSERT", "UPDATE", "DELETE", "MERGE"})
_WRITING: Final = frozenset({("INSERT", "INTO"), ("INSERT", "OR"), ("DELETE", "FROM"), ("MERGE", "INTO")})


@dataclass(frozen=True, slots=True)
class Write:
    """A statement that is a CTE, by numbers of words: from `first` to before `close`; its name is at `cte`, WITH at `clause`."""

    clause: int
    cte: int
    first: int
    close: int


def first_write(tokens: Sequence[Token]) -> Write | None:
    """The first CTE of the statement's own WITH that writes; elsewhere what writes is refused as a query."""
    if tokens[0].text.upper() not in _LEADING and not makes_table(tokens):
        return None
    depth, clause, cte = 0, -1, -1
    for place, token in enumerate(tokens):
        if token.token_type == TokenType.L_PAREN:
            if depth == 0 and clause >= 0 and _writes(tokens, place + 1):
                return Write(clause, cte, place + 1, _closing(tokens, place))
            depth += 1
        elif token.token_type == TokenType.R_PAREN:
            depth -= 1
        elif depth == 0 and token.token_type == TokenType.WITH:
            clause, cte = place, place + 1
        elif depth == 0 and clause >= 0 and token.token_type == TokenType.COMMA:
            cte = place + 1
    return None


def _writes(tokens: Sequence[Token], place: int) -> bool:
    """Whether what stands in parentheses from here is a statement, and no query or list."""
    word, following = (part.text.upper() for part in tokens[place : place + 2])
    return (word, following) in _WRITING or (word == "UPDATE" and following not in (")", ",", "."))


def with_written(
    caller: Caller,
    text: str,
    split: Callable[[str], Sequence[Token]],
    run: Callable[[Caller, str], Relation],
) -> tuple[Caller, str]:
    """The statement with the rows of each one that writes, which is run, in its place. `split` gives the words of a text."""
    text = numbered(split(text), text)
    values = by_name(caller.params)
    used = set[str]()
    relations: dict[str, Answer] = dict(caller.relations)
    while (write := first_write(tokens := split(text))) is not None:
        clause, start, end = tokens[write.clause].start, tokens[write.first].start, tokens[write.close].start
        # What stands before it in the WITH is that one's, too.
        before = tokens[write.cte - 2].end + 1 if write.cte > write.clause + 1 else clause
        alone = blank(text[:clause]) + text[clause:before] + blank(text[before:start]) + text[start:end]
        name = unused_name(_STAND_IN, tokens)
        names = parameters_in(split(alone))
        used |= names
        given = {key: value for key, value in values.items() if key in names}
        relations[name] = run(replace(caller, params=given or None, relations=dict(relations)), alone)
        text = with_stand_in(text, start, end, f"FROM {name}")
    # Those that no part has are for the last one, which refuses them.
    used -= parameters_in(tokens)
    given = {key: value for key, value in values.items() if key not in used}
    return replace(caller, params=given or None, relations=relations), text


def makes_table(tokens: Sequence[Token]) -> bool:
    """Whether CREATE [OR REPLACE] [TEMP] TABLE begins the statement."""
    words = [token.text.upper() for token in tokens[:5]]
    rest = [word for word in words[1:] if word not in ("OR", "REPLACE", "TEMP", "TEMPORARY")]
    return words[0] == "CREATE" and rest[:1] == ["TABLE"]


def run_whole(caller: Caller, run: Callable[[], Relation]) -> Relation:
    """Run several changes as one: in a transaction of their own, unless the thread has one, which an error ends."""
    connection = caller.connection
    if connection.in_transaction:
        found = run()
        found.result()
        return found
    connection.open_transaction(read_only=False)
    try:
        found = run()
        found.result()
    except BaseException:
        connection.end_transaction(commits=False)
        raise
    connection.end_transaction(commits=True)
    return found


def _closing(tokens: Sequence[Token], place: int) -> int:
    """The number of the parenthesis that closes the one at `place`; that of the last word where none does."""
    depth = 0
    for number in range(place, len(tokens)):
        kind = tokens[number].token_type
        depth += (kind == TokenType.L_PAREN) - (kind == TokenType.R_PAREN)
        if depth == 0:
            return number
    return len(tokens) - 1
