"""What `connect` and queries take beside tables and texts, checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from functools import partial
from typing import Final

from tqp.bars import teller
from tqp.config import Semantics, Settings, cores, memory_bytes
from tqp.device import resolve
from tqp.errors import BindError, ExecutionError, UnsupportedError
from tqp.functions.collations import name_of
from tqp.functions.time_zones import local_zone, zone_named
from tqp.ir.expr import Literal
from tqp.optimizer import EXCERPTS, NEEDED, RULES
from tqp.physical.target import Target
from tqp.runtime.backends import BACKENDS
from tqp.runtime.progress import Progress
from tqp.session.idle import GLOBAL, IDLE, OPTIMIZERS, flag, one_of, size_shown, whole
from tqp.session.plan_cache import REUSE
from tqp.types import BIGINT, BOOLEAN, VARCHAR, DType

__all__ = ["SETTINGS", "Setting", "literal_of", "setting_named", "settings_of"]


def settings_of(
    device: str,
    threads: int | None,
    backend: str,
    memory_limit: int | str | None,
    disabled_rules: Iterable[str],
    time_zone: str | None,
    progress: bool | Callable[[Progress], None] = False,
) -> Settings:
    """The settings of a connection; BindError for a value that none has, SourceError for a device that is not there."""
    if threads is not None and (not isinstance(threads, int) or isinstance(threads, bool) or threads < 1):
        raise BindError(f"threads={threads!r} is not a number of threads", hint="use 1 or more, None for all cores")
    if not isinstance(backend, str) or backend not in BACKENDS:
        raise BindError(f"there is no backend {backend!r}", hint=f"choose {' or '.join(BACKENDS)}")
    where = resolve(device)
    return Settings(
        str(where),
        threads or cores(),
        backend,
        memory_bytes(memory_limit),
        disabled_rules=_rules(disabled_rules),
        time_zone=_time_zone(time_zone),
        progress=progress is not False,
        progress_to=teller(progress),
    )


def _time_zone(name: str | None) -> str:
    """The name of a time zone, None for the machine's; BindError where there is none."""
    if name is None:
        return local_zone()
    if not isinstance(name, str):
        raise BindError(f"time_zone={name!r} is not the name of a time zone")
    try:
        return zone_named(name).name
    except ExecutionError as error:
        raise BindError(error.message, hint=error.hint) from None


def _rules(names: Iterable[str]) -> frozenset[str]:
    """The names as a set; BindError for one that no rule has."""
    if not isinstance(names, Iterable):
        raise BindError(f"disabled_rules={names!r} is no list of names")
    chosen = frozenset((names,) if isinstance(names, str) else names)
    known = [*(name for name, _ in RULES if name not in NEEDED), EXCERPTS, REUSE]
    if needed := sorted(chosen.intersection(NEEDED)):
        raise BindError(f"no query goes without the rule {needed[0]!r}", hint=f"others are {', '.join(known)}")
    if unknown := sorted(chosen.difference(known), key=str):
        raise BindError(f"there is no optimizer rule {unknown[0]!r}", hint=f"rules are {', '.join(known)}")
    return chosen


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of a connection, as SET and `current_setting` know it. `changed` raises BindError for what is no value of it.

    `is_local`: DuckDB may have one for each connection, so that SET SESSION sets it, too.
    """

    dtype: DType
    value: Callable[[Settings], object]
    changed: Callable[[Settings, object], Settings]
    is_local: bool = True


def _with_threads(settings: Settings, value: object) -> Settings:
    count = whole("threads", value)
    return replace(settings, threads=_checked(threads=count).threads)


def _with_backend(settings: Settings, value: object) -> Settings:
    return replace(settings, backend=_checked(backend=str(value)).backend)


def _with_memory(settings: Settings, value: object) -> Settings:
    limit = None if value is None or str(value) in ("", "none", "-1") else str(value)
    return replace(settings, memory_limit=memory_bytes(limit))


def _with_batches(settings: Settings, value: object) -> Settings:
    rows = whole("batch_rows", value)
    if rows < 1:
        raise BindError(f"batch_rows={value!r} is not a number of rows", hint="use 1 or more")
    own = replace(settings, batch_rows=None)
    return own if rows == _batch_rows(own) else replace(own, batch_rows=rows)


def _batch_rows(settings: Settings) -> int | None:
    return Target.of(settings).limits.batch_rows


def _with_rules(settings: Settings, value: object) -> Settings:
    names = [name.strip() for name in str(value or "").split(",") if name.strip()]
    return replace(settings, disabled_rules=_rules(names))


def _with_zone(settings: Settings, value: object) -> Settings:
    return replace(settings, time_zone=_time_zone(str(value)))


def _with_lock(settings: Settings, value: object) -> Settings:
    return replace(settings, lock_configuration=flag("lock_configuration", value))


def _with_order(settings: Settings, value: object) -> Settings:
    return replace(settings, preserve_insertion_order=flag("preserve_insertion_order", value))


def _with_direction(settings: Settings, value: object) -> Settings:
    word = str(value).strip().upper()
    if word not in _DIRECTIONS:
        raise BindError(f"default_order={value!r} is no direction", hint="use ASC or DESC")
    return replace(settings, order=replace(settings.order, descending=_DIRECTIONS[word]))


def _with_nulls(settings: Settings, value: object) -> Settings:
    word = "_".join(str(value).upper().replace("_", " ").split())
    nulls = _NULL_ORDERS.get(word, word)
    if nulls not in _NULL_ORDERS.values():
        raise BindError(f"default_null_order={value!r} is no place of NULLs", hint="use NULLS FIRST or NULLS LAST")
    return replace(settings, order=replace(settings.order, nulls=nulls))


def _optimizers(settings: Settings) -> str:
    return ",".join(sorted((*settings.disabled_rules, *dict(settings.idle).get(_OPTIMIZERS, ()))))  # type: ignore[misc]


def _with_optimizers(settings: Settings, value: object) -> Settings:
    """Without the rules of these names; of DuckDB's other optimizers the names are kept."""
    names = {name.strip() for name in str(value or "").split(",") if name.strip()}
    rules = {name for name, _ in RULES}
    idle = frozenset(names & OPTIMIZERS - rules)
    return _keeping(replace(settings, disabled_rules=_rules(names - idle)), _OPTIMIZERS, idle, frozenset())


def _idle_value(name: str, settings: Settings) -> object:
    return dict(settings.idle).get(name, IDLE[name].first)


def _with_idle(name: str, settings: Settings, value: object) -> Settings:
    same = value == IDLE[name].first
    return _keeping(settings, name, value if same else IDLE[name].read(name, value), IDLE[name].first)


def _keeping(settings: Settings, name: str, value: object, first: object) -> Settings:
    """With an idle setting's value, which is kept where it is not the first one."""
    rest = {pair for pair in settings.idle if pair[0] != name}
    return replace(settings, idle=frozenset(rest if value == first else {*rest, (name, value)}))


def _always(name: str, only: object, hint: str) -> Setting:
    """A setting that has one value."""

    def changed(settings: Settings, value: object) -> Settings:
        same = flag(name, value) is only if isinstance(only, bool) else str(value).lower() == only
        if not same:
            raise UnsupportedError(f"{name}={value!r} is not supported", hint=hint)
        return settings

    return Setting(BOOLEAN if isinstance(only, bool) else VARCHAR, lambda settings: only, changed)


def _of_semantics(name: str, dtype: DType = BOOLEAN, read: Callable[[str, object], object] = flag) -> Setting:
    """A setting that says what texts mean."""

    def changed(settings: Settings, value: object) -> Settings:
        changes = {name: read(name, value)}
        return replace(settings, semantics=replace(settings.semantics, **changes))  # type: ignore[arg-type]

    return Setting(dtype, lambda settings: getattr(settings.semantics, name), changed)


def _with_collation(settings: Settings, value: object) -> Settings:
    name = str(value or "")
    name_of(name)
    return replace(settings, order=replace(settings.order, collation=name))


def _with_progress(settings: Settings, value: object) -> Settings:
    is_on = flag("enable_progress_bar", value)
    return replace(settings, progress=is_on, progress_to=settings.progress_to or teller(is_on))


def _with_patience(settings: Settings, value: object) -> Settings:
    milliseconds = whole("progress_bar_time", value)
    if milliseconds < 0:
        raise BindError(f"progress_bar_time={value!r} is not a number of milliseconds", hint="use 0 or more")
    return replace(settings, progress_after=milliseconds / 1000)


def _fixed(settings: Settings, value: object) -> Settings:
    raise BindError("a connection stays on its device", hint='tqp.connect(device="cuda")')


def _checked(threads: int | None = None, backend: str = "eager") -> Settings:
    return settings_of("cpu", threads, backend, None, (), "UTC")


_DIRECTIONS: Final = {"ASC": False, "ASCENDING": False, "DESC": True, "DESCENDING": True}
_NULL_ORDERS: Final = {
    "FIRST": "NULLS_FIRST", "NULLS_FIRST": "NULLS_FIRST", "LAST": "NULLS_LAST", "NULLS_LAST": "NULLS_LAST",
    "SQLITE": "NULLS_FIRST_ON_ASC_LAST_ON_DESC", "MYSQL": "NULLS_FIRST_ON_ASC_LAST_ON_DESC",
    "POSTGRES": "NULLS_LAST_ON_ASC_FIRST_ON_DESC",
}  # fmt: skip
"""What DuckDB and other systems call the places of NULLs."""
_SHOW_BEHAVIORS: Final = ("AUTO", "SETTING", "TABLE")
_LAMBDA_SYNTAXES: Final = ("DEFAULT", "ENABLE_SINGLE_ARROW", "DISABLE_SINGLE_ARROW")

_THREADS: Final = Setting(BIGINT, lambda settings: settings.threads, _with_threads, is_local=False)
_MEMORY: Final = Setting(VARCHAR, lambda settings: size_shown(settings.memory_limit), _with_memory, is_local=False)
_NULLS: Final = Setting(VARCHAR, lambda settings: settings.order.nulls, _with_nulls)
_OPTIMIZERS: Final = "disabled_optimizers"
_RULES_OFF: Final = Setting(
    VARCHAR, lambda settings: ",".join(sorted(settings.disabled_rules)), _with_rules, is_local=False
)

SETTINGS: Final[dict[str, Setting]] = {
    "threads": _THREADS,
    "worker_threads": _THREADS,
    "memory_limit": _MEMORY,
    "max_memory": _MEMORY,
    "backend": Setting(VARCHAR, lambda settings: settings.backend, _with_backend, is_local=False),
    "batch_rows": Setting(BIGINT, _batch_rows, _with_batches, is_local=False),
    "device": Setting(VARCHAR, lambda settings: settings.device, _fixed, is_local=False),
    "timezone": Setting(VARCHAR, lambda settings: settings.time_zone, _with_zone),
    "enable_progress_bar": Setting(BOOLEAN, lambda settings: settings.progress, _with_progress),
    "progress_bar_time": Setting(BIGINT, lambda settings: round(settings.progress_after * 1000), _with_patience),
    "preserve_insertion_order": Setting(BOOLEAN, lambda settings: settings.preserve_insertion_order, _with_order),
    "calendar": _always("calendar", "gregorian", "dates are those of the calendar 'gregorian'"),
    **{one.name: _of_semantics(one.name) for one in fields(Semantics) if isinstance(one.default, bool)},
    "lambda_syntax": _of_semantics("lambda_syntax", VARCHAR, one_of(_LAMBDA_SYNTAXES)),
    "show_behavior": _of_semantics("show_behavior", VARCHAR, one_of(_SHOW_BEHAVIORS)),
    "preserve_identifier_case": _always("preserve_identifier_case", "preserve_case", "names keep their case"),
    "order_by_non_integer_literal": _always("order_by_non_integer_literal", False, "leave such a key out"),
    "enable_macro_dependencies": _always("enable_macro_dependencies", False, "macros are bound where they are used"),
    "enable_view_dependencies": _always("enable_view_dependencies", False, "views are bound where they are used"),
    "errors_as_json": _always("errors_as_json", False, "errors of Python have fields: message, hint"),
    "disable_timestamptz_casts": _always("disable_timestamptz_casts", False, "cast with AT TIME ZONE"),
    "binary_as_string": _always("binary_as_string", False, "decode(x) makes text of bytes"),
    "default_order": Setting(
        VARCHAR, lambda settings: "DESCENDING" if settings.order.descending else "ASCENDING", _with_direction
    ),
    "default_collation": Setting(VARCHAR, lambda settings: settings.order.collation, _with_collation),
    "default_null_order": _NULLS,
    "null_order": _NULLS,
    "lock_configuration": Setting(BOOLEAN, lambda settings: settings.lock_configuration, _with_lock, is_local=False),
    "disabled_rules": _RULES_OFF,
    _OPTIMIZERS: Setting(VARCHAR, _optimizers, _with_optimizers, is_local=False),
    **{
        name: Setting(idle.dtype, partial(_idle_value, name), partial(_with_idle, name), name not in GLOBAL)
        for name, idle in IDLE.items()
    },
}
"""All settings by name. A new one is a line here, and a field of `Settings`; one that nothing heeds, a line in `idle.py`."""


def setting_named(name: str) -> Setting:
    """The setting of that name; BindError where there is none."""
    found = SETTINGS.get(name.lower())
    if found is None:
        near = get_close_matches(name.lower(), SETTINGS, n=1)
        own = (other for other in SETTINGS if other not in IDLE)
        hint = f"did you mean {near[0]}?" if near else f"settings are {', '.join(own)}"
        raise BindError(f"there is no setting {name!r}", hint=hint)
    return found


def literal_of(settings: Settings, name: str) -> Literal:
    """The value of a setting as a constant of its type; BindError where there is none of that name."""
    setting = setting_named(name)
    return Literal(setting.value(settings), setting.dtype, typed=True)  # type: ignore[arg-type]
