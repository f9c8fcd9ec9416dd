"""`wirebroker dump-log` against kafka-dump-log.sh: the same words about the same files, on stdout and on stderr."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from random import Random
from typing import TYPE_CHECKING

import pytest

from compat_tests.directory_scenario import await_markers
from compat_tests.limits import WITHIN_S, flush
from compat_tests.versions import KAFKA
from tools.jvm.kafka import SMALL_JVM
from wirebroker.record.builder import simple_batch

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from compat_tests.broker import Wirebroker
    from tools.jvm.kafka import KafkaBroker, KafkaDist

CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
SMALL_SEGMENTS = {"segment.bytes": "60000", "index.interval.bytes": "2000", "retention.ms": "-1"}
"""The records are years old, and a shared broker looks for such segments every five minutes."""
UTF8 = ("-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8", "-Dstderr.encoding=UTF-8")
KNOWN = (".log", ".index", ".timeindex", ".txnindex", ".snapshot")
OPTIONS = (
    (),
    ("--deep-iteration",),
    ("--print-data-log",),
    ("--print-data-log", "--skip-record-metadata"),
    ("--verify-index-only",),
    ("--max-bytes", "9000", "--deep-iteration"),
)


@pytest.fixture(scope="module")
def dist(kafka_dist: Callable[[str], KafkaDist]) -> KafkaDist:
    return kafka_dist(KAFKA)


def produce_with_librdkafka(bootstrap: str) -> None:
    """Topics dump-CODEC, dump-idempotent, dump-append-time and, if the broker can, dump-transactions."""
    from confluent_kafka import Producer
    from confluent_kafka.admin import AdminClient, NewTopic

    topics = [NewTopic(f"dump-{name}", 1, 1, config=SMALL_SEGMENTS) for name in (*CODECS, "idempotent")]
    settings = {**SMALL_SEGMENTS, "message.timestamp.type": "LogAppendTime"}
    topics.append(NewTopic("dump-append-time", 1, 1, config=settings))
    admin = AdminClient({"bootstrap.servers": bootstrap})  # results die with it
    for created in admin.create_topics(topics).values():
        created.result(WITHIN_S)
    random = Random(1)
    for codec in CODECS:
        producer = Producer({"bootstrap.servers": bootstrap, "compression.type": codec, "batch.num.messages": 50})
        for number in range(1500):
            producer.produce(
                f"dump-{codec}",
                key=None if number % 7 == 0 else f"k{number}",
                value=None
                if number % 11 == 0
                else f"grün {number} ".encode() + random.randbytes(number % 150).hex().encode(),
                headers=[("h", b"1"), ("h", None), ("zwei", b"\xff")] if number % 3 == 0 else None,
                timestamp=1_700_000_000_000 + (number * 37) % 5000,
            )
            if number % 100 == 0:
                flush(producer)
        flush(producer)
    for name in ("idempotent", "append-time"):
        for start in range(3):
            producer = Producer({"bootstrap.servers": bootstrap, "enable.idempotence": name == "idempotent"})
            for number in range(40):
                producer.produce(f"dump-{name}", value=f"{start}-{number}", timestamp=5 + number)
            flush(producer)


def produce_transactions(bootstrap: str) -> None:
    """Two producers that commit and abort in turns; the last transaction stays open."""
    from confluent_kafka import Producer
    from confluent_kafka.admin import AdminClient, NewTopic

    topic = "dump-transactions"
    admin = AdminClient({"bootstrap.servers": bootstrap})
    admin.create_topics([NewTopic(topic, 1, 1, config=SMALL_SEGMENTS)])[topic].result(WITHIN_S)
    producers = [Producer({"bootstrap.servers": bootstrap, "transactional.id": f"dump-{n}"}) for n in range(2)]
    for producer in producers:
        producer.init_transactions(WITHIN_S)
    for turn in range(8):
        for producer in producers:
            producer.begin_transaction()
            for number in range(30):
                producer.produce(topic, key=f"{number}", value="y" * 200)
        for number, producer in enumerate(producers):
            flush(producer)
            if (turn + number) % 3:
                producer.commit_transaction(WITHIN_S)
            else:
                producer.abort_transaction(WITHIN_S)
    await_markers(bootstrap, topic)
    producers[0].begin_transaction()
    producers[0].produce(topic, value="open")
    flush(producers[0])


@pytest.fixture(scope="module")
def of_kafka(apache_kafka: KafkaBroker, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what a running Apache Kafka wrote: the newest indexes still have their zeros behind them."""
    produce_with_librdkafka(apache_kafka.bootstrap)
    produce_transactions(apache_kafka.bootstrap)
    copy = tmp_path_factory.mktemp("of-kafka")
    for partition in apache_kafka.data_directory.glob("dump-*"):
        shutil.copytree(partition, copy / partition.name)
    return copy


@pytest.fixture
def of_wirebroker(start_wirebroker: Callable[..., Wirebroker]) -> Path:
    broker = start_wirebroker()
    produce_with_librdkafka(broker.bootstrap)
    broker.stop()
    return broker.data_directory


def segment_files(directory: Path, *suffixes: str) -> list[str]:
    """The known files of the dump topics, relative to *directory*."""
    found = [path for path in directory.glob("dump-*/*") if path.suffix in (suffixes or KNOWN)]
    assert len(found) >= len(CODECS)
    return sorted(str(path.relative_to(directory)) for path in found)


def without_preallocated(directory: Path) -> list[str]:
    """Without the indexes that a running broker has open: one with no entry yet makes the original give up."""
    return [name for name in segment_files(directory) if (directory / name).stat().st_size < 1 << 20]


def theirs(dist: KafkaDist, directory: Path, *arguments: str) -> tuple[int, str, str]:
    command = dist.command("kafka-dump-log", *arguments, jvm=(*SMALL_JVM, *UTF8))
    done = subprocess.run(command, cwd=directory, capture_output=True, encoding="utf-8", timeout=120, check=False)
    said = [line for line in done.stderr.splitlines() if line and not line.startswith("WARNING: ")]  # Java's
    return done.returncode, done.stdout, "\n".join(said)


def ours(directory: Path, *arguments: str) -> tuple[int, str, str]:
    command = [sys.executable, "-m", "wirebroker", "dump-log", *arguments]
    environment = {**os.environ, "PYTHONUTF8": "1"}
    done = subprocess.run(
        command, cwd=directory, capture_output=True, encoding="utf-8", timeout=120, check=False, env=environment
    )
    return done.returncode, done.stdout, done.stderr


def assert_same(dist: KafkaDist, directory: Path, files: list[str], *options: str) -> str:
    """Both print the same lines; stderr may name the files in another order (the original's map has none)."""
    arguments = ("--files", ",".join(files), *options)
    code, out, err = ours(directory, *arguments)
    their_code, their_out, their_err = theirs(dist, directory, *arguments)
    assert out.splitlines() == their_out.splitlines()
    assert sorted(err.splitlines()) == sorted(their_err.splitlines())
    assert code == their_code == 0
    return out


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_files_of_apache_kafka(dist: KafkaDist, of_kafka: Path, options: tuple[str, ...]) -> None:
    out = assert_same(dist, of_kafka, without_preallocated(of_kafka), *options)
    if options == ("--print-data-log",):
        for sight in ("endTxnMarker: ABORT", "endTxnMarker: COMMIT", "LogAppendTime", "isTransactional: true", "grün"):
            assert sight in out
        for codec in CODECS:
            assert f"compresscodec: {codec} " in out
        for suffix in KNOWN:
            assert f"{suffix}\n" in out


def test_indexes_with_zeros_behind(dist: KafkaDist, of_kafka: Path) -> None:
    """The newest segments: zeros end the entries, and the sanity check gives the same result."""
    newest = [f"{partition.name}/{max(partition.glob('*.index')).name}" for partition in of_kafka.glob("dump-*")]
    assert_same(dist, of_kafka, newest)
    assert_same(dist, of_kafka, newest, "--index-sanity-check")
    assert_same(dist, of_kafka, [name.replace(".index", ".timeindex") for name in newest])


@pytest.mark.parametrize("options", [("--print-data-log",), ("--index-sanity-check",)], ids=" ".join)
def test_files_of_wirebroker(dist: KafkaDist, of_wirebroker: Path, options: tuple[str, ...]) -> None:
    out = assert_same(dist, of_wirebroker, segment_files(of_wirebroker), *options)
    assert "isvalid: false" not in out


def test_whole_directory(of_kafka: Path) -> None:
    partition = of_kafka / "dump-transactions-0"
    code, out, err = ours(of_kafka, "--files", partition.name, "--json")
    assert (code, err) == (0, "")
    for kind in ("batch", "index", "time", "aborted", "producer", "epoch", "metadata"):
        assert f'"kind":"{kind}"' in out


#: Damage -> the byte of a segment of transactions that is changed, and the file that is dumped.
DAMAGE = {
    "a value": (".log", 200, b"?", ".log"),
    "a base offset": (".log", 7, b"\x63", ".log"),
    "a base offset that an index checks": (".log", 7, b"\x63", ".timeindex"),
    "a length": (".log", 11, b"\xff", ".log"),
    "a length of zero": (".log", 8, bytes(4), ".log"),
    "an index's offset": (".index", 3, b"\x7f", ".index"),
    "an index's position": (".index", 14, b"\x99", ".index"),
    "a position that a time index needs": (".index", 14, b"\x99", ".timeindex"),
    "a time index's time": (".timeindex", 7, b"\xff", ".timeindex"),
    "a time index's offset": (".timeindex", 11, b"\x7f", ".timeindex"),
    "a time of zero": (".timeindex", 12, bytes(8), ".timeindex"),
    "an aborted transaction": (".txnindex", 5, b"\xff", ".txnindex"),
    "half of its version": (".txnindex", 35, b"\x01", ".txnindex"),
    "the other half": (".txnindex", 34, b"\x01", ".txnindex"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damaged_files(dist: KafkaDist, of_kafka: Path, tmp_path: Path, name: str) -> None:
    """The same complaints, or both give up at the same place."""
    damaged, at, new, dumped = DAMAGE[name]
    log = min((of_kafka / "dump-transactions-0").glob("*.log"))
    for suffix in KNOWN[:-1]:
        data = bytearray(log.with_suffix(suffix).read_bytes())
        if suffix == damaged:
            data[at : at + len(new)] = new
        (tmp_path / f"{log.stem}{suffix}").write_bytes(data)
    arguments = ("--files", f"{log.stem}{dumped}", "--deep-iteration")
    our_code, our_out, our_err = ours(tmp_path, *arguments)
    their_code, their_out, their_err = theirs(dist, tmp_path, *arguments)
    assert our_out.splitlines() == their_out.splitlines()
    assert our_code == their_code, our_err + their_err
    if our_code == 0:
        assert sorted(our_err.splitlines()) == sorted(their_err.splitlines())


def test_damaged_snapshot(dist: KafkaDist, of_kafka: Path, tmp_path: Path) -> None:
    snapshot = min((of_kafka / "dump-transactions-0").glob("*.snapshot"))
    data = bytearray(snapshot.read_bytes())
    data[20] ^= 1
    (tmp_path / snapshot.name).write_bytes(data)
    code, out, err = ours(tmp_path, "--files", snapshot.name)
    assert (code, out, err.splitlines()) == (
        *theirs(dist, tmp_path, "--files", snapshot.name)[:2],
        theirs(dist, tmp_path, "--files", snapshot.name)[2].splitlines(),
    )


def test_text_that_is_not_utf8(dist: KafkaDist, tmp_path: Path) -> None:
    random = Random(3)
    bytes_of_interest = [0xED, 0xA0, 0x80, 0xBF, 0xB0, 0xE2, 0x82, 0xAC, 0xF0, 0x9F, 0x98, 0xC0, 0xC3, 0xF5, 0x41, 0xFF]
    values = [bytes(random.choices(bytes_of_interest, k=random.randint(1, 6))) for _ in range(2000)]
    (tmp_path / f"{0:020}.log").write_bytes(simple_batch(values))
    assert_same(dist, tmp_path, [f"{0:020}.log"], "--print-data-log")


def test_committed_offsets(dist: KafkaDist, start_wirebroker: Callable[..., Wirebroker]) -> None:
    from confluent_kafka import Consumer, Producer

    broker = start_wirebroker()
    consumer = Consumer({"bootstrap.servers": broker.bootstrap, "group.id": "g", "auto.offset.reset": "earliest"})
    producer = Producer({"bootstrap.servers": broker.bootstrap})
    producer.produce("t", b"v")
    flush(producer)
    consumer.subscribe(["t"])
    message = consumer.poll(WITHIN_S)
    assert message is not None
    consumer.commit(message, asynchronous=False)
    consumer.close()
    broker.stop()
    written = [path for path in broker.data_directory.glob("__consumer_offsets-*/*.log") if path.stat().st_size]
    (directory,) = {path.parent for path in written}
    printed = assert_same(dist, directory, [path.name for path in written], "--offsets-decoder")
    assert '"data":{"group":"g","topic":"t","partition":0}' in printed
    assert '"assignedPartitions":[{"topic":"t","partitions":[0]}]' in printed
