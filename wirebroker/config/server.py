"""BrokerConfig: everything a broker is told, as one frozen value.

Built by `load.py`.  A change of dynamic settings makes a new one (`with_dynamic`); whoever keeps single values across
an await must expect to have kept old ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wirebroker.config.catalog import NEWEST, Keys
from wirebroker.config.endpoints import Listener, advertised, check_listeners, parse_listeners, parse_protocol_map
from wirebroker.config.keys import READ_ONLY
from wirebroker.config.releases import release_of
from wirebroker.config.section import Section
from wirebroker.config.topic import log_config, topic_defaults, with_timestamp_bounds
from wirebroker.config.unsupported import NO_WAIVERS, Waivers
from wirebroker.config.values import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wirebroker.config.keys import Key
    from wirebroker.config.log import LogConfig
    from wirebroker.config.settings import Setting
    from wirebroker.config.values import Value

STANDALONE: dict[str, Value] = {
    "broker.id": 0,
    "node.id": 0,
    "log.dirs": "wirebroker-data",
    "listeners": "PLAINTEXT://127.0.0.1:9092",
    "group.initial.rebalance.delay.ms": 0,
    "offsets.topic.replication.factor": 1,
    "transaction.state.log.replication.factor": 1,
    "transaction.state.log.min.isr": 1,
}
"""Defaults of a broker that is alone, where Kafka's are for three of them or for a whole network."""


class ServerConfig(Section):
    """The broker keys that the rooms above ask for one by one."""

    auto_create_topics_enable: bool
    broker_rack: str | None
    connections_max_idle_ms: int
    default_replication_factor: int
    delete_topic_enable: bool
    fetch_max_bytes: int
    log_flush_offset_checkpoint_interval_ms: int
    log_flush_start_offset_checkpoint_interval_ms: int
    log_retention_check_interval_ms: int
    max_connection_creation_rate: int
    max_connections: int
    max_connections_per_ip: int
    max_connections_per_ip_overrides: str
    max_incremental_fetch_session_cache_slots: int
    num_partitions: int
    num_recovery_threads_per_data_dir: int
    num_replica_alter_log_dirs_threads: int | None
    offsets_topic_num_partitions: int
    offsets_topic_replication_factor: int
    offsets_topic_segment_bytes: int
    producer_id_expiration_check_interval_ms: int
    producer_id_expiration_ms: int
    replica_high_watermark_checkpoint_interval_ms: int
    socket_listen_backlog_size: int
    socket_receive_buffer_bytes: int
    socket_request_max_bytes: int
    socket_send_buffer_bytes: int
    transaction_abort_timed_out_transaction_cleanup_interval_ms: int
    transaction_max_timeout_ms: int
    transaction_remove_expired_transaction_cleanup_interval_ms: int
    transaction_state_log_min_isr: int
    transaction_state_log_num_partitions: int
    transaction_state_log_replication_factor: int
    transaction_state_log_segment_bytes: int
    transactional_id_expiration_ms: int
    wirebroker_transaction_version: int

    FIELDS = __slots__ = tuple(__annotations__)


class _Sources(NamedTuple):
    """What a BrokerConfig was made of, kept to make the next one and to explain it."""

    static: Mapping[str, Setting]
    cluster_default: Mapping[str, str]
    per_broker: Mapping[str, str]
    waivers: Waivers


class BrokerConfig(ServerConfig):
    """All values of one broker.

    Attributes beside the keys of ServerConfig:
        node_id: This broker.
        listeners: Where clients reach it; never empty, without controller listeners and without unserved ones that
            `--ignore-unsupported listeners` leaves out.
        controller_listeners: Those that `controller.listener.names` names; they are not opened.
        unserved_listeners: Those for clients that need TLS or SASL.
        advertised: Listener name -> host and port to tell clients, only where the operator said so.
        inter_broker_listener: The name of the listener that other brokers use.
        log_dirs: Data directories as written, in order.
        keys: The settings there are, which differ with `wirebroker.as.version`.
        topic_defaults: What a topic without settings of its own obeys.
        sources: The explicit settings behind all this (for `describe.py` and `config print`).
    """

    node_id: int
    listeners: tuple[Listener, ...]
    controller_listeners: tuple[Listener, ...]
    unserved_listeners: tuple[Listener, ...]
    advertised: Mapping[str, tuple[str, int]]
    inter_broker_listener: str
    log_dirs: tuple[str, ...]
    keys: Keys
    topic_defaults: LogConfig
    sources: _Sources
    _values: Mapping[str, Value]

    __slots__ = tuple(__annotations__)

    def __init__(
        self,
        static: Mapping[str, Setting],
        cluster_default: Mapping[str, str] | None = None,
        per_broker: Mapping[str, str] | None = None,
        waivers: Waivers = NO_WAIVERS,
    ) -> None:
        """Parse everything.

        Args:
            static: The settings of flags, environment and file.
            cluster_default: Dynamic settings of all brokers.
            per_broker: Dynamic settings of this broker.
            waivers: Which settings may be without effect.

        Raises:
            ConfigError: A static value will not do.  Dynamic ones were checked when they were set; one that will not do
                any more (written by another version) is passed over.
        """
        put = object.__setattr__
        sources = _Sources(static, cluster_default or {}, per_broker or {}, waivers)
        values: dict[str, Value] = dict(STANDALONE)
        known = _keys(static)
        for name, setting in static.items():
            if name in known.broker:
                values[name] = _parse_static(known.broker[name], setting)
        for level in (sources.cluster_default, sources.per_broker):
            for name, text in level.items():
                key = known.broker.get(name)
                if key is not None and key.scope is not READ_ONLY:
                    try:
                        values[name] = key.parse(text)
                    except ConfigError:
                        continue
        put(self, "sources", sources)
        put(self, "keys", known)
        put(self, "_values", values)
        super().__init__(self.value)
        put(self, "node_id", _node_id(self))
        put(self, "controller_listeners", _controller_listeners(self))
        put(self, "unserved_listeners", _unserved_listeners(self))
        put(self, "listeners", _listeners(self))
        put(self, "advertised", _advertised(self))
        put(self, "inter_broker_listener", _inter_broker_listener(self))
        put(self, "log_dirs", _log_dirs(self))
        put(self, "topic_defaults", topic_defaults(self.value))

    def value(self, name: str) -> Value:
        """The value of a broker key by its dotted name; KeyError for an unknown one."""
        values = self._values
        return values[name] if name in values else self.keys.broker[name].default

    def text(self, name: str) -> str | None:
        """The value of a STRING key, None when it has none."""
        value = self.value(name)
        return None if value is None else str(value)

    def words(self, name: str) -> tuple[str, ...]:
        """The value of a LIST key."""
        value = self.value(name)
        assert isinstance(value, tuple)
        return value

    def is_set(self, name: str) -> bool:
        """Did somebody set this key, at any level?"""
        sources = self.sources
        return name in sources.static or name in sources.cluster_default or name in sources.per_broker

    def log_config(self, overrides: Mapping[str, str]) -> LogConfig:
        """What a topic with these settings of its own obeys; settings that will not do are passed over."""
        return with_timestamp_bounds(log_config(self.topic_defaults, overrides))

    def with_dynamic(self, cluster_default: Mapping[str, str], per_broker: Mapping[str, str]) -> BrokerConfig:
        """The config after the dynamic settings became these."""
        return BrokerConfig(self.sources.static, cluster_default, per_broker, self.sources.waivers)


def _keys(static: Mapping[str, Setting]) -> Keys:
    version = static.get("wirebroker.as.version")
    if version is None:
        return NEWEST
    from wirebroker.config.history import keys_of  # few ever ask

    _parse_static(NEWEST.broker[version.name], version)
    return keys_of(release_of(version.text))


def _parse_static(key: Key, setting: Setting) -> Value:
    try:
        return key.parse(setting.text)
    except ConfigError as problem:
        raise ConfigError(f"{problem} ({setting.place})") from None


def _node_id(config: BrokerConfig) -> int:
    node_id, broker_id = config.value("node.id"), config.value("broker.id")
    if config.is_set("node.id") and config.is_set("broker.id") and node_id != broker_id:
        raise ConfigError(f"node.id={node_id} and broker.id={broker_id}: they name the same thing and must be equal")
    chosen = node_id if config.is_set("node.id") else broker_id
    assert isinstance(chosen, int)
    return max(chosen, 0)  # -1 asks Kafka to make one up, and a broker that is alone may be 0


def _controller_names(config: BrokerConfig) -> set[str]:
    return {name.strip().upper() for name in (config.text("controller.listener.names") or "").split(",")}


def _listeners_text(config: BrokerConfig) -> str:
    text = config.text("listeners") or ""
    if not config.is_set("listeners") and (config.is_set("port") or config.is_set("host.name")):
        text = f"PLAINTEXT://{config.text('host.name') or ''}:{config.value('port')}"
    return text


def _named_listeners(config: BrokerConfig) -> tuple[Listener, ...]:
    """The listeners for controllers and for clients."""
    protocols = parse_protocol_map(config.text("listener.security.protocol.map") or "")
    for_controllers = dict.fromkeys(_controller_names(config), "PLAINTEXT")
    return parse_listeners("listeners", _listeners_text(config), for_controllers | protocols)


def _controller_listeners(config: BrokerConfig) -> tuple[Listener, ...]:
    names = _controller_names(config)
    return tuple(listener for listener in _named_listeners(config) if listener.name in names)


def _unserved_listeners(config: BrokerConfig) -> tuple[Listener, ...]:
    names = _controller_names(config)
    named = _named_listeners(config)
    return tuple(listener for listener in named if listener.name not in names and listener.protocol != "PLAINTEXT")


def _listeners(config: BrokerConfig) -> tuple[Listener, ...]:
    text = _listeners_text(config)
    closed = _controller_names(config) | _left_out(config)
    listeners = tuple(listener for listener in _named_listeners(config) if listener.name not in closed)
    if not listeners:
        raise ConfigError(f"listeners={text}: no listener is left for clients")
    given = config.sources.static.get("listeners")
    check_listeners(text, listeners, by_address=given is not None and given.place == "--listener")
    return listeners


def _advertised(config: BrokerConfig) -> dict[str, tuple[str, int]]:
    text = config.text("advertised.listeners") or ""
    if not text and (config.is_set("advertised.host.name") or config.is_set("advertised.port")):
        host = config.text("advertised.host.name") or config.text("host.name") or ""
        text = f"PLAINTEXT://{host}:{config.value('advertised.port') or config.value('port')}"
    closed = _controller_names(config) | _left_out(config)
    protocols = {listener.name: listener.protocol for listener in config.listeners}
    named = parse_listeners("advertised.listeners", text, {**dict.fromkeys(closed, "PLAINTEXT"), **protocols})
    return advertised(text, [each for each in named if each.name not in closed], config.listeners)


def _left_out(config: BrokerConfig) -> set[str]:
    """The names of listeners for clients that are not opened because they need TLS or SASL."""
    if not config.sources.waivers.cover("listeners"):
        return set()
    return {listener.name for listener in config.unserved_listeners}


def _inter_broker_listener(config: BrokerConfig) -> str:
    named = config.text("inter.broker.listener.name")
    if named is None or named.upper() in _left_out(config):
        protocol = config.text("security.inter.broker.protocol")
        # A broker that is alone does not mind when no listener speaks it.
        return next((each.name for each in config.listeners if each.name == protocol), config.listeners[0].name)
    if named.upper() not in {listener.name for listener in config.listeners}:
        raise ConfigError(f"inter.broker.listener.name={named}: there is no such listener")
    return named.upper()


def _log_dirs(config: BrokerConfig) -> tuple[str, ...]:
    key, text = "log.dirs", config.text("log.dirs") or ""
    if config.is_set("log.dir") and not config.is_set("log.dirs"):
        key, text = "log.dir", config.text("log.dir") or ""
    dirs = tuple(filter(None, (part.strip() for part in text.split(","))))
    if not dirs:
        raise ConfigError(f"{key}={text}: at least one directory is needed")
    if len(set(dirs)) < len(dirs):
        raise ConfigError(f"{key}={text}: a directory is there twice")
    return dirs
