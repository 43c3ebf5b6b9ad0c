"""Calls of aggregates, the kinds of columns that they and their queries give, and the types of these."""

from __future__ import annotations

import re

from tests.fuzz.data import ENUM
from tests.fuzz.expressions import Expressions

__all__ = ["PLAIN", "TYPES", "aggregate"]

TYPES = {
    "int": "BIGINT",
    "dec": "DECIMAL(18, 3)",
    "float": "DOUBLE",
    "text": "VARCHAR",
    "blob": "BLOB",
    "uuid": "UUID",
    "date": "DATE",
    "ts": "TIMESTAMP",
    "bool": "BOOLEAN",
    "list": "INTEGER[]",
    "texts": "VARCHAR[]",
    "struct": "STRUCT(a INTEGER, b VARCHAR)",
    "map": "MAP(VARCHAR, INTEGER)",
    "enum": ENUM,
    "zoned": "TIMESTAMPTZ",
}
PLAIN = tuple(TYPES)
"""Kinds that a column may have."""

_FIRST_HOLE = re.compile(r"\{(=|\w+)\}")
"""What `{@}` stands for again."""
_AGGREGATES: tuple[tuple[str, str], ...] = (
    ("count(*)", "int"), ("count({any})", "int"), ("count(DISTINCT {any})", "int"), ("sum({int})", "int"), ("sum({dec})", "dec"),
    ("sum({float})", "float"), ("avg({num})", "float"), ("sum(DISTINCT {int})", "int"), ("avg(DISTINCT {dec})", "float"),
    ("min({=})", "="), ("max({=})", "="), ("min(DISTINCT {=})", "="), ("bool_and({bool})", "bool"), ("bool_or({bool})", "bool"),
    ("stddev_samp({int})", "float"), ("var_pop({int})", "float"), ("sum({bool}::INTEGER)", "int"),
    ("median({text})", "text"), ("median({int})", "float"), ("median({dec})", "dec"), ("median({date})", "ts"), ("median({ts})", "ts"),
    ("quantile_cont({int}, 0.3)", "float"), ("quantile_cont({dec}, 0.75)", "dec"), ("quantile_disc({=}, 0.4)", "="),
    ("quantile_disc({=}, -0.9)", "="), ("median(DISTINCT {int})", "float"), ("mad({int})", "float"), ("mad({dec})", "dec"),
    ("percentile_cont(0.25) WITHIN GROUP (ORDER BY {int} DESC)", "float"), ("mode({=} ORDER BY {@})", "="),
    ("first({=} ORDER BY {@} DESC)", "="), ("last({=} ORDER BY {@})", "="), ("any_value({=} ORDER BY {@})", "="),
    ("last({=} ORDER BY {@} DESC NULLS FIRST)", "="), ("string_agg({text}, '-' ORDER BY {@})", "text"),
    ("string_agg(DISTINCT {text}, ',' ORDER BY {@} DESC)", "text"), ("string_agg({int}, '' ORDER BY {@})", "text"),
    ("len(list({=} ORDER BY {@}){?})", "int"), ("(list({=} ORDER BY {@}){?})[1]", "="), ("(list(DISTINCT {=} ORDER BY {@} DESC){?})[2]", "="),
    ("arg_min_null({=}, {@})", "="), ("arg_max({=}, {@} ORDER BY {@})", "="), ("(max({=}, 2){?})[2]", "="), ("(min({=}, 1){?})[1]", "="),
    ("cardinality(histogram({int}){?})", "int"), ("(quantile_disc({=}, [0.25, 0.5]){?})[2]", "="), ("avg({date})", "ts"), ("count_if({bool})", "int"),
    ("avg({interval})", "interval"), ("(histogram({int}, [0, 10, 100]){?})[10]", "int"), ("(histogram_exact({text}, ['a', 'b']){?})['a']", "int"),
    ("(quantile_disc({=}, [0, 0.5] ORDER BY {@} DESC){?})[1]", "="), ("len(lttb({int}, {float}, 5 ORDER BY {@}){?})", "int"),
    ("json_array_length(json_group_array({any})) + 0 * count(*){?}", "int"), ("length(json_group_object({int} IS NULL, {any})) + 0 * count(*){?}", "int"),
    ("length(json_group_structure({int})) + 0 * count(*){?}", "int"), ("round(entropy({=}){?}, 9)", "float"), ("sem({int})", "float"), ("kurtosis_pop({int} % 100)", "float"), ("fsum({int})", "float"),
)  # fmt: skip
"""Calls and the kinds of what they give. FILTER stands where `{?}` does, else at the end; `{@}` is the first argument again."""


def aggregate(maker: Expressions, kind: str | None) -> tuple[str, str]:
    """A call, of the kind if one is asked for, and the kind of what it gives."""
    rng = maker.rng
    fitting = [pair for pair in _AGGREGATES if kind is None or pair[1] in (kind, "=")]
    template, result = rng.choice(fitting)
    if result == "=":
        result = kind or rng.choice(PLAIN)
    ordered = _FIRST_HOLE.search(template) if "{@}" in template else None
    text = template
    if ordered is not None:
        own = maker.reading(result if ordered[1] == "=" else ordered[1], rng.choice((0, 1)))
        if own is None:
            # Nothing is ordered by a constant.
            return aggregate(maker, kind)
        text = text.replace(ordered[0], own, 1).replace("{@}", own)
    text = maker.fill(text.replace("{=}", f"{{{result}}}").replace("{?}", "\0"), None, rng.choice((1, 1, 2)))
    condition = f" FILTER (WHERE {maker.make('bool', 1)})" if rng.random() < 0.2 else ""
    return text.replace("\0", condition) if "\0" in text else text + condition, result
