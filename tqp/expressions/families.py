"""Functions of texts, moments, lists and JSON as methods of expressions: `col("name").str().upper()`; the names are DuckDB's."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final, Self

from tqp.errors import BindError
from tqp.expressions.constructors import FunctionExpression, LambdaExpression
from tqp.expressions.expression import Expression

__all__ = ["DtExpression", "JsonExpression", "ListExpression", "StrExpression"]

_DEPTH: Final[ContextVar[int]] = ContextVar("depth", default=0)
"""How many lambdas are being made within each other."""
_BEHIND: Final = frozenset(
    {"concat_ws", "date_diff", "date_part", "date_sub", "date_trunc", "time_bucket", "list_prepend"}
)
"""Functions of which the expression is the second argument."""


class _Family(Expression):
    """An expression with the functions of one kind of values as its methods; it is the same expression."""

    __slots__ = ()

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Callable[..., Self]: ...


class StrExpression(_Family):
    """With functions of texts."""

    __slots__ = ()


class DtExpression(_Family):
    """With functions of dates, times and timestamps."""

    __slots__ = ()


class ListExpression(_Family):
    """With functions of lists; a function of Python stands for a lambda."""

    __slots__ = ()


class JsonExpression(StrExpression):
    """With functions of JSON, and those of texts."""

    __slots__ = ()


_METHODS: Final[tuple[tuple[type[_Family], type[Expression], str, str], ...]] = (
    (StrExpression, Expression, "", """
        ascii bit_length contains damerau_levenshtein from_base64 hamming ilike_escape instr jaccard jaro_similarity
        jaro_winkler_similarity length length_grapheme levenshtein like_escape md5_number not_ilike_escape not_like_escape
        parse_formatted_bytes prefix regexp_full_match regexp_matches strlen suffix unbin unhex unicode"""),
    (StrExpression, StrExpression, "", """
        bin concat_ws format left left_grapheme lower lpad ltrim md5 nfc_normalize overlay parse_dirname parse_dirpath
        parse_filename path_join printf regexp_escape regexp_extract regexp_replace replace reverse right right_grapheme
        rpad rtrim sha1 sha256 strip_accents substring substring_grapheme translate trim upper url_decode url_encode"""),
    (StrExpression, ListExpression, "", "parse_path regexp_extract_all string_split string_split_regex"),
    (DtExpression, Expression, "", """
        century day dayofmonth dayofweek dayofyear days_in_month decade epoch epoch_ns epoch_us era hour isodow isoyear
        julian microsecond millennium millisecond minute month nanosecond quarter second timetz_byte_comparable timezone
        timezone_hour timezone_minute week weekday weekofyear year yearweek"""),
    (DtExpression, DtExpression, "", "age last_day normalized_interval time_bucket"),
    (DtExpression, Expression, "date_", "diff part sub"),
    (DtExpression, DtExpression, "date_", "trunc"),
    (DtExpression, StrExpression, "", "dayname monthname strftime"),
    (ListExpression, Expression, "list_", """
        aggregate any_value approx_count_distinct avg bit_and bit_or bit_xor bool_and bool_or contains cosine_distance
        cosine_similarity count distance entropy extract first has_all has_any histogram inner_product kurtosis
        kurtosis_pop last mad max median min mode negative_inner_product position product reduce sem skewness stddev_pop
        stddev_samp sum unique var_pop var_samp"""),
    (ListExpression, ListExpression, "list_", """
        append distinct filter grade_up intersect prepend resize reverse reverse_sort select sort transform"""),
    (ListExpression, ListExpression, "", "flatten"),
    (ListExpression, StrExpression, "list_", "string_agg"),
    (JsonExpression, Expression, "json_", "array_length contains exists transform transform_strict valid"),
    (JsonExpression, JsonExpression, "json_", """
        deep_merge extract extract_path insert merge_patch_diff remove replace set strip_nulls structure"""),
    (JsonExpression, StrExpression, "json_", "extract_path_text extract_string normalize pretty type value"),
    (JsonExpression, ListExpression, "json_", "keys"),
)  # fmt: skip
"""Whose methods they are, what they give, what stands before their names in SQL, and the names."""
_RENAMED: Final[Mapping[tuple[type[_Family], str], tuple[str, type[Expression]]]] = {
    (ListExpression, "mask"): ("list_where", ListExpression),
    (JsonExpression, "parse"): ("json", JsonExpression),
}


def _method(function: str, gives: type[Expression]) -> Callable[..., Expression]:
    def method(self: Expression, *args: object) -> Expression:
        own = Expression(self.text, _kind=self._kind)
        given = [_lambda(value) if inspect.isfunction(value) else value for value in args]
        place = 1 if function in _BEHIND else 0
        if len(given) < place:
            raise BindError(f"{function} takes an argument before the expression")
        made = FunctionExpression(function, *given[:place], own, *given[place:])
        return gives(made.text, _kind=made._kind)

    behind = "with an argument before it" if function in _BEHIND else "with more arguments behind it"
    method.__doc__ = f"`{function}` of it, {behind}."
    return method


def _lambda(function: Callable[..., object]) -> Expression:
    """A lambda of SQL from a function of Python, which is called once, with its parameters as expressions."""
    parameters = list(inspect.signature(function).parameters.values())
    plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    if not parameters or any(one.kind not in plain or one.default is not one.empty for one in parameters):
        raise BindError(
            f"{function.__name__} cannot be a lambda of SQL, whose parameters are plain names", hint="lambda x: x + 1"
        )
    depth = _DEPTH.get() + 1
    # No column and no parameter of a lambda around it has that name.
    names = [f"{one.name} of lambda {depth}" for one in parameters]
    token = _DEPTH.set(depth)
    try:
        columns = tuple(Expression(f'"{name}"') for name in names)
        return LambdaExpression(columns, function(*columns))
    finally:
        _DEPTH.reset(token)


for _own, _gives, _before, _names in _METHODS:
    for _name in _names.split():
        setattr(_own, _name, _method(_before + _name, _gives))
for (_own, _name), (_function, _gives) in _RENAMED.items():
    setattr(_own, _name, _method(_function, _gives))
