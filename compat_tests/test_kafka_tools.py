"""Apache Kafka's command line tools: DumpLogSegments on what wirebroker wrote, the others against the broker."""

from __future__ import annotations

import re
from random import Random
from typing import TYPE_CHECKING

import pytest

from compat_tests.broker import Wirebroker
from compat_tests.conftest import unique_name, wait_until
from compat_tests.java_clients import NOW, JavaClients, Sent
from compat_tests.versions import KAFKA
from tools.jvm.bridge import jvm

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from compat_tests.broker import Broker
    from tools.jvm.kafka import KafkaDist

CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
RECORDS = 300
# the lines of DumpLogSegments about mismatches
COMPLAINT = re.compile(
    r"mismatch|non-?sequential|not sorted|out of order|corrupt|missing|isvalid: false|exception|not found|incomplete",
    re.IGNORECASE,
)
RECORD = re.compile(
    r"^\| offset: (\d+) CreateTime: (\d+) .*?sequence: (\d+) headerKeys: \[(.*?)\].*key: (\S*) payload: (.*)$"
)


@pytest.fixture(scope="module")
def kafka(kafka_dist: Callable[[str], KafkaDist]) -> KafkaDist:
    return kafka_dist(KAFKA)


def dumped_records() -> list[Sent]:
    random = Random(1)  # values that do not compress away: there must be several segments
    return [
        Sent(random.randbytes(60).hex().encode(), b"%d" % (number % 7), (("h", b"%d" % number),), 0, NOW + number * 10)
        for number in range(RECORDS)
    ]


@pytest.fixture(scope="module", params=["stopped", "killed"])
def written(request: pytest.FixtureRequest, kafka: KafkaDist, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small segments in every codec, left by a clean stop, or by kill -9, recovery and a clean stop."""
    settings = {"log.segment.bytes": "8192", "log.index.interval.bytes": "512"}
    broker = Wirebroker(tmp_path_factory.mktemp("dumped"), settings)
    with broker, jvm(kafka.jars) as root:
        java = JavaClients(root, broker.bootstrap)
        for codec in CODECS:
            with java.producer(compression_type=codec, batch_size="2000", linger_ms="20") as producer:
                java.send(producer, f"dump-{codec}", dumped_records())
        if request.param == "killed":
            broker.kill()
            broker.start()
    return broker.data_directory


def files(directory: Path, *suffixes: str) -> str:
    """All files of the dumped topics with these suffixes, as --files wants them."""
    found = sorted(str(path) for suffix in suffixes for path in directory.glob(f"dump-*/*{suffix}"))
    assert len(found) >= len(CODECS), f"hardly any {suffixes} in {directory}"
    return ",".join(found)


def assert_no_complaint(output: str) -> None:
    complaints = [line for line in output.splitlines() if COMPLAINT.search(line)]
    assert complaints == []


@pytest.mark.parametrize("codec", CODECS)
def test_dump_log_prints_every_record(kafka: KafkaDist, written: Path, codec: str) -> None:
    logs = sorted((written / f"dump-{codec}-0").glob("*.log"))
    assert len(logs) > 1
    out = kafka.run(
        "kafka-dump-log", "--files", ",".join(map(str, logs)), "--print-data-log", "--deep-iteration"
    ).stdout
    assert_no_complaint(out)
    found = [match.groups() for line in out.splitlines() if (match := RECORD.match(line))]
    expected = [
        (str(number), str(sent.timestamp), str(number), "h", (sent.key or b"").decode(), (sent.value or b"").decode())
        for number, sent in enumerate(dumped_records())
    ]
    assert found == expected
    # each segment begins with the offset in its name
    for log in logs:
        assert f"Log starting offset: {int(log.stem)}" in out


def test_dump_log_finds_the_indexes_right(kafka: KafkaDist, written: Path) -> None:
    indexes = files(written, ".index", ".timeindex")
    for option in ([], ["--verify-index-only"], ["--index-sanity-check"]):
        out = kafka.run("kafka-dump-log", "--files", indexes, *option).stdout
        assert_no_complaint(out)
        if option == ["--index-sanity-check"]:
            # the last segment may hold a single batch, which needs no entry
            assert out.count(" passed sanity check.") + out.count(" is empty.") == len(indexes.split(","))
            assert out.count(" is empty.") <= len(CODECS)
        elif not option:
            assert len(re.findall(r"^offset: \d+ position: \d+", out, re.MULTILINE)) > 50
            assert len(re.findall(r"^timestamp: \d+ offset: \d+", out, re.MULTILINE)) > 50


def test_dump_log_reads_snapshots(kafka: KafkaDist, written: Path) -> None:
    out = kafka.run("kafka-dump-log", "--files", files(written, ".snapshot")).stdout
    assert_no_complaint(out)
    last = [line for line in out.splitlines() if f"lastSequence: {RECORDS - 1} " in line]
    assert len(last) == len(CODECS)
    assert all("producerEpoch: 0" in line for line in last)


def test_topics(kafka: KafkaDist, target: Broker) -> None:
    name, to = unique_name("tool-topics"), ["--bootstrap-server", target.bootstrap]
    created = kafka.run(
        "kafka-topics", *to, "--create", "--topic", name, "--partitions", "2", "--config", "retention.ms=99"
    )
    assert f"Created topic {name}." in created.stdout
    assert name in kafka.run("kafka-topics", *to, "--list").stdout.split()
    kafka.run("kafka-topics", *to, "--alter", "--topic", name, "--partitions", "3")
    described = kafka.run("kafka-topics", *to, "--describe", "--topic", name).stdout
    assert re.search(r"PartitionCount: 3\s+ReplicationFactor: 1\s+Configs: .*retention\.ms=99", described)
    assert len(re.findall(r"Leader: 0\s+Replicas: 0\s+Isr: 0", described)) == 3
    kafka.run("kafka-topics", *to, "--delete", "--topic", name)
    assert name not in kafka.run("kafka-topics", *to, "--list").stdout.split()
    again = kafka.run("kafka-topics", *to, "--delete", "--topic", name, check=False)
    assert again.returncode == 1
    assert "does not exist" in again.stdout + again.stderr


def test_configs(kafka: KafkaDist, target: Broker) -> None:
    name, to = unique_name("tool-configs"), ["--bootstrap-server", target.bootstrap]
    kafka.run("kafka-topics", *to, "--create", "--topic", name)
    entity = [*to, "--entity-type", "topics", "--entity-name", name]
    kafka.run("kafka-configs", *entity, "--alter", "--add-config", "retention.ms=1234,cleanup.policy=[delete,compact]")
    described = kafka.run("kafka-configs", *entity, "--describe").stdout
    assert "retention.ms=1234 sensitive=false synonyms={DYNAMIC_TOPIC_CONFIG:retention.ms=1234" in described
    assert "cleanup.policy=delete,compact" in described
    kafka.run("kafka-configs", *entity, "--alter", "--delete-config", "retention.ms")
    assert "retention.ms" not in kafka.run("kafka-configs", *entity, "--describe").stdout
    everything = kafka.run("kafka-configs", *entity, "--describe", "--all").stdout
    assert "retention.ms=604800000 sensitive=false synonyms={}" in everything
    brokers = kafka.run(
        "kafka-configs", *to, "--entity-type", "brokers", "--entity-name", "0", "--describe", "--all"
    ).stdout
    assert "log.segment.bytes=1073741824" in brokers


def test_console_producer_and_consumer(kafka: KafkaDist, target: Broker) -> None:
    name, to = unique_name("tool-console"), ["--bootstrap-server", target.bootstrap]
    lines = "".join(f"key{number}:line {number}\n" for number in range(100))
    options = ["--property", "parse.key=true", "--property", "key.separator=:", "--compression-codec", "lz4"]
    kafka.run("kafka-console-producer", *to, "--topic", name, *options, stdin=lines)
    show = ["--property", "print.key=true", "--property", "print.offset=true", "--max-messages", "100"]
    read = kafka.run(
        "kafka-console-consumer", *to, "--topic", name, "--partition", "0", "--offset", "earliest", *show
    ).stdout
    assert read.splitlines() == [f"Offset:{number}\tkey{number}\tline {number}" for number in range(100)]


def test_get_offsets(kafka: KafkaDist, target: Broker) -> None:
    name, to = unique_name("tool-offsets"), ["--bootstrap-server", target.bootstrap]
    kafka.run("kafka-console-producer", *to, "--topic", name, stdin="a\nb\nc\n")
    for when, expected in (("-1", 3), ("-2", 0), ("earliest", 0), ("latest", 3), ("max-timestamp", None)):
        out = kafka.run("kafka-get-offsets", *to, "--topic", name, "--time", when).stdout.split()
        if expected is None:
            assert re.fullmatch(rf"{name}:0:[0-2]", out[0])
        else:
            assert out == [f"{name}:0:{expected}"]


def test_delete_records(kafka: KafkaDist, target: Broker, tmp_path: Path) -> None:
    name, to = unique_name("tool-delete"), ["--bootstrap-server", target.bootstrap]
    kafka.run("kafka-console-producer", *to, "--topic", name, stdin="a\nb\nc\n")
    wanted = tmp_path / "offsets.json"
    wanted.write_text(f'{{"partitions": [{{"topic": "{name}", "partition": 0, "offset": 2}}], "version": 1}}')
    out = kafka.run("kafka-delete-records", *to, "--offset-json-file", str(wanted)).stdout
    assert f"partition: {name}-0\tlow_watermark: 2" in out
    assert kafka.run("kafka-get-offsets", *to, "--topic", name, "--time", "-2").stdout.split() == [f"{name}:0:2"]


def test_log_dirs(kafka: KafkaDist, target: Broker) -> None:
    name, to = unique_name("tool-dirs"), ["--bootstrap-server", target.bootstrap]
    kafka.run("kafka-console-producer", *to, "--topic", name, stdin="a\n")
    out = kafka.run("kafka-log-dirs", *to, "--describe", "--topic-list", name).stdout
    assert f'"logDir":"{target.data_directory}"' in out
    assert re.search(rf'"partition":"{name}-0","size":[1-9]\d*,"offsetLag":0,"isFuture":false', out)


def test_broker_api_versions(kafka: KafkaDist, target: Broker) -> None:
    out = ""

    def has_printed() -> bool:
        """Whether the tool has succeeded, which gives up after five seconds, whatever it is told."""
        nonlocal out
        done = kafka.run("kafka-broker-api-versions", "--bootstrap-server", target.bootstrap, check=False)
        out = done.stdout
        return done.returncode == 0

    wait_until(has_printed)
    assert f"{target.bootstrap} (id: 0 rack: null) -> (" in out
    assert re.search(r"Produce\(0\): 0 to 1[13] \[usable: 11\]", out)
    assert re.search(r"Fetch\(1\): [04] to 1[78] \[usable: 17\]", out)


def test_producer_perf(kafka: KafkaDist, target: Broker) -> None:
    name = unique_name("tool-perf")
    properties = ["--producer-props", f"bootstrap.servers={target.bootstrap}", "--throughput", "-1"]
    out = kafka.run(
        "kafka-producer-perf-test", "--topic", name, "--num-records", "50000", "--record-size", "100", *properties
    ).stdout
    assert "50000 records sent" in out
    offsets = kafka.run("kafka-get-offsets", "--bootstrap-server", target.bootstrap, "--topic", name).stdout
    assert offsets.split() == [f"{name}:0:50000"]
