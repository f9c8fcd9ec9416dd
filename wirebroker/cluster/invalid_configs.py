"""Invalid values in the config znodes of topics and brokers, which anybody who writes to ZooKeeper can put there.

A topic whose znode has one keeps the settings that are in force, as in Apache Kafka; of a topic without any, such as at
the start of this broker, and of brokers, the invalid values alone are ignored.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from wirebroker.config.keys import READ_ONLY
from wirebroker.config.registry import TOPIC_KEYS, without_listener
from wirebroker.config.server import THROTTLES
from wirebroker.config.values import ConfigError
from wirebroker.zookeeper.znodes import configs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from wirebroker.config.keys import Key
    from wirebroker.config.server import BrokerConfig
    from wirebroker.zookeeper.znodes.configs import ConfigEntity

log = logging.getLogger(__name__)


def applicable_configs(
    entity: ConfigEntity, settings: Mapping[str, str], config: BrokerConfig, *, has_configs: bool = False
) -> Mapping[str, str] | None:
    """Return the *settings* of a znode without invalid values, each of which is logged; None if they do not apply.

    *has_configs* says whether *entity* has settings in force, perhaps the defaults.
    """
    invalid = _invalid_values(entity, settings, config)
    if not invalid:
        return settings
    keeps = has_configs and entity.entity_type == configs.TOPICS
    outcome = "the topic keeps the settings that are in force" if keeps else "this setting is ignored"
    for reason in invalid.values():
        log.error("%s: %s; %s: set it again with kafka-configs", entity.path, reason, outcome)
    return None if keeps else {name: text for name, text in settings.items() if name not in invalid}


def _invalid_values(entity: ConfigEntity, settings: Mapping[str, str], config: BrokerConfig) -> dict[str, str]:
    """Return what is wrong with invalid values, by the name of their keys."""
    find_key = _key_finder(entity, config)
    found: dict[str, str] = {}
    for name, text in settings.items():
        key = find_key(name)
        if key is not None:
            try:
                key.parse(text)
            except ConfigError as problem:
                found[name] = str(problem)
    return found


def _key_finder(entity: ConfigEntity, config: BrokerConfig) -> Callable[[str], Key | None]:
    """Return the function that finds the key of a setting; None for one that has no effect, as no such key is known."""
    if entity.entity_type == configs.TOPICS:
        return TOPIC_KEYS.get
    if entity.entity_type != configs.BROKERS:
        return lambda _: None  # quotas and credentials
    keys = config.keys.broker

    def find(name: str) -> Key | None:
        key = keys.get(name) or keys.get(without_listener(name) or "")
        return THROTTLES.get(name) if key is None or (key.scope is READ_ONLY and name in keys) else key

    return find
