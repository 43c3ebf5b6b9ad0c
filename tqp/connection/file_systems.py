"""File systems behind protocols that callers hand in."""

from __future__ import annotations

from typing import Any, Self

from tqp.session.names import Access

__all__ = ["FileSystems"]


class FileSystems:
    """The part of a connection that knows file systems."""

    @property
    def access(self) -> Access:
        raise NotImplementedError

    def _require_open(self) -> None:
        raise NotImplementedError

    def register_filesystem(self, filesystem: Any) -> Self:
        """Let a file system of fsspec read and write the paths of its protocols, as `memory://…`; SourceError where it is none.

        >>> import fsspec
        >>> con.register_filesystem(fsspec.filesystem("memory")).list_filesystems()
        ['memory']
        """
        self._require_open()
        self.access.systems.register(filesystem)
        return self

    def unregister_filesystem(self, name: str) -> Self:
        """Remove the file system of a protocol; SourceError where none is registered."""
        self._require_open()
        self.access.systems.unregister(name)
        return self

    def list_filesystems(self) -> list[str]:
        """The protocols of the file systems that were registered."""
        return self.access.systems.registered()

    def filesystem_is_registered(self, name: str) -> bool:
        """Whether a file system was registered for a protocol."""
        return name in self.list_filesystems()
