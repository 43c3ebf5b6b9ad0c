"""Values of VARIANT as documents: JSON whose strings say a type and a value, `["INTEGER:1", {"a": "VARCHAR:x"}, null]`."""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Iterable, Iterator
from typing import Final

from tqp import types
from tqp.functions.json_text import real
from tqp.types import DType, Kind, decimal

__all__ = [
    "Document", "by_type", "kind_of", "leaf", "leaves_of", "parsed", "parts", "shown", "spelled_json", "type_of", "widened",
    "written", "written_or_null",
]  # fmt: skip

Document = str | list["Document | None"] | dict[str, "Document | None"]
"""A leaf, the elements of an array, or the members of an object; NULL among these is None."""

_NAMES: Final = {
    types.BOOLEAN: "", types.TINYINT: "INT8", types.SMALLINT: "INT16", types.INTEGER: "INT32", types.BIGINT: "INT64",
    types.HUGEINT: "INT128", types.UTINYINT: "UINT8", types.USMALLINT: "UINT16", types.UINTEGER: "UINT32",
    types.UBIGINT: "UINT64", types.UHUGEINT: "UINT128", types.BIGNUM: "BIGNUM", types.FLOAT: "FLOAT", types.DOUBLE: "DOUBLE",
    types.VARCHAR: "VARCHAR", types.BLOB: "BLOB", types.UUID: "UUID", types.DATE: "DATE", types.TIME: "TIME_MICROS",
    types.TIME_NS: "TIME_NANOS", types.TIMETZ: "TIME_MICROS_TZ", types.TIMESTAMP: "TIMESTAMP_MICROS",
    types.TIMESTAMP_S: "TIMESTAMP_SEC", types.TIMESTAMP_MS: "TIMESTAMP_MILIS", types.TIMESTAMP_NS: "TIMESTAMP_NANOS",
    types.TIMESTAMPTZ: "TIMESTAMP_MICROS_TZ", types.TIMESTAMPTZ_NS: "TIMESTAMP_NANOS_TZ", types.INTERVAL: "INTERVAL",
    types.BIT: "BITSTRING",
}  # fmt: skip
"""What DuckDB calls the types of leaves; DECIMAL apart, and BOOLEAN, which is BOOL_TRUE or BOOL_FALSE."""
_TYPES: Final = {str(dtype): dtype for dtype in _NAMES}
_DECIMAL: Final = re.compile(r"DECIMAL\((\d+),(\d+)\)")
_QUOTED: Final = re.compile(r"""[\s\S]*["'(),:=\[\]{}\\][\s\S]*|\s[\s\S]*|[\s\S]*\s|(?i:null)|""")
_MARK: Final = ":"


def parsed(text: str) -> Document | None:
    """The document that a text says; None of the empty one, which stands for NULL in dictionaries."""
    if not text:
        return None
    found: Document | None = json.loads(text)
    return found


def written(document: Document) -> str:
    """The text of a document, the same one of equal documents."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def written_or_null(document: Document | None) -> str | None:
    """The text of a document that is one."""
    return None if document is None else written(document)


def leaf(dtype: DType, text: str) -> str:
    """The leaf of a value of a type, which is neither nested nor JSON, by its text in SQL."""
    return f"{dtype}{_MARK}{text}"


def parts(leaf: str) -> tuple[str, str]:
    """The name of a leaf's type, and its text."""
    name, _, text = leaf.partition(_MARK)
    return name, text


def type_of(name: str) -> DType:
    """The type that a leaf names."""
    known = _TYPES.get(name)
    if known is None:
        digits = _DECIMAL.fullmatch(name)
        assert digits is not None
        known = _TYPES[name] = decimal(int(digits[1]), int(digits[2]))
    return known


def kind_of(document: Document | None, *, whole: bool) -> str:
    """What DuckDB calls the type of a value; the `whole` one has the digits of a DECIMAL, the size of an array, keys."""
    if document is None:
        return "VARIANT_NULL"
    if isinstance(document, list):
        return f"ARRAY({len(document)})" if whole else "ARRAY"
    if isinstance(document, dict):
        return f"OBJECT({', '.join(sorted(document, key=str.encode))})" if whole else "OBJECT"
    name, text = parts(document)
    dtype = type_of(name)
    if dtype.is_decimal:
        return f"DECIMAL({dtype.precision}, {dtype.scale})" if whole else "DECIMAL"
    return _NAMES[dtype] or f"BOOL_{text.upper()}"


def shown(document: Document | None, *, inside: bool = False) -> str:
    """The text in SQL of a value; of one inside of another in quotes where it needs them."""
    if document is None:
        return "NULL"
    if isinstance(document, list):
        return f"[{', '.join(shown(item, inside=True) for item in document)}]"
    if isinstance(document, dict):
        if document.keys() == {""}:
            # As in DuckDB: like a STRUCT whose one field has no name.
            return f"{{''={shown(document[''], inside=True)}}}"
        pairs = [f"{_in_quotes(name)}: {shown(item, inside=True)}" for name, item in _sorted(document)]
        return "{" + ", ".join(pairs) + "}"
    name, text = parts(document)
    dtype = type_of(name)
    is_plain = not inside or dtype.is_numeric or dtype.kind is Kind.BOOLEAN
    return text if is_plain or not _QUOTED.fullmatch(text) else _in_quotes(text)


def leaves_of(document: Document | None) -> Iterator[str]:
    """The leaves of a document, in its order."""
    if isinstance(document, str):
        yield document
    elif document is not None:
        for item in document.values() if isinstance(document, dict) else document:
            yield from leaves_of(item)


def by_type(documents: Iterable[Document | None]) -> dict[DType, list[str]]:
    """The distinct leaves of documents by their types."""
    found: dict[DType, list[str]] = {}
    for one in dict.fromkeys(leaf for document in documents for leaf in leaves_of(document)):
        found.setdefault(type_of(parts(one)[0]), []).append(one)
    return found


def _sorted(document: dict[str, Document | None]) -> list[tuple[str, Document | None]]:
    return sorted(document.items(), key=lambda pair: pair[0].encode())


def _in_quotes(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def spelled_json(document: Document | None) -> str:
    """The value as JSON: numbers and truth values as they are, all else a string of its text."""
    if document is None:
        return "null"
    if isinstance(document, list):
        return f"[{','.join(map(spelled_json, document))}]"
    if isinstance(document, dict):
        return "{" + ",".join(f"{_string(name)}:{spelled_json(item)}" for name, item in _sorted(document)) + "}"
    name, text = parts(document)
    dtype = type_of(name)
    if dtype.is_float:
        return real(text if dtype == types.DOUBLE else widened(text))
    if dtype.is_decimal and dtype.precision == dtype.scale:
        # JSON asks for a digit before the point.
        return text.replace(".", "0.", 1) if not text.lstrip("-").startswith("0") else text
    return text if dtype.is_numeric or dtype.kind is Kind.BOOLEAN else _string(text)


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def widened(text: str) -> str:
    """The text of a FLOAT as that of the DOUBLE of the same value."""
    return repr(struct.unpack("f", struct.pack("f", float(text)))[0])
