"""Java's settings for librdkafka, and what happens without the library."""

from __future__ import annotations

import sys

import pytest

from wirebroker.cli.command_table import UsageError
from wirebroker.cli.main import main
from wirebroker.cli.records.client_library import translated

COMMANDS = (("produce", "t", "--value", "v"), ("consume", "t"))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"acks": "all", "key.serializer": "x.StringSerializer", "bootstrap.servers": "h:1"}, {"acks": "all"}),
        ({"buffer.memory": "33554432"}, {"queue.buffering.max.kbytes": "32768"}),
        ({"fetch.max.wait.ms": "5"}, {"fetch.wait.max.ms": "5"}),
        ({"send.buffer.bytes": "-1"}, {"socket.send.buffer.bytes": "0"}),
        (
            {"partition.assignment.strategy": "org.apache.kafka.clients.consumer.RangeAssignor, roundrobin"},
            {"partition.assignment.strategy": "range,roundrobin"},
        ),
        (
            {"sasl.jaas.config": 'org...PlainLoginModule required username="me" password="a\\"b";'},
            {"sasl.username": "me", "sasl.password": 'a"b'},
        ),
        ({"ssl.truststore.type": "PEM", "ssl.truststore.location": "/ca"}, {"ssl.ca.location": "/ca"}),
        ({"ssl.endpoint.identification.algorithm": ""}, {"ssl.endpoint.identification.algorithm": "none"}),
    ],
)
def test_translated(given: dict[str, str], expected: dict[str, str]) -> None:
    assert translated(given.items()) == expected


@pytest.mark.parametrize("given", [{"buffer.memory": "much"}, {"ssl.truststore.type": "JKS"}])
def test_settings_without_a_counterpart(given: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        translated(given.items())


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_without_the_library(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "confluent_kafka", None)
    assert main(words) == 1
    out, err = capsys.readouterr()
    assert (out, err) == ("", "wirebroker: this command needs confluent-kafka: pip install 'wirebroker[client]'\n")
