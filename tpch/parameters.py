"""The texts of the 22 queries and their parameters, by the rules of clause 2.4 of the TPC-H specification.

`queries/qNN.sql` holds a query with its parameters as `:1`, `:2`, … in the order in which clause 2.4 names them.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from random import Random

__all__ = ["QUERIES", "defaults", "query", "randomized", "template"]

QUERIES = range(1, 23)

_FOLDER = Path(__file__).parent / "queries"

_REGIONS = ("AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST")
_NATIONS = {
    "ALGERIA": 0, "ARGENTINA": 1, "BRAZIL": 1, "CANADA": 1, "EGYPT": 4, "ETHIOPIA": 0, "FRANCE": 3, "GERMANY": 3,
    "INDIA": 2, "INDONESIA": 2, "IRAN": 4, "IRAQ": 4, "JAPAN": 2, "JORDAN": 4, "KENYA": 0, "MOROCCO": 0,
    "MOZAMBIQUE": 0, "PERU": 1, "CHINA": 2, "ROMANIA": 3, "SAUDI ARABIA": 4, "VIETNAM": 2, "RUSSIA": 3,
    "UNITED KINGDOM": 3, "UNITED STATES": 1,
}  # fmt: skip
_SEGMENTS = ("AUTOMOBILE", "BUILDING", "FURNITURE", "HOUSEHOLD", "MACHINERY")
_TYPES = (
    ("STANDARD", "SMALL", "MEDIUM", "LARGE", "ECONOMY", "PROMO"),
    ("ANODIZED", "BURNISHED", "PLATED", "POLISHED", "BRUSHED"),
    ("TIN", "NICKEL", "BRASS", "STEEL", "COPPER"),
)
_CONTAINERS = (
    ("SM", "LG", "MED", "JUMBO", "WRAP"),
    ("CASE", "BOX", "BAG", "JAR", "PKG", "PACK", "CAN", "DRUM"),
)
_MODES = ("REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB")
_WORDS = (("special", "pending", "unusual", "express"), ("packages", "requests", "accounts", "deposits"))
_COLORS = tuple(
    """
    almond antique aquamarine azure beige bisque black blanched blue blush brown burlywood burnished chartreuse
    chiffon chocolate coral cornflower cornsilk cream cyan dark deep dim dodger drab firebrick floral forest frosted
    gainsboro ghost goldenrod green grey honeydew hot indian ivory khaki lace lavender lawn lemon light lime linen
    magenta maroon medium metallic midnight mint misty moccasin navajo navy olive orange orchid pale papaya peach peru
    pink plum powder puff purple red rose rosy royal saddle salmon sandy seashell sienna sky slate smoke snow spring
    steel tan thistle tomato turquoise violet wheat white yellow
    """.split()
)

_DEFAULTS: dict[int, tuple[str, ...]] = {
    1: ("90",),
    2: ("15", "BRASS", "EUROPE"),
    3: ("BUILDING", "1995-03-15"),
    4: ("1993-07-01",),
    5: ("ASIA", "1994-01-01"),
    6: ("1994-01-01", "0.06", "24"),
    7: ("FRANCE", "GERMANY"),
    8: ("BRAZIL", "AMERICA", "ECONOMY ANODIZED STEEL"),
    9: ("green",),
    10: ("1993-10-01",),
    12: ("MAIL", "SHIP", "1994-01-01"),
    13: ("special", "requests"),
    14: ("1995-09-01",),
    15: ("1996-01-01",),
    16: ("Brand#45", "MEDIUM POLISHED", "49", "14", "23", "45", "19", "3", "36", "9"),
    17: ("Brand#23", "MED BOX"),
    18: ("300",),
    19: ("1", "10", "20", "Brand#12", "Brand#23", "Brand#34"),
    20: ("forest", "1994-01-01", "CANADA"),
    21: ("SAUDI ARABIA",),
    22: ("13", "31", "23", "29", "30", "18", "17"),
}


def query(number: int, *, sf: float = 1, seed: int | None = None) -> str:
    """The text of query `number` with the validation parameters, or with random ones if there is a `seed`."""
    values = defaults(number, sf) if seed is None else randomized(number, Random(f"{seed}/{number}"), sf)
    return re.sub(r":(\d+)", lambda match: values[int(match[1]) - 1], template(number))


@cache
def template(number: int) -> str:
    """The text of query `number` with its placeholders."""
    if number not in QUERIES:
        raise ValueError(f"TPC-H has the queries 1 to 22, not {number}")
    return (_FOLDER / f"q{number:02}.sql").read_text()


def defaults(number: int, sf: float = 1) -> tuple[str, ...]:
    """The parameters for query validation; only those of query 11 depend on the scale factor."""
    return ("GERMANY", _fraction(sf)) if number == 11 else _DEFAULTS[number]


def randomized(number: int, random: Random, sf: float = 1) -> tuple[str, ...]:
    """Parameters drawn as clause 2.4.`number` says."""
    match number:
        case 1:
            return (str(random.randint(60, 120)),)
        case 2:
            return str(random.randint(1, 50)), random.choice(_TYPES[2]), random.choice(_REGIONS)
        case 3:
            return random.choice(_SEGMENTS), f"1995-03-{random.randint(1, 31):02}"
        case 4 | 15:
            return (_month(random, (1993, 1), (1997, 10)),)
        case 5:
            return random.choice(_REGIONS), _year(random)
        case 6:
            return _year(random), f"0.0{random.randint(2, 9)}", str(random.randint(24, 25))
        case 7:
            return tuple(random.sample(list(_NATIONS), 2))
        case 8:
            nation = _nation(random)
            return nation, _REGIONS[_NATIONS[nation]], " ".join(map(random.choice, _TYPES))
        case 9:
            return (random.choice(_COLORS),)
        case 10:
            return (_month(random, (1993, 2), (1995, 1)),)
        case 11:
            return _nation(random), _fraction(sf)
        case 12:
            return (*random.sample(_MODES, 2), _year(random))
        case 13:
            return tuple(map(random.choice, _WORDS))
        case 14:
            return (_month(random, (1993, 1), (1997, 12)),)
        case 16:
            sizes = map(str, random.sample(range(1, 51), 8))
            return (_brand(random), " ".join(map(random.choice, _TYPES[:2])), *sizes)
        case 17:
            return _brand(random), " ".join(map(random.choice, _CONTAINERS))
        case 18:
            return (str(random.randint(312, 315)),)
        case 19:
            quantities = (str(random.randint(*limits)) for limits in ((1, 10), (10, 20), (20, 30)))
            return (*quantities, _brand(random), _brand(random), _brand(random))
        case 20:
            return random.choice(_COLORS), _year(random), _nation(random)
        case 21:
            return (_nation(random),)
        case 22:
            return tuple(str(10 + nation) for nation in random.sample(range(25), 7))
    raise ValueError(f"TPC-H has the queries 1 to 22, not {number}")


def _nation(random: Random) -> str:
    return random.choice(list(_NATIONS))


def _brand(random: Random) -> str:
    return f"Brand#{random.randint(1, 5)}{random.randint(1, 5)}"


def _year(random: Random) -> str:
    return f"{random.randint(1993, 1997)}-01-01"


def _month(random: Random, first: tuple[int, int], last: tuple[int, int]) -> str:
    """The first day of a month from (year, month) `first` to `last`."""
    months = random.randint(first[0] * 12 + first[1] - 1, last[0] * 12 + last[1] - 1)
    return f"{months // 12}-{months % 12 + 1:02}-01"


def _fraction(sf: float) -> str:
    return f"{0.0001 / sf:.12f}".rstrip("0")
