"""Loading: real configuration files and flags, and the BrokerConfig that they make."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from wirebroker.config.endpoints import Listener
from wirebroker.config.load import LoadedConfig, load
from wirebroker.config.values import ConfigError
from wirebroker.config.waivers import NO_WAIVERS, Waivers

if TYPE_CHECKING:
    from pathlib import Path

    from wirebroker.config.server import BrokerConfig

ZOOKEEPER_STYLE = """
# as shipped with 2.x and 3.x
broker.id=3
#listeners=PLAINTEXT://:9092
num.network.threads=3
socket.request.max.bytes=104857600
log.dirs=/tmp/kafka-logs
num.partitions=2
offsets.topic.replication.factor=1
log.retention.hours=48
#log.retention.bytes=1073741824
log.retention.check.interval.ms=300000
zookeeper.connect=localhost:2181
zookeeper.connection.timeout.ms=18000
group.initial.rebalance.delay.ms=0
"""
KRAFT_STYLE = """
process.roles=broker,controller
node.id=7
controller.quorum.voters=7@localhost:9093
listeners=PLAINTEXT://:9092,CONTROLLER://:9093
inter.broker.listener.name=PLAINTEXT
advertised.listeners=PLAINTEXT://broker.example:9092,CONTROLLER://broker.example:9093
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SSL:SSL
log.dirs=/tmp/kraft-combined-logs
"""


def config_of(*sets: str, listeners: tuple[str, ...] = ()) -> BrokerConfig:
    return load(sets=sets, listeners=listeners).config


def from_text(tmp_path: Path, text: str, waivers: Waivers = NO_WAIVERS) -> LoadedConfig:
    path = tmp_path / "server.properties"
    path.write_text(text)
    return load(config_file=str(path), waivers=waivers)


def test_defaults_are_a_broker_on_this_machine_only() -> None:
    config, warnings = load()
    assert warnings == ()
    assert (config.node_id, config.log_dirs) == (0, ("wirebroker-data",))
    assert config.listeners == (Listener("PLAINTEXT", "PLAINTEXT", "127.0.0.1", 9092),)
    assert config.advertised == {}
    assert config.inter_broker_listener == "PLAINTEXT"
    assert (config.offsets_topic_replication_factor, config.transaction_state_log_min_isr) == (1, 1)
    assert config.topic_defaults.retention_ms == 7 * 24 * 3_600_000
    assert config.topic_defaults.max_message_bytes == 1_048_588


def test_a_zookeeper_style_file(tmp_path: Path) -> None:
    config, warnings = from_text(tmp_path, ZOOKEEPER_STYLE, Waivers(standalone=True))
    assert (config.node_id, config.num_partitions, config.log_dirs) == (3, 2, ("/tmp/kafka-logs",))
    assert config.topic_defaults.retention_ms == 48 * 3_600_000
    file = tmp_path / "server.properties"
    assert warnings == (
        f"num.network.threads=3 ({file}:5) has no effect; remove it",
        f"zookeeper.connect=localhost:2181 ({file}:13) is ignored: this broker does not join a cluster on ZooKeeper",
        f"zookeeper.connection.timeout.ms=18000 ({file}:14) has no effect; remove it",
    )


def test_a_kraft_style_file(tmp_path: Path) -> None:
    """A process that is its own and only controller is what wirebroker is: nothing to waive."""
    config, warnings = from_text(tmp_path, KRAFT_STYLE)
    assert config.node_id == 7
    assert config.listeners == (Listener("PLAINTEXT", "PLAINTEXT", "", 9092),)
    assert config.controller_listeners == (Listener("CONTROLLER", "PLAINTEXT", "", 9093),)
    assert config.advertised == {"PLAINTEXT": ("broker.example", 9092)}
    first, second = warnings
    assert "controller.listener.names=CONTROLLER" in first
    assert "these listeners are not opened" in first
    assert (
        second == f"inter.broker.listener.name=PLAINTEXT ({tmp_path / 'server.properties'}:6) has no effect; remove it"
    )


def test_flags_beat_environment_beats_file(tmp_path: Path) -> None:
    path = tmp_path / "server.properties"
    path.write_text("log.dirs=/file\nnum.partitions=1\nbroker.rack=file\nlisteners=PLAINTEXT://file:1\n")
    config = load(
        config_file=str(path),
        data_dir="/flag",
        listeners=["PLAINTEXT://a:1", "OTHER://b:2"],
        sets=["listener.security.protocol.map=PLAINTEXT:PLAINTEXT,OTHER:PLAINTEXT"],
        environ={"KAFKA_LOG_DIRS": "/environment", "KAFKA_NUM_PARTITIONS": "5"},
    ).config
    assert (config.log_dirs, config.num_partitions, config.broker_rack) == (("/flag",), 5, "file")
    assert [str(each) for each in config.listeners] == ["PLAINTEXT://a:1", "OTHER://b:2"]


def test_legacy_addresses() -> None:
    config = config_of("port=9999", "advertised.host.name=seen", "advertised.port=1")
    assert config.listeners == (Listener("PLAINTEXT", "PLAINTEXT", "", 9999),)
    assert config.advertised == {"PLAINTEXT": ("seen", 1)}
    assert config_of("host.name=here").listeners == (Listener("PLAINTEXT", "PLAINTEXT", "here", 9092),)
    assert config_of("host.name=here", "advertised.port=5").advertised == {"PLAINTEXT": ("here", 5)}
    assert config_of("port=9999", "listeners=PLAINTEXT://x:1").listeners[0].port == 1


def test_ipv6_and_free_ports() -> None:
    config = config_of(listeners=("plaintext://[::1]:0",))
    assert config.listeners == (Listener("PLAINTEXT", "PLAINTEXT", "::1", 0),)
    assert str(config.listeners[0]) == "PLAINTEXT://[::1]:0"


def test_flags_may_name_several_addresses_alike() -> None:
    given = ("PLAINTEXT://127.0.0.1:9092", "PLAINTEXT://127.0.0.2:9092", "PLAINTEXT://127.0.0.1:9093")
    assert [str(each) for each in config_of(listeners=given).listeners] == list(given)
    with pytest.raises(ConfigError, match="two listeners use port 9092"):
        config_of(listeners=(given[0], given[0]))


def test_ipv4_and_ipv6_may_share_a_name_and_a_port() -> None:
    config = config_of("listeners=PLAINTEXT://127.0.0.1:9092,PLAINTEXT://[::1]:9092")
    assert [each.host for each in config.listeners] == ["127.0.0.1", "::1"]


def test_an_advertised_address_without_a_host_is_the_one_reached() -> None:
    assert config_of("advertised.listeners=PLAINTEXT://:9092").advertised == {}


def test_directories() -> None:
    assert config_of("log.dirs= /a , /b,").log_dirs == ("/a", "/b")
    assert config_of("log.dir=/a").log_dirs == ("/a",)
    assert config_of("log.dir=/a", "log.dirs=/b").log_dirs == ("/b",)


def test_a_generated_id_is_zero_for_a_broker_alone() -> None:
    assert config_of("broker.id=-1").node_id == 0
    assert config_of("node.id=5", "broker.id=5").node_id == 5


REFUSED = [
    ("log.segment.bytes=13", "Invalid value 13 for configuration log.segment.bytes: Value must be at least 14 (--set)"),
    ("num.partitions=x", "Invalid value x for configuration num.partitions: Not a number of type INT (--set)"),
    ("log.cleanup.policy=delete,x", "Invalid value x for configuration log.cleanup.policy: String must be one of"),
    ("listeners=PLAINTEXT", "listeners=PLAINTEXT: PLAINTEXT is not NAME://host:port"),
    ("listeners=PLAINTEXT://x:65536", "listeners=PLAINTEXT://x:65536: port 65536 is out of range 0 to 65535"),
    ("listeners=PLAINTEXT://x:123456789", "port 123456789 is out of range 0 to 65535"),
    ("listeners=PLAINTEXT://x:-1", "listeners=PLAINTEXT://x:-1: PLAINTEXT://x:-1 is not NAME://host:port"),
    ("advertised.listeners=PLAINTEXT://x:99999", "port 99999 is out of range 0 to 65535"),
    ("listeners=A://x:1", "listeners=A://x:1: listener.security.protocol.map does not say which protocol A speaks"),
    ("listeners=PLAINTEXT://x:1,PLAINTEXT://x:2", "two listeners are called PLAINTEXT"),
    ("listeners=PLAINTEXT://x:1,SSL://y:1", "two listeners use port 1"),
    ("listeners=,", "listeners=,: no listener is left for clients"),
    ("listeners=SSL://x:1", "listeners=SSL://x:1 (--set) is not supported: listener SSL needs SSL, and only PLAINTEXT"),
    ("advertised.listeners=PLAINTEXT://0.0.0.0:1", "clients cannot connect to 0.0.0.0"),
    ("advertised.listeners=SSL://x:1", "there is no listener called SSL"),
    ("advertised.listeners=PLAINTEXT://x:1,PLAINTEXT://y:1", "PLAINTEXT is there twice"),
    ("inter.broker.listener.name=X", "inter.broker.listener.name=X: there is no such listener"),
    ("listener.security.protocol.map=A:TLS", "A:TLS is not NAME:PROTOCOL"),
    ("listener.security.protocol.map=A:SSL,a:SSL", "A is there twice"),
    ("process.roles=controller", "this process is a broker and its own controller; remove it, or start with --standa"),
    ("log.dirs=,", "log.dirs=,: at least one directory is needed"),
    ("log.dirs=/a,/a", "a directory is there twice"),
    ("max.connections.per.ip.overrides=foo", "Value must be a list of host:count"),
]


@pytest.mark.parametrize(("setting", "reason"), REFUSED)
def test_refused_with_one_line(setting: str, reason: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        load(sets=[setting])
    assert reason in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_ids_that_differ_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"node\.id=1 and broker\.id=2"):
        load(sets=["node.id=1", "broker.id=2"])


def test_a_wrong_value_in_a_file_names_file_and_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"server\.properties:2\)$"):
        from_text(tmp_path, "broker.id=1\nnum.partitions=0\n")


def test_a_config_is_frozen() -> None:
    config = config_of()
    with pytest.raises(AttributeError, match="frozen"):
        config.num_partitions = 5  # type: ignore[misc, unused-ignore]
    with pytest.raises(AttributeError, match="frozen"):
        config.node_id = 5  # type: ignore[misc, unused-ignore]


def test_dynamic_settings_make_a_new_config() -> None:
    config = config_of("log.retention.ms=100", "message.max.bytes=10")
    changed = config.with_dynamic(
        {"log.retention.ms": "200", "log.segment.bytes": "5", "num.partitions": "9", "no.such": "1"},
        {"log.retention.ms": "300"},
    )
    assert config.topic_defaults.retention_ms == 100
    assert changed.topic_defaults.retention_ms == 300
    assert changed.topic_defaults.max_message_bytes == 10
    assert changed.topic_defaults.segment_bytes == 1 << 30  # 5 would not do
    assert changed.num_partitions == 1  # read-only while it runs
    assert changed.with_dynamic({}, {}).topic_defaults.retention_ms == 100
