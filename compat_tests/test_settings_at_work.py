"""Configs with an effect that clients notice: connection limits, compression levels, idle connections, releases."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from compat_tests.conftest import wait_until
from compat_tests.versions import KAFKA
from compat_tests.wire import Closed, Wire
from tools.jvm.kafka import KafkaBroker
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages import incremental_alter_configs as alter
from wirebroker.protocol.messages.api_versions import ApiVersionsRequest
from wirebroker.protocol.messages.create_topics import CreatableTopic, CreatableTopicConfig, CreateTopicsRequest
from wirebroker.protocol.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from wirebroker.protocol.messages.describe_log_dirs import DescribeLogDirsRequest
from wirebroker.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from wirebroker.record.builder import build_batch
from wirebroker.record.record_batch import Record

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from compat_tests.broker import Broker, Wirebroker
    from tools.jvm.kafka import KafkaDist

LIMITS = {"max.connections.per.ip": "3", "max.connections.per.ip.overrides": "127.0.0.2:1,127.0.0.3:5"}


def connect(broker: Broker, source: str) -> socket.socket:
    return socket.create_connection((broker.host, broker.port), timeout=60, source_address=(source, 0))


def served(connection: socket.socket) -> bool:
    """Does the broker answer ApiVersions on it?"""
    try:
        connection.sendall(b"\0\0\0\x0a\0\x12\0\0\0\0\0\1\xff\xff")
        return bool(connection.recv(1))
    except ConnectionError:
        return False


def accepted(broker: Broker, source: str, tries: int) -> int:
    """How many of so many connections from *source* are served."""
    connections = [connect(broker, source) for _ in range(tries)]
    time.sleep(0.3)  # Apache Kafka closes excess connections a moment later
    count = sum(map(served, connections))
    for each in connections:
        each.close()
    time.sleep(0.3)
    return count


def test_a_peer_has_as_many_connections_as_at_apache_kafka_s(
    start_wirebroker: Callable[..., Wirebroker], kafka_dist: Callable[[str], KafkaDist], tmp_path: Path
) -> None:
    ours = start_wirebroker(LIMITS)
    with KafkaBroker(kafka_dist(KAFKA), tmp_path / "kafka", settings=LIMITS) as theirs:
        for source, count in (("127.0.0.2", 1), ("127.0.0.3", 5), ("127.0.0.4", 3)):
            assert accepted(ours, source, 7) == accepted(theirs, source, 7) == count


def test_limits_change_while_the_broker_runs(start_wirebroker: Callable[..., Wirebroker]) -> None:
    broker = start_wirebroker()
    assert accepted(broker, "127.0.0.2", 5) == 5
    with Wire(broker.host, broker.port) as wire:
        limit = [alter.AlterableConfig("max.connections.per.ip", 0, "2")]
        request = alter.IncrementalAlterConfigsRequest([alter.AlterConfigsResource(4, "", limit)])
        assert wire.ask(request, 1).responses[0].error_code == ErrorCode.NONE
        wait_until(lambda: accepted(broker, "127.0.0.2", 5) == 2)  # the first five must have been seen to close


RATE, AT_ONCE, MORE = 5, 50, 10


def test_new_connections_have_to_wait_as_at_apache_kafka_s(
    start_wirebroker: Callable[..., Wirebroker], kafka_dist: Callable[[str], KafkaDist], tmp_path: Path
) -> None:
    """max.connection.creation.rate is measured over ten seconds: so many come at once, and then they have to wait."""
    ours = start_wirebroker({"max.connection.creation.rate": str(RATE)})
    with KafkaBroker(kafka_dist(KAFKA), tmp_path / "kafka") as theirs:
        with Wire(theirs.host, theirs.port) as wire:  # its own connections are new ones, too
            limit = [alter.AlterableConfig("max.connection.creation.rate", 0, str(RATE))]
            request = alter.IncrementalAlterConfigsRequest([alter.AlterConfigsResource(4, "", limit)])
            assert wire.ask(request, 1).responses[0].error_code == ErrorCode.NONE
            described = DescribeConfigsRequest([DescribeConfigsResource(4, "", ["max.connection.creation.rate"])])
            # Apache Kafka answers before its broker has heard of it
            wait_until(lambda: bool(wire.ask(described, 4).results[0].configs))
        for broker in (ours, theirs):
            began = time.monotonic()
            connections = [connect(broker, "127.0.0.1") for _ in range(AT_ONCE + MORE)]
            for each in connections:
                each.settimeout(60)
            assert all(map(served, connections))
            assert time.monotonic() - began > 0.8 * MORE / RATE
            for each in connections:
                each.close()
    with Wire(ours.host, ours.port, 60) as wire:
        limit = [alter.AlterableConfig("max.connection.creation.rate", 0, "100000")]
        request = alter.IncrementalAlterConfigsRequest([alter.AlterConfigsResource(4, "", limit)])
        assert wire.ask(request, 1).responses[0].error_code == ErrorCode.NONE
    assert accepted(ours, "127.0.0.1", 2 * AT_ONCE) == 2 * AT_ONCE


def test_a_full_broker_lets_new_connections_wait(start_wirebroker: Callable[..., Wirebroker]) -> None:
    broker = start_wirebroker({"max.connections": "2"})
    first, second = (Wire(broker.host, broker.port) for _ in range(2))
    assert first.ask(ApiVersionsRequest(), 0).error_code == second.ask(ApiVersionsRequest(), 0).error_code == 0
    with Wire(broker.host, broker.port, 0.5) as third:
        with pytest.raises(TimeoutError):
            third.ask(ApiVersionsRequest(), 0)
        second.close()
        third.socket.settimeout(60)
        assert third.receive(ApiVersionsRequest, 0).error_code == 0
    first.close()


@pytest.mark.parametrize(("idle_ms", "closes"), [("10000", True), ("-1", False)])
def test_idle_connections_are_closed(start_wirebroker: Callable[..., Wirebroker], idle_ms: str, closes: bool) -> None:
    broker = start_wirebroker({"connections.max.idle.ms": idle_ms})
    with Wire(broker.host, broker.port, 60) as wire:
        assert wire.ask(ApiVersionsRequest(), 0).error_code == 0
        if closes:
            assert wire.closed_by_peer()
        else:
            time.sleep(1)
            assert wire.ask(ApiVersionsRequest(), 0).error_code == 0


def test_compression_levels_change_the_stored_size(start_wirebroker: Callable[..., Wirebroker]) -> None:
    broker = start_wirebroker({"compression.gzip.level": "1"})
    value = b" ".join(b"%d" % (number * number) for number in range(20_000))
    batch = build_batch([Record(0, int(time.time() * 1000), None, value, [])])
    topics = {
        "gzip-1": {"compression.type": "gzip"},
        "gzip-9": {"compression.type": "gzip", "compression.gzip.level": "9"},
        "zstd-1": {"compression.type": "zstd", "compression.zstd.level": "1"},
        "zstd-19": {"compression.type": "zstd", "compression.zstd.level": "19"},
        "lz4-9": {"compression.type": "lz4"},
        "lz4-17": {"compression.type": "lz4", "compression.lz4.level": "17"},
    }
    with Wire(broker.host, broker.port) as wire:
        wanted = [
            CreatableTopic(name, 1, 1, [], [CreatableTopicConfig(*setting) for setting in settings.items()])
            for name, settings in topics.items()
        ]
        assert {each.error_code for each in wire.ask(CreateTopicsRequest(wanted, 50_000), 5).topics} == {0}
        for name in topics:
            data = TopicProduceData(name, bytes(16), [PartitionProduceData(0, memoryview(batch))])
            answer = wire.ask(ProduceRequest(None, 1, 10_000, [data]), 9)
            assert answer.responses[0].partition_responses[0].error_code == 0
        found = wire.ask(DescribeLogDirsRequest(None), 4).results[0].topics
    sizes = {topic.name: topic.partitions[0].partition_size for topic in found}
    assert sizes["gzip-9"] < sizes["gzip-1"]
    assert sizes["zstd-19"] < sizes["zstd-1"]
    assert sizes["lz4-17"] < sizes["lz4-9"]


def test_a_client_of_another_time_meets_a_broker_of_its_time(start_wirebroker: Callable[..., Wirebroker]) -> None:
    broker = start_wirebroker({"wirebroker.as.version": "1.1"})
    with Wire(broker.host, broker.port) as wire:
        wire.send_frame(b"\0\x12\0\x03\0\0\0\1\xff\xff\0\0\0\0")  # ApiVersions 3, which 1.1 does not have
        assert wire.receive_frame() == b"\0\0\0\1\0\x23\0\0\0\0"
        with pytest.raises(Closed):
            wire.ask(CreateTopicsRequest([], 1000), 5)
    wait_until(lambda: "CreateTopics version 5 is not served here" in broker.log())


STOCK = """
broker.id=0
num.network.threads=3
num.io.threads=8
log.retention.hours=168
zookeeper.connect=localhost:2181
zookeeper.connection.timeout.ms=18000
"""


def start(path: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """`wirebroker start` with the file, until it ends by itself; a broker that starts is an error."""
    command = [sys.executable, "-m", "wirebroker", "start", "--config", str(path), "--data-dir", str(path.parent / "d")]
    return subprocess.run([*command, *options], capture_output=True, text=True, timeout=120, check=False)


def test_a_file_with_an_authorizer_starts_no_open_broker(tmp_path: Path) -> None:
    path = tmp_path / "server.properties"
    path.write_text("broker.id=0\nauthorizer.class.name=kafka.security.authorizer.AclAuthorizer\nsuper.users=User:a\n")
    refused = start(path)
    assert (refused.returncode, refused.stdout) == (1, "")
    first, second = refused.stderr.splitlines()
    assert first.startswith(
        f"wirebroker: authorizer.class.name=kafka.security.authorizer.AclAuthorizer ({path}:2) is not"
    )
    assert first.endswith("--ignore-unsupported authorizer.class.name to accept that")
    assert second.startswith(f"wirebroker: super.users=User:a ({path}:3) is not supported: ")
    assert not (tmp_path / "d").exists()


def test_a_stock_file_starts_standalone_with_warnings(
    start_wirebroker: Callable[..., Wirebroker], tmp_path: Path
) -> None:
    path = tmp_path / "server.properties"
    path.write_text(STOCK)
    refused = start(path, "--set", "zookeeper.connect=127.0.0.1:1", "--set", "zookeeper.connection.timeout.ms=1000")
    assert refused.returncode == 1
    assert refused.stderr.splitlines()[-1].endswith("or start with --standalone to join no cluster")
    broker = start_wirebroker(options=["--config", str(path), "--standalone"])
    warnings = [line.partition(": ")[2] for line in broker.log().splitlines() if " WARNING " in line]
    assert warnings == [
        f"num.io.threads=8 ({path}:4) has no effect; remove it",
        f"num.network.threads=3 ({path}:3) has no effect; remove it",
        f"zookeeper.connect=localhost:2181 ({path}:6) is ignored: this broker does not join a cluster on ZooKeeper",
        f"zookeeper.connection.timeout.ms=18000 ({path}:7) has no effect; remove it",
    ]


def test_a_running_broker_takes_no_setting_that_a_start_would_refuse(
    start_wirebroker: Callable[..., Wirebroker],
) -> None:
    broker = start_wirebroker()
    with Wire(broker.host, broker.port) as wire:

        def code(key: str, value: str) -> int:
            resource = alter.AlterConfigsResource(4, "0", [alter.AlterableConfig(key, 0, value)])
            error: int = wire.ask(alter.IncrementalAlterConfigsRequest([resource]), 1).responses[0].error_code
            return error

        assert code("sasl.enabled.mechanisms", "PLAIN") == ErrorCode.INVALID_CONFIG
        assert code("listener.name.plaintext.ssl.client.auth", "required") == ErrorCode.INVALID_CONFIG
        assert code("message.max.bytes", "5000") == ErrorCode.NONE
    assert "broker=0: message.max.bytes changed, default -> 5000, by User:ANONYMOUS" in broker.log()
    assert "sasl.enabled.mechanisms" not in broker.log()
