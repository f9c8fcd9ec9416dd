"""BrokerConfig: the configuration of one broker as one frozen value.

Built by `load.py`; a change of dynamic settings makes a new one (`with_dynamic`), `DynamicConfig` has the current one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.config.broker_listeners import (
    advertised_addresses,
    client_listeners,
    control_plane_listener,
    controller_listeners,
    inter_broker_listener,
    is_advertised,
    unserved_listeners,
)
from wirebroker.config.keys import LONG, READ_ONLY, Key
from wirebroker.config.registry import BROKER_KEYS, STANDALONE, KeySet, keys_of
from wirebroker.config.section import Section
from wirebroker.config.settings import Origin, Setting
from wirebroker.config.topic import log_config, topic_defaults, with_timestamp_bounds
from wirebroker.config.values import ConfigError, at_least
from wirebroker.config.waivers import NO_WAIVERS, Waivers
from wirebroker.releases.profile import ReleaseProfile

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wirebroker.config.endpoints import Listener
    from wirebroker.config.inter_broker_protocol import InterBrokerProtocol
    from wirebroker.config.log import LogConfig
    from wirebroker.config.values import Value

_FORMAT_2: Final = "3.0-IV1"
"""The message.format.version of records of format 2, and the inter.broker.protocol.version that needs no older one."""
_LEAST_DEDUPE_BYTES: Final = 1 << 20


class ServerConfig(Section):
    """The broker keys that rooms above read as attributes."""

    auto_create_topics_enable: bool
    broker_rack: str | None
    connections_max_idle_ms: int
    controller_quota_window_num: int
    controller_quota_window_size_seconds: int
    default_replication_factor: int
    delete_topic_enable: bool
    fetch_max_bytes: int
    kafka_csv_metrics_dir: str
    kafka_csv_metrics_reporter_enabled: bool
    kafka_metrics_polling_interval_secs: int
    kafka_metrics_reporters: tuple[str, ...]
    log_cleaner_backoff_ms: int
    log_cleaner_dedupe_buffer_size: int
    log_cleaner_enable: bool
    log_cleaner_io_buffer_load_factor: float
    log_cleaner_io_buffer_size: int
    log_cleaner_io_max_bytes_per_second: float
    log_cleaner_threads: int
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
    quota_consumer_default: int
    quota_producer_default: int
    quota_window_num: int
    quota_window_size_seconds: int
    replica_high_watermark_checkpoint_interval_ms: int
    socket_listen_backlog_size: int
    socket_receive_buffer_bytes: int
    socket_request_max_bytes: int
    socket_send_buffer_bytes: int
    transaction_state_log_min_isr: int
    transaction_state_log_num_partitions: int
    transaction_state_log_replication_factor: int
    transaction_state_log_segment_bytes: int
    wirebroker_metrics_graphite: str | None
    wirebroker_metrics_host: str
    wirebroker_metrics_port: int
    wirebroker_metrics_prefix: str
    wirebroker_metrics_report_interval_ms: int
    wirebroker_metrics_statsd: str | None
    wirebroker_socket_busy_poll: bool

    FIELDS = __slots__ = tuple(__annotations__)


_ALTER_LOG_DIRS_THROTTLE = "replica.alter.log.dirs.io.max.bytes.per.second"
_LEADER_THROTTLE = "leader.replication.throttled.rate"
_FOLLOWER_THROTTLE = "follower.replication.throttled.rate"
_START_ONLY: Final = ("listeners", "listener.security.protocol.map")


def start_only(*, in_cluster: bool) -> tuple[str, ...]:
    """Return the keys that the tools may store for a broker, and that count only where it is started.

    A member of a cluster registers its addresses once; a broker alone tells clients of a new address at once.
    """
    return (*_START_ONLY, "advertised.listeners") if in_cluster else _START_ONLY


THROTTLES: Final = {
    name: Key(name, LONG, None, at_least(0))
    for name in (_ALTER_LOG_DIRS_THROTTLE, _LEADER_THROTTLE, _FOLLOWER_THROTTLE)
}
"""Settings that only a running broker has, in bytes per second (KIP-73, KIP-113)."""


class _Sources(NamedTuple):
    """The settings that a BrokerConfig was made of, to describe it and to make the next one."""

    static: Mapping[str, Setting]
    cluster_default: Mapping[str, str]
    per_broker: Mapping[str, str]
    waivers: Waivers


class BrokerConfig(ServerConfig):
    """The values of all keys of one broker.

    Attributes beside the keys of ServerConfig:
        in_cluster: Whether this broker joins a cluster on ZooKeeper: `zookeeper.connect` is set, and not waived.
        node_id: This broker; -1 in a cluster for one whose id is in meta.properties, or is generated.
        listeners: The listeners for clients; never empty, without controller listeners, and without unserved ones if
            `--ignore-unsupported listeners` is given.
        controller_listeners: The listeners in `controller.listener.names`, which are not opened.
        unserved_listeners: The listeners for clients that need TLS or SASL.
        advertised: Listener name -> host and port, for listeners with an address in advertised.listeners.
        inter_broker_listener: The name of the listener for other brokers.
        control_plane_listener: The name of the listener for the controller, None if it has none of its own.
        log_dirs: Data directories as written, in order.
        alter_log_dirs_bytes_per_second: The throttle of copies between log directories, None without one.  It is a
            dynamic setting only (`kafka-reassign-partitions --replica-alter-log-dirs-throttle`), no key of a file.
        leader_throttle: The limit of bytes per second to throttled followers (KIP-73), None without one; dynamic only.
        follower_throttle: The limit of bytes per second that throttled replicas here fetch.
        release_profile: The release of Apache Kafka to emulate (`wirebroker.as.version`), or none.
        keys: The keys of that release.
        topic_defaults: The settings of a topic without any of its own.
        sources: The settings that were given (for `describe.py` and `config print`).
    """

    in_cluster: bool
    node_id: int
    listeners: tuple[Listener, ...]
    controller_listeners: tuple[Listener, ...]
    unserved_listeners: tuple[Listener, ...]
    advertised: Mapping[str, tuple[str, int]]
    inter_broker_listener: str
    control_plane_listener: str | None
    log_dirs: tuple[str, ...]
    alter_log_dirs_bytes_per_second: int | None
    leader_throttle: int | None
    follower_throttle: int | None
    release_profile: ReleaseProfile
    keys: KeySet
    topic_defaults: LogConfig
    sources: _Sources
    _values: Mapping[str, Value]
    _inter_broker_protocol: InterBrokerProtocol | None

    __slots__ = tuple(__annotations__)

    def __init__(
        self,
        static: Mapping[str, Setting],
        cluster_default: Mapping[str, str] | None = None,
        per_broker: Mapping[str, str] | None = None,
        waivers: Waivers = NO_WAIVERS,
    ) -> None:
        """Parse all settings.

        Args:
            static: The settings of flags, environment and file.
            cluster_default: Dynamic settings of all brokers.
            per_broker: Dynamic settings of this broker.
            waivers: The settings without effect that the operator accepts.

        Raises:
            ConfigError: a static value is invalid.  Dynamic ones were checked when they were set; one that is invalid
                now (another version wrote it) is ignored.
        """
        put = object.__setattr__
        sources = _Sources(static, cluster_default or {}, per_broker or {}, waivers)
        in_cluster = _joins_cluster(static, waivers)
        values: dict[str, Value] = {} if in_cluster else dict(STANDALONE)
        profile = _release_profile(static, in_cluster=in_cluster)
        known = keys_of(profile)
        for name, setting in static.items():
            if name in known.broker:
                values[name] = _parse_static(known.broker[name], setting)
        ignored = start_only(in_cluster=in_cluster)
        for level in (sources.cluster_default, sources.per_broker):
            for name, text in level.items():
                key = known.broker.get(name)
                if key is not None and key.scope is not READ_ONLY and name not in ignored:
                    try:
                        values[name] = key.parse(text)
                    except ConfigError:
                        continue
        put(self, "sources", sources)
        put(self, "release_profile", profile)
        put(self, "keys", known)
        put(self, "_values", values)
        super().__init__(self.value)
        put(self, "in_cluster", in_cluster)
        put(self, "node_id", _node_id(self))
        put(self, "controller_listeners", controller_listeners(self))
        put(self, "unserved_listeners", unserved_listeners(self))
        put(self, "listeners", client_listeners(self))
        put(self, "advertised", advertised_addresses(self))
        put(self, "inter_broker_listener", inter_broker_listener(self))
        put(self, "control_plane_listener", control_plane_listener(self))
        put(self, "_inter_broker_protocol", None)
        put(self, "log_dirs", _log_dirs(self))
        put(self, "alter_log_dirs_bytes_per_second", _throttle(sources, _ALTER_LOG_DIRS_THROTTLE))
        put(self, "leader_throttle", _throttle(sources, _LEADER_THROTTLE))
        put(self, "follower_throttle", _throttle(sources, _FOLLOWER_THROTTLE))
        put(self, "topic_defaults", self._without_old_format(topic_defaults(self.value)))
        if not cluster_default and not per_broker:  # stored ones were checked as they were set, and stop no broker
            check_values(self)

    def is_advertised(self, listener: str) -> bool:
        """Return whether a cluster is told of *listener*: `advertised.listeners` names it, or is not set."""
        return is_advertised(self, listener)

    @property
    def inter_broker_protocol(self) -> InterBrokerProtocol:
        """The version of inter.broker.protocol.version, parsed when it is first needed: a broker alone does not."""
        protocol = self._inter_broker_protocol
        if protocol is None:
            from wirebroker.config.inter_broker_protocol import InterBrokerProtocol

            protocol = InterBrokerProtocol(self.text("inter.broker.protocol.version") or "")
            object.__setattr__(self, "_inter_broker_protocol", protocol)
        return protocol

    def value(self, name: str) -> Value:
        """Return the value of a broker key by its dotted name; KeyError for an unknown one."""
        values = self._values
        return values[name] if name in values else self.keys.broker[name].default

    def text(self, name: str) -> str | None:
        """Return the value of a STRING key, None without one."""
        value = self.value(name)
        return None if value is None else str(value)

    def words(self, name: str) -> tuple[str, ...]:
        """Return the value of a LIST key."""
        value = self.value(name)
        assert isinstance(value, tuple)
        return value

    def is_set(self, name: str) -> bool:
        """Return whether the key is set, at any level."""
        sources = self.sources
        return name in sources.static or name in sources.cluster_default or name in sources.per_broker

    def log_config(self, overrides: Mapping[str, str]) -> LogConfig:
        """Return the configuration of a topic with the settings *overrides*; invalid ones are ignored."""
        return self._without_old_format(with_timestamp_bounds(log_config(self.topic_defaults, overrides)))

    @property
    def has_newer_format(self) -> bool:
        """Whether records have another format than `log.message.format.version` says."""
        return topic_defaults(self.value).record_version != self.topic_defaults.record_version

    def _without_old_format(self, found: LogConfig) -> LogConfig:
        """Return *found* with records of format 2, unless a release before 3.0 may be among the brokers (KIP-724)."""
        if found.record_version == 2 or not self.inter_broker_protocol.is_at_least(_FORMAT_2):
            return found
        return found._replace(message_format_version=_FORMAT_2)

    def with_broker_id(self, broker_id: int, place: str) -> BrokerConfig:
        """Return the configuration with the id of the broker, which *place* has told."""
        found = {name: Setting(name, str(broker_id), Origin.DEFAULT, place) for name in ("broker.id", "node.id")}
        sources = self.sources
        return BrokerConfig({**sources.static, **found}, sources.cluster_default, sources.per_broker, sources.waivers)

    def with_dynamic(self, cluster_default: Mapping[str, str], per_broker: Mapping[str, str]) -> BrokerConfig:
        """Return the configuration with these dynamic settings; this one if it has them already."""
        if (self.sources.cluster_default, self.sources.per_broker) == (cluster_default, per_broker):
            return self
        return BrokerConfig(self.sources.static, cluster_default, per_broker, self.sources.waivers)


def _joins_cluster(static: Mapping[str, Setting], waivers: Waivers) -> bool:
    setting = static.get("zookeeper.connect")
    if setting is None or not setting.text.strip():
        return False
    return not waivers.cover("zookeeper.connect", BROKER_KEYS["zookeeper.connect"].effect.refusal)


def _release_profile(static: Mapping[str, Setting], *, in_cluster: bool) -> ReleaseProfile:
    """Return the profile that the settings ask for; neither of them may change while the broker runs."""
    version, level = (
        _parse_static(BROKER_KEYS[name], static[name]) if name in static else BROKER_KEYS[name].default
        for name in ("wirebroker.as.version", "wirebroker.transaction.version")
    )
    assert isinstance(level, int)
    return ReleaseProfile(None if version is None else str(version), level, in_cluster=in_cluster)


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
    if not config.in_cluster:
        if chosen < -1:
            name = "node.id" if config.is_set("node.id") else "broker.id"
            raise ConfigError(f"{name}={chosen}: it must be 0 or more")
        return max(chosen, 0)
    given = [config.sources.static[each] for each in ("node.id", "broker.id") if each in config.sources.static]
    if any(each.origin is not Origin.DEFAULT for each in given):
        _check_given_id(config, chosen)
    return chosen  # -1 lets the cluster generate an id


def _check_given_id(config: BrokerConfig, broker_id: int) -> None:
    """Refuse an id that an operator may not give: a cluster hands out those above `reserved.broker.max.id`."""
    highest = config.value("reserved.broker.max.id")
    assert isinstance(highest, int)
    if not config.value("broker.id.generation.enable"):
        is_valid, bounds = broker_id >= 0, "0 or more"
    else:
        is_valid = -1 <= broker_id <= highest
        bounds = f"-1 to {highest}; higher ones are generated (reserved.broker.max.id)"
    if not is_valid:
        raise ConfigError(f"broker.id={broker_id}: an id that is given is {bounds}")


def _log_dirs(config: BrokerConfig) -> tuple[str, ...]:
    key, text = "log.dirs", config.text("log.dirs") or ""
    if not config.is_set("log.dirs") and (not text or config.is_set("log.dir")):
        key, text = "log.dir", config.text("log.dir") or ""
    dirs = tuple(filter(None, (part.strip() for part in text.split(","))))
    if not dirs:
        raise ConfigError(f"{key}={text}: at least one directory is needed")
    if len(set(dirs)) < len(dirs):
        raise ConfigError(f"{key}={text}: a directory is there twice")
    return dirs


def check_values(config: BrokerConfig) -> None:
    """Check the values that depend on others, as Apache Kafka does at the start and at each dynamic change.

    Raises:
        ConfigError: a time is out of range in whichever unit it is given; no address may connect; a cleaner has no
            buffer, whether or not any is to run.
    """
    of_topics = config.topic_defaults
    if of_topics.retention_ms == 0:
        raise ConfigError(f"{_given(config, 'log.retention.ms')}: it must be -1 (unlimited), or 1 or more")
    if of_topics.segment_ms < 1:
        raise ConfigError(f"{_given(config, 'log.roll.ms')}: it must be 1 or more")
    if of_topics.segment_jitter_ms < 0:
        raise ConfigError(f"{_given(config, 'log.roll.jitter.ms')}: it must be 0 or more")
    if config.max_connections_per_ip == 0 and not config.max_connections_per_ip_overrides:
        raise ConfigError("max.connections.per.ip=0: it can be 0 only if max.connections.per.ip.overrides is set")
    _check_cleaner(config)


def _given(config: BrokerConfig, name: str) -> str:
    """Return the first setting of a family that is given, as key=value."""
    family = (name, *config.keys.broker[name].synonyms)
    found = next((each for each in family if config.is_set(each) and config.value(each) is not None), name)
    return f"{found}={config.value(found)}"


def _check_cleaner(config: BrokerConfig) -> None:
    if config.log_cleaner_threads < 1:
        raise ConfigError("log.cleaner.threads=0: at least one is needed; log.cleaner.enable=false has none run")
    if config.log_cleaner_dedupe_buffer_size // config.log_cleaner_threads <= _LEAST_DEDUPE_BYTES:
        raise ConfigError(
            f"log.cleaner.dedupe.buffer.size={config.log_cleaner_dedupe_buffer_size}: more than {_LEAST_DEDUPE_BYTES}"
            f" bytes are needed for each of log.cleaner.threads={config.log_cleaner_threads}"
        )


def _throttle(sources: _Sources, name: str) -> int | None:
    """Return a rate that is a dynamic setting only, None without one; a stored one that is invalid is ignored."""
    for level in (sources.per_broker, sources.cluster_default):
        if name in level:
            try:
                rate = THROTTLES[name].parse(level[name])
            except ConfigError:
                continue
            assert isinstance(rate, int)
            return rate
    return None
