"""The tables that Ibis' tests read, made here: of their columns, and of as many rows as Ibis' own, which are files of another project.

The small ones come with Ibis (`ibis.backends.tests.data`). `functional_alltypes` is Impala's, whose rows follow a rule; the
values of the others are pseudo-random, in the ranges that tests ask for.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from tpch.data import cache

__all__ = ["files", "small_tables"]


def files() -> Path:
    """The folder with `parquet/` and `csv/` of the large tables, which are written on first use."""
    from ibis.backends.conftest import TEST_TABLES

    folder = cache() / "ibis-2"
    for name, schema in TEST_TABLES.items():
        target = folder / "parquet" / f"{name}.parquet"
        if target.exists():
            continue
        table = _LARGE[name]().select(schema.names).cast(schema.to_pyarrow())
        for sub, write in (("csv", pa.csv.write_csv), ("parquet", pa.parquet.write_table)):
            (folder / sub).mkdir(parents=True, exist_ok=True)
            # Several processes may do so at once: a file is there as a whole or not.
            made = folder / sub / f".{name}.{os.getpid()}"
            write(table, made)
            made.replace(folder / sub / f"{name}.{sub}")
    return folder


def small_tables() -> Mapping[str, tuple[pa.Table, str]]:
    """Name, rows and types of the small tables."""
    from ibis.backends.tests import data

    arrays = "x BIGINT[], y VARCHAR[], z DOUBLE[], grouper VARCHAR, scalar_column DOUBLE, multi_dim BIGINT[][]"
    arrow = pa.schema(
        [
            ("x", pa.list_(pa.int64())), ("y", pa.list_(pa.string())), ("z", pa.list_(pa.float64())), ("grouper", pa.string()),
            ("scalar_column", pa.float64()), ("multi_dim", pa.list_(pa.list_(pa.int64()))),
        ]
    )  # fmt: skip
    rows = [[_plain(value) for value in row] for row in data.array_types.itertuples(index=False)]
    columns = dict(zip(arrow.names, zip(*rows, strict=True), strict=True))
    struct = pa.struct([("a", pa.float64()), ("b", pa.string()), ("c", pa.int64())])
    pairs = pa.map_(pa.string(), pa.int64())
    return {
        "array_types": (pa.table(columns, schema=arrow), arrays),
        "struct": (
            pa.table({"abc": pa.array([_plain(row) for row in data.struct_types.abc], struct)}),
            "abc STRUCT(a DOUBLE, b VARCHAR, c BIGINT)",
        ),
        "json_t": (
            pa.table(
                {
                    "rowid": pa.array(range(1, len(data.json_types) + 1), pa.int64()),
                    "js": pa.array(list(data.json_types.js), pa.string(), from_pandas=True),
                }
            ),
            "rowid BIGINT, js JSON",
        ),
        "map": (
            pa.table(
                {
                    "idx": pa.array([1, 2], pa.int64()),
                    "kv": pa.array(
                        [[("a", 1), ("b", 2), ("c", 3)], [("d", 4), ("e", 5), ("f", 6)]], pairs
                    ),
                }
            ),
            "idx BIGINT, kv MAP(VARCHAR, BIGINT)",
        ),
        "win": (pa.Table.from_pandas(data.win, preserve_index=False), "g VARCHAR, x BIGINT, y BIGINT"),
        "topk": (data.topk, "x BIGINT"),
    }  # fmt: skip


def _plain(value: Any) -> Any:
    """A value of pandas with None for all that is missing in it."""
    if isinstance(value, dict):
        return {name: _plain(field) for name, field in value.items()}
    if isinstance(value, list):
        return [_plain(element) for element in value]
    return None if value is pd.NA or value is None or value != value else value


def _functional_alltypes() -> pa.Table:
    """Ten rows a day of 2009 and 2010, which count minutes through a month."""
    columns: dict[str, list[Any]] = {}
    rows = []
    for number, day in enumerate(pd.date_range("2009-01-01", "2010-12-31")):
        for digit in range(10):
            place = (day.day - 1) * 10 + digit
            passed = sum(earlier % 10 for earlier in range(place)) * 10
            rows.append(
                {
                    "id": number * 10 + digit,
                    "bool_col": digit % 2 == 0,
                    "tinyint_col": digit,
                    "smallint_col": digit,
                    "int_col": digit,
                    "bigint_col": digit * 10,
                    "float_col": np.float32(digit * 1.1),
                    "double_col": digit * 10.1,
                    "date_string_col": f"{day:%m/%d/%y}",
                    "string_col": str(digit),
                    "timestamp_col": day + pd.Timedelta(minutes=place, milliseconds=passed),
                    "year": day.year,
                    "month": day.month,
                }
            )
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    return pa.table(columns)


def _diamonds() -> pa.Table:
    random, rows = np.random.default_rng(1), 53_940
    carat = random.uniform(0.2, 5.0, rows).round(2)
    return pa.table(
        {
            "carat": carat,
            "cut": random.choice(["Fair", "Good", "Very Good", "Premium", "Ideal"], rows),
            "color": random.choice(list("DEFGHIJ"), rows),
            "clarity": random.choice(["I1", "SI2", "SI1", "VS2", "VS1", "VVS2", "VVS1", "IF"], rows),
            "depth": random.uniform(43, 79, rows).round(1),
            "table": random.uniform(43, 95, rows).round(1),
            "price": random.integers(326, 18_823, rows),
            "x": random.uniform(0, 10.7, rows).round(2),
            "y": random.uniform(0, 58.9, rows).round(2),
            "z": random.uniform(0, 31.8, rows).round(2),
        }
    )


def _players(random: np.random.Generator, rows: int) -> Any:
    letters = random.choice(list("abcdefghijklmnopqrstuvwxyz"), (2_000, 5))
    names = np.array(["".join(word) + f"{number % 9 + 1:02d}" for number, word in enumerate(letters)])
    return random.choice(names, rows)


def _batting() -> pa.Table:
    random, rows = np.random.default_rng(2), 101_332
    year = random.integers(1871, 2016, rows)
    # Ibis takes the NULLs of a year for those of all in one test: there are none lately.
    counts = {
        name: pa.array(random.integers(0, most, rows), mask=(random.random(rows) < 0.05) & (year < 2000))
        for name, most in zip(
            ("AB", "R", "H", "X2B", "X3B", "HR", "RBI", "SB", "CS", "BB", "SO", "IBB", "HBP", "SH", "SF", "GIDP"),
            (716, 192, 262, 67, 36, 73, 191, 138, 42, 232, 223, 120, 51, 67, 19, 36),
            strict=True,
        )
    }
    return pa.table(
        {
            "playerID": _players(random, rows),
            "yearID": year,
            "stint": random.integers(1, 5, rows),
            "teamID": random.choice(["BOS", "NYA", "CHN", "SLN", "PHI", "CIN", "DET", "CLE"], rows),
            "lgID": random.choice(["AL", "NL", "AA", "FL", "PL", "UA"], rows),
            "G": random.integers(0, 166, rows),
            **counts,
        }
    )


def _awards_players() -> pa.Table:
    random, rows = np.random.default_rng(3), 6_078
    awards = [
        "Gold Glove",
        "Silver Slugger",
        "Most Valuable Player",
        "Rookie of the Year",
        "Cy Young Award",
        "Triple Crown",
    ]
    return pa.table(
        {
            "playerID": _players(random, rows),
            "awardID": random.choice(awards, rows),
            "yearID": random.choice([1877, 1878, 1886, 1887, 1888, 1889, 1894, *range(1900, 2016)], rows),
            "lgID": random.choice(["AL", "NL", "ML"], rows),
            "tie": pa.array(["Y"] * rows, mask=random.random(rows) < 0.98),
            "notes": pa.array(random.choice(["P", "C", "1B", "2B", "SS", "OF"], rows), mask=random.random(rows) < 0.3),
        }
    )


def _astronauts() -> pa.Table:
    random, rows = np.random.default_rng(4), 1_277
    number = np.arange(1, rows + 1)
    # The first two flew seven times, the others three times at most.
    who = np.where(number <= 14, (number - 1) // 7, 2 + (number - 15) // 3)
    names = ["Ross, Jerry L.", "Chang-Diaz, Franklin R.", *(f"Astronaut, {one}" for one in range(2, who.max() + 1))]
    return pa.table(
        {
            "id": number,
            "number": who,
            "nationwide_number": who // 2,
            "name": [names[one] for one in who],
            "original_name": [f"{one} Astronaut" for one in who],
            "sex": random.choice(["male", "female"], rows),
            "year_of_birth": 1921 + who % 62,
            "nationality": random.choice(["U.S.", "U.S.S.R/Russia", "Japan", "Germany", "China"], rows),
            "military_civilian": random.choice(["military", "civilian"], rows),
            "selection": random.choice(["NASA- 1", "TsPK-1", "1996 NASA Group"], rows),
            "year_of_selection": 1959 + who % 59,
            "mission_number": random.integers(1, 8, rows),
            "total_number_of_missions": random.integers(1, 8, rows),
            "occupation": random.choice(["pilot", "commander", "MSP", "flight engineer"], rows),
            "year_of_mission": random.integers(1961, 2020, rows),
            "mission_title": random.choice(["Vostok 1", "STS-107", "Soyuz 4", "Apollo 11"], rows),
            "ascend_shuttle": random.choice(["Vostok 1", "STS-107", "Soyuz 4", "Apollo 11"], rows),
            "in_orbit": random.choice(["Vostok 2", "ISS", "Mir", "Salyut 6"], rows),
            "descend_shuttle": random.choice(["Vostok 3", "STS-107", "Soyuz 4", "Apollo 11"], rows),
            "hours_mission": random.uniform(0, 10_505, rows).round(2),
            "total_hrs_sum": random.uniform(0, 21_084, rows).round(2),
            "field21": random.integers(0, 7, rows),
            "eva_hrs_mission": random.uniform(0, 89, rows).round(2),
            "total_eva_hrs": random.uniform(0, 79, rows).round(2),
        }
    )


_LARGE = {
    "functional_alltypes": _functional_alltypes,
    "diamonds": _diamonds,
    "batting": _batting,
    "awards_players": _awards_players,
    "astronauts": _astronauts,
}
