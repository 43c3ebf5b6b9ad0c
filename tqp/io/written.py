"""Files that are written: each appears whole or not at all.

What is written stands beside its place under a name of its own, and takes the place when it is whole. That name says who writes:
what a process left there that is gone is removed by the next who writes to the place.
"""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from errno import ENOENT
from hashlib import blake2b
from pathlib import Path
from socket import gethostname
from stat import S_ISDIR, S_ISREG
from tempfile import TemporaryDirectory
from typing import Final, Literal
from urllib.parse import quote

import pyarrow as pa
import pyarrow.compute as pc

from tqp.errors import SourceError
from tqp.io.protocols import is_remote
from tqp.io.remote import Filesystems, Remote, Storage

__all__ = ["Existing", "partitions", "written", "written_folder"]

Existing = Literal["refuse", "replace", "mix", "append"]
"""What becomes of a folder that is there: it is refused unless it is empty; all of it, or files of the same names, are replaced;
or files are added beside those that there are."""

_NO_VALUE: Final = "__HIVE_DEFAULT_PARTITION__"
_PLAIN: Final = " !$&'()*+,-.;<>@[]^_`{}|~"


@contextmanager
def written(path: str, systems: Filesystems, storage: Storage | None = None) -> Iterator[str]:
    """The name under which a file is written that is to stand at `path`; SourceError where it cannot be.

    `systems` are those of paths behind protocols, whose files are sent when they are whole, `storage` the options for them.
    """
    if is_remote(path):
        far = systems.of(path, storage)
        far.require_writable(path)
        with TemporaryDirectory() as folder:
            made = Path(folder, "file")
            yield str(made)
            _put(far, made, path)
        return
    if _is_device(path):
        # It takes what is written at once, and nothing may take its place.
        try:
            yield path
        except OSError as error:
            raise _unwritten(path, error) from error
        return
    place, beside = _places(path)
    try:
        yield str(beside)
        os.replace(beside, place)
    except OSError as error:
        raise _unwritten(path, error) from error
    finally:
        _remove(beside)


def written_folder(
    path: str, existing: Existing, fill: Callable[[str], None], systems: Filesystems, storage: Storage | None = None
) -> None:
    """A folder at `path` of the files that `fill` writes into the one that it is given; SourceError where it cannot be.

    Behind a protocol each file is there when it is whole, and those that are replaced go when all new ones are there.
    """
    if is_remote(path):
        _far_folder(path, existing, fill, systems.of(path, storage))
        return
    place, beside = _places(path)
    try:
        if existing == "refuse" and place.exists() and (not place.is_dir() or any(place.iterdir())):
            raise _occupied(path)
        beside.mkdir()
        fill(str(beside))
        if existing in ("mix", "append") and place.is_dir():
            _move_files(beside, place)
            return
        old = beside.with_name(f"{beside.name}.old")
        if place.exists():
            os.replace(place, old)
        try:
            os.replace(beside, place)
        except OSError:
            if old.exists():
                os.replace(old, place)
            raise
        _remove(old)
    except OSError as error:
        raise _unwritten(path, error) from error
    finally:
        _remove(beside)


def _places(path: str) -> tuple[Path, Path]:
    """The place of a path, and a name beside it for what is not whole yet; SourceError for what is no path of a file.

    Removes what others left beside it that do not write any more.
    """
    place = Path(path)
    if "\0" in path or not place.name:
        raise SourceError(
            f"cannot write {path!r}: it is not the name of a file", hint="a path ends in a name: 'folder/x.parquet'"
        )
    # A name of its own length, as that of the file may be as long as names can be.
    sign = f".tqp.{_digest(place.name)}."
    with suppress(OSError):
        for left in place.parent.glob(f"{sign}*"):
            if _is_left(left.name.removeprefix(sign)):
                _remove(left)
    return place, place.with_name(f"{sign}{_HOST}.{os.getpid()}.{uuid.uuid4().hex}")


def _is_left(name: str) -> bool:
    """Whether what is called so, behind its sign, is of a process of this machine that is gone."""
    host, _, rest = name.partition(".")
    process = rest.partition(".")[0]
    if host != _HOST or not process.isdigit():
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False


def _digest(text: str) -> str:
    return blake2b(text.encode(errors="surrogateescape"), digest_size=6).hexdigest()


_HOST: Final = _digest(gethostname())


def _is_device(path: str) -> bool:
    """Whether it is a pipe, a terminal or another device, as `/dev/stdout` is."""
    try:
        return path.startswith("/dev/") or not (S_ISREG(mode := os.stat(path).st_mode) or S_ISDIR(mode))
    except (OSError, ValueError):
        return False


def _far_folder(path: str, existing: Existing, fill: Callable[[str], None], far: Remote) -> None:
    far.require_writable(path)
    root = path.rstrip("/")
    before = far.below(root)
    if existing == "refuse" and before:
        raise _occupied(path)
    with TemporaryDirectory() as folder:
        fill(folder)
        made = {
            f"{root}/{file.relative_to(folder).as_posix()}": file
            for file in sorted(Path(folder).rglob("*"))
            if file.is_file()
        }
        for url, file in made.items():
            _put(far, file, url)
    if existing == "replace":
        kept = set(map(far.inner, made))
        for old in before:
            if old not in kept:
                far.remove(old)


def _put(far: Remote, made: Path, url: str) -> None:
    try:
        far.put(made, url)
    except OSError as error:
        raise SourceError(f"cannot write {url!r}: {error.strerror or error}") from error


def _occupied(path: str) -> SourceError:
    return SourceError(
        f"cannot write {path!r}: there is something already", hint="OVERWRITE, OVERWRITE_OR_IGNORE or APPEND"
    )


def _move_files(source: Path, place: Path) -> None:
    for folder, _, names in os.walk(source):
        target = place / Path(folder).relative_to(source)
        target.mkdir(parents=True, exist_ok=True)
        for name in names:
            os.replace(Path(folder) / name, target / name)


def _remove(path: Path) -> None:
    """What hinders it is what hindered to write, which is told."""
    with suppress(OSError):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def partitions(names: list[str], texts: list[pa.ChunkedArray]) -> Iterator[tuple[str, pa.Array]]:
    """The folder of each combination of values that there is, and the numbers of its rows.

    `names` are the columns, `texts` their values as texts, in which NULL is NULL.
    """
    parts = []
    for name, text in zip(names, texts, strict=True):
        encoded = text.combine_chunks().dictionary_encode(null_encoding="encode")
        folders = [
            f"{_quoted(name)}={_NO_VALUE if value is None else _quoted(value)}"
            for value in encoded.dictionary.to_pylist()
        ]
        parts.append(pa.array(folders, pa.string()).take(encoded.indices))
    joined = pc.binary_join_element_wise(*parts, "/")
    folders = joined.dictionary_encode()
    order = pc.array_sort_indices(folders.indices)
    counts = pc.value_counts(folders.indices.take(order))
    start = 0
    for item in counts:
        count = item["counts"].as_py()
        yield folders.dictionary[item["values"].as_py()].as_py(), order.slice(start, count)
        start += count


def _quoted(text: str) -> str:
    return quote(text, safe="")


def _unwritten(path: str, error: OSError) -> SourceError:
    folder = Path(path).parent
    if error.errno in (ENOENT, None) and not folder.is_dir():
        return SourceError(f"cannot write {path!r}: there is no folder {str(folder)!r}", hint="make it first")
    return SourceError(f"cannot write {path!r}: {error.strerror or error}")
