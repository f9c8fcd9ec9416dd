"""Topics are created, written, deleted, created again, flushed, retained and moved on a disk with slow syncs.

No acknowledged record is lost, no log directory goes offline, the event loop keeps running, and the broker stops with
exit code 0. The operations of each thread depend on its number alone, their interleaving does not: the nightly run
takes longer.
"""

from __future__ import annotations

import logging
import random
import threading
import time
import traceback
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from compat_tests.conftest import wait_until
from compat_tests.directory_scenario import await_markers
from compat_tests.limits import WITHIN_S, flush, join
from compat_tests.slow_sync import SlowSync
from compat_tests.test_log_dir_moves import alter, two_dirs
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.api_versions import ApiVersionsRequest
from wirebroker.protocol.messages.create_topics import CreatableTopic, CreatableTopicConfig, CreateTopicsRequest
from wirebroker.protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from wirebroker.protocol.messages.delete_topics import DeleteTopicsRequest
from wirebroker.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from wirebroker.protocol.messages.list_offsets import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic
from wirebroker.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from wirebroker.record.builder import build_batch
from wirebroker.record.record_batch import Record, batches

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from compat_tests.broker import Wirebroker
    from compat_tests.wire import Wire

logger = logging.getLogger(__name__)

SYNC_MS = 15
KEPT = ("kept-plain", "kept-synced", "kept-idempotent", "kept-transactions")
CHURNED, PARTITIONS = 4, 3
SETTINGS = {
    "log.flush.offset.checkpoint.interval.ms": "150",
    "log.flush.start.offset.checkpoint.interval.ms": "170",
    "replica.high.watermark.checkpoint.interval.ms": "190",
    "log.retention.check.interval.ms": "250",
    "producer.id.expiration.check.interval.ms": "300",
    "producer.id.expiration.ms": "600000",
    "log.segment.delete.delay.ms": "0",
    "offsets.topic.num.partitions": "2",
    "transaction.state.log.num.partitions": "2",
}
SMALL_BATCHES = {"linger.ms": 1, "batch.size": 20_000}
SMALL = {"segment.bytes": "30000", "flush.ms": "40"}


class Stress:
    """The threads, the acknowledged records, and the first error of a thread."""

    def __init__(self, broker: Wirebroker) -> None:
        self.broker = broker
        self.stopping = threading.Event()
        self.failures: list[str] = []
        self.acknowledged: dict[str, dict[int, bytes]] = {name: {} for name in KEPT}
        """Topic -> offset -> value."""
        self.counts: dict[str, int] = {}
        self.lags_s: list[float] = []

    @contextmanager
    def connected(self) -> Iterator[Wire]:
        wire = self.broker.connect(60)
        try:
            yield wire
        finally:
            wire.close()

    def start(self, *loops: Any) -> list[threading.Thread]:
        threads = [threading.Thread(target=self._run, args=(loop,), name=loop.__name__, daemon=True) for loop in loops]
        for thread in threads:
            thread.start()
        return threads

    def _run(self, loop: Any) -> None:
        chooser = random.Random(loop.__name__)
        try:
            with self.connected() as wire:
                while not self.stopping.is_set():
                    loop(wire, chooser)
                    self.counts[loop.__name__] = self.counts.get(loop.__name__, 0) + 1
        except Exception:
            self.failures.append(f"{loop.__name__}: {traceback.format_exc()}")
            self.stopping.set()

    # -- requests

    def create(self, wire: Wire, name: str, configs: Mapping[str, str], partitions: int = 1) -> int:
        pairs = [CreatableTopicConfig(key, value) for key, value in configs.items()]
        request = CreateTopicsRequest([CreatableTopic(name, partitions, 1, [], pairs)], 60_000)
        return int(wire.ask(request, 5).topics[0].error_code)

    def produce(self, wire: Wire, topic: str, values: list[bytes], partition: int = 0) -> int:
        """The offset of the first of them."""
        now = int(time.time() * 1000)
        data = memoryview(bytearray(build_batch([Record(n, now, None, value, []) for n, value in enumerate(values)])))
        request = ProduceRequest(
            acks=-1,
            timeout_ms=60_000,
            topic_data=[TopicProduceData(name=topic, partition_data=[PartitionProduceData(partition, data)])],
        )
        answer = wire.ask(request, 7).responses[0].partition_responses[0]
        assert answer.error_code == ErrorCode.NONE, (topic, ErrorCode(answer.error_code))
        return int(answer.base_offset)

    def offset(self, wire: Wire, topic: str, timestamp: int, partition: int = 0) -> int:
        asked = ListOffsetsTopic(topic, [ListOffsetsPartition(partition_index=partition, timestamp=timestamp)])
        answer = wire.ask(ListOffsetsRequest(-1, 0, [asked]), 5).topics[0].partitions[0]
        assert answer.error_code == ErrorCode.NONE, (topic, ErrorCode(answer.error_code))
        return int(answer.offset)

    def fetch(self, wire: Wire, topic: str, offset: int, partition: int = 0) -> Any:
        asked = FetchPartition(partition=partition, fetch_offset=offset, partition_max_bytes=100_000)
        request = FetchRequest(max_wait_ms=0, isolation_level=1, topics=[FetchTopic(topic=topic, partitions=[asked])])
        return wire.ask(request, 11).responses[0].partitions[0]

    # -- what goes on at the same time

    def plain(self, wire: Wire, chooser: random.Random) -> None:
        for topic in KEPT[:2]:
            values = [b"%d" % chooser.getrandbits(64) + bytes(chooser.randint(0, 2000)) for _ in range(3)]
            base = self.produce(wire, topic, values)
            self.acknowledged[topic].update(enumerate(values, base))

    def churn(self, wire: Wire, chooser: random.Random) -> None:
        name = f"churned-{chooser.randrange(CHURNED)}"
        code = self.create(wire, name, SMALL, PARTITIONS)
        assert code in (ErrorCode.NONE, ErrorCode.TOPIC_ALREADY_EXISTS)
        if code == ErrorCode.NONE:
            values = [b"%d" % chooser.getrandbits(64) + bytes(2000) for _ in range(6)]
            for partition in range(PARTITIONS):
                for turn in range(4):  # two segments
                    assert self.produce(wire, name, values, partition) == turn * len(values)
                first = next(batches(bytes(self.fetch(wire, name, 0, partition).records)))
                assert [record.value for record in first.records()] == values
        if chooser.random() < 0.7:
            (answer,) = wire.ask(DeleteTopicsRequest(topic_names=[name], timeout_ms=60_000), 3).responses
            assert answer.error_code == ErrorCode.NONE, ErrorCode(answer.error_code)

    def shorten(self, wire: Wire, chooser: random.Random) -> None:
        self.produce(wire, "shortened", [bytes(3000) for _ in range(5)])
        if chooser.random() < 0.3:
            end = self.offset(wire, "shortened", -1)
            asked = DeleteRecordsTopic(
                "shortened", [DeleteRecordsPartition(0, chooser.randrange(max(end - 3, 0), end))]
            )
            assert wire.ask(DeleteRecordsRequest([asked], 60_000), 1).topics[0].partitions[0].error_code in (0, 1)

    def look(self, wire: Wire, chooser: random.Random) -> None:
        for topic in ("shortened", *KEPT):
            start, end = self.offset(wire, topic, -2), self.offset(wire, topic, -1)
            self.offset(wire, topic, int(time.time() * 1000) - chooser.randrange(2000))
            answer = self.fetch(wire, topic, chooser.randint(start, end))
            assert answer.error_code in (ErrorCode.NONE, ErrorCode.OFFSET_OUT_OF_RANGE), ErrorCode(answer.error_code)
            for batch in batches(bytes(answer.records or b"")):
                assert batch.is_valid()
                assert batch.last_offset < answer.last_stable_offset

    def move(self, _: Wire, chooser: random.Random) -> None:
        directories = str(self.broker.data_directory).split(",")
        topic = chooser.choice((*KEPT, "shortened"))
        assert alter(self.broker, chooser.choice(directories), topic) == [ErrorCode.NONE]
        self.stopping.wait(0.3)

    def ask_others(self, wire: Wire, _: random.Random) -> None:
        started = time.perf_counter()
        wire.ask(ApiVersionsRequest(), 0)
        self.lags_s.append(time.perf_counter() - started)
        self.stopping.wait(0.005)

    def idempotent(self, _: Wire, chooser: random.Random) -> None:
        producer = Producer({"bootstrap.servers": self.broker.bootstrap, "enable.idempotence": True} | SMALL_BATCHES)
        self._produce_some(producer, KEPT[2], chooser, 200)
        flush(producer)

    def transactions(self, _wire: Wire, chooser: random.Random) -> None:
        producer = Producer({"bootstrap.servers": self.broker.bootstrap, "transactional.id": "stress"} | SMALL_BATCHES)
        producer.init_transactions(WITHIN_S)
        for _ in range(5):
            producer.begin_transaction()
            delivered = self._produce_some(producer, KEPT[3], chooser, 20)
            flush(producer)
            if chooser.random() < 0.5:
                producer.commit_transaction(WITHIN_S)
                self.acknowledged[KEPT[3]].update(delivered)
            else:
                producer.abort_transaction(WITHIN_S)

    def _produce_some(self, producer: Any, topic: str, chooser: random.Random, count: int) -> dict[int, bytes]:
        """Record -> offset, filled in as they are delivered; an idempotent producer's count at once."""
        delivered: dict[int, bytes] = {} if topic == KEPT[3] else self.acknowledged[topic]

        def on_delivery(error: Any, message: Any) -> None:
            assert error is None, error
            delivered[message.offset()] = message.value()

        for _ in range(count):
            value = b"%d" % chooser.getrandbits(64) + bytes(chooser.randint(0, 500))
            producer.produce(topic, value, partition=0, on_delivery=on_delivery)
            producer.poll(0)
        return delivered

    # -- what must be true

    def check_kept(self) -> None:
        """Every record that was acknowledged is there, with its offset; of transactions no other record is."""
        for topic, expected in self.acknowledged.items():
            found = _consumed(self.broker, topic)
            missing = {offset for offset, value in expected.items() if found.get(offset) != value}
            assert not missing, (topic, len(missing), min(missing))
            if topic == KEPT[3]:
                assert found.keys() == expected.keys()


def _consumed(broker: Wirebroker, topic: str) -> dict[int, bytes]:
    settings = {"bootstrap.servers": broker.bootstrap, "group.id": "stress", "enable.auto.commit": False}
    consumer = Consumer(settings | {"isolation.level": "read_committed", "enable.partition.eof": True})
    consumer.assign([TopicPartition(topic, 0, 0)])
    found: dict[int, bytes] = {}
    deadline = time.monotonic() + 240
    while time.monotonic() < deadline:
        message = consumer.poll(1)
        if message is None:
            continue
        if message.error() is not None:
            break  # the end of the partition
        found[message.offset()] = message.value()
    consumer.close()
    return found


@pytest.mark.parametrize("seconds", [8, pytest.param(180, marks=pytest.mark.nightly)])
def test_logs_come_and_go_on_a_disk_whose_syncs_take_long(tmp_path: Path, seconds: int) -> None:
    slow = SlowSync(tmp_path / "slow", SYNC_MS)
    broker, _, _ = two_dirs(tmp_path / "broker", SETTINGS)
    broker.environment = slow.environment
    stress = Stress(broker)
    with broker:
        with stress.connected() as wire:
            for topic in KEPT:
                synced = {"flush.messages": "1"} if topic == KEPT[1] else {}
                assert not stress.create(wire, topic, {"segment.bytes": "60000", "flush.ms": "70"} | synced)
            assert not stress.create(wire, "shortened", {"segment.bytes": "20000", "retention.bytes": "60000"})
        loops = (stress.plain, stress.churn, stress.shorten, stress.look, stress.move, stress.ask_others)
        threads = stress.start(*loops, stress.idempotent, stress.transactions)
        stress.stopping.wait(seconds)
        # each of them some times, on a busy machine, too
        wait_until(lambda: stress.stopping.is_set() or min(stress.counts.get(each.__name__, 0) for each in loops) > 3)
        stress.stopping.set()
        join(*threads)
        assert not stress.failures, stress.failures[0]
        assert broker.running, broker.log()[-3000:]
        await_markers(broker.bootstrap, KEPT[3])
        stress.check_kept()
    lags = sorted(stress.lags_s)
    logger.info(
        "%s; another client waited %.1f ms at the median, %.0f ms at p99.9, %.0f ms at most",
        *(stress.counts, 1000 * lags[len(lags) // 2], 1000 * lags[int(len(lags) * 0.999)], 1000 * lags[-1]),
    )
    said = broker.log()
    assert " offline" not in said, said[-3000:]
    assert "Traceback" not in said, said[-3000:]
    assert " ERROR " not in said, said[-3000:]
    assert slow.synced_by_main_thread() == []
    assert min(stress.counts.get(loop.__name__, 0) for loop in loops) > 3, stress.counts
    assert all(stress.acknowledged.values())
    broker.environment = {}
    with broker:
        stress.check_kept()
