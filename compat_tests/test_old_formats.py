"""Old message formats beside Apache Kafka 2.8.2, the last release that lets a topic keep one, and 3.9.1.

2.8.2 in ZooKeeper mode honours `message.format.version`, so what comes in, what is kept on disk with its indexes, and
what goes out is compared for every format.  3.9.1 converts everything to format 2; refusals are its.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from compat_tests.broker import Wirebroker
from compat_tests.conftest import unique_name, wait_until
from compat_tests.kafka_requests import NOW, batch, fetch, init_producer_id, list_offsets, produce
from compat_tests.old_messages import canonical
from compat_tests.versions import OLD_KAFKA
from compat_tests.wire import Closed, Wire
from tools.jvm.zookeeper import ZooKeeper, ZooKeeperBroker
from wirebroker.protocol.messages.add_partitions_to_txn import AddPartitionsToTxnRequest, AddPartitionsToTxnTopic
from wirebroker.protocol.messages.create_topics import CreatableTopic, CreatableTopicConfig, CreateTopicsRequest
from wirebroker.protocol.messages.end_txn import EndTxnRequest
from wirebroker.protocol.messages.fetch import FetchPartition
from wirebroker.protocol.messages.find_coordinator import FindCoordinatorRequest
from wirebroker.protocol.messages.metadata import MetadataRequest
from wirebroker.protocol.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)
from wirebroker.record.compression import Codec
from wirebroker.record.legacy import any_batches
from wirebroker.tests.record.legacy_message_sets import OLD_CODECS, PAIRS, message_set, patched_message
from wirebroker.tests.record.test_validate_legacy import REFUSED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from compat_tests.broker import Broker
    from tools.jvm.kafka import KafkaDist

FORMATS = ("0.9.0", "0.10.2", "2.8")
SETTINGS: tuple[dict[str, str], ...] = (
    {},
    {"message.timestamp.type": "LogAppendTime"},
    {"compression.type": "gzip"},
    {"compression.type": "lz4"},
    {"compression.type": "uncompressed"},
)


@pytest.fixture(scope="module")
def wirebroker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wirebroker]:
    """wirebroker with a protocol of brokers that obeys message.format.version, as 3.9.1 does with the same setting."""
    settings = {"inter.broker.protocol.version": OLD_KAFKA}
    with Wirebroker(tmp_path_factory.mktemp("wirebroker"), settings) as broker:
        yield broker


@pytest.fixture(scope="module")
def old_kafka(
    kafka_dist: Callable[[str], KafkaDist], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ZooKeeperBroker]:
    dist, directory = kafka_dist(OLD_KAFKA), tmp_path_factory.mktemp("old-kafka")
    with ZooKeeper(dist, directory / "zk") as zookeeper, ZooKeeperBroker(dist, directory, zookeeper) as broker:
        with Wire(broker.host, broker.port) as wire:
            wait_until(lambda: bool(wire.ask(MetadataRequest([]), 1).brokers))  # the port opens before that
        yield broker


@pytest.fixture
def pair(wirebroker: Wirebroker, old_kafka: ZooKeeperBroker) -> Iterator[Both]:
    with wirebroker.connect() as ours, Wire(old_kafka.host, old_kafka.port) as theirs:
        yield Both((wirebroker, old_kafka), (ours, theirs))


class Both:
    """Two brokers that get the same requests."""

    def __init__(self, brokers: tuple[Broker, Broker], wires: tuple[Wire, Wire]) -> None:
        self.brokers, self.wires = brokers, wires

    def create(self, **settings: str) -> str:
        name = unique_name("old-format")
        configs = [CreatableTopicConfig(key, value) for key, value in settings.items()]
        for wire in self.wires:
            answer = wire.ask(CreateTopicsRequest([CreatableTopic(name, 1, 1, [], configs)], 50_000), 2)
            assert answer.topics[0].error_code == 0
            wait_until(lambda wire=wire: wire.ask(list_offsets(name, -1), 1).topics[0].partitions[0].error_code == 0)  # type: ignore[misc]
        return name

    def append(self, topic: str, records: bytes, version: int) -> list[tuple[Any, ...]]:
        answers = []
        for wire in self.wires:
            answer = wire.ask(produce(topic, records), version).responses[0].partition_responses[0]
            appended_now = abs(answer.log_append_time_ms - time.time() * 1000) < 60_000
            answers.append((answer.error_code, answer.base_offset, appended_now or answer.log_append_time_ms))
        return answers

    def fetched(self, topic: str, version: int, offset: int = 0, max_bytes: int = 1 << 20) -> list[tuple[Any, ...]]:
        """(error, high watermark, bytes of records, the whole batches, their sizes) of each."""
        now_ms = int(time.time() * 1000)
        answers = []
        for wire in self.wires:
            wanted = FetchPartition(fetch_offset=offset, partition_max_bytes=max_bytes)
            answer = wire.ask(fetch(version, {(topic, b"", 0): wanted}), version).responses[0].partitions[0]
            data = bytes(answer.records or b"")
            sizes = [each.size_bytes for each in any_batches(data)]
            answers.append((answer.error_code, answer.high_watermark, len(data), canonical(data, now_ms), sizes))
        return answers

    def files(self, topic: str, suffix: str) -> list[bytes]:
        return [
            (broker.data_directory / f"{topic}-0" / f"{0:020}{suffix}").read_bytes().rstrip(b"\0")
            for broker in self.brokers
        ]


def sets() -> Iterator[tuple[str, bytes]]:
    for magic in (0, 1):
        for codec in OLD_CODECS:
            name = f"format {magic} {codec.name}"
            yield name, message_set(magic, codec, now_ms=NOW)
            yield f"{name}, offsets from 7", message_set(magic, codec, base=7, now_ms=NOW)
            yield f"{name}, one", message_set(magic, codec, PAIRS[:1], now_ms=NOW)
            times = [NOW, NOW + 9, NOW + 3, -1, NOW + 9]
            yield f"{name}, times", message_set(magic, codec, timestamps=times)
            if codec:
                whole = message_set(magic, codec, now_ms=NOW)
                yield f"{name}, wrapper offset 0", patched_message(whole, 0, "q", 0)
    for codec in OLD_CODECS:
        yield f"format 2 {codec.name}", batch(b"a", b"b", codec=codec)


def assert_no_room_for_the_last(shorter: tuple[Any, ...], longer: tuple[Any, ...]) -> None:
    """An answer may lack a message only if it does not fit.

    A converted batch has the room that it had before, and ends there.  The size of compressed messages differs by a few
    bytes, with the times of appending and the implementation of the codec; so the last one may fit on one side alone.
    """
    room_bytes = shorter[2] - sum(shorter[4])
    assert room_bytes < longer[4][-1] + 8
    assert shorter[2] == longer[2]


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda settings: next(iter(settings.values()), "as it is"))
@pytest.mark.parametrize("release", FORMATS)
def test_in_kept_and_out(pair: Both, release: str, settings: dict[str, str]) -> None:
    topic = pair.create(**{"message.format.version": release, "index.interval.bytes": "500", **settings})
    for number, (name, records) in enumerate(sets()):
        ours, theirs = pair.append(topic, records, number % 3)
        assert ours == theirs, name
    for version in range(12):
        for offset in (0, 3, 17, 100):
            ours, theirs = pair.fetched(topic, version, offset)
            if len(ours[3]) != len(theirs[3]):
                shorter, longer = sorted((ours, theirs), key=lambda each: len(each[3]))
                assert_no_room_for_the_last(shorter, longer)
                assert shorter[3] == longer[3][:-1], f"Fetch v{version} from {offset}"
            else:
                assert ours[3] == theirs[3], f"Fetch v{version} from {offset}"
            if settings.get("compression.type") != "gzip":  # zlib's header differs, so sizes may
                assert ours[:2] == theirs[:2], f"Fetch v{version} from {offset}"
    append_time = "message.timestamp.type" in settings
    if not append_time and "compression.type" not in settings:
        for suffix in (".index", ".timeindex"):
            ours_file, theirs_file = pair.files(topic, suffix)
            assert ours_file == theirs_file, suffix
    for version in range(6):
        for timestamp in (-1, -2) if append_time else (-1, -2, NOW + 3, NOW + 9, NOW - 5, NOW + 50_000):
            answers = []
            for wire in pair.wires:
                found = wire.ask(list_offsets(topic, timestamp), version).topics[0].partitions[0]
                answers.append((found.error_code, found.old_style_offsets, found.timestamp, found.offset))
            assert answers[0] == answers[1], f"ListOffsets v{version} of {timestamp}"


def test_fields_that_an_old_format_lacks(pair: Both) -> None:
    """Idempotent batches and markers: 43 from both. Headers and zstd: Kafka's builder fails (-1), wirebroker names
    the reason."""
    for release in FORMATS[:2]:
        topic = pair.create(**{"message.format.version": release})
        idempotent = batch(b"v", producer_id=1, producer_epoch=0, base_sequence=0)
        ours, theirs = pair.append(topic, idempotent, 7)
        assert ours[0] == theirs[0] == 43
        marker = WritableTxnMarker(1, 0, False, [WritableTxnMarkerTopic(topic, [0])], 0)
        for wire in pair.wires:
            (told,) = wire.ask(WriteTxnMarkersRequest([marker]), 1).markers
            assert told.topics[0].partitions[0].error_code == 43
        ours, theirs = pair.append(topic, batch(b"v", codec=Codec.ZSTD), 7)
        assert (ours[0], theirs[0]) == (76, -1)


def test_zstd_is_not_for_old_readers(pair: Both) -> None:
    topic = pair.create()
    pair.append(topic, batch(b"v", codec=Codec.ZSTD), 7)
    for version in range(4):
        ours, theirs = pair.fetched(topic, version)
        assert ours[0] == theirs[0] == 76
    for version in range(4, 12):
        ours, theirs = pair.fetched(topic, version)
        assert ours == theirs


def test_no_conversion_on_request(pair: Both) -> None:
    topic = pair.create(**{"message.downconversion.enable": "false"})
    pair.append(topic, batch(b"v"), 7)
    for version in range(6):
        ours, theirs = pair.fetched(topic, version)
        assert ours == theirs
        assert ours[0] == (35 if version < 4 else 0)


#: wirebroker's and Apache Kafka 3.9.1's codes where they differ: Kafka drops an incomplete message and answers 0
DIFFERENT = {
    "cut off": (2, 0),
    "the last one cut off": (2, 0),
    "a few bytes more": (2, 0),
    "cut off inside": (2, 0),
    "key length": (87, -1),
    "value length": (87, -1),
}


def test_refusals_beside_the_newest_kafka_that_takes_old_messages(wirebroker: Wirebroker, apache_kafka: Broker) -> None:
    with wirebroker.connect() as ours, Wire(apache_kafka.host, apache_kafka.port) as theirs:
        both = Both((wirebroker, apache_kafka), (ours, theirs))
        topic = both.create()
        found = {}
        for name, (records, _) in REFUSED.items():
            try:
                codes = tuple(answer[0] for answer in both.append(topic, records, 2))
            except Closed:
                codes = ("closed",)
            if codes[0] != codes[-1] or len(codes) < 2:
                found[name] = codes
        assert found == DIFFERENT


def test_transactions_for_old_readers(wirebroker: Wirebroker) -> None:
    """Markers are left out, aborted records are sent; a reader at the end waits, and gets no half message."""
    with wirebroker.connect() as wire:
        topic, name = unique_name("old-format"), unique_name("transactional")
        assert not wire.ask(CreateTopicsRequest([CreatableTopic(topic, 1, 1)], 50_000), 2).topics[0].error_code
        producer = {}

        def begun() -> bool:
            wire.ask(FindCoordinatorRequest(key=name, key_type=1), 1)
            producer["answer"] = wire.ask(init_producer_id(transactional_id=name), 3)
            return not producer["answer"].error_code

        wait_until(begun)
        who = {"producer_id": producer["answer"].producer_id, "producer_epoch": producer["answer"].producer_epoch}
        for sequence, committed in enumerate((True, False, True, False)):
            added = AddPartitionsToTxnRequest(
                v3_and_below_transactional_id=name,
                v3_and_below_producer_id=who["producer_id"],
                v3_and_below_producer_epoch=who["producer_epoch"],
                v3_and_below_topics=[AddPartitionsToTxnTopic(topic, [0])],
            )

            def is_added(added: AddPartitionsToTxnRequest = added) -> bool:
                topics = wire.ask(added, 3).results_by_topic_v3_and_below
                return not topics[0].results_by_partition[0].partition_error_code

            wait_until(is_added)  # the last one's markers may be on their way
            records = batch(b"%d" % sequence, base_sequence=sequence, transactional=True, **who)
            answer = wire.ask(produce(topic, records, transactional_id=name), 7)
            assert not answer.responses[0].partition_responses[0].error_code
            assert not wire.ask(EndTxnRequest(name, **who, committed=committed), 3).error_code
        wait_until(lambda: wire.ask(list_offsets(topic, -1), 4).topics[0].partitions[0].offset == 8)
        for version in range(4):
            found = read_old(wire, topic, version, 0)
            assert found == [(0, b"0"), (2, b"1"), (4, b"2"), (6, b"3")]
            for offset in (7, 8):
                assert read_old(wire, topic, version, offset) == []


def read_old(wire: Wire, topic: str, version: int, offset: int) -> list[tuple[int, bytes | None]]:
    """(offset, value) of what one Fetch answers."""
    answer = wire.ask(fetch(version, {(topic, b"", 0): offset}, max_wait_ms=10, min_bytes=1), version)
    partition = answer.responses[0].partitions[0]
    assert not partition.error_code
    return [(r.offset, r.value) for each in any_batches(bytes(partition.records)) for r in each.records()]
