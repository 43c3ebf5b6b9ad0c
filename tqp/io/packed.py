"""The text of files of text, which may be packed."""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from tqp.errors import SourceError
from tqp.io.state import LOCAL, File

__all__ = ["text_of", "unpacked"]

_ENDINGS: Final = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2"}
_CODECS: Final = {"gz": "gzip", "zst": "zstd"}


def text_of(file: File, kind: str, compression: str, encoding: str = "utf-8") -> str:
    """The whole text of a file of that kind; `compression` "auto" goes by the ending of its name.

    SourceError where it cannot be read or unpacked, or is no text in the encoding, which says the line.
    """
    try:
        with unpacked(file, compression) as stream:
            content: bytes = stream.read()
    except (OSError, pa.ArrowException) as error:
        hint = "compression='none', 'gzip', 'zstd' or 'bz2' says how it is packed"
        raise SourceError(f"cannot read {file.shown!r} as {kind}: {error}", hint=hint) from error
    try:
        return content.decode("utf-8-sig" if encoding == "utf-8" else encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        message = f"cannot read {file.shown!r} as {kind}: line {line} is no {encoding.upper()}"
        raise SourceError(message, hint="encoding='latin-1' or 'utf-16', or iconv -f … -t utf-8") from None


def unpacked(file: File, compression: str) -> pa.NativeFile:
    """The bytes of a file, unpacked; OSError or ArrowException where they cannot be read."""
    codec = compression
    if codec == "auto":
        name = file.shown.lower().partition("?")[0] if file.place is not LOCAL else file.shown.lower()
        codec = next((found for ending, found in _ENDINGS.items() if name.endswith(ending)), "none")
    codec = _CODECS.get(codec, codec)
    return pa.input_stream(file.content().stream(), compression=None if codec == "none" else codec)
