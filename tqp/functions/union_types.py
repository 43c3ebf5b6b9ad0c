"""Which types become which UNION, and which member: the one whose implicit cast costs least, as in DuckDB."""

from __future__ import annotations

from tqp.functions.implicit import implicit_cost
from tqp.types import UTINYINT, VARIANT, DType

__all__ = ["chosen", "common_members", "is_laid_out", "members_cast", "problem", "same_members"]


def chosen(have: DType, to: DType) -> int | None:
    """The number of the member of a UNION that values of another type become; None where there is none, or several."""
    costs = _costs(have, to)
    least = min((cost for cost in costs if cost is not None), default=None)
    return costs.index(least) if least is not None and costs.count(least) == 1 else None


def _costs(have: DType, to: DType) -> list[int | None]:
    return [implicit_cost(have, one.type) for one in to.fields]


def is_laid_out(have: DType, to: DType) -> bool:
    """Whether a STRUCT has the number of a member and then the members of a UNION, as DuckDB writes one to Parquet."""
    if not have.is_struct or len(have.fields) != len(to.fields) + 1 or have.fields[0].type != UTINYINT:
        return False
    pairs = zip(have.fields[1:], to.fields, strict=True)
    return all(a.name.lower() == b.name.lower() and (a.type == b.type or a.type.is_text) for a, b in pairs)


def same_members(have: DType, to: DType) -> list[int] | None:
    """For each member of a UNION its number in another one; None where that lacks one."""
    places = [to.field(one.name) for one in have.fields]
    known = [place for place in places if place is not None]
    return known if len(known) == len(places) else None


def problem(have: DType, to: DType) -> str | None:
    """Why values of one type, which is no text, cannot be cast to the other, of which one is a UNION; None where they can.

    VARCHAR is no such text on the way to a UNION: it becomes a member that is VARCHAR.
    """
    if have == to:
        return None
    if not to.is_union:
        return f"{have} cannot become {to}"
    if have.is_union:
        missing = next((one.name for one in have.fields if to.field(one.name) is None), None)
        return None if missing is None else f"{have} cannot become {to}, which has no member {missing!r}"
    if have == VARIANT:
        return f"{have} cannot become {to}"
    if is_laid_out(have, to) or chosen(have, to) is not None:
        return None
    is_none = all(cost is None for cost in _costs(have, to))
    return f"{have} cannot become {to}, which has {'no member' if is_none else 'several members'} for that type"


def members_cast(have: DType, to: DType) -> list[tuple[DType, DType]]:
    """The types of the members that the cast of a UNION to another one casts, before and after it."""
    if not (have.is_union and to.is_union):
        return []
    return [(one.type, to.fields[place].type) for one in have.fields if (place := to.field(one.name)) is not None]


def common_members(a: DType, b: DType) -> list[tuple[str, DType, DType]]:
    """The members of two UNIONs, those of the first one first: the name, and the types in both, the same where one lacks it."""
    found = []
    for one in a.fields:
        place = b.field(one.name)
        found.append((one.name, one.type, one.type if place is None else b.fields[place].type))
    return found + [(one.name, one.type, one.type) for one in b.fields if a.field(one.name) is None]
