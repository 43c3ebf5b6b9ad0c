"""Random statements that change the rows, columns and rules of a table, for the scripts of `scripts.py`."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

Columns = Sequence[tuple[str, str]]
Value = Callable[[str], str]
"""From a type to a value of it that is written."""

_FLAT = frozenset({"INTEGER", "TINYINT", "BIGINT", "HUGEINT", "DECIMAL(6,2)", "VARCHAR", "DATE", "BOOLEAN"})


def update(rng: random.Random, name: str, columns: Columns, value: Value) -> str:
    """UPDATE of some columns of some rows, each of which has one partner at most."""
    chosen = rng.sample(list(columns), rng.randint(1, len(columns)))
    items = [f"{column} = {_new(rng, columns, column, kind, value)}" for column, kind in chosen]
    others = ""
    if rng.random() < 0.25:
        kind = chosen[0][1]
        others = f" FROM (SELECT ({value(kind)})::{kind} AS other) s"
        items[0] = f"{chosen[0][0]} = other" if rng.random() < 0.5 else items[0]
    return f"UPDATE {name} SET {', '.join(items)}{others}{_where(rng, name, columns, value)}{_returning(rng, columns)}"


def delete(rng: random.Random, name: str, columns: Columns, value: Value) -> str:
    if rng.random() < 0.2:
        column, kind = rng.choice(list(columns))
        return f"DELETE FROM {name} t USING (VALUES (({value(kind)})::{kind})) s(v) WHERE t.{column} = s.v{_returning(rng, columns)}"
    return f"DELETE FROM {name}{_where(rng, name, columns, value)}{_returning(rng, columns)}"


def on_conflict(rng: random.Random, name: str, columns: Columns, value: Value) -> str:
    """An INSERT whose rows may meet others."""
    row = f"({', '.join(value(kind) for _, kind in columns)})"
    if rng.random() < 0.3:
        return f"INSERT OR {rng.choice(('REPLACE', 'IGNORE'))} INTO {name} VALUES {row}"
    column, _ = rng.choice(list(columns))
    target = rng.choice(("", f" ({columns[0][0]})"))
    done = rng.choice(("NOTHING", f"UPDATE SET {column} = excluded.{column}", f"UPDATE SET {column} = {name}.{column}"))
    return f"INSERT INTO {name} VALUES {row} ON CONFLICT{target} DO {done}{_returning(rng, columns)}"


def merge(rng: random.Random, name: str, columns: Columns, value: Value) -> str:
    """MERGE with one row."""
    source = ", ".join(f"({value(kind)})::{kind} AS {column}" for column, kind in columns)
    key, _ = rng.choice(list(columns))
    on = rng.choice((f"USING ({key})", f"ON x.{key} = s.{key}"))
    column, _ = rng.choice(list(columns))
    parts = []
    if rng.random() < 0.5:
        parts.append(f"WHEN MATCHED AND s.{column} IS NOT NULL THEN {rng.choice(('DELETE', 'DO NOTHING'))}")
    if rng.random() < 0.7:
        parts.append(f"WHEN MATCHED THEN UPDATE{rng.choice((f' SET {column} = s.{column}', ' BY NAME', ''))}")
    if rng.random() < 0.7:
        parts.append(f"WHEN NOT MATCHED THEN INSERT{rng.choice((' BY NAME', '', f' ({column}) VALUES (s.{column})'))}")
    if rng.random() < 0.2 or not parts:
        parts.append(f"WHEN NOT MATCHED BY SOURCE AND x.{column} IS NULL THEN DELETE")
    shown = rng.choice(("", " RETURNING merge_action, *"))
    return f"MERGE INTO {name} x USING (SELECT {source}) s {on} {' '.join(parts)}{shown}"


def alter(rng: random.Random, name: str, columns: Columns, value: Value) -> tuple[str, Columns]:
    """ALTER TABLE, and the columns of the table then."""
    column, kind = rng.choice(list(columns))
    rest = [one for one in columns if one[0] != column]
    match rng.randrange(6):
        case 0:
            fresh, other = rng.choice("efgh"), rng.choice(sorted(_FLAT))
            default = rng.choice(("", f" DEFAULT {value(other)}"))
            return f"ALTER TABLE {name} ADD COLUMN {fresh} {other}{default}", [*columns, (fresh, other)]
        case 1:
            return f"ALTER TABLE {name} DROP COLUMN {column}", rest
        case 2:
            fresh = rng.choice("efgh")
            renamed = [(fresh, own) if one == column else (one, own) for one, own in columns]
            return f"ALTER TABLE {name} RENAME {column} TO {fresh}", renamed
        case 3:
            other = rng.choice(("VARCHAR", "BIGINT", "DOUBLE") if kind in _FLAT else ("VARCHAR",))
            retyped = [(one, other) if one == column else (one, own) for one, own in columns]
            return f"ALTER TABLE {name} ALTER {column} TYPE {other}", retyped
        case 4:
            return f"ALTER TABLE {name} ALTER {column} SET DEFAULT {value(kind)}", columns
        case _:
            return f"ALTER TABLE {name} ALTER {column} {rng.choice(('SET', 'DROP'))} NOT NULL", columns


def rules(rng: random.Random, columns: Columns) -> list[str]:
    """Constraints of a new table, mostly none."""
    found = []
    flat = [name for name, kind in columns if kind in _FLAT]
    if flat and rng.random() < 0.35:
        found.append(
            f"{rng.choice(('PRIMARY KEY', 'UNIQUE'))} ({', '.join(rng.sample(flat, rng.randint(1, min(2, len(flat)))))})"
        )
    if flat and rng.random() < 0.2:
        found.append(f"CHECK ({rng.choice(flat)} IS DISTINCT FROM NULL OR length({rng.choice(flat)}::VARCHAR) < 4)")
    return found


def _new(rng: random.Random, columns: Columns, column: str, kind: str, value: Value) -> str:
    alike = [name for name, own in columns if own == kind]
    return rng.choice((value(kind), "DEFAULT", rng.choice(alike), f"coalesce({column}, {rng.choice(alike)})"))


def _where(rng: random.Random, name: str, columns: Columns, value: Value) -> str:
    column, kind = rng.choice(list(columns))
    return rng.choice(
        (
            "",
            f" WHERE {column} IS NULL",
            f" WHERE {name}.{column} = ({value(kind)})::{kind}",
            f" WHERE {column} IS DISTINCT FROM ({value(kind)})::{kind}",
            f" WHERE {column} IN (SELECT {column} FROM {name} LIMIT 0)",
            f" WHERE EXISTS (SELECT 1 FROM {name} o WHERE o.{column} = {name}.{column})",
        )
    )


def _returning(rng: random.Random, columns: Columns) -> str:
    column, _ = rng.choice(list(columns))
    return rng.choice(("", "", " RETURNING *", f" RETURNING {column} AS r"))
