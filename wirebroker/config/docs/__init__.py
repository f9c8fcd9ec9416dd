"""What each key is for, in a sentence or two; imported only when somebody asks (`config print`, DescribeConfigs)."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from wirebroker.config.catalog import BROKER_KEYS, SECTIONS, TOPIC_KEYS, without_listener

if TYPE_CHECKING:
    from wirebroker.config.keys import Key

NO_EFFECT = "(wirebroker accepts this setting, and it has no effect.)"


def documentation(name: str) -> str | None:
    """The text of a broker key, None for an unknown one; a key for one listener has the text of the plain key.

    A key that changes nothing here says so.
    """
    if name not in BROKER_KEYS:
        name = without_listener(name) or ""
    for section, keys in SECTIONS.items():
        if any(key.name == name for key in keys):
            return _honest(BROKER_KEYS[name], _texts(section)[name])
    return None


def topic_documentation(name: str) -> str | None:
    """The text of a topic key, None for an unknown one."""
    return _honest(TOPIC_KEYS[name], _texts("topic")[name]) if name in TOPIC_KEYS else None


def _honest(key: Key, text: str) -> str:
    return text if key.effective else f"{text} {NO_EFFECT}"


def _texts(section: str) -> dict[str, str]:
    texts: dict[str, str] = import_module(f"wirebroker.config.docs.{section}").TEXTS
    return texts
