"""Changes of broker settings while brokers run: what may change, and what the new settings must be like.

Facts: KIP-226 and what an Apache Kafka 3.9.1 broker refuses.  Every refusal is INVALID_REQUEST there, and an unknown
key is kept without a word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.config.catalog import without_listener
from wirebroker.config.keys import PER_BROKER, READ_ONLY
from wirebroker.config.values import ConfigError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from wirebroker.config.keys import Key
    from wirebroker.config.server import BrokerConfig

_ONLY_PER_LISTENER = frozenset(
    (
        "ssl.key.password",
        "ssl.keystore.certificate.chain",
        "ssl.keystore.key",
        "ssl.keystore.location",
        "ssl.keystore.password",
        "ssl.keystore.type",
        "ssl.truststore.certificates",
        "ssl.truststore.location",
        "ssl.truststore.password",
        "ssl.truststore.type",
    )
)
_THREADS = (
    "background.threads",
    "log.cleaner.threads",
    "num.io.threads",
    "num.network.threads",
    "num.recovery.threads.per.data.dir",
    "num.replica.fetchers",
)


def check_broker_change(
    config: BrokerConfig, changed: Collection[str], after: Mapping[str, str], *, all_brokers: bool
) -> None:
    """Refuse a change with a ConfigError.

    Args:
        config: The broker's values before.
        changed: The keys that get a value or lose it.
        after: All dynamic settings of the resource as they would be.
        all_brokers: The settings are those of all brokers, not of one.
    """
    keys = config.keys.broker
    _refuse([name for name in changed if _scope(keys, name) is READ_ONLY], "Cannot update these configs dynamically")
    _refuse(
        [name for name in changed if name in _ONLY_PER_LISTENER],
        "These security configs can be dynamically updated only per-listener using the listener prefix",
    )
    if all_brokers:
        _refuse(
            [name for name in changed if _scope(keys, name) is PER_BROKER or without_listener(name)],
            "Cannot update these configs at default cluster level, broker id must be specified",
        )
    for name, text in after.items():
        key = keys.get(name) or keys.get(without_listener(name) or "")
        if key is None:
            continue
        value = key.parse(text)
        if name in changed and name in _THREADS:
            before = config.value(name)
            assert isinstance(before, int)
            assert isinstance(value, int)
            # Kafka's guard against a slip of the finger: at most double, at least half.
            if value > before * 2 or value < before / 2:
                raise ConfigError(key.complaint(text, f"must be between half and double the current value {before}"))
    level = {"cluster_default": after, "per_broker": config.sources.per_broker}
    if not all_brokers:
        level = {"cluster_default": config.sources.cluster_default, "per_broker": after}
    config.with_dynamic(**level)  # listeners and the like are read as a whole


def _scope(keys: Mapping[str, Key], name: str) -> object:
    key = keys.get(name)
    return None if key is None else key.scope


def _refuse(names: list[str], reason: str) -> None:
    if names:
        raise ConfigError(f"{reason}: {', '.join(sorted(names))}")
