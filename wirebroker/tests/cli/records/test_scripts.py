"""Kafka's console scripts by their names: what they print, and what they refuse."""

from __future__ import annotations

import pytest

from wirebroker.cli.kafka_tools.console_consumer import default_formatter
from wirebroker.cli.main import main
from wirebroker.tests.cli.records.messages import FakeMessage

EVERYTHING = {f"print.{name}": "true" for name in ("timestamp", "partition", "offset", "headers", "key")}


@pytest.mark.parametrize(
    ("given", "message", "text"),
    [
        ({}, FakeMessage(), b"v\n"),
        ({}, FakeMessage(None), b"null\n"),
        (
            EVERYTHING,
            FakeMessage(some_headers=[("a", b"1"), ("b", None)]),
            b"CreateTime:1700000000000\tPartition:3\tOffset:7\ta:1,b:null\tk\tv\n",
        ),
        (EVERYTHING, FakeMessage(a_timestamp=(0, -1)), b"NO_TIMESTAMP\tPartition:3\tOffset:7\tNO_HEADERS\tk\tv\n"),
        ({"print.key": "true", "key.separator": "=", "null.literal": "-"}, FakeMessage(None, None), b"-=-\n"),
        ({"print.value": "false", "print.offset": "true"}, FakeMessage(), b"Offset:7"),
    ],
)
def test_the_default_formatter(given: dict[str, str], message: FakeMessage, text: bytes) -> None:
    assert default_formatter(given)(message) == text


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("kafka-console-producer.sh", "--bootstrap-server", "h:1"), 'Missing required argument "[topic]"'),
        (("kafka-console-consumer.sh", "--bootstrap-server", "h:1"), "Exactly one of --include/--topic is required."),
        (
            ("kafka-console-consumer.sh", "--bootstrap-server", "h:1", "--topic", "t", "--include", "t"),
            "Exactly one of --include/--topic is required.",
        ),
        (
            ("kafka-console-consumer.sh", "--bootstrap-server", "h:1", "--whitelist", "t", "--partition", "0"),
            "The topic is required when partition is specified.",
        ),
        (
            ("kafka-console-consumer.sh", "--bootstrap-server", "h:1", "--topic", "t", "--offset", "1"),
            "The partition is",
        ),
        (("kafka-consumer-perf-test.sh", "--topic", "t", "--messages", "1"), 'Missing required argument "[bootstrap-'),
        (("kafka-producer-perf-test.sh", "--topic", "t", "--throughput", "-1"), 'Missing required argument "[num-rec'),
    ],
)
def test_what_is_missing(words: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 1
    assert capsys.readouterr().err.startswith(says)
