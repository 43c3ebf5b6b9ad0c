"""Files as rows: their names (`glob`), and what is in each as one text or as bytes (`read_text`, `read_blob`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import pyarrow as pa

from tqp.data.column import Column
from tqp.errors import SourceError
from tqp.io.arrow import column_from_arrow
from tqp.io.options import FileOptions, Known, TypeOf, flag
from tqp.io.readers import Described
from tqp.io.state import File, require_same

__all__ = ["WholeOptions", "WholeReader"]

_COLUMNS: Final[Mapping[str, Mapping[str, pa.DataType]]] = {
    "glob": {"file": pa.string()},
    **{
        kind: {"filename": pa.string(), "content": content, "size": pa.int64(), "last_modified": pa.timestamp("us", "UTC")}
        for kind, content in (("read_text", pa.large_string()), ("read_blob", pa.large_binary()))
    },
}  # fmt: skip
_KNOWN: Final = Known({}, idle={"allow_empty": flag})


@dataclass(frozen=True, slots=True)
class WholeOptions:
    """What is asked of the files, by the name of the function that asks it; where there is none, there is no row."""

    function: str
    files: FileOptions = field(default_factory=lambda: FileOptions(allow_empty=True))

    @staticmethod
    def of(function: str, given: Mapping[str, Any], type_of: TypeOf) -> WholeOptions:
        """No options but `allow_empty`, which holds always; SourceError for any other."""
        _KNOWN.read(function, given, type_of)
        return WholeOptions(function)

    @property
    def endings(self) -> tuple[str, ...]:
        """None: a folder is no file, and what is in it is not meant by its name."""
        return ()


class WholeReader(Described):
    """A row for each file, which is read when its content is first asked for."""

    def __init__(self, files: tuple[File, ...], options: WholeOptions) -> None:
        self._files = files
        self._columns = _COLUMNS[options.function]
        super().__init__(pa.schema(list(self._columns.items())), len(files))

    @property
    def nbytes(self) -> int:
        """Bytes of the files."""
        return sum(file.state.size for file in self._files)

    def column(self, name: str) -> Column:
        """A column in its type; SourceError where a file cannot be read, or is no text where that is asked for."""
        kind = self._columns[name]
        values = pa.array([self._value(name, file) for file in self._files], kind)
        return column_from_arrow(pa.chunked_array([values], kind), name)

    def _value(self, name: str, file: File) -> str | bytes | int:
        match name:
            case "size":
                return file.state.size
            case "last_modified":
                return file.state.modified // 1000
            case "content":
                return self._content(file)
            case _:
                return file.shown

    def _content(self, file: File) -> str | bytes:
        try:
            found = file.read()
        except OSError as error:
            raise SourceError(f"cannot read {file.shown!r}: {error.strerror}") from error
        require_same(file)
        if self._columns["content"] == pa.large_binary():
            return found
        try:
            return found.decode()
        except UnicodeDecodeError as error:
            line = found.count(b"\n", 0, error.start) + 1
            raise SourceError(
                f"{file.shown!r} is no text: line {line} is no UTF-8", hint="read_blob gives bytes"
            ) from None
