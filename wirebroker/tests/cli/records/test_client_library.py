"""Java's settings for librdkafka, and what happens without the library."""

from __future__ import annotations

import signal
import subprocess
import sys
from contextlib import suppress
from typing import Any

import pytest

from wirebroker.cli import interrupt
from wirebroker.cli.command_table import UsageError
from wirebroker.cli.commands import TABLE
from wirebroker.cli.main import main
from wirebroker.cli.records.client_library import create, serve, settings
from wirebroker.cli.records.librdkafka_config import security_settings, translated
from wirebroker.client.security import Credentials, Security, TlsSettings

COMMANDS = (("produce", "t", "--value", "v"), ("consume", "t"))
JAAS = 'org...PlainLoginModule required username="me" password="a\\"b";'


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"acks": "all", "bootstrap.servers": "h:1"}, {"acks": "all"}),
        ({"buffer.memory": "33554432"}, {"queue.buffering.max.kbytes": "32768"}),
        ({"fetch.max.wait.ms": "5"}, {"fetch.wait.max.ms": "5"}),
        ({"send.buffer.bytes": "-1"}, {"socket.send.buffer.bytes": "0"}),
        (
            {"partition.assignment.strategy": "org.apache.kafka.clients.consumer.RangeAssignor, roundrobin"},
            {"partition.assignment.strategy": "range,roundrobin"},
        ),
        (
            {"security.protocol": "sasl_plaintext", "sasl.mechanism": "PLAIN", "sasl.jaas.config": JAAS},
            {
                "security.protocol": "SASL_PLAINTEXT",
                "sasl.mechanism": "PLAIN",
                "sasl.username": "me",
                "sasl.password": 'a"b',
            },
        ),
        (
            {
                "security.protocol": "SASL_SSL",
                "sasl.mechanisms": "PLAIN",
                "sasl.username": "me",
                "ssl.ca.location": "/",
            },
            {
                "security.protocol": "SASL_SSL",
                "sasl.mechanisms": "PLAIN",
                "sasl.username": "me",
                "ssl.ca.location": "/",
            },
        ),
        (
            {"security.protocol": "SASL_SSL", "sasl.mechanism": "OAUTHBEARER", "sasl.oauthbearer.scope": "s"},
            {"security.protocol": "SASL_SSL", "sasl.mechanism": "OAUTHBEARER", "sasl.oauthbearer.scope": "s"},
        ),
    ],
)
def test_translated(given: dict[str, str], expected: dict[str, str]) -> None:
    found = translated(given)
    assert (found.settings, found.without_effect) == (expected, set())


def test_settings_of_java_alone_are_named() -> None:
    assert translated({"key.serializer": "x.StringSerializer", "acks": "1"}).without_effect == {"key.serializer"}


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"buffer.memory": "much"}, "'much' is not a whole number"),
        (
            {"sasl.username": "me", "sasl.jaas.config": JAAS},
            "sasl.username of librdkafka with sasl.jaas.config of Java's client",
        ),
        (
            {"sasl.mechanism": "GSSAPI", "sasl.jaas.config": JAAS},
            "sasl.mechanism=GSSAPI with sasl.jaas.config: librdkafka has other settings for it",
        ),
    ],
)
def test_settings_without_a_counterpart(given: dict[str, str], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        translated(given)


@pytest.mark.parametrize(
    ("security", "expected"),
    [
        (Security(), {}),
        (
            Security(TlsSettings(trusted_pem="CA", certificate_pem="C", key_pem="K", key_password="P")),
            {
                "security.protocol": "SSL",
                "ssl.endpoint.identification.algorithm": "https",
                "ssl.ca.pem": "CA",
                "ssl.certificate.pem": "C",
                "ssl.key.pem": "K",
                "ssl.key.password": "P",
            },
        ),
        (
            Security(TlsSettings(checks_host=False), Credentials("SCRAM-SHA-512", "me", "word")),
            {
                "security.protocol": "SASL_SSL",
                "ssl.endpoint.identification.algorithm": "none",
                "sasl.mechanism": "SCRAM-SHA-512",
                "sasl.username": "me",
                "sasl.password": "word",
            },
        ),
    ],
)
def test_settings_of_security(security: Security, expected: dict[str, Any]) -> None:
    assert security_settings(security) == expected


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_without_the_library(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "confluent_kafka", None)
    assert main(words) == 1
    out, err = capsys.readouterr()
    assert (out, err) == ("", "wirebroker: this command needs confluent-kafka: pip install 'wirebroker[client]'\n")


def test_an_interrupt_during_a_delivery_report() -> None:
    """A process of its own, with librdkafka's mock cluster."""
    program = """
import signal
from confluent_kafka import Producer
from wirebroker.cli.interrupt import exit_on_interrupt, raise_on_interrupt
from wirebroker.cli.records.client_library import create, serve, settings

exit_on_interrupt()
raise_on_interrupt()
producer = Producer({"test.mock.num.brokers": 1, "bootstrap.servers": "none", "log_level": 0})
for _ in range(3):
    producer.produce("t", b"", on_delivery=lambda *_: signal.raise_signal(signal.SIGINT))
try:
    for _ in range(300):
        serve(producer.flush, 0.1)
except KeyboardInterrupt:
    print("interrupted")
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (run.returncode, run.stdout) == (0, "interrupted\n"), run.stderr


@pytest.mark.parametrize("instead", [SystemError, ImportError])
def test_an_exception_of_a_signal_that_the_library_has_lost(
    instead: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def losing() -> None:
        with suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        raise instead("returned NULL without setting an exception")

    monkeypatch.setattr(interrupt, "_raised", [])
    before = signal.getsignal(signal.SIGINT)
    try:
        with pytest.raises(instead):
            serve(losing)  # Python's own handler, of which nothing is known
        interrupt.exit_on_interrupt()
        interrupt.raise_on_interrupt()
        with pytest.raises(KeyboardInterrupt):
            serve(losing)
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    ("kind", "given", "expected"),
    [
        ("Producer", {"acks": "1"}, {"acks": "1", "enable.sparse.connections": False}),
        ("Producer", {"enable.sparse.connections": "true"}, {"enable.sparse.connections": "true"}),
        ("Consumer", {"group.id": "g"}, {"group.id": "g"}),
    ],
)
def test_a_producer_connects_to_all_brokers_at_once(
    kind: str, given: dict[str, Any], expected: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """librdkafka would wait 50 ms before its second connection, which takes the first records."""
    made = type("Library", (), {kind: dict, "KafkaException": Exception})
    monkeypatch.setattr("wirebroker.cli.records.client_library.library", lambda: made)
    assert create(kind, given) == expected
    monkeypatch.undo()
    create("Producer", {"enable.sparse.connections": False})  # librdkafka knows the setting


def test_the_log_of_librdkafka_is_printed_if_it_is_asked_for(capfd: pytest.CaptureFixture[str]) -> None:
    for words, prints in (((), False), (("-X", "debug=broker"), True)):
        parser = TABLE.parser(TABLE.find(["perf", "produce"]) or TABLE.commands[0])
        args = parser.parse_args(["t", "-b", "127.0.0.1:1", *words])
        args.prepare(args)
        producer = create("Producer", settings(args, {}))
        del producer  # which is destroyed before the next line, as nothing else has it
        assert ("%7|" in capfd.readouterr().err) == prints
