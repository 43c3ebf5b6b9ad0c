"""The text of files of text, which may be packed."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

import pyarrow as pa

from tqp.errors import SourceError
from tqp.io.state import LOCAL, File

__all__ = ["Beginning", "beginnings", "is_text", "require_text", "text_of", "unpacked"]

_ENDINGS: Final = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2"}
_CODECS: Final = {"gz": "gzip", "zst": "zstd"}
_SURROGATE: Final = re.compile("[\udc80-\udcff]")
"""What stands for a byte that is no text."""
_FIRST: Final = 2**20
"""So many bytes are the first beginning of a file; each one after it has twice as many."""


class Beginning(NamedTuple):
    """The text of a file up to the end of one of its lines, and which share of the file's bytes that is; 1: it is all of it."""

    text: str
    share: float


def text_of(file: File, kind: str, compression: str, encoding: str = "utf-8", strict: bool = True) -> str:
    """The whole text of a file of that kind; `compression` "auto" goes by the ending of its name.

    SourceError where it cannot be read or unpacked, or is no text in the encoding, which says the line; if not `strict` what is
    no text stands as surrogates.
    """
    try:
        with unpacked(file, compression) as stream:
            content: bytes = stream.read()
    except (OSError, pa.ArrowException) as error:
        raise _unreadable(file, kind, error) from error
    try:
        return content.decode(_codec(encoding), _errors(encoding, strict))
    except UnicodeDecodeError as error:
        raise _no_text(file, kind, encoding, content.count(b"\n", 0, error.start)) from None


def beginnings(
    file: File, kind: str, compression: str, encoding: str = "utf-8", strict: bool = True
) -> Iterator[Beginning]:
    """The beginning of a file's text, and longer ones as long as they are asked for; the last one is all of it.

    Raises as `text_of`, for what is wrong in the beginning.
    """
    read, text = 0, ""
    is_in_parts = file.place is not LOCAL and _packing(file, compression) is None and file.state.size > _FIRST
    try:
        content = file.content()
        raw = content.opened() if is_in_parts else content.stream()
        with _unpacked(raw, file, compression) as stream:
            decoder = codecs.getincrementaldecoder(_codec(encoding))(_errors(encoding, strict))
            while True:
                wanted = max(read, _FIRST)
                part: bytes = stream.read(wanted)
                is_all = len(part) < wanted
                if is_all and is_in_parts:
                    # Parts end where the server says that the file does; as a whole it is checked.
                    break
                if is_all:
                    part += stream.read()
                read += len(part)
                try:
                    text += decoder.decode(part, is_all)
                except UnicodeDecodeError as error:
                    lines = text.count("\n") + part.count(b"\n", 0, error.start)
                    raise _no_text(file, kind, encoding, lines) from None
                if is_all:
                    yield Beginning(text, 1.0)
                    return
                end = _end_of_lines(text)
                if end:
                    yield Beginning(text[:end], min(raw.tell() / max(file.state.size, 1), 1.0) * end / len(text))
    except (OSError, pa.ArrowException) as error:
        raise _unreadable(file, kind, error) from error
    yield Beginning(text_of(file, kind, compression, encoding, strict), 1.0)


def is_text(text: str) -> bool:
    """Whether nothing of it stands for bytes that are no text."""
    return text.isascii() or _SURROGATE.search(text) is None


def require_text(file: File, kind: str, text: str) -> None:
    """SourceError where a part of a text of UTF-8 that was read leniently is none, which says the line."""
    found = None if text.isascii() else _SURROGATE.search(text)
    if found is not None:
        raise _no_text(file, kind, "utf-8", text.count("\n", 0, found.start()))


def unpacked(file: File, compression: str) -> pa.NativeFile:
    """The bytes of a file, unpacked; OSError or ArrowException where they cannot be read."""
    return _unpacked(file.content().stream(), file, compression)


def _unpacked(raw: pa.NativeFile, file: File, compression: str) -> pa.NativeFile:
    return pa.input_stream(raw, compression=_packing(file, compression))


def _packing(file: File, compression: str) -> str | None:
    """The codec that a file is packed with."""
    codec = compression
    if codec == "auto":
        name = file.shown.lower().partition("?")[0] if file.place is not LOCAL else file.shown.lower()
        codec = next((found for ending, found in _ENDINGS.items() if name.endswith(ending)), "none")
    codec = _CODECS.get(codec, codec)
    return None if codec == "none" else codec


def _codec(encoding: str) -> str:
    return "utf-8-sig" if encoding == "utf-8" else encoding


def _errors(encoding: str, strict: bool) -> str:
    """How what is no text is decoded: other encodings than UTF-8 have no surrogates for it."""
    return "strict" if strict or encoding != "utf-8" else "surrogateescape"


def _end_of_lines(text: str) -> int:
    """Where the last line of a text ends that does; 0 where none does. Behind a carriage return more of its end may follow."""
    found = text.rfind("\n") + 1
    return found or text.rfind("\r", 0, len(text) - 1) + 1


def _unreadable(file: File, kind: str, error: Exception) -> SourceError:
    hint = "compression='none', 'gzip', 'zstd' or 'bz2' says how it is packed"
    return SourceError(f"cannot read {file.shown!r} as {kind}: {error}", hint=hint)


def _no_text(file: File, kind: str, encoding: str, lines: int) -> SourceError:
    message = f"cannot read {file.shown!r} as {kind}: line {lines + 1} is no {encoding.upper()}"
    return SourceError(message, hint="encoding='latin-1' or 'utf-16', or iconv -f … -t utf-8")
