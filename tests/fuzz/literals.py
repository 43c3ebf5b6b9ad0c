"""Literals of each kind: tame ones, those at the edges of types, and values of parameters."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

from tests.fuzz.data import ENUM

__all__ = ["GIVEN", "LITERALS", "ODD_LITERALS"]

LITERALS: dict[str, tuple[str, ...]] = {
    "int": ("0", "1", "2", "-1", "3", "7", "NULL::INTEGER", "5::BIGINT", "2::HUGEINT", "3::UTINYINT"),
    "dec": ("0.0", "1.5", "-2.25", "0.5", "10.00", "NULL::DECIMAL(9,2)", "3::DECIMAL(18,3)"),
    "float": ("0.5::DOUBLE", "2e0", "-1.5e0", "0.25::REAL", "NULL::DOUBLE", "1e1"),
    "text": ("''", "'a'", "'b'", "'Ab'", "NULL::VARCHAR", "'a b'", "'é'", "'3'"),
    "uuid": (
        "uuid '40000000-0000-0000-0000-000000000000'",
        "uuid '80000000-0000-0000-0000-000000000005'",
        "NULL::UUID",
    ),
    "blob": ("''::BLOB", "x'FF00'", "'a'::BLOB", "NULL::BLOB"),
    "date": ("DATE '2020-02-29'", "DATE '2021-01-01'", "'2020-03-01'::DATE"),
    "ts": ("TIMESTAMP '2020-02-29 12:00:00'", "TIMESTAMP '1999-12-31 23:59:59.999999'"),
    "time": ("TIME '12:00:00'", "NULL::TIME"),
    "interval": (
        "INTERVAL 1 DAY",
        "INTERVAL '-3' MONTH",
        "INTERVAL 90 MINUTE",
        "INTERVAL '1 year 2 days'",
        "NULL::INTERVAL",
    ),
    "bool": ("true", "false", "NULL::BOOLEAN"),
    "small": ("0", "1", "2", "3", "-1", "-2", "5"),
    "list": ("[1, 2]", "[]::INTEGER[]", "[NULL, 3]", "NULL::INTEGER[]", "range(3)", "[5]"),
    "texts": ("['a', 'b']", "[]::VARCHAR[]", "['x', NULL, '']", "NULL::VARCHAR[]"),
    "struct": ("{'a': 1, 'b': 'x'}", "{'a': NULL::INTEGER, 'b': 'y'}", "(NULL::STRUCT(a INTEGER, b VARCHAR))"),
    "map": ("MAP {'a': 1, 'b': 2}", "MAP {'': NULL::INTEGER}", "(NULL::MAP(VARCHAR, INTEGER))"),
    "enum": (f"'a'::{ENUM}", f"'b'::{ENUM}", f"NULL::{ENUM}"),
    "zoned": (
        "TIMESTAMPTZ '2020-02-29 12:00:00+00'",
        "TIMESTAMPTZ '1999-12-31 23:59:59.999999+05:30'",
        "NULL::TIMESTAMPTZ",
    ),
    "json": ("'[1]'::JSON", "'{\"a\": [2, null]}'::JSON", "' 3 '::JSON", "NULL::JSON", "'\"x\"'::JSON"),
}
ODD_LITERALS: dict[str, tuple[str, ...]] = {
    "int": ("127::TINYINT", "(-128)::TINYINT", "100::TINYINT", "9223372036854775807", "-9223372036854775808", "170141183460469231731687303715884105727",
            "18446744073709551615::UBIGINT", "2147483647"),
    "dec": ("999.9", "99999999999999.9999", "99999999999999999999999999999999.999999", "0.000001"),
    "float": ("'nan'::DOUBLE", "'inf'::DOUBLE", "'-inf'::REAL", "1e308", "-0e0"),
    "text": ("'%'", "'🙂'", "' x '", "'2020-02-29'", "'1.5'", "'NaN'", "'\\'", "''''"),
    "date": ("DATE '0001-01-01'", "DATE '9999-12-31'", "DATE '-0044-03-15'", "DATE '5874897-12-31'"),
    "ts": ("TIMESTAMP '0001-01-01 00:00:00'", "TIMESTAMP '9999-12-31 23:59:59'"),
    "interval": ("INTERVAL 200 YEAR", "INTERVAL '-1' MICROSECOND"),
}  # fmt: skip

GIVEN: dict[str, tuple[tuple[object, str], ...]] = {
    "int": ((1, "INTEGER"), (-2, "BIGINT"), (3, "TINYINT"), (None, "INTEGER"), (2**62, "BIGINT")),
    "dec": ((Decimal("1.5"), "DECIMAL(4,1)"), (Decimal("-0.25"), "DECIMAL(18,4)"), (None, "DECIMAL(9,2)")),
    "float": ((0.5, "DOUBLE"), (-1.5, "DOUBLE"), (None, "REAL")),
    "text": (("a", "VARCHAR"), ("", "VARCHAR"), ("é'%", "VARCHAR"), (None, "VARCHAR")),
    "date": ((date(2020, 2, 29), "DATE"), (None, "DATE")),
    "ts": ((datetime(2020, 2, 29, 12), "TIMESTAMP"),),
    "bool": ((True, "BOOLEAN"), (False, "BOOLEAN"), (None, "BOOLEAN")),
}
"""Values of parameters and the types that they are cast to."""
