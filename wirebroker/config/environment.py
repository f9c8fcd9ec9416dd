"""Settings in environment variables with the names that container images use: `KAFKA_LOG_DIRS` is `log.dirs`."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.config.registry import BROKER_KEYS, PLUGIN_KEYS
from wirebroker.config.settings import Origin, Setting, decodable

if TYPE_CHECKING:
    from collections.abc import Mapping

_LISTENER = "LISTENER_NAME_"
_BITNAMI = "CFG_"
"""The prefix behind `KAFKA_` in Bitnami's images, whose start script makes a file of such variables."""
_OTHER_VARIABLES = frozenset(("HOSTNAME",))
"""Variables of other programs that resemble a key."""
_SIMILARITY = 0.85
"""The least similarity to a key: KAFKA_NUM_PARTITONS has 0.96, KAFKA_HEAP_OPTS and other scripts' below 0.8."""


class UnknownVariable(NamedTuple):
    """A variable that is probably a misspelt setting."""

    variable: str
    suggestion: str
    """The correct variable."""


def from_environment(environ: Mapping[str, str]) -> list[Setting]:
    """Return the settings in variables `KAFKA_…` and `WIREBROKER_…`, which win, that name a known key."""
    found: dict[str, Setting] = {}
    for prefix in ("KAFKA_", "WIREBROKER_"):
        for variable in sorted(environ):
            name = _key_named(variable.removeprefix(prefix)) if variable.startswith(prefix) else None
            # Kubernetes sets KAFKA_PORT=tcp://… in every pod beside a service called "kafka".
            if name is not None and not environ[variable].startswith("tcp://"):
                found[name] = Setting(name, decodable(name, environ[variable]), Origin.ENVIRONMENT, variable)
    return list(found.values())


def unknown_variables(environ: Mapping[str, str]) -> list[UnknownVariable]:
    """Return the variables whose name is nearly that of a key, by name."""
    found = []
    for variable in sorted(environ):
        prefix, _, rest = variable.partition("_")
        if prefix not in ("KAFKA", "WIREBROKER") or rest in _OTHER_VARIABLES or _key_named(rest) is not None:
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
    from difflib import get_close_matches  # a slow import, rarely needed

    return next(iter(get_close_matches(rest, _keys(), n=1, cutoff=_SIMILARITY)), None)


@cache
def _keys() -> dict[str, str]:
    """Return the rest of a variable's name -> its key; made when there is a variable."""
    return {name.upper().replace(".", "_"): name for name in (*BROKER_KEYS, *PLUGIN_KEYS)}


def _key_named(rest: str) -> str | None:
    """Return the key of a variable without its prefix, for LISTENER_NAME_X_KEY that of the listener, or None."""
    keys = _keys()
    if rest in keys or not rest.startswith(_LISTENER):
        return keys.get(rest)
    behind = [variable for variable in keys if rest.endswith(f"_{variable}")]
    if not behind:
        return None
    longest = max(behind, key=len)
    listener = rest[len(_LISTENER) : -len(longest) - 1].lower()
    return f"listener.name.{listener}.{keys[longest]}" if listener else None
