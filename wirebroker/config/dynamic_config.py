"""DynamicConfig: the configuration of a running broker, its subscribers, and the checks of a change (KIP-226).

The checks are those of an Apache Kafka 3.9.1 broker, which answers INVALID_REQUEST; unknown keys are accepted.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from wirebroker.config.keys import PER_BROKER, READ_ONLY
from wirebroker.config.registry import without_listener
from wirebroker.config.server import THROTTLES, BrokerConfig, check_values, start_only
from wirebroker.config.settings import Origin, Setting
from wirebroker.config.values import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from wirebroker.config.keys import Key
    from wirebroker.config.values import Value

log = logging.getLogger(__name__)

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
_POSITIVE = frozenset(("max.connections", "max.connection.creation.rate"))
"""Limits that a running broker does not take as 0, as in Apache Kafka."""
_JMX_REPORTER = "org.apache.kafka.common.metrics.JmxReporter"
"""The reporter of every broker of Apache Kafka."""
_THREADS = (
    "background.threads",
    "log.cleaner.threads",
    "num.io.threads",
    "num.network.threads",
    "num.recovery.threads.per.data.dir",
    "num.replica.fetchers",
)


class DynamicConfig:
    """The current BrokerConfig of a broker, and the functions that are called with each one.

    Code that needs a setting when it serves a request reads `current`; code that keeps a value derived from settings
    subscribes.  A change reaches all of them in one call of `update`, before any other task runs.
    """

    __slots__ = ("_subscribers", "current")

    def __init__(self, config: BrokerConfig) -> None:
        self.current = config
        """The settings now; they may be others after any await."""
        self._subscribers: list[Callable[[BrokerConfig], None]] = []

    def subscribe(self, subscriber: Callable[[BrokerConfig], None]) -> None:
        """Call *subscriber* with the current configuration now, and with each later one in order of subscription."""
        self._subscribers.append(subscriber)
        subscriber(self.current)

    def update(self, cluster_default: Mapping[str, str], per_broker: Mapping[str, str]) -> None:
        """Replace the dynamic settings of all brokers and those of this broker; call the subscribers if any changed.

        A subscriber that raises is logged, and the next one is called: the settings are stored and cannot be vetoed.
        """
        config = self.current.with_dynamic(cluster_default, per_broker)
        if config is self.current:
            return
        self.current = config
        for subscriber in self._subscribers:
            try:
                subscriber(self.current)
            except Exception:
                log.exception("dynamic settings changed, but %r failed to apply them; restart the broker", subscriber)


def check_broker_change(
    config: BrokerConfig, changed: Collection[str], after: Mapping[str, str], *, all_brokers: bool
) -> None:
    """Check a change of dynamic settings.

    Args:
        config: The configuration before the change.
        changed: The keys that are set or removed; those that are removed need not be dynamic, as in Apache Kafka.
        after: All dynamic settings of the resource after the change.
        all_brokers: Whether the settings are those of all brokers.

    Raises:
        ConfigError: the change is not valid.
    """
    keys = config.keys.broker
    given = [name for name in changed if name in after]
    _refuse([name for name in given if _scope(keys, name) is READ_ONLY], "Cannot update these configs dynamically")
    _refuse(
        [name for name in given if name in _ONLY_PER_LISTENER],
        "These security configs can be dynamically updated only per-listener using the listener prefix",
    )
    if all_brokers:
        _refuse(
            [name for name in given if _scope(keys, name) is PER_BROKER or without_listener(name)],
            "Cannot update these configs at default cluster level, broker id must be specified",
        )
    for name, text in after.items():
        key = keys.get(name) or keys.get(without_listener(name) or "") or THROTTLES.get(name)
        if key is None:
            continue
        value = key.parse(text)
        if name in changed and name in _THREADS:
            before = config.value(name)
            assert isinstance(before, int)
            assert isinstance(value, int)
            if value < 1:
                raise ConfigError(key.error_message(text, "value should be at least 1"))
            # as Kafka, against typing errors
            if value > before * 2 or value < before // 2:
                raise ConfigError(
                    key.error_message(text, f"must be between half and double the current value {before}")
                )
        if name == "metric.reporters" and name in changed:
            _check_reporters(value)
        if name in _POSITIVE and isinstance(value, int) and value < 1:
            raise ConfigError(key.error_message(text, "it must be 1 or more: no client could connect"))
    level = {"cluster_default": after, "per_broker": config.sources.per_broker}
    if not all_brokers:
        level = {"cluster_default": config.sources.cluster_default, "per_broker": after}
        _check_listeners(config, after)
    check_values(config.with_dynamic(**level))


def _check_reporters(value: Value) -> None:
    """Refuse Java classes of metrics reporters that are not there to be loaded."""
    assert isinstance(value, tuple)
    unknown = [name for name in value if name != _JMX_REPORTER]
    if unknown:
        raise ConfigError(f"metric.reporters: class {unknown[0]} cannot be found; remove it, metrics are in /jmx")


def _check_listeners(config: BrokerConfig, after: Mapping[str, str]) -> None:
    """Refuse settings of a broker by which it would have other listeners than those that it has opened and told of."""
    names = [name for name in start_only(in_cluster=config.in_cluster) if name in after]
    if not names:
        return
    static = config.sources.static
    of_change = {name: Setting(name, after[name], Origin.FLAG, "change") for name in names}
    wanted = BrokerConfig({**static, **of_change}, waivers=config.sources.waivers)
    if wanted.unserved_listeners:
        each = wanted.unserved_listeners[0]
        raise ConfigError(f"{names[0]}: listener {each.name} needs {each.protocol}, and only PLAINTEXT is served")
    if wanted.listeners != config.listeners or (config.in_cluster and wanted.advertised != config.advertised):
        raise ConfigError(
            f"{names[0]}: a running broker keeps its listeners and the addresses that it has registered; set it where "
            "the broker is started, and restart it"
        )


def _scope(keys: Mapping[str, Key], name: str) -> object:
    key = keys.get(name)
    return None if key is None else key.scope


def _refuse(names: list[str], reason: str) -> None:
    if names:
        raise ConfigError(f"{reason}: {', '.join(sorted(names))}")
