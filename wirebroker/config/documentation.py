"""The documentation of a key, for DescribeConfigs and `config print`: its text and its effect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.config.registry import DECLARED_TOPIC_KEYS, find_key

if TYPE_CHECKING:
    from wirebroker.config.keys import Key

NO_EFFECT = "(wirebroker: no effect.)"


def documentation(name: str) -> str | None:
    """Return the text of a broker key, None for an unknown one; a key for one listener has that of the plain key."""
    key = find_key(name)
    return None if key is None else _with_effect(key)


def topic_documentation(name: str) -> str | None:
    """Return the text of a topic key, None for an unknown one."""
    key = DECLARED_TOPIC_KEYS.get(name)
    return None if key is None else _with_effect(key)


def _with_effect(key: Key) -> str:
    effect = key.effect
    if effect.since is None and effect.refusal is not None:
        return f"{key.text} (wirebroker: not supported, {effect.refusal.consequence}.)"
    if effect.limits:
        return f"{key.text} (wirebroker: partial effect, {effect.limits}.)"
    return key.text if effect.since is not None else f"{key.text} {NO_EFFECT}"
