"""Waivers: the settings without effect that an operator accepts (`--standalone`, `--ignore-unsupported`)."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.config.registry import BROKER_KEYS, PLUGIN_KEYS, TOPIC_KEYS, is_known
from wirebroker.config.values import ConfigError

if TYPE_CHECKING:
    from wirebroker.config.effects import Refusal


class Waivers(NamedTuple):
    """The settings without effect that the operator accepts."""

    standalone: bool = False
    """`--standalone`: settings that make a broker part of a cluster."""
    ignored: tuple[str, ...] = ()
    """`--ignore-unsupported`: names of keys; `*` stands for any part of a name."""

    def cover(self, name: str, refusal: Refusal | None = None) -> bool:
        """Return whether the setting *name* may be ignored."""
        if self.standalone and refusal is not None and refusal.cluster:
            return True
        return any(fnmatchcase(name, pattern) for pattern in self.ignored)

    def check(self) -> None:
        """Check that every name is that of a key, as a misspelt one would waive nothing; ConfigError if not."""
        for pattern in self.ignored:
            if "*" not in pattern and not is_known(pattern):
                raise ConfigError(
                    f"--ignore-unsupported {pattern}: there is no such key; {suggestion(pattern)}".rstrip("; ")
                )


NO_WAIVERS = Waivers()


def suggestion(name: str) -> str:
    """Return what to do about an unknown key; empty if it resembles no other."""
    topic_key = TOPIC_KEYS.get(name)
    if topic_key is not None:
        synonym = next(iter(topic_key.synonyms), None)
        return "it is a topic's setting" if synonym is None else f"the default of this topic setting is {synonym}"
    from difflib import get_close_matches  # a slow import, rarely needed

    similar = get_close_matches(name, (*BROKER_KEYS, *PLUGIN_KEYS), n=1, cutoff=0.75)
    return f"did you mean {similar[0]}?" if similar else ""
