"""All that names mean at one time."""

from __future__ import annotations

from typing import NamedTuple

from tqp.catalog.definitions import Key
from tqp.catalog.entries import Entries
from tqp.catalog.macros import Macros
from tqp.catalog.named_types import Types
from tqp.catalog.schemas import Schemas
from tqp.catalog.sequences import Sequences

__all__ = ["Defined"]


class Defined(NamedTuple):
    """All that names of tables, views, macros, types and sequences mean at one time. Never changed: another one is made."""

    entries: Entries
    macros: Macros
    types: Types
    sequences: Sequences

    @property
    def schemas(self) -> Schemas:
        """Where they are."""
        return self.types.schemas

    def within(self, schemas: Schemas) -> Defined:
        """The same where these are the schemas."""
        return Defined(
            self.entries, Macros(self.macros.known, schemas), Types(self.types.known, schemas), self.sequences
        )

    def key(self, name: str) -> Key | None:
        """Where the table or view of a query's name is defined; None where it is not."""
        return next((key for key in self.schemas.meant_by(name) if key in self.entries), None)
