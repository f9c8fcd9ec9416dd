"""Registry: all declared keys by name, and the keys of a release."""

from __future__ import annotations

import re
from itertools import starmap
from typing import TYPE_CHECKING, Any, NamedTuple

from wirebroker.config.keys import Scope
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
from wirebroker.config.values import ConfigType, at_least, one_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wirebroker.config.keys import Key
    from wirebroker.releases.profile import ReleaseProfile

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
DECLARED_TOPIC_KEYS = TOPIC_KEYS | {each.name: each for each in topic.LATER_KEYS}
"""The same with those that came after 3.9."""
PLUGIN_KEYS = {each.name: each for each in authorizer.KEYS}
"""Keys of plugins; DescribeConfigs shows them only if they are set, and without their type."""


class KeySet(NamedTuple):
    """The keys of one release; broker keys that it did not have are `internal`: shown only if they are set."""

    broker: Mapping[str, Key]
    """Broker keys by name, in the order of their declaration."""
    topic: Mapping[str, Key]
    """Topic keys by name, in the order that DescribeConfigs lists them."""


NEWEST = KeySet(
    {name: each if each.since is None else each._replace(internal=True) for name, each in BROKER_KEYS.items()},
    TOPIC_KEYS,
)
"""All declared keys, as 3.9 would describe them."""

STANDALONE = {name: key.standalone for name, key in BROKER_KEYS.items() if key.standalone is not None}
"""The defaults of a broker that is alone, where Kafka's are others."""

_LISTENER_PREFIX = re.compile(r"listener\.name\.[^.]+\.", re.ASCII)
_MECHANISM_PREFIX = re.compile(r"[a-z0-9-]+\.(?=sasl\.)", re.ASCII)
_PLUGIN_PREFIXES = ("rsm.config.", "rlmm.config.")


def without_listener(name: str) -> str | None:
    """Return KEY of `listener.name.LISTENER.[MECHANISM.]KEY`, None for any other name."""
    prefix = _LISTENER_PREFIX.match(name)
    if prefix is None:
        return None
    rest = name[prefix.end() :]
    return rest if rest in BROKER_KEYS else _MECHANISM_PREFIX.sub("", rest, count=1)


def find_key(name: str) -> Key | None:
    """Return the declaration of a broker key, perhaps for one listener, or of an authorizer's key; None without one."""
    return BROKER_KEYS.get(name) or PLUGIN_KEYS.get(name) or BROKER_KEYS.get(without_listener(name) or "")


def is_known(name: str) -> bool:
    """Return whether *name* is declared or a key of a tiered storage plugin."""
    return find_key(name) is not None or name.startswith(_PLUGIN_PREFIXES)


def keys_of(profile: ReleaseProfile) -> KeySet:
    """Return the keys of the release that *profile* emulates; NEWEST if it emulates none."""
    differences = profile.key_differences()
    if differences is None:
        return NEWEST
    era = differences.era
    broker = {
        name: key._replace(removed_in=None) if key.removed_in is not None and era < key.removed_in else key
        for name, key in BROKER_KEYS.items()
    }
    for name, key in BROKER_KEYS.items():
        if name in differences.absent or (key.since is not None and key.since > era):
            broker[name] = broker[name]._replace(internal=True)
    for name, attributes in differences.changed.items():
        broker[name] = broker[name]._replace(**dict(starmap(_attribute, attributes.items())))
    topic_keys = {name: key for name, key in TOPIC_KEYS.items() if name not in differences.absent_topic}
    for name, attributes in differences.changed_topic.items():
        topic_keys[name] = topic_keys[name]._replace(**dict(starmap(_attribute, attributes.items())))
    declared = DECLARED_TOPIC_KEYS.items()
    topic_keys |= {name: key for name, key in declared if key.since is not None and key.since <= era}
    return KeySet(broker, dict(sorted(topic_keys.items())))


def _attribute(name: str, value: Any) -> tuple[str, Any]:
    """Return an attribute of a Key and its value from the plain values in the table of a release."""
    match name:
        case "scope":
            return name, Scope[value]
        case "kind":
            return name, ConfigType[value]
        case "one_of":
            return "check", one_of(*value)
        case "at_least":
            return "check", at_least(value)
    return name, value
