"""Produce and InitProducerId, good and bad, answered as Apache Kafka 3.9.1 answers them, at every version."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from compat_tests import differences
from compat_tests.comparison import CLOSED
from compat_tests.conftest import unique_name
from compat_tests.kafka_requests import NOW, batch, fetch, init_producer_id, patched, produce
from wirebroker.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData

if TYPE_CHECKING:
    from compat_tests.comparison import Answers, Side, SideBySide

VERSIONS = range(3, 12)
GZIP, SNAPPY, LZ4, ZSTD = 1, 2, 3, 4


@pytest.fixture
def topic(both: SideBySide) -> str:
    return both.create_topic(unique_name("produce"), partitions=2)


def code(answers: Answers) -> int:
    return int(answers.wirebroker.responses[0].partition_responses[0].error_code)


def read_back(both: SideBySide, topic: str, partition: int = 0) -> None:
    """The stored batches are the same, too."""
    both.ask(lambda side: fetch(17, {(topic, side.topic_ids[topic], partition): 0}), 17, label="read back")


@pytest.mark.parametrize("version", VERSIONS)
def test_good_batches(both: SideBySide, topic: str, version: int) -> None:
    assert code(both.ask(produce(topic, batch(b"a", b"b", b"c")), version)) == 0
    assert code(both.ask(produce(topic, batch(key=None), acks=1), version)) == 0
    for codec in (GZIP, SNAPPY, LZ4):
        assert code(both.ask(produce(topic, batch(b"x" * 100, b"y" * 100, codec=codec)), version)) == 0
    assert code(both.ask(produce(topic, batch(codec=ZSTD)), version)) == (76 if version < 7 else 0)
    data = [PartitionProduceData(index, memoryview(batch(b"%d" % index))) for index in (1, 0)]
    both.ask(ProduceRequest(None, -1, 5000, [TopicProduceData(name=topic, partition_data=data)]), version)
    both.ask(ProduceRequest(None, -1, 5000, []), version, label="no topics")
    both.ask(ProduceRequest(None, -1, 5000, [TopicProduceData(name=topic)]), version, label="no partitions")
    read_back(both, topic)
    read_back(both, topic, 1)


@pytest.mark.parametrize("version", VERSIONS)
def test_unknown_partitions_and_invalid_acks(both: SideBySide, topic: str, version: int) -> None:
    assert code(both.ask(produce("no-such-topic", batch()), version)) == 3
    assert code(both.ask(produce("", batch()), version)) == 3
    assert code(both.ask(produce(topic, batch(), partition=2), version)) == 3
    assert code(both.ask(produce(topic, batch(), partition=-1), version)) == 3
    for acks in (2, -2, 32767):
        assert code(both.ask(produce(topic, batch(), acks=acks), version)) == 21
        assert code(both.ask(produce(topic, batch(), acks=acks, partition=2), version)) == 3
        assert code(both.ask(produce("no-such-topic", batch(), acks=acks), version)) == 3
        both.ask(produce(topic, b"", acks=acks), version, label="no batch, invalid acks")
    both.ask(produce(topic, batch(), transactional_id="of nobody"), version, label="plain batch, transactional id")
    read_back(both, topic)


@pytest.mark.parametrize("version", VERSIONS)
def test_no_acknowledgement_wanted(both: SideBySide, topic: str, version: int) -> None:
    for side in both.sides:
        assert side.wire is not None
        side.wire.send(produce(topic, batch(b"unacknowledged"), acks=0), version)
    assert code(both.ask(produce(topic, batch(b"next")), version)) == 0  # the answer belongs to this one
    read_back(both, topic)
    answers = both.ask(produce("no-such-topic", batch(), acks=0), version, wait_s=30)
    assert answers.kafka == CLOSED


@pytest.mark.parametrize("version", VERSIONS)
def test_damaged_batches(both: SideBySide, topic: str, version: int) -> None:
    good = batch(b"a", b"b", b"c")
    rows: dict[str, tuple[int, bytes]] = {
        "wrong crc": (2, patched(good, 17, "I", 1, crc=False)),
        "flipped bit in a record": (2, good[:-2] + bytes([good[-2] ^ 1]) + good[-1:]),
        "magic 0": (87, patched(good, 16, "b", 0, crc=False)),
        "magic 1": (87, patched(good, 16, "b", 1, crc=False)),
        "magic 3": (2, patched(good, 16, "b", 3, crc=False)),
        "magic -1": (2, patched(good, 16, "b", -1, crc=False)),
        "batch length 0": (2, patched(good, 8, "i", 0)),
        "batch length -1": (2, patched(good, 8, "i", -1)),
        "batch length too short": (2, patched(good, 8, "i", 20)),
        "batch length beyond the end": (87, patched(good, 8, "i", len(good))),
        "batch length huge": (-1, patched(good, 8, "i", 0x7FFFFFFF)),
        "two batches": (87, good + good),
        "nothing": (87, b""),
        "a truncated header": (87, good[:30]),
        "a truncated record": (87, good[:-1]),
        "bytes after the batch": (0, good + b"rest"),
        "more records than there are": (87, patched(good, 57, "i", 4)),
        "fewer records than there are": (87, patched(good, 57, "i", 2)),
        "no records": (87, patched(good, 57, "i", 0)),
        "a negative number of records": (87, patched(good, 57, "i", -1)),
        "last offset delta too big": (87, patched(good, 23, "i", 3)),
        "last offset delta too small": (87, patched(good, 23, "i", 1)),
        "last offset delta negative": (87, patched(good, 23, "i", -1)),
        "base offset 5": (87, patched(good, 0, "q", 5)),
        "a leader epoch of its own": (0, patched(good, 12, "i", 7)),
        "wrong max timestamp": (0, patched(good, 35, "q", NOW + 99)),
        "claims log append time": (0, patched(good, 21, "h", 8)),
        "a control batch": (87, patched(good, 21, "h", 0x20)),
        "codec 5": (-1, patched(good, 21, "h", 5)),
        "codec 7": (-1, patched(good, 21, "h", 7)),
        "gzip that is none": (-1, patched(good, 21, "h", GZIP)),
        "lz4 that is none": (-1, patched(good, 21, "h", LZ4)),
        "snappy that is none": (-1, patched(good, 21, "h", SNAPPY)),
        "unused attribute bits": (0, patched(good, 21, "h", 0x40)),
        "a record too long": (87, patched(good, 61, "B", 100)),
        "a record too short": (87, patched(good, 61, "B", 2)),
        "a record of negative length": (87, patched(good, 61, "B", 1)),
        "record attributes": (0, patched(good, 62, "B", 1)),
        "reversed offset deltas": (0, patched(good, 64, "B", 4)),
        "no timestamp": (0, batch(timestamp=-1)),
        "from long ago": (0, batch(timestamp=1)),
        "from far ahead": (0, batch(timestamp=NOW + 10**9 * 10)),
    }  # fmt: skip
    seen = {}
    for name, (_, data) in rows.items():
        but = differences.PRODUCE.get(name)
        if name.startswith("codec ") and version in (5, 6):
            but = differences.UNUSED_CODEC
        answers = both.ask(produce(topic, data), version, label=name, but=but)
        if not isinstance(answers.kafka, str):
            seen[name] = answers.kafka.responses[0].partition_responses[0].error_code
    assert seen == {name: expected for name, (expected, _) in rows.items() if name in seen}
    read_back(both, topic)
    both.ask(produce(topic, None), version, label="null records", but=differences.NULL_RECORDS, wait_s=4)


@pytest.mark.parametrize("version", VERSIONS)
def test_topics_with_rules_of_their_own(both: SideBySide, version: int) -> None:
    small = both.create_topic(unique_name("small"), max_message_bytes="200")
    assert code(both.ask(produce(small, batch(b"x" * 50)), version)) == 0
    assert code(both.ask(produce(small, batch(b"x" * 500)), version)) == 10
    compact = both.create_topic(unique_name("compact"), cleanup_policy="compact")
    assert code(both.ask(produce(compact, batch(b"x")), version)) == 0
    assert code(both.ask(produce(compact, batch(b"x", key=None)), version)) == 87
    segment = both.create_topic(unique_name("segment"), segment_bytes="1000")
    assert code(both.ask(produce(segment, batch(b"x" * 2000)), version)) == 18
    for _ in range(3):
        both.ask(produce(segment, batch(b"x" * 400)), version)
    append_time = both.create_topic(unique_name("append-time"), message_timestamp_type="LogAppendTime")
    assert code(both.ask(produce(append_time, batch(b"a", b"b")), version)) == 0
    assert code(both.ask(produce(append_time, batch(b"a", timestamp=NOW + 10**10)), version)) == 0
    assert code(both.ask(produce(append_time, batch(b"a", codec=LZ4)), version)) == 0
    late = both.create_topic(unique_name("late"), message_timestamp_before_max_ms="1000")
    assert code(both.ask(produce(late, batch()), version)) == 32
    for codec_name in ("uncompressed", "gzip", "snappy", "lz4", "zstd", "producer"):
        topic = both.create_topic(unique_name(codec_name), compression_type=codec_name)
        both.ask(produce(topic, batch(b"a" * 100, b"b" * 100)), version)
        both.ask(produce(topic, batch(b"a" * 100, b"b" * 100, codec=LZ4)), version)
        read_back(both, topic)
    two = both.create_topic(unique_name("two"), min_insync_replicas="2")
    assert code(both.ask(produce(two, batch()), version)) == 0
    for name in (segment, append_time, compact):
        read_back(both, name)


@pytest.mark.parametrize("version", VERSIONS)
def test_idempotent_producers(both: SideBySide, topic: str, version: int) -> None:
    ids = both.new_producer()

    def send(sequence: int, *, epoch: int = 0, count: int = 2, partition: int = 0, known: bool = True) -> int:
        def request(side: Side) -> ProduceRequest:
            producer = ids.of(side).producer_id if known else 999_999
            values = [b"%d" % (sequence + number) for number in range(count)]
            data = batch(*values, producer_id=producer, producer_epoch=epoch, base_sequence=sequence)
            return produce(topic, data, partition=partition)

        return code(both.ask(request, version, label=f"sequence {sequence} epoch {epoch} count {count}"))

    assert send(0) == 0
    assert send(2) == 0
    assert send(2) == 0  # a duplicate: the offset of the first time
    assert send(0) == 0
    assert send(5) == 45
    assert send(2, count=1) == 45
    assert send(3, count=1) == 45
    assert send(1, epoch=1) == 45
    assert send(0, epoch=1) == 0
    assert send(2, epoch=0) == 47
    assert send(4, epoch=0) == 47
    for sequence in range(2, 16, 2):
        assert send(sequence, epoch=1) == 0
    assert send(6, epoch=1) == 0  # the fifth last
    assert send(4, epoch=1) == 45  # the sixth last is forgotten
    assert send(0, epoch=-1) != 0
    assert send(-1, epoch=1) != 0
    send(7, partition=1)  # nothing known of this producer here: any start will do
    send(9, partition=1)
    send(0, partition=1)
    assert send(0, known=False) == 0
    send(2, known=False, epoch=5)
    send(0, known=False, epoch=5)
    read_back(both, topic)
    read_back(both, topic, 1)


def test_sequence_numbers_wrap(both: SideBySide, topic: str) -> None:
    ids = both.new_producer()
    for sequence, count in ((2**31 - 3, 2), (2**31 - 1, 3), (2, 1), (2**31 - 1, 3), (4, 1)):
        both.ask(
            lambda side, sequence=sequence, count=count: produce(  # type: ignore[misc]
                topic,
                batch(*[b"x"] * count, producer_id=ids.of(side).producer_id, producer_epoch=0, base_sequence=sequence),
            ),
            9,
            label=f"sequence {sequence}",
        )
    read_back(both, topic)


@pytest.mark.parametrize("version", VERSIONS)
def test_transactional_batches_of_unknown_producers(both: SideBySide, topic: str, version: int) -> None:
    ids = both.new_producer()

    def request(side: Side, transactional_id: str | None) -> ProduceRequest:
        producer = ids.of(side).producer_id
        data = batch(producer_id=producer, producer_epoch=0, base_sequence=0, transactional=True)
        return produce(topic, data, transactional_id=transactional_id)

    assert code(both.ask(lambda side: request(side, None), version, label="no transactional id")) == 53


@pytest.mark.parametrize("version", range(6))
def test_init_producer_id(both: SideBySide, version: int) -> None:
    both.new_producer()
    assert both.ask(init_producer_id(), version).wirebroker.error_code == 0
    for timeout in (0, -1, 2**31 - 1):
        both.ask(init_producer_id(transaction_timeout_ms=timeout), version, label=f"timeout {timeout}")
    assert both.ask(init_producer_id(transactional_id=""), version).wirebroker.error_code == 42
    if version >= 3:
        for producer_id, epoch in ((5, 0), (5, -1), (-1, 0), (-2, 3), (7, 32767)):
            more = {"producer_id": producer_id, "producer_epoch": epoch}
            both.ask(init_producer_id(**more), version, label=f"id {producer_id} epoch {epoch}")
