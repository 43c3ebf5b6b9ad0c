"""What the holes of templates may hold: the kinds of expressions, and the words that stand in `{pick:@name}`."""

from __future__ import annotations

KINDS = (
    "int",
    "dec",
    "float",
    "text",
    "blob",
    "uuid",
    "date",
    "ts",
    "time",
    "interval",
    "bool",
    "list",
    "texts",
    "struct",
    "map",
    "enum",
    "zoned",
    "json",
)
NUMERIC = ("int", "dec", "float")
PLAIN = (
    "int",
    "dec",
    "float",
    "text",
    "blob",
    "uuid",
    "date",
    "ts",
    "bool",
    "list",
    "texts",
    "struct",
    "map",
    "enum",
    "zoned",
    "json",
)

PICKS: dict[str, tuple[str, ...]] = {
    "documents": tuple(f"'{text}'" for text in (
        '{"a": {"b": [1, 2.50, "x"]}}', '{"a": null, "b": true}', "[[1, 2], {}, -3]", '"text"', "null", "12345678901234567890123",
        '{"a": 1, "a": [2,], "": 3, "a.b": "\\u00e9"}', "[1e20, 1e21, 0.000001, -0.0, 1e-7]", "{}", "[]",
    )),
    "paths": ("'a'", "'$.a'", "'$.a.b[1]'", "'$.a.b[#-1]'", "'/a/b/2'", "'/0/1'", "'$[0][1]'", "'$[-1]'", "'a.b'", "''", "'$'", "'/'", "NULL"),
    "places": ("'a'", "'$.a.b'", "'$.c.d'", "'$[0]'", "'$[#]'", "'$.a.b[3]'", "'/a/b/-'", "'$[-1]'", "NULL"),
    "structures": ('{"a": "INTEGER", "b": "VARCHAR"}',),
    "parts": tuple("year month day quarter week dow isodow doy decade century millennium era isoyear epoch hour minute second".split()),
    "zones": ("'UTC'", "'Europe/Berlin'", "'America/New_York'", "'Asia/Kolkata'", "'Australia/Lord_Howe'"),
    "widths": ("INTERVAL 1 DAY", "INTERVAL '7' DAY", "INTERVAL 15 MINUTE", "INTERVAL '36 hours 1 second'", "INTERVAL 1 MONTH",
               "INTERVAL '5 years'", "INTERVAL 0 DAY"),
    "units": tuple("year month day quarter week decade hour minute second millisecond microsecond".split()),
    "formats": tuple(f"'{text}'" for text in (
        "%Y-%m-%d", "%d.%m.%y", "%H:%M:%S", "%I %p", "%j", "%A %B", "%a %b", "%-d/%-m", "%f", "%%", "%U %W", "%w", "%c", "%x",
        "%X", "%g", "%G-%V", "%S.%f", "%y %-y", "%L",
    )),
    "patterns": tuple(f"'{text}'" for text in ("a%", "%a", "%a%", "_", "__%", "", "%", "a_b", "%b_", "A%", "a\\%b", "%🙂%", "%.%", "%(%")),
    "regexes": tuple(f"'{text}'" for text in (
        "a", "^a", "b$", "[a-c]+", ".", "a.*b", "(a)(b)?", "\\d+", "", "^$", "a|b", "\\s", "[^a]", "(?i)AB",
    )),
    "ints": tuple("TINYINT SMALLINT INTEGER BIGINT HUGEINT UTINYINT USMALLINT UINTEGER UBIGINT".split()),
    "decs": ("DECIMAL(4,1)", "DECIMAL(9,2)", "DECIMAL(18,4)", "DECIMAL(38,6)", "DECIMAL(3,3)", "DECIMAL(38,0)", "DECIMAL(18,0)"),
    "floats": ("REAL", "DOUBLE"),
}  # fmt: skip
"""What `{pick:@name}` chooses from."""
