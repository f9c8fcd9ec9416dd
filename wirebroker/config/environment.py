"""Settings in environment variables, as container images write them: `KAFKA_LOG_DIRS` is `log.dirs`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wirebroker.config.catalog import BROKER_KEYS, PLUGIN_KEYS
from wirebroker.config.settings import Origin, Setting

if TYPE_CHECKING:
    from collections.abc import Mapping

_KEYS = {name.upper().replace(".", "_"): name for name in (*BROKER_KEYS, *PLUGIN_KEYS)}
"""The rest of a variable's name -> its key."""
_LISTENER = "LISTENER_NAME_"
_BITNAMI = "CFG_"
"""What one family of images writes behind `KAFKA_`; its start script makes a file of such variables."""
_NO_SLIPS = frozenset(("HOSTNAME",))
"""Variables that resemble a key's, and are others'."""
_SIMILARITY = 0.85
"""How like a key a name must be: KAFKA_NUM_PARTITONS is at 0.96, KAFKA_HEAP_OPTS and other scripts' below 0.8."""


class UnknownVariable(NamedTuple):
    """A variable that looks like a setting with a slip in it."""

    variable: str
    suggestion: str
    """The variable that was probably meant."""


def from_environment(environ: Mapping[str, str]) -> list[Setting]:
    """The settings in variables `KAFKA_…` and `WIREBROKER_…` (the stronger) that name a known key."""
    found: dict[str, Setting] = {}
    for prefix in ("KAFKA_", "WIREBROKER_"):
        for variable in sorted(environ):
            name = _key_named(variable.removeprefix(prefix)) if variable.startswith(prefix) else None
            # Kubernetes sets KAFKA_PORT=tcp://… in every pod beside a service called "kafka".
            if name is not None and not environ[variable].startswith("tcp://"):
                found[name] = Setting(name, environ[variable], Origin.ENVIRONMENT, variable)
    return list(found.values())


def unknown_variables(environ: Mapping[str, str]) -> list[UnknownVariable]:
    """The variables whose name is nearly that of a key, in order of their names."""
    found = []
    for variable in sorted(environ):
        prefix, _, rest = variable.partition("_")
        if prefix not in ("KAFKA", "WIREBROKER") or rest in _NO_SLIPS or _key_named(rest) is not None:
            continue
        if not environ[variable].startswith("tcp://"):
            similar = _similar(rest)
            if similar is not None:
                found.append(UnknownVariable(variable, f"{prefix}_{similar}"))
    return found


def _similar(rest: str) -> str | None:
    plain = rest.removeprefix(_BITNAMI)
    if _key_named(plain) is not None:
        return plain
    from difflib import get_close_matches  # takes a while to import, and is hardly ever needed

    return next(iter(get_close_matches(rest, _KEYS, n=1, cutoff=_SIMILARITY)), None)


def _key_named(rest: str) -> str | None:
    """The key that a variable is named after; of LISTENER_NAME_X_KEY the key for that listener."""
    if rest in _KEYS or not rest.startswith(_LISTENER):
        return _KEYS.get(rest)
    behind = [variable for variable in _KEYS if rest.endswith(f"_{variable}")]
    if not behind:
        return None
    longest = max(behind, key=len)
    listener = rest[len(_LISTENER) : -len(longest) - 1].lower()
    return f"listener.name.{listener}.{_KEYS[longest]}" if listener else None
