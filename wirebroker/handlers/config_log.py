"""Log lines about changed settings: resource, key, old and new value, and the client that changed it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.config.registry import DECLARED_TOPIC_KEYS, find_key
from wirebroker.config.server import THROTTLES
from wirebroker.config.unsupported import HIDDEN
from wirebroker.handlers.context import PRINCIPAL
from wirebroker.metadata.image import CLIENT_METRICS_RESOURCE, TOPIC_RESOURCE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from wirebroker.config.keys import Key
    from wirebroker.handlers.context import RequestContext
    from wirebroker.metadata.image import ClusterImage
    from wirebroker.metadata.records import ConfigsRecord

logger = logging.getLogger(__name__)


class ChangedSetting(NamedTuple):
    """One key of a config resource with its values before and after; None where the key is not set."""

    resource: str
    key: str
    old: str | None
    new: str | None
    effect: str
    """The effect of the key: "full", "partial" or "none"."""


def changed_settings(image: ClusterImage, records: Iterable[ConfigsRecord]) -> Iterator[ChangedSetting]:
    """Yield the settings that *records* change in *image*; secrets and the values of unknown keys are hidden."""
    for record in records:
        is_topic = record.resource_type == TOPIC_RESOURCE
        before, after = image.config(record.resource_type, record.name), record.configs or {}
        if is_topic:
            resource = f"topic={record.name}"
        elif record.resource_type == CLIENT_METRICS_RESOURCE:
            resource = f"client_metrics={record.name}"
        else:
            resource = f"broker={record.name}" if record.name else "all brokers"
        for name in sorted(before.keys() | after.keys()):
            old, new = before.get(name), after.get(name)
            if old == new:
                continue
            key = DECLARED_TOPIC_KEYS.get(name) if is_topic else find_key(name) or THROTTLES.get(name)
            effect = "none" if key is None else key.effect.level
            yield ChangedSetting(resource, _printable(name), _shown(key, old), _shown(key, new), effect)


def log_changed_setting(setting: ChangedSetting, context: RequestContext) -> None:
    """Log one line at INFO."""
    logger.info(
        "%s: %s changed, %s -> %s, by %s (client id %s at %s)%s",
        setting.resource,
        setting.key,
        "default" if setting.old is None else setting.old,
        "default" if setting.new is None else setting.new,
        PRINCIPAL,
        "none" if context.client_id is None else _printable(context.client_id),
        context.client_host,
        "; it has no effect" if setting.effect == "none" else "",
    )


def _shown(key: Key | None, text: str | None) -> str | None:
    if text is None:
        return None
    return HIDDEN if key is None or key.sensitive else _printable(text)


def _printable(text: str) -> str:
    """Return *text* with escapes for characters that would break the line."""
    return text if text.isprintable() else text.encode("unicode_escape").decode()
