"""Files behind a protocol, as `s3://…` and `https://…`: fsspec opens, lists and writes them, and pyarrow those of S3 and Google.

A file is read by ranges where its server gives them, else it is fetched as a whole and held. What a server says of a file is its
state: a hash (ETag) where it says one, else its size and when it was written.
"""

from __future__ import annotations

import glob
import shutil
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from hashlib import blake2b
from pathlib import Path
from secrets import token_bytes
from typing import Any, Final, TypeVar

import pyarrow as pa
import pyarrow.fs

from tqp.errors import SourceError, with_article
from tqp.interrupt import obeying
from tqp.io.remote_content import RemoteContent
from tqp.io.state import Content, File, State
from tqp.locks import Lock

__all__ = ["Filesystems", "Remote", "Storage", "each"]

_HASHES: Final = ("ETag", "etag", "generation", "sha", "blob_id", "Content-MD5", "Digest", "md5Hash")
_TIMES: Final = ("LastModified", "Last-Modified", "last_modified", "updated", "mtime", "modified", "created")
_WEB: Final = ("http", "https")
_ARROW: Final = {"s3": "S3FileSystem", "s3a": "S3FileSystem", "gs": "GcsFileSystem", "gcs": "GcsFileSystem"}
_USUAL: Final[Mapping[str, Mapping[str, Any]]] = {"GcsFileSystem": {"retry_time_limit": timedelta(seconds=30)}}
"""Options where none are given: without this one, a host or credentials that are not there are asked for a quarter of an hour."""
_AT_ONCE: Final = 16
"""Files that are asked for at one time."""
_APART: Final = obeying(None)
"""Calls of fsspec know nothing of the run that they are for: its thread holds on to what the last one knew."""
_SALT: Final = token_bytes(16)

T = TypeVar("T")
R = TypeVar("R")


def each(of: Callable[[T], R], values: Iterable[T], is_far: bool) -> list[R]:
    """The function of each value; side by side where each waits for a server."""
    listed = list(values)
    if not is_far or len(listed) < 2:
        return [of(value) for value in listed]
    with ThreadPoolExecutor(min(_AT_ONCE, len(listed))) as pool:
        return list(pool.map(of, listed))


class Storage:
    """Options of a protocol, which may be secrets: they are compared, and shown nowhere."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        if not isinstance(options, Mapping) or not all(isinstance(name, str) for name in options):
            raise SourceError(
                f"storage_options is {with_article(type(options).__name__)}, no mapping of names to values"
            )
        self.options = dict(options)
        self._digest = blake2b(repr(sorted(self.options.items())).encode(), key=_SALT, digest_size=8).hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Storage) and other._digest == self._digest

    def __hash__(self) -> int:
        return hash(self._digest)

    def __repr__(self) -> str:
        return f"storage_options#{self._digest}"


class Filesystems:
    """The file systems of one connection: those that were registered, and what fsspec and pyarrow have for a protocol."""

    def __init__(self) -> None:
        self._registered: dict[str, Remote] = {}
        self._found: dict[tuple[str, Storage | None], Remote] = {}
        self._lock = Lock()

    def register(self, system: Any) -> None:
        """Let paths of the protocols of an fsspec file system be its; SourceError where it is none."""
        if not all(callable(getattr(system, name, None)) for name in ("info", "open", "cat_file")):
            raise SourceError(
                f"{with_article(type(system).__name__)} is no file system of fsspec",
                hint="fsspec.filesystem('memory') makes one",
            )
        with self._lock:
            for name in _protocols(system):
                self._registered[name] = Remote(system, name)

    def unregister(self, name: str) -> None:
        """Remove the file system of a protocol; SourceError where there is none."""
        with self._lock:
            if self._registered.pop(name, None) is None:
                known = ", ".join(sorted(self._registered)) or "none"
                raise SourceError(f"no file system {name!r} is registered", hint=f"registered: {known}")

    def registered(self) -> list[str]:
        """The protocols of those that were registered, sorted."""
        return sorted(self._registered)

    def of(self, url: str, storage: Storage | None = None) -> Remote:
        """The place of a path behind a protocol; SourceError where nothing reads it."""
        scheme = url.partition("://")[0].lower()
        known = self._registered.get(scheme)
        if known is not None and storage is None:
            return known
        # In a chain (zip://a.csv::https://…) the file system is of the whole path.
        key = url if "::" in url else scheme, storage
        with self._lock:
            if key not in self._found:
                system = _system(url, scheme, {} if storage is None else storage.options)
                self._found[key] = Remote(system, scheme)
            return self._found[key]


def _protocols(system: Any) -> tuple[str, ...]:
    named = system.protocol
    return (named,) if isinstance(named, str) else tuple(named)


def _system(url: str, scheme: str, options: Mapping[str, Any]) -> Any:
    import fsspec

    try:
        if scheme in _ARROW:
            return _of_arrow(_ARROW[scheme], url, {**_USUAL.get(_ARROW[scheme], {}), **options})
        return fsspec.core.url_to_fs(url, **options)[0]
    except ImportError as error:
        library, hint = "a library", f"{error}"
        if scheme in _WEB:
            library, hint = "aiohttp", 'pip install "tensor-query-processor[remote]"'
        message = f"{url!r}: files of {scheme}:// need {library}, which is not installed"
        raise SourceError(message, hint=hint) from error
    except (TypeError, ValueError, OSError, pa.ArrowException) as error:
        hint = None
        if "not known" in str(error):
            hint = "s3, gs, http, https and the protocols of fsspec; con.register_filesystem(…) adds one"
        raise SourceError(f"{url!r} cannot be opened: {_line(error)}", hint=hint) from error


def _of_arrow(kind: str, url: str, options: dict[str, Any]) -> Any:
    """pyarrow's file system for buckets, as one of fsspec."""
    from fsspec.implementations.arrow import ArrowFSWrapper

    made = getattr(pa.fs, kind, None)
    if made is None:
        raise ImportError(f"this pyarrow is built without {kind}")
    return ArrowFSWrapper(made(**options), skip_instance_cache=True)


@dataclass(frozen=True, eq=False)
class Remote:
    """The files of one file system of fsspec, which queries call by a protocol."""

    system: Any
    scheme: str

    @property
    def _arrow(self) -> pa.fs.FileSystem | None:
        """pyarrow's file system, where it is one."""
        found = getattr(self.system, "fs", None)
        return found if isinstance(found, pa.fs.FileSystem) else None

    def inner(self, url: str) -> str:
        """The path as the file system has it."""
        from fsspec.core import split_protocol

        plain = url.partition("::")[0]
        if self._arrow is not None:
            return str(split_protocol(plain)[1])
        return str(self.system._strip_protocol(plain))

    @_APART
    def state(self, path: str) -> State:
        """The state of a file by what its server says now."""
        arrow = self._arrow
        try:
            if arrow is None:
                return _state(self.system.info(path))
            with arrow.open_input_file(path) as opened:
                size = opened.size()
                told = opened.metadata()
            if any(told.get(name) for name in _HASHES):
                return _state({"size": size, **told})
            return _state(self.system.info(path))
        except Exception as error:
            raise self.explained(error, path) from error

    def content(self, file: File) -> Content:
        return RemoteContent(self, file)

    def listed(self, url: str, endings: tuple[str, ...]) -> list[File]:
        """The files that a path, a glob or a folder means, sorted; [] where there is none. SourceError where its server says no."""
        path = self.inner(url)
        if self.scheme in _WEB:
            if "*" in path:
                raise SourceError(
                    f"cannot list {url!r}: {self.scheme}:// has no lists of files", hint="name each file, in a list"
                )
            return [File(url, path, self.state(path), self)]
        try:
            # What was listed before may be old.
            self.system.invalidate_cache()
            found = self._paths(path, endings)
        except Exception as error:
            raise self.explained(error, path) from error
        prefix = url.removesuffix(path) if url.endswith(path) else f"{self.scheme}://"
        states = each(self.state, found, True)
        return [File(f"{prefix}{one}", one, state, self) for one, state in zip(found, states, strict=True)]

    @_APART
    def _paths(self, path: str, endings: tuple[str, ...]) -> list[str]:
        if glob.has_magic(path):
            entries = self.system.glob(path, detail=True)
            return sorted(name for name, entry in entries.items() if entry["type"] == "file")
        try:
            entry = self.system.info(path)
        except FileNotFoundError:
            return []
        if entry["type"] != "directory":
            return [path]
        return sorted(name for name in self.system.find(path) if name.lower().endswith(endings))

    @_APART
    def range(self, path: str, start: int, stop: int) -> bytes:
        """Bytes of a file; more, where its server does not give parts."""
        try:
            return bytes(self.system.cat_file(path, start=start, end=stop))
        except Exception as error:
            raise self.explained(error, path) from error

    @_APART
    def whole(self, path: str) -> bytes:
        """All bytes of a file."""
        try:
            return bytes(self.system.cat_file(path))
        except Exception as error:
            raise self.explained(error, path) from error

    def native(self, path: str) -> pa.NativeFile | None:
        """The file as pyarrow opens it, where it does."""
        return None if self._arrow is None else self._arrow.open_input_file(path)

    def require_writable(self, url: str) -> None:
        """SourceError where files can only be read."""
        if self.scheme in _WEB:
            raise SourceError(
                f"cannot write {url!r}: files of {self.scheme}:// can only be read",
                hint="write a local file, or one of s3:// or gs://",
            )

    @_APART
    def put(self, local: Path, url: str) -> None:
        """Write a file, which is there when all of it is."""
        path = self.inner(url)
        try:
            if self._arrow is not None:
                # Not `copy_files`: it says nothing of what goes wrong when the last part is sent.
                with local.open("rb") as source, self._arrow.open_output_stream(path, compression=None) as sink:
                    shutil.copyfileobj(source, sink, 2**20)
                return
            with local.open("rb") as source:
                target = self.system.open(path, "wb", autocommit=False)
                try:
                    shutil.copyfileobj(source, target, 2**20)
                    target.close()
                except BaseException:
                    target.discard()
                    raise
                target.commit()
        except Exception as error:
            raise self.explained(error, path, "write") from error

    @_APART
    def below(self, url: str) -> list[str]:
        """All files in a folder; [] where there is none."""
        path = self.inner(url)
        try:
            self.system.invalidate_cache()
            return sorted(self.system.find(path))
        except FileNotFoundError:
            return []
        except Exception as error:
            raise self.explained(error, path) from error

    @_APART
    def remove(self, path: str) -> None:
        """Remove a file that `below` found."""
        try:
            self.system.rm_file(path)
        except Exception as error:
            raise self.explained(error, path, "write") from error

    def explained(self, error: Exception, path: str, does: str = "read") -> OSError | SourceError:
        """What went wrong, of this file: FileNotFoundError where there is none, else SourceError."""
        if isinstance(error, SourceError):
            return error
        shown = path if "://" in path else f"{self.scheme}://{path}"
        chain: list[BaseException] = [error]
        while (cause := chain[-1].__cause__ or chain[-1].__context__) is not None and cause not in chain:
            chain.append(cause)
        status = next((found for one in chain if isinstance(found := getattr(one, "status", None), int)), None)
        text = " ".join(_line(one) for one in chain)
        kinds = {type(one).__name__ for one in chain}
        if status == 404 or (isinstance(error, FileNotFoundError) and len(chain) == 1):
            return FileNotFoundError(2, "no such file")
        what, hint = _line(chain[-1]), None
        if status in (401, 403) or isinstance(error, PermissionError) or "ACCESS_DENIED" in text:
            what = f"access is denied{f' ({status})' if status else ''}"
            hint = "storage_options= or the environment have the credentials"
        elif status is not None:
            what = f"the server answers {status}"
        elif "TimeoutError" in kinds or "FSTimeoutError" in kinds or "timeout" in text.lower():
            what, hint = "the server does not answer in time", "try again, or give a longer time in storage_options="
        elif "onnect" in text or "onnect" in " ".join(kinds):
            what = f"no connection to the server: {what}"
        return SourceError(f"cannot {does} {shown!r}: {what}", hint=hint)


def _line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _state(info: Mapping[str, Any]) -> State:
    """The state that an entry of a file system tells."""
    if info.get("type") == "directory":
        raise IsADirectoryError(21, "it is a directory")
    size = info.get("size")
    told = next((f"{name}={info[name]}" for name in _HASHES if info.get(name)), None)
    time = next((info[name] for name in _TIMES if info.get(name)), None)
    # A weak one says that it means the same, not that its bytes are.
    is_exact = told is not None and "W/" not in told
    modified = _nanoseconds(time)
    return State(-1 if size is None else int(size), modified, told or str(time), is_exact)


def _nanoseconds(time: object) -> int:
    """A time as file systems tell it; 0 for what is none."""
    if isinstance(time, str):
        for read in (parsedate_to_datetime, datetime.fromisoformat):
            with suppress(ValueError):
                return int(read(time).timestamp() * 10**9)
    if isinstance(time, datetime):
        return int(time.timestamp() * 10**9)
    return int(time * 10**9) if isinstance(time, int | float) else 0
