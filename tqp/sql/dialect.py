"""The SQL dialect tqp reads by default: DuckDB's, with room for functions of tqp's own."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from sqlglot import Dialect, exp, parse_one
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.dialects.postgres import Postgres
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from tqp.errors import BindError
from tqp.own import OwnFunctions
from tqp.sql.kept_arguments import KEPT, forgetful_calls

__all__ = [
    "QUANTIFIERS", "STAND_INS", "called", "dialect_named", "needs_several", "with_own_names", "with_quantifiers", "with_stand_ins",
    "with_whole_maps",
]  # fmt: skip

STAND_INS: Final = {
    "DECODE": "tqp_decode",  # without a second argument
    "ENCODE": "tqp_encode",
    "SHA256": "tqp_sha256",
    "PREDICT": "tqp_predict",  # of three arguments at most
    "DATE_ADD": "tqp_date_add",  # of an interval alone
    "DATE_BIN": "tqp_date_bin",  # no function of DuckDB's
    "TIME_BUCKET": "tqp_time_bucket",  # its third argument a unit
    # Of lists, with a lambda.
    "APPLY": "tqp_apply",
    "FILTER": "tqp_filter",
    "REDUCE": "tqp_reduce",
    # Parsed by code of their own, which forgets what they were called and where they stand.
    **{
        name: f"tqp_{name.lower()}"
        for name in (
            "APPROX_QUANTILE", "ARGMAX", "ARGMIN", "ARG_MAX", "ARG_MIN", "GROUP_CONCAT", "LISTAGG", "MAX_BY", "MIN_BY", "QUANTILE",
            "QUANTILE_CONT", "QUANTILE_DISC", "STRING_AGG", "JSON_EXTRACT", "JSON_EXTRACT_PATH", "JSON_EXTRACT_PATH_TEXT",
            "JSON_EXTRACT_STRING", "JSON_KEYS", "JSON_STRIP_NULLS", "JSON_TYPE", "AGGREGATE",
            "JSON_ARRAY", "JSON_OBJECT", "JSON_REMOVE", "JSON_SET", "FROM_JSON",
        )
    },
}  # fmt: skip
"""What functions are called while sqlglot parses, whose own nodes for them mean something else."""
_LISTS: Final = (
    "append prepend push_back push_front concat cat contains has has_all has_any position indexof distinct unique slice "
    "sort reverse_sort grade_up resize reverse zip where select intersect transform apply filter reduce aggregate aggr "
    "min max sum to_string"
)
STAND_INS.update({
    f"{kind}_{name}": f"tqp_{kind}_{name}".lower() for kind in ("LIST", "ARRAY") for name in _LISTS.upper().split()
})  # fmt: skip
_OWN_NAMES: Final = {stand_in: name for name, stand_in in STAND_INS.items()}


_OWN: Final = "tqp_own_"
"""What stands before the name of a function of the user's own while sqlglot parses."""
_WITHOUT_WORDS: Final = frozenset({DuckDB, Postgres})
"""The dialects in which no argument is the name of a unit."""
_BEFORE_ALIAS: Final = frozenset({
    TokenType.ALIAS, TokenType.DOT, TokenType.IDENTIFIER, TokenType.R_PAREN, TokenType.VAR, TokenType.WITH,
})  # fmt: skip
"""A name behind one of these is none that is called."""


def with_stand_ins(
    tokens: Sequence[Token], said: Collection[str], own: OwnFunctions, dialect: Dialect
) -> list[Token] | None:
    """The words with some calls under names that the parser does not know; `with_own_names` gives the names back.

    These are functions whose nodes mean something else, or forget an argument, and the user's `own`. `said` are the words in
    capitals, each once. None where there is no such call.
    """
    known = STAND_INS | {one.name.upper(): f"{_OWN}{one.name}" for one in own} if own else STAND_INS
    kept = forgetful_calls(tokens, said, dialect) if type(dialect) in _WITHOUT_WORDS else {}
    if known.keys().isdisjoint(said) and not kept:
        return None
    result = list(tokens)
    for place, name in kept.items():
        token = tokens[place]
        result[place] = Token(TokenType.VAR, name, token.line, token.col, token.start, token.end)
    for place, token in enumerate(tokens[:-1]):
        stand_in = known.get(token.text.upper())
        if stand_in is None or tokens[place + 1].token_type != TokenType.L_PAREN:
            continue
        if place and tokens[place - 1].token_type == TokenType.R_PAREN:
            # No call: `sum(x) FILTER (…)`.
            continue
        if stand_in.startswith(_OWN) and place and tokens[place - 1].token_type in _BEFORE_ALIAS:
            continue
        result[place] = Token(TokenType.VAR, stand_in, token.line, token.col, token.start, token.end)
    return result


def with_own_names(tree: exp.Expr, own: OwnFunctions) -> None:
    """Call the functions by their names again; those of the user with what they call."""
    for node in tree.find_all(exp.Anonymous, exp.Identifier):
        # A table or column may be called as a function is that stands before parentheses: FROM t AS mod(a, b, c).
        name = node.name.removeprefix(KEPT) if node.name.startswith(KEPT) else _OWN_NAMES.get(node.name)
        function = own.find(node.name.removeprefix(_OWN)) if node.name.startswith(_OWN) else None
        if function is not None:
            node.set("this", function.called())
        elif name is not None:
            node.set("this", name)


def with_whole_maps(tree: exp.Expr) -> None:
    """Put subscripts behind `MAP {…}` around it: the parser takes them for subscripts of what stands in braces."""
    for node in list(tree.find_all(exp.ToMap)):
        outermost = innermost = node.this
        while isinstance(innermost.this, exp.Bracket):
            innermost = innermost.this
        if isinstance(outermost, exp.Bracket):
            node.replace(outermost)
            node.set("this", innermost.this)
            innermost.set("this", node)


def _node_of(name: str) -> type[exp.Func] | None:
    """The parser's node for a function of that name; None where it has none, or `with_own_names` keeps it from it."""
    build = None if name.upper() in STAND_INS else DuckDB.Parser.FUNCTIONS.get(name.upper())
    kind = getattr(build, "__self__", None) or exp.FUNCTION_BY_NAME.get(name.upper())
    return kind if build is not None and isinstance(kind, type) else None


def needs_several(name: str) -> bool:
    """Whether the parser takes no call of the function with one argument."""
    kind = _node_of(name)
    return kind is not None and sum(kind.arg_types.values()) > 1


def called(name: str, args: list[exp.Expr]) -> exp.Expr | None:
    """The call of a function that `needs_several` arguments; None where it does not take so many."""
    try:
        return written_with(f"{name}({', '.join(['{}'] * len(args))})", args)
    except SqlglotError:
        return None


def written_with(form: str, args: Sequence[exp.Expr]) -> exp.Expr:
    """An expression that is written as `form`, with the arguments in the places of `{}`; SqlglotError where it is none."""
    places = [f"tqp_argument__{place}" for place in range(len(args))]
    tree = parse_one(f"SELECT {form.format(*places)}", dialect=_DEFAULT)
    whole = exp.Paren(this=tree.expressions[0])
    values = dict(zip(places, args, strict=True))
    for part in list(whole.find_all(exp.Column, exp.Var)):
        if part.name in values:
            part.replace(values[part.name])
    made: exp.Expr = whole.this
    return made


QUANTIFIERS: Final[dict[str, type[exp.Expr]]] = {"ALL": exp.All, "SOME": exp.Any}


def with_quantifiers(tree: exp.Expr) -> None:
    """Make `x = ALL(list)` and `x = SOME(list)` what `x = ANY(list)` is: the parser takes them for calls."""
    for node in tree.find_all(exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE):
        right = node.expression
        if isinstance(right, exp.Anonymous) and isinstance(right.this, str) and len(right.expressions) == 1:
            kind = QUANTIFIERS.get(right.name.upper())
            if kind is not None:
                node.set("expression", kind(this=exp.Paren(this=right.expressions[0])))


def _counting_from_one(dialect: Dialect) -> Dialect:
    # The parser makes subscripts that it takes for numbers count from 0, and leaves others: so none is moved.
    dialect.INDEX_OFFSET = type(dialect).INDEX_OFFSET - 1
    return dialect


def _with_paths_as_written(dialect: Dialect) -> Dialect:
    # The parser takes the name of a member, 'a.b', for a path.
    setattr(dialect, "to_json_path", lambda path: path)  # noqa: B010 - a method
    return dialect


def _with_formats_as_written(dialect: Dialect) -> Dialect:
    # The parser makes an empty format, '', the text None.
    setattr(dialect, "format_time", lambda pattern: pattern)  # noqa: B010 - a method
    return dialect


_DEFAULT = _with_formats_as_written(_with_paths_as_written(_counting_from_one(DuckDB())))


def dialect_named(name: str) -> Dialect:
    """The dialect called `name` by sqlglot; BindError where there is none."""
    if name == "duckdb":
        return _DEFAULT
    try:
        found = Dialect.get_or_raise(name)
    except ValueError:
        raise BindError(
            f"there is no SQL dialect {name!r}", hint="try duckdb, postgres, spark, tsql or mysql"
        ) from None
    return _counting_from_one(found)
