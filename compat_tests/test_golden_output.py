"""The tables and JSON documents of commands, the same of wirebroker and of Apache Kafka: files in golden/.

Ids, ports, directories and times are masked.  WIREBROKER_WRITE_GOLDEN=1 writes the files anew, from Apache Kafka.
"""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from compat_tests.command import output
from compat_tests.conftest import wait_until
from compat_tests.spark_help import await_topic
from tools.jvm.kafka import KafkaBroker
from wirebroker.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compat_tests.broker import Broker

DIRECTORY: Final = Path(__file__).parent / "golden"
TOPIC, COMPACTED, GROUP = "golden.plain", "golden.compacted", "golden-group"
_OURS: Final = ("golden.*",)
COMMANDS: Final = {
    "topics-list": ("topics", "list", "--exclude-internal", *_OURS),
    "topics-describe": ("topics", "describe", "--exclude-internal", *_OURS),
    "topics-describe-topics-with-overrides": ("topics", "describe", "--topics-with-overrides", *_OURS),
    "topics-describe-under-replicated": ("topics", "describe", "--under-replicated-partitions", *_OURS),
    "topics-describe-unavailable": ("topics", "describe", "--unavailable-partitions", *_OURS),
    "topics-describe-at-min-isr": ("topics", "describe", "--at-min-isr-partitions", *_OURS),
    "topics-describe-under-min-isr": ("topics", "describe", "--under-min-isr-partitions", *_OURS),
    "configs-describe": ("configs", "describe", "--topic", COMPACTED),
    "configs-describe-all": ("configs", "describe", "--topic", COMPACTED, "--all"),
    "configs-describe-client": ("configs", "describe", "--client", "golden-client"),
    "groups-describe": ("groups", "describe", "--group", GROUP),
    "groups-describe-state": ("groups", "describe", "--group", GROUP, "--state"),
    "groups-describe-members": ("groups", "describe", "--group", GROUP, "--members"),
    "groups-reset-offsets": ("groups", "reset-offsets", "--group", GROUP, "--topic", TOPIC, "--to-earliest"),
    "log-dirs-describe": ("log-dirs", "describe", "--topic-list", TOPIC),
    "offsets-get": ("offsets", "get", TOPIC),
    "offsets-get-earliest": ("offsets", "get", TOPIC, "--time", "earliest"),
    "offsets-get-max-timestamp": ("offsets", "get", TOPIC, "--time", "max-timestamp"),
    "quotas-describe": ("quotas", "describe", "--client", "golden-client"),
}
"""Name of the golden file -> command."""
COLUMNS_OF: Final = {
    "cluster-info": ("cluster", "info"),
    "cluster-features": ("cluster", "features"),
    "groups-list": ("groups", "list", "--state"),
    "transactions-list": ("transactions", "list"),
    "api-versions": ("api-versions",),
    "reassign-list": ("reassign", "list"),
}
"""The same, of commands whose rows differ from broker to broker: their columns are compared."""
OFTEN_EMPTY: Final = frozenset({"transactions-list", "reassign-list"})
_ID: Final = re.compile(r"(?<![\w-])[\w-]{22}(?![\w-])")
_SPACE: Final = re.compile(r"((?:total|usable)_bytes\": )\d+")
_TIMESTAMP: Final = str(time.time_ns() // 1_000_000)
"""Of the records: a fixed one would soon be older than retention.ms lets a shared broker keep records."""
_MASKED_TIMESTAMP: Final = "1700000000000"
_PORT: Final = re.compile(r"(127\.0\.0\.1:|127\.0\.0\.1 +|\"port\": )\d{5}")


@pytest.fixture(scope="module", params=["apache_kafka", "wirebroker"])
def broker(request: pytest.FixtureRequest) -> Iterator[Broker]:
    """A broker with two topics, records, the offsets of a group and a quota."""
    found: Broker = request.getfixturevalue(request.param)
    quota = ("quotas", "alter", "--client", "golden-client")
    run(found, "topics", "create", TOPIC, "--partitions", "2")
    run(found, "topics", "create", COMPACTED, "--config", "cleanup.policy=compact", "--config", "min.insync.replicas=2")
    for topic in (TOPIC, COMPACTED):
        await_topic(found.bootstrap, topic)
    for partition in ("0", "0", "1"):
        record = ("--value", "v", "--timestamp", _TIMESTAMP, "--partition", partition)
        run(found, "produce", TOPIC, *record)
    run(found, "groups", "reset-offsets", "--group", GROUP, "--topic", TOPIC, "--to-latest", "--execute")
    run(found, *quota, "--set", "producer_byte_rate=1048576")
    # Apache Kafka answers before its broker has heard of it
    wait_until(lambda: b"golden-client" in output("quotas", "describe", "-b", found.bootstrap))
    yield found
    run(found, *quota, "--delete", "producer_byte_rate")
    run(found, "groups", "delete", "--group", GROUP)
    run(found, "topics", "delete", TOPIC, COMPACTED)


def run(broker: Broker, *words: str) -> None:
    """Run a command that has to succeed."""
    assert main([*words, "-b", broker.bootstrap, "--timeout", "60000"]) == 0, words


def printed(broker: Broker, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> str:
    """The table and the JSON document of a command, masked."""
    texts = []
    for form in ("table", "json"):
        capsys.readouterr()
        assert main([*words, "-b", broker.bootstrap, "--timeout", "60000", "--format", form]) == 0
        text = capsys.readouterr().out.replace(str(broker.data_directory), "DIRECTORY")
        text = text.replace(_TIMESTAMP, _MASKED_TIMESTAMP)
        text = _SPACE.sub(r"\g<1>0", _PORT.sub(r"\g<1>PORT.", _ID.sub("ID" + "." * 20, text)))
        texts.append(re.sub(r"  +", "  ", text) if "DIRECTORY" in text else text)
    return "\n".join(texts)


def columns(text: str, *, with_keys: bool) -> str:
    """The header of the table, and the keys of the JSON document if it is never empty."""
    table, _, document = text.partition("\n[" if "\n[" in text else "\n{")
    keys = dict.fromkeys(re.findall(r'^ +"(\w+)":', document, re.MULTILINE) if with_keys else ())
    header = next(line for line in table.splitlines() if line.isupper() or "TransactionalId" in line)
    return f"{' '.join(header.split())}\n{' '.join(keys)}\n"


def compare(name: str, text: str, broker: Broker) -> None:
    """Compare *text* with the golden file, or write the file."""
    file = DIRECTORY / f"{name}.txt"
    if "WIREBROKER_WRITE_GOLDEN" in os.environ and isinstance(broker, KafkaBroker):
        DIRECTORY.mkdir(exist_ok=True)
        file.write_text(text)
    assert text == file.read_text()


@pytest.mark.parametrize("name", COMMANDS)
def test_output(name: str, broker: Broker, capsys: pytest.CaptureFixture[str]) -> None:
    compare(name, printed(broker, COMMANDS[name], capsys), broker)


@pytest.mark.parametrize("name", COLUMNS_OF)
def test_columns(name: str, broker: Broker, capsys: pytest.CaptureFixture[str]) -> None:
    compare(name, columns(printed(broker, COLUMNS_OF[name], capsys), with_keys=name not in OFTEN_EMPTY), broker)


def test_no_file_is_left_over() -> None:
    assert {file.stem for file in DIRECTORY.iterdir()} == COMMANDS.keys() | COLUMNS_OF.keys()
