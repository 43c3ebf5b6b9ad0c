"""`test_all_types()`: a table of DuckDB's with a column for each type: its least value, its greatest one, and NULL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from sys import float_info
from typing import Final

import pyarrow as pa

from tqp.catalog.named_types import Types
from tqp.data.column import Column
from tqp.data.stored import Gap
from tqp.errors import UnsupportedError
from tqp.functions.casts.cast import cast
from tqp.io.arrow import column_from_arrow
from tqp.sql.signatures import dtype_named
from tqp.types import INTEGER, JSON, NULL, VARCHAR, DType, enum, struct

__all__ = ["ALL_TYPES", "AllTypes"]

ALL_TYPES: Final = "test_all_types()"
"""The name by which the table is looked up."""
_MADE: Final[Mapping[str, DType]] = {
    "medium_enum": enum([f"enum_{number}" for number in range(300)]),
    "tuple": struct([("", INTEGER), ("", VARCHAR)]),
}
"""Types that are not made from what they are called."""
_NO_TYPE: Final = "tqp has no such type"
_NO_NULLS: Final = "its arrays have NULLs in them, which tqp does not hold"
_BEYOND: Final = "a UHUGEINT of it is beyond 2^127"


class AllTypes:
    """The reader of the table. What tqp cannot hold of it is unsupported, column by column, with the name of its type."""

    rows = 3

    def __init__(self) -> None:
        gaps = {name: Gap(found, shown) for name, shown, found in _COLUMNS if isinstance(found, str)}
        self.unsupported: Mapping[str, str] = gaps
        self._values = {name: found for name, _, found in _COLUMNS if isinstance(found, tuple)}
        self.schema = tuple((name, NULL if name in gaps else _dtype(name, shown)) for name, shown, _ in _COLUMNS)

    def column(self, name: str) -> Column:
        """A column, on the CPU; UnsupportedError for one that is unsupported."""
        if name in self.unsupported:
            raise UnsupportedError(f"column {name!r} cannot be read: {self.unsupported[name]}")
        texts = column_from_arrow(pa.array([*self._values[name], None], pa.string()), name)
        dtype = dict(self.schema)[name]
        # No text says which member it is.
        return cast(replace(texts, dtype=JSON) if dtype.is_union else texts, dtype, False)


def _dtype(name: str, shown: str) -> DType:
    made = _MADE.get(name)
    return dtype_named(ALL_TYPES, shown, Types()) if made is None else made


_COLUMNS: Final[tuple[tuple[str, str, tuple[str, str] | str], ...]] = (
    ("bool", "BOOLEAN", ("false", "true")),
    ("tinyint", "TINYINT", ("-128", "127")),
    ("smallint", "SMALLINT", ("-32768", "32767")),
    ("int", "INTEGER", ("-2147483648", "2147483647")),
    ("bigint", "BIGINT", ("-9223372036854775808", "9223372036854775807")),
    ("hugeint", "HUGEINT", ("-170141183460469231731687303715884105728", "170141183460469231731687303715884105727")),
    ("uhugeint", "UHUGEINT", _BEYOND),
    ("utinyint", "UTINYINT", ("0", "255")),
    ("usmallint", "USMALLINT", ("0", "65535")),
    ("uint", "UINTEGER", ("0", "4294967295")),
    ("ubigint", "UBIGINT", ("0", "18446744073709551615")),
    ("bignum", "BIGNUM", (f"-{int(float_info.max)}", f"{int(float_info.max)}")),
    ("date", "DATE", ("5877642-06-25 (BC)", "5881580-07-10")),
    ("time", "TIME", ("00:00:00", "24:00:00")),
    ("timestamp", "TIMESTAMP", ("290309-12-22 (BC) 00:00:00", "294247-01-10 04:00:54.775806")),
    ("timestamp_s", "TIMESTAMP_S", ("290309-12-22 (BC) 00:00:00", "294247-01-10 04:00:54")),
    ("timestamp_ms", "TIMESTAMP_MS", ("290309-12-22 (BC) 00:00:00", "294247-01-10 04:00:54.775")),
    ("timestamp_ns", "TIMESTAMP_NS", ("1677-09-22 00:00:00", "2262-04-11 23:47:16.854775806")),
    ("time_tz", "TIME WITH TIME ZONE", ("00:00:00+15:59:59", "24:00:00-15:59:59")),
    ("timestamp_tz", "TIMESTAMP WITH TIME ZONE", ("290309-12-22 (BC) 00:00:00+00", "294247-01-10 04:00:54.775806+00")),
    ("timestamp_tz_ns", "TIMESTAMPTZ_NS", ("1677-09-22 00:00:00+00", "2262-04-11 23:47:16.854775806+00")),
    ("float", "FLOAT", ("-3.4028235e+38", "3.4028235e+38")),
    ("double", "DOUBLE", ("-1.7976931348623157e+308", "1.7976931348623157e+308")),
    ("dec_4_1", "DECIMAL(4,1)", ("-999.9", "999.9")),
    ("dec_9_4", "DECIMAL(9,4)", ("-99999.9999", "99999.9999")),
    ("dec_18_6", "DECIMAL(18,6)", ("-999999999999.999999", "999999999999.999999")),
    ("dec38_10", "DECIMAL(38,10)", ("-9999999999999999999999999999.9999999999", "9999999999999999999999999999.9999999999")),
    ("uuid", "UUID", ("00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff")),
    ("interval", "INTERVAL", ("00:00:00", "83 years 3 months 999 days 00:16:39.999999")),
    ("varchar", "VARCHAR", ("🦆🦆🦆🦆🦆🦆", "goo\0se")),
    ("blob", "BLOB", ("thisisalongblob\\x00withnullbytes", "\\x00\\x00\\x00a")),
    ("bit", "BIT", ("0010001001011100010101011010111", "10101")),
    ("small_enum", "ENUM('DUCK_DUCK_ENUM', 'GOOSE')", ("DUCK_DUCK_ENUM", "GOOSE")),
    ("medium_enum", "ENUM", ("enum_0", "enum_299")),
    ("large_enum", "ENUM('enum_0', 'enum_69999')", ("enum_0", "enum_69999")),
    ("int_array", "INTEGER[]", ("[]", "[42, 999, NULL, NULL, -42]")),
    ("double_array", "DOUBLE[]", ("[]", "[42.0, nan, inf, -inf, NULL, -42.0]")),
    ("date_array", "DATE[]", ("[]", "[1970-01-01, infinity, -infinity, NULL, 2022-05-12]")),
    ("timestamp_array", "TIMESTAMP[]", ("[]", "['1970-01-01 00:00:00', infinity, -infinity, NULL, '2022-05-12 16:23:45']")),
    (
        "timestamptz_array", "TIMESTAMP WITH TIME ZONE[]",
        (
            "[]",
            "['1970-01-01 00:00:00+00', infinity, -infinity, NULL, '2022-05-12 23:23:45+00']",
        ),
    ),
    ("varchar_array", "VARCHAR[]", ("[]", "[🦆🦆🦆🦆🦆🦆, goose, NULL, '']")),
    ("nested_int_array", "INTEGER[][]", ("[]", "[[], [42, 999, NULL, NULL, -42], NULL, [], [42, 999, NULL, NULL, -42]]")),
    ("struct", "STRUCT(a INTEGER, b VARCHAR)", ("{'a': NULL, 'b': NULL}", "{'a': 42, 'b': 🦆🦆🦆🦆🦆🦆}")),
    ("empty_struct", "STRUCT", ("{}", "{}")),
    (
        "struct_of_arrays", "STRUCT(a INTEGER[], b VARCHAR[])",
        (
            "{'a': NULL, 'b': NULL}",
            "{'a': [42, 999, NULL, NULL, -42], 'b': [🦆🦆🦆🦆🦆🦆, goose, NULL, '']}",
        ),
    ),
    ("array_of_structs", "STRUCT(a INTEGER, b VARCHAR)[]", ("[]", "[{'a': NULL, 'b': NULL}, {'a': 42, 'b': 🦆🦆🦆🦆🦆🦆}, NULL]")),
    ("map", "MAP(VARCHAR, VARCHAR)", ("{}", "{key1=🦆🦆🦆🦆🦆🦆, key2=goose}")),
    ("union", "UNION(\"name\" VARCHAR, age SMALLINT)", ('{"name": "Frank"}', '{"age": 5}')),
    ("fixed_int_array", "INTEGER[3]", _NO_NULLS),
    ("fixed_varchar_array", "VARCHAR[3]", ("[a, NULL, c]", "[d, e, f]")),
    ("fixed_nested_int_array", "INTEGER[3][3]", _NO_NULLS),
    (
        "fixed_nested_varchar_array", "VARCHAR[3][3]",
        (
            "[[a, NULL, c], NULL, [a, NULL, c]]",
            "[[d, e, f], [a, NULL, c], [d, e, f]]",
        ),
    ),
    (
        "fixed_struct_array", "STRUCT(a INTEGER, b VARCHAR)[3]",
        (
            "[{'a': NULL, 'b': NULL}, {'a': 42, 'b': 🦆🦆🦆🦆🦆🦆}, {'a': NULL, 'b': NULL}]",
            "[{'a': 42, 'b': 🦆🦆🦆🦆🦆🦆}, {'a': NULL, 'b': NULL}, {'a': 42, 'b': 🦆🦆🦆🦆🦆🦆}]",
        ),
    ),
    ("struct_of_fixed_array", "STRUCT(a INTEGER[3], b VARCHAR[3])", _NO_NULLS),
    (
        "fixed_array_of_int_list", "INTEGER[][3]",
        (
            "[[], [42, 999, NULL, NULL, -42], []]",
            "[[42, 999, NULL, NULL, -42], [], [42, 999, NULL, NULL, -42]]",
        ),
    ),
    ("list_of_fixed_int_array", "INTEGER[3][]", _NO_NULLS),
    ("time_ns", "TIME_NS", ("00:00:00", "24:00:00")),
    ("geometry", "GEOMETRY", _NO_TYPE),
    ("tuple", "TUPLE(INTEGER, VARCHAR)", ("(NULL, NULL)", "(42, 🦆🦆🦆🦆🦆🦆)")),
)  # fmt: skip
"""The name of each column, its type, and the texts of its first two values, or why it cannot be read."""
