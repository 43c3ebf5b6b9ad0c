"""Names in plans of functions that somebody made for a connection."""

from __future__ import annotations

from typing import Any

__all__ = ["MadeName", "OwnName"]


class OwnName(str):
    """The name of such a function, with the function: it equals no other name, nor its own of another function.

    So plans hold what they call, whatever is registered under the name later. It is in lower case as it is.
    """

    function: Any

    def __new__(cls, name: str, function: Any) -> OwnName:
        made = super().__new__(cls, name)
        made.function = function
        return made

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, OwnName) and self.function is other.function)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((str.__hash__(self), id(self.function)))

    def __deepcopy__(self, memo: dict[int, Any]) -> OwnName:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.function)

    def __str__(self) -> str:
        return str.__str__(self)

    def lower(self) -> OwnName:
        return self


class MadeName(OwnName):
    """The name of a function that tqp made of something of the connection, as of a sequence: no code of the user's."""
