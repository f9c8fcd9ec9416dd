"""Loggers and client metrics as config resources, and names that are not UTF-8, beside Apache Kafka 3.9.1."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

from compat_tests.side_by_side import BrokerPair
from compat_tests.wire import Wire
from wirebroker.protocol.messages import incremental_alter_configs as incremental
from wirebroker.protocol.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResource

if TYPE_CHECKING:
    from compat_tests.broker import Wirebroker
    from tools.jvm.kafka import KafkaBroker

BROKER, LOGGER, CLIENT_METRICS, UNKNOWN = 4, 8, 16, 99
SET, DELETE, APPEND, SUBTRACT = range(4)
NODE = "0"


@pytest.fixture
def pair(wirebroker: Wirebroker, apache_kafka: KafkaBroker) -> BrokerPair:
    return BrokerPair(wirebroker, apache_kafka)


def test_describe(pair: BrokerPair) -> None:
    asked = [
        (LOGGER, "77"),
        (LOGGER, ""),
        (LOGGER, "x"),
        (CLIENT_METRICS, "none"),
        (CLIENT_METRICS, ""),
        (UNKNOWN, "q"),
    ]
    steps = [
        (f"{kind} {name!r}", DescribeConfigsRequest([DescribeConfigsResource(kind, name, keys)]), version)
        for kind, name in asked
        for keys in (None, ["root"])
        for version in DescribeConfigsRequest.VERSIONS
    ]
    assert pair.differences(steps) == []


def test_alter(pair: BrokerPair) -> None:
    edits = [
        (LOGGER, NODE, ("no.such.logger", SET, "INFO")),
        (LOGGER, NODE, ("no.such.logger", DELETE, None)),
        (LOGGER, NODE, ("root", SET, "LOUD")),
        (LOGGER, NODE, ("root", SET, None)),
        (LOGGER, NODE, ("root", DELETE, None)),
        (LOGGER, NODE, ("root", APPEND, "INFO")),
        (LOGGER, NODE, ("root", SUBTRACT, "INFO")),
        (LOGGER, NODE, ("root", 9, "INFO")),
        (LOGGER, "77", ("root", SET, "INFO")),
        (LOGGER, "", ("root", SET, "INFO")),
        (LOGGER, "x", ("root", SET, "INFO")),
        (CLIENT_METRICS, "m", ("interval.ms", SET, "1000")),
        (CLIENT_METRICS, "m", ("interval.ms", SET, "9")),
        (CLIENT_METRICS, "m", ("interval.ms", SET, "soon")),
        (CLIENT_METRICS, "m", ("no.such.key", SET, "9")),
        (CLIENT_METRICS, "m", ("match", SET, "client_id=[")),
        (CLIENT_METRICS, "m", ("match", SET, "colour=red")),
        (CLIENT_METRICS, "m", ("match", SET, "client_id=a.*,client_source_port=1")),
        (CLIENT_METRICS, "m", ("metrics", APPEND, "a")),
        (CLIENT_METRICS, "m", ("metrics", 9, "a")),
        (CLIENT_METRICS, "", ("interval.ms", SET, "1000")),
        (UNKNOWN, "m", ("a", SET, "b")),
    ]
    steps = []
    for kind, name, edit in edits:
        resource = incremental.AlterConfigsResource(kind, name, [incremental.AlterableConfig(*edit)])
        for validate_only in (True, False):
            request = incremental.IncrementalAlterConfigsRequest([resource], validate_only)
            steps.append((f"{kind} {name!r} {edit}", request, 1))
    described = DescribeConfigsRequest([DescribeConfigsResource(CLIENT_METRICS, "m", None)])
    assert pair.differences([*steps, ("what is kept", described, 4)]) == []


@pytest.mark.parametrize("name", [NODE, ""])
def test_broker_settings(pair: BrokerPair, name: str) -> None:
    """Settings of logins that nothing uses are kept, and a key that is not set may be removed, whichever it is.

    librdkafka's tests of AlterConfigs begin with a setting of Kerberos.
    """
    edits = [
        ("sasl.kerberos.min.time.before.relogin", SET, "58000"),
        ("sasl.kerberos.min.time.before.relogin", SET, "soon"),
        ("sasl.kerberos.kinit.cmd", SET, "/bin/kinit"),
        ("sasl.kerberos.ticket.renew.jitter", SET, "0.1"),
        ("sasl.kerberos.ticket.renew.window.factor", SET, "0.9"),
        ("sasl.login.refresh.window.jitter", SET, "0.1"),
        ("sasl.login.retry.backoff.ms", SET, "200"),
        ("sasl.kerberos.min.time.before.relogin", DELETE, None),
        ("log.dirs", DELETE, None),
        ("log.dirs", SET, "/elsewhere"),
        ("listeners", DELETE, None),
        ("offsets.topic.num.partitions", DELETE, None),
        ("ssl.keystore.location", DELETE, None),
        ("no.such.key", DELETE, None),
    ]
    steps = []
    for edit in edits:
        resource = incremental.AlterConfigsResource(BROKER, name, [incremental.AlterableConfig(*edit)])
        request = incremental.IncrementalAlterConfigsRequest([resource], validate_only=True)
        steps.append((f"{name!r} {edit}", request, 1))
    assert pair.differences(steps) == []


@pytest.mark.parametrize("name", [b"\xff\xfe", b"ok\xc3("])
def test_a_topic_name_that_is_not_utf8_is_answered(pair: BrokerPair, name: bytes) -> None:
    frame = struct.pack(">hhih", 3, 1, 5, -1) + struct.pack(">ih", 1, len(name)) + name
    answers = []
    for broker in pair:
        with Wire(broker.host, broker.port) as wire:
            wire.send_frame(frame)
            answers.append(wire.receive_frame())
    ends = [answer[-len(struct.pack(">hBi", 0, 0, 0)) :] for answer in answers]
    assert ends[0] == ends[1]
    named = name.decode(errors="replace").encode()
    assert all(struct.pack(">hh", 17, len(named)) + named in answer for answer in answers)
