"""Finds a key by name: Kafka's broker keys, Kafka's topic keys, and which key speaks for which."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.config.sections import (
    authorizer,
    controller,
    group,
    log,
    metrics,
    network,
    quotas,
    remote,
    replication,
    sasl,
    security,
    server,
    share,
    ssl,
    streams,
    topic,
    transaction,
    zookeeper,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wirebroker.config.keys import Key

SECTIONS = {
    "server": server.KEYS,
    "network": network.KEYS,
    "log": log.KEYS,
    "replication": replication.KEYS,
    "group": group.KEYS,
    "share": share.KEYS,
    "streams": streams.KEYS,
    "transaction": transaction.KEYS,
    "controller": controller.KEYS,
    "zookeeper": zookeeper.KEYS,
    "security": security.KEYS,
    "ssl": ssl.KEYS,
    "sasl": sasl.KEYS,
    "remote": remote.KEYS,
    "quotas": quotas.KEYS,
    "metrics": metrics.KEYS,
}
"""Broker keys by subject."""

BROKER_KEYS = {each.name: each for keys in SECTIONS.values() for each in keys}
TOPIC_KEYS = {each.name: each for each in topic.KEYS}
PLUGIN_KEYS = {each.name: each for each in authorizer.KEYS}
"""Keys that a broker hands to a plugin; DescribeConfigs shows them only when they are set, and without their type."""


class Keys(NamedTuple):
    """The settings of one release; broker keys that it did not have are `internal`: shown only if somebody set them."""

    broker: Mapping[str, Key]
    topic: Mapping[str, Key]


NEWEST = Keys(
    {name: each if each.since is None else each.changed(internal=True) for name, each in BROKER_KEYS.items()},
    TOPIC_KEYS,
)
"""All there are, described as 3.9 would; `history.py` makes those of a release (`wirebroker.as.version`)."""

BROKER_SYNONYMS = log.SYNONYMS
"""Broker key -> the broker keys that stand in when it is not set, the strongest first."""
TOPIC_SYNONYMS = topic.SYNONYMS
"""Topic key -> the broker keys that give its default, the strongest first."""

_LISTENER_PREFIX = re.compile(r"listener\.name\.[^.]+\.", re.ASCII)
_MECHANISM_PREFIX = re.compile(r"[a-z0-9-]+\.(?=sasl\.)", re.ASCII)
_PLUGIN_PREFIXES = ("rsm.config.", "rlmm.config.")


def without_listener(name: str) -> str | None:
    """The key behind `listener.name.LISTENER.[MECHANISM.]KEY`; None for any other name."""
    prefix = _LISTENER_PREFIX.match(name)
    if prefix is None:
        return None
    rest = name[prefix.end() :]
    return rest if rest in BROKER_KEYS else _MECHANISM_PREFIX.sub("", rest, count=1)


def declared(name: str) -> Key | None:
    """The declaration of a broker key, of the key behind one for a single listener, or of an authorizer's key."""
    return BROKER_KEYS.get(name) or PLUGIN_KEYS.get(name) or BROKER_KEYS.get(without_listener(name) or "")


def is_known(name: str) -> bool:
    """Whether *name* is declared or is handed to a tiered storage plugin."""
    return declared(name) is not None or name.startswith(_PLUGIN_PREFIXES)
