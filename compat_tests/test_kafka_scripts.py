"""`wirebroker kafka-topics.sh` and the other scripts beside Apache Kafka's own, on one broker: the same bytes.

Each line is run by both programs on wirebroker, and on Apache Kafka; changes are such that a second one finds the same.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

import pytest

from compat_tests.broker import running
from compat_tests.conftest import unique_name, wait_until
from compat_tests.spark_help import await_topic
from compat_tests.versions import KAFKA

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from compat_tests.broker import Broker
    from tools.jvm.kafka import KafkaDist

_USABLE = re.compile(r" \[.*?\]")


class Output(NamedTuple):
    """The exit code of a script, and its standard output."""

    code: int
    text: str


class Scripts:
    """Both programs against one broker, with a topic of two partitions."""

    def __init__(self, dist: KafkaDist, broker: Broker) -> None:
        self._dist, self._bootstrap = dist, broker.bootstrap
        self.topic = unique_name("scripts")

    def ours(self, script: str, *words: str) -> Output:
        """Run wirebroker's script."""
        command = [sys.executable, "-m", "wirebroker", f"{script}.sh", *words, "--bootstrap-server", self._bootstrap]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        assert "Traceback" not in done.stderr
        return Output(done.returncode, done.stdout)

    def theirs(self, script: str, *words: str) -> Output:
        """Run Apache Kafka's script."""
        done = self._dist.run(script, *words, "--bootstrap-server", self._bootstrap, check=False)
        return Output(done.returncode, done.stdout)

    def first_lines(self, count: int, script: str, *words: str) -> tuple[list[str], list[str]]:
        """Return lines of both without their time and the number of a partition, and end both."""
        at = ("--broker-list", self._bootstrap)
        own = [sys.executable, "-m", "wirebroker", f"{script}.sh", *words, *at]
        found: list[list[str]] = []
        for command in (own, self._dist.command(script, *words, *at)):
            with running(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
                assert process.stdout is not None
                lines = [process.stdout.readline().rstrip() for _ in range(count)]
                process.kill()
            found.append([re.sub(r"-\d+ at offset", "-N at offset", line.partition(": ")[2]) for line in lines])
        return found[0], found[1]

    def both(self, script: str, *words: str) -> tuple[str, str]:
        """Return the output of both, after a comparison of the exit codes."""
        own, original = self.ours(script, *words), self.theirs(script, *words)
        assert own.code == original.code, (script, words, own, original)
        return own.text, original.text

    def same(self, script: str, *words: str) -> str:
        """Return the output, which is the same of both."""
        own, original = self.both(script, *words)
        assert own == original, (script, words)
        return own


def scripts_with_topic(dist: KafkaDist, broker: Broker) -> Scripts:
    scripts = Scripts(dist, broker)
    created = scripts.ours(
        "kafka-topics", "--create", "--topic", scripts.topic, "--partitions", "2", "--config", "retention.ms=123456"
    )
    assert created == (0, f"Created topic {scripts.topic}.\n")
    await_topic(broker.bootstrap, scripts.topic)
    return scripts


@pytest.fixture(scope="module")
def on_wirebroker(wirebroker: Broker, kafka_dist: Callable[[str], KafkaDist]) -> Scripts:
    return scripts_with_topic(kafka_dist(KAFKA), wirebroker)


@pytest.fixture(scope="module", params=["wirebroker", "apache_kafka"])
def scripts(request: pytest.FixtureRequest, kafka_dist: Callable[[str], KafkaDist]) -> Scripts:
    return scripts_with_topic(kafka_dist(KAFKA), request.getfixturevalue(request.param))


def test_topics(scripts: Scripts) -> None:
    described = scripts.same("kafka-topics", "--describe", "--topic", f"{scripts.topic}|nothing")
    assert "\tPartitionCount: 2\tReplicationFactor: 1\tConfigs: retention.ms=123456\n" in described


def test_errors_of_topics(on_wirebroker: Scripts) -> None:
    assert "already exists" in on_wirebroker.same("kafka-topics", "--create", "--topic", on_wirebroker.topic)


def test_configs(scripts: Scripts) -> None:
    topic = ("--entity-type", "topics", "--entity-name", scripts.topic)
    settings = "cleanup.policy=[compact,delete],segment.ms=7777"
    altered = scripts.ours("kafka-configs", *topic, "--alter", "--add-config", settings)
    assert altered == (0, f"Completed updating config for topic {scripts.topic}.\n")
    # Apache Kafka answers before its broker has heard of it
    wait_until(lambda: "segment.ms=7777 " in scripts.ours("kafka-configs", *topic, "--describe").text)
    assert "segment.ms=7777 sensitive=false" in scripts.same("kafka-configs", *topic, "--describe", "--all")


def test_quotas(on_wirebroker: Scripts) -> None:
    client = ("--client", "scripts-client", "--user-defaults")
    altered = on_wirebroker.ours("kafka-configs", *client, "--alter", "--add-config", "producer_byte_rate=12345678")
    assert altered == (0, "Completed updating config for client scripts-client.\n")
    assert on_wirebroker.same("kafka-configs", *client, "--describe") == (
        "Quota configs for the default user-principal, client-id 'scripts-client' are producer_byte_rate=1.2345678E7\n"
    )
    assert on_wirebroker.ours("kafka-configs", *client, "--alter", "--delete-config", "producer_byte_rate")[0] == 0


def test_offsets_and_records(on_wirebroker: Scripts, tmp_path: Path) -> None:
    topic, file = on_wirebroker.topic, tmp_path / "offsets.json"
    file.write_text(json.dumps({"partitions": [{"topic": topic, "partition": 0, "offset": 0}]}))
    deleted = on_wirebroker.same("kafka-delete-records", "--offset-json-file", str(file))
    assert f"partition: {topic}-0\tlow_watermark: 0\n" in deleted
    assert on_wirebroker.same("kafka-get-offsets", "--topic-partitions", f"{topic}:1-") == f"{topic}:1:0\n"


def test_log_dirs(on_wirebroker: Scripts) -> None:
    own, original = (
        text.splitlines()
        for text in on_wirebroker.both("kafka-log-dirs", "--describe", "--topic-list", on_wirebroker.topic)
    )
    assert own[:2] == original[:2]
    documents = [json.loads(lines[2]) for lines in (own, original)]
    for document in documents:  # Kafka's come in the order of a hash map
        document["brokers"][0]["logDirs"][0]["partitions"].sort(key=lambda each: each["partition"])
    assert documents[0] == documents[1]


def test_replica_verification(scripts: Scripts) -> None:
    """Both scripts run until they are ended; of the partitions with the largest lag either may be named."""
    own, original = scripts.first_lines(
        2, "kafka-replica-verification", "--topics-include", scripts.topic, "--report-interval-ms", "1000"
    )
    assert own == original
    assert own[0] == "verification process is started"
    assert own[1] == f"max lag is 0 for partition {scripts.topic}-N at offset 0 among 2 partitions"
    assert scripts.ours("kafka-replica-verification", "--topics-include", "nothing").code == 1


def test_api_versions(scripts: Scripts) -> None:
    """Apart from the versions that the client itself knows, and APIs that only one of the clients has names for."""
    mine = scripts.ours("kafka-broker-api-versions")
    assert mine.code == 0
    theirs: list[Output] = []

    def has_printed() -> bool:
        """Whether Apache Kafka's script has succeeded, which gives up after five seconds, whatever it is told."""
        theirs[:] = [scripts.theirs("kafka-broker-api-versions")]
        return theirs[0].code == 0

    wait_until(has_printed)
    own, original = (
        {line.partition("(")[2].partition(")")[0]: _USABLE.sub("", line).rstrip(",") for line in text.splitlines()}
        for text in (mine.text, theirs[0].text)
    )
    common = {key for key in own.keys() & original.keys() if key.isdigit()}
    assert len(common) > 50
    renamed = {"74"}
    assert {key: own[key] for key in common - renamed} == {key: original[key] for key in common - renamed}
