"""One INFO line for each setting that a client has changed: of what, from which value to which, and by whom."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.config.catalog import TOPIC_KEYS, declared
from wirebroker.config.unsupported import HIDDEN
from wirebroker.metadata.image import CLIENT_METRICS_RESOURCE, TOPIC_RESOURCE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from wirebroker.config.keys import Key
    from wirebroker.metadata.changes import ConfigsSet
    from wirebroker.metadata.image import ClusterImage
    from wirebroker.model import Caller

logger = logging.getLogger(__name__)


class ChangedSetting(NamedTuple):
    """One key of one resource that gets another value, or loses its own (None)."""

    resource: str
    key: str
    old: str | None
    new: str | None
    effect: str
    """"full", "partial" or "none"."""


def changed_settings(image: ClusterImage, changes: Iterable[ConfigsSet]) -> Iterator[ChangedSetting]:
    """What *changes* make different from *image*; secrets and the values of unknown keys are hidden."""
    for change in changes:
        is_topic = change.resource_type == TOPIC_RESOURCE
        before, after = image.config(change.resource_type, change.name), change.configs or {}
        if is_topic:
            resource = f"topic={change.name}"
        elif change.resource_type == CLIENT_METRICS_RESOURCE:
            resource = f"client_metrics={change.name}"
        else:
            resource = f"broker={change.name}" if change.name else "all brokers"
        for name in sorted(before.keys() | after.keys()):
            old, new = before.get(name), after.get(name)
            if old == new:
                continue
            key = TOPIC_KEYS.get(name) if is_topic else declared(name)
            effect = "none" if key is None else key.effect.level
            yield ChangedSetting(resource, _printable(name), _shown(key, old), _shown(key, new), effect)


def log_changed_setting(setting: ChangedSetting, caller: Caller) -> None:
    """Write the line."""
    logger.info(
        "%s: %s changed, %s -> %s, by %s (client id %s at %s)%s",
        setting.resource,
        setting.key,
        "default" if setting.old is None else setting.old,
        "default" if setting.new is None else setting.new,
        caller.principal,
        "none" if caller.client_id is None else _printable(caller.client_id),
        caller.client_host,
        "; it has no effect" if setting.effect == "none" else "",
    )


def _shown(key: Key | None, text: str | None) -> str | None:
    if text is None:
        return None
    return HIDDEN if key is None or key.sensitive else _printable(text)


def _printable(text: str) -> str:
    """*text* with escapes for what would break the line."""
    return text if text.isprintable() else text.encode("unicode_escape").decode()
